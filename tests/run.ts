// `npm test`: starts a stack of its own on free ports and runs every test against it, in parallel.
// Arguments go to `deno test`, so one file or one test can be run: npm test -- tests/gateway --filter phone
import { fileURLToPath } from "node:url";
import { startStack } from "../local/stack.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = await Deno.makeTempDir({ prefix: "crm-tests-" });
const report = `${folder}/report.xml`;

// The functions' lines about sends; tests of them have functions of their own.
console.info = () => {};
const stack = await startStack({
  folder,
  port: 0,
  fresh: true,
  seed: true,
  durable: false,
  progress: () => {},
});
const paths = Deno.args.some((arg) => !arg.startsWith("-")) ? [] : ["tests/"];
const tests = new Deno.Command(Deno.execPath(), {
  args: [
    "test",
    "--allow-all",
    "--no-prompt",
    "--parallel",
    `--junit-path=${report}`,
    ...paths,
    ...Deno.args,
  ],
  cwd: root,
  env: { STACK_FILE: `${folder}/stack.json` },
}).spawn();
// Passed on, so that the tests end before the stack that they run against.
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => tests.kill(signal));
}

const { success, code } = await tests.status;
console.log(await summary());
await stack.stop();
await Deno.remove(folder, { recursive: true });
Deno.exit(code);

/** One closing line that a program can read; the counts are the runner's own. */
async function summary(): Promise<string> {
  const xml = await Deno.readTextFile(report).catch(() => "");
  const [, total = "0", failures = "0", errors = "0"] =
    /<testsuites[^>]* tests="(\d+)" failures="(\d+)" errors="(\d+)"/.exec(xml) ?? [];
  const failed = Number(failures) + Number(errors);
  // A file that cannot be loaded fails the run and is in no report.
  return `${Number(total) - failed} passed, ${success ? 0 : Math.max(failed, 1)} failed`;
}
