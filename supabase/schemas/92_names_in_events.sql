-- Functions that find the people whom an event mentions. A name is an identifier of a person: a phone key, a WhatsApp
-- user id or an email address. One pass over the text finds all these people. A function call for each name would take
-- seconds for the events of a busy day.

create function app.names_in(document text) returns text[]
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
declare
  -- This pattern removes times and the ids of the company's own numbers, because they identify no person. The pattern
  -- also removes escaped characters, because they may end in digits.
  told constant text := regexp_replace(
    document,
    '[\\' || chr(57344) || ']u[0-9a-fA-F]{4}|"(?:timestamp|time|phone_number_id)"\s*:\s*"?[0-9]+', ' ', 'g'
  );
  -- The WhatsApp ids of messages and calls contain the phone number. Four characters of an id encode three bytes, so
  -- all ids can be decoded together. Three NUL bytes separate two ids.
  encoded constant text := (
    select string_agg(left(translate(id[1], '-_', '+/'), char_length(id[1]) / 4 * 4), 'AAAA')
    from regexp_matches(told, 'wa[a-z]*id\.([A-Za-z0-9+/_-]+)', 'g') as id
  );
  -- The function encode() writes a non-ASCII byte as a backslash and three digits.
  decoded constant text := regexp_replace(
    encode(decode(coalesce(encoded, ''), 'base64'), 'escape'), '\\\\|\\[0-3][0-7][0-7]', ' ', 'g'
  );
begin
  return array(
    select case
      -- Only these numbers can have a phone key that differs from the number. A call of app.phone_key() for each number
      -- would cost more than the search.
      when digits ~ '^5(5[0-9]{10}|[24][0-9]{11})$' then app.phone_key('+' || digits)
      else '+' || digits
    end
    from (
      select run[1] from regexp_matches(told, '[0-9]+', 'g') as run
      union all
      -- Phone numbers in messages may contain spaces and punctuation.
      select translate(run[1], ' ().-', '') from regexp_matches(told, '([0-9]+(?:[ ().-]+[0-9]+)+)', 'g') as run
      union all
      select run[1] from regexp_matches(decoded, '[0-9]+', 'g') as run
    ) as runs (digits)
    where char_length(digits) between 7 and 15 and digits >= '1'
    union
    -- WhatsApp user ids anywhere in the text, and any string in a field for such an id.
    select id
    from (
      select rtrim(code[1], '.') from regexp_matches(told, '([A-Z][A-Z]\.[A-Za-z0-9.]+)', 'g') as code
      union all
      select quoted[1]
      from regexp_matches(told, '"(?:[a-z_]*user_id|current|previous)"\s*:\s*"([^"\\]+)"', 'g') as quoted
      union all
      -- An address never begins directly after a character of an address. Without this condition, Postgres would start
      -- a new search at each character of a long text.
      select lower(email[1])
      from regexp_matches(
        told,
        '(?<![A-Za-z0-9.!#$%&''*+/=?^_`{|}~-])([A-Za-z0-9.!#$%&''*+/=?^_`{|}~-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)',
        'g'
      ) as email
    ) as ids (id)
    where char_length(id) between 1 and 320
  );
end
$$;
comment on function app.names_in(text) is
  'Returns all identifiers (names) of people in the JSON of an event or an item: phone keys, WhatsApp user ids and '
  'email addresses. Also returns other numbers that have as many digits as a phone number.';

create function app.names_among(document jsonb, people jsonb) returns text[]
language plpgsql immutable
set search_path = ''
as $$
begin
  return array(select name from unnest(app.names_in(document::text)) as name where people ? name);
end
$$;
comment on function app.names_among(jsonb, jsonb) is
  'Returns the names that a JSON document contains and that are members of `people`, { name: … }.';

create function app.author_names(part jsonb) returns text[]
-- This function does not call app.names_in(), because an event may have thousands of parts.
language plpgsql immutable
set search_path = ''
as $$
declare
  encoded constant text := translate(substring(part ->> 'id' from '^wa[a-z]*id\.([A-Za-z0-9+/_-]+)'), '-_', '+/');
  user_ids constant text[] := array_remove(array[
    part ->> 'from_user_id', part ->> 'user_id', part ->> 'recipient_user_id'
  ], null);
  phones constant text[] := array_remove(array[part ->> 'from', part ->> 'wa_id', part ->> 'recipient_id'], null);
begin
  -- If a part has no valid author, for example because the part is malformed, all names in the part are returned.
  if phones || user_ids = '{}' or jsonb_typeof(part -> 'user_id') = 'object' then
    return app.names_in(part::text);
  end if;
  return user_ids || array(
    select case when digits ~ '^5(5[0-9]{10}|[24][0-9]{11})$' then app.phone_key('+' || digits) else '+' || digits end
    from (
      select translate(phone, '+ ().-', '') from unnest(phones) as phone
      union all
      -- In the decoded id, the phone number comes first, and any bytes may follow it.
      select substring(
        encode(decode(left(encoded, char_length(encoded) / 4 * 4), 'base64'), 'escape') from '[1-9][0-9]{6,14}'
      )
    ) as known (digits)
    where digits ~ '^[0-9]{7,15}$'
  );
end
$$;
comment on function app.author_names(jsonb) is
  'Returns the names of the person to whom a part of an event belongs: the author, or the recipient of a report. If '
  'the part names no such person, returns all names in the part, including quoted or forwarded names. A message with '
  'another person''s contact card belongs to the sender of the message.';

create function app.marks_of(names text[]) returns bigint[]
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
begin
  return array(select distinct hashtextextended(name, 0) from unnest(names) as name);
end
$$;
comment on function app.marks_of(text[]) is
  'Returns the hashes (marks) of names. The indexes on person_marks contain these hashes. Two names may have the same '
  'hash.';

create function app.marks_of_event(body bytea) returns bigint[]
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
begin
  return app.marks_of(app.names_in(app.text_of_event(body)));
exception when others then
  -- The event must be applied even if no names can be read from it.
  return null;
end
$$;
comment on function app.marks_of_event(bytea) is
  'Returns the hashes of the people whom an event mentions, or null when the names cannot be read.';

create function app.text_of_event(body bytea) returns text
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
declare
  -- This character replaces the backslashes that remain after the other replacements. No byte is converted to this
  -- character. With these backslashes, the jsonb type would refuse some escaped characters.
  escape constant text := chr(57344);
begin
  -- An escaped slash or at sign becomes the character itself. A pair of backslashes does not escape the next character.
  return replace(replace(replace(replace(replace(
    convert_from(body, 'LATIN1'), '\\', chr(57345)), '\"', chr(57346)), '\/', '/'), '\u0040', '@'), '\', escape);
exception when others then
  -- Postgres cannot convert bytes that contain a NUL.
  return regexp_replace(encode(body, 'escape'), '\\[0-3][0-7][0-7]', ' ', 'g');
end
$$;
comment on function app.text_of_event(bytea) is
  'Returns the text of an event for the name search. Each byte becomes a character, and no backslash remains, so '
  'Postgres accepts the text as JSON. app.bytes_of_event() reverses this conversion.';

create function app.bytes_of_event(document text) returns bytea
language sql immutable strict parallel safe
set search_path = ''
as $$
  select convert_to(
    replace(replace(replace(document, chr(57344), '\'), chr(57346), '\"'), chr(57345), '\\'), 'LATIN1'
  )
$$;
comment on function app.bytes_of_event(text) is 'Returns the bytes from which app.text_of_event() made this text.';

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
comment on function app.note_people_of_fact() is
  'Trigger: stores the hashes of the people whom a waiting fact mentions.';

create trigger waiting_facts_note_people before insert or update of item on public.waiting_facts
  for each row execute function app.note_people_of_fact();
