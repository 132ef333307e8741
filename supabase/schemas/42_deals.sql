-- Deals: sales opportunities. Each deal has a contact and a stage of the same company.

create table public.deals (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null default app.company_id() references public.companies on delete cascade,
  title text not null check (char_length(title) between 1 and 255),
  -- The second condition is necessary, because Postgres treats NaN as greater than every number.
  value numeric(14, 2) check (value >= 0 and value <> 'NaN'),
  status text not null default 'open' check (status in ('open', 'won', 'lost')),
  contact_id uuid not null,
  stage_id uuid not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  words text not null generated always as (app.words(title)) stored,
  version bigint not null default app.change_now(),
  won_at timestamptz,
  lost_at timestamptz,
  stage_changed_at timestamptz not null default now(),
  archived_at timestamptz,
  external_id text constraint deals_external_id_check check (char_length(external_id) between 1 and 255),
  unique (company_id, id),
  -- Row-level security does not apply to foreign key checks, so every reference includes the company. A contact or a
  -- stage that has deals cannot be deleted, except with its company.
  constraint deals_contact_fkey foreign key (company_id, contact_id)
    references public.contacts (company_id, id) on delete no action,
  constraint deals_stage_fkey foreign key (company_id, stage_id)
    references public.stages (company_id, id) on delete no action
);
comment on table public.deals is 'A sales opportunity with a contact, in a stage of a pipeline.';
comment on column public.deals.words is 'The title, normalized for searches.';
comment on column public.deals.won_at is 'When the deal was won. Null when the deal is not won.';
comment on column public.deals.lost_at is 'When the deal was lost. Null when the deal is not lost.';
comment on column public.deals.stage_changed_at is 'When the deal entered its current stage.';
comment on column public.deals.external_id is
  'The id of the deal in one of the company''s own systems. Two deals that are not archived never have the same '
  'external_id.';
comment on column public.deals.archived_at is
  'When the deal was archived. Null when the deal is not archived. The database sets this time.';

-- This statistic makes the planner assume that all rows belong to one company. 30_contacts.sql explains why.
alter table public.deals alter column company_id set (n_distinct = 1);

alter table public.deals alter column words set statistics 400;

create index deals_newest_first_idx on public.deals (company_id, created_at desc, id desc);

-- The indexes on contact_id and stage_id have the sort order of lists.
create index deals_words_idx on public.deals using gin (company_id, words extensions.gin_trgm_ops)
  with (gin_pending_list_limit = 512);
create index deals_title_idx on public.deals (company_id, title);
create index deals_status_idx on public.deals (company_id, status, created_at desc, id desc);
create index deals_contact_idx on public.deals (company_id, contact_id, created_at desc, id desc);
create index deals_stage_idx on public.deals (company_id, stage_id, created_at desc, id desc);
create index deals_by_title_idx on public.deals (company_id, (left(words, 100) collate "C"), id);
create index deals_by_value_idx on public.deals (company_id, coalesce(value, -1), id);
create index deals_by_update_idx on public.deals (company_id, updated_at, id);
create index deals_changes_idx on public.deals (company_id, version, id);

-- In the indexes on won_at and lost_at, a deal without the time comes first. So each index supports range conditions
-- and sorting.
create index deals_by_stage_change_idx on public.deals (company_id, stage_changed_at, id);
create index deals_by_won_at_idx on public.deals (company_id, coalesce(won_at, '-infinity'), id);
create index deals_by_lost_at_idx on public.deals (company_id, coalesce(lost_at, '-infinity'), id);
create index deals_not_archived_idx on public.deals (company_id, created_at desc, id desc)
  where archived_at is null;
create index deals_not_archived_by_update_idx on public.deals (company_id, updated_at, id)
  where archived_at is null;
create index deals_archived_idx on public.deals (company_id, created_at desc, id desc)
  where archived_at is not null;

-- This index has the same form as contacts_one_per_external_id.
create unique index deals_one_per_external_id on public.deals
  (company_id, external_id, (case when archived_at is not null then id end)) nulls not distinct
  where external_id is not null;

-- Security definer, because a write token cannot read stages.
create function app.require_stage_in_use() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  is_archived boolean;
begin
  select archived_at is not null into is_archived from public.stages
  where company_id = new.company_id and id = new.stage_id
  -- The foreign key acquires the same lock. So this query waits only for a transaction that archives or deletes the
  -- stage.
  for key share;
  if is_archived then
    raise foreign_key_violation using
      message = 'insert or update on table "deals" violates foreign key constraint "deals_stage_fkey"',
      detail = 'The stage is archived', constraint = 'deals_stage_fkey';
  end if;
  return new;
end
$$;
comment on function app.require_stage_in_use() is
  'Trigger: raises a violation of deals_stage_fkey when the stage of a deal is archived. The foreign key refuses an '
  'unknown stage.';

create function app.require_unarchived_contact() returns trigger
-- Security definer, because a token that writes deals cannot read contacts.
language plpgsql security definer
set search_path = ''
as $$
declare
  broken text;
begin
  -- The foreign key acquires the same lock. This query waits for a transaction that archives the contact.
  select case
    -- No one can restore the contact of an erased person.
    when erased_at is not null then 'deals_contact_not_erased'
    when archived_at is not null then 'deals_contact_not_archived'
  end
  into broken
  from public.contacts
  where company_id = new.company_id and id = new.contact_id
  for key share;
  if broken is not null then
    raise check_violation using
      message = format('new row for relation "deals" violates check constraint "%s"', broken), constraint = broken;
  end if;
  return new;
end
$$;
comment on function app.require_unarchived_contact() is
  'Trigger: raises a violation of deals_contact_not_archived when the contact of a new deal is archived, and of '
  'deals_contact_not_erased when its person was erased. Existing deals remain when their contact is archived. The '
  'foreign key refuses an unknown contact.';

create trigger deals_note_written before insert or update on public.deals
  for each statement execute function app.note_written_table();
create trigger deals_note_no_longer_written after insert or update on public.deals
  for each statement execute function app.note_written_table();
create trigger deals_note_change before update on public.deals
  for each row execute function app.note_change();
create trigger deals_note_deletion after delete on public.deals
  referencing old table as deleted for each statement execute function app.note_deletion();
create trigger deals_require_stage_when_added before insert on public.deals
  for each row execute function app.require_stage_in_use();
create trigger deals_require_stage_when_moved before update of stage_id on public.deals
  for each row when (new.stage_id <> old.stage_id) execute function app.require_stage_in_use();
create trigger deals_require_unarchived_contact before insert on public.deals
  for each row execute function app.require_unarchived_contact();
create trigger deals_require_unarchived_new_contact before update of contact_id on public.deals
  for each row when (new.contact_id <> old.contact_id) execute function app.require_unarchived_contact();

alter table public.deals enable row level security;
create policy "a key reads its company's deals" on public.deals
  for select to api_client using (company_id = (select app.company_id_to_read('deals')));
create policy "a key changes its company's deals" on public.deals
  for update to api_client
  using (company_id = (select app.company_id('write')))
  with check (company_id = (select app.company_id('write')));
create policy "people read their company's deals" on public.deals
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "people add deals to their company" on public.deals
  for insert to authenticated with check (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "people change their company's deals" on public.deals
  for update to authenticated
  using (company_id = any ((select app.member_company_ids())::uuid[]))
  with check (company_id = any ((select app.member_company_ids())::uuid[]));

grant select on public.deals to api_client;
grant update (external_id, title, value, status, stage_id, version) on public.deals to api_client;
grant select on public.deals to authenticated;
grant insert (company_id, external_id, title, value, status, contact_id, stage_id) on public.deals to authenticated;
grant update (external_id, title, value, status, contact_id, stage_id, archived_at) on public.deals to authenticated;
grant select, insert, update, delete on public.deals to service_role;

select app.make_feed('deal_changes', 'deals', '
  id, company_id, external_id, title, value, status, contact_id, stage_id, won_at, lost_at, stage_changed_at,
  archived_at, created_at, updated_at
');
