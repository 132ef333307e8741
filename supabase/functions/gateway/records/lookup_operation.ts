import * as z from "zod/mini";
import { page } from "../../_shared/http/answers.ts";
import { lazily, type Operation, operation, reply } from "../../_shared/http/operation.ts";
import { type Projection, projectionParameters } from "./projection.ts";
import { readRecords } from "./read_operation.ts";
import { recordWithIncluded, type Resource } from "./resource.ts";

/**
 * An operation that finds a record by the value of a unique field. It returns a list of one record
 * or none. An empty list is a valid answer. The value is required and compared literally, so it has
 * no escapes.
 */
export function lookupOperation<const Id extends string>(
  { id, path, resource, by, value }: {
    id: Id;
    path: string;
    // deno-lint-ignore no-explicit-any -- a resource of rows of any shape
    resource: Resource<any, any>;
    /** The field, which is also the parameter. */
    by: string;
    value: z.core.$ZodType<string, string>;
  },
): Operation<Id> {
  return operation({
    id,
    method: "GET",
    path,
    scope: "read",
    query: lazily(() => z.strictObject({ [by]: value, ...projectionParameters(resource) })),
    answers: () => ({ 200: page(recordWithIncluded(resource)) }),
  }, async ({ caller, query }) => {
    const asked = query as Record<string, string>;
    const data = await readRecords(caller, resource, query as Projection, by, asked[by]);
    // If the list is empty, nothing has yet shown that the key is valid.
    if (data.length === 0) await caller.judge();
    return reply(200, { data, pagination: { limit: 1, has_more: false, next_cursor: null } });
  });
}
