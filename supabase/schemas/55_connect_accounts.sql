-- Functions that connect a messaging account, for the settings page and the operator's command. Before these functions
-- are called, Meta confirms the token and the number, and the caller seals (encrypts) the token. Users cannot store a
-- token themselves: only the edge function `settings` can, on behalf of a user. Otherwise a user could store any string
-- as a token, and claim any phone number.

-- What Meta reported about a number and its token. These values are not in messaging_accounts, because jobs and sends
-- read that table constantly.
create table public.account_health (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  account_id uuid not null,
  token_stored_at timestamptz not null default now(),
  -- Null when the token never expires, or when Meta does not report an expiry.
  token_expires_at timestamptz,
  -- The values that Meta reports, such as GREEN and TIER_1K. Null when Meta did not report a value.
  quality_rating text check (char_length(quality_rating) between 1 and 100),
  messaging_limit text check (char_length(messaging_limit) between 1 and 100),
  -- When Meta last returned data about the number.
  checked_at timestamptz not null default now(),
  constraint account_health_once unique (company_id, account_id),
  constraint account_health_account_fkey foreign key (company_id, account_id)
    references public.messaging_accounts (company_id, id) on delete cascade
);
comment on table public.account_health is
  'What Meta last reported about each number and its token: the token''s expiry, the quality, and the messaging limit.';

create function public.managing_person(company_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  if managing_person.company_id = any (app.managed_company_ids()) then
    return jsonb_strip_nulls(jsonb_build_object(
      'sub', auth.uid(), 'aal', auth.jwt() ->> 'aal', 'session_id', auth.jwt() ->> 'session_id'
    ));
  end if;
  raise sqlstate 'PT403' using message = 'Only owners and admins of a company may do this';
end
$$;
comment on function public.managing_person(uuid) is
  'Returns the JWT claims for a token of the signed-in user: the user''s id, the authentication level (aal) and the '
  'session. Raises PT403 if the user is not an owner or admin of the company.';
grant execute on function public.managing_person(uuid) to authenticated;

create function app.note_account_event(account public.messaging_accounts, action text, details jsonb) returns void
language sql
set search_path = ''
as $$
  -- An account that is deleted with its company creates no event, because the company no longer exists.
  insert into public.company_events (
    company_id, account_id, account_name, action, details, actor_kind, actor_id, actor_name, client_address
  )
  select
    company.id, account.id, account.display_phone, action, details, acting.kind, acting.person,
    app.name_of_person(acting.person, company.id), app.client_address()
  from public.companies company
  cross join lateral (
    select app.acting_kind() as kind, case when app.acting_kind() = 'person' then auth.uid() end as person
  ) as acting
  where company.id = account.company_id
  for key share of company
$$;
comment on function app.note_account_event(public.messaging_accounts, text, jsonb) is
  'Writes an event about a messaging account into company_events.';

create function app.note_account_change() returns trigger
-- Security definer, because no role may write events directly.
language plpgsql security definer
set search_path = ''
as $$
begin
  if new.disconnected_at is null then
    perform app.note_account_event(
      new, case tg_op when 'INSERT' then 'account_connected' else 'account_reconnected' end, '{}'
    );
  else
    perform app.note_account_event(new, 'account_disconnected', '{}');
  end if;
  return null;
end
$$;
comment on function app.note_account_change() is
  'Trigger: writes an event into company_events when a messaging account is connected or disconnected.';

create function public.connect_messaging_account(
  company_id uuid,
  phone_number_id text,
  display_phone text,
  encrypted_token text,
  business_account_id text default null,
  channel_app_id uuid default null,
  token_expires_at timestamptz default null,
  quality_rating text default null
) returns jsonb
-- Security definer, because no role may read tokens, and because the function writes several tables.
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  is_platform constant boolean := coalesce(current_setting('role', true) = 'service_role', false);
  known public.messaging_accounts;
  account public.messaging_accounts;
begin
  -- If two users connect a new number at the same time, the second call waits here. Then it finds the account and
  -- replaces the token. create_channel_app() takes the same lock, so that it also links the company's first app to a
  -- number that is being connected at the same time.
  perform app.lock_managed_company(
    connect_messaging_account.company_id, 'Only owners and admins of a company connect its messaging accounts'
  );
  if not is_platform and connect_messaging_account.channel_app_id is not null and not exists (
    select from public.channel_apps
    where id = connect_messaging_account.channel_app_id and owner_company_id = connect_messaging_account.company_id
  ) then
    raise sqlstate 'PT422' using message = 'channel_app_id is not an app of this company';
  end if;
  -- This lock keeps the account from being disconnected in the meantime.
  select * into known from public.messaging_accounts
  where company_id = connect_messaging_account.company_id
    and phone_number_id = connect_messaging_account.phone_number_id
  for no key update;
  -- The new token can probably upload the files of templates that failed before, so these files are due now. An upload
  -- that ends at the same time has locked its row and may wait for this account, so the row is skipped.
  update public.template_media set
    failed_at = null, failure = null, failure_is_permanent = false, failures = 0, job_failed_at = null
  where id in (
    select id from public.template_media
    where company_id = known.company_id and account_id = known.id and failure is not null
    for no key update skip locked
  );
  insert into public.messaging_accounts as accounts (
    company_id, phone_number_id, display_phone, encrypted_token, business_account_id, channel_app_id
  )
  values (
    connect_messaging_account.company_id, connect_messaging_account.phone_number_id,
    connect_messaging_account.display_phone, connect_messaging_account.encrypted_token,
    connect_messaging_account.business_account_id,
    coalesce(
      connect_messaging_account.channel_app_id,
      case when not is_platform then app.usual_channel_app(connect_messaging_account.company_id) end
    )
  )
  on conflict on constraint messaging_accounts_one_per_number do update set
    display_phone = excluded.display_phone,
    encrypted_token = excluded.encrypted_token,
    disconnected_at = null,
    business_account_id = coalesce(excluded.business_account_id, accounts.business_account_id),
    channel_app_id = coalesce(
      connect_messaging_account.channel_app_id, accounts.channel_app_id, excluded.channel_app_id
    )
  returning * into account;
  if known.id is not null and known.disconnected_at is null then
    perform app.note_account_event(account, 'account_token_replaced', '{}');
  end if;

  insert into public.account_health as health (account_id, company_id, token_expires_at, quality_rating)
  values (
    account.id, account.company_id, connect_messaging_account.token_expires_at,
    connect_messaging_account.quality_rating
  )
  on conflict on constraint account_health_once do update set
    token_stored_at = excluded.token_stored_at,
    token_expires_at = excluded.token_expires_at,
    quality_rating = coalesce(excluded.quality_rating, health.quality_rating),
    checked_at = excluded.checked_at;
  perform app.withdraw_token_refusals(account.id, 'infinity');
  -- The new token can probably read the templates, so their synchronisation is due now.
  update public.template_catalogues set sync_due_at = now()
  where company_id = account.company_id and business_account_id = account.business_account_id;
  return jsonb_build_object(
    'id', account.id,
    'company_id', account.company_id,
    'display_phone', account.display_phone,
    'phone_number_id', account.phone_number_id,
    'business_account_id', account.business_account_id,
    'disconnected_at', account.disconnected_at,
    'created_at', account.created_at,
    'was_known', known.id is not null
  );
exception
  when unique_violation then
    raise sqlstate 'PT409' using message = format(
      'The phone number id %s is connected to another company: disconnect it there first',
      connect_messaging_account.phone_number_id
    );
  when lock_not_available then
    raise sqlstate 'PT503' using message = 'The account or its templates are being changed: try again in a minute';
end
$$;
comment on function public.connect_messaging_account(uuid, text, text, text, text, uuid, timestamptz, text) is
  'Connects a WhatsApp phone number to a company, or replaces its token. Before the call, Meta has confirmed the '
  'token, and the caller has sealed it. If business_account_id or the app is missing, the stored value remains. If a '
  'user connects a new account without an app, the account gets the app that app.usual_channel_app() returns. Raises '
  'PT403 for users who do not manage the company. Raises PT409 when the number is connected to another company, and '
  'PT422 for an app of another company.';
grant execute on function public.connect_messaging_account(uuid, text, text, text, text, uuid, timestamptz, text)
  to settings_client, service_role;

create trigger messaging_accounts_note_first_event after insert on public.messaging_accounts
  for each row when (new.disconnected_at is null) execute function app.note_account_change();
create trigger messaging_accounts_note_event after update of disconnected_at on public.messaging_accounts
  for each row when ((old.disconnected_at is null) <> (new.disconnected_at is null))
  execute function app.note_account_change();

alter table public.account_health enable row level security;
create policy "people read what the channel says about their accounts" on public.account_health
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));

grant select on public.account_health to authenticated, service_role;
