-- How keys write contacts: one or many, by phone or by id, in one call.

create function app.has_failed(results jsonb) returns boolean
language sql immutable
set search_path = ''
as $$
  select exists (
    select from jsonb_array_elements(results) as given (result) where (result ->> 'status')::integer >= 400
  )
$$;
comment on function app.has_failed(jsonb) is 'Whether a result of a write is a failure.';

create function app.require_contact_version(own_company_id uuid, phone text, accepted_versions bigint[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  person uuid;
  present bigint;
begin
  loop
    person := (app.contacts_of_phones(own_company_id, array[phone]))[1];
    if person is null then
      raise sqlstate 'PT412' using message = 'No contact has this phone';
    end if;
    -- The lock keeps the version until the end of the write. The contact may be gone, or have another phone by then.
    select version into present from public.contacts
    where company_id = own_company_id and id = person
    for no key update;
    exit when found and (app.contacts_of_phones(own_company_id, array[phone]))[1] = person;
  end loop;
  if present <> all (accepted_versions) then
    raise sqlstate 'PT412' using
      message = 'The row has another version: it has changed since that one was read', detail = present::text;
  end if;
end
$$;
comment on function app.require_contact_version(uuid, text, bigint[]) is
  'Raises PT412 unless the contact of a phone has one of these versions; null accepts any. The present version is the '
  'detail; there is none when nobody has the phone.';

create function public.write_contacts(
  items jsonb[],
  on_conflict text default 'fail',
  atomic boolean default false,
  accepted_versions bigint[] default null,
  must_exist boolean default false,
  idempotency jsonb default null
) returns json
-- Security definer, because a key neither reads phone keys nor claims keys of requests itself; it therefore takes the
-- company from the key, and names each column that it writes.
language plpgsql security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('write');
  results jsonb;
  is_replayed boolean := false;
begin
  begin
    results := app.claim_idempotency_key(own_company_id, idempotency);
    is_replayed := results is not null;
    if not is_replayed then
      if must_exist or accepted_versions is not null then
        perform app.require_contact_version(own_company_id, items[1] ->> 'phone', accepted_versions);
      end if;
      results := app.put_contacts(own_company_id, items, on_conflict);
      if atomic and app.has_failed(results) then
        raise sqlstate 'CRM01' using message = 'all or nothing';
      end if;
      if idempotency is not null then
        perform app.keep_outcome(own_company_id, idempotency, results);
      end if;
    end if;
  exception when sqlstate 'CRM01' then
    return json_build_object(
      'replayed', false, 'undone', true, 'without_custom_fields', false, 'results', results
    );
  end;
  return app.with_contact_rows(own_company_id, results, is_replayed);
end
$$;
comment on function public.write_contacts(jsonb[], text, boolean, bigint[], boolean, jsonb) is
  'Writes the contacts of items { phone, … } for a key; see app.put_contacts(). atomic: when one fails, nothing is '
  'written. accepted_versions and must_exist are the condition of a single item. Returns '
  '{ replayed, undone, without_custom_fields, results }, each result with its contact as data.';
grant execute on function public.write_contacts(jsonb[], text, boolean, bigint[], boolean, jsonb) to api_client;

create function public.patch_contacts(items jsonb[], atomic boolean default false) returns json
-- Security definer, as write_contacts() is.
language plpgsql security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('write');
  results jsonb;
begin
  begin
    results := app.patch_contacts(own_company_id, items);
    if atomic and app.has_failed(results) then
      raise sqlstate 'CRM01' using message = 'all or nothing';
    end if;
  exception when sqlstate 'CRM01' then
    return json_build_object(
      'replayed', false, 'undone', true, 'without_custom_fields', false, 'results', results
    );
  end;
  return app.with_contact_rows(own_company_id, results, false);
end
$$;
comment on function public.patch_contacts(jsonb[], boolean) is
  'Changes contacts by merge patches { id, … } for a key; see app.patch_contacts(). Answers as write_contacts() does.';
grant execute on function public.patch_contacts(jsonb[], boolean) to api_client;
