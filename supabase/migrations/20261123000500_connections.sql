-- Who had a number when: a message belongs to the company that was connected when the person wrote it, also when the
-- channel delivers it after the number has moved to another company.

create table public.account_connections (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  account_id uuid not null,
  connected_at timestamptz not null default now(),
  disconnected_at timestamptz,
  constraint account_connections_account_fkey foreign key (company_id, account_id)
    references public.messaging_accounts (company_id, id) on delete cascade
);
comment on table public.account_connections is
  'From when until when each messaging account was connected with the number that it has.';
create index account_connections_account_idx on public.account_connections (company_id, account_id, connected_at desc);

alter table public.account_connections enable row level security;
create policy "people read when their company's accounts were connected" on public.account_connections
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
grant select on public.account_connections to authenticated, service_role;

insert into public.account_connections (company_id, account_id, connected_at, disconnected_at)
select company_id, id, created_at, disconnected_at from public.messaging_accounts;

create function app.note_connection() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' and new.phone_number_id <> old.phone_number_id then
    -- It never had the new number before. Whoever had it then is who was written to.
    delete from public.account_connections where company_id = new.company_id and account_id = new.id;
    if new.disconnected_at is not null then
      return null;
    end if;
  end if;
  if new.disconnected_at is null then
    insert into public.account_connections (company_id, account_id) values (new.company_id, new.id);
  elsif tg_op = 'INSERT' then
    insert into public.account_connections (company_id, account_id, connected_at, disconnected_at)
    values (new.company_id, new.id, least(new.created_at, new.disconnected_at), new.disconnected_at);
  else
    update public.account_connections set disconnected_at = new.disconnected_at
    where company_id = new.company_id and account_id = new.id and disconnected_at is null;
  end if;
  return null;
end
$$;
comment on function app.note_connection() is
  'Trigger: keeps from when until when an account is connected with its number.';
create trigger messaging_accounts_note_first_connection after insert on public.messaging_accounts
  for each row execute function app.note_connection();
create trigger messaging_accounts_note_connection
  after update of disconnected_at, phone_number_id on public.messaging_accounts
  for each row when (
    (old.disconnected_at is null) <> (new.disconnected_at is null) or old.phone_number_id <> new.phone_number_id
  )
  execute function app.note_connection();

-- What the channel reported of a message that this platform does not know, or not yet.
create table public.waiting_facts (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  account_id uuid not null,
  whatsapp_message_id text not null check (char_length(whatsapp_message_id) between 1 and 255),
  item jsonb not null,
  received_at timestamptz not null default now(),
  constraint waiting_facts_account_fkey foreign key (company_id, account_id)
    references public.messaging_accounts (company_id, id) on delete cascade
);
comment on table public.waiting_facts is
  'Reports about messages that are not known: they are applied when a message gets this id, and kept for 30 days.';
create unique index waiting_facts_once_idx
  on public.waiting_facts (company_id, whatsapp_message_id, account_id, md5(item::text));
create index waiting_facts_account_idx on public.waiting_facts (company_id, account_id);
create index waiting_facts_age_idx on public.waiting_facts (received_at);
alter table public.waiting_facts enable row level security;
create policy "the platform reads waiting facts" on public.waiting_facts for select to service_role using (true);
grant select on public.waiting_facts to service_role;
