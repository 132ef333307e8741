import { deadline } from "deno-std/async/deadline.js";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "./checkout.ts";
import { MADE_OF } from "./site_sources.ts";
import { answerFile, escaped, HEADERS } from "./static_files.ts";

/** A site that is built of files of this checkout. */
export interface BuiltSite {
  folder: string;
  isCurrent(): boolean;
  /** The arguments of Deno for a process that builds it, unless another one just has. */
  build: string[];
}

export interface BuiltSiteOptions {
  site: BuiltSite;
  /** Where it is served, with a slash at both ends. */
  base: string;
  /** What a visitor is told while there is nothing to show. */
  words: {
    /** What it is, as in "The documentation". */
    name: string;
    /** What people run to build it. */
    command: string;
    /** What still works when it could not be built, and what a build does, as HTML. */
    otherwise: string;
  };
  /** How long a visitor waits for a build before a page says that it is under way. */
  patienceMs?: number;
  /** Files that the server makes itself, by their paths behind the base. */
  own?: Record<string, (request: Request) => unknown>;
  /** What becomes of the text of a file that people read or import. */
  rewritten?(text: string): string;
}

/** A site that the local stack serves. */
export interface ServedSite {
  /** Answers the base and everything below it. */
  fetch(request: Request): Promise<Response>;
  /** Ends a build that is under way. */
  stop(): void;
}

/**
 * Serves a site that is built at the first visit, and again when a source has changed, in a process of its own, so
 * that a start neither installs nor loads anything for it.
 */
export function serveBuiltSite(options: BuiltSiteOptions): ServedSite {
  const { site, base, words, patienceMs = 10_000, own = {}, rewritten } = options;
  const { folder } = site;
  let building: Promise<string | null> | null = null;
  let builder: Deno.ChildProcess | null = null;

  /** Builds the site. What the builder said when it has failed, otherwise null. */
  const build = async () => {
    builder = new Deno.Command(Deno.execPath(), {
      args: site.build,
      cwd: root,
      env: { NO_COLOR: "1" },
      stdin: "null",
      stdout: "null",
      stderr: "piped",
      // A process group of its own, so that npm, which the builder runs, ends with it.
      detached: true,
    }).spawn();
    const { success, stderr } = await builder.output();
    builder = null;
    return success ? null : new TextDecoder().decode(stderr).trim();
  };

  const stop = () => {
    try {
      // npm goes on after a SIGTERM. What is half done is in a place of its own, and is begun anew.
      if (builder) Deno.kill(-builder.pid, "SIGKILL");
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error; // it has just ended by itself
    }
  };

  const answer = async (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url);
    if (request.method !== "GET" && request.method !== "HEAD") {
      const message = `${request.method} is not allowed here; use GET, HEAD`;
      return Response.json({ message }, { status: 405, headers: { Allow: "GET, HEAD" } });
    }
    if (pathname === base.slice(0, -1)) {
      return new Response(null, { status: 308, headers: { Location: `${base}${search}` } });
    }
    const path = pathname.slice(base.length);
    if (Object.hasOwn(own, path)) {
      const headers = { ...HEADERS, "Cache-Control": "no-store" };
      return Response.json(own[path](request), { headers });
    }
    // The other files belong to the page that was answered before.
    const isPage = /(\/|\.html|\.md|\.txt)$/.test(pathname);
    if (isPage ? !site.isCurrent() : !existsSync(join(folder, MADE_OF))) {
      building ??= build().catch(String).finally(() => building = null);
      const failure = await deadline(building, patienceMs).catch(() => undefined);
      if (failure === undefined) {
        return page(words.name, 503, beingBuilt(words.name), { "Retry-After": "2" });
      }
      if (failure !== null) return page(words.name, 500, notBuilt(words, failure));
    }
    return await answerFile(request, folder, path, base, rewritten);
  };
  return { fetch: answer, stop };
}

function beingBuilt(name: string): string {
  return `<meta http-equiv="refresh" content="2">
<h1>${name} is being built</h1>
<p>This takes a moment the first time, because what it needs is downloaded. The page loads itself again.</p>`;
}

function notBuilt({ name, command, otherwise }: BuiltSiteOptions["words"], said: string): string {
  return `<h1>${name} could not be built</h1>
<p>The API works all the same. <code>${command}</code> said:</p>
<pre>${escaped(said)}</pre>
<p>${otherwise}</p>`;
}

/** A page that needs no file. */
function page(
  name: string,
  status: number,
  content: string,
  headers: Record<string, string> = {},
): Response {
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>${name}</title>
<style>body{max-width:42rem;margin:3rem auto;padding:0 1rem;font:1rem/1.6 system-ui,sans-serif}pre{white-space:pre-wrap}</style>
<main>
${content}
</main>
`;
  return new Response(html, {
    status,
    headers: {
      ...HEADERS,
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-store",
      ...headers,
    },
  });
}
