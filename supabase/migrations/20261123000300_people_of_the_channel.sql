-- Who a contact is at the channel. A person whose phone the channel hides has a business-scoped user id instead, so a
-- contact may be without a phone. Only the platform makes such a contact: no other role writes has_identity.

alter table public.contacts
  alter column phone drop not null,
  alter column phone_key drop not null,
  add column has_identity boolean not null default false,
  add constraint contacts_reachable check (phone is not null or has_identity),
  -- Why do_not_contact is as it is, and since when: a member of the company or its key said so, or the person by a word.
  add column do_not_contact_source text constraint contacts_do_not_contact_source_check
    check (do_not_contact_source in ('manual', 'word')),
  add column do_not_contact_at timestamptz,
  -- The newest of each word that the person sent.
  add column stop_word_at timestamptz,
  add column start_word_at timestamptz,
  -- The newest of what the channel reported of marketing.
  add column marketing_stopped_at timestamptz,
  add column marketing_stop_source text constraint contacts_marketing_stop_source_check
    check (marketing_stop_source in ('preference', 'status')),
  add column marketing_resumed_at timestamptz,
  add column marketing_opt_out_at timestamptz generated always as (
    -- A stop wins over a resume of the same time.
    case when marketing_resumed_at is null or marketing_stopped_at >= marketing_resumed_at
      then marketing_stopped_at end
  ) stored;
comment on column public.contacts.marketing_opt_out_at is
  'Since when the person wants no marketing templates; null when that was never said, or was taken back.';
-- Of contacts from before, nobody knows since when.
alter table public.contacts disable trigger user;
update public.contacts set do_not_contact_source = 'manual' where do_not_contact;
alter table public.contacts enable trigger user;

create table public.contact_identities (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  contact_id uuid not null,
  -- The business-scoped user id. It is the same for all accounts of a business portfolio.
  user_id text not null check (char_length(user_id) between 1 and 255),
  -- The business account at which it was first seen.
  business_account_id text check (business_account_id ~ '^[0-9]{1,32}$'),
  seen_at timestamptz not null default now(),
  constraint contact_identities_once unique (company_id, user_id),
  constraint contact_identities_contact_fkey foreign key (company_id, contact_id)
    references public.contacts (company_id, id) on delete cascade
);
comment on table public.contact_identities is
  'The ids that the channel gives to the people of a company. A person who changes the phone gets a further one.';
create index contact_identities_contact_idx on public.contact_identities (company_id, contact_id);

create table public.contact_former_phones (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  contact_id uuid not null,
  phone text not null check (phone ~ '^\+[1-9][0-9]{6,14}$'),
  phone_key text not null generated always as (app.phone_key(phone)) stored,
  -- Numbers are given to other people later.
  until timestamptz not null,
  constraint contact_former_phones_once unique (company_id, contact_id, phone_key),
  constraint contact_former_phones_contact_fkey foreign key (company_id, contact_id)
    references public.contacts (company_id, id) on delete cascade
);
comment on table public.contact_former_phones is
  'The phones that a contact had until the channel reported another one. A message from before that is still theirs.';
create index contact_former_phones_phone_idx on public.contact_former_phones (company_id, phone_key);

create table public.contact_identity_events (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  contact_id uuid not null,
  -- merged: another contact, whose id is in was, turned out to be this one. phone_taken: the new phone is another
  -- contact's, so that it is only noted.
  kind text not null check (kind in ('phone_changed', 'phone_taken', 'user_id_changed', 'merged')),
  was text,
  becomes text,
  happened_at timestamptz not null,
  constraint contact_identity_events_once unique nulls not distinct (company_id, contact_id, kind, was, becomes),
  constraint contact_identity_events_contact_fkey foreign key (company_id, contact_id)
    references public.contacts (company_id, id) on delete cascade
);
comment on table public.contact_identity_events is
  'What the channel reported of a contact''s phone and ids, and which contacts turned out to be one person.';

alter table public.contact_identities enable row level security;
alter table public.contact_former_phones enable row level security;
alter table public.contact_identity_events enable row level security;
create policy "people read who their company's contacts are" on public.contact_identities
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "people read former phones of their company's contacts" on public.contact_former_phones
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "people read what changed of their company's contacts" on public.contact_identity_events
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
grant select on public.contact_identities, public.contact_former_phones, public.contact_identity_events
  to authenticated, service_role;
