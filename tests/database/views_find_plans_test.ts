// Tests how many rows a search reads in a company with 100,000 contacts. The statements are those
// that the Data API creates for the gateway's requests. Every list filter must have a case here.

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
import { readGatewayConfig } from "../../supabase/functions/gateway/gateway_config.ts";
import {
  amongArchived,
  type Archived,
  archivedConditions,
} from "../../supabase/functions/gateway/records/archived.ts";
import {
  columnsOf,
  type Condition,
  inCompany,
  meeting,
} from "../../supabase/functions/gateway/records/conditions.ts";
import { gatewayOperations } from "../../supabase/functions/gateway/operations.ts";
import { pastedPhone } from "../../supabase/functions/gateway/records/pasted_phone.ts";
import {
  folded,
  patternOf,
  wordsOf,
} from "../../supabase/functions/gateway/records/searched_words.ts";
import { CONTACTS } from "../../supabase/functions/gateway/resources/contacts/row.ts";
import { CONVERSATIONS } from "../../supabase/functions/gateway/resources/conversations/row.ts";
import { DEALS } from "../../supabase/functions/gateway/resources/deals/row.ts";
import { type Table, viewWith } from "../../supabase/functions/_shared/database/table.ts";
import { actAs } from "../support/acting_as.ts";
import { environment } from "../support/test_stack.ts";
import { casesOf, ORDINARY } from "./find_cases.ts";
import { KEY_HASH, MEDIUM, MEDIUM_KEY_HASH, withLargeCompany } from "./large_company.ts";
import { nodesOf } from "./plan_nodes.ts";

const TABLES: Record<string, Table> = {
  "/contacts": CONTACTS,
  "/deals": DEALS,
  "/conversations": CONVERSATIONS,
};
const NO_FILTERS = [
  ...["limit", "cursor", "fields", "include", "sort", "include_total", "archived"],
  // For `pipeline_id`, the gateway reads the pipeline's stages and filters by `stage_id`.
  "pipeline_id",
];
/**
 * For each list, the columns in which archived records keep the values of other columns. The
 * resources of the gateway declare the same columns.
 */
const ARCHIVES: Record<string, { keptIn?: Record<string, string> }> = {
  "/contacts": { keptIn: { phone_key: "archived_phone_key" } },
  "/deals": {},
};

/**
 * The number of contacts that a test archives, which is more than the rows that a page may read.
 */
const ARCHIVED = 3_000;
const UNDONE = new Error("undone");

const SEARCHED = [
  ...["Zylberstajn", "щербаков", "zeppelin", "nobody"],
  ...["ana", "ana silva", "a", "acme", "+55 (11) 96180-3399", "ana 6180-3399"],
  ...["oldenburg", "person.500@example.com"],
];

/**
 * A configuration that connects to nothing, because only the declarations of the operations are
 * read here.
 */
const NOWHERE = await readGatewayConfig(environment({ supabaseUrl: "http://127.0.0.1:9" }));

const compiler = new Kysely({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/** A list's query parameters, as the gateway validates them. */
function parametersOf(path: string) {
  const list = gatewayOperations(NOWHERE)
    .find((each) => each.method === "GET" && each.path === path);
  // deno-lint-ignore no-explicit-any -- the schema is made when it is first needed
  const schema = list!.query as any;
  return schema.def.getter ? schema.def.getter() : schema;
}

/**
 * The query of a list with a parameter and its value, in the SQL that PostgREST creates.
 * @param sorted the columns that sort the list.
 */
function queryOf(
  path: string,
  parameter: string,
  value: string,
  { archived, company, sorted = ["created_at", "id"] }: {
    archived?: Archived;
    company?: string;
    sorted?: string[];
  } = {},
): string {
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
  const conditions = [
    ...archivedConditions(resource, archived),
    ...amongArchived(resource, archived, chosen),
    ...inCompany(company, chosen),
  ];
  // deno-lint-ignore no-explicit-any -- collects the calls that a query of supabase-js would get
  meeting(query as any, conditions);
  assert.ok(found.length > 0, parameter);
  const view = viewWith(TABLES[path], [...sorted, ...columnsOf(conditions)]);
  return `select * from public.${view} where ${found.join(" and ")}`;
}

/**
 * The largest number of rows, or of row positions in a bitmap, that one scan of a statement reads.
 * A table scan counts as Infinity. Ten rows that are read only from an index count as one row,
 * because they are on the same page of the index.
 */
async function rowsRead(sql: postgres.TransactionSql, statement: string): Promise<number> {
  const [row] = await sql.unsafe(`explain (analyze, timing off, format json) ${statement}`);
  const nodes = nodesOf(row["QUERY PLAN"][0].Plan);
  const scans = nodes.filter((node) => /Scan$/.test(node["Node Type"]));
  assert.ok(scans.length > 0, statement);
  if (scans.some((node) => node["Node Type"] === "Seq Scan")) return Infinity;
  const rows = scans.map((node) =>
    node["Actual Loops"] *
    (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0) +
      (node["Rows Removed by Index Recheck"] ?? 0)) /
    (node["Node Type"] === "Index Only Scan" ? 10 : 1)
  );
  return Math.max(...rows);
}

/** Acts as a read request. By default, the request has the large company's key. */
async function asReader(sql: postgres.TransactionSql, key_hash = KEY_HASH) {
  await actAs(sql, "api_reader", { key_hash, scope: "read" });
}

async function idsOf(sql: Sql) {
  const [ids] = await sql`
    select
      (select id from companies where name = 'Company 0') as company,
      (select id from companies where name = 'Company 1') as medium,
      (select contact_id from conversations join companies on companies.id = company_id
       where companies.name = 'Company 0' order by conversations.created_at limit 1) as contact,
      (select stage_id from deals group by 1 having count(*) = 100) as rare_stage,
      (select stage_id from deals group by 1 order by count(*) desc limit 1) as common_stage,
      (select team_id from conversations where team_id is not null group by 1 having count(*) = 100) as rare_team,
      (select team_id from conversations where team_id is not null group by 1 order by count(*) desc limit 1)
        as common_team
  `;
  return {
    company: ids.company,
    medium: ids.medium,
    contact: ids.contact,
    rareStage: ids.rare_stage,
    commonStage: ids.common_stage,
    rareTeam: ids.rare_team,
    commonTeam: ids.common_team,
  };
}

Deno.test("a filtered page of 50 from 100,000 contacts reads few rows, unless only the oldest rows match", async (t) => {
  await withLargeCompany(async (sql) => {
    const ids = await idsOf(sql);
    const cases = casesOf(ids);

    for (const path of Object.keys(TABLES)) {
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
              // Tests a gateway instance that already knows the key's company, and an instance that
              // does not.
              const asked = [ids.company, undefined].map((company) =>
                queryOf(path, parameter, value, { company })
              );
              for (const query of new Set(asked)) {
                const read = await rowsRead(
                  sql,
                  `${query} order by created_at desc, id desc limit 51`,
                );
                if (read > most) tooMany.push(`${parameter}=${value} reads ${read} rows`);
              }
            }
          }
        });
        assert.deepEqual(tooMany, []);
      });
    }

    await t.step(
      `a search for two words does not read all ${MEDIUM} contacts if few contacts contain both words`,
      async () => {
        const pages = {
          "order by created_at desc, id desc": ["created_at", "id"],
          "order by name_sort, id": ["name_sort", "id"],
          "and temperature = 'cold' order by updated_at desc, id desc": [
            ...["temperature", "updated_at", "id"],
          ],
          "and created_at <= '2025-12-01' order by created_at desc, id desc": ["created_at", "id"],
        };
        await sql.begin(async (sql) => {
          await asReader(sql, MEDIUM_KEY_HASH);
          for (const [page, sorted] of Object.entries(pages)) {
            const query = queryOf("/contacts", "q", "bruno globex", {
              company: ids.medium,
              sorted,
            });
            const read = await rowsRead(sql, `${query} ${page} limit 51`);
            assert.ok(read <= MEDIUM / 8, `${page} reads ${read} rows`);
          }
        });
      },
    );

    await t.step(
      "a search for common words reads only an index, and then the contacts of its page",
      async () => {
        await sql.begin(async (sql) => {
          await asReader(sql);
          for (const words of ["silva", "ana silva"]) {
            const query = queryOf("/contacts", "q", words, { company: ids.company });
            const [row] = await sql.unsafe(`
              explain (analyze, timing off, format json) ${query} order by created_at desc, id desc limit 51
            `);
            const scans = nodesOf(row["QUERY PLAN"][0].Plan)
              .filter((node) => /Scan$/.test(node["Node Type"]))
              .map((node) => [node["Node Type"], node["Index Name"], node["Actual Loops"]]);
            assert.deepEqual(scans, [
              ["Index Only Scan", "contacts_newest_first_idx", 1],
              ["Index Scan", "contacts_pkey", 51],
            ], words);
          }
        });
      },
    );

    await t.step(
      "a query for each contact's newest deals and conversations reads few rows",
      async () => {
        await sql.begin(async (sql) => {
          await asReader(sql);
          for (const view of ["own_plain_deals", "own_plain_conversations"]) {
            const read = await rowsRead(
              sql,
              `select id, newest.rows
            from (select * from own_plain_contacts order by created_at desc, id desc limit 201) as contact
            left join lateral (
              select json_agg(row) as rows from (
                select * from ${view} where contact_id = contact.id and company_id = contact.company_id
                order by created_at desc, id desc limit 11
              ) as row
            ) as newest on true`,
            );
            assert.ok(read <= ORDINARY, `${view} reads ${read} rows`);
          }
        });
      },
    );

    await t.step("lists read few rows even after the newest contacts were archived", async () => {
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
          `${
            queryOf("/contacts", "phone", phone, { archived })
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

    await t.step("a prepared search is planned for each word, even after many runs", async () => {
      await sql.begin(async (sql) => {
        await asReader(sql);
        await sql.unsafe(`
          prepare found (text, integer) as select * from own_contacts
          where name_words like $1 order by created_at desc, id desc limit $2
        `);
        for (let i = 0; i < 10; i++) await sql.unsafe("execute found ('% ana%', 51)");
        for (const word of ["zylberstajn", "nobody", "ana", "silva"]) {
          const read = await rowsRead(sql, `execute found ('%${word}%', 51)`);
          assert.ok(read <= 1000, `${word} reads ${read} rows`);
        }
      });
    });

    await t.step("a search of all record types does not scan a table", async () => {
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
          const { others = wordsOf(text), parts = [], patterns = [], keys = [] } =
            pastedPhone(text) ?? {};
          await sql`
            select * from search_records(${others.map(patternOf)}, ${
            folded(text).trim()
          }, 50, 'exclude',
              ${parts.map(patternOf)}, ${patterns}, ${keys}, ${text.includes("@") ? text : null})
          `;
          const after = await read();
          assert.equal(after.scans - before.scans, 0, text);
          const rows = after.rows - before.rows;
          assert.ok(rows < 10_000, `${text} reads ${rows} rows`);
        });
      }
    });

    await t.step("a search in the log of sends does not scan the contacts", async () => {
      for (const text of SEARCHED) {
        await sql.begin(async (sql) => {
          const read = async () => {
            const [counts] = await sql`
              select seq_scan::int as scans, coalesce(idx_tup_fetch, 0)::int as rows
              from pg_stat_xact_user_tables where relname = 'contacts'
            `;
            return counts;
          };
          const before = await read();
          await sql`
            select app.contacts_in_log(company_id, ${text}) from api_keys where key_hash = ${KEY_HASH}
          `;
          const after = await read();
          assert.equal(after.scans - before.scans, 0, text);
          const rows = after.rows - before.rows;
          assert.ok(rows < 12_000, `${text} reads ${rows} rows`);
        });
      }
    });
  });
});
