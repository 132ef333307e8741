-- The message templates of a company's business accounts, as last listed by WhatsApp. A list that was read from
-- WhatsApp is stored completely or not at all.

create table public.template_catalogues (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  -- The WhatsApp id of the business account. Two companies may share a business account, but each company has its own
  -- template catalogue.
  business_account_id text not null check (business_account_id ~ '^[0-9]{1,32}$'),
  -- When the platform began to read the list that is stored now. Null when no list is stored yet.
  synced_at timestamptz,
  sync_due_at timestamptz not null default now(),
  -- How often the platform has failed to read the list since the last success. Each failure makes the next pause
  -- longer.
  failures integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  constraint template_catalogues_one_per_business_account unique (company_id, business_account_id)
);
comment on table public.template_catalogues is
  'A company''s WhatsApp business accounts, and when the templates of each account were last read.';

create table public.templates (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  business_account_id text not null,
  -- The ids of the connected phone numbers of this business account. All of these numbers can send the template.
  -- Triggers keep this column up to date.
  phone_number_ids text[] not null default '{}',
  -- The WhatsApp id of the template.
  channel_template_id text check (char_length(channel_template_id) between 1 and 64),
  name text not null check (char_length(name) between 1 and 512),
  language text not null check (char_length(language) between 1 and 64),
  -- The status that WhatsApp reports, in upper case. DELETED means that WhatsApp no longer lists the template.
  status text not null check (char_length(status) between 1 and 64),
  -- The start of the first read that returned this status, or the time at which WhatsApp reported the status.
  status_since timestamptz not null,
  category text check (char_length(category) between 1 and 64),
  -- The category that WhatsApp has announced for the future.
  upcoming_category text check (char_length(upcoming_category) between 1 and 64),
  quality text check (char_length(quality) between 1 and 64),
  rejected_reason text check (char_length(rejected_reason) between 1 and 255),
  parameter_format text not null check (parameter_format in ('POSITIONAL', 'NAMED')),
  -- The components as listed by WhatsApp, without signed URLs.
  components jsonb not null check (jsonb_typeof(components) = 'array'),
  -- Null when the template has no header.
  header_format text check (char_length(header_format) between 1 and 64),
  -- The variables that a send fills, in the order of the values in the request. The format is { header: [{ name,
  -- example }], body: [{ name, example }], buttons: [{ index, kind, text, example }] }.
  variables jsonb not null check (
    -- Because of `is not distinct from`, the check also refuses a missing member.
    (jsonb_typeof(variables -> 'header'), jsonb_typeof(variables -> 'body'), jsonb_typeof(variables -> 'buttons'))
      is not distinct from ('array', 'array', 'array')
  ),
  -- The text of the template in pieces: { header, body: [piece], footer: text, buttons: [text] }. A piece is a string,
  -- or the zero-based index of a variable within the header or the body.
  rendering jsonb not null check (
    jsonb_typeof(rendering -> 'buttons') is not distinct from 'array'
    and coalesce(jsonb_typeof(rendering -> 'header'), 'null') in ('array', 'null')
    and coalesce(jsonb_typeof(rendering -> 'body'), 'null') in ('array', 'null')
    and coalesce(jsonb_typeof(rendering -> 'footer'), 'null') in ('string', 'null')
  ),
  -- The index of the button that contains the one-time code of an authentication template.
  otp_button integer check (otp_button >= 0),
  -- The template parts that this service cannot send, such as CAROUSEL.
  unsupported text[] not null default '{}',
  -- The signed URL of the sample file for a media header. The column sample_source is this URL without its query
  -- string, so it stays the same when WhatsApp signs the URL again.
  sample_url text check (char_length(sample_url) between 1 and 4096),
  sample_source text generated always as (split_part(sample_url, '?', 1)) stored,
  -- Why WhatsApp does not have the header's media file. Null when WhatsApp has the file of at least one connected
  -- account, or when no upload was tried yet.
  media_problem text check (char_length(media_problem) between 1 and 1000),
  -- How long WhatsApp tries to deliver a message with this template. The value -1 means 30 days.
  ttl_seconds integer,
  -- When the platform began to read these values from WhatsApp.
  read_at timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  constraint templates_one_per_name_and_language unique (company_id, business_account_id, name, language),
  constraint templates_catalogue_fkey foreign key (company_id, business_account_id)
    references public.template_catalogues (company_id, business_account_id) on delete cascade
);
comment on table public.templates is
  'The message templates of a company''s business accounts, as last listed by WhatsApp.';

alter table public.templates alter column company_id set (n_distinct = 1);

-- If a send does not match the stored templates, the service reads the templates with the same name again. This table
-- records the times of these reads. See claim_template_send().
create table public.template_rereads (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  business_account_id text not null,
  name text not null check (char_length(name) between 1 and 512),
  tried_at timestamptz not null default now(),
  -- The start of the newest successful read. Null when no read has succeeded.
  read_at timestamptz,
  unique (company_id, id),
  constraint template_rereads_one_per_name unique (company_id, business_account_id, name),
  constraint template_rereads_catalogue_fkey foreign key (company_id, business_account_id)
    references public.template_catalogues (company_id, business_account_id) on delete cascade
);
comment on table public.template_rereads is
  'For each template name: when the templates with this name were last read again for a send. When the whole list is '
  'read, rows that are older than an hour are deleted.';

create index templates_by_name_idx on public.templates (company_id, name, language, id);
create index template_rereads_lately_idx
  on public.template_rereads (company_id, business_account_id, tried_at);

create function app.connected_numbers(of_company_id uuid, of_business_account_id text) returns text[]
language sql stable
set search_path = ''
as $$
  select coalesce(array_agg(phone_number_id order by phone_number_id), '{}')
  from public.messaging_accounts
  where company_id = of_company_id and business_account_id = of_business_account_id and disconnected_at is null
$$;
comment on function app.connected_numbers(uuid, text) is
  'Returns the phone_number_id of each connected account of a company in one business account.';

create function app.note_numbers_of_templates() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  changed record;
  numbers text[];
begin
  for changed in
    select old.company_id, old.business_account_id where tg_op <> 'INSERT'
    union
    select new.company_id, new.business_account_id where tg_op <> 'DELETE'
    order by business_account_id
  loop
    -- If another transaction is storing a list of templates, this statement waits. So the update below also changes
    -- those templates. A transaction that stores a list later waits for this transaction, and then sees the changed
    -- account.
    perform from public.template_catalogues
    where company_id = changed.company_id and business_account_id = changed.business_account_id
    for no key update;
    numbers := app.connected_numbers(changed.company_id, changed.business_account_id);
    update public.templates set
      phone_number_ids = numbers,
      media_problem = case when header_format in ('IMAGE', 'VIDEO', 'DOCUMENT') then
        app.media_problem(company_id, business_account_id, sample_source)
      end
    where company_id = changed.company_id and business_account_id = changed.business_account_id
      and (
        phone_number_ids <> numbers
        -- The failed uploads of an account are forgotten when the account gets a new token.
        or media_problem <> coalesce(app.media_problem(company_id, business_account_id, sample_source), '')
      );
  end loop;
  return null;
end
$$;
comment on function app.note_numbers_of_templates() is
  'Trigger: updates phone_number_ids and media_problem in the templates of a business account.';

create function public.apply_template_sync(
  account_id uuid,
  began_at timestamptz,
  templates jsonb,
  only_name text default null,
  business_account_id text default null
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  -- Null for a role without an API key. Such a role may write for every company.
  own_company_id constant uuid := app.company_id('messaging');
  -- If a future began_at were stored, all lists that are read before that time would be ignored.
  reading_at constant timestamptz := least(apply_template_sync.began_at, now());
  account record;
  last_synced_at timestamptz;
  later_names text[];
  numbers text[];
  listed public.templates[];
  total integer;
  counted record;
  removed integer;
begin
  if jsonb_typeof(apply_template_sync.templates) is distinct from 'array' or apply_template_sync.began_at is null then
    raise sqlstate 'PT422' using message = 'The argument templates must be an array, and began_at is required';
  end if;
  if own_company_id is not null and apply_template_sync.only_name is null then
    raise sqlstate 'PT422' using message = 'With an API key, only_name is required';
  end if;
  select company_id, business_account_id into account from public.messaging_accounts
  where id = apply_template_sync.account_id
    and (own_company_id is null or company_id = own_company_id)
    and business_account_id is not null;
  if not found then
    raise sqlstate 'PT404' using message = 'No account with a business account has this id';
  end if;
  -- The account may have moved to another business account since the list was requested. Then the listed templates
  -- belong to the earlier business account.
  if account.business_account_id <> apply_template_sync.business_account_id then
    raise sqlstate 'PT409' using message = 'The account belongs to another business account now';
  end if;

  insert into public.template_catalogues (company_id, business_account_id)
  values (account.company_id, account.business_account_id)
  on conflict do nothing;
  -- Only one transaction at a time stores templates of a catalogue. The claim of a send does not wait for this lock,
  -- even if it inserts a row that references the catalogue.
  select catalogues.synced_at into last_synced_at from public.template_catalogues as catalogues
  where company_id = account.company_id and business_account_id = account.business_account_id
  for no key update;
  -- The function reads the phone numbers after it has the lock, for the reason given in
  -- app.note_numbers_of_templates().
  numbers := app.connected_numbers(account.company_id, account.business_account_id);

  listed := array(
    -- Normally, WhatsApp lists each template once. If a template is listed twice, the version that can be sent is
    -- stored.
    select distinct on (entry.name, entry.language) entry
    from jsonb_populate_recordset(null::public.templates, apply_template_sync.templates) as entry
    where apply_template_sync.only_name is null or entry.name = apply_template_sync.only_name
    order by entry.name, entry.language, entry.status = 'APPROVED' desc
  );
  total := cardinality(listed);

  -- The names whose templates were read again after this list was requested. This list is older, so it must not add or
  -- change templates with these names.
  later_names := array(
    select rereads.name from public.template_rereads as rereads
    where rereads.company_id = account.company_id and rereads.business_account_id = account.business_account_id
      and rereads.read_at > reading_at
  );
  if last_synced_at > reading_at then
    listed := '{}';
  elsif later_names <> '{}' then
    listed := array(select entry from unnest(listed) as entry where entry.name <> all (later_names));
  end if;

  select
    count(*) filter (where known.id is null) as added,
    count(*) filter (
      where (known.status, known.category, known.upcoming_category, known.quality, known.components)
        is distinct from (entry.status, entry.category, entry.upcoming_category, entry.quality, entry.components)
        and known.read_at <= reading_at
    ) as changed
  into counted
  from unnest(listed) as entry
  left join public.templates as known
    on known.company_id = account.company_id and known.business_account_id = account.business_account_id
    and known.name = entry.name and known.language = entry.language;

  insert into public.templates as known (
    company_id, business_account_id, phone_number_ids, channel_template_id, name, language, status, status_since,
    category, upcoming_category, quality, rejected_reason, parameter_format, components, header_format, variables,
    rendering, otp_button, unsupported, sample_url, media_problem, ttl_seconds, read_at
  )
  select
    account.company_id, account.business_account_id, numbers, entry.channel_template_id, entry.name, entry.language,
    entry.status, reading_at, entry.category, entry.upcoming_category, entry.quality,
    entry.rejected_reason, entry.parameter_format, entry.components, entry.header_format, entry.variables,
    entry.rendering, entry.otp_button, coalesce(entry.unsupported, '{}'), entry.sample_url,
    case when entry.header_format in ('IMAGE', 'VIDEO', 'DOCUMENT') then
      app.media_problem(account.company_id, account.business_account_id, split_part(entry.sample_url, '?', 1))
    end,
    entry.ttl_seconds, reading_at
  from unnest(listed) as entry
  -- The rows are always written in the same order, so that two statements with several templates cannot cause a
  -- deadlock.
  order by entry.name, entry.language
  on conflict (company_id, business_account_id, name, language) do update set
    phone_number_ids = excluded.phone_number_ids,
    channel_template_id = excluded.channel_template_id,
    status = excluded.status,
    status_since = case when known.status = excluded.status then known.status_since
      else excluded.status_since end,
    category = excluded.category,
    upcoming_category = excluded.upcoming_category,
    quality = excluded.quality,
    rejected_reason = excluded.rejected_reason,
    parameter_format = excluded.parameter_format,
    components = excluded.components,
    header_format = excluded.header_format,
    variables = excluded.variables,
    rendering = excluded.rendering,
    otp_button = excluded.otp_button,
    unsupported = excluded.unsupported,
    sample_url = excluded.sample_url,
    media_problem = excluded.media_problem,
    ttl_seconds = excluded.ttl_seconds,
    read_at = excluded.read_at
  -- The values that were requested later win, even if they were stored first.
  where known.read_at <= excluded.read_at;

  update public.templates as known set
    status = 'DELETED',
    status_since = reading_at,
    read_at = reading_at
  where known.company_id = account.company_id and known.business_account_id = account.business_account_id
    and (apply_template_sync.only_name is null or known.name = apply_template_sync.only_name)
    and known.read_at < reading_at
    and known.status <> 'DELETED';
  get diagnostics removed = row_count;

  if apply_template_sync.only_name is null then
    update public.template_catalogues set
      synced_at = reading_at,
      -- The next reads are spread over an hour, so that the accounts do not all call WhatsApp at the same time.
      sync_due_at = reading_at + interval '24 hours' - random() * interval '1 hour',
      failures = 0
    where company_id = account.company_id and business_account_id = account.business_account_id
      and (synced_at is null or synced_at <= reading_at);
    delete from public.template_rereads
    where company_id = account.company_id and business_account_id = account.business_account_id
      and tried_at < now() - interval '1 hour';
  else
    update public.template_rereads set read_at = reading_at
    where company_id = account.company_id and business_account_id = account.business_account_id
      and name = apply_template_sync.only_name
      and (read_at is null or read_at < reading_at);
  end if;
  return jsonb_build_object(
    'templates', total, 'added', counted.added, 'changed', counted.changed, 'removed', removed
  );
end
$$;
comment on function public.apply_template_sync(uuid, timestamptz, jsonb, text, text) is
  'Stores the templates that WhatsApp listed for the business account of a messaging account. The list contains all '
  'templates, or only the templates with the name only_name. The argument began_at is the database time at which the '
  'list was requested. A template that is no longer listed becomes DELETED. Returns the number of listed templates, '
  'and how many templates were added, changed and removed. With an API key, the account must belong to the key''s '
  'company, and only_name is required. Raises PT404 when the account has no business account. Raises PT409 when the '
  'account''s business account is not business_account_id.';
grant execute on function public.apply_template_sync(uuid, timestamptz, jsonb, text, text)
  to api_client, channel_client, service_role;

create trigger template_catalogues_set_updated_at before update on public.template_catalogues
  for each row execute function app.set_updated_at();
create trigger templates_set_updated_at before update on public.templates
  for each row execute function app.set_updated_at();
create trigger messaging_accounts_note_numbers_of_templates
  after insert or delete or update of business_account_id, phone_number_id, disconnected_at
  on public.messaging_accounts
  for each row execute function app.note_numbers_of_templates();

alter table public.template_catalogues enable row level security;
create policy "people read their company's template catalogues" on public.template_catalogues
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
alter table public.templates enable row level security;
create policy "a key reads its company's templates" on public.templates
  for select to api_client using (company_id = (select app.company_id('read')));
create policy "people read their company's templates" on public.templates
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
alter table public.template_rereads enable row level security;
create policy "the platform reads when templates were read again" on public.template_rereads
  for select to service_role using (true);

grant select on public.template_catalogues to authenticated, service_role;
grant select (
  id, company_id, business_account_id, phone_number_ids, channel_template_id, name, language, status, status_since,
  category, upcoming_category, quality, rejected_reason, parameter_format, components, header_format, variables,
  unsupported, media_problem, ttl_seconds, read_at, created_at, updated_at
) on public.templates to api_client, authenticated, service_role;
grant select on public.template_rereads to service_role;
