// `npm test`: starts a stack of its own on free ports and runs every test against it, in parallel; or, where
// the environment names a Supabase, the tests that judge one over HTTP (unless --own-stack comes first).
// Arguments go to `deno test`, so one file or one test can be run: npm test -- tests/gateway --filter phone
import { existsSync } from "node:fs";
import { root } from "../local/checkout.ts";
import { startStack } from "../local/stack.ts";
import { namedStack, NotUsable, testsOfNamedStack } from "./named_stack.ts";

const folder = await Deno.makeTempDir({ prefix: "crm-tests-" });
const report = `${folder}/report.xml`;

// The functions' lines about sends; tests of them have functions of their own.
console.info = () => {};
const [isOwn, args] = Deno.args[0] === "--own-stack"
  ? [true, Deno.args.slice(1)]
  : [false, Deno.args];
const { paths, stop } = await openStack().catch(async (error) => {
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
    "--parallel",
    `--junit-path=${report}`,
    ...paths,
    ...args,
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
await stop();
await Deno.remove(folder, { recursive: true });
Deno.exit(code);

/** Makes a stack known to the tests; answers which of them to run besides those named, and what ends it. */
async function openStack(): Promise<{ paths: string[]; stop(): Promise<void> }> {
  const asked = args.filter((arg) => existsSync(`${root}${arg}`));
  const named = isOwn ? null : await namedStack();
  if (named) {
    const fitting = testsOfNamedStack(named);
    const other = asked.find((path) => !fitting.some((each) => path.startsWith(each)));
    if (other) {
      throw new NotUsable(
        `${other} is no test of a named Supabase; these are:\n  ${fitting.join("\n  ")}`,
      );
    }
    console.log(`Testing ${named.url}`);
    if (!named.sandbox_url) {
      console.log("SANDBOX_URL is not set: the tests of template sends are left out.");
    }
    await Deno.writeTextFile(`${folder}/stack.json`, JSON.stringify(named));
    return { paths: asked.length > 0 ? [] : fitting, stop: async () => {} };
  }
  const { stop } = await startStack({
    folder,
    port: 0,
    fresh: true,
    seed: true,
    durable: false,
    progress: () => {},
  });
  return { paths: asked.length > 0 ? [] : ["tests/"], stop };
}

/** One closing line that a program can read; the counts are the runner's own. */
async function summary(): Promise<string> {
  const xml = await Deno.readTextFile(report).catch(() => "");
  const [, total = "0", failures = "0", errors = "0"] =
    /<testsuites[^>]* tests="(\d+)" failures="(\d+)" errors="(\d+)"/.exec(xml) ?? [];
  const failed = Number(failures) + Number(errors);
  // A file that cannot be loaded fails the run and is in no report.
  return `${Number(total) - failed} passed, ${success ? 0 : Math.max(failed, 1)} failed`;
}
