-- A deal has a history: when it was created, moved to another stage, won, lost or opened again, and by whom. The
-- database writes it in the transaction of the change, whoever makes that: a key, a person, the platform, a batch.

-- A constant default changes no row, so no table is locked for long. The next migration says when the deals that there
-- are were created.
alter table public.deals
  add column won_at timestamptz,
  add column lost_at timestamptz,
  add column stage_changed_at timestamptz not null default now();
comment on column public.deals.won_at is
  'Since when the deal is won; null unless it is, or when it was won before this was noted.';
comment on column public.deals.lost_at is
  'Since when the deal is lost; null unless it is, or when it was lost before this was noted.';
comment on column public.deals.stage_changed_at is
  'Since when the deal is in its stage; for a deal from before this was noted and not moved since, when it was created.';

-- What has no value is before all others, so that one index serves ranges and order.
create index deals_by_stage_change_idx on public.deals (company_id, stage_changed_at, id);
create index deals_by_won_at_idx on public.deals (company_id, coalesce(won_at, '-infinity'), id);
create index deals_by_lost_at_idx on public.deals (company_id, coalesce(lost_at, '-infinity'), id);

create table public.deal_history (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  deal_id uuid not null,
  kind text not null check (kind in ('created', 'stage_changed', 'status_changed')),
  from_value text check (char_length(from_value) between 1 and 255),
  to_value text check (char_length(to_value) between 1 and 255),
  at timestamptz not null,
  -- No references: who made a change stays known after the key or the account is gone.
  api_key_id uuid,
  user_id uuid,
  check (api_key_id is null or user_id is null),
  constraint deal_history_deal_fkey foreign key (company_id, deal_id)
    references public.deals (company_id, id) on delete cascade
);
comment on table public.deal_history is
  'What happened to each deal, one entry for each move. From the first entry on, each begins where the one of its kind '
  'before ended, so the last ones say the stage and the status that the deal has.';
comment on column public.deal_history.from_value is
  'The stage or the status of before; null for the creation.';
comment on column public.deal_history.to_value is
  'The stage or the status since; of the creation, the stage. Null where it is not known, because the deal is from '
  'before there was a history.';
comment on column public.deal_history.api_key_id is
  'The key that made the change. Without one and without a person, the platform made it, or it is not known.';
create index deal_history_by_time_idx on public.deal_history (company_id, deal_id, at, id);
-- As for deals: the planner plans for the largest company.
alter table public.deal_history alter column company_id set (n_distinct = 1);

-- Nobody writes it but the triggers below.
alter table public.deal_history enable row level security;
create policy "people read the history of their company's deals" on public.deal_history
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
grant select on public.deal_history to authenticated, service_role;

create view public.own_deal_history as
  select id, company_id, deal_id, kind, from_value, to_value, at, api_key_id, user_id
  from public.deal_history
  where company_id = (select app.company_id('read'));
comment on view public.own_deal_history is
  'The history of the deals of the company whose key the request carries.';
grant select on public.own_deal_history to api_reader;

-- Security definer, because nobody may read the digests of keys.
create function app.author(out api_key_id uuid, out user_id uuid)
language plpgsql stable security definer
set search_path = ''
as $$
begin
  case coalesce(current_setting('role', true), '')
    when 'api_client' then
      select id into api_key_id from public.api_keys where key_hash = auth.jwt() ->> 'key_hash';
    when 'authenticated' then
      user_id := auth.uid();
    else
      null; -- the platform
  end case;
end
$$;
comment on function app.author() is
  'Who makes the change that is under way: the API key or the person of this request; neither for the platform.';

-- The times of a deal come from here only. Security definer, because nobody may write the history.
create function app.note_moves() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  tick constant interval = '1 microsecond';
  moved_at timestamptz;
  author record;
begin
  if tg_op = 'INSERT' then
    new.stage_changed_at := new.created_at;
    -- The platform may know since when: it adds deals that had a life elsewhere.
    new.won_at := case new.status when 'won' then greatest(new.won_at, new.created_at + tick) end;
    new.lost_at := case new.status when 'lost' then greatest(new.lost_at, new.created_at + tick) end;
    return new;
  end if;

  new.stage_changed_at := old.stage_changed_at;
  new.won_at := old.won_at;
  new.lost_at := old.lost_at;
  if new.stage_id = old.stage_id and new.status = old.status then
    return new;
  end if;

  -- A transaction that began earlier may come to the deal later, and one may move it twice. The lock on the deal puts
  -- them in an order, and so do these times.
  select greatest(now(), max(at) + tick) into moved_at
  from public.deal_history where company_id = old.company_id and deal_id = old.id;
  author := app.author();
  if new.stage_id <> old.stage_id then
    new.stage_changed_at := moved_at;
    insert into public.deal_history
      (company_id, deal_id, kind, from_value, to_value, at, api_key_id, user_id)
    values
      (old.company_id, old.id, 'stage_changed', old.stage_id, new.stage_id, moved_at, author.api_key_id, author.user_id);
    moved_at := moved_at + tick;
  end if;
  if new.status <> old.status then
    new.won_at := case new.status when 'won' then moved_at end;
    new.lost_at := case new.status when 'lost' then moved_at end;
    insert into public.deal_history
      (company_id, deal_id, kind, from_value, to_value, at, api_key_id, user_id)
    values
      (old.company_id, old.id, 'status_changed', old.status, new.status, moved_at, author.api_key_id, author.user_id);
  end if;
  return new;
end
$$;
comment on function app.note_moves() is
  'Trigger: sets won_at, lost_at and stage_changed_at, whatever the statement says of them, and writes the history of a '
  'deal that moves to another stage or status. A deal that is opened again is neither won nor lost.';
-- Named to run after deals_note_change, which refuses what must not change.
create trigger deals_note_moves before insert or update on public.deals
  for each row execute function app.note_moves();

create function app.note_creation() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into public.deal_history
    (company_id, deal_id, kind, from_value, to_value, at, api_key_id, user_id)
  select added.company_id, added.id, entry.kind, entry.from_value, entry.to_value, entry.at, api_key_id, user_id
  from added
  cross join app.author()
  cross join lateral (
    values
      ('created', null, added.stage_id::text, added.created_at),
      ('status_changed', 'open', added.status, coalesce(added.won_at, added.lost_at))
  ) as entry (kind, from_value, to_value, at)
  where entry.kind = 'created' or added.status <> 'open';
  return null;
end
$$;
comment on function app.note_creation() is
  'Trigger: begins the history of new deals. Each is created open; one that is added as won or lost became it next.';
create trigger deals_note_creation after insert on public.deals
  referencing new table as added for each statement execute function app.note_creation();

-- What keys read of a deal.

create or replace view public.own_deals as
  select
    id, company_id, title, value, status, contact_id, stage_id, created_at, updated_at,
    words, left(words, 100) collate "C" as title_sort, coalesce(value, -1) as value_sort,
    version::text as version,
    won_at, lost_at, stage_changed_at,
    coalesce(won_at, '-infinity') as won_sort, coalesce(lost_at, '-infinity') as lost_sort
  from public.deals
  where company_id = (select app.company_id('read'));

select app.make_feed('deal_changes', 'deals', '
  id, company_id, title, value, status, contact_id, stage_id, won_at, lost_at, stage_changed_at, created_at, updated_at
');
