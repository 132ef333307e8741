import * as z from "zod/mini";
import { withinBudget } from "../../_shared/database/company_db.ts";
import { readRows } from "../../_shared/database/page_budget.ts";
import { rows } from "../../_shared/database/rows.ts";
import type { Database } from "../../_shared/database/types.ts";
import { ApiError } from "../../_shared/errors.ts";
import { lazily } from "../../_shared/lazily.ts";
import type { Caller } from "../../_shared/key/caller.ts";
import { type Place, placeAt, readPlace, writePlace } from "./change_cursor.ts";
import { Id, Timestamp } from "../../_shared/http/fields.ts";
import { Limit } from "./list_parameters.ts";
import { PageSize } from "./page_size.ts";
import { fieldsParameter } from "./projection.ts";
import type { Resource } from "./resource.ts";

/** A database function that returns the changes of a resource. */
export type Feed =
  & keyof Database["public"]["Functions"]
  & `${"contact" | "deal" | "conversation" | "message"}_changes`;

/** What a caller receives in place of a deleted row. */
export const DeletedRow = lazily(() =>
  z.object({
    id: Id,
    company_id: Id,
    deleted_at: Timestamp,
    merged_into: z.optional(Id),
  }).register(z.globalRegistry, { id: "DeletedRow" })
);
export type DeletedRow = z.output<typeof DeletedRow>;

/** The envelope of one page of changes. A page without changes also has a cursor. */
export function changesPage<Row extends z.ZodMiniObject>(row: Row) {
  return z.object({ data: z.array(z.union([row, DeletedRow])), pagination: ChangesPagination });
}

/** The pagination of a page of changes. */
export const ChangesPagination = lazily(() =>
  z.object({
    limit: z.int().register(z.globalRegistry, { minimum: 1, maximum: 200 }),
    has_more: z.boolean(),
    next_cursor: z.string(),
  }).register(z.globalRegistry, { id: "ChangesPagination" })
);

/**
 * Returns the parameters for reading a resource's changes: `limit`, `cursor`, `start` and `fields`.
 */
export function changesParameters(resource: Resource, feed: Feed) {
  return lazily(() =>
    z.strictObject({
      limit: Limit,
      cursor: z.optional(z.pipe(
        z.string(),
        z.transform((cursor, context): Place => {
          const place = readPlace(feed, cursor);
          if (place) return place;
          context.issues.push({
            code: "custom",
            input: cursor,
            message: "is not a cursor of these changes; send next_cursor of the previous page " +
              "unchanged, or no cursor to start again",
          });
          return z.NEVER;
        }),
      )),
      start: z.optional(z.enum(["beginning", "now"])).register(z.globalRegistry, {
        default: "beginning",
      }),
      fields: fieldsParameter(resource),
    }).check(z.refine(({ cursor, start }) => cursor === undefined || start === undefined, {
      path: ["start"],
      error: "must not be combined with cursor",
    }))
  );
}

/**
 * The first object in the database's response. All changes with a version below the horizon can be
 * read now.
 */
interface Clock {
  generation: number;
  horizon: number;
}

type Row = Record<string, unknown>;

/** A row or a deleted row, as the database returns it. */
type Change = (Row | DeletedRow) & { id: string; version: number };

/**
 * Returns one page of changes as the body `{ data, pagination: { limit, has_more, next_cursor } }`.
 * Each row is in its current state. A row is returned again after its next change. A caller keeps a
 * copy up to date by replacing the row with the same id. After a page whose `has_more` is false,
 * the copy is up to date.
 *
 * @throws ApiError `cursor_expired` if the cursor was created before the database was restored or
 * moved.
 */
export async function readChanges(
  caller: Caller,
  feed: Feed,
  page: { limit: number; cursor?: Place; start?: "beginning" | "now" },
) {
  const size = new PageSize(`${caller.holder} ${feed}`);
  const limit = size.rowsUpTo(page.limit);
  const place = page.cursor && {
    generation: page.cursor.generation,
    after_version: page.cursor.version,
    after_id: page.cursor.id,
  };
  // The query reads one row more than a page has, to find out whether there is another page. With a
  // limit of 0, the query reads only the clock.
  const max_rows = page.start === "now" ? 0 : limit + 1;
  // The query reads the clock and at least one row, even if the row exceeds the byte budget. Each
  // page therefore makes progress.
  const atLeast = 2;
  const read = async () =>
    await withinBudget(caller.db.rpc(feed, { ...place, max_rows }, { get: true }), atLeast);
  const answer = await size.read(limit, caller, read);
  if (answer.error?.code === "PT410") throw cursorExpired();
  const [clock, ...found] = rows(answer) as unknown as [Clock, ...Change[]];
  const { bytes, endedEarly } = readRows(answer);
  size.note(found.length, bytes);

  const changes = found.slice(0, limit);
  const hasMore = found.length > limit || endedEarly;
  // If there are no more rows, this page and the earlier pages contain all changes below the
  // horizon.
  const next = hasMore ? { ...changes.at(-1)!, generation: clock.generation } : placeAt(clock);
  const data = changes.map(asAnswered);
  const pagination = {
    limit: page.limit,
    has_more: hasMore,
    next_cursor: writePlace(feed, next),
  };
  return { data, pagination };
}

/**
 * Returns a change in the form that callers receive. A row's version is a string, and a deleted row
 * has no version.
 */
function asAnswered({ version, ...change }: Change): Row | DeletedRow {
  return "deleted_at" in change ? change as DeletedRow : { ...change, version: String(version) };
}

/** Returns the error for a cursor that was created before the database was restored or moved. */
export function cursorExpired(): ApiError {
  return new ApiError(
    "cursor_expired",
    "The database of the service was restored or moved after this cursor was made, so the list " +
      "may lack some changes; read everything again from start=beginning",
  );
}
