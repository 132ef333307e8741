-- What became of the requests with each key: how many were answered on a day with which status, and the last errors.
-- For whoever looks after a company's keys. It says nothing of what was asked for: no path, no query, no body, no sentence
-- of an error, because any of them may have something of a person.

create table public.api_key_usage (
  company_id uuid not null references public.companies on delete cascade,
  key_id uuid not null,
  -- Of UTC.
  day date not null,
  status smallint not null check (status between 100 and 599),
  requests bigint not null check (requests > 0),
  primary key (company_id, key_id, day, status),
  constraint api_key_usage_key_fkey foreign key (company_id, key_id)
    references public.api_keys (company_id, id) on delete cascade
);
comment on table public.api_key_usage is
  'How many requests with each key were answered on a day (UTC), by the HTTP status of the answer; kept for 30 days. '
  'At most a minute late, and never too many: what an instance of a function had not told when it ended is missing.';
create index api_key_usage_age_idx on public.api_key_usage (day);

create table public.api_key_errors (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  key_id uuid not null,
  at timestamptz not null,
  status smallint not null check (status between 400 and 599),
  -- The code of the error, such as invalid_request.
  code text not null check (char_length(code) between 1 and 64),
  method text not null check (char_length(method) between 1 and 16),
  -- The id of the operation in the API's description; null where no operation has the path and the method.
  operation text check (char_length(operation) between 1 and 64),
  request_id text not null check (char_length(request_id) between 1 and 128),
  constraint api_key_errors_key_fkey foreign key (company_id, key_id)
    references public.api_keys (company_id, id) on delete cascade
);
comment on table public.api_key_errors is
  'The last errors that requests with each key were answered, newest 50 of a key and of 30 days. The request id is that '
  'of the answer and of the functions'' log.';
create index api_key_errors_newest_idx on public.api_key_errors (company_id, key_id, at desc, id desc);
create index api_key_errors_age_idx on public.api_key_errors (at);

alter table public.api_key_usage enable row level security;
create policy "owners and admins read the usage of their company's keys" on public.api_key_usage
  for select to authenticated using (company_id = any ((select app.managed_company_ids())::uuid[]));
create policy "the platform reads the usage of keys" on public.api_key_usage
  for select to service_role using (true);
grant select on public.api_key_usage to authenticated, service_role;

alter table public.api_key_errors enable row level security;
create policy "owners and admins read the errors of their company's keys" on public.api_key_errors
  for select to authenticated using (company_id = any ((select app.managed_company_ids())::uuid[]));
create policy "the platform reads the errors of keys" on public.api_key_errors
  for select to service_role using (true);
grant select on public.api_key_errors to authenticated, service_role;
