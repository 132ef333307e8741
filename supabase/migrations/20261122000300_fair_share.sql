-- No company stalls another: a statement of a key does not wait long for a lock, and a function learns the
-- company of a key, by which it counts what each company has under way.

-- A statement that waits for a lock holds a connection of the pool, which all companies share.
alter role api_client set lock_timeout = '1s';

-- The return type changes from void, which is no change for callers that ignore it.
drop function public.authenticate();
create function public.authenticate() returns uuid
language plpgsql security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id();
begin
  -- One write in five minutes is precise enough to tell a key in use from a forgotten one.
  update public.api_keys set last_used_at = now()
  where key_hash = auth.jwt() ->> 'key_hash'
    and (last_used_at is null or last_used_at < now() - interval '5 minutes');
  return own_company_id;
end
$$;
comment on function public.authenticate() is
  'Checks the key of this request, for requests that read no row, records that the key is in use, and returns '
  'the key''s company. Raises PT401 and PT403 as app.company_id() does.';
grant execute on function public.authenticate() to api_client;

-- PostgREST reads the settings of a role when it starts or is told to.
notify pgrst, 'reload config';
