-- The tables of Supabase Auth, as far as sign-in with a password, a magic link or a reset needs them. The superuser
-- runs this once for a new cluster, after bootstrap.sql.

-- As on a hosted project, aud, role and the tokens have no default. An insert that omits them
-- leaves them null here too.
create table auth.users (
  id uuid primary key,
  email text unique,
  raw_app_meta_data jsonb not null default '{}',
  raw_user_meta_data jsonb not null default '{}',
  created_at timestamptz not null default now(),
  instance_id uuid,
  aud varchar(255),
  role varchar(255),
  encrypted_password varchar(255),
  email_confirmed_at timestamptz,
  invited_at timestamptz,
  confirmation_token varchar(255),
  confirmation_sent_at timestamptz,
  recovery_token varchar(255),
  recovery_sent_at timestamptz,
  email_change varchar(255),
  email_change_token_new varchar(255),
  email_change_token_current varchar(255) default '',
  email_change_sent_at timestamptz,
  email_change_confirm_status smallint default 0,
  reauthentication_token varchar(255) default '',
  reauthentication_sent_at timestamptz,
  phone text unique,
  phone_confirmed_at timestamptz,
  phone_change text default '',
  phone_change_token varchar(255) default '',
  phone_change_sent_at timestamptz,
  banned_until timestamptz,
  deleted_at timestamptz,
  last_sign_in_at timestamptz,
  is_super_admin boolean,
  is_sso_user boolean not null default false,
  is_anonymous boolean not null default false,
  updated_at timestamptz,
  confirmed_at timestamptz generated always as (least(email_confirmed_at, phone_confirmed_at)) stored
);
alter table auth.users owner to supabase_auth_admin;

create table auth.sessions (
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
create index sessions_user_id_idx on auth.sessions (user_id);

-- The id is a text only here, because lite makes it.
create table auth.refresh_tokens (
  id text primary key,
  token varchar(255) unique,
  user_id uuid not null,
  session_id uuid references auth.sessions on delete cascade,
  parent varchar(255),
  revoked boolean,
  created_at timestamptz,
  updated_at timestamptz
);
create index refresh_tokens_session_id_idx on auth.refresh_tokens (session_id);
create index refresh_tokens_user_id_idx on auth.refresh_tokens (user_id);

create table auth.identities (
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
create index identities_user_id_idx on auth.identities (user_id);

-- No row is ever written here: local/auth/pkce.ts keeps the codes in memory. lite looks up a code
-- that is not among them.
create table auth.flow_state (
  id uuid primary key,
  user_id uuid,
  auth_code text,
  code_challenge text,
  code_challenge_method text,
  created_at timestamptz
);

create table auth.audit_log_entries (
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
