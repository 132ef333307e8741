-- One transaction erases a person from all rows that identify the person or contain the person's messages. The rows
-- remain, with their ids and the values that statistics count. An erasure cannot be undone.

-- This function finds the idempotency keys of the requests that wrote records of a person. The function reads each
-- outcome of the company once, and not once for each record. The outcome of a batch may contain 500 ids, and a person
-- may have a thousand deals.
create function app.erase_idempotency_keys(own_company_id uuid, record_ids uuid[], names text[]) returns void
language plpgsql
set search_path = ''
-- Hash joins are off for the role of API keys. Without hash joins, Postgres would compare each id of each outcome with
-- each of the person's ids.
set enable_hashjoin = on
as $$
declare
  -- A company may have 100,000 keys or more, so each test of a key is cheap. LIKE is much faster than a search for each
  -- name.
  name_patterns constant text[] := array(
    select '%' || regexp_replace(lower(name), '([\\%_])', '\\\1', 'g') || '%' from unnest(names) as name
  );
  -- All formats of a phone number end with the same digits.
  endings constant text[] := array(select right(name, 8) from unnest(names) as name where name ~ '^[0-9]{7,}$');
  -- These patterns find all keys in which the digits occur in this order. Only such a key is reduced to its digits.
  ending_patterns constant text[] := array(
    select '%' || regexp_replace(ending, '(.)', '\1%', 'g') from unnest(endings) as ending
  );
begin
  with written as materialized (
    select id::text from unnest(record_ids) as id
    union
    select id::text from public.deleted_rows
    where company_id = own_company_id and resource = 'contacts' and merged_into = any (record_ids)
  )
  update public.idempotency_keys set
    key = app.erased_digest(company_id, 'key', key),
    -- The fingerprint is an unkeyed hash, so someone could guess a short request from the fingerprint.
    fingerprint = app.erased_digest(company_id, 'key', fingerprint)
  where company_id = own_company_id
    and (
      char_length(path) >= 36 and lower(substring(path from '[0-9A-Fa-f-]{36}')) in (select id from written)
      -- If a batch was refused because of the contact, the outcome contains the id of the contact.
      or exists (
        select from jsonb_path_query(outcome, '$.** ? (@.type() == "string")') as named (id)
        where named.id #>> '{}' in (select id from written)
      )
      or lower(key) like any (name_patterns)
      or key like any (ending_patterns) and exists (
        select from unnest(endings) as ending where position(ending in regexp_replace(key, '[^0-9]', '', 'g')) > 0
      )
    );
end
$$;
comment on function app.erase_idempotency_keys(uuid, uuid[], text[]) is
  'Replaces idempotency keys with hashes. Affects the requests that wrote or found these records, and the requests '
  'whose keys contain these names.';

create function app.lock_for_erasing(own_company_id uuid, contact_ids uuid[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  locked_messages bigint;
begin
  -- While this lock is held, no event of the company is applied. An event may take three seconds, so the function waits
  -- up to four seconds for the lock.
  perform set_config('lock_timeout', '4s', true);
  perform pg_advisory_xact_lock(hashtextextended('events of ' || own_company_id, 0));
  for tries in 1..5 loop
    begin
      -- Every transaction acquires its locks in this order: sends, messages, contacts, windows, conversations.
      perform from public.sends
      where company_id = own_company_id
        and message_id = any ((select app.messages_of(own_company_id, contact_ids))::uuid[])
      order by id for update;
      perform from public.messages where id = any ((select app.messages_of(own_company_id, contact_ids))::uuid[])
      order by id for update;
      get diagnostics locked_messages = row_count;
      perform from public.contacts where company_id = own_company_id and id = any (contact_ids)
      order by id for update;
      perform from public.contact_windows where company_id = own_company_id and contact_id = any (contact_ids)
      order by id for update;
      perform from public.conversations where company_id = own_company_id and contact_id = any (contact_ids)
      order by id for update;
      -- A claim may have added another message before the contact was locked. If so, the next try locks that message
      -- too. Later claims wait for the contact.
      exit when cardinality(app.messages_of(own_company_id, contact_ids)) = locked_messages;
      raise sqlstate 'CRM02'; -- releases the locks, to acquire them again in order
    exception when sqlstate 'CRM02' then
      if tries = 5 then
        raise lock_not_available using message = 'Messages of the contact are being added continuously';
      end if;
    end;
  end loop;
end
$$;
comment on function app.lock_for_erasing(uuid, uuid[]) is
  'Locks all rows of some contacts, in the same order as every other transaction. Until this transaction ends, no '
  'event of the company is applied.';

create function app.keep_erased_people(own_company_id uuid, contact_ids uuid[], names jsonb) returns void
language plpgsql
set search_path = ''
as $$
declare
  last_wishes jsonb;
  are_archived boolean;
begin
  select jsonb_build_object(
    'do_not_contact', bool_or(do_not_contact),
    'do_not_contact_source', (array_agg(do_not_contact_source order by do_not_contact desc, do_not_contact_at desc))[1],
    'do_not_contact_at', (array_agg(do_not_contact_at order by do_not_contact desc, do_not_contact_at desc))[1],
    'stop_word_at', max(stop_word_at),
    'start_word_at', max(start_word_at),
    'marketing_stopped_at', max(marketing_stopped_at),
    'marketing_stop_source', (array_agg(marketing_stop_source order by marketing_stopped_at desc nulls last))[1],
    'marketing_resumed_at', max(marketing_resumed_at)
  ), bool_and(archived_at is not null)
  into last_wishes, are_archived
  from public.contacts
  where company_id = own_company_id and id = any (contact_ids);

  insert into app.erased_people as known (company_id, digest, until, is_former)
  select own_company_id, app.erased_digest(own_company_id, 'person', name), until, is_former
  from jsonb_to_recordset(names) as named (name text, until timestamptz, is_former boolean)
  on conflict (company_id, digest) do update set
    until = greatest(known.until, excluded.until),
    is_former = known.is_former and excluded.is_former,
    erased_at = excluded.erased_at;
  -- The platform may already keep wishes from another contact of the same person. If the erased contact is archived,
  -- the next contact with the name inherits the newest of these wishes, before and after the erasure.
  perform app.keep_wishes(own_company_id, array[name], case
    when are_archived then app.wishes_of(app.inherited_wishes(own_company_id, array[name], null)) else last_wishes
  end)
  from jsonb_to_recordset(names) as named (name text, is_former boolean) where not is_former
  order by app.erased_digest(own_company_id, 'person', name);
  update app.erased_people as people set
    allowed_at = greatest(people.allowed_at, case when not wished.do_not_contact then app.decided_at(wished) end),
    marketing_allowed_at = greatest(people.marketing_allowed_at, wished.marketing_resumed_at)
  from jsonb_to_recordset(names) as named (name text, is_former boolean)
  join app.kept_wishes as kept on kept.company_id = own_company_id
    and kept.digest = app.erased_digest(own_company_id, 'person', named.name)
  cross join lateral jsonb_populate_record(null::public.contacts, kept.wishes) as wished
  where people.company_id = own_company_id and people.digest = kept.digest and not named.is_former;
  perform app.forget_ended_opt_outs(own_company_id, array(
    select name from jsonb_to_recordset(names) as named (name text)
  ), contact_ids);
end
$$;
comment on function app.keep_erased_people(uuid, uuid[], jsonb) is
  'Stores the hashes of some contacts'' identifiers, the person''s opt-outs, and the times of the person''s opt-ins. The argument `names` contains the rows '
  'of app.names_of_contacts(). Because of the lock of app.lock_for_erasing(), a company''s erasures run one after the '
  'other.';

create function app.erase_contacts(own_company_id uuid, contact_ids uuid[]) returns jsonb
language plpgsql
set search_path = ''
-- Postgres uses the indexes of person_marks only with bitmap scans.
set enable_bitmapscan = on
as $$
declare
  conversation_ids uuid[];
  message_ids uuid[];
  counts jsonb := '{}';
  changed integer;
  names jsonb;
  whom jsonb;
  marks bigint[];
  digits text[];
  own_names text[];
begin
  -- This function decodes the id of every message of the person, so it is called only once.
  select coalesce(jsonb_agg(known), '[]') into names
  from app.names_of_contacts(own_company_id, contact_ids) as known;
  select coalesce(jsonb_object_agg(name, extract(epoch from until)::bigint), '{}'), app.marks_of(array_agg(name)),
    array_agg(substr(name, 2)) filter (where name ~ '^\+[0-9]+$')
  into whom, marks, digits
  from jsonb_to_recordset(names) as known (name text, until timestamptz);
  own_names := digits || array(
    select named.name from public.contacts
    cross join lateral (values (contacts.email), (contacts.name), (contacts.external_id)) as named (name)
    where company_id = own_company_id and id = any (contact_ids) and char_length(named.name) > 2
    union all
    select coalesce(user_id, archived_user_id) from public.contact_identities where company_id = own_company_id and contact_id = any (contact_ids)
  );
  perform app.keep_erased_people(own_company_id, contact_ids, names);
  perform app.erase_idempotency_keys(own_company_id, contact_ids || array(
    select id from public.deals where company_id = own_company_id and contact_id = any (contact_ids)
  ), own_names);

  conversation_ids := array(
    select id from public.conversations where company_id = own_company_id and contact_id = any (contact_ids)
  );
  message_ids := array(
    select id from public.messages where company_id = own_company_id and conversation_id = any (conversation_ids)
  );
  -- Waiting facts about these messages are deleted now, before hashes replace the WhatsApp ids of the messages.
  delete from public.waiting_facts as facts
  where company_id = own_company_id and (
    (facts.person_marks && marks or facts.person_marks is null) and exists (
      select from unnest(app.names_in(facts.item::text)) as name
      where facts.received_at <= to_timestamp((whom -> name)::bigint + 1)
    )
    or whatsapp_message_id in (
      select whatsapp_message_id from public.messages where company_id = own_company_id and id = any (message_ids)
      union all
      select unnest(double_sent_ids || whatsapp_message_id) from public.sends
      where company_id = own_company_id and message_id = any (message_ids)
    )
  );
  -- The triggers of these tables erase the affected columns.
  update public.sends set is_erased = true where company_id = own_company_id and message_id = any (message_ids);
  get diagnostics changed = row_count;
  counts := counts || jsonb_build_object('sends', changed);
  update public.messages set is_erased = true where company_id = own_company_id and id = any (message_ids);
  get diagnostics changed = row_count;
  counts := counts || jsonb_build_object('messages', changed);

  perform app.forget_answers(own_company_id, contact_ids, conversation_ids || message_ids);
  delete from public.contact_identities where company_id = own_company_id and contact_id = any (contact_ids);
  delete from public.contact_former_phones where company_id = own_company_id and contact_id = any (contact_ids);
  -- The events of merges remain, because they contain only ids.
  delete from public.contact_identity_events
  where company_id = own_company_id and contact_id = any (contact_ids) and kind <> 'merged';
  delete from public.user_id_changes
  where company_id = own_company_id and (whom ? was or whom ? becomes or whom ? phone_key);
  delete from public.contact_windows where company_id = own_company_id and contact_id = any (contact_ids);
  update public.opt_out_lifts set reason = null where company_id = own_company_id and contact_id = any (contact_ids);
  update public.conversations set status = 'closed', window_expires_at = null
  where company_id = own_company_id and id = any (conversation_ids);
  counts := counts || jsonb_build_object('conversations', cardinality(conversation_ids));
  update public.deals set title = 'Erased', external_id = null
  where company_id = own_company_id and contact_id = any (contact_ids);
  get diagnostics changed = row_count;
  counts := counts || jsonb_build_object('deals', changed);
  -- A WhatsApp notice about an account hardly ever mentions a person. If it does, its whole value is erased.
  update public.account_notices set value = '{ "erased": true }'
  where company_id = own_company_id
    and app.names_among(value, whom) <> '{}';

  counts := counts || jsonb_build_object('events', app.erase_in_events(
    own_company_id, app.lock_events_with(own_company_id, marks), whom
  ));

  update public.contacts set
    erased_at = now(),
    -- No one can find or restore an erased contact.
    archived_at = coalesce(archived_at, now()),
    external_id = null,
    name = null,
    profile_name_at = null,
    email = null,
    phone = null,
    temperature = default,
    tags = default,
    source = 'erased',
    job_title = null,
    empresa = null,
    custom_fields = default,
    has_identity = false,
    do_not_contact = false,
    do_not_contact_source = null,
    do_not_contact_at = null,
    stop_word_at = null,
    start_word_at = null,
    marketing_stopped_at = null,
    marketing_stop_source = null,
    marketing_resumed_at = null,
    is_active = false
  where company_id = own_company_id and id = any (contact_ids);
  return counts;
end
$$;
comment on function app.erase_contacts(uuid, uuid[]) is
  'Permanently erases the person to whom these contacts belong. Overwrites all data that identifies the person, and '
  'all content that the person wrote or received. The rows remain, with their ids, times, states, amounts and counts. '
  'Returns the numbers of changed sends, messages, conversations, deals and events. The caller checks that the '
  'contacts belong to the company and are not erased yet, and locks them with app.lock_for_erasing().';

-- An API key with the scope `write`, and the company's owners and admins, can erase a person. Agents cannot.
create function public.erase_contact(id uuid, idempotency jsonb default null) returns jsonb
-- Security definer, because no role may write all the columns that are overwritten here.
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_contact_id constant uuid := erase_contact.id;
  own_company_id uuid := app.company_id('write');
  is_person constant boolean := own_company_id is null;
  contact public.contacts;
  counts jsonb;
  earlier jsonb;
begin
  if is_person then
    select company_id into own_company_id from public.contacts
    where id = own_contact_id and company_id = any (app.managed_company_ids());
  end if;
  if own_company_id is null then
    raise sqlstate 'PT404' using message = 'Contact not found';
  end if;
  earlier := app.claim_idempotency_key(own_company_id, idempotency);
  if earlier is null then
    perform app.lock_for_erasing(own_company_id, array[own_contact_id]);
  end if;
  select * into contact from public.contacts where company_id = own_company_id and id = own_contact_id;
  if contact.id is null then
    -- Nothing was erased, so the idempotency key can be used again.
    delete from public.idempotency_keys
    where company_id = own_company_id and path = idempotency ->> 'path' and key = idempotency ->> 'key'
      and outcome is null;
    return jsonb_build_object('replayed', false, 'erased', null, 'data', null);
  end if;
  if earlier is null then
    perform app.keep_outcome(own_company_id, idempotency, jsonb_build_object('id', own_contact_id));
    if contact.erased_at is null then
      counts := app.erase_contacts(own_company_id, array[own_contact_id]);
      select * into contact from public.contacts where company_id = own_company_id and id = own_contact_id;
    else
      -- The first erasure replaced the idempotency keys of that time with hashes. The key of this request is newer, and
      -- may also contain the person's name.
      update public.idempotency_keys set
        key = app.erased_digest(company_id, 'key', key),
        fingerprint = app.erased_digest(company_id, 'key', fingerprint)
      where company_id = own_company_id and path = idempotency ->> 'path' and key = idempotency ->> 'key';
    end if;
  end if;
  -- While the function waited for the locks, the user may have lost the role.
  if is_person and own_company_id <> all (app.managed_company_ids()) then
    raise sqlstate 'PT404' using message = 'Contact not found';
  end if;
  return jsonb_build_object(
    'replayed', earlier is not null, 'erased', counts, 'data', app.contact_json(contact)
  );
end
$$;
comment on function public.erase_contact(uuid, jsonb) is
  'Permanently erases the person of a contact, and returns { replayed, erased, data }. The member `replayed` is true '
  'if an earlier request with the same idempotency key erased the person. The member `erased` contains the number of '
  'rows of each kind, or null when the person was erased earlier. The member `data` is the remaining contact, or null '
  'when a write token''s company has no such contact. Owners and admins of a company may also call this function. '
  'Raises PT404 for other users. Raises PT401 and PT403 as app.company_id() does.';
grant execute on function public.erase_contact(uuid, jsonb) to api_client, authenticated;
