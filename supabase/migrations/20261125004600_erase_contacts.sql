-- A person is erased in one transaction: from everything that names them, or has words of theirs. What is counted stays,
-- under the same ids. It cannot be undone.

create function app.lock_for_erasing(own_company_id uuid, contact_ids uuid[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  found_messages bigint;
  locked_messages bigint;
begin
  -- Events of the company are not applied meanwhile. One that takes its three seconds is waited for.
  perform set_config('lock_timeout', '4s', true);
  perform pg_advisory_xact_lock(hashtextextended('events of ' || own_company_id, 0));
  for tries in 1..5 loop
    begin
      -- The order of all locks: sends, messages, contacts, windows, conversations.
      perform from public.sends
      where company_id = own_company_id and message_id in (
        select messages.id from public.messages
        join public.conversations on conversations.company_id = messages.company_id
          and conversations.id = messages.conversation_id
        where conversations.company_id = own_company_id and conversations.contact_id = any (contact_ids)
      )
      order by id for update;
      perform from public.messages
      where company_id = own_company_id and conversation_id in (
        select id from public.conversations where company_id = own_company_id and contact_id = any (contact_ids)
      )
      order by id for update;
      get diagnostics locked_messages = row_count;
      perform from public.contacts where company_id = own_company_id and id = any (contact_ids)
      order by id for update;
      perform from public.contact_windows where company_id = own_company_id and contact_id = any (contact_ids)
      order by id for update;
      perform from public.conversations where company_id = own_company_id and contact_id = any (contact_ids)
      order by id for update;
      -- A send that was being claimed has its message by now, and later ones wait for the contact.
      select count(*) into found_messages from public.messages
      join public.conversations on conversations.company_id = messages.company_id
        and conversations.id = messages.conversation_id
      where conversations.company_id = own_company_id and conversations.contact_id = any (contact_ids);
      exit when found_messages = locked_messages;
      raise sqlstate 'CRM02'; -- gives the locks back, to take them again in their order
    exception when sqlstate 'CRM02' then
      if tries = 5 then
        raise lock_not_available using message = 'Messages of the contact are being added all the time';
      end if;
    end;
  end loop;
end
$$;
comment on function app.lock_for_erasing(uuid, uuid[]) is
  'Locks everything of some contacts, in the order of all locks, and no event of the company is applied meanwhile.';

create function app.names_of_contacts(own_company_id uuid, contact_ids uuid[])
returns table (name text, until timestamptz, is_former boolean)
language sql stable
set search_path = ''
as $$
  select known.name, max(known.until), bool_and(known.is_former)
  from (
    select app.phone_key(phone) as name, now() as until, false as is_former from public.contacts
    where company_id = own_company_id and id = any (contact_ids) and phone is not null
    union all
    select app.phone_key(phone), least(until, now()), until < 'infinity' from public.contact_former_phones
    where company_id = own_company_id and contact_id = any (contact_ids)
    union all
    select coalesce(user_id, archived_user_id), now(), false from public.contact_identities
    where company_id = own_company_id and contact_id = any (contact_ids)
  ) as known
  group by known.name
$$;
comment on function app.names_of_contacts(uuid, uuid[]) is
  'The phone keys and ids by which the channel names some contacts, and until when: former phones are somebody else''s since.';

create function app.keep_erased_people(own_company_id uuid, contact_ids uuid[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  last_wishes jsonb;
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
  )
  into last_wishes
  from public.contacts
  where company_id = own_company_id and id = any (contact_ids)
  having bool_or(do_not_contact) or bool_or(marketing_opt_out_at is not null);

  insert into app.erased_people as known (company_id, digest, until, wishes)
  select
    own_company_id, app.erased_digest(own_company_id, 'person', names.name), names.until,
    case when not names.is_former then last_wishes end
  from app.names_of_contacts(own_company_id, contact_ids) as names
  on conflict (company_id, digest) do update set
    until = greatest(known.until, excluded.until),
    erased_at = excluded.erased_at,
    -- Someone new, who had inherited the wish, has decided again.
    wishes = case when excluded.until = now() then excluded.wishes else known.wishes end;
end
$$;
comment on function app.keep_erased_people(uuid, uuid[]) is
  'Keeps the digests of what names some contacts, with their wish not to be contacted.';

create function app.erase_contacts(own_company_id uuid, contact_ids uuid[]) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  conversation_ids uuid[];
  message_ids uuid[];
  counts jsonb := '{}';
  changed integer;
  whom jsonb;
  marks bigint[];
  digits text[];
  own_names text[];
begin
  select coalesce(jsonb_object_agg(name, extract(epoch from until)::bigint), '{}'), app.marks_of(array_agg(name)),
    array_agg(substr(name, 2)) filter (where name ~ '^\+[0-9]+$')
  into whom, marks, digits
  from app.names_of_contacts(own_company_id, contact_ids);
  own_names := digits || array(
    select email from public.contacts where company_id = own_company_id and id = any (contact_ids) and email <> ''
  );
  perform app.keep_erased_people(own_company_id, contact_ids);
  perform app.erase_idempotency_keys(own_company_id, contact_ids || array(
    select id from public.deals where company_id = own_company_id and contact_id = any (contact_ids)
  ), own_names);

  conversation_ids := array(
    select id from public.conversations where company_id = own_company_id and contact_id = any (contact_ids)
  );
  message_ids := array(
    select id from public.messages where company_id = own_company_id and conversation_id = any (conversation_ids)
  );
  -- What waits for one of the messages, while their ids can still be compared.
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
  -- The triggers of the rows say what is erased of them.
  update public.sends set is_erased = true where company_id = own_company_id and message_id = any (message_ids);
  get diagnostics changed = row_count;
  counts := counts || jsonb_build_object('sends', changed);
  update public.messages set is_erased = true where company_id = own_company_id and id = any (message_ids);
  get diagnostics changed = row_count;
  counts := counts || jsonb_build_object('messages', changed);

  delete from public.contact_identities where company_id = own_company_id and contact_id = any (contact_ids);
  delete from public.contact_former_phones where company_id = own_company_id and contact_id = any (contact_ids);
  -- Of merges, there are only ids.
  delete from public.contact_identity_events
  where company_id = own_company_id and contact_id = any (contact_ids) and kind <> 'merged';
  delete from public.user_id_changes
  where company_id = own_company_id and (whom ? was or whom ? becomes or whom ? phone_key);
  delete from public.contact_windows where company_id = own_company_id and contact_id = any (contact_ids);
  update public.conversations set status = 'closed', window_expires_at = null
  where company_id = own_company_id and id = any (conversation_ids);
  counts := counts || jsonb_build_object('conversations', cardinality(conversation_ids));
  update public.deals set title = 'Erased' where company_id = own_company_id and contact_id = any (contact_ids);
  get diagnostics changed = row_count;
  counts := counts || jsonb_build_object('deals', changed);
  -- The channel's words about an account hardly ever name a person.
  update public.account_notices set value = '{ "erased": true }'
  where company_id = own_company_id
    and exists (select from unnest(digits) as phone where position(phone in value::text) > 0);

  counts := counts || jsonb_build_object('events', app.erase_in_events(own_company_id, array(
    select events.id from public.channel_events as events
    where events.person_marks && marks or events.person_marks is null
    order by events.id for update
  ), whom));

  update public.contacts set
    erased_at = now(),
    -- Nobody finds it, and nobody restores it.
    archived_at = coalesce(archived_at, now()),
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
  'Erases the person whom some contacts are: overwrites all that names them and all that they wrote or were sent, for good. '
  'Ids, times, states, amounts and counts stay. Returns how many sends, messages, conversations, deals and events. The '
  'contacts are of the company, not erased yet, and locked by app.lock_for_erasing().';
