// The types of media that the channel accepts in the header of a template and in a media message.

/** A template's header cannot have audio. */
export type MediaFormat = "IMAGE" | "VIDEO" | "AUDIO" | "DOCUMENT";

const MIB = 2 ** 20;

/** The maximum number of bytes of a file in each format (specification, 4.10, and "Limits"). */
export const MAX_BYTES: Record<MediaFormat, number> = {
  IMAGE: 5 * MIB,
  VIDEO: 16 * MIB,
  AUDIO: 16 * MIB,
  DOCUMENT: 100 * MIB,
};

/**
 * The types of each format, with their extensions. If a file name has none of its type's
 * extensions, the first extension is added.
 */
const TYPES: Record<MediaFormat, Record<string, string[]>> = {
  IMAGE: { "image/jpeg": ["jpg", "jpeg"], "image/png": ["png"] },
  VIDEO: { "video/mp4": ["mp4"], "video/3gpp": ["3gp", "3gpp"] },
  AUDIO: {
    "audio/aac": ["aac"],
    "audio/amr": ["amr"],
    "audio/mpeg": ["mp3"],
    "audio/mp4": ["m4a", "mp4"],
    "audio/ogg": ["ogg", "opus", "oga"],
  },
  DOCUMENT: {
    "application/pdf": ["pdf"],
    "text/plain": ["txt"],
    "application/msword": ["doc"],
    "application/vnd.ms-excel": ["xls"],
    "application/vnd.ms-powerpoint": ["ppt"],
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ["docx"],
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ["xlsx"],
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ["pptx"],
  },
};

/** The types that the channel accepts, each with the maximum number of bytes of a file. */
export const ACCEPTED_TYPES: Readonly<Record<string, number>> = Object.fromEntries(
  Object.entries(TYPES).flatMap(([format, types]) =>
    Object.keys(types).map((type) => [type, MAX_BYTES[format as MediaFormat]])
  ),
);

/** The format of a type that the channel accepts. */
export function formatOfType(type: string): MediaFormat {
  return (Object.keys(TYPES) as MediaFormat[]).find((format) => isTypeOf(format, type))!;
}

/** Whether a type belongs to a format. */
export function isTypeOf(format: MediaFormat, type: string): boolean {
  return Object.hasOwn(TYPES[format], type);
}

/**
 * The type for the extension of a file's name; null when the format has no type with that
 * extension.
 */
export function typeOfName(format: MediaFormat, name: string): string | null {
  const extension = extensionOf(name);
  const found = Object.entries(TYPES[format]).find(([, all]) => all.includes(extension));
  return found?.[0] ?? null;
}

/** The name, with the extension of the type. @param type one of the format's types. */
export function nameWithExtension(format: MediaFormat, type: string, name: string): string {
  const extensions = TYPES[format][type];
  return extensions.includes(extensionOf(name)) ? name : `${name}.${extensions[0]}`;
}

function extensionOf(name: string): string {
  return /\.([^.]*)$/.exec(name)?.[1].toLowerCase() ?? "";
}
