-- A send to a further phone, whose contact is being merged into another one meanwhile, is a send to that one.

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
    select own_company_id, by_phone, new_name
    -- The contact of a further phone is not found while it is merged into another one: that one has the phone then.
    where not exists (
      select from public.contact_former_phones
      where company_id = own_company_id and phone_key = app.phone_key(by_phone) and until = 'infinity'
    )
    on conflict (company_id, phone_key) do nothing;
  end loop;
end
$$;
