-- The id of a contact that was merged into another one leads to that one, for good: for whoever has noted it elsewhere.

alter table public.deleted_rows add column merged_into uuid;
comment on column public.deleted_rows.merged_into is
  'Of a contact that was merged into another one: which contact that person is now, also after further merges.';
create index deleted_rows_merged_idx on public.deleted_rows (company_id, merged_into) where merged_into is not null;

-- Merges of before. What a contact was merged from moves with it, so each is at the contact that is left.
update public.deleted_rows as gone set merged_into = merges.contact_id
from public.contact_identity_events as merges
where merges.kind = 'merged' and merges.company_id = gone.company_id and merges.was = gone.id::text
  and gone.resource = 'contacts';

create function app.survivor_of(own_company_id uuid, merged_id uuid) returns uuid
-- Volatile, and not in the language sql, so that it sees a merge that its statement has waited for.
language plpgsql volatile
set search_path = ''
as $$
begin
  return (
    select contacts.id from public.deleted_rows as gone
    join public.contacts on contacts.company_id = gone.company_id and contacts.id = gone.merged_into
    where gone.company_id = own_company_id and gone.resource = 'contacts' and gone.id = merged_id
  );
end
$$;
comment on function app.survivor_of(uuid, uuid) is
  'The contact into which another one of the company was merged; null when it was not.';

create function public.survivor_of_contact(id uuid) returns uuid
-- Security definer, because a token for writing reads no tombstone.
language plpgsql security definer
set search_path = ''
as $$
begin
  return app.survivor_of(
    app.company_id(case when auth.jwt() ->> 'scope' = 'write' then 'write' else 'read' end), survivor_of_contact.id
  );
end
$$;
comment on function public.survivor_of_contact(uuid) is
  'The contact of the key''s company into which another one was merged, for a token for reading or writing: '
  'null when there is none. Raises PT401 and PT403 as app.company_id() does.';
grant execute on function public.survivor_of_contact(uuid) to api_client;

-- A copy learns of a merge what it was. Tombstones are told without what they do not have.
create or replace function app.make_feed(feed text, of_table text, columns text) returns void
language plpgsql
set search_path = ''
as $make$
begin
  execute format(
    $template$
      create or replace function public.%1$I(
        generation bigint default null, after_version bigint default null, after_id uuid default null,
        max_rows integer default 50
      ) returns setof json
      language plpgsql stable
      set search_path = ''
      -- The limits make one plan right for all values. To compile it would take longer than a page.
      set plan_cache_mode = force_generic_plan
      set jit = off
      as $feed$
      declare
        -- Without a cursor: behind the last id of the version before the first one.
        from_version constant bigint := coalesce(after_version, -1);
        from_id constant uuid := coalesce(after_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
        most constant integer := least(greatest(max_rows, 0), 201);
        newest_version bigint;
        clock record;
      begin
        -- The policies judge the key only where there are rows.
        perform app.company_id('read');
        newest_version := greatest(
          (select version from public.%2$I order by version desc limit 1),
          (select version from public.deleted_rows where resource = %2$L order by version desc limit 1)
        );
        clock := app.change_clock_for(%1$I.generation, after_version, newest_version);
        return next json_build_object('generation', clock.generation, 'horizon', clock.horizon);
        -- Two ranges of indexes, merged: one statement, and so one snapshot.
        return query
          select page.change from (
            (
              select kept.version, kept.id, to_json(kept) as change
              from (
                select %3$s, version from public.%2$I
                where (version, id) > (from_version, from_id) and version < clock.horizon
                order by version, id
                limit 201
              ) as kept
            )
            union all
            (
              select gone.version, gone.id, json_strip_nulls(to_json(gone))
              from (
                select id, company_id, deleted_at, merged_into, version from public.deleted_rows
                where resource = %2$L
                  and (version, id) > (from_version, from_id) and version < clock.horizon
                  -- A row that is there again is shown instead. This form asks the primary key about each id.
                  and (select true from public.%2$I as again where again.id = deleted_rows.id) is null
                order by version, id
                limit 201
              ) as gone
            )
            order by version, id
            limit most
          ) as page;
      end
      $feed$
    $template$,
    feed, of_table, columns
  );
  execute format(
    $template$
      comment on function public.%1$I(bigint, bigint, uuid, integer) is
        'A page of changes of the %2$s of the key''s company, for a token for reading: first the clock '
        '{ generation, horizon }, then at most max_rows (201) changes after a cursor, or from the beginning. A change '
        'is a row with its version, or a tombstone { id, company_id, deleted_at, merged_into?, version }. Raises PT410 and PT500 as '
        'app.change_clock_for() does, PT401 and PT403 as app.company_id(). Made by app.make_feed().'
    $template$,
    feed, of_table
  );
  execute format('grant execute on function public.%I(bigint, bigint, uuid, integer) to api_client', feed);
end
$make$;

select app.make_feed('contact_changes', 'contacts', '
  id, company_id, name, email, phone, temperature, tags, source, job_title, empresa, custom_fields, do_not_contact,
  do_not_contact_source, do_not_contact_at, marketing_opt_out_at, is_active, archived_at, erased_at, created_at, updated_at
');
