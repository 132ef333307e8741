// `npm run sandbox` runs only the imitation of the WhatsApp API. The functions of a stack that was
// started separately can use it.
import "../local/direct_requests.ts";
import { Command, InvalidArgumentError } from "commander";
import { refusedHost } from "../local/host_header.ts";
import { portUpTo } from "../local/port_option.ts";
import { sandboxHost } from "./host.ts";
import { SANDBOX_TOKEN } from "./rules.ts";
import type { Webhook } from "./webhook.ts";

const { port, host, webhook } = new Command("npm run sandbox --")
  .description(
    "Runs only the imitation of the WhatsApp API. The functions of supabase start, or of another " +
      "stack\non this machine, can use it. npm start includes it. Messages are kept in memory.",
  )
  .option("--port <number>", "port to listen on", portUpTo(65535), 54330)
  .option(
    "--host <address>",
    "address to listen on; requests may also name this host; use 0.0.0.0 for containers",
    "127.0.0.1",
  )
  .option(
    "--webhook <url>",
    "URL that receives signed events, such as .../functions/v1/whatsapp/webhook/<app key>;\n" +
      "the secret of its app is read from SANDBOX_APP_SECRET",
    webhookAt,
  )
  .helpOption("--help", "show this text")
  .showHelpAfterError("Try --help.")
  .parse(Deno.args, { from: "user" })
  .opts<{ port: number; host: string; webhook?: Webhook }>();

try {
  const sandbox = sandboxHost({ webhook: () => webhook ?? null });
  const server = Deno.serve(
    { hostname: host, port, onListen() {} },
    async (request) => refusedHost(request, host) ?? await sandbox.fetch(request),
  );
  const { port: actual } = server.addr;
  console.log(`The sandbox accepts messages until Ctrl-C.

  For functions on this machine    WHATSAPP_API_URL=http://127.0.0.1:${actual}/sandbox/v26.0
  For functions in a container     WHATSAPP_API_URL=http://host.docker.internal:${actual}/sandbox/v26.0
  The messages that it accepted    http://127.0.0.1:${actual}/sandbox/messages
  What people see in their chats   http://127.0.0.1:${actual}/sandbox/chat
  Write as a person at             http://127.0.0.1:${actual}/sandbox/inbound
  Events are posted to             ${webhook?.url ?? "nowhere; --webhook gives an address"}
  It receives webhooks at          http://127.0.0.1:${actual}/sandbox/webhooks/<name>
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

function webhookAt(url: string): Webhook {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? "")) {
    throw new InvalidArgumentError("It must be an http or https address.");
  }
  const secret = Deno.env.get("SANDBOX_APP_SECRET");
  if (!secret) throw new InvalidArgumentError("Its app's secret must be in SANDBOX_APP_SECRET.");
  return { url, secret };
}
