-- The delivery of events to webhooks. Each run of the delivery job in the edge function webhooks leases webhooks, reads
-- their due deliveries, sends them, and settles the outcomes. The lease preserves the order: only one run at a time
-- delivers to a webhook.

-- At most four runs deliver at the same time, because all functions share the database connections. A run that was
-- killed keeps its slot for half a minute.
create table app.delivery_runs (
  place smallint primary key check (place between 1 and 4),
  run_id uuid unique,
  until timestamptz not null default '-infinity'
);
comment on table app.delivery_runs is 'The slots for runs that deliver for all companies.';
alter table app.delivery_runs enable row level security;
insert into app.delivery_runs (place) values (1), (2), (3), (4);

create function app.keep_place(run uuid) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  at constant timestamptz := clock_timestamp();
  held timestamptz;
  free smallint;
begin
  select until into held from app.delivery_runs where run_id = run;
  -- A run requests work four times a second, so the function does not write the row each time.
  if held > at + interval '15 seconds' then
    return true;
  end if;
  if found then
    update app.delivery_runs set until = at + interval '30 seconds' where run_id = run;
    return true;
  end if;
  select place into free from app.delivery_runs where until < at order by place limit 1 for update skip locked;
  if not found then
    return false;
  end if;
  update app.delivery_runs set run_id = run, until = at + interval '30 seconds' where place = free;
  return true;
end
$$;
comment on function app.keep_place(uuid) is
  'Assigns one of the four slots to a run, or renews its slot. Returns false when all slots are in use.';

create function public.take_webhooks(run uuid, most integer, of_company uuid default null) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  at constant timestamptz := clock_timestamp();
  own_place constant boolean := of_company is not null or app.keep_place(run);
  taken uuid[] := '{}';
  ended uuid[] := '{}';
  hook public.webhooks;
begin
  if not own_place then
    return jsonb_build_object('may_run', false, 'taken', '[]'::jsonb, 'ended', '[]'::jsonb);
  end if;
  for hook in
    -- A loose index scan: one lookup for each webhook with open deliveries, however many deliveries it has.
    with recursive queued as (
      (select webhook_id from app.open_deliveries order by webhook_id limit 1)
      union all
      select (
        select following.webhook_id from app.open_deliveries as following
        where following.webhook_id > queued.webhook_id order by following.webhook_id limit 1
      )
      from queued where queued.webhook_id is not null
    ),
    waiting as (
      select queued.webhook_id, first.due_at
      from queued
      cross join lateral (
        select due_at from app.open_deliveries as open
        where open.webhook_id = queued.webhook_id order by due_at limit 1
      ) as first
      where first.due_at <= at
      union all
      select id, at from public.webhooks where catch_up_version is not null and state <> 'off'
      union all
      select webhook_id, at from app.replays
    ),
    free as (
      select webhooks.id
      from (select webhook_id, min(due_at) as due_at from waiting group by webhook_id) as waiting
      join public.webhooks on webhooks.id = waiting.webhook_id
      where webhooks.state in ('on', 'catching_up')
        and (webhooks.paused_until is null or webhooks.paused_until <= at)
        and (webhooks.leased_until is null or webhooks.leased_until <= at)
        and (of_company is null or webhooks.company_id = of_company)
      order by waiting.due_at
      limit most
      for update of webhooks skip locked
    )
    update public.webhooks set lease_id = run, leased_until = at + interval '30 seconds'
    from free where webhooks.id = free.id
    returning webhooks.*
  loop
    if app.has_ended_key(hook) then
      perform app.switch_off_webhook(hook.id, 'key_ended');
      ended := ended || hook.id;
    else
      taken := taken || hook.id;
    end if;
  end loop;
  return jsonb_build_object('may_run', true, 'taken', to_jsonb(taken), 'ended', to_jsonb(ended));
end
$$;
comment on function public.take_webhooks(uuid, integer, uuid) is
  'Leases webhooks with due deliveries to a run for 30 seconds, longest waiting first. Returns whether the run has a '
  'slot (may_run), the leased webhooks (taken), and the webhooks that were switched off because their key has ended '
  '(ended). A run for one company needs no slot.';
grant execute on function public.take_webhooks(uuid, integer, uuid) to webhook_client;

create function app.due_deliveries(hook public.webhooks, most integer, held uuid[]) returns setof app.open_deliveries
language plpgsql
set search_path = ''
as $$
declare
  at constant timestamptz := clock_timestamp();
  examined integer := most;
  postponed integer := 0;
  postponed_before integer;
  left_to_return integer := most;
  affected integer;
  due record;
begin
  -- The query excludes the records whose deliveries are still in progress in this run. For every other record, it
  -- includes all earlier deliveries. So a delivery never overtakes an earlier delivery of the same record.
  loop
    postponed_before := postponed;
    for due in
      select chosen.record_id, chosen.deliveries, head.seq as head_seq, head.due_at as head_due_at
      from (
        select record_id, count(*) as deliveries, min(due_at) as due_at
        from (
          select record_id, due_at from app.open_deliveries
          where webhook_id = hook.id and due_at <= at and record_id <> all (held)
          order by due_at limit examined
        ) as oldest
        group by record_id
      ) as chosen
      cross join lateral (
        select seq, due_at from app.open_deliveries
        where webhook_id = hook.id and record_id = chosen.record_id order by seq limit 1
      ) as head
      order by chosen.due_at, head.seq
    loop
      if due.head_due_at > at then
        -- An earlier delivery of this record waits for its next attempt. The later deliveries get the same due time, so
        -- that the query does not find them repeatedly.
        update app.open_deliveries set due_at = due.head_due_at
        where webhook_id = hook.id and record_id = due.record_id and due_at < due.head_due_at;
        get diagnostics affected = row_count;
        postponed := postponed + affected;
        continue;
      end if;
      return query
        select open.* from app.open_deliveries as open
        where open.webhook_id = hook.id and open.record_id = due.record_id and open.due_at <= at
          and open.seq < coalesce((
            select later.seq from app.open_deliveries as later
            where later.webhook_id = hook.id and later.record_id = due.record_id and later.due_at > at
            order by later.seq limit 1
          ), 9223372036854775807)
        order by open.seq limit least(due.deliveries, left_to_return);
      get diagnostics affected = row_count;
      left_to_return := left_to_return - affected;
      exit when left_to_return = 0;
    end loop;
    -- If the loop above only postponed deliveries, other records may have deliveries that became due later. The limit
    -- of 1,000 postponed deliveries keeps the statement short.
    exit when left_to_return < most or postponed = postponed_before or postponed >= 1000;
    examined := greatest(most, 100);
  end loop;
end
$$;
comment on function app.due_deliveries(public.webhooks, integer, uuid[]) is
  'Returns at most this many due deliveries of a webhook, and excludes the records in `held`. The deliveries of each '
  'record are in order, beginning with the first open delivery of the record.';

create function app.deliveries_with_records(hook public.webhooks, most integer, held uuid[], most_bytes integer)
  returns json
language sql
set search_path = ''
as $$
  select json_agg(json_build_object(
    'webhook_id', hook.id,
    'record_id', read.record_id,
    'seq', read.seq,
    'attempts', read.attempts,
    'event', read.event,
    -- The record is a string. The run parses the string just before the send, because a parsed record needs much more
    -- memory.
    'data', case when read.is_whole then read.data else json_build_object('id', read.record_id)::text end,
    'is_truncated', not read.is_whole
  ) order by read.place)
  from (
    select
      due.place, due.record_id, due.seq, due.attempts, app.event_json(events) as event, shown.data, size.is_whole,
      sum(size.bytes) over (order by due.place) - size.bytes as bytes_before
    from app.due_deliveries(hook, most, held) with ordinality
      as due (webhook_id, record_id, seq, slot, event_id, company_id, type, due_at, attempts, tries, place)
    join app.events on events.slot = due.slot and events.id = due.event_id
    cross join lateral (
      select case
        when hook.payload = 'full' then app.shown_record(split_part(due.type, '.', 1), due.company_id, due.record_id)
        else json_build_object('id', due.record_id)
      end::text as data
    ) as shown
    -- The body of a request has at most 256 KiB, and the event without its record has a few hundred bytes.
    cross join lateral (select coalesce(octet_length(shown.data), 0) as bytes) as whole
    cross join lateral (
      select whole.bytes <= 250 * 1024 as is_whole, case when whole.bytes <= 250 * 1024 then whole.bytes else 0 end as bytes
    ) as size
  ) as read
  where read.bytes_before < most_bytes
$$;
comment on function app.deliveries_with_records(public.webhooks, integer, uuid[], integer) is
  'Returns due deliveries of a webhook, as app.due_deliveries() does, with their events and the text of their current '
  'records. Stops when the records have a total size of most_bytes. For a record of more than 250 KiB, returns only '
  'its id.';

create function public.next_deliveries(run uuid, wanted jsonb, held jsonb) returns json
language plpgsql security definer
set search_path = ''
as $$
declare
  at constant timestamptz := clock_timestamp();
  most_bytes constant integer := 4000000 / greatest((select count(*) from jsonb_object_keys(wanted)), 1);
  hooks constant public.webhooks[] := array(
    select webhooks from public.webhooks
    where webhooks.id in (select key::uuid from jsonb_object_keys(wanted) as key)
      and webhooks.lease_id = run and webhooks.state in ('on', 'catching_up')
      and (webhooks.paused_until is null or webhooks.paused_until <= at)
      and not app.has_ended_key(webhooks)
    order by webhooks.id
  );
  waiting uuid[] := '{}';
  answers json[] := '{}';
  hook public.webhooks;
  asked integer;
begin
  -- Filling the queues may take seconds, so it comes before the first record is read.
  foreach hook in array hooks loop
    if app.fill_from_log(hook.id) = 'wait' then
      waiting := waiting || hook.id;
    end if;
  end loop;
  -- If this loop takes long, the records that it read first are too old, and the run must read them again. Because of
  -- the random order, this does not always affect the same webhook.
  for hook in
    -- While the loop above waited, a webhook may have been switched off, which also ends its lease.
    select webhooks.* from public.webhooks
    where webhooks.id in (select listed.id from unnest(hooks) as listed)
      and webhooks.lease_id = run and webhooks.state in ('on', 'catching_up')
    order by random()
  loop
    asked := least((wanted ->> hook.id::text)::integer, 500);
    -- After a pause, only one delivery is attempted at a time, until the receiver works again.
    if hook.pauses > 0 then
      asked := case when jsonb_array_length(coalesce(held -> hook.id::text, '[]')) = 0 then 1 else 0 end;
    end if;
    if hook.id = any (waiting) then
      asked := 0;
    end if;
    answers := answers || json_build_object(
      'read_at', extract(epoch from clock_timestamp()),
      'id', hook.id,
      'company_id', hook.company_id,
      'url', hook.url,
      'payload', hook.payload,
      'sealed_secrets', hook.sealed_secret || array(select sealed from app.previous_secrets(hook)),
      'deliveries', coalesce(app.deliveries_with_records(
        hook, asked, array(select jsonb_array_elements_text(coalesce(held -> hook.id::text, '[]'))::uuid), most_bytes
      ), '[]')
    );
  end loop;
  return json_build_object('webhooks', array_to_json(answers), 'ended_at', extract(epoch from clock_timestamp()));
end
$$;
comment on function public.next_deliveries(uuid, jsonb, jsonb) is
  'Returns due deliveries of webhooks that the run has leased. The parameter `wanted` contains the number of '
  'deliveries for each webhook. The parameter `held` lists the records whose deliveries are still in progress in this '
  'run. A webhook that is missing from the result is paused, off, or leased by another run, or its key has ended. For '
  'each webhook, `read_at` is the time just before its records were read. The time `ended_at` is the end of the '
  'statement. The two times are Unix times in seconds.';
grant execute on function public.next_deliveries(uuid, jsonb, jsonb) to webhook_client;

create function public.release_webhooks(run uuid, ids uuid[] default null) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  update public.webhooks set lease_id = null, leased_until = null
  where lease_id = run and (ids is null or id = any (ids));
  if ids is null or ids = '{}' then
    update app.delivery_runs set run_id = null, until = '-infinity' where run_id = run;
  end if;
end
$$;
comment on function public.release_webhooks(uuid, uuid[]) is
  'Ends the leases of a run for these webhooks. If `ids` is null, ends all leases of the run and frees its slot. If '
  '`ids` is empty, only frees the slot.';
grant execute on function public.release_webhooks(uuid, uuid[]) to webhook_client;

create function app.has_answer(tries jsonb) returns boolean
-- Indexes call this function for each delivery that is written. Postgres would plan a function in SQL at each of these
-- writes. Because the function is strict, Postgres does not call it for a new delivery, whose tries are null.
language plpgsql immutable strict
set search_path = ''
as $$
begin
  return tries @? '$[*].answer ? (@ != null)';
end
$$;
comment on function app.has_answer(jsonb) is
  'Checks whether the beginning of a response is stored for an attempt of a delivery.';

create function public.fail_delivery_run(failure text) returns void
language sql security definer -- the role of the function webhooks cannot write any table
set search_path = ''
as $$
  insert into public.channel_jobs as jobs (job, ended_at, failure)
  values ('deliver', now(), left(fail_delivery_run.failure, 1000))
  on conflict (job) do update set ended_at = excluded.ended_at, failure = excluded.failure
$$;
comment on function public.fail_delivery_run(text) is
  'Records that a run of the delivery job ended because of an unexpected error.';
grant execute on function public.fail_delivery_run(text) to webhook_client;
