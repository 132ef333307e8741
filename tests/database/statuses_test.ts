// Tests how the channel's reports change a message. The reports arrive in different orders, and
// some arrive twice.

import assert from "node:assert/strict";
import { rolledBack, type Sql, type Work } from "../support/acting_as.ts";
import { newCompany } from "../support/company.ts";
import {
  accepted,
  applyStatus,
  at,
  endsOf,
  facts,
  failure,
  mark,
  report,
  statusStatement,
  waiting,
} from "./statuses.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

const own = await newCompany();
const other = await newCompany();

/** Applies reports to messages of this company, one after another, and returns the results. */
async function apply(sql: Sql, ...items: Record<string, unknown>[]): Promise<string[]> {
  const results = [];
  for (const item of items) results.push(await applyStatus(sql, [own.account_id], item));
  return results;
}

test("each report sets its own time, and the status is derived from these times", async (sql) => {
  const { message_id } = await accepted(sql, own);
  const shown: Record<string, unknown> = { status: "accepted", id: "wamid.1" };
  assert.deepEqual(await facts(sql, message_id), shown);
  const price = { category: "utility", type: "regular" };
  assert.deepEqual(await apply(sql, report("sent", 0, { price })), ["done"]);
  Object.assign(shown, { status: "sent", sent_at: at(0) });
  Object.assign(shown, { price_category: "utility", price_type: "regular" });
  assert.deepEqual(await facts(sql, message_id), shown);
  await apply(sql, report("failed", 1));
  Object.assign(shown, {
    status: "failed",
    failed_at: at(1),
    failure: failure(131026, "recipient_unreachable"),
  });
  assert.deepEqual(await facts(sql, message_id), shown);
  // The message reached another device of the contact.
  await apply(sql, report("delivered", 2));
  Object.assign(shown, { status: "delivered", delivered_at: at(2) });
  assert.deepEqual(await facts(sql, message_id), shown);
  await apply(sql, report("read", 9));
  Object.assign(shown, { status: "read", read_at: at(9) });
  assert.deepEqual(await facts(sql, message_id), shown);
});

Deno.test("the reports about a message result in the same row in any order, even if each report arrives twice", async () => {
  const reports = [
    report("sent", 3, { price: { category: "utility", type: "regular" } }),
    // Two different prices, although in practice the channel always reports the same price.
    report("delivered", 3, { price: { category: "utility", type: "free_entry_point" } }),
    report("read", 5),
    // Two failures in the same second.
    report("failed", 4, { failure: failure(131026, "recipient_unreachable") }),
    report("failed", 4, { failure: failure(131049, "recipient_unreachable") }),
  ];
  await rolledBack(async (sql) => {
    const { message_id } = await accepted(sql, own);
    const twice = reports.map((item) => statusStatement(own.account_id, item));
    const ends = await endsOf(
      sql,
      twice.map((statement) => `${statement}; ${statement}`),
      `select to_jsonb(messages) - 'version' || jsonb_build_object(
        'last_message_at', last_message_at, 'window_expires_at', window_expires_at
      )
      from messages join conversations on conversations.id = conversation_id
      where messages.id = '${message_id}'`,
    );
    assert.equal(ends.length, 1, JSON.stringify(ends, null, 2));
    // deno-lint-ignore no-explicit-any -- a row in JSON
    const [end] = ends[0] as any[];
    assert.equal(end.status, "read");
    assert.equal(end.failure.code, 131026);
    assert.equal(end.price_category, "utility");
    assert.equal(new Date(end.delivered_at).getTime(), at(3).getTime());
  });
});

Deno.test("if two reports of the same kind have different times, the message shows the earlier time", async () => {
  for (const seconds of [[3, 8], [8, 3]]) {
    await rolledBack(async (sql) => {
      const { message_id } = await accepted(sql, own);
      for (const word of ["sent", "delivered", "read", "failed"]) {
        await apply(sql, ...seconds.map((second) => report(word, second)));
      }
      const { sent_at, delivered_at, read_at, failed_at } = await facts(sql, message_id);
      assert.deepEqual([sent_at, delivered_at, read_at, failed_at], Array(4).fill(at(3)));
    });
  }
});

test("a repeated report does not change any row", async (sql) => {
  const { message_id, send_id, conversation_id } = await accepted(sql, own);
  const items = ["sent", "failed", "delivered", "read"].map((word, i) => report(word, i));
  await apply(sql, ...items);
  const written = () =>
    sql`
      select 'message', ctid::text from messages where id = ${message_id}
      union all select 'send', ctid::text from sends where id = ${send_id}
      union all select 'conversation', ctid::text from conversations where id = ${conversation_id}
    `;
  const before = await written();
  await apply(sql, ...items, ...items);
  assert.deepEqual(await written(), before);
});

test("a report with an unknown status or without an id changes nothing", async (sql) => {
  const { message_id } = await accepted(sql, own);
  const before = await facts(sql, message_id);
  const ignored = [
    ...[report("deleted", 1), report("warning", 1), report("constructor", 1)],
    ...[report("sent", 1, { status: null }), report("sent", 1, { id: null })],
    ...[report("sent", 1, { id: "" }), report("sent", 1, { id: "w".repeat(256) })],
  ];
  for (const item of ignored) assert.deepEqual(await apply(sql, item), ["ignored"]);
  assert.deepEqual(await facts(sql, message_id), before);
  assert.deepEqual(await waiting(sql, own.id), []);
});

test("a report without a time or with a future time counts as reported now", async (sql) => {
  const { message_id } = await accepted(sql, own);
  const [{ now }] = await sql`select now()`;
  const future = new Date(Date.now() + 86_400_000).toISOString();
  await apply(sql, report("sent", 0, { at: null }), report("delivered", 0, { at: future }));
  const { sent_at, delivered_at } = await facts(sql, message_id);
  assert.deepEqual([sent_at, delivered_at], [now, now]);
});

Deno.test("a failure without a reason gets the reason `channel_error`, and long values are shortened", async () => {
  const told: [unknown, unknown][] = [
    [null, { reason: "channel_error", code: null, message: null, details: null }],
    [
      { reason: null, code: 1e15, message: "x".repeat(2000), details: null },
      { reason: "channel_error", code: null, message: "x".repeat(1000), details: null },
    ],
    [
      { reason: "y".repeat(70), code: "131026", message: null, details: "z" },
      { reason: "y".repeat(64), code: 131026, message: null, details: "z" },
    ],
  ];
  for (const [failure, expected] of told) {
    await rolledBack(async (sql) => {
      const { message_id } = await accepted(sql, own);
      assert.deepEqual(await apply(sql, report("failed", 1, { failure })), ["done"]);
      assert.deepEqual((await facts(sql, message_id)).failure, expected);
    });
  }
});

test("a report changes a message only if one of the report's accounts belongs to the message's company", async (sql) => {
  const ours = await accepted(sql, own);
  const theirs = await accepted(sql, other);
  await apply(sql, report("read", 1));
  assert.equal((await facts(sql, ours.message_id)).status, "read");
  assert.equal((await facts(sql, theirs.message_id)).status, "accepted");
  // A message from a contact has no status.
  const [{ id }] = await sql`
    insert into messages (company_id, conversation_id, direction, content, whatsapp_message_id)
    values (${own.id}, ${own.conversation_id}, 'inbound', 'Hello', 'wamid.2') returning id
  `;
  assert.deepEqual(await apply(sql, report("read", 1, { id: "wamid.2" })), ["waiting"]);
  assert.deepEqual(await facts(sql, id), { id: "wamid.2" });
  assert.equal(await applyStatus(sql, [], report("read", 1)), "unroutable");
  assert.equal(await applyStatus(sql, [crypto.randomUUID()], report("read", 1)), "unroutable");
});

Deno.test("if two companies had the same number and have a message with the same id, the report's callback data decides whose message changes", async () => {
  for (const [whose, not] of [[own, other], [other, own]]) {
    await rolledBack(async (sql) => {
      const [meant, unmeant] = [await accepted(sql, whose), await accepted(sql, not)];
      const item = report("delivered", 1, { mark: mark(meant) });
      const accounts = [own.account_id, other.account_id];
      assert.equal(await applyStatus(sql, accounts, item), "done");
      assert.equal((await facts(sql, meant.message_id)).status, "delivered");
      assert.equal((await facts(sql, unmeant.message_id)).status, "accepted");
    });
  }
});

test("reports also update a message without a send, such as an imported message", async (sql) => {
  const [{ id }] = await sql`
    insert into messages (company_id, conversation_id, direction, content, outcome, whatsapp_message_id)
    values (${own.id}, ${own.conversation_id}, 'outbound', 'Hello', 'accepted', 'wamid.1') returning id
  `;
  assert.deepEqual(await apply(sql, report("delivered", 1)), ["done"]);
  assert.deepEqual(
    await facts(sql, id),
    { status: "delivered", id: "wamid.1", delivered_at: at(1) },
  );
});
