-- Hints are events in which WhatsApp reports that a template has changed. After a hint, the template is read again
-- before its next send, and the whole list is read within a minute. Until then, the stored template has the values from
-- the event. The next read replaces these values with the values from WhatsApp's list.

create table public.template_hints (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  business_account_id text not null,
  name text not null check (char_length(name) between 1 and 512),
  language text not null check (char_length(language) between 1 and 64),
  kind text not null check (kind in ('status', 'quality', 'category', 'components')),
  -- The template columns that the event changes, with their new values. An empty object when there are none.
  value jsonb not null check (jsonb_typeof(value) = 'object'),
  -- The time that WhatsApp reported, in whole seconds.
  happened_at timestamptz not null check (happened_at >= '2000-01-01Z'),
  told_at timestamptz not null default now(),
  unique (company_id, id),
  constraint template_hints_newest unique (company_id, business_account_id, name, language, kind),
  constraint template_hints_catalogue_fkey foreign key (company_id, business_account_id)
    references public.template_catalogues (company_id, business_account_id) on delete cascade
);
comment on table public.template_hints is
  'The hints about templates: the newest hint of each kind. A hint is deleted after the whole list has been read '
  'again.';

create function app.hinted_columns(kind text, value jsonb) returns jsonb
language plpgsql immutable
set search_path = ''
as $$
declare
  -- The function ignores a string that does not have the format of a WhatsApp value.
  word constant text := '^[A-Z][A-Z_]{0,63}$';
  status text;
  quality text;
  category text;
  upcoming text;
begin
  case kind
    when 'status' then
      status := upper(value ->> 'event');
      status := case status when 'REINSTATED' then 'APPROVED' else status end;
      -- Other events, such as FLAGGED, do not contain the status that WhatsApp's template list will show.
      if status in (
        'APPROVED', 'ARCHIVED', 'DELETED', 'DISABLED', 'IN_APPEAL', 'LIMIT_EXCEEDED', 'PAUSED', 'PENDING',
        'PENDING_DELETION', 'REJECTED'
      ) then
        return jsonb_build_object('status', status, 'rejected_reason', case
          when status = 'REJECTED' and upper(value ->> 'reason') ~ word and upper(value ->> 'reason') <> 'NONE'
            then upper(value ->> 'reason')
        end);
      end if;
    when 'quality' then
      quality := upper(value ->> 'new_quality_score');
      if quality ~ word then
        return jsonb_build_object('quality', quality);
      end if;
    when 'category' then
      category := upper(value ->> 'new_category');
      -- An event that announces a future change contains the current category as new_category, and the future category
      -- as correct_category.
      upcoming := upper(value ->> 'correct_category');
      if category ~ word and (upcoming is null or upcoming ~ word) then
        return jsonb_build_object('category', category, 'upcoming_category', nullif(upcoming, category));
      end if;
    else null;
  end case;
  return '{}';
end
$$;
comment on function app.hinted_columns(text, jsonb) is
  'Returns the template columns that a WhatsApp event changes, with their new values. The columns depend on the kind '
  'of event. Returns an empty object when the event changes none of these columns.';

create function app.apply_template_hint(account_ids uuid[], item jsonb) returns text
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  told_name constant text := item ->> 'name';
  told_language constant text := replace(item ->> 'language', '-', '_');
  told_kind constant text := item ->> 'event';
  -- An event without a time gets the current time.
  happened constant timestamptz := least((item ->> 'at')::timestamptz, now());
  told_value constant jsonb := app.hinted_columns(told_kind, item -> 'value');
  catalogue record;
begin
  for catalogue in
    -- The catalogues are always locked in the same order, and each catalogue is locked before its templates.
    select catalogues.id, catalogues.company_id, catalogues.business_account_id
    from public.template_catalogues as catalogues
    where (catalogues.company_id, catalogues.business_account_id) in (
      select accounts.company_id, accounts.business_account_id from public.messaging_accounts as accounts
      where accounts.id = any (account_ids) and accounts.business_account_id = item ->> 'waba'
    )
    order by catalogues.company_id
    for no key update
  loop
    -- If the last attempt to read the list failed, a hint does not shorten the pause before the next attempt.
    update public.template_catalogues set sync_due_at = now()
    where id = catalogue.id and failures = 0 and sync_due_at > now();
    continue when told_name is null or told_language is null;

    insert into public.template_hints as hints (
      company_id, business_account_id, name, language, kind, value, happened_at
    )
    values (
      catalogue.company_id, catalogue.business_account_id, told_name, told_language, told_kind, told_value, happened
    )
    on conflict on constraint template_hints_newest do update set
      value = excluded.value,
      happened_at = excluded.happened_at,
      told_at = excluded.told_at
    -- WhatsApp reports times in whole seconds, so two events may have the same time. With this condition, the result is
    -- the same in whichever order the two events arrive.
    where (excluded.happened_at, excluded.value) > (hints.happened_at, hints.value);
    continue when not found;
    -- This update fires the trigger that applies the hint.
    update public.templates as templates set read_at = templates.read_at
    where templates.company_id = catalogue.company_id
      and templates.business_account_id = catalogue.business_account_id
      and templates.name = told_name and templates.language = told_language
      and templates.read_at < happened + interval '1 second' and told_value <> '{}';
    -- With this value of tried_at, the templates with this name may be read again immediately.
    update public.template_rereads as rereads set tried_at = now() - interval '61 seconds'
    where rereads.company_id = catalogue.company_id
      and rereads.business_account_id = catalogue.business_account_id
      and rereads.name = told_name and rereads.tried_at > now() - interval '61 seconds';
  end loop;
  return 'done';
end
$$;
comment on function app.apply_template_hint(uuid[], jsonb) is
  'Applies a WhatsApp event about a template (an item of kind `template`) to the catalogues of these accounts. The '
  'whole list becomes due to be read, and the next send of the template first reads the template again. Until then, '
  'the template has the values of the event. But a template that was read after the event does not change. An item '
  'without a name or a language only makes the list due.';

create function app.show_hints() returns trigger
-- Security definer, because only service_role may read the hints.
language plpgsql security definer
set search_path = ''
as $$
declare
  hint record;
begin
  for hint in
    select value, happened_at from public.template_hints as hints
    where hints.company_id = new.company_id and hints.business_account_id = new.business_account_id
      and hints.name = new.name and hints.language = new.language
      and hints.value <> '{}'
      -- If the read began in the same second as the event, the read may have missed the change.
      and least(hints.happened_at + interval '1 second', hints.told_at) > new.read_at
  loop
    if hint.value ? 'status' and hint.value ->> 'status' <> new.status then
      new.status_since := hint.happened_at;
    end if;
    new := jsonb_populate_record(new, hint.value);
  end loop;
  return new;
end
$$;
comment on function app.show_hints() is
  'Trigger: sets the values of a template that WhatsApp reported after the last read of the template began.';

create function app.forget_hints() returns trigger
language plpgsql security definer -- see app.show_hints()
set search_path = ''
as $$
begin
  delete from public.template_hints as hints
  where hints.company_id = new.company_id and hints.business_account_id = new.business_account_id
    and hints.told_at <= new.synced_at;
  -- The list may lack a change that WhatsApp reported while the list was being read.
  if exists (
    select from public.template_hints as hints
    where hints.company_id = new.company_id and hints.business_account_id = new.business_account_id
  ) then
    new.sync_due_at := least(new.sync_due_at, now());
  end if;
  return new;
end
$$;
comment on function app.forget_hints() is
  'Trigger: when the whole list has been read, deletes the hints that are older than the list. If newer hints remain, '
  'the list is due again.';

create trigger templates_show_hints before insert or update of read_at on public.templates
  for each row execute function app.show_hints();
create trigger template_catalogues_forget_hints before update of synced_at on public.template_catalogues
  for each row execute function app.forget_hints();

alter table public.template_hints enable row level security;
create policy "the platform reads the channel's hints about templates" on public.template_hints
  for select to service_role using (true);

grant select on public.template_hints to service_role;
