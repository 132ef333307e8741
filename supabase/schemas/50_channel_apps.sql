-- The WhatsApp apps (Meta apps) whose events this platform accepts. The operator registers an app for several
-- companies, which connect their numbers through this app. A company may also register an app of its own. No other
-- company's account can use that app, so the company's owners and admins may change its secret.

create table public.channel_apps (
  id uuid primary key default gen_random_uuid(),
  -- The app_key is part of the webhook path that Meta calls. The app_key is random, so no one can guess it, but it is
  -- not a secret.
  app_key text not null unique check (app_key ~ '^[A-Za-z0-9_-]{16,64}$'),
  name text not null check (char_length(name) between 1 and 100)
    constraint channel_apps_name_can_be_typed check (app.is_key_name(name)),
  -- The secret with which Meta signs events. All sealed columns are compact JWEs (dir, A256GCM), encrypted with
  -- CREDENTIALS_KEY, a secret of the edge functions.
  sealed_secret text not null
    check (sealed_secret ~ '^[A-Za-z0-9_-]+\.\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$'),
  -- The earlier secret, which is accepted until the rotation ends.
  sealed_previous_secret text
    check (sealed_previous_secret ~ '^[A-Za-z0-9_-]+\.\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$'),
  rotation_began_at timestamptz,
  -- The verification token that Meta sends when the operator enters the webhook URL in the app's settings at Meta.
  sealed_verify_token text not null
    check (sealed_verify_token ~ '^[A-Za-z0-9_-]+\.\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$'),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- The company that registered the app. Null for the operator's apps.
  owner_company_id uuid references public.companies on delete cascade,
  constraint channel_apps_previous_secret_while_rotating
    check ((sealed_previous_secret is null) = (rotation_began_at is null))
);
comment on table public.channel_apps is
  'A WhatsApp app that may send events to this platform, with its encrypted secrets.';

create index channel_apps_owner_idx on public.channel_apps (owner_company_id);

create function app.runs_channel_app(of_company_id uuid) returns boolean
language sql stable
set search_path = ''
as $$
  select app.acting_kind() <> 'person' or coalesce(of_company_id = any (app.managed_company_ids()), false)
$$;
comment on function app.runs_channel_app(uuid) is
  'Checks whether the caller may change an app of this company. The platform may change every app. Users may change '
  'only the apps of companies that they manage. No user may change an app of the operator.';

create function app.usual_channel_app(of_company_id uuid) returns uuid
language sql stable
set search_path = ''
as $$
  select case
    when count(owner_company_id) = 1 then min(id::text) filter (where owner_company_id is not null)
    when count(owner_company_id) = 0 and count(*) = 1 then min(id::text)
  end::uuid
  from public.channel_apps
  where owner_company_id = of_company_id or owner_company_id is null
$$;
comment on function app.usual_channel_app(uuid) is
  'Returns the app that a new account of a company probably uses: the company''s only app. If the company has no app, '
  'returns the operator''s only app. Returns null when there are several such apps, or none.';

create function app.note_app_event(app public.channel_apps, action text) returns void
language sql security definer -- no role may write the events
set search_path = ''
as $$
  -- The operator's apps have no company, so they create no events. An app that is deleted with its company creates no
  -- event either.
  insert into public.company_events (
    company_id, action, details, actor_kind, actor_id, actor_name, client_address
  )
  select
    company.id, note_app_event.action, jsonb_build_object('app', app.name), acting.kind, acting.person,
    app.name_of_person(acting.person, company.id), app.client_address()
  from public.companies as company
  cross join lateral (
    select app.acting_kind() as kind, case when app.acting_kind() = 'person' then auth.uid() end as person
  ) as acting
  where company.id = app.owner_company_id
  for key share of company
$$;
comment on function app.note_app_event(public.channel_apps, text) is
  'Writes an event about a company''s app into company_events.';

create function app.note_app_deletion() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform app.note_app_event(old, 'app_deleted');
  return null;
end
$$;
comment on function app.note_app_deletion() is 'Trigger: records the deletion of an app in company_events.';

create function public.create_channel_app(
  company_id uuid,
  app_key text,
  name text,
  sealed_secret text,
  sealed_verify_token text
) returns jsonb
language plpgsql security definer -- no role may read the secrets
set search_path = ''
as $$
#variable_conflict use_column
declare
  made public.channel_apps;
begin
  -- Because of this lock, simultaneous calls count the company's apps one after the other.
  perform app.lock_managed_company(
    create_channel_app.company_id, 'Only owners and admins of a company register its apps'
  );
  if not app.is_key_name(create_channel_app.name) then
    raise sqlstate 'PT422' using message =
      'name must have no blank at either end, and no line breaks, control characters or invisible characters';
  end if;
  if (select count(*) from public.channel_apps where owner_company_id = create_channel_app.company_id) >= 10 then
    raise sqlstate 'PT409' using message = 'A company has at most 10 apps: ask the operator to delete one first';
  end if;
  insert into public.channel_apps (owner_company_id, app_key, name, sealed_secret, sealed_verify_token)
  values (
    create_channel_app.company_id, create_channel_app.app_key, create_channel_app.name,
    create_channel_app.sealed_secret, create_channel_app.sealed_verify_token
  )
  returning * into made;
  perform app.note_app_event(made, 'app_registered');
  -- A company that registers its first app expects this app to deliver the events of the company's accounts. Until Meta
  -- sends events through the new app, events from the operator's app are still accepted, because the accounts used the
  -- operator's app earlier.
  update public.messaging_accounts as accounts set channel_app_id = made.id
  where accounts.company_id = create_channel_app.company_id and not exists (
    select from public.channel_apps as apps
    where apps.id = accounts.channel_app_id and apps.owner_company_id is not null
  );
  return jsonb_build_object(
    'id', made.id, 'app_key', made.app_key, 'name', made.name, 'rotation_began_at', made.rotation_began_at
  );
end
$$;
comment on function public.create_channel_app(uuid, text, text, text, text) is
  'Registers an app of a company, with its sealed secrets. The company''s accounts that use no app, or an app of the '
  'operator, then change to the new app. Raises PT403 for users who do not manage the company, PT409 when the company '
  'has 10 apps, and PT422 for an unreadable name.';
grant execute on function public.create_channel_app(uuid, text, text, text, text) to settings_client;

create function public.channel_app(app_key text) returns jsonb
-- Security definer, because the role for the edge function `whatsapp` cannot read any table.
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'sealed_secret', apps.sealed_secret,
    'sealed_previous_secret', apps.sealed_previous_secret,
    'sealed_verify_token', apps.sealed_verify_token,
    'owner_company_id', apps.owner_company_id
  )
  from public.channel_apps as apps
  where apps.app_key = channel_app.app_key
$$;
comment on function public.channel_app(text) is
  'Returns the encrypted secrets of the app with this app_key, and the company that registered the app. Returns null '
  'for an unknown app.';
grant execute on function public.channel_app(text) to channel_client;

create function public.rotate_channel_app(app_key text, sealed_secret text) returns timestamptz
-- Security definer, because the function copies a secret between columns that no role may read.
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  changed public.channel_apps;
begin
  -- A second rotation before the end of the first rotation replaces only the new secret. This helps, for example, after
  -- a typing error.
  update public.channel_apps as apps set
    sealed_secret = rotate_channel_app.sealed_secret,
    sealed_previous_secret = coalesce(apps.sealed_previous_secret, apps.sealed_secret),
    rotation_began_at = coalesce(apps.rotation_began_at, now())
  where apps.app_key = rotate_channel_app.app_key and app.runs_channel_app(apps.owner_company_id)
  returning apps.* into changed;
  perform app.note_app_event(changed, 'app_secret_changed');
  return changed.rotation_began_at;
end
$$;
comment on function public.rotate_channel_app(text, text) is
  'Gives an app a new secret. Until finish_channel_app_rotation() is called, the earlier secret is also accepted. '
  'Returns the start time of the rotation, or null for an app that is unknown or that the caller may not change.';
grant execute on function public.rotate_channel_app(text, text) to settings_client, service_role;

create function public.finish_channel_app_rotation(app_key text) returns boolean
language plpgsql security definer -- see rotate_channel_app()
set search_path = ''
as $$
#variable_conflict use_column
declare
  found_app public.channel_apps;
begin
  select * into found_app from public.channel_apps as apps
  where apps.app_key = finish_channel_app_rotation.app_key and app.runs_channel_app(apps.owner_company_id)
  for update;
  if not found then
    return null;
  end if;
  if found_app.rotation_began_at is null then
    return false;
  end if;
  update public.channel_apps set sealed_previous_secret = null, rotation_began_at = null where id = found_app.id;
  perform app.note_app_event(found_app, 'app_secret_ended');
  return true;
end
$$;
comment on function public.finish_channel_app_rotation(text) is
  'Ends the rotation of an app. Only the new secret is accepted from then on. Returns whether a rotation was in '
  'progress, or null for an app that is unknown or that the caller may not change.';
grant execute on function public.finish_channel_app_rotation(text) to authenticated, service_role;

create function public.sealed_app_secrets(
  after_key text default null, after_kind text default null, max_rows integer default 1000
) returns table (app_key text, kind text, sealed text)
language sql stable security definer -- no role may read the columns
set search_path = ''
as $$
  select apps.app_key, secrets.kind, secrets.sealed
  from public.channel_apps as apps
  cross join lateral (
    values ('secret', apps.sealed_secret),
      ('previous_secret', apps.sealed_previous_secret),
      ('verify_token', apps.sealed_verify_token)
  ) as secrets (kind, sealed)
  where secrets.sealed is not null
    and (after_key is null or apps.app_key > after_key or apps.app_key = after_key and secrets.kind < after_kind)
  order by apps.app_key, secrets.kind desc -- see sealed_webhook_secrets()
  limit greatest(least(max_rows, 1000), 0)
$$;
comment on function public.sealed_app_secrets(text, text, integer) is
  'Returns sealed secrets of all apps, each with its kind: secret, previous_secret or verify_token. The secrets are '
  'sorted by app_key. For the next page, after_key and after_kind are app_key and kind of the last row. Returns at '
  'most max_rows secrets, and never more than 1000.';
grant execute on function public.sealed_app_secrets(text, text, integer) to service_role;

create function public.reseal_app_secret(app_key text, kind text, sealed_before text, sealed text) returns boolean
language sql security definer -- see sealed_app_secrets()
set search_path = ''
as $$
  -- If a rotation has changed the secret since the caller read it, the condition on sealed_before keeps the new secret.
  with resealed as (
    update public.channel_apps as apps set
      sealed_secret = case when kind = 'secret' then sealed else apps.sealed_secret end,
      sealed_previous_secret = case when kind = 'previous_secret' then sealed else apps.sealed_previous_secret end,
      sealed_verify_token = case when kind = 'verify_token' then sealed else apps.sealed_verify_token end
    where apps.app_key = reseal_app_secret.app_key
      and sealed_before = case kind
        when 'secret' then apps.sealed_secret
        when 'previous_secret' then apps.sealed_previous_secret
        when 'verify_token' then apps.sealed_verify_token
      end
    returning apps.id
  )
  select exists (select from resealed)
$$;
comment on function public.reseal_app_secret(text, text, text, text) is
  'Replaces one sealed secret of an app if the stored secret is still sealed_before. Returns whether the secret was '
  'replaced.';
grant execute on function public.reseal_app_secret(text, text, text, text) to service_role;

create trigger channel_apps_check_name before insert or update of name on public.channel_apps
  for each row execute function app.check_name_of_row('an app');
create trigger channel_apps_note_deletion after delete on public.channel_apps
  for each row execute function app.note_app_deletion();
create trigger channel_apps_set_updated_at before update on public.channel_apps
  for each row execute function app.set_updated_at();

alter table public.channel_apps enable row level security;
create policy "the platform reads apps of the channel" on public.channel_apps
  for select to service_role using (true);
create policy "owners and admins read the apps of their company" on public.channel_apps
  for select to authenticated using (owner_company_id = any ((select app.managed_company_ids())::uuid[]));

grant select (id, owner_company_id, app_key, name, rotation_began_at, created_at) on public.channel_apps to authenticated;
grant select (id, owner_company_id, app_key, name, rotation_began_at, created_at, updated_at) on public.channel_apps
  to service_role;
grant insert (app_key, name, sealed_secret, sealed_verify_token) on public.channel_apps to service_role;
