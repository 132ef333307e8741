-- What callers search by: texts with accents, case and punctuation aside.

-- In plpgsql, which keeps its plan: SQL would be planned for each statement that writes a row.
create function app.words(text) returns text
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
begin
  return replace(
    lower(
      regexp_replace(
        regexp_replace(normalize(' ' || $1, NFKD), '[\u0300-\u036f]', '', 'g'),
        '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007f]+', ' ', 'g'
      -- The rules of Unicode, on any platform. The collation of the database may fold ASCII only.
      ) collate "pg_c_utf8"
    ),
    'ς', 'σ'
  );
end
$$;
comment on function app.words(text) is
  'A text as it is searched: without accents, in lower case, with one space in place of ASCII punctuation and white '
  'space, and a space before the first word. gateway/records/words.ts folds what callers search for in the same way.';
-- A generated column runs its function as whoever writes the row.
grant execute on function app.words(text) to api_client, api_reader, authenticated, service_role;

-- One statement, because it rewrites the table.
alter table public.contacts
  add column name_words text generated always as (app.words(name)) stored,
  add column email_words text generated always as (app.words(email)) stored,
  add column empresa_words text generated always as (app.words(empresa)) stored,
  add column job_title_words text generated always as (app.words(job_title)) stored,
  add column email_key text generated always as (lower(email collate "pg_c_utf8")) stored;
comment on column public.contacts.email_key is 'The e-mail address in lower case, by which it is found in any case.';

alter table public.deals
  add column words text not null generated always as (app.words(title)) stored;
comment on column public.deals.words is 'The title, folded: what a search for words looks through.';
