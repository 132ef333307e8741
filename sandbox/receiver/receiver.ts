import { delay } from "deno-std/async/delay.js";
import { HEADERS } from "../../local/static_files.ts";
import { behaviours, readBehaviour } from "./behaviour.ts";
import { receiverPage } from "./page.ts";
import {
  NO_SECRET,
  NO_WEBHOOK,
  type Received,
  type SecretsOf,
  typeOf,
  whyUnverified,
} from "./received.ts";

/** A webhook receiver like one that a company would run. */
export interface Receiver {
  /** Handles a request to /sandbox/webhooks or below. */
  fetch(request: Request): Promise<Response>;
  /** Ends the requests that wait for a response. */
  stop(): void;
}

export const RECEIVER_PATH = "/sandbox/webhooks";

const MOST_KEPT = 200;
/** The maximum total size of the stored bodies, in bytes. */
const MOST_BYTES_KEPT = 16 * 1024 * 1024;
/** The body of a delivery contains a record of at most 256 KiB, and a few more bytes. */
const MAX_BODY_BYTES = 512 * 1024;
/** A request without a response is ended after this time. */
const SILENCE_MS = 120_000;

const PATH = /^\/sandbox\/webhooks(?:\/([\w-]{1,64}))?(\.json)?\/?$/;
const METHODS_OF_ALL = "GET, HEAD, DELETE";
const METHODS = "GET, HEAD, POST, PUT, DELETE";

/**
 * Receives webhooks at /sandbox/webhooks/{name} for any name, shows them to people and programs,
 * and can be set to fail. The newest requests are kept in memory.
 *
 * @param secretsOf finds the secrets that verify a request. If it is missing, the
 *   receiver knows only the secrets that were set with PUT.
 */
export function receiver(
  { secretsOf, now = Date.now }: {
    secretsOf?: SecretsOf;
    now?: () => number;
  } = {},
): Receiver {
  const told = behaviours();
  const ending = new AbortController();
  /** The secrets that someone gave the receiver, by name. */
  const given = new Map<string, string>();
  /** The stored requests, newest first, with the size of each body in bytes. */
  let kept: { received: Received; bytes: number }[] = [];

  const keep = (received: Received, bytes: number) => {
    kept.unshift({ received, bytes });
    let total = 0;
    const tooMany = kept.findIndex(({ bytes }, place) =>
      place >= MOST_KEPT || (total += bytes) > MOST_BYTES_KEPT && place > 0
    );
    if (tooMany > 0) kept.length = tooMany;
  };

  /** The secrets for an address, or why there are none. */
  const secretsFor = async (name: string, origin: string): Promise<string[] | string> => {
    const own = given.get(name);
    if (own !== undefined) return [own];
    if (!secretsOf) return NO_SECRET;
    return await secretsOf(`${origin}${RECEIVER_PATH}/${name}`).catch(() => null) ?? NO_WEBHOOK;
  };

  const receive = async (request: Request, name: string): Promise<Response> => {
    const bytes = await bodyOf(request);
    if (bytes === null) return tooLarge();
    const { status, delay_ms, silent, retry_after } = told.next(name);
    const { origin } = new URL(request.url);
    const secrets = await secretsFor(name, origin);
    const why = await whyUnverified(request.headers, bytes, secrets, now());
    const body = new TextDecoder().decode(bytes);
    keep({
      name,
      at: new Date(now()).toISOString(),
      type: typeOf(body),
      verified: why === null,
      why,
      answered: silent ? null : status,
      headers: Object.fromEntries(request.headers),
      body,
    }, bytes.length);
    const wait = silent ? SILENCE_MS : delay_ms;
    await delay(wait, { signal: ending.signal, persistent: false }).catch(() => {});
    const headers = retry_after === null ? undefined : { "Retry-After": String(retry_after) };
    if (status === 204 || status === 205 || status === 304) {
      return new Response(null, { status, headers });
    }
    return status < 300
      ? Response.json({ received: true }, { status, headers })
      : problem(status, `The receiver is set to answer ${status}`, headers);
  };

  const show = (request: Request, name: string | null, asJson: boolean): Response => {
    const data = kept.map(({ received }) => received)
      .filter((each) => name === null || each.name === name);
    const headers = { ...HEADERS, "Cache-Control": "no-store", Vary: "Accept" };
    if (asJson || /\bapplication\/json\b/.test(request.headers.get("Accept") ?? "")) {
      return Response.json({ data, ...(name !== null && { next: told.of(name) }) }, { headers });
    }
    const address = `${new URL(request.url).origin}${RECEIVER_PATH}`;
    return new Response(
      receiverPage(data, { name, address, most: MOST_KEPT, isAlone: !secretsOf }),
      {
        headers: { ...headers, "Content-Type": "text/html; charset=utf-8" },
      },
    );
  };

  return {
    async fetch(request) {
      const [matched, name = null, extension] = PATH.exec(new URL(request.url).pathname) ?? [];
      if (matched === undefined) {
        return problem(
          404,
          "The name of a receiver has 1 to 64 letters, digits, - or _, such as /sandbox/webhooks/orders",
        );
      }
      switch (request.method) {
        case "GET":
        case "HEAD":
          return show(request, name, extension !== undefined);
        case "POST":
          if (name !== null && !extension) return await receive(request, name);
          break;
        case "PUT": {
          if (name === null || extension) break;
          const bytes = await bodyOf(request);
          if (bytes === null) return tooLarge();
          const read = readBehaviour(new TextDecoder().decode(bytes));
          if (typeof read === "string") return problem(400, read);
          told.tell(name, read.behaviour);
          if (read.secret !== undefined) given.set(name, read.secret);
          return Response.json(read.behaviour);
        }
        case "DELETE":
          if (extension) break;
          kept = kept.filter(({ received }) => name !== null && received.name !== name);
          if (name !== null) {
            told.forget(name);
            given.delete(name);
          }
          return new Response(null, { status: 204 });
      }
      const allowed = extension ? "GET, HEAD" : name === null ? METHODS_OF_ALL : METHODS;
      return problem(405, `${request.method} is not allowed here; use ${allowed}`, {
        Allow: allowed,
      });
    },
    stop: () => ending.abort(),
  };
}

function problem(status: number, message: string, headers?: HeadersInit): Response {
  return Response.json({ message }, { status, headers });
}

function tooLarge(): Response {
  return problem(413, `The body has more than ${MAX_BODY_BYTES} bytes`);
}

/** The body; null when it is too long. */
async function bodyOf(request: Request): Promise<Uint8Array | null> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of request.body ?? []) {
    length += piece.length;
    if (length > MAX_BODY_BYTES) return null;
    pieces.push(piece);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}
