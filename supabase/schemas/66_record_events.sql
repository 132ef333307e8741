-- Functions that write events. app.make_events() declares the events for one kind of record. This function creates
-- triggers that write an event in the transaction of each change. So changes by keys, users, WhatsApp and the platform
-- all create events. The same triggers queue the event for the company's webhooks that subscribe to this event type. An
-- event must never make a write fail or wait. So the triggers do not lock rows. A batch request may write 500 contacts
-- or deals, so the triggers of these two tables run once per statement. Other records are mostly written one by one.
-- Their triggers for inserts and updates run once per row, which halves the cost of a write.

create type app.event_origin as (actor jsonb, request_id text);
comment on type app.event_origin is
  'The author of an event, and the id of the request that caused the event. See the columns actor and request_id of '
  'app.events.';

create function app.event_origin(kind text default null) returns app.event_origin
language plpgsql stable
set search_path = ''
as $$
declare
  acting constant text := coalesce(current_setting('role', true), '');
  headers constant text := current_setting('request.headers', true);
  origin app.event_origin;
begin
  origin.actor := case
    when event_origin.kind is not null then jsonb_build_object('kind', event_origin.kind, 'id', null)
    -- The edge function settings acts on behalf of the user in its token.
    when acting in ('authenticated', 'settings_client') then jsonb_build_object('kind', 'person', 'id', auth.uid())
    when acting <> 'api_client' then
      jsonb_build_object('kind', coalesce(nullif(current_setting('app.event_actor', true), ''), case acting
        when 'channel_client' then 'channel' when 'webhook_client' then 'job' else 'platform' end), 'id', null)
  end;
  -- This query is separate, because a query within an expression makes each evaluation of the expression slower.
  if origin.actor is null then
    origin.actor := jsonb_build_object('kind', 'key', 'id', (
      select id from public.api_keys where key_hash = auth.jwt() ->> 'key_hash'
    ));
  end if;
  begin
    origin.request_id := substring(headers::json ->> 'x-request-id' from '^[\x21-\x7e]{1,128}$');
  exception when data_exception then
    -- The headers are not JSON, or contain a character that Postgres cannot store.
    null;
  end;
  return origin;
end
$$;
comment on function app.event_origin(text) is
  'Returns the author of the change that this statement makes, and the request id. If the argument `kind` is given, '
  'the author has that kind. The edge function whatsapp acts as the kind `channel`, unless one of its jobs has set '
  'app.event_actor. The function fail_expired_sends() also sets app.event_actor. The request id is the X-Request-Id '
  'header, which the edge functions forward. The request id is null outside a request, or when it does not have the '
  'format of an id. Never fails. Only functions that run as the database owner call this function, because no other '
  'role may read the key hashes.';

create function app.write_event(
  of_company uuid,
  event_type text,
  of_record uuid,
  changed_fields text[] default null,
  changed_values jsonb default null,
  author text default null,
  of_version bigint default null
) returns void
language plpgsql
set search_path = ''
as $$
declare
  at constant timestamptz := clock_timestamp();
  of_slot constant smallint := app.slot_of(at);
  event_id constant uuid := app.new_event_id(at);
  event_seq constant bigint := nextval('app.event_seq');
  origin constant app.event_origin := app.event_origin(author);
begin
  insert into app.events
    (slot, id, seq, version, company_id, type, record_id, changed, changes, actor, request_id, happened_at)
  values (
    of_slot, event_id, event_seq, coalesce(of_version, app.change_now()), of_company, event_type, of_record,
    changed_fields, changed_values, origin.actor, origin.request_id, at
  );
  insert into app.open_deliveries (webhook_id, record_id, seq, slot, event_id, company_id, type, due_at)
  select hooks.id, of_record, event_seq, of_slot, event_id, of_company, event_type, at
  from public.webhooks as hooks
  where hooks.company_id = of_company and hooks.is_queued and app.wants(hooks.types, event_type);
end
$$;
comment on function app.write_event(uuid, text, uuid, text[], jsonb, text, bigint) is
  'Writes an event of a record, and queues the event for webhooks. The caller holds the lock on the record, so the '
  'events of a record are numbered in the order of its changes. The argument `author` is a kind of author. If it is '
  'null, the function stores the author of the statement. The argument of_version is the version of the change. If it '
  'is null, the function calls app.change_now(), which returns the same number.';

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
            at constant timestamptz := clock_timestamp();
            of_slot constant smallint := app.slot_of(at);
            origin constant app.event_origin := app.event_origin(%2$L);
          begin
            with noted as (
              insert into app.events
                (slot, id, seq, version, company_id, type, record_id, changed, changes, actor, request_id, happened_at)
              select
                of_slot, app.new_event_id(at), nextval('app.event_seq'), happened.version, happened.company_id,
                happened.event_type, happened.record_id, happened.changed_fields, happened.changed_values,
                origin.actor, origin.request_id, at
              from (
                select
                  %3$s.company_id, %3$s.%4$I as record_id, %5$s as version, event_type, changed_fields,
                  %6$s as changed_values
                from %7$s
                -- Because of the offset, Postgres computes the names only once.
                cross join lateral (select %8$s offset 0) as fields (changed_fields)
                cross join lateral (select unnest(array[%9$s]::text[])) as event (event_type)
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
            %10$s
            changed_fields constant text[] := %8$s;
            event_type text;
          begin
            foreach event_type in array array_remove(array[%9$s]::text[], null) loop
              perform app.write_event(
                %3$s.company_id, event_type, %3$s.%4$I, changed_fields, %6$s, %2$L, %5$s
              );
            end loop;
            return null;
          end
          $trigger$
        $template$
      end,
      function_name, actor, way.of_row, record, way.version, way.values, way.rows, way.names, way.types, way.aliases
    );
    execute format(
      'comment on function app.%I() is %L', function_name,
      format('Trigger: writes the events of a statement that %s of %s. Made by app.make_events().', way.words, of_table)
    );
    execute format(
      'create trigger %I after %s on public.%I %s execute function app.%I()',
      format('%s_note_events_%s', of_table, way.name), way.operation, of_table,
      case when way.many then way.by_statement else way.by_row end, function_name
    );
  end loop;
end
$make$;
comment on function
  app.make_events(text, text[], text[], text, text, text, text, text, text, text, text, boolean) is
  'Declares the events of a table with the columns id and company_id. The expressions `added`, `changed` and `deleted` '
  'return the event type for a row, or null for no event. Each argument may also be a list of expressions, separated '
  'by commas. The expressions use the rows is_now (after the change) and was (before the change). The expression '
  '`changed` also uses changed_fields, the fields that the statement changed. The argument `shown` lists columns '
  'without personal data, whose values the event contains. The expressions added_values, changed_values and '
  'deleted_values add further values, and may use event_type. The argument `record` is the column with the record''s '
  'id, and `actor` is the kind of author that makes all changes. The argument in_batches means that one statement '
  'often writes many rows. If in_batches is false, an update that changes none of the fields creates no event.';
