-- Jobs. An account job needs the access token of a messaging account. The job channel-events needs no account. The edge
-- function whatsapp runs one job per call. The database determines which jobs are due, and stores the result of each
-- run.

create table public.job_runs (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  account_id uuid not null,
  job text not null check (job in ('template-sync', 'template-media')),
  began_at timestamptz not null default now(),
  -- Null while the run is in progress. A run without an end that started more than three minutes ago was interrupted.
  ended_at timestamptz,
  -- Why the run failed, as an error message for operators.
  failure text check (char_length(failure) between 1 and 1000),
  result jsonb,
  unique (company_id, id),
  constraint job_runs_account_fkey foreign key (company_id, account_id)
    references public.messaging_accounts (company_id, id) on delete cascade
);
comment on table public.job_runs is 'Each run of a job for an account, with its result. Rows are kept for 30 days.';

-- The jobs that need no account. Every minute, the job channel-events applies the due events, and updates or deletes
-- expired rows. For the delivery job, this table has only the last call and the last failure.
create table public.channel_jobs (
  job text primary key check (job in ('channel-events', 'deliver')),
  began_at timestamptz,
  -- Null while the run is in progress. A run without an end that started more than three minutes ago was interrupted.
  ended_at timestamptz,
  -- Why the run failed, as an error message for operators.
  failure text check (char_length(failure) between 1 and 1000),
  result jsonb,
  -- The last call by pg_cron. See job_calls.
  request_id bigint,
  called_at timestamptz
);
comment on table public.channel_jobs is
  'The last run of each job that needs no account, and the last call of the edge function for this job.';

create index job_runs_account_idx on public.job_runs (company_id, account_id, job, began_at desc);
create index job_runs_age_idx on public.job_runs (began_at);

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
  'Checks whether a job is running for an account. A run takes less than three minutes.';

create function public.begin_job(job text, account_id uuid) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  account record;
  run record;
begin
  -- If several calls run at the same time, the first call locks the row. The other calls wait and then see the run of
  -- the first call.
  select accounts.* into account from public.messaging_accounts as accounts
  where accounts.id = begin_job.account_id and accounts.disconnected_at is null
  for no key update;
  if not found then
    return null;
  end if;
  if app.is_running(account.company_id, account.id, begin_job.job) then
    return jsonb_build_object('busy', true);
  end if;
  -- If several calls run at the same time, each call skips the rows that another call deletes.
  delete from public.job_runs where id in (
    select id from public.job_runs where began_at < now() - interval '30 days' for update skip locked
  );
  -- end_job() counts failures in the row of the catalogue, so the row must exist before the templates are read for the
  -- first time.
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
  'Starts a job for a connected account and returns the data for the job, with the account''s encrypted token. Returns '
  '{ busy: true } while the job is already running for the account. Returns null when no connected account has this '
  'id.';
grant execute on function public.begin_job(text, uuid) to channel_client, service_role;

create function public.end_job(
  run_id uuid,
  failure text default null,
  result jsonb default null,
  refusal text default null
) returns void
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  run record;
begin
  update public.job_runs set ended_at = now(), failure = left(end_job.failure, 1000), result = end_job.result
  where id = end_job.run_id and ended_at is null
  returning company_id, account_id, job, began_at into run;
  -- The account is locked before its catalogue, as in a disconnection of the account.
  if run.job = 'template-sync' and end_job.refusal is not null then
    -- If the account has another token now, the templates remain due.
    if not app.note_refusal(run.account_id, 'reading_refusal', end_job.refusal, 0, run.began_at) then return; end if;
  elsif run.job = 'template-sync' and end_job.failure is null then
    perform app.withdraw_refusals(run.account_id, 'reading_refusal', run.began_at);
  end if;
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
comment on function public.end_job(uuid, text, jsonb, text) is
  'Records the end of a run, and the reason if the run failed. If WhatsApp refused the account when the job requested '
  'the templates, `refusal` is the WhatsApp error code, or token_unusable. After a failed template-sync, the templates '
  'are due again after a pause. The pause grows with each failure, from five minutes to six hours.';
grant execute on function public.end_job(uuid, text, jsonb, text) to channel_client, service_role;

create function public.note_numbers(account_id uuid, numbers jsonb) returns integer
language plpgsql security definer -- the role of the function whatsapp cannot write any table
set search_path = ''
as $$
#variable_conflict use_column
declare
  noted integer;
begin
  insert into public.account_health as health (
    account_id, company_id, token_stored_at, quality_rating, messaging_limit, checked_at
  )
  select
    accounts.id, accounts.company_id, accounts.created_at, left(number ->> 'quality_rating', 100),
    left(number ->> 'messaging_limit', 100), now()
  from public.messaging_accounts as asked
  join public.messaging_accounts as accounts on accounts.company_id = asked.company_id
    and accounts.business_account_id = asked.business_account_id and accounts.disconnected_at is null
  join jsonb_array_elements(numbers) as number on number ->> 'id' = accounts.phone_number_id
  where asked.id = note_numbers.account_id
  order by accounts.id
  on conflict on constraint account_health_once do update set
    quality_rating = excluded.quality_rating,
    messaging_limit = excluded.messaging_limit,
    checked_at = excluded.checked_at;
  get diagnostics noted = row_count;
  return noted;
end
$$;
comment on function public.note_numbers(uuid, jsonb) is
  'Stores the quality rating and the messaging limit that Meta reports for each number of this account''s business '
  'account. Each element of `numbers` has id, quality_rating and messaging_limit. Returns how many accounts of the '
  'company were updated.';
grant execute on function public.note_numbers(uuid, jsonb) to channel_client, service_role;

create function public.due_jobs() returns table (job text, account_id uuid)
language sql stable security definer
set search_path = ''
as $$
  -- The query chooses one random account for each business account, because the token of one account may be unusable.
  (
    select 'template-sync', due.id
    from (
      select distinct on (accounts.company_id, accounts.business_account_id)
        accounts.id, accounts.company_id, accounts.business_account_id
      from public.messaging_accounts as accounts
      left join public.template_catalogues as catalogues on catalogues.company_id = accounts.company_id
        and catalogues.business_account_id = accounts.business_account_id
      where accounts.disconnected_at is null and accounts.business_account_id is not null
        and (catalogues.id is null or catalogues.sync_due_at <= now())
      order by accounts.company_id, accounts.business_account_id, random()
    ) due
    where not exists (
      select from public.messaging_accounts as others
      where others.company_id = due.company_id and others.business_account_id = due.business_account_id
        and app.is_running(others.company_id, others.id, 'template-sync')
    )
  )
  union all
  (
    select 'template-media', accounts.id
    from public.messaging_accounts as accounts
    where accounts.disconnected_at is null and accounts.business_account_id is not null
      and public.due_media(accounts.id, 1) <> '[]'
      and not app.is_running(accounts.company_id, accounts.id, 'template-media')
      -- An upload waits for a due or running template-sync, which stores new URLs of the samples.
      and not exists (
        select from public.template_catalogues as catalogues
        join public.messaging_accounts as others using (company_id, business_account_id)
        where catalogues.company_id = accounts.company_id
          and catalogues.business_account_id = accounts.business_account_id
          and (catalogues.sync_due_at <= now() or app.is_running(others.company_id, others.id, 'template-sync'))
      )
      -- A whole run fails, for example, when the account's token cannot be used. Single uploads have their own pauses.
      and not exists (
        select from public.job_runs as runs
        where runs.company_id = accounts.company_id and runs.account_id = accounts.id
          and runs.job = 'template-media' and runs.failure is not null
          and runs.began_at > now() - interval '30 minutes'
      )
  )
$$;
comment on function public.due_jobs() is
  'Returns the jobs that should run now, each with its account. If a run of template-media fails as a whole, '
  'the job is due again for the same account half an hour after that run.';
grant execute on function public.due_jobs() to channel_client, service_role;

create function public.begin_channel_job(job text) returns boolean
language plpgsql security definer -- the role of the function whatsapp cannot write any table
set search_path = ''
as $$
#variable_conflict use_column
begin
  insert into public.channel_jobs as jobs (job, began_at) values (begin_channel_job.job, now())
  on conflict (job) do update set began_at = now(), ended_at = null, failure = null, result = null
  where jobs.began_at is null or jobs.ended_at is not null or jobs.began_at < now() - interval '3 minutes';
  return found;
end
$$;
comment on function public.begin_channel_job(text) is
  'Starts a job that needs no account, and returns true. Returns false while the job is already running.';
grant execute on function public.begin_channel_job(text) to channel_client;

create function public.end_channel_job(job text, failure text default null, result jsonb default null) returns void
language sql security definer -- see begin_channel_job()
set search_path = ''
as $$
  update public.channel_jobs as jobs set
    ended_at = now(), failure = left(end_channel_job.failure, 1000), result = end_channel_job.result
  where jobs.job = end_channel_job.job and jobs.ended_at is null
$$;
comment on function public.end_channel_job(text, text, jsonb) is
  'Records the end of a run of a job that needs no account, and the reason if the run failed.';
grant execute on function public.end_channel_job(text, text, jsonb) to channel_client;

create function app.jobs_ran_at() returns timestamptz
language sql stable security definer -- people cannot read the table
set search_path = ''
as $$
  select max(began_at) from public.channel_jobs
$$;
comment on function app.jobs_ran_at() is
  'Returns when the platform''s jobs last ran. The jobs run every minute, so a time more than a few minutes ago means '
  'that they have stopped.';
grant execute on function app.jobs_ran_at() to authenticated;

create function public.tend_channel(max_rows integer default 1000) returns jsonb
language plpgsql security definer -- see begin_channel_job()
set search_path = ''
as $$
declare
  duty record;
  done integer;
  counts jsonb := '{}';
  failures text[] := '{}';
begin
  perform set_config('lock_timeout', '1s', true);
  perform set_config('app.event_actor', 'job', true);
  for duty in
    select * from (values
      ('waiting_applied', 'app.apply_waiting_facts(integer)'),
      ('expired', 'public.expire_messages()'),
      -- The tasks that lock events run after the tasks that lock messages, because an erasure uses this order.
      ('woken', 'app.wake_late_events(integer)'),
      ('events_removed', 'app.remove_old_events(integer)'),
      ('waiting_removed', 'app.remove_old_waiting_facts(integer)'),
      ('erased_forgotten', 'app.forget_erased_people(integer)'),
      ('uploads_removed', 'app.remove_old_uploads(integer)'),
      ('invitations_removed', 'app.remove_old_invitations(integer)'),
      ('cron_runs_removed', 'app.remove_old_cron_runs(integer)'),
      -- This task runs last, because a request with one of the deleted keys waits until this transaction ends.
      ('keys_removed', 'app.remove_old_idempotency_keys(integer)')
    ) as duties (name, signature)
  loop
    -- If one task fails, the other tasks still run.
    begin
      execute format('select %s', replace(duty.signature, 'integer', '$1')) into done using max_rows;
      counts := counts || jsonb_build_object(duty.name, coalesce(done, 0));
    exception when query_canceled then
      -- Postgres would not cancel this statement a second time, so no other task may begin. The results of the earlier
      -- tasks remain.
      failures := failures || format('%s: %s %s', duty.name, sqlstate, left(sqlerrm, 200));
      exit;
    when others then
      failures := failures || format('%s: %s %s', duty.name, sqlstate, left(sqlerrm, 200));
    end;
  end loop;
  return counts || jsonb_build_object('failures', to_jsonb(failures));
end
$$;
comment on function public.tend_channel(integer) is
  'Runs all tasks of the job channel-events, but does not apply events. Makes events due again if their account has '
  'been added, and applies reports about messages that are now known. Updates expired messages, and deletes old rows. '
  'Deletes at most max_rows rows of each table, and ten times as many idempotency keys. If a task reaches the '
  'statement timeout, the results of the earlier tasks remain, and the later tasks wait for the next run. Returns the '
  'number of rows for each task, and the failures.';
grant execute on function public.tend_channel(integer) to channel_client;

-- The job channel-events continues the deletions of tend_channel() with this function. Each call is a transaction of
-- its own, which locks no other rows. In the transaction of tend_channel(), the locks of the earlier tasks would be
-- held until all deletions end.
create function public.remove_old_channel_rows(max_rows integer default 1000) returns jsonb
language sql security definer -- see begin_channel_job()
set search_path = ''
as $$
  select jsonb_build_object(
    'events_removed', app.remove_old_events(max_rows),
    'waiting_removed', app.remove_old_waiting_facts(max_rows)
  )
$$;
comment on function public.remove_old_channel_rows(integer) is
  'Deletes at most max_rows old events and max_rows old reports about unknown messages, and returns their numbers.';
grant execute on function public.remove_old_channel_rows(integer) to channel_client;

create function app.channel_job_status() returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object(
    'last_run', (
      select jsonb_build_object(
        'began_at', jobs.began_at, 'ended_at', jobs.ended_at, 'failure', jobs.failure, 'result', jobs.result
      )
      from public.channel_jobs as jobs where jobs.job = 'channel-events' and jobs.began_at is not null
    ),
    'due', (select count(*) from public.channel_events where next_attempt_at <= now()),
    'oldest_due_at', (
      select min(received_at) from public.channel_events where next_attempt_at <= now()
    ),
    'not_done', (
      select coalesce(jsonb_object_agg(counted.state, counted.events), '{}')
      from (
        select state, count(*) as events from public.channel_events where state <> 'done' group by state
      ) as counted
    )
  )
$$;
comment on function app.channel_job_status() is
  'Returns the last run of the job channel-events, the number of due events, and when the oldest due event was '
  'received. Also returns the number of events in each state except done.';

create function public.channel_health() returns jsonb
language sql stable security definer -- all counts come from one snapshot
set search_path = ''
as $$
  select jsonb_build_object(
    'expired', count(*),
    'expired_unreported', count(*) filter (where sent_at is null),
    'double_sends', (
      select count(*) from public.sends
      where double_sent_ids <> '{}' and updated_at > now() - interval '1 day'
    ),
    'waiting_facts', (
      select count(*) from public.waiting_facts where received_at > now() - interval '1 day'
    ),
    'failures', app.failures_of_sends(now() - interval '1 day')
  )
  from public.messages
  where expired_at is not null and expired_at > now() - interval '1 day'
$$;
comment on function public.channel_health() is
  'Returns counts for the last day: expired messages, messages that were sent twice (double_sends), and facts that '
  'still wait for their message. Also counts the sends that failed, were refused or were released (failures). The '
  'member expired_unreported counts the expired messages without any report. Such messages occur when WhatsApp events '
  'do not arrive here.';
grant execute on function public.channel_health() to service_role;

alter table public.job_runs enable row level security;
create policy "the platform reads the runs of jobs" on public.job_runs
  for select to service_role using (true);
alter table public.channel_jobs enable row level security;
create policy "the platform reads the runs of the channel's jobs" on public.channel_jobs
  for select to service_role using (true);

grant select on public.job_runs to service_role;
grant select on public.channel_jobs to service_role;
