import { readdressed } from "../readdressed.ts";
import type { Sandbox, SandboxOptions } from "./sandbox.ts";

export interface SandboxHost {
  /** Answers a request below /sandbox/. */
  fetch(request: Request): Promise<Response>;
  /** Ends everything that the sandbox still has to post. */
  stop(): Promise<void>;
}

/**
 * Serves the sandbox: the WhatsApp API under /sandbox/v26.0, the accepted messages under /sandbox/messages, and
 * the people who write under /sandbox/inbound. The sandbox is loaded at its first request, because most starts
 * never use it.
 *
 * @param options what the first request waits for.
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
