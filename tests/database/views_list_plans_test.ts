// Every list in the gateway reads an index in the list's order. So the thousandth page costs as
// much as the first, and no table is sorted or scanned. The tests read the planner's plans for the
// statements of the gateway's requests. The key belongs to a company with many rows. Many other
// companies have few rows. The planner does not know which company the key belongs to, and must not
// assume a small company.

import assert from "node:assert/strict";
import { hashKey } from "../../supabase/functions/_shared/key/presented_key.ts";
import { listRoutes } from "../support/routes.ts";
import { actAs, rolledBack, type Sql } from "../support/acting_as.ts";
import { type Company, makeCompany } from "../support/company.ts";
import { withOwnServer } from "./large_company.ts";
import { nodesOf, type PlanNode } from "./plan_nodes.ts";

interface List {
  /** The view and the columns that the gateway selects. */
  view: string;
  columns: string;
  /** The column of the filter, which directly follows the company in the index. */
  within?: string;
  /**
   * For each index, the columns that sort the list. The gateway uses each index in both directions.
   */
  orders: Record<string, readonly string[]>;
  /**
   * A statement that adds rows to every company in the table `crowd`. The column `rows` contains
   * the number of rows for each company.
   */
  fill: string;
  /**
   * The number of rows that can have the same value in the first sort column. The next page reads
   * these rows again.
   */
  alike: number;
  /** A condition of the list, in addition to the cursor. */
  filter?(company: Company): string;
  /**
   * The tables that the view joins. For each row of the view, an index finds one row in each of
   * these tables.
   */
  joins?: string[];
}

const MANY = 3000;
const FEW = 5;

async function makeSmallCompanies(sql: Sql) {
  await sql`
    with small as (insert into companies (name) select 'Small' from generate_series(1, 400) returning id),
      contact as (insert into contacts (company_id, phone) select id, '+15550100' from small),
      account as (
        insert into messaging_accounts (company_id, phone_number_id, display_phone, encrypted_token)
        select id, floor(random() * 1e15)::bigint, '+15550100', 'h..iv.c.t' from small
      )
    select from small
  `;
}

/**
 * Creates the table `crowd`: this company, which receives many rows, and the 400 small companies,
 * which receive few rows. The table also contains the ids that the rows need.
 */
async function makeCrowd(sql: Sql, { id }: Company) {
  await sql`
    create temporary table crowd on commit drop as
    select
      companies.id as company_id, contacts.id as contact_id, messaging_accounts.id as account_id,
      stages.id as stage_id, case companies.id when ${id} then ${MANY}::int else ${FEW}::int end as rows
    from companies
    join contacts on contacts.company_id = companies.id
    join messaging_accounts on messaging_accounts.company_id = companies.id
    join stages on stages.company_id = companies.id and stages.position = 0
    where companies.id = ${id} or companies.name = 'Small'
  `;
}

const STAGES: List = {
  view: "own_stages",
  columns: "id, company_id, pipeline_id, name, position, created_at, updated_at",
  orders: { stages_by_position_idx: ["pipeline_id", "position", "id"] },
  // In this test, the default pipeline has many stages, in addition to its first five stages. A
  // real pipeline has about a dozen stages. The page may begin at any stage of the default
  // pipeline, because the ids of pipelines are random.
  alike: MANY + 10,
  // The default pipeline receives as many stages as all other pipelines together.
  fill: `
    insert into pipelines (company_id, name, position)
    select company_id, 'Pipeline', n from crowd, generate_series(1, rows / 50) n;
    insert into stages (company_id, pipeline_id, name, position)
    select company_id, pipelines.id, 'Stage', case when is_default then 4 + n else n - 1 end
    from crowd join pipelines using (company_id),
      generate_series(1, case when is_default then rows else 50 end) n`,
};

const TEMPLATES: List = {
  view: "own_templates",
  columns: "id, name, language, status, components, variables, phone_number_ids",
  orders: { templates_by_name_idx: ["name", "language", "id"] },
  alike: 2, // in this test, a name has two languages
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
  view: "own_messages",
  columns: "*",
  within: "conversation_id",
  orders: { messages_newest_first_idx: ["created_at", "id"] },
  joins: ["conversations", "contacts"],
  alike: 1,
  // One conversation is long and the others are short, and their messages are mixed, as in
  // production.
  fill: `
    with short as (
      insert into conversations (company_id, contact_id, messaging_account_id, phone_number_id, status)
      select company_id, contact_id, account_id, '1', 'closed' from crowd, generate_series(1, rows / ${FEW})
      returning company_id, id
    ), message as (
      select company_id, id, n from short, generate_series(1, ${FEW}) n
      union all
      select company_id, conversations.id, n
      from crowd join conversations using (company_id), generate_series(1, rows) n
    )
    insert into messages (company_id, conversation_id, direction, content, created_at)
    -- The messages are as long as real messages. In a small table, the planner would sort all rows
    -- instead.
    select company_id, id, 'inbound', repeat('Hello ', 200), now() - n * interval '1 minute' from message order by random()`,
  filter: ({ conversation_id }) => `conversation_id = '${conversation_id}'`,
};

const LISTS: Record<string, List> = {
  contacts: {
    view: "own_contacts",
    columns: "id, name, phone, custom_fields, created_at",
    orders: {
      contacts_newest_first_idx: ["created_at", "id"],
      contacts_by_update_idx: ["updated_at", "id"],
      contacts_by_name_idx: ["name_sort", "id"],
    },
    alike: 2,
    fill: `
      insert into contacts (company_id, name, phone, created_at, updated_at)
      select company_id, 'Name ' || n / 2, '+1555' || 1000000 + n, now() - n * interval '1 minute',
        now() - n * interval '1 minute'
      from crowd, generate_series(1, rows) n`,
  },
  deals: {
    view: "own_deals",
    columns: "*",
    orders: {
      deals_newest_first_idx: ["created_at", "id"],
      deals_by_update_idx: ["updated_at", "id"],
      deals_by_title_idx: ["title_sort", "id"],
      deals_by_value_idx: ["value_sort", "id"],
      deals_by_stage_change_idx: ["stage_changed_at", "id"],
      deals_by_won_at_idx: ["won_sort", "id"],
      deals_by_lost_at_idx: ["lost_sort", "id"],
    },
    alike: 2,
    fill: `
      insert into deals
        (company_id, title, value, contact_id, stage_id, created_at, updated_at, stage_changed_at, won_at, lost_at)
      select company_id, 'Deal ' || n / 2, n / 2, contact_id, stage_id, at, at, at, at, at
      from crowd, generate_series(1, rows) n, lateral (select now() - n * interval '1 minute' as at) as moment`,
  },
  "deals/:id/history": {
    view: "own_deal_history",
    columns: "*",
    within: "deal_id",
    orders: { deal_history_by_time_idx: ["at", "id"] },
    alike: 1,
    // One deal has changed its status often and the other deals rarely, all in the same period. So
    // the planner can estimate how many of the deal's changes are in half of the period. As with
    // messages, the rows are long, so that they fill many blocks.
    fill: `
      insert into deals (company_id, title, contact_id, stage_id)
      select company_id, 'Deal', contact_id, stage_id from crowd, generate_series(1, rows / ${FEW});
      insert into deal_history (company_id, deal_id, kind, from_value, to_value, at)
      select deals.company_id, deals.id, 'status_changed', repeat('a', 250), repeat('b', 250),
        deals.created_at + n * interval '1 minute' * (${MANY} / moves)
      from crowd join deals using (company_id),
        lateral (select case when deals.created_at < now() then rows else ${FEW} end as moves) as often,
        generate_series(1, moves) n
      order by random()`,
    filter: ({ deal_id }) => `deal_id = '${deal_id}'`,
  },
  conversations: {
    view: "own_conversations",
    columns: "*",
    orders: {
      conversations_newest_first_idx: ["created_at", "id"],
      conversations_by_update_idx: ["updated_at", "id"],
      conversations_by_last_message_idx: ["last_message_sort", "id"],
    },
    alike: 1,
    fill: `
      insert into conversations (
        company_id, contact_id, messaging_account_id, phone_number_id, status, last_message_at, created_at,
        updated_at
      )
      select company_id, contact_id, account_id, '1', 'closed', now() - n * interval '1 minute',
        now() - n * interval '1 minute', now() - n * interval '1 minute'
      from crowd, generate_series(1, rows) n`,
  },
  sends: {
    view: "own_sends",
    columns: "*",
    orders: { sends_newest_first_idx: ["created_at", "message_id"] },
    joins: ["messages", "conversations", "contacts"],
    alike: 1,
    // Every company has one conversation, which contains all messages of the company.
    fill: `
      insert into conversations (company_id, contact_id, messaging_account_id, phone_number_id, status)
      select company_id, contact_id, account_id, '1', 'closed' from crowd;
      with message as (
        insert into messages (company_id, conversation_id, direction, outcome, content, created_at)
        select company_id, conversations.id, 'outbound', 'accepted', repeat('Hello ', 200),
          now() - n * interval '1 minute'
        from crowd join conversations using (company_id), generate_series(1, rows) n
        where status = 'closed'
        returning company_id, id, created_at
      )
      insert into sends (company_id, message_id, claim_id, state, whatsapp_message_id, created_at)
      select company_id, id, gen_random_uuid(), 'sent', id, created_at from message`,
  },
  teams: {
    view: "own_teams",
    columns: "id, company_id, name, created_at, updated_at",
    orders: { teams_newest_first_idx: ["created_at", "id"] },
    alike: 1,
    fill: `
      insert into teams (company_id, name, created_at)
      select company_id, 'Team ' || n, now() - n * interval '1 minute'
      from crowd, generate_series(1, rows) n`,
  },
  members: {
    view: "own_members",
    columns: "id, company_id, name, role, created_at, updated_at",
    orders: { company_members_newest_first_idx: ["created_at", "id"] },
    alike: 1,
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
    view: "own_pipelines",
    columns: "id, company_id, name, position, is_default, created_at, updated_at",
    orders: { pipelines_by_position_idx: ["position", "id"] },
    alike: 1,
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

interface Page {
  order: readonly string[];
  direction: "asc" | "desc";
  filter?: string;
  /** The values of the row after which the page starts. */
  start?: string[];
}

/**
 * The statement that the Data API creates for the gateway's request (see `after` in
 * _shared/http/pagination.ts).
 */
function pageQuery({ view, columns }: List, { order, direction, filter, start }: Page): string {
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
    select ${columns} from public.${view}
    ${conditions.length > 0 ? `where ${conditions.join(" and ")}` : ""}
    order by ${order.map((column) => `${column} ${direction}`).join(", ")} limit 51
  `;
}

/** For each computed column of a view, the table column that a query plan shows instead. */
const COMPUTED_OF: Record<string, string> = {
  name_sort: "name_words",
  title_sort: "words",
  value_sort: "value",
  won_sort: "won_at",
  lost_sort: "lost_at",
  last_message_sort: "last_message_at",
};

/**
 * Asserts that a statement reads only this index, with conditions on these columns. Also asserts
 * that the statement looks up the company once, and reads only the rows that it returns and at most
 * `alike` rows of earlier pages.
 */
async function assertWalks(
  sql: Sql,
  query: string,
  { index, alike, from, joins = [] }: {
    index: string;
    alike: number;
    from: string[];
    joins?: string[];
  },
) {
  const [row] = await sql.unsafe(`explain (analyze, buffers, timing off, format json) ${query}`);
  const all = nodesOf(row["QUERY PLAN"][0].Plan);
  const plan = JSON.stringify(row["QUERY PLAN"], null, 2);
  const isOfJoin = (node: PlanNode) =>
    /^(Nested Loop|Memoize|Materialize)$/.test(node["Node Type"]) ||
    /^Index/.test(node["Node Type"]) && joins.includes(node["Relation Name"]!);
  const nodes = joins.length > 0 ? all.filter((node) => !isOfJoin(node)) : all;
  const kinds = nodes.map((node) => node["Node Type"]).sort();
  assert.deepEqual(kinds, ["Index Scan", "Limit", "Result"], plan);
  const scan = nodes.find((node) => node["Node Type"] === "Index Scan")!;
  assert.equal(scan["Index Name"], index, plan);
  const conditions = (scan["Index Cond"] ?? "").split(" AND ");
  for (const column of ["company_id", ...from]) {
    const name = new RegExp(`\\b${COMPUTED_OF[column] ?? column}\\b.* [<>=]`);
    assert.ok(conditions.some((condition) => name.test(condition)), `${column}: ${plan}`);
  }
  const answered = nodes.find((node) => node["Node Type"] === "Limit")!["Actual Rows"];
  assert.equal(scan["Actual Rows"], answered, plan);
  const again = scan["Rows Removed by Filter"] ?? 0;
  assert.ok(again <= alike, plan);
  const company = nodes.find((node) => node["Node Type"] === "Result")!;
  assert.match(company["Subplan Name"]!, /^InitPlan/, plan);
  assert.equal(company["Actual Loops"], 1, plan);
  // The statement reads at most one block of the table for each row, and a few blocks of the index.
  // The blocks that the company look-up reads do not count.
  const blocksOf = (node: PlanNode) => node["Shared Hit Blocks"] + node["Shared Read Blocks"];
  const blocks = blocksOf(scan) - blocksOf(company);
  assert.ok(blocks <= answered + again + 10, `${blocks} blocks: ${plan}`);
}

Deno.test("these tests cover every list in the gateway", () => {
  for (const { pattern } of listRoutes) assert.ok(LISTS[pattern.slice(1)], pattern);
});

Deno.test("each page of every list reads the index that has the list's order", async (t) => {
  // In the tests' shared database, the rows of other tests would change the plans.
  await withOwnServer(async (open) => {
    const admin = open("supabase_admin");
    await admin.begin(makeSmallCompanies);
    for (const [name, list] of Object.entries(LISTS)) {
      await t.step(`the list of ${name}`, async () => {
        const company = await admin.begin(makeCompany);
        await rolledBack((sql) => assertOrders(sql, list, company), admin);
      });
    }
  });
});

/** Checks the plans for the first page and later pages of a list, in each order. */
async function assertOrders(sql: Sql, list: List, company: Company) {
  const { view, within, orders, alike, joins } = list;
  const divided = within ? [within] : [];
  const filter = list.filter?.(company);
  const key_hash = await hashKey(company.keys.read);
  await makeCrowd(sql, company);
  // Triggers and foreign key checks are off, because the rows are valid and there are many.
  await sql`set local session_replication_role = replica`;
  await sql.unsafe(list.fill);
  await sql`set local session_replication_role = origin`;
  const tables = await sql`
    select table_name as table from information_schema.view_table_usage where view_name = ${view}
  `;
  await sql.unsafe(`analyze ${tables.map(({ table }) => table).join(", ")}`);
  await actAs(sql, "api_reader", { key_hash, scope: "read" });

  for (const [index, order] of Object.entries(orders)) {
    const [middle] = await sql.unsafe(`
      select ${order.map((column) => `${column}::text`).join(", ")} from public.${view} as row
      ${filter ? `where ${filter}` : ""}
      order by ${order.map((column) => `row.${column}`).join(", ")}
      offset ${filter && !within ? 0 : MANY / 2} limit 1
    `);
    const start = order.map((column) => middle[column]);
    for (const direction of ["asc", "desc"] as const) {
      const first = pageQuery(list, { order, direction, filter });
      const from = filter ? [within ?? order[0]] : [];
      await assertWalks(sql, first, { index, alike, joins, from });
      // A pipeline has few stages and a template name has few languages, so later pages need no
      // index.
      if (filter && !within) continue;
      const later = pageQuery(list, { order, direction, filter, start });
      await assertWalks(sql, later, { index, alike, joins, from: [...divided, order[0]] });
    }
  }
}
