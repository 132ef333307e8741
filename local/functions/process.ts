import { deadline } from "deno-std/async/deadline.js";
import { root } from "../checkout.ts";

/** A module that `deno serve` runs in a separate process, as the platform runs a function. */
export interface FunctionProcess extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  url: string;
  pid: number;
  /** The time from the start of the process until it listened, in milliseconds. */
  listeningAfter: number;
  /** The last part of the process's output on stderr. */
  log(): string;
  /** Sends a signal, by default SIGTERM, and waits until the process ends. */
  end(signal?: Deno.Signal): Promise<void>;
}

export interface FunctionProcessOptions {
  /** The module's file. The module's default export has a `fetch` method. */
  entry: string;
  /** Environment variables in addition to those of this process. */
  env: Record<string, string>;
  /** The Deno executable that runs the module; by default, this process's own. */
  deno?: string;
  cwd?: string;
  /** The permission flags; by default, the flags that the platform gives a function. */
  permissions?: string[];
  /** Additional flags for `deno serve`. */
  flags?: string[];
  /** Receives all output of the process: stderr, and stdout, where each send writes a line. */
  hear?: (text: string) => void;
  /**
   * The owner of the process. Disposing of the owner ends the process, if the process is still
   * running.
   */
  owner?: AsyncDisposableStack;
}

/**
 * The error when a process ended before it listened. The error message contains the process's
 * output.
 */
export class NotStarted extends Error {
  override name = "NotStarted";

  constructor(entry: string, readonly code: number, readonly printed: string) {
    super(`${entry} did not start:\n${printed}`);
  }
}

const LOG_LENGTH = 16_384;
/**
 * A process that has not ended after this time is killed, for example a server with open
 * connections to Postgres.
 */
const END_MS = 1000;

/** The entry file of a function of this repository. */
export function functionEntry(name: string): string {
  return `${root}supabase/functions/${name}/index.ts`;
}

/**
 * Starts a module on a free port and waits until it listens.
 * @throws NotStarted when the process ends before it listens; Error when the owner has been
 *   disposed of.
 */
export async function startFunctionProcess(
  options: FunctionProcessOptions,
): Promise<FunctionProcess> {
  const { entry, env, deno = Deno.execPath(), cwd = root, flags = [], owner, hear } = options;
  const { permissions = ["--allow-net", "--allow-env"] } = options;
  if (owner?.disposed) throw new Error(`${entry} was not started, because its owner is ending.`);
  const began = performance.now();
  const child = new Deno.Command(deno, {
    args: ["serve", "--host", "127.0.0.1", "--port", "0", ...permissions, ...flags, entry],
    env: { ...env, NO_COLOR: "1" },
    cwd,
    stdin: "null",
    stdout: hear ? "piped" : "null", // each send writes a line there
    stderr: "piped",
  }).spawn();
  owner?.defer(() => end());
  let hasEnded = false;
  child.status.then(() => hasEnded = true);

  let log = "";
  const listening = Promise.withResolvers<string>();
  const hearing = hear && readTexts(child.stdout, hear);
  const reading = (async () => {
    for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
      hear?.(text);
      log = (log + text).slice(-LOG_LENGTH);
      const [, url] = /Listening on (http:\/\/[\w.:]+)\//.exec(log) ?? [];
      if (url) listening.resolve(url);
    }
    listening.reject(new NotStarted(entry, (await child.status).code, log));
  })();

  async function end(signal: Deno.Signal = "SIGTERM") {
    for (const each of [signal, "SIGKILL"] as const) {
      if (hasEnded) break;
      try {
        child.kill(each);
      } catch {
        // The process has just ended.
      }
      await deadline(child.status, END_MS).catch(() => {});
    }
    await Promise.all([reading, hearing]);
  }

  const url = await listening.promise;
  return {
    url,
    pid: child.pid,
    listeningAfter: performance.now() - began,
    log: () => log.trim(),
    end,
    [Symbol.asyncDispose]: () => end(),
  };
}

async function readTexts(stream: ReadableStream<Uint8Array>, hear: (text: string) => void) {
  for await (const text of stream.pipeThrough(new TextDecoderStream())) hear(text);
}
