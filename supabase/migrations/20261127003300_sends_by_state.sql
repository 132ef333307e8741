-- How many sends of a company ended how, by day: whether sending works is seen at a glance.

-- All that is counted is in the index, so that 100,000 sends are counted without reading them.
create index sends_counted_idx on public.sends (company_id, created_at) include (state, lease_ends_at);

create function public.sends_by_state(company_id uuid, days integer default 30)
returns table (day date, state text, sends bigint)
language plpgsql stable
set search_path = ''
as $$
#variable_conflict use_column
begin
  if (sends_by_state.company_id = any (app.managed_company_ids())) is not true then
    raise sqlstate 'PT403' using message = 'Only owners and admins of a company see how its sends ended';
  end if;
  if (sends_by_state.days between 1 and 90) is not true then
    raise sqlstate 'PT422' using message = 'days must be from 1 to 90';
  end if;
  return query
    select counted.day, counted.state, count(*)
    from (
      select
        (sends.created_at at time zone 'UTC')::date as day,
        -- As own_sends shows it: a send whose lease has ended failed, also before the job has said so.
        case when sends.state = 'pending' and sends.lease_ends_at <= now() then 'failed' else sends.state end as state
      from public.sends
      where sends.company_id = sends_by_state.company_id
        and sends.created_at >= (
          (now() at time zone 'UTC')::date - (sends_by_state.days - 1)
        )::timestamp at time zone 'UTC'
    ) as counted
    group by counted.day, counted.state
    order by counted.day, counted.state;
end
$$;
comment on function public.sends_by_state(uuid, integer) is
  'How many sends of a company are in which state, by the day (UTC) on which they were first made: today and the days '
  'before it, so many in all (1 to 90). A day or state without sends has no row. The states are those that GET /sends '
  'answers: pending, sent, failed and released. For owners and admins: raises PT403 for others, and PT422 when days is '
  'none of these numbers.';
grant execute on function public.sends_by_state(uuid, integer) to authenticated;
