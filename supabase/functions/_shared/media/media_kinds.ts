// The media types that the channel supports, and the first bytes of each type's files.

const OFFICE = "application/vnd.openxmlformats-officedocument";

/** Whether the first bytes of a file match its type. */
type Beginning = (bytes: Uint8Array) => boolean;

/** Whether one of these strings is at this offset, with one byte for each character. */
function at(place: number, ...texts: string[]): Beginning {
  return (bytes) =>
    texts.some((text) =>
      Array.from(text).every((letter, index) => bytes[place + index] === letter.charCodeAt(0))
    );
}

const ISO_MEDIA = at(4, "ftyp");
const OLD_OFFICE = at(0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1");
const ZIP = at(0, "PK\x03\x04");
/** A frame of MPEG audio or of AAC begins with 11 or 12 bits that are set. */
const isFrame: Beginning = (bytes) => bytes[0] === 0xff && bytes[1] >= 0xe0;

const KINDS: Record<string, { extension: string; begins: Beginning }> = {
  "image/jpeg": { extension: "jpg", begins: at(0, "\xff\xd8\xff") },
  "image/png": { extension: "png", begins: at(0, "\x89PNG\r\n\x1a\n") },
  "image/webp": {
    extension: "webp",
    begins: (bytes) => at(0, "RIFF")(bytes) && at(8, "WEBP")(bytes),
  },
  "video/mp4": { extension: "mp4", begins: ISO_MEDIA },
  "video/3gpp": { extension: "3gp", begins: ISO_MEDIA },
  "audio/aac": { extension: "aac", begins: (bytes) => isFrame(bytes) || at(0, "ADIF")(bytes) },
  "audio/amr": { extension: "amr", begins: at(0, "#!AMR") },
  "audio/mpeg": { extension: "mp3", begins: (bytes) => isFrame(bytes) || at(0, "ID3")(bytes) },
  "audio/mp4": { extension: "m4a", begins: ISO_MEDIA },
  "audio/ogg": { extension: "ogg", begins: at(0, "OggS") },
  "application/pdf": { extension: "pdf", begins: at(0, "%PDF-") },
  "application/msword": { extension: "doc", begins: OLD_OFFICE },
  "application/vnd.ms-excel": { extension: "xls", begins: OLD_OFFICE },
  "application/vnd.ms-powerpoint": { extension: "ppt", begins: OLD_OFFICE },
  [`${OFFICE}.wordprocessingml.document`]: { extension: "docx", begins: ZIP },
  [`${OFFICE}.spreadsheetml.sheet`]: { extension: "xlsx", begins: ZIP },
  [`${OFFICE}.presentationml.presentation`]: { extension: "pptx", begins: ZIP },
  "text/plain": { extension: "txt", begins: (bytes) => !bytes.includes(0) },
};

/** The type without parameters, in lowercase. */
function plainType(type: string): string {
  return type.split(";")[0].trim().toLowerCase();
}

/**
 * The type of a file as callers receive it: the channel's type, if it is known and matches the
 * file's first bytes; otherwise application/octet-stream.
 *
 * @param type the type that the channel reports, such as `audio/ogg; codecs=opus`.
 * @param beginning the first bytes of the file; null when the file is not read.
 */
export function servedType(type: string | null, beginning: Uint8Array | null): string {
  const plain = plainType(type ?? "");
  const kind = Object.hasOwn(KINDS, plain) ? KINDS[plain] : null;
  if (!kind || beginning && !kind.begins(beginning)) return "application/octet-stream";
  const [, codecs] = /;\s*codecs=([\w.-]{1,20})\s*$/.exec(type!) ?? [];
  return codecs ? `${plain}; codecs=${codecs}` : plain;
}

/** The usual extension of a type; `bin` for an unknown type. */
export function extensionOf(type: string): string {
  const plain = plainType(type);
  return Object.hasOwn(KINDS, plain) ? KINDS[plain].extension : "bin";
}
