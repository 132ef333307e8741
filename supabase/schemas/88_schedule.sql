-- The job schedule. pg_cron calls the edge functions whatsapp and webhooks through pg_net, with URLs and a secret from
-- Vault. This schema must also work in a database without these extensions, so only dynamic SQL refers to the
-- extensions. In such a database, another program calls the edge functions, as the local stack does.

create table public.job_calls (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  account_id uuid not null,
  job text not null,
  -- The id of the request in pg_net, which keeps the response for some hours.
  request_id bigint not null,
  called_at timestamptz not null default now(),
  unique (company_id, id),
  constraint job_calls_account_fkey foreign key (company_id, account_id)
    references public.messaging_accounts (company_id, id) on delete cascade
);
comment on table public.job_calls is
  'Each call of the edge function whatsapp by pg_cron for an account job. The request_id identifies the response in '
  'pg_net. Rows are kept for a day.';

create index job_calls_account_idx on public.job_calls (company_id, account_id);
create index job_calls_age_idx on public.job_calls (called_at);

create function app.job_secret(of_name text) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  found_secret text;
begin
  execute 'select decrypted_secret from vault.decrypted_secrets where name = $1' into found_secret using of_name;
  return found_secret;
end
$$;
comment on function app.job_secret(text) is
  'Returns the secret with this name from Vault, or null when no secret has this name.';

create function app.keep_job_secret(of_name text, secret text, description text) returns void
language plpgsql
set search_path = ''
as $$
declare
  known_id uuid;
begin
  execute 'select id from vault.decrypted_secrets where name = $1' into known_id using of_name;
  if known_id is null then
    execute 'select vault.create_secret($1, $2, $3)' using secret, of_name, description;
  else
    execute 'select vault.update_secret($1, $2)' using known_id, secret;
  end if;
end
$$;
comment on function app.keep_job_secret(text, text, text) is
  'Stores a secret in Vault under a name, and replaces the earlier secret with that name.';

create function app.call_due_jobs() returns integer
language plpgsql
set search_path = ''
as $$
declare
  function_url constant text := app.job_secret('whatsapp_function_url');
  webhooks_url constant text := app.job_secret('webhooks_function_url');
  secret constant text := app.job_secret('jobs_secret');
  -- A job responds as soon as it has begun, because pg_net waits for all responses in one transaction. The change feeds
  -- contain no later change until that transaction ends.
  call constant text :=
    'select net.http_post(url := $1, body := $2, headers := $3, timeout_milliseconds := 5000)';
  headers constant jsonb :=
    jsonb_build_object('Content-Type', 'application/json', 'Authorization', 'Bearer ' || secret);
  due record;
  call_id bigint;
  called integer := 0;
begin
  if function_url is null or webhooks_url is null or secret is null then
    raise exception
      'Vault does not have the addresses and the secret of the functions: run npm run admin -- jobs schedule';
  end if;
  -- Each run delivers for a minute, and a new run starts every minute, so one run is always active.
  if exists (select from public.webhooks where state in ('on', 'catching_up')) then
    execute call into call_id using webhooks_url || '/jobs/deliver', jsonb_build_object(), headers;
    insert into public.channel_jobs as jobs (job, request_id, called_at) values ('deliver', call_id, now())
    on conflict (job) do update set request_id = excluded.request_id, called_at = excluded.called_at;
    called := called + 1;
  end if;
  execute call into call_id using function_url || '/jobs/channel-events', jsonb_build_object(), headers;
  insert into public.channel_jobs as jobs (job, request_id, called_at) values ('channel-events', call_id, now())
  on conflict (job) do update set request_id = excluded.request_id, called_at = excluded.called_at;
  called := called + 1;
  delete from public.job_calls where called_at < now() - interval '1 day';
  -- The order is random, so that jobs that are repeatedly due do not block the other jobs. One instance of the function
  -- may run all these jobs, and the platform kills an instance after 2 s of CPU time.
  for due in
    select jobs.job, jobs.account_id, accounts.company_id
    from public.due_jobs() as jobs
    join public.messaging_accounts as accounts on accounts.id = jobs.account_id
    order by random()
    limit 20
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
  'Calls the edge function whatsapp for the channel job and for at most 20 due account jobs. If any webhook is on, '
  'calls the edge function webhooks for deliveries. Returns the number of calls. pg_net sends the calls after the '
  'transaction. pg_cron runs this function every minute.';

create function public.schedule_jobs(url text, webhooks_url text, secret text) returns void
-- Security definer, because the extensions and Vault belong to the owner of the database.
language plpgsql security definer
set search_path = ''
as $$
declare
  extension record;
  missing text[] := '{}';
begin
  if (url ~ '^https?://[^[:space:]?#]+$' and webhooks_url ~ '^https?://[^[:space:]?#]+$') is not true then
    raise sqlstate 'PT422' using message = 'The address of each function must be a URL without a query';
  end if;
  if secret is null or secret !~ '^[!-~]{32,255}$' then
    raise sqlstate 'PT422' using message =
      'JOBS_SECRET must have 32 to 255 visible ASCII characters';
  end if;
  for extension in
    select * from (values
      ('pg_cron', 'cron', 'pg_catalog'), ('pg_net', 'net', 'extensions'), ('supabase_vault', 'vault', 'vault')
    ) as needed (name, own_schema, made_in)
  loop
    if to_regnamespace(extension.own_schema) is null
      and exists (select from pg_catalog.pg_available_extensions where name = extension.name)
    then
      begin
        if extension.name = 'supabase_vault' then
          execute 'create extension supabase_vault cascade';
        else
          execute format('create extension %I with schema %I', extension.name, extension.made_in);
        end if;
      exception when others then
        raise sqlstate 'PT501' using message = format(
          'The extension %s cannot be enabled (%s): enable it in the dashboard under Database, Extensions, '
          'then schedule the jobs again', extension.name, sqlerrm
        );
      end;
    end if;
    if to_regnamespace(extension.own_schema) is null then
      missing := missing || extension.name;
    end if;
  end loop;
  if missing <> '{}' then
    raise sqlstate 'PT501' using message = format(
      'This database does not have what scheduled jobs need (%s): enable it, or have another scheduler call the '
      'functions whatsapp and webhooks. The local stack (npm start) runs its own jobs', array_to_string(missing, ', ')
    );
  end if;

  perform app.keep_job_secret(
    'whatsapp_function_url', rtrim(url, '/'), 'The address of the edge function whatsapp, for its jobs'
  );
  perform app.keep_job_secret(
    'webhooks_function_url', rtrim(webhooks_url, '/'), 'The address of the edge function webhooks, for its job'
  );
  perform app.keep_job_secret('jobs_secret', secret, 'JOBS_SECRET of the edge functions');
  execute 'select cron.schedule($1, $2, $3)'
    using 'call-due-jobs', '* * * * *', 'select app.call_due_jobs()';
  execute 'select cron.schedule($1, $2, $3)'
    using 'fail-expired-sends', '* * * * *', 'select public.fail_expired_sends()';
  execute 'select cron.schedule($1, $2, $3)'
    using 'tidy-events', '* * * * *', 'select public.tidy_events()';
end
$$;
comment on function public.schedule_jobs(text, text, text) is
  'Schedules three pg_cron jobs that run every minute. The first job calls the edge functions whatsapp and webhooks at '
  'these URLs for due jobs. The second job settles the sends whose lease has ended. The third job maintains the events '
  'and webhooks. Enables the extensions if possible. Raises PT501 when the database does not have the extensions, and '
  'PT422 for a malformed URL or secret.';
grant execute on function public.schedule_jobs(text, text, text) to service_role;

create function public.unschedule_jobs() returns integer
language plpgsql security definer -- see schedule_jobs()
set search_path = ''
as $$
declare
  job_name text;
  is_scheduled boolean;
  unscheduled integer := 0;
begin
  if to_regnamespace('cron') is not null then
    foreach job_name in array array['call-due-jobs', 'fail-expired-sends', 'tidy-events'] loop
      execute 'select exists (select from cron.job where jobname = $1)' into is_scheduled using job_name;
      if is_scheduled then
        execute 'select cron.unschedule($1)' using job_name;
        unscheduled := unscheduled + 1;
      end if;
    end loop;
  end if;
  if to_regnamespace('vault') is not null then
    execute 'delete from vault.secrets where name in ($1, $2, $3)'
      using 'whatsapp_function_url', 'webhooks_function_url', 'jobs_secret';
  end if;
  return unscheduled;
end
$$;
comment on function public.unschedule_jobs() is
  'Removes the jobs of schedule_jobs() from pg_cron, and the URLs and the secret from Vault. Returns the number of '
  'removed jobs, which is 0 when no job was scheduled.';
grant execute on function public.unschedule_jobs() to service_role;

create function app.failed_job_calls() returns jsonb
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
      -- The status 409 means that another run was in progress. A job continues after a call that timed out.
      where answers.status_code is null and answers.timed_out is not true
        or answers.status_code >= 300 and answers.status_code <> 409
      order by calls.called_at desc
      limit 10
    ) as failed
  $query$ into calls;
  return calls;
end
$$;
comment on function app.failed_job_calls() is
  'Returns the last ten failed calls of the edge functions, with the status and the response. A failed call began no '
  'run. A timeout is not a failure.';

create function app.delivery_status() returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object(
    'called_at', (select called_at from public.channel_jobs where job = 'deliver'),
    'last_failure', (
      select jsonb_build_object('failed_at', ended_at, 'failure', failure)
      from public.channel_jobs where job = 'deliver' and failure is not null
    ),
    'webhooks', (
      select coalesce(jsonb_object_agg(state, webhooks), '{}')
      from (select state, count(*) as webhooks from public.webhooks group by state) as states
    ),
    -- The webhooks that are paused for a while because their receivers failed several times.
    'resting', (select count(*) from public.webhooks where state in ('on', 'catching_up') and paused_until > now()),
    'last_success_at', (select max(last_success_at) from public.webhooks),
    'open', (
      select count(*) from app.open_deliveries as open
      join public.webhooks on webhooks.id = open.webhook_id
      where webhooks.state <> 'off'
    ),
    'due', due.deliveries,
    'oldest_due_at', due.oldest_at
  )
  from (
    select count(*) as deliveries, min(open.due_at) as oldest_at
    from app.open_deliveries as open
    join public.webhooks on webhooks.id = open.webhook_id
    where open.due_at <= now() and webhooks.state in ('on', 'catching_up')
      and (webhooks.paused_until is null or webhooks.paused_until <= now())
  ) as due
$$;
comment on function app.delivery_status() is
  'Returns the number of webhooks in each state, and how many webhooks are paused after failures (resting). Also '
  'returns the numbers of open deliveries and of due deliveries, and the last run that failed (last_failure).';

create function app.account_jobs_status() returns jsonb
language plpgsql stable security definer -- see schedule_jobs()
set search_path = ''
as $$
declare
  cron_jobs constant jsonb := app.cron_jobs();
begin
  return jsonb_build_object(
    'scheduled', cron_jobs @> '[{ "name": "call-due-jobs", "active": true }]',
    'url', case when to_regnamespace('vault') is not null then app.job_secret('whatsapp_function_url') end,
    'webhooks_url', case when to_regnamespace('vault') is not null then app.job_secret('webhooks_function_url') end,
    'cron_jobs', cron_jobs,
    'accounts', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'account_id', accounts.id,
        'company_id', accounts.company_id,
        'company_name', companies.name,
        'phone_number_id', accounts.phone_number_id,
        'display_phone', accounts.display_phone,
        'business_account_id', accounts.business_account_id,
        'synced_at', catalogues.synced_at,
        'sync_due_at', catalogues.sync_due_at,
        'failures', coalesce(catalogues.failures, 0),
        'templates', (
          select count(*) from public.templates
          where templates.company_id = accounts.company_id
            and templates.business_account_id = accounts.business_account_id and templates.status <> 'DELETED'
        ),
        'media_due', jsonb_array_length(public.due_media(accounts.id, 100)),
        'last_runs', (
          select coalesce(jsonb_object_agg(runs.job, to_jsonb(runs) - 'job'), '{}')
          from (
            select distinct on (job) job, began_at, ended_at, failure, result
            from public.job_runs
            where job_runs.company_id = accounts.company_id and job_runs.account_id = accounts.id
            order by job, began_at desc
          ) as runs
        )
      ) order by companies.name, accounts.company_id, accounts.display_phone), '[]')
      from public.messaging_accounts as accounts
      join public.companies on companies.id = accounts.company_id
      left join public.template_catalogues as catalogues on catalogues.company_id = accounts.company_id
        and catalogues.business_account_id = accounts.business_account_id
      where accounts.disconnected_at is null
    ),
    'failed_calls', app.failed_job_calls()
  );
end
$$;
comment on function app.account_jobs_status() is
  'Returns whether jobs are scheduled, the pg_cron jobs, and the last failed calls of the edge functions. Also returns '
  'the template catalogue and the last job runs of each connected account.';

create function public.jobs_status() returns jsonb
language sql stable security definer -- see schedule_jobs()
set search_path = ''
as $$
  select app.account_jobs_status()
    || jsonb_build_object('channel', app.channel_job_status(), 'webhooks', app.delivery_status())
$$;
comment on function public.jobs_status() is
  'Returns the result of app.account_jobs_status(), and the status of the job channel-events and of the webhook '
  'deliveries.';
grant execute on function public.jobs_status() to service_role;

alter table public.job_calls enable row level security;
create policy "the platform reads the calls of jobs" on public.job_calls
  for select to service_role using (true);

grant select on public.job_calls to service_role;
