-- API keys, and app.company_id(), from which the database learns the company of a request.

create table public.api_keys (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  name text not null check (char_length(name) between 1 and 100),
  -- SHA-256 in hexadecimal. A plain digest is enough: keys are random, so there is no dictionary to try.
  key_hash text not null unique check (key_hash ~ '^[0-9a-f]{64}$'),
  -- The last four characters, so that a person can tell one key from another.
  hint text not null check (char_length(hint) = 4),
  scopes text[] not null check (
    cardinality(scopes) > 0
    and scopes <@ array['read', 'write', 'messaging']
  ),
  is_active boolean not null default true,
  expires_at timestamptz check (isfinite(expires_at)),
  last_used_at timestamptz,
  created_by uuid references auth.users on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on table public.api_keys is
  'Keys of integrations. The key itself is shown once, when it is made, and is not kept.';
comment on column public.api_keys.last_used_at is
  'When a request last used the key. authenticate() updates it, at most once in five minutes.';

create index api_keys_company_idx on public.api_keys (company_id, created_at desc, id desc);
create index api_keys_created_by_idx on public.api_keys (created_by);

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
-- No role reads key_hash or inserts a row: create_api_key() is the only way to make a key.
grant
  select (id, company_id, name, hint, scopes, is_active, expires_at, last_used_at, created_by, created_at, updated_at),
  update (name, is_active),
  delete
  on public.api_keys to authenticated, service_role;

create function app.company_id(needed_scope text default null) returns uuid
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

  if not found then
    raise sqlstate 'PT401' using message = 'Invalid or expired API key';
  end if;
  if claimed_scope is not null and claimed_scope <> all (key.scopes) then
    raise sqlstate 'PT403' using message = format('This API key does not have %s permission', claimed_scope);
  end if;
  -- A token minted for reading does not write, whatever else its key may do.
  if needed_scope is not null and claimed_scope is distinct from needed_scope then
    raise sqlstate 'PT403' using message = format('This API key does not have %s permission', needed_scope);
  end if;
  return key.company_id;
end
$$;
comment on function app.company_id(text) is
  'The company of the API key that this request carries; null where the request carries none. '
  'Raises PT401 when the key is unknown, inactive or expired, and PT403 when it lacks the scope that '
  'its token claims, or when the token was not minted for needed_scope.';
grant execute on function app.company_id(text) to api_client, authenticated, service_role;

create function public.authenticate() returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  perform app.company_id();
  -- One write in five minutes is precise enough to tell a key in use from a forgotten one.
  update public.api_keys set last_used_at = now()
  where key_hash = auth.jwt() ->> 'key_hash'
    and (last_used_at is null or last_used_at < now() - interval '5 minutes');
end
$$;
comment on function public.authenticate() is
  'Checks the key of this request, for requests that read no row, and records that the key is in use. '
  'Raises PT401 and PT403 as app.company_id() does.';
grant execute on function public.authenticate() to api_client;

create type public.new_api_key as (
  id uuid,
  company_id uuid,
  name text,
  api_key text,
  scopes text[],
  expires_at timestamptz,
  created_at timestamptz
);
comment on type public.new_api_key is 'A key as create_api_key() returns it, which is the only time that api_key is shown.';

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
  -- 256 random bits, in the alphabet that is safe in headers and URLs.
  plain constant text := 'sk_live_' || translate(
    rtrim(encode(extensions.gen_random_bytes(32), 'base64'), '='), '+/', '-_'
  );
  made public.new_api_key;
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
    or not create_api_key.scopes <@ array['read', 'write', 'messaging'] then
    raise sqlstate 'PT422' using message = 'The scopes of a key are one or more of read, write and messaging';
  end if;
  if create_api_key.expires_at <= now() or not isfinite(create_api_key.expires_at) then
    raise sqlstate 'PT422' using message = 'The expiry of a key must be a moment in the future';
  end if;

  insert into public.api_keys as k (company_id, name, key_hash, hint, scopes, expires_at, created_by)
  values (
    owner_id,
    btrim(create_api_key.name),
    encode(sha256(convert_to(plain, 'UTF8')), 'hex'),
    right(plain, 4),
    array(select distinct scope from unnest(create_api_key.scopes) as scope order by scope),
    create_api_key.expires_at,
    (select auth.uid())
  )
  returning k.id, k.company_id, k.name, plain, k.scopes, k.expires_at, k.created_at into made;
  return made;
end
$$;
comment on function public.create_api_key(text, text[], timestamptz, uuid) is
  'Makes an API key and returns it this one time. For owners and admins of the company; a person who runs '
  'exactly one company may leave company_id out. The platform (service_role) names any company.';
grant execute on function public.create_api_key(text, text[], timestamptz, uuid) to authenticated, service_role;
