// `npm test` starts a stack on free ports and runs the product tests against it in parallel. `npm
// run test:all` passes --all, which runs every test. If the environment names a Supabase stack, the
// run tests the API of that stack, unless the first argument is --own-stack. All other arguments
// are passed to `deno test`, for example to run one file or one test:
// npm test -- tests/gateway --filter phone
import "../local/direct_requests.ts";
import { existsSync } from "node:fs";
import { root } from "../local/checkout.ts";
import { startStack } from "../local/stack.ts";
import { entriesOf, productFiles } from "./entries.ts";
import { deadlocksIn, longestFiles, readReport } from "./report.ts";
import { checked } from "./support/checked_answers.ts";
import { namedStack, NotUsable, testsOfNamedStack } from "./named_stack.ts";
import { missingPrograms } from "./support/programs.ts";

const isAll = Deno.args[0] === "--all";
const isOwn = Deno.args[0] === "--own-stack";
const args = Deno.args.slice(isAll || isOwn ? 1 : 0);
/** The files and folders that the arguments name. */
const asked = args.filter((arg, at) => args[at - 1] !== "--filter" && existsSync(root + arg));
// Only tests outside the default set need the optional programs, such as a browser.
const missing = isAll || asked.length > 0 ? missingPrograms() : [];
// The check before a merge sets this variable, so that no test is skipped.
if (missing.length > 0 && Deno.env.get("EVERY_TEST_MUST_RUN") === "1") {
  console.error(`${missing.join(" ")} EVERY_TEST_MUST_RUN is set: install what is missing.`);
  Deno.exit(1);
}
const folder = await Deno.makeTempDir({ prefix: "crm-tests-" });
const report = `${folder}/report.xml`;
/** Messages about responses that contradict the API's description. */
const violations = new Set<string>();

// Hides the functions' log lines about sends and refused keys. Tests that check the log run their
// own functions.
console.info = console.warn = () => {};
const { paths, stop, checksAnswers = false } = await openStack().catch(async (error) => {
  await Deno.remove(folder, { recursive: true });
  if (!(error instanceof NotUsable)) throw error;
  console.error(error.message);
  Deno.exit(1);
});
const tests = new Deno.Command(Deno.execPath(), {
  args: [
    "test",
    "--allow-all",
    "--no-prompt",
    "--no-check", // `npm run check` also checks the types of the tests
    "--parallel",
    `--junit-path=${report}`,
    ...await entriesOf(asked.length > 0 ? asked : paths, folder),
    ...args.filter((arg) => !asked.includes(arg)),
  ],
  cwd: root,
  env: {
    DENO_JOBS: String(navigator.hardwareConcurrency + 1), // one more, because tests also wait
    STACK_FILE: `${folder}/stack.json`,
    ...(checksAnswers && { STACK_CHECKS_ANSWERS: "1" }),
    ...(isAll && { LONG_RUNS: Deno.env.get("LONG_RUNS") ?? "1" }),
  },
}).spawn();
// Signals are forwarded to the tests, so that the tests end before their stack.
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => tests.kill(signal));
}

const { success, code } = await tests.status;
await stop();
for (const sentence of missing) console.log(sentence);
for (const violation of violations) console.error(`openapi.json does not allow this: ${violation}`);
const { total, failed, files } = await readReport(report);
if (files.length > 1) console.log(longestFiles(files));
if (!success) {
  for (const deadlock of await deadlocksIn(`${folder}/postgres.log`)) console.error(deadlock);
}
// If a test file cannot be loaded, the run fails, but the report does not contain the file.
const failures = (success ? 0 : Math.max(failed, 1)) + violations.size;
// Programs can parse this last line.
console.log(`${total - failed} passed, ${failures} failed`);
await Deno.remove(folder, { recursive: true });
Deno.exit(code || (violations.size > 0 ? 1 : 0));

/**
 * Starts or finds the stack, and writes stack.json for the tests. Returns the default tests, and a
 * function that stops the stack.
 */
async function openStack(): Promise<
  { paths: string[]; stop(): Promise<void>; checksAnswers?: boolean }
> {
  const named = isOwn ? null : await namedStack();
  if (named) {
    const runnable = testsOfNamedStack(named);
    const other = asked.find((path) => !runnable.some((each) => path.startsWith(each)));
    if (other) {
      throw new NotUsable(
        `${other} cannot run on a named Supabase. These tests can:\n  ${runnable.join("\n  ")}`,
      );
    }
    console.log(`Testing ${named.url}`);
    if (!named.sandbox_url) {
      console.log("SANDBOX_URL is not set: the tests of template sends are skipped.");
    }
    await Deno.writeTextFile(`${folder}/stack.json`, JSON.stringify(named));
    return { paths: runnable, stop: async () => {} };
  }
  const { stop } = await startStack({
    folder,
    port: 0,
    fresh: true,
    seed: true,
    durable: false,
    around: (functions) => checked(functions, (violation) => violations.add(violation)),
    progress: () => {},
  });
  return { paths: isAll ? ["tests/"] : productFiles(), stop, checksAnswers: true };
}
