-- The claim of a template send. The claim decides whether the template may be sent now. It also writes everything that
-- a send needs before the call to WhatsApp.

create function public.claim_template_send(
  claim_id uuid,
  phone text,
  content text,
  message_type text,
  template_name text,
  language_code text,
  contact_name text default null,
  phone_number_id text default null,
  idempotency_key text default null,
  header_variables text[] default '{}',
  body_variables text[] default '{}',
  button_variables text[] default '{}',
  preflight text default 'off',
  dry_run boolean default false,
  of_company_id uuid default null,
  -- The caller's own media file for the header: { id } of an upload, or { url }. After the file at the URL has been
  -- uploaded, header_media also contains the WhatsApp media_id, the account_id and the kind of the upload, and, if the
  -- file is a document, its filename.
  header_media jsonb default null
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  -- With an API key, the company is always the key's company. Only claim_test_send() has no key and specifies the
  -- company.
  own_company_id constant uuid := coalesce(app.company_id('messaging'), of_company_id);
  fingerprint constant bytea := case when claim_template_send.idempotency_key is not null then
    app.fingerprint_of_send(array[
      app.phone_key(claim_template_send.phone), claim_template_send.content, body_variables::text,
      header_variables::text, button_variables::text, claim_template_send.phone_number_id,
      claim_template_send.contact_name, claim_template_send.message_type
    ] || case
      when claim_template_send.header_media is not null
        then array[coalesce(claim_template_send.header_media ->> 'id', claim_template_send.header_media ->> 'url')]
      else '{}'
    end)
  end;
  send record;
  connected public.messaging_accounts[];
  account record;
  access jsonb;
  judged record;
  header_media_id text;
  header_filename text;
  own_sent jsonb;
  own_shown jsonb;
  own_fault jsonb;
  -- The kind of the caller's own media file: image, video or document.
  own_kind text;
  sample record;
  contact record;
  conversation record;
  answer jsonb;
begin
  <<deciding>>
  begin
    select * into send from app.claim_send(
      own_company_id, claim_template_send.claim_id, claim_template_send.idempotency_key,
      claim_template_send.template_name, claim_template_send.language_code, fingerprint
    );
    if send.id is null then
      answer := app.repeated_send(
        own_company_id, claim_template_send.idempotency_key, claim_template_send.template_name,
        claim_template_send.language_code, 'phone', claim_template_send.phone, null,
        '{phone,display_text,body_variables,header_variables,button_variables,phone_number_id,contact_name,template_header_type,header_media}',
        fingerprint, dry_run
      );
      exit deciding;
    end if;

    connected := array(
      select accounts from public.messaging_accounts as accounts
      where company_id = own_company_id and disconnected_at is null
      order by phone_number_id
    );
    select id, phone_number_id, business_account_id, encrypted_token, refused_at, count(*) over () as matches into account
    from unnest(connected)
    where claim_template_send.phone_number_id is null
      or phone_number_id = claim_template_send.phone_number_id;
    if account.matches is distinct from 1 then
      answer := jsonb_build_object('result', 'no_account', 'connected', array(
        select jsonb_build_object('phone_number_id', phone_number_id, 'display_phone', display_phone)
        from unnest(connected)
      ));
      raise sqlstate 'CRM01'; -- undoes the block, which catches this error at its end
    end if;

    access := jsonb_build_object(
      'account_id', account.id,
      'phone_number_id', account.phone_number_id,
      'business_account_id', account.business_account_id,
      'encrypted_token', account.encrypted_token
    );

    judged := app.judge_template(
      own_company_id, account.business_account_id, claim_template_send.template_name,
      claim_template_send.language_code, nullif(message_type, 'text'), claim_template_send.header_media is not null,
      header_variables, body_variables, button_variables, claim_template_send.preflight
    );
    if judged.verdict = 'refused' then
      answer := jsonb_build_object('result', 'template_refused', 'faults', judged.faults);
      raise sqlstate 'CRM01';
    elsif judged.verdict = 'reread' then
      answer := access || jsonb_build_object('result', 'reread', 'began_at', now());
      raise sqlstate 'CRM01';
    elsif (judged.template).id is null and button_variables <> '{}' then
      -- Without the stored template, the service does not know which buttons the values are for.
      answer := jsonb_build_object('result', 'template_refused', 'faults', jsonb_build_array(
        jsonb_build_object('field', 'button_variables', 'fault', 'unplaced')
      ));
      raise sqlstate 'CRM01';
    end if;

    contact := app.find_or_add_contact(
      own_company_id, claim_template_send.phone, claim_template_send.contact_name
    );
    if contact.do_not_contact then
      answer := jsonb_build_object('result', 'do_not_contact');
      raise sqlstate 'CRM01';
    end if;
    -- The person may have opted out of marketing only. The contact is already locked.
    if (judged.template).category = 'MARKETING' and exists (
      select from public.contacts
      where company_id = own_company_id and id = contact.id and marketing_opt_out_at is not null
    ) then
      answer := jsonb_build_object('result', 'marketing_opt_out');
      raise sqlstate 'CRM01';
    end if;
    if claim_template_send.header_media is not null then
      -- The stored template determines the header's kind. Without a stored template, the request or the upload
      -- determines it.
      own_kind := case
        when (judged.template).id is not null then lower((judged.template).header_format)
        else nullif(message_type, 'text')
      end;
      if claim_template_send.header_media ? 'id' then
        select sent, shown, fault into own_sent, own_shown, own_fault
        from app.medium_of_send(own_company_id, account.id, claim_template_send.header_media);
        if (judged.template).id is null then
          own_kind := coalesce(own_kind, own_sent ->> 'type');
        end if;
      end if;
      if (own_kind in ('image', 'video', 'document')) is not true then
        own_fault := coalesce(own_fault, jsonb_build_object('field', null, 'fault', case
          when (judged.template).id is null then 'kind_needed' else 'no_header'
        end));
      elsif own_sent ->> 'type' <> own_kind then
        own_fault := coalesce(own_fault, '{ "field": "id", "fault": "kind" }');
      end if;
      if own_fault is not null then
        answer := own_fault || jsonb_build_object('result', 'unfit', 'kind', own_kind);
        raise sqlstate 'CRM01';
      end if;
    elsif (judged.template).header_format in ('IMAGE', 'VIDEO', 'DOCUMENT') then
      if (judged.template).sample_source is null then
        -- The stored template is old, and could not be read again.
        answer := jsonb_build_object('result', 'no_sample', 'reason', app.media_problem(own_company_id, null, null));
        raise sqlstate 'CRM01';
      end if;
      select * into sample from public.template_media
      where company_id = own_company_id and account_id = account.id
        and sample_source = (judged.template).sample_source;
      -- WhatsApp deletes the media file after 30 days.
      if sample.media_id is not null and sample.uploaded_at > now() - interval '29 days' then
        header_media_id := sample.media_id;
        header_filename := sample.filename;
      elsif not dry_run then
        answer := access || jsonb_build_object('result', 'media_needed', 'template_id', (judged.template).id);
        raise sqlstate 'CRM01';
      elsif sample.failure_is_permanent then
        answer := jsonb_build_object('result', 'template_refused', 'faults', jsonb_build_array(
          jsonb_build_object('field', 'template_name', 'fault', 'media', 'reason', sample.failure)
        ));
        raise sqlstate 'CRM01';
      end if;
    end if;
    if dry_run then
      answer := jsonb_build_object('result', 'send');
      raise sqlstate 'CRM01';
    end if;
    if claim_template_send.header_media is not null then
      -- During the upload, the header may have changed, or another account may have become the sender.
      if not claim_template_send.header_media ? 'id'
        and (claim_template_send.header_media ->> 'account_id', claim_template_send.header_media ->> 'kind')
          is distinct from (account.id::text, own_kind) then
        answer := access || jsonb_build_object('result', 'own_media_needed', 'kind', own_kind);
        raise sqlstate 'CRM01';
      end if;
      header_media_id := coalesce(own_sent ->> 'id', claim_template_send.header_media ->> 'media_id');
      header_filename := case own_kind when 'document'
        then coalesce(own_sent ->> 'filename', claim_template_send.header_media ->> 'filename')
      end;
    end if;
    conversation := app.find_or_open_conversation(own_company_id, contact.id, account.id);

    send.created_conversation := app.write_message_of_send(
      own_company_id, send.id, send.message_id, conversation.id, conversation.is_new,
      coalesce(own_kind, claim_template_send.message_type), claim_template_send.content,
      -- If the variables do not match the template, the text that the recipient sees is unknown.
      case when judged.faults = '[]' then
        app.rendered_text((judged.template).rendering, header_variables, body_variables)
      end,
      header_media_id,
      case when own_kind is not null then jsonb_build_object('media', coalesce(own_shown, jsonb_build_object(
        'id', null, 'mime_type', null, 'sha256', null, 'filename', header_filename, 'voice', null, 'animated', null,
        'expires_at', null
      ))) end
    );

    answer := access || jsonb_build_object(
      'result', 'claimed',
      'send_id', send.id,
      'attempt', send.attempt,
      'conversation_id', conversation.id,
      'message_id', send.message_id,
      'created_conversation', send.created_conversation,
      'template', case when (judged.template).id is not null then jsonb_build_object(
        'parameter_format', (judged.template).parameter_format,
        'header_format', (judged.template).header_format,
        'variables', (judged.template).variables,
        'otp_button', (judged.template).otp_button,
        'media', case when header_media_id is not null and own_kind is null then
          jsonb_build_object('id', header_media_id, 'filename', header_filename)
        end
      ) end
    );
    if own_kind is not null then
      answer := answer || jsonb_build_object('own_media', jsonb_strip_nulls(jsonb_build_object(
        'type', own_kind, 'id', header_media_id, 'filename', header_filename
      )));
    end if;
    if account.refused_at is not null then
      answer := answer || '{ "was_refused": true }';
    end if;
  exception when sqlstate 'CRM01' then
    -- Postgres undoes the whole block, including the claim. So a request that sends nothing does not use up its
    -- idempotency key.
    null;
  end;

  if answer ->> 'result' = 'reread' then
    -- If several requests run at the same time, only one request reads the template again.
    insert into public.template_rereads (company_id, business_account_id, name)
    values (own_company_id, answer ->> 'business_account_id', claim_template_send.template_name)
    on conflict (company_id, business_account_id, name) do update set tried_at = now()
    where template_rereads.tried_at < now() - interval '1 minute';
    answer := answer || jsonb_build_object('is_elsewhere', not found);
  end if;
  -- This call stores the time at which the API key was used. The call comes last, because other requests with the same
  -- key may wait from here until this transaction is committed.
  perform public.authenticate();
  return answer || jsonb_build_object('company_id', own_company_id);
end
$$;
comment on function public.claim_template_send(
  uuid, text, text, text, text, text, text, text, text, text[], text[], text[], text, boolean, uuid, jsonb
) is
  'Decides whether a template may be sent to a phone number now. Writes what a send needs before the call to WhatsApp: '
  'the contact, the conversation, the message, and the ledger row. Only one request gets that row. The result '
  '`claimed` contains the account''s encrypted token, the attempt, and the values for the template. The member '
  'was_refused is true if WhatsApp has refused the account since the account''s last success. The result `repeat` '
  'contains the state of the earlier send with this idempotency_key. Its member `mismatch` lists the fields that '
  'differ. The result `reused` means that this key belongs to another message. Its member `differs` lists the fields '
  'that do not match that message. The result `do_not_contact` means that the person must not be contacted. The result '
  '`marketing_opt_out` means that the person opted out of marketing templates. The result `no_account` contains the '
  'connected accounts. The result `template_refused` contains the faults of the template. The result `reread` means '
  'that the template has to be read again first. Its member is_elsewhere is true if another request is reading the '
  'template. The result `media_needed` means that the header''s media file has to be uploaded first. The result '
  '`no_sample` means that the header needs a media file, that there is no header_media, and that an old copy of the '
  'template has no sample. Its member `reason` is an error message. The result `own_media_needed` means that the file '
  'at the URL in header_media has to be uploaded first. The result `unfit` contains the reason why header_media does '
  'not match the header. A dry run of a valid send returns `send`. Every result contains the key''s company. The '
  'function writes the contact, the conversation, the message and the ledger row only if the result is `claimed`. If '
  'the caller has an API key, of_company_id has no effect. Raises PT401 and PT403 as app.company_id() does.';
grant execute on function public.claim_template_send(uuid, text, text, text, text, text, text, text, text, text[], text[], text[], text, boolean, uuid, jsonb)
  to api_client;
