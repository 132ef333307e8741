-- The status of an outbound message on the channel.

-- Every outbound message from before this migration was sent. Recording that does not change the message,
-- so its triggers stay off.
alter table public.messages add column status text;
alter table public.messages disable trigger user;
update public.messages set status = 'sent' where direction = 'outbound';
alter table public.messages enable trigger user;
alter table public.messages
  add constraint messages_status_check check (status in ('pending', 'sent', 'failed')),
  add constraint messages_status_while_outbound check ((direction = 'outbound') = (status is not null));
comment on column public.messages.status is
  'Of an outbound message: pending (not known yet), sent (the channel took it) or failed. Null for an inbound one.';

-- An outbound message moves its conversation only once it is sent.
drop trigger messages_move_conversation on public.messages;
create trigger messages_move_conversation after insert or update of status on public.messages
  for each row when (new.status is null or new.status = 'sent')
  execute function app.move_conversation();
