-- Many merge patches of contacts in a few statements; see app.put_contacts().

create function app.patch_contacts_at_once(own_company_id uuid, items jsonb[]) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  ids uuid[];
begin
  with locked as (
    select id from public.contacts
    where company_id = own_company_id and id in (select (item ->> 'id')::uuid from unnest(items) as given (item))
    order by id for no key update
  )
  select array_agg(locked.id order by place) into ids
  from unnest(items) with ordinality as given (item, place)
  left join locked on locked.id = (item ->> 'id')::uuid;

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
comment on function app.patch_contacts_at_once(uuid, jsonb[]) is
  'app.patch_contacts() while no item breaks a constraint; else it raises, and has written nothing.';

create function app.patch_contacts_one_by_one(own_company_id uuid, items jsonb[]) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  results jsonb[] := array_fill(null::jsonb, array[cardinality(items)]);
  this_place integer;
  broken text;
  existing_id uuid;
begin
  perform from public.contacts
  where company_id = own_company_id and id in (select (item ->> 'id')::uuid from unnest(items) as given (item))
  order by id for no key update;
  for this_place in 1 .. cardinality(items) loop
    while results[this_place] is null loop
      begin
        results[this_place] := app.patch_contacts_at_once(own_company_id, items[this_place:this_place]) -> 0;
      exception when integrity_constraint_violation then
        get stacked diagnostics broken = constraint_name;
        if broken <> 'contacts_one_per_phone' then
          results[this_place] := jsonb_build_object('status', 422, 'constraint', broken);
        else
          select id into existing_id from public.contacts
          where company_id = own_company_id and phone_key = app.phone_key(items[this_place] ->> 'phone');
          -- Else whoever had the phone is gone by now.
          if found then
            results[this_place] := jsonb_build_object('status', 409, 'existing_id', existing_id);
          end if;
        end if;
      end;
    end loop;
  end loop;
  return to_jsonb(results);
end
$$;
comment on function app.patch_contacts_one_by_one(uuid, jsonb[]) is
  'app.patch_contacts() item by item, so that the ones that break a constraint do not keep the others from being written.';

create function app.patch_contacts(own_company_id uuid, items jsonb[]) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  is_one_by_one boolean := false;
begin
  for tries in 1..3 loop
    begin
      if is_one_by_one then
        return app.patch_contacts_one_by_one(own_company_id, items);
      end if;
      return app.patch_contacts_at_once(own_company_id, items);
    exception
      when integrity_constraint_violation then
        if is_one_by_one then
          raise;
        end if;
        is_one_by_one := true;
      -- Two that exchange phones wait for each other. What was locked here is free again, so that the other one ends
      -- first. The two timeouts are equally long, so the other one may come first.
      when deadlock_detected or lock_not_available then
        if tries = 3 or cardinality(items) = 1 then
          raise;
        end if;
    end;
  end loop;
end
$$;
comment on function app.patch_contacts(uuid, jsonb[]) is
  'Changes the contact of each item { id, … } by the other members, a JSON Merge Patch. The same contact twice takes the '
  'items in their order. Returns a result for each item, in order: { status: 200, id }, { status: 404 } for an id that is '
  'not the company''s, { status: 409, existing_id } for a phone that another contact has, { status: 422, constraint }.';
