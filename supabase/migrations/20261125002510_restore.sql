-- A key restores its company's contacts and deals: they come back as they were.

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
  'The contact that keeps an archived one from being restored, because it is found by what that one gave up: the '
  'phone or, without one, an id of the channel; null when there is none.';

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
  'Restores a contact of a company, also one that is not archived. The result is { status: 200, id }, { status: 404 '
  '}, or { status: 409, existing_id } with the contact that has its phone now.';

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
        raise sqlstate 'CRM01'; -- undoes the block, and with it the claim of the key
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
  'For a token for writing: restores a contact of the key''s company. Answers as write_contacts() does: the one '
  'result is that of app.unarchive_contact(), with the contact as it is now. Raises PT409 and PT422 as '
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
  'For a token for writing: restores a deal of the key''s company, as restore_contact() does a contact. Its contact '
  'may be archived: its deals stay.';
grant execute on function public.restore_deal(uuid, jsonb) to api_client;
