// `npm run sandbox`: the stand-in for the WhatsApp API without a stack, for the functions of another one.
import { Command } from "commander";
import { refusedHost } from "../host_header.ts";
import { portUpTo } from "../port_option.ts";
import { sandboxHost } from "./host.ts";
import { SANDBOX_TOKEN } from "./rules.ts";

const { port, host } = new Command("npm run sandbox --")
  .description(
    "Runs only the stand-in for the WhatsApp API, for the functions of supabase start or of another\n" +
      "stack on this machine. npm start includes it. Messages are kept in memory.",
  )
  .option("--port <number>", "port to listen on", portUpTo(65535), 54330)
  .option(
    "--host <address>",
    "address to listen on, a name among those it answers to; containers can reach 0.0.0.0",
    "127.0.0.1",
  )
  .helpOption("--help", "show this text")
  .showHelpAfterError("Try --help.")
  .parse(Deno.args, { from: "user" })
  .opts<{ port: number; host: string }>();

try {
  const sandbox = sandboxHost();
  const server = Deno.serve(
    { hostname: host, port, onListen() {} },
    async (request) => refusedHost(request, host) ?? await sandbox.fetch(request),
  );
  const { port: actual } = server.addr;
  console.log(`The sandbox accepts messages until Ctrl-C.

  For functions on this machine    WHATSAPP_API_URL=http://127.0.0.1:${actual}/sandbox/v26.0
  For functions in a container     WHATSAPP_API_URL=http://host.docker.internal:${actual}/sandbox/v26.0
  The messages that it accepted    http://127.0.0.1:${actual}/sandbox/messages
  The token of every account       ${SANDBOX_TOKEN}`);
} catch (error) {
  if (error instanceof Deno.errors.AddrInUse) {
    console.error(
      `Port ${port} is taken by another program. Stop it, or choose another port with --port.`,
    );
  } else {
    console.error(
      `The sandbox cannot listen on ${host}, port ${port}: ${(error as Error).message}. ` +
        "Choose another address with --host, or another port with --port.",
    );
  }
  Deno.exit(1);
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  Deno.addSignalListener(signal, () => Deno.exit(0));
}
