-- The apps at the channel whose events this platform accepts. An app belongs to no company: several companies may
-- connect their numbers through one app, and one company may use several apps.

create table public.channel_apps (
  id uuid primary key default gen_random_uuid(),
  -- The key is part of the path that the channel calls. It is random, so that no one can guess it, but it is not a
  -- secret.
  app_key text not null unique check (app_key ~ '^[A-Za-z0-9_-]{16,64}$'),
  name text not null check (char_length(name) between 1 and 255),
  -- The secret that signs events. All sealed columns are compact JWEs (dir, A256GCM), encrypted with the functions'
  -- secret CREDENTIALS_KEY.
  sealed_secret text not null
    check (sealed_secret ~ '^[A-Za-z0-9_-]+\.\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$'),
  -- The earlier secret, which is accepted until the operator ends the rotation.
  sealed_previous_secret text
    check (sealed_previous_secret ~ '^[A-Za-z0-9_-]+\.\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$'),
  rotation_began_at timestamptz,
  -- The token that the channel sends when the operator enters the address of the app at the channel.
  sealed_verify_token text not null
    check (sealed_verify_token ~ '^[A-Za-z0-9_-]+\.\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$'),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint channel_apps_previous_secret_while_rotating
    check ((sealed_previous_secret is null) = (rotation_began_at is null))
);
comment on table public.channel_apps is
  'An app at the channel whose events this platform accepts, with its sealed secrets.';

create function public.channel_app(app_key text) returns jsonb
-- Security definer, because the role of the function whatsapp cannot read any table.
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
  'Returns the sealed secrets of the app with this key in its path, or null for an unknown app.';
grant execute on function public.channel_app(text) to channel_client;

create function public.rotate_channel_app(app_key text, sealed_secret text) returns timestamptz
-- Security definer, because the secret moves from one column to another, and no role may read these columns.
language sql security definer
set search_path = ''
as $$
  -- A second rotation before the end of the first one replaces only the new secret, for example after a typing error.
  update public.channel_apps as apps set
    sealed_secret = rotate_channel_app.sealed_secret,
    sealed_previous_secret = coalesce(apps.sealed_previous_secret, apps.sealed_secret),
    rotation_began_at = coalesce(apps.rotation_began_at, now())
  where apps.app_key = rotate_channel_app.app_key
  returning apps.rotation_began_at
$$;
comment on function public.rotate_channel_app(text, text) is
  'Gives an app a new secret. The earlier secret is also accepted until finish_channel_app_rotation(). Returns the '
  'time when the rotation began, or null for an unknown app.';
grant execute on function public.rotate_channel_app(text, text) to service_role;

create function public.finish_channel_app_rotation(app_key text) returns boolean
language sql security definer -- for the same reason as rotate_channel_app()
set search_path = ''
as $$
  with apps as (
    select id, rotation_began_at from public.channel_apps
    where channel_apps.app_key = finish_channel_app_rotation.app_key for update
  ),
  finished as (
    update public.channel_apps set sealed_previous_secret = null, rotation_began_at = null
    where id in (select id from apps where rotation_began_at is not null)
  )
  select rotation_began_at is not null from apps
$$;
comment on function public.finish_channel_app_rotation(text) is
  'Ends the rotation of an app. Only the new secret is accepted from then on. Returns whether a rotation was under '
  'way, or null for an unknown app.';
grant execute on function public.finish_channel_app_rotation(text) to service_role;

create function public.sealed_app_secrets() returns table (app_key text, kind text, sealed text)
language sql stable security definer -- no role may read the columns
set search_path = ''
as $$
  select apps.app_key, secrets.kind, secrets.sealed
  from public.channel_apps as apps
  cross join lateral (
    values ('secret', apps.sealed_secret),
      ('previous_secret', apps.sealed_previous_secret),
      ('verify_token', apps.sealed_verify_token)
  ) as secrets (kind, sealed)
  where secrets.sealed is not null
  order by apps.app_key, secrets.kind
$$;
comment on function public.sealed_app_secrets() is
  'Returns the sealed secrets of every app, each with its kind: secret, previous_secret or verify_token.';
grant execute on function public.sealed_app_secrets() to service_role;

create function public.reseal_app_secret(app_key text, kind text, sealed_before text, sealed text) returns boolean
language sql security definer -- for the same reason as sealed_app_secrets()
set search_path = ''
as $$
  -- If a rotation has changed the secret since it was read, the condition on sealed_before keeps the new secret.
  with resealed as (
    update public.channel_apps as apps set
      sealed_secret = case when kind = 'secret' then sealed else apps.sealed_secret end,
      sealed_previous_secret = case when kind = 'previous_secret' then sealed else apps.sealed_previous_secret end,
      sealed_verify_token = case when kind = 'verify_token' then sealed else apps.sealed_verify_token end
    where apps.app_key = reseal_app_secret.app_key
      and sealed_before = case kind
        when 'secret' then apps.sealed_secret
        when 'previous_secret' then apps.sealed_previous_secret
        when 'verify_token' then apps.sealed_verify_token
      end
    returning apps.id
  )
  select exists (select from resealed)
$$;
comment on function public.reseal_app_secret(text, text, text, text) is
  'Replaces one sealed secret of an app if the stored one is still sealed_before. Returns whether it was replaced.';
grant execute on function public.reseal_app_secret(text, text, text, text) to service_role;

create trigger channel_apps_set_updated_at before update on public.channel_apps
  for each row execute function app.set_updated_at();

alter table public.channel_apps enable row level security;
create policy "the platform reads apps of the channel" on public.channel_apps
  for select to service_role using (true);

grant select (id, app_key, name, rotation_began_at, created_at, updated_at) on public.channel_apps to service_role;
grant insert (app_key, name, sealed_secret, sealed_verify_token) on public.channel_apps to service_role;
