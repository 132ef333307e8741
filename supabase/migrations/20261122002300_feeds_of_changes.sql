-- The feeds of changes: what was written or deleted in a company since a cursor, in the order in which the transactions
-- began to write, and by id within one transaction. A row is shown as it is now, with its latest version.
--
-- Their answer is a list of objects, and the first of them is the clock. So the answer of the Data API is one array of
-- objects, which the edge functions read piece by piece. None of this is security definer: a caller is shown the rows
-- that it may read. All that a page is filtered and ordered by is leakproof, so the policies do not keep it from the
-- indexes.

create function app.changes_of(
  resource text, columns text, cursor_generation bigint, cursor_version bigint, cursor_id uuid, max_rows integer
) returns setof json
language plpgsql stable
set search_path = ''
as $$
declare
  newest_version bigint;
  clock record;
begin
  -- The policies judge the key only where there are rows.
  perform app.company_id('read');
  execute format(
    $query$
      select greatest(
        (select version from public.%1$I order by version desc limit 1),
        (select version from public.deleted_rows where resource = %1$L order by version desc limit 1)
      )
    $query$,
    resource
  ) into newest_version;
  select * into clock from app.change_clock_for(cursor_generation, cursor_version, newest_version);
  return next json_build_object('generation', clock.generation, 'horizon', clock.horizon);
  -- Two ranges of indexes, each with the limit of the page, in one statement and so in one snapshot.
  return query execute format(
    $query$
      select page.change from (
        (
          select kept.version, kept.id, to_json(kept) as change
          from (
            select %2$s from public.%1$I
            where (version, id) > ($1, $2) and version < $3
            order by version, id
            limit $4
          ) as kept
        )
        union all
        (
          select gone.version, gone.id, to_json(gone)
          from (
            select id, company_id, deleted_at, version from public.deleted_rows
            where resource = %1$L and (version, id) > ($1, $2) and version < $3
              -- A row that is there again is shown instead. This form asks the primary key about each id.
              and (select true from public.%1$I as again where again.id = deleted_rows.id) is null
            order by version, id
            limit $4
          ) as gone
        )
        order by version, id
        limit $4
      ) as page
    $query$,
    resource, columns
  ) using
    -- Without a cursor: behind the last id of the version before the first one.
    coalesce(cursor_version, -1), coalesce(cursor_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'), clock.horizon,
    least(greatest(max_rows, 0), 201);
end
$$;
comment on function app.changes_of(text, text, bigint, bigint, uuid, integer) is
  'A page of changes of a resource of the key''s company, for a token for reading: first the clock '
  '{ generation, horizon }, then at most max_rows (201) changes after a cursor, or from the beginning. A change is a '
  'row with these columns, or a tombstone { id, company_id, deleted_at, version }. Raises PT410 and PT500 as '
  'app.change_clock_for() does, PT401 and PT403 as app.company_id().';
-- The feeds run it, and what it calls, as the caller.
grant execute on function
  app.changes_of(text, text, bigint, bigint, uuid, integer),
  app.change_clock_for(bigint, bigint, bigint),
  app.change_clock_now()
  to api_client;

create function public.contact_changes(
  generation bigint default null, after_version bigint default null, after_id uuid default null,
  max_rows integer default 50
) returns setof json
language sql stable
set search_path = ''
as $$
  select app.changes_of(
    'contacts',
    'id, company_id, name, email, phone, temperature, tags, source, job_title, empresa, custom_fields,
    do_not_contact, is_active, created_at, updated_at, version',
    generation, after_version, after_id, max_rows
  )
$$;
comment on function public.contact_changes(bigint, bigint, uuid, integer) is
  'The changes of contacts; see app.changes_of().';
grant execute on function public.contact_changes(bigint, bigint, uuid, integer) to api_client;

create function public.deal_changes(
  generation bigint default null, after_version bigint default null, after_id uuid default null,
  max_rows integer default 50
) returns setof json
language sql stable
set search_path = ''
as $$
  select app.changes_of(
    'deals',
    'id, company_id, title, value, status, contact_id, stage_id, created_at, updated_at, version',
    generation, after_version, after_id, max_rows
  )
$$;
comment on function public.deal_changes(bigint, bigint, uuid, integer) is
  'The changes of deals; see app.changes_of().';
grant execute on function public.deal_changes(bigint, bigint, uuid, integer) to api_client;

create function public.conversation_changes(
  generation bigint default null, after_version bigint default null, after_id uuid default null,
  max_rows integer default 50
) returns setof json
language sql stable
set search_path = ''
as $$
  select app.changes_of(
    'conversations',
    'id, company_id, contact_id, status, assigned_to, team_id, last_message_at, window_expires_at, created_at,
    updated_at, version',
    generation, after_version, after_id, max_rows
  )
$$;
comment on function public.conversation_changes(bigint, bigint, uuid, integer) is
  'The changes of conversations; see app.changes_of().';
grant execute on function public.conversation_changes(bigint, bigint, uuid, integer) to api_client;

create function public.message_changes(
  generation bigint default null, after_version bigint default null, after_id uuid default null,
  max_rows integer default 50
) returns setof json
language sql stable
set search_path = ''
as $$
  select app.changes_of(
    'messages',
    'id, company_id, conversation_id, direction, type, content, rendered_text, status, whatsapp_message_id,
    created_at, updated_at, version',
    generation, after_version, after_id, max_rows
  )
$$;
comment on function public.message_changes(bigint, bigint, uuid, integer) is
  'The changes of messages; see app.changes_of().';
grant execute on function public.message_changes(bigint, bigint, uuid, integer) to api_client;
