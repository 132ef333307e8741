-- A batch leaves archived records as they are: to change one is a 404, as for a single one, and an item that would begin a
-- deal with an archived contact fails by itself.

create or replace function app.patch_contacts_at_once(own_company_id uuid, items jsonb[]) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  ids uuid[];
begin
  with locked as (
    select id from public.contacts
    where company_id = own_company_id and id in (select (item ->> 'id')::uuid from unnest(items) as given (item))
      and archived_at is null
    order by id for no key update
  )
  select array_agg(locked.id order by place) into ids
  from unnest(items) with ordinality as given (item, place)
  left join locked on locked.id = (item ->> 'id')::uuid;

  perform app.change_contacts(own_company_id, ids, items, 'patch');
  return coalesce(
    (
      select jsonb_agg(
        case
          when id is null then jsonb_build_object('status', 404)
          else jsonb_build_object('status', 200, 'id', id)
        end
        order by place
      )
      from unnest(ids) with ordinality as given (id, place)
    ),
    '[]'
  );
end
$$;

create or replace function app.add_deals(own_company_id uuid, items jsonb[]) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  -- A reference to a row that is locked holds, so no item breaks the statement for the others. Locked in order of the
  -- ids, so that two batches never wait for each other.
  known_contacts constant uuid[] := array(
    select id from public.contacts
    where company_id = own_company_id and id in (select (item ->> 'contact_id')::uuid from unnest(items) as given (item))
    order by id for key share
  );
  archived_contacts constant uuid[] := array(
    select id from public.contacts
    where company_id = own_company_id and id = any (known_contacts) and archived_at is not null
  );
  known_stages constant uuid[] := app.lock_stages(own_company_id, items);
  results jsonb;
begin
  with given as materialized (
    select place, item, gen_random_uuid() as id, broken
    from unnest(items) with ordinality as given (item, place)
    cross join lateral (
      select case
        when (item ->> 'contact_id')::uuid <> all (known_contacts) then 'deals_contact_fkey'
        when (item ->> 'contact_id')::uuid = any (archived_contacts) then 'deals_contact_not_archived'
        when (item ->> 'stage_id')::uuid <> all (known_stages) then 'deals_stage_fkey'
      end
    ) as checked (broken)
  ), added as (
    insert into public.deals (id, company_id, title, value, contact_id, stage_id)
    select
      id, own_company_id, item ->> 'title', (item ->> 'value')::numeric, (item ->> 'contact_id')::uuid,
      (item ->> 'stage_id')::uuid
    from given
    where broken is null
    order by place
  )
  select jsonb_agg(
    case
      when broken is null then jsonb_build_object('status', 201, 'id', id)
      else jsonb_build_object('status', 422, 'constraint', broken)
    end
    order by place
  )
  into results
  from given;
  return coalesce(results, '[]');
end
$$;

create or replace function app.patch_deals(own_company_id uuid, items jsonb[]) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  -- In order of the ids, so that two batches never wait for each other.
  known_deals constant uuid[] := array(
    select id from public.deals
    where company_id = own_company_id and id in (select (item ->> 'id')::uuid from unnest(items) as given (item))
      and archived_at is null
    order by id for no key update
  );
  known_stages constant uuid[] := app.lock_stages(own_company_id, items);
  results jsonb;
  -- Of each deal one item, in the order of the items.
  apart jsonb[];
begin
  select jsonb_agg(
    case
      when not coalesce((item ->> 'id')::uuid = any (known_deals), false) then '{"status": 404}'
      when (item ->> 'stage_id')::uuid <> all (known_stages) then '{"status": 422, "constraint": "deals_stage_fkey"}'
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
