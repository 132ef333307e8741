-- What a request that reads sees: views of the owner, each of which states the rule of the table's policy itself.
--
-- Under a policy, Postgres may use an index only for operators that it knows to be leakproof, that is, to tell
-- nothing of a row by an error. Those of texts, arrays, JSON and numeric are not, so a search for a rare word reads
-- every row of its company. Such a view is no barrier to them. It is safe because nobody has it but api_reader, whose
-- statements only the Data API makes, and because app.company_id() is null for every other role. So no view here is
-- security_invoker or security_barrier, and each is granted to api_reader alone.
--
-- Each has what callers see and then, on lines of its own, what they search and sort by. What they sort by is never
-- null, so that a page can begin in an index: whatever has no value is before all others, as no amount is negative. An
-- index row has 2704 bytes at most, hence left(). Letters are compared by their numbers (collate "C"), so that the
-- order is the same on every platform, and the index finds beginnings too.

create view public.own_contacts as
  select
    id, company_id, name, email, phone, temperature, tags, source, job_title, empresa, custom_fields, do_not_contact,
    is_active, created_at, updated_at,
    phone_key, email_key, name_words, email_words, replace(phone, '+', ' ') as phone_words, empresa_words,
    job_title_words, left(coalesce(name_words, ''), 100) collate "C" as name_sort
  from public.contacts
  where company_id = (select app.company_id('read'));

create view public.own_deals as
  select
    id, company_id, title, value, status, contact_id, stage_id, created_at, updated_at,
    words, left(words, 100) collate "C" as title_sort, coalesce(value, -1) as value_sort
  from public.deals
  where company_id = (select app.company_id('read'));

create view public.own_conversations as
  select
    id, company_id, contact_id, status, assigned_to, team_id, last_message_at, window_expires_at, created_at,
    updated_at,
    coalesce(last_message_at, '-infinity') as last_message_sort
  from public.conversations
  where company_id = (select app.company_id('read'));

create view public.own_messages as
  select
    id, company_id, conversation_id, direction, type, content, rendered_text, status, whatsapp_message_id,
    created_at, updated_at
  from public.messages
  where company_id = (select app.company_id('read'));

create view public.own_teams as
  select
    id, company_id, name, created_at, updated_at,
    app.words(name) as name_words, left(coalesce(app.words(name), ''), 100) collate "C" as name_sort
  from public.teams
  where company_id = (select app.company_id('read'));

create view public.own_members as
  select
    user_id, company_id, name, role, created_at, updated_at,
    app.words(name) as name_words, left(coalesce(app.words(name), ''), 100) collate "C" as name_sort
  from public.company_members
  where company_id = (select app.company_id('read'));

create view public.own_pipelines as
  select
    id, company_id, name, position, is_default, created_at, updated_at,
    app.words(name) as name_words, left(coalesce(app.words(name), ''), 100) collate "C" as name_sort
  from public.pipelines
  where company_id = (select app.company_id('read'));

create view public.own_stages as
  select
    id, company_id, pipeline_id, name, position, created_at, updated_at,
    app.words(name) as name_words, left(coalesce(app.words(name), ''), 100) collate "C" as name_sort
  from public.stages
  where company_id = (select app.company_id('read'));

create view public.own_templates as
  select
    id, company_id, business_account_id, phone_number_ids, channel_template_id, name, language, status, status_since,
    category, upcoming_category, quality, rejected_reason, parameter_format, components, header_format, variables,
    unsupported, media_problem, ttl_seconds, read_at, created_at, updated_at,
    app.words(name) as name_words
  from public.templates
  where company_id = (select app.company_id('read'));

grant select on
  public.own_contacts, public.own_deals, public.own_conversations, public.own_messages, public.own_teams,
  public.own_members, public.own_pipelines, public.own_stages, public.own_templates
  to api_reader;

comment on view public.own_contacts is
  'The contacts of the company whose key the request carries.';
comment on view public.own_deals is
  'The deals of the company whose key the request carries.';
comment on view public.own_conversations is
  'The conversations of the company whose key the request carries.';
comment on view public.own_messages is
  'The messages of the company whose key the request carries.';
comment on view public.own_teams is
  'The teams of the company whose key the request carries.';
comment on view public.own_members is
  'The people of the company whose key the request carries.';
comment on view public.own_pipelines is
  'The pipelines of the company whose key the request carries.';
comment on view public.own_stages is
  'The stages of the company whose key the request carries.';
comment on view public.own_templates is
  'The templates of the company whose key the request carries.';
