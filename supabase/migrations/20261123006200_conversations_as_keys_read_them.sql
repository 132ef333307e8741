-- A conversation shows on which number of the company it is, and is found by it.

create or replace view public.own_conversations as
  select
    id, company_id, contact_id, status, assigned_to, team_id, last_message_at, window_expires_at, created_at,
    updated_at,
    coalesce(last_message_at, '-infinity') as last_message_sort,
    phone_number_id
  from public.conversations
  where company_id = (select app.company_id('read'));

select app.make_feed('conversation_changes', 'conversations', '
  id, company_id, contact_id, phone_number_id, status, assigned_to, team_id, last_message_at, window_expires_at,
  created_at, updated_at
');

create index conversations_number_idx
  on public.conversations (company_id, phone_number_id, created_at desc, id desc);
