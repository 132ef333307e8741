-- What a person does to a message that is there: a reaction, an edit, a revocation. Each is a fact of that message, of
-- which the newest counts, in whatever order they come.

comment on column public.messages.reaction is
  'The person''s newest reaction: { emoji, at }. Its emoji is null when it was taken back; then there is none to show.';
comment on column public.messages.edited_at is
  'When the person edited the message last. The text before the first edit is original_content.';
alter table public.messages add column original_content text constraint messages_original_content_check
  check (char_length(original_content) <= 65536);
comment on column public.messages.original_content is 'What the person wrote first, of a message that they edited.';
comment on column public.messages.revoked_at is
  'When the person took the message back: it is gone from their chat. The company''s record keeps its content.';

create function app.target_of(
  account_id uuid, item jsonb, out message public.messages, out is_theirs boolean,
  out is_nobodys boolean
)
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id uuid;
  done_at constant timestamptz := least(coalesce((item ->> 'at')::timestamptz, now()), now());
  person_id uuid;
begin
  select company_id into own_company_id from public.messaging_accounts where id = account_id;
  select * into message from public.messages
  where company_id = own_company_id and whatsapp_message_id = item ->> 'target'
  for no key update;
  -- It makes no contact, yet it tells that an id and a phone are one person's.
  if message.id is not null and app.known_person(own_company_id, item -> 'person', done_at) is not null then
    person_id := app.find_person(account_id, item -> 'person', done_at);
  end if;
  select messaging_account_id = account_id and contact_id = person_id,
    messaging_account_id = account_id and person_id is null
  into is_theirs, is_nobodys from public.conversations
  where company_id = own_company_id and id = message.conversation_id;
  is_theirs := coalesce(is_theirs, false);
end
$$;
comment on function app.target_of(uuid, jsonb) is
  'The message that a reaction, an edit or a revocation is about, locked, and whether it is in a conversation with that '
  'person on this account, or in one on this account while nobody knows the person.';

create function app.apply_reaction(account_id uuid, item jsonb) returns text
language plpgsql
set search_path = ''
-- The time stands in the reaction as it does in a column of times.
set timezone = 'UTC'
as $$
declare
  reacted_at constant timestamptz := least(coalesce((item ->> 'at')::timestamptz, now()), now());
  new_emoji constant text := nullif(item ->> 'emoji', '');
  target record;
begin
  target := app.target_of(account_id, item);
  if (target.message).id is null then
    perform app.keep_waiting(account_id, item ->> 'target', item);
    return 'waiting';
  -- Only one person can react to a message that was sent to one. Who they are may be unknown yet, such as by an id alone.
  elsif not (target.is_theirs or target.is_nobodys) then
    return 'ignored';
  end if;
  update public.messages set
    reaction = jsonb_build_object('emoji', new_emoji, 'at', reacted_at)
  where company_id = (target.message).company_id and id = (target.message).id
    and (
      reaction is null
      -- In one second, taking back comes last.
      or (reacted_at, new_emoji is null, coalesce(new_emoji, '') collate "C") > (
        (reaction ->> 'at')::timestamptz, reaction ->> 'emoji' is null, coalesce(reaction ->> 'emoji', '') collate "C"
      )
    );
  return 'done';
end
$$;
comment on function app.apply_reaction(uuid, jsonb) is
  'Notes a person''s reaction to a message, or that it was taken back. One to a message that is not known waits.';

create function app.apply_edit(account_id uuid, item jsonb) returns text
language plpgsql
set search_path = ''
as $$
declare
  new_edited_at constant timestamptz := least(coalesce((item ->> 'at')::timestamptz, now()), now());
  target record;
begin
  target := app.target_of(account_id, item);
  if (target.message).id is null then
    perform app.keep_waiting(account_id, item ->> 'target', item);
    return 'waiting';
  -- Nobody edits what another wrote.
  elsif not target.is_theirs or (target.message).direction <> 'inbound' or item ->> 'content' is null then
    return 'ignored';
  end if;
  update public.messages set
    original_content = coalesce(original_content, content),
    content = item ->> 'content',
    edited_at = new_edited_at
  where company_id = (target.message).company_id and id = (target.message).id
    and (
      edited_at is null or (new_edited_at, item ->> 'content' collate "C") > (edited_at, content collate "C")
    );
  return 'done';
end
$$;
comment on function app.apply_edit(uuid, jsonb) is
  'Gives a message the text to which the person changed it. An edit of a message that is not known waits.';

create function app.apply_revoke(account_id uuid, item jsonb) returns text
language plpgsql
set search_path = ''
as $$
declare
  new_revoked_at constant timestamptz := least(coalesce((item ->> 'at')::timestamptz, now()), now());
  target record;
begin
  target := app.target_of(account_id, item);
  if (target.message).id is null then
    perform app.keep_waiting(account_id, item ->> 'target', item);
    return 'waiting';
  elsif not target.is_theirs or (target.message).direction <> 'inbound' then
    return 'ignored';
  end if;
  update public.messages set revoked_at = new_revoked_at
  where company_id = (target.message).company_id and id = (target.message).id
    and (revoked_at is null or revoked_at > new_revoked_at);
  return 'done';
end
$$;
comment on function app.apply_revoke(uuid, jsonb) is
  'Notes that a person took a message back. A revocation of a message that is not known waits.';
