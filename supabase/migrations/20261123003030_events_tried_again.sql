-- What was not done at once is tried again by the job.

create function public.due_channel_events(max_rows integer default 20) returns table (event_id uuid, body text)
language sql security definer -- as receive_channel_event()
set search_path = ''
as $$
  with due as (
    select events.id, events.attempts, octet_length(events.body) as bytes from public.channel_events as events
    where events.next_attempt_at <= now()
    order by events.next_attempt_at
    limit least(max_rows, 100)
    for update skip locked
  ),
  -- Whoever applied it did not live to say what came of it.
  given_up as (
    update public.channel_events as events set
      state = 'dead', next_attempt_at = null, processed_at = now(), error = 'It was begun ten times and never ended'
    from due where events.id = due.id and due.attempts >= 10
  ),
  fitting as (
    -- A function holds them in its memory.
    select measured.id
    from (
      select due.id, sum(due.bytes) over (order by due.bytes, due.id) - due.bytes as before from due
      where due.attempts < 10
    ) as measured
    where measured.before < 4 * 1024 * 1024
  )
  update public.channel_events as events set
    next_attempt_at = now() + interval '3 minutes', attempts = events.attempts + 1
  from fitting where events.id = fitting.id
  returning events.id, translate(encode(events.body, 'base64'), E'\n', '')
$$;
comment on function public.due_channel_events(integer) is
  'Begins an attempt at events that are to be applied now, and returns their bodies in base64: at most so many, and of '
  'about 4 MiB. For three minutes no other run gets them.';
grant execute on function public.due_channel_events(integer) to channel_client, service_role;

create function public.fail_channel_event(event_id uuid, failure text) returns void
language sql security definer -- as receive_channel_event()
set search_path = ''
as $$
  update public.channel_events as events set
    state = case when events.attempts >= 10 then 'dead' else 'failed' end,
    next_attempt_at = app.next_attempt(events.attempts),
    error = left(failure, 1000),
    processed_at = now()
  where events.id = fail_channel_event.event_id and events.state <> 'done'
$$;
comment on function public.fail_channel_event(uuid, text) is
  'Notes that an attempt of due_channel_events() failed as a whole, and why.';
grant execute on function public.fail_channel_event(uuid, text) to channel_client, service_role;

create function public.apply_channel_event(event_id uuid, items jsonb, problem text default null) returns jsonb
language plpgsql security definer -- as receive_channel_event()
set search_path = ''
as $$
declare
  event record;
  -- Well before the statement is cancelled, which would undo what was applied.
  most constant interval := least(
    interval '12 seconds', 0.6 * nullif(current_setting('statement_timeout')::interval, interval '0')
  );
begin
  select events.id, events.state, events.channel_app_id into event from public.channel_events as events
  where events.id = apply_channel_event.event_id
  for update;
  if not found then
    return null;
  elsif event.state = 'done' then
    return jsonb_build_object('event_id', event.id, 'state', 'done');
  end if;
  return app.apply_event(
    event.id, event.channel_app_id, apply_channel_event.items, apply_channel_event.problem, clock_timestamp() + most,
    true
  );
end
$$;
comment on function public.apply_channel_event(uuid, jsonb, text) is
  'Applies what was read of a stored event that is not done, and returns what became of it; null when it is gone.';
grant execute on function public.apply_channel_event(uuid, jsonb, text) to channel_client, service_role;
