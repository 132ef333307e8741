-- A contact inherits wishes from archived contacts that had the same phone number or the same id. The contact also
-- inherits wishes from the table app.kept_wishes.

create function app.inherited_wishes(own_company_id uuid, names text[], but_not_of uuid) returns public.contacts
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  wishes public.contacts;
begin
  with others as materialized (
    select
      do_not_contact, do_not_contact_source, do_not_contact_at, stop_word_at, start_word_at, marketing_stopped_at,
      marketing_stop_source, marketing_resumed_at
    from (
      select id from public.contacts
      where company_id = own_company_id and archived_phone_key = any (names)
      union all
      -- Only additional phone numbers are relevant, because an earlier phone number may belong to another person now.
      select contact_id from public.contact_former_phones
      where company_id = own_company_id and archived_phone_key = any (names) and until = 'infinity'
      union all
      select contact_id from public.contact_identities
      where company_id = own_company_id and archived_user_id = any (names)
    ) as found
    -- Each contact has its own lookup, which has only the id. With more conditions, the planner may choose an index of
    -- all archived contacts of the company.
    cross join lateral (select * from public.contacts where contacts.id = found.id offset 0) as other
    where archived_at is not null and other.id is distinct from but_not_of
    union all
    select
      do_not_contact, do_not_contact_source, do_not_contact_at, stop_word_at, start_word_at, marketing_stopped_at,
      marketing_stop_source, marketing_resumed_at
    from app.kept_wishes
    cross join lateral jsonb_populate_record(null::public.contacts, wishes) as kept
    where kept_wishes.company_id = own_company_id
      and digest = any (array(select app.erased_digest(own_company_id, 'person', name) from unnest(names) as name))
  ), decided as (
    select * from others
    order by app.decided_at(do_not_contact, do_not_contact_at, stop_word_at, start_word_at) desc nulls last,
      do_not_contact desc
    limit 1
  ), stopped as (
    select * from others where marketing_stopped_at is not null
    order by marketing_stopped_at desc, marketing_stop_source limit 1
  )
  select
    decided.do_not_contact, decided.do_not_contact_source, decided.do_not_contact_at, decided.stop_word_at,
    decided.start_word_at, stopped.marketing_stopped_at, stopped.marketing_stop_source,
    (select max(marketing_resumed_at) from others)
  into
    wishes.do_not_contact, wishes.do_not_contact_source, wishes.do_not_contact_at, wishes.stop_word_at,
    wishes.start_word_at, wishes.marketing_stopped_at, wishes.marketing_stop_source, wishes.marketing_resumed_at
  from decided left join stopped on true;
  -- Most contacts have no wishes to inherit.
  if not found then
    return null;
  end if;
  return wishes;
end
$$;
comment on function app.inherited_wishes(uuid, text[], uuid) is
  'Returns the newest wishes for these phone keys or ids, in the form of a contact. Looks in archived contacts and in '
  'app.kept_wishes. Returns null when there are no wishes.';

create function app.with_inherited_wishes(contact public.contacts, wins boolean, gained text default null)
returns public.contacts
language plpgsql
set search_path = ''
as $$
declare
  -- If `wins` is true, only the wishes for the contact's phone number count.
  names constant text[] := app.phone_key(contact.phone) || case when not wins then array(
    select app.phone_key(phone) from public.contact_former_phones
    where company_id = contact.company_id and contact_id = contact.id and until = 'infinity'
    union all
    select coalesce(user_id, archived_user_id) from public.contact_identities
    where company_id = contact.company_id and contact_id = contact.id
  ) end;
  wishes constant public.contacts := app.inherited_wishes(contact.company_id, names, contact.id);
  of_gained public.contacts;
  of_others public.contacts;
begin
  if wishes.do_not_contact and not contact.do_not_contact
    and (
      wins or app.decided_at(contact) is null
      -- As with the keywords of one contact, "stop" wins if "start" has the same time.
      or app.decided_at(wishes) >= app.decided_at(contact)
    )
  then
    contact.do_not_contact := true;
    contact.do_not_contact_source := wishes.do_not_contact_source;
    contact.do_not_contact_at := wishes.do_not_contact_at;
    -- The inherited times of the keywords replace the contact's own times. Otherwise, a newer "start" of the contact
    -- would end the inherited wish, although another person may have sent this "start".
    contact.stop_word_at := wishes.stop_word_at;
    contact.start_word_at := wishes.start_word_at;
  end if;
  -- The keywords of the person do not replace an opt-out of the gained name that the company itself made.
  if (wins or gained is not null) and contact.do_not_contact_source is distinct from 'manual'
    and (contact.do_not_contact or contact.start_word_at is not null)
  then
    of_gained := wishes;
    if not wins then
      of_gained := app.inherited_wishes(contact.company_id, array[gained], contact.id);
      of_others := app.inherited_wishes(contact.company_id, array_remove(names, gained), contact.id);
    end if;
    if of_gained.do_not_contact and of_gained.do_not_contact_source = 'manual'
      -- The company may have lifted the opt-out for another name.
      and (not wishes.do_not_contact and wishes.do_not_contact_source = 'manual'
        and wishes.do_not_contact_at >= of_gained.do_not_contact_at) is not true
      -- If another name of the contact has the same opt-out, the contact's own decision has taken it into account.
      and (of_others.do_not_contact_source, of_others.do_not_contact_at)
        is distinct from (of_gained.do_not_contact_source, of_gained.do_not_contact_at)
    then
      contact.do_not_contact := true;
      contact.do_not_contact_source := 'manual';
      contact.do_not_contact_at := of_gained.do_not_contact_at;
    end if;
  end if;
  if wishes.marketing_stopped_at >= coalesce(wishes.marketing_resumed_at, '-infinity')
    and (
      wins and not contact.marketing_opt_out
      or wishes.marketing_stopped_at
        > coalesce(greatest(contact.marketing_stopped_at, contact.marketing_resumed_at), '-infinity')
    )
  then
    contact.marketing_opt_out := true;
    contact.marketing_stopped_at := wishes.marketing_stopped_at;
    contact.marketing_stop_source := wishes.marketing_stop_source;
    contact.marketing_resumed_at := wishes.marketing_resumed_at;
  end if;
  return contact;
end
$$;
comment on function app.with_inherited_wishes(public.contacts, boolean, text) is
  'Returns a contact with its inherited wishes. The argument `wins` is true when the contact has just got a phone '
  'number that was not its additional number. If `wins` is true, the wishes for this phone number apply, even if the '
  'contact''s own decision is newer. If `wins` is false, the wishes for all phone numbers and ids of the contact '
  'apply, but a newer decision of the contact has priority. If the contact has just got a further phone number or id, '
  '`gained` is the phone key or the id. An opt-out of a name that the contact has just got applies even against newer '
  'keywords of the person, if the company itself made the opt-out.';

create function app.pass_on_wishes(contact public.contacts, wins boolean, gained text default null) returns void
language plpgsql
set search_path = ''
as $$
declare
  inherited constant public.contacts := app.with_inherited_wishes(contact, wins, gained);
begin
  if inherited is distinct from contact then
    update public.contacts set
      do_not_contact = inherited.do_not_contact,
      do_not_contact_source = inherited.do_not_contact_source,
      do_not_contact_at = inherited.do_not_contact_at,
      stop_word_at = inherited.stop_word_at,
      start_word_at = inherited.start_word_at,
      marketing_opt_out = inherited.marketing_opt_out,
      marketing_stopped_at = inherited.marketing_stopped_at,
      marketing_stop_source = inherited.marketing_stop_source,
      marketing_resumed_at = inherited.marketing_resumed_at
    where company_id = contact.company_id and id = contact.id;
  end if;
end
$$;
comment on function app.pass_on_wishes(public.contacts, boolean, text) is
  'Writes the wishes that app.with_inherited_wishes() returns for a contact.';

create function app.share_wishes(own_company_id uuid, of_contact_id uuid, with_phone text, at timestamptz) returns void
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  other_id constant uuid := app.owner_of_phone(own_company_id, with_phone, at);
  contact public.contacts;
begin
  if other_id <> of_contact_id then
    select * into contact from public.contacts where company_id = own_company_id and id = of_contact_id;
    if contact.do_not_contact or contact.marketing_opt_out_at is not null then
      perform app.keep_wishes(own_company_id, array[app.phone_key(with_phone)], app.wishes_of(contact));
      perform app.pass_on_wishes(contacts, false) from public.contacts
      where company_id = own_company_id and id = other_id;
    end if;
  end if;
end
$$;
comment on function app.share_wishes(uuid, uuid, text, timestamptz) is
  'When a person writes from a phone number that is stored for another contact, copies the person''s wishes to the '
  'other contact.';

create function app.inherit_wishes_of_added() returns trigger
-- Security definer, like the triggers below. A key or a user who writes a contact may not read app.kept_wishes, and may
-- not write the sources and the times of wishes.
language plpgsql security definer
set search_path = ''
as $$
declare
  contact public.contacts;
begin
  -- The insert may have waited for a transaction that archived an earlier contact with the same phone number. The
  -- trigger runs after the rows are written, so the trigger finds this archived contact. Another transaction may be
  -- restoring the archived contact, or has just restored it. If the phone number is an additional number of this contact
  -- again, the insert fails.
  for contact in
    select contacts.*
    from added
    -- Each added row needs only one lookup per index.
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
      union all
      (
        select from public.contact_former_phones as former
        where former.company_id = added.company_id and former.phone_key = added.phone_key and former.until = 'infinity'
        limit 1
      )
      union all
      (
        select from app.kept_wishes as kept
        where kept.company_id = added.company_id
          and kept.digest = app.erased_digest(added.company_id, 'person', added.phone_key)
        limit 1
      )
      limit 1
    ) as known
    join public.contacts on contacts.id = added.id
  loop
    perform app.require_no_further_phone(contact.company_id, contact.id, contact.phone_key);
    perform app.pass_on_wishes(contact, true);
  end loop;
  return null;
end
$$;
comment on function app.inherit_wishes_of_added() is
  'Trigger: copies the wishes of archived contacts with the same phone number, and the kept wishes for this number, to '
  'new contacts. Raises a violation of contacts_one_per_phone if a restored contact has the number as an additional '
  'number. A function that returns new contacts must read the contacts again after the insert.';

create function app.inherit_wishes() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  has_another_phone constant boolean := app.phone_key(new.phone) is distinct from app.phone_key(old.phone);
  -- A decision of the contact may be newer than the wishes for its additional phone numbers.
  wins constant boolean := has_another_phone and not exists (
    select from public.contact_former_phones
    where company_id = new.company_id and contact_id = new.id and phone_key = app.phone_key(new.phone)
      and until = 'infinity'
  );
begin
  -- The function app.merge_contacts() has already combined the wishes of the two contacts.
  if not has_another_phone and old.archived_at is null or current_setting('app.merged', true) <> '' then
    return new;
  elsif tg_when = 'BEFORE' then
    return app.with_inherited_wishes(new, wins);
  end if;
  if app.with_inherited_wishes(new, wins) is distinct from new then
    perform set_config(
      'app.late_wishes',
      (
        coalesce(nullif(current_setting('app.late_wishes', true), '')::jsonb, '[]')
          || jsonb_build_object('company_id', new.company_id, 'id', new.id, 'wins', wins)
      )::text,
      true
    );
  end if;
  return null;
end
$$;
comment on function app.inherit_wishes() is
  'Trigger: when a contact gets another phone number or is restored, copies the wishes of archived contacts and the '
  'kept wishes to this contact. After the row is written, only notes in app.late_wishes that the contact inherits '
  'further wishes. Does nothing during a merge.';

create function app.inherit_noted_wishes() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  noted constant text := current_setting('app.late_wishes', true);
begin
  if noted <> '' then
    perform set_config('app.late_wishes', '', true);
    perform app.pass_on_wishes(contacts, note.wins)
    from jsonb_to_recordset(noted::jsonb) as note (company_id uuid, id uuid, wins boolean)
    join public.contacts on contacts.company_id = note.company_id and contacts.id = note.id;
  end if;
  return null;
end
$$;
comment on function app.inherit_noted_wishes() is
  'Trigger: copies wishes to the contacts that app.inherit_wishes() noted in app.late_wishes.';

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
    perform app.pass_on_wishes(contact, false, new.user_id);
  end if;
  return null;
end
$$;
comment on function app.inherit_wishes_by_user_id() is
  'Trigger: when a contact gets an id, copies the wishes of archived contacts with the same id to this contact.';

create function app.pass_on_late_wishes() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  contact public.contacts;
begin
  select * into contact from public.contacts
  where company_id = new.company_id and id = (app.contacts_of_phones(new.company_id, array[new.phone]))[1];
  if found then
    perform app.pass_on_wishes(
      contact,
      -- As in app.note_word(), a "stop" also applies if it was sent in the same second as the contact's own decision.
      coalesce(
        contact.phone_key = new.archived_phone_key and new.do_not_contact and not old.do_not_contact
          and new.do_not_contact_at >= date_trunc('second', app.decided_at(contact)),
        false
      )
    );
  end if;
  return null;
end
$$;
comment on function app.pass_on_late_wishes() is
  'Trigger: when an archived contact gets a late wish, such as a marketing opt-out, copies the wish to the contact '
  'that has the phone number now, as its main number or as an additional number.';

create trigger contacts_inherit_wishes_when_added after insert on public.contacts
  referencing new table as added for each statement execute function app.inherit_wishes_of_added();
create trigger contacts_inherit_wishes before update of phone, archived_at on public.contacts
  for each row when (
    new.archived_at is null
    and (old.archived_at is not null or new.phone is not null and new.phone is distinct from old.phone)
  )
  execute function app.inherit_wishes();

-- The function app.inherit_wishes() runs a second time after the row is written, for the reason given in
-- app.inherit_wishes_of_added(). Postgres runs triggers in the order of their names. So the first trigger below runs
-- after contacts_refuse_further_phone, which may wait while app.keep_late_wish() keeps an opt-out. The second trigger
-- runs after the trigger that writes the event of the change (66_record_events.sql). So the event contact.opted_out
-- comes after this event.
create trigger contacts_see_late_wishes after update of phone, archived_at on public.contacts
  for each row when (
    new.archived_at is null
    and (old.archived_at is not null or new.phone is not null and new.phone is distinct from old.phone)
  )
  execute function app.inherit_wishes();
create trigger contacts_inherit_late_wishes after update of phone, archived_at on public.contacts
  for each statement execute function app.inherit_noted_wishes();
create trigger contact_identities_inherit_wishes after insert on public.contact_identities
  for each row when (new.user_id is not null) execute function app.inherit_wishes_by_user_id();
create trigger contacts_pass_on_late_wishes
  after update of do_not_contact, do_not_contact_at, marketing_stopped_at, marketing_resumed_at on public.contacts
  for each row when (old.archived_at is not null and new.archived_at is not null)
  execute function app.pass_on_late_wishes();
