-- Contacts and deals are archived, and not deleted: what was put away by mistake comes back as it was, and a copy
-- that is kept in step hears of it as of any other change. An archived record takes no change but its being
-- restored.

alter table public.contacts add column archived_at timestamptz;
comment on column public.contacts.archived_at is
  'When the contact was archived; null for one that is not. Whoever archives it, the database stamps the time.';
alter table public.deals add column archived_at timestamptz;
comment on column public.deals.archived_at is
  'When the deal was archived; null for one that is not. Whoever archives it, the database stamps the time.';

create function app.keep_archived() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if old.archived_at is null then
    new.archived_at := now();
    return new;
  elsif new.archived_at <> old.archived_at then
    -- Archived again: everything stays as the first one left it.
    return old;
  -- The platform goes on noting facts, such as an opt-out that is reported late.
  elsif current_user in ('api_client', 'authenticated') then
    raise sqlstate 'PT404' using message = format(
      '%s not found: it is archived, so restore it before you change it',
      case tg_table_name when 'contacts' then 'Contact' else 'Deal' end
    );
  end if;
  return new;
end
$$;
comment on function app.keep_archived() is
  'Trigger, for a row that is archived after the statement: stamps the time of the first archiving. Raises PT404, '
  'with a sentence for callers, when a key or a person changes a row that is archived already.';

create trigger contacts_archive before update on public.contacts
  for each row when (new.archived_at is not null) execute function app.keep_archived();
create trigger deals_archive before update on public.deals
  for each row when (new.archived_at is not null) execute function app.keep_archived();

-- People archive too. A row that is gone for good tells nobody why, so nobody but the platform deletes one.
drop policy "owners and admins delete their company's contacts" on public.contacts;
drop policy "people delete their company's deals" on public.deals;
revoke delete on public.contacts, public.deals from authenticated;
grant update (archived_at) on public.contacts, public.deals to authenticated;

-- Lists leave archived records out. What was just imported by mistake, and archived, would stand before all others in
-- the index of every record.
create index contacts_not_archived_idx on public.contacts (company_id, created_at desc, id desc)
  where archived_at is null;
create index contacts_not_archived_by_update_idx on public.contacts (company_id, updated_at, id)
  where archived_at is null;
create index contacts_archived_idx on public.contacts (company_id, created_at desc, id desc)
  where archived_at is not null;
create index deals_not_archived_idx on public.deals (company_id, created_at desc, id desc)
  where archived_at is null;
create index deals_not_archived_by_update_idx on public.deals (company_id, updated_at, id)
  where archived_at is null;
create index deals_archived_idx on public.deals (company_id, created_at desc, id desc)
  where archived_at is not null;

create function app.require_unarchived_contact() returns trigger
-- Security definer, because a token for writing deals reads no contact.
language plpgsql security definer
set search_path = ''
as $$
declare
  contact_archived_at timestamptz;
begin
  -- The lock of the foreign key, which waits for whoever archives the contact.
  select archived_at into contact_archived_at from public.contacts
  where company_id = new.company_id and id = new.contact_id
  for key share;
  if contact_archived_at is not null then
    raise check_violation using
      message = 'new row for relation "deals" violates check constraint "deals_contact_not_archived"',
      constraint = 'deals_contact_not_archived';
  end if;
  return new;
end
$$;
comment on function app.require_unarchived_contact() is
  'Trigger: a deal begins with a contact that is not archived, as if by a constraint deals_contact_not_archived. '
  'Deals that it has when it is archived stay. A contact that is not there is the foreign key''s to refuse.';
create trigger deals_require_unarchived_contact before insert on public.deals
  for each row execute function app.require_unarchived_contact();
create trigger deals_require_unarchived_new_contact before update of contact_id on public.deals
  for each row when (new.contact_id <> old.contact_id) execute function app.require_unarchived_contact();
