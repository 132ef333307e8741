-- What callers search and sort by: texts with accents, case and punctuation aside, and values that are never null.

create function app.words(text) returns text
language sql immutable strict parallel safe
set search_path = ''
as $$
  select replace(
    lower(
      regexp_replace(
        regexp_replace(normalize(' ' || $1, NFKD), '[\u0300-\u036f]', '', 'g'),
        '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007f]+', ' ', 'g'
      -- The rules of Unicode, on any platform. The collation of the database may fold ASCII only.
      ) collate "pg_c_utf8"
    ),
    'ς', 'σ'
  )
$$;
comment on function app.words(text) is
  'A text as it is searched: without accents, in lower case, with one space in place of ASCII punctuation and white '
  'space, and a space before the first word. gateway/records/words.ts folds what callers search for in the same way.';
-- A generated column runs its function as whoever writes the row.
grant execute on function app.words(text) to api_client, api_reader, authenticated, service_role;

-- One statement for each table, because each rewrites its table.

alter table public.contacts
  -- The fields one after another. Folded text has no stroke, so a search for words stays within a field, and a
  -- pattern such as '%ana%|%|%|%' finds in one of them: here in the first, which three others follow.
  add column words text not null generated always as (
    app.words(coalesce(name, '')) || '|' || app.words(coalesce(email, '')) || '|' || replace(phone, '+', ' ') || '|'
      || app.words(coalesce(empresa, ''))
  ) stored,
  -- Sorting by a column without nulls begins in its index, whose rows have 2704 bytes at most. Letters are compared
  -- by their numbers, so that the order is the same on every platform and the index finds beginnings too.
  add column name_sort text collate "C" not null
    generated always as (left(coalesce(app.words(name), ''), 100)) stored,
  add column email_key text generated always as (lower(email collate "pg_c_utf8")) stored;
comment on column public.contacts.words is
  'What a search for words looks through: name, email, phone and empresa, folded, with a stroke between them.';
comment on column public.contacts.email_key is 'The e-mail address in lower case, by which it is found in any case.';

alter table public.deals
  add column words text not null generated always as (app.words(title)) stored,
  add column title_sort text collate "C" not null generated always as (left(app.words(title), 100)) stored,
  -- A deal without a value is before all others; a value is never negative.
  add column value_sort numeric not null generated always as (coalesce(value, -1)) stored;
comment on column public.deals.words is 'What a search for words looks through: the title, folded.';

alter table public.conversations
  add column last_message_sort timestamptz not null
    generated always as (coalesce(last_message_at, '-infinity')) stored;
