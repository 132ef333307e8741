-- The database roles of requests. A role has only the rights that these files grant to it by name.

-- Supabase projects differ in the default rights for new objects. Older projects grant everything to anon.
alter default privileges in schema public revoke all on tables from anon, authenticated, service_role;
alter default privileges in schema public revoke all on sequences from anon, authenticated, service_role;
alter default privileges in schema public revoke all on functions from anon, authenticated, service_role;
alter default privileges revoke execute on functions from public;

create schema app;
comment on schema app is 'Rules that policies, constraints and triggers share. Not exposed by the Data API.';

create extension if not exists pg_trgm with schema extensions;
create extension if not exists btree_gin with schema extensions;

-- All databases of a cluster share its roles, so the roles may exist already.
do $$
declare
  name text;
begin
  foreach name in array array['api_client', 'api_reader', 'channel_client', 'usage_client'] loop
    if to_regrole(name) is null then
      execute format('create role %I nologin noinherit', name);
    end if;
  end loop;
end
$$;
comment on role api_client is
  'The role of a request that carries an API key. The edge functions mint the token of such a request.';
comment on role api_reader is
  'The role of a request that reads with an API key. The edge functions mint the token of such a request.';
comment on role channel_client is
  'The role of the edge function whatsapp. This role cannot read or write any table. The role may call only the '
  'functions of the jobs and those that receive the events of the channel.';
comment on role usage_client is
  'The role with which the edge functions report how keys were used. This role cannot read or write any table, and '
  'may call only one function.';
grant api_client, api_reader, channel_client, usage_client to authenticator;

-- If a statement for an API key runs longer than 8 seconds, this is a defect, and the statement must free its
-- connection. A statement that waits for a lock also holds a connection. All companies share the pool of connections.
alter role api_client set statement_timeout = '8s';
alter role api_client set lock_timeout = '1s';
-- This role reads only the views of one company's rows. This role cannot write, even if a function has a defect. A
-- search that uses no index ends after 3 seconds, and the error tells the caller to narrow it.
alter role api_reader set statement_timeout = '3s';
alter role api_reader set lock_timeout = '1s';
-- The Data API prepares its statements. After five runs, Postgres may use one plan for all values. A search for a rare
-- word would then use the plan for a common word. Planning for the actual values costs little.
alter role api_reader set plan_cache_mode = 'force_custom_plan';
-- Just-in-time compilation of a plan takes longer than it saves.
alter role api_reader set jit = off;

-- A synchronisation writes thousands of templates in one statement.
alter role channel_client set statement_timeout = '20s';
alter role channel_client set lock_timeout = '5s';

alter role usage_client set statement_timeout = '5s';
alter role usage_client set lock_timeout = '2s';

-- These roles look rows up by their keys and search nothing. One plan is right for all values, and planning a statement
-- takes longer than running it. A connection keeps a plan while a table grows from one page to thousands of pages. So
-- the plan must look each row up in an index, even if another plan would read less while the table is small. If a
-- lookup has no index, Postgres expects a very high cost and would compile the plan just in time.
do $$
declare
  role_name text;
  setting text;
begin
  foreach role_name in array array['api_client', 'channel_client', 'usage_client'] loop
    execute format('alter role %I set plan_cache_mode = ''force_generic_plan''', role_name);
    foreach setting in array array['seqscan', 'bitmapscan', 'material', 'hashjoin', 'mergejoin'] loop
      execute format('alter role %I set enable_%s = off', role_name, setting);
    end loop;
    execute format('alter role %I set jit = off', role_name);
  end loop;
end
$$;

grant usage on schema public to api_client, api_reader, channel_client, usage_client;
grant usage on schema app to api_client, api_reader, authenticated, service_role;

-- PostgREST reads the settings of a role when it starts or when it is notified.
notify pgrst, 'reload config';
