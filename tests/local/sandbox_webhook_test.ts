// Tests how the sandbox calls a webhook: signatures, repeated posts, and stopping the sandbox.
import assert from "node:assert/strict";
import { CLOSED_URL, until } from "../support/started.ts";
import { assertSigned, inWords, sandboxWithWebhook, SECRET } from "./sandbox_webhook.ts";

const ADA = "+12025550123";

/** Collects the warnings that are printed until the returned object is disposed. */
function warnings() {
  const lines: string[] = [];
  const { warn } = console;
  console.warn = (line: string) => lines.push(line);
  return { lines, [Symbol.dispose]: () => void (console.warn = warn) };
}

Deno.test("an event's signature covers its bytes, which are escaped as in the channel's events", async () => {
  await using channel = sandboxWithWebhook();
  await channel.writes(ADA, 'Olá 👋🏽 <b>50%</b> a/b ana@exemplo.com.br — 日本 "\n\u007f', {
    name: "João",
  });
  const [post] = await channel.told();
  await assertSigned(post);
  const raw = new TextDecoder().decode(post.bytes);
  const written =
    String.raw`"body":"Ol\u00e1 \ud83d\udc4b\ud83c\udffd \u003Cb>50\u0025\u003C\/b> a\/b ` +
    String.raw`ana\u0040exemplo.com.br \u2014 \u65e5\u672c \"\n\u007f"`;
  assert.ok(raw.includes(written), raw);
  assert.ok(raw.includes(String.raw`"name":"Jo\u00e3o"`), raw);
});

Deno.test("an event is posted until the webhook accepts it, each time with the same bytes", async () => {
  for (const troubles of [1, 5]) {
    let left = troubles;
    await using channel = sandboxWithWebhook(() =>
      new Response(null, { status: left-- > 0 ? [500, 503, 401, 302, 204][left % 5] : 200 })
    );
    const { body } = await channel.writes(ADA, "Hello");
    assert.deepEqual([body.posted, body.webhook_status], [
      false,
      [500, 503, 401, 302, 204][troubles - 1],
    ]);
    assert.match(
      body.reason,
      /^The webhook answers \d+; the sandbox posts the message again for a while$/,
    );
    const posts = await channel.told();
    assert.equal(posts.length, troubles + 1);
    for (const { bytes } of posts) assert.deepEqual(bytes, posts[0].bytes);
  }
});

Deno.test("if the webhook never accepts an event, the event is posted six times, and then a warning is printed", async () => {
  using said = warnings();
  await using channel = sandboxWithWebhook(() => new Response(null, { status: 500 }));
  await channel.writes(ADA, "Hello");
  assert.equal((await channel.told()).length, 6);
  assert.deepEqual(said.lines, [
    "The sandbox no longer posts an event: its webhook answered 500 6 times.",
  ]);
});

Deno.test("an unavailable webhook does not stop stories or sends", async () => {
  using said = warnings();
  const webhook = { url: `${CLOSED_URL}/`, secret: SECRET };
  await using channel = sandboxWithWebhook(undefined, { webhook: () => webhook });
  await channel.send({ to: ADA });
  const { body } = await channel.writes(ADA, "Hello");
  assert.deepEqual([body.posted, body.webhook_status], [false, null]);
  assert.match(body.reason, /^The webhook does not answer; /);
  assert.deepEqual(await channel.told(), []);
  assert.equal(said.lines.length, 4);
  assert.match(said.lines[0], /its webhook gave no answer 6 times/);
});

Deno.test("without a webhook, nothing is posted, but a person can still write messages", async () => {
  await using channel = sandboxWithWebhook(undefined, { webhook: () => null });
  await channel.send({ to: "+15552000006" });
  const { status, body } = await channel.writes(ADA, "Hello");
  const { message_id, user_id } = body;
  assert.deepEqual([status, body], [200, {
    ...{ message_id, user_id },
    ...{ posted: false, webhook_status: null, reason: "The sandbox has no webhook" },
  }]);
  assert.deepEqual(await channel.told(), []);
  await channel.send({ to: ADA }, { type: "text", template: undefined, text: { body: "Hi" } });
});

Deno.test("stopping the sandbox also stops its stories, delays and posts, even if one of them hangs", async () => {
  // The test runner reports a timer or connection that remains open.
  const mayAnswer = Promise.withResolvers<Response>();
  const channel = sandboxWithWebhook(() => mayAnswer.promise, { pace: 1 });
  for (const to of [ADA, "+15552000005", "+15552000006"]) await channel.send({ to });
  const writing = channel.writes(ADA, "Hello");
  await until(() => channel.posts.length >= 2);
  const began = performance.now();
  await channel.stop();
  // The sandbox does not wait for the webhook.
  assert.ok(performance.now() - began < 8_000);
  assert.equal((await writing).body.posted, false);
  const posted = channel.posts.length;
  await channel.send({ to: ADA });
  assert.equal((await channel.writes(ADA, "Hello")).body.posted, false);
  mayAnswer.resolve(new Response());
  assert.equal((await channel.told()).length, posted);
  await channel[Symbol.asyncDispose]();
});

Deno.test("an event is not posted again after the sandbox has stopped", async () => {
  const channel = sandboxWithWebhook(() => new Response(null, { status: 503 }), { pace: 1000 });
  await channel.writes(ADA, "Hello");
  await channel[Symbol.asyncDispose]();
  assert.equal(channel.posts.length, 1);
});

Deno.test("at most two events are posted simultaneously, and the events of one message are posted in order", async () => {
  let atOnce = 0;
  let most = 0;
  await using channel = sandboxWithWebhook(async () => {
    most = Math.max(most, ++atOnce);
    await new Promise((resolve) => setTimeout(resolve, 2));
    atOnce--;
    return new Response();
  });
  const ids = await Promise.all(
    Array.from({ length: 12 }, (_, nth) => channel.send({ to: `+1202555010${nth}` })),
  );
  const posts = await channel.told();
  assert.equal(most, 2);
  for (const id of ids) {
    const own = posts.filter(({ value }) => value.statuses[0].id === id);
    assert.deepEqual(own.map(inWords), ["sent", "delivered", "read"]);
  }
});
