-- Callers can read the list of their webhooks, and the log of deliveries of one webhook, newest first. They can also
-- request the delivery of one event, of all events in a period, or of a test event. A page of the log reads at most
-- 5,000 deliveries, whatever the filters are. The next page continues after the last delivery that was read.

-- Few deliveries fail, so the partial index is small.
create index deliveries_not_delivered_idx on app.deliveries (webhook_id, seq) where outcome <> 'delivered';

create function public.list_webhooks(company_id uuid default null) returns json
language plpgsql stable security definer -- no role reads the secrets
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id constant uuid := app.webhook_company(list_webhooks.company_id);
begin
  return coalesce(
    (
      select json_agg(app.webhook_json(webhooks) order by created_at desc, id desc) from public.webhooks
      where webhooks.company_id = own_company_id
    ),
    '[]'
  );
end
$$;
comment on function public.list_webhooks(uuid) is
  'Returns the webhooks of a company, newest first, without their secrets. A key with the scope `webhooks` reads the '
  'webhooks of its company. Owners and admins specify the company. Raises the errors of app.webhook_company().';
grant execute on function public.list_webhooks(uuid) to api_client, authenticated, service_role;

create function public.get_webhook(webhook_id uuid) returns json
language plpgsql stable security definer -- no role reads the secrets
set search_path = ''
as $$
begin
  return app.webhook_json(app.managed_webhook(get_webhook.webhook_id));
end
$$;
comment on function public.get_webhook(uuid) is
  'Returns one webhook in the format of list_webhooks(). Raises the errors of app.managed_webhook().';
grant execute on function public.get_webhook(uuid) to api_client, authenticated, service_role;

create function app.event_time(of_event_id uuid) returns timestamptz
language sql immutable strict parallel safe
set search_path = ''
as $$
  select to_timestamp(('x' || substr(replace(of_event_id::text, '-', ''), 1, 12))::bit(48)::bigint / 1000.0)
$$;
comment on function app.event_time(uuid) is
  'Returns the time at the beginning of an event id: the time of the event, in milliseconds. Postgres 17 has no '
  'function that extracts this time from a version 7 UUID.';

create function app.stored_event(of_company_id uuid, of_event_id uuid) returns app.events
language sql stable
set search_path = ''
as $$
  select events from app.events
  -- The id begins with the time, so only one partition can contain the event.
  where slot = app.slot_of(app.event_time(of_event_id)) and id = of_event_id and company_id = of_company_id
    and happened_at > now() - interval '30 days'
$$;
comment on function app.stored_event(uuid, uuid) is
  'Returns an event of a company by its id. Returns null when the log of the last 30 days has no such event.';

create function public.webhook_deliveries(
  webhook_id uuid, state text default null, type text default null, after_event text default null,
  after_ended timestamptz default null, max_rows integer default 50
) returns json
language plpgsql stable security definer -- no role reads deliveries
set search_path = ''
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
declare
  hook constant public.webhooks := app.managed_webhook(webhook_deliveries.webhook_id);
  wanted_state constant text := webhook_deliveries.state;
  wanted_type constant text := webhook_deliveries.type;
  most constant integer := least(greatest(max_rows, 1), 200);
  looked_at constant integer := case when wanted_state is null and wanted_type is null then most + 1 else 5000 end;
  -- An open delivery has not ended. In the log, it comes before the ended deliveries of the same event. When a webhook
  -- is switched off, its open deliveries end, although a job moves their rows later.
  is_off constant boolean := hook.state = 'off';
  open_state constant text := case when is_off then 'undelivered' else 'waiting' end;
  open_ended constant timestamptz := coalesce(hook.switched_off_at, 'infinity');
  before_ended constant timestamptz := coalesce(after_ended, 'infinity');
  before_seq bigint := 9223372036854775807;
  answer json;
begin
  if after_event is not null then
    -- If the cursor's event is no longer in the log, all remaining rows are newer than that event. So the page is
    -- empty.
    before_seq := coalesce((app.stored_event(hook.company_id, app.event_id(after_event))).seq, 0);
  end if;
  with looked as (
    select * from (
      (
        select
          seq, open_ended as ended_at, slot, event_id, null::timestamptz as happened_at, type, record_id,
          open_state as outcome, case when not is_off then due_at end as due_at, tries
        from app.open_deliveries
        where webhook_id = hook.id and seq <= before_seq and (seq < before_seq or open_ended < before_ended)
          and (wanted_state is null or wanted_state = open_state)
        order by seq desc limit looked_at
      )
      union all
      (
        select seq, ended_at, slot, event_id, happened_at, type, record_id, outcome, null, tries from app.deliveries
        where webhook_id = hook.id and seq <= before_seq and (seq < before_seq or ended_at < before_ended)
          and happened_at > now() - interval '30 days'
          and (wanted_state is null or wanted_state = 'delivered')
        order by seq desc, ended_at desc limit looked_at
      )
      union all
      (
        select seq, ended_at, slot, event_id, happened_at, type, record_id, outcome, null, tries from app.deliveries
        where webhook_id = hook.id and seq <= before_seq and (seq < before_seq or ended_at < before_ended)
          and happened_at > now() - interval '30 days'
          and outcome <> 'delivered' and wanted_state in ('failed', 'undelivered')
        order by seq desc, ended_at desc limit looked_at
      )
    ) as parts
    order by seq desc, ended_at desc limit looked_at
  ),
  found as (
    select * from looked
    where (wanted_state is null or outcome = wanted_state)
      and (wanted_type is null or app.wants(array[wanted_type], type))
    order by seq desc, ended_at desc limit most + 1
  ),
  shown as (
    select * from found order by seq desc, ended_at desc limit most
  ),
  last as (
    select event_id, ended_at from (
      -- If all matching rows fit on the page, the next page begins after the last row that was read.
      select seq, event_id, ended_at from shown where (select count(*) from found) > most
      union all
      select seq, event_id, ended_at from looked
      where (select count(*) from found) <= most and (select count(*) from looked) = looked_at
    ) as places
    order by seq, ended_at limit 1
  )
  select json_build_object(
    'data', coalesce(
      (
        select json_agg(
          json_build_object(
            'event_id', app.event_name(event_id), 'type', type, 'record_id', record_id, 'state', outcome,
            'timestamp', coalesce(
              happened_at, (select happened_at from app.events where slot = shown.slot and id = shown.event_id)
            ),
            'attempts', coalesce(jsonb_array_length(tries), 0),
            'next_attempt_at', due_at,
            'ended_at', nullif(ended_at, 'infinity'),
            'tries', coalesce(tries, '[]')
          )
          order by seq desc, ended_at desc
        )
        from shown
      ),
      '[]'
    ),
    'next', (
      select json_build_object('event_id', app.event_name(event_id), 'ended_at', nullif(ended_at, 'infinity')) from last
    )
  ) into answer;
  return answer;
end
$$;
comment on function public.webhook_deliveries(uuid, text, text, text, timestamptz, integer) is
  'Returns a page of the deliveries of a webhook, newest event first: { data, next }. The states are waiting, '
  'delivered, failed and undelivered. The argument `type` is an event type, or all types of a resource (deal.*). The '
  'member `next`, { event_id, ended_at }, is the position after which the next page begins. It is null on the last '
  'page. Raises the errors of app.managed_webhook().';
grant execute on function public.webhook_deliveries(uuid, text, text, text, timestamptz, integer)
  to api_client, authenticated, service_role;

create function app.require_delivering(hook public.webhooks) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if hook.state = 'off' or app.has_ended_key(hook) then
    raise sqlstate 'PT409' using message = 'The webhook is off: switch it on first';
  end if;
  if hook.state = 'paused' then
    raise sqlstate 'PT409' using message = 'The webhook is paused: switch it on first';
  end if;
end
$$;
comment on function app.require_delivering(public.webhooks) is
  'Raises PT409 when a webhook receives no events because it is off or paused.';

create function public.redeliver_event(webhook_id uuid, event_id text, idempotency jsonb default null) returns json
language plpgsql security definer -- no role writes deliveries
set search_path = ''
as $$
#variable_conflict use_column
declare
  judged constant public.webhooks := app.managed_webhook(redeliver_event.webhook_id);
  hook public.webhooks;
  event constant app.events := app.stored_event(judged.company_id, app.event_id(redeliver_event.event_id));
  earlier constant jsonb := app.claim_idempotency_key(judged.company_id, idempotency);
begin
  if earlier is not null then
    return json_build_object('replayed', true, 'event_id', redeliver_event.event_id);
  end if;
  hook := app.locked_webhook(judged.id);
  perform app.require_delivering(hook);
  -- A webhook can get each event of a type to which it subscribes, and each event that it received earlier. But it can
  -- get a test event only if the test was made for this webhook.
  if event.id is null or not (
    app.wants(hook.types, event.type) and event.type <> 'webhook.test'
    or exists (
      select from app.open_deliveries
      where webhook_id = hook.id and record_id = event.record_id and seq = event.seq
    )
    or exists (
      select from app.deliveries where slot = event.slot and webhook_id = hook.id and seq = event.seq
    )
  ) then
    raise sqlstate 'PT404' using message = 'This webhook has no delivery of this event';
  end if;
  insert into app.open_deliveries as open (webhook_id, record_id, seq, slot, event_id, company_id, type, due_at)
  values (
    hook.id, event.record_id, event.seq, event.slot, event.id, hook.company_id, event.type, clock_timestamp()
  )
  on conflict (webhook_id, record_id, seq) do nothing;
  -- A delivery waits for the earlier deliveries of its record, so these become due too.
  update app.open_deliveries set due_at = clock_timestamp()
  where webhook_id = hook.id and record_id = event.record_id and seq <= event.seq and due_at > clock_timestamp();
  perform app.keep_outcome(hook.company_id, idempotency, jsonb_build_object('id', hook.id));
  return json_build_object('replayed', false, 'event_id', app.event_name(event.id));
end
$$;
comment on function public.redeliver_event(uuid, text, jsonb) is
  'Delivers one event of the log to a webhook again. If deliveries of this event or of earlier events of its record '
  'are still waiting, makes them due now. Returns { replayed, event_id }. Raises PT404 if the webhook has not received '
  'the event and does not subscribe to its type. Also raises the errors of app.managed_webhook(), '
  'app.require_delivering() and app.claim_idempotency_key().';
grant execute on function public.redeliver_event(uuid, text, jsonb) to api_client, authenticated, service_role;

create function public.replay_webhook(
  webhook_id uuid, since timestamptz, until timestamptz default null, types text[] default null,
  idempotency jsonb default null
) returns json
language plpgsql security definer -- no role writes replays
set search_path = ''
as $$
#variable_conflict use_column
declare
  judged constant public.webhooks := app.managed_webhook(replay_webhook.webhook_id);
  hook public.webhooks;
  earlier constant jsonb := app.claim_idempotency_key(judged.company_id, idempotency);
  at constant timestamptz := clock_timestamp();
  ends_at constant timestamptz := least(replay_webhook.until, at);
  asked jsonb;
begin
  if earlier is not null then
    return earlier || '{ "replayed": true }';
  end if;
  hook := app.locked_webhook(judged.id);
  perform app.require_delivering(hook);
  -- A caller that asks for the last 30 days has computed `since` a little earlier, with its own clock.
  if replay_webhook.since is null or replay_webhook.since < at - interval '30 days 5 minutes' then
    raise sqlstate 'PT422' using message = 'since must be a time within the last 30 days';
  end if;
  if replay_webhook.since > at then
    raise sqlstate 'PT422' using message = 'since must not be in the future';
  end if;
  if ends_at <= replay_webhook.since then
    raise sqlstate 'PT422' using message = 'until must be after since';
  end if;
  insert into app.replays (webhook_id, company_id, since, until, types)
  values (hook.id, hook.company_id, replay_webhook.since, ends_at, nullif(replay_webhook.types, '{}'))
  on conflict do nothing;
  if not found then
    raise sqlstate 'PT409' using message = 'An earlier replay of this webhook is still running: try again later';
  end if;
  asked := jsonb_build_object(
    'since', replay_webhook.since, 'until', ends_at, 'types', coalesce(nullif(replay_webhook.types, '{}'), hook.types)
  );
  perform app.keep_outcome(hook.company_id, idempotency, asked);
  return asked || '{ "replayed": false }';
end
$$;
comment on function public.replay_webhook(uuid, timestamptz, timestamptz, text[], jsonb) is
  'Delivers the events of a period to a webhook again. The delivery job reads the events from the log in batches. '
  'Returns { replayed, since, until, types }. Raises PT409 while an earlier replay runs, and PT422 for an invalid '
  'period. Also raises the errors of app.managed_webhook(), app.require_delivering() and '
  'app.claim_idempotency_key().';
grant execute on function public.replay_webhook(uuid, timestamptz, timestamptz, text[], jsonb)
  to api_client, authenticated, service_role;

create function public.test_webhook(webhook_id uuid, idempotency jsonb default null) returns json
language plpgsql security definer -- no role writes events
set search_path = ''
as $$
#variable_conflict use_column
declare
  judged constant public.webhooks := app.managed_webhook(test_webhook.webhook_id);
  hook public.webhooks;
  earlier constant jsonb := app.claim_idempotency_key(judged.company_id, idempotency);
  at constant timestamptz := clock_timestamp();
  made_id uuid := earlier ->> 'id';
begin
  if earlier is null then
    hook := app.locked_webhook(judged.id);
    perform app.require_delivering(hook);
    if (
      select count(*) from app.open_deliveries
      where webhook_id = hook.id and record_id = hook.id and type = 'webhook.test'
    ) >= 10 then
      raise sqlstate 'PT409' using message = 'Ten test events of this webhook are still waiting: try again later';
    end if;
    with noted as (
      insert into app.events (slot, id, seq, version, company_id, type, record_id, actor, request_id, happened_at)
      values (
        app.slot_of(at), app.new_event_id(at), nextval('app.event_seq'), app.change_now(), hook.company_id,
        'webhook.test', hook.id, app.webhook_actor(), app.request_id(), at
      )
      returning *
    )
    insert into app.open_deliveries (webhook_id, record_id, seq, slot, event_id, company_id, type, due_at)
    select hook.id, record_id, seq, slot, id, company_id, type, at from noted
    returning event_id into made_id;
    perform app.keep_outcome(hook.company_id, idempotency, jsonb_build_object('id', made_id));
  end if;
  return json_build_object('replayed', earlier is not null, 'event_id', app.event_name(made_id));
end
$$;
comment on function public.test_webhook(uuid, jsonb) is
  'Delivers an event webhook.test to this webhook only. Returns { replayed, event_id }. Raises PT409 while ten test '
  'events wait. Also raises the errors of app.managed_webhook(), app.require_delivering() and '
  'app.claim_idempotency_key().';
grant execute on function public.test_webhook(uuid, jsonb) to api_client, authenticated, service_role;
