// `npm run sandbox`: the stand-in for the WhatsApp API by itself, for functions that another stack runs.
import { Command } from "commander";
import { portUpTo } from "../port_option.ts";
import { sandboxHost } from "./host.ts";
import { SANDBOX_TOKEN } from "./rules.ts";

const { port, host } = new Command("npm run sandbox --")
  .description(
    "Runs the stand-in for the WhatsApp API by itself, for the functions of supabase start or of\n" +
      "another stack on this machine. npm start has it built in. Messages are kept in memory.",
  )
  .option("--port <number>", "where it listens", portUpTo(65535), 54330)
  .option("--host <address>", "0.0.0.0 lets containers reach it", "127.0.0.1")
  .helpOption("--help", "show this text")
  .showHelpAfterError("Try --help.")
  .parse(["deno", "start_sandbox.ts", ...Deno.args])
  .opts<{ port: number; host: string }>();

try {
  const server = Deno.serve({ hostname: host, port, onListen() {} }, sandboxHost());
  const { port: actual } = server.addr;
  console.log(`The sandbox takes messages until Ctrl-C.

  For functions on this machine    WHATSAPP_API_URL=http://127.0.0.1:${actual}/sandbox/v26.0
  For functions in a container     WHATSAPP_API_URL=http://host.docker.internal:${actual}/sandbox/v26.0
  What it took                     http://127.0.0.1:${actual}/sandbox/messages
  The token of every account       ${SANDBOX_TOKEN}`);
} catch (error) {
  if (error instanceof Deno.errors.AddrInUse) {
    console.error(`Port ${port} is taken by another program. Choose another one with --port.`);
  } else {
    console.error(`It cannot listen on ${host}: ${(error as Error).message}.`);
  }
  Deno.exit(1);
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  Deno.addSignalListener(signal, () => Deno.exit(0));
}
