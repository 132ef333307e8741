import assert from "node:assert/strict";
import { STATUS } from "../../supabase/functions/_shared/errors.ts";
import { readPage } from "./pages.ts";

/** The codes in the rows of a page that begin with an HTTP status, each with that status. */
async function documented(path: string): Promise<[code: string, status: number][]> {
  const { prose } = await readPage(path);
  const rows = prose.matchAll(/^\| ([45]\d\d) \| ([^|]+) \|/gm);
  return Array.from(rows, ([, status, codes]) =>
    Array.from(
      codes.matchAll(/`([a-z_]+)`/g),
      ([, code]): [string, number] => [code, Number(status)],
    )).flat();
}

const errors = Object.entries(STATUS).sort();

/** Each pair once, sorted by code. */
function once(pairs: [string, number][]): [string, number][] {
  return [...new Map(pairs.map((pair) => [pair.join(), pair])).values()].sort();
}

Deno.test("the pages for callers list every error code with its HTTP status, and no other", async () => {
  const pages = ["docs/api.md", "docs/sending-templates.md", "docs/replying.md"];
  const listed = once((await Promise.all(pages.map(documented))).flat());
  assert.deepEqual(listed, errors);
});

Deno.test("the specification lists the same error codes", async () => {
  assert.deepEqual(once(await documented("docs/specification.md")), errors);
});
