-- A send to a further phone of a person, whose contacts were merged, is a send to that contact. Otherwise it would make
-- another one, which nobody has asked not to contact.

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
    where company_id = own_company_id and contacts.id = (
      select contact_id from public.contact_former_phones
      where company_id = own_company_id and phone_key = app.phone_key(by_phone) and until = 'infinity'
      order by contact_id limit 1
    )
    for share;
    exit when found;
    insert into public.contacts (company_id, phone, name)
    values (own_company_id, by_phone, new_name)
    on conflict (company_id, phone_key) do nothing
    returning contacts.id, contacts.do_not_contact
    into find_or_add_contact.id, find_or_add_contact.do_not_contact;
    exit when found;
  end loop;
end
$$;
comment on function app.find_or_add_contact(uuid, text, text) is
  'Finds the contact of a phone, which may be a further one of theirs, or adds one with this name. Of several concurrent '
  'calls, one adds it.';
