-- The items of one event: none takes another along when it fails, and two events that are applied at the same time
-- never wait for each other in a circle.

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
    -- Two events that name the same messages meet at the same one first.
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
  'Applies items until a time, statuses first. With alone, each is undone by itself when it fails; without, an error '
  'ends them all. Returns how many failed, how many were not reached or not free, how many are about no account, '
  'and why.';

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
  'Waits until no other event of the companies that items are about is being applied, and returns these companies. '
  'Events of one company are applied one after the other: two first messages of a person are usual.';

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
  'Locks the sends and messages that items name, in the order of their ids, so that no two transactions wait for each '
  'other.';

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
  'Applies the items of an event that an app has signed until a time, and returns what apply_each_item() does. An item '
  'that fails takes no other along.';
