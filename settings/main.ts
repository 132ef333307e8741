// `npm run settings`: builds the settings page. The local stack also runs this file, when someone
// opens the page for the first time.
import { Command, InvalidArgumentError } from "commander";
import { resolve } from "node:path";
import { buildInTurn } from "../local/build_in_turn.ts";
import { isCurrentSettings, SETTINGS_FOLDER } from "../local/settings_sources.ts";
import { faultOfKey } from "./page/publishable_key.ts";

const program = new Command("npm run settings --")
  .description("Builds the page on which a company manages its API keys, for any static host.")
  .option("--out <folder>", "folder of the page", SETTINGS_FOLDER)
  .option("--project-url <url>", "address of the project, such as https://<ref>.supabase.co", url)
  .option("--publishable-key <key>", "the project's publishable key, which is not a secret", key)
  .option("--docs-url <url>", "address of the documentation for callers", url)
  .option("--unless-current", "do nothing if no source has changed since the last build", false)
  .helpOption("--help", "show this text")
  .showHelpAfterError("Try --help.")
  .parse(Deno.args, { from: "user" });
const options = program.opts<{
  out: string;
  projectUrl?: string;
  publishableKey?: string;
  docsUrl?: string;
  unlessCurrent: boolean;
}>();
const { projectUrl, publishableKey, docsUrl } = options;
if (!projectUrl !== !publishableKey) {
  program.error("error: --project-url and --publishable-key belong together: give both or none.");
}
if (docsUrl && !projectUrl) {
  program.error("error: --docs-url is written into config.json: give --project-url, too.");
}
const out = resolve(options.out);

await buildInTurn({
  folder: "settings",
  main: import.meta.filename!,
  out,
  isDone: () => options.unlessCurrent && isCurrentSettings(out),
  async build() {
    const { buildSettings } = await import("./build.ts");
    const config = projectUrl && publishableKey
      ? { project_url: projectUrl, publishable_key: publishableKey, docs_url: docsUrl ?? null }
      : null;
    await buildSettings({ out, config: config && { ...config, mail_url: null } });
    if (!config) console.error("No project was named: put a config.json next to index.html.");
  },
});

function url(text: string): string {
  const url = URL.parse(text.replace(/\/+$/, ""));
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash) {
    throw new InvalidArgumentError(
      "The URL must begin with http:// or https:// and have no ? or #.",
    );
  }
  return url.href.replace(/\/$/, "");
}

function key(text: string): string {
  const fault = faultOfKey(text);
  if (fault) throw new InvalidArgumentError(fault);
  return text;
}
