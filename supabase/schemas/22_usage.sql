-- The use of the API keys of a company: the number of requests for each status and day, and the latest errors. Paths,
-- queries, bodies and error messages are not stored, because they may name a person.

create table public.api_key_usage (
  company_id uuid not null references public.companies on delete cascade,
  key_id uuid not null,
  -- A day in UTC.
  day date not null,
  status smallint not null check (status between 100 and 599),
  requests bigint not null check (requests > 0),
  primary key (company_id, key_id, day, status),
  constraint api_key_usage_key_fkey foreign key (company_id, key_id)
    references public.api_keys (company_id, id) on delete cascade
);
comment on table public.api_key_usage is
  'The number of requests with each key on each day (UTC), by the HTTP status of the answer. Rows are kept for 30 '
  'days. The number is at most a minute late and never too high. The number lacks the requests that an instance of a '
  'function had not reported when the instance ended.';

create table public.api_key_errors (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  key_id uuid not null,
  at timestamptz not null,
  status smallint not null check (status between 400 and 599),
  -- The code of the error, such as invalid_request.
  code text not null check (char_length(code) between 1 and 64),
  method text not null check (char_length(method) between 1 and 16),
  -- The id of the operation in the API's description. Null when no operation has this path and method.
  operation text check (char_length(operation) between 1 and 64),
  request_id text not null check (char_length(request_id) between 1 and 128),
  constraint api_key_errors_key_fkey foreign key (company_id, key_id)
    references public.api_keys (company_id, id) on delete cascade
);
comment on table public.api_key_errors is
  'The latest errors of requests with each key: at most 50 for each key, from the last 30 days. The answer to a '
  'request and the log of the functions have the same request_id.';

create index api_key_usage_age_idx on public.api_key_usage (day);
create index api_key_errors_newest_idx on public.api_key_errors (company_id, key_id, at desc, id desc);
create index api_key_errors_age_idx on public.api_key_errors (at);

create function public.record_api_key_usage(usage jsonb, errors jsonb default '[]') returns void
language plpgsql security definer -- the role of its caller may not read keys or write usage
set search_path = ''
as $$
#variable_conflict use_column
declare
  today constant date := (now() at time zone 'utc')::date;
  held uuid[];
begin
  -- The function locks the keys until the end of the transaction. A key that is being deleted, alone or with its
  -- company, is left out. The deletion waits for the rows of the key, so this function must not wait for the deletion.
  select array_agg(known.id) into held
  from (
    select keys.id
    from public.api_keys as keys
    join public.companies on companies.id = keys.company_id
    where keys.key_hash in (
      select told ->> 'key_hash'
      from jsonb_array_elements(record_api_key_usage.usage || record_api_key_usage.errors) as told
    )
    for key share of keys, companies skip locked
  ) as known;

  -- Many instances may report the same key at the same time. They write the rows in one order, so that no deadlock
  -- occurs. A day in the future counts as today.
  insert into public.api_key_usage as counted (company_id, key_id, day, status, requests)
  select keys.company_id, keys.id, least(told.day, today), told.status, sum(told.requests)
  from jsonb_to_recordset(record_api_key_usage.usage)
    as told (key_hash text, day date, status smallint, requests bigint)
  join public.api_keys as keys on keys.key_hash = told.key_hash and keys.id = any (held)
  where told.day > today - 30
  group by 1, 2, 3, 4
  order by 1, 2, 3, 4
  on conflict (company_id, key_id, day, status) do update set requests = counted.requests + excluded.requests;

  insert into public.api_key_errors (company_id, key_id, at, status, code, method, operation, request_id)
  select
    keys.company_id, keys.id, least(told.at, now()), told.status, told.code, told.method, told.operation,
    told.request_id
  from jsonb_to_recordset(record_api_key_usage.errors) as told (
    key_hash text, at timestamptz, status smallint, code text, method text, operation text, request_id text
  )
  join public.api_keys as keys on keys.key_hash = told.key_hash and keys.id = any (held);
  if found then
    delete from public.api_key_errors where id in (
      select errors.id from public.api_key_errors as errors
      where errors.id in (
        select beyond.id
        from public.api_keys as keys
        cross join lateral (
          select newest.id from public.api_key_errors as newest
          where newest.company_id = keys.company_id and newest.key_id = keys.id
          order by newest.at desc, newest.id desc
          offset 50
        ) as beyond
        where keys.id = any (held)
      )
      for update skip locked
    );
  end if;

  -- This comes last, because it locks rows of other keys.
  perform app.remove_old_usage_of_keys(1000);
end
$$;
comment on function public.record_api_key_usage(jsonb, jsonb) is
  'Adds the counts of one instance of a function to the stored counts. The argument usage is an array of { key_hash, '
  'day, status, requests }. The argument errors is an array of { key_hash, at, status, code, method, operation, '
  'request_id }. The newest 50 errors of a key are kept. Leaves out unknown keys, keys that are being deleted, and '
  'days that are no longer kept. Deletes rows older than 30 days.';
grant execute on function public.record_api_key_usage(jsonb, jsonb) to usage_client;

create function app.remove_old_usage_of_keys(max_rows integer) returns void
language plpgsql
set search_path = ''
as $$
declare
  first_day constant date := (now() at time zone 'utc')::date - 29;
begin
  -- If two calls run at the same time, each skips the rows that the other deletes.
  delete from public.api_key_usage as usage using (
    select company_id, key_id, day, status from public.api_key_usage
    where day < first_day
    limit max_rows
    for update skip locked
  ) as old
  where usage.company_id = old.company_id and usage.key_id = old.key_id
    and usage.day = old.day and usage.status = old.status;
  delete from public.api_key_errors where id in (
    select id from public.api_key_errors
    where at < first_day::timestamp at time zone 'utc'
    limit max_rows
    for update skip locked
  );
end
$$;
comment on function app.remove_old_usage_of_keys(integer) is
  'Keeps the usage and the errors of keys of the last 30 days, and deletes older rows. Today is one of the 30 days. '
  'Deletes at most max_rows rows of each table.';

alter table public.api_key_usage enable row level security;
create policy "owners and admins read the usage of their company's keys" on public.api_key_usage
  for select to authenticated using (company_id = any ((select app.managed_company_ids())::uuid[]));
create policy "the platform reads the usage of keys" on public.api_key_usage
  for select to service_role using (true);
alter table public.api_key_errors enable row level security;
create policy "owners and admins read the errors of their company's keys" on public.api_key_errors
  for select to authenticated using (company_id = any ((select app.managed_company_ids())::uuid[]));
create policy "the platform reads the errors of keys" on public.api_key_errors
  for select to service_role using (true);

grant select on public.api_key_usage to authenticated, service_role;
grant select on public.api_key_errors to authenticated, service_role;
