-- What was deleted of the resources that callers keep in step: a row leaves a tombstone with its id.

create table public.deleted_rows (
  company_id uuid not null references public.companies on delete cascade,
  resource text not null check (resource in ('contacts', 'deals', 'conversations', 'messages')),
  id uuid not null,
  version bigint not null,
  deleted_at timestamptz not null,
  primary key (company_id, resource, id)
);
comment on table public.deleted_rows is
  'Tombstones: the ids of the contacts, deals, conversations and messages of a company that were deleted. The feeds of '
  'changes show them, except while there is a row under the id again.';
create index deleted_rows_changes_idx on public.deleted_rows (company_id, resource, version, id);
-- As for the tables of the resources: the planner plans for the largest company.
alter table public.deleted_rows alter column company_id set (n_distinct = 1);

alter table public.deleted_rows enable row level security;
create policy "a key reads what was deleted in its company" on public.deleted_rows
  for select to api_client using (company_id = (select app.company_id('read')));
grant select on public.deleted_rows to api_client;

-- Security definer, because nobody may write a tombstone.
create function app.note_deletion() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into public.deleted_rows as known (company_id, resource, id, version, deleted_at)
  select deleted.company_id, tg_table_name, deleted.id, app.change_now(), now()
  from deleted
  -- A company that is deleted takes its rows with it, and nobody is left to tell.
  join public.companies on companies.id = deleted.company_id
  on conflict (company_id, resource, id) do update set
    version = excluded.version,
    deleted_at = excluded.deleted_at;
  return null;
end
$$;
comment on function app.note_deletion() is
  'Trigger: leaves a tombstone for each row that the statement deleted, also by a cascade, but not when the company '
  'itself is deleted.';

create trigger contacts_note_deletion after delete on public.contacts
  referencing old table as deleted for each statement execute function app.note_deletion();
create trigger deals_note_deletion after delete on public.deals
  referencing old table as deleted for each statement execute function app.note_deletion();
create trigger conversations_note_deletion after delete on public.conversations
  referencing old table as deleted for each statement execute function app.note_deletion();
create trigger messages_note_deletion after delete on public.messages
  referencing old table as deleted for each statement execute function app.note_deletion();
