-- A key is told from another by its name, and deleted by typing it. So each name can be read and typed, also after a
-- rename.

create function app.unseen_characters() returns text
language sql immutable
set search_path = ''
as $$
  select '[\u0001-\u001f\u007f-\u009f\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]'
$$;
comment on function app.unseen_characters() is
  'A pattern of the characters that show nothing, break the line or turn the direction of a text. Those that join or part '
  'letters are none of them: some scripts and emoji need them.';

create function app.is_key_name(name text) returns boolean
language sql immutable
set search_path = ''
as $$
  select btrim(name) = name and name !~ app.unseen_characters()
    -- Something is left without blanks, joiners, fillers and selectors of a variant. Each blank is named: which ones \s
    -- has depends on the database's locale.
    and name ~ '[^ \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u200c\u200d\u115f\u1160\u2800\u3164\ufe00-\ufe0f\uffa0]'
$$;
comment on function app.is_key_name(text) is
  'Whether a name of an API key can be read and typed: it has no blank at an end, and no character that shows nothing.';

-- Earlier versions let a rename write any name. A key whose name has nothing to read is called by its last characters.
update public.api_keys
set name = case when app.is_key_name(readable.name) then readable.name else 'Key ' || hint end
from (
  select id,
    btrim(regexp_replace(regexp_replace(name, '[\n\r\t]+', ' ', 'g'), app.unseen_characters(), '', 'g')) as name
  from public.api_keys
) as readable
where readable.id = api_keys.id and not app.is_key_name(api_keys.name);

alter table public.api_keys add constraint api_keys_name_can_be_typed check (app.is_key_name(name));
-- The rule is judged as whoever renames the key.
grant execute on function app.is_key_name(text), app.unseen_characters() to authenticated, service_role;
