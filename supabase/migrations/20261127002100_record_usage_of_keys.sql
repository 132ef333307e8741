-- The functions count in their memory, and tell what they have counted together, a few times a minute. They do so as a
-- role that can do nothing else.

do $$
begin
  -- Roles belong to the whole cluster, so another database of it may have made this one.
  if not exists (select from pg_roles where rolname = 'usage_client') then
    create role usage_client nologin noinherit;
  end if;
end
$$;
comment on role usage_client is
  'The role in which the edge functions tell how keys were used. It reads and writes no table; it calls one function.';
grant usage_client to authenticator;
alter role usage_client set statement_timeout = '5s';
alter role usage_client set lock_timeout = '2s';
grant usage on schema public to usage_client;
notify pgrst, 'reload config';

create function app.remove_old_usage_of_keys(max_rows integer) returns void
language plpgsql
set search_path = ''
as $$
declare
  first_day constant date := (now() at time zone 'utc')::date - 29;
begin
  -- Of several calls at once, none waits for the rows that another deletes.
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
  'Deletes what is known of the use of keys before the last 30 days, today among them; at most so many rows of each table.';

create function public.record_api_key_usage(usage jsonb, errors jsonb default '[]') returns void
language plpgsql security definer -- its caller may neither find a key nor write
set search_path = ''
as $$
#variable_conflict use_column
declare
  today constant date := (now() at time zone 'utc')::date;
  held uuid[];
begin
  -- The keys stay until the end. One that is being deleted, or whose company is, is left out: whoever deletes it waits
  -- for its rows here, and must not be waited for.
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

  -- In one order, because many instances tell of one key at once. A clock that is ahead counts as today.
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

  -- Last, because it locks rows of other keys.
  perform app.remove_old_usage_of_keys(1000);
end
$$;
comment on function public.record_api_key_usage(jsonb, jsonb) is
  'Adds what an instance of a function has counted. usage: an array of { key_hash, day, status, requests }, to be added '
  'to what is there. errors: an array of { key_hash, at, status, code, method, operation, request_id }; the newest 50 of '
  'a key are kept. A key that is not known, or is being deleted, is left out, and so is a day that is not kept any more. '
  'Deletes what is older than 30 days.';
grant execute on function public.record_api_key_usage(jsonb, jsonb) to usage_client;
