-- A key reads when a record was archived. Lists and searches leave archived records out unless they are asked for,
-- by a condition of their own; an archived contact is then found by the phone that it gave up. The feeds of changes
-- have all.

grant select (archived_at) on public.contacts to api_client;

create or replace view public.own_contacts as
  select
    id, company_id, name, email, phone, temperature, tags, source, job_title, empresa, custom_fields, do_not_contact,
    is_active, created_at, updated_at,
    phone_key, email_key, name_words, email_words, replace(phone, '+', ' ') as phone_words, empresa_words,
    job_title_words, left(coalesce(name_words, ''), 100) collate "C" as name_sort,
    do_not_contact_source, do_not_contact_at, marketing_opt_out_at,
    version::text as version,
    archived_at, archived_phone_key
  from public.contacts
  where company_id = (select app.company_id('read'));

create or replace view public.own_deals as
  select
    id, company_id, title, value, status, contact_id, stage_id, created_at, updated_at,
    words, left(words, 100) collate "C" as title_sort, coalesce(value, -1) as value_sort,
    version::text as version,
    won_at, lost_at, stage_changed_at,
    coalesce(won_at, '-infinity') as won_sort, coalesce(lost_at, '-infinity') as lost_sort,
    archived_at
  from public.deals
  where company_id = (select app.company_id('read'));

select app.make_feed('contact_changes', 'contacts', '
  id, company_id, name, email, phone, temperature, tags, source, job_title, empresa, custom_fields, do_not_contact,
  do_not_contact_source, do_not_contact_at, marketing_opt_out_at, is_active, archived_at, created_at, updated_at
');
select app.make_feed('deal_changes', 'deals', '
  id, company_id, title, value, status, contact_id, stage_id, won_at, lost_at, stage_changed_at, archived_at,
  created_at, updated_at
');
