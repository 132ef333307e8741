import { fileURLToPath } from "node:url";
import { functionEntry, startFunctionProcess } from "../local/functions/process.ts";
import { median } from "./measure.ts";
import { server } from "./stack.ts";

/** Bytes of a module with all its imports, bundled and minified, and that gzipped. */
interface BundleSize {
  /** Code only. */
  bundle: number;
  gzipped: number;
  /** The JSON that is imported dynamically. */
  json: number;
  jsonGzipped: number;
}

export interface ColdStart extends BundleSize {
  name: string;
  /** Milliseconds from the start of its process to its first answer. */
  firstAnswer: { median: number; min: number; max: number };
}

const SUBJECTS = [
  { name: "bare Deno", entry: server("deno"), path: "/" },
  { name: "bare Hono", entry: server("hono"), path: "/" },
  ...["gateway", "send-external-template"]
    .map((name) => ({ name, entry: functionEntry(name), path: `/${name}` })),
];

/**
 * Starts each function, beside bare Deno and bare Hono, in rounds. Modules are cached. The first answer
 * needs no database: it refuses a request without a key.
 */
export async function measureColdStarts(
  env: Record<string, string>,
  rounds: number,
  resources: AsyncDisposableStack,
): Promise<ColdStart[]> {
  const times: number[][] = SUBJECTS.map(() => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [index, { entry, path }] of SUBJECTS.entries()) {
      await using server = await startFunctionProcess({ entry, env, owner: resources });
      const began = performance.now();
      const { status, body } = await fetch(server.url + path, { method: "POST" });
      await body?.cancel();
      const ms = server.listeningAfter + performance.now() - began;
      if (status !== 200 && status !== 401) {
        throw new Error(`${entry} answered ${status} first:\n${server.log()}`);
      }
      if (round > 0) times[index].push(ms); // round 0 may have filled the cache
    }
  }
  const sizes = await bundleSizes(SUBJECTS.map(({ entry }) => entry));
  return SUBJECTS.map(({ name }, index) => {
    const [min, max] = [Math.min(...times[index]), Math.max(...times[index])];
    return { name, firstAnswer: { median: median(times[index]), min, max }, ...sizes[index] };
  });
}

async function bundleSizes(entries: string[]): Promise<BundleSize[]> {
  const { success, stdout } = await new Deno.Command("node", {
    args: [fileURLToPath(new URL("bundle_sizes.mjs", import.meta.url)), ...entries],
    stderr: "inherit",
  }).output();
  if (!success) throw new Error("The functions could not be bundled; the messages above say why.");
  return JSON.parse(new TextDecoder().decode(stdout));
}
