-- Status reports from WhatsApp about an outbound message: sent, delivered, read or failed. Reports may arrive late,
-- twice and in any order. Each kind of report has its own message column, so the order of the reports does not matter.

create function app.send_of_mark(candidates uuid[], mark jsonb) returns uuid
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select sends.id
    from public.sends
    join public.messages on messages.company_id = sends.company_id and messages.id = sends.message_id
    join public.conversations on conversations.company_id = messages.company_id
      and conversations.id = messages.conversation_id
    where sends.id = case
        when pg_catalog.pg_input_is_valid(mark ->> 'send_id', 'uuid') then (mark ->> 'send_id')::uuid
      end
      and conversations.messaging_account_id = any (candidates)
  );
end
$$;
comment on function app.send_of_mark(uuid[], jsonb) is
  'Returns the send that the label in a report identifies, if the send belongs to one of these accounts. The platform '
  'adds the label, with the send id and the attempt, to the message of each send. The label is not a secret. So a '
  'label in an event of one account must not change a send of another account.';

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
    -- An earlier report about this message was a failure, for example on another device. But WhatsApp accepted the
    -- message, so the state of the send becomes sent.
    if send.state = 'failed' and word <> 'failed' then
      update public.sends set state = 'sent', reason = null, channel_code = null where id = send.id;
    end if;
    return 'done';
  elsif mark_attempt !~ '^[1-9][0-9]{0,8}$' or mark_attempt::integer > send.attempt then
    return 'waiting';
  elsif mark_attempt::integer < send.attempt then
    -- The attempt in this report was released, and a later attempt followed. The report no longer settles the send.
    return 'released_but_sent';
  elsif send.whatsapp_message_id is not null then
    perform app.note_double_send(send.id, wamid);
    return 'double_send';
  end if;

  -- WhatsApp assigns an id to each message that it accepts, even if it cannot deliver the message.
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
  'Applies a report to its send. The report proves that WhatsApp accepted the message and gave it the id `wamid`. The '
  'argument mark_attempt is the attempt in the report''s label, or empty. Normally returns `done`. Returns '
  '`released_but_sent` if, according to the ledger, WhatsApp had not accepted the send. Returns `double_send` when the '
  'attempt has another id, and `waiting` when the send or the attempt does not exist.';

create function app.apply_status(candidates uuid[], item jsonb) returns text
language plpgsql
set search_path = ''
as $$
declare
  word constant text := item ->> 'status';
  wamid constant text := item ->> 'id';
  -- A time in the future is replaced with the current time. The function least() ignores null values, so a report
  -- without a time gets the current time.
  reported_at constant timestamptz := least((item ->> 'at')::timestamptz, now());
  code constant integer := case
    when item #>> '{failure,code}' ~ '^[0-9]{1,9}$' then (item #>> '{failure,code}')::integer
  end;
  failure_told jsonb := case word when 'failed' then jsonb_build_object(
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

  -- The function first searches for the message by its id, among outbound messages only. Several companies that had the
  -- same phone number may have a message with the same id. The label identifies the right message. Without a label, the
  -- newest message is used.
  marked_send_id := case when cardinality(companies) > 1 then app.send_of_mark(candidates, item -> 'mark') end;
  select messages.company_id, messages.id, sends.id as send_id into found_message
  from public.messages
  left join public.sends on sends.company_id = messages.company_id and sends.message_id = messages.id
  where messages.company_id = any (companies) and messages.whatsapp_message_id = wamid
    and messages.direction = 'outbound'
  order by (sends.id = marked_send_id) is true desc, messages.created_at desc, messages.id
  limit 1;
  -- If no message has the id, the function searches for the send by the label.
  own_send_id := coalesce(found_message.send_id, marked_send_id, app.send_of_mark(candidates, item -> 'mark'));
  -- These codes mean that WhatsApp cannot use the media file. The reason becomes media_rejected only if the caller
  -- chose the file. In such a message, the column `media` is set. In other messages, the file is the template's sample.
  if word = 'failed' and code in (131052, 131053) and exists (
    select from public.messages
    where messages.company_id = any (companies) and messages.direction = 'outbound' and messages.media is not null
      and messages.id = coalesce(found_message.id, (select message_id from public.sends where id = own_send_id))
  ) then
    failure_told := failure_told || '{ "reason": "media_rejected" }';
  end if;
  if own_send_id is not null then
    result := app.take_report(
      own_send_id, coalesce(item #>> '{mark,attempt}', ''), wamid, word, failure_told ->> 'reason', code
    );
    if found_message.id is null and result in ('done', 'released_but_sent') then
      select sends.company_id, sends.message_id as id, sends.id as send_id into found_message
      from public.sends where sends.id = own_send_id and sends.whatsapp_message_id = wamid;
    end if;
  end if;
  -- The label of every reaction is "reaction". Only a failure changes a reaction, so only a failure may have to wait
  -- until the reaction is stored.
  if found_message.id is null and own_send_id is null and (
    item -> 'mark' = '"reaction"' and word <> 'failed' or app.take_report_of_reaction(companies, wamid, word)
  ) then
    return 'done';
  end if;
  if found_message.id is null then
    -- The report is kept for each company that had the number, because any of these companies may get the message
    -- later.
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
  -- Only some reports contain the price, and all of these reports contain the same price.
  becomes.price_category := least(was.price_category, nullif(left(item #>> '{price,category}', 64), '') collate "C");
  becomes.price_type := least(was.price_type, nullif(left(item #>> '{price,type}', 64), '') collate "C");
  if becomes is distinct from was and was.expired_at is not null then
    becomes.expired_at := null;
    if word = 'sent' then
      -- The reports for this message are late, so its delivery report may take another hour.
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
    perform app.note_report(found_message.company_id, found_message.id, failure_told, reported_at);
  end if;

  if item ->> 'recipient_user_id' is not null then
    perform app.learn_recipient(
      found_message.company_id, found_message.id, item ->> 'recipient_user_id', item ->> 'waba', reported_at
    );
  end if;
  if word = 'failed' then
    -- If several failures arrive, the ledger gets the same reason as the message.
    update public.sends set reason = becomes.failure ->> 'reason', channel_code = (becomes.failure ->> 'code')::integer
    where id = found_message.send_id and state = 'failed'
      and (reason, channel_code) is distinct from (becomes.failure ->> 'reason', (becomes.failure ->> 'code')::integer);
    perform app.note_failure(found_message.company_id, found_message.id, code, reported_at);
  end if;
  return result;
end
$$;
comment on function app.apply_status(uuid[], jsonb) is
  'Applies one report about a message, from an app of these accounts. Finds the message by its id, otherwise by the '
  'label of its send. Returns `done`, or `waiting` when the message is unknown. Returns `ignored` for a report of '
  'another kind, and `unroutable` if there is no account. Returns `double_send` when the attempt already has another '
  'id. The report then does not change the message, and becomes a waiting fact. Returns `released_but_sent` if, '
  'according to the ledger, WhatsApp had not accepted the send.';

create function app.learn_recipient(
  own_company_id uuid, of_message_id uuid, new_user_id text, at_business_account_id text, at timestamptz
) returns void
language plpgsql
set search_path = ''
as $$
declare
  recipient_id uuid;
begin
  -- If a contact with a phone number already has this id, nothing changes. A contact without a phone number may be the
  -- recipient, who hides the number.
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
    -- If this contact is archived, a reply from the person creates a new contact.
    and contacts.archived_at is null
  for no key update of contacts;
  if found then
    perform app.learn_user_id(
      own_company_id, recipient_id, new_user_id, substring(at_business_account_id from '^[0-9]{1,32}$'), at
    );
  end if;
end
$$;
comment on function app.learn_recipient(uuid, uuid, text, text, timestamptz) is
  'Stores a new user id for the recipient of a message. A person who hides the phone number may reply with the user id '
  'only. If such a reply has added a contact, this contact is merged with the recipient.';

create function app.note_outdated(
  own_company_id uuid, of_message_id uuid, sent_media_id text, channel_code integer, said_at timestamptz default now()
) returns void
language plpgsql
set search_path = ''
as $$
declare
  account record;
begin
  select accounts.id, accounts.business_account_id into account
  from public.messages
  join public.conversations on conversations.company_id = messages.company_id
    and conversations.id = messages.conversation_id
  join public.messaging_accounts as accounts on accounts.company_id = conversations.company_id
    and accounts.id = conversations.messaging_account_id
  where messages.company_id = own_company_id and messages.id = of_message_id;
  -- These statements skip rows that another transaction has locked. The changes are only hints, and settling a send
  -- must not wait for them.
  if channel_code in (100, 131009, 131053) then
    update public.template_media set media_id = null where id in (
      select media.id from public.template_media as media
      where media.company_id = own_company_id and media.account_id = account.id and media.media_id = sent_media_id
        and (channel_code = 131053 or media.uploaded_at < now() - interval '1 hour')
      for no key update skip locked
    );
  elsif channel_code between 132000 and 132999 then
    update public.template_catalogues set sync_due_at = greatest(now(), synced_at + interval '10 minutes') where id in (
      select catalogues.id from public.template_catalogues as catalogues
      where catalogues.company_id = own_company_id
        and catalogues.business_account_id = account.business_account_id
        -- If the list was read after the refusal, the list already contains the change. A report may arrive days late,
        -- and twice.
        and catalogues.synced_at < said_at
        and catalogues.sync_due_at > greatest(now(), catalogues.synced_at + interval '10 minutes')
      for no key update skip locked
    );
  end if;
end
$$;
comment on function app.note_outdated(uuid, uuid, text, integer, timestamptz) is
  'Marks stored data as outdated after WhatsApp refused a message, in its response or in a report. After code 131053, '
  'the media file has to be uploaded again. After codes 100 and 131009 (invalid parameter), a media file that was '
  'uploaded more than an hour ago has to be uploaded again. After codes 132000 to 132999, the templates may have '
  'changed, so the list is read again. The list is read at the earliest ten minutes after the last read.';

create function app.note_failure(own_company_id uuid, of_message_id uuid, code integer, at timestamptz) returns void
language plpgsql
set search_path = ''
as $$
declare
  conversation record;
begin
  if code in (131047, 131050) then
    select conversations.contact_id, conversations.messaging_account_id, messages.created_at as attempted_at
    into conversation
    from public.messages
    join public.conversations on conversations.company_id = messages.company_id
      and conversations.id = messages.conversation_id
    where messages.company_id = own_company_id and messages.id = of_message_id;
  end if;
  case
    when code = 131047 then
      -- WhatsApp checked the window at the time of the attempt. If the person has written since then, the window is
      -- open again.
      perform app.close_window(
        own_company_id, conversation.contact_id, conversation.messaging_account_id,
        least(at, conversation.attempted_at)
      );
    when code = 131050 then
      perform app.note_marketing(own_company_id, conversation.contact_id, true, 'status', at);
    when code = 100 or code between 131000 and 132999 then
      perform app.note_outdated(own_company_id, of_message_id, (
        select media_id from public.sends where company_id = own_company_id and message_id = of_message_id
      ), code, at);
    else
      null;
  end case;
end
$$;
comment on function app.note_failure(uuid, uuid, integer, timestamptz) is
  'Applies the effects of a failed message on other rows. Code 131047 closes the contact''s window, and code 131050 is '
  'a marketing opt-out. app.note_outdated() handles code 100 and the other codes from 131000 to 132999. No other code '
  'has an effect.';
