-- The secrets of webhooks. The edge functions encrypt (seal) each secret for its company and webhook before they store
-- it. No role can read the sealed secrets from the table directly.

create function app.previous_secrets(hook public.webhooks) returns table (sealed text, ends_at timestamptz)
language sql stable
set search_path = ''
as $$
  select previous.sealed, previous.ends_at
  from unnest(hook.sealed_previous_secrets, hook.previous_secrets_end_at) as previous (sealed, ends_at)
  where previous.ends_at > now()
$$;
comment on function app.previous_secrets(public.webhooks) is
  'Returns the previous secrets of a webhook that still sign deliveries.';

create function public.rotate_webhook_secret(
  webhook_id uuid, sealed_secret text, overlap_hours integer default 24, idempotency jsonb default null
) returns json
language plpgsql security definer
set search_path = ''
as $$
declare
  judged constant public.webhooks := app.managed_webhook(rotate_webhook_secret.webhook_id);
  earlier constant jsonb := app.claim_idempotency_key(judged.company_id, idempotency);
  hook public.webhooks;
  kept record;
begin
  if earlier is not null then
    -- The first request may have ended after the webhook was read above.
    hook := app.managed_webhook(judged.id);
    return json_build_object('replayed', true, 'data', app.webhook_json(hook), 'sealed_secret', hook.sealed_secret);
  end if;
  if overlap_hours is null or overlap_hours not between 0 and 168 then
    raise sqlstate 'PT422' using message = 'overlap_hours must be 0 to 168';
  end if;
  hook := app.locked_webhook(judged.id);
  -- The receiver may still use any of these secrets, so each of them signs deliveries until its own end.
  select array_agg(sealed) as sealed, array_agg(ends_at) as ends_at, min(ends_at) as first_end into kept
  from app.previous_secrets(hook) where overlap_hours > 0;
  if cardinality(kept.sealed) >= 5 then
    raise sqlstate 'PT409' using message = 'Five previous secrets still sign the events of this webhook: try again after '
      || to_char(kept.first_end at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"')
      || ', or end all previous secrets with overlap_hours 0';
  end if;
  update public.webhooks set
    sealed_secret = rotate_webhook_secret.sealed_secret,
    sealed_previous_secrets = case when overlap_hours > 0 then webhooks.sealed_secret || kept.sealed else '{}' end,
    previous_secrets_end_at = case
      when overlap_hours > 0 then (now() + make_interval(hours => overlap_hours)) || kept.ends_at else '{}'
    end
  where id = hook.id
  returning * into hook;
  perform app.note_webhook_history(hook, 'webhook_secret_rotated');
  perform app.keep_outcome(hook.company_id, idempotency, jsonb_build_object('id', hook.id));
  return json_build_object('replayed', false, 'data', app.webhook_json(hook), 'sealed_secret', hook.sealed_secret);
end
$$;
comment on function public.rotate_webhook_secret(uuid, text, integer, jsonb) is
  'Replaces a webhook''s secret, and returns { replayed, data, sealed_secret }. During the overlap, the previous '
  'secret also signs deliveries, and so do earlier secrets until their own ends. With an overlap of 0, all previous '
  'secrets end. The edge functions seal the secret and then call this function. Raises PT422 for an invalid overlap, '
  'and PT409 while five previous secrets sign deliveries. Also raises the errors of app.managed_webhook() and '
  'app.claim_idempotency_key().';
grant execute on function public.rotate_webhook_secret(uuid, text, integer, jsonb) to api_client, settings_client;

create function public.sealed_webhook_secrets(
  after_id uuid default null, after_ends_at timestamptz default null, max_rows integer default 1000
) returns table (webhook_id uuid, company_id uuid, kind text, sealed text, ends_at timestamptz)
language sql stable security definer -- no role reads the secrets
set search_path = ''
as $$
  select webhooks.id, webhooks.company_id, secrets.kind, secrets.sealed, secrets.ends_at
  from public.webhooks
  cross join lateral (
    select 'secret' as kind, webhooks.sealed_secret as sealed, timestamptz 'infinity' as ends_at
    union all
    select 'previous_secret', previous.sealed, previous.ends_at from app.previous_secrets(webhooks) as previous
  ) as secrets
  where after_id is null or webhooks.id > after_id or webhooks.id = after_id and secrets.ends_at < after_ends_at
  -- A webhook's secret comes before its previous secrets. If a rotation between two pages turns a secret into a
  -- previous secret, a later page still contains the secret.
  order by webhooks.id, secrets.ends_at desc
  limit greatest(least(max_rows, 1000), 0)
$$;
comment on function public.sealed_webhook_secrets(uuid, timestamptz, integer) is
  'Returns sealed secrets of the webhooks of all companies, each with its kind (secret or previous_secret) and its end. '
  'The secrets are sorted by webhook. The page begins after the secret that after_id (the webhook) and after_ends_at '
  'identify. Returns at most max_rows secrets, and never more than 1000.';
grant execute on function public.sealed_webhook_secrets(uuid, timestamptz, integer) to service_role;

create function public.reseal_webhook_secret(webhook_id uuid, sealed_before text, sealed text) returns boolean
language sql security definer -- see sealed_webhook_secrets()
set search_path = ''
as $$
  -- A rotation may have turned the secret into a previous secret since the caller read it.
  with resealed as (
    update public.webhooks as hooks set
      sealed_secret = case when hooks.sealed_secret = sealed_before then sealed else hooks.sealed_secret end,
      sealed_previous_secrets = array_replace(hooks.sealed_previous_secrets, sealed_before, sealed)
    where hooks.id = webhook_id and sealed_before = any (hooks.sealed_secret || hooks.sealed_previous_secrets)
    returning 1
  )
  select exists (select from resealed)
$$;
comment on function public.reseal_webhook_secret(uuid, text, text) is
  'Replaces the sealed secret sealed_before of a webhook. Returns false if the webhook no longer has this secret.';
grant execute on function public.reseal_webhook_secret(uuid, text, text) to service_role;
