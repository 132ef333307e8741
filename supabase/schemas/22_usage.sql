-- API key usage: the number of requests for each status and hour, and the latest errors. The content of requests is not
-- stored, because requests may contain personal data. A stored error contains only text that the service itself wrote,
-- such as the name of a field.

create table public.api_key_usage (
  company_id uuid not null references public.companies on delete cascade,
  key_id uuid not null,
  -- The start of the hour. Days begin at different hours in different time zones, so the table counts requests per hour
  -- and not per day.
  hour timestamptz not null check (hour = date_bin('1 hour', hour, 'epoch')),
  status smallint not null check (status between 100 and 599),
  requests bigint not null check (requests > 0),
  primary key (company_id, key_id, hour, status),
  constraint api_key_usage_key_fkey foreign key (company_id, key_id)
    references public.api_keys (company_id, id) on delete cascade
);
comment on table public.api_key_usage is
  'The number of requests made with each key in each hour, by HTTP status of the response. Rows are kept for 31 days, '
  'so that they cover 30 days in every time zone. A key has at most 744 rows for each status. A count may be up to a '
  'minute old, but is never too high. A count lacks the requests that a function instance did not report before the '
  'instance ended.';

create table public.api_key_errors (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  key_id uuid not null,
  status smallint not null check (status between 400 and 599),
  -- The code of the error, such as invalid_request.
  code text not null check (char_length(code) between 1 and 64),
  method text not null check (char_length(method) between 1 and 16),
  -- The id of the operation in the OpenAPI description. Null when no operation has this path and method.
  operation text check (char_length(operation) between 1 and 64),
  -- The path of the operation as the API describes it, such as /gateway/contacts/{id}.
  path text check (char_length(path) between 1 and 128),
  -- The field, parameter or header that the error is about. Null when the error is not about a field, parameter or
  -- header. Also null when the caller chose the field's name.
  field text check (char_length(field) between 1 and 128),
  -- The error message of the service, without values from the request.
  problem text not null check (char_length(problem) between 1 and 300),
  errors bigint not null check (errors > 0),
  first_at timestamptz not null,
  last_at timestamptz not null,
  -- The latest requests, newest first: [{ id, at }].
  requests jsonb not null check (
    jsonb_typeof(requests) = 'array' and jsonb_array_length(requests) between 1 and 10
    and octet_length(requests::text) <= 4096
  ),
  constraint api_key_errors_one_of_a_kind
    unique nulls not distinct (company_id, key_id, status, code, method, operation, path, field, problem),
  constraint api_key_errors_key_fkey foreign key (company_id, key_id)
    references public.api_keys (company_id, id) on delete cascade
);
comment on table public.api_key_errors is
  'The errors of requests made with each key. Equal errors share one row, whose column `errors` is their number. A key '
  'has at most 50 rows: the latest errors of the last 30 days. Each request id is also in the response to the request '
  'and in the function logs.';
comment on column public.api_key_errors.requests is
  'The latest requests with this error, newest first, at most 10: [{ id, at }].';

-- The index api_key_usage_age_idx is on an expression, so that only the deletion of old rows uses this index.
-- Otherwise, with few companies, the planner would also use the index to count the requests of one key, and would read
-- the rows of all keys.
create index api_key_usage_age_idx on public.api_key_usage ((hour at time zone 'UTC'));
create index api_key_errors_newest_idx on public.api_key_errors (company_id, key_id, last_at desc, id desc);
create index api_key_errors_age_idx on public.api_key_errors (last_at);

create function app.latest_requests(one jsonb, other jsonb) returns jsonb
language sql immutable
set search_path = ''
as $$
  select jsonb_agg(request order by request ->> 'at' desc)
  from (
    select request from jsonb_array_elements(one || other) as request order by request ->> 'at' desc limit 10
  ) as latest
$$;
comment on function app.latest_requests(jsonb, jsonb) is
  'Merges two lists of failed requests, and keeps the 10 latest requests. The times are strings whose alphabetical '
  'order is also their order in time.';

create function public.record_api_key_usage(usage jsonb, errors jsonb default '[]') returns void
language plpgsql security definer -- the role of its caller may not read keys or write usage
set search_path = ''
as $$
#variable_conflict use_column
declare
  held uuid[];
begin
  -- This statement locks the keys until the transaction ends. The statement skips a key that is being deleted, alone or
  -- with its company. The deletion may wait for rows that this function has locked, so this function must not wait for
  -- the deletion.
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

  -- Many instances may report the same key at the same time. All instances write the rows in the same order to prevent
  -- deadlocks. The function treats a time in the future as the present time.
  insert into public.api_key_usage as counted (company_id, key_id, hour, status, requests)
  select
    keys.company_id, keys.id, date_bin('1 hour', least(told.hour, now()), 'epoch'), told.status, sum(told.requests)
  from jsonb_to_recordset(record_api_key_usage.usage)
    as told (key_hash text, hour timestamptz, status smallint, requests bigint)
  join public.api_keys as keys on keys.key_hash = told.key_hash and keys.id = any (held)
  where told.hour > now() - interval '31 days'
  group by 1, 2, 3, 4
  order by 1, 2, 3, 4
  on conflict (company_id, key_id, hour, status) do update set requests = counted.requests + excluded.requests;

  insert into public.api_key_errors as known (
    company_id, key_id, status, code, method, operation, path, field, problem, errors, first_at, last_at, requests
  )
  select
    keys.company_id, keys.id, told.status, told.code, told.method, told.operation, told.path, told.field, told.problem,
    sum(told.errors), least(min(told.first_at), now()), least(max(told.last_at), now()),
    app.latest_requests('[]', jsonb_path_query_array(jsonb_agg(told.requests), '$[*][*]'))
  from jsonb_to_recordset(record_api_key_usage.errors) as told (
    key_hash text, status smallint, code text, method text, operation text, path text, field text, problem text,
    errors bigint, first_at timestamptz, last_at timestamptz, requests jsonb
  )
  join public.api_keys as keys on keys.key_hash = told.key_hash and keys.id = any (held)
  group by 1, 2, 3, 4, 5, 6, 7, 8, 9
  order by 1, 2, 3, 4, 5, 6, 7, 8, 9
  on conflict on constraint api_key_errors_one_of_a_kind do update set
    errors = known.errors + excluded.errors,
    first_at = least(known.first_at, excluded.first_at),
    last_at = greatest(known.last_at, excluded.last_at),
    requests = app.latest_requests(known.requests, excluded.requests);
  if found then
    delete from public.api_key_errors where id in (
      select errors.id from public.api_key_errors as errors
      where errors.id in (
        select beyond.id
        from public.api_keys as keys
        cross join lateral (
          select newest.id from public.api_key_errors as newest
          where newest.company_id = keys.company_id and newest.key_id = keys.id
          order by newest.last_at desc, newest.id desc
          offset 50
        ) as beyond
        where keys.id = any (held)
      )
      for update skip locked
    );
  end if;

  -- This deletion runs last, because it locks rows of other keys. With these locks, the function must not wait for
  -- another transaction, because a deadlock could occur.
  perform app.remove_old_usage_of_keys(1000);
end
$$;
comment on function public.record_api_key_usage(jsonb, jsonb) is
  'Adds the counts of one function instance to the stored counts. The argument usage is an array of { key_hash, hour, '
  'status, requests }. The argument errors is an array of { key_hash, status, code, method, operation, path, field, '
  'problem, errors, first_at, last_at, requests }, one for each kind of error. For each key, the 50 kinds with the '
  'newest errors are kept. Skips unknown keys, keys that are being deleted, and hours older than 31 days. Also deletes '
  'outdated rows.';
grant execute on function public.record_api_key_usage(jsonb, jsonb) to usage_client;

create function app.beginning_of_days(days integer, zone text, most integer) returns timestamptz
language plpgsql stable
set search_path = ''
as $$
declare
  today date;
begin
  if (beginning_of_days.days between 1 and most) is not true then
    raise sqlstate 'PT422' using message = format('days must be from 1 to %s', most);
  end if;
  today := now() at time zone coalesce(zone, '');
  return (today - (days - 1))::timestamp at time zone zone;
exception when invalid_parameter_value then
  raise sqlstate 'PT422' using message = 'zone must be the name of a time zone, such as America/Sao_Paulo';
end
$$;
comment on function app.beginning_of_days(integer, text, integer) is
  'Returns the start of a period of days in a time zone. The period ends today. Raises PT422 for fewer than one day, '
  'for more days than the argument `most`, or for an unknown time zone.';
grant execute on function app.beginning_of_days(integer, text, integer) to authenticated;

create function public.requests_by_status(
  company_id uuid,
  key_id uuid,
  days integer default 30,
  zone text default 'UTC'
) returns table (day date, status smallint, requests bigint)
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_column
declare
  beginning constant timestamptz := app.beginning_of_days(days, zone, 30);
begin
  return query
    -- In some time zones, such as India's, days begin at half past an hour in UTC. There, an hour belongs to the day on
    -- which the hour began.
    select (usage.hour at time zone requests_by_status.zone)::date, usage.status, sum(usage.requests)::bigint
    from public.api_key_usage as usage
    where usage.company_id = requests_by_status.company_id and usage.key_id = requests_by_status.key_id
      and usage.hour >= beginning
    group by 1, 2
    order by 1, 2;
end
$$;
comment on function public.requests_by_status(uuid, uuid, integer, text) is
  'Returns the number of requests made with an API key, by day in a time zone and by HTTP status of the response. '
  'Covers the given number of days (1 to 30), including today. A day or status without requests has no row. A user '
  'sees only what the policies of api_key_usage allow. Raises PT422 for an invalid number of days or an unknown time '
  'zone.';
grant execute on function public.requests_by_status(uuid, uuid, integer, text) to authenticated;

create function public.answers_of_api_keys(company_id uuid, hours integer default 72)
returns table (key_id uuid, requests bigint, refused bigint)
language sql stable security invoker
set search_path = ''
as $$
  select keys.id, lately.requests, lately.refused
  from public.api_keys as keys
  -- The query reads the rows of each key separately. So each read uses the primary key, and reads only the rows of the
  -- given number of hours.
  cross join lateral (
    select
      sum(usage.requests)::bigint as requests,
      coalesce(sum(usage.requests) filter (where usage.status >= 400), 0)::bigint as refused
    from public.api_key_usage as usage
    where usage.company_id = keys.company_id and usage.key_id = keys.id
      and usage.hour > now() - make_interval(hours => answers_of_api_keys.hours)
  ) as lately
  where keys.company_id = answers_of_api_keys.company_id and lately.requests is not null
$$;
comment on function public.answers_of_api_keys(uuid, integer) is
  'Returns, for each API key of a company, the number of requests and the number of error responses. Covers the given '
  'number of hours, including the current hour. Excludes keys without requests. A user sees only what the policies of '
  'api_key_usage allow.';
grant execute on function public.answers_of_api_keys(uuid, integer) to authenticated, service_role;

create function app.remove_old_usage_of_keys(max_rows integer) returns void
language plpgsql
set search_path = ''
as $$
begin
  -- If two calls run at the same time, each call skips the rows that the other call deletes.
  delete from public.api_key_usage as usage using (
    select company_id, key_id, hour, status from public.api_key_usage
    where hour at time zone 'UTC' <= (now() - interval '31 days') at time zone 'UTC'
    limit max_rows
    for update skip locked
  ) as old
  where usage.company_id = old.company_id and usage.key_id = old.key_id
    and usage.hour = old.hour and usage.status = old.status;
  delete from public.api_key_errors where id in (
    select id from public.api_key_errors
    where last_at < now() - interval '30 days'
    limit max_rows
    for update skip locked
  );
end
$$;
comment on function app.remove_old_usage_of_keys(integer) is
  'Keeps the counts of the last 31 days and the errors of the last 30 days, and deletes older rows. Deletes at most '
  'max_rows rows of each table.';

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
