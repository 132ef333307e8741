-- What every later migration stands on: nothing is granted by default, the rules live in a schema
-- that the Data API does not expose, and an API key has a database role of its own.

-- Projects differ in what they grant to new objects by default (older ones grant everything to
-- anon). With the defaults revoked, what a role may do is exactly what a migration grants by name.
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
comment on role api_client is 'A request that carries an API key. Its token is minted by the edge functions.';
grant api_client to authenticator;
-- A statement of one request that runs longer than this is a defect; it must not hold a connection.
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
