-- Two refusals of the channel tell of the person, not of the message: 131047, that more than 24 hours have passed since
-- the person wrote, and 131050, that the person wants no marketing. They count also as the answer to a call.

create function app.heed_refusal() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  refused record;
begin
  -- The channel said so after the attempt began. Who wrote since has opened the window again.
  select messages.created_at as attempted_at, conversations.contact_id, conversations.messaging_account_id into refused
  from public.messages
  join public.conversations on conversations.company_id = messages.company_id
    and conversations.id = messages.conversation_id
  where messages.company_id = new.company_id and messages.id = new.message_id;
  if new.channel_code = 131047 then
    perform app.close_window(
      new.company_id, refused.contact_id, refused.messaging_account_id, refused.attempted_at
    );
  else
    update public.contacts set marketing_stopped_at = refused.attempted_at, marketing_stop_source = 'status'
    where company_id = new.company_id and id = refused.contact_id
      and (marketing_stopped_at is null or marketing_stopped_at < refused.attempted_at);
  end if;
  return null;
end
$$;
comment on function app.heed_refusal() is
  'Trigger: a send that the channel refused with 131047 closes the window of its contact, and one that it refused with '
  '131050 opts the contact out of marketing.';

-- Triggers fire in the order of their names: the message is locked before the contact and the window, as everywhere.
create trigger sends_tell_of_person after update of state on public.sends
  for each row when (
    old.state <> 'failed' and new.state = 'failed' and new.channel_code in (131047, 131050)
  )
  execute function app.heed_refusal();
