// Tests a webhook whose queue is too long: the later events are read from the event log instead of
// the queue. Also tests replays, which read the event log too.
import assert from "node:assert/strict";
import { committed } from "../database/connections.ts";
import { actAs, rolledBack, type Sql } from "../support/acting_as.ts";
import { newCompany } from "../support/company.ts";
import { ownWebhooks } from "../support/own_functions.ts";
import { addWebhook, type MadeWebhook, noteEvents, receiver } from "../support/receiving.ts";
import { until } from "../support/started.ts";
import { statement, withDatabase } from "../support/test_stack.ts";

/** Runs the delivery job until the webhook has caught up and no replay is left. */
async function caughtUp(deliver: (company: string) => Promise<unknown>, webhook: MadeWebhook) {
  for (;;) {
    await deliver(webhook.company_id);
    const [{ is_over }] = await statement`
      select catch_up_version is null and not exists (
        select from app.replays where webhook_id = webhooks.id
      ) as is_over from webhooks where id = ${webhook.id}
    `;
    if (is_over) return;
  }
}

const event = (type: string, record_id: string, webhooks: string[]) => ({
  ...{ type, record_id, webhooks },
});

Deno.test("a webhook that is catching up receives every event in the log once, in order for each record", async () => {
  const company = await newCompany();
  await using shop = receiver();
  const webhook = await addWebhook(company.id, shop.url, { types: ["deal.*"] });
  const records = Array.from({ length: 40 }, () => crypto.randomUUID());
  const types = Array.from({ length: 1_300 }, (_, at) => `deal.number_${at}`);
  const noted = (from: number, to: number, webhooks: string[]) =>
    noteEvents(
      company.id,
      types.slice(from, to).map((type, at) => event(type, records[(from + at) % 40], webhooks)),
    );
  await noted(0, 50, [webhook.id]);
  // This statement has the same effect as `app.bound_queues` for a queue with more than 50,000
  // deliveries.
  await statement`
    update webhooks set state = 'catching_up', catch_up_version = clock.horizon - 1,
      catch_up_seq = 9223372036854775807
    from app.change_clock_now() as clock where id = ${webhook.id}
  `;
  await noted(50, types.length, []);
  await noteEvents(company.id, [event("contact.updated", company.contact_id, [])]);
  const deliver = await ownWebhooks([shop.url], { cpuMs: 60_000 });
  await caughtUp(deliver, webhook);
  for (const [at, record] of records.entries()) {
    const got = shop.got.filter(({ body }) => body.record_id === record).map(({ body }) =>
      body.type
    );
    assert.deepEqual(got, types.filter((_, place) => place % 40 === at));
  }
  assert.equal(shop.got.length, types.length);
  const [{ state }] = await statement`select state from webhooks where id = ${webhook.id}`;
  assert.equal(state, "on");
});

Deno.test("events that a transaction wrote but did not queue are sent before later events of the same record", async () => {
  const company = await newCompany();
  await using shop = receiver();
  const webhook = await addWebhook(company.id, shop.url);
  await statement`
    update webhooks set state = 'catching_up', catch_up_version = clock.horizon - 1,
      catch_up_seq = 9223372036854775807
    from app.change_clock_now() as clock where id = ${webhook.id}
  `;
  const deliver = await ownWebhooks([shop.url]);
  await withDatabase(async (sql) => {
    await sql`begin`;
    // This transaction queues nothing, because the transaction began while the webhook was catching
    // up.
    await sql`
      insert into app.events (slot, id, seq, version, company_id, type, record_id, happened_at)
      values (
        app.slot_of(clock_timestamp()), app.new_event_id(clock_timestamp()), nextval('app.event_seq'),
        app.change_now(), ${company.id}, 'deal.updated', ${company.deal_id}, clock_timestamp()
      )
    `;
    // The job has read the log to its end, but must wait until the open transaction ends.
    for (let run = 0; run < 4; run++) await deliver(company.id);
    await noteEvents(company.id, [event("deal.won", company.deal_id, [webhook.id])]);
    await deliver(company.id);
    assert.equal(shop.got.length, 0);
    // A long queue does not end the wait.
    const others = Array.from({ length: 1_000 }, () => crypto.randomUUID());
    await noteEvents(company.id, others.map((id) => event("deal.updated", id, [webhook.id])));
    await deliver(company.id);
    assert.equal(shop.got.length, 0);
    await sql`
      delete from app.open_deliveries where webhook_id = ${webhook.id} and record_id <> ${company.deal_id}
    `;
    await sql`commit`;
  });
  await caughtUp(deliver, webhook);
  await deliver(company.id);
  const ofDeal = shop.got.filter(({ body }) => body.record_id === company.deal_id);
  assert.deepEqual(ofDeal.map(({ body }) => body.type), ["deal.updated", "deal.won"]);
});

Deno.test("a webhook catches up even if a new event is written before each read of the log", async () => {
  const company = await newCompany();
  const webhook = await addWebhook(company.id, "https://receiver.example", {
    ...{ types: ["deal.won"], catch_up_version: 0, catch_up_seq: 0, state: "catching_up" },
  });
  for (let read = 0; read < 100; read++) {
    await noteEvents(company.id, [event("deal.updated", company.deal_id, [])]);
    await statement`select app.fill_from_log(${webhook.id})`;
    const [{ is_over }] = await statement`
      select catch_up_version is null as is_over from webhooks where id = ${webhook.id}
    `;
    if (is_over) return;
  }
  assert.fail("The webhook is still catching up.");
});

Deno.test("if a transaction writes while the job prepares the end of catching up, catching up also includes that transaction", async () => {
  const company = await newCompany();
  const webhook = await addWebhook(company.id, "https://receiver.example", {
    ...{ types: ["deal.won"], catch_up_version: 0, catch_up_seq: 0, state: "catching_up" },
  });
  const filled = async (sql: typeof statement) => {
    for (;;) {
      const [{ result }] = await sql`select app.fill_from_log(${webhook.id}) as result`;
      if (result === "wait") return;
    }
  };
  await withDatabase((writing) =>
    withDatabase(async (job) => {
      await job`begin`;
      await filled(job);
      // Nothing queues the event of this transaction, because the job has not committed yet.
      await writing`begin`;
      await writing`update deals set status = 'won' where id = ${company.deal_id}`;
      const [{ version }] = await writing`select app.change_now() as version`;
      await job`commit`;
      await filled(job);
      const [{ catch_up_until }] = await job`
        select catch_up_until from webhooks where id = ${webhook.id}
      `;
      assert.ok(BigInt(catch_up_until) > BigInt(version));
      await writing`commit`;
    })
  );
});

Deno.test("a replay sends all events of the given types and period again", async () => {
  const company = await newCompany();
  await using shop = receiver();
  const webhook = await addWebhook(company.id, shop.url);
  const deliver = await ownWebhooks([shop.url]);
  const time = async () => (await statement`select clock_timestamp()::text as now`)[0].now;
  const send = async (type: string) => {
    await noteEvents(company.id, [event(type, company.deal_id, [webhook.id])]);
    await deliver(company.id);
  };
  await send("deal.created");
  const since = await time();
  await send("deal.updated");
  await send("contact.updated");
  const until = await time();
  await send("deal.won");
  const sent = shop.got.splice(0);
  await statement`
    insert into app.replays (webhook_id, company_id, since, until, types)
    values (
      ${webhook.id}, ${company.id}, ${since}::text::timestamptz, ${until}::text::timestamptz, '{deal.*}'
    )
  `;
  await caughtUp(deliver, webhook);
  assert.deepEqual(shop.got.map(({ body }) => body.type), ["deal.updated"]);
  assert.equal(shop.got[0].headers["webhook-id"], sent[1].headers["webhook-id"]);
});

Deno.test("two replays of adjoining periods send an event at the common boundary only once", async () => {
  const company = await newCompany();
  await using shop = receiver();
  const webhook = await addWebhook(company.id, shop.url);
  const deliver = await ownWebhooks([shop.url]);
  const types = ["deal.created", "deal.updated", "deal.won"];
  await noteEvents(company.id, types.map((type) => event(type, company.deal_id, [])));
  const times = await statement`
    select happened_at::text as at from app.events
    where company_id = ${company.id} and type = any (${types}) and record_id = ${company.deal_id}
    order by seq desc limit 3
  `;
  const [won, updated, created] = times.map(({ at }) => at);
  for (const [since, until] of [[created, updated], [updated, won]]) {
    await statement`
      insert into app.replays (webhook_id, company_id, since, until)
      values (${webhook.id}, ${company.id}, ${since}::text::timestamptz, ${until}::text::timestamptz)
    `;
    await caughtUp(deliver, webhook);
  }
  assert.deepEqual(shop.got.map(({ body }) => body.type), ["deal.created", "deal.updated"]);
});

/** Requests a replay of the `deal.won` events. */
const askForReplay = (webhook: MadeWebhook) =>
  statement`
    insert into app.replays (webhook_id, company_id, since, until, types)
    values (
      ${webhook.id}, ${webhook.company_id}, now() - interval '1 day', now() + interval '1 second', '{deal.won}'
    )
  `;

Deno.test("while an earlier transaction is still open, a replay waits before it sends later events", async () => {
  const company = await newCompany();
  await using shop = receiver();
  const webhook = await addWebhook(company.id, shop.url);
  const deliver = await ownWebhooks([shop.url]);
  await withDatabase(async (sql) => {
    await sql`begin`;
    await sql`select app.change_now()`;
    await noteEvents(company.id, [event("deal.won", company.deal_id, [])]);
    await askForReplay(webhook);
    for (let run = 0; run < 3; run++) await deliver(company.id);
    assert.equal(shop.got.length, 0);
    await sql`commit`;
  });
  await caughtUp(deliver, webhook);
  assert.deepEqual(shop.got.map(({ body }) => body.type), ["deal.won"]);
});

Deno.test("a replay sends the events of a transaction that was open when the replay was requested", async () => {
  const company = await newCompany();
  await using shop = receiver();
  const webhook = await addWebhook(company.id, shop.url, {
    ...{ types: ["deal.won"], state: "off", switched_off_at: new Date() },
  });
  const deliver = await ownWebhooks([shop.url]);
  await withDatabase(async (sql) => {
    await sql`begin`;
    // Nothing queues the event of this transaction, because the webhook is off.
    await sql`update deals set status = 'won' where id = ${company.deal_id}`;
    await committed(async (sql) => {
      await actAs(sql, "service_role");
      await sql`select change_webhook(${webhook.id}, '{"state": "on"}')`;
      await sql`select replay_webhook(${webhook.id}, now() - interval '1 day')`;
    });
    for (let run = 0; run < 3; run++) await deliver(company.id);
    assert.equal(shop.got.length, 0);
    await sql`commit`;
  });
  await caughtUp(deliver, webhook);
  assert.deepEqual(shop.got.map(({ body }) => body.record_id), [company.deal_id]);
});

Deno.test("an event whose delivery has failed can be replayed", async () => {
  const company = await newCompany();
  let status = 500;
  await using shop = receiver(() => new Response(null, { status }));
  const webhook = await addWebhook(company.id, shop.url);
  await noteEvents(company.id, [event("deal.won", company.deal_id, [webhook.id])]);
  await statement`update app.open_deliveries set attempts = 10 where webhook_id = ${webhook.id}`;
  const deliver = await ownWebhooks([shop.url]);
  await deliver(company.id);
  status = 204;
  await askForReplay(webhook);
  await caughtUp(deliver, webhook);
  const outcomes = await statement`
    select outcome from app.deliveries where webhook_id = ${webhook.id} order by ended_at
  `;
  assert.deepEqual(outcomes.map(({ outcome }) => outcome), ["failed", "delivered"]);
});

/** Stores that all attempts at a webhook's open deliveries so far have failed, hours ago. */
const haveFailed = ({ id }: MadeWebhook) =>
  statement`
    update app.open_deliveries set
      attempts = 6, due_at = now() + interval '10 hours',
      tries = jsonb_build_array(jsonb_build_object('at', now() - interval '2 hours', 'status', 500))
    where webhook_id = ${id}
  `;

Deno.test("a replay also sends events that wait for a retry, and the earlier waiting events of their records", async () => {
  const company = await newCompany();
  await using shop = receiver();
  const webhook = await addWebhook(company.id, shop.url);
  const deliver = await ownWebhooks([shop.url]);
  const [record, other] = [crypto.randomUUID(), crypto.randomUUID()];
  await noteEvents(company.id, [
    event("deal.created", record, [webhook.id]),
    event("deal.created", other, [webhook.id]),
    event("deal.updated", record, [webhook.id]),
    event("deal.won", record, []),
    event("deal.archived", record, [webhook.id]),
  ]);
  await haveFailed(webhook);
  const [{ since, until }] = await statement`
    select min(happened_at)::text as since, max(happened_at)::text as until from app.events
    where company_id = ${company.id} and type in ('deal.updated', 'deal.archived') and record_id = ${record}
  `;
  await statement`
    insert into app.replays (webhook_id, company_id, since, until)
    values (${webhook.id}, ${company.id}, ${since}::text::timestamptz, ${until}::text::timestamptz)
  `;
  await caughtUp(deliver, webhook);
  assert.deepEqual(shop.got.map(({ body }) => [body.record_id, body.type]), [
    [record, "deal.created"],
    [record, "deal.updated"],
    [record, "deal.won"],
  ]);
});

Deno.test("if the receiver still refuses an event, a long replay sends the event only once more", async () => {
  const company = await newCompany();
  await using shop = receiver(() => new Response(null, { status: 500 }));
  const webhook = await addWebhook(company.id, shop.url);
  const deliver = await ownWebhooks([shop.url]);
  // The job reads the log in pages of 1,000 events.
  const page = Array.from({ length: 1_000 }, () => event("deal.updated", company.deal_id, []));
  await noteEvents(company.id, [event("contact.updated", company.contact_id, [webhook.id])]);
  await haveFailed(webhook);
  const later = ["contact.opted_out", "contact.opted_in"];
  for (const type of later) {
    await noteEvents(company.id, [...page, event(type, company.contact_id, [])]);
  }
  await statement`
    insert into app.replays (webhook_id, company_id, since, until, types)
    values (${webhook.id}, ${company.id}, now() - interval '1 day', now(), ${[
    "contact.updated",
    ...later,
  ]})
  `;
  await caughtUp(deliver, webhook);
  assert.deepEqual(shop.got.map(({ body }) => body.type), ["contact.updated"]);
});

/** Adds this many open deliveries to a webhook's queue, which are due after some hours. */
const addDeliveries = (sql: Sql, { id, company_id }: MadeWebhook, count: number, hours: number) =>
  sql`
    insert into app.open_deliveries (webhook_id, record_id, seq, slot, event_id, company_id, type, due_at, attempts)
    select
      ${id}, gen_random_uuid(), seq, 0, gen_random_uuid(), ${company_id}, 'contact.updated',
      now() + ${hours}::integer * interval '1 hour', 6
    from generate_series(1, ${count}::integer) as seq
  `;

Deno.test("while 1,000 deliveries wait for a retry, a replay and catching up still send events", async () => {
  const company = await newCompany();
  await using shop = receiver();
  const webhook = await addWebhook(company.id, shop.url, { types: ["deal.won"] });
  const deliver = await ownWebhooks([shop.url]);
  await committed((sql) => addDeliveries(sql, webhook, 1_000, 10));
  await noteEvents(company.id, [event("deal.won", company.deal_id, [])]);
  await askForReplay(webhook);
  const sends = (count: number) =>
    until(async () => {
      await deliver(company.id);
      return shop.got.length >= count;
    });
  await sends(1);
  assert.deepEqual(shop.got.map(({ body }) => body.type), ["deal.won"]);

  await caughtUp(deliver, webhook);
  const next = crypto.randomUUID();
  await statement`
    update webhooks set state = 'catching_up', catch_up_version = clock.horizon - 1,
      catch_up_seq = 9223372036854775807
    from app.change_clock_now() as clock where id = ${webhook.id}
  `;
  await noteEvents(company.id, [event("deal.won", next, [])]);
  await sends(2);
  assert.deepEqual(shop.got.slice(1).map(({ body }) => body.record_id), [next]);
});

Deno.test("the event log is read for a queue until 1,000 deliveries are due or 50,000 are open", async () => {
  const company = await newCompany();
  const webhook = await addWebhook(company.id, "https://receiver.example", { types: ["deal.won"] });
  await noteEvents(company.id, [event("deal.won", company.deal_id, [])]);
  // An open transaction of another test hides only events with later versions.
  await statement`update app.events set version = 1 where company_id = ${company.id}`;
  await askForReplay(webhook);
  for (const [due, waiting, isRead] of [[999, 10_000, 1], [1_000, 0, 0], [0, 50_000, 0]]) {
    await rolledBack(async (sql) => {
      await addDeliveries(sql, webhook, due, 0);
      await addDeliveries(sql, webhook, waiting, 10);
      await sql`select app.fill_from_log(${webhook.id})`;
      const queued = await sql`
        select from app.open_deliveries where webhook_id = ${webhook.id} and record_id = ${company.deal_id}
      `;
      assert.equal(queued.count, isRead, `${due} due, ${waiting} waiting`);
    });
  }
});
