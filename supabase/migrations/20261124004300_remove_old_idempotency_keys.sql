-- Keys are kept for 24 hours. One that is older counts as free already; the job that runs each minute deletes it.

create function app.remove_old_idempotency_keys(max_rows integer) returns integer
language sql
set search_path = ''
as $$
  with old as (
    select company_id, path, key from public.idempotency_keys
    where made_at < now() - interval '24 hours'
    order by made_at
    -- Each POST may make one, so there are more of them than of what else grows old. The rows are small.
    limit 10 * max_rows
    for update skip locked
  ),
  removed as (
    delete from public.idempotency_keys as keys using old
    where keys.company_id = old.company_id and keys.path = old.path and keys.key = old.key
    returning keys.key
  )
  select count(*)::integer from removed
$$;
comment on function app.remove_old_idempotency_keys(integer) is
  'Deletes idempotency keys of more than 24 hours ago, at most ten times so many, and returns how many.';

create or replace function public.tend_channel(max_rows integer default 1000) returns jsonb
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
      ('waiting_removed', 'app.remove_old_waiting_facts(integer)'),
      -- The last one: whoever uses such a key anew waits for the end of this transaction.
      ('keys_removed', 'app.remove_old_idempotency_keys(integer)')
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
  'whose message is known by now, marks messages that expired, and deletes what is older than it is kept, at most so many '
  'rows of each; of idempotency keys ten times as many. Returns how many, and what failed.';
