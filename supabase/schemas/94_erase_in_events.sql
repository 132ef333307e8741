-- Functions that remove an erased person from events. The data about other people in an event remains, because the
-- event may not have been applied yet.

create function app.is_about(part jsonb, people jsonb, is_report boolean default false) returns boolean
language plpgsql immutable
set search_path = ''
as $$
declare
  named constant text[] := app.author_names(part);
begin
  return people ?| named and exists (
    select from unnest(named) as name
    where people ? name and (
      coalesce(substring(part ->> 'timestamp' from '^[0-9]{1,12}$')::bigint, 0) <= (people #>> array[name, 'until'])::bigint
      -- A delivery report does not mean that the person is back.
      or is_report and not (people #> array[name, 'is_back'])::boolean
    )
  );
end
$$;
comment on function app.is_about(jsonb, jsonb, boolean) is
  'Checks whether a part of an event belongs to one of these erased people, { name: { until, is_back } }. A part '
  'belongs to the person only if its time is not later than `until`. A report about a message also belongs to the '
  'person if its time is later, unless `is_back` is true.';

create function app.is_of_another(
  own_company_id uuid, app_id uuid, number_id text, part jsonb, is_report boolean default false
) returns boolean
language plpgsql stable
set search_path = ''
as $$
declare
  other_ids constant uuid[] := array(
    select id from public.messaging_accounts
    where id = any (app.accounts_of_app(app_id, number_id, null)) and company_id <> own_company_id
  );
  other_companies constant uuid[] := array(select company_id from public.messaging_accounts where id = any (other_ids));
begin
  if other_ids = '{}' then
    return false;
  elsif is_report then
    -- A report may arrive long after the number has moved, so only its message determines the company.
    return app.send_of_mark(other_ids, jsonb_build_object(
      'send_id', split_part(part ->> 'biz_opaque_callback_data', '.', 1)
    )) is not null or exists (
      select from public.messages where company_id = any (other_companies) and whatsapp_message_id = part ->> 'id'
    ) or exists (
      select from public.messages where company_id = any (other_companies) and own_reaction_whatsapp_id = part ->> 'id'
    );
  end if;
  -- If no company had the number at that time, the message may belong to any company that had the number later.
  return coalesce(part ->> 'timestamp' ~ '^[0-9]{1,12}$', false) and exists (
    select from public.account_connections
    where company_id = any (other_companies) and account_id = any (other_ids)
      and tstzrange(connected_at, disconnected_at) @> least(to_timestamp((part ->> 'timestamp')::bigint), now())
  );
end
$$;
comment on function app.is_of_another(uuid, uuid, text, jsonb, boolean) is
  'Checks whether a part of an app''s event certainly belongs to another company that has or had the same number. The '
  'part belongs to the company that had the number at the time of the part. A report belongs to the company that sent '
  'the message. Returns false if the company cannot be determined.';

create function app.codes_of(errors jsonb) returns jsonb
language sql immutable
set search_path = ''
as $$
  select jsonb_agg(jsonb_build_object('code', error -> 'code'))
  from jsonb_array_elements(app.as_list(errors)) as error
$$;
comment on function app.codes_of(jsonb) is
  'Returns the errors of an event reduced to their codes. Returns null when there are no errors.';

create function app.report_without(own_company_id uuid, report jsonb) returns jsonb
language sql stable
set search_path = ''
as $$
  -- The state of a message is counted, even if the message is erased.
  select jsonb_strip_nulls(jsonb_build_object(
    'id', app.erased_digest(own_company_id, 'message', report ->> 'id'),
    'status', report -> 'status',
    'timestamp', report -> 'timestamp',
    'biz_opaque_callback_data', report -> 'biz_opaque_callback_data',
    'pricing', report -> 'pricing',
    'errors', app.codes_of(report -> 'errors')
  ))
$$;
comment on function app.report_without(uuid, jsonb) is
  'Returns a status of an event without the person who received the message.';

create function app.words_of(notice jsonb, people jsonb) returns jsonb
language sql immutable
set search_path = ''
as $$
  select coalesce(jsonb_object_agg(key, value), '{}')
  from jsonb_each(case when jsonb_typeof(notice) = 'object' then notice else '{}' end)
  where (
      jsonb_typeof(value) in ('number', 'boolean')
      or value #>> '{}' ~ '^[A-Z][A-Z_]{0,63}$'
      or key ~ '^message_template_(id|name|language)$'
    )
    and app.names_among(value, people) = '{}'
$$;
comment on function app.words_of(jsonb, jsonb) is
  'Returns a WhatsApp notice about a template or an account without its free text. Its numbers and fixed values '
  'remain.';

create function app.change_without(
  own_company_id uuid, app_id uuid, business_id text, change jsonb, people jsonb, late_ids text[]
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  lists constant text[] := array['messages', 'statuses', 'contacts', 'user_preferences', 'user_id_update'];
  field constant text := change ->> 'field';
  value jsonb := change -> 'value';
  number_id constant text := value #>> '{metadata,phone_number_id}';
  company_ids constant uuid[] := array(
    select company_id from public.messaging_accounts
    where case when number_id is not null then phone_number_id = number_id else business_account_id = business_id end
  );
  -- The first time in the change.
  began constant bigint := (
    select min(told.at[1]::bigint)
    from regexp_matches(change::text, '"timestamp"\s*:\s*"?([0-9]{1,12})(?![0-9])', 'g') as told (at)
  );
  -- A field that this platform does not read is erased. Such a field remains only if the person is back and the whole
  -- change happened after the erasure.
  is_unread_erased constant boolean := exists (
    select from jsonb_each(people) as erased (name, known)
    where not (known -> 'is_back')::boolean or (known ->> 'until')::bigint >= coalesce(began, 0)
  );
  has_moved constant boolean := number_id is not null and cardinality(company_ids) > 1;
  -- Whether another company had the number at the time of the change.
  is_of_another constant boolean := case
    when has_moved then app.is_of_another(own_company_id, app_id, number_id, jsonb_build_object('timestamp', began))
    else false
  end;
  key text;
  kept jsonb;
  had integer := 0;
  has integer := 0;
  remaining_names text[] := '{}';
  erased_names text[];
begin
  -- A change that names no known account belongs to the companies of the app that signed it.
  if company_ids = '{}' then
    if not exists (
      select from public.account_channel_apps as named
      where named.company_id = own_company_id and named.channel_app_id = app_id
    ) then
      return change;
    end if;
  elsif own_company_id <> all (company_ids) then
    return change;
  end if;
  if field = any (array[
    'message_template_status_update', 'message_template_quality_update', 'template_category_update',
    'message_template_components_update', 'account_alerts', 'account_review_update', 'account_settings_update',
    'account_update', 'business_capability_update', 'business_status_update', 'phone_number_name_update',
    'phone_number_quality_update', 'security'
  ]) then
    return case when app.names_among(change, people) = '{}' then change
      else jsonb_build_object('field', field, 'value', app.words_of(value, people)) end;
  elsif jsonb_typeof(value) is distinct from 'object'
    or coalesce(field, '') not in ('messages', 'user_preferences', 'user_id_update')
  then
    return case when is_of_another or not is_unread_erased then change end;
  end if;

  erased_names := array(select jsonb_object_keys(people)) || array(
    select name from jsonb_array_elements(app.as_list(value -> 'statuses')) as report
    cross join lateral unnest(app.names_in((report - 'biz_opaque_callback_data' - 'pricing' - 'errors')::text)) as name
    where late_ids <> '{}' and report ->> 'id' = any (late_ids)
  );
  -- The contact cards are checked last. If a part about a person remains, the person is back or the part belongs to
  -- another company, and the person's contact card also remains.
  foreach key in array array['messages', 'user_preferences', 'user_id_update', 'statuses', 'contacts'] loop
    continue when not value ? key;
    select coalesce(jsonb_agg(
      case when key = 'statuses' and (told.is_late or told.is_gone) then app.report_without(own_company_id, part)
        else part end
      order by place
    ), '[]')
    into kept
    from jsonb_array_elements(app.as_list(value -> key)) with ordinality as parts (part, place)
    cross join lateral (
      select
        late_ids <> '{}' and part ->> 'id' = any (late_ids) as is_late,
        case key
          when 'contacts' then (
            select named && erased_names and not named && remaining_names from app.author_names(part) as named
          )
          else app.is_about(part, people, key = 'statuses') and case
            when has_moved then not app.is_of_another(own_company_id, app_id, number_id, part, key = 'statuses')
            else true
          end
        end as is_gone
    ) as told
    where key = 'statuses' or not told.is_gone;
    if key <> 'contacts' then
      had := had + jsonb_array_length(app.as_list(value -> key));
      has := has + jsonb_array_length(kept);
    end if;
    if key <> 'contacts' and value ? 'contacts' then
      remaining_names := remaining_names || array(
        select distinct name from jsonb_array_elements(kept) as part cross join lateral unnest(app.author_names(part)) as name
        where name = any (erased_names)
      );
    end if;
    value := value || jsonb_build_object(key, kept);
  end loop;
  if had > 0 and has = 0 then
    return null;
  elsif not is_unread_erased or is_of_another and value = change -> 'value' then
    return change || jsonb_build_object('value', value);
  end if;
  return jsonb_build_object('field', field, 'value', (
    select coalesce(jsonb_object_agg(name, part), '{}') from jsonb_each(value) as members (name, part)
    where name = any (lists || array['messaging_product', 'metadata'])
  ) || case when value ? 'errors' then jsonb_build_object('errors', app.codes_of(value -> 'errors')) else '{}' end);
end
$$;
comment on function app.change_without(uuid, uuid, text, jsonb, jsonb, text[]) is
  'Returns a change of an app''s event without the data about these people, { name: { until, is_back } }. Also removes '
  'the recipients of the reports whose ids are in late_ids. Returns null when nothing is left. If a change, or a part '
  'of it, does not belong to the company, the function keeps it. Completely removes fields that this platform does not '
  'read.';

create function app.event_without(
  own_company_id uuid, app_id uuid, body bytea, people jsonb, late_ids text[] default '{}'
) returns bytea
language plpgsql stable
set search_path = ''
as $$
declare
  event jsonb;
  entries jsonb;
begin
  event := app.text_of_event(body)::jsonb;
  select coalesce(jsonb_agg(
    case when remaining = app.as_list(entry -> 'changes') and app.names_among(entry - 'changes', people) = '{}' then entry
      -- This platform does not read the other members of an entry, so they are removed.
      else (
        select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(entry) where key in ('id', 'time')
      ) || jsonb_build_object('changes', remaining) end
    order by place
  ), '[]')
  into entries
  from jsonb_array_elements(app.as_list(event -> 'entry')) with ordinality as listed (entry, place)
  cross join lateral (
    select coalesce(jsonb_agg(changed order by change_place), '[]') as remaining
    from jsonb_array_elements(app.as_list(entry -> 'changes')) with ordinality as parts (change, change_place)
    cross join lateral app.change_without(
      own_company_id, app_id, entry ->> 'id', change, people, late_ids
    ) as changed
    where changed is not null
  ) as changes
  where jsonb_typeof(entry) = 'object';
  if entries = event -> 'entry' and app.names_among(event - 'entry', people) = '{}' then
    return body;
  end if;
  return app.bytes_of_event((jsonb_build_object('entry', entries)
    || case when event ? 'object' then jsonb_build_object('object', event -> 'object') else '{}' end)::text);
exception when data_exception or statement_too_complex or program_limit_exceeded then
  -- If this function cannot read an event, no other part of this platform can read it either.
  return app.empty_event();
end
$$;
comment on function app.event_without(uuid, uuid, bytea, jsonb, text[]) is
  'Removes a company''s data about these people from an app''s event, and returns the remaining bytes. The format of '
  '`people` is { name: { until, is_back } }. Also removes the recipients of the reports whose ids are in late_ids.';

create function app.empty_event() returns bytea
language sql immutable
set search_path = ''
as $$
  select convert_to('{"object": "whatsapp_business_account", "entry": []}', 'UTF8')
$$;
comment on function app.empty_event() is 'Returns the bytes of an event without content.';

create function app.lock_events_with(own_company_id uuid, marks bigint[]) returns uuid[]
language plpgsql
set search_path = ''
-- Postgres uses the indexes of person_marks only with bitmap scans.
set enable_bitmapscan = on
as $$
declare
  app_ids constant uuid[] := array(
    select channel_app_id from public.account_channel_apps where company_id = own_company_id
  );
  account_ids constant text[] := array(
    select phone_number_id from public.messaging_accounts where company_id = own_company_id
    union
    select business_account_id from public.messaging_accounts
    where company_id = own_company_id and business_account_id is not null
  );
begin
  return array(
    select events.id from public.channel_events as events
    where events.person_marks && marks
      -- If person_marks is null, the people in the event are unknown. app.change_without() erases a part of such an
      -- event only if the company uses the event's app or has the account in the part. So only these events are locked,
      -- and the erasure does not wait for events of other companies that are being applied.
      or events.person_marks is null and (
        events.channel_app_id = any (app_ids)
        or exists (
          select from unnest(account_ids) as id where position(convert_to(id, 'UTF8') in events.body) > 0
        )
      )
    order by events.id for update
  );
end
$$;
comment on function app.lock_events_with(uuid, bigint[]) is
  'Locks the events that may contain a company''s data about the people with these hashes, and returns their ids.';

-- A former phone number may belong to another person now. Events about that person are not changed.
create function app.erase_in_events(own_company_id uuid, event_ids uuid[], people jsonb) returns integer
language plpgsql
set search_path = ''
as $$
declare
  -- If the erased person still has a name (a phone number or an id), every event with this name is about the person.
  -- The time in the event makes no difference.
  erased constant jsonb := (
    select coalesce(jsonb_object_agg(name, case
      when until::bigint >= floor(extract(epoch from now())) then '{"until": 99999999999, "is_back": false}'::jsonb
      else jsonb_build_object('until', until::bigint, 'is_back', true)
    end), '{}')
    from jsonb_each_text(people) as known (name, until)
  );
  numbers text[];
  own_marks bigint[];
  changed integer;
begin
  select
    array_agg(phone_number_id) filter (where not exists (
      select from public.messaging_accounts as others
      where others.phone_number_id = own.phone_number_id and others.company_id <> own_company_id
    )),
    -- The company's own numbers are included, because an event may contain them. For example, a reply may quote a
    -- message from the company.
    app.marks_of(array(select name from jsonb_each(erased) as known (name, told) where not (told -> 'is_back')::boolean)
      || array_agg(app.phone_key('+' || regexp_replace(display_phone, '[^0-9]', '', 'g')))
      || array_agg('+' || business_account_id))
  into numbers, own_marks
  from public.messaging_accounts as own where company_id = own_company_id;

  with remaining as (
    select events.id, events.body as was, case
      -- Most events mention one person of one company. No part of such an event remains.
      when events.state = 'done' and events.person_marks <@ own_marks and (
        select bool_and(named.number[1] = any (numbers))
        from regexp_matches(encode(events.body, 'escape'), '"phone_number_id"\s*:\s*"?([0-9]+)', 'g') as named (number)
      ) then app.empty_event()
      else app.event_without(own_company_id, events.channel_app_id, events.body, erased)
    end as body
    from public.channel_events as events
    where events.id = any (event_ids)
  )
  update public.channel_events as events set
    body = remaining.body,
    person_marks = app.marks_of_event(remaining.body),
    -- The error may quote refused content. A note may contain the WhatsApp id of a message that was sent twice.
    error = case when events.error is not null then 'The event named a person who was erased' end,
    notes = array(
      select regexp_replace(note, 'wamid\.\S+', 'an erased message', 'g') from unnest(events.notes) as note
    )
  from remaining
  where events.id = remaining.id and remaining.body <> remaining.was;
  get diagnostics changed = row_count;
  return changed;
end
$$;
comment on function app.erase_in_events(uuid, uuid[], jsonb) is
  'Removes a company''s data about these people, { name: until }, from events, and returns the number of changed '
  'events. The hashes of the events remain, so that a repeated event is recognized.';
