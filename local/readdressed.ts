/**
 * Every method, except the methods that the constructor of Request refuses or changes to capitals.
 */
const CONSTRUCTIBLE = /^(?!(?:CONNECT|TRACE|TRACK)$)[^a-z]+$/;

/**
 * The same request with another address. The new request is made from the parts of the first
 * request, because a copy would keep the server's abort signal. The abort signal fires at the end
 * of every request. The method stays as the caller wrote it, because a server may get any method,
 * including TRACE and `get`.
 *
 * @param body another body, in place of the request's.
 */
export function readdressed(request: Request, address: string, body = request.body): Request {
  const { method, headers } = request;
  if (CONSTRUCTIBLE.test(method)) return new Request(address, { method, headers, body });
  const copy = new Request(address, { method: "POST", headers, body });
  return Object.defineProperty(copy, "method", { value: method });
}
