-- Messaging accounts: the phone numbers that a company uses on the channel.

create table public.messaging_accounts (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  -- The channel's own ids, decimal digits.
  phone_number_id text not null check (phone_number_id ~ '^[0-9]{1,32}$'),
  business_account_id text check (business_account_id ~ '^[0-9]{1,32}$'),
  display_phone text not null check (display_phone ~ '^\+[1-9][0-9]{6,14}$'),
  -- A compact JWE (dir, A256GCM) under the functions' secret CREDENTIALS_KEY; useless without it.
  encrypted_token text check (encrypted_token ~ '^[A-Za-z0-9_-]+\.\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$'),
  disconnected_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  constraint messaging_accounts_one_per_number unique (company_id, phone_number_id),
  -- A disconnected account keeps its conversations and loses its token.
  constraint messaging_accounts_token_while_connected
    check ((disconnected_at is null) = (encrypted_token is not null))
);
comment on table public.messaging_accounts is
  'A phone number of a company on the messaging channel, with its encrypted access token.';

-- The reply of a recipient names only the phone_number_id, so a number is connected to one company at a time.
create unique index messaging_accounts_one_connection_idx on public.messaging_accounts (phone_number_id)
  where disconnected_at is null;

create trigger messaging_accounts_set_updated_at before update on public.messaging_accounts
  for each row execute function app.set_updated_at();

alter table public.messaging_accounts enable row level security;
create policy "people see their company's messaging accounts" on public.messaging_accounts
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
-- The Data API writes the token and never reads it back.
grant
  select (
    id, company_id, phone_number_id, business_account_id, display_phone, disconnected_at, created_at, updated_at
  )
  on public.messaging_accounts to authenticated;
grant
  select (
    id, company_id, phone_number_id, business_account_id, display_phone, disconnected_at, created_at, updated_at
  ),
  insert (company_id, phone_number_id, business_account_id, display_phone, encrypted_token, disconnected_at),
  update (company_id, phone_number_id, business_account_id, display_phone, encrypted_token, disconnected_at),
  delete
  on public.messaging_accounts to service_role;
