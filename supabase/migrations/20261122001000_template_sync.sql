-- A reading of the channel's list of templates is stored whole or not at all.

-- When the templates of a name were last asked for because a send did not fit what is stored; see
-- claim_template_send().
create table public.template_rereads (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  business_account_id text not null,
  name text not null check (char_length(name) between 1 and 512),
  tried_at timestamptz not null default now(),
  -- The beginning of the last reading of this name that was stored.
  read_at timestamptz,
  unique (company_id, id),
  constraint template_rereads_one_per_name unique (company_id, business_account_id, name),
  constraint template_rereads_catalogue_fkey foreign key (company_id, business_account_id)
    references public.template_catalogues (company_id, business_account_id) on delete cascade
);
comment on table public.template_rereads is
  'When the templates of a name were last read again for a send; forgotten after an hour.';
create index template_rereads_lately_idx
  on public.template_rereads (company_id, business_account_id, tried_at);
alter table public.template_rereads enable row level security;
create policy "the platform reads when templates were read again" on public.template_rereads
  for select to service_role using (true);
grant select on public.template_rereads to service_role;

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
  -- Null for a role that carries no key, which may write for every company.
  own_company_id constant uuid := app.company_id('messaging');
  -- A time to come would keep out every reading that follows.
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
    raise sqlstate 'PT422' using message = 'A reading has an array of templates and the time of its beginning';
  end if;
  if own_company_id is not null and apply_template_sync.only_name is null then
    raise sqlstate 'PT422' using message = 'A key stores the templates of one name only';
  end if;
  select company_id, business_account_id into account from public.messaging_accounts
  where id = apply_template_sync.account_id
    and (own_company_id is null or company_id = own_company_id)
    and business_account_id is not null;
  if not found then
    raise sqlstate 'PT404' using message = 'No account with a business account has this id';
  end if;
  -- The account may have moved since the reading began. Its templates are not those of its new business account.
  if account.business_account_id <> apply_template_sync.business_account_id then
    raise sqlstate 'PT409' using message = 'The account belongs to another business account than the one that was read';
  end if;

  insert into public.template_catalogues (company_id, business_account_id)
  values (account.company_id, account.business_account_id)
  on conflict do nothing;
  -- One reading at a time. Claims, which refer to the row, go on.
  select catalogues.synced_at into last_synced_at from public.template_catalogues as catalogues
  where company_id = account.company_id and business_account_id = account.business_account_id
  for no key update;
  -- Asked for after that lock; see app.note_numbers_of_templates().
  numbers := app.connected_numbers(account.company_id, account.business_account_id);

  listed := array(
    -- The channel lists each of them once; should it not, the one that can be sent counts.
    select distinct on (entry.name, entry.language) entry
    from jsonb_populate_recordset(null::public.templates, apply_template_sync.templates) as entry
    where apply_template_sync.only_name is null or entry.name = apply_template_sync.only_name
    order by entry.name, entry.language, entry.status = 'APPROVED' desc
  );
  total := cardinality(listed);

  -- What a reading that began later did not list is gone, also where no row says so.
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
  -- In one order, so that two statements that write several templates do not wait for each other.
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
  -- A reading that began later is newer, whichever is stored first.
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
      -- Spread over an hour, so that not all accounts ask the channel at the same time.
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
  'Stores a reading of the channel''s list for the business account of an account: all templates, or those of '
  'only_name. began_at is the database''s time at its beginning. A template that is no longer listed becomes DELETED. '
  'Returns how many templates the reading has and how many of them it added, changed and removed. With an API key: '
  'only for the key''s company, and only one name. Raises PT404 when the account has no business account, and PT409 '
  'when it has another one than business_account_id, if that is given.';
grant execute on function public.apply_template_sync(uuid, timestamptz, jsonb, text, text)
  to api_client, channel_client, service_role;
