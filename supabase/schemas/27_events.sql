-- The events record what happened to the companies' records. Triggers write an event in the transaction of the change
-- (files 66 to 69). An event contains ids, the names of the changed fields, and the earlier and later values of fields
-- without personal data. Callers can read an event for 30 days.
--
-- The tables of events and deliveries have 32 partitions, one for each day of 32 days. After 32 days, the first
-- partition is used again. All partitions always exist, so writes do not depend on a job. A job empties the partition
-- of the next day. If the job did not run, a partition may contain rows that are 32 days old. Queries exclude these
-- rows by their time.

create table app.events (
  slot smallint not null,
  id uuid not null,
  seq bigint not null,
  version bigint not null,
  company_id uuid not null,
  type text not null,
  record_id uuid not null,
  changed text[],
  changes jsonb,
  actor jsonb,
  request_id text,
  happened_at timestamptz not null
) partition by list (slot);
comment on table app.events is
  'What happened to the records of each company in the last 30 days. Only triggers and database functions write this '
  'table. The rows have no foreign keys, because an event must never make a write fail or wait.';
comment on column app.events.slot is 'The number of the event''s day modulo 32, as app.slot_of() computes it.';
comment on column app.events.seq is
  'The order of a record''s events. The transaction gets the number while it holds the lock on the record. Callers '
  'never see this number, because it counts every single event of all companies. A version reveals only how many '
  'transactions of all companies write.';
comment on column app.events.version is
  'The version that app.change_now() returns. The event log is read in the order of the versions and only up to the '
  'horizon (02_clock.sql). Below the horizon, no event is added later.';
comment on column app.events.changed is 'The names of the changed fields, as in the API.';
comment on column app.events.changes is
  'For each field, an object with `from` and `to`. Contains only fields without personal data. Some event types have '
  'other values here, such as the id of the merged contact.';
comment on column app.events.actor is
  'The author of the change: { kind, id }. The kind is key, person, platform, channel or job. Only the kinds key and '
  'person have an id.';
comment on column app.events.request_id is
  'The X-Request-Id of the request: an id that the caller chose, or a UUID. An erasure does not remove this id, '
  'because no index finds the events of a record. So the documentation tells callers not to put personal data into '
  'the id.';
comment on column app.events.happened_at is
  'When the statement wrote the record, according to clock_timestamp(). The times of one record''s events never '
  'decrease.';

do $$
begin
  for slot in 0..31 loop
    execute format('create table app.%I partition of app.events for values in (%s)', to_char(slot, '"events_"FM00'), slot);
    execute format('alter table app.%I enable row level security', to_char(slot, '"events_"FM00'));
  end loop;
end
$$;

create index events_in_order_idx on app.events (company_id, version, seq);
create index events_id_idx on app.events (id);

create sequence app.event_seq;
comment on sequence app.event_seq is 'The sequence for app.events.seq.';

create function app.slot_of(at timestamptz) returns smallint
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
begin
  return mod(floor(extract(epoch from at) / 86400), 32)::smallint;
end
$$;
comment on function app.slot_of(timestamptz) is
  'Returns the slot of a day: the number of the UTC day modulo 32. The slot identifies the partitions that contain '
  'this day''s events and deliveries.';

create function app.new_event_id(at timestamptz) returns uuid
language plpgsql volatile strict
set search_path = ''
as $$
begin
  return (
    lpad(to_hex(floor(date_part('epoch', at) * 1000)::bigint), 12, '0')
    -- The version, 7, then the random bits and the variant of a UUID of version 4. Its generator is cryptographic. The
    -- numbers of random() would be predictable: from two of its own ids, a company could compute how many events other
    -- companies have.
    || '7' || substr(gen_random_uuid()::text, 16)
  )::uuid;
end
$$;
comment on function app.new_event_id(timestamptz) is
  'Returns a new UUID of version 7, which begins with the time in milliseconds (RFC 9562). So new ids are added at the '
  'end of the index.';

create function app.event_name(id uuid) returns text
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
begin
  return 'evt_' || replace(id::text, '-', '');
end
$$;
comment on function app.event_name(uuid) is
  'Returns the id of an event in the API''s format: evt_ and 32 hexadecimal digits.';

create function app.event_id(name text) returns uuid
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
begin
  return case when name ~ '^evt_[0-9a-f]{32}$' then substring(name from 5)::uuid end;
end
$$;
comment on function app.event_id(text) is
  'Returns the UUID of an event from its id in the API''s format (evt_…). Returns null for any other string.';

create function app.event_json(event app.events) returns json
language sql stable
set search_path = ''
as $$
  select json_build_object(
    'id', app.event_name(event.id),
    'type', event.type,
    'timestamp', event.happened_at,
    'company_id', event.company_id,
    'resource', split_part(event.type, '.', 1),
    'record_id', event.record_id,
    'actor', event.actor,
    'request_id', event.request_id,
    'changed', coalesce(event.changed, '{}'),
    'changes', coalesce(event.changes, '{}')
  )
$$;
comment on function app.event_json(app.events) is 'Returns an event in the format of the API.';

create function app.delete_events_of_company() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  delete from app.events where company_id = old.id;
  return null;
end
$$;
comment on function app.delete_events_of_company() is
  'Trigger: deletes the events of a deleted company. A job deletes the deliveries of its webhooks.';

create trigger companies_delete_events after delete on public.companies
  for each row execute function app.delete_events_of_company();

alter table app.events enable row level security;
