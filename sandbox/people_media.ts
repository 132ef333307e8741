import { createHash, randomInt } from "node:crypto";
import { Buffer } from "node:buffer";
import { HttpResponse } from "msw";
import { graphError, noObject } from "./graph_error.ts";
import type { MediaContent } from "./media.ts";
import { tokenFault } from "./rules.ts";
import { fromBase64, pdf } from "./samples.ts";
import { CUP_JPEG, SILENCE_OGG } from "./sample_bytes.ts";

// The files that people send. For each sent file, the sandbox stores the name, such as `picture`,
// but not the bytes. The bytes are produced when the file is read.

type Bytes = Uint8Array<ArrayBuffer>;

/** A file that a person can send. */
interface Made {
  /** The file's description in docs/sandbox.md. */
  does: string;
  type: "image" | "audio" | "document";
  mime_type: string;
  filename?: string;
  voice?: true;
  size: number;
  pieces(): Iterable<Bytes>;
  /** The channel fault that the sandbox imitates when the file is read. */
  fault?: "digest" | "gone" | "breaks" | "redirects" | "ended address" | "refuses" | "throttles";
}

const MIB = 2 ** 20;
/** How long the channel stores the files that people send. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;
/** How long a file's URL is valid. */
const ADDRESS_MS = 5 * 60 * 1000;
/** Only the newest files are known, so that a sandbox that runs for days does not fill the memory. */
const MAX_KEPT = 10_000;

const whole = (bytes: Bytes) => ({ size: bytes.length, pieces: () => [bytes] });
const picture = {
  ...{ type: "image", mime_type: "image/jpeg", ...whole(fromBase64(CUP_JPEG)) } as const,
};
const document = { type: "document", mime_type: "application/pdf" } as const;
const INVOICE = pdf("Ondalva: invoice A-1815, 480.00");

/** A PDF of this size. It ends with a long comment. */
function longPdf(size: number) {
  const comment = new Uint8Array(65_536).fill("%".charCodeAt(0));
  return {
    size,
    *pieces() {
      yield INVOICE;
      for (let left = size - INVOICE.length; left > 0; left -= comment.length) {
        yield comment.subarray(0, Math.min(left, comment.length));
      }
    },
  };
}

/**
 * The files that a person can send to a number with `POST /sandbox/inbound`, by the name in
 * `medium`.
 */
export const PEOPLE_MEDIA: Record<string, Made> = {
  picture: { ...picture, does: "a picture" },
  voice: {
    ...{ type: "audio", mime_type: "audio/ogg; codecs=opus", voice: true },
    ...whole(fromBase64(SILENCE_OGG)),
    does: "a voice message: a second of silence",
  },
  pdf: { ...document, ...whole(INVOICE), filename: "invoice.pdf", does: "a PDF" },
  large: {
    ...document,
    ...longPdf(100 * MIB),
    filename: "plans.pdf",
    does: "a PDF of 100 MB, the largest file that people can send",
  },
  wrong_digest: {
    ...{ ...picture, fault: "digest" },
    does: "a picture whose bytes do not match the reported SHA-256",
  },
  expired: { ...picture, fault: "gone", does: "a picture that WhatsApp no longer stores" },
  breaks: {
    ...{ ...document, ...longPdf(MIB), filename: "plans.pdf", fault: "breaks" },
    does: "a PDF of 1 MB whose connection breaks in the middle",
  },
  redirects: {
    ...{ ...picture, fault: "redirects" },
    does: "a picture whose URL redirects to a host outside WhatsApp",
  },
  ended_address: {
    ...{ ...picture, fault: "ended address" },
    does: "a picture whose first URL has already expired; the next URL is valid",
  },
  refused: {
    ...{ ...picture, fault: "refuses" },
    does: "a picture that WhatsApp refuses to return, because the token is invalid (190)",
  },
  throttled: {
    ...{ ...picture, fault: "throttles" },
    does: "a picture that WhatsApp refuses to return, because there are too many requests (130429)",
  },
};

/** The ids for demo data, which never expire. Each file in PEOPLE_MEDIA has one of these ids. */
export const FIXED_IDS: ReadonlyMap<string, string> = new Map(
  Object.keys(PEOPLE_MEDIA).map((
    name,
    at,
  ) => [`19000000000000${String(at + 1).padStart(2, "0")}`, name]),
);

interface Sent {
  name: string;
  sentAt: number;
  /** For a file whose first URL has expired, the number of URLs that the sandbox has returned. */
  asked: number;
}

/** @param now the current time in milliseconds. */
export function peopleMedia(now: () => number) {
  const sent = new Map<string, Sent>();

  const usable = (id: string): Sent | null => {
    const found = sent.get(id) ??
      (FIXED_IDS.has(id) ? { name: FIXED_IDS.get(id)!, sentAt: now(), asked: 0 } : null);
    if (found && !sent.has(id)) sent.set(id, found);
    const isKept = found && (FIXED_IDS.has(id) || now() < found.sentAt + KEPT_MS);
    return isKept && PEOPLE_MEDIA[found.name].fault !== "gone" ? found : null;
  };

  return {
    knows: (id: string) => sent.has(id) || FIXED_IDS.has(id),

    /** The content of a person's message with a new file, in the channel's format. */
    send(name: string, caption: string | undefined): { type: string } {
      const { type, mime_type, filename, voice } = PEOPLE_MEDIA[name];
      const id = `19${String(randomInt(1e12)).padStart(14, "0")}`;
      sent.set(id, { name, sentAt: now(), asked: 0 });
      for (const oldest of sent.keys()) {
        if (sent.size <= MAX_KEPT) break;
        sent.delete(oldest);
      }
      const own = {
        ...(caption !== undefined && { caption }),
        ...(filename && { filename }),
        ...{ mime_type, sha256: Buffer.from(digestOf(name), "hex").toString("base64"), id },
        ...(type === "audio" && { voice: voice ?? false }),
      };
      return { type, [type]: own } as { type: string };
    },

    /**
     * The file that the person sent, without the fault that the sandbox imitates; null if no file
     * has this id.
     */
    content(id: string): MediaContent | null {
      const name = sent.get(id)?.name ?? FIXED_IDS.get(id);
      return name === undefined ? null : PEOPLE_MEDIA[name];
    },

    /** `GET /{media_id}`. @param base the address of the API, without a slash at the end. */
    read(id: string, base: string): Response {
      const found = usable(id);
      if (!found) return graphError(noObject(id));
      const { mime_type, size, fault } = PEOPLE_MEDIA[found.name];
      if (fault === "refuses") return graphError({ code: 190, details: "The token has expired" });
      if (fault === "throttles") return graphError({ code: 130429, details: "Too many calls" });
      const isEnded = fault === "ended address" && found.asked++ === 0;
      const oe = Math.floor((now() + (isEnded ? -1000 : ADDRESS_MS)) / 1000).toString(16);
      return HttpResponse.json({
        messaging_product: "whatsapp",
        url: `${base}/files/${id}?${new URLSearchParams({ oe, oh: signature(id, oe) })}`,
        ...{ mime_type, sha256: digestOf(found.name), file_size: size, id },
      });
    },

    /** Handles a `GET` request for a file's URL. The request needs the token. */
    bytes(request: Request, id: string): Response {
      if (tokenFault(request)) return new HttpResponse("Unauthorized", { status: 401 });
      const { searchParams } = new URL(request.url);
      const [oe, oh] = ["oe", "oh"].map((name) => searchParams.get(name) ?? "");
      const found = usable(id);
      const isValid = oh === signature(id, oe) && parseInt(oe, 16) * 1000 > now();
      if (!found || !isValid) return new HttpResponse("URL signature expired", { status: 404 });
      const { mime_type, size, pieces, fault } = PEOPLE_MEDIA[found.name];
      if (fault === "redirects") {
        return new HttpResponse(null, { status: 302, headers: { Location: FOREIGN } });
      }
      const left = pieces()[Symbol.iterator]();
      let count = 0;
      const body = new ReadableStream<Bytes>({
        pull(controller) {
          const { value, done } = left.next();
          if (done) return controller.close();
          if (fault === "breaks" && count > size / 2) {
            return controller.error("The sandbox breaks the connection, as it does for this file.");
          }
          count += value.length;
          controller.enqueue(value.slice());
        },
      });
      const headers = { "Content-Type": mime_type, "Content-Length": String(size) };
      return new HttpResponse(body, { headers });
    },
  };
}

/**
 * A URL on a host that is not the channel's. A client must not fetch the file from there, and must
 * not send the token there.
 */
const FOREIGN = "https://files.example.com/picture.jpg";

/**
 * This signature keeps nothing secret. It only lets the sandbox refuse a changed URL.
 */
function signature(id: string, oe: string): string {
  return createHash("sha256").update(`${id} ${oe}`).digest("hex").slice(0, 32);
}

const digests = new Map<string, string>();

/** The SHA-256 that the channel gives for a file, in hexadecimal digits. */
export function digestOf(name: string): string {
  const known = digests.get(name);
  if (known) return known;
  const hash = createHash("sha256");
  const { pieces, fault } = PEOPLE_MEDIA[name];
  if (fault === "digest") hash.update("other bytes");
  for (const piece of pieces()) hash.update(piece);
  digests.set(name, hash.digest("hex"));
  return digests.get(name)!;
}
