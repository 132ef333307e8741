-- Keys write stages as they write pipelines. A stage with deals is archived when it is said where they go: they move in
-- one statement, and their history tells of it.

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
comment on function app.stage_json(public.stages) is 'A stage as keys read it.';

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
  'Adds a stage { pipeline_id, name, position? } to the key''s company, for a token for writing, and returns '
  '{ replayed, data }; data is null when a repeat finds the stage deleted. Breaks stages_pipeline_fkey for a pipeline '
  'that the company does not have or has archived; raises what app.company_id() and app.claim_idempotency_key() raise.';

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
  'Changes a stage of the key''s company, for a token for writing: { pipeline_id?, name?, position?, version? }. The '
  'result is written (with data), not_found, or archived. Breaks stages_pipeline_fkey as add_stage() does; raises PT412 '
  'as app.require_version() does.';

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
  -- Waits for deals that are coming into the stage; they move too.
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
      -- In the order in which others lock deals.
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
  'Archives a stage of the key''s company, for a token for writing, and returns archived, also when it is so already. '
  'Its deals move to another stage. Else not_found; has_deals when it is not said where they go; same_stage or '
  'unknown_stage when they cannot go there. Raises PT412 when the stage has another version.';

grant execute on function
  public.add_stage(jsonb, jsonb), public.change_stage(uuid, jsonb), public.archive_stage(uuid, uuid, bigint)
  to api_client;
