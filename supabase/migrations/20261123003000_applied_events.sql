-- An event is applied in the transaction that stores it, so that a report is known as soon as the channel has its answer.
-- The function reads the bytes into items; here each finds its account, and becomes facts. To apply an item again changes
-- nothing, so whatever is not done is applied again as a whole.

alter table public.channel_events
  -- The numbers and business accounts that no account had when it was applied.
  add column waits_for text[] not null default '{}',
  -- What operators should know although it was applied, such as a message that went out twice.
  add column notes text[] not null default '{}',
  -- When it is applied again; null: not by itself. While a run of the job has it, the end of its lease.
  add column next_attempt_at timestamptz default now(),
  -- When it was applied last, with whatever result.
  add column processed_at timestamptz;
comment on column public.channel_events.waits_for is
  'The ids of numbers and business accounts without an account; the event is applied when one of them gets it.';
create index channel_events_due_idx on public.channel_events (next_attempt_at) where next_attempt_at is not null;
create index channel_events_age_idx on public.channel_events (received_at);
create index channel_events_open_idx on public.channel_events (state, received_at) where state <> 'done';
create index channel_events_app_idx on public.channel_events (channel_app_id, received_at);
create index channel_events_waiting_idx on public.channel_events using gin (waits_for) where state = 'unroutable';

-- Every item looks for its account.
create index messaging_accounts_number_idx on public.messaging_accounts (phone_number_id);
create index messaging_accounts_business_account_idx on public.messaging_accounts (business_account_id);

create function app.accounts_of_app(app_id uuid, number_id text, business_id text) returns uuid[]
language sql stable
set search_path = ''
as $$
  select array(
    select accounts.id
    from public.messaging_accounts as accounts
    where (accounts.phone_number_id = number_id or accounts.business_account_id = business_id)
      and exists (
        select from public.account_channel_apps as named
        where named.company_id = accounts.company_id and named.account_id = accounts.id
          and named.channel_app_id = app_id
      )
    order by accounts.id
  )
$$;
comment on function app.accounts_of_app(uuid, text, text) is
  'The accounts that name an app or have named it, and that have this number or this business account.';

create function app.account_at(account_ids uuid[], number_id text, happened_at timestamptz) returns uuid
language plpgsql stable
set search_path = ''
as $$
declare
  holder_id uuid;
begin
  -- Whoever had the number, whatever the app: a repeat of the channel must not show one company another's customer.
  select accounts.id into holder_id
  from public.messaging_accounts as accounts
  join public.account_connections as connections on connections.company_id = accounts.company_id
    and connections.account_id = accounts.id
  where accounts.phone_number_id = number_id and connections.connected_at <= happened_at
    and (connections.disconnected_at is null or connections.disconnected_at > happened_at)
  order by connections.connected_at desc
  limit 1;
  if found then
    return case when holder_id = any (account_ids) then holder_id end;
  end if;
  return (
    select accounts.id from public.messaging_accounts as accounts
    where accounts.id = any (account_ids) and accounts.disconnected_at is null
  );
end
$$;
comment on function app.account_at(uuid[], text, timestamptz) is
  'Of these accounts with this number, the one that was connected at this time; if nobody was, the one that is connected '
  'now; null when it is none of these.';

create function app.apply_item(app_id uuid, item jsonb) returns text
language plpgsql
set search_path = ''
as $$
declare
  kind constant text := item ->> 'kind';
  number_id constant text := item ->> 'phone_number_id';
  account_ids uuid[];
  account_id uuid;
begin
  if kind = 'unknown' then
    return 'unknown';
  elsif kind in ('template', 'account') then
    account_ids := app.accounts_of_app(app_id, null, item ->> 'waba');
  else
    account_ids := app.accounts_of_app(app_id, number_id, null);
  end if;
  if account_ids = '{}' then
    return 'no_account';
  end if;

  case kind
    when 'status' then return app.apply_status(account_ids, item);
    when 'template' then return app.apply_template_hint(account_ids, item);
    when 'account' then return app.apply_account_event(account_ids, item);
    else null;
  end case;

  account_id := app.account_at(
    account_ids, number_id, least(coalesce((item ->> 'at')::timestamptz, now()), now())
  );
  if account_id is null then
    return 'no_account';
  end if;
  case kind
    when 'message' then return app.apply_message(account_id, item);
    when 'reaction' then return app.apply_reaction(account_id, item);
    when 'edit' then return app.apply_edit(account_id, item);
    when 'revoke' then return app.apply_revoke(account_id, item);
    when 'system', 'identity' then return app.apply_identity_change(account_id, item);
    when 'preference' then return app.apply_preference(account_id, item);
    when 'trouble' then return app.apply_trouble(account_id, item);
    else raise exception 'There is no such kind of item';
  end case;
end
$$;
comment on function app.apply_item(uuid, jsonb) is
  'Applies one item that an app has signed, to the accounts that it is about. Returns done, waiting, ignored, unroutable, '
  'double_send or released_but_sent; no_account when it is about no account of the app, or unknown.';

create function app.account_id_in(item jsonb) returns text
language sql immutable
set search_path = ''
as $$
  select item ->> case when item ->> 'kind' in ('template', 'account') then 'waba' else 'phone_number_id' end
$$;
comment on function app.account_id_in(jsonb) is
  'By what an item names its account: a number, or a business account.';

create function app.apply_each_item(app_id uuid, items jsonb, until timestamptz, alone boolean) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  entry record;
  result text;
  failed integer := 0;
  delayed integer := 0;
  unroutable integer := 0;
  error text;
  reasons text[] := '{}';
  waits_for text[] := '{}';
  surprises jsonb := '[]';
begin
  for entry in
    select listed.item, listed.place
    from jsonb_array_elements(items) with ordinality as listed (item, place)
    -- Two events that name the same messages meet at the same one first, so that neither waits for the other in a circle.
    order by listed.item ->> 'kind' is distinct from 'status',
      case when listed.item ->> 'kind' = 'status' then listed.item ->> 'id' end, listed.place
  loop
    if clock_timestamp() >= until then
      delayed := delayed + 1;
      continue;
    end if;
    if not alone then
      result := app.apply_item(app_id, entry.item);
    else
      begin
        result := app.apply_item(app_id, entry.item);
      exception
        when lock_not_available or deadlock_detected or serialization_failure then
          result := 'delayed';
        when others then
          result := 'failed';
          error := coalesce(error, format(
            'Item %s (%s): %s %s', entry.place, left(entry.item ->> 'kind', 20), sqlstate, left(sqlerrm, 500)
          ));
      end;
    end if;
    case
      when result = 'failed' then failed := failed + 1;
      when result = 'delayed' then delayed := delayed + 1;
      when result in ('unroutable', 'no_account', 'unknown') then
        unroutable := unroutable + 1;
        if result = 'no_account' then
          waits_for := array_remove(waits_for || app.account_id_in(entry.item), null);
        end if;
        reasons := reasons || case result
          when 'unknown' then format('What "%s" says is not known', entry.item ->> 'field')
          when 'unroutable' then format('An item (%s) is about nobody known', entry.item ->> 'kind')
          else format(
            'No account that names this app has the %s %s',
            case when entry.item ->> 'kind' in ('template', 'account') then 'business account' else 'number' end,
            coalesce(app.account_id_in(entry.item), 'that the event leaves out')
          )
        end;
      -- A send that went out twice, or although the ledger said that the channel did not take it.
      when result in ('double_send', 'released_but_sent') then
        surprises := surprises || jsonb_build_object(
          'kind', result, 'send_id', entry.item #> '{mark,send_id}', 'whatsapp_message_id', entry.item -> 'id'
        );
      else null;
    end case;
  end loop;
  return jsonb_build_object(
    'failed', failed,
    'delayed', delayed,
    'unroutable', unroutable,
    'error', error,
    'reasons', (select to_jsonb(array(select distinct unnest(reasons) order by 1 limit 5))),
    'waits_for', (select to_jsonb(array(select distinct unnest(waits_for) order by 1))),
    'surprises', surprises
  );
end
$$;
comment on function app.apply_each_item(uuid, jsonb, timestamptz, boolean) is
  'Applies items until a time, statuses first. With alone, each is undone by itself when it fails; without, an error ends '
  'them all. Returns how many failed, how many were not reached or not free, how many are about no account, and why.';

create function app.lock_companies_of_items(app_id uuid, items jsonb) returns uuid[]
language plpgsql
set search_path = ''
as $$
declare
  company_ids uuid[];
  company_id uuid;
begin
  company_ids := array(
    select distinct accounts.company_id
    from (
      select distinct listed.item ->> 'phone_number_id' as number_id, listed.item ->> 'waba' as business_id
      from jsonb_array_elements(items) as listed (item)
    ) as named
    cross join lateral unnest(app.accounts_of_app(app_id, named.number_id, named.business_id)) as found (id)
    join public.messaging_accounts as accounts on accounts.id = found.id
    order by 1
  );
  foreach company_id in array company_ids loop
    perform pg_advisory_xact_lock(hashtextextended('events of ' || company_id, 0));
  end loop;
  return company_ids;
end
$$;
comment on function app.lock_companies_of_items(uuid, jsonb) is
  'Waits until no other event of the companies that items are about is being applied, and returns these companies. Events '
  'of one company are applied one after the other: two first messages of a person are usual.';

create function app.lock_rows_of_items(company_ids uuid[], items jsonb) returns void
language plpgsql
set search_path = ''
as $$
declare
  whatsapp_ids constant text[] := array(
    select distinct named.id
    from jsonb_array_elements(items) as listed (item)
    cross join lateral (
      values (case when listed.item ->> 'kind' = 'status' then listed.item ->> 'id' else listed.item ->> 'target' end)
    ) as named (id)
    where named.id is not null
  );
  send_ids uuid[] := array(
    select distinct (listed.item #>> '{mark,send_id}')::uuid
    from jsonb_array_elements(items) as listed (item)
    where listed.item #>> '{mark,send_id}' ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
  );
  message_ids uuid[] := array(
    select messages.id from public.messages
    where messages.company_id = any (company_ids) and messages.whatsapp_message_id = any (whatsapp_ids)
  );
begin
  -- First the sends, then their messages, as whoever settles a send does.
  with locked as (
    select sends.id, sends.message_id from public.sends
    where sends.company_id = any (company_ids) and (sends.id = any (send_ids) or sends.message_id = any (message_ids))
    order by sends.id
    for update
  )
  select message_ids || array_agg(locked.message_id) into message_ids from locked;
  perform from public.messages
  where messages.company_id = any (company_ids) and messages.id = any (message_ids)
  order by messages.id
  for update;
end
$$;
comment on function app.lock_rows_of_items(uuid[], jsonb) is
  'Locks the sends and messages that items name, in the order of their ids, so that no two transactions wait for each other.';

create function app.fill_business_accounts(app_id uuid, items jsonb) returns void
language sql
set search_path = ''
as $$
  update public.messaging_accounts as accounts set business_account_id = named.business_id
  from (
    select distinct on (number_id) listed.item ->> 'phone_number_id' as number_id, listed.item ->> 'waba' as business_id
    from jsonb_array_elements(items) as listed (item)
    where listed.item ->> 'phone_number_id' ~ '^[0-9]{1,32}$' and listed.item ->> 'waba' ~ '^[0-9]{1,32}$'
    order by number_id
  ) as named
  where accounts.phone_number_id = named.number_id and accounts.business_account_id is null
    and accounts.disconnected_at is null
    and accounts.id = any (app.accounts_of_app(app_id, named.number_id, null))
$$;
comment on function app.fill_business_accounts(uuid, jsonb) is
  'Notes the business account of a connected number whose business account was not known: events about templates name '
  'nothing else.';

create function app.apply_items(app_id uuid, items jsonb, until timestamptz) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  company_ids uuid[];
  outcome jsonb;
begin
  if jsonb_typeof(items) is distinct from 'array' then
    raise exception 'Items are a list';
  elsif items = '[]' then
    return app.apply_each_item(app_id, items, until, false);
  end if;
  begin
    perform set_config('lock_timeout', '2s', true);
    company_ids := app.lock_companies_of_items(app_id, items);
  exception when lock_not_available or deadlock_detected then
    -- The time was over before it began.
    return app.apply_each_item(app_id, items, '-infinity', false);
  end;
  perform set_config('lock_timeout', '1s', true);
  begin
    perform app.fill_business_accounts(app_id, items);
  exception when others then
    -- The next event has another try.
    null;
  end;
  begin
    perform app.lock_rows_of_items(company_ids, items);
    return app.apply_each_item(app_id, items, until, false);
  exception when others then
    -- One of them fails: then each by itself.
    null;
  end;
  return app.apply_each_item(app_id, items, until, true);
end
$$;
comment on function app.apply_items(uuid, jsonb, timestamptz) is
  'Applies the items of an event that an app has signed until a time, and returns what apply_each_item() does. An item that '
  'fails takes no other along.';

create function app.next_attempt(attempts integer) returns timestamptz
language sql stable
set search_path = ''
as $$
  -- Ten attempts take most of a day.
  select case when attempts < 10 then now() + interval '1 minute' * 2 ^ attempts end
$$;
comment on function app.next_attempt(integer) is
  'When an event is tried again after so many attempts that failed; null after the last.';

create function app.items_with_times(items jsonb, received_at timestamptz) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  if jsonb_typeof(items) is distinct from 'array' or not jsonb_path_exists(items, '$[*] ? (@.at == null)') then
    return items;
  end if;
  return (
    select jsonb_agg(
      case when jsonb_typeof(item) = 'object' and item ->> 'at' is null
        then item || jsonb_build_object('at', received_at) else item end
      order by place
    )
    from jsonb_array_elements(items) with ordinality as listed (item, place)
  );
end
$$;
comment on function app.items_with_times(jsonb, timestamptz) is
  'The items of an event, with the time at which it was received where the channel tells none: an event that is applied '
  'again later says the same.';

create function app.apply_event(
  event_id uuid, app_id uuid, items jsonb, problem text, until timestamptz, is_repeated boolean
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  outcome jsonb;
  failed integer;
  delayed integer;
  unroutable integer;
  is_failure boolean;
  attempt integer;
  event record;
begin
  begin
    outcome := app.apply_items(
      app_id,
      app.items_with_times(items, (
        select events.received_at from public.channel_events as events where events.id = event_id
      )),
      until
    );
  exception when others then
    -- Whatever happens, the event says so and has its next attempt.
    outcome := jsonb_build_object(
      'failed', 1, 'delayed', 0, 'unroutable', 0, 'error', format('%s %s', sqlstate, left(sqlerrm, 500)),
      'reasons', '[]'::jsonb, 'waits_for', '[]'::jsonb, 'surprises', '[]'::jsonb
    );
  end;
  failed := outcome -> 'failed';
  delayed := outcome -> 'delayed';
  unroutable := outcome -> 'unroutable';
  -- To wait for the job once is no failure.
  is_failure := failed > 0 or is_repeated and delayed > 0;
  -- The job has counted its attempt already.
  attempt := case when is_failure and not is_repeated then 1 else 0 end;
  update public.channel_events as events set
    attempts = events.attempts + attempt,
    state = case
      when is_failure and events.attempts + attempt >= 10 then 'dead'
      when failed > 0 then 'failed'
      when delayed > 0 then 'stored'
      when problem is not null then 'dead'
      when unroutable > 0 then 'unroutable'
      else 'done'
    end,
    next_attempt_at = case
      when is_failure then app.next_attempt(events.attempts + attempt)
      when not is_failure and delayed > 0 then now()
    end,
    error = left(case
      when failed > 0 then outcome ->> 'error'
      when delayed > 0 then format('%s of its items are not applied yet: their rows or the time were taken', delayed)
      when problem is not null then problem
      when unroutable > 0 then (
        select string_agg(reason, '; ') from jsonb_array_elements_text(outcome -> 'reasons') as reasons (reason)
      )
    end, 1000),
    waits_for = array(select jsonb_array_elements_text(outcome -> 'waits_for')),
    notes = array(
      select unnest(events.notes)
      union
      select format(
        case sent ->> 'kind' when 'double_send' then 'Double send: send %s also went out as %s'
          else 'The ledger was wrong: send %s, which the channel seemed not to take, went out as %s' end,
        coalesce(sent ->> 'send_id', 'unknown'), sent ->> 'whatsapp_message_id'
      )
      from jsonb_array_elements(outcome -> 'surprises') as surprises (sent)
      order by 1
    ),
    processed_at = now()
  where events.id = event_id
  returning events.state, events.attempts into event;
  return outcome - 'error' - 'reasons' - 'waits_for'
    || jsonb_build_object('event_id', event_id, 'state', event.state, 'attempts', event.attempts);
end
$$;
comment on function app.apply_event(uuid, uuid, jsonb, text, timestamptz, boolean) is
  'Applies what was read of an event, notes what became of it, and returns that: state, attempts, failed, delayed, '
  'unroutable, surprises. A problem is why the event cannot be read, or not whole. It is repeated when the job does it.';

create function public.receive_channel_event(app_key text, body text, items jsonb, problem text default null)
returns jsonb
-- The role of the function whatsapp reads no table.
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  bytes constant bytea := decode(receive_channel_event.body, 'base64');
  digest constant bytea := sha256(bytes);
  app_id uuid;
  event record;
  is_new boolean;
begin
  select apps.id into app_id from public.channel_apps as apps
  where apps.app_key = receive_channel_event.app_key
  for key share;
  if not found then
    return null;
  end if;
  insert into public.channel_events (channel_app_id, body, body_sha256, next_attempt_at)
  values (app_id, bytes, digest, null)
  on conflict on constraint channel_events_once do nothing
  returning id, state into event;
  is_new := found;
  if not is_new then
    -- Whoever applies it at the moment needs no help.
    select id, state into event from public.channel_events
    where channel_app_id = app_id and body_sha256 = digest
    for update skip locked;
    if event.id is null or event.state = 'done' then
      return jsonb_build_object('result', 'repeated', 'state', event.state);
    end if;
  end if;
  return jsonb_build_object('result', case when is_new then 'stored' else 'repeated' end)
    || app.apply_event(
      event.id, app_id, items, receive_channel_event.problem, clock_timestamp() + interval '3 seconds', false
    );
end
$$;
comment on function public.receive_channel_event(text, text, jsonb, text) is
  'Stores an event of an app, whose body comes in base64, and applies what was read of it, for three seconds; the job does '
  'the rest. Returns the result, stored or repeated, and what became of it; null when there is no such app. A repeat of '
  'what is done is not applied again.';
grant execute on function public.receive_channel_event(text, text, jsonb, text) to channel_client;

create function public.due_channel_events(max_rows integer default 20) returns table (event_id uuid, body text)
language sql security definer -- as receive_channel_event()
set search_path = ''
as $$
  with due as (
    select events.id, events.attempts, octet_length(events.body) as bytes from public.channel_events as events
    where events.next_attempt_at <= now()
    order by events.next_attempt_at
    limit least(max_rows, 100)
    for update skip locked
  ),
  -- Whoever applied it did not live to say what came of it.
  given_up as (
    update public.channel_events as events set
      state = 'dead', next_attempt_at = null, processed_at = now(), error = 'It was begun ten times and never ended'
    from due where events.id = due.id and due.attempts >= 10
  ),
  fitting as (
    -- A function holds them in its memory.
    select measured.id
    from (
      select due.id, sum(due.bytes) over (order by due.bytes, due.id) - due.bytes as before from due
      where due.attempts < 10
    ) as measured
    where measured.before < 4 * 1024 * 1024
  )
  update public.channel_events as events set
    next_attempt_at = now() + interval '3 minutes', attempts = events.attempts + 1
  from fitting where events.id = fitting.id
  returning events.id, translate(encode(events.body, 'base64'), E'\n', '')
$$;
comment on function public.due_channel_events(integer) is
  'Begins an attempt at events that are to be applied now, and returns their bodies in base64: at most so many, and of about '
  '4 MiB. For three minutes no other run gets them.';
grant execute on function public.due_channel_events(integer) to channel_client, service_role;

create function public.fail_channel_event(event_id uuid, failure text) returns void
language sql security definer -- as receive_channel_event()
set search_path = ''
as $$
  update public.channel_events as events set
    state = case when events.attempts >= 10 then 'dead' else 'failed' end,
    next_attempt_at = app.next_attempt(events.attempts),
    error = left(failure, 1000),
    processed_at = now()
  where events.id = fail_channel_event.event_id and events.state <> 'done'
$$;
comment on function public.fail_channel_event(uuid, text) is
  'Notes that an attempt of due_channel_events() failed as a whole, and why.';
grant execute on function public.fail_channel_event(uuid, text) to channel_client, service_role;

create function public.apply_channel_event(event_id uuid, items jsonb, problem text default null) returns jsonb
language plpgsql security definer -- as receive_channel_event()
set search_path = ''
as $$
declare
  event record;
  -- Well before the statement is cancelled, which would undo what was applied.
  most constant interval := least(
    interval '12 seconds', 0.6 * nullif(current_setting('statement_timeout')::interval, interval '0')
  );
begin
  select events.id, events.state, events.channel_app_id into event from public.channel_events as events
  where events.id = apply_channel_event.event_id
  for update;
  if not found then
    return null;
  elsif event.state = 'done' then
    return jsonb_build_object('event_id', event.id, 'state', 'done');
  end if;
  return app.apply_event(
    event.id, event.channel_app_id, apply_channel_event.items, apply_channel_event.problem, clock_timestamp() + most,
    true
  );
end
$$;
comment on function public.apply_channel_event(uuid, jsonb, text) is
  'Applies what was read of a stored event that is not done, and returns what became of it; null when it is gone.';
grant execute on function public.apply_channel_event(uuid, jsonb, text) to channel_client, service_role;
