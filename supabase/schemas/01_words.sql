-- Functions that compare and measure strings, phone numbers and JSON. Columns, constraints and indexes use these
-- functions.

-- This function uses PL/pgSQL, because PL/pgSQL caches the plan. Postgres would plan an SQL function again for each
-- statement that writes a row.
create function app.words(text) returns text
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
declare
  words constant text := replace(
    lower(
      regexp_replace(
        regexp_replace(normalize(' ' || $1, NFKD), '[\u0300-\u036f]', '', 'g'),
        '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007f]+', ' ', 'g'
      -- This collation follows the Unicode rules on every platform. On some platforms, the database's own collation
      -- converts only ASCII letters to lower case.
      ) collate "pg_c_utf8"
    ),
    'ς', 'σ'
  );
begin
  -- An index row has at most 2704 bytes, and an index contains three of these strings. Nearly all strings of 255
  -- characters are shorter than 800 bytes.
  return case when octet_length(words) > 800 then left(words, 200) else words end;
end
$$;
comment on function app.words(text) is
  'Normalizes a string for searches: without accents, in lower case, with a space before the first word. Each run of '
  'ASCII punctuation and white space becomes one space. gateway/records/searched_words.ts normalizes the caller''s '
  'search words in the same way. A result of more than 800 bytes is cut off after 200 characters.';
grant execute on function app.words(text) to api_reader, api_client, authenticated, service_role;

-- An index row has at most 2704 bytes, so a constraint limits the length of each tag. A tag that an API key writes has
-- at most 64 characters, but a signed-in user may write longer tags.
create function app.longest(texts text[]) returns integer
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
declare
  longest integer := 0;
  each text;
begin
  foreach each in array texts loop
    longest := greatest(longest, octet_length(each));
  end loop;
  return longest;
end
$$;
comment on function app.longest(text[]) is
  'Returns the length in bytes of the longest string in the array. Returns 0 for an empty array.';
grant execute on function app.longest(text[]) to api_client, authenticated, service_role;

create function app.phone_key(phone text) returns text
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
begin
  return case
    -- In Brazil, mobile numbers got an extra 9 in front of their eight digits, and both forms reach the same WhatsApp
    -- account. The phone key contains the 9. Only numbers whose eight digits begin with 6 to 9 (the old mobile range)
    -- also have a form without the extra 9.
    when phone ~ '^\+55[1-9][0-9][6-9][0-9]{7}$' then overlay(phone placing '9' from 6 for 0)
    -- In Mexico, mobile numbers used to have a 1 in front of their ten digits. The phone key omits the 1.
    when phone ~ '^\+521[0-9]{10}$' then '+52' || right(phone, 10)
    -- In Argentina, callers from abroad dial a 9 in front of the ten digits of a mobile number. The phone key omits the
    -- 9.
    when phone ~ '^\+549[0-9]{10}$' then '+54' || right(phone, 10)
    else phone
  end;
end
$$;
comment on function app.phone_key(text) is
  'Returns the phone key: the phone number in the form that identifies a person. If WhatsApp treats two forms of a '
  'number as the same number, both forms have the same phone key.';
grant execute on function app.phone_key(text) to api_client, authenticated, service_role;

-- Users recognize an API key by its name, and type the name to delete the key. So the name must be readable and easy to
-- type.
create function app.is_key_name(name text) returns boolean
language sql immutable
set search_path = ''
as $$
  select name <> ''
    -- The name must not start or end with a blank or a joiner. Some scripts and emoji need a joiner between two
    -- characters.
    and name !~ '^[\u0020\u00a0\u1680\u2000-\u200a\u200c\u200d\u202f\u205f\u3000]'
    and name !~ '[\u0020\u00a0\u1680\u2000-\u200a\u200c\u200d\u202f\u205f\u3000]$'
    -- The name must not contain control characters, invisible characters, or characters that change the text direction.
    and name !~ '[\u0001-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]'
    and name !~ '[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180e\u2800\u3164\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]'
$$;
comment on function app.is_key_name(text) is
  'Checks whether users can read and type the name of an API key, a member or an app. A valid name does not start or '
  'end with a blank, and contains no invisible characters except joiners between other characters.';
grant execute on function app.is_key_name(text) to authenticated, service_role;

create function app.check_name(name text, whose text) returns void
language plpgsql immutable
set search_path = ''
as $$
begin
  if char_length(name) not between 1 and 100 then
    raise sqlstate 'PT422' using message = format('The name of %s has 1 to 100 characters', whose);
  end if;
  if not app.is_key_name(name) then
    raise sqlstate 'PT422' using message = format(
      'The name of %s has no blank at either end, and no line breaks, control characters or invisible characters', whose
    );
  end if;
end
$$;
comment on function app.check_name(text, text) is
  'Raises PT422, with a readable message, when the name is not valid for an API key, a member or an app. Accepts null.';
grant execute on function app.check_name(text, text) to authenticated, service_role;

create function app.check_name_of_row() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform app.check_name(new.name, tg_argv[0]);
  return new;
end
$$;
comment on function app.check_name_of_row() is
  'Trigger: refuses an invalid name with a readable message, before a constraint refuses the name. The trigger''s '
  'argument is the kind of row, such as "a key".';

create function app.merge_json(target jsonb, patch jsonb) returns jsonb
language plpgsql immutable
set search_path = ''
as $$
begin
  if jsonb_typeof(patch) <> 'object' then
    return patch;
  end if;
  if target is null or jsonb_typeof(target) <> 'object' then
    target := '{}';
  end if;
  -- A batch may merge 500 patches into one large object. So the function calls itself only for nested objects.
  if not patch @? 'strict $.* ? (@ == null || @.type() == "object")' then
    return target || patch;
  end if;
  return (
    target || patch || coalesce(
      (
        select jsonb_object_agg(key, app.merge_json(target -> key, value))
        from jsonb_each(patch) where jsonb_typeof(value) = 'object'
      ),
      '{}'
    )
  ) - array(select key from jsonb_each(patch) where value = 'null');
end
$$;
comment on function app.merge_json(jsonb, jsonb) is
  'Returns the target after a JSON Merge Patch (RFC 7396): null removes a key, objects are merged, and other values '
  'are replaced.';
grant execute on function app.merge_json(jsonb, jsonb) to api_client, service_role;

create function app.compact_json_bytes(document jsonb) returns integer
language sql immutable
set search_path = ''
as $$
  -- Postgres writes a space after every comma and colon. The function does not count these spaces, but counts the
  -- spaces within strings.
  select octet_length(document::text)
    - (select length(rest) - length(replace(rest, ' ', ''))
       from (values (regexp_replace(document::text, '"([^"\\]|\\.)*"', '', 'g'))) as without_strings (rest))
$$;
comment on function app.compact_json_bytes(jsonb) is
  'Returns the size in bytes of a JSON document without white space. The API measures documents in the same way.';
grant execute on function app.compact_json_bytes(jsonb) to api_client, service_role;

create function app.as_list(document jsonb) returns jsonb
language sql immutable
set search_path = ''
as $$
  select case jsonb_typeof(document)
    when 'array' then document when 'object' then jsonb_build_array(document) else '[]' end
$$;
comment on function app.as_list(jsonb) is
  'Returns a JSON value as an array. An array does not change. An object becomes an array with one element. Any other '
  'value becomes an empty array.';
