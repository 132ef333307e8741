-- WhatsApp events, stored as received. WhatsApp keeps no history. So an event is committed before WhatsApp gets a
-- response. Every event is stored, even if its account is unknown or the event cannot be applied. The time for storing
-- an event is proportional to its size. Data about erased people is removed from an event before the event is applied.
-- From a small event, this data is removed before the event is stored. From a large event, a separate statement removes
-- the data later.

create table public.channel_events (
  id uuid primary key default gen_random_uuid(),
  -- The event was signed with the secret of this app.
  channel_app_id uuid not null references public.channel_apps on delete cascade,
  -- For a problem that occurs again, the time of the last occurrence. See app.can_recur().
  received_at timestamptz not null default now(),
  -- The signed bytes. In a text or JSON column, Postgres would refuse some characters that messages may contain.
  body bytea not null check (octet_length(body) <= 3145728),
  body_sha256 bytea not null check (octet_length(body_sha256) = 32),
  state text not null default 'stored' check (state in ('stored', 'done', 'unroutable', 'failed', 'dead')),
  -- Why the event failed or has no account, as an error message for operators.
  error text check (char_length(error) between 1 and 1000),
  attempts integer not null default 0 check (attempts >= 0),
  -- The numbers and business accounts for which there was no account when the event was applied.
  waits_for text[] not null default '{}',
  -- Notes for operators about an applied event, such as a message that was sent twice.
  notes text[] not null default '{}',
  -- When the job applies the event. Null means that the job does not apply the event. While a run of the job works on
  -- the event, this is the end of the run's lease.
  next_attempt_at timestamptz default now(),
  -- When the event was last tried, whether or not it succeeded.
  processed_at timestamptz,
  person_marks bigint[],
  -- The hash recognizes only a repeat of the same bytes. WhatsApp may also repeat items in an event with other bytes,
  -- so applying an item a second time must change nothing.
  constraint channel_events_once unique (channel_app_id, body_sha256)
);
comment on table public.channel_events is
  'A WhatsApp event as received, with a valid signature. stored: the event must still be applied. done: the event was '
  'applied. unroutable: for an item of the event, the account, the person or the kind is unknown. failed: the event '
  'will be retried. dead: the last attempt failed.';
comment on column public.channel_events.waits_for is
  'The ids of phone numbers and business accounts for which no account exists. When an account gets one of these ids, '
  'the event is applied.';
comment on column public.channel_events.person_marks is
  'The hashes (app.marks_of()) of the phone numbers, ids and email addresses of people in the event. Null until the '
  'event is applied. Also null if these identifiers cannot be read.';

create index channel_events_due_idx on public.channel_events (channel_app_id, next_attempt_at)
  where next_attempt_at is not null;
create index channel_events_age_idx on public.channel_events (received_at);
create index channel_events_open_idx on public.channel_events (state, received_at) where state <> 'done';
create index channel_events_app_idx on public.channel_events (channel_app_id, received_at);
create index channel_events_waiting_idx on public.channel_events using gin (waits_for) where state = 'unroutable';
create index channel_events_people_idx on public.channel_events using gin (person_marks);
create index channel_events_unread_people_idx on public.channel_events (id) where person_marks is null;

create function public.store_channel_event(app_key text, body text) returns jsonb
language plpgsql security definer -- see channel_app()
set search_path = ''
as $$
#variable_conflict use_column
declare
  bytes constant bytea := decode(store_channel_event.body, 'base64');
  digest constant bytea := sha256(bytes);
  app_id uuid;
  event record;
  is_new boolean;
begin
  select apps.id into app_id from public.channel_apps as apps
  where apps.app_key = store_channel_event.app_key
  for key share;
  if not found then
    return null;
  end if;
  insert into public.channel_events (channel_app_id, body, body_sha256)
  values (app_id, bytes, digest)
  on conflict on constraint channel_events_once do nothing
  returning id, state into event;
  is_new := found;
  if not is_new then
    select id, state into event from public.channel_events where channel_app_id = app_id and body_sha256 = digest;
  end if;
  return jsonb_build_object(
    'result', case when is_new then 'stored' else 'repeated' end, 'event_id', event.id, 'state', event.state
  );
end
$$;
comment on function public.store_channel_event(text, text) is
  'Stores an app''s event without applying it. The body is base64-encoded. The result is `stored` or `repeated`, with '
  'the id and the state of the event. Returns null for an unknown app.';
grant execute on function public.store_channel_event(text, text) to channel_client;

create function public.channel_apps_status() returns jsonb
language sql stable security definer -- all counts come from one snapshot
set search_path = ''
-- Otherwise Postgres might read all events of an app, or even of all apps, to find a few of them.
set enable_seqscan = off
set enable_bitmapscan = off
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'app_key', apps.app_key,
    'name', apps.name,
    'rotation_began_at', apps.rotation_began_at,
    'created_at', apps.created_at,
    'accounts', (
      select count(*) from public.messaging_accounts as accounts where accounts.channel_app_id = apps.id
    ),
    -- With an equality, Postgres might search for the app's newest event through the events of all apps.
    'last_event_at', (
      select events.received_at from public.channel_events as events
      where events.channel_app_id between apps.id and apps.id
      order by events.channel_app_id desc, events.received_at desc limit 1
    ),
    'events', (
      select coalesce(jsonb_object_agg(counted.state, counted.events), '{}')
      from (
        select events.state, count(*) as events from public.channel_events as events
        where events.channel_app_id = apps.id and events.state <> 'done'
        group by events.state
        union all
        -- An app may have millions of these events.
        select 'done', count(*)
        from (
          select from public.channel_events as events
          where events.channel_app_id = apps.id and events.state = 'done' limit 10000
        ) as found
        having count(*) > 0
      ) as counted
    )
  ) order by apps.created_at desc, apps.app_key), '[]')
  from public.channel_apps as apps
$$;
comment on function public.channel_apps_status() is
  'Returns all apps, newest first, each with the number of accounts that use it and the number of its events in each '
  'state. For the state done, 10,000 means 10,000 or more.';
grant execute on function public.channel_apps_status() to service_role;

create function public.delete_channel_app(app_key text, forced boolean default false) returns jsonb
language plpgsql security definer -- the function also deletes the app's events and its list of accounts
set search_path = ''
set enable_seqscan = off -- see channel_apps_status()
as $$
#variable_conflict use_column
declare
  app_id uuid;
  accounts integer;
  events integer;
  deleted_now integer;
begin
  -- This statement waits for transactions that add accounts or events of the app, and blocks later transactions of this
  -- kind.
  select apps.id into app_id from public.channel_apps as apps
  where apps.app_key = delete_channel_app.app_key
  for update;
  if not found then
    return null;
  end if;
  select count(*) into accounts from public.account_channel_apps where channel_app_id = app_id;
  select count(*) into events from public.channel_events where channel_app_id = app_id and state <> 'done';
  if not forced and (accounts > 0 or events > 0) then
    return jsonb_build_object('deleted', false, 'accounts', accounts, 'events', events);
  end if;
  with some_events as (
    select id from public.channel_events where channel_app_id = app_id limit 1000 for update skip locked
  )
  delete from public.channel_events using some_events where channel_events.id = some_events.id;
  get diagnostics deleted_now = row_count;
  if deleted_now = 1000 then
    return jsonb_build_object('deleted', false, 'accounts', accounts, 'events', events, 'continues', true);
  end if;
  -- The events that other transactions have locked are left. Every transaction locks events in this order.
  perform from public.channel_events where channel_app_id = app_id order by id for update;
  delete from public.channel_apps where id = app_id;
  return jsonb_build_object('deleted', true, 'accounts', accounts, 'events', events);
end
$$;
comment on function public.delete_channel_app(text, boolean) is
  'Deletes an app with its events. If `forced` is false, keeps an app that an account uses or used earlier, and an app '
  'with events that are not done. Returns whether the app was deleted, and the numbers of these accounts and events. '
  'Each call deletes about 1,000 events. If the app may have more events, the call keeps the app, and returns '
  '`continues`: call the function again. Returns null for an unknown app.';
grant execute on function public.delete_channel_app(text, boolean) to service_role;

create function app.judge_stored_event(event_id uuid, app_id uuid, body bytea, inout items jsonb)
language plpgsql
set search_path = ''
as $$
declare
  event record;
  judged record;
begin
  select events.body, events.body_sha256, events.person_marks is null as is_unread into event
  from public.channel_events as events where events.id = event_id;
  select * into judged from app.judged_event(
    app_id,
    -- An erasure may have changed the bytes after the items were read from them.
    case when sha256(judge_stored_event.body) <> event.body_sha256 then
      app.names_in(app.text_of_event(judge_stored_event.body)) || app.names_in(items::text)
    end,
    judge_stored_event.body, items
  );
  items := judged.items;
  if event.is_unread or judged.body <> judge_stored_event.body then
    -- If an erasure has changed the stored bytes since the caller read them, the removed data is not restored.
    event.body := case when event.body = judge_stored_event.body then judged.body else event.body end;
    update public.channel_events as events set body = event.body, person_marks = app.marks_of_event(event.body)
    where events.id = event_id;
  end if;
end
$$;
comment on function app.judge_stored_event(uuid, uuid, bytea, jsonb) is
  'Removes erased people from a stored event and from its items. The caller has locked the event. An erasure may have '
  'changed the event since the caller read its body and items. Stores the hashes of the people whom the event '
  'mentions. Returns the remaining items.';

create function app.apply_event(
  event_id uuid, app_id uuid, company_ids uuid[], items jsonb, problem text, until timestamptz, is_repeated boolean
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  outcome jsonb;
  failed integer;
  delayed integer;
  unroutable integer;
  is_failure boolean;
  attempt integer;
  event record;
  event_received_at constant timestamptz := (
    select events.received_at from public.channel_events as events where events.id = event_id
  );
begin
  begin
    outcome := app.apply_items(app_id, company_ids, app.items_with_times(items, event_received_at), until);
  exception when others then
    -- After any error, the function stores the error with the event and schedules the next attempt.
    outcome := jsonb_build_object(
      'failed', 1, 'delayed', 0, 'unroutable', 0, 'error', format('%s %s', sqlstate, left(sqlerrm, 500)),
      'reasons', '[]'::jsonb, 'waits_for', '[]'::jsonb, 'surprises', '[]'::jsonb
    );
  end;
  begin
    perform app.note_last_event(app_id, items, event_received_at);
  exception when others then
    -- The event is still applied, and the next event records its own time.
    raise warning 'The last event of an account was not noted: % %', sqlstate, sqlerrm;
  end;
  failed := outcome -> 'failed';
  delayed := outcome -> 'delayed';
  unroutable := outcome -> 'unroutable';
  -- At the first attempt, the rest of the items may be left to the job. This is not a failure.
  is_failure := failed > 0 or is_repeated and delayed > 0;
  -- If the job makes this attempt, due_channel_events() has already counted it.
  attempt := case when is_failure and not is_repeated then 1 else 0 end;
  update public.channel_events as events set
    attempts = events.attempts + attempt,
    state = case
      when is_failure and events.attempts + attempt >= 10 then 'dead'
      when failed > 0 then 'failed'
      when delayed > 0 then 'stored'
      when problem is not null then 'dead'
      when unroutable > 0 then 'unroutable'
      else 'done'
    end,
    next_attempt_at = case
      when is_failure then app.next_attempt(events.attempts + attempt)
      when not is_failure and delayed > 0 then now()
    end,
    error = left(case
      when failed > 0 then outcome ->> 'error'
      when delayed > 0 then
        format('%s of its items are not applied yet: their rows were locked, or time ran out', delayed)
      when problem is not null then problem
      when unroutable > 0 then (
        select string_agg(reason, '; ') from jsonb_array_elements_text(outcome -> 'reasons') as reasons (reason)
      )
    end, 1000),
    waits_for = array(select jsonb_array_elements_text(outcome -> 'waits_for')),
    notes = array(
      select unnest(events.notes)
      union
      select format(
        case sent ->> 'kind' when 'double_send' then 'Double send: send %s also went out as %s'
          else 'The ledger was wrong: send %s, which the channel seemed not to have accepted, went out as %s' end,
        coalesce(sent ->> 'send_id', 'unknown'), sent ->> 'whatsapp_message_id'
      )
      from jsonb_array_elements(outcome -> 'surprises') as surprises (sent)
      order by 1
    ),
    processed_at = now()
  where events.id = event_id
  returning events.state, events.attempts into event;
  return outcome - 'error' - 'reasons' - 'waits_for'
    || jsonb_build_object('event_id', event_id, 'state', event.state, 'attempts', event.attempts);
end
$$;
comment on function app.apply_event(uuid, uuid, uuid[], jsonb, text, timestamptz, boolean) is
  'Applies the items of an event, stores the result, and returns it: state, attempts, failed, delayed, unroutable, '
  'surprises. The argument company_ids comes from app.lock_companies_of_items(). The argument `problem` is the reason '
  'why the event, or a part of it, cannot be read. The argument is_repeated is true for an attempt by the job.';

create function public.receive_channel_event(app_key text, body text, items jsonb, problem text default null)
returns jsonb
-- Security definer, because the role for the edge function whatsapp cannot read any table.
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  bytes constant bytea := decode(receive_channel_event.body, 'base64');
  digest constant bytea := sha256(bytes);
  own_items jsonb := receive_channel_event.items;
  names text[];
  judged record;
  app_id uuid;
  company_ids uuid[];
  event record;
  is_new boolean := false;
begin
  select apps.id into app_id from public.channel_apps as apps
  where apps.app_key = receive_channel_event.app_key
  for key share;
  if not found then
    return null;
  end if;
  if not exists (select from public.channel_events where channel_app_id = app_id and body_sha256 = digest) then
    -- An erasure acquires the same locks, so no person can be erased before this transaction ends.
    company_ids := app.lock_companies_of_items(app_id, own_items);
    begin
      names := app.names_in(app.text_of_event(bytes));
    exception when others then
      -- The event is stored even if the identifiers of people (names) in it cannot be read.
      null;
    end;
    select * into judged from app.judged_event(app_id, names, bytes, own_items);
    insert into public.channel_events (channel_app_id, body, body_sha256, next_attempt_at, person_marks)
    values (
      app_id, judged.body, digest, null,
      case when judged.body = bytes then app.marks_of(names) else app.marks_of_event(judged.body) end
    )
    on conflict on constraint channel_events_once do nothing
    returning id, state into event;
    is_new := found;
    own_items := judged.items;
  end if;
  if not is_new then
    -- If another request is applying the event, this request skips it.
    select id, state,
      -- Many such events in a short time cause only one write a minute.
      (received_at < now() - interval '1 minute' and app.can_recur(own_items)) is true as has_recurred
    into event from public.channel_events
    where channel_app_id = app_id and body_sha256 = digest
    for update skip locked;
    if event.id is null or event.state = 'done' and not event.has_recurred then
      return jsonb_build_object('result', 'repeated', 'state', event.state);
    end if;
    if event.has_recurred then
      update public.channel_events set received_at = now() where id = event.id;
    end if;
    company_ids := app.lock_companies_of_items(app_id, own_items);
    own_items := app.judge_stored_event(event.id, app_id, bytes, own_items);
  end if;
  return jsonb_build_object('result', case when is_new then 'stored' else 'repeated' end)
    || app.apply_event(
      event.id, app_id, company_ids, own_items, receive_channel_event.problem,
      clock_timestamp() + interval '3 seconds', false
    );
end
$$;
comment on function public.receive_channel_event(text, text, jsonb, text) is
  'Stores an app''s event of normal size, and applies its items for up to three seconds. The body is base64-encoded. '
  'The job applies the remaining items. The result is `stored` or `repeated`, with the result of app.apply_event(). '
  'Returns null for an unknown app. A repeat of an event that is done is not applied again, unless app.can_recur() is '
  'true for its items. If so, and if more than a minute has passed, the event is received now.';
grant execute on function public.receive_channel_event(text, text, jsonb, text) to channel_client;

alter table public.channel_events enable row level security;
create policy "the platform reads events of the channel" on public.channel_events
  for select to service_role using (true);

grant select on public.channel_events to service_role;
