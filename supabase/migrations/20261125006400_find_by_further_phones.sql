-- Whoever looks for a phone of a person whose contacts were merged finds the one contact that is left.

create function public.contacts_of_further_phones(phone_keys text[], with_archived boolean default false) returns uuid[]
-- Security definer, because a token reads no phone keys of further phones; it therefore takes the company from the key.
language plpgsql stable security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('read');
begin
  return array(
    select contact_id from public.contact_former_phones
    where company_id = own_company_id and until = 'infinity' and phone_key = any (phone_keys)
    union
    select contact_id from public.contact_former_phones
    where with_archived and company_id = own_company_id and until = 'infinity'
      and archived_phone_key = any (phone_keys)
    order by contact_id
    limit 100
  );
end
$$;
comment on function public.contacts_of_further_phones(text[], boolean) is
  'For a token for reading: the contacts of the key''s company that have one of these phones besides another one, as '
  'those have that others were merged into. Raises PT401 and PT403 as app.company_id() does.';
grant execute on function public.contacts_of_further_phones(text[], boolean) to api_client;
