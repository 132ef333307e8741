-- Media files that a company uploaded to WhatsApp, to send in replies and template headers. Only WhatsApp stores the
-- bytes. WhatsApp deletes the bytes after 30 days, and a job removes the row a day earlier.

create table public.media_uploads (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  -- Only the phone number of this account can send the media file.
  account_id uuid not null,
  -- The WhatsApp media id.
  media_id text not null check (char_length(media_id) between 1 and 255),
  type text not null check (type in ('image', 'video', 'audio', 'document')),
  mime_type text not null check (char_length(mime_type) between 1 and 255),
  bytes bigint not null check (bytes > 0),
  -- In hexadecimal digits.
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  filename text check (char_length(filename) between 1 and 240),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '29 days',
  unique (company_id, id),
  constraint media_uploads_account_fkey foreign key (company_id, account_id)
    references public.messaging_accounts (company_id, id) on delete cascade
);
comment on table public.media_uploads is
  'Media files that a company uploaded to WhatsApp. Each row contains the WhatsApp media id and the known properties '
  'of the file. Only WhatsApp stores the bytes.';

create index media_uploads_account_idx on public.media_uploads (company_id, account_id);
create index media_uploads_expiry_idx on public.media_uploads (expires_at);

create function app.upload_json(upload public.media_uploads) returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object(
    'id', upload.id,
    'phone_number_id', accounts.phone_number_id,
    'type', upload.type,
    'mime_type', upload.mime_type,
    'bytes', upload.bytes,
    'sha256', upload.sha256,
    'filename', upload.filename,
    'created_at', upload.created_at,
    'expires_at', upload.expires_at
  )
  from public.messaging_accounts as accounts
  where accounts.company_id = upload.company_id and accounts.id = upload.account_id
$$;
comment on function app.upload_json(public.media_uploads) is 'Returns an upload in the format of the API.';

create function public.account_for_upload(phone_number_id text default null) returns jsonb
-- Security definer, because a key cannot read accounts.
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id constant uuid := app.company_id('messaging');
  connected public.messaging_accounts[];
  account record;
begin
  connected := array(
    select accounts from public.messaging_accounts as accounts
    where company_id = own_company_id and disconnected_at is null
    order by phone_number_id
  );
  select id, phone_number_id, business_account_id, encrypted_token, count(*) over () as matches into account
  from unnest(connected)
  where account_for_upload.phone_number_id is null or phone_number_id = account_for_upload.phone_number_id;
  perform public.authenticate();
  return jsonb_build_object('company_id', own_company_id) || case when account.matches is distinct from 1
    then jsonb_build_object('result', 'no_account', 'connected', array(
      select jsonb_build_object('phone_number_id', phone_number_id, 'display_phone', display_phone)
      from unnest(connected)
    ))
    else jsonb_build_object(
      'result', 'account',
      'account_id', account.id,
      'phone_number_id', account.phone_number_id,
      'business_account_id', account.business_account_id,
      'encrypted_token', account.encrypted_token
    )
  end;
end
$$;
comment on function public.account_for_upload(text) is
  'Returns the account that uploads media files, with its encrypted token. The result `no_account` contains the '
  'connected accounts. This result means that no connected account has this phone_number_id. Without a '
  'phone_number_id, it means that the company does not have exactly one connected account. Every result contains the '
  'key''s company. Raises PT401 and PT403 as app.company_id() does.';
grant execute on function public.account_for_upload(text) to api_client;

create function public.add_media_upload(account_id uuid, upload jsonb) returns jsonb
language plpgsql security definer -- no role may write the table
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id constant uuid := app.company_id('messaging');
  added public.media_uploads;
begin
  insert into public.media_uploads (company_id, account_id, media_id, type, mime_type, bytes, sha256, filename)
  select
    own_company_id, accounts.id, upload ->> 'media_id', upload ->> 'type', upload ->> 'mime_type',
    (upload ->> 'bytes')::bigint, upload ->> 'sha256', upload ->> 'filename'
  from public.messaging_accounts as accounts
  where accounts.company_id = own_company_id and accounts.id = add_media_upload.account_id
  returning * into added;
  return app.upload_json(added);
end
$$;
comment on function public.add_media_upload(uuid, jsonb) is
  'Adds the row for a media file that was uploaded for an account of the company. Returns the upload in the format of '
  'the API. The argument `upload` has media_id, type, mime_type, bytes, sha256 and filename. Returns null when the '
  'company has no such account. Raises PT401 and PT403 as app.company_id() does.';
grant execute on function public.add_media_upload(uuid, jsonb) to api_client;

create function public.media_upload(id uuid) returns jsonb
language plpgsql security definer -- the roles of callers may not read the table
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id constant uuid := app.company_id('messaging');
  found public.media_uploads;
begin
  select * into found from public.media_uploads
  where company_id = own_company_id and id = media_upload.id and expires_at > now();
  perform public.authenticate();
  return jsonb_build_object('company_id', own_company_id, 'data', app.upload_json(found));
end
$$;
comment on function public.media_upload(uuid) is
  'Returns, in the member `data`, an upload of the company in the format of the API. The member is null when the '
  'upload does not exist or has expired. Raises PT401 and PT403 as app.company_id() does.';
grant execute on function public.media_upload(uuid) to api_client;

create function app.medium_of_send(
  own_company_id uuid,
  of_account_id uuid,
  -- { id } of an upload, or { type, link }. Both formats may also have filename and voice.
  asked jsonb,
  -- The fields that WhatsApp needs: { type, id or link, filename, voice }.
  out sent jsonb,
  -- The fields that the stored message shows.
  out shown jsonb,
  -- The invalid member of `asked`, and the reason: unknown, not_document, not_audio or not_opus.
  out fault jsonb
)
language plpgsql
set search_path = ''
as $$
declare
  upload public.media_uploads;
  kind text := asked ->> 'type';
begin
  if asked ? 'id' then
    -- The send needs some time, so the upload must not expire within a minute. The lock prevents the removal of the
    -- row.
    select * into upload from public.media_uploads
    where company_id = own_company_id and account_id = of_account_id and id = (asked ->> 'id')::uuid
      and expires_at > now() + interval '60 seconds'
    for no key update;
    if not found then
      fault := '{ "field": "id", "fault": "unknown" }';
      return;
    end if;
    kind := upload.type;
  end if;
  fault := case
    when asked ->> 'filename' is not null and kind <> 'document'
      then '{ "field": "filename", "fault": "not_document" }'
    when asked -> 'voice' = 'true' and kind <> 'audio' then '{ "field": "voice", "fault": "not_audio" }'
    when asked -> 'voice' = 'true' and upload.id is not null and upload.mime_type not like 'audio/ogg%'
      then '{ "field": "voice", "fault": "not_opus" }'
  end;
  sent := jsonb_strip_nulls(jsonb_build_object(
    'type', kind,
    'id', upload.media_id,
    'link', asked ->> 'link',
    'filename', case when kind = 'document' then coalesce(asked ->> 'filename', upload.filename) end,
    'voice', case when asked -> 'voice' = 'true' then true end
  ));
  shown := jsonb_build_object(
    'id', upload.id,
    'mime_type', upload.mime_type,
    'sha256', upload.sha256,
    'filename', sent ->> 'filename',
    'voice', case when kind = 'audio' then coalesce(asked -> 'voice' = 'true', false) end,
    'animated', null,
    'expires_at', upload.expires_at
  );
end
$$;
comment on function app.medium_of_send(uuid, uuid, jsonb) is
  'Returns the media file of a send in two formats, for WhatsApp and for callers. Locks the upload. If the request is '
  'not valid, the fault names the invalid member.';

create function app.erase_upload() returns trigger
language plpgsql security definer -- the roles of callers may not write the table
set search_path = ''
as $$
declare
  own_upload_id uuid;
begin
  -- This statement waits for sends with the upload that are in progress. So the next statement finds their messages.
  select id into own_upload_id from public.media_uploads
  where company_id = new.company_id and id = case
      when pg_catalog.pg_input_is_valid(old.media ->> 'id', 'uuid') then (old.media ->> 'id')::uuid
    end
  for update;
  delete from public.media_uploads
  where company_id = new.company_id and id = own_upload_id and not exists (
    -- The messages of an erased person have no media any more, so only messages to other people match.
    select from public.messages
    left join public.sends on sends.company_id = messages.company_id and sends.message_id = messages.id
    where messages.company_id = new.company_id and messages.direction = 'outbound'
      and messages.media ->> 'id' = old.media ->> 'id'
      and app.outcome_of_send(
        sends.state, false, sends.reason, sends.whatsapp_message_id is not null, messages.status
      ) not in ('refused', 'released')
  );
  return null;
end
$$;
comment on function app.erase_upload() is
  'Trigger: deletes the upload of an erased message, unless a message to another person contains the upload too. A '
  'message that WhatsApp refused does not count. The file name and the hash of the upload may reveal something about '
  'the person.';

create function app.remove_old_uploads(max_rows integer) returns integer
language sql
set search_path = ''
as $$
  with old as (
    select company_id, id from public.media_uploads where expires_at <= now()
    order by expires_at limit max_rows
    for update skip locked
  ), removed as (
    delete from public.media_uploads using old
    where media_uploads.company_id = old.company_id and media_uploads.id = old.id
    returning media_uploads.id
  )
  select count(*)::integer from removed
$$;
comment on function app.remove_old_uploads(integer) is
  'Removes at most max_rows expired uploads, whether they were sent or not, and returns the number of removed uploads.';

create trigger messages_erase_upload after update of is_erased on public.messages
  for each row when (
    new.is_erased and not old.is_erased and old.direction = 'outbound' and old.media ->> 'id' is not null
  )
  execute function app.erase_upload();

alter table public.media_uploads enable row level security;
create policy "the platform reads uploads" on public.media_uploads for select to service_role using (true);
grant select on public.media_uploads to service_role;
