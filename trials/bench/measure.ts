import { delay } from "deno-std/async/delay.js";
import type { FunctionProcess } from "../../local/functions/process.ts";
import { send } from "./load.ts";
import type { PlannedRequest } from "./planned_request.ts";
import { progress } from "../progress.ts";
import type { FloorName, Scenario } from "./scenarios.ts";
import type { BenchStack } from "../stack.ts";
import { median } from "../median.ts";
import { countersOf } from "../usage.ts";

export interface Pace {
  /** The numbers of clients to measure with. Each client sends one request after the other. */
  clients: number[];
  /** The number of rounds for each number of clients. The report shows the medians. */
  rounds: number;
  /** How many seconds each subject is measured in each round. */
  seconds: number;
  warmUpSeconds: number;
}

/** The comparison for a function: a floor, or the function on a database with fewer rows. */
type Reference = FloorName | "fewer rows";

/** A measured server: the function of a scenario, or its comparison. */
export interface Subject {
  scenario: Scenario;
  target: "function" | Reference;
  stack: BenchStack;
  server: FunctionProcess;
  request: PlannedRequest;
}

/** The subject that measures a scenario at its function. */
export function subjectOf(
  scenario: Scenario,
  stack: BenchStack,
  target: Subject["target"] = "function",
): Subject {
  return { scenario, target, stack, server: stack[scenario.function], request: scenario };
}

/** CPU time (in milliseconds) and the number of calls are totals of the whole round. */
type Round = Awaited<ReturnType<typeof measureOnce>>;

export type Measurement = ReturnType<typeof summary>;

/**
 * Measures subjects with each number of clients. Each round measures all subjects, so that other
 * work of the machine affects all of them.
 * @throws Error when a response was wrong.
 */
export async function measure(
  subjects: Subject[],
  { clients, rounds, seconds, warmUpSeconds }: Pace,
): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (const count of clients) {
    const results = new Map<Subject, Round[]>(subjects.map((subject) => [subject, []]));
    for (const subject of subjects) await measureOnce(subject, count, warmUpSeconds);
    for (let round = 1; round <= rounds; round++) {
      progress(`${inWords(count)}, round ${round}`);
      // The order alternates, so that no subject always follows the same other subject.
      for (const subject of round % 2 === 1 ? subjects : subjects.toReversed()) {
        results.get(subject)!.push(await measureOnce(subject, count, seconds));
      }
    }
    measurements.push(...subjects.map((subject) => summary(subject, count, results)));
  }
  return measurements;
}

async function measureOnce(
  { scenario, target, stack, server, request }: Subject,
  clients: number,
  seconds: number,
) {
  await delay(20); // for work after the last responses
  const before = await countersOf(server, stack);
  const title = `${scenario.title}, ${target} (${inWords(clients)})`;
  const result = await send({ title, url: server.url, clients, seconds, requests: [request] });
  const after = await countersOf(server, stack);
  return {
    ...result,
    ...after,
    requestsPerSecond: result.requests / result.seconds,
    functionCpu: after.functionCpu - before.functionCpu,
    restCpu: after.restCpu - before.restCpu,
    restCalls: after.restCalls - before.restCalls,
    databaseCalls: after.databaseCalls - before.databaseCalls,
  };
}

/** Summarizes the rounds of a subject with this number of clients. */
function summary(subject: Subject, clients: number, results: Map<Subject, Round[]>) {
  const { scenario: { name, title }, target } = subject;
  const rounds = results.get(subject)!;
  const last = rounds.at(-1)!;
  const requests = rounds.reduce((sum, round) => sum + round.requests, 0);
  const middle = (figure: "requestsPerSecond" | "p50" | "p95" | "p99", beside?: Round[]) =>
    median(rounds.map((round, index) => round[figure] / (beside?.[index][figure] ?? 1)));
  // Averages over all rounds, because the clocks that measure CPU time are coarse.
  const each = (figure: "functionCpu" | "restCpu" | "restCalls" | "databaseCalls") =>
    rounds.reduce((sum, round) => sum + round[figure], 0) / requests;
  const references = Array.from(results).filter(([other]) =>
    target === "function" && other.scenario.name === name && other !== subject
  );
  const ratios = (figure: "requestsPerSecond" | "p50"): Partial<Record<Reference, number>> =>
    Object.fromEntries(references.map(([{ target }, theirs]) => [target, middle(figure, theirs)]));
  return {
    scenario: name,
    ...{ title, target, clients, requests },
    requestsPerSecond: middle("requestsPerSecond"),
    /** Latencies in milliseconds. */
    p50: middle("p50"),
    p95: middle("p95"),
    p99: middle("p99"),
    /**
     * CPU time in milliseconds and the number of calls, per request; NaN when the system does not
     * provide them.
     */
    functionCpu: each("functionCpu"),
    restCpu: each("restCpu"),
    restCalls: each("restCalls"),
    databaseCalls: each("databaseCalls"),
    /** Resident memory at the end, in bytes; NaN when the system does not provide it. */
    functionRss: last.functionRss,
    restRss: last.restRss,
    /**
     * Requests per second and median latency, each as a ratio to every reference in the same round.
     */
    ratios: ratios("requestsPerSecond"),
    p50Ratios: ratios("p50"),
  };
}

export function inWords(clients: number): string {
  return `${clients} ${clients === 1 ? "client" : "clients"}`;
}
