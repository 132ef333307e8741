-- Pipelines and their stages. A new company has one pipeline, so that deals can be added immediately.
--
-- Pipelines and stages have positions without gaps: 0, 1, 2 and so on. A company has exactly one default pipeline.
-- These rules apply to keys, users and the platform. A statement that writes a position moves the row, and the other
-- rows shift.

create table public.pipelines (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  name text not null check (char_length(name) between 1 and 255),
  -- A pipeline that is added without a position becomes the last pipeline.
  position integer not null check (position >= 0),
  is_default boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  version bigint not null default app.change_now(),
  archived_at timestamptz,
  unique (company_id, id)
);
comment on table public.pipelines is 'A sales process of a company: an ordered list of stages.';
comment on column public.pipelines.archived_at is
  'When the pipeline was archived. Lists exclude archived pipelines, and their positions have no meaning.';

-- This statistic makes the planner assume that all rows belong to one company. 30_contacts.sql explains why.
alter table public.pipelines alter column company_id set (n_distinct = 1);

create table public.stages (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  pipeline_id uuid not null,
  name text not null check (char_length(name) between 1 and 255),
  position integer not null check (position >= 0),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  version bigint not null default app.change_now(),
  archived_at timestamptz,
  unique (company_id, id),
  constraint stages_pipeline_fkey foreign key (company_id, pipeline_id)
    references public.pipelines (company_id, id) on delete cascade
);
comment on table public.stages is 'A step of a pipeline. A deal is in exactly one stage.';
comment on column public.stages.archived_at is
  'When the stage was archived. An archived stage has no deals, and its position has no meaning. Lists exclude '
  'archived stages.';

-- This statistic makes the planner assume that all rows belong to one company. 30_contacts.sql explains why.
alter table public.stages alter column company_id set (n_distinct = 1);

create index pipelines_by_position_idx on public.pipelines (company_id, position, id);
create unique index pipelines_one_default_idx on public.pipelines (company_id) where is_default;
create index stages_by_position_idx on public.stages (company_id, pipeline_id, position, id);

create function app.lock_pipelines(of_company_id uuid) returns void
language sql
set search_path = ''
as $$
  select pg_advisory_xact_lock(hashtextextended(format('pipelines %s', of_company_id), 0))
$$;
comment on function app.lock_pipelines(uuid) is
  'Waits until no other transaction writes the pipelines and stages of a company, and blocks such transactions until '
  'this transaction ends. The functions for keys and the statements of users acquire this lock before they lock any of '
  'these rows, so no deadlock can occur between them.';

create function app.lock_own_pipelines() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform app.lock_pipelines(own.id)
  from (select unnest(app.member_company_ids()) as id order by id) as own;
  return null;
end
$$;
comment on function app.lock_own_pipelines() is
  'Trigger: acquires the lock of app.lock_pipelines() for the companies of the signed-in user, before a statement '
  'searches for rows. The functions for keys acquire the lock themselves. A statement of the platform acquires the '
  'lock row by row, so a deadlock may abort the statement.';

-- The argument `shifts` maps the id of each moved row to its direction. The value 1 means that the row moved down the
-- list, so the row comes after the row that had its new position. The value -1 means that the row moved up or was
-- added, so the row comes before the row that had its new position.
create function app.number_pipelines(of_company_id uuid, shifts jsonb default '{}') returns void
language plpgsql
set search_path = ''
as $$
begin
  perform app.lock_pipelines(of_company_id);
  update public.pipelines set position = placed.place
  from (
    select id, row_number() over (order by position::bigint * 2 + coalesce((shifts ->> id::text)::integer, 0), id) - 1 as place
    from public.pipelines
    where company_id = of_company_id and archived_at is null
      -- This update fires the trigger again. At the second run, the positions have no gaps and no duplicates, so this
      -- condition is false and no row is updated.
      and (
        select count(distinct position) < count(*) or max(position) <> count(*) - 1
        from public.pipelines where company_id = of_company_id and archived_at is null
      )
  ) as placed
  where pipelines.id = placed.id and pipelines.position <> placed.place;
end
$$;
comment on function app.number_pipelines(uuid, jsonb) is
  'Removes gaps and duplicates from the positions of a company''s pipelines. The argument `shifts` maps the id of each '
  'moved row to 1 or -1.';

create function app.number_stages(of_company_id uuid, of_pipeline_id uuid, shifts jsonb default '{}') returns void
language plpgsql
set search_path = ''
as $$
begin
  perform app.lock_pipelines(of_company_id);
  update public.stages set position = placed.place
  from (
    select id, row_number() over (order by position::bigint * 2 + coalesce((shifts ->> id::text)::integer, 0), id) - 1 as place
    from public.stages
    where company_id = of_company_id and pipeline_id = of_pipeline_id and archived_at is null
      and (
        select count(distinct position) < count(*) or max(position) <> count(*) - 1
        from public.stages
        where company_id = of_company_id and pipeline_id = of_pipeline_id and archived_at is null
      )
  ) as placed
  where stages.id = placed.id and stages.position <> placed.place;
end
$$;
comment on function app.number_stages(uuid, uuid, jsonb) is
  'Removes gaps and duplicates from the positions of a pipeline''s stages. The argument `shifts` maps the id of each '
  'moved row to 1 or -1.';

-- Security definer, like the other triggers below. These triggers read rows that the writer may not read, and they
-- change other rows.
create function app.keep_pipelines_dense() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    perform app.number_pipelines(company_id, jsonb_object_agg(id, -1)) from added group by company_id;
  elsif tg_op = 'DELETE' then
    perform app.number_pipelines(company_id) from removed group by company_id;
  else
    perform app.number_pipelines(added.company_id, jsonb_object_agg(id, sign(added.position - removed.position)))
    from added join removed using (id) group by added.company_id;
  end if;
  return null;
end
$$;
comment on function app.keep_pipelines_dense() is
  'Trigger: removes gaps and duplicates from the positions of pipelines after a statement that added, changed or '
  'deleted pipelines.';

create function app.keep_stages_dense() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    perform app.number_stages(company_id, pipeline_id, jsonb_object_agg(id, -1))
    from added group by company_id, pipeline_id;
  elsif tg_op = 'DELETE' then
    perform app.number_stages(company_id, pipeline_id) from removed group by company_id, pipeline_id;
  else
    perform app.number_stages(company_id, pipeline_id, jsonb_object_agg(id, shift))
    from (
      select
        id, added.company_id, added.pipeline_id,
        case when added.pipeline_id = removed.pipeline_id then sign(added.position - removed.position) else -1 end
          as shift
      from added join removed using (id)
      union all
      -- If a stage moves to another pipeline, the stages of its earlier pipeline also get new positions.
      select id, removed.company_id, removed.pipeline_id, 0
      from removed join added using (id) where added.pipeline_id <> removed.pipeline_id
    ) as written
    group by company_id, pipeline_id;
  end if;
  return null;
end
$$;
comment on function app.keep_stages_dense() is
  'Trigger: removes gaps and duplicates from the positions of stages after a statement that added, changed or deleted '
  'stages.';

-- The default pipeline cannot be archived or deleted until another pipeline becomes the default.
create function app.place_pipeline() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform app.lock_pipelines(new.company_id);
  if tg_op = 'INSERT' then
    new.position := coalesce(new.position, (
      select count(*) from public.pipelines where company_id = new.company_id and archived_at is null
    ));
    -- The first pipeline of a company becomes the default.
    new.is_default := new.is_default or not exists (
      select from public.pipelines where company_id = new.company_id and is_default
    );
  -- When another pipeline becomes the default, this trigger itself changes the earlier default pipeline. The trigger
  -- depth is then greater than 1.
  elsif old.is_default and not new.is_default and pg_trigger_depth() = 1 then
    raise sqlstate 'PT409' using
      message = 'A company needs one default pipeline: make another pipeline the default instead';
  end if;
  if new.is_default and (tg_op = 'INSERT' or not old.is_default) then
    update public.pipelines set is_default = false
    where company_id = new.company_id and is_default and id <> new.id;
  end if;
  return new;
end
$$;
comment on function app.place_pipeline() is
  'Trigger: gives a pipeline without a position the last position. A pipeline that becomes the default replaces the '
  'earlier default. Raises PT409 when the company would have no default pipeline left.';

create function app.keep_default_pipeline() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  -- If the company is being deleted, its default pipeline may be deleted too.
  if old.is_default and exists (select from public.companies where id = old.company_id) then
    raise sqlstate 'PT409' using
      message = 'The default pipeline cannot be deleted: make another one the default first';
  end if;
  return old;
end
$$;
comment on function app.keep_default_pipeline() is
  'Trigger: raises PT409 when the default pipeline of a company would be deleted.';

create function app.place_stage() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  known_stages bigint;
  stages_in_use bigint;
begin
  perform app.lock_pipelines(new.company_id);
  if tg_op = 'UPDATE' and new.pipeline_id = old.pipeline_id then
    return new;
  end if;
  if exists (
    select from public.pipelines
    where company_id = new.company_id and id = new.pipeline_id and archived_at is not null
  ) then
    -- Callers get the same error for an archived pipeline as for an unknown pipeline.
    raise foreign_key_violation using
      message = 'insert or update on table "stages" violates foreign key constraint "stages_pipeline_fkey"',
      detail = 'The pipeline is archived', constraint = 'stages_pipeline_fkey';
  end if;
  select count(*), count(*) filter (where archived_at is null) into known_stages, stages_in_use
  from public.stages where company_id = new.company_id and pipeline_id = new.pipeline_id;
  -- The Data API returns at most 1,000 stages with a pipeline, and does not say whether there are more.
  if stages_in_use >= 100 then
    raise sqlstate 'PT409' using
      message = 'A pipeline has at most 100 stages: archive one first, or name another pipeline';
  elsif known_stages >= 1000 then
    raise sqlstate 'PT409' using
      message = 'A pipeline has at most 1000 stages, including archived ones: name another pipeline';
  end if;
  new.position := coalesce(new.position, stages_in_use);
  return new;
end
$$;
comment on function app.place_stage() is
  'Trigger: gives a stage without a position the last position in its pipeline. Raises a violation of '
  'stages_pipeline_fkey when the pipeline is archived. Raises PT409 when the pipeline has too many stages.';

create function app.add_default_pipeline() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  new_pipeline_id uuid;
begin
  insert into public.pipelines (company_id, name, position, is_default)
  values (new.id, 'Sales', 0, true)
  returning id into new_pipeline_id;

  insert into public.stages (company_id, pipeline_id, name, position)
  select new.id, new_pipeline_id, stage.name, stage.ordinality - 1
  from unnest(array['New lead', 'Qualified', 'Proposal', 'Negotiation', 'Closing'])
    with ordinality as stage (name, ordinality);
  return null;
end
$$;
comment on function app.add_default_pipeline() is 'Trigger: creates a pipeline with stages for a new company.';

create trigger companies_add_default_pipeline after insert on public.companies
  for each row execute function app.add_default_pipeline();
create trigger pipelines_note_version before update on public.pipelines
  for each row execute function app.note_version();
create trigger stages_note_version before update on public.stages
  for each row execute function app.note_version();
create trigger pipelines_lock_own before insert or update or delete on public.pipelines
  for each statement execute function app.lock_own_pipelines();
create trigger stages_lock_own before insert or update or delete on public.stages
  for each statement execute function app.lock_own_pipelines();
create trigger pipelines_keep_dense_when_added after insert on public.pipelines
  referencing new table as added for each statement execute function app.keep_pipelines_dense();
create trigger pipelines_keep_dense_when_changed after update on public.pipelines
  referencing new table as added old table as removed for each statement execute function app.keep_pipelines_dense();
create trigger pipelines_keep_dense_when_removed after delete on public.pipelines
  referencing old table as removed for each statement execute function app.keep_pipelines_dense();
create trigger stages_keep_dense_when_added after insert on public.stages
  referencing new table as added for each statement execute function app.keep_stages_dense();
create trigger stages_keep_dense_when_changed after update on public.stages
  referencing new table as added old table as removed for each statement execute function app.keep_stages_dense();
create trigger stages_keep_dense_when_removed after delete on public.stages
  referencing old table as removed for each statement execute function app.keep_stages_dense();
create trigger pipelines_place before insert or update on public.pipelines
  for each row execute function app.place_pipeline();
create trigger pipelines_keep_default before delete on public.pipelines
  for each row execute function app.keep_default_pipeline();
create trigger stages_place before insert or update on public.stages
  for each row execute function app.place_stage();

alter table public.pipelines enable row level security;
create policy "a key reads its company's pipelines" on public.pipelines
  for select to api_client using (company_id = (select app.company_id('read')));
create policy "people read their company's pipelines" on public.pipelines
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "people add pipelines to their company" on public.pipelines
  for insert to authenticated with check (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "people change their company's pipelines" on public.pipelines
  for update to authenticated
  using (company_id = any ((select app.member_company_ids())::uuid[]))
  with check (company_id = any ((select app.member_company_ids())::uuid[]));
alter table public.stages enable row level security;
create policy "a key reads its company's stages" on public.stages
  for select to api_client using (company_id = (select app.company_id('read')));
create policy "people read their company's stages" on public.stages
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "people add stages to their company" on public.stages
  for insert to authenticated with check (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "people change their company's stages" on public.stages
  for update to authenticated
  using (company_id = any ((select app.member_company_ids())::uuid[]))
  with check (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "owners and admins delete their company's pipelines" on public.pipelines
  for delete to authenticated using (company_id = any ((select app.managed_company_ids())::uuid[]));
create policy "owners and admins delete their company's stages" on public.stages
  for delete to authenticated using (company_id = any ((select app.managed_company_ids())::uuid[]));

grant select on public.pipelines to api_client;
grant select, delete on public.pipelines to authenticated;
grant insert (company_id, name, position, is_default) on public.pipelines to authenticated;
grant update (name, position, is_default, archived_at) on public.pipelines to authenticated;
grant select, insert, update, delete on public.pipelines to service_role;
grant select on public.stages to api_client;
grant select, delete on public.stages to authenticated;
grant insert (company_id, pipeline_id, name, position) on public.stages to authenticated;
grant update (pipeline_id, name, position, archived_at) on public.stages to authenticated;
grant select, insert, update, delete on public.stages to service_role;
