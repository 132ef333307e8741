-- A repeat of a send is known by its idempotency key alone, whatever else it says. Whoever gives two messages one key
-- would not learn that the second was never sent. So the ledger keeps a digest of what the request says beside its key,
-- and a repeat with another one is told so.
--
-- The functions of the release before name no fingerprint: they claim and repeat as before, and are told nothing.

alter table public.sends
  -- Null for a send without a key, and for one that the release before has claimed.
  add column fingerprint text constraint sends_fingerprint_check check (char_length(fingerprint) between 1 and 100);
comment on column public.sends.fingerprint is 'A digest of what the request said beside its idempotency key.';

drop function app.claim_send(uuid, uuid, text, text, text);
create function app.claim_send(
  own_company_id uuid,
  new_claim_id uuid,
  by_idempotency_key text,
  -- Null for a free reply, with the language.
  of_template text,
  in_language text,
  with_fingerprint text,
  out id uuid,
  out message_id uuid,
  out created_conversation boolean,
  out attempt integer
)
language sql
set search_path = ''
as $$
  -- Of several requests with this idempotency key, one gets a row back: a new one, or one that was released.
  -- The others wait here until that request has committed, and then read the state of its send.
  insert into public.sends as sends (
    company_id, idempotency_key, message_id, template_name, language_code, claim_id, fingerprint
  )
  values (
    own_company_id, by_idempotency_key, gen_random_uuid(), of_template, in_language, new_claim_id, with_fingerprint
  )
  on conflict (company_id, idempotency_key) do update set
    state = 'pending',
    claim_id = excluded.claim_id,
    attempt = sends.attempt + 1,
    lease_ends_at = excluded.lease_ends_at,
    template_name = excluded.template_name,
    language_code = excluded.language_code,
    -- What is sent now is what this request says.
    fingerprint = excluded.fingerprint,
    reason = null,
    channel_code = null,
    media_id = null
  where sends.state = 'released'
  returning sends.id, sends.message_id, sends.created_conversation, sends.attempt
$$;
comment on function app.claim_send(uuid, uuid, text, text, text, text) is
  'Makes the row of a send in the ledger, or takes over one that was released. Nulls mean that another request has made '
  'the send of this idempotency_key.';

drop function app.repeated_send(uuid, text, boolean);
create function app.repeated_send(
  own_company_id uuid,
  by_idempotency_key text,
  with_fingerprint text,
  dry_run boolean
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  answer jsonb;
begin
  update public.sends set state = 'failed', reason = 'outcome_unknown'
  where company_id = own_company_id and idempotency_key = by_idempotency_key
    and state = 'pending' and lease_ends_at <= now() and not dry_run;
  select jsonb_build_object(
    'result', 'repeat', 'status', sends.state,
    'conversation_id', messages.conversation_id, 'message_id', messages.id
  ) || case when sends.fingerprint <> with_fingerprint then '{ "mismatch": true }'::jsonb else '{}' end into answer
  from public.sends
  join public.messages on messages.company_id = sends.company_id and messages.id = sends.message_id
  where sends.company_id = own_company_id and sends.idempotency_key = by_idempotency_key;
  return answer;
end
$$;
comment on function app.repeated_send(uuid, text, text, boolean) is
  'What the claim of a repeat answers: the state that the earlier send with its idempotency_key has now, and mismatch when '
  'its fingerprint is another one. A send whose lease has ended without an outcome has failed.';
