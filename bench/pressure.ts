import { delay } from "deno-std/async/delay.js";
import { measureInRounds, type Run } from "./measure.ts";
import { usageOf } from "./process_usage.ts";
import type { Scenario } from "./scenarios.ts";
import type { BenchStack } from "./stack.ts";

/** The gateway under many clients for long, and while its database goes away. */
export type Pressure = Awaited<ReturnType<typeof measurePressure>>;

const CLIENTS = 64;
const SECONDS = 60;
const OUTAGE = { before: 3, away: 5, after: 6 };

/**
 * Sends lists and creates in turn.
 * @throws Error when an answer was wrong, or when nothing was answered well after the outage.
 */
export async function measurePressure(
  run: Run,
  stack: BenchStack,
  scenarios: Scenario[],
) {
  const requests = scenarios
    .filter(({ name }) => name === "list" || name === "create_contact")
    .map(({ request }) => request);
  const drive = async (title: string, seconds: number, duringOutage: boolean) => {
    const subject = { title, stack, server: stack.gateway, requests, duringOutage };
    const once = { rounds: 1, seconds, warmUpSeconds: 0 };
    const results = await measureInRounds(run, [subject], CLIENTS, once, `${title}, `);
    return results.get(subject)![0];
  };

  const underPressure = drive("under pressure", SECONDS, false);
  const early = delay(10_000).then(() => [usageOf(stack.gateway).rss, usageOf(stack.rest).rss]);
  const { seconds, requests: count, failed, p50, p99, functionRss, restRss } = await underPressure;
  const [gateway, rest] = await early;

  const { before, away, after } = OUTAGE;
  const throughOutage = drive("with the database away", before + away + after, true);
  await delay(before * 1000);
  const gone = Date.now();
  await stack.stopDatabase();
  await delay(away * 1000 - (Date.now() - gone));
  await stack.startDatabase();
  const back = Date.now();
  const during = await throughOutage;
  const failures = during.timeline.filter(([, isGood]) => !isGood);
  const firstGood = during.timeline.find(([time, isGood]) => isGood && time >= back);
  if (!firstGood) throw new Error("Nothing was answered well after the database had come back.");
  return {
    clients: CLIENTS,
    seconds,
    requests: count,
    /** Answers other than 2xx. */
    failed,
    /** Latencies in milliseconds, here and below. */
    ...{ p50, p99 },
    /** Resident memory in bytes; NaN where the system does not tell. */
    rss: [
      { process: "gateway", after10Seconds: gateway, atEnd: functionRss },
      { process: "REST", after10Seconds: rest, atEnd: restRss },
    ],
    outage: {
      seconds: (back - gone) / 1000,
      requests: during.requests,
      /** Answers 503 with code database_unavailable and Retry-After; any other failure fails the run. */
      unavailable: failures.length,
      slowest: during.max,
      /** Milliseconds from the return of the database to the first good answer, and to the last 503. */
      firstSuccessAfter: firstGood[0] - back,
      lastFailureAfter: Math.max(0, ...failures.slice(-1).map(([time]) => time - back)),
    },
  };
}
