import type postgres from "postgres";
import { anyPhone, type Company } from "./company.ts";

type Sql = postgres.Sql | postgres.TransactionSql;

/**
 * Adds a row of a company to each table in `rows`. Most of these tables store data from the channel
 * about a contact or an account.
 */
export async function addChannelFacts(
  sql: Sql,
  { id: company_id, contact_id, account_id }: Pick<Company, "id" | "contact_id" | "account_id">,
): Promise<void> {
  const of = { company_id, contact_id };
  const rows: [string, Record<string, unknown>][] = [
    ["account_health", { company_id, account_id, quality_rating: "GREEN" }],
    ["account_notices", {
      ...{ company_id, account_id, kind: "event", event: "ACCOUNT_RESTRICTION", value: {} },
      happened_at: new Date(),
    }],
    ["contact_identities", { ...of, user_id: `BR.${crypto.randomUUID()}` }],
    ["contact_former_phones", { ...of, phone: anyPhone(), until: new Date() }],
    ["contact_identity_events", { ...of, kind: "phone_changed", happened_at: new Date() }],
    ["contact_windows", { ...of, account_id, last_inbound_at: new Date() }],
    ["idempotency_keys", { company_id, path: "/contacts", key: "once", fingerprint: "digest" }],
    ["media_uploads", {
      ...{ company_id, account_id, media_id: "1815", type: "image", bytes: 48_213 },
      ...{ mime_type: "image/png", sha256: "5e".repeat(32) },
    }],
    ["opt_out_lifts", {
      ...{ ...of, kind: "do_not_contact", source: "word", asked_at: new Date() },
      ...{ reason: "Asked by phone", member_id: crypto.randomUUID() },
    }],
    ["user_id_changes", { company_id, was: "BR.1", becomes: "BR.2", happened_at: new Date() }],
    ["waiting_facts", { company_id, account_id, whatsapp_message_id: "wamid.unknown", item: {} }],
  ];
  for (const [table, row] of rows) {
    await sql`insert into ${sql(table)} ${sql(row)} on conflict do nothing`;
  }
}
