// The sources of the settings page, and their folders.
import { join } from "node:path";
import { root } from "./checkout.ts";
import { filesBelow, isMadeOf, stateOfFiles } from "./site_sources.ts";

/** The page is built into this folder by default, and the local stack serves it from there. */
export const SETTINGS_FOLDER = join(root, "settings", "dist");

/** A string that changes whenever one of the page's source files changes. */
export function stateOfSettings(): string {
  return stateOfFiles("settings", [...filesBelow("settings"), "package.json"]);
}

/** Whether a folder has a page that was built from the current sources. */
export function isCurrentSettings(out: string): boolean {
  return isMadeOf(out, stateOfSettings);
}
