import type { WireRequest } from "./wire.ts";

/**
 * Requests that many connections send again and again. Each `{{n}}` in a request becomes a
 * different number.
 */
export interface FloodPlan {
  url: string;
  connections: number;
  requests: WireRequest[];
  /** Sends the body byte by byte, and never finishes it. */
  trickles?: boolean;
}

/** The responses to the floods of a run. */
export interface FloodAnswers {
  /** The number of responses by status. 0 means that a connection was closed without a response. */
  statuses: Record<number, number>;
  /** The number of responses with status 429 or 503 but without `Retry-After`. */
  withoutRetryAfter: number;
}

/**
 * Floods from a separate thread, so that this thread's measurements do not wait for the flood.
 * @returns a function that ends the flood. All requests in progress receive their responses first.
 */
export function startFlood(plan: FloodPlan): () => Promise<FloodAnswers> {
  const worker = new Worker(new URL("./flood_worker.ts", import.meta.url).href, { type: "module" });
  worker.postMessage(plan);
  return async () => {
    const answers = new Promise<FloodAnswers>((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = (event) => reject(new Error(event.message));
    });
    worker.postMessage("end");
    const given = await answers;
    worker.terminate();
    return given;
  };
}

/** Floods for `ms` milliseconds. */
export async function floodFor(plan: FloodPlan, ms: number): Promise<FloodAnswers> {
  const end = startFlood(plan);
  await new Promise((resolve) => setTimeout(resolve, ms));
  return await end();
}

export function countOf({ statuses }: FloodAnswers): number {
  return Object.values(statuses).reduce((sum, count) => sum + count, 0);
}
