// `npm run generate`: writes the generated files. A test fails when a generated file is out of
// date.
import { root } from "../local/checkout.ts";
import { startStack } from "../local/stack.ts";
import { openApi } from "./openapi/openapi.ts";
import { postmanCollection } from "./postman/collection.ts";
import { recordExamples } from "./examples/record.ts";
import { BASELINE, baseline, isReleased } from "./baseline.ts";
import { clientTypes } from "./client_types.ts";
import { databaseTypes } from "./database_types.ts";
import { formatted } from "./formatted.ts";
import { release } from "./release.ts";
import { rightsOf } from "./rights.ts";

const generated = "Written by npm run generate; do not edit.";
const functions = `${root}supabase/functions/`;
const folder = await Deno.makeTempDir({ prefix: "generate-" });
// Hides the log lines that the functions write about sends and refused keys.
console.info = console.warn = () => {};

await write(`${functions}_shared/release.ts`, await release());
if (!await isReleased()) await write(root + BASELINE, await baseline());
const stack = await startStack({
  folder,
  port: 0,
  fresh: true,
  seed: true,
  durable: false,
  progress: () => {},
});
try {
  const { addresses } = stack;
  await write(`${functions}_shared/database/types.ts`, await databaseTypes(addresses.database_url));
  await write(`${root}tests/database/rights.txt`, await rightsOf(addresses.database_url));
  const examples = await recordExamples(addresses);
  await write(
    `${root}generate/examples/examples.json`,
    await formatted("json", JSON.stringify({ generated, examples })),
  );
  const document = await formatted("json", JSON.stringify(openApi(examples)));
  await write(`${functions}gateway/openapi.json`, document);
  const collection = postmanCollection(JSON.parse(document));
  await write(
    `${root}examples/postman_collection.json`,
    await formatted("json", JSON.stringify(collection)),
  );
  await write(`${root}client/src/types.ts`, await clientTypes(JSON.parse(document)));
} finally {
  await stack.stop();
  await Deno.remove(folder, { recursive: true });
}
Deno.exit(0);

async function write(path: string, text: string) {
  await Deno.writeTextFile(path, text);
  console.log(`Wrote ${path.slice(root.length)}`);
}
