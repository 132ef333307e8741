-- The basis of all later migrations: nothing is granted by default, shared rules live in a schema that
-- the Data API does not expose, and requests with an API key have a database role of their own.

-- Projects differ in what they grant to new objects by default (older ones grant everything to
-- anon). With the defaults revoked, a role may do exactly what a migration grants it by name.
alter default privileges in schema public revoke all on tables from anon, authenticated, service_role;
alter default privileges in schema public revoke all on sequences from anon, authenticated, service_role;
alter default privileges in schema public revoke all on functions from anon, authenticated, service_role;
alter default privileges revoke execute on functions from public;

create schema app;
comment on schema app is 'Rules that policies, constraints and triggers share. Not exposed by the Data API.';

do $$
begin
  -- Roles belong to the whole cluster, so another database of it may have made this one.
  if not exists (select from pg_roles where rolname = 'api_client') then
    create role api_client nologin noinherit;
  end if;
end
$$;
comment on role api_client is 'The role of a request that carries an API key. The edge functions mint its token.';
grant api_client to authenticator;
-- A statement that runs longer than this is a defect, and must not hold a connection.
alter role api_client set statement_timeout = '8s';

grant usage on schema public to api_client;
grant usage on schema app to api_client, authenticated, service_role;

create function app.set_updated_at() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.updated_at := now();
  return new;
end
$$;
comment on function app.set_updated_at() is 'Trigger: stamps updated_at with the time of the transaction.';
