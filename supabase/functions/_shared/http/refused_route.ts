import { ApiError } from "../errors.ts";
import type { Operation } from "./operation.ts";

/**
 * The error of a request that no operation answers: method_not_allowed when the path takes another method,
 * else route_not_found.
 *
 * @param name of the function, which is the first part of every path.
 */
export function refusedRoute(
  name: string,
  operations: Operation[],
  { method, path }: { method: string; path: string },
): ApiError {
  const pathOf = (operation: Operation) => `/${name}${operation.path}`.replace(/\/$/, "");
  const parts = path.split("/", MAX_PARTS);
  const here = operations.filter((operation) => matches(pathOf(operation).split("/"), parts));
  // `/contacts/changes` is no `/contacts/:id`.
  const named = here.filter((operation) => pathOf(operation) === path);
  if (here.length > 0) return methodNotAllowed(method, named.length > 0 ? named : here);
  const paths = new Set(operations.map((each) => pathOf(each).replace(/:(\w+)/, "{$1}")));
  return new ApiError(
    "route_not_found",
    `There is no such path; the paths are ${[...paths].join(", ")}`,
  );
}

/** HTTP sets no bound to the name of a method. */
const MAX_METHOD_LENGTH = 40;

/** The error of a method that none of these operations has. `Allow` lists the methods that they have. */
export function methodNotAllowed(method: string, operations: Operation[]): ApiError {
  // An operation that answers GET answers HEAD, without the body.
  const methods = operations.flatMap(({ method }) => method === "GET" ? ["GET", "HEAD"] : method);
  const allow = [...new Set(methods)].join(", ");
  const name = method.length <= MAX_METHOD_LENGTH ? method : "This method";
  return new ApiError("method_not_allowed", `${name} is not allowed here; use ${allow}`, {
    headers: { Allow: allow },
  });
}

/** More than any operation's path has. */
const MAX_PARTS = 20;

function matches(expected: string[], actual: string[]): boolean {
  return expected.length === actual.length &&
    expected.every((part, at) =>
      part === actual[at] || (part.startsWith(":") && actual[at] !== "")
    );
}
