-- What a key reads of a contact's wishes: why it must not be contacted and since when, and since when the person wants
-- no marketing. The platform alone writes these. And a contact whose phone the channel hides is found by that.

grant select (do_not_contact_source, do_not_contact_at, marketing_opt_out_at) on public.contacts to api_client;

create or replace view public.own_contacts as
  select
    id, company_id, name, email, phone, temperature, tags, source, job_title, empresa, custom_fields, do_not_contact,
    is_active, created_at, updated_at,
    phone_key, email_key, name_words, email_words, replace(phone, '+', ' ') as phone_words, empresa_words,
    job_title_words, left(coalesce(name_words, ''), 100) collate "C" as name_sort,
    do_not_contact_source, do_not_contact_at, marketing_opt_out_at
  from public.contacts
  where company_id = (select app.company_id('read'));

select app.make_feed('contact_changes', 'contacts', '
  id, company_id, name, email, phone, temperature, tags, source, job_title, empresa, custom_fields, do_not_contact,
  do_not_contact_source, do_not_contact_at, marketing_opt_out_at, is_active, created_at, updated_at
');

-- Nearly every contact has none.
create index contacts_marketing_opt_out_idx on public.contacts (company_id, marketing_opt_out_at)
  where marketing_opt_out_at is not null;
