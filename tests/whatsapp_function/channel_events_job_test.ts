// Tests the job that applies channel events. The scheduler calls this job.
import assert from "node:assert/strict";
import { logged } from "../support/log_lines.ts";
import { ownWhatsapp, watchedStack } from "../support/own_functions.ts";
import { until } from "../support/started.ts";
import { statement } from "../support/test_stack.ts";
import { companyWithApp, eventBody, inboundOf, runChannelJob, statesOf } from "./told_events.ts";

/** Stores an event that has not been applied yet. */
async function store(app_key: string, body: string) {
  const bytes = new TextEncoder().encode(body).toBase64();
  await statement`select store_channel_event(${app_key}, ${bytes})`;
}

Deno.test("the channel events job accepts no account id, and the response contains the number of events", async () => {
  const run = await ownWhatsapp("http://127.0.0.1:9");
  const wrong = await run("channel-events", crypto.randomUUID());
  assert.deepEqual([wrong.status, wrong.body.code], [422, "invalid_request"]);
  const { status, body } = await runChannelJob();
  assert.equal(status, 200);
  assert.equal(body.data.job, "channel-events");
  for (
    const count of [
      ...["applied", "done", "woken", "waiting_applied", "expired", "events_removed"],
      ...["waiting_removed", "keys_removed"],
    ]
  ) assert.equal(typeof body.data[count], "number", count);
  const [row] = await statement`select * from channel_jobs`;
  assert.ok(row.began_at);
});

Deno.test("one event that the database cannot apply does not block the other events", async () => {
  const { company, app } = await companyWithApp();
  const bodies = ["poison", "good 1", "good 2"].map((text) =>
    eventBody(company.phone_number_id, [text])
  );
  await using watched = watchedStack(async (request) => {
    if (!request.url.endsWith("apply_channel_event")) return null;
    const isPoison = (await request.clone().text()).includes("poison");
    return isPoison ? Response.json({ code: "54001", message: "too deep" }, { status: 500 }) : null;
  });
  const run = await ownWhatsapp("http://127.0.0.1:9", { supabaseUrl: watched.url });
  for (const body of bodies) await store(app.app_key, body);
  const answer = await runChannelJob(app, run);
  assert.equal(answer.status, 200);
  // A run of another test may be applying some of the events.
  let contents: string[] = [];
  await until(async () => {
    contents = (await inboundOf(company)).flat();
    return ["good 1", "good 2"].every((text) => contents.includes(text));
  });
  await until(async () => (await statesOf(app)).every((state) => state !== "stored"));
  const states = await statesOf(app);
  assert.deepEqual(states.slice(1), ["done", "done"]);
  assert.ok(["failed", "done"].includes(states[0]));
});

Deno.test("a run that loses its database connection fails, and the response and the log show the failure", async () => {
  const { company, app } = await companyWithApp();
  await using watched = watchedStack((request) =>
    request.url.endsWith("due_channel_events") ? new Response("away", { status: 502 }) : null
  );
  const run = await ownWhatsapp("http://127.0.0.1:9", { supabaseUrl: watched.url });
  await store(app.app_key, eventBody(company.phone_number_id, ["later"]));
  let answer = await run("channel-events");
  const lines = await logged(async () => {
    do answer = await run("channel-events"); while (answer.status === 409);
  });
  assert.deepEqual([answer.status, answer.body.code], [502, "job_failed"]);
  const line = lines.map((line) => JSON.parse(line)).find(({ event }) => event === "job");
  assert.deepEqual(
    [line.job, line.outcome, line.account_id],
    ["channel-events", "failed", undefined],
  );
  await runChannelJob(app);
  assert.deepEqual(await inboundOf(company), [["later"]]);
});

Deno.test("if another task of the run fails, the run reports the failure and still applies the events", async () => {
  const { company, app } = await companyWithApp();
  await using watched = watchedStack((request) =>
    request.url.endsWith("tend_channel")
      ? Response.json({ code: "57014", message: "statement timeout" }, { status: 500 })
      : null
  );
  const run = await ownWhatsapp("http://127.0.0.1:9", { supabaseUrl: watched.url });
  await store(app.app_key, eventBody(company.phone_number_id, ["applied"]));
  const answer = await runChannelJob(app, run);
  assert.deepEqual([answer.status, answer.body.code], [502, "job_failed"]);
  assert.equal(answer.body.error, "The database failed (57014: statement timeout)");
  // A run of another test may be applying the event.
  await until(async () => (await inboundOf(company)).length > 0);
  assert.deepEqual(await inboundOf(company), [["applied"]]);
});

Deno.test("a run that has no time left applies no event, and the next run applies the events", async () => {
  const { company, app } = await companyWithApp();
  const run = await ownWhatsapp("http://127.0.0.1:9", { channelJobMs: 0 });
  await store(app.app_key, eventBody(company.phone_number_id, ["next"]));
  let answer = await run("channel-events");
  while (answer.status === 409) answer = await run("channel-events");
  assert.deepEqual([answer.status, answer.body.data.applied], [200, 0]);
  await runChannelJob(app);
  assert.deepEqual(await statesOf(app), ["done"]);
});

Deno.test("a run ends after its maximum number of events or bytes, and the next run continues", async () => {
  const { company, app } = await companyWithApp();
  const [few, small] = await Promise.all(
    [{ events: 1, bytes: 1e9 }, { events: 1e9, bytes: 1 }].map((channelJobMost) =>
      ownWhatsapp("http://127.0.0.1:9", { channelJobMost })
    ),
  );
  for (let at = 0; at < 50; at++) {
    await store(app.app_key, eventBody(company.phone_number_id, [`event ${at}`]));
  }
  for (const run of [few, small]) {
    let answer = await run("channel-events");
    while (answer.status === 409) answer = await run("channel-events");
    // The run fetches 20 events at a time.
    assert.equal(answer.status, 200);
    assert.ok(answer.body.data.applied <= 20, `${answer.body.data.applied}`);
  }
  await runChannelJob(app);
  assert.deepEqual(new Set(await statesOf(app)), new Set(["done"]));
});
