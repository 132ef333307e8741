-- A contact that others were merged into has further phones. Restored, it has those again that nobody else has meanwhile.

create or replace function app.keep_persons_of_archived() returns trigger
-- Security definer, because nobody writes what the channel knows of a person.
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
    update public.contact_former_phones as kept set
      is_archived = false,
      until = case
        when exists (
          select from public.contacts as taken
          where taken.company_id = new.company_id and taken.phone_key = kept.archived_phone_key
        ) or exists (
          select from public.contact_former_phones as taken
          where taken.company_id = new.company_id and taken.phone_key = kept.archived_phone_key
            and taken.until = 'infinity'
        ) then least(kept.until, now())
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
  'Trigger: nobody is found by the former phones and the ids of an archived contact. A restored one has them again, '
  'but for the further phones and ids that another contact has meanwhile.';
