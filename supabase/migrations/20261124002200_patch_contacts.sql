-- Many merge patches of contacts in a few statements; see app.put_contacts().

create function app.lock_contacts_to_patch(own_company_id uuid, items jsonb[]) returns void
language plpgsql
set search_path = ''
as $$
begin
  -- Another phone key takes the stronger lock, for which new deals of the contact wait. Taken when the row is changed,
  -- and not in order, it would wait for deals that wait for another contact of this batch.
  if exists (
    select from unnest(items) as given (item)
    join public.contacts on company_id = own_company_id and id = (item ->> 'id')::uuid
    where item ? 'phone' and phone_key is distinct from app.phone_key(item ->> 'phone')
  ) then
    perform from public.contacts
    where company_id = own_company_id and id in (select (item ->> 'id')::uuid from unnest(items) as given (item))
    order by id for update;
  else
    perform from public.contacts
    where company_id = own_company_id and id in (select (item ->> 'id')::uuid from unnest(items) as given (item))
    order by id for no key update;
  end if;
end
$$;
comment on function app.lock_contacts_to_patch(uuid, jsonb[]) is
  'Locks the contacts of items { id, phone?, … } in the order of their ids, as strongly as the change of them will.';

create function app.patch_contacts_at_once(own_company_id uuid, items jsonb[]) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  ids uuid[];
begin
  perform app.lock_contacts_to_patch(own_company_id, items);
  select array_agg(contacts.id order by place) into ids
  from unnest(items) with ordinality as given (item, place)
  left join public.contacts on company_id = own_company_id and id = (item ->> 'id')::uuid;

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
  -- Few items break a constraint, and each item by itself takes many times as long as within a set.
  set_size constant integer := 25;
  results jsonb[] := array_fill(null::jsonb, array[cardinality(items)]);
  this_place integer;
  this_set jsonb[];
  broken text;
  existing_id uuid;
begin
  perform app.lock_contacts_to_patch(own_company_id, items);
  for this_place in 1 .. cardinality(items) loop
    if this_place % set_size = 1 then
      begin
        this_set := items[this_place : this_place + set_size - 1];
        results[this_place : this_place + cardinality(this_set) - 1] := array(
          select jsonb_array_elements(app.patch_contacts_at_once(own_company_id, this_set))
        );
      exception when integrity_constraint_violation then
        null;
      end;
    end if;
    while results[this_place] is null loop
      begin
        results[this_place] := app.patch_contacts_at_once(own_company_id, items[this_place:this_place]) -> 0;
      exception when integrity_constraint_violation then
        get stacked diagnostics broken = constraint_name;
        if broken <> 'contacts_one_per_phone' then
          results[this_place] := jsonb_build_object('status', 422, 'constraint', broken);
        else
          existing_id := (app.contacts_of_phones(own_company_id, array[items[this_place] ->> 'phone']))[1];
          -- Else whoever had the phone is gone by now.
          if existing_id is not null then
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
  'app.patch_contacts() in small sets, and item by item in those of which an item breaks a constraint, so that it does '
  'not keep the others from being written.';

create function app.patch_contacts(own_company_id uuid, items jsonb[]) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  is_one_by_one boolean := false;
  waits integer := 0;
begin
  loop
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
        waits := waits + 1;
        if waits = 3 or cardinality(items) = 1 then
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
