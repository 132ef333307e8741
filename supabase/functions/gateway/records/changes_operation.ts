import { type Operation, operation, reply } from "../../_shared/http/operation.ts";
import { changesPage, changesParameters, type Feed, readChanges } from "./changes.ts";
import { partOf } from "./projection.ts";
import { recordSchema, type Resource } from "./resource.ts";

/**
 * An operation that answers what was changed or deleted of a resource since a cursor, for a copy that is kept in
 * step: each change after its commit, at least once, as the record is now.
 */
export function changesOperation<const Id extends string>(
  { id, path, resource, feed }: {
    id: Id;
    path: string;
    // deno-lint-ignore no-explicit-any -- a resource of rows of any shape
    resource: Resource<any, any>;
    /** The function of the database that answers the changes. Its rows have the columns of the table's row. */
    feed: Feed;
  },
): Operation<Id> {
  return operation({
    id,
    method: "GET",
    path,
    scope: "read",
    query: changesParameters(resource, feed),
    answers: { 200: changesPage(recordSchema(resource)) },
    errors: ["cursor_expired"],
  }, async ({ caller, query }) => {
    const { data, pagination } = await readChanges(caller, feed, query);
    const recordOf = partOf(resource, query.fields);
    // Of a deleted row there is only this, whatever fields are asked for.
    const answers = data.map((change) => "deleted_at" in change ? change : recordOf(change));
    return reply(200, { data: answers, pagination });
  });
}
