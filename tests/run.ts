// `npm test`: starts a stack on free ports and runs every test against it, in parallel. If the environment
// names a Supabase and the first argument is not --own-stack, it runs the tests of that Supabase's API.
// Arguments go to `deno test`, so one file or one test can be run: npm test -- tests/gateway --filter phone
import { existsSync } from "node:fs";
import { root } from "../local/checkout.ts";
import { startStack } from "../local/stack.ts";
import { entriesOf } from "./entries.ts";
import { checked } from "./support/checked_answers.ts";
import { namedStack, NotUsable, testsOfNamedStack } from "./named_stack.ts";
import { missingPrograms } from "./support/programs.ts";

const missing = missingPrograms();
// What must pass before a change lands skips nothing.
if (missing.length > 0 && Deno.env.get("EVERY_TEST_MUST_RUN") === "1") {
  console.error(`${missing.join(" ")} EVERY_TEST_MUST_RUN is set: install what is missing.`);
  Deno.exit(1);
}
const folder = await Deno.makeTempDir({ prefix: "crm-tests-" });
const report = `${folder}/report.xml`;
/** What answers of the stack's functions broke of the API's description. */
const violations = new Set<string>();

// The functions' lines about sends and refused keys. Tests of the log run functions of their own.
console.info = console.warn = () => {};
const [isOwn, args] = Deno.args[0] === "--own-stack"
  ? [true, Deno.args.slice(1)]
  : [false, Deno.args];
/** The files and folders to test that the arguments name. */
const asked = args.filter((arg, at) => args[at - 1] !== "--filter" && existsSync(root + arg));
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
    "--no-check", // npm run check has checked the types, those of the tests too
    "--parallel",
    `--junit-path=${report}`,
    ...await entriesOf(asked.length > 0 ? asked : paths, folder),
    ...args.filter((arg) => !asked.includes(arg)),
  ],
  cwd: root,
  env: {
    STACK_FILE: `${folder}/stack.json`,
    ...(checksAnswers && { STACK_CHECKS_ANSWERS: "1" }),
  },
}).spawn();
// A signal is passed on, so that the tests end before their stack.
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => tests.kill(signal));
}

const { success, code } = await tests.status;
await stop();
for (const sentence of missing) console.log(sentence);
for (const violation of violations) console.error(`openapi.json does not allow this: ${violation}`);
console.log(await summary());
await Deno.remove(folder, { recursive: true });
Deno.exit(code || (violations.size > 0 ? 1 : 0));

/**
 * Starts or finds the stack and writes stack.json for the tests. Returns the tests to run when the
 * arguments name none, and the function that ends the stack.
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
  return { paths: ["tests/"], stop, checksAnswers: true };
}

/** The last line of the output, which programs can read, with the counts of the test runner. */
async function summary(): Promise<string> {
  const xml = await Deno.readTextFile(report).catch(() => "");
  const [, total = "0", failures = "0", errors = "0"] =
    /<testsuites[^>]* tests="(\d+)" failures="(\d+)" errors="(\d+)"/.exec(xml) ?? [];
  const failedTests = Number(failures) + Number(errors);
  // A test file that cannot be loaded fails the run, but the report does not list it.
  const failed = (success ? 0 : Math.max(failedTests, 1)) + violations.size;
  return `${Number(total) - failedTests} passed, ${failed} failed`;
}
