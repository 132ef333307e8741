-- A pipeline or a stage is archived when it has no deals, and no deal comes into it afterwards, also when both happen at
-- once: whoever adds or moves a deal locks its stage, and whoever archives the stage waits for that lock. What is
-- archived stays so, and keeps its place, since deals and their history were in it.

create function app.refuse_archived_change(
  kind text, of_company_id uuid, was_archived boolean, is_archived boolean, is_moved boolean
) returns void
language plpgsql stable security definer
set search_path = ''
as $$
begin
  if was_archived and (not is_archived or is_moved) then
    raise sqlstate 'PT409' using message = format('An archived %s stays archived, and where it was', kind);
  end if;
  -- As deleting: owners and admins.
  if is_archived and not was_archived and current_setting('role', true) = 'authenticated'
    and of_company_id <> all (app.managed_company_ids()) then
    raise sqlstate 'PT403' using message = format('Only owners and admins of a company archive its %ss', kind);
  end if;
end
$$;
comment on function app.refuse_archived_change(text, uuid, boolean, boolean, boolean) is
  'Raises PT409 when an archived row would be brought back or moved, and PT403 when a person would archive one who may not.';

create function app.archive_stage() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform app.refuse_archived_change(
    'stage', old.company_id, old.archived_at is not null, new.archived_at is not null,
    new.position <> old.position or new.pipeline_id <> old.pipeline_id
  );
  if old.archived_at is not null then
    new.archived_at := old.archived_at;
  elsif new.archived_at is not null then
    -- Waits for deals that are coming into the stage.
    perform from public.stages where company_id = old.company_id and id = old.id for update;
    if exists (select from public.deals where company_id = old.company_id and stage_id = old.id) then
      raise sqlstate 'PT409' using message = 'The stage has deals: move them to another stage first';
    end if;
    new.archived_at := now();
  end if;
  return new;
end
$$;
comment on function app.archive_stage() is
  'Trigger: a stage is archived as of now. Raises PT409 when it has deals, or is archived and would be moved or brought '
  'back; PT403 as app.refuse_archived_change() does.';
create trigger stages_archive before update on public.stages
  for each row when (old.archived_at is not null or new.archived_at is not null)
  execute function app.archive_stage();

create function app.archive_pipeline() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform app.refuse_archived_change(
    'pipeline', old.company_id, old.archived_at is not null, new.archived_at is not null,
    new.position <> old.position or new.is_default <> old.is_default
  );
  if old.archived_at is not null then
    new.archived_at := old.archived_at;
  elsif new.archived_at is not null then
    if new.is_default then
      raise sqlstate 'PT409' using
        message = 'The default pipeline cannot be archived: make another one the default first';
    end if;
    perform from public.stages where company_id = old.company_id and pipeline_id = old.id order by id for update;
    if exists (
      select from public.deals join public.stages on stages.company_id = deals.company_id and stages.id = deals.stage_id
      where stages.company_id = old.company_id and stages.pipeline_id = old.id
    ) then
      raise sqlstate 'PT409' using
        message = 'The pipeline has deals: move them to stages of another pipeline first';
    end if;
    update public.stages set archived_at = now()
    where company_id = old.company_id and pipeline_id = old.id and archived_at is null;
    new.archived_at := now();
  end if;
  return new;
end
$$;
comment on function app.archive_pipeline() is
  'Trigger: a pipeline is archived as of now, with its stages. Raises PT409 when it is the default one or has deals, or '
  'is archived and would be moved or brought back; PT403 as app.refuse_archived_change() does.';
create trigger pipelines_archive before update on public.pipelines
  for each row when (old.archived_at is not null or new.archived_at is not null)
  execute function app.archive_pipeline();

grant update (archived_at) on public.pipelines, public.stages to authenticated;

-- Security definer, because a token for writing reads no stage.
create function app.require_stage_in_use() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  is_archived boolean;
begin
  select archived_at is not null into is_archived from public.stages
  where company_id = new.company_id and id = new.stage_id
  -- The lock that the reference takes too; it waits for whoever archives the stage, and for nobody else.
  for key share;
  if is_archived then
    raise foreign_key_violation using
      message = 'insert or update on table "deals" violates foreign key constraint "deals_stage_fkey"',
      detail = 'The stage is archived', constraint = 'deals_stage_fkey';
  end if;
  return new;
end
$$;
comment on function app.require_stage_in_use() is
  'Trigger: refuses a deal in an archived stage, as a breach of deals_stage_fkey. One that there is not is left to that.';
create trigger deals_require_stage_when_added before insert on public.deals
  for each row execute function app.require_stage_in_use();
create trigger deals_require_stage_when_moved before update of stage_id on public.deals
  for each row when (new.stage_id <> old.stage_id) execute function app.require_stage_in_use();

-- A key reads when one was archived. Reads that do not ask for what is archived leave it out, by a condition of theirs.

create or replace view public.own_pipelines as
  select
    id, company_id, name, position, is_default, created_at, updated_at,
    app.words(name) as name_words, left(coalesce(app.words(name), ''), 100) collate "C" as name_sort,
    version::text as version,
    archived_at
  from public.pipelines
  where company_id = (select app.company_id('read'));

create or replace view public.own_stages as
  select
    id, company_id, pipeline_id, name, position, created_at, updated_at,
    app.words(name) as name_words, left(coalesce(app.words(name), ''), 100) collate "C" as name_sort,
    version::text as version,
    archived_at
  from public.stages
  where company_id = (select app.company_id('read'));
