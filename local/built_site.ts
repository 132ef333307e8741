import { deadline } from "deno-std/async/deadline.js";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "./checkout.ts";
import { MADE_OF } from "./site_sources.ts";
import { answerFile, escaped, HEADERS } from "./static_files.ts";

/** A site that is built from files of this checkout. */
export interface BuiltSite {
  folder: string;
  isCurrent(): boolean;
  /**
   * The arguments for a Deno process that builds the site, unless another process has just built
   * it.
   */
  build: string[];
}

export interface BuiltSiteOptions {
  site: BuiltSite;
  /** The path under which the site is served, with a slash at both ends. */
  base: string;
  /** The message that a visitor sees while there is no build. */
  words: {
    /** The name of the site, as in "The documentation". */
    name: string;
    /** The command that builds the site. */
    command: string;
    /** HTML that explains what works without the site and what a build does. */
    otherwise: string;
  };
  /** After this time, a waiting visitor sees a page that says that the build is in progress. */
  patienceMs?: number;
  /** Files that the server generates itself. The key is the file's path below the base path. */
  own?: Record<string, (request: Request) => unknown>;
  /** Rewrites the content of a text file before it is served. */
  rewritten?(text: string): string;
}

/** A site that the local stack serves. */
export interface ServedSite {
  /** Handles requests for the base path and all paths below it. */
  fetch(request: Request): Promise<Response>;
  /** Ends a build that is in progress. */
  stop(): void;
}

/**
 * Serves a site that is built at the first visit, and again after a source has changed. The build
 * runs in a separate process, so that the stack's start does not install or load the build's
 * packages.
 */
export function serveBuiltSite(options: BuiltSiteOptions): ServedSite {
  const { site, base, words, patienceMs = 10_000, own = {}, rewritten } = options;
  const { folder } = site;
  let building: Promise<string | null> | null = null;
  let builder: Deno.ChildProcess | null = null;

  /** Builds the site. Returns the builder's output if it failed, otherwise null. */
  const build = async () => {
    builder = new Deno.Command(Deno.execPath(), {
      args: site.build,
      cwd: root,
      env: { NO_COLOR: "1" },
      stdin: "null",
      stdout: "null",
      stderr: "piped",
      // The build has its own process group, so that npm, which the builder runs, ends with the
      // builder.
      detached: true,
    }).spawn();
    const { success, stderr } = await builder.output();
    builder = null;
    return success ? null : new TextDecoder().decode(stderr).trim();
  };

  const stop = () => {
    try {
      // npm continues after a SIGTERM, so it is killed. Its unfinished files are in a separate
      // folder, and the next build starts again.
      if (builder) Deno.kill(-builder.pid, "SIGKILL");
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error; // the builder has just ended
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
    // Only requests for pages wait for a new build, because other files belong to a page that has
    // already been sent.
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
<p>This takes a moment the first time, because packages are downloaded. The page reloads by itself.</p>`;
}

function notBuilt({ name, command, otherwise }: BuiltSiteOptions["words"], said: string): string {
  return `<h1>${name} could not be built</h1>
<p>The API still works. <code>${command}</code> said:</p>
<pre>${escaped(said)}</pre>
<p>${otherwise}</p>`;
}

/** A page that loads no other file. */
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
