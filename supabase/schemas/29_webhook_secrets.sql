-- The secrets of webhooks. The edge functions encrypt (seal) each secret for its company and webhook before they store
-- it. No role can read the sealed secrets from the table directly.

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
begin
  if earlier is not null then
    return json_build_object('replayed', true, 'data', app.webhook_json(judged), 'sealed_secret', judged.sealed_secret);
  end if;
  if overlap_hours is null or overlap_hours not between 0 and 168 then
    raise sqlstate 'PT422' using message = 'overlap_hours must be 0 to 168';
  end if;
  hook := app.locked_webhook(judged.id);
  update public.webhooks set
    sealed_secret = rotate_webhook_secret.sealed_secret,
    sealed_previous_secret = case when overlap_hours > 0 then webhooks.sealed_secret end,
    previous_secret_ends_at = case when overlap_hours > 0 then now() + make_interval(hours => overlap_hours) end
  where id = hook.id
  returning * into hook;
  perform app.note_webhook_history(hook, 'webhook_secret_rotated');
  perform app.keep_outcome(hook.company_id, idempotency, jsonb_build_object('id', hook.id));
  return json_build_object('replayed', false, 'data', app.webhook_json(hook), 'sealed_secret', hook.sealed_secret);
end
$$;
comment on function public.rotate_webhook_secret(uuid, text, integer, jsonb) is
  'Replaces a webhook''s secret, and returns { replayed, data, sealed_secret }. During the overlap, the previous '
  'secret also signs deliveries. The edge functions seal the secret and then call this function. Raises PT422 for an '
  'invalid overlap. Also raises the errors of app.managed_webhook() and app.claim_idempotency_key().';
grant execute on function public.rotate_webhook_secret(uuid, text, integer, jsonb) to api_client, settings_client;

create function public.sealed_webhook_secrets(
  after_id uuid default null, after_kind text default null, max_rows integer default 1000
) returns table (webhook_id uuid, company_id uuid, kind text, sealed text)
language sql stable security definer -- no role reads the secrets
set search_path = ''
as $$
  select webhooks.id, webhooks.company_id, secrets.kind, secrets.sealed
  from public.webhooks
  cross join lateral (
    values ('secret', webhooks.sealed_secret), ('previous_secret', webhooks.sealed_previous_secret)
  ) as secrets (kind, sealed)
  where secrets.sealed is not null
    and (after_id is null or webhooks.id > after_id or webhooks.id = after_id and secrets.kind < after_kind)
  -- A webhook's secret comes before its previous secret. If a rotation between two pages turns a secret into the
  -- previous secret, a later page still contains the secret.
  order by webhooks.id, secrets.kind desc
  limit greatest(least(max_rows, 1000), 0)
$$;
comment on function public.sealed_webhook_secrets(uuid, text, integer) is
  'Returns sealed secrets of the webhooks of all companies, each with its kind: secret or previous_secret. The secrets '
  'are sorted by webhook. The page begins after the secret that after_id (the webhook) and after_kind identify. '
  'Returns at most max_rows secrets, and never more than 1000.';
grant execute on function public.sealed_webhook_secrets(uuid, text, integer) to service_role;

create function public.reseal_webhook_secret(webhook_id uuid, kind text, sealed_before text, sealed text) returns boolean
language sql security definer -- see sealed_webhook_secrets()
set search_path = ''
as $$
  -- If a rotation has changed the secret since the caller read it, the condition on sealed_before keeps the new secret.
  with resealed as (
    update public.webhooks as hooks set
      sealed_secret = case when kind = 'secret' then sealed else hooks.sealed_secret end,
      sealed_previous_secret = case when kind = 'previous_secret' then sealed else hooks.sealed_previous_secret end
    where hooks.id = webhook_id
      and sealed_before = case kind
        when 'secret' then hooks.sealed_secret
        when 'previous_secret' then hooks.sealed_previous_secret
      end
    returning 1
  )
  select exists (select from resealed)
$$;
comment on function public.reseal_webhook_secret(uuid, text, text, text) is
  'Replaces one sealed secret of a webhook if the stored secret is still sealed_before. Returns whether the secret was '
  'replaced.';
grant execute on function public.reseal_webhook_secret(uuid, text, text, text) to service_role;
