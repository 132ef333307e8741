import { escaped } from "./html.ts";
import { type Group, relativeLink } from "./pages.ts";
import type { Heading } from "./markdown.ts";

/** The data of the site that each page needs. */
export interface Site {
  name: string;
  groups: (Omit<Group, "pages"> & { pages: { place: string; title: string }[] })[];
}

interface Content {
  /** The path of the page on the site, without an extension, such as `recipes/a`. */
  place: string;
  title: string;
  description: string;
  /** The main content, as HTML. */
  main: string;
  headings?: Heading[];
  /** Whether the page also exists as Markdown. The default is true. */
  asMarkdown?: boolean;
  /** The class of the whole page, for the styles. */
  kind?: "landing";
}

/** A page loads only files of this site, and runs no inline script. */
const POLICY = "default-src 'self'; base-uri 'self'; form-action 'none'; object-src 'none'";

/**
 * A whole page: header, menu, content, table of contents, and links to the previous and next pages.
 */
export function pageOf(site: Site, content: Content): string {
  const { place, main, headings = [], kind } = content;
  const to = (target: string) => relativeLink(place, target);
  const contents = contentsOf(headings);
  const isLanding = kind === "landing";
  return `${head(site, content)}
<body${isLanding ? ' class="landing"' : ""}>
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<button class="menu-button" popovertarget="menu">Menu</button>
<a class="name" href="${to("index.html")}"${isLanding ? ' aria-current="page"' : ""}>${
    escaped(site.name)
  }</a>
<button class="search" type="button" hidden>Search <kbd>Ctrl K</kbd></button>
<nav aria-label="Parts of the site">
<a class="wide" href="${to("index.html")}#guides">Guides</a>
<a href="${to("reference.html")}">Reference</a>
<a class="wide" href="${to("openapi.json")}">OpenAPI</a>
</nav>
</header>
<div class="frame">
<nav class="menu" id="menu" aria-label="Pages" popover>
${menu(site, place)}
</nav>
<main id="main" tabindex="-1">
${contents}
<article>
${main}
</article>
${isLanding ? "" : ending(site, place)}
</main>
</div>
</body>
</html>
`;
}

/** The parts of a page's head that differ from page to page. */
interface HeadOptions {
  policy?: string;
  stylesheet?: string;
  /** Whether the page loads the script of the guides. */
  script?: boolean;
}

export function head(
  site: Site,
  { place, title, description, asMarkdown = true }: Content,
  { policy = POLICY, stylesheet = "style.css", script = true }: HeadOptions = {},
): string {
  const to = (target: string) => relativeLink(place, target);
  const whole = title === site.name ? title : `${title} · ${site.name}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="color-scheme" content="light dark">
<title>${escaped(whole)}</title>
<meta name="description" content="${escaped(description)}">
<link rel="icon" href="${to("favicon.svg")}" type="image/svg+xml">
<link rel="stylesheet" href="${to(stylesheet)}">
${asMarkdown ? `<link rel="alternate" type="text/markdown" href="${to(`${place}.md`)}">\n` : ""}${
    script ? `<script type="module" src="${to("site.js")}"></script>\n` : ""
  }</head>`;
}

/** The menu of all pages. The groups for operators are open only on their own pages. */
function menu(site: Site, place: string): string {
  const list = ({ title, pages }: Site["groups"][number]) => {
    const lines = pages.map((page) => {
      const here = page.place === place ? ' aria-current="page"' : "";
      const address = relativeLink(place, `${page.place}.html`);
      return `<li><a href="${address}"${here}>${escaped(page.title)}</a></li>`;
    });
    return `<p>${escaped(title)}</p>\n<ul>\n${lines.join("\n")}\n</ul>`;
  };
  const [callers, operators] = (["callers", "operators"] as const).map((readers) =>
    site.groups.filter((group) => group.readers === readers)
  );
  const isOpen = operators.some(({ pages }) => pages.some((page) => page.place === place));
  const reference = `<ul>\n<li><a href="${
    relativeLink(place, "reference.html")
  }">API reference</a></li>\n</ul>`;
  return `${callers.map(list).join("\n")}\n<p>Every operation</p>\n${reference}
<details${isOpen ? " open" : ""}>
<summary>Run and change it</summary>
${operators.map(list).join("\n")}
</details>`;
}

/** The table of contents, if it has more than one entry. */
function contentsOf(headings: Heading[]): string {
  const shown = headings.filter(({ level }) => level === 2 || level === 3);
  if (shown.length < 2) return "";
  const lines = shown.map(({ level, anchor, text }) =>
    `<li${level === 3 ? ' class="deeper"' : ""}><a href="#${anchor}">${escaped(text)}</a></li>`
  );
  return `<nav class="contents" aria-label="On this page">
<details>
<summary>On this page</summary>
<ul>
${lines.join("\n")}
</ul>
</details>
</nav>`;
}

/** Links to the previous and next pages, and to this page as Markdown. */
function ending(site: Site, place: string): string {
  const pages = site.groups.flatMap((group) => group.pages);
  const at = pages.findIndex((page) => page.place === place);
  const link = (page: typeof pages[number] | undefined, relation: "prev" | "next") => {
    if (!page) return "";
    const word = relation === "prev" ? "Previous" : "Next";
    return `<a rel="${relation}" href="${relativeLink(place, `${page.place}.html`)}">` +
      `<span>${word}</span> ${escaped(page.title)}</a>`;
  };
  const neighbours = at < 0
    ? ""
    : `<nav class="neighbours" aria-label="Previous and next page">${link(pages[at - 1], "prev")}${
      link(pages[at + 1], "next")
    }</nav>\n`;
  return `<footer>
${neighbours}<p><a href="${relativeLink(place, `${place}.md`)}">This page as Markdown</a></p>
</footer>`;
}
