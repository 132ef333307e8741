-- A key archives and restores its company's contacts and deals.

create or replace function app.contact_json(contact public.contacts) returns jsonb
-- In this language, a call for each of many rows costs little.
language plpgsql stable
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'id', contact.id,
    'company_id', contact.company_id,
    'name', contact.name,
    'email', contact.email,
    'phone', contact.phone,
    'temperature', contact.temperature,
    'tags', contact.tags,
    'source', contact.source,
    'job_title', contact.job_title,
    'empresa', contact.empresa,
    'custom_fields', contact.custom_fields,
    'do_not_contact', contact.do_not_contact,
    'do_not_contact_source', contact.do_not_contact_source,
    'do_not_contact_at', contact.do_not_contact_at,
    'marketing_opt_out_at', contact.marketing_opt_out_at,
    'is_active', contact.is_active,
    'archived_at', contact.archived_at,
    'created_at', contact.created_at,
    'updated_at', contact.updated_at,
    'version', contact.version::text
  );
end
$$;

create or replace function app.deal_json(deal public.deals) returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object(
    'id', deal.id,
    'company_id', deal.company_id,
    'title', deal.title,
    'value', deal.value,
    'status', deal.status,
    'contact_id', deal.contact_id,
    'stage_id', deal.stage_id,
    'won_at', deal.won_at,
    'lost_at', deal.lost_at,
    'stage_changed_at', deal.stage_changed_at,
    'archived_at', deal.archived_at,
    'created_at', deal.created_at,
    'updated_at', deal.updated_at,
    'version', deal.version::text
  )
$$;

create function app.require_version(present bigint, accepted bigint[]) returns void
language plpgsql immutable
set search_path = ''
as $$
begin
  if accepted is not null and present <> all (accepted) then
    raise sqlstate 'PT412' using
      message = 'The row has another version: it has changed since that one was read', detail = present::text;
  end if;
end
$$;
comment on function app.require_version(bigint, bigint[]) is
  'Raises PT412 with the present version of a row as detail when a write may not build on it. Null accepts any.';

create function public.archive_contact(id uuid, accepted_versions bigint[] default null) returns boolean
-- Security definer, here and below: a key writes no archived_at, and reads no contact by a token for writing.
language plpgsql security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('write');
  contact record;
begin
  -- It gives up its phone_key, which is a key of the row.
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
  'For a token for writing: archives a contact of the key''s company, when it has one of the accepted versions; null '
  'accepts any. One that is archived already stays as it is. False: there is none. Raises PT412 with the present version '
  'as detail, PT401 and PT403 as app.company_id() does.';
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
  'For a token for writing: archives a deal of the key''s company, as archive_contact() does a contact.';
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
    -- A further phone of theirs.
    (
      select contact_id from public.contact_former_phones
      where company_id = own_company_id and phone_key = archived.archived_phone_key and until = 'infinity'
      order by contact_id limit 1
    ),
    -- A contact without a phone is whoever has its ids.
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
  'The contact that keeps an archived one from being restored, because it is found by what that one gave up: the phone or, '
  'without one, an id of the channel; null when there is none.';

create function app.unarchive_contact(own_company_id uuid, own_contact_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  contact record;
  holder uuid;
begin
  select archived_at into contact from public.contacts
  where company_id = own_company_id and id = own_contact_id
  for update;
  if not found then
    return jsonb_build_object('status', 404);
  end if;
  for tries in 1..10 loop
    exit when contact.archived_at is null;
    holder := app.holder_of_persons(own_company_id, own_contact_id);
    if holder is not null then
      return jsonb_build_object('status', 409, 'existing_id', holder);
    end if;
    begin
      update public.contacts set archived_at = null where company_id = own_company_id and id = own_contact_id;
      exit;
    exception when unique_violation then
      -- Another transaction has given the phone or an id to a contact meanwhile.
      if tries = 10 then
        raise;
      end if;
    end;
  end loop;
  return jsonb_build_object('status', 200, 'id', own_contact_id);
end
$$;
comment on function app.unarchive_contact(uuid, uuid) is
  'Restores a contact of a company, also one that is not archived. The result is { status: 200, id }, { status: 404 }, or '
  '{ status: 409, existing_id } with the contact that has its phone now.';

create function app.unarchive_deal(own_company_id uuid, own_deal_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  perform from public.deals where company_id = own_company_id and id = own_deal_id
  for no key update;
  if not found then
    return jsonb_build_object('status', 404);
  end if;
  update public.deals set archived_at = null
  where company_id = own_company_id and id = own_deal_id and archived_at is not null;
  return jsonb_build_object('status', 200, 'id', own_deal_id);
end
$$;
comment on function app.unarchive_deal(uuid, uuid) is
  'Restores a deal of a company, also one that is not archived: { status: 200, id } or { status: 404 }.';

create function public.restore_contact(id uuid, idempotency jsonb default null) returns jsonb
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
        raise sqlstate 'CRM01'; -- undoes the block, and with it the claim of the key
      end if;
      perform app.keep_outcome(own_company_id, idempotency, results);
    end if;
  exception when sqlstate 'CRM01' then
    null;
  end;
  return jsonb_build_object('replayed', replayed, 'undone', false) || app.with_contact_rows(own_company_id, results);
end
$$;
comment on function public.restore_contact(uuid, jsonb) is
  'For a token for writing: restores a contact of the key''s company. Answers as write_contacts() does: the one result is '
  'that of app.unarchive_contact(), with the contact as it is now. Raises PT409 and PT422 as '
  'app.claim_idempotency_key() does, PT401 and PT403 as app.company_id().';
grant execute on function public.restore_contact(uuid, jsonb) to api_client;

create function public.restore_deal(id uuid, idempotency jsonb default null) returns jsonb
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
        raise sqlstate 'CRM01'; -- undoes the block, and with it the claim of the key
      end if;
      perform app.keep_outcome(own_company_id, idempotency, results);
    end if;
  exception when sqlstate 'CRM01' then
    null;
  end;
  return jsonb_build_object(
    'replayed', replayed, 'undone', false, 'results', app.with_deal_rows(own_company_id, results)
  );
end
$$;
comment on function public.restore_deal(uuid, jsonb) is
  'For a token for writing: restores a deal of the key''s company, as restore_contact() does a contact. Its contact may be '
  'archived: its deals stay.';
grant execute on function public.restore_deal(uuid, jsonb) to api_client;
