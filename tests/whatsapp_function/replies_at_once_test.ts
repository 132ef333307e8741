// Tests many simultaneous free replies: replies with the same idempotency key, replies while the
// contact writes, and more replies than a company may send at a time.

import assert from "node:assert/strict";
import { untilServed } from "../support/calls.ts";
import { ownReplies } from "../support/own_functions.ts";
import { replyIn, sendReply, spokenTo, writes } from "../support/replying.ts";
import { accepted, ledgerOf, ownChannel, slowChannel } from "../support/sending.ts";

const MANY = 50;

Deno.test("of 50 simultaneous replies with the same idempotency key, one is sent and the others return that reply", async () => {
  const company = await spokenTo();
  await using channel = slowChannel();
  const reply = await ownReplies(channel.url);
  const json = replyIn(company, { idempotency_key: "at once" });
  const first = reply(company.keys.messaging, json);
  await channel.called;
  const repeats = await Promise.all(
    Array.from(
      { length: MANY - 1 },
      () => untilServed(() => sendReply(company.keys.messaging, json)),
    ),
  );
  channel.answer();
  const { body } = await first;
  assert.equal(body.success, true);
  for (const repeat of repeats) {
    assert.deepEqual(repeat.body, {
      success: false,
      status: "pending",
      conversation_id: company.conversation_id,
      message_id: body.message_id,
      idempotent_hit: true,
    });
  }
  assert.equal(channel.calls.length, 1);
  assert.equal((await ledgerOf(company)).length, 1);
});

Deno.test("simultaneous replies, messages and refusals for one contact do not block each other", async () => {
  const company = await spokenTo();
  let called = 0;
  await using channel = ownChannel(() =>
    called++ % 3 === 2
      ? Response.json({ error: { code: 131047, message: "late" } }, { status: 400 })
      : accepted()
  );
  const reply = await ownReplies(channel.url);
  const answers = await Promise.all(Array.from({ length: 20 }, async (_, at) => {
    const [answer] = await Promise.all([
      reply(company.keys.messaging, replyIn(company, { idempotency_key: `${at}` })),
      writes(company, { secondsAgo: 0 }),
    ]);
    return answer.body.success ? "sent" : answer.body.code;
  }));
  assert.deepEqual([...new Set(answers)].sort(), ["sent", "window_closed"]);
  const states = new Set((await ledgerOf(company)).map(({ state }) => state));
  assert.deepEqual([...states].sort(), ["failed", "sent"]);
});

Deno.test("if a company sends too many replies at once, some replies wait, and the replies beyond the waiting limit get a 429", async () => {
  const company = await spokenTo();
  await using channel = slowChannel();
  const sendShare = { atOnce: 1, waiting: 1, patienceMs: 60_000 };
  const reply = await ownReplies(channel.url, { sendShare });
  // Before the first response of the database, the function does not know the company, so it counts
  // requests per API key.
  await reply(company.keys.messaging, replyIn(company), "?dry_run=true");
  const first = reply(company.keys.messaging, replyIn(company));
  await channel.called;
  // One of these two requests comes first and waits. The other request is refused.
  const others = [1, 2].map(() => reply(company.keys.messaging, replyIn(company)));
  const refused = await Promise.race(others);
  assert.deepEqual([refused.status, refused.body.code, refused.headers.get("Retry-After")], [
    ...[429, "too_many_requests"],
    "2",
  ]);
  channel.answer();
  const statuses = (await Promise.all([first, ...others])).map(({ status }) => status);
  assert.deepEqual(statuses.sort(), [200, 200, 429]);
  assert.equal((await ledgerOf(company)).length, 2);
});
