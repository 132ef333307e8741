-- The message templates of a company's business accounts, as the channel last listed them.

create table public.template_catalogues (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  -- The channel's id of the business account. Two companies may share one; each has its own catalogue of it.
  business_account_id text not null check (business_account_id ~ '^[0-9]{1,32}$'),
  -- The beginning of the last synchronisation that was applied. Null: there is no catalogue yet.
  synced_at timestamptz,
  sync_due_at timestamptz not null default now(),
  -- How many synchronisations in a row have failed; each failure makes the pause until the next one longer.
  failures integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  constraint template_catalogues_one_per_business_account unique (company_id, business_account_id)
);
comment on table public.template_catalogues is
  'The business accounts of a company at the channel, and when the templates of each were last read.';

create trigger template_catalogues_set_updated_at before update on public.template_catalogues
  for each row execute function app.set_updated_at();

alter table public.template_catalogues enable row level security;
create policy "people read their company's template catalogues" on public.template_catalogues
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
grant select on public.template_catalogues to authenticated, service_role;

create table public.templates (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  business_account_id text not null,
  -- The connected accounts of this business account, which can send the template. Triggers keep it.
  phone_number_ids text[] not null default '{}',
  -- The channel's id of the template.
  channel_template_id text check (char_length(channel_template_id) between 1 and 64),
  name text not null check (char_length(name) between 1 and 512),
  language text not null check (char_length(language) between 1 and 64),
  -- The channel's words in upper case. DELETED: it is no longer listed.
  status text not null check (char_length(status) between 1 and 64),
  -- The beginning of the reading that first found this status.
  status_since timestamptz not null,
  category text check (char_length(category) between 1 and 64),
  -- The category that the channel has announced for the template.
  upcoming_category text check (char_length(upcoming_category) between 1 and 64),
  quality text check (char_length(quality) between 1 and 64),
  rejected_reason text check (char_length(rejected_reason) between 1 and 255),
  parameter_format text not null check (parameter_format in ('POSITIONAL', 'NAMED')),
  -- As the channel lists them, without signed addresses.
  components jsonb not null check (jsonb_typeof(components) = 'array'),
  -- Null when the template has no header.
  header_format text check (char_length(header_format) between 1 and 64),
  -- The variables that a send fills, in its order: { header: [{ name, example }], body: [{ name, example }],
  -- buttons: [{ index, kind, text, example }] }.
  variables jsonb not null check (
    -- Compared so that a member that is missing does not pass.
    (jsonb_typeof(variables -> 'header'), jsonb_typeof(variables -> 'body'), jsonb_typeof(variables -> 'buttons'))
      is not distinct from ('array', 'array', 'array')
  ),
  -- The text in pieces: { header, body: [piece], footer: text, buttons: [text] }. A piece is a text, or the
  -- number of a variable of its component, from 0.
  rendering jsonb not null check (
    jsonb_typeof(rendering -> 'buttons') is not distinct from 'array'
    and coalesce(jsonb_typeof(rendering -> 'header'), 'null') in ('array', 'null')
    and coalesce(jsonb_typeof(rendering -> 'body'), 'null') in ('array', 'null')
    and coalesce(jsonb_typeof(rendering -> 'footer'), 'null') in ('string', 'null')
  ),
  -- The button that repeats the code of an authentication template.
  otp_button integer check (otp_button >= 0),
  -- What the template has that this service cannot send, such as CAROUSEL.
  unsupported text[] not null default '{}',
  -- The sample of a media header: a signed address, and without its query what stays the same.
  sample_url text check (char_length(sample_url) between 1 and 4096),
  sample_source text generated always as (split_part(sample_url, '?', 1)) stored,
  -- Why the media of the header is not at the channel; null when it is, or has not been tried yet.
  media_problem text check (char_length(media_problem) between 1 and 1000),
  -- How long the channel tries to deliver a message of the template.
  ttl_seconds integer,
  -- The beginning of the reading that is stored here.
  read_at timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  constraint templates_one_per_name_and_language unique (company_id, business_account_id, name, language),
  constraint templates_catalogue_fkey foreign key (company_id, business_account_id)
    references public.template_catalogues (company_id, business_account_id) on delete cascade
);
comment on table public.templates is
  'The message templates of a company''s business accounts, as the channel last listed them.';

create index templates_by_name_idx on public.templates (company_id, name, language, id);
alter table public.templates alter column company_id set (n_distinct = 1); -- see conversations

create trigger templates_set_updated_at before update on public.templates
  for each row execute function app.set_updated_at();

alter table public.templates enable row level security;
create policy "a key reads its company's templates" on public.templates
  for select to api_client using (company_id = (select app.company_id('read')));
create policy "people read their company's templates" on public.templates
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
-- A signed address opens the sample for whoever has it, so no role reads it.
grant select (
  id, company_id, business_account_id, phone_number_ids, channel_template_id, name, language, status, status_since,
  category, upcoming_category, quality, rejected_reason, parameter_format, components, header_format, variables,
  unsupported, media_problem, ttl_seconds, read_at, created_at, updated_at
) on public.templates to api_client, authenticated, service_role;

create function app.connected_numbers(of_company_id uuid, of_business_account_id text) returns text[]
language sql stable
set search_path = ''
as $$
  select coalesce(array_agg(phone_number_id order by phone_number_id), '{}')
  from public.messaging_accounts
  where company_id = of_company_id and business_account_id = of_business_account_id and disconnected_at is null
$$;
comment on function app.connected_numbers(uuid, text) is
  'The phone_number_id of each connected account of a company in one business account.';

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
    -- Waits for a reading that is being stored, whose templates this transaction would not see. A later one
    -- waits for this transaction, and then sees the account.
    perform from public.template_catalogues
    where company_id = changed.company_id and business_account_id = changed.business_account_id
    for no key update;
    numbers := app.connected_numbers(changed.company_id, changed.business_account_id);
    update public.templates set phone_number_ids = numbers
    where company_id = changed.company_id and business_account_id = changed.business_account_id
      and phone_number_ids <> numbers;
  end loop;
  return null;
end
$$;
comment on function app.note_numbers_of_templates() is
  'Trigger: the templates of a business account show the accounts that can send them.';

create trigger messaging_accounts_note_numbers_of_templates
  after insert or delete or update of business_account_id, phone_number_id, disconnected_at
  on public.messaging_accounts
  for each row execute function app.note_numbers_of_templates();
