import type * as z from "zod";
import type { Table } from "../database/table.ts";
import { changesPage, changesQuery, type DeletedRow, type Feed, readChanges } from "./changes.ts";
import { type Operation, operation, reply } from "./operation.ts";

/** A table whose changes are read, and what callers see of one of its rows. */
interface ChangedRow<Stored extends z.ZodObject, Answered extends z.ZodObject> {
  table: Table<Stored>;
  /** The function of the database that answers the changes. Its rows have the columns of the table's row. */
  feed: Feed;
  /** How a row is answered; missing when that is how it is stored. */
  answered?: { schema: Answered; of(row: z.output<Stored>): z.output<Answered> };
}

/**
 * An operation that answers what was changed or deleted in a table since a cursor, for a copy that is kept in
 * step: each change after its commit, at least once, as the row is now.
 */
export function changesOperation<
  const Id extends string,
  Stored extends z.ZodObject<{ id: z.ZodType }>,
  Answered extends z.ZodObject = Stored,
>(
  { id, path, table, feed, answered }:
    & { id: Id; path: string }
    & ChangedRow<Stored, Answered>,
): Operation<Id> {
  return operation({
    id,
    method: "GET",
    path,
    scope: "read",
    query: changesQuery(feed),
    answers: { 200: changesPage((answered?.schema ?? table.row) as z.ZodObject) },
    errors: ["cursor_expired"],
  }, async ({ caller, query }) => {
    const { data, pagination } = await readChanges<z.output<Stored>>(caller, feed, query);
    const answerOf = (change: z.output<Stored> | DeletedRow) =>
      answered && !("deleted_at" in change) ? answered.of(change as z.output<Stored>) : change;
    return reply(200, { data: data.map(answerOf), pagination });
  });
}
