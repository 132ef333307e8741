-- A key is told from another by its name, and deleted by typing it. So each name can be read and typed, also after a
-- rename.

create function app.is_key_name(name text) returns boolean
language sql immutable
set search_path = ''
as $$
  select name <> ''
    -- No blank at an end, nor a joiner, which belongs between the characters of some scripts and emoji.
    and name !~ '^[\u0020\u00a0\u1680\u2000-\u200a\u200c\u200d\u202f\u205f\u3000]'
    and name !~ '[\u0020\u00a0\u1680\u2000-\u200a\u200c\u200d\u202f\u205f\u3000]$'
    -- Control characters, and those that show nothing or turn the direction of the text.
    and name !~ '[\u0001-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]'
    and name !~ '[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180e\u2800\u3164\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]'
$$;
comment on function app.is_key_name(text) is
  'Whether a name of an API key can be read and typed: it has no blank at an end, and no character that shows nothing, '
  'except joiners between others.';

-- Names from before this rule are made to keep it: a constraint judges each new version of a row, so a key with another
-- name could not be switched off any more, nor be noted as used.
update public.api_keys set name = coalesce(nullif(tidy.name, ''), 'API key ' || hint)
from (
  select
    keys.id,
    btrim(
      regexp_replace(
        regexp_replace(
          keys.name, '[\u0001-\u0020\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+', ' ', 'g'
        ),
        '[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u034f\u115f\u1160\u17b4\u17b5'
          '\u180b-\u180e\u2800\u3164\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]',
        '', 'g'
      ),
      U&' \200C\200D'
    ) as name
  from public.api_keys as keys
) as tidy
where tidy.id = api_keys.id and not app.is_key_name(api_keys.name);

alter table public.api_keys add constraint api_keys_name_can_be_typed check (app.is_key_name(name));
-- The rule is judged as whoever renames the key.
grant execute on function app.is_key_name(text) to authenticated, service_role;
