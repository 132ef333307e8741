import { type BuiltSite, serveBuiltSite, type ServedSite } from "./built_site.ts";
import { root } from "./checkout.ts";
import { isCurrentSettings, SETTINGS_FOLDER } from "./settings_sources.ts";

export interface SettingsOptions {
  publishableKey: string;
  /** Whether the same stack serves the documentation at /docs/. */
  hasDocs: boolean;
  /** The folder to serve; by default the page of this checkout. */
  site?: BuiltSite;
  /** After this time, a waiting visitor sees a page that says that the build is in progress. */
  patienceMs?: number;
}

const SITE: BuiltSite = {
  folder: SETTINGS_FOLDER,
  isCurrent: () => isCurrentSettings(SETTINGS_FOLDER),
  build: ["run", "--allow-all", "--no-prompt", `${root}settings/main.ts`, "--unless-current"],
};

/**
 * Serves the page on which a company manages its API keys, at /settings/, and the page's
 * configuration for this project.
 */
export function serveSettings(
  { publishableKey, hasDocs, site = SITE, patienceMs }: SettingsOptions,
): ServedSite {
  return serveBuiltSite({
    site,
    patienceMs,
    base: "/settings/",
    words: {
      name: "The settings page",
      command: "npm run settings",
      otherwise:
        "A build writes into the folder <code>settings/</code>. The first build downloads two " +
        "packages with npm, so it needs a network. Load this page again to try again. " +
        "<code>npm run admin -- key create</code> makes a key without the page.",
    },
    own: {
      "config.json": (request) => {
        // The page sends its requests to the host name that the visitor used, because a browser
        // treats another name as another site.
        const { origin } = new URL(request.url);
        return {
          project_url: origin,
          publishable_key: publishableKey,
          docs_url: hasDocs ? `${origin}/docs/` : null,
          mail_url: `${origin}/sandbox/mail`,
        };
      },
    },
  });
}
