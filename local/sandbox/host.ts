import { readdressed } from "../readdressed.ts";
import type { Sandbox } from "./sandbox.ts";

/**
 * Serves the sandbox: the WhatsApp API under /sandbox/v26.0, the accepted messages under
 * /sandbox/messages. The sandbox is loaded at its first request, because most starts never use it.
 */
export function sandboxHost(): (request: Request) => Promise<Response> {
  let loading: Promise<Sandbox> | undefined;
  return async (request) => {
    loading ??= import("./sandbox.ts").then(({ sandbox }) => sandbox());
    const answer = await (await loading).fetch(readdressed(request, request.url));
    if (answer.type !== "error") return answer;
    // msw represents a broken connection as a response of this type.
    const reason = "The sandbox breaks the connection, as it does for this recipient.";
    return new Response(new ReadableStream({ pull: (body) => body.error(reason) }));
  };
}
