-- How a message that the company sends stands on the channel.

-- What was recorded before now had been said, which is no change of it.
alter table public.messages add column status text;
alter table public.messages disable trigger user;
update public.messages set status = 'sent' where direction = 'outbound';
alter table public.messages enable trigger user;
alter table public.messages
  add constraint messages_status_check check (status in ('pending', 'sent', 'failed')),
  add constraint messages_status_while_outbound check ((direction = 'outbound') = (status is not null));
comment on column public.messages.status is
  'Of an outbound message: pending (nobody knows yet), sent (the channel took it) or failed. An inbound one has none.';

-- A message that has not gone out has not moved its conversation.
drop trigger messages_move_conversation on public.messages;
create trigger messages_move_conversation after insert or update of status on public.messages
  for each row when (new.status is null or new.status = 'sent')
  execute function app.move_conversation();
