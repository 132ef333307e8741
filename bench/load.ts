import { fileURLToPath } from "node:url";
import { throwIfEnding } from "./endings.ts";
import { TextLineStream } from "deno-std/streams/text_line_stream.js";

/** Requests to send for a while. */
export interface Load {
  /** Where to: scheme, host and port. */
  url: string;
  /** How many send at once, each its next request when it has its answer. */
  clients: number;
  seconds: number;
  /** Sent in turn. */
  requests: PlannedRequest[];
  /** Whether to tell when each answer came and whether it was good. */
  withTimeline?: boolean;
}

/** A request; `{{n}}` in path and body is filled with a number that no other request gets. */
export interface PlannedRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
  /** Taken in turn; each fills the places that have its names, such as `{{id}}`. */
  targets?: Record<string, string>[];
  expect: Expectation;
}

/** What every answer has to be. */
export interface Expectation {
  status: number;
  /** The member of the body in which rows are; left out when they are the body itself. */
  at?: string;
  /** How many rows there are in an array; left out when there is one, which is an object. */
  count?: number;
  /** What each row has; left out when the status says everything. */
  fields?: string[];
  /** Members of the body that was sent, which come back as they were. */
  echo?: string[];
  values?: Record<string, unknown>;
  /** Whether 503 with the code database_unavailable and Retry-After is as good. */
  orUnavailable?: boolean;
}

/** What came of a Load. */
export interface Driven {
  /** From the first request to the last answer. */
  seconds: number;
  /** In milliseconds. */
  latencies: { count: number; p50: number; p95: number; p99: number; max: number };
  /** How many answers had each status. */
  statuses: Record<string, number>;
  wrong: { count: number; examples: string[] };
  /** Of each answer: when, in milliseconds since 1970, and whether it was as expected. */
  timeline: [number, boolean][];
}

/** What sends the requests, in a process of its own. */
export interface Driver {
  /** One load at a time. @throws Error when there is no answer, because the process has ended. */
  drive(load: Load): Promise<Driven>;
  end(): Promise<void>;
}

export function startDriver(): Driver {
  throwIfEnding();
  const child = new Deno.Command("node", {
    args: [fileURLToPath(new URL("drive.mjs", import.meta.url))],
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const writer = child.stdin.getWriter();
  const lines = child.stdout
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new TextLineStream())
    .getReader();
  return {
    async drive(load) {
      await writer.write(new TextEncoder().encode(JSON.stringify(load) + "\n"));
      const { value } = await lines.read();
      if (value === undefined) throw new Error("What sends the requests has ended unexpectedly.");
      return JSON.parse(value);
    },
    async end() {
      try {
        child.kill("SIGTERM");
      } catch {
        // it has ended already
      }
      await child.status;
      await writer.close().catch(() => {});
      await lines.cancel().catch(() => {});
    },
  };
}

/** @throws Error with some of the answers that were wrong. */
export function requireGood(what: string, { wrong, latencies }: Driven) {
  if (wrong.count === 0) return;
  throw new Error(
    `${what}: ${wrong.count} of ${latencies.count} answers were wrong.\n  ` +
      wrong.examples.join("\n  "),
  );
}
