-- The reactions of a company: a company reacts to a message with an emoji, or removes its reaction. WhatsApp keeps only
-- the newest reaction, so a repeat is harmless. The edge function calls message_to_react(), then WhatsApp, then
-- note_own_reaction(). So a reaction is stored only if WhatsApp accepted it. For reactions of contacts, see
-- 85_inbound.sql.

create function public.message_to_react(message_id uuid, emoji text default null) returns jsonb
-- Security definer, because a key cannot read accounts and windows.
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id constant uuid := app.company_id('messaging');
  message record;
  contact record;
  account record;
  period record;
  answer jsonb;
begin
  select messages.type, messages.whatsapp_message_id, messages.is_erased, messages.revoked_at,
    coalesce(messages.sent_at, messages.created_at) as said_at,
    conversations.contact_id, conversations.messaging_account_id
  into message
  from public.messages
  join public.conversations on conversations.company_id = messages.company_id
    and conversations.id = messages.conversation_id
  where messages.company_id = own_company_id and messages.id = message_to_react.message_id;
  select id, phone, do_not_contact, archived_at,
    case when do_not_contact_at is not null then greatest(do_not_contact_at, stop_word_at) end as stopped_at
  into contact from public.contacts
  where company_id = own_company_id and id = message.contact_id;
  select id, phone_number_id, business_account_id, encrypted_token into account from public.messaging_accounts
  where company_id = own_company_id and id = message.messaging_account_id and disconnected_at is null;
  select last_inbound_at, last_inbound_phone, expires_at into period from public.contact_windows
  where company_id = own_company_id and contact_id = message.contact_id and account_id = message.messaging_account_id;

  answer := case
    when message.is_erased is not false then '{ "result": "not_found" }'
    when message.whatsapp_message_id is null or message.type = 'system' then '{ "result": "not_on_channel" }'
    when message.revoked_at is not null then '{ "result": "revoked" }'
    when message.said_at < now() - interval '30 days' then '{ "result": "too_old" }'
    when contact.archived_at is not null then '{ "result": "archived" }'
    when account.id is null then '{ "result": "no_account" }'
    -- Removing a reaction is allowed, because it does not disturb the person.
    when message_to_react.emoji is not null and contact.do_not_contact and not app.wrote_after_stop(
      own_company_id, contact.id, account.id, contact.stopped_at, period.last_inbound_at
    ) then '{ "result": "do_not_contact" }'
    -- Like a reply, the reaction needs some time to reach WhatsApp.
    when (period.expires_at > now() + interval '60 seconds') is not true
      then jsonb_build_object('result', 'window_closed', 'expires_at', period.expires_at)
    else jsonb_build_object(
      'result', 'ready',
      'account_id', account.id,
      'phone_number_id', account.phone_number_id,
      'business_account_id', account.business_account_id,
      'encrypted_token', account.encrypted_token,
      'whatsapp_message_id', message.whatsapp_message_id,
      'phone', app.reply_phone(own_company_id, contact.id, contact.phone, period.last_inbound_phone),
      'user_id', case when contact.phone is null then
        app.reply_user_id(own_company_id, contact.id, account.business_account_id)
      end
    )
  end;
  perform public.authenticate();
  return answer || jsonb_build_object('company_id', own_company_id);
end
$$;
comment on function public.message_to_react(uuid, text) is
  'Returns the data for setting the company''s reaction on a message, or for removing it if there is no emoji. The '
  'data are the account''s encrypted token, and the same phone number or user_id as in claim_reply(). The result '
  '`not_found` means that the company has no such message. The result `not_on_channel` means that WhatsApp does not '
  'have the message. The result `revoked` means that the person deleted the message. The result `too_old` means that '
  'the message is older than 30 days. The result `archived` means that the contact is archived. The result '
  '`no_account` means that the account of the conversation is disconnected. The result `do_not_contact` means that the '
  'person must not be contacted. The result `window_closed` contains the end of the window, or null when the person '
  'has never written. Raises PT401 and PT403 as app.company_id() does.';
grant execute on function public.message_to_react(uuid, text) to api_client;

create function public.note_own_reaction(message_id uuid, whatsapp_message_id text, emoji text default null)
returns jsonb
-- Security definer, because no key may write messages.
language plpgsql security definer
set search_path = ''
-- With this time zone, the time in the reaction's JSON has the same format as the time columns.
set timezone = 'UTC'
as $$
#variable_conflict use_column
declare
  own_company_id constant uuid := app.company_id('messaging');
  -- No report about a removal changes the message, so the id of a removal is not stored.
  reaction_id constant text := case
    when note_own_reaction.emoji is not null then note_own_reaction.whatsapp_message_id
  end;
  has_failed boolean;
begin
  -- If the company repeats the emoji, only the WhatsApp id changes, so there is no event. If the message is erased, a
  -- trigger removes the reaction again.
  update public.messages set
    own_reaction = case
      when own_reaction ->> 'emoji' = note_own_reaction.emoji then own_reaction
      when note_own_reaction.emoji is not null
        then jsonb_build_object('emoji', note_own_reaction.emoji, 'at', now())
    end,
    own_reaction_whatsapp_id = reaction_id
  where company_id = own_company_id and id = note_own_reaction.message_id
    and (own_reaction ->> 'emoji', own_reaction_whatsapp_id) is distinct from (note_own_reaction.emoji, reaction_id);
  -- WhatsApp's reports about the reaction may arrive before this function runs. Such reports are waiting facts.
  with reports as (
    delete from public.waiting_facts
    where company_id = own_company_id and whatsapp_message_id = note_own_reaction.whatsapp_message_id
    returning item ->> 'status' as word
  )
  select bool_or(word = 'failed') into has_failed from reports;
  if has_failed then
    perform app.take_report_of_reaction(array[own_company_id], note_own_reaction.whatsapp_message_id, 'failed');
  end if;
  return (
    select own_reaction from public.messages where company_id = own_company_id and id = note_own_reaction.message_id
  );
end
$$;
comment on function public.note_own_reaction(uuid, text, text) is
  'After WhatsApp accepted the company''s reaction to a message, stores the reaction and its WhatsApp message id. '
  'Without an emoji, removes the reaction. Returns the stored reaction: { emoji, at }. Returns null if the message has '
  'no reaction now, or if WhatsApp has already reported that it did not deliver the reaction. Raises PT401 and PT403 '
  'as app.company_id() does.';
grant execute on function public.note_own_reaction(uuid, text, text) to api_client;

create function app.take_report_of_reaction(company_ids uuid[], wamid text, word text) returns boolean
language plpgsql
set search_path = ''
as $$
begin
  if word = 'failed' then
    update public.messages set own_reaction = null, own_reaction_whatsapp_id = null
    where company_id = any (company_ids) and own_reaction_whatsapp_id = wamid;
    return found;
  end if;
  return exists (
    select from public.messages where company_id = any (company_ids) and own_reaction_whatsapp_id = wamid
  );
end
$$;
comment on function app.take_report_of_reaction(uuid[], text, text) is
  'Applies a WhatsApp report about a company''s reaction. Returns whether a message has the reaction with this id. If '
  'WhatsApp did not deliver the reaction, removes it from the message. Other reports change nothing.';
