/** Every method but those that the constructor of Request refuses, and those whose letters it changes. */
const CONSTRUCTIBLE = /^(?!(?:CONNECT|TRACE|TRACK)$)[^a-z]+$/;

/**
 * The same request with another address. It is made from the request's parts: a copy would keep the
 * server's abort signal, which fires at the end of every request, not only when the caller disconnects.
 * The method stays as the caller wrote it, because a server may get any, TRACE and `get` among them.
 *
 * @param body another body, in place of the request's.
 */
export function readdressed(request: Request, address: string, body = request.body): Request {
  const { method, headers } = request;
  if (CONSTRUCTIBLE.test(method)) return new Request(address, { method, headers, body });
  const copy = new Request(address, { method: "POST", headers, body });
  return Object.defineProperty(copy, "method", { value: method });
}
