// `npm run site`: builds the site of the documentation. The local stack runs it too, at the first visit.
import { Command, InvalidArgumentError } from "commander";
import { join, resolve } from "node:path";
import { root } from "../local/checkout.ts";
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

// One build at a time: the operating system releases the lock also when a build is killed.
using lock = await Deno.open(join(root, "site", ".lock"), { write: true, create: true });
await lock.lock(true);

try {
  if (options.unlessCurrent && isCurrent(out)) Deno.exit(0);
  const { buildSite } = await import("./build.ts");
  const began = performance.now();
  await buildSite({ out, apiUrl: options.apiUrl ?? null, progress: console.error });
  console.log(`Built ${out} in ${((performance.now() - began) / 1000).toFixed(1)} s.`);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  Deno.exit(1);
}

function apiUrl(text: string): string {
  const url = URL.parse(text.replace(/\/+$/, ""));
  if (!url || !/^https?:$/.test(url.protocol) || !url.pathname.endsWith("/functions/v1")) {
    throw new InvalidArgumentError("It begins with https:// and ends in /functions/v1.");
  }
  return url.href;
}
