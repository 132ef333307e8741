-- An event about a number that nobody has connected is kept. It is applied when an account gets that number, or names
-- the app that signed it; and when the operator says so.

create function app.wake_events(of_account_id uuid, processed_before timestamptz default 'infinity') returns integer
language plpgsql security definer -- whoever connects an account may not write events
set search_path = ''
as $$
declare
  woken integer;
begin
  with waiting as (
    select events.id
    from public.messaging_accounts as accounts
    join public.account_channel_apps as named on named.company_id = accounts.company_id
      and named.account_id = accounts.id
    join public.channel_events as events on events.channel_app_id = named.channel_app_id
    where accounts.id = of_account_id and events.state = 'unroutable' and events.next_attempt_at is null
      and events.waits_for && array[accounts.phone_number_id, accounts.business_account_id]
      and events.processed_at < processed_before
    -- One that is being applied would make the account wait; wake_late_events() looks at it again.
    for update of events skip locked
  )
  update public.channel_events as events set next_attempt_at = now()
  from waiting where events.id = waiting.id;
  get diagnostics woken = row_count;
  return woken;
end
$$;
comment on function app.wake_events(uuid, timestamptz) is
  'Has the events that wait for the number or the business account of an account be applied again, and returns how '
  'many.';

create function app.wake_events_of_account() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform app.wake_events(new.id);
  return null;
end
$$;
comment on function app.wake_events_of_account() is 'Trigger: what waits for the ids of an account is applied.';
create trigger messaging_accounts_wake_events
  after update of phone_number_id, business_account_id, disconnected_at on public.messaging_accounts
  for each row when (
    old.phone_number_id <> new.phone_number_id or old.business_account_id is distinct from new.business_account_id
    or (old.disconnected_at is null) <> (new.disconnected_at is null)
  )
  execute function app.wake_events_of_account();

create function app.wake_events_of_app() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform app.wake_events(new.account_id);
  return null;
end
$$;
comment on function app.wake_events_of_app() is 'Trigger: what waits for an account that names an app now is applied.';
create trigger account_channel_apps_wake_events after insert on public.account_channel_apps
  for each row execute function app.wake_events_of_app();

create function app.wake_late_events() returns integer
language sql
set search_path = ''
as $$
  select coalesce(sum(app.wake_events(changed.id, changed.at + interval '1 minute')), 0)::integer
  from (
    select accounts.id, greatest(accounts.updated_at, max(named.named_at)) as at
    from public.messaging_accounts as accounts
    join public.account_channel_apps as named on named.company_id = accounts.company_id
      and named.account_id = accounts.id
    group by accounts.id
    having greatest(accounts.updated_at, max(named.named_at)) > now() - interval '10 minutes'
  ) as changed
$$;
comment on function app.wake_late_events() is
  'As wake_events(), for events that were being applied while their account was connected: they did not see it yet.';

create function public.replay_channel_events(
  states text[] default null,
  since timestamptz default null,
  app_key text default null,
  event_id uuid default null,
  began_at timestamptz default null
) returns jsonb
language plpgsql security definer -- no role writes the table
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
      -- Neither what is due already, nor what was applied since the first of these calls.
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
  'Has events be applied again from their bytes: one; or those in these states, all but done unless given, that came '
  'since a time and from an app. At most 5,000 in a call; given began_at of the first answer, further calls go on '
  'until marked is 0.';
grant execute on function public.replay_channel_events(text[], timestamptz, text, uuid, timestamptz) to service_role;
