-- Messages of a conversation, and the reported facts about each message. Each fact that WhatsApp can report has its own
-- column, and the status is derived from these columns. A new message updates last_message_at and the window of its
-- conversation.

create table public.messages (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  conversation_id uuid not null,
  direction text not null check (direction in ('inbound', 'outbound')),
  type text not null default 'text' constraint messages_type_check check (
    type in ('text', 'image', 'video', 'document', 'audio', 'interactive')
    or direction = 'inbound' and type in (
      'sticker', 'location', 'contacts', 'button', 'order', 'system', 'unsupported'
    )
  ),
  content text not null constraint messages_content_check
    check (char_length(content) <= case direction when 'inbound' then 65536 else 4096 end),
  -- The WhatsApp message id. An outbound message has no such id until WhatsApp has accepted the message.
  whatsapp_message_id text check (char_length(whatsapp_message_id) between 1 and 255),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- The state of an outbound message in the send ledger: pending, accepted by WhatsApp, or failed.
  outcome text check (outcome in ('pending', 'accepted', 'failed')),
  -- The text of a template as the recipient sees it.
  rendered_text text constraint messages_rendered_text_check check (char_length(rendered_text) <= 65536),
  version bigint not null default app.change_now(),
  -- For an outbound message, the times that WhatsApp reported. For an inbound message, the time at which the person
  -- sent the message.
  sent_at timestamptz,
  delivered_at timestamptz,
  read_at timestamptz,
  failed_at timestamptz,
  -- When the message expired: its lifetime had ended, and no report had confirmed its arrival.
  expired_at timestamptz,
  failure jsonb constraint messages_failure_check check (jsonb_typeof(failure) = 'object'),
  price_category text constraint messages_price_category_check
    check (char_length(price_category) between 1 and 64),
  price_type text constraint messages_price_type_check check (char_length(price_type) between 1 and 64),
  -- Reports may arrive late, twice and in any order, but the same facts always lead to the same status.
  status text generated always as (
    case
      when direction = 'inbound' then null
      -- A report of arrival overrides a reported failure, because a message may fail on one device and arrive on
      -- another.
      when read_at is not null then 'read'
      when delivered_at is not null then 'delivered'
      when failed_at is not null or outcome = 'failed' then 'failed'
      when expired_at is not null then 'expired'
      when sent_at is not null then 'sent'
      when outcome = 'accepted' then 'accepted'
      else 'pending'
    end
  ) stored,
  -- The WhatsApp object for this message type, without the parts that have their own column.
  payload jsonb constraint messages_payload_check check (jsonb_typeof(payload) = 'object'),
  -- { id, mime_type, sha256, filename, voice, animated, expires_at, gone_at }. The value sha256 is in hexadecimal.
  media jsonb constraint messages_media_check check (jsonb_typeof(media) = 'object'),
  reply_to_whatsapp_id text constraint messages_reply_to_whatsapp_id_check
    check (char_length(reply_to_whatsapp_id) between 1 and 255),
  reply_to_id uuid,
  -- The person's reaction, as { emoji, at }. Null when there is no reaction.
  reaction jsonb constraint messages_reaction_check check (jsonb_typeof(reaction) = 'object'),
  -- The reaction of the company, as { emoji, at }, and the WhatsApp message id of this reaction. Null when the company
  -- has not reacted.
  own_reaction jsonb constraint messages_own_reaction_check check (jsonb_typeof(own_reaction) = 'object'),
  own_reaction_whatsapp_id text constraint messages_own_reaction_whatsapp_id_check
    check (char_length(own_reaction_whatsapp_id) between 1 and 255),
  edited_at timestamptz,
  revoked_at timestamptz,
  -- An hour after the end of the message's lifetime. After the lifetime, WhatsApp drops the message without a report.
  expires_at timestamptz,
  original_content text constraint messages_original_content_check
    check (char_length(original_content) <= 65536),
  is_erased boolean not null default false,
  -- The author of an outbound message, and the author's name at the time of the send. The id has no foreign key. So the
  -- id and the name remain after a key or a member is deleted.
  author_type text constraint messages_author_type_check check (author_type in ('key', 'member', 'agent', 'system')),
  author_id uuid,
  author_name text constraint messages_author_name_check check (char_length(author_name) between 1 and 255),
  wish text constraint messages_wish_check check (wish in ('stop', 'start', 'stop_marketing', 'start_marketing')),
  received_at timestamptz,
  unique (company_id, id),
  -- WhatsApp may deliver an event more than once, but a second delivery must not add a second message.
  constraint messages_one_per_whatsapp_message_id unique (company_id, whatsapp_message_id),
  constraint messages_conversation_fkey foreign key (company_id, conversation_id)
    references public.conversations (company_id, id) on delete cascade,
  constraint messages_outcome_while_outbound check ((direction = 'outbound') = (outcome is not null)),
  constraint messages_author_while_outbound check (
    direction = 'outbound' and author_type is not null or num_nonnulls(author_type, author_id, author_name) = 0
  ),
  constraint messages_own_reaction_has_id check ((own_reaction is null) = (own_reaction_whatsapp_id is null)),
  constraint messages_reply_to_fkey foreign key (company_id, reply_to_id)
    references public.messages (company_id, id) on delete set null (reply_to_id)
);
comment on table public.messages is
  'The messages of a conversation, from the contact (inbound) or from the company (outbound).';
comment on column public.messages.status is
  'For an outbound message, derived from its facts: pending, accepted, sent, delivered, read, failed or expired.';
comment on column public.messages.rendered_text is
  'For a template send, the text as the recipient sees it. Null when the template is unknown.';
comment on column public.messages.outcome is
  'For an outbound message: pending (not known yet), accepted by WhatsApp, or failed. Null for an inbound message.';
comment on column public.messages.failure is
  'Why a message failed: { reason, code, message, details }. WhatsApp provides code, message and details. The failure '
  'remains even if the message arrives later.';
comment on column public.messages.expires_at is
  'For an outbound message that WhatsApp accepted: the time until which a report of its arrival is expected. This time '
  'is an hour after the end of the message''s lifetime.';
comment on column public.messages.reaction is
  'The newest reaction of the person: { emoji, at }. The emoji is null when the person removed the reaction.';
comment on column public.messages.own_reaction is
  'The reaction of the company: { emoji, at }. Null when the company has not reacted.';
comment on column public.messages.own_reaction_whatsapp_id is
  'The WhatsApp message id of the company''s reaction. WhatsApp''s reports about the reaction contain this id.';
comment on column public.messages.edited_at is
  'When the person last edited the message. The text before the first edit is original_content.';
comment on column public.messages.original_content is 'The first text of a message that the person edited.';
comment on column public.messages.revoked_at is
  'When the person deleted the message. The message disappeared from the person''s chat, but the company keeps its '
  'content.';
comment on column public.messages.wish is
  'The request that the person made with a keyword or a button. stop: no messages. start: messages again. '
  'stop_marketing: no marketing. start_marketing: marketing again.';
comment on column public.messages.received_at is
  'For an inbound message, when its event was received. WhatsApp reports times in whole seconds, so this column sorts '
  'messages with the same second. If two messages arrived in the same event, created_at sorts them.';
comment on column public.messages.author_type is
  'Who wrote an outbound message: an API key, a member, the agent of the platform, or the system. Null for an inbound '
  'message, whose author is the contact or WhatsApp. Also null when the platform did not specify the author.';
comment on column public.messages.is_erased is 'Whether an erased person wrote or received the message.';

-- A query for a page of a conversation should read only the matching part of messages_newest_first_idx. If the planner
-- expects fewer messages than a page contains, it may read and sort the whole conversation. Such a plan is slow for a
-- long conversation. So the planner assumes one company and 1,000 messages in each conversation. With extended
-- statistics, the planner also knows that all messages of a conversation belong to the same company.
alter table public.messages
  alter column company_id set (n_distinct = 1),
  alter column conversation_id set (n_distinct = -0.001);

create statistics public.messages_conversation_decides_company (dependencies)
  on conversation_id, company_id from public.messages;

create index messages_newest_first_idx
  on public.messages (company_id, conversation_id, created_at desc, id desc);
create index messages_changes_idx on public.messages (company_id, version, id);
create index messages_reply_to_idx on public.messages (company_id, reply_to_id) where reply_to_id is not null;

-- A reply can arrive before the original message has its WhatsApp id.
create index messages_waiting_reply_idx on public.messages (company_id, reply_to_whatsapp_id)
  where reply_to_whatsapp_id is not null and reply_to_id is null;

-- WhatsApp reports the status of a reaction in the same way as the status of a message. This index finds the reaction.
create index messages_own_reaction_idx on public.messages (company_id, own_reaction_whatsapp_id)
  where own_reaction_whatsapp_id is not null;

-- This index finds the messages with an upload.
create index messages_upload_idx on public.messages (company_id, (media ->> 'id'))
  where direction = 'outbound' and media ->> 'id' is not null;

-- These two indexes find messages that may still arrive, and messages that have expired.
create index messages_expiring_idx on public.messages (expires_at) where status in ('accepted', 'sent');
create index messages_expired_idx on public.messages (expired_at) where expired_at is not null;

-- This index finds the sends that need attention, newest first. The index is small, because few messages fail or are
-- pending.
create index messages_unusual_idx on public.messages (company_id, created_at desc, id desc)
  where failure is not null or status in ('pending', 'failed', 'expired');

-- Replies whose original message is not known yet.
create index messages_late_reply_idx on public.messages (created_at)
  where reply_to_whatsapp_id is not null and reply_to_id is null;

create function app.messages_of(own_company_id uuid, contact_ids uuid[]) returns uuid[]
language plpgsql stable
set search_path = ''
as $$
begin
  return array(
    select messages.id from public.conversations
    -- Each conversation has its own lookup, because the plan of a join may read all messages of the company. The sort
    -- order matches messages_newest_first_idx, so the planner chooses this index.
    cross join lateral (
      select id from public.messages
      where company_id = own_company_id and conversation_id = conversations.id
      order by created_at desc, id desc offset 0
    ) as messages
    where company_id = own_company_id and contact_id = any (contact_ids)
  );
end
$$;
comment on function app.messages_of(uuid, uuid[]) is 'Returns the ids of all messages of some contacts.';

create function app.move_conversation() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  conversation record;
  -- When the person wrote the message. The arrival time would be wrong, because WhatsApp may repeat a message days
  -- later. A time in the future is treated as the present time.
  said_at constant timestamptz := least(coalesce(new.sent_at, new.created_at), now());
  expires_at timestamptz;
begin
  -- WhatsApp reports some edits as unsupported messages without content. Like any other edit, such an edit does not
  -- open a window.
  if new.direction = 'inbound'
    and (new.type <> 'unsupported' or new.payload #>> '{unsupported,type}' is distinct from 'edit')
  then
    select contact_id, messaging_account_id into conversation from public.conversations
    where company_id = new.company_id and id = new.conversation_id;
    insert into public.contact_windows as windows
      (company_id, contact_id, account_id, last_inbound_at, last_inbound_phone)
    values (
      new.company_id, conversation.contact_id, conversation.messaging_account_id, said_at,
      nullif(current_setting('app.inbound_phone', true), '')
    )
    on conflict on constraint contact_windows_once do update set
      last_inbound_at = greatest(windows.last_inbound_at, excluded.last_inbound_at),
      last_inbound_phone = case when windows.last_inbound_at > excluded.last_inbound_at
        then windows.last_inbound_phone else excluded.last_inbound_phone end
    returning windows.expires_at into expires_at;
  end if;
  -- The function greatest() ignores nulls. A message that is recorded late never replaces a later time.
  update public.conversations set
    last_message_at = greatest(
      last_message_at, case new.direction when 'inbound' then said_at else new.created_at end
    ),
    window_expires_at = coalesce(expires_at, window_expires_at),
    status = case when new.direction = 'inbound' and status = 'pending' then 'open' else status end
  where company_id = new.company_id and id = new.conversation_id;
  return null;
end
$$;
comment on function app.move_conversation() is
  'Trigger: updates last_message_at of a message''s conversation. For an inbound message, also opens the contact''s '
  '24-hour window, and changes the status of a pending conversation to open. The setting app.inbound_phone contains '
  'the phone number from which the person wrote.';

create function app.note_life() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  template record;
begin
  -- A free-form reply has no template. A message with a template that is not in the catalogue has the default lifetime.
  -- Each condition has its own lookup, because the plan of a join may read all templates and all sends of the company.
  select templates.ttl_seconds, templates.category into template from public.templates
  where company_id = new.company_id
    and business_account_id = (
      select business_account_id from public.messaging_accounts
      where company_id = new.company_id and id = (
        select messaging_account_id from public.conversations
        where company_id = new.company_id and id = new.conversation_id
      )
    )
    and (name, language) = (
      select template_name, language_code from public.sends where company_id = new.company_id and message_id = new.id
    );
  new.expires_at := new.created_at + interval '1 hour' + case
    when template.ttl_seconds = -1 then interval '720 hours'
    when template.ttl_seconds > 0 then interval '1 second' * template.ttl_seconds
    when template.category = 'AUTHENTICATION' then interval '10 minutes'
    else interval '720 hours'
  end;
  return new;
end
$$;
comment on function app.note_life() is
  'Trigger: sets when an accepted message expires: an hour after the end of its lifetime. The lifetime is the '
  'ttl_seconds of the template, where -1 means 30 days. Without ttl_seconds, the lifetime is 10 minutes for an '
  'authentication template, and 30 days for any other message.';

create function public.expire_messages() returns integer
language sql security definer -- no role may write the table
set search_path = ''
as $$
  with due as (
    select company_id, id from public.messages
    where status in ('accepted', 'sent') and expires_at <= now()
    order by expires_at
    limit 1000
    for no key update skip locked
  ), expired as (
    update public.messages set expired_at = now()
    from due where messages.company_id = due.company_id and messages.id = due.id
    returning messages.id
  )
  select count(*)::integer from expired
$$;
comment on function public.expire_messages() is
  'Sets at most 1,000 messages to expired, and returns their number. An expired message is a message whose arrival or '
  'failure WhatsApp has not reported. A scheduled job calls this function. A later report clears the expiry.';
grant execute on function public.expire_messages() to service_role;

create trigger messages_note_change before update on public.messages
  for each row execute function app.note_change();
create trigger messages_note_deletion after delete on public.messages
  referencing old table as deleted for each statement execute function app.note_deletion();

-- A WhatsApp system notice, such as a notice of a new phone number, is not a person's message. So it does not change
-- the conversation.
create trigger messages_move_conversation after insert on public.messages
  for each row when (
    new.type <> 'system' and (new.direction = 'inbound' or new.status in ('accepted', 'sent', 'delivered', 'read'))
  )
  execute function app.move_conversation();
create trigger messages_move_conversation_once_taken after update on public.messages
  for each row when (
    new.direction = 'outbound'
    and (new.outcome = 'accepted' or coalesce(new.sent_at, new.delivered_at, new.read_at) is not null)
    and old.outcome <> 'accepted' and coalesce(old.sent_at, old.delivered_at, old.read_at) is null
  )
  execute function app.move_conversation();
create trigger messages_note_first_life before insert on public.messages
  for each row when (new.outcome = 'accepted' and new.expires_at is null) execute function app.note_life();
create trigger messages_note_life before update of outcome on public.messages
  for each row when (old.outcome <> 'accepted' and new.outcome = 'accepted' and new.expires_at is null)
  execute function app.note_life();

alter table public.messages enable row level security;
create policy "people read their company's messages" on public.messages
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));

-- A key reads the messages of its company, but may not write them. Each row is a WhatsApp message, so only the platform
-- and the functions that send messages write rows.
create policy "a key reads its company's messages" on public.messages
  for select to api_client using (company_id = (select app.company_id('read')));

grant select (
  id, company_id, conversation_id, direction, type, content, whatsapp_message_id, created_at, updated_at, outcome,
  rendered_text, version, sent_at, delivered_at, read_at, failed_at, expired_at, failure, price_category, price_type,
  status, payload, media, reply_to_whatsapp_id, reply_to_id, reaction, own_reaction, edited_at, revoked_at, author_type,
  author_id, author_name
) on public.messages to api_client;
-- The author of a message may be an API key, and members with the role agent must not see keys. So users cannot read
-- the author's id and name in this table. The send log shows them the author.
grant select (
  id, company_id, conversation_id, direction, type, content, whatsapp_message_id, created_at, updated_at, outcome,
  rendered_text, version, sent_at, delivered_at, read_at, failed_at, expired_at, failure, price_category, price_type,
  status, payload, media, reply_to_whatsapp_id, reply_to_id, reaction, own_reaction, own_reaction_whatsapp_id,
  edited_at, revoked_at, expires_at, original_content, is_erased, author_type, wish, received_at
) on public.messages to authenticated;
grant select, insert, update, delete on public.messages to service_role;

select app.make_feed('message_changes', 'messages', $columns$
  id, company_id, conversation_id, direction, type,
  case
    when type = 'system' then jsonb_build_object('type', 'system', 'id', null, 'name', null)
    when direction = 'inbound' then (
      select jsonb_build_object('type', 'person', 'id', contacts.id, 'name', contacts.name)
      from public.conversations
      join public.contacts on contacts.company_id = conversations.company_id
        and contacts.id = conversations.contact_id
      where conversations.company_id = messages.company_id and conversations.id = messages.conversation_id
    )
    when author_type is not null
      then jsonb_build_object('type', author_type, 'id', author_id, 'name', author_name)
  end as author,
  content, rendered_text, status, whatsapp_message_id, sent_at, delivered_at, read_at, failed_at, expired_at, failure, price_category, price_type, payload,
  case when type = 'location' then app.location_in(payload) end as location,
  case when type = 'contacts' then app.contact_cards_in(payload) end as contact_cards,
  case when direction = 'inbound' and type in ('interactive', 'button') then app.choice_in(payload) end as choice,
  media, reply_to_id,
  reply_to_whatsapp_id, case when reaction ->> 'emoji' <> '' then reaction end as reaction, own_reaction, edited_at,
  revoked_at, created_at, updated_at
$columns$);
