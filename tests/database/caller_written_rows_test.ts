// A write token can read the rows that it writes, and no other rows. The tests use the statements
// that PostgREST sends, and other statements that another Data API might send.

import assert from "node:assert/strict";
import { hashKey } from "../../supabase/functions/_shared/key/presented_key.ts";
import { actAs, refusal, rolledBack, type Sql } from "../support/acting_as.ts";
import { newCompany } from "../support/company.ts";

const company = await newCompany();
const { contact_id, deal_id } = company;
const key_hash = await hashKey(company.keys.all);

/** Runs the work as a request with a token of this scope. The default scope is `write`. */
async function asWriter(work: (sql: Sql) => Promise<unknown>, scope = "write") {
  await rolledBack(async (sql) => {
    await actAs(sql, "api_client", { key_hash, scope });
    await work(sql);
  });
}

async function refused(sql: Sql, statement: string) {
  assert.equal(await refusal(sql, (sql) => sql.unsafe(statement)), "PT403", statement);
}

/**
 * The statement that PostgREST sends for a write. @param embedded joins the rows of another table.
 */
const postgrest = (write: string, columns: string, table: string, embedded = "") => `
  with pgrst_source as (${write} returning ${table}.*)
  select pg_catalog.count(_postgrest_t) as page_total, coalesce(json_agg(_postgrest_t), '[]') as body
  from (select ${columns} from pgrst_source as ${table} ${embedded}) _postgrest_t
`;

const WRITES = {
  "a contact's name": `update contacts set name = 'Changed' where id = '${contact_id}'`,
  "every contact's name": "update contacts set name = 'Changed'",
  "no contact": "update contacts set name = 'Changed' where name = 'Nobody'",
};

Deno.test("a write returns its rows, and statements before and after the write cannot read any rows", async () => {
  for (const [written, write] of Object.entries(WRITES)) {
    await asWriter(async (sql) => {
      await refused(sql, "select id from contacts");
      const [{ body }] = await sql.unsafe(postgrest(write, "contacts.id", "contacts"));
      const rows = written === "no contact" ? 0 : 1;
      assert.equal(body.length, rows, written);
      for (const table of ["contacts", "deals", "conversations", "stages", "company_members"]) {
        await refused(sql, `select created_at from ${table}`);
      }
    });
  }
});

Deno.test("a statement that writes to one table cannot read any other table", async () => {
  const contact =
    "left join lateral (select id from contacts where id = deals.contact_id) c on true";
  const deals =
    "left join lateral (select json_agg(d.id) from deals d where d.contact_id = contacts.id) d on true";
  const update = "update deals set title = 'Changed'";
  await asWriter(async (sql) => {
    await refused(sql, postgrest(update, "deals.id, c.id", "deals", contact));
    await refused(
      sql,
      postgrest(WRITES["a contact's name"], "contacts.id, d", "contacts", deals),
    );
    // Embeds the written table again through another table.
    const back = contact.replace("select id", "select d.id").replace(
      "from contacts where",
      "from contacts join deals d on d.contact_id = contacts.id where contacts.",
    );
    await refused(sql, postgrest(update, "deals.id, c.id", "deals", back));
    await refused(sql, `update deals set title = (select name from contacts limit 1)`);
    await refused(
      sql,
      `update deals set title = 'x' from contacts where contacts.id = deals.contact_id`,
    );
    const [row] = await sql.unsafe(`${update} where id = '${deal_id}' returning id`);
    assert.equal(row.id, deal_id);
  });
});

Deno.test("a write token still cannot read rows after a failed write", async () => {
  await asWriter(async (sql) => {
    const wrong = (sql: Sql) => sql`update contacts set phone = 'wrong'`;
    assert.equal(await refusal(sql, wrong), "23514 contacts_phone_check");
    await refused(sql, "select id from contacts");
    await sql`
      do $$ begin
        update contacts set phone = 'wrong';
      exception when check_violation then null; end $$
    `;
    await refused(sql, "select id from contacts");
  });
});

Deno.test("a prepared read with a write token is refused before and after a write, even with a generic plan", async () => {
  await asWriter(async (sql) => {
    await sql`set local plan_cache_mode = 'force_generic_plan'`;
    await sql`prepare list as select id from contacts order by created_at desc, id desc limit 51`;
    for (let times = 0; times < 3; times++) {
      await refused(sql, "execute list");
      await sql.unsafe(WRITES["a contact's name"]);
    }
  });
});

Deno.test("setting `app.written` does not let a token without the scope `write` read or write rows", async () => {
  for (const scope of ["read", "messaging", "admin"]) {
    await asWriter(async (sql) => {
      for (const table of ["contacts", "deals", "conversations"]) {
        await sql`select set_config('app.written', ${table}, true)`;
        await refused(sql, `select id from ${table}`);
        await sql`select set_config('app.written', '', true)`;
      }
      for (const write of Object.values(WRITES)) await refused(sql, `${write} returning id`);
    }, scope);
  }
});
