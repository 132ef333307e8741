import { readdressed } from "../readdressed.ts";
import type { Sandbox } from "./sandbox.ts";
import type { Webhook } from "./webhook.ts";

export interface SandboxHost {
  /** Answers a request below /sandbox/. */
  fetch(request: Request): Promise<Response>;
  /** Has the sandbox post its events there from now on; null ends that. */
  postTo(webhook: Webhook | null): void;
  /** Ends everything that the sandbox still has to post. */
  stop(): Promise<void>;
}

/**
 * Serves the sandbox: the WhatsApp API under /sandbox/v26.0, the accepted messages under
 * /sandbox/messages. The sandbox is loaded at its first request, because most starts never use it.
 */
export function sandboxHost(): SandboxHost {
  let loading: Promise<Sandbox> | undefined;
  let target: Webhook | null = null;
  return {
    async fetch(request) {
      loading ??= import("./sandbox.ts").then(({ sandbox }) => sandbox({ webhook: () => target }));
      const answer = await (await loading).fetch(readdressed(request, request.url));
      if (answer.type !== "error") return answer;
      // msw represents a broken connection as a response of this type.
      const reason = "The sandbox breaks the connection, as it does for this recipient.";
      return new Response(new ReadableStream({ pull: (body) => body.error(reason) }));
    },
    postTo(webhook) {
      target = webhook;
    },
    async stop() {
      target = null;
      await (await loading)?.stop();
    },
  };
}
