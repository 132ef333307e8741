/**
 * The methods that the `Request` constructor accepts unchanged. The constructor refuses CONNECT,
 * TRACE and TRACK, and capitalises some methods in lower case.
 */
const CONSTRUCTIBLE = /^(?!(?:CONNECT|TRACE|TRACK)$)[^a-z]+$/;

/**
 * Creates the same request with another URL. The new request is built from the parts of the
 * original. A copy would keep the server's abort signal, which fires at the end of every request.
 * The method stays as the caller wrote it, because a server may receive any method, including TRACE
 * and `get`.
 *
 * @param body another body, in place of the request's.
 */
export function readdressed(request: Request, address: string, body = request.body): Request {
  const { method, headers } = request;
  if (CONSTRUCTIBLE.test(method)) return new Request(address, { method, headers, body });
  const copy = new Request(address, { method: "POST", headers, body });
  return Object.defineProperty(copy, "method", { value: method });
}
