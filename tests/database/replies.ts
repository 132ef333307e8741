import assert from "node:assert/strict";
import { actAsSuperuser, type Sql } from "../support/acting_as.ts";
import type { Company } from "../support/company.ts";
import { actAsSender, type Claim } from "./sends.ts";

// Claims a free-form reply as the edge function does, for tests of claim_reply().

/**
 * Claims a reply in a conversation, as a request with this key does. Afterwards, the session has
 * the superuser's role again.
 */
export async function claimReply(
  sql: Sql,
  key: string,
  asked: { conversation_id: string } & Record<string, unknown>,
): Promise<Claim> {
  await actAsSender(sql, key);
  const values = { claim_id: crypto.randomUUID(), content: "Hello", ...asked };
  const named = Object.keys(values).map((argument, i) => `${argument} => $${i + 1}`);
  const [{ answer }] = await sql.unsafe(
    `select claim_reply(${named.join(", ")}) as answer`,
    Object.values(values) as string[],
  );
  await actAsSuperuser(sql);
  const { company_id, ...rest } = answer;
  assert.match(company_id, /^[0-9a-f-]{36}$/, "the response contains the company");
  return rest;
}

/**
 * Adds a message from the contact to a company's conversation. The message was sent `secondsAgo`
 * seconds before the current transaction began.
 */
export async function personWrites(
  sql: Sql,
  { id, conversation_id }: Pick<Company, "id" | "conversation_id">,
  secondsAgo: number,
): Promise<void> {
  await sql`
    insert into messages (company_id, conversation_id, direction, content, sent_at)
    values (
      ${id}, ${conversation_id}, 'inbound', 'Hello', now() - make_interval(secs => ${secondsAgo})
    )
  `;
}
