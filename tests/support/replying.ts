import { type Answer, send } from "./calls.ts";
import { addMessage, type Company, newCompany } from "./company.ts";
import { stack, withDatabase } from "./test_stack.ts";

type Own = Pick<Company, "id" | "conversation_id" | "contact_id" | "account_id">;

/** The body of a free reply in a company's conversation, with these changes. */
export function replyIn<Changes extends Record<string, unknown>>(
  { conversation_id }: Pick<Company, "conversation_id">,
  changes: Changes = {} as Changes,
) {
  return { conversation_id, text: "Sim, às três está ótimo 👍", ...changes };
}

/** Sends a free reply through the stack, whose channel is the sandbox. */
export async function sendReply(key: string | null, json: unknown, query = ""): Promise<Answer> {
  return await send(`${stack.url}/functions/v1/whatsapp/messages${query}`, "POST", {
    ...(key !== null && { Authorization: `Bearer ${key}` }),
    "Content-Type": "application/json",
  }, JSON.stringify(json));
}

/**
 * Adds a message from the contact of the company's conversation, sent this many seconds ago.
 * Returns the message's id.
 */
export async function writes(company: Own, { secondsAgo = 1 } = {}): Promise<string> {
  const sent_at = new Date(Date.now() - secondsAgo * 1000);
  return await withDatabase((sql) => addMessage(sql, company, { sent_at }));
}

/** A company whose contact has just sent a message. */
export async function spokenTo(): Promise<Company> {
  const company = await newCompany();
  await writes(company);
  return company;
}

/** One day in seconds: a message from a contact keeps the window open for this long. */
export const A_DAY = 24 * 60 * 60;

/** The reply window of a company's contact for the company's account. */
export async function windowOf({ id, contact_id, account_id }: Own) {
  return await withDatabase(async (sql) => {
    const [found] = await sql`
      select last_inbound_at, closed_at, expires_at from contact_windows
      where company_id = ${id} and contact_id = ${contact_id} and account_id = ${account_id}
    `;
    return found;
  });
}

/**
 * Hides the phone number of a company's contact. The channel then identifies the contact with these
 * user ids, the newest last.
 */
export async function hidePhone({ id, contact_id }: Own, userIds: string[]) {
  await withDatabase(async (sql) => {
    for (const [at, user_id] of userIds.entries()) {
      const seen_at = new Date(Date.UTC(2026, 10, 1 + at));
      await sql`
        insert into contact_identities (company_id, contact_id, user_id, seen_at)
        values (${id}, ${contact_id}, ${user_id}, ${seen_at})
      `;
    }
    await sql`update contacts set has_identity = true, phone = null where id = ${contact_id}`;
  });
}
