-- What the channel says of an account: events of its business account, such as a restriction, and trouble of its
-- number. It is shown to operators and to people of the company. No send is stopped by it, and nothing is disconnected:
-- the channel itself refuses what it does not take.

create table public.account_notices (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  account_id uuid not null,
  -- event: of the business account or a number. trouble: an error that is about no message.
  kind text not null check (kind in ('event', 'trouble')),
  -- The channel's word for the event, such as ACCOUNT_RESTRICTION; of trouble, the channel's code.
  event text not null check (event ~ '^[A-Za-z0-9_.-]{1,64}$'),
  -- Of an event, the channel's own object; of trouble { code, message, details }.
  value jsonb not null check (jsonb_typeof(value) = 'object' and octet_length(value::text) <= 16384),
  -- By the channel's clock.
  happened_at timestamptz not null check (happened_at >= '2000-01-01Z'),
  until timestamptz check (until >= '2000-01-01Z' and until < '2200-01-01Z'),
  -- Whether the channel takes no messages of the account since, or not all.
  stops_sending boolean not null default false,
  received_at timestamptz not null default now(),
  unique (company_id, id),
  constraint account_notices_newest unique (company_id, account_id, kind, event),
  constraint account_notices_account_fkey foreign key (company_id, account_id)
    references public.messaging_accounts (company_id, id) on delete cascade
);
comment on table public.account_notices is
  'What the channel last said of each account: of each event and of each code of trouble the newest, for 30 days, or '
  'until it ends.';

alter table public.account_notices enable row level security;
create policy "people read what the channel says of their company's accounts" on public.account_notices
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));
grant select on public.account_notices to authenticated, service_role;

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
    -- One statement changes a row once.
    select distinct on (kind, event) * from unnest(notices)
    order by kind, event, happened_at desc, value desc
  ) as notice
  where accounts.id = any (account_ids)
  -- In one order, so that two events do not wait for each other.
  order by accounts.id, notice.kind, notice.event
  on conflict on constraint account_notices_newest do update set
    value = excluded.value,
    happened_at = excluded.happened_at,
    until = excluded.until,
    stops_sending = excluded.stops_sending,
    received_at = excluded.received_at
  -- Events of the same second are in any order, so it is always the same one that counts.
  where (excluded.happened_at, excluded.value) > (known.happened_at, known.value);

  delete from public.account_notices as notices using (
    select ranked.id, ranked.ends_at, row_number() over (
      partition by ranked.account_id order by ranked.ends_at desc, ranked.event
    ) as place
    from (
      select id, account_id, event, greatest(happened_at, until) as ends_at from public.account_notices
      where account_id = any (account_ids)
    ) as ranked
  ) as old
  where notices.id = old.id and (old.ends_at < now() - interval '30 days' or old.place > 50);
  return 'done';
end
$$;
comment on function app.keep_account_notices(uuid[], public.account_notices[]) is
  'Notes the same notices for several accounts, of each event the newest, and forgets what ended 30 days ago and what '
  'is beyond the newest 50 of an account.';

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
  -- Now, when the event has no time.
  notice.happened_at := least((item ->> 'at')::timestamptz, now());
  notice.until := (item ->> 'until')::timestamptz;
  notice.stops_sending := coalesce((item ->> 'stops_sending')::boolean, false);
  return app.keep_account_notices(account_ids, array[notice]);
end
$$;
comment on function app.apply_account_event(uuid[], jsonb) is
  'Notes an event of the channel about a business account or a number (an item of kind account) for these accounts. '
  'Nothing is disconnected, and no send is stopped.';

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
  'Notes errors of the channel that are about no message (an item of kind trouble) for an account.';

create function public.current_account_notices(company_id uuid default null) returns jsonb
language sql stable security definer -- one answer for all accounts, however many notices there are
set search_path = ''
as $$
  select coalesce(jsonb_agg(
    to_jsonb(notices) - 'id' order by notices.account_id, notices.happened_at desc, notices.kind, notices.event
  ), '[]')
  from public.account_notices as notices
  where (current_account_notices.company_id is null or notices.company_id = current_account_notices.company_id)
    and case
      when notices.until is not null then notices.until > now()
      when notices.stops_sending then notices.happened_at > now() - interval '30 days'
      else notices.happened_at > now() - interval '1 day'
    end
$$;
comment on function public.current_account_notices(uuid) is
  'The notices of the accounts of a company, or of all, that count now: until they end; without an end for a day, or '
  'for 30 days when the account cannot send since.';
grant execute on function public.current_account_notices(uuid) to service_role;
