-- What Supabase Auth keeps, as far as sign-in with a password, a magic link or a reset needs it. The superuser runs
-- this once for a cluster: a new one, or one that a version without sign-in has made. So it can run again, and it
-- keeps the people who are there.

alter role supabase_auth_admin login;

-- As on a hosted project: no default for audience, role and tokens, so that a row that lacks them there lacks them here.
alter table auth.users
  add column if not exists instance_id uuid,
  add column if not exists aud varchar(255),
  add column if not exists role varchar(255),
  add column if not exists encrypted_password varchar(255),
  add column if not exists email_confirmed_at timestamptz,
  add column if not exists invited_at timestamptz,
  add column if not exists confirmation_token varchar(255),
  add column if not exists confirmation_sent_at timestamptz,
  add column if not exists recovery_token varchar(255),
  add column if not exists recovery_sent_at timestamptz,
  add column if not exists email_change varchar(255),
  add column if not exists email_change_token_new varchar(255),
  add column if not exists email_change_token_current varchar(255) default '',
  add column if not exists email_change_sent_at timestamptz,
  add column if not exists email_change_confirm_status smallint default 0,
  add column if not exists reauthentication_token varchar(255) default '',
  add column if not exists reauthentication_sent_at timestamptz,
  add column if not exists phone text unique,
  add column if not exists phone_confirmed_at timestamptz,
  add column if not exists phone_change text default '',
  add column if not exists phone_change_token varchar(255) default '',
  add column if not exists phone_change_sent_at timestamptz,
  add column if not exists banned_until timestamptz,
  add column if not exists deleted_at timestamptz,
  add column if not exists last_sign_in_at timestamptz,
  add column if not exists is_super_admin boolean,
  add column if not exists is_sso_user boolean not null default false,
  add column if not exists is_anonymous boolean not null default false,
  add column if not exists updated_at timestamptz;
alter table auth.users
  add column if not exists confirmed_at timestamptz
    generated always as (least(email_confirmed_at, phone_confirmed_at)) stored;
alter table auth.users owner to supabase_auth_admin;

-- The people of an earlier version. Their addresses are those of its demo data, which nobody has to confirm.
update auth.users
set aud = 'authenticated', role = 'authenticated', email_confirmed_at = created_at
where aud is null and email is not null;

create table if not exists auth.sessions (
  id uuid primary key,
  user_id uuid not null references auth.users on delete cascade,
  factor_id uuid,
  aal text,
  not_after timestamptz,
  refreshed_at timestamp,
  user_agent text,
  ip inet,
  tag text,
  refresh_token_hmac_key text,
  refresh_token_counter bigint,
  scopes text,
  created_at timestamptz,
  updated_at timestamptz
);
create index if not exists sessions_user_id_idx on auth.sessions (user_id);

-- Only here is the id a text: lite makes it.
create table if not exists auth.refresh_tokens (
  id text primary key,
  token varchar(255) unique,
  user_id uuid not null,
  session_id uuid references auth.sessions on delete cascade,
  parent varchar(255),
  revoked boolean,
  created_at timestamptz,
  updated_at timestamptz
);
create index if not exists refresh_tokens_session_id_idx on auth.refresh_tokens (session_id);
create index if not exists refresh_tokens_user_id_idx on auth.refresh_tokens (user_id);

create table if not exists auth.identities (
  id uuid primary key,
  user_id uuid not null references auth.users on delete cascade,
  provider text not null,
  provider_id text not null,
  identity_data jsonb not null,
  email text generated always as (lower(identity_data ->> 'email')) stored,
  last_sign_in_at timestamptz,
  created_at timestamptz,
  updated_at timestamptz,
  unique (provider, provider_id)
);
create index if not exists identities_user_id_idx on auth.identities (user_id);

-- Nobody gets a code to exchange here, because the page asks for tokens; a code that is presented is looked up.
create table if not exists auth.flow_state (
  id uuid primary key,
  user_id uuid,
  auth_code text,
  code_challenge text,
  code_challenge_method text,
  created_at timestamptz
);

-- The last table: where it is, all of this was done.
create table if not exists auth.audit_log_entries (
  id uuid primary key,
  payload json,
  ip_address varchar(64) not null default '',
  created_at timestamptz
);

alter table auth.sessions owner to supabase_auth_admin;
alter table auth.refresh_tokens owner to supabase_auth_admin;
alter table auth.identities owner to supabase_auth_admin;
alter table auth.flow_state owner to supabase_auth_admin;
alter table auth.audit_log_entries owner to supabase_auth_admin;
grant all on all tables in schema auth to postgres with grant option;
