-- A claim reads the connected accounts once. Two statements have two snapshots: the choice found no account, and
-- the list for the refusal had the one that was reconnected in between. The caller was then asked to name an
-- account that it need not name. Now the choice and the list are of one moment.
--
-- No lock is taken on the account. A claim that waits for a change of it would find the row as it is afterwards,
-- but not an account that the same change connects in another row, and so refuse wrongly again. And a lock ends
-- before the channel is called, so it keeps no message from an account that is disconnected just after the claim.
--
-- Every answer has the company, by which the function counts what each company has under way.

create or replace function public.claim_template_send(
  claim_id uuid,
  phone text,
  content text,
  message_type text,
  template_name text,
  language_code text,
  contact_name text default null,
  phone_number_id text default null,
  idempotency_key text default null
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id constant uuid := app.company_id('messaging');
  new_message_id constant uuid := gen_random_uuid();
  send record;
  connected public.messaging_accounts[];
  account record;
  contact record;
  conversation record;
  answer jsonb;
begin
  <<deciding>>
  begin
    -- Of several requests with this idempotency key, one gets a row back: a new one, or one that was released.
    -- The others wait here until that request has committed, and then read the state of its send.
    insert into public.template_sends as sends (
      company_id, idempotency_key, message_id, template_name, language_code, claim_id
    )
    values (
      own_company_id, claim_template_send.idempotency_key, new_message_id,
      claim_template_send.template_name, claim_template_send.language_code, claim_template_send.claim_id
    )
    on conflict (company_id, idempotency_key) do update set
      state = 'pending',
      claim_id = excluded.claim_id,
      lease_ends_at = excluded.lease_ends_at,
      template_name = excluded.template_name,
      language_code = excluded.language_code,
      reason = null,
      channel_code = null
    where sends.state = 'released'
    returning sends.id, sends.message_id, sends.created_conversation into send;
    if not found then
      update public.template_sends set state = 'failed', reason = 'outcome_unknown'
      where company_id = own_company_id and idempotency_key = claim_template_send.idempotency_key
        and state = 'pending' and lease_ends_at <= now();
      select jsonb_build_object(
        'result', 'repeat', 'status', sends.state,
        'conversation_id', messages.conversation_id, 'message_id', messages.id
      ) into answer
      from public.template_sends as sends
      join public.messages on messages.company_id = sends.company_id and messages.id = sends.message_id
      where sends.company_id = own_company_id
        and sends.idempotency_key = claim_template_send.idempotency_key;
      exit deciding;
    end if;

    connected := array(
      select accounts from public.messaging_accounts as accounts
      where company_id = own_company_id and disconnected_at is null
      order by phone_number_id
    );
    select id, phone_number_id, encrypted_token, count(*) over () as matches into account
    from unnest(connected)
    where claim_template_send.phone_number_id is null
      or phone_number_id = claim_template_send.phone_number_id;
    if account.matches is distinct from 1 then
      answer := jsonb_build_object('result', 'no_account', 'connected', array(
        select jsonb_build_object('phone_number_id', phone_number_id, 'display_phone', display_phone)
        from unnest(connected)
      ));
      raise sqlstate 'CRM01'; -- undoes the block; caught at its end
    end if;

    contact := app.find_or_add_contact(
      own_company_id, claim_template_send.phone, claim_template_send.contact_name
    );
    if contact.do_not_contact then
      answer := jsonb_build_object('result', 'do_not_contact');
      raise sqlstate 'CRM01';
    end if;
    conversation := app.find_or_open_conversation(own_company_id, contact.id, account.id);

    -- A released send that opened its conversation is still the one that opened it, unless its message moves
    -- to another conversation now.
    send.created_conversation := conversation.is_new or (
      send.created_conversation and exists (
        select from public.messages
        where company_id = own_company_id and id = send.message_id and conversation_id = conversation.id
      )
    );
    update public.template_sends set created_conversation = send.created_conversation
    where id = send.id and created_conversation <> send.created_conversation;

    -- A released send keeps its message. Nothing was sent for it, so the message takes the content and the
    -- time of this attempt.
    insert into public.messages (id, company_id, conversation_id, direction, type, content, status)
    values (
      send.message_id, own_company_id, conversation.id, 'outbound',
      claim_template_send.message_type, claim_template_send.content, 'pending'
    )
    on conflict (id) do update set
      conversation_id = excluded.conversation_id,
      type = excluded.type,
      content = excluded.content,
      created_at = excluded.created_at;

    answer := jsonb_build_object(
      'result', 'claimed',
      'send_id', send.id,
      'account_id', account.id,
      'phone_number_id', account.phone_number_id,
      'encrypted_token', account.encrypted_token,
      'conversation_id', conversation.id,
      'message_id', send.message_id,
      'created_conversation', send.created_conversation
    );
  exception when sqlstate 'CRM01' then
    -- The whole block is undone, including the claim: a request that is stopped uses up no idempotency key.
    null;
  end;

  -- Records that the key is in use. This comes last, because other requests with the key wait until it is
  -- committed.
  perform public.authenticate();
  return answer || jsonb_build_object('company_id', own_company_id);
end
$$;
comment on function public.claim_template_send(uuid, text, text, text, text, text, text, text, text) is
  'Decides whether a template may be sent to a phone now, and writes what a send needs before the channel is '
  'called: contact, conversation, message, and the row in the ledger, which only one request gets. The result is '
  'claimed (with the account''s encrypted token), repeat (of an earlier send with this idempotency_key), '
  'do_not_contact, or no_account (with the accounts that are connected), each with the key''s company. Raises PT401 and PT403 as app.company_id() does.';
