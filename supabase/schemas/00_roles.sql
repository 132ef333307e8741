-- The database roles for requests. A role has only the privileges that the files in this folder grant to it.

-- The default privileges for new objects differ between Supabase projects. In older projects, anon gets all privileges.
-- The statements below remove the default privileges.
alter default privileges in schema public revoke all on tables from anon, authenticated, service_role;
alter default privileges in schema public revoke all on sequences from anon, authenticated, service_role;
alter default privileges in schema public revoke all on functions from anon, authenticated, service_role;
alter default privileges revoke execute on functions from public;

create schema app;
comment on schema app is
  'Functions and tables that policies, constraints and triggers use. The Data API does not expose this schema.';

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
  'The role with which the edge functions write records and call database functions for an API key. The edge functions '
  'create the token for each request.';
comment on role api_reader is
  'The role with which the edge functions read the views of a company''s own rows for an API key. The edge functions '
  'create the token for each request.';
comment on role channel_client is
  'The role for the edge function `whatsapp` and for test sends. This role cannot read or write any table. The role '
  'may call only the functions that run jobs, the functions that receive channel events, and the functions for test '
  'sends.';
comment on role settings_client is
  'The role for the edge function `settings`, which acts on behalf of a signed-in user. This role cannot read or write '
  'any table. The role may call only the functions that store data that the edge function has encrypted or checked.';
comment on role usage_client is
  'The role with which the edge functions report the usage of API keys. This role cannot read or write any table, and '
  'may call only record_api_key_usage().';
comment on role webhook_client is
  'The role for the edge function `webhooks`, which delivers events. This role cannot read or write any table. The '
  'role may call only the functions for the delivery job.';
grant api_client, api_reader, channel_client, settings_client, usage_client, webhook_client to authenticator;

-- No statement of a request with an API key needs more than 8 seconds. Postgres cancels a longer statement, which frees
-- the connection. All companies share the connection pool, and a statement that waits for a lock occupies a connection.
-- So a statement waits for a lock for at most 1 second.
alter role api_client set statement_timeout = '8s';
alter role api_client set lock_timeout = '1s';
-- The role api_reader can read only views that contain one company's rows. The role cannot write, even if an edge
-- function has a bug. A search that cannot use an index may take long. Postgres cancels the search after 3 seconds, and
-- the error asks the caller to narrow the search.
alter role api_reader set statement_timeout = '3s';
alter role api_reader set lock_timeout = '1s';
-- The Data API prepares its statements. After five runs, Postgres may use one plan for all values. A search for a rare
-- word would then use the plan for a common word. So Postgres makes a new plan for each search, which costs little.
alter role api_reader set plan_cache_mode = 'force_custom_plan';
-- Just-in-time (JIT) compilation of a plan takes more time than it saves.
alter role api_reader set jit = off;

-- A template synchronisation writes thousands of templates in one statement.
alter role channel_client set statement_timeout = '20s';
alter role channel_client set lock_timeout = '5s';

alter role settings_client set statement_timeout = '8s';
alter role settings_client set lock_timeout = '3s';

alter role usage_client set statement_timeout = '5s';
alter role usage_client set lock_timeout = '2s';

-- When a webhook is switched off, one statement moves up to 50,000 open deliveries to the log.
alter role webhook_client set statement_timeout = '20s';
alter role webhook_client set lock_timeout = '5s';

-- The roles below look up rows by indexed columns and never run text searches. So one plan suits all values. Planning a
-- statement again would take longer than running it. A connection keeps using a plan while a table grows from one disk
-- page to thousands. So the plan must use an index for each lookup, even if a sequential scan is cheaper while the
-- table is small. With these settings, Postgres estimates a very high cost for a lookup without an index, and so avoids
-- such a lookup. If no index exists, the high estimate would start JIT compilation, so JIT is off.
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

-- PostgREST (the Data API) reads the settings of the roles when PostgREST starts and after this notification.
notify pgrst, 'reload config';
