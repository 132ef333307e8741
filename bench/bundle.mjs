// Writes how many bytes each module of the arguments has with all that it imports: bundled and minified,
// and that gzipped. Runs on Node.
import { createRequire } from "node:module";
import process from "node:process";
import { gzipSync } from "node:zlib";

const { build } = createRequire(new URL("tools/package.json", import.meta.url))("esbuild");

const sizes = [];
for (const entry of process.argv.slice(2)) {
  const { outputFiles: [{ contents }] } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "esnext",
    // As Deno resolves packages; what is built into it stays outside.
    platform: "node",
    conditions: ["deno", "import"],
    legalComments: "none",
    logLevel: "error",
  });
  sizes.push({ bundle: contents.length, gzipped: gzipSync(contents).length });
}
process.stdout.write(JSON.stringify(sizes));
