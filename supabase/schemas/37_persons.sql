-- Functions that find the contact of a message's sender by phone number or business-scoped user id. The phone number
-- and the user id each identify one person, and an event may lack one of these values. Events may arrive in any order,
-- so the result must not depend on the order.

create table public.user_id_changes (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  was text not null check (char_length(was) between 1 and 255),
  becomes text not null check (char_length(becomes) between 1 and 255),
  phone text check (phone ~ '^\+[1-9][0-9]{6,14}$'),
  phone_key text generated always as (app.phone_key(phone)) stored,
  happened_at timestamptz not null,
  constraint user_id_changes_once unique (company_id, was, becomes)
);
comment on table public.user_id_changes is
  'Changes of user ids that WhatsApp reported before the company knew either id. A later message from either id, or '
  'from the phone number, is from the same person.';

create index user_id_changes_becomes_idx on public.user_id_changes (company_id, becomes);
create index user_id_changes_phone_idx on public.user_id_changes (company_id, phone_key);

create function app.one_person(own_company_id uuid, one uuid, another uuid) returns uuid
language plpgsql
set search_path = ''
as $$
declare
  are_there constant boolean := app.lock_both(own_company_id, one, another);
  survivor uuid;
begin
  select id into survivor from public.contacts
  where company_id = own_company_id and id in (one, another)
  order by archived_at is not null, phone is null, created_at, id limit 1;
  if are_there then
    perform app.merge_contacts(own_company_id, survivor, case survivor when one then another else one end);
  end if;
  return survivor;
end
$$;
comment on function app.one_person(uuid, uuid, uuid) is
  'Merges two contacts and returns the survivor. If only one of the contacts has a phone number, that contact '
  'survives. In all other cases, the older contact survives. If one of the contacts is archived, merges nothing and '
  'returns the other contact.';

create function app.learn_user_id(
  own_company_id uuid, of_contact_id uuid, new_user_id text, at_business_account_id text, at timestamptz
) returns uuid
language plpgsql
set search_path = ''
as $$
declare
  learned_by uuid := of_contact_id;
  owner uuid;
  change record;
begin
  insert into public.contact_identities as known (company_id, contact_id, user_id, business_account_id, seen_at)
  values (own_company_id, of_contact_id, new_user_id, at_business_account_id, at)
  on conflict on constraint contact_identities_once do update set
    seen_at = least(known.seen_at, excluded.seen_at)
  returning contact_id into owner;
  if owner <> of_contact_id then
    if not app.has_taken_phone(own_company_id, of_contact_id, (
      select phone from public.contacts where company_id = own_company_id and id = owner
    )) then
      return app.one_person(own_company_id, of_contact_id, owner);
    end if;
    -- The person wrote with this id from a new phone number that is stored for another contact, so that contact got the
    -- id. The id now moves to the person's own contact.
    update public.contact_identities set contact_id = of_contact_id
    where company_id = own_company_id and user_id = new_user_id;
    perform app.keep_wishes(own_company_id, array[new_user_id], app.wishes_of(contacts)) from public.contacts
    where company_id = own_company_id and id = owner;
    perform app.pass_on_wishes(contacts, false, new_user_id) from public.contacts
    where company_id = own_company_id and id = of_contact_id;
    -- The other contact may have no user id now. The other contact still has the phone number, so has_identity can be
    -- false.
    update public.contacts set has_identity = false
    where company_id = own_company_id and id = owner and phone is not null and not exists (
      select from public.contact_identities where company_id = own_company_id and contact_id = owner
    );
  end if;
  update public.contacts set has_identity = true
  where company_id = own_company_id and id = of_contact_id and not has_identity;

  for change in
    delete from public.user_id_changes
    where company_id = own_company_id and new_user_id in (was, becomes)
    returning was, becomes, happened_at
  loop
    learned_by := app.learn_user_id(
      own_company_id, learned_by,
      case new_user_id when change.was then change.becomes else change.was end,
      at_business_account_id, change.happened_at
    );
    insert into public.contact_identity_events (company_id, contact_id, kind, was, becomes, happened_at)
    values (own_company_id, learned_by, 'user_id_changed', change.was, change.becomes, change.happened_at)
    on conflict on constraint contact_identity_events_once do nothing;
  end loop;
  return learned_by;
end
$$;
comment on function app.learn_user_id(uuid, uuid, text, text, timestamptz) is
  'Records that a contact has a user id. If another contact already has this id, merges the two contacts. If '
  'app.has_taken_phone() shows that the contacts are different people, moves the id and does not merge. Returns the '
  'contact that then has the id.';

create function app.known_person(own_company_id uuid, person jsonb, at timestamptz) returns uuid
language plpgsql stable
set search_path = ''
as $$
begin
  return coalesce(
    (
      select contact_id from public.contact_identities
      where company_id = own_company_id and user_id = person ->> 'user_id'
    ),
    app.owner_of_phone(own_company_id, person ->> 'phone', at)
  );
end
$$;
comment on function app.known_person(uuid, jsonb, timestamptz) is
  'Returns the contact of a person { phone, user_id } who wrote at the given time, or null when no such contact '
  'exists. Changes nothing.';

create function app.find_person(account_id uuid, person jsonb, at timestamptz) returns uuid
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id uuid;
  own_business_account_id text;
  said_at constant timestamptz := least(coalesce(find_person.at, now()), now());
  their_phone constant text := substring(person ->> 'phone' from '^\+[1-9][0-9]{6,14}$');
  their_user_id constant text := nullif(left(person ->> 'user_id', 255), '');
  their_name constant text := nullif(btrim(left(person ->> 'name', 255)), '');
  by_user_id record;
  by_phone uuid;
  contact public.contacts;
  is_new boolean;
  takes_phone boolean;
  takes_name boolean;
  learns_user_id boolean;
  told_user_id text;
  told_at timestamptz;
begin
  select company_id, business_account_id into own_company_id, own_business_account_id
  from public.messaging_accounts where id = account_id;
  if own_company_id is null or coalesce(their_phone, their_user_id) is null then
    return null;
  end if;

  for tries in 1..10 loop
    select contact_id, seen_at into by_user_id from public.contact_identities
    where company_id = own_company_id and user_id = their_user_id;
    by_phone := app.owner_of_phone(own_company_id, their_phone, said_at);
    if (by_user_id.contact_id <> by_phone) is true
      and not app.has_taken_phone(own_company_id, by_user_id.contact_id, their_phone)
    then
      if app.lock_both(own_company_id, by_phone, by_user_id.contact_id) then
        -- The contact with the phone number survives, because the company works with that contact.
        perform app.merge_contacts(own_company_id, by_phone, by_user_id.contact_id);
      end if;
      continue;
    end if;

    -- The person may use this phone number in addition to the stored phone number. A transaction that adds contacts
    -- acquires this lock before it locks a row.
    if by_phone is null and by_user_id.contact_id is not null and their_phone is not null then
      perform app.lock_further_phones(own_company_id);
    end if;
    -- This statement waits for a transaction that merges, archives or deletes the contact.
    select * into contact from public.contacts
    where company_id = own_company_id and id = coalesce(by_user_id.contact_id, by_phone) and archived_at is null
    for no key update;
    if contact.id is null and coalesce(by_user_id.contact_id, by_phone) is not null then
      continue;
    end if;
    -- During the wait, the contact's phone number may have changed.
    continue when by_phone = contact.id and contact.phone_key is distinct from app.phone_key(their_phone)
      and app.owner_of_phone(own_company_id, their_phone, said_at) is distinct from by_phone;
    if by_phone is null and contact.phone is not null and their_phone is not null then
      -- The person uses this phone number in addition to the stored phone number. A transaction that adds a contact
      -- with this number either waits for the lock above or has already ended. This check finds a contact that was
      -- added.
      continue when app.owner_of_phone(own_company_id, their_phone, said_at) is not null;
      insert into public.contact_former_phones (company_id, contact_id, phone, until)
      values (own_company_id, contact.id, their_phone, 'infinity')
      on conflict on constraint contact_former_phones_once do update set until = excluded.until;
      perform app.pass_on_wishes(contact, false, app.phone_key(their_phone));
    elsif by_phone <> contact.id then
      perform app.share_wishes(own_company_id, contact.id, their_phone, said_at);
    end if;

    is_new := contact.id is null;
    takes_phone := contact.phone is null and by_phone is null and their_phone is not null;
    -- The contact gets the earliest profile name, whatever the order of the messages. A profile name never replaces a
    -- name that the company set.
    takes_name := their_name is not null and (
      contact.name is null
      or (said_at, their_name collate "C") < (contact.profile_name_at, contact.name collate "C")
    );
    learns_user_id := their_user_id is not null
      and (by_user_id.contact_id is null or said_at < by_user_id.seen_at);
    if not is_new and not takes_phone and not coalesce(takes_name, false) and not learns_user_id then
      return contact.id;
    end if;

    begin
      if is_new then
        insert into public.contacts (company_id, phone, name, profile_name_at, source, has_identity)
        values (
          own_company_id, their_phone, their_name, case when takes_name then said_at end, 'whatsapp',
          their_user_id is not null
        )
        returning * into contact;
      elsif takes_phone or takes_name then
        update public.contacts set
          phone = case when takes_phone then their_phone else phone end,
          name = case when takes_name then their_name else name end,
          profile_name_at = case when takes_name then said_at else profile_name_at end
        where company_id = own_company_id and id = contact.id;
        if takes_phone then
          perform app.require_no_further_phone(own_company_id, contact.id, app.phone_key(their_phone));
        end if;
      end if;
      if is_new and learns_user_id then
        -- If the person has no phone number, only this row prevents two transactions from adding two contacts.
        insert into public.contact_identities (company_id, contact_id, user_id, business_account_id, seen_at)
        values (own_company_id, contact.id, their_user_id, own_business_account_id, said_at);
      end if;
      if learns_user_id then
        contact.id := app.learn_user_id(
          own_company_id, contact.id, their_user_id, own_business_account_id, said_at
        );
      end if;
      if is_new or takes_phone then
        for told_user_id, told_at in
          select was, happened_at from public.user_id_changes
          where company_id = own_company_id and phone_key = app.phone_key(their_phone)
        loop
          contact.id := app.learn_user_id(
            own_company_id, contact.id, told_user_id, own_business_account_id, told_at
          );
        end loop;
      end if;
      return contact.id;
    exception when unique_violation then
      -- Another transaction added the contact first. The next iteration finds that contact.
      null;
    end;
  end loop;
  raise exception 'no contact of the person was found or added';
end
$$;
comment on function app.find_person(uuid, jsonb, timestamptz) is
  'Finds or adds the contact of a person { phone, user_id, name } who wrote to an account at a given time. Returns '
  'null for an unknown account, and for a person with neither a valid phone number nor an id. Stores the user id. '
  'Stores the phone number if the contact has none, and the earliest profile name if the company set no name. If the '
  'contact already has a different phone number, the new number becomes an additional number. Two contacts that turn '
  'out to be the same person are merged. If several calls run at the same time, only one adds the contact.';

alter table public.user_id_changes enable row level security;
create policy "the platform reads changes of unknown ids" on public.user_id_changes
  for select to service_role using (true);

grant select on public.user_id_changes to service_role;
