-- Pipelines and stages have dense positions, 0, 1, 2 and so on, and a company has exactly one default pipeline, whoever
-- writes: a key, a person, the platform, and any number of them at once. To write a position is to move: the others make
-- room. A pipeline or a stage that is no longer wanted is archived: deals and their history go on naming it.

alter table public.pipelines add column archived_at timestamptz;
comment on column public.pipelines.archived_at is
  'Since when the pipeline is archived: it is in no list, and its position says nothing.';
alter table public.stages add column archived_at timestamptz;
comment on column public.stages.archived_at is
  'Since when the stage is archived: it is in no list, has no deals, and its position says nothing.';

-- What there is becomes dense before anything relies on it.
update public.pipelines set position = placed.place
from (
  select id, row_number() over (partition by company_id order by position, id) - 1 as place from public.pipelines
) as placed
where pipelines.id = placed.id and pipelines.position <> placed.place;
update public.stages set position = placed.place
from (
  select id, row_number() over (partition by company_id, pipeline_id order by position, id) - 1 as place
  from public.stages
) as placed
where stages.id = placed.id and stages.position <> placed.place;
update public.pipelines set is_default = true
where position = 0 and not exists (
  select from public.pipelines as other where other.company_id = pipelines.company_id and other.is_default
);

-- Without a position, the row becomes the last one.
alter table public.pipelines alter column position drop default;
alter table public.stages alter column position drop default;

create function app.lock_pipelines(of_company_id uuid) returns void
language sql
set search_path = ''
as $$
  select pg_advisory_xact_lock(hashtextextended(format('pipelines %s', of_company_id), 0))
$$;
comment on function app.lock_pipelines(uuid) is
  'Waits until nobody else writes the pipelines and stages of a company, and keeps others from it until the transaction '
  'ends. Taken before the lock on any of their rows, so that two writers do not wait for each other.';

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
  'Trigger: takes the lock of a person''s companies before a statement looks for rows. The functions for keys take the '
  'lock themselves. The platform takes it row by row, so it may meet a deadlock, which undoes its statement.';
create trigger pipelines_lock_own before insert or update or delete on public.pipelines
  for each statement execute function app.lock_own_pipelines();
create trigger stages_lock_own before insert or update or delete on public.stages
  for each statement execute function app.lock_own_pipelines();

-- shifts tells which way a row came to its position: 1 for one that moved down the list, which goes behind the row that
-- had the position; -1 for one that moved up or was added, which goes before it.

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
      -- This very statement comes here again, with positions that are dense.
      and (
        select count(distinct position) < count(*) or max(position) <> count(*) - 1
        from public.pipelines where company_id = of_company_id and archived_at is null
      )
  ) as placed
  where pipelines.id = placed.id and pipelines.position <> placed.place;
end
$$;
comment on function app.number_pipelines(uuid, jsonb) is
  'Makes the positions of a company''s pipelines dense, where they are not. shifts are 1 or -1 by the id of a moved row.';

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
  'Makes the positions of a pipeline''s stages dense, where they are not. shifts are 1 or -1 by the id of a moved row.';

-- Security definer, as the other triggers below: they look at rows that the writer may not read, and change others.
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
  'Trigger: makes the positions of the pipelines dense that a statement added, changed or left behind.';
create trigger pipelines_keep_dense_when_added after insert on public.pipelines
  referencing new table as added for each statement execute function app.keep_pipelines_dense();
create trigger pipelines_keep_dense_when_changed after update on public.pipelines
  referencing new table as added old table as removed for each statement execute function app.keep_pipelines_dense();
create trigger pipelines_keep_dense_when_removed after delete on public.pipelines
  referencing old table as removed for each statement execute function app.keep_pipelines_dense();

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
      -- The pipeline that a stage has left.
      select id, removed.company_id, removed.pipeline_id, 0
      from removed join added using (id) where added.pipeline_id <> removed.pipeline_id
    ) as written
    group by company_id, pipeline_id;
  end if;
  return null;
end
$$;
comment on function app.keep_stages_dense() is
  'Trigger: makes the positions of the stages dense that a statement added, changed or left behind.';
create trigger stages_keep_dense_when_added after insert on public.stages
  referencing new table as added for each statement execute function app.keep_stages_dense();
create trigger stages_keep_dense_when_changed after update on public.stages
  referencing new table as added old table as removed for each statement execute function app.keep_stages_dense();
create trigger stages_keep_dense_when_removed after delete on public.stages
  referencing old table as removed for each statement execute function app.keep_stages_dense();
