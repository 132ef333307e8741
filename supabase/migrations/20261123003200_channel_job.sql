-- The job of the channel itself, which needs no account: each minute it applies what is due, and ends what is over.

create table public.channel_jobs (
  job text primary key check (job in ('channel-events')),
  began_at timestamptz,
  -- Null while it runs. A run that began more than three minutes ago was cut off.
  ended_at timestamptz,
  -- Why it failed, in a sentence for operators.
  failure text check (char_length(failure) between 1 and 1000),
  result jsonb,
  -- Of the last call by pg_cron; see job_calls.
  request_id bigint,
  called_at timestamptz
);
comment on table public.channel_jobs is
  'The last run of each job that needs no account, and the last call of the edge function for it.';
alter table public.channel_jobs enable row level security;
create policy "the platform reads the runs of the channel's jobs" on public.channel_jobs
  for select to service_role using (true);
grant select on public.channel_jobs to service_role;

create function public.begin_channel_job(job text) returns boolean
language plpgsql security definer -- the role of the function whatsapp writes no table
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
  'Begins a job that needs no account, and returns whether it did: not while another run of it is under way.';
grant execute on function public.begin_channel_job(text) to channel_client;

create function public.end_channel_job(job text, failure text default null, result jsonb default null) returns void
language sql security definer -- as begin_channel_job()
set search_path = ''
as $$
  update public.channel_jobs as jobs set
    ended_at = now(), failure = left(end_channel_job.failure, 1000), result = end_channel_job.result
  where jobs.job = end_channel_job.job and jobs.ended_at is null
$$;
comment on function public.end_channel_job(text, text, jsonb) is
  'Records the end of a run of a job that needs no account, with the reason when it failed.';
grant execute on function public.end_channel_job(text, text, jsonb) to channel_client;

create function app.remove_old_events(max_rows integer) returns integer
language sql
set search_path = ''
as $$
  with old as (
    select id from public.channel_events
    where received_at < now() - interval '30 days'
    order by received_at
    limit max_rows
    for update skip locked
  ),
  removed as (
    delete from public.channel_events using old where channel_events.id = old.id
    returning channel_events.id
  )
  select count(*)::integer from removed
$$;
comment on function app.remove_old_events(integer) is
  'Deletes events of more than 30 days ago, at most so many, and returns how many: what people write is kept where it '
  'is shown, and no longer than that.';

create function app.remove_old_waiting_facts(max_rows integer) returns integer
language sql
set search_path = ''
as $$
  with old as (
    select id from public.waiting_facts
    where received_at < now() - interval '30 days'
    order by received_at
    limit max_rows
    for update skip locked
  ),
  removed as (
    delete from public.waiting_facts using old where waiting_facts.id = old.id
    returning waiting_facts.id
  )
  select count(*)::integer from removed
$$;
comment on function app.remove_old_waiting_facts(integer) is
  'Deletes reports of more than 30 days ago about messages that nobody knows, at most so many, and returns how many.';

create function public.tend_channel(max_rows integer default 1000) returns jsonb
language plpgsql security definer -- as begin_channel_job()
set search_path = ''
as $$
declare
  duty record;
  done integer;
  counts jsonb := '{}';
  failures text[] := '{}';
begin
  perform set_config('lock_timeout', '1s', true);
  for duty in
    select * from (values
      ('woken', 'app.wake_late_events()'),
      ('waiting_applied', 'app.apply_waiting_facts(integer)'),
      ('expired', 'public.expire_messages()'),
      ('events_removed', 'app.remove_old_events(integer)'),
      ('waiting_removed', 'app.remove_old_waiting_facts(integer)')
    ) as duties (name, signature)
  loop
    -- None keeps the others from being done.
    begin
      execute format('select %s', replace(duty.signature, 'integer', '$1')) into done using max_rows;
      counts := counts || jsonb_build_object(duty.name, coalesce(done, 0));
    exception when others then
      failures := failures || format('%s: %s %s', duty.name, sqlstate, left(sqlerrm, 200));
    end;
  end loop;
  return counts || jsonb_build_object('failures', to_jsonb(failures));
end
$$;
comment on function public.tend_channel(integer) is
  'What the job of the channel does beside applying events: wakes those whose account came meanwhile, applies reports '
  'whose message is known by now, marks messages that expired, and deletes what is older than 30 days, at most so many '
  'rows of each. Returns how many, and what failed.';
grant execute on function public.tend_channel(integer) to channel_client;

create or replace function app.call_due_jobs() returns integer
language plpgsql
set search_path = ''
as $$
declare
  function_url constant text := app.job_secret('whatsapp_function_url');
  secret constant text := app.job_secret('whatsapp_jobs_secret');
  call constant text :=
    'select net.http_post(url := $1, body := $2, headers := $3, timeout_milliseconds := 150000)';
  headers constant jsonb :=
    jsonb_build_object('Content-Type', 'application/json', 'Authorization', 'Bearer ' || secret);
  due record;
  call_id bigint;
  called integer := 0;
begin
  if function_url is null or secret is null then
    raise exception 'Vault has no address and secret of the function whatsapp: run npm run admin -- jobs schedule';
  end if;
  execute call into call_id using function_url || '/jobs/channel-events', jsonb_build_object(), headers;
  insert into public.channel_jobs as jobs (job, request_id, called_at) values ('channel-events', call_id, now())
  on conflict (job) do update set request_id = excluded.request_id, called_at = excluded.called_at;
  called := called + 1;
  delete from public.job_calls where called_at < now() - interval '1 day';
  -- In any order, so that jobs that are due again and again do not keep the others from their turn.
  for due in
    select jobs.job, jobs.account_id, accounts.company_id
    from public.due_jobs() as jobs
    join public.messaging_accounts as accounts on accounts.id = jobs.account_id
    order by random()
    limit 50
  loop
    execute call into call_id
    using function_url || '/jobs/' || due.job, jsonb_build_object('account_id', due.account_id), headers;
    insert into public.job_calls (company_id, account_id, job, request_id)
    values (due.company_id, due.account_id, due.job, call_id);
    called := called + 1;
  end loop;
  return called;
end
$$;
comment on function app.call_due_jobs() is
  'Calls the edge function whatsapp for the events of the channel, and for the jobs that are due, at most 50 of them, '
  'and returns how many calls it made. They are made after the transaction. pg_cron runs it each minute.';

create or replace function app.failed_job_calls() returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  calls jsonb;
begin
  if to_regnamespace('net') is null then
    return '[]';
  end if;
  execute $query$
    select coalesce(jsonb_agg(jsonb_build_object(
      'job', failed.job, 'account_id', failed.account_id, 'called_at', failed.called_at,
      'status', failed.status_code, 'error', failed.error
    ) order by failed.called_at desc), '[]')
    from (
      select calls.job, calls.account_id, calls.called_at, answers.status_code,
        left(coalesce(answers.error_msg, answers.content), 500) as error
      from (
        select job, account_id, called_at, request_id from public.job_calls
        union all
        select job, null, called_at, request_id from public.channel_jobs
      ) as calls
      join net._http_response as answers on answers.id = calls.request_id
      -- 409: another run was under way.
      where answers.status_code is null or answers.status_code >= 300 and answers.status_code <> 409
      order by calls.called_at desc
      limit 10
    ) as failed
  $query$ into calls;
  return calls;
end
$$;

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
  'The last run of the job of the channel, how many events are due and since when, and how many are in each other '
  'state than done.';

-- What there was becomes a part of it.
alter function public.jobs_status() set schema app;
alter function app.jobs_status() rename to account_jobs_status;
revoke execute on function app.account_jobs_status() from service_role;
create function public.jobs_status() returns jsonb
language sql stable security definer -- as schedule_jobs()
set search_path = ''
as $$
  select app.account_jobs_status() || jsonb_build_object('channel', app.channel_job_status())
$$;
comment on function public.jobs_status() is
  'Whether jobs are scheduled and how each goes: the jobs of pg_cron, that of the channel, the catalogue and the last '
  'runs of each connected account, and the last calls of the edge function that were not answered well.';
grant execute on function public.jobs_status() to service_role;
