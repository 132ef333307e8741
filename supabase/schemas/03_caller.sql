-- Functions that identify the caller of a request: the company of the API key, the user, and the client's IP address.
-- Policies and the defaults of company_id columns call these functions. For a request with an API key, the edge
-- functions create a token (JWT). The claims of the token are the role, the key's hash, and the scope that the request
-- needs. The platform is the operator, who uses the role service_role.

create function app.company_id(needed_scope text default null) returns uuid
language plpgsql stable security definer
set search_path = ''
-- Every request looks up its key. Without these settings, each request would plan the lookup again, which takes longer
-- than the lookup itself. A cached plan must use the index, even if the plan was made while the table was small.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  claims constant jsonb := auth.jwt();
  claimed_scope constant text := claims ->> 'scope';
  key record;
  noted text;
begin
  -- Users and the platform have no API key. Their statements specify the company of each row.
  if coalesce(current_setting('role', true), '') not in ('api_client', 'api_reader') then
    return null;
  end if;

  select api_keys.id, api_keys.company_id, api_keys.scopes into key
  from public.api_keys
  where api_keys.key_hash = claims ->> 'key_hash'
    and api_keys.is_active
    and (api_keys.expires_at is null or api_keys.expires_at > now());

  if found
    and (claimed_scope is null or claimed_scope = any (key.scopes))
    -- A read token cannot write, even if its key has the scope write.
    and (needed_scope is null or claimed_scope = needed_scope) then
    -- Triggers store which key made a change. With this setting, they need not look up the key again. The setting ends
    -- with the transaction. A caller cannot set it, because the Data API does not expose set_config().
    if claimed_scope is distinct from 'read' then
      noted := set_config('app.key_id', key.id::text, true);
    end if;
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
-- The setting app.written names the table that is being written. Triggers with the function below set app.written
-- before the statement searches for its first row, and clear app.written after the statement returns its last row.
-- Postgres evaluates the condition of a policy at the first row. At that time, app.written is already set. A caller
-- cannot set app.written, because the Data API does not expose set_config(). A caller with access to set_config() could
-- even change the claims of the token, because the claims are a setting too.
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

create function app.author(out api_key_id uuid, out user_id uuid)
language plpgsql stable
set search_path = ''
as $$
begin
  case coalesce(current_setting('role', true), '')
    when 'api_client' then
      api_key_id := nullif(current_setting('app.key_id', true), '');
    when 'authenticated' then
      user_id := auth.uid();
    else
      null; -- the platform
  end case;
end
$$;
comment on function app.author() is
  'Returns the author of the change that this statement makes: the API key or the user. Both results are null for any '
  'other role.';

-- Security definer, because callers may not read the Supabase Auth tables.
create function app.signed_in_person() returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
declare
  claims constant jsonb := auth.jwt();
  person constant uuid := auth.uid();
begin
  -- A token is valid for up to an hour, but a session that a user ends must end immediately. So this function checks
  -- that the session still exists.
  if claims ? 'session_id' and not exists (
    select from auth.sessions where sessions.id = (claims ->> 'session_id')::uuid
  ) then
    raise sqlstate 'PT401' using message = 'This session has ended: sign in again';
  end if;
  -- Supabase Auth issues a token with level aal1 after a correct password. The settings page then asks for the code of
  -- the second factor. Without this check, an attacker who knows only the password could call the Data API directly
  -- with this token.
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

-- Security definer, because callers may not read the Supabase Auth tables.
create function app.used_second_factor() returns boolean
language plpgsql stable security definer
set search_path = ''
as $$
declare
  claims constant jsonb := auth.jwt();
begin
  if coalesce(claims ->> 'aal', '') not in ('aal2', 'aal3') then
    return false;
  end if;
  -- When a user removes a second factor, Supabase Auth lowers the level of the sessions that used this factor. The
  -- earlier token still claims the higher level for up to an hour.
  return not claims ? 'session_id' or exists (
    select from auth.sessions
    where sessions.id = (claims ->> 'session_id')::uuid and sessions.aal in ('aal2', 'aal3')
  );
end
$$;
comment on function app.used_second_factor() is
  'Returns whether the signed-in user used a second factor in this session, such as a code from an app. Returns false '
  'after the user has removed this second factor.';

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

-- The next two functions find the client's IP address in the request headers. The proxy in front of the Data API sets
-- these headers, and the Data API makes all headers available to its statements.
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
  'Returns the client''s IP address from the request headers, or from the token of the edge function `settings`. '
  'Returns null outside a request, and when the request contains no IP address. Never fails.';

create function app.request_id() returns text
language plpgsql stable
set search_path = ''
as $$
declare
  headers constant text := current_setting('request.headers', true);
begin
  return case when pg_input_is_valid(headers, 'jsonb')
    then substring(headers::json ->> 'x-request-id' from '^[\x21-\x7e]{1,128}$') end;
end
$$;
comment on function app.request_id() is
  'Returns the X-Request-Id of this request. Returns null outside a request, and when the id does not have 1 to 128 '
  'visible ASCII characters.';

-- The health check for monitoring tools. A call uses the same path to the database as every other request, but needs no
-- API key.
create function public.health() returns boolean
language sql stable
set search_path = ''
as $$
  select true
$$;
comment on function public.health() is 'Returns true if the database is reachable.';
grant execute on function public.health() to api_client;
