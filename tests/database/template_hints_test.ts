// A channel event about a template is a hint. The template shows the hint until the service reads
// the template again, which happens before the next send.

import assert from "node:assert/strict";
import { rolledBack, type Sql, type Work } from "../support/acting_as.ts";
import { connectAccount, newCompany } from "../support/company.ts";
import { ago, CATEGORY, hint, type Item, QUALITY, status, tellOfTemplate } from "./hints.ts";
import { type Claim, claim } from "./sends.ts";
import { apply, catalogued, entry, FITTING, joinBusinessAccount } from "./templates.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

const own = await newCompany();
const other = await newCompany();
const { id: company_id, account_id, keys } = own;

const judged = (sql: Sql, asked: Record<string, unknown> = {}): Promise<Claim> =>
  claim(sql, keys.messaging, { preflight: "first", ...FITTING, ...asked });

/** The stored template order_update, as callers see it. */
async function shown(sql: Sql, company = company_id) {
  const [row] = await sql`
    select status, quality, category, upcoming_category as upcoming, rejected_reason as reason from templates
    where company_id = ${company} and name = 'order_update' and language = 'pt_BR'
  `;
  return { ...row };
}

const AS_LISTED = {
  ...{ status: "APPROVED", quality: "GREEN", category: "UTILITY" },
  ...{ upcoming: null, reason: null },
};

/** The time until the catalogue is read again, in whole hours. */
async function dueIn(sql: Sql, company = company_id): Promise<number> {
  const [{ hours }] = await sql`
    select ceil(extract(epoch from sync_due_at - now()) / 3600)::int as hours
    from template_catalogues where company_id = ${company}
  `;
  return hours;
}

async function dueJobs(sql: Sql): Promise<number> {
  const [{ jobs }] = await sql`
    select count(*)::int as jobs from due_jobs() where job = 'template-sync' and account_id in (
      select id from messaging_accounts where company_id = ${company_id}
    )
  `;
  return jobs;
}

Deno.test("a template shows the values that an event reported, and the template list becomes due to be read", async () => {
  const told: [Item, Record<string, unknown>][] = [
    [{}, { status: "REJECTED", reason: "INVALID_FORMAT" }],
    [{ value: { event: "REJECTED", reason: "NONE" } }, { status: "REJECTED" }],
    [{ value: { event: "PAUSED", reason: null } }, { status: "PAUSED" }],
    [{ ...status("DISABLED"), language: "pt-BR" }, { status: "DISABLED" }],
    [QUALITY, { quality: "YELLOW" }],
    [CATEGORY, { category: "MARKETING" }],
    [
      { event: "category", value: { new_category: "UTILITY", correct_category: "MARKETING" } },
      { upcoming: "MARKETING" },
    ],
    // These events do not tell the new values of the template.
    [status("FLAGGED"), {}],
    [status("SOMETHING_NEW"), {}],
    [{ event: "components", value: {} }, {}],
    [{ language: null }, {}],
    [{ name: null }, {}],
    [{ name: "another" }, {}],
  ];
  for (const [changes, change] of told) {
    await rolledBack(async (sql) => {
      const waba = await catalogued(sql, own, [entry()], "1 hour");
      assert.deepEqual([await dueIn(sql) > 0, await dueJobs(sql)], [true, 0]);
      assert.equal(await tellOfTemplate(sql, [account_id], hint(waba, changes)), "done");
      assert.deepEqual(await shown(sql), { ...AS_LISTED, ...change }, JSON.stringify(changes));
      assert.deepEqual([await dueIn(sql), await dueJobs(sql)], [0, 1]);
    });
  }
});

Deno.test("the values of a template list replace the values of an earlier event, even if the event is delivered again", async () => {
  for (const changes of [{}, QUALITY, CATEGORY, { event: "components", value: {} }]) {
    await rolledBack(async (sql) => {
      const waba = await catalogued(sql, own, [entry()], "1 hour");
      const item = hint(waba, { ...changes, at: ago(60) });
      await tellOfTemplate(sql, [account_id], item);
      await apply(sql, account_id, [entry()]);
      assert.deepEqual(await shown(sql), AS_LISTED);
      assert.ok(await dueIn(sql) > 0);
      await tellOfTemplate(sql, [account_id], item);
      // The repeated event makes the list due again. This is not needed, but costs little.
      assert.deepEqual([await shown(sql), await dueIn(sql)], [AS_LISTED, 0]);
      await apply(sql, account_id, [entry()]);
      const hints = await sql`select from template_hints where company_id = ${company_id}`;
      assert.equal(hints.length, 0);
    });
  }
});

Deno.test("in any order, the same events result in the same template, even if events are repeated or occur within one second", async () => {
  const items = [
    status("PAUSED"),
    { ...status("APPROVED"), at: ago(20) },
    { ...status("REJECTED"), at: ago(10) },
    { ...status("APPROVED"), at: ago(10) },
    { ...CATEGORY, at: ago(30) },
    { event: "category", value: { new_category: "AUTHENTICATION" }, at: ago(40) },
    { ...QUALITY, at: ago(50) },
  ].map((item) => ({ at: ago(30), ...item }));
  const orders = [items, items.toReversed(), [...items.slice(3), ...items.slice(0, 3)]];
  for (const order of orders) {
    await rolledBack(async (sql) => {
      const waba = await catalogued(sql, own, [entry()], "1 hour");
      for (const item of [...order, ...order]) {
        await tellOfTemplate(sql, [account_id], hint(waba, item));
      }
      assert.deepEqual(await shown(sql), {
        ...AS_LISTED,
        ...{ status: "REJECTED", category: "MARKETING", quality: "YELLOW" },
      });
    });
  }
});

Deno.test("after an event, a send requests a reread of the template, and without a reread the event decides whether the send is refused", async () => {
  const ends: [changes: Item, first: string, last: string][] = [
    [{}, "reread", "template_refused"],
    [status("PAUSED"), "reread", "template_refused"],
    [status("DELETED"), "reread", "template_refused"],
    [status("APPROVED"), "reread", "claimed"],
    [status("FLAGGED"), "reread", "claimed"],
    [{ event: "components", value: {} }, "reread", "claimed"],
    [CATEGORY, "reread", "claimed"],
    // The quality rating does not affect the send.
    [QUALITY, "claimed", "claimed"],
    // The event is too old to stop the send, so the channel decides.
    [{ at: ago(660) }, "reread", "claimed"],
  ];
  for (const [changes, first, last] of ends) {
    for (const [preflight, expected] of Object.entries({ first, last })) {
      await rolledBack(async (sql) => {
        const waba = await catalogued(sql, own, [entry()], "1 hour");
        await tellOfTemplate(sql, [account_id], hint(waba, changes));
        const { result } = await judged(sql, { preflight, idempotency_key: "once" });
        assert.equal(result, expected, JSON.stringify([changes, preflight]));
        const sends = await sql`select from sends where company_id = ${company_id}`;
        assert.equal(sends.length, expected === "claimed" ? 1 : 0);
      });
    }
  }
});

test("after an event, even a template that was just read is read once more", async (sql) => {
  const waba = await catalogued(sql, own, [entry({ status: "PAUSED" })], "11 minutes");
  const { began_at } = await judged(sql);
  await apply(sql, account_id, [entry({ status: "PAUSED" })], {
    only_name: "order_update",
    began_at,
  });
  assert.equal((await judged(sql)).result, "template_refused");
  // All times within a transaction are equal, so the test moves `read_at` to a time before the
  // event.
  await sql`update templates set read_at = read_at - interval '1 minute' where company_id = ${company_id}`;
  await tellOfTemplate(sql, [account_id], hint(waba, status("APPROVED")));
  const { result, is_elsewhere } = await judged(sql);
  assert.deepEqual([result, is_elsewhere], ["reread", false]);
  assert.equal((await judged(sql, { preflight: "last" })).result, "claimed");
});

test("after an event about an unknown template, the next send looks the template up", async (sql) => {
  const waba = await catalogued(sql, own, [], "1 hour");
  const { began_at } = await judged(sql);
  await apply(sql, account_id, [], { only_name: "order_update", began_at });
  assert.equal((await judged(sql)).result, "template_refused");
  await sql`update template_rereads set read_at = read_at - interval '1 second' where company_id = ${company_id}`;
  await tellOfTemplate(sql, [account_id], hint(waba, status("APPROVED")));
  assert.equal((await judged(sql)).result, "reread");
  assert.equal((await judged(sql, { preflight: "last" })).result, "claimed");
});

test("an event that arrives while the list is being read is kept, and the list becomes due again", async (sql) => {
  const waba = await catalogued(sql, own, [entry()], "1 hour");
  await tellOfTemplate(sql, [account_id], hint(waba));
  await apply(sql, account_id, [entry({ quality: "RED" })], { age: "5 seconds" });
  assert.deepEqual(await shown(sql), {
    ...AS_LISTED,
    ...{ status: "REJECTED", reason: "INVALID_FORMAT", quality: "RED" },
  });
  assert.equal(await dueIn(sql), 0);
  await apply(sql, account_id, [entry()]);
  assert.deepEqual([await shown(sql), await dueIn(sql) > 0], [AS_LISTED, true]);
});

test("an event that arrives while the list is being read for the first time is kept, and the list becomes due again", async (sql) => {
  const waba = await joinBusinessAccount(sql, account_id);
  await sql`select begin_job('template-sync', ${account_id})`;
  await tellOfTemplate(sql, [account_id], hint(waba));
  await apply(sql, account_id, [entry()], { age: "5 seconds" });
  assert.deepEqual(await shown(sql), {
    ...AS_LISTED,
    ...{ status: "REJECTED", reason: "INVALID_FORMAT" },
  });
  assert.equal(await dueIn(sql), 0);
  await apply(sql, account_id, [entry()]);
  assert.deepEqual([await shown(sql), await dueIn(sql) > 0], [AS_LISTED, true]);
});

test("an event changes only the catalogues of the accounts that the event concerns", async (sql) => {
  const waba = await catalogued(sql, own, [entry()], "1 hour");
  await joinBusinessAccount(sql, other.account_id, waba);
  await apply(sql, other.account_id, [entry()], { age: "1 hour" });
  await tellOfTemplate(sql, [account_id], hint(waba));
  assert.deepEqual([(await shown(sql)).status, await dueIn(sql)], ["REJECTED", 0]);
  assert.deepEqual(await shown(sql, other.id), AS_LISTED);
  assert.ok(await dueIn(sql, other.id) > 0);
  // Two accounts of one business account share one catalogue.
  const second = await connectAccount(sql, company_id, { business_account_id: waba });
  const ids = [account_id, second.id, other.account_id];
  await tellOfTemplate(sql, ids, hint(waba, { ...status("PAUSED"), at: null }));
  assert.equal((await shown(sql, other.id)).status, "PAUSED");
  // The event does not concern accounts of another business account.
  await tellOfTemplate(sql, ids, hint("1", { ...status("REJECTED"), at: null }));
  assert.equal((await shown(sql)).status, "PAUSED");
});

test("an event for an account without a catalogue is not recorded, because the catalogue must be read anyway", async (sql) => {
  const waba = await joinBusinessAccount(sql, account_id);
  assert.equal(await dueJobs(sql), 1);
  assert.equal(await tellOfTemplate(sql, [account_id], hint(waba)), "done");
  const [{ hints }] = await sql`
    select count(*)::int as hints from template_hints where company_id = ${company_id}
  `;
  assert.deepEqual([hints, await dueJobs(sql)], [0, 1]);
});

test("an event does not shorten the pause that follows a failed attempt to read the list", async (sql) => {
  const waba = await catalogued(sql, own, [entry()], "1 hour");
  const [{ run }] = await sql`select begin_job('template-sync', ${account_id}) as run`;
  await sql`select end_job(${run.run_id}, 'The channel is down')`;
  await tellOfTemplate(sql, [account_id], hint(waba));
  assert.deepEqual([await dueIn(sql), await dueJobs(sql)], [1, 0]);
  assert.equal((await shown(sql)).status, "REJECTED");
  assert.equal((await judged(sql)).result, "reread");
});
