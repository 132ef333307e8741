-- Contacts are the people with whom a company communicates. A person has one contact, whatever the format of the phone
-- number.

create table public.contacts (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null default app.company_id() references public.companies on delete cascade,
  name text check (char_length(name) <= 255),
  email text check (char_length(email) <= 320),
  -- The phone number is stored as the caller sent it. POSIX character classes would also match the digits of other
  -- scripts, so the pattern uses [0-9].
  phone text check (phone ~ '^\+[1-9][0-9]{6,14}$'),
  -- An archived contact has no phone_key, so lookups and upserts need no condition to exclude archived contacts.
  phone_key text generated always as (case when archived_at is null then app.phone_key(phone) end) stored,
  temperature text not null default 'warm' check (temperature in ('cold', 'warm', 'hot')),
  tags text[] not null default '{}' check (cardinality(tags) <= 50 and array_position(tags, null) is null)
    constraint contacts_tags_fit_index check (tags = '{}' or app.longest(tags) <= 2048),
  source text not null default 'api' check (char_length(source) <= 255),
  job_title text check (char_length(job_title) <= 255),
  empresa text check (char_length(empresa) <= 255),
  -- The API's limit is 16 KiB of compact JSON. Postgres adds a space after every comma and colon, so the limit here is
  -- higher.
  custom_fields jsonb not null default '{}' check (
    jsonb_typeof(custom_fields) = 'object'
    and octet_length(custom_fields::text) <= 32768
  ),
  do_not_contact boolean not null default false,
  is_active boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- The normalized values for searches, without case and accents.
  name_words text generated always as (app.words(name)) stored,
  email_words text generated always as (app.words(email)) stored,
  empresa_words text generated always as (app.words(empresa)) stored,
  job_title_words text generated always as (app.words(job_title)) stored,
  email_key text generated always as (lower(email collate "pg_c_utf8")) stored,
  version bigint not null default app.change_now(),
  -- If WhatsApp hides a person's phone number, WhatsApp provides a business-scoped user id. So a contact may have no
  -- phone number. Keys and users cannot add a contact without a phone number, because they may not write has_identity.
  has_identity boolean not null default false,
  -- Who last set do_not_contact, and when. The source is `manual` (a member or an API key of the company) or `word`
  -- (the person sent the keyword "stop" or "start").
  do_not_contact_source text constraint contacts_do_not_contact_source_check
    check (do_not_contact_source in ('manual', 'word')),
  do_not_contact_at timestamptz,
  -- When the person last sent each keyword ("stop" or "start").
  stop_word_at timestamptz,
  start_word_at timestamptz,
  -- When the person last opted out of marketing (stopped) and last opted in again (resumed), and the source of the
  -- stop. The person can tap a template button, send a keyword, or set the preference in WhatsApp. The source `status`
  -- means that WhatsApp refused a message. The source `manual` means that a member or an API key of the company set the
  -- value.
  marketing_stopped_at timestamptz,
  marketing_stop_source text constraint contacts_marketing_stop_source_check
    check (marketing_stop_source in ('button', 'word', 'preference', 'status', 'manual')),
  marketing_resumed_at timestamptz,
  marketing_opt_out_at timestamptz generated always as (
    -- If a stop and a resume have the same time, the stop wins.
    case when marketing_resumed_at is null or marketing_stopped_at >= marketing_resumed_at
      then marketing_stopped_at end
  ) stored,
  marketing_opt_out_source text generated always as (
    case when marketing_resumed_at is null or marketing_stopped_at >= marketing_resumed_at
      then marketing_stop_source end
  ) stored,
  -- Callers write marketing_opt_out, and a trigger records the time.
  marketing_opt_out boolean not null default false
    constraint contacts_marketing_opt_out_check check (marketing_opt_out = (marketing_opt_out_at is not null)),
  -- When an inbound message adds a contact, the contact has the person's profile name until a member or a key sets a
  -- name.
  profile_name_at timestamptz,
  -- Write-only: a trigger applies the patch { custom_fields, add_tags, remove_tags } and sets this column to null.
  patch jsonb constraint contacts_patch_check check (patch is null),
  archived_at timestamptz,
  archived_phone_key text generated always as (
    case when archived_at is not null then app.phone_key(phone) end
  ) stored,
  erased_at timestamptz,
  external_id text constraint contacts_external_id_check check (char_length(external_id) between 1 and 255),
  unique (company_id, id),
  constraint contacts_one_per_phone unique (company_id, phone_key),
  constraint contacts_reachable check (phone is not null or has_identity or erased_at is not null)
);
comment on table public.contacts is
  'The people with whom a company communicates. A company has at most one contact for each phone key.';
comment on column public.contacts.email_key is
  'The e-mail address in lower case. Searches by e-mail address use this column, so they ignore case.';
comment on column public.contacts.marketing_opt_out_at is
  'When the person opted out of marketing templates. Null when the person never opted out, or opted in again.';
comment on column public.contacts.profile_name_at is
  'If the contact''s name is the person''s profile name, the time of the message with this name. Null when the company '
  'set the name.';
comment on column public.contacts.patch is
  'Changes to the custom_fields and tags. Always null in a stored row.';
comment on column public.contacts.archived_at is
  'When the contact was archived. Null when the contact is not archived. The database sets this time.';
comment on column public.contacts.phone_key is
  'The phone key of the phone number, which is the same for every format of the number. Lookups by phone use this '
  'column. Null for an archived contact and for a contact without a phone.';
comment on column public.contacts.archived_phone_key is
  'The phone_key that an archived contact had. When the contact is restored, it gets this phone_key back. Several '
  'archived contacts may have the same value.';
comment on column public.contacts.external_id is
  'The id of the contact in one of the company''s own systems. Two contacts that are not archived never have the same '
  'external_id.';
comment on column public.contacts.erased_at is
  'When the person was erased. The contact keeps its id and the values that do not identify the person.';

-- A policy compares company_id with the result of a function, so the planner does not know which company makes the
-- request. With n_distinct = 1, the planner assumes that all rows belong to one company. So the planner plans for the
-- largest company and not for an average company. With such a plan, Postgres reads a page from the index and does not
-- sort all rows.
alter table public.contacts alter column company_id set (n_distinct = 1);

-- The planner estimates from sample values how many rows contain a part of a word. With the default of 100 values, the
-- planner often expects ten times too many rows. The resulting plan reads the rows in list order and does not use the
-- index of words.
alter table public.contacts
  alter column name_words set statistics 400,
  alter column email_words set statistics 400,
  alter column empresa_words set statistics 400,
  alter column job_title_words set statistics 400;

-- A search for a common word reads the contacts in list order until it has found a page. The index contains the words,
-- so that the search reads only the index. Reading each of these contacts in the table would take several times longer.
create index contacts_newest_first_idx on public.contacts (company_id, created_at desc, id desc)
  include (name_words, email_words, phone, empresa_words, archived_at);

-- Postgres reads a contact from this index alone only if no transaction has written the contact's page since the last
-- vacuum. By default, a vacuum starts when a fifth of all contacts have changed. After 15,000 new contacts among
-- 1,000,000, a search would then take twice as long. A vacuum after inserts reads only new pages and the index of words,
-- and a vacuum after updates reads all indexes, which takes a second or two for 1,000,000 contacts.
alter table public.contacts set (
  autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0.01,
  autovacuum_vacuum_insert_threshold = 1000, autovacuum_vacuum_insert_scale_factor = 0.002
);

-- This index covers words, tags and custom fields. A single index is smaller than three indexes, and halves the cost of
-- a write. The pending list of the index is short, so that no single write or search has to process the entries of many
-- other writes.
create index contacts_found_idx on public.contacts using gin (
  company_id, tags, custom_fields jsonb_path_ops, name_words extensions.gin_trgm_ops,
  email_words extensions.gin_trgm_ops, replace(phone, '+', ' ') extensions.gin_trgm_ops,
  empresa_words extensions.gin_trgm_ops, job_title_words extensions.gin_trgm_ops
) with (gin_pending_list_limit = 512);
create index contacts_name_idx on public.contacts (company_id, name);
create index contacts_email_idx on public.contacts (company_id, email_key);
create index contacts_temperature_idx on public.contacts (company_id, temperature, created_at desc, id desc);
create index contacts_source_idx on public.contacts (company_id, source, created_at desc, id desc);
create index contacts_job_title_idx on public.contacts (company_id, job_title, created_at desc, id desc);
create index contacts_empresa_idx on public.contacts (company_id, empresa, created_at desc, id desc);

-- Few contacts are inactive or have do_not_contact set, so these partial indexes are small.
create index contacts_do_not_contact_idx on public.contacts (company_id, created_at desc, id desc)
  where do_not_contact;
create index contacts_inactive_idx on public.contacts (company_id, created_at desc, id desc)
  where not is_active;
create index contacts_by_name_idx
  on public.contacts (company_id, (left(coalesce(name_words, ''), 100) collate "C"), id);
create index contacts_by_update_idx on public.contacts (company_id, updated_at, id);
create index contacts_changes_idx on public.contacts (company_id, version, id);

-- Few contacts have opted out of marketing, so this partial index is small.
create index contacts_marketing_opt_out_idx on public.contacts (company_id, marketing_opt_out_at)
  where marketing_opt_out_at is not null;

-- Lists exclude archived records. After a mistaken import, there may be many archived records. With an index of all
-- records, a list would first have to skip the archived records.
create index contacts_not_archived_idx on public.contacts (company_id, created_at desc, id desc)
  where archived_at is null;
create index contacts_not_archived_by_update_idx on public.contacts (company_id, updated_at, id)
  where archived_at is null;
create index contacts_archived_idx on public.contacts (company_id, created_at desc, id desc)
  where archived_at is not null;
create index contacts_archived_phone_idx on public.contacts (company_id, archived_phone_key)
  where archived_phone_key is not null;

-- An archived contact keeps its external_id, but another contact may get the same external_id later. So the index
-- distinguishes archived contacts by their ids.
create unique index contacts_one_per_external_id on public.contacts
  (company_id, external_id, (case when archived_at is not null then id end)) nulls not distinct
  where external_id is not null;

create function app.note_own_name() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if new.profile_name_at is not distinct from old.profile_name_at then
    new.profile_name_at := null;
  end if;
  return new;
end
$$;
comment on function app.note_own_name() is
  'Trigger: sets profile_name_at to null when a statement writes a name without profile_name_at. Such a statement '
  'comes from the company, so the name is no longer the person''s profile name.';

create function app.changed_tags(known text[], added jsonb, removed jsonb) returns text[]
language plpgsql immutable
set search_path = ''
as $$
begin
  return array(
    select tag
    from (
      select tag, place from unnest(known) with ordinality as kept (tag, place)
      where not coalesce(removed ? tag, false)
      union all
      select tag, 1000000 + place from jsonb_array_elements_text(coalesce(added, '[]')) with ordinality as given (tag, place)
    ) as tagged
    group by tag order by min(place)
  );
end
$$;
comment on function app.changed_tags(text[], jsonb, jsonb) is
  'Returns the tags without the removed tags, followed by the added tags. Each tag occurs once.';
grant execute on function app.changed_tags(text[], jsonb, jsonb) to api_client;

create function app.apply_patch() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if new.patch ? 'custom_fields' then
    new.custom_fields := app.merge_json(new.custom_fields, new.patch -> 'custom_fields');
  end if;
  if new.patch ?| '{add_tags,remove_tags}' then
    new.tags := app.changed_tags(new.tags, new.patch -> 'add_tags', new.patch -> 'remove_tags');
  end if;
  new.patch := null;
  -- Compact JSON is never longer than Postgres JSON, so measuring the Postgres JSON is enough for most rows. A merge
  -- can make a row larger than the limit. A write that makes such a row smaller is allowed, even if the row is still
  -- too large afterwards.
  if octet_length(new.custom_fields::text) > 16384
    and app.compact_json_bytes(new.custom_fields)
      > greatest(16384, app.compact_json_bytes(old.custom_fields)) then
    raise check_violation using
      message = 'new row for relation "contacts" violates check constraint "contacts_custom_fields_check"',
      constraint = 'contacts_custom_fields_check';
  end if;
  return new;
end
$$;
comment on function app.apply_patch() is
  'Trigger: merges the custom_fields of the patch into the stored custom_fields (RFC 7396), adds and removes tags, and '
  'sets the patch to null. So if two patches change different keys or tags at the same time, neither patch is lost. '
  'Raises a violation of contacts_custom_fields_check when the custom fields grow beyond the API''s limit of 16 KiB.';

create function app.contact_json(contact public.contacts) returns json
-- This function uses PL/pgSQL, so that calls for many rows cost little. The result is json, because building jsonb
-- takes three times as long.
language plpgsql stable
set search_path = ''
as $$
begin
  return json_build_object(
    'id', contact.id,
    'company_id', contact.company_id,
    'external_id', contact.external_id,
    'name', contact.name,
    'email', contact.email,
    'phone', contact.phone,
    'temperature', contact.temperature,
    'tags', contact.tags,
    'source', contact.source,
    'job_title', contact.job_title,
    'empresa', contact.empresa,
    'custom_fields', contact.custom_fields,
    'do_not_contact', contact.do_not_contact,
    'do_not_contact_source', contact.do_not_contact_source,
    'do_not_contact_at', contact.do_not_contact_at,
    'marketing_opt_out', contact.marketing_opt_out,
    'marketing_opt_out_source', contact.marketing_opt_out_source,
    'marketing_opt_out_at', contact.marketing_opt_out_at,
    'is_active', contact.is_active,
    'archived_at', contact.archived_at,
    'erased_at', contact.erased_at,
    'created_at', contact.created_at,
    'updated_at', contact.updated_at,
    'version', contact.version::text
  );
end
$$;
comment on function app.contact_json(public.contacts) is
  'Returns a contact in the format of the API, with the same values as the view own_contacts. The order of the fields '
  'may differ.';

create function app.survivor_of(own_company_id uuid, merged_id uuid) returns uuid
-- This function is volatile and uses PL/pgSQL, so that it sees a merge that was committed while the calling statement
-- waited.
language plpgsql volatile
set search_path = ''
as $$
begin
  return (
    select contacts.id from public.deleted_rows as gone
    join public.contacts on contacts.company_id = gone.company_id and contacts.id = gone.merged_into
    where gone.company_id = own_company_id and gone.resource = 'contacts' and gone.id = merged_id
  );
end
$$;
comment on function app.survivor_of(uuid, uuid) is
  'Returns the contact into which the contact merged_id was merged. Returns null when that contact was not merged.';

create function public.survivor_of_contact(id uuid) returns uuid
-- Security definer, because a write token cannot read tombstones.
language plpgsql security definer
set search_path = ''
as $$
begin
  return app.survivor_of(
    app.company_id(case when auth.jwt() ->> 'scope' = 'write' then 'write' else 'read' end), survivor_of_contact.id
  );
end
$$;
comment on function public.survivor_of_contact(uuid) is
  'Returns the contact of the key''s company into which the given contact was merged. Returns null when the contact '
  'was not merged. Needs a read or a write token. Raises PT401 and PT403 as app.company_id() does.';
grant execute on function public.survivor_of_contact(uuid) to api_client;

create trigger contacts_note_written before insert or update on public.contacts
  for each statement execute function app.note_written_table();
create trigger contacts_note_no_longer_written after insert or update on public.contacts
  for each statement execute function app.note_written_table();
create trigger contacts_note_change before update on public.contacts
  for each row execute function app.note_change();
create trigger contacts_note_deletion after delete on public.contacts
  referencing old table as deleted for each statement execute function app.note_deletion();
create trigger contacts_note_own_name before update of name on public.contacts
  for each row when (new.name is distinct from old.name) execute function app.note_own_name();
create trigger contacts_apply_patch before update of patch on public.contacts
  for each row when (new.patch is not null) execute function app.apply_patch();

alter table public.contacts enable row level security;
create policy "a key reads its company's contacts" on public.contacts
  for select to api_client using (company_id = (select app.company_id_to_read('contacts')));
create policy "a key changes its company's contacts" on public.contacts
  for update to api_client
  using (company_id = (select app.company_id('write')))
  with check (company_id = (select app.company_id('write')));
create policy "people read their company's contacts" on public.contacts
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "people add contacts to their company" on public.contacts
  for insert to authenticated with check (company_id = any ((select app.member_company_ids())::uuid[]));
create policy "people change their company's contacts" on public.contacts
  for update to authenticated
  using (company_id = any ((select app.member_company_ids())::uuid[]))
  with check (company_id = any ((select app.member_company_ids())::uuid[]));

-- A key may read all columns, so an update can return whole rows. A key can add contacts only through functions.
grant select on public.contacts to api_client;
grant update (
  external_id, name, email, phone, temperature, tags, source, job_title, empresa, custom_fields, do_not_contact,
  marketing_opt_out, is_active, version, patch
) on public.contacts to api_client;
grant select on public.contacts to authenticated;
grant insert (
  company_id, external_id, name, email, phone, temperature, tags, source, job_title, empresa, custom_fields,
  do_not_contact, marketing_opt_out, is_active
) on public.contacts to authenticated;
grant update (
  external_id, name, email, phone, temperature, tags, source, job_title, empresa, custom_fields, do_not_contact,
  marketing_opt_out, is_active, archived_at
) on public.contacts to authenticated;
grant select, insert, update, delete on public.contacts to service_role;

-- The columns of a change in the change feed, in the order of the API.
select app.make_feed('contact_changes', 'contacts', '
  id, company_id, external_id, name, email, phone, temperature, tags, source, job_title, empresa, custom_fields,
  do_not_contact, do_not_contact_source, do_not_contact_at, marketing_opt_out, marketing_opt_out_source,
  marketing_opt_out_at, is_active, archived_at, erased_at, created_at, updated_at
');
