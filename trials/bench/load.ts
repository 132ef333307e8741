import { createRequire } from "node:module";
import { createHistogram } from "node:perf_hooks";
import { ANY, filler, type PlannedRequest } from "./planned_request.ts";

const tools = createRequire(new URL("tools/package.json", import.meta.url));

type Fields = Record<string, string>;

/**
 * Requests that are sent for some time. Each `{{n}}` in them becomes a number that no other request
 * gets.
 */
export interface Load {
  /** The title of the load in error messages. */
  title: string;
  /** Scheme, host and port. */
  url: string;
  /** The number of connections. Each sends its next request when it has received a response. */
  clients: number;
  seconds: number;
  /** Each client sends them in this order, again and again. */
  requests: PlannedRequest[];
  /**
   * Decides whether a response is correct. Without this function, only the expected response is
   * correct.
   */
  judge?(isExpected: boolean, answer: Answer): boolean;
}

/** The data that autocannon stores about a client's request until the response arrives. */
type Context = { sent?: PlannedRequest };

interface Answer {
  status: number;
  body: string;
  headers: Fields;
}

/** The time limit in seconds. A later response counts as wrong. */
const TIMEOUT = 30;
const NS_PER_MS = 1e6;

/**
 * Sends requests with autocannon and checks every response. @throws Error with an example when a
 * response is wrong.
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
  // If requests are always the same, autocannon builds them only once.
  const isConstant = !JSON.stringify(requests).includes("{{");
  // This import is here because the budget needs no load, and its test runs without this package.
  const running = tools("autocannon")({
    url,
    connections: clients,
    timeout: TIMEOUT,
    // The code below normally ends the load earlier. This limit is for a server that does not
    // respond at all.
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
    // The clients send no further requests, but the server still handles the requests in progress,
    // so that their whole cost counts.
    if (last - began >= seconds * 1000) client.responseMax = 1;
  });
  let resets = 0;
  running.on("reqError", (error: NodeJS.ErrnoException) => {
    // Deno 2.9.5 closes a connection after some requests with a body (denoland/deno#36657). A
    // request that was sent at that moment gets no response, and the client connects again.
    if (error.code === "ECONNRESET" && ++resets < latency.count) return;
    wrong.push(`no answer: ${error.message}`);
  });
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
    /** The time from the first request to the last response. */
    seconds: (last - began) / 1000,
    /** Latencies in milliseconds. */
    p50: percentile(50),
    p95: percentile(95),
    p99: percentile(99),
    max: percentile(100),
    /** Responses with a status other than 2xx. */
    failed: non2xx as number,
  };
}

function onWire({ method, path, headers, json }: PlannedRequest) {
  return { method, path, headers: { ...headers }, body: JSON.stringify(json) };
}

/** The last correct response to each request. */
const right = new WeakMap<PlannedRequest, string>();

/** The difference between a response and the expected response; undefined if they are equal. */
function faultOf(sent: PlannedRequest, { status, body }: Answer): string | undefined {
  if (status !== sent.status) return `the status is not ${sent.status}`;
  // The responses to a constant request mostly have the same bytes. These bytes are checked only
  // once.
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

/** The value of a JSON string; undefined when the string is not JSON. */
export function parsed(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
