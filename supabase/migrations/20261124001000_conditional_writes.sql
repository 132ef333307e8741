-- A write on condition that the record has not changed since it was read: whoever writes the version that it read
-- finds it compared with the stored one, in the statement that writes. Of fifty at once with one version, one writes.
--
-- A filter by the version could not tell a record that has changed from one that does not exist.

create or replace function app.note_change() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  -- A copy that is kept in step would go on having the row under its old id, or in its old company.
  if new.id <> old.id or new.company_id <> old.company_id then
    raise sqlstate 'PT422' using
      message = 'A row keeps its id and its company: delete it, and add another one';
  end if;
  -- Without a version in the statement, the two are the same.
  if new.version <> old.version then
    raise sqlstate 'PT412' using
      message = 'The row has another version: it has changed since that one was read', detail = old.version::text;
  end if;
  new.updated_at := now();
  new.version := app.change_now();
  return new;
end
$$;
comment on function app.note_change() is
  'Trigger: stamps updated_at and version with the time and the number of the transaction. A version that the '
  'statement writes is the condition of the write: raises PT412 with the present version as detail when it is '
  'another. Refuses another id and another company.';

-- To write a version is to compare it; the trigger decides what is stored.
grant update (version) on public.contacts, public.deals, public.conversations to api_client;
