// Which page is where on the site, in the order in which a reader meets them.
import { posix } from "node:path";

/** Pages that belong together. */
export interface Group {
  title: string;
  /** For whom it is: callers of the API, or those who run or change it. */
  readers: "callers" | "operators";
  /** Paths from the root of the repository. */
  pages: string[];
}

/** The page that the site has in its own form: links to it lead to the landing page. */
export const README = "README.md";

/** Every page of the site. The build fails on a page of docs/ that is not listed, and on one that is not there. */
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
    ],
  },
  {
    title: "Tools",
    readers: "callers",
    pages: ["docs/client.md", "docs/other-tools.md", "docs/automation.md"],
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

/** Where a page of the repository is on the site, without its extension: `docs/recipes/a.md` is `recipes/a`. */
export function placeOf(path: string): string {
  if (path === README) return "index";
  const place = path.replace(/^docs\//, "").replace(/\.md$/, "");
  return path.startsWith("docs/") ? place : place.toLowerCase();
}

/** A link from one place of the site to another, relative, so that the site can stand below any path. */
export function relativeLink(from: string, to: string): string {
  return posix.relative(posix.dirname(from), to) || posix.basename(to);
}

/** What is wrong with the list of pages, compared with the pages that there are. */
export function faultsOfList(there: string[]): string[] {
  const listed = GROUPS.flatMap(({ pages }) => pages);
  return [
    ...there.filter((path) => path.startsWith("docs/") && !listed.includes(path))
      .map((path) => `${path} has no place on the site: add it to a group of site/pages.ts.`),
    ...listed.filter((path) => !there.includes(path))
      .map((path) => `${path} is in site/pages.ts, but there is no such page.`),
    ...listed.filter((path, at) => listed.indexOf(path) !== at)
      .map((path) => `${path} is in site/pages.ts twice.`),
  ];
}
