import { anyPhone, type Company } from "../support/company.ts";
import { keyToken } from "../support/rest.ts";
import { TEMPLATE_COLUMNS } from "./templates.ts";

// What the tests of scopes send to the Data API.

/** A token of the company's key that has all scopes, for each scope; `admin` is no scope. */
export async function scopedTokens({ keys }: Company): Promise<Record<string, string>> {
  return {
    none: await keyToken(keys.all),
    read: await keyToken(keys.all, "read"),
    write: await keyToken(keys.all, "write"),
    messaging: await keyToken(keys.all, "messaging"),
    admin: await keyToken(keys.all, "admin"),
  };
}

/** The columns of a table that a key reads; of most tables all or none. */
export function columnsOf(table: string): string {
  if (table === "templates") return TEMPLATE_COLUMNS.join(",");
  if (table === "messages") {
    return "id,company_id,conversation_id,direction,type,content,rendered_text,status," +
      "whatsapp_message_id,created_at,updated_at";
  }
  return table !== "contacts"
    ? "*"
    : "id,company_id,name,email,phone,temperature,tags,source,job_title,empresa,custom_fields," +
      "do_not_contact,is_active,created_at,updated_at";
}

/** A row that a key may add to this table; undefined for a table to which it adds none. */
export function newRow(table: string, company: Company): Record<string, unknown> | undefined {
  const { contact_id, stage_ids } = company;
  if (table === "contacts") {
    return { phone: anyPhone(), name: "Grace", custom_fields: { plan: "gold" } };
  }
  if (table === "deals") return { title: "Deal", value: 1.5, contact_id, stage_id: stage_ids[0] };
}

/** What a key may change, by table. */
export const CHANGES: Record<string, Record<string, unknown>> = {
  contacts: { name: "Changed" },
  deals: { title: "Changed" },
  conversations: { status: "pending" },
};

/** The rows that `CHANGES` may change. */
export function idsOf(company: Company): Record<string, string> {
  const { contact_id, deal_id, conversation_id } = company;
  return { contacts: contact_id, deals: deal_id, conversations: conversation_id };
}
