-- Functions that merge two contacts of the same person. One contact, the survivor, gets all data of the other contact.
-- A WhatsApp event or an API request causes the merge.

create function app.lock_both(own_company_id uuid, one uuid, another uuid) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  locked integer;
begin
  -- The merge needs this lock. A transaction that adds contacts acquires the lock before it locks a row.
  perform app.lock_further_phones(own_company_id);
  perform from public.contacts
  where company_id = own_company_id and id in (one, another) and archived_at is null
  order by id for update;
  get diagnostics locked = row_count;
  return locked = 2;
end
$$;
comment on function app.lock_both(uuid, uuid, uuid) is
  'Locks two contacts. Returns whether they can be merged: both must exist, and must not be archived.';

create function app.merge_conversations(own_company_id uuid, survivor uuid, other uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  pair record;
begin
  -- On each account, a contact has at most one conversation that is not closed. If both contacts have such a
  -- conversation, the older conversation is kept.
  for pair in
    select
      case when is_own_older then own.id else theirs.id end as kept,
      case when is_own_older then theirs.id else own.id end as gone
    from public.conversations as own
    join public.conversations as theirs using (company_id, messaging_account_id)
    cross join lateral (select (own.created_at, own.id) < (theirs.created_at, theirs.id)) as age (is_own_older)
    where own.company_id = own_company_id and own.contact_id = survivor and own.status <> 'closed'
      and theirs.contact_id = other and theirs.status <> 'closed'
    order by 1
  loop
    -- Messages are locked before conversations, as when a send is settled. In the kept conversation, the messages of
    -- both conversations are sorted by created_at.
    perform from public.messages where company_id = own_company_id and conversation_id = pair.gone
    order by id for no key update;
    update public.messages set conversation_id = pair.kept
    where company_id = own_company_id and conversation_id = pair.gone;
    perform from public.conversations where company_id = own_company_id and id in (pair.kept, pair.gone)
    order by id for update;
    update public.conversations as kept set
      status = case when 'open' in (kept.status, gone.status) then 'open' else kept.status end,
      assigned_to = coalesce(kept.assigned_to, gone.assigned_to),
      team_id = coalesce(kept.team_id, gone.team_id),
      last_message_at = greatest(kept.last_message_at, gone.last_message_at)
    from public.conversations as gone
    where kept.company_id = own_company_id and kept.id = pair.kept
      and gone.company_id = own_company_id and gone.id = pair.gone;
    delete from public.conversations where company_id = own_company_id and id = pair.gone;
  end loop;
  update public.conversations set contact_id = survivor
  where company_id = own_company_id and contact_id = other;

  insert into public.contact_windows as windows
    (company_id, contact_id, account_id, last_inbound_at, last_inbound_phone, closed_at, closing_noted_for)
  select company_id, survivor, account_id, last_inbound_at, last_inbound_phone, closed_at, closing_noted_for
  from public.contact_windows
  where company_id = own_company_id and contact_id = other
  on conflict on constraint contact_windows_once do update set
    last_inbound_at = greatest(windows.last_inbound_at, excluded.last_inbound_at),
    last_inbound_phone = case when windows.last_inbound_at > excluded.last_inbound_at
      or excluded.last_inbound_at is null then windows.last_inbound_phone else excluded.last_inbound_phone end,
    closed_at = greatest(windows.closed_at, excluded.closed_at),
    closing_noted_for = greatest(windows.closing_noted_for, excluded.closing_noted_for);
  update public.conversations set window_expires_at = windows.expires_at
  from public.contact_windows as windows
  where conversations.company_id = own_company_id and conversations.contact_id = survivor
    and conversations.status <> 'closed'
    and windows.company_id = own_company_id and windows.contact_id = survivor
    and windows.account_id = conversations.messaging_account_id
    and conversations.window_expires_at is distinct from windows.expires_at;
end
$$;
comment on function app.merge_conversations(uuid, uuid, uuid) is
  'Moves the conversations and windows of one contact to another contact. Only app.merge_contacts() calls this '
  'function.';

create function app.missing_fields(own jsonb, theirs jsonb, max_octets integer default null) returns jsonb
language sql immutable
set search_path = ''
as $$
  select coalesce(jsonb_object_agg(key, value), '{}')
  from (
    select
      key, value,
      -- Beside the key and the value, a new field takes a colon, a comma and two spaces. The first field has no comma.
      octet_length(own::text) - case own when '{}' then 2 else 0 end + sum(
        case
          when own ? key then octet_length(value::text) - octet_length((own -> key)::text)
          else octet_length(to_jsonb(key)::text) + octet_length(value::text) + 4
        end
      ) over (order by key) as octets
    from jsonb_each(theirs)
    where coalesce(own -> key, 'null') in ('null', '""', '[]', '{}')
      and (not own ? key or value not in ('null', '""', '[]', '{}'))
  ) as missing
  where max_octets is null or octets <= max_octets
$$;
comment on function app.missing_fields(jsonb, jsonb, integer) is
  'Returns the custom fields that are missing or empty in the surviving contact of a merge. If max_octets is given, '
  'returns only as many of them as fit into a contact of this size, in the order of their names.';

create function app.merge_contacts(own_company_id uuid, survivor uuid, other uuid) returns boolean
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  own public.contacts;
  theirs public.contacts;
  taken record;
begin
  -- The phone number of the other contact becomes an additional number of the survivor.
  perform app.lock_further_phones(own_company_id);
  perform from public.contacts where company_id = own_company_id and id in (survivor, other)
  order by id for update;
  select * into own from public.contacts where company_id = own_company_id and id = survivor;
  select * into theirs from public.contacts where company_id = own_company_id and id = other;
  if own.id is null or theirs.id is null or own.id = theirs.id then
    return false;
  end if;
  -- All functions lock deals in the order of their ids.
  perform from public.deals where company_id = own_company_id and contact_id = other order by id for no key update;
  update public.deals set contact_id = survivor where company_id = own_company_id and contact_id = other;
  perform app.merge_conversations(own_company_id, survivor, other);

  update public.opt_out_lifts set contact_id = survivor where company_id = own_company_id and contact_id = other;
  update public.contact_identities set contact_id = survivor
  where company_id = own_company_id and contact_id = other;
  -- If the person returned to an earlier phone number, two rows contain this number. The merge combines the two rows.
  insert into public.contact_former_phones as former (company_id, contact_id, phone, until)
  select own_company_id, survivor, (array_agg(known.phone order by known.until desc, known.phone))[1], max(known.until)
  from (
    select phone, until from public.contact_former_phones
    where company_id = own_company_id and contact_id = other
    union all
    -- As far as the platform knows, the person still has this phone number.
    select theirs.phone, 'infinity' where theirs.phone_key <> own.phone_key
  ) as known
  group by app.phone_key(known.phone)
  on conflict on constraint contact_former_phones_once do update set
    until = greatest(former.until, excluded.until);
  insert into public.contact_identity_events (company_id, contact_id, kind, was, becomes, happened_at)
  select company_id, survivor, kind, was, becomes, happened_at from public.contact_identity_events
  where company_id = own_company_id and contact_id = other
  union all
  select own_company_id, survivor, 'merged', other::text, survivor::text, now()
  on conflict on constraint contact_identity_events_once do nothing;

  -- With this setting, the event triggers create a single event, contact.merged, for the deletion of one contact and
  -- the change of the survivor.
  perform set_config('app.merged', survivor || ' ' || other, true);
  delete from public.contacts where company_id = own_company_id and id = other;
  update public.deleted_rows set merged_into = survivor
  where company_id = own_company_id and resource = 'contacts' and id = any (other || array(
    select id from public.deleted_rows where company_id = own_company_id and merged_into = other
  ));

  update public.contacts set
    phone = coalesce(own.phone, theirs.phone),
    has_identity = own.has_identity or theirs.has_identity,
    -- A name from a member or a key takes precedence over a profile name. Of two profile names, the earlier name is
    -- kept.
    (name, profile_name_at) = (
      select name, profile_name_at
      from (values (1, own.name, own.profile_name_at), (2, theirs.name, theirs.profile_name_at))
        as names (place, name, profile_name_at)
      where name <> ''
      order by profile_name_at nulls first, case when profile_name_at is not null then name collate "C" end, place
      limit 1
    ),
    external_id = coalesce(own.external_id, theirs.external_id),
    email = coalesce(nullif(own.email, ''), theirs.email, own.email),
    job_title = coalesce(nullif(own.job_title, ''), theirs.job_title, own.job_title),
    empresa = coalesce(nullif(own.empresa, ''), theirs.empresa, own.empresa),
    tags = array(
      select tag
      from unnest(own.tags || theirs.tags) with ordinality as tagged (tag, place)
      group by tag order by min(place) limit 50
    ),
    -- public.merge_contact() refuses a merge whose custom fields do not fit. A merge that an event from WhatsApp causes
    -- omits the custom fields that do not fit.
    custom_fields = own.custom_fields || app.missing_fields(own.custom_fields, theirs.custom_fields, 32768),
    -- The survivor gets do_not_contact if one of the two contacts had it. The survivor also gets the newest "stop" and
    -- the newest "start" of the two contacts, which are one person's words. If the person last wrote "start", a trigger
    -- withdraws the "stop".
    do_not_contact = own.do_not_contact or theirs.do_not_contact,
    (do_not_contact_source, do_not_contact_at) = (
      select source, at
      from (values
        (own.do_not_contact, own.do_not_contact_source, own.do_not_contact_at),
        (theirs.do_not_contact, theirs.do_not_contact_source, theirs.do_not_contact_at)
      ) as said (stops, source, at)
      order by stops desc, source = 'manual' desc nulls last, at desc nulls last
      limit 1
    ),
    stop_word_at = greatest(own.stop_word_at, theirs.stop_word_at),
    start_word_at = greatest(own.start_word_at, theirs.start_word_at),
    marketing_stopped_at = greatest(own.marketing_stopped_at, theirs.marketing_stopped_at),
    marketing_stop_source = case
      when own.marketing_stopped_at is null or theirs.marketing_stopped_at > own.marketing_stopped_at
        then theirs.marketing_stop_source
      else own.marketing_stop_source
    end,
    marketing_resumed_at = greatest(own.marketing_resumed_at, theirs.marketing_resumed_at)
  where company_id = own_company_id and id = survivor;
  perform set_config('app.merged', '', true);

  -- Two people seemed to have the same phone number, but they are one person, who has changed the number.
  for taken in
    delete from public.contact_identity_events
    where company_id = own_company_id and contact_id = survivor and kind = 'phone_taken'
      and app.phone_key(becomes) in (own.phone_key, theirs.phone_key)
    returning was, becomes, happened_at
  loop
    perform app.change_phone(own_company_id, survivor, taken.was, taken.becomes, taken.happened_at);
  end loop;
  return true;
end
$$;
comment on function app.merge_contacts(uuid, uuid, uuid) is
  'Merges two contacts of a company into one. The survivor gets the deals, conversations, ids, phone numbers and '
  'opt-outs of the other contact. Empty fields of the survivor get the values of the other contact. The other contact '
  'is deleted, and its tombstone in deleted_rows contains the survivor''s id. Returns false when one of the contacts '
  'no longer exists. The caller must hold the advisory lock of the company, or the caller''s transaction must make no '
  'other changes.';

create function app.lock_for_merging(own_company_id uuid, survivor_id uuid, from_id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  begun_at constant timestamptz := clock_timestamp();
  locked_messages bigint;
begin
  -- Because of this lock, a company's merges run one after the other, and no event of the company is applied during a
  -- merge.
  perform set_config('lock_timeout', '4s', true);
  perform pg_advisory_xact_lock(hashtextextended('events of ' || own_company_id, 0));
  loop
    begin
      -- A transaction that adds contacts acquires this lock before it locks a row. But a transaction that changes a
      -- phone number locks the contact first, and may wait for this lock while this function waits for the contact.
      -- So each try waits only briefly for a row, and then releases its locks.
      perform app.lock_further_phones(own_company_id);
      perform set_config('lock_timeout', '250ms', true);
      -- The deals are locked before the contacts. A transaction that assigns a deal to another contact also locks the
      -- deal first.
      perform from public.deals where company_id = own_company_id and contact_id = from_id
      order by id for no key update;
      -- Every transaction acquires its locks in this order: messages, contacts, windows, conversations. The survivor's
      -- messages do not change.
      perform from public.messages where id = any ((select app.messages_of(own_company_id, array[from_id]))::uuid[])
      order by id for no key update;
      get diagnostics locked_messages = row_count;
      perform from public.contacts where company_id = own_company_id and id in (survivor_id, from_id)
      order by id for update;
      perform from public.contact_windows where company_id = own_company_id and contact_id in (survivor_id, from_id)
      order by id for update;
      perform from public.conversations where company_id = own_company_id and contact_id in (survivor_id, from_id)
      order by id for update;
      perform set_config('lock_timeout', '4s', true);
      -- A claim may have added another message before the contact was locked. If so, the next try locks that message
      -- too. Later claims wait for the contact.
      exit when cardinality(app.messages_of(own_company_id, array[from_id])) = locked_messages;
      raise sqlstate 'CRM02'; -- releases the locks, to acquire them again in order
    exception when sqlstate 'CRM02' or lock_not_available then
      if clock_timestamp() > begun_at + interval '4 seconds' then
        raise lock_not_available using message = 'Other transactions are changing the contacts or their messages';
      end if;
    end;
  end loop;
end
$$;
comment on function app.lock_for_merging(uuid, uuid, uuid) is
  'Locks two contacts and the rows that move to the survivor, in the same order as every other transaction.';

create function app.merge_found_contacts(
  own_company_id uuid, survivor_id uuid, from_id uuid, accepted_versions bigint[]
) returns jsonb
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  survivor public.contacts;
  other public.contacts;
  holder uuid;
begin
  perform app.lock_for_merging(own_company_id, survivor_id, from_id);

  select * into survivor from public.contacts where company_id = own_company_id and id = survivor_id;
  if survivor.id is null then
    holder := app.survivor_of(own_company_id, survivor_id);
    return case
      when holder is null then '{"status": 404}'
      else jsonb_build_object('status', 409, 'existing_id', holder, 'merged', true)
    end;
  elsif survivor.erased_at is not null then
    raise sqlstate 'PT404' using
      message = 'Contact not found: the person was erased, so nothing is left to change or to restore';
  elsif survivor.archived_at is not null then
    raise sqlstate 'PT404' using
      message = 'Contact not found: it is archived, so restore it before you change it';
  elsif survivor_id = from_id then
    return '{"status": 422, "constraint": "merge_from_another"}';
  end if;

  select * into other from public.contacts where company_id = own_company_id and id = from_id;
  if other.id is null then
    holder := app.survivor_of(own_company_id, from_id);
    return case
      when holder is null then '{"status": 422, "constraint": "merge_from_known"}'
      -- The contact was merged into the survivor earlier.
      when holder = survivor_id then jsonb_build_object('status', 200, 'id', survivor_id)
      else jsonb_build_object('status', 409, 'existing_id', holder, 'field', 'from')
    end;
  elsif other.erased_at is not null then
    return '{"status": 422, "constraint": "merge_from_not_erased"}';
  elsif other.archived_at is not null then
    return '{"status": 422, "constraint": "merge_from_not_archived"}';
  end if;
  if app.missing_fields(survivor.custom_fields, other.custom_fields)
    <> app.missing_fields(survivor.custom_fields, other.custom_fields, 32768)
  then
    return '{"status": 422, "constraint": "merge_custom_fields_fit"}';
  end if;
  perform app.require_version(survivor.version, accepted_versions);
  perform app.merge_contacts(own_company_id, survivor_id, from_id);
  return jsonb_build_object('status', 200, 'id', survivor_id);
end
$$;
comment on function app.merge_found_contacts(uuid, uuid, uuid, bigint[]) is
  'Merges the contact from_id into the contact survivor_id. The result is { status: 200, id }, even if the contacts '
  'were merged earlier. The result is { status: 404 } for an unknown survivor. If the survivor was merged into a third '
  'contact, the result is { status: 409, existing_id, merged } with that contact. If from_id was merged into a third '
  'contact, the result is { status: 409, existing_id, field }. If from_id cannot be merged for another reason, the '
  'result is { status: 422, constraint }, with the violated rule. Raises PT404 for a survivor that is archived or '
  'erased, and PT412 as app.require_version() does.';

create function public.merge_contact(
  id uuid, from_id uuid, accepted_versions bigint[] default null, must_exist boolean default false,
  idempotency jsonb default null
) returns json
-- Security definer, because an API key cannot write most of the rows that a merge changes.
language plpgsql security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('write');
  results jsonb;
  replayed boolean;
begin
  begin
    results := app.claim_idempotency_key(own_company_id, idempotency);
    replayed := results is not null;
    if not replayed then
      results := jsonb_build_array(
        app.merge_found_contacts(own_company_id, merge_contact.id, from_id, accepted_versions)
      );
      if results #>> '{0,status}' <> '200' then
        raise sqlstate 'CRM01'; -- undoes the block, and with it the claim of the key
      end if;
      perform app.keep_outcome(own_company_id, idempotency, results);
    end if;
  exception when sqlstate 'CRM01' then
    null;
  end;
  return app.with_contact_rows(own_company_id, results, replayed);
end
$$;
comment on function public.merge_contact(uuid, uuid, bigint[], boolean, jsonb) is
  'Merges the contact from_id of the key''s company into the contact `id` (the survivor), if the survivor has an '
  'accepted version. Null accepts any version. Needs a write token. The argument must_exist has no effect, because the '
  'survivor must always exist. Returns a result in the format of write_contacts(), with the result of '
  'app.merge_found_contacts() as its only item. Raises the errors of that function, of app.claim_idempotency_key() and '
  'of app.company_id().';
grant execute on function public.merge_contact(uuid, uuid, bigint[], boolean, jsonb) to api_client;
