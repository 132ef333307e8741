// What a search reads of a company with 100,000 contacts. The statements are those that the Data API makes of what the
// gateway asks, for every filter that a list takes; a new filter fails here until it has a case.

import assert from "node:assert/strict";
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql as kysely,
} from "kysely";
import type postgres from "postgres";
import { parseFilter, parseJunction } from "../../local/rest/filter_grammar.ts";
import { conditionSql } from "../../local/rest/filter_sql.ts";
import type { Sql } from "../../local/postgres/database.ts";
import { readConfig } from "../../supabase/functions/_shared/config.ts";
import {
  amongArchived,
  type Archived,
  archivedConditions,
} from "../../supabase/functions/gateway/records/archived.ts";
import { type Condition, meeting } from "../../supabase/functions/gateway/records/conditions.ts";
import { gatewayOperations } from "../../supabase/functions/gateway/operations.ts";
import { folded, patternOf, wordsOf } from "../../supabase/functions/gateway/records/words.ts";
import { environment } from "../support/test_stack.ts";
import { casesOf, ORDINARY } from "./find_cases.ts";
import { KEY_HASH, withLargeCompany } from "./large_company.ts";

const VIEWS: Record<string, string> = {
  "/contacts": "own_contacts",
  "/deals": "own_deals",
  "/conversations": "own_conversations",
};
const NO_FILTERS = ["limit", "cursor", "fields", "include", "sort", "include_total", "archived"];
/** As the resources say it. */
const ARCHIVES: Record<string, { keptIn?: Record<string, string> }> = {
  "/contacts": { keptIn: { phone_key: "archived_phone_key" } },
  "/deals": {},
};

/** More than a page may read. */
const ARCHIVED = 3_000;
const UNDONE = new Error("undone");

const SEARCHED = [
  ...["Zylberstajn", "щербаков", "zeppelin", "nobody"],
  ...["ana", "ana silva", "a", "acme"],
];

/** A configuration that reaches nothing: only the declarations of the operations are read here. */
const NOWHERE = await readConfig(environment({ supabaseUrl: "http://127.0.0.1:9" }));

const compiler = new Kysely({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/** The query parameters of a list, as the gateway checks them. */
function parametersOf(path: string) {
  const list = gatewayOperations(NOWHERE)
    .find((each) => each.method === "GET" && each.path === path);
  // deno-lint-ignore no-explicit-any -- the schema is made when it is first asked for
  const schema = list!.query as any;
  return schema.def.getter ? schema.def.getter() : schema;
}

/** The conditions of a parameter among these records, as PostgREST writes them in SQL. */
function conditionsOf(
  path: string,
  parameter: string,
  value: string,
  archived?: Archived,
): string[] {
  const [field, key] = parameter.split(/\.(.*)/s);
  const given = key === undefined ? { [field]: value } : { [field]: [[key, value]] };
  const { limit: _, ...parsed } = parametersOf(path).parse(given);
  const found: string[] = [];
  const add = (condition: ReturnType<typeof parseFilter>["condition"]) => {
    const literal = (text: string) => kysely.lit(text);
    found.push(conditionSql(condition, null, literal).compile(compiler).sql);
    return query;
  };
  const query = {
    filter: (column: string, operator: string, operand: string): unknown =>
      add(parseFilter(column, `${operator}.${operand}`).condition),
    or: (filters: string): unknown => add(parseJunction("or", `(${filters})`).condition),
  };
  const chosen = Object.values(parsed).flat() as Condition[];
  const resource = { archives: ARCHIVES[path] };
  meeting(
    // deno-lint-ignore no-explicit-any -- collects what a query of supabase-js would be told
    query as any,
    [...archivedConditions(resource, archived), ...amongArchived(resource, archived, chosen)],
  );
  assert.ok(found.length > 0, parameter);
  return found;
}

interface PlanNode {
  "Node Type": string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  Plans?: PlanNode[];
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

/** How many rows, or places of rows in a bitmap, a statement reads; endlessly many when it scans a table. */
async function rowsRead(sql: postgres.TransactionSql, statement: string): Promise<number> {
  const [row] = await sql.unsafe(`explain (analyze, timing off, format json) ${statement}`);
  const nodes = nodesOf(row["QUERY PLAN"][0].Plan);
  const scans = nodes.filter((node) => /Scan$/.test(node["Node Type"]));
  assert.ok(scans.length > 0, statement);
  if (scans.some((node) => node["Node Type"] === "Seq Scan")) return Infinity;
  const rows = scans.map((node) =>
    node["Actual Loops"] *
    (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0) +
      (node["Rows Removed by Index Recheck"] ?? 0))
  );
  return Math.max(...rows);
}

/** Acts as a request that reads with the large company's key. */
async function asReader(sql: postgres.TransactionSql) {
  const claims = JSON.stringify({ role: "api_reader", key_hash: KEY_HASH, scope: "read" });
  await sql`select set_config('request.jwt.claims', ${claims}, true)`;
  await sql`set local role api_reader`;
}

async function idsOf(sql: Sql) {
  const [ids] = await sql`
    select
      (select contact_id from conversations join companies on companies.id = company_id
       where companies.name = 'Company 0' order by conversations.created_at limit 1) as contact,
      (select stage_id from deals group by 1 having count(*) = 100) as rare_stage,
      (select stage_id from deals group by 1 order by count(*) desc limit 1) as common_stage,
      (select team_id from conversations where team_id is not null group by 1 having count(*) = 100) as rare_team,
      (select team_id from conversations where team_id is not null group by 1 order by count(*) desc limit 1)
        as common_team
  `;
  return {
    contact: ids.contact,
    rareStage: ids.rare_stage,
    commonStage: ids.common_stage,
    rareTeam: ids.rare_team,
    commonTeam: ids.common_team,
  };
}

Deno.test("among 100,000 contacts, no filter alone reads the company for a page of 50, unless its few matches lie at the far end", async (t) => {
  await withLargeCompany(async (sql) => {
    const cases = casesOf(await idsOf(sql));

    for (const [path, view] of Object.entries(VIEWS)) {
      await t.step(`the list ${path}`, async () => {
        const filters = Object.keys(parametersOf(path).shape)
          .filter((name) => !NO_FILTERS.includes(name));
        const untried = filters.filter((name) =>
          !Object.keys(cases[path]).some((tried) => tried.split(".")[0] === name)
        );
        assert.deepEqual(untried, []);
        const tooMany: string[] = [];
        await sql.begin(async (sql) => {
          await asReader(sql);
          for (const [parameter, values] of Object.entries(cases[path])) {
            for (const [value, most = ORDINARY] of values) {
              const conditions = conditionsOf(path, parameter, value);
              const statement = `select id, company_id from public.${view} where ${
                conditions.join(" and ")
              } order by created_at desc, id desc limit 51`;
              const read = await rowsRead(sql, statement);
              if (read > most) tooMany.push(`${parameter}=${value} reads ${read} rows`);
            }
          }
        });
        assert.deepEqual(tooMany, []);
      });
    }

    await t.step("a list, and a phone, after the newest contacts were archived", async () => {
      await sql.begin(async (sql) => {
        await sql`set local session_replication_role = replica`;
        const [{ phone }] = await sql`
          with newest as (
            select contacts.id from contacts join companies on companies.id = company_id
            where companies.name = 'Company 0' order by contacts.created_at desc limit ${ARCHIVED}
          )
          update contacts set archived_at = now(), updated_at = now() from newest where contacts.id = newest.id
          returning phone
        `;
        await sql`analyze contacts (archived_at, phone_key, archived_phone_key, updated_at)`;
        await asReader(sql);
        const from = "select id, company_id from public.own_contacts where";
        const byPhone = (archived: Archived) =>
          `${from} ${
            conditionsOf("/contacts", "phone", phone, archived).join(" and ")
          } order by created_at desc, id desc limit 51`;
        const statements = [
          `${from} archived_at is null order by created_at desc, id desc limit 51`,
          `${from} archived_at is null order by updated_at desc, id desc limit 51`,
          `${from} archived_at is not null order by created_at desc, id desc limit 51`,
          ...(["exclude", "include", "only"] as const).map(byPhone),
        ];
        for (const statement of statements) {
          const read = await rowsRead(sql, statement);
          assert.ok(read <= ORDINARY, `${statement} reads ${read} rows`);
        }
        throw UNDONE;
      }).catch((error) => assert.equal(error, UNDONE));
    });

    await t.step("a search over everything", async () => {
      for (const text of SEARCHED) {
        await sql.begin(async (sql) => {
          await asReader(sql);
          const read = async () => {
            await sql`set local role none`;
            const [counts] = await sql`
              select sum(seq_scan)::int as scans, sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as rows
              from pg_stat_xact_user_tables where relname in ('contacts', 'deals', 'conversations')
            `;
            await sql`set local role api_reader`;
            return counts;
          };
          const before = await read();
          await sql`
            select * from search_records(${wordsOf(text).map(patternOf)}, ${
            folded(text).trim()
          }, 50)
          `;
          const after = await read();
          assert.equal(after.scans - before.scans, 0, text);
          const rows = after.rows - before.rows;
          assert.ok(rows < 10_000, `${text} reads ${rows} rows`);
        });
      }
    });
  });
});
