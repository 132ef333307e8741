// Tests that the function applies an event during the request that delivers it. If the function
// cannot apply the event, it still returns a 200, and the job applies the event later.
import assert from "node:assert/strict";
import { eventsOf, newChannelApp, ownWebhook } from "../support/channel_apps.ts";
import { addMessage } from "../support/company.ts";
import { later, logged } from "../support/log_lines.ts";
import { watchedStack } from "../support/own_functions.ts";
import { asSuperuser, statement, withDatabase } from "../support/test_stack.ts";
import {
  companyWithApp,
  endPauses,
  eventBody,
  inboundOf,
  runChannelJob,
  statesOf,
} from "./told_events.ts";

const webhook = await ownWebhook();

Deno.test("an event's message is stored before the response to the event", async () => {
  const { company, app } = await companyWithApp();
  const answer = await webhook.post(app, eventBody(company.phone_number_id, ["Bom dia", "Oi?"]));
  assert.deepEqual([answer.status, answer.body], [200, {}]);
  assert.deepEqual(await inboundOf(company), [["Bom dia", "Oi?"]]);
  const [event] = await eventsOf(app);
  assert.deepEqual([event.state, event.attempts, event.error], ["done", 0, null]);
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
  assert.deepEqual(lines, [], "no event is left for the job to apply");
  assert.deepEqual(new Set(await statesOf(app)), new Set(["done"]));
  const statuses = await statement`
    select status from messages where whatsapp_message_id = any (${ids})
  `;
  assert.deepEqual(statuses.map(({ status }) => status), ids.map(() => "read"));
});

Deno.test("an app's events about an account change nothing until the account is assigned to this app", async () => {
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
  assert.equal((await runChannelJob(other)).status, 202);
  assert.deepEqual(await inboundOf(company), [["forged or early"]]);
  assert.deepEqual(await statesOf(other), ["done"]);
});

Deno.test("if the database cannot apply an event, the event is stored, the response is a 200, and the job applies it later", async () => {
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

Deno.test("many events that the database cannot apply write at most ten log lines", async () => {
  const { company, app } = await companyWithApp();
  await using watched = watchedStack((request) =>
    request.url.endsWith("receive_channel_event") || request.url.endsWith("apply_channel_event")
      ? Response.json({ code: "XX000", message: "unexpected" }, { status: 500 })
      : null
  );
  const own = await ownWebhook({ supabaseUrl: watched.url });
  const notApplied = async (bodies: string[]) => {
    const lines = await logged(async () => {
      for (const body of bodies) assert.equal((await own.post(app, body)).status, 200);
    });
    return lines.map((line) => JSON.parse(line)).filter(({ event }) =>
      event === "event_not_applied"
    );
  };
  const body = (text: string) => eventBody(company.phone_number_id, [text]);
  const many = Array.from({ length: 15 }, (_, at) => body(`text ${at}`));
  assert.equal((await later(10, () => notApplied(many))).length, 10);
  const [next] = await later(30, () => notApplied([body("one more")]));
  assert.deepEqual([next.app_key, next.left_out], [app.app_key, 5]);
});

/**
 * An event with at least this many bytes. The event contains one message, and enough message ids to
 * reach that size. Each of these ids contains a different phone number.
 */
function crowdedBody(phone_number_id: string, bytes: number): string {
  const names = Array.from(
    { length: Math.ceil(bytes / 25) },
    (_, at) => `wamid.${btoa(String(100_000_000_000 + at))}`,
  );
  return eventBody(phone_number_id, ["in the crowd"], { more: { names } });
}

Deno.test("an event with 42,000 phone numbers is applied, and an event of almost 3 MiB is stored within a second of CPU time", async () => {
  const { company, app } = await companyWithApp();
  const body = crowdedBody(company.phone_number_id, 1024 * 1024);
  assert.equal((await webhook.post(app, body)).status, 200);
  // On a busy machine, the request may not have enough time to apply the event.
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
    // On a system that does not report CPU time, the work must finish within the time limit of a
    // statement.
    if (before !== null) assert.ok(cpuMs(pid)! - before < 1000, `${cpuMs(pid)! - before} ms`);
    await sql`delete from channel_events where id = ${stored.event_id}`;
  });
});

Deno.test("a message with a very long false email address does not delay the other messages of its event", async () => {
  const { company, app } = await companyWithApp();
  // The database needs about ten milliseconds. If it searched from each character of the text again,
  // it would need half a minute, which is longer than the time limit of an event.
  const text = `${"a".repeat(60_000)}@!a@b.co`;
  const body = eventBody(company.phone_number_id, [text, "the next message"]);
  assert.equal((await webhook.post(app, body)).status, 200);
  assert.deepEqual(await statesOf(app), ["done"]);
  assert.deepEqual(await inboundOf(company), [[text, "the next message"]]);
});

/** The CPU time that a process has used, or null if there is no /proc. */
function cpuMs(pid: number): number | null {
  try {
    return Number(Deno.readTextFileSync(`/proc/${pid}/schedstat`).split(" ")[0]) / 1e6;
  } catch {
    return null;
  }
}

Deno.test("if the database cannot apply a large event, the event is stored once, the response is a 200, and the job applies it later", async () => {
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
  // An event that is already stored is not stored again.
  assert.equal((await webhook.post(app, bodies[0])).status, 200);
  const texts = async () => (await inboundOf(company)).flat().map((text) => text.slice(0, 6));
  assert.deepEqual(await texts(), ["text 0"]);
  await endPauses(app);
  await runChannelJob(app);
  assert.deepEqual((await texts()).toSorted(), ["text 0", "text 1"]);
  assert.deepEqual(await statesOf(app), ["done", "done"]);
});

Deno.test("if an event waits too long for the company's lock, the response is a 200 and the job applies the event later", async () => {
  const { company, app } = await companyWithApp();
  await asSuperuser(async (sql) => {
    await sql.begin(async (sql) => {
      await sql`select pg_advisory_xact_lock(hashtextextended('events of ' || ${company.id}, 0))`;
      const waits = async () => {
        const began = performance.now();
        const answer = await webhook.post(app, eventBody(company.phone_number_id, ["waits"]));
        assert.equal(answer.status, 200);
        return performance.now() - began;
      };
      // A response that takes longer is repeated once, because the machine may be busy.
      assert.ok(await waits() < 4_000 || await waits() < 4_000);
      assert.deepEqual(new Set(await statesOf(app)), new Set(["stored"]));
    });
  });
  await endPauses(app);
  await runChannelJob(app);
  assert.deepEqual(new Set(await statesOf(app)), new Set(["done"]));
  assert.deepEqual(new Set((await inboundOf(company)).flat()), new Set(["waits"]));
});

Deno.test("while a company's events wait for a lock, the events of another company with the same app are applied", async () => {
  const { company: busy, app } = await companyWithApp();
  const { company: other } = await companyWithApp();
  await statement`
    update messaging_accounts set channel_app_id = ${app.id} where id = ${other.account_id}
  `;
  const own = await ownWebhook({
    eventShare: { atOnce: 2, inAll: 3, waiting: 100, patienceMs: 500 },
  });
  const post = (company: typeof busy, business: string, text: string) =>
    own.post(
      app,
      eventBody(company.phone_number_id, [text]).replace('"id":"1"', `"id":"${business}"`),
    );
  await asSuperuser(async (sql) => {
    await sql.begin(async (sql) => {
      await sql`select pg_advisory_xact_lock(hashtextextended('events of ' || ${busy.id}, 0))`;
      const waiting = Array.from({ length: 6 }, (_, at) => post(busy, "11", `waits ${at}`));
      for (const text of ["one", "two", "three"]) {
        assert.equal((await post(other, "22", text)).status, 200);
      }
      assert.deepEqual((await inboundOf(other)).flat(), ["one", "two", "three"]);
      const statuses = (await Promise.all(waiting)).map(({ status }) => status);
      assert.deepEqual(statuses.toSorted(), [200, 200, 503, 503, 503, 503]);
    });
  });
});

Deno.test("a body that is not an event is stored together with the reason", async () => {
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

Deno.test("strings that Postgres refuses are stored in a form that Postgres accepts", async () => {
  const { company, app } = await companyWithApp();
  const body = eventBody(company.phone_number_id, ["X"]).replace('"X"', '"a\\u0000b\\ud83dc"');
  assert.equal((await webhook.post(app, body)).status, 200);
  assert.deepEqual(await inboundOf(company), [["a\ufffdb\ufffdc"]]);
});

Deno.test("many unknown events cause only a few log lines", async () => {
  const app = await newChannelApp();
  const lines = await later(15, () =>
    logged(async () => {
      for (let at = 0; at < 30; at++) {
        await webhook.post(app, eventBody("70000000000001", [`${at}`], { field: "of_2027" }));
      }
    }));
  const told = lines.map((line) => JSON.parse(line)).filter(({ event }) =>
    event === "channel_event"
  );
  assert.ok(told.length >= 1 && told.length <= 20, `${told.length}`);
});
