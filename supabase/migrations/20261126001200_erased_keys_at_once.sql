-- To find the idempotency keys of the requests that wrote records of a person, each outcome of the company is read once, and
-- not once for each record: a batch has 500 ids, and a person may have a thousand deals.

create or replace function app.erase_idempotency_keys(own_company_id uuid, record_ids uuid[], names text[]) returns void
language sql
set search_path = ''
as $$
  with written as materialized (
    select id::text from unnest(record_ids) as id
    union
    select id::text from public.deleted_rows
    where company_id = own_company_id and resource = 'contacts' and merged_into = any (record_ids)
  )
  update public.idempotency_keys set
    key = app.erased_digest(company_id, 'key', key),
    -- Of a small request, a plain digest can be guessed.
    fingerprint = app.erased_digest(company_id, 'key', fingerprint)
  where company_id = own_company_id
    and (
      lower(substring(path from '[0-9A-Fa-f-]{36}')) in (select id from written)
      or exists (
        select from jsonb_path_query(outcome, '$.**.id') as named (id)
        where named.id #>> '{}' in (select id from written)
      )
      or exists (select from unnest(names) as name where position(lower(name) in lower(key)) > 0)
    )
$$;
