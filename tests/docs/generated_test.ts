import assert from "node:assert/strict";
import { root } from "../../local/checkout.ts";
import { readPage } from "./pages.ts";

/** The folders that may contain generated files. */
const FOLDERS = [
  ...["supabase", "generate", "local", "admin", "trials", "sandbox", "client", "examples"],
  "tests/database",
];
/** The text that marks a generated file in its first lines. */
const MARK = /Written by `?npm run generate`?[^\n]*do not edit/;

async function* files(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(`${root}${folder}`)) {
    if (name === "node_modules" || name.startsWith(".")) continue;
    if (isDirectory) yield* files(`${folder}/${name}`);
    else if (/\.(ts|json|sql|txt)$/.test(name)) yield `${folder}/${name}`;
  }
}

Deno.test("docs/conventions.md lists every generated file", async () => {
  const { text } = await readPage("docs/conventions.md");
  const [, section = ""] = /^## Generated files\n([^]*?)^## /m.exec(text) ?? [];
  const listed = Array.from(section.matchAll(/^\| `([^`]+)` \|/gm), ([, path]) => path);

  const marked: string[] = [];
  for (const folder of FOLDERS) {
    for await (const path of files(folder)) {
      const top = (await Deno.readTextFile(`${root}${path}`)).split("\n").slice(0, 3).join("\n");
      if (MARK.test(top)) marked.push(path);
    }
  }
  assert.ok(marked.length > 0);
  assert.deepEqual(listed.sort(), marked.sort());
});
