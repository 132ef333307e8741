-- Who erases a person: a key with the scope write, and the owners and admins of the company. An agent does not.

create function public.erase_contact(id uuid, idempotency jsonb default null) returns jsonb
-- Security definer, because nobody else may write what is overwritten here.
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_contact_id constant uuid := erase_contact.id;
  own_company_id uuid := app.company_id('write');
  contact public.contacts;
  counts jsonb;
  earlier jsonb;
begin
  if own_company_id is null then
    select company_id into own_company_id from public.contacts
    where id = own_contact_id and company_id = any (app.managed_company_ids());
  end if;
  if own_company_id is null then
    raise sqlstate 'PT404' using message = 'Contact not found';
  end if;
  earlier := app.claim_idempotency_key(own_company_id, idempotency);
  if earlier is null then
    perform app.lock_for_erasing(own_company_id, array[own_contact_id]);
  end if;
  select * into contact from public.contacts where company_id = own_company_id and id = own_contact_id;
  if contact.id is null then
    -- Nothing was done, so the key of the request is free.
    delete from public.idempotency_keys
    where company_id = own_company_id and path = idempotency ->> 'path' and key = idempotency ->> 'key'
      and outcome is null;
    return jsonb_build_object('replayed', false, 'erased', null, 'data', null);
  end if;
  if earlier is null then
    perform app.keep_outcome(own_company_id, idempotency, jsonb_build_object('id', own_contact_id));
    if contact.erased_at is null then
      counts := app.erase_contacts(own_company_id, array[own_contact_id]);
      select * into contact from public.contacts where company_id = own_company_id and id = own_contact_id;
    end if;
    perform app.erase_idempotency_keys(own_company_id, array[own_contact_id], '{}');
  end if;
  return jsonb_build_object(
    'replayed', earlier is not null, 'erased', counts, 'data', app.contact_json(contact)
  );
end
$$;
comment on function public.erase_contact(uuid, jsonb) is
  'Erases the person whom a contact is, for good, and answers { replayed, erased, data }: whether an earlier request with '
  'the key has done it, how many rows (null when it was erased before), and what is left of the contact. For a '
  'token for writing, of a contact of the key''s company: null data when there is none. And for the owners and admins of a '
  'company: raises PT404 for everybody else. Raises PT401 and PT403 as app.company_id() does.';
grant execute on function public.erase_contact(uuid, jsonb) to api_client, authenticated;
