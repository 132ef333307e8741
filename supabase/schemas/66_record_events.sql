-- Functions that write events. app.make_events() declares the events for one kind of record. This function creates
-- triggers that write an event in the transaction of each change. So changes by keys, users, WhatsApp and the platform
-- all create events. The same triggers queue the event for the company's webhooks that subscribe to this event type. An
-- event must never make a write fail or wait. So the triggers do not lock rows.
--
-- A batch request may write 500 contacts or deals, so the triggers of these two tables run once per statement. Other
-- records are mostly written one by one. Their triggers for inserts and updates run once per row, which costs less,
-- because they read the row without a query, and often find that there is no event.

create function app.write_event(
  of_company uuid, event_type text, of_record uuid, changed_values jsonb default null, actor jsonb default null,
  request text default null
) returns void
language plpgsql
set search_path = ''
as $$
declare
  at constant timestamptz := clock_timestamp();
  of_slot constant smallint := app.slot_of(at);
  event_id constant uuid := app.new_event_id(at);
  event_seq constant bigint := nextval('app.event_seq');
begin
  insert into app.events (slot, id, seq, version, company_id, type, record_id, changes, actor, request_id, happened_at)
  values (
    of_slot, event_id, event_seq, app.change_now(), of_company, event_type, of_record, changed_values,
    coalesce(write_event.actor, '{ "kind": "job", "id": null }'), write_event.request, at
  );
  insert into app.open_deliveries (webhook_id, record_id, seq, slot, event_id, company_id, type, due_at)
  select hooks.id, of_record, event_seq, of_slot, event_id, of_company, event_type, at
  from public.webhooks as hooks
  where hooks.company_id = of_company and hooks.is_queued
    and app.wants(hooks.types, event_type) and app.is_for_webhook(event_type, of_record, hooks.id);
end
$$;
comment on function app.write_event(uuid, text, uuid, jsonb, jsonb, text) is
  'Writes an event that the triggers below do not write, such as the end of a period of time, and queues the event for '
  'webhooks. Without an actor, a job is the author of the event. The caller holds the lock on the record, so the '
  'events of a record are numbered in their order.';

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
  'Returns an SQL expression for the earlier and later values of the columns that an update changed.';

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
  actor text default null,
  in_batches boolean default false
) returns void
language plpgsql
set search_path = ''
as $make$
declare
  -- Each expression returns the name of a field that the update changed, or null.
  changed_names constant text := (
    select string_agg(format('case when is_now.%1$I is distinct from was.%1$I then %1$L end', name), ', ' order by place)
    from unnest(fields) with ordinality as named (name, place)
  );
  any_changed constant text := (
    select 'when (' || string_agg(format('new.%1$I is distinct from old.%1$I', name), ' or ') || ')'
    from unnest(fields) as name
  );
  -- A row that was just written already contains this transaction's version, so app.change_now() need not be called.
  row_version constant text := case
    when exists (
      select from pg_catalog.pg_attribute
      where attrelid = format('public.%I', of_table)::regclass and attname = 'version' and not attisdropped
    ) then 'is_now.version'
    else 'app.change_now()'
  end;
  -- The declarations of each trigger function: the time of an event, its slot as in app.slot_of(), its author, and the
  -- id of the request, as in the column request_id. Each call of a function would cost more than these expressions.
  origin constant text := format(
    $template$
      at constant timestamptz := clock_timestamp();
      of_slot constant smallint := mod(floor(date_part('epoch', at))::bigint / 86400, 32);
      headers constant text := current_setting('request.headers', true);
      author constant jsonb := %s;
      -- The same as app.request_id(). The type jsonb refuses characters that Postgres cannot store. So the second line
      -- never fails.
      request constant text := case when pg_input_is_valid(headers, 'jsonb')
        then substring(headers::json ->> 'x-request-id' from '^[\x21-\x7e]{1,128}$') end;
    $template$,
    case
      when actor is not null then quote_literal(json_build_object('kind', actor, 'id', null))
      else $author$
        case coalesce(current_setting('role', true), '')
          -- Earlier in this transaction, app.company_id() or settle_send() has stored the key's id.
          when 'api_client' then
            jsonb_build_object('kind', 'key', 'id', nullif(current_setting('app.key_id', true), ''))
          when 'authenticated' then jsonb_build_object('kind', 'person', 'id', auth.uid())
          -- The edge function settings acts on behalf of the user in its token.
          when 'settings_client' then jsonb_build_object('kind', 'person', 'id', auth.uid())
          else jsonb_build_object(
            'kind', coalesce(
              nullif(current_setting('app.event_actor', true), ''),
              case current_setting('role', true)
                when 'channel_client' then 'channel' when 'webhook_client' then 'job' else 'platform' end
            ),
            'id', null
          )
        end
      $author$
    end
  );
  -- The same as app.new_event_id(at).
  new_id constant text := $id$
    (
      lpad(to_hex(floor(date_part('epoch', at) * 1000)::bigint), 12, '0')
      || '7' || substr(gen_random_uuid()::text, 16)
    )::uuid
  $id$;
  way record;
  function_name text;
begin
  for way in
    select * from (values
      (
        'added', 'insert', 'adds rows', added, 'null::text[]', added_values, 'is_now', row_version,
        'is_now alias for new;', 'for each row',
        'after_rows as is_now', 'referencing new table as after_rows for each statement', in_batches
      ),
      (
        'changed', 'update', 'changes rows', changed, format('array_remove(array[%s]::text[], null)', changed_names),
        format('nullif(coalesce(%s, ''{}'') || coalesce(%s, ''{}''), ''{}'')', app.changes_of(shown), changed_values),
        'is_now', row_version, 'is_now alias for new; was alias for old;', concat_ws(' ', 'for each row', any_changed),
        -- Postgres caches the plan. The tables after_rows and before_rows often have one row when the plan is made, and
        -- 500 rows later. Postgres never plans a full join as a nested loop, which would be slow for 500 rows.
        'after_rows as is_now full join before_rows as was on was.id = is_now.id',
        'referencing old table as before_rows new table as after_rows for each statement', in_batches
      ),
      (
        'deleted', 'delete', 'deletes rows', deleted, 'null::text[]', deleted_values, 'was', 'app.change_now()', '', '',
        -- The join excludes the rows of a company that is deleted itself, because no one can read its event log any
        -- more.
        'before_rows as was join public.companies on companies.id = was.company_id',
        'referencing old table as before_rows for each statement', true
      )
    ) as ways (name, operation, words, types, names, values, of_row, version, aliases, by_row, rows, by_statement, many)
    where types is not null
  loop
    function_name := format('note_%s_%s', of_table, way.name);
    execute format(
      case when way.many then
        $template$
          create function app.%1$I() returns trigger
          language plpgsql security definer
          set search_path = ''
          as $trigger$
          declare
            %2$s
          begin
            with noted as (
              insert into app.events
                (slot, id, seq, version, company_id, type, record_id, changed, changes, actor, request_id, happened_at)
              select
                of_slot, %3$s, nextval('app.event_seq'), happened.version, happened.company_id, happened.event_type,
                happened.record_id, happened.changed_fields, happened.changed_values, author, request, at
              from (
                select
                  %4$s.company_id, %4$s.%5$I as record_id, %6$s as version, event_type, changed_fields,
                  %7$s as changed_values
                from %8$s
                -- Because of the offsets, Postgres computes the names and the type only once.
                cross join lateral (select %9$s offset 0) as fields (changed_fields)
                cross join lateral (select %10$s offset 0) as event (event_type)
                where event_type is not null
              ) as happened
              returning slot, id, seq, company_id, type, record_id
            )
            insert into app.open_deliveries (webhook_id, record_id, seq, slot, event_id, company_id, type, due_at)
            select hooks.id, noted.record_id, noted.seq, noted.slot, noted.id, noted.company_id, noted.type, at
            from noted
            join public.webhooks as hooks on hooks.company_id = noted.company_id
            where hooks.is_queued and app.wants(hooks.types, noted.type);
            return null;
          end
          $trigger$
        $template$
      else
        $template$
          create function app.%1$I() returns trigger
          language plpgsql security definer
          set search_path = ''
          as $trigger$
          declare
            %11$s
            changed_fields constant text[] := %9$s;
            event_type text;
            event_id uuid;
            event_seq bigint;
            subscribed uuid[];
            webhook uuid;
          begin
            foreach event_type in array array_remove(array[%10$s]::text[], null) loop
              declare
                %2$s
              begin
                insert into app.events (
                  slot, id, seq, version, company_id, type, record_id, changed, changes, actor, request_id, happened_at
                )
                values (
                  of_slot, %3$s, nextval('app.event_seq'), %6$s, %4$s.company_id, event_type, %4$s.%5$I,
                  changed_fields, %7$s, author, request, at
                )
                returning id, seq, (
                  select array_agg(hooks.id) from public.webhooks as hooks
                  where hooks.company_id = %4$s.company_id and hooks.is_queued and app.wants(hooks.types, event_type)
                ) into event_id, event_seq, subscribed;
                -- Most companies have no webhook, and even an insert of no rows costs something.
                if subscribed is not null then
                  foreach webhook in array subscribed loop
                    insert into app.open_deliveries
                      (webhook_id, record_id, seq, slot, event_id, company_id, type, due_at)
                    values (webhook, %4$s.%5$I, event_seq, of_slot, event_id, %4$s.company_id, event_type, at);
                  end loop;
                end if;
              end;
            end loop;
            return null;
          end
          $trigger$
        $template$
      end,
      function_name, origin, new_id, way.of_row, record, way.version, way.values, way.rows, way.names, way.types,
      way.aliases
    );
    execute format(
      'comment on function app.%I() is %L', function_name,
      format('Trigger: writes the events of a statement that %s of %s. Made by app.make_events().', way.words, of_table)
    );
    -- After a statement, Postgres runs the row triggers in the order of their names, and then the statement triggers in
    -- the order of their names. Another trigger of the same kind may change the same record again. These names begin
    -- with add, so the event of the first change is written before such a trigger runs. If a statement trigger writes
    -- the events, no row trigger may change the same record.
    execute format(
      'create trigger %I after %s on public.%I %s execute function app.%I()',
      format('%s_add_events_%s', of_table, way.name), way.operation, of_table,
      case when way.many then way.by_statement else way.by_row end, function_name
    );
  end loop;
end
$make$;
comment on function
  app.make_events(text, text[], text[], text, text, text, text, text, text, text, text, boolean) is
  'Declares the events of a table with the columns id and company_id. The expressions `added`, `changed` and `deleted` '
  'return the event type for a row, or null for no event. If in_batches is false, `added` and `changed` may also be '
  'lists of expressions, separated by commas. The expressions use the rows is_now (after the change) and was (before '
  'the change). The expression `changed` also uses changed_fields, the fields that the statement changed. The argument '
  '`shown` lists columns without personal data, whose values the event contains. The expressions added_values, '
  'changed_values and deleted_values add further values, and may use event_type. The argument `record` is the column '
  'with the record''s id, and `actor` is the kind of author that makes all changes. The argument in_batches means that '
  'one statement often writes many rows. If in_batches is false, an update that changes none of the fields creates no '
  'event.';
