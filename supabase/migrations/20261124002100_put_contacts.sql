-- Many contacts in a few statements: the phone of each item says who it is, and whoever is unknown is added.
--
-- Two transactions with the same people do not wait for each other in a circle: each adds its new contacts in the order
-- of their phone keys, and locks the known ones afterwards, in the order of their ids.

create function app.contacts_of_phones(own_company_id uuid, phones text[]) returns uuid[]
language sql stable
set search_path = ''
as $$
  select array_agg(coalesce(contacts.id, further.contact_id) order by asked.place)
  from (
    select app.phone_key(phone) as key, place from unnest(phones) with ordinality as given (phone, place)
  ) as asked
  left join public.contacts on contacts.company_id = own_company_id and contacts.phone_key = asked.key
  -- A further phone of somebody whose contacts were merged.
  left join lateral (
    select contact_id from public.contact_former_phones
    where contacts.id is null
      and company_id = own_company_id and phone_key = asked.key and until = 'infinity'
    order by contact_id limit 1
  ) as further on true
$$;
comment on function app.contacts_of_phones(uuid, text[]) is
  'The contact of each phone, in any spelling, which may be a further phone of theirs; null where there is none.';

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
  -- The API's own measure; see app.merge_custom_fields().
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
  'Custom fields with those of the given ones that they lack or have empty. Refuses custom fields that grow beyond the '
  'API''s 16 KiB, as a breach of contacts_custom_fields_check.';

create function app.change_contacts(own_company_id uuid, ids uuid[], items jsonb[], rule text) returns void
language plpgsql
set search_path = ''
as $$
declare
  -- A contact that has several items takes one of them in each round.
  rounds integer[];
  sorted_ids uuid[];
  sorted_items jsonb[];
  places integer[];
  these_ids uuid[];
  these_items jsonb[];
begin
  select
    array_agg(id order by round, place), array_agg(item order by round, place), array_agg(round order by round, place)
  into sorted_ids, sorted_items, rounds
  from (
    select id, item, place, row_number() over (partition by id order by place) as round
    from unnest(ids, items) with ordinality as given (id, item, place)
    where id is not null
  ) as numbered;

  for this_round in 1 .. coalesce(rounds[cardinality(rounds)], 0) loop
    places := array_positions(rounds, this_round);
    these_ids := sorted_ids[places[1] : places[cardinality(places)]];
    these_items := sorted_items[places[1] : places[cardinality(places)]];
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
      custom_fields_patch = wanted.custom_fields_patch,
      do_not_contact = wanted.do_not_contact,
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
        case
          when not item ? 'custom_fields' or rule = 'patch' then known.custom_fields
          when rule = 'keep' then app.fill_custom_fields(known.custom_fields, item -> 'custom_fields')
          else item -> 'custom_fields'
        end as custom_fields,
        case
          when rule = 'patch'
            and app.merge_json(known.custom_fields, item -> 'custom_fields') is distinct from known.custom_fields
            then item -> 'custom_fields'
        end as custom_fields_patch,
        case
          when item ? 'do_not_contact' then (item ->> 'do_not_contact')::boolean else known.do_not_contact
        end as do_not_contact,
        case when item ? 'is_active' then (item ->> 'is_active')::boolean else known.is_active end as is_active
      from unnest(these_ids, these_items) as given (id, whole_item)
      join public.contacts as known on known.company_id = own_company_id and known.id = given.id
      cross join lateral (
        select case rule
          when 'patch' then whole_item
          -- The stored spelling stays.
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
    ) as wanted
    where contacts.company_id = own_company_id and contacts.id = wanted.id
      -- What stays as it is gets no new version.
      and (
        contacts.phone, contacts.name, contacts.email, contacts.temperature, contacts.tags, contacts.source,
        contacts.job_title, contacts.empresa, contacts.custom_fields, contacts.custom_fields_patch,
        contacts.do_not_contact, contacts.is_active
      ) is distinct from (
        wanted.phone, wanted.name, wanted.email, wanted.temperature, wanted.tags, wanted.source,
        wanted.job_title, wanted.empresa, wanted.custom_fields, wanted.custom_fields_patch,
        wanted.do_not_contact, wanted.is_active
      );
  end loop;
end
$$;
comment on function app.change_contacts(uuid, uuid[], jsonb[], text) is
  'Changes the contact of each id by the item in the same place; where the id is null, nothing. By the rule update, what '
  'an item gives replaces what there is, except the phone; by keep, it fills what is null or empty; by patch, it '
  'replaces, the phone too, and custom_fields are merged (RFC 7396). The caller holds the locks of the contacts.';

create function app.put_contacts_at_once(own_company_id uuid, items jsonb[], on_conflict text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  phones constant text[] := array(
    select item ->> 'phone' from unnest(items) with ordinality as given (item, place) order by place
  );
  -- The contact of each item.
  met uuid[];
  locked uuid[];
  added uuid[] := '{}';
  -- The contacts that are there already, each in the place of an item that does not make it.
  known uuid[];
begin
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
        -- Somebody else may be adding the same person: this waits for them.
        on conflict (company_id, phone_key) do nothing
        returning id
      )
      select added || array_agg(id) into added from written;
      continue;
    end if;
    -- A contact that was merged or deleted meanwhile, or that has another phone now, is not met.
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
  'app.put_contacts() while no item breaks a constraint; else it raises, and has written nothing.';

create function app.put_contacts_one_by_one(own_company_id uuid, items jsonb[], on_conflict text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  -- Few items break a constraint, and each item by itself takes many times as long as within a set.
  set_size constant integer := 25;
  phones constant text[] := array(
    select item ->> 'phone' from unnest(items) with ordinality as given (item, place) order by place
  );
  -- As they are locked at once. The items of one person keep their order.
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
  'app.put_contacts() in small sets, and item by item in those of which an item breaks a constraint, so that it does '
  'not keep the others from being written.';

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
      -- Whoever changes phones locks in another order. What was locked here is free again, so that they end first. The
      -- two timeouts are equally long, so the other one may come first.
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
  'Adds a contact for each item { phone, … } whose phone is nobody''s, and meets the contact of each other one, in any '
  'spelling and by a further phone too. on_conflict says what becomes of those: update and keep as in '
  'app.change_contacts(), fail: nothing. The same person twice: the later item meets the contact of the earlier one. '
  'Returns a result for each item, in order: { status: 201 or 200, id }, { status: 409, existing_id }, '
  '{ status: 422, constraint }.';
