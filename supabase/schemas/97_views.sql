-- The views that API keys use to read a company's rows. Under a policy, an operator that is not leakproof, such as
-- `like`, cannot use an index. So a view runs with its owner's privileges, and no policy applies to the owner. Each
-- view is restricted to the key's company, and only api_reader may read it. A version is a string, because many JSON
-- parsers round numbers of this size, and the next write needs the exact version. Each column name in a request costs
-- the Data API time, so reads select all columns of a view. Most reads filter only by columns that they return. Such
-- reads use a plain view (own_plain_…), which has only these columns.

create view public.own_contacts as
  select
    id, company_id, name, email, phone, temperature, tags, source, job_title, empresa, custom_fields, do_not_contact,
    is_active, created_at, updated_at,
    phone_key, email_key, name_words, email_words, replace(phone, '+', ' ') as phone_words, empresa_words,
    job_title_words, left(coalesce(name_words, ''), 100) collate "C" as name_sort,
    do_not_contact_source, do_not_contact_at, marketing_opt_out, marketing_opt_out_source, marketing_opt_out_at,
    version::text as version,
    archived_at, archived_phone_key,
    erased_at, external_id
  from public.contacts
  where company_id = (select app.company_id('read'));
comment on view public.own_contacts is
  'The contacts of the key''s company, with the columns that keys use to find and sort them.';
grant select on public.own_contacts to api_reader;

-- For a search, Postgres reads only the index contacts_newest_first_idx until it has found a page of contacts. Then it
-- reads the other columns of these contacts.
create view public.own_searched_contacts as
  select
    searched.id, searched.company_id, whole.external_id, whole.name, whole.email, whole.phone, whole.temperature,
    whole.tags, whole.source, whole.job_title, whole.empresa, whole.custom_fields, whole.do_not_contact,
    whole.do_not_contact_source, whole.do_not_contact_at, whole.marketing_opt_out, whole.marketing_opt_out_source,
    whole.marketing_opt_out_at, whole.is_active, searched.archived_at, whole.erased_at, searched.created_at,
    whole.updated_at, whole.version::text as version,
    searched.name_words, searched.email_words, replace(searched.phone, '+', ' ') as phone_words,
    searched.empresa_words
  from public.contacts as searched
  left join public.contacts as whole on whole.company_id = searched.company_id and whole.id = searched.id
  where searched.company_id = (select app.company_id('read'));
comment on view public.own_searched_contacts is
  'The contacts of the key''s company, for searches that sort them by created_at.';
grant select on public.own_searched_contacts to api_reader;

create view public.own_plain_contacts as
  select
    id, company_id, external_id, name, email, phone, temperature, tags, source, job_title, empresa, custom_fields,
    do_not_contact, do_not_contact_source, do_not_contact_at, marketing_opt_out, marketing_opt_out_source,
    marketing_opt_out_at, is_active, archived_at, erased_at, created_at, updated_at, version::text as version
  from public.contacts
  where company_id = (select app.company_id('read'));
comment on view public.own_plain_contacts is 'The contacts of the key''s company.';
grant select on public.own_plain_contacts to api_reader;

create view public.own_deals as
  select
    id, company_id, title, value, status, contact_id, stage_id, created_at, updated_at,
    words, left(words, 100) collate "C" as title_sort, coalesce(value, -1) as value_sort,
    version::text as version,
    won_at, lost_at, stage_changed_at,
    coalesce(won_at, '-infinity') as won_sort, coalesce(lost_at, '-infinity') as lost_sort,
    archived_at, external_id
  from public.deals
  where company_id = (select app.company_id('read'));
comment on view public.own_deals is
  'The deals of the key''s company, with the columns that keys use to find and sort them.';
grant select on public.own_deals to api_reader;

create view public.own_plain_deals as
  select
    id, company_id, external_id, title, value, status, contact_id, stage_id, won_at, lost_at, stage_changed_at,
    archived_at, created_at, updated_at, version::text as version
  from public.deals
  where company_id = (select app.company_id('read'));
comment on view public.own_plain_deals is 'The deals of the key''s company.';
grant select on public.own_plain_deals to api_reader;

create view public.own_conversations as
  select
    id, company_id, contact_id, status, assigned_to, team_id, last_message_at, window_expires_at, created_at,
    updated_at,
    coalesce(last_message_at, '-infinity') as last_message_sort,
    phone_number_id,
    version::text as version
  from public.conversations
  where company_id = (select app.company_id('read'));
comment on view public.own_conversations is
  'The conversations of the key''s company, with the columns that keys use to find and sort them.';
grant select on public.own_conversations to api_reader;

create view public.own_plain_conversations as
  select
    id, company_id, contact_id, phone_number_id, status, assigned_to, team_id, last_message_at, window_expires_at,
    created_at, updated_at, version::text as version
  from public.conversations
  where company_id = (select app.company_id('read'));
comment on view public.own_plain_conversations is 'The conversations of the key''s company.';
grant select on public.own_plain_conversations to api_reader;

create view public.own_teams as
  select
    id, company_id, name, created_at, updated_at,
    app.words(name) as name_words, left(coalesce(app.words(name), ''), 100) collate "C" as name_sort,
    version::text as version
  from public.teams
  where company_id = (select app.company_id('read'));
comment on view public.own_teams is
  'The teams of the key''s company, with the columns that keys use to find and sort them.';
grant select on public.own_teams to api_reader;

create view public.own_plain_teams as
  select id, company_id, name, created_at, updated_at, version::text as version
  from public.teams
  where company_id = (select app.company_id('read'));
comment on view public.own_plain_teams is 'The teams of the key''s company.';
grant select on public.own_plain_teams to api_reader;

create view public.own_members as
  select
    user_id as id, company_id, name, role, created_at, updated_at,
    app.words(name) as name_words, left(coalesce(app.words(name), ''), 100) collate "C" as name_sort,
    version::text as version
  from public.company_members
  where company_id = (select app.company_id('read'));
comment on view public.own_members is
  'The members of the key''s company, with the columns that keys use to find and sort them.';
grant select on public.own_members to api_reader;

create view public.own_plain_members as
  select user_id as id, company_id, name, role, created_at, updated_at, version::text as version
  from public.company_members
  where company_id = (select app.company_id('read'));
comment on view public.own_plain_members is 'The members of the key''s company.';
grant select on public.own_plain_members to api_reader;

-- The view also contains archived rows. A list excludes archived rows with its own condition.
create view public.own_pipelines as
  select
    id, company_id, name, position, is_default, created_at, updated_at,
    app.words(name) as name_words, left(coalesce(app.words(name), ''), 100) collate "C" as name_sort,
    version::text as version,
    archived_at
  from public.pipelines
  where company_id = (select app.company_id('read'));
comment on view public.own_pipelines is
  'The pipelines of the key''s company, with the columns that keys use to find and sort them.';
grant select on public.own_pipelines to api_reader;

create view public.own_plain_pipelines as
  select id, company_id, name, position, is_default, archived_at, created_at, updated_at, version::text as version
  from public.pipelines
  where company_id = (select app.company_id('read'));
comment on view public.own_plain_pipelines is 'The pipelines of the key''s company.';
grant select on public.own_plain_pipelines to api_reader;

create view public.own_stages as
  select
    id, company_id, pipeline_id, name, position, created_at, updated_at,
    app.words(name) as name_words, left(coalesce(app.words(name), ''), 100) collate "C" as name_sort,
    version::text as version,
    archived_at
  from public.stages
  where company_id = (select app.company_id('read'));
comment on view public.own_stages is
  'The stages of the key''s company, with the columns that keys use to find and sort them.';
grant select on public.own_stages to api_reader;

create view public.own_plain_stages as
  select id, company_id, pipeline_id, name, position, archived_at, created_at, updated_at, version::text as version
  from public.stages
  where company_id = (select app.company_id('read'));
comment on view public.own_plain_stages is 'The stages of the key''s company.';
grant select on public.own_plain_stages to api_reader;

create view public.own_templates as
  select
    id, company_id, business_account_id, phone_number_ids, channel_template_id, name, language, status, status_since,
    category, upcoming_category, quality, rejected_reason, parameter_format, components, header_format, variables,
    unsupported, media_problem, ttl_seconds, read_at, created_at, updated_at,
    app.words(name) as name_words
  from public.templates
  where company_id = (select app.company_id('read'));
comment on view public.own_templates is
  'The templates of the key''s company, with the columns that keys use to find and sort them.';
grant select on public.own_templates to api_reader;

create view public.own_plain_templates as
  select
    id, company_id, business_account_id, phone_number_ids, name, language, status, category, upcoming_category, quality,
    rejected_reason, parameter_format, components, variables, read_at, created_at, updated_at, header_format,
    status_since, unsupported, media_problem
  from public.templates
  where company_id = (select app.company_id('read'));
comment on view public.own_plain_templates is 'The templates of the key''s company.';
grant select on public.own_plain_templates to api_reader;

create view public.own_messages as
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
    case when messages.direction = 'inbound' and messages.type in ('interactive', 'button') then app.choice_in(messages.payload) end as choice,
    messages.media, messages.reply_to_id,
    messages.reply_to_whatsapp_id,
    -- A removed reaction is stored without its emoji, so that an older reaction that arrives late does not replace it.
    case when messages.reaction ->> 'emoji' <> '' then messages.reaction end as reaction,
    messages.own_reaction, messages.edited_at, messages.revoked_at, messages.created_at, messages.updated_at,
    messages.version::text as version
  from public.messages
  join public.conversations on conversations.company_id = messages.company_id
    and conversations.id = messages.conversation_id
  join public.contacts on contacts.company_id = messages.company_id and contacts.id = conversations.contact_id
  where messages.company_id = (select app.company_id('read'));
comment on view public.own_messages is
  'The messages of the key''s company, with their authors.';
grant select on public.own_messages to api_reader;

-- With this view, a key can read the outcome of a send without repeating the send. The outcome consists of the state in
-- the ledger and the WhatsApp reports about the message. No role may read claim_id, because a caller who knows the
-- claim_id can settle the send.
create view public.own_sends as
  select
    sends.message_id, sends.company_id, messages.conversation_id, contacts.id as contact_id, sends.idempotency_key,
    sends.api_key_id, case when sends.template_name is null then 'reply' else 'template' end as kind,
    sends.template_name, sends.language_code,
    -- A pending send whose lease has ended is shown as failed, even before the job sets it to failed. A repeat returns
    -- the same state.
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
    sends.created_at,
    -- These columns are for filters. The planner has statistics on the stored state and status, but not on the computed
    -- values. The last two columns are the conditions of partial indexes that find the few matching sends.
    sends.state as stored_state, messages.status as stored_status,
    sends.state = 'pending' and sends.lease_ends_at <= now() as has_ended,
    coalesce(
      messages.failure ->> 'reason', sends.reason,
      case when sends.state = 'pending' and sends.lease_ends_at <= now() then 'outcome_unknown' end
    ) as reason,
    contacts.phone_key, contacts.archived_phone_key,
    sends.state <> 'sent' as is_not_sent,
    messages.failure is not null or messages.status in ('pending', 'failed', 'expired') as is_unusual
  from public.sends
  join public.messages on messages.company_id = sends.company_id and messages.id = sends.message_id
  join public.conversations on conversations.company_id = sends.company_id
    and conversations.id = messages.conversation_id
  join public.contacts on contacts.company_id = sends.company_id and contacts.id = conversations.contact_id
  where sends.company_id = (select app.company_id('read'));
comment on view public.own_sends is
  'The sends of the key''s company, with the outcomes of their messages.';
grant select on public.own_sends to api_reader;

create view public.own_deal_history as
  select id, company_id, deal_id, kind, from_value as "from", to_value as "to", at, api_key_id, user_id
  from public.deal_history
  where company_id = (select app.company_id('read'));
comment on view public.own_deal_history is
  'The history of the deals of the key''s company.';
grant select on public.own_deal_history to api_reader;

-- Only the export of a person's data reads the next views.
create view public.own_original_contents as
  select id, company_id, original_content
  from public.messages
  where company_id = (select app.company_id('read'));
comment on view public.own_original_contents is
  'The messages of the key''s company, with the first text of each message that a person edited.';
grant select on public.own_original_contents to api_reader;

create view public.own_opt_out_lifts as
  select id, company_id, contact_id, kind, source, asked_at, reason, lifted_at
  from public.opt_out_lifts
  where company_id = (select app.company_id('read'));
comment on view public.own_opt_out_lifts is
  'The opt-outs of contacts that members of the key''s company lifted, with the reasons.';
grant select on public.own_opt_out_lifts to api_reader;

create view public.own_contact_identities as
  select id, company_id, contact_id, coalesce(user_id, archived_user_id) as user_id, business_account_id, seen_at
  from public.contact_identities
  where company_id = (select app.company_id('read'));
comment on view public.own_contact_identities is
  'The WhatsApp user ids of the contacts of the key''s company.';
grant select on public.own_contact_identities to api_reader;

create view public.own_contact_former_phones as
  select id, company_id, contact_id, phone, until, phone_key, archived_phone_key
  from public.contact_former_phones
  where company_id = (select app.company_id('read'));
comment on view public.own_contact_former_phones is
  'The earlier and additional phone numbers of the contacts of the key''s company.';
grant select on public.own_contact_former_phones to api_reader;

create view public.own_contact_identity_events as
  select id, company_id, contact_id, kind, was, becomes, happened_at
  from public.contact_identity_events
  where company_id = (select app.company_id('read'));
comment on view public.own_contact_identity_events is
  'The changes of people''s phone numbers and ids that WhatsApp reported to the key''s company.';
grant select on public.own_contact_identity_events to api_reader;

create view public.own_contact_windows as
  select id, company_id, contact_id, account_id, last_inbound_at, closed_at, expires_at
  from public.contact_windows
  where company_id = (select app.company_id('read'));
comment on view public.own_contact_windows is
  'The time until which the key''s company may send free-form replies to each contact.';
grant select on public.own_contact_windows to api_reader;

create view public.own_contact_wishes as
  select
    id, company_id, do_not_contact, do_not_contact_source, do_not_contact_at, stop_word_at, start_word_at,
    marketing_stopped_at, marketing_stop_source, marketing_resumed_at, marketing_opt_out_at
  from public.contacts
  where company_id = (select app.company_id('read'));
comment on view public.own_contact_wishes is
  'The message preferences of each contact for the key''s company, and when the person or the company changed them.';
grant select on public.own_contact_wishes to api_reader;
