-- The contact import writes contacts with the same functions as a batch request of the API. The operator specifies the
-- company.

create function public.import_contacts(
  company_id uuid,
  items jsonb[],
  on_conflict text,
  dry_run boolean default false
) returns jsonb
language plpgsql security definer -- no role may call the functions that write contacts
set search_path = ''
-- The role api_client has the same settings (00_roles.sql). These settings matter most during a large import, because
-- the table statistics then differ greatly from the actual numbers.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_material = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
declare
  results jsonb;
begin
  if import_contacts.on_conflict in ('update', 'merge', 'keep', 'fail') is not true then
    raise sqlstate 'PT422' using message = 'on_conflict is update, merge, keep or fail';
  end if;
  -- The transaction keeps this lock until its end, so no one can delete the company before the rows are written.
  perform from public.companies where id = import_contacts.company_id for key share;
  if not found then
    raise sqlstate 'PT404' using message = 'No company has this id';
  end if;
  begin
    results := app.put_contacts(
      import_contacts.company_id, items,
      -- If a file contains only some custom fields, a contact keeps its other custom fields, unlike in a PUT request.
      case import_contacts.on_conflict when 'update' then 'patch' else import_contacts.on_conflict end
    );
    if dry_run then
      raise sqlstate 'PT204';
    end if;
  exception when sqlstate 'PT204' then
    -- The writes are undone, but the results remain.
    null;
  end;
  return results;
end
$$;
comment on function public.import_contacts(uuid, jsonb[], text, boolean) is
  'Adds new contacts to a company and finds existing contacts, as app.put_contacts() does, and returns its results. '
  'With on_conflict `update`, an item replaces the stored values, but custom fields that are not in the item remain. A '
  'dry run writes the contacts and then undoes the writes. Raises PT404 for an unknown company, and PT422 for an '
  'unknown on_conflict. Needs the secret key.';
grant execute on function public.import_contacts(uuid, jsonb[], text, boolean) to service_role;
