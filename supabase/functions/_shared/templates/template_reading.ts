import type { CompanyDb } from "../database/company_db.ts";
import { rows } from "../database/rows.ts";
import type { Json } from "../database/types.ts";
import { readTemplates } from "./catalogue.ts";
import { ChannelTrouble } from "../channel/channel_list.ts";
import type { CatalogueEntry } from "./catalogue_entry.ts";
import type { ChannelConfig } from "../channel/channel_config.ts";

/** What changed in the database after templates were read from the channel. */
export interface Changes {
  /** How many templates the channel lists. */
  templates: number;
  added: number;
  changed: number;
  /** How many templates the channel no longer lists. */
  removed: number;
}

/** A business account whose templates are read, with the token of one messaging account in it. */
export interface TemplateSource {
  accountId: string;
  businessAccountId: string;
  token: string;
  /**
   * The database's time before the templates are read. The database does not replace templates that
   * another request began to read after this time.
   */
  beganAt: string;
}

/**
 * Reads the templates of one name from the channel and stores them.
 *
 * @returns the templates as the channel lists them now.
 * @throws ChannelTrouble when the channel does not list the templates; the errors of
 *   `storeReading()`; DatabaseError, ApiError.
 */
export async function readByName(
  db: CompanyDb,
  channel: ChannelConfig,
  source: TemplateSource,
  name: string,
): Promise<CatalogueEntry[]> {
  const entries = await readTemplates(channel, source, name);
  await storeReading(db, source, entries, name);
  return entries;
}

/**
 * Stores all templates that were read, or none of them.
 *
 * @param source includes the business account that was read.
 * @param onlyName is set when only the templates of this name were read.
 * @throws ChannelTrouble when the account has moved to another business account in the meantime;
 *   DatabaseError, ApiError.
 */
export async function storeReading(
  db: CompanyDb,
  { accountId, businessAccountId, beganAt }: Omit<TemplateSource, "token">,
  entries: CatalogueEntry[],
  onlyName?: string,
): Promise<Changes> {
  const answer = await db.rpc("apply_template_sync", {
    account_id: accountId,
    began_at: beganAt,
    templates: entries as unknown as Json,
    only_name: onlyName,
    business_account_id: businessAccountId,
  });
  if (answer.error?.code === "PT409") {
    throw new ChannelTrouble(
      `The account has left business account ${businessAccountId} while its templates were read`,
    );
  }
  return rows(answer) as unknown as Changes; // the jsonb from apply_template_sync()
}
