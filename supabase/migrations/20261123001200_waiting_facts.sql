-- Reports about messages that are not known yet, such as one that overtakes the answer to our own call. They wait
-- until a message gets the id.

-- Replies of which the answered message was not known.
create index messages_late_reply_idx on public.messages (created_at)
  where reply_to_whatsapp_id is not null and reply_to_id is null;

create function app.keep_waiting(account_id uuid, wamid text, item jsonb) returns text
language sql
set search_path = ''
as $$
  insert into public.waiting_facts (company_id, account_id, whatsapp_message_id, item)
  select accounts.company_id, accounts.id, keep_waiting.wamid, keep_waiting.item
  from public.messaging_accounts as accounts where accounts.id = keep_waiting.account_id
  on conflict do nothing;
  select 'waiting'
$$;
comment on function app.keep_waiting(uuid, text, jsonb) is
  'Keeps what the channel reported of a message of an account that is not known, until it is. Returns waiting.';

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
  -- A fact that cannot be applied must not undo that a send was settled or a message received. It goes on waiting.
  raise warning 'A waiting fact (%) is not applied: % (%)', fact_id, sqlerrm, sqlstate;
  return false;
end
$$;
comment on function app.apply_waiting_fact(uuid, uuid, jsonb) is
  'Applies a fact that waits, and returns whether it waits no longer.';

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
    -- What a failure says of the contact comes before what moves the conversation; see the order of locks.
    order by (item ->> 'status' = 'failed') is true desc, received_at, id
  loop
    perform app.apply_waiting_fact(fact.id, fact.account_id, fact.item);
  end loop;
  update public.messages set reply_to_id = new.id where company_id = new.company_id and id in (
    select replies.id from public.messages as replies
    where replies.company_id = new.company_id and replies.reply_to_whatsapp_id = new.whatsapp_message_id
      and replies.reply_to_id is null and replies.id <> new.id
    -- A reply that another transaction holds is left to the job.
    for no key update skip locked
  );
  return null;
end
$$;
comment on function app.apply_facts_of_message() is
  'Trigger: a message that gets its id of the channel takes what was reported of it before, and the replies to it '
  'find it.';
create trigger messages_apply_facts after insert on public.messages
  for each row when (new.whatsapp_message_id is not null) execute function app.apply_facts_of_message();
create trigger messages_apply_facts_of_new_id after update of whatsapp_message_id on public.messages
  for each row when (
    new.whatsapp_message_id is not null and old.whatsapp_message_id is distinct from new.whatsapp_message_id
  )
  execute function app.apply_facts_of_message();

create function app.apply_waiting_facts(max_rows integer) returns integer
language plpgsql
set search_path = ''
as $$
declare
  fact record;
  applied integer := 0;
  linked integer;
begin
  -- Two transactions that do not see each other leave a fact behind: one stores it, the other stores the id of its
  -- message. All sends are locked before any fact is applied; see the order of locks.
  for fact in
    with matched as (
      select facts.id, facts.account_id, facts.item, messages.company_id, messages.id as message_id
      from public.waiting_facts as facts
      join public.messages on messages.company_id = facts.company_id
        and messages.whatsapp_message_id = facts.whatsapp_message_id
      where facts.received_at > now() - interval '1 day'
        -- What a person wrote has no status. Such a fact would be tried in vain until it is deleted.
        and (facts.item ->> 'kind' <> 'status' or messages.direction = 'outbound')
      -- In any order, so that facts that cannot be applied do not keep the others from their turn.
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
  'Applies waiting facts of the last day whose messages are known, and links late replies, at most so many of each. '
  'Returns how many. For a scheduled job.';
