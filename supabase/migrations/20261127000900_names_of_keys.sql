-- A key is told from another by its name, and deleted by typing it. So each name can be read and typed, also after a
-- rename.

create function app.is_key_name(name text) returns boolean
language sql immutable
set search_path = ''
as $$
  select btrim(name) = name and name <> ''
    -- Control characters, and those that show nothing or turn the direction of the text.
    and name !~ '[\u0001-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]'
$$;
comment on function app.is_key_name(text) is
  'Whether a name of an API key can be read and typed: it has no blank at an end, and no character that shows nothing.';

-- Names from before this rule stay until they are changed.
alter table public.api_keys
  add constraint api_keys_name_can_be_typed check (app.is_key_name(name)) not valid;
-- The rule is judged as whoever renames the key.
grant execute on function app.is_key_name(text) to authenticated, service_role;
