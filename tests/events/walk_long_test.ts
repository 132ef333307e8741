// Eight writers run at the same time, some of them with long transactions. A caller that pages
// through the event log must see each event exactly once. The events of each record must be in the
// order in which they were written.

import assert from "node:assert/strict";
import postgres from "postgres";
import { call } from "../support/calls.ts";
import { anyPhone, newCompany } from "../support/company.ts";
import { stack, withDatabase } from "../support/test_stack.ts";

Deno.test("while eight writers run, the pages of the event log show each event once, and each record's events in order", async () => {
  const company = await newCompany();
  const ids = await withDatabase(async (sql) => {
    const rows = Array.from({ length: 10 }, () => ({ company_id: company.id, phone: anyPhone() }));
    return (await sql`insert into contacts ${sql(rows)} returning id`).map(({ id }) =>
      id as string
    );
  });
  let isWriting = true;
  const sql = postgres(stack.database_url, { max: 8, onnotice: () => {}, prepare: false });
  const writer = async (number: number) => {
    for (let turn = 0; turn < 40; turn++) {
      const touched = [turn, turn + number, turn + 3 * number].map((at) => ids[at % 10]);
      await sql.begin(async (sql) => {
        // All writers lock the rows in the same order, so they cannot deadlock.
        for (const [at, id] of touched.sort().entries()) {
          await sql`update contacts set job_title = ${`${number}-${turn}-${at}`} where id = ${id}`;
          // One writer in four keeps some of its transactions open for a while.
          if (number % 4 === 0 && turn % 10 === 0) await sql`select pg_sleep(0.1)`;
        }
      });
    }
  };
  const seen: string[] = [];
  const walk = async () => {
    let cursor = "";
    for (;;) {
      const wasWriting = isWriting;
      const { status, body } = await call(company.keys.read, "GET", `/events?limit=50${cursor}`);
      assert.equal(status, 200, JSON.stringify(body));
      seen.push(...body.data.map(({ id }: { id: string }) => id));
      cursor = `&cursor=${body.pagination.next_cursor}`;
      const [{ stored }] = await sql`
        select count(*)::int as stored from app.events where company_id = ${company.id}
      `;
      if (!wasWriting && seen.length >= stored) return;
    }
  };
  const walking = walk();
  try {
    await Promise.all(Array.from({ length: 8 }, (_, number) => writer(number)));
  } finally {
    isWriting = false;
  }
  await walking;
  const stored = await sql`
    select app.event_name(id) as id, record_id, happened_at::text as at, seq from app.events
    where company_id = ${company.id} order by seq
  `;
  assert.ok(stored.length > 500, String(stored.length));
  assert.equal(new Set(seen).size, seen.length, "no event was returned twice");
  assert.deepEqual(new Set(seen), new Set(stored.map(({ id }) => id)));
  const newest = new Map<string, string>();
  for (const { record_id, at } of stored) {
    assert.ok(at >= (newest.get(record_id) ?? ""), "the event times of a record never decrease");
    newest.set(record_id, at);
  }
  await sql.end();
});
