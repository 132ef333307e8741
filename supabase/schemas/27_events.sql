-- The events: what happened to the records of the companies. Triggers write an event in the transaction of the change
-- (files 66 to 69). An event has no data of a person: it has ids, the names of the changed fields, and the earlier and
-- the later value only of fields that say nothing about a person. Callers read the events for 30 days.
--
-- The tables of events and deliveries have 32 partitions, one for each day of 32 days. Then the first is used again.
-- All partitions always exist, so no write fails when a job does not run. A job empties the partition of the next day.
-- If the job did not run, a partition also has rows that are 32 days old. Readers exclude them by their time.

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
  'What happened to the records of each company in the last 30 days. Only triggers and functions of the database write '
  'this table. The rows have no foreign keys, because an event must never make a write fail or wait.';
comment on column app.events.slot is 'The day of the event modulo 32, as app.slot_of() computes it.';
comment on column app.events.seq is
  'The order of the events of one record. The writer takes the number while it has the lock on the record. No caller '
  'sees this number, because it shows how much all companies write.';
comment on column app.events.version is
  'The number of the transaction, as app.change_now() returns it. The log of events is read in this order, because '
  'nothing can appear below the horizon later.';
comment on column app.events.changed is 'The names of the changed fields, as callers know them.';
comment on column app.events.changes is
  'By field: an object with from and to. Only fields that say nothing about a person are named here. Some types of '
  'events have other values here, such as the id of the contact that was merged.';
comment on column app.events.actor is
  'Who made the change: { kind, id }. The kind is key, person, platform, channel or job. Only a key and a person have '
  'an id.';
comment on column app.events.happened_at is
  'When the statement wrote the record, by clock_timestamp(). For one record, this time never goes back.';

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
comment on sequence app.event_seq is 'The numbers of app.events.seq.';

create function app.slot_of(at timestamptz) returns smallint
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
begin
  return mod(floor(extract(epoch from at) / 86400), 32)::smallint;
end
$$;
comment on function app.slot_of(timestamptz) is
  'Returns the slot of a day, which names the partitions of events and deliveries that have its rows: the number of '
  'the day in UTC modulo 32.';

create function app.new_event_id(at timestamptz) returns uuid
language plpgsql volatile strict
set search_path = ''
as $$
begin
  -- A random UUID has the version 4, which is 0100 in these four bits. The version 7 is 0111.
  return encode(
    set_bit(set_bit(
      overlay(
        uuid_send(gen_random_uuid())
        placing substring(int8send(floor(extract(epoch from at) * 1000)::bigint) from 3) from 1
      ),
      52, 1
    ), 53, 1),
    'hex'
  )::uuid;
end
$$;
comment on function app.new_event_id(timestamptz) is
  'Returns a new UUID of version 7, which begins with the time in milliseconds (RFC 9562). So the index of the ids '
  'grows at its end.';

create function app.event_name(id uuid) returns text
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
begin
  return 'evt_' || replace(id::text, '-', '');
end
$$;
comment on function app.event_name(uuid) is 'Returns the id of an event as callers know it: evt_ and 32 digits.';

create function app.event_id(name text) returns uuid
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
begin
  return case when name ~ '^evt_[0-9a-f]{32}$' then substring(name from 5)::uuid end;
end
$$;
comment on function app.event_id(text) is
  'Returns the uuid of an event, given the id that callers see (evt_…). Returns null for any other text.';

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
comment on function app.event_json(app.events) is 'Returns an event as callers see it.';

alter table app.events enable row level security;
