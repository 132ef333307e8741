// `npm run site`: builds the site of the documentation. The local stack runs it too, at the first visit.
import { Command, InvalidArgumentError } from "commander";
import { join, resolve } from "node:path";
import { root } from "../local/checkout.ts";
import { readIfPresent } from "../local/files.ts";
import { isCurrent, SITE_FOLDER } from "../local/site_sources.ts";

const program = new Command("npm run site --")
  .description("Builds the site of the documentation, for any static host.")
  .option("--out <folder>", "folder of the site", SITE_FOLDER)
  .option("--api-url <url>", "address of the API, which ends in /functions/v1", apiUrl)
  .option("--unless-current", "do nothing when no source has changed since", false)
  .helpOption("--help", "show this text")
  .showHelpAfterError("Try --help.")
  .parse(Deno.args, { from: "user" });
const options = program.opts<{ out: string; apiUrl?: string; unlessCurrent: boolean }>();
const out = resolve(options.out);

const atStart = await installed();
// One build at a time: the operating system releases the lock also when a build is killed.
const lock = await Deno.open(join(root, "site", ".lock"), { write: true, create: true })
  .catch((error: Error) => {
    console.error(`The folder site/ of the checkout cannot be written: ${error.message}`);
    return Deno.exit(1);
  });
await lock.lock(true);

try {
  if (options.unlessCurrent && isCurrent(out)) Deno.exit(0);
  await installPackages();
  if (await installed() !== atStart) await startAgain();
  const { buildSite } = await import("./build.ts");
  const began = performance.now();
  await buildSite({ out, apiUrl: options.apiUrl ?? null, progress: console.error });
  console.log(`Built ${out} in ${((performance.now() - began) / 1000).toFixed(1)} s.`);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  Deno.exit(1);
}

/** Which packages of the site are installed; null when there are none. */
async function installed(): Promise<string | null> {
  return await readIfPresent(join(root, "site", "node_modules", ".installed"));
}

/** Builds in a new process: Deno finds no packages that were not there when it started. */
async function startAgain(): Promise<never> {
  lock.close();
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", "--no-prompt", import.meta.filename!, ...Deno.args],
    stdin: "null",
    stdout: "inherit",
    stderr: "inherit",
  }).spawn().status;
  Deno.exit(code);
}

/** Installs what only the site needs, unless it is there. */
async function installPackages() {
  const { success } = await new Deno.Command("node", {
    args: [join(root, "local", "setup.mjs"), "--with-site"],
    stdin: "null",
    stdout: "inherit",
    stderr: "inherit",
  }).spawn().status;
  if (!success) throw new Error("The packages of the site could not be installed.");
}

function apiUrl(text: string): string {
  const url = URL.parse(text.replace(/\/+$/, ""));
  if (!url || !/^https?:$/.test(url.protocol) || !url.pathname.endsWith("/functions/v1")) {
    throw new InvalidArgumentError("It begins with https:// and ends in /functions/v1.");
  }
  return url.href;
}
