import type { ErrorCode } from "../supabase/functions/_shared/errors.ts";
import { requestIdOf } from "../supabase/functions/_shared/http/request_id.ts";

/**
 * A host and an optional port (RFC 3986, 3.2.2), without characters that a URL parser would drop.
 */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]+)(?::\d*)?$/i;
/**
 * Hosts with which no web site can attack this machine: IP addresses, which need no DNS, and names
 * that always mean this machine.
 */
const OF_THIS_MACHINE = /^(?:\[.+\]|\d+\.\d+\.\d+\.\d+|(?:.+\.)?localhost|host\.docker\.internal)$/;

/**
 * The error response for a request with a wrong `Host` header, or null when the server may handle
 * the request.
 *
 * Every web site can make one of its own names resolve to 127.0.0.1. The browser then treats the
 * site and a server on this machine as one site, so the site can read the server's responses (DNS
 * rebinding). Only the `Host` header shows which name the browser used. So a server on this machine
 * accepts only names that no stranger can own.
 * @param alsoAccepted one more name that the server accepts.
 * @returns a 400 in the API's error format when the header is missing or invalid. A 421 for another
 *   name, for which this server is not responsible (RFC 9110, 15.5.20).
 */
export function refusedHost(request: Request, alsoAccepted?: string): Response | null {
  // The host in `request.url` differs from the `Host` header only when the request line contains an
  // absolute URL. The host in that URL then replaces the header (RFC 9112, 3.2.2).
  const addressed = /^\w+:\/\/([^/?#]*)/.exec(request.url)?.[1];
  for (const text of [request.headers.get("Host"), addressed]) {
    const host = text ? hostname(text) : null;
    if (host === null) {
      return malformedRequest(request, "The Host header is missing or is not a host name");
    }
    if (!OF_THIS_MACHINE.test(host) && host !== alsoAccepted?.toLowerCase()) {
      const message = `This server does not answer to the name ${host}; use 127.0.0.1 or localhost`;
      return Response.json({ message }, { status: 421, headers: { "Cache-Control": "no-store" } });
    }
  }
  return null;
}

/** A host without its port, in the form that URLs use; null when the string is not a host. */
function hostname(text: string): string | null {
  const address = `http://${text}/`;
  return HOST.test(text) && URL.canParse(address) ? new URL(address).hostname : null;
}

function malformedRequest(request: Request, error: string): Response {
  const request_id = requestIdOf(request.headers);
  const code: ErrorCode = "malformed_request";
  return Response.json({ error, code, request_id }, {
    status: 400,
    headers: { "X-Request-Id": request_id, "Cache-Control": "no-store" },
  });
}
