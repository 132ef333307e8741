-- The channel tells when a template changes. Such an event is a hint: the template is read again before the next send
-- and with the whole list within a minute, and what is read is the truth. Until then the stored template shows what the
-- event said, because a send may come first.

create table public.template_hints (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  business_account_id text not null,
  name text not null check (char_length(name) between 1 and 512),
  language text not null check (char_length(language) between 1 and 64),
  kind text not null check (kind in ('status', 'quality', 'category', 'components')),
  -- The columns of the template that the event names; empty when it names none.
  value jsonb not null check (jsonb_typeof(value) = 'object'),
  -- By the channel's clock, in whole seconds.
  happened_at timestamptz not null check (happened_at >= '2000-01-01Z'),
  told_at timestamptz not null default now(),
  unique (company_id, id),
  constraint template_hints_newest unique (company_id, business_account_id, name, language, kind),
  constraint template_hints_catalogue_fkey foreign key (company_id, business_account_id)
    references public.template_catalogues (company_id, business_account_id) on delete cascade
);
comment on table public.template_hints is
  'What the channel last told of templates, of each kind the newest; forgotten after the next whole reading.';

alter table public.template_hints enable row level security;
create policy "the platform reads what the channel told of templates" on public.template_hints
  for select to service_role using (true);
grant select on public.template_hints to service_role;

create function app.hinted_columns(kind text, value jsonb) returns jsonb
language plpgsql immutable
set search_path = ''
as $$
declare
  -- What is no word of the channel's is not shown.
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
      -- Of the other events, such as FLAGGED, nobody knows the status that the list has.
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
      -- An event before the change names the coming category too, and calls the present one new.
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
  'The columns of a template that an event of the channel names, by the kind of the event; empty when it names none '
  'that are known.';

create function app.apply_template_hint(account_ids uuid[], item jsonb) returns text
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  told_name constant text := item ->> 'name';
  told_language constant text := replace(item ->> 'language', '-', '_');
  told_kind constant text := item ->> 'event';
  -- Now, when the event has no time.
  happened constant timestamptz := least((item ->> 'at')::timestamptz, now());
  told_value constant jsonb := app.hinted_columns(told_kind, item -> 'value');
  catalogue record;
begin
  for catalogue in
    -- In one order, and before its templates, as a reading locks them.
    select catalogues.id, catalogues.company_id, catalogues.business_account_id, catalogues.synced_at
    from public.template_catalogues as catalogues
    where (catalogues.company_id, catalogues.business_account_id) in (
      select accounts.company_id, accounts.business_account_id from public.messaging_accounts as accounts
      where accounts.id = any (account_ids) and accounts.business_account_id = item ->> 'waba'
    )
    order by catalogues.company_id
    for no key update
  loop
    -- Without a catalogue, a reading is due anyway, and no send is judged.
    continue when catalogue.synced_at is null;
    -- A reading that fails is tried again after a pause, which no hint makes shorter.
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
    -- Events of the same second are in any order, so it is always the same one that counts.
    where (excluded.happened_at, excluded.value) > (hints.happened_at, hints.value);
    continue when not found;
    -- The trigger shows what was told.
    update public.templates as templates set read_at = templates.read_at
    where templates.company_id = catalogue.company_id
      and templates.business_account_id = catalogue.business_account_id
      and templates.name = told_name and templates.language = told_language
      and templates.read_at < happened + interval '1 second' and told_value <> '{}';
    -- The name may be asked for again at once.
    update public.template_rereads as rereads set tried_at = now() - interval '61 seconds'
    where rereads.company_id = catalogue.company_id
      and rereads.business_account_id = catalogue.business_account_id
      and rereads.name = told_name and rereads.tried_at > now() - interval '61 seconds';
  end loop;
  return 'done';
end
$$;
comment on function app.apply_template_hint(uuid[], jsonb) is
  'Applies an event of the channel about a template (an item of kind template) to the catalogues of these accounts: '
  'the list is due to be read, the next send of the template reads it again first, and until then it shows what was '
  'told, unless it was read since. An item without a language only makes the list due.';

create function app.show_hints() returns trigger
-- No role may read the hints.
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
      -- A reading that began in the second of the event may not have known of it.
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
  'Trigger: a template shows what the channel told of it after the reading that is stored began.';
create trigger templates_show_hints before insert or update of read_at on public.templates
  for each row execute function app.show_hints();

create function app.forget_hints() returns trigger
language plpgsql security definer -- as app.show_hints()
set search_path = ''
as $$
begin
  delete from public.template_hints as hints
  where hints.company_id = new.company_id and hints.business_account_id = new.business_account_id
    and hints.told_at <= new.synced_at;
  -- What was told while the list was read may be missing in it.
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
  'Trigger: a whole reading makes the hints from before it needless; with later ones, the next reading is due.';
create trigger template_catalogues_forget_hints before update of synced_at on public.template_catalogues
  for each row execute function app.forget_hints();

create or replace function app.judge_template(
  own_company_id uuid,
  of_business_account_id text,
  by_name text,
  in_language text,
  media_type text,
  header_variables text[],
  body_variables text[],
  button_variables text[],
  preflight text,
  -- go, refused, or reread: what is stored is known to be out of date, or speaks against the send and may be
  out verdict text,
  out faults jsonb,
  -- null when it is not known
  out template public.templates
)
language plpgsql stable
set search_path = ''
as $$
declare
  known record;
  reread record;
  languages text[];
  -- Since when the channel has told of a change that what is stored may lack.
  hinted_at timestamptz;
  is_fresh boolean;
  may_reread boolean;
begin
  verdict := 'go';
  if preflight = 'off' then
    return;
  end if;
  select templates as template,
    -- No send depends on the quality.
    (
      select max(hints.told_at) from public.template_hints as hints
      where hints.company_id = own_company_id and hints.business_account_id = of_business_account_id
        and hints.name = by_name and hints.language = in_language and hints.kind <> 'quality'
    ) as hinted_at
  into known
  from public.template_catalogues as catalogues
  left join public.templates on templates.company_id = catalogues.company_id
    and templates.business_account_id = catalogues.business_account_id
    and templates.name = by_name and templates.language = in_language and templates.status <> 'DELETED'
  where catalogues.company_id = own_company_id and catalogues.business_account_id = of_business_account_id
    and catalogues.synced_at is not null;
  if not found then
    return; -- there is no catalogue
  end if;
  template := known.template;
  hinted_at := known.hinted_at;
  if template.id is not null then
    faults := app.template_faults(template, media_type, header_variables, body_variables, button_variables);
    if hinted_at <= template.read_at then
      hinted_at := null;
    end if;
    if faults = '[]' and hinted_at is null then
      return;
    end if;
  end if;
  select tried_at, read_at into reread from public.template_rereads as rereads
  where rereads.company_id = own_company_id and rereads.business_account_id = of_business_account_id
    and rereads.name = by_name;
  if template.id is not null then
    is_fresh := template.read_at > now() - interval '10 minutes';
  else
    languages := array(
      select templates.language from public.templates
      where templates.company_id = own_company_id and templates.business_account_id = of_business_account_id
        and templates.name = by_name and templates.status <> 'DELETED'
      order by 1
    );
    faults := case when languages = '{}'
      then jsonb_build_array(jsonb_build_object('field', 'template_name', 'fault', 'unknown'))
      else jsonb_build_array(
        jsonb_build_object('field', 'language_code', 'fault', 'language', 'languages', languages)
      )
    end;
    -- A template that is made now can be sent a minute later.
    is_fresh := reread.read_at > now() - interval '1 minute';
    if hinted_at <= reread.read_at then
      hinted_at := null;
    end if;
  end if;

  if is_fresh and hinted_at is null then
    verdict := 'refused';
    return;
  end if;
  may_reread := preflight = 'first' and (
    -- Not read again within the last minute; or another request is reading it now.
    reread.tried_at is null or reread.tried_at <= now() - interval '1 minute'
    or (reread.tried_at > now() - interval '15 seconds' and coalesce(reread.read_at < reread.tried_at, true))
  ) and (
    -- A caller who tries many names must not use up what the account may ask of the channel.
    select count(*) < 20 from public.template_rereads as rereads
    where rereads.company_id = own_company_id and rereads.business_account_id = of_business_account_id
      and rereads.tried_at > now() - interval '1 minute'
  );
  if may_reread then
    verdict := 'reread';
  elsif hinted_at is not null and exists (
    -- It cannot be read now, and the channel has just told that it does not take it. Of the rest of the faults, nobody
    -- knows whether they still are.
    select from public.template_hints as hints
    where hints.company_id = own_company_id and hints.business_account_id = of_business_account_id
      and hints.name = by_name and hints.language = in_language and hints.kind = 'status'
      and hints.value ->> 'status' <> 'APPROVED' and hints.happened_at > now() - interval '10 minutes'
      and least(hints.happened_at + interval '1 second', hints.told_at)
        > coalesce(template.read_at, reread.read_at, '-infinity')
  ) then
    verdict := 'refused';
    faults := jsonb_path_query_array(
      faults, '$[*] ? (@.field == "template_name" || @.field == "language_code")'
    );
  end if;
end
$$;
comment on function app.judge_template(uuid, text, text, text, text, text[], text[], text[], text) is
  'Whether a send can go on by what is stored of the channel''s templates. It is refused only for what was read, or '
  'told by the channel, within the last ten minutes. What is older and speaks against the send, and what the channel '
  'has told of since, is read again first, at most once in a minute; if that is not possible, the send goes on, and '
  'the channel decides. preflight is off (no judgement), first, or last (the template has been read again, or could '
  'not be).';
