-- Nobody replies in the conversation of an archived contact: what the person answers would go to a fresh contact.

create or replace function public.claim_reply(
  claim_id uuid,
  conversation_id uuid,
  content text,
  idempotency_key text default null,
  dry_run boolean default false,
  fingerprint text default null
) returns jsonb
-- A key reads no account, no window and no send, and learns of them only what this function returns.
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id constant uuid := app.company_id('messaging');
  send record;
  of_contact_id uuid;
  contact record;
  conversation record;
  account record;
  period record;
  answer jsonb;
begin
  <<deciding>>
  begin
    select * into send from app.claim_send(
      own_company_id, claim_reply.claim_id, claim_reply.idempotency_key, null, null, claim_reply.fingerprint
    );
    if send.id is null then
      answer := app.repeated_send(
        own_company_id, claim_reply.idempotency_key, claim_reply.fingerprint, dry_run
      );
      exit deciding;
    end if;

    -- The contact is locked before its conversation, as everywhere. A contact that turns out to be the same person as
    -- another one hands its conversations over.
    loop
      select contact_id into of_contact_id from public.conversations
      where company_id = own_company_id and id = claim_reply.conversation_id;
      if not found then
        answer := jsonb_build_object('result', 'not_found');
        raise sqlstate 'CRM01'; -- undoes the block; caught at its end
      end if;
      select id, phone, do_not_contact, do_not_contact_at, archived_at into contact from public.contacts
      where company_id = own_company_id and id = of_contact_id
      for share;
      select id, status, messaging_account_id into conversation from public.conversations
      where company_id = own_company_id and id = claim_reply.conversation_id and contact_id = contact.id
      for key share;
      exit when found;
    end loop;
    if contact.archived_at is not null then
      answer := jsonb_build_object('result', 'archived');
      raise sqlstate 'CRM01';
    end if;
    if conversation.status = 'closed' then
      answer := jsonb_build_object('result', 'closed', 'existing_id', (
        select id from public.conversations
        where company_id = own_company_id and contact_id = contact.id
          and messaging_account_id = conversation.messaging_account_id and status <> 'closed'
      ));
      raise sqlstate 'CRM01';
    end if;

    select id, phone_number_id, business_account_id, encrypted_token into account from public.messaging_accounts
    where company_id = own_company_id and id = conversation.messaging_account_id and disconnected_at is null;
    if not found then
      answer := jsonb_build_object('result', 'no_account');
      raise sqlstate 'CRM01';
    end if;

    select last_inbound_at, expires_at into period from public.contact_windows
    where company_id = own_company_id and contact_id = contact.id and account_id = account.id;
    -- Who wrote something after the word, or after a member of the company set it, gets an answer. Of a time that is
    -- not known, it may be the later one.
    if contact.do_not_contact and (contact.do_not_contact_at >= period.last_inbound_at) is not false then
      answer := jsonb_build_object('result', 'do_not_contact');
      raise sqlstate 'CRM01';
    end if;
    -- The message still has to reach the channel, whose clock is not this one.
    if (period.expires_at > now() + interval '60 seconds') is not true then
      answer := jsonb_build_object('result', 'window_closed', 'expires_at', period.expires_at);
      raise sqlstate 'CRM01';
    end if;
    if dry_run then
      answer := jsonb_build_object('result', 'send');
      raise sqlstate 'CRM01';
    end if;

    send.created_conversation := app.write_message_of_send(
      own_company_id, send.id, send.message_id, conversation.id, false, 'text', claim_reply.content, null, null
    );
    answer := jsonb_build_object(
      'result', 'claimed',
      'send_id', send.id,
      'attempt', send.attempt,
      'account_id', account.id,
      'phone_number_id', account.phone_number_id,
      'business_account_id', account.business_account_id,
      'encrypted_token', account.encrypted_token,
      'conversation_id', conversation.id,
      'message_id', send.message_id,
      'created_conversation', send.created_conversation,
      'phone', contact.phone,
      -- The newest of the person's ids: an older one ends with the phone that it belonged to.
      'user_id', case when contact.phone is null then (
        select user_id from public.contact_identities
        where company_id = own_company_id and contact_id = contact.id
        order by seen_at desc, id desc
        limit 1
      ) end
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
comment on function public.claim_reply(uuid, uuid, text, text, boolean, text) is
  'Decides whether a free reply may be sent in a conversation now, and writes what a send needs before the channel '
  'is called: the message, and the row in the ledger, which only one request gets. The result is claimed (with the '
  'account''s encrypted token, the attempt, and the person''s phone or, without one, user_id), repeat (of an '
  'earlier send with this idempotency_key; mismatch: its fingerprint is another one), not_found, archived (the '
  'contact of the conversation is), closed (with the contact''s conversation on the account that is not), '
  'no_account (that of the conversation is disconnected), do_not_contact, window_closed (with the time, which is '
  'null when the person has never written) or, for a dry run, send; each with the key''s company. Only claimed has '
  'written anything. Raises PT401 and PT403 as app.company_id() does.';
grant execute on function public.claim_reply(uuid, uuid, text, text, boolean, text) to api_client;
