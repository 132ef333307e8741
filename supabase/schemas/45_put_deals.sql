-- Functions that find deals by external_id, or add them.

create function app.change_known_deals(own_company_id uuid, ids uuid[], items jsonb[], on_conflict text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  refusals jsonb[];
  changes jsonb[];
  changed jsonb;
begin
  select
    array_agg(
      case
        when known.contact_id = (item ->> 'contact_id')::uuid then null
        when survivor is not null
          then jsonb_build_object('status', 409, 'existing_id', survivor, 'merged', true, 'about', id)
        else jsonb_build_object(
          'status', 422, 'constraint', 'deals_contact_kept', 'about', array[id, (item ->> 'contact_id')::uuid]
        )
      end
      order by place
    ),
    array_agg(
      jsonb_build_object('id', id) || case
        -- A deal has no arrays or objects to combine, so `merge` has the same effect as `update`.
        when on_conflict in ('update', 'merge') then item - 'contact_id'
        -- Of the fields that an item may set, only `value` can be empty in a stored deal.
        when known.value is null and values_before = 0 and item ? 'value' then jsonb_build_object('value', item -> 'value')
        else '{}'
      end
      order by place
    )
  into refusals, changes
  from (
    select
      given.id, item, place, contact_id, value,
      -- A refused item sets no value.
      count(*) filter (where item ->> 'value' is not null and contact_id = (item ->> 'contact_id')::uuid) over (
        partition by given.id order by place rows between unbounded preceding and 1 preceding
      ) as values_before
    from unnest(ids, items) with ordinality as given (id, item, place)
    cross join lateral (
      select contact_id, value from public.deals where company_id = own_company_id and deals.id = given.id offset 0
    ) as stored
  ) as known
  cross join lateral (
    select case when known.contact_id <> (item ->> 'contact_id')::uuid then
      app.survivor_of(own_company_id, (item ->> 'contact_id')::uuid)
    end
  ) as merged (survivor);

  changed := app.patch_deals(own_company_id, array(
    select change from unnest(changes, refusals) with ordinality as given (change, refusal, place)
    where refusal is null order by place
  ));
  return (
    select jsonb_agg(coalesce(refusal, changed -> (place_in_changed - 1)::integer) order by place)
    from (
      select refusal, place, count(*) filter (where refusal is null) over (order by place) as place_in_changed
      from unnest(refusals) with ordinality as given (refusal, place)
    ) as judged
  );
end
$$;
comment on function app.change_known_deals(uuid, uuid[], jsonb[], text) is
  'Applies each item { contact_id, … } to the deal whose id is at the same array position, and returns the results. '
  'Under `update` and `merge`, an item replaces the stored values. Under `keep`, an item only fills the field `value`, '
  'if the deal has no value. This function never changes the contact of a deal, so an item with another contact is '
  'refused. The caller must have locked the deals.';

create function app.put_deals(own_company_id uuid, items jsonb[], on_conflict text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  results jsonb[] := array_fill(null::jsonb, array[coalesce(cardinality(items), 0)]);
  -- The items without a result: their array positions, their external_ids, and the deals with these external_ids.
  places integer[];
  own_ids text[];
  known uuid[];
  -- The array positions of the items that the function writes next.
  these integer[];
  written jsonb;
begin
  if on_conflict in ('update', 'merge', 'keep', 'fail') is not true then
    raise exception 'on_conflict is update, merge, keep or fail';
  elsif not exists (select from unnest(items) as item where item ? 'external_id') then
    return app.add_deals(own_company_id, items);
  end if;
  loop
    places := array_positions(results, null);
    exit when places = '{}';
    own_ids := array(
      select items[place] ->> 'external_id' from unnest(places) with ordinality as given (place, turn) order by turn
    );
    known := app.deals_of_external_ids(own_company_id, own_ids);
    -- If several items have the same unknown external_id, the first item adds the deal.
    these := array(
      select min(place) from unnest(places, own_ids, known) as given (place, own_id, id)
      where id is null group by own_id, case when own_id is null then place end
      order by 1
    );
    if these <> '{}' then
      begin
        if on_conflict <> 'fail' and array_remove(known, null) <> '{}' then
          -- The next iteration of the loop changes these deals. Every transaction locks existing deals before
          -- app.add_deals() locks contacts and stages. A unique_violation releases all these locks.
          perform from public.deals where company_id = own_company_id and id = any (known) order by id for no key update;
        end if;
        written := app.add_deals(own_company_id, array(
          select items[place] from unnest(these) with ordinality as given (place, turn) order by turn
        ));
      exception when unique_violation then
        continue; -- another transaction has just added one of these deals
      end;
    elsif on_conflict = 'fail' then
      these := places;
      written := (
        select jsonb_agg(
          jsonb_build_object(
            'status', 409, 'existing_id', id, 'field', 'external_id', 'about', (items[place] ->> 'contact_id')::uuid
          )
          order by turn
        )
        from unnest(known, places) with ordinality as given (id, place, turn)
      );
    else
      perform from public.deals where company_id = own_company_id and id = any (known) order by id for no key update;
      -- During the wait for the locks, another transaction may archive a deal or change its external_id.
      continue when known is distinct from app.deals_of_external_ids(own_company_id, own_ids);
      these := places;
      written := app.change_known_deals(own_company_id, known, array(
        select items[place] from unnest(places) with ordinality as given (place, turn) order by turn
      ), on_conflict);
    end if;
    for turn in 1 .. cardinality(these) loop
      results[these[turn]] := written -> turn - 1;
    end loop;
  end loop;
  return to_jsonb(results);
end
$$;
comment on function app.put_deals(uuid, jsonb[], text) is
  'Adds a deal for each item { title, contact_id, stage_id, … } that has no external_id, or whose external_id no deal '
  'has. For all other items, finds the deal. The argument on_conflict specifies how an existing deal changes. The '
  'values `update`, `merge` and `keep` are rules of app.change_known_deals(). With `fail`, the result is { status: '
  '409, existing_id, field, about }. If two items have the same external_id, the later item finds the deal of the '
  'earlier item. Returns a result for each item, in order.';
