-- Functions that settle a send. The outcome comes from the WhatsApp response, or from the end of the send's lease.

create function public.settle_send(
  claim_id uuid,
  outcome text,
  whatsapp_message_id text default null,
  reason text default null,
  channel_code integer default null,
  channel_message text default null,
  channel_details text default null,
  was_refused boolean default false
) returns text
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  send record;
  settled_state text;
  noted text;
begin
  if outcome is null or outcome not in ('sent', 'failed', 'released') then
    raise sqlstate 'PT422' using message = 'The outcome of a send is sent, failed or released';
  end if;
  if outcome <> 'sent' and settle_send.whatsapp_message_id is not null then
    raise sqlstate 'PT422' using message = 'Only the outcome sent can have a whatsapp_message_id';
  end if;

  select id, company_id, message_id, state, lease_ends_at, reason, whatsapp_message_id, api_key_id into send
  from public.sends
  where claim_id = settle_send.claim_id
  for no key update;
  if not found then
    return null;
  end if;
  -- This function does not call app.company_id(), which would refuse a key that has ended since the claim. So the
  -- setting that tells the triggers which key makes the changes comes from the send.
  noted := set_config('app.key_id', send.api_key_id::text, true);

  -- The first success after a refusal withdraws the refusal, even if a report has already settled the send. To save
  -- time, this function looks up the account only for such a success, and for a message that WhatsApp refused because
  -- of the account.
  if outcome = 'sent' and was_refused then
    perform app.withdraw_refusals(account.id, 'refusal', account.asked_at)
    from app.account_of_message(send.company_id, send.message_id) as account;
  end if;
  if send.whatsapp_message_id is null and (send.state = 'pending' or send.reason = 'outcome_unknown') then
    -- The real outcome replaces outcome_unknown, which is only a guess at the end of a lease. A release after the end
    -- of the lease becomes a failure, because the API may already have reported the failure to the caller.
    settled_state := case
      when outcome = 'released' and (send.state = 'failed' or send.lease_ends_at <= now()) then 'failed'
      else outcome
    end;
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
      -- A failure may close the window. The function gets the start time of the attempt, because a message from the
      -- person since then has opened the window again.
      perform app.note_failure(send.company_id, send.message_id, channel_code, (
        select created_at from public.messages where company_id = send.company_id and id = send.message_id
      ));
    end if;
    if reason = 'channel_account_error' then
      perform app.note_refusal(
        account.id, 'refusal', coalesce(channel_code::text, 'token_unusable'), 1, account.asked_at
      ) from app.account_of_message(send.company_id, send.message_id) as account;
    end if;
    return settled_state;
  end if;

  -- Every outcome except outcome_unknown is final, with one exception: a report of a failed delivery may arrive before
  -- the response. The response then shows that WhatsApp had accepted the message.
  if send.state = 'failed' and send.whatsapp_message_id = settle_send.whatsapp_message_id then
    update public.sends set state = 'sent', reason = null, channel_code = null where id = send.id;
    return 'sent';
  end if;
  -- The attempt already has another WhatsApp id, so the message was sent twice.
  if send.whatsapp_message_id <> settle_send.whatsapp_message_id then
    perform app.note_double_send(send.id, settle_send.whatsapp_message_id);
  end if;
  return send.state;
end
$$;
comment on function public.settle_send(uuid, text, text, text, integer, text, text, boolean) is
  'Records the outcome of a claimed send, and returns the send''s current state, or null for an unknown claim_id. '
  'After a refusal or a release, stores WhatsApp''s error text and details in the message. If WhatsApp refused the '
  'account, the refusal becomes a notice of the account. The argument was_refused comes from the claim. If it is true, '
  'a success withdraws the refusals. The function works even if the API key was switched off or deleted after the '
  'claim, because the message may already have been sent.';
grant execute on function public.settle_send(uuid, text, text, text, integer, text, text, boolean)
  to api_client, channel_client;

create function public.fail_expired_sends() returns integer
language sql security definer
set search_path = ''
as $$
  select set_config('app.event_actor', 'job', true);
  with expired as (
    select id from public.sends
    where state = 'pending' and lease_ends_at <= now()
    for update skip locked
  ), failed as (
    update public.sends set state = 'failed', reason = 'outcome_unknown'
    from expired where sends.id = expired.id
    returning sends.id
  )
  select count(*)::integer from failed
$$;
comment on function public.fail_expired_sends() is
  'Sets all pending sends whose lease has ended to failed (outcome_unknown), and returns their number. A scheduled job '
  'calls this function. A repeat of such a send has the same effect. This function sends nothing.';
grant execute on function public.fail_expired_sends() to service_role;

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
  'Stores another WhatsApp message id for the attempt of a send. The message keeps its first id, and only reports with '
  'that id change the message.';
