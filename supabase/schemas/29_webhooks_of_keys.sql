-- The webhooks that depend on an API key (created_by_key_id) are switched off when the key ends. So after a stolen key
-- is switched off, its webhooks deliver no more events. The webhooks are switched off immediately when the key is
-- switched off or deleted. When a key expires, no row changes, so the delivery job checks the key for each delivery. A
-- rotation gives the webhooks to the successor key, unless the rotation ends the earlier key immediately. Then someone
-- else may know the earlier key, and may have created its webhooks.

create function app.has_ended_key(hook public.webhooks) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return hook.created_by_key_id is not null and not exists (
    select from public.api_keys
    where id = hook.created_by_key_id and company_id = hook.company_id and is_active
      and (expires_at is null or expires_at > now()) and 'webhooks' = any (scopes)
  );
end
$$;
comment on function app.has_ended_key(public.webhooks) is
  'Checks whether the key of a webhook was switched off or deleted, has expired, or lacks the scope `webhooks`.';

create function app.note_webhook_off() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform app.note_webhook_history(new, 'webhook_switched_off', jsonb_build_object('why', new.why));
  return null;
end
$$;
comment on function app.note_webhook_off() is
  'Trigger: writes an event into company_events when a webhook is switched off, for any reason.';

create function app.end_webhooks_of_key() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  ended_id uuid;
begin
  for ended_id in
    select webhooks.id from public.webhooks
    -- This join excludes the webhooks of a deleted company, because they are deleted with the company.
    join public.companies on companies.id = webhooks.company_id
    where webhooks.company_id = old.company_id and created_by_key_id = old.id and state <> 'off'
    order by webhooks.id
  loop
    perform app.switch_off_webhook(ended_id, 'key_ended', app.webhook_actor(), app.request_id());
  end loop;
  return null;
end
$$;
comment on function app.end_webhooks_of_key() is
  'Trigger: switches off a key''s webhooks immediately when the key is switched off or deleted, or when a rotation ends '
  'the key without an overlap.';

create function app.give_webhooks_to_successor() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  update public.webhooks set created_by_key_id = (
    select id from public.api_keys where company_id = new.company_id and replaces = new.id
  )
  where company_id = new.company_id and created_by_key_id = new.id;
  return null;
end
$$;
comment on function app.give_webhooks_to_successor() is
  'Trigger: gives the webhooks of a rotated key to its successor, so that the webhooks are switched off when the '
  'successor ends.';

create trigger webhooks_note_off after update of state on public.webhooks
  for each row when (new.state = 'off' and old.state <> 'off') execute function app.note_webhook_off();
create trigger api_keys_end_webhooks after delete on public.api_keys
  for each row execute function app.end_webhooks_of_key();
create trigger api_keys_end_webhooks_when_off after update of is_active on public.api_keys
  for each row when (old.is_active and not new.is_active) execute function app.end_webhooks_of_key();
-- Only a rotation writes replaced_at.
create trigger api_keys_end_webhooks_when_replaced after update of replaced_at on public.api_keys
  for each row when (new.expires_at <= now()) execute function app.end_webhooks_of_key();
create trigger api_keys_give_webhooks after update of replaced_at on public.api_keys
  for each row when (new.expires_at > now()) execute function app.give_webhooks_to_successor();
