-- The events for conversations, messages, templates and messaging accounts.

-- A message may change last_message_at and window_expires_at of its conversation. Changes to these columns create no
-- event, because the message has its own event.
select app.make_events(
  'conversations',
  fields => '{contact_id, status, assigned_to, team_id}',
  shown => '{contact_id, status, assigned_to, team_id}',
  added => $$'conversation.opened'$$,
  changed => $$
    case
      when changed_fields = '{}' then null
      when is_now.status = 'closed' and was.status <> 'closed' then 'conversation.closed'
      when is_now.status <> 'closed' and was.status = 'closed' then 'conversation.opened'
      when changed_fields && '{assigned_to, team_id}' then 'conversation.assigned'
      else 'conversation.updated'
    end
  $$,
  deleted => $$'conversation.deleted'$$
);

-- A new outbound message has no event of its own, because the events of its send report its progress. If WhatsApp first
-- accepts a message and later reports a failure, the triggers write send.failed in addition to message.status_changed.
-- An erased person's messages create no events, because contact.erased contains the ids of the conversations.
select app.make_events(
  'messages',
  fields => '{
    content, status, sent_at, delivered_at, read_at, failed_at, expired_at, failure, edited_at, revoked_at, reaction,
    own_reaction
  }',
  shown => '{status}',
  added => $$
    case when is_now.direction = 'inbound' and is_now.type <> 'system' and not is_now.is_erased
      then 'message.received' end
  $$,
  changed => $$
    case
      when is_now.is_erased then null
      when is_now.status is distinct from was.status then 'message.status_changed'
      when changed_fields && '{content, edited_at, revoked_at, own_reaction}' then 'message.updated'
      -- Callers do not see a reaction without an emoji, because the person has removed it.
      when 'reaction' = any (changed_fields) and concat(was.reaction ->> 'emoji', is_now.reaction ->> 'emoji') <> ''
        then 'message.updated'
    end,
    case
      when is_now.status = 'failed' and was.status <> 'failed' and is_now.outcome <> 'failed' and not is_now.is_erased
        then 'send.failed'
    end
  $$,
  changed_values => $$
    case when is_now.status = 'failed' and was.status <> 'failed' then jsonb_build_object(
      'reason', jsonb_build_object('from', null, 'to', is_now.failure ->> 'reason')
    ) end
  $$
);

-- When the templates of a business account are read for the first time, no status has changed, so there are no events.
select app.make_events(
  'templates',
  fields => '{status, category, quality, rejected_reason}',
  shown => '{status, category, quality}',
  added => $$
    case when exists (
      select from public.template_catalogues as catalogues
      where catalogues.company_id = is_now.company_id and catalogues.business_account_id = is_now.business_account_id
        and catalogues.synced_at is not null
    ) then 'template.status_changed' end
  $$,
  added_values => $$
    jsonb_build_object('status', jsonb_build_object('from', null, 'to', is_now.status))
  $$,
  changed => $$case when is_now.status <> was.status then 'template.status_changed' end$$,
  actor => 'channel'
);

-- A notice that stops sends restricts its account until the notice ends or is withdrawn. While a refusal is current,
-- another refusal with the same error code does not change happened_at, so there is no second event. When a restriction
-- ends because its time is over, a job writes the event account.restored, and records the end in end_noted_for. See
-- app.note_ended_notices(). If the notice is changed or deleted before that, the triggers write account.restored. If a
-- restriction replaces such a notice after its end, the account was not restricted in between, so the triggers write
-- both events.
select app.make_events(
  'account_notices',
  record => 'account_id',
  added => $$case when app.is_open_restriction(is_now) then 'account.restricted' end$$,
  added_values => $$jsonb_build_object('notice', jsonb_build_object('from', null, 'to', is_now.event))$$,
  changed => $$
    case
      when app.is_open_restriction(was) and is_now.end_noted_for is not distinct from was.end_noted_for and (
        not app.is_open_restriction(is_now) or is_now.happened_at <> was.happened_at and not app.is_current(was)
      )
        then 'account.restored'
    end,
    case
      when app.is_open_restriction(is_now)
        and (is_now.happened_at <> was.happened_at or not app.is_open_restriction(was))
        then 'account.restricted'
    end
  $$,
  changed_values => $$
    jsonb_build_object('notice', jsonb_build_object(
      'from', case
        when event_type = 'account.restored' or app.is_open_restriction(was) and app.is_current(was) then was.event
      end,
      'to', case event_type when 'account.restricted' then is_now.event end
    ))
  $$,
  deleted => $$case when app.is_open_restriction(was) then 'account.restored' end$$,
  deleted_values => $$jsonb_build_object('notice', jsonb_build_object('from', was.event, 'to', null))$$,
  actor => 'channel'
);
