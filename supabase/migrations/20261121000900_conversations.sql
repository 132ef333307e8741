-- Conversations: a company's talk with one contact on one messaging account.

create table public.conversations (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null default app.company_id() references public.companies on delete cascade,
  contact_id uuid not null,
  messaging_account_id uuid not null,
  status text not null default 'open' check (status in ('open', 'pending', 'closed')),
  assigned_to uuid,
  team_id uuid,
  last_message_at timestamptz,
  -- Until this time the company may answer freely. After it, only approved templates are allowed.
  window_expires_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  -- A contact or an account that has conversations cannot be deleted, except with its company.
  constraint conversations_contact_fkey foreign key (company_id, contact_id)
    references public.contacts (company_id, id) on delete no action,
  constraint conversations_messaging_account_fkey foreign key (company_id, messaging_account_id)
    references public.messaging_accounts (company_id, id) on delete no action,
  constraint conversations_assignee_fkey foreign key (company_id, assigned_to)
    references public.company_members (company_id, user_id) on delete set null (assigned_to),
  constraint conversations_team_fkey foreign key (company_id, team_id)
    references public.teams (company_id, id) on delete set null (team_id)
);
comment on table public.conversations is
  'A company''s talk with a contact on a messaging account, from its first message until it is closed.';

create index conversations_newest_first_idx on public.conversations (company_id, created_at desc, id desc);
-- A policy hides from the planner which company asks. With n_distinct = 1 the planner assumes one company
-- for all rows, so it plans for the largest company instead of the average one, and reads a page from the
-- index instead of sorting everything.
alter table public.conversations alter column company_id set (n_distinct = 1);
create index conversations_contact_idx on public.conversations (company_id, contact_id);
create index conversations_messaging_account_idx on public.conversations (company_id, messaging_account_id);
create index conversations_assignee_idx on public.conversations (company_id, assigned_to);
create index conversations_team_idx on public.conversations (company_id, team_id);
create unique index conversations_one_not_closed_idx
  on public.conversations (company_id, contact_id, messaging_account_id)
  where status <> 'closed';

create trigger conversations_set_updated_at before update on public.conversations
  for each row execute function app.set_updated_at();

alter table public.conversations enable row level security;
create policy "a key reads its company's conversations" on public.conversations
  for select to api_client using (company_id = (select app.company_id()));
create policy "a key changes its company's conversations" on public.conversations
  for update to api_client
  using (company_id = (select app.company_id('write')))
  with check (company_id = (select app.company_id('write')));
grant select, update (status, assigned_to, team_id) on public.conversations to api_client;

create policy "people read their company's conversations" on public.conversations
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "people change their company's conversations" on public.conversations
  for update to authenticated
  using (company_id = any ((select app.member_company_ids())::uuid[]))
  with check (company_id = any ((select app.member_company_ids())::uuid[]));
-- The platform opens a conversation, together with its first message. People only update it.
grant select, update (status, assigned_to, team_id) on public.conversations to authenticated;
grant select, insert, update, delete on public.conversations to service_role;
