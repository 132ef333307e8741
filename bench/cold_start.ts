import { fileURLToPath } from "node:url";
import { median } from "./measure.ts";
import { root } from "../local/checkout.ts";
import { startServer } from "./processes.ts";
import { functionEntry } from "./measured_stack.ts";

/** How long a function takes to be there, and how much of it there is. */
export interface ColdStart {
  name: string;
  /** Milliseconds from the start of its process to its first answer: median, least and most. */
  firstAnswer: { median: number; min: number; max: number };
  /** Bytes of its module graph, bundled and minified, and that gzipped. */
  bundle: number;
  gzipped: number;
}

const CONTESTANTS = [
  { name: "bare Deno", entry: "bench/floors/deno.ts", path: "/" },
  { name: "bare Hono", entry: "bench/floors/hono.ts", path: "/" },
  { name: "gateway", entry: functionEntry("gateway"), path: "/gateway/contacts" },
  {
    name: "send-external-template",
    entry: functionEntry("send-external-template"),
    path: "/send-external-template",
  },
];

/**
 * Starts each function, beside bare Deno and bare Hono, in rounds. Modules are cached. The first answer is
 * one that needs no database: a refusal for want of a key.
 */
export async function measureColdStarts(
  env: Record<string, string>,
  rounds: number,
): Promise<ColdStart[]> {
  const times = new Map<string, number[]>(CONTESTANTS.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const { name, entry, path } of CONTESTANTS) {
      const ms = await firstAnswer(entry, env, path);
      if (round > 0) times.get(name)!.push(ms); // the first one may have filled the cache
    }
  }
  const sizes = await bundleSizes(CONTESTANTS.map(({ entry }) => root + entry));
  return CONTESTANTS.map(({ name }, index) => {
    const found = times.get(name)!;
    const firstAnswer = { median: median(found), min: Math.min(...found), max: Math.max(...found) };
    return { name, firstAnswer, ...sizes[index] };
  });
}

async function firstAnswer(entry: string, env: Record<string, string>, path: string) {
  const server = await startServer({ entry, env });
  try {
    const began = performance.now();
    const answer = await fetch(server.url + path, { method: "POST" });
    await answer.body?.cancel();
    if (answer.status !== 200 && answer.status !== 401) {
      throw new Error(`${entry} answered ${answer.status} first:\n${server.log()}`);
    }
    return server.listeningAfter + performance.now() - began;
  } finally {
    await server.end();
  }
}

async function bundleSizes(entries: string[]): Promise<{ bundle: number; gzipped: number }[]> {
  const { success, stdout } = await new Deno.Command("node", {
    args: [fileURLToPath(new URL("bundle.mjs", import.meta.url)), ...entries],
    stderr: "inherit",
  }).output();
  if (!success) throw new Error("The functions could not be bundled; the messages above say why.");
  return JSON.parse(new TextDecoder().decode(stdout));
}
