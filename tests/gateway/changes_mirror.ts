import assert from "node:assert/strict";
import type postgres from "postgres";
import type { Answer } from "../support/calls.ts";

interface Row {
  id: string;
  deleted_at?: string;
  [field: string]: unknown;
}

/**
 * A copy of a company's rows in one table, such as `contacts`. The copy follows the changes feed,
 * as an integrator's copy does.
 */
export class ChangesMirror {
  readonly rows = new Map<string, Row>();
  #cursor = "";

  /** @param get requests a gateway path with the company's key. */
  constructor(readonly table: string, readonly get: (path: string) => Promise<Answer>) {}

  /**
   * Reads changes until the feed has no more. The copy then has every change whose version is below
   * the returned version.
   */
  async follow(limit = 20): Promise<number> {
    for (let hasMore = true; hasMore;) {
      const at = this.#cursor && `&cursor=${this.#cursor}`;
      const { status, body } = await this.get(`/${this.table}/changes?limit=${limit}${at}`);
      assert.equal(status, 200, JSON.stringify(body));
      for (const row of body.data as Row[]) {
        if (row.deleted_at === undefined) this.rows.set(row.id, row);
        else this.rows.delete(row.id);
      }
      this.#cursor = body.pagination.next_cursor;
      hasMore = body.pagination.has_more;
    }
    return versionOf(this.#cursor) + 1;
  }
}

/** The version that a changes cursor contains. */
export function versionOf(cursor: string): number {
  return JSON.parse(atob(cursor.replaceAll("-", "+").replaceAll("_", "/")))[2];
}

/**
 * Asserts that a copy contains the current data of every row whose version is below the horizon,
 * and no deleted or unknown row. Rows with later versions are not compared, because the copy may
 * not have them yet.
 *
 * @returns the number of compared rows.
 */
export async function assertInStep(
  sql: postgres.Sql,
  companyId: string,
  { table, rows }: ChangesMirror,
  horizon: number,
): Promise<number> {
  const stored = await sql`
    select id, version::float8 as version, to_jsonb(stored) as row from ${sql(table)} as stored
    where company_id = ${companyId}
    union all
    select id, version::float8, null from deleted_rows where company_id = ${companyId} and resource = ${table}
  `;
  const [now, later] = [
    stored.filter(({ version }) => version < horizon),
    new Set(stored.filter(({ version }) => version >= horizon).map(({ id }) => id)),
  ];
  const found = Object.fromEntries(
    now.filter(({ row }) => row !== null).map(({ id, row, version }) => {
      // The API returns a version as a string.
      const asShown = { ...row, version: String(version) };
      // These fields are not compared, because they are not columns. A message's `author` also
      // depends on other rows, and the other three fields are derived from the message's payload.
      for (const field of ["author", "location", "contact_cards", "choice"]) {
        const shown = rows.get(id)?.[field];
        if (shown !== undefined) asShown[field] = shown;
      }
      const shown = Object.keys(rows.get(id) ?? {}).map((field) => [field, asShown[field]]);
      return [id, rows.has(id) ? Object.fromEntries(shown) : `missed, of version ${version}`];
    }),
  );
  const copied = Object.fromEntries([...rows].filter(([id]) => !later.has(id)));
  assert.deepEqual(copied, found, `${table} below ${horizon}`);
  return now.length;
}
