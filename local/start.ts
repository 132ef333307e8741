import "./direct_requests.ts";
import { Command } from "commander";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { DemoPerson } from "./auth/demo_people.ts";
import { portUpTo } from "./port_option.ts";
import { DEMO_PHONE_NUMBER_ID } from "../sandbox/numbers.ts";
import { startStack } from "./stack.ts";
import { USUAL_PORT } from "./usual_port.ts";

const program = new Command("npm start --")
  .description(
    "Runs the API on this machine: Postgres, the Data API and the functions.\n" +
      "Data stays in .local/ until --fresh. Ctrl-C ends everything.",
  )
  .option(
    "--port <number>",
    "port of the API on 127.0.0.1; the database takes the next port, or any free one",
    portUpTo(65534),
    USUAL_PORT,
  )
  .option("--fresh", "start from an empty database", false)
  .option("--no-seed", "do not write the demo data")
  .option("--data <folder>", "folder of the data and of stack.json", defaultFolder())
  .option("--quiet", "print only errors", false)
  .helpOption("--help", "show this text")
  .showHelpAfterError("Try --help.")
  .parse(Deno.args, { from: "user" });

const options = program.opts<
  { port: number; fresh: boolean; seed: boolean; data: string; quiet: boolean }
>();
const folder = resolve(options.data);
const say = options.quiet ? () => {} : console.log;
// The functions log successful sends with `console.info`, and refused keys with `console.warn`.
if (options.quiet) console.info = console.warn = () => {};
const began = performance.now();
const asked = askedToEnd();
// An unhandled error must not end this process, because its database would keep running.
addEventListener("error", report);
addEventListener("unhandledrejection", report);

try {
  const stack = await startStack({
    folder,
    port: options.port,
    fresh: options.fresh,
    seed: options.seed,
    durable: true,
    jobs: true,
    events: true,
    docs: true,
    whatsappApiUrl: Deno.env.get("WHATSAPP_API_URL") || undefined,
    progress: (step) => say(`· ${step}`),
    signal: asked,
  });
  say(greeting(stack.addresses, performance.now() - began));
  const ending = new Promise<"asked">((end) => asked.addEventListener("abort", () => end("asked")));
  const reason = await Promise.race([ending, stack.failed.then(() => "failed")]);
  say("Ending …");
  await stack.stop();
  if (reason === "failed") {
    throw new Error(`Postgres ended unexpectedly; ${folder}/postgres.log says why.`);
  }
} catch (error) {
  // If the stack was asked to end, an error is only a consequence of the end, so it is not
  // reported.
  if (!asked.aborted) {
    console.error(error instanceof Error ? error.message : String(error));
    Deno.exit(1);
  }
}
Deno.exit(0);

/**
 * Returns a signal that aborts when this process is asked to end. It also aborts when npm, which
 * started this process, has ended.
 */
function askedToEnd(): AbortSignal {
  const asked = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    Deno.addSignalListener(signal, () => asked.abort());
  }
  // npm cannot forward a SIGKILL, so this process would keep running unnoticed.
  if (Deno.env.get("npm_lifecycle_event")) {
    const parent = Deno.ppid;
    setInterval(() => Deno.ppid === parent || asked.abort(), 500);
  }
  return asked.signal;
}

function report(event: ErrorEvent | PromiseRejectionEvent) {
  event.preventDefault();
  console.error(event instanceof ErrorEvent ? event.error : event.reason);
}

function greeting(addresses: Awaited<ReturnType<typeof startStack>>["addresses"], took: number) {
  const lines = [
    "",
    `Ready in ${(took / 1000).toFixed(2)} s.`,
    "",
    `  Gateway        ${addresses.gateway_url}`,
    `  Template sends ${addresses.template_url}`,
    ...(addresses.sandbox_url
      ? [
        `  Sandbox        ${addresses.sandbox_url}`,
        `  Chats          ${addresses.url}/sandbox/chat shows what people see`,
      ]
      : []),
    `  Webhooks       ${addresses.receiver_url} shows what they deliver`,
    ...(addresses.docs_url ? [`  Docs           ${addresses.docs_url}`] : []),
    `  Settings       ${addresses.settings_url}`,
    `  Data API       ${addresses.url}/rest/v1`,
    `  Database       ${addresses.database_url}`,
    `  For programs   ${folder}/stack.json`,
  ];
  const ofFolder = folder === defaultFolder() ? "" : `--data '${folder}' `;
  const next = addresses.demo
    ? [
      `  Demo API key   ${addresses.demo.api_key}`,
      ...(addresses.people ?? []).map(signIn),
      "",
      "Try it:",
      "",
      `  curl '${addresses.gateway_url}/contacts?limit=3' -H 'Authorization: Bearer ${addresses.demo.api_key}'`,
      ...(addresses.channel_app ? playing(`${addresses.url}/sandbox/inbound`) : []),
    ]
    : [
      "",
      "There is no demo company. Make a company in a second terminal:",
      "",
      `  npm run admin -- ${ofFolder}company create "My company"`,
    ];
  return [...lines, ...next, "", "Ctrl-C ends everything."].join("\n");
}

/** Explains how a user of the demo company signs in. */
function signIn({ email, role, password }: DemoPerson, place: number): string {
  const secret = password ?? "with the password that the person chose";
  return `  ${place === 0 ? "Sign in       " : "              "} ${email} (${role}) ${secret}`;
}

/** Explains how to send a message to the demo company as a contact. */
function playing(url: string): string[] {
  const message = {
    phone_number_id: DEMO_PHONE_NUMBER_ID,
    from: "+14155550123",
    text: "Hello, is it open today?",
  };
  return [
    "",
    "Write to the demo company as a person:",
    "",
    `  curl ${url} -H 'Content-Type: application/json' -d '${JSON.stringify(message)}'`,
  ];
}

function defaultFolder(): string {
  return fileURLToPath(new URL("../.local", import.meta.url));
}
