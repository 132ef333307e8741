-- Contacts, deals, conversations and messages note in version which transaction wrote them last; see app.change_now().
-- Rows from before this migration have version 0: a constant default changes no row, so no table is locked for long.

create function app.note_change() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  -- A copy that is kept in step would go on having the row under its old id, or in its old company.
  if new.id <> old.id or new.company_id <> old.company_id then
    raise sqlstate 'PT422' using
      message = 'A row keeps its id and its company: delete it, and add another one';
  end if;
  new.updated_at := now();
  new.version := app.change_now();
  return new;
end
$$;
comment on function app.note_change() is
  'Trigger: stamps updated_at and version with the time and the number of the transaction, whatever the statement '
  'says. Refuses another id and another company.';

-- The default of a new row needs no trigger: nobody but the platform may name another version, as a restored dump does.
alter table public.contacts add column version bigint not null default 0;
alter table public.contacts alter column version set default app.change_now();
drop trigger contacts_set_updated_at on public.contacts;
create trigger contacts_note_change before update on public.contacts
  for each row execute function app.note_change();
create index contacts_changes_idx on public.contacts (company_id, version, id);

alter table public.deals add column version bigint not null default 0;
alter table public.deals alter column version set default app.change_now();
drop trigger deals_set_updated_at on public.deals;
create trigger deals_note_change before update on public.deals
  for each row execute function app.note_change();
create index deals_changes_idx on public.deals (company_id, version, id);

alter table public.conversations add column version bigint not null default 0;
alter table public.conversations alter column version set default app.change_now();
drop trigger conversations_set_updated_at on public.conversations;
create trigger conversations_note_change before update on public.conversations
  for each row execute function app.note_change();
create index conversations_changes_idx on public.conversations (company_id, version, id);

alter table public.messages add column version bigint not null default 0;
alter table public.messages alter column version set default app.change_now();
drop trigger messages_set_updated_at on public.messages;
create trigger messages_note_change before update on public.messages
  for each row execute function app.note_change();
create index messages_changes_idx on public.messages (company_id, version, id);

-- Deals and conversations are granted as whole tables.
grant select (version) on public.contacts to api_client;
grant select (version) on public.messages to api_client;
