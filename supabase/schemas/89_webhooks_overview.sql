-- The overview of all companies' webhooks for operators. Operators pause and resume a webhook with change_webhook(),
-- and read its deliveries with webhook_deliveries().

create function public.webhooks_overview(company_id uuid default null, max_rows integer default 200) returns jsonb
language plpgsql stable security definer -- no role reads the table of open deliveries
set search_path = ''
as $$
declare
  asked_company_id constant uuid := webhooks_overview.company_id;
begin
  return (
    select coalesce(jsonb_agg(
      app.webhook_json(found.hook)::jsonb || jsonb_build_object(
        'company_name', found.company_name,
        'failures', (found.hook).failures,
        'oldest_open_at', (
          -- The id of an event begins with its time in milliseconds.
          select to_timestamp(('x' || left(replace(open.event_id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)
          from app.open_deliveries as open
          where open.webhook_id = (found.hook).id and (found.hook).state <> 'off'
          order by open.seq
          limit 1
        )
      )
      order by found.is_well, found.company_name, (found.hook).created_at
    ), '[]')
    from (
      select webhooks as hook, companies.name as company_name,
        webhooks.state = 'on' and webhooks.failing_since is null as is_well
      from public.webhooks
      join public.companies on companies.id = webhooks.company_id
      where asked_company_id is null or webhooks.company_id = asked_company_id
      order by is_well, companies.name, webhooks.created_at
      limit least(greatest(max_rows, 1), 1000)
    ) as found
  );
end
$$;
comment on function public.webhooks_overview(uuid, integer) is
  'Returns the webhooks of one company or of all companies for operators, in the format of list_webhooks(). Adds the '
  'company''s name, the number of failures and the time of the oldest open event. Webhooks that are not on, or that '
  'fail, come first.';
grant execute on function public.webhooks_overview(uuid, integer) to service_role;
