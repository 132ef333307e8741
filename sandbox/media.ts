import { concat } from "deno-std/bytes/concat.js";
import { createHash, randomInt } from "node:crypto";
import { HttpResponse } from "msw";
import { type Fault, graphError, noObject } from "./graph_error.ts";
import { MalformedForm, readForm } from "./multipart.ts";

export type MediaKind = "image" | "video" | "audio" | "document";

/** The bytes of a file, and what a browser has to know about them. */
export interface MediaContent {
  mime_type: string;
  size: number;
  pieces(): Iterable<Uint8Array<ArrayBuffer>>;
}

/** An uploaded file. */
interface Medium {
  phone_number_id: string;
  mime_type: string;
  /** In hexadecimal digits. */
  sha256: string;
  file_size: number;
  uploadedAt: number;
  isDeleted: boolean;
  /** The bytes, for the page that shows the chat; null when the file is too large or too old. */
  bytes: Bytes | null;
}

type Bytes = Uint8Array<ArrayBuffer>;

const MIB = 1024 * 1024;
const DAY_MS = 24 * 60 * 60 * 1000;
/** How long the channel stores an upload. */
const KEPT_MS = 30 * DAY_MS;
/**
 * Only the newest files are known, so that a sandbox that runs for days does not fill the memory.
 */
const MAX_KEPT = 10_000;
/** The bytes of larger files are not kept. */
const MAX_KEPT_FILE = 16 * MIB;
/** The kept bytes of all files together have at most this size. */
const MAX_KEPT_BYTES = 64 * MIB;
/** The maximum length of a form field that is not the file. */
const MAX_FIELD_BYTES = 1_024;

const OFFICE = "application/vnd.openxmlformats-officedocument";
/** The largest file of each type that the channel accepts ("Supported media types"), in bytes. */
const LIMITS: Record<string, number> = Object.fromEntries([
  ...["image/jpeg", "image/png"].map((type) => [type, 5 * MIB]),
  ...["video/mp4", "video/3gpp"].map((type) => [type, 16 * MIB]),
  ...["audio/aac", "audio/amr", "audio/mpeg", "audio/mp4", "audio/ogg"].map((
    type,
  ) => [type, 16 * MIB]),
  ...[
    ...["application/pdf", "text/plain", "application/msword"],
    ...["application/vnd.ms-excel", "application/vnd.ms-powerpoint"],
    ...[`${OFFICE}.wordprocessingml.document`, `${OFFICE}.spreadsheetml.sheet`],
    `${OFFICE}.presentationml.presentation`,
  ].map((type) => [type, 100 * MIB]),
]);

/** The error for a file that the channel does not accept. */
class Refused extends Error {
  override name = "Refused";
  constructor(readonly fault: Fault) {
    super(fault.details);
  }
}

/** The files that were uploaded to a sandbox. */
export type MediaStore = ReturnType<typeof mediaStore>;

/** @param now the current time in milliseconds. */
export function mediaStore(now: () => number) {
  const media = new Map<string, Medium>();

  /** Drops the bytes of the oldest files until the rest fit into MAX_KEPT_BYTES. */
  const makeRoom = () => {
    let total = 0;
    for (const medium of [...media.values()].reverse()) {
      total += medium.bytes?.length ?? 0;
      if (total > MAX_KEPT_BYTES) medium.bytes = null;
    }
  };

  const usable = (id: string): Medium | null => {
    const medium = media.get(id);
    return medium && !medium.isDeleted && now() < medium.uploadedAt + KEPT_MS ? medium : null;
  };

  return {
    /** Whether an id belongs or belonged to an uploaded file. */
    knows: (id: string) => media.has(id),

    /** A file as the recipient of a message sees it; null when the sandbox does not have it. */
    content(id: string): MediaContent | null {
      const { mime_type, bytes } = media.get(id) ?? {};
      return mime_type && bytes ? { mime_type, size: bytes.length, pieces: () => [bytes] } : null;
    },

    /** Why this phone number cannot send the file as media of this kind; null when it can. */
    faultOf(id: string, kind: MediaKind, phoneNumberId: string): Fault | null {
      const medium = usable(id);
      if (medium?.phone_number_id !== phoneNumberId) {
        const details = `The phone number has no medium with the id ${id}; it may have expired`;
        return { code: 131053, details };
      }
      // The channel accepts a file of any known type as a document.
      const fits = kind === "document" || medium.mime_type.startsWith(`${kind}/`);
      return fits
        ? null
        : { code: 131053, details: `The medium is not of the kind ${kind}: ${medium.mime_type}` };
    },

    /**
     * `POST /{phone_number_id}/media`: accepts a file as multipart/form-data. If the file is too
     * large, the response does not wait for the rest of the file. A file larger than MAX_KEPT_FILE
     * is not kept in memory.
     */
    async upload(request: Request, phoneNumberId: string): Promise<Response> {
      try {
        const { type, size, sha256, bytes } = await readUpload(request);
        const id = `1${String(randomInt(1e12)).padStart(15, "0")}`;
        media.set(id, {
          phone_number_id: phoneNumberId,
          mime_type: type,
          sha256,
          file_size: size,
          uploadedAt: now(),
          isDeleted: false,
          bytes,
        });
        makeRoom();
        for (const oldest of media.keys()) {
          if (media.size <= MAX_KEPT) break;
          media.delete(oldest);
        }
        return HttpResponse.json({ id });
      } catch (error) {
        if (error instanceof Refused) return graphError(error.fault);
        if (!(error instanceof MalformedForm)) throw error;
        return graphError({ code: 100, details: `The body cannot be read: ${error.message}` });
      }
    },

    /** `GET /{media_id}`. The response has no `url`, because programs cannot download an upload. */
    read(id: string): Response {
      const medium = usable(id);
      if (!medium) return graphError(noObject(id));
      const { mime_type, sha256, file_size } = medium;
      return HttpResponse.json({ messaging_product: "whatsapp", id, mime_type, sha256, file_size });
    },

    /** `DELETE /{media_id}`. */
    remove(id: string): Response {
      const medium = usable(id);
      if (!medium) return graphError(noObject(id));
      medium.isDeleted = true;
      return HttpResponse.json({ success: true });
    },
  };
}

/** Reads a whole upload. @throws Refused, MalformedForm */
async function readUpload(request: Request) {
  const fields = new Map<string, string>();
  const hash = createHash("sha256");
  let file: { type: string } | undefined;
  let size = 0;
  let pieces: Uint8Array[] = [];
  await readForm(request, ({ name, filename, type = "" }) => {
    if (name !== "file") {
      fields.set(name, "");
      return (piece) => {
        const value = fields.get(name) + new TextDecoder().decode(piece);
        if (value.length > MAX_FIELD_BYTES) throw new MalformedForm(`${name} is too long`);
        fields.set(name, value);
      };
    }
    if (filename === undefined) throw new MalformedForm("The part file is not a file");
    if (file) throw new MalformedForm("It has several files");
    file = { type: type.split(";")[0].trim().toLowerCase() };
    const limit = limitOf(file.type);
    return (piece) => {
      size += piece.length;
      if (size > limit) {
        throw refused(131053, `A file of the type ${file!.type} has at most ${limit} bytes`);
      }
      hash.update(piece);
      // A piece may be a view of a larger buffer. A copy does not keep that buffer in memory.
      if (size <= MAX_KEPT_FILE) pieces.push(piece.slice());
      else pieces = [];
    };
  });
  if (fields.get("messaging_product") !== "whatsapp") {
    throw refused(100, "The parameter messaging_product must be whatsapp");
  }
  const asked = fields.get("type");
  if (!asked) throw refused(100, "The parameter type is required");
  if (!file) throw refused(100, "The parameter file is required");
  if (size === 0) throw refused(100, "The file is empty");
  // The type may contain a codec, as in audio/ogg; codecs=opus.
  if (asked.split(";")[0].trim().toLowerCase() !== file.type) {
    throw refused(
      131053,
      `The parameter type is ${asked}, but the type of the file is ${file.type}`,
    );
  }
  const bytes = size <= MAX_KEPT_FILE ? concat(pieces) : null;
  return { type: file.type, size, sha256: hash.digest("hex"), bytes };
}

function limitOf(type: string): number {
  if (Object.hasOwn(LIMITS, type)) return LIMITS[type];
  const known = Object.keys(LIMITS).join(", ");
  throw refused(131053, `The file must have one of the types ${known}, but it has "${type}"`);
}

function refused(code: number, details: string): Refused {
  return new Refused({ code, details });
}
