// Tests that the order of channel events does not matter. The channel may deliver events late,
// twice, regrouped and in any order, and the resulting rows must be the same.

import assert from "node:assert/strict";
import { ownWebhook, signatureOf } from "../support/channel_apps.ts";
import { startFunction } from "../support/function_process.ts";
import { runs } from "../support/runs.ts";
import { statement } from "../support/test_stack.ts";
import { fixture, FIXTURES, type Piece, pieces, regrouped, shuffled } from "./told/fixtures.ts";
import { rowsOf } from "./told/rows.ts";
import { newWorld, type World } from "./told/world.ts";

const webhook = await ownWebhook();
const POSTERS = 8;
const ORDERS = runs(20);

/** The rows after all fixtures have been sent in the order of their numbers. */
const expected = await (async () => {
  const world = await newWorld();
  for (const body of bodiesOf(world)) {
    assert.equal((await webhook.post(world.app, body)).status, 200);
  }
  return await rowsOf(world);
})();

Deno.test("all fixtures together produce the rows that each fixture describes", () => {
  const status = (number: number) =>
    expected.messages.find(({ content }) => content === `Send ${number}`)?.status;
  assert.deepEqual(
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17].map(status),
    [
      ...["read", "failed", "failed", "failed", "failed", "failed", "failed", "read", "read"],
      ...["read", "read", "sent", "delivered", "sent", "delivered", "delivered", "sent"],
    ],
  );
  const inbound = expected.messages.filter(({ direction }) => direction === "inbound");
  assert.equal(inbound.length, 28);
});

Deno.test("events that arrive in random order, repeatedly, regrouped and in parallel produce the same rows", async () => {
  for (let order = 0; order < ORDERS; order++) {
    const world = await newWorld();
    const told = groups(pieces(bodiesOf(world)));
    await postAtOnce(told, async (body) => (await webhook.post(world.app, body)).status);
    await settled(world);
    assert.deepEqual(await rowsOf(world), expected, JSON.stringify(told));
  }
});

Deno.test("if a function is killed and its events are sent again, the rows are the same", async () => {
  const world = await newWorld();
  // There are so many bodies that some of them are not posted yet when the function is killed.
  const told = groups(pieces(bodiesOf(world)), 4);
  for (let kill = 0; kill < 3; kill++) {
    const server = await startFunction("whatsapp");
    const ending = Promise.withResolvers<void>();
    let answered = 0;
    const posting = postAtOnce(shuffled(told), async (body) => {
      const bytes = new TextEncoder().encode(body);
      const answer = await fetch(`${server.url}/webhook/${world.app.app_key}`, {
        method: "POST",
        headers: { "X-Hub-Signature-256": await signatureOf(bytes, world.app.secret) },
        body: bytes,
      });
      await answer.body?.cancel();
      if (++answered === 2 + 3 * kill) ending.resolve();
      return answer.status;
    });
    const failed = assert.rejects(posting);
    await ending.promise;
    await server.kill();
    await failed;
  }
  await postAtOnce(told, async (body) => (await webhook.post(world.app, body)).status);
  await settled(world);
  assert.deepEqual(await rowsOf(world), expected);
});

function bodiesOf({ shift }: World): string[] {
  return FIXTURES.map((name) => fixture(name.split("_")[0], shift));
}

/** Puts every item twice, in random order, into bodies with one to `most` items. */
function groups(items: Piece[], most = 20): string[] {
  const left = shuffled([...items, ...items]);
  const bodies: string[] = [];
  while (left.length > 0) {
    bodies.push(regrouped(left.splice(0, 1 + Math.floor(Math.random() * most))));
  }
  return bodies;
}

async function postAtOnce(
  bodies: string[],
  post: (body: string) => Promise<number>,
): Promise<void> {
  const left = [...bodies];
  await Promise.all(Array.from({ length: POSTERS }, async () => {
    for (let body = left.shift(); body !== undefined; body = left.shift()) {
      assert.equal(await post(body), 200);
    }
  }));
}

/**
 * Sends again each event that is not applied yet, until all events are applied. An event is not
 * applied if it waits too long for a lock.
 */
async function settled({ app }: World) {
  for (let tries = 0; tries < 5; tries++) {
    const left = await statement`select state, error, body from channel_events
        where channel_app_id = ${app.id} and state not in ('done', 'unroutable')`;
    if (left.length === 0) return;
    for (const { body } of left) await webhook.post(app, new Uint8Array(body));
  }
  assert.fail("Some events are not applied");
}
