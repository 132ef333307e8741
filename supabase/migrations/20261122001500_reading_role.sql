-- A request that only reads has a database role of its own. It reads the views of one company's rows and no table,
-- so what it may search is bounded by a shorter time-out, and a defect in it writes nothing.

do $$
begin
  -- Roles belong to the whole cluster, so another database of it may have made this one.
  if not exists (select from pg_roles where rolname = 'api_reader') then
    create role api_reader nologin noinherit;
  end if;
end
$$;
comment on role api_reader is
  'The role of a request that reads with an API key. The edge functions mint its token.';
grant api_reader to authenticator;
-- A search that no index serves ends here, and its caller is told to narrow it.
alter role api_reader set statement_timeout = '3s';
alter role api_reader set lock_timeout = '1s';

-- The Data API prepares its statements. After five runs, Postgres may change to one plan for all values, and a
-- search for a rare word then has the plan of a common one. A plan for the values at hand costs little.
alter role api_reader set plan_cache_mode = 'force_custom_plan';
alter role api_client set plan_cache_mode = 'force_custom_plan';
-- To compile a plan takes longer than what it is for.
alter role api_reader set jit = off;

grant usage on schema public, app to api_reader;

-- Both roles carry a key.
create or replace function app.company_id(needed_scope text default null) returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
declare
  claims constant jsonb := auth.jwt();
  claimed_scope constant text := claims ->> 'scope';
  key record;
begin
  -- People and the platform name the company of a row themselves.
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
    -- A token minted for reading does not write, whatever else its key may do.
    and (needed_scope is null or claimed_scope = needed_scope) then
    return key.company_id;
  end if;

  -- Why the key is refused is looked up only now: a key that is accepted must not pay for it.
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
  'The company of the API key that this request carries; null where the request carries none. '
  'Raises PT401 when the key is unknown, inactive or expired, and PT403 when it lacks the scope that '
  'its token claims, or when the token was not minted for needed_scope. The detail is a JSON object: key_id and '
  'hint of the refused key, and the reason (inactive, expired or scope). An unknown key has no detail.';
grant execute on function app.company_id(text) to api_reader;

-- PostgREST reads the settings of a role when it starts or is told to.
notify pgrst, 'reload config';
