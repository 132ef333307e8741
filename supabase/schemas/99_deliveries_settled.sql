-- The outcomes of deliveries. A delivery that has ended moves to the log, and a failed attempt is retried. If a
-- receiver keeps failing, its webhook pauses for a while, and is finally switched off.

-- Few deliveries have a stored response, so an erasure finds them quickly with this index.
create index deliveries_with_answers_idx on app.deliveries (company_id, record_id) where app.has_answer(tries);
create index open_deliveries_with_answers_idx on app.open_deliveries (company_id, record_id) where app.has_answer(tries);

create function app.retry_pause(attempts integer) returns interval
language sql volatile
set search_path = ''
as $$
  select (array[
    '5 seconds', '1 minute', '5 minutes', '30 minutes', '2 hours', '5 hours', '10 hours', '14 hours', '20 hours',
    '20 hours'
  ]::interval[])[attempts] * (0.9 + 0.2 * random())
$$;
comment on function app.retry_pause(integer) is
  'Returns the pause after this many failed attempts, or null when there is no further attempt. Varies the pause '
  'randomly by up to 10 percent. The total of all pauses is 71.6 hours.';

create function app.circuit_pause(pauses integer) returns interval
language sql immutable
set search_path = ''
as $$
  select least(interval '10 seconds' * power(2, least(pauses, 10) - 1), interval '15 minutes')
$$;
comment on function app.circuit_pause(integer) is
  'Returns the length of a webhook''s next pause. The first pause lasts 10 seconds, and each later pause lasts twice '
  'as long, up to 15 minutes.';

create function app.may_keep_answer(type text, of_company uuid, of_record uuid) returns boolean
language sql volatile
set search_path = ''
as $$
  -- An erasure in progress has locked the contact, so the query skips the contact, and no response is kept. A later
  -- erasure waits for the lock of this transaction, and then finds the response.
  select case split_part(type, '.', 1)
    when 'contact' then exists (
      select from public.contacts where company_id = of_company and id = of_record and erased_at is null
      for key share skip locked
    )
    when 'deal' then exists (
      select from public.deals
      join public.contacts on contacts.company_id = deals.company_id and contacts.id = deals.contact_id
      where deals.company_id = of_company and deals.id = of_record and contacts.erased_at is null
      for key share of contacts skip locked
    )
    when 'conversation' then exists (
      select from public.conversations
      join public.contacts on contacts.company_id = conversations.company_id and contacts.id = conversations.contact_id
      where conversations.company_id = of_company and conversations.id = of_record and contacts.erased_at is null
      for key share of contacts skip locked
    )
    when 'template' then true
    when 'account' then true
    when 'webhook' then true
    else exists (
      select from public.messages
      join public.conversations on conversations.company_id = messages.company_id
        and conversations.id = messages.conversation_id
      join public.contacts on contacts.company_id = conversations.company_id and contacts.id = conversations.contact_id
      where messages.company_id = of_company and messages.id = of_record and contacts.erased_at is null
      for key share of contacts skip locked
    )
  end
$$;
comment on function app.may_keep_answer(text, uuid, uuid) is
  'Checks whether the beginning of a receiver''s response may be stored. The response may quote the request. So the '
  'response is not stored if the record no longer exists, or if the person of the record was erased or is being '
  'erased. Locks the contact, so that an erasure waits for this transaction.';

create function app.switch_off_webhook(
  webhook uuid, reason text, actor jsonb default null, request text default null
) returns void
language plpgsql
set search_path = ''
as $$
declare
  at constant timestamptz := clock_timestamp();
  of_company uuid;
begin
  update public.webhooks set
    state = 'off', why = reason, switched_off_at = at, lease_id = null, leased_until = null, paused_until = null,
    catch_up_version = null, catch_up_seq = null, catch_up_until = null,
    -- A failure is later than its event, and an event may wait for hours before its first attempt.
    failing_since = least(
      webhooks.failing_since,
      (
        select events.happened_at from app.open_deliveries as open
        join app.events on events.slot = open.slot and events.id = open.event_id
        where open.webhook_id = webhook
        order by open.seq limit 1
      ),
      (
        select min(deliveries.happened_at) from app.deliveries
        where deliveries.webhook_id = webhook and deliveries.outcome = 'failed'
          -- A run stores an outcome seconds after the attempt.
          and deliveries.ended_at >= webhooks.failing_since - interval '1 minute'
      ),
      -- The first event that was not read from the log yet. A search for a type to which the webhook subscribes could
      -- take long, so the event may have any type.
      (
        select events.happened_at from app.events
        where events.company_id = webhooks.company_id
          and (events.version, events.seq) > (webhooks.catch_up_version, webhooks.catch_up_seq)
          and events.happened_at > greatest(webhooks.created_at, at - interval '30 days')
        order by events.version, events.seq limit 1
      ),
      (
        select coalesce(events.happened_at, replays.since) from app.replays
        left join app.events on events.company_id = replays.company_id
          and events.version = replays.after_version and events.seq = replays.after_seq
        where replays.webhook_id = webhook
      )
    )
  where id = webhook and state <> 'off'
  returning company_id into of_company;
  if not found then
    return;
  end if;
  delete from app.replays where webhook_id = webhook;
  -- Switching a key off may switch off ten webhooks with long queues, so most of a long queue is left to a job.
  perform app.end_deliveries(webhook, at, 1000);
  perform app.write_event(
    of_company, 'webhook.switched_off', webhook, jsonb_build_object('why', reason), actor, request
  );
end
$$;
comment on function app.switch_off_webhook(uuid, text, jsonb, text) is
  'Switches a webhook off for a reason. Moves failing_since back to the oldest event that was still waiting, or that '
  'has failed since the last success. Events that were not yet read from the log, because the webhook was catching up '
  'or had a replay, count as waiting. The open deliveries become undelivered, and the event webhook.switched_off '
  'notifies the company''s other webhooks. The event contains the actor and the id of the request. Without an actor, '
  'a job is the author. Moves at most 1,000 deliveries to the log. A job moves the rest. Does nothing when the webhook '
  'is off.';

create function app.end_deliveries(webhook uuid, at timestamptz, most integer) returns integer
language plpgsql
set search_path = ''
as $$
declare
  ended integer;
begin
  with over as (
    delete from app.open_deliveries where ctid = any (array(
      -- The function never waits for an erasure that has changed deliveries. The next call ends these deliveries.
      select ctid from app.open_deliveries where webhook_id = webhook limit most for update skip locked
    ))
    returning *
  )
  insert into app.deliveries (
    slot, webhook_id, seq, event_id, company_id, type, record_id, happened_at, outcome, ended_at, tries
  )
  select
    over.slot, over.webhook_id, over.seq, over.event_id, over.company_id, over.type, over.record_id,
    coalesce(events.happened_at, at), 'undelivered', at, over.tries
  from over
  left join app.events on events.slot = over.slot and events.id = over.event_id;
  get diagnostics ended = row_count;
  return ended;
end
$$;
comment on function app.end_deliveries(uuid, timestamptz, integer) is
  'Moves at most this many open deliveries of a webhook that is off to the log, as undelivered. The argument `at` is '
  'the time when the webhook was switched off. Returns the number of moved deliveries.';

create function app.settle_of_webhook(
  hook public.webhooks, outcomes jsonb, out has_success boolean, out failures integer, out wait_seconds integer,
  out is_gone boolean
)
language plpgsql
set search_path = ''
as $$
declare
  succeeded_at timestamptz;
begin
  with told as (
    select
      told.record_id, told.seq, told.attempts, told.ended_at, told.try,
      case when is_moved then 'later' else told.result end as result,
      case when is_moved then 0 else told.wait_seconds end as wait_seconds
    from jsonb_to_recordset(outcomes) as told (
      webhook_id uuid, record_id uuid, seq bigint, attempts smallint, ended_at timestamptz, result text, try jsonb,
      wait_seconds integer, url text
    )
    -- A failure at an earlier URL of the webhook does not count, and the delivery is due immediately.
    cross join lateral (select told.result <> 'delivered' and told.url <> hook.url as is_moved) as moved
    where told.webhook_id = hook.id
  ),
  over as (
    -- If a settlement is repeated, the number of attempts no longer matches, and nothing changes.
    delete from app.open_deliveries as open using told
    where open.webhook_id = hook.id and open.record_id = told.record_id and open.seq = told.seq
      and open.attempts = told.attempts
      and (told.result = 'delivered' or told.result in ('failed', 'gone') and told.attempts >= 10)
    returning open.*, told.ended_at, told.result, told.try
  ),
  logged as (
    insert into app.deliveries (
      slot, webhook_id, seq, event_id, company_id, type, record_id, happened_at, outcome, status, ended_at, tries
    )
    select
      over.slot, over.webhook_id, over.seq, over.event_id, over.company_id, over.type, over.record_id,
      coalesce(events.happened_at, over.ended_at),
      case over.result when 'delivered' then 'delivered' else 'failed' end, (over.try ->> 'status')::smallint,
      over.ended_at,
      app.with_try(
        over.tries, over.try,
        over.result = 'delivered' or app.may_keep_answer(over.type, over.company_id, over.record_id)
      )
    from over
    left join app.events on events.slot = over.slot and events.id = over.event_id
  ),
  again as (
    update app.open_deliveries as open set
      attempts = open.attempts + (told.result <> 'later')::integer,
      due_at = told.ended_at + case told.result
        when 'later' then told.wait_seconds * interval '1 second' else app.retry_pause(open.attempts + 1)
      end,
      tries = app.with_try(open.tries, told.try, app.may_keep_answer(open.type, open.company_id, open.record_id))
    from told
    where open.webhook_id = hook.id and open.record_id = told.record_id and open.seq = told.seq
      and open.attempts = told.attempts and told.result <> 'delivered'
      and (told.result = 'later' or told.attempts < 10)
    returning told.ended_at, told.result, told.wait_seconds
  ),
  settled as (
    select over.ended_at, over.result, null::integer as wait_seconds from over
    union all
    select again.ended_at, again.result, again.wait_seconds from again
  ),
  success as (
    select max(settled.ended_at) as at from settled where settled.result = 'delivered'
  )
  select
    success.at,
    count(*) filter (where settled.result in ('failed', 'gone') and settled.ended_at > coalesce(success.at, '-infinity')),
    nullif(max(settled.wait_seconds), 0),
    coalesce(bool_or(settled.result = 'gone'), false)
  into succeeded_at, settle_of_webhook.failures, settle_of_webhook.wait_seconds, is_gone
  from success left join settled on true
  group by success.at;
  has_success := succeeded_at is not null;
end
$$;
comment on function app.settle_of_webhook(public.webhooks, jsonb) is
  'Stores the outcomes of deliveries of one webhook. Returns whether any delivery succeeded, how many failed after the '
  'last success, the longest wait that the receiver requested, and whether the receiver returned the status 410.';

create function app.with_try(tries jsonb, try jsonb, is_whole boolean) returns jsonb
language sql immutable
set search_path = ''
as $$
  select case when jsonb_array_length(coalesce(tries, '[]')) >= 20 then tries - 0 else coalesce(tries, '[]') end
    || jsonb_build_array(case when is_whole then try else try || '{ "answer": null }' end)
$$;
comment on function app.with_try(jsonb, jsonb, boolean) is
  'Adds an attempt to the attempts of a delivery, and keeps the last 20. If is_whole is false, omits the beginning of '
  'the response.';

create function public.settle_deliveries(run uuid, outcomes jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  at constant timestamptz := clock_timestamp();
  answers jsonb := '[]';
  hook public.webhooks;
  was public.webhooks;
  settled record;
  is_pausing boolean;
  next_pause timestamptz;
  told text;
begin
  for hook in
    select webhooks.* from public.webhooks
    where webhooks.id in (
      select distinct named.webhook_id from jsonb_to_recordset(outcomes) as named (webhook_id uuid)
    ) and webhooks.lease_id = run
    order by webhooks.id
    for no key update
  loop
    told := null;
    was := hook;
    is_pausing := coalesce(hook.paused_until > at, false);
    -- After a pause, the first success makes all deliveries due, so that no delivery waits for hours after the receiver
    -- works again. This update runs before the failed deliveries of the same settlement get new due times.
    if hook.pauses > 0 and not is_pausing and outcomes @> jsonb_build_array(
      jsonb_build_object('webhook_id', hook.id, 'result', 'delivered')
    ) then
      update app.open_deliveries set due_at = at where webhook_id = hook.id and due_at > at;
    end if;
    settled := app.settle_of_webhook(hook, outcomes);
    if settled.has_success then
      hook.failures := 0;
      hook.failing_since := null;
      hook.last_success_at := case
        when was.last_success_at > at - interval '5 seconds' then was.last_success_at else at
      end;
      -- A success during a pause belongs to a request that was sent before the pause, so the pause continues.
      if not is_pausing then
        hook.pauses := 0;
        hook.paused_until := null;
        if was.pauses > 0 then
          told := 'resumed';
        end if;
      end if;
    end if;
    hook.failures := hook.failures + settled.failures;
    if settled.failures > 0 or settled.wait_seconds is not null then
      hook.failing_since := coalesce(hook.failing_since, at);
      next_pause := greatest(
        at + settled.wait_seconds * interval '1 second',
        -- Simultaneous requests that fail cause only one pause.
        case when not is_pausing and settled.failures > 0 and (hook.pauses > 0 or hook.failures >= 5)
          then at + app.circuit_pause(hook.pauses + 1) end
      );
      if next_pause > coalesce(hook.paused_until, at) then
        hook.pauses := least(hook.pauses + (not is_pausing)::integer, 30000);
        hook.paused_until := next_pause;
        told := 'paused';
      end if;
    end if;
    if (hook.leased_until is null or hook.leased_until < at + interval '20 seconds') then
      hook.leased_until := at + interval '30 seconds';
    end if;
    if hook is distinct from was then
      update public.webhooks set
        failures = hook.failures, failing_since = hook.failing_since, pauses = hook.pauses,
        paused_until = hook.paused_until, last_success_at = hook.last_success_at, leased_until = hook.leased_until
      where id = hook.id;
    end if;
    if settled.is_gone or (
      hook.failing_since <= at - interval '72 hours' and (hook.failures >= 20 or hook.pauses >= 20)
    ) then
      hook.why := case when settled.is_gone then 'gone' else 'failing' end;
      perform app.switch_off_webhook(hook.id, hook.why);
      hook.state := 'off';
      told := 'switched_off';
    end if;
    answers := answers || jsonb_build_object(
      'id', hook.id,
      'company_id', hook.company_id,
      'state', case
        when hook.state not in ('on', 'catching_up') then hook.state
        when hook.paused_until > at then 'paused'
        else 'on'
      end,
      'told', told,
      'why', hook.why,
      'failures', hook.failures,
      'paused_until', hook.paused_until
    );
  end loop;
  return answers;
end
$$;
comment on function public.settle_deliveries(uuid, jsonb) is
  'Stores the outcomes of deliveries of webhooks that the run has leased, and renews the leases. Returns each of these '
  'webhooks with its current state, and whether this call paused it, resumed it or switched it off (told). A webhook '
  'that was deleted or that another run has leased is missing from the result, and nothing is stored for it.';
grant execute on function public.settle_deliveries(uuid, jsonb) to webhook_client;

create function app.without_answers(tries jsonb) returns jsonb
language sql immutable
set search_path = ''
as $$
  select jsonb_agg(try || '{ "answer": null }' order by place)
  from jsonb_array_elements(tries) with ordinality as each (try, place)
$$;
comment on function app.without_answers(jsonb) is
  'Returns the attempts of a delivery without the beginnings of the responses.';
