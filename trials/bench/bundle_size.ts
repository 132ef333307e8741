import { createRequire } from "node:module";
import { resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { root } from "../../local/checkout.ts";

const esbuild = createRequire(`${root}settings/package.json`)("esbuild");

/** The sizes of the bundles of some modules; see `bundleSize`. */
export async function bundleSizes(entries: string[]) {
  return await Promise.all(entries.map(bundleSize)).finally(esbuild.stop);
}

/**
 * Leaves out code that a module imports dynamically, because the first response does not wait for
 * this code.
 */
const WITHOUT_LATER_CODE = {
  name: "without later code",
  // deno-lint-ignore no-explicit-any -- esbuild is loaded without its types
  setup(build: any) {
    build.onResolve(
      { filter: /\.ts$/ },
      ({ kind, path }: { kind: string; path: string }) =>
        kind === "dynamic-import" ? { path, external: true } : undefined,
    );
  },
};

/**
 * The size of a module with all that it imports when it starts, bundled and minified, in bytes.
 * JSON that the module imports dynamically is counted separately.
 */
async function bundleSize(entry: string) {
  const { outputFiles, metafile } = await esbuild.build({
    entryPoints: [entry],
    bundle: true,
    plugins: [WITHOUT_LATER_CODE],
    // Makes a separate chunk of each module that is imported dynamically.
    splitting: true,
    outdir: "bundle",
    metafile: true,
    minify: true,
    write: false,
    format: "esm",
    target: "esnext",
    // The bundle resolves packages as Deno does. Deno's built-in modules are not part of it.
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
