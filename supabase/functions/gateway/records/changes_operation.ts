import { type Operation, operation, reply } from "../../_shared/http/operation.ts";
import { changesPage, changesParameters, type Feed, readChanges } from "./changes.ts";
import { partOf } from "./projection.ts";
import { recordSchema, type Resource } from "./resource.ts";

/**
 * Creates an operation that returns a resource's changes and deletions since a cursor, so that
 * callers can keep a copy up to date. After a change is committed, it is returned at least once,
 * with the record's current state.
 */
export function changesOperation<const Id extends string>(
  { id, path, resource, feed }: {
    id: Id;
    path: string;
    // deno-lint-ignore no-explicit-any -- a resource of rows of any shape
    resource: Resource<any, any>;
    /**
     * The database function that returns the changes. Its rows have the same columns as the table.
     */
    feed: Feed;
  },
): Operation<Id> {
  return operation({
    id,
    method: "GET",
    path,
    scope: "read",
    query: changesParameters(resource, feed),
    answers: () => ({ 200: changesPage(recordSchema(resource)) }),
    errors: ["cursor_expired"],
  }, async ({ caller, query }) => {
    const { data, pagination } = await readChanges(caller, feed, query);
    const recordOf = partOf(resource, query.fields);
    // A deleted row always has the same fields, even if the caller asks for other fields.
    const answers = data.map((change) => "deleted_at" in change ? change : recordOf(change));
    return reply(200, { data: answers, pagination });
  });
}
