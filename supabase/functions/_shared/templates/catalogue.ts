import type { CatalogueEntry } from "./catalogue_entry.ts";
import type { ChannelConfig } from "../channel/channel_config.ts";
import { readList } from "../channel/channel_list.ts";
import { catalogueEntry } from "./template.ts";

const FIELDS = [
  ...["id", "name", "language", "status", "category", "correct_category", "quality_score"],
  ...["rejected_reason", "parameter_format", "components", "message_send_ttl_seconds"],
].join(",");

const MAX_TEMPLATES = 10_000;

/**
 * The templates of a business account as the channel lists them now, one entry for each name and
 * language. If `name` is given, the list has only the templates with that name. An item without a
 * name or language is left out.
 *
 * @throws ChannelTrouble when a request fails, or when there are more than 10,000 templates. An
 *   incomplete list is never returned.
 */
export async function readTemplates(
  channel: ChannelConfig,
  { token, businessAccountId }: { token: string; businessAccountId: string },
  name?: string,
): Promise<CatalogueEntry[]> {
  const listed = await readList<CatalogueEntry | null>(channel, token, {
    path: `${encodeURIComponent(businessAccountId)}/message_templates`,
    query: { fields: FIELDS, ...(name !== undefined && { name }) },
    what: `the templates of business account ${businessAccountId}`,
    maxItems: MAX_TEMPLATES,
    read: (item) => {
      const entry = catalogueEntry(item);
      // The channel also finds names that begin with the requested name or resemble it.
      return entry && (name === undefined || entry.name === name) ? entry : null;
    },
  });
  // If a template moves to a later page while the pages are read, it is listed twice.
  const entries = new Map<string, CatalogueEntry>();
  for (const entry of listed) {
    if (entry) entries.set(JSON.stringify([entry.name, entry.language]), entry);
  }
  return [...entries.values()];
}
