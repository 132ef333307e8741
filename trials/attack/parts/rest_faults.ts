import type { Context } from "../context.ts";
import type { Findings } from "../findings.ts";
import { ask, everyKind, functionsOn } from "./fault_requests.ts";

interface RestAnswer {
  status: number;
  /** The body of a PostgREST error, or a text from a proxy. */
  body: Record<string, string | null> | string;
}

function sqlError(status: number, code: string, message: string): RestAnswer {
  return { status, body: { code, message, details: null, hint: null } };
}

/**
 * The responses of the real PostgREST, or of the gateway in front of it, during temporary faults.
 */
const TROUBLES: Record<string, RestAnswer> = {
  "lock time-out": sqlError(500, "55P03", "canceling statement due to lock timeout"),
  deadlock: sqlError(500, "40P01", "deadlock detected"),
  "serialization failure": sqlError(500, "40001", "could not serialize access"),
  "statement time-out": sqlError(500, "57014", "canceling statement due to statement timeout"),
  "read-only, at a fail-over": sqlError(
    405,
    "25006",
    "cannot execute UPDATE in a read-only transaction",
  ),
  "disk full": sqlError(503, "53100", "could not extend file: No space left on device"),
  "too many connections": sqlError(503, "53300", "sorry, too many clients already"),
  "connection ended by the operator": sqlError(503, "57P01", "terminating connection"),
  "connection broken within a statement": sqlError(400, "", ""),
  "no connection": sqlError(503, "PGRST000", "Database connection error"),
  "connection lost": sqlError(503, "PGRST001", "Database client error"),
  "no schema cache yet": sqlError(
    503,
    "PGRST002",
    "Could not query the database for the schema cache",
  ),
  "pool exhausted": sqlError(
    504,
    "PGRST003",
    "Timed out acquiring connection from connection pool",
  ),
  "gateway's 502": { status: 502, body: "<html><h1>502 Bad Gateway</h1></html>" },
  "gateway's 504": { status: 504, body: "" },
  "proxy's 521": { status: 521, body: "error code: 521" },
  "proxy's 544": { status: 544, body: "{}" },
};

/** A REST layer that sends no response, or only part of one. */
const SILENCES: Record<string, () => Promise<Response> | Response> = {
  "an answer that breaks off": () =>
    new Response(
      new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode('[{"id":"'));
          controller.error(new Error("broken off"));
        },
      }),
    ),
  "a REST layer that hangs": () => new Promise(() => {}),
};

/** Tests a REST layer that returns errors or hangs. */
export async function restFaults({ ours, quick, progress }: Context, findings: Findings) {
  let answer: () => Response | Promise<Response> = () => new Response(null);
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {}, onError: () => new Response(null) },
    () => answer(),
  );
  const functions = await functionsOn(ours, `http://127.0.0.1:${server.addr.port}`);
  for (const [name, { status, body }] of Object.entries(TROUBLES)) {
    const isJson = typeof body !== "string";
    const [text, type] = isJson ? [JSON.stringify(body), "application/json"] : [body, "text/html"];
    answer = () => new Response(text, { status, headers: { "Content-Type": type } });
    await ask(findings, functions, name, everyKind(ours));
  }
  progress("faults: a REST layer that does not answer");
  for (const [name, silence] of Object.entries(SILENCES)) {
    answer = silence;
    // A request waits ten seconds for the database. A request to /health waits two seconds.
    const requests = everyKind(ours);
    await ask(findings, functions, name, quick ? requests.slice(-1) : requests);
  }
  await Promise.all([functions.gateway.end(), functions.sender.end()]);
  void server.shutdown();
}
