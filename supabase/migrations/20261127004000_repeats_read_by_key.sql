-- A repeat reads its send by the key and no other. As one statement, what a repeat ends when its lease is over could be
-- looked for among all sends of the database that are pending, and each repeat paid for a change that hardly any needs.

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
  known record;
  answer jsonb;
begin
  select id, state, lease_ends_at into known from public.sends
  where company_id = own_company_id and idempotency_key = known_key;
  if known.state = 'pending' and known.lease_ends_at <= now() and not dry_run then
    -- It may have been settled meanwhile.
    update public.sends set state = 'failed', reason = 'outcome_unknown'
    where id = known.id and state = 'pending' and lease_ends_at <= now();
  end if;
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
