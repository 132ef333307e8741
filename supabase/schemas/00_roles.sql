-- The database roles of requests. A role has only the rights that these files grant to it by name.

-- Supabase projects differ in the default rights for new objects. Older projects grant everything to anon.
alter default privileges in schema public revoke all on tables from anon, authenticated, service_role;
alter default privileges in schema public revoke all on sequences from anon, authenticated, service_role;
alter default privileges in schema public revoke all on functions from anon, authenticated, service_role;
alter default privileges revoke execute on functions from public;

create schema app;
comment on schema app is
  'Rules that policies, constraints and triggers share. The Data API does not expose this schema.';

create extension if not exists pg_trgm with schema extensions;
create extension if not exists btree_gin with schema extensions;

-- All databases of a cluster share its roles, so the roles may exist already.
do $$
declare
  name text;
begin
  foreach name in array array[
    'api_client', 'api_reader', 'channel_client', 'settings_client', 'usage_client', 'webhook_client'
  ] loop
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
  'The role of the edge function whatsapp, and of test sends. This role cannot read or write any table. The role may '
  'call only the functions that run jobs, the functions that receive the events of the channel, and the functions of '
  'test sends.';
comment on role settings_client is
  'The role of the edge function settings, which acts in the name of a signed-in person. This role cannot read or '
  'write any table. The role may call only the functions that store what the edge function has sealed or checked.';
comment on role usage_client is
  'The role with which the edge functions report how keys were used. This role cannot read or write any table, and '
  'may call only one function.';
comment on role webhook_client is
  'The role of the edge function webhooks, which delivers events. This role cannot read or write any table. The role '
  'may call only the functions of the job that delivers.';
grant api_client, api_reader, channel_client, settings_client, usage_client, webhook_client to authenticator;

-- A statement for an API key that runs longer than 8 seconds has a defect. Postgres ends such a statement, so that its
-- connection becomes free. A statement that waits for a lock also holds a connection. All companies share the pool of
-- connections.
alter role api_client set statement_timeout = '8s';
alter role api_client set lock_timeout = '1s';
-- This role reads only the views of one company's rows. This role cannot write, even if a function has a defect. A
-- search that uses no index ends after 3 seconds, and the error tells the caller to narrow it.
alter role api_reader set statement_timeout = '3s';
alter role api_reader set lock_timeout = '1s';
-- The Data API prepares its statements. After five runs, Postgres may use one plan for all values. A search for a rare
-- word would then use the plan for a common word. Planning for the actual values costs little.
alter role api_reader set plan_cache_mode = 'force_custom_plan';
-- Compiling a plan (JIT) takes more time than the compiled plan saves.
alter role api_reader set jit = off;

-- A synchronisation writes thousands of templates in one statement.
alter role channel_client set statement_timeout = '20s';
alter role channel_client set lock_timeout = '5s';

alter role settings_client set statement_timeout = '8s';
alter role settings_client set lock_timeout = '3s';

alter role usage_client set statement_timeout = '5s';
alter role usage_client set lock_timeout = '2s';

-- Switching off a webhook with 50,000 open deliveries is one statement.
alter role webhook_client set statement_timeout = '20s';
alter role webhook_client set lock_timeout = '5s';

-- These roles find rows by their keys, and never search. One plan is right for all values, and planning a statement
-- takes longer than running it. A connection keeps a plan while a table grows from one page to thousands of pages. So
-- the plan must look each row up in an index, even if another plan would read less while the table is small. If a
-- lookup has no index, Postgres expects a very high cost and would compile the plan just in time.
do $$
declare
  role_name text;
  setting text;
begin
  foreach role_name in array array['api_client', 'channel_client', 'usage_client', 'webhook_client'] loop
    execute format('alter role %I set plan_cache_mode = ''force_generic_plan''', role_name);
    foreach setting in array array['seqscan', 'bitmapscan', 'material', 'hashjoin', 'mergejoin'] loop
      execute format('alter role %I set enable_%s = off', role_name, setting);
    end loop;
    execute format('alter role %I set jit = off', role_name);
  end loop;
end
$$;

grant usage on schema public
  to api_client, api_reader, channel_client, settings_client, usage_client, webhook_client;
grant usage on schema app to api_client, api_reader, authenticated, service_role;

-- PostgREST reads the settings of a role when it starts or when it is notified.
notify pgrst, 'reload config';
