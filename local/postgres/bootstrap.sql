-- The parts of a Supabase database that migrations rely on, for a new Postgres cluster.
-- The superuser runs this once, before the first migration, and sets the passwords of the roles.
-- As on a hosted project, nothing in public is granted by default.

create role postgres login createdb createrole replication bypassrls;
create role anon nologin noinherit;
create role authenticated nologin noinherit;
create role service_role nologin noinherit bypassrls;
create role authenticator login noinherit;
create role supabase_auth_admin login noinherit;
grant anon, authenticated, service_role to authenticator;
-- These settings are as on a hosted project. There, authenticator also loads safeupdate, an extension that refuses an
-- update or delete without a where clause. On this machine, local/rest/ refuses such requests, and
-- tests/database/where_clauses_test.ts finds such statements in functions.
alter role authenticator set statement_timeout = '8s';
alter role authenticator set lock_timeout = '8s';
alter role authenticated set statement_timeout = '8s';
alter role anon set statement_timeout = '3s';
grant anon, authenticated, service_role to postgres with admin option;
-- With this grant, postgres sees the activity of every session.
grant pg_monitor to postgres;

alter database postgres owner to postgres;
alter schema public owner to postgres;
grant usage on schema public to anon, authenticated, service_role;

create schema extensions authorization postgres;
grant usage on schema extensions to anon, authenticated, service_role;
create extension pgcrypto with schema extensions;

create schema auth authorization supabase_auth_admin;
grant usage on schema auth to postgres, anon, authenticated, service_role;

create function auth.jwt() returns jsonb language sql stable as $$
  select nullif(current_setting('request.jwt.claims', true), '')::jsonb
$$;
create function auth.uid() returns uuid language sql stable as $$
  select nullif(auth.jwt() ->> 'sub', '')::uuid
$$;
create function auth.role() returns text language sql stable as $$
  select auth.jwt() ->> 'role'
$$;

alter role postgres set search_path to "$user", public, extensions;
alter database postgres set search_path to "$user", public, extensions;
