-- Refusals of an account. WhatsApp may refuse an account in the response to a send, a reply, a reaction, a read
-- receipt, a media upload or a request for the templates. For example, WhatsApp refuses an account whose token has
-- expired. WhatsApp may also accept a message and report the refusal later. A refusal immediately becomes a notice of
-- the account. The next success of the same kind withdraws the refusal. A refusal does not stop the next send, because
-- WhatsApp decides again for each message.

create function app.note_refusal(
  of_account_id uuid,
  of_kind text,
  of_event text,
  stopped integer,
  asked_at timestamptz default 'infinity'
) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  is_send constant boolean := of_kind <> 'reading_refusal';
begin
  -- The account is locked before its notices. withdraw_refusals() and withdraw_token_refusals() use the same order, so
  -- that these functions cannot cause a deadlock.
  perform from public.messaging_accounts where id = of_account_id for no key update;
  if app.may_end_with_new_token(of_event)
    and exists (select from public.account_health where account_id = of_account_id and token_stored_at > asked_at)
  then
    return false;
  end if;
  insert into public.account_notices as known (
    company_id, account_id, kind, event, value, happened_at, stops_sending, stopped_sends
  )
  select
    company_id, id, of_kind, of_event,
    jsonb_build_object('code', case when of_event ~ '^[0-9]+$' then of_event::integer end),
    now(), is_send or app.is_about_token(of_event), stopped
  from public.messaging_accounts where id = of_account_id
  on conflict on constraint account_notices_newest do update set
    received_at = now(),
    -- If the earlier refusal is no longer current, its time and the number of stopped sends are reset.
    happened_at = case when app.is_current(known) then known.happened_at else now() end,
    stopped_sends = excluded.stopped_sends + case when app.is_current(known) then known.stopped_sends else 0 end;
  if is_send then
    update public.messaging_accounts set refused_at = now() where id = of_account_id and refused_at is null;
  end if;
  return true;
end
$$;
comment on function app.note_refusal(uuid, text, text, integer, timestamptz) is
  'Records that WhatsApp has refused an account. The kind is `reading_refusal` for a request for the templates, '
  '`reported_refusal` for a report about a message, and `refusal` for every other request. The event is the WhatsApp '
  'error code, or token_unusable. The argument `stopped` is the number of sends that this refusal has stopped: 0 or 1. '
  'Returns false and records nothing if the refusal may be about the token, and the account has got another token after '
  '`asked_at`, the time of the refused request.';

create function public.note_account_refusal(account_id uuid, code integer default null, stops_send boolean default false)
returns void
-- Security definer, because no role may write notices.
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id constant uuid := app.company_id('messaging');
begin
  perform app.note_refusal(
    id, 'refusal', coalesce(note_account_refusal.code::text, 'token_unusable'),
    note_account_refusal.stops_send::integer
  )
  from public.messaging_accounts
  where id = note_account_refusal.account_id and (own_company_id is null or company_id = own_company_id);
end
$$;
comment on function public.note_account_refusal(uuid, integer, boolean) is
  'Records that WhatsApp has refused an account of the key''s company in a request that is not a claimed send, such as '
  'an upload or a reaction. If `code` is null, the stored token cannot be used. The argument stops_send says whether '
  'the refusal stopped a send. The platform may call this function for every company. Raises PT401 and PT403 as '
  'app.company_id() does.';
grant execute on function public.note_account_refusal(uuid, integer, boolean) to api_client, channel_client;

create function app.account_of_message(
  of_company_id uuid,
  message_id uuid,
  out id uuid,
  out asked_at timestamptz
)
language sql stable
set search_path = ''
as $$
  select conversations.messaging_account_id, messages.created_at
  from public.messages
  join public.conversations on conversations.company_id = messages.company_id
    and conversations.id = messages.conversation_id
  where messages.company_id = of_company_id and messages.id = account_of_message.message_id
$$;
comment on function app.account_of_message(uuid, uuid) is
  'Returns the account that sends a message, and when the last attempt to send the message began.';

create function app.is_about_token(event text) returns boolean
language sql immutable
set search_path = ''
as $$
  select event in ('0', '190', 'token_unusable')
$$;
comment on function app.is_about_token(text) is
  'Checks whether the event of a refusal means that the access token cannot be used at all.';

create function app.may_end_with_new_token(event text) returns boolean
language sql immutable
set search_path = ''
as $$
  -- The error codes for missing permissions; see outcome.ts. A refusal with the code 100 means that the token cannot use
  -- the number.
  select app.is_about_token(event) or event in ('3', '10', '100', '131005') or event ~ '^2[0-9][0-9]$'
$$;
comment on function app.may_end_with_new_token(text) is
  'Checks whether the event of a refusal is about the account''s token or the token''s permissions.';

create function app.withdraw_refusals(of_account_id uuid, of_kind text, began_at timestamptz) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform from public.messaging_accounts where id = of_account_id for no key update;
  -- A refusal that was recorded after the start of the successful call may be newer than the success.
  delete from public.account_notices
  where account_id = of_account_id and received_at <= began_at
    and (kind = of_kind or kind like '%refusal' and app.is_about_token(event));
  update public.messaging_accounts set refused_at = null
  where id = of_account_id and refused_at is not null and not exists (
    select from public.account_notices where account_id = of_account_id and kind in ('refusal', 'reported_refusal')
  );
end
$$;
comment on function app.withdraw_refusals(uuid, text, timestamptz) is
  'Withdraws the refusals of an account after a success of the same kind. The argument began_at is the start time of '
  'the successful call. Any success shows that the token can be used, so refusals because of the token are also '
  'withdrawn.';

create function app.withdraw_token_refusals(of_account_id uuid, began_at timestamptz) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform from public.messaging_accounts where id = of_account_id for no key update;
  delete from public.account_notices
  where account_id = of_account_id and kind like '%refusal' and received_at <= began_at
    and app.may_end_with_new_token(event);
  update public.messaging_accounts set refused_at = null
  where id = of_account_id and refused_at is not null and not exists (
    select from public.account_notices where account_id = of_account_id and kind in ('refusal', 'reported_refusal')
  );
end
$$;
comment on function app.withdraw_token_refusals(uuid, timestamptz) is
  'Withdraws the refusals that are about an account''s token or the token''s permissions. Called when the account gets '
  'a new token or an upload succeeds. The argument began_at is the start time of the upload. Refusals that were '
  'recorded later remain. For a new token, began_at is infinity.';

create function app.note_report(own_company_id uuid, of_message_id uuid, failure jsonb, reported_at timestamptz)
returns void
language plpgsql
set search_path = ''
as $$
declare
  account record;
begin
  select accounts.id, accounts.refused_at, sent.asked_at into account
  from app.account_of_message(own_company_id, of_message_id) as sent
  join public.messaging_accounts as accounts on accounts.id = sent.id;
  if failure ->> 'reason' = 'channel_account_error' then
    -- A report that is more than a day old says nothing about the current state of the account.
    if reported_at > now() - interval '1 day' then
      perform app.note_refusal(
        account.id, 'reported_refusal', coalesce(failure ->> 'code', 'unknown'), 1, account.asked_at
      );
    end if;
  elsif failure is null and account.refused_at is not null then
    perform app.withdraw_refusals(account.id, 'reported_refusal', account.asked_at);
  end if;
end
$$;
comment on function app.note_report(uuid, uuid, jsonb, timestamptz) is
  'Applies a report about a message to the refusals of the account that sent the message. A failure because of the '
  'account becomes a reported_refusal. If `failure` is null, the report withdraws the reported refusals that were '
  'recorded before the last attempt to send the message began. The acceptance of a message does not withdraw reported '
  'refusals, because WhatsApp may accept messages from a refused account and then not deliver them.';
