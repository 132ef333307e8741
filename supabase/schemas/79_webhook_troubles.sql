-- The webhooks of a company that receive no deliveries. The settings page shows them on every view.

-- Security definer, because no user may read the table.
create function public.webhook_troubles(company_id uuid)
returns table (webhook_id uuid, address text, trouble text, since timestamptz)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
    select
      webhooks.id, regexp_replace(split_part(webhooks.url, '?', 1), '^https?://', ''), found.trouble, found.since
    from public.webhooks
    cross join lateral (
      select
        case
          when webhooks.state = 'off' or app.has_ended_key(webhooks) then 'off'
          when webhooks.state <> 'paused' and webhooks.failing_since < now() - interval '1 hour' then 'failing'
        end as trouble,
        coalesce(webhooks.switched_off_at, webhooks.failing_since) as since
    ) as found
    where webhooks.company_id = webhook_troubles.company_id
      and webhooks.company_id = any (app.managed_company_ids())
      and found.trouble is not null
    order by found.trouble = 'off' desc, found.since desc nulls last, webhooks.id;
end
$$;
comment on function public.webhook_troubles(uuid) is
  'Returns the company''s webhooks that are off, or whose receiver has accepted nothing for an hour. Only owners and '
  'admins get rows. The column `address` is the URL without `https://` and without the query string, because a query '
  'string often contains a secret.';
grant execute on function public.webhook_troubles(uuid) to authenticated;
