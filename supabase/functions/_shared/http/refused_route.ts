import { ApiError } from "../errors.ts";
import type { Operation } from "./operation.ts";
import { editDistance, isMeantPart } from "./suggestion.ts";

/**
 * The error for a request that matches no operation. The code is method_not_allowed when the path
 * accepts another method, otherwise route_not_found.
 *
 * @param name the function's name, which is the first part of every path.
 */
export function refusedRoute(
  name: string,
  operations: Operation[],
  { method, path }: { method: string; path: string },
): ApiError {
  const pathOf = (operation: Operation) => `/${name}${operation.path}`.replace(/\/$/, "");
  const parts = path.split("/", MAX_PARTS);
  const here = operations.filter((operation) => matches(pathOf(operation).split("/"), parts));
  // For the path `/contacts/changes`, the operations with the path `/contacts/:id` are left out.
  const named = here.filter((operation) => pathOf(operation) === path);
  if (here.length > 0) return methodNotAllowed(method, named.length > 0 ? named : here);
  const paths = [...new Set(operations.map(pathOf))];
  const nearest = paths.length === 1 ? paths[0] : nearestPath(paths, parts);
  const meant = nearest === null ? "" : `did you mean ${nearest.replace(/:(\w+)/, "{$1}")}? `;
  return new ApiError(
    "route_not_found",
    `The path does not exist; ${meant}GET /gateway/openapi.json lists all operations`,
  );
}

/** The paths of other functions. Callers may look for these paths under `/gateway`. */
const BESIDE_THE_GATEWAY = ["/send-external-template", "/whatsapp/messages"];

/**
 * The path that the caller probably meant: at most one part is missing, extra or different. Null if
 * no path is similar.
 * @param paths the paths of the operations, including the function's name.
 * @param parts the parts of the path in the request.
 */
function nearestPath(paths: string[], parts: string[]): string | null {
  const given = parts.slice(2); // without the empty first part and without the function's name
  const candidates = [
    ...paths.map((path) => ({ path, expected: path.split("/").slice(2) })),
    ...BESIDE_THE_GATEWAY.map((path) => ({ path, expected: path.split("/").slice(1) })),
  ];
  const words = new Set(candidates.flatMap(({ expected }) => expected));
  let nearest: string | null = null;
  let least = 1.2;
  for (const { path, expected } of candidates) {
    let hasWord = false;
    const distance = editDistance(given, expected, (part, name) => {
      if (name.startsWith(":")) return part === "" ? 1 : 0.1;
      const isMeant = part === name || (!words.has(part) && isMeantPart(part, name));
      hasWord ||= isMeant;
      return part === name ? 0 : isMeant ? 0.5 : 1;
    });
    if (!hasWord || distance > least || (distance === least && nearest)) continue;
    [nearest, least] = [path, distance];
  }
  return nearest;
}

/** The error does not repeat a longer method name, because HTTP does not limit the length. */
const MAX_METHOD_LENGTH = 40;

/**
 * The error for a request with a method that none of these operations accepts. `Allow` lists the
 * methods of these operations.
 */
export function methodNotAllowed(method: string, operations: Operation[]): ApiError {
  // An operation that accepts GET also accepts HEAD, which returns no body.
  const methods = operations.flatMap(({ method }) => method === "GET" ? ["GET", "HEAD"] : method);
  const allow = [...new Set(methods)].join(", ");
  const name = method.length <= MAX_METHOD_LENGTH ? method : "This method";
  return new ApiError("method_not_allowed", `${name} is not allowed here; use ${allow}`, {
    headers: { Allow: allow },
  });
}

/** No operation's path has more parts than this. */
const MAX_PARTS = 20;

function matches(expected: string[], actual: string[]): boolean {
  return expected.length === actual.length &&
    expected.every((part, at) =>
      part === actual[at] || (part.startsWith(":") && actual[at] !== "")
    );
}
