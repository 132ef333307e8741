// `npm run site`: builds the site of the documentation. The local stack also builds the site, when
// someone opens the site for the first time.
import { Command, InvalidArgumentError } from "commander";
import { resolve } from "node:path";
import { buildInTurn } from "../local/build_in_turn.ts";
import { isCurrent, SITE_FOLDER } from "../local/site_sources.ts";

const program = new Command("npm run site --")
  .description("Builds the site of the documentation, for any static host.")
  .option("--out <folder>", "folder of the site", SITE_FOLDER)
  .option("--api-url <url>", "URL of the API, which ends in /functions/v1", apiUrl)
  .option("--unless-current", "do nothing if no source has changed since the last build", false)
  .helpOption("--help", "show this text")
  .showHelpAfterError("Try --help.")
  .parse(Deno.args, { from: "user" });
const options = program.opts<{ out: string; apiUrl?: string; unlessCurrent: boolean }>();
const out = resolve(options.out);

await buildInTurn({
  folder: "site",
  main: import.meta.filename!,
  out,
  isDone: () => options.unlessCurrent && isCurrent(out),
  async build() {
    const { buildSite } = await import("./build.ts");
    await buildSite({ out, apiUrl: options.apiUrl ?? null, progress: console.error });
  },
});

function apiUrl(text: string): string {
  const url = URL.parse(text.replace(/\/+$/, ""));
  if (!url || !/^https?:$/.test(url.protocol) || !url.pathname.endsWith("/functions/v1")) {
    throw new InvalidArgumentError(
      "The URL must begin with http:// or https:// and end in /functions/v1.",
    );
  }
  return url.href;
}
