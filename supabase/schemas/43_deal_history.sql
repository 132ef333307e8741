-- The deal history. The history records when each deal was created, moved to another stage, won, lost or reopened, and
-- who made the change. The database writes the history in the transaction of the change, whether a key, a user or the
-- platform makes the change.

create table public.deal_history (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  deal_id uuid not null,
  kind text not null check (kind in ('created', 'stage_changed', 'status_changed')),
  from_value text check (char_length(from_value) between 1 and 255),
  to_value text check (char_length(to_value) between 1 and 255),
  at timestamptz not null,
  -- These columns have no foreign keys, so the author of a change remains known after the key or the user account is
  -- deleted.
  api_key_id uuid,
  user_id uuid,
  check (api_key_id is null or user_id is null),
  constraint deal_history_deal_fkey foreign key (company_id, deal_id)
    references public.deals (company_id, id) on delete cascade
);
comment on table public.deal_history is
  'The deal history: one entry for each change of a deal''s stage or status. An entry contains the earlier and the new '
  'stage or status. So the newest entry for the stage contains the current stage, and the newest entry for the status '
  'contains the current status. A deal without an entry for the status is open.';
comment on column public.deal_history.from_value is 'The earlier stage or status. Null in the entry for the creation.';
comment on column public.deal_history.to_value is
  'The new stage or status. For the creation, the initial stage. Null when the value is not known.';
comment on column public.deal_history.api_key_id is
  'The key that made the change. If api_key_id and user_id are both null, the platform made the change, or the author '
  'is not known.';

-- These statistics make the planner assume that all rows belong to one company, and that each deal has 1,000 entries.
-- 30_contacts.sql explains the first assumption. The second assumption is necessary: if the planner expects fewer
-- entries than a page contains, Postgres may read and sort the whole history of a deal.
alter table public.deal_history
  alter column company_id set (n_distinct = 1),
  alter column deal_id set (n_distinct = -0.001);

create index deal_history_by_time_idx on public.deal_history (company_id, deal_id, at, id);

-- Only this trigger sets won_at, lost_at and stage_changed_at. Security definer, because no role may write the history
-- directly.
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
    -- The platform may specify these times, because it also adds deals that were won or lost earlier in another system.
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

  -- The start times of transactions do not show the order of moves: a transaction that began earlier may write the deal
  -- later, and one transaction may move a deal twice. The lock on the deal determines the order of the moves. So each
  -- move gets a later time than the previous move.
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
  'Trigger: sets won_at, lost_at and stage_changed_at, and writes the history of a deal whose stage or status changes. '
  'An update cannot set these times, but the platform may set won_at or lost_at in a new deal. A reopened deal has no '
  'won_at and no lost_at.';

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
  'Trigger: starts the history of new deals. The first entry records the creation of an open deal. A deal that is '
  'added as won or lost also gets a second entry.';

-- Triggers run in the order of their names. So this trigger runs after deals_note_change, which refuses forbidden
-- changes.
create trigger deals_note_moves before insert or update on public.deals
  for each row execute function app.note_moves();
create trigger deals_note_creation after insert on public.deals
  referencing new table as added for each statement execute function app.note_creation();

-- Only the triggers above write the deal history.
alter table public.deal_history enable row level security;
create policy "people read the history of their company's deals" on public.deal_history
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));

-- Agents must not see keys, and these privileges apply to all users. So no user can read api_key_id.
grant select (id, company_id, deal_id, kind, from_value, to_value, at, user_id) on public.deal_history to authenticated;
grant select on public.deal_history to service_role;
