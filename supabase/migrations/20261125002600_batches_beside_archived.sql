-- A batch leaves archived deals as they are, and moves none into an archived stage: an item that would fails by itself.

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
