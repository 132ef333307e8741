import { delay } from "deno-std/async/delay.js";
import { exchange, type WireAnswer, type WireRequest } from "./wire.ts";

/** Resolves when the last repeat so far has its response. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Repeats a request that was refused for a moment, after the seconds in `Retry-After`. On a busy
 * machine, one of many simultaneous requests may wait too long for a lock. The repeats come one
 * after the other, so a repeat waits for no other repeat's lock.
 */
export function repeatAlone(
  url: string,
  request: WireRequest,
  { headers }: WireAnswer,
): Promise<WireAnswer | null> {
  const due = delay(1000 * Number(headers.get("Retry-After")));
  const repeat = Promise.all([last, due]).then(() => exchange(url, request));
  last = repeat;
  return repeat;
}
