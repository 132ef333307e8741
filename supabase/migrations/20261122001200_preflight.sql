-- What can be known about a template before a send is judged within the claim, at no further round trip: a send that
-- the channel would certainly refuse is refused here, and uses up no idempotency key. The claim also says how to fill
-- the template, and keeps its text as the recipient sees it.

alter table public.messages
  add column rendered_text text constraint messages_rendered_text_check check (char_length(rendered_text) <= 65536);
comment on column public.messages.rendered_text is
  'Of a template send: the text as the recipient sees it. Null when the template was not known.';

alter table public.template_sends
  add column media_id text constraint template_sends_media_id_check check (char_length(media_id) between 1 and 255);
comment on column public.template_sends.media_id is 'The channel''s id of the media that was sent as the header.';

-- Every send is judged and rendered. So these functions do without queries, and without functions of their own: Postgres
-- plans the queries of a function in SQL again at each call, and each call costs.

create function app.rendered_text(rendering jsonb, header_variables text[], body_variables text[]) returns text
language plpgsql immutable
set search_path = ''
as $$
declare
  part text;
  given text[];
  pieces jsonb;
  text text;
  rendered text;
begin
  foreach part in array array['header', 'body'] loop
    pieces := rendering -> part;
    continue when jsonb_typeof(pieces) is distinct from 'array' or pieces = '[]';
    given := case part when 'header' then header_variables else body_variables end;
    text := '';
    for place in 0 .. jsonb_array_length(pieces) - 1 loop
      text := text || case jsonb_typeof(pieces -> place)
        when 'number' then coalesce(given[(pieces -> place)::integer + 1], '')
        else pieces ->> place
      end;
    end loop;
    rendered := concat_ws(e'\n\n', rendered, text);
  end loop;

  text := null;
  for place in 0 .. jsonb_array_length(rendering -> 'buttons') - 1 loop
    text := concat_ws(' ', text, format('[%s]', rendering -> 'buttons' ->> place));
  end loop;
  return left(concat_ws(e'\n\n', rendered, rendering ->> 'footer', text), 65536);
end
$$;
comment on function app.rendered_text(jsonb, text[], text[]) is
  'The text of a template (templates.rendering) as the recipient sees it: header and body with the values of their '
  'variables, footer, and the labels of its buttons, with an empty line between them.';

create function app.template_faults(
  template public.templates,
  media_type text,
  header_variables text[],
  body_variables text[],
  button_variables text[]
) returns jsonb
language plpgsql immutable
set search_path = ''
as $$
declare
  faults jsonb := '[]';
  part text;
  given text[];
  takes integer;
begin
  if template.status <> 'APPROVED' then
    faults := faults || jsonb_build_object(
      'field', 'template_name', 'fault', 'status', 'status', template.status, 'since', template.status_since
    );
  end if;
  if media_type is not null and upper(media_type) is distinct from template.header_format then
    faults := faults || jsonb_build_object(
      'field', 'template_header_type', 'fault', 'header', 'header', template.header_format
    );
  end if;
  if template.unsupported <> '{}' then
    -- What else such a template takes is not known.
    return faults || jsonb_build_object(
      'field', 'template_name', 'fault', 'unsupported', 'parts', template.unsupported
    );
  end if;

  foreach part in array array['header', 'body', 'button'] loop
    given := case part when 'header' then header_variables when 'body' then body_variables else button_variables end;
    takes := jsonb_array_length(template.variables -> case part when 'button' then 'buttons' else part end);
    if cardinality(given) <> takes then
      faults := faults || jsonb_build_object(
        'field', part || '_variables', 'fault', 'count', 'takes', takes, 'got', cardinality(given)
      );
    end if;
    for place in 1 .. coalesce(cardinality(given), 0) loop
      -- The channel refuses these in the value of a variable.
      if given[place] = '' or given[place] ~ e'[\n\r\t]| {5}' then
        faults := faults || jsonb_build_object(
          'field', format('%s_variables.%s', part, place - 1),
          'fault', case given[place] when '' then 'empty' else 'characters' end
        );
      end if;
    end loop;
  end loop;
  return faults;
end
$$;
comment on function app.template_faults(public.templates, text, text[], text[], text[]) is
  'Why a template cannot be sent with these values, each with its field; an empty array when it can. media_type is the '
  'header that the caller declares: image, video, document or null.';

create function app.judge_template(
  own_company_id uuid,
  of_business_account_id text,
  by_name text,
  in_language text,
  media_type text,
  header_variables text[],
  body_variables text[],
  button_variables text[],
  preflight text,
  -- go, refused, or reread: what is stored speaks against the send, and may be out of date
  out verdict text,
  out faults jsonb,
  -- null when it is not known
  out template public.templates
)
language plpgsql stable
set search_path = ''
as $$
declare
  reread record;
  languages text[];
  is_fresh boolean;
begin
  verdict := 'go';
  if preflight = 'off' then
    return;
  end if;
  select templates.* into template
  from public.template_catalogues as catalogues
  left join public.templates on templates.company_id = catalogues.company_id
    and templates.business_account_id = catalogues.business_account_id
    and templates.name = by_name and templates.language = in_language and templates.status <> 'DELETED'
  where catalogues.company_id = own_company_id and catalogues.business_account_id = of_business_account_id
    and catalogues.synced_at is not null;
  if not found then
    return; -- there is no catalogue
  end if;
  if template.id is not null then
    faults := app.template_faults(template, media_type, header_variables, body_variables, button_variables);
    if faults = '[]' then
      return;
    end if;
  end if;
  select tried_at, read_at into reread from public.template_rereads as rereads
  where rereads.company_id = own_company_id and rereads.business_account_id = of_business_account_id
    and rereads.name = by_name;
  if template.id is not null then
    is_fresh := template.read_at > now() - interval '10 minutes';
  else
    languages := array(
      select templates.language from public.templates
      where templates.company_id = own_company_id and templates.business_account_id = of_business_account_id
        and templates.name = by_name and templates.status <> 'DELETED'
      order by 1
    );
    faults := case when languages = '{}'
      then jsonb_build_array(jsonb_build_object('field', 'template_name', 'fault', 'unknown'))
      else jsonb_build_array(
        jsonb_build_object('field', 'language_code', 'fault', 'language', 'languages', languages)
      )
    end;
    -- A template that is made now can be sent a minute later.
    is_fresh := reread.read_at > now() - interval '1 minute';
  end if;

  if is_fresh then
    verdict := 'refused';
  elsif preflight = 'first' and (
    -- Not read again within the last minute; or another request is reading it now.
    reread.tried_at is null or reread.tried_at <= now() - interval '1 minute'
    or (reread.tried_at > now() - interval '15 seconds' and coalesce(reread.read_at < reread.tried_at, true))
  ) and (
    -- A caller who tries many names must not use up what the account may ask of the channel.
    select count(*) < 20 from public.template_rereads as rereads
    where rereads.company_id = own_company_id and rereads.business_account_id = of_business_account_id
      and rereads.tried_at > now() - interval '1 minute'
  ) then
    verdict := 'reread';
  end if;
end
$$;
comment on function app.judge_template(uuid, text, text, text, text, text[], text[], text[], text) is
  'Whether a send can go on by what is stored of the channel''s templates. It is refused only for what was read within '
  'the last ten minutes. What is older and speaks against the send is read again first, at most once in a minute; if '
  'that is not possible, the send goes on, and the channel decides. preflight is off (no judgement), first, or last '
  '(the template has been read again, or could not be).';

drop function public.claim_template_send(uuid, text, text, text, text, text, text, text, text);
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
  dry_run boolean default false
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
  access jsonb;
  judged record;
  header_media_id text;
  header_filename text;
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
      channel_code = null,
      media_id = null
    where sends.state = 'released'
    returning sends.id, sends.message_id, sends.created_conversation into send;
    if not found then
      update public.template_sends set state = 'failed', reason = 'outcome_unknown'
      where company_id = own_company_id and idempotency_key = claim_template_send.idempotency_key
        and state = 'pending' and lease_ends_at <= now() and not dry_run;
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
    select id, phone_number_id, business_account_id, encrypted_token, count(*) over () as matches into account
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

    access := jsonb_build_object(
      'account_id', account.id,
      'phone_number_id', account.phone_number_id,
      'business_account_id', account.business_account_id,
      'encrypted_token', account.encrypted_token
    );

    judged := app.judge_template(
      own_company_id, account.business_account_id, claim_template_send.template_name,
      claim_template_send.language_code, nullif(message_type, 'text'), header_variables, body_variables,
      button_variables, claim_template_send.preflight
    );
    if judged.verdict = 'refused' then
      answer := jsonb_build_object('result', 'template_refused', 'faults', judged.faults);
      raise sqlstate 'CRM01';
    elsif judged.verdict = 'reread' then
      answer := access || jsonb_build_object('result', 'reread', 'began_at', now());
      raise sqlstate 'CRM01';
    elsif (judged.template).id is null and button_variables <> '{}' then
      -- Which buttons take the values is known only from the catalogue.
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
    if dry_run then
      answer := jsonb_build_object('result', 'send');
      raise sqlstate 'CRM01';
    end if;
    if (judged.template).header_format in ('IMAGE', 'VIDEO', 'DOCUMENT') then
      select media_id, filename into header_media_id, header_filename from public.template_media
      where company_id = own_company_id and account_id = account.id
        and sample_source = (judged.template).sample_source
        -- The channel deletes it after 30 days.
        and uploaded_at > now() - interval '29 days' and media_id is not null;
      if not found then
        answer := access || jsonb_build_object('result', 'media_needed', 'template_id', (judged.template).id);
        raise sqlstate 'CRM01';
      end if;
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
    update public.template_sends set
      created_conversation = send.created_conversation,
      media_id = header_media_id
    where id = send.id
      and (created_conversation <> send.created_conversation or media_id is distinct from header_media_id);

    -- A released send keeps its message. Nothing was sent for it, so the message takes the content and the
    -- time of this attempt.
    insert into public.messages (id, company_id, conversation_id, direction, type, content, rendered_text, status)
    values (
      send.message_id, own_company_id, conversation.id, 'outbound',
      claim_template_send.message_type, claim_template_send.content,
      -- Of a template that the variables do not fit, nobody knows what the recipient sees.
      case when judged.faults = '[]' then
        app.rendered_text((judged.template).rendering, header_variables, body_variables)
      end,
      'pending'
    )
    on conflict (id) do update set
      conversation_id = excluded.conversation_id,
      type = excluded.type,
      content = excluded.content,
      rendered_text = excluded.rendered_text,
      created_at = excluded.created_at;

    answer := access || jsonb_build_object(
      'result', 'claimed',
      'send_id', send.id,
      'conversation_id', conversation.id,
      'message_id', send.message_id,
      'created_conversation', send.created_conversation,
      'template', case when (judged.template).id is not null then jsonb_build_object(
        'parameter_format', (judged.template).parameter_format,
        'header_format', (judged.template).header_format,
        'variables', (judged.template).variables,
        'otp_button', (judged.template).otp_button,
        'media', case when header_media_id is not null then
          jsonb_build_object('id', header_media_id, 'filename', header_filename)
        end
      ) end
    );
  exception when sqlstate 'CRM01' then
    -- The whole block is undone, including the claim: a request that is stopped uses up no idempotency key.
    null;
  end;

  if answer ->> 'result' = 'reread' then
    -- Of several requests at once, one reads the template again.
    insert into public.template_rereads (company_id, business_account_id, name)
    values (own_company_id, answer ->> 'business_account_id', claim_template_send.template_name)
    on conflict (company_id, business_account_id, name) do update set tried_at = now()
    where template_rereads.tried_at < now() - interval '1 minute';
    answer := answer || jsonb_build_object('is_elsewhere', not found);
  end if;
  -- Records that the key is in use. This comes last, because other requests with the key wait until it is
  -- committed.
  perform public.authenticate();
  return answer || jsonb_build_object('company_id', own_company_id);
end
$$;
comment on function public.claim_template_send(
  uuid, text, text, text, text, text, text, text, text, text[], text[], text[], text, boolean
) is
  'Decides whether a template may be sent to a phone now, and writes what a send needs before the channel is '
  'called: contact, conversation, message, and the row in the ledger, which only one request gets. The result is '
  'claimed (with the account''s encrypted token and how to fill the template), repeat (of an earlier send with this '
  'idempotency_key), no_account (with the accounts that are connected), template_refused (with its faults), reread '
  '(the template has to be read again first; is_elsewhere: another request does it), do_not_contact, media_needed '
  '(the header''s media has to be uploaded first) or, for a dry run, send; each with the key''s company. Only claimed '
  'has written anything. Raises PT401 and PT403 as app.company_id() does.';
grant execute on function public.claim_template_send(
  uuid, text, text, text, text, text, text, text, text, text[], text[], text[], text, boolean
) to api_client;

create or replace function public.settle_template_send(
  claim_id uuid,
  outcome text,
  whatsapp_message_id text default null,
  reason text default null,
  channel_code integer default null
) returns text
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  settled record;
begin
  if outcome is null or outcome not in ('sent', 'failed', 'released') then
    raise sqlstate 'PT422' using message = 'The outcome of a send is sent, failed or released';
  end if;

  -- The real outcome replaces outcome_unknown, which is a guess made when a lease ends. A release is then
  -- recorded as failed, because a caller may have been told so. Every other end is final.
  update public.template_sends set
    state = case when state = 'failed' and settle_template_send.outcome = 'released' then 'failed'
      else settle_template_send.outcome end,
    whatsapp_message_id = settle_template_send.whatsapp_message_id,
    reason = settle_template_send.reason,
    channel_code = settle_template_send.channel_code
  where claim_id = settle_template_send.claim_id
    and (state = 'pending' or (state = 'failed' and reason = 'outcome_unknown'))
  returning company_id, message_id, media_id, channel_code into settled;
  if settled.channel_code = 100 or settled.channel_code between 131000 and 132999 then
    perform app.note_refusal(settled.company_id, settled.message_id, settled.media_id, settled.channel_code);
  end if;

  select state into settled from public.template_sends where claim_id = settle_template_send.claim_id;
  return settled.state;
end
$$;

create function app.note_refusal(own_company_id uuid, of_message_id uuid, sent_media_id text, channel_code integer)
returns void
language plpgsql
set search_path = ''
as $$
declare
  account record;
begin
  select accounts.id, accounts.business_account_id into account
  from public.messages
  join public.conversations on conversations.company_id = messages.company_id
    and conversations.id = messages.conversation_id
  join public.messaging_accounts as accounts on accounts.company_id = conversations.company_id
    and accounts.id = conversations.messaging_account_id
  where messages.company_id = own_company_id and messages.id = of_message_id;
  -- Rows that another transaction holds are skipped: a send is settled at once, and these are hints.
  -- 100 and 131009 are said of an id that is no medium, and of much else. So they count only against media that the
  -- channel may have lost since: a caller whose values are wrong does not have it uploaded with every send.
  if channel_code in (100, 131009, 131053) then
    update public.template_media set media_id = null where id in (
      select media.id from public.template_media as media
      where media.company_id = own_company_id and media.account_id = account.id and media.media_id = sent_media_id
        and (channel_code = 131053 or media.uploaded_at < now() - interval '1 hour')
      for no key update skip locked
    );
  elsif channel_code between 132000 and 132999 then
    update public.template_catalogues set sync_due_at = now() where id in (
      select catalogues.id from public.template_catalogues as catalogues
      where catalogues.company_id = own_company_id
        and catalogues.business_account_id = account.business_account_id
        and catalogues.synced_at < now() - interval '10 minutes' and catalogues.sync_due_at > now()
      for no key update skip locked
    );
  end if;
end
$$;
comment on function app.note_refusal(uuid, uuid, text, integer) is
  'What a refusal of the channel says about what is stored: 131053, that the media it names has to be uploaded again, '
  'and so 100 and 131009, which name an invalid parameter, when it was uploaded more than an hour ago; '
  '132000 to 132999, that the templates may have changed, so that they are read again soon.';
