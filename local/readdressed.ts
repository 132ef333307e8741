/**
 * The same request at another address. Made from its parts, because a copy would carry the server's
 * abort signal along, which fires at the end of every request and not only when the caller leaves.
 */
export function readdressed(request: Request, address: string): Request {
  const { method, headers, body } = request;
  return new Request(address, { method, headers, body });
}
