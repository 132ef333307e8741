// Every list of the gateway walks an index in the order of the list, so the thousandth page costs what the
// first does, and no table is sorted or scanned. The tests read the planner's plans for the statements of
// the gateway's requests, with the key of a company that has many rows among many companies that have few:
// the planner does not know whose key it is, and must not assume a small company.

import assert from "node:assert/strict";
import { hashKey } from "../../supabase/functions/_shared/key/presented_key.ts";
import type postgres from "postgres";
import { listRoutes } from "../support/routes.ts";
import { actAs, rolledBack } from "../support/acting_as.ts";
import { type Company, newCompany } from "../support/company.ts";

type Sql = postgres.TransactionSql;

interface List {
  table: string;
  columns: string;
  /** The column that the filter names and by which the index is divided before it is ordered. */
  within?: string;
  order: readonly string[];
  direction: "asc" | "desc";
  index: string;
  /** A statement that adds rows to every company of the table `crowd`, as many as its column `rows` says. */
  fill: string;
  /** How many rows can share a value of the first column of the order; a page reads those again. */
  alike: number;
  /** A condition of the list, besides the cursor. */
  filter?(company: Company): string;
}

const MANY = 3000;
const FEW = 5;

/** Makes the table `crowd`: this company, which gets many rows, and 400 that get few, with the ids that rows need. */
async function makeCrowd(sql: Sql, { id }: Company) {
  await sql`
    with small as (insert into companies (name) select 'Small' from generate_series(1, 400) returning id),
      contact as (insert into contacts (company_id, phone) select id, '+15550100' from small),
      account as (
        insert into messaging_accounts (company_id, phone_number_id, display_phone, encrypted_token)
        select id, floor(random() * 1e15)::bigint, '+15550100', 'h..iv.c.t' from small
      )
    select from small
  `;
  await sql`
    create temporary table crowd on commit drop as
    select
      companies.id as company_id, contacts.id as contact_id, messaging_accounts.id as account_id,
      stages.id as stage_id, case companies.id when ${id} then ${MANY}::int else ${FEW}::int end as rows
    from companies
    join contacts on contacts.company_id = companies.id
    join messaging_accounts on messaging_accounts.company_id = companies.id
    join stages on stages.company_id = companies.id and stages.position = 0
    where companies.id = ${id} or companies.created_at = now()
  `;
}

const NEWEST_FIRST = { order: ["created_at", "id"], direction: "desc", alike: 1 } as const;

const STAGES: List = {
  table: "stages",
  columns: "*",
  order: ["pipeline_id", "position", "id"],
  direction: "asc",
  alike: MANY, // in this test; a pipeline in use has a dozen
  index: "stages_by_position_idx",
  // The default pipeline gets as many stages as all others together.
  fill: `
    insert into pipelines (company_id, name, position)
    select company_id, 'Pipeline', n from crowd, generate_series(1, rows / 50) n;
    insert into stages (company_id, pipeline_id, name, position)
    select company_id, pipelines.id, 'Stage', n
    from crowd join pipelines using (company_id),
      generate_series(1, case when is_default then rows else 50 end) n`,
};

const TEMPLATES: List = {
  table: "templates",
  columns: "id, name, language, status, components, variables, phone_number_ids",
  order: ["name", "language", "id"],
  direction: "asc",
  alike: 2, // in this test, a name in two languages
  index: "templates_by_name_idx",
  fill: `
    insert into template_catalogues (company_id, business_account_id) select company_id, '1' from crowd;
    insert into templates (
      company_id, business_account_id, name, language, status, status_since, parameter_format, components,
      variables, rendering, read_at
    )
    select company_id, '1', 'template_' || n / 2, case n % 2 when 0 then 'en' else 'es' end, 'APPROVED', now(),
      'POSITIONAL', '[]', '{"header": [], "body": [], "buttons": []}', '{"buttons": []}', now()
    from crowd, generate_series(1, rows) n`,
};

const MESSAGES: List = {
  table: "messages",
  columns: "*",
  within: "conversation_id",
  ...NEWEST_FIRST,
  index: "messages_newest_first_idx",
  // One conversation is long and the others are short, and their messages lie mixed, as they come. The trigger
  // that moves a conversation is off: it would move the long one for every message.
  fill: `
    set local session_replication_role = replica;
    with short as (
      insert into conversations (company_id, contact_id, messaging_account_id, status)
      select company_id, contact_id, account_id, 'closed' from crowd, generate_series(1, rows / ${FEW})
      returning company_id, id
    ), message as (
      select company_id, id, n from short, generate_series(1, ${FEW}) n
      union all
      select company_id, conversations.id, n
      from crowd join conversations using (company_id), generate_series(1, rows) n
    )
    insert into messages (company_id, conversation_id, direction, content, created_at)
    select company_id, id, 'inbound', 'Hello', now() - n * interval '1 minute' from message order by random();
    set local session_replication_role = origin`,
  filter: ({ conversation_id }) => `conversation_id = '${conversation_id}'`,
};

const LISTS: Record<string, List> = {
  contacts: {
    table: "contacts",
    columns: "id, name, phone, custom_fields, created_at",
    ...NEWEST_FIRST,
    index: "contacts_newest_first_idx",
    fill: `
      insert into contacts (company_id, phone, created_at)
      select company_id, '+1555' || 1000000 + n, now() - n * interval '1 minute'
      from crowd, generate_series(1, rows) n`,
  },
  deals: {
    table: "deals",
    columns: "*",
    ...NEWEST_FIRST,
    index: "deals_newest_first_idx",
    fill: `
      insert into deals (company_id, title, contact_id, stage_id, created_at)
      select company_id, 'Deal', contact_id, stage_id, now() - n * interval '1 minute'
      from crowd, generate_series(1, rows) n`,
  },
  conversations: {
    table: "conversations",
    columns: "*",
    ...NEWEST_FIRST,
    index: "conversations_newest_first_idx",
    fill: `
      insert into conversations (company_id, contact_id, messaging_account_id, status, created_at)
      select company_id, contact_id, account_id, 'closed', now() - n * interval '1 minute'
      from crowd, generate_series(1, rows) n`,
  },
  teams: {
    table: "teams",
    columns: "*",
    ...NEWEST_FIRST,
    index: "teams_newest_first_idx",
    fill: `
      insert into teams (company_id, name, created_at)
      select company_id, 'Team ' || n, now() - n * interval '1 minute'
      from crowd, generate_series(1, rows) n`,
  },
  members: {
    table: "company_members",
    columns: "*",
    ...NEWEST_FIRST,
    order: ["created_at", "user_id"],
    index: "company_members_newest_first_idx",
    fill: `
      with people as (
        insert into auth.users (id)
        select gen_random_uuid() from crowd, generate_series(1, rows)
        returning id
      ), numbered as (select id, row_number() over () as n from people)
      insert into company_members (company_id, user_id, created_at)
      select company_id, id, now() - n * interval '1 minute'
      from (select *, row_number() over () as place from crowd, generate_series(1, rows)) as seats
      join numbered on n = place`,
  },
  pipelines: {
    table: "pipelines",
    columns: "*",
    order: ["position", "id"],
    direction: "asc",
    alike: 1,
    index: "pipelines_by_position_idx",
    fill: `
      insert into pipelines (company_id, name, position)
      select company_id, 'Pipeline', n from crowd, generate_series(1, rows) n`,
  },
  stages: STAGES,
  "stages of a pipeline": {
    ...STAGES,
    filter: ({ pipeline_id }) => `pipeline_id = '${pipeline_id}'`,
  },
  "conversations/:id/messages": MESSAGES,
  templates: TEMPLATES,
  "templates of a name": { ...TEMPLATES, filter: () => "name = 'template_2'" },
};

/**
 * The statement that the Data API makes of the gateway's request for a page that starts after a row with
 * these values; see `after` in _shared/http/pagination.ts.
 */
function pageQuery(
  { table, columns, order, direction }: List,
  { filter, start }: { filter?: string; start?: string[] },
): string {
  const conditions = filter ? [filter] : [];
  if (start) {
    const beyond = direction === "asc" ? ">" : "<";
    const at = (i: number, operator: string) => `${order[i]} ${operator} '${start[i]}'`;
    const atOrBeyond = (i: number): string =>
      i === order.length - 1
        ? at(i, beyond)
        : `(${at(i, `${beyond}=`)} and (${at(i, beyond)} or ${atOrBeyond(i + 1)}))`;
    conditions.push(at(0, `${beyond}=`), `(${at(0, beyond)} or ${atOrBeyond(1)})`);
  }
  return `
    select ${columns} from public.${table}
    ${conditions.length > 0 ? `where ${conditions.join(" and ")}` : ""}
    order by ${order.map((column) => `${column} ${direction}`).join(", ")} limit 51
  `;
}

interface PlanNode {
  "Node Type": string;
  "Index Name"?: string;
  "Index Cond"?: string;
  "Subplan Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Shared Hit Blocks": number;
  "Shared Read Blocks": number;
  Plans?: PlanNode[];
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

/**
 * Asserts that a statement only walks this index, starting at conditions on these columns, evaluates the
 * policy once, and reads no more rows than it returns.
 */
async function assertWalks(sql: Sql, query: string, { index, alike }: List, from: string[]) {
  const [row] = await sql.unsafe(`explain (analyze, buffers, timing off, format json) ${query}`);
  const nodes = nodesOf(row["QUERY PLAN"][0].Plan);
  const plan = JSON.stringify(row["QUERY PLAN"], null, 2);
  const kinds = nodes.map((node) => node["Node Type"]).sort();
  assert.deepEqual(kinds, ["Index Scan", "Limit", "Result"], plan);
  const scan = nodes.find((node) => node["Node Type"] === "Index Scan")!;
  assert.equal(scan["Index Name"], index, plan);
  for (const column of ["company_id", ...from]) {
    assert.match(scan["Index Cond"] ?? "", new RegExp(`\\("?${column}"? [<>=]`), plan);
  }
  const answered = nodes.find((node) => node["Node Type"] === "Limit")!["Actual Rows"];
  assert.equal(scan["Actual Rows"], answered, plan);
  assert.ok((scan["Rows Removed by Filter"] ?? 0) <= alike, plan);
  const policy = nodes.find((node) => node["Node Type"] === "Result")!;
  assert.match(policy["Subplan Name"]!, /^InitPlan/, plan);
  assert.equal(policy["Actual Loops"], 1, plan);
  // At most one block of the table for each row, and a few of the index, not counting those of the policy.
  const blocksOf = (node: PlanNode) => node["Shared Hit Blocks"] + node["Shared Read Blocks"];
  const blocks = blocksOf(scan) - blocksOf(policy);
  assert.ok(blocks <= answered + 10, `${blocks} blocks: ${plan}`);
}

Deno.test("every list of the gateway is here", () => {
  for (const { pattern } of listRoutes) assert.ok(LISTS[pattern.slice(1)], pattern);
});

for (const [name, list] of Object.entries(LISTS)) {
  const { table, within, order, index } = list;
  const divided = within ? [within] : [];

  Deno.test(`each page of the list of ${name} walks its index`, async () => {
    const company = await newCompany();
    const filter = list.filter?.(company);
    const key_hash = await hashKey(company.keys.read);
    await rolledBack(async (sql) => {
      await makeCrowd(sql, company);
      await sql.unsafe(list.fill);
      await sql.unsafe(`analyze ${table}`);
      await actAs(sql, "api_client", { key_hash, scope: "read" });

      const columns = await sql`
        select attname from pg_attribute where attrelid = ${`public.${index}`}::regclass order by attnum
      `;
      assert.deepEqual(columns.map(({ attname }) => attname), ["company_id", ...divided, ...order]);
      const first = pageQuery(list, { filter });
      await assertWalks(sql, first, list, filter ? [within ?? order[0]] : []);
      // A pipeline has few stages and a name few languages, so their later pages need no index.
      if (filter && !within) return;

      const [middle] = await sql.unsafe(`
        select ${order.map((column) => `${column}::text`).join(", ")} from public.${table}
        ${filter ? `where ${filter}` : ""}
        order by ${order.map((column) => `${table}.${column}`).join(", ")}
        offset ${MANY / 2} limit 1
      `);
      const start = order.map((column) => middle[column]);
      await assertWalks(sql, pageQuery(list, { filter, start }), list, [...divided, order[0]]);
    });
  });
}
