import assert from "node:assert/strict";
import type postgres from "postgres";
import { actAsSuperuser } from "../support/acting_as.ts";
import type { Company } from "../support/company.ts";
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
