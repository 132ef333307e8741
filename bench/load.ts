import { createRequire } from "node:module";
import { createHistogram } from "node:perf_hooks";

const autocannon = createRequire(new URL("tools/package.json", import.meta.url))("autocannon");

type Fields = Record<string, string>;

/** A request, and what every answer to it has to be. */
export interface PlannedRequest {
  method: string;
  path: string;
  headers: Fields;
  json?: unknown;
  /** Used in turn; each fills the places with its names, such as `{{id}}`. */
  targets?: Fields[];
  status: number;
  /** The JSON of the answer; ANY stands for any value. Further fields are right, further elements are not. */
  answer: unknown;
}

export const ANY = null;

/** Requests to send for a while. Each `{{n}}` in them becomes a number that no other request gets. */
export interface Load {
  /** For errors. */
  title: string;
  /** Scheme, host and port. */
  url: string;
  /** Connections; each sends its next request when it has its answer. */
  clients: number;
  seconds: number;
  /** Each client sends them in turn. */
  requests: PlannedRequest[];
  /** Is told of each answer whether it is the expected one, and decides whether it is right. */
  judge?(isExpected: boolean, answer: Answer): boolean;
}

/** What autocannon keeps of a client's request until its answer. */
type Context = { sent?: PlannedRequest };

interface Answer {
  status: number;
  body: string;
  headers: Fields;
}

/** Seconds; a later answer is wrong. */
const TIMEOUT = 30;
const NS_PER_MS = 1e6;

/**
 * Sends requests with autocannon and checks every answer.
 * @throws Error with an example when an answer is wrong.
 */
export async function send({ title, url, clients, seconds, requests, judge }: Load) {
  const latency = createHistogram();
  const wrong: string[] = [];
  const check = (sent: PlannedRequest, answer: Answer) => {
    const fault = faultOf(sent, answer);
    if (judge ? judge(!fault, answer) : !fault) return;
    const { status, body } = answer;
    wrong.push(`${sent.method} ${sent.path}: ${fault}: ${status} ${body.slice(0, 300)}`);
  };
  // autocannon builds requests that are always the same only once.
  const isConstant = !JSON.stringify(requests).includes("{{");
  const running = autocannon({
    url,
    connections: clients,
    timeout: TIMEOUT,
    // The load ends earlier, as below; this is for a server that does not answer at all.
    duration: seconds + TIMEOUT,
    sampleInt: 10,
    requests: requests.map((request) => {
      const fill = filler(request);
      const setupRequest = (defaults: object, context: Context) => {
        context.sent = fill();
        return { ...defaults, ...onWire(context.sent) };
      };
      const onResponse = (status: number, body: string, { sent }: Context, headers: Fields) =>
        check(sent ?? request, { status, body, headers });
      return { ...(isConstant ? onWire(request) : { setupRequest }), onResponse };
    }),
  });
  const began = performance.now();
  let last = began;
  type Client = { responseMax: number };
  running.on("response", (client: Client, _status: number, _bytes: number, ms: number) => {
    last = performance.now();
    latency.record(Math.round(ms * NS_PER_MS));
    // No further request, but those under way are answered: then their whole cost is counted.
    if (last - began >= seconds * 1000) client.responseMax = 1;
  });
  running.on("reqError", (error: Error) => wrong.push(`no answer: ${error.message}`));
  const { non2xx } = await running;
  if (latency.count === 0) wrong.push("no answer at all");
  if (wrong.length > 0) {
    throw new Error(
      `${title}: ${wrong.length} of ${latency.count} answers were wrong.\n  ${wrong[0]}`,
    );
  }
  const percentile = (percent: number) => latency.percentile(percent) / NS_PER_MS;
  return {
    requests: latency.count,
    /** From the first request to the last answer. */
    seconds: (last - began) / 1000,
    /** Latencies in milliseconds. */
    p50: percentile(50),
    p95: percentile(95),
    p99: percentile(99),
    max: percentile(100),
    /** Answers other than 2xx. */
    failed: non2xx as number,
  };
}

function onWire({ method, path, headers, json }: PlannedRequest) {
  return { method, path, headers: { ...headers }, body: JSON.stringify(json) };
}

let number = 1_000_000_000;

/** Fills the places of a request, which is the same object each time when it has none. */
function filler({ targets, ...request }: PlannedRequest): () => PlannedRequest {
  const template = JSON.stringify(request);
  if (!template.includes("{{")) return () => request;
  return () => {
    const n = String(number++);
    const values: Fields = { n, ...targets?.[number % targets.length] };
    return JSON.parse(template.replace(/\{\{(\w+)\}\}/g, (_, name) => values[name]));
  };
}

/** The last right answer to each request. */
const right = new WeakMap<PlannedRequest, string>();

/** How an answer differs from what is expected; undefined when it does not. */
function faultOf(sent: PlannedRequest, { status, body }: Answer): string | undefined {
  if (status !== sent.status) return `the status is not ${sent.status}`;
  // The answers to a constant request are mostly the same bytes, which need no second check.
  if (right.get(sent) === body) return undefined;
  const fault = difference(sent.answer, parsed(body));
  if (fault) return `the body${fault}`;
  right.set(sent, body);
}

// deno-lint-ignore no-explicit-any
function difference(expected: any, actual: any): string | undefined {
  if (expected === ANY) return actual === undefined ? " is missing" : undefined;
  if (typeof expected !== "object") return actual === expected ? undefined : " differs";
  if (Array.isArray(expected) && expected.length !== actual?.length) return " has another length";
  for (const name in expected) {
    const fault = difference(expected[name], actual?.[name]);
    if (fault) return `.${name}${fault}`;
  }
}

/** The value of a text in JSON; undefined when it is none. */
export function parsed(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
