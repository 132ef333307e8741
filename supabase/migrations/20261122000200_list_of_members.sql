-- A key lists the members of its company: what assigned_to of a conversation may be. It sees a name, never
-- the e-mail address.

alter table public.company_members
  add column name text check (char_length(name) between 1 and 255);
comment on column public.company_members.name is
  'What the person is called in this company; null until it is given.';

create index company_members_newest_first_idx
  on public.company_members (company_id, created_at desc, user_id desc);
-- As with deals: told that there is one company, the planner reads a page from the index.
alter table public.company_members alter column company_id set (n_distinct = 1);

create policy "a key reads the members of its company" on public.company_members
  for select to api_client using (company_id = (select app.company_id()));
grant select on public.company_members to api_client;

create policy "owners and admins name the members of their company" on public.company_members
  for update to authenticated
  using (company_id = any ((select app.managed_company_ids())::uuid[]))
  with check (company_id = any ((select app.managed_company_ids())::uuid[]));
grant update (name) on public.company_members to authenticated;
