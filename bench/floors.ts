import { delay } from "deno-std/async/delay.js";
import * as jose from "jose";
import type { PlannedRequest } from "./load.ts";
import { type ServerProcess, startServer } from "./processes.ts";
import type { Scenario } from "./scenarios.ts";
import { type BenchStack, captureCall, type Captured, lastingToken } from "./measured_stack.ts";

/** What a scenario is measured against: the least that its answer costs on this machine. */
export interface Floor {
  name: "rest" | "relay" | "sql" | "hono";
  server: ServerProcess;
  request: PlannedRequest;
}

export const FLOOR_TITLES: Record<Floor["name"], string> = {
  rest: "the same call straight to the REST layer",
  relay: "the same call through a function that only passes it on",
  sql: "the same row-secured SQL over a plain driver",
  hono: "bare Hono answering a constant",
};

/** The floors of a scenario, each with the request that it is asked. */
export async function floorsOf(scenario: Scenario, stack: BenchStack): Promise<Floor[]> {
  if (scenario.floors.length === 0) return [];
  const { request } = scenario;
  const server = stack[scenario.function];
  // Before its first answer is noted, a key costs a call of its own.
  await answerOf(server, filled(request, "7654321000"));
  await delay(100);
  const number = "7654321001";
  const sample = filled(request, number);
  let answer = "";
  const captured = await captureCall(stack, async () => answer = await answerOf(server, sample));
  const token = await lastingToken(stack, captured);
  const passedOn = await restRequest(stack, captured, token, request, number);

  const start: Record<Floor["name"], () => Promise<Omit<Floor, "name">>> = {
    rest: () => Promise.resolve({ server: stack.rest, request: passedOn }),
    relay: async () => ({
      server: await startServer({
        entry: "bench/floors/relay.ts",
        env: { REST_URL: stack.rest.url },
      }),
      request: passedOn,
    }),
    sql: async () => ({
      server: await startServer({
        entry: "bench/floors/sql.ts",
        env: {
          DATABASE_URL: stack.databaseUrl("authenticator"),
          CLAIMS: JSON.stringify(jose.decodeJwt(token)),
          COLUMNS: Object.keys(JSON.parse(answer)[request.expect.at!][0]).join(","),
        },
      }),
      request,
    }),
    hono: async () => ({
      server: await startServer({ entry: "bench/floors/hono.ts", env: { BODY: answer } }),
      request,
    }),
  };
  return await Promise.all(
    scenario.floors.map(async (name) => ({ name, ...await start[name]() })),
  );
}

/** Headers that say how a request was sent and not what it asks. */
const OF_THE_CONNECTION = new Set([
  ...["host", "connection", "keep-alive", "content-length", "transfer-encoding"],
]);

/**
 * Deno 2.8.3 to 2.9.5 close a connection after a request with a body that was not all in what it read first
 * (denoland/deno#36657), which autocannon takes for an error when it has asked again already. This makes a
 * head of about 1,400 bytes out of one of about 1,000, and the body is then read with its end.
 */
const PADDING = "-".repeat(400);

/** What the function asked, to be asked again for other numbers and targets. */
async function restRequest(
  { rest }: BenchStack,
  captured: Captured,
  token: string,
  { targets, expect }: PlannedRequest,
  number: string,
): Promise<PlannedRequest> {
  const places = { n: number, ...targets?.[0] };
  const asTemplate = (text: string) =>
    Object.entries(places).reduce(
      (template, [name, value]) =>
        template.replaceAll(value, `{{${name}}}`).replaceAll(
          encodeURIComponent(value),
          `{{${name}}}`,
        ),
      text,
    );
  const headers = Object.fromEntries(
    Object.entries(captured.headers).filter(([name]) => !OF_THE_CONNECTION.has(name)),
  );
  const request: PlannedRequest = {
    method: captured.method,
    path: asTemplate(captured.path),
    headers: {
      ...headers,
      authorization: `Bearer ${token}`,
      ...(captured.body !== "" && { "x-padding": PADDING }),
    },
    ...(captured.body !== "" && { body: asTemplate(captured.body) }),
    ...(targets && { targets }),
    expect: { status: 0 },
  };
  const { status, body } = await answerFrom(rest, filled(request, "7654321002"));
  if (status >= 300) throw new Error(`The REST layer answered ${status}: ${body}`);
  const answer = JSON.parse(body);
  const isList = Array.isArray(answer);
  const [row] = isList ? answer : [answer];
  request.expect = {
    status,
    fields: Object.keys(row),
    ...(isList && { count: answer.length }),
    ...(expect.echo && !isList && { echo: expect.echo }),
  };
  return request;
}

async function answerFrom(server: ServerProcess, { path, expect: _, ...request }: PlannedRequest) {
  const answer = await fetch(server.url + path, request);
  return { status: answer.status, body: await answer.text() };
}

/** @throws Error when the answer has not the status that is expected. */
async function answerOf(server: ServerProcess, request: PlannedRequest): Promise<string> {
  const { status, body } = await answerFrom(server, request);
  if (status === request.expect.status) return body;
  throw new Error(`${request.method} ${request.path} answered ${status}: ${body}`);
}

/** A request with its places filled, for the first target. */
function filled({ targets, ...request }: PlannedRequest, number: string): PlannedRequest {
  const values: Record<string, string> = { n: number, ...targets?.[0] };
  const fill = (text: string) => text.replace(/\{\{(\w+)\}\}/g, (_, name) => values[name]);
  return {
    ...request,
    path: fill(request.path),
    ...(request.body && { body: fill(request.body) }),
  };
}
