import type { HonoRequest } from "hono";
import { ApiError } from "../errors.ts";
import { isThisMachine } from "../service_url.ts";

/** A host name has at most 253 characters; a port adds up to six. */
const MAX_HOST_LENGTH = 260;
/**
 * Every API path is much shorter than this. A longer path is refused, because decoding its parts
 * takes time.
 */
const MAX_PATH_LENGTH = 8 * 1024;

/**
 * Refuses a request with an invalid URL: its `Host` is not a host name, or its path is far too
 * long. A request without a `Host` is accepted.
 *
 * @throws ApiError malformed_request, invalid_request.
 */
export function requireAddress(request: HonoRequest) {
  if (!isHost(request.header("Host"))) {
    throw new ApiError("malformed_request", "The header Host is not a host name");
  }
  if (request.path.length > MAX_PATH_LENGTH) {
    throw new ApiError("invalid_request", "The path is longer than 8 KiB");
  }
}

/** A host name or an IP address, with or without a port. */
const HOST = /^(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * A host of the platform itself. A hosted function receives `edge-runtime.supabase.com` as the
 * forwarded host. A project's own host ends with `.supabase.co`, or is the operator's domain.
 */
const PLATFORM = /\.supabase\.com(?::\d{1,5})?$/i;

/**
 * The base URL of the functions, as the caller wrote it:
 * `https://<project>.supabase.co/functions/v1`. The URL is read from headers that the caller
 * chooses, so it is used only in the response to that caller. In a hosted function, the `Host`
 * header does not identify the project, so `Host` is used only in the local stack.
 */
export function serverUrl({ headers, url }: Request, supabaseUrl: string): string {
  const own = new URL(supabaseUrl);
  const [host] = (headers.get("X-Forwarded-Host") ??
    (isThisMachine(own.hostname) && headers.get("Host") || "")).split(",", 1);
  const asked = headers.get("X-Forwarded-Proto") ?? new URL(url).protocol.slice(0, -1);
  const scheme = asked === "https" ? "https" : "http";
  const isOfCaller = HOST.test(host) && !PLATFORM.test(host);
  return `${isOfCaller ? `${scheme}://${host}` : own.origin}/functions/v1`;
}

function isHost(host = ""): boolean {
  if (host === "") return true;
  return host.length <= MAX_HOST_LENGTH && !/[\s/\\?#@]/.test(host) &&
    URL.canParse(`http://${host}/`);
}
