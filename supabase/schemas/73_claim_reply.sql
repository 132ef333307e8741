-- The claim of a free-form reply. The claim decides whether the reply may be sent in a conversation now. It also writes
-- everything that a send needs before the call to WhatsApp. A conversation with an archived contact accepts no reply,
-- because the person's next message would go to a new contact.

create function app.wrote_after_stop(
  own_company_id uuid, of_contact_id uuid, on_account_id uuid, stopped_at timestamptz, last_inbound_at timestamptz
) returns boolean
language sql stable
set search_path = ''
as $$
  select case when stopped_at < last_inbound_at then true else (
    select coalesce(max(place) filter (where not is_stop) > max(place) filter (where is_stop), false)
    from (
      select
        messages.wish is not distinct from 'stop' as is_stop,
        row_number() over (order by messages.received_at, messages.created_at) as place
      from public.conversations
      join public.messages on messages.company_id = conversations.company_id
        and messages.conversation_id = conversations.id
      where conversations.company_id = own_company_id and conversations.contact_id = of_contact_id
        and (conversations.messaging_account_id = on_account_id or messages.wish = 'stop')
        and messages.direction = 'inbound' and messages.type not in ('system', 'unsupported')
        -- A row is created only after the person wrote the message. So the condition on created_at limits the search to
        -- the end of an index.
        and messages.created_at >= stopped_at and messages.sent_at = stopped_at and messages.received_at is not null
    ) as said
  ) end
$$;
comment on function app.wrote_after_stop(uuid, uuid, uuid, timestamptz, timestamptz) is
  'Checks whether a person wrote to the account after do_not_contact was set and after the person''s newest stop word. '
  'If so, the company may answer. The argument stopped_at is the later of these two times. If it is unknown when '
  'do_not_contact was set or when the person last wrote, the company may not answer. WhatsApp reports times in whole '
  'seconds. If a person sent a stop word and another message in the same second, the message whose event arrived later '
  'counts as later. Within one event, the order of the messages decides.';

create function app.reply_user_id(own_company_id uuid, of_contact_id uuid, from_business_account_id text) returns text
language sql stable
set search_path = ''
as $$
  select user_id from public.contact_identities as known
  where company_id = own_company_id and contact_id = of_contact_id
  order by
    exists (
      select from public.contact_identity_events as changes
      where changes.company_id = own_company_id and changes.contact_id = of_contact_id
        and changes.kind = 'user_id_changed' and changes.was = known.user_id
    ),
    business_account_id is distinct from from_business_account_id,
    seen_at desc, id desc
  limit 1
$$;
comment on function app.reply_user_id(uuid, uuid, text) is
  'Returns the user id for a reply to a person from an account with this business account. An id is valid only in one '
  'business portfolio, so the newest id that this business account has seen comes first. If there is none, returns the '
  'person''s newest id, which another business account of the same portfolio may have seen. An id that WhatsApp has '
  'replaced comes last, because it is no longer valid.';

create function app.reply_phone(own_company_id uuid, of_contact_id uuid, main_phone text, last_inbound_phone text)
returns text
language sql stable
set search_path = ''
as $$
  select coalesce(
    (
      select phone from public.contact_former_phones
      where last_inbound_phone <> main_phone and company_id = own_company_id and contact_id = of_contact_id
        and phone_key = app.phone_key(last_inbound_phone) and until = 'infinity'
    ),
    main_phone
  )
$$;
comment on function app.reply_phone(uuid, uuid, text, text) is
  'Returns the phone number for a reply. If the person last wrote from an additional number of the contact, returns '
  'this additional number. Otherwise, returns the contact''s main number. The two numbers are compared by their phone '
  'keys, so last_inbound_phone may have any format.';

create function public.claim_reply(
  claim_id uuid,
  conversation_id uuid,
  content text,
  idempotency_key text default null,
  dry_run boolean default false,
  -- { id } of an upload, or { type, link }. Both formats may also have filename and voice.
  media jsonb default null,
  reply_to_id uuid default null,
  -- The buttons or the list, in the WhatsApp format, without the text.
  interactive jsonb default null
) returns jsonb
-- Security definer, because a key cannot read accounts, windows or sends. The key gets only what this function returns.
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id constant uuid := app.company_id('messaging');
  fingerprint constant bytea := case when claim_reply.idempotency_key is not null then
    app.fingerprint_of_send(array[claim_reply.conversation_id::text, claim_reply.content] || case
      when num_nonnulls(claim_reply.media, claim_reply.reply_to_id, claim_reply.interactive) > 0 then array[
        claim_reply.media::text, claim_reply.reply_to_id::text,
        claim_reply.interactive #>> '{action,buttons}',
        case when claim_reply.interactive ->> 'type' = 'list' then claim_reply.interactive ->> 'action' end
      ]
      else '{}'
    end)
  end;
  send record;
  of_contact_id uuid;
  contact record;
  conversation record;
  account record;
  period record;
  answered_whatsapp_id text;
  medium_sent jsonb;
  medium_shown jsonb;
  medium_fault jsonb;
  answer jsonb;
begin
  <<deciding>>
  begin
    select * into send from app.claim_send(
      own_company_id, claim_reply.claim_id, claim_reply.idempotency_key, null, null, fingerprint
    );
    if send.id is null then
      answer := app.repeated_send(
        own_company_id, claim_reply.idempotency_key, null, null, 'conversation_id', null,
        claim_reply.conversation_id, '{conversation_id,text,media,reply_to_id,buttons,list}', fingerprint, dry_run
      );
      exit deciding;
    end if;

    -- Every transaction locks the contact before its conversation. If the contact was merged into another contact in
    -- the meantime, the conversation moved to that contact, and the loop runs again.
    loop
      select contact_id into of_contact_id from public.conversations
      where company_id = own_company_id and id = claim_reply.conversation_id;
      if not found then
        answer := jsonb_build_object('result', 'not_found');
        raise sqlstate 'CRM01'; -- undoes the block, which catches this error at its end
      end if;
      select id, phone, do_not_contact, archived_at, erased_at,
        -- If do_not_contact was set manually, a later stop word does not change do_not_contact_at.
        case when do_not_contact_at is not null then greatest(do_not_contact_at, stop_word_at) end as stopped_at
      into contact from public.contacts
      where company_id = own_company_id and id = of_contact_id
      for share;
      select id, status, messaging_account_id into conversation from public.conversations
      where company_id = own_company_id and id = claim_reply.conversation_id and contact_id = contact.id
      for key share;
      exit when found;
    end loop;
    if contact.archived_at is not null then
      answer := jsonb_build_object('result', case when contact.erased_at is null then 'archived' else 'erased' end);
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

    select id, phone_number_id, business_account_id, encrypted_token, refused_at into account from public.messaging_accounts
    where company_id = own_company_id and id = conversation.messaging_account_id and disconnected_at is null;
    if not found then
      answer := jsonb_build_object('result', 'no_account');
      raise sqlstate 'CRM01';
    end if;

    select last_inbound_at, last_inbound_phone, expires_at into period from public.contact_windows
    where company_id = own_company_id and contact_id = contact.id and account_id = account.id;
    if contact.do_not_contact and not app.wrote_after_stop(
      own_company_id, contact.id, account.id, contact.stopped_at, period.last_inbound_at
    ) then
      answer := jsonb_build_object('result', 'do_not_contact');
      raise sqlstate 'CRM01';
    end if;
    -- The message needs some time to reach WhatsApp, and WhatsApp's clock may differ.
    if (period.expires_at > now() + interval '60 seconds') is not true then
      answer := jsonb_build_object('result', 'window_closed', 'expires_at', period.expires_at);
      raise sqlstate 'CRM01';
    end if;
    if claim_reply.reply_to_id is not null then
      select whatsapp_message_id into answered_whatsapp_id from public.messages
      where company_id = own_company_id and id = claim_reply.reply_to_id and conversation_id = conversation.id
        and whatsapp_message_id is not null and not is_erased;
      if not found then
        answer := jsonb_build_object('result', 'unfit', 'field', 'reply_to_id', 'fault', 'unknown');
        raise sqlstate 'CRM01';
      end if;
    end if;
    if claim_reply.media is not null then
      select sent, shown, fault into medium_sent, medium_shown, medium_fault
      from app.medium_of_send(own_company_id, account.id, claim_reply.media);
      if medium_fault is null and medium_sent ->> 'type' = 'audio' and claim_reply.content <> '' then
        medium_fault := '{ "field": null, "fault": "caption_of_audio" }';
      end if;
      if medium_fault is not null then
        answer := medium_fault || jsonb_build_object(
          'result', 'unfit', 'field', coalesce('media.' || (medium_fault ->> 'field'), 'text')
        );
        raise sqlstate 'CRM01';
      end if;
    end if;
    if dry_run then
      answer := jsonb_build_object('result', 'send');
      raise sqlstate 'CRM01';
    end if;

    send.created_conversation := app.write_message_of_send(
      own_company_id, send.id, send.message_id, conversation.id, false,
      case
        when claim_reply.media is not null then medium_sent ->> 'type'
        when claim_reply.interactive is not null then 'interactive'
        else 'text'
      end,
      claim_reply.content, null,
      case when claim_reply.media is not null then medium_sent ->> 'id' end,
      jsonb_strip_nulls(jsonb_build_object(
        'payload', case
          when claim_reply.interactive is not null then jsonb_build_object('interactive', claim_reply.interactive)
        end,
        'reply_to_id', claim_reply.reply_to_id,
        'reply_to_whatsapp_id', answered_whatsapp_id
      )) || case when claim_reply.media is not null then jsonb_build_object('media', medium_shown) else '{}' end
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
      -- WhatsApp has a window only for the number from which the person wrote.
      'phone', app.reply_phone(own_company_id, contact.id, contact.phone, period.last_inbound_phone),
      'user_id', case when contact.phone is null then
        app.reply_user_id(own_company_id, contact.id, account.business_account_id)
      end
    );
    if claim_reply.media is not null then
      answer := answer || jsonb_build_object('media', medium_sent);
    end if;
    if claim_reply.reply_to_id is not null then
      answer := answer || jsonb_build_object('reply_to', answered_whatsapp_id);
    end if;
    if account.refused_at is not null then
      answer := answer || '{ "was_refused": true }';
    end if;
  exception when sqlstate 'CRM01' then
    -- Postgres undoes the whole block, including the claim. So a request that sends nothing does not use up its
    -- idempotency key.
    null;
  end;

  -- This call stores the time at which the API key was used. The call comes last, because other requests with the same
  -- key may wait from here until this transaction is committed.
  perform public.authenticate();
  return answer || jsonb_build_object('company_id', own_company_id);
end
$$;
comment on function public.claim_reply(uuid, uuid, text, text, boolean, jsonb, uuid, jsonb) is
  'Decides whether a free-form reply may be sent in a conversation now. Writes what a send needs before the call to '
  'WhatsApp: the message and the ledger row. Only one request gets that row. The result `claimed` contains the '
  'account''s encrypted token, the attempt, and the phone number from app.reply_phone(). If the contact has no phone '
  'number, the result contains the user_id. The member was_refused is true if WhatsApp has refused the account since '
  'the account''s last success. The result `repeat` contains the state of the earlier send with this idempotency_key. '
  'Its member `mismatch` lists the fields that differ. The result `reused` means that this key belongs to another '
  'message. Its member `differs` lists the fields that do not match that message. The result `not_found` means that '
  'the company has no such conversation. The result `archived` means that the conversation''s contact is archived, and '
  '`erased` means that the person was erased. The result `closed` contains the contact''s open conversation on the '
  'account, if there is one. The result `no_account` means that the account of the conversation is disconnected. The '
  'result `do_not_contact` means that the person must not be contacted. The result `window_closed` contains the end of '
  'the window, or null when the person has never written. The result `unfit` contains the invalid field and the fault. '
  'Either the upload or the quoted message is unknown, or the media file has a member or a caption that its kind '
  'cannot have. For a claimed reply with a media file, the member `media` contains the fields that WhatsApp needs. The '
  'member reply_to is the WhatsApp id of the quoted message. A dry run of a valid reply returns `send`. Every result '
  'contains the key''s company. The function writes the message and the ledger row only if the result is `claimed`. '
  'Raises PT401 and PT403 as app.company_id() does.';
grant execute on function public.claim_reply(uuid, uuid, text, text, boolean, jsonb, uuid, jsonb) to api_client;
