-- The phone numbers and ids that identify a contact: its current phone number, its earlier phone numbers, and the
-- person's WhatsApp user ids. A contact may also have additional phone numbers, for example after a merge.

create table public.contact_former_phones (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  contact_id uuid not null,
  phone text not null check (phone ~ '^\+[1-9][0-9]{6,14}$'),
  phone_key text generated always as (case when not is_archived then app.phone_key(phone) end) stored,
  -- The phone number belonged to the contact until this time. A phone number may later belong to another person.
  until timestamptz not null,
  is_archived boolean not null default false,
  archived_phone_key text generated always as (case when is_archived then app.phone_key(phone) end) stored,
  constraint contact_former_phones_once unique (company_id, contact_id, phone_key),
  constraint contact_former_phones_contact_fkey foreign key (company_id, contact_id)
    references public.contacts (company_id, id) on delete cascade
);
comment on table public.contact_former_phones is
  'The earlier and the additional phone numbers of a contact. An additional phone number is a number that the person '
  'uses besides the contact''s main number. The column `until` of an additional phone number is infinity. A message '
  'that the person sent from an earlier phone number still belongs to the contact.';
comment on column public.contact_former_phones.is_archived is
  'Whether the contact is archived. Lookups by phone number do not find an archived contact.';

create table public.contact_identities (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  contact_id uuid not null,
  -- The business-scoped user id of the person, which is the same for all accounts of a business portfolio.
  user_id text check (char_length(user_id) between 1 and 255),
  -- The business account that first received a message with this id.
  business_account_id text check (business_account_id ~ '^[0-9]{1,32}$'),
  seen_at timestamptz not null default now(),
  -- The user id of an archived contact.
  archived_user_id text,
  constraint contact_identities_once unique (company_id, user_id),
  constraint contact_identities_contact_fkey foreign key (company_id, contact_id)
    references public.contacts (company_id, id) on delete cascade,
  constraint contact_identities_kept check ((user_id is null) <> (archived_user_id is null))
);
comment on table public.contact_identities is
  'The ids that WhatsApp assigns to the people who message a company. A person with a new phone number gets another '
  'id.';
comment on column public.contact_identities.user_id is
  'The business-scoped user id by which the contact is found. Null when the contact is archived.';
comment on column public.contact_identities.archived_user_id is
  'The user_id that an archived contact had. When the contact is restored, it gets this user_id back, unless another '
  'contact has the same user_id by then.';

create table public.contact_identity_events (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  contact_id uuid not null,
  -- The kind `merged` means that another contact turned out to be the same person. The column `was` contains that
  -- contact's id. The kind `phone_taken` means that another contact has the new phone number, so the change is recorded
  -- but not applied.
  kind text not null check (kind in ('phone_changed', 'phone_taken', 'user_id_changed', 'merged')),
  was text,
  becomes text,
  happened_at timestamptz not null,
  constraint contact_identity_events_once unique nulls not distinct (company_id, contact_id, kind, was, becomes),
  constraint contact_identity_events_contact_fkey foreign key (company_id, contact_id)
    references public.contacts (company_id, id) on delete cascade
);
comment on table public.contact_identity_events is
  'The changes to the phone number and the ids of a contact, as reported by WhatsApp. Also records which contacts '
  'turned out to be the same person.';

-- This statistic makes the planner assume that all rows belong to one company. 30_contacts.sql explains why.
alter table public.contact_former_phones alter column company_id set (n_distinct = 1);
alter table public.contact_identities alter column company_id set (n_distinct = 1);
alter table public.contact_identity_events alter column company_id set (n_distinct = 1);

create index contact_identities_contact_idx on public.contact_identities (company_id, contact_id);
create index contact_former_phones_phone_idx on public.contact_former_phones (company_id, phone_key);
create index contact_former_phones_archived_idx on public.contact_former_phones (company_id, archived_phone_key)
  where archived_phone_key is not null;
create index contact_identities_archived_idx on public.contact_identities (company_id, archived_user_id)
  where archived_user_id is not null;

create function app.contacts_of_phones(own_company_id uuid, phones text[]) returns uuid[]
language plpgsql stable
set search_path = ''
as $$
begin
  return array(
    -- Each phone number has its own subquery, because the plan of a join may read all rows of the company.
    select coalesce(
      (select id from public.contacts where company_id = own_company_id and phone_key = app.phone_key(given.phone)),
      -- An additional phone number, which comes from a merged contact.
      (
        select contact_id from public.contact_former_phones
        where company_id = own_company_id and phone_key = app.phone_key(given.phone) and until = 'infinity'
        order by contact_id limit 1
      )
    )
    from unnest(phones) with ordinality as given (phone, place)
    order by place
  );
end
$$;
comment on function app.contacts_of_phones(uuid, text[]) is
  'Returns the contact for each phone number. A phone number may have any format, and may be an additional number of '
  'the contact. Returns null for a phone number without a contact.';

create function public.contact_id_by_phone(phone text) returns uuid
language sql stable security definer
set search_path = ''
as $$
  select (app.contacts_of_phones((select app.company_id('write')), array[contact_id_by_phone.phone]))[1]
$$;
comment on function public.contact_id_by_phone(text) is
  'Returns the contact of the key''s company that has this phone number. The phone number may have any format, and may '
  'be an additional number of the contact. Returns null when no contact has this phone number. Needs a write token.';
grant execute on function public.contact_id_by_phone(text) to api_client;

create function app.contacts_of_external_ids(own_company_id uuid, external_ids text[]) returns uuid[]
language plpgsql stable
set search_path = ''
as $$
begin
  return array(
    -- Each id has its own subquery, for the reason given in app.contacts_of_phones().
    select (
      select id from public.contacts
      where company_id = own_company_id and external_id = given.own_id and archived_at is null
    )
    from unnest(external_ids) with ordinality as given (own_id, place)
    order by place
  );
end
$$;
comment on function app.contacts_of_external_ids(uuid, text[]) is
  'Returns the contact for each external_id. Returns null for an external_id that no contact has, or that only '
  'archived contacts have.';

create function app.contacts_of_items(own_company_id uuid, items jsonb[], match text) returns uuid[]
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select case match
      when 'phone' then app.contacts_of_phones(own_company_id, keys)
      else app.contacts_of_external_ids(own_company_id, keys)
    end
    from (
      select array(select item ->> match from unnest(items) with ordinality as given (item, place) order by place)
    ) as asked (keys)
  );
end
$$;
comment on function app.contacts_of_items(uuid, jsonb[], text) is
  'Returns the contact for each item. The argument `match` is the field by which contacts are found: phone or '
  'external_id.';

create function public.contact_id_by_external_id(external_id text) returns uuid
language sql stable security definer
set search_path = ''
as $$
  select (app.contacts_of_external_ids(
    (select app.company_id('write')), array[contact_id_by_external_id.external_id]
  ))[1]
$$;
comment on function public.contact_id_by_external_id(text) is
  'Returns the contact of the key''s company that has this external_id and is not archived. Returns null when no such '
  'contact exists. Needs a write token.';
grant execute on function public.contact_id_by_external_id(text) to api_client;

-- If a caller searches for a merged contact's phone number, this function finds the surviving contact.
create function public.contacts_of_further_phones(phone_keys text[], with_archived boolean default false) returns uuid[]
-- Security definer, because no API key may read the phone keys of additional phone numbers. The policies do not apply
-- to this function, so the function itself limits the rows to the key's company.
language plpgsql stable security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('read');
begin
  return array(
    select contact_id from public.contact_former_phones
    where company_id = own_company_id and until = 'infinity' and phone_key = any (phone_keys)
    union
    select contact_id from public.contact_former_phones
    where with_archived and company_id = own_company_id and until = 'infinity'
      and archived_phone_key = any (phone_keys)
    order by contact_id
    limit 100
  );
end
$$;
comment on function public.contacts_of_further_phones(text[], boolean) is
  'Returns the contacts of the key''s company that have one of these phone numbers as an additional number, because '
  'another contact was merged into them. Needs a read token. Raises PT401 and PT403 as app.company_id() does.';
grant execute on function public.contacts_of_further_phones(text[], boolean) to api_client;

-- An additional phone number belongs to its contact, and callers cannot give the number to another contact. Otherwise,
-- the other contact would not have the person's wishes (32_wishes.sql), and the company could contact a person who
-- asked not to be contacted.
create function app.require_no_further_phone(of_company_id uuid, of_contact_id uuid, key text) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform app.await_further_phones(of_company_id);
  if exists (
    select from public.contact_former_phones
    where company_id = of_company_id and phone_key = key and until = 'infinity' and contact_id <> of_contact_id
  ) then
    raise unique_violation using
      message = 'duplicate key value violates unique constraint "contacts_one_per_phone"',
      detail = 'The phone is an additional phone of another contact.',
      constraint = 'contacts_one_per_phone';
  end if;
end
$$;
comment on function app.require_no_further_phone(uuid, uuid, text) is
  'Raises a violation of contacts_one_per_phone if a phone key belongs to an additional phone number of another '
  'contact. The caller has already written the contact''s own phone number. In the opposite order, a deadlock with a '
  'restore could occur.';

create function app.refuse_further_phone() returns trigger
-- Security definer, because a key or a user who writes a contact cannot read the additional phone numbers of other
-- contacts.
language plpgsql security definer
set search_path = ''
as $$
begin
  perform app.require_no_further_phone(new.company_id, new.id, new.phone_key);
  return null;
end
$$;
comment on function app.refuse_further_phone() is
  'Trigger: prevents keys and users from giving a contact another contact''s additional phone number. Also prevents '
  'the restore of a contact whose phone number is now another contact''s additional number. Events from WhatsApp may '
  'give an additional number to another contact, because WhatsApp knows who has the number.';

-- A restored contact gets its additional phone numbers back, except numbers that another contact has by then. A new
-- contact cannot have another contact's additional number. The checks of these two rules see only committed rows. So a
-- transaction that adds a contact waits while another transaction restores a contact with additional phone numbers, or
-- merges contacts. The transaction also waits while app.find_person() or app.change_phone() adds an additional phone
-- number. These waits are rare. Transactions that add contacts do not wait for each other.
create function app.await_further_phones(of_company_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended(format('further phones %s', of_company_id), 0));
end
$$;
comment on function app.await_further_phones(uuid) is
  'Waits for transactions that called app.lock_further_phones() for the company. Until this transaction ends, new '
  'calls of app.lock_further_phones() wait. A query after this call finds the additional phone numbers that those '
  'transactions added or restored.';

create function app.lock_further_phones(of_company_id uuid) returns void
language sql
set search_path = ''
as $$
  select pg_advisory_xact_lock(hashtextextended(format('further phones %s', of_company_id), 0))
$$;
comment on function app.lock_further_phones(uuid) is
  'Waits for transactions that are adding contacts to a company. Until this transaction ends, other transactions that '
  'add contacts wait. A restore, a merge, app.find_person() and app.change_phone() call this function before they give '
  'a contact additional phone numbers.';

create function app.owner_of_phone(own_company_id uuid, phone text, at timestamptz) returns uuid
language plpgsql stable
set search_path = ''
as $$
begin
  return coalesce(
    -- The query finds the contact that had the phone number at that time. If several contacts lost the number after
    -- that time, the query returns the contact that lost the number first.
    (
      select contact_id from public.contact_former_phones
      where company_id = own_company_id and phone_key = app.phone_key(owner_of_phone.phone)
        and until >= at and until < 'infinity'
      order by until, contact_id limit 1
    ),
    (
      select id from public.contacts
      where company_id = own_company_id and phone_key = app.phone_key(owner_of_phone.phone)
    ),
    -- The phone number may be an additional number of a merged contact.
    (
      select contact_id from public.contact_former_phones
      where company_id = own_company_id and phone_key = app.phone_key(owner_of_phone.phone) and until = 'infinity'
      order by contact_id limit 1
    )
  );
end
$$;
comment on function app.owner_of_phone(uuid, text, timestamptz) is
  'Returns the contact that had this phone number at a given time. Returns null when no contact had the number. A '
  'phone number may later belong to another person.';

create function app.has_taken_phone(own_company_id uuid, of_contact_id uuid, phone text) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return exists (
    select from public.contact_identity_events
    where company_id = own_company_id and contact_id = of_contact_id and kind = 'phone_taken'
      and app.phone_key(becomes) = app.phone_key(has_taken_phone.phone)
  );
end
$$;
comment on function app.has_taken_phone(uuid, uuid, text) is
  'Checks whether WhatsApp reported that a contact now has this phone number, although the number is stored for '
  'another contact. If so, the two contacts are different people.';

-- This trigger runs after the row is written, because the statement may have waited for a merge that gave the phone
-- number to another contact.
create trigger contacts_refuse_further_phone after update of phone on public.contacts
  for each row when (current_user in ('api_client', 'authenticated') and new.phone_key <> old.phone_key)
  execute function app.refuse_further_phone();
create trigger contacts_refuse_further_phone_when_added after insert on public.contacts
  for each row when (current_user in ('api_client', 'authenticated') and new.phone_key is not null)
  execute function app.refuse_further_phone();

-- A restored contact must not get another contact's additional phone number. Otherwise, the restored contact would not
-- have the person's wishes. Users restore contacts directly, so only this trigger checks the number. For keys,
-- app.unarchive_contact() checks the number first, but a merge may give the number to the other contact after that
-- check.
--
-- This trigger runs after the row is written, because the statement may have waited for a merge that gave the phone
-- number to another contact. Unlike the two triggers above, this trigger runs for every role, because
-- app.unarchive_contact() runs as the owner of the functions. After a refusal, app.unarchive_contact() searches again
-- and finds the other contact.
create trigger contacts_refuse_further_phone_when_restored after update of archived_at on public.contacts
  for each row when (old.archived_at is not null and new.phone_key is not null)
  execute function app.refuse_further_phone();

alter table public.contact_identities enable row level security;
alter table public.contact_former_phones enable row level security;
alter table public.contact_identity_events enable row level security;
create policy "people read who their company's contacts are" on public.contact_identities
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "people read former phones of their company's contacts" on public.contact_former_phones
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "people read changes of phones and ids of their contacts" on public.contact_identity_events
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));

grant select on public.contact_identities to authenticated, service_role;
grant select on public.contact_former_phones to authenticated, service_role;
grant select on public.contact_identity_events to authenticated, service_role;
