-- Access tokens move to a new CREDENTIALS_KEY: a program that holds both keys reads each sealed token and stores
-- the same token again, sealed under the new key. A sealed token is useless without a key.

create function public.sealed_account_tokens(
  after_id uuid default null,
  max_rows integer default 1000
) returns table (id uuid, encrypted_token text)
language sql stable security definer
set search_path = ''
as $$
  select accounts.id, accounts.encrypted_token
  from public.messaging_accounts as accounts
  where accounts.encrypted_token is not null
    and accounts.id > coalesce(after_id, '00000000-0000-0000-0000-000000000000')
  order by accounts.id
  limit greatest(least(max_rows, 1000), 0)
$$;
comment on function public.sealed_account_tokens(uuid, integer) is
  'The connected accounts of all companies with their encrypted tokens, ordered by id and starting after after_id: '
  'at most max_rows, and never more than 1000.';
grant execute on function public.sealed_account_tokens(uuid, integer) to service_role;

create function public.reseal_account_token(
  account_id uuid,
  sealed_before text,
  sealed text
) returns boolean
language sql security definer
set search_path = ''
as $$
  -- The condition on sealed_before keeps a connection or disconnection that was made since it was read.
  with resealed as (
    update public.messaging_accounts as accounts set encrypted_token = sealed
    where accounts.id = account_id and accounts.encrypted_token = sealed_before
    returning accounts.id
  )
  select exists (select from resealed)
$$;
comment on function public.reseal_account_token(uuid, text, text) is
  'Replaces an account''s encrypted token if it is still sealed_before, and returns whether it did.';
grant execute on function public.reseal_account_token(uuid, text, text) to service_role;
