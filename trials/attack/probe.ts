import { percentile } from "../median.ts";
import type { WireRequest } from "./wire.ts";

/** The times of requests in milliseconds, and the refused requests. */
export interface Probe {
  p50: number;
  p95: number;
  /** The unsuccessful responses. */
  refusals: { request: WireRequest; found: string }[];
}

interface Probed {
  url: string;
  /** Makes the next request. */
  next(): WireRequest;
}

/**
 * Sends requests of each kind in turn, one after the other, for this long. Sends at least one of
 * each kind.
 */
export async function probe<Kind extends string>(
  kinds: Record<Kind, Probed>,
  ms: number,
): Promise<Record<Kind, Probe>> {
  const entries = Object.entries<Probed>(kinds).map(([kind, { url, next }]) => (
    { kind, url, next, times: [] as number[], refusals: [] as Probe["refusals"] }
  ));
  const until = performance.now() + ms;
  do {
    for (const { url, next, times, refusals } of entries) {
      const request = next();
      const began = performance.now();
      const { method, headers, body } = request;
      const found = await fetch(url + request.target, { method, headers, body: body as string })
        .then(async (answer) => answer.ok ? (await answer.text(), "") : await refusal(answer))
        .catch(String);
      times.push(performance.now() - began);
      if (found) refusals.push({ request, found });
    }
  } while (performance.now() < until);
  return Object.fromEntries(entries.map(({ kind, times, refusals }) => [kind, {
    p50: percentile(times, 50),
    p95: percentile(times, 95),
    refusals,
  }])) as unknown as Record<Kind, Probe>;
}

async function refusal(answer: Response): Promise<string> {
  return `${answer.status}: ${(await answer.text()).slice(0, 300)}`;
}
