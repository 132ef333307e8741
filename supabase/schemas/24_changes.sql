-- The change feeds. Callers read a change feed to keep their copies of records up to date. A deleted row leaves a
-- tombstone with its id. Each file that defines a table with a change feed calls app.make_feed().

create table public.deleted_rows (
  company_id uuid not null references public.companies on delete cascade,
  resource text not null check (resource in ('contacts', 'deals', 'conversations', 'messages')),
  id uuid not null,
  version bigint not null,
  deleted_at timestamptz not null,
  merged_into uuid,
  primary key (company_id, resource, id)
);
comment on table public.deleted_rows is
  'Tombstones: the ids of the deleted contacts, deals, conversations and messages of a company. The change feeds show '
  'a tombstone unless a row with the same id exists again.';
comment on column public.deleted_rows.merged_into is
  'For a merged contact, the id of the surviving contact. If the survivor is merged too, this id is updated. Null for '
  'other rows.';

-- This statistic makes the planner assume that all rows belong to one company. 30_contacts.sql explains why.
alter table public.deleted_rows alter column company_id set (n_distinct = 1);

create index deleted_rows_changes_idx on public.deleted_rows (company_id, resource, version, id);
create index deleted_rows_merged_idx on public.deleted_rows (company_id, merged_into) where merged_into is not null;

-- Security definer, because no role may write tombstones directly.
create function app.note_deletion() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into public.deleted_rows as known (company_id, resource, id, version, deleted_at)
  select deleted.company_id, tg_table_name, deleted.id, app.change_now(), now()
  from deleted
  -- If the company itself is deleted, no one can read the change feed any more.
  join public.companies on companies.id = deleted.company_id
  on conflict (company_id, resource, id) do update set
    version = excluded.version,
    deleted_at = excluded.deleted_at;
  return null;
end
$$;
comment on function app.note_deletion() is
  'Trigger: leaves a tombstone for each row that the statement deleted, even if a cascade deleted the row. Leaves no '
  'tombstone when the company itself is deleted.';

-- The tombstone of a merged contact contains the id of the surviving contact. Tombstones omit null fields.
create function app.make_feed(feed text, of_table text, columns text) returns void
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
      -- Each part of the query reads at most 201 rows, so one plan suits all values. Just-in-time compilation of the
      -- plan would take longer than reading a page.
      set plan_cache_mode = force_generic_plan
      set jit = off
      as $feed$
      declare
        -- If there is no cursor, the page begins after the last id of version -1, which is before the first version.
        from_version constant bigint := coalesce(after_version, -1);
        from_id constant uuid := coalesce(after_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
        most constant integer := least(greatest(max_rows, 0), 201);
        newest_version bigint;
        clock record;
      begin
        -- The policies check the key only if the tables contain rows. So this function checks the key itself.
        perform app.company_id('read');
        newest_version := greatest(
          (select version from public.%2$I order by version desc limit 1),
          (select version from public.deleted_rows where resource = %2$L order by version desc limit 1)
        );
        clock := app.change_clock_for(%1$I.generation, after_version, newest_version);
        return next json_build_object('generation', clock.generation, 'horizon', clock.horizon);
        -- One statement reads both index ranges, so both reads use the same snapshot.
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
                  -- If a row with the same id exists again, the change feed shows the row and not the tombstone. This
                  -- form of the condition makes Postgres look up each id in the primary key.
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
        'Returns one page of changes of the %2$s of the key''s company. Needs a read token. The first row is the clock '
        '{ generation, horizon }. At most max_rows changes follow, and never more than 201. The changes start after '
        'the cursor, or at the beginning if there is no cursor. A change is a row with its version, or a tombstone { '
        'id, company_id, deleted_at, merged_into?, version }. Raises PT410 and PT500 as app.change_clock_for() does, '
        'PT401 and PT403 as app.company_id() does. Created by app.make_feed().'
    $template$,
    feed, of_table
  );
  execute format('grant execute on function public.%I(bigint, bigint, uuid, integer) to api_client', feed);
end
$make$;
comment on function app.make_feed(text, text, text) is
  'Creates a function that returns the changes of a table, with the given columns. A second call replaces the '
  'function.';

-- The function restart_changes() sets a new base for the versions (02_clock.sql). A version is never used twice, even
-- after a restore. So the new versions are also above the versions in tables without a change feed. The function does
-- not wait for transactions that write these tables, because no one reads these tables in version order.
create function public.restart_changes() returns json
-- Security definer, because no role may read or change the change clock.
language plpgsql security definer
set search_path = ''
as $$
declare
  own_number constant bigint := pg_current_xact_id()::text::bigint;
  newest_version bigint;
  answer json;
begin
  -- This statement waits until the transactions that wrote with the old base have ended. New transactions wait for the
  -- new base.
  lock table public.contacts, public.deals, public.conversations, public.messages, public.deleted_rows, app.events
    in share row exclusive mode;
  -- For each company, an index finds the newest row.
  select
    greatest(
      max(newest.version),
      (select max(version) from public.deleted_rows),
      (select max(version) from public.pipelines),
      (select max(version) from public.stages),
      (select max(version) from public.teams),
      (select max(version) from public.company_members)
    )
    into newest_version
  from public.companies
  cross join lateral (
    (select version from public.contacts where company_id = companies.id order by version desc limit 1)
    union all
    (select version from public.deals where company_id = companies.id order by version desc limit 1)
    union all
    (select version from public.conversations where company_id = companies.id order by version desc limit 1)
    union all
    (select version from public.messages where company_id = companies.id order by version desc limit 1)
    union all
    (select version from app.events where company_id = companies.id order by version desc limit 1)
  ) as newest;
  -- After a restore to an earlier time, the database does not know which transaction IDs were already used. The added
  -- number 4294967296 skips these IDs. With one call of this function a day, versions remain exact as JSON numbers for
  -- more than five thousand years.
  update app.change_clock set
    base = greatest(newest_version, base + own_number) + 4294967296 - own_number,
    generation = greatest(generation + 1, extract(epoch from clock_timestamp())::bigint)
  where is_only
  returning json_build_object('generation', generation) into answer;
  return answer;
end
$$;
comment on function public.restart_changes() is
  'Starts a new generation of the change feeds. New versions are above all earlier versions. Earlier cursors expire. '
  'Call this function after each restore or move of the database.';
grant execute on function public.restart_changes() to service_role;

create function public.changes_status() returns json
-- Security definer, because no role may read the change clock, and only the function owner sees other roles'
-- transactions.
language sql stable security definer
set search_path = ''
as $$
  select json_build_object(
    'generation', clock.generation,
    'restarted_at', to_timestamp(clock.generation),
    'horizon', clock.horizon,
    -- The change feeds do not show the changes of these transactions until the transaction at the horizon has ended.
    'waiting_transactions', greatest(clock.beyond - clock.horizon - 1, 0),
    'writing_since', (
      select min(since) from (
        select xact_start as since from pg_stat_activity where backend_xid is not null
        union all
        select prepared from pg_prepared_xacts
      ) as writing
    ),
    'sees_other_sessions', pg_has_role(current_user, 'pg_read_all_stats', 'usage')
  )
  from app.change_clock_now() as clock
$$;
comment on function public.changes_status() is
  'Returns the change clock: the generation, its start time, and the horizon. waiting_transactions is the maximum '
  'number of transactions that the feeds do not show until an earlier transaction ends. writing_since is the start '
  'time of the oldest transaction that is still writing. writing_since is null when no transaction is writing, or when '
  'the owner of this function cannot see the sessions of other roles (sees_other_sessions is false).';
grant execute on function public.changes_status() to service_role;

alter table public.deleted_rows enable row level security;
create policy "a key reads what was deleted in its company" on public.deleted_rows
  for select to api_client using (company_id = (select app.company_id('read')));

grant select on public.deleted_rows to api_client;
