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
  'The result of create_api_key() and rotate_api_key(). Only this result contains the key itself (api_key).';

create table public.api_keys (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  name text not null check (char_length(name) between 1 and 100)
    constraint api_keys_name_can_be_typed check (app.is_key_name(name)),
  -- SHA-256 in hexadecimal. A hash without a salt is enough: keys are random, so a dictionary attack is impossible.
  key_hash text not null unique check (key_hash ~ '^[0-9a-f]{64}$'),
  -- The last four characters of the key, which help users distinguish keys.
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
  'The key''s expiry before a rotation shortened expires_at. Infinity means that the key had no expiry. Null means '
  'that the key was not rotated, or that the expiry was changed while the key had no successor. The successor gets the '
  'full lifetime of the key: the time from created_at to meant_to_expire_at.';

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
  'Creates a random key with the given values. Only create_api_key() and rotate_api_key() call this function, after '
  'they have checked the caller.';

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
  -- This statement locks the company before its key. A deletion of a company also locks the company before its keys, so
  -- no deadlock can occur.
  perform from public.companies where companies.id = key.company_id for key share;
  select * into key from public.api_keys where api_keys.id = of_key_id for no key update;
  if not found then
    raise sqlstate 'PT404' using message = 'No API key has this id';
  end if;
  -- While the function waited for the lock, the user may have lost the role.
  if not (is_platform or key.company_id = any (app.managed_company_ids())) then
    raise sqlstate 'PT403' using message = denied;
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

  -- If two rotations of a key run at the same time, the second rotation waits here and then finds the successor.
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
  'its own expiry if that comes first. The successor gets the webhooks that depend on the earlier key. An overlap of 0 '
  'ends the earlier key immediately, and switches these webhooks off. Owners and admins of the company and the platform '
  '(service_role) may call this function. Raises PT403 for other callers. Raises PT404 for an unknown key or a key of '
  'another company. Raises PT409 for a key that already has a successor. Raises PT422 for an invalid overlap, and for '
  'a key that expired before it was created.';
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
  was_replaced boolean;
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
  -- The key may have been ended after this transaction began, so its end may be later than now().
  if key.expires_at <= clock_timestamp() then
    raise sqlstate 'PT409' using message = 'This key has expired: create a new one';
  end if;
  was_replaced := exists (
    select from public.api_keys
    where api_keys.company_id = key.company_id and api_keys.replaces = key.id
  );
  if wanted is null and was_replaced then
    raise sqlstate 'PT422' using message = 'This key was replaced, so it must expire: give a time in expires_at';
  end if;
  update public.api_keys set
    expires_at = wanted,
    -- If the key was rotated but the successor was deleted, the next rotation uses the new expiry.
    meant_to_expire_at = case when was_replaced then api_keys.meant_to_expire_at end,
    updated_at = now()
  where api_keys.id = key.id;
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

create function app.require_manager_of_key() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if old.company_id <> all (app.managed_company_ids()) then
    raise sqlstate 'PT403' using message = 'Only owners and admins of a company change or delete its API keys';
  end if;
  return null;
end
$$;
comment on function app.require_manager_of_key() is
  'Trigger: refuses a change or a deletion of a key by a user who no longer manages the key''s company. Raises PT403.';

create trigger api_keys_check_name before insert or update of name on public.api_keys
  for each row execute function app.check_name_of_row('a key');
create trigger api_keys_set_updated_at before update of name, is_active on public.api_keys
  for each row execute function app.set_updated_at();
-- A policy reads the user's role before a statement waits for a locked row. While it waits, the user may lose the role,
-- so this trigger checks the role again. Because of the trigger's name, the other triggers, which may also wait, run
-- first. A request with a key changes only last_used_at of the key, so the request does not run this trigger.
create trigger api_keys_require_manager after delete or update of name, is_active on public.api_keys
  for each row when (current_user = 'authenticated') execute function app.require_manager_of_key();

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
