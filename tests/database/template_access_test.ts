// Callers that go around the functions of the edge: what a token can do to templates, media and jobs directly.

import assert from "node:assert/strict";
import type postgres from "postgres";
import { hashKey } from "../../supabase/functions/_shared/key/presented_key.ts";
import { actAs, refusal, rolledBack } from "../support/acting_as.ts";
import { newCompany } from "../support/company.ts";
import { rest, token } from "../support/rest.ts";
import { tables } from "../support/snapshot.ts";
import { withDatabase } from "../support/test_stack.ts";
import { scopedTokens } from "./scopes.ts";
import { addCatalogue } from "./templates.ts";

type Sql = postgres.TransactionSql;

const company = await newCompany();
await withDatabase((sql) => sql.begin((sql) => addCatalogue(sql, company)));
const WRITTEN_BY_FUNCTIONS = [
  ...[
    "job_calls",
    "job_runs",
    "template_catalogues",
    "template_media",
    "template_rereads",
    "templates",
  ],
];
const NO_PRIVILEGE = "42501";

Deno.test("no token of a key writes templates, their media or the runs of jobs, whatever its scope", async () => {
  for (const [scope, bearer] of Object.entries(await scopedTokens(company))) {
    for (const table of WRITTEN_BY_FUNCTIONS) {
      const found = `/${table}?company_id=eq.${company.id}`;
      const attempts = [
        await rest(bearer, "POST", `/${table}`, { json: { company_id: company.id } }),
        await rest(bearer, "PATCH", found, { json: { company_id: company.id } }),
        await rest(bearer, "DELETE", found),
      ];
      for (const { status, body } of attempts) {
        assert.deepEqual([status, body.code], [403, NO_PRIVILEGE], `${scope} ${table}`);
      }
    }
  }
  await rolledBack(async (sql) => {
    const key_hash = await hashKey(company.keys.all);
    for (const scope of ["read", "write", "messaging", undefined]) {
      await actAs(sql, "api_client", { key_hash, scope });
      const writes = [
        (sql: Sql) => sql`update templates set status = 'APPROVED'`,
        (sql: Sql) => sql`update templates set media_problem = null`,
        (sql: Sql) => sql`insert into templates (company_id) values (${company.id})`,
        (sql: Sql) => sql`delete from templates`,
        (sql: Sql) => sql`update template_media set media_id = '1'`,
        (sql: Sql) => sql`insert into template_media (company_id) values (${company.id})`,
        (sql: Sql) => sql`update template_rereads set read_at = now()`,
        (sql: Sql) => sql`update template_catalogues set synced_at = null`,
        (sql: Sql) => sql`update job_runs set ended_at = now()`,
        (sql: Sql) => sql`select begin_job('template-sync', ${company.account_id})`,
        (sql: Sql) => sql`select end_job(${company.id})`,
        (sql: Sql) => sql`select * from due_jobs()`,
        (sql: Sql) => sql`select due_media(${company.account_id})`,
        (sql: Sql) => sql`select from template_media`,
        (sql: Sql) => sql`select from template_catalogues`,
        (sql: Sql) => sql`select from template_rereads`,
        (sql: Sql) => sql`select from job_runs`,
        (sql: Sql) => sql`select sample_url from templates`,
        (sql: Sql) => sql`select rendering from templates`,
        (sql: Sql) => sql`select id from templates where sample_url is not null`,
      ];
      for (const write of writes) {
        assert.equal(await refusal(sql, write), NO_PRIVILEGE, `${scope} ${write}`);
      }
    }
  });
});

Deno.test("only a token for reading reads templates", async () => {
  await rolledBack(async (sql) => {
    const key_hash = await hashKey(company.keys.all);
    for (const scope of ["write", "messaging", undefined]) {
      await actAs(sql, "api_client", { key_hash, scope });
      assert.equal(await refusal(sql, (sql) => sql`select id from templates`), "PT403", scope);
    }
    await actAs(sql, "api_client", { key_hash, scope: "read" });
    assert.equal((await sql`select id from templates`).length, 2);
  });
});

Deno.test("the role of the jobs is denied every table, at the Data API and in the database", async () => {
  const bearer = await token({ role: "channel_client" });
  for (const table of await tables()) {
    const column = table === "companies" ? "id" : "company_id";
    const row = { [column]: company.id };
    const found = `/${table}?${column}=eq.${company.id}`;
    const attempts = [
      await rest(bearer, "GET", `${found}&select=${column}`),
      await rest(bearer, "POST", `/${table}`, { json: row }),
      await rest(bearer, "PATCH", found, { json: row }),
      await rest(bearer, "DELETE", found),
    ];
    for (const { status, body } of attempts) {
      assert.deepEqual([status, body.code], [403, NO_PRIVILEGE], table);
    }
    await rolledBack(async (sql) => {
      await actAs(sql, "channel_client");
      const statements = [
        (sql: Sql) => sql`select from ${sql(table)}`,
        (sql: Sql) => sql`insert into ${sql(table)} ${sql(row)}`,
        (sql: Sql) => sql`update ${sql(table)} set ${sql(row)}`,
        (sql: Sql) => sql`delete from ${sql(table)}`,
        (sql: Sql) => sql`truncate ${sql(table)}`,
      ];
      for (const statement of statements) {
        assert.equal(await refusal(sql, statement), NO_PRIVILEGE, `${table} ${statement}`);
      }
    });
  }
});

Deno.test("the role of the jobs calls no function but theirs", async () => {
  await rolledBack(async (sql) => {
    await actAs(sql, "channel_client", {
      key_hash: await hashKey(company.keys.all),
      scope: "messaging",
    });
    const calls = [
      (sql: Sql) => sql`select authenticate()`,
      (sql: Sql) => sql`select create_api_key('x', '{read}', null, ${company.id})`,
      (sql: Sql) => sql`select * from sealed_account_tokens()`,
      (sql: Sql) => sql`select reseal_account_token(${company.account_id}, 'x', 'y')`,
      (sql: Sql) => sql`select claim_template_send(${company.id}, '+1', '', 'text', 'x', 'en')`,
      (sql: Sql) => sql`select settle_send(${company.id}, 'sent')`,
      (sql: Sql) => sql`select fail_expired_sends()`,
      (sql: Sql) => sql`select app.company_id()`,
    ];
    for (const call of calls) assert.equal(await refusal(sql, call), NO_PRIVILEGE, `${call}`);
    await sql`select * from due_jobs()`;
  });
});
