import { readdressed } from "../local/readdressed.ts";
import type { Sandbox, SandboxOptions } from "./sandbox.ts";

export interface SandboxHost {
  /** Answers a request below /sandbox/. */
  fetch(request: Request): Promise<Response>;
  /** Cancels everything that the sandbox still has to post. */
  stop(): Promise<void>;
}

/**
 * Serves the sandbox: the WhatsApp API under /sandbox/v26.0, the accepted messages under
 * /sandbox/messages, and messages from people under /sandbox/inbound. The sandbox is loaded at its
 * first request, because most stacks never use it.
 *
 * @param options may be a promise. The first request then waits for it.
 */
export function sandboxHost(options: SandboxOptions | Promise<SandboxOptions> = {}): SandboxHost {
  let loading: Promise<Sandbox> | undefined;
  const load = async () => {
    const [{ sandbox }, chosen] = await Promise.all([import("./sandbox.ts"), options]);
    return sandbox(chosen);
  };
  return {
    async fetch(request) {
      loading ??= load();
      const answer = await (await loading).fetch(readdressed(request, request.url));
      if (answer.type !== "error") return answer;
      // msw represents a broken connection as a response of this type.
      const reason = "The sandbox breaks the connection, as it does for this recipient.";
      return new Response(new ReadableStream({ pull: (body) => body.error(reason) }));
    },
    async stop() {
      await (await loading)?.stop();
    },
  };
}
