import type postgres from "postgres";
import type { Sql } from "../support/acting_as.ts";
import type { Company } from "../support/company.ts";
import { type Claim, claim, SENT, settle } from "./sends.ts";

// The channel's reports about messages, as the edge function `whatsapp` passes them to the
// database, for tests of their effects.

/** The time when a test's reports start: one hour ago, in whole seconds. */
export const T0 = Math.floor(Date.now() / 1000) * 1000 - 3_600_000;

/** The time `seconds` seconds after T0. */
export const at = (seconds: number) => new Date(T0 + seconds * 1000);

/** The failure that an item for a report contains. */
export function failure(code: number, reason = "channel_error") {
  return { reason, code, message: `(#${code}) Failed`, details: `Details of ${code}` };
}

/** An item for a report that is dated `seconds` after T0. */
export function report(
  status: string,
  seconds: number,
  more: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    kind: "status",
    waba: null,
    phone_number_id: null,
    at: at(seconds).toISOString(),
    id: "wamid.1",
    status,
    mark: null,
    recipient_user_id: null,
    failure: status === "failed" ? failure(131026, "recipient_unreachable") : null,
    price: null,
    ...more,
  };
}

/** The callback data of a claimed send. */
export const mark = ({ send_id }: Claim, attempt = 1) => ({ send_id, attempt });

/** Applies a report to these accounts, as the function that receives events does. */
export async function applyStatus(
  sql: Sql,
  accounts: string[],
  item: Record<string, unknown>,
): Promise<string> {
  const [{ result }] = await sql`
    select app.apply_status(${accounts}::uuid[], ${sql.json(item as postgres.JSONValue)}) as result
  `;
  return result;
}

/** Claims a send for a company, and returns the claim with the id that settles the send. */
export async function claimed(
  sql: Sql,
  company: Company,
  asked: Record<string, unknown> = {},
): Promise<Claim> {
  const claim_id = crypto.randomUUID();
  return { claim_id, ...await claim(sql, company.keys.messaging, { claim_id, ...asked }) };
}

/** Claims a send and settles it as accepted, by default with the channel id wamid.1. */
export async function accepted(sql: Sql, company: Company, whatsapp_message_id = "wamid.1") {
  const send = await claimed(sql, company);
  await settle(sql, send.claim_id, { ...SENT, whatsapp_message_id });
  return send;
}

/** The status of a message and the columns that reports set, without null values. */
export async function facts(sql: Sql, messageId: string): Promise<Record<string, unknown>> {
  const [row] = await sql`
    select status, whatsapp_message_id as id, sent_at, delivered_at, read_at, failed_at, failure, price_category,
      price_type, expired_at
    from messages where id = ${messageId}
  `;
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}

/** A send's row in the ledger (the table `sends`), without null values. */
export async function ledger(sql: Sql, sendId: string): Promise<Record<string, unknown>> {
  const [row] = await sql`
    select state, reason, channel_code, whatsapp_message_id as id, nullif(double_sent_ids, '{}') as doubles
    from sends where id = ${sendId}
  `;
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}

/** The ids of the messages for which a company's reports and other events wait. */
export async function waiting(sql: Sql, companyId: string): Promise<string[]> {
  const rows = await sql`
    select whatsapp_message_id as id from waiting_facts where company_id = ${companyId} order by 1
  `;
  return rows.map(({ id }) => id);
}

/** The statement that applies a report to an account. */
export function statusStatement(account: string, item: Record<string, unknown>): string {
  return `select app.apply_status('{${account}}', '${JSON.stringify(item).replaceAll("'", "''")}')`;
}

/**
 * Runs these statements in every possible order, and returns the different results as JSON. Each
 * order is rolled back. The query `end` reads the rows to compare, in one column. To save time, the
 * statements of one order are sent together.
 */
export async function endsOf(sql: Sql, statements: string[], end: string): Promise<unknown[]> {
  const ends = new Set<string>();
  for (const order of orders(statements)) {
    const answers = await sql.unsafe(["savepoint before", ...order, end].join(";\n"));
    const rows = answers.at(-1) as unknown as Record<string, unknown>[];
    await sql`rollback to before`;
    ends.add(JSON.stringify(rows.map((row) => Object.values(row)[0])));
  }
  return [...ends].map((text) => JSON.parse(text));
}

/** Every order of these values. */
function orders<Value>(values: Value[]): Value[][] {
  if (values.length < 2) return [values];
  return values.flatMap((value, i) =>
    orders([...values.slice(0, i), ...values.slice(i + 1)]).map((rest) => [value, ...rest])
  );
}
