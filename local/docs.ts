import { join } from "node:path";
import { type BuiltSite, serveBuiltSite, type ServedSite } from "./built_site.ts";
import { root } from "./checkout.ts";
import { isCurrent, SITE_FOLDER } from "./site_sources.ts";
import { USUAL_PORT } from "./usual_port.ts";

export interface DocsOptions {
  /** The demo key. "Try it" in the reference calls the API with this key. */
  apiKey: string | null;
  /** The port of the stack, which the examples on the pages use. */
  port: number;
  /** The stack's data folder. The examples on the pages read stack.json from this folder. */
  folder: string;
  /** The folder to serve; by default the site of this checkout. */
  site?: BuiltSite;
  /** After this time, a waiting visitor sees a page that says that the build is in progress. */
  patienceMs?: number;
}

const SITE: BuiltSite = {
  folder: SITE_FOLDER,
  isCurrent: () => isCurrent(SITE_FOLDER),
  build: ["run", "--allow-all", "--no-prompt", `${root}site/main.ts`, "--unless-current"],
};

/** The documentation at /docs/. */
export function serveDocs(
  { apiKey, port, folder, site = SITE, patienceMs }: DocsOptions,
): ServedSite {
  return serveBuiltSite({
    site,
    patienceMs,
    base: "/docs/",
    words: {
      name: "The documentation",
      command: "npm run site",
      otherwise:
        "A build writes into the folder <code>site/</code>. The first build downloads two " +
        "packages and a file with npm, so it needs a network. Load this page again to try " +
        "again. The same pages are in the folder <code>docs/</code>, as Markdown.",
    },
    own: {
      "reference-settings.json": () => ({ tryIt: true, server: "/functions/v1", apiKey }),
    },
    // Replaces the default URL and data folder in a page with those of this stack.
    rewritten: (text) =>
      text.replaceAll(`127.0.0.1:${USUAL_PORT}`, `127.0.0.1:${port}`)
        .replaceAll(/(?:\.\/)?\.local\/(?=(?:stack|secrets)\.json)/g, (usual) =>
          isOther(folder) ? `${folder}/` : usual),
  });
}

/**
 * Whether the pages must show this folder instead of the usual folder. The pages keep the usual
 * folder if a shell or a page would have to escape this folder's name.
 */
function isOther(folder: string): boolean {
  return folder !== join(root, ".local") && /^[\p{L}\p{N} ._/~+@=,-]+$/u.test(folder);
}
