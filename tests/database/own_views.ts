import { withDatabase } from "../support/test_stack.ts";

// The views that show only a company's own rows. The list is read from the system catalog, so the
// tests cover every new view.

/** A view of a company's own rows. */
export interface OwnView {
  name: string;
  /** The table whose rows the view shows. */
  table: string;
  /** The columns that the view shows unchanged. */
  columns: string[];
  /** The columns that the view computes. */
  computed: string[];
}

/** Every view in the schema public. */
export async function ownViews(): Promise<OwnView[]> {
  return await withDatabase(async (sql) =>
    await sql<OwnView[]>`
      select
        view_name as name, table_name as table,
        (
          select array_agg(shown.column_name::text order by shown.ordinal_position)
          from information_schema.columns as shown
          join information_schema.columns as stored using (table_schema, column_name)
          where table_schema = 'public' and shown.table_name = view_name and stored.table_name = usage.table_name
        ) as columns,
        array(
          select shown.column_name::text from information_schema.columns as shown
          where shown.table_schema = 'public' and shown.table_name = view_name and not exists (
            select from information_schema.columns as stored
            where stored.table_schema = 'public' and stored.table_name = usage.table_name
              and stored.column_name = shown.column_name
          )
          order by shown.ordinal_position
        ) as computed
      from information_schema.view_table_usage as usage
      where view_schema = 'public' and (
        -- If a view joins several tables, the view's name contains the name of the table whose rows
        -- the view shows.
        table_name = regexp_replace(view_name, '^own_(plain_)?', '') or not exists (
          select from information_schema.view_table_usage as other
          where other.view_schema = 'public' and other.view_name = usage.view_name
            and other.table_name <> usage.table_name
        )
      )
      order by 1
    `
  );
}
