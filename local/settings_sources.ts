// What the settings page is made of, and where it is.
import { join } from "node:path";
import { root } from "./checkout.ts";
import { filesBelow, isMadeOf, stateOfFiles } from "./site_sources.ts";

/** Where the page is built when nothing else is asked for, and from where the local stack serves it. */
export const SETTINGS_FOLDER = join(root, "settings", "dist");

/** A text that changes with every change of a source of the page. */
export function stateOfSettings(): string {
  return stateOfFiles([...filesBelow("settings"), "package.json"]);
}

/** Whether a folder has a page that was made of the sources as they are now. */
export function isCurrentSettings(out: string): boolean {
  return isMadeOf(out, stateOfSettings);
}
