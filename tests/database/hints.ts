import type postgres from "postgres";

// What the channel tells of templates and accounts, as the items that the database applies.

type Sql = postgres.TransactionSql;

/** An item of an event: what the function whatsapp reads in it. */
export type Item = Record<string, unknown>;

/** So long ago, in the channel's whole seconds; by default now. */
export function ago(seconds = 0): string {
  return new Date(Math.floor(Date.now() / 1000 - seconds) * 1000).toISOString();
}

/** An event about order_update in pt_BR: it was rejected, unless the changes say otherwise. */
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

/** An event of a status, such as PAUSED. */
export const status = (event: string): Item => ({ event: "status", value: { event } });

export const QUALITY: Item = { event: "quality", value: { new_quality_score: "YELLOW" } };
export const CATEGORY: Item = {
  event: "category",
  value: { previous_category: "UTILITY", new_category: "MARKETING" },
};

/** Applies an item about a template to the catalogues of these accounts. */
export async function tellOfTemplate(
  sql: postgres.Sql | Sql,
  account_ids: string[],
  item: Item,
): Promise<string> {
  const [{ result }] = await sql`
    select app.apply_template_hint(${account_ids}::uuid[], ${sql.json(item as never)}) as result
  `;
  return result;
}

/** Applies an item about a business account to these accounts. */
export async function tellOfAccount(
  sql: postgres.Sql | Sql,
  account_ids: string[],
  item: Item,
): Promise<string> {
  const [{ result }] = await sql`
    select app.apply_account_event(${account_ids}::uuid[], ${sql.json(item as never)}) as result
  `;
  return result;
}

/** Applies the trouble of a number to its account. */
export async function tellOfTrouble(
  sql: postgres.Sql | Sql,
  account_id: string,
  item: Item,
): Promise<string> {
  const [{ result }] = await sql`
    select app.apply_trouble(${account_id}, ${sql.json(item as never)}) as result
  `;
  return result;
}
