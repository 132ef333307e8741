// An event is applied in the request that brings it. If that is not possible, the answer is still
// 200, and the job applies it.
import assert from "node:assert/strict";
import { readWhatsappConfig } from "../../supabase/functions/whatsapp/whatsapp_config.ts";
import { eventsOf, newChannelApp, ownWebhook } from "../support/channel_apps.ts";
import { addMessage, connectAccount } from "../support/company.ts";
import { logged } from "../support/log_lines.ts";
import { watchedStack } from "../support/own_functions.ts";
import { asSuperuser, environment, statement, withDatabase } from "../support/test_stack.ts";
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

Deno.test("a message is stored before its event is answered", async () => {
  const { company, app } = await companyWithApp();
  const answer = await webhook.post(app, eventBody(company.phone_number_id, ["Bom dia", "Oi?"]));
  assert.deepEqual([answer.status, answer.body], [200, {}]);
  assert.deepEqual(await inboundOf(company), [["Bom dia", "Oi?"]]);
  const [event] = await eventsOf(app);
  assert.deepEqual([event.state, event.attempts, event.error], ["done", 0, null]);
});

Deno.test("simultaneous events of a new person make one contact with one conversation", async () => {
  const { company, app } = await companyWithApp();
  const phone = anyPhone();
  const texts = Array.from({ length: 12 }, (_, at) => `text ${at}`);
  const bodies = texts.map((text) => eventBody(company.phone_number_id, [text], { phone }));
  // Each event is also delivered twice.
  const answers = await Promise.all([...bodies, ...bodies].map((body) => webhook.post(app, body)));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  const conversations = await inboundOf(company);
  assert.deepEqual(conversations.map((contents) => contents.toSorted()), [texts.toSorted()]);
  assert.deepEqual(new Set(await statesOf(app)), new Set(["done"]));
});

Deno.test("all events of a burst are accepted", async () => {
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

Deno.test("parallel events about the same messages of two companies cause no deadlock", async () => {
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
  const statuses = await statement`
    select status from messages where whatsapp_message_id = any (${ids})
  `;
  assert.deepEqual(statuses.map(({ status }) => status), ids.map(() => "read"));
});

Deno.test("a repeated body adds nothing, even if its items are regrouped", async () => {
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

Deno.test("the events of an app change nothing until the account that they are about names the app", async () => {
  const { company } = await companyWithApp();
  const other = await newChannelApp();
  const body = eventBody(company.phone_number_id, ["forged or early"]);
  const lines = await logged(async () => {
    assert.equal((await webhook.post(other, body)).status, 200);
  });
  assert.deepEqual(await inboundOf(company), []);
  const [event] = await eventsOf(other);
  assert.deepEqual([event.state, event.waits_for], ["unroutable", [company.phone_number_id]]);
  const [line, ...more] = lines.map((line) => JSON.parse(line));
  assert.deepEqual(more, []);
  const { event: name, event_id, state, unroutable, app_key } = line;
  assert.deepEqual(
    [name, event_id, state, unroutable, app_key],
    ["channel_event", event.id, "unroutable", 1, other.app_key],
  );
  assert.ok(!lines.join().includes(company.phone_number_id));
  await statement`
    update messaging_accounts set channel_app_id = ${other.id} where id = ${company.account_id}
  `;
  assert.equal((await runChannelJob(other)).status, 200);
  assert.deepEqual(await inboundOf(company), [["forged or early"]]);
  assert.deepEqual(await statesOf(other), ["done"]);
});

Deno.test("events that came before their number was connected are applied when it is connected", async () => {
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

Deno.test("the job applies an event that was stored but not applied", async () => {
  const { company, app } = await companyWithApp();
  const body = eventBody(company.phone_number_id, ["Olá 👋🏽 — 日本"]);
  const bytes = new TextEncoder().encode(body).toBase64();
  await statement`select store_channel_event(${app.app_key}, ${bytes})`;
  const { status, body: { data } } = await runChannelJob(app);
  assert.equal(status, 200);
  assert.ok(data.applied >= 1 && data.done >= 1, JSON.stringify(data));
  assert.deepEqual(await inboundOf(company), [["Olá 👋🏽 — 日本"]]);
  assert.deepEqual(await statesOf(app), ["done"]);
});

Deno.test("an event that the database cannot apply is stored and answered 200, and the job applies it", async () => {
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

/** An event with a message, of at least this many bytes, that names as many people as fit. */
function crowdedBody(phone_number_id: string, bytes: number): string {
  const names = Array.from(
    { length: Math.ceil(bytes / 25) },
    (_, at) => `wamid.${btoa(String(100_000_000_000 + at))}`,
  );
  return eventBody(phone_number_id, ["in the crowd"], { more: { names } });
}

Deno.test("an event that names 42,000 people is applied, and one of 3 MiB is stored within a second of CPU", async () => {
  const { company, app } = await companyWithApp();
  const body = crowdedBody(company.phone_number_id, 1024 * 1024);
  assert.equal((await webhook.post(app, body)).status, 200);
  // On a busy machine, the time of the request may not be enough.
  await endPauses(app);
  await runChannelJob(app);
  assert.deepEqual(await inboundOf(company), [["in the crowd"]]);
  const [{ state, person_marks }] = await eventsOf(app);
  assert.deepEqual([state, person_marks.length > 41_000], ["done", true]);

  const largest = crowdedBody(company.phone_number_id, 2.9 * 1024 * 1024);
  const bytes = new TextEncoder().encode(largest).toBase64();
  await asSuperuser(async (sql) => {
    const [{ pid }] = await sql`select pg_backend_pid() as pid`;
    const before = cpuMs(pid);
    const [{ stored }] = await sql`select store_channel_event(${app.app_key}, ${bytes}) as stored`;
    assert.equal(stored.result, "stored");
    // If the system does not report the CPU time, the work must end within a statement's time.
    if (before !== null) assert.ok(cpuMs(pid)! - before < 1000, `${cpuMs(pid)! - before} ms`);
    await sql`delete from channel_events where id = ${stored.event_id}`;
  });
});

/** How long a process has used a CPU, or null if there is no /proc. */
function cpuMs(pid: number): number | null {
  try {
    return Number(Deno.readTextFileSync(`/proc/${pid}/schedstat`).split(" ")[0]) / 1e6;
  } catch {
    return null;
  }
}

Deno.test("a large event that the database cannot apply is stored once and answered 200, and the job applies it", async () => {
  const { company, app } = await companyWithApp();
  let failure: Response | null = Response.json({ code: "57014", message: "statement timeout" }, {
    status: 500,
  });
  await using watched = watchedStack((request) =>
    request.url.endsWith("apply_channel_event") ? failure!.clone() : null
  );
  const own = await ownWebhook({ supabaseUrl: watched.url });
  const answers = [Response.json({ code: "XX000", message: "unexpected" }, { status: 500 })];
  const bodies = [];
  for (const [at, each] of [failure, ...answers].entries()) {
    failure = each;
    bodies.push(eventBody(company.phone_number_id, [`text ${at} ${"x".repeat(65 * 1024)}`]));
    assert.equal((await own.post(app, bodies[at])).status, 200);
  }
  // Events that the channel repeats are stored already.
  assert.equal((await webhook.post(app, bodies[0])).status, 200);
  const texts = async () => (await inboundOf(company)).flat().map((text) => text.slice(0, 6));
  assert.deepEqual(await texts(), ["text 0"]);
  await endPauses(app);
  await runChannelJob(app);
  assert.deepEqual((await texts()).toSorted(), ["text 0", "text 1"]);
  assert.deepEqual(await statesOf(app), ["done", "done"]);
});

Deno.test("an event that meets locked rows of the company is answered 200, and the job applies it", async () => {
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

Deno.test("a body that is not an event is kept, with the reason", async () => {
  const app = await newChannelApp();
  for (const body of ["not JSON", "[1]", ""]) {
    assert.equal((await webhook.post(app, body)).status, 200);
  }
  const kept = (await eventsOf(app)).map(({ state, error }) => `${state}: ${error}`);
  assert.deepEqual(kept.toSorted(), [
    "dead: The body is not JSON",
    "dead: The body is not JSON",
    "dead: The body is not an event of the channel: it has no entry",
  ]);
});

Deno.test("texts that Postgres refuses are stored in a form that it accepts", async () => {
  const { company, app } = await companyWithApp();
  const body = eventBody(company.phone_number_id, ["X"]).replace('"X"', '"a\\u0000b\\ud83dc"');
  assert.equal((await webhook.post(app, body)).status, 200);
  assert.deepEqual(await inboundOf(company), [["a\ufffdb\ufffdc"]]);
});

Deno.test("many unknown events write only a few log lines", async () => {
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
