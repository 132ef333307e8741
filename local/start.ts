import { Command, InvalidArgumentError } from "commander";
import { resolve } from "node:path";
import { startStack } from "./stack.ts";

const program = new Command("npm start --")
  .description(
    "Runs the API on this machine: Postgres, the Data API and both functions.\n" +
      "Data is kept in .local/ until --fresh. Ctrl-C ends everything.",
  )
  .option(
    "--port <number>",
    "port of the API on 127.0.0.1; the database takes the next one",
    port,
    54321,
  )
  .option("--fresh", "start from an empty database", false)
  .option("--no-seed", "do not write the demo data")
  .option("--data <folder>", "where data and addresses are kept", defaultFolder())
  .option("--quiet", "print nothing but errors", false)
  .helpOption("--help", "show this text")
  .showHelpAfterError("Try --help.")
  .parse(["deno", "start.ts", ...Deno.args]);

const options = program.opts<
  { port: number; fresh: boolean; seed: boolean; data: string; quiet: boolean }
>();
const say = options.quiet ? () => {} : console.log;
const began = performance.now();

try {
  const stack = await startStack({
    folder: resolve(options.data),
    port: options.port,
    fresh: options.fresh,
    seed: options.seed,
    durable: true,
    progress: (step) => say(`· ${step}`),
  });
  const ending = Promise.race([stack.failed.then(() => "failed"), askedToEnd()]);
  say(greeting(stack.addresses, performance.now() - began));
  const reason = await ending;
  say("Ending …");
  await stack.stop();
  if (reason === "failed") {
    console.error(`Postgres ended unexpectedly; ${options.data}/postgres.log says why.`);
    Deno.exit(1);
  }
  Deno.exit(0);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  Deno.exit(1);
}

/** Resolves when a person or the system ends this process, or when npm, which started it, is gone. */
function askedToEnd(): Promise<"asked"> {
  return new Promise((end) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      Deno.addSignalListener(signal, () => end("asked"));
    }
    // Killed outright, npm cannot pass the signal on, and nobody would know what still runs here.
    if (!Deno.env.has("npm_lifecycle_event")) return;
    const parent = Deno.ppid;
    setInterval(() => Deno.ppid === parent || end("asked"), 500);
  });
}

function greeting(addresses: Awaited<ReturnType<typeof startStack>>["addresses"], took: number) {
  const lines = [
    "",
    `Ready in ${(took / 1000).toFixed(2)} s.`,
    "",
    `  Gateway        ${addresses.gateway_url}`,
    `  Template sends ${addresses.template_url}`,
    `  Data API       ${addresses.url}/rest/v1`,
    `  Database       ${addresses.database_url}`,
    `  For programs   ${options.data}/stack.json`,
    "",
  ];
  if (!addresses.demo) {
    return [
      ...lines,
      "There is no demo company. Make one of your own in a second terminal:",
      "",
      '  npm run admin -- company create "My company"',
      "",
    ].join("\n");
  }
  return [
    ...lines,
    `  Demo API key   ${addresses.demo.api_key}`,
    "",
    "Try it:",
    "",
    `  curl '${addresses.gateway_url}/contacts?limit=3' -H 'Authorization: Bearer ${addresses.demo.api_key}'`,
    "",
    "Ctrl-C ends everything.",
  ].join("\n");
}

function port(value: string): number {
  if (/^[0-9]{1,5}$/.test(value) && Number(value) <= 65534) return Number(value);
  throw new InvalidArgumentError("It must be a number from 0 (any free port) to 65534.");
}

function defaultFolder(): string {
  return new URL("../.local", import.meta.url).pathname;
}
