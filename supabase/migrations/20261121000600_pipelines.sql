-- Pipelines and their stages. A new company gets one pipeline, so that it can add deals at once.

create table public.pipelines (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  name text not null check (char_length(name) between 1 and 255),
  position integer not null default 0 check (position >= 0),
  is_default boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id)
);
comment on table public.pipelines is 'A sales process of a company: stages in an order.';

create index pipelines_by_position_idx on public.pipelines (company_id, position, id);
-- A policy hides from the planner which company asks. With n_distinct = 1 the planner assumes one company
-- for all rows, so it plans for the largest company instead of the average one, and reads a page from the
-- index instead of sorting everything.
alter table public.pipelines alter column company_id set (n_distinct = 1);
create unique index pipelines_one_default_idx on public.pipelines (company_id) where is_default;

create trigger pipelines_set_updated_at before update on public.pipelines
  for each row execute function app.set_updated_at();

create table public.stages (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  pipeline_id uuid not null,
  name text not null check (char_length(name) between 1 and 255),
  position integer not null default 0 check (position >= 0),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  constraint stages_pipeline_fkey foreign key (company_id, pipeline_id)
    references public.pipelines (company_id, id) on delete cascade
);
comment on table public.stages is 'A step of a pipeline. A deal is in exactly one stage.';

create index stages_by_position_idx on public.stages (company_id, pipeline_id, position, id);
-- As for pipelines.
alter table public.stages alter column company_id set (n_distinct = 1);

create trigger stages_set_updated_at before update on public.stages
  for each row execute function app.set_updated_at();

alter table public.pipelines enable row level security;
create policy "a key reads its company's pipelines" on public.pipelines
  for select to api_client using (company_id = (select app.company_id()));
grant select on public.pipelines to api_client;
create policy "people read their company's pipelines" on public.pipelines
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "people add pipelines to their company" on public.pipelines
  for insert to authenticated with check (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "people change their company's pipelines" on public.pipelines
  for update to authenticated
  using (company_id = any ((select app.member_company_ids())::uuid[]))
  with check (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "people delete their company's pipelines" on public.pipelines
  for delete to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
grant
  select,
  insert (company_id, name, position, is_default),
  update (name, position, is_default),
  delete
  on public.pipelines to authenticated;
grant select, insert, update, delete on public.pipelines to service_role;

alter table public.stages enable row level security;
create policy "a key reads its company's stages" on public.stages
  for select to api_client using (company_id = (select app.company_id()));
grant select on public.stages to api_client;
create policy "people read their company's stages" on public.stages
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "people add stages to their company" on public.stages
  for insert to authenticated with check (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "people change their company's stages" on public.stages
  for update to authenticated
  using (company_id = any ((select app.member_company_ids())::uuid[]))
  with check (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "people delete their company's stages" on public.stages
  for delete to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
grant
  select,
  insert (company_id, pipeline_id, name, position),
  update (pipeline_id, name, position),
  delete
  on public.stages to authenticated;
grant select, insert, update, delete on public.stages to service_role;

create function app.add_default_pipeline() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  new_pipeline_id uuid;
begin
  insert into public.pipelines (company_id, name, position, is_default)
  values (new.id, 'Sales', 0, true)
  returning id into new_pipeline_id;

  insert into public.stages (company_id, pipeline_id, name, position)
  select new.id, new_pipeline_id, stage.name, stage.ordinality - 1
  from unnest(array['New lead', 'Qualified', 'Proposal', 'Negotiation', 'Closing'])
    with ordinality as stage (name, ordinality);
  return null;
end
$$;
comment on function app.add_default_pipeline() is 'Trigger: gives a new company a pipeline with stages.';

create trigger companies_add_default_pipeline after insert on public.companies
  for each row execute function app.add_default_pipeline();
