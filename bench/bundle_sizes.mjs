// Writes the size of each module of the arguments with all that it imports, bundled and minified: the code,
// and apart from it the JSON that is imported dynamically. Runs on Node.
import { createRequire } from "node:module";
import { resolve } from "node:path";
import process from "node:process";
import { gzipSync } from "node:zlib";

const { build } = createRequire(new URL("tools/package.json", import.meta.url))("esbuild");

const sizes = [];
for (const entry of process.argv.slice(2)) {
  const { outputFiles, metafile } = await build({
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
  for (const [output, { inputs }] of Object.entries(metafile.outputs)) {
    const { contents } = outputFiles.find(({ path }) => path === resolve(output));
    const modules = Object.keys(inputs);
    const isJson = modules.length > 0 && modules.every((path) => path.endsWith(".json"));
    size[isJson ? "json" : "bundle"] += contents.length;
    size[isJson ? "jsonGzipped" : "gzipped"] += gzipSync(contents).length;
  }
  sizes.push(size);
}
process.stdout.write(JSON.stringify(sizes));
