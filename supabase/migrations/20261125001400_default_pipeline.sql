-- A company has exactly one default pipeline: another one takes its place, and it is neither archived nor deleted.

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
    -- The first one is the default.
    new.is_default := new.is_default or not exists (
      select from public.pipelines where company_id = new.company_id and is_default
    );
  -- The trigger itself makes another one the default.
  elsif old.is_default and not new.is_default and pg_trigger_depth() = 1 then
    raise sqlstate 'PT409' using
      message = 'A company has one default pipeline: make another one the default, and this one no longer is';
  end if;
  if new.is_default and (tg_op = 'INSERT' or not old.is_default) then
    update public.pipelines set is_default = false
    where company_id = new.company_id and is_default and id <> new.id;
  end if;
  return new;
end
$$;
comment on function app.place_pipeline() is
  'Trigger: a pipeline without a position is the last one. One that becomes the default takes the place of the one that '
  'was. Raises PT409 when the default one would be none.';
create trigger pipelines_place before insert or update on public.pipelines
  for each row execute function app.place_pipeline();

create function app.keep_default_pipeline() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  -- A company that is deleted takes its pipelines with it.
  if old.is_default and exists (select from public.companies where id = old.company_id) then
    raise sqlstate 'PT409' using
      message = 'The default pipeline cannot be deleted: make another one the default first';
  end if;
  return old;
end
$$;
comment on function app.keep_default_pipeline() is
  'Trigger: raises PT409 when the default pipeline of a company would be deleted.';
create trigger pipelines_keep_default before delete on public.pipelines
  for each row execute function app.keep_default_pipeline();

create function app.place_stage() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform app.lock_pipelines(new.company_id);
  if tg_op = 'INSERT' then
    new.position := coalesce(new.position, (
      select count(*) from public.stages
      where company_id = new.company_id and pipeline_id = new.pipeline_id and archived_at is null
    ));
  elsif new.pipeline_id = old.pipeline_id then
    return new;
  end if;
  if exists (
    select from public.pipelines
    where company_id = new.company_id and id = new.pipeline_id and archived_at is not null
  ) then
    -- The same to callers as a pipeline that there is not.
    raise foreign_key_violation using
      message = 'insert or update on table "stages" violates foreign key constraint "stages_pipeline_fkey"',
      detail = 'The pipeline is archived', constraint = 'stages_pipeline_fkey';
  end if;
  return new;
end
$$;
comment on function app.place_stage() is
  'Trigger: a stage without a position is the last one of its pipeline. Refuses an archived pipeline, as a breach of '
  'stages_pipeline_fkey.';
create trigger stages_place before insert or update on public.stages
  for each row execute function app.place_stage();
