-- Writing events. app.make_events() declares the events of one kind of record: it makes triggers that write an event
-- in the transaction of each change. So changes by keys, people, the channel and the platform all have events. The same
-- triggers queue the event for the webhooks of the company that ask for this type of event.
--
-- An event must never make a write fail or wait. So the triggers lock nothing, and use only the rows that they find.
-- They run once for each statement, because a trigger for each row would make a batch of 500 rows take 50 percent
-- longer.

create function app.event_actor(kind text default null) returns jsonb
-- Security definer, because no role may read the digests of keys.
language plpgsql stable security definer
set search_path = ''
as $$
declare
  acting constant text := coalesce(current_setting('role', true), '');
begin
  return case
    when event_actor.kind is not null then jsonb_build_object('kind', event_actor.kind, 'id', null)
    when acting = 'api_client' then jsonb_build_object('kind', 'key', 'id', (
      select id from public.api_keys where key_hash = auth.jwt() ->> 'key_hash'
    ))
    -- The function settings acts in the name of the person in its token.
    when acting in ('authenticated', 'settings_client') then jsonb_build_object('kind', 'person', 'id', auth.uid())
    when acting in ('channel_client', 'webhook_client') then
      jsonb_build_object('kind', coalesce(nullif(current_setting('app.event_actor', true), ''), case acting
        when 'channel_client' then 'channel' else 'job' end), 'id', null)
    else '{ "kind": "platform", "id": null }'
  end;
end
$$;
comment on function app.event_actor(text) is
  'Returns who makes the change that this statement writes, as in app.events.actor. With a kind, that kind is the '
  'author. The function whatsapp acts for the channel, unless one of its jobs has set app.event_actor.';

create function app.event_request_id() returns text
language plpgsql stable
set search_path = ''
as $$
declare
  headers constant text := current_setting('request.headers', true);
begin
  return case
    when pg_input_is_valid(headers, 'json')
      then substring(headers::json ->> 'x-request-id' from '^[\x21-\x7e]{1,128}$')
  end;
end
$$;
comment on function app.event_request_id() is
  'Returns the X-Request-Id of the request, which the edge functions pass on. Returns null outside a request, or when '
  'it does not have the form of an id. Never fails.';

-- The SQL text that all these triggers share. %1$s has the rows: company_id, type, record_id, changed, changes, actor.
-- The numbers of the events are taken in the order of the rows, while the statement has the locks on the records.
create function app.events_statement(rows_query text, actor text) returns text
language sql immutable
set search_path = ''
as $make$
  select format(
    $template$
      with noted as (
        insert into app.events
          (slot, id, seq, version, company_id, type, record_id, changed, changes, actor, request_id, happened_at)
        select
          of_slot,
          -- The same expression as in app.new_event_id(), copied here because a function call for each row costs more.
          encode(set_bit(set_bit(
            overlay(uuid_send(gen_random_uuid()) placing at_in_id from 1), 52, 1
          ), 53, 1), 'hex')::uuid,
          nextval('app.event_seq'), (select app.change_now()),
          happened.company_id, happened.type, happened.record_id, happened.changed, happened.changes,
          (select app.event_actor(%2$L)), (select app.event_request_id()), at
        from (%1$s) as happened
        returning slot, id, seq, company_id, type, record_id
      )
      insert into app.open_deliveries (webhook_id, record_id, seq, slot, event_id, company_id, type, due_at)
      select hooks.id, noted.record_id, noted.seq, noted.slot, noted.id, noted.company_id, noted.type, at
      from noted
      join public.webhooks as hooks on hooks.company_id = noted.company_id
      where hooks.state in ('on', 'paused') and (hooks.catch_up_version is null or hooks.catch_up_until is not null)
        -- The same condition as in app.wants(), copied here because a function call for each row costs more.
        and hooks.types && array[noted.type, split_part(noted.type, '.', 1) || '.*', '*']
    $template$,
    rows_query, actor
  )
$make$;
comment on function app.events_statement(text, text) is
  'Returns the statement that writes events at the time `at` and queues them for webhooks. Its function also has the '
  'variables of_slot, the slot of that time, and at_in_id, its six bytes in the ids. The query has the columns '
  'company_id, type, record_id, changed and changes. A webhook that is catching up gets its events from the log.';

create function app.changes_of(columns text[]) returns text
language sql immutable
set search_path = ''
as $$
  select coalesce(
    'nullif(' || string_agg(format(
      'case when is_now.%1$I is distinct from was.%1$I then '
        'jsonb_build_object(%1$L, jsonb_build_object(''from'', was.%1$I, ''to'', is_now.%1$I)) else ''{}'' end',
      name
    ), ' || ') || ', ''{}'')',
    'null::jsonb'
  )
  from unnest(columns) as name
$$;
comment on function app.changes_of(text[]) is
  'Returns the expression for the earlier and the later values of the columns that an update changed.';

create function app.make_events(
  of_table text,
  fields text[] default '{}',
  shown text[] default '{}',
  added text default null,
  changed text default null,
  deleted text default null,
  added_values text default 'null::jsonb',
  changed_values text default 'null::jsonb',
  deleted_values text default 'null::jsonb',
  record text default 'id',
  actor text default null
) returns void
language plpgsql
set search_path = ''
as $make$
declare
  -- For each field: an expression that gives its name if the update changed it, or null.
  changed_names constant text := (
    select string_agg(format('case when is_now.%1$I is distinct from was.%1$I then %1$L end', name), ', ' order by place)
    from unnest(fields) with ordinality as named (name, place)
  );
  way record;
  function_name text;
begin
  for way in
    select * from (values
      ('added', 'insert', 'new table as after_rows', 'adds rows', added, format(
        $rows$
          select
            is_now.company_id, event.type, is_now.%1$I as record_id, null::text[] as changed, %3$s as changes
          from after_rows as is_now
          cross join lateral unnest(array[%2$s]::text[]) as event (type)
          where event.type is not null
        $rows$,
        record, added, added_values
      )),
      -- Postgres keeps the plan. Each table often has one row when the plan is made, and 500 rows later. A full join is
      -- never planned as a nested loop, which would then be slow.
      ('changed', 'update', 'old table as before_rows new table as after_rows', 'changes rows', changed, format(
        $rows$
          select
            is_now.company_id, event.type, is_now.%1$I as record_id, fields.names as changed,
            nullif(coalesce(%4$s, '{}') || coalesce(%5$s, '{}'), '{}') as changes
          from after_rows as is_now
          full join before_rows as was on was.id = is_now.id
          cross join lateral (select array_remove(array[%2$s]::text[], null)) as fields (names)
          cross join lateral unnest(array[%3$s]::text[]) as event (type)
          where event.type is not null
        $rows$,
        record, changed_names, changed, app.changes_of(shown), changed_values
      )),
      ('deleted', 'delete', 'old table as before_rows', 'deletes rows', deleted, format(
        $rows$
          select
            was.company_id, event.type, was.%1$I as record_id, null::text[] as changed, %3$s as changes
          from before_rows as was
          -- If the company itself is deleted, no one is left to read the log.
          join public.companies on companies.id = was.company_id
          cross join lateral unnest(array[%2$s]::text[]) as event (type)
          where event.type is not null
        $rows$,
        record, deleted, deleted_values
      ))
    ) as ways (name, operation, tables, words, types, rows_query)
    where types is not null
  loop
    function_name := format('note_%s_%s', of_table, way.name);
    execute format(
      $template$
        create function app.%1$I() returns trigger
        language plpgsql security definer
        set search_path = ''
        as $trigger$
        declare
          at constant timestamptz := clock_timestamp();
          of_slot constant smallint := app.slot_of(at);
          at_in_id constant bytea := substring(int8send(floor(extract(epoch from at) * 1000)::bigint) from 3);
        begin
          %2$s;
          return null;
        end
        $trigger$
      $template$,
      function_name, app.events_statement(way.rows_query, actor)
    );
    execute format(
      'comment on function app.%I() is %L', function_name,
      format('Trigger: writes the events of a statement that %s of %s. Made by app.make_events().', way.words, of_table)
    );
    execute format(
      'create trigger %I after %s on public.%I referencing %s for each statement execute function app.%I()',
      format('%s_note_events_%s', of_table, way.name), way.operation, of_table, way.tables, function_name
    );
  end loop;
end
$make$;
comment on function app.make_events(text, text[], text[], text, text, text, text, text, text, text, text) is
  'Declares the events of a table with the columns id and company_id. The expressions added, changed and deleted give '
  'the type of the event of a row, or null when there is none; each may be a list of expressions. They use the rows '
  'is_now and was, and changed also uses fields.names: which of the fields the statement changed. shown are columns '
  'whose values the event has, because they say nothing about a person. The expressions added_values, changed_values '
  'and deleted_values add further values. record is the column with the id of the record, and actor the kind of author '
  'who makes all changes.';
