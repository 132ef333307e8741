-- What a company sees of its messaging accounts at one glance: the number, its state, its templates, and whether the
-- channel tells of it.

create function app.is_current(notice public.account_notices) returns boolean
language sql stable
set search_path = ''
as $$
  select case
    when notice.until is not null then notice.until > now()
    when notice.stops_sending then notice.happened_at > now() - interval '30 days'
    else notice.happened_at > now() - interval '1 day'
  end
$$;
comment on function app.is_current(public.account_notices) is
  'Whether a notice counts now: until it ends; without an end for a day, or for 30 days when the account cannot send '
  'since.';
grant execute on function app.is_current(public.account_notices) to authenticated;

create or replace function public.current_account_notices(company_id uuid default null) returns jsonb
language sql stable security definer -- one answer for all accounts, however many notices there are
set search_path = ''
as $$
  select coalesce(jsonb_agg(
    to_jsonb(notices) - 'id' order by notices.account_id, notices.happened_at desc, notices.kind, notices.event
  ), '[]')
  from public.account_notices as notices
  where (current_account_notices.company_id is null or notices.company_id = current_account_notices.company_id)
    and app.is_current(notices)
$$;

-- The policies of the tables say who reads what, so this runs with the caller's rights.
create function public.messaging_accounts_overview(company_id uuid) returns table (
  id uuid,
  display_phone text,
  phone_number_id text,
  business_account_id text,
  connected_at timestamptz,
  disconnected_at timestamptz,
  templates_synced_at timestamptz,
  template_sync_failures integer,
  approved_templates integer,
  last_event_at timestamptz,
  notices jsonb
)
language sql stable
set search_path = ''
as $$
  select
    accounts.id,
    accounts.display_phone,
    accounts.phone_number_id,
    accounts.business_account_id,
    (
      select max(connections.connected_at) from public.account_connections as connections
      where connections.company_id = accounts.company_id and connections.account_id = accounts.id
    ),
    accounts.disconnected_at,
    catalogues.synced_at,
    coalesce(catalogues.failures, 0),
    coalesce(approved.templates, 0),
    (
      select max(connections.last_event_at) from public.account_connections as connections
      where connections.company_id = accounts.company_id and connections.account_id = accounts.id
    ),
    (
      select coalesce(
        jsonb_agg(to_jsonb(notices) - 'id' order by notices.happened_at desc, notices.kind, notices.event), '[]'
      )
      from public.account_notices as notices
      where notices.company_id = accounts.company_id and notices.account_id = accounts.id and app.is_current(notices)
    )
  from public.messaging_accounts as accounts
  left join public.template_catalogues as catalogues on catalogues.company_id = accounts.company_id
    and catalogues.business_account_id = accounts.business_account_id
  left join (
    -- Once for each business account, however many numbers it has.
    select templates.business_account_id, count(*)::integer as templates
    from public.templates
    where templates.company_id = messaging_accounts_overview.company_id and templates.status = 'APPROVED'
    group by templates.business_account_id
  ) as approved on approved.business_account_id = accounts.business_account_id
  where accounts.company_id = messaging_accounts_overview.company_id
  order by accounts.disconnected_at desc nulls first, accounts.created_at desc, accounts.id
$$;
comment on function public.messaging_accounts_overview(uuid) is
  'The messaging accounts of a company, the connected ones first, for its members: since when each is connected, when '
  'its templates were last read, how many readings have failed since and how many templates are approved, when the '
  'channel last told something of it (null: nothing yet), and what it says of the account now. Of a company in which '
  'the caller does not work there are no rows.';
grant execute on function public.messaging_accounts_overview(uuid) to authenticated;
