-- Written by `npm run generate` from supabase/schemas/; do not edit.

-- schemas/00_roles.sql

-- The database roles for requests. A role has only the privileges that these files grant to it explicitly.

-- The default privileges for new objects differ between Supabase projects. In older projects, anon gets all privileges.
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
  'The role for requests made with an API key. The edge functions create the token for such a request.';
comment on role api_reader is
  'The role for read requests made with an API key. The edge functions create the token for such a request.';
comment on role channel_client is
  'The role for the edge function `whatsapp` and for test sends. This role cannot read or write any table. The role '
  'may call only the functions that run jobs, the functions that receive channel events, and the functions for test '
  'sends.';
comment on role settings_client is
  'The role for the edge function `settings`, which acts on behalf of a signed-in user. This role cannot read or write '
  'any table. The role may call only the functions that store data that the edge function has encrypted or checked.';
comment on role usage_client is
  'The role with which the edge functions report the usage of API keys. This role cannot read or write any table, and '
  'may call only one function.';
comment on role webhook_client is
  'The role for the edge function `webhooks`, which delivers events. This role cannot read or write any table. The '
  'role may call only the functions for the delivery job.';
grant api_client, api_reader, channel_client, settings_client, usage_client, webhook_client to authenticator;

-- A statement for an API key never needs more than 8 seconds. Postgres cancels a statement that runs longer, which
-- frees the connection. A statement that waits for a lock also occupies a connection, and all companies share the
-- connection pool.
alter role api_client set statement_timeout = '8s';
alter role api_client set lock_timeout = '1s';
-- The role api_reader can read only views that contain one company's rows. It cannot write, even if a function has a
-- bug. Postgres cancels a search after 3 seconds, for example a search without an index, and the error asks the caller
-- to narrow the search.
alter role api_reader set statement_timeout = '3s';
alter role api_reader set lock_timeout = '1s';
-- The Data API prepares its statements. After five runs, Postgres may use one plan for all values. A search for a rare
-- word would then use the plan for a common word. A new plan for each search costs little.
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

-- The roles below look up rows by key and never run text searches. So one plan suits all values, and planning a
-- statement takes longer than running it. A connection keeps using a plan while a table grows from one disk page to
-- thousands. So the plan must use an index for each lookup, even if a sequential scan is cheaper while the table is
-- small. If a lookup has no index, Postgres estimates a very high cost. A high cost makes Postgres use JIT compilation,
-- so JIT is off.
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

-- schemas/01_words.sql

-- Functions that compare and measure strings, phone numbers and JSON. Columns, constraints and indexes use these
-- functions.

-- This function uses PL/pgSQL, because PL/pgSQL caches the plan. Postgres would plan an SQL function again for each
-- statement that writes a row.
create function app.words(text) returns text
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
begin
  return replace(
    lower(
      regexp_replace(
        regexp_replace(normalize(' ' || $1, NFKD), '[\u0300-\u036f]', '', 'g'),
        '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007f]+', ' ', 'g'
      -- This collation follows the Unicode rules on every platform. The database's own collation may convert only ASCII
      -- letters to lower case.
      ) collate "pg_c_utf8"
    ),
    'ς', 'σ'
  );
end
$$;
comment on function app.words(text) is
  'Normalizes a string for searches: without accents, in lower case, with a space before the first word. Each run of '
  'ASCII punctuation and white space becomes one space. gateway/records/words.ts normalizes the caller''s search words '
  'in the same way.';
grant execute on function app.words(text) to api_reader, api_client, authenticated, service_role;

-- An index row has at most 2704 bytes, so a constraint limits the length of each tag. A tag that an API key writes has
-- at most 64 characters, but a signed-in user may write longer tags.
create function app.longest(texts text[]) returns integer
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
declare
  longest integer := 0;
  each text;
begin
  foreach each in array texts loop
    longest := greatest(longest, octet_length(each));
  end loop;
  return longest;
end
$$;
comment on function app.longest(text[]) is
  'Returns the length in bytes of the longest string in the array. Returns 0 for an empty array.';
grant execute on function app.longest(text[]) to api_client, authenticated, service_role;

create function app.phone_key(phone text) returns text
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
begin
  return case
    -- In Brazil, mobile numbers got an extra 9 in front of their eight digits, and both forms reach the same WhatsApp
    -- account. Only numbers whose eight digits begin with 6 to 9 (the old mobile range) also have a form without the
    -- extra 9.
    when phone ~ '^\+55[1-9][0-9][6-9][0-9]{7}$' then overlay(phone placing '9' from 6 for 0)
    -- In Mexico, mobile numbers used to have a 1 in front of their ten digits.
    when phone ~ '^\+521[0-9]{10}$' then '+52' || right(phone, 10)
    -- In Argentina, callers from abroad dial a 9 in front of the ten digits of a mobile number.
    when phone ~ '^\+549[0-9]{10}$' then '+54' || right(phone, 10)
    else phone
  end;
end
$$;
comment on function app.phone_key(text) is
  'Returns the phone key: the phone number in the form that identifies a person. If WhatsApp treats two forms of a '
  'number as the same number, both forms have the same phone key.';
grant execute on function app.phone_key(text) to api_client, authenticated, service_role;

-- Users recognize an API key by its name, and type the name to delete the key. So the name must be readable and easy to
-- type.
create function app.is_key_name(name text) returns boolean
language sql immutable
set search_path = ''
as $$
  select name <> ''
    -- The name must not start or end with a blank or a joiner. Some scripts and emoji need a joiner between two
    -- characters.
    and name !~ '^[\u0020\u00a0\u1680\u2000-\u200a\u200c\u200d\u202f\u205f\u3000]'
    and name !~ '[\u0020\u00a0\u1680\u2000-\u200a\u200c\u200d\u202f\u205f\u3000]$'
    -- The name must not contain control characters, invisible characters, or characters that change the text direction.
    and name !~ '[\u0001-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]'
    and name !~ '[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180e\u2800\u3164\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]'
$$;
comment on function app.is_key_name(text) is
  'Checks whether users can read and type the name of an API key. A valid name does not start or end with a blank, and '
  'contains no invisible characters except joiners between other characters.';
grant execute on function app.is_key_name(text) to authenticated, service_role;

create function app.check_name(name text, whose text) returns void
language plpgsql immutable
set search_path = ''
as $$
begin
  if char_length(name) not between 1 and 100 then
    raise sqlstate 'PT422' using message = format('The name of %s has 1 to 100 characters', whose);
  end if;
  if not app.is_key_name(name) then
    raise sqlstate 'PT422' using message = format(
      'The name of %s has no blank at either end, and no line breaks, control characters or invisible characters', whose
    );
  end if;
end
$$;
comment on function app.check_name(text, text) is
  'Raises PT422, with a readable message, when the name is not valid for an API key or a member. Accepts null.';
grant execute on function app.check_name(text, text) to authenticated, service_role;

create function app.check_name_of_row() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform app.check_name(new.name, tg_argv[0]);
  return new;
end
$$;
comment on function app.check_name_of_row() is
  'Trigger: refuses an invalid name with a readable message, before a constraint refuses the name. The trigger''s '
  'argument is the kind of row, such as "a key".';

create function app.merge_json(target jsonb, patch jsonb) returns jsonb
language plpgsql immutable
set search_path = ''
as $$
begin
  if jsonb_typeof(patch) <> 'object' then
    return patch;
  end if;
  if target is null or jsonb_typeof(target) <> 'object' then
    target := '{}';
  end if;
  return coalesce(
    (
      select jsonb_object_agg(key, value)
      from (
        select key, value from jsonb_each(target) where not patch ? key
        union all
        select key, app.merge_json(target -> key, value) from jsonb_each(patch) where jsonb_typeof(value) <> 'null'
      ) as merged
    ),
    '{}'
  );
end
$$;
comment on function app.merge_json(jsonb, jsonb) is
  'Returns the target after a JSON Merge Patch (RFC 7396): null removes a key, objects are merged, and other values '
  'are replaced.';
grant execute on function app.merge_json(jsonb, jsonb) to api_client, service_role;

create function app.compact_json_bytes(document jsonb) returns integer
language sql immutable
set search_path = ''
as $$
  -- Postgres writes a space after every comma and colon. These spaces are not counted, but spaces within strings are.
  select octet_length(document::text)
    - (select length(rest) - length(replace(rest, ' ', ''))
       from (values (regexp_replace(document::text, '"([^"\\]|\\.)*"', '', 'g'))) as without_strings (rest))
$$;
comment on function app.compact_json_bytes(jsonb) is
  'Returns the size in bytes of a JSON document without white space. The API measures documents in the same way.';
grant execute on function app.compact_json_bytes(jsonb) to api_client, service_role;

create function app.as_list(document jsonb) returns jsonb
language sql immutable
set search_path = ''
as $$
  select case jsonb_typeof(document)
    when 'array' then document when 'object' then jsonb_build_array(document) else '[]' end
$$;
comment on function app.as_list(jsonb) is
  'Returns a JSON value as an array. An object becomes an array with one element. A value that is neither an array nor '
  'an object becomes an empty array.';

-- schemas/02_clock.sql

-- The change clock. Callers keep copies of some rows. Each of these rows has a version: the ID of the transaction that
-- last wrote the row. The horizon is the ID of the oldest transaction that is still writing. A page of changes shows
-- only versions below the horizon. Transactions get increasing IDs in the order in which they begin to write. So a
-- change that is committed after a page was read has a version at or above the horizon of that page. The commit order
-- does not matter. A caller that continues from its cursor misses no change.
--
-- A database that is restored from a dump starts counting transactions from the beginning. So a version is the base
-- plus the transaction ID. restart_changes() sets the base above every version. The generation shows whether a cursor
-- was made before the last restart. The generation is the time of the last restart or of the first migration, in
-- seconds. So two databases rarely have the same generation.
create table app.change_clock (
  is_only boolean primary key default true check (is_only),
  base bigint not null default 0,
  generation bigint not null default extract(epoch from clock_timestamp())::bigint
);
comment on table app.change_clock is
  'A table with one row: the base and the current generation of cursors. A version is the base plus a transaction ID.';

create function app.set_updated_at() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.updated_at := now();
  return new;
end
$$;
comment on function app.set_updated_at() is 'Trigger: sets updated_at to the start time of the transaction.';

-- Security definer, because no role may read change_clock. The other functions that read change_clock are security
-- definer for the same reason.
create function app.change_now() returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  return (select base + pg_current_xact_id()::text::bigint from app.change_clock);
end
$$;
comment on function app.change_now() is
  'Returns the version of the rows that this transaction writes. All of these rows have the same version, even after '
  'a savepoint.';
grant execute on function app.change_now() to api_client, authenticated, service_role;

-- This function must be stable. A volatile function has a newer snapshot than the statement that calls the function. A
-- change that is committed between the two snapshots would be lost: the page would not contain the change, although its
-- version is below the horizon.
create function app.change_clock_now(out generation bigint, out horizon bigint, out beyond bigint)
language sql stable security definer
set search_path = ''
as $$
  select
    generation,
    base + pg_snapshot_xmin(pg_current_snapshot())::text::bigint,
    base + pg_snapshot_xmax(pg_current_snapshot())::text::bigint
  from app.change_clock
$$;
comment on function app.change_clock_now() is
  'Returns the values of the change clock for the snapshot of this statement. Every transaction with a version below '
  'the horizon has ended. Each visible row has a version below `beyond`.';
grant execute on function app.change_clock_now() to api_client;

create function app.change_clock_for(
  cursor_generation bigint, cursor_version bigint, newest_version bigint, out generation bigint, out horizon bigint
)
language plpgsql stable
set search_path = ''
as $$
declare
  beyond bigint;
begin
  select clock.generation, clock.horizon, clock.beyond into generation, horizon, beyond
  from app.change_clock_now() as clock;
  -- This check runs first, because only the operator can repair the versions. A caller that starts again from the
  -- beginning would not get all rows: the newest rows would still be missing.
  if newest_version >= beyond then
    raise sqlstate 'PT500' using
      message = 'Rows have versions that this database has not given out, so the feeds of changes would not show them',
      detail = format('a row has the version %s, and the versions of this database end at %s', newest_version, beyond),
      hint = 'The database was restored or moved: run npm run admin -- changes restart';
  end if;
  if cursor_generation <> generation or cursor_version >= beyond then
    raise sqlstate 'PT410' using message = 'This cursor is older than the restore or the move of the database';
  end if;
end
$$;
comment on function app.change_clock_for(bigint, bigint, bigint) is
  'Returns the change clock for a page of changes after a cursor. Without a cursor, cursor_generation and '
  'cursor_version are null. newest_version is the highest version in the table whose changes the page shows. Raises '
  'PT410 for a cursor from another generation. Also raises PT410 for a cursor that is ahead of the clock, as happens '
  'after a restore to an earlier time. Raises PT500 if restart_changes() was not called after a restore.';
grant execute on function app.change_clock_for(bigint, bigint, bigint) to api_client;

-- A conditional write succeeds only if the record has not changed since the caller read it. The caller sends the
-- version that it read, and the statement compares this version with the stored version. If fifty writes with the same
-- version run at the same time, only one succeeds.
--
-- Comparing the version in the `where` clause would not be enough. The statement would find no row in both cases: if
-- the record was changed, and if the record does not exist.
create function app.note_change() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  -- If a row's id or company could change, a caller's copy would still contain the row with the earlier id or company.
  if new.id <> old.id or new.company_id <> old.company_id then
    raise sqlstate 'PT422' using
      message = 'A row keeps its id and its company: delete it, and add another one';
  end if;
  -- If the statement writes no version, the old and the new version are equal.
  if new.version <> old.version then
    raise sqlstate 'PT412' using
      message = 'The row has another version: it was changed after that version was read', detail = old.version::text;
  end if;
  new.updated_at := now();
  new.version := app.change_now();
  return new;
end
$$;
comment on function app.note_change() is
  'Trigger: sets updated_at to the start time of the transaction, and the version to the result of app.change_now(). '
  'Raises PT412, with the current version as detail, if the statement writes a version that is not the row''s version. '
  'Refuses changes to the id or the company.';

-- Pipelines, stages, teams and members also have a version. These tables have no change feed, because a company has few
-- such rows.
create function app.note_version() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  -- If the statement writes no version, the old and the new version are equal.
  if new.version <> old.version then
    raise sqlstate 'PT412' using
      message = 'The row has another version: it was changed after that version was read', detail = old.version::text;
  end if;
  new.updated_at := now();
  new.version := app.change_now();
  return new;
end
$$;
comment on function app.note_version() is
  'Trigger: does the same as app.note_change() for tables without a change feed. In these tables, the id of a row may '
  'change.';

create function app.require_version(present bigint, accepted bigint) returns void
language plpgsql immutable
set search_path = ''
as $$
begin
  if present <> accepted then
    raise sqlstate 'PT412' using
      message = 'The row has another version: it was changed after that version was read', detail = present::text;
  end if;
end
$$;
comment on function app.require_version(bigint, bigint) is
  'Raises PT412, as app.note_version() does, if the version of a row is not the accepted version. Null accepts any '
  'version. This function is for functions that check the version before they write the row.';

create function app.require_version(present bigint, accepted bigint[]) returns void
language plpgsql immutable
set search_path = ''
as $$
begin
  if accepted is not null and present <> all (accepted) then
    raise sqlstate 'PT412' using
      message = 'The row has another version: it was changed after that version was read', detail = present::text;
  end if;
end
$$;
comment on function app.require_version(bigint, bigint[]) is
  'Raises PT412 when the version of a row is not among the accepted versions. The detail is the current version. Null '
  'accepts any version.';

insert into app.change_clock default values;

-- schemas/03_caller.sql

-- Functions that identify the caller of a request: the company of the API key, the user, and the client's IP address.
-- Policies and the defaults of company_id columns call these functions.

create function app.company_id(needed_scope text default null) returns uuid
language plpgsql stable security definer
set search_path = ''
-- Every request looks up its key. Without these settings, each request would plan the lookup again, which takes longer
-- than the lookup itself. A cached plan must use the index, even if it was made while the table was small.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  claims constant jsonb := auth.jwt();
  claimed_scope constant text := claims ->> 'scope';
  key record;
begin
  -- Users and the platform have no API key, so their statements specify the company of a row.
  if coalesce(current_setting('role', true), '') not in ('api_client', 'api_reader') then
    return null;
  end if;

  select api_keys.company_id, api_keys.scopes into key
  from public.api_keys
  where api_keys.key_hash = claims ->> 'key_hash'
    and api_keys.is_active
    and (api_keys.expires_at is null or api_keys.expires_at > now());

  if found
    and (claimed_scope is null or claimed_scope = any (key.scopes))
    -- A read token cannot write, even if its key has the scope write.
    and (needed_scope is null or claimed_scope = needed_scope) then
    return key.company_id;
  end if;

  -- The key is refused, so a second query finds the reason. An accepted key needs no second query.
  select
    coalesce(claimed_scope = any (api_keys.scopes), true) as has_claimed_scope,
    case
      when not api_keys.is_active then 'inactive'
      when api_keys.expires_at <= now() then 'expired'
      else 'scope'
    end as reason,
    api_keys.id, api_keys.hint
  into key
  from public.api_keys
  where api_keys.key_hash = claims ->> 'key_hash';

  if not found then
    raise sqlstate 'PT401' using message = 'Invalid or expired API key';
  end if;
  if key.reason <> 'scope' then
    raise sqlstate 'PT401' using
      message = 'Invalid or expired API key',
      detail = json_build_object('key_id', key.id, 'hint', key.hint, 'reason', key.reason);
  end if;
  raise sqlstate 'PT403' using
    message = format(
      'This API key does not have %s permission',
      case when key.has_claimed_scope then needed_scope else claimed_scope end
    ),
    detail = json_build_object('key_id', key.id, 'hint', key.hint, 'reason', key.reason);
end
$$;
comment on function app.company_id(text) is
  'Returns the company of the API key that made this request. Returns null when the request has no key. Raises PT401 '
  'when the key is unknown, inactive or expired. Raises PT403 when the key lacks the scope that its token claims, or '
  'when the token was not made for needed_scope. The detail is a JSON object: key_id and hint of the refused key, and '
  'the reason (inactive, expired or scope). An unknown key has no detail.';
grant execute on function app.company_id(text) to api_reader, api_client, authenticated, service_role;

create function app.company_id_to_read(of_table text) returns uuid
language plpgsql stable
set search_path = ''
as $$
begin
  return app.company_id(case current_setting('app.written', true) when of_table then 'write' else 'read' end);
end
$$;
comment on function app.company_id_to_read(text) is
  'Returns the company of the API key. The read policies of a table call this function with the name of the table. '
  'While a statement writes this table, the token needs the scope `write`. Otherwise the token needs the scope `read`.';
grant execute on function app.company_id_to_read(text) to api_client;

-- Postgres also applies the read policies to a written row in two cases: if the statement returns the row
-- (`returning`), and if the statement finds the row by a condition (`where`). So a write token may read a table while a
-- statement writes that table. At any other time, only a read token may read the table.
--
-- The setting app.written names the table that is being written. The triggers set app.written before the statement
-- searches for its first row, and clear app.written after the statement returns its last row. Postgres evaluates a
-- policy's condition only when the result is needed. A caller cannot set app.written, because the Data API does not
-- expose set_config(). The claims of the token are a setting too. So a caller who could set app.written could also
-- change the claims.
create function app.note_written_table() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform set_config('app.written', case tg_when when 'BEFORE' then tg_table_name else '' end, true);
  return null;
end
$$;
comment on function app.note_written_table() is
  'Trigger: sets app.written to the name of the table while a statement writes the table, and to an empty string '
  'afterwards.';

create function public.authenticate() returns uuid
language plpgsql security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id();
begin
  -- One update every five minutes is enough to distinguish a used key from a forgotten key.
  update public.api_keys set last_used_at = now()
  where key_hash = auth.jwt() ->> 'key_hash'
    and (last_used_at is null or last_used_at < now() - interval '5 minutes');
  return own_company_id;
end
$$;
comment on function public.authenticate() is
  'For a request that reads no rows: checks the API key, stores the time of use, and returns the key''s company. '
  'Raises PT401 and PT403 as app.company_id() does.';
grant execute on function public.authenticate() to api_client;

-- Security definer, because no role may read the key hashes.
create function app.author(out api_key_id uuid, out user_id uuid)
language plpgsql stable security definer
set search_path = ''
as $$
begin
  case coalesce(current_setting('role', true), '')
    when 'api_client' then
      select id into api_key_id from public.api_keys where key_hash = auth.jwt() ->> 'key_hash';
    when 'authenticated' then
      user_id := auth.uid();
    else
      null; -- the platform
  end case;
end
$$;
comment on function app.author() is
  'Returns the author of the change that this statement makes: the API key or the user. Both results are null when the '
  'platform makes the change.';

-- Security definer, because only the platform may read the Supabase Auth tables.
create function app.signed_in_person() returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
declare
  claims constant jsonb := auth.jwt();
  person constant uuid := auth.uid();
begin
  -- A token is valid for up to an hour. A user who ends a session expects the session to end immediately.
  if claims ? 'session_id' and not exists (
    select from auth.sessions where sessions.id = (claims ->> 'session_id')::uuid
  ) then
    raise sqlstate 'PT401' using message = 'This session has ended: sign in again';
  end if;
  -- Supabase Auth issues a token with level aal1 after a correct password. The settings page then asks for the code of
  -- the second factor. An attacker who knows only the password could call the Data API without the settings page.
  if person is not null and not app.used_second_factor() and exists (
    select from auth.mfa_factors where mfa_factors.user_id = person and mfa_factors.status = 'verified'
  ) then
    raise sqlstate 'PT401' using message = 'This account has a second factor: sign in with its code';
  end if;
  return person;
end
$$;
comment on function app.signed_in_person() is
  'Returns the signed-in user who makes this request, or null for a request without a user. Raises PT401 when the '
  'session has ended. Also raises PT401 when the user has a second factor and signed in without it.';

create function app.used_second_factor() returns boolean
language sql stable
set search_path = ''
as $$
  select coalesce(auth.jwt() ->> 'aal', '') in ('aal2', 'aal3')
$$;
comment on function app.used_second_factor() is
  'Returns whether the signed-in user used a second factor, such as a code from an app.';

create function app.acting_kind() returns text
language sql stable
set search_path = ''
as $$
  select case coalesce(current_setting('role', true), '')
    when 'authenticated' then 'person'
    -- The edge function `settings` acts on behalf of the user in its token.
    when 'settings_client' then 'person'
    when 'service_role' then 'platform'
    else 'database'
  end
$$;
comment on function app.acting_kind() is
  'Returns the kind of author that runs the statement, as in company_events.actor_kind: person, platform or database.';

-- The client's IP address, as reported by the proxy in front of the Data API. The Data API makes the request headers
-- available to its statements.
create function app.address_of(written text) returns inet
language sql immutable
set search_path = ''
as $$
  select case
    -- An IP address with a netmask identifies a network, not a client.
    when pg_input_is_valid(btrim(written), 'inet') and strpos(written, '/') = 0 then btrim(written)::inet
  end
$$;
comment on function app.address_of(text) is
  'Parses an IP address from a header value. Returns null when the value is not an IP address.';

create function app.client_address() returns inet
language sql stable
set search_path = ''
as $$
  select coalesce(
    -- If the edge function `settings` makes the request, the token contains the user's IP address.
    case when current_setting('role', true) = 'settings_client' then
      app.address_of(auth.jwt() ->> 'client_address')
    end,
    -- Requests to a hosted project come through Cloudflare, which sets this header. Cloudflare forwards x-forwarded-for
    -- exactly as the caller sent it.
    app.address_of(headers ->> 'cf-connecting-ip'),
    -- The proxy of a self-hosted project sets this header.
    app.address_of(headers ->> 'x-real-ip'),
    -- A proxy appends the caller's IP address to this header. The caller may have set the rest of the header.
    app.address_of(split_part(headers ->> 'x-forwarded-for', ',', -1))
  )
  from (
    select case when pg_input_is_valid(setting, 'jsonb') then setting::jsonb end as headers
    from current_setting('request.headers', true) as setting
  ) request
$$;
comment on function app.client_address() is
  'Returns the client''s IP address, as reported by the platform. Returns null outside a request, or when the platform '
  'reports no IP address. Never fails.';

-- The health check for monitoring tools. A call reaches the database as every request does, but needs no API key.
create function public.health() returns boolean
language sql stable
set search_path = ''
as $$
  select true
$$;
comment on function public.health() is 'Returns true if the database is reachable.';
grant execute on function public.health() to api_client;

-- schemas/10_companies.sql

-- Companies and their members.

create table public.companies (
  id uuid primary key default gen_random_uuid(),
  name text not null check (char_length(name) between 1 and 255),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  members_found_by_email boolean not null default false,
  managers_need_second_factor boolean not null default false
);
comment on column public.companies.members_found_by_email is
  'Whether an API key with the scope `read` may find a member by e-mail address. Owners and admins set this option.';
comment on column public.companies.managers_need_second_factor is
  'Whether owners and admins have their permissions only in a session with a second factor. An owner sets this option.';
comment on table public.companies is
  'A customer of the platform. Every record belongs to exactly one company.';

create table public.company_members (
  company_id uuid not null references public.companies on delete cascade,
  user_id uuid not null references auth.users on delete cascade,
  role text not null default 'agent' check (role in ('owner', 'admin', 'agent')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- An API key can read every column of this table. So this table does not contain the members' e-mail addresses.
  name text check (char_length(name) between 1 and 100)
    constraint company_members_name_can_be_typed check (app.is_key_name(name)),
  version bigint not null default app.change_now(),
  primary key (company_id, user_id)
);
comment on table public.company_members is
  'The members of a company, each with a role. The assignee of a conversation is one of these members.';
comment on column public.company_members.name is
  'The member''s name in this company. Null until someone sets the name.';

-- This statistic makes the planner assume that all rows belong to one company. 30_contacts.sql explains why.
alter table public.company_members alter column company_id set (n_distinct = 1);

create index company_members_user_idx on public.company_members (user_id);
create index company_members_newest_first_idx
  on public.company_members (company_id, created_at desc, user_id desc);

-- The next two functions are security definer. Otherwise a policy on company_members that reads company_members would
-- cause infinite recursion. These functions return arrays, so that Postgres evaluates them once per statement and can
-- still use an index on company_id.
create function app.member_company_ids() returns uuid[]
language sql stable security definer
set search_path = ''
as $$
  select coalesce(array_agg(company_id), '{}')
  from public.company_members
  where user_id = (select app.signed_in_person())
$$;
comment on function app.member_company_ids() is 'Returns the companies of which the signed-in user is a member.';
grant execute on function app.member_company_ids() to authenticated;

create function app.managed_company_ids() returns uuid[]
language sql stable security definer
set search_path = ''
as $$
  select coalesce(array_agg(company_id), '{}')
  from public.company_members
  join public.companies on companies.id = company_id
  where user_id = (select app.signed_in_person()) and role in ('owner', 'admin')
    and (app.used_second_factor() or not managers_need_second_factor)
$$;
comment on function app.managed_company_ids() is
  'Returns the companies of which the signed-in user is an owner or an admin. If the user signed in without a second '
  'factor, excludes companies that require a second factor.';
grant execute on function app.managed_company_ids() to authenticated;

create trigger companies_set_updated_at before update on public.companies
  for each row execute function app.set_updated_at();
create trigger company_members_check_name before insert or update of name on public.company_members
  for each row execute function app.check_name_of_row('a member');
create trigger company_members_note_version before update on public.company_members
  for each row execute function app.note_version();

alter table public.companies enable row level security;
create policy "people read their companies" on public.companies
  for select to authenticated using (id = any ((select app.member_company_ids())::uuid[]));
create policy "owners and admins change their company" on public.companies
  for update to authenticated
  using (id = any ((select app.managed_company_ids())::uuid[]))
  with check (id = any ((select app.managed_company_ids())::uuid[]));
alter table public.company_members enable row level security;
create policy "people see who works in their companies" on public.company_members
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "a key reads the members of its company" on public.company_members
  for select to api_client using (company_id = (select app.company_id('read')));
create policy "owners and admins name the members of their company" on public.company_members
  for update to authenticated
  using (company_id = any ((select app.managed_company_ids())::uuid[]))
  with check (company_id = any ((select app.managed_company_ids())::uuid[]));

grant select, update (name, members_found_by_email) on public.companies to authenticated;
grant select, insert, update, delete on public.companies to service_role;
grant select on public.company_members to api_client;
grant select, update (name) on public.company_members to authenticated;
grant select, insert, update, delete on public.company_members to service_role;

-- schemas/11_members.sql

-- The operator manages the members of a company with these functions, because a new company has no owner who could add
-- members. The operator identifies a user by the e-mail address with which the user signs in. The functions for owners
-- and admins are in 13_colleagues.sql.

create type public.company_member as (
  company_id uuid,
  user_id uuid,
  email text,
  name text,
  role text,
  created_at timestamptz
);
comment on type public.company_member is
  'A member as the operator sees it, with the e-mail address. Signed-in users and API keys cannot read the e-mail '
  'address.';

create function app.name_of_person(user_id uuid, company_id uuid) returns text
language sql stable
set search_path = ''
as $$
  select coalesce(
    (
      select company_members.name from public.company_members
      where company_members.user_id = name_of_person.user_id
        and company_members.company_id = name_of_person.company_id
    ),
    (select users.email from auth.users where users.id = name_of_person.user_id)
  )
$$;
comment on function app.name_of_person(uuid, uuid) is
  'Returns a user''s name in a company, or the e-mail address if the user has no name. Returns null when neither is '
  'known.';

create function app.person_with_email(email text) returns uuid
language plpgsql stable
set search_path = ''
as $$
declare
  found_ids constant uuid[] := array(
    select users.id from auth.users where lower(users.email) = lower(btrim(person_with_email.email)) limit 2
  );
begin
  if cardinality(found_ids) = 0 then
    raise sqlstate 'PT404' using message = 'No one has signed up with this e-mail address';
  end if;
  -- A person who uses single sign-on and another sign-in method has two user accounts.
  if cardinality(found_ids) > 1 then
    raise sqlstate 'PT409' using message = 'Several people have signed up with this e-mail address';
  end if;
  return found_ids[1];
end
$$;
comment on function app.person_with_email(text) is
  'Returns the user who signs in with an e-mail address. The comparison ignores case. Raises PT404 when no user has '
  'this address, and PT409 when several users have it.';

create function app.check_member_role(role text) returns void
language plpgsql immutable
set search_path = ''
as $$
begin
  if role is null or role not in ('owner', 'admin', 'agent') then
    raise sqlstate 'PT422' using message = 'The role of a member is owner, admin or agent';
  end if;
end
$$;
comment on function app.check_member_role(text) is 'Raises PT422 for an unknown role.';

create function app.member_with_email(company_id uuid, email text) returns public.company_member
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  person constant uuid := app.person_with_email(member_with_email.email);
  member public.company_member;
begin
  select m.company_id, m.user_id, u.email, m.name, m.role, m.created_at into member
  from public.company_members m
  join auth.users u on u.id = m.user_id
  where m.company_id = member_with_email.company_id and m.user_id = person;
  if not found then
    raise sqlstate 'PT404' using message = 'This person does not work in the company';
  end if;
  return member;
end
$$;
comment on function app.member_with_email(uuid, text) is
  'Returns the member of a company who signs in with the given e-mail address. Raises PT404 when no member has this '
  'address.';

create function app.keep_an_owner(company_id uuid, leaving uuid) returns void
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  owners uuid[];
begin
  -- Every call locks the rows in the same order. If the last two owners leave at the same time, the second call waits
  -- and is then refused.
  owners := array(
    select user_id from public.company_members
    where company_id = keep_an_owner.company_id and role = 'owner'
    order by user_id
    for no key update
  );
  if owners = array[leaving] then
    raise sqlstate 'PT409' using message = 'This is the only owner of the company: make another member owner first';
  end if;
end
$$;
comment on function app.keep_an_owner(uuid, uuid) is
  'Raises PT409 when the member `leaving` is the only owner of the company. No other owner can leave until the '
  'transaction ends.';

create function app.give_role(company_id uuid, user_id uuid, role text) returns void
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
begin
  perform from public.companies where id = give_role.company_id for no key update;
  if give_role.role <> 'owner' then
    perform app.keep_an_owner(give_role.company_id, give_role.user_id);
  end if;
  update public.company_members set role = give_role.role
  where company_id = give_role.company_id and user_id = give_role.user_id;
end
$$;
comment on function app.give_role(uuid, uuid, text) is
  'Changes a member''s role. Raises PT409 when the company would have no owner left. This function does not check '
  'permissions. Its caller does.';

create function app.end_membership(company_id uuid, user_id uuid) returns void
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
begin
  perform from public.companies where id = end_membership.company_id for no key update;
  perform app.keep_an_owner(end_membership.company_id, end_membership.user_id);
  delete from public.company_members
  where company_id = end_membership.company_id and user_id = end_membership.user_id;
end
$$;
comment on function app.end_membership(uuid, uuid) is
  'Removes a member. Raises PT409 when the company would have no owner left. This function does not check permissions. '
  'Its caller does.';

-- This function and the next three are security definer, because they read the e-mail addresses of users. Only the
-- platform may call these four functions.
create function public.add_company_member(
  company_id uuid,
  email text,
  role text default 'agent',
  name text default null
) returns public.company_member
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  person uuid;
begin
  perform app.check_member_role(add_company_member.role);
  perform app.check_name(btrim(add_company_member.name), 'a member');
  if not exists (select from public.companies where companies.id = add_company_member.company_id) then
    raise sqlstate 'PT404' using message = 'No company has this id';
  end if;
  person := app.person_with_email(add_company_member.email);
  -- In a project with open sign-up, anyone can sign up with another person's e-mail address, but cannot confirm that
  -- address.
  if not exists (
    select from auth.users
    where users.id = person and (users.email_confirmed_at is not null or users.invited_at is not null)
  ) then
    raise sqlstate 'PT409' using message = 'This person has not confirmed the e-mail address yet';
  end if;
  insert into public.company_members (company_id, user_id, role, name)
  values (add_company_member.company_id, person, add_company_member.role, btrim(add_company_member.name))
  on conflict do nothing;
  if not found then
    raise sqlstate 'PT409' using message = 'This person works in the company already';
  end if;
  return app.member_with_email(add_company_member.company_id, add_company_member.email);
end
$$;
comment on function public.add_company_member(uuid, text, text, text) is
  'Adds the user who signs in with this e-mail address to a company. Raises PT404 when the company or the user does '
  'not exist. Raises PT409 when the address is not confirmed, or when the user is already a member. Raises PT422 for '
  'an invalid role or name.';
grant execute on function public.add_company_member(uuid, text, text, text) to service_role;

create function public.list_company_members(company_id uuid) returns setof public.company_member
language sql stable security definer
set search_path = ''
as $$
  select m.company_id, m.user_id, u.email::text, m.name, m.role, m.created_at
  from public.company_members m
  join auth.users u on u.id = m.user_id
  where m.company_id = list_company_members.company_id
$$;
comment on function public.list_company_members(uuid) is
  'Returns the members of a company, with their e-mail addresses. Returns no rows for an unknown company.';
grant execute on function public.list_company_members(uuid) to service_role;

create function public.change_company_member_role(company_id uuid, email text, role text)
returns public.company_member
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  member public.company_member;
begin
  perform app.check_member_role(change_company_member_role.role);
  member := app.member_with_email(change_company_member_role.company_id, change_company_member_role.email);
  perform app.give_role(member.company_id, member.user_id, change_company_member_role.role);
  return app.member_with_email(change_company_member_role.company_id, change_company_member_role.email);
end
$$;
comment on function public.change_company_member_role(uuid, text, text) is
  'Changes the role of a company''s member. Raises PT404 when no member has the e-mail address. Raises PT409 when the '
  'company would have no owner left. Raises PT422 for an invalid role.';
grant execute on function public.change_company_member_role(uuid, text, text) to service_role;

create function public.remove_company_member(company_id uuid, email text) returns public.company_member
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  member public.company_member;
begin
  member := app.member_with_email(remove_company_member.company_id, remove_company_member.email);
  perform app.end_membership(member.company_id, member.user_id);
  return member;
end
$$;
comment on function public.remove_company_member(uuid, text) is
  'Removes a member from a company. The removed user can still sign in. Raises PT404 when no member has the e-mail '
  'address, and PT409 when the company would have no owner left.';
grant execute on function public.remove_company_member(uuid, text) to service_role;

-- Security definer, because no API key may read e-mail addresses. A caller who knows an address learns only which
-- member has this address, and only if the company allows such searches.
create function public.member_ids_by_email(email text) returns uuid[]
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id constant uuid := app.company_id('read');
begin
  if not (select members_found_by_email from public.companies where id = own_company_id) then
    return null;
  end if;
  return array(
    select user_id from public.company_members
    join auth.users on users.id = user_id
    where company_id = own_company_id and lower(users.email) = lower(btrim(member_ids_by_email.email))
  );
end
$$;
comment on function public.member_ids_by_email(text) is
  'Returns the members of the key''s company who sign in with this e-mail address, usually at most one. Returns null '
  'when the company does not let keys find members by e-mail address. Needs a read token. Raises PT401 and PT403 as '
  'app.company_id() does.';
grant execute on function public.member_ids_by_email(text) to api_client;

-- schemas/12_teams.sql

-- Teams of a company. A conversation can be assigned to a team.

create table public.teams (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  name text not null check (char_length(name) between 1 and 255),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  version bigint not null default app.change_now(),
  unique (company_id, id),
  unique (company_id, name)
);
comment on table public.teams is 'A group of members in a company. Conversations can be assigned to a team.';

-- This statistic makes the planner assume that all rows belong to one company. 30_contacts.sql explains why.
alter table public.teams alter column company_id set (n_distinct = 1);

-- An API key can list the teams of its company. The list contains every team that a conversation may have in team_id.
create index teams_newest_first_idx on public.teams (company_id, created_at desc, id desc);

create trigger teams_note_version before update on public.teams
  for each row execute function app.note_version();

alter table public.teams enable row level security;
create policy "people read their company's teams" on public.teams
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "people add teams to their company" on public.teams
  for insert to authenticated with check (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "people change their company's teams" on public.teams
  for update to authenticated
  using (company_id = any ((select app.member_company_ids())::uuid[]))
  with check (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "people delete their company's teams" on public.teams
  for delete to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "a key reads its company's teams" on public.teams
  for select to api_client using (company_id = (select app.company_id('read')));

grant select on public.teams to api_client;
grant select, insert (company_id, name), update (name), delete on public.teams to authenticated;
grant select, insert, update, delete on public.teams to service_role;

-- schemas/13_colleagues.sql

-- Owners and admins manage the members of their company with these functions. Only owners can promote a member to
-- owner, change an owner's role or remove an owner. Admins manage agents and other admins. Every member may leave. A
-- company always has at least one owner.

create function app.managing_role(company_id uuid) returns text
language plpgsql stable
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_role constant text := (
    select role from public.company_members
    where company_id = managing_role.company_id and user_id = app.signed_in_person()
  );
begin
  if own_role is null then
    raise sqlstate 'PT404' using message = 'No company has this id';
  end if;
  if own_role = 'agent' then
    raise sqlstate 'PT403' using message = 'Only owners and admins of the company may do this';
  end if;
  if managing_role.company_id <> all (app.managed_company_ids()) then
    raise sqlstate 'PT403' using message = 'This company requires a second factor: sign in with one';
  end if;
  return own_role;
end
$$;
comment on function app.managing_role(uuid) is
  'Returns the signed-in user''s role, owner or admin, in a company. Raises PT404 for users who are not members. '
  'Raises PT403 for agents, and for a session without the second factor that the company requires.';

create function app.role_of_sole_manager(company_id uuid) returns text
language plpgsql
set search_path = ''
as $$
begin
  -- Only an owner or an admin may lock the company. While the function waits for the lock, the user may lose this role,
  -- so the function checks the role again.
  perform app.managing_role(role_of_sole_manager.company_id);
  perform from public.companies where companies.id = role_of_sole_manager.company_id for no key update;
  return app.managing_role(role_of_sole_manager.company_id);
end
$$;
comment on function app.role_of_sole_manager(uuid) is
  'Returns the same result and raises the same errors as app.managing_role(). Until the transaction ends, no other '
  'transaction can change the company''s members or invite people. So no decision is based on an outdated role.';

-- Security definer, because no user may read auth.users.
create function public.company_people(company_id uuid)
returns table (
  user_id uuid, name text, email text, role text, created_at timestamptz, has_second_factor boolean
)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  person constant uuid := app.signed_in_person();
  sees_all constant boolean := company_people.company_id = any (app.managed_company_ids());
begin
  return query
    select
      m.user_id, m.name,
      case when sees_all or m.user_id = person then users.email::text end,
      m.role, m.created_at,
      case
        when sees_all or m.user_id = person then exists (
          select from auth.mfa_factors where mfa_factors.user_id = m.user_id and mfa_factors.status = 'verified'
        )
      end
    from public.company_members m
    join auth.users on users.id = m.user_id
    where m.company_id = company_people.company_id and m.company_id = any (app.member_company_ids())
    order by m.created_at, m.user_id;
end
$$;
comment on function public.company_people(uuid) is
  'Returns the members of a company to users who are members themselves. Owners and admins see each member''s e-mail '
  'address, and whether the member has a second factor. Agents see these values only for themselves. Returns no rows '
  'to users who are not members.';
grant execute on function public.company_people(uuid) to authenticated;

-- Security definer, because no user may write a member's role directly.
create function public.change_member_role(company_id uuid, user_id uuid, role text) returns void
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_role constant text := app.role_of_sole_manager(change_member_role.company_id);
  earlier_role text;
begin
  perform app.check_member_role(change_member_role.role);
  select role into earlier_role from public.company_members
  where company_id = change_member_role.company_id and user_id = change_member_role.user_id;
  if not found then
    raise sqlstate 'PT404' using message = 'This person does not work in the company';
  end if;
  if own_role <> 'owner' and 'owner' in (earlier_role, change_member_role.role) then
    raise sqlstate 'PT403' using message = 'Only owners make other people owners or change the role of an owner';
  end if;
  perform app.give_role(change_member_role.company_id, change_member_role.user_id, change_member_role.role);
end
$$;
comment on function public.change_member_role(uuid, uuid, text) is
  'Changes a member''s role. Owners and admins of the company may call this function. Only owners may assign or remove '
  'the role owner. Raises PT403 for other callers. Raises PT404 when the user or the caller is not a member. Raises '
  'PT409 when the company would have no owner left. Raises PT422 for an invalid role.';
grant execute on function public.change_member_role(uuid, uuid, text) to authenticated;

-- Security definer, because no user may delete a member directly.
create function public.remove_member(company_id uuid, user_id uuid) returns void
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  leaves constant boolean := coalesce(remove_member.user_id = app.signed_in_person(), false);
  own_role constant text := case when not leaves then app.role_of_sole_manager(remove_member.company_id) end;
  earlier_role text;
begin
  select role into earlier_role from public.company_members
  where company_id = remove_member.company_id and user_id = remove_member.user_id;
  if not found then
    raise sqlstate 'PT404' using message = 'This person does not work in the company';
  end if;
  if not leaves and own_role <> 'owner' and earlier_role = 'owner' then
    raise sqlstate 'PT403' using message = 'Only owners remove an owner';
  end if;
  perform app.end_membership(remove_member.company_id, remove_member.user_id);
end
$$;
comment on function public.remove_member(uuid, uuid) is
  'Removes a member from the company. All members may remove themselves. Owners may remove any member. Admins may '
  'remove agents and admins. The removed user can still sign in. Raises PT403 for other callers, PT404 for users who '
  'are not members, and PT409 when the company would have no owner left.';
grant execute on function public.remove_member(uuid, uuid) to authenticated;

-- schemas/14_sign_ins.sql

-- Functions for sessions and second factors. Users can list and end their own sessions. An owner can require second
-- factors. The operator can remove a lost second factor. Supabase Auth stores the sessions and the factors. These
-- functions are security definer, because only the platform may read the Supabase Auth tables.

create function public.own_sessions()
returns table (
  id uuid, user_agent text, client_address inet, created_at timestamptz, last_used_at timestamptz,
  has_second_factor boolean, is_current boolean
)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  person constant uuid := app.signed_in_person();
begin
  return query
    select
      s.id, s.user_agent, s.ip, s.created_at,
      -- Supabase Auth stores this column in UTC, without a time zone.
      greatest(s.created_at, s.refreshed_at at time zone 'UTC') as used_at,
      coalesce(s.aal::text, '') in ('aal2', 'aal3'),
      s.id::text = auth.jwt() ->> 'session_id'
    from auth.sessions s
    where s.user_id = person and (s.not_after is null or s.not_after > now())
    order by used_at desc, s.id;
end
$$;
comment on function public.own_sessions() is
  'Returns the sessions of the signed-in user, most recently used first. A session is refreshed about once an hour '
  'while it is in use. So last_used_at may be up to an hour old.';
grant execute on function public.own_sessions() to authenticated;

create function public.end_session(session_id uuid) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  delete from auth.sessions
  where sessions.id = end_session.session_id and sessions.user_id = app.signed_in_person();
  if not found then
    raise sqlstate 'PT404' using message = 'This session has already ended';
  end if;
end
$$;
comment on function public.end_session(uuid) is
  'Ends a session of the signed-in user. The database then refuses the session''s token. Raises PT404 for an ended '
  'session and for another user''s session.';
grant execute on function public.end_session(uuid) to authenticated;

create function public.require_second_factor(company_id uuid, required boolean) returns void
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  person constant uuid := app.signed_in_person();
begin
  if app.managing_role(require_second_factor.company_id) <> 'owner' then
    raise sqlstate 'PT403' using message = 'Only owners decide whether the company requires a second factor';
  end if;
  if required and not app.used_second_factor() then
    raise sqlstate 'PT409' using message = 'Set up a second factor for yourself first, and sign in with it';
  end if;
  update public.companies set managers_need_second_factor = required
  where id = require_second_factor.company_id and managers_need_second_factor <> required;
  if found then
    insert into public.company_events (company_id, action, actor_kind, actor_id, actor_name, client_address)
    values (
      require_second_factor.company_id,
      case when required then 'second_factor_required' else 'second_factor_optional' end,
      app.acting_kind(), person, app.name_of_person(person, require_second_factor.company_id), app.client_address()
    );
  end if;
end
$$;
comment on function public.require_second_factor(uuid, boolean) is
  'Sets whether owners and admins of the company have their permissions only in a session with a second factor. Only '
  'owners may call this function. Raises PT409 when the calling owner signed in without a second factor and would lose '
  'these permissions. Raises PT403 and PT404 as app.managing_role() does.';
grant execute on function public.require_second_factor(uuid, boolean) to authenticated;

create function public.remove_second_factors(email text) returns integer
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  person constant uuid := app.person_with_email(remove_second_factors.email);
  removed integer;
begin
  delete from auth.mfa_factors where user_id = person;
  get diagnostics removed = row_count;
  if removed = 0 then
    raise sqlstate 'PT409' using message = 'This person has no second factor';
  end if;
  -- Someone else may have the lost device, which may still have a valid session.
  delete from auth.sessions where user_id = person;
  insert into public.company_events (company_id, member_id, member_name, action, actor_kind, client_address)
  select company_id, user_id, name, 'second_factor_removed', app.acting_kind(), app.client_address()
  from public.company_members where user_id = person;
  return removed;
end
$$;
comment on function public.remove_second_factors(text) is
  'Removes all second factors of a user who has lost them, and ends all of the user''s sessions. Adds an event to the '
  'history of each of the user''s companies. Returns the number of removed factors. Raises PT404 and PT409 as '
  'app.person_with_email() does, and PT409 for a user without a second factor.';
grant execute on function public.remove_second_factors(text) to service_role;

-- schemas/20_api_keys.sql

-- API keys. The operator, and the owners and admins of a company, can create, rename, switch off, rotate and delete its
-- keys.

create type public.new_api_key as (
  id uuid,
  company_id uuid,
  name text,
  api_key text,
  scopes text[],
  expires_at timestamptz,
  created_at timestamptz
);
comment on type public.new_api_key is
  'A new key, as create_api_key() and rotate_api_key() return it. Only this result contains the key itself (api_key).';

create table public.api_keys (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  name text not null check (char_length(name) between 1 and 100)
    constraint api_keys_name_can_be_typed check (app.is_key_name(name)),
  -- SHA-256 in hexadecimal. A hash without a salt is enough: keys are random, so a dictionary attack is impossible.
  key_hash text not null unique check (key_hash ~ '^[0-9a-f]{64}$'),
  -- The last four characters of the key. They help users distinguish keys.
  hint text not null check (char_length(hint) = 4),
  scopes text[] not null check (
    cardinality(scopes) > 0
    and scopes <@ array['read', 'write', 'messaging', 'webhooks']
  ),
  is_active boolean not null default true,
  expires_at timestamptz check (isfinite(expires_at)),
  last_used_at timestamptz,
  created_by uuid references auth.users on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  replaces uuid,
  replaced_at timestamptz,
  meant_to_expire_at timestamptz,
  constraint api_keys_id_in_company unique (company_id, id),
  -- A key can have only one successor. The foreign key uses the index of this constraint.
  constraint api_keys_one_successor unique (company_id, replaces),
  -- When a key is deleted, its successor remains.
  constraint api_keys_replaces_fkey foreign key (company_id, replaces)
    references public.api_keys (company_id, id) on delete set null (replaces)
);
comment on table public.api_keys is
  'The API keys of integrations. The key itself is shown once, at its creation, and is never stored.';
comment on column public.api_keys.last_used_at is
  'When a request last used the key. authenticate() updates this column at most once every five minutes.';
comment on column public.api_keys.replaces is
  'The earlier key that this key replaces. Null when there is no earlier key, or when the earlier key was deleted.';
comment on column public.api_keys.replaced_at is
  'When the key last got a successor. The value remains even if the successor is deleted.';
comment on column public.api_keys.meant_to_expire_at is
  'The key''s expiry before its first rotation. Infinity means that the key had no expiry. Null means that the key was '
  'not rotated. A rotation shortens expires_at. The successor gets the full lifetime of the key: the time from '
  'created_at to meant_to_expire_at.';

create index api_keys_company_idx on public.api_keys (company_id, created_at desc, id desc);
create index api_keys_created_by_idx on public.api_keys (created_by);

create function app.add_api_key(
  company_id uuid,
  name text,
  scopes text[],
  expires_at timestamptz,
  replaces uuid default null
) returns public.new_api_key
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  -- 256 random bits, encoded with characters that are safe in headers and URLs.
  plain constant text := 'sk_live_' || translate(
    rtrim(encode(extensions.gen_random_bytes(32), 'base64'), '='), '+/', '-_'
  );
  made public.new_api_key;
begin
  insert into public.api_keys as k (company_id, name, key_hash, hint, scopes, expires_at, created_by, replaces)
  values (
    add_api_key.company_id,
    add_api_key.name,
    encode(sha256(convert_to(plain, 'UTF8')), 'hex'),
    right(plain, 4),
    add_api_key.scopes,
    add_api_key.expires_at,
    (select auth.uid()),
    add_api_key.replaces
  )
  returning k.id, k.company_id, k.name, plain, k.scopes, k.expires_at, k.created_at into made;
  return made;
end
$$;
comment on function app.add_api_key(uuid, text, text[], timestamptz, uuid) is
  'Creates a random key with these values. Only create_api_key() and rotate_api_key() call this function. Both check '
  'the caller.';

create function public.create_api_key(
  name text,
  scopes text[],
  expires_at timestamptz default null,
  company_id uuid default null
) returns public.new_api_key
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  is_platform constant boolean := coalesce(current_setting('role', true) = 'service_role', false);
  managed constant uuid[] := app.managed_company_ids();
  owner_id uuid := create_api_key.company_id;
begin
  if owner_id is null and not is_platform and cardinality(managed) = 1 then
    owner_id := managed[1];
  end if;
  if not is_platform and cardinality(managed) = 0 then
    raise sqlstate 'PT403' using message = 'Only owners and admins of a company create its API keys';
  end if;
  if owner_id is null then
    raise sqlstate 'PT422' using message = 'Name the company of the new key in company_id';
  end if;
  if not is_platform and owner_id <> all (managed) then
    raise sqlstate 'PT403' using message = 'Only owners and admins of a company create its API keys';
  end if;
  if not exists (select from public.companies where companies.id = owner_id) then
    raise sqlstate 'PT404' using message = 'No company has this id';
  end if;
  if coalesce(char_length(btrim(create_api_key.name)), 0) not between 1 and 100 then
    raise sqlstate 'PT422' using message = 'The name of a key has 1 to 100 characters';
  end if;
  if cardinality(coalesce(create_api_key.scopes, '{}')) = 0
    or not create_api_key.scopes <@ array['read', 'write', 'messaging', 'webhooks'] then
    raise sqlstate 'PT422' using message = 'The scopes of a key are one or more of read, write, messaging and webhooks';
  end if;
  if not app.is_key_name(btrim(create_api_key.name)) then
    raise sqlstate 'PT422' using message = 'The name of a key has no line breaks, control characters or invisible characters';
  end if;
  if create_api_key.expires_at <= now() or not isfinite(create_api_key.expires_at) then
    raise sqlstate 'PT422' using message = 'The expiry of a key must be a moment in the future';
  end if;
  if create_api_key.expires_at >= '10000-01-01Z' then
    raise sqlstate 'PT422' using message = 'The expiry of a key must be before the year 10000';
  end if;

  return app.add_api_key(
    owner_id,
    btrim(create_api_key.name),
    array(select distinct scope from unnest(create_api_key.scopes) as scope order by scope),
    create_api_key.expires_at
  );
end
$$;
comment on function public.create_api_key(text, text[], timestamptz, uuid) is
  'Creates an API key and returns it. The key is never shown again. Owners and admins of the company may call this '
  'function. A user who manages exactly one company may omit company_id. The platform (service_role) may specify any '
  'company.';
grant execute on function public.create_api_key(text, text[], timestamptz, uuid) to authenticated, service_role;

create function app.locked_api_key(of_key_id uuid, denied text) returns public.api_keys
language plpgsql
set search_path = ''
as $$
declare
  is_platform constant boolean := coalesce(current_setting('role', true) = 'service_role', false);
  key public.api_keys;
begin
  -- The function checks the caller before it locks anything. So a caller without permission never waits and never
  -- blocks other callers.
  select * into key from public.api_keys where api_keys.id = of_key_id;
  if not found or not (is_platform or key.company_id = any (app.member_company_ids())) then
    raise sqlstate 'PT404' using message = 'No API key has this id';
  end if;
  if not (is_platform or key.company_id = any (app.managed_company_ids())) then
    raise sqlstate 'PT403' using message = denied;
  end if;
  -- This statement locks the company before its key, as a statement that deletes a company does.
  perform from public.companies where companies.id = key.company_id for key share;
  select * into key from public.api_keys where api_keys.id = of_key_id for no key update;
  if not found then
    raise sqlstate 'PT404' using message = 'No API key has this id';
  end if;
  return key;
end
$$;
comment on function app.locked_api_key(uuid, text) is
  'Locks an API key and its company, and returns the key. Raises PT404 for an unknown key or a key of another company. '
  'Raises PT403 for users who do not manage the key''s company. The argument `denied` is the message of this error.';

create function public.rotate_api_key(key_id uuid, overlap_hours integer default 24) returns public.new_api_key
language plpgsql security definer
set search_path = ''
as $$
declare
  is_platform constant boolean := coalesce(current_setting('role', true) = 'service_role', false);
  key public.api_keys;
  until timestamptz;
  made public.new_api_key;
begin
  if not is_platform and cardinality(app.managed_company_ids()) = 0 then
    raise sqlstate 'PT403' using message = 'Only owners and admins of a company rotate its API keys';
  end if;
  if overlap_hours is null or overlap_hours not between 0 and 168 then
    raise sqlstate 'PT422' using message = 'The overlap is 0 to 168 hours';
  end if;

  -- If two rotations run at the same time, the second rotation waits here and then finds the successor.
  key := app.locked_api_key(rotate_api_key.key_id, 'Only owners and admins of a company rotate its API keys');
  if exists (
    select from public.api_keys
    where api_keys.company_id = key.company_id and api_keys.replaces = key.id
  ) then
    raise sqlstate 'PT409' using message = 'This key was already replaced: rotate its successor';
  end if;

  key.meant_to_expire_at := coalesce(key.meant_to_expire_at, key.expires_at, 'infinity');
  if isfinite(key.meant_to_expire_at) then
    until := least(now() + (key.meant_to_expire_at - key.created_at), '9999-12-31Z');
    if until <= now() then
      raise sqlstate 'PT422' using message = 'This key expired before it was made: create a new one';
    end if;
  end if;
  made := app.add_api_key(key.company_id, key.name, key.scopes, until, key.id);
  -- A key without expires_at never expires. The function least() ignores null values.
  update public.api_keys set
    expires_at = least(api_keys.expires_at, now() + make_interval(hours => overlap_hours)),
    meant_to_expire_at = key.meant_to_expire_at,
    replaced_at = now(),
    updated_at = now()
  where api_keys.id = key.id;
  return made;
end
$$;
comment on function public.rotate_api_key(uuid, integer) is
  'Creates a successor of an API key and returns it. The successor is never shown again. The successor is active and '
  'has the name, the scopes and the full lifetime of the earlier key. The earlier key expires after the overlap, or at '
  'its own expiry if that comes first. An overlap of 0 ends the earlier key immediately. Owners and admins of the '
  'company and the platform (service_role) may call this function. Raises PT403 for other callers. Raises PT404 for an '
  'unknown key or a key of another company. Raises PT409 for a key that already has a successor. Raises PT422 for an '
  'invalid overlap, and for a key that expired before it was created.';
grant execute on function public.rotate_api_key(uuid, integer) to authenticated, service_role;

-- Security definer, because no role may update expires_at. This function checks that the time is in the future; a check
-- constraint cannot compare a column with the clock.
create function public.set_api_key_expiry(key_id uuid, expires_at timestamptz) returns void
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  is_platform constant boolean := coalesce(current_setting('role', true) = 'service_role', false);
  wanted constant timestamptz := set_api_key_expiry.expires_at;
  key public.api_keys;
begin
  if not is_platform and cardinality(app.managed_company_ids()) = 0 then
    raise sqlstate 'PT403' using message = 'Only owners and admins of a company change the expiry of its API keys';
  end if;
  if wanted <= now() or not isfinite(wanted) then
    raise sqlstate 'PT422' using message = 'The expiry of a key must be a moment in the future';
  end if;
  if wanted >= '10000-01-01Z' then
    raise sqlstate 'PT422' using message = 'The expiry of a key must be before the year 10000';
  end if;

  key := app.locked_api_key(
    set_api_key_expiry.key_id, 'Only owners and admins of a company change the expiry of its API keys'
  );
  if key.expires_at <= now() then
    raise sqlstate 'PT409' using message = 'This key has expired: create a new one';
  end if;
  if wanted is null and exists (
    select from public.api_keys
    where api_keys.company_id = key.company_id and api_keys.replaces = key.id
  ) then
    raise sqlstate 'PT422' using message = 'This key was replaced, so it must end: name a moment in expires_at';
  end if;
  update public.api_keys set expires_at = wanted, updated_at = now() where api_keys.id = key.id;
end
$$;
comment on function public.set_api_key_expiry(uuid, timestamptz) is
  'Changes the expiry of an API key. Null means that the key never expires, which is not allowed for a key with a '
  'successor. A key that has expired remains expired. Owners and admins of the company and the platform (service_role) '
  'may call this function. Raises PT403 for other callers. Raises PT404 for an unknown key or a key of another '
  'company. Raises PT409 for a key that has expired. Raises PT422 for a time that is not in the future.';
grant execute on function public.set_api_key_expiry(uuid, timestamptz) to authenticated, service_role;

-- Security definer, because no API key may read the tables companies and api_keys.
create function public.own_key()
returns table (company_id uuid, company_name text, id uuid, name text, scopes text[], expires_at timestamptz)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id constant uuid := app.company_id();
begin
  return query
    select companies.id, companies.name, api_keys.id, api_keys.name, api_keys.scopes, api_keys.expires_at
    from public.api_keys join public.companies on companies.id = api_keys.company_id
    where api_keys.company_id = own_company_id and api_keys.key_hash = auth.jwt() ->> 'key_hash';
end
$$;
comment on function public.own_key() is
  'Returns the API key of this request and its company. A key with any scope may call this function. Raises PT401 and '
  'PT403 as app.company_id() does.';
grant execute on function public.own_key() to api_client;

create trigger api_keys_check_name before insert or update of name on public.api_keys
  for each row execute function app.check_name_of_row('a key');
create trigger api_keys_set_updated_at before update of name, is_active on public.api_keys
  for each row execute function app.set_updated_at();

alter table public.api_keys enable row level security;
create policy "owners and admins see their company's keys" on public.api_keys
  for select to authenticated using (company_id = any ((select app.managed_company_ids())::uuid[]));
create policy "owners and admins rename keys and switch them on and off" on public.api_keys
  for update to authenticated
  using (company_id = any ((select app.managed_company_ids())::uuid[]))
  with check (company_id = any ((select app.managed_company_ids())::uuid[]));
create policy "owners and admins delete their company's keys" on public.api_keys
  for delete to authenticated using (company_id = any ((select app.managed_company_ids())::uuid[]));

grant delete on public.api_keys to authenticated, service_role;
grant select (
  id, company_id, name, hint, scopes, is_active, expires_at, last_used_at, created_by, created_at, updated_at,
  replaces
) on public.api_keys to authenticated, service_role;
grant update (name, is_active) on public.api_keys to authenticated, service_role;

-- schemas/21_company_events.sql

-- The history of a company. The history has an event for each change to an API key. It also has an event for each
-- member who joins or leaves, and for each change of a member's name or role. The history also records invitations,
-- changes to the company's messaging accounts and webhooks, and changes to its second-factor rule. An event records who
-- made the change, when, and from which IP address. The database writes the event in the transaction of the change.
-- Changes by users, keys, the platform and database administrators all create events. The history also records changes
-- to the company's own WhatsApp apps.
--
-- An event is about at most one thing: a key (key_id), a member (member_id), a messaging account (account_id), a
-- webhook (webhook_id) or an invitation (invited_email). An event without any of these is about the company itself.
-- When you add an action, add its name to the constraint and to the comment on the column `details`, and its texts to
-- the settings page (page/texts/*/history.ts).

create table public.company_events (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  -- These columns have no foreign keys, because an event remains after its key is deleted or its member has left.
  key_id uuid,
  key_name text,
  key_hint text,
  action text not null,
  details jsonb not null default '{}',
  actor_kind text not null check (actor_kind in ('person', 'key', 'platform', 'database')),
  actor_id uuid,
  actor_name text,
  client_address inet,
  -- clock_timestamp() advances within a transaction, so the events of one transaction have an order.
  created_at timestamptz not null default clock_timestamp(),
  member_id uuid,
  member_name text,
  account_id uuid,
  account_name text,
  invited_email text,
  webhook_id uuid,
  webhook_address text,
  constraint company_events_subject_check check (
    num_nonnulls(key_id, member_id, account_id, invited_email, webhook_id) <= 1
    and num_nonnulls(key_id, key_name, key_hint) in (0, 3)
    and num_nonnulls(account_id, account_name) in (0, 2)
    and num_nonnulls(webhook_id, webhook_address) in (0, 2)
    and (member_name is null or member_id is not null)
  ),
  constraint company_events_action_check check (
    action = any (
      case
        when key_id is not null then array[
          'created', 'renamed', 'switched_off', 'switched_on', 'rotated', 'expiry_changed', 'changed', 'deleted'
        ]
        when member_id is not null then array[
          'member_added', 'member_renamed', 'member_role_changed', 'member_removed', 'second_factor_removed'
        ]
        when account_id is not null then array[
          'account_connected', 'account_reconnected', 'account_token_replaced', 'account_disconnected'
        ]
        when invited_email is not null then array[
          'invited', 'invitation_renewed', 'invitation_withdrawn', 'invitation_declined'
        ]
        when webhook_id is not null then array[
          'webhook_created', 'webhook_changed', 'webhook_secret_rotated', 'webhook_paused', 'webhook_switched_off',
          'webhook_switched_on', 'webhook_deleted'
        ]
        else array[
          'second_factor_required', 'second_factor_optional',
          'app_registered', 'app_secret_changed', 'app_secret_ended', 'app_deleted'
        ]
      end
    )
  )
);
comment on table public.company_events is
  'The changes to the API keys, members, invitations, messaging accounts and webhooks of each company. Owners and '
  'admins read this table. Only triggers and functions of the database write to this table.';
comment on column public.company_events.key_name is
  'The name of the key after the event. Null when the event is not about a key.';
comment on column public.company_events.member_id is
  'The member that the event is about, as in company_members.user_id. Null when the event is not about a member.';
comment on column public.company_events.account_id is
  'The messaging account that the event is about. Null when the event is not about an account.';
comment on column public.company_events.account_name is
  'The account''s phone number or name after the event. Users recognize the account by this label.';
comment on column public.company_events.webhook_id is
  'The webhook that the event is about. Null when the event is not about a webhook.';
comment on column public.company_events.webhook_address is
  'The webhook''s URL after the event, without its query string, because a query string often contains a secret.';
comment on column public.company_events.invited_email is
  'The e-mail address of the invited person. Null when the event is not about an invitation.';
comment on column public.company_events.member_name is
  'The name of the member after the event. Null when the member had no name.';
comment on column public.company_events.action is
  'The kind of event. An event with the action `changed` is created only when a database administrator changes a key '
  'directly, for example its scopes.';
comment on column public.company_events.details is
  'The properties of this object depend on the action. created: `scopes` and `expires_at`, and also `replaces` if the '
  'key replaces another key. renamed and expiry_changed: `from` and `to`. A null expiry means never. rotated: '
  '`successor_id` and `ends_at`. changed: `fields`, and also `from` and `to` if the scopes changed. deleted: `scopes`. '
  'member_renamed and member_role_changed: `from` and `to`. A null name means no name. member_added, member_removed, '
  'invited, invitation_renewed, invitation_withdrawn and invitation_declined: `role`. The events of an app: `app`, the '
  'name of the app. webhook_changed: `fields`. webhook_switched_off: `why`.';
comment on column public.company_events.actor_name is
  'The author''s name in the company before the event, or the e-mail address if the author had no name. Another user '
  'may later have the same name, but never the same actor_id. If the author is a key, this is the key''s name.';
comment on column public.company_events.actor_kind is
  'person: a signed-in user. key: an API key. platform: the operator, who uses the secret key. database: a job, or a '
  'statement that did not come through the Data API.';
comment on column public.company_events.client_address is
  'The client''s IP address, as reported by the platform. Null when the platform reported no IP address.';

-- This statistic makes the planner assume that all rows belong to one company. 30_contacts.sql explains why.
alter table public.company_events alter column company_id set (n_distinct = 1);

create index company_events_newest_first_idx
  on public.company_events (company_id, created_at desc, id desc);

-- Security definer, because no role may write events directly.
create function app.note_api_key_event() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  -- An insertion has no old row, and a deletion has no new row. Each field of the missing row is null.
  key constant public.api_keys := coalesce(new, old);
  kind constant text := app.acting_kind();
  person constant uuid := case when kind = 'person' then auth.uid() end;
  fields constant text[] := array_remove(
    array[
      case when old.scopes <> new.scopes then 'scopes' end,
      case when old.key_hash <> new.key_hash then 'key_hash' end,
      case when old.company_id <> new.company_id then 'company_id' end
    ],
    null
  );
begin
  -- A key that is deleted with its company creates no event, because the company no longer exists.
  insert into public.company_events (
    company_id, key_id, key_name, key_hint, action, details, actor_kind, actor_id, actor_name, client_address
  )
  select
    company.id, key.id, key.name, key.hint, event.action, event.details, kind, person,
    app.name_of_person(person, company.id), app.client_address()
  from public.companies company
  cross join lateral (
    values
      (
        tg_op = 'INSERT', 'created',
        jsonb_build_object('scopes', new.scopes, 'expires_at', new.expires_at)
          || case when new.replaces is null then '{}' else jsonb_build_object('replaces', new.replaces) end
      ),
      (old.name <> new.name, 'renamed', jsonb_build_object('from', old.name, 'to', new.name)),
      (old.is_active and not new.is_active, 'switched_off', '{}'),
      (new.is_active and not old.is_active, 'switched_on', '{}'),
      (
        tg_op = 'UPDATE' and old.replaced_at is distinct from new.replaced_at, 'rotated',
        jsonb_build_object(
          'successor_id', (
            select successor.id from public.api_keys successor
            where successor.company_id = key.company_id and successor.replaces = key.id
          ),
          'ends_at', new.expires_at
        )
      ),
      (
        -- The rotation event already contains the time at which the key expires.
        tg_op = 'UPDATE' and old.expires_at is distinct from new.expires_at
          and old.replaced_at is not distinct from new.replaced_at,
        'expiry_changed', jsonb_build_object('from', old.expires_at, 'to', new.expires_at)
      ),
      (
        fields <> '{}', 'changed',
        jsonb_build_object('fields', fields)
          || case when 'scopes' = any (fields) then jsonb_build_object('from', old.scopes, 'to', new.scopes) else '{}' end
      ),
      (tg_op = 'DELETE', 'deleted', jsonb_build_object('scopes', old.scopes))
  ) as event (happened, action, details)
  where company.id = key.company_id and event.happened
  for key share of company;
  return null;
end
$$;
comment on function app.note_api_key_event() is
  'Trigger: records each change to an API key in company_events. One statement may make several changes.';

create function app.note_member_event() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  kind constant text := app.acting_kind();
  person constant uuid := case when kind = 'person' then auth.uid() end;
  -- An insertion has no old row, and a deletion has no new row. If an update moves a membership to another user or
  -- company, the old membership ends and a new membership begins.
  is_same constant boolean :=
    coalesce(old.user_id = new.user_id and old.company_id = new.company_id, false);
begin
  -- Members who are deleted with their company create no event, because the company no longer exists.
  insert into public.company_events (
    company_id, member_id, member_name, action, details, actor_kind, actor_id, actor_name, client_address
  )
  select
    company.id, event.member_id, event.member_name, event.action, event.details, kind, person,
    -- If members change their own name, the row already contains the new name. The event needs the earlier name.
    case
      when person = old.user_id then coalesce(old.name, app.name_of_person(person, null))
      else app.name_of_person(person, company.id)
    end,
    app.client_address()
  from (
    values
      (
        not is_same and tg_op <> 'INSERT', old.company_id, old.user_id, old.name, 'member_removed',
        jsonb_build_object('role', old.role)
      ),
      (
        not is_same and tg_op <> 'DELETE', new.company_id, new.user_id, new.name, 'member_added',
        jsonb_build_object('role', new.role)
      ),
      (
        is_same and old.name is distinct from new.name, new.company_id, new.user_id, new.name, 'member_renamed',
        jsonb_build_object('from', old.name, 'to', new.name)
      ),
      (
        is_same and old.role <> new.role, new.company_id, new.user_id, new.name, 'member_role_changed',
        jsonb_build_object('from', old.role, 'to', new.role)
      )
  ) as event (happened, company_id, member_id, member_name, action, details)
  join public.companies company on company.id = event.company_id
  where event.happened
  for key share of company;
  return null;
end
$$;
comment on function app.note_member_event() is
  'Trigger: writes an event into company_events when a member joins or leaves, and for each change of a member''s '
  'name or role.';

create trigger api_keys_note_event after insert or delete on public.api_keys
  for each row execute function app.note_api_key_event();

-- A request that uses a key changes only last_used_at, so it does not run this trigger.
create trigger api_keys_note_change after update on public.api_keys
  for each row
  when (
    (old.name, old.is_active, old.expires_at, old.replaced_at, old.scopes, old.key_hash, old.company_id)
      is distinct from
      (new.name, new.is_active, new.expires_at, new.replaced_at, new.scopes, new.key_hash, new.company_id)
  )
  execute function app.note_api_key_event();
create trigger company_members_note_event after insert or delete on public.company_members
  for each row execute function app.note_member_event();
create trigger company_members_note_change after update on public.company_members
  for each row
  when (
    (old.company_id, old.user_id, old.name, old.role) is distinct from
      (new.company_id, new.user_id, new.name, new.role)
  )
  execute function app.note_member_event();

alter table public.company_events enable row level security;
create policy "owners and admins read the history of their company" on public.company_events
  for select to authenticated using (company_id = any ((select app.managed_company_ids())::uuid[]));

grant select on public.company_events to authenticated, service_role;

-- schemas/22_usage.sql

-- API key usage: the number of requests for each status and hour, and the latest errors. The content of requests is not
-- stored, because requests may contain personal data. A stored error contains only text that the service itself wrote,
-- such as the name of a field.

create table public.api_key_usage (
  company_id uuid not null references public.companies on delete cascade,
  key_id uuid not null,
  -- The start of the hour. Days begin at different hours in different time zones, so the table counts requests per hour
  -- and not per day.
  hour timestamptz not null check (hour = date_bin('1 hour', hour, 'epoch')),
  status smallint not null check (status between 100 and 599),
  requests bigint not null check (requests > 0),
  primary key (company_id, key_id, hour, status),
  constraint api_key_usage_key_fkey foreign key (company_id, key_id)
    references public.api_keys (company_id, id) on delete cascade
);
comment on table public.api_key_usage is
  'The number of requests made with each key in each hour, by HTTP status of the response. Rows are kept for 31 days, '
  'so that they cover 30 days in every time zone. A key has at most 744 rows for each status. A count may be up to a '
  'minute old, but is never too high. Requests are missing if a function instance ended before it reported them.';

create table public.api_key_errors (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  key_id uuid not null,
  status smallint not null check (status between 400 and 599),
  -- The code of the error, such as invalid_request.
  code text not null check (char_length(code) between 1 and 64),
  method text not null check (char_length(method) between 1 and 16),
  -- The id of the operation in the OpenAPI description. Null when no operation has this path and method.
  operation text check (char_length(operation) between 1 and 64),
  -- The path of the operation as the API describes it, such as /gateway/contacts/{id}.
  path text check (char_length(path) between 1 and 128),
  -- The field, parameter or header that the error is about. Null when the error is about none of these, or when the
  -- caller chose the field's name.
  field text check (char_length(field) between 1 and 128),
  -- The error message of the service, without values from the request.
  problem text not null check (char_length(problem) between 1 and 300),
  errors bigint not null check (errors > 0),
  first_at timestamptz not null,
  last_at timestamptz not null,
  -- The latest requests, newest first: [{ id, at }].
  requests jsonb not null check (
    jsonb_typeof(requests) = 'array' and jsonb_array_length(requests) between 1 and 10
    and octet_length(requests::text) <= 4096
  ),
  constraint api_key_errors_one_of_a_kind
    unique nulls not distinct (company_id, key_id, status, code, method, operation, path, field, problem),
  constraint api_key_errors_key_fkey foreign key (company_id, key_id)
    references public.api_keys (company_id, id) on delete cascade
);
comment on table public.api_key_errors is
  'The errors of requests made with each key. Equal errors share one row, which counts them. A key has at most 50 '
  'rows: the latest errors of the last 30 days. Each request id is also in the response to the request and in the '
  'function logs.';
comment on column public.api_key_errors.requests is
  'The latest requests with this error, newest first, at most 10: [{ id, at }].';

-- The index is on an expression, so that only the deletion of old rows uses it. Otherwise, with few companies, the
-- planner would use this index to count the requests of one key, and would read the rows of all keys.
create index api_key_usage_age_idx on public.api_key_usage ((hour at time zone 'UTC'));
create index api_key_errors_newest_idx on public.api_key_errors (company_id, key_id, last_at desc, id desc);
create index api_key_errors_age_idx on public.api_key_errors (last_at);

create function app.latest_requests(one jsonb, other jsonb) returns jsonb
language sql immutable
set search_path = ''
as $$
  select jsonb_agg(request order by request ->> 'at' desc)
  from (
    select request from jsonb_array_elements(one || other) as request order by request ->> 'at' desc limit 10
  ) as latest
$$;
comment on function app.latest_requests(jsonb, jsonb) is
  'Merges two lists of failed requests, and keeps the 10 latest requests. The times are strings whose alphabetical '
  'order is also their order in time.';

create function public.record_api_key_usage(usage jsonb, errors jsonb default '[]') returns void
language plpgsql security definer -- the role of its caller may not read keys or write usage
set search_path = ''
as $$
#variable_conflict use_column
declare
  held uuid[];
begin
  -- This statement locks the keys until the transaction ends. It skips a key that is being deleted, with or without its
  -- company. The deletion may wait for rows that this function has locked, so this function must not wait for the
  -- deletion.
  select array_agg(known.id) into held
  from (
    select keys.id
    from public.api_keys as keys
    join public.companies on companies.id = keys.company_id
    where keys.key_hash in (
      select told ->> 'key_hash'
      from jsonb_array_elements(record_api_key_usage.usage || record_api_key_usage.errors) as told
    )
    for key share of keys, companies skip locked
  ) as known;

  -- Many instances may report the same key at the same time. All instances write the rows in the same order to prevent
  -- deadlocks. The function treats a time in the future as the present time.
  insert into public.api_key_usage as counted (company_id, key_id, hour, status, requests)
  select
    keys.company_id, keys.id, date_bin('1 hour', least(told.hour, now()), 'epoch'), told.status, sum(told.requests)
  from jsonb_to_recordset(record_api_key_usage.usage)
    as told (key_hash text, hour timestamptz, status smallint, requests bigint)
  join public.api_keys as keys on keys.key_hash = told.key_hash and keys.id = any (held)
  where told.hour > now() - interval '31 days'
  group by 1, 2, 3, 4
  order by 1, 2, 3, 4
  on conflict (company_id, key_id, hour, status) do update set requests = counted.requests + excluded.requests;

  insert into public.api_key_errors as known (
    company_id, key_id, status, code, method, operation, path, field, problem, errors, first_at, last_at, requests
  )
  select
    keys.company_id, keys.id, told.status, told.code, told.method, told.operation, told.path, told.field, told.problem,
    sum(told.errors), least(min(told.first_at), now()), least(max(told.last_at), now()),
    app.latest_requests('[]', jsonb_path_query_array(jsonb_agg(told.requests), '$[*][*]'))
  from jsonb_to_recordset(record_api_key_usage.errors) as told (
    key_hash text, status smallint, code text, method text, operation text, path text, field text, problem text,
    errors bigint, first_at timestamptz, last_at timestamptz, requests jsonb
  )
  join public.api_keys as keys on keys.key_hash = told.key_hash and keys.id = any (held)
  group by 1, 2, 3, 4, 5, 6, 7, 8, 9
  order by 1, 2, 3, 4, 5, 6, 7, 8, 9
  on conflict on constraint api_key_errors_one_of_a_kind do update set
    errors = known.errors + excluded.errors,
    first_at = least(known.first_at, excluded.first_at),
    last_at = greatest(known.last_at, excluded.last_at),
    requests = app.latest_requests(known.requests, excluded.requests);
  if found then
    delete from public.api_key_errors where id in (
      select errors.id from public.api_key_errors as errors
      where errors.id in (
        select beyond.id
        from public.api_keys as keys
        cross join lateral (
          select newest.id from public.api_key_errors as newest
          where newest.company_id = keys.company_id and newest.key_id = keys.id
          order by newest.last_at desc, newest.id desc
          offset 50
        ) as beyond
        where keys.id = any (held)
      )
      for update skip locked
    );
  end if;

  -- This deletion runs last, because it locks rows of other keys.
  perform app.remove_old_usage_of_keys(1000);
end
$$;
comment on function public.record_api_key_usage(jsonb, jsonb) is
  'Adds the counts of one function instance to the stored counts. The argument usage is an array of { key_hash, hour, '
  'status, requests }. The argument errors is an array of { key_hash, status, code, method, operation, path, field, '
  'problem, errors, first_at, last_at, requests }, one for each kind of error. For each key, the 50 kinds with the '
  'newest errors are kept. Skips unknown keys, keys that are being deleted, and hours older than 31 days. Also deletes '
  'outdated rows.';
grant execute on function public.record_api_key_usage(jsonb, jsonb) to usage_client;

create function app.beginning_of_days(days integer, zone text, most integer) returns timestamptz
language plpgsql stable
set search_path = ''
as $$
declare
  today date;
begin
  if (beginning_of_days.days between 1 and most) is not true then
    raise sqlstate 'PT422' using message = format('days must be from 1 to %s', most);
  end if;
  today := now() at time zone coalesce(zone, '');
  return (today - (days - 1))::timestamp at time zone zone;
exception when invalid_parameter_value then
  raise sqlstate 'PT422' using message = 'zone must be the name of a time zone, such as America/Sao_Paulo';
end
$$;
comment on function app.beginning_of_days(integer, text, integer) is
  'Returns the start of a period of days in a time zone. The period ends today. Raises PT422 for fewer than one day, '
  'for more days than the argument `most`, or for an unknown time zone.';
grant execute on function app.beginning_of_days(integer, text, integer) to authenticated;

create function public.requests_by_status(
  company_id uuid,
  key_id uuid,
  days integer default 30,
  zone text default 'UTC'
) returns table (day date, status smallint, requests bigint)
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_column
declare
  beginning constant timestamptz := app.beginning_of_days(days, zone, 30);
begin
  return query
    -- In some time zones, such as India's, days begin at half past an hour in UTC. There, an hour belongs to the day on
    -- which the hour began.
    select (usage.hour at time zone requests_by_status.zone)::date, usage.status, sum(usage.requests)::bigint
    from public.api_key_usage as usage
    where usage.company_id = requests_by_status.company_id and usage.key_id = requests_by_status.key_id
      and usage.hour >= beginning
    group by 1, 2
    order by 1, 2;
end
$$;
comment on function public.requests_by_status(uuid, uuid, integer, text) is
  'Returns the number of requests made with an API key, by day in a time zone and by HTTP status of the response. '
  'Covers the given number of days (1 to 30), including today. A day or status without requests has no row. A user '
  'sees only what the policies of api_key_usage allow. Raises PT422 for an invalid number of days or an unknown time '
  'zone.';
grant execute on function public.requests_by_status(uuid, uuid, integer, text) to authenticated;

create function public.answers_of_api_keys(company_id uuid, hours integer default 72)
returns table (key_id uuid, requests bigint, refused bigint)
language sql stable security invoker
set search_path = ''
as $$
  select keys.id, lately.requests, lately.refused
  from public.api_keys as keys
  -- The query handles each key separately, so that it reads only the rows of the given number of hours.
  cross join lateral (
    select
      sum(usage.requests)::bigint as requests,
      coalesce(sum(usage.requests) filter (where usage.status >= 400), 0)::bigint as refused
    from public.api_key_usage as usage
    where usage.company_id = keys.company_id and usage.key_id = keys.id
      and usage.hour > now() - make_interval(hours => answers_of_api_keys.hours)
  ) as lately
  where keys.company_id = answers_of_api_keys.company_id and lately.requests is not null
$$;
comment on function public.answers_of_api_keys(uuid, integer) is
  'Returns, for each API key of a company, the number of requests and the number of error responses. Covers the given '
  'number of hours, including the current hour. Excludes keys without requests. A user sees only what the policies of '
  'api_key_usage allow.';
grant execute on function public.answers_of_api_keys(uuid, integer) to authenticated, service_role;

create function app.remove_old_usage_of_keys(max_rows integer) returns void
language plpgsql
set search_path = ''
as $$
begin
  -- If two calls run at the same time, each call skips the rows that the other call deletes.
  delete from public.api_key_usage as usage using (
    select company_id, key_id, hour, status from public.api_key_usage
    where hour at time zone 'UTC' <= (now() - interval '31 days') at time zone 'UTC'
    limit max_rows
    for update skip locked
  ) as old
  where usage.company_id = old.company_id and usage.key_id = old.key_id
    and usage.hour = old.hour and usage.status = old.status;
  delete from public.api_key_errors where id in (
    select id from public.api_key_errors
    where last_at < now() - interval '30 days'
    limit max_rows
    for update skip locked
  );
end
$$;
comment on function app.remove_old_usage_of_keys(integer) is
  'Keeps the counts of the last 31 days and the errors of the last 30 days, and deletes older rows. Deletes at most '
  'max_rows rows of each table.';

alter table public.api_key_usage enable row level security;
create policy "owners and admins read the usage of their company's keys" on public.api_key_usage
  for select to authenticated using (company_id = any ((select app.managed_company_ids())::uuid[]));
create policy "the platform reads the usage of keys" on public.api_key_usage
  for select to service_role using (true);
alter table public.api_key_errors enable row level security;
create policy "owners and admins read the errors of their company's keys" on public.api_key_errors
  for select to authenticated using (company_id = any ((select app.managed_company_ids())::uuid[]));
create policy "the platform reads the errors of keys" on public.api_key_errors
  for select to service_role using (true);

grant select on public.api_key_usage to authenticated, service_role;
grant select on public.api_key_errors to authenticated, service_role;

-- schemas/23_idempotency_keys.sql

-- Idempotency keys and atomic writes. A POST with an Idempotency-Key writes only once. The transaction of the write
-- also claims the idempotency key. If the write is rolled back, the idempotency key is free again. After a committed
-- write, the next request with the key is a repeat, even if the caller did not receive the first response. The table
-- stores only the ids of the written rows, never the response. A repeat returns the current rows. So the table contains
-- no personal data.

create table public.idempotency_keys (
  company_id uuid not null references public.companies on delete cascade,
  -- A company may use the same idempotency key for two operations.
  path text not null check (char_length(path) between 1 and 255),
  key text not null check (char_length(key) between 1 and 255),
  -- A hash of the request's content.
  fingerprint text not null check (char_length(fingerprint) between 1 and 100),
  -- What the first request stored with app.keep_outcome(). The response to a repeat is built from this value.
  outcome jsonb,
  made_at timestamptz not null default now(),
  primary key (company_id, path, key)
);
comment on table public.idempotency_keys is
  'The idempotency keys of the last 24 hours, with the ids of the records that their requests wrote. The functions '
  'that write records also write this table.';

-- This statistic makes the planner assume that all rows belong to one company. 30_contacts.sql explains why.
alter table public.idempotency_keys alter column company_id set (n_distinct = 1);

create index idempotency_keys_made_at_idx on public.idempotency_keys (made_at);

create function app.claim_idempotency_key(own_company_id uuid, idempotency jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  -- The local Data API passes null as a JSON null.
  asked constant jsonb := nullif(idempotency, 'null');
  erased_key text;
  earlier record;
begin
  if asked is null then
    return null;
  end if;
  erased_key := app.erased_digest(own_company_id, 'key', asked ->> 'key');
  -- If another request has the lock below, that request is still running. This request does not wait for the lock or
  -- for the row, because a waiting request occupies a connection.
  if pg_try_advisory_xact_lock(hashtextextended(
    format('idempotency %s %s %s', own_company_id, asked ->> 'path', asked ->> 'key'), 0
  )) then
    insert into public.idempotency_keys as known (company_id, path, key, fingerprint)
    select own_company_id, asked ->> 'path', asked ->> 'key', asked ->> 'fingerprint'
    where not exists (
      select from public.idempotency_keys
      where company_id = own_company_id and path = asked ->> 'path' and key = erased_key
        and made_at >= now() - interval '24 hours'
    )
    on conflict (company_id, path, key) do update set
      fingerprint = excluded.fingerprint,
      outcome = null,
      made_at = excluded.made_at
    where known.made_at < now() - interval '24 hours';
    if found then
      return null;
    end if;
  end if;
  -- If another repeat has the lock, this repeat can still return the outcome, because a committed outcome never
  -- changes.
  select known.fingerprint, known.outcome, known.fingerprint = asked_as.fingerprint as is_same into earlier
  from (
    values
      (asked ->> 'key', asked ->> 'fingerprint'),
      (erased_key, app.erased_digest(own_company_id, 'key', asked ->> 'fingerprint'))
  ) as asked_as (key, fingerprint)
  join public.idempotency_keys as known on known.company_id = own_company_id
    and known.path = asked ->> 'path' and known.key = asked_as.key
    and known.made_at >= now() - interval '24 hours';
  if not found then
    raise sqlstate 'PT409' using message = 'idempotency_in_progress';
  end if;
  if not earlier.is_same then
    raise sqlstate 'PT422' using message = 'idempotency_key_reused';
  end if;
  if earlier.outcome is null then
    raise exception 'The request with this key has kept no outcome, so it cannot be repeated';
  end if;
  return earlier.outcome;
end
$$;
comment on function app.claim_idempotency_key(uuid, jsonb) is
  'Claims the idempotency key { path, key, fingerprint } of a request. Returns null for a request without an '
  'idempotency key, and for the first request with this key. The caller then writes, and calls app.keep_outcome() at '
  'the end. For a repeat, returns the outcome of the first request, and the caller writes nothing. Raises PT409 '
  'idempotency_in_progress while the first request runs. Raises PT422 idempotency_key_reused when the content of the '
  'first request was different. The calling function must check own_company_id before this call.';

create function app.keep_outcome(own_company_id uuid, idempotency jsonb, outcome jsonb) returns void
language plpgsql
set search_path = ''
as $$
begin
  update public.idempotency_keys set outcome = keep_outcome.outcome
  where company_id = own_company_id and path = idempotency ->> 'path' and key = idempotency ->> 'key';
end
$$;
comment on function app.keep_outcome(uuid, jsonb, jsonb) is
  'Stores the ids and statuses of the rows that a request with an idempotency key has written, so that a repeat can '
  'return these rows. Never stores the response. Does nothing for a request without an idempotency key.';

create function app.has_failed(results jsonb) returns boolean
language plpgsql immutable
set search_path = ''
as $$
begin
  return exists (
    select from jsonb_array_elements(results) as given (result) where (result ->> 'status')::integer >= 400
  );
end
$$;
comment on function app.has_failed(jsonb) is 'Checks whether the results of a write contain a failed item.';

create function app.require_all(results jsonb, atomic boolean) returns void
language plpgsql immutable
set search_path = ''
as $$
begin
  if atomic and app.has_failed(results) then
    raise sqlstate 'CRM01' using message = 'One item failed, so none is written';
  end if;
end
$$;
comment on function app.require_all(jsonb, boolean) is
  'Raises CRM01 when an item of an atomic write has failed. The writing function catches CRM01, which undoes its '
  'writes, and returns app.undone().';

create function app.undone(results jsonb) returns json
language sql immutable
set search_path = ''
as $$
  select json_build_object('replayed', false, 'undone', true, 'without_custom_fields', false, 'results', results)
$$;
comment on function app.undone(jsonb) is 'Returns the result of an atomic write in which an item failed.';

-- Idempotency keys are kept for 24 hours. An older key can be used again, even if the job has not deleted the key yet.
-- The job runs every minute.
create function app.remove_old_idempotency_keys(max_rows integer) returns integer
language sql
set search_path = ''
as $$
  with old as (
    select company_id, path, key from public.idempotency_keys
    where made_at < now() - interval '24 hours'
    order by made_at
    -- Each POST may add a small row to this table, so this table collects more old rows than other tables.
    limit 10 * max_rows
    for update skip locked
  ),
  removed as (
    delete from public.idempotency_keys as keys using old
    where keys.company_id = old.company_id and keys.path = old.path and keys.key = old.key
    returning keys.key
  )
  select count(*)::integer from removed
$$;
comment on function app.remove_old_idempotency_keys(integer) is
  'Deletes idempotency keys that are older than 24 hours, but at most ten times max_rows. Returns the number of '
  'deleted keys.';

alter table public.idempotency_keys enable row level security;
create policy "the platform reads idempotency keys" on public.idempotency_keys
  for select to service_role using (true);

grant select on public.idempotency_keys to service_role;

-- schemas/24_changes.sql

-- The change feeds. Callers read a change feed to keep their copies up to date. A deleted row leaves a tombstone with
-- its id. Each file that defines a table with a change feed calls app.make_feed().

create table public.deleted_rows (
  company_id uuid not null references public.companies on delete cascade,
  resource text not null check (resource in ('contacts', 'deals', 'conversations', 'messages')),
  id uuid not null,
  version bigint not null,
  deleted_at timestamptz not null,
  merged_into uuid,
  primary key (company_id, resource, id)
);
comment on table public.deleted_rows is
  'Tombstones: the ids of the deleted contacts, deals, conversations and messages of a company. The change feeds show '
  'a tombstone unless a row with the same id exists again.';
comment on column public.deleted_rows.merged_into is
  'For a merged contact, the id of the surviving contact. If the survivor is merged too, this id is updated. Null for '
  'other rows.';

-- This statistic makes the planner assume that all rows belong to one company. 30_contacts.sql explains why.
alter table public.deleted_rows alter column company_id set (n_distinct = 1);

create index deleted_rows_changes_idx on public.deleted_rows (company_id, resource, version, id);
create index deleted_rows_merged_idx on public.deleted_rows (company_id, merged_into) where merged_into is not null;

-- Security definer, because no role may write tombstones directly.
create function app.note_deletion() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into public.deleted_rows as known (company_id, resource, id, version, deleted_at)
  select deleted.company_id, tg_table_name, deleted.id, app.change_now(), now()
  from deleted
  -- If the company itself is deleted, no one can read the change feed any more.
  join public.companies on companies.id = deleted.company_id
  on conflict (company_id, resource, id) do update set
    version = excluded.version,
    deleted_at = excluded.deleted_at;
  return null;
end
$$;
comment on function app.note_deletion() is
  'Trigger: leaves a tombstone for each row that the statement deleted, even if a cascade deleted the row. Leaves no '
  'tombstone when the company itself is deleted.';

-- The tombstone of a merged contact contains the id of the surviving contact. Tombstones omit null fields.
create function app.make_feed(feed text, of_table text, columns text) returns void
language plpgsql
set search_path = ''
as $make$
begin
  execute format(
    $template$
      create or replace function public.%1$I(
        generation bigint default null, after_version bigint default null, after_id uuid default null,
        max_rows integer default 50
      ) returns setof json
      language plpgsql stable
      set search_path = ''
      -- Each part of the query reads at most 201 rows, so one plan suits all values. Just-in-time compilation of the
      -- plan would take longer than reading a page.
      set plan_cache_mode = force_generic_plan
      set jit = off
      as $feed$
      declare
        -- If there is no cursor, the page begins after the last id of version -1, which is before the first version.
        from_version constant bigint := coalesce(after_version, -1);
        from_id constant uuid := coalesce(after_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
        most constant integer := least(greatest(max_rows, 0), 201);
        newest_version bigint;
        clock record;
      begin
        -- The policies check the key only if the tables contain rows. So this function also checks the key.
        perform app.company_id('read');
        newest_version := greatest(
          (select version from public.%2$I order by version desc limit 1),
          (select version from public.deleted_rows where resource = %2$L order by version desc limit 1)
        );
        clock := app.change_clock_for(%1$I.generation, after_version, newest_version);
        return next json_build_object('generation', clock.generation, 'horizon', clock.horizon);
        -- One statement reads both index ranges, so both reads use the same snapshot.
        return query
          select page.change from (
            (
              select kept.version, kept.id, to_json(kept) as change
              from (
                select %3$s, version from public.%2$I
                where (version, id) > (from_version, from_id) and version < clock.horizon
                order by version, id
                limit 201
              ) as kept
            )
            union all
            (
              select gone.version, gone.id, json_strip_nulls(to_json(gone))
              from (
                select id, company_id, deleted_at, merged_into, version from public.deleted_rows
                where resource = %2$L
                  and (version, id) > (from_version, from_id) and version < clock.horizon
                  -- If a row with the same id exists again, the change feed shows the row and not the tombstone. This
                  -- form of the condition makes Postgres look up each id in the primary key.
                  and (select true from public.%2$I as again where again.id = deleted_rows.id) is null
                order by version, id
                limit 201
              ) as gone
            )
            order by version, id
            limit most
          ) as page;
      end
      $feed$
    $template$,
    feed, of_table, columns
  );
  execute format(
    $template$
      comment on function public.%1$I(bigint, bigint, uuid, integer) is
        'Returns one page of changes of the %2$s of the key''s company. Needs a read token. The first row is the clock '
        '{ generation, horizon }. At most max_rows changes follow, and never more than 201. The changes start after '
        'the cursor, or at the beginning if there is no cursor. A change is a row with its version, or a tombstone { '
        'id, company_id, deleted_at, merged_into?, version }. Raises PT410 and PT500 as app.change_clock_for() does, '
        'PT401 and PT403 as app.company_id() does. Created by app.make_feed().'
    $template$,
    feed, of_table
  );
  execute format('grant execute on function public.%I(bigint, bigint, uuid, integer) to api_client', feed);
end
$make$;
comment on function app.make_feed(text, text, text) is
  'Creates a function that returns the changes of a table, with the given columns. A second call replaces the '
  'function.';

-- A version is never used twice, even after a restore. So the new base is also above the versions in tables without a
-- change feed. The restart does not wait for transactions that write those tables, because no one reads those tables in
-- version order.
create function public.restart_changes() returns json
-- Security definer, because no role may read or change the change clock.
language plpgsql security definer
set search_path = ''
as $$
declare
  own_number constant bigint := pg_current_xact_id()::text::bigint;
  newest_version bigint;
  answer json;
begin
  -- This statement waits until the transactions that wrote with the old base have ended. New transactions wait for the
  -- new base.
  lock table public.contacts, public.deals, public.conversations, public.messages, public.deleted_rows, app.events
    in share row exclusive mode;
  -- For each company, an index finds the newest row.
  select
    greatest(
      max(newest.version),
      (select max(version) from public.deleted_rows),
      (select max(version) from public.pipelines),
      (select max(version) from public.stages),
      (select max(version) from public.teams),
      (select max(version) from public.company_members)
    )
    into newest_version
  from public.companies
  cross join lateral (
    (select version from public.contacts where company_id = companies.id order by version desc limit 1)
    union all
    (select version from public.deals where company_id = companies.id order by version desc limit 1)
    union all
    (select version from public.conversations where company_id = companies.id order by version desc limit 1)
    union all
    (select version from public.messages where company_id = companies.id order by version desc limit 1)
    union all
    (select version from app.events where company_id = companies.id order by version desc limit 1)
  ) as newest;
  -- After a restore to an earlier time, the database does not know which transaction IDs it had already used. Adding
  -- 4294967296 skips these IDs. With one restart a day, versions remain exact as JSON numbers for more than five
  -- thousand years.
  update app.change_clock set
    base = greatest(newest_version, base + own_number) + 4294967296 - own_number,
    generation = greatest(generation + 1, extract(epoch from clock_timestamp())::bigint)
  where is_only
  returning json_build_object('generation', generation) into answer;
  return answer;
end
$$;
comment on function public.restart_changes() is
  'Starts a new generation of the change feeds. New versions are above all earlier versions. Earlier cursors expire. '
  'Call this function after each restore or move of the database.';
grant execute on function public.restart_changes() to service_role;

create function public.changes_status() returns json
-- Security definer, because no role may read the change clock, and only the function owner sees other roles'
-- transactions.
language sql stable security definer
set search_path = ''
as $$
  select json_build_object(
    'generation', clock.generation,
    'restarted_at', to_timestamp(clock.generation),
    'horizon', clock.horizon,
    -- The feeds do not show the changes of these transactions until the transaction at the horizon has ended.
    'waiting_transactions', greatest(clock.beyond - clock.horizon - 1, 0),
    'writing_since', (
      select min(since) from (
        select xact_start as since from pg_stat_activity where backend_xid is not null
        union all
        select prepared from pg_prepared_xacts
      ) as writing
    ),
    'sees_other_sessions', pg_has_role(current_user, 'pg_read_all_stats', 'usage')
  )
  from app.change_clock_now() as clock
$$;
comment on function public.changes_status() is
  'Returns the change clock: the generation, its start time, and the horizon. waiting_transactions is the maximum '
  'number of transactions that the feeds do not show until an earlier transaction ends. writing_since is the start '
  'time of the oldest transaction that is still writing. writing_since is null when no transaction is writing, or when '
  'the owner of this function cannot see that transaction (sees_other_sessions is false).';
grant execute on function public.changes_status() to service_role;

alter table public.deleted_rows enable row level security;
create policy "a key reads what was deleted in its company" on public.deleted_rows
  for select to api_client using (company_id = (select app.company_id('read')));

grant select on public.deleted_rows to api_client;

-- schemas/25_digests.sql

-- Hashes that replace the identifiers of an erased person. With these hashes, the platform recognizes a repeated
-- request or a late report about the person. A plain hash of a phone number can be reversed by trying all phone
-- numbers. So each hash uses a secret key that only these functions read (HMAC-SHA256, RFC 2104). The company is part
-- of each hash, so the same phone number has unrelated hashes in two companies.

create table app.erasure_key (
  is_only boolean primary key default true check (is_only),
  -- The secret key, padded for the inner and the outer hash of the HMAC.
  inner_pad bytea not null check (octet_length(inner_pad) = 64),
  outer_pad bytea not null check (octet_length(outer_pad) = 64)
);
comment on table app.erasure_key is
  'A table with one row: the secret key for the hashes of erased values. The key never changes, because the erased '
  'values no longer exist and cannot be hashed again.';

create function app.padded(key bytea, pad integer) returns bytea
language plpgsql immutable
set search_path = ''
as $$
declare
  block bytea := key || decode(repeat('00', 64 - octet_length(key)), 'hex');
begin
  for place in 0..63 loop
    block := set_byte(block, place, get_byte(block, place) # pad);
  end loop;
  return block;
end
$$;
comment on function app.padded(bytea, integer) is
  'Returns a secret key of at most 64 bytes, padded as HMAC requires.';

create function app.erased_digest(own_company_id uuid, kind text, value text) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  if value is null or value ~ '^erased\.[0-9a-f]{64}$' then
    return value;
  end if;
  return (
    select 'erased.' || encode(
      sha256(outer_pad || sha256(
        inner_pad || convert_to(format('%s %s %s', own_company_id, kind, value), 'UTF8')
      )),
      'hex'
    )
    from app.erasure_key
  );
end
$$;
comment on function app.erased_digest(uuid, text, text) is
  'Returns the hash that replaces an erased person''s value. The kinds are person (a phone number or a WhatsApp user '
  'id), message (a WhatsApp message id) and key (an idempotency key). If the value is null or already such a hash, '
  'returns it unchanged.';

insert into app.erasure_key (inner_pad, outer_pad)
select app.padded(key, 54), app.padded(key, 92) -- 0x36 and 0x5c
from (select sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())))
  as random (key);

-- schemas/26_invitations.sql

-- Invitations to become a member of a company. Owners and admins invite a person by e-mail address. The person signs in
-- with this address and accepts. No response reveals whether an address has an account.

create table public.company_invitations (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  -- The address is in lower case, because Supabase Auth stores addresses in lower case. The address contains only
  -- characters that Supabase Auth accepts.
  email text not null check (
    char_length(email) <= 254 and email ~ '^[a-z0-9.!#$%&''*+/=?^_`{|}~-]+@[a-z0-9-]+([.][a-z0-9-]+)+$'
  ),
  role text not null check (role in ('owner', 'admin', 'agent')),
  invited_by uuid not null references auth.users on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '7 days',
  mailed_at timestamptz,
  mail_failed boolean not null default false,
  constraint company_invitations_one_for_each_address unique (company_id, email)
);
comment on table public.company_invitations is
  'The invitations that were not accepted, declined or withdrawn yet. Owners and admins see the invitations of their '
  'company. An expired invitation is kept for 30 days, so that it can be renewed.';
comment on column public.company_invitations.mailed_at is
  'When the edge function `settings` last started to send an e-mail for this invitation. Null if no e-mail was sent '
  'since the invitation was created or renewed. The invitation is valid even if no e-mail was sent.';
comment on column public.company_invitations.mail_failed is 'Whether Supabase Auth refused to send the last e-mail.';

create index company_invitations_email_idx on public.company_invitations (email);
create index company_invitations_invited_by_idx on public.company_invitations (invited_by);

create function app.note_invitation_event(invitation public.company_invitations, action text) returns void
language plpgsql
set search_path = ''
as $$
declare
  kind constant text := app.acting_kind();
  person constant uuid := case when kind = 'person' then auth.uid() end;
begin
  -- If a company is deleted, the deletion of its invitations creates no events.
  insert into public.company_events (
    company_id, invited_email, action, details, actor_kind, actor_id, actor_name, client_address
  )
  select
    companies.id, invitation.email, note_invitation_event.action, jsonb_build_object('role', invitation.role), kind,
    person, app.name_of_person(person, companies.id), app.client_address()
  from public.companies where companies.id = invitation.company_id
  for key share;
end
$$;
comment on function app.note_invitation_event(public.company_invitations, text) is
  'Writes an event about an invitation into company_events.';

create function app.check_invitations_left(company_id uuid) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if (
    select count(*) from public.company_events event
    where event.company_id = check_invitations_left.company_id and event.created_at > now() - interval '1 day'
      and event.action in ('invited', 'invitation_renewed')
  ) >= 20 then
    raise sqlstate 'PT429' using message = 'A company sends at most 20 invitations in 24 hours: try again tomorrow';
  end if;
end
$$;
comment on function app.check_invitations_left(uuid) is
  'Raises PT429 when the company has sent 20 invitations in 24 hours. Each invitation sends an e-mail to someone who '
  'may not expect it.';

create function app.managed_invitation(invitation_id uuid) returns public.company_invitations
language plpgsql
set search_path = ''
as $$
declare
  invitation public.company_invitations;
begin
  select * into invitation from public.company_invitations
  where company_invitations.id = managed_invitation.invitation_id
    and company_invitations.company_id = any (app.member_company_ids());
  if not found then
    raise sqlstate 'PT404' using message = 'This invitation no longer exists';
  end if;
  if app.role_of_sole_manager(invitation.company_id) <> 'owner' and invitation.role = 'owner' then
    raise sqlstate 'PT403' using message = 'Only owners invite owners';
  end if;
  -- If the invited person accepts at the same time, this statement waits and then finds no row.
  select * into invitation from public.company_invitations
  where company_invitations.id = managed_invitation.invitation_id
  for update;
  if not found then
    raise sqlstate 'PT404' using message = 'This invitation no longer exists';
  end if;
  return invitation;
end
$$;
comment on function app.managed_invitation(uuid) is
  'Returns and locks an invitation that the signed-in user may change. Raises PT404 when the invitation does not '
  'exist. Raises PT403 when an admin tries to change an invitation with the role owner. Raises PT403 and PT404 as '
  'app.managing_role() does.';

-- The functions below are security definer, because no user may write invitations or read auth.users directly.
create function public.invite_member(company_id uuid, email text, role text) returns public.company_invitations
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_role constant text := app.role_of_sole_manager(invite_member.company_id);
  address constant text := lower(btrim(invite_member.email));
  invitation public.company_invitations;
begin
  perform app.check_member_role(invite_member.role);
  if invite_member.role = 'owner' and own_role <> 'owner' then
    raise sqlstate 'PT403' using message = 'Only owners invite owners';
  end if;
  if exists (
    select from public.company_members m join auth.users on users.id = m.user_id
    where m.company_id = invite_member.company_id and lower(users.email) = address
  ) then
    raise sqlstate 'PT409' using message = 'This person works in the company already';
  end if;
  perform app.check_invitations_left(invite_member.company_id);
  delete from public.company_invitations
  where company_id = invite_member.company_id and expires_at < now() - interval '30 days';
  begin
    insert into public.company_invitations as earlier (company_id, email, role, invited_by)
    values (invite_member.company_id, address, invite_member.role, app.signed_in_person())
    on conflict on constraint company_invitations_one_for_each_address do update set
      role = excluded.role, invited_by = excluded.invited_by, created_at = excluded.created_at,
      expires_at = excluded.expires_at, mailed_at = null, mail_failed = false
    where earlier.expires_at <= now()
    returning * into invitation;
  exception when check_violation or not_null_violation then
    raise sqlstate 'PT422' using message = 'email is not an e-mail address';
  end;
  if invitation.id is null then
    raise sqlstate 'PT409' using message = 'This address is already invited: send the invitation again';
  end if;
  perform app.note_invitation_event(invitation, 'invited');
  return invitation;
end
$$;
comment on function public.invite_member(uuid, text, text) is
  'Invites a person to become a member of the company. The invitation is valid for 7 days. Owners and admins of the '
  'company may call this function. Only owners may invite owners. The result does not reveal whether the address has '
  'an account. Raises PT409 when the person is already a member or already invited. Raises PT422 for an invalid '
  'address or role. Raises PT429 after 20 invitations in 24 hours. Raises PT403 and PT404 as app.managing_role() does.';
grant execute on function public.invite_member(uuid, text, text) to authenticated;

create function public.renew_invitation(invitation_id uuid) returns public.company_invitations
language plpgsql security definer
set search_path = ''
as $$
declare
  invitation public.company_invitations := app.managed_invitation(renew_invitation.invitation_id);
begin
  if invitation.mailed_at > now() - interval '1 minute' and not invitation.mail_failed then
    raise sqlstate 'PT429' using message = 'This invitation was sent less than a minute ago';
  end if;
  perform app.check_invitations_left(invitation.company_id);
  update public.company_invitations set
    invited_by = app.signed_in_person(), expires_at = now() + interval '7 days', mailed_at = null,
    mail_failed = false
  where id = invitation.id
  returning * into invitation;
  perform app.note_invitation_event(invitation, 'invitation_renewed');
  return invitation;
end
$$;
comment on function public.renew_invitation(uuid) is
  'Renews an invitation for another 7 days, so that its e-mail can be sent again. Raises PT429 within a minute after '
  'the last e-mail, and after 20 invitations in 24 hours. Raises PT403 and PT404 as app.managed_invitation() does.';
grant execute on function public.renew_invitation(uuid) to authenticated;

create function public.claim_invitation_mail(invitation_id uuid) returns text
language plpgsql security definer
set search_path = ''
as $$
declare
  invitation constant public.company_invitations := app.managed_invitation(claim_invitation_mail.invitation_id);
begin
  if invitation.mailed_at is not null then
    raise sqlstate 'PT409' using message = 'The e-mail of this invitation was already sent: renew the invitation first';
  end if;
  update public.company_invitations set mailed_at = now() where id = invitation.id;
  return invitation.email;
end
$$;
comment on function public.claim_invitation_mail(uuid) is
  'Allows the edge function `settings` to send one e-mail for an invitation, and returns the e-mail address. Each '
  'invitation and each renewal allows one e-mail. So the limits for invitations also limit the e-mails. Raises PT409 '
  'when the e-mail was already sent. Raises PT403 and PT404 as app.managed_invitation() does.';
grant execute on function public.claim_invitation_mail(uuid) to authenticated;

create function public.note_invitation_mail_failed(invitation_id uuid) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  invitation constant public.company_invitations := app.managed_invitation(
    note_invitation_mail_failed.invitation_id
  );
begin
  update public.company_invitations set mail_failed = true where id = invitation.id;
end
$$;
comment on function public.note_invitation_mail_failed(uuid) is
  'Records that the e-mail of an invitation was not sent. Raises PT403 and PT404 as app.managed_invitation() does.';
grant execute on function public.note_invitation_mail_failed(uuid) to authenticated;

create function public.withdraw_invitation(invitation_id uuid) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  invitation constant public.company_invitations := app.managed_invitation(withdraw_invitation.invitation_id);
begin
  delete from public.company_invitations where id = invitation.id;
  perform app.note_invitation_event(invitation, 'invitation_withdrawn');
end
$$;
comment on function public.withdraw_invitation(uuid) is
  'Withdraws an invitation that was not accepted. Raises PT403 and PT404 as app.managed_invitation() does.';
grant execute on function public.withdraw_invitation(uuid) to authenticated;

create function app.own_verified_email() returns text
language sql stable
set search_path = ''
as $$
  -- A single sign-on identity provider may report any address as a user's address.
  select lower(users.email) from auth.users
  where users.id = app.signed_in_person() and users.email_confirmed_at is not null and not users.is_sso_user
$$;
comment on function app.own_verified_email() is
  'Returns the e-mail address of the signed-in user, in lower case. Returns null when the user has not verified the '
  'address.';

create function public.own_invitations()
returns table (id uuid, company_name text, role text, invited_by_name text, expires_at timestamptz)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
    select i.id, companies.name, i.role, app.name_of_person(i.invited_by, i.company_id), i.expires_at
    from public.company_invitations i
    join public.companies on companies.id = i.company_id
    where i.email = app.own_verified_email() and i.expires_at > now()
    order by i.created_at, i.id;
end
$$;
comment on function public.own_invitations() is
  'Returns the invitations to the verified e-mail address of the signed-in user.';
grant execute on function public.own_invitations() to authenticated;

create function app.take_invitation(invitation_id uuid) returns public.company_invitations
language plpgsql
set search_path = ''
as $$
declare
  invitation public.company_invitations;
begin
  delete from public.company_invitations
  where id = take_invitation.invitation_id and email = app.own_verified_email() and expires_at > now()
  returning * into invitation;
  if not found then
    raise sqlstate 'PT404' using message = 'This invitation no longer exists';
  end if;
  return invitation;
end
$$;
comment on function app.take_invitation(uuid) is
  'Deletes an invitation to the signed-in user and returns the invitation. Raises PT404 when the invitation does not '
  'exist.';

create function public.accept_invitation(invitation_id uuid, name text default null) returns uuid
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  invitation constant public.company_invitations := app.take_invitation(accept_invitation.invitation_id);
begin
  -- A user who was added in the meantime keeps the existing name and role.
  insert into public.company_members (company_id, user_id, role, name)
  values (
    invitation.company_id, app.signed_in_person(), invitation.role, nullif(btrim(accept_invitation.name), '')
  )
  on conflict do nothing;
  return invitation.company_id;
end
$$;
comment on function public.accept_invitation(uuid, text) is
  'Makes the signed-in user a member of the company that invited them, and returns the company. The user may choose a '
  'name. Raises PT404 when this invitation was not sent to the user''s verified address, or no longer exists. Raises '
  'PT422 for an invalid name.';
grant execute on function public.accept_invitation(uuid, text) to authenticated;

create function public.decline_invitation(invitation_id uuid) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  perform app.note_invitation_event(app.take_invitation(decline_invitation.invitation_id), 'invitation_declined');
end
$$;
comment on function public.decline_invitation(uuid) is
  'Declines an invitation to the signed-in user. Raises PT404 when the invitation does not exist.';
grant execute on function public.decline_invitation(uuid) to authenticated;

-- When members leave, the invitations that they made are deleted. Otherwise, an admin who expects to be removed could
-- invite a second e-mail address of their own, and join again with that address.
create function app.end_invitations_of_member() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  invitation public.company_invitations;
begin
  for invitation in
    delete from public.company_invitations i
    where i.company_id = old.company_id and i.invited_by = old.user_id
      and not coalesce(
        new.company_id = old.company_id and new.user_id = old.user_id
          and (new.role = 'owner' or new.role = 'admin' and i.role <> 'owner'),
        false
      )
    returning *
  loop
    perform app.note_invitation_event(invitation, 'invitation_withdrawn');
  end loop;
  return null;
end
$$;
comment on function app.end_invitations_of_member() is
  'Trigger: when a member leaves or loses a role, deletes the invitations that this member made and would no longer be '
  'allowed to make.';
create trigger company_members_end_invitations
  after delete or update of company_id, user_id, role on public.company_members
  for each row execute function app.end_invitations_of_member();

alter table public.company_invitations enable row level security;
create policy "owners and admins see the invitations of their company" on public.company_invitations
  for select to authenticated using (company_id = any ((select app.managed_company_ids())::uuid[]));

grant select on public.company_invitations to authenticated;
grant select on public.company_invitations to service_role;

-- schemas/27_events.sql

-- The events record what happened to the companies' records. Triggers write an event in the transaction of the change
-- (files 66 to 69). An event contains no personal data. It contains ids and the names of the changed fields. It
-- contains earlier and later values only for fields without personal data. Callers can read an event for 30 days.
--
-- The tables of events and deliveries have 32 partitions, one for each day of 32 days. After 32 days, the first
-- partition is used again. All partitions always exist, so writes do not depend on a job. A job empties the partition
-- of the next day. If the job did not run, a partition may contain rows that are 32 days old. Queries exclude these
-- rows by their time.

create table app.events (
  slot smallint not null,
  id uuid not null,
  seq bigint not null,
  version bigint not null,
  company_id uuid not null,
  type text not null,
  record_id uuid not null,
  changed text[],
  changes jsonb,
  actor jsonb,
  request_id text,
  happened_at timestamptz not null
) partition by list (slot);
comment on table app.events is
  'What happened to the records of each company in the last 30 days. Only triggers and database functions write this '
  'table. The rows have no foreign keys, because an event must never make a write fail or wait.';
comment on column app.events.slot is 'The number of the event''s day modulo 32, as app.slot_of() computes it.';
comment on column app.events.seq is
  'The order of a record''s events. The transaction gets the number while it holds the lock on the record. Callers '
  'never see this number, because it reveals how much all companies write.';
comment on column app.events.version is
  'The version that app.change_now() returns. The event log is read in the order of the versions, because no event can '
  'appear later with a version below the horizon.';
comment on column app.events.changed is 'The names of the changed fields, as in the API.';
comment on column app.events.changes is
  'For each field, an object with `from` and `to`. Contains only fields without personal data. Some event types have '
  'other values here, such as the id of the merged contact.';
comment on column app.events.actor is
  'The author of the change: { kind, id }. The kind is key, person, platform, channel or job. Only the kinds key and '
  'person have an id.';
comment on column app.events.happened_at is
  'When the statement wrote the record, according to clock_timestamp(). The times of one record''s events never '
  'decrease.';

do $$
begin
  for slot in 0..31 loop
    execute format('create table app.%I partition of app.events for values in (%s)', to_char(slot, '"events_"FM00'), slot);
    execute format('alter table app.%I enable row level security', to_char(slot, '"events_"FM00'));
  end loop;
end
$$;

create index events_in_order_idx on app.events (company_id, version, seq);
create index events_id_idx on app.events (id);

create sequence app.event_seq;
comment on sequence app.event_seq is 'The sequence for app.events.seq.';

create function app.slot_of(at timestamptz) returns smallint
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
begin
  return mod(floor(extract(epoch from at) / 86400), 32)::smallint;
end
$$;
comment on function app.slot_of(timestamptz) is
  'Returns the slot of a day: the number of the UTC day modulo 32. The slot identifies the partitions that contain '
  'this day''s events and deliveries.';

create function app.new_event_id(at timestamptz) returns uuid
language plpgsql volatile strict
set search_path = ''
as $$
begin
  -- The four version bits of a random UUID are 0100 (version 4). Version 7 is 0111.
  return encode(
    set_bit(set_bit(
      overlay(
        uuid_send(gen_random_uuid())
        placing substring(int8send(floor(extract(epoch from at) * 1000)::bigint) from 3) from 1
      ),
      52, 1
    ), 53, 1),
    'hex'
  )::uuid;
end
$$;
comment on function app.new_event_id(timestamptz) is
  'Returns a new UUID of version 7, which begins with the time in milliseconds (RFC 9562). So new ids are added at the '
  'end of the index.';

create function app.event_name(id uuid) returns text
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
begin
  return 'evt_' || replace(id::text, '-', '');
end
$$;
comment on function app.event_name(uuid) is
  'Returns the id of an event in the API''s format: evt_ and 32 hexadecimal digits.';

create function app.event_id(name text) returns uuid
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
begin
  return case when name ~ '^evt_[0-9a-f]{32}$' then substring(name from 5)::uuid end;
end
$$;
comment on function app.event_id(text) is
  'Returns the UUID of an event from its id in the API''s format (evt_…). Returns null for any other string.';

create function app.event_json(event app.events) returns json
language sql stable
set search_path = ''
as $$
  select json_build_object(
    'id', app.event_name(event.id),
    'type', event.type,
    'timestamp', event.happened_at,
    'company_id', event.company_id,
    'resource', split_part(event.type, '.', 1),
    'record_id', event.record_id,
    'actor', event.actor,
    'request_id', event.request_id,
    'changed', coalesce(event.changed, '{}'),
    'changes', coalesce(event.changes, '{}')
  )
$$;
comment on function app.event_json(app.events) is 'Returns an event in the format of the API.';

alter table app.events enable row level security;

-- schemas/28_webhooks.sql

-- Webhooks: the URLs to which a company's events are delivered. This file also defines the deliveries that have not
-- ended (open deliveries), and the deliveries that ended in the last 30 days. Triggers add the open deliveries in the
-- transaction of the change.

create table public.webhooks (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  url text not null check (char_length(url) between 1 and 2048),
  types text[] not null check (cardinality(types) between 1 and 100),
  payload text not null default 'full' check (payload in ('full', 'ids')),
  description text check (char_length(description) between 1 and 255),
  sealed_secret text not null,
  sealed_previous_secret text,
  previous_secret_ends_at timestamptz,
  -- These columns have no foreign keys, because a webhook remains visible after its key is deleted or its author has
  -- left.
  created_by_key_id uuid,
  created_by uuid,
  state text not null default 'on' check (state in ('on', 'catching_up', 'paused', 'off')),
  why text check (why in ('failing', 'gone', 'key_ended', 'by_person', 'by_key', 'by_platform')),
  switched_off_at timestamptz,
  failing_since timestamptz,
  failures integer not null default 0,
  paused_until timestamptz,
  pauses smallint not null default 0,
  catch_up_version bigint,
  catch_up_seq bigint,
  catch_up_until bigint,
  is_queued boolean not null generated always as (
    state in ('on', 'paused') and (catch_up_version is null or catch_up_until is not null)
  ) stored,
  lease_id uuid,
  leased_until timestamptz,
  last_success_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint webhooks_previous_secret_check
    check ((sealed_previous_secret is null) = (previous_secret_ends_at is null)),
  constraint webhooks_catch_up_check check ((catch_up_version is null) = (catch_up_seq is null)),
  constraint webhooks_switched_off_check check ((state = 'off') = (switched_off_at is not null))
);
comment on table public.webhooks is
  'The URLs to which a company''s events are delivered. Only database functions write this table.';
comment on column public.webhooks.types is
  'The types of events that are delivered: exact types (deal.won), all types of a resource (deal.*), or all (*).';
comment on column public.webhooks.payload is
  'full: a delivery contains the record''s state at the time of delivery. ids: a delivery contains only the record''s '
  'id.';
comment on column public.webhooks.sealed_secret is
  'The secret for signing deliveries, encrypted by the edge functions for this company and webhook.';
comment on column public.webhooks.sealed_previous_secret is
  'The previous secret, encrypted. It also signs the deliveries until previous_secret_ends_at.';
comment on column public.webhooks.created_by_key_id is
  'The API key that created the webhook. When the key ends without a successor, the webhook is switched off.';
comment on column public.webhooks.state is
  'on: events are delivered. catching_up: events are delivered from the log, because the queue was too long. paused: '
  'someone stopped the deliveries temporarily, and events are still queued. off: no events are queued.';
comment on column public.webhooks.is_queued is
  'Whether events are queued when they happen. While a webhook is catching up, its events come from the log.';
comment on column public.webhooks.why is
  'Why the webhook is paused or off. failing: no delivery succeeded for three days. gone: the receiver responded with '
  'status 410. key_ended: the webhook''s key ended. by_person, by_key, by_platform: who paused the webhook or switched '
  'it off.';
comment on column public.webhooks.failures is 'The number of failed attempts since the last success.';
comment on column public.webhooks.paused_until is
  'After several failures, the next delivery attempt waits until this time. The state stays the same.';
comment on column public.webhooks.pauses is
  'The number of times that failures have set paused_until since the last success.';
comment on column public.webhooks.catch_up_version is
  'The version of the last event that was queued from the log. catch_up_seq is the seq of this event. While '
  'catch_up_version is not null, the deliveries come from the log.';
comment on column public.webhooks.catch_up_until is
  'Not null after the log was queued up to its end. From then on, new events are queued as they are written. The log '
  'is still read up to this version, because the last transactions before this version did not queue their events.';
comment on column public.webhooks.lease_id is 'The id of the job run that delivers to this webhook until leased_until.';

create table app.open_deliveries (
  webhook_id uuid not null,
  record_id uuid not null,
  seq bigint not null,
  slot smallint not null,
  event_id uuid not null,
  company_id uuid not null,
  type text not null,
  due_at timestamptz not null,
  attempts smallint not null default 0,
  tries jsonb,
  primary key (webhook_id, record_id, seq)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
comment on table app.open_deliveries is
  'The deliveries that have not ended. The rows have no foreign key to the webhook, because each write of a record '
  'would then lock the webhook rows. A job deletes the open deliveries of a deleted webhook.';
comment on column app.open_deliveries.slot is 'The slot of the event.';
comment on column app.open_deliveries.tries is
  'The attempts so far, each with its time, its status or failure, its duration, and the first characters of the '
  'response if the attempt failed.';

create table app.deliveries (
  slot smallint not null,
  webhook_id uuid not null,
  seq bigint not null,
  event_id uuid not null,
  company_id uuid not null,
  type text not null,
  record_id uuid not null,
  happened_at timestamptz not null,
  outcome text not null check (outcome in ('delivered', 'failed', 'undelivered')),
  status smallint,
  ended_at timestamptz not null,
  tries jsonb
) partition by list (slot);
comment on table app.deliveries is
  'The deliveries that ended in the last 30 days. The slot equals the slot of the event, so a delivery and its event '
  'are deleted on the same day.';
comment on column app.deliveries.happened_at is 'When the event happened.';
comment on column app.deliveries.outcome is
  'delivered: the receiver accepted the delivery. failed: all attempts in three days failed. undelivered: the webhook '
  'was switched off.';

create table app.replays (
  webhook_id uuid primary key,
  company_id uuid not null,
  since timestamptz not null,
  until timestamptz not null,
  types text[],
  after_version bigint not null default 0,
  after_seq bigint not null default 0,
  requested_at timestamptz not null default now()
);
comment on table app.replays is
  'The replays: ranges of logged events that someone asked to deliver again. The delivery job queues these events in '
  'batches, in the order of the log.';
comment on column app.replays.after_version is
  'The version of the last event that was queued from the log. after_seq is the seq of this event.';

do $$
begin
  for slot in 0..31 loop
    execute format(
      'create table app.%I partition of app.deliveries for values in (%s)', to_char(slot, '"deliveries_"FM00'), slot
    );
    execute format('alter table app.%I enable row level security', to_char(slot, '"deliveries_"FM00'));
  end loop;
end
$$;

create index webhooks_company_idx on public.webhooks (company_id, created_at desc, id desc);
-- The delivery job queries these webhooks four times a second.
create index webhooks_catching_up_idx on public.webhooks (id) where catch_up_version is not null;
create index open_deliveries_due_idx on app.open_deliveries (webhook_id, due_at);
create index open_deliveries_newest_first_idx on app.open_deliveries (webhook_id, seq);
create index deliveries_newest_first_idx on app.deliveries (webhook_id, seq);

create function app.wants(types text[], type text) returns boolean
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
begin
  return types && array[type, split_part(type, '.', 1) || '.*', '*'];
end
$$;
comment on function app.wants(text[], text) is
  'Checks whether a webhook subscribes to an event type: to the type itself, to all types of its resource, or to all '
  'types.';

create trigger webhooks_set_updated_at
  before update of url, types, payload, description, sealed_secret, state on public.webhooks
  for each row execute function app.set_updated_at();

alter table public.webhooks enable row level security;
alter table app.open_deliveries enable row level security;
alter table app.deliveries enable row level security;
alter table app.replays enable row level security;
create policy "the platform reads webhooks" on public.webhooks for select to service_role using (true);

grant select (
  id, company_id, url, types, payload, description, previous_secret_ends_at, created_by_key_id, created_by, state, why,
  switched_off_at, failing_since, failures, paused_until, pauses, last_success_at, created_at, updated_at
) on public.webhooks to service_role;

-- schemas/29_webhook_secrets.sql

-- The secrets of webhooks. The edge functions encrypt (seal) each secret for its company and webhook before they store
-- it. No role can read the sealed secrets from the table directly.

create function public.rotate_webhook_secret(
  webhook_id uuid, sealed_secret text, overlap_hours integer default 24, idempotency jsonb default null
) returns json
language plpgsql security definer
set search_path = ''
as $$
declare
  judged constant public.webhooks := app.managed_webhook(rotate_webhook_secret.webhook_id);
  earlier constant jsonb := app.claim_idempotency_key(judged.company_id, idempotency);
  hook public.webhooks;
begin
  if earlier is not null then
    return json_build_object('replayed', true, 'data', app.webhook_json(judged), 'sealed_secret', judged.sealed_secret);
  end if;
  if overlap_hours is null or overlap_hours not between 0 and 168 then
    raise sqlstate 'PT422' using message = 'overlap_hours must be 0 to 168';
  end if;
  hook := app.locked_webhook(judged.id);
  update public.webhooks set
    sealed_secret = rotate_webhook_secret.sealed_secret,
    sealed_previous_secret = case when overlap_hours > 0 then webhooks.sealed_secret end,
    previous_secret_ends_at = case when overlap_hours > 0 then now() + make_interval(hours => overlap_hours) end
  where id = hook.id
  returning * into hook;
  perform app.note_webhook_history(hook, 'webhook_secret_rotated');
  perform app.keep_outcome(hook.company_id, idempotency, jsonb_build_object('id', hook.id));
  return json_build_object('replayed', false, 'data', app.webhook_json(hook), 'sealed_secret', hook.sealed_secret);
end
$$;
comment on function public.rotate_webhook_secret(uuid, text, integer, jsonb) is
  'Replaces a webhook''s secret, and returns { replayed, data, sealed_secret }. During the overlap, the previous '
  'secret also signs deliveries. The edge functions seal the secret and then call this function. Raises PT422 for an '
  'invalid overlap. Also raises the errors of app.managed_webhook() and app.claim_idempotency_key().';
grant execute on function public.rotate_webhook_secret(uuid, text, integer, jsonb) to api_client, settings_client;

create function public.sealed_webhook_secrets() returns table (
  webhook_id uuid, company_id uuid, kind text, sealed text
)
language sql stable security definer -- no role reads the secrets
set search_path = ''
as $$
  select webhooks.id, webhooks.company_id, secrets.kind, secrets.sealed
  from public.webhooks
  cross join lateral (
    values ('secret', webhooks.sealed_secret), ('previous_secret', webhooks.sealed_previous_secret)
  ) as secrets (kind, sealed)
  where secrets.sealed is not null
  order by webhooks.id, secrets.kind
$$;
comment on function public.sealed_webhook_secrets() is
  'Returns the sealed secrets of every webhook, each with its kind: secret or previous_secret.';
grant execute on function public.sealed_webhook_secrets() to service_role;

create function public.reseal_webhook_secret(webhook_id uuid, kind text, sealed_before text, sealed text) returns boolean
language sql security definer -- see sealed_webhook_secrets()
set search_path = ''
as $$
  -- If a rotation has changed the secret since it was read, the condition on sealed_before keeps the new secret.
  with resealed as (
    update public.webhooks as hooks set
      sealed_secret = case when kind = 'secret' then sealed else hooks.sealed_secret end,
      sealed_previous_secret = case when kind = 'previous_secret' then sealed else hooks.sealed_previous_secret end
    where hooks.id = webhook_id
      and sealed_before = case kind
        when 'secret' then hooks.sealed_secret
        when 'previous_secret' then hooks.sealed_previous_secret
      end
    returning 1
  )
  select exists (select from resealed)
$$;
comment on function public.reseal_webhook_secret(uuid, text, text, text) is
  'Replaces one sealed secret of a webhook if the stored secret is still sealed_before. Returns whether the secret was '
  'replaced.';
grant execute on function public.reseal_webhook_secret(uuid, text, text, text) to service_role;

-- schemas/29_webhook_writes.sql

-- Functions that create, change and delete webhooks. Owners, admins and API keys with the scope `webhooks` may call
-- them, and app.webhook_company() and app.managed_webhook() check the caller. The edge functions check URLs and seal
-- secrets. So users can set URLs and secrets only through the edge function `settings`. When a key ends, the webhooks
-- that it created are switched off. A webhook that a user created stays on, even if the user leaves the company.

create function app.webhook_company(of_company_id uuid) returns uuid
language plpgsql stable
set search_path = ''
as $$
begin
  if current_setting('role', true) = 'api_client' then
    return app.company_id('webhooks');
  end if;
  if app.acting_kind() <> 'platform' and (of_company_id = any (app.managed_company_ids())) is not true then
    raise sqlstate 'PT403' using message = 'Only owners and admins of a company manage its webhooks';
  end if;
  if of_company_id is null then
    raise sqlstate 'PT422' using message = 'company_id must name a company';
  end if;
  return of_company_id;
end
$$;
comment on function app.webhook_company(uuid) is
  'Returns the company whose webhooks the caller manages. For a key, this is the key''s company, and the argument is '
  'ignored. For owners, admins and the platform, this is the company in the argument. Raises PT403 for other callers, '
  'and PT401 and PT403 as app.company_id() does.';

create function app.managed_webhook(of_webhook_id uuid) returns public.webhooks
language plpgsql stable
set search_path = ''
as $$
declare
  kind constant text := case when current_setting('role', true) = 'api_client' then 'key' else app.acting_kind() end;
  own_company_ids constant uuid[] := case kind
    when 'key' then array[app.company_id('webhooks')]
    when 'person' then app.member_company_ids()
  end;
  hook public.webhooks;
begin
  select * into hook from public.webhooks where id = of_webhook_id;
  if hook.id is null or (kind <> 'platform' and (hook.company_id = any (own_company_ids)) is not true) then
    raise sqlstate 'PT404' using message = 'Webhook not found';
  end if;
  if kind = 'person' and hook.company_id <> all (app.managed_company_ids()) then
    raise sqlstate 'PT403' using message = 'Only owners and admins of a company manage its webhooks';
  end if;
  return hook;
end
$$;
comment on function app.managed_webhook(uuid) is
  'Returns a webhook that the caller manages. The caller is a key with the scope `webhooks`, an owner or an admin of '
  'the webhook''s company, or the platform. Raises PT404 when the caller''s company has no such webhook. Raises PT403 '
  'for agents, and PT401 and PT403 as app.company_id() does.';

create function app.locked_webhook(of_webhook_id uuid) returns public.webhooks
language plpgsql
set search_path = ''
as $$
declare
  -- The function checks the caller before it locks anything.
  hook public.webhooks := app.managed_webhook(of_webhook_id);
begin
  -- A function that writes the company's history locks the company. It must lock the company before the webhook.
  perform from public.companies where id = hook.company_id for key share;
  select * into hook from public.webhooks where id = of_webhook_id for no key update;
  if not found then
    raise sqlstate 'PT404' using message = 'Webhook not found';
  end if;
  return hook;
end
$$;
comment on function app.locked_webhook(uuid) is
  'Returns the same result and raises the same errors as app.managed_webhook(). No other transaction can change the '
  'webhook until this transaction ends.';

create function app.webhook_json(hook public.webhooks) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  -- When a key expires, no row changes. The delivery job switches the webhook off later.
  has_ended constant boolean := hook.state <> 'off' and app.has_ended_key(hook);
begin
  return json_build_object(
    'id', hook.id, 'company_id', hook.company_id, 'url', hook.url, 'types', hook.types, 'payload', hook.payload,
    'description', hook.description,
    'state', case when has_ended then 'off' else hook.state end,
    'why', case when has_ended then 'key_ended' else hook.why end,
    'created_by_key_id', hook.created_by_key_id, 'created_by', hook.created_by,
    'failing_since', hook.failing_since, 'paused_until', hook.paused_until,
    'switched_off_at', case
      when has_ended then (select expires_at from public.api_keys where id = hook.created_by_key_id)
      else hook.switched_off_at
    end,
    'previous_secret_ends_at', case when hook.previous_secret_ends_at > now() then hook.previous_secret_ends_at end,
    'last_success_at', hook.last_success_at,
    'open_deliveries', (
      select count(*) from (select from app.open_deliveries where webhook_id = hook.id limit 10000) as open
    ),
    'created_at', hook.created_at, 'updated_at', hook.updated_at
  );
end
$$;
comment on function app.webhook_json(public.webhooks) is
  'Returns a webhook in the format of the API, without its secrets. Open deliveries are counted up to 10,000.';

create function app.note_webhook_history(hook public.webhooks, action text, details jsonb default '{}') returns void
language plpgsql
set search_path = ''
as $$
declare
  kind constant text := case when current_setting('role', true) = 'api_client' then 'key' else app.acting_kind() end;
  person constant uuid := case when kind = 'person' then auth.uid() end;
  author_id uuid := person;
  key_name text;
begin
  if kind = 'key' then
    select id, name into author_id, key_name from public.api_keys where key_hash = auth.jwt() ->> 'key_hash';
  end if;
  insert into public.company_events (
    company_id, webhook_id, webhook_address, action, details, actor_kind, actor_id, actor_name, client_address
  )
  select
    companies.id, hook.id, split_part(hook.url, '?', 1), note_webhook_history.action, note_webhook_history.details, kind,
    author_id, case when kind = 'key' then key_name else app.name_of_person(person, companies.id) end,
    -- An edge function makes the request on behalf of a key, so the IP address would be the edge function's IP address.
    case when kind <> 'key' then app.client_address() end
  -- If a company is deleted, the deletion of its webhooks creates no events.
  from public.companies where companies.id = hook.company_id
  for key share;
end
$$;
comment on function app.note_webhook_history(public.webhooks, text, jsonb) is
  'Writes an event about a webhook into company_events.';

-- Security definer, because no role may write webhooks directly. The other functions in this file are security definer
-- for the same reason.
create function public.create_webhook(
  webhook_id uuid, url text, types text[], payload text, description text, sealed_secret text,
  company_id uuid default null, idempotency jsonb default null
) returns json
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id constant uuid := app.webhook_company(create_webhook.company_id);
  earlier constant jsonb := app.claim_idempotency_key(own_company_id, idempotency);
  made public.webhooks;
begin
  if earlier is not null then
    select * into made from public.webhooks where webhooks.company_id = own_company_id and id = (earlier ->> 'id')::uuid;
    return json_build_object(
      'replayed', true,
      'data', case when made.id is not null then app.webhook_json(made) end,
      'sealed_secret', made.sealed_secret
    );
  end if;
  -- If several callers create webhooks at the same time, they count the webhooks one after the other.
  perform from public.companies where id = own_company_id for no key update;
  if not found then
    raise sqlstate 'PT404' using message = 'No company has this id';
  end if;
  if (select count(*) from public.webhooks where webhooks.company_id = own_company_id) >= 10 then
    raise sqlstate 'PT409' using message = 'A company has at most 10 webhooks: delete one first';
  end if;
  insert into public.webhooks (
    id, company_id, url, types, payload, description, sealed_secret, created_by_key_id, created_by
  )
  select
    create_webhook.webhook_id, own_company_id, create_webhook.url,
    array(select distinct type from unnest(create_webhook.types) as type order by type),
    create_webhook.payload, create_webhook.description, create_webhook.sealed_secret, author.api_key_id, author.user_id
  from app.webhook_author() as author
  returning * into made;
  perform app.note_webhook_history(
    made, 'webhook_created', jsonb_build_object('types', made.types, 'payload', made.payload)
  );
  perform app.keep_outcome(own_company_id, idempotency, jsonb_build_object('id', made.id));
  return json_build_object('replayed', false, 'data', app.webhook_json(made), 'sealed_secret', made.sealed_secret);
end
$$;
comment on function public.create_webhook(uuid, text, text[], text, text, text, uuid, jsonb) is
  'Creates a webhook and returns { replayed, data, sealed_secret }. The edge functions check the URL, choose the id '
  'and seal the secret, and then call this function for keys and users. A repeat returns the webhook with its current '
  'secret, or null if the webhook was deleted. Raises PT409 for the eleventh webhook of a company. Also raises the '
  'errors of app.webhook_company() and app.claim_idempotency_key().';
grant execute on function public.create_webhook(uuid, text, text[], text, text, text, uuid, jsonb)
  to api_client, settings_client;

create function app.webhook_author(out api_key_id uuid, out user_id uuid)
language plpgsql stable
set search_path = ''
as $$
begin
  if current_setting('role', true) = 'api_client' then
    select id into api_key_id from public.api_keys where key_hash = auth.jwt() ->> 'key_hash';
  elsif app.acting_kind() = 'person' then
    user_id := auth.uid();
  end if;
end
$$;
comment on function app.webhook_author() is
  'Returns the key or the user that makes this request. Both values are null for the platform.';

create function public.change_webhook(webhook_id uuid, changes jsonb) returns json
language plpgsql security definer
set search_path = ''
as $$
declare
  stored constant public.webhooks := app.locked_webhook(change_webhook.webhook_id);
  is_off constant boolean := stored.state = 'off' or app.has_ended_key(stored);
  asked_state constant text := changes ->> 'state';
  author record;
  is_switched_on constant boolean := coalesce(is_off and asked_state = 'on', false);
  is_moved constant boolean := coalesce(changes ->> 'url' <> stored.url, false);
  changed public.webhooks := stored;
  fields text[];
begin
  if is_off and asked_state = 'paused' then
    raise sqlstate 'PT409' using message = 'The webhook is off, so it cannot be paused: switch it on first';
  end if;
  select * into author from app.webhook_author();
  changed.url := coalesce(changes ->> 'url', stored.url);
  changed.payload := coalesce(changes ->> 'payload', stored.payload);
  changed.types := case
    when changes ? 'types'
      then array(select distinct type from jsonb_array_elements_text(changes -> 'types') as type order by type)
    else stored.types
  end;
  changed.description := case when changes ? 'description' then changes ->> 'description' else stored.description end;
  changed.state := case
    when asked_state = 'paused' then 'paused'
    when is_switched_on then 'on'
    when asked_state = 'on' and stored.state = 'paused' then
      -- Events that happened during the pause may exist only in the log.
      case when stored.catch_up_version is not null and stored.catch_up_until is null then 'catching_up' else 'on' end
    else stored.state
  end;
  fields := array_remove(
    array[
      case when is_moved then 'url' end,
      case when changed.types <> stored.types then 'types' end,
      case when changed.payload <> stored.payload then 'payload' end,
      case when changed.description is distinct from stored.description then 'description' end
    ],
    null
  );
  if fields = '{}' and changed.state = stored.state and not is_switched_on then
    return app.webhook_json(stored);
  end if;
  -- If a key changes the URL or switches the webhook on, the webhook is switched off when that key ends. Otherwise, a
  -- URL that a stolen key set would remain in use after the key is switched off.
  if is_switched_on or (is_moved and author.api_key_id is not null) then
    changed.created_by_key_id := author.api_key_id;
    changed.created_by := author.user_id;
  end if;
  changed.why := case
    when changed.state = 'paused' and stored.state <> 'paused' then 'by_' || case
      when author.api_key_id is not null then 'key'
      when author.user_id is not null then 'person'
      else 'platform'
    end
    when changed.state in ('paused', 'off') then stored.why
  end;
  update public.webhooks set
    url = changed.url,
    types = changed.types,
    payload = changed.payload,
    description = changed.description,
    state = changed.state,
    why = changed.why,
    created_by_key_id = changed.created_by_key_id,
    created_by = changed.created_by,
    switched_off_at = case when not is_switched_on then webhooks.switched_off_at end,
    -- A webhook that was off starts again without failures. A webhook that was paused keeps the count of its failures.
    failing_since = case when not is_switched_on then webhooks.failing_since end,
    failures = case when is_switched_on then 0 else webhooks.failures end,
    pauses = case when is_switched_on then 0 else webhooks.pauses end,
    paused_until = case when not is_switched_on then webhooks.paused_until end
  where id = stored.id
  returning * into changed;
  if fields <> '{}' then
    perform app.note_webhook_history(changed, 'webhook_changed', jsonb_build_object('fields', fields));
  end if;
  if is_switched_on or changed.state <> stored.state then
    perform app.note_webhook_history(
      changed, case when changed.state = 'paused' then 'webhook_paused' else 'webhook_switched_on' end
    );
  end if;
  return app.webhook_json(changed);
end
$$;
comment on function public.change_webhook(uuid, jsonb) is
  'Changes a webhook and returns it. The changes are { url?, types?, payload?, description?, state? }. The state is '
  '`on` or `paused`. The edge functions check the URL and then call this function. If the caller switches on a webhook '
  'that is off, created_by_key_id and created_by then identify the caller. Raises PT409 when the change would pause a '
  'webhook that is off. Also raises the errors of app.managed_webhook().';
grant execute on function public.change_webhook(uuid, jsonb) to api_client, settings_client, service_role;

create function public.delete_webhook(webhook_id uuid) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  hook constant public.webhooks := app.locked_webhook(delete_webhook.webhook_id);
begin
  delete from public.webhooks where id = hook.id;
  perform app.note_webhook_history(hook, 'webhook_deleted');
end
$$;
comment on function public.delete_webhook(uuid) is
  'Deletes a webhook. Its deliveries stop immediately, and a job deletes them later. Raises the errors of '
  'app.managed_webhook().';
grant execute on function public.delete_webhook(uuid) to api_client, authenticated, service_role;

-- schemas/29_webhooks_of_keys.sql

-- When an API key ends, the webhooks that it created are switched off. So when a stolen key is switched off, its
-- webhooks receive no more events. The webhooks are switched off immediately when the key is switched off or deleted.
-- When a key expires, no row changes, so the delivery job checks the key for each delivery. A rotation gives the
-- webhooks to the successor key.

create function app.has_ended_key(hook public.webhooks) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return hook.created_by_key_id is not null and not exists (
    select from public.api_keys
    where id = hook.created_by_key_id and company_id = hook.company_id and is_active
      and (expires_at is null or expires_at > now()) and 'webhooks' = any (scopes)
  );
end
$$;
comment on function app.has_ended_key(public.webhooks) is
  'Checks whether the key of a webhook is off, expired, deleted or without the scope `webhooks`. A rotation gives the '
  'webhook to the successor of its key.';

create function app.note_webhook_off() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform app.note_webhook_history(new, 'webhook_switched_off', jsonb_build_object('why', new.why));
  return null;
end
$$;
comment on function app.note_webhook_off() is
  'Trigger: writes an event into company_events when a webhook is switched off, for any reason.';

create function app.end_webhooks_of_key() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  ended_id uuid;
begin
  for ended_id in
    select webhooks.id from public.webhooks
    -- The webhooks of a deleted company are deleted with it.
    join public.companies on companies.id = webhooks.company_id
    where webhooks.company_id = old.company_id and created_by_key_id = old.id and state <> 'off'
    order by webhooks.id
  loop
    perform app.switch_off_webhook(ended_id, 'key_ended');
  end loop;
  return null;
end
$$;
comment on function app.end_webhooks_of_key() is
  'Trigger: switches off a key''s webhooks immediately when the key is switched off or deleted.';

create function app.give_webhooks_to_successor() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  update public.webhooks set created_by_key_id = new.id
  where company_id = new.company_id and created_by_key_id = new.replaces;
  return null;
end
$$;
comment on function app.give_webhooks_to_successor() is
  'Trigger: gives the webhooks of a rotated key to its successor, so that the webhooks are switched off when the '
  'successor ends.';

create trigger webhooks_note_off after update of state on public.webhooks
  for each row when (new.state = 'off' and old.state <> 'off') execute function app.note_webhook_off();
create trigger api_keys_end_webhooks after delete on public.api_keys
  for each row execute function app.end_webhooks_of_key();
create trigger api_keys_end_webhooks_when_off after update of is_active on public.api_keys
  for each row when (old.is_active and not new.is_active) execute function app.end_webhooks_of_key();
create trigger api_keys_give_webhooks after insert on public.api_keys
  for each row when (new.replaces is not null) execute function app.give_webhooks_to_successor();

-- schemas/30_contacts.sql

-- Contacts are the people with whom a company communicates. A person has one contact, whatever the format of the phone
-- number.

create table public.contacts (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null default app.company_id() references public.companies on delete cascade,
  name text check (char_length(name) <= 255),
  email text check (char_length(email) <= 320),
  -- The phone number is stored as the caller sent it. POSIX character classes would also match the digits of other
  -- scripts, so the pattern uses [0-9].
  phone text check (phone ~ '^\+[1-9][0-9]{6,14}$'),
  -- An archived contact has no phone_key, so lookups and upserts need no condition to exclude archived contacts.
  phone_key text generated always as (case when archived_at is null then app.phone_key(phone) end) stored,
  temperature text not null default 'warm' check (temperature in ('cold', 'warm', 'hot')),
  tags text[] not null default '{}' check (cardinality(tags) <= 50 and array_position(tags, null) is null)
    constraint contacts_tags_fit_index check (tags = '{}' or app.longest(tags) <= 2048),
  source text not null default 'api' check (char_length(source) <= 255),
  job_title text check (char_length(job_title) <= 255),
  empresa text check (char_length(empresa) <= 255),
  -- The API's limit is 16 KiB of compact JSON. Postgres adds a space after every comma and colon, so the limit here is
  -- higher.
  custom_fields jsonb not null default '{}' check (
    jsonb_typeof(custom_fields) = 'object'
    and octet_length(custom_fields::text) <= 32768
  ),
  do_not_contact boolean not null default false,
  is_active boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- The normalized values for searches, without case and accents.
  name_words text generated always as (app.words(name)) stored,
  email_words text generated always as (app.words(email)) stored,
  empresa_words text generated always as (app.words(empresa)) stored,
  job_title_words text generated always as (app.words(job_title)) stored,
  email_key text generated always as (lower(email collate "pg_c_utf8")) stored,
  version bigint not null default app.change_now(),
  -- If WhatsApp hides a person's phone number, it provides a business-scoped user id instead. So a contact may have no
  -- phone number. Only the platform can add such a contact, because no other role may write has_identity.
  has_identity boolean not null default false,
  -- Who last set do_not_contact, and when. The source is `manual` (a member or an API key of the company) or `word`
  -- (the person sent the keyword "stop" or "start").
  do_not_contact_source text constraint contacts_do_not_contact_source_check
    check (do_not_contact_source in ('manual', 'word')),
  do_not_contact_at timestamptz,
  -- When the person last sent each keyword ("stop" or "start").
  stop_word_at timestamptz,
  start_word_at timestamptz,
  -- The newest times at which the person stopped or resumed marketing, and the source of the stop. The person can tap a
  -- template button, send a keyword, or set the preference in WhatsApp. The source `status` means that WhatsApp refused
  -- a message. The source `manual` means that a member or an API key of the company set the value.
  marketing_stopped_at timestamptz,
  marketing_stop_source text constraint contacts_marketing_stop_source_check
    check (marketing_stop_source in ('button', 'word', 'preference', 'status', 'manual')),
  marketing_resumed_at timestamptz,
  marketing_opt_out_at timestamptz generated always as (
    -- If a stop and a resume have the same time, the stop wins.
    case when marketing_resumed_at is null or marketing_stopped_at >= marketing_resumed_at
      then marketing_stopped_at end
  ) stored,
  marketing_opt_out_source text generated always as (
    case when marketing_resumed_at is null or marketing_stopped_at >= marketing_resumed_at
      then marketing_stop_source end
  ) stored,
  -- Callers write marketing_opt_out, and a trigger records the time.
  marketing_opt_out boolean not null default false
    constraint contacts_marketing_opt_out_check check (marketing_opt_out = (marketing_opt_out_at is not null)),
  -- When an inbound message adds a contact, the contact has the person's profile name until a member or a key sets a
  -- name.
  profile_name_at timestamptz,
  -- Write-only: a trigger applies the patch { custom_fields, add_tags, remove_tags } and sets this column to null.
  patch jsonb constraint contacts_patch_check check (patch is null),
  archived_at timestamptz,
  archived_phone_key text generated always as (
    case when archived_at is not null then app.phone_key(phone) end
  ) stored,
  erased_at timestamptz,
  external_id text constraint contacts_external_id_check check (char_length(external_id) between 1 and 255),
  unique (company_id, id),
  constraint contacts_one_per_phone unique (company_id, phone_key),
  constraint contacts_reachable check (phone is not null or has_identity or erased_at is not null)
);
comment on table public.contacts is
  'The people with whom a company communicates. A company has at most one contact for each phone key.';
comment on column public.contacts.email_key is
  'The e-mail address in lower case. Searches by e-mail address use this column, so they ignore case.';
comment on column public.contacts.marketing_opt_out_at is
  'When the person opted out of marketing templates. Null when the person never opted out, or opted in again.';
comment on column public.contacts.profile_name_at is
  'If the contact''s name is the person''s profile name, the time of the message with this name. Null when the company '
  'set the name.';
comment on column public.contacts.patch is
  'Changes to the custom_fields and tags. Always null in a stored row.';
comment on column public.contacts.archived_at is
  'When the contact was archived. Null when the contact is not archived. The database sets this time.';
comment on column public.contacts.phone_key is
  'The phone key of the phone number, which is the same for every format of the number. Lookups by phone use this '
  'column. Null for an archived contact and for a contact without a phone.';
comment on column public.contacts.archived_phone_key is
  'The phone_key that an archived contact had. When the contact is restored, it gets this phone_key back. Several '
  'archived contacts may have the same value.';
comment on column public.contacts.external_id is
  'The id of the contact in one of the company''s own systems. Two contacts that are not archived never have the same '
  'external_id.';
comment on column public.contacts.erased_at is
  'When the person was erased. The contact keeps its id and the values that do not identify the person.';

-- Because of the policies, the planner does not know which company makes the request. With n_distinct = 1, the planner
-- assumes that all rows belong to one company. So the planner plans for the largest company and not for an average
-- company. With such a plan, Postgres reads a page from the index and does not sort all rows.
alter table public.contacts alter column company_id set (n_distinct = 1);

-- The planner estimates from sample values how many rows contain a part of a word. With the default of 100 values, the
-- planner often expects ten times too many rows. The planner then reads the rows in list order instead of using the
-- index of words.
alter table public.contacts
  alter column name_words set statistics 400,
  alter column email_words set statistics 400,
  alter column empresa_words set statistics 400,
  alter column job_title_words set statistics 400;

create index contacts_newest_first_idx on public.contacts (company_id, created_at desc, id desc);

-- This index covers words, tags and custom fields. A single index is smaller than three indexes, and halves the cost of
-- a write. Its pending list is short, so that no single write or search has to process the entries of many other
-- writes.
create index contacts_found_idx on public.contacts using gin (
  company_id, tags, custom_fields jsonb_path_ops, name_words extensions.gin_trgm_ops,
  email_words extensions.gin_trgm_ops, replace(phone, '+', ' ') extensions.gin_trgm_ops,
  empresa_words extensions.gin_trgm_ops, job_title_words extensions.gin_trgm_ops
) with (gin_pending_list_limit = 512);
create index contacts_name_idx on public.contacts (company_id, name);
create index contacts_email_idx on public.contacts (company_id, email_key);
create index contacts_temperature_idx on public.contacts (company_id, temperature, created_at desc, id desc);
create index contacts_source_idx on public.contacts (company_id, source, created_at desc, id desc);
create index contacts_job_title_idx on public.contacts (company_id, job_title, created_at desc, id desc);
create index contacts_empresa_idx on public.contacts (company_id, empresa, created_at desc, id desc);

-- Few contacts are inactive or have do_not_contact set, so these partial indexes are small.
create index contacts_do_not_contact_idx on public.contacts (company_id, created_at desc, id desc)
  where do_not_contact;
create index contacts_inactive_idx on public.contacts (company_id, created_at desc, id desc)
  where not is_active;
create index contacts_by_name_idx
  on public.contacts (company_id, (left(coalesce(name_words, ''), 100) collate "C"), id);
create index contacts_by_update_idx on public.contacts (company_id, updated_at, id);
create index contacts_changes_idx on public.contacts (company_id, version, id);

-- Few contacts have opted out of marketing, so this partial index is small.
create index contacts_marketing_opt_out_idx on public.contacts (company_id, marketing_opt_out_at)
  where marketing_opt_out_at is not null;

-- Lists exclude archived records. After a mistaken import, there may be many archived records. With an index of all
-- records, a list would first have to skip the archived records.
create index contacts_not_archived_idx on public.contacts (company_id, created_at desc, id desc)
  where archived_at is null;
create index contacts_not_archived_by_update_idx on public.contacts (company_id, updated_at, id)
  where archived_at is null;
create index contacts_archived_idx on public.contacts (company_id, created_at desc, id desc)
  where archived_at is not null;
create index contacts_archived_phone_idx on public.contacts (company_id, archived_phone_key)
  where archived_phone_key is not null;

-- An archived contact keeps its external_id, but another contact may get the same external_id later. So the index
-- distinguishes archived contacts by their ids.
create unique index contacts_one_per_external_id on public.contacts
  (company_id, external_id, (case when archived_at is not null then id end)) nulls not distinct
  where external_id is not null;

create function app.note_own_name() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if new.profile_name_at is not distinct from old.profile_name_at then
    new.profile_name_at := null;
  end if;
  return new;
end
$$;
comment on function app.note_own_name() is
  'Trigger: sets profile_name_at to null when a statement writes a name without profile_name_at. In that case, the '
  'company set the name.';

create function app.changed_tags(known text[], added jsonb, removed jsonb) returns text[]
language plpgsql immutable
set search_path = ''
as $$
begin
  return array(
    select tag
    from (
      select tag, place from unnest(known) with ordinality as kept (tag, place)
      where not coalesce(removed ? tag, false)
      union all
      select tag, 1000000 + place from jsonb_array_elements_text(coalesce(added, '[]')) with ordinality as given (tag, place)
    ) as tagged
    group by tag order by min(place)
  );
end
$$;
comment on function app.changed_tags(text[], jsonb, jsonb) is
  'Returns the tags without the removed tags, followed by the added tags. Each tag occurs once.';
grant execute on function app.changed_tags(text[], jsonb, jsonb) to api_client;

create function app.apply_patch() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if new.patch ? 'custom_fields' then
    new.custom_fields := app.merge_json(new.custom_fields, new.patch -> 'custom_fields');
  end if;
  if new.patch ?| '{add_tags,remove_tags}' then
    new.tags := app.changed_tags(new.tags, new.patch -> 'add_tags', new.patch -> 'remove_tags');
  end if;
  new.patch := null;
  -- Compact JSON is never longer than Postgres JSON, so measuring the Postgres JSON is enough for most rows. The
  -- platform can make a row larger than the limit, for example by a merge. A write may make such a row smaller, even if
  -- the row is still too large afterwards.
  if octet_length(new.custom_fields::text) > 16384
    and app.compact_json_bytes(new.custom_fields)
      > greatest(16384, app.compact_json_bytes(old.custom_fields)) then
    raise check_violation using
      message = 'new row for relation "contacts" violates check constraint "contacts_custom_fields_check"',
      constraint = 'contacts_custom_fields_check';
  end if;
  return new;
end
$$;
comment on function app.apply_patch() is
  'Trigger: merges the custom_fields of the patch into the stored custom_fields (RFC 7396), adds and removes tags, and '
  'sets the patch to null. So two simultaneous patches to different keys or tags both take effect. Refuses custom '
  'fields that grow beyond the API''s 16 KiB, as a violation of contacts_custom_fields_check.';

create function app.contact_json(contact public.contacts) returns json
-- This function uses PL/pgSQL, so that calls for many rows cost little. The result is json, because building jsonb
-- takes three times as long.
language plpgsql stable
set search_path = ''
as $$
begin
  return json_build_object(
    'id', contact.id,
    'company_id', contact.company_id,
    'external_id', contact.external_id,
    'name', contact.name,
    'email', contact.email,
    'phone', contact.phone,
    'temperature', contact.temperature,
    'tags', contact.tags,
    'source', contact.source,
    'job_title', contact.job_title,
    'empresa', contact.empresa,
    'custom_fields', contact.custom_fields,
    'do_not_contact', contact.do_not_contact,
    'do_not_contact_source', contact.do_not_contact_source,
    'do_not_contact_at', contact.do_not_contact_at,
    'marketing_opt_out', contact.marketing_opt_out,
    'marketing_opt_out_source', contact.marketing_opt_out_source,
    'marketing_opt_out_at', contact.marketing_opt_out_at,
    'is_active', contact.is_active,
    'archived_at', contact.archived_at,
    'erased_at', contact.erased_at,
    'created_at', contact.created_at,
    'updated_at', contact.updated_at,
    'version', contact.version::text
  );
end
$$;
comment on function app.contact_json(public.contacts) is
  'Returns a contact in the format of the API, as in the view own_contacts. The order of the fields is not fixed.';

create function app.survivor_of(own_company_id uuid, merged_id uuid) returns uuid
-- This function is volatile and uses PL/pgSQL, so that it sees a merge that was committed while the calling statement
-- waited.
language plpgsql volatile
set search_path = ''
as $$
begin
  return (
    select contacts.id from public.deleted_rows as gone
    join public.contacts on contacts.company_id = gone.company_id and contacts.id = gone.merged_into
    where gone.company_id = own_company_id and gone.resource = 'contacts' and gone.id = merged_id
  );
end
$$;
comment on function app.survivor_of(uuid, uuid) is
  'Returns the contact into which another contact of the company was merged, or null when that contact was not '
  'merged.';

create function public.survivor_of_contact(id uuid) returns uuid
-- Security definer, because a write token cannot read tombstones.
language plpgsql security definer
set search_path = ''
as $$
begin
  return app.survivor_of(
    app.company_id(case when auth.jwt() ->> 'scope' = 'write' then 'write' else 'read' end), survivor_of_contact.id
  );
end
$$;
comment on function public.survivor_of_contact(uuid) is
  'Returns the contact of the key''s company into which the given contact was merged. Returns null when the contact '
  'was not merged. Needs a read or a write token. Raises PT401 and PT403 as app.company_id() does.';
grant execute on function public.survivor_of_contact(uuid) to api_client;

create trigger contacts_note_written before insert or update on public.contacts
  for each statement execute function app.note_written_table();
create trigger contacts_note_no_longer_written after insert or update on public.contacts
  for each statement execute function app.note_written_table();
create trigger contacts_note_change before update on public.contacts
  for each row execute function app.note_change();
create trigger contacts_note_deletion after delete on public.contacts
  referencing old table as deleted for each statement execute function app.note_deletion();
create trigger contacts_note_own_name before update of name on public.contacts
  for each row when (new.name is distinct from old.name) execute function app.note_own_name();
create trigger contacts_apply_patch before update of patch on public.contacts
  for each row when (new.patch is not null) execute function app.apply_patch();

alter table public.contacts enable row level security;
create policy "a key reads its company's contacts" on public.contacts
  for select to api_client using (company_id = (select app.company_id_to_read('contacts')));
create policy "a key changes its company's contacts" on public.contacts
  for update to api_client
  using (company_id = (select app.company_id('write')))
  with check (company_id = (select app.company_id('write')));
create policy "people read their company's contacts" on public.contacts
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "people add contacts to their company" on public.contacts
  for insert to authenticated with check (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "people change their company's contacts" on public.contacts
  for update to authenticated
  using (company_id = any ((select app.member_company_ids())::uuid[]))
  with check (company_id = any ((select app.member_company_ids())::uuid[]));

-- A key may read all columns, so that an update does not have to list the returned columns. A key can add contacts only
-- through functions.
grant select on public.contacts to api_client;
grant update (
  external_id, name, email, phone, temperature, tags, source, job_title, empresa, custom_fields, do_not_contact,
  marketing_opt_out, is_active, version, patch
) on public.contacts to api_client;
grant select on public.contacts to authenticated;
grant insert (
  company_id, external_id, name, email, phone, temperature, tags, source, job_title, empresa, custom_fields,
  do_not_contact, marketing_opt_out, is_active
) on public.contacts to authenticated;
grant update (
  external_id, name, email, phone, temperature, tags, source, job_title, empresa, custom_fields, do_not_contact,
  marketing_opt_out, is_active, archived_at
) on public.contacts to authenticated;
grant select, insert, update, delete on public.contacts to service_role;

-- The columns that a key can read, in the order of the API.
select app.make_feed('contact_changes', 'contacts', '
  id, company_id, external_id, name, email, phone, temperature, tags, source, job_title, empresa, custom_fields,
  do_not_contact, do_not_contact_source, do_not_contact_at, marketing_opt_out, marketing_opt_out_source,
  marketing_opt_out_at, is_active, archived_at, erased_at, created_at, updated_at
');

-- schemas/31_phones.sql

-- The phone numbers and ids that identify a contact: its current phone number, its earlier phone numbers, and the
-- person's WhatsApp user ids. A contact that resulted from a merge also has additional phone numbers.

create table public.contact_former_phones (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  contact_id uuid not null,
  phone text not null check (phone ~ '^\+[1-9][0-9]{6,14}$'),
  phone_key text generated always as (case when not is_archived then app.phone_key(phone) end) stored,
  -- The phone number belonged to the contact until this time. A phone number may later belong to another person.
  until timestamptz not null,
  is_archived boolean not null default false,
  archived_phone_key text generated always as (case when is_archived then app.phone_key(phone) end) stored,
  constraint contact_former_phones_once unique (company_id, contact_id, phone_key),
  constraint contact_former_phones_contact_fkey foreign key (company_id, contact_id)
    references public.contacts (company_id, id) on delete cascade
);
comment on table public.contact_former_phones is
  'The earlier and the additional phone numbers of a contact. An additional phone number is a number that the person '
  'uses besides the contact''s main number. The column `until` of an additional phone number is infinity. A message '
  'that the person sent from an earlier phone number still belongs to the contact.';
comment on column public.contact_former_phones.is_archived is
  'Whether the contact is archived. Lookups by phone number do not find an archived contact.';

create table public.contact_identities (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  contact_id uuid not null,
  -- The business-scoped user id of the person, which is the same for all accounts of a business portfolio.
  user_id text check (char_length(user_id) between 1 and 255),
  -- The business account that first received a message with this id.
  business_account_id text check (business_account_id ~ '^[0-9]{1,32}$'),
  seen_at timestamptz not null default now(),
  -- The user id of an archived contact.
  archived_user_id text,
  constraint contact_identities_once unique (company_id, user_id),
  constraint contact_identities_contact_fkey foreign key (company_id, contact_id)
    references public.contacts (company_id, id) on delete cascade,
  constraint contact_identities_kept check ((user_id is null) <> (archived_user_id is null))
);
comment on table public.contact_identities is
  'The ids that WhatsApp assigns to the people who message a company. A person with a new phone number gets another '
  'id.';
comment on column public.contact_identities.user_id is
  'The business-scoped user id by which the contact is found. Null when the contact is archived.';
comment on column public.contact_identities.archived_user_id is
  'The user_id that an archived contact had. When the contact is restored, it gets this user_id back, unless another '
  'contact has the same user_id by then.';

create table public.contact_identity_events (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  contact_id uuid not null,
  -- The kind `merged` means that another contact turned out to be the same person. The column `was` contains that
  -- contact's id. The kind `phone_taken` means that another contact has the new phone number, so the change is recorded
  -- but not applied.
  kind text not null check (kind in ('phone_changed', 'phone_taken', 'user_id_changed', 'merged')),
  was text,
  becomes text,
  happened_at timestamptz not null,
  constraint contact_identity_events_once unique nulls not distinct (company_id, contact_id, kind, was, becomes),
  constraint contact_identity_events_contact_fkey foreign key (company_id, contact_id)
    references public.contacts (company_id, id) on delete cascade
);
comment on table public.contact_identity_events is
  'The changes to the phone number and the ids of a contact, as reported by WhatsApp. Also records which contacts '
  'turned out to be the same person.';

-- This statistic makes the planner assume that all rows belong to one company. 30_contacts.sql explains why.
alter table public.contact_former_phones alter column company_id set (n_distinct = 1);
alter table public.contact_identities alter column company_id set (n_distinct = 1);
alter table public.contact_identity_events alter column company_id set (n_distinct = 1);

create index contact_identities_contact_idx on public.contact_identities (company_id, contact_id);
create index contact_former_phones_phone_idx on public.contact_former_phones (company_id, phone_key);
create index contact_former_phones_archived_idx on public.contact_former_phones (company_id, archived_phone_key)
  where archived_phone_key is not null;
create index contact_identities_archived_idx on public.contact_identities (company_id, archived_user_id)
  where archived_user_id is not null;

create function app.contacts_of_phones(own_company_id uuid, phones text[]) returns uuid[]
language plpgsql stable
set search_path = ''
as $$
begin
  return array(
    -- Each phone number has its own subquery, because the plan of a join may read all rows of the company.
    select coalesce(
      (select id from public.contacts where company_id = own_company_id and phone_key = app.phone_key(given.phone)),
      -- An additional phone number, which comes from a merged contact.
      (
        select contact_id from public.contact_former_phones
        where company_id = own_company_id and phone_key = app.phone_key(given.phone) and until = 'infinity'
        order by contact_id limit 1
      )
    )
    from unnest(phones) with ordinality as given (phone, place)
    order by place
  );
end
$$;
comment on function app.contacts_of_phones(uuid, text[]) is
  'Returns the contact for each phone number. A phone number may have any format, and may be an additional number of '
  'the contact. Returns null for a phone number without a contact.';

create function public.contact_id_by_phone(phone text) returns uuid
language sql stable security definer
set search_path = ''
as $$
  select (app.contacts_of_phones((select app.company_id('write')), array[contact_id_by_phone.phone]))[1]
$$;
comment on function public.contact_id_by_phone(text) is
  'Returns the contact of the key''s company that has this phone number. The phone number may have any format, and may '
  'be an additional number of the contact. Returns null when no contact has this phone number. Needs a write token.';
grant execute on function public.contact_id_by_phone(text) to api_client;

create function app.contacts_of_external_ids(own_company_id uuid, external_ids text[]) returns uuid[]
language plpgsql stable
set search_path = ''
as $$
begin
  return array(
    -- Each id has its own subquery, for the reason given in app.contacts_of_phones().
    select (
      select id from public.contacts
      where company_id = own_company_id and external_id = given.own_id and archived_at is null
    )
    from unnest(external_ids) with ordinality as given (own_id, place)
    order by place
  );
end
$$;
comment on function app.contacts_of_external_ids(uuid, text[]) is
  'Returns the contact for each external_id. Returns null for an external_id that no contact has, or that only '
  'archived contacts have.';

create function app.contacts_of_items(own_company_id uuid, items jsonb[], match text) returns uuid[]
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select case match
      when 'phone' then app.contacts_of_phones(own_company_id, keys)
      else app.contacts_of_external_ids(own_company_id, keys)
    end
    from (
      select array(select item ->> match from unnest(items) with ordinality as given (item, place) order by place)
    ) as asked (keys)
  );
end
$$;
comment on function app.contacts_of_items(uuid, jsonb[], text) is
  'Returns the contact for each item. The argument `match` is the field by which contacts are found: phone or '
  'external_id.';

create function public.contact_id_by_external_id(external_id text) returns uuid
language sql stable security definer
set search_path = ''
as $$
  select (app.contacts_of_external_ids(
    (select app.company_id('write')), array[contact_id_by_external_id.external_id]
  ))[1]
$$;
comment on function public.contact_id_by_external_id(text) is
  'Returns the contact of the key''s company that has this external_id and is not archived. Returns null when no such '
  'contact exists. Needs a write token.';
grant execute on function public.contact_id_by_external_id(text) to api_client;

-- If a caller searches for a merged contact's phone number, this function finds the surviving contact.
create function public.contacts_of_further_phones(phone_keys text[], with_archived boolean default false) returns uuid[]
-- Security definer, because a token cannot read the phone keys of additional phone numbers. So the function gets the
-- company from the API key.
language plpgsql stable security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('read');
begin
  return array(
    select contact_id from public.contact_former_phones
    where company_id = own_company_id and until = 'infinity' and phone_key = any (phone_keys)
    union
    select contact_id from public.contact_former_phones
    where with_archived and company_id = own_company_id and until = 'infinity'
      and archived_phone_key = any (phone_keys)
    order by contact_id
    limit 100
  );
end
$$;
comment on function public.contacts_of_further_phones(text[], boolean) is
  'Returns the contacts of the key''s company that have one of these phone numbers as an additional number, because '
  'another contact was merged into them. Needs a read token. Raises PT401 and PT403 as app.company_id() does.';
grant execute on function public.contacts_of_further_phones(text[], boolean) to api_client;

-- An additional phone number belongs to its contact, and no other contact can get it. Otherwise a company could contact
-- a person at that number although the person asked not to be contacted.
create function app.refuse_further_phone() returns trigger
-- Security definer, because a key or a user who writes a contact cannot read the additional phone numbers of other
-- contacts.
language plpgsql security definer
set search_path = ''
as $$
begin
  perform app.await_further_phones(new.company_id);
  if exists (
    select from public.contact_former_phones
    where company_id = new.company_id and phone_key = new.phone_key and until = 'infinity' and contact_id <> new.id
  ) then
    raise unique_violation using
      message = 'duplicate key value violates unique constraint "contacts_one_per_phone"',
      detail = 'The phone is an additional phone of another contact.',
      constraint = 'contacts_one_per_phone';
  end if;
  return null;
end
$$;
comment on function app.refuse_further_phone() is
  'Trigger: prevents keys and users from giving a contact another contact''s additional phone number. Also prevents '
  'them from restoring a contact whose phone number is now another contact''s additional number. Events from WhatsApp '
  'may move such a number, because WhatsApp knows who has the number.';

-- A restored contact gets its additional phone numbers back, except numbers that another contact has by then. A new
-- contact cannot have another contact's additional number. The checks of these two rules see only committed rows. So a
-- transaction that adds a contact waits while a contact with additional phones is being restored. This wait is rare,
-- and the transaction does not wait for anything else.
create function app.await_further_phones(of_company_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended(format('further phones %s', of_company_id), 0));
end
$$;
comment on function app.await_further_phones(uuid) is
  'Waits while a contact with additional phone numbers is being restored in the company. Until this transaction ends, '
  'no other transaction can restore such a contact. A query after this call finds the additional phone numbers of '
  'restored contacts.';

create function app.lock_further_phones(of_company_id uuid) returns void
language sql
set search_path = ''
as $$
  select pg_advisory_xact_lock(hashtextextended(format('further phones %s', of_company_id), 0))
$$;
comment on function app.lock_further_phones(uuid) is
  'Waits for transactions that are adding contacts to a company, and blocks later such transactions until this '
  'transaction ends.';

create function app.owner_of_phone(own_company_id uuid, phone text, at timestamptz) returns uuid
language plpgsql stable
set search_path = ''
as $$
begin
  return coalesce(
    -- The query finds the contact that had the phone number at that time. If several contacts had the number after that
    -- time, the query returns the contact that lost it first.
    (
      select contact_id from public.contact_former_phones
      where company_id = own_company_id and phone_key = app.phone_key(owner_of_phone.phone)
        and until >= at and until < 'infinity'
      order by until, contact_id limit 1
    ),
    (
      select id from public.contacts
      where company_id = own_company_id and phone_key = app.phone_key(owner_of_phone.phone)
    ),
    -- The phone number may be an additional number of a merged contact.
    (
      select contact_id from public.contact_former_phones
      where company_id = own_company_id and phone_key = app.phone_key(owner_of_phone.phone) and until = 'infinity'
      order by contact_id limit 1
    )
  );
end
$$;
comment on function app.owner_of_phone(uuid, text, timestamptz) is
  'Returns the contact that had this phone number at a given time, or null when no contact had it. A phone number may '
  'later belong to another person.';

create function app.has_taken_phone(own_company_id uuid, of_contact_id uuid, phone text) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return exists (
    select from public.contact_identity_events
    where company_id = own_company_id and contact_id = of_contact_id and kind = 'phone_taken'
      and app.phone_key(becomes) = app.phone_key(has_taken_phone.phone)
  );
end
$$;
comment on function app.has_taken_phone(uuid, uuid, text) is
  'Checks whether WhatsApp reported that a contact now has this phone number, although the number is stored for '
  'another contact. If so, the two contacts are different people.';

-- This trigger runs after the row is written, because the statement may have waited for a merge that gave the phone
-- number to another contact.
create trigger contacts_refuse_further_phone after update of phone on public.contacts
  for each row when (current_user in ('api_client', 'authenticated') and new.phone_key <> old.phone_key)
  execute function app.refuse_further_phone();
create trigger contacts_refuse_further_phone_when_added after insert on public.contacts
  for each row when (current_user in ('api_client', 'authenticated') and new.phone_key is not null)
  execute function app.refuse_further_phone();

-- A restored contact must not get another contact's additional phone number. This rule applies to users of the Data
-- API. It also applies to keys if a merge gives the number to the other contact at the same time. Otherwise a company
-- could contact a person at that number although the person asked not to be contacted.
--
-- This trigger runs after the row is written, because the statement may have waited for a merge that gave the phone
-- number to another contact. The trigger also runs for the platform, because app.unarchive_contact() has the platform's
-- privileges. After a refusal, that function searches again and finds the other contact.
create trigger contacts_refuse_further_phone_when_restored after update of archived_at on public.contacts
  for each row when (old.archived_at is not null and new.phone_key is not null)
  execute function app.refuse_further_phone();

alter table public.contact_identities enable row level security;
alter table public.contact_former_phones enable row level security;
alter table public.contact_identity_events enable row level security;
create policy "people read who their company's contacts are" on public.contact_identities
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "people read former phones of their company's contacts" on public.contact_former_phones
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "people read changes of phones and ids of their contacts" on public.contact_identity_events
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));

grant select on public.contact_identities to authenticated, service_role;
grant select on public.contact_former_phones to authenticated, service_role;
grant select on public.contact_identity_events to authenticated, service_role;

-- schemas/32_wishes.sql

-- A wish is a person's decision about whether a company may contact them. Members and keys of a company set
-- do_not_contact manually. The contacted person sets do_not_contact with the keyword "stop", and clears it with the
-- keyword "start". Keywords may arrive late, twice and in any order, but the same keywords always lead to the same
-- result. For a value that was set manually, the row has the source `manual` and the time of the change. For each
-- keyword, the row has the newest time. A trigger derives do_not_contact from these values.
--
-- A person may also opt out of marketing only, and members and keys may set marketing_opt_out manually. The newest
-- decision about marketing applies, even if a member recorded the decision, because members record decisions on the
-- person's behalf. The keyword "start" also ends an opt-out of marketing.
--
-- A wish belongs to both the phone number and the contact. When a contact gets another phone number, the contact keeps
-- the wish. The wish is also kept for the earlier phone number. So sends to the earlier number remain blocked, and the
-- next contact with that number inherits the wish.

create table app.kept_wishes (
  company_id uuid not null references public.companies on delete cascade,
  -- The hash of a phone key or of a WhatsApp user id. app.erased_digest() computes the hash.
  digest text not null check (digest ~ '^erased\.[0-9a-f]{64}$'),
  -- The property names of this object are names of columns of contacts.
  wishes jsonb not null check (jsonb_typeof(wishes) = 'object'),
  primary key (company_id, digest)
);
comment on table app.kept_wishes is
  'The wishes for phone numbers and ids that no contact has any more, because the person was erased or the contact got '
  'another phone number. These wishes are kept permanently.';

create function app.decide_do_not_contact() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    if new.do_not_contact and new.do_not_contact_source is null then
      new.do_not_contact_source := 'manual';
      new.do_not_contact_at := now();
    end if;
    return new;
  end if;
  -- Callers may not write the source or the time. So if only the opt-out changes, a user or a key changed the value
  -- manually.
  if new.do_not_contact <> old.do_not_contact
    and (new.do_not_contact_source, new.do_not_contact_at, new.stop_word_at, new.start_word_at)
      is not distinct from (old.do_not_contact_source, old.do_not_contact_at, old.stop_word_at, old.start_word_at)
  then
    new.do_not_contact_source := 'manual';
    new.do_not_contact_at := now();
  end if;
  -- A keyword does not undo a value that was set manually. The only exception is a "stop" that app.note_word() accepts.
  if new.stop_word_at is not null and new.do_not_contact_source is distinct from 'manual' then
    -- If the two keywords have the same time in seconds, "stop" wins.
    new.do_not_contact := new.start_word_at is null or new.stop_word_at >= new.start_word_at;
    new.do_not_contact_source := 'word';
    new.do_not_contact_at := case when new.do_not_contact then new.stop_word_at else new.start_word_at end;
  end if;
  return new;
end
$$;
comment on function app.decide_do_not_contact() is
  'Trigger: records a manual change of do_not_contact, and derives do_not_contact from the person''s keywords.';

create function app.note_word(own_company_id uuid, of_contact_id uuid, word text, at timestamptz) returns void
language sql
set search_path = ''
as $$
  update public.contacts set
    stop_word_at = case word when 'stop' then greatest(stop_word_at, at) else stop_word_at end,
    start_word_at = case word when 'start' then greatest(start_word_at, at) else start_word_at end,
    do_not_contact_source = case when takes_back then 'word' else do_not_contact_source end
  from (
    select id as of_id, (
      word = 'stop' and not do_not_contact and do_not_contact_source = 'manual'
      -- The time of a keyword is precise only to the second.
      and (at >= date_trunc('second', do_not_contact_at)) is not false
    ) is true as takes_back
    from public.contacts
    where company_id = own_company_id and id = of_contact_id
    for no key update
  ) as judged
  where company_id = own_company_id and id = of_id and (
    takes_back
    or at > coalesce(case word when 'stop' then stop_word_at when 'start' then start_word_at end, '-infinity')
  )
$$;
comment on function app.note_word(uuid, uuid, text, timestamptz) is
  'Records that a person sent the keyword "stop" or "start" at the given time. Does nothing if a newer time is stored '
  'for this keyword. After do_not_contact was set to false manually, a "stop" applies if the person sent it in the '
  'same second or later.';

create function app.decide_marketing_opt_out() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  -- Callers may not write the times. So if only the opt-out changes, a user or a key changed the value manually. In an
  -- insert, `old` is null.
  if new.marketing_opt_out <> coalesce(old.marketing_opt_out, false)
    and (new.marketing_stopped_at, new.marketing_resumed_at)
      is not distinct from (old.marketing_stopped_at, old.marketing_resumed_at)
  then
    if new.marketing_opt_out then
      new.marketing_stopped_at := greatest(now(), new.marketing_resumed_at);
      new.marketing_stop_source := 'manual';
    else
      -- If the stop and the resume have the same time, the stop wins.
      new.marketing_resumed_at := greatest(now(), new.marketing_stopped_at + interval '1 microsecond');
    end if;
  end if;
  new.marketing_opt_out :=
    coalesce(new.marketing_stopped_at >= coalesce(new.marketing_resumed_at, '-infinity'), false);
  return new;
end
$$;
comment on function app.decide_marketing_opt_out() is
  'Trigger: records a manual change of marketing_opt_out, and derives marketing_opt_out from the newest stop and '
  'resume.';

create function app.note_marketing(
  own_company_id uuid, of_contact_id uuid, is_stop boolean, source text, at timestamptz
) returns void
language plpgsql
set search_path = ''
as $$
begin
  if not is_stop then
    update public.contacts set marketing_resumed_at = note_marketing.at
    where company_id = own_company_id and id = of_contact_id
      and (marketing_resumed_at is null or marketing_resumed_at < note_marketing.at);
    return;
  end if;
  update public.contacts set
    marketing_stopped_at = greatest(
      note_marketing.at,
      -- The time is precise only to the second, so the stop may be later than a manual resume in the same second.
      case when note_marketing.at >= date_trunc('second', marketing_resumed_at) then marketing_resumed_at end
    ),
    marketing_stop_source = note_marketing.source
  where company_id = own_company_id and id = of_contact_id and (
    marketing_stopped_at is null or marketing_stopped_at < note_marketing.at
    -- If two stops have the same time, the result does not depend on their order of arrival.
    or marketing_stopped_at = note_marketing.at and marketing_stop_source > note_marketing.source
  );
end
$$;
comment on function app.note_marketing(uuid, uuid, boolean, text, timestamptz) is
  'Records that a person opted out of marketing or opted in again, at the time that WhatsApp reported. The newest '
  'decision applies, whatever the order of the events.';

create function app.wishes_of(contact public.contacts) returns jsonb
language sql immutable
set search_path = ''
as $$
  select jsonb_build_object(
    'do_not_contact', contact.do_not_contact,
    'do_not_contact_source', contact.do_not_contact_source,
    'do_not_contact_at', contact.do_not_contact_at,
    'stop_word_at', contact.stop_word_at,
    'start_word_at', contact.start_word_at,
    'marketing_stopped_at', contact.marketing_stopped_at,
    'marketing_stop_source', contact.marketing_stop_source,
    'marketing_resumed_at', contact.marketing_resumed_at
  )
$$;
comment on function app.wishes_of(public.contacts) is
  'Returns the wishes of a contact, in the form of app.kept_wishes.';

create function app.keep_wishes_of_phone() returns trigger
-- Security definer, because keys and users may not write kept wishes.
language plpgsql security definer
set search_path = ''
as $$
begin
  if app.phone_key(new.phone) is distinct from app.phone_key(old.phone) then
    perform app.keep_wishes(old.company_id, array[app.phone_key(old.phone)], app.wishes_of(old));
  end if;
  return null;
end
$$;
comment on function app.keep_wishes_of_phone() is
  'Trigger: when a contact gets another phone number, stores the contact''s wishes for the earlier phone number in '
  'app.kept_wishes.';

create function app.later_wishes(earlier jsonb, later jsonb) returns jsonb
language sql immutable
set search_path = ''
as $$
  -- If the person agreed to be contacted again, this decision has a time. The decision is kept, because it overrides an
  -- older stop of an archived contact.
  select case when wishes ->> 'do_not_contact_at' is not null or wishes ->> 'do_not_contact' = 'true'
    or stopped_at is not null
  then
    wishes || jsonb_build_object(
      'stop_word_at', greatest((earlier ->> 'stop_word_at')::timestamptz, (later ->> 'stop_word_at')::timestamptz),
      'start_word_at', greatest((earlier ->> 'start_word_at')::timestamptz, (later ->> 'start_word_at')::timestamptz),
      'marketing_stopped_at', stopped_at,
      'marketing_stop_source', case
        when (later ->> 'marketing_stopped_at')::timestamptz = stopped_at then later else earlier
      end -> 'marketing_stop_source',
      'marketing_resumed_at', resumed_at
    )
  end
  from (
    select
      case
        -- A decision without a time counts as the oldest.
        when earlier ->> 'do_not_contact' = 'true' and later ->> 'do_not_contact' = 'false' and coalesce(
          (later ->> 'do_not_contact_at')::timestamptz <= (earlier ->> 'do_not_contact_at')::timestamptz,
          later ->> 'do_not_contact_at' is null
        ) then earlier
        else later
      end as wishes,
      greatest((earlier ->> 'marketing_stopped_at')::timestamptz, (later ->> 'marketing_stopped_at')::timestamptz)
        as stopped_at,
      greatest((earlier ->> 'marketing_resumed_at')::timestamptz, (later ->> 'marketing_resumed_at')::timestamptz)
        as resumed_at
  ) as newest
$$;
comment on function app.later_wishes(jsonb, jsonb) is
  'Combines a person''s wishes from two contacts. For each kind of decision, the later decision applies. The earlier '
  'wishes may be null. Returns null when there are no wishes to keep.';

create function app.keep_wishes(own_company_id uuid, names text[], wishes jsonb) returns void
language sql
set search_path = ''
as $$
  with decided as materialized (
    select named.digest, app.later_wishes(earlier.wishes, keep_wishes.wishes) as wishes
    from (select distinct app.erased_digest(own_company_id, 'person', name) as digest from unnest(names) as name) as named
    left join app.kept_wishes as earlier on earlier.company_id = own_company_id and earlier.digest = named.digest
  ),
  taken_back as (
    delete from app.kept_wishes as kept using decided
    where kept.company_id = own_company_id and kept.digest = decided.digest and decided.wishes is null
  )
  insert into app.kept_wishes as kept (company_id, digest, wishes)
  select own_company_id, digest, decided.wishes from decided
  where decided.wishes is not null
  order by digest
  on conflict (company_id, digest) do update set wishes = excluded.wishes
$$;
comment on function app.keep_wishes(uuid, text[], jsonb) is
  'Stores the wishes of a contact for these phone keys and ids. Wishes that were stored earlier remain until the '
  'person revokes them.';

create trigger contacts_decide_do_not_contact
  before insert
    or update of do_not_contact, do_not_contact_source, do_not_contact_at, stop_word_at, start_word_at
  on public.contacts
  for each row execute function app.decide_do_not_contact();
-- Because of the `when` conditions below, most writes to contacts do not call the functions.
create trigger contacts_decide_marketing_opt_out_of_added before insert on public.contacts
  for each row when (new.marketing_opt_out or new.marketing_stopped_at is not null)
  execute function app.decide_marketing_opt_out();
create trigger contacts_decide_marketing_opt_out
  before update of marketing_opt_out, marketing_stopped_at, marketing_resumed_at on public.contacts
  for each row when (
    (new.marketing_opt_out, new.marketing_stopped_at, new.marketing_resumed_at)
      is distinct from (old.marketing_opt_out, old.marketing_stopped_at, old.marketing_resumed_at)
  )
  execute function app.decide_marketing_opt_out();
create trigger contacts_keep_wishes_of_phone after update of phone on public.contacts
  for each row when (old.phone is not null and new.phone is distinct from old.phone and new.erased_at is null)
  execute function app.keep_wishes_of_phone();

-- schemas/33_inherited_wishes.sql

-- A contact inherits wishes from archived contacts that had the same phone number or the same id. The contact also
-- inherits wishes from the table app.kept_wishes.

create function app.inherited_wishes(own_company_id uuid, names text[], but_not_of uuid) returns public.contacts
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  others public.contacts[];
  wishes public.contacts;
begin
  others := array(
    select contacts from public.contacts
    where company_id = own_company_id and archived_at is not null and id <> but_not_of and id in (
      select id from public.contacts
      where company_id = own_company_id and archived_phone_key = any (names)
      union all
      -- Only additional phone numbers are relevant, because an earlier phone number may belong to another person now.
      select contact_id from public.contact_former_phones
      where company_id = own_company_id and archived_phone_key = any (names) and until = 'infinity'
      union all
      select contact_id from public.contact_identities
      where company_id = own_company_id and archived_user_id = any (names)
    )
  ) || array(
    select jsonb_populate_record(null::public.contacts, wishes) from app.kept_wishes
    where company_id = own_company_id
      and digest = any (array(select app.erased_digest(own_company_id, 'person', name) from unnest(names) as name))
  );
  -- Most contacts have no wishes to inherit.
  if others = '{}' then
    return null;
  end if;
  select do_not_contact, do_not_contact_source, do_not_contact_at, stop_word_at, start_word_at
  into wishes.do_not_contact, wishes.do_not_contact_source, wishes.do_not_contact_at, wishes.stop_word_at,
    wishes.start_word_at
  from unnest(others)
  -- A decision without a time is treated as the oldest decision.
  order by do_not_contact_at desc nulls last, do_not_contact desc limit 1;
  select max(marketing_resumed_at) into wishes.marketing_resumed_at from unnest(others);
  select marketing_stopped_at, marketing_stop_source into wishes.marketing_stopped_at, wishes.marketing_stop_source
  from unnest(others) where marketing_stopped_at is not null
  order by marketing_stopped_at desc, marketing_stop_source limit 1;
  return wishes;
end
$$;
comment on function app.inherited_wishes(uuid, text[], uuid) is
  'Returns the newest wishes for these phone keys or ids, in the form of a contact. Looks in archived contacts and in '
  'app.kept_wishes. Returns null when there are no wishes.';

create function app.with_inherited_wishes(contact public.contacts, wins boolean) returns public.contacts
language plpgsql
set search_path = ''
as $$
declare
  -- If the contact has just got its phone number, wishes for other phone numbers are ignored.
  names constant text[] := app.phone_key(contact.phone) || case when not wins then array(
    select app.phone_key(phone) from public.contact_former_phones
    where company_id = contact.company_id and contact_id = contact.id and until = 'infinity'
    union all
    select coalesce(user_id, archived_user_id) from public.contact_identities
    where company_id = contact.company_id and contact_id = contact.id
  ) end;
  wishes constant public.contacts := app.inherited_wishes(contact.company_id, names, contact.id);
begin
  if wishes.do_not_contact and not contact.do_not_contact
    and (wins or contact.do_not_contact_at is null or wishes.do_not_contact_at > contact.do_not_contact_at)
  then
    contact.do_not_contact := true;
    contact.do_not_contact_source := wishes.do_not_contact_source;
    contact.do_not_contact_at := wishes.do_not_contact_at;
    -- The contact also inherits the times of the keywords. Otherwise a later "start" from another person, such as an
    -- earlier owner of the phone number, would end the wish.
    contact.stop_word_at := wishes.stop_word_at;
    contact.start_word_at := wishes.start_word_at;
  end if;
  if wishes.marketing_stopped_at >= coalesce(wishes.marketing_resumed_at, '-infinity')
    and (
      wins and not contact.marketing_opt_out
      or wishes.marketing_stopped_at
        > coalesce(greatest(contact.marketing_stopped_at, contact.marketing_resumed_at), '-infinity')
    )
  then
    contact.marketing_opt_out := true;
    contact.marketing_stopped_at := wishes.marketing_stopped_at;
    contact.marketing_stop_source := wishes.marketing_stop_source;
    contact.marketing_resumed_at := wishes.marketing_resumed_at;
  end if;
  return contact;
end
$$;
comment on function app.with_inherited_wishes(public.contacts, boolean) is
  'Returns a contact with its inherited wishes. The argument `wins` is true when the contact has just got its phone '
  'number. Then only the wishes for that phone number apply, even if the contact has a newer decision of its own. '
  'Otherwise the wishes for all its phone numbers and ids apply, unless the contact''s own decision is newer.';

create function app.pass_on_wishes(contact public.contacts, wins boolean) returns void
language plpgsql
set search_path = ''
as $$
declare
  inherited constant public.contacts := app.with_inherited_wishes(contact, wins);
begin
  if inherited is distinct from contact then
    update public.contacts set
      do_not_contact = inherited.do_not_contact,
      do_not_contact_source = inherited.do_not_contact_source,
      do_not_contact_at = inherited.do_not_contact_at,
      stop_word_at = inherited.stop_word_at,
      start_word_at = inherited.start_word_at,
      marketing_opt_out = inherited.marketing_opt_out,
      marketing_stopped_at = inherited.marketing_stopped_at,
      marketing_stop_source = inherited.marketing_stop_source,
      marketing_resumed_at = inherited.marketing_resumed_at
    where company_id = contact.company_id and id = contact.id;
  end if;
end
$$;
comment on function app.pass_on_wishes(public.contacts, boolean) is
  'Writes the wishes that app.with_inherited_wishes() returns for a contact.';

create function app.share_wishes(own_company_id uuid, of_contact_id uuid, with_phone text, at timestamptz) returns void
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  other_id constant uuid := app.owner_of_phone(own_company_id, with_phone, at);
  contact public.contacts;
begin
  if other_id <> of_contact_id then
    select * into contact from public.contacts where company_id = own_company_id and id = of_contact_id;
    if contact.do_not_contact or contact.marketing_opt_out_at is not null then
      perform app.keep_wishes(own_company_id, array[app.phone_key(with_phone)], app.wishes_of(contact));
      perform app.pass_on_wishes(contacts, false) from public.contacts
      where company_id = own_company_id and id = other_id;
    end if;
  end if;
end
$$;
comment on function app.share_wishes(uuid, uuid, text, timestamptz) is
  'If a person writes from a phone number that is stored for another contact, also applies the person''s wishes to '
  'that contact.';

create function app.inherit_wishes_of_added() returns trigger
-- Security definer, like the triggers below. A key or a user who writes a contact may not read archived contacts or a
-- person's keywords.
language plpgsql security definer
set search_path = ''
as $$
declare
  contact public.contacts;
begin
  -- The trigger runs after the rows are written. Until then, the insert may have waited for a transaction that archived
  -- an earlier contact with the same phone number.
  for contact in
    select contacts.*
    from added
    -- Each added row needs only one lookup per index.
    cross join lateral (
      (
        select from public.contacts as archived
        where archived.company_id = added.company_id and archived.archived_phone_key = added.phone_key
        limit 1
      )
      union all
      (
        select from public.contact_former_phones as former
        where former.company_id = added.company_id and former.archived_phone_key = added.phone_key
        limit 1
      )
      union all
      (
        select from app.kept_wishes as kept
        where kept.company_id = added.company_id
          and kept.digest = app.erased_digest(added.company_id, 'person', added.phone_key)
        limit 1
      )
      limit 1
    ) as known
    join public.contacts on contacts.id = added.id
  loop
    perform app.pass_on_wishes(contact, true);
  end loop;
  return null;
end
$$;
comment on function app.inherit_wishes_of_added() is
  'Trigger: copies wishes to new contacts: the wishes of archived contacts with the same phone number, and the kept '
  'wishes for this number. A function that returns new contacts must read them again after the insert.';

create function app.inherit_wishes() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  has_another_phone constant boolean := app.phone_key(new.phone) is distinct from app.phone_key(old.phone);
begin
  if not has_another_phone and old.archived_at is null then
    return new;
  elsif tg_when = 'BEFORE' then
    return app.with_inherited_wishes(new, has_another_phone);
  end if;
  perform app.pass_on_wishes(new, has_another_phone);
  return null;
end
$$;
comment on function app.inherit_wishes() is
  'Trigger: when a contact gets another phone number or is restored, copies the wishes of archived contacts and the '
  'kept wishes to this contact.';

create function app.inherit_wishes_by_user_id() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  contact public.contacts;
begin
  select * into contact from public.contacts
  where company_id = new.company_id and id = new.contact_id and archived_at is null;
  if found then
    perform app.pass_on_wishes(contact, false);
  end if;
  return null;
end
$$;
comment on function app.inherit_wishes_by_user_id() is
  'Trigger: when a contact gets an id, copies the wishes of archived contacts with the same id to this contact.';

create function app.pass_on_late_wishes() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  contact public.contacts;
begin
  select * into contact from public.contacts
  where company_id = new.company_id and phone_key = new.archived_phone_key;
  if found then
    perform app.pass_on_wishes(
      contact,
      -- As in app.note_word(), a "stop" applies unless the person certainly revoked the "stop" later.
      coalesce(
        new.do_not_contact and not old.do_not_contact
          and new.do_not_contact_at >= date_trunc('second', contact.do_not_contact_at),
        false
      )
    );
  end if;
  return null;
end
$$;
comment on function app.pass_on_late_wishes() is
  'Trigger: when an archived contact gets a late wish, such as a marketing opt-out, copies the wish to the contact '
  'that has the phone number now.';

create trigger contacts_inherit_wishes_when_added after insert on public.contacts
  referencing new table as added for each statement execute function app.inherit_wishes_of_added();
create trigger contacts_inherit_wishes before update of phone, archived_at on public.contacts
  for each row when (
    new.archived_at is null
    and (old.archived_at is not null or new.phone is not null and new.phone is distinct from old.phone)
  )
  execute function app.inherit_wishes();

-- This trigger also runs after the row is written, for the same reason as app.inherit_wishes_of_added().
create trigger contacts_inherit_late_wishes after update of phone, archived_at on public.contacts
  for each row when (
    new.archived_at is null
    and (old.archived_at is not null or new.phone is not null and new.phone is distinct from old.phone)
  )
  execute function app.inherit_wishes();
create trigger contact_identities_inherit_wishes after insert on public.contact_identities
  for each row when (new.user_id is not null) execute function app.inherit_wishes_by_user_id();
create trigger contacts_pass_on_late_wishes
  after update of do_not_contact, do_not_contact_at, marketing_stopped_at, marketing_resumed_at on public.contacts
  for each row when (old.archived_at is not null and new.archived_at is not null)
  execute function app.pass_on_late_wishes();

-- schemas/34_change_contacts.sql

-- Functions that change existing contacts, many with a few statements. The writes that find contacts by phone, by
-- external_id or by id use these functions.

create function app.fill_custom_fields(known jsonb, given jsonb) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  filled constant jsonb := known || coalesce(
    (
      select jsonb_object_agg(key, value) from jsonb_each(given)
      where coalesce(known -> key, 'null') in ('null', '""', '[]', '{}')
    ),
    '{}'
  );
begin
  -- The API measures compact JSON, as app.apply_patch() does.
  if octet_length(filled::text) > 16384
    and app.compact_json_bytes(filled) > greatest(16384, app.compact_json_bytes(known)) then
    raise check_violation using
      message = 'new row for relation "contacts" violates check constraint "contacts_custom_fields_check"',
      constraint = 'contacts_custom_fields_check';
  end if;
  return filled;
end
$$;
comment on function app.fill_custom_fields(jsonb, jsonb) is
  'Returns the stored custom fields, with the given values for fields that are missing or empty. Refuses custom fields '
  'that grow beyond the API''s 16 KiB, as a violation of contacts_custom_fields_check.';

create function app.custom_fields_in_turn(known jsonb, given jsonb, rule text) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  item jsonb;
  earlier jsonb;
  bytes integer;
  earlier_bytes integer;
begin
  for item in select turn -> 'custom_fields' from jsonb_array_elements(given) as turn where turn ? 'custom_fields' loop
    earlier := known;
    earlier_bytes := bytes;
    bytes := 0;
    known := case rule
      when 'patch' then app.merge_json(known, item)
      when 'merge' then app.merge_json(known, item)
      when 'keep' then app.fill_custom_fields(known, item)
      else item
    end;
    -- The API measures compact JSON, as app.apply_patch() does.
    if rule in ('patch', 'merge') and octet_length(known::text) > 16384 then
      bytes := app.compact_json_bytes(known);
    end if;
    -- An item that makes the custom fields too large fails, even if a later item makes them small again.
    if bytes > 16384 and bytes > coalesce(earlier_bytes, app.compact_json_bytes(earlier))
      or octet_length(known::text) > 32768
    then
      raise check_violation using
        message = 'new row for relation "contacts" violates check constraint "contacts_custom_fields_check"',
        constraint = 'contacts_custom_fields_check';
    end if;
  end loop;
  return known;
end
$$;
comment on function app.custom_fields_in_turn(jsonb, jsonb, text) is
  'Applies the items of a list in order, under a rule of app.change_contacts(), and returns the resulting custom '
  'fields. Refuses an item that makes the custom fields too large, as a violation of contacts_custom_fields_check.';

create function app.tags_in_turn(known text[], given jsonb, rule text) returns text[]
language plpgsql stable
set search_path = ''
as $$
declare
  item jsonb;
begin
  for item in select turn from jsonb_array_elements(given) as turn loop
    known := case
      when not item ? 'tags' then app.changed_tags(known, item -> 'add_tags', item -> 'remove_tags')
      when rule = 'merge' then app.changed_tags(known, item -> 'tags', null)
      when rule = 'keep' and known <> '{}' then known
      else array(select jsonb_array_elements_text(item -> 'tags'))
    end;
    -- An item that adds too many tags fails, even if a later item removes some of them.
    if cardinality(known) > 50 then
      raise check_violation using
        message = 'new row for relation "contacts" violates check constraint "contacts_tags_check"',
        constraint = 'contacts_tags_check';
    end if;
  end loop;
  return known;
end
$$;
comment on function app.tags_in_turn(text[], jsonb, text) is
  'Applies the items of a list in order, under a rule of app.change_contacts(), and returns the resulting tags. '
  'Refuses an item that adds too many tags, as a violation of contacts_tags_check.';

create function app.fields_in_turn(given jsonb, rule text) returns jsonb
language plpgsql immutable
set search_path = ''
as $$
begin
  if jsonb_array_length(given) = 1 then
    return given -> 0;
  end if;
  return (
    -- For each field, the last item with this field applies. The rule 'keep' never replaces a value, so the first item
    -- with a value for the field applies.
    select coalesce(
      jsonb_object_agg(key, value order by is_filling, case when is_filling then -place else place end), '{}'
    )
    from jsonb_array_elements(given) with ordinality as turns (turn, place)
    cross join jsonb_each(turn - 'custom_fields')
    cross join lateral (select rule = 'keep' and value not in ('null', '""', '[]')) as judged (is_filling)
  );
end
$$;
comment on function app.fields_in_turn(jsonb, text) is
  'Combines the items of a list into one item that has the same effect under a rule of app.change_contacts(). When '
  'there are several items, the result has no custom fields.';

create function app.change_contacts(own_company_id uuid, ids uuid[], items jsonb[], rule text) returns uuid[]
language plpgsql
set search_path = ''
as $$
declare
  these record;
  written uuid[];
  changed uuid[] := '{}';
begin
  for these in
    select array_agg(id) as ids, array_agg(app.fields_in_turn(turns, rule)) as items, array_agg(turns) as turns
    from (
      select id, round, jsonb_agg(item order by place) as turns
      from (
        select
          id, item, place,
          -- A wish belongs to the phone number that the contact has at the time of the write. So the items of a contact
          -- are applied in at most three rounds. The first round applies the items before the phone number changes. The
          -- second round applies the items up to the last change of the phone number. The third round applies the rest.
          case
            when phones = 0 or count(*) over (partition by id) = 1 or phones_until = 0 then 1
            when phones_until < phones or item ? 'phone' then 2
            else 3
          end as round
        from (
          select
            id, item, place, count(*) filter (where item ? 'phone') over (partition by id) as phones,
            count(*) filter (where item ? 'phone') over (partition by id order by place) as phones_until
          from unnest(ids, items) with ordinality as given (id, item, place)
          where id is not null
        ) as counted
      ) as numbered
      group by id, round
    ) as settled
    group by round
    order by round
  loop
    with changes as (
      update public.contacts set
        phone = wanted.phone,
        external_id = wanted.external_id,
        name = wanted.name,
        email = wanted.email,
        temperature = wanted.temperature,
        tags = wanted.tags,
        source = wanted.source,
        job_title = wanted.job_title,
        empresa = wanted.empresa,
        custom_fields = wanted.custom_fields,
        do_not_contact = wanted.do_not_contact,
        do_not_contact_source = case when is_decided then 'manual' else contacts.do_not_contact_source end,
        do_not_contact_at = case when is_decided then now() else contacts.do_not_contact_at end,
        marketing_opt_out = wanted.marketing_opt_out,
        is_active = wanted.is_active
      from (
        select
          known.id,
          case when item ? 'phone' then item ->> 'phone' else known.phone end as phone,
          case when item ? 'external_id' then item ->> 'external_id' else known.external_id end as external_id,
          case when item ? 'name' then item ->> 'name' else known.name end as name,
          case when item ? 'email' then item ->> 'email' else known.email end as email,
          case when item ? 'temperature' then item ->> 'temperature' else known.temperature end as temperature,
          case
            when item ?| '{tags,add_tags,remove_tags}' then app.tags_in_turn(known.tags, turns, rule) else known.tags
          end as tags,
          case when item ? 'source' then item ->> 'source' else known.source end as source,
          case when item ? 'job_title' then item ->> 'job_title' else known.job_title end as job_title,
          case when item ? 'empresa' then item ->> 'empresa' else known.empresa end as empresa,
          merged.custom_fields,
          case
            when item ? 'do_not_contact' then (item ->> 'do_not_contact')::boolean else known.do_not_contact
          end as do_not_contact,
          -- If items set a wish and then undo the wish, this is also a manual decision.
          item ? 'do_not_contact' and exists (
            select from jsonb_array_elements(turns) as turn
            where (turn ->> 'do_not_contact')::boolean <> known.do_not_contact
          ) as is_decided,
          coalesce((item ->> 'marketing_opt_out')::boolean, known.marketing_opt_out) as marketing_opt_out,
          case when item ? 'is_active' then (item ->> 'is_active')::boolean else known.is_active end as is_active
        from unnest(these.ids, these.items, these.turns) as given (id, whole_item, turns)
        -- Each item has its own lookup, because the plan of a join may read all rows of the company.
        cross join lateral (
          select * from public.contacts where company_id = own_company_id and contacts.id = given.id offset 0
        ) as known
        cross join lateral (
          select case when rule <> 'keep' then whole_item
            else whole_item - array[
              'temperature', 'source', 'do_not_contact', 'marketing_opt_out', 'is_active',
              case when known.external_id is not null then 'external_id' else '' end,
              case when known.name <> '' then 'name' else '' end,
              case when known.email <> '' then 'email' else '' end,
              case when known.tags <> '{}' then 'tags' else '' end,
              case when known.job_title <> '' then 'job_title' else '' end,
              case when known.empresa <> '' then 'empresa' else '' end
            ]
          end
        ) as taken (item)
        cross join lateral (
          -- The query computes this value once, and uses the value for both the comparison and the write.
          select app.custom_fields_in_turn(known.custom_fields, turns, rule) offset 0
        ) as merged (custom_fields)
      ) as wanted
      -- The lookup in `known` has checked that the row belongs to the company. The condition has only the id, so that
      -- the planner can choose only one index.
      where contacts.id = wanted.id
        -- An unchanged row gets no new version.
        and (
          is_decided
          or (
            contacts.phone, contacts.external_id, contacts.name, contacts.email, contacts.temperature, contacts.tags,
            contacts.source, contacts.job_title, contacts.empresa, contacts.custom_fields, contacts.do_not_contact,
            contacts.marketing_opt_out, contacts.is_active
          ) is distinct from (
            wanted.phone, wanted.external_id, wanted.name, wanted.email, wanted.temperature, wanted.tags,
            wanted.source, wanted.job_title, wanted.empresa, wanted.custom_fields, wanted.do_not_contact,
            wanted.marketing_opt_out, wanted.is_active
          )
        )
      returning contacts.id
    )
    select array_agg(id) into written from changes;
    changed := changed || written;
  end loop;
  return changed;
end
$$;
comment on function app.change_contacts(uuid, uuid[], jsonb[], text) is
  'Applies each item to the contact whose id is at the same array position. Skips an item with a null id. Applies '
  'several items of one contact in their order. Under the rule `update`, an item replaces the stored values. Under the '
  'rule `keep`, an item fills only values that are null or empty, and must not contain a phone. Under the rule '
  '`patch`, an item replaces the stored values, and custom_fields are merged (RFC 7396). Such an item may have '
  'add_tags and remove_tags. The rule `merge` also merges custom_fields, and adds the tags of an item to the stored '
  'tags. Returns the contacts that have changed. The caller must have locked the contacts.';

create function app.require_free_keys(own_company_id uuid, ids uuid[], items jsonb[]) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  taken text;
begin
  -- Each item has its own subquery here, because the plan of a join may read all rows of the company.
  if exists (select from unnest(items) as item where item ? 'phone') and exists (
    select from unnest(ids, items) as given (id, item)
    cross join lateral app.phone_key(item ->> 'phone') as own (key)
    where given.id is not null and own.key is not null
    group by own.key
    having count(distinct given.id) > 1 or bool_or(coalesce(
      (select owner.id from public.contacts as owner where owner.company_id = own_company_id and owner.phone_key = own.key)
        <> given.id,
      exists (
        select from public.contact_former_phones as further
        where further.company_id = own_company_id and further.phone_key = own.key and further.until = 'infinity'
          and further.contact_id <> given.id
      )
    ))
  ) then
    taken := 'phone';
  elsif exists (select from unnest(items) as item where item ? 'external_id') and exists (
    select from unnest(ids, items) as given (id, item)
    where given.id is not null and item ->> 'external_id' is not null
    group by item ->> 'external_id'
    having count(distinct given.id) > 1
      or bool_or((app.contacts_of_items(own_company_id, array[item], 'external_id'))[1] <> given.id)
  ) then
    taken := 'external_id';
  end if;
  if taken is not null then
    raise unique_violation using
      message = format('another contact has the %s, or several contacts would get it', taken),
      constraint = 'contacts_one_per_' || taken;
  end if;
end
$$;
comment on function app.require_free_keys(uuid, uuid[], jsonb[]) is
  'Refuses an item that gives its contact another contact''s phone or external_id. Also refuses items that give the '
  'same value to two contacts. The order of such items matters, so the calling function then writes the items one by '
  'one. Raises a violation of contacts_one_per_phone or contacts_one_per_external_id.';

create function app.refusal_of_contact(own_company_id uuid, item jsonb, broken text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  -- The unique field that breaks the constraint. Null when the constraint is of another kind.
  field constant text := substring(broken from '^contacts_one_per_(phone|external_id)$');
  existing_id uuid;
begin
  if field is null then
    return jsonb_build_object('status', 422, 'constraint', broken);
  end if;
  existing_id := (app.contacts_of_items(own_company_id, array[item], field))[1];
  return case when existing_id is not null
    then jsonb_build_object('status', 409, 'existing_id', existing_id, 'field', field) end;
end
$$;
comment on function app.refusal_of_contact(uuid, jsonb, text) is
  'Returns the result of an item that breaks a constraint. If another contact has the same value, this is { status: '
  '409, existing_id, field }. Otherwise it is { status: 422, constraint }. Returns null when the other contact no '
  'longer exists. The caller can then retry the item.';

-- schemas/35_put_contacts.sql

-- Functions that find contacts by phone or external_id, or add them. The field that `match` specifies identifies the
-- person, and the functions add a contact for an unknown person. They write many contacts with a few statements. Two
-- transactions with the same people cannot cause a deadlock. Each transaction adds its new contacts in the order of
-- their phone keys. Then the transaction locks the existing contacts in the order of their ids.

create function app.put_contacts_at_once(own_company_id uuid, items jsonb[], on_conflict text, match text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  other_field constant text := case match when 'phone' then 'external_id' else 'phone' end;
  has_own_ids constant boolean := exists (select from unnest(items) as item where item ? 'external_id');
  -- The items for existing contacts. They have no phone if the phone number of an existing contact must not change.
  changes jsonb[] := items;
  changed uuid[];
  -- The contact that was found for each item.
  met uuid[];
  locked uuid[];
  added uuid[] := '{}';
  -- The contact that was found for each item, or null if the item adds a contact.
  known uuid[];
begin
  -- A contact that is found by phone keeps the stored format of the phone number. Under the rule `keep`, no phone
  -- number changes.
  if on_conflict <> 'fail' and (match = 'phone' or on_conflict = 'keep') then
    changes := array(select item - 'phone' from unnest(items) with ordinality as given (item, place) order by place);
  end if;
  -- This wait must come before the function reads the existing contacts and before it locks any row.
  perform app.await_further_phones(own_company_id);
  loop
    met := app.contacts_of_items(own_company_id, items, match);
    if array_position(met, null) is not null then
      if match = 'external_id' and exists (select from unnest(items) as item where item ->> match is null) then
        raise check_violation using
          message = 'an item has no external_id', constraint = 'contacts_external_id_check';
      end if;
      -- Without this check, the statement below would skip the item again and again.
      if has_own_ids and exists (
        select from unnest(items, met) as given (item, person)
        where person is null and item ? other_field
          and (app.contacts_of_items(own_company_id, array[item], other_field))[1] is not null
      ) then
        raise unique_violation using
          message = 'another contact has the ' || other_field, constraint = 'contacts_one_per_' || other_field;
      end if;
      with written as (
        insert into public.contacts (
          company_id, phone, external_id, name, email, temperature, tags, source, job_title, empresa, custom_fields,
          do_not_contact, marketing_opt_out, is_active
        )
        select
          own_company_id, item ->> 'phone', item ->> 'external_id', item ->> 'name', item ->> 'email',
          coalesce(item ->> 'temperature', 'warm'),
          array(select jsonb_array_elements_text(item -> 'tags')),
          coalesce(item ->> 'source', 'api'), item ->> 'job_title', item ->> 'empresa',
          case on_conflict
            when 'merge' then app.merge_json('{}', coalesce(item -> 'custom_fields', '{}'))
            else coalesce(item -> 'custom_fields', '{}')
          end,
          coalesce((item ->> 'do_not_contact')::boolean, false),
          coalesce((item ->> 'marketing_opt_out')::boolean, false),
          coalesce((item ->> 'is_active')::boolean, true)
        from (
          select distinct on (key) item, phone_key
          from unnest(items, met) with ordinality as given (item, person, place)
          cross join lateral app.phone_key(item ->> 'phone') as own (phone_key)
          cross join lateral (select case match when 'phone' then phone_key else item ->> match end) as found_by (key)
          where person is null
          order by key, place
        ) as unknown
        order by phone_key
        -- If another transaction is adding the same person, this statement waits for that transaction.
        on conflict do nothing
        returning id
      )
      select added || array_agg(id) into added from written;
      continue;
    end if;
    -- The loop ends when the lookup finds only contacts that this transaction has locked or added. Before a contact is
    -- locked, another transaction may merge or delete it, or change its phone number.
    exit when on_conflict = 'fail' or met is not distinct from locked or met <@ added;
    locked := met;
    if match = 'external_id' then
      perform app.lock_contacts_to_patch(own_company_id, array(
        select item || jsonb_build_object('id', id) from unnest(changes, locked) as given (item, id)
      ));
    else
      perform from public.contacts
      where company_id = own_company_id and id = any (locked) and id <> all (added)
      order by id for no key update;
    end if;
  end loop;

  known := array(
    select case when person <> all (added) or row_number() over (partition by person order by place) > 1 then person end
    from unnest(met) with ordinality as given (person, place)
    order by place
  );
  if on_conflict <> 'fail' then
    if has_own_ids and on_conflict <> 'keep' then
      perform app.require_free_keys(own_company_id, known, changes);
    end if;
    changed := app.change_contacts(own_company_id, known, changes, on_conflict);
  end if;
  return coalesce(
    (
      select jsonb_agg(
        case
          when known_id is null then jsonb_build_object('status', 201, 'id', person)
          when on_conflict = 'fail' then jsonb_build_object('status', 409, 'existing_id', person, 'field', match)
          when person = any (changed) then jsonb_build_object('status', 200, 'id', person)
          else jsonb_build_object('status', 304, 'id', person)
        end
        order by place
      )
      from unnest(met, known) with ordinality as given (person, known_id, place)
    ),
    '[]'
  );
end
$$;
comment on function app.put_contacts_at_once(uuid, jsonb[], text, text) is
  'Writes all items, as app.put_contacts() does, if no item violates a constraint. Otherwise raises the error and '
  'writes nothing.';

create function app.put_contacts_one_by_one(own_company_id uuid, items jsonb[], on_conflict text, match text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  -- Few items violate a constraint. Writing items one by one takes many times as long as writing them in a set.
  set_size constant integer := 25;
  -- The function locks the rows in the order that the comment at the top of this file describes. Items for the same
  -- person keep their order.
  places constant integer[] := array(
    select place
    from unnest(items, app.contacts_of_items(own_company_id, items, match)) with ordinality as given (item, person, place)
    order by person nulls first, case when person is null then app.phone_key(item ->> 'phone') end, place
  );
  results jsonb[] := array_fill(null::jsonb, array[cardinality(items)]);
  this_set integer[];
  of_set jsonb;
  this_place integer;
  broken text;
begin
  for turn in 1 .. cardinality(places) loop
    if turn % set_size = 1 then
      begin
        this_set := places[turn : turn + set_size - 1];
        of_set := app.put_contacts_at_once(
          own_company_id,
          array(select items[place] from unnest(this_set) with ordinality as given (place, turn) order by given.turn),
          on_conflict, match
        );
        for turn_of_set in 1 .. cardinality(this_set) loop
          results[this_set[turn_of_set]] := of_set -> turn_of_set - 1;
        end loop;
      exception when integrity_constraint_violation then
        null;
      end;
    end if;
    this_place := places[turn];
    while results[this_place] is null loop
      begin
        results[this_place] :=
          app.put_contacts_at_once(own_company_id, items[this_place:this_place], on_conflict, match) -> 0;
      exception when integrity_constraint_violation then
        get stacked diagnostics broken = constraint_name;
        results[this_place] := app.refusal_of_contact(own_company_id, items[this_place], broken);
      end;
    end loop;
  end loop;
  return to_jsonb(results);
end
$$;
comment on function app.put_contacts_one_by_one(uuid, jsonb[], text, text) is
  'Writes the items in small sets, and otherwise works as app.put_contacts() does. If an item violates a constraint, '
  'the items of its set are written one by one, so that only this item fails.';

create function app.put_contacts(own_company_id uuid, items jsonb[], on_conflict text, match text default 'phone')
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  is_one_by_one boolean := false;
  waits integer := 0;
begin
  if on_conflict in ('update', 'merge', 'keep', 'fail') is not true then
    raise exception 'on_conflict is update, merge, keep or fail';
  elsif match in ('phone', 'external_id') is not true then
    raise exception 'match is phone or external_id';
  end if;
  loop
    begin
      if is_one_by_one then
        return app.put_contacts_one_by_one(own_company_id, items, on_conflict, match);
      end if;
      return app.put_contacts_at_once(own_company_id, items, on_conflict, match);
    exception
      when integrity_constraint_violation then
        if is_one_by_one then
          raise;
        end if;
        is_one_by_one := true;
      -- A transaction that changes phone numbers acquires its locks in another order. This transaction releases its
      -- locks here, so that the other transaction can end. Both transactions have the same timeout, so either of them
      -- may fail first.
      when deadlock_detected or lock_not_available then
        waits := waits + 1;
        if waits = 3 or cardinality(items) = 1 then
          raise;
        end if;
    end;
  end loop;
end
$$;
comment on function app.put_contacts(uuid, jsonb[], text, text) is
  'Adds a contact for each item { phone, external_id?, … } whose phone number no contact has. For all other items, '
  'finds the contact. The phone number may have any format, and may be an additional number. If `match` is '
  'external_id, contacts are found by external_id, and the phone is an ordinary field. The argument on_conflict '
  'specifies how existing contacts change. The values `update`, `merge` and `keep` are rules of app.change_contacts(). '
  'With `fail`, existing contacts do not change. If two items are for the same person, the later item finds the '
  'contact of the earlier item. Returns a result for each item, in order: { status, id }, or what '
  'app.refusal_of_contact() returns. The status is 201 for a new contact, 200 for a changed one, and 304 for a contact '
  'that already had the values of the item.';

-- schemas/36_contact_writes.sql

-- API keys use these functions to write one or more contacts per call. Contacts are found by phone or external_id, or
-- by id for a merge patch.

create function app.with_contact_rows(own_company_id uuid, results jsonb, replayed boolean) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  -- The maximum size of a response. A page of a list has the same limit.
  max_bytes constant integer := 1048576;
  answered json;
begin
  select coalesce(
    json_agg(
      case
        when result ->> 'status' not in ('200', '201', '304') then result::json
        when contacts.id is null then '{"status": 404}'
        else json_build_object(
          'status', result -> 'status', 'id', contacts.id, 'data', app.contact_json(contacts)
        )
      end
      order by place
    ),
    '[]'
  )
  into answered
  from (
    select
      result, place, coalesce(
        -- If the contact was merged since the earlier request, the result contains the surviving contact.
        case when replayed then (
          select merged_into from public.deleted_rows
          where company_id = own_company_id and resource = 'contacts' and id = (result ->> 'id')::uuid
        ) end,
        (result ->> 'id')::uuid
      ) as met
    from jsonb_array_elements(results) with ordinality as given (result, place)
  ) as given
  left join public.contacts
    on contacts.company_id = own_company_id and contacts.id = met and result ->> 'status' in ('200', '201', '304');

  if octet_length(answered::text) <= max_bytes then
    return json_build_object(
      'replayed', replayed, 'undone', false, 'without_custom_fields', false, 'results', answered
    );
  end if;
  return json_build_object(
    'replayed', replayed, 'undone', false, 'without_custom_fields', true, 'results',
    (
      select json_agg(result #- '{data,custom_fields}' order by place)
      from jsonb_array_elements(answered::jsonb) with ordinality as given (result, place)
    )
  );
end
$$;
comment on function app.with_contact_rows(uuid, jsonb, boolean) is
  'Returns the result of a write: { replayed, undone, without_custom_fields, results }. Each successful result '
  'contains the current contact. If the contact no longer exists, the status is 404. If the results would be larger '
  'than 1 MiB, no contact has custom_fields.';

create function app.require_contact_version(
  own_company_id uuid, item jsonb, match text, accepted_versions bigint[]
) returns void
language plpgsql
set search_path = ''
as $$
declare
  person uuid;
  present bigint;
begin
  loop
    person := (app.contacts_of_items(own_company_id, array[item], match))[1];
    if person is null then
      raise sqlstate 'PT412' using message = 'No contact has this ' || match;
    end if;
    -- The lock keeps the version unchanged until the end of the write. During the wait for the lock, another
    -- transaction may delete the contact or change its phone number.
    select version into present from public.contacts
    where company_id = own_company_id and id = person
    for no key update;
    exit when found and (app.contacts_of_items(own_company_id, array[item], match))[1] = person;
  end loop;
  if present <> all (accepted_versions) then
    raise sqlstate 'PT412' using
      message = 'The row has another version: it was changed after that version was read', detail = present::text;
  end if;
end
$$;
comment on function app.require_contact_version(uuid, jsonb, text, bigint[]) is
  'Raises PT412 when no contact has the item''s phone or external_id, or when the contact''s version is not among the '
  'accepted versions. Null accepts any version. The detail is the current version of the contact.';

create function app.lock_contacts_to_patch(own_company_id uuid, items jsonb[]) returns void
language plpgsql
set search_path = ''
as $$
begin
  -- A new phone key needs the stronger lock, which blocks new deals of the contact. The locks are acquired here, in
  -- order, and not when the rows are changed. Otherwise a deadlock could occur: a change would wait for a deal, and the
  -- deal would wait for another contact of this batch.
  if exists (
    select from unnest(items) as given (item)
    where item ? 'phone' and exists (
      select from public.contacts
      where company_id = own_company_id and id = (item ->> 'id')::uuid
        and phone_key is distinct from app.phone_key(item ->> 'phone')
    )
  ) then
    perform from public.contacts
    where company_id = own_company_id and id = any (array(select (item ->> 'id')::uuid from unnest(items) as given (item)))
    order by id for update;
  else
    perform from public.contacts
    where company_id = own_company_id and id = any (array(select (item ->> 'id')::uuid from unnest(items) as given (item)))
    order by id for no key update;
  end if;
end
$$;
comment on function app.lock_contacts_to_patch(uuid, jsonb[]) is
  'Locks the contacts of items { id, phone?, … } in the order of their ids. If an item changes a phone key, acquires '
  'the stronger lock for all of these contacts.';

create function app.patch_contacts_at_once(own_company_id uuid, items jsonb[]) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  ids uuid[];
  changed uuid[];
begin
  perform app.lock_contacts_to_patch(own_company_id, items);
  -- This wait comes after the rows are locked. If another transaction is restoring one of these contacts, that
  -- transaction already holds the lock for which this call waits.
  perform app.await_further_phones(own_company_id);
  -- Here and below, each item has its own subquery, because the plan of a join may read all rows of the company.
  ids := array(
    select (
      select id from public.contacts
      where company_id = own_company_id and id = (item ->> 'id')::uuid and archived_at is null
    )
    from unnest(items) with ordinality as given (item, place)
    order by place
  );

  perform app.require_free_keys(own_company_id, ids, items);
  changed := app.change_contacts(own_company_id, ids, items, 'patch');
  return coalesce(
    (
      select jsonb_agg(
        case
          when id = any (changed) then jsonb_build_object('status', 200, 'id', id)
          when id is not null then jsonb_build_object('status', 304, 'id', id)
          when survivor is not null then jsonb_build_object('status', 409, 'existing_id', survivor, 'merged', true)
          else jsonb_build_object('status', 404)
        end
        order by place
      )
      from unnest(ids, items) with ordinality as given (id, item, place)
      cross join lateral (
        select case when id is null then app.survivor_of(own_company_id, (item ->> 'id')::uuid) end
      ) as merged (survivor)
    ),
    '[]'
  );
end
$$;
comment on function app.patch_contacts_at_once(uuid, jsonb[]) is
  'Writes all items, as app.patch_contacts() does, if no item violates a constraint. Otherwise raises the error and '
  'writes nothing.';

create function app.patch_contacts_one_by_one(own_company_id uuid, items jsonb[]) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  -- Few items violate a constraint. Writing items one by one takes many times as long as writing them in a set.
  set_size constant integer := 25;
  results jsonb[] := array_fill(null::jsonb, array[cardinality(items)]);
  this_place integer;
  this_set jsonb[];
  broken text;
begin
  perform app.lock_contacts_to_patch(own_company_id, items);
  for this_place in 1 .. cardinality(items) loop
    if this_place % set_size = 1 then
      begin
        this_set := items[this_place : this_place + set_size - 1];
        results[this_place : this_place + cardinality(this_set) - 1] := array(
          select jsonb_array_elements(app.patch_contacts_at_once(own_company_id, this_set))
        );
      exception when integrity_constraint_violation then
        null;
      end;
    end if;
    while results[this_place] is null loop
      begin
        results[this_place] := app.patch_contacts_at_once(own_company_id, items[this_place:this_place]) -> 0;
      exception when integrity_constraint_violation then
        get stacked diagnostics broken = constraint_name;
        results[this_place] := app.refusal_of_contact(own_company_id, items[this_place], broken);
      end;
    end loop;
  end loop;
  return to_jsonb(results);
end
$$;
comment on function app.patch_contacts_one_by_one(uuid, jsonb[]) is
  'Writes the items in small sets, and otherwise works as app.patch_contacts() does. If an item violates a constraint, '
  'the items of its set are written one by one, so that only this item fails.';

create function app.patch_contacts(own_company_id uuid, items jsonb[]) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  is_one_by_one boolean := false;
  waits integer := 0;
begin
  loop
    begin
      if is_one_by_one then
        return app.patch_contacts_one_by_one(own_company_id, items);
      end if;
      return app.patch_contacts_at_once(own_company_id, items);
    exception
      when integrity_constraint_violation then
        if is_one_by_one then
          raise;
        end if;
        is_one_by_one := true;
      -- Two transactions that swap phone numbers wait for each other. This transaction releases its locks here, so that
      -- the other transaction can end. Both transactions have the same timeout, so either of them may fail first.
      when deadlock_detected or lock_not_available then
        waits := waits + 1;
        if waits = 3 or cardinality(items) = 1 then
          raise;
        end if;
    end;
  end loop;
end
$$;
comment on function app.patch_contacts(uuid, jsonb[]) is
  'Changes the contact with the id of each item { id, … }. The other fields of the item are a JSON Merge Patch. Items '
  'for the same contact are applied in their order. Returns a result for each item, in order. The result is { status: '
  '200, id } for a changed contact, and { status: 304, id } for a contact that already had the values of the item. It '
  'is { status: 404 } when the company has no such contact, and { status: 409, existing_id, field } when another '
  'contact has the phone or the external_id. It is { status: 422, constraint } when the item violates that constraint.';

create function public.patch_contacts(items jsonb[], atomic boolean default false) returns json
-- Security definer, for the same reason as write_contacts().
language plpgsql security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('write');
  results jsonb;
begin
  begin
    results := app.patch_contacts(own_company_id, items);
    perform app.require_all(results, atomic);
  exception when sqlstate 'CRM01' then
    return app.undone(results);
  end;
  return app.with_contact_rows(own_company_id, results, false);
end
$$;
comment on function public.patch_contacts(jsonb[], boolean) is
  'Changes contacts by merge patches { id, … } for a key, as app.patch_contacts() does. Returns what write_contacts() '
  'returns.';
grant execute on function public.patch_contacts(jsonb[], boolean) to api_client;

create function public.write_contacts(
  items jsonb[],
  on_conflict text default 'fail',
  atomic boolean default false,
  accepted_versions bigint[] default null,
  must_exist boolean default false,
  idempotency jsonb default null,
  match text default 'phone'
) returns json
-- Security definer, because a key cannot read phone keys or claim idempotency keys. So the function gets the company
-- from the API key, and lists each column that it writes.
language plpgsql security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('write');
  results jsonb;
  is_replayed boolean := false;
begin
  begin
    results := app.claim_idempotency_key(own_company_id, idempotency);
    is_replayed := results is not null;
    if not is_replayed then
      if must_exist or accepted_versions is not null then
        perform app.require_contact_version(own_company_id, items[1], match, accepted_versions);
      end if;
      results := app.put_contacts(own_company_id, items, on_conflict, match);
      perform app.require_all(results, atomic);
      if idempotency is not null then
        perform app.keep_outcome(own_company_id, idempotency, results);
      end if;
    end if;
  exception when sqlstate 'CRM01' then
    return app.undone(results);
  end;
  return app.with_contact_rows(own_company_id, results, is_replayed);
end
$$;
comment on function public.write_contacts(jsonb[], text, boolean, bigint[], boolean, jsonb, text) is
  'Writes the contacts of items { phone, … } for a key, as app.put_contacts() does. If `atomic` is true and one item '
  'fails, nothing is written. accepted_versions and must_exist are conditions for a write of one item. Returns { '
  'replayed, undone, without_custom_fields, results }. Each successful result contains the contact in the field '
  '`data`.';
grant execute on function public.write_contacts(jsonb[], text, boolean, bigint[], boolean, jsonb, text) to api_client;

-- schemas/37_persons.sql

-- Functions that find the contact of a message's sender by phone number or business-scoped user id. Each of these two
-- values identifies one person, and an event may lack one of them. Events may arrive in any order, so the result must
-- not depend on the order.

create table public.user_id_changes (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  was text not null check (char_length(was) between 1 and 255),
  becomes text not null check (char_length(becomes) between 1 and 255),
  phone text check (phone ~ '^\+[1-9][0-9]{6,14}$'),
  phone_key text generated always as (app.phone_key(phone)) stored,
  happened_at timestamptz not null,
  constraint user_id_changes_once unique (company_id, was, becomes)
);
comment on table public.user_id_changes is
  'Changes of user ids that WhatsApp reported before the company knew either id. A later message from either id, or '
  'from the phone number, is from the same person.';

create index user_id_changes_becomes_idx on public.user_id_changes (company_id, becomes);
create index user_id_changes_phone_idx on public.user_id_changes (company_id, phone_key);

create function app.one_person(own_company_id uuid, one uuid, another uuid) returns uuid
language plpgsql
set search_path = ''
as $$
declare
  are_there constant boolean := app.lock_both(own_company_id, one, another);
  survivor uuid;
begin
  select id into survivor from public.contacts
  where company_id = own_company_id and id in (one, another)
  order by archived_at is not null, phone is null, created_at, id limit 1;
  if are_there then
    perform app.merge_contacts(own_company_id, survivor, case survivor when one then another else one end);
  end if;
  return survivor;
end
$$;
comment on function app.one_person(uuid, uuid, uuid) is
  'Merges two contacts and returns the survivor. The contact with a phone number survives. If both contacts have a '
  'phone number, or neither has, the older contact survives. If one of the contacts is archived, merges nothing and '
  'returns the other contact.';

create function app.learn_user_id(
  own_company_id uuid, of_contact_id uuid, new_user_id text, at_business_account_id text, at timestamptz
) returns uuid
language plpgsql
set search_path = ''
as $$
declare
  learned_by uuid := of_contact_id;
  owner uuid;
  change record;
begin
  insert into public.contact_identities as known (company_id, contact_id, user_id, business_account_id, seen_at)
  values (own_company_id, of_contact_id, new_user_id, at_business_account_id, at)
  on conflict on constraint contact_identities_once do update set
    seen_at = least(known.seen_at, excluded.seen_at)
  returning contact_id into owner;
  if owner <> of_contact_id then
    if not app.has_taken_phone(own_company_id, of_contact_id, (
      select phone from public.contacts where company_id = own_company_id and id = owner
    )) then
      return app.one_person(own_company_id, of_contact_id, owner);
    end if;
    -- The person wrote with this id from a new phone number that is stored for another contact.
    update public.contact_identities set contact_id = of_contact_id
    where company_id = own_company_id and user_id = new_user_id;
    perform app.keep_wishes(own_company_id, array[new_user_id], app.wishes_of(contacts)) from public.contacts
    where company_id = own_company_id and id = owner;
    perform app.pass_on_wishes(contacts, false) from public.contacts
    where company_id = own_company_id and id = of_contact_id;
    -- The other contact still has the phone number, so it does not need an id.
    update public.contacts set has_identity = false
    where company_id = own_company_id and id = owner and phone is not null and not exists (
      select from public.contact_identities where company_id = own_company_id and contact_id = owner
    );
  end if;
  update public.contacts set has_identity = true
  where company_id = own_company_id and id = of_contact_id and not has_identity;

  for change in
    delete from public.user_id_changes
    where company_id = own_company_id and new_user_id in (was, becomes)
    returning was, becomes, happened_at
  loop
    learned_by := app.learn_user_id(
      own_company_id, learned_by,
      case new_user_id when change.was then change.becomes else change.was end,
      at_business_account_id, change.happened_at
    );
    insert into public.contact_identity_events (company_id, contact_id, kind, was, becomes, happened_at)
    values (own_company_id, learned_by, 'user_id_changed', change.was, change.becomes, change.happened_at)
    on conflict on constraint contact_identity_events_once do nothing;
  end loop;
  return learned_by;
end
$$;
comment on function app.learn_user_id(uuid, uuid, text, text, timestamptz) is
  'Records that a contact has an id. If another contact already has the id, the two contacts are merged, unless '
  'app.has_taken_phone() shows that they are different people. Returns the contact that then has the id.';

create function app.known_person(own_company_id uuid, person jsonb, at timestamptz) returns uuid
language plpgsql stable
set search_path = ''
as $$
begin
  return coalesce(
    (
      select contact_id from public.contact_identities
      where company_id = own_company_id and user_id = person ->> 'user_id'
    ),
    app.owner_of_phone(own_company_id, person ->> 'phone', at)
  );
end
$$;
comment on function app.known_person(uuid, jsonb, timestamptz) is
  'Returns the contact of a person { phone, user_id } who wrote at the given time, or null when no such contact '
  'exists. Changes nothing.';

create function app.find_person(account_id uuid, person jsonb, at timestamptz) returns uuid
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id uuid;
  own_business_account_id text;
  said_at constant timestamptz := least(coalesce(find_person.at, now()), now());
  their_phone constant text := substring(person ->> 'phone' from '^\+[1-9][0-9]{6,14}$');
  their_user_id constant text := nullif(left(person ->> 'user_id', 255), '');
  their_name constant text := nullif(btrim(left(person ->> 'name', 255)), '');
  by_user_id record;
  by_phone uuid;
  contact public.contacts;
  is_new boolean;
  takes_phone boolean;
  takes_name boolean;
  learns_user_id boolean;
  told_user_id text;
  told_at timestamptz;
begin
  select company_id, business_account_id into own_company_id, own_business_account_id
  from public.messaging_accounts where id = account_id;
  if own_company_id is null or coalesce(their_phone, their_user_id) is null then
    return null;
  end if;

  for tries in 1..10 loop
    select contact_id, seen_at into by_user_id from public.contact_identities
    where company_id = own_company_id and user_id = their_user_id;
    by_phone := app.owner_of_phone(own_company_id, their_phone, said_at);
    if (by_user_id.contact_id <> by_phone) is true
      and not app.has_taken_phone(own_company_id, by_user_id.contact_id, their_phone)
    then
      if app.lock_both(own_company_id, by_phone, by_user_id.contact_id) then
        -- The contact with the phone number survives, because the company works with that contact.
        perform app.merge_contacts(own_company_id, by_phone, by_user_id.contact_id);
      end if;
      continue;
    end if;

    -- This statement waits for a transaction that merges, archives or deletes the contact.
    select * into contact from public.contacts
    where company_id = own_company_id and id = coalesce(by_user_id.contact_id, by_phone) and archived_at is null
    for no key update;
    if contact.id is null and coalesce(by_user_id.contact_id, by_phone) is not null then
      continue;
    end if;
    -- During the wait, the contact's phone number may have changed.
    continue when by_phone = contact.id and contact.phone_key is distinct from app.phone_key(their_phone)
      and app.owner_of_phone(own_company_id, their_phone, said_at) is distinct from by_phone;
    if by_phone is null and contact.phone is not null and their_phone is not null then
      -- The person uses this phone number in addition to the stored phone number. A transaction that adds a contact
      -- with the number either waits or has already added the contact.
      perform app.lock_further_phones(own_company_id);
      continue when app.owner_of_phone(own_company_id, their_phone, said_at) is not null;
      insert into public.contact_former_phones (company_id, contact_id, phone, until)
      values (own_company_id, contact.id, their_phone, 'infinity')
      on conflict on constraint contact_former_phones_once do update set until = excluded.until;
      perform app.pass_on_wishes(contact, false);
    elsif by_phone <> contact.id then
      perform app.share_wishes(own_company_id, contact.id, their_phone, said_at);
    end if;

    is_new := contact.id is null;
    takes_phone := contact.phone is null and by_phone is null and their_phone is not null;
    -- The contact gets the earliest profile name, whatever the order of the messages. A profile name never replaces a
    -- name that the company set.
    takes_name := their_name is not null and (
      contact.name is null
      or (said_at, their_name collate "C") < (contact.profile_name_at, contact.name collate "C")
    );
    learns_user_id := their_user_id is not null
      and (by_user_id.contact_id is null or said_at < by_user_id.seen_at);
    if not is_new and not takes_phone and not coalesce(takes_name, false) and not learns_user_id then
      return contact.id;
    end if;

    begin
      if is_new then
        insert into public.contacts (company_id, phone, name, profile_name_at, source, has_identity)
        values (
          own_company_id, their_phone, their_name, case when takes_name then said_at end, 'whatsapp',
          their_user_id is not null
        )
        returning * into contact;
      elsif takes_phone or takes_name then
        update public.contacts set
          phone = case when takes_phone then their_phone else phone end,
          name = case when takes_name then their_name else name end,
          profile_name_at = case when takes_name then said_at else profile_name_at end
        where company_id = own_company_id and id = contact.id;
      end if;
      if is_new and learns_user_id then
        -- If the person has no phone number, only this row prevents two transactions from adding two contacts.
        insert into public.contact_identities (company_id, contact_id, user_id, business_account_id, seen_at)
        values (own_company_id, contact.id, their_user_id, own_business_account_id, said_at);
      end if;
      if learns_user_id then
        contact.id := app.learn_user_id(
          own_company_id, contact.id, their_user_id, own_business_account_id, said_at
        );
      end if;
      if is_new or takes_phone then
        for told_user_id, told_at in
          select was, happened_at from public.user_id_changes
          where company_id = own_company_id and phone_key = app.phone_key(their_phone)
        loop
          contact.id := app.learn_user_id(
            own_company_id, contact.id, told_user_id, own_business_account_id, told_at
          );
        end loop;
      end if;
      return contact.id;
    exception when unique_violation then
      -- Another transaction added the contact first. The next iteration finds that contact.
      null;
    end;
  end loop;
  raise exception 'no contact of the person was found or added';
end
$$;
comment on function app.find_person(uuid, jsonb, timestamptz) is
  'Finds or adds the contact of a person { phone, user_id, name } who wrote to an account at a given time. Returns '
  'null for an unknown account, and for a person with neither a valid phone number nor an id. Stores the id. Also '
  'stores the phone number and the name if the contact lacks them. If the contact already has a different phone '
  'number, the new number becomes an additional number. Two contacts that turn out to be the same person are merged. '
  'If several calls run at the same time, only one adds the contact.';

alter table public.user_id_changes enable row level security;
create policy "the platform reads changes of unknown ids" on public.user_id_changes
  for select to service_role using (true);

grant select on public.user_id_changes to service_role;

-- schemas/38_import_contacts.sql

-- The contact import writes in the same way as an API batch. The operator specifies the company.

create function public.import_contacts(
  company_id uuid,
  items jsonb[],
  on_conflict text,
  dry_run boolean default false
) returns jsonb
language plpgsql security definer -- no role may call the functions that write contacts
set search_path = ''
-- The roles for requests have the same settings. These settings matter most during a large import, because the table
-- statistics are then far from the actual numbers.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_material = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
declare
  -- The array positions and the changes of the items that match an existing contact.
  places integer[];
  changes jsonb[];
  changed jsonb;
  results jsonb;
begin
  if import_contacts.on_conflict in ('update', 'merge', 'keep', 'fail') is not true then
    raise sqlstate 'PT422' using message = 'on_conflict is update, merge, keep or fail';
  end if;
  -- The transaction holds this lock until it ends, so that no one can delete the company before the rows are written.
  perform from public.companies where id = import_contacts.company_id for key share;
  if not found then
    raise sqlstate 'PT404' using message = 'No company has this id';
  end if;
  begin
    if import_contacts.on_conflict <> 'update' then
      results := app.put_contacts(import_contacts.company_id, items, import_contacts.on_conflict);
    else
      -- If a file contains only some custom fields, a contact keeps its other custom fields. So the function writes a
      -- merge patch here, unlike a PUT request.
      results := app.put_contacts(import_contacts.company_id, items, 'fail');
      select
        array_agg(place order by place),
        array_agg(
          item - 'phone' || jsonb_build_object('id', result ->> 'existing_id') order by place
        )
      into places, changes
      from jsonb_array_elements(results) with ordinality as written (result, place)
      join unnest(items) with ordinality as given (item, place) using (place)
      where result ->> 'status' = '409' and result ->> 'field' = 'phone';
      if places is not null then
        changed := app.patch_contacts(import_contacts.company_id, changes);
        results := (
          select jsonb_agg(coalesce(changed -> array_position(places, place::integer) - 1, result) order by place)
          from jsonb_array_elements(results) with ordinality as written (result, place)
        );
      end if;
    end if;
    if dry_run then
      raise sqlstate 'PT204';
    end if;
  exception when sqlstate 'PT204' then
    -- The writes are undone, but the results remain.
    null;
  end;
  return results;
end
$$;
comment on function public.import_contacts(uuid, jsonb[], text, boolean) is
  'Adds new contacts to a company and finds existing contacts, as app.put_contacts() does, and returns its results. '
  'With on_conflict `update`, an item replaces the stored values, but custom fields that are not in the item remain. A '
  'result has the status 404 when the contact was deleted in the meantime. A dry run does the same and then undoes the '
  'writes. Raises PT404 for an unknown company, and PT422 for an unknown on_conflict. Needs the secret key.';
grant execute on function public.import_contacts(uuid, jsonb[], text, boolean) to service_role;

-- schemas/40_pipelines.sql

-- Pipelines and their stages. A new company has one pipeline, so that deals can be added immediately.
--
-- Pipelines and stages have positions without gaps: 0, 1, 2 and so on. A company has exactly one default pipeline.
-- These rules apply to keys, users and the platform. A statement that writes a position moves the row, and the other
-- rows shift.

create table public.pipelines (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  name text not null check (char_length(name) between 1 and 255),
  -- A pipeline that is added without a position becomes the last pipeline.
  position integer not null check (position >= 0),
  is_default boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  version bigint not null default app.change_now(),
  archived_at timestamptz,
  unique (company_id, id)
);
comment on table public.pipelines is 'A sales process of a company: an ordered list of stages.';
comment on column public.pipelines.archived_at is
  'When the pipeline was archived. Lists exclude archived pipelines, and their positions have no meaning.';

-- This statistic makes the planner assume that all rows belong to one company. 30_contacts.sql explains why.
alter table public.pipelines alter column company_id set (n_distinct = 1);

create table public.stages (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  pipeline_id uuid not null,
  name text not null check (char_length(name) between 1 and 255),
  position integer not null check (position >= 0),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  version bigint not null default app.change_now(),
  archived_at timestamptz,
  unique (company_id, id),
  constraint stages_pipeline_fkey foreign key (company_id, pipeline_id)
    references public.pipelines (company_id, id) on delete cascade
);
comment on table public.stages is 'A step of a pipeline. A deal is in exactly one stage.';
comment on column public.stages.archived_at is
  'When the stage was archived. An archived stage has no deals, and its position has no meaning. Lists exclude '
  'archived stages.';

-- This statistic makes the planner assume that all rows belong to one company. 30_contacts.sql explains why.
alter table public.stages alter column company_id set (n_distinct = 1);

create index pipelines_by_position_idx on public.pipelines (company_id, position, id);
create unique index pipelines_one_default_idx on public.pipelines (company_id) where is_default;
create index stages_by_position_idx on public.stages (company_id, pipeline_id, position, id);

create function app.lock_pipelines(of_company_id uuid) returns void
language sql
set search_path = ''
as $$
  select pg_advisory_xact_lock(hashtextextended(format('pipelines %s', of_company_id), 0))
$$;
comment on function app.lock_pipelines(uuid) is
  'Waits until no other transaction writes the pipelines and stages of a company, and blocks such transactions until '
  'this transaction ends. Writers acquire this lock before they lock any of the rows, so two writers cannot cause a '
  'deadlock.';

create function app.lock_own_pipelines() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform app.lock_pipelines(own.id)
  from (select unnest(app.member_company_ids()) as id order by id) as own;
  return null;
end
$$;
comment on function app.lock_own_pipelines() is
  'Trigger: acquires the lock of app.lock_pipelines() for the companies of the signed-in user, before a statement '
  'searches for rows. The functions for keys acquire the lock themselves. A statement of the platform acquires the '
  'lock row by row, so a deadlock may abort the statement.';

-- The argument `shifts` maps the id of each moved row to its direction. The value 1 means that the row moved down the
-- list, so it comes after the row that had the new position until then. The value -1 means that the row moved up or was
-- added, so it comes before that row.
create function app.number_pipelines(of_company_id uuid, shifts jsonb default '{}') returns void
language plpgsql
set search_path = ''
as $$
begin
  perform app.lock_pipelines(of_company_id);
  update public.pipelines set position = placed.place
  from (
    select id, row_number() over (order by position::bigint * 2 + coalesce((shifts ->> id::text)::integer, 0), id) - 1 as place
    from public.pipelines
    where company_id = of_company_id and archived_at is null
      -- This statement fires the trigger again. The second time, the positions have no gaps, and this condition matches
      -- no rows.
      and (
        select count(distinct position) < count(*) or max(position) <> count(*) - 1
        from public.pipelines where company_id = of_company_id and archived_at is null
      )
  ) as placed
  where pipelines.id = placed.id and pipelines.position <> placed.place;
end
$$;
comment on function app.number_pipelines(uuid, jsonb) is
  'Removes the gaps from the positions of a company''s pipelines. The argument `shifts` maps the id of each moved row '
  'to 1 or -1.';

create function app.number_stages(of_company_id uuid, of_pipeline_id uuid, shifts jsonb default '{}') returns void
language plpgsql
set search_path = ''
as $$
begin
  perform app.lock_pipelines(of_company_id);
  update public.stages set position = placed.place
  from (
    select id, row_number() over (order by position::bigint * 2 + coalesce((shifts ->> id::text)::integer, 0), id) - 1 as place
    from public.stages
    where company_id = of_company_id and pipeline_id = of_pipeline_id and archived_at is null
      and (
        select count(distinct position) < count(*) or max(position) <> count(*) - 1
        from public.stages
        where company_id = of_company_id and pipeline_id = of_pipeline_id and archived_at is null
      )
  ) as placed
  where stages.id = placed.id and stages.position <> placed.place;
end
$$;
comment on function app.number_stages(uuid, uuid, jsonb) is
  'Removes the gaps from the positions of a pipeline''s stages. The argument `shifts` maps the id of each moved row to '
  '1 or -1.';

-- Security definer, like the other triggers below. These triggers read rows that the writer may not read, and they
-- change other rows.
create function app.keep_pipelines_dense() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    perform app.number_pipelines(company_id, jsonb_object_agg(id, -1)) from added group by company_id;
  elsif tg_op = 'DELETE' then
    perform app.number_pipelines(company_id) from removed group by company_id;
  else
    perform app.number_pipelines(added.company_id, jsonb_object_agg(id, sign(added.position - removed.position)))
    from added join removed using (id) group by added.company_id;
  end if;
  return null;
end
$$;
comment on function app.keep_pipelines_dense() is
  'Trigger: removes the gaps from the positions of pipelines after a statement that added, changed or deleted '
  'pipelines.';

create function app.keep_stages_dense() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    perform app.number_stages(company_id, pipeline_id, jsonb_object_agg(id, -1))
    from added group by company_id, pipeline_id;
  elsif tg_op = 'DELETE' then
    perform app.number_stages(company_id, pipeline_id) from removed group by company_id, pipeline_id;
  else
    perform app.number_stages(company_id, pipeline_id, jsonb_object_agg(id, shift))
    from (
      select
        id, added.company_id, added.pipeline_id,
        case when added.pipeline_id = removed.pipeline_id then sign(added.position - removed.position) else -1 end
          as shift
      from added join removed using (id)
      union all
      -- If a stage moves to another pipeline, the stages of its earlier pipeline also get new positions.
      select id, removed.company_id, removed.pipeline_id, 0
      from removed join added using (id) where added.pipeline_id <> removed.pipeline_id
    ) as written
    group by company_id, pipeline_id;
  end if;
  return null;
end
$$;
comment on function app.keep_stages_dense() is
  'Trigger: removes the gaps from the positions of stages after a statement that added, changed or deleted stages.';

-- The default pipeline cannot be archived or deleted until another pipeline becomes the default.
create function app.place_pipeline() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform app.lock_pipelines(new.company_id);
  if tg_op = 'INSERT' then
    new.position := coalesce(new.position, (
      select count(*) from public.pipelines where company_id = new.company_id and archived_at is null
    ));
    -- The first pipeline of a company becomes the default.
    new.is_default := new.is_default or not exists (
      select from public.pipelines where company_id = new.company_id and is_default
    );
  -- When another pipeline becomes the default, this trigger itself changes the earlier default pipeline, at a greater
  -- trigger depth.
  elsif old.is_default and not new.is_default and pg_trigger_depth() = 1 then
    raise sqlstate 'PT409' using
      message = 'A company needs one default pipeline: make another pipeline the default instead';
  end if;
  if new.is_default and (tg_op = 'INSERT' or not old.is_default) then
    update public.pipelines set is_default = false
    where company_id = new.company_id and is_default and id <> new.id;
  end if;
  return new;
end
$$;
comment on function app.place_pipeline() is
  'Trigger: gives a pipeline without a position the last position. A pipeline that becomes the default replaces the '
  'earlier default. Raises PT409 when the company would have no default pipeline left.';

create function app.keep_default_pipeline() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  -- If the company is being deleted, its default pipeline may be deleted too.
  if old.is_default and exists (select from public.companies where id = old.company_id) then
    raise sqlstate 'PT409' using
      message = 'The default pipeline cannot be deleted: make another one the default first';
  end if;
  return old;
end
$$;
comment on function app.keep_default_pipeline() is
  'Trigger: raises PT409 when the default pipeline of a company would be deleted.';

create function app.place_stage() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform app.lock_pipelines(new.company_id);
  if tg_op = 'INSERT' then
    new.position := coalesce(new.position, (
      select count(*) from public.stages
      where company_id = new.company_id and pipeline_id = new.pipeline_id and archived_at is null
    ));
  elsif new.pipeline_id = old.pipeline_id then
    return new;
  end if;
  if exists (
    select from public.pipelines
    where company_id = new.company_id and id = new.pipeline_id and archived_at is not null
  ) then
    -- Callers get the same error for an archived pipeline as for an unknown pipeline.
    raise foreign_key_violation using
      message = 'insert or update on table "stages" violates foreign key constraint "stages_pipeline_fkey"',
      detail = 'The pipeline is archived', constraint = 'stages_pipeline_fkey';
  end if;
  return new;
end
$$;
comment on function app.place_stage() is
  'Trigger: gives a stage without a position the last position in its pipeline. Refuses an archived pipeline as a '
  'violation of stages_pipeline_fkey.';

create function app.add_default_pipeline() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  new_pipeline_id uuid;
begin
  insert into public.pipelines (company_id, name, position, is_default)
  values (new.id, 'Sales', 0, true)
  returning id into new_pipeline_id;

  insert into public.stages (company_id, pipeline_id, name, position)
  select new.id, new_pipeline_id, stage.name, stage.ordinality - 1
  from unnest(array['New lead', 'Qualified', 'Proposal', 'Negotiation', 'Closing'])
    with ordinality as stage (name, ordinality);
  return null;
end
$$;
comment on function app.add_default_pipeline() is 'Trigger: creates a pipeline with stages for a new company.';

create trigger companies_add_default_pipeline after insert on public.companies
  for each row execute function app.add_default_pipeline();
create trigger pipelines_note_version before update on public.pipelines
  for each row execute function app.note_version();
create trigger stages_note_version before update on public.stages
  for each row execute function app.note_version();
create trigger pipelines_lock_own before insert or update or delete on public.pipelines
  for each statement execute function app.lock_own_pipelines();
create trigger stages_lock_own before insert or update or delete on public.stages
  for each statement execute function app.lock_own_pipelines();
create trigger pipelines_keep_dense_when_added after insert on public.pipelines
  referencing new table as added for each statement execute function app.keep_pipelines_dense();
create trigger pipelines_keep_dense_when_changed after update on public.pipelines
  referencing new table as added old table as removed for each statement execute function app.keep_pipelines_dense();
create trigger pipelines_keep_dense_when_removed after delete on public.pipelines
  referencing old table as removed for each statement execute function app.keep_pipelines_dense();
create trigger stages_keep_dense_when_added after insert on public.stages
  referencing new table as added for each statement execute function app.keep_stages_dense();
create trigger stages_keep_dense_when_changed after update on public.stages
  referencing new table as added old table as removed for each statement execute function app.keep_stages_dense();
create trigger stages_keep_dense_when_removed after delete on public.stages
  referencing old table as removed for each statement execute function app.keep_stages_dense();
create trigger pipelines_place before insert or update on public.pipelines
  for each row execute function app.place_pipeline();
create trigger pipelines_keep_default before delete on public.pipelines
  for each row execute function app.keep_default_pipeline();
create trigger stages_place before insert or update on public.stages
  for each row execute function app.place_stage();

alter table public.pipelines enable row level security;
create policy "a key reads its company's pipelines" on public.pipelines
  for select to api_client using (company_id = (select app.company_id('read')));
create policy "people read their company's pipelines" on public.pipelines
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "people add pipelines to their company" on public.pipelines
  for insert to authenticated with check (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "people change their company's pipelines" on public.pipelines
  for update to authenticated
  using (company_id = any ((select app.member_company_ids())::uuid[]))
  with check (company_id = any ((select app.member_company_ids())::uuid[]));
alter table public.stages enable row level security;
create policy "a key reads its company's stages" on public.stages
  for select to api_client using (company_id = (select app.company_id('read')));
create policy "people read their company's stages" on public.stages
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "people add stages to their company" on public.stages
  for insert to authenticated with check (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "people change their company's stages" on public.stages
  for update to authenticated
  using (company_id = any ((select app.member_company_ids())::uuid[]))
  with check (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "owners and admins delete their company's pipelines" on public.pipelines
  for delete to authenticated using (company_id = any ((select app.managed_company_ids())::uuid[]));
create policy "owners and admins delete their company's stages" on public.stages
  for delete to authenticated using (company_id = any ((select app.managed_company_ids())::uuid[]));

grant select on public.pipelines to api_client;
grant select, delete on public.pipelines to authenticated;
grant insert (company_id, name, position, is_default) on public.pipelines to authenticated;
grant update (name, position, is_default, archived_at) on public.pipelines to authenticated;
grant select, insert, update, delete on public.pipelines to service_role;
grant select on public.stages to api_client;
grant select, delete on public.stages to authenticated;
grant insert (company_id, pipeline_id, name, position) on public.stages to authenticated;
grant update (pipeline_id, name, position, archived_at) on public.stages to authenticated;
grant select, insert, update, delete on public.stages to service_role;

-- schemas/41_pipeline_writes.sql

-- Functions that add, change and archive pipelines and stages.
--
-- A pipeline or a stage can be archived only when it has no deals. No deal can enter an archived pipeline or stage.
-- These rules also apply if a deal is added or moved while the stage is being archived. A transaction that adds or
-- moves a deal locks the new stage of the deal, and a transaction that archives the stage waits for that lock. An
-- archived row remains archived and keeps its pipeline, because the deal history refers to the row. API keys use these
-- functions for writes. Each function first acquires the lock on the company's pipelines, so simultaneous calls for a
-- company run one after the other. Each function returns the row with its final position.

create function app.refuse_archived_change(
  kind text, of_company_id uuid, was_archived boolean, is_archived boolean, is_moved boolean
) returns void
language plpgsql stable security definer
set search_path = ''
as $$
begin
  if was_archived and (not is_archived or is_moved) then
    raise sqlstate 'PT409' using message = format('An archived %s stays archived and cannot be moved', kind);
  end if;
  -- Only owners and admins may archive, because only they may delete.
  if is_archived and not was_archived and current_setting('role', true) = 'authenticated'
    and of_company_id <> all (app.managed_company_ids()) then
    raise sqlstate 'PT403' using message = format('Only owners and admins of a company archive its %ss', kind);
  end if;
end
$$;
comment on function app.refuse_archived_change(text, uuid, boolean, boolean, boolean) is
  'Raises PT409 when a statement would restore or move an archived row. Raises PT403 when a user who is neither owner '
  'nor admin tries to archive a row.';

create function app.pipeline_json(pipeline public.pipelines) returns json
language sql stable
set search_path = ''
as $$
  select json_build_object(
    'id', pipeline.id, 'company_id', pipeline.company_id, 'name', pipeline.name, 'position', pipeline.position,
    'is_default', pipeline.is_default, 'archived_at', pipeline.archived_at,
    'created_at', pipeline.created_at, 'updated_at', pipeline.updated_at, 'version', pipeline.version::text
  )
$$;
comment on function app.pipeline_json(public.pipelines) is 'Returns a pipeline in the format of the API.';

create function app.stage_json(stage public.stages) returns json
language sql stable
set search_path = ''
as $$
  select json_build_object(
    'id', stage.id, 'company_id', stage.company_id, 'pipeline_id', stage.pipeline_id, 'name', stage.name,
    'position', stage.position, 'archived_at', stage.archived_at,
    'created_at', stage.created_at, 'updated_at', stage.updated_at, 'version', stage.version::text
  )
$$;
comment on function app.stage_json(public.stages) is 'Returns a stage in the format of the API.';

create function public.add_pipeline(pipeline jsonb, idempotency jsonb default null) returns json
language plpgsql security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('write');
  earlier constant jsonb := app.claim_idempotency_key(own_company_id, idempotency);
  written_id uuid := earlier ->> 'id';
begin
  if earlier is null then
    perform app.lock_pipelines(own_company_id);
    insert into public.pipelines (company_id, name, position, is_default)
    values (
      own_company_id, pipeline ->> 'name', (pipeline ->> 'position')::integer,
      coalesce((pipeline ->> 'is_default')::boolean, false)
    )
    returning id into written_id;
    perform app.keep_outcome(own_company_id, idempotency, jsonb_build_object('id', written_id));
  end if;
  return json_build_object(
    'replayed', earlier is not null,
    'data', (
      select app.pipeline_json(pipelines) from public.pipelines
      where company_id = own_company_id and id = written_id
    )
  );
end
$$;
comment on function public.add_pipeline(jsonb, jsonb) is
  'Adds a pipeline { name, position?, is_default? } to the key''s company and returns { replayed, data }. The member '
  '`data` is null when the request is a repeat and the pipeline was deleted. Needs a write token. Raises the errors of '
  'app.company_id() and app.claim_idempotency_key().';
grant execute on function public.add_pipeline(jsonb, jsonb) to api_client;

create function public.change_pipeline(pipeline_id uuid, changes jsonb) returns json
language plpgsql security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('write');
  stored public.pipelines;
begin
  perform app.lock_pipelines(own_company_id);
  select * into stored from public.pipelines where company_id = own_company_id and id = pipeline_id;
  if not found then
    return json_build_object('result', 'not_found');
  end if;
  perform app.require_version(stored.version, (changes ->> 'version')::bigint);
  if stored.archived_at is not null then
    return json_build_object('result', 'archived');
  end if;
  if stored.is_default and not (changes ->> 'is_default')::boolean then
    return json_build_object('result', 'default');
  end if;
  update public.pipelines set
    name = coalesce(changes ->> 'name', name),
    position = coalesce((changes ->> 'position')::integer, position),
    is_default = coalesce((changes ->> 'is_default')::boolean, is_default)
  where id = stored.id;
  return json_build_object('result', 'written', 'data', (
    select app.pipeline_json(pipelines) from public.pipelines where id = stored.id
  ));
end
$$;
comment on function public.change_pipeline(uuid, jsonb) is
  'Changes a pipeline of the key''s company: { name?, position?, is_default?, version? }. Needs a write token. The '
  'result is `written` (with data), `not_found`, `archived` or `default`. The result `default` means that the company '
  'would have no default pipeline left. Raises PT412 as app.require_version() does.';
grant execute on function public.change_pipeline(uuid, jsonb) to api_client;

create function app.archive_pipeline() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform app.refuse_archived_change(
    'pipeline', old.company_id, old.archived_at is not null, new.archived_at is not null,
    new.position <> old.position or new.is_default <> old.is_default
  );
  if old.archived_at is not null then
    new.archived_at := old.archived_at;
  elsif new.archived_at is not null then
    if new.is_default then
      raise sqlstate 'PT409' using
        message = 'The default pipeline cannot be archived: make another one the default first';
    end if;
    perform from public.stages where company_id = old.company_id and pipeline_id = old.id order by id for update;
    if exists (
      select from public.deals join public.stages on stages.company_id = deals.company_id and stages.id = deals.stage_id
      where stages.company_id = old.company_id and stages.pipeline_id = old.id
    ) then
      raise sqlstate 'PT409' using
        message = 'The pipeline has deals: move them to stages of another pipeline first';
    end if;
    update public.stages set archived_at = now()
    where company_id = old.company_id and pipeline_id = old.id and archived_at is null;
    new.archived_at := now();
  end if;
  return new;
end
$$;
comment on function app.archive_pipeline() is
  'Trigger: when a pipeline is archived, also archives its stages, and sets archived_at to the current time. Raises '
  'PT409 when the pipeline is the default pipeline or has deals. Raises PT409 and PT403 as '
  'app.refuse_archived_change() does.';

create function public.archive_pipeline(pipeline_id uuid, version bigint default null) returns text
language plpgsql security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('write');
  stored public.pipelines;
begin
  perform app.lock_pipelines(own_company_id);
  select * into stored from public.pipelines where company_id = own_company_id and id = pipeline_id;
  if not found then
    return 'not_found';
  end if;
  if stored.archived_at is not null then
    return 'archived';
  end if;
  perform app.require_version(stored.version, archive_pipeline.version);
  if stored.is_default then
    return 'default';
  end if;
  -- This statement waits for transactions that add deals to one of the stages or move deals there.
  perform from public.stages
  where company_id = own_company_id and stages.pipeline_id = stored.id order by id for update;
  if exists (
    select from public.deals join public.stages on stages.company_id = deals.company_id and stages.id = deals.stage_id
    where deals.company_id = own_company_id and stages.pipeline_id = stored.id
  ) then
    return 'has_deals';
  end if;
  update public.pipelines set archived_at = now() where id = stored.id;
  return 'archived';
end
$$;
comment on function public.archive_pipeline(uuid, bigint) is
  'Archives a pipeline of the key''s company, and the stages of the pipeline. Needs a write token. Returns `archived`, '
  'even if the pipeline was already archived. Otherwise returns `not_found`, `default` or `has_deals`. Raises PT412 '
  'when the pipeline has another version.';
grant execute on function public.archive_pipeline(uuid, bigint) to api_client;

create function public.add_stage(stage jsonb, idempotency jsonb default null) returns json
language plpgsql security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('write');
  earlier constant jsonb := app.claim_idempotency_key(own_company_id, idempotency);
  written_id uuid := earlier ->> 'id';
begin
  if earlier is null then
    perform app.lock_pipelines(own_company_id);
    insert into public.stages (company_id, pipeline_id, name, position)
    values (own_company_id, (stage ->> 'pipeline_id')::uuid, stage ->> 'name', (stage ->> 'position')::integer)
    returning id into written_id;
    perform app.keep_outcome(own_company_id, idempotency, jsonb_build_object('id', written_id));
  end if;
  return json_build_object(
    'replayed', earlier is not null,
    'data', (
      select app.stage_json(stages) from public.stages where company_id = own_company_id and id = written_id
    )
  );
end
$$;
comment on function public.add_stage(jsonb, jsonb) is
  'Adds a stage { pipeline_id, name, position? } to the key''s company and returns { replayed, data }. The member '
  '`data` is null when the request is a repeat and the stage was deleted. Needs a write token. Violates '
  'stages_pipeline_fkey if the pipeline is archived or belongs to another company. Raises the errors of '
  'app.company_id() and app.claim_idempotency_key().';
grant execute on function public.add_stage(jsonb, jsonb) to api_client;

create function public.change_stage(stage_id uuid, changes jsonb) returns json
language plpgsql security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('write');
  stored public.stages;
begin
  perform app.lock_pipelines(own_company_id);
  select * into stored from public.stages where company_id = own_company_id and id = stage_id;
  if not found then
    return json_build_object('result', 'not_found');
  end if;
  perform app.require_version(stored.version, (changes ->> 'version')::bigint);
  if stored.archived_at is not null then
    return json_build_object('result', 'archived');
  end if;
  update public.stages set
    pipeline_id = coalesce((changes ->> 'pipeline_id')::uuid, pipeline_id),
    name = coalesce(changes ->> 'name', name),
    position = coalesce((changes ->> 'position')::integer, position)
  where id = stored.id;
  return json_build_object('result', 'written', 'data', (
    select app.stage_json(stages) from public.stages where id = stored.id
  ));
end
$$;
comment on function public.change_stage(uuid, jsonb) is
  'Changes a stage of the key''s company: { pipeline_id?, name?, position?, version? }. Needs a write token. The '
  'result is `written` (with data), `not_found` or `archived`. Violates stages_pipeline_fkey as add_stage() does. '
  'Raises PT412 as app.require_version() does.';
grant execute on function public.change_stage(uuid, jsonb) to api_client;

create function app.archive_stage() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform app.refuse_archived_change(
    'stage', old.company_id, old.archived_at is not null, new.archived_at is not null,
    new.position <> old.position or new.pipeline_id <> old.pipeline_id
  );
  if old.archived_at is not null then
    new.archived_at := old.archived_at;
  elsif new.archived_at is not null then
    -- This statement waits for transactions that add deals to the stage or move deals there.
    perform from public.stages where company_id = old.company_id and id = old.id for update;
    if exists (select from public.deals where company_id = old.company_id and stage_id = old.id) then
      raise sqlstate 'PT409' using message = 'The stage has deals: move them to another stage first';
    end if;
    new.archived_at := now();
  end if;
  return new;
end
$$;
comment on function app.archive_stage() is
  'Trigger: when a stage is archived, sets archived_at to the current time. Raises PT409 when the stage has deals. '
  'Raises PT409 and PT403 as app.refuse_archived_change() does.';

-- A stage may be archived while batches of patches change its deals. A batch locks the deals first and then their
-- stages, so this function acquires its locks in the same order. In the opposite order, a deadlock could abort one of
-- the two transactions.
create function public.archive_stage(
  stage_id uuid, move_deals_to uuid default null, version bigint default null
) returns text
language plpgsql security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('write');
  stored public.stages;
begin
  perform app.lock_pipelines(own_company_id);
  if move_deals_to is not null then
    perform from public.deals where company_id = own_company_id and deals.stage_id = archive_stage.stage_id
    order by id for no key update;
  end if;
  -- This statement waits for transactions that add deals to the stage or move deals there. The deals of such
  -- transactions are then also moved to the other stage.
  select * into stored from public.stages where company_id = own_company_id and id = archive_stage.stage_id for update;
  if not found then
    return 'not_found';
  end if;
  if stored.archived_at is not null then
    return 'archived';
  end if;
  perform app.require_version(stored.version, archive_stage.version);
  if move_deals_to = stored.id then
    return 'same_stage';
  end if;
  if move_deals_to is not null and not exists (
    select from public.stages where company_id = own_company_id and id = move_deals_to and archived_at is null
  ) then
    return 'unknown_stage';
  end if;
  if move_deals_to is not null then
    with moved as materialized (
      select id from public.deals
      where company_id = own_company_id and deals.stage_id = stored.id
      -- All functions lock deals in the order of their ids.
      order by id for no key update
    )
    update public.deals set stage_id = move_deals_to from moved where deals.id = moved.id;
  elsif exists (select from public.deals where company_id = own_company_id and deals.stage_id = stored.id) then
    return 'has_deals';
  end if;
  update public.stages set archived_at = now() where id = stored.id;
  return 'archived';
end
$$;
comment on function public.archive_stage(uuid, uuid, bigint) is
  'Archives a stage of the key''s company, after moving its deals to the stage move_deals_to. Needs a write token. '
  'Returns `archived`, even if the stage was already archived. Returns `not_found` for an unknown stage. Returns '
  '`has_deals` when the stage has deals and move_deals_to is null. Returns `same_stage` or `unknown_stage` when the '
  'deals cannot be moved to move_deals_to. Raises PT412 when the stage has another version.';
grant execute on function public.archive_stage(uuid, uuid, bigint) to api_client;

create trigger stages_archive before update on public.stages
  for each row when (old.archived_at is not null or new.archived_at is not null)
  execute function app.archive_stage();
create trigger pipelines_archive before update on public.pipelines
  for each row when (old.archived_at is not null or new.archived_at is not null)
  execute function app.archive_pipeline();

-- schemas/42_deals.sql

-- Deals: sales opportunities. Each deal has a contact and a stage of the same company.

create table public.deals (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null default app.company_id() references public.companies on delete cascade,
  title text not null check (char_length(title) between 1 and 255),
  -- NaN is also a numeric value, and greater than every number.
  value numeric(14, 2) check (value >= 0 and value <> 'NaN'),
  status text not null default 'open' check (status in ('open', 'won', 'lost')),
  contact_id uuid not null,
  stage_id uuid not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  words text not null generated always as (app.words(title)) stored,
  version bigint not null default app.change_now(),
  won_at timestamptz,
  lost_at timestamptz,
  stage_changed_at timestamptz not null default now(),
  archived_at timestamptz,
  external_id text constraint deals_external_id_check check (char_length(external_id) between 1 and 255),
  unique (company_id, id),
  -- Row-level security does not check foreign keys, so every reference includes the company. A contact or a stage that
  -- has deals cannot be deleted, except with its company.
  constraint deals_contact_fkey foreign key (company_id, contact_id)
    references public.contacts (company_id, id) on delete no action,
  constraint deals_stage_fkey foreign key (company_id, stage_id)
    references public.stages (company_id, id) on delete no action
);
comment on table public.deals is 'A sales opportunity with a contact, in a stage of a pipeline.';
comment on column public.deals.words is 'The title, normalized for searches.';
comment on column public.deals.won_at is 'When the deal was won. Null when the deal is not won.';
comment on column public.deals.lost_at is 'When the deal was lost. Null when the deal is not lost.';
comment on column public.deals.stage_changed_at is 'When the deal entered its current stage.';
comment on column public.deals.external_id is
  'The id of the deal in one of the company''s own systems. Two deals that are not archived never have the same '
  'external_id.';
comment on column public.deals.archived_at is
  'When the deal was archived. Null when the deal is not archived. The database sets this time.';

-- This statistic makes the planner assume that all rows belong to one company. 30_contacts.sql explains why.
alter table public.deals alter column company_id set (n_distinct = 1);

alter table public.deals alter column words set statistics 400;

create index deals_newest_first_idx on public.deals (company_id, created_at desc, id desc);

-- The indexes on contact_id and stage_id have the sort order of lists.
create index deals_words_idx on public.deals using gin (company_id, words extensions.gin_trgm_ops)
  with (gin_pending_list_limit = 512);
create index deals_title_idx on public.deals (company_id, title);
create index deals_status_idx on public.deals (company_id, status, created_at desc, id desc);
create index deals_contact_idx on public.deals (company_id, contact_id, created_at desc, id desc);
create index deals_stage_idx on public.deals (company_id, stage_id, created_at desc, id desc);
create index deals_by_title_idx on public.deals (company_id, (left(words, 100) collate "C"), id);
create index deals_by_value_idx on public.deals (company_id, coalesce(value, -1), id);
create index deals_by_update_idx on public.deals (company_id, updated_at, id);
create index deals_changes_idx on public.deals (company_id, version, id);

-- In these indexes, deals without the time come first. So the same index supports both range conditions and sorting.
create index deals_by_stage_change_idx on public.deals (company_id, stage_changed_at, id);
create index deals_by_won_at_idx on public.deals (company_id, coalesce(won_at, '-infinity'), id);
create index deals_by_lost_at_idx on public.deals (company_id, coalesce(lost_at, '-infinity'), id);
create index deals_not_archived_idx on public.deals (company_id, created_at desc, id desc)
  where archived_at is null;
create index deals_not_archived_by_update_idx on public.deals (company_id, updated_at, id)
  where archived_at is null;
create index deals_archived_idx on public.deals (company_id, created_at desc, id desc)
  where archived_at is not null;

-- This index has the same form as contacts_one_per_external_id.
create unique index deals_one_per_external_id on public.deals
  (company_id, external_id, (case when archived_at is not null then id end)) nulls not distinct
  where external_id is not null;

-- Security definer, because a write token cannot read stages.
create function app.require_stage_in_use() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  is_archived boolean;
begin
  select archived_at is not null into is_archived from public.stages
  where company_id = new.company_id and id = new.stage_id
  -- The foreign key acquires the same lock. The statement waits only for a transaction that archives the stage.
  for key share;
  if is_archived then
    raise foreign_key_violation using
      message = 'insert or update on table "deals" violates foreign key constraint "deals_stage_fkey"',
      detail = 'The stage is archived', constraint = 'deals_stage_fkey';
  end if;
  return new;
end
$$;
comment on function app.require_stage_in_use() is
  'Trigger: refuses a deal in an archived stage as a violation of deals_stage_fkey. The foreign key refuses an unknown '
  'stage.';

create function app.require_unarchived_contact() returns trigger
-- Security definer, because a token that writes deals cannot read contacts.
language plpgsql security definer
set search_path = ''
as $$
declare
  contact_archived_at timestamptz;
begin
  -- The foreign key acquires the same lock. The statement waits for a transaction that archives the contact.
  select archived_at into contact_archived_at from public.contacts
  where company_id = new.company_id and id = new.contact_id
  for key share;
  if contact_archived_at is not null then
    raise check_violation using
      message = 'new row for relation "deals" violates check constraint "deals_contact_not_archived"',
      constraint = 'deals_contact_not_archived';
  end if;
  return new;
end
$$;
comment on function app.require_unarchived_contact() is
  'Trigger: refuses a new deal with an archived contact, as a violation of deals_contact_not_archived. Existing deals '
  'remain when their contact is archived. The foreign key refuses an unknown contact.';

create trigger deals_note_written before insert or update on public.deals
  for each statement execute function app.note_written_table();
create trigger deals_note_no_longer_written after insert or update on public.deals
  for each statement execute function app.note_written_table();
create trigger deals_note_change before update on public.deals
  for each row execute function app.note_change();
create trigger deals_note_deletion after delete on public.deals
  referencing old table as deleted for each statement execute function app.note_deletion();
create trigger deals_require_stage_when_added before insert on public.deals
  for each row execute function app.require_stage_in_use();
create trigger deals_require_stage_when_moved before update of stage_id on public.deals
  for each row when (new.stage_id <> old.stage_id) execute function app.require_stage_in_use();
create trigger deals_require_unarchived_contact before insert on public.deals
  for each row execute function app.require_unarchived_contact();
create trigger deals_require_unarchived_new_contact before update of contact_id on public.deals
  for each row when (new.contact_id <> old.contact_id) execute function app.require_unarchived_contact();

alter table public.deals enable row level security;
create policy "a key reads its company's deals" on public.deals
  for select to api_client using (company_id = (select app.company_id_to_read('deals')));
create policy "a key changes its company's deals" on public.deals
  for update to api_client
  using (company_id = (select app.company_id('write')))
  with check (company_id = (select app.company_id('write')));
create policy "people read their company's deals" on public.deals
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "people add deals to their company" on public.deals
  for insert to authenticated with check (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "people change their company's deals" on public.deals
  for update to authenticated
  using (company_id = any ((select app.member_company_ids())::uuid[]))
  with check (company_id = any ((select app.member_company_ids())::uuid[]));

grant select on public.deals to api_client;
grant update (external_id, title, value, status, stage_id, version) on public.deals to api_client;
grant select on public.deals to authenticated;
grant insert (company_id, external_id, title, value, status, contact_id, stage_id) on public.deals to authenticated;
grant update (external_id, title, value, status, contact_id, stage_id, archived_at) on public.deals to authenticated;
grant select, insert, update, delete on public.deals to service_role;

select app.make_feed('deal_changes', 'deals', '
  id, company_id, external_id, title, value, status, contact_id, stage_id, won_at, lost_at, stage_changed_at,
  archived_at, created_at, updated_at
');

-- schemas/43_deal_history.sql

-- The deal history. It records when each deal was created, moved to another stage, won, lost or reopened, and who made
-- the change. The database writes the history in the transaction of the change. This applies to changes by keys, users,
-- batches and the platform.

create table public.deal_history (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  deal_id uuid not null,
  kind text not null check (kind in ('created', 'stage_changed', 'status_changed')),
  from_value text check (char_length(from_value) between 1 and 255),
  to_value text check (char_length(to_value) between 1 and 255),
  at timestamptz not null,
  -- These columns have no foreign keys, so the author of a change remains known after the key or the user account is
  -- deleted.
  api_key_id uuid,
  user_id uuid,
  check (api_key_id is null or user_id is null),
  constraint deal_history_deal_fkey foreign key (company_id, deal_id)
    references public.deals (company_id, id) on delete cascade
);
comment on table public.deal_history is
  'The deal history: one entry for each change of a deal''s stage or status. An entry contains the earlier and the new '
  'stage or status. So the last entries contain the current stage and status of the deal.';
comment on column public.deal_history.from_value is 'The earlier stage or status. Null in the entry for the creation.';
comment on column public.deal_history.to_value is
  'The new stage or status. For the creation, the initial stage. Null when the value is not known.';
comment on column public.deal_history.api_key_id is
  'The key that made the change. If api_key_id and user_id are both null, the platform made the change, or the author '
  'is not known.';

-- These statistics make the planner assume that all rows belong to one company, and that each deal has 1,000 entries.
-- 30_contacts.sql explains why. If the planner expects fewer entries than a page contains, it may read and sort the
-- whole history of a deal.
alter table public.deal_history
  alter column company_id set (n_distinct = 1),
  alter column deal_id set (n_distinct = -0.001);

create index deal_history_by_time_idx on public.deal_history (company_id, deal_id, at, id);

-- Only this trigger sets won_at, lost_at and stage_changed_at. Security definer, because no role may write the history
-- directly.
create function app.note_moves() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  tick constant interval = '1 microsecond';
  moved_at timestamptz;
  author record;
begin
  if tg_op = 'INSERT' then
    new.stage_changed_at := new.created_at;
    -- The platform may specify these times, because it also adds deals that were won or lost earlier in another system.
    new.won_at := case new.status when 'won' then greatest(new.won_at, new.created_at + tick) end;
    new.lost_at := case new.status when 'lost' then greatest(new.lost_at, new.created_at + tick) end;
    return new;
  end if;

  new.stage_changed_at := old.stage_changed_at;
  new.won_at := old.won_at;
  new.lost_at := old.lost_at;
  if new.stage_id = old.stage_id and new.status = old.status then
    return new;
  end if;

  -- A transaction that began earlier may write the deal later, and one transaction may move a deal twice. The lock on
  -- the deal determines the order of these moves. Each move gets a later time than the previous move.
  select greatest(now(), max(at) + tick) into moved_at
  from public.deal_history where company_id = old.company_id and deal_id = old.id;
  author := app.author();
  if new.stage_id <> old.stage_id then
    new.stage_changed_at := moved_at;
    insert into public.deal_history
      (company_id, deal_id, kind, from_value, to_value, at, api_key_id, user_id)
    values
      (old.company_id, old.id, 'stage_changed', old.stage_id, new.stage_id, moved_at, author.api_key_id, author.user_id);
    moved_at := moved_at + tick;
  end if;
  if new.status <> old.status then
    new.won_at := case new.status when 'won' then moved_at end;
    new.lost_at := case new.status when 'lost' then moved_at end;
    insert into public.deal_history
      (company_id, deal_id, kind, from_value, to_value, at, api_key_id, user_id)
    values
      (old.company_id, old.id, 'status_changed', old.status, new.status, moved_at, author.api_key_id, author.user_id);
  end if;
  return new;
end
$$;
comment on function app.note_moves() is
  'Trigger: sets won_at, lost_at and stage_changed_at, and writes the history of a deal whose stage or status changes. '
  'An update cannot set these times, but a new deal may have been won or lost earlier. A reopened deal is neither won '
  'nor lost.';

create function app.note_creation() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into public.deal_history
    (company_id, deal_id, kind, from_value, to_value, at, api_key_id, user_id)
  select added.company_id, added.id, entry.kind, entry.from_value, entry.to_value, entry.at, api_key_id, user_id
  from added
  cross join app.author()
  cross join lateral (
    values
      ('created', null, added.stage_id::text, added.created_at),
      ('status_changed', 'open', added.status, coalesce(added.won_at, added.lost_at))
  ) as entry (kind, from_value, to_value, at)
  where entry.kind = 'created' or added.status <> 'open';
  return null;
end
$$;
comment on function app.note_creation() is
  'Trigger: starts the history of new deals. The first entry records the creation of an open deal. A deal that is '
  'added as won or lost also gets a second entry.';

-- Triggers run in the order of their names. So this trigger runs after deals_note_change, which refuses forbidden
-- changes.
create trigger deals_note_moves before insert or update on public.deals
  for each row execute function app.note_moves();
create trigger deals_note_creation after insert on public.deals
  referencing new table as added for each statement execute function app.note_creation();

-- Only the triggers above write the deal history.
alter table public.deal_history enable row level security;
create policy "people read the history of their company's deals" on public.deal_history
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));

grant select on public.deal_history to authenticated, service_role;

-- schemas/44_deal_writes.sql

-- API keys use these functions to add and change one or more deals per call. A batch cannot change archived deals, and
-- cannot move deals into an archived stage. If an item tries this, only that item fails.

create function app.deal_json(deal public.deals) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'id', deal.id,
    'company_id', deal.company_id,
    'external_id', deal.external_id,
    'title', deal.title,
    'value', deal.value,
    'status', deal.status,
    'contact_id', deal.contact_id,
    'stage_id', deal.stage_id,
    'won_at', deal.won_at,
    'lost_at', deal.lost_at,
    'stage_changed_at', deal.stage_changed_at,
    'archived_at', deal.archived_at,
    'created_at', deal.created_at,
    'updated_at', deal.updated_at,
    'version', deal.version::text
  );
end
$$;
comment on function app.deal_json(public.deals) is 'Returns a deal in the format of the API.';

create function app.deals_of_external_ids(own_company_id uuid, external_ids text[]) returns uuid[]
language plpgsql stable
set search_path = ''
as $$
begin
  return array(
    -- Each id has its own subquery, because the plan of a join may read all rows of the company.
    select (
      select id from public.deals
      where company_id = own_company_id and external_id = given.own_id and archived_at is null
    )
    from unnest(external_ids) with ordinality as given (own_id, place)
    order by place
  );
end
$$;
comment on function app.deals_of_external_ids(uuid, text[]) is
  'Returns the deal for each external_id. Returns null for an external_id that no deal has, or that only archived '
  'deals have.';

create function public.deal_id_by_external_id(external_id text) returns uuid
language sql stable security definer
set search_path = ''
as $$
  select (app.deals_of_external_ids(
    (select app.company_id('write')), array[deal_id_by_external_id.external_id]
  ))[1]
$$;
comment on function public.deal_id_by_external_id(text) is
  'Returns the deal of the key''s company that has this external_id and is not archived. Returns null when no such '
  'deal exists. Needs a write token.';
grant execute on function public.deal_id_by_external_id(text) to api_client;

-- app.add_deals() refuses a deal for a merged contact, and the result contains the surviving contact's id. A repeat of
-- the request gets the same result. When the person is erased, the idempotency keys of such requests are erased too.
create function app.add_deals(own_company_id uuid, items jsonb[]) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  results jsonb;
begin
  with given as materialized (
    select
      place, item, gen_random_uuid() as id, (item ->> 'contact_id')::uuid as contact_id,
      (item ->> 'stage_id')::uuid as stage_id
    from unnest(items) with ordinality as given (item, place)
  -- A locked row cannot be deleted, so an item whose references are valid here cannot violate a foreign key below. The
  -- rows are locked in the order of their ids, so two batches cannot cause a deadlock.
  ), known_contacts as materialized (
    select id, archived_at is not null as is_archived from public.contacts
    where company_id = own_company_id and id = any (array(select contact_id from given))
    order by id for key share
  ), known_stages as materialized (
    select id from public.stages
    where company_id = own_company_id and id = any (array(select stage_id from given)) and archived_at is null
    order by id for key share
  ), judged as materialized (
    select given.*, case
      when contact_id not in (select id from known_contacts) then 'deals_contact_fkey'
      when contact_id in (select id from known_contacts where is_archived) then 'deals_contact_not_archived'
      when stage_id not in (select id from known_stages) then 'deals_stage_fkey'
    end as broken
    from given
  ), added as (
    insert into public.deals (id, company_id, external_id, title, value, contact_id, stage_id)
    select
      id, own_company_id, item ->> 'external_id', item ->> 'title', (item ->> 'value')::numeric, contact_id, stage_id
    from judged
    where broken is null
    -- Because of this order, two batches that add the same deals cannot cause a deadlock.
    order by item ->> 'external_id', place
  )
  select coalesce(
    jsonb_agg(
      case
        when broken is null then jsonb_build_object('status', 201, 'id', id)
        when survivor is not null then jsonb_build_object('status', 409, 'existing_id', survivor, 'merged', true)
        else jsonb_build_object('status', 422, 'constraint', broken)
      end
      order by place
    ),
    '[]'
  )
  into results
  from judged
  cross join lateral (
    select case when broken = 'deals_contact_fkey' then app.survivor_of(own_company_id, contact_id) end
  ) as merged (survivor);
  return results;
end
$$;
comment on function app.add_deals(uuid, jsonb[]) is
  'Adds a deal for each item { title, contact_id, stage_id, value?, external_id? }, and returns the results. Raises a '
  'violation of deals_one_per_external_id when another deal has an external_id.';

create function app.patch_deals_at_once(own_company_id uuid, items jsonb[]) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  -- The deals are locked in the order of their ids, so two batches cannot cause a deadlock.
  known_deals constant uuid[] := array(
    select id from public.deals
    where company_id = own_company_id
      and id = any (array(select (item ->> 'id')::uuid from unnest(items) as given (item)))
      and archived_at is null
    order by id for no key update
  );
  known_stages constant uuid[] := array(
    select id from public.stages
    where company_id = own_company_id
      and id = any (array(select (item ->> 'stage_id')::uuid from unnest(items) as given (item)))
      and archived_at is null
    order by id for key share
  );
  results jsonb;
  -- The items of one round: at most one item for each deal, in the order of the items.
  apart jsonb[];
  written uuid[];
  changed uuid[] := '{}';
begin
  -- If an external_id moves between deals, the order of the items matters. app.patch_deals() then writes them one by
  -- one.
  if exists (select from unnest(items) as item where item ? 'external_id') and exists (
    select from unnest(items) as item
    where item ->> 'external_id' is not null and (item ->> 'id')::uuid = any (known_deals)
    group by item ->> 'external_id'
    having count(distinct (item ->> 'id')::uuid) > 1 or bool_or(
      (app.deals_of_external_ids(own_company_id, array[item ->> 'external_id']))[1] <> (item ->> 'id')::uuid
    )
  ) then
    raise unique_violation using
      message = 'another deal has an external_id, or several deals would get it',
      constraint = 'deals_one_per_external_id';
  end if;
  select jsonb_agg(
    case
      when not coalesce((item ->> 'id')::uuid = any (known_deals), false) then '{"status": 404}'
      when item ? 'stage_id' and (item ->> 'stage_id')::uuid <> all (known_stages)
        then '{"status": 422, "constraint": "deals_stage_fkey"}'
      else jsonb_build_object('status', 200, 'id', (item ->> 'id')::uuid)
    end
    order by place
  )
  into results
  from unnest(items) with ordinality as given (item, place);

  for apart in
    select array_agg(item order by place)
    from (
      select app.fields_in_turn(jsonb_agg(item order by place), 'update') as item, min(place) as place, round
      from (
        select
          item, place, result ->> 'id' as id,
          -- Each change of the stage or the status adds an entry to the history, so each such change has its own round.
          -- Other changes of the deal are written in the round of the previous such change.
          greatest(1, count(*) filter (where item ?| '{stage_id,status}') over (
            partition by result ->> 'id' order by place
          )) as round
        from unnest(items) with ordinality as given (item, place)
        join jsonb_array_elements(results) with ordinality as judged (result, place) using (place)
        where result ? 'id'
      ) as good
      group by id, round
    ) as settled
    group by round
    order by round
  loop
    with changes as (
      update public.deals set
        external_id = case when item ? 'external_id' then item ->> 'external_id' else external_id end,
        title = case when item ? 'title' then item ->> 'title' else title end,
        value = case when item ? 'value' then (item ->> 'value')::numeric else value end,
        status = case when item ? 'status' then item ->> 'status' else status end,
        stage_id = case when item ? 'stage_id' then (item ->> 'stage_id')::uuid else stage_id end
      from unnest(apart) as given (item)
      -- The variable known_deals contains only deals of the company. The condition has only the id, so that the planner
      -- can choose only one index.
      where deals.id = (item ->> 'id')::uuid
        -- An unchanged row gets no new version.
        and (
          item ? 'external_id' and item ->> 'external_id' is distinct from external_id
          or item ? 'title' and item ->> 'title' is distinct from title
          or item ? 'value' and (item ->> 'value')::numeric is distinct from value
          or item ? 'status' and item ->> 'status' is distinct from status
          or item ? 'stage_id' and (item ->> 'stage_id')::uuid is distinct from stage_id
        )
      returning deals.id
    )
    select array_agg(id) into written from changes;
    changed := changed || written;
  end loop;
  return coalesce(
    (
      select jsonb_agg(
        case
          when result ? 'id' and (result ->> 'id')::uuid <> all (changed) then result || '{"status": 304}' else result
        end
        order by place
      )
      from jsonb_array_elements(results) with ordinality as judged (result, place)
    ),
    '[]'
  );
end
$$;
comment on function app.patch_deals_at_once(uuid, jsonb[]) is
  'Writes all items, as app.patch_deals() does, if no item has the external_id of another deal. Otherwise raises a '
  'violation of deals_one_per_external_id, and writes nothing.';

create function app.patch_deals(own_company_id uuid, items jsonb[]) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  results jsonb[] := '{}';
  result jsonb;
  item jsonb;
begin
  return app.patch_deals_at_once(own_company_id, items);
exception when unique_violation then
  perform from public.deals
  where company_id = own_company_id and id = any (array(select (given ->> 'id')::uuid from unnest(items) as given))
  order by id for no key update;
  foreach item in array items loop
    result := null;
    -- The result remains null if the deal that had the external_id no longer exists. The loop then retries the item.
    while result is null loop
      begin
        result := app.patch_deals_at_once(own_company_id, array[item]) -> 0;
      exception when unique_violation then
        result := app.conflict_of_deal(own_company_id, item);
      end;
    end loop;
    results := results || result;
  end loop;
  return to_jsonb(results);
end
$$;
comment on function app.patch_deals(uuid, jsonb[]) is
  'Changes a deal for each item { id, external_id?, title?, value?, status?, stage_id? }, in the order of the items, '
  'and returns the results. An omitted field keeps its value. Several items for the same deal are written together, '
  'but each change of its stage or status is written separately. The result is { status: 200, id } for a changed deal, '
  'and { status: 304, id } for a deal that already had the values of the items.';

create function app.conflict_of_deal(own_company_id uuid, item jsonb) returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object('status', 409, 'existing_id', holder, 'field', 'external_id')
  from unnest(app.deals_of_external_ids(own_company_id, array[item ->> 'external_id'])) as holder
  where holder is not null
$$;
comment on function app.conflict_of_deal(uuid, jsonb) is
  'Returns the result of an item whose external_id another deal has: { status: 409, existing_id, field }. Returns null '
  'when no other deal has this external_id.';

create function public.patch_deals(items jsonb[], atomic boolean default false) returns json
-- Security definer, like write_deals(), so that each function checks the key once and not for every row.
language plpgsql security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('write');
  results jsonb;
begin
  begin
    results := app.patch_deals(own_company_id, items);
    perform app.require_all(results, atomic);
  exception when sqlstate 'CRM01' then
    return app.undone(results);
  end;
  return app.with_deal_rows(own_company_id, results, false);
end
$$;
comment on function public.patch_deals(jsonb[], boolean) is
  'Changes deals of the key''s company, and returns what public.write_deals() returns.';
grant execute on function public.patch_deals(jsonb[], boolean) to api_client;

create function app.with_deal_rows(own_company_id uuid, results jsonb, replayed boolean) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    with given as materialized (
      select place, result, (result ->> 'id')::uuid as id
      from jsonb_array_elements(results) with ordinality as given (result, place)
    ), found as materialized (
      -- With an array, the plan uses the index, even if the planner expects many results.
      select id, app.deal_json(deals) as data from public.deals
      where company_id = own_company_id and id = any (array(select id from given))
    )
    select json_build_object(
      'replayed', replayed, 'undone', false, 'without_custom_fields', false, 'results',
      coalesce(
        jsonb_agg(
          case
            when id is null then result
            when data is null then '{"status": 404}'
            else result || jsonb_build_object('data', data)
          end
          order by place
        ),
        '[]'
      )
    )
    from given
    left join found using (id)
  );
end
$$;
comment on function app.with_deal_rows(uuid, jsonb, boolean) is
  'Returns the result of a write: { replayed, undone, without_custom_fields, results }. Each successful result '
  'contains the current deal. If the deal no longer exists, the result is { "status": 404 }.';

create function public.write_deals(
  items jsonb[], atomic boolean default false, idempotency jsonb default null, on_conflict text default 'fail'
) returns json
-- Security definer, because a key may not write idempotency keys. All rows that this function writes belong to the
-- key's company.
language plpgsql security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('write');
  results jsonb;
  is_replayed boolean;
begin
  begin
    results := app.claim_idempotency_key(own_company_id, idempotency);
    is_replayed := results is not null;
    if not is_replayed then
      results := app.put_deals(own_company_id, items, on_conflict);
      perform app.require_all(results, atomic);
      perform app.keep_outcome(own_company_id, idempotency, results);
    end if;
  exception when sqlstate 'CRM01' then
    return app.undone(results);
  end;
  return app.with_deal_rows(own_company_id, results, is_replayed);
end
$$;
comment on function public.write_deals(jsonb[], boolean, jsonb, text) is
  'Writes deals of the key''s company, as app.put_deals() does. Returns { replayed, undone, without_custom_fields, '
  'results }. Each successful result contains the deal in the field `data`. If `atomic` is true, the function writes '
  'all deals or none. If it writes none, `undone` is true. A repeat with the same Idempotency-Key returns the deals '
  'that the first request wrote.';
grant execute on function public.write_deals(jsonb[], boolean, jsonb, text) to api_client;

-- schemas/45_put_deals.sql

-- Functions that find deals by external_id, or add them.

create function app.change_known_deals(own_company_id uuid, ids uuid[], items jsonb[], on_conflict text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  refusals jsonb[];
  changes jsonb[];
  changed jsonb;
begin
  select
    array_agg(
      case
        when known.contact_id = (item ->> 'contact_id')::uuid then null
        when survivor is not null then jsonb_build_object('status', 409, 'existing_id', survivor, 'merged', true)
        else '{"status": 422, "constraint": "deals_contact_kept"}'
      end
      order by place
    ),
    array_agg(
      jsonb_build_object('id', id) || case
        -- A deal has no arrays or objects to combine, so `merge` has the same effect as `update`.
        when on_conflict in ('update', 'merge') then item - 'contact_id'
        -- The field `value` is the only deal field that can be empty.
        when known.value is null and values_before = 0 and item ? 'value' then jsonb_build_object('value', item -> 'value')
        else '{}'
      end
      order by place
    )
  into refusals, changes
  from (
    select
      id, item, place, count(*) filter (where item ->> 'value' is not null) over (
        partition by id order by place rows between unbounded preceding and 1 preceding
      ) as values_before
    from unnest(ids, items) with ordinality as given (id, item, place)
  ) as given
  cross join lateral (
    select contact_id, value from public.deals where company_id = own_company_id and deals.id = given.id offset 0
  ) as known
  cross join lateral (
    select case when known.contact_id <> (item ->> 'contact_id')::uuid then
      app.survivor_of(own_company_id, (item ->> 'contact_id')::uuid)
    end
  ) as merged (survivor);

  changed := app.patch_deals(own_company_id, array(
    select change from unnest(changes, refusals) with ordinality as given (change, refusal, place)
    where refusal is null order by place
  ));
  return (
    select jsonb_agg(coalesce(refusal, changed -> (place_in_changed - 1)::integer) order by place)
    from (
      select refusal, place, count(*) filter (where refusal is null) over (order by place) as place_in_changed
      from unnest(refusals) with ordinality as given (refusal, place)
    ) as judged
  );
end
$$;
comment on function app.change_known_deals(uuid, uuid[], jsonb[], text) is
  'Applies each item { contact_id, … } to the deal whose id is at the same array position, and returns the results. '
  'Under `update` and `merge`, an item replaces the stored values. Under `keep`, an item only fills a missing value. A '
  'deal''s contact cannot change, so an item with another contact is refused. The caller must have locked the deals.';

create function app.put_deals(own_company_id uuid, items jsonb[], on_conflict text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  results jsonb[] := array_fill(null::jsonb, array[coalesce(cardinality(items), 0)]);
  -- The items without a result: their array positions, their external_ids, and the deals with these external_ids.
  places integer[];
  own_ids text[];
  known uuid[];
  -- The array positions of the items that the function writes next.
  these integer[];
  written jsonb;
begin
  if on_conflict in ('update', 'merge', 'keep', 'fail') is not true then
    raise exception 'on_conflict is update, merge, keep or fail';
  elsif not exists (select from unnest(items) as item where item ? 'external_id') then
    return app.add_deals(own_company_id, items);
  end if;
  loop
    places := array_positions(results, null);
    exit when places = '{}';
    own_ids := array(
      select items[place] ->> 'external_id' from unnest(places) with ordinality as given (place, turn) order by turn
    );
    known := app.deals_of_external_ids(own_company_id, own_ids);
    -- If several items have the same unknown external_id, the first item adds the deal.
    these := array(
      select min(place) from unnest(places, own_ids, known) as given (place, own_id, id)
      where id is null group by own_id, case when own_id is null then place end
      order by 1
    );
    if these <> '{}' then
      begin
        written := app.add_deals(own_company_id, array(
          select items[place] from unnest(these) with ordinality as given (place, turn) order by turn
        ));
      exception when unique_violation then
        continue; -- another transaction has just added one of these deals
      end;
    elsif on_conflict = 'fail' then
      these := places;
      written := (
        select jsonb_agg(
          jsonb_build_object('status', 409, 'existing_id', id, 'field', 'external_id') order by turn
        )
        from unnest(known) with ordinality as given (id, turn)
      );
    else
      perform from public.deals where company_id = own_company_id and id = any (known) order by id for no key update;
      -- During the wait for the locks, another transaction may archive a deal or change its external_id.
      continue when known is distinct from app.deals_of_external_ids(own_company_id, own_ids);
      these := places;
      written := app.change_known_deals(own_company_id, known, array(
        select items[place] from unnest(places) with ordinality as given (place, turn) order by turn
      ), on_conflict);
    end if;
    for turn in 1 .. cardinality(these) loop
      results[these[turn]] := written -> turn - 1;
    end loop;
  end loop;
  return to_jsonb(results);
end
$$;
comment on function app.put_deals(uuid, jsonb[], text) is
  'Adds a deal for each item { title, contact_id, stage_id, … } that has no external_id, or whose external_id no deal '
  'has. For all other items, finds the deal. The argument on_conflict specifies how an existing deal changes. The '
  'values `update`, `merge` and `keep` are rules of app.change_known_deals(). With `fail`, the result is { status: '
  '409, existing_id, field }. If two items have the same external_id, the later item finds the deal of the earlier '
  'item. Returns a result for each item, in order.';

-- schemas/50_channel_apps.sql

-- The WhatsApp apps (Meta apps) whose events this platform accepts. The operator registers an app for several
-- companies, which connect their numbers through this app. A company may also register an app of its own. No other
-- company's account can use that app, so the company's owners and admins may change its secret.

create table public.channel_apps (
  id uuid primary key default gen_random_uuid(),
  -- The key is part of the webhook path that Meta calls. The key is random, so no one can guess it, but it is not a
  -- secret.
  app_key text not null unique check (app_key ~ '^[A-Za-z0-9_-]{16,64}$'),
  name text not null check (char_length(name) between 1 and 100)
    constraint channel_apps_name_can_be_typed check (app.is_key_name(name)),
  -- The secret with which Meta signs events. All sealed columns are compact JWEs (dir, A256GCM), encrypted with the
  -- functions' secret CREDENTIALS_KEY.
  sealed_secret text not null
    check (sealed_secret ~ '^[A-Za-z0-9_-]+\.\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$'),
  -- The earlier secret, which is accepted until the rotation ends.
  sealed_previous_secret text
    check (sealed_previous_secret ~ '^[A-Za-z0-9_-]+\.\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$'),
  rotation_began_at timestamptz,
  -- The verification token that Meta sends when the operator enters the webhook URL in the app's settings at Meta.
  sealed_verify_token text not null
    check (sealed_verify_token ~ '^[A-Za-z0-9_-]+\.\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$'),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- The company that registered the app. Null for the operator's apps.
  owner_company_id uuid references public.companies on delete cascade,
  constraint channel_apps_previous_secret_while_rotating
    check ((sealed_previous_secret is null) = (rotation_began_at is null))
);
comment on table public.channel_apps is
  'A WhatsApp app that may send events to this platform, with its encrypted secrets.';

create index channel_apps_owner_idx on public.channel_apps (owner_company_id);

create function app.runs_channel_app(of_company_id uuid) returns boolean
language sql stable
set search_path = ''
as $$
  select app.acting_kind() <> 'person' or coalesce(of_company_id = any (app.managed_company_ids()), false)
$$;
comment on function app.runs_channel_app(uuid) is
  'Checks whether the caller may change an app of this company. The platform may change every app. Users may change '
  'only the apps of companies that they manage. No user may change an app of the operator.';

create function app.usual_channel_app(of_company_id uuid) returns uuid
language sql stable
set search_path = ''
as $$
  select case
    when count(owner_company_id) = 1 then min(id::text) filter (where owner_company_id is not null)
    when count(owner_company_id) = 0 and count(*) = 1 then min(id::text)
  end::uuid
  from public.channel_apps
  where owner_company_id = of_company_id or owner_company_id is null
$$;
comment on function app.usual_channel_app(uuid) is
  'Returns the app that a new account of a company probably uses: the company''s only app, otherwise the operator''s '
  'only app. Returns null when several apps are possible.';

create function app.note_app_event(app public.channel_apps, action text) returns void
language sql security definer -- no role may write the events
set search_path = ''
as $$
  -- The operator's apps have no company, so they create no events. An app that is deleted with its company creates no
  -- event either.
  insert into public.company_events (
    company_id, action, details, actor_kind, actor_id, actor_name, client_address
  )
  select
    company.id, note_app_event.action, jsonb_build_object('app', app.name), acting.kind, acting.person,
    app.name_of_person(acting.person, company.id), app.client_address()
  from public.companies as company
  cross join lateral (
    select app.acting_kind() as kind, case when app.acting_kind() = 'person' then auth.uid() end as person
  ) as acting
  where company.id = app.owner_company_id
  for key share of company
$$;
comment on function app.note_app_event(public.channel_apps, text) is
  'Writes an event about a company''s app into company_events.';

create function app.note_app_deletion() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform app.note_app_event(old, 'app_deleted');
  return null;
end
$$;
comment on function app.note_app_deletion() is 'Trigger: records the deletion of an app in company_events.';

create function public.create_channel_app(
  company_id uuid,
  app_key text,
  name text,
  sealed_secret text,
  sealed_verify_token text
) returns jsonb
language plpgsql security definer -- no role may read the secrets
set search_path = ''
as $$
#variable_conflict use_column
declare
  made public.channel_apps;
begin
  if not app.runs_channel_app(create_channel_app.company_id) then
    raise sqlstate 'PT403' using message = 'Only owners and admins of a company register its apps';
  end if;
  if not app.is_key_name(create_channel_app.name) then
    raise sqlstate 'PT422' using message =
      'name must have no blank at either end, and no line breaks, control characters or invisible characters';
  end if;
  -- If several users register apps at the same time, they count the apps one after the other.
  perform from public.companies where id = create_channel_app.company_id for no key update;
  if (select count(*) from public.channel_apps where owner_company_id = create_channel_app.company_id) >= 10 then
    raise sqlstate 'PT409' using message = 'A company has at most 10 apps: ask the operator to delete one first';
  end if;
  insert into public.channel_apps (owner_company_id, app_key, name, sealed_secret, sealed_verify_token)
  values (
    create_channel_app.company_id, create_channel_app.app_key, create_channel_app.name,
    create_channel_app.sealed_secret, create_channel_app.sealed_verify_token
  )
  returning * into made;
  perform app.note_app_event(made, 'app_registered');
  -- A company that registers its first app expects this app to deliver the events for its connected numbers. Until Meta
  -- sends events through the new app, events from the operator's app are still accepted, because the accounts used that
  -- app earlier.
  update public.messaging_accounts as accounts set channel_app_id = made.id
  where accounts.company_id = create_channel_app.company_id and not exists (
    select from public.channel_apps as apps
    where apps.id = accounts.channel_app_id and apps.owner_company_id is not null
  );
  return jsonb_build_object(
    'id', made.id, 'app_key', made.app_key, 'name', made.name, 'rotation_began_at', made.rotation_began_at
  );
end
$$;
comment on function public.create_channel_app(uuid, text, text, text, text) is
  'Registers an app of a company, with its sealed secrets. From then on, the company''s accounts that did not use one '
  'of its own apps use the new app. Raises PT403 for users who do not manage the company, PT409 when the company has '
  '10 apps, and PT422 for an unreadable name.';
grant execute on function public.create_channel_app(uuid, text, text, text, text) to settings_client;

create function public.channel_app(app_key text) returns jsonb
-- Security definer, because the role for the edge function `whatsapp` cannot read any table.
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
  'Returns the encrypted secrets of the app with this app_key, or null for an unknown app.';
grant execute on function public.channel_app(text) to channel_client;

create function public.rotate_channel_app(app_key text, sealed_secret text) returns timestamptz
-- Security definer, because the function copies a secret between columns that no role may read.
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  changed public.channel_apps;
begin
  -- A second rotation before the end of the first rotation replaces only the new secret. This helps, for example, after
  -- a typing error.
  update public.channel_apps as apps set
    sealed_secret = rotate_channel_app.sealed_secret,
    sealed_previous_secret = coalesce(apps.sealed_previous_secret, apps.sealed_secret),
    rotation_began_at = coalesce(apps.rotation_began_at, now())
  where apps.app_key = rotate_channel_app.app_key and app.runs_channel_app(apps.owner_company_id)
  returning apps.* into changed;
  perform app.note_app_event(changed, 'app_secret_changed');
  return changed.rotation_began_at;
end
$$;
comment on function public.rotate_channel_app(text, text) is
  'Gives an app a new secret. Until finish_channel_app_rotation() is called, the earlier secret is also accepted. '
  'Returns the start time of the rotation, or null for an app that is unknown or that the caller may not change.';
grant execute on function public.rotate_channel_app(text, text) to settings_client, service_role;

create function public.finish_channel_app_rotation(app_key text) returns boolean
language plpgsql security definer -- see rotate_channel_app()
set search_path = ''
as $$
#variable_conflict use_column
declare
  found_app public.channel_apps;
begin
  select * into found_app from public.channel_apps as apps
  where apps.app_key = finish_channel_app_rotation.app_key and app.runs_channel_app(apps.owner_company_id)
  for update;
  if not found then
    return null;
  end if;
  if found_app.rotation_began_at is null then
    return false;
  end if;
  update public.channel_apps set sealed_previous_secret = null, rotation_began_at = null where id = found_app.id;
  perform app.note_app_event(found_app, 'app_secret_ended');
  return true;
end
$$;
comment on function public.finish_channel_app_rotation(text) is
  'Ends the rotation of an app. Only the new secret is accepted from then on. Returns whether a rotation was in '
  'progress, or null for an app that is unknown or that the caller may not change.';
grant execute on function public.finish_channel_app_rotation(text) to authenticated, service_role;

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
language sql security definer -- see sealed_app_secrets()
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
  'Replaces one sealed secret of an app if the stored secret is still sealed_before. Returns whether the secret was '
  'replaced.';
grant execute on function public.reseal_app_secret(text, text, text, text) to service_role;

create trigger channel_apps_check_name before insert or update of name on public.channel_apps
  for each row execute function app.check_name_of_row('an app');
create trigger channel_apps_note_deletion after delete on public.channel_apps
  for each row execute function app.note_app_deletion();
create trigger channel_apps_set_updated_at before update on public.channel_apps
  for each row execute function app.set_updated_at();

alter table public.channel_apps enable row level security;
create policy "the platform reads apps of the channel" on public.channel_apps
  for select to service_role using (true);
create policy "owners and admins read the apps of their company" on public.channel_apps
  for select to authenticated using (owner_company_id = any ((select app.managed_company_ids())::uuid[]));

grant select (id, owner_company_id, app_key, name, rotation_began_at, created_at) on public.channel_apps to authenticated;
grant select (id, owner_company_id, app_key, name, rotation_began_at, created_at, updated_at) on public.channel_apps
  to service_role;
grant insert (app_key, name, sealed_secret, sealed_verify_token) on public.channel_apps to service_role;

-- schemas/51_accounts.sql

-- Messaging accounts: the phone numbers that a company uses on WhatsApp, and when each number was connected. Owners,
-- admins and the operator can disconnect a number. They connect a number with connect_messaging_account().

create type public.disconnected_messaging_account as (
  id uuid,
  disconnected_at timestamptz,
  was_connected boolean
);
comment on type public.disconnected_messaging_account is
  'An account as disconnect_messaging_account() returns it. was_connected is true when this call disconnected the '
  'account.';

create table public.messaging_accounts (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  -- The WhatsApp ids, which are decimal digits.
  phone_number_id text not null check (phone_number_id ~ '^[0-9]{1,32}$'),
  business_account_id text check (business_account_id ~ '^[0-9]{1,32}$'),
  display_phone text not null check (display_phone ~ '^\+[1-9][0-9]{6,14}$'),
  -- A compact JWE (dir, A256GCM), encrypted with the functions' secret CREDENTIALS_KEY.
  encrypted_token text check (encrypted_token ~ '^[A-Za-z0-9_-]+\.\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$'),
  disconnected_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Only events from this app, or from an earlier app of the account, are accepted for the account. So no one can use
  -- an app's secret to forge events for a company that does not use that app.
  channel_app_id uuid references public.channel_apps on delete set null,
  -- When WhatsApp first refused the account after the last successful send. The functions that claim sends read this
  -- column. If the column is not null, the next successful send withdraws the refusals.
  refused_at timestamptz,
  unique (company_id, id),
  constraint messaging_accounts_one_per_number unique (company_id, phone_number_id),
  -- A disconnected account keeps its conversations but not its token.
  constraint messaging_accounts_token_while_connected
    check ((disconnected_at is null) = (encrypted_token is not null))
);
comment on table public.messaging_accounts is
  'A company''s phone number on WhatsApp, with its encrypted access token.';
comment on column public.messaging_accounts.channel_app_id is
  'The app that the account uses now. Null when the account uses no app. Events from earlier apps of the account are '
  'also accepted.';

-- This table keeps earlier apps, because a message status may arrive days after the account changed to another app.
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
  'Every app that an account uses or used earlier. An event is accepted for an account only if one of these apps '
  'signed the event.';

-- This table records which account had a number, and when. A message belongs to the company that had the number when
-- the person wrote the message. This rule also applies if WhatsApp delivers the message after the number moved to
-- another company.
create table public.account_connections (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  account_id uuid not null,
  connected_at timestamptz not null default now(),
  disconnected_at timestamptz,
  -- When the last event about the account arrived. This time shows the operator whether events arrive. The column is
  -- not in messaging_accounts, because jobs and sends read that table constantly.
  last_event_at timestamptz,
  constraint account_connections_account_fkey foreign key (company_id, account_id)
    references public.messaging_accounts (company_id, id) on delete cascade
);
comment on table public.account_connections is
  'The periods in which each messaging account was connected with its number.';
comment on column public.account_connections.last_event_at is
  'When the last event about the account was received while the account was connected. The time is precise to ten '
  'seconds. Null when there was no event.';

-- An inbound message identifies the account that received it only by phone_number_id, so a number can be connected to
-- only one company at a time.
create unique index messaging_accounts_one_connection_idx on public.messaging_accounts (phone_number_id)
  where disconnected_at is null;
create index messaging_accounts_channel_app_idx on public.messaging_accounts (channel_app_id);
create index account_channel_apps_app_idx on public.account_channel_apps (channel_app_id);
create index account_connections_account_idx on public.account_connections (company_id, account_id, connected_at desc);

-- These indexes find the account for each item of an event.
create index messaging_accounts_number_idx on public.messaging_accounts (phone_number_id);
create index messaging_accounts_business_account_idx on public.messaging_accounts (business_account_id);

create function app.note_connection() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' and new.phone_number_id <> old.phone_number_id then
    -- The account did not have the new number until now. An earlier message to this number was for the account that had
    -- the number at that time.
    delete from public.account_connections where company_id = new.company_id and account_id = new.id;
    if new.disconnected_at is not null then
      return null;
    end if;
  end if;
  if new.disconnected_at is null then
    insert into public.account_connections (company_id, account_id) values (new.company_id, new.id);
  elsif tg_op = 'INSERT' then
    insert into public.account_connections (company_id, account_id, connected_at, disconnected_at)
    values (new.company_id, new.id, least(new.created_at, new.disconnected_at), new.disconnected_at);
  else
    update public.account_connections set disconnected_at = new.disconnected_at
    where company_id = new.company_id and account_id = new.id and disconnected_at is null;
  end if;
  return null;
end
$$;
comment on function app.note_connection() is
  'Trigger: records the periods in which an account is connected with its number.';

create function app.remember_channel_app() returns trigger
-- Security definer, because no role may write the table.
language plpgsql security definer
set search_path = ''
as $$
begin
  if exists (
    select from public.channel_apps where id = new.channel_app_id and owner_company_id <> new.company_id
  ) then
    raise sqlstate 'PT409' using message = 'The app belongs to another company';
  end if;
  insert into public.account_channel_apps (company_id, account_id, channel_app_id)
  values (new.company_id, new.id, new.channel_app_id)
  on conflict do nothing;
  return null;
end
$$;
comment on function app.remember_channel_app() is
  'Trigger: keeps the app of an account, even after the account gets another app. Raises PT409 for an app of another '
  'company, because that company''s owners and admins may change the app''s secret.';

create function public.disconnect_messaging_account(account_id uuid) returns public.disconnected_messaging_account
-- Security definer, because no user may write the table. The function deletes the token without reading it.
language plpgsql security definer
set search_path = ''
-- A disconnection may have to wait for a transaction that stores the account's templates.
set lock_timeout = '3s'
as $$
#variable_conflict use_column
declare
  is_platform constant boolean := coalesce(current_setting('role', true) = 'service_role', false);
  owner_id uuid;
  disconnected public.disconnected_messaging_account;
begin
  select accounts.company_id into owner_id from public.messaging_accounts as accounts
  where accounts.id = disconnect_messaging_account.account_id
    -- The error must not reveal whether another company has the account.
    and (is_platform or accounts.company_id = any (app.member_company_ids()));
  if not found then
    raise sqlstate 'PT404' using message = 'No messaging account has this id';
  end if;
  if not is_platform and owner_id <> all (app.managed_company_ids()) then
    raise sqlstate 'PT403' using message = 'Only owners and admins of a company disconnect its messaging accounts';
  end if;

  -- If two calls run at the same time, the second call waits for the first and then has nothing to do.
  select accounts.id, accounts.disconnected_at, accounts.disconnected_at is null into disconnected
  from public.messaging_accounts as accounts
  where accounts.id = disconnect_messaging_account.account_id and accounts.company_id = owner_id
  for no key update;
  if not found then
    raise sqlstate 'PT404' using message = 'No messaging account has this id';
  end if;
  if disconnected.was_connected then
    update public.messaging_accounts as accounts set
      -- This is clock_timestamp() and not now(), because this transaction may have waited for a transaction that
      -- connected the account.
      disconnected_at = clock_timestamp(), encrypted_token = null
    where accounts.id = disconnected.id
    returning accounts.disconnected_at into disconnected.disconnected_at;
  end if;
  return disconnected;
exception
  when lock_not_available then
    raise sqlstate 'PT503' using message = 'The account or its templates are being changed: try again in a minute';
end
$$;
comment on function public.disconnect_messaging_account(uuid) is
  'Disconnects a messaging account and deletes its token. Owners and admins of its company and the platform may call '
  'this function. If the account is already disconnected, disconnected_at does not change. Conversations, messages and '
  'templates remain. Sends in progress still get their outcome, and status reports about sent messages are still '
  'processed. Raises PT403 for other members of the company. Raises PT404 when the caller has no account with this id. '
  'Raises PT503 after waiting too long for a lock.';
grant execute on function public.disconnect_messaging_account(uuid) to authenticated, service_role;

-- A program uses these two functions to encrypt the access tokens with a new CREDENTIALS_KEY. The program has both
-- keys. It reads each sealed token, seals it with the new key, and stores it again. A sealed token is useless without a
-- key.
create function public.sealed_account_tokens(
  after_id uuid default null,
  max_rows integer default 1000
) returns table (id uuid, encrypted_token text)
language sql stable security definer
set search_path = ''
as $$
  select accounts.id, accounts.encrypted_token
  from public.messaging_accounts as accounts
  where accounts.encrypted_token is not null
    and accounts.id > coalesce(after_id, '00000000-0000-0000-0000-000000000000')
  order by accounts.id
  limit greatest(least(max_rows, 1000), 0)
$$;
comment on function public.sealed_account_tokens(uuid, integer) is
  'Returns connected accounts of all companies with their encrypted tokens. The accounts are sorted by id and begin '
  'after after_id. Returns at most max_rows accounts, and never more than 1000.';
grant execute on function public.sealed_account_tokens(uuid, integer) to service_role;

create function public.reseal_account_token(
  account_id uuid,
  sealed_before text,
  sealed text
) returns boolean
language sql security definer
set search_path = ''
as $$
  -- If the account was connected or disconnected since its token was read, the condition on sealed_before keeps the
  -- change.
  with resealed as (
    update public.messaging_accounts as accounts set encrypted_token = sealed
    where accounts.id = account_id and accounts.encrypted_token = sealed_before
    returning accounts.id
  )
  select exists (select from resealed)
$$;
comment on function public.reseal_account_token(uuid, text, text) is
  'Replaces an account''s encrypted token if the stored token is still sealed_before. Returns whether the token was '
  'replaced.';
grant execute on function public.reseal_account_token(uuid, text, text) to service_role;

create function app.accounts_of_app(app_id uuid, number_id text, business_id text) returns uuid[]
language plpgsql stable
set search_path = ''
as $$
begin
  return array(
    select accounts.id
    from public.messaging_accounts as accounts
    where (accounts.phone_number_id = number_id or accounts.business_account_id = business_id)
      and exists (
        select from public.account_channel_apps as named
        where named.company_id = accounts.company_id and named.account_id = accounts.id
          and named.channel_app_id = app_id
      )
    order by accounts.id
  );
end
$$;
comment on function app.accounts_of_app(uuid, text, text) is
  'Returns the accounts with this number or this business account that use the app or used it earlier.';

create function app.account_at(account_ids uuid[], number_id text, happened_at timestamptz) returns uuid
language plpgsql stable
set search_path = ''
as $$
declare
  holder_id uuid;
begin
  -- This query searches the accounts of all apps for the account that had the number. Otherwise a repeated event could
  -- reveal one company's customer to another company.
  select accounts.id into holder_id
  from public.messaging_accounts as accounts
  join public.account_connections as connections on connections.company_id = accounts.company_id
    and connections.account_id = accounts.id
  where accounts.phone_number_id = number_id and connections.connected_at <= happened_at
    and (connections.disconnected_at is null or connections.disconnected_at > happened_at)
  order by connections.connected_at desc
  limit 1;
  if found then
    return case when holder_id = any (account_ids) then holder_id end;
  end if;
  return (
    select accounts.id from public.messaging_accounts as accounts
    where accounts.id = any (account_ids) and accounts.disconnected_at is null
  );
end
$$;
comment on function app.account_at(uuid[], text, timestamptz) is
  'Returns the account that was connected with the given number at the given time. If no account was connected then, '
  'returns the account in account_ids that is connected now. Returns null when the account that had the number is not '
  'in account_ids.';

create function app.account_id_in(item jsonb) returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  return item ->> case when item ->> 'kind' in ('template', 'account') then 'waba' else 'phone_number_id' end;
end
$$;
comment on function app.account_id_in(jsonb) is
  'Returns the id by which an item identifies its account: a phone number id or a business account id.';

create function app.note_last_event(app_id uuid, items jsonb, received_at timestamptz) returns void
-- This function uses PL/pgSQL, because PL/pgSQL caches its plans. Postgres would plan an SQL function again for each
-- event.
language plpgsql
set search_path = ''
as $$
declare
  number_ids constant text[] := array(
    select distinct app.account_id_in(listed.item) from jsonb_array_elements(items) as listed (item)
    where listed.item ->> 'kind' not in ('template', 'account')
  );
  business_ids constant text[] := array(
    select distinct app.account_id_in(listed.item) from jsonb_array_elements(items) as listed (item)
    where listed.item ->> 'kind' in ('template', 'account')
  );
begin
  with heard as (
    select connections.id
    from public.messaging_accounts as accounts
    join public.account_connections as connections on connections.company_id = accounts.company_id
      and connections.account_id = accounts.id
    where (accounts.phone_number_id = any (number_ids) or accounts.business_account_id = any (business_ids))
      and exists (
        select from public.account_channel_apps as named
        where named.company_id = accounts.company_id and named.account_id = accounts.id
          and named.channel_app_id = app_id
      )
      and connections.disconnected_at is null
      -- Because of this condition, many events in a short time cause only a few writes, and a repeated event causes no
      -- write.
      and (
        connections.last_event_at is null
        or connections.last_event_at < note_last_event.received_at - interval '10 seconds'
      )
    -- This function never waits for a locked row. A transaction that has locked the row either records nearly the same
    -- time or disconnects the account.
    for no key update of connections skip locked
  )
  update public.account_connections as connections set last_event_at = note_last_event.received_at
  where connections.id in (select heard.id from heard);
end
$$;
comment on function app.note_last_event(uuid, jsonb, timestamptz) is
  'Records the time at which an app''s event was received, for each connected account to which an item of the event '
  'refers.';

create function app.connected_numbers(of_company_id uuid, of_business_account_id text) returns text[]
language sql stable
set search_path = ''
as $$
  select coalesce(array_agg(phone_number_id order by phone_number_id), '{}')
  from public.messaging_accounts
  where company_id = of_company_id and business_account_id = of_business_account_id and disconnected_at is null
$$;
comment on function app.connected_numbers(uuid, text) is
  'Returns the phone_number_id of each connected account of a company in one business account.';

create trigger messaging_accounts_set_updated_at before update on public.messaging_accounts
  for each row execute function app.set_updated_at();
create trigger messaging_accounts_remember_channel_app
  after insert or update of channel_app_id on public.messaging_accounts
  for each row when (new.channel_app_id is not null) execute function app.remember_channel_app();
create trigger messaging_accounts_note_first_connection after insert on public.messaging_accounts
  for each row execute function app.note_connection();
create trigger messaging_accounts_note_connection
  after update of disconnected_at, phone_number_id on public.messaging_accounts
  for each row when (
    (old.disconnected_at is null) <> (new.disconnected_at is null) or old.phone_number_id <> new.phone_number_id
  )
  execute function app.note_connection();

alter table public.messaging_accounts enable row level security;
create policy "people see their company's messaging accounts" on public.messaging_accounts
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
alter table public.account_channel_apps enable row level security;
create policy "the platform reads which apps accounts have named" on public.account_channel_apps
  for select to service_role using (true);
alter table public.account_connections enable row level security;
create policy "people read when their company's accounts were connected" on public.account_connections
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));

grant select (
  id, company_id, phone_number_id, business_account_id, display_phone, disconnected_at, created_at, updated_at,
  channel_app_id
) on public.messaging_accounts to authenticated;
grant delete on public.messaging_accounts to service_role;
grant select (
  id, company_id, phone_number_id, business_account_id, display_phone, disconnected_at, created_at, updated_at,
  channel_app_id
) on public.messaging_accounts to service_role;
grant insert (
  company_id, phone_number_id, business_account_id, display_phone, encrypted_token, disconnected_at, channel_app_id
) on public.messaging_accounts to service_role;
grant update (
  company_id, phone_number_id, business_account_id, display_phone, encrypted_token, disconnected_at, channel_app_id
) on public.messaging_accounts to service_role;
grant select on public.account_channel_apps to service_role;
grant select on public.account_connections to authenticated, service_role;

-- schemas/52_conversations.sql

-- Conversations. A conversation is between a company and one contact, on one messaging account. This file also defines
-- the window in which the company may reply freely.

create table public.conversations (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null default app.company_id() references public.companies on delete cascade,
  contact_id uuid not null,
  messaging_account_id uuid not null,
  status text not null default 'open' check (status in ('open', 'pending', 'closed')),
  assigned_to uuid,
  team_id uuid,
  last_message_at timestamptz,
  -- Until this time, the company may send free-form messages. After this time, only approved templates are allowed.
  window_expires_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  version bigint not null default app.change_now(),
  -- The WhatsApp id of the business phone number in this conversation.
  phone_number_id text not null constraint conversations_phone_number_id_check
    check (phone_number_id ~ '^[0-9]{1,32}$'),
  unique (company_id, id),
  -- A contact or an account that has conversations cannot be deleted, except with its company.
  constraint conversations_contact_fkey foreign key (company_id, contact_id)
    references public.contacts (company_id, id) on delete no action,
  constraint conversations_messaging_account_fkey foreign key (company_id, messaging_account_id)
    references public.messaging_accounts (company_id, id) on delete no action,
  constraint conversations_assignee_fkey foreign key (company_id, assigned_to)
    references public.company_members (company_id, user_id) on delete set null (assigned_to),
  constraint conversations_team_fkey foreign key (company_id, team_id)
    references public.teams (company_id, id) on delete set null (team_id)
);
comment on table public.conversations is
  'A conversation of a company with a contact on a messaging account. A conversation starts with its first message and '
  'ends when someone closes it.';

-- These statistics make the planner assume that all rows belong to one company and one account. 30_contacts.sql
-- explains why.
alter table public.conversations
  alter column company_id set (n_distinct = 1),
  alter column messaging_account_id set (n_distinct = 1);

-- A company may send free-form messages for 24 hours after a person's message. Each pair of a person and a business
-- number has one window, even if the pair has several conversations.
create table public.contact_windows (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  contact_id uuid not null,
  account_id uuid not null,
  -- The time of the person's newest message, which opens the window.
  last_inbound_at timestamptz,
  -- The newest time at which WhatsApp reported that the window is closed.
  closed_at timestamptz,
  expires_at timestamptz generated always as (
    -- In UTC, every day has 24 hours. The session's time zone does not matter.
    case when closed_at >= last_inbound_at
      then least(closed_at, (last_inbound_at at time zone 'UTC' + interval '24 hours') at time zone 'UTC')
      else (last_inbound_at at time zone 'UTC' + interval '24 hours') at time zone 'UTC' end
  ) stored,
  -- The value of expires_at for which the event conversation.window_closing was last written.
  closing_noted_for timestamptz,
  constraint contact_windows_once unique (company_id, contact_id, account_id),
  constraint contact_windows_contact_fkey foreign key (company_id, contact_id)
    references public.contacts (company_id, id) on delete cascade,
  constraint contact_windows_account_fkey foreign key (company_id, account_id)
    references public.messaging_accounts (company_id, id) on delete cascade
);
comment on table public.contact_windows is
  'The time until which a company may send a person free-form messages from one of its numbers.';

alter table public.contact_windows
  alter column company_id set (n_distinct = 1),
  alter column account_id set (n_distinct = 1);

create index conversations_newest_first_idx on public.conversations (company_id, created_at desc, id desc);
create index conversations_messaging_account_idx on public.conversations (messaging_account_id);
create unique index conversations_one_not_closed_idx
  on public.conversations (company_id, contact_id, messaging_account_id)
  where status <> 'closed';

create index conversations_status_idx on public.conversations (company_id, status, created_at desc, id desc);
create index conversations_contact_idx on public.conversations (company_id, contact_id, created_at desc, id desc);
create index conversations_assignee_idx on public.conversations (company_id, assigned_to, created_at desc, id desc);
create index conversations_team_idx on public.conversations (company_id, team_id, created_at desc, id desc);
create index conversations_window_idx on public.conversations (company_id, window_expires_at);
create index conversations_by_last_message_idx
  on public.conversations (company_id, coalesce(last_message_at, '-infinity'), id);
create index conversations_by_update_idx on public.conversations (company_id, updated_at, id);
create index conversations_changes_idx on public.conversations (company_id, version, id);
create index contact_windows_account_idx on public.contact_windows (account_id);
create index conversations_number_idx
  on public.conversations (company_id, phone_number_id, created_at desc, id desc);

create function app.begin_conversation() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    select phone_number_id into new.phone_number_id from public.messaging_accounts
    where company_id = new.company_id and id = new.messaging_account_id;
  end if;
  select coalesce(max(expires_at), new.window_expires_at) into new.window_expires_at from public.contact_windows
  where company_id = new.company_id and contact_id = new.contact_id and account_id = new.messaging_account_id;
  return new;
end
$$;
comment on function app.begin_conversation() is
  'Trigger: when a conversation is added or reopened, sets its phone_number_id and window_expires_at.';

create function app.note_number_of_conversations() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  update public.conversations set phone_number_id = new.phone_number_id
  where company_id = new.company_id and messaging_account_id = new.id;
  return null;
end
$$;
comment on function app.note_number_of_conversations() is
  'Trigger: when an account''s number changes, sets the new number in the account''s conversations.';

-- Security definer, because a write token may read only the conversation that it writes. So the function checks the
-- company itself.
create function public.other_conversation_not_closed(conversation_id uuid) returns uuid
language sql stable security definer
set search_path = ''
as $$
  select other.id
  from public.conversations as this
  join public.conversations as other using (company_id, contact_id, messaging_account_id)
  where this.company_id = (select app.company_id('write'))
    and this.id = other_conversation_not_closed.conversation_id
    and other.id <> this.id
    and other.status <> 'closed'
$$;
comment on function public.other_conversation_not_closed(uuid) is
  'Returns the conversation that prevents this conversation of the key''s company from being opened. The other '
  'conversation has the same contact and account, and is not closed. Returns null when no such conversation exists. '
  'Needs a write token.';
grant execute on function public.other_conversation_not_closed(uuid) to api_client;

create function app.close_window(own_company_id uuid, of_contact_id uuid, on_account_id uuid, at timestamptz)
returns void
language plpgsql
set search_path = ''
as $$
declare
  new_expires_at timestamptz;
begin
  insert into public.contact_windows as windows (company_id, contact_id, account_id, closed_at)
  values (own_company_id, of_contact_id, on_account_id, at)
  on conflict on constraint contact_windows_once do update set
    closed_at = greatest(windows.closed_at, excluded.closed_at)
  returning windows.expires_at into new_expires_at;
  update public.conversations set window_expires_at = new_expires_at
  where company_id = own_company_id and contact_id = of_contact_id and messaging_account_id = on_account_id
    and status <> 'closed' and window_expires_at is distinct from new_expires_at;
end
$$;
comment on function app.close_window(uuid, uuid, uuid, timestamptz) is
  'Records that WhatsApp reported a contact''s window on an account as closed. The person''s next message reopens the '
  'window. If the person wrote after the time `at`, the window remains open.';

create function app.find_or_open_conversation(
  own_company_id uuid,
  with_contact_id uuid,
  on_account_id uuid,
  out id uuid,
  out is_new boolean
)
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
begin
  loop
    select conversations.id, false into find_or_open_conversation.id, is_new
    from public.conversations
    where company_id = own_company_id and contact_id = with_contact_id
      and messaging_account_id = on_account_id and status <> 'closed'
    for key share;
    exit when found;
    insert into public.conversations (company_id, contact_id, messaging_account_id)
    values (own_company_id, with_contact_id, on_account_id)
    on conflict (company_id, contact_id, messaging_account_id) where status <> 'closed' do nothing
    returning conversations.id, true into find_or_open_conversation.id, is_new;
    exit when found;
  end loop;
end
$$;
comment on function app.find_or_open_conversation(uuid, uuid, uuid) is
  'Finds a contact''s conversation on an account, if the conversation is not closed. Otherwise opens a conversation. '
  'If several calls run at the same time, only one call opens a conversation.';

create trigger conversations_note_written before insert or update on public.conversations
  for each statement execute function app.note_written_table();
create trigger conversations_note_no_longer_written after insert or update on public.conversations
  for each statement execute function app.note_written_table();
create trigger conversations_note_change before update on public.conversations
  for each row execute function app.note_change();
create trigger conversations_note_deletion after delete on public.conversations
  referencing old table as deleted for each statement execute function app.note_deletion();
create trigger conversations_begin before insert on public.conversations
  for each row execute function app.begin_conversation();
create trigger conversations_begin_again before update of status on public.conversations
  for each row when (old.status = 'closed' and new.status <> 'closed') execute function app.begin_conversation();
create trigger messaging_accounts_note_number_of_conversations after update of phone_number_id
  on public.messaging_accounts
  for each row when (old.phone_number_id <> new.phone_number_id) execute function app.note_number_of_conversations();

alter table public.conversations enable row level security;
create policy "a key reads its company's conversations" on public.conversations
  for select to api_client using (company_id = (select app.company_id_to_read('conversations')));
create policy "a key changes its company's conversations" on public.conversations
  for update to api_client
  using (company_id = (select app.company_id('write')))
  with check (company_id = (select app.company_id('write')));
create policy "people read their company's conversations" on public.conversations
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "people change their company's conversations" on public.conversations
  for update to authenticated
  using (company_id = any ((select app.member_company_ids())::uuid[]))
  with check (company_id = any ((select app.member_company_ids())::uuid[]));
alter table public.contact_windows enable row level security;
create policy "people read the windows of their company's contacts" on public.contact_windows
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));

grant select, update (status, assigned_to, team_id, version) on public.conversations to api_client;
grant select, update (status, assigned_to, team_id) on public.conversations to authenticated;
grant select, insert, update, delete on public.conversations to service_role;
grant select on public.contact_windows to authenticated, service_role;

select app.make_feed('conversation_changes', 'conversations', '
  id, company_id, contact_id, phone_number_id, status, assigned_to, team_id, last_message_at, window_expires_at,
  created_at, updated_at
');

-- schemas/52_message_parts.sql

-- The parts of inbound messages that callers read as fields: a location, contact cards, and the person's choice. The
-- functions read these parts from the original WhatsApp object in the column `payload`. A part with an unexpected
-- structure is null.

create function app.location_in(payload jsonb) returns jsonb
language sql immutable
set search_path = ''
as $$
  select case
    when jsonb_typeof(place -> 'latitude') = 'number' and jsonb_typeof(place -> 'longitude') = 'number' then
      jsonb_build_object(
        'latitude', place -> 'latitude', 'longitude', place -> 'longitude', 'name', place ->> 'name',
        'address', place ->> 'address', 'url', place ->> 'url'
      )
  end
  from (values (payload -> 'location')) as told (place)
$$;
comment on function app.location_in(jsonb) is
  'Returns the location in a message''s payload: { latitude, longitude, name, address, url }.';

create function app.contact_cards_in(payload jsonb) returns jsonb
language sql immutable
set search_path = ''
as $$
  select jsonb_agg(jsonb_build_object(
    'name', card #>> '{name,formatted_name}',
    'organization', card #>> '{org,company}',
    'phones', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'phone', entry ->> 'phone', 'whatsapp_id', entry ->> 'wa_id', 'type', entry ->> 'type'
      ) order by place), '[]')
      from jsonb_array_elements(
        case jsonb_typeof(card -> 'phones') when 'array' then card -> 'phones' else '[]' end
      ) with ordinality as phones (entry, place)
      where jsonb_typeof(entry) = 'object'
    ),
    'emails', (
      select coalesce(jsonb_agg(jsonb_build_object('email', entry ->> 'email', 'type', entry ->> 'type') order by place), '[]')
      from jsonb_array_elements(
        case jsonb_typeof(card -> 'emails') when 'array' then card -> 'emails' else '[]' end
      ) with ordinality as emails (entry, place)
      where jsonb_typeof(entry) = 'object'
    )
  ) order by card_place)
  from jsonb_array_elements(
    case jsonb_typeof(payload -> 'contacts')
      when 'array' then payload -> 'contacts'
      when 'object' then jsonb_build_array(payload -> 'contacts')
      else '[]'
    end
  ) with ordinality as cards (card, card_place)
  where jsonb_typeof(card) = 'object'
$$;
comment on function app.contact_cards_in(jsonb) is
  'Returns the contact cards in a message''s payload: an array of { name, organization, phones, emails }.';

create function app.choice_in(payload jsonb) returns jsonb
language sql immutable
set search_path = ''
as $$
  select case
    when payload ? 'button' then jsonb_build_object(
      'type', 'button', 'id', payload #>> '{button,payload}', 'title', payload #>> '{button,text}', 'description', null
    )
    when payload #>> '{interactive,type}' in ('button_reply', 'list_reply') then jsonb_build_object(
      'type', payload #>> '{interactive,type}',
      'id', payload #>> array['interactive', payload #>> '{interactive,type}', 'id'],
      'title', payload #>> array['interactive', payload #>> '{interactive,type}', 'title'],
      'description', payload #>> array['interactive', payload #>> '{interactive,type}', 'description']
    )
  end
$$;
comment on function app.choice_in(jsonb) is
  'Returns the person''s choice in a message''s payload: { type, id, title, description }. The type is button (a '
  'template button), button_reply or list_reply.';

grant execute on function app.location_in(jsonb), app.contact_cards_in(jsonb), app.choice_in(jsonb)
  to api_reader, api_client;

-- schemas/53_messages.sql

-- Messages of a conversation, and the reported facts about each message. Each fact that WhatsApp can report has its own
-- column, and the status is derived from these columns. A new message updates last_message_at and the window of its
-- conversation.

create table public.messages (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  conversation_id uuid not null,
  direction text not null check (direction in ('inbound', 'outbound')),
  type text not null default 'text' constraint messages_type_check check (
    type in ('text', 'image', 'video', 'document', 'audio', 'interactive')
    or direction = 'inbound' and type in (
      'sticker', 'location', 'contacts', 'button', 'order', 'system', 'unsupported'
    )
  ),
  content text not null constraint messages_content_check
    check (char_length(content) <= case direction when 'inbound' then 65536 else 4096 end),
  -- The WhatsApp message id. An outbound message has no such id until WhatsApp has accepted the message.
  whatsapp_message_id text check (char_length(whatsapp_message_id) between 1 and 255),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- The state of an outbound message in the send ledger: pending, accepted by WhatsApp, or failed.
  outcome text check (outcome in ('pending', 'accepted', 'failed')),
  -- The text of a template as the recipient sees it.
  rendered_text text constraint messages_rendered_text_check check (char_length(rendered_text) <= 65536),
  version bigint not null default app.change_now(),
  -- For an outbound message, the times that WhatsApp reported. For an inbound message, the time at which the person
  -- sent the message.
  sent_at timestamptz,
  delivered_at timestamptz,
  read_at timestamptz,
  failed_at timestamptz,
  -- When the message expired: its lifetime had ended, and no report had confirmed its arrival.
  expired_at timestamptz,
  failure jsonb constraint messages_failure_check check (jsonb_typeof(failure) = 'object'),
  price_category text constraint messages_price_category_check
    check (char_length(price_category) between 1 and 64),
  price_type text constraint messages_price_type_check check (char_length(price_type) between 1 and 64),
  -- Reports may arrive late, twice and in any order, but the same facts always lead to the same status.
  status text generated always as (
    case
      when direction = 'inbound' then null
      -- A report of arrival overrides a reported failure, because a message may fail on one device and arrive on
      -- another.
      when read_at is not null then 'read'
      when delivered_at is not null then 'delivered'
      when failed_at is not null or outcome = 'failed' then 'failed'
      when expired_at is not null then 'expired'
      when sent_at is not null then 'sent'
      when outcome = 'accepted' then 'accepted'
      else 'pending'
    end
  ) stored,
  -- The WhatsApp object for this message type, without the parts that have their own column.
  payload jsonb constraint messages_payload_check check (jsonb_typeof(payload) = 'object'),
  -- { id, mime_type, sha256, filename, voice, animated, expires_at, gone_at }. The value sha256 is in hexadecimal.
  media jsonb constraint messages_media_check check (jsonb_typeof(media) = 'object'),
  reply_to_whatsapp_id text constraint messages_reply_to_whatsapp_id_check
    check (char_length(reply_to_whatsapp_id) between 1 and 255),
  reply_to_id uuid,
  -- The person's reaction, as { emoji, at }. Null when there is no reaction.
  reaction jsonb constraint messages_reaction_check check (jsonb_typeof(reaction) = 'object'),
  -- The reaction of the company, as { emoji, at }, and the WhatsApp message id of this reaction. Null when the company
  -- has not reacted.
  own_reaction jsonb constraint messages_own_reaction_check check (jsonb_typeof(own_reaction) = 'object'),
  own_reaction_whatsapp_id text constraint messages_own_reaction_whatsapp_id_check
    check (char_length(own_reaction_whatsapp_id) between 1 and 255),
  edited_at timestamptz,
  revoked_at timestamptz,
  -- An hour after the end of the message's lifetime. After the lifetime, WhatsApp drops the message without a report.
  expires_at timestamptz,
  original_content text constraint messages_original_content_check
    check (char_length(original_content) <= 65536),
  is_erased boolean not null default false,
  -- The author of an outbound message. The row contains the author's name at that time, and the id has no foreign key.
  -- So the id and the name remain after a key or a member is deleted.
  author_type text constraint messages_author_type_check check (author_type in ('key', 'member', 'agent', 'system')),
  author_id uuid,
  author_name text constraint messages_author_name_check check (char_length(author_name) between 1 and 255),
  wish text constraint messages_wish_check check (wish in ('stop', 'start', 'stop_marketing', 'start_marketing')),
  received_at timestamptz,
  unique (company_id, id),
  -- WhatsApp may deliver an event more than once, but a second delivery must not add a second message.
  constraint messages_one_per_whatsapp_message_id unique (company_id, whatsapp_message_id),
  constraint messages_conversation_fkey foreign key (company_id, conversation_id)
    references public.conversations (company_id, id) on delete cascade,
  constraint messages_outcome_while_outbound check ((direction = 'outbound') = (outcome is not null)),
  constraint messages_author_while_outbound check (
    direction = 'outbound' and author_type is not null or num_nonnulls(author_type, author_id, author_name) = 0
  ),
  constraint messages_own_reaction_has_id check ((own_reaction is null) = (own_reaction_whatsapp_id is null)),
  constraint messages_reply_to_fkey foreign key (company_id, reply_to_id)
    references public.messages (company_id, id) on delete set null (reply_to_id)
);
comment on table public.messages is
  'The messages of a conversation, from the contact (inbound) or from the company (outbound).';
comment on column public.messages.status is
  'For an outbound message, derived from its facts: pending, accepted, sent, delivered, read, failed or expired.';
comment on column public.messages.rendered_text is
  'For a template send, the text as the recipient sees it. Null when the template is unknown.';
comment on column public.messages.outcome is
  'For an outbound message: pending (not known yet), accepted by WhatsApp, or failed. Null for an inbound message.';
comment on column public.messages.failure is
  'Why a message failed: { reason, code, message, details }. WhatsApp provides code, message and details. The failure '
  'remains even if the message arrives later.';
comment on column public.messages.expires_at is
  'For an outbound message that WhatsApp accepted: the time until which a report of its arrival is expected. This time '
  'is an hour after the end of the message''s lifetime.';
comment on column public.messages.reaction is
  'The newest reaction of the person: { emoji, at }. The emoji is null when the person removed the reaction.';
comment on column public.messages.own_reaction is
  'The reaction of the company: { emoji, at }. Null when the company has not reacted.';
comment on column public.messages.own_reaction_whatsapp_id is
  'The WhatsApp message id of the company''s reaction. WhatsApp''s reports about the reaction contain this id.';
comment on column public.messages.edited_at is
  'When the person last edited the message. The text before the first edit is original_content.';
comment on column public.messages.original_content is 'The first text of a message that the person edited.';
comment on column public.messages.revoked_at is
  'When the person deleted the message. The message disappeared from the person''s chat, but the company keeps its '
  'content.';
comment on column public.messages.wish is
  'The request that the person made with a keyword or a button. stop: no messages. start: messages again. '
  'stop_marketing: no marketing. start_marketing: marketing again.';
comment on column public.messages.received_at is
  'For an inbound message, when its event was received. WhatsApp reports times in whole seconds, so this column sorts '
  'messages with the same second. If two messages arrived in the same event, created_at sorts them.';
comment on column public.messages.author_type is
  'Who wrote an outbound message: an API key, a member, the agent of the platform, or the system. Null for an inbound '
  'message, whose author is the contact or WhatsApp. Also null when the platform did not specify the author.';
comment on column public.messages.is_erased is 'Whether an erased person wrote or received the message.';

-- A query for a page of a conversation should read only the matching part of messages_newest_first_idx. If the planner
-- expects fewer messages than a page contains, it may read and sort the whole conversation. Such a plan is slow for a
-- long conversation. So the planner assumes one company and 1,000 messages in each conversation. With extended
-- statistics, the planner also knows that all messages of a conversation belong to the same company.
alter table public.messages
  alter column company_id set (n_distinct = 1),
  alter column conversation_id set (n_distinct = -0.001);

create statistics public.messages_conversation_decides_company (dependencies)
  on conversation_id, company_id from public.messages;

create index messages_newest_first_idx
  on public.messages (company_id, conversation_id, created_at desc, id desc);
create index messages_changes_idx on public.messages (company_id, version, id);
create index messages_reply_to_idx on public.messages (company_id, reply_to_id) where reply_to_id is not null;

-- A reply can arrive before the original message has its WhatsApp id.
create index messages_waiting_reply_idx on public.messages (company_id, reply_to_whatsapp_id)
  where reply_to_whatsapp_id is not null and reply_to_id is null;

-- WhatsApp reports the status of a reaction in the same way as the status of a message. This index finds the reaction.
create index messages_own_reaction_idx on public.messages (company_id, own_reaction_whatsapp_id)
  where own_reaction_whatsapp_id is not null;

-- These two indexes find messages that may still arrive, and messages that have expired.
create index messages_expiring_idx on public.messages (expires_at) where status in ('accepted', 'sent');
create index messages_expired_idx on public.messages (expired_at) where expired_at is not null;

-- This index finds the sends that need attention, newest first. The index is small, because few messages fail or are
-- pending.
create index messages_unusual_idx on public.messages (company_id, created_at desc, id desc)
  where failure is not null or status in ('pending', 'failed', 'expired');

-- Replies whose original message is not known yet.
create index messages_late_reply_idx on public.messages (created_at)
  where reply_to_whatsapp_id is not null and reply_to_id is null;

create function app.messages_of(own_company_id uuid, contact_ids uuid[]) returns uuid[]
language plpgsql stable
set search_path = ''
as $$
begin
  return array(
    select messages.id from public.conversations
    -- Each conversation has its own lookup, because the plan of a join may read all messages of the company. The sort
    -- order matches messages_newest_first_idx, so the planner chooses this index.
    cross join lateral (
      select id from public.messages
      where company_id = own_company_id and conversation_id = conversations.id
      order by created_at desc, id desc offset 0
    ) as messages
    where company_id = own_company_id and contact_id = any (contact_ids)
  );
end
$$;
comment on function app.messages_of(uuid, uuid[]) is 'Returns the ids of all messages of some contacts.';

create function app.move_conversation() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  conversation record;
  -- When the person wrote the message. The arrival time would be wrong, because WhatsApp may repeat a message days
  -- later. A time in the future is treated as the present time.
  said_at constant timestamptz := least(coalesce(new.sent_at, new.created_at), now());
  expires_at timestamptz;
begin
  -- WhatsApp does not provide the content of some edits. The platform then does not know the edited message, so the
  -- edit does not open a window.
  if new.direction = 'inbound'
    and (new.type <> 'unsupported' or new.payload #>> '{unsupported,type}' is distinct from 'edit')
  then
    select contact_id, messaging_account_id into conversation from public.conversations
    where company_id = new.company_id and id = new.conversation_id;
    insert into public.contact_windows as windows (company_id, contact_id, account_id, last_inbound_at)
    values (new.company_id, conversation.contact_id, conversation.messaging_account_id, said_at)
    on conflict on constraint contact_windows_once do update set
      last_inbound_at = greatest(windows.last_inbound_at, excluded.last_inbound_at)
    returning windows.expires_at into expires_at;
  end if;
  -- The function greatest() ignores nulls. A message that is recorded late never replaces a later time.
  update public.conversations set
    last_message_at = greatest(
      last_message_at, case new.direction when 'inbound' then said_at else new.created_at end
    ),
    window_expires_at = coalesce(expires_at, window_expires_at),
    status = case when new.direction = 'inbound' and status = 'pending' then 'open' else status end
  where company_id = new.company_id and id = new.conversation_id;
  return null;
end
$$;
comment on function app.move_conversation() is
  'Trigger: updates last_message_at of a message''s conversation. For an inbound message, also opens the contact''s '
  '24-hour window, and changes the status of a pending conversation to open.';

create function app.note_life() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  template record;
begin
  -- A free-form reply has no template. A message with a template that is not in the catalogue has the default lifetime.
  -- Each condition has its own lookup, because the plan of a join may read all templates and all sends of the company.
  select templates.ttl_seconds, templates.category into template from public.templates
  where company_id = new.company_id
    and business_account_id = (
      select business_account_id from public.messaging_accounts
      where company_id = new.company_id and id = (
        select messaging_account_id from public.conversations
        where company_id = new.company_id and id = new.conversation_id
      )
    )
    and (name, language) = (
      select template_name, language_code from public.sends where company_id = new.company_id and message_id = new.id
    );
  new.expires_at := new.created_at + interval '1 hour' + case
    when template.ttl_seconds > 0 then interval '1 second' * template.ttl_seconds
    when template.category = 'AUTHENTICATION' then interval '10 minutes'
    else interval '720 hours'
  end;
  return new;
end
$$;
comment on function app.note_life() is
  'Trigger: sets when an accepted message expires: an hour after the end of its lifetime. The lifetime is the time '
  'that WhatsApp sets for the template. Without such a time, the lifetime is 10 minutes for an authentication '
  'template, and 30 days for any other message.';

create function public.expire_messages() returns integer
language sql security definer -- no role may write the table
set search_path = ''
as $$
  with due as (
    select company_id, id from public.messages
    where status in ('accepted', 'sent') and expires_at <= now()
    order by expires_at
    limit 1000
    for no key update skip locked
  ), expired as (
    update public.messages set expired_at = now()
    from due where messages.company_id = due.company_id and messages.id = due.id
    returning messages.id
  )
  select count(*)::integer from expired
$$;
comment on function public.expire_messages() is
  'Sets at most 1,000 messages to expired, and returns their number. An expired message has no report that it arrived '
  'or failed. A scheduled job calls this function. A later report clears the expiry.';
grant execute on function public.expire_messages() to service_role;

create trigger messages_note_change before update on public.messages
  for each row execute function app.note_change();
create trigger messages_note_deletion after delete on public.messages
  referencing old table as deleted for each statement execute function app.note_deletion();

-- A WhatsApp system notice, such as a notice of a new phone number, is not a person's message.
create trigger messages_move_conversation after insert on public.messages
  for each row when (
    new.type <> 'system' and (new.direction = 'inbound' or new.status in ('accepted', 'sent', 'delivered', 'read'))
  )
  execute function app.move_conversation();
create trigger messages_move_conversation_once_taken after update on public.messages
  for each row when (
    new.direction = 'outbound'
    and (new.outcome = 'accepted' or coalesce(new.sent_at, new.delivered_at, new.read_at) is not null)
    and old.outcome <> 'accepted' and coalesce(old.sent_at, old.delivered_at, old.read_at) is null
  )
  execute function app.move_conversation();
create trigger messages_note_first_life before insert on public.messages
  for each row when (new.outcome = 'accepted' and new.expires_at is null) execute function app.note_life();
create trigger messages_note_life before update of outcome on public.messages
  for each row when (old.outcome <> 'accepted' and new.outcome = 'accepted' and new.expires_at is null)
  execute function app.note_life();

alter table public.messages enable row level security;
create policy "people read their company's messages" on public.messages
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));

-- A key reads the messages of its company, but may not write them. Each row is a WhatsApp message, so only the platform
-- and the functions that send messages write rows.
create policy "a key reads its company's messages" on public.messages
  for select to api_client using (company_id = (select app.company_id('read')));

grant select (
  id, company_id, conversation_id, direction, type, content, whatsapp_message_id, created_at, updated_at, outcome,
  rendered_text, version, sent_at, delivered_at, read_at, failed_at, expired_at, failure, price_category, price_type,
  status, payload, media, reply_to_whatsapp_id, reply_to_id, reaction, own_reaction, edited_at, revoked_at, author_type,
  author_id, author_name
) on public.messages to api_client;
grant select on public.messages to authenticated;
grant select, insert, update, delete on public.messages to service_role;

select app.make_feed('message_changes', 'messages', $columns$
  id, company_id, conversation_id, direction, type,
  case
    when type = 'system' then jsonb_build_object('type', 'system', 'id', null, 'name', null)
    when direction = 'inbound' then (
      select jsonb_build_object('type', 'person', 'id', contacts.id, 'name', contacts.name)
      from public.conversations
      join public.contacts on contacts.company_id = conversations.company_id
        and contacts.id = conversations.contact_id
      where conversations.company_id = messages.company_id and conversations.id = messages.conversation_id
    )
    when author_type is not null
      then jsonb_build_object('type', author_type, 'id', author_id, 'name', author_name)
  end as author,
  content, rendered_text, status, whatsapp_message_id, sent_at, delivered_at, read_at, failed_at, expired_at, failure, price_category, price_type, payload,
  case when type = 'location' then app.location_in(payload) end as location,
  case when type = 'contacts' then app.contact_cards_in(payload) end as contact_cards,
  case when direction = 'inbound' and type in ('interactive', 'button') then app.choice_in(payload) end as choice,
  media, reply_to_id,
  reply_to_whatsapp_id, case when reaction ->> 'emoji' <> '' then reaction end as reaction, own_reaction, edited_at,
  revoked_at, created_at, updated_at
$columns$);

-- schemas/54_opt_outs.sql

-- A company's members can list its opt-outs: the contact, the kind (no messages or no marketing), the time, and the
-- contact's message. A member can lift an opt-out and must give a reason.

create table public.opt_out_lifts (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  contact_id uuid not null,
  -- The field that the member set to false in the contact.
  kind text not null check (kind in ('do_not_contact', 'marketing_opt_out')),
  -- The opt-out that was lifted: its source and its time, as in contacts.
  source text not null,
  asked_at timestamptz not null,
  -- Null after the contact is erased.
  reason text constraint opt_out_lifts_reason_check check (char_length(reason) between 1 and 500),
  -- The id has no foreign key, and the row contains the member's name at that time. So both values remain after the
  -- member has left.
  member_id uuid not null,
  member_name text,
  lifted_at timestamptz not null default now(),
  unique (company_id, id),
  constraint opt_out_lifts_contact_fkey foreign key (company_id, contact_id)
    references public.contacts (company_id, id) on delete cascade
);
comment on table public.opt_out_lifts is
  'The opt-outs that members of a company lifted, with their reasons. Only lift_opt_out() writes this table. The table '
  'does not contain opt-outs that an API key or the contact ended.';

create index opt_out_lifts_newest_first_idx on public.opt_out_lifts (company_id, lifted_at desc, id desc);
create index opt_out_lifts_contact_idx on public.opt_out_lifts (company_id, contact_id);

-- Few messages contain an opt-out, and few contacts have opted out, so the partial indexes are small.
create index messages_wish_idx on public.messages (company_id, conversation_id, sent_at) where wish is not null;
create index contacts_stopped_idx on public.contacts (company_id, do_not_contact_at desc, id desc)
  where do_not_contact;

-- This function runs with the caller's privileges (security invoker), so the table policies decide what the caller can
-- read.
create function public.opt_outs(
  company_id uuid, of_kind text default null, search text default null, older_than timestamptz default null,
  older_than_id uuid default null, older_than_kind text default null, max_rows integer default 50
) returns table (
  contact_id uuid,
  name text,
  phone text,
  kind text,
  source text,
  asked_at timestamptz,
  words text,
  is_button boolean,
  conversation_id uuid
)
language plpgsql stable
set search_path = ''
as $$
#variable_conflict use_column
declare
  -- The result of app.words() contains no special characters of a `like` pattern.
  pattern constant text := '%' || btrim(app.words(left(opt_outs.search, 100))) || '%';
  -- Only a string without letters can be part of a phone number.
  digits constant text := case when left(opt_outs.search, 100) ~ '^[-+(). 0-9]+$'
    then nullif(regexp_replace(left(opt_outs.search, 100), '[^0-9]', '', 'g'), '') end;
  most constant integer := least(greatest(coalesce(opt_outs.max_rows, 50), 1), 101);
begin
  return query
  with asked as (
    (
      select contacts.id, contacts.name, contacts.phone, 'do_not_contact' as kind,
        contacts.do_not_contact_source as source, contacts.do_not_contact_at as at
      from public.contacts
      where contacts.company_id = opt_outs.company_id and contacts.do_not_contact and contacts.archived_at is null
        and coalesce(opt_outs.of_kind, 'do_not_contact') = 'do_not_contact'
        and (opt_outs.older_than is null
          or (contacts.do_not_contact_at, contacts.id) < (opt_outs.older_than, opt_outs.older_than_id))
        and (pattern is null or contacts.name_words like pattern or contacts.phone like '%' || digits || '%')
      order by contacts.do_not_contact_at desc, contacts.id desc limit most
    )
    union all
    (
      select contacts.id, contacts.name, contacts.phone, 'marketing_opt_out',
        contacts.marketing_opt_out_source, contacts.marketing_opt_out_at
      from public.contacts
      where contacts.company_id = opt_outs.company_id and contacts.marketing_opt_out_at is not null
        and contacts.archived_at is null
        and coalesce(opt_outs.of_kind, 'marketing_opt_out') = 'marketing_opt_out'
        and (opt_outs.older_than is null
          or (contacts.marketing_opt_out_at, contacts.id) < (opt_outs.older_than, opt_outs.older_than_id)
          or opt_outs.older_than_kind = 'do_not_contact'
            and (contacts.marketing_opt_out_at, contacts.id) = (opt_outs.older_than, opt_outs.older_than_id))
        and (pattern is null or contacts.name_words like pattern or contacts.phone like '%' || digits || '%')
      order by contacts.marketing_opt_out_at desc, contacts.id desc limit most
    )
  )
  select
    asked.id, asked.name, asked.phone, asked.kind, asked.source, asked.at,
    message.content, message.type <> 'text', message.conversation_id
  from (select * from asked order by at desc, id desc, kind limit most) as asked
  left join lateral (
    select messages.content, messages.type, messages.conversation_id
    from public.conversations
    join public.messages on messages.company_id = conversations.company_id
      and messages.conversation_id = conversations.id and messages.wish is not null
      and messages.sent_at = asked.at
      and messages.wish = case asked.kind when 'do_not_contact' then 'stop' else 'stop_marketing' end
    where conversations.company_id = opt_outs.company_id and conversations.contact_id = asked.id
      and asked.source in ('word', 'button')
    order by messages.received_at desc, messages.id limit 1
  ) as message on true
  order by asked.at desc, asked.id desc, asked.kind;
end
$$;
comment on function public.opt_outs(uuid, text, text, timestamptz, uuid, text, integer) is
  'Returns a company''s opt-outs for its members, newest first. The argument of_kind is do_not_contact, '
  'marketing_opt_out or null for both. The argument `search` is a part of a name or of a phone number. For the next '
  'page, older_than, older_than_id and older_than_kind are asked_at, contact_id and kind of the last row. The column '
  '`words` is the text of the message or button with which the contact opted out. The column is_button is true for a '
  'button. Both columns are null when no such message exists, for example when a member set the field. Returns no rows '
  'if the caller is not a member of the company.';
grant execute on function public.opt_outs(uuid, text, text, timestamptz, uuid, text, integer) to authenticated;

create function public.lift_opt_out(contact_id uuid, kind text, asked_at timestamptz, reason text) returns timestamptz
-- Security definer, because no user may write the table of lifted opt-outs. The function checks the caller's company.
language plpgsql security definer
set search_path = ''
set lock_timeout = '3s'
as $$
#variable_conflict use_column
declare
  said constant text := btrim(lift_opt_out.reason, E' \t\r\n');
  known public.contacts;
  is_messages constant boolean := lift_opt_out.kind = 'do_not_contact';
  lifted timestamptz;
begin
  if lift_opt_out.kind is null or lift_opt_out.kind not in ('do_not_contact', 'marketing_opt_out') then
    raise sqlstate 'PT422' using message = 'The kind of an opt-out is do_not_contact or marketing_opt_out';
  end if;
  if coalesce(char_length(said), 0) not between 1 and 500 then
    raise sqlstate 'PT422' using message = 'Give a reason of 1 to 500 characters';
  end if;
  select contacts.* into known from public.contacts
  where contacts.id = lift_opt_out.contact_id and contacts.company_id = any (app.member_company_ids())
    and contacts.archived_at is null
  for no key update;
  if not found then
    raise sqlstate 'PT404' using message = 'No contact has this id';
  end if;
  -- If the contact has no opt-out, the comparison is null.
  if (
    lift_opt_out.asked_at = case when not is_messages then known.marketing_opt_out_at
      when known.do_not_contact then known.do_not_contact_at end
  ) is not true then
    raise sqlstate 'PT409' using message = 'The opt-out has changed: load it again';
  end if;

  if is_messages then
    update public.contacts set do_not_contact = false
    where contacts.company_id = known.company_id and contacts.id = known.id;
  else
    update public.contacts set marketing_opt_out = false
    where contacts.company_id = known.company_id and contacts.id = known.id;
  end if;
  insert into public.opt_out_lifts (company_id, contact_id, kind, source, asked_at, reason, member_id, member_name)
  values (
    known.company_id, known.id, lift_opt_out.kind,
    case when is_messages then known.do_not_contact_source else known.marketing_opt_out_source end,
    lift_opt_out.asked_at, said, auth.uid(), app.name_of_person(auth.uid(), known.company_id)
  )
  returning lifted_at into lifted;
  return lifted;
exception
  when lock_not_available then
    raise sqlstate 'PT503' using message = 'The contact is being changed: try again in a minute';
end
$$;
comment on function public.lift_opt_out(uuid, text, timestamptz, text) is
  'Lifts an opt-out of a contact, records the reason, the member and the time, and returns the time. Any member of the '
  'company may call this function. The argument asked_at is the time of the opt-out that the member saw. Raises PT409 '
  'when the opt-out has changed or ended in the meantime, and PT422 when kind or reason is not valid. Raises PT404 '
  'when no contact of the caller''s companies has this id, and PT503 after waiting too long for a lock.';
grant execute on function public.lift_opt_out(uuid, text, timestamptz, text) to authenticated;

alter table public.opt_out_lifts enable row level security;
create policy "people read the lifted opt-outs of their company" on public.opt_out_lifts
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));

grant select on public.opt_out_lifts to authenticated, service_role;

-- schemas/55_connect_accounts.sql

-- Functions that connect a messaging account, for the settings page and the operator's command. Before these functions
-- are called, Meta confirms the token and the number, and the caller seals (encrypts) the token. Users cannot store a
-- token themselves: only the edge function `settings` can, on behalf of a user. Otherwise a user could store any string
-- as a token, and claim any phone number.

-- What Meta reported about a number and its token. These values are not in messaging_accounts, because jobs and sends
-- read that table constantly.
create table public.account_health (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  account_id uuid not null,
  token_stored_at timestamptz not null default now(),
  -- Null when the token never expires, or when Meta does not report an expiry.
  token_expires_at timestamptz,
  -- The values that Meta reports, such as GREEN and TIER_1K. Null when Meta did not report a value.
  quality_rating text check (char_length(quality_rating) between 1 and 100),
  messaging_limit text check (char_length(messaging_limit) between 1 and 100),
  -- When Meta last returned data about the number.
  checked_at timestamptz not null default now(),
  constraint account_health_once unique (company_id, account_id),
  constraint account_health_account_fkey foreign key (company_id, account_id)
    references public.messaging_accounts (company_id, id) on delete cascade
);
comment on table public.account_health is
  'What Meta last reported about each number and its token: the token''s expiry, the quality, and the messaging limit.';

create function public.managing_person(company_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  if managing_person.company_id = any (app.managed_company_ids()) then
    return jsonb_strip_nulls(jsonb_build_object(
      'sub', auth.uid(), 'aal', auth.jwt() ->> 'aal', 'session_id', auth.jwt() ->> 'session_id'
    ));
  end if;
  raise sqlstate 'PT403' using message = 'Only owners and admins of a company may do this';
end
$$;
comment on function public.managing_person(uuid) is
  'Returns the signed-in user''s id and sign-in method, as token claims. Raises PT403 if the user is not an owner or '
  'admin of the company.';
grant execute on function public.managing_person(uuid) to authenticated;

create function app.note_account_event(account public.messaging_accounts, action text, details jsonb) returns void
language sql
set search_path = ''
as $$
  -- An account that is deleted with its company creates no event, because the company no longer exists.
  insert into public.company_events (
    company_id, account_id, account_name, action, details, actor_kind, actor_id, actor_name, client_address
  )
  select
    company.id, account.id, account.display_phone, action, details, acting.kind, acting.person,
    app.name_of_person(acting.person, company.id), app.client_address()
  from public.companies company
  cross join lateral (
    select app.acting_kind() as kind, case when app.acting_kind() = 'person' then auth.uid() end as person
  ) as acting
  where company.id = account.company_id
  for key share of company
$$;
comment on function app.note_account_event(public.messaging_accounts, text, jsonb) is
  'Writes an event about a messaging account into company_events.';

create function app.note_account_change() returns trigger
-- Security definer, because no role may write events directly.
language plpgsql security definer
set search_path = ''
as $$
begin
  if new.disconnected_at is null then
    perform app.note_account_event(
      new, case tg_op when 'INSERT' then 'account_connected' else 'account_reconnected' end, '{}'
    );
  else
    perform app.note_account_event(new, 'account_disconnected', '{}');
  end if;
  return null;
end
$$;
comment on function app.note_account_change() is
  'Trigger: writes an event into company_events when a messaging account is connected or disconnected.';

create function public.connect_messaging_account(
  company_id uuid,
  phone_number_id text,
  display_phone text,
  encrypted_token text,
  business_account_id text default null,
  channel_app_id uuid default null,
  token_expires_at timestamptz default null,
  quality_rating text default null
) returns jsonb
-- Security definer, because no role may read tokens, and because the function writes several tables.
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  is_platform constant boolean := coalesce(current_setting('role', true) = 'service_role', false);
  known public.messaging_accounts;
  account public.messaging_accounts;
begin
  if not is_platform and (connect_messaging_account.company_id = any (app.managed_company_ids())) is not true then
    raise sqlstate 'PT403' using message = 'Only owners and admins of a company connect its messaging accounts';
  end if;
  if not is_platform and connect_messaging_account.channel_app_id is not null and not exists (
    select from public.channel_apps
    where id = connect_messaging_account.channel_app_id and owner_company_id = connect_messaging_account.company_id
  ) then
    raise sqlstate 'PT422' using message = 'channel_app_id is not an app of this company';
  end if;
  -- If two users connect a number at the same time, the second call waits here and then replaces the token.
  select * into known from public.messaging_accounts
  where company_id = connect_messaging_account.company_id
    and phone_number_id = connect_messaging_account.phone_number_id
  for no key update;
  insert into public.messaging_accounts as accounts (
    company_id, phone_number_id, display_phone, encrypted_token, business_account_id, channel_app_id
  )
  values (
    connect_messaging_account.company_id, connect_messaging_account.phone_number_id,
    connect_messaging_account.display_phone, connect_messaging_account.encrypted_token,
    connect_messaging_account.business_account_id,
    coalesce(
      connect_messaging_account.channel_app_id,
      case when not is_platform then app.usual_channel_app(connect_messaging_account.company_id) end
    )
  )
  on conflict on constraint messaging_accounts_one_per_number do update set
    display_phone = excluded.display_phone,
    encrypted_token = excluded.encrypted_token,
    disconnected_at = null,
    business_account_id = coalesce(excluded.business_account_id, accounts.business_account_id),
    channel_app_id = coalesce(
      connect_messaging_account.channel_app_id, accounts.channel_app_id, excluded.channel_app_id
    )
  returning * into account;
  if known.id is not null and known.disconnected_at is null then
    perform app.note_account_event(account, 'account_token_replaced', '{}');
  end if;

  insert into public.account_health as health (account_id, company_id, token_expires_at, quality_rating)
  values (
    account.id, account.company_id, connect_messaging_account.token_expires_at,
    connect_messaging_account.quality_rating
  )
  on conflict on constraint account_health_once do update set
    token_stored_at = excluded.token_stored_at,
    token_expires_at = excluded.token_expires_at,
    quality_rating = coalesce(excluded.quality_rating, health.quality_rating),
    checked_at = excluded.checked_at;
  perform app.withdraw_token_refusals(account.id, 'infinity');
  -- The new token can probably read the templates, so their synchronisation is due now.
  update public.template_catalogues set sync_due_at = now()
  where company_id = account.company_id and business_account_id = account.business_account_id;
  return jsonb_build_object(
    'id', account.id,
    'company_id', account.company_id,
    'display_phone', account.display_phone,
    'phone_number_id', account.phone_number_id,
    'business_account_id', account.business_account_id,
    'disconnected_at', account.disconnected_at,
    'created_at', account.created_at,
    'was_known', known.id is not null
  );
exception
  when unique_violation then
    raise sqlstate 'PT409' using message = format(
      'The phone number id %s is connected to another company: disconnect it there first',
      connect_messaging_account.phone_number_id
    );
  when lock_not_available then
    raise sqlstate 'PT503' using message = 'The account or its templates are being changed: try again in a minute';
end
$$;
comment on function public.connect_messaging_account(uuid, text, text, text, text, uuid, timestamptz, text) is
  'Connects a WhatsApp phone number to a company, or replaces its token. Before the call, Meta has confirmed the '
  'token, and the caller has sealed it. If business_account_id or the app is missing, the stored value remains. If a '
  'user connects a new account without an app, the account gets the app that app.usual_channel_app() returns. Raises '
  'PT403 for users who do not manage the company. Raises PT409 when the number is connected to another company, and '
  'PT422 for an app of another company.';
grant execute on function public.connect_messaging_account(uuid, text, text, text, text, uuid, timestamptz, text)
  to settings_client, service_role;

create trigger messaging_accounts_note_first_event after insert on public.messaging_accounts
  for each row when (new.disconnected_at is null) execute function app.note_account_change();
create trigger messaging_accounts_note_event after update of disconnected_at on public.messaging_accounts
  for each row when ((old.disconnected_at is null) <> (new.disconnected_at is null))
  execute function app.note_account_change();

alter table public.account_health enable row level security;
create policy "people read what the channel says about their accounts" on public.account_health
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));

grant select on public.account_health to authenticated, service_role;

-- schemas/56_media.sql

-- The media files in inbound messages. The platform stores what WhatsApp reports about a file, and never its bytes. A
-- caller downloads the bytes from WhatsApp through the gateway.

create function public.media_of_message(message_id uuid) returns jsonb
-- Security definer, because an API key cannot read accounts. The key gets only what this function returns.
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id constant uuid := app.company_id('read');
  message record;
  account record;
begin
  select id, conversation_id, direction, type, media into message from public.messages
  where company_id = own_company_id and id = media_of_message.message_id;
  if not found then
    return jsonb_build_object('result', 'not_found');
  elsif message.direction <> 'inbound' or message.media is null then
    return jsonb_build_object('result', 'no_media');
  elsif message.media ->> 'gone_at' is not null or (message.media ->> 'expires_at')::timestamptz <= now() then
    return jsonb_build_object(
      'result', 'gone', 'at', coalesce(message.media ->> 'gone_at', message.media ->> 'expires_at')
    );
  end if;

  select id, phone_number_id, encrypted_token into account from public.messaging_accounts
  where company_id = own_company_id and disconnected_at is null and id = (
    select messaging_account_id from public.conversations
    where company_id = own_company_id and id = message.conversation_id
  );
  if not found then
    return jsonb_build_object('result', 'no_account');
  end if;
  return jsonb_build_object(
    'result', 'found',
    'type', message.type,
    'media', message.media,
    'company_id', own_company_id,
    'account_id', account.id,
    'phone_number_id', account.phone_number_id,
    'encrypted_token', account.encrypted_token
  );
end
$$;
comment on function public.media_of_message(uuid) is
  'Returns the media file of an inbound message, with the encrypted token of the account that received the message. '
  'The result `not_found` means that the company has no such message. The result `no_media` means that the message has '
  'no media file, or that the company sent the message. The result `gone` means that WhatsApp no longer has the media '
  'file. The value `at` is the time when the platform first noticed that the file is gone, or when the file expired. '
  'The result `no_account` means that the account is disconnected. Raises PT401 and PT403 as app.company_id() does.';
grant execute on function public.media_of_message(uuid) to api_client;

create function public.note_media_gone(message_id uuid, media_id text) returns timestamptz
-- Security definer, because no key may write messages. This function writes only the time.
language plpgsql security definer
set search_path = ''
-- In UTC, gone_at has the same format as the times of the time columns.
set timezone = 'UTC'
as $$
declare
  own_company_id constant uuid := app.company_id('read');
begin
  update public.messages set media = media || jsonb_build_object('gone_at', now())
  where company_id = own_company_id and id = note_media_gone.message_id and direction = 'inbound'
    and media ->> 'id' = note_media_gone.media_id and media ->> 'gone_at' is null;
  return (
    select (media ->> 'gone_at')::timestamptz from public.messages
    where company_id = own_company_id and id = note_media_gone.message_id
  );
end
$$;
comment on function public.note_media_gone(uuid, text) is
  'Records that WhatsApp no longer has the media file of a message, so that no one requests the file again. Returns '
  'the time of the first such record, or null when the message does not have this media file. Raises PT401 and PT403 '
  'as app.company_id() does.';
grant execute on function public.note_media_gone(uuid, text) to api_client;

-- schemas/60_templates.sql

-- The message templates of a company's business accounts, as last listed by WhatsApp. A list that was read from
-- WhatsApp is stored completely or not at all.

create table public.template_catalogues (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  -- The WhatsApp id of the business account. Two companies may share a business account, but each company has its own
  -- template catalogue.
  business_account_id text not null check (business_account_id ~ '^[0-9]{1,32}$'),
  -- When the platform began to read the list that is stored now. Null when no list is stored yet.
  synced_at timestamptz,
  sync_due_at timestamptz not null default now(),
  -- How often the platform has failed to read the list since the last success. Each failure makes the next pause
  -- longer.
  failures integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  constraint template_catalogues_one_per_business_account unique (company_id, business_account_id)
);
comment on table public.template_catalogues is
  'A company''s WhatsApp business accounts, and when the templates of each account were last read.';

create table public.templates (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  business_account_id text not null,
  -- The ids of the connected phone numbers of this business account. All of these numbers can send the template.
  -- Triggers keep this column up to date.
  phone_number_ids text[] not null default '{}',
  -- The WhatsApp id of the template.
  channel_template_id text check (char_length(channel_template_id) between 1 and 64),
  name text not null check (char_length(name) between 1 and 512),
  language text not null check (char_length(language) between 1 and 64),
  -- The status that WhatsApp reports, in upper case. DELETED means that WhatsApp no longer lists the template.
  status text not null check (char_length(status) between 1 and 64),
  -- The start of the first read that returned this status, or the time at which WhatsApp reported the status.
  status_since timestamptz not null,
  category text check (char_length(category) between 1 and 64),
  -- The category that WhatsApp has announced for the future.
  upcoming_category text check (char_length(upcoming_category) between 1 and 64),
  quality text check (char_length(quality) between 1 and 64),
  rejected_reason text check (char_length(rejected_reason) between 1 and 255),
  parameter_format text not null check (parameter_format in ('POSITIONAL', 'NAMED')),
  -- The components as listed by WhatsApp, without signed URLs.
  components jsonb not null check (jsonb_typeof(components) = 'array'),
  -- Null when the template has no header.
  header_format text check (char_length(header_format) between 1 and 64),
  -- The variables that a send fills, in the order of the values in the request. The format is { header: [{ name,
  -- example }], body: [{ name, example }], buttons: [{ index, kind, text, example }] }.
  variables jsonb not null check (
    -- Because of `is not distinct from`, the check also refuses a missing member.
    (jsonb_typeof(variables -> 'header'), jsonb_typeof(variables -> 'body'), jsonb_typeof(variables -> 'buttons'))
      is not distinct from ('array', 'array', 'array')
  ),
  -- The text of the template in pieces: { header, body: [piece], footer: text, buttons: [text] }. A piece is a string,
  -- or the zero-based index of a variable within the header or the body.
  rendering jsonb not null check (
    jsonb_typeof(rendering -> 'buttons') is not distinct from 'array'
    and coalesce(jsonb_typeof(rendering -> 'header'), 'null') in ('array', 'null')
    and coalesce(jsonb_typeof(rendering -> 'body'), 'null') in ('array', 'null')
    and coalesce(jsonb_typeof(rendering -> 'footer'), 'null') in ('string', 'null')
  ),
  -- The index of the button that contains the one-time code of an authentication template.
  otp_button integer check (otp_button >= 0),
  -- The template parts that this service cannot send, such as CAROUSEL.
  unsupported text[] not null default '{}',
  -- The signed URL of the sample file for a media header. The column sample_source is this URL without its query
  -- string, and never changes.
  sample_url text check (char_length(sample_url) between 1 and 4096),
  sample_source text generated always as (split_part(sample_url, '?', 1)) stored,
  -- Why WhatsApp does not have the header's media file. Null when WhatsApp has the file, or when no upload was tried
  -- yet.
  media_problem text check (char_length(media_problem) between 1 and 1000),
  -- How long WhatsApp tries to deliver a message with this template.
  ttl_seconds integer,
  -- When the platform began to read these values from WhatsApp.
  read_at timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  constraint templates_one_per_name_and_language unique (company_id, business_account_id, name, language),
  constraint templates_catalogue_fkey foreign key (company_id, business_account_id)
    references public.template_catalogues (company_id, business_account_id) on delete cascade
);
comment on table public.templates is
  'The message templates of a company''s business accounts, as last listed by WhatsApp.';

alter table public.templates alter column company_id set (n_distinct = 1);

-- If a send does not match the stored templates, the service reads the templates with the same name again. This table
-- records the times of these reads. See claim_template_send().
create table public.template_rereads (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  business_account_id text not null,
  name text not null check (char_length(name) between 1 and 512),
  tried_at timestamptz not null default now(),
  -- The start of the newest successful read. Null when no read has succeeded.
  read_at timestamptz,
  unique (company_id, id),
  constraint template_rereads_one_per_name unique (company_id, business_account_id, name),
  constraint template_rereads_catalogue_fkey foreign key (company_id, business_account_id)
    references public.template_catalogues (company_id, business_account_id) on delete cascade
);
comment on table public.template_rereads is
  'For each template name: when the templates with this name were last read again for a send. When the whole list is '
  'read, rows that are older than an hour are deleted.';

create index templates_by_name_idx on public.templates (company_id, name, language, id);
create index template_rereads_lately_idx
  on public.template_rereads (company_id, business_account_id, tried_at);

create function app.note_numbers_of_templates() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  changed record;
  numbers text[];
begin
  for changed in
    select old.company_id, old.business_account_id where tg_op <> 'INSERT'
    union
    select new.company_id, new.business_account_id where tg_op <> 'DELETE'
    order by business_account_id
  loop
    -- This statement waits for a transaction that is storing a list of templates. Otherwise this transaction would not
    -- see those templates. A transaction that stores a list later waits for this transaction, and then sees the
    -- account.
    perform from public.template_catalogues
    where company_id = changed.company_id and business_account_id = changed.business_account_id
    for no key update;
    numbers := app.connected_numbers(changed.company_id, changed.business_account_id);
    update public.templates set phone_number_ids = numbers
    where company_id = changed.company_id and business_account_id = changed.business_account_id
      and phone_number_ids <> numbers;
  end loop;
  return null;
end
$$;
comment on function app.note_numbers_of_templates() is
  'Trigger: updates phone_number_ids in the templates of a business account.';

create function public.apply_template_sync(
  account_id uuid,
  began_at timestamptz,
  templates jsonb,
  only_name text default null,
  business_account_id text default null
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  -- Null for a role without an API key. Such a role may write for every company.
  own_company_id constant uuid := app.company_id('messaging');
  -- If a future began_at were stored, all lists that are read before that time would be ignored.
  reading_at constant timestamptz := least(apply_template_sync.began_at, now());
  account record;
  last_synced_at timestamptz;
  later_names text[];
  numbers text[];
  listed public.templates[];
  total integer;
  counted record;
  removed integer;
begin
  if jsonb_typeof(apply_template_sync.templates) is distinct from 'array' or apply_template_sync.began_at is null then
    raise sqlstate 'PT422' using message = 'The argument templates must be an array, and began_at is required';
  end if;
  if own_company_id is not null and apply_template_sync.only_name is null then
    raise sqlstate 'PT422' using message = 'With an API key, only_name is required';
  end if;
  select company_id, business_account_id into account from public.messaging_accounts
  where id = apply_template_sync.account_id
    and (own_company_id is null or company_id = own_company_id)
    and business_account_id is not null;
  if not found then
    raise sqlstate 'PT404' using message = 'No account with a business account has this id';
  end if;
  -- The account may have moved to another business account since the list was requested. In that case, the templates do
  -- not belong to the new business account.
  if account.business_account_id <> apply_template_sync.business_account_id then
    raise sqlstate 'PT409' using message = 'The account belongs to another business account now';
  end if;

  insert into public.template_catalogues (company_id, business_account_id)
  values (account.company_id, account.business_account_id)
  on conflict do nothing;
  -- Only one transaction at a time stores templates of a catalogue. The claim of a send may insert a row that
  -- references this row, and does not wait for this lock.
  select catalogues.synced_at into last_synced_at from public.template_catalogues as catalogues
  where company_id = account.company_id and business_account_id = account.business_account_id
  for no key update;
  -- The function reads the numbers after it has the lock, for the reason given in app.note_numbers_of_templates().
  numbers := app.connected_numbers(account.company_id, account.business_account_id);

  listed := array(
    -- Normally, WhatsApp lists each template once. If a template is listed twice, the version that can be sent is
    -- stored.
    select distinct on (entry.name, entry.language) entry
    from jsonb_populate_recordset(null::public.templates, apply_template_sync.templates) as entry
    where apply_template_sync.only_name is null or entry.name = apply_template_sync.only_name
    order by entry.name, entry.language, entry.status = 'APPROVED' desc
  );
  total := cardinality(listed);

  -- The names whose templates were read again after this list was requested. The later read is newer, so this list must
  -- not add or change templates with these names.
  later_names := array(
    select rereads.name from public.template_rereads as rereads
    where rereads.company_id = account.company_id and rereads.business_account_id = account.business_account_id
      and rereads.read_at > reading_at
  );
  if last_synced_at > reading_at then
    listed := '{}';
  elsif later_names <> '{}' then
    listed := array(select entry from unnest(listed) as entry where entry.name <> all (later_names));
  end if;

  select
    count(*) filter (where known.id is null) as added,
    count(*) filter (
      where (known.status, known.category, known.upcoming_category, known.quality, known.components)
        is distinct from (entry.status, entry.category, entry.upcoming_category, entry.quality, entry.components)
        and known.read_at <= reading_at
    ) as changed
  into counted
  from unnest(listed) as entry
  left join public.templates as known
    on known.company_id = account.company_id and known.business_account_id = account.business_account_id
    and known.name = entry.name and known.language = entry.language;

  insert into public.templates as known (
    company_id, business_account_id, phone_number_ids, channel_template_id, name, language, status, status_since,
    category, upcoming_category, quality, rejected_reason, parameter_format, components, header_format, variables,
    rendering, otp_button, unsupported, sample_url, media_problem, ttl_seconds, read_at
  )
  select
    account.company_id, account.business_account_id, numbers, entry.channel_template_id, entry.name, entry.language,
    entry.status, reading_at, entry.category, entry.upcoming_category, entry.quality,
    entry.rejected_reason, entry.parameter_format, entry.components, entry.header_format, entry.variables,
    entry.rendering, entry.otp_button, coalesce(entry.unsupported, '{}'), entry.sample_url,
    case when entry.header_format in ('IMAGE', 'VIDEO', 'DOCUMENT') then
      app.media_problem(account.company_id, account.business_account_id, split_part(entry.sample_url, '?', 1))
    end,
    entry.ttl_seconds, reading_at
  from unnest(listed) as entry
  -- The rows are always written in the same order, so that two statements with several templates cannot cause a
  -- deadlock.
  order by entry.name, entry.language
  on conflict (company_id, business_account_id, name, language) do update set
    phone_number_ids = excluded.phone_number_ids,
    channel_template_id = excluded.channel_template_id,
    status = excluded.status,
    status_since = case when known.status = excluded.status then known.status_since
      else excluded.status_since end,
    category = excluded.category,
    upcoming_category = excluded.upcoming_category,
    quality = excluded.quality,
    rejected_reason = excluded.rejected_reason,
    parameter_format = excluded.parameter_format,
    components = excluded.components,
    header_format = excluded.header_format,
    variables = excluded.variables,
    rendering = excluded.rendering,
    otp_button = excluded.otp_button,
    unsupported = excluded.unsupported,
    sample_url = excluded.sample_url,
    media_problem = excluded.media_problem,
    ttl_seconds = excluded.ttl_seconds,
    read_at = excluded.read_at
  -- The values that were requested later win, even if they were stored first.
  where known.read_at <= excluded.read_at;

  update public.templates as known set
    status = 'DELETED',
    status_since = reading_at,
    read_at = reading_at
  where known.company_id = account.company_id and known.business_account_id = account.business_account_id
    and (apply_template_sync.only_name is null or known.name = apply_template_sync.only_name)
    and known.read_at < reading_at
    and known.status <> 'DELETED';
  get diagnostics removed = row_count;

  if apply_template_sync.only_name is null then
    update public.template_catalogues set
      synced_at = reading_at,
      -- The next reads are spread over an hour, so that the accounts do not all call WhatsApp at the same time.
      sync_due_at = reading_at + interval '24 hours' - random() * interval '1 hour',
      failures = 0
    where company_id = account.company_id and business_account_id = account.business_account_id
      and (synced_at is null or synced_at <= reading_at);
    delete from public.template_rereads
    where company_id = account.company_id and business_account_id = account.business_account_id
      and tried_at < now() - interval '1 hour';
  else
    update public.template_rereads set read_at = reading_at
    where company_id = account.company_id and business_account_id = account.business_account_id
      and name = apply_template_sync.only_name
      and (read_at is null or read_at < reading_at);
  end if;
  return jsonb_build_object(
    'templates', total, 'added', counted.added, 'changed', counted.changed, 'removed', removed
  );
end
$$;
comment on function public.apply_template_sync(uuid, timestamptz, jsonb, text, text) is
  'Stores the templates that WhatsApp listed for the business account of a messaging account. The list contains all '
  'templates, or only the templates with the name only_name. The argument began_at is the database time at which the '
  'list was requested. A template that is no longer listed becomes DELETED. Returns the number of listed templates, '
  'and how many templates were added, changed and removed. With an API key, the account must belong to the key''s '
  'company, and only_name is required. Raises PT404 when the account has no business account. Raises PT409 when the '
  'account''s business account is not business_account_id.';
grant execute on function public.apply_template_sync(uuid, timestamptz, jsonb, text, text)
  to api_client, channel_client, service_role;

create trigger template_catalogues_set_updated_at before update on public.template_catalogues
  for each row execute function app.set_updated_at();
create trigger templates_set_updated_at before update on public.templates
  for each row execute function app.set_updated_at();
create trigger messaging_accounts_note_numbers_of_templates
  after insert or delete or update of business_account_id, phone_number_id, disconnected_at
  on public.messaging_accounts
  for each row execute function app.note_numbers_of_templates();

alter table public.template_catalogues enable row level security;
create policy "people read their company's template catalogues" on public.template_catalogues
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
alter table public.templates enable row level security;
create policy "a key reads its company's templates" on public.templates
  for select to api_client using (company_id = (select app.company_id('read')));
create policy "people read their company's templates" on public.templates
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
alter table public.template_rereads enable row level security;
create policy "the platform reads when templates were read again" on public.template_rereads
  for select to service_role using (true);

grant select on public.template_catalogues to authenticated, service_role;
grant select (
  id, company_id, business_account_id, phone_number_ids, channel_template_id, name, language, status, status_since,
  category, upcoming_category, quality, rejected_reason, parameter_format, components, header_format, variables,
  unsupported, media_problem, ttl_seconds, read_at, created_at, updated_at
) on public.templates to api_client, authenticated, service_role;
grant select on public.template_rereads to service_role;

-- schemas/61_template_hints.sql

-- Hints are events in which WhatsApp reports that a template has changed. After a hint, the template is read again
-- before its next send, and the whole list is read within a minute. Until then, the stored template has the values from
-- the event. The next read replaces them with the values from WhatsApp's list.

create table public.template_hints (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  business_account_id text not null,
  name text not null check (char_length(name) between 1 and 512),
  language text not null check (char_length(language) between 1 and 64),
  kind text not null check (kind in ('status', 'quality', 'category', 'components')),
  -- The template columns that the event changes, with their new values. An empty object when there are none.
  value jsonb not null check (jsonb_typeof(value) = 'object'),
  -- The time that WhatsApp reported, in whole seconds.
  happened_at timestamptz not null check (happened_at >= '2000-01-01Z'),
  told_at timestamptz not null default now(),
  unique (company_id, id),
  constraint template_hints_newest unique (company_id, business_account_id, name, language, kind),
  constraint template_hints_catalogue_fkey foreign key (company_id, business_account_id)
    references public.template_catalogues (company_id, business_account_id) on delete cascade
);
comment on table public.template_hints is
  'The hints about templates: the newest hint of each kind. A hint is deleted after the whole list has been read '
  'again.';

create function app.hinted_columns(kind text, value jsonb) returns jsonb
language plpgsql immutable
set search_path = ''
as $$
declare
  -- The function ignores a string that does not have the format of a WhatsApp value.
  word constant text := '^[A-Z][A-Z_]{0,63}$';
  status text;
  quality text;
  category text;
  upcoming text;
begin
  case kind
    when 'status' then
      status := upper(value ->> 'event');
      status := case status when 'REINSTATED' then 'APPROVED' else status end;
      -- Other events, such as FLAGGED, do not contain the status that WhatsApp's template list will show.
      if status in (
        'APPROVED', 'ARCHIVED', 'DELETED', 'DISABLED', 'IN_APPEAL', 'LIMIT_EXCEEDED', 'PAUSED', 'PENDING',
        'PENDING_DELETION', 'REJECTED'
      ) then
        return jsonb_build_object('status', status, 'rejected_reason', case
          when status = 'REJECTED' and upper(value ->> 'reason') ~ word and upper(value ->> 'reason') <> 'NONE'
            then upper(value ->> 'reason')
        end);
      end if;
    when 'quality' then
      quality := upper(value ->> 'new_quality_score');
      if quality ~ word then
        return jsonb_build_object('quality', quality);
      end if;
    when 'category' then
      category := upper(value ->> 'new_category');
      -- An event that announces a future change contains the current category as new_category, and the future category
      -- as correct_category.
      upcoming := upper(value ->> 'correct_category');
      if category ~ word and (upcoming is null or upcoming ~ word) then
        return jsonb_build_object('category', category, 'upcoming_category', nullif(upcoming, category));
      end if;
    else null;
  end case;
  return '{}';
end
$$;
comment on function app.hinted_columns(text, jsonb) is
  'Returns the template columns that a WhatsApp event changes, with their new values. The columns depend on the kind '
  'of event. Returns an empty object when the event changes none of these columns.';

create function app.apply_template_hint(account_ids uuid[], item jsonb) returns text
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  told_name constant text := item ->> 'name';
  told_language constant text := replace(item ->> 'language', '-', '_');
  told_kind constant text := item ->> 'event';
  -- An event without a time gets the current time.
  happened constant timestamptz := least((item ->> 'at')::timestamptz, now());
  told_value constant jsonb := app.hinted_columns(told_kind, item -> 'value');
  catalogue record;
begin
  for catalogue in
    -- The catalogues are always locked in the same order, and each catalogue is locked before its templates.
    select catalogues.id, catalogues.company_id, catalogues.business_account_id, catalogues.synced_at
    from public.template_catalogues as catalogues
    where (catalogues.company_id, catalogues.business_account_id) in (
      select accounts.company_id, accounts.business_account_id from public.messaging_accounts as accounts
      where accounts.id = any (account_ids) and accounts.business_account_id = item ->> 'waba'
    )
    order by catalogues.company_id
    for no key update
  loop
    -- If no list is stored yet, the list is due anyway, and sends are not checked against templates.
    continue when catalogue.synced_at is null;
    -- If the last attempt to read the list failed, a hint does not shorten the pause before the next attempt.
    update public.template_catalogues set sync_due_at = now()
    where id = catalogue.id and failures = 0 and sync_due_at > now();
    continue when told_name is null or told_language is null;

    insert into public.template_hints as hints (
      company_id, business_account_id, name, language, kind, value, happened_at
    )
    values (
      catalogue.company_id, catalogue.business_account_id, told_name, told_language, told_kind, told_value, happened
    )
    on conflict on constraint template_hints_newest do update set
      value = excluded.value,
      happened_at = excluded.happened_at,
      told_at = excluded.told_at
    -- Events with the same second may arrive in any order. Because of this condition, the result does not depend on
    -- their order.
    where (excluded.happened_at, excluded.value) > (hints.happened_at, hints.value);
    continue when not found;
    -- This update fires the trigger that applies the hint.
    update public.templates as templates set read_at = templates.read_at
    where templates.company_id = catalogue.company_id
      and templates.business_account_id = catalogue.business_account_id
      and templates.name = told_name and templates.language = told_language
      and templates.read_at < happened + interval '1 second' and told_value <> '{}';
    -- With this value of tried_at, the templates with this name may be read again immediately.
    update public.template_rereads as rereads set tried_at = now() - interval '61 seconds'
    where rereads.company_id = catalogue.company_id
      and rereads.business_account_id = catalogue.business_account_id
      and rereads.name = told_name and rereads.tried_at > now() - interval '61 seconds';
  end loop;
  return 'done';
end
$$;
comment on function app.apply_template_hint(uuid[], jsonb) is
  'Applies a WhatsApp event about a template (an item of kind `template`) to the catalogues of these accounts. The '
  'whole list becomes due to be read, and the next send of the template first reads the template again. Until then, '
  'the template has the values of the event, unless the template was read after the event. An item without a name or a '
  'language only makes the list due.';

create function app.show_hints() returns trigger
-- Security definer, because only service_role may read the hints.
language plpgsql security definer
set search_path = ''
as $$
declare
  hint record;
begin
  for hint in
    select value, happened_at from public.template_hints as hints
    where hints.company_id = new.company_id and hints.business_account_id = new.business_account_id
      and hints.name = new.name and hints.language = new.language
      and hints.value <> '{}'
      -- If the read began in the same second as the event, the read may have missed the change.
      and least(hints.happened_at + interval '1 second', hints.told_at) > new.read_at
  loop
    if hint.value ? 'status' and hint.value ->> 'status' <> new.status then
      new.status_since := hint.happened_at;
    end if;
    new := jsonb_populate_record(new, hint.value);
  end loop;
  return new;
end
$$;
comment on function app.show_hints() is
  'Trigger: sets the values of a template that WhatsApp reported after the last read of the template began.';

create function app.forget_hints() returns trigger
language plpgsql security definer -- see app.show_hints()
set search_path = ''
as $$
begin
  delete from public.template_hints as hints
  where hints.company_id = new.company_id and hints.business_account_id = new.business_account_id
    and hints.told_at <= new.synced_at;
  -- The list may lack a change that WhatsApp reported while the list was being read.
  if exists (
    select from public.template_hints as hints
    where hints.company_id = new.company_id and hints.business_account_id = new.business_account_id
  ) then
    new.sync_due_at := least(new.sync_due_at, now());
  end if;
  return new;
end
$$;
comment on function app.forget_hints() is
  'Trigger: when the whole list has been read, deletes the hints that are older than the list. If newer hints remain, '
  'the list is due again.';

create trigger templates_show_hints before insert or update of read_at on public.templates
  for each row execute function app.show_hints();
create trigger template_catalogues_forget_hints before update of synced_at on public.template_catalogues
  for each row execute function app.forget_hints();

alter table public.template_hints enable row level security;
create policy "the platform reads the channel's hints about templates" on public.template_hints
  for select to service_role using (true);

grant select on public.template_hints to service_role;

-- schemas/62_template_media.sql

-- The media files for template headers. WhatsApp requires such a file in every send of the template. The approved
-- sample file is uploaded once for each account. Sends use the media id of the upload until shortly before the upload
-- expires.

create table public.template_media (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  account_id uuid not null,
  sample_source text not null,
  -- The WhatsApp media id. WhatsApp deletes the file after 30 days. Null means that the file has to be uploaded.
  media_id text check (char_length(media_id) between 1 and 255),
  -- The file name that the recipient of a document sees.
  filename text check (char_length(filename) between 1 and 240),
  uploaded_at timestamptz,
  -- The id of the upload in progress, its start time, and the time until which no other upload starts.
  upload_id uuid unique,
  began_at timestamptz,
  lease_ends_at timestamptz,
  failed_at timestamptz,
  failure text check (char_length(failure) between 1 and 1000),
  failures integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  constraint template_media_one_per_account_and_sample unique (company_id, account_id, sample_source),
  constraint template_media_account_fkey foreign key (company_id, account_id)
    references public.messaging_accounts (company_id, id) on delete cascade,
  constraint template_media_time_when_uploaded check (media_id is null or uploaded_at is not null)
);
comment on table public.template_media is
  'The uploads of sample files for template headers: one row for each account and sample.';

create function app.media_problem(own_company_id uuid, of_business_account_id text, of_source text) returns text
language sql stable
set search_path = ''
as $$
  select case
    when of_source is null then 'The channel lists no sample of the header''s media'
    else (
      select media.failure
      from public.messaging_accounts as accounts
      join public.template_media as media on media.company_id = accounts.company_id and media.account_id = accounts.id
      where accounts.company_id = own_company_id and accounts.business_account_id = of_business_account_id
        and accounts.disconnected_at is null
        and media.sample_source = of_source and media.failure is not null
        -- If an early renewal fails, the earlier media file can still be sent.
        and (media.media_id is null or media.uploaded_at <= now() - interval '29 days')
      order by media.failed_at desc
      limit 1
    )
  end
$$;
comment on function app.media_problem(uuid, text, text) is
  'Returns why the sample of a template header could not be uploaded for an account of this business account. Returns '
  'null when WhatsApp has the sample, or when no upload was tried yet.';

create function app.note_media_problem(own_company_id uuid, of_account_id uuid, of_source text) returns void
language sql
set search_path = ''
as $$
  -- Templates that another transaction has locked are skipped, so an upload does not wait while a list of templates is
  -- being stored. When the list is stored next time, the problem is recorded.
  update public.templates as templates
  set media_problem = app.media_problem(own_company_id, templates.business_account_id, of_source)
  where templates.id in (
    select held.id
    from public.messaging_accounts as accounts
    join public.templates as held on held.company_id = accounts.company_id
      and held.business_account_id = accounts.business_account_id
    where accounts.company_id = own_company_id and accounts.id = of_account_id
      and held.sample_source = of_source
      and held.media_problem is distinct from app.media_problem(own_company_id, held.business_account_id, of_source)
    for no key update of held skip locked
  )
$$;
comment on function app.note_media_problem(uuid, uuid, text) is
  'After an account''s upload of a sample succeeded or failed, updates media_problem in the templates with this '
  'sample.';

create function public.due_media(account_id uuid, max_rows integer default 10) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object('template_id', due.id, 'name', due.name, 'language', due.language)), '[]')
  from (
    select distinct on (templates.sample_source) templates.id, templates.name, templates.language
    from public.messaging_accounts as accounts
    join public.templates on templates.company_id = accounts.company_id
      and templates.business_account_id = accounts.business_account_id
    -- Each template has its own lookup, because the plan of a join may read all media of the account for each template.
    left join lateral (
      select * from public.template_media as media
      where media.company_id = accounts.company_id and media.account_id = accounts.id
        and media.sample_source = templates.sample_source
      offset 0
    ) as media on true
    where accounts.id = due_media.account_id and accounts.disconnected_at is null
      and templates.status = 'APPROVED' and templates.unsupported = '{}'
      and templates.header_format in ('IMAGE', 'VIDEO', 'DOCUMENT') and templates.sample_source is not null
      and (media.media_id is null or media.uploaded_at < now() - interval '25 days')
      and (media.lease_ends_at is null or media.lease_ends_at <= now())
      and (media.failed_at is null or media.failed_at
        + least(interval '5 minutes' * 2 ^ least(media.failures, 12), interval '24 hours') <= now())
    order by templates.sample_source, templates.id
    limit greatest(least(max_rows, 100), 0)
  ) due
$$;
comment on function public.due_media(uuid, integer) is
  'Returns the templates whose header media file has to be uploaded for an account. The file was never uploaded, '
  'WhatsApp rejected the upload, or the upload expires within five days. After a failure, the template is not returned '
  'until a pause has passed. The pause grows with each failure.';
grant execute on function public.due_media(uuid, integer) to channel_client, service_role;

create function public.begin_media_upload(
  account_id uuid,
  template_id uuid,
  lease_seconds integer default 30
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id constant uuid := app.company_id('messaging');
  template record;
  media record;
  new_upload_id constant uuid := gen_random_uuid();
begin
  select templates.company_id, templates.name, templates.language, templates.header_format, templates.sample_url,
    templates.sample_source, templates.channel_template_id
  into template
  from public.messaging_accounts as accounts
  join public.templates on templates.company_id = accounts.company_id
    and templates.business_account_id = accounts.business_account_id
  where accounts.id = begin_media_upload.account_id and accounts.disconnected_at is null
    and (own_company_id is null or accounts.company_id = own_company_id)
    and templates.id = begin_media_upload.template_id and templates.status <> 'DELETED'
    and templates.header_format in ('IMAGE', 'VIDEO', 'DOCUMENT');
  if not found then
    return jsonb_build_object('result', 'gone');
  end if;
  if template.sample_source is null then
    return jsonb_build_object('result', 'failed', 'reason', app.media_problem(template.company_id, null, null));
  end if;

  insert into public.template_media (company_id, account_id, sample_source)
  values (template.company_id, begin_media_upload.account_id, template.sample_source)
  on conflict do nothing;
  select * into media from public.template_media
  where company_id = template.company_id and account_id = begin_media_upload.account_id
    and sample_source = template.sample_source
  for no key update;
  case
    when media.media_id is not null and media.uploaded_at >= now() - interval '25 days' then
      return jsonb_build_object('result', 'ready', 'media_id', media.media_id, 'filename', media.filename);
    when media.lease_ends_at > now() then
      return jsonb_build_object('result', 'wait');
    -- Many callers may have waited for a failed upload. They must not all retry the upload one after the other.
    when media.failed_at > now() - interval '10 seconds' then
      return jsonb_build_object('result', 'failed', 'reason', media.failure);
    else
      update public.template_media set
        upload_id = new_upload_id,
        began_at = now(),
        lease_ends_at = now() + interval '1 second' * greatest(least(lease_seconds, 150), 1)
      where id = media.id;
      return jsonb_build_object(
        'result', 'upload', 'upload_id', new_upload_id, 'format', template.header_format,
        'sample_url', template.sample_url, 'template_name', template.name, 'language', template.language,
        'channel_template_id', template.channel_template_id, 'began_at', now()
      );
  end case;
end
$$;
comment on function public.begin_media_upload(uuid, uuid, integer) is
  'Decides which caller uploads a template''s header media file for an account. The result `ready` contains the media '
  'id. The result `upload` means that this caller has to upload the file, and then call finish_media_upload or '
  'fail_media_upload. The result `wait` means that another caller is uploading the file. The result `failed` means '
  'that an upload failed less than ten seconds ago, or that there is no sample. The result `gone` means that the '
  'account no longer has this template, or is disconnected.';
grant execute on function public.begin_media_upload(uuid, uuid, integer) to api_client, channel_client, service_role;

create function public.finish_media_upload(upload_id uuid, media_id text, filename text default null)
returns boolean
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id constant uuid := app.company_id('messaging');
  media record;
begin
  update public.template_media set
    media_id = finish_media_upload.media_id,
    filename = finish_media_upload.filename,
    uploaded_at = now(), upload_id = null, lease_ends_at = null, failed_at = null, failure = null, failures = 0
  where upload_id = finish_media_upload.upload_id and (own_company_id is null or company_id = own_company_id)
  returning company_id, account_id, sample_source, began_at into media;
  if not found then
    return false;
  end if;
  -- The success shows only that the token works. Other refusals, for example because of a payment problem, may still
  -- apply.
  perform app.withdraw_token_refusals(media.account_id, media.began_at)
  from public.messaging_accounts as accounts
  where accounts.id = media.account_id and accounts.refused_at is not null;
  perform app.note_media_problem(media.company_id, media.account_id, media.sample_source);
  return true;
end
$$;
comment on function public.finish_media_upload(uuid, text, text) is
  'Records the media id of an upload. Returns false when the upload had already ended, or when another upload has '
  'started.';
grant execute on function public.finish_media_upload(uuid, text, text) to api_client, channel_client, service_role;

create function public.fail_media_upload(upload_id uuid, reason text, refusal text default null) returns boolean
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id constant uuid := app.company_id('messaging');
  media record;
begin
  update public.template_media set
    upload_id = null, lease_ends_at = null,
    failed_at = now(), failure = left(fail_media_upload.reason, 1000), failures = failures + 1
  where upload_id = fail_media_upload.upload_id and (own_company_id is null or company_id = own_company_id)
  returning company_id, account_id, sample_source into media;
  if not found then
    return false;
  end if;
  perform app.note_media_problem(media.company_id, media.account_id, media.sample_source);
  if fail_media_upload.refusal is not null then
    -- An API key uploads only for a send, so this refusal stopped one send. A job uploads in advance, so no send was
    -- stopped.
    perform app.note_refusal(
      media.account_id, 'refusal', fail_media_upload.refusal, (own_company_id is not null)::integer
    );
  end if;
  return true;
end
$$;
comment on function public.fail_media_upload(uuid, text, text) is
  'Records why an upload failed. If WhatsApp refused the account, `refusal` is the WhatsApp error code, and the '
  'refusal becomes a notice of the account. Returns false when the upload had already ended, or when another upload '
  'has started.';
grant execute on function public.fail_media_upload(uuid, text, text) to api_client, channel_client, service_role;

create trigger template_media_set_updated_at before update on public.template_media
  for each row execute function app.set_updated_at();

alter table public.template_media enable row level security;
create policy "the platform reads the media of templates" on public.template_media
  for select to service_role using (true);

grant select on public.template_media to service_role;

-- schemas/63_preflight.sql

-- The preflight check. The claim of a send also checks the send against the stored template, without another round
-- trip. The claim refuses a send that WhatsApp would certainly refuse. The idempotency key of a refused send can be
-- used again. Every send is checked and rendered, so app.rendered_text() and app.template_faults() must be fast. These
-- two functions contain no queries and call no other function of the schema, because each query and each call takes
-- time.

create function app.rendered_text(rendering jsonb, header_variables text[], body_variables text[]) returns text
language plpgsql immutable
set search_path = ''
as $$
declare
  part text;
  given text[];
  pieces jsonb;
  text text;
  rendered text;
begin
  foreach part in array array['header', 'body'] loop
    pieces := rendering -> part;
    continue when jsonb_typeof(pieces) is distinct from 'array' or pieces = '[]';
    given := case part when 'header' then header_variables else body_variables end;
    text := '';
    for place in 0 .. jsonb_array_length(pieces) - 1 loop
      text := text || case jsonb_typeof(pieces -> place)
        when 'number' then coalesce(given[(pieces -> place)::integer + 1], '')
        else pieces ->> place
      end;
    end loop;
    rendered := concat_ws(e'\n\n', rendered, text);
  end loop;

  text := null;
  for place in 0 .. jsonb_array_length(rendering -> 'buttons') - 1 loop
    text := concat_ws(' ', text, format('[%s]', rendering -> 'buttons' ->> place));
  end loop;
  return left(concat_ws(e'\n\n', rendered, rendering ->> 'footer', text), 65536);
end
$$;
comment on function app.rendered_text(jsonb, text[], text[]) is
  'Returns the text of a template (templates.rendering) as the recipient sees it. The text contains the header and the '
  'body with their variables filled in, the footer, and the button labels. An empty line separates these parts.';

create function app.template_faults(
  template public.templates,
  media_type text,
  header_variables text[],
  body_variables text[],
  button_variables text[]
) returns jsonb
language plpgsql immutable
set search_path = ''
as $$
declare
  faults jsonb := '[]';
  part text;
  given text[];
  takes integer;
begin
  if template.status <> 'APPROVED' then
    faults := faults || jsonb_build_object(
      'field', 'template_name', 'fault', 'status', 'status', template.status, 'since', template.status_since
    );
  end if;
  if media_type is not null and upper(media_type) is distinct from template.header_format then
    faults := faults || jsonb_build_object(
      'field', 'template_header_type', 'fault', 'header', 'header', template.header_format
    );
  end if;
  if template.unsupported <> '{}' then
    -- The platform does not know the requirements of such a template, so it cannot check the values.
    return faults || jsonb_build_object(
      'field', 'template_name', 'fault', 'unsupported', 'parts', template.unsupported
    );
  end if;

  foreach part in array array['header', 'body', 'button'] loop
    given := case part when 'header' then header_variables when 'body' then body_variables else button_variables end;
    takes := jsonb_array_length(template.variables -> case part when 'button' then 'buttons' else part end);
    if cardinality(given) <> takes then
      faults := faults || jsonb_build_object(
        'field', part || '_variables', 'fault', 'count', 'takes', takes, 'got', cardinality(given)
      );
    end if;
    for place in 1 .. coalesce(cardinality(given), 0) loop
      -- WhatsApp refuses an empty value, and these characters in a value.
      if given[place] = '' or given[place] ~ e'[\n\r\t]| {5}' then
        faults := faults || jsonb_build_object(
          'field', format('%s_variables.%s', part, place - 1),
          'fault', case given[place] when '' then 'empty' else 'characters' end
        );
      end if;
    end loop;
  end loop;
  return faults;
end
$$;
comment on function app.template_faults(public.templates, text, text[], text[], text[]) is
  'Returns why a template cannot be sent with these values, as an array of faults, each with its field. The array is '
  'empty when the template can be sent. The argument media_type is the type of the header''s media file according to '
  'the request: image, video, document or null.';

create function app.judge_template(
  own_company_id uuid,
  of_business_account_id text,
  by_name text,
  in_language text,
  media_type text,
  header_variables text[],
  body_variables text[],
  button_variables text[],
  preflight text,
  -- The verdict is `go`, `refused` or `reread`. The verdict `reread` means that the stored template is outdated, or
  -- that it has a fault and may be outdated.
  out verdict text,
  out faults jsonb,
  -- Null when the template is unknown.
  out template public.templates
)
language plpgsql stable
set search_path = ''
as $$
declare
  known record;
  reread record;
  languages text[];
  -- When WhatsApp reported a change that the stored template may lack. Null when there is no such report.
  hinted_at timestamptz;
  is_fresh boolean;
  may_reread boolean;
begin
  verdict := 'go';
  if preflight = 'off' then
    return;
  end if;
  select templates as template,
    -- A change in the template's quality does not prevent a send.
    (
      select max(hints.told_at) from public.template_hints as hints
      where hints.company_id = own_company_id and hints.business_account_id = of_business_account_id
        and hints.name = by_name and hints.language = in_language and hints.kind <> 'quality'
    ) as hinted_at
  into known
  from public.template_catalogues as catalogues
  left join public.templates on templates.company_id = catalogues.company_id
    and templates.business_account_id = catalogues.business_account_id
    and templates.name = by_name and templates.language = in_language and templates.status <> 'DELETED'
  where catalogues.company_id = own_company_id and catalogues.business_account_id = of_business_account_id
    and catalogues.synced_at is not null;
  if not found then
    return; -- there is no catalogue
  end if;
  template := known.template;
  hinted_at := known.hinted_at;
  if template.id is not null then
    faults := app.template_faults(template, media_type, header_variables, body_variables, button_variables);
    if hinted_at <= template.read_at then
      hinted_at := null;
    end if;
    if faults = '[]' and hinted_at is null then
      return;
    end if;
  end if;
  select tried_at, read_at into reread from public.template_rereads as rereads
  where rereads.company_id = own_company_id and rereads.business_account_id = of_business_account_id
    and rereads.name = by_name;
  if template.id is not null then
    is_fresh := template.read_at > now() - interval '10 minutes';
  else
    languages := array(
      select templates.language from public.templates
      where templates.company_id = own_company_id and templates.business_account_id = of_business_account_id
        and templates.name = by_name and templates.status <> 'DELETED'
      order by 1
    );
    faults := case when languages = '{}'
      then jsonb_build_array(jsonb_build_object('field', 'template_name', 'fault', 'unknown'))
      else jsonb_build_array(
        jsonb_build_object('field', 'language_code', 'fault', 'language', 'languages', languages)
      )
    end;
    -- The template may be new, so the result of a read that did not find it is used for only a minute.
    is_fresh := reread.read_at > now() - interval '1 minute';
    if hinted_at <= reread.read_at then
      hinted_at := null;
    end if;
  end if;

  if is_fresh and hinted_at is null then
    verdict := 'refused';
    return;
  end if;
  may_reread := preflight = 'first' and (
    -- The templates with a name are read again at most once a minute. If another request is reading them now, this
    -- request may wait for the result.
    reread.tried_at is null or reread.tried_at <= now() - interval '1 minute'
    or (reread.tried_at > now() - interval '15 seconds' and coalesce(reread.read_at < reread.tried_at, true))
  ) and (
    -- A caller that tries many names must not use up the account's request limit at WhatsApp.
    select count(*) < 20 from public.template_rereads as rereads
    where rereads.company_id = own_company_id and rereads.business_account_id = of_business_account_id
      and rereads.tried_at > now() - interval '1 minute'
  );
  if may_reread then
    verdict := 'reread';
  elsif hinted_at is not null and exists (
    -- The template cannot be read again now, but WhatsApp has recently reported that the template cannot be sent. Only
    -- faults of the template itself are returned, because the other faults may be outdated.
    select from public.template_hints as hints
    where hints.company_id = own_company_id and hints.business_account_id = of_business_account_id
      and hints.name = by_name and hints.language = in_language and hints.kind = 'status'
      and hints.value ->> 'status' <> 'APPROVED' and hints.happened_at > now() - interval '10 minutes'
      and least(hints.happened_at + interval '1 second', hints.told_at)
        > coalesce(template.read_at, reread.read_at, '-infinity')
  ) then
    verdict := 'refused';
    faults := jsonb_path_query_array(
      faults, '$[*] ? (@.field == "template_name" || @.field == "language_code")'
    );
  end if;
end
$$;
comment on function app.judge_template(uuid, text, text, text, text, text[], text[], text[], text) is
  'Decides from the stored templates whether a send can continue. Refuses the send only for a fault that was read from '
  'WhatsApp, or that WhatsApp reported, within the last ten minutes. For an older fault, or after a change that '
  'WhatsApp reported, the template is read again first. The templates with a name are read again at most once a '
  'minute. If the template cannot be read again, the send continues, and WhatsApp accepts or refuses the message. The '
  'argument `preflight` is `off` (no check), `first` or `last`. The value `last` means that the template has been read '
  'again, or could not be read.';

-- schemas/64_account_notices.sql

-- WhatsApp notices about an account: events about its business account (such as a restriction), errors of its phone
-- number, and responses in which WhatsApp refuses the account. Operators and members of the company can read these
-- notices. A notice does not stop sends or disconnect an account, because WhatsApp itself refuses messages that it does
-- not accept.

create table public.account_notices (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  account_id uuid not null,
  -- An `event` is about the business account or a number. A `trouble` is an error that is not about a message. A
  -- `refusal` means that WhatsApp refused the account in the response to a send or a media upload. A `reading_refusal`
  -- is a refused request for the templates. A `reported_refusal` came in a report: WhatsApp accepted a message but did
  -- not deliver it because of the account.
  kind text not null check (kind in ('event', 'trouble', 'refusal', 'reading_refusal', 'reported_refusal')),
  -- For an event, the WhatsApp event name, such as ACCOUNT_RESTRICTION. For all other kinds, the WhatsApp error code.
  -- For a refusal, token_unusable means that the stored token cannot be decrypted.
  event text not null check (event ~ '^[A-Za-z0-9_.-]{1,64}$'),
  -- For an event, the object that WhatsApp sent. For a `trouble`, { code, message, details }. For a refusal, { code }.
  value jsonb not null check (jsonb_typeof(value) = 'object' and octet_length(value::text) <= 16384),
  -- The time that WhatsApp reported. For a refusal, the time of the first refusal since the last success.
  happened_at timestamptz not null check (happened_at >= '2000-01-01Z'),
  until timestamptz check (until >= '2000-01-01Z' and until < '2200-01-01Z'),
  -- Whether WhatsApp has refused all or some of the account's messages since happened_at.
  stops_sending boolean not null default false,
  received_at timestamptz not null default now(),
  -- The number of sends that a refusal has stopped since happened_at.
  stopped_sends integer not null default 0 check (stopped_sends >= 0),
  unique (company_id, id),
  constraint account_notices_newest unique (company_id, account_id, kind, event),
  constraint account_notices_account_fkey foreign key (company_id, account_id)
    references public.messaging_accounts (company_id, id) on delete cascade
);
comment on table public.account_notices is
  'For each account: the newest WhatsApp notice with each event name and each error code. A notice is kept for 30 days '
  'after its end.';

create function app.end_of_notice(
  kind text, stops_sending boolean, happened_at timestamptz, received_at timestamptz, until timestamptz
) returns timestamptz
language sql stable
set search_path = ''
as $$
  select case
    -- The next success withdraws a refusal. Without a success or another refusal for 30 days, the refusal is too old to
    -- describe the account.
    when kind like '%refusal' then received_at + interval '30 days'
    when until is not null then until
    when stops_sending then happened_at + interval '30 days'
    else happened_at + interval '1 day'
  end
$$;
comment on function app.end_of_notice(text, boolean, timestamptz, timestamptz, timestamptz) is
  'Returns the time from which a notice with these values is no longer current. A notice without an end is current for '
  'a day, or for 30 days if it stops sends.';
grant execute on function app.end_of_notice(text, boolean, timestamptz, timestamptz, timestamptz) to authenticated;

create function app.is_current(notice public.account_notices) returns boolean
language sql stable
set search_path = ''
as $$
  select now() < app.end_of_notice(
    notice.kind, notice.stops_sending, notice.happened_at, notice.received_at, notice.until
  )
$$;
comment on function app.is_current(public.account_notices) is
  'Checks whether a notice is still current. See app.end_of_notice().';
grant execute on function app.is_current(public.account_notices) to authenticated;

create function app.keep_account_notices(account_ids uuid[], notices public.account_notices[]) returns text
language plpgsql
set search_path = ''
as $$
begin
  insert into public.account_notices as known (
    company_id, account_id, kind, event, value, happened_at, until, stops_sending
  )
  select
    accounts.company_id, accounts.id, notice.kind, notice.event,
    case when octet_length(notice.value::text) > 16384 then '{ "truncated": true }' else notice.value end,
    notice.happened_at, notice.until, notice.stops_sending
  from public.messaging_accounts as accounts
  cross join (
    -- One statement can change a row only once.
    select distinct on (kind, event) * from unnest(notices)
    order by kind, event, happened_at desc, value desc
  ) as notice
  where accounts.id = any (account_ids)
  -- The rows are always written in the same order, so that two events cannot cause a deadlock.
  order by accounts.id, notice.kind, notice.event
  on conflict on constraint account_notices_newest do update set
    value = excluded.value,
    happened_at = excluded.happened_at,
    until = excluded.until,
    stops_sending = excluded.stops_sending,
    received_at = excluded.received_at
  -- Events with the same second may arrive in any order. Because of this condition, the result does not depend on their
  -- order.
  where (excluded.happened_at, excluded.value) > (known.happened_at, known.value);

  delete from public.account_notices as notices using (
    select ranked.id, ranked.ends_at, row_number() over (
      partition by ranked.account_id order by ranked.ends_at desc, ranked.event
    ) as place
    from (
      select id, account_id, event,
        case when kind like '%refusal' then received_at else greatest(happened_at, until) end as ends_at
      from public.account_notices
      where account_id = any (account_ids)
    ) as ranked
  ) as old
  where notices.id = old.id and (old.ends_at < now() - interval '30 days' or old.place > 50);
  return 'done';
end
$$;
comment on function app.keep_account_notices(uuid[], public.account_notices[]) is
  'Stores the same notices for several accounts: the newest notice of each event. Deletes notices that ended more than '
  '30 days ago, and all but the newest 50 notices of an account.';

create function app.apply_account_event(account_ids uuid[], item jsonb) returns text
language plpgsql
set search_path = ''
as $$
declare
  notice public.account_notices;
begin
  notice.kind := 'event';
  notice.event := item ->> 'event';
  notice.value := item -> 'value';
  -- An event without a time gets the current time.
  notice.happened_at := least((item ->> 'at')::timestamptz, now());
  notice.until := (item ->> 'until')::timestamptz;
  notice.stops_sending := coalesce((item ->> 'stops_sending')::boolean, false);
  return app.keep_account_notices(account_ids, array[notice]);
end
$$;
comment on function app.apply_account_event(uuid[], jsonb) is
  'Stores a WhatsApp event about a business account or a number (an item of kind `account`) for these accounts. Does '
  'not disconnect an account or stop a send.';

create function app.apply_trouble(account_id uuid, item jsonb) returns text
language plpgsql
set search_path = ''
as $$
declare
  notice public.account_notices;
  notices public.account_notices[] := '{}';
  error jsonb;
begin
  notice.kind := 'trouble';
  notice.stops_sending := false;
  notice.happened_at := least((item ->> 'at')::timestamptz, now());
  for error in select value from jsonb_array_elements(item -> 'errors') limit 50 loop
    notice.event := coalesce((error ->> 'code')::integer::text, 'unknown');
    notice.value := jsonb_build_object(
      'code', (error ->> 'code')::integer,
      'message', left(error ->> 'message', 1000),
      'details', left(error ->> 'details', 1000)
    );
    notices := notices || notice;
  end loop;
  return app.keep_account_notices(array[apply_trouble.account_id], notices);
end
$$;
comment on function app.apply_trouble(uuid, jsonb) is
  'Stores WhatsApp errors that are about an account and not about a message (an item of kind `trouble`).';

create function public.current_account_notices(company_id uuid default null) returns jsonb
language sql stable security definer -- returns one value, because the Data API limits the number of rows
set search_path = ''
as $$
  select coalesce(jsonb_agg(
    to_jsonb(notices) - 'id' order by notices.account_id, notices.happened_at desc, notices.kind, notices.event
  ), '[]')
  from public.account_notices as notices
  where (current_account_notices.company_id is null or notices.company_id = current_account_notices.company_id)
    and app.is_current(notices)
$$;
comment on function public.current_account_notices(uuid) is
  'Returns the current notices for a company''s accounts, or for all accounts. See app.is_current().';
grant execute on function public.current_account_notices(uuid) to service_role;

alter table public.account_notices enable row level security;
create policy "people read the channel's notices about their accounts" on public.account_notices
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));

grant select on public.account_notices to authenticated, service_role;

-- schemas/65_account_refusals.sql

-- Refusals of an account. WhatsApp refuses an account in its response to a send, a reply, a media upload or a request
-- for the templates, for example because the token has expired. WhatsApp may also accept a message and report the
-- refusal later. A refusal immediately becomes a notice of the account. The next success of the same kind withdraws the
-- refusal. A refusal does not stop the next send, because WhatsApp decides again for each message.

create function app.note_refusal(of_account_id uuid, of_kind text, of_event text, stopped integer) returns void
language plpgsql
set search_path = ''
as $$
declare
  is_send constant boolean := of_kind <> 'reading_refusal';
begin
  -- The account is locked first, as in withdraw_refusals() and when the account is reconnected.
  perform from public.messaging_accounts where id = of_account_id for no key update;
  insert into public.account_notices as known (
    company_id, account_id, kind, event, value, happened_at, stops_sending, stopped_sends
  )
  select
    company_id, id, of_kind, of_event,
    jsonb_build_object('code', case when of_event ~ '^[0-9]+$' then of_event::integer end),
    now(), is_send or app.is_about_token(of_event), stopped
  from public.messaging_accounts where id = of_account_id
  on conflict on constraint account_notices_newest do update set
    received_at = now(),
    -- If the earlier refusal is no longer current, its time and the number of stopped sends are reset.
    happened_at = case when app.is_current(known) then known.happened_at else now() end,
    stopped_sends = excluded.stopped_sends + case when app.is_current(known) then known.stopped_sends else 0 end;
  if is_send then
    update public.messaging_accounts set refused_at = now() where id = of_account_id and refused_at is null;
  end if;
end
$$;
comment on function app.note_refusal(uuid, text, text, integer) is
  'Records that WhatsApp has refused an account. The kind is `refusal` for a send, a reply or an upload, '
  '`reading_refusal` for a request for the templates, and `reported_refusal` for a report about a message. The event '
  'is the WhatsApp error code, or token_unusable. The argument `stopped` is the number of sends that this refusal has '
  'stopped: 0 or 1.';

create function app.account_of_message(
  of_company_id uuid,
  message_id uuid,
  out id uuid,
  out asked_at timestamptz
)
language sql stable
set search_path = ''
as $$
  select conversations.messaging_account_id, messages.created_at
  from public.messages
  join public.conversations on conversations.company_id = messages.company_id
    and conversations.id = messages.conversation_id
  where messages.company_id = of_company_id and messages.id = account_of_message.message_id
$$;
comment on function app.account_of_message(uuid, uuid) is
  'Returns the account that sends a message, and when the last attempt began.';

create function app.is_about_token(event text) returns boolean
language sql immutable
set search_path = ''
as $$
  select event in ('0', '190', 'token_unusable')
$$;
comment on function app.is_about_token(text) is
  'Checks whether the event of a refusal means that the access token cannot be used at all.';

create function app.withdraw_refusals(of_account_id uuid, of_kind text, began_at timestamptz) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform from public.messaging_accounts where id = of_account_id for no key update;
  -- A refusal that was recorded after the start of the successful call may be newer than the success.
  delete from public.account_notices
  where account_id = of_account_id and received_at <= began_at
    and (kind = of_kind or kind like '%refusal' and app.is_about_token(event));
  update public.messaging_accounts set refused_at = null
  where id = of_account_id and refused_at is not null and not exists (
    select from public.account_notices where account_id = of_account_id and kind in ('refusal', 'reported_refusal')
  );
end
$$;
comment on function app.withdraw_refusals(uuid, text, timestamptz) is
  'Withdraws the refusals of an account after a success of the same kind. The argument began_at is the start time of '
  'the successful call. Any success shows that the token can be used, so refusals because of the token are also '
  'withdrawn.';

create function app.withdraw_token_refusals(of_account_id uuid, began_at timestamptz) returns void
language plpgsql
set search_path = ''
as $$
begin
  delete from public.account_notices
  where account_id = of_account_id and kind like '%refusal' and received_at <= began_at
    -- The error codes for an unusable token or missing permissions; see outcome.ts.
    and (app.is_about_token(event) or event in ('3', '10', '131005') or event ~ '^2[0-9][0-9]$');
  update public.messaging_accounts set refused_at = null
  where id = of_account_id and refused_at is not null and not exists (
    select from public.account_notices where account_id = of_account_id and kind in ('refusal', 'reported_refusal')
  );
end
$$;
comment on function app.withdraw_token_refusals(uuid, timestamptz) is
  'Withdraws the refusals that are about an account''s token or the token''s permissions. Called when the account gets '
  'a new token or an upload succeeds. Refusals that were recorded after began_at remain.';

create function app.note_report(own_company_id uuid, of_message_id uuid, failure jsonb, reported_at timestamptz)
returns void
language plpgsql
set search_path = ''
as $$
declare
  account record;
begin
  select accounts.id, accounts.refused_at, sent.asked_at into account
  from app.account_of_message(own_company_id, of_message_id) as sent
  join public.messaging_accounts as accounts on accounts.id = sent.id;
  if failure ->> 'reason' = 'channel_account_error' then
    -- A report that is more than a day old says nothing about the current state of the account.
    if reported_at > now() - interval '1 day' then
      perform app.note_refusal(account.id, 'reported_refusal', coalesce(failure ->> 'code', 'unknown'), 1);
    end if;
  elsif failure is null and account.refused_at is not null then
    perform app.withdraw_refusals(account.id, 'reported_refusal', account.asked_at);
  end if;
end
$$;
comment on function app.note_report(uuid, uuid, jsonb, timestamptz) is
  'Applies a report about a message to the refusals of its account. A failure because of the account becomes a '
  'reported_refusal. If `failure` is null, the report withdraws the reported refusals that were recorded before the '
  'attempt began. The acceptance of a message does not withdraw reported refusals, because WhatsApp accepts messages '
  'from such an account, but does not deliver them.';

-- schemas/66_media_uploads.sql

-- Media files that a company uploaded to WhatsApp, to send in replies and template headers. Only WhatsApp stores the
-- bytes. WhatsApp deletes the bytes after 30 days, and a job removes the row a day earlier.

create table public.media_uploads (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  -- Only the phone number of this account can send the media file.
  account_id uuid not null,
  -- The WhatsApp media id.
  media_id text not null check (char_length(media_id) between 1 and 255),
  type text not null check (type in ('image', 'video', 'audio', 'document')),
  mime_type text not null check (char_length(mime_type) between 1 and 255),
  bytes bigint not null check (bytes > 0),
  -- In hexadecimal digits.
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  filename text check (char_length(filename) between 1 and 240),
  -- The first message with the media file, and whether another contact also received the file. If only one contact
  -- received the file and that contact is erased, the upload is deleted.
  first_message_id uuid,
  is_shared boolean not null default false,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '29 days',
  unique (company_id, id),
  constraint media_uploads_account_fkey foreign key (company_id, account_id)
    references public.messaging_accounts (company_id, id) on delete cascade,
  constraint media_uploads_first_message_fkey foreign key (company_id, first_message_id)
    references public.messages (company_id, id) on delete set null (first_message_id)
    -- A claim stores the message id here before it adds the message row.
    deferrable initially deferred
);
comment on table public.media_uploads is
  'Media files that a company uploaded to WhatsApp. Each row contains the WhatsApp media id and the known properties '
  'of the file. Only WhatsApp stores the bytes.';

create index media_uploads_account_idx on public.media_uploads (company_id, account_id);
create index media_uploads_first_message_idx on public.media_uploads (company_id, first_message_id)
  where first_message_id is not null;
create index media_uploads_expiry_idx on public.media_uploads (expires_at);

create function app.upload_json(upload public.media_uploads) returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object(
    'id', upload.id,
    'phone_number_id', accounts.phone_number_id,
    'type', upload.type,
    'mime_type', upload.mime_type,
    'bytes', upload.bytes,
    'sha256', upload.sha256,
    'filename', upload.filename,
    'created_at', upload.created_at,
    'expires_at', upload.expires_at
  )
  from public.messaging_accounts as accounts
  where accounts.company_id = upload.company_id and accounts.id = upload.account_id
$$;
comment on function app.upload_json(public.media_uploads) is 'Returns an upload in the format of the API.';

create function public.account_for_upload(phone_number_id text default null) returns jsonb
-- Security definer, because a key cannot read accounts.
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id constant uuid := app.company_id('messaging');
  connected public.messaging_accounts[];
  account record;
begin
  connected := array(
    select accounts from public.messaging_accounts as accounts
    where company_id = own_company_id and disconnected_at is null
    order by phone_number_id
  );
  select id, phone_number_id, business_account_id, encrypted_token, count(*) over () as matches into account
  from unnest(connected)
  where account_for_upload.phone_number_id is null or phone_number_id = account_for_upload.phone_number_id;
  perform public.authenticate();
  return jsonb_build_object('company_id', own_company_id) || case when account.matches is distinct from 1
    then jsonb_build_object('result', 'no_account', 'connected', array(
      select jsonb_build_object('phone_number_id', phone_number_id, 'display_phone', display_phone)
      from unnest(connected)
    ))
    else jsonb_build_object(
      'result', 'account',
      'account_id', account.id,
      'phone_number_id', account.phone_number_id,
      'business_account_id', account.business_account_id,
      'encrypted_token', account.encrypted_token
    )
  end;
end
$$;
comment on function public.account_for_upload(text) is
  'Returns the account that uploads media files, with its encrypted token. The result `no_account` contains the '
  'connected accounts. This result means that no connected account has this phone_number_id. Without a '
  'phone_number_id, it means that the company does not have exactly one connected account. Every result contains the '
  'key''s company. Raises PT401 and PT403 as app.company_id() does.';
grant execute on function public.account_for_upload(text) to api_client;

create function public.add_media_upload(account_id uuid, upload jsonb) returns jsonb
language plpgsql security definer -- no role may write the table
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id constant uuid := app.company_id('messaging');
  added public.media_uploads;
begin
  insert into public.media_uploads (company_id, account_id, media_id, type, mime_type, bytes, sha256, filename)
  select
    own_company_id, accounts.id, upload ->> 'media_id', upload ->> 'type', upload ->> 'mime_type',
    (upload ->> 'bytes')::bigint, upload ->> 'sha256', upload ->> 'filename'
  from public.messaging_accounts as accounts
  where accounts.company_id = own_company_id and accounts.id = add_media_upload.account_id
  returning * into added;
  return app.upload_json(added);
end
$$;
comment on function public.add_media_upload(uuid, jsonb) is
  'Adds the row for a media file that was uploaded for an account of the company. Returns the upload in the format of '
  'the API. The argument `upload` has media_id, type, mime_type, bytes, sha256 and filename. Returns null when the '
  'company has no such account. Raises PT401 and PT403 as app.company_id() does.';
grant execute on function public.add_media_upload(uuid, jsonb) to api_client;

create function public.media_upload(id uuid) returns jsonb
language plpgsql security definer -- the roles of callers may not read the table
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id constant uuid := app.company_id('messaging');
  found public.media_uploads;
begin
  select * into found from public.media_uploads
  where company_id = own_company_id and id = media_upload.id and expires_at > now();
  perform public.authenticate();
  return jsonb_build_object('company_id', own_company_id, 'data', app.upload_json(found));
end
$$;
comment on function public.media_upload(uuid) is
  'Returns, in the member `data`, an upload of the company in the format of the API. The member is null when the '
  'upload does not exist or has expired. Raises PT401 and PT403 as app.company_id() does.';
grant execute on function public.media_upload(uuid) to api_client;

create function app.medium_of_send(
  own_company_id uuid,
  of_account_id uuid,
  for_contact_id uuid,
  in_message_id uuid,
  -- { id } of an upload, or { type, link }. Both formats may also have filename and voice.
  asked jsonb,
  -- The fields that WhatsApp needs: { type, id or link, filename, voice }.
  out sent jsonb,
  -- The fields that the stored message shows.
  out shown jsonb,
  -- The invalid member of `asked`, and the reason: unknown, not_document, not_audio or not_opus.
  out fault jsonb
)
language plpgsql
set search_path = ''
as $$
declare
  upload public.media_uploads;
  kind text := asked ->> 'type';
begin
  if asked ? 'id' then
    -- The send needs some time, so the upload must not expire within a minute. The lock prevents the removal of the
    -- row.
    select * into upload from public.media_uploads
    where company_id = own_company_id and account_id = of_account_id and id = (asked ->> 'id')::uuid
      and expires_at > now() + interval '60 seconds'
    for no key update;
    if not found then
      fault := '{ "field": "id", "fault": "unknown" }';
      return;
    end if;
    kind := upload.type;
    if not upload.is_shared then
      update public.media_uploads set
        first_message_id = coalesce(upload.first_message_id, in_message_id),
        is_shared = coalesce((
          select conversations.contact_id <> for_contact_id from public.messages
          join public.conversations on conversations.company_id = messages.company_id
            and conversations.id = messages.conversation_id
          where messages.company_id = own_company_id and messages.id = upload.first_message_id
        ), false)
      where company_id = own_company_id and id = upload.id;
    end if;
  end if;
  fault := case
    when asked ->> 'filename' is not null and kind <> 'document'
      then '{ "field": "filename", "fault": "not_document" }'
    when asked -> 'voice' = 'true' and kind <> 'audio' then '{ "field": "voice", "fault": "not_audio" }'
    when asked -> 'voice' = 'true' and upload.id is not null and upload.mime_type not like 'audio/ogg%'
      then '{ "field": "voice", "fault": "not_opus" }'
  end;
  sent := jsonb_strip_nulls(jsonb_build_object(
    'type', kind,
    'id', upload.media_id,
    'link', asked ->> 'link',
    'filename', case when kind = 'document' then coalesce(asked ->> 'filename', upload.filename) end,
    'voice', case when asked -> 'voice' = 'true' then true end
  ));
  shown := jsonb_build_object(
    'id', upload.id,
    'mime_type', upload.mime_type,
    'sha256', upload.sha256,
    'filename', sent ->> 'filename',
    'voice', case when kind = 'audio' then coalesce(asked -> 'voice' = 'true', false) end,
    'animated', null,
    'expires_at', upload.expires_at
  );
end
$$;
comment on function app.medium_of_send(uuid, uuid, uuid, uuid, jsonb) is
  'Returns the media file of a send in two formats, for WhatsApp and for callers. Locks the upload, and records the '
  'message that uses it. If the request is not valid, the fault names the invalid member.';

create function app.erase_upload() returns trigger
language plpgsql security definer -- the roles of callers may not write the table
set search_path = ''
as $$
begin
  delete from public.media_uploads
  where company_id = new.company_id and first_message_id = new.id and not is_shared;
  return null;
end
$$;
comment on function app.erase_upload() is
  'Trigger: deletes an upload if only the erased contact received it, because its file name and hash may reveal '
  'something about the person.';

create function app.remove_old_uploads(max_rows integer) returns integer
language sql
set search_path = ''
as $$
  with old as (
    select company_id, id from public.media_uploads where expires_at <= now()
    order by expires_at limit max_rows
    for update skip locked
  ), removed as (
    delete from public.media_uploads using old
    where media_uploads.company_id = old.company_id and media_uploads.id = old.id
    returning media_uploads.id
  )
  select count(*)::integer from removed
$$;
comment on function app.remove_old_uploads(integer) is
  'Removes the expired uploads, whether they were sent or not, and returns their number.';

create trigger messages_erase_upload after update of is_erased on public.messages
  for each row when (new.is_erased and not old.is_erased) execute function app.erase_upload();

alter table public.media_uploads enable row level security;
create policy "the platform reads uploads" on public.media_uploads for select to service_role using (true);
grant select on public.media_uploads to service_role;

-- schemas/66_record_events.sql

-- Functions that write events. app.make_events() declares the events for one kind of record. It creates triggers that
-- write an event in the transaction of each change. So changes by keys, users, WhatsApp and the platform all create
-- events. The same triggers queue the event for the company's webhooks that subscribe to this event type. An event must
-- never make a write fail or wait. So the triggers do not lock rows. Batches write 500 contacts or deals at once, so
-- their triggers run once per statement. Other records are mostly written one by one. Their triggers run once per row,
-- which halves the cost of such a write.

create type app.event_origin as (actor jsonb, request_id text);
comment on type app.event_origin is
  'The author of an event, and the request that caused it. See the columns of app.events.';

create function app.event_origin(kind text default null) returns app.event_origin
language plpgsql stable
set search_path = ''
as $$
declare
  acting constant text := coalesce(current_setting('role', true), '');
  headers constant text := current_setting('request.headers', true);
  origin app.event_origin;
begin
  origin.actor := case
    when event_origin.kind is not null then jsonb_build_object('kind', event_origin.kind, 'id', null)
    -- The edge function settings acts on behalf of the user in its token.
    when acting in ('authenticated', 'settings_client') then jsonb_build_object('kind', 'person', 'id', auth.uid())
    when acting in ('channel_client', 'webhook_client') then
      jsonb_build_object('kind', coalesce(nullif(current_setting('app.event_actor', true), ''), case acting
        when 'channel_client' then 'channel' else 'job' end), 'id', null)
    when acting <> 'api_client' then '{ "kind": "platform", "id": null }'
  end;
  -- This query is separate, because a query within an expression makes each evaluation of the expression slower.
  if origin.actor is null then
    origin.actor := jsonb_build_object('kind', 'key', 'id', (
      select id from public.api_keys where key_hash = auth.jwt() ->> 'key_hash'
    ));
  end if;
  begin
    origin.request_id := substring(headers::json ->> 'x-request-id' from '^[\x21-\x7e]{1,128}$');
  exception when data_exception then
    -- The headers are not JSON, or contain a character that Postgres cannot store.
    null;
  end;
  return origin;
end
$$;
comment on function app.event_origin(text) is
  'Returns the author of the change that this statement makes. If the argument `kind` is given, the author has that '
  'kind. The edge function whatsapp acts as the kind `channel`, unless one of its jobs has set app.event_actor. The '
  'request id is the X-Request-Id header, which the edge functions forward. The request id is null outside a request, '
  'or when it does not have the format of an id. Never fails. Only the owner''s functions call this function, because '
  'no other role may read the key hashes.';

create function app.write_event(
  of_company uuid,
  event_type text,
  of_record uuid,
  changed_fields text[] default null,
  changed_values jsonb default null,
  author text default null,
  of_version bigint default null
) returns void
language plpgsql
set search_path = ''
as $$
declare
  at constant timestamptz := clock_timestamp();
  of_slot constant smallint := app.slot_of(at);
  event_id constant uuid := app.new_event_id(at);
  event_seq constant bigint := nextval('app.event_seq');
  origin constant app.event_origin := app.event_origin(author);
begin
  insert into app.events
    (slot, id, seq, version, company_id, type, record_id, changed, changes, actor, request_id, happened_at)
  values (
    of_slot, event_id, event_seq, coalesce(of_version, app.change_now()), of_company, event_type, of_record,
    changed_fields, changed_values, origin.actor, origin.request_id, at
  );
  insert into app.open_deliveries (webhook_id, record_id, seq, slot, event_id, company_id, type, due_at)
  select hooks.id, of_record, event_seq, of_slot, event_id, of_company, event_type, at
  from public.webhooks as hooks
  where hooks.company_id = of_company and hooks.is_queued and app.wants(hooks.types, event_type);
end
$$;
comment on function app.write_event(uuid, text, uuid, text[], jsonb, text, bigint) is
  'Writes an event of a record, and queues the event for webhooks. The caller holds the lock on the record, so the '
  'events of a record are numbered in the order of its changes. The argument `author` is a kind of author. If it is '
  'null, the function stores the author of the statement. The argument of_version saves a call of app.change_now(), '
  'which returns the same number.';

create function app.changes_of(columns text[]) returns text
language sql immutable
set search_path = ''
as $$
  select coalesce(
    'nullif(' || string_agg(format(
      'case when is_now.%1$I is distinct from was.%1$I then '
        'jsonb_build_object(%1$L, jsonb_build_object(''from'', was.%1$I, ''to'', is_now.%1$I)) else ''{}'' end',
      name
    ), ' || ') || ', ''{}'')',
    'null::jsonb'
  )
  from unnest(columns) as name
$$;
comment on function app.changes_of(text[]) is
  'Returns an SQL expression for the earlier and later values of the columns that an update changed.';

create function app.make_events(
  of_table text,
  fields text[] default '{}',
  shown text[] default '{}',
  added text default null,
  changed text default null,
  deleted text default null,
  added_values text default 'null::jsonb',
  changed_values text default 'null::jsonb',
  deleted_values text default 'null::jsonb',
  record text default 'id',
  actor text default null,
  in_batches boolean default false
) returns void
language plpgsql
set search_path = ''
as $make$
declare
  -- Each expression returns the name of a field that the update changed, or null.
  changed_names constant text := (
    select string_agg(format('case when is_now.%1$I is distinct from was.%1$I then %1$L end', name), ', ' order by place)
    from unnest(fields) with ordinality as named (name, place)
  );
  any_changed constant text := (
    select 'when (' || string_agg(format('new.%1$I is distinct from old.%1$I', name), ' or ') || ')'
    from unnest(fields) as name
  );
  -- A row that was just written already has this transaction's version, which saves a call of app.change_now().
  row_version constant text := case
    when exists (
      select from pg_catalog.pg_attribute
      where attrelid = format('public.%I', of_table)::regclass and attname = 'version' and not attisdropped
    ) then 'is_now.version'
    else 'app.change_now()'
  end;
  way record;
  function_name text;
begin
  for way in
    select * from (values
      (
        'added', 'insert', 'adds rows', added, 'null::text[]', added_values, 'is_now', row_version,
        'is_now alias for new;', 'for each row',
        'after_rows as is_now', 'referencing new table as after_rows for each statement', in_batches
      ),
      (
        'changed', 'update', 'changes rows', changed, format('array_remove(array[%s]::text[], null)', changed_names),
        format('nullif(coalesce(%s, ''{}'') || coalesce(%s, ''{}''), ''{}'')', app.changes_of(shown), changed_values),
        'is_now', row_version, 'is_now alias for new; was alias for old;', concat_ws(' ', 'for each row', any_changed),
        -- Postgres caches the plan. The tables after_rows and before_rows often have one row when the plan is made, and
        -- 500 rows later. Postgres never plans a full join as a nested loop, which would be slow for 500 rows.
        'after_rows as is_now full join before_rows as was on was.id = is_now.id',
        'referencing old table as before_rows new table as after_rows for each statement', in_batches
      ),
      (
        'deleted', 'delete', 'deletes rows', deleted, 'null::text[]', deleted_values, 'was', 'app.change_now()', '', '',
        -- If the company itself is deleted, no one can read the event log any more.
        'before_rows as was join public.companies on companies.id = was.company_id',
        'referencing old table as before_rows for each statement', true
      )
    ) as ways (name, operation, words, types, names, values, of_row, version, aliases, by_row, rows, by_statement, many)
    where types is not null
  loop
    function_name := format('note_%s_%s', of_table, way.name);
    execute format(
      case when way.many then
        $template$
          create function app.%1$I() returns trigger
          language plpgsql security definer
          set search_path = ''
          as $trigger$
          declare
            at constant timestamptz := clock_timestamp();
            of_slot constant smallint := app.slot_of(at);
            origin constant app.event_origin := app.event_origin(%2$L);
          begin
            with noted as (
              insert into app.events
                (slot, id, seq, version, company_id, type, record_id, changed, changes, actor, request_id, happened_at)
              select
                of_slot, app.new_event_id(at), nextval('app.event_seq'), happened.version, happened.company_id,
                happened.event_type, happened.record_id, happened.changed_fields, happened.changed_values,
                origin.actor, origin.request_id, at
              from (
                select
                  %3$s.company_id, %3$s.%4$I as record_id, %5$s as version, event_type, changed_fields,
                  %6$s as changed_values
                from %7$s
                -- Because of the offset, Postgres computes the names only once.
                cross join lateral (select %8$s offset 0) as fields (changed_fields)
                cross join lateral (select unnest(array[%9$s]::text[])) as event (event_type)
                where event_type is not null
              ) as happened
              returning slot, id, seq, company_id, type, record_id
            )
            insert into app.open_deliveries (webhook_id, record_id, seq, slot, event_id, company_id, type, due_at)
            select hooks.id, noted.record_id, noted.seq, noted.slot, noted.id, noted.company_id, noted.type, at
            from noted
            join public.webhooks as hooks on hooks.company_id = noted.company_id
            where hooks.is_queued and app.wants(hooks.types, noted.type);
            return null;
          end
          $trigger$
        $template$
      else
        $template$
          create function app.%1$I() returns trigger
          language plpgsql security definer
          set search_path = ''
          as $trigger$
          declare
            %10$s
            changed_fields constant text[] := %8$s;
            event_type text;
          begin
            foreach event_type in array array_remove(array[%9$s]::text[], null) loop
              perform app.write_event(
                %3$s.company_id, event_type, %3$s.%4$I, changed_fields, %6$s, %2$L, %5$s
              );
            end loop;
            return null;
          end
          $trigger$
        $template$
      end,
      function_name, actor, way.of_row, record, way.version, way.values, way.rows, way.names, way.types, way.aliases
    );
    execute format(
      'comment on function app.%I() is %L', function_name,
      format('Trigger: writes the events of a statement that %s of %s. Made by app.make_events().', way.words, of_table)
    );
    execute format(
      'create trigger %I after %s on public.%I %s execute function app.%I()',
      format('%s_note_events_%s', of_table, way.name), way.operation, of_table,
      case when way.many then way.by_statement else way.by_row end, function_name
    );
  end loop;
end
$make$;
comment on function
  app.make_events(text, text[], text[], text, text, text, text, text, text, text, text, boolean) is
  'Declares the events of a table with the columns id and company_id. The expressions `added`, `changed` and `deleted` '
  'return the event type for a row, or null for no event. Each may be a list of expressions. They use the rows is_now '
  'and was. The expression `changed` also uses changed_fields, the fields that the statement changed. The argument '
  '`shown` lists columns without personal data, whose values the event contains. The expressions added_values, '
  'changed_values and deleted_values add further values, and may use event_type. The argument `record` is the column '
  'with the record''s id, and `actor` is the kind of author that makes all changes. The argument in_batches means that '
  'one statement often writes many rows. If in_batches is false, an update that changes none of the fields creates no '
  'event.';

-- schemas/67_contact_events.sql

-- The events for contacts and deals.

-- A query in a trigger expression makes each event slower, so a separate function returns the values for two rare
-- events.
create function app.values_of_contact_event(contact uuid, company uuid, event_type text) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return case event_type
    -- A caller that keeps copies of records must also delete or clear its copies of these conversations and deals.
    when 'contact.erased' then jsonb_build_object(
      'conversation_ids', array(
        select id from public.conversations
        where company_id = company and contact_id = contact order by created_at desc, id desc limit 1000
      ),
      'deal_ids', array(
        select id from public.deals
        where company_id = company and contact_id = contact order by created_at desc, id desc limit 1000
      )
    )
    when 'contact.merged' then jsonb_build_object('contact_id', jsonb_build_object(
      'from', right(current_setting('app.merged', true), 36), 'to', contact
    ))
  end;
end
$$;
comment on function app.values_of_contact_event(uuid, uuid, text) is
  'Returns the values of the events contact.erased and contact.merged that are not fields of the contact.';

-- app.merge_contacts() sets app.merged to the id of the surviving contact, followed by the id of the deleted contact.
select app.make_events(
  'contacts',
  fields => '{
    external_id, name, email, phone, temperature, tags, source, job_title, empresa, custom_fields, do_not_contact,
    do_not_contact_source, do_not_contact_at, marketing_opt_out, marketing_opt_out_source, marketing_opt_out_at,
    is_active, archived_at, erased_at
  }',
  shown => '{temperature}',
  added => $$'contact.created'$$,
  changed => $$
    case
      when was.erased_at is null and is_now.erased_at is not null then 'contact.erased'
      when left(current_setting('app.merged', true), 36) = is_now.id::text then 'contact.merged'
      when is_now.do_not_contact > was.do_not_contact or is_now.marketing_opt_out > was.marketing_opt_out
        then 'contact.opted_out'
      when is_now.do_not_contact < was.do_not_contact or is_now.marketing_opt_out < was.marketing_opt_out
        then 'contact.opted_in'
      when was.archived_at is null and is_now.archived_at is not null then 'contact.archived'
      when was.archived_at is not null and is_now.archived_at is null then 'contact.restored'
      when changed_fields <> '{}' then 'contact.updated'
    end
  $$,
  changed_values => $$
    case when event_type in ('contact.erased', 'contact.merged')
      then app.values_of_contact_event(is_now.id, is_now.company_id, event_type) end
  $$,
  deleted => $$
    case when right(current_setting('app.merged', true), 36) = was.id::text then null else 'contact.deleted' end
  $$,
  in_batches => true
);

select app.make_events(
  'deals',
  fields => '{
    external_id, title, value, status, contact_id, stage_id, won_at, lost_at, stage_changed_at, archived_at
  }',
  shown => '{status, stage_id, contact_id}',
  added => $$'deal.created'$$,
  changed => $$
    case
      when is_now.status <> was.status and is_now.status = 'won' then 'deal.won'
      when is_now.status <> was.status and is_now.status = 'lost' then 'deal.lost'
      when is_now.status <> was.status then 'deal.reopened'
      when is_now.stage_id <> was.stage_id then 'deal.stage_changed'
      when was.archived_at is null and is_now.archived_at is not null then 'deal.archived'
      when was.archived_at is not null and is_now.archived_at is null then 'deal.restored'
      when changed_fields <> '{}' then 'deal.updated'
    end
  $$,
  changed_values => $$
    case when is_now.stage_id <> was.stage_id then (
      select jsonb_build_object('pipeline_id', jsonb_build_object('from', earlier.pipeline_id, 'to', later.pipeline_id))
      from public.stages as earlier, public.stages as later
      where earlier.company_id = was.company_id and earlier.id = was.stage_id
        and later.company_id = is_now.company_id and later.id = is_now.stage_id
        and earlier.pipeline_id <> later.pipeline_id
    ) end
  $$,
  deleted => $$'deal.deleted'$$,
  in_batches => true
);

-- schemas/68_conversation_events.sql

-- The events for conversations, messages, templates and messaging accounts.

-- Each message changes last_message_at and the window of its conversation. Changes to these columns create no event,
-- because the message has its own event.
select app.make_events(
  'conversations',
  fields => '{contact_id, status, assigned_to, team_id}',
  shown => '{contact_id, status, assigned_to, team_id}',
  added => $$'conversation.opened'$$,
  changed => $$
    case
      when changed_fields = '{}' then null
      when is_now.status = 'closed' and was.status <> 'closed' then 'conversation.closed'
      when is_now.status <> 'closed' and was.status = 'closed' then 'conversation.opened'
      when changed_fields && '{assigned_to, team_id}' then 'conversation.assigned'
      else 'conversation.updated'
    end
  $$,
  deleted => $$'conversation.deleted'$$
);

-- A new outbound message has no event of its own, because the events of its send report its progress. If WhatsApp first
-- accepts a message and later reports a failure, there is also an event send.failed. An erased person's messages create
-- no events, because contact.erased contains the ids of the conversations.
select app.make_events(
  'messages',
  fields => '{
    content, status, sent_at, delivered_at, read_at, failed_at, expired_at, failure, edited_at, revoked_at, reaction,
    own_reaction
  }',
  shown => '{status}',
  added => $$
    case when is_now.direction = 'inbound' and is_now.type <> 'system' and not is_now.is_erased
      then 'message.received' end
  $$,
  changed => $$
    case
      when is_now.is_erased then null
      when is_now.status is distinct from was.status then 'message.status_changed'
      when changed_fields && '{content, edited_at, revoked_at, reaction, own_reaction}' then 'message.updated'
    end,
    case
      when is_now.status = 'failed' and was.status <> 'failed' and is_now.outcome <> 'failed' and not is_now.is_erased
        then 'send.failed'
    end
  $$,
  changed_values => $$
    case when is_now.status = 'failed' and was.status <> 'failed' then jsonb_build_object(
      'reason', jsonb_build_object('from', null, 'to', is_now.failure ->> 'reason')
    ) end
  $$
);

-- When the templates of a business account are read for the first time, no status has changed, so there are no events.
select app.make_events(
  'templates',
  fields => '{status, category, quality, rejected_reason}',
  shown => '{status, category, quality}',
  added => $$
    case when exists (
      select from public.template_catalogues as catalogues
      where catalogues.company_id = is_now.company_id and catalogues.business_account_id = is_now.business_account_id
        and catalogues.synced_at is not null
    ) then 'template.status_changed' end
  $$,
  added_values => $$
    jsonb_build_object('status', jsonb_build_object('from', null, 'to', is_now.status))
  $$,
  changed => $$case when is_now.status <> was.status then 'template.status_changed' end$$,
  actor => 'channel'
);

-- A notice that stops sends restricts its account until the notice ends or is withdrawn. While a refusal is current,
-- another refusal with the same error code does not change happened_at, so there is no second event. When a restriction
-- ends because its time is over, a job writes the event account.restored. See app.note_ended_notices(). If the notice
-- is changed or deleted before the job has recorded its end, the triggers write account.restored.
select app.make_events(
  'account_notices',
  record => 'account_id',
  added => $$
    case when is_now.stops_sending and coalesce(is_now.until > now(), true) then 'account.restricted' end
  $$,
  added_values => $$jsonb_build_object('notice', jsonb_build_object('from', null, 'to', is_now.event))$$,
  changed => $$
    case
      when is_now.stops_sending and coalesce(is_now.until > now(), true) and is_now.happened_at <> was.happened_at
        then 'account.restricted'
      when was.stops_sending and not is_now.stops_sending
        and app.end_of_notice(was.kind, was.stops_sending, was.happened_at, was.received_at, was.until) > (
          select noted_until from app.noted_times where subject = 'notices'
        )
        then 'account.restored'
    end
  $$,
  changed_values => $$
    jsonb_build_object('notice', jsonb_build_object(
      'from', case when was.stops_sending then was.event end, 'to', case when is_now.stops_sending then is_now.event end
    ))
  $$,
  deleted => $$
    case
      when was.stops_sending
        and app.end_of_notice(was.kind, was.stops_sending, was.happened_at, was.received_at, was.until) > (
          select noted_until from app.noted_times where subject = 'notices'
        )
        then 'account.restored'
    end
  $$,
  deleted_values => $$jsonb_build_object('notice', jsonb_build_object('from', was.event, 'to', null))$$,
  actor => 'channel'
);

-- schemas/69_event_log.sql

-- Functions that read the event log with an API key. As in the change feeds, a page contains only events of
-- transactions below the horizon. So after a page was read, no new event can appear before the page's cursor.

create index events_record_idx on app.events (record_id);

create function app.slots_from(since timestamptz, until timestamptz) returns smallint[]
language plpgsql stable
set search_path = ''
as $$
declare
  first constant timestamptz := greatest(since, now() - interval '30 days');
  -- An event may have a later time than this transaction.
  last constant timestamptz := least(until, now() + interval '1 day');
begin
  return array(
    select app.slot_of(first + day * interval '1 day')
    from generate_series(0, least(ceil(extract(epoch from last - first) / 86400), 31)::integer) as day
  );
end
$$;
comment on function app.slots_from(timestamptz, timestamptz) is
  'Returns the slots of the log that contain the events between two times. A null time means no limit.';

create function public.list_events(
  generation bigint default null, after_version bigint default null, after_id uuid default null,
  of_types text[] default null, of_record uuid default null,
  since timestamptz default null, until timestamptz default null, max_rows integer default 50
) returns setof json
-- Security definer, because no role may read the log directly. The function reads only the events of the key's company.
language plpgsql stable security definer
set search_path = ''
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  own_company_id constant uuid := app.company_id('read');
  from_version constant bigint := coalesce(after_version, -1);
  from_seq bigint := 0;
  most constant integer := least(greatest(max_rows, 0), 201);
  -- The maximum number of events that a page reads. If there is a filter, the page contains the position up to which
  -- the log was read.
  most_read constant integer := case
    when of_types is null and of_record is null and since is null and until is null then most else 5000 end;
  own_slots constant smallint[] := app.slots_from(list_events.since, list_events.until);
  clock record;
  found app.events[] := '{}';
  event app.events;
  number_read integer := 0;
begin
  if own_company_id is null then
    raise sqlstate 'PT403' using message = 'Only API keys read the log of events';
  end if;
  clock := app.change_clock_for(list_events.generation, after_version, (
    select version from app.events where company_id = own_company_id order by version desc limit 1
  ));
  if after_id is not null then
    from_seq := coalesce(
      (select seq from app.events where id = after_id and company_id = own_company_id),
      -- No event has the id of a cursor at the horizon. Such a cursor comes after all events of its version. If the
      -- cursor's event is older than the log, the log has no later event of this version.
      9223372036854775807
    );
  end if;
  if of_record is null then
    for event in
      select events.* from app.events
      where company_id = own_company_id
        and (version, seq) > (from_version, from_seq) and version < clock.horizon
        -- Postgres skips the partitions of other days if the condition has a list of values, but not if it has an
        -- array.
        and slot in (
          own_slots[1], own_slots[2], own_slots[3], own_slots[4], own_slots[5], own_slots[6],
          own_slots[7], own_slots[8], own_slots[9], own_slots[10], own_slots[11], own_slots[12],
          own_slots[13], own_slots[14], own_slots[15], own_slots[16], own_slots[17], own_slots[18],
          own_slots[19], own_slots[20], own_slots[21], own_slots[22], own_slots[23], own_slots[24],
          own_slots[25], own_slots[26], own_slots[27], own_slots[28], own_slots[29], own_slots[30],
          own_slots[31], own_slots[32]
        )
      order by version, seq limit most_read
    loop
      number_read := number_read + 1;
      if event.happened_at > now() - interval '30 days'
        and event.happened_at >= coalesce(list_events.since, '-infinity')
        and event.happened_at < coalesce(list_events.until, 'infinity')
        and (of_types is null or app.wants(of_types, event.type)) then
        found := found || event;
        exit when cardinality(found) >= most;
      end if;
    end loop;
  else
    for event in
      -- The index finds the few events of the record, and Postgres then sorts them. Without `materialized`, Postgres
      -- may instead read all events of the company in order.
      with of_this_record as materialized (select * from app.events where record_id = of_record)
      select * from of_this_record
      where company_id = own_company_id
        and (version, seq) > (from_version, from_seq) and version < clock.horizon
        and happened_at > now() - interval '30 days'
        and happened_at >= coalesce(list_events.since, '-infinity')
        and happened_at < coalesce(list_events.until, 'infinity')
        and (of_types is null or app.wants(of_types, type))
      order by version, seq limit most
    loop
      found := found || event;
    end loop;
  end if;
  return next json_build_object(
    'generation', clock.generation, 'horizon', clock.horizon,
    -- More events may follow the last event that was read.
    'read_to', case when number_read >= most_read and cardinality(found) < most then
      json_build_object('version', event.version, 'id', event.id) end
  );
  foreach event in array found loop
    return next json_build_object('version', event.version, 'id', event.id, 'event', app.event_json(event));
  end loop;
end
$$;
comment on function public.list_events(bigint, bigint, uuid, text[], uuid, timestamptz, timestamptz, integer) is
  'Returns one page of the events of the key''s company in the last 30 days. Needs a read token. The first row is the '
  'clock { generation, horizon, read_to }. At most max_rows events { version, id, event } follow, and never more than '
  '201. They start after the cursor, or at the beginning if there is no cursor. A page with a filter may have fewer '
  'events than max_rows although more events follow. In that case, read_to is the position of the last event that was '
  'read. Raises PT410 and PT500 as app.change_clock_for() does, PT401 and PT403 as app.company_id() does.';
grant execute on function
  public.list_events(bigint, bigint, uuid, text[], uuid, timestamptz, timestamptz, integer) to api_client;

create function public.find_event(name text) returns json
language plpgsql stable security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('read');
  event_id constant uuid := app.event_id(find_event.name);
begin
  return (
    select app.event_json(events) from app.events
    where id = event_id and company_id = own_company_id
      and happened_at > now() - interval '30 days'
  );
end
$$;
comment on function public.find_event(text) is
  'Returns an event of the key''s company. The argument `name` is the id of the event in the API''s format. Returns '
  'null when the last 30 days have no such event. Needs a read token. Raises PT401 and PT403 as app.company_id() does.';
grant execute on function public.find_event(text) to api_client;

-- schemas/70_sends.sql

-- The send ledger. It has one row for each message that the company sends, with a template or as a free-form reply.
-- Because of the ledger, the platform never sends a message to WhatsApp twice. A send has three steps: claim the send,
-- call WhatsApp, and settle the send. The claim and the settlement are one transaction each.

create table public.sends (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  -- The caller's idempotency key. Without a key, no later request can repeat the send.
  idempotency_key text check (char_length(idempotency_key) between 1 and 200),
  message_id uuid not null,
  -- Whether this send opened the conversation of its message.
  created_conversation boolean not null default false,
  -- Null for a free-form reply, which has no template.
  template_name text check (char_length(template_name) between 1 and 512),
  language_code text check (char_length(language_code) between 1 and 35),
  -- The state `pending` means that the send is claimed, and WhatsApp may have the message. The state `sent` means that
  -- WhatsApp accepted the message. The state `failed` means that WhatsApp refused the message, or that the outcome
  -- remained unknown. The state `released` means that WhatsApp certainly does not have the message.
  state text not null default 'pending' check (state in ('pending', 'sent', 'failed', 'released')),
  -- The edge function creates a claim_id for each attempt. Anyone who knows the claim_id can settle that attempt, so
  -- the claim_id is a secret.
  claim_id uuid not null unique,
  -- The attempt ends before this time. If the send is still pending at this time, its outcome counts as unknown.
  lease_ends_at timestamptz not null default now() + interval '90 seconds',
  -- Why the send failed or was released: an error code of the API, claim_unanswered, or outcome_unknown.
  reason text check (char_length(reason) between 1 and 64),
  channel_code integer,
  whatsapp_message_id text check (char_length(whatsapp_message_id) between 1 and 255),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  media_id text constraint sends_media_id_check check (char_length(media_id) between 1 and 255),
  -- WhatsApp reports contain the send id and the attempt number, because each attempt of a released send is a separate
  -- message.
  attempt integer not null default 1 constraint sends_attempt_check check (attempt >= 1),
  -- Other message ids that WhatsApp reported for the same attempt. If there are any, the message was sent more than
  -- once.
  double_sent_ids text[] not null default '{}',
  -- A five-byte hash for each request field that has no column of its own. app.fingerprint_of_send() computes these
  -- hashes. Because of them, the response to a repeat can list the fields that differ. Null for a send without an
  -- idempotency key.
  fingerprint bytea constraint sends_fingerprint_check check (octet_length(fingerprint) between 5 and 100),
  is_erased boolean not null default false,
  -- The API key of the last attempt. This column has no foreign key, so the id remains after the key is deleted.
  api_key_id uuid,
  unique (company_id, id),
  -- If several requests have the same idempotency key, this constraint ensures that only one request sends.
  constraint sends_one_per_idempotency_key unique (company_id, idempotency_key),
  constraint sends_one_per_message unique (company_id, message_id),
  -- This foreign key is checked at the end of the transaction, because a claim writes this row before its message. A
  -- message with a send cannot be deleted. Otherwise its send and the idempotency key would also be deleted.
  constraint sends_message_fkey foreign key (company_id, message_id)
    references public.messages (company_id, id) on delete no action deferrable initially deferred,
  -- A failed send may have a message id, because WhatsApp can report a failure even if it never responded to the call.
  constraint sends_id_when_sent check (state = 'failed' or (state = 'sent') = (whatsapp_message_id is not null)),
  constraint sends_reason_when_not_sent check ((state in ('failed', 'released')) = (reason is not null)),
  constraint sends_language_of_template check ((template_name is null) = (language_code is null))
);
comment on table public.sends is
  'Every message that was sent to WhatsApp, or may have been sent, with its outcome. The platform uses this table to '
  'recognize repeats.';
comment on column public.sends.fingerprint is 'Hashes of the request fields, five bytes each.';
comment on column public.sends.api_key_id is
  'The API key that requested the send. Null for a user''s test send, and when the platform added the send.';
comment on column public.sends.is_erased is 'Whether the message of the send went to an erased person.';
comment on column public.sends.media_id is 'The WhatsApp media id of the media file in the message.';

-- This statistic makes the planner assume that all rows belong to one company. 30_contacts.sql explains why.
alter table public.sends alter column company_id set (n_distinct = 1);

-- A double send is rare, and an operator has to examine each double send.
create index sends_double_sent_idx on public.sends (updated_at) where double_sent_ids <> '{}';

-- This index has the sort order of the send log. The index also contains all columns that are counted, so 100,000 sends
-- can be counted without reading their rows.
create index sends_newest_first_idx on public.sends (company_id, created_at desc, message_id desc)
  include (state, lease_ends_at);
create index sends_by_template_idx on public.sends (company_id, template_name, created_at desc, message_id desc);
create index sends_by_key_idx on public.sends (company_id, api_key_id, created_at desc, message_id desc);

-- Most sends have the state sent, so this index is small.
create index sends_not_sent_idx on public.sends (company_id, created_at desc, message_id desc) where state <> 'sent';

-- The index is partial, because few sends are pending at any time.
create index sends_lease_idx on public.sends (lease_ends_at) where state = 'pending';

create function app.show_send_in_message() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  message record;
begin
  select outcome, whatsapp_message_id, failed_at, failure into message from public.messages
  where company_id = new.company_id and id = new.message_id
  for no key update;

  message.outcome := case new.state when 'released' then 'failed' when 'sent' then 'accepted' else new.state end;
  -- WhatsApp may report the message before its response to the call arrives here. In that case, another message may
  -- already have the id.
  message.whatsapp_message_id := (
    select new.whatsapp_message_id where not exists (
      select from public.messages as other
      where other.company_id = new.company_id and other.whatsapp_message_id = new.whatsapp_message_id
        and other.id <> new.message_id
    )
  );
  if new.state in ('failed', 'released') and new.whatsapp_message_id is null then
    message.failed_at := now();
    message.failure := jsonb_build_object(
      'reason', new.reason, 'code', new.channel_code, 'message', null, 'details', null
    );
  elsif old.whatsapp_message_id is null then
    -- Without a message id, no report about the message can have arrived. So the failure in the message came from the
    -- ledger. It is outdated now, because the outcome has arrived or a released send is sent again.
    message.failed_at := null;
    message.failure := null;
  end if;

  update public.messages set
    outcome = message.outcome,
    whatsapp_message_id = message.whatsapp_message_id,
    failed_at = message.failed_at,
    failure = message.failure
  where company_id = new.company_id and id = new.message_id
    and (outcome, whatsapp_message_id, failed_at, failure) is distinct from
      (message.outcome, message.whatsapp_message_id, message.failed_at, message.failure);
  return null;
end
$$;
comment on function app.show_send_in_message() is
  'Trigger: copies the state of a send to its message. Until WhatsApp reports something, also copies the failure from '
  'the ledger. The trigger never removes a report.';

create trigger sends_show_in_message
  after update of state, reason, channel_code, whatsapp_message_id on public.sends
  for each row when (
    (old.state, old.reason, old.channel_code, old.whatsapp_message_id)
      is distinct from (new.state, new.reason, new.channel_code, new.whatsapp_message_id)
  )
  execute function app.show_send_in_message();
create trigger sends_set_updated_at before update on public.sends
  for each row execute function app.set_updated_at();

alter table public.sends enable row level security;
create policy "people see their company's sends" on public.sends
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));

-- An idempotency key may contain any data of the caller. So only owners and admins see it, in the send log.
grant select (
  id, company_id, message_id, created_conversation, template_name, language_code, state,
  lease_ends_at, reason, channel_code, whatsapp_message_id, created_at, updated_at, attempt, double_sent_ids
) on public.sends to authenticated;
grant delete on public.sends to service_role;
grant select (
  id, company_id, idempotency_key, message_id, created_conversation, template_name, language_code, state,
  lease_ends_at, reason, channel_code, whatsapp_message_id, created_at, updated_at, attempt, double_sent_ids,
  api_key_id
) on public.sends to service_role;

-- schemas/71_claims.sql

-- Functions shared by the claims of template sends and of free-form replies. These functions write the contact, the
-- message and the ledger row, and return the result for a repeat.

create function app.find_or_add_contact(
  own_company_id uuid,
  by_phone text,
  new_name text,
  out id uuid,
  out do_not_contact boolean
)
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
begin
  loop
    -- This statement waits for a running change of the contact, and blocks other changes until the claim ends. A new
    -- contact is read again in the next iteration, because its inherited wishes may be written after the row.
    select contacts.id, contacts.do_not_contact
    into find_or_add_contact.id, find_or_add_contact.do_not_contact
    from public.contacts
    where company_id = own_company_id and phone_key = app.phone_key(by_phone)
    for share;
    exit when found;
    select contacts.id, contacts.do_not_contact
    into find_or_add_contact.id, find_or_add_contact.do_not_contact
    from public.contacts
    where company_id = own_company_id and archived_at is null and contacts.id = (
      select contact_id from public.contact_former_phones
      where company_id = own_company_id and phone_key = app.phone_key(by_phone) and until = 'infinity'
      order by contact_id limit 1
    )
    for share;
    exit when found;
    perform app.await_further_phones(own_company_id);
    insert into public.contacts (company_id, phone, name)
    select own_company_id, by_phone, new_name
    -- The query above does not find a contact that is being merged into another contact at the same time. After the
    -- merge, the phone number is an additional number of the other contact.
    where not exists (
      select from public.contact_former_phones
      where company_id = own_company_id and phone_key = app.phone_key(by_phone) and until = 'infinity'
    )
    on conflict (company_id, phone_key) do nothing;
  end loop;
end
$$;
comment on function app.find_or_add_contact(uuid, text, text) is
  'Finds the contact whose main or additional phone number is by_phone. If there is none, adds a contact with the name '
  'new_name. If several calls run at the same time, only one call adds the contact.';

create function app.write_message_of_send(
  own_company_id uuid,
  of_send_id uuid,
  own_message_id uuid,
  in_conversation_id uuid,
  conversation_is_new boolean,
  of_type text,
  with_content text,
  -- The text as the recipient sees it, if this text is known and differs from the content.
  as_rendered text,
  with_media_id text,
  -- The other columns of the message: { media, payload, reply_to_id }.
  with_parts jsonb,
  out created_conversation boolean
)
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  key_id uuid;
  key_name text;
begin
  -- If an earlier attempt opened the conversation, created_conversation remains true, unless the message now moves to
  -- another conversation.
  select conversation_is_new or (sends.created_conversation and exists (
    select from public.messages
    where company_id = own_company_id and id = own_message_id and conversation_id = in_conversation_id
  )), api_keys.id, api_keys.name
  into write_message_of_send.created_conversation, key_id, key_name
  from public.sends left join public.api_keys on api_keys.id = sends.api_key_id
  where sends.id = of_send_id;
  update public.sends set
    created_conversation = write_message_of_send.created_conversation,
    media_id = with_media_id
  where id = of_send_id
    and (sends.created_conversation <> write_message_of_send.created_conversation
      or media_id is distinct from with_media_id);

  -- A released send keeps its message, because that message was never sent. So the message gets the content and the
  -- time of this attempt. All reports about the earlier attempt are removed.
  insert into public.messages (
    id, company_id, conversation_id, direction, type, content, rendered_text, outcome, author_type, author_id,
    author_name, media, payload, reply_to_id
  )
  values (
    own_message_id, own_company_id, in_conversation_id, 'outbound', of_type, with_content, as_rendered, 'pending',
    case when key_id is not null then 'key' end, key_id, key_name, with_parts -> 'media', with_parts -> 'payload',
    (with_parts ->> 'reply_to_id')::uuid
  )
  on conflict (id) do update set
    conversation_id = excluded.conversation_id,
    type = excluded.type,
    content = excluded.content,
    rendered_text = excluded.rendered_text,
    created_at = excluded.created_at,
    outcome = excluded.outcome,
    author_type = excluded.author_type,
    author_id = excluded.author_id,
    author_name = excluded.author_name,
    media = excluded.media,
    payload = excluded.payload,
    reply_to_id = excluded.reply_to_id,
    sent_at = null,
    delivered_at = null,
    read_at = null,
    failed_at = null,
    expires_at = null,
    expired_at = null,
    failure = null,
    price_category = null,
    price_type = null;
end
$$;
comment on function app.write_message_of_send(uuid, uuid, uuid, uuid, boolean, text, text, text, text, jsonb) is
  'Writes the message of a claimed send, and returns whether the send has opened the conversation.';

create function app.fingerprint_of_send(fields text[]) returns bytea
language plpgsql immutable
set search_path = ''
as $$
declare
  field text;
  digests bytea := '';
begin
  foreach field in array fields loop
    -- Five bytes are enough, because they only have to distinguish one caller's values.
    digests := digests || substr(sha256(convert_to(coalesce('=' || field, ''), 'UTF8')), 1, 5);
  end loop;
  return digests;
end
$$;
comment on function app.fingerprint_of_send(text[]) is
  'Returns a five-byte hash for each field of a send. Equal values have equal hashes. Null has its own hash.';

create function app.digest_in(fingerprint bytea, place integer) returns bytea
language sql immutable
set search_path = ''
as $$
  -- A fingerprint may end before the last field.
  select case when octet_length(fingerprint) >= place * 5
    then substr(fingerprint, place * 5 - 4, 5)
    else app.fingerprint_of_send(array[null::text])
  end
$$;
comment on function app.digest_in(bytea, integer) is
  'Returns the five-byte hash of the field at this position. A field after the end counts as null.';

create function app.claim_send(
  own_company_id uuid,
  new_claim_id uuid,
  by_idempotency_key text,
  -- Null for a free-form reply. The language is then also null.
  of_template text,
  in_language text,
  with_fingerprint bytea,
  out id uuid,
  out message_id uuid,
  out created_conversation boolean,
  out attempt integer
)
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
begin
  -- If several requests have this idempotency key, only one request gets a row, either a new or a released row. The
  -- other requests wait here until that request has committed, and then read the state of its send.
  insert into public.sends as sends (
    company_id, idempotency_key, message_id, template_name, language_code, claim_id, fingerprint, api_key_id
  )
  values (
    own_company_id, by_idempotency_key, gen_random_uuid(), of_template, in_language, new_claim_id, with_fingerprint,
    (select api_keys.id from public.api_keys where key_hash = auth.jwt() ->> 'key_hash')
  )
  on conflict (company_id, idempotency_key) do update set
    state = 'pending',
    claim_id = excluded.claim_id,
    attempt = sends.attempt + 1,
    lease_ends_at = excluded.lease_ends_at,
    template_name = excluded.template_name,
    language_code = excluded.language_code,
    -- This attempt sends the content of this request.
    fingerprint = excluded.fingerprint,
    api_key_id = excluded.api_key_id,
    reason = null,
    channel_code = null,
    media_id = null
  where sends.state = 'released'
  returning sends.id, sends.message_id, sends.created_conversation, sends.attempt
  into claim_send.id, claim_send.message_id, claim_send.created_conversation, claim_send.attempt;
end
$$;
comment on function app.claim_send(uuid, uuid, text, text, text, bytea) is
  'Adds the row of a send to the ledger, or takes over a released row. Returns nulls when the ledger has a send with '
  'this idempotency_key that is not released.';

-- The hash is computed before the query, so that the query always uses the index on idempotency keys. If the query
-- computed the hash, the computation would be part of the condition. For a small ledger, Postgres would then plan to
-- check the condition for each send of the company. A transaction that writes many sends would keep that plan.
create function app.known_send_key(own_company_id uuid, by_idempotency_key text) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  digest constant text := app.erased_digest(own_company_id, 'key', by_idempotency_key);
begin
  return coalesce(
    (select idempotency_key from public.sends where company_id = own_company_id and idempotency_key = digest),
    by_idempotency_key
  );
end
$$;
comment on function app.known_send_key(uuid, text) is
  'Returns the stored idempotency key of a send. The stored key of an erased send is a hash.';

-- An idempotency key identifies one message. A request with another recipient, another template or another kind
-- (template or reply) is not a repeat. If the platform treated it as a repeat, its message would never be sent, and the
-- caller would not notice. A repeat first reads its send by the key. If the send's lease has ended, a second statement
-- then settles the send. With a single statement, Postgres might search all pending sends, and each repeat would take
-- longer, although few repeats have to settle their send.
create function app.repeated_send(
  own_company_id uuid,
  by_idempotency_key text,
  -- Null for a free-form reply. The language is then also null.
  of_template text,
  in_language text,
  -- The field that identifies the recipient, and its value: a phone number or a conversation id.
  recipient_field text,
  to_phone text,
  in_conversation_id uuid,
  -- The field names, in the order of the fingerprint.
  fields text[],
  with_fingerprint bytea,
  dry_run boolean
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  known_key constant text := app.known_send_key(own_company_id, by_idempotency_key);
  known record;
  is_of_other_kind boolean;
  mismatch text[] := '{}';
  differs text[];
  answer jsonb;
begin
  select id, message_id, state, lease_ends_at, template_name, language_code, fingerprint into known from public.sends
  where company_id = own_company_id and idempotency_key = known_key;
  is_of_other_kind := (known.template_name is null) <> (of_template is null);
  differs := array_remove(array[
    case when is_of_other_kind then 'idempotency_key' end,
    case when known.template_name <> of_template then 'template_name' end,
    case when known.language_code <> in_language then 'language_code' end
  ], null);
  -- A send to an erased person has no fingerprint, so there is nothing to compare.
  if known.fingerprint <> with_fingerprint then
    mismatch := array(
      select name from unnest(fields) with ordinality as listed (name, place)
      where not is_of_other_kind
        and app.digest_in(known.fingerprint, place::integer) <> app.digest_in(with_fingerprint, place::integer)
      order by place
    );
    -- Two requests have the same recipient if they reach the same contact. Their fields may differ, because a field may
    -- contain an additional phone number or another conversation of the person.
    if (is_of_other_kind or recipient_field = any (mismatch)) and (
      select contact_id from public.conversations
      join public.messages on messages.company_id = conversations.company_id
        and messages.conversation_id = conversations.id
      where messages.company_id = own_company_id and messages.id = known.message_id
    ) is distinct from (
      case when to_phone is null then (
        select contact_id from public.conversations where company_id = own_company_id and id = in_conversation_id
      ) else (app.contacts_of_phones(own_company_id, array[to_phone]))[1] end
    ) then
      differs := differs || recipient_field;
    end if;
  end if;
  if differs <> '{}' then
    return jsonb_build_object('result', 'reused', 'differs', differs);
  end if;
  if known.state = 'pending' and known.lease_ends_at <= now() and not dry_run then
    -- Another transaction may have settled the send in the meantime.
    update public.sends set state = 'failed', reason = 'outcome_unknown'
    where id = known.id and state = 'pending' and lease_ends_at <= now();
  end if;
  select jsonb_build_object(
    'result', 'repeat', 'status', sends.state,
    'conversation_id', messages.conversation_id, 'message_id', messages.id
  ) || case when mismatch <> '{}' then jsonb_build_object('mismatch', mismatch) else '{}' end into answer
  from public.sends
  join public.messages on messages.company_id = sends.company_id and messages.id = sends.message_id
  where sends.company_id = own_company_id and sends.idempotency_key = known_key;
  return answer;
end
$$;
comment on function app.repeated_send(uuid, text, text, text, text, text, uuid, text[], bytea, boolean) is
  'Returns the claim result for a repeat: the current state of the earlier send with this idempotency_key. The member '
  '`mismatch` lists the fields that differ. A send whose lease has ended without an outcome has failed. The result '
  '`reused` means that the key belongs to a message with another recipient, another template or another kind. In that '
  'case, the member `differs` lists the request fields that do not match that message. If the kind differs, `differs` '
  'contains idempotency_key.';

-- schemas/72_claim_template_send.sql

-- The claim of a template send. The claim decides whether the template may be sent now. It also writes everything that
-- a send needs before the call to WhatsApp.

create function public.claim_template_send(
  claim_id uuid,
  phone text,
  content text,
  message_type text,
  template_name text,
  language_code text,
  contact_name text default null,
  phone_number_id text default null,
  idempotency_key text default null,
  header_variables text[] default '{}',
  body_variables text[] default '{}',
  button_variables text[] default '{}',
  preflight text default 'off',
  dry_run boolean default false,
  of_company_id uuid default null,
  -- The caller's own media file for the header: { id } of an upload, or { url }. After the file at the URL has been
  -- uploaded, header_media also contains the WhatsApp media_id and, if the file is a document, its filename.
  header_media jsonb default null
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  -- With an API key, the company is always the key's company. Only claim_test_send() has no key and specifies the
  -- company.
  own_company_id constant uuid := coalesce(app.company_id('messaging'), of_company_id);
  fingerprint constant bytea := case when claim_template_send.idempotency_key is not null then
    app.fingerprint_of_send(array[
      app.phone_key(claim_template_send.phone), claim_template_send.content, body_variables::text,
      header_variables::text, button_variables::text, claim_template_send.phone_number_id,
      claim_template_send.contact_name, claim_template_send.message_type
    ] || case
      when claim_template_send.header_media is not null
        then array[coalesce(claim_template_send.header_media ->> 'id', claim_template_send.header_media ->> 'url')]
      else '{}'
    end)
  end;
  send record;
  connected public.messaging_accounts[];
  account record;
  access jsonb;
  judged record;
  header_media_id text;
  header_filename text;
  own_sent jsonb;
  own_shown jsonb;
  own_fault jsonb;
  -- The kind of the caller's own media file: image, video or document.
  own_kind text;
  contact record;
  conversation record;
  answer jsonb;
begin
  <<deciding>>
  begin
    select * into send from app.claim_send(
      own_company_id, claim_template_send.claim_id, claim_template_send.idempotency_key,
      claim_template_send.template_name, claim_template_send.language_code, fingerprint
    );
    if send.id is null then
      answer := app.repeated_send(
        own_company_id, claim_template_send.idempotency_key, claim_template_send.template_name,
        claim_template_send.language_code, 'phone', claim_template_send.phone, null,
        '{phone,display_text,body_variables,header_variables,button_variables,phone_number_id,contact_name,template_header_type,header_media}',
        fingerprint, dry_run
      );
      exit deciding;
    end if;

    connected := array(
      select accounts from public.messaging_accounts as accounts
      where company_id = own_company_id and disconnected_at is null
      order by phone_number_id
    );
    select id, phone_number_id, business_account_id, encrypted_token, refused_at, count(*) over () as matches into account
    from unnest(connected)
    where claim_template_send.phone_number_id is null
      or phone_number_id = claim_template_send.phone_number_id;
    if account.matches is distinct from 1 then
      answer := jsonb_build_object('result', 'no_account', 'connected', array(
        select jsonb_build_object('phone_number_id', phone_number_id, 'display_phone', display_phone)
        from unnest(connected)
      ));
      raise sqlstate 'CRM01'; -- undoes the block, which catches this error at its end
    end if;

    access := jsonb_build_object(
      'account_id', account.id,
      'phone_number_id', account.phone_number_id,
      'business_account_id', account.business_account_id,
      'encrypted_token', account.encrypted_token
    );

    judged := app.judge_template(
      own_company_id, account.business_account_id, claim_template_send.template_name,
      claim_template_send.language_code, nullif(message_type, 'text'), header_variables, body_variables,
      button_variables, claim_template_send.preflight
    );
    if judged.verdict = 'refused' then
      answer := jsonb_build_object('result', 'template_refused', 'faults', judged.faults);
      raise sqlstate 'CRM01';
    elsif judged.verdict = 'reread' then
      answer := access || jsonb_build_object('result', 'reread', 'began_at', now());
      raise sqlstate 'CRM01';
    elsif (judged.template).id is null and button_variables <> '{}' then
      -- Without the stored template, the service does not know which buttons the values are for.
      answer := jsonb_build_object('result', 'template_refused', 'faults', jsonb_build_array(
        jsonb_build_object('field', 'button_variables', 'fault', 'unplaced')
      ));
      raise sqlstate 'CRM01';
    end if;

    contact := app.find_or_add_contact(
      own_company_id, claim_template_send.phone, claim_template_send.contact_name
    );
    if contact.do_not_contact then
      answer := jsonb_build_object('result', 'do_not_contact');
      raise sqlstate 'CRM01';
    end if;
    -- The person may have opted out of marketing only. The contact is already locked.
    if (judged.template).category = 'MARKETING' and exists (
      select from public.contacts
      where company_id = own_company_id and id = contact.id and marketing_opt_out_at is not null
    ) then
      answer := jsonb_build_object('result', 'marketing_opt_out');
      raise sqlstate 'CRM01';
    end if;
    if claim_template_send.header_media is not null then
      -- The stored template determines the header's kind. Without a stored template, the request or the upload
      -- determines it.
      own_kind := case
        when (judged.template).id is not null then lower((judged.template).header_format)
        else nullif(message_type, 'text')
      end;
      if claim_template_send.header_media ? 'id' then
        select sent, shown, fault into own_sent, own_shown, own_fault
        from app.medium_of_send(
          own_company_id, account.id, contact.id, send.message_id, claim_template_send.header_media
        );
        if (judged.template).id is null then
          own_kind := coalesce(own_kind, own_sent ->> 'type');
        end if;
      end if;
      if (own_kind in ('image', 'video', 'document')) is not true then
        own_fault := coalesce(own_fault, jsonb_build_object('field', null, 'fault', case
          when (judged.template).id is null then 'kind_needed' else 'no_header'
        end));
      elsif own_sent ->> 'type' <> own_kind then
        own_fault := coalesce(own_fault, '{ "field": "id", "fault": "kind" }');
      end if;
      if own_fault is not null then
        answer := own_fault || jsonb_build_object('result', 'unfit', 'kind', own_kind);
        raise sqlstate 'CRM01';
      end if;
    end if;
    if dry_run then
      answer := jsonb_build_object('result', 'send');
      raise sqlstate 'CRM01';
    end if;
    if claim_template_send.header_media is not null then
      if not claim_template_send.header_media ?| array['id', 'media_id'] then
        answer := access || jsonb_build_object('result', 'own_media_needed', 'kind', own_kind);
        raise sqlstate 'CRM01';
      end if;
      header_media_id := coalesce(own_sent ->> 'id', claim_template_send.header_media ->> 'media_id');
      header_filename := case own_kind when 'document'
        then coalesce(own_sent ->> 'filename', claim_template_send.header_media ->> 'filename')
      end;
    elsif (judged.template).header_format in ('IMAGE', 'VIDEO', 'DOCUMENT') then
      select media_id, filename into header_media_id, header_filename from public.template_media
      where company_id = own_company_id and account_id = account.id
        and sample_source = (judged.template).sample_source
        -- WhatsApp deletes the media file after 30 days.
        and uploaded_at > now() - interval '29 days' and media_id is not null;
      if not found then
        answer := access || jsonb_build_object('result', 'media_needed', 'template_id', (judged.template).id);
        raise sqlstate 'CRM01';
      end if;
    end if;
    conversation := app.find_or_open_conversation(own_company_id, contact.id, account.id);

    send.created_conversation := app.write_message_of_send(
      own_company_id, send.id, send.message_id, conversation.id, conversation.is_new,
      coalesce(own_kind, claim_template_send.message_type), claim_template_send.content,
      -- If the variables do not match the template, the text that the recipient sees is unknown.
      case when judged.faults = '[]' then
        app.rendered_text((judged.template).rendering, header_variables, body_variables)
      end,
      header_media_id,
      case when own_kind is not null then jsonb_build_object('media', coalesce(own_shown, jsonb_build_object(
        'id', null, 'mime_type', null, 'sha256', null, 'filename', header_filename, 'voice', null, 'animated', null,
        'expires_at', null
      ))) end
    );

    answer := access || jsonb_build_object(
      'result', 'claimed',
      'send_id', send.id,
      'attempt', send.attempt,
      'conversation_id', conversation.id,
      'message_id', send.message_id,
      'created_conversation', send.created_conversation,
      'template', case when (judged.template).id is not null then jsonb_build_object(
        'parameter_format', (judged.template).parameter_format,
        'header_format', (judged.template).header_format,
        'variables', (judged.template).variables,
        'otp_button', (judged.template).otp_button,
        'media', case when header_media_id is not null and own_kind is null then
          jsonb_build_object('id', header_media_id, 'filename', header_filename)
        end
      ) end
    );
    if own_kind is not null then
      answer := answer || jsonb_build_object('own_media', jsonb_strip_nulls(jsonb_build_object(
        'type', own_kind, 'id', header_media_id, 'filename', header_filename
      )));
    end if;
    if account.refused_at is not null then
      answer := answer || '{ "was_refused": true }';
    end if;
  exception when sqlstate 'CRM01' then
    -- Postgres undoes the whole block, including the claim. So a request that sends nothing does not use up its
    -- idempotency key.
    null;
  end;

  if answer ->> 'result' = 'reread' then
    -- If several requests run at the same time, only one request reads the template again.
    insert into public.template_rereads (company_id, business_account_id, name)
    values (own_company_id, answer ->> 'business_account_id', claim_template_send.template_name)
    on conflict (company_id, business_account_id, name) do update set tried_at = now()
    where template_rereads.tried_at < now() - interval '1 minute';
    answer := answer || jsonb_build_object('is_elsewhere', not found);
  end if;
  -- This call records that the API key was used. The call comes last, because other requests with the key wait until
  -- this transaction is committed.
  perform public.authenticate();
  return answer || jsonb_build_object('company_id', own_company_id);
end
$$;
comment on function public.claim_template_send(
  uuid, text, text, text, text, text, text, text, text, text[], text[], text[], text, boolean, uuid, jsonb
) is
  'Decides whether a template may be sent to a phone number now. Writes what a send needs before the call to WhatsApp: '
  'the contact, the conversation, the message, and the ledger row. Only one request gets that row. The result '
  '`claimed` contains the account''s encrypted token, the attempt, and the values for the template. The member '
  'was_refused is true if WhatsApp has refused the account since its last success. The result `repeat` contains the '
  'state of the earlier send with this idempotency_key. Its member `mismatch` lists the fields that differ. The result '
  '`reused` lists, in `differs`, the fields that do not match the message of this key. The result `do_not_contact` '
  'means that the person must not be contacted. The result `marketing_opt_out` means that the person opted out of '
  'marketing templates. The result `no_account` contains the connected accounts. The result `template_refused` '
  'contains the faults of the template. The result `reread` means that the template has to be read again first. Its '
  'member is_elsewhere is true if another request is reading the template. The result `media_needed` means that the '
  'header''s media file has to be uploaded first. The result `own_media_needed` means that the file at the URL in '
  'header_media has to be uploaded first. The result `unfit` contains the reason why header_media does not match the '
  'header. A dry run of a valid send returns `send`. Every result contains the key''s company. The function writes the '
  'contact, the conversation, the message and the ledger row only if the result is `claimed`. With an API key, '
  'of_company_id has no effect. Raises PT401 and PT403 as app.company_id() does.';
grant execute on function public.claim_template_send(uuid, text, text, text, text, text, text, text, text, text[], text[], text[], text, boolean, uuid, jsonb)
  to api_client;

-- schemas/73_claim_reply.sql

-- The claim of a free-form reply. The claim decides whether the reply may be sent in a conversation now. It also writes
-- everything that a send needs before the call to WhatsApp. A conversation with an archived contact accepts no reply,
-- because the person's next message would go to a new contact.

create function app.wrote_after_stop(
  own_company_id uuid, of_contact_id uuid, on_account_id uuid, stopped_at timestamptz, last_inbound_at timestamptz
) returns boolean
language sql stable
set search_path = ''
as $$
  select case when stopped_at < last_inbound_at then true else (
    select coalesce(max(place) filter (where not is_stop) > max(place) filter (where is_stop), false)
    from (
      select
        messages.wish is not distinct from 'stop' as is_stop,
        row_number() over (order by messages.received_at, messages.created_at) as place
      from public.conversations
      join public.messages on messages.company_id = conversations.company_id
        and messages.conversation_id = conversations.id
      where conversations.company_id = own_company_id and conversations.contact_id = of_contact_id
        and (conversations.messaging_account_id = on_account_id or messages.wish = 'stop')
        and messages.direction = 'inbound' and messages.type not in ('system', 'unsupported')
        -- A row is created only after the person wrote the message. So the condition on created_at limits the search to
        -- the end of an index.
        and messages.created_at >= stopped_at and messages.sent_at = stopped_at and messages.received_at is not null
    ) as said
  ) end
$$;
comment on function app.wrote_after_stop(uuid, uuid, uuid, timestamptz, timestamptz) is
  'Checks whether a person wrote to the account after do_not_contact was set. If so, the company may answer. If one of '
  'the two times is unknown, the company may not answer. WhatsApp reports times in whole seconds. If a stop word '
  'and another message were sent in the same second, the order of their events decides which of them is later. Within '
  'one event, the order of the messages decides.';

create function app.newest_user_id(own_company_id uuid, of_contact_id uuid) returns text
language sql stable
set search_path = ''
as $$
  select user_id from public.contact_identities
  where company_id = own_company_id and contact_id = of_contact_id
  order by seen_at desc, id desc
  limit 1
$$;
comment on function app.newest_user_id(uuid, uuid) is
  'Returns the newest user id that WhatsApp assigned to a person. After the person changed the phone number, an older '
  'id is no longer valid.';

create function public.claim_reply(
  claim_id uuid,
  conversation_id uuid,
  content text,
  idempotency_key text default null,
  dry_run boolean default false,
  -- { id } of an upload, or { type, link }. Both formats may also have filename and voice.
  media jsonb default null,
  reply_to_id uuid default null,
  -- The buttons or the list, in the WhatsApp format, without the text.
  interactive jsonb default null
) returns jsonb
-- Security definer, because a key cannot read accounts, windows or sends. The key gets only what this function returns.
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id constant uuid := app.company_id('messaging');
  fingerprint constant bytea := case when claim_reply.idempotency_key is not null then
    app.fingerprint_of_send(array[claim_reply.conversation_id::text, claim_reply.content] || case
      when num_nonnulls(claim_reply.media, claim_reply.reply_to_id, claim_reply.interactive) > 0 then array[
        claim_reply.media::text, claim_reply.reply_to_id::text,
        claim_reply.interactive #>> '{action,buttons}',
        case when claim_reply.interactive ->> 'type' = 'list' then claim_reply.interactive ->> 'action' end
      ]
      else '{}'
    end)
  end;
  send record;
  of_contact_id uuid;
  contact record;
  conversation record;
  account record;
  period record;
  answered_whatsapp_id text;
  medium_sent jsonb;
  medium_shown jsonb;
  medium_fault jsonb;
  answer jsonb;
begin
  <<deciding>>
  begin
    select * into send from app.claim_send(
      own_company_id, claim_reply.claim_id, claim_reply.idempotency_key, null, null, fingerprint
    );
    if send.id is null then
      answer := app.repeated_send(
        own_company_id, claim_reply.idempotency_key, null, null, 'conversation_id', null,
        claim_reply.conversation_id, '{conversation_id,text,media,reply_to_id,buttons,list}', fingerprint, dry_run
      );
      exit deciding;
    end if;

    -- Every transaction locks the contact before its conversation. If the contact was merged into another contact in
    -- the meantime, the conversation moved to that contact, and the loop runs again.
    loop
      select contact_id into of_contact_id from public.conversations
      where company_id = own_company_id and id = claim_reply.conversation_id;
      if not found then
        answer := jsonb_build_object('result', 'not_found');
        raise sqlstate 'CRM01'; -- undoes the block, which catches this error at its end
      end if;
      select id, phone, do_not_contact, do_not_contact_at, archived_at into contact from public.contacts
      where company_id = own_company_id and id = of_contact_id
      for share;
      select id, status, messaging_account_id into conversation from public.conversations
      where company_id = own_company_id and id = claim_reply.conversation_id and contact_id = contact.id
      for key share;
      exit when found;
    end loop;
    if contact.archived_at is not null then
      answer := jsonb_build_object('result', 'archived');
      raise sqlstate 'CRM01';
    end if;
    if conversation.status = 'closed' then
      answer := jsonb_build_object('result', 'closed', 'existing_id', (
        select id from public.conversations
        where company_id = own_company_id and contact_id = contact.id
          and messaging_account_id = conversation.messaging_account_id and status <> 'closed'
      ));
      raise sqlstate 'CRM01';
    end if;

    select id, phone_number_id, business_account_id, encrypted_token, refused_at into account from public.messaging_accounts
    where company_id = own_company_id and id = conversation.messaging_account_id and disconnected_at is null;
    if not found then
      answer := jsonb_build_object('result', 'no_account');
      raise sqlstate 'CRM01';
    end if;

    select last_inbound_at, expires_at into period from public.contact_windows
    where company_id = own_company_id and contact_id = contact.id and account_id = account.id;
    if contact.do_not_contact and not app.wrote_after_stop(
      own_company_id, contact.id, account.id, contact.do_not_contact_at, period.last_inbound_at
    ) then
      answer := jsonb_build_object('result', 'do_not_contact');
      raise sqlstate 'CRM01';
    end if;
    -- The message needs some time to reach WhatsApp, and WhatsApp's clock may differ.
    if (period.expires_at > now() + interval '60 seconds') is not true then
      answer := jsonb_build_object('result', 'window_closed', 'expires_at', period.expires_at);
      raise sqlstate 'CRM01';
    end if;
    if claim_reply.reply_to_id is not null then
      select whatsapp_message_id into answered_whatsapp_id from public.messages
      where company_id = own_company_id and id = claim_reply.reply_to_id and conversation_id = conversation.id
        and whatsapp_message_id is not null and not is_erased;
      if not found then
        answer := jsonb_build_object('result', 'unfit', 'field', 'reply_to_id', 'fault', 'unknown');
        raise sqlstate 'CRM01';
      end if;
    end if;
    if claim_reply.media is not null then
      select sent, shown, fault into medium_sent, medium_shown, medium_fault
      from app.medium_of_send(own_company_id, account.id, contact.id, send.message_id, claim_reply.media);
      if medium_fault is null and medium_sent ->> 'type' = 'audio' and claim_reply.content <> '' then
        medium_fault := '{ "field": null, "fault": "caption_of_audio" }';
      end if;
      if medium_fault is not null then
        answer := medium_fault || jsonb_build_object(
          'result', 'unfit', 'field', coalesce('media.' || (medium_fault ->> 'field'), 'text')
        );
        raise sqlstate 'CRM01';
      end if;
    end if;
    if dry_run then
      answer := jsonb_build_object('result', 'send');
      raise sqlstate 'CRM01';
    end if;

    send.created_conversation := app.write_message_of_send(
      own_company_id, send.id, send.message_id, conversation.id, false,
      case
        when claim_reply.media is not null then medium_sent ->> 'type'
        when claim_reply.interactive is not null then 'interactive'
        else 'text'
      end,
      claim_reply.content, null,
      case when claim_reply.media is not null then medium_sent ->> 'id' end,
      jsonb_strip_nulls(jsonb_build_object(
        'payload', case
          when claim_reply.interactive is not null then jsonb_build_object('interactive', claim_reply.interactive)
        end,
        'reply_to_id', claim_reply.reply_to_id
      )) || case when claim_reply.media is not null then jsonb_build_object('media', medium_shown) else '{}' end
    );
    answer := jsonb_build_object(
      'result', 'claimed',
      'send_id', send.id,
      'attempt', send.attempt,
      'account_id', account.id,
      'phone_number_id', account.phone_number_id,
      'business_account_id', account.business_account_id,
      'encrypted_token', account.encrypted_token,
      'conversation_id', conversation.id,
      'message_id', send.message_id,
      'created_conversation', send.created_conversation,
      'phone', contact.phone,
      'user_id', case when contact.phone is null then app.newest_user_id(own_company_id, contact.id) end
    );
    if claim_reply.media is not null then
      answer := answer || jsonb_build_object('media', medium_sent);
    end if;
    if claim_reply.reply_to_id is not null then
      answer := answer || jsonb_build_object('reply_to', answered_whatsapp_id);
    end if;
    if account.refused_at is not null then
      answer := answer || '{ "was_refused": true }';
    end if;
  exception when sqlstate 'CRM01' then
    -- Postgres undoes the whole block, including the claim. So a request that sends nothing does not use up its
    -- idempotency key.
    null;
  end;

  -- This call records that the API key was used. The call comes last, because other requests with the key wait until
  -- this transaction is committed.
  perform public.authenticate();
  return answer || jsonb_build_object('company_id', own_company_id);
end
$$;
comment on function public.claim_reply(uuid, uuid, text, text, boolean, jsonb, uuid, jsonb) is
  'Decides whether a free-form reply may be sent in a conversation now. Writes what a send needs before the call to '
  'WhatsApp: the message and the ledger row. Only one request gets that row. The result `claimed` contains the '
  'account''s encrypted token, the attempt, and the person''s phone number, or user_id if there is no phone number. '
  'The member was_refused is true if WhatsApp has refused the account since its last success. The result `repeat` '
  'contains the state of the earlier send with this idempotency_key. Its member `mismatch` lists the fields that '
  'differ. The result `reused` lists, in `differs`, the fields that do not match the message of this key. The result '
  '`not_found` means that the company has no such conversation. The result `archived` means that the conversation''s '
  'contact is archived. The result `closed` contains the contact''s open conversation on the account, if there is one. '
  'The result `no_account` means that the account of the conversation is disconnected. The result `do_not_contact` '
  'means that the person must not be contacted. The result `window_closed` contains the end of the window, or null '
  'when the person has never written. The result `unfit` contains the invalid field and the fault. Either the upload '
  'or the quoted message is unknown, or the media file has a member or a caption that its kind cannot have. For a '
  'claimed reply with a media file, the member `media` contains the fields that WhatsApp needs. The member reply_to is '
  'the WhatsApp id of the quoted message. A dry run of a valid reply returns `send`. Every result contains the key''s '
  'company. The function writes the message and the ledger row only if the result is `claimed`. Raises PT401 and PT403 '
  'as app.company_id() does.';
grant execute on function public.claim_reply(uuid, uuid, text, text, boolean, jsonb, uuid, jsonb) to api_client;

-- schemas/74_settle.sql

-- Functions that settle a send. The outcome comes from the WhatsApp response, or from the end of the send's lease.

create function public.settle_send(
  claim_id uuid,
  outcome text,
  whatsapp_message_id text default null,
  reason text default null,
  channel_code integer default null,
  channel_message text default null,
  channel_details text default null,
  was_refused boolean default false
) returns text
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  send record;
  settled_state text;
begin
  if outcome is null or outcome not in ('sent', 'failed', 'released') then
    raise sqlstate 'PT422' using message = 'The outcome of a send is sent, failed or released';
  end if;
  if outcome <> 'sent' and settle_send.whatsapp_message_id is not null then
    raise sqlstate 'PT422' using message = 'Only the outcome sent can have a whatsapp_message_id';
  end if;

  select id, company_id, message_id, state, reason, whatsapp_message_id into send
  from public.sends
  where claim_id = settle_send.claim_id
  for no key update;
  if not found then
    return null;
  end if;

  -- The first success after a refusal withdraws the refusal, even if a report has already settled the send. For other
  -- sends, the account is not queried here, unless WhatsApp refused the message because of the account.
  if outcome = 'sent' and was_refused then
    perform app.withdraw_refusals(account.id, 'refusal', account.asked_at)
    from app.account_of_message(send.company_id, send.message_id) as account;
  end if;
  if send.whatsapp_message_id is null and (send.state = 'pending' or send.reason = 'outcome_unknown') then
    -- The real outcome replaces outcome_unknown, which is only a guess at the end of a lease. If the real outcome is a
    -- release, the state remains failed, because the API may already have reported the failure to the caller.
    settled_state := case when send.state = 'failed' and outcome = 'released' then 'failed' else outcome end;
    update public.sends set
      state = settled_state,
      whatsapp_message_id = settle_send.whatsapp_message_id,
      reason = settle_send.reason,
      channel_code = settle_send.channel_code
    where id = send.id;
    if settled_state <> 'sent' and (channel_message is not null or channel_details is not null) then
      update public.messages set failure = failure || jsonb_build_object(
        'message', left(channel_message, 1000), 'details', left(channel_details, 1000)
      )
      where company_id = send.company_id and id = send.message_id;
    end if;
    if settled_state <> 'sent' then
      -- The failure is recorded with the start time of the attempt. If the person has written since then, the window is
      -- open again.
      perform app.note_failure(send.company_id, send.message_id, channel_code, (
        select created_at from public.messages where company_id = send.company_id and id = send.message_id
      ));
    end if;
    if reason = 'channel_account_error' then
      perform app.note_refusal(
        account.id, 'refusal', coalesce(channel_code::text, 'token_unusable'), 1
      ) from app.account_of_message(send.company_id, send.message_id) as account;
    end if;
    return settled_state;
  end if;

  -- Every outcome except outcome_unknown is final, with one exception: a report of a failed delivery may arrive before
  -- the response. The response then shows that WhatsApp had accepted the message.
  if send.state = 'failed' and send.whatsapp_message_id = settle_send.whatsapp_message_id then
    update public.sends set state = 'sent', reason = null, channel_code = null where id = send.id;
    return 'sent';
  end if;
  -- WhatsApp has reported two messages for one call.
  if send.whatsapp_message_id <> settle_send.whatsapp_message_id then
    perform app.note_double_send(send.id, settle_send.whatsapp_message_id);
  end if;
  return send.state;
end
$$;
comment on function public.settle_send(uuid, text, text, text, integer, text, text, boolean) is
  'Records the outcome of a claimed send, and returns the send''s current state, or null for an unknown claim_id. '
  'After a refusal or a release, stores WhatsApp''s error text and details in the message. If WhatsApp refused the '
  'account, the refusal becomes a notice of the account. The argument was_refused comes from the claim. If it is true, '
  'a success withdraws the refusals. The function works even if the API key was switched off or deleted after the '
  'claim, because the message may already have been sent.';
grant execute on function public.settle_send(uuid, text, text, text, integer, text, text, boolean)
  to api_client, channel_client;

create function public.fail_expired_sends() returns integer
language sql security definer
set search_path = ''
as $$
  with expired as (
    select id from public.sends
    where state = 'pending' and lease_ends_at <= now()
    for update skip locked
  ), failed as (
    update public.sends set state = 'failed', reason = 'outcome_unknown'
    from expired where sends.id = expired.id
    returning sends.id
  )
  select count(*)::integer from failed
$$;
comment on function public.fail_expired_sends() is
  'Sets all pending sends whose lease has ended to failed (outcome_unknown), and returns their number. A scheduled job '
  'calls this function. A repeat of such a send has the same effect. This function sends nothing.';
grant execute on function public.fail_expired_sends() to service_role;

create function app.note_double_send(send_id uuid, further_id text) returns void
language sql
set search_path = ''
as $$
  update public.sends set double_sent_ids = array(
    select distinct id collate "C" from unnest(double_sent_ids || further_id) as id order by 1
  )
  where id = send_id and further_id <> all (double_sent_ids)
$$;
comment on function app.note_double_send(uuid, text) is
  'Stores another WhatsApp message id for the attempt of a send. The message keeps its first id, and only reports with '
  'that id change the message.';

-- schemas/75_outcomes.sql

-- The outcome of each send. The ledger records whether WhatsApp accepted a message, and WhatsApp later reports the
-- message's status. The outcome of a send combines the two. Every query that counts or filters outcomes calls
-- app.outcome_of_send().

create function app.outcome_of_send(
  state text,
  -- Whether the send is pending although its lease has ended.
  has_ended boolean,
  reason text,
  -- Whether WhatsApp gave the message an id, which means that WhatsApp accepted the message.
  has_id boolean,
  -- The status of the message.
  status text
) returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  return case
    -- A message may fail on one device and arrive on another.
    when status in ('delivered', 'read') then status
    when has_ended then 'failed'
    when state in ('pending', 'released') then state
    when state = 'failed' and not has_id and reason <> 'outcome_unknown' then 'refused'
    when state = 'failed' or status = 'failed' then 'failed'
    when status = 'expired' then 'expired'
    else 'accepted'
  end;
end
$$;
comment on function app.outcome_of_send(text, boolean, text, boolean, text) is
  'Returns the outcome of a send. pending: WhatsApp has not responded yet. accepted: WhatsApp has the message, but has '
  'not reported its arrival yet. delivered and read: the message arrived. failed: WhatsApp accepted the message and '
  'later reported a failure, or WhatsApp never responded. expired: the lifetime of the message ended without a report. '
  'refused: WhatsApp refused the message in its response. released: WhatsApp does not have the message, and a repeat '
  'sends it.';
grant execute on function app.outcome_of_send(text, boolean, text, boolean, text) to authenticated;

create function app.reason_of_send(outcome text, reason text, reported text) returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  return case when outcome in ('failed', 'refused', 'released') then
    -- A send whose lease has ended has no reason yet.
    coalesce(reported, reason, 'outcome_unknown')
  end;
end
$$;
comment on function app.reason_of_send(text, text, text) is
  'Returns why a send with this outcome failed, was refused or was released: the reason that WhatsApp reported, '
  'otherwise the reason in the ledger. Returns null for other outcomes.';
grant execute on function app.reason_of_send(text, text, text) to authenticated;

create function app.check_member(company_id uuid) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if (check_member.company_id = any (app.member_company_ids())) is not true then
    raise sqlstate 'PT403' using message = 'Only members of the company can see its sends';
  end if;
end
$$;
comment on function app.check_member(uuid) is 'Raises PT403 when the signed-in user is not a member of the company.';
grant execute on function app.check_member(uuid) to authenticated;

create function public.sends_by_outcome(company_id uuid, days integer default 30, zone text default 'UTC')
returns table (day date, outcome text, reason text, sends bigint)
language plpgsql stable
set search_path = ''
set jit = off
as $$
#variable_conflict use_column
declare
  beginning timestamptz;
begin
  perform app.check_member(sends_by_outcome.company_id);
  beginning := app.beginning_of_days(days, zone, 90);
  return query
    select
      counted.day, named.outcome, app.reason_of_send(named.outcome, counted.reason, reported),
      sum(counted.sends)::bigint
    from (
      -- Many sends have the same values in these columns, so the functions run for only a few rows.
      select
        (sends.created_at at time zone sends_by_outcome.zone)::date as day, sends.state,
        sends.state = 'pending' and sends.lease_ends_at <= now() as has_ended,
        sends.whatsapp_message_id is not null as has_id, sends.reason, message.status, message.reported,
        count(*) as sends
      from public.sends
      -- Each send has its own lookup, because the plan of a join may read all messages of the company.
      cross join lateral (
        select status, failure ->> 'reason' as reported from public.messages
        where messages.company_id = sends.company_id and messages.id = sends.message_id offset 0
      ) as message
      where sends.company_id = sends_by_outcome.company_id
        and sends.created_at >= beginning
      group by 1, 2, 3, 4, 5, 6, 7
    ) as counted
    cross join lateral app.outcome_of_send(state, has_ended, counted.reason, has_id, status) as named (outcome)
    group by 1, 2, 3
    order by 1, 2, 3;
end
$$;
comment on function public.sends_by_outcome(uuid, integer, text) is
  'Returns the number of a company''s sends with each outcome, by day of the first attempt in the time zone `zone`. '
  'Covers the given number of days (1 to 90), including today. A day or outcome without sends has no row. The outcomes '
  'failed, refused and released are counted by reason. The company''s members may call this function. Raises PT403 for '
  'other callers. Raises PT422 for an invalid number of days or an unknown time zone.';
grant execute on function public.sends_by_outcome(uuid, integer, text) to authenticated;

-- The query handles each company separately, so that it reads only the company's part of messages_unusual_idx.
create function app.failures_of_sends(since timestamptz) returns jsonb
language sql stable
set search_path = ''
as $$
  select coalesce(jsonb_agg(counted order by outcome, sends desc, reason), '[]')
  from (
    select named.outcome, app.reason_of_send(named.outcome, unusual.reason, reported) as reason, count(*) as sends
    from public.companies
    cross join lateral (
      select
        sends.state, sends.state = 'pending' and sends.lease_ends_at <= now() as has_ended, sends.reason,
        sends.whatsapp_message_id is not null as has_id, messages.status, messages.failure ->> 'reason' as reported
      from public.messages
      join public.sends on sends.company_id = messages.company_id and sends.message_id = messages.id
      where messages.company_id = companies.id and messages.created_at > since
        and (messages.failure is not null or messages.status in ('pending', 'failed', 'expired'))
    ) as unusual
    cross join lateral app.outcome_of_send(state, has_ended, unusual.reason, has_id, status) as named (outcome)
    where named.outcome in ('failed', 'refused', 'released')
    group by 1, 2
  ) as counted
$$;
comment on function app.failures_of_sends(timestamptz) is
  'Returns the number of all companies'' sends that failed, were refused or were released, as [{ outcome, reason, '
  'sends }]. Counts the sends whose last attempt started after the given time.';

-- schemas/76_send_log.sql

-- The send log for the members of a company: templates and replies with their outcomes, newest first. Owners and admins
-- also see the API key that requested a send, and the idempotency key of the send. A page reads at most 5,000 sends,
-- whatever the filters are. The next page continues after the last send that was read. So a page for a large company
-- costs no more than a page for a small company.

create type app.send_place as (at timestamptz, message_id uuid);
comment on type app.send_place is 'The position of a send in the log. The newest send comes first.';

create function app.like_patterns(search text) returns text[]
language sql immutable
set search_path = ''
as $$
  -- A short search word matches only the beginning of a word. A longer search word may match anywhere in the text.
  select array_agg(case when char_length(word) < 3 then '% ' else '%' end || word || '%')
  from regexp_split_to_table(btrim(app.words(search)), ' ') as word
  where word <> ''
$$;
comment on function app.like_patterns(text) is
  'Returns a pattern for each word of a search, to compare with strings that app.words() has normalized. Returns null '
  'for a search without words.';

create function app.contacts_in_log(own_company_id uuid, search text) returns uuid[]
language plpgsql stable
set search_path = ''
as $$
declare
  digits constant text := regexp_replace(search, '[^0-9]', '', 'g');
  searched_key constant text := app.phone_key('+' || ltrim(digits, '0'));
  conditions text := (
    select '(' || string_agg(format('name_words like %L', pattern), ' and ') || ')'
    from unnest(app.like_patterns(search)) as pattern
  );
  ids uuid[];
begin
  if search ~ '^[-+().0-9 ]+$' and char_length(digits) >= 4 then
    conditions := concat_ws(
      ' or ', conditions,
      format('replace(phone, ''+'', '' '') like %L', '%' || digits || '%'),
      format('phone_key = %L', searched_key), format('archived_phone_key = %L', searched_key),
      format('id = any (%L::uuid[])', array(
        select contact_id from public.contact_former_phones
        where company_id = own_company_id and phone_key = searched_key and until = 'infinity'
      ))
    );
  end if;
  if conditions is null then
    return '{}';
  end if;
  -- The SQL text of the statement contains the patterns, so that the planner knows how common they are.
  execute format(
    'select array(
      select id from public.contacts where company_id = %L and (%s) order by created_at desc, id desc limit 100
    )',
    own_company_id, conditions
  ) into ids;
  return ids;
end
$$;
comment on function app.contacts_in_log(uuid, text) is
  'Returns the newest 100 contacts that match a search. The name must contain each word of the search, or the phone '
  'number must match the search completely or in part.';

create function app.templates_in_log(own_company_id uuid, search text) returns text[]
language plpgsql stable
set search_path = ''
as $$
declare
  patterns constant text[] := app.like_patterns(search);
begin
  return array(
    -- Each iteration reads the next name from the index, and skips the many sends with the same template.
    with recursive sent (name) as (
      (
        select template_name from public.sends
        where company_id = own_company_id and template_name is not null
        order by template_name limit 1
      )
      union all
      select (
        select template_name from public.sends
        where company_id = own_company_id and template_name > sent.name
        order by template_name limit 1
      )
      from sent where sent.name is not null
    )
    select name from (select name from sent where name is not null limit 2000) as names
    where app.words(name) like all (patterns)
    limit 50
  );
end
$$;
comment on function app.templates_in_log(uuid, text) is
  'Searches the first 2,000 names of sent templates. Returns at most 50 names that contain each word of the search.';

create function app.found_sends(
  own_company_id uuid, search text, with_keys boolean, after app.send_place, max_rows integer
) returns app.send_place[]
language plpgsql stable
set search_path = ''
as $$
declare
  -- This function computes the key before it searches. Otherwise Postgres might compute the key for each send of the
  -- company.
  known_key constant text := app.known_send_key(own_company_id, search);
  searched_id uuid;
  templates text[];
  found_places app.send_place[];
begin
  if pg_catalog.pg_input_is_valid(search, 'uuid') then
    searched_id := search::uuid;
  end if;
  -- An idempotency key or a message id identifies one send.
  found_places := array(
    select (created_at, message_id)::app.send_place from public.sends
    where with_keys and company_id = own_company_id and idempotency_key = known_key
    union
    select (created_at, message_id)::app.send_place from public.sends
    where company_id = own_company_id and message_id = searched_id
  );
  if found_places <> '{}' then
    return array(select place from unnest(found_places) as place where place < after);
  end if;

  templates := app.templates_in_log(own_company_id, search);
  return array(
    select (at, id)::app.send_place
    from (
      select sent.at, sent.id
      from unnest(templates) as name
      cross join lateral (
        select created_at as at, message_id as id from public.sends
        where company_id = own_company_id and template_name = name
          and (created_at, message_id) < (after.at, after.message_id)
        order by created_at desc, message_id desc limit max_rows
      ) as sent
      union all
      select sent.at, sent.id
      from unnest(app.contacts_in_log(own_company_id, search)) as person (id)
      cross join lateral (
        select id from public.conversations
        where company_id = own_company_id and contact_id = person.id offset 0
      ) as conversation
      cross join lateral (
        select created_at as at, id from public.messages
        where company_id = own_company_id and conversation_id = conversation.id and direction = 'outbound'
          and (created_at, id) < (after.at, after.message_id)
        order by created_at desc, id desc limit max_rows
      ) as sent
      -- The first part of the union already contains the sends with these templates.
      where not exists (
        select from public.sends
        where company_id = own_company_id and message_id = sent.id and template_name = any (templates)
      )
    ) as found
    order by at desc, id desc limit max_rows
  );
end
$$;
comment on function app.found_sends(uuid, text, boolean, app.send_place, integer) is
  'Searches the sends after a position in the log, and returns the positions of the sends that match. If the search is '
  'not the idempotency key or the message id of a send, it is compared with the names of templates and contacts, and '
  'with the recipients'' phone numbers.';

create function app.shown_send(own_company_id uuid, of_message_id uuid, with_key boolean) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  send record;
  message record;
  contact record;
  outcome text;
  reason text;
begin
  select *, state = 'pending' and lease_ends_at <= now() as has_ended into send from public.sends
  where company_id = own_company_id and message_id = of_message_id;
  if not found then
    return null;
  end if;
  select * into message from public.messages where company_id = own_company_id and id = of_message_id;
  select id, name, phone, erased_at into contact from public.contacts
  where company_id = own_company_id and id = (
    select contact_id from public.conversations where company_id = own_company_id and id = message.conversation_id
  );
  outcome := app.outcome_of_send(
    send.state, send.has_ended, send.reason, send.whatsapp_message_id is not null, message.status
  );
  reason := app.reason_of_send(outcome, send.reason, message.failure ->> 'reason');
  return jsonb_build_object(
    'message_id', of_message_id,
    'created_at', send.created_at,
    'outcome', outcome,
    'outcome_at', case outcome
      when 'read' then message.read_at
      when 'delivered' then message.delivered_at
      when 'accepted' then message.sent_at
      when 'expired' then message.expired_at
      when 'pending' then null
      else message.failed_at
    end,
    'reason', reason,
    'code', case when reason is not null then
      coalesce((message.failure ->> 'code')::integer, send.channel_code)
    end,
    'template_name', send.template_name,
    'language_code', send.language_code,
    'contact', jsonb_build_object(
      'id', contact.id, 'name', contact.name, 'phone', contact.phone, 'is_erased', contact.erased_at is not null
    ),
    'author', case when message.author_type is not null then jsonb_build_object(
      'type', message.author_type,
      'id', case when with_key or message.author_type <> 'key' then message.author_id end,
      'name', case when with_key or message.author_type <> 'key' then message.author_name end
    ) end
  );
end
$$;
comment on function app.shown_send(uuid, uuid, boolean) is
  'Returns a send as shown in the log, or null. Includes the API key that requested the send only if with_key is true.';

-- Security definer, because under a policy, the operator `like` cannot use an index. Also, users cannot read the
-- idempotency keys of sends. So this function and the next function check the company and the role themselves.
create function public.list_company_sends(
  company_id uuid,
  outcome text default null,
  reason text default null,
  search text default null,
  since timestamptz default null,
  until timestamptz default null,
  after jsonb default null
) returns jsonb
language plpgsql stable security definer
set search_path = ''
-- One plan for all values would read too many rows for some values.
set plan_cache_mode = force_custom_plan
set jit = off
as $$
declare
  of_company constant uuid := list_company_sends.company_id;
  wanted_outcome constant text := list_company_sends.outcome;
  wanted_reason constant text := list_company_sends.reason;
  searched constant text := nullif(btrim(list_company_sends.search), '');
  is_manager constant boolean := list_company_sends.company_id = any (app.managed_company_ids());
  from_time constant timestamptz := coalesce(list_company_sends.since, '-infinity');
  to_time constant timestamptz := coalesce(list_company_sends.until, 'infinity');
  page_size constant integer := 50;
  most constant integer := case
    when coalesce(list_company_sends.outcome, list_company_sends.reason, list_company_sends.search) is null
      then page_size + 1
    else 5000
  end;
  after_place constant app.send_place := (
    coalesce((list_company_sends.after ->> 'at')::timestamptz, 'infinity'),
    coalesce((list_company_sends.after ->> 'message_id')::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
  );
  places app.send_place[];
  shown app.send_place[];
begin
  perform app.check_member(of_company);
  if char_length(searched) > 200 then
    raise sqlstate 'PT422' using message = 'search must have at most 200 characters';
  end if;
  if searched is not null then
    places := app.found_sends(of_company, searched, is_manager, after_place, most);
  elsif to_time = 'infinity' and (
    wanted_reason is not null or wanted_outcome in ('pending', 'failed', 'refused', 'released', 'expired')
  ) then
    -- Few sends have such an outcome, so an index on their messages finds them. Its times are those of the last
    -- attempts, so it cannot be used together with `until`.
    places := array(
      select (created_at, id)::app.send_place from public.messages
      where messages.company_id = of_company and (failure is not null or status in ('pending', 'failed', 'expired'))
        and created_at >= from_time and (created_at, id) < (after_place.at, after_place.message_id)
      order by created_at desc, id desc limit most
    );
  else
    places := array(
      select (created_at, message_id)::app.send_place from public.sends
      where sends.company_id = of_company and created_at >= from_time and created_at < to_time
        and (created_at, message_id) < (after_place.at, after_place.message_id)
      order by created_at desc, message_id desc limit most
    );
  end if;
  shown := array(
    select (place.at, place.message_id)::app.send_place
    from unnest(places) with ordinality as place (at, message_id, number)
    -- Each position has its own lookup, because the plan of a join may read all messages of the company.
    cross join lateral (
      select
        state, state = 'pending' and lease_ends_at <= now() as has_ended, sends.reason, created_at,
        whatsapp_message_id is not null as has_id
      from public.sends
      where sends.company_id = of_company and sends.message_id = place.message_id offset 0
    ) as send
    cross join lateral (
      select status, failure ->> 'reason' as reported from public.messages
      where messages.company_id = of_company and id = place.message_id offset 0
    ) as message
    cross join lateral app.outcome_of_send(
      send.state, send.has_ended, send.reason, send.has_id, message.status
    ) as became (outcome)
    where send.created_at >= from_time and send.created_at < to_time
      and (wanted_outcome is null or became.outcome = wanted_outcome)
      and (
        wanted_reason is null or app.reason_of_send(became.outcome, send.reason, message.reported) = wanted_reason
      )
    order by number limit page_size + 1
  );
  return jsonb_build_object(
    'sends', (
      select coalesce(jsonb_agg(app.shown_send(of_company, message_id, is_manager) order by number), '[]')
      from unnest(shown[:page_size]) with ordinality as place (at, message_id, number)
    ),
    'next', case
      when cardinality(shown) > page_size then to_jsonb(shown[page_size])
      when cardinality(places) = most then to_jsonb(places[most])
    end
  );
end
$$;
comment on function public.list_company_sends(uuid, text, text, text, timestamptz, timestamptz, jsonb) is
  'Returns a page of a company''s log: { sends, next }. The member `sends` contains up to 50 sends, newest first, with '
  'outcome, reason, recipient, template and author. The next page begins after the position `next`, which is null at '
  'the end of the log. A page may have fewer sends, because it reads at most 5,000. The arguments `outcome` and '
  '`reason` select sends by outcome and reason, and `since` and `until` by start time. The argument `search` matches '
  'phone numbers or parts of them, words in names of contacts or templates, and message ids. For owners and admins, it '
  'also matches idempotency keys. The company''s members may call this function. Raises PT403 for other callers, and '
  'PT422 if `search` is too long.';
grant execute on function public.list_company_sends(uuid, text, text, text, timestamptz, timestamptz, jsonb)
  to authenticated;

create function public.get_company_send(company_id uuid, message_id uuid) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  is_manager constant boolean := get_company_send.company_id = any (app.managed_company_ids());
  shown jsonb;
begin
  perform app.check_member(get_company_send.company_id);
  shown := app.shown_send(get_company_send.company_id, get_company_send.message_id, is_manager);
  if shown is null then
    raise sqlstate 'PT404' using message = 'The company has no send with this id';
  end if;
  return shown || (
    select jsonb_build_object(
      'type', messages.type,
      'text', coalesce(messages.rendered_text, messages.content),
      'is_rendered', messages.rendered_text is not null,
      'attempt', sends.attempt,
      'attempted_at', messages.created_at,
      'lease_ends_at', sends.lease_ends_at,
      'has_channel_id', sends.whatsapp_message_id is not null,
      'sent_at', messages.sent_at,
      'delivered_at', messages.delivered_at,
      'read_at', messages.read_at,
      'failed_at', messages.failed_at,
      'expired_at', messages.expired_at,
      'failure', messages.failure,
      'double_sent', sends.double_sent_ids <> '{}',
      'from_phone', (
        select display_phone from public.messaging_accounts
        where company_id = messages.company_id and id = (
          select messaging_account_id from public.conversations
          where company_id = messages.company_id and id = messages.conversation_id
        )
      ),
      'conversation_id', messages.conversation_id,
      'whatsapp_message_id', sends.whatsapp_message_id,
      'idempotency_key', case when is_manager then sends.idempotency_key end
    )
    from public.sends
    join public.messages on messages.company_id = sends.company_id and messages.id = sends.message_id
    where sends.company_id = get_company_send.company_id and sends.message_id = get_company_send.message_id
  );
end
$$;
comment on function public.get_company_send(uuid, uuid) is
  'Returns one send as list_company_sends() does, with the text of its message, the times that WhatsApp reported, '
  'WhatsApp''s failure message, and the sender''s phone number. Owners and admins also get the idempotency key of the '
  'send. The company''s members may call this function. Raises PT403 for other callers, and PT404 when the company has '
  'no such send.';
grant execute on function public.get_company_send(uuid, uuid) to authenticated;

-- schemas/77_test_sends.sql

-- Test sends. An owner or admin sends a template to a phone number, to see how the message arrives. A test send works
-- like every other send: it has a claim, a ledger row and a settlement, and respects the recipient's wishes. The send
-- needs the account's token, which no user may read, even in encrypted form. So there are two steps. In the first step,
-- the signed-in user requests the test send, and the database decides whether the user may send it. In the second step,
-- the edge function claims the allowed send.

create table public.test_sends (
  -- The settings page creates a new id each time the user presses the send button.
  id uuid not null,
  company_id uuid not null references public.companies on delete cascade,
  -- This column has no foreign key: test sends of a member who has left the company still count towards the limit.
  user_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (company_id, id)
);
comment on table public.test_sends is
  'The test sends that were allowed in the last 24 hours, and the member who requested each of them.';

create function public.begin_test_send(company_id uuid, id uuid) returns void
language plpgsql security definer -- no person may write the table, because its rows are counted
set search_path = ''
as $$
#variable_conflict use_column
declare
  person constant uuid := auth.uid();
begin
  if (begin_test_send.company_id = any (app.managed_company_ids())) is not true then
    raise sqlstate 'PT403' using message = 'Only owners and admins of a company send tests';
  end if;
  if begin_test_send.id is null then
    raise sqlstate 'PT422' using message = 'The argument id is required';
  end if;
  -- If two calls run at the same time, the second call waits here and then counts the first call's test send.
  perform from public.companies where companies.id = begin_test_send.company_id for no key update;
  delete from public.test_sends as earlier
  where earlier.company_id = begin_test_send.company_id and earlier.created_at < now() - interval '24 hours';
  if (
    select count(*) from public.test_sends as earlier
    where earlier.company_id = begin_test_send.company_id and earlier.id <> begin_test_send.id
  ) >= 20 then
    raise sqlstate 'PT429' using message = 'A company sends at most 20 tests in 24 hours';
  end if;
  insert into public.test_sends (company_id, id, user_id)
  values (begin_test_send.company_id, begin_test_send.id, person)
  on conflict on constraint test_sends_pkey do nothing;
  if not exists (
    select from public.test_sends as begun
    where begun.company_id = begin_test_send.company_id and begun.id = begin_test_send.id and begun.user_id = person
  ) then
    raise sqlstate 'PT409' using message = 'Another person has made a test send with this id';
  end if;
end
$$;
comment on function public.begin_test_send(uuid, uuid) is
  'Allows the signed-in user one test send with this id. The settings page creates a new id each time the user presses '
  'the send button. A repeated call with the same id means the same test send. Owners and admins of the company may '
  'call this function. Raises PT403 for other callers, and PT409 for the id of another user''s test send. Raises PT429 '
  'when the company has made 20 test sends in the last 24 hours.';
grant execute on function public.begin_test_send(uuid, uuid) to authenticated;

create function public.claim_test_send(
  claim_id uuid,
  company_id uuid,
  test_send_id uuid,
  phone text,
  template_name text,
  language_code text,
  phone_number_id text,
  header_variables text[],
  body_variables text[],
  button_variables text[],
  preflight text
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  person record;
  template record;
  answer jsonb;
begin
  -- The user may have lost the role or left the company since the test send was allowed.
  select members.user_id, members.name into person
  from public.test_sends
  join public.company_members as members
    on members.company_id = test_sends.company_id and members.user_id = test_sends.user_id
  where test_sends.company_id = claim_test_send.company_id and test_sends.id = claim_test_send.test_send_id
    and members.role in ('owner', 'admin');
  if not found then
    raise sqlstate 'PT403' using message = 'Only owners and admins of a company send tests';
  end if;

  select
    app.rendered_text(
      templates.rendering, claim_test_send.header_variables, claim_test_send.body_variables
    ) as rendered,
    lower(templates.header_format) as header
  into template
  from public.messaging_accounts as accounts
  join public.templates on templates.company_id = accounts.company_id
    and templates.business_account_id = accounts.business_account_id
    and templates.name = claim_test_send.template_name and templates.language = claim_test_send.language_code
  where accounts.company_id = claim_test_send.company_id
    and accounts.phone_number_id = claim_test_send.phone_number_id;

  answer := public.claim_template_send(
    claim_id => claim_test_send.claim_id,
    phone => claim_test_send.phone,
    content => left(coalesce(nullif(template.rendered, ''), claim_test_send.template_name), 4096),
    message_type => case when template.header in ('image', 'video', 'document') then template.header else 'text' end,
    template_name => claim_test_send.template_name,
    language_code => claim_test_send.language_code,
    phone_number_id => claim_test_send.phone_number_id,
    idempotency_key => 'test-send-' || claim_test_send.test_send_id,
    header_variables => claim_test_send.header_variables,
    body_variables => claim_test_send.body_variables,
    button_variables => claim_test_send.button_variables,
    preflight => claim_test_send.preflight,
    of_company_id => claim_test_send.company_id
  );
  if answer ->> 'result' = 'claimed' then
    update public.messages set author_type = 'member', author_id = person.user_id, author_name = person.name
    where company_id = claim_test_send.company_id and id = (answer ->> 'message_id')::uuid;
  end if;
  return answer;
end
$$;
comment on function public.claim_test_send(
  uuid, uuid, uuid, text, text, text, text, text[], text[], text[], text
) is
  'Claims the send of a test that begin_test_send() has allowed, as claim_template_send() does, and returns the same '
  'result. The author of the message is the user. The idempotency key is derived from the id of the test send, so that '
  'the test is never sent twice. Raises PT403 when no test send has this id, or when its user is no longer an owner or '
  'admin.';
grant execute on function public.claim_test_send(uuid, uuid, uuid, text, text, text, text, text[], text[], text[], text)
  to channel_client;

alter table public.test_sends enable row level security;
create policy "the platform reads test sends" on public.test_sends for select to service_role using (true);
grant select on public.test_sends to service_role;

-- schemas/78_reactions.sql

-- The reactions of a company: a company reacts to a message with an emoji, or removes its reaction. WhatsApp keeps only
-- the newest reaction, so a repeat is harmless. WhatsApp is called after the first function and before the second
-- function, because the call may fail. For reactions of contacts, see 85_inbound.sql.

create function public.message_to_react(message_id uuid, emoji text default null) returns jsonb
-- Security definer, because a key cannot read accounts and windows.
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id constant uuid := app.company_id('messaging');
  message record;
  contact record;
  account record;
  period record;
  answer jsonb;
begin
  select messages.type, messages.whatsapp_message_id, messages.is_erased, messages.revoked_at,
    coalesce(messages.sent_at, messages.created_at) as said_at,
    conversations.contact_id, conversations.messaging_account_id
  into message
  from public.messages
  join public.conversations on conversations.company_id = messages.company_id
    and conversations.id = messages.conversation_id
  where messages.company_id = own_company_id and messages.id = message_to_react.message_id;
  select id, phone, do_not_contact, do_not_contact_at, archived_at into contact from public.contacts
  where company_id = own_company_id and id = message.contact_id;
  select id, phone_number_id, business_account_id, encrypted_token into account from public.messaging_accounts
  where company_id = own_company_id and id = message.messaging_account_id and disconnected_at is null;
  select last_inbound_at, expires_at into period from public.contact_windows
  where company_id = own_company_id and contact_id = message.contact_id and account_id = message.messaging_account_id;

  answer := case
    when message.is_erased is not false then '{ "result": "not_found" }'
    when message.whatsapp_message_id is null or message.type = 'system' then '{ "result": "not_on_channel" }'
    when message.revoked_at is not null then '{ "result": "revoked" }'
    when message.said_at < now() - interval '30 days' then '{ "result": "too_old" }'
    when contact.archived_at is not null then '{ "result": "archived" }'
    when account.id is null then '{ "result": "no_account" }'
    -- Removing a reaction is allowed, because it does not disturb the person.
    when message_to_react.emoji is not null and contact.do_not_contact and not app.wrote_after_stop(
      own_company_id, contact.id, account.id, contact.do_not_contact_at, period.last_inbound_at
    ) then '{ "result": "do_not_contact" }'
    -- Like a reply, the reaction needs some time to reach WhatsApp.
    when (period.expires_at > now() + interval '60 seconds') is not true
      then jsonb_build_object('result', 'window_closed', 'expires_at', period.expires_at)
    else jsonb_build_object(
      'result', 'ready',
      'account_id', account.id,
      'phone_number_id', account.phone_number_id,
      'business_account_id', account.business_account_id,
      'encrypted_token', account.encrypted_token,
      'whatsapp_message_id', message.whatsapp_message_id,
      'phone', contact.phone,
      'user_id', case when contact.phone is null then app.newest_user_id(own_company_id, contact.id) end
    )
  end;
  perform public.authenticate();
  return answer || jsonb_build_object('company_id', own_company_id);
end
$$;
comment on function public.message_to_react(uuid, text) is
  'Returns the data for setting the company''s reaction on a message, or for removing it if there is no emoji. The '
  'data are the account''s encrypted token, and the person''s phone number, or user_id if there is no phone number. '
  'The result `not_found` means that the company has no such message. The result `not_on_channel` means that WhatsApp '
  'does not have the message. The result `revoked` means that the person deleted the message. The result `too_old` '
  'means that the message is older than 30 days. The result `archived` means that the contact is archived. The result '
  '`no_account` means that the account of the conversation is disconnected. The result `do_not_contact` means that the '
  'person must not be contacted. The result `window_closed` contains the end of the window, or null when the person '
  'has never written. Raises PT401 and PT403 as app.company_id() does.';
grant execute on function public.message_to_react(uuid, text) to api_client;

create function public.note_own_reaction(message_id uuid, whatsapp_message_id text, emoji text default null)
returns jsonb
-- Security definer, because no key may write messages.
language plpgsql security definer
set search_path = ''
-- With this time zone, the time in the reaction's JSON has the same format as the time columns.
set timezone = 'UTC'
as $$
#variable_conflict use_column
declare
  own_company_id constant uuid := app.company_id('messaging');
  has_failed boolean;
begin
  -- A repeat changes nothing, so it creates no event. For an erased message, a trigger removes the reaction again.
  update public.messages set
    own_reaction = case
      when note_own_reaction.emoji is not null
        then jsonb_build_object('emoji', note_own_reaction.emoji, 'at', now())
    end,
    own_reaction_whatsapp_id = case
      when note_own_reaction.emoji is not null then note_own_reaction.whatsapp_message_id
    end
  where company_id = own_company_id and id = note_own_reaction.message_id
    and own_reaction ->> 'emoji' is distinct from note_own_reaction.emoji;
  -- WhatsApp's reports about the reaction may arrive before this function runs.
  with reports as (
    delete from public.waiting_facts
    where company_id = own_company_id and whatsapp_message_id = note_own_reaction.whatsapp_message_id
    returning item ->> 'status' as word
  )
  select bool_or(word = 'failed') into has_failed from reports;
  if has_failed then
    perform app.take_report_of_reaction(array[own_company_id], note_own_reaction.whatsapp_message_id, 'failed');
  end if;
  return (
    select own_reaction from public.messages where company_id = own_company_id and id = note_own_reaction.message_id
  );
end
$$;
comment on function public.note_own_reaction(uuid, text, text) is
  'After WhatsApp accepted the company''s reaction to a message, stores the reaction and its WhatsApp message id. '
  'Without an emoji, removes the reaction. Returns the stored reaction: { emoji, at }. Returns null if the message has '
  'no reaction now, or if WhatsApp has already reported that it did not deliver the reaction. Raises PT401 and PT403 '
  'as app.company_id() does.';
grant execute on function public.note_own_reaction(uuid, text, text) to api_client;

create function app.take_report_of_reaction(company_ids uuid[], wamid text, word text) returns boolean
language plpgsql
set search_path = ''
as $$
begin
  if word = 'failed' then
    update public.messages set own_reaction = null, own_reaction_whatsapp_id = null
    where company_id = any (company_ids) and own_reaction_whatsapp_id = wamid;
    return found;
  end if;
  return exists (
    select from public.messages where company_id = any (company_ids) and own_reaction_whatsapp_id = wamid
  );
end
$$;
comment on function app.take_report_of_reaction(uuid[], text, text) is
  'Applies a WhatsApp report about a company''s reaction. Returns whether a message has the reaction with this id. If '
  'WhatsApp did not deliver the reaction, removes it from the message. Other reports change nothing.';

-- schemas/78_read_receipts.sql

-- Read receipts: a company shows a person that it has read the person's message. WhatsApp also marks earlier messages
-- as read. WhatsApp is called after the first function and before the second function, because the call may fail. A
-- repeat is harmless.

create function public.message_to_read(message_id uuid) returns jsonb
-- Security definer, because a key cannot read accounts.
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id constant uuid := app.company_id('messaging');
  message record;
  account record;
  answer jsonb;
begin
  select messages.direction, messages.type, messages.whatsapp_message_id, messages.is_erased,
    coalesce(messages.sent_at, messages.created_at) as said_at, conversations.messaging_account_id
  into message
  from public.messages
  join public.conversations on conversations.company_id = messages.company_id
    and conversations.id = messages.conversation_id
  where messages.company_id = own_company_id and messages.id = message_to_read.message_id;
  if not found or message.is_erased then
    answer := '{ "result": "not_found" }';
  elsif message.direction = 'outbound' or message.type = 'system' or message.whatsapp_message_id is null then
    answer := '{ "result": "not_of_person" }';
  elsif message.said_at < now() - interval '30 days' then
    answer := '{ "result": "too_old" }';
  else
    select id, phone_number_id, business_account_id, encrypted_token into account from public.messaging_accounts
    where company_id = own_company_id and id = message.messaging_account_id and disconnected_at is null;
    answer := case when found then jsonb_build_object(
      'result', 'ready',
      'account_id', account.id,
      'phone_number_id', account.phone_number_id,
      'business_account_id', account.business_account_id,
      'encrypted_token', account.encrypted_token,
      'whatsapp_message_id', message.whatsapp_message_id
    ) else '{ "result": "no_account" }' end;
  end if;
  perform public.authenticate();
  return answer || jsonb_build_object('company_id', own_company_id);
end
$$;
comment on function public.message_to_read(uuid) is
  'Returns the data for marking an inbound message as read, with the account''s encrypted token. The result '
  '`not_found` means that the company has no such message. The result `not_of_person` means that the message is not '
  'from a contact. The result `too_old` means that the message is older than 30 days. The result `no_account` means '
  'that the account of the conversation is disconnected. Raises PT401 and PT403 as app.company_id() does.';
grant execute on function public.message_to_read(uuid) to api_client;

create function public.note_message_read(message_id uuid) returns timestamptz
language plpgsql security definer -- the roles of callers may not write the table
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id constant uuid := app.company_id('messaging');
  message record;
begin
  select id, conversation_id, created_at into message from public.messages
  where company_id = own_company_id and id = note_message_read.message_id and direction = 'inbound';
  if not found then
    return null;
  end if;
  -- The rows are locked in the order of their ids, as everywhere else.
  update public.messages set read_at = now()
  where company_id = own_company_id and id in (
    select earlier.id from public.messages as earlier
    where earlier.company_id = own_company_id and earlier.conversation_id = message.conversation_id
      and earlier.created_at <= message.created_at and earlier.direction = 'inbound' and earlier.read_at is null
      and not earlier.is_erased
    order by earlier.id
    for no key update
  );
  return (select read_at from public.messages where company_id = own_company_id and id = message.id);
end
$$;
comment on function public.note_message_read(uuid) is
  'Records that the company has read an inbound message and all earlier messages of the conversation. Returns the time '
  'at which the message was first marked as read, or null when the company has no such message. Raises PT401 and PT403 '
  'as app.company_id() does.';
grant execute on function public.note_message_read(uuid) to api_client;

-- schemas/78_send_events.sql

-- The events for sends. This file also defines the time-based events: a window closes in an hour, the outcome of a send
-- was never reported, or a restriction ends. A job writes the time-based events. See app.note_passed_times().

-- In the API, the id of a send is the id of its message.
select app.make_events(
  'sends',
  record => 'message_id',
  fields => '{state, reason, channel_code, whatsapp_message_id}',
  shown => '{state, reason}',
  changed => $$
    case
      when is_now.state = was.state then null
      when is_now.state = 'sent' then 'send.settled'
      when is_now.state in ('failed', 'released') then 'send.failed'
    end
  $$
);

-- The job looks for the leases and notices that have ended since its last run.
create table app.noted_times (
  subject text primary key check (subject in ('leases', 'notices')),
  noted_until timestamptz not null default now()
);
comment on table app.noted_times is
  'The time up to which app.note_passed_times() has written the time-based events.';
insert into app.noted_times (subject) values ('leases'), ('notices');

create index contact_windows_closing_idx on public.contact_windows (expires_at)
  where closing_noted_for is distinct from expires_at;
-- Few accounts are restricted.
create index account_notices_stopping_idx on public.account_notices (account_id) where stops_sending;

-- A message may arrive hours after the person wrote it, and the window may then close soon. Therefore closing_noted_for
-- records the end of the window for which the event was written. The job writes no event for a window that has already
-- closed.
create function app.note_closing_windows() returns void
language plpgsql
set search_path = ''
as $$
declare
  closing uuid[];
begin
  with chosen as (
    select id from public.contact_windows
    where expires_at > now() and expires_at <= now() + interval '1 hour'
      and closing_noted_for is distinct from expires_at
    order by expires_at limit 1000
    -- If a new message has locked a window, the next run handles the window.
    for update skip locked
  ),
  noted as (
    update public.contact_windows as windows set closing_noted_for = windows.expires_at
    from chosen where windows.id = chosen.id
    returning windows.id
  )
  select array_agg(id) into closing from noted;
  perform app.write_event(conversations.company_id, 'conversation.window_closing', conversations.id, author => 'job')
  from public.contact_windows as windows
  join public.conversations on conversations.company_id = windows.company_id
    and conversations.contact_id = windows.contact_id
    and conversations.messaging_account_id = windows.account_id
    and conversations.status <> 'closed'
  where windows.id = any (closing);
end
$$;
comment on function app.note_closing_windows() is
  'Writes conversation.window_closing for at most 1,000 windows that close in the next hour, once for each window.';

-- The argument of the next two functions is the time up to which the job has written all events. Each function writes
-- the later events, and returns the time up to which all events are now written. app.note_ended_leases() writes at most
-- 1,000 events.
create function app.note_ended_leases(since timestamptz) returns timestamptz
language plpgsql
set search_path = ''
as $$
declare
  until timestamptz := clock_timestamp();
begin
  until := least(until, (
    select lease_ends_at from public.sends
    where state = 'pending' and lease_ends_at > since and lease_ends_at <= until
    order by lease_ends_at offset 999 limit 1
  ));
  perform app.write_event(
    sends.company_id, 'send.failed', sends.message_id,
    changed_values =>
      '{ "state": { "from": "pending", "to": "failed" }, "reason": { "from": null, "to": "outcome_unknown" } }',
    author => 'job'
  )
  from public.sends
  where sends.state = 'pending' and sends.lease_ends_at > since and sends.lease_ends_at <= until;
  return greatest(until, since);
end
$$;
comment on function app.note_ended_leases(timestamptz) is
  'Writes send.failed for each send that is still pending although its lease has ended. Handles only leases that ended '
  'after the given time. Callers see such a send as failed, with the reason outcome_unknown.';

create function app.note_ended_notices(since timestamptz) returns timestamptz
language plpgsql
set search_path = ''
as $$
declare
  ended_until constant timestamptz := clock_timestamp();
begin
  -- Few notices end at the same time, so there is no limit.
  perform app.write_event(
    notices.company_id, 'account.restored', notices.account_id,
    changed_values => jsonb_build_object('notice', jsonb_build_object('from', notices.event, 'to', null)),
    author => 'job'
  )
  from public.account_notices as notices
  cross join lateral app.end_of_notice(
    notices.kind, notices.stops_sending, notices.happened_at, notices.received_at, notices.until
  ) as ends (at)
  -- A notice that arrived after its end has not restricted the account.
  where notices.stops_sending and ends.at > since and ends.at <= ended_until and notices.received_at < ends.at;
  return greatest(ended_until, since);
end
$$;
comment on function app.note_ended_notices(timestamptz) is
  'Writes account.restored for each notice that stopped sends until its time was over. Handles only notices that ended '
  'after the given time.';

create function app.note_passed_times() returns void
language plpgsql
set search_path = ''
as $$
begin
  -- Two simultaneous runs would write the events twice, so the second run waits here.
  perform from app.noted_times order by subject for update;
  perform app.note_closing_windows();
  update app.noted_times set noted_until = case subject
    when 'leases' then app.note_ended_leases(noted_until)
    when 'notices' then app.note_ended_notices(noted_until)
  end
  where subject in ('leases', 'notices');
end
$$;
comment on function app.note_passed_times() is
  'Writes the time-based events. A job calls this function every minute.';

alter table app.noted_times enable row level security;

-- schemas/79_webhook_log.sql

-- Callers can read the list of their webhooks, and the log of deliveries of one webhook, newest first. They can also
-- request the delivery of one event, of all events in a period, or of a test event. A page of the log reads at most
-- 5,000 deliveries, whatever the filters are. The next page continues after the last delivery that was read.

-- Few deliveries fail, so the partial index is small.
create index deliveries_not_delivered_idx on app.deliveries (webhook_id, seq) where outcome <> 'delivered';

create function public.list_webhooks(company_id uuid default null) returns json
language plpgsql stable security definer -- no role reads the secrets
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id constant uuid := app.webhook_company(list_webhooks.company_id);
begin
  return coalesce(
    (
      select json_agg(app.webhook_json(webhooks) order by created_at desc, id desc) from public.webhooks
      where webhooks.company_id = own_company_id
    ),
    '[]'
  );
end
$$;
comment on function public.list_webhooks(uuid) is
  'Returns the webhooks of a company, newest first, without their secrets. A key with the scope `webhooks` reads the '
  'webhooks of its company. Owners and admins specify the company. Raises the errors of app.webhook_company().';
grant execute on function public.list_webhooks(uuid) to api_client, authenticated, service_role;

create function public.get_webhook(webhook_id uuid) returns json
language plpgsql stable security definer -- no role reads the secrets
set search_path = ''
as $$
begin
  return app.webhook_json(app.managed_webhook(get_webhook.webhook_id));
end
$$;
comment on function public.get_webhook(uuid) is
  'Returns one webhook in the format of list_webhooks(). Raises the errors of app.managed_webhook().';
grant execute on function public.get_webhook(uuid) to api_client, authenticated, service_role;

create function app.event_time(of_event_id uuid) returns timestamptz
language sql immutable strict parallel safe
set search_path = ''
as $$
  select to_timestamp(('x' || substr(replace(of_event_id::text, '-', ''), 1, 12))::bit(48)::bigint / 1000.0)
$$;
comment on function app.event_time(uuid) is
  'Returns the time of an event, precise to the millisecond. The beginning of the event id contains this time. '
  'Postgres 17 has no function that extracts this time from a version 7 UUID.';

create function app.stored_event(of_company_id uuid, of_event_id uuid) returns app.events
language sql stable
set search_path = ''
as $$
  select events from app.events
  -- The id begins with the time, so only one partition can contain the event.
  where slot = app.slot_of(app.event_time(of_event_id)) and id = of_event_id and company_id = of_company_id
    and happened_at > now() - interval '30 days'
$$;
comment on function app.stored_event(uuid, uuid) is
  'Returns an event of a company by its id. Returns null when the log of the last 30 days has no such event.';

create function public.webhook_deliveries(
  webhook_id uuid, state text default null, type text default null, after_event text default null,
  after_ended timestamptz default null, max_rows integer default 50
) returns json
language plpgsql stable security definer -- no role reads deliveries
set search_path = ''
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
declare
  hook constant public.webhooks := app.managed_webhook(webhook_deliveries.webhook_id);
  wanted_state constant text := webhook_deliveries.state;
  wanted_type constant text := webhook_deliveries.type;
  most constant integer := least(greatest(max_rows, 1), 200);
  looked_at constant integer := case when wanted_state is null and wanted_type is null then most + 1 else 5000 end;
  -- An open delivery has not ended. In the log, it comes before the ended deliveries of the same event.
  before_ended constant timestamptz := coalesce(after_ended, 'infinity');
  before_seq bigint := 9223372036854775807;
  answer json;
begin
  if after_event is not null then
    -- An event that is no longer in the log is treated as older than every row.
    before_seq := coalesce((app.stored_event(hook.company_id, app.event_id(after_event))).seq, 0);
  end if;
  with looked as (
    select * from (
      (
        select
          seq, 'infinity'::timestamptz as ended_at, slot, event_id, null::timestamptz as happened_at, type, record_id,
          'waiting' as outcome, due_at, tries
        from app.open_deliveries
        where webhook_id = hook.id and seq < before_seq and (wanted_state is null or wanted_state = 'waiting')
        order by seq desc limit looked_at
      )
      union all
      (
        select seq, ended_at, slot, event_id, happened_at, type, record_id, outcome, null, tries from app.deliveries
        where webhook_id = hook.id and seq <= before_seq and (seq < before_seq or ended_at < before_ended)
          and happened_at > now() - interval '30 days'
          and (wanted_state is null or wanted_state = 'delivered')
        order by seq desc, ended_at desc limit looked_at
      )
      union all
      (
        select seq, ended_at, slot, event_id, happened_at, type, record_id, outcome, null, tries from app.deliveries
        where webhook_id = hook.id and seq <= before_seq and (seq < before_seq or ended_at < before_ended)
          and happened_at > now() - interval '30 days'
          and outcome <> 'delivered' and wanted_state in ('failed', 'undelivered')
        order by seq desc, ended_at desc limit looked_at
      )
    ) as parts
    order by seq desc, ended_at desc limit looked_at
  ),
  found as (
    select * from looked
    where (wanted_state is null or outcome = wanted_state)
      and (wanted_type is null or app.wants(array[wanted_type], type))
    order by seq desc, ended_at desc limit most + 1
  ),
  shown as (
    select * from found order by seq desc, ended_at desc limit most
  ),
  last as (
    select event_id, ended_at from (
      -- If all matching rows fit on the page, the next page begins after the last row that was read.
      select seq, event_id, ended_at from shown where (select count(*) from found) > most
      union all
      select seq, event_id, ended_at from looked
      where (select count(*) from found) <= most and (select count(*) from looked) = looked_at
    ) as places
    order by seq, ended_at limit 1
  )
  select json_build_object(
    'data', coalesce(
      (
        select json_agg(
          json_build_object(
            'event_id', app.event_name(event_id), 'type', type, 'record_id', record_id, 'state', outcome,
            'timestamp', coalesce(
              happened_at, (select happened_at from app.events where slot = shown.slot and id = shown.event_id)
            ),
            'attempts', coalesce(jsonb_array_length(tries), 0),
            'next_attempt_at', due_at,
            'ended_at', nullif(ended_at, 'infinity'),
            'tries', coalesce(tries, '[]')
          )
          order by seq desc, ended_at desc
        )
        from shown
      ),
      '[]'
    ),
    'next', (
      select json_build_object('event_id', app.event_name(event_id), 'ended_at', nullif(ended_at, 'infinity')) from last
    )
  ) into answer;
  return answer;
end
$$;
comment on function public.webhook_deliveries(uuid, text, text, text, timestamptz, integer) is
  'Returns a page of the deliveries of a webhook, newest event first: { data, next }. The states are waiting, '
  'delivered, failed and undelivered. The argument `type` is an event type, or all types of a resource (deal.*). The '
  'next page begins after next { event_id, ended_at }, which is null on the last page. Raises the errors of '
  'app.managed_webhook().';
grant execute on function public.webhook_deliveries(uuid, text, text, text, timestamptz, integer)
  to api_client, authenticated, service_role;

create function app.delivering_webhook(of_webhook_id uuid) returns public.webhooks
language plpgsql
set search_path = ''
as $$
declare
  hook constant public.webhooks := app.locked_webhook(of_webhook_id);
begin
  if hook.state = 'off' or app.has_ended_key(hook) then
    raise sqlstate 'PT409' using message = 'The webhook is off: switch it on first';
  end if;
  if hook.state = 'paused' then
    raise sqlstate 'PT409' using message = 'The webhook is paused: switch it on first';
  end if;
  return hook;
end
$$;
comment on function app.delivering_webhook(uuid) is
  'Returns and locks a webhook that currently receives events. Raises PT409 when the webhook is off or paused. Also '
  'raises the errors of app.managed_webhook().';

create function public.redeliver_event(webhook_id uuid, event_id text, idempotency jsonb default null) returns json
language plpgsql security definer -- no role writes deliveries
set search_path = ''
as $$
#variable_conflict use_column
declare
  hook constant public.webhooks := app.delivering_webhook(redeliver_event.webhook_id);
  event constant app.events := app.stored_event(hook.company_id, app.event_id(redeliver_event.event_id));
  earlier constant jsonb := app.claim_idempotency_key(hook.company_id, idempotency);
begin
  -- A test event belongs to one webhook. A webhook may have received an event of a type to which it no longer
  -- subscribes.
  if event.id is null or not (
    app.wants(hook.types, event.type) and event.type <> 'webhook.test'
    or exists (
      select from app.open_deliveries
      where webhook_id = hook.id and record_id = event.record_id and seq = event.seq
    )
    or exists (
      select from app.deliveries where slot = event.slot and webhook_id = hook.id and seq = event.seq
    )
  ) then
    raise sqlstate 'PT404' using message = 'This webhook has no delivery of this event';
  end if;
  if earlier is null then
    insert into app.open_deliveries as open (webhook_id, record_id, seq, slot, event_id, company_id, type, due_at)
    values (
      hook.id, event.record_id, event.seq, event.slot, event.id, hook.company_id, event.type, clock_timestamp()
    )
    on conflict (webhook_id, record_id, seq) do update set due_at = excluded.due_at;
    perform app.keep_outcome(hook.company_id, idempotency, jsonb_build_object('id', hook.id));
  end if;
  return json_build_object('replayed', earlier is not null, 'event_id', app.event_name(event.id));
end
$$;
comment on function public.redeliver_event(uuid, text, jsonb) is
  'Delivers one event of the log to a webhook again. If the event''s delivery is still waiting, makes it due now. '
  'Returns { replayed, event_id }. Raises PT404 if the webhook neither received the event nor subscribes to its type. '
  'Also raises the errors of app.delivering_webhook() and app.claim_idempotency_key().';
grant execute on function public.redeliver_event(uuid, text, jsonb) to api_client, authenticated, service_role;

create function public.replay_webhook(
  webhook_id uuid, since timestamptz, until timestamptz default null, types text[] default null,
  idempotency jsonb default null
) returns json
language plpgsql security definer -- no role writes replays
set search_path = ''
as $$
#variable_conflict use_column
declare
  hook constant public.webhooks := app.delivering_webhook(replay_webhook.webhook_id);
  earlier constant jsonb := app.claim_idempotency_key(hook.company_id, idempotency);
  at constant timestamptz := clock_timestamp();
  ends_at constant timestamptz := least(replay_webhook.until, at);
  asked constant jsonb := jsonb_build_object(
    'since', replay_webhook.since, 'until', ends_at, 'types', coalesce(nullif(replay_webhook.types, '{}'), hook.types)
  );
begin
  if earlier is not null then
    return earlier || '{ "replayed": true }';
  end if;
  if replay_webhook.since is null or replay_webhook.since < at - interval '30 days' then
    raise sqlstate 'PT422' using message = 'since must be a moment of the last 30 days';
  end if;
  if replay_webhook.since > at then
    raise sqlstate 'PT422' using message = 'since must not be in the future';
  end if;
  if ends_at <= replay_webhook.since then
    raise sqlstate 'PT422' using message = 'until must be after since';
  end if;
  insert into app.replays (webhook_id, company_id, since, until, types)
  values (hook.id, hook.company_id, replay_webhook.since, ends_at, nullif(replay_webhook.types, '{}'))
  on conflict do nothing;
  if not found then
    raise sqlstate 'PT409' using message = 'An earlier replay of this webhook is still running: try again later';
  end if;
  perform app.keep_outcome(hook.company_id, idempotency, asked);
  return asked || '{ "replayed": false }';
end
$$;
comment on function public.replay_webhook(uuid, timestamptz, timestamptz, text[], jsonb) is
  'Delivers the events of a period to a webhook again. The delivery job reads the events from the log in batches. '
  'Returns { replayed, since, until, types }. Raises PT409 while an earlier replay runs, and PT422 for an invalid '
  'period. Also raises the errors of app.delivering_webhook() and app.claim_idempotency_key().';
grant execute on function public.replay_webhook(uuid, timestamptz, timestamptz, text[], jsonb)
  to api_client, authenticated, service_role;

create function public.test_webhook(webhook_id uuid, idempotency jsonb default null) returns json
language plpgsql security definer -- no role writes events
set search_path = ''
as $$
#variable_conflict use_column
declare
  hook constant public.webhooks := app.delivering_webhook(test_webhook.webhook_id);
  earlier constant jsonb := app.claim_idempotency_key(hook.company_id, idempotency);
  at constant timestamptz := clock_timestamp();
  made_id uuid := earlier ->> 'id';
begin
  if earlier is null then
    if (
      select count(*) from app.open_deliveries
      where webhook_id = hook.id and record_id = hook.id and type = 'webhook.test'
    ) >= 10 then
      raise sqlstate 'PT409' using message = 'Ten test events of this webhook are still waiting: try again later';
    end if;
    with noted as (
      insert into app.events (slot, id, seq, version, company_id, type, record_id, actor, happened_at)
      select
        app.slot_of(at), app.new_event_id(at), nextval('app.event_seq'), app.change_now(), hook.company_id,
        'webhook.test', hook.id,
        jsonb_build_object(
          'kind', case
            when author.api_key_id is not null then 'key'
            when author.user_id is not null then 'person'
            else 'platform'
          end,
          'id', coalesce(author.api_key_id, author.user_id)
        ),
        at
      from app.webhook_author() as author
      returning *
    )
    insert into app.open_deliveries (webhook_id, record_id, seq, slot, event_id, company_id, type, due_at)
    select hook.id, record_id, seq, slot, id, company_id, type, at from noted
    returning event_id into made_id;
    perform app.keep_outcome(hook.company_id, idempotency, jsonb_build_object('id', made_id));
  end if;
  return json_build_object('replayed', earlier is not null, 'event_id', app.event_name(made_id));
end
$$;
comment on function public.test_webhook(uuid, jsonb) is
  'Delivers an event webhook.test to this webhook only. Returns { replayed, event_id }. Raises PT409 while ten test '
  'events wait. Also raises the errors of app.delivering_webhook() and app.claim_idempotency_key().';
grant execute on function public.test_webhook(uuid, jsonb) to api_client, authenticated, service_role;

-- schemas/79_webhook_troubles.sql

-- The webhooks of a company that receive no deliveries. The settings page shows them on every view.

-- Security definer, because no user may read the table.
create function public.webhook_troubles(company_id uuid)
returns table (webhook_id uuid, address text, trouble text, since timestamptz)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
    select
      webhooks.id, regexp_replace(split_part(webhooks.url, '?', 1), '^https?://', ''), found.trouble, found.since
    from public.webhooks
    cross join lateral (
      select
        case
          when webhooks.state = 'off' or app.has_ended_key(webhooks) then 'off'
          when webhooks.state <> 'paused' and webhooks.failing_since < now() - interval '1 hour' then 'failing'
        end as trouble,
        coalesce(webhooks.switched_off_at, webhooks.failing_since) as since
    ) as found
    where webhooks.company_id = webhook_troubles.company_id
      and webhooks.company_id = any (app.managed_company_ids())
      and found.trouble is not null
    order by found.trouble = 'off' desc, found.since desc nulls last, webhooks.id;
end
$$;
comment on function public.webhook_troubles(uuid) is
  'Returns the company''s webhooks that are off, or whose receiver has accepted nothing for an hour. Only owners and '
  'admins get rows. The column `address` is the URL without `https://` and without the query string, because a query '
  'string often contains a secret.';
grant execute on function public.webhook_troubles(uuid) to authenticated;

-- schemas/80_channel_events.sql

-- WhatsApp events, stored as received. WhatsApp keeps no history. So an event is committed before WhatsApp gets a
-- response. Every event is stored, even if its account is unknown or the event cannot be applied. The time for storing
-- an event is proportional to its size. Data about erased people is removed from an event before the event is applied.
-- A small event is cleaned before it is stored. A large event is cleaned in a separate statement.

create table public.channel_events (
  id uuid primary key default gen_random_uuid(),
  -- The event was signed with the secret of this app.
  channel_app_id uuid not null references public.channel_apps on delete cascade,
  received_at timestamptz not null default now(),
  -- The signed bytes. In a text or JSON column, Postgres would refuse some characters that messages may contain.
  body bytea not null check (octet_length(body) <= 3145728),
  body_sha256 bytea not null check (octet_length(body_sha256) = 32),
  state text not null default 'stored' check (state in ('stored', 'done', 'unroutable', 'failed', 'dead')),
  -- Why the event failed or has no account, as an error message for operators.
  error text check (char_length(error) between 1 and 1000),
  attempts integer not null default 0 check (attempts >= 0),
  -- The numbers and business accounts for which there was no account when the event was applied.
  waits_for text[] not null default '{}',
  -- Notes for operators about an applied event, such as a message that was sent twice.
  notes text[] not null default '{}',
  -- When the job applies the event. Null means that the job does not apply the event. While a run of the job works on
  -- the event, this is the end of the run's lease.
  next_attempt_at timestamptz default now(),
  -- When the event was last applied, with any result.
  processed_at timestamptz,
  person_marks bigint[],
  -- A repeat of the same bytes is recognized by the hash. WhatsApp may also repeat the same content in differently
  -- grouped events.
  constraint channel_events_once unique (channel_app_id, body_sha256)
);
comment on table public.channel_events is
  'A WhatsApp event as received, with a valid signature. stored: the event must still be applied. done: the event was '
  'applied. unroutable: for an item of the event, the account, the person or the kind is unknown. failed: the event '
  'will be retried. dead: the last attempt failed.';
comment on column public.channel_events.waits_for is
  'The ids of phone numbers and business accounts for which no account exists. When an account gets one of these ids, '
  'the event is applied.';
comment on column public.channel_events.person_marks is
  'The hashes (app.marks_of()) of the people whom the event mentions. Null until the event is applied, or if the names '
  'cannot be read.';

create index channel_events_due_idx on public.channel_events (next_attempt_at) where next_attempt_at is not null;
create index channel_events_age_idx on public.channel_events (received_at);
create index channel_events_open_idx on public.channel_events (state, received_at) where state <> 'done';
create index channel_events_app_idx on public.channel_events (channel_app_id, received_at);
create index channel_events_waiting_idx on public.channel_events using gin (waits_for) where state = 'unroutable';
create index channel_events_people_idx on public.channel_events using gin (person_marks);
create index channel_events_unread_people_idx on public.channel_events (id) where person_marks is null;

create function public.store_channel_event(app_key text, body text) returns jsonb
language plpgsql security definer -- see channel_app()
set search_path = ''
as $$
#variable_conflict use_column
declare
  bytes constant bytea := decode(store_channel_event.body, 'base64');
  digest constant bytea := sha256(bytes);
  app_id uuid;
  event record;
  is_new boolean;
begin
  select apps.id into app_id from public.channel_apps as apps
  where apps.app_key = store_channel_event.app_key
  for key share;
  if not found then
    return null;
  end if;
  insert into public.channel_events (channel_app_id, body, body_sha256)
  values (app_id, bytes, digest)
  on conflict on constraint channel_events_once do nothing
  returning id, state into event;
  is_new := found;
  if not is_new then
    select id, state into event from public.channel_events where channel_app_id = app_id and body_sha256 = digest;
  end if;
  return jsonb_build_object(
    'result', case when is_new then 'stored' else 'repeated' end, 'event_id', event.id, 'state', event.state
  );
end
$$;
comment on function public.store_channel_event(text, text) is
  'Stores an app''s event without applying it. The body is base64-encoded. The result is `stored` or `repeated`, with '
  'the id and the state of the event. Returns null for an unknown app.';
grant execute on function public.store_channel_event(text, text) to channel_client;

create function public.channel_apps_status() returns jsonb
language sql stable security definer -- one snapshot of several tables
set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'app_key', apps.app_key,
    'name', apps.name,
    'rotation_began_at', apps.rotation_began_at,
    'created_at', apps.created_at,
    'accounts', (
      select count(*) from public.messaging_accounts as accounts where accounts.channel_app_id = apps.id
    ),
    'last_event_at', (
      select max(events.received_at) from public.channel_events as events where events.channel_app_id = apps.id
    ),
    'events', (
      select coalesce(jsonb_object_agg(counted.state, counted.events), '{}')
      from (
        select events.state, count(*) as events from public.channel_events as events
        where events.channel_app_id = apps.id
        group by events.state
      ) as counted
    )
  ) order by apps.created_at desc, apps.app_key), '[]')
  from public.channel_apps as apps
$$;
comment on function public.channel_apps_status() is
  'Returns all apps, newest first, each with the number of accounts that use it and the number of its events in each '
  'state.';
grant execute on function public.channel_apps_status() to service_role;

create function public.delete_channel_app(app_key text, forced boolean default false) returns jsonb
language plpgsql security definer -- it also deletes the events of the app and the list of its accounts
set search_path = ''
as $$
#variable_conflict use_column
declare
  app_id uuid;
  accounts integer;
  events integer;
begin
  -- This statement waits for transactions that add accounts or events of the app, and blocks later transactions of this
  -- kind.
  select apps.id into app_id from public.channel_apps as apps
  where apps.app_key = delete_channel_app.app_key
  for update;
  if not found then
    return null;
  end if;
  select count(*) into accounts from public.account_channel_apps where channel_app_id = app_id;
  select count(*) into events from public.channel_events where channel_app_id = app_id and state <> 'done';
  if not forced and (accounts > 0 or events > 0) then
    return jsonb_build_object('deleted', false, 'accounts', accounts, 'events', events);
  end if;
  -- Every transaction locks events in this order.
  perform from public.channel_events where channel_app_id = app_id order by id for update;
  delete from public.channel_apps where id = app_id;
  return jsonb_build_object('deleted', true, 'accounts', accounts, 'events', events);
end
$$;
comment on function public.delete_channel_app(text, boolean) is
  'Deletes an app with its events. Unless `forced` is true, does not delete an app that an account uses or used '
  'earlier, or an app with events that are not done. Returns whether the app was deleted, and the numbers of such '
  'accounts and events. Returns null for an unknown app.';
grant execute on function public.delete_channel_app(text, boolean) to service_role;

create function app.items_with_times(items jsonb, received_at timestamptz) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  if jsonb_typeof(items) is distinct from 'array'
    -- If this transaction stores the event, received_at is the current time, so the messages need no received_at.
    or received_at = now() and not jsonb_path_exists(items, '$[*] ? (@.at == null)')
  then
    return items;
  end if;
  return (
    select jsonb_agg(
      case when jsonb_typeof(item) = 'object' then
        item
        || case when item ->> 'at' is null then jsonb_build_object('at', received_at) else '{}' end
        || case when item ->> 'kind' = 'message' then jsonb_build_object('received_at', received_at) else '{}' end
      else item end
      order by place
    )
    from jsonb_array_elements(items) with ordinality as listed (item, place)
  );
end
$$;
comment on function app.items_with_times(jsonb, timestamptz) is
  'Returns the items of an event. An item without a time gets the time at which the event was received. A message also '
  'gets this time as received_at. So the times are the same when the event is applied again later.';

create function app.judge_stored_event(event_id uuid, app_id uuid, body bytea, inout items jsonb)
language plpgsql
set search_path = ''
as $$
declare
  event record;
  judged record;
begin
  select events.body, events.body_sha256, events.person_marks is null as is_unread into event
  from public.channel_events as events where events.id = event_id;
  select * into judged from app.judged_event(
    app_id,
    -- An erasure may have changed the bytes after the items were read from them.
    case when sha256(judge_stored_event.body) <> event.body_sha256 then
      app.names_in(app.text_of_event(judge_stored_event.body)) || app.names_in(items::text)
    end,
    judge_stored_event.body, items
  );
  items := judged.items;
  if event.is_unread or judged.body <> judge_stored_event.body then
    -- If an erasure has changed the stored bytes since the caller read them, the removed data is not restored.
    event.body := case when event.body = judge_stored_event.body then judged.body else event.body end;
    update public.channel_events as events set body = event.body, person_marks = app.marks_of_event(event.body)
    where events.id = event_id;
  end if;
end
$$;
comment on function app.judge_stored_event(uuid, uuid, bytea, jsonb) is
  'Removes erased people from a stored event and from its items. The caller has locked the event. An erasure may have '
  'changed the event since the caller read its body and items. Stores the hashes of the people whom the event '
  'mentions. Returns the remaining items.';

create function app.apply_event(
  event_id uuid, app_id uuid, company_ids uuid[], items jsonb, problem text, until timestamptz, is_repeated boolean
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  outcome jsonb;
  failed integer;
  delayed integer;
  unroutable integer;
  is_failure boolean;
  attempt integer;
  event record;
  event_received_at constant timestamptz := (
    select events.received_at from public.channel_events as events where events.id = event_id
  );
begin
  begin
    outcome := app.apply_items(app_id, company_ids, app.items_with_times(items, event_received_at), until);
  exception when others then
    -- After any error, the function stores the error with the event and schedules the next attempt.
    outcome := jsonb_build_object(
      'failed', 1, 'delayed', 0, 'unroutable', 0, 'error', format('%s %s', sqlstate, left(sqlerrm, 500)),
      'reasons', '[]'::jsonb, 'waits_for', '[]'::jsonb, 'surprises', '[]'::jsonb
    );
  end;
  begin
    perform app.note_last_event(app_id, items, event_received_at);
  exception when others then
    -- The event is still applied, and the next event records its own time.
    raise warning 'The last event of an account was not noted: % %', sqlstate, sqlerrm;
  end;
  failed := outcome -> 'failed';
  delayed := outcome -> 'delayed';
  unroutable := outcome -> 'unroutable';
  -- If items are left to the job for the first time, this is not a failure.
  is_failure := failed > 0 or is_repeated and delayed > 0;
  -- If the job makes this attempt, the job has already counted it.
  attempt := case when is_failure and not is_repeated then 1 else 0 end;
  update public.channel_events as events set
    attempts = events.attempts + attempt,
    state = case
      when is_failure and events.attempts + attempt >= 10 then 'dead'
      when failed > 0 then 'failed'
      when delayed > 0 then 'stored'
      when problem is not null then 'dead'
      when unroutable > 0 then 'unroutable'
      else 'done'
    end,
    next_attempt_at = case
      when is_failure then app.next_attempt(events.attempts + attempt)
      when not is_failure and delayed > 0 then now()
    end,
    error = left(case
      when failed > 0 then outcome ->> 'error'
      when delayed > 0 then
        format('%s of its items are not applied yet: their rows were locked, or time ran out', delayed)
      when problem is not null then problem
      when unroutable > 0 then (
        select string_agg(reason, '; ') from jsonb_array_elements_text(outcome -> 'reasons') as reasons (reason)
      )
    end, 1000),
    waits_for = array(select jsonb_array_elements_text(outcome -> 'waits_for')),
    notes = array(
      select unnest(events.notes)
      union
      select format(
        case sent ->> 'kind' when 'double_send' then 'Double send: send %s also went out as %s'
          else 'The ledger was wrong: send %s, which the channel seemed not to have accepted, went out as %s' end,
        coalesce(sent ->> 'send_id', 'unknown'), sent ->> 'whatsapp_message_id'
      )
      from jsonb_array_elements(outcome -> 'surprises') as surprises (sent)
      order by 1
    ),
    processed_at = now()
  where events.id = event_id
  returning events.state, events.attempts into event;
  return outcome - 'error' - 'reasons' - 'waits_for'
    || jsonb_build_object('event_id', event_id, 'state', event.state, 'attempts', event.attempts);
end
$$;
comment on function app.apply_event(uuid, uuid, uuid[], jsonb, text, timestamptz, boolean) is
  'Applies the items of an event, stores the result, and returns it: state, attempts, failed, delayed, unroutable, '
  'surprises. The argument company_ids comes from app.lock_companies_of_items(). The argument `problem` is the reason '
  'why the event, or a part of it, cannot be read. The argument is_repeated is true for an attempt by the job.';

create function public.receive_channel_event(app_key text, body text, items jsonb, problem text default null)
returns jsonb
-- Security definer, because the role for the edge function whatsapp cannot read any table.
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  bytes constant bytea := decode(receive_channel_event.body, 'base64');
  digest constant bytea := sha256(bytes);
  own_items jsonb := receive_channel_event.items;
  names text[];
  judged record;
  app_id uuid;
  company_ids uuid[];
  event record;
  is_new boolean := false;
begin
  select apps.id into app_id from public.channel_apps as apps
  where apps.app_key = receive_channel_event.app_key
  for key share;
  if not found then
    return null;
  end if;
  if not exists (select from public.channel_events where channel_app_id = app_id and body_sha256 = digest) then
    -- An erasure acquires the same locks, so no person can be erased before this transaction ends.
    company_ids := app.lock_companies_of_items(app_id, own_items);
    begin
      names := app.names_in(app.text_of_event(bytes));
    exception when others then
      -- The event is stored even if its names cannot be read.
      null;
    end;
    select * into judged from app.judged_event(app_id, names, bytes, own_items);
    insert into public.channel_events (channel_app_id, body, body_sha256, next_attempt_at, person_marks)
    values (
      app_id, judged.body, digest, null,
      case when judged.body = bytes then app.marks_of(names) else app.marks_of_event(judged.body) end
    )
    on conflict on constraint channel_events_once do nothing
    returning id, state into event;
    is_new := found;
    own_items := judged.items;
  end if;
  if not is_new then
    -- If another request is applying the event, this request skips it.
    select id, state into event from public.channel_events
    where channel_app_id = app_id and body_sha256 = digest
    for update skip locked;
    if event.id is null or event.state = 'done' then
      return jsonb_build_object('result', 'repeated', 'state', event.state);
    end if;
    company_ids := app.lock_companies_of_items(app_id, own_items);
    own_items := app.judge_stored_event(event.id, app_id, bytes, own_items);
  end if;
  return jsonb_build_object('result', case when is_new then 'stored' else 'repeated' end)
    || app.apply_event(
      event.id, app_id, company_ids, own_items, receive_channel_event.problem,
      clock_timestamp() + interval '3 seconds', false
    );
end
$$;
comment on function public.receive_channel_event(text, text, jsonb, text) is
  'Stores an app''s event of normal size, and applies its items for up to three seconds. The body is base64-encoded. '
  'The job applies the remaining items. The result is `stored` or `repeated`, with the result of app.apply_event(). '
  'Returns null for an unknown app. A repeat of an event that is done is not applied again.';
grant execute on function public.receive_channel_event(text, text, jsonb, text) to channel_client;

alter table public.channel_events enable row level security;
create policy "the platform reads events of the channel" on public.channel_events
  for select to service_role using (true);

grant select on public.channel_events to service_role;

-- schemas/81_items.sql

-- The items of an event, such as messages and statuses. The functions find the account for each item and store the
-- item's facts. A failed item does not stop the other items. Two events that are applied at the same time cannot cause
-- a deadlock. Applying an item again changes nothing.

create function app.apply_item(app_id uuid, item jsonb) returns text
language plpgsql
set search_path = ''
as $$
declare
  kind constant text := item ->> 'kind';
  number_id constant text := item ->> 'phone_number_id';
  account_ids uuid[];
  account_id uuid;
begin
  if kind = 'unknown' then
    return 'unknown';
  elsif kind in ('template', 'account') then
    account_ids := app.accounts_of_app(app_id, null, item ->> 'waba');
  else
    account_ids := app.accounts_of_app(app_id, number_id, null);
  end if;
  if account_ids = '{}' then
    return 'no_account';
  end if;

  case kind
    when 'status' then return app.apply_status(account_ids, item);
    when 'template' then return app.apply_template_hint(account_ids, item);
    when 'account' then return app.apply_account_event(account_ids, item);
    else null;
  end case;

  account_id := app.account_at(
    account_ids, number_id, least(coalesce((item ->> 'at')::timestamptz, now()), now())
  );
  if account_id is null then
    return 'no_account';
  end if;
  case kind
    when 'message' then return app.apply_message(account_id, item);
    when 'reaction' then return app.apply_reaction(account_id, item);
    when 'edit' then return app.apply_edit(account_id, item);
    when 'revoke' then return app.apply_revoke(account_id, item);
    when 'system', 'identity' then return app.apply_identity_change(account_id, item);
    when 'preference' then return app.apply_preference(account_id, item);
    when 'trouble' then return app.apply_trouble(account_id, item);
    else raise exception 'There is no such kind of item';
  end case;
end
$$;
comment on function app.apply_item(uuid, jsonb) is
  'Applies one item from an app''s signed event to the accounts of the item. Returns `done`, `waiting`, `ignored`, '
  '`unroutable`, `double_send` or `released_but_sent`. Returns `no_account` when the item does not belong to an '
  'account of the app, and `unknown` for an unknown kind of item.';

create function app.apply_each_item(app_id uuid, items jsonb, until timestamptz, alone boolean) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  entry record;
  result text;
  failed integer := 0;
  delayed integer := 0;
  unroutable integer := 0;
  error text;
  reasons text[] := '{}';
  waits_for text[] := '{}';
  surprises jsonb[] := '{}';
begin
  for entry in
    select listed.item, listed.place
    from jsonb_array_elements(items) with ordinality as listed (item, place)
    -- Because of this order, two events with the same messages lock these messages in the same order.
    order by listed.item ->> 'kind' is distinct from 'status',
      case when listed.item ->> 'kind' = 'status' then listed.item ->> 'id' end, listed.place
  loop
    if clock_timestamp() >= until then
      delayed := delayed + 1;
      continue;
    end if;
    if not alone then
      result := app.apply_item(app_id, entry.item);
    else
      begin
        result := app.apply_item(app_id, entry.item);
      exception
        when lock_not_available or deadlock_detected or serialization_failure then
          result := 'delayed';
        when others then
          result := 'failed';
          error := coalesce(error, format(
            'Item %s (%s): %s %s', entry.place, left(entry.item ->> 'kind', 20), sqlstate, left(sqlerrm, 500)
          ));
      end;
    end if;
    case
      when result = 'failed' then failed := failed + 1;
      when result = 'delayed' then delayed := delayed + 1;
      when result in ('unroutable', 'no_account', 'unknown') then
        unroutable := unroutable + 1;
        if result = 'no_account' then
          waits_for := waits_for || app.account_id_in(entry.item);
        end if;
        reasons := reasons || case result
          when 'unknown' then format('The field "%s" is not known', entry.item ->> 'field')
          when 'unroutable' then format('An item (%s) names no known person', entry.item ->> 'kind')
          else format(
            'No account that names this app has the %s %s',
            case when entry.item ->> 'kind' in ('template', 'account') then 'business account' else 'number' end,
            coalesce(app.account_id_in(entry.item), '(the event does not name it)')
          )
        end;
      -- The message was sent twice, or it was sent although according to the ledger WhatsApp had not accepted it.
      when result in ('double_send', 'released_but_sent') then
        surprises := surprises || jsonb_build_object(
          'kind', result, 'send_id', entry.item #> '{mark,send_id}', 'whatsapp_message_id', entry.item -> 'id'
        );
      else null;
    end case;
  end loop;
  return jsonb_build_object(
    'failed', failed,
    'delayed', delayed,
    'unroutable', unroutable,
    'error', error,
    'reasons', (select to_jsonb(array(select distinct unnest(reasons) order by 1 limit 5))),
    'waits_for', (select to_jsonb(array(
      select distinct id from unnest(waits_for) as id where id is not null order by 1
    ))),
    'surprises', to_jsonb(surprises)
  );
end
$$;
comment on function app.apply_each_item(uuid, jsonb, timestamptz, boolean) is
  'Applies items until a given time, statuses first. If `alone` is true, an error undoes only its own item. Otherwise '
  'an error undoes all items. Returns how many items failed, were delayed (locked, or not reached in time) or could '
  'not be assigned (unroutable), and the reasons.';

create function app.lock_companies_of_items(app_id uuid, items jsonb) returns uuid[]
language plpgsql
set search_path = ''
as $$
declare
  company_ids uuid[];
  company_id uuid;
begin
  if jsonb_typeof(items) is distinct from 'array' or items = '[]' then
    return '{}';
  end if;
  company_ids := array(
    select distinct accounts.company_id
    from (
      select distinct listed.item ->> 'phone_number_id' as number_id, listed.item ->> 'waba' as business_id
      from jsonb_array_elements(items) as listed (item)
    ) as named
    cross join lateral unnest(app.accounts_of_app(app_id, named.number_id, named.business_id)) as found (id)
    join public.messaging_accounts as accounts on accounts.id = found.id
    order by 1
  );
  perform set_config('lock_timeout', '2s', true);
  foreach company_id in array company_ids loop
    perform pg_advisory_xact_lock(hashtextextended('events of ' || company_id, 0));
  end loop;
  return company_ids;
exception when lock_not_available or deadlock_detected then
  return null;
end
$$;
comment on function app.lock_companies_of_items(uuid, jsonb) is
  'Locks the companies of these items, so that no other transaction applies their events or erases their people. '
  'Returns the companies, or null if the wait for a lock takes longer than two seconds. Events of one company are '
  'applied one after the other, because a new person often sends two messages in a row.';

create function app.apply_items(app_id uuid, company_ids uuid[], items jsonb, until timestamptz) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  if jsonb_typeof(items) is distinct from 'array' then
    raise exception 'Items are a list';
  elsif items = '[]' then
    return app.apply_each_item(app_id, items, until, false);
  elsif company_ids is null then
    -- The wait for the locks on the companies took too long, so no time is left for the items.
    return app.apply_each_item(app_id, items, '-infinity', false);
  end if;
  perform set_config('lock_timeout', '1s', true);
  begin
    perform app.fill_business_accounts(app_id, items);
  exception when others then
    -- The next event tries this write again.
    null;
  end;
  begin
    perform app.lock_rows_of_items(company_ids, items);
    return app.apply_each_item(app_id, items, until, false);
  exception when others then
    -- The error has undone all items, so they are now applied one by one.
    null;
  end;
  return app.apply_each_item(app_id, items, until, true);
end
$$;
comment on function app.apply_items(uuid, uuid[], jsonb, timestamptz) is
  'Applies the items of an app''s signed event until a given time. Returns the result of apply_each_item(). The '
  'argument company_ids comes from app.lock_companies_of_items(). Only failed items are undone, and the other items '
  'are still applied.';

create function app.lock_rows_of_items(company_ids uuid[], items jsonb) returns void
language plpgsql
set search_path = ''
as $$
declare
  whatsapp_ids constant text[] := array(
    select distinct named.id
    from jsonb_array_elements(items) as listed (item)
    cross join lateral (
      values (case when listed.item ->> 'kind' = 'status' then listed.item ->> 'id' else listed.item ->> 'target' end)
    ) as named (id)
    where named.id is not null
  );
  send_ids uuid[] := array(
    select distinct (listed.item #>> '{mark,send_id}')::uuid
    from jsonb_array_elements(items) as listed (item)
    where listed.item #>> '{mark,send_id}' ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
  );
  message_ids uuid[] := array(
    select messages.id from public.messages
    where messages.company_id = any (company_ids) and messages.whatsapp_message_id = any (whatsapp_ids)
  );
begin
  -- The sends are locked first, then their messages. Settling a send acquires the locks in the same order.
  with locked as (
    select sends.id, sends.message_id from public.sends
    where sends.company_id = any (company_ids) and sends.id = any (send_ids || array(
      select named.id from public.sends as named
      where named.company_id = any (company_ids) and named.message_id = any (message_ids)
    ))
    order by sends.id
    for update
  )
  select message_ids || array_agg(locked.message_id) into message_ids from locked;
  perform from public.messages
  where messages.company_id = any (company_ids) and messages.id = any (message_ids)
  order by messages.id
  for update;
end
$$;
comment on function app.lock_rows_of_items(uuid[], jsonb) is
  'Locks the sends and messages to which items refer. They are locked in the order of their ids, so that two '
  'transactions cannot cause a deadlock.';

create function app.fill_business_accounts(app_id uuid, items jsonb) returns void
language plpgsql
set search_path = ''
as $$
begin
  update public.messaging_accounts as accounts set business_account_id = named.business_id
  from (
    select distinct on (number_id) listed.item ->> 'phone_number_id' as number_id, listed.item ->> 'waba' as business_id
    from jsonb_array_elements(items) as listed (item)
    where listed.item ->> 'phone_number_id' ~ '^[0-9]{1,32}$' and listed.item ->> 'waba' ~ '^[0-9]{1,32}$'
    order by number_id
  ) as named
  where accounts.phone_number_id = named.number_id and accounts.business_account_id is null
    and accounts.disconnected_at is null
    and accounts.id = any (app.accounts_of_app(app_id, named.number_id, null));
end
$$;
comment on function app.fill_business_accounts(uuid, jsonb) is
  'Stores the business account of each connected number whose business account is unknown. Template events contain the '
  'business account, but no number.';

-- schemas/82_event_retries.sql

-- Events that were not applied immediately. The job retries these events. When an account is connected, the events that
-- waited for it become due. The operator can replay other events. An event for a number that is not connected waits
-- until someone connects the number.

create function app.next_attempt(attempts integer) returns timestamptz
language sql stable
set search_path = ''
as $$
  -- Ten attempts take most of a day.
  select case when attempts < 10 then now() + interval '1 minute' * 2 ^ attempts end
$$;
comment on function app.next_attempt(integer) is
  'Returns the time of the next attempt after this number of failed attempts. Returns null after the last attempt.';

create function public.due_channel_events(max_rows integer default 20) returns table (event_id uuid, body text)
language sql security definer -- see receive_channel_event()
set search_path = ''
as $$
  with due as (
    select events.id, events.attempts, octet_length(events.body) as bytes from public.channel_events as events
    where events.next_attempt_at <= now()
    order by events.next_attempt_at
    limit least(max_rows, 100)
    for update skip locked
  ),
  -- Ten attempts to apply these events were started, but the edge function always ended before it reported a result.
  given_up as (
    update public.channel_events as events set
      state = 'dead', next_attempt_at = null, processed_at = now(), error = 'The event was started ten times and never finished'
    from due where events.id = due.id and due.attempts >= 10
  ),
  fitting as (
    -- The edge function has all these bodies in memory at the same time, so their total size is limited.
    select measured.id
    from (
      select due.id, sum(due.bytes) over (order by due.bytes, due.id) - due.bytes as before from due
      where due.attempts < 10
    ) as measured
    where measured.before < 4 * 1024 * 1024
  )
  update public.channel_events as events set
    next_attempt_at = now() + interval '3 minutes', attempts = events.attempts + 1
  from fitting where events.id = fitting.id
  returning events.id, translate(encode(events.body, 'base64'), E'\n', '')
$$;
comment on function public.due_channel_events(integer) is
  'Starts an attempt to apply due events, and returns their bodies in base64. Returns at most max_rows events, whose '
  'bodies have a total size of at most about 4 MiB. For three minutes, no other run gets these events.';
grant execute on function public.due_channel_events(integer) to channel_client, service_role;

create function public.fail_channel_event(event_id uuid, failure text) returns void
language sql security definer -- see receive_channel_event()
set search_path = ''
as $$
  update public.channel_events as events set
    state = case when events.attempts >= 10 then 'dead' else 'failed' end,
    next_attempt_at = app.next_attempt(events.attempts),
    error = left(failure, 1000),
    processed_at = now()
  where events.id = fail_channel_event.event_id and events.state <> 'done'
$$;
comment on function public.fail_channel_event(uuid, text) is
  'Records why a whole attempt to apply an event failed. The attempt started with due_channel_events().';
grant execute on function public.fail_channel_event(uuid, text) to channel_client, service_role;

create function public.apply_channel_event(event_id uuid, items jsonb, problem text default null)
returns jsonb
language plpgsql security definer -- see receive_channel_event()
set search_path = ''
as $$
declare
  own_items jsonb := apply_channel_event.items;
  app_id uuid;
  company_ids uuid[];
  began_at constant timestamptz := clock_timestamp();
  event record;
  -- The maximum duration. It is well below the statement timeout, because a cancelled statement would undo the applied
  -- items.
  most constant interval := least(
    interval '12 seconds', 0.6 * nullif(current_setting('statement_timeout')::interval, interval '0')
  );
begin
  select events.channel_app_id into app_id from public.channel_events as events
  where events.id = apply_channel_event.event_id;
  -- The companies are locked before the event, because an erasure acquires its locks in this order.
  company_ids := app.lock_companies_of_items(app_id, own_items);
  select events.id, events.state, events.attempts, events.body into event
  from public.channel_events as events
  where events.id = apply_channel_event.event_id
  for update;
  if not found then
    return null;
  elsif event.state = 'done' then
    return jsonb_build_object('event_id', event.id, 'state', 'done');
  end if;
  own_items := app.judge_stored_event(event.id, app_id, event.body, own_items);
  return app.apply_event(
    event.id, app_id, company_ids, own_items, apply_channel_event.problem,
    -- At the first attempt, the request that stored the event is still waiting for a response.
    began_at + case when event.attempts > 0 then most else least(most, interval '3 seconds') end,
    event.attempts > 0
  );
end
$$;
comment on function public.apply_channel_event(uuid, jsonb, text) is
  'Applies the items of a stored event that is not done, and returns the result. Returns null when the event no longer '
  'exists. If the job has not started an attempt, the function runs for at most three seconds.';
grant execute on function public.apply_channel_event(uuid, jsonb, text) to channel_client, service_role;

create function app.wake_events(of_account_id uuid, processed_before timestamptz default 'infinity') returns integer
language plpgsql security definer -- the role that connects an account may not write events
set search_path = ''
-- Postgres uses the index of waits_for only with a bitmap scan.
set enable_bitmapscan = on
as $$
declare
  woken integer;
begin
  with waiting as (
    select events.id
    from public.messaging_accounts as accounts
    join public.account_channel_apps as named on named.company_id = accounts.company_id
      and named.account_id = accounts.id
    join public.channel_events as events on events.channel_app_id = named.channel_app_id
    where accounts.id = of_account_id and events.state = 'unroutable' and events.next_attempt_at is null
      and events.waits_for && array[accounts.phone_number_id, accounts.business_account_id]
      and events.processed_at < processed_before
    -- This query skips events that are being applied, because connecting the account would have to wait for them. The
    -- function wake_late_events() makes such events due later.
    for update of events skip locked
  )
  update public.channel_events as events set next_attempt_at = now()
  from waiting where events.id = waiting.id;
  get diagnostics woken = row_count;
  return woken;
end
$$;
comment on function app.wake_events(uuid, timestamptz) is
  'Makes events due that wait for an account''s number or business account, and returns their number.';

create function app.wake_events_of_account() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform app.wake_events(new.id);
  return null;
end
$$;
comment on function app.wake_events_of_account() is
  'Trigger: makes the events due that wait for the ids of an account.';

create function app.wake_events_of_app() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform app.wake_events(new.account_id);
  return null;
end
$$;
comment on function app.wake_events_of_app() is
  'Trigger: when an account gets an app, makes the events due that wait for the account.';

create function app.wake_late_events() returns integer
language sql
set search_path = ''
as $$
  select coalesce(sum(app.wake_events(changed.id, changed.at + interval '1 minute')), 0)::integer
  from (
    select accounts.id, greatest(accounts.updated_at, max(named.named_at)) as at
    from public.messaging_accounts as accounts
    join public.account_channel_apps as named on named.company_id = accounts.company_id
      and named.account_id = accounts.id
    group by accounts.id
    having greatest(accounts.updated_at, max(named.named_at)) > now() - interval '10 minutes'
  ) as changed
$$;
comment on function app.wake_late_events() is
  'Makes events due, as wake_events() does, if they were being applied at the moment when their account was connected. '
  'The transactions that applied them could not see the account.';

create function public.replay_channel_events(
  states text[] default null,
  since timestamptz default null,
  app_key text default null,
  event_id uuid default null,
  began_at timestamptz default null
) returns jsonb
language plpgsql security definer -- no role may write the table
set search_path = ''
as $$
#variable_conflict use_column
declare
  beginning constant timestamptz := coalesce(replay_channel_events.began_at, now());
  marked integer;
begin
  with chosen as (
    select events.id from public.channel_events as events
    where case
        when replay_channel_events.event_id is not null then events.id = replay_channel_events.event_id
        when replay_channel_events.states is null then events.state <> 'done'
        else events.state = any (replay_channel_events.states)
      end
      and (since is null or events.received_at >= since)
      and (replay_channel_events.app_key is null or events.channel_app_id = (
        select apps.id from public.channel_apps as apps where apps.app_key = replay_channel_events.app_key
      ))
      -- These conditions exclude events that are already due, and events that were applied after the first call of this
      -- replay.
      and (events.next_attempt_at is null or events.next_attempt_at > now())
      and (events.processed_at is null or events.processed_at < beginning)
    order by events.received_at
    limit 5000
    for update skip locked
  )
  update public.channel_events as events set
    state = 'stored', attempts = 0, error = null, waits_for = '{}', next_attempt_at = now()
  from chosen where events.id = chosen.id;
  get diagnostics marked = row_count;
  return jsonb_build_object('marked', marked, 'began_at', beginning);
end
$$;
comment on function public.replay_channel_events(text[], timestamptz, text, uuid, timestamptz) is
  'Makes events due again: one event, or all events from an app in these states since a given time. By default, the '
  'states are all states except `done`. One call makes at most 5,000 events due. For the remaining events, call the '
  'function again with the began_at of the first result, until `marked` is 0.';
grant execute on function public.replay_channel_events(text[], timestamptz, text, uuid, timestamptz) to service_role;

create function app.remove_old_events(max_rows integer) returns integer
language sql
set search_path = ''
as $$
  with old as (
    select id from public.channel_events
    where received_at < now() - interval '30 days'
    order by received_at
    limit max_rows
    for update skip locked
  ),
  removed as (
    delete from public.channel_events using old where channel_events.id = old.id
    returning channel_events.id
  )
  select count(*)::integer from removed
$$;
comment on function app.remove_old_events(integer) is
  'Deletes at most max_rows events that are older than 30 days, and returns their number. Messages remain in their '
  'conversations.';

create trigger messaging_accounts_wake_events
  after update of phone_number_id, business_account_id, disconnected_at on public.messaging_accounts
  for each row when (
    old.phone_number_id <> new.phone_number_id or old.business_account_id is distinct from new.business_account_id
    or (old.disconnected_at is null) <> (new.disconnected_at is null)
  )
  execute function app.wake_events_of_account();
create trigger account_channel_apps_wake_events after insert on public.account_channel_apps
  for each row execute function app.wake_events_of_app();

-- schemas/83_waiting_facts.sql

-- Reports about messages that are not known yet, such as a report that arrives before WhatsApp's response to the send.
-- These reports wait until a message gets the id in the report.

create table public.waiting_facts (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  account_id uuid not null,
  whatsapp_message_id text not null check (char_length(whatsapp_message_id) between 1 and 255),
  item jsonb not null,
  received_at timestamptz not null default now(),
  person_marks bigint[],
  constraint waiting_facts_account_fkey foreign key (company_id, account_id)
    references public.messaging_accounts (company_id, id) on delete cascade
);
comment on table public.waiting_facts is
  'Reports about unknown messages. A report is applied as soon as a message gets the id in the report. Reports are kept for 30 days.';
comment on column public.waiting_facts.person_marks is
  'The hashes (app.marks_of()) of the people whom the fact mentions. Null when the names could not be read.';

-- This statistic makes the planner assume that all rows belong to one company. 30_contacts.sql explains why.
alter table public.waiting_facts alter column company_id set (n_distinct = 1);

create unique index waiting_facts_once_idx
  on public.waiting_facts (company_id, whatsapp_message_id, account_id, md5(item::text));
create index waiting_facts_account_idx on public.waiting_facts (company_id, account_id);
create index waiting_facts_age_idx on public.waiting_facts (received_at);
create index waiting_facts_people_idx on public.waiting_facts using gin (person_marks);
create index waiting_facts_unread_people_idx on public.waiting_facts (company_id) where person_marks is null;

create function app.keep_waiting(account_id uuid, wamid text, item jsonb) returns text
language plpgsql
set search_path = ''
as $$
begin
  insert into public.waiting_facts (company_id, account_id, whatsapp_message_id, item)
  select accounts.company_id, accounts.id, keep_waiting.wamid, keep_waiting.item
  from public.messaging_accounts as accounts where accounts.id = keep_waiting.account_id
  on conflict do nothing;
  return 'waiting';
end
$$;
comment on function app.keep_waiting(uuid, text, jsonb) is
  'Stores a WhatsApp report about an unknown message of an account. Returns `waiting`.';

create function app.apply_waiting_fact(fact_id uuid, account_id uuid, item jsonb) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  result text;
begin
  case item ->> 'kind'
    when 'status' then
      result := app.apply_status(array[account_id], item);
    when 'reaction' then
      result := app.apply_reaction(account_id, item);
    when 'edit' then
      result := app.apply_edit(account_id, item);
    when 'revoke' then
      result := app.apply_revoke(account_id, item);
    else
      result := 'ignored';
  end case;
  if result = 'waiting' then
    return false;
  end if;
  delete from public.waiting_facts where id = fact_id;
  return true;
exception when others then
  -- An error in a fact must not undo a settled send or a received message. Such a fact remains in the table.
  raise warning 'A waiting fact (%) is not applied: % (%)', fact_id, sqlerrm, sqlstate;
  return false;
end
$$;
comment on function app.apply_waiting_fact(uuid, uuid, jsonb) is
  'Applies a waiting fact. Returns false if the fact must still wait.';

create function app.apply_facts_of_message() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  fact record;
begin
  for fact in
    select id, account_id, item from public.waiting_facts
    where company_id = new.company_id and whatsapp_message_id = new.whatsapp_message_id
    -- Failures are applied first, because they lock the contact, and the contact must be locked before the
    -- conversation.
    order by (item ->> 'status' = 'failed') is true desc, received_at, id
  loop
    perform app.apply_waiting_fact(fact.id, fact.account_id, fact.item);
  end loop;
  update public.messages set reply_to_id = new.id where company_id = new.company_id and id = any (array(
    select replies.id from public.messages as replies
    where replies.company_id = new.company_id and replies.reply_to_whatsapp_id = new.whatsapp_message_id
      and replies.reply_to_id is null and replies.id <> new.id
    -- If another transaction has locked a reply, the trigger skips it, and the job links it later.
    for no key update skip locked
  ));
  return null;
end
$$;
comment on function app.apply_facts_of_message() is
  'Trigger: when a message gets its WhatsApp id, applies the earlier reports about this message, and links the replies '
  'to this message.';

create function app.apply_waiting_facts(max_rows integer) returns integer
language plpgsql
set search_path = ''
as $$
declare
  fact record;
  applied integer := 0;
  linked integer;
begin
  -- One transaction may store a fact while another transaction stores the id of its message. If neither transaction
  -- sees the other one's row, neither applies the fact, so this function applies the fact. All sends are locked before
  -- any fact is applied, because every transaction locks sends first.
  for fact in
    with matched as (
      select facts.id, facts.account_id, facts.item, messages.company_id, messages.id as message_id
      from public.waiting_facts as facts
      join public.messages on messages.company_id = facts.company_id
        and messages.whatsapp_message_id = facts.whatsapp_message_id
      where facts.received_at > now() - interval '1 day'
        -- An inbound message has no status. The job would retry a status report for such a message without success
        -- until the report is deleted.
        and (facts.item ->> 'kind' <> 'status' or messages.direction = 'outbound')
      -- The order is random, so that facts that cannot be applied do not block the others.
      order by random()
      limit greatest(max_rows, 0)
    ), locked as materialized (
      select sends.message_id from public.sends
      where (sends.company_id, sends.message_id) in (select company_id, message_id from matched)
      order by sends.id
      for no key update skip locked
    )
    select matched.id, matched.account_id, matched.item
    from matched
    where matched.message_id in (select message_id from locked)
      or not exists (
        select from public.sends
        where sends.company_id = matched.company_id and sends.message_id = matched.message_id
      )
    order by (matched.item ->> 'status' = 'failed') is true desc, matched.id
  loop
    applied := applied + app.apply_waiting_fact(fact.id, fact.account_id, fact.item)::integer;
  end loop;

  update public.messages as replies set reply_to_id = found.target_id
  from (
    select late.id, targets.id as target_id
    from public.messages as late
    join public.messages as targets on targets.company_id = late.company_id
      and targets.whatsapp_message_id = late.reply_to_whatsapp_id
    where late.reply_to_whatsapp_id is not null and late.reply_to_id is null
      and late.created_at > now() - interval '1 day'
    limit greatest(max_rows, 0)
    for no key update of late skip locked
  ) as found
  where replies.id = found.id;
  get diagnostics linked = row_count;
  return applied + linked;
end
$$;
comment on function app.apply_waiting_facts(integer) is
  'Applies the waiting facts of the last day if their messages are known now, and links replies whose original message '
  'is known now. Handles at most max_rows facts and max_rows replies. Returns the number of applied facts and linked '
  'replies. A scheduled job calls this function.';

create function app.remove_old_waiting_facts(max_rows integer) returns integer
language sql
set search_path = ''
as $$
  with old as (
    select id from public.waiting_facts
    where received_at < now() - interval '30 days'
    order by received_at
    limit max_rows
    for update skip locked
  ),
  removed as (
    delete from public.waiting_facts using old where waiting_facts.id = old.id
    returning waiting_facts.id
  )
  select count(*)::integer from removed
$$;
comment on function app.remove_old_waiting_facts(integer) is
  'Deletes at most max_rows reports about unknown messages that are older than 30 days, and returns their number.';

create trigger messages_apply_facts after insert on public.messages
  for each row when (new.whatsapp_message_id is not null) execute function app.apply_facts_of_message();
create trigger messages_apply_facts_of_new_id after update of whatsapp_message_id on public.messages
  for each row when (
    new.whatsapp_message_id is not null and old.whatsapp_message_id is distinct from new.whatsapp_message_id
    and not new.is_erased
  )
  execute function app.apply_facts_of_message();

alter table public.waiting_facts enable row level security;
create policy "the platform reads waiting facts" on public.waiting_facts for select to service_role using (true);

grant select on public.waiting_facts to service_role;

-- schemas/84_statuses.sql

-- Status reports from WhatsApp about an outbound message: sent, delivered, read or failed. Reports may arrive late,
-- twice and in any order. Each kind of report has its own message column, so the order of the reports does not matter.

create function app.send_of_mark(candidates uuid[], mark jsonb) returns uuid
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select sends.id
    from public.sends
    join public.messages on messages.company_id = sends.company_id and messages.id = sends.message_id
    join public.conversations on conversations.company_id = messages.company_id
      and conversations.id = messages.conversation_id
    where sends.id = case
        when pg_catalog.pg_input_is_valid(mark ->> 'send_id', 'uuid') then (mark ->> 'send_id')::uuid
      end
      and conversations.messaging_account_id = any (candidates)
  );
end
$$;
comment on function app.send_of_mark(uuid[], jsonb) is
  'Returns the send that the label in a report identifies, if the send belongs to one of these accounts. The label is '
  'not a secret, so a caller who sees it must not be able to change the send of another account.';

create function app.take_report(of_send_id uuid, mark_attempt text, wamid text, word text, reason text, code integer)
returns text
language plpgsql
set search_path = ''
as $$
declare
  send record;
begin
  select id, state, attempt, sends.reason, whatsapp_message_id into send
  from public.sends where id = of_send_id
  for no key update;
  if not found then
    return 'waiting';
  elsif send.whatsapp_message_id = wamid then
    -- The message may have failed on another device, or before this report arrived. WhatsApp still accepted the
    -- message.
    if send.state = 'failed' and word <> 'failed' then
      update public.sends set state = 'sent', reason = null, channel_code = null where id = send.id;
    end if;
    return 'done';
  elsif mark_attempt !~ '^[1-9][0-9]{0,8}$' or mark_attempt::integer > send.attempt then
    return 'waiting';
  elsif mark_attempt::integer < send.attempt then
    -- The attempt in this report was released, and a later attempt followed. The report no longer settles the send.
    return 'released_but_sent';
  elsif send.whatsapp_message_id is not null then
    perform app.note_double_send(send.id, wamid);
    return 'double_send';
  end if;

  -- WhatsApp assigns an id to each message that it accepts, even if it cannot deliver the message.
  update public.sends set
    state = case word when 'failed' then 'failed' else 'sent' end,
    whatsapp_message_id = wamid,
    reason = case word when 'failed' then take_report.reason end,
    channel_code = case word when 'failed' then code end
  where id = send.id;
  return case
    when send.state = 'released' or (send.state = 'failed' and send.reason <> 'outcome_unknown' and word <> 'failed')
      then 'released_but_sent'
    else 'done'
  end;
end
$$;
comment on function app.take_report(uuid, text, text, text, text, integer) is
  'Applies a report to its send. The report proves that WhatsApp accepted the send with this id. The argument '
  'mark_attempt is the attempt in the report''s label, or empty. Normally returns `done`. Returns `released_but_sent` '
  'if, according to the ledger, WhatsApp had not accepted the send. Returns `double_send` when the attempt has another '
  'id, and `waiting` when the send or the attempt does not exist.';

create function app.apply_status(candidates uuid[], item jsonb) returns text
language plpgsql
set search_path = ''
as $$
declare
  word constant text := item ->> 'status';
  wamid constant text := item ->> 'id';
  -- A time in the future is replaced with the current time. The function least() ignores null values.
  reported_at constant timestamptz := least((item ->> 'at')::timestamptz, now());
  code constant integer := case
    when item #>> '{failure,code}' ~ '^[0-9]{1,9}$' then (item #>> '{failure,code}')::integer
  end;
  failure_told jsonb := case word when 'failed' then jsonb_build_object(
    'reason', coalesce(nullif(left(item #>> '{failure,reason}', 64), ''), 'channel_error'),
    'code', code,
    'message', left(item #>> '{failure,message}', 1000),
    'details', left(item #>> '{failure,details}', 1000)
  ) end;
  companies uuid[];
  marked_send_id uuid;
  found_message record;
  own_send_id uuid;
  result text := 'done';
  was record;
  becomes record;
begin
  if word is null or word not in ('sent', 'delivered', 'read', 'failed')
    or wamid is null or char_length(wamid) not between 1 and 255
  then
    return 'ignored';
  end if;
  companies := array(
    select distinct accounts.company_id from public.messaging_accounts as accounts where accounts.id = any (candidates)
  );
  if companies = '{}' then
    return 'unroutable';
  end if;

  -- The function first searches for the message by its id, among outbound messages only. Several companies that had the
  -- number may have a message with the same id. The label identifies the right message. Without a label, the newest
  -- message is used.
  marked_send_id := case when cardinality(companies) > 1 then app.send_of_mark(candidates, item -> 'mark') end;
  select messages.company_id, messages.id, sends.id as send_id into found_message
  from public.messages
  left join public.sends on sends.company_id = messages.company_id and sends.message_id = messages.id
  where messages.company_id = any (companies) and messages.whatsapp_message_id = wamid
    and messages.direction = 'outbound'
  order by (sends.id = marked_send_id) is true desc, messages.created_at desc, messages.id
  limit 1;
  -- If no message has the id, the function searches for the send by the label.
  own_send_id := coalesce(found_message.send_id, marked_send_id, app.send_of_mark(candidates, item -> 'mark'));
  -- These codes mean that WhatsApp cannot use the file. The column `media` is set only if the caller chose the file.
  -- Otherwise the file is the template's sample.
  if word = 'failed' and code in (131052, 131053) and exists (
    select from public.messages
    where messages.company_id = any (companies) and messages.direction = 'outbound' and messages.media is not null
      and messages.id = coalesce(found_message.id, (select message_id from public.sends where id = own_send_id))
  ) then
    failure_told := failure_told || '{ "reason": "media_rejected" }';
  end if;
  if own_send_id is not null then
    result := app.take_report(
      own_send_id, coalesce(item #>> '{mark,attempt}', ''), wamid, word, failure_told ->> 'reason', code
    );
    if found_message.id is null and result in ('done', 'released_but_sent') then
      select sends.company_id, sends.message_id as id, sends.id as send_id into found_message
      from public.sends where sends.id = own_send_id and sends.whatsapp_message_id = wamid;
    end if;
  end if;
  if found_message.id is null and own_send_id is null and app.take_report_of_reaction(companies, wamid, word) then
    return 'done';
  end if;
  if found_message.id is null then
    -- The report is kept for each company that had the number, because any of these companies may get the message
    -- later.
    perform app.keep_waiting(accounts.id, wamid, item)
    from (
      select distinct on (accounts.company_id) accounts.id from public.messaging_accounts as accounts
      where accounts.id = any (candidates)
      order by accounts.company_id, accounts.id
    ) as accounts;
    return case when own_send_id is null then 'waiting' else result end;
  end if;

  select sent_at, delivered_at, read_at, failed_at, failure, price_category, price_type, expired_at, expires_at into was
  from public.messages
  where company_id = found_message.company_id and id = found_message.id
  for no key update;
  becomes := was;
  case word
    when 'sent' then
      becomes.sent_at := least(was.sent_at, reported_at);
    when 'delivered' then
      becomes.delivered_at := least(was.delivered_at, reported_at);
    when 'read' then
      becomes.read_at := least(was.read_at, reported_at);
    when 'failed' then
      if was.failed_at is null
        or (reported_at, failure_told::text collate "C") < (was.failed_at, was.failure::text)
      then
        becomes.failed_at := reported_at;
        becomes.failure := failure_told;
      end if;
  end case;
  -- Only some reports contain the price, and all of these reports contain the same price.
  becomes.price_category := least(was.price_category, nullif(left(item #>> '{price,category}', 64), '') collate "C");
  becomes.price_type := least(was.price_type, nullif(left(item #>> '{price,type}', 64), '') collate "C");
  if becomes is distinct from was and was.expired_at is not null then
    becomes.expired_at := null;
    if word = 'sent' then
      -- The reports for this message are late, so its delivery report may take another hour.
      becomes.expires_at := now() + interval '1 hour';
    end if;
  end if;
  if becomes is distinct from was then
    update public.messages set
      sent_at = becomes.sent_at,
      delivered_at = becomes.delivered_at,
      read_at = becomes.read_at,
      failed_at = becomes.failed_at,
      failure = becomes.failure,
      price_category = becomes.price_category,
      price_type = becomes.price_type,
      expired_at = becomes.expired_at,
      expires_at = becomes.expires_at
    where company_id = found_message.company_id and id = found_message.id;
    perform app.note_report(found_message.company_id, found_message.id, failure_told, reported_at);
  end if;

  if item ->> 'recipient_user_id' is not null then
    perform app.learn_recipient(
      found_message.company_id, found_message.id, item ->> 'recipient_user_id', item ->> 'waba', reported_at
    );
  end if;
  if word = 'failed' then
    -- If several failures arrive, the ledger gets the same reason as the message.
    update public.sends set reason = becomes.failure ->> 'reason', channel_code = (becomes.failure ->> 'code')::integer
    where id = found_message.send_id and state = 'failed'
      and (reason, channel_code) is distinct from (becomes.failure ->> 'reason', (becomes.failure ->> 'code')::integer);
    perform app.note_failure(found_message.company_id, found_message.id, code, reported_at);
  end if;
  return result;
end
$$;
comment on function app.apply_status(uuid[], jsonb) is
  'Applies one report about a message, from an app of these accounts. Finds the message by its id, otherwise by the '
  'label of its send. Returns `done`, or `waiting` when the message is unknown. Returns `ignored` for a report of '
  'another kind, and `unroutable` if there is no account. Returns `double_send` when the attempt already has another '
  'id. The message then keeps the facts for its own id, and this report is only stored. Returns `released_but_sent` '
  'if, according to the ledger, WhatsApp had not accepted the send.';

create function app.learn_recipient(
  own_company_id uuid, of_message_id uuid, new_user_id text, at_business_account_id text, at timestamptz
) returns void
language plpgsql
set search_path = ''
as $$
declare
  recipient_id uuid;
begin
  -- If a contact with a phone number already has this id, nothing changes. A contact without a phone number may be the
  -- recipient, who hides the number.
  if exists (
    select from public.contact_identities as known
    join public.contacts on contacts.company_id = known.company_id and contacts.id = known.contact_id
    where known.company_id = own_company_id and known.user_id = new_user_id and contacts.phone is not null
  ) then
    return;
  end if;
  select contacts.id into recipient_id
  from public.messages
  join public.conversations on conversations.company_id = messages.company_id
    and conversations.id = messages.conversation_id
  join public.contacts on contacts.company_id = conversations.company_id and contacts.id = conversations.contact_id
  where messages.company_id = own_company_id and messages.id = of_message_id
    -- If this contact is archived, a reply from the person creates a new contact.
    and contacts.archived_at is null
  for no key update of contacts;
  if found then
    perform app.learn_user_id(
      own_company_id, recipient_id, new_user_id, substring(at_business_account_id from '^[0-9]{1,32}$'), at
    );
  end if;
end
$$;
comment on function app.learn_recipient(uuid, uuid, text, text, timestamptz) is
  'Stores a new user id for the recipient of a message. A person who hides the phone number may reply with the user id '
  'only. If such a reply has added a contact, this contact is merged with the recipient.';

create function app.note_refusal(
  own_company_id uuid, of_message_id uuid, sent_media_id text, channel_code integer, said_at timestamptz default now()
) returns void
language plpgsql
set search_path = ''
as $$
declare
  account record;
begin
  select accounts.id, accounts.business_account_id into account
  from public.messages
  join public.conversations on conversations.company_id = messages.company_id
    and conversations.id = messages.conversation_id
  join public.messaging_accounts as accounts on accounts.company_id = conversations.company_id
    and accounts.id = conversations.messaging_account_id
  where messages.company_id = own_company_id and messages.id = of_message_id;
  -- These statements skip rows that another transaction has locked. The changes are only hints, and settling a send
  -- must not wait for them.
  if channel_code in (100, 131009, 131053) then
    update public.template_media set media_id = null where id in (
      select media.id from public.template_media as media
      where media.company_id = own_company_id and media.account_id = account.id and media.media_id = sent_media_id
        and (channel_code = 131053 or media.uploaded_at < now() - interval '1 hour')
      for no key update skip locked
    );
  elsif channel_code between 132000 and 132999 then
    update public.template_catalogues set sync_due_at = greatest(now(), synced_at + interval '10 minutes') where id in (
      select catalogues.id from public.template_catalogues as catalogues
      where catalogues.company_id = own_company_id
        and catalogues.business_account_id = account.business_account_id
        -- If the list was read after the refusal, the list already contains the change. A report may arrive days late,
        -- and twice.
        and catalogues.synced_at < said_at
        and catalogues.sync_due_at > greatest(now(), catalogues.synced_at + interval '10 minutes')
      for no key update skip locked
    );
  end if;
end
$$;
comment on function app.note_refusal(uuid, uuid, text, integer, timestamptz) is
  'Marks stored data as outdated after WhatsApp refused a message, in its response or in a report. After code 131053, '
  'the media file has to be uploaded again. After codes 100 and 131009 (invalid parameter), a media file that was '
  'uploaded more than an hour ago has to be uploaded again. After codes 132000 to 132999, the templates may have '
  'changed, so the list is read again, but not earlier than ten minutes after the last read.';

create function app.note_failure(own_company_id uuid, of_message_id uuid, code integer, at timestamptz) returns void
language plpgsql
set search_path = ''
as $$
declare
  conversation record;
begin
  if code in (131047, 131050) then
    select conversations.contact_id, conversations.messaging_account_id, messages.created_at as attempted_at
    into conversation
    from public.messages
    join public.conversations on conversations.company_id = messages.company_id
      and conversations.id = messages.conversation_id
    where messages.company_id = own_company_id and messages.id = of_message_id;
  end if;
  case
    when code = 131047 then
      -- WhatsApp decided at the time of the attempt. If the person has written since then, the window is open again.
      perform app.close_window(
        own_company_id, conversation.contact_id, conversation.messaging_account_id,
        least(at, conversation.attempted_at)
      );
    when code = 131050 then
      perform app.note_marketing(own_company_id, conversation.contact_id, true, 'status', at);
    when code = 100 or code between 131000 and 132999 then
      perform app.note_refusal(own_company_id, of_message_id, (
        select media_id from public.sends where company_id = own_company_id and message_id = of_message_id
      ), code, at);
    else
      null;
  end case;
end
$$;
comment on function app.note_failure(uuid, uuid, integer, timestamptz) is
  'Applies the effects of a failure on rows other than its message. Code 131047 closes the contact''s window, and code '
  '131050 is a marketing opt-out. app.note_refusal() handles code 100 and the other codes from 131000 to 132999. No '
  'other code has an effect.';

-- schemas/85_inbound.sql

-- What people send to a company: messages, reactions, edits, deletions (revocations), and marketing preferences.
-- Reactions, edits and revocations are facts about an existing message. The newest fact of each kind applies, whatever
-- the order of the events.

create function app.is_marketing(own_company_id uuid, of_message_id uuid) returns boolean
language sql stable
set search_path = ''
as $$
  select exists (
    select from public.sends
    join public.messages on messages.company_id = sends.company_id and messages.id = sends.message_id
    join public.conversations on conversations.company_id = messages.company_id
      and conversations.id = messages.conversation_id
    join public.messaging_accounts as accounts on accounts.company_id = conversations.company_id
      and accounts.id = conversations.messaging_account_id
    join public.templates on templates.company_id = sends.company_id
      and templates.business_account_id = accounts.business_account_id
      and templates.name = sends.template_name and templates.language = sends.language_code
    where sends.company_id = own_company_id and sends.message_id = of_message_id and templates.category = 'MARKETING'
  )
$$;
comment on function app.is_marketing(uuid, uuid) is
  'Checks whether a message was sent with a marketing template. The preflight check uses the same rule.';

create function app.apply_message(account_id uuid, item jsonb) returns text
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id uuid;
  -- WhatsApp's clock may be ahead, so a time in the future is replaced with the current time. A time that Postgres
  -- cannot use is null in the item, and is also replaced with the current time.
  said_at constant timestamptz := least(coalesce((item ->> 'at')::timestamptz, now()), now());
  -- One transaction adds all messages of an event. The function clock_timestamp() preserves their order.
  added_at constant timestamptz := clock_timestamp();
  known_direction text;
  answered_id uuid;
  wish text;
  contact_id uuid;
  own_conversation_id uuid;
begin
  select company_id into own_company_id from public.messaging_accounts where id = account_id;
  select direction into known_direction from public.messages
  where company_id = own_company_id and whatsapp_message_id = item ->> 'id';
  if found then
    return case known_direction when 'inbound' then 'done' else 'ignored' end;
  end if;

  contact_id := app.find_person(account_id, item -> 'person', said_at);
  if contact_id is null then
    return 'unroutable';
  end if;
  own_conversation_id := (app.find_or_open_conversation(own_company_id, contact_id, account_id)).id;
  if item ->> 'answers' is not null then
    select id into answered_id from public.messages
    where company_id = own_company_id and whatsapp_message_id = item ->> 'answers';
  end if;
  wish := case
    when item ->> 'word' = 'stop_promotions' then 'stop_marketing'
    when item ->> 'type' = 'button' and item ->> 'word' is not null
      and app.is_marketing(own_company_id, answered_id) then concat(item ->> 'word', '_marketing')
    else item ->> 'word'
  end;
  insert into public.messages (
    company_id, conversation_id, direction, type, content, payload, media, whatsapp_message_id,
    reply_to_whatsapp_id, reply_to_id, sent_at, wish, received_at, created_at, updated_at
  )
  values (
    own_company_id, own_conversation_id, 'inbound', item ->> 'type', coalesce(item ->> 'content', ''),
    nullif(item -> 'payload', 'null'), nullif(item -> 'media', 'null'), item ->> 'id',
    item ->> 'answers', answered_id, said_at, wish,
    -- If the event is applied later, the item contains the time at which the event was received.
    coalesce((item ->> 'received_at')::timestamptz, now()), added_at, added_at
  )
  on conflict (company_id, whatsapp_message_id) do nothing;
  if wish is not null then
    if wish in ('stop', 'start') then
      perform app.note_word(own_company_id, contact_id, wish, said_at);
    end if;
    -- The keyword "start" also allows marketing.
    if wish <> 'stop' then
      perform app.note_marketing(
        own_company_id, contact_id, wish = 'stop_marketing', case item ->> 'type' when 'text' then 'word' else 'button' end,
        said_at
      );
    end if;
    perform app.share_wishes(own_company_id, contact_id, item #>> '{person,phone}', said_at);
  end if;
  return 'done';
end
$$;
comment on function app.apply_message(uuid, jsonb) is
  'Adds a message that a person sent to an account. The message goes into the person''s conversation that is not '
  'closed, or into a new one. A message that is already stored changes nothing. If the id belongs to an outbound '
  'message, the item is ignored. A stop or start button of a marketing template affects only marketing, and so does a '
  'text that mentions promotions. If the template is unknown, a stop button stops all messages.';

create function app.target_of(
  account_id uuid, item jsonb, out message public.messages, out is_theirs boolean,
  out is_nobodys boolean
)
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id uuid;
  done_at constant timestamptz := least(coalesce((item ->> 'at')::timestamptz, now()), now());
  person_id uuid;
begin
  select company_id into own_company_id from public.messaging_accounts where id = account_id;
  select * into message from public.messages
  where company_id = own_company_id and whatsapp_message_id = item ->> 'target'
  for no key update;
  -- This call adds no contact, but may show that an id and a phone number belong to the same person.
  if message.id is not null and app.known_person(own_company_id, item -> 'person', done_at) is not null then
    person_id := app.find_person(account_id, item -> 'person', done_at);
  end if;
  select messaging_account_id = account_id and contact_id = person_id,
    messaging_account_id = account_id and person_id is null
  into is_theirs, is_nobodys from public.conversations
  where company_id = own_company_id and id = message.conversation_id;
  -- A person's messages still belong to the person after the contact is archived.
  if is_theirs is not true then
    select contacts.archived_phone_key = app.phone_key(item #>> '{person,phone}') or exists (
      select from public.contact_identities
      where company_id = own_company_id and contact_id = contacts.id
        and archived_user_id = item #>> '{person,user_id}'
    ) into is_theirs
    from public.conversations
    join public.contacts on contacts.company_id = conversations.company_id and contacts.id = conversations.contact_id
    where conversations.company_id = own_company_id and conversations.id = message.conversation_id
      and conversations.messaging_account_id = account_id and contacts.archived_at is not null;
  end if;
  is_theirs := coalesce(is_theirs, false);
end
$$;
comment on function app.target_of(uuid, jsonb) is
  'Finds and locks the message that a reaction, an edit or a revocation is about. The result is_theirs is true if the '
  'message is in a conversation on this account with the person who sent the item. The result is_nobodys is true if '
  'the person is unknown and the message is in any conversation on this account.';

create function app.apply_reaction(account_id uuid, item jsonb) returns text
language plpgsql
set search_path = ''
-- With this time zone, the time in the reaction's JSON has the same format as the time columns.
set timezone = 'UTC'
as $$
declare
  reacted_at constant timestamptz := least(coalesce((item ->> 'at')::timestamptz, now()), now());
  new_emoji constant text := nullif(item ->> 'emoji', '');
  target record;
begin
  target := app.target_of(account_id, item);
  if (target.message).id is null then
    perform app.keep_waiting(account_id, item ->> 'target', item);
    return 'waiting';
  -- Only the recipient can react to an outbound message. If the event contains only a user id, the person may be
  -- unknown.
  elsif not (target.is_theirs or target.is_nobodys) then
    return 'ignored';
  end if;
  update public.messages set
    reaction = jsonb_build_object('emoji', new_emoji, 'at', reacted_at)
  where company_id = (target.message).company_id and id = (target.message).id
    and (
      reaction is null
      -- If a reaction and its removal have the same second, the removal is treated as later.
      or (reacted_at, new_emoji is null, coalesce(new_emoji, '') collate "C") > (
        (reaction ->> 'at')::timestamptz, reaction ->> 'emoji' is null, coalesce(reaction ->> 'emoji', '') collate "C"
      )
    );
  return 'done';
end
$$;
comment on function app.apply_reaction(uuid, jsonb) is
  'Stores a person''s reaction to a message, or its removal. A reaction to an unknown message waits.';

create function app.apply_edit(account_id uuid, item jsonb) returns text
language plpgsql
set search_path = ''
as $$
declare
  new_edited_at constant timestamptz := least(coalesce((item ->> 'at')::timestamptz, now()), now());
  target record;
begin
  target := app.target_of(account_id, item);
  if (target.message).id is null then
    perform app.keep_waiting(account_id, item ->> 'target', item);
    return 'waiting';
  -- A person can edit only their own messages.
  elsif not target.is_theirs or (target.message).direction <> 'inbound' or item ->> 'content' is null then
    return 'ignored';
  end if;
  update public.messages set
    original_content = coalesce(original_content, content),
    content = item ->> 'content',
    edited_at = new_edited_at
  where company_id = (target.message).company_id and id = (target.message).id
    and (
      edited_at is null or (new_edited_at, item ->> 'content' collate "C") > (edited_at, content collate "C")
    );
  return 'done';
end
$$;
comment on function app.apply_edit(uuid, jsonb) is
  'Replaces a message''s text with the person''s edited text. An edit of an unknown message waits.';

create function app.apply_revoke(account_id uuid, item jsonb) returns text
language plpgsql
set search_path = ''
as $$
declare
  new_revoked_at constant timestamptz := least(coalesce((item ->> 'at')::timestamptz, now()), now());
  target record;
begin
  target := app.target_of(account_id, item);
  if (target.message).id is null then
    perform app.keep_waiting(account_id, item ->> 'target', item);
    return 'waiting';
  elsif not target.is_theirs or (target.message).direction <> 'inbound' then
    return 'ignored';
  end if;
  update public.messages set revoked_at = new_revoked_at
  where company_id = (target.message).company_id and id = (target.message).id
    and (revoked_at is null or revoked_at > new_revoked_at);
  return 'done';
end
$$;
comment on function app.apply_revoke(uuid, jsonb) is
  'Records that a person deleted a message. A revocation of an unknown message waits.';

create function app.apply_preference(account_id uuid, item jsonb) returns text
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id constant uuid := (select company_id from public.messaging_accounts where id = account_id);
  said_at constant timestamptz := least(coalesce((item ->> 'at')::timestamptz, now()), now());
  -- An unknown person becomes a contact, because an opt-out must also apply if the company writes to this person later.
  own_contact_id constant uuid := app.find_person(account_id, item -> 'person', said_at);
begin
  if own_contact_id is null then
    return 'unroutable';
  elsif (item ->> 'value' in ('stop', 'resume')) is not true then
    return 'ignored';
  end if;
  perform app.note_marketing(own_company_id, own_contact_id, item ->> 'value' = 'stop', 'preference', said_at);
  perform app.share_wishes(own_company_id, own_contact_id, item #>> '{person,phone}', said_at);
  return 'done';
end
$$;
comment on function app.apply_preference(uuid, jsonb) is
  'Records that a person opted out of marketing messages or opted in again. The newest decision applies, whatever the '
  'order of the events. An unknown person becomes a contact.';

-- schemas/86_identity_changes.sql

-- A person who gets a new phone number or a new user id remains the same contact.

create function app.has_begun_since(own_company_id uuid, of_contact_id uuid, at timestamptz) returns boolean
language sql stable
set search_path = ''
as $$
  select exists (
    select from public.contacts
    where company_id = own_company_id and id = of_contact_id and source = 'whatsapp' and created_at >= at
  )
  and exists (
    select from public.conversations
    join public.messages
      on messages.company_id = conversations.company_id and messages.conversation_id = conversations.id
    where conversations.company_id = own_company_id and conversations.contact_id = of_contact_id
      and messages.direction = 'inbound'
  )
  and not exists (
    select from public.conversations
    join public.messages
      on messages.company_id = conversations.company_id and messages.conversation_id = conversations.id
    where conversations.company_id = own_company_id and conversations.contact_id = of_contact_id
      and coalesce(messages.sent_at, messages.created_at) < at
  )
  and not exists (
    select from public.contact_identities
    where company_id = own_company_id and contact_id = of_contact_id and seen_at < at
  )
  and not exists (
    select from public.deals where company_id = own_company_id and contact_id = of_contact_id
  )
$$;
comment on function app.has_begun_since(uuid, uuid, timestamptz) is
  'Checks whether an event from WhatsApp added a contact, and whether everything known about the contact is from the '
  'given time or later.';

create function app.change_phone(
  own_company_id uuid, of_contact_id uuid, former_phone text, new_phone text, at timestamptz
) returns boolean
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  contact public.contacts;
  is_on_file boolean;
  owner_id uuid;
  phone_now text := new_phone;
  lost_phone text;
begin
  select * into contact from public.contacts
  where company_id = own_company_id and id = of_contact_id
  for no key update;
  if exists (
    select from public.contact_identity_events
    where company_id = own_company_id and contact_id = of_contact_id and kind = 'phone_changed'
      and was is not distinct from former_phone and becomes = new_phone and happened_at >= at
  ) then
    return true; -- The change was reported earlier, and the company may have changed the phone number since then.
  end if;
  is_on_file := contact.phone is not null
    and (former_phone is null or contact.phone_key = app.phone_key(former_phone));

  for tries in 1..10 loop
    begin
      -- The contact that had the new phone number immediately after the change.
      owner_id := app.owner_of_phone(own_company_id, new_phone, at + interval '1 microsecond');
      if owner_id <> of_contact_id then
        if not app.has_begun_since(own_company_id, owner_id, at) then
          -- A phone number may be reassigned to another person, so the two contacts may be two people. Only the company
          -- can decide this.
          insert into public.contact_identity_events (company_id, contact_id, kind, was, becomes, happened_at)
          values (own_company_id, of_contact_id, 'phone_taken', former_phone, new_phone, at)
          on conflict on constraint contact_identity_events_once do nothing;
          perform app.share_wishes(own_company_id, of_contact_id, new_phone, at + interval '1 microsecond');
          update public.contact_former_phones set until = at
          where company_id = own_company_id and contact_id = of_contact_id
            and phone_key = app.phone_key(former_phone) and until = 'infinity';
          return false;
        end if;
        -- The person wrote from the new phone number before WhatsApp delivered this event. The person may have an even
        -- newer number by now.
        select phone into phone_now from public.contacts where company_id = own_company_id and id = owner_id;
        perform app.merge_contacts(own_company_id, of_contact_id, owner_id);
      end if;
      -- After a merge, the other phone number is an additional number until the platform knows which number is newer.
      delete from public.contact_former_phones
      where company_id = own_company_id and contact_id = of_contact_id
        and phone_key = app.phone_key(phone_now) and until = 'infinity';
      if found or owner_id is distinct from of_contact_id then
        if is_on_file or contact.phone is null then
          update public.contacts set phone = phone_now where company_id = own_company_id and id = of_contact_id;
        else
          -- The company has stored another phone number for the person, and that number remains. Messages from the new
          -- phone number also belong to this contact.
          insert into public.contact_former_phones (company_id, contact_id, phone, until)
          values (own_company_id, of_contact_id, phone_now, 'infinity')
          on conflict on constraint contact_former_phones_once do update set until = excluded.until;
          perform app.pass_on_wishes(contacts, false) from public.contacts
          where company_id = own_company_id and id = of_contact_id;
        end if;
      end if;
      exit;
    exception when unique_violation then
      -- Another transaction has given the phone number to a contact in the meantime.
      if tries = 10 then
        raise;
      end if;
    end;
  end loop;

  lost_phone := case when is_on_file then contact.phone else former_phone end;
  if app.phone_key(lost_phone) <> app.phone_key(new_phone) then
    insert into public.contact_former_phones as former (company_id, contact_id, phone, until)
    values (own_company_id, of_contact_id, lost_phone, at)
    on conflict on constraint contact_former_phones_once do update set
      until = case former.until when 'infinity' then excluded.until else greatest(former.until, excluded.until) end;
    -- The wish remains with the person. The earlier phone number may get another owner, so the platform keeps no wish
    -- for that number.
    delete from app.kept_wishes
    where company_id = own_company_id and digest = app.erased_digest(own_company_id, 'person', app.phone_key(lost_phone));
  end if;
  insert into public.contact_identity_events as noted (company_id, contact_id, kind, was, becomes, happened_at)
  values (own_company_id, of_contact_id, 'phone_changed', former_phone, new_phone, at)
  on conflict on constraint contact_identity_events_once do update set
    happened_at = greatest(noted.happened_at, excluded.happened_at);
  return true;
end
$$;
comment on function app.change_phone(uuid, uuid, text, text, timestamptz) is
  'Gives a contact the phone number that WhatsApp reports, and stores that the former phone number was valid until the '
  'given time. Returns true. If the new number belongs to another contact that may be another person, only records '
  'this and returns false.';

create function app.apply_identity_change(account_id uuid, item jsonb) returns text
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  account record;
  own_company_id uuid;
  happened_at constant timestamptz := least(coalesce((item ->> 'at')::timestamptz, now()), now());
  person jsonb := item -> 'person';
  new_phone constant text := substring(item #>> '{change,phone}' from '^\+[1-9][0-9]{6,14}$');
  former_user_id constant text := nullif(left(person ->> 'user_id', 255), '');
  new_user_id constant text := nullif(left(item #>> '{change,user_id}', 255), '');
  own_contact_id uuid;
  own_conversation_id uuid;
begin
  select company_id, business_account_id into account from public.messaging_accounts where id = account_id;
  own_company_id := account.company_id;

  if item ->> 'kind' = 'identity' and app.known_person(own_company_id, person, happened_at) is null then
    if former_user_id is null or new_user_id is null then
      return 'ignored';
    end if;
    if not exists (
      select from public.contact_identities where company_id = own_company_id and user_id = new_user_id
    ) then
      -- A person who never wrote does not become a contact. If the person later writes with either id, the contact gets
      -- both ids.
      insert into public.user_id_changes as noted (company_id, was, becomes, phone, happened_at)
      values (
        own_company_id, former_user_id, new_user_id,
        substring(person ->> 'phone' from '^\+[1-9][0-9]{6,14}$'), happened_at
      )
      on conflict on constraint user_id_changes_once do update set
        phone = coalesce(noted.phone, excluded.phone),
        happened_at = least(noted.happened_at, excluded.happened_at);
      return 'done';
    end if;
    -- The person wrote with the new id before this event was delivered.
    person := person || jsonb_build_object('user_id', new_user_id);
  end if;

  own_contact_id := app.find_person(account_id, person, happened_at);
  if own_contact_id is null then
    return 'unroutable';
  end if;
  if new_phone is null
    or app.change_phone(own_company_id, own_contact_id, person ->> 'phone', new_phone, happened_at)
  then
    if former_user_id is not null then
      own_contact_id := app.learn_user_id(
        own_company_id, own_contact_id, former_user_id, account.business_account_id, happened_at
      );
    end if;
    if new_user_id is not null and new_user_id is distinct from former_user_id then
      own_contact_id := app.learn_user_id(
        own_company_id, own_contact_id, new_user_id, account.business_account_id, happened_at
      );
      insert into public.contact_identity_events as noted (company_id, contact_id, kind, was, becomes, happened_at)
      select own_company_id, own_contact_id, 'user_id_changed', former_user_id, new_user_id, happened_at
      where former_user_id is not null
      on conflict on constraint contact_identity_events_once do update set
        happened_at = least(noted.happened_at, excluded.happened_at);
    end if;
  end if;

  if item ->> 'kind' = 'system' then
    select id into own_conversation_id from public.conversations
    where company_id = own_company_id and contact_id = own_contact_id and messaging_account_id = account_id
    order by status = 'closed', created_at desc, id desc limit 1;
    own_conversation_id := coalesce(
      own_conversation_id, (app.find_or_open_conversation(own_company_id, own_contact_id, account_id)).id
    );
    insert into public.messages (
      company_id, conversation_id, direction, type, content, payload, whatsapp_message_id, sent_at, created_at,
      updated_at
    )
    values (
      own_company_id, own_conversation_id, 'inbound', 'system', coalesce(item ->> 'content', ''),
      nullif(item -> 'payload', 'null'), item ->> 'id', happened_at, clock_timestamp(),
      clock_timestamp()
    )
    on conflict (company_id, whatsapp_message_id) do nothing;
  end if;
  return 'done';
end
$$;
comment on function app.apply_identity_change(uuid, jsonb) is
  'Applies a person''s new phone number or user id, from an item of kind `system` or `identity`. An item of kind '
  '`system` also becomes a message in the newest conversation with the person. Such a message does not open a window.';

-- schemas/87_jobs.sql

-- Jobs. An account job needs the access token of a messaging account. The channel job needs no account. The edge
-- function whatsapp runs one job per call. The database determines which jobs are due, and stores the result of each
-- run.

create table public.job_runs (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  account_id uuid not null,
  job text not null check (job in ('template-sync', 'template-media')),
  began_at timestamptz not null default now(),
  -- Null while the run is in progress. A run without an end that started more than three minutes ago was interrupted.
  ended_at timestamptz,
  -- Why the run failed, as an error message for operators.
  failure text check (char_length(failure) between 1 and 1000),
  result jsonb,
  unique (company_id, id),
  constraint job_runs_account_fkey foreign key (company_id, account_id)
    references public.messaging_accounts (company_id, id) on delete cascade
);
comment on table public.job_runs is 'Each run of a job for an account, with its result. Rows are kept for 30 days.';

-- The jobs that need no account. Every minute, the job channel-events applies the due events, and updates or deletes
-- expired rows. For the delivery job, this table has only the last call.
create table public.channel_jobs (
  job text primary key check (job in ('channel-events', 'deliver')),
  began_at timestamptz,
  -- Null while the run is in progress. A run without an end that started more than three minutes ago was interrupted.
  ended_at timestamptz,
  -- Why the run failed, as an error message for operators.
  failure text check (char_length(failure) between 1 and 1000),
  result jsonb,
  -- The last call by pg_cron. See job_calls.
  request_id bigint,
  called_at timestamptz
);
comment on table public.channel_jobs is
  'The last run of each job that needs no account, and the last call of the edge function for this job.';

create index job_runs_account_idx on public.job_runs (company_id, account_id, job, began_at desc);
create index job_runs_age_idx on public.job_runs (began_at);

create function app.is_running(of_company_id uuid, of_account_id uuid, of_job text) returns boolean
language sql stable
set search_path = ''
as $$
  select exists (
    select from public.job_runs
    where company_id = of_company_id and account_id = of_account_id and job = of_job
      and ended_at is null and began_at > now() - interval '3 minutes'
  )
$$;
comment on function app.is_running(uuid, uuid, text) is
  'Checks whether a job is running for an account. A run takes less than three minutes.';

create function public.begin_job(job text, account_id uuid) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  account record;
  run record;
begin
  -- If several calls run at the same time, the first call locks the row. The other calls wait and then see the run of
  -- the first call.
  select accounts.* into account from public.messaging_accounts as accounts
  where accounts.id = begin_job.account_id and accounts.disconnected_at is null
  for no key update;
  if not found then
    return null;
  end if;
  if app.is_running(account.company_id, account.id, begin_job.job) then
    return jsonb_build_object('busy', true);
  end if;
  -- If several calls run at the same time, each call skips the rows that another call deletes.
  delete from public.job_runs where id in (
    select id from public.job_runs where began_at < now() - interval '30 days' for update skip locked
  );
  -- end_job() counts failures in this row, so the row must exist before the templates are read for the first time.
  if begin_job.job = 'template-sync' and account.business_account_id is not null then
    insert into public.template_catalogues (company_id, business_account_id)
    values (account.company_id, account.business_account_id)
    on conflict do nothing;
  end if;
  insert into public.job_runs (company_id, account_id, job)
  values (account.company_id, account.id, begin_job.job)
  returning id, began_at into run;
  return jsonb_build_object(
    'run_id', run.id,
    'began_at', run.began_at,
    'account_id', account.id,
    'company_id', account.company_id,
    'phone_number_id', account.phone_number_id,
    'business_account_id', account.business_account_id,
    'encrypted_token', account.encrypted_token
  );
end
$$;
comment on function public.begin_job(text, uuid) is
  'Starts a job for a connected account and returns the data for the job, with the account''s encrypted token. Returns '
  '{ busy: true } while the job is already running for the account. Returns null when no connected account has this '
  'id.';
grant execute on function public.begin_job(text, uuid) to channel_client, service_role;

create function public.end_job(
  run_id uuid,
  failure text default null,
  result jsonb default null,
  refusal text default null
) returns void
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  run record;
begin
  update public.job_runs set
    ended_at = now(),
    failure = left(end_job.failure, 1000),
    result = end_job.result
  where id = end_job.run_id and ended_at is null
  returning company_id, account_id, job, began_at into run;
  if run.job = 'template-sync' and end_job.failure is not null then
    update public.template_catalogues as catalogues set
      failures = catalogues.failures + 1,
      sync_due_at = now() + least(interval '5 minutes' * 2 ^ least(catalogues.failures, 10), interval '6 hours')
    from public.messaging_accounts as accounts
    where accounts.company_id = run.company_id and accounts.id = run.account_id
      and catalogues.company_id = accounts.company_id
      and catalogues.business_account_id = accounts.business_account_id;
  end if;
  if run.job = 'template-sync' and end_job.refusal is not null then
    perform app.note_refusal(run.account_id, 'reading_refusal', end_job.refusal, 0);
  elsif run.job = 'template-sync' and end_job.failure is null then
    perform app.withdraw_refusals(run.account_id, 'reading_refusal', run.began_at);
  end if;
end
$$;
comment on function public.end_job(uuid, text, jsonb, text) is
  'Records the end of a run, and the reason if the run failed. If WhatsApp refused the account when the job requested '
  'the templates, `refusal` is the WhatsApp error code, or token_unusable. After a failed template-sync, the templates '
  'are due again after a pause. The pause grows with each failure, from five minutes to six hours.';
grant execute on function public.end_job(uuid, text, jsonb, text) to channel_client, service_role;

create function public.note_numbers(account_id uuid, numbers jsonb) returns integer
language plpgsql security definer -- the role of the function whatsapp cannot write any table
set search_path = ''
as $$
#variable_conflict use_column
declare
  noted integer;
begin
  insert into public.account_health as health (
    account_id, company_id, token_stored_at, quality_rating, messaging_limit, checked_at
  )
  select
    accounts.id, accounts.company_id, accounts.created_at, left(number ->> 'quality_rating', 100),
    left(number ->> 'messaging_limit', 100), now()
  from public.messaging_accounts as asked
  join public.messaging_accounts as accounts on accounts.company_id = asked.company_id
    and accounts.business_account_id = asked.business_account_id and accounts.disconnected_at is null
  join jsonb_array_elements(numbers) as number on number ->> 'id' = accounts.phone_number_id
  where asked.id = note_numbers.account_id
  order by accounts.id
  on conflict on constraint account_health_once do update set
    quality_rating = excluded.quality_rating,
    messaging_limit = excluded.messaging_limit,
    checked_at = excluded.checked_at;
  get diagnostics noted = row_count;
  return noted;
end
$$;
comment on function public.note_numbers(uuid, jsonb) is
  'Stores the quality rating and the messaging limit that Meta reports for each number of this account''s business '
  'account. Each element of `numbers` has id, quality_rating and messaging_limit. Returns how many accounts of the '
  'company have such a number.';
grant execute on function public.note_numbers(uuid, jsonb) to channel_client, service_role;

create function public.due_jobs() returns table (job text, account_id uuid)
language sql stable security definer
set search_path = ''
as $$
  -- The query chooses one random account for each business account, because the token of one account may be unusable.
  (
    select 'template-sync', due.id
    from (
      select distinct on (accounts.company_id, accounts.business_account_id)
        accounts.id, accounts.company_id, accounts.business_account_id
      from public.messaging_accounts as accounts
      left join public.template_catalogues as catalogues on catalogues.company_id = accounts.company_id
        and catalogues.business_account_id = accounts.business_account_id
      where accounts.disconnected_at is null and accounts.business_account_id is not null
        and (catalogues.id is null or catalogues.sync_due_at <= now())
      order by accounts.company_id, accounts.business_account_id, random()
    ) due
    where not exists (
      select from public.messaging_accounts as others
      where others.company_id = due.company_id and others.business_account_id = due.business_account_id
        and app.is_running(others.company_id, others.id, 'template-sync')
    )
  )
  union all
  (
    select 'template-media', accounts.id
    from public.messaging_accounts as accounts
    where accounts.disconnected_at is null and accounts.business_account_id is not null
      and public.due_media(accounts.id, 1) <> '[]'
      and not app.is_running(accounts.company_id, accounts.id, 'template-media')
      -- A whole run fails, for example, when the account's token cannot be used. Single uploads have their own pauses.
      and not exists (
        select from public.job_runs as runs
        where runs.company_id = accounts.company_id and runs.account_id = accounts.id
          and runs.job = 'template-media' and runs.failure is not null
          and runs.began_at > now() - interval '30 minutes'
      )
  )
$$;
comment on function public.due_jobs() is
  'Returns the jobs that should run now, each with its account. If a run of template-media fails as a whole, '
  'the job is due again for the same account half an hour after that run.';
grant execute on function public.due_jobs() to channel_client, service_role;

create function public.begin_channel_job(job text) returns boolean
language plpgsql security definer -- the role of the function whatsapp cannot write any table
set search_path = ''
as $$
#variable_conflict use_column
begin
  insert into public.channel_jobs as jobs (job, began_at) values (begin_channel_job.job, now())
  on conflict (job) do update set began_at = now(), ended_at = null, failure = null, result = null
  where jobs.began_at is null or jobs.ended_at is not null or jobs.began_at < now() - interval '3 minutes';
  return found;
end
$$;
comment on function public.begin_channel_job(text) is
  'Starts a job that needs no account, and returns true. Returns false while the job is already running.';
grant execute on function public.begin_channel_job(text) to channel_client;

create function public.end_channel_job(job text, failure text default null, result jsonb default null) returns void
language sql security definer -- see begin_channel_job()
set search_path = ''
as $$
  update public.channel_jobs as jobs set
    ended_at = now(), failure = left(end_channel_job.failure, 1000), result = end_channel_job.result
  where jobs.job = end_channel_job.job and jobs.ended_at is null
$$;
comment on function public.end_channel_job(text, text, jsonb) is
  'Records the end of a run of a job that needs no account, and the reason if the run failed.';
grant execute on function public.end_channel_job(text, text, jsonb) to channel_client;

create function app.jobs_ran_at() returns timestamptz
language sql stable security definer -- people cannot read the table
set search_path = ''
as $$
  select max(began_at) from public.channel_jobs
$$;
comment on function app.jobs_ran_at() is
  'Returns when the platform''s jobs last ran. The jobs run every minute, so a time more than a few minutes ago means '
  'that they have stopped.';
grant execute on function app.jobs_ran_at() to authenticated;

create function public.tend_channel(max_rows integer default 1000) returns jsonb
language plpgsql security definer -- see begin_channel_job()
set search_path = ''
as $$
declare
  duty record;
  done integer;
  counts jsonb := '{}';
  failures text[] := '{}';
begin
  perform set_config('lock_timeout', '1s', true);
  perform set_config('app.event_actor', 'job', true);
  for duty in
    select * from (values
      ('waiting_applied', 'app.apply_waiting_facts(integer)'),
      ('expired', 'public.expire_messages()'),
      -- The tasks that lock events run after the tasks that lock messages, because an erasure acquires its locks in
      -- this order.
      ('woken', 'app.wake_late_events()'),
      ('events_removed', 'app.remove_old_events(integer)'),
      ('waiting_removed', 'app.remove_old_waiting_facts(integer)'),
      ('erased_forgotten', 'app.forget_erased_people(integer)'),
      ('uploads_removed', 'app.remove_old_uploads(integer)'),
      -- This task runs last, because a request with one of the deleted keys waits until this transaction ends.
      ('keys_removed', 'app.remove_old_idempotency_keys(integer)')
    ) as duties (name, signature)
  loop
    -- If one task fails, the other tasks still run.
    begin
      execute format('select %s', replace(duty.signature, 'integer', '$1')) into done using max_rows;
      counts := counts || jsonb_build_object(duty.name, coalesce(done, 0));
    exception when others then
      failures := failures || format('%s: %s %s', duty.name, sqlstate, left(sqlerrm, 200));
    end;
  end loop;
  return counts || jsonb_build_object('failures', to_jsonb(failures));
end
$$;
comment on function public.tend_channel(integer) is
  'Runs all tasks of the job channel-events, but does not apply events. Makes an event due again when its account has '
  'been added, and applies reports about messages that are now known. Updates expired messages, and deletes old rows. '
  'Deletes at most max_rows rows of each table, and ten times as many idempotency keys. Returns the number of rows for '
  'each task, and the failures.';
grant execute on function public.tend_channel(integer) to channel_client;

create function app.channel_job_status() returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object(
    'last_run', (
      select jsonb_build_object(
        'began_at', jobs.began_at, 'ended_at', jobs.ended_at, 'failure', jobs.failure, 'result', jobs.result
      )
      from public.channel_jobs as jobs where jobs.job = 'channel-events' and jobs.began_at is not null
    ),
    'due', (select count(*) from public.channel_events where next_attempt_at <= now()),
    'oldest_due_at', (
      select min(received_at) from public.channel_events where next_attempt_at <= now()
    ),
    'not_done', (
      select coalesce(jsonb_object_agg(counted.state, counted.events), '{}')
      from (
        select state, count(*) as events from public.channel_events where state <> 'done' group by state
      ) as counted
    )
  )
$$;
comment on function app.channel_job_status() is
  'Returns the last run of the job channel-events, the number of due events, and when the oldest due event was '
  'received. Also returns the number of events in each state except done.';

create function public.channel_health() returns jsonb
language sql stable security definer -- one snapshot of several tables
set search_path = ''
as $$
  select jsonb_build_object(
    'expired', count(*),
    'expired_unreported', count(*) filter (where sent_at is null),
    'double_sends', (
      select count(*) from public.sends
      where double_sent_ids <> '{}' and updated_at > now() - interval '1 day'
    ),
    'waiting_facts', (
      select count(*) from public.waiting_facts where received_at > now() - interval '1 day'
    ),
    'failures', app.failures_of_sends(now() - interval '1 day')
  )
  from public.messages
  where expired_at is not null and expired_at > now() - interval '1 day'
$$;
comment on function public.channel_health() is
  'Returns counts for the last day: expired messages, messages that were sent twice (double_sends), and facts that '
  'still wait for their message. Also counts the sends that failed, were refused or were released (failures). The '
  'member expired_unreported counts the expired messages without any report. Such messages occur when WhatsApp events '
  'do not arrive here.';
grant execute on function public.channel_health() to service_role;

alter table public.job_runs enable row level security;
create policy "the platform reads the runs of jobs" on public.job_runs
  for select to service_role using (true);
alter table public.channel_jobs enable row level security;
create policy "the platform reads the runs of the channel's jobs" on public.channel_jobs
  for select to service_role using (true);

grant select on public.job_runs to service_role;
grant select on public.channel_jobs to service_role;

-- schemas/88_schedule.sql

-- The job schedule. pg_cron calls the edge functions whatsapp and webhooks through pg_net, with URLs and a secret from
-- Vault. This schema must also work in a database without these extensions, so only dynamic SQL refers to the
-- extensions. In such a database, another program calls the edge functions, as the local stack does.

create table public.job_calls (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  account_id uuid not null,
  job text not null,
  -- The id of the request in pg_net, which keeps the response for some hours.
  request_id bigint not null,
  called_at timestamptz not null default now(),
  unique (company_id, id),
  constraint job_calls_account_fkey foreign key (company_id, account_id)
    references public.messaging_accounts (company_id, id) on delete cascade
);
comment on table public.job_calls is
  'Each call of the edge function whatsapp by pg_cron for an account job. The request_id identifies the response in '
  'pg_net. Rows are kept for a day.';

create index job_calls_account_idx on public.job_calls (company_id, account_id);
create index job_calls_age_idx on public.job_calls (called_at);

create function app.job_secret(of_name text) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  found_secret text;
begin
  execute 'select decrypted_secret from vault.decrypted_secrets where name = $1' into found_secret using of_name;
  return found_secret;
end
$$;
comment on function app.job_secret(text) is
  'Returns the secret with this name from Vault, or null when no secret has this name.';

create function app.keep_job_secret(of_name text, secret text, description text) returns void
language plpgsql
set search_path = ''
as $$
declare
  known_id uuid;
begin
  execute 'select id from vault.decrypted_secrets where name = $1' into known_id using of_name;
  if known_id is null then
    execute 'select vault.create_secret($1, $2, $3)' using secret, of_name, description;
  else
    execute 'select vault.update_secret($1, $2)' using known_id, secret;
  end if;
end
$$;
comment on function app.keep_job_secret(text, text, text) is
  'Stores a secret in Vault under a name, and replaces the earlier secret with that name.';

create function app.call_due_jobs() returns integer
language plpgsql
set search_path = ''
as $$
declare
  function_url constant text := app.job_secret('whatsapp_function_url');
  webhooks_url constant text := app.job_secret('webhooks_function_url');
  secret constant text := app.job_secret('jobs_secret');
  call constant text :=
    'select net.http_post(url := $1, body := $2, headers := $3, timeout_milliseconds := 150000)';
  headers constant jsonb :=
    jsonb_build_object('Content-Type', 'application/json', 'Authorization', 'Bearer ' || secret);
  due record;
  call_id bigint;
  called integer := 0;
begin
  if function_url is null or webhooks_url is null or secret is null then
    raise exception
      'Vault does not have the addresses and the secret of the functions: run npm run admin -- jobs schedule';
  end if;
  -- Each run delivers for a minute, and a new run starts every minute, so one run is always active.
  if exists (select from public.webhooks where state in ('on', 'catching_up')) then
    execute call into call_id using webhooks_url || '/jobs/deliver', jsonb_build_object(), headers;
    insert into public.channel_jobs as jobs (job, request_id, called_at) values ('deliver', call_id, now())
    on conflict (job) do update set request_id = excluded.request_id, called_at = excluded.called_at;
    called := called + 1;
  end if;
  execute call into call_id using function_url || '/jobs/channel-events', jsonb_build_object(), headers;
  insert into public.channel_jobs as jobs (job, request_id, called_at) values ('channel-events', call_id, now())
  on conflict (job) do update set request_id = excluded.request_id, called_at = excluded.called_at;
  called := called + 1;
  delete from public.job_calls where called_at < now() - interval '1 day';
  -- The order is random, so that jobs that are repeatedly due do not block the other jobs.
  for due in
    select jobs.job, jobs.account_id, accounts.company_id
    from public.due_jobs() as jobs
    join public.messaging_accounts as accounts on accounts.id = jobs.account_id
    order by random()
    limit 50
  loop
    execute call into call_id
    using function_url || '/jobs/' || due.job, jsonb_build_object('account_id', due.account_id), headers;
    insert into public.job_calls (company_id, account_id, job, request_id)
    values (due.company_id, due.account_id, due.job, call_id);
    called := called + 1;
  end loop;
  return called;
end
$$;
comment on function app.call_due_jobs() is
  'Calls the edge function whatsapp for the channel job and for at most 50 due account jobs. If any webhook is on, '
  'calls the edge function webhooks for deliveries. Returns the number of calls. pg_net sends the calls after the '
  'transaction. pg_cron runs this function every minute.';

create function public.schedule_jobs(url text, webhooks_url text, secret text) returns void
-- Security definer, because the extensions and Vault belong to the owner of the database.
language plpgsql security definer
set search_path = ''
as $$
declare
  extension record;
  missing text[] := '{}';
begin
  if (url ~ '^https?://[^[:space:]?#]+$' and webhooks_url ~ '^https?://[^[:space:]?#]+$') is not true then
    raise sqlstate 'PT422' using message = 'The address of each function must be a URL without a query';
  end if;
  if secret is null or secret !~ '^[!-~]{32,255}$' then
    raise sqlstate 'PT422' using message =
      'JOBS_SECRET must have 32 to 255 visible ASCII characters';
  end if;
  for extension in
    select * from (values
      ('pg_cron', 'cron', 'pg_catalog'), ('pg_net', 'net', 'extensions'), ('supabase_vault', 'vault', 'vault')
    ) as needed (name, own_schema, made_in)
  loop
    if to_regnamespace(extension.own_schema) is null
      and exists (select from pg_catalog.pg_available_extensions where name = extension.name)
    then
      begin
        if extension.name = 'supabase_vault' then
          execute 'create extension supabase_vault cascade';
        else
          execute format('create extension %I with schema %I', extension.name, extension.made_in);
        end if;
      exception when others then
        raise sqlstate 'PT501' using message = format(
          'The extension %s cannot be enabled (%s): enable it in the dashboard under Database, Extensions, '
          'then schedule the jobs again', extension.name, sqlerrm
        );
      end;
    end if;
    if to_regnamespace(extension.own_schema) is null then
      missing := missing || extension.name;
    end if;
  end loop;
  if missing <> '{}' then
    raise sqlstate 'PT501' using message = format(
      'This database does not have what scheduled jobs need (%s): enable it, or have another scheduler call the '
      'functions whatsapp and webhooks. The local stack (npm start) runs its own jobs', array_to_string(missing, ', ')
    );
  end if;

  perform app.keep_job_secret(
    'whatsapp_function_url', rtrim(url, '/'), 'The address of the edge function whatsapp, for its jobs'
  );
  perform app.keep_job_secret(
    'webhooks_function_url', rtrim(webhooks_url, '/'), 'The address of the edge function webhooks, for its job'
  );
  perform app.keep_job_secret('jobs_secret', secret, 'JOBS_SECRET of the edge functions');
  execute 'select cron.schedule($1, $2, $3)'
    using 'call-due-jobs', '* * * * *', 'select app.call_due_jobs()';
  execute 'select cron.schedule($1, $2, $3)'
    using 'fail-expired-sends', '* * * * *', 'select public.fail_expired_sends()';
  execute 'select cron.schedule($1, $2, $3)'
    using 'tidy-events', '* * * * *', 'select public.tidy_events()';
end
$$;
comment on function public.schedule_jobs(text, text, text) is
  'Schedules three pg_cron jobs that run every minute. The first job calls the edge functions whatsapp and webhooks at '
  'these URLs for due jobs. The second job settles the sends whose lease has ended. The third job maintains the events '
  'and webhooks. Enables the extensions if possible. Raises PT501 when the database does not have the extensions, and '
  'PT422 for a malformed URL or secret.';
grant execute on function public.schedule_jobs(text, text, text) to service_role;

create function public.unschedule_jobs() returns integer
language plpgsql security definer -- see schedule_jobs()
set search_path = ''
as $$
declare
  job_name text;
  is_scheduled boolean;
  unscheduled integer := 0;
begin
  if to_regnamespace('cron') is not null then
    foreach job_name in array array['call-due-jobs', 'fail-expired-sends', 'tidy-events'] loop
      execute 'select exists (select from cron.job where jobname = $1)' into is_scheduled using job_name;
      if is_scheduled then
        execute 'select cron.unschedule($1)' using job_name;
        unscheduled := unscheduled + 1;
      end if;
    end loop;
  end if;
  if to_regnamespace('vault') is not null then
    execute 'delete from vault.secrets where name in ($1, $2, $3)'
      using 'whatsapp_function_url', 'webhooks_function_url', 'jobs_secret';
  end if;
  return unscheduled;
end
$$;
comment on function public.unschedule_jobs() is
  'Removes the jobs of schedule_jobs() from pg_cron, and the URLs and the secret from Vault. Returns the number of '
  'removed jobs, which is 0 when no job was scheduled.';
grant execute on function public.unschedule_jobs() to service_role;

create function app.cron_jobs() returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  jobs jsonb;
begin
  if to_regnamespace('cron') is null then
    return '[]';
  end if;
  execute $query$
    select coalesce(jsonb_agg(jsonb_build_object(
      'name', job.jobname, 'schedule', job.schedule, 'active', job.active,
      'last_run_at', run.start_time, 'last_status', run.status, 'last_message', run.return_message
    ) order by job.jobname), '[]')
    from cron.job
    left join lateral (
      select details.start_time, details.status, left(details.return_message, 500) as return_message
      from cron.job_run_details as details
      where details.jobid = job.jobid
      order by details.runid desc
      limit 1
    ) as run on true
    where job.jobname in ('call-due-jobs', 'fail-expired-sends', 'tidy-events')
  $query$ into jobs;
  return jobs;
end
$$;
comment on function app.cron_jobs() is 'Returns the jobs of schedule_jobs() from pg_cron, each with its last run.';

create function app.failed_job_calls() returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  calls jsonb;
begin
  if to_regnamespace('net') is null then
    return '[]';
  end if;
  execute $query$
    select coalesce(jsonb_agg(jsonb_build_object(
      'job', failed.job, 'account_id', failed.account_id, 'called_at', failed.called_at,
      'status', failed.status_code, 'error', failed.error
    ) order by failed.called_at desc), '[]')
    from (
      select calls.job, calls.account_id, calls.called_at, answers.status_code,
        left(coalesce(answers.error_msg, answers.content), 500) as error
      from (
        select job, account_id, called_at, request_id from public.job_calls
        union all
        select job, null, called_at, request_id from public.channel_jobs
      ) as calls
      join net._http_response as answers on answers.id = calls.request_id
      -- The status 409 means that another run was in progress.
      where answers.status_code is null or answers.status_code >= 300 and answers.status_code <> 409
      order by calls.called_at desc
      limit 10
    ) as failed
  $query$ into calls;
  return calls;
end
$$;
comment on function app.failed_job_calls() is
  'Returns the last ten failed calls of the edge functions, with the status and the response.';

create function app.delivery_status() returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object(
    'called_at', (select called_at from public.channel_jobs where job = 'deliver'),
    'webhooks', (
      select coalesce(jsonb_object_agg(state, webhooks), '{}')
      from (select state, count(*) as webhooks from public.webhooks group by state) as states
    ),
    -- The webhooks that are paused for a while because their receivers failed several times.
    'resting', (select count(*) from public.webhooks where state in ('on', 'catching_up') and paused_until > now()),
    'last_success_at', (select max(last_success_at) from public.webhooks),
    'open', (select count(*) from app.open_deliveries),
    'due', due.deliveries,
    'oldest_due_at', due.oldest_at
  )
  from (
    select count(*) as deliveries, min(open.due_at) as oldest_at
    from app.open_deliveries as open
    join public.webhooks on webhooks.id = open.webhook_id
    where open.due_at <= now() and webhooks.state in ('on', 'catching_up')
      and (webhooks.paused_until is null or webhooks.paused_until <= now())
  ) as due
$$;
comment on function app.delivery_status() is
  'Returns the number of webhooks in each state, the number of webhooks that are paused after failures (resting), and '
  'the number of open deliveries that are due now.';

create function app.account_jobs_status() returns jsonb
language plpgsql stable security definer -- see schedule_jobs()
set search_path = ''
as $$
declare
  cron_jobs constant jsonb := app.cron_jobs();
begin
  return jsonb_build_object(
    'scheduled', cron_jobs @> '[{ "name": "call-due-jobs", "active": true }]',
    'url', case when to_regnamespace('vault') is not null then app.job_secret('whatsapp_function_url') end,
    'webhooks_url', case when to_regnamespace('vault') is not null then app.job_secret('webhooks_function_url') end,
    'cron_jobs', cron_jobs,
    'accounts', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'account_id', accounts.id,
        'company_id', accounts.company_id,
        'company_name', companies.name,
        'phone_number_id', accounts.phone_number_id,
        'display_phone', accounts.display_phone,
        'business_account_id', accounts.business_account_id,
        'synced_at', catalogues.synced_at,
        'sync_due_at', catalogues.sync_due_at,
        'failures', coalesce(catalogues.failures, 0),
        'templates', (
          select count(*) from public.templates
          where templates.company_id = accounts.company_id
            and templates.business_account_id = accounts.business_account_id and templates.status <> 'DELETED'
        ),
        'media_due', jsonb_array_length(public.due_media(accounts.id, 100)),
        'last_runs', (
          select coalesce(jsonb_object_agg(runs.job, to_jsonb(runs) - 'job'), '{}')
          from (
            select distinct on (job) job, began_at, ended_at, failure, result
            from public.job_runs
            where job_runs.company_id = accounts.company_id and job_runs.account_id = accounts.id
            order by job, began_at desc
          ) as runs
        )
      ) order by companies.name, accounts.company_id, accounts.display_phone), '[]')
      from public.messaging_accounts as accounts
      join public.companies on companies.id = accounts.company_id
      left join public.template_catalogues as catalogues on catalogues.company_id = accounts.company_id
        and catalogues.business_account_id = accounts.business_account_id
      where accounts.disconnected_at is null
    ),
    'failed_calls', app.failed_job_calls()
  );
end
$$;
comment on function app.account_jobs_status() is
  'Returns whether jobs are scheduled, the pg_cron jobs, and the last failed calls of the edge functions. Also returns '
  'the template catalogue and the last job runs of each connected account.';

create function public.jobs_status() returns jsonb
language sql stable security definer -- see schedule_jobs()
set search_path = ''
as $$
  select app.account_jobs_status()
    || jsonb_build_object('channel', app.channel_job_status(), 'webhooks', app.delivery_status())
$$;
comment on function public.jobs_status() is
  'Returns the result of app.account_jobs_status(), and the status of the job channel-events and of the webhook '
  'deliveries.';
grant execute on function public.jobs_status() to service_role;

alter table public.job_calls enable row level security;
create policy "the platform reads the calls of jobs" on public.job_calls
  for select to service_role using (true);

grant select on public.job_calls to service_role;

-- schemas/89_accounts_overview.sql

-- The overview of messaging accounts for a company's members: the state of each account, and the problems that stop its
-- sends.

-- This function runs with the caller's privileges (security invoker), so the table policies decide what the caller can
-- read.
create function public.messaging_accounts_overview(company_id uuid) returns table (
  id uuid,
  display_phone text,
  phone_number_id text,
  business_account_id text,
  connected_at timestamptz,
  disconnected_at timestamptz,
  templates_synced_at timestamptz,
  template_sync_failures integer,
  approved_templates integer,
  last_event_at timestamptz,
  notices jsonb,
  has_channel_app boolean,
  token_stored_at timestamptz,
  token_expires_at timestamptz,
  quality_rating text,
  messaging_limit text,
  checked_at timestamptz,
  jobs_ran_at timestamptz
)
language sql stable
set search_path = ''
as $$
  select
    accounts.id,
    accounts.display_phone,
    accounts.phone_number_id,
    accounts.business_account_id,
    (
      select max(connections.connected_at) from public.account_connections as connections
      where connections.company_id = accounts.company_id and connections.account_id = accounts.id
    ),
    accounts.disconnected_at,
    catalogues.synced_at,
    coalesce(catalogues.failures, 0),
    coalesce(approved.templates, 0),
    (
      select max(connections.last_event_at) from public.account_connections as connections
      where connections.company_id = accounts.company_id and connections.account_id = accounts.id
    ),
    (
      select coalesce(
        jsonb_agg(to_jsonb(notices) - 'id' order by notices.happened_at desc, notices.kind, notices.event), '[]'
      )
      from public.account_notices as notices
      where notices.company_id = accounts.company_id and notices.account_id = accounts.id and app.is_current(notices)
    ),
    accounts.channel_app_id is not null,
    health.token_stored_at,
    health.token_expires_at,
    health.quality_rating,
    health.messaging_limit,
    health.checked_at,
    app.jobs_ran_at()
  from public.messaging_accounts as accounts
  left join public.account_health as health on health.company_id = accounts.company_id
    and health.account_id = accounts.id
  left join public.template_catalogues as catalogues on catalogues.company_id = accounts.company_id
    and catalogues.business_account_id = accounts.business_account_id
  left join (
    -- Counts the templates of each business account once, even if the business account has several numbers.
    select templates.business_account_id, count(*)::integer as templates
    from public.templates
    where templates.company_id = messaging_accounts_overview.company_id and templates.status = 'APPROVED'
    group by templates.business_account_id
  ) as approved on approved.business_account_id = accounts.business_account_id
  where accounts.company_id = messaging_accounts_overview.company_id
  order by accounts.disconnected_at desc nulls first, accounts.created_at desc, accounts.id
$$;
comment on function public.messaging_accounts_overview(uuid) is
  'Returns a company''s messaging accounts for its members, connected accounts first. The columns connected_at and '
  'disconnected_at are the times of the latest connection. The column templates_synced_at is when the templates were '
  'last read successfully, and template_sync_failures counts the failed attempts since then. The column last_event_at '
  'is the time of the last event about the account, or null. The column `notices` contains the current notices from '
  'WhatsApp. The columns from token_stored_at to checked_at are null if Meta was not queried since the number was '
  'connected. See account_health. The column jobs_ran_at is when the platform''s jobs last ran. Returns no rows if the '
  'caller is not a member of the company.';
grant execute on function public.messaging_accounts_overview(uuid) to authenticated;

-- The settings page shows these problems on every view, so this function reads as little as possible.
create function public.messaging_account_troubles(company_id uuid) returns table (
  account_id uuid,
  display_phone text,
  trouble text,
  event text,
  since timestamptz,
  until timestamptz,
  stopped_sends integer
)
language sql stable
set search_path = ''
as $$
  select
    accounts.id, accounts.display_phone, troubles.trouble, troubles.event, troubles.since, troubles.until,
    troubles.stopped_sends
  from public.messaging_accounts as accounts
  cross join lateral (
    select
      case when notices.kind like '%refusal' then 'refused' else 'restricted' end as trouble,
      notices.event, notices.happened_at as since, notices.until, notices.stopped_sends
    from public.account_notices as notices
    where notices.company_id = accounts.company_id and notices.account_id = accounts.id
      and notices.stops_sending and app.is_current(notices)
    union all
    select
      case when health.token_expires_at <= now() then 'token_expired' else 'token_expires' end,
      null, health.token_stored_at, health.token_expires_at, 0
    from public.account_health as health
    where health.company_id = accounts.company_id and health.account_id = accounts.id
      and health.token_expires_at < now() + interval '14 days'
  ) as troubles
  where accounts.company_id = messaging_account_troubles.company_id and accounts.disconnected_at is null
  order by troubles.trouble, troubles.since desc
  limit 20
$$;
comment on function public.messaging_account_troubles(uuid) is
  'Returns, for a company''s members, the problems that stop the sends of its connected accounts, or will soon stop '
  'them. A row with `refused` or `restricted` contains the event of the notice. `token_expired` means that the token '
  'has expired, and `token_expires` that it will expire within 14 days. Returns no rows if the caller is not a member '
  'of the company.';
grant execute on function public.messaging_account_troubles(uuid) to authenticated;

-- schemas/89_webhooks_overview.sql

-- The overview of all companies' webhooks for operators. Operators pause and resume a webhook with change_webhook(),
-- and read its deliveries with webhook_deliveries().

create function public.webhooks_overview(company_id uuid default null, max_rows integer default 200) returns jsonb
language plpgsql stable security definer -- no role reads the table of open deliveries
set search_path = ''
as $$
declare
  asked_company_id constant uuid := webhooks_overview.company_id;
begin
  return (
    select coalesce(jsonb_agg(
      app.webhook_json(found.hook)::jsonb || jsonb_build_object(
        'company_name', found.company_name,
        'failures', (found.hook).failures,
        'oldest_open_at', (
          -- The id of an event begins with its time in milliseconds.
          select to_timestamp(('x' || left(replace(min(open.event_id::text), '-', ''), 12))::bit(48)::bigint / 1000.0)
          from app.open_deliveries as open where open.webhook_id = (found.hook).id
        )
      )
      order by found.is_well, found.company_name, (found.hook).created_at
    ), '[]')
    from (
      select webhooks as hook, companies.name as company_name,
        webhooks.state = 'on' and webhooks.failing_since is null as is_well
      from public.webhooks
      join public.companies on companies.id = webhooks.company_id
      where asked_company_id is null or webhooks.company_id = asked_company_id
      order by is_well, companies.name, webhooks.created_at
      limit least(greatest(max_rows, 1), 1000)
    ) as found
  );
end
$$;
comment on function public.webhooks_overview(uuid, integer) is
  'Returns the webhooks of one company or of all companies for operators, in the format of list_webhooks(). Adds the '
  'company''s name, the number of failures and the time of the oldest open event. Webhooks that are not on, or that '
  'fail, come first.';
grant execute on function public.webhooks_overview(uuid, integer) to service_role;

-- schemas/90_archive.sql

-- Contacts and deals are archived, not deleted. A record that was archived by mistake can be restored unchanged. The
-- change feeds report archiving and restoring like any other change. An archived record can be restored, but not
-- changed in any other way. An archived contact cannot be found by its phone number, its additional or earlier phone
-- numbers, or its WhatsApp user ids. So the person may become another contact in the meantime. The rows still contain
-- these values, for a restore and because the person's wishes still apply.

create function app.keep_archived() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if old.archived_at is null then
    new.archived_at := now();
    return new;
  elsif new.archived_at <> old.archived_at then
    -- Archiving a record again changes nothing.
    return old;
  -- The platform may still write facts, such as an opt-out that arrives late.
  elsif current_user in ('api_client', 'authenticated') then
    raise sqlstate 'PT404' using message = format(
      '%s not found: it is archived, so restore it before you change it',
      case tg_table_name when 'contacts' then 'Contact' else 'Deal' end
    );
  end if;
  return new;
end
$$;
comment on function app.keep_archived() is
  'Trigger: sets archived_at when a row is archived for the first time. Raises PT404, with a message for callers, when '
  'a key or a user changes an archived row.';

-- A contact into which other contacts were merged has additional phone numbers. After a restore, the contact has these
-- numbers again, except numbers that another contact has now.
create function app.keep_persons_of_archived() returns trigger
-- Security definer, because no role may write the phone numbers and ids that WhatsApp reported.
language plpgsql security definer
set search_path = ''
as $$
begin
  if new.archived_at is not null then
    update public.contact_former_phones set is_archived = true
    where company_id = new.company_id and contact_id = new.id;
    update public.contact_identities set archived_user_id = user_id, user_id = null
    where company_id = new.company_id and contact_id = new.id and user_id is not null;
  else
    if exists (
      select from public.contact_former_phones
      where company_id = new.company_id and contact_id = new.id and until = 'infinity'
    ) then
      perform app.lock_further_phones(new.company_id);
    end if;
    update public.contact_former_phones as kept set
      is_archived = false,
      until = case
        when exists (
          select from public.contacts as taken
          where taken.company_id = new.company_id and taken.phone_key = kept.archived_phone_key
        ) or exists (
          select from public.contact_former_phones as taken
          where taken.company_id = new.company_id and taken.phone_key = kept.archived_phone_key
            and taken.until = 'infinity'
        ) then least(kept.until, now())
        else kept.until
      end
    where company_id = new.company_id and contact_id = new.id;
    update public.contact_identities as kept set user_id = archived_user_id, archived_user_id = null
    where company_id = new.company_id and contact_id = new.id and archived_user_id is not null
      and not exists (
        select from public.contact_identities as taken
        where taken.company_id = new.company_id and taken.user_id = kept.archived_user_id
      );
  end if;
  return null;
end
$$;
comment on function app.keep_persons_of_archived() is
  'Trigger: ensures that no search by a former phone number or by a user id finds an archived contact. After a '
  'restore, such searches find the contact again, except by additional phone numbers and user ids that now belong to '
  'another contact.';

create function public.archive_contact(id uuid, accepted_versions bigint[] default null) returns boolean
-- Security definer, like the functions below, because a key may not write archived_at.
language plpgsql security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('write');
  contact record;
begin
  -- The lock is `for update`, because the function clears phone_key, which is a column of a unique key.
  select archived_at, version into contact from public.contacts
  where company_id = own_company_id and contacts.id = archive_contact.id
  for update;
  if not found then
    return false;
  end if;
  if contact.archived_at is null then
    perform app.require_version(contact.version, accepted_versions);
    update public.contacts set archived_at = now()
    where company_id = own_company_id and contacts.id = archive_contact.id;
  end if;
  return true;
end
$$;
comment on function public.archive_contact(uuid, bigint[]) is
  'Archives a contact of the key''s company, if the contact has one of the accepted versions. Null accepts any '
  'version. Needs a write token. Does not change a contact that is already archived. Returns false when the contact '
  'does not exist. Raises PT412 for another version, with the current version as detail. Raises PT401 and PT403 as '
  'app.company_id() does.';
grant execute on function public.archive_contact(uuid, bigint[]) to api_client;

create function public.archive_deal(id uuid, accepted_versions bigint[] default null) returns boolean
language plpgsql security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('write');
  deal record;
begin
  select archived_at, version into deal from public.deals
  where company_id = own_company_id and deals.id = archive_deal.id
  for no key update;
  if not found then
    return false;
  end if;
  if deal.archived_at is null then
    perform app.require_version(deal.version, accepted_versions);
    update public.deals set archived_at = now()
    where company_id = own_company_id and deals.id = archive_deal.id;
  end if;
  return true;
end
$$;
comment on function public.archive_deal(uuid, bigint[]) is
  'Archives a deal of the key''s company, in the same way as archive_contact(). Needs a write token.';
grant execute on function public.archive_deal(uuid, bigint[]) to api_client;

create function app.holder_of_persons(own_company_id uuid, of_contact_id uuid) returns uuid
language sql
set search_path = ''
as $$
  select coalesce(
    (
      select id from public.contacts
      where company_id = own_company_id and phone_key = archived.archived_phone_key
    ),
    -- The phone number may be another contact's additional number.
    (
      select contact_id from public.contact_former_phones
      where company_id = own_company_id and phone_key = archived.archived_phone_key and until = 'infinity'
      order by contact_id limit 1
    ),
    -- A contact without a phone number is found by its ids.
    case when archived.phone is null then (
      select taken.contact_id from public.contact_identities as kept
      join public.contact_identities as taken
        on taken.company_id = kept.company_id and taken.user_id = kept.archived_user_id
      where kept.company_id = own_company_id and kept.contact_id = of_contact_id
      order by taken.contact_id limit 1
    ) end
  )
  from public.contacts as archived
  where company_id = own_company_id and archived.id = of_contact_id and archived_at is not null
$$;
comment on function app.holder_of_persons(uuid, uuid) is
  'Returns the contact that now has the phone number of an archived contact, and so prevents the restore. If the '
  'archived contact has no phone number, returns the contact that now has one of its ids. Returns null when no such '
  'contact exists.';

create function app.unarchive_contact(own_company_id uuid, own_contact_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  contact record;
  holder uuid;
  field text;
begin
  select archived_at, external_id into contact from public.contacts
  where company_id = own_company_id and id = own_contact_id
  for update;
  if not found then
    return jsonb_build_object('status', 404);
  end if;
  for tries in 1..10 loop
    exit when contact.archived_at is null;
    field := 'phone';
    holder := app.holder_of_persons(own_company_id, own_contact_id);
    if holder is null then
      field := 'external_id';
      holder := (app.contacts_of_external_ids(own_company_id, array[contact.external_id]))[1];
    end if;
    if holder is not null then
      return jsonb_build_object('status', 409, 'existing_id', holder, 'field', field);
    end if;
    begin
      update public.contacts set archived_at = null where company_id = own_company_id and id = own_contact_id;
      exit;
    exception when unique_violation then
      -- Another transaction has given the phone number or an id to a contact in the meantime.
      if tries = 10 then
        raise;
      end if;
    end;
  end loop;
  return jsonb_build_object('status', 200, 'id', own_contact_id);
end
$$;
comment on function app.unarchive_contact(uuid, uuid) is
  'Restores a contact of a company. A contact that is not archived does not change. The result is { status: 200, id }, '
  '{ status: 404 }, or { status: 409, existing_id, field } with the contact that now has the phone number or the '
  'external_id.';

create function app.unarchive_deal(own_company_id uuid, own_deal_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  deal public.deals;
  conflict jsonb;
begin
  select * into deal from public.deals where company_id = own_company_id and id = own_deal_id
  for no key update;
  if not found then
    return jsonb_build_object('status', 404);
  end if;
  while deal.archived_at is not null loop
    conflict := app.conflict_of_deal(own_company_id, to_jsonb(deal));
    if conflict is not null then
      return conflict;
    end if;
    begin
      update public.deals set archived_at = null where company_id = own_company_id and id = own_deal_id;
      deal.archived_at := null;
    exception when unique_violation then
      null; -- another transaction has just given the external_id to a deal
    end;
  end loop;
  return jsonb_build_object('status', 200, 'id', own_deal_id);
end
$$;
comment on function app.unarchive_deal(uuid, uuid) is
  'Restores a deal of a company. A deal that is not archived does not change. The result is { status: 200, id }, { '
  'status: 404 }, or { status: 409, existing_id, field } with the deal that now has the external_id.';

create function public.restore_contact(id uuid, idempotency jsonb default null) returns json
language plpgsql security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('write');
  results jsonb;
  replayed boolean;
begin
  begin
    results := app.claim_idempotency_key(own_company_id, idempotency);
    replayed := results is not null;
    if not replayed then
      results := jsonb_build_array(app.unarchive_contact(own_company_id, restore_contact.id));
      if results #>> '{0,status}' <> '200' then
        raise sqlstate 'CRM01'; -- undoes the block, including the claim of the idempotency key
      end if;
      perform app.keep_outcome(own_company_id, idempotency, results);
    end if;
  exception when sqlstate 'CRM01' then
    null;
  end;
  return app.with_contact_rows(own_company_id, results, replayed);
end
$$;
comment on function public.restore_contact(uuid, jsonb) is
  'Restores a contact of the key''s company. Needs a write token. Returns a result in the format of write_contacts(). '
  'Its only item is the result of app.unarchive_contact(), with the current contact. Raises PT409 and PT422 as '
  'app.claim_idempotency_key() does. Raises PT401 and PT403 as app.company_id() does.';
grant execute on function public.restore_contact(uuid, jsonb) to api_client;

create function public.restore_deal(id uuid, idempotency jsonb default null) returns json
language plpgsql security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('write');
  results jsonb;
  replayed boolean;
begin
  begin
    results := app.claim_idempotency_key(own_company_id, idempotency);
    replayed := results is not null;
    if not replayed then
      results := jsonb_build_array(app.unarchive_deal(own_company_id, restore_deal.id));
      if results #>> '{0,status}' <> '200' then
        raise sqlstate 'CRM01'; -- undoes the block, including the claim of the idempotency key
      end if;
      perform app.keep_outcome(own_company_id, idempotency, results);
    end if;
  exception when sqlstate 'CRM01' then
    null;
  end;
  return app.with_deal_rows(own_company_id, results, replayed);
end
$$;
comment on function public.restore_deal(uuid, jsonb) is
  'Restores a deal of the key''s company, in the same way as restore_contact(). Needs a write token. The contact of '
  'the deal may remain archived.';
grant execute on function public.restore_deal(uuid, jsonb) to api_client;

create trigger deals_archive before update on public.deals
  for each row when (new.archived_at is not null) execute function app.keep_archived();
create trigger contacts_keep_persons_of_archived after update on public.contacts
  for each row when ((old.archived_at is null) <> (new.archived_at is null))
  execute function app.keep_persons_of_archived();
create trigger contacts_archive before update on public.contacts
  for each row when (new.archived_at is not null and old.erased_at is null) execute function app.keep_archived();

-- schemas/91_merge.sql

-- Functions that merge two contacts of the same person. One contact, the survivor, gets all data of the other contact.
-- A WhatsApp event or an API request causes the merge.

create function app.lock_both(own_company_id uuid, one uuid, another uuid) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  locked integer;
begin
  perform from public.contacts
  where company_id = own_company_id and id in (one, another) and archived_at is null
  order by id for update;
  get diagnostics locked = row_count;
  return locked = 2;
end
$$;
comment on function app.lock_both(uuid, uuid, uuid) is
  'Locks two contacts. Returns whether they can be merged: both must exist, and neither may be archived.';

create function app.merge_conversations(own_company_id uuid, survivor uuid, other uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  pair record;
begin
  -- On each account, a contact has at most one conversation that is not closed. If both contacts have such a
  -- conversation, the older conversation is kept.
  for pair in
    select
      case when is_own_older then own.id else theirs.id end as kept,
      case when is_own_older then theirs.id else own.id end as gone
    from public.conversations as own
    join public.conversations as theirs using (company_id, messaging_account_id)
    cross join lateral (select (own.created_at, own.id) < (theirs.created_at, theirs.id)) as age (is_own_older)
    where own.company_id = own_company_id and own.contact_id = survivor and own.status <> 'closed'
      and theirs.contact_id = other and theirs.status <> 'closed'
    order by 1
  loop
    -- Messages are locked before conversations, as when a send is settled. In the kept conversation, the messages of
    -- both conversations are sorted by created_at.
    perform from public.messages where company_id = own_company_id and conversation_id = pair.gone
    order by id for no key update;
    update public.messages set conversation_id = pair.kept
    where company_id = own_company_id and conversation_id = pair.gone;
    perform from public.conversations where company_id = own_company_id and id in (pair.kept, pair.gone)
    order by id for update;
    update public.conversations as kept set
      status = case when 'open' in (kept.status, gone.status) then 'open' else kept.status end,
      assigned_to = coalesce(kept.assigned_to, gone.assigned_to),
      team_id = coalesce(kept.team_id, gone.team_id),
      last_message_at = greatest(kept.last_message_at, gone.last_message_at)
    from public.conversations as gone
    where kept.company_id = own_company_id and kept.id = pair.kept
      and gone.company_id = own_company_id and gone.id = pair.gone;
    delete from public.conversations where company_id = own_company_id and id = pair.gone;
  end loop;
  update public.conversations set contact_id = survivor
  where company_id = own_company_id and contact_id = other;

  insert into public.contact_windows as windows
    (company_id, contact_id, account_id, last_inbound_at, closed_at, closing_noted_for)
  select company_id, survivor, account_id, last_inbound_at, closed_at, closing_noted_for from public.contact_windows
  where company_id = own_company_id and contact_id = other
  on conflict on constraint contact_windows_once do update set
    last_inbound_at = greatest(windows.last_inbound_at, excluded.last_inbound_at),
    closed_at = greatest(windows.closed_at, excluded.closed_at),
    closing_noted_for = greatest(windows.closing_noted_for, excluded.closing_noted_for);
  update public.conversations set window_expires_at = windows.expires_at
  from public.contact_windows as windows
  where conversations.company_id = own_company_id and conversations.contact_id = survivor
    and conversations.status <> 'closed'
    and windows.company_id = own_company_id and windows.contact_id = survivor
    and windows.account_id = conversations.messaging_account_id
    and conversations.window_expires_at is distinct from windows.expires_at;
end
$$;
comment on function app.merge_conversations(uuid, uuid, uuid) is
  'Moves the conversations and windows of one contact to another contact. Only app.merge_contacts() calls this '
  'function.';

-- A merge locks deals in the same order as batch requests do. The merge stores the survivor's id in the tombstone
-- (deleted_rows) of the other contact, and fills the survivor's empty fields.
create function app.merge_contacts(own_company_id uuid, survivor uuid, other uuid) returns boolean
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  own public.contacts;
  theirs public.contacts;
  -- The custom fields that are missing or empty in the surviving contact.
  filling jsonb;
  taken record;
begin
  perform from public.contacts where company_id = own_company_id and id in (survivor, other)
  order by id for update;
  select * into own from public.contacts where company_id = own_company_id and id = survivor;
  select * into theirs from public.contacts where company_id = own_company_id and id = other;
  if own.id is null or theirs.id is null or own.id = theirs.id then
    return false;
  end if;
  select coalesce(jsonb_object_agg(key, value), '{}') into filling
  from jsonb_each(theirs.custom_fields)
  where coalesce(own.custom_fields -> key, 'null') in ('null', '""', '[]', '{}');

  -- All functions lock deals in the order of their ids.
  perform from public.deals where company_id = own_company_id and contact_id = other order by id for no key update;
  update public.deals set contact_id = survivor where company_id = own_company_id and contact_id = other;
  perform app.merge_conversations(own_company_id, survivor, other);

  update public.opt_out_lifts set contact_id = survivor where company_id = own_company_id and contact_id = other;
  update public.contact_identities set contact_id = survivor
  where company_id = own_company_id and contact_id = other;
  -- A person who returned to an earlier phone number has this number in two rows, so the merge combines such rows.
  insert into public.contact_former_phones as former (company_id, contact_id, phone, until)
  select own_company_id, survivor, (array_agg(known.phone order by known.until desc, known.phone))[1], max(known.until)
  from (
    select phone, until from public.contact_former_phones
    where company_id = own_company_id and contact_id = other
    union all
    -- As far as the platform knows, the person still has this phone number.
    select theirs.phone, 'infinity' where theirs.phone_key <> own.phone_key
  ) as known
  group by app.phone_key(known.phone)
  on conflict on constraint contact_former_phones_once do update set
    until = greatest(former.until, excluded.until);
  insert into public.contact_identity_events (company_id, contact_id, kind, was, becomes, happened_at)
  select company_id, survivor, kind, was, becomes, happened_at from public.contact_identity_events
  where company_id = own_company_id and contact_id = other
  union all
  select own_company_id, survivor, 'merged', other::text, survivor::text, now()
  on conflict on constraint contact_identity_events_once do nothing;

  -- With this setting, the event triggers create a single event, contact.merged, for the deletion of one contact and
  -- the change of the survivor.
  perform set_config('app.merged', survivor || ' ' || other, true);
  delete from public.contacts where company_id = own_company_id and id = other;
  update public.deleted_rows set merged_into = survivor
  where company_id = own_company_id and resource = 'contacts' and id = any (other || array(
    select id from public.deleted_rows where company_id = own_company_id and merged_into = other
  ));

  update public.contacts set
    phone = coalesce(own.phone, theirs.phone),
    has_identity = own.has_identity or theirs.has_identity,
    -- A name from a member or a key takes precedence over a profile name. Of two profile names, the earlier name is
    -- kept.
    (name, profile_name_at) = (
      select name, profile_name_at
      from (values (1, own.name, own.profile_name_at), (2, theirs.name, theirs.profile_name_at))
        as names (place, name, profile_name_at)
      where name <> ''
      order by profile_name_at nulls first, case when profile_name_at is not null then name collate "C" end, place
      limit 1
    ),
    external_id = coalesce(own.external_id, theirs.external_id),
    email = coalesce(nullif(own.email, ''), theirs.email, own.email),
    job_title = coalesce(nullif(own.job_title, ''), theirs.job_title, own.job_title),
    empresa = coalesce(nullif(own.empresa, ''), theirs.empresa, own.empresa),
    tags = array(
      select tag
      from unnest(own.tags || theirs.tags) with ordinality as tagged (tag, place)
      group by tag order by min(place) limit 50
    ),
    custom_fields = case
      when octet_length((own.custom_fields || filling)::text) <= 32768 then own.custom_fields || filling
      else own.custom_fields
    end,
    -- The survivor gets do_not_contact if one of the two contacts had it. The survivor also gets the newest "stop" and
    -- the newest "start" of the two contacts.
    do_not_contact = own.do_not_contact or theirs.do_not_contact,
    (do_not_contact_source, do_not_contact_at) = (
      select source, at
      from (values
        (own.do_not_contact, own.do_not_contact_source, own.do_not_contact_at),
        (theirs.do_not_contact, theirs.do_not_contact_source, theirs.do_not_contact_at)
      ) as said (stops, source, at)
      order by stops desc, source = 'manual' desc nulls last, at desc nulls last
      limit 1
    ),
    stop_word_at = greatest(own.stop_word_at, theirs.stop_word_at),
    start_word_at = greatest(own.start_word_at, theirs.start_word_at),
    marketing_stopped_at = greatest(own.marketing_stopped_at, theirs.marketing_stopped_at),
    marketing_stop_source = case
      when own.marketing_stopped_at is null or theirs.marketing_stopped_at > own.marketing_stopped_at
        then theirs.marketing_stop_source
      else own.marketing_stop_source
    end,
    marketing_resumed_at = greatest(own.marketing_resumed_at, theirs.marketing_resumed_at)
  where company_id = own_company_id and id = survivor;
  perform set_config('app.merged', '', true);

  -- Two people seemed to have the same phone number, but they are one person, who has changed the number.
  for taken in
    delete from public.contact_identity_events
    where company_id = own_company_id and contact_id = survivor and kind = 'phone_taken'
      and app.phone_key(becomes) in (own.phone_key, theirs.phone_key)
    returning was, becomes, happened_at
  loop
    perform app.change_phone(own_company_id, survivor, taken.was, taken.becomes, taken.happened_at);
  end loop;
  return true;
end
$$;
comment on function app.merge_contacts(uuid, uuid, uuid) is
  'Merges two contacts of a company into one. The survivor gets the deals, conversations, ids, phone numbers and '
  'opt-outs of the other contact. Empty fields of the survivor get the values of the other contact. The other contact '
  'is deleted, and its tombstone contains the survivor''s id. Returns false when one of the contacts no longer exists. '
  'The caller must have acquired the advisory lock of the company, or must write nothing else.';

create function app.lock_for_merging(own_company_id uuid, survivor_id uuid, from_id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  locked_messages bigint;
begin
  -- Because of this lock, a company's merges run one after the other, and no event of the company is applied during a
  -- merge.
  perform set_config('lock_timeout', '4s', true);
  perform pg_advisory_xact_lock(hashtextextended('events of ' || own_company_id, 0));
  for tries in 1..5 loop
    begin
      -- The deals are locked before the contacts. A transaction that assigns a deal to another contact also locks the
      -- deal first.
      perform from public.deals where company_id = own_company_id and contact_id = from_id
      order by id for no key update;
      -- Every transaction acquires its locks in this order: messages, contacts, windows, conversations. The survivor's
      -- messages do not change.
      perform from public.messages where id = any ((select app.messages_of(own_company_id, array[from_id]))::uuid[])
      order by id for no key update;
      get diagnostics locked_messages = row_count;
      perform from public.contacts where company_id = own_company_id and id in (survivor_id, from_id)
      order by id for update;
      perform from public.contact_windows where company_id = own_company_id and contact_id in (survivor_id, from_id)
      order by id for update;
      perform from public.conversations where company_id = own_company_id and contact_id in (survivor_id, from_id)
      order by id for update;
      -- A claim that was in progress has ended by now, so its message exists. Later claims wait for the contact.
      exit when cardinality(app.messages_of(own_company_id, array[from_id])) = locked_messages;
      raise sqlstate 'CRM02'; -- releases the locks, to acquire them again in order
    exception when sqlstate 'CRM02' then
      if tries = 5 then
        raise lock_not_available using message = 'Messages of the contact are being added continuously';
      end if;
    end;
  end loop;
end
$$;
comment on function app.lock_for_merging(uuid, uuid, uuid) is
  'Locks two contacts and the rows that move to the survivor, in the same order as every other transaction.';

create function app.merge_found_contacts(
  own_company_id uuid, survivor_id uuid, from_id uuid, accepted_versions bigint[]
) returns jsonb
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  survivor public.contacts;
  other public.contacts;
  holder uuid;
begin
  perform app.lock_for_merging(own_company_id, survivor_id, from_id);

  select * into survivor from public.contacts where company_id = own_company_id and id = survivor_id;
  if survivor.id is null then
    holder := app.survivor_of(own_company_id, survivor_id);
    return case
      when holder is null then '{"status": 404}'
      else jsonb_build_object('status', 409, 'existing_id', holder, 'merged', true)
    end;
  elsif survivor.erased_at is not null then
    raise sqlstate 'PT404' using
      message = 'Contact not found: the person was erased, so nothing is left to change or to restore';
  elsif survivor.archived_at is not null then
    raise sqlstate 'PT404' using
      message = 'Contact not found: it is archived, so restore it before you change it';
  elsif survivor_id = from_id then
    return '{"status": 422, "constraint": "merge_from_another"}';
  end if;

  select * into other from public.contacts where company_id = own_company_id and id = from_id;
  if other.id is null then
    holder := app.survivor_of(own_company_id, from_id);
    return case
      when holder is null then '{"status": 422, "constraint": "merge_from_known"}'
      -- The contact was merged into the survivor earlier.
      when holder = survivor_id then jsonb_build_object('status', 200, 'id', survivor_id)
      else jsonb_build_object('status', 409, 'existing_id', holder, 'field', 'from')
    end;
  elsif other.erased_at is not null then
    return '{"status": 422, "constraint": "merge_from_not_erased"}';
  elsif other.archived_at is not null then
    return '{"status": 422, "constraint": "merge_from_not_archived"}';
  end if;
  perform app.require_version(survivor.version, accepted_versions);
  perform app.merge_contacts(own_company_id, survivor_id, from_id);
  return jsonb_build_object('status', 200, 'id', survivor_id);
end
$$;
comment on function app.merge_found_contacts(uuid, uuid, uuid, bigint[]) is
  'Merges the contact from_id into the contact survivor_id. The result is { status: 200, id }, even if the contacts '
  'were merged earlier. The result is { status: 404 } for an unknown survivor. If the survivor was merged into a third '
  'contact, the result is { status: 409, existing_id, merged } with that contact. If from_id was merged into a third '
  'contact, the result is { status: 409, existing_id, field }. If from_id cannot be merged for another reason, the '
  'result is { status: 422, constraint }, with the violated rule. Raises PT404 for a survivor that is archived or '
  'erased, and PT412 as app.require_version() does.';

create function public.merge_contact(
  id uuid, from_id uuid, accepted_versions bigint[] default null, must_exist boolean default false,
  idempotency jsonb default null
) returns json
-- Security definer, because an API key cannot write most of the rows that a merge changes.
language plpgsql security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('write');
  results jsonb;
  replayed boolean;
begin
  begin
    results := app.claim_idempotency_key(own_company_id, idempotency);
    replayed := results is not null;
    if not replayed then
      results := jsonb_build_array(
        app.merge_found_contacts(own_company_id, merge_contact.id, from_id, accepted_versions)
      );
      if results #>> '{0,status}' <> '200' then
        raise sqlstate 'CRM01'; -- undoes the block, and with it the claim of the key
      end if;
      perform app.keep_outcome(own_company_id, idempotency, results);
    end if;
  exception when sqlstate 'CRM01' then
    null;
  end;
  return app.with_contact_rows(own_company_id, results, replayed);
end
$$;
comment on function public.merge_contact(uuid, uuid, bigint[], boolean, jsonb) is
  'Merges the contact from_id of the key''s company into the contact `id` (the survivor), if the survivor has an '
  'accepted version. Null accepts any version. Needs a write token. The argument must_exist has no effect, because the '
  'survivor must always exist. Returns a result in the format of write_contacts(), with the result of '
  'app.merge_found_contacts() as its only item. Raises the errors of that function, of app.claim_idempotency_key() and '
  'of app.company_id().';
grant execute on function public.merge_contact(uuid, uuid, bigint[], boolean, jsonb) to api_client;

-- schemas/92_names_in_events.sql

-- Functions that find the people whom an event mentions. A name is an identifier of a person: a phone key, a WhatsApp
-- user id or an email address. One pass over the text finds all these people. A function call for each name would take
-- seconds for the events of a busy day.

create function app.names_in(document text) returns text[]
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
declare
  -- This pattern removes times and the ids of the company's own numbers, because they identify no person. The pattern
  -- also removes escaped characters, because they may end in digits.
  told constant text := regexp_replace(
    document,
    '[\\' || chr(57344) || ']u[0-9a-fA-F]{4}|"(?:timestamp|time|phone_number_id)"\s*:\s*"?[0-9]+', ' ', 'g'
  );
  -- The WhatsApp ids of messages and calls contain the phone number. Four characters of an id encode three bytes, so
  -- all ids can be decoded together. Three NUL bytes separate two ids.
  encoded constant text := (
    select string_agg(left(translate(id[1], '-_', '+/'), char_length(id[1]) / 4 * 4), 'AAAA')
    from regexp_matches(told, 'wa[a-z]*id\.([A-Za-z0-9+/_-]+)', 'g') as id
  );
  -- The function encode() writes a non-ASCII byte as a backslash and three digits.
  decoded constant text := regexp_replace(
    encode(decode(coalesce(encoded, ''), 'base64'), 'escape'), '\\\\|\\[0-3][0-7][0-7]', ' ', 'g'
  );
begin
  return array(
    select case
      -- Only these numbers can have a phone key that differs from the number. A call of app.phone_key() for each number
      -- would cost more than the search.
      when digits ~ '^5(5[0-9]{10}|[24][0-9]{11})$' then app.phone_key('+' || digits)
      else '+' || digits
    end
    from (
      select run[1] from regexp_matches(told, '[0-9]+', 'g') as run
      union all
      -- Phone numbers in messages may contain spaces and punctuation.
      select translate(run[1], ' ().-', '') from regexp_matches(told, '([0-9]+(?:[ ().-]+[0-9]+)+)', 'g') as run
      union all
      select run[1] from regexp_matches(decoded, '[0-9]+', 'g') as run
    ) as runs (digits)
    where char_length(digits) between 7 and 15 and digits >= '1'
    union
    -- WhatsApp user ids anywhere in the text, and any string in a field for such an id.
    select id
    from (
      select rtrim(code[1], '.') from regexp_matches(told, '([A-Z][A-Z]\.[A-Za-z0-9.]+)', 'g') as code
      union all
      select quoted[1]
      from regexp_matches(told, '"(?:[a-z_]*user_id|current|previous)"\s*:\s*"([^"\\]+)"', 'g') as quoted
      union all
      select lower(email[1])
      from regexp_matches(told, '([A-Za-z0-9.!#$%&''*+/=?^_`{|}~-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)', 'g') as email
    ) as ids (id)
    where char_length(id) between 1 and 320
  );
end
$$;
comment on function app.names_in(text) is
  'Returns all identifiers (names) of people in the JSON of an event or an item: phone keys, WhatsApp user ids and '
  'email addresses. Also returns other numbers that have as many digits as a phone number.';

create function app.names_among(document jsonb, people jsonb) returns text[]
language plpgsql immutable
set search_path = ''
as $$
begin
  return array(select name from unnest(app.names_in(document::text)) as name where people ? name);
end
$$;
comment on function app.names_among(jsonb, jsonb) is
  'Returns the names that a JSON document contains and that are members of `people`, { name: … }.';

create function app.author_names(part jsonb) returns text[]
-- This function does not call app.names_in(), because an event may have thousands of parts.
language plpgsql immutable
set search_path = ''
as $$
declare
  encoded constant text := translate(substring(part ->> 'id' from '^wa[a-z]*id\.([A-Za-z0-9+/_-]+)'), '-_', '+/');
  user_ids constant text[] := array_remove(array[
    part ->> 'from_user_id', part ->> 'user_id', part ->> 'recipient_user_id'
  ], null);
  phones constant text[] := array_remove(array[part ->> 'from', part ->> 'wa_id', part ->> 'recipient_id'], null);
begin
  -- If a part has no valid author, for example because the part is malformed, all names in the part are returned.
  if phones || user_ids = '{}' or jsonb_typeof(part -> 'user_id') = 'object' then
    return app.names_in(part::text);
  end if;
  return user_ids || array(
    select case when digits ~ '^5(5[0-9]{10}|[24][0-9]{11})$' then app.phone_key('+' || digits) else '+' || digits end
    from (
      select translate(phone, '+ ().-', '') from unnest(phones) as phone
      union all
      -- In the decoded id, the phone number comes first, and any bytes may follow it.
      select substring(
        encode(decode(left(encoded, char_length(encoded) / 4 * 4), 'base64'), 'escape') from '[1-9][0-9]{6,14}'
      )
    ) as known (digits)
    where digits ~ '^[0-9]{7,15}$'
  );
end
$$;
comment on function app.author_names(jsonb) is
  'Returns the names of the person to whom a part of an event belongs: the author, or the recipient in a report. '
  'Includes quoted or forwarded names only when the part has no such person. A message with another person''s contact '
  'card belongs to its sender.';

create function app.marks_of(names text[]) returns bigint[]
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
begin
  return array(select distinct hashtextextended(name, 0) from unnest(names) as name);
end
$$;
comment on function app.marks_of(text[]) is
  'Returns the hashes (marks) of names. The indexes on person_marks contain these hashes. Two names may have the same '
  'hash.';

create function app.marks_of_event(body bytea) returns bigint[]
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
begin
  return app.marks_of(app.names_in(app.text_of_event(body)));
exception when others then
  -- The event must be applied even if no names can be read from it.
  return null;
end
$$;
comment on function app.marks_of_event(bytea) is
  'Returns the hashes of the people whom an event mentions, or null when the names cannot be read.';

create function app.text_of_event(body bytea) returns text
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
declare
  -- This character replaces the backslashes that remain after the other replacements. No byte is converted to this
  -- character. With these backslashes, the jsonb type would refuse some escaped characters.
  escape constant text := chr(57344);
begin
  -- An escaped slash or at sign becomes the character itself. A pair of backslashes does not escape the next character.
  return replace(replace(replace(replace(replace(
    convert_from(body, 'LATIN1'), '\\', chr(57345)), '\"', chr(57346)), '\/', '/'), '\u0040', '@'), '\', escape);
exception when others then
  -- Postgres cannot convert bytes that contain a NUL.
  return regexp_replace(encode(body, 'escape'), '\\[0-3][0-7][0-7]', ' ', 'g');
end
$$;
comment on function app.text_of_event(bytea) is
  'Returns the text of an event for the name search. Each byte becomes a character, and no backslash remains, so '
  'Postgres accepts the text as JSON. app.bytes_of_event() reverses this conversion.';

create function app.bytes_of_event(document text) returns bytea
language sql immutable strict parallel safe
set search_path = ''
as $$
  select convert_to(
    replace(replace(replace(document, chr(57344), '\'), chr(57346), '\"'), chr(57345), '\\'), 'LATIN1'
  )
$$;
comment on function app.bytes_of_event(text) is 'Returns the bytes from which app.text_of_event() made this text.';

create function app.note_people_of_fact() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  begin
    new.person_marks := app.marks_of(app.names_in(new.item::text));
  exception when others then
    new.person_marks := null;
  end;
  return new;
end
$$;
comment on function app.note_people_of_fact() is
  'Trigger: stores the hashes of the people whom a waiting fact mentions.';

create trigger waiting_facts_note_people before insert or update of item on public.waiting_facts
  for each row execute function app.note_people_of_fact();

-- schemas/93_erased.sql

-- Functions that keep erased data erased. When a person is erased, a send may still be in progress, and reports may
-- arrive for weeks afterwards. No write to an erased row can restore the person's data. Ids, times, states, prices and
-- amounts remain, because they are counted. Hashes of phone numbers and ids identify erased people. WhatsApp may send
-- events about a person for days after the erasure, and operators may replay events. All data in such an event about
-- the time before the erasure is removed. The hashes are deleted after 45 days.

create table app.erased_people (
  company_id uuid not null references public.companies on delete cascade,
  digest text not null check (digest ~ '^erased\.[0-9a-f]{64}$'),
  -- Before this second, the phone number or id belonged to the erased person. From this second on, a former phone
  -- number may belong to another person.
  until timestamptz not null,
  erased_at timestamptz not null default now(),
  primary key (company_id, digest)
);
comment on table app.erased_people is 'Hashes of erased people''s phone numbers and ids, kept for 45 days.';

create index erased_people_age_idx on app.erased_people (erased_at);

create function app.stay_erased() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if current_user in ('api_client', 'authenticated') or new.archived_at is null then
    raise sqlstate 'PT404' using
      message = 'Contact not found: the person was erased, so nothing is left to change or to restore';
  end if;
  -- The platform discards all data that arrives later.
  return null;
end
$$;
comment on function app.stay_erased() is
  'Trigger: prevents changes to an erased contact. Raises PT404, with a message for callers, when a caller changes the '
  'contact or any statement restores it.';

create function app.erase_message() returns trigger
-- Security definer, because no role may read the secret key for the hashes.
language plpgsql security definer
set search_path = ''
as $$
begin
  new.is_erased := true;
  new.content := '';
  new.original_content := null;
  new.rendered_text := null;
  new.payload := null;
  new.media := null;
  new.reaction := null;
  new.own_reaction := null;
  new.own_reaction_whatsapp_id := null;
  -- WhatsApp's error message may identify the person, but the error code does not.
  new.failure := new.failure || '{ "message": null, "details": null }';
  -- WhatsApp ids contain the phone number.
  new.whatsapp_message_id := app.erased_digest(new.company_id, 'message', new.whatsapp_message_id);
  new.reply_to_whatsapp_id := null;
  return new;
end
$$;
comment on function app.erase_message() is
  'Trigger: removes the content of an erased message, and replaces the WhatsApp id with a hash.';

create function app.erase_send() returns trigger
language plpgsql security definer -- see erase_message()
set search_path = ''
as $$
begin
  new.is_erased := true;
  -- If a caller repeats a released send, the message is sent again. If a caller repeats a failed send, nothing is sent.
  if new.state = 'released' then
    new.state := 'failed';
  end if;
  -- An idempotency key may contain any data of the caller, even a phone number.
  new.idempotency_key := app.erased_digest(new.company_id, 'key', new.idempotency_key);
  -- The fingerprint contains unkeyed hashes, so short values can be guessed.
  new.fingerprint := null;
  new.whatsapp_message_id := app.erased_digest(new.company_id, 'message', new.whatsapp_message_id);
  new.double_sent_ids := array_remove(array(
    select distinct app.erased_digest(new.company_id, 'message', id) collate "C"
    from unnest(new.double_sent_ids) as id order by 1
  ), new.whatsapp_message_id);
  return new;
end
$$;
comment on function app.erase_send() is
  'Trigger: replaces the idempotency key and the WhatsApp ids of an erased send with hashes. The send is never '
  'repeated.';

-- An erased idempotency key is recognized by its hash. So a repeat does not send again, even if the person was erased
-- after the first request.
create function app.require_key_not_erased() returns trigger
-- Security definer, because no role may read the secret key for the hashes.
language plpgsql security definer
set search_path = ''
as $$
begin
  if tg_when = 'BEFORE' then
    new.idempotency_key := app.known_send_key(new.company_id, new.idempotency_key);
    return new;
  end if;
  -- The person was erased while this claim waited for the row with the same key. When the caller repeats the claim, the
  -- claim finds the hash.
  if app.known_send_key(new.company_id, new.idempotency_key) <> new.idempotency_key then
    raise serialization_failure using message = 'The send with this idempotency key was erased in the meantime';
  end if;
  return null;
end
$$;
comment on function app.require_key_not_erased() is
  'Trigger: treats a send with the idempotency key of an erased send as a repeat of that send.';

create function app.forget_erased_people(max_rows integer) returns integer
language sql
set search_path = ''
as $$
  with old as (
    select company_id, digest from app.erased_people
    -- WhatsApp tries to deliver a message for up to 30 days, and repeats an event for up to 7 more days.
    where erased_at < now() - interval '45 days'
    order by erased_at
    limit max_rows
    for update skip locked
  ),
  removed as (
    delete from app.erased_people as people using old
    where people.company_id = old.company_id and people.digest = old.digest
    returning people.digest
  )
  select count(*)::integer from removed
$$;
comment on function app.forget_erased_people(integer) is
  'Deletes at most max_rows hashes that are older than 45 days, and returns the number of deleted hashes.';

create function app.erased_among(own_company_id uuid, names text[]) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_object_agg(erased.name, jsonb_build_object(
      -- WhatsApp reports times in whole seconds. An event with the second of the erasure may have happened after the
      -- erasure.
      'until', floor(extract(epoch from erased.until))::bigint - 1,
      'is_back', exists (
        select from public.contacts where company_id = own_company_id and phone_key = erased.name
        union all
        select from public.contact_former_phones where company_id = own_company_id and phone_key = erased.name
        union all
        select from public.contact_identities where company_id = own_company_id and user_id = erased.name
      )
    )), '{}')
    from (
      select named.name, people.until
      from (
        -- This query computes the same hash as app.erased_digest(). Calling that function once per name would cost
        -- more.
        select name, 'erased.' || encode(
          sha256(outer_pad || sha256(
            inner_pad || convert_to(format('%s %s %s', own_company_id, 'person', name), 'UTF8')
          )),
          'hex'
        ) as digest
        from unnest(names) as name cross join app.erasure_key
      ) as named
      join app.erased_people as people on people.company_id = own_company_id and people.digest = named.digest
    ) as erased
  );
end
$$;
comment on function app.erased_among(uuid, text[]) is
  'Returns the given names that belonged to erased people of the company, as { name: { until, is_back } }. The member '
  '`until` is the last second in which the person had the name. The member is_back is true if a contact has the name '
  'again.';

create function app.late_ids_in(own_company_id uuid, items jsonb) returns text[]
language plpgsql stable
set search_path = ''
as $$
begin
  return array(
    select item ->> 'id'
    from jsonb_array_elements(items) as listed (item)
    where item ->> 'kind' = 'status' and (
      exists (
        select from public.messages
        where company_id = own_company_id
          and whatsapp_message_id = app.erased_digest(own_company_id, 'message', item ->> 'id')
      )
      or exists (
        select from public.sends
        where company_id = own_company_id and is_erased and id = case
          when pg_catalog.pg_input_is_valid(item #>> '{mark,send_id}', 'uuid') then (item #>> '{mark,send_id}')::uuid
        end
      )
    )
  );
end
$$;
comment on function app.late_ids_in(uuid, jsonb) is
  'Returns the WhatsApp message ids in the status reports about erased messages of the company.';

create function app.item_without(own_company_id uuid, item jsonb, people jsonb, late_ids text[]) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  kind constant text := item ->> 'kind';
begin
  case
    when kind = 'status' and item ->> 'id' = any (late_ids) then
      -- The state of the message is counted, so it remains. The recipient is removed.
      return item || jsonb_build_object(
        'id', app.erased_digest(own_company_id, 'message', item ->> 'id'), 'recipient_user_id', null
      ) || case
        when jsonb_typeof(item -> 'failure') = 'object'
          then jsonb_build_object('failure', (item -> 'failure') || '{ "message": null, "details": null }')
        else '{}' end;
    when kind in ('status', 'message', 'reaction', 'edit', 'revoke', 'system', 'identity', 'preference') then
      if kind <> 'status' and exists (
        select from public.messages
        where company_id = own_company_id and whatsapp_message_id = app.erased_digest(
          own_company_id, 'message', coalesce(item ->> 'target', item ->> 'id')
        )
      ) then
        return null;
      end if;
      return case when not app.is_about(
        jsonb_build_object(
          'from', item #> '{person,phone}', 'from_user_id', item #> '{person,user_id}',
          'recipient_user_id', item -> 'recipient_user_id', 'id', item -> 'id',
          'timestamp', extract(epoch from (item ->> 'at')::timestamptz)::bigint
        ),
        people, kind = 'status'
      ) then item end;
    when kind in ('template', 'account') and app.names_among(item -> 'value', people) <> '{}' then
      return item || jsonb_build_object('value', app.words_of(item -> 'value', people));
    when kind = 'trouble' and app.names_among(item -> 'errors', people) <> '{}' then
      return item || jsonb_build_object('errors', app.codes_of(item -> 'errors'));
    else
      return item;
  end case;
end
$$;
comment on function app.item_without(uuid, jsonb, jsonb, text[]) is
  'Removes the erased people in `people`, { name: { until, is_back } }, from an item, and returns the item. Returns '
  'null when the item belongs to one of these people. A report whose id is in late_ids keeps only the values that are '
  'counted. A notice that mentions one of these people keeps only its numbers and fixed values.';

create function app.judged_event(app_id uuid, names text[], inout body bytea, inout items jsonb)
language plpgsql stable
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id uuid;
  is_own_app boolean;
  people jsonb;
  late_ids text[];
  number_ids text[];
  business_ids text[];
  company_ids uuid[];
begin
  if jsonb_typeof(items) is distinct from 'array' then
    return;
  end if;
  select
    array_agg(distinct item ->> 'phone_number_id'),
    array_agg(distinct item ->> 'waba') filter (where item ->> 'phone_number_id' is null)
  into number_ids, business_ids
  from jsonb_array_elements(items) as listed (item);
  company_ids := array(
    select company_id from public.messaging_accounts where phone_number_id = any (number_ids)
    union
    select company_id from public.messaging_accounts where business_account_id = any (business_ids)
    order by 1
  );
  if company_ids = '{}' then
    -- An item without an account may still contain data about people whom a company of the app has erased.
    company_ids := array(
      select distinct named.company_id from public.account_channel_apps as named where named.channel_app_id = app_id
      order by 1
    );
  end if;
  foreach own_company_id in array company_ids loop
    -- Nearly every company has no erased people. A query for one company at a time uses the index, even if the planner
    -- expects many rows.
    continue when not exists (select from app.erased_people where company_id = own_company_id);
    names := coalesce(names, app.names_in(app.text_of_event(body)));
    people := app.erased_among(own_company_id, names);
    late_ids := app.late_ids_in(own_company_id, items);
    continue when people = '{}' and late_ids = '{}';
    is_own_app := exists (
      select from public.account_channel_apps as named
      where named.company_id = own_company_id and named.channel_app_id = app_id
    );
    body := app.event_without(own_company_id, is_own_app, body, people, late_ids);
    select coalesce(jsonb_agg(kept order by place), '[]') into items
    from jsonb_array_elements(items) with ordinality as listed (item, place)
    cross join lateral (
      -- If a number has moved from one company to another, perhaps only one of the two companies has erased the person.
      select case when is_own_app and item ->> 'phone_number_id' is null or exists (
        select from public.messaging_accounts as accounts
        where accounts.company_id = own_company_id and (
          accounts.phone_number_id = item ->> 'phone_number_id'
          or item ->> 'phone_number_id' is null and accounts.business_account_id = item ->> 'waba'
        )
      ) then app.item_without(own_company_id, item, people, late_ids) else item end as kept
    ) as judged
    where kept is not null;
  end loop;
end
$$;
comment on function app.judged_event(uuid, text[], bytea, jsonb) is
  'Returns the bytes and the items of an app''s event, without data about people whom the event''s companies have '
  'erased. The argument `names` contains the names in the event. If it is null, the function searches for the names '
  'itself. An event that arrives after an erasure is checked before it is stored. Its bytes and its items are checked '
  'together, so both lose the same data.';

create trigger contacts_stay_erased before update on public.contacts
  for each row when (old.erased_at is not null) execute function app.stay_erased();
create trigger messages_erase before update on public.messages
  for each row when (old.is_erased or new.is_erased) execute function app.erase_message();
create trigger sends_erase before update on public.sends
  for each row when (old.is_erased or new.is_erased) execute function app.erase_send();
create trigger sends_find_erased_key before insert on public.sends
  for each row when (new.idempotency_key is not null) execute function app.require_key_not_erased();
create trigger sends_require_key_not_erased after insert on public.sends
  for each row when (new.idempotency_key is not null) execute function app.require_key_not_erased();

-- schemas/94_erase_in_events.sql

-- Functions that remove an erased person from events. The data about other people in an event remains, because the
-- event may not have been applied yet.

create function app.is_about(part jsonb, people jsonb, is_report boolean default false) returns boolean
language plpgsql immutable
set search_path = ''
as $$
declare
  named constant text[] := app.author_names(part);
begin
  return people ?| named and exists (
    select from unnest(named) as name
    where people ? name and (
      coalesce(substring(part ->> 'timestamp' from '^[0-9]{1,12}$')::bigint, 0) <= (people #>> array[name, 'until'])::bigint
      -- A delivery report does not mean that the person is back.
      or is_report and not (people #> array[name, 'is_back'])::boolean
    )
  );
end
$$;
comment on function app.is_about(jsonb, jsonb, boolean) is
  'Checks whether a part of an event belongs to one of these erased people, { name: { until, is_back } }. A part '
  'belongs to the person only up to the second `until`. A report about a message belongs to the person even if its '
  'time is later, unless `is_back` is true.';

create function app.codes_of(errors jsonb) returns jsonb
language sql immutable
set search_path = ''
as $$
  select jsonb_agg(jsonb_build_object('code', error -> 'code'))
  from jsonb_array_elements(app.as_list(errors)) as error
$$;
comment on function app.codes_of(jsonb) is
  'Returns the errors of an event reduced to their codes. Returns null when there are no errors.';

create function app.report_without(own_company_id uuid, report jsonb) returns jsonb
language sql stable
set search_path = ''
as $$
  -- The state of a message is counted, even if the message is erased.
  select jsonb_strip_nulls(jsonb_build_object(
    'id', app.erased_digest(own_company_id, 'message', report ->> 'id'),
    'status', report -> 'status',
    'timestamp', report -> 'timestamp',
    'biz_opaque_callback_data', report -> 'biz_opaque_callback_data',
    'pricing', report -> 'pricing',
    'errors', app.codes_of(report -> 'errors')
  ))
$$;
comment on function app.report_without(uuid, jsonb) is
  'Returns a status of an event without the person who received the message.';

create function app.words_of(notice jsonb, people jsonb) returns jsonb
language sql immutable
set search_path = ''
as $$
  select coalesce(jsonb_object_agg(key, value), '{}')
  from jsonb_each(case when jsonb_typeof(notice) = 'object' then notice else '{}' end)
  where (
      jsonb_typeof(value) in ('number', 'boolean')
      or value #>> '{}' ~ '^[A-Z][A-Z_]{0,63}$'
      or key ~ '^message_template_(id|name|language)$'
    )
    and app.names_among(value, people) = '{}'
$$;
comment on function app.words_of(jsonb, jsonb) is
  'Returns a WhatsApp notice about a template or an account without its free text. Its numbers and fixed values '
  'remain.';

create function app.change_without(
  own_company_id uuid, is_own_app boolean, business_id text, change jsonb, people jsonb, late_ids text[]
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  lists constant text[] := array['messages', 'statuses', 'contacts', 'user_preferences', 'user_id_update'];
  field constant text := change ->> 'field';
  value jsonb := change -> 'value';
  number_id constant text := value #>> '{metadata,phone_number_id}';
  company_ids constant uuid[] := array(
    select company_id from public.messaging_accounts
    where case when number_id is not null then phone_number_id = number_id else business_account_id = business_id end
  );
  -- A field that this platform does not read is erased. Such a field remains only if the person is back and the whole
  -- change happened after the erasure.
  is_unread_erased constant boolean := exists (
    select from jsonb_each(people) as erased (name, known)
    where not (known -> 'is_back')::boolean or (known ->> 'until')::bigint >= coalesce(
      (
        select min(told.at[1]::bigint)
        from regexp_matches(change::text, '"timestamp"\s*:\s*"?([0-9]{1,12})(?![0-9])', 'g') as told (at)
      ),
      0
    )
  );
  key text;
  kept jsonb;
  had integer := 0;
  has integer := 0;
  remaining_names text[] := '{}';
  erased_names text[];
begin
  -- A change that names no known account belongs to the companies of the app that signed it.
  if not (own_company_id = any (company_ids) or company_ids = '{}' and is_own_app) then
    return change;
  end if;
  if field = any (array[
    'message_template_status_update', 'message_template_quality_update', 'template_category_update',
    'message_template_components_update', 'account_alerts', 'account_review_update', 'account_settings_update',
    'account_update', 'business_capability_update', 'business_status_update', 'phone_number_name_update',
    'phone_number_quality_update', 'security'
  ]) then
    return case when app.names_among(change, people) = '{}' then change
      else jsonb_build_object('field', field, 'value', app.words_of(value, people)) end;
  elsif jsonb_typeof(value) is distinct from 'object'
    or coalesce(field, '') not in ('messages', 'user_preferences', 'user_id_update')
  then
    return case when not is_unread_erased then change end;
  end if;

  erased_names := array(select jsonb_object_keys(people)) || array(
    select name from jsonb_array_elements(app.as_list(value -> 'statuses')) as report
    cross join lateral unnest(app.names_in((report - 'biz_opaque_callback_data' - 'pricing' - 'errors')::text)) as name
    where late_ids <> '{}' and report ->> 'id' = any (late_ids)
  );
  -- The contact cards are checked last. If a person's message remains, the person is back, and the person's contact
  -- card also remains.
  foreach key in array array['messages', 'user_preferences', 'user_id_update', 'statuses', 'contacts'] loop
    continue when not value ? key;
    select coalesce(jsonb_agg(
      case when key = 'statuses' and (told.is_late or told.is_gone) then app.report_without(own_company_id, part)
        else part end
      order by place
    ), '[]')
    into kept
    from jsonb_array_elements(app.as_list(value -> key)) with ordinality as parts (part, place)
    cross join lateral (
      select
        late_ids <> '{}' and part ->> 'id' = any (late_ids) as is_late,
        case key
          when 'contacts' then (
            select named && erased_names and not named && remaining_names from app.author_names(part) as named
          )
          else app.is_about(part, people, key = 'statuses')
        end as is_gone
    ) as told
    where key = 'statuses' or not told.is_gone;
    if key <> 'contacts' then
      had := had + jsonb_array_length(app.as_list(value -> key));
      has := has + jsonb_array_length(kept);
    end if;
    if key not in ('contacts', 'statuses') and value ? 'contacts' then
      remaining_names := remaining_names || array(
        select distinct name from jsonb_array_elements(kept) as part cross join lateral unnest(app.author_names(part)) as name
        where name = any (erased_names)
      );
    end if;
    value := value || jsonb_build_object(key, kept);
  end loop;
  if had > 0 and has = 0 then
    return null;
  elsif not is_unread_erased then
    return change || jsonb_build_object('value', value);
  end if;
  return jsonb_build_object('field', field, 'value', (
    select coalesce(jsonb_object_agg(name, part), '{}') from jsonb_each(value) as members (name, part)
    where name = any (lists || array['messaging_product', 'metadata'])
  ) || case when value ? 'errors' then jsonb_build_object('errors', app.codes_of(value -> 'errors')) else '{}' end);
end
$$;
comment on function app.change_without(uuid, boolean, text, jsonb, jsonb, text[]) is
  'Returns a change of an event without the data about these people, { name: { until, is_back } }. Also removes the '
  'recipients of the reports whose ids are in late_ids. Returns null when nothing is left. If a change does not belong '
  'to the company, returns it unchanged. Completely removes fields that this platform does not read.';

create function app.event_without(
  own_company_id uuid, is_own_app boolean, body bytea, people jsonb, late_ids text[] default '{}'
) returns bytea
language plpgsql stable
set search_path = ''
as $$
declare
  event jsonb;
  entries jsonb;
begin
  event := app.text_of_event(body)::jsonb;
  select coalesce(jsonb_agg(
    case when remaining = app.as_list(entry -> 'changes') and app.names_among(entry - 'changes', people) = '{}' then entry
      -- This platform does not read the other members of an entry, so they are removed.
      else (
        select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(entry) where key in ('id', 'time')
      ) || jsonb_build_object('changes', remaining) end
    order by place
  ), '[]')
  into entries
  from jsonb_array_elements(app.as_list(event -> 'entry')) with ordinality as listed (entry, place)
  cross join lateral (
    select coalesce(jsonb_agg(changed order by change_place), '[]') as remaining
    from jsonb_array_elements(app.as_list(entry -> 'changes')) with ordinality as parts (change, change_place)
    cross join lateral app.change_without(
      own_company_id, is_own_app, entry ->> 'id', change, people, late_ids
    ) as changed
    where changed is not null
  ) as changes
  where jsonb_typeof(entry) = 'object';
  if entries = event -> 'entry' and app.names_among(event - 'entry', people) = '{}' then
    return body;
  end if;
  return app.bytes_of_event((jsonb_build_object('entry', entries)
    || case when event ? 'object' then jsonb_build_object('object', event -> 'object') else '{}' end)::text);
exception when data_exception or statement_too_complex or program_limit_exceeded then
  -- If this function cannot read an event, no other part of this platform can read it either.
  return app.empty_event();
end
$$;
comment on function app.event_without(uuid, boolean, bytea, jsonb, text[]) is
  'Removes a company''s data about these people from an event, and returns the remaining bytes. The format of `people` '
  'is { name: { until, is_back } }. Also removes the recipients of the reports whose ids are in late_ids. The argument '
  'is_own_app is true if an account of the company uses the app or used it earlier.';

create function app.empty_event() returns bytea
language sql immutable
set search_path = ''
as $$
  select convert_to('{"object": "whatsapp_business_account", "entry": []}', 'UTF8')
$$;
comment on function app.empty_event() is 'Returns the bytes of an event without content.';

-- A former phone number may belong to another person now. Events about that person are not changed.
create function app.erase_in_events(own_company_id uuid, event_ids uuid[], people jsonb) returns integer
language plpgsql
set search_path = ''
as $$
declare
  -- If the erased person still has a name (a phone number or an id), every event with this name is about the person,
  -- whatever the time in the event is.
  erased constant jsonb := (
    select coalesce(jsonb_object_agg(name, case
      when until::bigint >= floor(extract(epoch from now())) then '{"until": 99999999999, "is_back": false}'::jsonb
      else jsonb_build_object('until', until::bigint, 'is_back', true)
    end), '{}')
    from jsonb_each_text(people) as known (name, until)
  );
  numbers text[];
  own_marks bigint[];
  changed integer;
begin
  select
    array_agg(phone_number_id),
    -- The company's own numbers are included, because an event may contain them. For example, a reply may quote a
    -- message from the company.
    app.marks_of(array(select name from jsonb_each(erased) as known (name, told) where not (told -> 'is_back')::boolean)
      || array_agg(app.phone_key('+' || regexp_replace(display_phone, '[^0-9]', '', 'g')))
      || array_agg('+' || business_account_id))
  into numbers, own_marks
  from public.messaging_accounts where company_id = own_company_id;

  with remaining as (
    select events.id, events.body as was, case
      -- Most events mention one person of one company. No part of such an event remains.
      when events.state = 'done' and events.person_marks <@ own_marks and (
        select bool_and(named.number[1] = any (numbers))
        from regexp_matches(encode(events.body, 'escape'), '"phone_number_id"\s*:\s*"?([0-9]+)', 'g') as named (number)
      ) then app.empty_event()
      else app.event_without(
        own_company_id,
        exists (
          select from public.account_channel_apps as named
          where named.company_id = own_company_id and named.channel_app_id = events.channel_app_id
        ),
        events.body, erased
      )
    end as body
    from public.channel_events as events
    where events.id = any (event_ids)
  )
  update public.channel_events as events set
    body = remaining.body,
    person_marks = app.marks_of_event(remaining.body),
    -- The error may quote refused content. A note may contain the WhatsApp id of a message that was sent twice.
    error = case when events.error is not null then 'The event named a person who was erased' end,
    notes = array(
      select regexp_replace(note, 'wamid\.\S+', 'an erased message', 'g') from unnest(events.notes) as note
    )
  from remaining
  where events.id = remaining.id and remaining.body <> remaining.was;
  get diagnostics changed = row_count;
  return changed;
end
$$;
comment on function app.erase_in_events(uuid, uuid[], jsonb) is
  'Removes a company''s data about these people, { name: until }, from events, and returns the number of changed '
  'events. The hashes of the events remain, so that a repeated event is recognized.';

-- schemas/95_erase.sql

-- One transaction erases a person from all rows that identify the person or contain the person's messages. The rows
-- remain, with their ids and the values that statistics count. An erasure cannot be undone.

-- This function finds the idempotency keys of the requests that wrote records of a person. The function reads each
-- outcome of the company once, and not once for each record. The outcome of a batch may contain 500 ids, and a person
-- may have a thousand deals.
create function app.erase_idempotency_keys(own_company_id uuid, record_ids uuid[], names text[]) returns void
language sql
set search_path = ''
-- Hash joins are off for the role of API keys. Without hash joins, Postgres would compare each id of each outcome with
-- each of the person's ids.
set enable_hashjoin = on
as $$
  with written as materialized (
    select id::text from unnest(record_ids) as id
    union
    select id::text from public.deleted_rows
    where company_id = own_company_id and resource = 'contacts' and merged_into = any (record_ids)
  )
  update public.idempotency_keys set
    key = app.erased_digest(company_id, 'key', key),
    -- The fingerprint is an unkeyed hash, so someone could guess a short request from the fingerprint.
    fingerprint = app.erased_digest(company_id, 'key', fingerprint)
  where company_id = own_company_id
    and (
      lower(substring(path from '[0-9A-Fa-f-]{36}')) in (select id from written)
      -- If a batch was refused because of the contact, the outcome contains the id of the contact.
      or exists (
        select from jsonb_path_query(outcome, '$.** ? (@.type() == "string")') as named (id)
        where named.id #>> '{}' in (select id from written)
      )
      or exists (
        select from unnest(names) as name
        where position(lower(name) in lower(key)) > 0
          -- All formats of a phone number end with the same digits.
          or name ~ '^[0-9]{7,}$' and position(right(name, 8) in regexp_replace(key, '[^0-9]', '', 'g')) > 0
      )
    )
$$;
comment on function app.erase_idempotency_keys(uuid, uuid[], text[]) is
  'Replaces idempotency keys with hashes. Affects the requests that wrote or found these records, and the requests '
  'whose keys contain these names.';

create function app.lock_for_erasing(own_company_id uuid, contact_ids uuid[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  locked_messages bigint;
begin
  -- While this lock is held, no event of the company is applied. An event may take three seconds, so the function waits
  -- up to four seconds for the lock.
  perform set_config('lock_timeout', '4s', true);
  perform pg_advisory_xact_lock(hashtextextended('events of ' || own_company_id, 0));
  for tries in 1..5 loop
    begin
      -- Every transaction acquires its locks in this order: sends, messages, contacts, windows, conversations.
      perform from public.sends
      where company_id = own_company_id
        and message_id = any ((select app.messages_of(own_company_id, contact_ids))::uuid[])
      order by id for update;
      perform from public.messages where id = any ((select app.messages_of(own_company_id, contact_ids))::uuid[])
      order by id for update;
      get diagnostics locked_messages = row_count;
      perform from public.contacts where company_id = own_company_id and id = any (contact_ids)
      order by id for update;
      perform from public.contact_windows where company_id = own_company_id and contact_id = any (contact_ids)
      order by id for update;
      perform from public.conversations where company_id = own_company_id and contact_id = any (contact_ids)
      order by id for update;
      -- A claim that was in progress has ended by now, so its message exists. Later claims wait for the contact.
      exit when cardinality(app.messages_of(own_company_id, contact_ids)) = locked_messages;
      raise sqlstate 'CRM02'; -- releases the locks, to acquire them again in order
    exception when sqlstate 'CRM02' then
      if tries = 5 then
        raise lock_not_available using message = 'Messages of the contact are being added continuously';
      end if;
    end;
  end loop;
end
$$;
comment on function app.lock_for_erasing(uuid, uuid[]) is
  'Locks all rows of some contacts, in the same order as every other transaction. Until this transaction ends, no '
  'event of the company is applied.';

create function app.names_of_contacts(own_company_id uuid, contact_ids uuid[])
returns table (name text, until timestamptz, is_former boolean)
language sql stable
set search_path = ''
as $$
  with encoded_ids as materialized (
    select
      -- A pattern with a length limit would take a millisecond for each id.
      case when whatsapp_message_id ~ '^wamid\.[A-Za-z0-9+/_=-]+$' then translate(substr(whatsapp_message_id, 7), '-_=', '+/') end
        as encoded,
      coalesce(messages.sent_at, messages.created_at) as at
    from public.messages
    join public.conversations on conversations.company_id = messages.company_id
      and conversations.id = messages.conversation_id
    where conversations.company_id = own_company_id and conversations.contact_id = any (contact_ids)
  )
  select known.name, max(known.until), bool_and(known.is_former)
  from (
    select app.phone_key(phone) as name, now() as until, false as is_former from public.contacts
    where company_id = own_company_id and id = any (contact_ids) and phone is not null
    union all
    select app.phone_key(phone), least(until, now()), until < 'infinity' from public.contact_former_phones
    where company_id = own_company_id and contact_id = any (contact_ids)
    union all
    select coalesce(user_id, archived_user_id), now(), false from public.contact_identities
    where company_id = own_company_id and contact_id = any (contact_ids)
    union all
    -- Several people may have the same email address. So an email address counts as former, and the platform keeps no
    -- wishes for it.
    select lower(email), now(), true from public.contacts
    where company_id = own_company_id and id = any (contact_ids) and email <> ''
    union all
    -- If another contact has this phone number now, later events with this number are about the other contact.
    select told.name, case when is_taken then told.last_at else now() end, true
    from (
      select app.phone_key('+' || digits) as name, max(last_at) as last_at
      from (
        select
          -- In the decoded id, the phone number comes first, and any bytes may follow it.
          substring(
            encode(decode(left(encoded, char_length(encoded) / 4 * 4), 'base64'), 'escape') from '[1-9][0-9]{6,14}'
          ) as digits,
          max(least(at, now())) as last_at
        from encoded_ids
        group by 1
      ) as own
      where digits is not null
      group by 1
    ) as told
    cross join lateral (
      select exists (
        select from public.contacts
        where company_id = own_company_id and id <> all (contact_ids)
          and (phone_key = told.name or archived_phone_key = told.name)
      ) or exists (
        select from public.contact_former_phones
        where company_id = own_company_id and contact_id <> all (contact_ids)
          and (phone_key = told.name or archived_phone_key = told.name)
      ) as is_taken
    ) as others
  ) as known
  group by known.name
$$;
comment on function app.names_of_contacts(uuid, uuid[]) is
  'Returns the phone keys, ids and email addresses of some contacts, and the phone numbers in the ids of their '
  'messages. The column `until` is the last time at which the person had this identifier. After that time, another '
  'person may have it.';

create function app.keep_erased_people(own_company_id uuid, contact_ids uuid[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  last_wishes jsonb;
begin
  select jsonb_build_object(
    'do_not_contact', bool_or(do_not_contact),
    'do_not_contact_source', (array_agg(do_not_contact_source order by do_not_contact desc, do_not_contact_at desc))[1],
    'do_not_contact_at', (array_agg(do_not_contact_at order by do_not_contact desc, do_not_contact_at desc))[1],
    'stop_word_at', max(stop_word_at),
    'start_word_at', max(start_word_at),
    'marketing_stopped_at', max(marketing_stopped_at),
    'marketing_stop_source', (array_agg(marketing_stop_source order by marketing_stopped_at desc nulls last))[1],
    'marketing_resumed_at', max(marketing_resumed_at)
  )
  into last_wishes
  from public.contacts
  where company_id = own_company_id and id = any (contact_ids);

  insert into app.erased_people as known (company_id, digest, until)
  select own_company_id, app.erased_digest(own_company_id, 'person', name), until
  from app.names_of_contacts(own_company_id, contact_ids)
  on conflict (company_id, digest) do update set
    until = greatest(known.until, excluded.until),
    erased_at = excluded.erased_at;
  -- Another contact of the same person, for example an archived contact, may have left another decision.
  -- app.keep_wishes() keeps the later decision.
  perform app.keep_wishes(own_company_id, array(
    select name from app.names_of_contacts(own_company_id, contact_ids) where not is_former
  ), last_wishes);
  -- The wishes of an erased person are kept only if they include an opt-out from all messages or from marketing.
  delete from app.kept_wishes
  where company_id = own_company_id
    and digest = any (array(
      select app.erased_digest(own_company_id, 'person', name)
      from app.names_of_contacts(own_company_id, contact_ids)
    ))
    and wishes ->> 'do_not_contact' = 'false'
    and ((wishes ->> 'marketing_stopped_at')::timestamptz
      >= coalesce((wishes ->> 'marketing_resumed_at')::timestamptz, '-infinity')) is not true;
end
$$;
comment on function app.keep_erased_people(uuid, uuid[]) is
  'Stores the hashes of some contacts'' identifiers, and the person''s opt-outs. Because of the lock of '
  'app.lock_for_erasing(), a company''s erasures run one after the other.';

create function app.erase_contacts(own_company_id uuid, contact_ids uuid[]) returns jsonb
language plpgsql
set search_path = ''
-- Postgres uses the indexes of person_marks only with bitmap scans.
set enable_bitmapscan = on
as $$
declare
  conversation_ids uuid[];
  message_ids uuid[];
  counts jsonb := '{}';
  changed integer;
  whom jsonb;
  marks bigint[];
  digits text[];
  own_names text[];
begin
  select coalesce(jsonb_object_agg(name, extract(epoch from until)::bigint), '{}'), app.marks_of(array_agg(name)),
    array_agg(substr(name, 2)) filter (where name ~ '^\+[0-9]+$')
  into whom, marks, digits
  from app.names_of_contacts(own_company_id, contact_ids);
  own_names := digits || array(
    select named.name from public.contacts
    cross join lateral (values (contacts.email), (contacts.name), (contacts.external_id)) as named (name)
    where company_id = own_company_id and id = any (contact_ids) and char_length(named.name) > 2
    union all
    select coalesce(user_id, archived_user_id) from public.contact_identities where company_id = own_company_id and contact_id = any (contact_ids)
  );
  perform app.keep_erased_people(own_company_id, contact_ids);
  perform app.erase_idempotency_keys(own_company_id, contact_ids || array(
    select id from public.deals where company_id = own_company_id and contact_id = any (contact_ids)
  ), own_names);

  conversation_ids := array(
    select id from public.conversations where company_id = own_company_id and contact_id = any (contact_ids)
  );
  message_ids := array(
    select id from public.messages where company_id = own_company_id and conversation_id = any (conversation_ids)
  );
  -- Waiting facts about these messages are deleted now, while the ids of the messages can still be compared.
  delete from public.waiting_facts as facts
  where company_id = own_company_id and (
    (facts.person_marks && marks or facts.person_marks is null) and exists (
      select from unnest(app.names_in(facts.item::text)) as name
      where facts.received_at <= to_timestamp((whom -> name)::bigint + 1)
    )
    or whatsapp_message_id in (
      select whatsapp_message_id from public.messages where company_id = own_company_id and id = any (message_ids)
      union all
      select unnest(double_sent_ids || whatsapp_message_id) from public.sends
      where company_id = own_company_id and message_id = any (message_ids)
    )
  );
  -- The triggers of these tables erase the affected columns.
  update public.sends set is_erased = true where company_id = own_company_id and message_id = any (message_ids);
  get diagnostics changed = row_count;
  counts := counts || jsonb_build_object('sends', changed);
  update public.messages set is_erased = true where company_id = own_company_id and id = any (message_ids);
  get diagnostics changed = row_count;
  counts := counts || jsonb_build_object('messages', changed);

  perform app.forget_answers(own_company_id, contact_ids, conversation_ids || message_ids);
  delete from public.contact_identities where company_id = own_company_id and contact_id = any (contact_ids);
  delete from public.contact_former_phones where company_id = own_company_id and contact_id = any (contact_ids);
  -- The events of merges contain only ids.
  delete from public.contact_identity_events
  where company_id = own_company_id and contact_id = any (contact_ids) and kind <> 'merged';
  delete from public.user_id_changes
  where company_id = own_company_id and (whom ? was or whom ? becomes or whom ? phone_key);
  delete from public.contact_windows where company_id = own_company_id and contact_id = any (contact_ids);
  update public.opt_out_lifts set reason = null where company_id = own_company_id and contact_id = any (contact_ids);
  update public.conversations set status = 'closed', window_expires_at = null
  where company_id = own_company_id and id = any (conversation_ids);
  counts := counts || jsonb_build_object('conversations', cardinality(conversation_ids));
  update public.deals set title = 'Erased', external_id = null
  where company_id = own_company_id and contact_id = any (contact_ids);
  get diagnostics changed = row_count;
  counts := counts || jsonb_build_object('deals', changed);
  -- A WhatsApp notice about an account hardly ever mentions a person. If it does, its whole value is erased.
  update public.account_notices set value = '{ "erased": true }'
  where company_id = own_company_id
    and app.names_among(value, whom) <> '{}';

  counts := counts || jsonb_build_object('events', app.erase_in_events(own_company_id, array(
    select events.id from public.channel_events as events
    where events.person_marks && marks or events.person_marks is null
    order by events.id for update
  ), whom));

  update public.contacts set
    erased_at = now(),
    -- No one can find or restore an erased contact.
    archived_at = coalesce(archived_at, now()),
    external_id = null,
    name = null,
    profile_name_at = null,
    email = null,
    phone = null,
    temperature = default,
    tags = default,
    source = 'erased',
    job_title = null,
    empresa = null,
    custom_fields = default,
    has_identity = false,
    do_not_contact = false,
    do_not_contact_source = null,
    do_not_contact_at = null,
    stop_word_at = null,
    start_word_at = null,
    marketing_stopped_at = null,
    marketing_stop_source = null,
    marketing_resumed_at = null,
    is_active = false
  where company_id = own_company_id and id = any (contact_ids);
  return counts;
end
$$;
comment on function app.erase_contacts(uuid, uuid[]) is
  'Permanently erases the person to whom these contacts belong. Overwrites all data that identifies the person, and '
  'all content that the person wrote or received. The rows remain, with their ids, times, states, amounts and counts. '
  'Returns the numbers of changed sends, messages, conversations, deals and events. The caller checks that the '
  'contacts belong to the company and are not erased yet, and locks them with app.lock_for_erasing().';

-- An API key with the scope `write`, and the company's owners and admins, can erase a person. Agents cannot.
create function public.erase_contact(id uuid, idempotency jsonb default null) returns jsonb
-- Security definer, because no role may write all the columns that are overwritten here.
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_contact_id constant uuid := erase_contact.id;
  own_company_id uuid := app.company_id('write');
  contact public.contacts;
  counts jsonb;
  earlier jsonb;
begin
  if own_company_id is null then
    select company_id into own_company_id from public.contacts
    where id = own_contact_id and company_id = any (app.managed_company_ids());
  end if;
  if own_company_id is null then
    raise sqlstate 'PT404' using message = 'Contact not found';
  end if;
  earlier := app.claim_idempotency_key(own_company_id, idempotency);
  if earlier is null then
    perform app.lock_for_erasing(own_company_id, array[own_contact_id]);
  end if;
  select * into contact from public.contacts where company_id = own_company_id and id = own_contact_id;
  if contact.id is null then
    -- Nothing was erased, so the idempotency key can be used again.
    delete from public.idempotency_keys
    where company_id = own_company_id and path = idempotency ->> 'path' and key = idempotency ->> 'key'
      and outcome is null;
    return jsonb_build_object('replayed', false, 'erased', null, 'data', null);
  end if;
  if earlier is null then
    perform app.keep_outcome(own_company_id, idempotency, jsonb_build_object('id', own_contact_id));
    if contact.erased_at is null then
      counts := app.erase_contacts(own_company_id, array[own_contact_id]);
      select * into contact from public.contacts where company_id = own_company_id and id = own_contact_id;
    end if;
    perform app.erase_idempotency_keys(own_company_id, array[own_contact_id], '{}');
  end if;
  return jsonb_build_object(
    'replayed', earlier is not null, 'erased', counts, 'data', app.contact_json(contact)
  );
end
$$;
comment on function public.erase_contact(uuid, jsonb) is
  'Permanently erases the person of a contact, and returns { replayed, erased, data }. The member `replayed` is true '
  'if an earlier request with the same idempotency key erased the person. The member `erased` contains the number of '
  'rows of each kind, or null when the person was erased earlier. The member `data` is the remaining contact, or null '
  'when a write token''s company has no such contact. Owners and admins of a company may also call this function. '
  'Raises PT404 for other users. Raises PT401 and PT403 as app.company_id() does.';
grant execute on function public.erase_contact(uuid, jsonb) to api_client, authenticated;

-- schemas/96_search.sql

-- The search over contacts, deals and conversations.

create function public.search_records(
  patterns text[], text text, max_rows integer, archived text default 'exclude', phone_parts text[] default '{}',
  phone_patterns text[] default '{}', phone_keys text[] default '{}'
) returns setof json
language plpgsql stable
set search_path = ''
as $$
declare
  -- app.company_id() raises an error for a refused key. The views might not check the key when they find no rows. The
  -- SQL text contains the company id, so that the planner knows how many rows the company has.
  own_company constant text := format(' and company_id = %L', app.company_id('read'));
  has_word constant text :=
    '(name_words like %1$L or email_words like %1$L or phone_words like %1$L or empresa_words like %1$L)';
  contact_matches text := (select string_agg(format(has_word, pattern), ' and ') from unnest(patterns) as pattern);
  deal_matches constant text := (
    select string_agg(format('words like %L', pattern), ' and ') from unnest(patterns || phone_parts) as pattern
  );
  is_shown constant text := case archived
    when 'include' then 'true'
    when 'only' then 'archived_at is not null'
    else 'archived_at is null'
  end;
begin
  if deal_matches is null then
    return;
  end if;
  if phone_keys <> '{}' then
    contact_matches := concat_ws(' and ', contact_matches, format('(%s)', concat_ws(' or ',
      (select format('(%s)', string_agg(format(has_word, part), ' and ')) from unnest(phone_parts) as part),
      (select string_agg(format('phone_words like %L', pattern), ' or ') from unnest(phone_patterns) as pattern),
      format('phone_key = any (%L::text[])', phone_keys),
      case when archived <> 'exclude' then format('archived_phone_key = any (%L::text[])', phone_keys) end,
      -- The additional phone numbers of merged contacts.
      (
        select format('id = any (%L::uuid[])', array_agg(contact_id)) from public.own_contact_former_phones
        where phone_key = any (phone_keys) and until = 'infinity'
        having count(*) > 0
      )
    )));
  end if;

  -- The SQL text contains the patterns, because a condition with `like all (array)` cannot use an index. A search for a
  -- common word must not take longer than reading a page of a list. So the function ranks only some of the matching
  -- records: the newest 100 of each kind, and 100 with a label that begins with the text. Each of these contacts adds
  -- its three newest conversations.
  return query execute format(
    $query$
      with
      contact as (
        select
          id, created_at, (array[name, email, phone, empresa])[shown] as label,
          (array[name_words, email_words, phone_words, empresa_words])[shown] as label_words
        from (
          (
            select
              id, created_at, name, email, phone, empresa, name_words, email_words, phone_words, empresa_words
            from public.own_contacts
            where %1$s and %5$s order by created_at desc, id desc limit 100
          )
          union
          (
            select
              id, created_at, name, email, phone, empresa, name_words, email_words, phone_words, empresa_words
            from public.own_contacts
            where name_sort ^@ %3$L and %1$s and %5$s order by name_sort, id limit 100
          )
        ) as found
        cross join lateral (
          select case when name <> '' then 1 when email <> '' then 2 when phone is not null then 3 else 4 end
        ) as field (shown)
      ),
      deal as (
        (
          select id, created_at, title as label, words as label_words from public.own_deals
          where %2$s and %5$s order by created_at desc, id desc limit 100
        )
        union
        (
          select id, created_at, title, words from public.own_deals
          where title_sort ^@ %3$L and %2$s and %5$s order by title_sort, id limit 100
        )
      ),
      conversation as (
        select newest.id, newest.created_at, label, label_words
        from contact cross join lateral (
          select id, created_at from public.own_conversations
          where contact_id = contact.id order by created_at desc, id desc limit 3
        ) as newest
      ),
      best as (
        select
          type, id, label,
          row_number() over (
            order by
              case
                when btrim(label_words) = btrim(%3$L) then 0
                when label_words ^@ %3$L then 1
                when position(%3$L in label_words) > 0 then 2
                else 3
              end,
              created_at desc, type, id
          ) as place
        from (
          select 'contact' as type, * from contact
          union all
          select 'deal', * from deal
          union all
          select 'conversation', * from conversation
        ) as found
        order by place limit %4$L
      )
      select json_build_object(
        'type', type, 'id', id, 'label', label,
        'row', case type
          when 'contact' then (
            select json_build_object(
              'id', id, 'company_id', company_id, 'external_id', external_id, 'name', name, 'email', email,
              'phone', phone, 'temperature', temperature, 'tags', tags, 'source', source, 'job_title', job_title,
              'empresa', empresa, 'custom_fields', custom_fields, 'do_not_contact', do_not_contact,
              'do_not_contact_source', do_not_contact_source, 'do_not_contact_at', do_not_contact_at,
              'marketing_opt_out', marketing_opt_out, 'marketing_opt_out_source', marketing_opt_out_source,
              'marketing_opt_out_at', marketing_opt_out_at, 'is_active', is_active, 'archived_at', archived_at,
              'erased_at', erased_at, 'created_at', created_at, 'updated_at', updated_at, 'version', version
            )
            from public.own_contacts where id = best.id
          )
          when 'deal' then (
            select json_build_object(
              'id', id, 'company_id', company_id, 'external_id', external_id, 'title', title, 'value', value,
              'status', status, 'contact_id', contact_id, 'stage_id', stage_id,
              'won_at', won_at, 'lost_at', lost_at, 'stage_changed_at', stage_changed_at, 'archived_at', archived_at,
              'created_at', created_at, 'updated_at', updated_at, 'version', version
            )
            from public.own_deals where id = best.id
          )
          else (
            select json_build_object(
              'id', id, 'company_id', company_id, 'contact_id', contact_id, 'phone_number_id', phone_number_id,
              'status', status, 'assigned_to', assigned_to, 'team_id', team_id,
              'last_message_at', last_message_at, 'window_expires_at', window_expires_at,
              'created_at', created_at, 'updated_at', updated_at, 'version', version
            )
            from public.own_conversations where id = best.id
          )
        end
      )
      from best order by place
    $query$,
    contact_matches || own_company, deal_matches || own_company, ' ' || text, greatest(least(max_rows, 200), 0),
    is_shown
  );
end
$$;
comment on function public.search_records(text[], text, integer, text, text[], text[], text[]) is
  'Finds contacts, deals, and the conversations of contacts whose words match every `like` pattern. Needs a read '
  'token. Returns { type, id, label, row }, where `row` has the columns of the API. Records whose label equals the '
  'text come first. app.words() normalizes both strings for this comparison. Labels that begin with the text follow, '
  'then labels with a word that begins with the text, then all other records. Within each group, the newest record '
  'comes first. The label of a contact is its name, otherwise its e-mail address, phone or empresa. The label of a '
  'deal is its title, and a conversation has the label of its contact. The argument `archived` controls archived '
  'records and conversations of archived contacts. The value `exclude` omits them, `include` also finds them, and '
  '`only` finds no other records. If the text contains a phone number, phone_parts has a pattern for each part of the '
  'number. The number also finds contacts whose stored phone matches one of phone_patterns, or whose phone key is one '
  'of phone_keys. Raises PT401 and PT403 as app.company_id() does.';
grant execute on function public.search_records(text[], text, integer, text, text[], text[], text[]) to api_reader;

-- schemas/96_shown_records.sql

-- Functions that return records in the format of the API, for webhook deliveries. Each record has the columns of the
-- view in 97_views.sql that the API uses for reads, and a test compares the two. These functions and the API cannot
-- share a view, because the Data API detects relationships only for views that read a table directly.

create function app.shown_contact(of_company uuid, of_record uuid) returns json
language sql stable
set search_path = ''
as $$
  select to_json(shown)
  from (
    select
      id, company_id, external_id, name, email, phone, temperature, tags, source, job_title, empresa, custom_fields,
      do_not_contact, do_not_contact_source, do_not_contact_at, marketing_opt_out, marketing_opt_out_source,
      marketing_opt_out_at, is_active, archived_at, erased_at, created_at, updated_at, version::text as version
    from public.contacts
    where contacts.company_id = of_company and contacts.id = of_record
  ) as shown
$$;
comment on function app.shown_contact(uuid, uuid) is 'Returns a contact in the format of the API.';

create function app.shown_deal(of_company uuid, of_record uuid) returns json
language sql stable
set search_path = ''
as $$
  select to_json(shown)
  from (
    select
      id, company_id, external_id, title, value, status, contact_id, stage_id, won_at, lost_at, stage_changed_at,
      archived_at, created_at, updated_at, version::text as version
    from public.deals
    where deals.company_id = of_company and deals.id = of_record
  ) as shown
$$;
comment on function app.shown_deal(uuid, uuid) is 'Returns a deal in the format of the API.';

create function app.shown_conversation(of_company uuid, of_record uuid) returns json
language sql stable
set search_path = ''
as $$
  select to_json(shown)
  from (
    select
      id, company_id, contact_id, phone_number_id, status, assigned_to, team_id, last_message_at, window_expires_at,
      created_at, updated_at, version::text as version
    from public.conversations
    where conversations.company_id = of_company and conversations.id = of_record
  ) as shown
$$;
comment on function app.shown_conversation(uuid, uuid) is
  'Returns a conversation in the format of the API.';

create function app.shown_message(of_company uuid, of_record uuid) returns json
language sql stable
set search_path = ''
as $$
  select to_json(shown)
  from (
    select
      messages.id, messages.company_id, messages.conversation_id, messages.direction, messages.type,
      case
        when messages.type = 'system' then jsonb_build_object('type', 'system', 'id', null, 'name', null)
        when messages.direction = 'inbound'
          then jsonb_build_object('type', 'person', 'id', contacts.id, 'name', contacts.name)
        when messages.author_type is not null
          then jsonb_build_object('type', messages.author_type, 'id', messages.author_id, 'name', messages.author_name)
      end as author,
      messages.content, messages.rendered_text, messages.status, messages.whatsapp_message_id, messages.sent_at,
      messages.delivered_at, messages.read_at, messages.failed_at, messages.expired_at, messages.failure,
      messages.price_category, messages.price_type, messages.payload,
      case when messages.type = 'location' then app.location_in(messages.payload) end as location,
      case when messages.type = 'contacts' then app.contact_cards_in(messages.payload) end as contact_cards,
      case
        when messages.direction = 'inbound' and messages.type in ('interactive', 'button')
          then app.choice_in(messages.payload)
      end as choice,
      messages.media, messages.reply_to_id,
      messages.reply_to_whatsapp_id,
      -- A removed reaction is stored without its emoji, so that an older reaction that arrives late does not replace
      -- it.
      case when messages.reaction ->> 'emoji' <> '' then messages.reaction end as reaction,
      messages.own_reaction, messages.edited_at, messages.revoked_at, messages.created_at, messages.updated_at,
      messages.version::text as version
    from public.messages
    join public.conversations on conversations.company_id = messages.company_id
      and conversations.id = messages.conversation_id
    join public.contacts on contacts.company_id = messages.company_id and contacts.id = conversations.contact_id
    where messages.company_id = of_company and messages.id = of_record
  ) as shown
$$;
comment on function app.shown_message(uuid, uuid) is 'Returns a message in the format of the API.';

create function app.shown_template(of_company uuid, of_record uuid) returns json
language sql stable
set search_path = ''
as $$
  select to_json(shown)
  from (
    select
      id, company_id, business_account_id, phone_number_ids, name, language, status, category, upcoming_category, quality,
      rejected_reason, parameter_format, components, variables, read_at, created_at, updated_at, header_format,
      status_since, unsupported, media_problem
    from public.templates
    where templates.company_id = of_company and templates.id = of_record
  ) as shown
$$;
comment on function app.shown_template(uuid, uuid) is
  'Returns a template in the format of the API, except for the fields that the edge functions compute from the '
  'columns.';

create function app.shown_send(of_company uuid, of_record uuid) returns json
language sql stable
set search_path = ''
as $$
  select to_json(shown)
  from (
    select
      sends.message_id, sends.company_id, messages.conversation_id, contacts.id as contact_id, sends.idempotency_key,
      sends.api_key_id, case when sends.template_name is null then 'reply' else 'template' end as kind,
      sends.template_name, sends.language_code,
      -- A pending send whose lease has ended is shown as failed, even before the job sets it to failed. A repeat
      -- returns the same state.
      case when sends.state = 'pending' and sends.lease_ends_at <= now() then 'failed' else sends.state end as state,
      case when sends.state = 'pending' and sends.lease_ends_at <= now() then 'failed' else messages.status end as status,
      sends.attempt,
      -- The ledger stores the WhatsApp error code, but not the error text.
      case
        when messages.failure is not null then messages.failure
        when sends.reason is not null or sends.state = 'pending' and sends.lease_ends_at <= now() then jsonb_build_object(
          'reason', coalesce(sends.reason, 'outcome_unknown'), 'code', sends.channel_code, 'message', null,
          'details', null
        )
      end as failure,
      sends.double_sent_ids <> '{}' as double_sent,
      sends.whatsapp_message_id,
      case when sends.state = 'pending' and sends.lease_ends_at > now() then sends.lease_ends_at end as lease_ends_at,
      messages.sent_at, messages.delivered_at, messages.read_at, messages.failed_at, messages.expired_at,
      sends.created_at
    from public.sends
    join public.messages on messages.company_id = sends.company_id and messages.id = sends.message_id
    join public.conversations on conversations.company_id = sends.company_id
      and conversations.id = messages.conversation_id
    join public.contacts on contacts.company_id = sends.company_id and contacts.id = conversations.contact_id
    where sends.company_id = of_company and sends.message_id = of_record
  ) as shown
$$;
comment on function app.shown_send(uuid, uuid) is 'Returns a send in the format of the API.';

create function app.shown_account(of_company uuid, of_account uuid) returns json
language sql stable
set search_path = ''
as $$
  select json_build_object(
    'id', accounts.id,
    'company_id', accounts.company_id,
    'phone_number_id', accounts.phone_number_id,
    'display_phone', accounts.display_phone,
    'is_connected', accounts.disconnected_at is null,
    'is_restricted', exists (
      select from public.account_notices as notices
      where notices.company_id = accounts.company_id and notices.account_id = accounts.id and notices.stops_sending
        and app.is_current(notices)
    ),
    'created_at', accounts.created_at,
    'updated_at', accounts.updated_at
  )
  from public.messaging_accounts as accounts
  where accounts.company_id = of_company and accounts.id = of_account
$$;
comment on function app.shown_account(uuid, uuid) is
  'Returns a messaging account in the format for webhooks, without its token. The member is_restricted shows whether '
  'WhatsApp restricts the account.';

create function app.shown_webhook(of_company uuid, of_webhook uuid) returns json
language sql stable
set search_path = ''
as $$
  select json_build_object(
    'id', webhooks.id,
    'company_id', webhooks.company_id,
    'url', webhooks.url,
    'types', webhooks.types,
    'payload', webhooks.payload,
    'description', webhooks.description,
    'state', webhooks.state,
    'why', webhooks.why,
    'created_by_key_id', webhooks.created_by_key_id,
    'created_by', webhooks.created_by,
    'failing_since', webhooks.failing_since,
    'paused_until', webhooks.paused_until,
    'switched_off_at', webhooks.switched_off_at,
    'previous_secret_ends_at', webhooks.previous_secret_ends_at,
    'last_success_at', webhooks.last_success_at,
    'open_deliveries', (
      select count(*)
      from (select from app.open_deliveries where webhook_id = webhooks.id limit 1000) as counted
    ),
    'created_at', webhooks.created_at,
    'updated_at', webhooks.updated_at
  )
  from public.webhooks
  where webhooks.company_id = of_company and webhooks.id = of_webhook
$$;
comment on function app.shown_webhook(uuid, uuid) is
  'Returns a webhook in the format of the API, without its secrets. Counts at most 1,000 open deliveries.';

create function app.shown_record(resource text, of_company uuid, of_record uuid) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return case resource
    when 'contact' then app.shown_contact(of_company, of_record)
    when 'deal' then app.shown_deal(of_company, of_record)
    when 'conversation' then app.shown_conversation(of_company, of_record)
    when 'message' then app.shown_message(of_company, of_record)
    when 'send' then app.shown_send(of_company, of_record)
    when 'template' then app.shown_template(of_company, of_record)
    when 'account' then app.shown_account(of_company, of_record)
    when 'webhook' then app.shown_webhook(of_company, of_record)
  end;
end
$$;
comment on function app.shown_record(text, uuid, uuid) is
  'Returns the record with this id in the format of the API, even if the record is archived. For a template, returns '
  'the columns from which the edge functions compute the response. Returns null when the company has no such record.';

-- schemas/97_views.sql

-- The views that API keys use to read a company's rows. Under a policy, an operator that is not leakproof, such as
-- `like`, cannot use an index. So a view runs with its owner's privileges, and no policy applies to the owner. Each
-- view is restricted to the key's company, and only api_reader may read it. A version is a string, because many JSON
-- parsers round numbers of this size, and the next write needs the exact version. Each column name in a request costs
-- the Data API time, so reads select all columns of a view. Most reads filter only by columns that they return. Such
-- reads use a plain view, which has only these columns.

create view public.own_contacts as
  select
    id, company_id, name, email, phone, temperature, tags, source, job_title, empresa, custom_fields, do_not_contact,
    is_active, created_at, updated_at,
    phone_key, email_key, name_words, email_words, replace(phone, '+', ' ') as phone_words, empresa_words,
    job_title_words, left(coalesce(name_words, ''), 100) collate "C" as name_sort,
    do_not_contact_source, do_not_contact_at, marketing_opt_out, marketing_opt_out_source, marketing_opt_out_at,
    version::text as version,
    archived_at, archived_phone_key,
    erased_at, external_id
  from public.contacts
  where company_id = (select app.company_id('read'));
comment on view public.own_contacts is
  'The contacts of the key''s company, with the columns that keys use to find and sort them.';
grant select on public.own_contacts to api_reader;

create view public.own_plain_contacts as
  select
    id, company_id, external_id, name, email, phone, temperature, tags, source, job_title, empresa, custom_fields,
    do_not_contact, do_not_contact_source, do_not_contact_at, marketing_opt_out, marketing_opt_out_source,
    marketing_opt_out_at, is_active, archived_at, erased_at, created_at, updated_at, version::text as version
  from public.contacts
  where company_id = (select app.company_id('read'));
comment on view public.own_plain_contacts is 'The contacts of the key''s company.';
grant select on public.own_plain_contacts to api_reader;

create view public.own_deals as
  select
    id, company_id, title, value, status, contact_id, stage_id, created_at, updated_at,
    words, left(words, 100) collate "C" as title_sort, coalesce(value, -1) as value_sort,
    version::text as version,
    won_at, lost_at, stage_changed_at,
    coalesce(won_at, '-infinity') as won_sort, coalesce(lost_at, '-infinity') as lost_sort,
    archived_at, external_id
  from public.deals
  where company_id = (select app.company_id('read'));
comment on view public.own_deals is
  'The deals of the key''s company, with the columns that keys use to find and sort them.';
grant select on public.own_deals to api_reader;

create view public.own_plain_deals as
  select
    id, company_id, external_id, title, value, status, contact_id, stage_id, won_at, lost_at, stage_changed_at,
    archived_at, created_at, updated_at, version::text as version
  from public.deals
  where company_id = (select app.company_id('read'));
comment on view public.own_plain_deals is 'The deals of the key''s company.';
grant select on public.own_plain_deals to api_reader;

create view public.own_conversations as
  select
    id, company_id, contact_id, status, assigned_to, team_id, last_message_at, window_expires_at, created_at,
    updated_at,
    coalesce(last_message_at, '-infinity') as last_message_sort,
    phone_number_id,
    version::text as version
  from public.conversations
  where company_id = (select app.company_id('read'));
comment on view public.own_conversations is
  'The conversations of the key''s company, with the columns that keys use to find and sort them.';
grant select on public.own_conversations to api_reader;

create view public.own_plain_conversations as
  select
    id, company_id, contact_id, phone_number_id, status, assigned_to, team_id, last_message_at, window_expires_at,
    created_at, updated_at, version::text as version
  from public.conversations
  where company_id = (select app.company_id('read'));
comment on view public.own_plain_conversations is 'The conversations of the key''s company.';
grant select on public.own_plain_conversations to api_reader;

create view public.own_teams as
  select
    id, company_id, name, created_at, updated_at,
    app.words(name) as name_words, left(coalesce(app.words(name), ''), 100) collate "C" as name_sort,
    version::text as version
  from public.teams
  where company_id = (select app.company_id('read'));
comment on view public.own_teams is
  'The teams of the key''s company, with the columns that keys use to find and sort them.';
grant select on public.own_teams to api_reader;

create view public.own_plain_teams as
  select id, company_id, name, created_at, updated_at, version::text as version
  from public.teams
  where company_id = (select app.company_id('read'));
comment on view public.own_plain_teams is 'The teams of the key''s company.';
grant select on public.own_plain_teams to api_reader;

create view public.own_members as
  select
    user_id as id, company_id, name, role, created_at, updated_at,
    app.words(name) as name_words, left(coalesce(app.words(name), ''), 100) collate "C" as name_sort,
    version::text as version
  from public.company_members
  where company_id = (select app.company_id('read'));
comment on view public.own_members is
  'The members of the key''s company, with the columns that keys use to find and sort them.';
grant select on public.own_members to api_reader;

create view public.own_plain_members as
  select user_id as id, company_id, name, role, created_at, updated_at, version::text as version
  from public.company_members
  where company_id = (select app.company_id('read'));
comment on view public.own_plain_members is 'The members of the key''s company.';
grant select on public.own_plain_members to api_reader;

-- The view also contains archived rows. A list excludes archived rows with its own condition.
create view public.own_pipelines as
  select
    id, company_id, name, position, is_default, created_at, updated_at,
    app.words(name) as name_words, left(coalesce(app.words(name), ''), 100) collate "C" as name_sort,
    version::text as version,
    archived_at
  from public.pipelines
  where company_id = (select app.company_id('read'));
comment on view public.own_pipelines is
  'The pipelines of the key''s company, with the columns that keys use to find and sort them.';
grant select on public.own_pipelines to api_reader;

create view public.own_plain_pipelines as
  select id, company_id, name, position, is_default, archived_at, created_at, updated_at, version::text as version
  from public.pipelines
  where company_id = (select app.company_id('read'));
comment on view public.own_plain_pipelines is 'The pipelines of the key''s company.';
grant select on public.own_plain_pipelines to api_reader;

create view public.own_stages as
  select
    id, company_id, pipeline_id, name, position, created_at, updated_at,
    app.words(name) as name_words, left(coalesce(app.words(name), ''), 100) collate "C" as name_sort,
    version::text as version,
    archived_at
  from public.stages
  where company_id = (select app.company_id('read'));
comment on view public.own_stages is
  'The stages of the key''s company, with the columns that keys use to find and sort them.';
grant select on public.own_stages to api_reader;

create view public.own_plain_stages as
  select id, company_id, pipeline_id, name, position, archived_at, created_at, updated_at, version::text as version
  from public.stages
  where company_id = (select app.company_id('read'));
comment on view public.own_plain_stages is 'The stages of the key''s company.';
grant select on public.own_plain_stages to api_reader;

create view public.own_templates as
  select
    id, company_id, business_account_id, phone_number_ids, channel_template_id, name, language, status, status_since,
    category, upcoming_category, quality, rejected_reason, parameter_format, components, header_format, variables,
    unsupported, media_problem, ttl_seconds, read_at, created_at, updated_at,
    app.words(name) as name_words
  from public.templates
  where company_id = (select app.company_id('read'));
comment on view public.own_templates is
  'The templates of the key''s company, with the columns that keys use to find and sort them.';
grant select on public.own_templates to api_reader;

create view public.own_plain_templates as
  select
    id, company_id, business_account_id, phone_number_ids, name, language, status, category, upcoming_category, quality,
    rejected_reason, parameter_format, components, variables, read_at, created_at, updated_at, header_format,
    status_since, unsupported, media_problem
  from public.templates
  where company_id = (select app.company_id('read'));
comment on view public.own_plain_templates is 'The templates of the key''s company.';
grant select on public.own_plain_templates to api_reader;

create view public.own_messages as
  select
    messages.id, messages.company_id, messages.conversation_id, messages.direction, messages.type,
    case
      when messages.type = 'system' then jsonb_build_object('type', 'system', 'id', null, 'name', null)
      when messages.direction = 'inbound'
        then jsonb_build_object('type', 'person', 'id', contacts.id, 'name', contacts.name)
      when messages.author_type is not null
        then jsonb_build_object('type', messages.author_type, 'id', messages.author_id, 'name', messages.author_name)
    end as author,
    messages.content, messages.rendered_text, messages.status, messages.whatsapp_message_id, messages.sent_at,
    messages.delivered_at, messages.read_at, messages.failed_at, messages.expired_at, messages.failure,
    messages.price_category, messages.price_type, messages.payload,
    case when messages.type = 'location' then app.location_in(messages.payload) end as location,
    case when messages.type = 'contacts' then app.contact_cards_in(messages.payload) end as contact_cards,
    case when messages.direction = 'inbound' and messages.type in ('interactive', 'button') then app.choice_in(messages.payload) end as choice,
    messages.media, messages.reply_to_id,
    messages.reply_to_whatsapp_id,
    -- A removed reaction is stored without its emoji, so that an older reaction that arrives late does not replace it.
    case when messages.reaction ->> 'emoji' <> '' then messages.reaction end as reaction,
    messages.own_reaction, messages.edited_at, messages.revoked_at, messages.created_at, messages.updated_at,
    messages.version::text as version
  from public.messages
  join public.conversations on conversations.company_id = messages.company_id
    and conversations.id = messages.conversation_id
  join public.contacts on contacts.company_id = messages.company_id and contacts.id = conversations.contact_id
  where messages.company_id = (select app.company_id('read'));
comment on view public.own_messages is
  'The messages of the key''s company, with their authors.';
grant select on public.own_messages to api_reader;

-- With this view, a key can read the outcome of a send without repeating the send. The outcome consists of the state in
-- the ledger and the WhatsApp reports about the message. No role may read claim_id, because a caller who knows the
-- claim_id can settle the send.
create view public.own_sends as
  select
    sends.message_id, sends.company_id, messages.conversation_id, contacts.id as contact_id, sends.idempotency_key,
    sends.api_key_id, case when sends.template_name is null then 'reply' else 'template' end as kind,
    sends.template_name, sends.language_code,
    -- A pending send whose lease has ended is shown as failed, even before the job sets it to failed. A repeat returns
    -- the same state.
    case when sends.state = 'pending' and sends.lease_ends_at <= now() then 'failed' else sends.state end as state,
    case when sends.state = 'pending' and sends.lease_ends_at <= now() then 'failed' else messages.status end as status,
    sends.attempt,
    -- The ledger stores the WhatsApp error code, but not the error text.
    case
      when messages.failure is not null then messages.failure
      when sends.reason is not null or sends.state = 'pending' and sends.lease_ends_at <= now() then jsonb_build_object(
        'reason', coalesce(sends.reason, 'outcome_unknown'), 'code', sends.channel_code, 'message', null,
        'details', null
      )
    end as failure,
    sends.double_sent_ids <> '{}' as double_sent,
    sends.whatsapp_message_id,
    case when sends.state = 'pending' and sends.lease_ends_at > now() then sends.lease_ends_at end as lease_ends_at,
    messages.sent_at, messages.delivered_at, messages.read_at, messages.failed_at, messages.expired_at,
    sends.created_at,
    -- These columns are for filters. The planner has statistics on the stored state and status, but not on the computed
    -- values. The last two columns are the conditions of partial indexes that find the few matching sends.
    sends.state as stored_state, messages.status as stored_status,
    sends.state = 'pending' and sends.lease_ends_at <= now() as has_ended,
    coalesce(
      messages.failure ->> 'reason', sends.reason,
      case when sends.state = 'pending' and sends.lease_ends_at <= now() then 'outcome_unknown' end
    ) as reason,
    contacts.phone_key, contacts.archived_phone_key,
    sends.state <> 'sent' as is_not_sent,
    messages.failure is not null or messages.status in ('pending', 'failed', 'expired') as is_unusual
  from public.sends
  join public.messages on messages.company_id = sends.company_id and messages.id = sends.message_id
  join public.conversations on conversations.company_id = sends.company_id
    and conversations.id = messages.conversation_id
  join public.contacts on contacts.company_id = sends.company_id and contacts.id = conversations.contact_id
  where sends.company_id = (select app.company_id('read'));
comment on view public.own_sends is
  'The sends of the key''s company, with the outcomes of their messages.';
grant select on public.own_sends to api_reader;

create view public.own_deal_history as
  select id, company_id, deal_id, kind, from_value as "from", to_value as "to", at, api_key_id, user_id
  from public.deal_history
  where company_id = (select app.company_id('read'));
comment on view public.own_deal_history is
  'The history of the deals of the key''s company.';
grant select on public.own_deal_history to api_reader;

-- The next views contain data that WhatsApp reported about the company's contacts. The export of a person's data reads
-- these views.
create view public.own_contact_identities as
  select id, company_id, contact_id, coalesce(user_id, archived_user_id) as user_id, business_account_id, seen_at
  from public.contact_identities
  where company_id = (select app.company_id('read'));
comment on view public.own_contact_identities is
  'The WhatsApp user ids of the contacts of the key''s company.';
grant select on public.own_contact_identities to api_reader;

create view public.own_contact_former_phones as
  select id, company_id, contact_id, phone, until, phone_key
  from public.contact_former_phones
  where company_id = (select app.company_id('read'));
comment on view public.own_contact_former_phones is
  'The earlier and additional phone numbers of the contacts of the key''s company.';
grant select on public.own_contact_former_phones to api_reader;

create view public.own_contact_identity_events as
  select id, company_id, contact_id, kind, was, becomes, happened_at
  from public.contact_identity_events
  where company_id = (select app.company_id('read'));
comment on view public.own_contact_identity_events is
  'The changes of people''s phone numbers and ids that WhatsApp reported to the key''s company.';
grant select on public.own_contact_identity_events to api_reader;

create view public.own_contact_windows as
  select id, company_id, contact_id, account_id, last_inbound_at, closed_at, expires_at
  from public.contact_windows
  where company_id = (select app.company_id('read'));
comment on view public.own_contact_windows is
  'The time until which the key''s company may send free-form replies to each contact.';
grant select on public.own_contact_windows to api_reader;

create view public.own_contact_wishes as
  select
    id, company_id, do_not_contact, do_not_contact_source, do_not_contact_at, stop_word_at, start_word_at,
    marketing_stopped_at, marketing_stop_source, marketing_resumed_at, marketing_opt_out_at
  from public.contacts
  where company_id = (select app.company_id('read'));
comment on view public.own_contact_wishes is
  'The message preferences of each contact for the key''s company, and when the person or the company changed them.';
grant select on public.own_contact_wishes to api_reader;

-- schemas/98_record_to_change.sql

-- Callers may change a field of a record and send the whole record back. This function reads the stored record, so that
-- the service can compare the other fields.

create function public.record_to_change(of_table text, id uuid) returns json
-- Security definer, because a write token can read only the rows that its statement writes. The function reveals
-- nothing new, because a write token could also get the record by changing it.
language plpgsql stable security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('write');
begin
  return case of_table
    when 'contacts' then (
      select to_json(contacts) from public.contacts where company_id = own_company_id and contacts.id = record_to_change.id
    )
    when 'deals' then (
      select to_json(deals) from public.deals where company_id = own_company_id and deals.id = record_to_change.id
    )
    when 'conversations' then (
      select to_json(conversations) from public.conversations
      where company_id = own_company_id and conversations.id = record_to_change.id
    )
    when 'pipelines' then (
      select to_json(pipelines) from public.pipelines
      where company_id = own_company_id and pipelines.id = record_to_change.id
    )
    when 'stages' then (
      select to_json(stages) from public.stages where company_id = own_company_id and stages.id = record_to_change.id
    )
  end;
end
$$;
comment on function public.record_to_change(text, uuid) is
  'Returns a row of contacts, deals, conversations, pipelines or stages of the key''s company, or null when there is '
  'none. Needs a write token. Raises PT401 and PT403 as app.company_id() does.';
grant execute on function public.record_to_change(text, uuid) to api_client;

-- schemas/99_deliveries.sql

-- The delivery of events to webhooks. Each run of the delivery job in the edge function webhooks leases webhooks, reads
-- their due deliveries, sends them, and settles the outcomes. The lease preserves the order: only one run at a time
-- delivers to a webhook.

-- At most four runs deliver at the same time, because all functions share the database connections. A run that was
-- killed keeps its slot for half a minute.
create table app.delivery_runs (
  place smallint primary key check (place between 1 and 4),
  run_id uuid unique,
  until timestamptz not null default '-infinity'
);
comment on table app.delivery_runs is 'The slots for runs that deliver for all companies.';
alter table app.delivery_runs enable row level security;
insert into app.delivery_runs (place) values (1), (2), (3), (4);

create function app.keep_place(run uuid) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  at constant timestamptz := clock_timestamp();
  held timestamptz;
  free smallint;
begin
  select until into held from app.delivery_runs where run_id = run;
  -- A run requests work four times a second, so the function does not write the row each time.
  if held > at + interval '15 seconds' then
    return true;
  end if;
  if found then
    update app.delivery_runs set until = at + interval '30 seconds' where run_id = run;
    return true;
  end if;
  select place into free from app.delivery_runs where until < at order by place limit 1 for update skip locked;
  if not found then
    return false;
  end if;
  update app.delivery_runs set run_id = run, until = at + interval '30 seconds' where place = free;
  return true;
end
$$;
comment on function app.keep_place(uuid) is
  'Assigns one of the four slots to a run, or renews its slot. Returns false when all slots are in use.';

create function public.take_webhooks(run uuid, most integer, of_company uuid default null) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  at constant timestamptz := clock_timestamp();
  own_place constant boolean := of_company is not null or app.keep_place(run);
  taken uuid[] := '{}';
  ended uuid[] := '{}';
  hook public.webhooks;
begin
  if not own_place then
    return jsonb_build_object('may_run', false, 'taken', '[]'::jsonb, 'ended', '[]'::jsonb);
  end if;
  for hook in
    -- A loose index scan: one lookup for each webhook with open deliveries, however many deliveries it has.
    with recursive queued as (
      (select webhook_id from app.open_deliveries order by webhook_id limit 1)
      union all
      select (
        select following.webhook_id from app.open_deliveries as following
        where following.webhook_id > queued.webhook_id order by following.webhook_id limit 1
      )
      from queued where queued.webhook_id is not null
    ),
    waiting as (
      select queued.webhook_id, first.due_at
      from queued
      cross join lateral (
        select due_at from app.open_deliveries as open
        where open.webhook_id = queued.webhook_id order by due_at limit 1
      ) as first
      where first.due_at <= at
      union all
      select id, at from public.webhooks where catch_up_version is not null and state <> 'off'
      union all
      select webhook_id, at from app.replays
    ),
    free as (
      select webhooks.id
      from (select webhook_id, min(due_at) as due_at from waiting group by webhook_id) as waiting
      join public.webhooks on webhooks.id = waiting.webhook_id
      where webhooks.state in ('on', 'catching_up')
        and (webhooks.paused_until is null or webhooks.paused_until <= at)
        and (webhooks.leased_until is null or webhooks.leased_until <= at)
        and (of_company is null or webhooks.company_id = of_company)
      order by waiting.due_at
      limit most
      for update of webhooks skip locked
    )
    update public.webhooks set lease_id = run, leased_until = at + interval '30 seconds'
    from free where webhooks.id = free.id
    returning webhooks.*
  loop
    if app.has_ended_key(hook) then
      perform app.switch_off_webhook(hook.id, 'key_ended');
      ended := ended || hook.id;
    else
      taken := taken || hook.id;
    end if;
  end loop;
  return jsonb_build_object('may_run', true, 'taken', to_jsonb(taken), 'ended', to_jsonb(ended));
end
$$;
comment on function public.take_webhooks(uuid, integer, uuid) is
  'Leases webhooks with due deliveries to a run for 30 seconds, longest waiting first. Returns whether the run has a '
  'slot (may_run), the leased webhooks (taken), and the webhooks that were switched off because their key has ended '
  '(ended). A run for one company needs no slot.';
grant execute on function public.take_webhooks(uuid, integer, uuid) to webhook_client;

create function app.due_deliveries(hook public.webhooks, most integer, held uuid[]) returns setof app.open_deliveries
language plpgsql
set search_path = ''
as $$
declare
  at constant timestamptz := clock_timestamp();
  due record;
begin
  -- The query excludes the records whose deliveries are still in progress in this run. For every other record, it
  -- includes all earlier deliveries. So a delivery never overtakes an earlier delivery of the same record.
  for due in
    select chosen.record_id, chosen.deliveries, head.seq as head_seq, head.due_at as head_due_at
    from (
      select record_id, count(*) as deliveries, min(due_at) as due_at
      from (
        select record_id, due_at from app.open_deliveries
        where webhook_id = hook.id and due_at <= at and record_id <> all (held)
        order by due_at limit most
      ) as oldest
      group by record_id
    ) as chosen
    cross join lateral (
      select seq, due_at from app.open_deliveries
      where webhook_id = hook.id and record_id = chosen.record_id order by seq limit 1
    ) as head
    order by chosen.due_at, head.seq
  loop
    if due.head_due_at > at then
      -- An earlier delivery of this record waits for its next attempt. The later deliveries get the same due time, so
      -- that the query does not find them repeatedly.
      update app.open_deliveries set due_at = due.head_due_at
      where webhook_id = hook.id and record_id = due.record_id and due_at < due.head_due_at;
      continue;
    end if;
    return query
      select open.* from app.open_deliveries as open
      where open.webhook_id = hook.id and open.record_id = due.record_id and open.due_at <= at
        and open.seq < coalesce((
          select later.seq from app.open_deliveries as later
          where later.webhook_id = hook.id and later.record_id = due.record_id and later.due_at > at
          order by later.seq limit 1
        ), 9223372036854775807)
      order by open.seq limit due.deliveries;
  end loop;
end
$$;
comment on function app.due_deliveries(public.webhooks, integer, uuid[]) is
  'Returns at most this many due deliveries of a webhook, and excludes the records in `held`. The deliveries of each '
  'record are in order, beginning with the first open delivery of the record.';

create function app.deliveries_with_records(hook public.webhooks, most integer, held uuid[], most_bytes integer)
  returns json
language sql
set search_path = ''
as $$
  select json_agg(json_build_object(
    'webhook_id', hook.id,
    'record_id', read.record_id,
    'seq', read.seq,
    'attempts', read.attempts,
    'event', read.event,
    'data', case when read.is_whole then read.data else json_build_object('id', read.record_id) end,
    'is_truncated', not read.is_whole
  ) order by read.place)
  from (
    select
      due.place, due.record_id, due.seq, due.attempts, app.event_json(events) as event, shown.data, size.is_whole,
      sum(size.bytes) over (order by due.place) - size.bytes as bytes_before
    from app.due_deliveries(hook, most, held) with ordinality
      as due (webhook_id, record_id, seq, slot, event_id, company_id, type, due_at, attempts, tries, place)
    join app.events on events.slot = due.slot and events.id = due.event_id
    cross join lateral (
      select case
        when hook.payload = 'full' then app.shown_record(split_part(due.type, '.', 1), due.company_id, due.record_id)
        else json_build_object('id', due.record_id)
      end as data
    ) as shown
    -- The largest body has 256 KiB, and an event itself has a few hundred bytes.
    cross join lateral (select coalesce(octet_length(shown.data::text), 0) as bytes) as whole
    cross join lateral (
      select whole.bytes <= 250 * 1024 as is_whole, case when whole.bytes <= 250 * 1024 then whole.bytes else 0 end as bytes
    ) as size
  ) as read
  where read.bytes_before < most_bytes
$$;
comment on function app.deliveries_with_records(public.webhooks, integer, uuid[], integer) is
  'Returns due deliveries of a webhook, as app.due_deliveries() does, with their events and current records, until the '
  'records have a total size of most_bytes. For a record of more than 250 KiB, returns only its id.';

create function public.next_deliveries(run uuid, wanted jsonb, held jsonb) returns json
language plpgsql security definer
set search_path = ''
as $$
declare
  at constant timestamptz := clock_timestamp();
  most_bytes constant integer := 4000000 / greatest((select count(*) from jsonb_object_keys(wanted)), 1);
  answers json[] := '{}';
  hook public.webhooks;
  asked integer;
begin
  for hook in
    select webhooks.* from public.webhooks
    where webhooks.id in (select key::uuid from jsonb_object_keys(wanted) as key)
      and webhooks.lease_id = run and webhooks.state in ('on', 'catching_up')
      and (webhooks.paused_until is null or webhooks.paused_until <= at)
    order by webhooks.id
  loop
    asked := least((wanted ->> hook.id::text)::integer, 500);
    -- After a pause, only one delivery is attempted at a time, until the receiver works again.
    if hook.pauses > 0 then
      asked := case when jsonb_array_length(coalesce(held -> hook.id::text, '[]')) = 0 then 1 else 0 end;
    end if;
    if app.fill_from_log(hook.id) = 'wait' then
      asked := 0;
    end if;
    answers := answers || json_build_object(
      'id', hook.id,
      'company_id', hook.company_id,
      'url', hook.url,
      'payload', hook.payload,
      'sealed_secrets', array_remove(array[
        hook.sealed_secret, case when hook.previous_secret_ends_at > at then hook.sealed_previous_secret end
      ], null),
      'deliveries', coalesce(app.deliveries_with_records(
        hook, asked, array(select jsonb_array_elements_text(coalesce(held -> hook.id::text, '[]'))::uuid), most_bytes
      ), '[]')
    );
  end loop;
  return array_to_json(answers);
end
$$;
comment on function public.next_deliveries(uuid, jsonb, jsonb) is
  'Returns due deliveries of webhooks that the run has leased. The parameter `wanted` contains the number of '
  'deliveries for each webhook. The parameter `held` lists the records whose deliveries are still in progress in this '
  'run. A webhook that is missing from the result is paused, off, or leased by another run.';
grant execute on function public.next_deliveries(uuid, jsonb, jsonb) to webhook_client;

create function public.release_webhooks(run uuid, ids uuid[] default null) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  update public.webhooks set lease_id = null, leased_until = null
  where lease_id = run and (ids is null or id = any (ids));
  if ids is null then
    update app.delivery_runs set run_id = null, until = '-infinity' where run_id = run;
  end if;
end
$$;
comment on function public.release_webhooks(uuid, uuid[]) is
  'Ends the leases of a run for these webhooks. Without ids, ends all its leases and frees its slot.';
grant execute on function public.release_webhooks(uuid, uuid[]) to webhook_client;

create function app.has_answer(tries jsonb) returns boolean
language sql immutable
set search_path = ''
as $$
  select coalesce(tries @? '$[*].answer ? (@ != null)', false)
$$;
comment on function app.has_answer(jsonb) is
  'Checks whether the beginning of a response is stored for an attempt of a delivery.';

-- schemas/99_deliveries_settled.sql

-- The outcomes of deliveries. A delivery that has ended moves to the log, and a failed attempt is retried. If a
-- receiver keeps failing, its webhook pauses for a while, and is finally switched off.

-- Few deliveries have a stored response, so an erasure finds them quickly with this index.
create index deliveries_with_answers_idx on app.deliveries (company_id, record_id) where app.has_answer(tries);
create index open_deliveries_with_answers_idx on app.open_deliveries (company_id, record_id) where app.has_answer(tries);

create function app.retry_pause(attempts integer) returns interval
language sql volatile
set search_path = ''
as $$
  select (array[
    '5 seconds', '1 minute', '5 minutes', '30 minutes', '2 hours', '5 hours', '10 hours', '14 hours', '20 hours',
    '20 hours'
  ]::interval[])[attempts] * (0.9 + 0.2 * random())
$$;
comment on function app.retry_pause(integer) is
  'Returns the pause after this many failed attempts, or null when there is no further attempt. Varies the pause '
  'randomly by up to 10 percent. The total of all pauses is 71.6 hours.';

create function app.circuit_pause(pauses integer) returns interval
language sql immutable
set search_path = ''
as $$
  select least(interval '10 seconds' * power(2, least(pauses, 10) - 1), interval '15 minutes')
$$;
comment on function app.circuit_pause(integer) is
  'Returns the length of a webhook''s next pause. The first pause lasts 10 seconds, and each later pause lasts twice '
  'as long, up to 15 minutes.';

create function app.may_keep_answer(type text, of_company uuid, of_record uuid) returns boolean
language sql stable
set search_path = ''
as $$
  select case split_part(type, '.', 1)
    when 'contact' then exists (
      select from public.contacts where company_id = of_company and id = of_record and erased_at is null
    )
    when 'deal' then exists (
      select from public.deals
      join public.contacts on contacts.company_id = deals.company_id and contacts.id = deals.contact_id
      where deals.company_id = of_company and deals.id = of_record and contacts.erased_at is null
    )
    when 'conversation' then exists (
      select from public.conversations
      join public.contacts on contacts.company_id = conversations.company_id and contacts.id = conversations.contact_id
      where conversations.company_id = of_company and conversations.id = of_record and contacts.erased_at is null
    )
    when 'template' then true
    when 'account' then true
    when 'webhook' then true
    else exists (
      select from public.messages
      join public.conversations on conversations.company_id = messages.company_id
        and conversations.id = messages.conversation_id
      join public.contacts on contacts.company_id = conversations.company_id and contacts.id = conversations.contact_id
      where messages.company_id = of_company and messages.id = of_record and contacts.erased_at is null
    )
  end
$$;
comment on function app.may_keep_answer(text, uuid, uuid) is
  'Checks whether the beginning of a receiver''s response may be stored. The response may quote the request, so it is '
  'not stored if the record no longer exists or its person was erased.';

create function app.switch_off_webhook(webhook uuid, reason text) returns void
language plpgsql
set search_path = ''
as $$
declare
  at constant timestamptz := clock_timestamp();
  of_company uuid;
begin
  update public.webhooks set
    state = 'off', why = reason, switched_off_at = at, lease_id = null, leased_until = null, paused_until = null,
    catch_up_version = null, catch_up_seq = null, catch_up_until = null
  where id = webhook and state <> 'off'
  returning company_id into of_company;
  if not found then
    return;
  end if;
  delete from app.replays where webhook_id = webhook;
  with over as (
    delete from app.open_deliveries where webhook_id = webhook returning *
  )
  insert into app.deliveries (
    slot, webhook_id, seq, event_id, company_id, type, record_id, happened_at, outcome, ended_at, tries
  )
  select
    over.slot, over.webhook_id, over.seq, over.event_id, over.company_id, over.type, over.record_id,
    coalesce(events.happened_at, at), 'undelivered', at, over.tries
  from over
  left join app.events on events.slot = over.slot and events.id = over.event_id;
  perform app.note_webhook_event(of_company, webhook, 'webhook.switched_off', jsonb_build_object('why', reason));
end
$$;
comment on function app.switch_off_webhook(uuid, text) is
  'Switches a webhook off for a reason. Its open deliveries become undelivered, and the event webhook.switched_off '
  'notifies the company''s other webhooks. Does nothing when the webhook is off.';

create function app.settle_of_webhook(
  hook public.webhooks, outcomes jsonb, out has_success boolean, out failures integer, out wait_seconds integer,
  out is_gone boolean
)
language plpgsql
set search_path = ''
as $$
declare
  succeeded_at timestamptz;
begin
  with told as (
    select * from jsonb_to_recordset(outcomes) as told (
      webhook_id uuid, record_id uuid, seq bigint, attempts smallint, ended_at timestamptz, result text, try jsonb,
      wait_seconds integer
    )
    where told.webhook_id = hook.id
  ),
  over as (
    -- If a settlement is repeated, the number of attempts no longer matches, and nothing changes.
    delete from app.open_deliveries as open using told
    where open.webhook_id = hook.id and open.record_id = told.record_id and open.seq = told.seq
      and open.attempts = told.attempts
      and (told.result = 'delivered' or told.result in ('failed', 'gone') and told.attempts >= 10)
    returning open.*, told.ended_at, told.result, told.try
  ),
  logged as (
    insert into app.deliveries (
      slot, webhook_id, seq, event_id, company_id, type, record_id, happened_at, outcome, status, ended_at, tries
    )
    select
      over.slot, over.webhook_id, over.seq, over.event_id, over.company_id, over.type, over.record_id,
      coalesce(events.happened_at, over.ended_at),
      case over.result when 'delivered' then 'delivered' else 'failed' end, (over.try ->> 'status')::smallint,
      over.ended_at,
      app.with_try(
        over.tries, over.try,
        over.result = 'delivered' or app.may_keep_answer(over.type, over.company_id, over.record_id)
      )
    from over
    left join app.events on events.slot = over.slot and events.id = over.event_id
  ),
  again as (
    update app.open_deliveries as open set
      attempts = open.attempts + (told.result <> 'later')::integer,
      due_at = told.ended_at + case told.result
        when 'later' then told.wait_seconds * interval '1 second' else app.retry_pause(open.attempts + 1)
      end,
      tries = app.with_try(open.tries, told.try, app.may_keep_answer(open.type, open.company_id, open.record_id))
    from told
    where open.webhook_id = hook.id and open.record_id = told.record_id and open.seq = told.seq
      and open.attempts = told.attempts and told.result <> 'delivered'
      and (told.result = 'later' or told.attempts < 10)
    returning told.ended_at, told.result, told.wait_seconds
  ),
  settled as (
    select over.ended_at, over.result, null::integer as wait_seconds from over
    union all
    select again.ended_at, again.result, again.wait_seconds from again
  ),
  success as (
    select max(settled.ended_at) as at from settled where settled.result = 'delivered'
  )
  select
    success.at,
    count(*) filter (where settled.result in ('failed', 'gone') and settled.ended_at > coalesce(success.at, '-infinity')),
    max(settled.wait_seconds) filter (where settled.ended_at > coalesce(success.at, '-infinity')),
    coalesce(bool_or(settled.result = 'gone'), false)
  into succeeded_at, settle_of_webhook.failures, settle_of_webhook.wait_seconds, is_gone
  from success left join settled on true
  group by success.at;
  has_success := succeeded_at is not null;
end
$$;
comment on function app.settle_of_webhook(public.webhooks, jsonb) is
  'Stores the outcomes of deliveries of one webhook. Returns whether any delivery succeeded, how many failed after the '
  'last success, the longest wait that the receiver requested, and whether the receiver returned the status 410.';

create function app.with_try(tries jsonb, try jsonb, is_whole boolean) returns jsonb
language sql immutable
set search_path = ''
as $$
  select case when jsonb_array_length(coalesce(tries, '[]')) >= 20 then tries - 0 else coalesce(tries, '[]') end
    || jsonb_build_array(case when is_whole then try else try || '{ "answer": null }' end)
$$;
comment on function app.with_try(jsonb, jsonb, boolean) is
  'Adds an attempt to the attempts of a delivery, and keeps the last 20. Omits the beginning of the response unless '
  'is_whole is true.';

create function public.settle_deliveries(run uuid, outcomes jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  at constant timestamptz := clock_timestamp();
  answers jsonb := '[]';
  hook public.webhooks;
  was public.webhooks;
  settled record;
  told text;
begin
  for hook in
    select webhooks.* from public.webhooks
    where webhooks.id in (
      select distinct named.webhook_id from jsonb_to_recordset(outcomes) as named (webhook_id uuid)
    ) and webhooks.lease_id = run
    order by webhooks.id
    for no key update
  loop
    told := null;
    was := hook;
    -- After a pause, the first success makes all deliveries due, so that no delivery waits for hours after the receiver
    -- works again. This must happen before the failed deliveries of the same settlement get their new due times.
    if hook.pauses > 0 and outcomes @> jsonb_build_array(
      jsonb_build_object('webhook_id', hook.id, 'result', 'delivered')
    ) then
      update app.open_deliveries set due_at = at where webhook_id = hook.id and due_at > at;
    end if;
    settled := app.settle_of_webhook(hook, outcomes);
    if settled.has_success then
      hook.failures := 0;
      hook.failing_since := null;
      hook.pauses := 0;
      hook.paused_until := null;
      hook.last_success_at := case
        when was.last_success_at > at - interval '5 seconds' then was.last_success_at else at
      end;
      if was.pauses > 0 then
        told := 'resumed';
      end if;
    end if;
    hook.failures := hook.failures + settled.failures;
    if settled.failures > 0 or settled.wait_seconds is not null then
      hook.failing_since := coalesce(hook.failing_since, at);
      -- Simultaneous requests that fail cause only one pause.
      if hook.paused_until is null or hook.paused_until <= at then
        if settled.wait_seconds is not null then
          hook.pauses := least(hook.pauses + 1, 30000);
          hook.paused_until := at + settled.wait_seconds * interval '1 second';
        elsif hook.pauses > 0 or hook.failures >= 5 then
          hook.pauses := least(hook.pauses + 1, 30000);
          hook.paused_until := at + app.circuit_pause(hook.pauses);
        end if;
        if hook.paused_until > at then
          told := 'paused';
        end if;
      end if;
    end if;
    if (hook.leased_until is null or hook.leased_until < at + interval '20 seconds') then
      hook.leased_until := at + interval '30 seconds';
    end if;
    if hook is distinct from was then
      update public.webhooks set
        failures = hook.failures, failing_since = hook.failing_since, pauses = hook.pauses,
        paused_until = hook.paused_until, last_success_at = hook.last_success_at, leased_until = hook.leased_until
      where id = hook.id;
    end if;
    if settled.is_gone or (
      hook.failing_since <= at - interval '72 hours' and (hook.failures >= 20 or hook.pauses >= 20)
    ) then
      hook.why := case when settled.is_gone then 'gone' else 'failing' end;
      perform app.switch_off_webhook(hook.id, hook.why);
      hook.state := 'off';
      told := 'switched_off';
    end if;
    answers := answers || jsonb_build_object(
      'id', hook.id,
      'company_id', hook.company_id,
      'state', case
        when hook.state not in ('on', 'catching_up') then hook.state
        when hook.paused_until > at then 'paused'
        else 'on'
      end,
      'told', told,
      'why', hook.why,
      'failures', hook.failures,
      'paused_until', hook.paused_until
    );
  end loop;
  return answers;
end
$$;
comment on function public.settle_deliveries(uuid, jsonb) is
  'Stores the outcomes of deliveries of webhooks that the run has leased, and renews the leases. Returns each of these '
  'webhooks with its current state, and whether this call paused it, resumed it or switched it off (told). A webhook '
  'that was deleted or that another run has leased is missing from the result, and nothing is stored for it.';
grant execute on function public.settle_deliveries(uuid, jsonb) to webhook_client;

create function app.without_answers(tries jsonb) returns jsonb
language sql immutable
set search_path = ''
as $$
  select jsonb_agg(try || '{ "answer": null }' order by place)
  from jsonb_array_elements(tries) with ordinality as each (try, place)
$$;
comment on function app.without_answers(jsonb) is
  'Returns the attempts of a delivery without the beginnings of the responses.';

create function app.note_webhook_event(of_company uuid, webhook uuid, event_type text, event_changes jsonb) returns void
language plpgsql
set search_path = ''
as $$
declare
  at constant timestamptz := clock_timestamp();
  noted app.events;
begin
  insert into app.events (slot, id, seq, version, company_id, type, record_id, changed, changes, actor, happened_at)
  values (
    app.slot_of(at), app.new_event_id(at), nextval('app.event_seq'), app.change_now(), of_company, event_type, webhook,
    '{}', event_changes, '{ "kind": "job", "id": null }', at
  )
  returning * into noted;
  insert into app.open_deliveries (webhook_id, record_id, seq, slot, event_id, company_id, type, due_at)
  select hooks.id, webhook, noted.seq, noted.slot, noted.id, of_company, event_type, at
  from public.webhooks as hooks
  where hooks.company_id = of_company and hooks.is_queued
    and app.wants(hooks.types, event_type) and app.is_for_webhook(event_type, webhook, hooks.id);
end
$$;
comment on function app.note_webhook_event(uuid, uuid, text, jsonb) is
  'Writes an event about a webhook, and queues the event for the company''s webhooks that subscribe to this event '
  'type.';

-- schemas/99_events_upkeep.sql

-- Maintenance of events and webhooks. These functions fill queues from the log, limit long queues, and switch off the
-- webhooks of keys that have ended. They also empty old partitions, and delete the receivers' responses.

create function app.fill_from_replay(replay app.replays, hook public.webhooks, horizon bigint) returns boolean
language plpgsql
set search_path = ''
-- Only a plan for these specific values skips the partitions of other days.
set plan_cache_mode = force_custom_plan
as $$
declare
  own_slots constant smallint[] := app.slots_between(replay.since, replay.until);
  scanned record;
begin
  with page as (
    select events.* from app.events
    where events.company_id = hook.company_id
      and (events.version, events.seq) > (replay.after_version, replay.after_seq) and events.version < horizon
      and events.slot = any (own_slots)
      and events.happened_at between replay.since and replay.until
      and events.happened_at > now() - interval '30 days'
    order by events.version, events.seq limit 1000
  ),
  filled as (
    insert into app.open_deliveries (webhook_id, record_id, seq, slot, event_id, company_id, type, due_at)
    select hook.id, record_id, seq, slot, id, company_id, type, clock_timestamp() from page
    where app.wants(coalesce(replay.types, hook.types), type) and app.is_for_webhook(page.type, record_id, hook.id)
    on conflict do nothing
  )
  select max(version) as version, max(seq) filter (where is_last) as seq, count(*) as events into scanned
  from (select version, seq, version = max(version) over () as is_last from page) as places;
  if scanned.events > 0 then
    update app.replays set after_version = scanned.version, after_seq = scanned.seq where webhook_id = hook.id;
  end if;
  -- If the horizon has not passed all events of the replay, the replay remains until all earlier transactions have
  -- ended.
  if scanned.events < 1000 and not exists (
    select from app.events
    where events.company_id = hook.company_id and events.version >= horizon
      and events.slot = any (own_slots)
      and events.happened_at between replay.since and replay.until
  ) then
    delete from app.replays where webhook_id = hook.id;
  end if;
  return scanned.events > 0;
end
$$;
comment on function app.fill_from_replay(app.replays, public.webhooks, bigint) is
  'Queues the next 1,000 events of a replay, including events that were delivered earlier. Returns whether there were '
  'any events.';

create function app.fill_from_backlog(hook public.webhooks, horizon bigint) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  scanned record;
begin
  with page as (
    select events.* from app.events
    where events.company_id = hook.company_id
      and (events.version, events.seq) > (hook.catch_up_version, hook.catch_up_seq) and events.version < horizon
      and events.happened_at > greatest(hook.created_at, now() - interval '30 days')
    order by events.version, events.seq limit 1000
  ),
  last as (select version, seq from page order by version desc, seq desc limit 1),
  -- The log is sorted by version. An earlier event of a record may have a later version, if its transaction began
  -- later. This query finds such earlier events.
  earlier as (
    select following.*
    from last
    cross join lateral (
      select events.* from app.events
      where events.company_id = hook.company_id and (events.version, events.seq) > (last.version, last.seq)
      order by events.version, events.seq limit 5000
    ) as following
    where following.seq < (select max(seq) from page) and following.record_id in (select record_id from page)
  ),
  filled as (
    insert into app.open_deliveries (webhook_id, record_id, seq, slot, event_id, company_id, type, due_at)
    select hook.id, record_id, seq, slot, id, company_id, type, clock_timestamp()
    from (select * from page union all select * from earlier) as found
    where app.wants(hook.types, found.type) and app.is_for_webhook(found.type, record_id, hook.id)
      and (
        select true from app.deliveries
        where deliveries.slot = found.slot and deliveries.webhook_id = hook.id and deliveries.seq = found.seq
          and deliveries.outcome = 'delivered' limit 1
      ) is null
    on conflict do nothing
  )
  select last.version, last.seq, (select count(*) from page) as events into scanned from last;
  if scanned.events > 0 then
    update public.webhooks set catch_up_version = scanned.version, catch_up_seq = scanned.seq where id = hook.id;
  end if;
  return coalesce(scanned.events, 0) > 0;
end
$$;
comment on function app.fill_from_backlog(public.webhooks, bigint) is
  'Reads the next 1,000 events of the log, and queues the events that a webhook subscribes to and has not received '
  'yet. Returns whether there were any events.';

create function app.is_for_webhook(type text, record uuid, webhook uuid) returns boolean
language sql immutable
set search_path = ''
as $$
  select case type
    when 'webhook.test' then record = webhook
    when 'webhook.switched_off' then record <> webhook
    else true
  end
$$;
comment on function app.is_for_webhook(text, uuid, uuid) is
  'Checks whether an event goes to a webhook: the event webhook.test goes only to the tested webhook, and '
  'webhook.switched_off goes only to the other webhooks.';

create function app.slots_between(since timestamptz, until timestamptz) returns smallint[]
language sql stable
set search_path = ''
as $$
  select coalesce(array_agg(distinct app.slot_of(day)), '{}')
  from generate_series(
    greatest(since, now() - interval '31 days') - interval '1 day', least(until, now()) + interval '1 day',
    interval '1 day'
  ) as day
$$;
comment on function app.slots_between(timestamptz, timestamptz) is
  'Returns the slots of the log for the days between two times, and for the day before and the day after this period.';

create function app.fill_from_log(webhook uuid) returns text
language plpgsql
set search_path = ''
as $$
declare
  hook public.webhooks;
  replay app.replays;
  clock record;
begin
  select * into hook from public.webhooks where id = webhook;
  select * into replay from app.replays where webhook_id = webhook;
  if hook.catch_up_version is null and replay.webhook_id is null then
    return 'none';
  end if;
  if (select count(*) from (select from app.open_deliveries where webhook_id = webhook limit 1000) as open) >= 1000 then
    return 'filled';
  end if;
  -- This lock waits for a settlement that is moving deliveries to the log. Otherwise the statements below might see
  -- these deliveries neither in the queue nor in the log.
  perform from public.webhooks where id = webhook for no key update;
  -- Every transaction below the horizon has ended, so the statements below see all events of these transactions.
  select * into clock from app.change_clock_now();
  if hook.catch_up_version is not null then
    if app.fill_from_backlog(hook, clock.horizon) then
      return 'filled';
    end if;
    -- This is the end of the log. From now on, the events of new transactions are queued as they are written.
    if hook.catch_up_until is null then
      update public.webhooks set
        catch_up_until = 0, state = case state when 'catching_up' then 'on' else state end
      where id = webhook;
      return 'wait';
    end if;
    -- The transactions that did not queue their events for this webhook started before this time. Deliveries wait until
    -- these transactions have ended, so that their events come first.
    if hook.catch_up_until = 0 then
      update public.webhooks set catch_up_until = clock.beyond where id = webhook;
      return 'wait';
    end if;
    if clock.horizon < hook.catch_up_until then
      return 'wait';
    end if;
    update public.webhooks set catch_up_version = null, catch_up_seq = null, catch_up_until = null where id = webhook;
  end if;
  if replay.webhook_id is not null then
    perform app.fill_from_replay(replay, hook, clock.horizon);
  end if;
  return 'filled';
end
$$;
comment on function app.fill_from_log(uuid) is
  'Fills a webhook''s queue from the log if the webhook is catching up or has a replay. Returns `none` when there is '
  'nothing to queue, and `wait` when the deliveries must wait for transactions that are still writing.';

create function app.bound_queues() returns integer
language plpgsql
set search_path = ''
as $$
declare
  clock record;
  webhook uuid;
  bounded integer := 0;
begin
  select * into clock from app.change_clock_now();
  for webhook in
    select id from public.webhooks
    where state in ('on', 'paused') and catch_up_version is null
      and exists (select from app.open_deliveries where webhook_id = webhooks.id offset 50000)
  loop
    -- Events at or above the horizon may be missing from the queue. All earlier events were queued.
    update public.webhooks set
      catch_up_version = clock.horizon - 1, catch_up_seq = 9223372036854775807, catch_up_until = null,
      state = case state when 'on' then 'catching_up' else state end
    where id = webhook and catch_up_version is null;
    bounded := bounded + 1;
  end loop;
  return bounded;
end
$$;
comment on function app.bound_queues() is
  'Stops adding events to queues with more than 50,000 open deliveries. Later events are read from the log. Returns '
  'the number of these queues.';

create function app.delete_left_deliveries(of_slot integer) returns integer
language plpgsql
set search_path = ''
as $$
declare
  webhook uuid := '00000000-0000-0000-0000-000000000000';
  deleted integer := 0;
  now_deleted integer;
begin
  loop
    webhook := (select webhook_id from app.open_deliveries where webhook_id > webhook order by webhook_id limit 1);
    exit when webhook is null or deleted >= 5000;
    if not exists (select from public.webhooks where id = webhook) then
      delete from app.open_deliveries where webhook_id = webhook;
      get diagnostics now_deleted = row_count;
      deleted := deleted + now_deleted;
    end if;
  end loop;
  webhook := '00000000-0000-0000-0000-000000000000';
  loop
    webhook := (
      select webhook_id from app.deliveries
      where slot = of_slot and webhook_id > webhook order by webhook_id limit 1
    );
    exit when webhook is null or deleted >= 5000;
    if not exists (select from public.webhooks where id = webhook) then
      delete from app.deliveries where slot = of_slot and webhook_id = webhook;
      get diagnostics now_deleted = row_count;
      deleted := deleted + now_deleted;
    end if;
  end loop;
  delete from app.replays where not exists (select from public.webhooks where id = webhook_id);
  return deleted;
end
$$;
comment on function app.delete_left_deliveries(integer) is
  'Deletes the open deliveries and the replays of deleted webhooks, and their deliveries in one slot of the log. '
  'Returns the number of deleted deliveries.';

create function app.delete_events_of_company() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  delete from app.events where company_id = old.id;
  return null;
end
$$;
comment on function app.delete_events_of_company() is
  'Trigger: deletes the events of a deleted company. A job deletes the deliveries of its webhooks.';

create function app.empty_next_day() returns boolean
language plpgsql
set search_path = ''
as $$
declare
  next_slot constant smallint := app.slot_of(clock_timestamp() + interval '1 day');
  part text;
  has_rows boolean;
  is_emptied boolean := false;
begin
  delete from app.open_deliveries where slot = next_slot;
  foreach part in array array['events', 'deliveries'] loop
    execute format('select exists (select from app.%I)', part || to_char(next_slot, '_FM00')) into has_rows;
    if has_rows then
      -- The function waits only 200 ms for a writer that has locked the table. The next run tries again.
      perform set_config('lock_timeout', '200ms', true);
      execute format('truncate app.%I', part || to_char(next_slot, '_FM00'));
      is_emptied := true;
    end if;
  end loop;
  return is_emptied;
exception when lock_not_available then
  return false;
end
$$;
comment on function app.empty_next_day() is
  'Empties the partitions for tomorrow''s events. Their rows are 31 days old.';

create function app.forget_answers(of_company uuid, contact_ids uuid[], record_ids uuid[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  -- A contact that was merged into one of these contacts was the same person.
  records constant uuid[] := contact_ids || record_ids || array(
    select deals.id from public.deals where deals.company_id = of_company and deals.contact_id = any (contact_ids)
    union all
    select rows.id from public.deleted_rows as rows
    where rows.company_id = of_company and rows.merged_into = any (contact_ids)
  );
begin
  update app.deliveries set tries = app.without_answers(tries)
  where company_id = of_company and app.has_answer(tries) and record_id = any (records);
  update app.open_deliveries set tries = app.without_answers(tries)
  where company_id = of_company and app.has_answer(tries) and record_id = any (records);
end
$$;
comment on function app.forget_answers(uuid, uuid[], uuid[]) is
  'Clears the stored receiver responses about some contacts and their records, because responses may quote the '
  'request.';

create function public.tidy_events() returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  hook public.webhooks;
  ended integer := 0;
begin
  -- Only one run is active at a time.
  if not pg_try_advisory_xact_lock(hashtext('app.tidy_events')) then
    return '{}';
  end if;
  for hook in
    select * from public.webhooks where created_by_key_id is not null and state <> 'off' order by id
  loop
    if app.has_ended_key(hook) then
      perform app.switch_off_webhook(hook.id, 'key_ended');
      ended := ended + 1;
    end if;
  end loop;
  perform app.note_passed_times();
  return jsonb_build_object(
    'keys_ended', ended,
    'queues_bounded', app.bound_queues(),
    -- Each minute, the function searches another slot of the log.
    'left_deliveries', app.delete_left_deliveries((extract(epoch from clock_timestamp())::bigint / 60 % 32)::integer),
    'day_emptied', app.empty_next_day()
  );
end
$$;
comment on function public.tidy_events() is
  'Maintains events and webhooks. Switches off webhooks whose key has ended, limits long queues, and deletes the '
  'deliveries of deleted webhooks. Writes the time-based events, and empties the partitions for tomorrow. A job calls '
  'this function every minute. Returns a summary of the changes.';
grant execute on function public.tidy_events() to webhook_client, service_role;

create trigger companies_delete_events after delete on public.companies
  for each row execute function app.delete_events_of_company();
