-- A batch leaves archived records as they are: to change one is a 404, as for a single one, and an item that would
-- begin a deal with an archived contact fails by itself.

create or replace function app.patch_contacts_at_once(own_company_id uuid, items jsonb[]) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  ids uuid[];
begin
  perform app.lock_contacts_to_patch(own_company_id, items);
  select array_agg(contacts.id order by place) into ids
  from unnest(items) with ordinality as given (item, place)
  left join public.contacts on company_id = own_company_id and id = (item ->> 'id')::uuid and archived_at is null;

  -- Whether a phone is free when its turn comes depends on the order.
  if exists (
    select from unnest(ids, items) as given (id, item)
    cross join lateral app.phone_key(item ->> 'phone') as own (key)
    left join public.contacts as owner on owner.company_id = own_company_id and owner.phone_key = own.key
    where given.id is not null
    group by own.key
    having count(distinct given.id) > 1 and own.key is not null or bool_or(owner.id <> given.id)
  ) then
    raise unique_violation using
      message = 'a phone is another contact''s, or is given to several', constraint = 'contacts_one_per_phone';
  end if;
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
    select id, archived_at is not null as is_archived from public.contacts
    where company_id = own_company_id and id = any (array(select contact_id from given))
    order by id for key share
  ), known_stages as materialized (
    select id from public.stages
    where company_id = own_company_id and id = any (array(select stage_id from given)) and archived_at is null
    order by id for key share
  ), judged as materialized (
    select given.*, case
      when contact_id not in (select id from known_contacts) then 'deals_contact_fkey'
      when contact_id in (select id from known_contacts where is_archived) then 'deals_contact_not_archived'
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

create or replace function app.patch_deals(own_company_id uuid, items jsonb[]) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  -- In order of the ids, so that two batches never wait for each other.
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
