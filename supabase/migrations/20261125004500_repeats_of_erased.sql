-- A repeat is known by the digest of its key, when its key was erased: what was sent or written once is not done twice,
-- because the person was erased in between.

create function app.require_key_not_erased() returns trigger
-- Security definer, because nobody reads the key of the digests.
language plpgsql security definer
set search_path = ''
as $$
begin
  if tg_when = 'BEFORE' then
    new.idempotency_key := app.known_send_key(new.company_id, new.idempotency_key);
    return new;
  end if;
  -- The person was erased while this claim waited for the same row. Made anew, it finds the digest.
  if app.known_send_key(new.company_id, new.idempotency_key) <> new.idempotency_key then
    raise serialization_failure using message = 'The send of this key was erased meanwhile';
  end if;
  return null;
end
$$;
comment on function app.require_key_not_erased() is
  'Trigger: a send with a key whose send was erased is a repeat of that one.';

create function app.known_send_key(own_company_id uuid, by_idempotency_key text) returns text
language sql stable
set search_path = ''
as $$
  select coalesce(
    (
      select idempotency_key from public.sends
      where company_id = own_company_id
        and idempotency_key = app.erased_digest(own_company_id, 'key', by_idempotency_key)
    ),
    by_idempotency_key
  )
$$;
comment on function app.known_send_key(uuid, text) is
  'The idempotency key under which the ledger has a send: the digest when it was erased.';

create trigger sends_find_erased_key before insert on public.sends
  for each row when (new.idempotency_key is not null) execute function app.require_key_not_erased();
create trigger sends_require_key_not_erased after insert on public.sends
  for each row when (new.idempotency_key is not null) execute function app.require_key_not_erased();

create or replace function app.repeated_send(
  own_company_id uuid,
  by_idempotency_key text,
  with_fingerprint text,
  dry_run boolean
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  known_key constant text := app.known_send_key(own_company_id, by_idempotency_key);
  answer jsonb;
begin
  update public.sends set state = 'failed', reason = 'outcome_unknown'
  where company_id = own_company_id and idempotency_key = known_key
    and state = 'pending' and lease_ends_at <= now() and not dry_run;
  select jsonb_build_object(
    'result', 'repeat', 'status', sends.state,
    'conversation_id', messages.conversation_id, 'message_id', messages.id
  ) || case when sends.fingerprint <> with_fingerprint then '{ "mismatch": true }'::jsonb else '{}' end into answer
  from public.sends
  join public.messages on messages.company_id = sends.company_id and messages.id = sends.message_id
  where sends.company_id = own_company_id and sends.idempotency_key = known_key;
  return answer;
end
$$;

create or replace function app.claim_idempotency_key(own_company_id uuid, idempotency jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  -- The local Data API hands a null over as JSON's.
  asked constant jsonb := nullif(idempotency, 'null');
  erased constant jsonb := asked || jsonb_build_object(
    'key', app.erased_digest(own_company_id, 'key', asked ->> 'key'),
    'fingerprint', app.erased_digest(own_company_id, 'key', asked ->> 'fingerprint')
  );
  earlier record;
begin
  if asked is null then
    return null;
  end if;
  -- Whoever has the lock is at work. To wait for it, as for the row itself, would hold a connection.
  if pg_try_advisory_xact_lock(hashtextextended(
    format('idempotency %s %s %s', own_company_id, asked ->> 'path', asked ->> 'key'), 0
  )) then
    insert into public.idempotency_keys as known (company_id, path, key, fingerprint)
    select own_company_id, asked ->> 'path', asked ->> 'key', asked ->> 'fingerprint'
    where not exists (
      select from public.idempotency_keys
      where company_id = own_company_id and path = erased ->> 'path' and key = erased ->> 'key'
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
  -- Another repeat has the lock too, while it reads. What is committed is done, whoever has it.
  select known.fingerprint, known.outcome, known.fingerprint = asked_as.fingerprint as is_same into earlier
  from (values (asked ->> 'key', asked ->> 'fingerprint'), (erased ->> 'key', erased ->> 'fingerprint'))
    as asked_as (key, fingerprint)
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

create function app.erase_idempotency_keys(own_company_id uuid, record_ids uuid[], names text[]) returns void
language sql
set search_path = ''
as $$
  update public.idempotency_keys set
    key = app.erased_digest(company_id, 'key', key),
    -- Of a small request, a plain digest can be guessed.
    fingerprint = app.erased_digest(company_id, 'key', fingerprint)
  where company_id = own_company_id
    and (
      exists (
        select from unnest(record_ids) as id
        where position(id::text in path) > 0 or position(id::text in outcome::text) > 0
      )
      or exists (select from unnest(names) as name where position(lower(name) in lower(key)) > 0)
    )
$$;
comment on function app.erase_idempotency_keys(uuid, uuid[], text[]) is
  'Digests in place of the keys of requests that wrote these records, or whose keys have these names in them.';
