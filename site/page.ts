import { existsSync } from "node:fs";
import { join, posix } from "node:path";
import { root } from "../local/checkout.ts";
import { type Rendered, rendered } from "./markdown.ts";
import { placeOf, README, relativeLink } from "./pages.ts";

/** A page of the site that is made from Markdown. */
export interface Page extends Rendered {
  /** From the root of the repository, such as `docs/api.md`. */
  path: string;
  /** On the site, without an extension, such as `api`. */
  place: string;
  /** The Markdown, with links that lead to other pages' Markdown. */
  markdown: string;
}

/** A link of a page to a heading of a page, to be compared with what there is. */
interface Anchored {
  from: string;
  path: string;
  anchor: string;
}

/** Files of the repository that the site has too, and where. */
export type Files = Map<string, string>;

/** Pages, and a sentence for each that cannot be shown and for each link that leads nowhere. */
interface ReadPages {
  pages: Page[];
  faults: string[];
}

/**
 * Reads pages and makes them HTML.
 *
 * @param adapted what becomes of the Markdown of a page before.
 */
export async function readPages(
  paths: string[],
  files: Files,
  adapted: (text: string) => string,
): Promise<ReadPages> {
  const anchored: Anchored[] = [];
  const faults: string[] = [];
  const pages = await Promise.all(paths.map(async (path) => {
    const text = adapted(await Deno.readTextFile(join(root, path)));
    const place = placeOf(path);
    /** Where a link leads, with an extension for pages; null for what only the repository has. */
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
      // The landing page has the README's content in its own form, so without its anchors.
      if (to === README) return relativeLink(place, `index.${extension}`);
      if (!existsSync(join(root, to))) {
        faults.push(`${path} links to ${target}, which is not there.`);
      }
      const file = files.get(to);
      return file === undefined ? null : relativeLink(place, file);
    };
    const refuse = (fault: string) => faults.push(`${path}: ${fault}.`);
    const page = rendered(text, (target) => resolved(target, "html"), refuse);
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

/** Markdown with other addresses in its links. What has no address any more becomes text. */
function withLinks(text: string, resolve: (target: string) => string | null): string {
  // Blocks of code stay as they are.
  const parts = text.split(/^( *```[^]*?^ *```$)/gm);
  return parts.map((part, at) => {
    if (at % 2 === 1) return part;
    return part.replaceAll(/\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g, (_, words, target) => {
      const address = resolve(target);
      return address === null ? words : `[${words}](${address})`;
    });
  }).join("");
}
