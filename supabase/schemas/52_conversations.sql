-- Conversations. A conversation is between a company and one contact, on one messaging account. This file also defines
-- the window in which the company may reply freely.

create table public.conversations (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null default app.company_id() references public.companies on delete cascade,
  contact_id uuid not null,
  messaging_account_id uuid not null,
  status text not null default 'open' check (status in ('open', 'pending', 'closed')),
  assigned_to uuid,
  team_id uuid,
  last_message_at timestamptz,
  -- Until this time, the company may send free-form messages. After this time, only approved templates are allowed.
  window_expires_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  version bigint not null default app.change_now(),
  -- The WhatsApp id of the business phone number in this conversation.
  phone_number_id text not null constraint conversations_phone_number_id_check
    check (phone_number_id ~ '^[0-9]{1,32}$'),
  unique (company_id, id),
  -- A contact or an account that has conversations cannot be deleted, except with its company.
  constraint conversations_contact_fkey foreign key (company_id, contact_id)
    references public.contacts (company_id, id) on delete no action,
  constraint conversations_messaging_account_fkey foreign key (company_id, messaging_account_id)
    references public.messaging_accounts (company_id, id) on delete no action,
  constraint conversations_assignee_fkey foreign key (company_id, assigned_to)
    references public.company_members (company_id, user_id) on delete set null (assigned_to),
  constraint conversations_team_fkey foreign key (company_id, team_id)
    references public.teams (company_id, id) on delete set null (team_id)
);
comment on table public.conversations is
  'A conversation of a company with a contact on a messaging account. A conversation starts with its first message and '
  'ends when someone closes it.';

-- These statistics make the planner assume that all rows belong to one company and one account. 30_contacts.sql
-- explains why.
alter table public.conversations
  alter column company_id set (n_distinct = 1),
  alter column messaging_account_id set (n_distinct = 1);

-- A company may send free-form messages for 24 hours after a person's message. Each pair of a person and a business
-- number has one window, even if the pair has several conversations.
create table public.contact_windows (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  contact_id uuid not null,
  account_id uuid not null,
  -- The time of the person's newest message, which opens the window, and the phone number from which the person wrote
  -- that message. The phone number is null if WhatsApp did not report it.
  last_inbound_at timestamptz,
  last_inbound_phone text,
  -- The newest time at which WhatsApp reported that the window is closed.
  closed_at timestamptz,
  expires_at timestamptz generated always as (
    -- The calculation in UTC does not depend on the time zone of the session.
    case when closed_at >= last_inbound_at
      then least(closed_at, (last_inbound_at at time zone 'UTC' + interval '24 hours') at time zone 'UTC')
      else (last_inbound_at at time zone 'UTC' + interval '24 hours') at time zone 'UTC' end
  ) stored,
  -- The value of expires_at for which the event conversation.window_closing was last written.
  closing_noted_for timestamptz,
  constraint contact_windows_once unique (company_id, contact_id, account_id),
  constraint contact_windows_contact_fkey foreign key (company_id, contact_id)
    references public.contacts (company_id, id) on delete cascade,
  constraint contact_windows_account_fkey foreign key (company_id, account_id)
    references public.messaging_accounts (company_id, id) on delete cascade
);
comment on table public.contact_windows is
  'The time until which a company may send a person free-form messages from one of its numbers.';

alter table public.contact_windows
  alter column company_id set (n_distinct = 1),
  alter column account_id set (n_distinct = 1);

create index conversations_newest_first_idx on public.conversations (company_id, created_at desc, id desc);
create index conversations_messaging_account_idx on public.conversations (messaging_account_id);
create unique index conversations_one_not_closed_idx
  on public.conversations (company_id, contact_id, messaging_account_id)
  where status <> 'closed';

create index conversations_status_idx on public.conversations (company_id, status, created_at desc, id desc);
create index conversations_contact_idx on public.conversations (company_id, contact_id, created_at desc, id desc);
create index conversations_assignee_idx on public.conversations (company_id, assigned_to, created_at desc, id desc);
create index conversations_team_idx on public.conversations (company_id, team_id, created_at desc, id desc);
create index conversations_window_idx on public.conversations (company_id, window_expires_at);
create index conversations_by_last_message_idx
  on public.conversations (company_id, coalesce(last_message_at, '-infinity'), id);
create index conversations_by_update_idx on public.conversations (company_id, updated_at, id);
create index conversations_changes_idx on public.conversations (company_id, version, id);
create index contact_windows_account_idx on public.contact_windows (account_id);
create index conversations_number_idx
  on public.conversations (company_id, phone_number_id, created_at desc, id desc);

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
  'Trigger: when a conversation is added or reopened, sets its phone_number_id and window_expires_at.';

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
  'Trigger: when an account''s number changes, sets the new number in the account''s conversations.';

-- Security definer, because a write token may read only the conversation that it writes. So the function checks the
-- company itself.
create function public.other_conversation_not_closed(conversation_id uuid) returns uuid
language sql stable security definer
set search_path = ''
as $$
  select other.id
  from public.conversations as this
  join public.conversations as other using (company_id, contact_id, messaging_account_id)
  where this.company_id = (select app.company_id('write'))
    and this.id = other_conversation_not_closed.conversation_id
    and other.id <> this.id
    and other.status <> 'closed'
$$;
comment on function public.other_conversation_not_closed(uuid) is
  'Returns the conversation that prevents this conversation of the key''s company from being opened. The other '
  'conversation has the same contact and account, and is not closed. Returns null when no such conversation exists. '
  'Needs a write token.';
grant execute on function public.other_conversation_not_closed(uuid) to api_client;

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
  'Records that WhatsApp reported a contact''s window on an account as closed. The person''s next message reopens the '
  'window. If the person wrote after the time `at`, the window remains open.';

create function app.find_or_open_conversation(
  own_company_id uuid,
  with_contact_id uuid,
  on_account_id uuid,
  out id uuid,
  out is_new boolean
)
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
begin
  loop
    -- A send has locked the contact, so it must not wait for changes of the conversation: an event may have changed the
    -- conversation, and may wait for the contact. The lock only prevents a deletion.
    select conversations.id, false into find_or_open_conversation.id, is_new
    from public.conversations
    where company_id = own_company_id and contact_id = with_contact_id
      and messaging_account_id = on_account_id and status <> 'closed'
    for key share;
    exit when found;
    insert into public.conversations (company_id, contact_id, messaging_account_id)
    values (own_company_id, with_contact_id, on_account_id)
    on conflict (company_id, contact_id, messaging_account_id) where status <> 'closed' do nothing
    returning conversations.id, true into find_or_open_conversation.id, is_new;
    exit when found;
  end loop;
end
$$;
comment on function app.find_or_open_conversation(uuid, uuid, uuid) is
  'Finds a contact''s conversation on an account, if the conversation is not closed. Otherwise opens a conversation. '
  'If several calls run at the same time, only one call opens a conversation.';

create trigger conversations_note_written before insert or update on public.conversations
  for each statement execute function app.note_written_table();
create trigger conversations_note_no_longer_written after insert or update on public.conversations
  for each statement execute function app.note_written_table();
create trigger conversations_note_change before update on public.conversations
  for each row execute function app.note_change();
create trigger conversations_note_deletion after delete on public.conversations
  referencing old table as deleted for each statement execute function app.note_deletion();
create trigger conversations_begin before insert on public.conversations
  for each row execute function app.begin_conversation();
create trigger conversations_begin_again before update of status on public.conversations
  for each row when (old.status = 'closed' and new.status <> 'closed') execute function app.begin_conversation();
create trigger messaging_accounts_note_number_of_conversations after update of phone_number_id
  on public.messaging_accounts
  for each row when (old.phone_number_id <> new.phone_number_id) execute function app.note_number_of_conversations();

alter table public.conversations enable row level security;
create policy "a key reads its company's conversations" on public.conversations
  for select to api_client using (company_id = (select app.company_id_to_read('conversations')));
create policy "a key changes its company's conversations" on public.conversations
  for update to api_client
  using (company_id = (select app.company_id('write')))
  with check (company_id = (select app.company_id('write')));
create policy "people read their company's conversations" on public.conversations
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "people change their company's conversations" on public.conversations
  for update to authenticated
  using (company_id = any ((select app.member_company_ids())::uuid[]))
  with check (company_id = any ((select app.member_company_ids())::uuid[]));
alter table public.contact_windows enable row level security;
create policy "people read the windows of their company's contacts" on public.contact_windows
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));

grant select, update (status, assigned_to, team_id, version) on public.conversations to api_client;
grant select, update (status, assigned_to, team_id) on public.conversations to authenticated;
grant select, insert, update, delete on public.conversations to service_role;
grant select on public.contact_windows to authenticated, service_role;

select app.make_feed('conversation_changes', 'conversations', '
  id, company_id, contact_id, phone_number_id, status, assigned_to, team_id, last_message_at, window_expires_at,
  created_at, updated_at
');
