-- The 24 hours in which a company may answer freely belong to a person and a number of the company, not to one
-- conversation. They run from the person's own time.

create table public.contact_windows (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  contact_id uuid not null,
  account_id uuid not null,
  -- The newest message of the person that opens the window.
  last_inbound_at timestamptz,
  -- The newest time at which the channel said that the window is closed.
  closed_at timestamptz,
  expires_at timestamptz generated always as (
    -- In one zone, a day has 24 hours whatever the session's.
    case when closed_at >= last_inbound_at
      then least(closed_at, (last_inbound_at at time zone 'UTC' + interval '24 hours') at time zone 'UTC')
      else (last_inbound_at at time zone 'UTC' + interval '24 hours') at time zone 'UTC' end
  ) stored,
  constraint contact_windows_once unique (company_id, contact_id, account_id),
  constraint contact_windows_contact_fkey foreign key (company_id, contact_id)
    references public.contacts (company_id, id) on delete cascade,
  constraint contact_windows_account_fkey foreign key (company_id, account_id)
    references public.messaging_accounts (company_id, id) on delete cascade
);
comment on table public.contact_windows is
  'Until when a company may answer a person freely on one of its numbers.';
create index contact_windows_account_idx on public.contact_windows (company_id, account_id);

alter table public.contact_windows enable row level security;
create policy "people read the windows of their company's contacts" on public.contact_windows
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
grant select on public.contact_windows to authenticated, service_role;

-- Which number of the company a conversation is on.
alter table public.conversations
  add column phone_number_id text constraint conversations_phone_number_id_check check (phone_number_id ~ '^[0-9]{1,32}$');
alter table public.conversations disable trigger user;
update public.conversations set phone_number_id = accounts.phone_number_id
from public.messaging_accounts as accounts
where accounts.company_id = conversations.company_id and accounts.id = conversations.messaging_account_id;
alter table public.conversations enable trigger user;
alter table public.conversations alter column phone_number_id set not null;

insert into public.contact_windows (company_id, contact_id, account_id, last_inbound_at)
select company_id, contact_id, messaging_account_id, max(window_expires_at) - interval '24 hours'
from public.conversations
where window_expires_at is not null
group by 1, 2, 3;

create function app.begin_conversation() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    select phone_number_id into new.phone_number_id from public.messaging_accounts
    where company_id = new.company_id and id = new.messaging_account_id;
  end if;
  select coalesce(max(expires_at), new.window_expires_at) into new.window_expires_at from public.contact_windows
  where company_id = new.company_id and contact_id = new.contact_id and account_id = new.messaging_account_id;
  return new;
end
$$;
comment on function app.begin_conversation() is
  'Trigger: a conversation that begins, or begins again, shows its number and the window of its contact.';
create trigger conversations_begin before insert on public.conversations
  for each row execute function app.begin_conversation();
create trigger conversations_begin_again before update of status on public.conversations
  for each row when (old.status = 'closed' and new.status <> 'closed') execute function app.begin_conversation();

create function app.note_number_of_conversations() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  update public.conversations set phone_number_id = new.phone_number_id
  where company_id = new.company_id and messaging_account_id = new.id;
  return null;
end
$$;
comment on function app.note_number_of_conversations() is
  'Trigger: the conversations of an account whose number changes show the new one.';
create trigger messaging_accounts_note_number_of_conversations after update of phone_number_id
  on public.messaging_accounts
  for each row when (old.phone_number_id <> new.phone_number_id) execute function app.note_number_of_conversations();

create or replace function app.move_conversation() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  conversation record;
  -- The person's own time: a repeat of the channel may come days later. Nobody writes in the future.
  said_at constant timestamptz := least(coalesce(new.sent_at, new.created_at), now());
  expires_at timestamptz;
begin
  -- What an edited message that the channel cannot show was about, nobody knows: it opens nothing.
  if new.direction = 'inbound'
    and (new.type <> 'unsupported' or new.payload #>> '{unsupported,type}' is distinct from 'edit')
  then
    select contact_id, messaging_account_id into conversation from public.conversations
    where company_id = new.company_id and id = new.conversation_id;
    insert into public.contact_windows as windows (company_id, contact_id, account_id, last_inbound_at)
    values (new.company_id, conversation.contact_id, conversation.messaging_account_id, said_at)
    on conflict on constraint contact_windows_once do update set
      last_inbound_at = greatest(windows.last_inbound_at, excluded.last_inbound_at)
    returning windows.expires_at into expires_at;
  end if;
  -- greatest() ignores nulls, and keeps a message that is recorded late from moving a time back.
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
  'Trigger: a message moves last_message_at of its conversation; an inbound one also opens the 24-hour window of its '
  'contact, and a conversation that was pending.';

-- A notice of the channel, such as that of a new phone, is nobody's message.
create trigger messages_move_conversation after insert on public.messages
  for each row when (
    new.type <> 'system' and (new.direction = 'inbound' or new.status in ('accepted', 'sent', 'delivered', 'read'))
  )
  execute function app.move_conversation();
-- An outbound message moves its conversation only once the channel has it.
create trigger messages_move_conversation_once_taken after update on public.messages
  for each row when (
    old.status in ('pending', 'failed') and new.status in ('accepted', 'sent', 'delivered', 'read')
  )
  execute function app.move_conversation();

create function app.close_window(own_company_id uuid, of_contact_id uuid, on_account_id uuid, at timestamptz)
returns void
language plpgsql
set search_path = ''
as $$
declare
  new_expires_at timestamptz;
begin
  insert into public.contact_windows as windows (company_id, contact_id, account_id, closed_at)
  values (own_company_id, of_contact_id, on_account_id, at)
  on conflict on constraint contact_windows_once do update set
    closed_at = greatest(windows.closed_at, excluded.closed_at)
  returning windows.expires_at into new_expires_at;
  update public.conversations set window_expires_at = new_expires_at
  where company_id = own_company_id and contact_id = of_contact_id and messaging_account_id = on_account_id
    and status <> 'closed' and window_expires_at is distinct from new_expires_at;
end
$$;
comment on function app.close_window(uuid, uuid, uuid, timestamptz) is
  'Notes that the channel said at this time that the window of a contact on an account is closed. It opens again with '
  'the next message of the person; one that is newer already keeps it open.';
