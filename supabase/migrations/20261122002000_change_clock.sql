-- The clock of changes. Every row of the resources that callers keep in step notes the transaction that wrote it last
-- (its version), and a page of changes shows what is below the oldest transaction that is still writing (the horizon).
-- A transaction that begins to write later gets a greater number. So whatever commits after a page was read has a
-- version at or above that page's horizon, in whatever order transactions commit, and no change is ever put in behind a
-- cursor.
--
-- A restored dump begins to count transactions anew. Therefore a version is base + the transaction's number, and
-- restart_changes() moves the base beyond every version there is. The generation tells cursors of before from those of
-- after: it is the second of the last restart, or of this migration, so two databases seldom have the same.

create table app.change_clock (
  is_only boolean primary key default true check (is_only),
  base bigint not null default 0,
  generation bigint not null default extract(epoch from clock_timestamp())::bigint
);
comment on table app.change_clock is
  'One row: what is added to the number of a transaction to get a version, and the generation of the cursors.';
insert into app.change_clock default values;

-- Security definer, because nobody may read the table; so are the other functions that read it.
create function app.change_now() returns bigint
language sql volatile security definer
set search_path = ''
as $$
  select base + pg_current_xact_id()::text::bigint from app.change_clock
$$;
comment on function app.change_now() is
  'The version of what this transaction writes. All that it writes has the same one, also within savepoints.';
-- Whoever writes a row calls it: it is the default of version, and the trigger app.note_change() calls it.
grant execute on function app.change_now() to api_client, authenticated, service_role;

-- Stable, and never volatile: a volatile function sees a newer snapshot than the statement that calls it. A change that
-- was committed in between would be in neither the rows of the page nor at or above its horizon.
create function app.change_clock_now(out generation bigint, out horizon bigint, out beyond bigint)
language sql stable security definer
set search_path = ''
as $$
  select
    generation,
    base + pg_snapshot_xmin(pg_current_snapshot())::text::bigint,
    base + pg_snapshot_xmax(pg_current_snapshot())::text::bigint
  from app.change_clock
$$;
comment on function app.change_clock_now() is
  'The clock as this statement sees it. Every transaction with a version below the horizon has ended; a row that is '
  'visible has a version below beyond.';

create function app.change_clock_for(
  cursor_generation bigint, cursor_version bigint, newest_version bigint, out generation bigint, out horizon bigint
)
language plpgsql stable
set search_path = ''
as $$
declare
  beyond bigint;
begin
  select clock.generation, clock.horizon, clock.beyond into generation, horizon, beyond
  from app.change_clock_now() as clock;
  -- The operator comes first: a caller who is sent to the beginning would not get these rows there either.
  if newest_version >= beyond then
    raise sqlstate 'PT500' using
      message = 'Rows have versions that this database has not given out, so the feeds of changes would not show them',
      detail = format('a row has the version %s, and the versions of this database end at %s', newest_version, beyond),
      hint = 'The database was restored or moved: run npm run admin -- changes restart';
  end if;
  if cursor_generation <> generation or cursor_version >= beyond then
    raise sqlstate 'PT410' using message = 'This cursor is from before the database was restored or moved';
  end if;
end
$$;
comment on function app.change_clock_for(bigint, bigint, bigint) is
  'The clock for a page of changes after a cursor; without one, both of its parts are null. newest_version is the '
  'greatest version of the rows that the page is read from. Raises PT410 for a cursor of another generation, or one '
  'that is ahead of the clock, as after going back in time; PT500 when the clock was not restarted after a restore.';
