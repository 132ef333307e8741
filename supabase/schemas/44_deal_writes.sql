-- API keys use these functions to add and change one or more deals per call. A batch cannot change archived deals, and
-- cannot move deals into an archived stage. If an item tries to do so, only that item fails.

create function app.deal_json(deal public.deals) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'id', deal.id,
    'company_id', deal.company_id,
    'external_id', deal.external_id,
    'title', deal.title,
    'value', deal.value,
    'status', deal.status,
    'contact_id', deal.contact_id,
    'stage_id', deal.stage_id,
    'won_at', deal.won_at,
    'lost_at', deal.lost_at,
    'stage_changed_at', deal.stage_changed_at,
    'archived_at', deal.archived_at,
    'created_at', deal.created_at,
    'updated_at', deal.updated_at,
    'version', deal.version::text
  );
end
$$;
comment on function app.deal_json(public.deals) is 'Returns a deal in the format of the API.';

create function app.deals_of_external_ids(own_company_id uuid, external_ids text[]) returns uuid[]
language plpgsql stable
set search_path = ''
as $$
begin
  return array(
    -- Each id has its own subquery, because the plan of a join may read all rows of the company.
    select (
      select id from public.deals
      where company_id = own_company_id and external_id = given.own_id and archived_at is null
    )
    from unnest(external_ids) with ordinality as given (own_id, place)
    order by place
  );
end
$$;
comment on function app.deals_of_external_ids(uuid, text[]) is
  'Returns the deal for each external_id. Returns null for an external_id that no deal has, or that only archived '
  'deals have.';

create function public.deal_id_by_external_id(external_id text) returns uuid
language sql stable security definer
set search_path = ''
as $$
  select (app.deals_of_external_ids(
    (select app.company_id('write')), array[deal_id_by_external_id.external_id]
  ))[1]
$$;
comment on function public.deal_id_by_external_id(text) is
  'Returns the deal of the key''s company that has this external_id and is not archived. Returns null when no such '
  'deal exists. Needs a write token.';
grant execute on function public.deal_id_by_external_id(text) to api_client;

-- app.add_deals() refuses a deal for a merged contact, and the result contains the surviving contact's id. A repeat of
-- the request gets the same result. When a contact's person is erased, the idempotency keys of requests about the
-- contact are erased too. So the result of a refused item contains the ids of the item's records, in the member
-- `about`. app.with_deal_rows() leaves this member out.
create function app.add_deals(own_company_id uuid, items jsonb[]) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  results jsonb;
begin
  with given as materialized (
    select
      place, item, gen_random_uuid() as id, (item ->> 'contact_id')::uuid as contact_id,
      (item ->> 'stage_id')::uuid as stage_id
    from unnest(items) with ordinality as given (item, place)
  -- A locked row cannot be deleted. So if the contact and the stage of an item exist here, the item cannot violate a
  -- foreign key below. The rows are locked in the order of their ids, so two batches cannot cause a deadlock.
  ), known_contacts as materialized (
    select id, archived_at, erased_at from public.contacts
    where company_id = own_company_id and id = any (array(select contact_id from given))
    order by id for key share
  ), known_stages as materialized (
    select id from public.stages
    where company_id = own_company_id and id = any (array(select stage_id from given)) and archived_at is null
    order by id for key share
  ), judged as materialized (
    select given.*, case
      when contact_id not in (select id from known_contacts) then 'deals_contact_fkey'
      when contact_id in (select id from known_contacts where erased_at is not null) then 'deals_contact_not_erased'
      when contact_id in (select id from known_contacts where archived_at is not null) then 'deals_contact_not_archived'
      when stage_id not in (select id from known_stages) then 'deals_stage_fkey'
    end as broken
    from given
  ), added as (
    insert into public.deals (id, company_id, external_id, title, value, contact_id, stage_id)
    select
      id, own_company_id, item ->> 'external_id', item ->> 'title', (item ->> 'value')::numeric, contact_id, stage_id
    from judged
    where broken is null
    -- Because of this order, two batches that add the same deals cannot cause a deadlock.
    order by item ->> 'external_id', place
  )
  select coalesce(
    jsonb_agg(
      case
        when broken is null then jsonb_build_object('status', 201, 'id', id)
        when survivor is not null then jsonb_build_object('status', 409, 'existing_id', survivor, 'merged', true)
        else jsonb_build_object('status', 422, 'constraint', broken, 'about', contact_id)
      end
      order by place
    ),
    '[]'
  )
  into results
  from judged
  cross join lateral (
    select case when broken = 'deals_contact_fkey' then app.survivor_of(own_company_id, contact_id) end
  ) as merged (survivor);
  return results;
end
$$;
comment on function app.add_deals(uuid, jsonb[]) is
  'Adds a deal for each item { title, contact_id, stage_id, value?, external_id? }, and returns the results. Raises a '
  'violation of deals_one_per_external_id when another deal has the external_id of an item.';

create function app.patch_deals_at_once(own_company_id uuid, items jsonb[]) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  -- The deals are locked in the order of their ids, so two batches cannot cause a deadlock.
  known_deals constant uuid[] := array(
    select id from public.deals
    where company_id = own_company_id
      and id = any (array(select (item ->> 'id')::uuid from unnest(items) as given (item)))
      and archived_at is null
    order by id for no key update
  );
  known_stages constant uuid[] := array(
    select id from public.stages
    where company_id = own_company_id
      and id = any (array(select (item ->> 'stage_id')::uuid from unnest(items) as given (item)))
      and archived_at is null
    order by id for key share
  );
  results jsonb;
  -- The items of one round: at most one item for each deal, in the order of the items.
  apart jsonb[];
  written uuid[];
  changed uuid[] := '{}';
begin
  -- If an external_id moves between deals, the order of the items matters. So this function raises an error, and
  -- app.patch_deals() then writes the items one by one.
  if exists (select from unnest(items) as item where item ? 'external_id') and exists (
    select from unnest(items) as item
    where item ->> 'external_id' is not null and (item ->> 'id')::uuid = any (known_deals)
    group by item ->> 'external_id'
    having count(distinct (item ->> 'id')::uuid) > 1 or bool_or(
      (app.deals_of_external_ids(own_company_id, array[item ->> 'external_id']))[1] <> (item ->> 'id')::uuid
    )
  ) then
    raise unique_violation using
      message = 'another deal has the external_id of an item, or several deals would get the same external_id',
      constraint = 'deals_one_per_external_id';
  end if;
  select jsonb_agg(
    case
      when not coalesce((item ->> 'id')::uuid = any (known_deals), false) then '{"status": 404}' || coalesce(
        (
          select '{"reason": "archived"}'::jsonb from public.deals
          where company_id = own_company_id and id = (item ->> 'id')::uuid
        ),
        '{}'
      )
      when item ? 'stage_id' and (item ->> 'stage_id')::uuid <> all (known_stages)
        then jsonb_build_object('status', 422, 'constraint', 'deals_stage_fkey', 'about', (item ->> 'id')::uuid)
      else jsonb_build_object('status', 200, 'id', (item ->> 'id')::uuid)
    end
    order by place
  )
  into results
  from unnest(items) with ordinality as given (item, place);

  for apart in
    select array_agg(item order by place)
    from (
      select app.fields_in_turn(jsonb_agg(item order by place), 'update') as item, min(place) as place, round
      from (
        select
          item, place, result ->> 'id' as id,
          -- Each change of the stage or the status adds an entry to the history, so each such change has its own round.
          -- A change of other fields is written in the same round as the previous change of the stage or the status.
          greatest(1, count(*) filter (where item ?| '{stage_id,status}') over (
            partition by result ->> 'id' order by place
          )) as round
        from unnest(items) with ordinality as given (item, place)
        join jsonb_array_elements(results) with ordinality as judged (result, place) using (place)
        where result ? 'id'
      ) as good
      group by id, round
    ) as settled
    group by round
    order by round
  loop
    with changes as (
      update public.deals set
        external_id = case when item ? 'external_id' then item ->> 'external_id' else external_id end,
        title = case when item ? 'title' then item ->> 'title' else title end,
        value = case when item ? 'value' then (item ->> 'value')::numeric else value end,
        status = case when item ? 'status' then item ->> 'status' else status end,
        stage_id = case when item ? 'stage_id' then (item ->> 'stage_id')::uuid else stage_id end
      from unnest(apart) as given (item)
      -- The variable known_deals contains only deals of the company. The condition has only the id, so that the planner
      -- can choose only one index.
      where deals.id = (item ->> 'id')::uuid
        -- An unchanged row gets no new version.
        and (
          item ? 'external_id' and item ->> 'external_id' is distinct from external_id
          or item ? 'title' and item ->> 'title' is distinct from title
          or item ? 'value' and (item ->> 'value')::numeric is distinct from value
          or item ? 'status' and item ->> 'status' is distinct from status
          or item ? 'stage_id' and (item ->> 'stage_id')::uuid is distinct from stage_id
        )
      returning deals.id
    )
    select array_agg(id) into written from changes;
    changed := changed || written;
  end loop;
  return coalesce(
    (
      select jsonb_agg(
        case
          when result ? 'id' and (result ->> 'id')::uuid <> all (changed) then result || '{"status": 304}' else result
        end
        order by place
      )
      from jsonb_array_elements(results) with ordinality as judged (result, place)
    ),
    '[]'
  );
end
$$;
comment on function app.patch_deals_at_once(uuid, jsonb[]) is
  'Writes all items, as app.patch_deals() does. If an item has the external_id of another deal, raises a violation of '
  'deals_one_per_external_id and writes nothing.';

create function app.patch_deals(own_company_id uuid, items jsonb[]) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  results jsonb[] := '{}';
  result jsonb;
  item jsonb;
begin
  return app.patch_deals_at_once(own_company_id, items);
exception when unique_violation then
  perform from public.deals
  where company_id = own_company_id and id = any (array(select (given ->> 'id')::uuid from unnest(items) as given))
  order by id for no key update;
  foreach item in array items loop
    result := null;
    -- The result remains null if the deal that had the external_id no longer exists. The loop then retries the item.
    while result is null loop
      begin
        result := app.patch_deals_at_once(own_company_id, array[item]) -> 0;
      exception when unique_violation then
        result := app.conflict_of_deal(own_company_id, item);
      end;
    end loop;
    results := results || result;
  end loop;
  return to_jsonb(results);
end
$$;
comment on function app.patch_deals(uuid, jsonb[]) is
  'Changes a deal for each item { id, external_id?, title?, value?, status?, stage_id? }, in the order of the items, '
  'and returns the results. An omitted field keeps its value. Several items for the same deal are written together, '
  'but each change of its stage or status is written separately. The result is { status: 200, id } for a changed deal, '
  'and { status: 304, id } for a deal that already had the values of the items. The result is { status: 404 } when the '
  'company has no such deal, and { status: 404, reason: archived } for an archived deal.';

create function app.conflict_of_deal(own_company_id uuid, item jsonb) returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object('status', 409, 'existing_id', holder, 'field', 'external_id')
  from unnest(app.deals_of_external_ids(own_company_id, array[item ->> 'external_id'])) as holder
  where holder is not null
$$;
comment on function app.conflict_of_deal(uuid, jsonb) is
  'If another deal already has the item''s external_id, returns the result { status: 409, existing_id, field }. '
  'Otherwise returns null.';

create function public.patch_deals(items jsonb[], atomic boolean default false) returns json
-- Security definer, so that the function checks the key only once. Under the policies, each statement would check the
-- key again.
language plpgsql security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('write');
  results jsonb;
begin
  begin
    results := app.patch_deals(own_company_id, items);
    perform app.require_all(results, atomic);
  exception when sqlstate 'CRM01' then
    return app.undone(results);
  end;
  return app.with_deal_rows(own_company_id, results, false);
end
$$;
comment on function public.patch_deals(jsonb[], boolean) is
  'Changes deals of the key''s company, and returns what public.write_deals() returns.';
grant execute on function public.patch_deals(jsonb[], boolean) to api_client;

create function app.with_deal_rows(own_company_id uuid, results jsonb, replayed boolean) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    with given as materialized (
      select place, result, (result ->> 'id')::uuid as id
      from jsonb_array_elements(results) with ordinality as given (result, place)
    ), found as materialized (
      -- The condition uses an array, so the plan uses the index even if the planner expects many results.
      select id, app.deal_json(deals) as data from public.deals
      where company_id = own_company_id and id = any (array(select id from given))
    )
    select json_build_object(
      'replayed', replayed, 'undone', false, 'without_custom_fields', false, 'results',
      coalesce(
        jsonb_agg(
          case
            when id is null then result - 'about'
            when data is null then '{"status": 404}'
            else result || jsonb_build_object('data', data)
          end
          order by place
        ),
        '[]'
      )
    )
    from given
    left join found using (id)
  );
end
$$;
comment on function app.with_deal_rows(uuid, jsonb, boolean) is
  'Returns the result of a write: { replayed, undone, without_custom_fields, results }. Each successful result '
  'contains the current deal. If the deal no longer exists, the result is { "status": 404 }.';

create function public.write_deals(
  items jsonb[], atomic boolean default false, idempotency jsonb default null, on_conflict text default 'fail'
) returns json
-- Security definer, because a key may not write idempotency keys. The policies do not apply to this function, so the
-- function itself writes only rows of the key's company.
language plpgsql security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('write');
  results jsonb;
  is_replayed boolean;
begin
  begin
    results := app.claim_idempotency_key(own_company_id, idempotency);
    is_replayed := results is not null;
    if not is_replayed then
      results := app.put_deals(own_company_id, items, on_conflict);
      perform app.require_all(results, atomic);
      perform app.keep_outcome(own_company_id, idempotency, results);
    end if;
  exception when sqlstate 'CRM01' then
    return app.undone(results);
  end;
  return app.with_deal_rows(own_company_id, results, is_replayed);
end
$$;
comment on function public.write_deals(jsonb[], boolean, jsonb, text) is
  'Writes deals of the key''s company, as app.put_deals() does. Returns { replayed, undone, without_custom_fields, '
  'results }. Each successful result contains the deal in the field `data`. If `atomic` is true and an item fails, the '
  'function writes no deal, and `undone` is true. A repeat with the same Idempotency-Key returns the deals that the '
  'first request wrote.';
grant execute on function public.write_deals(jsonb[], boolean, jsonb, text) to api_client;
