import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { root } from "../../local/checkout.ts";
import { anchors, commandLines, links, type Page, readPages } from "./pages.ts";

const pages = await readPages();

Deno.test("every link within the repository has an existing target", () => {
  const found = pages.flatMap(links);
  assert.ok(found.length > 20, "the pages link to one another");
  for (const { from, path, anchor } of found) {
    assert.ok(existsSync(`${root}${path}`), `${from} links to ${path}`);
    if (anchor === undefined) continue;
    const page = pages.find((page) => page.path === path);
    assert.ok(page && anchors(page).includes(anchor), `${from} links to ${path}#${anchor}`);
  }
});

Deno.test("every page of docs/ can be reached from the README", () => {
  const reached = new Set(["README.md"]);
  for (const path of reached) {
    const page = pages.find((page) => page.path === path);
    for (const link of page ? links(page) : []) reached.add(link.path);
  }
  assert.deepEqual(pages.map(({ path }) => path).filter((path) => !reached.has(path)), []);
});

/** A path on a page may be relative to the root or to one of these folders. */
const BASES = [
  "",
  ...["_shared/", "gateway/", "whatsapp/"].map((folder) => `supabase/functions/${folder}`),
];

/** Commands create these paths, and git ignores them. */
const MADE = [".local/", "supabase/functions/.env"];

const folders = Array.from(Deno.readDirSync(root))
  .filter(({ name, isDirectory }) => isDirectory && name !== ".local").map(({ name }) => name);

/** The file and folder paths that a page names between backticks or in a command. */
function paths(page: Page): string[] {
  const words = commandLines(page).flatMap((line) => line.split(/[\s"'(),;]+/));
  return words.map((word) => word.replace(/^\.\//, "")).filter((word) =>
    /^[\w.@-]+(\/[\w.@-]+)*\/?$/.test(word) && word.includes("/") &&
    (/(\/|\.\w+)$/.test(word) || folders.includes(word.split("/")[0])) &&
    !word.startsWith("@") && // an npm package
    !MADE.some((made) => word.startsWith(made))
  );
}

Deno.test("every file and folder that a page names exists", () => {
  // The changelog may also name removed files.
  const current = pages.filter(({ path }) => path !== "CHANGELOG.md");
  const named = current.flatMap((page) => paths(page).map((path) => ({ page, path })));
  assert.ok(named.length > 40, "the pages name files and folders");
  for (const { page, path } of named) {
    const isThere = BASES.some((base) => existsSync(`${root}${base}${path}`));
    assert.ok(isThere, `${page.path} names ${path}`);
  }
});

Deno.test("the README has at most 150 lines", () => {
  const readme = pages.find(({ path }) => path === "README.md")!;
  assert.ok(readme.text.trimEnd().split("\n").length <= 150);
});

Deno.test("no line of a docs page ends with spaces", () => {
  for (const { path, text } of pages) assert.doesNotMatch(text, /[ \t]$/m, path);
});
