-- What the ledger says of a send, and what its message shows of it. While no id of the channel is known, the failure
-- of a message is what the ledger knows: a refusal in the answer, a release, or outcome_unknown. Once an id is known,
-- all facts of the message are the channel's reports. So whatever comes first, the call's answer or a report, the end
-- is the same.

drop trigger sends_show_in_message on public.sends;

create or replace function app.show_send_in_message() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  message record;
begin
  select outcome, whatsapp_message_id, failed_at, failure into message from public.messages
  where company_id = new.company_id and id = new.message_id
  for no key update;

  message.outcome := case new.state when 'released' then 'failed' when 'sent' then 'accepted' else new.state end;
  -- The channel may have reported the message before its answer arrived here; another row then has the id.
  message.whatsapp_message_id := (
    select new.whatsapp_message_id where not exists (
      select from public.messages as other
      where other.company_id = new.company_id and other.whatsapp_message_id = new.whatsapp_message_id
        and other.id <> new.message_id
    )
  );
  if new.state in ('failed', 'released') and new.whatsapp_message_id is null then
    message.failed_at := now();
    message.failure := jsonb_build_object(
      'reason', new.reason, 'code', new.channel_code, 'message', null, 'details', null
    );
  elsif old.whatsapp_message_id is null then
    -- Nothing can have been reported of a message without an id. So this was the ledger's, and is over: the truth came,
    -- or a send that was released goes out again.
    message.failed_at := null;
    message.failure := null;
  end if;

  update public.messages set
    outcome = message.outcome,
    whatsapp_message_id = message.whatsapp_message_id,
    failed_at = message.failed_at,
    failure = message.failure
  where company_id = new.company_id and id = new.message_id
    and (outcome, whatsapp_message_id, failed_at, failure) is distinct from
      (message.outcome, message.whatsapp_message_id, message.failed_at, message.failure);
  return null;
end
$$;
comment on function app.show_send_in_message() is
  'Trigger: a message shows the state of its send, and as its failure what the ledger knows, until the channel reports '
  'something. It never takes a report back.';

create trigger sends_show_in_message
  after update of state, reason, channel_code, whatsapp_message_id on public.sends
  for each row when (
    (old.state, old.reason, old.channel_code, old.whatsapp_message_id)
      is distinct from (new.state, new.reason, new.channel_code, new.whatsapp_message_id)
  )
  execute function app.show_send_in_message();

-- A message moves its conversation when it is first known that the channel took it, by the answer or by a report. What
-- becomes known later moves nothing.
drop trigger messages_move_conversation_once_taken on public.messages;
create trigger messages_move_conversation_once_taken after update on public.messages
  for each row when (
    new.direction = 'outbound'
    and (new.outcome = 'accepted' or coalesce(new.sent_at, new.delivered_at, new.read_at) is not null)
    and old.outcome <> 'accepted' and coalesce(old.sent_at, old.delivered_at, old.read_at) is null
  )
  execute function app.move_conversation();

drop function public.settle_send(uuid, text, text, text, integer);
create function public.settle_send(
  claim_id uuid,
  outcome text,
  whatsapp_message_id text default null,
  reason text default null,
  channel_code integer default null,
  channel_message text default null,
  channel_details text default null
) returns text
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  send record;
  settled_state text;
begin
  if outcome is null or outcome not in ('sent', 'failed', 'released') then
    raise sqlstate 'PT422' using message = 'The outcome of a send is sent, failed or released';
  end if;
  if outcome <> 'sent' and settle_send.whatsapp_message_id is not null then
    raise sqlstate 'PT422' using message = 'Only a send that was sent has the id of a message';
  end if;

  select id, company_id, message_id, state, reason, whatsapp_message_id into send
  from public.sends
  where claim_id = settle_send.claim_id
  for no key update;
  if not found then
    return null;
  end if;

  if send.whatsapp_message_id is null and (send.state = 'pending' or send.reason = 'outcome_unknown') then
    -- The real outcome replaces outcome_unknown, which is a guess made when a lease ends. A release is then
    -- recorded as failed, because a caller may have been told so.
    settled_state := case when send.state = 'failed' and outcome = 'released' then 'failed' else outcome end;
    update public.sends set
      state = settled_state,
      whatsapp_message_id = settle_send.whatsapp_message_id,
      reason = settle_send.reason,
      channel_code = settle_send.channel_code
    where id = send.id;
    if settled_state <> 'sent' and (channel_message is not null or channel_details is not null) then
      update public.messages set failure = failure || jsonb_build_object(
        'message', left(channel_message, 1000), 'details', left(channel_details, 1000)
      )
      where company_id = send.company_id and id = send.message_id;
    end if;
    if settled_state <> 'sent' then
      -- The channel said so after the attempt began. Whoever wrote since has opened the window again.
      perform app.note_failure(send.company_id, send.message_id, channel_code, (
        select created_at from public.messages where company_id = send.company_id and id = send.message_id
      ));
    end if;
    return settled_state;
  end if;

  -- Every other end is final, except that a report came before the answer. That the channel failed to deliver the
  -- message does not change that it took it.
  if send.state = 'failed' and send.whatsapp_message_id = settle_send.whatsapp_message_id then
    update public.sends set state = 'sent', reason = null, channel_code = null where id = send.id;
    return 'sent';
  end if;
  -- The channel has given one call two messages.
  if send.whatsapp_message_id <> settle_send.whatsapp_message_id then
    perform app.note_double_send(send.id, settle_send.whatsapp_message_id);
  end if;
  return send.state;
end
$$;
comment on function public.settle_send(uuid, text, text, text, integer, text, text) is
  'Records the outcome of a claimed send, and returns the state that it now has; null when no send has this '
  'claim_id. Of a refusal or a release, the channel''s message and details show in the message. An API key that has '
  'since been switched off or deleted does not matter: what was sent was sent.';
grant execute on function public.settle_send(uuid, text, text, text, integer, text, text) to api_client;

create function app.note_double_send(send_id uuid, further_id text) returns void
language sql
set search_path = ''
as $$
  update public.sends set double_sent_ids = array(
    select distinct id collate "C" from unnest(double_sent_ids || further_id) as id order by 1
  )
  where id = send_id and further_id <> all (double_sent_ids)
$$;
comment on function app.note_double_send(uuid, text) is
  'Keeps a further id under which the channel has the attempt of a send. Its message keeps its own id, and its '
  'facts are those of that id alone.';
