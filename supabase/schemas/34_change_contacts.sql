-- Functions that change many existing contacts with a few statements. The functions that find contacts by phone,
-- external_id or id call these functions.

create function app.fill_custom_fields(known jsonb, given jsonb) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  filled constant jsonb := known || coalesce(
    (
      select jsonb_object_agg(key, value) from jsonb_each(given)
      where coalesce(known -> key, 'null') in ('null', '""', '[]', '{}')
    ),
    '{}'
  );
begin
  -- The API measures compact JSON, as app.apply_patch() does.
  if octet_length(filled::text) > 16384
    and app.compact_json_bytes(filled) > greatest(16384, app.compact_json_bytes(known)) then
    raise check_violation using
      message = 'new row for relation "contacts" violates check constraint "contacts_custom_fields_check"',
      constraint = 'contacts_custom_fields_check';
  end if;
  return filled;
end
$$;
comment on function app.fill_custom_fields(jsonb, jsonb) is
  'Returns the stored custom fields, with the given values for fields that are missing or empty. Raises a violation of '
  'contacts_custom_fields_check when the custom fields grow beyond the API''s limit of 16 KiB.';

create function app.large_json_bytes(document jsonb) returns integer
language sql immutable
set search_path = ''
as $$
  select case
    when octet_length(document::text) <= 16384 then 0
    -- Compact JSON has no space after colons and commas, so an object has at least 2 * keys - 1 bytes less than its text.
    when jsonb_typeof(document) = 'object'
      and octet_length(document::text) - 2 * (select count(*) from jsonb_object_keys(document)) < 16384 then 0
    else app.compact_json_bytes(document)
  end
$$;
comment on function app.large_json_bytes(jsonb) is
  'Returns app.compact_json_bytes() if the document may have more than 16 KiB, which is the API''s limit for custom '
  'fields. Otherwise returns 0, because measuring exactly takes long.';

create function app.custom_fields_in_turn(known jsonb, given jsonb, rule text) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  item jsonb;
  earlier jsonb;
  bytes integer;
  earlier_bytes integer;
begin
  for item in select turn -> 'custom_fields' from jsonb_array_elements(given) as turn where turn ? 'custom_fields' loop
    earlier := known;
    earlier_bytes := bytes;
    bytes := 0;
    known := case rule
      when 'patch' then app.merge_json(known, item)
      when 'merge' then app.merge_json(known, item)
      when 'keep' then app.fill_custom_fields(known, item)
      else item
    end;
    if rule in ('patch', 'merge') then
      bytes := app.large_json_bytes(known);
    end if;
    -- An item that makes the custom fields too large fails, even if a later item makes them small again.
    if bytes > 16384 and bytes > coalesce(earlier_bytes, app.large_json_bytes(earlier))
      or octet_length(known::text) > 32768
    then
      raise check_violation using
        message = 'new row for relation "contacts" violates check constraint "contacts_custom_fields_check"',
        constraint = 'contacts_custom_fields_check';
    end if;
  end loop;
  return known;
end
$$;
comment on function app.custom_fields_in_turn(jsonb, jsonb, text) is
  'Applies the items of a list in order, under a rule of app.change_contacts(), and returns the resulting custom '
  'fields. Raises a violation of contacts_custom_fields_check when an item makes the custom fields too large.';

create function app.tags_in_turn(known text[], given jsonb, rule text) returns text[]
language plpgsql stable
set search_path = ''
as $$
declare
  item jsonb;
begin
  for item in select turn from jsonb_array_elements(given) as turn loop
    known := case
      when not item ? 'tags' then app.changed_tags(known, item -> 'add_tags', item -> 'remove_tags')
      when rule = 'merge' then app.changed_tags(known, item -> 'tags', null)
      when rule = 'keep' and known <> '{}' then known
      else array(select jsonb_array_elements_text(item -> 'tags'))
    end;
    -- An item that adds too many tags fails, even if a later item removes some of them.
    if cardinality(known) > 50 then
      raise check_violation using
        message = 'new row for relation "contacts" violates check constraint "contacts_tags_check"',
        constraint = 'contacts_tags_check';
    end if;
  end loop;
  return known;
end
$$;
comment on function app.tags_in_turn(text[], jsonb, text) is
  'Applies the items of a list in order, under a rule of app.change_contacts(), and returns the resulting tags. Raises '
  'a violation of contacts_tags_check when an item adds too many tags.';

create function app.fields_in_turn(given jsonb, rule text) returns jsonb
language plpgsql immutable
set search_path = ''
as $$
begin
  if jsonb_array_length(given) = 1 then
    return given -> 0;
  end if;
  return (
    -- For each field, the last item with this field applies. The rule 'keep' never replaces a value, so the first item
    -- with a value for the field applies.
    select coalesce(
      jsonb_object_agg(key, value order by is_filling, case when is_filling then -place else place end), '{}'
    )
    from jsonb_array_elements(given) with ordinality as turns (turn, place)
    cross join jsonb_each(turn - 'custom_fields')
    cross join lateral (select rule = 'keep' and value not in ('null', '""', '[]')) as judged (is_filling)
  );
end
$$;
comment on function app.fields_in_turn(jsonb, text) is
  'Combines the items of a list into one item that has the same effect under a rule of app.change_contacts(). When '
  'there are several items, the result has no custom fields.';

create function app.change_contacts(own_company_id uuid, ids uuid[], items jsonb[], rule text) returns uuid[]
language plpgsql
set search_path = ''
as $$
declare
  these record;
  written uuid[];
  changed uuid[] := '{}';
begin
  for these in
    select array_agg(id) as ids, array_agg(app.fields_in_turn(turns, rule)) as items, array_agg(turns) as turns
    from (
      select id, round, jsonb_agg(item order by place) as turns
      from (
        select
          id, item, place,
          -- A wish belongs to the phone number that the contact has at the time of the write. So the items of a contact
          -- are applied in rounds. An item that changes the phone number has its own round. The items between two
          -- changes of the phone number share a round.
          2 * count(*) filter (where is_other_phone) over (partition by id order by place)
            - is_other_phone::integer as round
        from (
          select
            id, item, place,
            has_phone and key is distinct from lag(key, 1, (
              select app.phone_key(phone) from public.contacts where has_phone and contacts.id = compared.id
            )) over (partition by id, has_phone order by place) as is_other_phone
          from (
            select
              id, item, place,
              -- The rule `keep` changes neither a phone number nor a wish.
              rule <> 'keep' and item ? 'phone' and count(*) over (partition by id) > 1 as has_phone
            from unnest(ids, items) with ordinality as given (id, item, place)
            where id is not null
          ) as compared
          cross join lateral (select case when has_phone then app.phone_key(item ->> 'phone') end) as own (key)
        ) as counted
      ) as numbered
      group by id, round
    ) as settled
    group by round
    order by round
  loop
    with changes as (
      update public.contacts set
        phone = wanted.phone,
        external_id = wanted.external_id,
        name = wanted.name,
        email = wanted.email,
        temperature = wanted.temperature,
        tags = wanted.tags,
        source = wanted.source,
        job_title = wanted.job_title,
        empresa = wanted.empresa,
        custom_fields = wanted.custom_fields,
        do_not_contact = wanted.do_not_contact,
        do_not_contact_source = case when is_decided then 'manual' else contacts.do_not_contact_source end,
        do_not_contact_at = case when is_decided then now() else contacts.do_not_contact_at end,
        marketing_opt_out = wanted.marketing_opt_out,
        is_active = wanted.is_active
      from (
        select
          known.id,
          case when item ? 'phone' then item ->> 'phone' else known.phone end as phone,
          case when item ? 'external_id' then item ->> 'external_id' else known.external_id end as external_id,
          case when item ? 'name' then item ->> 'name' else known.name end as name,
          case when item ? 'email' then item ->> 'email' else known.email end as email,
          case when item ? 'temperature' then item ->> 'temperature' else known.temperature end as temperature,
          case
            when item ?| '{tags,add_tags,remove_tags}' then app.tags_in_turn(known.tags, turns, rule) else known.tags
          end as tags,
          case when item ? 'source' then item ->> 'source' else known.source end as source,
          case when item ? 'job_title' then item ->> 'job_title' else known.job_title end as job_title,
          case when item ? 'empresa' then item ->> 'empresa' else known.empresa end as empresa,
          merged.custom_fields,
          case
            when item ? 'do_not_contact' then (item ->> 'do_not_contact')::boolean else known.do_not_contact
          end as do_not_contact,
          -- If one item changes do_not_contact and a later item undoes the change, the result is still a manual
          -- decision.
          item ? 'do_not_contact' and exists (
            select from jsonb_array_elements(turns) as turn
            where (turn ->> 'do_not_contact')::boolean <> known.do_not_contact
          ) as is_decided,
          coalesce((item ->> 'marketing_opt_out')::boolean, known.marketing_opt_out) as marketing_opt_out,
          case when item ? 'is_active' then (item ->> 'is_active')::boolean else known.is_active end as is_active
        from unnest(these.ids, these.items, these.turns) as given (id, whole_item, turns)
        -- Each item has its own lookup, because the plan of a join may read all rows of the company.
        cross join lateral (
          select * from public.contacts where company_id = own_company_id and contacts.id = given.id offset 0
        ) as known
        cross join lateral (
          select case when rule <> 'keep' then whole_item
            else whole_item - array[
              'temperature', 'source', 'do_not_contact', 'marketing_opt_out', 'is_active',
              case when known.phone is not null then 'phone' else '' end,
              case when known.external_id is not null then 'external_id' else '' end,
              case when known.name <> '' then 'name' else '' end,
              case when known.email <> '' then 'email' else '' end,
              case when known.tags <> '{}' then 'tags' else '' end,
              case when known.job_title <> '' then 'job_title' else '' end,
              case when known.empresa <> '' then 'empresa' else '' end
            ]
          end
        ) as taken (item)
        cross join lateral (
          -- The query computes this value once, and uses the value for both the comparison and the write.
          select app.custom_fields_in_turn(known.custom_fields, turns, rule) offset 0
        ) as merged (custom_fields)
      ) as wanted
      -- The lookup in `known` has checked that the row belongs to the company. The condition has only the id, so that
      -- the planner can choose only one index.
      where contacts.id = wanted.id
        -- An unchanged row gets no new version.
        and (
          is_decided
          or (
            contacts.phone, contacts.external_id, contacts.name, contacts.email, contacts.temperature, contacts.tags,
            contacts.source, contacts.job_title, contacts.empresa, contacts.custom_fields, contacts.do_not_contact,
            contacts.marketing_opt_out, contacts.is_active
          ) is distinct from (
            wanted.phone, wanted.external_id, wanted.name, wanted.email, wanted.temperature, wanted.tags,
            wanted.source, wanted.job_title, wanted.empresa, wanted.custom_fields, wanted.do_not_contact,
            wanted.marketing_opt_out, wanted.is_active
          )
        )
      returning contacts.id
    )
    select array_agg(id) into written from changes;
    changed := changed || written;
  end loop;
  return changed;
end
$$;
comment on function app.change_contacts(uuid, uuid[], jsonb[], text) is
  'Applies each item to the contact whose id is at the same array position. Skips an item with a null id. Applies '
  'several items of one contact in their order. Under the rule `update`, an item replaces the stored values. Under the '
  'rule `keep`, an item fills only values that are null or empty. Under the rule `patch`, an item replaces the stored '
  'values, custom_fields are merged (RFC 7396), and an item may also have add_tags and remove_tags. Under the rule '
  '`merge`, an item replaces the stored values, custom_fields are merged, and the tags of the item are added to the '
  'stored tags. Returns the contacts that have changed. The caller must have locked the contacts.';

create function app.require_free_keys(own_company_id uuid, ids uuid[], items jsonb[]) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  taken text;
begin
  -- Each item has its own subquery here, because the plan of a join may read all rows of the company.
  if exists (select from unnest(items) as item where item ? 'phone') and exists (
    select from unnest(ids, items) as given (id, item)
    cross join lateral app.phone_key(item ->> 'phone') as own (key)
    where given.id is not null and own.key is not null
    group by own.key
    having count(distinct given.id) > 1 or bool_or(coalesce(
      (select owner.id from public.contacts as owner where owner.company_id = own_company_id and owner.phone_key = own.key)
        <> given.id,
      exists (
        select from public.contact_former_phones as further
        where further.company_id = own_company_id and further.phone_key = own.key and further.until = 'infinity'
          and further.contact_id <> given.id
      )
    ))
  ) then
    taken := 'phone';
  elsif exists (select from unnest(items) as item where item ? 'external_id') and exists (
    select from unnest(ids, items) as given (id, item)
    where given.id is not null and item ->> 'external_id' is not null
    group by item ->> 'external_id'
    having count(distinct given.id) > 1
      or bool_or((app.contacts_of_items(own_company_id, array[item], 'external_id'))[1] <> given.id)
  ) then
    taken := 'external_id';
  end if;
  if taken is not null then
    raise unique_violation using
      message = format('another contact has the %s, or several contacts would get it', taken),
      constraint = 'contacts_one_per_' || taken;
  end if;
end
$$;
comment on function app.require_free_keys(uuid, uuid[], jsonb[]) is
  'Raises a violation of contacts_one_per_phone or contacts_one_per_external_id in two cases: when another contact '
  'already has the phone or external_id of an item, and when items give the same value to two contacts. In both cases, '
  'the order of the items matters, so the calling function then writes the items one by one.';

create function app.refusal_of_contact(own_company_id uuid, item jsonb, broken text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  -- The unique field whose value another contact already has. Null for any other constraint.
  field constant text := substring(broken from '^contacts_one_per_(phone|external_id)$');
  existing_id uuid;
begin
  if field is null then
    return jsonb_build_object('status', 422, 'constraint', broken);
  end if;
  existing_id := (app.contacts_of_items(own_company_id, array[item], field))[1];
  return case when existing_id is not null
    then jsonb_build_object('status', 409, 'existing_id', existing_id, 'field', field) end;
end
$$;
comment on function app.refusal_of_contact(uuid, jsonb, text) is
  'Returns the result of an item that violates a constraint. The result is { status: 409, existing_id, field } if '
  'another contact has the phone or the external_id of the item. For any other constraint, the result is { status: '
  '422, constraint }. Returns null when the other contact no longer exists, so that the caller can retry the item.';
