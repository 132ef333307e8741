import { readdressed } from "./readdressed.ts";

/** Gateways name the caller in these headers, but any caller can write them. */
const BY_ANYBODY = ["cf-connecting-ip", "x-real-ip", "x-forwarded-for"];

/**
 * The same request with another address, as a platform's gateway passes it on. `X-Forwarded-For`
 * has the caller's address, and nothing that the caller wrote.
 *
 * @param caller the address of the caller; by default, this machine's.
 */
export function forwarded(request: Request, address: string, caller = "127.0.0.1"): Request {
  const copy = readdressed(request, address);
  for (const name of BY_ANYBODY) copy.headers.delete(name);
  copy.headers.set("x-forwarded-for", caller);
  return copy;
}
