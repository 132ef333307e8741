import { readdressed } from "./readdressed.ts";

/** In which gateways tell who asks, and in which anybody can write anything. */
const BY_ANYBODY = ["cf-connecting-ip", "x-real-ip", "x-forwarded-for"];

/**
 * The same request with another address, as a platform's gateway hands it on: `X-Forwarded-For` has the address of
 * whoever asks, and nothing that they wrote themselves.
 *
 * @param caller the address from which the request came; this machine's by default.
 */
export function forwarded(request: Request, address: string, caller = "127.0.0.1"): Request {
  const copy = readdressed(request, address);
  for (const name of BY_ANYBODY) copy.headers.delete(name);
  copy.headers.set("x-forwarded-for", caller);
  return copy;
}
