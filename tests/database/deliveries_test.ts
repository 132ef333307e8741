// Tests which due deliveries a run of the delivery job reads, and in which order.
import assert from "node:assert/strict";
import type { NextDeliveries } from "../../supabase/functions/webhooks/deliver/delivery.ts";
import { actAs, actAsSuperuser, rolledBack, type Sql } from "../support/acting_as.ts";
import { newCompany } from "../support/company.ts";
import { addWebhook, type MadeWebhook, noteEvents } from "../support/receiving.ts";
import { statement } from "../support/test_stack.ts";
import { overlapping } from "./connections.ts";

const company = await newCompany();
const run = crypto.randomUUID();

/** A webhook that the run has leased. */
const leasedWebhook = () =>
  addWebhook(company.id, "https://receiver.example", { types: ["deal.won"], lease_id: run });

/** Queues one delivery of each type, in this order, for each of these records. */
const queue = ({ id }: MadeWebhook, types: string[], records: string[]) =>
  noteEvents(
    company.id,
    types.flatMap((type) => records.map((record_id) => ({ type, record_id, webhooks: [id] }))),
  );

/** Reads at most this many due deliveries of each webhook, as the run does. */
async function read(sql: Sql, webhooks: MadeWebhook[], most: number): Promise<NextDeliveries> {
  const wanted = Object.fromEntries(webhooks.map(({ id }) => [id, most]));
  await actAs(sql, "webhook_client");
  const [{ answer }] = await sql`select next_deliveries(${run}, ${
    sql.json(wanted)
  }, '{}') as answer`;
  await actAsSuperuser(sql);
  return answer;
}

/** Postpones the next attempt of the `deal.created` deliveries. */
const postpone = (sql: Sql, { id }: MadeWebhook) =>
  sql`
    update app.open_deliveries set due_at = clock_timestamp() + interval '30 minutes', attempts = 4
    where webhook_id = ${id} and type = 'deal.created'
  `;

Deno.test("a due delivery is read even if older deliveries about many other records wait for their next attempt", () =>
  rolledBack(async (sql) => {
    const webhook = await leasedWebhook();
    const retried = Array.from({ length: 300 }, () => crypto.randomUUID());
    await queue(webhook, ["deal.created", "deal.updated"], retried);
    await postpone(sql, webhook);
    await queue(webhook, ["deal.won"], [company.deal_id]);
    const { webhooks: [{ deliveries }] } = await read(sql, [webhook], 1);
    assert.deepEqual(deliveries.map(({ record_id }) => record_id), [company.deal_id]);
  }));

Deno.test("a run reads at most the requested number of deliveries, and the deliveries of each record in order", () =>
  rolledBack(async (sql) => {
    const webhook = await leasedWebhook();
    for (const most of [1, 3, 5]) {
      await queue(webhook, ["deal.created", "deal.updated"], [crypto.randomUUID()]);
      await postpone(sql, webhook);
      const records = [crypto.randomUUID(), crypto.randomUUID()];
      await queue(webhook, ["deal.updated", "deal.won", "deal.lost"], records);
      const { webhooks: [{ deliveries }] } = await read(sql, [webhook], most);
      assert.ok(deliveries.length > 0 && deliveries.length <= most, `${deliveries.length}`);
      for (const record of records) {
        const types = deliveries.filter(({ record_id }) => record_id === record)
          .map(({ event }) => event.type);
        assert.deepEqual(types, ["deal.updated", "deal.won", "deal.lost"].slice(0, types.length));
      }
      await sql`delete from app.open_deliveries where webhook_id = ${webhook.id}`;
    }
    await queue(webhook, ["deal.won"], [crypto.randomUUID()]);
    assert.deepEqual((await read(sql, [webhook], 0)).webhooks[0].deliveries, []);
  }));

Deno.test("a run fills the queues of all webhooks from the event log before it reads any record", async () => {
  const webhooks = [await leasedWebhook(), await leasedWebhook()];
  const [first, last] = webhooks.toSorted((one, other) => one.id < other.id ? -1 : 1);
  await queue(first, ["deal.won"], [company.deal_id]);
  await statement`
    update webhooks set state = 'catching_up', catch_up_version = 0, catch_up_seq = 0 where id = ${last.id}
  `;
  const [, answer] = await overlapping(
    async (sql) => {
      // The queue cannot be filled until this transaction ends.
      await sql`select from webhooks where id = ${last.id} for no key update`;
      await sql`update deals set title = 'Renamed' where id = ${company.deal_id}`;
    },
    (sql) => read(sql, webhooks, 1),
  );
  const found = answer.webhooks.find(({ id }) => id === first.id)!;
  assert.equal(JSON.parse(found.deliveries[0].data!).title, "Renamed");
});

Deno.test("if a key is switched off while a run waits for its webhooks, the run gets none of their deliveries and queues no more", async () => {
  const company = await newCompany();
  const [{ id: key_id }] = await statement`
    select id from api_keys where company_id = ${company.id} and scopes = '{webhooks}'
  `;
  const ofKey = (columns = {}) =>
    addWebhook(company.id, "https://receiver.example", {
      ...{ types: ["deal.won"], lease_id: run, created_by_key_id: key_id, ...columns },
    });
  const replayed = await ofKey();
  const late = await ofKey({ state: "catching_up", catch_up_version: 0, catch_up_seq: 0 });
  await noteEvents(company.id, [{ type: "deal.won", record_id: company.deal_id, webhooks: [] }]);
  await statement`
    insert into app.replays (webhook_id, company_id, since, until)
    values (${replayed.id}, ${company.id}, now() - interval '1 day', now())
  `;
  const [, { webhooks }] = await overlapping(
    (sql) => sql`update api_keys set is_active = false where id = ${key_id}`,
    (sql) => read(sql, [replayed, late], 5),
  );
  assert.deepEqual(webhooks.map(({ id }) => id), []);
  const left = await statement`
    select
      why, catch_up_version,
      (select count(*)::int from app.open_deliveries where webhook_id = webhooks.id) as open
    from webhooks where company_id = ${company.id} and state = 'off'
  `;
  const off = { why: "key_ended", catch_up_version: null, open: 0 };
  assert.deepEqual(left.map((each) => ({ ...each })), [off, off]);
});

Deno.test("for each webhook, `read_at` is the time before the webhook's records are read", () =>
  rolledBack(async (sql) => {
    const webhooks = [await leasedWebhook(), await leasedWebhook()];
    for (const webhook of webhooks) await queue(webhook, ["deal.won"], [company.deal_id]);
    const time = async () =>
      Number((await sql`select extract(epoch from clock_timestamp()) as at`)[0].at);
    const before = await time();
    const answer = await read(sql, webhooks, 1);
    const after = await time();
    const times = answer.webhooks.map(({ read_at }) => read_at);
    const inOrder = [before, ...times, answer.ended_at, after];
    assert.deepEqual(inOrder, inOrder.toSorted((one, other) => one - other));
    assert.equal(new Set(times).size, 2);
  }));
