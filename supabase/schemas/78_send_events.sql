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

create index contact_windows_closing_idx on public.contact_windows (expires_at)
  where closing_noted_for is distinct from expires_at;
-- Few accounts are restricted.
create index account_notices_stopping_idx on public.account_notices (account_id) where stops_sending;

create function app.is_open_restriction(notice public.account_notices) returns boolean
language sql stable
set search_path = ''
as $$
  -- A notice that arrived after its end has not restricted the account.
  select notice.stops_sending and ends.at > notice.received_at and ends.at is distinct from notice.end_noted_for
  from app.end_of_notice(
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

-- A notice may arrive shortly before its end, in a transaction that ends later. So the job does not search for the
-- notices that ended since its last run. Instead, end_noted_for stores the end for which the event was written.
create function app.note_ended_notices() returns void
language plpgsql
set search_path = ''
as $$
declare
  ended record;
begin
  -- Few notices end at the same time, so there is no limit.
  for ended in
    with chosen as (
      select notices.id, ends.at
      from public.account_notices as notices
      cross join lateral (
        select app.end_of_notice(
          notices.kind, notices.stops_sending, notices.happened_at, notices.received_at, notices.until
        ) as at
      ) as ends
      where notices.stops_sending and ends.at <= clock_timestamp() and app.is_open_restriction(notices)
      order by ends.at
      -- Because of this lock, either this function or the trigger of a simultaneous change writes the event, but never
      -- both. If another transaction has locked a notice, the next run handles the notice.
      for no key update of notices skip locked
    )
    update public.account_notices as notices set end_noted_for = chosen.at
    from chosen where notices.id = chosen.id
    returning notices.company_id, notices.account_id, notices.event
  loop
    perform app.write_event(
      ended.company_id, 'account.restored', ended.account_id,
      jsonb_build_object('notice', jsonb_build_object('from', ended.event, 'to', null))
    );
  end loop;
end
$$;
comment on function app.note_ended_notices() is
  'Writes account.restored for each notice that stopped sends until its time was over, once for each end.';

create function app.note_passed_times() returns void
language plpgsql
set search_path = ''
as $$
begin
  perform app.note_closing_windows();
  perform app.note_ended_notices();
end
$$;
comment on function app.note_passed_times() is
  'Writes the time-based events. A job calls this function every minute.';
