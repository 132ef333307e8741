// Tests template lists that are stored while sends are claimed or accounts are connected.

import assert from "node:assert/strict";
import type { Sql } from "../support/acting_as.ts";
import { type Company, connectAccount, newCompany } from "../support/company.ts";
import { atOnce, committed, overlapping } from "./connections.ts";
import { claim } from "./sends.ts";
import { apply, catalogued, entry, FITTING, joinBusinessAccount } from "./templates.ts";

/**
 * A company with stored templates. The use of its API keys has just been recorded, so claims do not
 * wait to record the use.
 */
async function newSender(entries = [entry()], age = "0"): Promise<Company> {
  const company = await newCompany();
  await committed(async (sql) => {
    await sql`update api_keys set last_used_at = now() where company_id = ${company.id}`;
    await catalogued(sql, company, entries, age);
  });
  return company;
}

/** Claims a send with the lock timeout of API keys. */
async function judged(sql: Sql, { keys }: Company, asked: Record<string, unknown> = {}) {
  await sql`set local lock_timeout = '1s'`;
  return await claim(sql, keys.messaging, { preflight: "first", ...FITTING, ...asked });
}

Deno.test("sends do not wait while a template list is being stored, and use the earlier templates", async () => {
  const company = await newSender();
  const [, results] = await overlapping(
    (sql) => apply(sql, company.account_id, [entry({ status: "PAUSED" }), entry({ name: "new" })]),
    async (sql) => [
      (await judged(sql, company)).result,
      // This claim adds a row to template_rereads, which refers to the catalogue that is being
      // written.
      (await judged(sql, company, { template_name: "new" })).result,
    ],
  );
  assert.deepEqual(results, ["claimed", "reread"]);
  assert.equal((await committed((sql) => judged(sql, company))).result, "template_refused");
});

Deno.test("sends can be claimed and template lists, whole or for one name, can be stored simultaneously without long waits", async () => {
  const names = Array.from({ length: 200 }, (_, n) => `t${n}`);
  const company = await newSender(names.map((name) => entry({ name })), "11 minutes");
  const { account_id } = company;
  const paused = names.map((name) => entry({ name, status: "PAUSED" }));
  const results = await atOnce(12, async (sql, number) => {
    if (number % 4 === 0) return (await apply(sql, account_id, paused.toReversed())).templates;
    if (number % 4 === 1) {
      const only_name = `t${number}`;
      return (await apply(sql, account_id, paused, { only_name })).templates;
    }
    return (await judged(sql, company, { template_name: `t${number}` })).result;
  });
  for (const result of results) {
    const expected = [200, 1, "claimed", "reread", "template_refused"];
    assert.ok(expected.includes(result), `${result}`);
  }
});

Deno.test("if two whole lists are stored simultaneously, the list that was read later wins", async () => {
  for (const [first, second] of [["1 minute", "2 minutes"], ["2 minutes", "1 minute"]]) {
    const company = await newSender([], "5 minutes");
    const read = (age: string) => (sql: Sql) =>
      apply(sql, company.account_id, [entry({ name: age })], { age });
    await overlapping(read(first), read(second));
    const rows = await committed((sql) =>
      sql`select name from templates where company_id = ${company.id} and status <> 'DELETED'`
    );
    assert.deepEqual(rows.map(({ name }) => name), ["1 minute"]);
  }
});

Deno.test("templates are linked to an account that is connected while a template list is being stored, in either order", async () => {
  const connecting = (business_account_id: string, company: Company) => async (sql: Sql) => {
    const { id, phone_number_id } = await connectAccount(sql, company.id);
    await joinBusinessAccount(sql, id, business_account_id);
    return phone_number_id;
  };
  for (const readsFirst of [true, false]) {
    const company = await newSender([], "1 minute");
    const [{ business_account_id }] = await committed((sql) =>
      sql`select business_account_id from messaging_accounts where id = ${company.account_id}`
    );
    const reading = (sql: Sql) => apply(sql, company.account_id, [entry()]);
    const connect = connecting(business_account_id, company);
    const number = readsFirst
      ? (await overlapping(reading, connect))[1]
      : (await overlapping(connect, reading))[0];
    const [{ phone_number_ids }] = await committed((sql) =>
      sql`select phone_number_ids from templates where company_id = ${company.id}`
    );
    assert.deepEqual(phone_number_ids, [number, company.phone_number_id].sort(), `${readsFirst}`);
  }
});
