import assert from "node:assert/strict";
import type postgres from "postgres";
import { actAsSuperuser } from "../support/acting_as.ts";
import { addMessage, type Company } from "../support/company.ts";
import { actAsSender, type Claim } from "./sends.ts";

// Claims a free reply as the edge function does, for tests of claim_reply().

type Sql = postgres.TransactionSql;

/** Claims a reply in a conversation as a request with this key does; afterwards the superuser acts again. */
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
  assert.match(company_id, /^[0-9a-f-]{36}$/, "the answer has the company");
  return rest;
}

/** The person of a company's conversation writes, so many seconds before the present transaction. */
export async function personWrites(
  sql: Sql,
  company: Pick<Company, "id" | "conversation_id">,
  secondsAgo: number,
): Promise<void> {
  const [{ at }] = await sql`select now() - make_interval(secs => ${secondsAgo}) as at`;
  await addMessage(sql, company, { sent_at: at });
}
