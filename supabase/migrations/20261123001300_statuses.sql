-- What the channel reports of a message that the company sent: sent, delivered, read or failed. Reports come late,
-- twice and in any order. Each fills its own slot of the message, so that they all end in the same row.

create function app.send_of_mark(candidates uuid[], mark jsonb) returns uuid
language sql stable
set search_path = ''
as $$
  select sends.id
  from public.sends
  join public.messages on messages.company_id = sends.company_id and messages.id = sends.message_id
  join public.conversations on conversations.company_id = messages.company_id
    and conversations.id = messages.conversation_id
  where sends.id = case
      when pg_catalog.pg_input_is_valid(mark ->> 'send_id', 'uuid') then (mark ->> 'send_id')::uuid
    end
    and conversations.messaging_account_id = any (candidates)
$$;
comment on function app.send_of_mark(uuid[], jsonb) is
  'The send that a mark names, when it goes out by one of these accounts. A mark is no secret: whoever sees it must '
  'not move the send of another account.';

create function app.take_report(of_send_id uuid, mark_attempt text, wamid text, word text, reason text, code integer)
returns text
language plpgsql
set search_path = ''
as $$
declare
  send record;
begin
  select id, state, attempt, sends.reason, whatsapp_message_id into send
  from public.sends where id = of_send_id
  for no key update;
  if not found then
    return 'waiting';
  elsif send.whatsapp_message_id = wamid then
    -- Its message failed to be delivered on another device, or before that was known. The channel took it all the same.
    if send.state = 'failed' and word <> 'failed' then
      update public.sends set state = 'sent', reason = null, channel_code = null where id = send.id;
    end if;
    return 'done';
  elsif mark_attempt !~ '^[1-9][0-9]{0,8}$' or mark_attempt::integer > send.attempt then
    return 'waiting';
  elsif mark_attempt::integer < send.attempt then
    -- Only an attempt that was released is followed by another one. It settles nothing any more.
    return 'released_but_sent';
  elsif send.whatsapp_message_id is not null then
    perform app.note_double_send(send.id, wamid);
    return 'double_send';
  end if;

  -- The channel gives an id to what it takes, also when it cannot deliver it.
  update public.sends set
    state = case word when 'failed' then 'failed' else 'sent' end,
    whatsapp_message_id = wamid,
    reason = case word when 'failed' then take_report.reason end,
    channel_code = case word when 'failed' then code end
  where id = send.id;
  return case
    when send.state = 'released' or (send.state = 'failed' and send.reason <> 'outcome_unknown' and word <> 'failed')
      then 'released_but_sent'
    else 'done'
  end;
end
$$;
comment on function app.take_report(uuid, text, text, text, text, integer) is
  'What a report says of its send: that the channel took it, under this id. mark_attempt is that of the report''s '
  'mark, or empty. Returns done; released_but_sent when the ledger said that the channel did not take it; '
  'double_send when the attempt has another id; waiting when there is no such send any more.';

create function app.apply_status(candidates uuid[], item jsonb) returns text
language plpgsql
set search_path = ''
as $$
declare
  word constant text := item ->> 'status';
  wamid constant text := item ->> 'id';
  -- Nothing happens in the future. least() ignores null.
  reported_at constant timestamptz := least((item ->> 'at')::timestamptz, now());
  code constant integer := case
    when item #>> '{failure,code}' ~ '^[0-9]{1,9}$' then (item #>> '{failure,code}')::integer
  end;
  failure_told constant jsonb := case word when 'failed' then jsonb_build_object(
    'reason', coalesce(nullif(left(item #>> '{failure,reason}', 64), ''), 'channel_error'),
    'code', code,
    'message', left(item #>> '{failure,message}', 1000),
    'details', left(item #>> '{failure,details}', 1000)
  ) end;
  companies uuid[];
  marked_send_id uuid;
  found_message record;
  own_send_id uuid;
  result text := 'done';
  was record;
  becomes record;
begin
  if word is null or word not in ('sent', 'delivered', 'read', 'failed')
    or wamid is null or char_length(wamid) not between 1 and 255
  then
    return 'ignored';
  end if;
  companies := array(
    select distinct accounts.company_id from public.messaging_accounts as accounts where accounts.id = any (candidates)
  );
  if companies = '{}' then
    return 'unroutable';
  end if;

  -- By the id. A report of what a person wrote is none. Several companies that had the number may have the same id: the
  -- mark tells whose it is; without one, the newest message is meant.
  marked_send_id := case when cardinality(companies) > 1 then app.send_of_mark(candidates, item -> 'mark') end;
  select messages.company_id, messages.id, sends.id as send_id into found_message
  from public.messages
  left join public.sends on sends.company_id = messages.company_id and sends.message_id = messages.id
  where messages.company_id = any (companies) and messages.whatsapp_message_id = wamid
    and messages.direction = 'outbound'
  order by (sends.id = marked_send_id) is true desc, messages.created_at desc, messages.id
  limit 1;
  -- Else by the mark.
  own_send_id := coalesce(found_message.send_id, marked_send_id, app.send_of_mark(candidates, item -> 'mark'));
  if own_send_id is not null then
    result := app.take_report(
      own_send_id, coalesce(item #>> '{mark,attempt}', ''), wamid, word, failure_told ->> 'reason', code
    );
    if found_message.id is null and result in ('done', 'released_but_sent') then
      select sends.company_id, sends.message_id as id, sends.id as send_id into found_message
      from public.sends where sends.id = own_send_id and sends.whatsapp_message_id = wamid;
    end if;
  end if;
  if found_message.id is null then
    -- Each company that had the number: the message may become known to any of them.
    perform app.keep_waiting(accounts.id, wamid, item)
    from (
      select distinct on (accounts.company_id) accounts.id from public.messaging_accounts as accounts
      where accounts.id = any (candidates)
      order by accounts.company_id, accounts.id
    ) as accounts;
    return case when own_send_id is null then 'waiting' else result end;
  end if;

  select sent_at, delivered_at, read_at, failed_at, failure, price_category, price_type, expired_at, expires_at into was
  from public.messages
  where company_id = found_message.company_id and id = found_message.id
  for no key update;
  becomes := was;
  case word
    when 'sent' then
      becomes.sent_at := least(was.sent_at, reported_at);
    when 'delivered' then
      becomes.delivered_at := least(was.delivered_at, reported_at);
    when 'read' then
      becomes.read_at := least(was.read_at, reported_at);
    when 'failed' then
      if was.failed_at is null
        or (reported_at, failure_told::text collate "C") < (was.failed_at, was.failure::text)
      then
        becomes.failed_at := reported_at;
        becomes.failure := failure_told;
      end if;
  end case;
  -- The price stands in some reports only, and is the same in all of them.
  becomes.price_category := least(was.price_category, nullif(left(item #>> '{price,category}', 64), '') collate "C");
  becomes.price_type := least(was.price_type, nullif(left(item #>> '{price,type}', 64), '') collate "C");
  if becomes is distinct from was and was.expired_at is not null then
    becomes.expired_at := null;
    if word = 'sent' then
      -- Its reports are late, so that of its delivery has another hour.
      becomes.expires_at := now() + interval '1 hour';
    end if;
  end if;
  if becomes is distinct from was then
    update public.messages set
      sent_at = becomes.sent_at,
      delivered_at = becomes.delivered_at,
      read_at = becomes.read_at,
      failed_at = becomes.failed_at,
      failure = becomes.failure,
      price_category = becomes.price_category,
      price_type = becomes.price_type,
      expired_at = becomes.expired_at,
      expires_at = becomes.expires_at
    where company_id = found_message.company_id and id = found_message.id;
  end if;

  if item ->> 'recipient_user_id' is not null then
    perform app.learn_recipient(
      found_message.company_id, found_message.id, item ->> 'recipient_user_id', item ->> 'waba', reported_at
    );
  end if;
  if word = 'failed' then
    -- Of several failures, the ledger gives the reason that the message shows.
    update public.sends set reason = becomes.failure ->> 'reason', channel_code = (becomes.failure ->> 'code')::integer
    where id = found_message.send_id and state = 'failed'
      and (reason, channel_code) is distinct from (becomes.failure ->> 'reason', (becomes.failure ->> 'code')::integer);
    perform app.note_failure(found_message.company_id, found_message.id, code, reported_at);
  end if;
  return result;
end
$$;
comment on function app.apply_status(uuid[], jsonb) is
  'Applies one report of a message, of an app that may speak for these accounts. The message is found by its id, '
  'else by the mark of its send. Returns done; waiting when no message is known; ignored for a report of another '
  'kind; unroutable without an account; double_send when the attempt has another id already, whose facts stay as '
  'they are, so that the report is only kept; released_but_sent when the ledger said that the channel did not take '
  'it.';

create function app.learn_recipient(
  own_company_id uuid, of_message_id uuid, new_user_id text, at_business_account_id text, at timestamptz
) returns void
language plpgsql
set search_path = ''
as $$
declare
  recipient_id uuid;
begin
  -- Of a contact without a phone, the recipient may be the rest: that person hides the phone.
  if exists (
    select from public.contact_identities as known
    join public.contacts on contacts.company_id = known.company_id and contacts.id = known.contact_id
    where known.company_id = own_company_id and known.user_id = new_user_id and contacts.phone is not null
  ) then
    return;
  end if;
  select contacts.id into recipient_id
  from public.messages
  join public.conversations on conversations.company_id = messages.company_id
    and conversations.id = messages.conversation_id
  join public.contacts on contacts.company_id = conversations.company_id and contacts.id = conversations.contact_id
  where messages.company_id = own_company_id and messages.id = of_message_id
  for no key update of contacts;
  if found then
    perform app.learn_user_id(
      own_company_id, recipient_id, new_user_id, substring(at_business_account_id from '^[0-9]{1,32}$'), at
    );
  end if;
end
$$;
comment on function app.learn_recipient(uuid, uuid, text, text, timestamptz) is
  'Notes an id that is not known yet as that of the person whom a message went to. A person who hides the phone may answer '
  'under it alone; a contact that this has made already is merged with the recipient.';
