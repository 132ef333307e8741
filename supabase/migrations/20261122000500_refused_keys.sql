-- A refusal says in its detail which known key was refused and why, so that the functions can log it. Its message,
-- which callers see, is as before. Of an unknown key there is nothing to say.

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
  if current_setting('role', true) is distinct from 'api_client' then
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
