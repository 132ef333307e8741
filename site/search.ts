import { textOf } from "./html.ts";
import type { Page } from "./page.ts";
import { GROUPS } from "./pages.ts";

/** What the search finds: a heading of a page with the text below it. */
export interface Section {
  page: string;
  heading: string;
  /** The address from the root of the site, such as `api.html#errors`. */
  address: string;
  text: string;
  /** Whether the page is for callers of the API. */
  forCallers: boolean;
}

/** The sections of all pages, in the order of the pages. */
export function sectionsOf(pages: Page[]): Section[] {
  const callers = GROUPS.filter(({ readers }) => readers === "callers");
  return pages.flatMap(({ title, path, place, html, headings }) => {
    // The first part is the empty text before the first heading.
    const texts = html.split(/<h[1-6] id="[^]*?<\/h[1-6]>/).slice(1);
    return headings.map(({ text, anchor, level }, at) => ({
      page: title,
      forCallers: callers.some((group) => group.pages.includes(path)),
      heading: text,
      address: `${place}.html${level === 1 ? "" : `#${anchor}`}`,
      text: textOf(texts[at].replaceAll(/<\/(td|th|p|li|pre)>|<\/span>(?=<pre)/g, "$& "))
        .replaceAll(
          /\s+/g,
          " ",
        )
        .trim(),
    }));
  });
}
