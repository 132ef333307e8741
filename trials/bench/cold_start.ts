import { functionEnvironment } from "../../local/functions/environment.ts";
import { functionEntry } from "../../local/functions/process.ts";
import { median } from "../median.ts";
import { type BenchStack, server } from "../stack.ts";
import { bundles } from "./bundle.ts";

export type ColdStart = Awaited<ReturnType<typeof measureColdStarts>>[number];

const SUBJECTS = [
  { name: "bare Deno", entry: server("deno"), path: "" },
  { name: "bare Hono", entry: server("hono"), path: "" },
  { name: "gateway", entry: functionEntry("gateway"), path: "gateway/contacts" },
  {
    name: "send-external-template",
    entry: functionEntry("send-external-template"),
    path: "send-external-template",
  },
];
/** An address at which no server listens. */
const NOWHERE = "http://127.0.0.1:9";

/**
 * Starts each function from its bundle, in rounds, in turn with bare Deno and bare Hono. The first
 * request has no key, so the function refuses it without the database. Its path exists, because a
 * function loads the explanation of an unknown path dynamically, and a bundle has no such code.
 */
export async function measureColdStarts(
  { secrets, start }: Pick<BenchStack, "secrets" | "start">,
  rounds: number,
) {
  const env = functionEnvironment(NOWHERE, secrets, NOWHERE);
  await using ends = new AsyncDisposableStack();
  const folder = Deno.makeTempDirSync({ prefix: "cold-starts-" });
  ends.defer(() => Deno.remove(folder, { recursive: true }));
  const built = await bundles(SUBJECTS.map(({ entry }) => entry), folder);
  const results = SUBJECTS.map(({ name, path }, at) => ({
    ...{ name, path, ...built[at] },
    times: [] as number[],
  }));
  for (let round = 0; round <= rounds; round++) {
    for (const { name, path, file, times } of results) {
      await using server = await start(file, env);
      const began = performance.now();
      const { status, body } = await fetch(`${server.url}/${path}`, { method: "POST" });
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
