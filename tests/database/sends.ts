import assert from "node:assert/strict";
import { hashKey } from "../../supabase/functions/_shared/key/presented_key.ts";
import { actAs, actAsSuperuser, type Sql } from "../support/acting_as.ts";
import { anyPhone, type Company } from "../support/company.ts";

// Claims and settles sends as the edge function does, for tests of claims, settlements and the
// ledger (the table `sends`).

/** The result of claim_template_send(). Its fields depend on the value of `result`. */
// deno-lint-ignore no-explicit-any -- tests compare any field of a response
export type Claim = Record<string, any>;

/**
 * Claims a send, as a request with this key does. Afterwards, the session has the superuser's role
 * again.
 */
export async function claim(
  sql: Sql,
  key: string,
  asked: Record<string, unknown> = {},
): Promise<Claim> {
  await actAsSender(sql, key);
  const answer = await callClaim(sql, asked);
  await actAsSuperuser(sql);
  return answer;
}

/** Acts as a template send request with this key. */
export async function actAsSender(sql: Sql, key: string): Promise<void> {
  await actAs(sql, "api_client", { key_hash: await hashKey(key), scope: "messaging" });
}

/** The arguments for claiming a template send. */
export const anyClaim = (asked: Record<string, unknown>) => ({
  ...{ claim_id: crypto.randomUUID(), phone: anyPhone(), content: "Hello", message_type: "text" },
  ...{ template_name: "order_update", language_code: "pt_BR", ...asked },
});

/**
 * Calls claim_template_send(), or a copy of that function, in the current role. The phone number is
 * new unless `asked` contains one. Every response contains the company, but this function returns
 * the company only if the result is `claimed`.
 */
export async function callClaim(
  sql: Sql,
  asked: Record<string, unknown> = {},
  name = "claim_template_send",
): Promise<Claim> {
  const { company_id, ...answer } = await call(sql, name, anyClaim(asked)) as Claim;
  assert.match(company_id, /^[0-9a-f-]{36}$/, "the response contains the company");
  return answer.result === "claimed" ? { company_id, ...answer } : answer;
}

// A settlement for each outcome.
export const SENT = { outcome: "sent", whatsapp_message_id: "wamid.1" };
export const FAILED = { outcome: "failed", reason: "template_rejected", channel_code: 132001 };
export const RELEASED = { outcome: "released", reason: "channel_unavailable", channel_code: 4 };

/**
 * Settles a claim with the token of an unknown key. Afterwards, the session has the superuser's
 * role again.
 */
export async function settle(
  sql: Sql,
  claim_id: string | null,
  settlement: Record<string, unknown>,
): Promise<string | null> {
  await actAs(sql, "api_client", { key_hash: "0".repeat(64), scope: "messaging" });
  const state = await callSettle(sql, { claim_id, ...settlement });
  await actAsSuperuser(sql);
  return state;
}

/** Calls settle_send() in the current role. */
export async function callSettle(sql: Sql, told: Record<string, unknown>): Promise<string | null> {
  return await call(sql, "settle_send", told) as string | null;
}

async function call(sql: Sql, name: string, values: Record<string, unknown>): Promise<unknown> {
  const named = Object.keys(values).map((argument, i) => `${argument} => $${i + 1}`);
  const [{ answer }] = await sql.unsafe(
    `select ${name}(${named.join(", ")}) as answer`,
    Object.values(values) as string[],
  );
  return answer;
}

/**
 * A send's state in the ledger and in its message, and whether the message has updated its
 * conversation.
 */
export async function standing(sql: Sql, sendId: string) {
  const [row] = await sql`
    select
      sends.state, sends.reason, sends.channel_code, sends.whatsapp_message_id as id,
      messages.status as message_status, messages.whatsapp_message_id as message_id,
      last_message_at is not null and last_message_at = messages.created_at as moved
    from sends as sends
    join messages on messages.id = sends.message_id
    join conversations on conversations.id = messages.conversation_id
    where sends.id = ${sendId}
  `;
  return { ...row };
}

/** Ends a send's lease immediately, as if the lease had expired. */
export async function endLease(sql: Sql, sendId: string) {
  await sql`update sends set lease_ends_at = now() where id = ${sendId}`;
}

/** Adds a contact to a company. */
export async function addContact(sql: Sql, row: Record<string, unknown>): Promise<string> {
  const [{ id }] = await sql`insert into contacts ${sql(row)} returning id`;
  return id;
}

/** Adds a pending send to a company's conversation, as a claim does. */
export async function addSend(
  sql: Sql,
  { id: company_id, conversation_id }: Company,
): Promise<{ send_id: string; message_id: string }> {
  const [message] = await sql`
    insert into messages (company_id, conversation_id, direction, content, outcome)
    values (${company_id}, ${conversation_id}, 'outbound', 'Hello', 'pending') returning id
  `;
  const [send] = await sql`
    insert into sends (company_id, idempotency_key, message_id, template_name, language_code, claim_id)
    values (${company_id}, 'once', ${message.id}, 'order_update', 'pt_BR', ${crypto.randomUUID()})
    returning id
  `;
  return { send_id: send.id, message_id: message.id };
}
