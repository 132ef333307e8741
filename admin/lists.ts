import type { PostgrestSingleResponse } from "@supabase/supabase-js";
import type { Project } from "./project.ts";

/**
 * The number of rows to request at a time. A project may return fewer rows (`max_rows`), but never
 * more.
 */
const PAGE = 1000;
const BEFORE_THE_FIRST = "00000000-0000-0000-0000-000000000000";

/**
 * Reads all rows of a query, even if a project returns only a few at a time. The rows are sorted by
 * their ids, which are random. Each page begins after the last id, so no row is skipped or repeated
 * when other rows are added or deleted in the meantime.
 *
 * @param page the query for rows with a greater id, in the order of their ids, with this limit.
 * @throws the errors of `Project.rows`.
 */
export async function everyRow<Row extends { id: string }>(
  project: Project,
  page: (afterId: string, limit: number) => PromiseLike<PostgrestSingleResponse<Row[]>>,
): Promise<Row[]> {
  const found: Row[] = [];
  while (true) {
    const rows = project.rows(await page(found.at(-1)?.id ?? BEFORE_THE_FIRST, PAGE));
    if (rows.length === 0) return found;
    found.push(...rows);
  }
}

interface Dated {
  created_at: string;
}

/**
 * Compares two rows for `sort`, so that the newest row comes first. Timestamps are compared as
 * strings, because `Date` would lose the microseconds.
 */
export function byAge(a: Dated, b: Dated): number {
  return a.created_at < b.created_at ? 1 : a.created_at > b.created_at ? -1 : 0;
}
