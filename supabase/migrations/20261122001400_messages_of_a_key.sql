-- A key reads the messages of its company. It writes none: a row states what was said on the channel, so only the
-- platform and the functions of template sends write one.

create policy "a key reads its company's messages" on public.messages
  for select to api_client using (company_id = (select app.company_id('read')));
grant select (
  id, company_id, conversation_id, direction, type, content, rendered_text, status, whatsapp_message_id, created_at,
  updated_at
) on public.messages to api_client;

-- A page of a conversation walks messages_newest_first_idx and stops. When the planner expects fewer messages than
-- a page has, it may as well read the whole conversation and sort it, which is slow for a long one. So it plans for
-- the largest company (n_distinct = 1; see conversations) and for a conversation of 1,000 messages, and it knows
-- that the conversation decides the company.
alter table public.messages
  alter column company_id set (n_distinct = 1),
  alter column conversation_id set (n_distinct = -0.001);
create statistics public.messages_conversation_decides_company (dependencies)
  on conversation_id, company_id from public.messages;
