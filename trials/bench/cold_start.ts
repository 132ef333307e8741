import { functionEnvironment } from "../../local/functions/environment.ts";
import { functionEntry } from "../../local/functions/process.ts";
import { median } from "../median.ts";
import { type BenchStack, server } from "../stack.ts";
import { bundles } from "./bundle.ts";

export type ColdStart = Awaited<ReturnType<typeof measureColdStarts>>[number];

const SUBJECTS = [
  { name: "bare Deno", entry: server("deno") },
  { name: "bare Hono", entry: server("hono") },
  { name: "gateway", entry: functionEntry("gateway") },
  { name: "send-external-template", entry: functionEntry("send-external-template") },
];
/** An address at which no server listens. */
const NOWHERE = "http://127.0.0.1:9";

/**
 * Starts each function from its bundle, in rounds, in turn with bare Deno and bare Hono. The first
 * request has no key, so the function refuses it without the database.
 */
export async function measureColdStarts({ secrets, start }: BenchStack, rounds: number) {
  const env = functionEnvironment(NOWHERE, secrets, NOWHERE);
  await using ends = new AsyncDisposableStack();
  const folder = Deno.makeTempDirSync({ prefix: "cold-starts-" });
  ends.defer(() => Deno.remove(folder, { recursive: true }));
  const built = await bundles(SUBJECTS.map(({ entry }) => entry), folder);
  const results = SUBJECTS.map(({ name }, at) => ({ name, ...built[at], times: [] as number[] }));
  for (let round = 0; round <= rounds; round++) {
    for (const { name, file, times } of results) {
      await using server = await start(file, env);
      const began = performance.now();
      const { status, body } = await fetch(`${server.url}/${name}`, { method: "POST" });
      await body?.cancel();
      const ms = server.listeningAfter + performance.now() - began;
      if (status !== 200 && status !== 401) {
        throw new Error(`${name} answered ${status} first:\n${server.log()}`);
      }
      if (round > 0) times.push(ms); // round 0 may have filled the cache
    }
  }
  return results.map(({ name, size, times }) => ({
    name,
    /** The time from the start of the process to its first response, in milliseconds. */
    firstAnswer: { median: median(times), min: Math.min(...times), max: Math.max(...times) },
    ...size,
  }));
}
