-- Reports about messages that are not known yet, such as a report that arrives before WhatsApp's response to the send.
-- Such a report becomes a waiting fact: it waits until a message, or a company's reaction, gets the WhatsApp id in the
-- report.

create table public.waiting_facts (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  account_id uuid not null,
  whatsapp_message_id text not null check (char_length(whatsapp_message_id) between 1 and 255),
  item jsonb not null,
  received_at timestamptz not null default now(),
  person_marks bigint[],
  constraint waiting_facts_account_fkey foreign key (company_id, account_id)
    references public.messaging_accounts (company_id, id) on delete cascade
);
comment on table public.waiting_facts is
  'Reports about unknown messages. A report is applied as soon as a message, or a company''s reaction, gets the '
  'WhatsApp id in the report. Reports are kept for 30 days.';
comment on column public.waiting_facts.person_marks is
  'The hashes (app.marks_of()) of the phone numbers, ids and email addresses of people in the fact. Null when they '
  'could not be read.';

-- This statistic makes the planner assume that all rows belong to one company. 30_contacts.sql explains why.
alter table public.waiting_facts alter column company_id set (n_distinct = 1);

create unique index waiting_facts_once_idx
  on public.waiting_facts (company_id, whatsapp_message_id, account_id, md5(item::text));
create index waiting_facts_account_idx on public.waiting_facts (company_id, account_id);
create index waiting_facts_age_idx on public.waiting_facts (received_at);
create index waiting_facts_people_idx on public.waiting_facts using gin (person_marks);
create index waiting_facts_unread_people_idx on public.waiting_facts (company_id) where person_marks is null;

create function app.keep_waiting(account_id uuid, wamid text, item jsonb) returns text
language plpgsql
set search_path = ''
as $$
begin
  insert into public.waiting_facts (company_id, account_id, whatsapp_message_id, item)
  select accounts.company_id, accounts.id, keep_waiting.wamid, keep_waiting.item
  from public.messaging_accounts as accounts where accounts.id = keep_waiting.account_id
  on conflict do nothing;
  return 'waiting';
end
$$;
comment on function app.keep_waiting(uuid, text, jsonb) is
  'Stores a WhatsApp report about an unknown message of an account. Returns `waiting`.';

create function app.apply_waiting_fact(fact_id uuid, account_id uuid, item jsonb) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  result text;
begin
  case item ->> 'kind'
    when 'status' then
      result := app.apply_status(array[account_id], item);
    when 'reaction' then
      result := app.apply_reaction(account_id, item);
    when 'edit' then
      result := app.apply_edit(account_id, item);
    when 'revoke' then
      result := app.apply_revoke(account_id, item);
    else
      result := 'ignored';
  end case;
  if result = 'waiting' then
    return false;
  end if;
  delete from public.waiting_facts where id = fact_id;
  return true;
exception when others then
  -- If a fact cannot be applied, the transaction that settles a send or stores a message must not fail. The fact
  -- remains in the table.
  raise warning 'A waiting fact (%) is not applied: % (%)', fact_id, sqlerrm, sqlstate;
  return false;
end
$$;
comment on function app.apply_waiting_fact(uuid, uuid, jsonb) is
  'Applies a waiting fact. Returns false if the fact must still wait.';

create function app.apply_facts_of_message() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  fact record;
begin
  for fact in
    select id, account_id, item from public.waiting_facts
    where company_id = new.company_id and whatsapp_message_id = new.whatsapp_message_id
    -- Failures are applied first, because they lock the contact, and the contact must be locked before the
    -- conversation.
    order by (item ->> 'status' = 'failed') is true desc, received_at, id
  loop
    perform app.apply_waiting_fact(fact.id, fact.account_id, fact.item);
  end loop;
  update public.messages set reply_to_id = new.id where company_id = new.company_id and id = any (array(
    select replies.id from public.messages as replies
    where replies.company_id = new.company_id and replies.reply_to_whatsapp_id = new.whatsapp_message_id
      and replies.reply_to_id is null and replies.id <> new.id
    -- If another transaction has locked a reply, the trigger skips it, and the job links it later.
    for no key update skip locked
  ));
  return null;
end
$$;
comment on function app.apply_facts_of_message() is
  'Trigger: when a message gets its WhatsApp id, applies the earlier reports about this message, and links the replies '
  'to this message.';

create function app.apply_waiting_facts(max_rows integer) returns integer
language plpgsql
set search_path = ''
as $$
declare
  fact record;
  applied integer := 0;
  linked integer;
begin
  -- One transaction may store a fact while another transaction stores the id of the fact's message, or of the company's
  -- reaction. Then each transaction may miss the row of the other, and the fact waits until this function applies it.
  -- All sends of these facts are locked before any fact is applied, because every transaction locks sends first.
  for fact in
    -- The number of waiting facts has no limit. So each run checks only the latest facts, and other facts around a
    -- random id. A random time would not reach all facts, because thousands of facts may arrive in one second.
    with around as (select gen_random_uuid() as id),
    checked as (
      (
        select latest.id from public.waiting_facts as latest
        where latest.received_at > now() - interval '1 day'
        order by latest.received_at desc limit 5000
      )
      union
      (
        select others.id from public.waiting_facts as others
        where others.id >= (select id from around) order by others.id limit 2500
      )
      union
      (
        select others.id from public.waiting_facts as others
        where others.id < (select id from around) order by others.id desc limit 2500
      )
    ), matched as (
      select facts.id, facts.account_id, facts.item, facts.company_id, known.message_id
      from checked
      join public.waiting_facts as facts on facts.id = checked.id and facts.received_at > now() - interval '1 day'
      cross join lateral (
        select messages.id from public.messages
        where messages.company_id = facts.company_id and messages.whatsapp_message_id = facts.whatsapp_message_id
          -- An inbound message has no status. The job would try to apply a status report about such a message again
          -- and again, without success.
          and (facts.item ->> 'kind' <> 'status' or messages.direction = 'outbound')
        union all
        select messages.id from public.messages
        where messages.company_id = facts.company_id and messages.own_reaction_whatsapp_id = facts.whatsapp_message_id
          and facts.item ->> 'kind' = 'status'
      ) as known (message_id)
      -- The order is random, so that facts that cannot be applied do not block the others.
      order by random()
      limit greatest(max_rows, 0)
    ), locked as materialized (
      select sends.message_id from public.sends
      where (sends.company_id, sends.message_id) in (select company_id, message_id from matched)
      order by sends.id
      for no key update skip locked
    )
    select matched.id, matched.account_id, matched.item
    from matched
    where matched.message_id in (select message_id from locked)
      or not exists (
        select from public.sends
        where sends.company_id = matched.company_id and sends.message_id = matched.message_id
      )
    order by (matched.item ->> 'status' = 'failed') is true desc, matched.id
  loop
    applied := applied + app.apply_waiting_fact(fact.id, fact.account_id, fact.item)::integer;
  end loop;

  update public.messages as replies set reply_to_id = found.target_id
  from (
    select late.id, targets.id as target_id
    from public.messages as late
    join public.messages as targets on targets.company_id = late.company_id
      and targets.whatsapp_message_id = late.reply_to_whatsapp_id
    where late.reply_to_whatsapp_id is not null and late.reply_to_id is null
      and late.created_at > now() - interval '1 day'
    limit greatest(max_rows, 0)
    for no key update of late skip locked
  ) as found
  where replies.id = found.id;
  get diagnostics linked = row_count;
  return applied + linked;
end
$$;
comment on function app.apply_waiting_facts(integer) is
  'Applies waiting facts of the last day if their messages or reactions are known now, and links replies whose '
  'original message is known now. Checks the latest 5,000 facts, and up to 5,000 facts around a random id. Handles at '
  'most max_rows facts and max_rows replies. Returns the number of applied facts and linked replies. A scheduled job '
  'calls this function.';

create function app.remove_old_waiting_facts(max_rows integer) returns integer
language sql
set search_path = ''
as $$
  with old as (
    select id from public.waiting_facts
    where received_at < now() - interval '30 days'
    order by received_at
    limit max_rows
    for update skip locked
  ),
  removed as (
    delete from public.waiting_facts using old where waiting_facts.id = old.id
    returning waiting_facts.id
  )
  select count(*)::integer from removed
$$;
comment on function app.remove_old_waiting_facts(integer) is
  'Deletes at most max_rows reports about unknown messages that are older than 30 days, and returns their number.';

create trigger messages_apply_facts after insert on public.messages
  for each row when (new.whatsapp_message_id is not null) execute function app.apply_facts_of_message();
create trigger messages_apply_facts_of_new_id after update of whatsapp_message_id on public.messages
  for each row when (
    new.whatsapp_message_id is not null and old.whatsapp_message_id is distinct from new.whatsapp_message_id
    and not new.is_erased
  )
  execute function app.apply_facts_of_message();

alter table public.waiting_facts enable row level security;
create policy "the platform reads waiting facts" on public.waiting_facts for select to service_role using (true);

grant select on public.waiting_facts to service_role;
