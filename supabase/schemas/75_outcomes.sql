-- What happened to each send. The ledger knows whether the channel accepted a message, and the channel reports what
-- happened to the message afterwards. The outcome of a send joins both. Every count and every filter of outcomes
-- calls the function below.

create function app.outcome_of_send(
  state text,
  -- Whether the send is pending although its lease has ended.
  has_ended boolean,
  reason text,
  -- Whether the channel gave the message an id, so that it accepted the message.
  has_id boolean,
  -- The status of the message.
  status text
) returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  return case
    -- A message may fail on one device and arrive on another.
    when status in ('delivered', 'read') then status
    when has_ended then 'failed'
    when state in ('pending', 'released') then state
    when state = 'failed' and not has_id and reason <> 'outcome_unknown' then 'refused'
    when state = 'failed' or status = 'failed' then 'failed'
    when status = 'expired' then 'expired'
    else 'accepted'
  end;
end
$$;
comment on function app.outcome_of_send(text, boolean, text, boolean, text) is
  'Returns what happened to a send. pending: the channel has not answered yet. accepted: the channel has the message, '
  'and no report says yet that it arrived. delivered and read: it arrived. failed: the channel accepted the message '
  'and later reported that it does not arrive, or the channel never answered. expired: the lifetime of the message '
  'ended without a report. refused: the channel refused the message when it was sent. released: the channel does not '
  'have the message, and a repeat sends it.';
grant execute on function app.outcome_of_send(text, boolean, text, boolean, text) to authenticated;

create function app.reason_of_send(outcome text, reason text, reported text) returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  return case when outcome in ('failed', 'refused', 'released') then
    -- A send whose lease has ended has no reason yet.
    coalesce(reported, reason, 'outcome_unknown')
  end;
end
$$;
comment on function app.reason_of_send(text, text, text) is
  'Returns why a send with this outcome failed, was refused or was released: the reason that the channel reported, or '
  'else the one in the ledger. Returns null for other outcomes.';
grant execute on function app.reason_of_send(text, text, text) to authenticated;

create function app.check_member(company_id uuid) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if (check_member.company_id = any (app.member_company_ids())) is not true then
    raise sqlstate 'PT403' using message = 'Only the people of a company see its sends';
  end if;
end
$$;
comment on function app.check_member(uuid) is 'Raises PT403 when the signed-in person does not work in the company.';
grant execute on function app.check_member(uuid) to authenticated;

create function public.sends_by_outcome(company_id uuid, days integer default 30, zone text default 'UTC')
returns table (day date, outcome text, reason text, sends bigint)
language plpgsql stable
set search_path = ''
set jit = off
as $$
#variable_conflict use_column
declare
  beginning timestamptz;
begin
  perform app.check_member(sends_by_outcome.company_id);
  beginning := app.beginning_of_days(days, zone, 90);
  return query
    select
      counted.day, named.outcome, app.reason_of_send(named.outcome, counted.reason, reported),
      sum(counted.sends)::bigint
    from (
      -- Many sends have the same values in these columns, so the functions run for few rows.
      select
        (sends.created_at at time zone sends_by_outcome.zone)::date as day, sends.state,
        sends.state = 'pending' and sends.lease_ends_at <= now() as has_ended,
        sends.whatsapp_message_id is not null as has_id, sends.reason, message.status, message.reported,
        count(*) as sends
      from public.sends
      -- Each send has its own lookup, because the plan of a join may read all messages of the company.
      cross join lateral (
        select status, failure ->> 'reason' as reported from public.messages
        where messages.company_id = sends.company_id and messages.id = sends.message_id offset 0
      ) as message
      where sends.company_id = sends_by_outcome.company_id
        and sends.created_at >= beginning
      group by 1, 2, 3, 4, 5, 6, 7
    ) as counted
    cross join lateral app.outcome_of_send(state, has_ended, counted.reason, has_id, status) as named (outcome)
    group by 1, 2, 3
    order by 1, 2, 3;
end
$$;
comment on function public.sends_by_outcome(uuid, integer, text) is
  'Returns how many sends of a company had each outcome, by the day of their first attempt in a time zone. Covers the '
  'given number of days (1 to 90), counting today. A day or outcome without sends has no row. failed, refused and '
  'released are counted by reason. The people of the company may call this function. Raises PT403 for others. Raises '
  'PT422 for another number of days or an unknown zone.';
grant execute on function public.sends_by_outcome(uuid, integer, text) to authenticated;

-- One company after the other, so that each reads its part of messages_unusual_idx.
create function app.failures_of_sends(since timestamptz) returns jsonb
language sql stable
set search_path = ''
as $$
  select coalesce(jsonb_agg(counted order by outcome, sends desc, reason), '[]')
  from (
    select named.outcome, app.reason_of_send(named.outcome, unusual.reason, reported) as reason, count(*) as sends
    from public.companies
    cross join lateral (
      select
        sends.state, sends.state = 'pending' and sends.lease_ends_at <= now() as has_ended, sends.reason,
        sends.whatsapp_message_id is not null as has_id, messages.status, messages.failure ->> 'reason' as reported
      from public.messages
      join public.sends on sends.company_id = messages.company_id and sends.message_id = messages.id
      where messages.company_id = companies.id and messages.created_at > since
        and (messages.failure is not null or messages.status in ('pending', 'failed', 'expired'))
    ) as unusual
    cross join lateral app.outcome_of_send(state, has_ended, unusual.reason, has_id, status) as named (outcome)
    where named.outcome in ('failed', 'refused', 'released')
    group by 1, 2
  ) as counted
$$;
comment on function app.failures_of_sends(timestamptz) is
  'Returns how many sends of all companies failed, were refused or were released, as [{ outcome, reason, sends }]. '
  'Counts the sends whose last attempt began after this time.';
