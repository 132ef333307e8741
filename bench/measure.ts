import { delay } from "deno-std/async/delay.js";
import type { FunctionProcess } from "../local/functions/process.ts";
import type { FloorName } from "./floors.ts";
import type { LoadGenerator, LoadResult, PlannedRequest } from "./load.ts";
import { usageOf } from "./process_usage.ts";
import { type BenchStack, databaseCalls, restCalls } from "./stack.ts";

export interface Pace {
  /** Numbers of clients; each client sends one request after the other. */
  clients: number[];
  /** How often everything is measured for a number of clients; the medians count. */
  rounds: number;
  /** How long each subject is measured in a round. */
  seconds: number;
  warmUpSeconds: number;
}

/** A run of the benchmark. */
export interface Run {
  generator: LoadGenerator;
  progress(step: string): void;
}

/** A server that is measured, and the requests that it gets. */
export interface Subject {
  title: string;
  stack: BenchStack;
  server: FunctionProcess;
  requests: PlannedRequest[];
  duringOutage?: boolean;
}

/** What a function is compared with: a floor, or the function before a database with fewer rows. */
export type Reference = FloorName | "fewer rows";

/** A scenario's function, or what it is compared with. */
export interface ScenarioSubject extends Subject {
  scenario: string;
  target: "function" | Reference;
}

const TOTALS = ["functionCpu", "restCpu", "restCalls", "databaseCalls"] as const;
const MEDIANS = ["requestsPerSecond", "p50", "p95", "p99"] as const;
type Figures<Name extends string> = Record<Name, number>;

/** Resident memory in bytes; NaN, in JSON null, where the system does not tell. */
type Memory = Figures<"functionRss" | "restRss">;
/** One round of a subject. CPU (in milliseconds) and calls are those of the whole round. */
type Round = LoadResult & Memory & Figures<typeof TOTALS[number]>;

/**
 * The rounds of a subject with a number of clients. Rate and latencies (in milliseconds) are medians over the
 * rounds; CPU (in milliseconds, NaN as above) and calls are averages per request; memory is that at the end.
 */
export interface Measurement
  extends Memory, Figures<typeof TOTALS[number] | typeof MEDIANS[number] | "requests" | "clients"> {
  scenario: string;
  target: ScenarioSubject["target"];
  /** Requests a second, and median latency, as shares of each reference's in the same round. */
  ratios: Partial<Record<Reference, number>>;
  p50Ratios: Partial<Record<Reference, number>>;
}

/**
 * Measures subjects in rounds, so that other work of the machine affects all of them alike.
 * @param what begins each line of the progress.
 * @throws Error when an answer was wrong.
 */
export async function measureInRounds<Each extends Subject>(
  { generator, progress }: Run,
  subjects: Each[],
  clients: number,
  { rounds, seconds, warmUpSeconds }: Omit<Pace, "clients">,
  what = "",
): Promise<Map<Each, Round[]>> {
  const results = new Map<Each, Round[]>(subjects.map((subject) => [subject, []]));
  const warmUps = warmUpSeconds > 0 ? subjects : [];
  for (const subject of warmUps) await measureOnce(generator, subject, clients, warmUpSeconds);
  for (let round = 1; round <= rounds; round++) {
    progress(`${what}${clientsInWords(clients)}, round ${round}`);
    // There and back, so that no subject always follows the same other one.
    for (const subject of round % 2 === 1 ? subjects : subjects.toReversed()) {
      results.get(subject)!.push(await measureOnce(generator, subject, clients, seconds));
    }
  }
  return results;
}

async function measureOnce(
  generator: LoadGenerator,
  { title, stack, server, requests, duringOutage }: Subject,
  clients: number,
  seconds: number,
): Promise<Round> {
  await delay(20); // for work that follows the last answers
  const before = await countersOf(stack, server);
  const load = { url: server.url, clients, seconds, requests, duringOutage };
  const result = await generator.send(`${title} (${clientsInWords(clients)})`, load);
  const after = await countersOf(stack, server);
  return { ...result, ...after, ...figures(TOTALS, (name) => after[name] - before[name]) };
}

async function countersOf(stack: BenchStack, server: FunctionProcess) {
  const rest = usageOf(stack.rest);
  // When the REST layer itself is the subject, there is no function.
  const own = server === stack.rest ? { cpuMs: 0, rss: 0 } : usageOf(server);
  const calls = { restCalls: await restCalls(stack), databaseCalls: await databaseCalls(stack) };
  const cpu = { functionCpu: own.cpuMs, restCpu: rest.cpuMs };
  return { ...calls, ...cpu, functionRss: own.rss, restRss: rest.rss };
}

/** Measures functions and what they are compared with, with each number of clients. */
export async function measureScenarios(
  run: Run,
  subjects: ScenarioSubject[],
  pace: Pace,
  what?: string,
): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (const clients of pace.clients) {
    const results = await measureInRounds(run, subjects, clients, pace, what);
    for (const [{ scenario, target }, rounds] of results) {
      const references = Array.from(results).filter(([other]) =>
        target === "function" && other.scenario === scenario && other.target !== "function"
      );
      const ratios = (name: "requestsPerSecond" | "p50") =>
        Object.fromEntries(references.map(([{ target }, theirs]) => [
          target,
          median(rounds.map((round, index) => round[name] / theirs[index][name])),
        ]));
      const requests = sum(rounds.map((round) => round.requests));
      measurements.push({
        ...{ scenario, target, clients, requests },
        ...figures(MEDIANS, (name) => median(rounds.map((round) => round[name]))),
        // Averages over all rounds, because CPU clocks tick slowly.
        ...figures(TOTALS, (name) => sum(rounds.map((round) => round[name])) / requests),
        functionRss: rounds.at(-1)!.functionRss,
        restRss: rounds.at(-1)!.restRss,
        ratios: ratios("requestsPerSecond"),
        p50Ratios: ratios("p50"),
      });
    }
  }
  return measurements;
}

function figures<Name extends string>(names: readonly Name[], figure: (name: Name) => number) {
  return Object.fromEntries(names.map((name) => [name, figure(name)])) as Figures<Name>;
}

function sum(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export function clientsInWords(count: number): string {
  return `${count} ${count === 1 ? "client" : "clients"}`;
}
