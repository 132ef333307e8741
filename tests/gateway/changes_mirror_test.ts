// Tests that a copy that follows the changes feed misses no change, even while many transactions
// run.

import assert from "node:assert/strict";
import postgres from "postgres";
import { call } from "../support/calls.ts";
import { newCompany } from "../support/company.ts";
import { until } from "../support/started.ts";
import { stack, withDatabase } from "../support/test_stack.ts";
import { assertInStep, ChangesMirror } from "./changes_mirror.ts";
import { Writer } from "./changes_writer.ts";

const TABLES = ["contacts", "deals", "conversations", "messages"];
const MOMENTS = 10;
/** The number of transactions between two checks of the copy. */
const STEP = 30;

Deno.test("a copy misses no change while eight writers work, even if some writers are slow and some roll back", async () => {
  const company = await newCompany();
  const connections = Array.from(
    { length: 8 },
    () => postgres(stack.database_url, { max: 1, prepare: false, onnotice: () => {} }),
  );
  const progress = { committed: 0, mayCommit: 0, isOver: false };
  const writers = connections.map((sql, at) => {
    const manner = at < 2 ? "slow" : at === 2 ? "undone" : "quick";
    return new Writer(sql, company, manner, progress);
  });
  const mirrors = TABLES.map((table) =>
    new ChangesMirror(table, (path) => call(company.keys.read, "GET", path))
  );
  const inStep = (mirror: ChangesMirror, horizon: number) =>
    withDatabase((sql) => assertInStep(sql, company.id, mirror, horizon));
  const writing = Promise.allSettled(writers.map((writer) => writer.write()));
  let compared = 0;
  let horizon = 0;
  try {
    for (let moment = 1; moment <= MOMENTS; moment++) {
      // A slow writer waits for fewer than `STEP` transactions, so its transaction ends before the
      // next check.
      progress.mayCommit = (moment + 2) * STEP;
      const last = horizon;
      while (!progress.isOver && (progress.committed < moment * STEP || horizon === last)) {
        for (const mirror of mirrors) horizon = await mirror.follow();
      }
      // The writers continue during this check.
      for (const mirror of mirrors) compared += await inStep(mirror, await mirror.follow());
    }
  } finally {
    progress.isOver = true;
    const failed = (await writing).filter(({ status }) => status === "rejected");
    assert.deepEqual(failed, []);
    await Promise.all(connections.map((sql) => sql.end()));
  }
  assert.ok(compared > 500, `${compared} rows were compared`);
  // Other tests write too. The feed shows a change only when all earlier transactions have ended.
  const newest = await withDatabase(async (sql) => {
    const versions = await Promise.all(
      [...TABLES, "deleted_rows"].map((table) =>
        sql`select max(version)::float8 as version from ${
          sql(table)
        } where company_id = ${company.id}`
      ),
    );
    return Math.max(...versions.map(([{ version }]) => version));
  });
  for (const mirror of mirrors) {
    await until(async () => await mirror.follow() > newest);
    const rows = await inStep(mirror, Infinity);
    assert.ok(rows >= 8, `${mirror.table}: ${rows} rows`);
  }
});
