import { readdressed } from "../local/readdressed.ts";
import type { SecretsOf } from "./receiver/received.ts";
import type { Receiver } from "./receiver/receiver.ts";
import type { Sandbox, SandboxOptions } from "./sandbox.ts";

export interface SandboxHostOptions extends SandboxOptions {
  /** Finds the secrets that verify deliveries to the webhook receiver. */
  secretsOf?: SecretsOf;
}

export interface SandboxHost {
  /** Handles a request below /sandbox/. */
  fetch(request: Request): Promise<Response>;
  /** Cancels everything that the sandbox still has to post. */
  stop(): Promise<void>;
}

/**
 * Serves the sandbox: the WhatsApp API under /sandbox/v26.0, the accepted messages under
 * /sandbox/messages, messages from people under /sandbox/inbound, the chats under /sandbox/chat,
 * and a receiver for webhooks under /sandbox/webhooks. The sandbox and its receiver are loaded only
 * when their first request arrives, because most stacks never use them.
 *
 * @param options may be a promise. The first request then waits for the promise.
 */
export function sandboxHost(
  options: SandboxHostOptions | Promise<SandboxHostOptions> = {},
): SandboxHost {
  let loading: Promise<Sandbox> | undefined;
  let loadingReceiver: Promise<Receiver> | undefined;
  const load = async () => {
    const [{ sandbox }, chosen] = await Promise.all([import("./sandbox.ts"), options]);
    return sandbox(chosen);
  };
  const loadReceiver = async () => {
    const [{ receiver }, { secretsOf }] = await Promise.all([
      import("./receiver/receiver.ts"),
      options,
    ]);
    return receiver({ secretsOf });
  };
  return {
    async fetch(request) {
      if (/^\/sandbox\/webhooks(?:[./]|$)/.test(new URL(request.url).pathname)) {
        loadingReceiver ??= loadReceiver();
        return await (await loadingReceiver).fetch(request);
      }
      loading ??= load();
      const answer = await (await loading).fetch(readdressed(request, request.url));
      if (answer.type !== "error") return answer;
      // msw represents a broken connection as a response of this type.
      const reason = "The sandbox breaks the connection, as it does for this recipient.";
      return new Response(new ReadableStream({ pull: (body) => body.error(reason) }));
    },
    async stop() {
      (await loadingReceiver)?.stop();
      await (await loading)?.stop();
    },
  };
}
