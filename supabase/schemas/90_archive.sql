-- Contacts and deals are archived, not deleted. A record that was archived by mistake can be restored unchanged. The
-- change feeds report archiving and restoring like any other change. An archived record can be restored, but not
-- changed in any other way. An archived contact cannot be found by its phone number, its additional or earlier phone
-- numbers, or its WhatsApp user ids. So the company may get a new contact for the same person in the meantime. The rows
-- of the archived contact still contain these values, for a restore and because the person's wishes still apply.

create function app.keep_archived() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if old.archived_at is null then
    new.archived_at := now();
    return new;
  elsif new.archived_at <> old.archived_at then
    -- Archiving a record again changes nothing.
    return old;
  -- The platform may still write facts, such as an opt-out that arrives late.
  elsif current_user in ('api_client', 'authenticated') then
    raise sqlstate 'PT404' using message = format(
      '%s not found: it is archived, so restore it before you change it',
      case tg_table_name when 'contacts' then 'Contact' else 'Deal' end
    );
  end if;
  return new;
end
$$;
comment on function app.keep_archived() is
  'Trigger: sets archived_at when a row is archived for the first time. Raises PT404, with a message for callers, when '
  'a key or a user changes an archived row.';

-- A contact into which other contacts were merged has additional phone numbers. After a restore, the contact has these
-- numbers again, except numbers that another contact has now.
create function app.keep_persons_of_archived() returns trigger
-- Security definer, because no role may write the phone numbers and ids that WhatsApp reported.
language plpgsql security definer
set search_path = ''
as $$
begin
  if new.archived_at is not null then
    update public.contact_former_phones set is_archived = true
    where company_id = new.company_id and contact_id = new.id;
    update public.contact_identities set archived_user_id = user_id, user_id = null
    where company_id = new.company_id and contact_id = new.id and user_id is not null;
  else
    if exists (
      select from public.contact_former_phones
      where company_id = new.company_id and contact_id = new.id and until = 'infinity'
    ) then
      perform app.lock_further_phones(new.company_id);
    end if;
    update public.contact_former_phones as kept set
      is_archived = false,
      -- The other contact may have got the number at any time since this contact was archived.
      until = case
        when exists (
          select from public.contacts as taken
          where taken.company_id = new.company_id and taken.phone_key = kept.archived_phone_key
        ) or exists (
          select from public.contact_former_phones as taken
          where taken.company_id = new.company_id and taken.phone_key = kept.archived_phone_key
            and taken.until = 'infinity'
        ) then least(kept.until, old.archived_at)
        else kept.until
      end
    where company_id = new.company_id and contact_id = new.id;
    update public.contact_identities as kept set user_id = archived_user_id, archived_user_id = null
    where company_id = new.company_id and contact_id = new.id and archived_user_id is not null
      and not exists (
        select from public.contact_identities as taken
        where taken.company_id = new.company_id and taken.user_id = kept.archived_user_id
      );
  end if;
  return null;
end
$$;
comment on function app.keep_persons_of_archived() is
  'Trigger: ensures that no search by a former phone number or by a user id finds an archived contact. After a '
  'restore, such searches find the contact again, except by additional phone numbers and user ids that now belong to '
  'another contact.';

create function public.archive_contact(id uuid, accepted_versions bigint[] default null) returns boolean
-- Security definer, like the functions below, because a key may not write archived_at.
language plpgsql security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('write');
  contact record;
begin
  -- The lock is `for update`, because archiving sets phone_key to null, and phone_key is a column of a unique key.
  select archived_at, version into contact from public.contacts
  where company_id = own_company_id and contacts.id = archive_contact.id
  for update;
  if not found then
    return false;
  end if;
  if contact.archived_at is null then
    perform app.require_version(contact.version, accepted_versions);
    update public.contacts set archived_at = now()
    where company_id = own_company_id and contacts.id = archive_contact.id;
  end if;
  return true;
end
$$;
comment on function public.archive_contact(uuid, bigint[]) is
  'Archives a contact of the key''s company, if the contact has one of the accepted versions. Null accepts any '
  'version. Needs a write token. Does not change a contact that is already archived. Returns false when the contact '
  'does not exist. Raises PT412 for another version, with the current version as detail. Raises PT401 and PT403 as '
  'app.company_id() does.';
grant execute on function public.archive_contact(uuid, bigint[]) to api_client;

create function public.archive_deal(id uuid, accepted_versions bigint[] default null) returns boolean
language plpgsql security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('write');
  deal record;
begin
  select archived_at, version into deal from public.deals
  where company_id = own_company_id and deals.id = archive_deal.id
  for no key update;
  if not found then
    return false;
  end if;
  if deal.archived_at is null then
    perform app.require_version(deal.version, accepted_versions);
    update public.deals set archived_at = now()
    where company_id = own_company_id and deals.id = archive_deal.id;
  end if;
  return true;
end
$$;
comment on function public.archive_deal(uuid, bigint[]) is
  'Archives a deal of the key''s company, in the same way as archive_contact(). Needs a write token.';
grant execute on function public.archive_deal(uuid, bigint[]) to api_client;

create function app.holder_of_persons(own_company_id uuid, of_contact_id uuid) returns uuid
language sql
set search_path = ''
as $$
  select coalesce(
    (
      select id from public.contacts
      where company_id = own_company_id and phone_key = archived.archived_phone_key
    ),
    -- The phone number may be another contact's additional number.
    (
      select contact_id from public.contact_former_phones
      where company_id = own_company_id and phone_key = archived.archived_phone_key and until = 'infinity'
      order by contact_id limit 1
    ),
    -- A contact without a phone number is found by its ids.
    case when archived.phone is null then (
      select taken.contact_id from public.contact_identities as kept
      join public.contact_identities as taken
        on taken.company_id = kept.company_id and taken.user_id = kept.archived_user_id
      where kept.company_id = own_company_id and kept.contact_id = of_contact_id
      order by taken.contact_id limit 1
    ) end
  )
  from public.contacts as archived
  where company_id = own_company_id and archived.id = of_contact_id and archived_at is not null
$$;
comment on function app.holder_of_persons(uuid, uuid) is
  'Returns the contact that now has the phone number of an archived contact, and so prevents the restore. If the '
  'archived contact has no phone number, returns the contact that now has one of its ids. Returns null when no such '
  'contact exists.';

create function app.unarchive_contact(own_company_id uuid, own_contact_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  contact record;
  holder uuid;
  field text;
begin
  select archived_at, phone, external_id into contact from public.contacts
  where company_id = own_company_id and id = own_contact_id
  for update;
  if not found then
    return jsonb_build_object('status', 404);
  end if;
  for tries in 1..10 loop
    exit when contact.archived_at is null;
    field := case when contact.phone is null then 'user_id' else 'phone' end;
    holder := app.holder_of_persons(own_company_id, own_contact_id);
    if holder is null then
      field := 'external_id';
      holder := (app.contacts_of_external_ids(own_company_id, array[contact.external_id]))[1];
    end if;
    if holder is not null then
      return jsonb_build_object('status', 409, 'existing_id', holder, 'field', field);
    end if;
    begin
      update public.contacts set archived_at = null where company_id = own_company_id and id = own_contact_id;
      exit;
    exception when unique_violation then
      -- Another transaction has given the phone number or an id to a contact in the meantime.
      if tries = 10 then
        raise;
      end if;
    end;
  end loop;
  return jsonb_build_object('status', 200, 'id', own_contact_id);
end
$$;
comment on function app.unarchive_contact(uuid, uuid) is
  'Restores a contact of a company. A contact that is not archived does not change. The result is { status: 200, id }, '
  '{ status: 404 }, or { status: 409, existing_id, field } with the contact that now has the phone number, the '
  'external_id or, if the phone number is hidden, a user id.';

create function app.unarchive_deal(own_company_id uuid, own_deal_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  deal public.deals;
  conflict jsonb;
begin
  select * into deal from public.deals where company_id = own_company_id and id = own_deal_id
  for no key update;
  if not found then
    return jsonb_build_object('status', 404);
  end if;
  while deal.archived_at is not null loop
    conflict := app.conflict_of_deal(own_company_id, to_jsonb(deal));
    if conflict is not null then
      return conflict;
    end if;
    begin
      update public.deals set archived_at = null where company_id = own_company_id and id = own_deal_id;
      deal.archived_at := null;
    exception when unique_violation then
      null; -- another transaction has just given the external_id to a deal
    end;
  end loop;
  return jsonb_build_object('status', 200, 'id', own_deal_id);
end
$$;
comment on function app.unarchive_deal(uuid, uuid) is
  'Restores a deal of a company. A deal that is not archived does not change. The result is { status: 200, id }, { '
  'status: 404 }, or { status: 409, existing_id, field } with the deal that now has the external_id.';

create function public.restore_contact(id uuid, idempotency jsonb default null) returns json
language plpgsql security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('write');
  results jsonb;
  replayed boolean;
begin
  begin
    results := app.claim_idempotency_key(own_company_id, idempotency);
    replayed := results is not null;
    if not replayed then
      results := jsonb_build_array(app.unarchive_contact(own_company_id, restore_contact.id));
      if results #>> '{0,status}' <> '200' then
        raise sqlstate 'CRM01'; -- undoes the block, including the claim of the idempotency key
      end if;
      perform app.keep_outcome(own_company_id, idempotency, results);
    end if;
  exception when sqlstate 'CRM01' then
    null;
  end;
  return app.with_contact_rows(own_company_id, results, replayed);
end
$$;
comment on function public.restore_contact(uuid, jsonb) is
  'Restores a contact of the key''s company. Needs a write token. Returns a result in the format of write_contacts(). '
  'Its only item is the result of app.unarchive_contact() and contains the contact. Raises PT409 and PT422 as '
  'app.claim_idempotency_key() does. Raises PT401 and PT403 as app.company_id() does.';
grant execute on function public.restore_contact(uuid, jsonb) to api_client;

create function public.restore_deal(id uuid, idempotency jsonb default null) returns json
language plpgsql security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('write');
  results jsonb;
  replayed boolean;
begin
  begin
    results := app.claim_idempotency_key(own_company_id, idempotency);
    replayed := results is not null;
    if not replayed then
      results := jsonb_build_array(app.unarchive_deal(own_company_id, restore_deal.id));
      if results #>> '{0,status}' <> '200' then
        raise sqlstate 'CRM01'; -- undoes the block, including the claim of the idempotency key
      end if;
      perform app.keep_outcome(own_company_id, idempotency, results);
    end if;
  exception when sqlstate 'CRM01' then
    null;
  end;
  return app.with_deal_rows(own_company_id, results, replayed);
end
$$;
comment on function public.restore_deal(uuid, jsonb) is
  'Restores a deal of the key''s company, in the same way as restore_contact(). Needs a write token. The contact of '
  'the deal may remain archived.';
grant execute on function public.restore_deal(uuid, jsonb) to api_client;

create trigger deals_archive before update on public.deals
  for each row when (new.archived_at is not null) execute function app.keep_archived();
create trigger contacts_keep_persons_of_archived after update on public.contacts
  for each row when ((old.archived_at is null) <> (new.archived_at is null))
  execute function app.keep_persons_of_archived();
create trigger contacts_archive before update on public.contacts
  for each row when (new.archived_at is not null and old.erased_at is null) execute function app.keep_archived();
