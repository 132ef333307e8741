-- WhatsApp notices about an account. A notice is an event about the business account (such as a restriction), an error
-- of the phone number, or a response in which WhatsApp refuses the account. Operators and members of the company can
-- read these notices. A notice does not stop sends or disconnect an account. WhatsApp decides for each message whether
-- to refuse it.

create table public.account_notices (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  account_id uuid not null,
  -- An `event` is about the business account or a number. A `trouble` is an error that is not about a message. A
  -- `reading_refusal` is a refused request for the templates. A `refusal` means that WhatsApp refused the account in
  -- the response to any other request, such as a send. A `reported_refusal` came in a report: WhatsApp accepted a
  -- message but did not deliver it because of the account.
  kind text not null check (kind in ('event', 'trouble', 'refusal', 'reading_refusal', 'reported_refusal')),
  -- For an event, the WhatsApp event name, such as ACCOUNT_RESTRICTION. For all other kinds, the WhatsApp error code.
  -- If the stored token cannot be decrypted, a refusal has token_unusable instead of a code.
  event text not null check (event ~ '^[A-Za-z0-9_.-]{1,64}$'),
  -- For an event, the object that WhatsApp sent. For a `trouble`, { code, message, details }. For a refusal, { code }.
  value jsonb not null check (jsonb_typeof(value) = 'object' and octet_length(value::text) <= 16384),
  -- The time that WhatsApp reported. For a refusal, the time of the first refusal since the last success.
  happened_at timestamptz not null check (happened_at >= '2000-01-01Z'),
  until timestamptz check (until >= '2000-01-01Z' and until < '2200-01-01Z'),
  -- Whether WhatsApp has refused all or some of the account's messages since happened_at.
  stops_sending boolean not null default false,
  received_at timestamptz not null default now(),
  -- The number of sends that a refusal has stopped since happened_at.
  stopped_sends integer not null default 0 check (stopped_sends >= 0),
  -- The end of the restriction for which a job last wrote the event account.restored.
  end_noted_for timestamptz,
  unique (company_id, id),
  constraint account_notices_newest unique (company_id, account_id, kind, event),
  constraint account_notices_account_fkey foreign key (company_id, account_id)
    references public.messaging_accounts (company_id, id) on delete cascade
);
comment on table public.account_notices is
  'For each account: the newest WhatsApp notice with each event name and each error code. A notice is kept for 30 days '
  'after its end.';

create function app.end_of_notice(
  kind text, stops_sending boolean, happened_at timestamptz, received_at timestamptz, until timestamptz
) returns timestamptz
language sql stable
set search_path = ''
as $$
  select case
    -- The next success withdraws a refusal. A refusal that was not repeated for 30 days is too old to describe the
    -- account.
    when kind like '%refusal' then received_at + interval '30 days'
    when until is not null then until
    when stops_sending then happened_at + interval '30 days'
    else happened_at + interval '1 day'
  end
$$;
comment on function app.end_of_notice(text, boolean, timestamptz, timestamptz, timestamptz) is
  'Returns the time from which a notice with these values is no longer current. A refusal is current for 30 days after '
  'WhatsApp last refused the account. Another notice is current until the time `until`. If `until` is null, the notice '
  'is current for a day, or for 30 days if it stops sends.';
grant execute on function app.end_of_notice(text, boolean, timestamptz, timestamptz, timestamptz) to authenticated;

create function app.is_current(notice public.account_notices) returns boolean
language sql stable
set search_path = ''
as $$
  select now() < app.end_of_notice(
    notice.kind, notice.stops_sending, notice.happened_at, notice.received_at, notice.until
  )
$$;
comment on function app.is_current(public.account_notices) is
  'Checks whether a notice is still current. See app.end_of_notice().';
grant execute on function app.is_current(public.account_notices) to authenticated;

create function app.keep_account_notices(account_ids uuid[], notices public.account_notices[]) returns text
language plpgsql
set search_path = ''
as $$
begin
  insert into public.account_notices as known (
    company_id, account_id, kind, event, value, happened_at, until, stops_sending
  )
  select
    accounts.company_id, accounts.id, notice.kind, notice.event,
    case when octet_length(notice.value::text) > 16384 then '{ "truncated": true }' else notice.value end,
    notice.happened_at, notice.until, notice.stops_sending
  from public.messaging_accounts as accounts
  cross join (
    -- One statement can change a row only once.
    select distinct on (kind, event) * from unnest(notices)
    order by kind, event, happened_at desc, value desc
  ) as notice
  where accounts.id = any (account_ids)
  -- The rows are always written in the same order, so that two events cannot cause a deadlock.
  order by accounts.id, notice.kind, notice.event
  on conflict on constraint account_notices_newest do update set
    value = excluded.value,
    happened_at = excluded.happened_at,
    until = excluded.until,
    stops_sending = excluded.stops_sending,
    received_at = excluded.received_at
  -- WhatsApp reports times in whole seconds, so two events may have the same time. With this condition, the result is
  -- the same in whichever order the two events arrive.
  where (excluded.happened_at, excluded.value) > (known.happened_at, known.value);

  delete from public.account_notices as notices using (
    select ranked.id, ranked.ends_at, row_number() over (
      partition by ranked.account_id order by ranked.ends_at desc, ranked.event
    ) as place
    from (
      select id, account_id, event,
        case when kind like '%refusal' then received_at else greatest(happened_at, until) end as ends_at
      from public.account_notices
      where account_id = any (account_ids)
    ) as ranked
  ) as old
  where notices.id = old.id and (old.ends_at < now() - interval '30 days' or old.place > 50);
  return 'done';
end
$$;
comment on function app.keep_account_notices(uuid[], public.account_notices[]) is
  'Stores the same notices for several accounts: the newest notice of each event. Deletes notices that ended more than '
  '30 days ago. Of each account, keeps only the newest 50 notices.';

create function app.apply_account_event(account_ids uuid[], item jsonb) returns text
language plpgsql
set search_path = ''
as $$
declare
  notice public.account_notices;
begin
  notice.kind := 'event';
  notice.event := item ->> 'event';
  notice.value := item -> 'value';
  -- An event without a time gets the current time.
  notice.happened_at := least((item ->> 'at')::timestamptz, now());
  notice.until := (item ->> 'until')::timestamptz;
  notice.stops_sending := coalesce((item ->> 'stops_sending')::boolean, false);
  return app.keep_account_notices(account_ids, array[notice]);
end
$$;
comment on function app.apply_account_event(uuid[], jsonb) is
  'Stores a WhatsApp event about a business account or a number (an item of kind `account`) for these accounts. Does '
  'not disconnect an account or stop a send.';

create function app.apply_trouble(account_id uuid, item jsonb) returns text
language plpgsql
set search_path = ''
as $$
declare
  notice public.account_notices;
  notices public.account_notices[] := '{}';
  error jsonb;
begin
  notice.kind := 'trouble';
  notice.stops_sending := false;
  notice.happened_at := least((item ->> 'at')::timestamptz, now());
  for error in select value from jsonb_array_elements(item -> 'errors') limit 50 loop
    notice.event := coalesce((error ->> 'code')::integer::text, 'unknown');
    notice.value := jsonb_build_object(
      'code', (error ->> 'code')::integer,
      'message', left(error ->> 'message', 1000),
      'details', left(error ->> 'details', 1000)
    );
    notices := notices || notice;
  end loop;
  return app.keep_account_notices(array[apply_trouble.account_id], notices);
end
$$;
comment on function app.apply_trouble(uuid, jsonb) is
  'Stores WhatsApp errors that are about an account and not about a message (an item of kind `trouble`).';

create function public.current_account_notices(company_id uuid default null) returns jsonb
-- The result is one JSON value, because the Data API limits the number of rows.
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(
    to_jsonb(notices) - '{id,end_noted_for}'::text[] order by notices.account_id, notices.happened_at desc, notices.kind, notices.event
  ), '[]')
  from public.account_notices as notices
  where (current_account_notices.company_id is null or notices.company_id = current_account_notices.company_id)
    and app.is_current(notices)
$$;
comment on function public.current_account_notices(uuid) is
  'Returns the current notices for a company''s accounts, or for all accounts. See app.is_current().';
grant execute on function public.current_account_notices(uuid) to service_role;

alter table public.account_notices enable row level security;
create policy "people read the channel's notices about their accounts" on public.account_notices
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));

grant select on public.account_notices to authenticated, service_role;
