-- What the claims of template sends and of free replies share: the row in the ledger, what a repeat is told, and the
-- message. A key that one of them has used is repeated by the other too.

create function app.claim_send(
  own_company_id uuid,
  new_claim_id uuid,
  by_idempotency_key text,
  -- Null for a free reply, with the language.
  of_template text,
  in_language text,
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
    company_id, idempotency_key, message_id, template_name, language_code, claim_id
  )
  values (own_company_id, by_idempotency_key, gen_random_uuid(), of_template, in_language, new_claim_id)
  on conflict (company_id, idempotency_key) do update set
    state = 'pending',
    claim_id = excluded.claim_id,
    attempt = sends.attempt + 1,
    lease_ends_at = excluded.lease_ends_at,
    template_name = excluded.template_name,
    language_code = excluded.language_code,
    reason = null,
    channel_code = null,
    media_id = null
  where sends.state = 'released'
  returning sends.id, sends.message_id, sends.created_conversation, sends.attempt
$$;
comment on function app.claim_send(uuid, uuid, text, text, text) is
  'Makes the row of a send in the ledger, or takes over one that was released. Nulls mean that another request has made '
  'the send of this idempotency_key.';

create function app.repeated_send(own_company_id uuid, by_idempotency_key text, dry_run boolean) returns jsonb
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
  ) into answer
  from public.sends
  join public.messages on messages.company_id = sends.company_id and messages.id = sends.message_id
  where sends.company_id = own_company_id and sends.idempotency_key = by_idempotency_key;
  return answer;
end
$$;
comment on function app.repeated_send(uuid, text, boolean) is
  'What the claim of a repeat answers: the state that the earlier send with its idempotency_key has now. A send whose '
  'lease has ended without an outcome has failed.';

create function app.write_message_of_send(
  own_company_id uuid,
  of_send_id uuid,
  own_message_id uuid,
  in_conversation_id uuid,
  conversation_is_new boolean,
  of_type text,
  with_content text,
  -- The text as the recipient sees it, where it differs and is known.
  as_rendered text,
  with_media_id text,
  out created_conversation boolean
)
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
begin
  -- A released send that opened its conversation is still the one that opened it, unless its message moves to
  -- another conversation now.
  select conversation_is_new or (sends.created_conversation and exists (
    select from public.messages
    where company_id = own_company_id and id = own_message_id and conversation_id = in_conversation_id
  ))
  into write_message_of_send.created_conversation
  from public.sends where sends.id = of_send_id;
  update public.sends set
    created_conversation = write_message_of_send.created_conversation,
    media_id = with_media_id
  where id = of_send_id
    and (sends.created_conversation <> write_message_of_send.created_conversation
      or media_id is distinct from with_media_id);

  -- A released send keeps its message. Nothing was sent for it, so the message takes the content and the time of this
  -- attempt, and loses whatever was reported of the attempt before.
  insert into public.messages (id, company_id, conversation_id, direction, type, content, rendered_text, outcome)
  values (
    own_message_id, own_company_id, in_conversation_id, 'outbound', of_type, with_content, as_rendered, 'pending'
  )
  on conflict (id) do update set
    conversation_id = excluded.conversation_id,
    type = excluded.type,
    content = excluded.content,
    rendered_text = excluded.rendered_text,
    created_at = excluded.created_at,
    outcome = excluded.outcome,
    sent_at = null,
    delivered_at = null,
    read_at = null,
    failed_at = null,
    expires_at = null,
    expired_at = null,
    failure = null,
    price_category = null,
    price_type = null;
end
$$;
comment on function app.write_message_of_send(uuid, uuid, uuid, uuid, boolean, text, text, text, text) is
  'Writes the message of a claimed send, and answers whether the send has opened the conversation.';
