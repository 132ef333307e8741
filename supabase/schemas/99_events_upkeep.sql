-- Maintenance of events and webhooks. These functions fill queues from the log, limit long queues, and switch off the
-- webhooks of keys that have ended. They also empty old partitions, and delete the receivers' responses.

create function app.fill_from_backlog(hook public.webhooks, horizon bigint) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  scanned record;
begin
  with page as (
    select events.* from app.events
    where events.company_id = hook.company_id
      and (events.version, events.seq) > (hook.catch_up_version, hook.catch_up_seq) and events.version < horizon
      and events.happened_at > greatest(hook.created_at, now() - interval '30 days')
    order by events.version, events.seq limit 1000
  ),
  last as (select version, seq from page order by version desc, seq desc limit 1),
  -- The log is sorted by version. An earlier event of a record may have a later version, if its transaction began
  -- later. This query finds such earlier events.
  earlier as (
    select following.*
    from last
    cross join lateral (
      select events.* from app.events
      where events.company_id = hook.company_id and (events.version, events.seq) > (last.version, last.seq)
      order by events.version, events.seq limit 5000
    ) as following
    where following.seq < (select max(seq) from page) and following.record_id in (select record_id from page)
  ),
  filled as (
    insert into app.open_deliveries (webhook_id, record_id, seq, slot, event_id, company_id, type, due_at)
    select hook.id, record_id, seq, slot, id, company_id, type, clock_timestamp()
    from (select * from page union all select * from earlier) as found
    where app.wants(hook.types, found.type) and app.is_for_webhook(found.type, record_id, hook.id)
      and (
        select true from app.deliveries
        where deliveries.slot = found.slot and deliveries.webhook_id = hook.id and deliveries.seq = found.seq
          and deliveries.outcome = 'delivered' limit 1
      ) is null
    on conflict do nothing
  )
  select last.version, last.seq, (select count(*) from page) as events into scanned from last;
  if scanned.events > 0 then
    update public.webhooks set catch_up_version = scanned.version, catch_up_seq = scanned.seq where id = hook.id;
  end if;
  return coalesce(scanned.events, 0) = 1000;
end
$$;
comment on function app.fill_from_backlog(public.webhooks, bigint) is
  'Reads the next 1,000 events of the log, and queues the events that a webhook subscribes to and has not received '
  'yet. Returns false if this was the end of the log.';

create function app.is_for_webhook(type text, record uuid, webhook uuid) returns boolean
language sql immutable
set search_path = ''
as $$
  select case type
    when 'webhook.test' then record = webhook when 'webhook.switched_off' then record <> webhook else true
  end
$$;
comment on function app.is_for_webhook(text, uuid, uuid) is
  'Checks whether an event goes to a webhook: the event webhook.test goes only to the tested webhook, and '
  'webhook.switched_off goes only to the other webhooks.';

create function app.fill_from_log(webhook uuid) returns text
language plpgsql
set search_path = ''
as $$
declare
  at constant timestamptz := clock_timestamp();
  hook public.webhooks;
  replay app.replays;
  clock record;
begin
  if not exists (select from public.webhooks where id = webhook and catch_up_version is not null)
    and not exists (select from app.replays where webhook_id = webhook)
  then
    return 'none';
  end if;
  -- At the end of catching up, reading the log queues hardly any more deliveries. Deliveries that wait for a retry do not
  -- count as due, because a receiver may refuse only some events. Their number has the limit of app.bound_queues().
  if (select catch_up_until from public.webhooks where id = webhook) is null and (
    exists (select from app.open_deliveries where webhook_id = webhook and due_at <= at offset 999)
    or exists (select from app.open_deliveries where webhook_id = webhook offset 49999)
  ) then
    return 'filled';
  end if;
  -- This lock waits for a settlement that is moving deliveries to the log. Without the lock, the statements below might
  -- miss a delivery that is no longer in the queue and not yet in the log. The lock also waits for a transaction that
  -- switches the webhook off, so the function reads the webhook only now.
  select * into hook from public.webhooks where id = webhook for no key update;
  if (hook.state in ('on', 'catching_up')) is not true then
    return 'none';
  end if;
  -- The end of the log cannot be found while the horizon hides restored events.
  if app.awaits_restart(hook.company_id) then
    return 'wait';
  end if;
  select * into replay from app.replays where webhook_id = webhook;
  -- Every transaction below the horizon has ended, so the statements below see all events of these transactions.
  select * into clock from app.change_clock_now();
  if hook.catch_up_version is not null then
    if app.fill_from_backlog(hook, clock.horizon) then
      return case when hook.catch_up_until is null then 'filled' else 'wait' end;
    end if;
    -- This is the end of the log. From now on, the events of new transactions are queued as they are written.
    if hook.catch_up_until is null then
      update public.webhooks set
        catch_up_until = 0, state = case state when 'catching_up' then 'on' else state end
      where id = webhook;
      return 'wait';
    end if;
    -- Some transactions that are still open do not queue their events for this webhook. Deliveries wait until these
    -- transactions have ended, so that their events come first. This transaction's version is higher than theirs.
    if hook.catch_up_until = 0 then
      update public.webhooks set catch_up_until = app.change_now() where id = webhook;
      return 'wait';
    end if;
    if clock.horizon < hook.catch_up_until then
      return 'wait';
    end if;
    update public.webhooks set catch_up_version = null, catch_up_seq = null, catch_up_until = null where id = webhook;
  end if;
  if replay.webhook_id is not null then
    perform app.fill_from_replay(replay, hook, clock.horizon);
  end if;
  return 'filled';
end
$$;
comment on function app.fill_from_log(uuid) is
  'Fills a webhook''s queue from the log if the webhook is catching up or has a replay, until 1,000 deliveries are due '
  'or 50,000 are open. Returns `none` when there is nothing to queue, or when the webhook is paused or off. Returns '
  '`wait` when the deliveries must wait for transactions that are still writing, or for restart_changes() after a '
  'restore.';

create function app.bound_queues() returns integer
language plpgsql
set search_path = ''
as $$
declare
  clock record;
  webhook uuid;
  bounded integer := 0;
begin
  select * into clock from app.change_clock_now();
  for webhook in
    select id from public.webhooks
    where is_queued and not app.awaits_restart(company_id)
      and exists (select from app.open_deliveries where webhook_id = webhooks.id offset 50000)
  loop
    -- All events below the horizon were queued, unless the webhook is still catching up. From the horizon on, events
    -- are read from the log, because some of them may be missing from the queue.
    update public.webhooks set
      catch_up_version = coalesce(catch_up_version, clock.horizon - 1),
      catch_up_seq = coalesce(catch_up_seq, 9223372036854775807), catch_up_until = null,
      state = case state when 'on' then 'catching_up' else state end
    where id = webhook and is_queued;
    bounded := bounded + 1;
  end loop;
  return bounded;
end
$$;
comment on function app.bound_queues() is
  'Stops adding events to queues with more than 50,000 open deliveries. Later events are read from the log. Returns '
  'the number of these queues.';

create function app.end_left_deliveries() returns integer
language plpgsql
set search_path = ''
as $$
declare
  hook public.webhooks;
  ended integer := 0;
begin
  for hook in
    select * from public.webhooks
    where state = 'off' and exists (select from app.open_deliveries where webhook_id = webhooks.id)
    order by switched_off_at
    -- A webhook that is being switched on at this moment is locked, and ends its deliveries itself.
    for no key update skip locked
  loop
    ended := ended + app.end_deliveries(hook.id, hook.switched_off_at, 20000 - ended);
    exit when ended >= 20000;
  end loop;
  return ended;
end
$$;
comment on function app.end_left_deliveries() is
  'Moves up to 20,000 open deliveries of webhooks that are off to the log, and returns the number of moved deliveries.';

create function app.delete_left_deliveries(of_slot integer) returns integer
language plpgsql
set search_path = ''
as $$
declare
  webhook uuid := '00000000-0000-0000-0000-000000000000';
  deleted integer := 0;
  now_deleted integer;
begin
  loop
    webhook := (select webhook_id from app.open_deliveries where webhook_id > webhook order by webhook_id limit 1);
    exit when webhook is null or deleted >= 5000;
    if not exists (select from public.webhooks where id = webhook) then
      delete from app.open_deliveries where webhook_id = webhook;
      get diagnostics now_deleted = row_count;
      deleted := deleted + now_deleted;
    end if;
  end loop;
  webhook := '00000000-0000-0000-0000-000000000000';
  loop
    webhook := (
      select webhook_id from app.deliveries
      where slot = of_slot and webhook_id > webhook order by webhook_id limit 1
    );
    exit when webhook is null or deleted >= 5000;
    if not exists (select from public.webhooks where id = webhook) then
      delete from app.deliveries where slot = of_slot and webhook_id = webhook;
      get diagnostics now_deleted = row_count;
      deleted := deleted + now_deleted;
    end if;
  end loop;
  delete from app.replays where not exists (select from public.webhooks where id = webhook_id);
  return deleted;
end
$$;
comment on function app.delete_left_deliveries(integer) is
  'Deletes the open deliveries and the replays of deleted webhooks, and their deliveries in one slot of the log. '
  'Returns the number of deleted deliveries.';

create function app.empty_next_day() returns boolean
language plpgsql
set search_path = ''
as $$
declare
  next_slot constant smallint := app.slot_of(clock_timestamp() + interval '1 day');
  own_timeout constant text := current_setting('lock_timeout');
  part text;
  has_rows boolean;
  is_emptied boolean := false;
begin
  -- From midnight on, new events use this slot. So each row is deleted only while it is still the day before.
  delete from app.open_deliveries
  where slot = next_slot and app.slot_of(clock_timestamp() + interval '1 day') = next_slot;
  foreach part in array array['events', 'deliveries'] loop
    execute format('select exists (select from app.%I)', part || to_char(next_slot, '_FM00')) into has_rows;
    if has_rows then
      -- The function waits only 200 ms for a writer that has locked the table. The next run tries again.
      perform set_config('lock_timeout', '200ms', true);
      execute format('lock table app.%I in access exclusive mode', part || to_char(next_slot, '_FM00'));
      -- While the table is locked, no one can add rows. After midnight, the table may already have rows of the new day.
      exit when app.slot_of(clock_timestamp() + interval '1 day') <> next_slot;
      execute format('truncate app.%I', part || to_char(next_slot, '_FM00'));
      is_emptied := true;
    end if;
  end loop;
  perform set_config('lock_timeout', own_timeout, true);
  return is_emptied;
exception when lock_not_available then
  return false;
end
$$;
comment on function app.empty_next_day() is
  'Empties the partitions for tomorrow''s events. Their rows are 31 days old.';

create function app.forget_answers(of_company uuid, contact_ids uuid[], record_ids uuid[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  records constant uuid[] := contact_ids || record_ids || array(
    select deals.id from public.deals where deals.company_id = of_company and deals.contact_id = any (contact_ids)
    union all
    -- The database no longer knows to which contact a deleted record belonged. So the responses about all deleted
    -- records of the company are cleared. The query begins with the few deliveries that have a stored response.
    select gone.id
    from (
      select record_id from app.open_deliveries where company_id = of_company and app.has_answer(tries)
      union
      select record_id from app.deliveries where company_id = of_company and app.has_answer(tries)
    ) as answered
    -- Because of the limit, the planner never begins with the deleted records, even without statistics about them.
    cross join lateral (
      select deleted_rows.id from public.deleted_rows
      where deleted_rows.company_id = of_company and deleted_rows.id = answered.record_id
        and deleted_rows.resource in ('contacts', 'deals', 'conversations', 'messages')
      limit 1
    ) as gone
  );
begin
  -- This statement waits for a transaction that is moving one of these deliveries to the log. The next statement then
  -- finds the delivery in the log.
  update app.open_deliveries set tries = app.without_answers(tries)
  where company_id = of_company and app.has_answer(tries) and record_id = any (records);
  update app.deliveries set tries = app.without_answers(tries)
  where company_id = of_company and app.has_answer(tries) and record_id = any (records);
end
$$;
comment on function app.forget_answers(uuid, uuid[], uuid[]) is
  'Clears the stored receiver responses about some contacts and their records, because responses may quote the '
  'request. Also clears the responses about deleted records of the company, which may have belonged to the contacts.';

create function public.tidy_events() returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  hook public.webhooks;
  deliveries_ended integer;
  ended integer := 0;
  answer jsonb;
begin
  -- Only one run is active at a time.
  if not pg_try_advisory_xact_lock(hashtext('app.tidy_events')) then
    return '{}';
  end if;
  deliveries_ended := app.end_left_deliveries();
  for hook in
    select * from public.webhooks where created_by_key_id is not null and state <> 'off' order by id
  loop
    continue when not app.has_ended_key(hook);
    -- Since the loop read the webhook, a user may have switched it on, or its key may have been rotated.
    select * into hook from public.webhooks where id = hook.id and state <> 'off' for no key update;
    if app.has_ended_key(hook) then
      perform app.switch_off_webhook(hook.id, 'key_ended');
      ended := ended + 1;
    end if;
  end loop;
  answer := jsonb_build_object(
    'keys_ended', ended,
    'deliveries_ended', deliveries_ended,
    'queues_bounded', app.bound_queues(),
    -- Each minute, the function searches another slot of the log.
    'left_deliveries', app.delete_left_deliveries((extract(epoch from clock_timestamp())::bigint / 60 % 32)::integer),
    'day_emptied', app.empty_next_day()
  );
  -- This call locks conversations until the transaction ends, so it comes last.
  perform app.note_passed_times();
  return answer;
end
$$;
comment on function public.tidy_events() is
  'Maintains events and webhooks. Switches off webhooks whose key has ended, ends the deliveries of webhooks that are '
  'off, limits long queues, and deletes the deliveries of deleted webhooks. Writes the time-based events, and empties '
  'the partitions for tomorrow. A job calls this function every minute. Returns a summary of the changes.';
grant execute on function public.tidy_events() to webhook_client, service_role;
