-- What a failure that the channel answers or reports says beyond its message: of the person, of the media, of the
-- templates.

drop function app.note_refusal(uuid, uuid, text, integer);
create function app.note_refusal(
  own_company_id uuid, of_message_id uuid, sent_media_id text, channel_code integer, said_at timestamptz default now()
) returns void
language plpgsql
set search_path = ''
as $$
declare
  account record;
begin
  select accounts.id, accounts.business_account_id into account
  from public.messages
  join public.conversations on conversations.company_id = messages.company_id
    and conversations.id = messages.conversation_id
  join public.messaging_accounts as accounts on accounts.company_id = conversations.company_id
    and accounts.id = conversations.messaging_account_id
  where messages.company_id = own_company_id and messages.id = of_message_id;
  -- Rows that another transaction holds are skipped: a send is settled at once, and these are hints.
  -- 100 and 131009 are said of an id that is no medium, and of much else. So they count only against media that the
  -- channel may have lost since: a caller whose values are wrong does not have it uploaded with every send.
  if channel_code in (100, 131009, 131053) then
    update public.template_media set media_id = null where id in (
      select media.id from public.template_media as media
      where media.company_id = own_company_id and media.account_id = account.id and media.media_id = sent_media_id
        and (channel_code = 131053 or media.uploaded_at < now() - interval '1 hour')
      for no key update skip locked
    );
  elsif channel_code between 132000 and 132999 then
    update public.template_catalogues set sync_due_at = greatest(now(), synced_at + interval '10 minutes') where id in (
      select catalogues.id from public.template_catalogues as catalogues
      where catalogues.company_id = own_company_id
        and catalogues.business_account_id = account.business_account_id
        -- What was read since knows it already. A report can come days late, and twice.
        and catalogues.synced_at < said_at
        and catalogues.sync_due_at > greatest(now(), catalogues.synced_at + interval '10 minutes')
      for no key update skip locked
    );
  end if;
end
$$;
comment on function app.note_refusal(uuid, uuid, text, integer, timestamptz) is
  'What a refusal of the channel, in its answer or in a report, says about what is stored: 131053, that the media '
  'it names has to be uploaded again, and so 100 and 131009, which name an invalid parameter, when it was uploaded '
  'more than an hour ago; 132000 to 132999, that the templates may have changed, so that they are read again, ten '
  'minutes after the last reading at the soonest.';

create function app.note_failure(own_company_id uuid, of_message_id uuid, code integer, at timestamptz) returns void
language plpgsql
set search_path = ''
as $$
declare
  conversation record;
begin
  if code in (131047, 131050) then
    select conversations.contact_id, conversations.messaging_account_id into conversation
    from public.messages
    join public.conversations on conversations.company_id = messages.company_id
      and conversations.id = messages.conversation_id
    where messages.company_id = own_company_id and messages.id = of_message_id;
  end if;
  case
    when code = 131047 then
      perform app.close_window(own_company_id, conversation.contact_id, conversation.messaging_account_id, at);
    when code = 131050 then
      -- At the same time, what the person told the channel is the source.
      update public.contacts set marketing_stopped_at = note_failure.at, marketing_stop_source = 'status'
      where company_id = own_company_id and id = conversation.contact_id
        and (marketing_stopped_at is null or marketing_stopped_at < note_failure.at);
    when code = 100 or code between 131000 and 132999 then
      perform app.note_refusal(own_company_id, of_message_id, (
        select media_id from public.sends where company_id = own_company_id and message_id = of_message_id
      ), code, at);
    else
      null;
  end case;
end
$$;
comment on function app.note_failure(uuid, uuid, integer, timestamptz) is
  'What a failure that was answered or reported says beyond its message: 131047 closes the window of the contact, '
  '131050 is an opt-out of marketing, and the others are those of app.note_refusal().';
