import { TextLineStream } from "deno-std/streams/text_line_stream.js";
import { fileURLToPath } from "node:url";

/** A request; each `{{n}}` in path and body becomes a number that no other request gets. */
export interface PlannedRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
  /** Used in turn; each fills the places with its names, such as `{{id}}`. */
  targets?: Record<string, string>[];
  expect: Expectation;
}

/** What every answer has to be. */
export interface Expectation {
  status: number;
  /** The member of the body that holds the rows; absent when the body itself is the row or rows. */
  at?: string;
  /** The length of the array of rows; absent when the answer is one row and no array. */
  count?: number;
  /** Fields that each row has; absent when the status is all that counts. */
  fields?: string[];
  /** Fields of the body sent that come back unchanged. */
  echo?: string[];
  values?: Record<string, unknown>;
}

/** Requests to send for a while. */
export interface Load {
  /** Scheme, host and port. */
  url: string;
  /** Connections; each sends its next request when it has its answer. */
  clients: number;
  seconds: number;
  /** Sent in turn. */
  requests: PlannedRequest[];
  /** Accepts 503 with code database_unavailable and Retry-After as well, and keeps the timeline. */
  duringOutage?: boolean;
}

/** The answers to a Load, which are all right. Latencies in milliseconds. */
export interface LoadResult {
  requests: number;
  requestsPerSecond: number;
  /** From the first request to the last answer. */
  seconds: number;
  p50: number;
  p95: number;
  p99: number;
  max: number;
  /** Answers other than 2xx. */
  failed: number;
  /** For each answer during an outage: its time, in milliseconds since 1970, and whether it is no 503. */
  timeline: [time: number, isGood: boolean][];
}

/** The process that sends requests: autocannon, on Node. */
export interface LoadGenerator {
  /**
   * Sends one load at a time.
   * @throws Error with examples when an answer is wrong, or when the process has ended.
   */
  send(what: string, load: Load): Promise<LoadResult>;
}

/** @param resources ends the process. */
export function startLoadGenerator(resources: AsyncDisposableStack): LoadGenerator {
  if (resources.disposed) throw new Error("The run is being ended.");
  const child = new Deno.Command("node", {
    args: [fileURLToPath(new URL("load_generator.mjs", import.meta.url))],
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  resources.defer(async () => {
    try {
      child.kill("SIGTERM");
    } catch {
      // It has ended already.
    }
    await child.status;
  });
  const writer = child.stdin.getWriter();
  const lines = child.stdout
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new TextLineStream())
    .getReader();
  return {
    async send(what, load) {
      await writer.write(new TextEncoder().encode(JSON.stringify(load) + "\n"));
      const { value } = await lines.read();
      if (value === undefined) throw new Error("The load generator has ended unexpectedly.");
      const { wrong, examples, ...result } = JSON.parse(value);
      if (wrong === 0) return result;
      throw new Error(
        `${what}: ${wrong} of ${result.requests} answers were wrong.\n  ${examples.join("\n  ")}`,
      );
    },
  };
}
