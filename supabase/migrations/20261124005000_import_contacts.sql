-- The operator's import of contacts writes as a batch of the API does, for a company that the operator names.

create function public.import_contacts(
  company_id uuid,
  items jsonb[],
  on_conflict text,
  dry_run boolean default false
) returns jsonb
language plpgsql security definer -- the functions that write contacts are granted to nobody
set search_path = ''
as $$
declare
  -- Of the items whose contact is known, their places and what changes of it.
  places integer[];
  changes jsonb[];
  changed jsonb;
  results jsonb;
begin
  if import_contacts.on_conflict in ('update', 'keep', 'fail') is not true then
    raise sqlstate 'PT422' using message = 'on_conflict is update, keep or fail';
  end if;
  -- Held until the end, so that the company is not deleted between this and the rows.
  perform from public.companies where id = import_contacts.company_id for key share;
  if not found then
    raise sqlstate 'PT404' using message = 'No company has this id';
  end if;
  begin
    if import_contacts.on_conflict <> 'update' then
      results := app.put_contacts(import_contacts.company_id, items, import_contacts.on_conflict);
    else
      -- A file that has some custom fields says nothing of the others, which stay. So this is a merge patch, and not
      -- the update of a PUT.
      results := app.put_contacts(import_contacts.company_id, items, 'fail');
      select
        array_agg(place order by place),
        array_agg(
          item - 'phone' || jsonb_build_object('id', result ->> 'existing_id') order by place
        )
      into places, changes
      from jsonb_array_elements(results) with ordinality as written (result, place)
      join unnest(items) with ordinality as given (item, place) using (place)
      where result ->> 'status' = '409';
      if places is not null then
        changed := app.patch_contacts(import_contacts.company_id, changes);
        results := (
          select jsonb_agg(coalesce(changed -> array_position(places, place::integer) - 1, result) order by place)
          from jsonb_array_elements(results) with ordinality as written (result, place)
        );
      end if;
    end if;
    if dry_run then
      raise sqlstate 'PT204';
    end if;
  exception when sqlstate 'PT204' then
    -- What was written is undone. The results stay.
    null;
  end;
  return results;
end
$$;
comment on function public.import_contacts(uuid, jsonb[], text, boolean) is
  'Adds contacts of a company and meets the known ones, as app.put_contacts() does, and returns its results. update: what '
  'an item gives replaces what there is, custom fields key by key, and 404 when the contact was deleted meanwhile. A dry '
  'run does the same, and undoes it. Raises PT404 when there is no such company, and PT422 for another on_conflict than '
  'update, keep and fail. Called with the secret key.';
grant execute on function public.import_contacts(uuid, jsonb[], text, boolean) to service_role;
