// Tests the job that applies stored channel events: it writes to the database what the events
// report. The scheduler calls this job.
import assert from "node:assert/strict";
import { delay } from "deno-std/async/delay.js";
import type { Answer } from "../support/calls.ts";
import { logged } from "../support/log_lines.ts";
import { ownWhatsapp, watchedStack } from "../support/own_functions.ts";
import { eventsOf } from "../support/channel_apps.ts";
import { until } from "../support/started.ts";
import { statement } from "../support/test_stack.ts";
import { companyWithApp, eventBody, inboundOf, runChannelJob, statesOf } from "./told_events.ts";

/** Stores an event that has not been applied yet. */
async function store(app_key: string, body: string) {
  const bytes = new TextEncoder().encode(body).toBase64();
  await statement`select store_channel_event(${app_key}, ${bytes})`;
}

/**
 * A stack that also records what each run of the job stores when the run ends: a result or a
 * failure. The database keeps only the last run, which may be a run of another test.
 */
function stackWithEnds(answer: Parameters<typeof watchedStack>[0] = () => null) {
  // deno-lint-ignore no-explicit-any
  const ends: { failure?: string; result?: any }[] = [];
  const watched = watchedStack(async (request) => {
    if (request.url.endsWith("end_channel_job")) ends.push(await request.clone().json());
    return await answer(request);
  });
  return Object.assign(watched, { ends });
}

/** Waits for runs of other tests, runs the job, and returns the result or failure of this run. */
async function ran(stack: ReturnType<typeof stackWithEnds>, run: (job: string) => Promise<Answer>) {
  const { length } = stack.ends;
  let answer = await run("channel-events");
  while (answer.status === 409) answer = await run("channel-events");
  assert.deepEqual([answer.status, answer.body], [202, { data: { job: "channel-events" } }]);
  assert.equal(stack.ends.length, length + 1);
  return stack.ends[length];
}

Deno.test("the channel events job accepts no account id, and a run stores the counts of its work", async () => {
  await using watched = stackWithEnds();
  const run = await ownWhatsapp("http://127.0.0.1:9", { supabaseUrl: watched.url });
  const wrong = await run("channel-events", crypto.randomUUID());
  assert.deepEqual([wrong.status, wrong.body.code], [422, "invalid_request"]);
  const { result } = await ran(watched, run);
  for (
    const count of [
      ...["applied", "done", "woken", "waiting_applied", "expired", "events_removed"],
      ...["waiting_removed", "keys_removed"],
    ]
  ) assert.equal(typeof result[count], "number", count);
  const [row] = await statement`select * from channel_jobs where job = 'channel-events'`;
  assert.ok(row.began_at);
});

Deno.test("one event that the database cannot apply does not block the other events", async () => {
  const { company, app } = await companyWithApp();
  const bodies = ["poison", "good 1", "good 2"].map((text) =>
    eventBody(company.phone_number_id, [text])
  );
  await using watched = stackWithEnds(async (request) => {
    if (!request.url.endsWith("apply_channel_event")) return null;
    const isPoison = (await request.clone().text()).includes("poison");
    return isPoison ? Response.json({ code: "54001", message: "too deep" }, { status: 500 }) : null;
  });
  const run = await ownWhatsapp("http://127.0.0.1:9", { supabaseUrl: watched.url });
  for (const body of bodies) await store(app.app_key, body);
  assert.equal((await ran(watched, run)).failure, undefined);
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

Deno.test("a run that loses its database connection fails, and the database and the log have the failure", async () => {
  const { company, app } = await companyWithApp();
  await using watched = stackWithEnds((request) =>
    request.url.endsWith("due_channel_events") ? new Response("away", { status: 502 }) : null
  );
  const run = await ownWhatsapp("http://127.0.0.1:9", { supabaseUrl: watched.url });
  await store(app.app_key, eventBody(company.phone_number_id, ["later"]));
  let failure: string | undefined;
  const lines = await logged(async () => ({ failure } = await ran(watched, run)));
  assert.match(failure!, /^The database failed /);
  const line = lines.map((line) => JSON.parse(line)).find(({ outcome }) => outcome === "failed");
  assert.deepEqual(
    [line.job, line.outcome, line.account_id],
    ["channel-events", "failed", undefined],
  );
  await runChannelJob(app);
  assert.deepEqual(await inboundOf(company), [["later"]]);
});

Deno.test("if a run fails unexpectedly, the database has the failure and the log has the error", async () => {
  await using watched = stackWithEnds((request) =>
    request.url.endsWith("due_channel_events") ? Response.json(5) : null
  );
  const run = await ownWhatsapp("http://127.0.0.1:9", { supabaseUrl: watched.url });
  let failure: string | undefined;
  const lines = await logged(async () => ({ failure } = await ran(watched, run)));
  assert.equal(failure, "The job failed unexpectedly");
  const line = lines.map((line) => JSON.parse(line)).find(({ level }) => level === "error");
  assert.deepEqual([line.event, line.job], ["job", "channel-events"]);
});

Deno.test("if another task of the run fails, the run reports the failure and still applies the events", async () => {
  const { company, app } = await companyWithApp();
  await using watched = stackWithEnds((request) =>
    request.url.endsWith("tend_channel")
      ? Response.json({ code: "57014", message: "statement timeout" }, { status: 500 })
      : null
  );
  const run = await ownWhatsapp("http://127.0.0.1:9", { supabaseUrl: watched.url });
  await store(app.app_key, eventBody(company.phone_number_id, ["applied"]));
  const { failure } = await ran(watched, run);
  assert.equal(failure, "The database failed (57014: statement timeout)");
  // A run of another test may be applying the event.
  await until(async () => (await inboundOf(company)).length > 0);
  assert.deepEqual(await inboundOf(company), [["applied"]]);
});

Deno.test("a run deletes old rows in several transactions until few are left", async () => {
  const removed = [[1_000, 1_000], [3, 1_000], [0, 2]];
  const counts = ([events_removed, waiting_removed]: number[]) => ({
    ...{ events_removed, waiting_removed },
  });
  await using watched = stackWithEnds((request) => {
    if (request.url.endsWith("tend_channel")) {
      return Response.json({ ...counts(removed.shift()!), failures: [] });
    }
    return request.url.endsWith("remove_old_channel_rows")
      ? Response.json(counts(removed.shift()!))
      : null;
  });
  const run = await ownWhatsapp("http://127.0.0.1:9", { supabaseUrl: watched.url });
  const { result } = await ran(watched, run);
  assert.deepEqual([result.events_removed, result.waiting_removed], [1_003, 2_002]);
});

Deno.test("if a further deletion fails, the run still reports the counts and failures of its other tasks", async () => {
  await using watched = stackWithEnds((request) => {
    if (request.url.endsWith("tend_channel")) {
      const counts = { woken: 7, events_removed: 1_000, waiting_removed: 0 };
      return Response.json({ ...counts, failures: ["expire: out of memory"] });
    }
    return request.url.endsWith("remove_old_channel_rows")
      ? Response.json({ code: "57014", message: "statement timeout" }, { status: 500 })
      : null;
  });
  const run = await ownWhatsapp("http://127.0.0.1:9", { supabaseUrl: watched.url });
  const { result, failure } = await ran(watched, run);
  assert.deepEqual([result.woken, result.events_removed], [7, 1_000]);
  assert.equal(
    failure,
    "expire: out of memory; The database failed (57014: statement timeout)",
  );
});

Deno.test("a run that has no time left applies no event, and the next run applies the events", async () => {
  const { company, app } = await companyWithApp();
  await using watched = stackWithEnds();
  const run = await ownWhatsapp("http://127.0.0.1:9", {
    supabaseUrl: watched.url,
    channelJobMs: 0,
  });
  await store(app.app_key, eventBody(company.phone_number_id, ["next"]));
  assert.equal((await ran(watched, run)).result.applied, 0);
  await runChannelJob(app);
  assert.deepEqual(await statesOf(app), ["done"]);
});

Deno.test("in each run, an app with large events leaves most of the run's byte limit to the other apps", async () => {
  const [large, small] = [await companyWithApp(), await companyWithApp()];
  const text = "x".repeat(200);
  for (let at = 0; at < 10; at++) {
    const bodies = Array.from({ length: 20 }, (_, each) => `${text} ${at} ${each}`);
    await store(large.app.app_key, eventBody(large.company.phone_number_id, bodies));
  }
  for (let at = 0; at < 30; at++) {
    await store(small.app.app_key, eventBody(small.company.phone_number_id, [`small ${at}`]));
  }
  const [{ length }] = await statement`
    select max(octet_length(body)) as length from channel_events where channel_app_id = ${large.app.id}
  `;
  const applied: string[] = [];
  await using watched = stackWithEnds(async (request) => {
    if (request.url.endsWith("apply_channel_event")) {
      applied.push((await request.clone().json()).event_id);
    }
    return null;
  });
  const run = await ownWhatsapp("http://127.0.0.1:9", {
    supabaseUrl: watched.url,
    channelJobMost: { events: 500, bytes: 8 * length },
  });
  const idsOf = async ({ app }: typeof small) => new Set((await eventsOf(app)).map(({ id }) => id));
  const [ofLarge, ofSmall] = [await idsOf(large), await idsOf(small)];
  // The events of other tests may use up the limit of a run, and their runs may start some of these
  // events.
  await until(async () => {
    applied.length = 0;
    await ran(watched, run);
    const lastOfSmall = applied.findLastIndex((id) => ofSmall.has(id));
    const before = applied.slice(0, Math.max(lastOfSmall, 0)).filter((id) => ofLarge.has(id));
    // A quarter of the limit is two of the large events.
    assert.ok(before.length <= 3, `${before.length} large events before the last small event`);
    const [{ count }] = await statement`
      select count(*)::int from channel_events
      where channel_app_id = ${small.app.id} and next_attempt_at <= now()
    `;
    return count === 0;
  });
  await runChannelJob(large.app);
});

Deno.test("when the time of a run is over, the run gives back the events that it has not started to apply", async () => {
  const { company, app } = await companyWithApp();
  const isOfApp = async (request: Request) => {
    const { event_id } = await request.clone().json();
    return (await eventsOf(app)).some(({ id }) => id === event_id);
  };
  // The first event of this app takes longer than the run.
  await using watched = stackWithEnds(async (request) => {
    if (request.url.endsWith("apply_channel_event") && await isOfApp(request)) await delay(1_500);
    return null;
  });
  const run = await ownWhatsapp("http://127.0.0.1:9", {
    supabaseUrl: watched.url,
    channelJobMs: 1_500,
  });
  let left: Awaited<ReturnType<typeof eventsOf>> = [];
  // A run of another test may apply the events before this run begins.
  await until(async () => {
    for (const text of ["one", "two", "three"]) {
      await store(app.app_key, eventBody(company.phone_number_id, [text]));
    }
    await ran(watched, run);
    left = (await eventsOf(app)).filter(({ state }) => state === "stored");
    return left.length > 0;
  });
  assert.deepEqual(left.map(({ attempts }) => attempts), left.map(() => 0));
  await runChannelJob(app);
  assert.deepEqual(new Set(await statesOf(app)), new Set(["done"]));
});

Deno.test("a run ends after its maximum number of events or bytes, and the next run continues", async () => {
  const { company, app } = await companyWithApp();
  await using watched = stackWithEnds();
  const [few, small] = await Promise.all(
    [{ events: 1, bytes: 1e9 }, { events: 1e9, bytes: 1 }].map((channelJobMost) =>
      ownWhatsapp("http://127.0.0.1:9", { supabaseUrl: watched.url, channelJobMost })
    ),
  );
  for (let at = 0; at < 50; at++) {
    await store(app.app_key, eventBody(company.phone_number_id, [`event ${at}`]));
  }
  for (const run of [few, small]) {
    // The run fetches 20 events at a time.
    const { applied } = (await ran(watched, run)).result;
    assert.ok(applied <= 20, `${applied}`);
  }
  await runChannelJob(app);
  assert.deepEqual(new Set(await statesOf(app)), new Set(["done"]));
});
