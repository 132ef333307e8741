-- Functions that add contacts, or find them by their phone. The phone of each item identifies the person, and an
-- unknown person is added. A few statements write many contacts.
--
-- Two transactions with the same people cannot end in a deadlock. Each transaction adds its new contacts in the order
-- of their phone keys. Then it locks the known contacts in the order of their ids.

create function app.fill_custom_fields(known jsonb, given jsonb) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  filled constant jsonb := known || coalesce(
    (
      select jsonb_object_agg(key, value) from jsonb_each(given)
      where coalesce(known -> key, 'null') in ('null', '""', '[]', '{}')
    ),
    '{}'
  );
begin
  -- The API measures compact JSON, as app.merge_custom_fields() does.
  if octet_length(filled::text) > 16384
    and app.compact_json_bytes(filled) > greatest(16384, app.compact_json_bytes(known)) then
    raise check_violation using
      message = 'new row for relation "contacts" violates check constraint "contacts_custom_fields_check"',
      constraint = 'contacts_custom_fields_check';
  end if;
  return filled;
end
$$;
comment on function app.fill_custom_fields(jsonb, jsonb) is
  'Returns the known custom fields. Fields that are missing or empty get the given values. Refuses custom fields that '
  'grow beyond the API''s 16 KiB, as a breach of contacts_custom_fields_check.';

create function app.custom_fields_in_turn(known jsonb, given jsonb, rule text) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  item jsonb;
  earlier jsonb;
  bytes integer;
  earlier_bytes integer;
begin
  for item in select turn -> 'custom_fields' from jsonb_array_elements(given) as turn where turn ? 'custom_fields' loop
    earlier := known;
    earlier_bytes := bytes;
    bytes := 0;
    known := case rule
      when 'patch' then app.merge_json(known, item)
      when 'keep' then app.fill_custom_fields(known, item)
      else item
    end;
    -- The API measures compact JSON, as app.merge_custom_fields() does.
    if rule = 'patch' and octet_length(known::text) > 16384 then
      bytes := app.compact_json_bytes(known);
    end if;
    -- An item that makes the custom fields too large fails, even if a later item makes them small again.
    if bytes > 16384 and bytes > coalesce(earlier_bytes, app.compact_json_bytes(earlier))
      or octet_length(known::text) > 32768
    then
      raise check_violation using
        message = 'new row for relation "contacts" violates check constraint "contacts_custom_fields_check"',
        constraint = 'contacts_custom_fields_check';
    end if;
  end loop;
  return known;
end
$$;
comment on function app.custom_fields_in_turn(jsonb, jsonb, text) is
  'Returns the custom fields after a list of items. Each item is applied under a rule of app.change_contacts(). '
  'Refuses an item that makes the custom fields too large, as a breach of contacts_custom_fields_check.';

create function app.fields_in_turn(given jsonb, rule text) returns jsonb
language plpgsql immutable
set search_path = ''
as $$
begin
  if jsonb_array_length(given) = 1 then
    return given -> 0;
  end if;
  return (
    -- For each field, the last item that has the field counts. With the rule 'keep', the first item that has a value
    -- for the field counts.
    select coalesce(
      jsonb_object_agg(key, value order by is_filling, case when is_filling then -place else place end), '{}'
    )
    from jsonb_array_elements(given) with ordinality as turns (turn, place)
    cross join jsonb_each(turn - 'custom_fields')
    -- The rule 'keep' never replaces a value, so the first item with a value counts.
    cross join lateral (select rule = 'keep' and value not in ('null', '""', '[]')) as judged (is_filling)
  );
end
$$;
comment on function app.fields_in_turn(jsonb, text) is
  'Returns one item that has the same effect as a list of items, under a rule of app.change_contacts(). When there are '
  'several items, the result has no custom fields.';

create function app.change_contacts(own_company_id uuid, ids uuid[], items jsonb[], rule text) returns void
language plpgsql
set search_path = ''
as $$
declare
  these record;
begin
  for these in
    select array_agg(id) as ids, array_agg(app.fields_in_turn(turns, rule)) as items, array_agg(turns) as turns
    from (
      select id, round, jsonb_agg(item order by place) as turns
      from (
        select
          id, item, place,
          -- A wish belongs to the phone that the contact has when the wish is written. So the items of a contact are
          -- applied in at most three rounds. The first round has the items before the phone changes. The second has the
          -- items up to the last change of the phone, and the third has the rest.
          case
            when rule <> 'patch' or phones = 0 or count(*) over (partition by id) = 1 or phones_until = 0 then 1
            when phones_until < phones or item ? 'phone' then 2
            else 3
          end as round
        from (
          select
            id, item, place, count(*) filter (where item ? 'phone') over (partition by id) as phones,
            count(*) filter (where item ? 'phone') over (partition by id order by place) as phones_until
          from unnest(ids, items) with ordinality as given (id, item, place)
          where id is not null
        ) as counted
      ) as numbered
      group by id, round
    ) as settled
    group by round
    order by round
  loop
    update public.contacts set
      phone = wanted.phone,
      name = wanted.name,
      email = wanted.email,
      temperature = wanted.temperature,
      tags = wanted.tags,
      source = wanted.source,
      job_title = wanted.job_title,
      empresa = wanted.empresa,
      custom_fields = wanted.custom_fields,
      do_not_contact = wanted.do_not_contact,
      do_not_contact_source = case when is_decided then 'manual' else contacts.do_not_contact_source end,
      do_not_contact_at = case when is_decided then now() else contacts.do_not_contact_at end,
      is_active = wanted.is_active
    from (
      select
        known.id,
        case when item ? 'phone' then item ->> 'phone' else known.phone end as phone,
        case when item ? 'name' then item ->> 'name' else known.name end as name,
        case when item ? 'email' then item ->> 'email' else known.email end as email,
        case when item ? 'temperature' then item ->> 'temperature' else known.temperature end as temperature,
        case
          when item ? 'tags' then array(select jsonb_array_elements_text(item -> 'tags')) else known.tags
        end as tags,
        case when item ? 'source' then item ->> 'source' else known.source end as source,
        case when item ? 'job_title' then item ->> 'job_title' else known.job_title end as job_title,
        case when item ? 'empresa' then item ->> 'empresa' else known.empresa end as empresa,
        merged.custom_fields,
        case
          when item ? 'do_not_contact' then (item ->> 'do_not_contact')::boolean else known.do_not_contact
        end as do_not_contact,
        -- If the items set a wish and take it back, this is also a decision by hand.
        item ? 'do_not_contact' and exists (
          select from jsonb_array_elements(turns) as turn
          where (turn ->> 'do_not_contact')::boolean <> known.do_not_contact
        ) as is_decided,
        case when item ? 'is_active' then (item ->> 'is_active')::boolean else known.is_active end as is_active
      from unnest(these.ids, these.items, these.turns) as given (id, whole_item, turns)
      -- Each item has its own lookup, because the plan of a join may read all rows of the company.
      cross join lateral (
        select * from public.contacts where company_id = own_company_id and contacts.id = given.id offset 0
      ) as known
      cross join lateral (
        select case rule
          when 'patch' then whole_item
          -- The stored spelling of the phone stays.
          when 'update' then whole_item - 'phone'
          when 'keep' then whole_item - array[
            'phone', 'temperature', 'source', 'do_not_contact', 'is_active',
            case when known.name <> '' then 'name' else '' end,
            case when known.email <> '' then 'email' else '' end,
            case when known.tags <> '{}' then 'tags' else '' end,
            case when known.job_title <> '' then 'job_title' else '' end,
            case when known.empresa <> '' then 'empresa' else '' end
          ]
        end
      ) as taken (item)
      cross join lateral (
        -- This value is computed once, although it is both compared and written.
        select app.custom_fields_in_turn(known.custom_fields, turns, rule) offset 0
      ) as merged (custom_fields)
    ) as wanted
    -- The row is known to belong to the company. With only the id in the condition, the planner has only one index to
    -- choose.
    where contacts.id = wanted.id
      -- An unchanged row gets no new version.
      and (
        is_decided
        or (
          contacts.phone, contacts.name, contacts.email, contacts.temperature, contacts.tags, contacts.source,
          contacts.job_title, contacts.empresa, contacts.custom_fields, contacts.do_not_contact, contacts.is_active
        ) is distinct from (
          wanted.phone, wanted.name, wanted.email, wanted.temperature, wanted.tags, wanted.source,
          wanted.job_title, wanted.empresa, wanted.custom_fields, wanted.do_not_contact, wanted.is_active
        )
      );
  end loop;
end
$$;
comment on function app.change_contacts(uuid, uuid[], jsonb[], text) is
  'Applies each item to the contact whose id is in the same place. A null id changes nothing. Several items of one '
  'contact are applied in their order. With the rule update, an item replaces the stored values, except the phone. '
  'With the rule keep, an item fills values that are null or empty. With the rule patch, an item also replaces the '
  'phone, and custom_fields are merged (RFC 7396). The caller must have locked the contacts.';

create function app.put_contacts_at_once(own_company_id uuid, items jsonb[], on_conflict text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  phones constant text[] := array(
    select item ->> 'phone' from unnest(items) with ordinality as given (item, place) order by place
  );
  -- The contact that was found for each item.
  met uuid[];
  locked uuid[];
  added uuid[] := '{}';
  -- The contact that each item finds, or null for an item that adds its contact.
  known uuid[];
begin
  -- This comes before the known contacts are read, and before any row is locked.
  perform app.await_further_phones(own_company_id);
  loop
    met := app.contacts_of_phones(own_company_id, phones);
    if array_position(met, null) is not null then
      with written as (
        insert into public.contacts (
          company_id, phone, name, email, temperature, tags, source, job_title, empresa, custom_fields, do_not_contact,
          is_active
        )
        select
          own_company_id, item ->> 'phone', item ->> 'name', item ->> 'email',
          coalesce(item ->> 'temperature', 'warm'),
          array(select jsonb_array_elements_text(item -> 'tags')),
          coalesce(item ->> 'source', 'api'), item ->> 'job_title', item ->> 'empresa',
          coalesce(item -> 'custom_fields', '{}'),
          coalesce((item ->> 'do_not_contact')::boolean, false),
          coalesce((item ->> 'is_active')::boolean, true)
        from (
          select distinct on (key) item, key
          from unnest(items, met) with ordinality as given (item, person, place)
          cross join lateral app.phone_key(item ->> 'phone') as own (key)
          where person is null
          order by key, place
        ) as unknown
        order by key
        -- If another transaction is adding the same person, this statement waits for it.
        on conflict (company_id, phone_key) do nothing
        returning id
      )
      select added || array_agg(id) into added from written;
      continue;
    end if;
    -- The loop ends when the lookup finds only contacts that this transaction has locked or added. Before the lock, a
    -- contact may have been merged or deleted, or may have got another phone.
    exit when on_conflict = 'fail' or met is not distinct from locked or met <@ added;
    locked := met;
    perform from public.contacts
    where company_id = own_company_id and id = any (locked) and id <> all (added)
    order by id for no key update;
  end loop;

  known := array(
    select case when person <> all (added) or row_number() over (partition by person order by place) > 1 then person end
    from unnest(met) with ordinality as given (person, place)
    order by place
  );
  if on_conflict <> 'fail' then
    perform app.change_contacts(own_company_id, known, items, on_conflict);
  end if;
  return coalesce(
    (
      select jsonb_agg(
        case
          when known_id is null then jsonb_build_object('status', 201, 'id', person)
          when on_conflict = 'fail' then jsonb_build_object('status', 409, 'existing_id', person)
          else jsonb_build_object('status', 200, 'id', person)
        end
        order by place
      )
      from unnest(met, known) with ordinality as given (person, known_id, place)
    ),
    '[]'
  );
end
$$;
comment on function app.put_contacts_at_once(uuid, jsonb[], text) is
  'If no item breaks a constraint, does what app.put_contacts() does. Otherwise raises the error and writes nothing.';

create function app.put_contacts_one_by_one(own_company_id uuid, items jsonb[], on_conflict text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  -- Few items break a constraint. An item that is written alone takes many times as long as an item of a set.
  set_size constant integer := 25;
  phones constant text[] := array(
    select item ->> 'phone' from unnest(items) with ordinality as given (item, place) order by place
  );
  -- This is the order in which the rows are locked, as the head of this file says. Items of one person keep their
  -- order.
  places constant integer[] := array(
    select place
    from unnest(phones, app.contacts_of_phones(own_company_id, phones)) with ordinality as given (phone, person, place)
    order by person nulls first, case when person is null then app.phone_key(phone) end, place
  );
  results jsonb[] := array_fill(null::jsonb, array[cardinality(items)]);
  this_set integer[];
  of_set jsonb;
  this_place integer;
  broken text;
begin
  for turn in 1 .. cardinality(places) loop
    if turn % set_size = 1 then
      begin
        this_set := places[turn : turn + set_size - 1];
        of_set := app.put_contacts_at_once(
          own_company_id,
          array(select items[place] from unnest(this_set) with ordinality as given (place, turn) order by given.turn),
          on_conflict
        );
        for turn_of_set in 1 .. cardinality(this_set) loop
          results[this_set[turn_of_set]] := of_set -> turn_of_set - 1;
        end loop;
      exception when integrity_constraint_violation then
        null;
      end;
    end if;
    this_place := places[turn];
    if results[this_place] is null then
      begin
        results[this_place] :=
          app.put_contacts_at_once(own_company_id, items[this_place:this_place], on_conflict) -> 0;
      exception when integrity_constraint_violation then
        get stacked diagnostics broken = constraint_name;
        results[this_place] := jsonb_build_object('status', 422, 'constraint', broken);
      end;
    end if;
  end loop;
  return to_jsonb(results);
end
$$;
comment on function app.put_contacts_one_by_one(uuid, jsonb[], text) is
  'Does what app.put_contacts() does, in small sets. If an item breaks a constraint, the items of its set are written '
  'one by one, so that only this item fails.';

create function app.put_contacts(own_company_id uuid, items jsonb[], on_conflict text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  is_one_by_one boolean := false;
  waits integer := 0;
begin
  if on_conflict in ('update', 'keep', 'fail') is not true then
    raise exception 'on_conflict is update, keep or fail';
  end if;
  loop
    begin
      if is_one_by_one then
        return app.put_contacts_one_by_one(own_company_id, items, on_conflict);
      end if;
      return app.put_contacts_at_once(own_company_id, items, on_conflict);
    exception
      when integrity_constraint_violation then
        if is_one_by_one then
          raise;
        end if;
        is_one_by_one := true;
      -- A transaction that changes phones takes its locks in another order. This transaction releases its locks here,
      -- so that the other one can end. Both transactions have the same timeout, so either of them may come here first.
      when deadlock_detected or lock_not_available then
        waits := waits + 1;
        if waits = 3 or cardinality(items) = 1 then
          raise;
        end if;
    end;
  end loop;
end
$$;
comment on function app.put_contacts(uuid, jsonb[], text) is
  'Adds a contact for each item { phone, … } whose phone no contact has. For each other item, finds the contact, in '
  'any spelling of the phone and also by an additional phone. The argument on_conflict says what happens to the found '
  'contacts. The values update and keep are rules of app.change_contacts(), and with fail, nothing changes. If two '
  'items have the same person, the later item finds the contact of the earlier item. Returns a result for each item, '
  'in order: { status: 201 or 200, id }, { status: 409, existing_id }, { status: 422, constraint }.';
