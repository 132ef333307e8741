import { delay } from "deno-std/async/delay.js";
import type { Floor } from "./floors.ts";
import { type Driver, type PlannedRequest, requireGood } from "./load.ts";
import type { ServerProcess } from "./processes.ts";
import type { Scenario } from "./scenarios.ts";
import { type BenchStack, databaseCalls, restCalls } from "./measured_stack.ts";

export interface Pace {
  /** How many send at once, one after the other. */
  clients: number[];
  /** How often everything is measured for a number of clients; the medians count. */
  rounds: number;
  /** How long each scenario and each floor is driven in a round. */
  seconds: number;
  warmUpSeconds: number;
}

/** What a scenario or a floor did with a number of clients: medians over the rounds. */
export interface Measurement {
  scenario: string;
  /** What was driven. */
  target: "function" | Floor["name"];
  clients: number;
  requests: number;
  requestsPerSecond: number;
  /** In milliseconds. */
  p50: number;
  p95: number;
  p99: number;
  /** Milliseconds of CPU for a request; null where the system does not tell. */
  functionCpu: number | null;
  restCpu: number | null;
  /** Resident memory afterwards, in bytes; the same. */
  functionRss: number | null;
  restRss: number | null;
  /** For a request. */
  restCalls: number;
  databaseCalls: number;
  /** Requests a second as a share of each floor's, in the same round. */
  ratios: Partial<Record<Floor["name"], number>>;
}

/** Something that is driven in every round. */
interface Contestant {
  scenario: Scenario;
  target: Measurement["target"];
  server: ServerProcess;
  request: PlannedRequest;
}

type Round = Omit<Measurement, "scenario" | "target" | "clients" | "ratios">;

/**
 * Drives every scenario and its floors, in rounds, so that whatever else the machine does meets all of
 * them alike.
 *
 * @throws Error when one answer was wrong.
 */
export async function measure(
  stack: BenchStack,
  driver: Driver,
  plan: { scenario: Scenario; floors: Floor[] }[],
  pace: Pace,
  progress: (step: string) => void,
): Promise<Measurement[]> {
  const contestants = plan.flatMap(({ scenario, floors }): Contestant[] => [
    { scenario, target: "function", server: stack[scenario.function], request: scenario.request },
    ...floors.map(({ name, ...floor }) => ({ scenario, target: name, ...floor })),
  ]);
  const measurements: Measurement[] = [];
  for (const clients of pace.clients) {
    for (const contestant of contestants) {
      await driveOnce(stack, driver, contestant, clients, pace.warmUpSeconds);
    }
    const rounds = new Map<Contestant, Round[]>(contestants.map((contestant) => [contestant, []]));
    for (let round = 1; round <= pace.rounds; round++) {
      progress(`${clientsInWords(clients)}, round ${round}`);
      // There and back, so that nobody always comes after the same one.
      const turn = round % 2 === 1 ? contestants : contestants.toReversed();
      for (const contestant of turn) {
        const result = await driveOnce(stack, driver, contestant, clients, pace.seconds);
        rounds.get(contestant)!.push(result);
      }
    }
    for (const [contestant, results] of rounds) {
      const { scenario, target } = contestant;
      const floors = contestants.filter((other) =>
        target === "function" && other.scenario === scenario && other.target !== "function"
      );
      const ratios = floors.map(({ target }, index) => [
        target,
        median(
          results.map(({ requestsPerSecond }, round) =>
            requestsPerSecond / rounds.get(floors[index])![round].requestsPerSecond
          ),
        ),
      ]);
      measurements.push({
        scenario: scenario.name,
        target,
        clients,
        ...over(results),
        ratios: Object.fromEntries(ratios),
      });
    }
  }
  return measurements;
}

async function driveOnce(
  stack: BenchStack,
  driver: Driver,
  { scenario, target, server, request }: Contestant,
  clients: number,
  seconds: number,
): Promise<Round> {
  await delay(20); // what went on after the last answers
  const before = await countersOf(stack, server);
  const driven = await driver.drive({ url: server.url, clients, seconds, requests: [request] });
  requireGood(`${scenario.title} (${target}, ${clients} at once)`, driven);
  const after = await countersOf(stack, server);
  const { count, p50, p95, p99 } = driven.latencies;
  const each = (name: "functionCpu" | "restCpu" | "restCalls" | "databaseCalls") => {
    const [start, end] = [before[name], after[name]];
    return start === null || end === null ? null : (end - start) / count;
  };
  return {
    requests: count,
    requestsPerSecond: count / driven.seconds,
    p50,
    p95,
    p99,
    // Where the REST layer is what is driven, there is no function.
    functionCpu: server === stack.rest ? 0 : each("functionCpu"),
    restCpu: each("restCpu"),
    functionRss: server === stack.rest ? 0 : after.functionRss,
    restRss: after.restRss,
    restCalls: each("restCalls")!,
    databaseCalls: each("databaseCalls")!,
  };
}

async function countersOf(stack: BenchStack, server: ServerProcess) {
  const own = server.usage();
  const rest = stack.rest.usage();
  return {
    functionCpu: own?.cpuMs ?? null,
    functionRss: own?.rss ?? null,
    restCpu: rest?.cpuMs ?? null,
    restRss: rest?.rss ?? null,
    restCalls: await restCalls(stack),
    databaseCalls: await databaseCalls(stack),
  };
}

/** The rounds as one: counts are averages over all requests, because clocks of CPU tick slowly. */
function over(rounds: Round[]): Round {
  const requests = rounds.reduce((sum, round) => sum + round.requests, 0);
  const middle = (name: "requestsPerSecond" | "p50" | "p95" | "p99") =>
    median(rounds.map((round) => round[name]));
  const average = <Name extends keyof Round>(name: Name) =>
    rounds.some((round) => round[name] === null)
      ? null
      : rounds.reduce((sum, round) => sum + round[name]! * round.requests, 0) / requests;
  return {
    requests,
    requestsPerSecond: middle("requestsPerSecond"),
    p50: middle("p50"),
    p95: middle("p95"),
    p99: middle("p99"),
    functionCpu: average("functionCpu"),
    restCpu: average("restCpu"),
    functionRss: rounds.at(-1)!.functionRss,
    restRss: rounds.at(-1)!.restRss,
    restCalls: average("restCalls")!,
    databaseCalls: average("databaseCalls")!,
  };
}

export function clientsInWords(count: number): string {
  return `${count} ${count === 1 ? "client" : "clients"}`;
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
