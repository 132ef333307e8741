-- What the operator does about the clock of changes. After a restore, whatever its kind, the clock is restarted; and
-- the operator sees what holds the horizon back.

create function public.restart_changes() returns json
-- Security definer, because nobody may read or change the clock.
language plpgsql security definer
set search_path = ''
as $$
declare
  own_number constant bigint := pg_current_xact_id()::text::bigint;
  newest_version bigint;
  answer json;
begin
  -- Whoever has written with the old base ends first, and the next ones wait until they read the new one.
  lock table public.contacts, public.deals, public.conversations, public.messages, public.deleted_rows
    in share row exclusive mode;
  -- Of a company's rows, the index shows the newest at once.
  select greatest(max(newest.version), (select max(version) from public.deleted_rows)) into newest_version
  from public.companies
  cross join lateral (
    (select version from public.contacts where company_id = companies.id order by version desc limit 1)
    union all
    (select version from public.deals where company_id = companies.id order by version desc limit 1)
    union all
    (select version from public.conversations where company_id = companies.id order by version desc limit 1)
    union all
    (select version from public.messages where company_id = companies.id order by version desc limit 1)
  ) as newest;
  -- The distance is for what went back in time: numbers that were given out and forgotten are not given out again. At
  -- one restart a day, JSON has numbers for more than five thousand years.
  update app.change_clock set
    base = greatest(newest_version, base + own_number) + 4294967296 - own_number,
    generation = greatest(generation + 1, extract(epoch from clock_timestamp())::bigint)
  returning json_build_object('generation', generation) into answer;
  return answer;
end
$$;
comment on function public.restart_changes() is
  'Starts a new generation of the feeds of changes, whose versions are above every one that there is. Cursors of '
  'before expire. To be called after every restore and move of the database.';
grant execute on function public.restart_changes() to service_role;

create function public.changes_status() returns json
-- Security definer, because nobody may read the clock, and what another role does is shown to the owner only.
language sql stable security definer
set search_path = ''
as $$
  select json_build_object(
    'generation', clock.generation,
    'restarted_at', to_timestamp(clock.generation),
    'horizon', clock.horizon,
    -- The first one at the horizon is the one that they wait for.
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
  'The clock of the feeds of changes: its generation, the second in which that began, the horizon, the number of '
  'transactions whose changes wait for an earlier one (at most), and since when the oldest transaction runs that is '
  'still writing; null when none is, or when the owner of this function may not see it (sees_other_sessions).';
grant execute on function public.changes_status() to service_role;
