// Tests the commands that operators use to manage companies' webhooks.
import assert from "node:assert/strict";
import { addWebhook, noteEvents } from "../support/receiving.ts";
import { statement, withDatabase } from "../support/test_stack.ts";
import { admin, bareCompany, json, printed } from "./command.ts";

const URL = "https://hooks.example.org/in?token=hidden";

/** Creates a webhook for a new company. */
async function newWebhook(columns: Record<string, never | string | Date | string[]> = {}) {
  const company = await bareCompany();
  return { company, ...await addWebhook(company, URL, columns as never) };
}

const stateOf = async (id: string) => {
  const [{ state, why }] = await statement`select state, why from webhooks where id = ${id}`;
  return [state, why];
};

Deno.test("`webhooks list` shows a company's webhooks without their secrets, and failing webhooks first", async () => {
  const company = await bareCompany();
  const well = await addWebhook(company, URL, { types: ["deal.won", "contact.*"] } as never);
  const failing = await addWebhook(
    company,
    URL,
    { failing_since: new Date(), failures: 7 } as never,
  );
  await noteEvents(company, [{ type: "deal.won", record_id: company, webhooks: [well.id] }]);
  const list = ["webhooks", "list", "--company", company];
  const found = await json(list);
  assert.deepEqual(found.map(({ id }: { id: string }) => id), [failing.id, well.id]);
  assert.deepEqual(
    [found[1].open_deliveries, found[1].company_name, found[0].failures, found[0].oldest_open_at],
    [1, "Operated", 7, null],
  );
  assert.ok(found[1].oldest_open_at);
  const text = await printed(list);
  assert.match(
    text,
    new RegExp(
      `^${well.id}  Operated +https://hooks\\.example\\.org/in\\?… +deal\\.won,contact\\.\\* +on `,
      "m",
    ),
  );
  assert.match(text, new RegExp(`^${failing.id} .*UTC \\(7\\)`, "m"));
  for (const shown of [text, JSON.stringify(found)]) {
    assert.doesNotMatch(shown, /sealed|whsec_/);
  }
  assert.doesNotMatch(text, /hidden/);
  const all = await json(["webhooks", "list"]);
  assert.ok(all.some(({ id }: { id: string }) => id === failing.id));
  assert.equal(
    await printed(["webhooks", "list", "--company", await bareCompany()]),
    "There are no webhooks.\n",
  );
});

Deno.test("`webhooks show` prints a webhook with its waiting, failed and successful deliveries", async () => {
  const { id, company } = await newWebhook({ description: "Shop\u001b[2J" });
  await noteEvents(company, [
    { type: "deal.won", record_id: company, webhooks: [id] },
    { type: "deal.lost", record_id: company, webhooks: [id] },
  ]);
  await withDatabase((sql) =>
    sql`
      with ended as (
        delete from app.open_deliveries where webhook_id = ${id} and type = 'deal.lost' returning *
      )
      insert into app.deliveries
        (slot, webhook_id, seq, event_id, company_id, type, record_id, happened_at, outcome, status, ended_at, tries)
      select slot, webhook_id, seq, event_id, company_id, type, record_id, now(), 'failed', 500, now(),
        '[{ "at": "2026-11-23T00:00:00Z", "status": 500, "failure": null, "ms": 3, "answer": "no" }]'
      from ended
    `
  );
  const show = ["webhooks", "show", id];
  const { waiting, failed, newest, ...webhook } = await json(show);
  const types = (deliveries: { type: string }[]) => deliveries.map(({ type }) => type);
  assert.deepEqual([types(waiting), types(failed), types(newest)], [
    ["deal.won"],
    ["deal.lost"],
    ["deal.lost", "deal.won"],
  ]);
  assert.deepEqual([webhook.id, webhook.company_id], [id, company]);
  const text = await printed(show);
  assert.match(text, /^Description {5}Shop \[2J$/m);
  assert.match(text, /^State {11}on$/m);
  assert.match(text, /^evt_[0-9a-f]{32} +deal\.lost .* failed +1 +500$/m);
  assert.doesNotMatch(text, /hidden|sealed|whsec_/);
});

Deno.test("`webhooks pause` pauses a webhook, and `webhooks resume` starts a webhook that is paused or off", async () => {
  const { id } = await newWebhook();
  assert.equal(
    await printed(["webhooks", "pause", id]),
    `The webhook ${id} is paused (by an operator).\n`,
  );
  assert.deepEqual(await stateOf(id), ["paused", "by_platform"]);
  assert.equal((await json(["webhooks", "resume", id])).state, "on");
  assert.deepEqual(await stateOf(id), ["on", null]);
  const off = await newWebhook({ state: "off", why: "gone", switched_off_at: new Date() });
  const { code, stderr } = await admin(["webhooks", "pause", off.id]);
  assert.deepEqual([code, stderr], [
    1,
    "The webhook is off, so it cannot be paused: switch it on first.\n",
  ]);
  assert.equal(await printed(["webhooks", "resume", off.id]), `The webhook ${off.id} is on.\n`);
});

Deno.test("`webhooks replay` delivers the events of a time range again, optionally limited to some event types", async () => {
  const { id } = await newWebhook();
  const replay = ["webhooks", "replay", id, "--since", "24h"];
  const { since, until, types } = await json([...replay, "--types", "deal.won, contact.*"]);
  assert.deepEqual(types, ["deal.won", "contact.*"]);
  const hours = (Date.parse(until) - Date.parse(since)) / 3_600_000;
  assert.ok(hours > 23.9 && hours < 24.1, `${hours}`);
  const [stored] = await statement`select types from app.replays where webhook_id = ${id}`;
  assert.deepEqual(stored.types, types);
  const again = await admin(replay);
  assert.deepEqual([again.code, again.stderr], [
    1,
    "An earlier replay of this webhook is still running: try again later.\n",
  ]);
  const other = await newWebhook();
  assert.match(
    await printed(["webhooks", "replay", other.id, "--since", "30d"]),
    /^The events from \S+ to \S+ are delivered again: \*\. npm run admin -- webhooks show /,
  );
});

Deno.test("a webhook command refuses an invalid id, time or type, and the error states the rule", async () => {
  const id = crypto.randomUUID();
  const wrong: [string[], number, RegExp][] = [
    [["show", id], 1, /^Webhook not found\.\n$/],
    [["pause", id], 1, /^Webhook not found\.\n$/],
    [["resume", "42"], 2, /must be a UUID/i],
    [["replay", id], 2, /--since/],
    [["replay", id, "--since", "31d"], 1, /^(Webhook not found|since must be)/],
    [
      ["replay", id, "--since", "1h", "--types", "deal won"],
      2,
      /one or more types, such as deal\.won/,
    ],
    [["list", "--company", id], 1, /^No company has the id /],
  ];
  for (const [args, status, sentence] of wrong) {
    const { code, stdout, stderr } = await admin(["webhooks", ...args]);
    assert.deepEqual([code, stdout], [status, ""], args.join(" "));
    assert.match(stderr, sentence);
  }
});
