import assert from "node:assert/strict";
import { type ChannelApp, eventsOf, newChannelApp, ownWebhook } from "../support/channel_apps.ts";
import { until } from "../support/started.ts";
import { statement, withDatabase } from "../support/test_stack.ts";
import {
  companyWithApp,
  eventBody,
  inboundOf,
  statesOf,
} from "../whatsapp_function/told_events.ts";
import { admin, adminRuns, json, printed } from "./command.ts";

const webhook = await ownWebhook();

/**
 * Stores an event that was not applied. The event has the state `dead`, so no job tries to apply
 * the event again.
 */
async function storeUnapplied({ app_key, id }: ChannelApp, body: string) {
  const bytes = new TextEncoder().encode(body).toBase64();
  await withDatabase((sql) =>
    sql.begin(async (sql) => {
      await sql`select store_channel_event(${app_key}, ${bytes})`;
      await sql`
        update channel_events set state = 'dead', next_attempt_at = null, attempts = 10, error = 'The mapper was wrong'
        where channel_app_id = ${id} and state = 'stored'
      `;
    })
  );
}

/**
 * Repeats a replay until the events of an app are applied. A replay leaves out events that a run of
 * the job has started to apply, and events that a database test has locked.
 */
async function replayUntilDone(app: ChannelApp, replay: string[]) {
  await until(async () => {
    if ((await statesOf(app)).every((state) => state === "done")) return true;
    await printed(replay);
    return false;
  });
}

Deno.test("`channel events` lists events with their states and reasons, newest first", async () => {
  const { company, app } = await companyWithApp();
  await webhook.post(app, eventBody(company.phone_number_id, ["done"]));
  await webhook.post(app, eventBody("70000000000001", ["without an account"]));
  await webhook.post(app, "no event");
  const list = ["channel", "events", "--app", app.app_key];
  const [dead, unroutable, done, ...more] = await json(list);
  assert.deepEqual(more, []);
  assert.deepEqual([dead.state, unroutable.state, done.state], ["dead", "unroutable", "done"]);
  assert.deepEqual(unroutable.waits_for, ["70000000000001"]);
  assert.deepEqual(done.app, { app_key: app.app_key, name: "Tested" });
  assert.ok(!("body" in done));
  const stored = await eventsOf(app);
  assert.deepEqual(new Set(stored.map(({ id }) => id)), new Set([dead.id, unroutable.id, done.id]));

  const [all, some, one, since, none] = await adminRuns([
    list,
    [...list, "--state", "unroutable,dead", "--json"],
    [...list, "--limit", "1", "--json"],
    [...list, "--since", "1h", "--json"],
    [...list, "--state", "failed"],
  ]);
  const lines = all.stdout.split("\n");
  assert.match(lines[0], /^RECEIVED +APP +STATE +ATTEMPTS +NEXT ATTEMPT +EVENT +WHY$/);
  assert.match(lines[1], /UTC +Tested +dead +[0-9a-f-]{36} +The body is not JSON$/);
  assert.match(
    lines[2],
    / +unroutable +[0-9a-f-]{36} +No account that names this app has the number 70000000000001$/,
  );
  assert.deepEqual(JSON.parse(some.stdout).map(({ id }: { id: string }) => id), [
    dead.id,
    unroutable.id,
  ]);
  assert.deepEqual(JSON.parse(one.stdout).length, 1);
  assert.deepEqual(JSON.parse(since.stdout).length, 3);
  assert.deepEqual(none, { code: 0, stdout: "There are no matching events.\n", stderr: "" });
});

Deno.test("`channel events` shows the note about a message that was sent twice", async () => {
  const app = await newChannelApp();
  await webhook.post(app, '{"entry":[]}');
  await statement`
    update channel_events set notes = array['Double send: send 1 also went out as 2'] where channel_app_id = ${app.id}
  `;
  const text = await printed(["channel", "events", "--app", app.app_key]);
  assert.match(text, / +done +[0-9a-f-]{36} +Double send: send 1 also went out as 2\n$/);
});

Deno.test("`channel replay` applies unfinished events, and a second replay changes nothing", async () => {
  const { company, app } = await companyWithApp();
  const bodies = ["one", "two", "three"].map((text) => eventBody(company.phone_number_id, [text]));
  await webhook.post(app, bodies[0]);
  for (const body of bodies.slice(1)) await storeUnapplied(app, body);
  const replay = ["channel", "replay", "--app", app.app_key];
  assert.equal((await json([...replay, "--state", "failed"])).marked, 0);
  const { marked, applied, states } = await json(replay);
  assert.equal(marked, 2);
  // The stack's own job may have applied these events first, and other tests may have stored events
  // too.
  assert.deepEqual(Object.keys(states).length > 0, applied > 0);
  await replayUntilDone(app, replay);
  const conversations = await inboundOf(company);
  assert.deepEqual(conversations.flat().toSorted(), ["one", "three", "two"]);
  assert.deepEqual(
    (await eventsOf(app)).map(({ state, error }) => [state, error]),
    [["done", null], ["done", null], ["done", null]],
  );
  assert.equal((await json(replay)).marked, 0);
  assert.match(await printed(replay), /^(There is nothing to replay\.|Marked 0 events; .*)\n$/);
  // This replay includes events that are already finished.
  assert.equal((await json([...replay, "--state", "done"])).marked, 3);
  await replayUntilDone(app, replay);
  assert.deepEqual(await inboundOf(company), conversations);
});

Deno.test("after an account is linked to the event's app, `channel replay` can apply the event by its id", async () => {
  const { company } = await companyWithApp();
  const other = await newChannelApp();
  await webhook.post(other, eventBody(company.phone_number_id, ["late"]));
  const [{ id }] = await eventsOf(other);
  const replay = ["channel", "replay", "--event", id];
  await printed(replay);
  assert.deepEqual(await inboundOf(company), []);
  await statement`
    update messaging_accounts set channel_app_id = ${other.id} where id = ${company.account_id}
  `;
  await replayUntilDone(other, replay);
  assert.deepEqual(await inboundOf(company), [["late"]]);
});

Deno.test("`channel events` and `channel replay` refuse invalid arguments and explain why", async () => {
  const unknown = crypto.randomUUID();
  const wrong: [string[], number, RegExp][] = [
    [["channel", "events", "--app", unknown.replaceAll("-", "")], 1, /^No app has the key /],
    [["channel", "replay", "--app", unknown.replaceAll("-", "")], 1, /^No app has the key /],
    [["channel", "replay", "--event", unknown], 1, /^There is no event [0-9a-f-]+: /],
    [
      ["channel", "replay", "--event", unknown, "--state", "dead"],
      2,
      /option '--event <id>' cannot be used with option '--state <states>'/,
    ],
    [["channel", "events", "--state", "lost"], 2, /It must be one or more of stored, done, /],
    [
      ["channel", "events", "--since", "yesterday"],
      2,
      /It must be a duration before now, such as 90m, /,
    ],
    [["channel", "replay", "--since", "2999-01-01"], 2, /It must not be in the future\./],
    [["channel", "events", "--limit", "0"], 2, /It must be a whole number from 1 to 1000\./],
  ];
  const endings = await adminRuns(wrong.map(([args]) => args));
  wrong.forEach(([args, code, sentence], at) => {
    assert.equal(endings[at].code, code, args.join(" "));
    assert.match(endings[at].stderr, sentence);
  });
  const away = await admin(["channel", "replay"], {
    env: { SUPABASE_URL: "http://127.0.0.1:9", SUPABASE_SECRET_KEY: "sb_secret_x" },
  });
  assert.equal(away.code, 1);
});
