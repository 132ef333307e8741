-- Messages of people.

create function app.apply_message(account_id uuid, item jsonb) returns text
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id uuid;
  -- A clock of the channel may be ahead, and an unusable time is null. Nobody writes in the future.
  said_at constant timestamptz := least(coalesce((item ->> 'at')::timestamptz, now()), now());
  -- The messages of one event are of one transaction, and keep their order.
  received_at constant timestamptz := clock_timestamp();
  known_direction text;
  contact_id uuid;
  own_conversation_id uuid;
begin
  select company_id into own_company_id from public.messaging_accounts where id = account_id;
  select direction into known_direction from public.messages
  where company_id = own_company_id and whatsapp_message_id = item ->> 'id';
  if found then
    return case known_direction when 'inbound' then 'done' else 'ignored' end;
  end if;

  contact_id := app.find_person(account_id, item -> 'person', said_at);
  if contact_id is null then
    return 'unroutable';
  end if;
  own_conversation_id := (app.find_or_open_conversation(own_company_id, contact_id, account_id)).id;
  insert into public.messages (
    company_id, conversation_id, direction, type, content, payload, media, whatsapp_message_id,
    reply_to_whatsapp_id, reply_to_id, sent_at,
    created_at, updated_at
  )
  values (
    own_company_id, own_conversation_id, 'inbound', item ->> 'type', coalesce(item ->> 'content', ''),
    nullif(item -> 'payload', 'null'), nullif(item -> 'media', 'null'), item ->> 'id',
    item ->> 'answers',
    (
      select id from public.messages
      where company_id = own_company_id and whatsapp_message_id = item ->> 'answers'
    ),
    said_at, received_at, received_at
  )
  on conflict (company_id, whatsapp_message_id) do nothing;
  if item ->> 'word' is not null then
    perform app.note_word(own_company_id, contact_id, item ->> 'word', said_at);
  end if;
  return 'done';
end
$$;
comment on function app.apply_message(uuid, jsonb) is
  'Adds a message of a person on an account to their conversation that is not closed, or to a new one. A message that is '
  'known already changes nothing; an id that is one of our own messages'' is ignored.';
