-- What people send to a company: messages, reactions, edits, deletions (revocations), and marketing preferences.
-- Reactions, edits and revocations are facts about an existing message. The newest fact of each kind applies, whatever
-- the order of the events.

create function app.is_marketing(own_company_id uuid, of_message_id uuid) returns boolean
language sql stable
set search_path = ''
as $$
  select exists (
    select from public.sends
    join public.messages on messages.company_id = sends.company_id and messages.id = sends.message_id
    join public.conversations on conversations.company_id = messages.company_id
      and conversations.id = messages.conversation_id
    join public.messaging_accounts as accounts on accounts.company_id = conversations.company_id
      and accounts.id = conversations.messaging_account_id
    join public.templates on templates.company_id = sends.company_id
      and templates.business_account_id = accounts.business_account_id
      and templates.name = sends.template_name and templates.language = sends.language_code
    where sends.company_id = own_company_id and sends.message_id = of_message_id and templates.category = 'MARKETING'
  )
$$;
comment on function app.is_marketing(uuid, uuid) is
  'Checks whether a message was sent with a marketing template. claim_template_send() also checks this category.';

create function app.wish_in(own_company_id uuid, item jsonb, answered_id uuid) returns text
language sql stable
set search_path = ''
as $$
  select case
    when item ->> 'word' = 'stop_promotions' then 'stop_marketing'
    when item ->> 'type' = 'button' and item ->> 'word' is not null and app.is_marketing(own_company_id, answered_id)
      then concat(item ->> 'word', '_marketing')
    -- The company chose the labels of its buttons and lists, and may label one "Voltar" (back). So a tap on a start
    -- word ends no opt-out. A tap on a stop word counts, because it must never be missed.
    when item ->> 'word' = 'start' and item ->> 'type' <> 'text' then null
    else item ->> 'word'
  end
$$;
comment on function app.wish_in(uuid, jsonb, uuid) is
  'Returns the wish in a message that a person sent: stop, start, stop_marketing or start_marketing. A stop or start '
  'button of a marketing template affects only marketing, and so does a text that mentions promotions. If the template '
  'is unknown, a stop button stops all messages. Other start buttons and start entries of lists are no wish.';

create function app.apply_message(account_id uuid, item jsonb) returns text
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id uuid;
  -- WhatsApp's clock may be ahead, so a time in the future is replaced with the current time. A time that Postgres
  -- cannot use is null in the item, and is also replaced with the current time.
  said_at constant timestamptz := least(coalesce((item ->> 'at')::timestamptz, now()), now());
  -- One transaction adds all messages of an event. The function clock_timestamp() preserves their order.
  added_at constant timestamptz := clock_timestamp();
  known_direction text;
  answered_id uuid;
  wish text;
  own_contact_id uuid;
  conversation record;
begin
  select company_id into own_company_id from public.messaging_accounts where id = account_id;
  select direction into known_direction from public.messages
  where company_id = own_company_id and whatsapp_message_id = item ->> 'id';
  if found then
    return case known_direction when 'inbound' then 'done' else 'ignored' end;
  end if;

  own_contact_id := app.find_person(account_id, item -> 'person', said_at);
  if own_contact_id is null then
    return 'unroutable';
  end if;
  loop
    conversation := app.find_or_open_conversation(own_company_id, own_contact_id, account_id);
    exit when conversation.is_new;
    -- The conversation is locked, so that no one closes it before the message is in it. The window is locked first, as
    -- in every transaction.
    perform from public.contact_windows
    where company_id = own_company_id and contact_id = own_contact_id and account_id = apply_message.account_id
    for no key update;
    perform from public.conversations
    where company_id = own_company_id and id = conversation.id and status <> 'closed'
    for no key update;
    exit when found;
  end loop;
  if item ->> 'answers' is not null then
    select id into answered_id from public.messages
    where company_id = own_company_id and whatsapp_message_id = item ->> 'answers';
  end if;
  if item ->> 'word' is not null then
    wish := app.wish_in(own_company_id, item, answered_id);
  end if;
  -- The trigger app.move_conversation() stores this phone number, so that a reply goes to it.
  perform set_config(
    'app.inbound_phone', coalesce(substring(item #>> '{person,phone}' from '^\+[1-9][0-9]{6,14}$'), ''), true
  );
  insert into public.messages (
    company_id, conversation_id, direction, type, content, payload, media, whatsapp_message_id,
    reply_to_whatsapp_id, reply_to_id, sent_at, wish, received_at, created_at, updated_at
  )
  values (
    own_company_id, conversation.id, 'inbound', item ->> 'type', coalesce(item ->> 'content', ''),
    nullif(item -> 'payload', 'null'), nullif(item -> 'media', 'null'), item ->> 'id',
    item ->> 'answers', answered_id, said_at, wish,
    -- If the event is applied later, the item contains the time at which the event was received.
    coalesce((item ->> 'received_at')::timestamptz, now()), added_at, added_at
  )
  on conflict (company_id, whatsapp_message_id) do nothing;
  if wish is not null then
    if wish in ('stop', 'start') then
      perform app.note_word(own_company_id, own_contact_id, wish, said_at);
    end if;
    -- The keyword "start" also allows marketing.
    if wish <> 'stop' then
      perform app.note_marketing(
        own_company_id, own_contact_id, wish = 'stop_marketing', case item ->> 'type' when 'text' then 'word' else 'button' end,
        said_at
      );
    end if;
    perform app.share_wishes(own_company_id, own_contact_id, item #>> '{person,phone}', said_at);
  end if;
  return 'done';
end
$$;
comment on function app.apply_message(uuid, jsonb) is
  'Adds a message that a person sent to an account. The message goes into the person''s conversation that is not '
  'closed, or into a new one. A message that is already stored changes nothing. If the id belongs to an outbound '
  'message, the item is ignored. The function app.wish_in() determines the wish in the message.';

create function app.target_of(
  account_id uuid, item jsonb, out message public.messages, out is_theirs boolean,
  out is_nobodys boolean
)
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id uuid;
  done_at constant timestamptz := least(coalesce((item ->> 'at')::timestamptz, now()), now());
  person_id uuid;
begin
  select company_id into own_company_id from public.messaging_accounts where id = account_id;
  select * into message from public.messages
  where company_id = own_company_id and whatsapp_message_id = item ->> 'target'
  for no key update;
  -- For a known person, app.find_person() adds no contact. But it may store that an id and a phone number belong to the
  -- same person.
  if message.id is not null and app.known_person(own_company_id, item -> 'person', done_at) is not null then
    person_id := app.find_person(account_id, item -> 'person', done_at);
  end if;
  select messaging_account_id = account_id and contact_id = person_id,
    messaging_account_id = account_id and person_id is null
  into is_theirs, is_nobodys from public.conversations
  where company_id = own_company_id and id = message.conversation_id;
  -- A person's messages still belong to the person after the contact is archived.
  if is_theirs is not true then
    select contacts.archived_phone_key = app.phone_key(item #>> '{person,phone}') or exists (
      select from public.contact_identities
      where company_id = own_company_id and contact_id = contacts.id
        and archived_user_id = item #>> '{person,user_id}'
    ) into is_theirs
    from public.conversations
    join public.contacts on contacts.company_id = conversations.company_id and contacts.id = conversations.contact_id
    where conversations.company_id = own_company_id and conversations.id = message.conversation_id
      and conversations.messaging_account_id = account_id and contacts.archived_at is not null;
  end if;
  is_theirs := coalesce(is_theirs, false);
end
$$;
comment on function app.target_of(uuid, jsonb) is
  'Finds and locks the message that a reaction, an edit or a revocation is about. The result is_theirs is true if the '
  'message is in a conversation on this account with the person who sent the item. The result is_nobodys is true if '
  'the person is unknown and the message is in any conversation on this account.';

create function app.apply_reaction(account_id uuid, item jsonb) returns text
language plpgsql
set search_path = ''
-- With this time zone, the time in the reaction's JSON has the same format as the time columns.
set timezone = 'UTC'
as $$
declare
  reacted_at constant timestamptz := least(coalesce((item ->> 'at')::timestamptz, now()), now());
  new_emoji constant text := nullif(item ->> 'emoji', '');
  target record;
begin
  target := app.target_of(account_id, item);
  if (target.message).id is null then
    perform app.keep_waiting(account_id, item ->> 'target', item);
    return 'waiting';
  -- If the event contains only a user id, the person may be unknown. The reaction is stored nevertheless, because only
  -- the two people in a conversation can react to its messages.
  elsif not (target.is_theirs or target.is_nobodys) then
    return 'ignored';
  end if;
  update public.messages set
    reaction = jsonb_build_object('emoji', new_emoji, 'at', reacted_at)
  where company_id = (target.message).company_id and id = (target.message).id
    and (
      reaction is null
      -- If a reaction and its removal have the same second, the removal is treated as later.
      or (reacted_at, new_emoji is null, coalesce(new_emoji, '') collate "C") > (
        (reaction ->> 'at')::timestamptz, reaction ->> 'emoji' is null, coalesce(reaction ->> 'emoji', '') collate "C"
      )
    );
  return 'done';
end
$$;
comment on function app.apply_reaction(uuid, jsonb) is
  'Stores a person''s reaction to a message, or its removal. A reaction to an unknown message waits.';

create function app.apply_edit(account_id uuid, item jsonb) returns text
language plpgsql
set search_path = ''
as $$
declare
  new_edited_at constant timestamptz := least(coalesce((item ->> 'at')::timestamptz, now()), now());
  target record;
begin
  target := app.target_of(account_id, item);
  if (target.message).id is null then
    perform app.keep_waiting(account_id, item ->> 'target', item);
    return 'waiting';
  -- A person can edit only their own messages.
  elsif not target.is_theirs or (target.message).direction <> 'inbound' or item ->> 'content' is null then
    return 'ignored';
  end if;
  update public.messages set
    original_content = coalesce(original_content, content),
    content = item ->> 'content',
    edited_at = new_edited_at
  where company_id = (target.message).company_id and id = (target.message).id
    and (
      edited_at is null or (new_edited_at, item ->> 'content' collate "C") > (edited_at, content collate "C")
    );
  return 'done';
end
$$;
comment on function app.apply_edit(uuid, jsonb) is
  'Replaces a message''s text with the person''s edited text. An edit of an unknown message waits.';

create function app.apply_revoke(account_id uuid, item jsonb) returns text
language plpgsql
set search_path = ''
as $$
declare
  new_revoked_at constant timestamptz := least(coalesce((item ->> 'at')::timestamptz, now()), now());
  target record;
begin
  target := app.target_of(account_id, item);
  if (target.message).id is null then
    perform app.keep_waiting(account_id, item ->> 'target', item);
    return 'waiting';
  elsif not target.is_theirs or (target.message).direction <> 'inbound' then
    return 'ignored';
  end if;
  update public.messages set revoked_at = new_revoked_at
  where company_id = (target.message).company_id and id = (target.message).id
    and (revoked_at is null or revoked_at > new_revoked_at);
  return 'done';
end
$$;
comment on function app.apply_revoke(uuid, jsonb) is
  'Records that a person deleted a message. A revocation of an unknown message waits.';

create function app.apply_preference(account_id uuid, item jsonb) returns text
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id constant uuid := (select company_id from public.messaging_accounts where id = account_id);
  said_at constant timestamptz := least(coalesce((item ->> 'at')::timestamptz, now()), now());
  is_stop constant boolean := item ->> 'value' = 'stop';
  their_key constant text := app.phone_key(item #>> '{person,phone}');
  own_contact_id uuid;
  stored public.contacts;
begin
  if app.known_person(own_company_id, item -> 'person', said_at) is null then
    -- The item may be a repeat. Since the item was first applied, the contact may have been archived or may have got
    -- another phone number.
    stored := app.inherited_wishes(own_company_id, array[their_key, item #>> '{person,user_id}'] || array(
      select contacts.archived_phone_key from public.contact_former_phones as former
      join public.contacts on contacts.company_id = former.company_id and contacts.id = former.contact_id
      where former.company_id = own_company_id and former.archived_phone_key = their_key and former.until >= said_at
    ), null);
    if (said_at, is_stop) <= (stored.marketing_stopped_at, true)
      or (said_at, is_stop) <= (stored.marketing_resumed_at, false)
    then
      return 'done';
    end if;
  end if;
  -- An unknown person becomes a contact, because an opt-out must also apply if the company writes to this person later.
  own_contact_id := app.find_person(account_id, item -> 'person', said_at);
  if own_contact_id is null then
    return 'unroutable';
  elsif (item ->> 'value' in ('stop', 'resume')) is not true then
    return 'ignored';
  end if;
  perform app.note_marketing(own_company_id, own_contact_id, is_stop, 'preference', said_at);
  perform app.share_wishes(own_company_id, own_contact_id, item #>> '{person,phone}', said_at);
  return 'done';
end
$$;
comment on function app.apply_preference(uuid, jsonb) is
  'Records that a person opted out of marketing messages or opted in again. The newest decision applies, whatever the '
  'order of the events. An unknown person becomes a contact, unless this decision or a newer one is already stored, '
  'for example in an archived contact.';
