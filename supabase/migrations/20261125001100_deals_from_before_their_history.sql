-- The deals that there were before their history begin it with what is known: when they were created. Who created them,
-- and how they moved, is not known; the stage is, where nothing was changed since. Deals that were added since the
-- migration before have a history already.

-- The feed of changes tells of these deals, because keys read a new time of each. They are as they were otherwise, so
-- updated_at stays, which the trigger would stamp as well.
alter table public.deals disable trigger deals_note_change;
alter table public.deals disable trigger deals_note_moves;
with begun as (
  insert into public.deal_history (company_id, deal_id, kind, to_value, at)
  select company_id, id, 'created', case when updated_at = created_at then stage_id::text end, created_at
  from public.deals
  where not exists (
    select from public.deal_history where company_id = deals.company_id and deal_id = deals.id
  )
  returning company_id, deal_id
)
update public.deals set stage_changed_at = created_at, version = app.change_now()
from begun where deals.company_id = begun.company_id and deals.id = begun.deal_id;
alter table public.deals enable trigger deals_note_change;
alter table public.deals enable trigger deals_note_moves;

-- What the planner knows of the new columns and expressions.
analyze public.deals, public.deal_history;
