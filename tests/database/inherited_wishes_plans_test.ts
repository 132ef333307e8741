// Counts the rows that a write reads when an archived contact has the same phone number. Postgres
// collected its statistics before the company archived many contacts.

import assert from "node:assert/strict";
import { hashKey } from "../../supabase/functions/_shared/key/presented_key.ts";
import { actAs, actAsSuperuser, type Sql } from "../support/acting_as.ts";
import { anyPhone, makeCompany } from "../support/company.ts";
import { type Open, withOwnServer } from "./large_company.ts";

const CONTACTS = 4_000;
const ARCHIVED = 1_000;
/** The number of rows that one write may read. */
const MOST = 20;

/** The number of rows that this transaction has read, by table and index. */
async function readSoFar(sql: Sql): Promise<Record<string, number>> {
  const found = await sql`
    select oid::regclass::text as name, pg_stat_get_xact_tuples_returned(oid)::int as rows from pg_class
    where relkind in ('r', 'i') and relname like 'contact%'
  `;
  return Object.fromEntries(found.map(({ name, rows }) => [name, rows]));
}

Deno.test("a contact with the phone number of an archived contact is added without reading the other archived contacts", async () => {
  await withOwnServer(async (open) => {
    const admin = open("supabase_admin");
    await admin`alter system set autovacuum = off`;
    await admin`select pg_reload_conf()`;
    const { id, keys } = await admin.begin(makeCompany);
    const key_hash = await hashKey(keys.all);
    const change = (work: (sql: Sql) => Promise<unknown>) =>
      admin.begin(async (sql) => {
        // Triggers are off, because there are many rows.
        await sql`set local session_replication_role = replica`;
        await work(sql);
      });
    /** Adds a contact as an API key does, and returns the number of rows that the write reads. */
    const rowsRead = async (session: ReturnType<Open>, phone: string) => {
      let read: [string, number][] = [];
      await session.begin(async (sql) => {
        const before = await readSoFar(sql);
        await actAs(sql, "api_client", { key_hash, scope: "write" });
        const [{ answer }] = await sql`
          select write_contacts(array[${sql.json({ phone })}::jsonb]) as answer
        `;
        assert.equal(answer.results[0].status, 201, JSON.stringify(answer));
        await actAsSuperuser(sql);
        const after = await readSoFar(sql);
        read = Object.entries(after).map(([name, rows]) => [name, rows - before[name]]);
      });
      return Object.fromEntries(read.filter(([, rows]) => rows > 0));
    };

    await change((sql) =>
      sql`
        insert into contacts (company_id, phone)
        select ${id}, '+1555' || 1000000 + n from generate_series(1, ${CONTACTS}::int) as n
      `
    );
    await admin`analyze contacts`;
    const kept = open("supabase_admin");
    for (let i = 0; i < 3; i++) await rowsRead(kept, anyPhone());
    await change((sql) =>
      sql`
        update contacts set archived_at = now()
        where company_id = ${id} and phone between '+15551000001' and ${
        "+1555" + (1_000_000 + ARCHIVED)
      }
      `
    );
    const sessions = { "with earlier plans": kept, "without plans": open("supabase_admin") };
    for (const [place, [which, session]] of Object.entries(sessions).entries()) {
      const read = await rowsRead(session, `+1555${1_000_001 + place}`);
      assert.ok(read.contacts_archived_phone_idx > 0, "the archived contact is found");
      const sum = Object.values(read).reduce((total, rows) => total + rows, 0);
      assert.ok(sum <= MOST, `${which}: ${JSON.stringify(read)}`);
    }
  });
});
