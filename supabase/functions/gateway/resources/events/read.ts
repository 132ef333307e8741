import * as z from "zod/mini";
import { withinBudget } from "../../../_shared/database/company_db.ts";
import { readRows } from "../../../_shared/database/page_budget.ts";
import { rows } from "../../../_shared/database/rows.ts";
import { ApiError } from "../../../_shared/errors.ts";
import { Id, sentTime } from "../../../_shared/http/fields.ts";
import { lazily } from "../../../_shared/lazily.ts";
import { operation, reply } from "../../../_shared/http/operation.ts";
import { Event, EventId, WANTED_TYPES } from "../../../_shared/webhooks/event.ts";
import { type Place, placeAt, readPlace, writePlace } from "../../records/change_cursor.ts";
import { ChangesPagination, cursorExpired } from "../../records/changes.ts";
import { Limit } from "../../records/list_parameters.ts";
import { PageSize } from "../../records/page_size.ts";
import { withPlusInOffset } from "../../records/query_values.ts";
import { MAX_VALUES, splitValues } from "../../records/split_values.ts";

const FEED = "events";

const Types = z.optional(
  z.pipe(
    z.string(),
    z.transform((given, context) => {
      const types = splitValues(given);
      const isWrong = typeof types === "string" ||
        types.some((type) => !WANTED_TYPES.includes(type));
      if (!isWrong) return types;
      const message = typeof types === "string"
        ? types
        : "must be types of events, such as deal.won, deal.* or *, with commas between them";
      context.issues.push({ code: "custom", input: given, message });
      return z.NEVER;
    }),
  ).register(z.globalRegistry, {
    type: "array",
    minItems: 1,
    maxItems: MAX_VALUES,
    items: { type: "string", enum: WANTED_TYPES },
  }),
);

/** A time in a query string, where a plus sign may have become a space. */
function queryTime() {
  return z.pipe(z.pipe(z.string(), z.transform(withPlusInOffset)), sentTime())
    .register(z.globalRegistry, { type: "string", format: "date-time" });
}

const parameters = lazily(() =>
  z.strictObject({
    limit: Limit,
    cursor: z.optional(z.pipe(
      z.string(),
      z.transform((cursor, context): Place => {
        const place = readPlace(FEED, cursor);
        if (place) return place;
        context.issues.push({
          code: "custom",
          input: cursor,
          message: "is not a cursor of the events; send next_cursor of the previous page " +
            "unchanged, or no cursor to start again",
        });
        return z.NEVER;
      }),
    )),
    start: z.optional(z.enum(["beginning", "now"])).register(z.globalRegistry, {
      default: "beginning",
    }),
    type: Types,
    record_id: z.optional(Id),
    since: z.optional(queryTime()),
    until: z.optional(queryTime()),
  }).check(z.refine(({ cursor, start }) => cursor === undefined || start === undefined, {
    path: ["start"],
    error: "must not be combined with cursor",
  }))
);

/** The first object in the database's response; see `Clock` in records/changes.ts. */
interface Clock {
  generation: number;
  horizon: number;
  /** If there were more events than the page could read, the last event that was read. */
  read_to: { version: number; id: string } | null;
}

interface Found {
  version: number;
  id: string;
  event: Event;
}

/** The event log, which contains the events about the company's records in the last 30 days. */
export const events = [
  operation({
    id: "listEvents",
    method: "GET",
    path: "/events",
    scope: "read",
    query: parameters,
    answers: () => ({
      200: z.object({ data: z.array(Event), pagination: ChangesPagination }),
    }),
    errors: ["cursor_expired"],
  }, async ({ caller, query }) => {
    const { limit, cursor, start, type, record_id, since, until } = query;
    // An event that lists the ids of other records is large, so a page may be too large too.
    const size = new PageSize(`${caller.holder} ${FEED}`);
    const most = size.rowsUpTo(limit);
    const asked = {
      ...(cursor && {
        generation: cursor.generation,
        after_version: cursor.version,
        after_id: cursor.id,
      }),
      ...(type && { of_types: type }),
      ...(record_id && { of_record: record_id }),
      ...(since && { since }),
      ...(until && { until }),
      max_rows: start === "now" ? 0 : most + 1,
    };
    // As in `readChanges`, the query reads the clock and at least one event.
    const atLeast = 2;
    const read = async () =>
      await withinBudget(caller.db.rpc("list_events", asked, { get: true }), atLeast);
    const answer = await size.read(most, caller, read);
    if (answer.error?.code === "PT410") throw cursorExpired();
    const [clock, ...found] = rows(answer) as unknown as [Clock, ...Found[]];
    const { bytes, endedEarly } = readRows(answer);
    size.note(found.length, bytes);
    const page = found.slice(0, most);
    // A page that ended early continues after its own last event. `read_to` may lie after events
    // that were left out.
    const isFull = found.length > most || endedEarly;
    const last = isFull ? page.at(-1)! : start === "now" ? null : clock.read_to;
    const next = last
      ? { version: last.version, id: last.id, generation: clock.generation }
      : placeAt(clock);
    return reply(200, {
      data: page.map(({ event }) => event),
      pagination: { limit, has_more: last !== null, next_cursor: writePlace(FEED, next) },
    });
  }),

  operation({
    id: "getEvent",
    method: "GET",
    path: "/events/:id",
    scope: "read",
    params: z.object({ id: EventId }),
    answers: () => ({ 200: z.object({ data: Event }) }),
    errors: ["not_found"],
  }, async ({ caller, params }) => {
    const event = rows(await caller.db.rpc("find_event", { name: params.id }, { get: true }));
    if (!event) throw new ApiError("not_found", "Event not found: events are kept for 30 days");
    return reply(200, { data: event as unknown as Event });
  }),
];
