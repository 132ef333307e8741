-- Pipelines, stages, teams and members have a version too, so that every record that is a row has one. They have no
-- feed of changes: a company has few of them.

create function app.note_version() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  -- Without a version in the statement, the two are the same.
  if new.version <> old.version then
    raise sqlstate 'PT412' using
      message = 'The row has another version: it has changed since that one was read', detail = old.version::text;
  end if;
  new.updated_at := now();
  new.version := app.change_now();
  return new;
end
$$;
comment on function app.note_version() is
  'Trigger: app.note_change() for tables without a feed of changes, whose rows may change their ids.';

-- A constant default changes no row, so no table is locked for long.
alter table public.pipelines add column version bigint not null default 0;
alter table public.pipelines alter column version set default app.change_now();
drop trigger pipelines_set_updated_at on public.pipelines;
create trigger pipelines_note_version before update on public.pipelines
  for each row execute function app.note_version();

alter table public.stages add column version bigint not null default 0;
alter table public.stages alter column version set default app.change_now();
drop trigger stages_set_updated_at on public.stages;
create trigger stages_note_version before update on public.stages
  for each row execute function app.note_version();

alter table public.teams add column version bigint not null default 0;
alter table public.teams alter column version set default app.change_now();
drop trigger teams_set_updated_at on public.teams;
create trigger teams_note_version before update on public.teams
  for each row execute function app.note_version();

alter table public.company_members add column version bigint not null default 0;
alter table public.company_members alter column version set default app.change_now();
drop trigger company_members_set_updated_at on public.company_members;
create trigger company_members_note_version before update on public.company_members
  for each row execute function app.note_version();

create or replace view public.own_teams as
  select
    id, company_id, name, created_at, updated_at,
    app.words(name) as name_words, left(coalesce(app.words(name), ''), 100) collate "C" as name_sort,
    version::text as version
  from public.teams
  where company_id = (select app.company_id('read'));

create or replace view public.own_members as
  select
    user_id, company_id, name, role, created_at, updated_at,
    app.words(name) as name_words, left(coalesce(app.words(name), ''), 100) collate "C" as name_sort,
    version::text as version
  from public.company_members
  where company_id = (select app.company_id('read'));

create or replace view public.own_pipelines as
  select
    id, company_id, name, position, is_default, created_at, updated_at,
    app.words(name) as name_words, left(coalesce(app.words(name), ''), 100) collate "C" as name_sort,
    version::text as version
  from public.pipelines
  where company_id = (select app.company_id('read'));

create or replace view public.own_stages as
  select
    id, company_id, pipeline_id, name, position, created_at, updated_at,
    app.words(name) as name_words, left(coalesce(app.words(name), ''), 100) collate "C" as name_sort,
    version::text as version
  from public.stages
  where company_id = (select app.company_id('read'));

-- No version is given out twice, also after a restore: the base moves beyond those of these tables too. Nothing reads
-- them in their order, so nobody who writes them is waited for.
create or replace function public.restart_changes() returns json
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
