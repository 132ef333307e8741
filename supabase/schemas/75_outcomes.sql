-- The outcome of each send. The ledger records whether WhatsApp accepted a message, and WhatsApp later reports the
-- message's status. The outcome of a send combines the two. Every query that counts or filters outcomes calls
-- app.outcome_of_send().

create function app.outcome_of_send(
  state text,
  -- Whether the send is pending although its lease has ended.
  has_ended boolean,
  reason text,
  -- Whether WhatsApp gave the message an id, which means that WhatsApp accepted the message.
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
  'Returns the outcome of a send. pending: WhatsApp has not responded yet. accepted: WhatsApp has the message, but has '
  'not reported its arrival yet. delivered and read: the message arrived. failed: WhatsApp accepted the message and '
  'later reported a failure, or WhatsApp never responded. expired: the lifetime of the message ended before WhatsApp '
  'reported that the message arrived or failed. refused: WhatsApp refused the message in its response. released: '
  'WhatsApp does not have the message, and a repeat sends it.';
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
  'Returns why a send with this outcome failed, was refused or was released: the reason that WhatsApp reported, '
  'otherwise the reason in the ledger. Returns null for other outcomes.';
grant execute on function app.reason_of_send(text, text, text) to authenticated;

create function app.check_member(company_id uuid) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if (check_member.company_id = any (app.member_company_ids())) is not true then
    raise sqlstate 'PT403' using message = 'Only members of the company can see its sends';
  end if;
end
$$;
comment on function app.check_member(uuid) is 'Raises PT403 when the signed-in user is not a member of the company.';
grant execute on function app.check_member(uuid) to authenticated;

create function public.sends_by_outcome(
  company_id uuid,
  days integer default 30,
  zone text default 'UTC',
  most integer default 100000
) returns table (day date, outcome text, reason text, sends bigint)
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
      -- Sends with the same values in these columns are counted in one row, so the functions run for only a few rows.
      select
        (sends.created_at at time zone sends_by_outcome.zone)::date as day, sends.state,
        sends.state = 'pending' and sends.lease_ends_at <= now() as has_ended,
        sends.whatsapp_message_id is not null as has_id, sends.reason, message.status, message.reported,
        count(*) as sends
      from (
        -- Each counted send costs a lookup of its message. Without a limit, a million sends would take longer than a
        -- statement of a user may take.
        select company_id, message_id, created_at, state, lease_ends_at, whatsapp_message_id, reason
        from public.sends
        where sends.company_id = sends_by_outcome.company_id
          and sends.created_at >= beginning
        order by created_at desc, message_id desc
        limit least(greatest(most, 1), 100000)
      ) as sends
      -- The subquery with `offset 0` looks up one message at a time. With a plain join, Postgres might read all
      -- messages of the company.
      cross join lateral (
        select status, failure ->> 'reason' as reported from public.messages
        where messages.company_id = sends.company_id and messages.id = sends.message_id offset 0
      ) as message
      group by 1, 2, 3, 4, 5, 6, 7
    ) as counted
    cross join lateral app.outcome_of_send(state, has_ended, counted.reason, has_id, status) as named (outcome)
    group by 1, 2, 3
    order by 1, 2, 3;
end
$$;
comment on function public.sends_by_outcome(uuid, integer, text, integer) is
  'Counts the sends of a company by day and outcome. The day is the day of the first attempt, in the time zone `zone`. '
  'Covers the given number of days (1 to 90), including today. Counts only the newest `most` sends of these days, at '
  'most 100,000. If the counts add up to `most`, the period may have more sends. A day or outcome without sends has no '
  'row. The outcomes failed, refused and released are counted by reason. The company''s members may call this function. '
  'Raises PT403 for other callers. Raises PT422 for an invalid number of days or an unknown time zone.';
grant execute on function public.sends_by_outcome(uuid, integer, text, integer) to authenticated;

-- The query reads the messages of one company at a time, because the first column of messages_unusual_idx is the
-- company.
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
  'Returns the number of all companies'' sends that failed, were refused or were released, as [{ outcome, reason, '
  'sends }]. Counts the sends whose last attempt started after the given time.';
