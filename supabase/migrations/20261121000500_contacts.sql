-- Contacts: the people a company talks to. One person is one contact, however the phone is spelled.

create function app.phone_key(phone text) returns text
language sql immutable strict parallel safe
set search_path = ''
as $$
  select case
    -- Brazil: mobiles got a ninth digit; both spellings reach one account. Only the old mobile range
    -- (6 to 9) ever had the short spelling; in front of anything else the 9 belongs to the number.
    when phone ~ '^\+55[1-9][0-9][6-9][0-9]{7}$' then overlay(phone placing '9' from 6 for 0)
    -- Mexico: mobiles used to have a 1 before their ten digits.
    when phone ~ '^\+521[0-9]{10}$' then '+52' || right(phone, 10)
    -- Argentina: the 9 before a mobile's ten digits is for calls from abroad.
    when phone ~ '^\+549[0-9]{10}$' then '+54' || right(phone, 10)
    else phone
  end
$$;
comment on function app.phone_key(text) is
  'The phone that identifies a person: spellings that the messaging channel treats as one number give one key.';
grant execute on function app.phone_key(text) to api_client, authenticated, service_role;

create table public.contacts (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null default app.company_id() references public.companies on delete cascade,
  name text check (char_length(name) <= 255),
  email text check (char_length(email) <= 320),
  -- Kept as sent. POSIX classes would also match the digits of other scripts, hence [0-9].
  phone text not null check (phone ~ '^\+[1-9][0-9]{6,14}$'),
  phone_key text not null generated always as (app.phone_key(phone)) stored,
  temperature text not null default 'warm' check (temperature in ('cold', 'warm', 'hot')),
  tags text[] not null default '{}' check (cardinality(tags) <= 50 and array_position(tags, null) is null),
  source text not null default 'api' check (char_length(source) <= 255),
  job_title text check (char_length(job_title) <= 255),
  empresa text check (char_length(empresa) <= 255),
  -- The API's limit is 16 KiB of compact JSON; Postgres writes it with a space after every comma and colon.
  custom_fields jsonb not null default '{}' check (
    jsonb_typeof(custom_fields) = 'object'
    and octet_length(custom_fields::text) <= 32768
  ),
  do_not_contact boolean not null default false,
  is_active boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  constraint contacts_one_per_phone unique (company_id, phone_key)
);
comment on table public.contacts is 'The people that a company talks to. Unique per company by phone key.';

create index contacts_newest_first_idx on public.contacts (company_id, created_at desc, id desc);
-- A policy hides from the planner which company asks. With n_distinct = 1 the planner assumes one company
-- for all rows, so it plans for the largest company instead of the average one, and reads a page from the
-- index instead of sorting everything.
alter table public.contacts alter column company_id set (n_distinct = 1);

create trigger contacts_set_updated_at before update on public.contacts
  for each row execute function app.set_updated_at();

alter table public.contacts enable row level security;
create policy "a key reads its company's contacts" on public.contacts
  for select to api_client using (company_id = (select app.company_id()));
create policy "a key adds contacts to its company" on public.contacts
  for insert to api_client with check (company_id = (select app.company_id('write')));
create policy "a key changes its company's contacts" on public.contacts
  for update to api_client
  using (company_id = (select app.company_id('write')))
  with check (company_id = (select app.company_id('write')));
grant
  select (
    id, company_id, name, email, phone, temperature, tags, source, job_title, empresa, custom_fields,
    do_not_contact, is_active, created_at, updated_at
  ),
  insert (
    name, email, phone, temperature, tags, source, job_title, empresa, custom_fields, do_not_contact, is_active
  ),
  update (
    name, email, phone, temperature, tags, source, job_title, empresa, custom_fields, do_not_contact, is_active
  )
  on public.contacts to api_client;

create policy "people read their company's contacts" on public.contacts
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "people add contacts to their company" on public.contacts
  for insert to authenticated with check (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "people change their company's contacts" on public.contacts
  for update to authenticated
  using (company_id = any ((select app.member_company_ids())::uuid[]))
  with check (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "people delete their company's contacts" on public.contacts
  for delete to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
grant
  select,
  insert (
    company_id, name, email, phone, temperature, tags, source, job_title, empresa, custom_fields,
    do_not_contact, is_active
  ),
  update (
    name, email, phone, temperature, tags, source, job_title, empresa, custom_fields, do_not_contact, is_active
  ),
  delete
  on public.contacts to authenticated;
grant select, insert, update, delete on public.contacts to service_role;

-- A caller has one question about phone_key, and this function answers it. It is security definer, because
-- keys have no privilege on phone_key, and therefore checks the company itself.
create function public.contact_id_by_phone(phone text) returns uuid
language sql stable security definer
set search_path = ''
as $$
  select contacts.id from public.contacts
  where contacts.company_id = (select app.company_id())
    and contacts.phone_key = app.phone_key(contact_id_by_phone.phone)
$$;
comment on function public.contact_id_by_phone(text) is
  'The contact of the key''s company that a phone belongs to, in any of its spellings; null when there is none.';
grant execute on function public.contact_id_by_phone(text) to api_client;
