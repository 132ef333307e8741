-- The feeds of changes: what was written or deleted in a company since a cursor, in the order in which the transactions
-- began to write, and by id within one transaction. A row is shown as it is now, with its latest version.
--
-- Their answer is a list of objects, and the first of them is the clock. So the answer of the Data API is one array of
-- objects, which the edge functions read piece by piece. They are not security definer: a caller is shown what it may
-- read. All that a page is filtered and ordered by is leakproof, so the policies do not keep it from the indexes.
--
-- The feeds differ in their table and its columns only, so one function makes them all. They hold their queries as
-- written, and not as a text to execute, because a plan that is kept is half of a page's cost.

create function app.make_feed(feed text, of_table text, columns text) returns void
language plpgsql
set search_path = ''
as $make$
begin
  execute format(
    $template$
      create or replace function public.%1$I(
        generation bigint default null, after_version bigint default null, after_id uuid default null,
        max_rows integer default 50
      ) returns setof json
      language plpgsql stable
      set search_path = ''
      -- The limits make one plan right for all values. To compile it would take longer than a page.
      set plan_cache_mode = force_generic_plan
      set jit = off
      as $feed$
      declare
        -- Without a cursor: behind the last id of the version before the first one.
        from_version constant bigint := coalesce(after_version, -1);
        from_id constant uuid := coalesce(after_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
        most constant integer := least(greatest(max_rows, 0), 201);
        newest_version bigint;
        clock record;
      begin
        -- The policies judge the key only where there are rows.
        perform app.company_id('read');
        newest_version := greatest(
          (select version from public.%2$I order by version desc limit 1),
          (select version from public.deleted_rows where resource = %2$L order by version desc limit 1)
        );
        clock := app.change_clock_for(%1$I.generation, after_version, newest_version);
        return next json_build_object('generation', clock.generation, 'horizon', clock.horizon);
        -- Two ranges of indexes, merged: one statement, and so one snapshot.
        return query
          select page.change from (
            (
              select kept.version, kept.id, to_json(kept) as change
              from (
                select %3$s, version from public.%2$I
                where (version, id) > (from_version, from_id) and version < clock.horizon
                order by version, id
                limit 201
              ) as kept
            )
            union all
            (
              select gone.version, gone.id, to_json(gone)
              from (
                select id, company_id, deleted_at, version from public.deleted_rows
                where resource = %2$L
                  and (version, id) > (from_version, from_id) and version < clock.horizon
                  -- A row that is there again is shown instead. This form asks the primary key about each id.
                  and (select true from public.%2$I as again where again.id = deleted_rows.id) is null
                order by version, id
                limit 201
              ) as gone
            )
            order by version, id
            limit most
          ) as page;
      end
      $feed$
    $template$,
    feed, of_table, columns
  );
  execute format(
    $template$
      comment on function public.%1$I(bigint, bigint, uuid, integer) is
        'A page of changes of the %2$s of the key''s company, for a token for reading: first the clock '
        '{ generation, horizon }, then at most max_rows (201) changes after a cursor, or from the beginning. A change '
        'is a row with its version, or a tombstone { id, company_id, deleted_at, version }. Raises PT410 and PT500 as '
        'app.change_clock_for() does, PT401 and PT403 as app.company_id(). Made by app.make_feed().'
    $template$,
    feed, of_table
  );
  execute format('grant execute on function public.%I(bigint, bigint, uuid, integer) to api_client', feed);
end
$make$;
comment on function app.make_feed(text, text, text) is
  'Makes a feed of changes, or makes it anew with other columns of its table. For migrations.';

-- What the feeds call, they call as the caller.
grant execute on function app.change_clock_for(bigint, bigint, bigint), app.change_clock_now() to api_client;

-- The columns that a key reads, in the order in which the API shows them.
select app.make_feed('contact_changes', 'contacts', '
  id, company_id, name, email, phone, temperature, tags, source, job_title, empresa, custom_fields, do_not_contact,
  is_active, created_at, updated_at
');
select app.make_feed('deal_changes', 'deals', '
  id, company_id, title, value, status, contact_id, stage_id, created_at, updated_at
');
select app.make_feed('conversation_changes', 'conversations', '
  id, company_id, contact_id, status, assigned_to, team_id, last_message_at, window_expires_at, created_at, updated_at
');
select app.make_feed('message_changes', 'messages', '
  id, company_id, conversation_id, direction, type, content, rendered_text, status, whatsapp_message_id, created_at,
  updated_at
');
