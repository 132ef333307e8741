import type postgres from "postgres";
import type { Sql } from "../support/acting_as.ts";

// Channel events about templates and accounts, as items that the database applies.

/** An item of an event, as the edge function `whatsapp` passes it to the database. */
export type Item = Record<string, unknown>;

/**
 * The time `seconds` seconds ago, in whole seconds, as the channel reports times. The default is
 * now.
 */
export function ago(seconds = 0): string {
  return new Date(Math.floor(Date.now() / 1000 - seconds) * 1000).toISOString();
}

/**
 * An event that reports the rejection of the template order_update in pt_BR. Fields in `changes`
 * replace the defaults.
 */
export function hint(business_account_id: string | null, changes: Item = {}): Item {
  return {
    kind: "template",
    waba: business_account_id,
    phone_number_id: null,
    at: ago(),
    event: "status",
    name: "order_update",
    language: "pt_BR",
    value: { event: "REJECTED", reason: "INVALID_FORMAT" },
    ...changes,
  };
}

/** An event that reports a template status, such as PAUSED. */
export const status = (event: string): Item => ({ event: "status", value: { event } });

export const QUALITY: Item = { event: "quality", value: { new_quality_score: "YELLOW" } };
export const CATEGORY: Item = {
  event: "category",
  value: { previous_category: "UTILITY", new_category: "MARKETING" },
};

/** Returns a function that applies an item with the function `name` of the schema `app`. */
function applying<To>(name: string, type: string) {
  return async (sql: postgres.Sql | Sql, to: To, item: Item): Promise<string> => {
    const values = [to as string, sql.json(item as never)];
    const [row] = await sql.unsafe(`select app.${name}($1::${type}, $2) as result`, values);
    return row.result;
  };
}

/** Applies an item about a template to these accounts' template catalogues. */
export const tellOfTemplate = applying<string[]>("apply_template_hint", "uuid[]");

/** Applies an item about a business account to these accounts. */
export const tellOfAccount = applying<string[]>("apply_account_event", "uuid[]");

/** Applies an item about a phone number's problem to the number's account. */
export const tellOfTrouble = applying<string>("apply_trouble", "uuid");
