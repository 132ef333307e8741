// A stored template that does not allow a send may be outdated. So a claim first asks for the
// template to be read again. If the template cannot be read, the send proceeds.

import assert from "node:assert/strict";
import { rolledBack, type Sql, type Work } from "../support/acting_as.ts";
import { newCompany } from "../support/company.ts";
import { type Claim, claim } from "./sends.ts";
import { apply, catalogued, entry, FITTING } from "./templates.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

const own = await newCompany();
const { id: company_id, account_id, keys, phone_number_id } = own;
const PAUSED = entry({ status: "PAUSED" });
const OLD = "11 minutes";

const judged = (sql: Sql, asked: Record<string, unknown> = {}): Promise<Claim> =>
  claim(sql, keys.messaging, { preflight: "first", ...FITTING, ...asked });

/** Makes all records of rereads older by `time`. */
async function pass(sql: Sql, time: string) {
  await sql`
    update template_rereads set tried_at = tried_at - ${time}::interval, read_at = read_at - ${time}::interval
    where company_id = ${company_id}
  `;
}

Deno.test("a claim that does not match its template requests a reread if the template was last read over ten minutes ago", async () => {
  for (const [age, result] of [["9 minutes 59 seconds", "template_refused"], [OLD, "reread"]]) {
    await rolledBack(async (sql) => {
      await catalogued(sql, own, [PAUSED], age);
      assert.equal((await judged(sql)).result, result, age);
    });
  }
});

test("a claim that matches its template succeeds, even if the template was read long ago", async (sql) => {
  await catalogued(sql, own, [entry()], "20 days");
  for (const preflight of ["first", "last"]) {
    const { result, template } = await judged(sql, { preflight });
    assert.deepEqual([result, template.header_format], ["claimed", null]);
  }
  const rereads = await sql`select from template_rereads where company_id = ${company_id}`;
  assert.equal(rereads.length, 0);
});

test("a claim that requests a reread returns the values that the reread needs, including the reread's start time", async (sql) => {
  const business_account_id = await catalogued(sql, own, [PAUSED], OLD);
  const [{ now }] = await sql`select to_json(now()) as now`;
  assert.deepEqual(await judged(sql), {
    result: "reread",
    account_id,
    phone_number_id,
    business_account_id,
    encrypted_token: own.sealed_token,
    began_at: now,
    is_elsewhere: false,
  });
});

Deno.test("after the reread, a claim checks the new version of the template", async () => {
  const ends: [entries: Record<string, unknown>[], result: string][] = [
    [[entry()], "claimed"],
    [[PAUSED], "template_refused"],
    [[entry({ language: "es" })], "template_refused"],
    [[], "template_refused"],
  ];
  for (const [entries, result] of ends) {
    for (const preflight of ["last", "first"]) {
      await rolledBack(async (sql) => {
        await catalogued(sql, own, [PAUSED], OLD);
        const { began_at } = await judged(sql);
        await apply(sql, account_id, entries, { only_name: "order_update", began_at });
        const answer = await judged(sql, { preflight });
        assert.equal(answer.result, result, JSON.stringify([entries, preflight]));
      });
    }
  }
});

test("after a failed reread, the send proceeds and the channel decides", async (sql) => {
  await catalogued(sql, own, [PAUSED], OLD);
  assert.equal((await judged(sql)).result, "reread");
  const stale = await judged(sql, { preflight: "last" });
  assert.deepEqual([stale.result, stale.template.parameter_format], ["claimed", "POSITIONAL"]);
  assert.equal((await judged(sql, { template_name: "unknown" })).result, "reread");
  const unknown = await judged(sql, { template_name: "unknown", preflight: "last" });
  assert.deepEqual([unknown.result, unknown.template], ["claimed", null]);
});

test("a template is reread at most once a minute, and sends wait at most 15 seconds for the reread", async (sql) => {
  await catalogued(sql, own, [PAUSED], OLD);
  const result = async () => {
    const { result, is_elsewhere } = await judged(sql);
    return `${result} ${is_elsewhere}`;
  };
  assert.equal(await result(), "reread false");
  // The second claim waits for the reread that the first claim requested.
  assert.equal(await result(), "reread true");
  await pass(sql, "14 seconds");
  assert.equal(await result(), "reread true");
  await pass(sql, "2 seconds");
  // The reread takes too long or has failed.
  assert.equal(await result(), "claimed undefined");
  await pass(sql, "43 seconds");
  assert.equal(await result(), "claimed undefined");
  await pass(sql, "2 seconds");
  assert.equal(await result(), "reread false");
  assert.equal(await result(), "reread true");
});

test("an unknown template is looked up again after one minute, so a new template can be sent soon", async (sql) => {
  await catalogued(sql, own, []);
  const asked = { template_name: "new" };
  const { result, began_at } = await judged(sql, asked);
  assert.equal(result, "reread");
  await apply(sql, account_id, [], { only_name: "new", began_at });
  assert.equal((await judged(sql, asked)).result, "template_refused");
  await pass(sql, "59 seconds");
  assert.equal((await judged(sql, asked)).result, "template_refused");
  await pass(sql, "2 seconds");
  assert.equal((await judged(sql, asked)).result, "reread");
});

test("at most twenty template names are reread per minute, and sends of other templates proceed without a reread", async (sql) => {
  await catalogued(sql, own, [], OLD);
  const results = [];
  for (let n = 0; n < 25; n++) {
    results.push((await judged(sql, { template_name: `t${n}` })).result);
  }
  assert.deepEqual(results, [
    ...Array.from({ length: 20 }, () => "reread"),
    ...Array.from({ length: 5 }, () => "claimed"),
  ]);
  await pass(sql, "61 seconds");
  assert.equal((await judged(sql, { template_name: "t24" })).result, "reread");
});

test("a claim that requests a reread does not use up its idempotency key", async (sql) => {
  await catalogued(sql, own, [PAUSED], OLD);
  const asked = { idempotency_key: "once" };
  assert.equal((await judged(sql, asked)).result, "reread");
  const sends = await sql`select from sends where company_id = ${company_id}`;
  assert.equal(sends.length, 0);
  assert.equal((await judged(sql, { ...asked, preflight: "last" })).result, "claimed");
});

test("when the whole template list is read again, records of rereads that are older than one hour are deleted", async (sql) => {
  await catalogued(sql, own, [], OLD);
  const names = async () => {
    const rows = await sql`select name from template_rereads where company_id = ${company_id}`;
    return rows.map(({ name }) => name);
  };
  await judged(sql, { template_name: "old" });
  await pass(sql, "61 minutes");
  await judged(sql, { template_name: "new" });
  await apply(sql, account_id, [], { only_name: "x" });
  assert.deepEqual((await names()).sort(), ["new", "old"]);
  await apply(sql, account_id, []);
  assert.deepEqual(await names(), ["new"]);
});
