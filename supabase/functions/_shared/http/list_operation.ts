import type * as z from "zod";
import { page } from "./answers.ts";
import { type Operation, operation, reply } from "./operation.ts";
import { type ListOrder, paging, readPage } from "./pagination.ts";

/** An operation that lists the rows of a table that the key's company has, page by page. */
export function listOperation<const Id extends string, Row extends z.ZodObject>(
  { id, path, order }: { id: Id; path: string; order: ListOrder<Row> },
): Operation<Id> {
  const { name, row, columns } = order.table;
  return operation({
    id,
    method: "GET",
    path,
    scope: "read",
    query: paging(order),
    answers: { 200: page(row as z.ZodObject) },
  }, async ({ caller, query }) => {
    const rows = caller.db.from(name).select<string, z.output<Row>>(columns);
    return reply(200, await readPage(caller, rows, order, query));
  });
}
