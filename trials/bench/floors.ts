import { omit } from "deno-std/collections/omit.js";
import * as jose from "jose";
import { send } from "./load.ts";
import { ANY, type PlannedRequest } from "./planned_request.ts";
import { type Subject, subjectOf } from "./measure.ts";
import { PAGE, type Scenario } from "./scenarios.ts";
import { type BenchStack, server } from "../stack.ts";

/** Replaces `{{n}}` in the recorded requests. The load generator uses other numbers. */
const NUMBER = "7654321000";
/** Headers that belong to the connection and not to the call. */
const HOP_HEADERS = ["host", "connection", "keep-alive", "content-length", "transfer-encoding"];

/**
 * Deno 2.8.3 to 2.9.5 close a connection after a request if its body was not complete in the first
 * read (denoland/deno#36657). autocannon counts that as an error if it has already sent its next
 * request. This padding makes the head about 1,400 bytes long instead of 1,000. With this padding,
 * Deno reads the whole body in the first read.
 */
const PADDING = { "x-padding": "-".repeat(400) };

/**
 * The scenarios at their functions, each followed by its floors. The floors `rest` and `relay`
 * repeat the gateway's call to the REST layer, which a recorder between the two has recorded.
 */
export async function withFloors(scenarios: Scenario[], stack: BenchStack): Promise<Subject[]> {
  let call!: PlannedRequest;
  const record = async (request: Request) => {
    const { method, headers } = request;
    const path = request.url.slice(new URL(request.url).origin.length);
    const body = await request.text() || undefined;
    const reply = await fetch(stack.rest.url + path, { method, headers, body });
    const text = await reply.text();
    // After its response, the gateway reports the use of a key with other calls.
    if (!/\/rpc\/(authenticate|record_api_key_usage)$/.test(path)) {
      const [json, answer] = [body && JSON.parse(body), JSON.parse(text)];
      const { status } = reply;
      call = { method, path, headers: Object.fromEntries(headers), json, status, answer };
    }
    return new Response(text || null, reply);
  };
  await using recorder = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, record);
  const restUrl = `http://127.0.0.1:${recorder.addr.port}`;
  await using gateway = await stack.startFunction("gateway", { restUrl });

  const subjects: Subject[] = [];
  for (const scenario of scenarios) {
    const subject = subjectOf(scenario, stack);
    subjects.push(subject);
    if (scenario.floors.length === 0) continue;
    const values = { ...scenario.targets?.[0], n: NUMBER };
    const requests = [{ ...scenario, targets: [values] }];
    await send({ title: scenario.title, url: gateway.url, clients: 1, seconds: 0, requests });

    const rows = [call.answer].flat() as object[];
    const claims = jose.decodeJwt(call.headers.authorization.replace(/^Bearer /, ""));
    const env = {
      REST_URL: stack.rest.url,
      DATABASE_URL: stack.databaseUrl("authenticator"),
      CLAIMS: JSON.stringify(claims),
      COLUMNS: Object.keys(rows[0]).join(","),
      BODY: JSON.stringify({ data: rows.slice(0, PAGE) }),
    };
    const token = await new jose.SignJWT(claims)
      .setProtectedHeader({ alg: "HS256", typ: "JWT" })
      .setExpirationTime("1d")
      .sign(new TextEncoder().encode(stack.secrets.jwt_secret));
    const again = { ...repeatable(call, values, token), targets: scenario.targets };
    for (const target of scenario.floors) {
      const process = target === "rest" ? stack.rest : await stack.start(server(target), env);
      const request = target === "rest" || target === "relay" ? again : scenario;
      subjects.push({ ...subject, target, server: process, request });
    }
  }
  return subjects;
}

/**
 * Turns a recorded call into a template with placeholders for `values`, and gives it a token that
 * stays valid.
 */
function repeatable(
  call: PlannedRequest,
  values: Record<string, string>,
  token: string,
): PlannedRequest {
  const text = Object.entries(values).reduce(
    (text, [name, value]) => text.replaceAll(value, `{{${name}}}`),
    JSON.stringify(call),
  );
  const { headers, answer, ...request } = JSON.parse(text);
  // Fields that depend on the request must have the right value. Other fields must only be present.
  const expected = (row: object) =>
    Object.fromEntries(
      Object.entries(row).map(([field, value]) => [field, /{{/.test(value) ? value : ANY]),
    );
  return {
    ...request,
    headers: {
      ...omit(headers, HOP_HEADERS),
      authorization: `Bearer ${token}`,
      ...(request.json && PADDING),
    },
    answer: Array.isArray(answer) ? answer.map(expected) : expected(answer),
  };
}
