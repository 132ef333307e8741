-- An event is stored and applied in one statement. Whatever becomes of its items, the event is stored and says so.

create function app.next_attempt(attempts integer) returns timestamptz
language sql stable
set search_path = ''
as $$
  -- Ten attempts take most of a day.
  select case when attempts < 10 then now() + interval '1 minute' * 2 ^ attempts end
$$;
comment on function app.next_attempt(integer) is
  'When an event is tried again after so many attempts that failed; null after the last.';

create function app.items_with_times(items jsonb, received_at timestamptz) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  if jsonb_typeof(items) is distinct from 'array' or not jsonb_path_exists(items, '$[*] ? (@.at == null)') then
    return items;
  end if;
  return (
    select jsonb_agg(
      case when jsonb_typeof(item) = 'object' and item ->> 'at' is null
        then item || jsonb_build_object('at', received_at) else item end
      order by place
    )
    from jsonb_array_elements(items) with ordinality as listed (item, place)
  );
end
$$;
comment on function app.items_with_times(jsonb, timestamptz) is
  'The items of an event, with the time at which it was received where the channel tells none: an event that is '
  'applied again later says the same.';

create function app.apply_event(
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
begin
  begin
    outcome := app.apply_items(
      app_id,
      app.items_with_times(items, (
        select events.received_at from public.channel_events as events where events.id = event_id
      )),
      until
    );
  exception when others then
    -- Whatever happens, the event says so and has its next attempt.
    outcome := jsonb_build_object(
      'failed', 1, 'delayed', 0, 'unroutable', 0, 'error', format('%s %s', sqlstate, left(sqlerrm, 500)),
      'reasons', '[]'::jsonb, 'waits_for', '[]'::jsonb, 'surprises', '[]'::jsonb
    );
  end;
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
  return outcome - 'error' - 'reasons' - 'waits_for'
    || jsonb_build_object('event_id', event_id, 'state', event.state, 'attempts', event.attempts);
end
$$;
comment on function app.apply_event(uuid, uuid, jsonb, text, timestamptz, boolean) is
  'Applies what was read of an event, notes what became of it, and returns that: state, attempts, failed, delayed, '
  'unroutable, surprises. A problem is why the event cannot be read, or not whole. It is repeated when the '
  'job does it.';

create function public.receive_channel_event(app_key text, body text, items jsonb, problem text default null)
returns jsonb
-- The role of the function whatsapp reads no table.
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  bytes constant bytea := decode(receive_channel_event.body, 'base64');
  digest constant bytea := sha256(bytes);
  app_id uuid;
  event record;
  is_new boolean;
begin
  select apps.id into app_id from public.channel_apps as apps
  where apps.app_key = receive_channel_event.app_key
  for key share;
  if not found then
    return null;
  end if;
  insert into public.channel_events (channel_app_id, body, body_sha256, next_attempt_at)
  values (app_id, bytes, digest, null)
  on conflict on constraint channel_events_once do nothing
  returning id, state into event;
  is_new := found;
  if not is_new then
    -- Whoever applies it at the moment needs no help.
    select id, state into event from public.channel_events
    where channel_app_id = app_id and body_sha256 = digest
    for update skip locked;
    if event.id is null or event.state = 'done' then
      return jsonb_build_object('result', 'repeated', 'state', event.state);
    end if;
  end if;
  return jsonb_build_object('result', case when is_new then 'stored' else 'repeated' end)
    || app.apply_event(
      event.id, app_id, items, receive_channel_event.problem, clock_timestamp() + interval '3 seconds', false
    );
end
$$;
comment on function public.receive_channel_event(text, text, jsonb, text) is
  'Stores an event of an app, whose body comes in base64, and applies what was read of it, for three seconds; the job '
  'does the rest. Returns the result, stored or repeated, and what became of it; null when there is no such app. A '
  'repeat of what is done is not applied again.';
grant execute on function public.receive_channel_event(text, text, jsonb, text) to channel_client;
