import { createHash } from "node:crypto";
import { delay } from "deno-std/async/delay.js";

type Bytes = Uint8Array<ArrayBuffer>;

/** A file of the channel, and what the channel's event said about it. */
interface HostileFile {
  type: "image" | "document";
  mime_type: string;
  sha256: string;
  filename?: string;
  /** The URL of the bytes; by default, a URL of the channel. */
  url?: string;
  answer(): Response;
}

/** A channel whose files are hostile, and a host that no request may reach. */
export type HostileMedia = ReturnType<typeof hostileMedia>;

const PICTURE = bytesOf("\xff\xd8\xff\xe0", 300);
const LONG = bytesOf("%PDF-1.7\n", 400_000);
const HTML = bytesOf("<html><script>alert(1)</script>", 300);
/** A file of 100 MB, of which the channel sends 1 KB a second. */
const SLOW = { bytes: 100 * 2 ** 20, first: 40_000, each: 1_000 };

/** A file name that ends its quotes early and adds a header if the function does not escape it. */
export const HOSTILE_NAME = 'a".pdf\r\nX-Injected: 1\r\n\r\n<html>';

/** @param resources ends both servers at the end of the run. */
export function hostileMedia(resources: AsyncDisposableStack) {
  const strays: string[] = [];
  const uploads: string[] = [];
  const messages: string[] = [];
  const slow = { opened: 0, ended: 0 };
  const ending = new AbortController();
  const serve = (answer: (request: Request) => Response | Promise<Response>) =>
    Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, answer);

  const foreign = serve((request) => {
    strays.push(`${request.url} (${request.headers.get("Authorization") ?? "without a token"})`);
    return new Response(PICTURE);
  });
  const elsewhere = `http://127.0.0.1:${foreign.addr.port}/picture.jpg`;
  const picture = { type: "image", mime_type: "image/jpeg", sha256: hex(PICTURE) } as const;
  const document = { type: "document", mime_type: "application/pdf", sha256: hex(LONG) } as const;
  const redirect = () => new Response(null, { status: 302, headers: { Location: elsewhere } });
  const files: Record<string, HostileFile> = {
    good: { ...picture, answer: () => new Response(PICTURE) },
    foreign: { ...picture, url: elsewhere, answer: () => new Response(PICTURE) },
    redirects: { ...picture, answer: redirect },
    "wrong digest": { ...picture, sha256: hex(LONG), answer: () => new Response(PICTURE) },
    "wrong digest of a long file": {
      ...{ ...document, sha256: hex(PICTURE) },
      answer: () => new Response(LONG),
    },
    "too short": { ...document, answer: () => new Response(LONG.slice(0, 300_000)) },
    html: {
      ...picture,
      mime_type: "image/png",
      sha256: hex(HTML),
      answer: () => new Response(HTML),
    },
    name: { ...document, filename: HOSTILE_NAME, answer: () => new Response(LONG) },
    slow: { ...document, answer: () => slowAnswer(slow, ending.signal) },
  };
  const server = serve(async (request) => {
    const { pathname, origin } = new URL(request.url);
    if (request.method === "POST") {
      const isUpload = pathname.endsWith("/media");
      (isUpload ? uploads : messages).push(new TextDecoder("latin1").decode(await request.bytes()));
      return Response.json({ id: "media-1", messages: [{ id: `wamid.${crypto.randomUUID()}` }] });
    }
    const name = decodeURIComponent(pathname.split("/").at(-1)!);
    const file = files[name];
    if (!file) return new Response(null, { status: 404 });
    if (pathname.startsWith("/files/")) return file.answer();
    const { url = `${origin}/files/${encodeURIComponent(name)}`, mime_type, sha256 } = file;
    return Response.json({ id: name, url, mime_type, sha256 });
  });
  resources.defer(() => {
    ending.abort();
    void server.shutdown();
    void foreign.shutdown();
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/v26.0`,
    files,
    elsewhere,
    /** The requests that reached the foreign host. */
    strays,
    /** The bodies of uploads and of messages that the channel got. */
    uploads,
    messages,
    /** The number of slow responses that began, and the number of them that the reader ended. */
    slow,
  };
}

function slowAnswer(slow: { opened: number; ended: number }, signal: AbortSignal): Response {
  slow.opened++;
  const body = new ReadableStream<Bytes>({
    start: (stream) => stream.enqueue(LONG.slice(0, SLOW.first)),
    async pull(stream) {
      await delay(1_000, { signal }).catch(() => {});
      if (signal.aborted) stream.close();
      else stream.enqueue(new Uint8Array(SLOW.each));
    },
    cancel: () => void slow.ended++,
  });
  return new Response(body, { headers: { "Content-Length": String(SLOW.bytes) } });
}

function bytesOf(beginning: string, length: number): Bytes {
  const bytes = new Uint8Array(length).fill(0x20);
  bytes.set(Array.from(beginning, (letter) => letter.charCodeAt(0)));
  return bytes;
}

function hex(bytes: Bytes): string {
  return createHash("sha256").update(bytes).digest("hex");
}
