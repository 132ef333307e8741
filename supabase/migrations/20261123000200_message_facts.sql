-- What became of a message, as facts: one column for each thing that the channel can report, and the status derived from
-- them. Reports come late, twice and in any order, and the same facts always give the same status.

drop view public.own_messages;
drop trigger messages_move_conversation on public.messages;

-- What the ledger says stays a column of its own: pending, accepted (the channel took it) or failed.
alter table public.messages rename column status to outcome;
alter table public.messages drop constraint messages_status_check;
alter table public.messages rename constraint messages_status_while_outbound to messages_outcome_while_outbound;
alter table public.messages disable trigger user;
update public.messages set outcome = 'accepted' where outcome = 'sent';
alter table public.messages enable trigger user;
comment on column public.messages.outcome is
  'Of an outbound message: pending (not known yet), accepted (the channel took it) or failed. Null for an inbound one.';

alter table public.messages
  add constraint messages_outcome_check check (outcome in ('pending', 'accepted', 'failed')),
  -- Of an outbound message, what the channel reported and when that happened. Of an inbound one, when the person sent it.
  add column sent_at timestamptz,
  add column delivered_at timestamptz,
  add column read_at timestamptz,
  add column failed_at timestamptz,
  -- When its life ended without a report that it arrived.
  add column expired_at timestamptz,
  add column failure jsonb constraint messages_failure_check check (jsonb_typeof(failure) = 'object'),
  add column price_category text constraint messages_price_category_check
    check (char_length(price_category) between 1 and 64),
  add column price_type text constraint messages_price_type_check check (char_length(price_type) between 1 and 64);
comment on column public.messages.failure is
  'Why a message failed: { reason, code, message, details }, the last three in the channel''s words. It stays when the '
  'message arrived after all.';

alter table public.messages add column status text generated always as (
  case
    when direction = 'inbound' then null
    -- Proof that it arrived beats a reported failure: people have several devices.
    when read_at is not null then 'read'
    when delivered_at is not null then 'delivered'
    when failed_at is not null or outcome = 'failed' then 'failed'
    when expired_at is not null then 'expired'
    when sent_at is not null then 'sent'
    when outcome = 'accepted' then 'accepted'
    else 'pending'
  end
) stored;
comment on column public.messages.status is
  'Of an outbound message, derived from its facts: pending, accepted, sent, delivered, read, failed or expired.';

-- What people send.
alter table public.messages
  drop constraint messages_type_check,
  add constraint messages_type_check check (
    type in ('text', 'image', 'video', 'document')
    or direction = 'inbound' and type in (
      'audio', 'sticker', 'location', 'contacts', 'interactive', 'button', 'order', 'system', 'unsupported'
    )
  ),
  drop constraint messages_content_check,
  add constraint messages_content_check
    check (char_length(content) <= case direction when 'inbound' then 65536 else 4096 end),
  -- The channel's own object of the type, without what has a column.
  add column payload jsonb constraint messages_payload_check check (jsonb_typeof(payload) = 'object'),
  -- { id, mime_type, sha256, filename, voice, animated, expires_at }
  add column media jsonb constraint messages_media_check check (jsonb_typeof(media) = 'object'),
  add column reply_to_whatsapp_id text constraint messages_reply_to_whatsapp_id_check
    check (char_length(reply_to_whatsapp_id) between 1 and 255),
  add column reply_to_id uuid,
  -- { emoji, at }: the person's; null when there is none.
  add column reaction jsonb constraint messages_reaction_check check (jsonb_typeof(reaction) = 'object'),
  add column edited_at timestamptz,
  add column revoked_at timestamptz,
  add constraint messages_reply_to_fkey foreign key (company_id, reply_to_id)
    references public.messages (company_id, id) on delete set null (reply_to_id);
create index messages_reply_to_idx on public.messages (company_id, reply_to_id) where reply_to_id is not null;
-- A reply can arrive before the message that it answers has its id.
create index messages_waiting_reply_idx on public.messages (company_id, reply_to_whatsapp_id)
  where reply_to_whatsapp_id is not null and reply_to_id is null;

create or replace function app.show_send_in_message() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  update public.messages set
    outcome = case new.state when 'released' then 'failed' when 'sent' then 'accepted' else new.state end,
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

create view public.own_messages as
  select
    id, company_id, conversation_id, direction, type, content, rendered_text, status, whatsapp_message_id,
    created_at, updated_at
  from public.messages
  where company_id = (select app.company_id('read'));
comment on view public.own_messages is
  'The messages of the company whose key the request carries.';
grant select on public.own_messages to api_reader;
grant select (status) on public.messages to api_client;
