import type { Declaration, Operation, Reply, Request } from "../_shared/http/operation.ts";
import type { Person } from "./person.ts";

/** A signed-in user's request, as parsed by the schemas of its operation. */
export type PersonRequest<Declared extends Declaration> =
  & Pick<Request<Declared>, "params" | "query" | "body" | "origin" | "server">
  & { person: Person };

/**
 * An operation for signed-in users. The database checks what the user may do, so `scope` is null.
 *
 * @param handler may throw an ApiError with a declared code or with a code that every operation
 *   has.
 */
export function personOperation<const Declared extends Declaration & { scope: null }>(
  declared: Declared,
  handler: (request: PersonRequest<Declared>) => Promise<Reply<Declared>>,
): Operation<Declared["id"]> {
  return { ...declared, handle: handler as unknown as Operation["handle"] };
}
