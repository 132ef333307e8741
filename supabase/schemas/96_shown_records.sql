-- Functions that return records in the format of the API, for webhook deliveries. Each record has the same columns as
-- the view in 97_views.sql from which the API reads. A test compares the columns. These functions and the API cannot
-- share a view, because the Data API detects relationships only for views that read a table directly.

create function app.shown_contact(of_company uuid, of_record uuid) returns json
language sql stable
set search_path = ''
as $$
  select to_json(shown)
  from (
    select
      id, company_id, external_id, name, email, phone, temperature, tags, source, job_title, empresa, custom_fields,
      do_not_contact, do_not_contact_source, do_not_contact_at, marketing_opt_out, marketing_opt_out_source,
      marketing_opt_out_at, is_active, archived_at, erased_at, created_at, updated_at, version::text as version
    from public.contacts
    where contacts.company_id = of_company and contacts.id = of_record
  ) as shown
$$;
comment on function app.shown_contact(uuid, uuid) is 'Returns a contact in the format of the API.';

create function app.shown_deal(of_company uuid, of_record uuid) returns json
language sql stable
set search_path = ''
as $$
  select to_json(shown)
  from (
    select
      id, company_id, external_id, title, value, status, contact_id, stage_id, won_at, lost_at, stage_changed_at,
      archived_at, created_at, updated_at, version::text as version
    from public.deals
    where deals.company_id = of_company and deals.id = of_record
  ) as shown
$$;
comment on function app.shown_deal(uuid, uuid) is 'Returns a deal in the format of the API.';

create function app.shown_conversation(of_company uuid, of_record uuid) returns json
language sql stable
set search_path = ''
as $$
  select to_json(shown)
  from (
    select
      id, company_id, contact_id, phone_number_id, status, assigned_to, team_id, last_message_at, window_expires_at,
      created_at, updated_at, version::text as version
    from public.conversations
    where conversations.company_id = of_company and conversations.id = of_record
  ) as shown
$$;
comment on function app.shown_conversation(uuid, uuid) is
  'Returns a conversation in the format of the API.';

create function app.shown_message(of_company uuid, of_record uuid) returns json
language sql stable
set search_path = ''
as $$
  select to_json(shown)
  from (
    select
      messages.id, messages.company_id, messages.conversation_id, messages.direction, messages.type,
      case
        when messages.type = 'system' then jsonb_build_object('type', 'system', 'id', null, 'name', null)
        when messages.direction = 'inbound'
          then jsonb_build_object('type', 'person', 'id', contacts.id, 'name', contacts.name)
        when messages.author_type is not null
          then jsonb_build_object('type', messages.author_type, 'id', messages.author_id, 'name', messages.author_name)
      end as author,
      messages.content, messages.rendered_text, messages.status, messages.whatsapp_message_id, messages.sent_at,
      messages.delivered_at, messages.read_at, messages.failed_at, messages.expired_at, messages.failure,
      messages.price_category, messages.price_type, messages.payload,
      case when messages.type = 'location' then app.location_in(messages.payload) end as location,
      case when messages.type = 'contacts' then app.contact_cards_in(messages.payload) end as contact_cards,
      case
        when messages.direction = 'inbound' and messages.type in ('interactive', 'button')
          then app.choice_in(messages.payload)
      end as choice,
      messages.media, messages.reply_to_id,
      messages.reply_to_whatsapp_id,
      -- A removed reaction is stored without its emoji, so that an older reaction that arrives late does not replace
      -- it.
      case when messages.reaction ->> 'emoji' <> '' then messages.reaction end as reaction,
      messages.own_reaction, messages.edited_at, messages.revoked_at, messages.created_at, messages.updated_at,
      messages.version::text as version
    from public.messages
    join public.conversations on conversations.company_id = messages.company_id
      and conversations.id = messages.conversation_id
    join public.contacts on contacts.company_id = messages.company_id and contacts.id = conversations.contact_id
    where messages.company_id = of_company and messages.id = of_record
  ) as shown
$$;
comment on function app.shown_message(uuid, uuid) is 'Returns a message in the format of the API.';

create function app.shown_template(of_company uuid, of_record uuid) returns json
language sql stable
set search_path = ''
as $$
  select to_json(shown)
  from (
    select
      id, company_id, business_account_id, phone_number_ids, name, language, status, category, upcoming_category, quality,
      rejected_reason, parameter_format, components, variables, read_at, created_at, updated_at, header_format,
      status_since, unsupported, media_problem
    from public.templates
    where templates.company_id = of_company and templates.id = of_record
  ) as shown
$$;
comment on function app.shown_template(uuid, uuid) is
  'Returns a template in the format of the API, except for the fields that the edge functions compute from the '
  'columns.';

create function app.shown_send(of_company uuid, of_record uuid) returns json
language sql stable
set search_path = ''
as $$
  select to_json(shown)
  from (
    select
      sends.message_id, sends.company_id, messages.conversation_id, contacts.id as contact_id, sends.idempotency_key,
      sends.api_key_id, case when sends.template_name is null then 'reply' else 'template' end as kind,
      sends.template_name, sends.language_code,
      -- A pending send whose lease has ended is shown as failed, even before the job sets it to failed. A repeat
      -- returns the same state.
      case when sends.state = 'pending' and sends.lease_ends_at <= now() then 'failed' else sends.state end as state,
      case when sends.state = 'pending' and sends.lease_ends_at <= now() then 'failed' else messages.status end as status,
      sends.attempt,
      -- The ledger stores the WhatsApp error code, but not the error text.
      case
        when messages.failure is not null then messages.failure
        when sends.reason is not null or sends.state = 'pending' and sends.lease_ends_at <= now() then jsonb_build_object(
          'reason', coalesce(sends.reason, 'outcome_unknown'), 'code', sends.channel_code, 'message', null,
          'details', null
        )
      end as failure,
      sends.double_sent_ids <> '{}' as double_sent,
      sends.whatsapp_message_id,
      case when sends.state = 'pending' and sends.lease_ends_at > now() then sends.lease_ends_at end as lease_ends_at,
      messages.sent_at, messages.delivered_at, messages.read_at, messages.failed_at, messages.expired_at,
      sends.created_at
    from public.sends
    join public.messages on messages.company_id = sends.company_id and messages.id = sends.message_id
    join public.conversations on conversations.company_id = sends.company_id
      and conversations.id = messages.conversation_id
    join public.contacts on contacts.company_id = sends.company_id and contacts.id = conversations.contact_id
    where sends.company_id = of_company and sends.message_id = of_record
  ) as shown
$$;
comment on function app.shown_send(uuid, uuid) is 'Returns a send in the format of the API.';

create function app.shown_account(of_company uuid, of_account uuid) returns json
language sql stable
set search_path = ''
as $$
  select json_build_object(
    'id', accounts.id,
    'company_id', accounts.company_id,
    'phone_number_id', accounts.phone_number_id,
    'display_phone', accounts.display_phone,
    'is_connected', accounts.disconnected_at is null,
    'is_restricted', exists (
      select from public.account_notices as notices
      where notices.company_id = accounts.company_id and notices.account_id = accounts.id and notices.stops_sending
        and app.is_current(notices)
    ),
    'created_at', accounts.created_at,
    'updated_at', accounts.updated_at
  )
  from public.messaging_accounts as accounts
  where accounts.company_id = of_company and accounts.id = of_account
$$;
comment on function app.shown_account(uuid, uuid) is
  'Returns a messaging account in the format for webhooks, without its token. The member is_restricted shows whether '
  'WhatsApp restricts the account.';

create function app.shown_webhook(of_company uuid, of_webhook uuid) returns json
language sql stable
set search_path = ''
as $$
  select app.webhook_json(webhooks) from public.webhooks
  where webhooks.company_id = of_company and webhooks.id = of_webhook
$$;
comment on function app.shown_webhook(uuid, uuid) is
  'Returns a webhook in the format of the API, without its secrets.';

create function app.shown_record(resource text, of_company uuid, of_record uuid) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return case resource
    when 'contact' then app.shown_contact(of_company, of_record)
    when 'deal' then app.shown_deal(of_company, of_record)
    when 'conversation' then app.shown_conversation(of_company, of_record)
    when 'message' then app.shown_message(of_company, of_record)
    when 'send' then app.shown_send(of_company, of_record)
    when 'template' then app.shown_template(of_company, of_record)
    when 'account' then app.shown_account(of_company, of_record)
    when 'webhook' then app.shown_webhook(of_company, of_record)
  end;
end
$$;
comment on function app.shown_record(text, uuid, uuid) is
  'Returns the record with this id in the format of the API, even if the record is archived. For a template, returns '
  'the columns from which the edge functions compute the response. Returns null when the company has no such record.';
