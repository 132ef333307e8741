-- The apps at the channel whose events this platform takes. An app belongs to no company: several companies may have
-- connected their numbers by one app, and one company may use several.

create table public.channel_apps (
  id uuid primary key default gen_random_uuid(),
  -- Stands in the path that the channel calls. Random, so that nobody finds an app by trying, yet no secret.
  app_key text not null unique check (app_key ~ '^[A-Za-z0-9_-]{16,64}$'),
  name text not null check (char_length(name) between 1 and 255),
  -- Compact JWEs (dir, A256GCM) under the functions' secret CREDENTIALS_KEY; useless without it. What signs events:
  sealed_secret text not null
    check (sealed_secret ~ '^[A-Za-z0-9_-]+\.\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$'),
  -- The secret before it, which counts as well until the operator ends the rotation.
  sealed_previous_secret text
    check (sealed_previous_secret ~ '^[A-Za-z0-9_-]+\.\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$'),
  rotation_began_at timestamptz,
  -- What the channel presents when the operator enters the address of the app's path.
  sealed_verify_token text not null
    check (sealed_verify_token ~ '^[A-Za-z0-9_-]+\.\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$'),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint channel_apps_previous_secret_while_rotating
    check ((sealed_previous_secret is null) = (rotation_began_at is null))
);
comment on table public.channel_apps is
  'An app at the channel, whose events this platform takes, with its sealed secrets.';

create trigger channel_apps_set_updated_at before update on public.channel_apps
  for each row execute function app.set_updated_at();

alter table public.channel_apps enable row level security;
create policy "the platform reads apps of the channel" on public.channel_apps
  for select to service_role using (true);
-- The Data API writes the secrets and never reads them back, but for resealing.
grant
  select (id, app_key, name, rotation_began_at, created_at, updated_at),
  insert (app_key, name, sealed_secret, sealed_verify_token)
  on public.channel_apps to service_role;

-- Whoever holds the secret of one app must not forge events for a company that has nothing to do with that app. So
-- an account names its app.
alter table public.messaging_accounts
  add column channel_app_id uuid references public.channel_apps on delete set null;
comment on column public.messaging_accounts.channel_app_id is
  'The app whose events count for this account; null: none do.';
create index messaging_accounts_channel_app_idx on public.messaging_accounts (channel_app_id);
grant select (channel_app_id), insert (channel_app_id), update (channel_app_id)
  on public.messaging_accounts to service_role;

-- The status of a message may come days after its account has changed to another app.
create table public.account_channel_apps (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  account_id uuid not null,
  channel_app_id uuid not null references public.channel_apps on delete cascade,
  named_at timestamptz not null default now(),
  constraint account_channel_apps_once unique (company_id, account_id, channel_app_id),
  constraint account_channel_apps_account_fkey foreign key (company_id, account_id)
    references public.messaging_accounts (company_id, id) on delete cascade
);
comment on table public.account_channel_apps is
  'Every app that an account names or has named. What an app signs counts for these accounts and for no other.';
create index account_channel_apps_app_idx on public.account_channel_apps (channel_app_id);

alter table public.account_channel_apps enable row level security;
create policy "the platform reads which apps accounts have named" on public.account_channel_apps
  for select to service_role using (true);
grant select on public.account_channel_apps to service_role;

create function app.remember_channel_app() returns trigger
-- No role may write the table itself.
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into public.account_channel_apps (company_id, account_id, channel_app_id)
  values (new.company_id, new.id, new.channel_app_id)
  on conflict do nothing;
  return null;
end
$$;
comment on function app.remember_channel_app() is 'Keeps the app that an account names, also once it names another.';
create trigger messaging_accounts_remember_channel_app
  after insert or update of channel_app_id on public.messaging_accounts
  for each row when (new.channel_app_id is not null) execute function app.remember_channel_app();

create function public.rotate_channel_app(app_key text, sealed_secret text) returns timestamptz
-- The secret moves from one column to another, and no role may read either.
language sql security definer
set search_path = ''
as $$
  -- A second rotation before the end of the first replaces the new secret, such as one that was mistyped.
  update public.channel_apps as apps set
    sealed_secret = rotate_channel_app.sealed_secret,
    sealed_previous_secret = coalesce(apps.sealed_previous_secret, apps.sealed_secret),
    rotation_began_at = coalesce(apps.rotation_began_at, now())
  where apps.app_key = rotate_channel_app.app_key
  returning apps.rotation_began_at
$$;
comment on function public.rotate_channel_app(text, text) is
  'Gives an app a new secret; the one before it counts as well until finish_channel_app_rotation(). Returns since when '
  'there are two; null when there is no such app.';
grant execute on function public.rotate_channel_app(text, text) to service_role;

create function public.finish_channel_app_rotation(app_key text) returns boolean
language sql security definer -- as rotate_channel_app()
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
  'Ends the rotation of an app: only its new secret counts. Returns whether there was one; null when there is no such app.';
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
  'The sealed secrets of every app, each with its kind: secret, previous_secret or verify_token.';
grant execute on function public.sealed_app_secrets() to service_role;

create function public.reseal_app_secret(app_key text, kind text, sealed_before text, sealed text) returns boolean
language sql security definer -- as sealed_app_secrets()
set search_path = ''
as $$
  -- The condition on sealed_before keeps what a rotation has changed since it was read.
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
  'Replaces one sealed secret of an app if it is still sealed_before, and returns whether it did.';
grant execute on function public.reseal_app_secret(text, text, text, text) to service_role;
