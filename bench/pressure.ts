import { delay } from "deno-std/async/delay.js";
import { type Driver, type PlannedRequest, requireGood } from "./load.ts";
import type { Scenario } from "./scenarios.ts";
import type { BenchStack } from "./measured_stack.ts";

/** How the gateway stands many clients, and a database that goes away. */
export interface Pressure {
  clients: number;
  seconds: number;
  requests: number;
  /** Answers other than 2xx. */
  failed: number;
  /** In milliseconds. */
  p50: number;
  p99: number;
  /** Resident memory of the gateway and the REST layer, in bytes; null where the system does not tell. */
  rss: { process: string; after10Seconds: number | null; atEnd: number | null }[];
  outage: Outage;
}

export interface Outage {
  /** How long the database was away. */
  seconds: number;
  requests: number;
  /** Answers 503 with the code database_unavailable and Retry-After. Any other failure fails the run. */
  unavailable: number;
  /** The longest that a caller waited for an answer. In milliseconds. */
  slowest: number;
  /** Milliseconds from the return of the database to the first good answer, and to the last that was none. */
  firstSuccessAfter: number;
  lastFailureAfter: number;
}

const CLIENTS = 64;
const SECONDS = 60;
const OUTAGE_SECONDS = 5;
const BEFORE_OUTAGE_SECONDS = 3;
const AFTER_OUTAGE_SECONDS = 6;

/** @throws Error when an answer was wrong, or nothing answered any more. */
export async function measurePressure(
  stack: BenchStack,
  driver: Driver,
  scenarios: Scenario[],
  progress: (step: string) => void,
): Promise<Pressure> {
  const requests = scenarios
    .filter(({ name }) => name === "list" || name === "create_contact")
    .map(({ request }) => request);
  progress(`${CLIENTS} clients for ${SECONDS} s, lists and creates`);
  const load = { url: stack.gateway.url, clients: CLIENTS };
  const driving = driver.drive({ ...load, seconds: SECONDS, requests });
  const early = delay(10_000).then(() => memory(stack));
  const driven = await driving;
  requireGood("Under pressure", driven);
  const [after10Seconds, atEnd] = [await early, memory(stack)];

  return {
    clients: CLIENTS,
    seconds: driven.seconds,
    requests: driven.latencies.count,
    failed: Object.entries(driven.statuses)
      .reduce((sum, [status, count]) => status.startsWith("2") ? sum : sum + count, 0),
    p50: driven.latencies.p50,
    p99: driven.latencies.p99,
    rss: Object.keys(atEnd).map((process) => ({
      process,
      after10Seconds: after10Seconds[process],
      atEnd: atEnd[process],
    })),
    outage: await measureOutage(stack, driver, requests, progress),
  };
}

function memory({ gateway, rest }: BenchStack): Record<string, number | null> {
  return { gateway: gateway.usage()?.rss ?? null, REST: rest.usage()?.rss ?? null };
}

async function measureOutage(
  stack: BenchStack,
  driver: Driver,
  requests: PlannedRequest[],
  progress: (step: string) => void,
): Promise<Outage> {
  progress(`${CLIENTS} clients, the database away for ${OUTAGE_SECONDS} s`);
  const driving = driver.drive({
    url: stack.gateway.url,
    clients: CLIENTS,
    seconds: BEFORE_OUTAGE_SECONDS + OUTAGE_SECONDS + AFTER_OUTAGE_SECONDS,
    requests: requests.map((request) => ({
      ...request,
      expect: { ...request.expect, orUnavailable: true },
    })),
    withTimeline: true,
  });
  await delay(BEFORE_OUTAGE_SECONDS * 1000);
  const gone = Date.now();
  await stack.stopDatabase();
  await delay(OUTAGE_SECONDS * 1000 - (Date.now() - gone));
  await stack.startDatabase();
  const back = Date.now();
  const driven = await driving;
  requireGood("With the database away", driven);

  const failures = driven.timeline.filter(([, isGood]) => !isGood);
  const firstGood = driven.timeline.find(([at, isGood]) => isGood && at >= back);
  if (!firstGood) throw new Error("Nothing was answered well after the database had come back.");
  return {
    seconds: (back - gone) / 1000,
    requests: driven.latencies.count,
    unavailable: failures.length,
    slowest: driven.latencies.max,
    firstSuccessAfter: firstGood[0] - back,
    lastFailureAfter: Math.max(0, ...failures.slice(-1).map(([at]) => at - back)),
  };
}
