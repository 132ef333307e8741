import { type Driver, requireGood } from "./load.ts";
import { clientsInWords, median, type Pace } from "./measure.ts";
import type { Scenario } from "./scenarios.ts";
import type { BenchStack } from "./measured_stack.ts";

/** What the scenarios cost over fewer rows and over all of them. */
export interface Growth {
  /** How many contacts the smaller database has. */
  fewerRows: number;
  found: {
    scenario: string;
    clients: number;
    /** Median latency in ms, over fewer rows and over all. */
    p50: [number, number];
    /** Requests a second and latency over all rows as multiples of those over fewer, in the same round. */
    requestsRatio: number;
    p50Ratio: number;
  }[];
}

/** A database with what stands before it, and what is asked there. */
export interface Side {
  stack: BenchStack;
  scenarios: Scenario[];
}

/**
 * Drives each scenario against both databases in turn: two runs would differ by what else the machine did.
 *
 * @throws Error when one answer was wrong.
 */
export async function measureGrowth(
  fewer: Side,
  all: Side,
  driver: Driver,
  pace: Pace,
  progress: (step: string) => void,
): Promise<Growth["found"]> {
  const found: Growth["found"] = [];
  for (const clients of pace.clients.slice(0, 2)) {
    const drive = async (side: Side, index: number, seconds: number) => {
      const { title, request, ...scenario } = side.scenarios[index];
      const { url } = side.stack[scenario.function];
      const driven = await driver.drive({ url, clients, seconds, requests: [request] });
      requireGood(`${title} (${clients} at once)`, driven);
      const { count, p50 } = driven.latencies;
      return { requestsPerSecond: count / driven.seconds, p50 };
    };
    const rounds = all.scenarios.map(() => [] as Awaited<ReturnType<typeof drive>>[][]);
    for (let round = 0; round <= pace.rounds; round++) {
      progress(`growth, ${clientsInWords(clients)}, round ${round}`);
      for (const index of all.scenarios.keys()) {
        const isWarmUp = round === 0;
        // The larger one has been driven for long, and code that is in use gets faster.
        const seconds = isWarmUp ? 2 * pace.seconds : pace.seconds;
        // There and back, so that neither always comes after the other.
        const turn = round % 2 === 1 ? [fewer, all] : [all, fewer];
        const results = [];
        for (const side of turn) results.push(await drive(side, index, seconds));
        if (!isWarmUp) rounds[index].push(turn[0] === fewer ? results : results.toReversed());
      }
    }
    for (const [index, { name }] of all.scenarios.entries()) {
      const results = rounds[index];
      found.push({
        scenario: name,
        clients,
        p50: [median(results.map(([few]) => few.p50)), median(results.map(([, many]) => many.p50))],
        requestsRatio: median(
          results.map(([few, many]) => many.requestsPerSecond / few.requestsPerSecond),
        ),
        p50Ratio: median(results.map(([few, many]) => many.p50 / few.p50)),
      });
    }
  }
  return found;
}
