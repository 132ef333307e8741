import { readdressed } from "./readdressed.ts";

/**
 * In these headers, gateways report the caller's IP address. But any caller can send these headers.
 */
const BY_ANYBODY = ["cf-connecting-ip", "x-real-ip", "x-forwarded-for"];

/**
 * Copies a request with another URL, as a platform's gateway forwards it. `X-Forwarded-For`
 * contains only the caller's IP address, never a value that the caller sent.
 * @param caller the caller's IP address; by default, this machine's.
 */
export function forwarded(request: Request, address: string, caller = "127.0.0.1"): Request {
  const copy = readdressed(request, address);
  for (const name of BY_ANYBODY) copy.headers.delete(name);
  copy.headers.set("x-forwarded-for", caller);
  return copy;
}
