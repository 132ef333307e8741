-- Teams of a company. A conversation can be assigned to a team.

create table public.teams (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  name text not null check (char_length(name) between 1 and 255),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  version bigint not null default app.change_now(),
  unique (company_id, id),
  unique (company_id, name)
);
comment on table public.teams is 'A group of members in a company. Conversations can be assigned to a team.';

-- This statistic makes the planner assume that all rows belong to one company. 30_contacts.sql explains why.
alter table public.teams alter column company_id set (n_distinct = 1);

-- An API key can list the teams of its company. The list contains every team that a conversation may have in team_id.
create index teams_newest_first_idx on public.teams (company_id, created_at desc, id desc);

create trigger teams_note_version before update on public.teams
  for each row execute function app.note_version();

alter table public.teams enable row level security;
create policy "people read their company's teams" on public.teams
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "people add teams to their company" on public.teams
  for insert to authenticated with check (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "people change their company's teams" on public.teams
  for update to authenticated
  using (company_id = any ((select app.member_company_ids())::uuid[]))
  with check (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "people delete their company's teams" on public.teams
  for delete to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "a key reads its company's teams" on public.teams
  for select to api_client using (company_id = (select app.company_id('read')));

grant select on public.teams to api_client;
grant select, insert (company_id, name), update (name), delete on public.teams to authenticated;
grant select, insert, update, delete on public.teams to service_role;
