-- Functions that find contacts by phone or external_id, or add them. The argument `match` is the field by which a
-- contact is found. If no contact is found, the functions add a contact. The functions write many contacts with a few
-- statements. Two transactions with the same people cannot cause a deadlock, because all transactions use the same
-- order. Each transaction first adds its new contacts in the order of their phone keys. Then the transaction locks the
-- existing contacts in the order of their ids. If several people of a batch have or get the same value of a unique field,
-- the order of the items matters, and the batch adds these people in the order of the request. A deadlock is then
-- possible, and app.put_contacts() repeats the batch.

create function app.put_contacts_at_once(own_company_id uuid, items jsonb[], on_conflict text, match text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  other_field constant text := case match when 'phone' then 'external_id' else 'phone' end;
  has_own_ids constant boolean := exists (select from unnest(items) as item where item ? 'external_id');
  -- The items for existing contacts. If the phone number of an existing contact must not change, these items have no
  -- phone.
  changes jsonb[] := items;
  changed uuid[];
  -- The contact of each item: an existing contact, or a contact that was just added.
  met uuid[];
  locked uuid[];
  added uuid[] := '{}';
  -- The contact of each item, or null if the item added this contact.
  known uuid[];
begin
  -- A contact that is found by phone keeps the stored format of the phone number.
  if on_conflict <> 'fail' and match = 'phone' then
    changes := array(select item - 'phone' from unnest(items) with ordinality as given (item, place) order by place);
  end if;
  -- This wait must come before the function reads the existing contacts and before it locks any row.
  perform app.await_further_phones(own_company_id);
  loop
    met := app.contacts_of_items(own_company_id, items, match);
    if array_position(met, null) is not null then
      if match = 'external_id' and exists (select from unnest(items) as item where item ->> match is null) then
        raise check_violation using
          message = 'an item has no external_id', constraint = 'contacts_external_id_check';
      end if;
      -- Without this check, the statement below would skip the item again and again.
      if has_own_ids and exists (
        select from unnest(items, met) as given (item, person)
        where person is null and item ? other_field
          and (app.contacts_of_items(own_company_id, array[item], other_field))[1] is not null
      ) then
        raise unique_violation using
          message = 'another contact has the ' || other_field, constraint = 'contacts_one_per_' || other_field;
      end if;
      with written as (
        insert into public.contacts (
          company_id, phone, external_id, name, email, temperature, tags, source, job_title, empresa, custom_fields,
          do_not_contact, marketing_opt_out, is_active
        )
        select
          own_company_id, item ->> 'phone', item ->> 'external_id', item ->> 'name', item ->> 'email',
          coalesce(item ->> 'temperature', 'warm'),
          array(select jsonb_array_elements_text(item -> 'tags')),
          coalesce(item ->> 'source', 'api'), item ->> 'job_title', item ->> 'empresa',
          case on_conflict
            when 'merge' then app.merge_json('{}', coalesce(item -> 'custom_fields', '{}'))
            else coalesce(item -> 'custom_fields', '{}')
          end,
          coalesce((item ->> 'do_not_contact')::boolean, false),
          coalesce((item ->> 'marketing_opt_out')::boolean, false),
          coalesce((item ->> 'is_active')::boolean, true)
        from (
          select distinct on (key) item, phone_key
          from unnest(items, met) with ordinality as given (item, person, place)
          cross join lateral app.phone_key(item ->> 'phone') as own (phone_key)
          cross join lateral (select case match when 'phone' then phone_key else item ->> match end) as found_by (key)
          where person is null
          order by key, place
        ) as unknown
        order by phone_key
        -- If another transaction is adding the same person, this statement waits for that transaction.
        on conflict do nothing
        returning id
      )
      select added || array_agg(id) into added from written;
      continue;
    end if;
    -- The loop ends when the lookup finds only contacts that this transaction has locked or added. Before a contact is
    -- locked, another transaction may merge or delete the contact, or change its phone number.
    exit when on_conflict = 'fail' or met is not distinct from locked or met <@ added;
    locked := met;
    if match = 'external_id' then
      perform app.lock_contacts_to_patch(own_company_id, array(
        select item || jsonb_build_object('id', id) from unnest(changes, locked) as given (item, id)
      ), on_conflict);
    else
      perform from public.contacts
      where company_id = own_company_id and id = any (locked) and id <> all (added)
      order by id for no key update;
    end if;
  end loop;

  known := array(
    select case when person <> all (added) or row_number() over (partition by person order by place) > 1 then person end
    from unnest(met) with ordinality as given (person, place)
    order by place
  );
  if on_conflict <> 'fail' then
    if has_own_ids and on_conflict <> 'keep' then
      perform app.require_free_keys(own_company_id, known, changes);
    end if;
    changed := app.change_contacts(own_company_id, known, changes, on_conflict);
  end if;
  return coalesce(
    (
      select jsonb_agg(
        case
          when known_id is null then jsonb_build_object('status', 201, 'id', person)
          when on_conflict = 'fail' then jsonb_build_object('status', 409, 'existing_id', person, 'field', match)
          when person = any (changed) then jsonb_build_object('status', 200, 'id', person)
          else jsonb_build_object('status', 304, 'id', person)
        end
        order by place
      )
      from unnest(met, known) with ordinality as given (person, known_id, place)
    ),
    '[]'
  );
end
$$;
comment on function app.put_contacts_at_once(uuid, jsonb[], text, text) is
  'Writes all items, as app.put_contacts() does. If an item violates a constraint, raises this violation and writes '
  'nothing.';

create function app.put_contacts_one_by_one(own_company_id uuid, items jsonb[], on_conflict text, match text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  other_field constant text := case match when 'phone' then 'external_id' else 'phone' end;
  -- Few items violate a constraint. Writing items one by one takes many times as long as writing them in a set. So the
  -- function first tries to write sets of this size.
  set_size constant integer := 25;
  met uuid[];
  -- For each item, the contact that already has the item's value of other_field.
  holders uuid[];
  -- The contacts of this batch whose value of other_field another person of the batch gets.
  giving uuid[];
  results jsonb[] := array_fill(null::jsonb, array[cardinality(items)]);
  this_set integer[];
  is_in_order boolean;
  is_locked boolean := on_conflict = 'fail';
  of_set jsonb;
  this_place integer;
  broken text;
begin
  -- This wait comes first, for the reason given in app.put_contacts_at_once().
  perform app.await_further_phones(own_company_id);
  met := app.contacts_of_items(own_company_id, items, match);
  holders := app.contacts_of_items(own_company_id, items, other_field);
  giving := array(
    select holder from unnest(met, holders) as given (person, holder)
    where holder = any (met) and holder is distinct from person
  );
  -- People share a value of other_field if several of them get the value, or if one has it and another gets it. Step 1
  -- adds the new people who share no value. Step 2 adds the other new people, in the order of the request. Step 3 changes
  -- the existing contacts, in the order of their ids. If an existing contact shares a value, there is no step 2. Step 3
  -- then locks all existing contacts, and writes all remaining items in the order of the request. In step 1, a person's
  -- place depends on the phone key of the person's first item.
  for this_set, is_in_order in
    select array_agg(place order by turn), ordered.step = 3 and ordered.is_in_order
    from (
      select
        place, judged.is_in_order, step,
        row_number() over (
          partition by step
          order by case step when 1 then first_phone_key end, case when not judged.is_in_order then person end, place
        ) as turn
      from (
        select
          place, person, first_phone_key, compared.is_in_order,
          case
            when person is null and not bool_or(is_shared) over (partition by key) then 1
            when person is null and not compared.is_in_order then 2
            else 3
          end as step
        from (
          select
            place, person, key, is_shared,
            first_value(phone_key) over (partition by key order by place) as first_phone_key,
            bool_or(is_shared and person is not null) over () as is_in_order
          from (
            select
              place, person, key, phone_key,
              coalesce(person = any (giving) or holder = any (giving), false) or other_key is not null
                and count(*) over (partition by other_key) > count(*) over (partition by other_key, key) as is_shared
            from unnest(items, met, holders) with ordinality as given (item, person, holder, place)
            cross join lateral app.phone_key(item ->> 'phone') as own (phone_key)
            cross join lateral (
              select
                coalesce(person::text, case match when 'phone' then phone_key else item ->> match end),
                case match when 'phone' then item ->> other_field else phone_key end
            ) as found_by (key, other_key)
          ) as keyed
        ) as compared
      ) as judged
    ) as ordered
    group by ordered.is_in_order, step, (turn - 1) / set_size
    order by step, (turn - 1) / set_size
  loop
    if is_in_order and not is_locked then
      perform app.lock_contacts_to_patch(own_company_id, array(
        select
          case when match = 'phone' then item - 'phone' else item end || jsonb_build_object('id', id)
        from unnest(items, met) as given (item, id)
        where id is not null
      ), on_conflict);
      is_locked := true;
    end if;
    begin
      of_set := app.put_contacts_at_once(
        own_company_id,
        array(select items[place] from unnest(this_set) with ordinality as given (place, turn) order by turn),
        on_conflict, match
      );
      for turn in 1 .. cardinality(this_set) loop
        results[this_set[turn]] := of_set -> turn - 1;
      end loop;
    exception when integrity_constraint_violation then
      null;
    end;
    foreach this_place in array this_set loop
      while results[this_place] is null loop
        begin
          results[this_place] :=
            app.put_contacts_at_once(own_company_id, items[this_place:this_place], on_conflict, match) -> 0;
        exception when integrity_constraint_violation then
          get stacked diagnostics broken = constraint_name;
          -- When the contact of the item is erased, the contact's id finds the idempotency key of this request.
          results[this_place] := app.refusal_of_contact(own_company_id, items[this_place], broken) || jsonb_build_object(
            'about', (app.contacts_of_items(own_company_id, items[this_place:this_place], match))[1]
          );
        end;
      end loop;
    end loop;
  end loop;
  return to_jsonb(results);
end
$$;
comment on function app.put_contacts_one_by_one(uuid, jsonb[], text, text) is
  'Writes the items in small sets, and otherwise works as app.put_contacts() does. If an item violates a constraint, '
  'the items of its set are written one by one, so that only this item fails. The results are the same as if the items '
  'were written one after the other.';

create function app.put_contacts(own_company_id uuid, items jsonb[], on_conflict text, match text default 'phone')
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  is_one_by_one boolean := false;
  waits integer := 0;
begin
  if on_conflict in ('update', 'merge', 'keep', 'patch', 'fail') is not true then
    raise exception 'on_conflict is update, merge, keep, patch or fail';
  elsif match in ('phone', 'external_id') is not true then
    raise exception 'match is phone or external_id';
  end if;
  loop
    begin
      if is_one_by_one then
        return app.put_contacts_one_by_one(own_company_id, items, on_conflict, match);
      end if;
      return app.put_contacts_at_once(own_company_id, items, on_conflict, match);
    exception
      when integrity_constraint_violation then
        if is_one_by_one then
          raise;
        end if;
        is_one_by_one := true;
      -- A transaction that changes phone numbers acquires its locks in another order. This transaction releases its
      -- locks here, so that the other transaction can end. Both transactions have the same timeout, so this transaction
      -- may be the first to fail.
      when deadlock_detected or lock_not_available then
        waits := waits + 1;
        if waits = 3 or cardinality(items) = 1 then
          raise;
        end if;
    end;
  end loop;
end
$$;
comment on function app.put_contacts(uuid, jsonb[], text, text) is
  'Adds a contact for each item { phone, external_id?, … } whose phone number no contact has. For all other items, '
  'finds the contact. The phone number may have any format, and may be an additional number. If `match` is '
  'external_id, contacts are found by external_id, and the phone is an ordinary field. The argument on_conflict '
  'specifies how existing contacts change. The values `update`, `merge`, `keep` and `patch` are rules of '
  'app.change_contacts(). With `fail`, existing contacts do not change. If two items are for the same person, the later '
  'item finds the contact of the earlier item. Returns a result for each item, in order: { status, id }, or what '
  'app.refusal_of_contact() returns, with the id of the contact in the member `about`. The status is 201 for a new '
  'contact, 200 for a changed contact, and 304 for a contact that already had the values of the item.';
