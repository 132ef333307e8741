-- Keys write pipelines by functions: they take the lock of the company's pipelines before anything else, so that fifty at
-- once wait for each other in one line, and answer the row as it is when all positions have been settled.

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
comment on function app.pipeline_json(public.pipelines) is 'A pipeline as keys read it.';

create function app.require_version(present bigint, accepted bigint) returns void
language plpgsql immutable
set search_path = ''
as $$
begin
  if present <> accepted then
    raise sqlstate 'PT412' using
      message = 'The row has another version: it has changed since that one was read', detail = present::text;
  end if;
end
$$;
comment on function app.require_version(bigint, bigint) is
  'Raises PT412, as app.note_version() does, when a row has another version than the one that is accepted; null accepts '
  'any. For a write that is decided before its row is written.';

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
  'Adds a pipeline { name, position?, is_default? } to the key''s company, for a token for writing, and returns '
  '{ replayed, data }; data is null when a repeat finds the pipeline deleted. Raises what app.company_id() and '
  'app.claim_idempotency_key() raise.';

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
  'Changes a pipeline of the key''s company, for a token for writing: { name?, position?, is_default?, version? }. The '
  'result is written (with data), not_found, archived, or default when the default one would be none. Raises PT412 as '
  'app.require_version() does.';

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
  if stored.is_default then
    return 'default';
  end if;
  -- Waits for deals that are coming into one of its stages.
  perform from public.stages
  where company_id = own_company_id and stages.pipeline_id = stored.id order by id for update;
  if exists (
    select from public.deals join public.stages on stages.company_id = deals.company_id and stages.id = deals.stage_id
    where deals.company_id = own_company_id and stages.pipeline_id = stored.id
  ) then
    return 'has_deals';
  end if;
  update public.pipelines set archived_at = now() where id = stored.id;
  return 'archived';
end
$$;
comment on function public.archive_pipeline(uuid, bigint) is
  'Archives a pipeline of the key''s company with its stages, for a token for writing, and returns archived, also when '
  'it is so already; or not_found, default, or has_deals. Raises PT412 when the pipeline has another version.';

grant execute on function
  public.add_pipeline(jsonb, jsonb), public.change_pipeline(uuid, jsonb), public.archive_pipeline(uuid, bigint)
  to api_client;
