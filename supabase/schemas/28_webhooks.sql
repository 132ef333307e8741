-- Webhooks: the URLs to which a company's events are delivered. This file also defines the deliveries that have not
-- ended (open deliveries), and the deliveries that ended in the last 30 days. When a record changes, triggers add the
-- open deliveries in the same transaction.

create table public.webhooks (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  url text not null check (char_length(url) between 1 and 2048),
  types text[] not null check (cardinality(types) between 1 and 100),
  payload text not null default 'full' check (payload in ('full', 'ids')),
  description text check (char_length(description) between 1 and 255),
  sealed_secret text not null,
  sealed_previous_secrets text[] not null default '{}',
  previous_secrets_end_at timestamptz[] not null default '{}',
  -- These columns have no foreign keys, because a webhook remains visible after its key is deleted or its author has
  -- left.
  created_by_key_id uuid,
  created_by uuid,
  state text not null default 'on' check (state in ('on', 'catching_up', 'paused', 'off')),
  why text check (why in ('failing', 'gone', 'key_ended', 'by_person', 'by_key', 'by_platform')),
  switched_off_at timestamptz,
  failing_since timestamptz,
  failures integer not null default 0,
  paused_until timestamptz,
  pauses smallint not null default 0,
  catch_up_version bigint,
  catch_up_seq bigint,
  catch_up_until bigint,
  is_queued boolean not null generated always as (
    state in ('on', 'paused') and (catch_up_version is null or catch_up_until is not null)
  ) stored,
  lease_id uuid,
  leased_until timestamptz,
  last_success_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint webhooks_previous_secrets_check
    check (cardinality(sealed_previous_secrets) = cardinality(previous_secrets_end_at)),
  constraint webhooks_catch_up_check check ((catch_up_version is null) = (catch_up_seq is null)),
  constraint webhooks_switched_off_check check ((state = 'off') = (switched_off_at is not null))
);
comment on table public.webhooks is
  'The URLs to which a company''s events are delivered. Only database functions write this table.';
comment on column public.webhooks.types is
  'The types of events that are delivered: exact types (deal.won), all types of a resource (deal.*), or all (*).';
comment on column public.webhooks.payload is
  'full: a delivery contains the record''s state at the time of delivery. ids: a delivery contains only the record''s '
  'id.';
comment on column public.webhooks.sealed_secret is
  'The secret for signing deliveries, encrypted by the edge functions for this company and webhook.';
comment on column public.webhooks.sealed_previous_secrets is
  'The previous secrets, encrypted. The edge functions also sign deliveries with each previous secret until its time in '
  'previous_secrets_end_at.';
comment on column public.webhooks.created_by_key_id is
  'The API key that the webhook depends on. The key created the webhook, changed the URL, or switched the webhook on '
  'after it was off. A rotation with an overlap gives the webhook to the successor. The webhook is switched off when '
  'the key is switched off or deleted, or expires, and when a rotation ends the key immediately.';
comment on column public.webhooks.state is
  'on: events are delivered. catching_up: the queue was too long, so a job takes the events from the log (app.events). '
  'paused: someone stopped the deliveries temporarily, and events are still queued. off: no events are queued.';
comment on column public.webhooks.is_queued is
  'Whether events are queued when they happen. While a webhook is catching up, a job takes its events from the log.';
comment on column public.webhooks.why is
  'Why the webhook is paused or off. failing: no delivery succeeded for three days. gone: the receiver responded with '
  'status 410. key_ended: the key in created_by_key_id ended. by_person, by_key, by_platform: who paused the webhook.';
comment on column public.webhooks.failing_since is
  'The time of the first failure since the last success. While the webhook is off, this is the time of the oldest event '
  'that was still waiting or had failed, if that time is earlier.';
comment on column public.webhooks.failures is 'The number of failed attempts since the last success.';
comment on column public.webhooks.paused_until is
  'After several failures, or after a response with Retry-After, the next delivery attempt waits until this time. The '
  'state stays the same.';
comment on column public.webhooks.pauses is
  'The number of pauses (see paused_until) since the last success. A success that is reported during a pause does not '
  'reset this number, because the request was sent before the pause.';
comment on column public.webhooks.catch_up_version is
  'The version of the last event that was queued from the log. catch_up_seq is the seq of this event. While '
  'catch_up_version is not null, a job queues events from the log.';
comment on column public.webhooks.catch_up_until is
  'Not null after all events in the log were queued. From then on, new events are queued as they are written. The log '
  'is still read until the horizon reaches this version, because transactions that began earlier may not have queued '
  'their events. The value is 0 until a job sets the version.';
comment on column public.webhooks.lease_id is 'The id of the job run that delivers to this webhook until leased_until.';

create table app.open_deliveries (
  webhook_id uuid not null,
  record_id uuid not null,
  seq bigint not null,
  slot smallint not null,
  event_id uuid not null,
  company_id uuid not null,
  type text not null,
  due_at timestamptz not null,
  attempts smallint not null default 0,
  tries jsonb,
  primary key (webhook_id, record_id, seq)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
comment on table app.open_deliveries is
  'The deliveries that have not ended. The rows have no foreign key to the webhook, because each write of a record '
  'would then lock the webhook rows. A job deletes the open deliveries of a deleted webhook. When a webhook is '
  'switched off, its deliveries end immediately. If the queue is long, a job moves most of the rows to app.deliveries '
  'later.';
comment on column app.open_deliveries.slot is 'The slot of the event.';
comment on column app.open_deliveries.tries is
  'The attempts so far, each with its time, its status or failure, its duration, and the first characters of the '
  'response if the attempt failed.';

create table app.deliveries (
  slot smallint not null,
  webhook_id uuid not null,
  seq bigint not null,
  event_id uuid not null,
  company_id uuid not null,
  type text not null,
  record_id uuid not null,
  happened_at timestamptz not null,
  outcome text not null check (outcome in ('delivered', 'failed', 'undelivered')),
  status smallint,
  ended_at timestamptz not null,
  tries jsonb
) partition by list (slot);
comment on table app.deliveries is
  'The deliveries that ended in the last 30 days. The slot equals the slot of the event, so a delivery and its event '
  'are deleted on the same day.';
comment on column app.deliveries.happened_at is 'When the event happened.';
comment on column app.deliveries.outcome is
  'delivered: the receiver accepted the delivery. failed: all attempts in three days failed. undelivered: the webhook '
  'was switched off.';

create table app.replays (
  webhook_id uuid primary key,
  company_id uuid not null,
  since timestamptz not null,
  until timestamptz not null,
  types text[],
  after_version bigint not null default 0,
  after_seq bigint not null default 0,
  beyond bigint,
  requested_at timestamptz not null default now()
);
comment on table app.replays is
  'The replays: ranges of events in the log that a caller asked to receive again. The delivery job queues these events '
  'in batches, in the order of the log.';
comment on column app.replays.after_version is
  'The version of the last event that was queued from the log. after_seq is the seq of this event.';
comment on column app.replays.beyond is
  'A version above the versions of all events of the replay. The replay ends when the horizon reaches this version. '
  'Null until the delivery job sets this version after the time `until`.';

do $$
begin
  for slot in 0..31 loop
    execute format(
      'create table app.%I partition of app.deliveries for values in (%s)', to_char(slot, '"deliveries_"FM00'), slot
    );
    execute format('alter table app.%I enable row level security', to_char(slot, '"deliveries_"FM00'));
  end loop;
end
$$;

create index webhooks_company_idx on public.webhooks (company_id, created_at desc, id desc);
-- Four times a second, the delivery job looks for webhooks that are catching up.
create index webhooks_catching_up_idx on public.webhooks (id) where catch_up_version is not null;
create index open_deliveries_due_idx on app.open_deliveries (webhook_id, due_at);
create index open_deliveries_newest_first_idx on app.open_deliveries (webhook_id, seq);
create index deliveries_newest_first_idx on app.deliveries (webhook_id, seq);

create function app.wants(types text[], type text) returns boolean
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
begin
  return types && array[type, split_part(type, '.', 1) || '.*', '*'];
end
$$;
comment on function app.wants(text[], text) is
  'Checks whether a webhook subscribes to an event type: to the type itself, to all types of its resource, or to all '
  'types.';

create trigger webhooks_set_updated_at
  before update of url, types, payload, description, sealed_secret, state on public.webhooks
  for each row execute function app.set_updated_at();

alter table public.webhooks enable row level security;
alter table app.open_deliveries enable row level security;
alter table app.deliveries enable row level security;
alter table app.replays enable row level security;
create policy "the platform reads webhooks" on public.webhooks for select to service_role using (true);

grant select (
  id, company_id, url, types, payload, description, previous_secrets_end_at, created_by_key_id, created_by, state, why,
  switched_off_at, failing_since, failures, paused_until, pauses, last_success_at, created_at, updated_at
) on public.webhooks to service_role;
