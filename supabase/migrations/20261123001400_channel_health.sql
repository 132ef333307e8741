-- What operators look at to learn that something is wrong between the channel and this platform.

-- A double send is rare, and somebody has to look into each.
create index sends_double_sent_idx on public.sends (updated_at) where double_sent_ids <> '{}';

create function public.channel_health() returns jsonb
language sql stable security definer -- one snapshot of several tables
set search_path = ''
as $$
  select jsonb_build_object(
    'expired', count(*),
    'expired_unreported', count(*) filter (where sent_at is null),
    'double_sends', (
      select count(*) from public.sends
      where double_sent_ids <> '{}' and updated_at > now() - interval '1 day'
    ),
    'waiting_facts', (
      select count(*) from public.waiting_facts where received_at > now() - interval '1 day'
    )
  )
  from public.messages
  where expired_at is not null and expired_at > now() - interval '1 day'
$$;
comment on function public.channel_health() is
  'Of the last day: how many messages expired, and how many of those without any report, as when the channel''s '
  'events do not arrive here; how many sends were found to have gone out twice; how many facts came that still wait '
  'for a message.';
grant execute on function public.channel_health() to service_role;
