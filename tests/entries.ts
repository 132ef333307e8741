// Chooses the modules that `npm test` passes to `deno test`, which loads each module in a separate
// worker. Loading the functions and their packages takes longer than most test files. Therefore, a
// few generated modules import most of the test files.
import { readdirSync, statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { root } from "../local/checkout.ts";

/** The product tests. `npm run test:all` runs every test file in tests/. */
const PRODUCT = [
  ...["tests/functions", "tests/database", "tests/gateway", "tests/send_external_template"],
  ...[
    "tests/events",
    "tests/webhooks",
    "tests/whatsapp",
    "tests/whatsapp_function",
    "tests/reference",
    "tests/client",
  ],
  "tests/local/start_test.ts",
];

/**
 * The number of files that a module imports. With a smaller number, there are more modules, and
 * each of them loads the functions.
 */
const FILES_EACH = 45;

/**
 * The slowest files. Each becomes a separate module. They start after the modules that import many
 * files, slowest first, so that every CPU core is busy until the end.
 */
const LONGEST = [
  ...["tests/site/browser_test.ts", "tests/attack/attack_test.ts"],
  ...["tests/docs/recipes_test.ts", "tests/supabase/deploy_test.ts"],
  ...["tests/examples/mirror_test.ts", "tests/database/views_find_plans_test.ts"],
  ...["tests/settings/sign_in_test.ts", "tests/settings/webhooks_test.ts"],
  ...["tests/local/checkout_test.ts", "tests/local/start_test.ts"],
  ...["tests/admin/rotation_test.ts", "tests/local/recovery_test.ts"],
  ...["tests/bench/budget_test.ts", "tests/functions/linear_regexes_long_test.ts"],
  "tests/database/linear_regexes_long_test.ts",
  ...["tests/database/roles_grown_plans_test.ts", "tests/settings/activity_test.ts"],
  ...["tests/examples/postman_test.ts", "tests/database/erased_events_long_test.ts"],
];

/**
 * Deno runs a `beforeAll`, `beforeEach` or `afterEach` hook for every test in the module.
 * Therefore, a file with such a hook is a separate module. A file with only an `afterAll` hook may
 * share a module with other files.
 */
const HAS_HOOKS = /\bDeno\.test\.(before(All|Each)|afterEach)\(/;

/**
 * The modules that run these test files and folders, in the order in which they should start. A
 * module that imports several files is written to a folder.
 */
export async function entriesOf(paths: string[], folder: string): Promise<string[]> {
  const [longest, withHooks, others]: string[][] = [[], [], []];
  for (const file of testFiles(paths)) {
    const text = await Deno.readTextFile(root + file);
    (LONGEST.includes(file) ? longest : HAS_HOOKS.test(text) ? withHooks : others).push(file);
  }
  longest.sort((one, other) => LONGEST.indexOf(one) - LONGEST.indexOf(other));

  // Neighbouring files take about the same time, so each module imports every n-th file.
  const count = Math.max(2, Math.ceil(others.length / FILES_EACH));
  const hands = Object.values(Object.groupBy(others, (_, at) => at % count)) as string[][];
  const entries = hands.map(async (files, at) => {
    if (files.length === 1) return files[0];
    const entry = `${folder}/tests_${at + 1}_of_${hands.length}.ts`;
    await Deno.writeTextFile(entry, importing(files));
    return entry;
  });
  return [...await Promise.all(entries), ...longest, ...withHooks];
}

/**
 * The test files that `npm test` runs. It skips files that end in `_plans_test.ts`, which need
 * companies with many rows. It also skips files that end in `_long_test.ts`, which are slow and
 * test behaviour that seldom breaks. `npm run test:all` runs them all.
 */
export function productFiles(): string[] {
  return testFiles(PRODUCT).filter((file) => !/_(plans|long)_test\.ts$/.test(file));
}

/**
 * The files at these paths, relative to the root and without duplicates. A path may name any file.
 * In a folder, only the files that end in `_test.ts` count.
 */
function testFiles(paths: string[]): string[] {
  const found = paths.flatMap((given) => {
    const path = given.replace(/^(\.?\/)+|\/+$/g, "");
    if (!statSync(root + path).isDirectory()) return [path];
    const names = readdirSync(root + path, { recursive: true, encoding: "utf8" });
    return names.filter((name) => name.endsWith("_test.ts")).map((name) => `${path}/${name}`);
  });
  return [...new Set(found)].sort();
}

/**
 * The source of a module that imports these files. A file that cannot be loaded counts as a failed
 * test, and the other files still run.
 */
function importing(files: string[]): string {
  const imports = files.map((file) => {
    const [url, name] = [pathToFileURL(root + file).href, `${file} can be loaded`]
      .map((text) => JSON.stringify(text));
    return `await import(${url}).catch((error) => Deno.test(${name}, () => { throw error; }));\n`;
  });
  return imports.join("");
}
