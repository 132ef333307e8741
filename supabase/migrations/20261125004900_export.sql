-- All that is held on a person is read by the views of a company's own rows; of what the channel knows of them, here.

create view public.own_contact_identities as
  select id, company_id, contact_id, coalesce(user_id, archived_user_id) as user_id, business_account_id, seen_at
  from public.contact_identities
  where company_id = (select app.company_id('read'));
comment on view public.own_contact_identities is
  'The ids at the channel of the people of the company whose key the request carries.';

create view public.own_contact_former_phones as
  select id, company_id, contact_id, phone, until
  from public.contact_former_phones
  where company_id = (select app.company_id('read'));
comment on view public.own_contact_former_phones is
  'The former and further phones of the people of the company whose key the request carries.';

create view public.own_contact_identity_events as
  select id, company_id, contact_id, kind, was, becomes, happened_at
  from public.contact_identity_events
  where company_id = (select app.company_id('read'));
comment on view public.own_contact_identity_events is
  'What the channel reported of the phones and ids of the people of the company whose key the request carries.';

create view public.own_contact_windows as
  select id, company_id, contact_id, account_id, last_inbound_at, closed_at, expires_at
  from public.contact_windows
  where company_id = (select app.company_id('read'));
comment on view public.own_contact_windows is
  'Until when the company whose key the request carries may answer people freely.';

create view public.own_contact_wishes as
  select
    id, company_id, do_not_contact, do_not_contact_source, do_not_contact_at, stop_word_at, start_word_at,
    marketing_stopped_at, marketing_stop_source, marketing_resumed_at, marketing_opt_out_at
  from public.contacts
  where company_id = (select app.company_id('read'));
comment on view public.own_contact_wishes is
  'What the people of the company whose key the request carries wish of messages, and what they said of it.';

grant select on
  public.own_contact_identities, public.own_contact_former_phones, public.own_contact_identity_events,
  public.own_contact_windows, public.own_contact_wishes
  to api_reader;
