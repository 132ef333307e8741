-- An archived contact gives up what a person is found by: its phone, the further and former ones, and its ids at the
-- channel. Whoever has one of them next is a contact of their own, be it the same person. What it gave up is kept
-- beside, for its being restored, and because its wishes still hold.

-- So no lookup by phone and no upsert has to know of archived contacts. One statement, because it rewrites the table.
alter table public.contacts
  alter column phone_key set expression as (case when archived_at is null then app.phone_key(phone) end),
  add column archived_phone_key text generated always as (
    case when archived_at is not null then app.phone_key(phone) end
  ) stored;
comment on column public.contacts.phone_key is
  'The phone by which the contact is found, whatever its spelling; null for an archived contact, and without a '
  'phone.';
comment on column public.contacts.archived_phone_key is
  'What phone_key was of an archived contact, and is again once it is restored. Several may have the same.';
create index contacts_archived_phone_idx on public.contacts (company_id, archived_phone_key)
  where archived_phone_key is not null;

alter table public.contact_former_phones add column is_archived boolean not null default false;
alter table public.contact_former_phones
  alter column phone_key drop not null,
  alter column phone_key set expression as (case when not is_archived then app.phone_key(phone) end),
  add column archived_phone_key text generated always as (case when is_archived then app.phone_key(phone) end) stored;
comment on column public.contact_former_phones.is_archived is 'Whether the contact is archived: nobody is found by it.';
create index contact_former_phones_archived_idx on public.contact_former_phones (company_id, archived_phone_key)
  where archived_phone_key is not null;

alter table public.contact_identities
  alter column user_id drop not null,
  add column archived_user_id text,
  add constraint contact_identities_kept check ((user_id is null) <> (archived_user_id is null));
comment on column public.contact_identities.user_id is
  'The business-scoped user id by which the person is found; null when the contact is archived.';
comment on column public.contact_identities.archived_user_id is
  'What user_id was of an archived contact, and is again once it is restored, unless another contact has it by then.';
create index contact_identities_archived_idx on public.contact_identities (company_id, archived_user_id)
  where archived_user_id is not null;

create function app.keep_persons_of_archived() returns trigger
-- Security definer, because nobody writes what the channel knows of a person.
language plpgsql security definer
set search_path = ''
as $$
begin
  update public.contact_former_phones set is_archived = new.archived_at is not null
  where company_id = new.company_id and contact_id = new.id;
  if new.archived_at is not null then
    update public.contact_identities set archived_user_id = user_id, user_id = null
    where company_id = new.company_id and contact_id = new.id and user_id is not null;
  else
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
  'but for the ids that another contact has meanwhile.';
create trigger contacts_keep_persons_of_archived after update on public.contacts
  for each row when ((old.archived_at is null) <> (new.archived_at is null))
  execute function app.keep_persons_of_archived();

-- To change a column counts as no change of rows, so Postgres would not look at it for weeks.
analyze public.contacts (phone_key, archived_at, archived_phone_key), public.deals (archived_at);
