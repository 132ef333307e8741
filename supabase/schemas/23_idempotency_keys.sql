-- Idempotency keys and atomic writes. A POST with an Idempotency-Key writes only once. The transaction of the write
-- also claims the idempotency key. If the write is rolled back, the idempotency key is free again. After a committed
-- write, the next request with the key is a repeat, even if the caller did not receive the first response. The table
-- stores only ids and statuses, never the response. A repeat returns the current rows. So the table contains no personal
-- data.

create table public.idempotency_keys (
  company_id uuid not null references public.companies on delete cascade,
  -- A company may use the same idempotency key for two operations.
  path text not null check (char_length(path) between 1 and 255),
  key text not null check (char_length(key) between 1 and 255),
  -- A hash of the request's content.
  fingerprint text not null check (char_length(fingerprint) between 1 and 100),
  -- The ids and statuses that the first request stored with app.keep_outcome(). The response to a repeat is built from
  -- this value.
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
  is_expired boolean;
  earlier record;
begin
  if asked is null then
    return null;
  end if;
  erased_key := app.erased_digest(own_company_id, 'key', asked ->> 'key');
  -- If another request has the lock below, that request is still running. This request does not wait for the other
  -- request, because a waiting request occupies a connection.
  if pg_try_advisory_xact_lock(hashtextextended(
    format('idempotency %s %s %s', own_company_id, asked ->> 'path', asked ->> 'key'), 0
  )) then
    insert into public.idempotency_keys as known (company_id, path, key, fingerprint)
    values (own_company_id, asked ->> 'path', asked ->> 'key', asked ->> 'fingerprint')
    on conflict (company_id, path, key) do update set
      fingerprint = excluded.fingerprint,
      outcome = null,
      made_at = excluded.made_at
    where known.made_at < now() - interval '24 hours';
    if found then
      -- The insert may have waited for an erasure that replaced the key with its hash. The insert does not see this
      -- hash, because its snapshot is older. So a second statement checks whether the hash exists. A key in the form of a
      -- hash is its own hash, which the insert has just stored.
      if erased_key = asked ->> 'key' then
        return null;
      end if;
      select made_at < now() - interval '24 hours' into is_expired from public.idempotency_keys
      where company_id = own_company_id and path = asked ->> 'path' and key = erased_key;
      if is_expired then
        -- Another erasure can then replace the new key with the same hash.
        delete from public.idempotency_keys
        where company_id = own_company_id and path = asked ->> 'path' and key = erased_key;
      end if;
      if is_expired is not false then
        return null;
      end if;
      delete from public.idempotency_keys
      where company_id = own_company_id and path = asked ->> 'path' and key = asked ->> 'key';
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
    and known.made_at >= now() - interval '24 hours'
  -- If the key is its own hash, the row is found with both fingerprints.
  order by is_same desc limit 1;
  if not found then
    raise sqlstate 'PT409' using message = 'idempotency_in_progress';
  end if;
  if not earlier.is_same then
    raise sqlstate 'PT422' using message = 'idempotency_key_reused';
  end if;
  if earlier.outcome is null then
    raise exception 'The first request with this idempotency key stored no outcome';
  end if;
  return earlier.outcome;
end
$$;
comment on function app.claim_idempotency_key(uuid, jsonb) is
  'Claims the idempotency key { path, key, fingerprint } of a request. Returns null for a request without an '
  'idempotency key, and for the first request with this key. If the result is null, the calling function writes, and '
  'calls app.keep_outcome() at the end. For a repeat, the result is the outcome of the first request, and the calling '
  'function writes nothing. Raises PT409 idempotency_in_progress while the first request runs. Raises PT422 '
  'idempotency_key_reused when the first request with this key had different content. The calling function must check '
  'own_company_id before this call.';

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

-- Idempotency keys are kept for 24 hours. A job calls this function every minute. A key that is older than 24 hours can
-- be used again, even if the job has not deleted the key yet.
create function app.remove_old_idempotency_keys(max_rows integer) returns integer
language sql
set search_path = ''
as $$
  with old as (
    select company_id, path, key from public.idempotency_keys
    where made_at < now() - interval '24 hours'
    order by made_at
    -- Each POST may add a small row to this table, so this table gets more old rows than other tables.
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
