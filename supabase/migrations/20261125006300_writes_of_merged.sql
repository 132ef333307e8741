-- A deal for a contact that was merged into another one is told which one, a repeat of an earlier request is answered
-- with that one, and to erase the person counts what was written of the merged one.

create or replace function app.add_deals(own_company_id uuid, items jsonb[]) returns jsonb
language sql
set search_path = ''
as $$
  with given as materialized (
    select
      place, item, gen_random_uuid() as id, (item ->> 'contact_id')::uuid as contact_id,
      (item ->> 'stage_id')::uuid as stage_id
    from unnest(items) with ordinality as given (item, place)
  -- A reference to a row that is locked holds, so no item breaks the statement for the others. Locked in order of the
  -- ids, so that two batches never wait for each other.
  ), known_contacts as materialized (
    select id, archived_at is not null as is_archived from public.contacts
    where company_id = own_company_id and id = any (array(select contact_id from given))
    order by id for key share
  ), known_stages as materialized (
    select id from public.stages
    where company_id = own_company_id and id = any (array(select stage_id from given)) and archived_at is null
    order by id for key share
  ), judged as materialized (
    select given.*, case
      when contact_id not in (select id from known_contacts) then 'deals_contact_fkey'
      when contact_id in (select id from known_contacts where is_archived) then 'deals_contact_not_archived'
      when stage_id not in (select id from known_stages) then 'deals_stage_fkey'
    end as broken
    from given
  ), added as (
    insert into public.deals (id, company_id, title, value, contact_id, stage_id)
    select id, own_company_id, item ->> 'title', (item ->> 'value')::numeric, contact_id, stage_id
    from judged
    where broken is null
    order by place
  )
  select coalesce(
    jsonb_agg(
      case
        when broken is null then jsonb_build_object('status', 201, 'id', id)
        when survivor is not null then jsonb_build_object('status', 409, 'existing_id', survivor, 'merged', true)
        else jsonb_build_object('status', 422, 'constraint', broken)
      end
      order by place
    ),
    '[]'
  )
  from judged
  cross join lateral (
    select case when broken = 'deals_contact_fkey' then app.survivor_of(own_company_id, contact_id) end
  ) as merged (survivor)
$$;

create or replace function app.with_contact_rows(own_company_id uuid, results jsonb, replayed boolean) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  -- Of one answer; a page of a list has as many.
  max_bytes constant integer := 1048576;
  answered json;
begin
  select coalesce(
    json_agg(
      case
        when result ->> 'status' not in ('200', '201') then result::json
        when contacts.id is null then '{"status": 404}'
        else json_build_object(
          'status', result -> 'status', 'id', contacts.id, 'data', app.contact_json(contacts)
        )
      end
      order by place
    ),
    '[]'
  )
  into answered
  from (
    select
      result, place, coalesce(
        -- Since the earlier request, it may have been merged: its survivor is the person.
        case when replayed then (
          select merged_into from public.deleted_rows
          where company_id = own_company_id and resource = 'contacts' and id = (result ->> 'id')::uuid
        ) end,
        (result ->> 'id')::uuid
      ) as met
    from jsonb_array_elements(results) with ordinality as given (result, place)
  ) as given
  left join public.contacts
    on contacts.company_id = own_company_id and contacts.id = met and result ->> 'status' in ('200', '201');

  if octet_length(answered::text) <= max_bytes then
    return json_build_object(
      'replayed', replayed, 'undone', false, 'without_custom_fields', false, 'results', answered
    );
  end if;
  return json_build_object(
    'replayed', replayed, 'undone', false, 'without_custom_fields', true, 'results',
    (
      select json_agg(result #- '{data,custom_fields}' order by place)
      from jsonb_array_elements(answered::jsonb) with ordinality as given (result, place)
    )
  );
end
$$;

create or replace function app.erase_idempotency_keys(own_company_id uuid, record_ids uuid[], names text[]) returns void
language sql
set search_path = ''
as $$
  update public.idempotency_keys set
    key = app.erased_digest(company_id, 'key', key),
    -- Of a small request, a plain digest can be guessed.
    fingerprint = app.erased_digest(company_id, 'key', fingerprint)
  where company_id = own_company_id
    and (
      exists (
        select from (
          select unnest(record_ids)
          union all
          select id from public.deleted_rows
          where company_id = own_company_id and resource = 'contacts' and merged_into = any (record_ids)
        ) as written (id)
        where position(id::text in path) > 0 or position(id::text in outcome::text) > 0
      )
      or exists (select from unnest(names) as name where position(lower(name) in lower(key)) > 0)
    )
$$;
