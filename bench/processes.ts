import { deadline } from "deno-std/async/deadline.js";
import { root } from "../local/checkout.ts";
import { throwIfEnding } from "./endings.ts";

/** A server of this run in a process of its own. */
export interface ServerProcess {
  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  url: string;
  /** Milliseconds from its start to the line in which it says that it listens. */
  listeningAfter: number;
  /** What it has used so far; null where the system does not tell. */
  usage(): Usage | null;
  /** What it has written to stderr, the end of it. */
  log(): string;
  end(): Promise<void>;
}

export interface Usage {
  /** Of all its threads, in user and kernel mode, in milliseconds; the clock ticks every 10. */
  cpuMs: number;
  /** Resident memory, in bytes. */
  rss: number;
}

interface ServerOptions {
  /** The module whose default export has `fetch`; relative to the root. */
  entry: string;
  env: Record<string, string>;
  /** Only what the platform gives a function, unless it needs more. */
  permissions?: string[];
}

const LOG_LENGTH = 4000;

/**
 * Starts a module with `deno serve` on a free port, as the platform starts a function.
 * @throws Error with what it wrote, when it ends before it listens.
 */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const { entry, env, permissions = ["--allow-net", "--allow-env"] } = options;
  throwIfEnding();
  const began = performance.now();
  const child = new Deno.Command(Deno.execPath(), {
    args: ["serve", "--host", "127.0.0.1", "--port", "0", ...permissions, `${root}${entry}`],
    env: { ...env, NO_COLOR: "1" },
    cwd: root,
    stdin: "null",
    stdout: "null", // a line for each send
    stderr: "piped",
  }).spawn();
  let hasEnded = false;
  child.status.then(() => hasEnded = true);
  const end = async () => {
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      if (hasEnded) return;
      try {
        child.kill(signal);
      } catch {
        return; // it ends just now
      }
      await deadline(child.status, 3000).catch(() => {});
    }
  };

  let printed = "";
  const listening = Promise.withResolvers<string>();
  const reading = (async () => {
    for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
      printed = (printed + text).slice(-LOG_LENGTH);
      const [address] = /http:\/\/[\w.:]+(?=\/)/.exec(printed) ?? [];
      if (address) listening.resolve(address);
    }
    listening.reject(new Error(`${entry} did not start:\n${printed}`));
  })();
  // Started or not, it must not stay: who starts it learns of it only when it listens.
  running.add(end);
  try {
    const url = await listening.promise;
    const listeningAfter = performance.now() - began;
    return {
      url,
      listeningAfter,
      usage: () => usageOf(child.pid),
      log: () => printed.trim(),
      async end() {
        await end();
        await reading;
        running.delete(end);
      },
    };
  } catch (error) {
    running.delete(end);
    throw error;
  }
}

const running = new Set<() => Promise<void>>();

/** Ends every server of this run. */
export async function endServers() {
  await Promise.all(Array.from(running, (end) => end()));
}

/** Clock ticks a second in /proc: 100 on every Linux that Deno runs on. */
const TICKS_PER_SECOND = 100;
const PAGE_BYTES = 4096;

function usageOf(pid: number): Usage | null {
  if (Deno.build.os !== "linux") return null;
  try {
    // The name, in brackets, may hold spaces; proc(5) counts what follows it from 3 on.
    const fields = Deno.readTextFileSync(`/proc/${pid}/stat`).split(") ").at(-1)!.split(" ");
    const [user, system, pages] = [fields[11], fields[12], fields[21]].map(Number);
    return { cpuMs: (user + system) * 1000 / TICKS_PER_SECOND, rss: pages * PAGE_BYTES };
  } catch {
    return null; // it has ended
  }
}
