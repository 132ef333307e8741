// How the sandbox calls a webhook: what it signs, what it posts again, and how it ends.
import assert from "node:assert/strict";
import { people } from "../../local/sandbox/people.ts";
import { ORDINARY } from "../../local/sandbox/stories.ts";
import { storyTeller } from "../../local/sandbox/story_teller.ts";
import { until } from "../support/started.ts";
import { assertSigned, inWords, NUMBER, sandboxWithWebhook, SECRET } from "./sandbox_webhook.ts";

const ADA = "+12025550123";

/** What is warned of meanwhile. */
function warnings() {
  const lines: string[] = [];
  const { warn } = console;
  console.warn = (line: string) => lines.push(line);
  return { lines, [Symbol.dispose]: () => void (console.warn = warn) };
}

Deno.test("an event is signed over its bytes, which are escaped as the channel escapes them", async () => {
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

Deno.test("an event is posted until the webhook takes it, each time with the same bytes", async () => {
  for (const troubles of [1, 5]) {
    let left = troubles;
    await using channel = sandboxWithWebhook(() =>
      new Response(null, {
        status: left-- > 0 ? [500, 503, 401, 302, 204][left % 5] : 200,
      })
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

Deno.test("an event that nobody takes is given up after six times, and that is said", async () => {
  using said = warnings();
  await using channel = sandboxWithWebhook(() => new Response(null, { status: 500 }));
  await channel.writes(ADA, "Hello");
  assert.equal((await channel.told()).length, 6);
  assert.deepEqual(said.lines, ["The sandbox gave an event up: its webhook answered 500 6 times."]);
});

Deno.test("a webhook that is away stops no story and no send", async () => {
  using said = warnings();
  const gone = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const url = `http://127.0.0.1:${gone.addr.port}/`;
  gone.close();
  await using channel = sandboxWithWebhook(undefined, { webhook: () => ({ url, secret: SECRET }) });
  await channel.send({ to: ADA });
  const { body } = await channel.writes(ADA, "Hello");
  assert.deepEqual([body.posted, body.webhook_status], [false, null]);
  assert.match(body.reason, /^The webhook does not answer; /);
  assert.deepEqual(await channel.told(), []);
  assert.equal(said.lines.length, 4);
  assert.match(said.lines[0], /its webhook gave no answer 6 times/);
});

Deno.test("without a webhook nothing is posted, and a person can write all the same", async () => {
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

Deno.test("the end of the sandbox ends stories, delays and posts, also those that hang", async () => {
  // The test's own checks find a timer or a connection that is left behind.
  const mayAnswer = Promise.withResolvers<Response>();
  const channel = sandboxWithWebhook(() => mayAnswer.promise, { pace: 1 });
  for (const to of [ADA, "+15552000005", "+15552000006"]) await channel.send({ to });
  const writing = channel.writes(ADA, "Hello");
  await until(() => channel.posts.length >= 2);
  const began = performance.now();
  await channel.stop();
  // It does not wait for the webhook.
  assert.ok(performance.now() - began < 2000);
  assert.equal((await writing).body.posted, false);
  const posted = channel.posts.length;
  await channel.send({ to: ADA });
  assert.equal((await channel.writes(ADA, "Hello")).body.posted, false);
  mayAnswer.resolve(new Response());
  assert.equal((await channel.told()).length, posted);
  await channel[Symbol.asyncDispose]();
});

Deno.test("what repeats an event ends with the sandbox", async () => {
  const channel = sandboxWithWebhook(() => new Response(null, { status: 503 }), { pace: 1000 });
  await channel.writes(ADA, "Hello");
  await channel[Symbol.asyncDispose]();
  assert.equal(channel.posts.length, 1);
});

Deno.test("of a thousand messages at once more are dropped, and that is said twice", async () => {
  using said = warnings();
  const mayAnswer = Promise.withResolvers<Response>();
  await using channel = sandboxWithWebhook(() => mayAnswer.promise);
  const now = () => 0;
  const known = people(now);
  const teller = storyTeller({ webhook: () => channel.webhook, people: known, now, pace: 0 });
  const message = {
    ...{ id: "wamid.1", phoneNumberId: NUMBER, waId: null, mark: undefined, acceptedAt: 0 },
    person: known.find(ADA),
    pricing: {
      billable: true,
      pricing_model: "PMP",
      type: "regular",
      category: "utility",
    } as const,
    steps: ORDINARY.slice(0, 1),
  };
  for (let nth = 0; nth < 1003; nth++) teller.begin(message);
  const pair = { phoneNumberId: NUMBER, person: message.person, waId: null };
  const posted = await teller.write(pair, { id: "wamid.2", content: { type: "text" } });
  assert.ok(!posted.isPosted);
  assert.match(posted.reason, /^The sandbox has too much to tell the webhook; try again later$/);
  mayAnswer.resolve(new Response());
  await teller.told();
  assert.equal(channel.posts.length, 1000);
  assert.deepEqual(said.lines, [
    "The sandbox tells the webhook of 1000 messages at once and drops the others.",
    "The sandbox has told the webhook nothing of 4 messages.",
  ]);
  await teller.stop();
});

Deno.test("who plays a person does not wait for the statuses of a crowd", async () => {
  const mayAnswer = Promise.withResolvers<void>();
  await using channel = sandboxWithWebhook(async () => {
    await mayAnswer.promise;
    return new Response();
  });
  for (let nth = 0; nth < 6; nth++) await channel.send({ to: `+1202555010${nth}` });
  await until(() => channel.posts.length === 2);
  const writing = channel.writes(ADA, "Hello");
  // The message of the person is signed by now and waits, as the other events do.
  await channel.send({ to: ADA });
  mayAnswer.resolve();
  assert.equal((await writing).body.posted, true);
  const words = (await channel.told()).map(inWords);
  assert.ok(words.slice(2, 5).includes("text"), words.join());
});

Deno.test("at most two events are posted at once, and those of one message in order", async () => {
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
