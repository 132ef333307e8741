-- The events for sends. This file also defines the time-based events: a window will close within an hour, or a
-- restriction ends. A job writes the time-based events. See app.note_passed_times().

-- In the API, the id of a send is the id of its message.
select app.make_events(
  'sends',
  record => 'message_id',
  fields => '{state, reason, channel_code, whatsapp_message_id}',
  shown => '{state, reason}',
  changed => $$
    case
      when is_now.state = was.state then null
      when is_now.state = 'sent' then 'send.settled'
      when is_now.state in ('failed', 'released') then 'send.failed'
    end
  $$
);

-- The job looks for the notices that have ended since its last run.
create table app.noted_notices (
  is_only boolean primary key default true check (is_only),
  noted_until timestamptz not null default now()
);
comment on table app.noted_notices is
  'A table with one row: the time up to which app.note_passed_times() has written the events of ended notices.';
insert into app.noted_notices default values;

create index contact_windows_closing_idx on public.contact_windows (expires_at)
  where closing_noted_for is distinct from expires_at;
-- Few accounts are restricted.
create index account_notices_stopping_idx on public.account_notices (account_id) where stops_sending;

create function app.is_open_restriction(notice public.account_notices) returns boolean
language sql stable
set search_path = ''
as $$
  -- A notice that arrived after its end has not restricted the account.
  select notice.stops_sending and ends.at > notice.received_at and ends.at > noted.noted_until
  from app.noted_notices as noted
  cross join lateral app.end_of_notice(
    notice.kind, notice.stops_sending, notice.happened_at, notice.received_at, notice.until
  ) as ends (at)
$$;
comment on function app.is_open_restriction(public.account_notices) is
  'Checks whether a notice restricts its account, or has restricted it until an end for which no event was written '
  'yet.';

-- A window may begin in its last hour, because a message may arrive hours after the person wrote it. So the job does
-- not search for the windows that reached their last hour since its last run. Instead, closing_noted_for stores the end
-- of the window for which the event was written. The job writes no event for a window that has already closed.
create function app.note_closing_windows() returns void
language plpgsql
set search_path = ''
as $$
declare
  closing record;
begin
  for closing in
    with chosen as (
      select windows.id, conversations.company_id, conversations.id as conversation_id
      from public.contact_windows as windows
      join public.conversations on conversations.company_id = windows.company_id
        and conversations.contact_id = windows.contact_id
        and conversations.messaging_account_id = windows.account_id
        and conversations.status <> 'closed'
      where windows.expires_at > now() and windows.expires_at <= now() + interval '1 hour'
        and windows.closing_noted_for is distinct from windows.expires_at
      order by windows.expires_at limit 1000
      -- If another transaction has locked a window or its conversation, for example because of a new message, the next
      -- run writes the event.
      for update of windows skip locked
      for no key update of conversations skip locked
    )
    update public.contact_windows as windows set closing_noted_for = windows.expires_at
    from chosen where windows.id = chosen.id
    returning chosen.company_id, chosen.conversation_id
  loop
    perform app.write_event(closing.company_id, 'conversation.window_closing', closing.conversation_id);
  end loop;
end
$$;
comment on function app.note_closing_windows() is
  'Writes conversation.window_closing for at most 1,000 windows that close in the next hour, once for each window. '
  'Writes no event while the conversation of a window is closed.';

create function app.note_ended_notices(since timestamptz) returns timestamptz
language plpgsql
set search_path = ''
as $$
declare
  ended_until timestamptz := clock_timestamp();
  ended record;
  locked public.account_notices[] := '{}';
begin
  -- Few notices end at the same time, so there is no limit.
  for ended in
    select notices, ends.at
    from public.account_notices as notices
    cross join lateral app.end_of_notice(
      notices.kind, notices.stops_sending, notices.happened_at, notices.received_at, notices.until
    ) as ends (at)
    -- A notice that arrived after its end has not restricted the account.
    where notices.stops_sending and ends.at > since and ends.at <= ended_until and notices.received_at < ends.at
    order by ends.at
  loop
    -- Because of this lock, either this function or the trigger of a simultaneous change writes the event, but never
    -- both. If another transaction has locked or changed a notice, the next run handles this notice and all notices
    -- that did not end earlier.
    perform from public.account_notices as notices
    where notices.id = (ended.notices).id and notices is not distinct from ended.notices
    for no key update skip locked;
    if not found then
      ended_until := ended.at - interval '1 microsecond';
      exit;
    end if;
    locked := locked || ended.notices;
  end loop;
  perform app.write_event(
    notices.company_id, 'account.restored', notices.account_id,
    jsonb_build_object('notice', jsonb_build_object('from', notices.event, 'to', null))
  )
  from unnest(locked) as notices
  cross join lateral app.end_of_notice(
    notices.kind, notices.stops_sending, notices.happened_at, notices.received_at, notices.until
  ) as ends (at)
  where ends.at <= ended_until;
  return greatest(ended_until, since);
end
$$;
comment on function app.note_ended_notices(timestamptz) is
  'Writes account.restored for each notice that stopped sends until its time was over. Handles only notices that ended '
  'after the given time, and leaves notices that another transaction is changing to the next run. Returns the time up '
  'to which all these events are now written.';

create function app.note_passed_times() returns void
language plpgsql
set search_path = ''
as $$
begin
  -- Two simultaneous runs would write the events twice, so the second run waits here.
  perform from app.noted_notices for update;
  perform app.note_closing_windows();
  update app.noted_notices set noted_until = app.note_ended_notices(noted_until) where true;
end
$$;
comment on function app.note_passed_times() is
  'Writes the time-based events. A job calls this function every minute.';

alter table app.noted_notices enable row level security;
