-- An item of a batch that names an archived stage fails by itself, as one that names a stage that there is not. The
-- trigger would undo the others with it.

create or replace function app.lock_stages(own_company_id uuid, items jsonb[]) returns uuid[]
language sql
set search_path = ''
as $$
  select array(
    select id from public.stages
    where company_id = own_company_id and archived_at is null
      and id in (select (item ->> 'stage_id')::uuid from unnest(items) as given (item))
    order by id for key share
  )
$$;
comment on function app.lock_stages(uuid, jsonb[]) is
  'The stages of a company that these items name and that are in use, which nobody can delete or archive until the '
  'transaction ends.';
