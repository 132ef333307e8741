import { type MediaFormat, nameWithExtension, typeOfName } from "./media_types.ts";

const MAX_NAME = 240;
/** The longest extension is ".pptx". */
const MAX_BASE = MAX_NAME - 5;

interface Named {
  format: MediaFormat;
  type: string;
  /** The Content-Disposition header of the sample. */
  disposition: string | null;
  /** The URL that served the sample. */
  url: URL;
  templateName: string;
}

/**
 * The name of a file. If the server gives a name, that name is used. Otherwise the last part of the
 * URL's path is used, if it has an extension of the format. Otherwise the template's name is used.
 * The file name has the extension of its type and at most 240 characters, without quotes, control
 * characters or folders.
 */
export function fileName({ format, type, disposition, url, templateName }: Named): string {
  const last = decoded(url.pathname.split("/").at(-1)!);
  const name = plain(nameIn(disposition ?? "")) ||
    plain(typeOfName(format, last) ? last : "") || plain(templateName) || "file";
  return shortened(format, type, name);
}

/**
 * The name that a caller gives to a file, cleaned and shortened as `fileName` does. If that name is
 * not usable, the name of the format is used: `document.pdf`.
 */
export function givenFileName(format: MediaFormat, type: string, given: string): string {
  return shortened(format, type, plain(given) || format.toLowerCase());
}

/** The name with the extension of its type; shortened only if it has more than 240 characters. */
function shortened(format: MediaFormat, type: string, name: string): string {
  const whole = nameWithExtension(format, type, name);
  if (Array.from(whole).length <= MAX_NAME) return whole;
  const base = Array.from(name).slice(0, MAX_BASE).join("");
  return nameWithExtension(format, type, /^.*[^. ]/s.exec(base)?.[0] ?? "");
}

/** The name in a Content-Disposition header (RFC 6266). The encoded form takes precedence. */
function nameIn(disposition: string): string {
  const encoded = /;\s*filename\*\s*=\s*(?:UTF-8|ISO-8859-1)'[^']*'([^\s;]+)/i.exec(disposition);
  if (encoded) return decoded(encoded[1]);
  const [, quoted, bare] =
    /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/i.exec(disposition) ?? [];
  return quoted?.replace(/\\(.)/g, "$1") ?? bare ?? "";
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * A name without quotes, control characters and folders, cut to 240 characters; empty when no
 * characters are left.
 */
export function plainName(name: string): string {
  return Array.from(plain(name)).slice(0, MAX_NAME).join("");
}

function plain(name: string): string {
  const last = name.toWellFormed().split(/[/\\]/).at(-1)!;
  // A name that is only an extension is not used.
  return last.replace(/[\p{Cc}\p{Cf}"'`]/gu, "").trim().replace(/^\.+([^.]*$)?/, "").trim();
}
