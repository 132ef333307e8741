-- API keys use these functions to write one or more contacts per call. Contacts are found by phone or external_id, or
-- by id for a merge patch.

create function app.with_contact_rows(own_company_id uuid, results jsonb, replayed boolean) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  -- The maximum size of a response. A page of a list has the same limit.
  max_bytes constant integer := 1048576;
  answered json;
begin
  select coalesce(
    json_agg(
      case
        when result ->> 'status' not in ('200', '201', '304') then (result - 'about')::json
        when data is null then '{"status": 404}'
        else json_build_object('status', result -> 'status', 'id', met, 'data', data)
      end
      order by place
    ),
    '[]'
  )
  into answered
  from (
    select
      result, place, coalesce(
        -- If the contact was merged since the earlier request, the result contains the surviving contact.
        case when replayed then (
          select merged_into from public.deleted_rows
          where company_id = own_company_id and resource = 'contacts' and id = (result ->> 'id')::uuid
        ) end,
        (result ->> 'id')::uuid
      ) as met
    from jsonb_array_elements(results) with ordinality as given (result, place)
  ) as given
  -- Each result has its own lookup, because the plan of a join may read all rows of the company. The condition has only
  -- the id, so that the planner can choose only one index.
  left join lateral (
    select case when company_id = own_company_id then app.contact_json(contacts) end as data
    from public.contacts
    where id = met and result ->> 'status' in ('200', '201', '304')
    offset 0
  ) as known on true;

  if octet_length(answered::text) <= max_bytes then
    return json_build_object(
      'replayed', replayed, 'undone', false, 'without_custom_fields', false, 'results', answered
    );
  end if;
  return json_build_object(
    'replayed', replayed, 'undone', false, 'without_custom_fields', true, 'results',
    (
      select json_agg(result #- '{data,custom_fields}' order by place)
      from jsonb_array_elements(answered::jsonb) with ordinality as given (result, place)
    )
  );
end
$$;
comment on function app.with_contact_rows(uuid, jsonb, boolean) is
  'Returns the result of a write: { replayed, undone, without_custom_fields, results }. Each successful result '
  'contains the current contact. If the contact no longer exists, the status is 404. If the results would be larger '
  'than 1 MiB, no contact has custom_fields.';

create function app.require_contact_version(
  own_company_id uuid, item jsonb, match text, accepted_versions bigint[]
) returns void
language plpgsql
set search_path = ''
as $$
declare
  person uuid;
  present bigint;
begin
  loop
    person := (app.contacts_of_items(own_company_id, array[item], match))[1];
    if person is null then
      raise sqlstate 'PT412' using message = 'No contact has this ' || match;
    end if;
    -- The lock keeps the version unchanged until the end of the write. During the wait for the lock, another
    -- transaction may delete the contact or change its phone number.
    select version into present from public.contacts
    where company_id = own_company_id and id = person
    for no key update;
    exit when found and (app.contacts_of_items(own_company_id, array[item], match))[1] = person;
  end loop;
  if present <> all (accepted_versions) then
    raise sqlstate 'PT412' using
      message = 'The given version is not the current version: read the row again', detail = present::text;
  end if;
end
$$;
comment on function app.require_contact_version(uuid, jsonb, text, bigint[]) is
  'Raises PT412 when no contact has the item''s phone or external_id, or when the contact''s version is not among the '
  'accepted versions. Null accepts any version. The detail is the current version of the contact.';

create function app.lock_contacts_to_patch(own_company_id uuid, items jsonb[], rule text default 'patch') returns void
language plpgsql
set search_path = ''
as $$
begin
  -- A change of a phone key needs the stronger lock (for update), which blocks new deals of the contact. The locks are
  -- acquired here, in order, and not when the rows are changed. Otherwise a deadlock could occur: a change would wait
  -- for a transaction that adds deals, and that transaction would wait for another contact of this batch.
  if exists (
    select from unnest(items) as given (item)
    where item ? 'phone' and exists (
      select from public.contacts
      where company_id = own_company_id and id = (item ->> 'id')::uuid
        and phone_key is distinct from app.phone_key(item ->> 'phone') and (rule <> 'keep' or phone is null)
    )
  ) then
    perform from public.contacts
    where company_id = own_company_id and id = any (array(select (item ->> 'id')::uuid from unnest(items) as given (item)))
    order by id for update;
  else
    perform from public.contacts
    where company_id = own_company_id and id = any (array(select (item ->> 'id')::uuid from unnest(items) as given (item)))
    order by id for no key update;
  end if;
end
$$;
comment on function app.lock_contacts_to_patch(uuid, jsonb[], text) is
  'Locks the contacts of items { id, phone?, … } in the order of their ids. If an item changes a phone key under a rule '
  'of app.change_contacts(), acquires the stronger lock (for update) for all of these contacts.';

create function app.patch_contacts_at_once(own_company_id uuid, items jsonb[]) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  ids uuid[];
  changed uuid[];
begin
  perform app.lock_contacts_to_patch(own_company_id, items);
  -- This wait comes after the rows are locked. A transaction that restores one of these contacts also locks the row
  -- first, and then acquires the lock for which this call waits. In the opposite order, a deadlock could occur.
  perform app.await_further_phones(own_company_id);
  -- Here and below, each item has its own subquery, because the plan of a join may read all rows of the company.
  ids := array(
    select (
      select id from public.contacts
      where company_id = own_company_id and id = (item ->> 'id')::uuid and archived_at is null
    )
    from unnest(items) with ordinality as given (item, place)
    order by place
  );

  perform app.require_free_keys(own_company_id, ids, items);
  changed := app.change_contacts(own_company_id, ids, items, 'patch');
  return coalesce(
    (
      select jsonb_agg(
        case
          when id = any (changed) then jsonb_build_object('status', 200, 'id', id)
          when id is not null then jsonb_build_object('status', 304, 'id', id)
          when survivor is not null then jsonb_build_object('status', 409, 'existing_id', survivor, 'merged', true)
          else '{"status": 404}' || coalesce(
            (
              select jsonb_build_object('reason', case when erased_at is null then 'archived' else 'erased' end)
              from public.contacts
              where company_id = own_company_id and contacts.id = (item ->> 'id')::uuid
            ),
            '{}'
          )
        end
        order by place
      )
      from unnest(ids, items) with ordinality as given (id, item, place)
      cross join lateral (
        select case when id is null then app.survivor_of(own_company_id, (item ->> 'id')::uuid) end
      ) as merged (survivor)
    ),
    '[]'
  );
end
$$;
comment on function app.patch_contacts_at_once(uuid, jsonb[]) is
  'Writes all items, as app.patch_contacts() does. If an item violates a constraint, raises this violation and writes '
  'nothing.';

create function app.patch_contacts_one_by_one(own_company_id uuid, items jsonb[]) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  -- Few items violate a constraint. Writing items one by one takes many times as long as writing them in a set. So the
  -- function first tries to write sets of this size.
  set_size constant integer := 25;
  results jsonb[] := array_fill(null::jsonb, array[cardinality(items)]);
  this_place integer;
  this_set jsonb[];
  broken text;
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
        results[this_place] := app.refusal_of_contact(own_company_id, items[this_place], broken);
      end;
    end loop;
  end loop;
  return to_jsonb(results);
end
$$;
comment on function app.patch_contacts_one_by_one(uuid, jsonb[]) is
  'Writes the items in small sets, and otherwise works as app.patch_contacts() does. If an item violates a constraint, '
  'the items of its set are written one by one, so that only this item fails.';

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
      -- Two transactions that swap phone numbers wait for each other. This transaction releases its locks here, so that
      -- the other transaction can end. Both transactions have the same timeout, so this transaction may be the first to
      -- fail.
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
  'For each item { id, … }, changes the contact with this id. The other fields of the item are a JSON Merge Patch. '
  'Items for the same contact are applied in their order. Returns a result for each item, in order. The result is { '
  'status: 200, id } for a changed contact, and { status: 304, id } for a contact that already had the values of the '
  'item. The result is { status: 404 } when the company has no such contact. If the contact is archived, the result '
  'also has a `reason`: `archived`, or `erased` if the person was erased. For a merged contact, the result is { '
  'status: 409, existing_id, merged } with the surviving contact. The result is { status: 409, existing_id, field } '
  'when another contact has the phone or the external_id, and { status: 422, constraint } for a violation of any other '
  'constraint.';

create function public.patch_contacts(items jsonb[], atomic boolean default false) returns json
-- Security definer, for the reason given in write_contacts().
language plpgsql security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('write');
  results jsonb;
begin
  begin
    results := app.patch_contacts(own_company_id, items);
    perform app.require_all(results, atomic);
  exception when sqlstate 'CRM01' then
    return app.undone(results);
  end;
  return app.with_contact_rows(own_company_id, results, false);
end
$$;
comment on function public.patch_contacts(jsonb[], boolean) is
  'Applies merge patches { id, … } to contacts of the key''s company, as app.patch_contacts() does. Returns what '
  'write_contacts() returns.';
grant execute on function public.patch_contacts(jsonb[], boolean) to api_client;

create function public.write_contacts(
  items jsonb[],
  on_conflict text default 'fail',
  atomic boolean default false,
  accepted_versions bigint[] default null,
  must_exist boolean default false,
  idempotency jsonb default null,
  match text default 'phone'
) returns json
-- Security definer, because a key may not add contacts or write idempotency keys. The policies and the column
-- privileges do not apply to this function. So the function itself limits the rows to the key's company, and lists each
-- column that it writes.
language plpgsql security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('write');
  results jsonb;
  is_replayed boolean := false;
begin
  begin
    results := app.claim_idempotency_key(own_company_id, idempotency);
    is_replayed := results is not null;
    if not is_replayed then
      if must_exist or accepted_versions is not null then
        perform app.require_contact_version(own_company_id, items[1], match, accepted_versions);
      end if;
      results := app.put_contacts(own_company_id, items, on_conflict, match);
      perform app.require_all(results, atomic);
      if idempotency is not null then
        perform app.keep_outcome(own_company_id, idempotency, results);
      end if;
    end if;
  exception when sqlstate 'CRM01' then
    return app.undone(results);
  end;
  return app.with_contact_rows(own_company_id, results, is_replayed);
end
$$;
comment on function public.write_contacts(jsonb[], text, boolean, bigint[], boolean, jsonb, text) is
  'Writes the contacts of items { phone, … } for a key, as app.put_contacts() does. If `atomic` is true and one item '
  'fails, nothing is written. accepted_versions and must_exist are conditions for a write of one item. Returns { '
  'replayed, undone, without_custom_fields, results }. Each successful result contains the contact in the field '
  '`data`.';
grant execute on function public.write_contacts(jsonb[], text, boolean, bigint[], boolean, jsonb, text) to api_client;

-- A key may also change one contact with an update statement. Such a statement returns the row that it wrote, without
-- the wishes that the contact inherits after the row is written (33_inherited_wishes.sql), although the stored row has
-- the same version. The functions above read the row again instead.
create function app.refuse_late_wishes() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if current_setting('app.late_wishes', true) <> '' then
    raise unique_violation using
      message = 'duplicate key value violates unique constraint "contacts_one_per_phone"',
      detail = 'Another contact had the phone number when the statement started. Repeat the statement.',
      constraint = 'contacts_one_per_phone';
  end if;
  return null;
end
$$;
comment on function app.refuse_late_wishes() is
  'Trigger: refuses a key''s change of a phone number if the contact would inherit wishes after the row is written. '
  'This happens only if the statement has waited for another transaction that gave up the phone number. If the '
  'statement is repeated, the contact inherits the wishes before the row is written.';

-- The trigger contacts_see_late_wishes notes these wishes. It runs before this trigger, because triggers run in the order
-- of their names.
create trigger contacts_stop_late_wishes after update of phone on public.contacts
  for each row when (current_user = 'api_client' and new.phone_key is distinct from old.phone_key)
  execute function app.refuse_late_wishes();
