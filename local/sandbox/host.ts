import { readdressed } from "../readdressed.ts";
import type { Sandbox } from "./sandbox.ts";

/**
 * Answers requests to /sandbox/…: the WhatsApp API under /sandbox/v26.0, what it took under
 * /sandbox/messages. The stand-in itself is loaded at the first request, because most starts never need it.
 */
export function sandboxHost(): (request: Request) => Promise<Response> {
  let loading: Promise<Sandbox> | undefined;
  return async (request) => {
    loading ??= import("./sandbox.ts").then(({ sandbox }) => sandbox());
    const answer = await (await loading).fetch(readdressed(request, request.url));
    if (answer.type !== "error") return answer;
    // msw's form of a connection that breaks off instead of an answer.
    const reason = "The sandbox breaks this connection off, as its recipient asks for.";
    return new Response(new ReadableStream({ pull: (answer) => answer.error(reason) }));
  };
}
