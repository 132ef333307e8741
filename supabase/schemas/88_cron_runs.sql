-- The runs of the service's jobs in pg_cron (88_schedule.sql). pg_cron keeps a row for each run, and never deletes it.
-- A database may not have pg_cron, so only dynamic SQL refers to its tables.

create function app.cron_jobs() returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  jobs jsonb;
begin
  if to_regnamespace('cron') is null then
    return '[]';
  end if;
  execute $query$
    select coalesce(jsonb_agg(jsonb_build_object(
      'name', job.jobname, 'schedule', job.schedule, 'active', job.active,
      'last_run_at', run.start_time, 'last_status', run.status, 'last_message', run.return_message
    ) order by job.jobname), '[]')
    from cron.job
    left join lateral (
      select details.start_time, details.status, left(details.return_message, 500) as return_message
      from cron.job_run_details as details
      where details.jobid = job.jobid
      order by details.runid desc
      limit 1
    ) as run on true
    where job.jobname in ('call-due-jobs', 'fail-expired-sends', 'tidy-events')
  $query$ into jobs;
  return jobs;
end
$$;
comment on function app.cron_jobs() is 'Returns the jobs of schedule_jobs() from pg_cron, each with its last run.';

create function app.remove_old_cron_runs(max_rows integer) returns integer
language plpgsql
set search_path = ''
as $$
declare
  removed integer := 0;
begin
  if to_regnamespace('cron') is not null then
    execute $query$
      delete from cron.job_run_details where runid in (
        select runid from cron.job_run_details
        where jobid in (
            select jobid from cron.job where jobname in ('call-due-jobs', 'fail-expired-sends', 'tidy-events')
          )
          -- A run that was interrupted has no end.
          and coalesce(end_time, start_time) < now() - interval '7 days'
        order by runid
        limit $1
      )
    $query$ using max_rows;
    get diagnostics removed = row_count;
  end if;
  return removed;
end
$$;
comment on function app.remove_old_cron_runs(integer) is
  'Deletes at most max_rows runs of the jobs of schedule_jobs() that ended more than 7 days ago, and returns their '
  'number. Returns 0 in a database without pg_cron.';
