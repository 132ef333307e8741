-- What a key reads of the ledger: what became of a send, without repeating it. Nobody reads claim_id, because a caller
-- that knows it can settle.

create view public.own_sends as
  select
    message_id, company_id, idempotency_key, template_name, language_code,
    -- As a repeat finds it: a send whose lease has ended failed, also before the job has said so.
    case when state = 'pending' and lease_ends_at <= now() then 'failed' else state end as state,
    attempt,
    case when state = 'pending' and lease_ends_at <= now() then 'outcome_unknown' else reason end as reason,
    channel_code, whatsapp_message_id, double_sent_ids,
    case when state = 'pending' and lease_ends_at > now() then lease_ends_at end as lease_ends_at,
    created_at
  from public.sends
  where company_id = (select app.company_id('read'));
comment on view public.own_sends is
  'The sends of the company whose key the request carries.';
grant select on public.own_sends to api_reader;
