import { delay } from "deno-std/async/delay.js";
import * as jose from "jose";
import type { FunctionProcess } from "../local/functions/process.ts";
import type { PlannedRequest } from "./load.ts";
import type { ScenarioSubject } from "./measure.ts";
import { type Scenario, subjectOf } from "./scenarios.ts";
import { type BenchStack, server } from "./stack.ts";

/** What scenarios are measured against: the least that their answers cost on this machine. */
export const FLOORS = {
  rest: "the same call straight to the REST layer",
  relay: "the same call through a function that only passes it on",
  sql: "the same row-secured SQL over a plain driver",
  hono: "bare Hono answering a constant",
};

export type FloorName = keyof typeof FLOORS;

/** A request of a function to the REST layer. */
type Call = Pick<PlannedRequest, "method" | "path" | "headers"> & { body: string };

/** A gateway whose calls to the REST layer are recorded. */
export interface RecordedGateway {
  gateway: FunctionProcess;
  calls: Call[];
}

/** Starts a gateway with a recorder between it and the REST layer. */
export async function startRecordedGateway(
  stack: BenchStack,
  resources: AsyncDisposableStack,
): Promise<RecordedGateway> {
  const calls: Call[] = [];
  const record = async (request: Request) => {
    const { pathname, search } = new URL(request.url);
    const { method, headers } = request;
    const call = { method, path: pathname + search, headers, body: await request.text() };
    calls.push({ ...call, headers: Object.fromEntries(headers) });
    return await fetch(stack.rest.url + call.path, { ...call, body: call.body || undefined });
  };
  const anyPort = { hostname: "127.0.0.1", port: 0, onListen() {} };
  const recorder = resources.use(Deno.serve(anyPort, record));
  const gateway = await stack.startFunction("gateway", {
    restUrl: `http://127.0.0.1:${recorder.addr.port}`,
  });
  return { gateway, calls };
}

/** The floors of a scenario of the gateway, each with the request that it gets. */
export async function floorsOf(
  scenario: Scenario,
  stack: BenchStack,
  { gateway, calls }: RecordedGateway,
): Promise<ScenarioSubject[]> {
  if (scenario.floors.length === 0) return [];
  const { request } = scenario;
  // A key's first use is noted after its answer, which costs a call more.
  await ask(gateway, filled(request, "7654321000"));
  await delay(100);
  calls.length = 0;
  const answer = await ask(gateway, filled(request, "7654321001"));
  const [call] = calls;
  const token = await lastingToken(stack, call);
  const again = repeatable(call, "7654321001", token, request);
  // The answer to one more call shows what the answers to all must be.
  const data = JSON.parse(await ask(stack.rest, filled(again, "7654321002")));
  again.expect = {
    status: again.expect.status,
    fields: Object.keys([data].flat()[0]),
    ...(Array.isArray(data) ? { count: data.length } : { echo: request.expect.echo }),
  };

  const floors = {
    rest: () => subjectOf(scenario, stack, "rest", stack.rest, again),
    relay: async () => {
      const relay = await stack.start(server("relay"), { REST_URL: stack.rest.url });
      return subjectOf(scenario, stack, "relay", relay, again);
    },
    sql: async () => {
      const sql = await stack.start(server("sql"), {
        DATABASE_URL: stack.databaseUrl("authenticator"),
        CLAIMS: JSON.stringify(jose.decodeJwt(token)),
        COLUMNS: Object.keys(JSON.parse(answer).data[0]).join(","),
      });
      return subjectOf(scenario, stack, "sql", sql);
    },
    hono: async () =>
      subjectOf(scenario, stack, "hono", await stack.start(server("hono"), { BODY: answer })),
  };
  return await Promise.all(scenario.floors.map((name) => floors[name]()));
}

/** The token of a recorded call, made valid for a day. */
async function lastingToken({ secrets }: BenchStack, { headers }: Call): Promise<string> {
  const claims = jose.decodeJwt(headers.authorization.replace(/^Bearer /, ""));
  return await new jose.SignJWT(claims)
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .setExpirationTime("1d")
    .sign(new TextEncoder().encode(secrets.jwt_secret));
}

/** Headers of the connection, not of the call. */
const HOP_HEADERS = ["host", "connection", "keep-alive", "content-length", "transfer-encoding"];

/**
 * Deno 2.8.3 to 2.9.5 close a connection after a request whose body did not arrive whole in the first read
 * (denoland/deno#36657), which autocannon takes for an error when it has sent its next request already. This
 * padding makes the head about 1,400 bytes long instead of 1,000, and Deno then reads the whole body at once.
 */
const PADDING = { "x-padding": "-".repeat(400) };

/** A recorded call as a request for any number and target; the number is the one that it was made with. */
function repeatable(
  call: Call,
  number: string,
  token: string,
  { targets, expect }: PlannedRequest,
): PlannedRequest {
  const values = Object.entries({ n: number, ...targets?.[0] })
    .flatMap(([name, value]) => [[name, value], [name, encodeURIComponent(value)]]);
  const template = (text: string) =>
    values.reduce((text, [name, value]) => text.replaceAll(value, `{{${name}}}`), text);
  const headers = Object.entries(call.headers).filter(([name]) => !HOP_HEADERS.includes(name));
  const hasBody = call.body !== "";
  return {
    method: call.method,
    path: template(call.path),
    headers: {
      ...Object.fromEntries(headers),
      authorization: `Bearer ${token}`,
      ...(hasBody && PADDING),
    },
    ...(hasBody && { body: template(call.body) }),
    targets,
    expect: { status: expect.status },
  };
}

/** The body of the answer. @throws Error when its status is not the expected one. */
async function ask({ url }: FunctionProcess, { path, expect, ...request }: PlannedRequest) {
  const answer = await fetch(url + path, request);
  const body = await answer.text();
  if (answer.status === expect.status) return body;
  throw new Error(`${request.method} ${path} answered ${answer.status}: ${body}`);
}

/** A request with its places filled, for the first target. */
function filled({ targets, path, body, ...request }: PlannedRequest, n: string): PlannedRequest {
  const values: Record<string, string> = { n, ...targets?.[0] };
  const fill = (text: string) => text.replace(/\{\{(\w+)\}\}/g, (_, name) => values[name]);
  return { ...request, path: fill(path), ...(body && { body: fill(body) }) };
}
