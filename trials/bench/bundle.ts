import { createRequire } from "node:module";
import { resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { root } from "../../local/checkout.ts";

const esbuild = createRequire(`${root}settings/package.json`)("esbuild");

/** Builds the bundles of some modules in a folder; see `bundle`. */
export async function bundles(entries: string[], folder: string) {
  const built = entries.map((entry, at) => bundle(entry, `${folder}/${at}`));
  return await Promise.all(built).finally(esbuild.stop);
}

/** The sizes of the bundles of some modules; see `bundle`. */
export async function bundleSizes(entries: string[]) {
  const folder = Deno.makeTempDirSync({ prefix: "bundles-" });
  try {
    return (await bundles(entries, folder)).map(({ size }) => size);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
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
 * Bundles and minifies a module with all that it imports when it starts. Returns the bundle's entry
 * file and its size in bytes. JSON that the module imports dynamically is counted separately.
 */
async function bundle(entry: string, outdir: string) {
  const { metafile } = await esbuild.build({
    entryPoints: [entry],
    bundle: true,
    plugins: [WITHOUT_LATER_CODE],
    // Makes a separate chunk of each other module that is imported dynamically, such as JSON.
    splitting: true,
    outdir,
    metafile: true,
    minify: true,
    format: "esm",
    target: "esnext",
    // The bundle resolves packages as Deno does. Deno's built-in modules are not part of it.
    platform: "node",
    conditions: ["deno", "import"],
    legalComments: "none",
    logLevel: "error",
  });
  const size = { bundle: 0, gzipped: 0, json: 0, jsonGzipped: 0 };
  let file = "";
  for (const [output, { inputs, entryPoint }] of Object.entries<Output>(metafile.outputs)) {
    const contents = Deno.readFileSync(output);
    const modules = Object.keys(inputs);
    const isJson = modules.length > 0 && modules.every((path) => path.endsWith(".json"));
    size[isJson ? "json" : "bundle"] += contents.length;
    size[isJson ? "jsonGzipped" : "gzipped"] += gzipSync(contents).length;
    if (entryPoint && resolve(entryPoint) === entry) file = resolve(output);
  }
  return { file, size };
}

/** A file of a bundle, as esbuild reports it. */
interface Output {
  inputs: object;
  /** Present in the file that a program starts, and in a dynamically imported module's chunk. */
  entryPoint?: string;
}
