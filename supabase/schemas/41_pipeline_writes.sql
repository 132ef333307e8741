-- Functions that add, change and archive pipelines and stages.
--
-- A pipeline or a stage can be archived only when it has no deals. No deal can enter an archived pipeline or stage.
-- Both rules hold even if a deal is added or moved while the stage is being archived. A transaction that adds or moves
-- a deal locks the new stage of the deal, and a transaction that archives the stage waits for that lock. An archived
-- row remains archived and keeps its pipeline, because the deal history refers to the row. API keys use these functions
-- for writes. Each function first acquires the lock on the company's pipelines, so simultaneous calls for a company run
-- one after the other. Each function returns the row with its final position.

create function app.refuse_archived_change(
  kind text, of_company_id uuid, was_archived boolean, is_archived boolean, is_moved boolean
) returns void
language plpgsql stable security definer
set search_path = ''
as $$
begin
  if was_archived and (not is_archived or is_moved) then
    raise sqlstate 'PT409' using message = format('An archived %s stays archived and cannot be moved', kind);
  end if;
  -- Only owners and admins may delete pipelines and stages, so other users may not archive them.
  if is_archived and not was_archived and current_setting('role', true) = 'authenticated'
    and of_company_id <> all (app.managed_company_ids()) then
    raise sqlstate 'PT403' using message = format('Only owners and admins of a company archive its %ss', kind);
  end if;
end
$$;
comment on function app.refuse_archived_change(text, uuid, boolean, boolean, boolean) is
  'Raises PT409 when a statement would restore or move an archived row. Raises PT403 when a user who does not manage '
  'the company tries to archive a row.';

create function app.pipeline_json(pipeline public.pipelines) returns json
language sql stable
set search_path = ''
as $$
  select json_build_object(
    'id', pipeline.id, 'company_id', pipeline.company_id, 'name', pipeline.name, 'position', pipeline.position,
    'is_default', pipeline.is_default, 'archived_at', pipeline.archived_at,
    'created_at', pipeline.created_at, 'updated_at', pipeline.updated_at, 'version', pipeline.version::text
  )
$$;
comment on function app.pipeline_json(public.pipelines) is 'Returns a pipeline in the format of the API.';

create function app.stage_json(stage public.stages) returns json
language sql stable
set search_path = ''
as $$
  select json_build_object(
    'id', stage.id, 'company_id', stage.company_id, 'pipeline_id', stage.pipeline_id, 'name', stage.name,
    'position', stage.position, 'archived_at', stage.archived_at,
    'created_at', stage.created_at, 'updated_at', stage.updated_at, 'version', stage.version::text
  )
$$;
comment on function app.stage_json(public.stages) is 'Returns a stage in the format of the API.';

create function public.add_pipeline(pipeline jsonb, idempotency jsonb default null) returns json
language plpgsql security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('write');
  earlier constant jsonb := app.claim_idempotency_key(own_company_id, idempotency);
  written_id uuid := earlier ->> 'id';
begin
  if earlier is null then
    perform app.lock_pipelines(own_company_id);
    insert into public.pipelines (company_id, name, position, is_default)
    values (
      own_company_id, pipeline ->> 'name', (pipeline ->> 'position')::integer,
      coalesce((pipeline ->> 'is_default')::boolean, false)
    )
    returning id into written_id;
    perform app.keep_outcome(own_company_id, idempotency, jsonb_build_object('id', written_id));
  end if;
  return json_build_object(
    'replayed', earlier is not null,
    'data', (
      select app.pipeline_json(pipelines) from public.pipelines
      where company_id = own_company_id and id = written_id
    )
  );
end
$$;
comment on function public.add_pipeline(jsonb, jsonb) is
  'Adds a pipeline { name, position?, is_default? } to the key''s company and returns { replayed, data }. The field '
  '`data` is null when the request is a repeat and the pipeline was deleted. Needs a write token. Raises the errors of '
  'app.company_id() and app.claim_idempotency_key().';
grant execute on function public.add_pipeline(jsonb, jsonb) to api_client;

create function public.change_pipeline(pipeline_id uuid, changes jsonb) returns json
language plpgsql security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('write');
  stored public.pipelines;
begin
  perform app.lock_pipelines(own_company_id);
  select * into stored from public.pipelines where company_id = own_company_id and id = pipeline_id;
  if not found then
    return json_build_object('result', 'not_found');
  end if;
  perform app.require_version(stored.version, (changes ->> 'version')::bigint);
  if stored.archived_at is not null then
    return json_build_object('result', 'archived');
  end if;
  if stored.is_default and not (changes ->> 'is_default')::boolean then
    return json_build_object('result', 'default');
  end if;
  update public.pipelines set
    name = coalesce(changes ->> 'name', name),
    position = coalesce((changes ->> 'position')::integer, position),
    is_default = coalesce((changes ->> 'is_default')::boolean, is_default)
  where id = stored.id;
  return json_build_object('result', 'written', 'data', (
    select app.pipeline_json(pipelines) from public.pipelines where id = stored.id
  ));
end
$$;
comment on function public.change_pipeline(uuid, jsonb) is
  'Changes a pipeline of the key''s company: { name?, position?, is_default?, version? }. Needs a write token. The '
  'result is `written` (with data), `not_found`, `archived` or `default`. The result `default` means that the company '
  'would have no default pipeline left. Raises PT412 as app.require_version() does.';
grant execute on function public.change_pipeline(uuid, jsonb) to api_client;

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
    -- This statement waits for transactions that add deals to one of the stages or move deals there.
    perform from public.stages where company_id = old.company_id and pipeline_id = old.id order by id for update;
    if exists (
      select from public.deals join public.stages on stages.company_id = deals.company_id and stages.id = deals.stage_id
      where stages.company_id = old.company_id and stages.pipeline_id = old.id
    ) then
      raise sqlstate 'PT409' using
        message = 'The pipeline has deals, possibly archived ones: first move them to another pipeline with DELETE '
          '/stages/{id}?move_deals_to=';
    end if;
    update public.stages set archived_at = now()
    where company_id = old.company_id and pipeline_id = old.id and archived_at is null;
    new.archived_at := now();
  end if;
  return new;
end
$$;
comment on function app.archive_pipeline() is
  'Trigger: when a pipeline is archived, also archives its stages, and sets archived_at to the current time. Raises '
  'PT409 when the pipeline is the default pipeline or has deals. Raises PT409 and PT403 as '
  'app.refuse_archived_change() does.';

create function public.archive_pipeline(pipeline_id uuid, version bigint default null) returns text
language plpgsql security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('write');
  stored public.pipelines;
begin
  perform app.lock_pipelines(own_company_id);
  select * into stored from public.pipelines where company_id = own_company_id and id = pipeline_id;
  if not found then
    return 'not_found';
  end if;
  if stored.archived_at is not null then
    return 'archived';
  end if;
  perform app.require_version(stored.version, archive_pipeline.version);
  update public.pipelines set archived_at = now() where id = stored.id;
  return 'archived';
end
$$;
comment on function public.archive_pipeline(uuid, bigint) is
  'Archives a pipeline of the key''s company, and the stages of the pipeline. Needs a write token. Returns `archived`, '
  'even if the pipeline was already archived. Returns `not_found` for an unknown pipeline. Raises PT409 as '
  'app.archive_pipeline() does. Raises PT412 when the pipeline has another version.';
grant execute on function public.archive_pipeline(uuid, bigint) to api_client;

create function public.add_stage(stage jsonb, idempotency jsonb default null) returns json
language plpgsql security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('write');
  earlier constant jsonb := app.claim_idempotency_key(own_company_id, idempotency);
  written_id uuid := earlier ->> 'id';
begin
  if earlier is null then
    perform app.lock_pipelines(own_company_id);
    insert into public.stages (company_id, pipeline_id, name, position)
    values (own_company_id, (stage ->> 'pipeline_id')::uuid, stage ->> 'name', (stage ->> 'position')::integer)
    returning id into written_id;
    perform app.keep_outcome(own_company_id, idempotency, jsonb_build_object('id', written_id));
  end if;
  return json_build_object(
    'replayed', earlier is not null,
    'data', (
      select app.stage_json(stages) from public.stages where company_id = own_company_id and id = written_id
    )
  );
end
$$;
comment on function public.add_stage(jsonb, jsonb) is
  'Adds a stage { pipeline_id, name, position? } to the key''s company and returns { replayed, data }. The field '
  '`data` is null when the request is a repeat and the stage was deleted. Needs a write token. Violates '
  'stages_pipeline_fkey if the pipeline is archived or belongs to another company. Raises the errors of '
  'app.company_id() and app.claim_idempotency_key().';
grant execute on function public.add_stage(jsonb, jsonb) to api_client;

create function public.change_stage(stage_id uuid, changes jsonb) returns json
language plpgsql security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('write');
  stored public.stages;
begin
  perform app.lock_pipelines(own_company_id);
  select * into stored from public.stages where company_id = own_company_id and id = stage_id;
  if not found then
    return json_build_object('result', 'not_found');
  end if;
  perform app.require_version(stored.version, (changes ->> 'version')::bigint);
  if stored.archived_at is not null then
    return json_build_object('result', 'archived');
  end if;
  update public.stages set
    pipeline_id = coalesce((changes ->> 'pipeline_id')::uuid, pipeline_id),
    name = coalesce(changes ->> 'name', name),
    position = coalesce((changes ->> 'position')::integer, position)
  where id = stored.id;
  return json_build_object('result', 'written', 'data', (
    select app.stage_json(stages) from public.stages where id = stored.id
  ));
end
$$;
comment on function public.change_stage(uuid, jsonb) is
  'Changes a stage of the key''s company: { pipeline_id?, name?, position?, version? }. Needs a write token. The '
  'result is `written` (with data), `not_found` or `archived`. Violates stages_pipeline_fkey as add_stage() does. '
  'Raises PT412 as app.require_version() does.';
grant execute on function public.change_stage(uuid, jsonb) to api_client;

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
    -- This statement waits for transactions that add deals to the stage or move deals there.
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
  'Trigger: when a stage is archived, sets archived_at to the current time. Raises PT409 when the stage has deals. '
  'Raises PT409 and PT403 as app.refuse_archived_change() does.';

-- A stage may be archived while batches change its deals. A batch locks the deals first and then their stages, so this
-- function acquires its locks in the same order. In the opposite order, a deadlock could abort one of the two
-- transactions.
create function public.archive_stage(
  stage_id uuid, move_deals_to uuid default null, version bigint default null
) returns text
language plpgsql security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('write');
  stored public.stages;
begin
  perform app.lock_pipelines(own_company_id);
  if move_deals_to is not null then
    perform from public.deals where company_id = own_company_id and deals.stage_id = archive_stage.stage_id
    order by id for no key update;
  end if;
  -- This statement waits for transactions that add deals to the stage or move deals there. The update below then moves
  -- the deals of those transactions too.
  select * into stored from public.stages where company_id = own_company_id and id = archive_stage.stage_id for update;
  if not found then
    return 'not_found';
  end if;
  if stored.archived_at is not null then
    return 'archived';
  end if;
  perform app.require_version(stored.version, archive_stage.version);
  if move_deals_to = stored.id then
    return 'same_stage';
  end if;
  if move_deals_to is not null and not exists (
    select from public.stages where company_id = own_company_id and id = move_deals_to and archived_at is null
  ) then
    return 'unknown_stage';
  end if;
  if move_deals_to is not null then
    with moved as materialized (
      select id from public.deals
      where company_id = own_company_id and deals.stage_id = stored.id
      -- All functions lock deals in the order of their ids.
      order by id for no key update
    )
    update public.deals set stage_id = move_deals_to from moved where deals.id = moved.id;
  elsif exists (select from public.deals where company_id = own_company_id and deals.stage_id = stored.id) then
    return 'has_deals';
  end if;
  update public.stages set archived_at = now() where id = stored.id;
  return 'archived';
end
$$;
comment on function public.archive_stage(uuid, uuid, bigint) is
  'Archives a stage of the key''s company, after moving its deals to the stage move_deals_to. Needs a write token. '
  'Returns `archived`, even if the stage was already archived. Returns `not_found` for an unknown stage. Returns '
  '`has_deals` when the stage has deals and move_deals_to is null. Returns `same_stage` or `unknown_stage` when the '
  'deals cannot be moved to move_deals_to. Raises PT412 when the stage has another version.';
grant execute on function public.archive_stage(uuid, uuid, bigint) to api_client;

create trigger stages_archive before update on public.stages
  for each row when (old.archived_at is not null or new.archived_at is not null)
  execute function app.archive_stage();
create trigger pipelines_archive before update on public.pipelines
  for each row when (old.archived_at is not null or new.archived_at is not null)
  execute function app.archive_pipeline();
