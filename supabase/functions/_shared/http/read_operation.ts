import type * as z from "zod";
import type { Table } from "../database/table.ts";
import { rows } from "../database/rows.ts";
import { ApiError } from "../errors.ts";
import { one } from "./answers.ts";
import { IdParams } from "./fields.ts";
import { type Operation, operation, reply } from "./operation.ts";

/** A table with an id, and what callers see of one of its rows. */
interface ReadRow<Stored extends z.ZodObject, Answered extends z.ZodObject> {
  table: Table<Stored>;
  /** What one row is called: `Template`. */
  name: string;
  /** How a row is answered; missing when that is how it is stored. */
  answered?: { schema: Answered; of(row: z.output<Stored>): z.output<Answered> };
}

/**
 * An operation that answers one row of a table that the key's company has, by its id. A row of another company
 * is a 404 like one that does not exist.
 */
export function readOperation<
  const Id extends string,
  Stored extends z.ZodObject<{ id: z.ZodType }>,
  Answered extends z.ZodObject = Stored,
>(
  { id, path, table, name, answered }: { id: Id; path: string } & ReadRow<Stored, Answered>,
): Operation<Id> {
  return operation({
    id,
    method: "GET",
    path,
    scope: "read",
    params: IdParams,
    answers: { 200: one((answered?.schema ?? table.row) as z.ZodObject) },
    errors: ["not_found"],
  }, async ({ caller: { db }, params }) => {
    const query = db.from(table.name).select<string, z.output<Stored>>(table.columns);
    const [row] = rows(await query.eq(table.columnOf("id"), params.id));
    if (!row) throw new ApiError("not_found", `${name} not found`);
    return reply(200, { data: answered ? answered.of(row) : row });
  });
}
