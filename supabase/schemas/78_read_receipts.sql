-- Read receipts: a company shows a person that it has read the person's message. WhatsApp also marks earlier messages
-- as read. The edge function calls message_to_read(), then WhatsApp, then note_message_read(). So a message is marked
-- as read here only if WhatsApp accepted the call. A repeat is harmless.

create function public.message_to_read(message_id uuid) returns jsonb
-- Security definer, because a key cannot read accounts.
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id constant uuid := app.company_id('messaging');
  message record;
  account record;
  answer jsonb;
begin
  select messages.direction, messages.type, messages.whatsapp_message_id, messages.is_erased,
    coalesce(messages.sent_at, messages.created_at) as said_at, conversations.messaging_account_id
  into message
  from public.messages
  join public.conversations on conversations.company_id = messages.company_id
    and conversations.id = messages.conversation_id
  where messages.company_id = own_company_id and messages.id = message_to_read.message_id;
  if not found or message.is_erased then
    answer := '{ "result": "not_found" }';
  elsif message.direction = 'outbound' or message.type = 'system' or message.whatsapp_message_id is null then
    answer := '{ "result": "not_of_person" }';
  elsif message.said_at < now() - interval '30 days' then
    answer := '{ "result": "too_old" }';
  else
    select id, phone_number_id, business_account_id, encrypted_token into account from public.messaging_accounts
    where company_id = own_company_id and id = message.messaging_account_id and disconnected_at is null;
    answer := case when found then jsonb_build_object(
      'result', 'ready',
      'account_id', account.id,
      'phone_number_id', account.phone_number_id,
      'business_account_id', account.business_account_id,
      'encrypted_token', account.encrypted_token,
      'whatsapp_message_id', message.whatsapp_message_id
    ) else '{ "result": "no_account" }' end;
  end if;
  perform public.authenticate();
  return answer || jsonb_build_object('company_id', own_company_id);
end
$$;
comment on function public.message_to_read(uuid) is
  'Returns the data for marking an inbound message as read, with the account''s encrypted token. The result '
  '`not_found` means that the company has no such message. The result `not_of_person` means that the message is not '
  'from a contact. The result `too_old` means that the message is older than 30 days. The result `no_account` means '
  'that the account of the conversation is disconnected. Raises PT401 and PT403 as app.company_id() does.';
grant execute on function public.message_to_read(uuid) to api_client;

create function public.note_message_read(message_id uuid) returns timestamptz
language plpgsql security definer -- the roles of callers may not write the table
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id constant uuid := app.company_id('messaging');
  message record;
begin
  select id, conversation_id, created_at into message from public.messages
  where company_id = own_company_id and id = note_message_read.message_id and direction = 'inbound';
  if not found then
    return null;
  end if;
  -- Marking all unread messages of a very long conversation would exceed the time limit, also in every repeat.
  with newest as materialized (
    select unread.id from public.messages as unread
    where unread.company_id = own_company_id and unread.conversation_id = message.conversation_id
      and (unread.created_at, unread.id) <= (message.created_at, message.id)
      and unread.direction = 'inbound' and unread.read_at is null and not unread.is_erased
    order by unread.created_at desc, unread.id desc limit 1000
  ),
  -- All functions lock messages in the order of the ids.
  locked as materialized (
    select unread.id from public.messages as unread
    where unread.company_id = own_company_id and unread.id in (select newest.id from newest) and unread.read_at is null
    order by unread.id
    for no key update
  )
  update public.messages set read_at = now()
  where company_id = own_company_id and id in (select locked.id from locked);
  return (select read_at from public.messages where company_id = own_company_id and id = message.id);
end
$$;
comment on function public.note_message_read(uuid) is
  'Records that the company has read an inbound message and the earlier messages of the conversation. A call marks at '
  'most 1,000 messages, newest first, and a repeat marks the next ones. Returns the time at which the message was first '
  'marked as read, or null when the company has no such message. Raises PT401 and PT403 as app.company_id() does.';
grant execute on function public.note_message_read(uuid) to api_client;
