-- The change clock assigns versions to rows, so that callers can keep copies of the rows up to date. The version of a
-- row is the ID of the transaction that last wrote the row. The horizon is the ID of the oldest transaction that is
-- still writing. A page of changes shows only versions below the horizon. Transactions get increasing IDs in the order
-- in which they begin to write. So a change that is committed after a page was read has a version at or above the
-- horizon of that page. The commit order does not matter. A cursor is the position where a caller stopped reading. A
-- caller that continues from its cursor misses no change.
--
-- Callers see versions, ETags and cursors. So every company can learn how many transactions of all companies write, but
-- not which company writes. This is accepted, because callers must be able to compare versions.
--
-- A database that is restored from a dump starts counting transactions from the beginning. So the exact version is the
-- sum of the transaction ID and a base. After a restore, the operator calls restart_changes(). This function raises the
-- base, so that new versions are above all earlier versions. The generation shows whether a cursor was made before the
-- last call of restart_changes(). The generation is the time of this call or of the first migration, in seconds. So two
-- databases rarely have the same generation.
create table app.change_clock (
  is_only boolean primary key default true check (is_only),
  base bigint not null default 0,
  generation bigint not null default extract(epoch from clock_timestamp())::bigint
);
comment on table app.change_clock is
  'A table with one row: the base and the current generation of cursors. A version is the base plus a transaction ID.';

create function app.set_updated_at() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.updated_at := now();
  return new;
end
$$;
comment on function app.set_updated_at() is 'Trigger: sets updated_at to the start time of the transaction.';

-- Security definer, because no role may read change_clock. The other functions that read change_clock are security
-- definer for the same reason.
create function app.change_now() returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  return (select base + pg_current_xact_id()::text::bigint from app.change_clock);
end
$$;
comment on function app.change_now() is
  'Returns the version of the rows that this transaction writes. All of these rows have the same version, even after '
  'a savepoint.';
grant execute on function app.change_now() to api_client, authenticated, service_role;

-- This function must be stable. A volatile function has a newer snapshot than the statement that calls the function. A
-- change that is committed between the two snapshots would be lost: the page would not contain the change, although its
-- version is below the horizon.
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
  'Returns the values of the change clock for the snapshot of this statement. Every transaction with a version below '
  'the horizon has ended. Each visible row has a version below `beyond`.';
grant execute on function app.change_clock_now() to api_client;

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
  -- This check runs before the check of the cursor. After the error PT410 below, the caller would start again from the
  -- beginning, but would still miss the newest rows. Only the operator can repair the versions.
  if newest_version >= beyond then
    raise sqlstate 'PT500' using
      message = 'Rows have versions that this database has not assigned yet, so the change feeds would not show them',
      detail = format('a row has the version %s, and the versions of this database end at %s', newest_version, beyond),
      hint = 'The database was restored or moved: run npm run admin -- changes restart';
  end if;
  if cursor_generation <> generation or cursor_version >= beyond then
    raise sqlstate 'PT410' using message = 'This cursor is older than the restore or the move of the database';
  end if;
end
$$;
comment on function app.change_clock_for(bigint, bigint, bigint) is
  'Returns the change clock for a page of changes after a cursor. Without a cursor, cursor_generation and '
  'cursor_version are null. newest_version is the highest version in the table whose changes the page shows. Raises '
  'PT410 for a cursor from another generation. Also raises PT410 for a cursor that is ahead of the clock, as happens '
  'after a restore to an earlier time. Raises PT500 if restart_changes() was not called after a restore.';
grant execute on function app.change_clock_for(bigint, bigint, bigint) to api_client;

-- A conditional write succeeds only if the record has not changed since the caller read it. The caller sends the
-- version that it read, and the statement compares this version with the stored version. If fifty writes with the same
-- version run at the same time, only one succeeds.
--
-- A trigger compares the versions. With a comparison in the `where` clause, a statement would find no row in two cases:
-- if the version is different, and if the record does not exist. The caller could not distinguish these cases.
create function app.note_change() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  -- If a row's id or company could change, a caller's copy would still contain the row with the earlier id or company.
  if new.id <> old.id or new.company_id <> old.company_id then
    raise sqlstate 'PT422' using
      message = 'The id and the company of a row cannot change: delete the row, and add another one';
  end if;
  -- If the statement writes no version, the old and the new version are equal.
  if new.version <> old.version then
    raise sqlstate 'PT412' using
      message = 'The given version is not the current version: read the row again', detail = old.version::text;
  end if;
  new.updated_at := now();
  new.version := app.change_now();
  return new;
end
$$;
comment on function app.note_change() is
  'Trigger: sets updated_at to the start time of the transaction, and the version to the result of app.change_now(). '
  'Raises PT412, with the current version as detail, if the statement writes a version that is not the row''s version. '
  'Refuses changes to the id or the company.';

-- Pipelines, stages, teams and members also have a version. These tables have no change feed, because a company has few
-- rows in them.
create function app.note_version() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  -- If the statement writes no version, the old and the new version are equal.
  if new.version <> old.version then
    raise sqlstate 'PT412' using
      message = 'The given version is not the current version: read the row again', detail = old.version::text;
  end if;
  new.updated_at := now();
  new.version := app.change_now();
  return new;
end
$$;
comment on function app.note_version() is
  'Trigger: does the same as app.note_change() for tables without a change feed, but allows changes to the id and the '
  'company.';

create function app.require_version(present bigint, accepted bigint) returns void
language plpgsql immutable
set search_path = ''
as $$
begin
  if present <> accepted then
    raise sqlstate 'PT412' using
      message = 'The given version is not the current version: read the row again', detail = present::text;
  end if;
end
$$;
comment on function app.require_version(bigint, bigint) is
  'Raises PT412, as app.note_version() does, if the version of a row is not the accepted version. Null accepts any '
  'version. Functions that check the version before they write the row call this function.';

create function app.require_version(present bigint, accepted bigint[]) returns void
language plpgsql immutable
set search_path = ''
as $$
begin
  if accepted is not null and present <> all (accepted) then
    raise sqlstate 'PT412' using
      message = 'The given version is not the current version: read the row again', detail = present::text;
  end if;
end
$$;
comment on function app.require_version(bigint, bigint[]) is
  'Raises PT412 when the version of a row is not among the accepted versions. The detail is the current version. Null '
  'accepts any version.';

insert into app.change_clock default values;
