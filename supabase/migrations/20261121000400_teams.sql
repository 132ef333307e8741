-- Teams of a company, to which conversations are assigned.

create table public.teams (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  name text not null check (char_length(name) between 1 and 255),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  unique (company_id, name)
);
comment on table public.teams is 'A group of people of a company that conversations are assigned to.';

create trigger teams_set_updated_at before update on public.teams
  for each row execute function app.set_updated_at();

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
grant select, insert (company_id, name), update (name), delete on public.teams to authenticated;
grant select, insert, update, delete on public.teams to service_role;
