-- Replays: a caller receives the events of a period again. The delivery job reads them from the log in pages.

create function app.fill_from_replay(replay app.replays, hook public.webhooks, horizon bigint) returns boolean
language plpgsql
set search_path = ''
-- Only a plan for these specific values skips the partitions of other days.
set plan_cache_mode = force_custom_plan
as $$
declare
  at constant timestamptz := clock_timestamp();
  own_slots constant smallint[] := app.slots_between(replay.since, replay.until);
  scanned record;
begin
  with page as (
    select events.* from app.events
    where events.company_id = hook.company_id
      and (events.version, events.seq) > (replay.after_version, replay.after_seq) and events.version < horizon
      and events.slot = any (own_slots)
      and events.happened_at >= replay.since and events.happened_at < replay.until
      and events.happened_at > now() - interval '30 days'
    order by events.version, events.seq limit 1000
  ),
  wanted as (
    select * from page
    where app.wants(coalesce(replay.types, hook.types), type) and app.is_for_webhook(page.type, record_id, hook.id)
  ),
  filled as (
    insert into app.open_deliveries (webhook_id, record_id, seq, slot, event_id, company_id, type, due_at)
    select hook.id, record_id, seq, slot, id, company_id, type, at from wanted
    on conflict do nothing
  ),
  -- A delivery waits for the earlier deliveries of its record, so these become due too. If the first of them has failed
  -- since the caller asked for the replay, it keeps its pause. Otherwise each page would use up one of its attempts.
  brought_forward as (
    update app.open_deliveries as open set due_at = at
    from (select record_id, max(seq) as seq from wanted group by record_id) as replayed
    cross join lateral (
      select tries from app.open_deliveries as waiting
      where waiting.webhook_id = hook.id and waiting.record_id = replayed.record_id and waiting.due_at > at
      order by waiting.seq limit 1
    ) as first
    where open.webhook_id = hook.id and open.record_id = replayed.record_id and open.seq <= replayed.seq
      and open.due_at > at
      and coalesce((first.tries -> -1 ->> 'at')::timestamptz < replay.requested_at, true)
  )
  select max(version) as version, max(seq) filter (where is_last) as seq, count(*) as events into scanned
  from (select version, seq, version = max(version) over () as is_last from page) as places;
  if scanned.events > 0 then
    update app.replays set after_version = scanned.version, after_seq = scanned.seq where webhook_id = hook.id;
  end if;
  -- Transactions that are still open may have written events in the period of the replay. This transaction began after
  -- the period, so its version is higher than the versions of all these transactions.
  if replay.beyond is null and now() >= replay.until then
    update app.replays set beyond = app.change_now() where webhook_id = hook.id;
  end if;
  if scanned.events < 1000 and horizon >= replay.beyond then
    delete from app.replays where webhook_id = hook.id;
  end if;
  return scanned.events > 0;
end
$$;
comment on function app.fill_from_replay(app.replays, public.webhooks, bigint) is
  'Queues the next 1,000 events of a replay, including events that were delivered earlier. If deliveries of these '
  'events, or of earlier events of their records, wait for a retry, makes them due now. Returns whether there were any '
  'events.';

create function app.slots_between(since timestamptz, until timestamptz) returns smallint[]
language sql stable
set search_path = ''
as $$
  select coalesce(array_agg(distinct app.slot_of(day)), '{}')
  from generate_series(
    greatest(since, now() - interval '31 days') - interval '1 day', least(until, now()) + interval '1 day',
    interval '1 day'
  ) as day
$$;
comment on function app.slots_between(timestamptz, timestamptz) is
  'Returns the slots of the log for the days between two times, and for the day before and the day after this period.';
