-- A key merges two contacts that are one person.

create function app.lock_for_merging(own_company_id uuid, survivor_id uuid, from_id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  found_messages bigint;
  locked_messages bigint;
begin
  -- One merge of a company after the other, and no event of the company is applied meanwhile.
  perform set_config('lock_timeout', '4s', true);
  perform pg_advisory_xact_lock(hashtextextended('events of ' || own_company_id, 0));
  for tries in 1..5 loop
    begin
      -- Before the contacts: whoever gives a deal another contact has locked the deal then.
      perform from public.deals where company_id = own_company_id and contact_id = from_id
      order by id for no key update;
      -- The order of all locks: messages, contacts, windows, conversations. Messages of the survivor stay as they are.
      perform from public.messages
      where company_id = own_company_id and conversation_id in (
        select id from public.conversations where company_id = own_company_id and contact_id = from_id
      )
      order by id for no key update;
      get diagnostics locked_messages = row_count;
      perform from public.contacts where company_id = own_company_id and id in (survivor_id, from_id)
      order by id for update;
      perform from public.contact_windows where company_id = own_company_id and contact_id in (survivor_id, from_id)
      order by id for update;
      perform from public.conversations where company_id = own_company_id and contact_id in (survivor_id, from_id)
      order by id for update;
      -- A send that was being claimed has its message by now, and later ones wait for the contact.
      select count(*) into found_messages from public.messages
      where company_id = own_company_id and conversation_id in (
        select id from public.conversations where company_id = own_company_id and contact_id = from_id
      );
      exit when found_messages = locked_messages;
      raise sqlstate 'CRM02'; -- gives the locks back, to take them again in their order
    exception when sqlstate 'CRM02' then
      if tries = 5 then
        raise lock_not_available using message = 'Messages of the contact are being added all the time';
      end if;
    end;
  end loop;
end
$$;
comment on function app.lock_for_merging(uuid, uuid, uuid) is
  'Locks two contacts, and what moves from the other one to the survivor, in the order of all locks.';

create function app.merge_found_contacts(
  own_company_id uuid, survivor_id uuid, from_id uuid, accepted_versions bigint[]
) returns jsonb
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  survivor public.contacts;
  other public.contacts;
  holder uuid;
begin
  perform app.lock_for_merging(own_company_id, survivor_id, from_id);

  select * into survivor from public.contacts where company_id = own_company_id and id = survivor_id;
  if survivor.id is null then
    holder := app.survivor_of(own_company_id, survivor_id);
    return case
      when holder is null then '{"status": 404}'
      else jsonb_build_object('status', 409, 'existing_id', holder, 'merged', true)
    end;
  elsif survivor.erased_at is not null then
    raise sqlstate 'PT404' using
      message = 'Contact not found: the person was erased, so nothing is left to change or to restore';
  elsif survivor.archived_at is not null then
    raise sqlstate 'PT404' using
      message = 'Contact not found: it is archived, so restore it before you change it';
  elsif survivor_id = from_id then
    return '{"status": 422, "constraint": "merge_from_another"}';
  end if;

  select * into other from public.contacts where company_id = own_company_id and id = from_id;
  if other.id is null then
    holder := app.survivor_of(own_company_id, from_id);
    return case
      when holder is null then '{"status": 422, "constraint": "merge_from_known"}'
      -- It is done already.
      when holder = survivor_id then jsonb_build_object('status', 200, 'id', survivor_id)
      else jsonb_build_object('status', 409, 'existing_id', holder)
    end;
  elsif other.erased_at is not null then
    return '{"status": 422, "constraint": "merge_from_not_erased"}';
  elsif other.archived_at is not null then
    return '{"status": 422, "constraint": "merge_from_not_archived"}';
  end if;
  perform app.require_version(survivor.version, accepted_versions);
  perform app.merge_contacts(own_company_id, survivor_id, from_id);
  return jsonb_build_object('status', 200, 'id', survivor_id);
end
$$;
comment on function app.merge_found_contacts(uuid, uuid, uuid, bigint[]) is
  'Merges a contact into another one of the company. The result is { status: 200, id }, also when that is done already; '
  '{ status: 404 }; { status: 409, existing_id, merged } when the survivor was merged into that one itself, without '
  '"merged" when the other one was; { status: 422, constraint } by what "from" would have to be. Raises PT404 for a '
  'survivor that is archived or erased, PT412 as app.require_version() does.';

create function public.merge_contact(
  id uuid, from_id uuid, accepted_versions bigint[] default null, must_exist boolean default false,
  idempotency jsonb default null
) returns json
-- Security definer, because a key writes most of what is merged by nothing else.
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
      results := jsonb_build_array(
        app.merge_found_contacts(own_company_id, merge_contact.id, from_id, accepted_versions)
      );
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
comment on function public.merge_contact(uuid, uuid, bigint[], boolean, jsonb) is
  'For a token for writing: merges a contact of the key''s company into another one, when that one has an accepted '
  'version (null accepts any; must_exist asks for nothing more, since the survivor has to be there). Answers as '
  'write_contacts() does; the one result is that of app.merge_found_contacts(). Raises as it does, and as '
  'app.claim_idempotency_key() and app.company_id() do.';
grant execute on function public.merge_contact(uuid, uuid, bigint[], boolean, jsonb) to api_client;
