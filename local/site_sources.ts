// The sources of the documentation site, and their folders.
import { createHash } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { root } from "./checkout.ts";

/** The site is built into this folder by default, and the local stack serves it from there. */
export const SITE_FOLDER = join(root, "site", "dist");

/** The file in a built site that records the state of the site's sources. */
export const MADE_OF = ".made-of";

const FOLDERS = ["docs", "examples", "site"];
const FILES = ["CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "package.json"]
  .concat("supabase/functions/gateway/openapi.json");
const NOT_SOURCES = ["node_modules", "dist"];

/**
 * The sorted paths of a folder's files, from the root of the checkout; none when the folder does
 * not exist.
 */
export function filesBelow(folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return Array.from(Deno.readDirSync(join(root, folder))).flatMap(({ name, isDirectory }) => {
    if (NOT_SOURCES.includes(name) || name.startsWith(".") || name.startsWith("dist.")) return [];
    return isDirectory ? filesBelow(`${folder}/${name}`) : [`${folder}/${name}`];
  }).sort();
}

/**
 * A string that changes whenever one of the site's source files changes. Computing it takes a
 * millisecond or two.
 */
export function stateOfSources(): string {
  return stateOfFiles("site", [...FOLDERS.flatMap(filesBelow), ...FILES]);
}

/**
 * A string that changes whenever the name, size or modification time of one of these files changes.
 *
 * @param kind the kind of the build, with which the string begins.
 */
export function stateOfFiles(kind: string, paths: string[]): string {
  const hash = createHash("sha256");
  for (const path of paths) {
    const file = statSync(join(root, path), { throwIfNoEntry: false });
    hash.update(`${path}\n${file?.size}\n${file?.mtimeMs}\n`);
  }
  return `${kind} ${hash.digest("hex")}`;
}

/** Whether a folder has a site that was built from the current sources. */
export function isCurrent(out: string): boolean {
  return isMadeOf(out, stateOfSources);
}

/** Whether a folder was built from the current state of the sources. */
export function isMadeOf(out: string, stateOfSources: () => string): boolean {
  const file = join(out, MADE_OF);
  return existsSync(file) && Deno.readTextFileSync(file) === stateOfSources();
}
