import { existsSync } from "node:fs";
import { join, posix } from "node:path";
import { root } from "../local/checkout.ts";
import { type Rendered, rendered } from "./markdown.ts";
import { type Operation, operationNamed } from "./operations.ts";
import { placeOf, README, relativeLink } from "./pages.ts";

/** A page of the site that is made from Markdown. */
export interface Page extends Rendered {
  /** The path from the root of the repository, such as `docs/api.md`. */
  path: string;
  /** The path on the site, without an extension, such as `api`. */
  place: string;
  /** The page as Markdown, with links to the Markdown of other pages. */
  markdown: string;
}

/** A link from a page to a heading. The build checks that the heading exists. */
interface Anchored {
  from: string;
  path: string;
  anchor: string;
}

/** The repository path of each file that is also on the site, with its path on the site. */
export type Files = Map<string, string>;

/** The pages, and an error for each page that cannot be shown and for each broken link. */
interface ReadPages {
  pages: Page[];
  faults: string[];
}

/**
 * Reads pages and converts them to HTML.
 *
 * @param adapted changes the Markdown of a page before it is converted.
 */
export async function readPages(
  paths: string[],
  files: Files,
  operations: Operation[],
  adapted: (text: string) => string,
): Promise<ReadPages> {
  const anchored: Anchored[] = [];
  const faults: string[] = [];
  const pages = await Promise.all(paths.map(async (path) => {
    const text = adapted(await Deno.readTextFile(join(root, path)));
    const place = placeOf(path);
    /**
     * The URL to which a link leads. If the link leads to a page, the URL ends with `extension`.
     * Null for a file that is only in the repository.
     */
    const resolved = (target: string, extension: string): string | null => {
      if (/^[a-z]+:/.test(target)) return target;
      const [linked, anchor] = target.split("#");
      const to = linked === "" ? path : posix.normalize(`${posix.dirname(path)}/${linked}`);
      const behind = anchor === undefined ? "" : `#${anchor}`;
      if (to !== README && paths.includes(to)) {
        if (anchor !== undefined) anchored.push({ from: path, path: to, anchor });
        if (to === path) return behind || relativeLink(place, `${place}.${extension}`);
        return relativeLink(place, `${placeOf(to)}.${extension}`) + behind;
      }
      // The landing page replaces the README, but does not have the README's anchors.
      if (to === README) return relativeLink(place, `index.${extension}`);
      if (!existsSync(join(root, to))) {
        faults.push(`${path} links to ${target}, which does not exist.`);
      }
      const file = files.get(to);
      return file === undefined ? null : relativeLink(place, file);
    };
    const refuse = (fault: string) => faults.push(`${path}: ${fault}.`);
    const addressOf = (text: string) => {
      const operation = operationNamed(text, operations);
      return operation ? relativeLink(place, operation.address) : null;
    };
    const page = rendered(text, (target) => resolved(target, "html"), addressOf, refuse);
    const markdown = withLinks(text, (target) => resolved(target, "md"));
    return { ...page, path, place, markdown };
  }));
  for (const { from, path, anchor } of anchored) {
    const page = pages.find((page) => page.path === path);
    if (page && !page.headings.some((heading) => heading.anchor === anchor)) {
      faults.push(`${from} links to ${path}#${anchor}, but there is no such heading.`);
    }
  }
  return { pages, faults: [...new Set(faults)] };
}

/** Replaces the link URLs in Markdown. A link without a URL becomes text. */
function withLinks(text: string, resolve: (target: string) => string | null): string {
  // Blocks of code stay unchanged.
  const parts = text.split(/^( *```[^]*?^ *```$)/gm);
  return parts.map((part, at) => {
    if (at % 2 === 1) return part;
    return part.replaceAll(/\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g, (_, words, target) => {
      const address = resolve(target);
      return address === null ? words : `[${words}](${address})`;
    });
  }).join("");
}
