-- What the channel tells this platform, stored as it came. The channel keeps no history, so an event is committed
-- before it is answered, and before anything reads it.

create table public.channel_events (
  id uuid primary key default gen_random_uuid(),
  -- The app whose secret signed it.
  channel_app_id uuid not null references public.channel_apps on delete cascade,
  received_at timestamptz not null default now(),
  -- The bytes that were signed. As text or JSON, Postgres would refuse some of what people write.
  body bytea not null check (octet_length(body) <= 3145728),
  body_sha256 bytea not null check (octet_length(body_sha256) = 32),
  state text not null default 'stored' check (state in ('stored', 'done', 'unroutable', 'failed', 'dead')),
  -- Why it failed or has no account, in a sentence for operators.
  error text check (char_length(error) between 1 and 1000),
  attempts integer not null default 0 check (attempts >= 0),
  -- A repeat of the same bytes is known without reading them. The channel may also regroup what it repeats.
  constraint channel_events_once unique (channel_app_id, body_sha256)
);
comment on table public.channel_events is
  'An event of the channel as it was received, whose signature was right: stored, then done; unroutable when no account '
  'names its app; failed, to be tried again, and dead after the last attempt.';

alter table public.channel_events enable row level security;
create policy "the platform reads events of the channel" on public.channel_events
  for select to service_role using (true);
grant select on public.channel_events to service_role;

create function public.channel_app(app_key text) returns jsonb
-- The role of the function whatsapp reads no table.
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'sealed_secret', apps.sealed_secret,
    'sealed_previous_secret', apps.sealed_previous_secret,
    'sealed_verify_token', apps.sealed_verify_token
  )
  from public.channel_apps as apps
  where apps.app_key = channel_app.app_key
$$;
comment on function public.channel_app(text) is
  'The sealed secrets of an app, by what stands in its path; null when there is no such app.';
grant execute on function public.channel_app(text) to channel_client;

create function public.store_channel_event(app_key text, body text) returns text
language plpgsql security definer -- as channel_app()
set search_path = ''
as $$
#variable_conflict use_column
declare
  bytes constant bytea := decode(store_channel_event.body, 'base64');
  app_id uuid;
begin
  select apps.id into app_id from public.channel_apps as apps
  where apps.app_key = store_channel_event.app_key
  for key share;
  if not found then
    return null;
  end if;
  insert into public.channel_events (channel_app_id, body, body_sha256)
  values (app_id, bytes, sha256(bytes))
  on conflict on constraint channel_events_once do nothing;
  return case when found then 'stored' else 'repeated' end;
end
$$;
comment on function public.store_channel_event(text, text) is
  'Stores an event of an app, whose body comes in base64. Returns stored, repeated when the app has sent the same bytes '
  'before, or null when there is no such app.';
grant execute on function public.store_channel_event(text, text) to channel_client;
comment on role channel_client is
  'The role of the edge function whatsapp. It reads and writes no table; it calls the functions of its jobs, and those '
  'that take the events of the channel.';

create function public.channel_apps_status() returns jsonb
language sql stable security definer -- one snapshot of several tables
set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'app_key', apps.app_key,
    'name', apps.name,
    'rotation_began_at', apps.rotation_began_at,
    'created_at', apps.created_at,
    'accounts', (
      select count(*) from public.messaging_accounts as accounts where accounts.channel_app_id = apps.id
    ),
    'last_event_at', (
      select max(events.received_at) from public.channel_events as events where events.channel_app_id = apps.id
    ),
    'events', (
      select coalesce(jsonb_object_agg(counted.state, counted.events), '{}')
      from (
        select events.state, count(*) as events from public.channel_events as events
        where events.channel_app_id = apps.id
        group by events.state
      ) as counted
    )
  ) order by apps.created_at desc, apps.app_key), '[]')
  from public.channel_apps as apps
$$;
comment on function public.channel_apps_status() is
  'Every app, the newest first: how many accounts name it, and how many of its events are in which state.';
grant execute on function public.channel_apps_status() to service_role;

create function public.delete_channel_app(app_key text, forced boolean default false) returns jsonb
language plpgsql security definer -- its events and what accounts have named go with it
set search_path = ''
as $$
#variable_conflict use_column
declare
  app_id uuid;
  accounts integer;
  events integer;
begin
  -- Waits for accounts and events that are being added, and lets no other in.
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
  delete from public.channel_apps where id = app_id;
  return jsonb_build_object('deleted', true, 'accounts', accounts, 'events', events);
end
$$;
comment on function public.delete_channel_app(text, boolean) is
  'Deletes an app with its events. Unless forced, not while an account names it or has named it, nor while it has events '
  'that are not done. Returns whether it was deleted, and how many accounts and such events there were; null when there '
  'is no such app.';
grant execute on function public.delete_channel_app(text, boolean) to service_role;
