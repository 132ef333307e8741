// Tests the client as it is published.
import assert from "node:assert/strict";
import { root } from "../../local/checkout.ts";
import { clientTypes } from "../../generate/client_types.ts";
import openApi from "../../supabase/functions/gateway/openapi.json" with { type: "json" };
import { BUN, CLIENT, folderWithClient, ran } from "../support/built_client.ts";

/** The maximum size in bytes, minified and compressed with gzip. */
const MAX_SIZE = 7000;

const read = (path: string) => Deno.readTextFile(`${root}${path}`);

Deno.test("the client's types are exactly what `npm run generate` creates from openapi.json", async () => {
  const made = await clientTypes(openApi);
  assert.equal(await read("client/src/types.ts"), made, "types.ts is stale: run npm run generate");
});

Deno.test("the client is smaller than 7 kB when it is minified and compressed with gzip", async () => {
  const minified = await ran(BUN, ["build", "--minify", "--format=esm", "client/src/main.ts"]);
  const gzipped = new Blob([minified]).stream().pipeThrough(new CompressionStream("gzip"));
  const { byteLength } = await new Response(gzipped).arrayBuffer();
  assert.match(minified, /export\{/);
  assert.ok(byteLength < MAX_SIZE, `${byteLength} bytes`);
});

Deno.test("npm and JSR have the same version of the same package, without dependencies", async () => {
  const [npm, jsr] = await Promise.all(
    ["client/package.json", "client/deno.json"].map(async (path) => JSON.parse(await read(path))),
  );
  assert.deepEqual([npm.name, npm.version], [jsr.name, jsr.version]);
  assert.equal(npm.name, CLIENT);
  assert.ok(Object.keys(npm).every((name) => !/dependencies/i.test(name)));
  assert.equal(await read("client/LICENSE"), await read("LICENSE"));
});

Deno.test("the npm package contains only the built client and its types", async () => {
  const folder = `${await folderWithClient()}/node_modules/${CLIENT}`;
  const packed = `${folder}/packed`;
  await Deno.mkdir(packed);
  const [{ filename, files }] = JSON.parse(
    await ran("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", packed], {
      cwd: folder,
    }),
  );
  const paths: string[] = files.map(({ path }: { path: string }) => path);
  const modules = Array.from(
    Deno.readDirSync(`${root}client/src`),
    ({ name }) => name.slice(0, -3),
  );
  const expected = modules.flatMap((name) => [`dist/${name}.js`, `dist/${name}.d.ts`]);
  assert.deepEqual(paths.sort(), [...expected, "LICENSE", "README.md", "package.json"].sort());
  const linted = await ran("node", [
    `${root}tools/node_modules/publint/src/cli.js`,
    "--strict",
    `${packed}/${filename}`,
  ]);
  assert.match(linted, /All good!/);
});

Deno.test("JSR accepts the package", async () => {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["publish", "--dry-run", "--allow-dirty", "--no-check"],
    cwd: `${root}client`,
  }).output();
  const printed = new TextDecoder().decode(stderr);
  assert.ok(success, printed);
  assert.match(printed, /Success/);
  assert.doesNotMatch(printed, /warning|tests\//i);
});
