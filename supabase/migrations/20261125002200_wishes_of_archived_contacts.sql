-- Who does not want to be contacted is not contacted, also after the contact was archived: whichever contact has the
-- phone or the id next inherits the wish, with its source and its time. So does a contact that takes the phone by a
-- change, and one that is restored while the newest wish is another's. Claims and callers read the wish where it
-- always is.
--
-- A wish is a decision of its time. The company that has the person's word for it takes it back at the contact that
-- has the phone now, as ever.

create function app.wishes_of_archived(own_company_id uuid, by_phone text, by_user_id text, but_not_of uuid)
returns public.contacts
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  others public.contacts[];
  wishes public.contacts;
begin
  others := array(
    select contacts from public.contacts
    where company_id = own_company_id and archived_at is not null and id <> but_not_of and id in (
      select id from public.contacts
      where company_id = own_company_id and archived_phone_key = app.phone_key(by_phone)
      union all
      -- Former ones are other people's by now.
      select contact_id from public.contact_former_phones
      where company_id = own_company_id and archived_phone_key = app.phone_key(by_phone) and until = 'infinity'
      union all
      select contact_id from public.contact_identities
      where company_id = own_company_id and archived_user_id = by_user_id
    )
  );
  -- Nearly always.
  if others = '{}' then
    return null;
  end if;
  select do_not_contact, do_not_contact_source, do_not_contact_at
  into wishes.do_not_contact, wishes.do_not_contact_source, wishes.do_not_contact_at
  from unnest(others)
  -- Of contacts from before times were kept, nobody knows when; those are older.
  order by do_not_contact_at desc nulls last, do_not_contact desc limit 1;
  select max(stop_word_at), max(start_word_at), max(marketing_resumed_at)
  into wishes.stop_word_at, wishes.start_word_at, wishes.marketing_resumed_at from unnest(others);
  select marketing_stopped_at, marketing_stop_source into wishes.marketing_stopped_at, wishes.marketing_stop_source
  from unnest(others) where marketing_stopped_at is not null
  order by marketing_stopped_at desc, marketing_stop_source limit 1;
  return wishes;
end
$$;
comment on function app.wishes_of_archived(uuid, text, text, uuid) is
  'The newest wishes of the archived contacts that had a phone or an id of the channel, in the columns of a '
  'contact; nulls when there are none.';

create function app.with_inherited_wishes(contact public.contacts, by_user_id text, is_new boolean)
returns public.contacts
language plpgsql
set search_path = ''
as $$
declare
  wishes constant public.contacts :=
    app.wishes_of_archived(contact.company_id, contact.phone, by_user_id, contact.id);
begin
  if wishes.do_not_contact and not contact.do_not_contact
    -- What was said of another phone counts for that one.
    and (is_new or contact.do_not_contact_at is null or wishes.do_not_contact_at > contact.do_not_contact_at)
  then
    contact.do_not_contact := true;
    contact.do_not_contact_source := wishes.do_not_contact_source;
    contact.do_not_contact_at := wishes.do_not_contact_at;
    contact.stop_word_at := greatest(contact.stop_word_at, wishes.stop_word_at);
    contact.start_word_at := greatest(contact.start_word_at, wishes.start_word_at);
  end if;
  if wishes.marketing_stopped_at > coalesce(contact.marketing_stopped_at, '-infinity') then
    contact.marketing_stopped_at := wishes.marketing_stopped_at;
    contact.marketing_stop_source := wishes.marketing_stop_source;
  end if;
  contact.marketing_resumed_at := greatest(contact.marketing_resumed_at, wishes.marketing_resumed_at);
  return contact;
end
$$;
comment on function app.with_inherited_wishes(public.contacts, text, boolean) is
  'A contact with the wishes that it inherits of archived ones that had its phone, or this id. is_new: it has the '
  'phone only now. Otherwise a decision of its own that is newer counts.';

create function app.pass_on_wishes(contact public.contacts, by_user_id text, is_new boolean) returns void
language plpgsql
set search_path = ''
as $$
declare
  inherited constant public.contacts := app.with_inherited_wishes(contact, by_user_id, is_new);
begin
  if inherited is distinct from contact then
    update public.contacts set
      do_not_contact = inherited.do_not_contact,
      do_not_contact_source = inherited.do_not_contact_source,
      do_not_contact_at = inherited.do_not_contact_at,
      stop_word_at = inherited.stop_word_at,
      start_word_at = inherited.start_word_at,
      marketing_stopped_at = inherited.marketing_stopped_at,
      marketing_stop_source = inherited.marketing_stop_source,
      marketing_resumed_at = inherited.marketing_resumed_at
    where company_id = contact.company_id and id = contact.id;
  end if;
end
$$;
comment on function app.pass_on_wishes(public.contacts, text, boolean) is
  'Writes the wishes that a contact inherits, as app.with_inherited_wishes() says, when there are any.';

create function app.inherit_wishes_of_added() returns trigger
-- Security definer, here and below, because nobody who writes a contact may read archived ones, or what a person said
-- by a word.
language plpgsql security definer
set search_path = ''
as $$
declare
  contact public.contacts;
begin
  -- After the rows: whoever archived the other contact may have committed only while these waited for its phone.
  for contact in
    select contacts.*
    from added
    -- One look into each index, however many rows are added.
    cross join lateral (
      (
        select from public.contacts as archived
        where archived.company_id = added.company_id and archived.archived_phone_key = added.phone_key
        limit 1
      )
      union all
      (
        select from public.contact_former_phones as former
        where former.company_id = added.company_id and former.archived_phone_key = added.phone_key
        limit 1
      )
      limit 1
    ) as known
    join public.contacts on contacts.id = added.id
  loop
    perform app.pass_on_wishes(contact, null, true);
  end loop;
  return null;
end
$$;
comment on function app.inherit_wishes_of_added() is
  'Trigger: new contacts inherit the wishes of archived ones that had their phone. Who answers them reads them again.';
create trigger contacts_inherit_wishes_when_added after insert on public.contacts
  referencing new table as added for each statement execute function app.inherit_wishes_of_added();

create function app.inherit_wishes() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  is_new constant boolean := app.phone_key(new.phone) is distinct from app.phone_key(old.phone);
begin
  if not is_new and old.archived_at is null then
    return new;
  elsif tg_when = 'BEFORE' then
    return app.with_inherited_wishes(new, null, is_new);
  end if;
  perform app.pass_on_wishes(new, null, is_new);
  return null;
end
$$;
comment on function app.inherit_wishes() is
  'Trigger, for a contact that gets another phone, or is no longer archived: it inherits the wishes of archived ones.';
create trigger contacts_inherit_wishes before update of phone, archived_at on public.contacts
  for each row when (
    new.archived_at is null and new.phone is not null
    and (old.archived_at is not null or new.phone is distinct from old.phone)
  )
  execute function app.inherit_wishes();
-- Again, for the same reason as above.
create trigger contacts_inherit_late_wishes after update of phone, archived_at on public.contacts
  for each row when (
    new.archived_at is null and new.phone is not null
    and (old.archived_at is not null or new.phone is distinct from old.phone)
  )
  execute function app.inherit_wishes();

create function app.inherit_wishes_by_user_id() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  contact public.contacts;
begin
  select * into contact from public.contacts
  where company_id = new.company_id and id = new.contact_id and archived_at is null;
  if found then
    perform app.pass_on_wishes(contact, new.user_id, false);
  end if;
  return null;
end
$$;
comment on function app.inherit_wishes_by_user_id() is
  'Trigger: a contact of whom an id is learned inherits the wishes of archived contacts that had this id.';
create trigger contact_identities_inherit_wishes after insert on public.contact_identities
  for each row when (new.user_id is not null) execute function app.inherit_wishes_by_user_id();

create function app.pass_on_late_wishes() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  contact public.contacts;
begin
  select * into contact from public.contacts
  where company_id = new.company_id and phone_key = new.archived_phone_key;
  if found then
    perform app.pass_on_wishes(contact, null, false);
  end if;
  return null;
end
$$;
comment on function app.pass_on_late_wishes() is
  'Trigger: what is reported late of a message to an archived contact, such as an opt-out of marketing, holds for '
  'the contact that has the phone now.';
create trigger contacts_pass_on_late_wishes
  after update of do_not_contact, do_not_contact_at, marketing_stopped_at, marketing_resumed_at on public.contacts
  for each row when (old.archived_at is not null and new.archived_at is not null)
  execute function app.pass_on_late_wishes();
