import type { WireRequest } from "./wire.ts";

/** Requests that many connections send again and again. Each `{{n}}` in them becomes another number. */
export interface FloodPlan {
  url: string;
  connections: number;
  requests: WireRequest[];
  /** Sends a body byte by byte instead, and never the whole of it. */
  trickles?: boolean;
}

/** What the floods of a run have been answered. */
export interface FloodAnswers {
  /** Answers by status; 0 is a connection that was closed without one. */
  statuses: Record<number, number>;
  /** Answers 429 and 503 without Retry-After. */
  withoutRetryAfter: number;
}

/**
 * Floods from a thread of its own, so that what this one measures meanwhile does not wait for the flood's work.
 * @returns what ends the flood. All that is under way is answered before.
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

/** Floods for so long. */
export async function floodFor(plan: FloodPlan, ms: number): Promise<FloodAnswers> {
  const end = startFlood(plan);
  await new Promise((resolve) => setTimeout(resolve, ms));
  return await end();
}

export function countOf({ statuses }: FloodAnswers): number {
  return Object.values(statuses).reduce((sum, count) => sum + count, 0);
}
