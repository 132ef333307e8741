import type { PostgrestSingleResponse } from "@supabase/supabase-js";
import type { Project } from "./project.ts";

/** As many rows as one request asks for. A project may answer fewer (max_rows), never more. */
const PAGE = 1000;
const BEFORE_THE_FIRST = "00000000-0000-0000-0000-000000000000";

/**
 * Reads all rows of a query, however few a project answers at a time. The rows come in the order of
 * their ids, which are random. Reading on from the last id neither skips nor repeats a row when others
 * are added or deleted meanwhile.
 *
 * @param page the query for rows whose id is greater, in the order of their ids, with this limit.
 * @throws OperatorError as `Project.rows` does.
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
 * Compares two rows for `sort`: the newest row comes first. It compares timestamps as text, which
 * keeps microseconds; Date would round them.
 */
export function byAge(a: Dated, b: Dated): number {
  return a.created_at < b.created_at ? 1 : a.created_at > b.created_at ? -1 : 0;
}
