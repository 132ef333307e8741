// An event is applied in the request that brings it. What is in the way is the job's, and the answer is 200 all the same.
import assert from "node:assert/strict";
import { readWhatsappConfig } from "../../supabase/functions/whatsapp/config.ts";
import { eventsOf, newChannelApp, ownWebhook } from "../support/channel_apps.ts";
import { addMessage, connectAccount } from "../support/company.ts";
import { logged } from "../support/log_lines.ts";
import { watchedStack } from "../support/own_functions.ts";
import { asSuperuser, environment, withDatabase } from "../support/test_stack.ts";
import {
  anyPhone,
  companyWithApp,
  endPauses,
  eventBody,
  inboundOf,
  runChannelJob,
  statesOf,
} from "./told_events.ts";

const webhook = await ownWebhook();

Deno.test("a message is there when the event is answered", async () => {
  const { company, app } = await companyWithApp();
  const answer = await webhook.post(app, eventBody(company.phone_number_id, ["Bom dia", "Oi?"]));
  assert.deepEqual([answer.status, answer.body], [200, {}]);
  assert.deepEqual(await inboundOf(company), [["Bom dia", "Oi?"]]);
  const [event] = await eventsOf(app);
  assert.deepEqual([event.state, event.attempts, event.error], ["done", 0, null]);
});

Deno.test("events of a new person at the same moment make one contact with one conversation", async () => {
  const { company, app } = await companyWithApp();
  const phone = anyPhone();
  const texts = Array.from({ length: 12 }, (_, at) => `text ${at}`);
  const bodies = texts.map((text) => eventBody(company.phone_number_id, [text], { phone }));
  // Each of them twice, too.
  const answers = await Promise.all(
    [...bodies, ...bodies].map((body) => webhook.post(app, body)),
  );
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  const conversations = await inboundOf(company);
  assert.deepEqual(conversations.map((contents) => contents.toSorted()), [texts.toSorted()]);
  assert.deepEqual(new Set(await statesOf(app)), new Set(["done"]));
});

Deno.test("a burst of events is taken whole", async () => {
  const { company, app } = await companyWithApp();
  const { eventShare } = await readWhatsappConfig(environment());
  // Other tests run at the same time.
  const patient = await ownWebhook({ eventShare: { ...eventShare, patienceMs: 60_000 } });
  const phones = Array.from({ length: 10 }, anyPhone);
  const bodies = Array.from(
    { length: 120 },
    (_, at) => eventBody(company.phone_number_id, [`${at}`], { phone: phones[at % 10] }),
  );
  const answers = await Promise.all(bodies.map((body) => patient.post(app, body)));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  const conversations = await inboundOf(company);
  assert.deepEqual([conversations.length, conversations.flat().length], [10, 120]);
});

Deno.test("events that name the same messages of two companies in any order wait for each other, and never in a circle", async () => {
  const { company: one, app } = await companyWithApp();
  const { company: other } = await companyWithApp();
  const ids = Array.from({ length: 10 }, () => `wamid.${crypto.randomUUID()}`);
  await withDatabase(async (sql) => {
    await sql`update messaging_accounts set channel_app_id = ${app.id} where id = ${other.account_id}`;
    for (const [at, whatsapp_message_id] of ids.entries()) {
      await addMessage(sql, at % 2 ? one : other, {
        direction: "outbound",
        outcome: "accepted",
        whatsapp_message_id,
      });
    }
  });
  const bodyOf = (order: number[], status: string) => {
    const parts = order.map((at) => {
      const company = at % 2 ? one : other;
      const statuses = [{ id: ids[at], status, timestamp: "1795262400" }];
      return JSON.parse(eventBody(company.phone_number_id, [], { more: { statuses } })).entry[0];
    });
    return JSON.stringify({ object: "whatsapp_business_account", entry: parts });
  };
  const shuffled = () => ids.map((_, at) => at).sort(() => Math.random() - 0.5);
  const bodies = ["sent", "delivered", "read"].flatMap((status) =>
    Array.from({ length: 8 }, () => bodyOf(shuffled(), status))
  );
  const lines = await logged(async () => {
    const answers = await Promise.all(bodies.map((body) => webhook.post(app, body)));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  });
  assert.deepEqual(lines, [], "none is left for the job");
  assert.deepEqual(new Set(await statesOf(app)), new Set(["done"]));
  const statuses = await withDatabase((sql) =>
    sql`select status from messages where whatsapp_message_id = any (${ids})`
  );
  assert.deepEqual(statuses.map(({ status }) => status), ids.map(() => "read"));
});

Deno.test("a body that comes again, also regrouped, adds nothing", async () => {
  const { company, app } = await companyWithApp();
  const body = eventBody(company.phone_number_id, ["one", "two"]);
  const event = JSON.parse(body);
  const [change] = event.entry[0].changes;
  const [one, two] = change.value.messages;
  const regrouped = [[two], [one], [two, one]].map((messages) => {
    change.value.messages = messages;
    return JSON.stringify(event);
  });
  for (const each of [body, body, ...regrouped, body]) {
    assert.equal((await webhook.post(app, each)).status, 200);
  }
  assert.deepEqual(await inboundOf(company), [["one", "two"]]);
  assert.deepEqual(await statesOf(app), Array(4).fill("done"));
});

Deno.test("what an app that the account does not name says moves nothing, until the account names it", async () => {
  const { company } = await companyWithApp();
  const other = await newChannelApp();
  const body = eventBody(company.phone_number_id, ["forged or early"]);
  const lines = await logged(async () => {
    assert.equal((await webhook.post(other, body)).status, 200);
  });
  assert.deepEqual(await inboundOf(company), []);
  const [event] = await eventsOf(other);
  assert.deepEqual([event.state, event.waits_for], [
    "unroutable",
    [company.phone_number_id],
  ]);
  const [line, ...more] = lines.map((line) => JSON.parse(line));
  assert.deepEqual(more, []);
  const { event: name, event_id, state, unroutable, app_key } = line;
  assert.deepEqual([name, event_id, state, unroutable, app_key], [
    "channel_event",
    event.id,
    "unroutable",
    1,
    other.app_key,
  ]);
  assert.ok(!lines.join().includes(company.phone_number_id));
  await withDatabase((sql) =>
    sql`update messaging_accounts set channel_app_id = ${other.id} where id = ${company.account_id}`
  );
  assert.equal((await runChannelJob(other)).status, 200);
  assert.deepEqual(await inboundOf(company), [["forged or early"]]);
  assert.deepEqual(await statesOf(other), ["done"]);
});

Deno.test("what came before its number was connected is applied then", async () => {
  const { company, app } = await companyWithApp();
  const phone_number_id = `7${Date.now()}`;
  assert.equal((await webhook.post(app, eventBody(phone_number_id, ["too early"]))).status, 200);
  assert.deepEqual(await statesOf(app), ["unroutable"]);
  await withDatabase(async (sql) => {
    const { id } = await connectAccount(sql, company.id, { phone_number_id });
    await sql`update messaging_accounts set channel_app_id = ${app.id} where id = ${id}`;
  });
  await runChannelJob(app);
  assert.deepEqual(await inboundOf(company), [["too early"]]);
});

Deno.test("an event that was stored and not applied is applied by the job", async () => {
  const { company, app } = await companyWithApp();
  const body = eventBody(company.phone_number_id, ["Olá 👋🏽 — 日本"]);
  const bytes = new TextEncoder().encode(body).toBase64();
  await withDatabase((sql) => sql`select store_channel_event(${app.app_key}, ${bytes})`);
  const { status, body: { data } } = await runChannelJob(app);
  assert.equal(status, 200);
  assert.ok(data.applied >= 1 && data.done >= 1, JSON.stringify(data));
  assert.deepEqual(await inboundOf(company), [["Olá 👋🏽 — 日本"]]);
  assert.deepEqual(await statesOf(app), ["done"]);
});

Deno.test("an event that the database cannot apply is stored, answered 200, and applied by the job", async () => {
  const { company, app } = await companyWithApp();
  let failure: Response | null = null;
  await using watched = watchedStack((request) =>
    request.url.endsWith("receive_channel_event") ? failure!.clone() : null
  );
  const own = await ownWebhook({ supabaseUrl: watched.url });
  const errors = [
    Response.json({ code: "XX000", message: "unexpected" }, { status: 500 }),
    Response.json({ code: "57014", message: "statement timeout" }, { status: 500 }),
    Response.json({ code: "PGRST202", message: "no such function" }, { status: 404 }),
  ];
  for (const [at, error] of errors.entries()) {
    failure = error;
    const lines = await logged(async () => {
      const body = eventBody(company.phone_number_id, [`text ${at}`]);
      assert.equal((await own.post(app, body)).status, 200);
    });
    assert.deepEqual(lines.map((line) => JSON.parse(line).event), ["event_not_applied"]);
    assert.ok(!lines.join().includes(company.phone_number_id));
  }
  await runChannelJob(app);
  assert.deepEqual((await inboundOf(company)).flat().toSorted(), ["text 0", "text 1", "text 2"]);
});

Deno.test("while another event of the company holds its rows, the answer is 200 and the job applies it", async () => {
  const { company, app } = await companyWithApp();
  await asSuperuser(async (sql) => {
    await sql.begin(async (sql) => {
      await sql`select pg_advisory_xact_lock(hashtextextended('events of ' || ${company.id}, 0))`;
      const began = performance.now();
      const answer = await webhook.post(app, eventBody(company.phone_number_id, ["waits"]));
      assert.equal(answer.status, 200);
      assert.ok(performance.now() - began < 4_000);
      assert.deepEqual(await statesOf(app), ["stored"]);
    });
  });
  await endPauses(app);
  await runChannelJob(app);
  assert.deepEqual(await statesOf(app), ["done"]);
  assert.deepEqual(await inboundOf(company), [["waits"]]);
});

Deno.test("what is no event is kept, with the reason", async () => {
  const app = await newChannelApp();
  for (const body of ["not JSON", "[1]", ""]) {
    assert.equal((await webhook.post(app, body)).status, 200);
  }
  const kept = (await eventsOf(app)).map(({ state, error }) => `${state}: ${error}`);
  assert.deepEqual(kept.toSorted(), [
    "dead: The body is no event of the channel: it has no entry",
    "dead: The body is not JSON",
    "dead: The body is not JSON",
  ]);
});

Deno.test("texts that Postgres refuses are stored in a form that it takes", async () => {
  const { company, app } = await companyWithApp();
  const body = eventBody(company.phone_number_id, ["X"]).replace('"X"', '"a\\u0000b\\ud83dc"');
  assert.equal((await webhook.post(app, body)).status, 200);
  assert.deepEqual(await inboundOf(company), [["a\ufffdb\ufffdc"]]);
});

Deno.test("of many events that nobody knows, few lines are written", async () => {
  const app = await newChannelApp();
  const lines = await logged(async () => {
    for (let at = 0; at < 30; at++) {
      await webhook.post(app, eventBody("70000000000001", [`${at}`], { field: "of_2027" }));
    }
  });
  const told = lines.map((line) => JSON.parse(line)).filter(({ event }) =>
    event === "channel_event"
  );
  assert.ok(told.length >= 1 && told.length <= 20, `${told.length}`);
});
