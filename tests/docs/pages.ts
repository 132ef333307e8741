// Reads the Markdown pages of this repository for the tests.
import { existsSync } from "node:fs";
import { dirname, normalize } from "node:path";
import { root } from "../../local/checkout.ts";
import { anchorMaker } from "../../site/anchors.ts";

/** A fenced code block: its language and its content. */
export interface Block {
  language: string;
  text: string;
}

/** A Markdown page. */
export interface Page {
  /** The path relative to the root of the checkout, such as `docs/api.md`. */
  path: string;
  text: string;
  blocks: Block[];
  /** The text without its code blocks. */
  prose: string;
}

// A code block in a list may be indented.
const BLOCK = /^( *)```(\w*)\n([\s\S]*?)^\1```$/gm;

/** Reads one page. */
export async function readPage(path: string): Promise<Page> {
  const text = await Deno.readTextFile(`${root}${path}`);
  const blocks = Array.from(text.matchAll(BLOCK), ([, indent, language, text]) => ({
    language,
    text: text.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  }));
  return { path, text, blocks, prose: text.replaceAll(BLOCK, "") };
}

/** The folders that contain pages. */
const FOLDERS = ["", "docs/", "docs/recipes/"];

/** Reads every page: the README and the pages next to it, those in docs/, and the recipes. */
export async function readPages(): Promise<Page[]> {
  const paths: string[] = [];
  for (const folder of FOLDERS.filter((folder) => existsSync(`${root}${folder}`))) {
    for await (const { name } of Deno.readDir(`${root}${folder}`)) {
      if (name.endsWith(".md")) paths.push(`${folder}${name}`);
    }
  }
  return await Promise.all(paths.sort().map(readPage));
}

/** The texts between backticks in the prose of a page. */
export function spans({ prose }: Page): string[] {
  return Array.from(prose.matchAll(/`([^`]+)`/g), ([, span]) => span.replaceAll("\n", " "));
}

/**
 * The command lines of a page: the lines of its shell blocks, and the texts between backticks.
 */
export function commandLines(page: Page): string[] {
  const lines = page.blocks.filter(({ language }) => language === "sh")
    .flatMap(({ text }) => text.split("\n"))
    .map((line) => line.trim());
  return [...lines, ...spans(page)].filter((line) => line !== "");
}

/** The anchors of a page's headings, as repository hosts make them. */
export function anchors({ prose }: Page): string[] {
  const anchorOf = anchorMaker();
  return Array.from(prose.matchAll(/^#+ (.+)$/gm), ([, heading]) => anchorOf(heading));
}

/** A link to another place of this repository. */
export interface Link {
  from: string;
  /** The path from the root of the checkout. */
  path: string;
  anchor: string | undefined;
}

/** The links of a page to places in this repository. */
export function links({ path: from, prose }: Page): Link[] {
  const targets = Array.from(prose.matchAll(/\]\(([^)\s]+)\)/g), ([, target]) => target);
  return targets.filter((target) => !/^[a-z]+:/.test(target)).map((target) => {
    const [path, anchor] = target.split("#");
    return { from, path: path === "" ? from : normalize(`${dirname(from)}/${path}`), anchor };
  });
}
