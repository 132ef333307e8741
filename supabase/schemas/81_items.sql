-- The items of an event, such as messages and statuses. The functions find the account for each item and store the
-- item's facts. A failed item does not stop the other items. Two events that are applied at the same time cannot cause
-- a deadlock. Applying an item again changes nothing.

create function app.items_with_times(items jsonb, received_at timestamptz) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  if jsonb_typeof(items) is distinct from 'array'
    -- If this transaction stores the event, received_at is the current time, so the messages need no received_at.
    or received_at = now() and not jsonb_path_exists(items, '$[*] ? (@.at == null)')
  then
    return items;
  end if;
  return (
    select jsonb_agg(
      case when jsonb_typeof(item) = 'object' then
        item
        || case when item ->> 'at' is null then jsonb_build_object('at', received_at) else '{}' end
        || case when item ->> 'kind' = 'message' then jsonb_build_object('received_at', received_at) else '{}' end
      else item end
      order by place
    )
    from jsonb_array_elements(items) with ordinality as listed (item, place)
  );
end
$$;
comment on function app.items_with_times(jsonb, timestamptz) is
  'Returns the items of an event. An item without a time gets the time at which the event was received. A message also '
  'gets this time as received_at. So the times are the same when the event is applied again later.';

create function app.can_recur(items jsonb) returns boolean
language sql immutable
set search_path = ''
as $$
  select jsonb_path_exists(items, '$[*] ? (@.kind == "trouble")')
    and not jsonb_path_exists(items, '$[*] ? (@.kind != "trouble" || @.at != null)')
$$;
comment on function app.can_recur(jsonb) is
  'Checks whether the only items of an event are problems of a number (items of kind `trouble`) without a time. Such '
  'an event contains no id and no time, so the event about the next occurrence has the same bytes.';

create function app.accounts_at(account_ids uuid[], happened_at timestamptz) returns uuid[]
language plpgsql stable
set search_path = ''
as $$
declare
  holder_ids constant uuid[] := array(
    select accounts.id
    from public.messaging_accounts as accounts
    join public.account_connections as connections on connections.company_id = accounts.company_id
      and connections.account_id = accounts.id
    where accounts.id = any (account_ids) and connections.connected_at <= happened_at
      and (connections.disconnected_at is null or connections.disconnected_at > happened_at)
    order by accounts.id
  );
begin
  return case when holder_ids <> '{}' then holder_ids else array(
    select id from public.messaging_accounts where id = any (account_ids) and disconnected_at is null order by id
  ) end;
end
$$;
comment on function app.accounts_at(uuid[], timestamptz) is
  'Returns the accounts in account_ids that were connected at the given time. If there are none, returns the accounts '
  'in account_ids that are connected now. So a company sees no later event about a business account whose numbers have '
  'moved to another company.';

create function app.apply_item(app_id uuid, item jsonb) returns text
language plpgsql
set search_path = ''
as $$
declare
  kind constant text := item ->> 'kind';
  number_id constant text := item ->> 'phone_number_id';
  happened_at constant timestamptz := least(coalesce((item ->> 'at')::timestamptz, now()), now());
  account_ids uuid[];
  account_id uuid;
begin
  if kind = 'unknown' then
    return 'unknown';
  elsif kind in ('template', 'account') then
    account_ids := app.accounts_at(app.accounts_of_app(app_id, null, item ->> 'waba'), happened_at);
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

  account_id := app.account_at(account_ids, number_id, happened_at);
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
  'Applies one item from an app''s signed event to the accounts of the item. Returns `done`, `waiting`, `ignored`, '
  '`unroutable`, `double_send` or `released_but_sent`. Returns `no_account` when the item does not belong to an '
  'account of the app, and `unknown` for an unknown kind of item.';

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
  surprises jsonb[] := '{}';
begin
  for entry in
    select listed.item, listed.place
    from jsonb_array_elements(items) with ordinality as listed (item, place)
    -- Because of this order, two events with the same messages lock these messages in the same order.
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
          waits_for := waits_for || app.account_id_in(entry.item);
        end if;
        reasons := reasons || case result
          when 'unknown' then format('The field "%s" is not known', entry.item ->> 'field')
          when 'unroutable' then format('An item (%s) names no known person', entry.item ->> 'kind')
          else format(
            'No account that names this app has the %s %s',
            case when entry.item ->> 'kind' in ('template', 'account') then 'business account' else 'number' end,
            coalesce(app.account_id_in(entry.item), '(the event does not name it)')
          )
        end;
      -- The message was sent twice, or the message was sent although WhatsApp had not accepted it according to the
      -- ledger.
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
    'waits_for', (select to_jsonb(array(
      select distinct id from unnest(waits_for) as id where id is not null order by 1
    ))),
    'surprises', to_jsonb(surprises)
  );
end
$$;
comment on function app.apply_each_item(uuid, jsonb, timestamptz, boolean) is
  'Applies items, statuses first, and stops at the given time. If `alone` is true, an error in an item undoes only '
  'this item. Otherwise an error undoes all items. Returns how many items failed, were delayed (locked, or not reached '
  'in time) or could not be assigned (unroutable), and the reasons.';

create function app.lock_companies_of_items(app_id uuid, items jsonb) returns uuid[]
language plpgsql
set search_path = ''
as $$
declare
  company_ids uuid[];
  company_id uuid;
begin
  if jsonb_typeof(items) is distinct from 'array' or items = '[]' then
    return '{}';
  end if;
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
  perform set_config('lock_timeout', '2s', true);
  foreach company_id in array company_ids loop
    perform pg_advisory_xact_lock(hashtextextended('events of ' || company_id, 0));
  end loop;
  return company_ids;
exception when lock_not_available or deadlock_detected then
  return null;
end
$$;
comment on function app.lock_companies_of_items(uuid, jsonb) is
  'Locks the companies of these items, so that no other transaction applies events of these companies or erases '
  'people. Returns the companies, or null if the wait for a lock takes longer than two seconds. A new person often '
  'sends two messages in a row. So the events of a company are applied one after the other, and only the first message '
  'adds a contact.';

create function app.apply_items(app_id uuid, company_ids uuid[], items jsonb, until timestamptz) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  if jsonb_typeof(items) is distinct from 'array' then
    raise exception 'The items must be a list';
  elsif items = '[]' then
    return app.apply_each_item(app_id, items, until, false);
  elsif company_ids is null then
    -- The wait for the locks on the companies took too long, so no time is left for the items.
    return app.apply_each_item(app_id, items, '-infinity', false);
  end if;
  perform set_config('lock_timeout', '1s', true);
  begin
    perform app.fill_business_accounts(app_id, items);
  exception when others then
    -- The next event tries this write again.
    null;
  end;
  begin
    perform app.lock_rows_of_items(company_ids, items);
    return app.apply_each_item(app_id, items, until, false);
  exception when others then
    -- The error has undone all items, so they are now applied one by one.
    null;
  end;
  return app.apply_each_item(app_id, items, until, true);
end
$$;
comment on function app.apply_items(uuid, uuid[], jsonb, timestamptz) is
  'Applies the items of an app''s signed event until a given time. Returns the result of apply_each_item(). The '
  'argument company_ids comes from app.lock_companies_of_items(). Only failed items are undone, and the other items '
  'are still applied.';

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
  -- The sends are locked first, then their messages. Settling a send acquires the locks in the same order.
  with locked as (
    select sends.id, sends.message_id from public.sends
    where sends.company_id = any (company_ids) and sends.id = any (send_ids || array(
      select named.id from public.sends as named
      where named.company_id = any (company_ids) and named.message_id = any (message_ids)
    ))
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
  'Locks the sends and messages to which items refer. They are locked in the order of their ids, so that two '
  'transactions cannot cause a deadlock.';

create function app.fill_business_accounts(app_id uuid, items jsonb) returns void
language plpgsql
set search_path = ''
as $$
begin
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
    -- A company knows the secret of its own app, so it could forge an event with another company's business account.
    and not exists (
      select from public.channel_apps as apps where apps.id = app_id and apps.owner_company_id = accounts.company_id
    );
end
$$;
comment on function app.fill_business_accounts(uuid, jsonb) is
  'Stores the business account of each connected number whose business account is unknown, if the operator''s app '
  'signed the event. With this id, the account also gets template events, which contain the business account but no '
  'number.';
