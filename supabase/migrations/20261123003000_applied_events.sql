-- An event is applied in the transaction that stores it, so that a report is known as soon as the channel has its
-- answer. The function reads the bytes into items; here each finds its account, and becomes facts. To apply an item
-- again changes nothing, so whatever is not done is applied again as a whole.

alter table public.channel_events
  -- The numbers and business accounts that no account had when it was applied.
  add column waits_for text[] not null default '{}',
  -- What operators should know although it was applied, such as a message that went out twice.
  add column notes text[] not null default '{}',
  -- When it is applied again; null: not by itself. While a run of the job has it, the end of its lease.
  add column next_attempt_at timestamptz default now(),
  -- When it was applied last, with whatever result.
  add column processed_at timestamptz;
comment on column public.channel_events.waits_for is
  'The ids of numbers and business accounts without an account; the event is applied when one of them gets it.';
create index channel_events_due_idx on public.channel_events (next_attempt_at) where next_attempt_at is not null;
create index channel_events_age_idx on public.channel_events (received_at);
create index channel_events_open_idx on public.channel_events (state, received_at) where state <> 'done';
create index channel_events_app_idx on public.channel_events (channel_app_id, received_at);
create index channel_events_waiting_idx on public.channel_events using gin (waits_for) where state = 'unroutable';

-- Every item looks for its account.
create index messaging_accounts_number_idx on public.messaging_accounts (phone_number_id);
create index messaging_accounts_business_account_idx on public.messaging_accounts (business_account_id);

create function app.accounts_of_app(app_id uuid, number_id text, business_id text) returns uuid[]
language sql stable
set search_path = ''
as $$
  select array(
    select accounts.id
    from public.messaging_accounts as accounts
    where (accounts.phone_number_id = number_id or accounts.business_account_id = business_id)
      and exists (
        select from public.account_channel_apps as named
        where named.company_id = accounts.company_id and named.account_id = accounts.id
          and named.channel_app_id = app_id
      )
    order by accounts.id
  )
$$;
comment on function app.accounts_of_app(uuid, text, text) is
  'The accounts that name an app or have named it, and that have this number or this business account.';

create function app.account_at(account_ids uuid[], number_id text, happened_at timestamptz) returns uuid
language plpgsql stable
set search_path = ''
as $$
declare
  holder_id uuid;
begin
  -- Whoever had the number, whatever the app: a repeat of the channel must not show one company another's customer.
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
  'Of these accounts with this number, the one that was connected at this time; if nobody was, the one that is '
  'connected now; null when it is none of these.';

create function app.apply_item(app_id uuid, item jsonb) returns text
language plpgsql
set search_path = ''
as $$
declare
  kind constant text := item ->> 'kind';
  number_id constant text := item ->> 'phone_number_id';
  account_ids uuid[];
  account_id uuid;
begin
  if kind = 'unknown' then
    return 'unknown';
  elsif kind in ('template', 'account') then
    account_ids := app.accounts_of_app(app_id, null, item ->> 'waba');
  else
    account_ids := app.accounts_of_app(app_id, number_id, null);
  end if;
  if account_ids = '{}' then
    return 'no_account';
  end if;

  case kind
    when 'status' then return app.apply_status(account_ids, item);
    when 'template' then return app.apply_template_hint(account_ids, item);
    when 'account' then return app.apply_account_event(account_ids, item);
    else null;
  end case;

  account_id := app.account_at(
    account_ids, number_id, least(coalesce((item ->> 'at')::timestamptz, now()), now())
  );
  if account_id is null then
    return 'no_account';
  end if;
  case kind
    when 'message' then return app.apply_message(account_id, item);
    when 'reaction' then return app.apply_reaction(account_id, item);
    when 'edit' then return app.apply_edit(account_id, item);
    when 'revoke' then return app.apply_revoke(account_id, item);
    when 'system', 'identity' then return app.apply_identity_change(account_id, item);
    when 'preference' then return app.apply_preference(account_id, item);
    when 'trouble' then return app.apply_trouble(account_id, item);
    else raise exception 'There is no such kind of item';
  end case;
end
$$;
comment on function app.apply_item(uuid, jsonb) is
  'Applies one item that an app has signed, to the accounts that it is about. Returns done, waiting, ignored, '
  'unroutable, double_send or released_but_sent; no_account when it is about no account of the app, or unknown.';
