import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { extname, join, sep } from "node:path";

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".md": "text/markdown; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".ts": "text/plain; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".yaml": "text/yaml; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Text files, whose content the server may have to rewrite. */
const FOR_READERS = [".html", ".md", ".txt", ".json", ".yaml", ".ts"];

/**
 * The headers of every response. A browser must use the given content type, and no page of another
 * site may embed or read the response.
 */
export const HEADERS = {
  "X-Content-Type-Options": "nosniff",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Content-Security-Policy": "frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
};

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", '"': "&quot;" };

/** Escapes a string for HTML, including attributes in double quotes. */
export function escaped(text: string): string {
  return text.replace(/[&<"]/g, (character) => ENTITIES[character]);
}

/**
 * Serves a file of a folder, or `index.html` for a path that ends in a slash. Returns a 304 when
 * the client has the current file, and a 404 with the folder's `404.html` when the file does not
 * exist. The server compresses text files, as hosts do. It serves nothing outside the folder, not
 * even through a symbolic link in the folder. It serves no file with a name that begins with a dot.
 *
 * @param path the path below the folder's URL, as in the request.
 * @param base the folder's URL, for the links in `404.html`.
 * @param rewritten changes the content of a text file.
 */
export async function answerFile(
  request: Request,
  folder: string,
  path: string,
  base: string,
  rewritten = (text: string) => text,
): Promise<Response> {
  const file = await fileAt(folder, path);
  if (!file) return await notFound(folder, base);
  const text = FOR_READERS.includes(extname(file))
    ? rewritten(await Deno.readTextFile(file))
    : null;
  const tag = `W/"${await stateOf(file, text)}"`;
  const headers = {
    ...HEADERS,
    "Content-Type": TYPES[extname(file)] ?? "application/octet-stream",
    "Cache-Control": "no-cache",
    ETag: tag,
  };
  const known = request.headers.get("If-None-Match")?.split(",").map((each) => each.trim());
  if (known?.includes(tag)) return new Response(null, { status: 304, headers });
  const bytes = text === null ? await Deno.readFile(file) : new TextEncoder().encode(text);
  const isSmaller = bytes.length > 1000 && extname(file) in TYPES;
  if (!isSmaller || !/\bgzip\b/.test(request.headers.get("Accept-Encoding") ?? "")) {
    return new Response(bytes, { headers: { ...headers, Vary: "Accept-Encoding" } });
  }
  return new Response(gzipSync(bytes), {
    headers: { ...headers, "Content-Encoding": "gzip", Vary: "Accept-Encoding" },
  });
}

/**
 * A string that changes whenever a file changes. For a text, the string depends on the served text,
 * because two stacks may rewrite the same file differently.
 */
async function stateOf(file: string, text: string | null): Promise<string> {
  if (text !== null) return createHash("sha256").update(text).digest("base64url").slice(0, 16);
  const { size, mtime } = await Deno.stat(file);
  return `${size.toString(36)}-${(mtime?.getTime() ?? 0).toString(36)}`;
}

/** The path of a file, or null when the folder has no such file. */
async function fileAt(folder: string, path: string): Promise<string | null> {
  const names = (path === "" || path.endsWith("/") ? `${path}index.html` : path).split("/");
  try {
    const decoded = names.map(decodeURIComponent);
    if (!decoded.every((name) => /^[^./\\\0][^/\\\0]*$/.test(name))) return null;
    const file = await Deno.realPath(join(folder, ...decoded));
    const isWithin = file.startsWith(await Deno.realPath(folder) + sep);
    return isWithin && (await Deno.stat(file)).isFile ? file : null;
  } catch (error) {
    // The file does not exist, a name is too long, or a percent sign begins no valid code.
    if (error instanceof Deno.errors.PermissionDenied) throw error;
    return null;
  }
}

const GONE = "<!doctype html><head><title>Not found</title></head><p>This page does not exist.</p>";

async function notFound(folder: string, base: string): Promise<Response> {
  const page = await Deno.readTextFile(join(folder, "404.html")).catch((error) => {
    // The folder is being replaced, or the page has been removed.
    if (error instanceof Deno.errors.NotFound) return GONE;
    throw error;
  });
  // The links in 404.html are relative, and the requested path may have any depth.
  return new Response(page.replace("<head>", `<head>\n<base href="${base}">`), {
    status: 404,
    headers: { ...HEADERS, "Content-Type": TYPES[".html"], "Cache-Control": "no-store" },
  });
}
