-- Custom fields that are merged key by key (JSON Merge Patch, RFC 7396), within the statement that writes them: two
-- patches of different keys at once keep both.
--
-- The Data API has no way to write a column by an expression. So the patch is written into a column of its own, which a
-- trigger applies and empties before the row is stored.

create function app.merge_json(target jsonb, patch jsonb) returns jsonb
language plpgsql immutable
set search_path = ''
as $$
begin
  if jsonb_typeof(patch) <> 'object' then
    return patch;
  end if;
  if target is null or jsonb_typeof(target) <> 'object' then
    target := '{}';
  end if;
  return coalesce(
    (
      select jsonb_object_agg(key, value)
      from (
        select key, value from jsonb_each(target) where not patch ? key
        union all
        select key, app.merge_json(target -> key, value) from jsonb_each(patch) where jsonb_typeof(value) <> 'null'
      ) as merged
    ),
    '{}'
  );
end
$$;
comment on function app.merge_json(jsonb, jsonb) is
  'The target after a JSON Merge Patch (RFC 7396): null removes a key, objects are merged, all else is replaced.';
-- The trigger runs as whoever writes the row.
grant execute on function app.merge_json(jsonb, jsonb) to api_client, service_role;

create function app.compact_json_bytes(document jsonb) returns integer
language sql immutable
set search_path = ''
as $$
  -- Postgres writes a space after every comma and colon. Spaces within the strings stay.
  select octet_length(document::text)
    - (select length(rest) - length(replace(rest, ' ', ''))
       from (values (regexp_replace(document::text, '"([^"\\]|\\.)*"', '', 'g'))) as without_strings (rest))
$$;
comment on function app.compact_json_bytes(jsonb) is
  'How many bytes a document has as JSON without white space, which is how the API counts them.';
grant execute on function app.compact_json_bytes(jsonb) to api_client, service_role;

alter table public.contacts
  add column custom_fields_patch jsonb constraint contacts_custom_fields_patch_check check (custom_fields_patch is null);
comment on column public.contacts.custom_fields_patch is
  'Written to merge it into custom_fields; always null in a stored row.';
grant update (custom_fields_patch) on public.contacts to api_client;

create function app.merge_custom_fields() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.custom_fields := app.merge_json(new.custom_fields, new.custom_fields_patch);
  new.custom_fields_patch := null;
  -- Compact JSON is never longer than Postgres' own, so most rows are measured by that. What the platform has made
  -- larger, such as by merging two contacts, may become smaller.
  if octet_length(new.custom_fields::text) > 16384
    and app.compact_json_bytes(new.custom_fields)
      > greatest(16384, app.compact_json_bytes(old.custom_fields)) then
    raise check_violation using
      message = 'new row for relation "contacts" violates check constraint "contacts_custom_fields_check"',
      constraint = 'contacts_custom_fields_check';
  end if;
  return new;
end
$$;
comment on function app.merge_custom_fields() is
  'Trigger: merges custom_fields_patch into custom_fields, and empties it. Refuses custom fields that grow beyond the '
  'API''s 16 KiB, as a breach of contacts_custom_fields_check.';
create trigger contacts_merge_custom_fields before update of custom_fields_patch on public.contacts
  for each row when (new.custom_fields_patch is not null) execute function app.merge_custom_fields();
