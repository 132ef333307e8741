import type * as z from "zod/mini";
import type { ErrorCode } from "../../_shared/errors.ts";
import { page } from "../../_shared/http/answers.ts";
import { type Operation, operation, reply } from "../../_shared/http/operation.ts";
import type { Caller } from "../../_shared/key/caller.ts";
import type { Condition } from "./conditions.ts";
import { foundBesides } from "./found_besides.ts";
import { listParameters, listQuery } from "./list_parameters.ts";
import { readPage } from "./pagination.ts";
import { recordWithIncluded, type Resource } from "./resource.ts";

/** A request for a list, with its parsed parameters. */
interface ListRequest {
  caller: Caller;
  params: Record<string, string>;
  query: Record<string, unknown>;
}

/**
 * A list of a resource's records. If the list belongs to another record, the path contains that
 * record's id.
 */
interface ListDeclaration<Id extends string> {
  id: Id;
  path: string;
  // deno-lint-ignore no-explicit-any -- a resource of rows of any shape
  resource: Resource<any, any>;
  params?: z.ZodMiniObject;
  /** A condition from the path that all rows must match. */
  within?(params: Record<string, string>): Condition[];
  /**
   * Replaces the conditions on columns that the view does not have. The new conditions use columns
   * of the view.
   */
  resolve?(caller: Caller, conditions: Condition[]): Promise<Condition[]>;
  /**
   * Runs before an empty list is returned, in place of `caller.judge()`. So the function must throw
   * an error if the key is not valid.
   */
  whenEmpty?(request: ListRequest): Promise<void>;
  errors?: readonly ErrorCode[];
}

/**
 * Creates an operation that lists the records of the key's company, with filters, sorting and
 * pagination. All lists have the same syntax; see `filters.ts`.
 */
export function listOperation<const Id extends string>(
  { id, path, resource, params, within, resolve, whenEmpty, errors = [] }: ListDeclaration<Id>,
): Operation<Id> {
  return operation({
    id,
    method: "GET",
    path,
    scope: "read",
    params,
    query: listParameters(resource),
    answers: () => ({ 200: page(recordWithIncluded(resource)) }),
    errors: ["query_too_expensive", ...errors],
  }, async (request) => {
    const asked = request as unknown as ListRequest;
    const { caller } = asked;
    const list = {
      resource,
      within: within?.(asked.params) ?? [],
      whenEmpty: async () => await (whenEmpty ? whenEmpty(asked) : caller.judge()),
    };
    const query = listQuery(asked.query, resource.order);
    if (resolve) query.conditions = await resolve(caller, query.conditions);
    const found = await readPage(caller, list, query);
    const besides = await foundBesides(caller, resource, query, found.data.length);
    if (besides.size === 0) return reply(200, found);
    return reply(200, await readPage(caller, { ...list, besides }, query));
  });
}
