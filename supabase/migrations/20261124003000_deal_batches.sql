-- Deals are written one or many at a time by functions, so that a batch costs one round trip, names what is wrong with
-- each item, and is done once for each Idempotency-Key.
--
-- Results are one per item, in order: { "status": 201 | 200, "id" }, { "status": 404 }, or
-- { "status": 422, "constraint" } with the constraint that the item would break.

create function app.deal_json(deal public.deals) returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object(
    'id', deal.id,
    'company_id', deal.company_id,
    'title', deal.title,
    'value', deal.value,
    'status', deal.status,
    'contact_id', deal.contact_id,
    'stage_id', deal.stage_id,
    'created_at', deal.created_at,
    'updated_at', deal.updated_at,
    'version', deal.version::text
  )
$$;
comment on function app.deal_json(public.deals) is 'A deal as keys read it.';

create function app.add_deals(own_company_id uuid, items jsonb[]) returns jsonb
language sql
set search_path = ''
as $$
  with given as materialized (
    select
      place, item, gen_random_uuid() as id, (item ->> 'contact_id')::uuid as contact_id,
      (item ->> 'stage_id')::uuid as stage_id
    from unnest(items) with ordinality as given (item, place)
  -- A reference to a row that is locked holds, so no item breaks the statement for the others. Locked in order of the
  -- ids, so that two batches never wait for each other.
  ), known_contacts as materialized (
    select id from public.contacts
    where company_id = own_company_id and id = any (array(select contact_id from given))
    order by id for key share
  ), known_stages as materialized (
    select id from public.stages
    where company_id = own_company_id and id = any (array(select stage_id from given))
    order by id for key share
  ), judged as materialized (
    select given.*, case
      when contact_id not in (select id from known_contacts) then 'deals_contact_fkey'
      when stage_id not in (select id from known_stages) then 'deals_stage_fkey'
    end as broken
    from given
  ), added as (
    insert into public.deals (id, company_id, title, value, contact_id, stage_id)
    select id, own_company_id, item ->> 'title', (item ->> 'value')::numeric, contact_id, stage_id
    from judged
    where broken is null
    order by place
  )
  select coalesce(
    jsonb_agg(
      case
        when broken is null then jsonb_build_object('status', 201, 'id', id)
        else jsonb_build_object('status', 422, 'constraint', broken)
      end
      order by place
    ),
    '[]'
  )
  from judged
$$;
comment on function app.add_deals(uuid, jsonb[]) is
  'Adds a deal for each item { title, contact_id, stage_id, value? }, and answers the results.';

create function app.patch_deals(own_company_id uuid, items jsonb[]) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  -- In order of the ids, so that two batches never wait for each other.
  known_deals constant uuid[] := array(
    select id from public.deals
    where company_id = own_company_id
      and id = any (array(select (item ->> 'id')::uuid from unnest(items) as given (item)))
    order by id for no key update
  );
  known_stages constant uuid[] := array(
    select id from public.stages
    where company_id = own_company_id
      and id = any (array(select (item ->> 'stage_id')::uuid from unnest(items) as given (item)))
    order by id for key share
  );
  results jsonb;
  -- Of each deal one item, in the order of the items.
  apart jsonb[];
begin
  select jsonb_agg(
    case
      when not coalesce((item ->> 'id')::uuid = any (known_deals), false) then '{"status": 404}'
      when item ? 'stage_id' and (item ->> 'stage_id')::uuid <> all (known_stages)
        then '{"status": 422, "constraint": "deals_stage_fkey"}'
      else jsonb_build_object('status', 200, 'id', (item ->> 'id')::uuid)
    end
    order by place
  )
  into results
  from unnest(items) with ordinality as given (item, place);

  for apart in
    select array_agg(item order by place)
    from (
      select item, place, row_number() over (partition by result ->> 'id' order by place) as round
      from unnest(items) with ordinality as given (item, place)
      join jsonb_array_elements(results) with ordinality as judged (result, place) using (place)
      where result ? 'id'
    ) as good
    group by round
    order by round
  loop
    update public.deals set
      title = case when item ? 'title' then item ->> 'title' else title end,
      value = case when item ? 'value' then (item ->> 'value')::numeric else value end,
      status = case when item ? 'status' then item ->> 'status' else status end,
      stage_id = case when item ? 'stage_id' then (item ->> 'stage_id')::uuid else stage_id end
    from unnest(apart) as given (item)
    where deals.company_id = own_company_id and deals.id = (item ->> 'id')::uuid;
  end loop;
  return coalesce(results, '[]');
end
$$;
comment on function app.patch_deals(uuid, jsonb[]) is
  'Changes a deal for each item { id, title?, value?, status?, stage_id? }, in the order of the items, and answers the '
  'results. A field that is left out keeps its value.';

create function app.with_deal_rows(own_company_id uuid, results jsonb) returns jsonb
language sql stable
set search_path = ''
as $$
  with given as materialized (
    select place, result, (result ->> 'id')::uuid as id
    from jsonb_array_elements(results) with ordinality as given (result, place)
  ), found as materialized (
    -- By an array, so that the plan goes by the index whatever the planner thinks of the number of results.
    select id, app.deal_json(deals) as data from public.deals
    where company_id = own_company_id and id = any (array(select id from given))
  )
  select coalesce(
    jsonb_agg(
      case
        when id is null then result
        when data is null then '{"status": 404}'
        else result || jsonb_build_object('data', data)
      end
      order by place
    ),
    '[]'
  )
  from given
  left join found using (id)
$$;
comment on function app.with_deal_rows(uuid, jsonb) is
  'Results of a write of deals, those with an id with the deal as it is now as data; { "status": 404 } when it is '
  'gone.';

create function public.write_deals(items jsonb[], atomic boolean default false, idempotency jsonb default null)
returns jsonb
-- Security definer, because a key may not write idempotency keys. What it writes has the company of the key.
language plpgsql security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('write');
  results jsonb;
  replayed boolean;
  undone boolean := false;
begin
  begin
    results := app.claim_idempotency_key(own_company_id, idempotency);
    replayed := results is not null;
    if not replayed then
      results := app.add_deals(own_company_id, items);
      if atomic and app.has_failed(results) then
        raise sqlstate 'CRM01' using message = 'One item failed, so none is written';
      end if;
      perform app.keep_outcome(own_company_id, idempotency, results);
    end if;
  exception when sqlstate 'CRM01' then
    undone := true;
  end;
  return jsonb_build_object(
    'replayed', replayed,
    'undone', undone,
    'without_custom_fields', false,
    'results', case when undone then results else app.with_deal_rows(own_company_id, results) end
  );
end
$$;
comment on function public.write_deals(jsonb[], boolean, jsonb) is
  'Adds deals of the key''s company, and answers { replayed, undone, without_custom_fields, results } with each deal '
  'as data. With atomic, all or none (undone). For a repeat by its Idempotency-Key, the deals that the first request '
  'added.';
grant execute on function public.write_deals(jsonb[], boolean, jsonb) to api_client;

create function public.patch_deals(items jsonb[], atomic boolean default false) returns jsonb
-- Security definer as write_deals(), so that both judge the key once and not for every row.
language plpgsql security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('write');
  results jsonb;
  undone boolean := false;
begin
  begin
    results := app.patch_deals(own_company_id, items);
    if atomic and app.has_failed(results) then
      raise sqlstate 'CRM01' using message = 'One item failed, so none is written';
    end if;
  exception when sqlstate 'CRM01' then
    undone := true;
  end;
  return jsonb_build_object(
    'replayed', false,
    'undone', undone,
    'without_custom_fields', false,
    'results', case when undone then results else app.with_deal_rows(own_company_id, results) end
  );
end
$$;
comment on function public.patch_deals(jsonb[], boolean) is
  'Changes deals of the key''s company, and answers as public.write_deals() does.';
grant execute on function public.patch_deals(jsonb[], boolean) to api_client;
