/**
 * The same request with another address. It is made from the request's parts: a copy would keep the
 * server's abort signal, which fires at the end of every request, not only when the caller disconnects.
 */
export function readdressed(request: Request, address: string): Request {
  const { method, headers, body } = request;
  return new Request(address, { method, headers, body });
}
