-- An event without what it says of erased persons. It may tell of several people, and may not be applied yet, so what it
-- says of the others stays as it is.

create function app.as_list(document jsonb) returns jsonb
language sql immutable
set search_path = ''
as $$
  -- As the function reads events: one that stands without its list is a list of one.
  select case jsonb_typeof(document)
    when 'array' then document when 'object' then jsonb_build_array(document) else '[]' end
$$;
comment on function app.as_list(jsonb) is 'A list of a document, which may be one without its list, or missing.';

create function app.is_about(part jsonb, people jsonb) returns boolean
language sql immutable
set search_path = ''
as $$
  select exists (
    select from unnest(app.names_in(jsonb_build_object(
      -- Not what it quotes or passes on: a card of somebody else is the sender's message.
      'from', part -> 'from', 'from_user_id', part -> 'from_user_id', 'wa_id', part -> 'wa_id',
      'user_id', part -> 'user_id', 'recipient_id', part -> 'recipient_id',
      'recipient_user_id', part -> 'recipient_user_id', 'id', part -> 'id'
    )::text)) as name
    where coalesce(substring(part ->> 'timestamp' from '^[0-9]{1,12}$')::bigint, 0) <= (people -> name)::bigint
  )
$$;
comment on function app.is_about(jsonb, jsonb) is
  'Whether a part of an event is about one of these people, { name: until }, until that second.';

create function app.parts_without(own_company_id uuid, key text, parts jsonb, people jsonb) returns jsonb
language sql stable
set search_path = ''
as $$
  select coalesce(jsonb_agg(
    case when key = 'statuses' and app.is_about(part, people) then
      -- What became of a message is counted, also of an erased one.
      jsonb_strip_nulls(jsonb_build_object(
        'id', app.erased_digest(own_company_id, 'message', part ->> 'id'),
        'status', part -> 'status',
        'timestamp', part -> 'timestamp',
        'biz_opaque_callback_data', part -> 'biz_opaque_callback_data',
        'pricing', part -> 'pricing',
        'errors', (
          select jsonb_agg(jsonb_build_object('code', error -> 'code'))
          from jsonb_array_elements(app.as_list(part -> 'errors')) as error
        )
      ))
    else part end
    order by place
  ), '[]')
  from jsonb_array_elements(app.as_list(parts)) with ordinality as parts_of (part, place)
  where key = 'statuses' or not app.is_about(part, people)
$$;
comment on function app.parts_without(uuid, text, jsonb, jsonb) is
  'The parts of a change without those that are about these people; of statuses, what names nobody stays.';

create function app.change_without(own_company_id uuid, business_id text, change jsonb, people jsonb) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  value jsonb := change -> 'value';
  number_id constant text := value #>> '{metadata,phone_number_id}';
  key text;
  parts jsonb;
  had integer := 0;
  has integer := 0;
begin
  if jsonb_typeof(value) is distinct from 'object' or not exists (
    select from public.messaging_accounts
    where company_id = own_company_id
      and case when number_id is not null then phone_number_id = number_id else business_account_id = business_id end
  ) then
    return change;
  end if;
  foreach key in array array['messages', 'statuses', 'contacts', 'user_preferences', 'user_id_update'] loop
    if value ? key then
      parts := app.parts_without(own_company_id, key, value -> key, people);
      if key <> 'contacts' then
        had := had + jsonb_array_length(app.as_list(value -> key));
        has := has + jsonb_array_length(parts);
      end if;
      value := value || jsonb_build_object(key, parts);
    end if;
  end loop;
  return case when had > 0 and has = 0 then null else change || jsonb_build_object('value', value) end;
end
$$;
comment on function app.change_without(uuid, text, jsonb, jsonb) is
  'A change of an event without what it says of these people, if it is about a number of the company; null when nothing '
  'else is left of it.';

create function app.empty_event() returns bytea
language sql immutable
set search_path = ''
as $$
  select convert_to('{"object": "whatsapp_business_account", "entry": []}', 'UTF8')
$$;
comment on function app.empty_event() is 'The bytes of an event that says nothing.';

create function app.event_without(own_company_id uuid, body bytea, people jsonb) returns bytea
language plpgsql stable
set search_path = ''
as $$
declare
  -- jsonb would refuse some of what people write, such as an escaped NUL. So every backslash becomes a character that no
  -- byte has, is never looked at, and comes back as it was.
  escape constant text := chr(57344);
  escaped_escape constant text := chr(57345);
  escaped_quote constant text := chr(57346);
  plain text;
  event jsonb;
  entries jsonb;
begin
  plain := convert_from(body, 'LATIN1');
  plain := replace(replace(replace(plain, '\\', escaped_escape), '\"', escaped_quote), '\/', '/');
  event := replace(plain, '\', escape)::jsonb;
  entries := (
    select jsonb_agg(
      case when entry ? 'changes' then entry || jsonb_build_object('changes', (
        select coalesce(jsonb_agg(changed order by place), '[]')
        from jsonb_array_elements(app.as_list(entry -> 'changes')) with ordinality as changes (change, place)
        cross join lateral app.change_without(own_company_id, entry ->> 'id', change, people) as changed
        where changed is not null
      )) else entry end
      order by entry_place
    )
    from jsonb_array_elements(app.as_list(event -> 'entry')) with ordinality as listed (entry, entry_place)
  );
  if entries is null or entries = event -> 'entry' then
    return body;
  end if;
  event := event || jsonb_build_object('entry', entries);
  plain := replace(replace(replace(event::text, escape, '\'), escaped_quote, '\"'), escaped_escape, '\\');
  return convert_to(plain, 'LATIN1');
exception when data_exception or statement_too_complex or program_limit_exceeded then
  -- Nobody else can read it either.
  return app.empty_event();
end
$$;
comment on function app.event_without(uuid, bytea, jsonb) is
  'The bytes of an event without what it says of people { name: until } to numbers of a company.';

create function app.erase_in_events(own_company_id uuid, event_ids uuid[], people jsonb) returns integer
language plpgsql
set search_path = ''
as $$
declare
  numbers text[];
  own_marks bigint[];
  erased integer;
begin
  select
    array_agg(phone_number_id),
    -- A reply quotes a message from the company's own phone.
    app.marks_of(array(select jsonb_object_keys(people)) || array_agg(app.phone_key(
      '+' || regexp_replace(display_phone, '[^0-9]', '', 'g')
    )))
  into numbers, own_marks
  from public.messaging_accounts where company_id = own_company_id;

  with remaining as (
    select events.id, events.body as was, case
      -- Most events tell of one person to one company, and nothing is left of them.
      when events.state = 'done' and events.person_marks <@ own_marks and (
        select bool_and(named.number[1] = any (numbers))
        from regexp_matches(encode(events.body, 'escape'), '"phone_number_id"\s*:\s*"?([0-9]+)', 'g') as named (number)
      ) then app.empty_event()
      else app.event_without(own_company_id, events.body, people)
    end as body
    from public.channel_events as events
    where events.id = any (event_ids)
  )
  update public.channel_events as events set
    body = remaining.body,
    -- They may quote what was refused, and name what went out twice.
    error = case when events.error is not null then 'It told of a person who is erased' end,
    notes = array(
      select regexp_replace(note, 'wamid\.\S+', 'an erased message', 'g') from unnest(events.notes) as note
    )
  from remaining
  where events.id = remaining.id and remaining.body <> remaining.was;
  get diagnostics erased = row_count;
  return erased;
end
$$;
comment on function app.erase_in_events(uuid, uuid[], jsonb) is
  'Takes out of events what they say of people { name: until } to numbers of a company, and returns of how many. Their '
  'digests stay, so that a repeat is known.';
