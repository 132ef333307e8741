import type { HonoRequest } from "hono";
import { ApiError } from "../errors.ts";

/** A name has at most 253 characters. */
const MAX_HOST_LENGTH = 260;
/** Far more than any path has. Its parts are decoded, which takes its time. */
const MAX_PATH_LENGTH = 8 * 1024;

/**
 * Refuses a request whose address is none: its `Host` is no host, or its path is far too long. One without a
 * `Host` is for this function.
 *
 * @throws ApiError malformed_request, invalid_request.
 */
export function requireAddress(request: HonoRequest) {
  if (!isHost(request.header("Host"))) {
    throw new ApiError("malformed_request", "The header Host is no host");
  }
  if (request.path.length > MAX_PATH_LENGTH) {
    throw new ApiError("invalid_request", "The path of the address is longer than 8 KiB");
  }
}

function isHost(host = ""): boolean {
  if (host === "") return true;
  return host.length <= MAX_HOST_LENGTH && !/[\s/\\?#@]/.test(host) &&
    URL.canParse(`http://${host}/`);
}
