// Counts the rows that the list of sends and the log of sends read in a company with 20,000 sends.
import assert from "node:assert/strict";
import { hashKey } from "../../supabase/functions/_shared/key/presented_key.ts";
import type { Condition } from "../../supabase/functions/gateway/records/conditions.ts";
import { testsOf } from "../../supabase/functions/gateway/records/conditions.ts";
import { SEND } from "../../supabase/functions/gateway/resources/sends/read.ts";
import { actAs, actAsPerson, type Sql } from "../support/acting_as.ts";
import { type Company, makeCompany } from "../support/company.ts";
import { withOwnServer } from "./large_company.ts";
import { nodesOf, type PlanNode } from "./plan_nodes.ts";

const SENDS = 20_000;
/**
 * A page has 51 rows. Each row may need one row from each of three other tables, and the query also
 * reads a few other rows.
 */
const MOST = 1_500;

const KEY = crypto.randomUUID();

/** Adds sends that the recipients have read. The 20 oldest sends have other outcomes. */
async function addSends(sql: Sql, { id, contact_id, account_id }: Company) {
  await sql`
    with people as (
      insert into contacts (company_id, phone) select ${id}, '+1555' || 1000000 + n from generate_series(0, 1000) n
      returning id
    )
    insert into conversations (company_id, contact_id, messaging_account_id)
    select ${id}, id, ${account_id} from people
  `;
  const conversations = (await sql`
    select conversations.id from conversations join contacts on contacts.id = contact_id
    where contacts.company_id = ${id} and phone like '+15551______' order by phone
  `).map((row) => row.id);
  const [other] = conversations;
  await sql`set local session_replication_role = replica`;
  await sql`
    with message as (
      insert into messages (
        company_id, conversation_id, direction, outcome, content, created_at, read_at, expired_at, failed_at, failure
      )
      select ${id}, case when n > ${SENDS} - 20 then ${other}::uuid else (${conversations}::uuid[])[2 + n % 1000] end,
        'outbound', case when n > ${SENDS} - 20 and n % 5 > 1 then 'pending' else 'accepted' end,
        'Hello', now() - n * interval '1 minute', case when n <= ${SENDS} - 20 then now() end,
        case when n > ${SENDS} - 20 and n % 5 = 0 then now() end,
        case when n > ${SENDS} - 20 and n % 5 = 1 then now() end,
        case when n > ${SENDS} - 20 and n % 5 = 1 then '{"reason": "recipient_unreachable"}'::jsonb end
      from generate_series(1, ${SENDS}::int) n
      returning id, created_at, status, outcome
    )
    insert into sends (
      company_id, message_id, claim_id, state, whatsapp_message_id, created_at, template_name, language_code,
      api_key_id, lease_ends_at
    )
    select ${id}, id, gen_random_uuid(), case outcome when 'pending' then 'pending' else 'sent' end,
      case outcome when 'accepted' then id end, created_at,
      case status when 'read' then 'order_update' else 'rare' end, 'en',
      case status when 'read' then ${contact_id}::uuid else ${KEY}::uuid end, 'infinity'
    from message
  `;
  await sql`set local session_replication_role = origin`;
  await sql`analyze sends, messages, conversations, contacts`;
  return other;
}

/** The number of rows that the scans in a query plan read. */
function rowsRead(plan: PlanNode): number {
  const scans = nodesOf(plan).filter((node) => /Scan/.test(node["Node Type"]));
  const rows = scans.map((node) =>
    (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"]
  );
  return rows.reduce((sum, each) => sum + each, 0);
}

/** Converts a filter condition of the gateway to SQL. */
function sqlOf(condition: Condition): string {
  const tests = testsOf(condition).map(({ column, operator, operand }) => {
    if (operator === "in") return `${column} in ${operand.replaceAll('"', "'")}`;
    if (operator === "not.is") return `${column} is not null`;
    assert.ok(["eq", "gte"].includes(operator), operator);
    return `${column} ${operator === "eq" ? "=" : ">="} '${operand}'`;
  });
  return `(${tests.join(" or ")})`;
}

/**
 * The number of rows of sends, messages and conversations that this transaction has read.
 * views_find_plans_test.ts counts the rows of contacts.
 */
async function rowsReadSoFar(sql: Sql): Promise<number> {
  const [{ rows }] = await sql`
    select sum(pg_stat_get_xact_tuples_returned(id) + pg_stat_get_xact_tuples_fetched(id))::int as rows
    from unnest(array['sends', 'messages', 'conversations']::regclass[]) as tables (id)
  `;
  return rows;
}

/**
 * For each page, the log reads at most 5,000 sends, with two look-ups each. Rare sends, contacts
 * and templates are found through an index, even among the oldest sends.
 */
async function assertLogReadsPages(sql: Sql, { id, member_id }: Company) {
  const year = "2000-01-01";
  const searches: [asked: Record<string, string>, most: number, found: number][] = [
    [{}, 500, 50],
    [{ since: year }, 500, 50],
    [{ outcome: "read" }, 11_000, 50],
    // None of the newest 5,000 sends matches, so the log finds no row.
    [{ outcome: "accepted" }, 11_000, 0],
    [{ outcome: "failed" }, 500, 4],
    [{ outcome: "failed", since: year }, 500, 4],
    [{ outcome: "expired" }, 500, 4],
    [{ outcome: "pending" }, 500, 12],
    [{ reason: "recipient_unreachable" }, 500, 4],
    [{ search: "rare" }, 1_000, 20],
    [{ search: "order update" }, 21_000, 50],
    [{ search: "+15551000000" }, 500, 20],
    [{ search: "51000000", outcome: "failed" }, 500, 4],
    [{ search: "never-sent" }, 500, 0],
  ];
  await actAsPerson(sql, member_id);
  for (const [asked, most, found] of searches) {
    const before = await rowsReadSoFar(sql);
    const names = Object.keys(asked);
    const given = names.map((name, i) => `, ${name} => $${i + 2}`).join("");
    const [{ log }] = await sql.unsafe(
      `select list_company_sends($1::uuid${given}) as log`,
      [id, ...names.map((name) => asked[name])],
    );
    const read = await rowsReadSoFar(sql) - before;
    assert.equal(log.sends.length, found, JSON.stringify(asked));
    assert.ok(read <= most, `${JSON.stringify(asked)}: ${read} rows`);
  }
}

Deno.test("each filter of sends reads few rows, even if only the oldest sends match", async () => {
  // In the shared database, the sends of other tests would change the statistics.
  await withOwnServer((open) =>
    open("supabase_admin").begin(async (sql) => {
      const company = await makeCompany(sql);
      const key_hash = await hashKey(company.keys.read);
      const conversation_id = await addSends(sql, company);
      const [{ contact_id }] = await sql`
      select contact_id from conversations where id = ${conversation_id}
    `;
      await actAs(sql, "api_reader", { key_hash, scope: "read" });
      const [{ message_id }] = await sql`
      select message_id from own_sends order by created_at limit 1
    `;
      const queries: [field: string, operator: string, value: string][] = [
        ["state", "is", "pending"],
        ["state", "is", "failed,released"],
        ["state", "ne", "sent"],
        ["state", "is", "sent"],
        ["status", "is", "failed"],
        ["status", "is", "expired,pending"],
        ["status", "is", "read"],
        ["reason", "is", "recipient_unreachable"],
        ["reason", "empty", "false"],
        ["template_name", "is", "rare"],
        ["template_name", "is", "order_update"],
        ["template_name", "is", "unknown"],
        ["api_key_id", "is", KEY],
        ["api_key_id", "is", crypto.randomUUID()],
        ["conversation_id", "is", conversation_id],
        ["contact_id", "is", contact_id],
        ["phone", "is", "+15551000000"],
        ["idempotency_key", "is", "never-sent"],
        ["message_id", "is", message_id],
        ["created_at", "gte", "2100-01-01"],
      ];
      for (const [field, operator, value] of queries) {
        const filter = SEND.filters[field][operator as "is"];
        const conditions = filter!.read(value);
        if (typeof conditions === "string") throw new Error(conditions);
        const [row] = await sql.unsafe(`
        explain (analyze, timing off, format json)
        select * from own_sends where ${conditions.map(sqlOf).join(" and ")}
        order by created_at desc, message_id desc limit 51
      `);
        const read = rowsRead(row["QUERY PLAN"][0].Plan);
        assert.ok(
          read <= MOST,
          `${field} ${operator} ${value}: ${read} rows, ${JSON.stringify(row)}`,
        );
      }
      await assertLogReadsPages(sql, company);
    })
  );
});
