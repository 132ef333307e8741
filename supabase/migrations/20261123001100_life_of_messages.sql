-- The channel tries to deliver a message for so long, and then drops it without a word. So a message that it took,
-- and of which it reported neither that it arrived nor that it failed, expires when its life is over.

alter table public.messages add column expires_at timestamptz;
comment on column public.messages.expires_at is
  'Of an outbound message that the channel took: until when a report that it arrived is awaited. That is an hour '
  'after the end of its life. Null for messages from before this was kept.';

-- The messages that are under way, and those that were lost.
create index messages_expiring_idx on public.messages (expires_at) where status in ('accepted', 'sent');
create index messages_expired_idx on public.messages (expired_at) where expired_at is not null;

create function app.note_life() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  template record;
begin
  -- A free reply has no template, and a template that is not in the catalogue has the life of most.
  select templates.ttl_seconds, templates.category into template
  from public.sends
  join public.conversations on conversations.company_id = sends.company_id and conversations.id = new.conversation_id
  join public.messaging_accounts as accounts on accounts.company_id = conversations.company_id
    and accounts.id = conversations.messaging_account_id
  join public.templates on templates.company_id = sends.company_id
    and templates.business_account_id = accounts.business_account_id
    and templates.name = sends.template_name and templates.language = sends.language_code
  where sends.company_id = new.company_id and sends.message_id = new.id;
  new.expires_at := new.created_at + interval '1 hour' + case
    when template.ttl_seconds > 0 then interval '1 second' * template.ttl_seconds
    when template.category = 'AUTHENTICATION' then interval '10 minutes'
    else interval '720 hours'
  end;
  return new;
end
$$;
comment on function app.note_life() is
  'Trigger: a message that the channel took expires an hour after its life, which is that of its template at the '
  'channel, or 10 minutes for a code and 30 days for any other message.';
create trigger messages_note_first_life before insert on public.messages
  for each row when (new.outcome = 'accepted' and new.expires_at is null) execute function app.note_life();
create trigger messages_note_life before update of outcome on public.messages
  for each row when (old.outcome <> 'accepted' and new.outcome = 'accepted' and new.expires_at is null)
  execute function app.note_life();

create function public.expire_messages() returns integer
language sql security definer -- nobody writes the table
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
  'Marks messages as expired of which no report came that they arrived or failed, at most 1,000, and returns how '
  'many. For a scheduled job; a later report takes the mark away.';
grant execute on function public.expire_messages() to service_role;
