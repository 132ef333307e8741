-- Events that were not applied immediately. The job retries these events. When an account is connected, the events that
-- waited for it become due. The operator can replay other events. An event for a number that is not connected waits
-- until someone connects the number.

create function app.next_attempt(attempts integer) returns timestamptz
language sql stable
set search_path = ''
as $$
  -- Ten attempts take most of a day.
  select case when attempts < 10 then now() + interval '1 minute' * 2 ^ attempts end
$$;
comment on function app.next_attempt(integer) is
  'Returns the time of the next attempt after this number of failed attempts. Returns null after the last attempt.';

create function public.due_channel_events(max_rows integer default 20, without_apps uuid[] default '{}')
returns table (event_id uuid, app_id uuid, body text)
language sql security definer -- see receive_channel_event()
set search_path = ''
as $$
  with chosen as (
    -- The apps take turns, so that the events of one app do not delay the events of the others. For each app, the query
    -- reads at most max_rows events, however many are due.
    select queued.id, row_number() over (order by queued.turn, random()) as place
    from public.channel_apps as apps
    cross join lateral (
      select first.id, row_number() over (order by first.next_attempt_at) as turn
      from (
        select events.id, events.next_attempt_at from public.channel_events as events
        where events.channel_app_id = apps.id and events.next_attempt_at <= now()
        order by events.next_attempt_at
        limit least(max_rows, 100)
      ) as first
    ) as queued
    where apps.id <> all (without_apps)
    order by place
    limit least(max_rows, 100)
  ),
  due as (
    select events.id, events.channel_app_id, events.attempts, chosen.place, events.bytes
    from chosen
    -- Postgres does not know how few events are chosen, and might read the whole table. With this join and with the
    -- arrays below, Postgres looks up only the chosen events.
    cross join lateral (
      select due.id, due.channel_app_id, due.attempts, octet_length(due.body) as bytes
      from public.channel_events as due
      where due.id = chosen.id and due.next_attempt_at <= now()
      for update skip locked
    ) as events
  ),
  -- Ten attempts to apply these events were started, but the edge function always ended before it reported a result.
  given_up as (
    update public.channel_events as events set
      state = 'dead', next_attempt_at = null, processed_at = now(), error = 'The event was started ten times and never finished'
    where events.id = any (array(select due.id from due where due.attempts >= 10))
  ),
  fitting as (
    -- The edge function has all these bodies in memory at the same time, so their total size is limited.
    select measured.id, measured.place
    from (
      select due.id, due.place, sum(due.bytes) over (order by due.place) - due.bytes as before,
        sum(due.bytes) over (partition by due.channel_app_id order by due.place) - due.bytes as before_of_app
      from due
      where due.attempts < 10
    ) as measured
    where measured.before < 4 * 1024 * 1024 and measured.before_of_app < 1024 * 1024
  ),
  started as (
    update public.channel_events as events set
      next_attempt_at = now() + interval '3 minutes', attempts = events.attempts + 1
    where events.id = any (array(select fitting.id from fitting))
    returning events.id, events.channel_app_id, events.body
  )
  select started.id, started.channel_app_id, translate(encode(started.body, 'base64'), E'\n', '')
  from started join fitting on fitting.id = started.id order by fitting.place
$$;
comment on function public.due_channel_events(integer, uuid[]) is
  'Starts an attempt to apply due events, and returns their bodies in base64. The apps take turns, and the events of '
  'an app come in the order in which they became due. Returns at most max_rows events. The total size of their bodies '
  'is at most about 4 MiB, and about 1 MiB for each app. Returns no event of the apps in without_apps. For three '
  'minutes, no other run gets these events.';
grant execute on function public.due_channel_events(integer, uuid[]) to channel_client, service_role;

create function public.return_channel_events(event_ids uuid[]) returns void
language sql security definer -- see receive_channel_event()
set search_path = ''
as $$
  update public.channel_events as events set attempts = events.attempts - 1, next_attempt_at = events.received_at
  where events.id = any (return_channel_events.event_ids) and events.attempts > 0
    and events.next_attempt_at > now() and events.state <> 'done'
$$;
comment on function public.return_channel_events(uuid[]) is
  'Makes events due again that due_channel_events() returned and that the run has not started to apply. The attempt '
  'does not count. The due time of each event becomes the time at which the event was received. So the next run gets '
  'these events before the later events of their app.';
grant execute on function public.return_channel_events(uuid[]) to channel_client, service_role;

create function public.fail_channel_event(event_id uuid, failure text) returns void
language sql security definer -- see receive_channel_event()
set search_path = ''
as $$
  update public.channel_events as events set
    state = case when events.attempts >= 10 then 'dead' else 'failed' end,
    next_attempt_at = app.next_attempt(events.attempts),
    error = left(failure, 1000),
    processed_at = now()
  where events.id = fail_channel_event.event_id and events.state <> 'done'
$$;
comment on function public.fail_channel_event(uuid, text) is
  'Records why a whole attempt to apply an event failed. The attempt started with due_channel_events().';
grant execute on function public.fail_channel_event(uuid, text) to channel_client, service_role;

create function public.apply_channel_event(event_id uuid, items jsonb, problem text default null)
returns jsonb
language plpgsql security definer -- see receive_channel_event()
set search_path = ''
as $$
declare
  own_items jsonb := apply_channel_event.items;
  app_id uuid;
  company_ids uuid[];
  began_at constant timestamptz := clock_timestamp();
  event record;
  -- The maximum duration. It is well below the statement timeout, because a cancelled statement would undo the applied
  -- items.
  most constant interval := least(
    interval '12 seconds', 0.6 * nullif(current_setting('statement_timeout')::interval, interval '0')
  );
begin
  select events.channel_app_id into app_id from public.channel_events as events
  where events.id = apply_channel_event.event_id;
  -- The companies are locked before the event, because an erasure acquires its locks in this order.
  company_ids := app.lock_companies_of_items(app_id, own_items);
  select events.id, events.state, events.attempts, events.body into event
  from public.channel_events as events
  where events.id = apply_channel_event.event_id
  for update;
  if not found then
    return null;
  elsif event.state = 'done' then
    return jsonb_build_object('event_id', event.id, 'state', 'done');
  end if;
  own_items := app.judge_stored_event(event.id, app_id, event.body, own_items);
  return app.apply_event(
    event.id, app_id, company_ids, own_items, apply_channel_event.problem,
    -- At the first attempt, the request that stored the event is still waiting for a response.
    began_at + case when event.attempts > 0 then most else least(most, interval '3 seconds') end,
    event.attempts > 0
  );
end
$$;
comment on function public.apply_channel_event(uuid, jsonb, text) is
  'Applies the items of a stored event that is not done, and returns the result. Returns null when the event no longer '
  'exists. If the job has not started an attempt, the function runs for at most three seconds.';
grant execute on function public.apply_channel_event(uuid, jsonb, text) to channel_client, service_role;

create function app.wake_events(named public.account_channel_apps, max_rows integer) returns integer
language plpgsql security definer -- the role that connects an account may not write events
set search_path = ''
-- Postgres uses the index of waits_for only with a bitmap scan. Another scan might read all events.
set enable_bitmapscan = on
set enable_seqscan = off
set enable_indexscan = off
as $$
declare
  ids constant text[] := (
    select array[accounts.phone_number_id, accounts.business_account_id] from public.messaging_accounts as accounts
    where accounts.company_id = named.company_id and accounts.id = named.account_id
  );
  woken integer;
begin
  with waiting as (
    select events.id
    from public.channel_events as events
    where events.state = 'unroutable' and events.waits_for && ids
      and events.next_attempt_at is null and events.processed_at < named.wakes_before
      -- In this form, Postgres does not use the index of an app's events, which may have millions of entries.
      and (events.channel_app_id = named.channel_app_id) is true
    limit max_rows
    -- The query skips events that are being applied, so that a transaction that connects the account does not wait for
    -- them. wake_late_events() makes the skipped events due later.
    for update skip locked
  )
  update public.channel_events as events set next_attempt_at = now()
  where events.id = any (array(select waiting.id from waiting));
  get diagnostics woken = row_count;
  return woken;
end
$$;
comment on function app.wake_events(public.account_channel_apps, integer) is
  'Makes at most max_rows events due that come from an app of an account and wait for the account''s phone number or '
  'business account. Returns how many events it made due.';

create function app.wake_events_of_account() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  update public.account_channel_apps set wakes_before = default
  where company_id = new.company_id and account_id = new.id;
  return null;
end
$$;
comment on function app.wake_events_of_account() is
  'Trigger: makes the events due that wait for the ids of an account. See app.wake_events_of_app().';

create function app.wake_events_of_app() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform app.wake_events(new, 1000);
  return null;
end
$$;
comment on function app.wake_events_of_app() is
  'Trigger: when an account gets an app, or changes, makes at most 1,000 events due that wait for the account. More '
  'events would delay the request that connects the account. The job makes the other events due.';

create function app.wake_late_events(max_rows integer) returns integer
language plpgsql
set search_path = ''
as $$
declare
  named public.account_channel_apps;
  -- A run of the job applies about this many events. If more events became due, later events of the app would wait for
  -- all of them.
  most constant integer := least(max_rows, 300);
  -- Each account gets an equal part.
  part constant integer := greatest(1, most / greatest(1, (
    select count(*)::integer from public.account_channel_apps where wakes_before is not null
  )));
  room integer;
  woken integer;
  all_woken integer := 0;
begin
  for named in
    select * from public.account_channel_apps where wakes_before is not null order by random() limit most
  loop
    -- Events of this app that are already due count too. Otherwise each run would add events to those that no run has
    -- applied yet. The order lets Postgres read only the first entries of the index of due events.
    select least(part, 300 - count(*)) into room
    from (
      select from public.channel_events as events
      where events.channel_app_id = named.channel_app_id and events.next_attempt_at <= now()
      order by events.next_attempt_at
      limit 300
    ) as due;
    continue when room = 0;
    woken := app.wake_events(named, room);
    all_woken := all_woken + woken;
    -- A transaction that began before the account changed has ended by then.
    if woken < room and named.wakes_before < now() - interval '10 minutes' then
      update public.account_channel_apps set wakes_before = null where id in (
        select id from public.account_channel_apps
        where id = named.id and wakes_before = named.wakes_before
        for no key update skip locked
      );
    end if;
  end loop;
  return all_woken;
end
$$;
comment on function app.wake_late_events(integer) is
  'Makes at most 300 and at most max_rows events due that wait for a changed account and that the trigger left: the '
  'events beyond the first 1,000, and the events that were being applied when the account changed. The transactions '
  'that applied them could not see the change. Makes no event due while 300 events of the same app are due. Returns '
  'how many events it made due.';

create function public.replay_channel_events(
  states text[] default null,
  since timestamptz default null,
  app_key text default null,
  event_id uuid default null,
  began_at timestamptz default null
) returns jsonb
language plpgsql security definer -- no role may write the table
set search_path = ''
as $$
#variable_conflict use_column
declare
  beginning constant timestamptz := coalesce(replay_channel_events.began_at, now());
  marked integer;
begin
  with chosen as (
    select events.id from public.channel_events as events
    where case
        when replay_channel_events.event_id is not null then events.id = replay_channel_events.event_id
        when replay_channel_events.states is null then events.state <> 'done'
        else events.state = any (replay_channel_events.states)
      end
      and (since is null or events.received_at >= since)
      and (replay_channel_events.app_key is null or events.channel_app_id = (
        select apps.id from public.channel_apps as apps where apps.app_key = replay_channel_events.app_key
      ))
      -- These conditions exclude events that are already due, and events that were applied after the first call of this
      -- replay.
      and (events.next_attempt_at is null or events.next_attempt_at > now())
      and (events.processed_at is null or events.processed_at < beginning)
    order by events.received_at
    limit 5000
    for update skip locked
  )
  update public.channel_events as events set
    state = 'stored', attempts = 0, error = null, waits_for = '{}', next_attempt_at = now()
  from chosen where events.id = chosen.id;
  get diagnostics marked = row_count;
  return jsonb_build_object('marked', marked, 'began_at', beginning);
end
$$;
comment on function public.replay_channel_events(text[], timestamptz, text, uuid, timestamptz) is
  'Makes events due again: one event, or all events from an app in these states since a given time. By default, the '
  'states are all states except `done`. One call makes at most 5,000 events due. For the remaining events, call the '
  'function again with the began_at of the first result, until `marked` is 0.';
grant execute on function public.replay_channel_events(text[], timestamptz, text, uuid, timestamptz) to service_role;

create function app.remove_old_events(max_rows integer) returns integer
language sql
set search_path = ''
as $$
  with old as (
    select id from public.channel_events
    where received_at < now() - interval '30 days'
    order by received_at
    limit max_rows
    for update skip locked
  ),
  removed as (
    delete from public.channel_events using old where channel_events.id = old.id
    returning channel_events.id
  )
  select count(*)::integer from removed
$$;
comment on function app.remove_old_events(integer) is
  'Deletes at most max_rows events that are older than 30 days, and returns their number. Messages remain in their '
  'conversations.';

create trigger messaging_accounts_wake_events
  after update of phone_number_id, business_account_id, disconnected_at on public.messaging_accounts
  for each row when (
    old.phone_number_id <> new.phone_number_id or old.business_account_id is distinct from new.business_account_id
    or (old.disconnected_at is null) <> (new.disconnected_at is null)
  )
  execute function app.wake_events_of_account();
create trigger account_channel_apps_wake_events
  after insert or update of wakes_before on public.account_channel_apps
  for each row when (new.wakes_before is not null) execute function app.wake_events_of_app();
