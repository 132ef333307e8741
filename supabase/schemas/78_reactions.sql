-- The reactions of a company: a company reacts to a message with an emoji, or takes its reaction back. The channel keeps
-- only the newest reaction, so a repeat does no harm. The call to the channel comes between the first two functions,
-- because it may fail. The reactions of people are in 85_inbound.sql.

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
  select id, phone, do_not_contact, do_not_contact_at, archived_at into contact from public.contacts
  where company_id = own_company_id and id = message.contact_id;
  select id, phone_number_id, business_account_id, encrypted_token into account from public.messaging_accounts
  where company_id = own_company_id and id = message.messaging_account_id and disconnected_at is null;
  select last_inbound_at, expires_at into period from public.contact_windows
  where company_id = own_company_id and contact_id = message.contact_id and account_id = message.messaging_account_id;

  answer := case
    when message.is_erased is not false then '{ "result": "not_found" }'
    when message.whatsapp_message_id is null or message.type = 'system' then '{ "result": "not_on_channel" }'
    when message.revoked_at is not null then '{ "result": "revoked" }'
    when message.said_at < now() - interval '30 days' then '{ "result": "too_old" }'
    when contact.archived_at is not null then '{ "result": "archived" }'
    when account.id is null then '{ "result": "no_account" }'
    -- A removed reaction does not disturb the person.
    when message_to_react.emoji is not null and contact.do_not_contact and not app.wrote_after_stop(
      own_company_id, contact.id, account.id, contact.do_not_contact_at, period.last_inbound_at
    ) then '{ "result": "do_not_contact" }'
    -- As for a reply, the reaction still needs time to reach the channel.
    when (period.expires_at > now() + interval '60 seconds') is not true
      then jsonb_build_object('result', 'window_closed', 'expires_at', period.expires_at)
    else jsonb_build_object(
      'result', 'ready',
      'account_id', account.id,
      'phone_number_id', account.phone_number_id,
      'business_account_id', account.business_account_id,
      'encrypted_token', account.encrypted_token,
      'whatsapp_message_id', message.whatsapp_message_id,
      'phone', contact.phone,
      'user_id', case when contact.phone is null then app.newest_user_id(own_company_id, contact.id) end
    )
  end;
  perform public.authenticate();
  return answer || jsonb_build_object('company_id', own_company_id);
end
$$;
comment on function public.message_to_react(uuid, text) is
  'Returns what the channel needs to put the company''s reaction on a message, or to remove it if there is no emoji: '
  'the account''s encrypted token, and the phone of the person, or user_id if there is no phone. The result not_found '
  'means that the company has no such message, not_on_channel that the channel does not have it, revoked that the person '
  'took it back, too_old that it is older than 30 days, archived that its contact is archived, no_account that its '
  'account is disconnected, and do_not_contact that the person must not be contacted. The result window_closed has the '
  'end of the window, or null when the person has never written. Raises PT401 and PT403 as app.company_id() does.';
grant execute on function public.message_to_react(uuid, text) to api_client;

create function public.note_own_reaction(message_id uuid, whatsapp_message_id text, emoji text default null)
returns jsonb
-- Security definer, because no key may write messages.
language plpgsql security definer
set search_path = ''
-- With this time zone, the time of a reaction has the same form as the time columns.
set timezone = 'UTC'
as $$
#variable_conflict use_column
declare
  own_company_id constant uuid := app.company_id('messaging');
  has_failed boolean;
begin
  -- A repeat changes nothing, so it makes no event. The trigger of an erased message stores no reaction.
  update public.messages set
    own_reaction = case
      when note_own_reaction.emoji is not null
        then jsonb_build_object('emoji', note_own_reaction.emoji, 'at', now())
    end,
    own_reaction_whatsapp_id = case
      when note_own_reaction.emoji is not null then note_own_reaction.whatsapp_message_id
    end
  where company_id = own_company_id and id = note_own_reaction.message_id
    and own_reaction ->> 'emoji' is distinct from note_own_reaction.emoji;
  -- The reports may come before this function runs.
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
  'Stores the company''s reaction to a message after the channel accepted it, with the channel''s id of the reaction. '
  'Without an emoji, removes the reaction. Returns the stored reaction: { emoji, at }. Returns null if there is none, '
  'also when the channel has already reported that it did not deliver the reaction. Raises PT401 and PT403 as '
  'app.company_id() does.';
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
  'Applies a report of the channel about a company''s reaction, and returns whether the id is that of a stored reaction. '
  'If the channel did not deliver the reaction, the message loses it. The other reports change nothing.';
