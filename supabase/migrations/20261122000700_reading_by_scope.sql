-- A token reads what its scope allows: one for reading reads every table of a key, one for writing the rows that
-- its statement writes, any other none. Before, every token of a valid key could read.

alter policy "a key reads its company's pipelines" on public.pipelines
  using (company_id = (select app.company_id('read')));
alter policy "a key reads its company's stages" on public.stages
  using (company_id = (select app.company_id('read')));
alter policy "a key reads its company's teams" on public.teams
  using (company_id = (select app.company_id('read')));
alter policy "a key reads the members of its company" on public.company_members
  using (company_id = (select app.company_id('read')));

-- Postgres asks the policies for reading about a written row too, when it is answered (returning) or looked for
-- (where). So a table that a key writes is read by a token for writing while a statement writes that very table,
-- and by a token for reading at any other time.
--
-- app.written names the table. Its triggers run before the first row of the statement is looked for and after
-- its last row is answered, and Postgres evaluates the condition of a policy only when it needs it. A caller
-- cannot set app.written: the Data API calls no function outside of its schemas. Whoever could set it could set
-- the claims of the token as well.
create function app.note_written_table() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform set_config('app.written', case tg_when when 'BEFORE' then tg_table_name else '' end, true);
  return null;
end
$$;
comment on function app.note_written_table() is
  'Trigger: app.written is the name of the table while a statement writes it, and empty afterwards.';

create trigger contacts_note_written before insert or update on public.contacts
  for each statement execute function app.note_written_table();
create trigger contacts_note_no_longer_written after insert or update on public.contacts
  for each statement execute function app.note_written_table();
create trigger deals_note_written before insert or update on public.deals
  for each statement execute function app.note_written_table();
create trigger deals_note_no_longer_written after insert or update on public.deals
  for each statement execute function app.note_written_table();
create trigger conversations_note_written before insert or update on public.conversations
  for each statement execute function app.note_written_table();
create trigger conversations_note_no_longer_written after insert or update on public.conversations
  for each statement execute function app.note_written_table();

alter policy "a key reads its company's contacts" on public.contacts using (
  company_id = (select app.company_id(
    case current_setting('app.written', true) when 'contacts' then 'write' else 'read' end
  ))
);
alter policy "a key reads its company's deals" on public.deals using (
  company_id = (select app.company_id(
    case current_setting('app.written', true) when 'deals' then 'write' else 'read' end
  ))
);
alter policy "a key reads its company's conversations" on public.conversations using (
  company_id = (select app.company_id(
    case current_setting('app.written', true) when 'conversations' then 'write' else 'read' end
  ))
);

-- What a write that met a conflict asks next, with the same token.

create or replace function public.contact_id_by_phone(phone text) returns uuid
language sql stable security definer
set search_path = ''
as $$
  select contacts.id from public.contacts
  where contacts.company_id = (select app.company_id('write'))
    and contacts.phone_key = app.phone_key(contact_id_by_phone.phone)
$$;
comment on function public.contact_id_by_phone(text) is
  'For a token for writing: the contact of the key''s company that a phone belongs to, in any of its spellings; '
  'null when there is none.';

-- Security definer, because a token for writing reads no conversation that it does not write; it therefore
-- checks the company itself.
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
  'For a token for writing: the conversation that keeps this one of the key''s company from being opened, since '
  'it is with the same contact on the same account and is not closed; null when there is none.';
grant execute on function public.other_conversation_not_closed(uuid) to api_client;
