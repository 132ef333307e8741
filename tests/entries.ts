// What `npm test` gives to `deno test`, which loads each module in a worker of its own. The functions and their
// packages take longer to load than most test files take to run, so a few modules import all the files between them.
import { readdirSync, statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { root } from "../local/checkout.ts";

/** Of a module that imports files: few enough that every core is busy to the end. */
const FILES_EACH = 45;

/** They take longest, so they begin first, and each is a module of its own. */
const LONGEST = [
  "tests/database/find_plans_test.ts",
  "tests/attack/attack_test.ts",
  "tests/examples/postman_test.ts",
  "tests/site/browser_test.ts",
  "tests/settings/sign_in_test.ts",
  "tests/settings/activity_test.ts",
  "tests/docs/recipes_test.ts",
  "tests/local/recovery_test.ts",
  "tests/local/start_test.ts",
  "tests/local/checkout_test.ts",
  "tests/supabase/deploy_test.ts",
  "tests/admin/rotation_test.ts",
];

/**
 * Deno runs such a hook for every test of the module that it loaded, so a file with one is a module of its own. What
 * follows all tests of a file may as well follow those of others.
 */
const HAS_HOOKS = /\bDeno\.test\.(before(All|Each)|afterEach)\(/;

/**
 * The modules that run these test files and those in these folders, in the order in which they should begin. Those
 * that import several files are written into a folder.
 */
export async function entriesOf(paths: string[], folder: string): Promise<string[]> {
  const [longest, withHooks, others]: string[][] = [[], [], []];
  for (const file of testFiles(paths)) {
    const text = await Deno.readTextFile(root + file);
    (LONGEST.includes(file) ? longest : HAS_HOOKS.test(text) ? withHooks : others).push(file);
  }
  longest.sort((one, other) => LONGEST.indexOf(one) - LONGEST.indexOf(other));

  // Neighbours take about as long as one another, so they are dealt like cards.
  const count = Math.max(2, Math.ceil(others.length / FILES_EACH));
  const hands = Object.values(Object.groupBy(others, (_, at) => at % count)) as string[][];
  const entries = hands.map(async (files, at) => {
    if (files.length === 1) return files[0];
    const entry = `${folder}/tests_${at + 1}_of_${hands.length}.ts`;
    await Deno.writeTextFile(entry, importing(files));
    return entry;
  });
  return [...longest, ...withHooks, ...await Promise.all(entries)];
}

/** Paths from the root, without a word twice. A file may have any name; in a folder those count that end as tests do. */
function testFiles(paths: string[]): string[] {
  const found = paths.flatMap((given) => {
    const path = given.replace(/^(\.?\/)+|\/+$/g, "");
    if (!statSync(root + path).isDirectory()) return [path];
    const names = readdirSync(root + path, { recursive: true, encoding: "utf8" });
    return names.filter((name) => name.endsWith("_test.ts")).map((name) => `${path}/${name}`);
  });
  return [...new Set(found)].sort();
}

/** A module that imports these files. One that cannot be loaded is a test that fails, and the others run. */
function importing(files: string[]): string {
  const imports = files.map((file) => {
    const [url, name] = [pathToFileURL(root + file).href, `${file} can be loaded`]
      .map((text) => JSON.stringify(text));
    return `await import(${url}).catch((error) => Deno.test(${name}, () => { throw error; }));\n`;
  });
  return imports.join("");
}
