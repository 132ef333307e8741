-- A key reads the version of a record, which is the condition of its next write. As text, because JSON's readers take
-- numbers of this size for others. The feeds of changes have it already.

create or replace view public.own_contacts as
  select
    id, company_id, name, email, phone, temperature, tags, source, job_title, empresa, custom_fields, do_not_contact,
    is_active, created_at, updated_at,
    phone_key, email_key, name_words, email_words, replace(phone, '+', ' ') as phone_words, empresa_words,
    job_title_words, left(coalesce(name_words, ''), 100) collate "C" as name_sort,
    do_not_contact_source, do_not_contact_at, marketing_opt_out_at,
    version::text as version
  from public.contacts
  where company_id = (select app.company_id('read'));

create or replace view public.own_deals as
  select
    id, company_id, title, value, status, contact_id, stage_id, created_at, updated_at,
    words, left(words, 100) collate "C" as title_sort, coalesce(value, -1) as value_sort,
    version::text as version
  from public.deals
  where company_id = (select app.company_id('read'));

create or replace view public.own_conversations as
  select
    id, company_id, contact_id, status, assigned_to, team_id, last_message_at, window_expires_at, created_at,
    updated_at,
    coalesce(last_message_at, '-infinity') as last_message_sort,
    phone_number_id,
    version::text as version
  from public.conversations
  where company_id = (select app.company_id('read'));

create or replace view public.own_messages as
  select
    id, company_id, conversation_id, direction, type, content, rendered_text, status, whatsapp_message_id,
    created_at, updated_at,
    sent_at, delivered_at, read_at, failed_at, expired_at, failure, price_category, price_type, payload, media,
    reply_to_id, reply_to_whatsapp_id,
    -- One that was taken back is kept without its emoji, so that an older one that comes late does not return.
    case when reaction ->> 'emoji' <> '' then reaction end as reaction,
    edited_at, revoked_at,
    version::text as version
  from public.messages
  where company_id = (select app.company_id('read'));
