import { deadline } from "deno-std/async/deadline.js";
import { delay } from "deno-std/async/delay.js";
import { refusedHost } from "./host_header.ts";

type Answer = (request: Request) => Promise<Response>;
/** @param caller the caller's IP address. */
type AnswerTo = (request: Request, caller: string) => Promise<Response>;

/** The parts of the stack to which the HTTP server passes requests. */
export interface Rooms {
  rest: AnswerTo;
  functions: AnswerTo;
  auth: AnswerTo;
  mail(request: Request): Response;
  /** The page on which a company manages its API keys. */
  settings: Answer;
  docs?: Answer;
}

/** The error for a port that another program uses. The message says what to do. */
export class PortTaken extends Error {
  override name = "PortTaken";
}

/**
 * The HTTP server on 127.0.0.1, called the door. The server binds its port immediately, and
 * requests wait until open() is called. The `Host` of a request is checked before anything else.
 *
 * @param sandbox handles requests below /sandbox/, even before open() is called.
 * @throws PortTaken
 */
export function openDoor(port: number, sandbox: Answer) {
  let underWay = 0;
  const { promise: behind, resolve: open } = Promise.withResolvers<Rooms>();
  try {
    const server = Deno.serve({
      hostname: "127.0.0.1",
      port,
      onListen: () => {},
    }, async (request, { remoteAddr }) => {
      const refusal = refusedHost(request);
      if (refusal) return refusal;
      const { pathname } = new URL(request.url);
      if (pathname === "/sandbox/mail") return (await behind).mail(request);
      // When this server closes, it waits for requests in progress, but not for requests to the
      // sandbox.
      if (pathname.startsWith("/sandbox/")) return await sandbox(request);
      // The server does not wait for a site to be built either.
      if (/^\/(docs|settings)(\/|$)/.test(pathname)) {
        const { docs, settings } = await behind;
        const site = pathname.startsWith("/docs") ? docs : settings;
        if (site) return await site(request);
      }
      underWay++;
      try {
        const { rest, functions, auth, docs } = await behind;
        const caller = remoteAddr.transport === "tcp" ? remoteAddr.hostname : "127.0.0.1";
        if (pathname.startsWith("/functions/v1/")) return await functions(request, caller);
        if (pathname.startsWith("/rest/v1/")) return await rest(request, caller);
        if (pathname.startsWith("/auth/v1/")) return await auth(request, caller);
        const message = "This stack serves /functions/v1/, /rest/v1/, /auth/v1/, /settings/" +
          (docs ? ", /sandbox/ and /docs/" : " and /sandbox/");
        return Response.json({ message }, { status: 404 });
      } finally {
        underWay--;
      }
    });
    /** Waits at most a second for requests in progress, and then accepts no more. */
    const close = async () => {
      // A function's own requests to the Data API also arrive here, some of them after the
      // function's response.
      for (let waited = 0, quiet = 0; quiet < 50 && waited < 1000; waited += 10) {
        await delay(10);
        quiet = underWay > 0 ? 0 : quiet + 10;
      }
      await deadline(server.shutdown(), 100).catch(() => {});
    };
    let closing: Promise<void> | undefined;
    return { port: server.addr.port, open, close: () => closing ??= close() };
  } catch (error) {
    if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    throw new PortTaken(
      `Port ${port} is taken by another program. Stop it, or choose another port with --port.`,
    );
  }
}
