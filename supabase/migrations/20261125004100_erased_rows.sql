-- What was erased stays erased. The call of a send may be under way, and reports come for weeks; whatever writes to an
-- erased row, nothing of the person comes back. What is counted stays: ids, times, states, prices and amounts.

alter table public.contacts add column erased_at timestamptz;
comment on column public.contacts.erased_at is
  'When the person was erased. What is left of the contact is its id, and what was counted with it.';
alter table public.contacts
  drop constraint contacts_reachable,
  add constraint contacts_reachable check (phone is not null or has_identity or erased_at is not null);

create function app.stay_erased() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if current_user in ('api_client', 'authenticated') or new.archived_at is null then
    raise sqlstate 'PT404' using
      message = 'Contact not found: the person was erased, so nothing is left to change or to restore';
  end if;
  -- What the platform learns late is of nobody any more.
  return null;
end
$$;
comment on function app.stay_erased() is
  'Trigger: an erased contact stays as it is. Raises PT404, with a sentence for callers, when somebody changes or restores '
  'it.';
create trigger contacts_stay_erased before update on public.contacts
  for each row when (old.erased_at is not null) execute function app.stay_erased();
-- An erased contact is archived, and there is more to say of it than that.
drop trigger contacts_archive on public.contacts;
create trigger contacts_archive before update on public.contacts
  for each row when (new.archived_at is not null and old.erased_at is null) execute function app.keep_archived();

alter table public.messages add column is_erased boolean not null default false;
comment on column public.messages.is_erased is 'Whether it was said to or by a person who is erased.';

create function app.erase_message() returns trigger
-- Security definer, because nobody reads the key of the digests.
language plpgsql security definer
set search_path = ''
as $$
begin
  new.is_erased := true;
  new.content := '';
  new.original_content := null;
  new.rendered_text := null;
  new.payload := null;
  new.media := null;
  new.reaction := null;
  -- The channel's words may name the person; its code does not.
  new.failure := new.failure || '{ "message": null, "details": null }';
  -- The channel's ids are made of the phone.
  new.whatsapp_message_id := app.erased_digest(new.company_id, 'message', new.whatsapp_message_id);
  new.reply_to_whatsapp_id := null;
  return new;
end
$$;
comment on function app.erase_message() is
  'Trigger: an erased message has no content, and a digest in place of the channel''s id.';
create trigger messages_erase before update on public.messages
  for each row when (old.is_erased or new.is_erased) execute function app.erase_message();
-- Of an erased message nothing waits, and its new id is no news.
drop trigger messages_apply_facts_of_new_id on public.messages;
create trigger messages_apply_facts_of_new_id after update of whatsapp_message_id on public.messages
  for each row when (
    new.whatsapp_message_id is not null and old.whatsapp_message_id is distinct from new.whatsapp_message_id
    and not new.is_erased
  )
  execute function app.apply_facts_of_message();

alter table public.sends add column is_erased boolean not null default false;
comment on column public.sends.is_erased is 'Whether its message went to a person who is erased.';

create function app.erase_send() returns trigger
language plpgsql security definer -- as erase_message()
set search_path = ''
as $$
begin
  new.is_erased := true;
  -- A repeat is told what became of the send. Sent again, it would go to the person under this row.
  if new.state = 'released' then
    new.state := 'failed';
  end if;
  -- Callers make their keys of anything, also of a phone.
  new.idempotency_key := app.erased_digest(new.company_id, 'key', new.idempotency_key);
  -- It is a plain digest, so that of a short request can be guessed.
  new.fingerprint := null;
  new.whatsapp_message_id := app.erased_digest(new.company_id, 'message', new.whatsapp_message_id);
  new.double_sent_ids := array_remove(array(
    select distinct app.erased_digest(new.company_id, 'message', id) collate "C"
    from unnest(new.double_sent_ids) as id order by 1
  ), new.whatsapp_message_id);
  return new;
end
$$;
comment on function app.erase_send() is
  'Trigger: an erased send has digests in place of its idempotency key and of the channel''s ids, and does not go out again.';
create trigger sends_erase before update on public.sends
  for each row when (old.is_erased or new.is_erased) execute function app.erase_send();
