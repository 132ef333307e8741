-- A company disconnects its own number without the operator. Connecting needs the access token and the channel, so it
-- stays with the operator's command.

create type public.disconnected_messaging_account as (
  id uuid,
  disconnected_at timestamptz,
  was_connected boolean
);
comment on type public.disconnected_messaging_account is
  'An account as disconnect_messaging_account() returns it. was_connected: whether this call disconnected it.';

create function public.disconnect_messaging_account(account_id uuid) returns public.disconnected_messaging_account
-- No person writes the table, and the token is deleted unread.
language plpgsql security definer
set search_path = ''
-- A reading of templates that is being stored has locks that a disconnection needs.
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
    -- Nobody learns that an account of another company exists.
    and (is_platform or accounts.company_id = any (app.member_company_ids()));
  if not found then
    raise sqlstate 'PT404' using message = 'No messaging account has this id';
  end if;
  if not is_platform and owner_id <> all (app.managed_company_ids()) then
    raise sqlstate 'PT403' using message = 'Only owners and admins of a company disconnect its messaging accounts';
  end if;

  -- Of two at once, the second waits for the first, and finds nothing to do.
  select accounts.id, accounts.disconnected_at, accounts.disconnected_at is null into disconnected
  from public.messaging_accounts as accounts
  where accounts.id = disconnect_messaging_account.account_id and accounts.company_id = owner_id
  for no key update;
  if not found then
    raise sqlstate 'PT404' using message = 'No messaging account has this id';
  end if;
  if disconnected.was_connected then
    update public.messaging_accounts as accounts set
      -- Not the beginning of this transaction: it may have waited for whoever connected the account.
      disconnected_at = clock_timestamp(), encrypted_token = null
    where accounts.id = disconnected.id
    returning accounts.disconnected_at into disconnected.disconnected_at;
  end if;
  return disconnected;
exception
  when lock_not_available then
    raise sqlstate 'PT503' using message = 'The account or its templates are being changed: try again in a minute';
end
$$;
comment on function public.disconnect_messaging_account(uuid) is
  'Disconnects a messaging account and deletes its token, for owners and admins of its company, and for the platform; '
  'an account that is disconnected already stays so since when it was. Its conversations, messages and templates are '
  'kept, what is under way is settled, and reports about what was sent still count. Raises PT403 for others who work '
  'in the company, PT404 when no account that the caller may know of has this id, and PT503 when it had to wait for '
  'too long.';
grant execute on function public.disconnect_messaging_account(uuid) to authenticated, service_role;
