import { type MediaFormat, nameWithExtension, typeOfName } from "./media_types.ts";

const MAX_NAME = 240;
/** The longest extension is ".pptx". */
const MAX_BASE = MAX_NAME - 5;

interface Named {
  format: MediaFormat;
  type: string;
  /** The header Content-Disposition of the sample. */
  disposition: string | null;
  /** The address that served the sample. */
  url: URL;
  templateName: string;
}

/**
 * The name of the file is the name that its server gives. Otherwise it is the end of the address,
 * if that has an extension of the format, or else the name of the template. The file name has the
 * extension of its type and at most 240 characters, without quotes, control characters and folders.
 */
export function fileName({ format, type, disposition, url, templateName }: Named): string {
  const last = decoded(url.pathname.split("/").at(-1)!);
  const name = plain(nameIn(disposition ?? "")) ||
    plain(typeOfName(format, last) ? last : "") || plain(templateName) || "file";
  const base = Array.from(name).slice(0, MAX_BASE).join("");
  return nameWithExtension(format, type, base === name ? name : /^.*[^. ]/s.exec(base)?.[0] ?? "");
}

/** The name in a header Content-Disposition (RFC 6266). The encoded form has priority. */
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

function plain(name: string): string {
  const last = name.toWellFormed().split(/[/\\]/).at(-1)!;
  // A name that is only an extension is not used.
  return last.replace(/[\p{Cc}\p{Cf}"'`]/gu, "").trim().replace(/^\.+([^.]*$)?/, "").trim();
}
