import { wrongFile } from "../../_shared/http/file_body.ts";
import { ACCEPTED_TYPES } from "../../_shared/templates/media_types.ts";

// Determines the type of an upload by its first bytes. The channel refuses a wrong type only after
// it has accepted the message, so a wrong type must not reach the channel.

/** The number of bytes from a file's start that are sufficient to find its type. */
export const BEGINNING_BYTES = 1_024;

/** The type that the channel requires for an Ogg file. Opus is the only codec that it accepts. */
export const OGG_OPUS = "audio/ogg; codecs=opus";

/**
 * Other names for types that callers may send, and the accepted type for each name. The first bytes
 * determine the actual type.
 */
export const OTHER_NAMES: Readonly<Record<string, string>> = {
  "audio/opus": "audio/ogg",
  "application/ogg": "audio/ogg",
  "audio/webm": "audio/ogg",
  "image/jpg": "image/jpeg",
  "audio/mp3": "audio/mpeg",
  "audio/x-m4a": "audio/mp4",
};

const OFFICE = "application/vnd.openxmlformats-officedocument";
const OLE = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
const ZIP = [0x50, 0x4b, 0x03, 0x04];

/** Whether the first bytes of a file match a type. */
const BEGINNINGS: Record<string, (bytes: Uint8Array) => boolean> = {
  "image/jpeg": (bytes) => begins(bytes, [0xff, 0xd8, 0xff]),
  "image/png": (bytes) => begins(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  "video/mp4": isMp4,
  "video/3gpp": isMp4,
  "audio/mp4": isMp4,
  // An ADTS frame begins with twelve set bits and the layer 0. An ID3 tag may come first.
  "audio/aac": (bytes) =>
    hasText(bytes, 0, "ID3") || hasText(bytes, 0, "ADIF") ||
    bytes[0] === 0xff && (bytes[1] & 0xf6) === 0xf0,
  "audio/amr": (bytes) => hasText(bytes, 0, "#!AMR"),
  // An MPEG frame begins with eleven set bits, and its layer is not 0.
  "audio/mpeg": (bytes) =>
    hasText(bytes, 0, "ID3") ||
    bytes[0] === 0xff && (bytes[1] & 0xe0) === 0xe0 && (bytes[1] & 0x06) !== 0,
  // PDF readers accept a file whose signature `%PDF` is within the first KiB.
  "application/pdf": (bytes) => indexOfText(bytes, "%PDF-") >= 0,
  "application/msword": isOle,
  "application/vnd.ms-excel": isOle,
  "application/vnd.ms-powerpoint": isOle,
  [`${OFFICE}.wordprocessingml.document`]: isZip,
  [`${OFFICE}.spreadsheetml.sheet`]: isZip,
  [`${OFFICE}.presentationml.presentation`]: isZip,
  "text/plain": (bytes) => !bytes.includes(0),
};

/**
 * The channel's type for the Content-Type of a request.
 *
 * @throws ApiError invalid_request on `Content-Type` when the channel accepts no such files.
 */
export function acceptedType(named: string): string {
  const type = Object.hasOwn(OTHER_NAMES, named) ? OTHER_NAMES[named] : named;
  if (Object.hasOwn(ACCEPTED_TYPES, type)) return type;
  throw wrongFile(
    `must be a type that the messaging channel accepts: ${Object.keys(ACCEPTED_TYPES).join(", ")}`,
  );
}

/**
 * The type with which a file is sent to the channel. An Ogg file with Opus always has the type
 * `OGG_OPUS`, whatever audio type the request names.
 *
 * @param named the request's type, from `acceptedType`.
 * @throws ApiError invalid_request on `Content-Type` when the first bytes are not of that type.
 */
export function typeByBytes(named: string, bytes: Uint8Array): string {
  if (named.startsWith("audio/")) {
    if (begins(bytes, [0x1a, 0x45, 0xdf, 0xa3])) {
      throw wrongFile(
        "is audio, but the file is WebM, which the channel refuses; send Ogg with Opus",
      );
    }
    if (hasText(bytes, 0, "OggS")) {
      // The first page of an Ogg file has a header of 28 bytes, and then the signature of its
      // codec.
      if (hasText(bytes, 28, "OpusHead")) return OGG_OPUS;
      throw wrongFile(
        "is audio, but the Ogg file has no Opus; the channel accepts only Opus in Ogg",
      );
    }
  }
  if (BEGINNINGS[named]?.(bytes)) return named;
  throw wrongFile(`is ${named}, but the file does not begin like one`);
}

function isMp4(bytes: Uint8Array): boolean {
  return hasText(bytes, 4, "ftyp");
}

function isOle(bytes: Uint8Array): boolean {
  return begins(bytes, OLE);
}

function isZip(bytes: Uint8Array): boolean {
  return begins(bytes, ZIP);
}

function begins(bytes: Uint8Array, with_: number[]): boolean {
  return with_.every((byte, at) => bytes[at] === byte);
}

function hasText(bytes: Uint8Array, at: number, text: string): boolean {
  return Array.from(text).every((letter, n) => bytes[at + n] === letter.charCodeAt(0));
}

/** The index of a string in the first KiB; -1 when it is not found. */
function indexOfText(bytes: Uint8Array, text: string): number {
  return new TextDecoder("latin1").decode(bytes.subarray(0, BEGINNING_BYTES)).indexOf(text);
}
