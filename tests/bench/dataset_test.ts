// Runs of the benchmark can be compared because the data are the same each time.
import assert from "node:assert/strict";
import { COMPANIES, writeDataset } from "../../bench/dataset.ts";
import type { Sql } from "../../local/postgres/database.ts";
import { sealedFor } from "../support/company.ts";
import { withDatabase } from "../support/test_stack.ts";

const CONTACTS = 4000;

/** The benchmark's rows in a transaction that is rolled back. */
async function withDataset(look: (sql: Sql) => Promise<void>) {
  const over = new Error("rolled back");
  await withDatabase(async (sql) => {
    const looking = sql.begin(async (transaction) => {
      const sql = transaction as unknown as Sql;
      await writeDataset(sql, CONTACTS, sealedFor);
      await look(sql);
      throw over;
    });
    await assert.rejects(looking, over);
  });
}

const OURS = "company_id in (select id from companies where name ~ '^Company [0-9]+$')";

Deno.test("the benchmark's rows", async (t) => {
  await withDataset(async (sql) => {
    const contacts = await sql.unsafe(`select * from contacts where ${OURS} order by created_at`);

    await t.step("follow from their numbers alone", async () => {
      const [{ id }] = await sql`select pg_temp.id_of('deal', 7) as id`;
      const [company] = await sql`select name from companies where id = ${contacts[7].company_id}`;
      const { phone, temperature } = contacts[7];
      assert.deepEqual([contacts[7].id, id, company.name, phone, temperature], [
        "69c1c9d1-d9d8-4d8f-8b3a-52d543f72578",
        "21b8809c-66c1-48e9-8d66-1412d040afca",
        "Company 8",
        "+5511932623793",
        "warm",
      ]);
      assert.equal(contacts[CONTACTS / 2].created_at.toISOString(), "2025-07-02T12:00:00.000Z");
    });

    await t.step("have no id and no phone twice", () => {
      assert.equal(contacts.length, CONTACTS);
      assert.equal(new Set(contacts.map(({ id }) => id)).size, CONTACTS);
      assert.equal(new Set(contacts.map(({ phone }) => phone)).size, CONTACTS);
      const V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/;
      for (const { id, phone } of contacts) {
        assert.match(id, V4);
        assert.match(phone, /^\+55119\d{8}$/);
      }
    });

    await t.step("are a tenth the first company's, and the rest evenly the others'", () => {
      const counts = Map.groupBy(contacts, ({ company_id }) => company_id);
      const first = counts.get(contacts[0].company_id)!;
      assert.equal(first.length, CONTACTS / 10);
      const others = Array.from(counts.values()).filter((rows) => rows !== first);
      assert.equal(others.length, COMPANIES - 1);
      const even = CONTACTS * 0.9 / (COMPANIES - 1);
      const isEven = ({ length }: unknown[]) => length > even * 0.6 && length < even * 1.4;
      assert.ok(others.every(isEven), String(others.map(({ length }) => length)));
    });

    await t.step("hold no two deals and no two conversations of one contact", async () => {
      for (const [table, each] of [["deals", 2], ["conversations", 4]] as const) {
        const [{ rows, contacts }] = await sql.unsafe(`
          select count(*)::integer as rows, count(distinct contact_id)::integer as contacts
          from ${table} where ${OURS}
        `);
        assert.deepEqual([rows, contacts], [CONTACTS / each, CONTACTS / each]);
      }
    });
  });
});
