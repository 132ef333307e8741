-- A send to the phone of an archived contact, and a message from it, make a fresh contact. The lookups find no
-- archived contact by themselves; here is what happens when it is archived between being found and being locked.

create or replace function app.find_or_add_contact(
  own_company_id uuid,
  by_phone text,
  new_name text,
  out id uuid,
  out do_not_contact boolean
)
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
begin
  loop
    -- The lock waits for a change of the contact that is under way, and prevents others until the claim ends.
    select contacts.id, contacts.do_not_contact
    into find_or_add_contact.id, find_or_add_contact.do_not_contact
    from public.contacts
    where company_id = own_company_id and phone_key = app.phone_key(by_phone)
    for share;
    exit when found;
    select contacts.id, contacts.do_not_contact
    into find_or_add_contact.id, find_or_add_contact.do_not_contact
    from public.contacts
    where company_id = own_company_id and archived_at is null and contacts.id = (
      select contact_id from public.contact_former_phones
      where company_id = own_company_id and phone_key = app.phone_key(by_phone) and until = 'infinity'
      order by contact_id limit 1
    )
    for share;
    exit when found;
    -- It is read again then: the wishes that it inherits may have been written after it.
    insert into public.contacts (company_id, phone, name)
    values (own_company_id, by_phone, new_name)
    on conflict (company_id, phone_key) do nothing;
  end loop;
end
$$;

create function app.lock_both(own_company_id uuid, one uuid, another uuid) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  locked integer;
begin
  perform from public.contacts
  where company_id = own_company_id and id in (one, another) and archived_at is null
  order by id for update;
  get diagnostics locked = row_count;
  return locked = 2;
end
$$;
comment on function app.lock_both(uuid, uuid, uuid) is
  'Locks two contacts, and says whether both are there and neither is archived: only then are they merged.';

create or replace function app.one_person(own_company_id uuid, one uuid, another uuid) returns uuid
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
  'Merges two contacts, and returns the one that stays: the one with a phone, else the older one. Of an archived '
  'one and another, it returns the other, and merges nothing.';

create or replace function app.find_person(account_id uuid, person jsonb, at timestamptz) returns uuid
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
        -- The phone's contact survives: it is the one that the company works with.
        perform app.merge_contacts(own_company_id, by_phone, by_user_id.contact_id);
      end if;
      continue;
    end if;

    -- The lock waits for whoever merges, archives or deletes the contact.
    select * into contact from public.contacts
    where company_id = own_company_id and id = coalesce(by_user_id.contact_id, by_phone) and archived_at is null
    for no key update;
    if contact.id is null and coalesce(by_user_id.contact_id, by_phone) is not null then
      continue;
    end if;

    is_new := contact.id is null;
    takes_phone := contact.phone is null and by_phone is null and their_phone is not null;
    -- The earliest profile name, in whatever order messages come. Never in place of a name that the company gave.
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
      end if;
      if is_new and learns_user_id then
        -- Without a phone, this alone keeps two transactions from making two contacts.
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
      -- Another transaction was first. What it wrote is found now.
      null;
    end;
  end loop;
  raise exception 'a person is neither found nor made';
end
$$;

create or replace function app.learn_recipient(
  own_company_id uuid, of_message_id uuid, new_user_id text, at_business_account_id text, at timestamptz
) returns void
language plpgsql
set search_path = ''
as $$
declare
  recipient_id uuid;
begin
  -- Of a contact without a phone, the recipient may be the rest: that person hides the phone.
  if exists (
    select from public.contact_identities as known
    join public.contacts on contacts.company_id = known.company_id and contacts.id = known.contact_id
    where known.company_id = own_company_id and known.user_id = new_user_id and contacts.phone is not null
  ) then
    return;
  end if;
  select contacts.id into recipient_id
  from public.messages
  join public.conversations on conversations.company_id = messages.company_id
    and conversations.id = messages.conversation_id
  join public.contacts on contacts.company_id = conversations.company_id and contacts.id = conversations.contact_id
  where messages.company_id = own_company_id and messages.id = of_message_id
    -- Whoever answers is a contact of their own then.
    and contacts.archived_at is null
  for no key update of contacts;
  if found then
    perform app.learn_user_id(
      own_company_id, recipient_id, new_user_id, substring(at_business_account_id from '^[0-9]{1,32}$'), at
    );
  end if;
end
$$;

create or replace function app.target_of(
  account_id uuid, item jsonb, out message public.messages, out is_theirs boolean,
  out is_nobodys boolean
)
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id uuid;
  done_at constant timestamptz := least(coalesce((item ->> 'at')::timestamptz, now()), now());
  person_id uuid;
begin
  select company_id into own_company_id from public.messaging_accounts where id = account_id;
  select * into message from public.messages
  where company_id = own_company_id and whatsapp_message_id = item ->> 'target'
  for no key update;
  -- It makes no contact, yet it tells that an id and a phone are one person's.
  if message.id is not null and app.known_person(own_company_id, item -> 'person', done_at) is not null then
    person_id := app.find_person(account_id, item -> 'person', done_at);
  end if;
  select messaging_account_id = account_id and contact_id = person_id,
    messaging_account_id = account_id and person_id is null
  into is_theirs, is_nobodys from public.conversations
  where company_id = own_company_id and id = message.conversation_id;
  -- What they wrote to a contact that is archived by now is still theirs.
  if is_theirs is not true then
    select contacts.archived_phone_key = app.phone_key(item #>> '{person,phone}') or exists (
      select from public.contact_identities
      where company_id = own_company_id and contact_id = contacts.id
        and archived_user_id = item #>> '{person,user_id}'
    ) into is_theirs
    from public.conversations
    join public.contacts on contacts.company_id = conversations.company_id and contacts.id = conversations.contact_id
    where conversations.company_id = own_company_id and conversations.id = message.conversation_id
      and conversations.messaging_account_id = account_id and contacts.archived_at is not null;
  end if;
  is_theirs := coalesce(is_theirs, false);
end
$$;
