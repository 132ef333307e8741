-- Whom an event of the channel names, so that the events of one person are found without reading those of everybody.

create function app.text_in_base64(encoded text) returns text
language sql immutable strict parallel safe
set search_path = ''
as $$
  select replace(
    encode(decode(translate(left(encoded, char_length(encoded) / 4 * 4), '-_', '+/'), 'base64'), 'escape'), '\000', ' '
  )
$$;
comment on function app.text_in_base64(text) is 'What base64 without padding encodes, with its bytes as text.';

create function app.names_in(document text) returns text[]
language sql immutable strict parallel safe
set search_path = ''
as $$
  select array(
    select app.phone_key('+' || told.digits) as name
    from (
      select regexp_replace(found[1], '[^0-9]', '', 'g')
      from regexp_matches(
        document, '"(?:from|wa_id|recipient_id|phone)"\s*:\s*"?(\+?[0-9][0-9 ().-]{5,38})', 'g'
      ) as found
      union all
      -- The channel's ids of messages have the phone in them.
      select digits[1]
      from regexp_matches(document, 'wamid\.([A-Za-z0-9+/_-]{8,255})', 'g') as id
      cross join lateral regexp_matches(app.text_in_base64(id[1]), '[1-9][0-9]{6,14}', 'g') as digits
    ) as told (digits)
    where told.digits ~ '^[1-9][0-9]{6,14}$'
    union
    select found[1]
    from regexp_matches(
      document, '"(?:[a-z_]*user_id|current|previous)"\s*:\s*"([^"\\]{1,255})"', 'g'
    ) as found
  )
$$;
comment on function app.names_in(text) is
  'The people whom an event or an item names, as JSON: phone keys, and ids of the channel.';

create function app.marks_of(names text[]) returns bigint[]
language sql immutable strict parallel safe
set search_path = ''
as $$
  select array(select distinct hashtextextended(name, 0) from unnest(names) as name)
$$;
comment on function app.marks_of(text[]) is 'Names as the indexes have them. Two names may have the same mark.';

alter table public.channel_events add column person_marks bigint[];
comment on column public.channel_events.person_marks is
  'The marks of the people whom the event names; null when they could not be read.';
alter table public.waiting_facts add column person_marks bigint[];
comment on column public.waiting_facts.person_marks is
  'The marks of the people whom the fact names; null when they could not be read.';

create function app.note_people_of_event() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  begin
    new.person_marks := app.marks_of(app.names_in(replace(encode(new.body, 'escape'), '\\/', '/')));
  exception when others then
    -- An event is stored, whatever is in it. Who is erased is looked for in it.
    new.person_marks := null;
  end;
  return new;
end
$$;
comment on function app.note_people_of_event() is 'Trigger: notes whom an event names.';
create function app.note_people_of_fact() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  begin
    new.person_marks := app.marks_of(app.names_in(new.item::text));
  exception when others then
    new.person_marks := null;
  end;
  return new;
end
$$;
comment on function app.note_people_of_fact() is 'Trigger: notes whom a waiting fact names.';
create trigger channel_events_note_people before insert or update of body on public.channel_events
  for each row execute function app.note_people_of_event();
create trigger waiting_facts_note_people before insert or update of item on public.waiting_facts
  for each row execute function app.note_people_of_fact();
update public.channel_events set body = body;
update public.waiting_facts set item = item;
create index channel_events_people_idx on public.channel_events using gin (person_marks);
create index waiting_facts_people_idx on public.waiting_facts using gin (person_marks);
create index channel_events_unread_people_idx on public.channel_events (id) where person_marks is null;
create index waiting_facts_unread_people_idx on public.waiting_facts (company_id) where person_marks is null;
