-- The overview of messaging accounts for a company's members: the state of each account, and the problems that stop its
-- sends.

-- This function runs with the caller's privileges (security invoker), so the table policies decide what the caller can
-- read.
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
  notices jsonb,
  has_channel_app boolean,
  token_stored_at timestamptz,
  token_expires_at timestamptz,
  quality_rating text,
  messaging_limit text,
  checked_at timestamptz,
  jobs_ran_at timestamptz
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
        jsonb_agg(
          to_jsonb(notices) - '{id,end_noted_for}'::text[]
          order by notices.happened_at desc, notices.kind, notices.event
        ),
        '[]'
      )
      from public.account_notices as notices
      where notices.company_id = accounts.company_id and notices.account_id = accounts.id and app.is_current(notices)
    ),
    accounts.channel_app_id is not null,
    health.token_stored_at,
    health.token_expires_at,
    health.quality_rating,
    health.messaging_limit,
    health.checked_at,
    app.jobs_ran_at()
  from public.messaging_accounts as accounts
  left join public.account_health as health on health.company_id = accounts.company_id
    and health.account_id = accounts.id
  left join public.template_catalogues as catalogues on catalogues.company_id = accounts.company_id
    and catalogues.business_account_id = accounts.business_account_id
  left join (
    -- Counts the templates of each business account once, even if the business account has several numbers.
    select templates.business_account_id, count(*)::integer as templates
    from public.templates
    where templates.company_id = messaging_accounts_overview.company_id and templates.status = 'APPROVED'
    group by templates.business_account_id
  ) as approved on approved.business_account_id = accounts.business_account_id
  where accounts.company_id = messaging_accounts_overview.company_id
  order by accounts.disconnected_at desc nulls first, accounts.created_at desc, accounts.id
$$;
comment on function public.messaging_accounts_overview(uuid) is
  'Returns a company''s messaging accounts for its members, connected accounts first. The columns connected_at and '
  'disconnected_at are the times of the latest connection. The column templates_synced_at is when the templates were '
  'last read successfully, and template_sync_failures counts the failed attempts since then. The column last_event_at '
  'is the time of the last event about the account, or null. The column `notices` contains the current notices from '
  'WhatsApp. The columns from token_stored_at to checked_at are null if Meta was not queried since the number was '
  'connected. See account_health. The column jobs_ran_at is when the platform''s jobs last ran. Returns no rows if the '
  'caller is not a member of the company.';
grant execute on function public.messaging_accounts_overview(uuid) to authenticated;

-- The settings page shows these problems on every view, so this function reads as little as possible.
create function public.messaging_account_troubles(company_id uuid) returns table (
  account_id uuid,
  display_phone text,
  trouble text,
  event text,
  since timestamptz,
  until timestamptz,
  stopped_sends integer
)
language sql stable
set search_path = ''
as $$
  select
    accounts.id, accounts.display_phone, troubles.trouble, troubles.event, troubles.since, troubles.until,
    troubles.stopped_sends
  from public.messaging_accounts as accounts
  cross join lateral (
    select
      case when notices.kind like '%refusal' then 'refused' else 'restricted' end as trouble,
      notices.event, notices.happened_at as since, notices.until, notices.stopped_sends
    from public.account_notices as notices
    where notices.company_id = accounts.company_id and notices.account_id = accounts.id
      and notices.stops_sending and app.is_current(notices)
    union all
    select
      case when health.token_expires_at <= now() then 'token_expired' else 'token_expires' end,
      null, health.token_stored_at, health.token_expires_at, 0
    from public.account_health as health
    where health.company_id = accounts.company_id and health.account_id = accounts.id
      and health.token_expires_at < now() + interval '14 days'
  ) as troubles
  where accounts.company_id = messaging_account_troubles.company_id and accounts.disconnected_at is null
  order by troubles.trouble, troubles.since desc
  limit 20
$$;
comment on function public.messaging_account_troubles(uuid) is
  'Returns, for a company''s members, the problems that stop the sends of its connected accounts, or will soon stop '
  'them. A row with `refused` or `restricted` contains the event of the notice. `token_expired` means that the token '
  'has expired, and `token_expires` that it will expire within 14 days. Returns no rows if the caller is not a member '
  'of the company.';
grant execute on function public.messaging_account_troubles(uuid) to authenticated;
