-- The media files in inbound messages. The platform stores what WhatsApp reports about a file, and never its bytes. A
-- caller downloads the bytes from WhatsApp through the gateway.

create function public.media_of_message(message_id uuid) returns jsonb
-- Security definer, because an API key cannot read accounts. The key gets only what this function returns.
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id constant uuid := app.company_id('read');
  message record;
  account record;
begin
  select id, conversation_id, direction, type, media into message from public.messages
  where company_id = own_company_id and id = media_of_message.message_id;
  if not found then
    return jsonb_build_object('result', 'not_found');
  elsif message.direction <> 'inbound' or message.media is null then
    return jsonb_build_object('result', 'no_media');
  elsif message.media ->> 'gone_at' is not null or (message.media ->> 'expires_at')::timestamptz <= now() then
    return jsonb_build_object(
      'result', 'gone', 'at', coalesce(message.media ->> 'gone_at', message.media ->> 'expires_at')
    );
  end if;

  select id, phone_number_id, encrypted_token into account from public.messaging_accounts
  where company_id = own_company_id and disconnected_at is null and id = (
    select messaging_account_id from public.conversations
    where company_id = own_company_id and id = message.conversation_id
  );
  if not found then
    return jsonb_build_object('result', 'no_account');
  end if;
  return jsonb_build_object(
    'result', 'found',
    'type', message.type,
    'media', message.media,
    'company_id', own_company_id,
    'account_id', account.id,
    'phone_number_id', account.phone_number_id,
    'encrypted_token', account.encrypted_token
  );
end
$$;
comment on function public.media_of_message(uuid) is
  'Returns the media file of an inbound message, with the encrypted token of the account that received the message. '
  'The result `not_found` means that the company has no such message. The result `no_media` means that the message has '
  'no media file, or that the company sent the message. The result `gone` means that WhatsApp no longer has the media '
  'file. The value `at` is the time when the platform first noticed that the file is gone, or when the file expired. '
  'The result `no_account` means that the account is disconnected. Raises PT401 and PT403 as app.company_id() does.';
grant execute on function public.media_of_message(uuid) to api_client;

create function public.note_media_gone(message_id uuid, media_id text) returns timestamptz
-- Security definer, because no key may write messages. This function writes only the time.
language plpgsql security definer
set search_path = ''
-- The object stores gone_at as a string. In UTC, this string has the same format as the times of the time columns.
set timezone = 'UTC'
as $$
declare
  own_company_id constant uuid := app.company_id('read');
begin
  update public.messages set media = media || jsonb_build_object('gone_at', now())
  where company_id = own_company_id and id = note_media_gone.message_id and direction = 'inbound'
    and media ->> 'id' = note_media_gone.media_id and media ->> 'gone_at' is null;
  return (
    select (media ->> 'gone_at')::timestamptz from public.messages
    where company_id = own_company_id and id = note_media_gone.message_id
  );
end
$$;
comment on function public.note_media_gone(uuid, text) is
  'Records that WhatsApp no longer has the media file of a message, so that no one requests the file again. Returns '
  'the time of the first such record, or null when the message does not have this media file. Raises PT401 and PT403 '
  'as app.company_id() does.';
grant execute on function public.note_media_gone(uuid, text) to api_client;
