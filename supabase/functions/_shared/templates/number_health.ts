import type { ChannelConfig } from "../channel/channel_config.ts";
import { ChannelTrouble, readList } from "../channel/channel_list.ts";
import type { CompanyDb } from "../database/company_db.ts";
import { rows } from "../database/rows.ts";
import type { TemplateSource } from "./template_reading.ts";

/** The channel's name of the messaging limit, which all numbers of a business share. */
const LIMIT = "whatsapp_business_manager_messaging_limit";

const MAX_NUMBERS = 10_000;

/**
 * Reads the quality and the messaging limit of each number of a business account, and stores them
 * for the settings page. If the channel does not list a number, its earlier values remain.
 *
 * @throws DatabaseError
 */
export async function noteNumbers(
  db: CompanyDb,
  channel: ChannelConfig,
  { accountId, businessAccountId, token }: Omit<TemplateSource, "beganAt">,
) {
  try {
    const numbers = await readList(channel, token, {
      path: `${encodeURIComponent(businessAccountId)}/phone_numbers`,
      query: { fields: `id,quality_rating,${LIMIT}` },
      what: `the phone numbers of business account ${businessAccountId}`,
      maxItems: MAX_NUMBERS,
      read: numberOf,
    });
    rows(await db.rpc("note_numbers", { account_id: accountId, numbers }));
  } catch (error) {
    if (!(error instanceof ChannelTrouble)) throw error;
  }
}

/**
 * Converts a phone number of the channel's list to the form that `note_numbers()` accepts. In the
 * channel's list, a property may be missing or have an unexpected type.
 */
function numberOf(listed: unknown) {
  const number = (listed ?? {}) as Record<string, unknown>;
  return {
    id: word(number.id),
    quality_rating: word(number.quality_rating),
    messaging_limit: word(number[LIMIT]),
  };
}

function word(value: unknown): string | null {
  return typeof value === "string" && /^[\w.-]{1,100}$/.test(value) ? value : null;
}
