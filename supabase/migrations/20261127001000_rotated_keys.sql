-- A key is rotated: it gets a successor that may do the same, and goes on until an overlap ends, so that the program
-- which uses it can be given the new key without a pause.

alter table public.api_keys
  add column replaces uuid,
  add column replaced_at timestamptz,
  add column meant_to_expire_at timestamptz,
  add constraint api_keys_id_in_company unique (company_id, id),
  -- A key has at most one successor. The index also serves the reference.
  add constraint api_keys_one_successor unique (company_id, replaces),
  -- The successor of a key that is deleted goes on.
  add constraint api_keys_replaces_fkey foreign key (company_id, replaces)
    references public.api_keys (company_id, id) on delete set null (replaces);
comment on column public.api_keys.replaces is
  'The key that this one succeeds; null when there is none, or when that key is deleted.';
comment on column public.api_keys.replaced_at is
  'When the key was last given a successor. It stays when the successor is deleted.';
comment on column public.api_keys.meant_to_expire_at is
  'When the key was to expire before it was first replaced, infinity for never; null until it is replaced. The overlap '
  'shortens expires_at, and a successor lives as long as the key was meant to.';
grant select (replaces) on public.api_keys to authenticated, service_role;

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
  -- 256 random bits, in the alphabet that is safe in headers and URLs.
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
  'Makes a random key of these columns. Only create_api_key() and rotate_api_key() call it, which know who may.';

create or replace function public.create_api_key(
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
    or not create_api_key.scopes <@ array['read', 'write', 'messaging'] then
    raise sqlstate 'PT422' using message = 'The scopes of a key are one or more of read, write and messaging';
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

create function public.rotate_api_key(key_id uuid, overlap_hours integer default 24) returns public.new_api_key
language plpgsql security definer
set search_path = ''
as $$
declare
  is_platform constant boolean := coalesce(current_setting('role', true) = 'service_role', false);
  managed constant uuid[] := app.managed_company_ids();
  working_in constant uuid[] := app.member_company_ids();
  key public.api_keys;
  until timestamptz;
  made public.new_api_key;
begin
  if not is_platform and cardinality(managed) = 0 then
    raise sqlstate 'PT403' using message = 'Only owners and admins of a company rotate its API keys';
  end if;
  if overlap_hours is null or overlap_hours not between 0 and 168 then
    raise sqlstate 'PT422' using message = 'The overlap is 0 to 168 hours';
  end if;

  -- Judged before anything is locked, so that whoever may not rotate the key waits for nobody, and keeps nobody waiting.
  select * into key from public.api_keys where api_keys.id = rotate_api_key.key_id;
  if not found or not (is_platform or key.company_id = any (working_in)) then
    raise sqlstate 'PT404' using message = 'No API key has this id';
  end if;
  if not (is_platform or key.company_id = any (managed)) then
    raise sqlstate 'PT403' using message = 'Only owners and admins of a company rotate its API keys';
  end if;

  -- The company first, as its deletion locks it before its keys.
  perform from public.companies where companies.id = key.company_id for key share;
  -- Of two rotations at once the second waits here, and then finds the successor.
  select * into key from public.api_keys where api_keys.id = rotate_api_key.key_id for no key update;
  if not found then
    raise sqlstate 'PT404' using message = 'No API key has this id';
  end if;
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
  -- least() passes over null, which is never.
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
  'Makes a successor of an API key and returns it this one time. It has the same name and scopes, is active, and lives as '
  'long as the key was meant to when it was made. The key itself ends after the overlap, or before that when it was to; '
  'an overlap of 0 ends it at once. For owners and admins of the company, and the platform (service_role). Raises PT403 '
  'for others, PT404 for an unknown key and one of another company alike, PT409 for a key with a successor, and PT422 for '
  'a wrong overlap.';
grant execute on function public.rotate_api_key(uuid, integer) to authenticated, service_role;
