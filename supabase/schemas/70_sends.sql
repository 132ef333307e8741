-- The send ledger. It has one row for each message that the company sends, with a template or as a free-form reply.
-- Because of the ledger, the platform never sends a message to WhatsApp twice. A send has three steps: claim the send,
-- call WhatsApp, and settle the send. The claim and the settlement are one transaction each.

create table public.sends (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  -- The caller's idempotency key, or null. If the key is null, no later request is recognized as a repeat of this send.
  idempotency_key text check (char_length(idempotency_key) between 1 and 200),
  message_id uuid not null,
  -- Whether this send opened the conversation of its message.
  created_conversation boolean not null default false,
  -- Null for a free-form reply, which has no template.
  template_name text check (char_length(template_name) between 1 and 512),
  language_code text check (char_length(language_code) between 1 and 35),
  -- The state `pending` means that the send is claimed, and WhatsApp may have the message. The state `sent` means that
  -- WhatsApp accepted the message. The state `failed` means that WhatsApp refused the message, that WhatsApp reported a
  -- failure before it responded, or that the outcome remained unknown. The state `released` means that WhatsApp
  -- certainly does not have the message.
  state text not null default 'pending' check (state in ('pending', 'sent', 'failed', 'released')),
  -- The edge function creates a claim_id for each attempt. Anyone who knows the claim_id can settle that attempt, so
  -- the claim_id is a secret.
  claim_id uuid not null unique,
  -- The attempt ends before this time. If the send is still pending at this time, its outcome counts as unknown.
  lease_ends_at timestamptz not null default now() + interval '90 seconds',
  -- Why the send failed or was released: an error code of the API, claim_unanswered, or outcome_unknown.
  reason text check (char_length(reason) between 1 and 64),
  channel_code integer,
  whatsapp_message_id text check (char_length(whatsapp_message_id) between 1 and 255),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  media_id text constraint sends_media_id_check check (char_length(media_id) between 1 and 255),
  -- The number of the last attempt. Each attempt of a released send is a separate message. WhatsApp's reports contain
  -- the send id and the attempt number, so the platform recognizes a report about an earlier attempt.
  attempt integer not null default 1 constraint sends_attempt_check check (attempt >= 1),
  -- Other message ids that WhatsApp reported for the same attempt. If there are any, the message was sent more than
  -- once.
  double_sent_ids text[] not null default '{}',
  -- A five-byte hash for each request field that has no column of its own. app.fingerprint_of_send() computes these
  -- hashes. With these hashes, the response to a repeat can list the fields that differ. Null for a send without an
  -- idempotency key.
  fingerprint bytea constraint sends_fingerprint_check check (octet_length(fingerprint) between 5 and 100),
  is_erased boolean not null default false,
  -- The API key of the last attempt. This column has no foreign key, so the id remains after the API key is deleted.
  api_key_id uuid,
  unique (company_id, id),
  -- If several requests have the same idempotency key, this constraint ensures that only one request sends.
  constraint sends_one_per_idempotency_key unique (company_id, idempotency_key),
  constraint sends_one_per_message unique (company_id, message_id),
  -- This foreign key is checked at the end of the transaction, because a claim writes this row before its message. The
  -- constraint also prevents the deletion of a message that has a send, because the send and its idempotency key must
  -- remain.
  constraint sends_message_fkey foreign key (company_id, message_id)
    references public.messages (company_id, id) on delete no action deferrable initially deferred,
  -- A failed send may have a message id, because WhatsApp can report a failure even if it never responded to the call.
  constraint sends_id_when_sent check (state = 'failed' or (state = 'sent') = (whatsapp_message_id is not null)),
  constraint sends_reason_when_not_sent check ((state in ('failed', 'released')) = (reason is not null)),
  constraint sends_language_of_template check ((template_name is null) = (language_code is null))
);
comment on table public.sends is
  'Every message that was sent to WhatsApp, or may have been sent, with its outcome. The platform uses this table to '
  'recognize repeats.';
comment on column public.sends.fingerprint is 'Hashes of the request fields, five bytes each.';
comment on column public.sends.api_key_id is
  'The API key that requested the send. Null for a user''s test send, and when the platform added the send.';
comment on column public.sends.is_erased is 'Whether the message of the send went to an erased person.';
comment on column public.sends.media_id is 'The WhatsApp media id of the media file in the message.';

-- This statistic makes the planner assume that all rows belong to one company. 30_contacts.sql explains why.
alter table public.sends alter column company_id set (n_distinct = 1);

-- A double send (one attempt that was sent more than once) is rare, and an operator has to examine each double send.
create index sends_double_sent_idx on public.sends (updated_at) where double_sent_ids <> '{}';

-- This index has the sort order of the send log and of the chart above it. The index does not contain all columns that
-- the chart counts: sends_by_outcome() reads `reason` and `whatsapp_message_id` from the rows.
create index sends_newest_first_idx on public.sends (company_id, created_at desc, message_id desc)
  include (state, lease_ends_at);
create index sends_by_template_idx on public.sends (company_id, template_name, created_at desc, message_id desc);
create index sends_by_key_idx on public.sends (company_id, api_key_id, created_at desc, message_id desc);

-- Most sends have the state sent, so this index is small.
create index sends_not_sent_idx on public.sends (company_id, created_at desc, message_id desc) where state <> 'sent';

-- The index is partial, because few sends are pending at any time.
create index sends_lease_idx on public.sends (lease_ends_at) where state = 'pending';

create function app.show_send_in_message() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  message record;
begin
  select outcome, whatsapp_message_id, failed_at, failure into message from public.messages
  where company_id = new.company_id and id = new.message_id
  for no key update;

  message.outcome := case new.state when 'released' then 'failed' when 'sent' then 'accepted' else new.state end;
  -- If another message of the company already has this WhatsApp id, this message gets no id.
  message.whatsapp_message_id := (
    select new.whatsapp_message_id where not exists (
      select from public.messages as other
      where other.company_id = new.company_id and other.whatsapp_message_id = new.whatsapp_message_id
        and other.id <> new.message_id
    )
  );
  if new.state in ('failed', 'released') and new.whatsapp_message_id is null then
    message.failed_at := now();
    message.failure := jsonb_build_object(
      'reason', new.reason, 'code', new.channel_code, 'message', null, 'details', null
    );
  elsif old.whatsapp_message_id is null then
    -- Without a message id, no report about the message can have arrived. So the failure in the message came from the
    -- ledger. This failure is outdated now, because the outcome has arrived or a released send is sent again.
    message.failed_at := null;
    message.failure := null;
  end if;

  update public.messages set
    outcome = message.outcome,
    whatsapp_message_id = message.whatsapp_message_id,
    failed_at = message.failed_at,
    failure = message.failure
  where company_id = new.company_id and id = new.message_id
    and (outcome, whatsapp_message_id, failed_at, failure) is distinct from
      (message.outcome, message.whatsapp_message_id, message.failed_at, message.failure);
  return null;
end
$$;
comment on function app.show_send_in_message() is
  'Trigger: copies the state of a send to its message. As long as the send has no WhatsApp id, also copies the failure '
  'from the ledger. The trigger never removes a failure that WhatsApp reported.';

create trigger sends_show_in_message
  after update of state, reason, channel_code, whatsapp_message_id on public.sends
  for each row when (
    (old.state, old.reason, old.channel_code, old.whatsapp_message_id)
      is distinct from (new.state, new.reason, new.channel_code, new.whatsapp_message_id)
  )
  execute function app.show_send_in_message();
create trigger sends_set_updated_at before update on public.sends
  for each row execute function app.set_updated_at();

alter table public.sends enable row level security;
create policy "people see their company's sends" on public.sends
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));

-- An idempotency key may contain any data of the caller. So only owners and admins see it, in the send log.
grant select (
  id, company_id, message_id, created_conversation, template_name, language_code, state,
  lease_ends_at, reason, channel_code, whatsapp_message_id, created_at, updated_at, attempt, double_sent_ids
) on public.sends to authenticated;
grant delete on public.sends to service_role;
grant select (
  id, company_id, idempotency_key, message_id, created_conversation, template_name, language_code, state,
  lease_ends_at, reason, channel_code, whatsapp_message_id, created_at, updated_at, attempt, double_sent_ids,
  api_key_id
) on public.sends to service_role;
