-- Messaging accounts: the phone numbers that a company uses on WhatsApp, and when each number was connected. Owners,
-- admins and the operator connect a number with connect_messaging_account(), and can disconnect it with
-- disconnect_messaging_account().

create type public.disconnected_messaging_account as (
  id uuid,
  disconnected_at timestamptz,
  was_connected boolean
);
comment on type public.disconnected_messaging_account is
  'An account as disconnect_messaging_account() returns it. was_connected is true when this call disconnected the '
  'account.';

create table public.messaging_accounts (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  -- The WhatsApp ids, which are decimal digits.
  phone_number_id text not null check (phone_number_id ~ '^[0-9]{1,32}$'),
  business_account_id text check (business_account_id ~ '^[0-9]{1,32}$'),
  display_phone text not null check (display_phone ~ '^\+[1-9][0-9]{6,14}$'),
  -- A compact JWE (dir, A256GCM), encrypted with CREDENTIALS_KEY, a secret of the edge functions.
  encrypted_token text check (encrypted_token ~ '^[A-Za-z0-9_-]+\.\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$'),
  disconnected_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Only events from this app, or from an earlier app of the account, are accepted for the account. So no one can use
  -- an app's secret to forge events for a company that does not use that app.
  channel_app_id uuid references public.channel_apps on delete set null,
  -- When WhatsApp first refused the account after the last successful send. The functions that claim sends read this
  -- column. If the column is not null, the next successful send withdraws the refusals. See 65_account_refusals.sql.
  refused_at timestamptz,
  unique (company_id, id),
  constraint messaging_accounts_one_per_number unique (company_id, phone_number_id),
  -- A disconnected account keeps its conversations but not its token.
  constraint messaging_accounts_token_while_connected
    check ((disconnected_at is null) = (encrypted_token is not null))
);
comment on table public.messaging_accounts is
  'A company''s phone number on WhatsApp, with its encrypted access token.';
comment on column public.messaging_accounts.channel_app_id is
  'The app that the account uses now. Null when the account uses no app. Events from earlier apps of the account are '
  'also accepted.';

-- This table keeps earlier apps, because a message status may arrive days after the account changed to another app.
create table public.account_channel_apps (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  account_id uuid not null,
  channel_app_id uuid not null references public.channel_apps on delete cascade,
  named_at timestamptz not null default now(),
  -- The job makes the app's events due that wait for the account and were last tried before this time. It is one minute
  -- after the last change of the account, because a transaction that tries an event at the time of the change may not
  -- see the change. Null when the job has made all these events due.
  wakes_before timestamptz default now() + interval '1 minute',
  constraint account_channel_apps_once unique (company_id, account_id, channel_app_id),
  constraint account_channel_apps_account_fkey foreign key (company_id, account_id)
    references public.messaging_accounts (company_id, id) on delete cascade
);
comment on table public.account_channel_apps is
  'Every app that an account uses or used earlier. An event is accepted for an account only if one of these apps '
  'signed the event.';

-- This table records which account had a number, and when. A message belongs to the company that had the number when
-- the person wrote the message. This rule also applies if WhatsApp delivers the message after the number moved to
-- another company.
create table public.account_connections (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  account_id uuid not null,
  connected_at timestamptz not null default now(),
  disconnected_at timestamptz,
  -- When the last event about the account arrived. This time shows the operator whether events arrive. The column is
  -- not in messaging_accounts, because jobs and sends read that table constantly.
  last_event_at timestamptz,
  constraint account_connections_account_fkey foreign key (company_id, account_id)
    references public.messaging_accounts (company_id, id) on delete cascade
);
comment on table public.account_connections is
  'The periods in which each messaging account was connected with its number.';
comment on column public.account_connections.last_event_at is
  'When the last event about the account was received while the account was connected. The time is precise to ten '
  'seconds. Null when there was no event.';

-- An inbound message identifies the account that received it only by phone_number_id, so a number can be connected to
-- only one company at a time.
create unique index messaging_accounts_one_connection_idx on public.messaging_accounts (phone_number_id)
  where disconnected_at is null;
create index messaging_accounts_channel_app_idx on public.messaging_accounts (channel_app_id);
create index account_channel_apps_app_idx on public.account_channel_apps (channel_app_id);
create index account_channel_apps_waking_idx on public.account_channel_apps (wakes_before)
  where wakes_before is not null;
create index account_connections_account_idx on public.account_connections (company_id, account_id, connected_at desc);

-- These indexes find the account for each item of an event.
create index messaging_accounts_number_idx on public.messaging_accounts (phone_number_id);
create index messaging_accounts_business_account_idx on public.messaging_accounts (business_account_id);

create function app.note_connection() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' and new.phone_number_id <> old.phone_number_id then
    -- The stored periods belong to the earlier number. If they remained, the account would get messages that were sent
    -- to the new number in these periods.
    delete from public.account_connections where company_id = new.company_id and account_id = new.id;
    if new.disconnected_at is not null then
      return null;
    end if;
  end if;
  if new.disconnected_at is null then
    insert into public.account_connections (company_id, account_id) values (new.company_id, new.id);
  elsif tg_op = 'INSERT' then
    insert into public.account_connections (company_id, account_id, connected_at, disconnected_at)
    values (new.company_id, new.id, least(new.created_at, new.disconnected_at), new.disconnected_at);
  else
    update public.account_connections set disconnected_at = new.disconnected_at
    where company_id = new.company_id and account_id = new.id and disconnected_at is null;
  end if;
  return null;
end
$$;
comment on function app.note_connection() is
  'Trigger: records the periods in which an account is connected with its number.';

create function app.remember_channel_app() returns trigger
-- Security definer, because no role may write the table.
language plpgsql security definer
set search_path = ''
as $$
begin
  if exists (
    select from public.channel_apps where id = new.channel_app_id and owner_company_id <> new.company_id
  ) then
    raise sqlstate 'PT409' using message = 'The app belongs to another company';
  end if;
  insert into public.account_channel_apps (company_id, account_id, channel_app_id)
  values (new.company_id, new.id, new.channel_app_id)
  on conflict do nothing;
  return null;
end
$$;
comment on function app.remember_channel_app() is
  'Trigger: keeps the app of an account, even after the account gets another app. Raises PT409 for an app of another '
  'company, because that company''s owners and admins may change the app''s secret.';

create function public.disconnect_messaging_account(account_id uuid) returns public.disconnected_messaging_account
-- Security definer, because no user may write the table. The function deletes the token without reading it.
language plpgsql security definer
set search_path = ''
-- A disconnection may have to wait for a transaction that stores the account's templates.
set lock_timeout = '3s'
as $$
#variable_conflict use_column
declare
  is_platform constant boolean := coalesce(current_setting('role', true) = 'service_role', false);
  owner_id uuid;
  disconnected public.disconnected_messaging_account;
begin
  select accounts.company_id into owner_id from public.messaging_accounts as accounts
  where accounts.id = disconnect_messaging_account.account_id
    -- The error must not reveal whether another company has the account.
    and (is_platform or accounts.company_id = any (app.member_company_ids()));
  if not found then
    raise sqlstate 'PT404' using message = 'No messaging account has this id';
  end if;
  if not is_platform and owner_id <> all (app.managed_company_ids()) then
    raise sqlstate 'PT403' using message = 'Only owners and admins of a company disconnect its messaging accounts';
  end if;

  -- If two calls run at the same time, the second call waits for the first and then has nothing to do.
  select accounts.id, accounts.disconnected_at, accounts.disconnected_at is null into disconnected
  from public.messaging_accounts as accounts
  where accounts.id = disconnect_messaging_account.account_id and accounts.company_id = owner_id
  for no key update;
  if not found then
    raise sqlstate 'PT404' using message = 'No messaging account has this id';
  end if;
  if disconnected.was_connected then
    update public.messaging_accounts as accounts set
      -- The time now() could be earlier than the connection, because this transaction may have waited for a transaction
      -- that connected the account.
      disconnected_at = clock_timestamp(), encrypted_token = null
    where accounts.id = disconnected.id
    returning accounts.disconnected_at into disconnected.disconnected_at;
  end if;
  -- While the function waited for the locks, the user may have lost the role.
  if not is_platform and owner_id <> all (app.managed_company_ids()) then
    raise sqlstate 'PT403' using message = 'Only owners and admins of a company disconnect its messaging accounts';
  end if;
  return disconnected;
exception
  when lock_not_available then
    raise sqlstate 'PT503' using message = 'The account or its templates are being changed: try again in a minute';
end
$$;
comment on function public.disconnect_messaging_account(uuid) is
  'Disconnects a messaging account and deletes its token. Owners and admins of its company and the platform may call '
  'this function. If the account is already disconnected, disconnected_at does not change. Conversations, messages and '
  'templates remain. Sends in progress still get their outcome, and status reports about sent messages are still '
  'processed. Raises PT403 for other members of the company. Raises PT404 when the caller has no account with this id. '
  'Raises PT503 after waiting too long for a lock.';
grant execute on function public.disconnect_messaging_account(uuid) to authenticated, service_role;

-- A program uses the next two functions to encrypt the access tokens with a new CREDENTIALS_KEY. The program has both
-- keys. The program reads each sealed token, seals the token with the new key, and stores the result. A sealed token is
-- useless without a key.
create function public.sealed_account_tokens(
  after_id uuid default null,
  max_rows integer default 1000
) returns table (id uuid, company_id uuid, phone_number_id text, encrypted_token text)
language sql stable security definer
set search_path = ''
as $$
  select accounts.id, accounts.company_id, accounts.phone_number_id, accounts.encrypted_token
  from public.messaging_accounts as accounts
  where accounts.encrypted_token is not null
    and accounts.id > coalesce(after_id, '00000000-0000-0000-0000-000000000000')
  order by accounts.id
  limit greatest(least(max_rows, 1000), 0)
$$;
comment on function public.sealed_account_tokens(uuid, integer) is
  'Returns connected accounts of all companies with their encrypted tokens. The accounts are sorted by id and begin '
  'after after_id. Returns at most max_rows accounts, and never more than 1000.';
grant execute on function public.sealed_account_tokens(uuid, integer) to service_role;

create function public.reseal_account_token(
  account_id uuid,
  sealed_before text,
  sealed text
) returns boolean
language sql security definer
set search_path = ''
as $$
  -- If the account was connected or disconnected since the caller read the token, the condition on sealed_before keeps
  -- that change.
  with resealed as (
    update public.messaging_accounts as accounts set encrypted_token = sealed
    where accounts.id = account_id and accounts.encrypted_token = sealed_before
    returning accounts.id
  )
  select exists (select from resealed)
$$;
comment on function public.reseal_account_token(uuid, text, text) is
  'Replaces an account''s encrypted token if the stored token is still sealed_before. Returns whether the token was '
  'replaced.';
grant execute on function public.reseal_account_token(uuid, text, text) to service_role;

create function app.accounts_of_app(app_id uuid, number_id text, business_id text) returns uuid[]
language plpgsql stable
set search_path = ''
as $$
begin
  return array(
    select accounts.id
    from public.messaging_accounts as accounts
    where (accounts.phone_number_id = number_id or accounts.business_account_id = business_id)
      and exists (
        select from public.account_channel_apps as named
        where named.company_id = accounts.company_id and named.account_id = accounts.id
          and named.channel_app_id = app_id
      )
    order by accounts.id
  );
end
$$;
comment on function app.accounts_of_app(uuid, text, text) is
  'Returns the accounts with this number or this business account that use the app or used it earlier.';

create function app.account_at(account_ids uuid[], number_id text, happened_at timestamptz) returns uuid
language plpgsql stable
set search_path = ''
as $$
declare
  holder_id uuid;
begin
  -- This query searches the accounts of all apps for the account that had the number. A search in account_ids alone
  -- would be unsafe. If the number has moved from company A to company B, a repeated old event could reveal a customer
  -- of A to B.
  select accounts.id into holder_id
  from public.messaging_accounts as accounts
  join public.account_connections as connections on connections.company_id = accounts.company_id
    and connections.account_id = accounts.id
  where accounts.phone_number_id = number_id and connections.connected_at <= happened_at
    and (connections.disconnected_at is null or connections.disconnected_at > happened_at)
  order by connections.connected_at desc
  limit 1;
  if found then
    return case when holder_id = any (account_ids) then holder_id end;
  end if;
  return (
    select accounts.id from public.messaging_accounts as accounts
    where accounts.id = any (account_ids) and accounts.disconnected_at is null
  );
end
$$;
comment on function app.account_at(uuid[], text, timestamptz) is
  'Returns the account that was connected with the given number at the given time. If no account was connected then, '
  'returns the account in account_ids that is connected now. Returns null when the account that had the number is not '
  'in account_ids.';

create function app.account_id_in(item jsonb) returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  return item ->> case when item ->> 'kind' in ('template', 'account') then 'waba' else 'phone_number_id' end;
end
$$;
comment on function app.account_id_in(jsonb) is
  'Returns the id by which an item identifies its account: a phone number id or a business account id.';

create function app.note_last_event(app_id uuid, items jsonb, received_at timestamptz) returns void
-- This function uses PL/pgSQL, because PL/pgSQL caches its plans. Postgres would plan an SQL function again for each
-- event.
language plpgsql
set search_path = ''
as $$
declare
  number_ids constant text[] := array(
    select distinct app.account_id_in(listed.item) from jsonb_array_elements(items) as listed (item)
    where listed.item ->> 'kind' not in ('template', 'account')
  );
  business_ids constant text[] := array(
    select distinct app.account_id_in(listed.item) from jsonb_array_elements(items) as listed (item)
    where listed.item ->> 'kind' in ('template', 'account')
  );
begin
  with heard as (
    select connections.id
    from public.messaging_accounts as accounts
    join public.account_connections as connections on connections.company_id = accounts.company_id
      and connections.account_id = accounts.id
    where (accounts.phone_number_id = any (number_ids) or accounts.business_account_id = any (business_ids))
      and exists (
        select from public.account_channel_apps as named
        where named.company_id = accounts.company_id and named.account_id = accounts.id
          and named.channel_app_id = app_id
      )
      and connections.disconnected_at is null
      -- Because of this condition, many events in a short time cause only a few writes, and a repeated event causes no
      -- write.
      and (
        connections.last_event_at is null
        or connections.last_event_at < note_last_event.received_at - interval '10 seconds'
      )
    -- This function never waits for a locked row. A transaction that has locked the row either records nearly the same
    -- time or disconnects the account.
    for no key update of connections skip locked
  )
  update public.account_connections as connections set last_event_at = note_last_event.received_at
  where connections.id in (select heard.id from heard);
end
$$;
comment on function app.note_last_event(uuid, jsonb, timestamptz) is
  'Records the time at which an app''s event was received, for each connected account to which an item of the event '
  'refers.';

create trigger messaging_accounts_set_updated_at before update on public.messaging_accounts
  for each row execute function app.set_updated_at();
create trigger messaging_accounts_remember_channel_app
  after insert or update of channel_app_id on public.messaging_accounts
  for each row when (new.channel_app_id is not null) execute function app.remember_channel_app();
create trigger messaging_accounts_note_first_connection after insert on public.messaging_accounts
  for each row execute function app.note_connection();
create trigger messaging_accounts_note_connection
  after update of disconnected_at, phone_number_id on public.messaging_accounts
  for each row when (
    (old.disconnected_at is null) <> (new.disconnected_at is null) or old.phone_number_id <> new.phone_number_id
  )
  execute function app.note_connection();

alter table public.messaging_accounts enable row level security;
create policy "people see their company's messaging accounts" on public.messaging_accounts
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
alter table public.account_channel_apps enable row level security;
create policy "the platform reads which apps accounts have named" on public.account_channel_apps
  for select to service_role using (true);
alter table public.account_connections enable row level security;
create policy "people read when their company's accounts were connected" on public.account_connections
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));

grant select (
  id, company_id, phone_number_id, business_account_id, display_phone, disconnected_at, created_at, updated_at,
  channel_app_id
) on public.messaging_accounts to authenticated, service_role;
grant delete on public.messaging_accounts to service_role;
grant insert (
  company_id, phone_number_id, business_account_id, display_phone, encrypted_token, disconnected_at, channel_app_id
) on public.messaging_accounts to service_role;
grant update (
  company_id, phone_number_id, business_account_id, display_phone, encrypted_token, disconnected_at, channel_app_id
) on public.messaging_accounts to service_role;
grant select on public.account_channel_apps to service_role;
grant select on public.account_connections to authenticated, service_role;
