-- Media files for template headers. A template with an image, a video or a document in its header needs such a file in
-- every send. If the caller provides no file, the send contains the sample that WhatsApp approved with the template.
-- The sample is uploaded once for each account. Sends use the media id of the upload until shortly before the upload
-- expires.

create table public.template_media (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  account_id uuid not null,
  sample_source text not null,
  -- The WhatsApp media id. WhatsApp deletes the file after 30 days. Null means that the file has to be uploaded.
  media_id text check (char_length(media_id) between 1 and 255),
  -- The file name that the recipient of a document sees.
  filename text check (char_length(filename) between 1 and 240),
  uploaded_at timestamptz,
  -- The id of the upload in progress, its start time, and the time until which no other upload starts.
  upload_id uuid unique,
  began_at timestamptz,
  lease_ends_at timestamptz,
  -- The last failed upload.
  failed_at timestamptz,
  failure text check (char_length(failure) between 1 and 1000),
  -- Whether the sample itself caused the failure, so that another upload would fail too.
  failure_is_permanent boolean not null default false,
  -- The number of the job's failed uploads since the last success, and the time of the job's last failed upload. They
  -- determine when the job tries again. A send's upload has less time, so its failure does not delay the job.
  failures integer not null default 0,
  job_failed_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  constraint template_media_one_per_account_and_sample unique (company_id, account_id, sample_source),
  constraint template_media_account_fkey foreign key (company_id, account_id)
    references public.messaging_accounts (company_id, id) on delete cascade,
  constraint template_media_time_when_uploaded check (media_id is null or uploaded_at is not null)
);
comment on table public.template_media is
  'The uploads of sample files for template headers: one row for each account and sample.';

create function app.media_problem(own_company_id uuid, of_business_account_id text, of_source text) returns text
language sql stable
set search_path = ''
as $$
  select case
    when of_source is null then 'The channel lists no sample of the header''s media'
    else (
      select case when not file.can_be_sent then media.failure end
      from public.messaging_accounts as accounts
      join public.template_media as media on media.company_id = accounts.company_id and media.account_id = accounts.id
      -- If an early renewal fails, the earlier media file can still be sent.
      cross join lateral (
        select media.media_id is not null and media.uploaded_at > now() - interval '29 days' as can_be_sent
      ) as file
      where accounts.company_id = own_company_id and accounts.business_account_id = of_business_account_id
        and accounts.disconnected_at is null
        and media.sample_source = of_source
      order by file.can_be_sent desc, media.failed_at desc nulls last
      limit 1
    )
  end
$$;
comment on function app.media_problem(uuid, text, text) is
  'Returns why the sample of a template header could not be uploaded for an account of this business account. Returns '
  'null when WhatsApp has the sample of at least one connected account, or when no upload has failed since the last '
  'success.';

create function app.note_media_problem(own_company_id uuid, of_account_id uuid, of_source text) returns void
language sql
set search_path = ''
as $$
  -- Templates that another transaction has locked are skipped, so an upload does not wait while a list of templates is
  -- being stored. The skipped templates get the problem when the list is stored the next time.
  update public.templates as templates
  set media_problem = app.media_problem(own_company_id, templates.business_account_id, of_source)
  where templates.id in (
    select held.id
    from public.messaging_accounts as accounts
    join public.templates as held on held.company_id = accounts.company_id
      and held.business_account_id = accounts.business_account_id
    where accounts.company_id = own_company_id and accounts.id = of_account_id
      and held.sample_source = of_source
      and held.media_problem is distinct from app.media_problem(own_company_id, held.business_account_id, of_source)
    for no key update of held skip locked
  )
$$;
comment on function app.note_media_problem(uuid, uuid, text) is
  'After an account''s upload of a sample succeeded or failed, updates media_problem in the templates with this '
  'sample.';

create function public.due_media(account_id uuid, max_rows integer default 10) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object('template_id', due.id, 'name', due.name, 'language', due.language)), '[]')
  from (
    select distinct on (templates.sample_source) templates.id, templates.name, templates.language
    from public.messaging_accounts as accounts
    join public.templates on templates.company_id = accounts.company_id
      and templates.business_account_id = accounts.business_account_id
    -- The subquery with `offset 0` looks up the media of one template at a time. With a plain join, Postgres might read
    -- all media of the account for each template.
    left join lateral (
      select * from public.template_media as media
      where media.company_id = accounts.company_id and media.account_id = accounts.id
        and media.sample_source = templates.sample_source
      offset 0
    ) as media on true
    where accounts.id = due_media.account_id and accounts.disconnected_at is null
      and templates.status = 'APPROVED' and templates.unsupported = '{}'
      and templates.header_format in ('IMAGE', 'VIDEO', 'DOCUMENT') and templates.sample_source is not null
      and (media.media_id is null or media.uploaded_at < now() - interval '25 days')
      and (media.lease_ends_at is null or media.lease_ends_at <= now())
      and (media.job_failed_at is null or media.job_failed_at
        + least(interval '5 minutes' * 2 ^ least(media.failures, 12), interval '24 hours') <= now())
    order by templates.sample_source, templates.id
    limit greatest(least(max_rows, 100), 0)
  ) due
$$;
comment on function public.due_media(uuid, integer) is
  'Returns the templates whose header media file has to be uploaded for an account. The file was never uploaded, '
  'WhatsApp rejected the uploaded file in a send, or the upload expires within five days. After a failed upload by the '
  'job, the template is not returned until a pause has passed. The pause grows with each failure.';
grant execute on function public.due_media(uuid, integer) to channel_client, service_role;

create function public.begin_media_upload(
  account_id uuid,
  template_id uuid,
  lease_seconds integer default 30,
  for_send boolean default false
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id constant uuid := app.company_id('messaging');
  is_for_send constant boolean := own_company_id is not null or begin_media_upload.for_send;
  template record;
  media record;
  new_upload_id constant uuid := gen_random_uuid();
begin
  select templates.company_id, templates.name, templates.language, templates.header_format, templates.sample_url,
    templates.sample_source, templates.channel_template_id
  into template
  from public.messaging_accounts as accounts
  join public.templates on templates.company_id = accounts.company_id
    and templates.business_account_id = accounts.business_account_id
  where accounts.id = begin_media_upload.account_id and accounts.disconnected_at is null
    and (own_company_id is null or accounts.company_id = own_company_id)
    and templates.id = begin_media_upload.template_id and templates.status <> 'DELETED'
    and templates.header_format in ('IMAGE', 'VIDEO', 'DOCUMENT');
  if not found then
    return jsonb_build_object('result', 'gone');
  end if;
  if template.sample_source is null then
    return jsonb_build_object('result', 'failed', 'reason', app.media_problem(template.company_id, null, null));
  end if;

  insert into public.template_media (company_id, account_id, sample_source)
  values (template.company_id, begin_media_upload.account_id, template.sample_source)
  on conflict do nothing;
  select * into media from public.template_media
  where company_id = template.company_id and account_id = begin_media_upload.account_id
    and sample_source = template.sample_source
  for no key update;
  case
    when media.media_id is not null and media.uploaded_at >= now() - interval '25 days' then
      return jsonb_build_object('result', 'ready', 'media_id', media.media_id, 'filename', media.filename);
    when media.lease_ends_at > now() then
      return jsonb_build_object('result', 'wait');
    -- Many callers may have waited for a failed upload. They must not all retry the upload one after the other. The
    -- job waits only after its own failures.
    when (case when is_for_send then media.failed_at else media.job_failed_at end)
      > now() - interval '10 seconds' then
      return jsonb_build_object(
        'result', 'failed', 'reason', media.failure, 'is_permanent', media.failure_is_permanent
      );
    else
      update public.template_media set
        upload_id = new_upload_id,
        began_at = now(),
        lease_ends_at = now() + interval '1 second' * greatest(least(lease_seconds, 150), 1)
      where id = media.id;
      return jsonb_build_object(
        'result', 'upload', 'upload_id', new_upload_id, 'format', template.header_format,
        'sample_url', template.sample_url, 'template_name', template.name, 'language', template.language,
        'channel_template_id', template.channel_template_id, 'began_at', now()
      );
  end case;
end
$$;
comment on function public.begin_media_upload(uuid, uuid, integer, boolean) is
  'Decides which caller uploads a template''s header media file for an account. The result `ready` contains the media '
  'id. The result `upload` means that this caller has to upload the file, and then call finish_media_upload or '
  'fail_media_upload. The result `wait` means that another caller is uploading the file. The result `failed` means '
  'that an upload failed less than ten seconds ago, or that there is no sample. Its member is_permanent is true if the '
  'upload failed because of the sample itself. For a job, only uploads of jobs count. '
  'The result `gone` means that the account no longer has this template, or is disconnected. If `for_send` is true, a '
  'send needs the file now. A caller with an API key always uploads for a send.';
grant execute on function public.begin_media_upload(uuid, uuid, integer, boolean)
  to api_client, channel_client, service_role;

create function public.finish_media_upload(upload_id uuid, media_id text, filename text default null)
returns boolean
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id constant uuid := app.company_id('messaging');
  media record;
begin
  update public.template_media set
    media_id = finish_media_upload.media_id,
    filename = finish_media_upload.filename,
    uploaded_at = now(), upload_id = null, lease_ends_at = null, failed_at = null, failure = null,
    failure_is_permanent = false, failures = 0, job_failed_at = null
  where upload_id = finish_media_upload.upload_id and (own_company_id is null or company_id = own_company_id)
  returning company_id, account_id, sample_source, began_at into media;
  if not found then
    return false;
  end if;
  -- The success shows only that the token works. Other refusals, for example because of a payment problem, may still
  -- apply.
  perform app.withdraw_token_refusals(media.account_id, media.began_at)
  from public.messaging_accounts as accounts
  where accounts.id = media.account_id and accounts.refused_at is not null;
  perform app.note_media_problem(media.company_id, media.account_id, media.sample_source);
  return true;
end
$$;
comment on function public.finish_media_upload(uuid, text, text) is
  'Records the media id of an upload. Returns false when the upload had already ended, or when another upload has '
  'started.';
grant execute on function public.finish_media_upload(uuid, text, text) to api_client, channel_client, service_role;

create function public.fail_media_upload(
  upload_id uuid,
  reason text,
  refusal text default null,
  encrypted_token text default null,
  for_send boolean default false,
  is_permanent boolean default false
) returns boolean
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id constant uuid := app.company_id('messaging');
  is_for_send constant boolean := own_company_id is not null or fail_media_upload.for_send;
  media record;
  has_new_token boolean := false;
begin
  select company_id, account_id, sample_source into media from public.template_media
  where upload_id = fail_media_upload.upload_id and (own_company_id is null or company_id = own_company_id)
  for no key update;
  if not found then
    return false;
  end if;
  if fail_media_upload.refusal is not null then
    -- The account is locked before its templates, as in a disconnection of the account. If the account is getting a new
    -- token, this statement waits and then reads the new token.
    select coalesce(accounts.encrypted_token <> fail_media_upload.encrypted_token, false) into has_new_token
    from public.messaging_accounts as accounts where accounts.id = media.account_id
    for no key update;
  end if;
  if has_new_token then
    -- The refusal says nothing about the new token, so the file is due. connect_messaging_account() skips the row of an
    -- upload that ends at the same time, so an earlier failure is reset here too.
    update public.template_media set
      upload_id = null, lease_ends_at = null, failed_at = null, failure = null, failure_is_permanent = false,
      failures = 0, job_failed_at = null
    where upload_id = fail_media_upload.upload_id;
  else
    update public.template_media set
      upload_id = null, lease_ends_at = null,
      failed_at = now(), failure = left(fail_media_upload.reason, 1000),
      failure_is_permanent = fail_media_upload.is_permanent,
      failures = failures + (not is_for_send)::integer,
      job_failed_at = case when is_for_send then job_failed_at else now() end
    where upload_id = fail_media_upload.upload_id;
    if fail_media_upload.refusal is not null then
      -- A job uploads files in advance, so its refusal stopped no send.
      perform app.note_refusal(media.account_id, 'refusal', fail_media_upload.refusal, is_for_send::integer);
    end if;
  end if;
  perform app.note_media_problem(media.company_id, media.account_id, media.sample_source);
  return true;
end
$$;
comment on function public.fail_media_upload(uuid, text, text, text, boolean, boolean) is
  'Records why an upload failed. If WhatsApp refused the account, `refusal` is the WhatsApp error code, and the '
  'refusal becomes a notice of the account. If the account no longer has the token of the upload (`encrypted_token`), '
  'the refusal and the failure are not recorded. The argument `for_send` has the same meaning as in '
  'begin_media_upload(): the failed upload of a send does not delay the job. If `is_permanent` is true, the sample '
  'itself caused the failure. Returns false when the upload had already ended, or when another upload has started.';
grant execute on function public.fail_media_upload(uuid, text, text, text, boolean, boolean)
  to api_client, channel_client, service_role;

create trigger template_media_set_updated_at before update on public.template_media
  for each row execute function app.set_updated_at();

alter table public.template_media enable row level security;
create policy "the platform reads the media of templates" on public.template_media
  for select to service_role using (true);

grant select on public.template_media to service_role;
