import * as z from "zod";
import { withinBudget } from "../../_shared/database/company_db.ts";
import { readRows } from "../../_shared/database/page_budget.ts";
import { rows } from "../../_shared/database/rows.ts";
import type { Database } from "../../_shared/database/types.ts";
import { ApiError } from "../../_shared/errors.ts";
import { lazily } from "../../_shared/http/operation.ts";
import type { Caller } from "../../_shared/key/caller.ts";
import { type Place, placeAt, readPlace, writePlace } from "./change_cursor.ts";
import { Id, Timestamp } from "../../_shared/http/fields.ts";
import { Limit } from "./list_parameters.ts";
import { PageSize } from "./page_size.ts";
import { fieldsParameter } from "./projection.ts";
import type { Resource } from "./resource.ts";

/** A function of the database that answers the changes of a resource. */
export type Feed =
  & keyof Database["public"]["Functions"]
  & `${"contact" | "deal" | "conversation" | "message"}_changes`;

/** What is left of a row that was deleted. */
export const DeletedRow = z.object({
  id: Id,
  company_id: Id,
  deleted_at: Timestamp,
  merged_into: Id.optional(),
})
  .meta({ id: "DeletedRow" });
export type DeletedRow = z.output<typeof DeletedRow>;

/** The envelope of one page of changes. A page without changes has a cursor too. */
export function changesPage<Row extends z.ZodObject>(row: Row) {
  return z.object({ data: z.array(z.union([row, DeletedRow])), pagination: ChangesPagination });
}

const ChangesPagination = z.object({
  limit: z.int().meta({ minimum: 1, maximum: 200 }),
  has_more: z.boolean(),
  next_cursor: z.string(),
}).meta({ id: "ChangesPagination" });

/** The parameters of the changes of a resource: `limit`, `cursor`, `start` and `fields`. */
export function changesParameters(resource: Resource, feed: Feed) {
  return lazily(() =>
    z.strictObject({
      limit: Limit,
      cursor: z.string().transform((cursor, context): Place => {
        const place = readPlace(feed, cursor);
        if (place) return place;
        context.addIssue({
          code: "custom",
          message: "is not a cursor of these changes; send next_cursor of the previous page " +
            "unchanged, or none to start anew",
        });
        return z.NEVER;
      }).optional(),
      start: z.enum(["beginning", "now"]).optional().meta({ default: "beginning" }),
      fields: fieldsParameter(resource),
    }).refine(({ cursor, start }) => cursor === undefined || start === undefined, {
      path: ["start"],
      error: "must not be given together with cursor",
    })
  );
}

/** The first object of the database's answer. All changes below the horizon can be read by now. */
interface Clock {
  generation: number;
  horizon: number;
}

type Row = Record<string, unknown>;

/** A row or a deleted row, as the database answers it. */
type Change = (Row | DeletedRow) & { id: string; version: number };

/**
 * One page of changes: the body `{ data, pagination: { limit, has_more, next_cursor } }`. A row is as it is now; it
 * comes again after its next change. So a copy that takes each change in the place of what it has under the same
 * id is in step with the database after every page without `has_more`.
 *
 * @throws ApiError cursor_expired when the cursor is from before the database was restored or moved.
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
  // One row more than the page: whether there is another page. None: only the clock.
  const max_rows = page.start === "now" ? 0 : limit + 1;
  // The clock and a row, so that each page comes further.
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
  // Without more, all changes below the horizon are on this page or before it.
  const next = hasMore ? { ...changes.at(-1)!, generation: clock.generation } : placeAt(clock);
  const data = changes.map(asAnswered);
  const pagination = {
    limit: page.limit,
    has_more: hasMore,
    next_cursor: writePlace(feed, next),
  };
  return { data, pagination };
}

/** A change as callers see it: the version as text, and of a deleted row none. */
function asAnswered({ version, ...change }: Change): Row | DeletedRow {
  return "deleted_at" in change ? change as DeletedRow : { ...change, version: String(version) };
}

function cursorExpired(): ApiError {
  return new ApiError(
    "cursor_expired",
    "This cursor is from before the database of the service was restored or moved, so changes may be missing " +
      "behind it; read everything again from start=beginning",
  );
}
