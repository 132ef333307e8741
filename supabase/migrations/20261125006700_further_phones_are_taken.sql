-- A further phone is its contact's: another contact does not take it. Else a person who asked not to be contacted would
-- be reached under it.

create or replace function public.contact_id_by_phone(phone text) returns uuid
language sql stable security definer
set search_path = ''
as $$
  select (app.contacts_of_phones((select app.company_id('write')), array[contact_id_by_phone.phone]))[1]
$$;
comment on function public.contact_id_by_phone(text) is
  'For a token for writing: the contact of the key''s company that a phone belongs to, in any of its spellings, and also '
  'when it is a further one; null when there is none.';

create function app.refuse_further_phone() returns trigger
-- Security definer, because nobody who writes a contact reads the further phones of others.
language plpgsql security definer
set search_path = ''
as $$
begin
  if exists (
    select from public.contact_former_phones
    where company_id = new.company_id and phone_key = new.phone_key and until = 'infinity' and contact_id <> new.id
  ) then
    raise unique_violation using
      message = 'duplicate key value violates unique constraint "contacts_one_per_phone"',
      detail = 'The phone is a further phone of another contact.',
      constraint = 'contacts_one_per_phone';
  end if;
  return null;
end
$$;
comment on function app.refuse_further_phone() is
  'Trigger: a key or a person does not give a contact the further phone of another one. The channel may: it knows whose '
  'phone it is.';
-- After the row: whoever merges the contact that has the phone may have committed only while this waited for it.
create trigger contacts_refuse_further_phone after update of phone on public.contacts
  for each row when (current_user in ('api_client', 'authenticated') and new.phone_key <> old.phone_key)
  execute function app.refuse_further_phone();
create trigger contacts_refuse_further_phone_when_added after insert on public.contacts
  for each row when (current_user in ('api_client', 'authenticated') and new.phone_key is not null)
  execute function app.refuse_further_phone();

create or replace function app.patch_contacts_at_once(own_company_id uuid, items jsonb[]) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  ids uuid[];
begin
  perform app.lock_contacts_to_patch(own_company_id, items);
  select array_agg(contacts.id order by place) into ids
  from unnest(items) with ordinality as given (item, place)
  left join public.contacts on company_id = own_company_id and id = (item ->> 'id')::uuid and archived_at is null;

  -- Whether a phone is free when its turn comes depends on the order.
  if exists (
    select from unnest(ids, items) as given (id, item)
    cross join lateral app.phone_key(item ->> 'phone') as own (key)
    left join public.contacts as owner on owner.company_id = own_company_id and owner.phone_key = own.key
    left join public.contact_former_phones as further
      on owner.id is null and further.company_id = own_company_id and further.phone_key = own.key
      and further.until = 'infinity'
    where given.id is not null
    group by own.key
    having count(distinct given.id) > 1 and own.key is not null
      or bool_or(coalesce(owner.id, further.contact_id) <> given.id)
  ) then
    raise unique_violation using
      message = 'a phone is another contact''s, or is given to several', constraint = 'contacts_one_per_phone';
  end if;
  perform app.change_contacts(own_company_id, ids, items, 'patch');
  return coalesce(
    (
      select jsonb_agg(
        case
          when id is not null then jsonb_build_object('status', 200, 'id', id)
          when survivor is not null then jsonb_build_object('status', 409, 'existing_id', survivor, 'merged', true)
          else jsonb_build_object('status', 404)
        end
        order by place
      )
      from unnest(ids, items) with ordinality as given (id, item, place)
      cross join lateral (
        select case when id is null then app.survivor_of(own_company_id, (item ->> 'id')::uuid) end
      ) as merged (survivor)
    ),
    '[]'
  );
end
$$;
