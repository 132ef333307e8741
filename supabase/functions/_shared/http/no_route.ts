import type { Context } from "hono";
import type { RouterRoute } from "hono/types";
import { ApiError } from "../errors.ts";

/**
 * Refuses what no route takes: method_not_allowed with `Allow` where the path is known, else
 * route_not_found.
 */
export function noRoute(routes: RouterRoute[]) {
  return (c: Context): never => {
    const allowed = methodsAt(routes, c.req.path);
    if (allowed.length === 0) {
      throw new ApiError(
        "route_not_found",
        `There is no such path; the paths are ${paths(routes)}`,
      );
    }
    const allow = allowed.join(", ");
    throw new ApiError("method_not_allowed", `${c.req.method} is not allowed here; use ${allow}`, {
      headers: { Allow: allow },
    });
  };
}

function paths(routes: RouterRoute[]): string {
  const all = routes.filter((route) => route.method !== "ALL").map((route) => route.path);
  return [...new Set(all)].map((path) => path.replace(/:(\w+)/, "{$1}")).join(", ");
}

/** The methods that a path takes; none when there is no such path. */
export function methodsAt(routes: RouterRoute[], path: string): string[] {
  const methods = routes
    .filter((route) => route.method !== "ALL" && matches(route.path, path))
    .map((route) => route.method);
  // Whatever answers GET answers HEAD, without the body.
  return methods.flatMap((method) => method === "GET" ? ["GET", "HEAD"] : [method]);
}

function matches(pattern: string, path: string): boolean {
  const expected = pattern.split("/");
  const actual = path.split("/");
  return expected.length === actual.length &&
    expected.every((part, at) =>
      part === actual[at] || (part.startsWith(":") && actual[at] !== "")
    );
}
