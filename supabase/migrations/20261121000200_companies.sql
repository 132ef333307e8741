-- Companies and the people who work in them.

create table public.companies (
  id uuid primary key default gen_random_uuid(),
  name text not null check (char_length(name) between 1 and 255),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on table public.companies is 'A customer of the platform. Every row of the other tables belongs to exactly one company.';

create trigger companies_set_updated_at before update on public.companies
  for each row execute function app.set_updated_at();

create table public.company_members (
  company_id uuid not null references public.companies on delete cascade,
  user_id uuid not null references auth.users on delete cascade,
  role text not null default 'agent' check (role in ('owner', 'admin', 'agent')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (company_id, user_id)
);
comment on table public.company_members is
  'The people who work in a company, each with a role. The assignee of a conversation is one of them.';

create index company_members_user_idx on public.company_members (user_id);

create trigger company_members_set_updated_at before update on public.company_members
  for each row execute function app.set_updated_at();

-- These two functions are security definer: a policy on company_members that read company_members
-- under that same policy would recurse without end. They return arrays, so that Postgres evaluates them
-- once per statement and can still use an index on company_id.
create function app.member_company_ids() returns uuid[]
language sql stable security definer
set search_path = ''
as $$
  select coalesce(array_agg(company_id), '{}')
  from public.company_members
  where user_id = (select auth.uid())
$$;
comment on function app.member_company_ids() is 'The companies in which the signed-in person works.';

create function app.managed_company_ids() returns uuid[]
language sql stable security definer
set search_path = ''
as $$
  select coalesce(array_agg(company_id), '{}')
  from public.company_members
  where user_id = (select auth.uid()) and role in ('owner', 'admin')
$$;
comment on function app.managed_company_ids() is 'The companies that the signed-in person runs, as owner or admin.';

grant execute on function app.member_company_ids(), app.managed_company_ids() to authenticated;

alter table public.companies enable row level security;
create policy "people read their companies" on public.companies
  for select to authenticated using (id = any ((select app.member_company_ids())::uuid[]));
create policy "owners and admins rename their company" on public.companies
  for update to authenticated
  using (id = any ((select app.managed_company_ids())::uuid[]))
  with check (id = any ((select app.managed_company_ids())::uuid[]));
grant select, update (name) on public.companies to authenticated;
grant select, insert, update, delete on public.companies to service_role;

alter table public.company_members enable row level security;
create policy "people see who works in their companies" on public.company_members
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
grant select on public.company_members to authenticated;
grant select, insert, update, delete on public.company_members to service_role;
