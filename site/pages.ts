// The pages of the site, in the order in which the site shows them.
import { posix } from "node:path";

/** Pages that belong together. */
export interface Group {
  title: string;
  /** The readers of the group: callers of the API, or people who run or change it. */
  readers: "callers" | "operators";
  /** Paths from the root of the repository. */
  pages: string[];
}

/** The landing page replaces this page, so links to this page lead to the landing page. */
export const README = "README.md";

/**
 * Every page of the site. The build fails if a page of docs/ is not listed, or if a listed page
 * does not exist.
 */
export const GROUPS: Group[] = [
  {
    title: "Start",
    readers: "callers",
    pages: [
      "docs/getting-started.md",
      "docs/authentication.md",
      "docs/settings.md",
      "docs/api.md",
    ],
  },
  {
    title: "Records",
    readers: "callers",
    pages: [
      "docs/finding.md",
      "docs/syncing.md",
      "docs/events.md",
      "docs/writing.md",
      "docs/deals.md",
      "docs/archiving.md",
      "docs/merging.md",
      "docs/erasing.md",
    ],
  },
  {
    title: "Messages",
    readers: "callers",
    pages: [
      "docs/sending-templates.md",
      "docs/receiving.md",
      "docs/media.md",
      "docs/replying.md",
      "docs/sandbox.md",
    ],
  },
  {
    title: "What to rely on",
    readers: "callers",
    pages: ["docs/errors.md", "docs/retrying.md", "docs/limits.md", "docs/versioning.md"],
  },
  {
    title: "Recipes",
    readers: "callers",
    pages: [
      "docs/recipes/sync-contacts.md",
      "docs/recipes/find-or-create-a-contact.md",
      "docs/recipes/open-and-move-a-deal.md",
      "docs/recipes/send-a-template-safely.md",
      "docs/recipes/answer-within-the-window.md",
      "docs/recipes/send-the-invoice.md",
      "docs/recipes/hear-the-voice-note.md",
    ],
  },
  {
    title: "Events and tools",
    readers: "callers",
    pages: ["docs/webhooks.md", "docs/client.md", "docs/automation.md", "docs/other-tools.md"],
  },
  {
    title: "Run it",
    readers: "operators",
    pages: ["docs/deploying.md", "docs/operating.md", "docs/importing.md", "SECURITY.md"],
  },
  {
    title: "Change it",
    readers: "operators",
    pages: [
      "CONTRIBUTING.md",
      "docs/architecture.md",
      "docs/conventions.md",
      "docs/testing.md",
    ],
  },
  {
    title: "Look it up",
    readers: "operators",
    pages: ["docs/specification.md", "docs/benchmarks.md", "docs/attack.md", "CHANGELOG.md"],
  },
];

/**
 * The path that a page of the repository has on the site, without an extension:
 * `docs/recipes/a.md` becomes `recipes/a`.
 */
export function placeOf(path: string): string {
  if (path === README) return "index";
  const place = path.replace(/^docs\//, "").replace(/\.md$/, "");
  return path.startsWith("docs/") ? place : place.toLowerCase();
}

/**
 * A link from one path of the site to another. The link is relative, so that the site can be below
 * any path of a host.
 */
export function relativeLink(from: string, to: string): string {
  return posix.relative(posix.dirname(from), to) || posix.basename(to);
}

/** Compares the list of pages with the existing pages. @returns a sentence for each error. */
export function faultsOfList(there: string[]): string[] {
  const listed = GROUPS.flatMap(({ pages }) => pages);
  return [
    ...there.filter((path) => path.startsWith("docs/") && !listed.includes(path))
      .map((path) => `${path} is missing from the site: add it to a group of site/pages.ts.`),
    ...listed.filter((path) => !there.includes(path))
      .map((path) => `${path} is in site/pages.ts, but there is no such page.`),
    ...listed.filter((path, at) => listed.indexOf(path) !== at)
      .map((path) => `${path} is in site/pages.ts twice.`),
  ];
}
