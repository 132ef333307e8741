-- The functions of release 0.1.0 settle by this name, and it is what they run on while this release is deployed, and when
-- it is rolled back. Without it, every send that they make would end as outcome_unknown. Likewise, what was scheduled
-- before calls the other name until the jobs are scheduled again.

create function public.settle_template_send(
  claim_id uuid,
  outcome text,
  whatsapp_message_id text default null,
  reason text default null,
  channel_code integer default null
) returns text
language sql
set search_path = ''
as $$
  select public.settle_send(
    settle_template_send.claim_id, settle_template_send.outcome, settle_template_send.whatsapp_message_id,
    settle_template_send.reason, settle_template_send.channel_code
  )
$$;
comment on function public.settle_template_send(uuid, text, text, text, integer) is
  'settle_send(), by the name that the release before calls.';
grant execute on function public.settle_template_send(uuid, text, text, text, integer) to api_client;

create function public.fail_expired_template_sends() returns integer
language sql
set search_path = ''
as $$
  select public.fail_expired_sends()
$$;
comment on function public.fail_expired_template_sends() is
  'fail_expired_sends(), by the name that the release before schedules.';
grant execute on function public.fail_expired_template_sends() to service_role;
