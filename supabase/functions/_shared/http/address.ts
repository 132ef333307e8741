import type { HonoRequest } from "hono";
import { ApiError } from "../errors.ts";

/** A host name has at most 253 characters; a port adds up to six. */
const MAX_HOST_LENGTH = 260;
/** Every path of the API is much shorter. Decoding the parts of a path takes time. */
const MAX_PATH_LENGTH = 8 * 1024;

/**
 * Refuses a request with an invalid address: its `Host` is not a host name, or its path is far too
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

function isHost(host = ""): boolean {
  if (host === "") return true;
  return host.length <= MAX_HOST_LENGTH && !/[\s/\\?#@]/.test(host) &&
    URL.canParse(`http://${host}/`);
}
