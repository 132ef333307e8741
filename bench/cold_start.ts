import { createRequire } from "node:module";
import { resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { functionEnvironment } from "../local/functions/environment.ts";
import { functionEntry } from "../local/functions/process.ts";
import { median } from "./median.ts";
import { type BenchStack, server } from "./measured_stack.ts";

const esbuild = createRequire(new URL("tools/package.json", import.meta.url))("esbuild");

export type ColdStart = Awaited<ReturnType<typeof measureColdStarts>>[number];

const SUBJECTS = [
  { name: "bare Deno", entry: server("deno") },
  { name: "bare Hono", entry: server("hono") },
  { name: "gateway", entry: functionEntry("gateway") },
  { name: "send-external-template", entry: functionEntry("send-external-template") },
];
/** Nothing listens here. */
const NOWHERE = "http://127.0.0.1:9";

/**
 * Starts each function, beside bare Deno and bare Hono, in rounds. Modules are cached. The first answer
 * needs no database: it refuses a request without a key.
 */
export async function measureColdStarts({ secrets, start }: BenchStack, rounds: number) {
  const env = functionEnvironment(NOWHERE, secrets, NOWHERE);
  const results = SUBJECTS.map((subject) => ({ ...subject, times: [] as number[] }));
  for (let round = 0; round <= rounds; round++) {
    for (const { name, entry, times } of results) {
      await using server = await start(entry, env);
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
  const coldStarts = results.map(async ({ name, entry, times }) => ({
    name,
    /** Milliseconds from the start of its process to its first answer. */
    firstAnswer: { median: median(times), min: Math.min(...times), max: Math.max(...times) },
    ...await bundleSize(entry),
  }));
  return await Promise.all(coldStarts).finally(esbuild.stop);
}

/**
 * Bytes of a module with all that it imports, bundled and minified: the code, and apart from it the JSON
 * that is imported dynamically.
 */
async function bundleSize(entry: string) {
  const { outputFiles, metafile } = await esbuild.build({
    entryPoints: [entry],
    bundle: true,
    // Makes a chunk of its own of each module that is imported dynamically.
    splitting: true,
    outdir: "bundle",
    metafile: true,
    minify: true,
    write: false,
    format: "esm",
    target: "esnext",
    // As Deno resolves packages; its built-in modules stay outside.
    platform: "node",
    conditions: ["deno", "import"],
    legalComments: "none",
    logLevel: "error",
  });
  const size = { bundle: 0, gzipped: 0, json: 0, jsonGzipped: 0 };
  for (const [output, { inputs }] of Object.entries<{ inputs: object }>(metafile.outputs)) {
    const { contents } = outputFiles.find(({ path }: { path: string }) => path === resolve(output));
    const modules = Object.keys(inputs);
    const isJson = modules.length > 0 && modules.every((path) => path.endsWith(".json"));
    size[isJson ? "json" : "bundle"] += contents.length;
    size[isJson ? "jsonGzipped" : "gzipped"] += gzipSync(contents).length;
  }
  return size;
}
