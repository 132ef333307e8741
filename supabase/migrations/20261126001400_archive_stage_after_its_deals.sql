-- A stage is archived while batches of patches come to its deals: whoever writes several rows locks the deals first, and
-- then their stages. In the other order, one of the two would end as a deadlock.

create or replace function public.archive_stage(
  stage_id uuid, move_deals_to uuid default null, version bigint default null
) returns text
language plpgsql security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('write');
  stored public.stages;
begin
  perform app.lock_pipelines(own_company_id);
  if move_deals_to is not null then
    -- Before the stage: a batch that says a deal's own stage has locked the deal, and then comes for the stage.
    perform from public.deals where company_id = own_company_id and deals.stage_id = archive_stage.stage_id
    order by id for no key update;
  end if;
  -- Waits for deals that are coming into the stage; they move too.
  select * into stored from public.stages where company_id = own_company_id and id = archive_stage.stage_id for update;
  if not found then
    return 'not_found';
  end if;
  if stored.archived_at is not null then
    return 'archived';
  end if;
  perform app.require_version(stored.version, archive_stage.version);
  if move_deals_to = stored.id then
    return 'same_stage';
  end if;
  if move_deals_to is not null and not exists (
    select from public.stages where company_id = own_company_id and id = move_deals_to and archived_at is null
  ) then
    return 'unknown_stage';
  end if;
  if move_deals_to is not null then
    with moved as materialized (
      select id from public.deals
      where company_id = own_company_id and deals.stage_id = stored.id
      -- In the order in which others lock deals.
      order by id for no key update
    )
    update public.deals set stage_id = move_deals_to from moved where deals.id = moved.id;
  elsif exists (select from public.deals where company_id = own_company_id and deals.stage_id = stored.id) then
    return 'has_deals';
  end if;
  update public.stages set archived_at = now() where id = stored.id;
  return 'archived';
end
$$;
