import assert from "node:assert/strict";
import { readPage } from "../docs/pages.ts";
import type { Company } from "../support/company.ts";
import { keyToken } from "../support/rest.ts";
import { TEMPLATE_COLUMNS } from "./templates.ts";

// The requests that the scope tests send to the Data API.

/** A token for each scope, for the company's key with all scopes. `admin` is not a scope. */
export async function scopedTokens({ keys }: Company): Promise<Record<string, string>> {
  return {
    none: await keyToken(keys.all),
    read: await keyToken(keys.all, "read"),
    write: await keyToken(keys.all, "write"),
    messaging: await keyToken(keys.all, "messaging"),
    webhooks: await keyToken(keys.all, "webhooks"),
    admin: await keyToken(keys.all, "admin"),
  };
}

/** The columns of a table that a key can read. For most tables, these are all columns or none. */
export function columnsOf(table: string): string {
  if (table === "templates") return TEMPLATE_COLUMNS.join(",");
  if (table === "messages") {
    return "id,company_id,conversation_id,direction,type,content,rendered_text,status," +
      "whatsapp_message_id,created_at,updated_at";
  }
  return "*";
}

/** A change to each table that a key can change. */
export const CHANGES: Record<string, Record<string, unknown>> = {
  contacts: { name: "Changed" },
  deals: { title: "Changed" },
  conversations: { status: "pending" },
};

/** For each table in `CHANGES`, the id of the row to change. */
export function idsOf(company: Company): Record<string, string> {
  const { contact_id, deal_id, conversation_id } = company;
  return { contacts: contact_id, deals: deal_id, conversations: conversation_id };
}

/**
 * For each table and function, the scopes that can read, change or call it according to
 * docs/architecture.md.
 * @param role the result contains only the scopes of tokens with this role.
 */
export async function documented(
  may: "read" | "change" | "call",
  role: "api_client" | "api_reader" = "api_client",
): Promise<Record<string, string>> {
  const { prose } = await readPage("docs/architecture.md");
  const found: Record<string, string> = {};
  for (const [, scope, as, verb, names] of prose.matchAll(ROW)) {
    if (verb !== may || (as ?? "api_client") !== role) continue;
    for (const [, name] of names.matchAll(/`(\w+)`/g)) {
      assert.ok(!(name in found), `${name} is there twice`);
      found[name] = scope === "any"
        ? "none read write messaging webhooks admin"
        : scope.replaceAll(",", "");
    }
  }
  return found;
}

const ROW = /^\| ([\w, ]+?)(?:, as `(\w+)`)? \| (\w+) \| (`[^|]+`) \|$/gm;
