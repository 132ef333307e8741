-- Jobs for messaging accounts. They need an account's access token, so the edge function `whatsapp` does them: one
-- job for one account in a call. The database says which are due and keeps what became of each.

do $$
begin
  if not exists (select from pg_roles where rolname = 'channel_client') then
    create role channel_client nologin noinherit;
  end if;
end
$$;
comment on role channel_client is
  'The role of the edge function whatsapp. It reads and writes no table; it calls the functions of its jobs.';
grant channel_client to authenticator;
-- A synchronisation writes thousands of templates in one statement.
alter role channel_client set statement_timeout = '20s';
alter role channel_client set lock_timeout = '5s';
grant usage on schema public to channel_client;
notify pgrst, 'reload config';

create table public.job_runs (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  account_id uuid not null,
  job text not null check (job in ('template-sync', 'template-media')),
  began_at timestamptz not null default now(),
  -- Null while it runs. A run that began more than three minutes ago was cut off.
  ended_at timestamptz,
  -- Why it failed, in a sentence for operators.
  failure text check (char_length(failure) between 1 and 1000),
  result jsonb,
  unique (company_id, id),
  constraint job_runs_account_fkey foreign key (company_id, account_id)
    references public.messaging_accounts (company_id, id) on delete cascade
);
comment on table public.job_runs is 'When each job ran for an account, and how it went; kept for 30 days.';
create index job_runs_account_idx on public.job_runs (company_id, account_id, job, began_at desc);
create index job_runs_age_idx on public.job_runs (began_at);

alter table public.job_runs enable row level security;
create policy "the platform reads the runs of jobs" on public.job_runs
  for select to service_role using (true);
grant select on public.job_runs to service_role;

create function app.is_running(of_company_id uuid, of_account_id uuid, of_job text) returns boolean
language sql stable
set search_path = ''
as $$
  select exists (
    select from public.job_runs
    where company_id = of_company_id and account_id = of_account_id and job = of_job
      and ended_at is null and began_at > now() - interval '3 minutes'
  )
$$;
comment on function app.is_running(uuid, uuid, text) is
  'Whether a run of a job for an account is under way. No run takes three minutes.';

create function public.begin_job(job text, account_id uuid) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  account record;
  run record;
begin
  -- Of several calls at once, one gets the row and the others see its run.
  select accounts.* into account from public.messaging_accounts as accounts
  where accounts.id = begin_job.account_id and accounts.disconnected_at is null
  for no key update;
  if not found then
    return null;
  end if;
  if app.is_running(account.company_id, account.id, begin_job.job) then
    return jsonb_build_object('busy', true);
  end if;
  -- Of several calls at once, none waits for the rows that another deletes.
  delete from public.job_runs where id in (
    select id from public.job_runs where began_at < now() - interval '30 days' for update skip locked
  );
  -- A failure is counted there, also that of the first synchronisation.
  if begin_job.job = 'template-sync' and account.business_account_id is not null then
    insert into public.template_catalogues (company_id, business_account_id)
    values (account.company_id, account.business_account_id)
    on conflict do nothing;
  end if;
  insert into public.job_runs (company_id, account_id, job)
  values (account.company_id, account.id, begin_job.job)
  returning id, began_at into run;
  return jsonb_build_object(
    'run_id', run.id,
    'began_at', run.began_at,
    'account_id', account.id,
    'company_id', account.company_id,
    'phone_number_id', account.phone_number_id,
    'business_account_id', account.business_account_id,
    'encrypted_token', account.encrypted_token
  );
end
$$;
comment on function public.begin_job(text, uuid) is
  'Begins a job for a connected account and returns what it needs, with the account''s encrypted token; busy while '
  'another run of the job for the account is under way; null when no connected account has this id.';
grant execute on function public.begin_job(text, uuid) to channel_client, service_role;

create function public.end_job(run_id uuid, failure text default null, result jsonb default null) returns void
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  run record;
begin
  update public.job_runs set
    ended_at = now(),
    failure = left(end_job.failure, 1000),
    result = end_job.result
  where id = end_job.run_id and ended_at is null
  returning company_id, account_id, job into run;
  if run.job = 'template-sync' and end_job.failure is not null then
    update public.template_catalogues as catalogues set
      failures = catalogues.failures + 1,
      sync_due_at = now() + least(interval '5 minutes' * 2 ^ least(catalogues.failures, 10), interval '6 hours')
    from public.messaging_accounts as accounts
    where accounts.company_id = run.company_id and accounts.id = run.account_id
      and catalogues.company_id = accounts.company_id
      and catalogues.business_account_id = accounts.business_account_id;
  end if;
end
$$;
comment on function public.end_job(uuid, text, jsonb) is
  'Records the end of a run, with the reason when it failed. A synchronisation that failed is due again after a '
  'pause that grows with each failure, from five minutes to six hours.';
grant execute on function public.end_job(uuid, text, jsonb) to channel_client, service_role;
