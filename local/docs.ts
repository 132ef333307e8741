import { deadline } from "deno-std/async/deadline.js";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isCurrent, MADE_OF, SITE_FOLDER } from "./site_sources.ts";
import { root } from "./checkout.ts";
import { answerFile, HEADERS } from "./static_files.ts";
import { USUAL_PORT } from "./usual_port.ts";

export interface Docs {
  /** Answers /docs and everything below it. */
  fetch(request: Request): Promise<Response>;
  /** Ends a build that is under way. */
  stop(): void;
}

export interface DocsOptions {
  /** The demo key, with which "try it" of the reference calls the API. */
  apiKey: string | null;
  /** The port of the stack, which the examples of the pages name. */
  port: number;
  /** What is served; by default the site of this checkout. */
  site?: ServedSite;
  /** How long a visitor waits for a build before a page says that it is under way. */
  patienceMs?: number;
}

/** A site that may have to be built. */
export interface ServedSite {
  folder: string;
  isCurrent(): boolean;
  /** The arguments of Deno for a process that builds it, unless another one just has. */
  build: string[];
}

const SITE: ServedSite = {
  folder: SITE_FOLDER,
  isCurrent: () => isCurrent(SITE_FOLDER),
  build: ["run", "--allow-all", "--no-prompt", `${root}site/main.ts`, "--unless-current"],
};

/**
 * The documentation at /docs/. It is built at the first visit, and again when a source has changed, in a process of
 * its own, so that a start neither installs nor loads anything for it.
 */
export function serveDocs(
  { apiKey, port, site = SITE, patienceMs = 10_000 }: DocsOptions,
): Docs {
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

  /** A text with the address of this stack in place of the usual one. */
  const withOwnAddress = (text: string) =>
    text.replaceAll(`127.0.0.1:${USUAL_PORT}`, `127.0.0.1:${port}`);

  const answer = async (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url);
    if (request.method !== "GET" && request.method !== "HEAD") {
      const message = `${request.method} is not allowed here; use GET, HEAD`;
      return Response.json({ message }, { status: 405, headers: { Allow: "GET, HEAD" } });
    }
    if (pathname === "/docs") {
      return new Response(null, { status: 308, headers: { Location: `/docs/${search}` } });
    }
    if (pathname === "/docs/reference-settings.json") {
      const settings = { tryIt: true, server: "/functions/v1", apiKey };
      return Response.json(settings, { headers: { ...HEADERS, "Cache-Control": "no-store" } });
    }
    // The other files belong to the page that was answered before.
    const isPage = /(\/|\.html|\.md|\.txt)$/.test(pathname);
    if (isPage ? !site.isCurrent() : !existsSync(join(folder, MADE_OF))) {
      building ??= build().catch(String).finally(() => building = null);
      const failure = await deadline(building, patienceMs).catch(() => undefined);
      if (failure === undefined) return page(503, BEING_BUILT, { "Retry-After": "2" });
      if (failure !== null) return page(500, notBuilt(failure));
    }
    const path = pathname.slice("/docs/".length);
    return await answerFile(request, folder, path, "/docs/", withOwnAddress);
  };
  return { fetch: answer, stop };
}

const BEING_BUILT = `<meta http-equiv="refresh" content="2">
<h1>The documentation is being built</h1>
<p>This takes a moment the first time, because what it needs is downloaded. The page loads itself again.</p>`;

function notBuilt(said: string): string {
  return `<h1>The documentation could not be built</h1>
<p>The API works all the same. <code>npm run site</code> said:</p>
<pre>${said.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</pre>
<p>A build writes into the folder <code>site/</code>. The first one downloads two packages and a file with npm, so it
needs a network. Load this page again to try once more. The same pages are in the folder <code>docs/</code>, as
Markdown.</p>`;
}

/** A page that needs no file. */
function page(status: number, content: string, headers: Record<string, string> = {}): Response {
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>Documentation</title>
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
