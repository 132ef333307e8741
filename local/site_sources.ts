// What the documentation site is made of, and where it is.
import { createHash } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { root } from "./checkout.ts";

/** Where the site is built when nothing else is asked for, and from where the local stack serves it. */
export const SITE_FOLDER = join(root, "site", "dist");

/** The file of a built site that says what it was made of. */
export const MADE_OF = ".made-of";

const FOLDERS = ["docs", "examples", "site"];
const FILES = ["CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "package.json"]
  .concat("supabase/functions/gateway/openapi.json");
const NOT_SOURCES = ["node_modules", "dist"];

/** The files of a folder, from the root of the checkout, in order; none when there is no such folder. */
export function filesBelow(folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return Array.from(Deno.readDirSync(join(root, folder))).flatMap(({ name, isDirectory }) => {
    if (NOT_SOURCES.includes(name) || name.startsWith(".") || name.startsWith("dist.")) return [];
    return isDirectory ? filesBelow(`${folder}/${name}`) : [`${folder}/${name}`];
  }).sort();
}

/** A text that changes with every change of a source of the site. It costs a millisecond or two. */
export function stateOfSources(): string {
  return stateOfFiles([...FOLDERS.flatMap(filesBelow), ...FILES]);
}

/** A text that changes with every change of these files, by name, size and time. */
export function stateOfFiles(paths: string[]): string {
  const hash = createHash("sha256");
  for (const path of paths) {
    const file = statSync(join(root, path), { throwIfNoEntry: false });
    hash.update(`${path}\n${file?.size}\n${file?.mtimeMs}\n`);
  }
  return hash.digest("hex");
}

/** Whether a folder has a site that was made of the sources as they are now. */
export function isCurrent(out: string): boolean {
  return isMadeOf(out, stateOfSources);
}

/** Whether a folder was built of sources in the state in which they are now. */
export function isMadeOf(out: string, stateOfSources: () => string): boolean {
  const file = join(out, MADE_OF);
  return existsSync(file) && Deno.readTextFileSync(file) === stateOfSources();
}
