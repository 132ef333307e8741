import { type MediaFormat, nameWithExtension, typeOfName } from "./media_types.ts";

const MAX_NAME = 240;
/** The longest extension is ".pptx". */
const MAX_BASE = MAX_NAME - 5;

interface Named {
  format: MediaFormat;
  type: string;
  /** The sample's header Content-Disposition. */
  disposition: string | null;
  /** The address that served the sample. */
  url: URL;
  templateName: string;
}

/**
 * The name of the file: the one that its server gives it, else the end of its address when that has an
 * extension of the format, else that of the template. It has no quotes, no control characters and no folders,
 * the extension of the type, and at most 240 characters.
 */
export function fileName({ format, type, disposition, url, templateName }: Named): string {
  const last = decoded(url.pathname.split("/").at(-1)!);
  const name = plain(nameIn(disposition ?? "")) ||
    plain(typeOfName(format, last) ? last : "") || plain(templateName) || "file";
  const base = Array.from(name).slice(0, MAX_BASE).join("");
  return nameWithExtension(format, type, base === name ? name : base.replace(/[. ]+$/, ""));
}

/** The name in a header Content-Disposition (RFC 6266), whose encoded form goes first. */
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
  // A name that is only an extension is none.
  return last.replace(/[\p{Cc}\p{Cf}"'`]/gu, "").trim().replace(/^\.+([^.]*$)?/, "").trim();
}
