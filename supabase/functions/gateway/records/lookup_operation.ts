import * as z from "zod";
import { page } from "../../_shared/http/answers.ts";
import { lazily, type Operation, operation, reply } from "../../_shared/http/operation.ts";
import { type Projection, projectionParameters } from "./projection.ts";
import { readRecords } from "./read_operation.ts";
import { recordWithIncluded, type Resource } from "./resource.ts";

/**
 * An operation that answers the record of a resource that has this value in a field which no two records share, as a
 * list of none or one: not to have it is an answer, and no mistake. The value is required, and compared as it is, so
 * nothing in it is escaped.
 */
export function lookupOperation<const Id extends string>(
  { id, path, resource, by, value }: {
    id: Id;
    path: string;
    // deno-lint-ignore no-explicit-any -- a resource of rows of any shape
    resource: Resource<any, any>;
    /** The field, which is the parameter too. */
    by: string;
    value: z.ZodType<string, string>;
  },
): Operation<Id> {
  return operation({
    id,
    method: "GET",
    path,
    scope: "read",
    query: lazily(() => z.strictObject({ [by]: value, ...projectionParameters(resource) })),
    answers: { 200: page(recordWithIncluded(resource)) },
  }, async ({ caller, query }) => {
    const asked = query as Record<string, string>;
    const data = await readRecords(caller, resource, query as Projection, by, asked[by]);
    // An empty list does not prove that the key is valid.
    if (data.length === 0) await caller.judge();
    return reply(200, { data, pagination: { limit: 1, has_more: false, next_cursor: null } });
  });
}
