-- Deals: sales opportunities, each with a contact and in a stage of the same company.

create table public.deals (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null default app.company_id() references public.companies on delete cascade,
  title text not null check (char_length(title) between 1 and 255),
  -- NaN is a numeric value too, and greater than every number.
  value numeric(14, 2) check (value >= 0 and value <> 'NaN'),
  status text not null default 'open' check (status in ('open', 'won', 'lost')),
  contact_id uuid not null,
  stage_id uuid not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  -- Row-level security does not check foreign keys, so every reference carries the company.
  -- A contact or a stage that has deals cannot be deleted, except with its company.
  constraint deals_contact_fkey foreign key (company_id, contact_id)
    references public.contacts (company_id, id) on delete no action,
  constraint deals_stage_fkey foreign key (company_id, stage_id)
    references public.stages (company_id, id) on delete no action
);
comment on table public.deals is 'A sales opportunity with a contact, in a stage of a pipeline.';

create index deals_newest_first_idx on public.deals (company_id, created_at desc, id desc);
-- A policy hides from the planner which company asks. With n_distinct = 1 the planner assumes one company
-- for all rows, so it plans for the largest company instead of the average one, and reads a page from the
-- index instead of sorting everything.
alter table public.deals alter column company_id set (n_distinct = 1);
create index deals_contact_idx on public.deals (company_id, contact_id);
create index deals_stage_idx on public.deals (company_id, stage_id);

create trigger deals_set_updated_at before update on public.deals
  for each row execute function app.set_updated_at();

alter table public.deals enable row level security;
create policy "a key reads its company's deals" on public.deals
  for select to api_client using (company_id = (select app.company_id()));
create policy "a key adds deals to its company" on public.deals
  for insert to api_client with check (company_id = (select app.company_id('write')));
create policy "a key changes its company's deals" on public.deals
  for update to api_client
  using (company_id = (select app.company_id('write')))
  with check (company_id = (select app.company_id('write')));
grant
  select,
  insert (title, value, contact_id, stage_id),
  update (title, value, status, stage_id)
  on public.deals to api_client;

create policy "people read their company's deals" on public.deals
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "people add deals to their company" on public.deals
  for insert to authenticated with check (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "people change their company's deals" on public.deals
  for update to authenticated
  using (company_id = any ((select app.member_company_ids())::uuid[]))
  with check (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "people delete their company's deals" on public.deals
  for delete to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
grant
  select,
  insert (company_id, title, value, status, contact_id, stage_id),
  update (title, value, status, contact_id, stage_id),
  delete
  on public.deals to authenticated;
grant select, insert, update, delete on public.deals to service_role;
