// Tests how the outcomes of deliveries are stored. A receiver's response may contain data of a
// person who is being erased, and a receiver may request a pause with `Retry-After`.
import assert from "node:assert/strict";
import type { Sql } from "../support/acting_as.ts";
import { newCompany } from "../support/company.ts";
import { addWebhook, type MadeWebhook, noteEvents } from "../support/receiving.ts";
import { statement } from "../support/test_stack.ts";
import { overlapping } from "./connections.ts";

/** A waiting delivery about a contact. `answers` are the responses to its earlier attempts. */
async function newDelivery(answers: string[] = []) {
  const company = await newCompany();
  const run = crypto.randomUUID();
  const { id } = await addWebhook(company.id, "https://example.com", {
    ...{ types: ["deal.won"], lease_id: run },
  });
  await noteEvents(company.id, [
    { type: "contact.updated", record_id: company.contact_id, webhooks: [id] },
  ]);
  const tries = answers.map((answer) => ({ answer }));
  await statement`
    update app.open_deliveries set tries = ${
    JSON.stringify(tries)
  }::text::jsonb where webhook_id = ${id}
  `;
  /** Stores an attempt with its result and the receiver's response. */
  const settle = (result: string, answer: string | null) => (sql: Sql) =>
    sql`
      select settle_deliveries(${run}, jsonb_agg(jsonb_build_object(
        'webhook_id', webhook_id, 'record_id', record_id, 'seq', seq, 'attempts', attempts,
        'ended_at', clock_timestamp(), 'result', ${result}::text,
        'try', jsonb_build_object('status', 500, 'answer', ${answer}::text)
      )))
      from app.open_deliveries where webhook_id = ${id}
    `;
  const erase = async (sql: Sql) => {
    const contacts = [company.contact_id];
    await sql`select app.lock_for_erasing(${company.id}, ${contacts})`;
    await sql`select app.erase_contacts(${company.id}, ${contacts})`;
  };
  /** The responses that are stored for the delivery. */
  const stored = async () => {
    const [{ tries }] = await statement`
      select tries from app.open_deliveries where webhook_id = ${id}
      union all select tries from app.deliveries where webhook_id = ${id}
    `;
    return tries.map(({ answer }: { answer: string | null }) => answer);
  };
  return { settle, erase, stored };
}

Deno.test("a receiver's response that arrives while the person is being erased is not stored", async () => {
  const { settle, erase, stored } = await newDelivery();
  await overlapping(erase, settle("failed", "bad: Ada Secret"));
  assert.deepEqual(await stored(), [null]);
});

Deno.test("an erasure removes a response that is being stored when the erasure begins", async () => {
  const { settle, erase, stored } = await newDelivery();
  await overlapping(settle("failed", "bad: Ada Secret"), erase);
  assert.deepEqual(await stored(), [null]);
});

Deno.test("an erasure removes the earlier responses of a delivery that is moving to the log", async () => {
  const { settle, erase, stored } = await newDelivery(["bad: Ada Secret"]);
  await overlapping(settle("delivered", null), erase);
  assert.deepEqual(await stored(), [null, null]);
});

Deno.test("a response about a person who is not being erased is stored", async () => {
  const { settle, stored } = await newDelivery();
  await overlapping(settle("failed", "bad request"), () => Promise.resolve());
  assert.deepEqual(await stored(), ["bad request"]);
});

/** The outcome of one delivery: delivered, failed, or postponed for this many seconds. */
type Outcome = "delivered" | "failed" | number;

/** The end of a webhook's pause, and times before and after the settlement of deliveries. */
interface Settled {
  before: Date;
  after: Date;
  paused_until: Date | null;
}

/** A leased webhook with waiting deliveries, and a function that stores outcomes of deliveries. */
async function newLease() {
  const company = await newCompany();
  const run = crypto.randomUUID();
  const { id } = await addWebhook(company.id, "https://example.com", {
    ...{ types: ["deal.won"], lease_id: run },
  });
  await noteEvents(
    company.id,
    Array.from({ length: 12 }, () => ({
      ...{ type: "deal.won", record_id: crypto.randomUUID(), webhooks: [id] },
    })),
  );
  const now = async (): Promise<Date> => (await statement`select clock_timestamp() as now`)[0].now;
  /** Stores outcomes in one statement, and returns the end of the webhook's pause. */
  const settle = async (...outcomes: Outcome[]): Promise<Settled> => {
    const open = await statement`
      select record_id, seq::text, attempts from app.open_deliveries
      where webhook_id = ${id} and attempts = 0 order by due_at, seq limit ${outcomes.length}
    `;
    const told = outcomes.map((outcome, at) => ({
      ...open[at],
      ...{ webhook_id: id, ended_at: new Date(Date.now() + at), try: { status: 500 } },
      result: typeof outcome === "number" ? "later" : outcome,
      wait_seconds: typeof outcome === "number" ? outcome : null,
    }));
    const before = await now();
    await statement`select settle_deliveries(${run}, ${JSON.stringify(told)}::text::jsonb)`;
    const after = await now();
    const [{ paused_until }] = await statement`select paused_until from webhooks where id = ${id}`;
    return { before, after, paused_until };
  };
  return { id, settle };
}

/** Asserts that a pause began between `before` and `after`, and lasts from `least` to `most` seconds. */
function assertPause({ before, after, paused_until }: Settled, least: number, most = least) {
  const isWithin = paused_until !== null &&
    +before + least * 1000 <= +paused_until && +paused_until <= +after + most * 1000;
  assert.ok(isWithin, JSON.stringify({ before, after, paused_until }));
}

Deno.test("a success that arrives during a pause does not end the pause", async () => {
  const { id, settle } = await newLease();
  const paused = await settle(600);
  assertPause(paused, 600);
  assert.deepEqual((await settle("delivered")).paused_until, paused.paused_until);
  // After the pause has ended, a success clears `paused_until`.
  await statement`update webhooks set paused_until = clock_timestamp() where id = ${id}`;
  assert.equal((await settle("delivered")).paused_until, null);
});

Deno.test("a `Retry-After` pauses the webhook even if another delivery succeeds a moment later", async () => {
  const { settle } = await newLease();
  assertPause(await settle(600, "delivered"), 600);
});

Deno.test("a `Retry-After` can make a webhook's pause longer, but not shorter", async () => {
  const { settle } = await newLease();
  const failures = Array.from({ length: 5 }, () => "failed" as const);
  assertPause(await settle(...failures), 8, 10);
  const longer = await settle(600);
  assertPause(longer, 600);
  assert.deepEqual((await settle(30)).paused_until, longer.paused_until);
});

Deno.test("the `failing_since` of a webhook that is off is not later than the events that it had not read from the log", async () => {
  const company = await newCompany();
  const off = async ({ id }: MadeWebhook) => {
    await statement`select app.switch_off_webhook(${id}, 'by_platform')`;
    return (await statement`select failing_since from webhooks where id = ${id}`)[0].failing_since;
  };
  const noted = async () => {
    const record_id = crypto.randomUUID();
    await noteEvents(company.id, [{ type: "deal.updated", record_id, webhooks: [] }]);
    const [event] = await statement`select * from app.events where record_id = ${record_id}`;
    return event;
  };
  const add = (columns = {}) =>
    addWebhook(company.id, "https://receiver.example", { types: ["deal.*"], ...columns });
  const [idle, asked, replayed] = [await add(), await add(), await add()];
  const read = await noted();
  const late = await add({
    ...{ state: "catching_up", catch_up_version: read.version, catch_up_seq: read.seq },
    created_at: read.happened_at,
  });
  const unread = await noted();
  await noted();
  const since = new Date(Date.now() - 3_600_000);
  const replays = [[asked, 0, 0], [replayed, read.version, read.seq]] as const;
  for (const [{ id }, version, seq] of replays) {
    await statement`
      insert into app.replays (webhook_id, company_id, since, until, after_version, after_seq)
      values (${id}, ${company.id}, ${since}, now(), ${version}, ${seq})
    `;
  }
  const expected = [null, since, read.happened_at, unread.happened_at];
  assert.deepEqual(await Promise.all([idle, asked, replayed, late].map(off)), expected);
});
