-- When the channel last told something of an account: whether its events arrive is seen at a glance. It is kept with the
-- connection that the account has, which only connecting and disconnecting write otherwise; the account itself is not
-- written, because jobs and claims read it all the time.

alter table public.account_connections add column last_event_at timestamptz;
comment on column public.account_connections.last_event_at is
  'When the last event about the account was received while it was connected, to ten seconds; null: none was.';

-- What is known of earlier ones: people wrote, and notices and reports were received.
update public.account_connections as connections set last_event_at = known.last_event_at
from (
  select facts.account_id, max(facts.received_at) as last_event_at
  from (
    select account_id, last_inbound_at as received_at from public.contact_windows
    union all
    select account_id, received_at from public.account_notices
    union all
    select account_id, received_at from public.waiting_facts
  ) as facts
  group by facts.account_id
) as known
where connections.account_id = known.account_id and connections.disconnected_at is null
  and known.last_event_at >= connections.connected_at;

create function app.note_last_event(app_id uuid, items jsonb, received_at timestamptz) returns void
-- Not of the language sql: each event would plan these statements anew.
language plpgsql
set search_path = ''
as $$
declare
  number_ids constant text[] := array(
    select distinct app.account_id_in(listed.item) from jsonb_array_elements(items) as listed (item)
    where listed.item ->> 'kind' not in ('template', 'account')
  );
  business_ids constant text[] := array(
    select distinct app.account_id_in(listed.item) from jsonb_array_elements(items) as listed (item)
    where listed.item ->> 'kind' in ('template', 'account')
  );
begin
  with heard as (
    select connections.id
    from public.messaging_accounts as accounts
    join public.account_connections as connections on connections.company_id = accounts.company_id
      and connections.account_id = accounts.id
    where (accounts.phone_number_id = any (number_ids) or accounts.business_account_id = any (business_ids))
      and exists (
        select from public.account_channel_apps as named
        where named.company_id = accounts.company_id and named.account_id = accounts.id
          and named.channel_app_id = app_id
      )
      and connections.disconnected_at is null
      -- Of many events in a row, few write. One that is applied again writes nothing.
      and (
        connections.last_event_at is null
        or connections.last_event_at < note_last_event.received_at - interval '10 seconds'
      )
    -- No event waits here: whoever has the row notes about the same time, or disconnects the account.
    for no key update of connections skip locked
  )
  update public.account_connections as connections set last_event_at = note_last_event.received_at
  where connections.id in (select heard.id from heard);
end
$$;
comment on function app.note_last_event(uuid, jsonb, timestamptz) is
  'Notes that an event with these items, which an app has signed, was received then, for the accounts that it is about '
  'and that are connected.';

create or replace function app.apply_event(
  event_id uuid, app_id uuid, items jsonb, problem text, until timestamptz, is_repeated boolean
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  outcome jsonb;
  failed integer;
  delayed integer;
  unroutable integer;
  is_failure boolean;
  attempt integer;
  event record;
  event_received_at constant timestamptz := (
    select events.received_at from public.channel_events as events where events.id = event_id
  );
begin
  begin
    outcome := app.apply_items(app_id, app.items_with_times(items, event_received_at), until);
  exception when others then
    -- Whatever happens, the event says so and has its next attempt.
    outcome := jsonb_build_object(
      'failed', 1, 'delayed', 0, 'unroutable', 0, 'error', format('%s %s', sqlstate, left(sqlerrm, 500)),
      'reasons', '[]'::jsonb, 'waits_for', '[]'::jsonb, 'surprises', '[]'::jsonb
    );
  end;
  begin
    perform app.note_last_event(app_id, items, event_received_at);
  exception when others then
    -- The event counts all the same, and the next one has another try.
    raise warning 'The last event of an account was not noted: % %', sqlstate, sqlerrm;
  end;
  if outcome -> 'forgotten' <> '{}' then
    -- It came while they were erased, or was kept by the channel.
    perform app.erase_in_events(accounts.company_id, array[event_id], outcome -> 'forgotten')
    from (
      select distinct messaging_accounts.company_id
      from jsonb_array_elements(items) as listed (item)
      join public.messaging_accounts on messaging_accounts.phone_number_id = listed.item ->> 'phone_number_id'
    ) as accounts
    where exists (select from app.erased_people where erased_people.company_id = accounts.company_id);
  end if;
  failed := outcome -> 'failed';
  delayed := outcome -> 'delayed';
  unroutable := outcome -> 'unroutable';
  -- To wait for the job once is no failure.
  is_failure := failed > 0 or is_repeated and delayed > 0;
  -- The job has counted its attempt already.
  attempt := case when is_failure and not is_repeated then 1 else 0 end;
  update public.channel_events as events set
    attempts = events.attempts + attempt,
    state = case
      when is_failure and events.attempts + attempt >= 10 then 'dead'
      when failed > 0 then 'failed'
      when delayed > 0 then 'stored'
      when problem is not null then 'dead'
      when unroutable > 0 then 'unroutable'
      else 'done'
    end,
    next_attempt_at = case
      when is_failure then app.next_attempt(events.attempts + attempt)
      when not is_failure and delayed > 0 then now()
    end,
    error = left(case
      when failed > 0 then outcome ->> 'error'
      when delayed > 0 then format('%s of its items are not applied yet: their rows or the time were taken', delayed)
      when problem is not null then problem
      when unroutable > 0 then (
        select string_agg(reason, '; ') from jsonb_array_elements_text(outcome -> 'reasons') as reasons (reason)
      )
    end, 1000),
    waits_for = array(select jsonb_array_elements_text(outcome -> 'waits_for')),
    notes = array(
      select unnest(events.notes)
      union
      select format(
        case sent ->> 'kind' when 'double_send' then 'Double send: send %s also went out as %s'
          else 'The ledger was wrong: send %s, which the channel seemed not to take, went out as %s' end,
        coalesce(sent ->> 'send_id', 'unknown'), sent ->> 'whatsapp_message_id'
      )
      from jsonb_array_elements(outcome -> 'surprises') as surprises (sent)
      order by 1
    ),
    processed_at = now()
  where events.id = event_id
  returning events.state, events.attempts into event;
  return outcome - 'error' - 'reasons' - 'waits_for' - 'forgotten'
    || jsonb_build_object('event_id', event_id, 'state', event.state, 'attempts', event.attempts);
end
$$;
