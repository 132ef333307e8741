-- A POST that names an Idempotency-Key is done once. The key is claimed in the transaction of the write: what is undone
-- uses up no key, and what is committed is known to the next request, whether or not its answer arrived.
--
-- What is kept is which rows were written, never the answer: a repeat answers the rows as they are then, and nothing of
-- a person is kept here.

create table public.idempotency_keys (
  company_id uuid not null references public.companies on delete cascade,
  -- Two operations of one company may have the same key.
  path text not null check (char_length(path) between 1 and 255),
  key text not null check (char_length(key) between 1 and 255),
  -- A digest of what the request asks for.
  fingerprint text not null check (char_length(fingerprint) between 1 and 100),
  -- What the function that made the claim needs to answer a repeat.
  outcome jsonb,
  made_at timestamptz not null default now(),
  primary key (company_id, path, key)
);
comment on table public.idempotency_keys is
  'The Idempotency-Keys of the last 24 hours, with what their requests wrote. Written by the functions that write.';
create index idempotency_keys_made_at_idx on public.idempotency_keys (made_at);
alter table public.idempotency_keys enable row level security;
create policy "the platform reads idempotency keys" on public.idempotency_keys
  for select to service_role using (true);
grant select on public.idempotency_keys to service_role;

create function app.claim_idempotency_key(own_company_id uuid, idempotency jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  earlier record;
begin
  -- The local Data API hands a null over as JSON's.
  if idempotency is null or idempotency = 'null' then
    return null;
  end if;
  -- Whoever has the lock is at work. To wait for it, as for the row itself, would hold a connection.
  if not pg_try_advisory_xact_lock(hashtextextended(
    format('idempotency %s %s %s', own_company_id, idempotency ->> 'path', idempotency ->> 'key'), 0
  )) then
    raise sqlstate 'PT409' using message = 'idempotency_in_progress';
  end if;
  insert into public.idempotency_keys as known (company_id, path, key, fingerprint)
  values (own_company_id, idempotency ->> 'path', idempotency ->> 'key', idempotency ->> 'fingerprint')
  on conflict (company_id, path, key) do update set
    fingerprint = excluded.fingerprint,
    outcome = null,
    made_at = excluded.made_at
  where known.made_at < now() - interval '24 hours';
  if found then
    return null;
  end if;
  select fingerprint, outcome into earlier from public.idempotency_keys
  where company_id = own_company_id and path = idempotency ->> 'path' and key = idempotency ->> 'key';
  if earlier.fingerprint <> idempotency ->> 'fingerprint' then
    raise sqlstate 'PT422' using message = 'idempotency_key_reused';
  end if;
  if earlier.outcome is null then
    raise exception 'The request with this key has kept no outcome, so it cannot be repeated';
  end if;
  return earlier.outcome;
end
$$;
comment on function app.claim_idempotency_key(uuid, jsonb) is
  'Claims the key of a request { path, key, fingerprint }. Null: the request goes on, because it has no key or is the '
  'first with it; then app.keep_outcome() ends its work. Else what the first one kept, so that this one is a repeat and '
  'writes nothing. Raises PT409 idempotency_in_progress while the first one is at work, and PT422 '
  'idempotency_key_reused when the first one asked for something else. The company is judged before.';

create function app.keep_outcome(own_company_id uuid, idempotency jsonb, outcome jsonb) returns void
language sql
set search_path = ''
as $$
  update public.idempotency_keys set outcome = keep_outcome.outcome
  where company_id = own_company_id and path = idempotency ->> 'path' and key = idempotency ->> 'key'
$$;
comment on function app.keep_outcome(uuid, jsonb, jsonb) is
  'Keeps what a claimed request has written, for its repeats: ids and statuses, never the answer. Does nothing for a '
  'request without a key.';
