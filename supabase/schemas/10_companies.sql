-- Companies and their members.

create table public.companies (
  id uuid primary key default gen_random_uuid(),
  name text not null check (char_length(name) between 1 and 255),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  members_found_by_email boolean not null default false,
  managers_need_second_factor boolean not null default false
);
comment on column public.companies.members_found_by_email is
  'Whether an API key with the scope `read` may find a member by e-mail address. Owners and admins set this option.';
comment on column public.companies.managers_need_second_factor is
  'Whether owners and admins have their permissions only in a session with a second factor. An owner sets this option.';
comment on table public.companies is
  'A customer of the platform. Every record belongs to exactly one company.';

create table public.company_members (
  company_id uuid not null references public.companies on delete cascade,
  user_id uuid not null references auth.users on delete cascade,
  role text not null default 'agent' check (role in ('owner', 'admin', 'agent')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- An API key can read every column of this table. So this table does not contain the members' e-mail addresses.
  name text check (char_length(name) between 1 and 100)
    constraint company_members_name_can_be_typed check (app.is_key_name(name)),
  version bigint not null default app.change_now(),
  primary key (company_id, user_id)
);
comment on table public.company_members is
  'The members of a company, each with a role. The assignee of a conversation is a member of its company.';
comment on column public.company_members.name is
  'The member''s name in this company. Null until someone sets the name.';

-- This statistic makes the planner assume that all rows belong to one company. 30_contacts.sql explains why.
alter table public.company_members alter column company_id set (n_distinct = 1);

create index company_members_user_idx on public.company_members (user_id);
create index company_members_newest_first_idx
  on public.company_members (company_id, created_at desc, user_id desc);

-- The next two functions are security definer. Otherwise a policy on company_members that reads company_members would
-- cause infinite recursion. Both functions return arrays. So Postgres evaluates each function once per statement, and
-- can still use an index on company_id.
create function app.member_company_ids() returns uuid[]
language sql stable security definer
set search_path = ''
as $$
  select coalesce(array_agg(company_id), '{}')
  from public.company_members
  where user_id = (select app.signed_in_person())
$$;
comment on function app.member_company_ids() is 'Returns the companies of which the signed-in user is a member.';
grant execute on function app.member_company_ids() to authenticated;

create function app.managed_company_ids() returns uuid[]
language sql stable security definer
set search_path = ''
as $$
  select coalesce(array_agg(company_id), '{}')
  from public.company_members
  join public.companies on companies.id = company_id
  where user_id = (select app.signed_in_person()) and role in ('owner', 'admin')
    and (not managers_need_second_factor or app.used_second_factor())
$$;
comment on function app.managed_company_ids() is
  'Returns the companies of which the signed-in user is an owner or an admin. If the user signed in without a second '
  'factor, excludes companies that require a second factor.';
grant execute on function app.managed_company_ids() to authenticated;

create trigger companies_set_updated_at before update on public.companies
  for each row execute function app.set_updated_at();
create trigger company_members_check_name before insert or update of name on public.company_members
  for each row execute function app.check_name_of_row('a member');
create trigger company_members_note_version before update on public.company_members
  for each row execute function app.note_version();

alter table public.companies enable row level security;
create policy "people read their companies" on public.companies
  for select to authenticated using (id = any ((select app.member_company_ids())::uuid[]));
create policy "owners and admins change their company" on public.companies
  for update to authenticated
  using (id = any ((select app.managed_company_ids())::uuid[]))
  with check (id = any ((select app.managed_company_ids())::uuid[]));
alter table public.company_members enable row level security;
create policy "people see who works in their companies" on public.company_members
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "a key reads the members of its company" on public.company_members
  for select to api_client using (company_id = (select app.company_id('read')));
create policy "owners and admins name the members of their company" on public.company_members
  for update to authenticated
  using (company_id = any ((select app.managed_company_ids())::uuid[]))
  with check (company_id = any ((select app.managed_company_ids())::uuid[]));

grant select, update (name, members_found_by_email) on public.companies to authenticated;
grant select, insert, update, delete on public.companies to service_role;
grant select on public.company_members to api_client;
grant select, update (name) on public.company_members to authenticated;
grant select, insert, update, delete on public.company_members to service_role;
