-- The ledger of template sends: one row for each, so that no message is handed to the channel twice. A send
-- has three steps: claiming, calling the channel, settling. Claiming and settling are one transaction each;
-- the next migration has both.

create table public.template_sends (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  -- The caller's. No later request can repeat a send that has none.
  idempotency_key text check (char_length(idempotency_key) between 1 and 200),
  message_id uuid not null,
  -- Whether this send opened the conversation that its message is in.
  created_conversation boolean not null default false,
  template_name text not null check (char_length(template_name) between 1 and 512),
  language_code text not null check (char_length(language_code) between 1 and 35),
  -- pending: claimed, and the channel may have it. sent: the channel took it. failed: the channel refused
  -- it, or the outcome stayed unknown. released: the channel certainly does not have it.
  state text not null default 'pending' check (state in ('pending', 'sent', 'failed', 'released')),
  -- The edge function makes one for each attempt. It is the right to settle that attempt, so it is a secret.
  claim_id uuid not null unique,
  -- No attempt takes this long. A send that is pending after this time has lost its outcome.
  lease_ends_at timestamptz not null default now() + interval '90 seconds',
  -- Why it failed or was released: an error code of the API, claim_unanswered, or outcome_unknown.
  reason text check (char_length(reason) between 1 and 64),
  channel_code integer,
  whatsapp_message_id text check (char_length(whatsapp_message_id) between 1 and 255),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  -- Decides which of several requests with one idempotency key sends.
  constraint template_sends_one_per_idempotency_key unique (company_id, idempotency_key),
  constraint template_sends_one_per_message unique (company_id, message_id),
  -- Checked at the end of the transaction, because a claim writes this row before its message. A message with
  -- a send cannot be deleted: deleting the send along with it would forget the idempotency key.
  constraint template_sends_message_fkey foreign key (company_id, message_id)
    references public.messages (company_id, id) on delete no action deferrable initially deferred,
  constraint template_sends_id_when_sent check ((state = 'sent') = (whatsapp_message_id is not null)),
  constraint template_sends_reason_when_not_sent check ((state in ('failed', 'released')) = (reason is not null))
);
comment on table public.template_sends is 'Every template send and its outcome. Repeats are recognised here.';

-- Partial, because few sends are pending at any time.
create index template_sends_lease_idx on public.template_sends (lease_ends_at) where state = 'pending';

create trigger template_sends_set_updated_at before update on public.template_sends
  for each row execute function app.set_updated_at();

create function app.show_send_in_message() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  update public.messages set
    status = case new.state when 'released' then 'failed' else new.state end,
    -- The channel may have reported the message before its answer arrived here; another row then has the id.
    whatsapp_message_id = (
      select new.whatsapp_message_id where not exists (
        select from public.messages as other
        where other.company_id = new.company_id and other.whatsapp_message_id = new.whatsapp_message_id
          and other.id <> new.message_id
      )
    )
  where company_id = new.company_id and id = new.message_id;
  return null;
end
$$;
comment on function app.show_send_in_message() is 'Trigger: a message shows the state of its send.';

create trigger template_sends_show_in_message after update of state on public.template_sends
  for each row when (old.state is distinct from new.state)
  execute function app.show_send_in_message();

alter table public.template_sends enable row level security;
create policy "people see their company's template sends" on public.template_sends
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
-- No role writes: claim_template_send() makes a row and settle_template_send() updates it. No role reads
-- claim_id, because a caller that knows it can settle.
grant select (
  id, company_id, idempotency_key, message_id, created_conversation, template_name, language_code, state,
  lease_ends_at, reason, channel_code, whatsapp_message_id, created_at, updated_at
) on public.template_sends to authenticated, service_role;
-- To erase a person's messages, the platform first deletes their sends.
grant delete on public.template_sends to service_role;

create function public.fail_expired_template_sends() returns integer
language sql security definer
set search_path = ''
as $$
  with expired as (
    select id from public.template_sends
    where state = 'pending' and lease_ends_at <= now()
    for update skip locked
  ), failed as (
    update public.template_sends as sends set state = 'failed', reason = 'outcome_unknown'
    from expired where sends.id = expired.id
    returning sends.id
  )
  select count(*)::integer from failed
$$;
comment on function public.fail_expired_template_sends() is
  'Marks every pending send whose lease has ended as failed (outcome_unknown), and returns how many. For a '
  'scheduled job; a repeat of such a send does the same by itself. Sends nothing.';
grant execute on function public.fail_expired_template_sends() to service_role;
