import { type Operation, operationNamed } from "./operations.ts";
import type { Page } from "./page.ts";
import { GROUPS } from "./pages.ts";

/**
 * The page that lists all operations. The reference links to it only for an operation that no guide
 * names.
 */
const LIST = "docs/api.md";
const MOST = 4;

/**
 * For each operation, the title and the URL of each guide that mentions it. The reference links to
 * these guides. The link leads to the first section that names the operation, or calls the
 * operation in an example.
 */
export function guidesOf(
  pages: Page[],
  operations: Operation[],
): Record<string, [title: string, address: string][]> {
  const callers = GROUPS.filter(({ readers }) => readers === "callers").flatMap(({ pages }) =>
    pages
  );
  const guides = pages.filter(({ path }) => callers.includes(path) && path !== LIST);
  return Object.fromEntries(operations.map((operation) => {
    const found = guides.flatMap(({ title, place, named }) => {
      const first = named.find(({ text }) => operationNamed(text, operations) === operation);
      if (!first) return [];
      const { level, anchor } = first.heading;
      return [[title, `${place}.html${level === 1 ? "" : `#${anchor}`}`] as [string, string]];
    });
    const list = pages.find(({ path }) => path === LIST)!;
    const shown = found.length > 0 ? found.slice(0, MOST) : [
      [list.title, `${list.place}.html`] as [string, string],
    ];
    return [operation.name, shown];
  }));
}
