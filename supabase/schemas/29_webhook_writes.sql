-- Functions that create, change and delete webhooks. Owners, admins and API keys with the scope `webhooks` may call
-- these functions. The functions app.webhook_company() and app.managed_webhook() check the caller. The edge functions
-- check URLs and seal secrets. So users can set URLs and secrets only through the edge function `settings`. When a key
-- ends, the webhooks that depend on the key are switched off (29_webhooks_of_keys.sql). A webhook that a user created
-- stays on, even if the user leaves the company.

create function app.webhook_company(of_company_id uuid) returns uuid
language plpgsql stable
set search_path = ''
as $$
begin
  if current_setting('role', true) = 'api_client' then
    return app.company_id('webhooks');
  end if;
  if app.acting_kind() <> 'platform' and (of_company_id = any (app.managed_company_ids())) is not true then
    raise sqlstate 'PT403' using message = 'Only owners and admins of a company manage its webhooks';
  end if;
  if of_company_id is null then
    raise sqlstate 'PT422' using message = 'company_id must name a company';
  end if;
  return of_company_id;
end
$$;
comment on function app.webhook_company(uuid) is
  'Returns the company whose webhooks the caller manages. For a key, this is the key''s company, and the argument is '
  'ignored. For owners, admins and the platform, this is the company in the argument. Raises PT403 for other callers, '
  'and PT401 and PT403 as app.company_id() does.';

create function app.managed_webhook(of_webhook_id uuid) returns public.webhooks
language plpgsql stable
set search_path = ''
as $$
declare
  kind constant text := case when current_setting('role', true) = 'api_client' then 'key' else app.acting_kind() end;
  own_company_ids constant uuid[] := case kind
    when 'key' then array[app.company_id('webhooks')]
    when 'person' then app.member_company_ids()
  end;
  hook public.webhooks;
begin
  select * into hook from public.webhooks where id = of_webhook_id;
  if hook.id is null or (kind <> 'platform' and (hook.company_id = any (own_company_ids)) is not true) then
    raise sqlstate 'PT404' using message = 'Webhook not found';
  end if;
  if kind = 'person' and hook.company_id <> all (app.managed_company_ids()) then
    raise sqlstate 'PT403' using message = 'Only owners and admins of a company manage its webhooks';
  end if;
  return hook;
end
$$;
comment on function app.managed_webhook(uuid) is
  'Returns a webhook that the caller manages. The caller is a key with the scope `webhooks`, an owner or an admin of '
  'the webhook''s company, or the platform. Raises PT404 when the caller''s company has no webhook with this id. '
  'Raises PT403 for agents, and PT401 and PT403 as app.company_id() does.';

create function app.locked_webhook(of_webhook_id uuid) returns public.webhooks
language plpgsql
set search_path = ''
as $$
declare
  -- The function checks the caller before it locks anything.
  hook public.webhooks := app.managed_webhook(of_webhook_id);
begin
  -- The calling function also locks the company when it writes the company's history. A deletion of the company locks
  -- the company before its webhooks. This function locks in the same order, so no deadlock can occur.
  perform from public.companies where id = hook.company_id for key share;
  select * into hook from public.webhooks where id = of_webhook_id for no key update;
  if not found then
    raise sqlstate 'PT404' using message = 'Webhook not found';
  end if;
  -- While the function waited for the lock, the user may have lost the role.
  if app.acting_kind() = 'person' then
    perform app.managed_webhook(of_webhook_id);
  end if;
  return hook;
end
$$;
comment on function app.locked_webhook(uuid) is
  'Returns the same result and raises the same errors as app.managed_webhook(). No other transaction can change the '
  'webhook until this transaction ends.';

create function app.webhook_json(hook public.webhooks) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  -- When a key expires, no row changes, and the delivery job switches the webhook off later. Until then, this function
  -- already returns the state `off`.
  has_ended constant boolean := hook.state <> 'off' and app.has_ended_key(hook);
begin
  return json_build_object(
    'id', hook.id, 'company_id', hook.company_id, 'url', hook.url, 'types', hook.types, 'payload', hook.payload,
    'description', hook.description,
    'state', case when has_ended then 'off' else hook.state end,
    'why', case when has_ended then 'key_ended' else hook.why end,
    'created_by_key_id', hook.created_by_key_id, 'created_by', hook.created_by,
    'failing_since', hook.failing_since, 'paused_until', hook.paused_until,
    'switched_off_at', case
      when has_ended then (select expires_at from public.api_keys where id = hook.created_by_key_id)
      else hook.switched_off_at
    end,
    'previous_secret_ends_at', (select max(ends_at) from app.previous_secrets(hook)),
    'last_success_at', hook.last_success_at,
    'open_deliveries', (
      select count(*)
      -- After a webhook is switched off, a job may need a few minutes to move its deliveries. These deliveries have
      -- already ended, so they are not counted.
      from (select from app.open_deliveries where webhook_id = hook.id and hook.state <> 'off' limit 10000) as open
    ),
    'created_at', hook.created_at, 'updated_at', hook.updated_at
  );
end
$$;
comment on function app.webhook_json(public.webhooks) is
  'Returns a webhook in the format of the API, without its secrets. Open deliveries are counted up to 10,000.';

create function app.note_webhook_history(hook public.webhooks, action text, details jsonb default '{}') returns void
language plpgsql
set search_path = ''
as $$
declare
  kind constant text := case when current_setting('role', true) = 'api_client' then 'key' else app.acting_kind() end;
  person constant uuid := case when kind = 'person' then auth.uid() end;
  author_id uuid := person;
  key_name text;
begin
  if kind = 'key' then
    select id, name into author_id, key_name from public.api_keys where key_hash = auth.jwt() ->> 'key_hash';
  end if;
  insert into public.company_events (
    company_id, webhook_id, webhook_address, action, details, actor_kind, actor_id, actor_name, client_address
  )
  select
    companies.id, hook.id, split_part(hook.url, '?', 1), note_webhook_history.action, note_webhook_history.details, kind,
    author_id, case when kind = 'key' then key_name else app.name_of_person(person, companies.id) end,
    -- For a key, an edge function makes the request, so the IP address in the request would be that of the edge
    -- function.
    case when kind <> 'key' then app.client_address() end
  -- If a company is deleted, the deletion of its webhooks creates no events.
  from public.companies where companies.id = hook.company_id
  for key share;
end
$$;
comment on function app.note_webhook_history(public.webhooks, text, jsonb) is
  'Writes an event about a webhook into company_events.';

-- Security definer, because no role may write webhooks directly. The other functions in this file are security definer
-- for the same reason.
create function public.create_webhook(
  webhook_id uuid, url text, types text[], payload text, description text, sealed_secret text,
  company_id uuid default null, idempotency jsonb default null
) returns json
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id constant uuid := app.webhook_company(create_webhook.company_id);
  earlier constant jsonb := app.claim_idempotency_key(own_company_id, idempotency);
  made public.webhooks;
begin
  if earlier is not null then
    select * into made from public.webhooks where webhooks.company_id = own_company_id and id = (earlier ->> 'id')::uuid;
    return json_build_object(
      'replayed', true,
      'data', case when made.id is not null then app.webhook_json(made) end,
      'sealed_secret', made.sealed_secret
    );
  end if;
  if create_webhook.url is null then
    raise sqlstate 'PT422' using message = 'url was refused';
  end if;
  -- If several calls create webhooks of a company at the same time, this lock makes them count the webhooks one after
  -- the other.
  perform from public.companies where id = own_company_id for no key update;
  if not found then
    raise sqlstate 'PT404' using message = 'No company has this id';
  end if;
  -- While the function waited for the lock, the user may have lost the role.
  if app.acting_kind() = 'person' then
    perform app.webhook_company(own_company_id);
  end if;
  if (select count(*) from public.webhooks where webhooks.company_id = own_company_id) >= 10 then
    raise sqlstate 'PT409' using message = 'A company has at most 10 webhooks: delete one first';
  end if;
  insert into public.webhooks (
    id, company_id, url, types, payload, description, sealed_secret, created_by_key_id, created_by
  )
  select
    create_webhook.webhook_id, own_company_id, create_webhook.url,
    array(select distinct type from unnest(create_webhook.types) as type order by type),
    create_webhook.payload, create_webhook.description, create_webhook.sealed_secret, author.api_key_id, author.user_id
  from app.webhook_author() as author
  returning * into made;
  perform app.note_webhook_history(
    made, 'webhook_created', jsonb_build_object('types', made.types, 'payload', made.payload)
  );
  perform app.keep_outcome(own_company_id, idempotency, jsonb_build_object('id', made.id));
  return json_build_object('replayed', false, 'data', app.webhook_json(made), 'sealed_secret', made.sealed_secret);
end
$$;
comment on function public.create_webhook(uuid, text, text[], text, text, text, uuid, jsonb) is
  'Creates a webhook and returns { replayed, data, sealed_secret }. The edge functions check the URL, choose the id '
  'and seal the secret, and then call this function for keys and users. A repeat returns the webhook with its current '
  'secret, or null if the webhook was deleted. The edge function passes a null url if it refused the URL, because the '
  'request may still be a repeat. Raises PT422 for a null url, and PT409 for the eleventh webhook of a company. Also '
  'raises the errors of app.webhook_company() and app.claim_idempotency_key().';
grant execute on function public.create_webhook(uuid, text, text[], text, text, text, uuid, jsonb)
  to api_client, settings_client;

create function app.webhook_author(out api_key_id uuid, out user_id uuid)
language plpgsql stable
set search_path = ''
as $$
begin
  if current_setting('role', true) = 'api_client' then
    select id into api_key_id from public.api_keys where key_hash = auth.jwt() ->> 'key_hash';
  elsif app.acting_kind() = 'person' then
    user_id := auth.uid();
  end if;
end
$$;
comment on function app.webhook_author() is
  'Returns the key or the user that makes this request. Both values are null for the platform.';

create function app.webhook_actor() returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object(
    'kind', case
      when author.api_key_id is not null then 'key'
      when author.user_id is not null then 'person'
      else 'platform'
    end,
    'id', coalesce(author.api_key_id, author.user_id)
  )
  from app.webhook_author() as author
$$;
comment on function app.webhook_actor() is
  'Returns the author of this request in the format of app.events.actor: a key, a user or the platform.';

create function public.change_webhook(webhook_id uuid, changes jsonb) returns json
language plpgsql security definer
set search_path = ''
as $$
declare
  stored constant public.webhooks := app.locked_webhook(change_webhook.webhook_id);
  is_off constant boolean := stored.state = 'off' or app.has_ended_key(stored);
  asked_state constant text := changes ->> 'state';
  author record;
  is_switched_on constant boolean := coalesce(is_off and asked_state = 'on', false);
  is_moved constant boolean := coalesce(changes ->> 'url' <> stored.url, false);
  changed public.webhooks := stored;
  fields text[];
begin
  if is_off and asked_state = 'paused' then
    raise sqlstate 'PT409' using message = 'The webhook is off, so it cannot be paused: switch it on first';
  end if;
  if stored.state = 'off' and is_switched_on then
    perform app.end_deliveries(stored.id, stored.switched_off_at, 50000);
    if exists (select from app.open_deliveries as open where open.webhook_id = stored.id) then
      raise sqlstate 'PT409' using
        message = 'The webhook cannot be `on` yet, because its waiting deliveries are still being ended: try again in '
          'a few minutes';
    end if;
  end if;
  select * into author from app.webhook_author();
  changed.url := coalesce(changes ->> 'url', stored.url);
  changed.payload := coalesce(changes ->> 'payload', stored.payload);
  changed.types := case
    when changes ? 'types'
      then array(select distinct type from jsonb_array_elements_text(changes -> 'types') as type order by type)
    else stored.types
  end;
  changed.description := case when changes ? 'description' then changes ->> 'description' else stored.description end;
  changed.state := case
    when asked_state = 'paused' then 'paused'
    when is_switched_on then 'on'
    when asked_state = 'on' and stored.state = 'paused' then
      -- Events that happened during the pause may exist only in the log.
      case when stored.catch_up_version is not null and stored.catch_up_until is null then 'catching_up' else 'on' end
    else stored.state
  end;
  fields := array_remove(
    array[
      case when is_moved then 'url' end,
      case when changed.types <> stored.types then 'types' end,
      case when changed.payload <> stored.payload then 'payload' end,
      case when changed.description is distinct from stored.description then 'description' end
    ],
    null
  );
  if fields = '{}' and changed.state = stored.state and not is_switched_on then
    return app.webhook_json(stored);
  end if;
  -- If a key changes the URL or switches the webhook on, the webhook is switched off when that key ends. Otherwise, a
  -- URL that a stolen key set would remain in use after the key is switched off.
  if is_switched_on or (is_moved and author.api_key_id is not null) then
    changed.created_by_key_id := author.api_key_id;
    changed.created_by := author.user_id;
  end if;
  changed.why := case
    when changed.state = 'paused' and stored.state <> 'paused' then 'by_' || case
      when author.api_key_id is not null then 'key'
      when author.user_id is not null then 'person'
      else 'platform'
    end
    when changed.state in ('paused', 'off') then stored.why
  end;
  update public.webhooks set
    url = changed.url,
    types = changed.types,
    payload = changed.payload,
    description = changed.description,
    state = changed.state,
    why = changed.why,
    created_by_key_id = changed.created_by_key_id,
    created_by = changed.created_by,
    switched_off_at = case when not is_switched_on then webhooks.switched_off_at end,
    -- A webhook that was off starts again without failures. A webhook that was paused keeps the count of its failures.
    failing_since = case when not is_switched_on then webhooks.failing_since end,
    failures = case when is_switched_on then 0 else webhooks.failures end,
    pauses = case when is_switched_on then 0 else webhooks.pauses end,
    paused_until = case when not is_switched_on then webhooks.paused_until end
  where id = stored.id
  returning * into changed;
  if fields <> '{}' then
    perform app.note_webhook_history(changed, 'webhook_changed', jsonb_build_object('fields', fields));
  end if;
  if is_switched_on or changed.state <> stored.state then
    perform app.note_webhook_history(
      changed, case when changed.state = 'paused' then 'webhook_paused' else 'webhook_switched_on' end
    );
  end if;
  return app.webhook_json(changed);
end
$$;
comment on function public.change_webhook(uuid, jsonb) is
  'Changes a webhook and returns it. The changes are { url?, types?, payload?, description?, state? }. The state is '
  '`on` or `paused`. The edge functions check the URL and then call this function. If the caller switches on a webhook '
  'that is off, or if a key changes the URL, created_by_key_id and created_by then identify the caller. Raises PT409 '
  'when the change would pause a webhook that is off. Also raises PT409 when the change would switch on a webhook '
  'whose long queue has not been moved yet. Also raises the errors of app.managed_webhook().';
grant execute on function public.change_webhook(uuid, jsonb) to api_client, settings_client, service_role;

create function public.delete_webhook(webhook_id uuid) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  hook constant public.webhooks := app.locked_webhook(delete_webhook.webhook_id);
begin
  delete from public.webhooks where id = hook.id;
  perform app.note_webhook_history(hook, 'webhook_deleted');
end
$$;
comment on function public.delete_webhook(uuid) is
  'Deletes a webhook. Its deliveries stop immediately, and a job deletes them later. Raises the errors of '
  'app.managed_webhook().';
grant execute on function public.delete_webhook(uuid) to api_client, authenticated, service_role;
