import type { CatalogueEntry } from "./catalogue_entry.ts";
export type { CatalogueEntry } from "./catalogue_entry.ts";

/** What one template of the channel's list is; null when it has no name or no language. Never throws. */
export function catalogueEntry(_listed: unknown): CatalogueEntry | null {
  return null;
}
