import { ApiError } from "../errors.ts";
import type { Operation } from "./operation.ts";

/**
 * Why no operation answers a request: method_not_allowed where another method would be answered, else
 * route_not_found.
 *
 * @param name the function's, the first part of every path.
 * @param path of the request.
 */
export function refusedRoute(
  name: string,
  operations: Operation[],
  { method, path }: { method: string; path: string },
): ApiError {
  const pathOf = (operation: Operation) => `/${name}${operation.path}`.replace(/\/$/, "");
  const here = operations.filter((operation) => matches(pathOf(operation), path));
  if (here.length > 0) return methodNotAllowed(method, here);
  const paths = new Set(operations.map((each) => pathOf(each).replace(/:(\w+)/, "{$1}")));
  return new ApiError(
    "route_not_found",
    `There is no such path; the paths are ${[...paths].join(", ")}`,
  );
}

/** A method that none of these operations has; `Allow` lists those that they have. */
export function methodNotAllowed(method: string, operations: Operation[]): ApiError {
  // An operation that answers GET answers HEAD, without the body.
  const methods = operations.flatMap(({ method }) => method === "GET" ? ["GET", "HEAD"] : method);
  const allow = [...new Set(methods)].join(", ");
  return new ApiError("method_not_allowed", `${method} is not allowed here; use ${allow}`, {
    headers: { Allow: allow },
  });
}

function matches(pattern: string, path: string): boolean {
  const expected = pattern.split("/");
  const actual = path.split("/");
  return expected.length === actual.length &&
    expected.every((part, at) =>
      part === actual[at] || (part.startsWith(":") && actual[at] !== "")
    );
}
