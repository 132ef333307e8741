-- Functions that read the event log with an API key. As in the change feeds, a page contains only events whose version
-- is below the horizon: all transactions with these versions have ended. So after a page was read, no new event can
-- appear before the page's cursor.

create index events_record_idx on app.events (record_id);

create function app.slots_from(since timestamptz, until timestamptz) returns smallint[]
language plpgsql stable
set search_path = ''
as $$
declare
  first constant timestamptz := greatest(since, now() - interval '30 days');
  -- The time of an event may be later than now(), which is the start of this transaction.
  last constant timestamptz := least(until, now() + interval '1 day');
begin
  return array(
    select app.slot_of(first + day * interval '1 day')
    from generate_series(0, least(ceil(extract(epoch from last - first) / 86400), 31)::integer) as day
  );
end
$$;
comment on function app.slots_from(timestamptz, timestamptz) is
  'Returns the slots of the log that contain the events between two times. A null time means no limit.';

create function public.list_events(
  generation bigint default null, after_version bigint default null, after_id uuid default null,
  of_types text[] default null, of_record uuid default null,
  since timestamptz default null, until timestamptz default null, max_rows integer default 50
) returns setof json
-- Security definer, because no role may read the log directly. The function reads only the events of the key's company.
language plpgsql stable security definer
set search_path = ''
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  own_company_id constant uuid := app.company_id('read');
  from_version constant bigint := coalesce(after_version, -1);
  from_seq bigint := 0;
  most constant integer := least(greatest(max_rows, 0), 201);
  -- The maximum number of events that a page reads. If there is a filter, the page contains the position up to which
  -- the log was read.
  most_read constant integer := case
    when most = 0 or (of_types is null and of_record is null and since is null and until is null) then most
    else 5000 end;
  own_slots constant smallint[] := app.slots_from(list_events.since, list_events.until);
  clock record;
  found app.events[] := '{}';
  event app.events;
  number_read integer := 0;
begin
  if own_company_id is null then
    raise sqlstate 'PT403' using message = 'Only API keys read the log of events';
  end if;
  clock := app.change_clock_for(list_events.generation, after_version, (
    select version from app.events where company_id = own_company_id order by version desc limit 1
  ));
  if after_id is not null then
    from_seq := coalesce(
      (select seq from app.events where id = after_id and company_id = own_company_id),
      -- The log has no event with the id of the cursor. Either the cursor is a horizon and not an event, or the event
      -- is older than the log. In both cases, the page starts after all events of the cursor's version.
      9223372036854775807
    );
  end if;
  if of_record is null then
    for event in
      select events.* from app.events
      where company_id = own_company_id
        and (version, seq) > (from_version, from_seq) and version < clock.horizon
        -- Postgres skips the partitions of other days if the condition has a list of values, but not if it has an
        -- array.
        and slot in (
          own_slots[1], own_slots[2], own_slots[3], own_slots[4], own_slots[5], own_slots[6],
          own_slots[7], own_slots[8], own_slots[9], own_slots[10], own_slots[11], own_slots[12],
          own_slots[13], own_slots[14], own_slots[15], own_slots[16], own_slots[17], own_slots[18],
          own_slots[19], own_slots[20], own_slots[21], own_slots[22], own_slots[23], own_slots[24],
          own_slots[25], own_slots[26], own_slots[27], own_slots[28], own_slots[29], own_slots[30],
          own_slots[31], own_slots[32]
        )
      order by version, seq limit most_read
    loop
      number_read := number_read + 1;
      if event.happened_at > now() - interval '30 days'
        and event.happened_at >= coalesce(list_events.since, '-infinity')
        and event.happened_at < coalesce(list_events.until, 'infinity')
        and (of_types is null or app.wants(of_types, event.type)) then
        found := found || event;
        exit when cardinality(found) >= most;
      end if;
    end loop;
  else
    for event in
      -- The index finds the few events of the record, and Postgres then sorts them. Without `materialized`, Postgres
      -- may instead read all events of the company in order.
      with of_this_record as materialized (select * from app.events where record_id = of_record)
      select * from of_this_record
      where company_id = own_company_id
        and (version, seq) > (from_version, from_seq) and version < clock.horizon
        and happened_at > now() - interval '30 days'
        and happened_at >= coalesce(list_events.since, '-infinity')
        and happened_at < coalesce(list_events.until, 'infinity')
        and (of_types is null or app.wants(of_types, type))
      order by version, seq limit most
    loop
      found := found || event;
    end loop;
  end if;
  return next json_build_object(
    'generation', clock.generation, 'horizon', clock.horizon,
    -- If the search stopped at the limit most_read, more events may follow the last event that was read.
    'read_to', case when number_read >= most_read and cardinality(found) < most then
      json_build_object('version', event.version, 'id', event.id) end
  );
  foreach event in array found loop
    return next json_build_object('version', event.version, 'id', event.id, 'event', app.event_json(event));
  end loop;
end
$$;
comment on function public.list_events(bigint, bigint, uuid, text[], uuid, timestamptz, timestamptz, integer) is
  'Returns one page of the events of the key''s company in the last 30 days. Needs a read token. The first row is the '
  'clock { generation, horizon, read_to }. At most max_rows events { version, id, event } follow, and never more than '
  '201. The events start after the cursor, or at the beginning of the log if there is no cursor. A page with a filter '
  'may have fewer events than max_rows although more events follow. Then read_to is the position of the last event '
  'that was read. Raises PT410 and PT500 as app.change_clock_for() does. Raises PT401 and PT403 as app.company_id() '
  'does.';
grant execute on function
  public.list_events(bigint, bigint, uuid, text[], uuid, timestamptz, timestamptz, integer) to api_client;

create function app.awaits_restart(of_company_id uuid) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return coalesce(
    (select version from app.events where company_id = of_company_id order by version desc limit 1)
      >= (select beyond from app.change_clock_now()),
    false
  );
end
$$;
comment on function app.awaits_restart(uuid) is
  'Checks whether the log has events of a company with versions that this database has not assigned yet. This is so '
  'after a restore from a dump, until restart_changes() is called. Until then, the horizon hides the restored events.';

create function public.find_event(name text) returns json
language plpgsql stable security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('read');
  event_id constant uuid := app.event_id(find_event.name);
begin
  return (
    select app.event_json(events) from app.events
    where id = event_id and company_id = own_company_id
      and happened_at > now() - interval '30 days'
  );
end
$$;
comment on function public.find_event(text) is
  'Returns an event of the key''s company. The argument `name` is the id of the event in the API''s format. Returns '
  'null when the last 30 days have no such event. Needs a read token. Raises PT401 and PT403 as app.company_id() does.';
grant execute on function public.find_event(text) to api_client;
