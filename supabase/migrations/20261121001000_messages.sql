-- Messages of a conversation. A message moves its conversation: it updates last_message_at and the window.

create table public.messages (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  conversation_id uuid not null,
  direction text not null check (direction in ('inbound', 'outbound')),
  type text not null default 'text' check (type in ('text', 'image', 'video', 'document')),
  content text not null check (char_length(content) <= 4096),
  -- The channel's id; an outbound message has none until the channel has accepted it.
  whatsapp_message_id text check (char_length(whatsapp_message_id) between 1 and 255),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  -- The channel can deliver an event more than once; the second delivery must not make a second message.
  constraint messages_one_per_whatsapp_message_id unique (company_id, whatsapp_message_id),
  constraint messages_conversation_fkey foreign key (company_id, conversation_id)
    references public.conversations (company_id, id) on delete cascade
);
comment on table public.messages is
  'The messages of a conversation, from the contact (inbound) or from the company (outbound).';

create index messages_newest_first_idx
  on public.messages (company_id, conversation_id, created_at desc, id desc);

create trigger messages_set_updated_at before update on public.messages
  for each row execute function app.set_updated_at();

create function app.move_conversation() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  -- greatest() ignores nulls, and keeps a message that is recorded late from moving a time back.
  update public.conversations set
    last_message_at = greatest(last_message_at, new.created_at),
    window_expires_at = case new.direction
      -- Every message of the contact opens 24 hours in which the company may answer freely.
      when 'inbound' then greatest(window_expires_at, new.created_at + interval '24 hours')
      else window_expires_at
    end
  where company_id = new.company_id and id = new.conversation_id;
  return null;
end
$$;
comment on function app.move_conversation() is
  'Trigger: a message moves last_message_at of its conversation; an inbound one also opens the 24-hour window.';

create trigger messages_move_conversation after insert on public.messages
  for each row execute function app.move_conversation();

alter table public.messages enable row level security;
create policy "people read their company's messages" on public.messages
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
-- Only the platform writes messages, because a row states what was said on the channel.
grant select on public.messages to authenticated;
grant select, insert, update, delete on public.messages to service_role;
