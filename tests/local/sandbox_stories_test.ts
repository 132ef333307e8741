// Tests what the sandbox posts to the webhook after accepting a message.
import assert from "node:assert/strict";
import { STORIES } from "../../sandbox/stories.ts";
import { root } from "../../local/checkout.ts";
import {
  assertSigned,
  inWords,
  MARK,
  NOW,
  NUMBER,
  sandboxWithWebhook,
  template,
  text,
} from "./sandbox_webhook.ts";

const ADA = "+12025550123";

Deno.test("the statuses sent, delivered and read are posted in the channel's format", async () => {
  await using channel = sandboxWithWebhook();
  const id = await channel.send({ to: ADA });
  const posts = await channel.told();
  for (const post of posts) await assertSigned(post);
  const [{ value: { contacts: [{ user_id }] } }] = posts;
  assert.match(user_id, /^US\.\d{16}$/);
  const pricing = { billable: true, pricing_model: "PMP", type: "regular", category: "utility" };
  assert.deepEqual(
    posts.map(({ body }) => body),
    (["sent", "delivered", "read"] as const).map((status) => ({
      object: "whatsapp_business_account",
      entry: [{
        id: "900000000000001",
        changes: [{
          value: {
            messaging_product: "whatsapp",
            metadata: { display_phone_number: "999352242922", phone_number_id: NUMBER },
            contacts: [{ profile: { name: "Person 0123" }, wa_id: ADA.slice(1), user_id }],
            statuses: [{
              id,
              status,
              timestamp: String(status === "read" ? NOW + 1 : NOW),
              recipient_id: ADA.slice(1),
              recipient_user_id: user_id,
              ...(status !== "read" && { pricing }),
              biz_opaque_callback_data: MARK,
            }],
          },
          field: "messages",
        }],
      }],
    })),
  );
});

Deno.test("a message's price depends on its category and on whether the window is open", async () => {
  await using channel = sandboxWithWebhook();
  const prices = async (parts: object) => {
    await channel.send({ to: ADA }, parts);
    const [{ value: { statuses: [{ pricing }] } }] = await channel.told();
    return [pricing.billable, pricing.type, pricing.category];
  };
  const image = { type: "image", image: { link: "https://cdn.example/cup.jpg" } };
  const marketing = template("new_arrival", "Ada");
  marketing.template.components.push({ type: "header", parameters: [image] });
  assert.deepEqual(await prices({}), [true, "regular", "utility"]);
  await channel.writes(ADA, "Hello");
  await channel.told();
  assert.deepEqual(await prices({}), [false, "free_customer_service", "utility"]);
  assert.deepEqual(await prices(text("Hi")), [false, "free_customer_service", "service"]);
  assert.deepEqual(await prices(marketing), [true, "regular", "marketing"]);
});

/**
 * The sandbox's posts about each recipient: first those after a template, then those after a free
 * reply.
 */
const TOLD: Record<string, [ofTemplate: string[], ofText: string[]]> = {
  "+15552000001": [["sent"], ["sent"]],
  "+15552000002": [["failed 131026"], ["failed 131026"]],
  "+15552000003": [["sent", "failed 131049"], ["sent", "failed 131049"]],
  "+15552000004": [["sent", "read"], ["sent", "read"]],
  "+15552000005": [
    ["read", "delivered", "sent", "sent", "read", "delivered"],
    ["read", "delivered", "sent", "sent", "read", "delivered"],
  ],
  "+15552000006": [["sent", "delivered", "read", "text"], ["sent", "delivered", "read"]],
  "+15552000007": [["sent", "delivered", "read", "text"], ["sent", "delivered", "read"]],
  "+15552000008": [["sent", "delivered", "read", "text"], ["sent", "delivered", "read"]],
  "+15552000009": [["sent", "failed 131050"], ["sent", "failed 131050"]],
  "+15552000010": [["sent", "delivered", "read"], ["failed 131047"]],
  "+15552000011": [["sent", "delivered"], ["sent", "delivered"]],
};

for (const [to, { does }] of Object.entries(STORIES)) {
  Deno.test(`the recipient ${to} ${does}`, async () => {
    await using channel = sandboxWithWebhook();
    for (const [told, parts] of [[TOLD[to][0], {}], [TOLD[to][1], text("Hi")]] as const) {
      const id = await channel.send({ to }, parts);
      const posts = await channel.told();
      assert.deepEqual(posts.map(inWords), told);
      for (const post of posts) {
        await assertSigned(post);
        for (const status of post.value.statuses ?? []) assert.equal(status.id, id);
      }
      await channel.writes(to, "Hello");
      await channel.told();
    }
  });
}

Deno.test("a failure report contains no data about the person, and may lack `biz_opaque_callback_data`", async () => {
  await using channel = sandboxWithWebhook();
  await channel.send({ to: "+15552000002" });
  await channel.send({ to: "+15552000003" });
  const failures = (await channel.told()).filter((post) => inWords(post).startsWith("failed"));
  const marks = failures.map(({ value: { contacts, statuses: [status] } }) => {
    assert.deepEqual([contacts, status.recipient_user_id, status.pricing], [, , ,].fill(undefined));
    const [{ code, title, message, error_data, href }] = status.errors;
    assert.ok(code && title && message && error_data.details && href);
    return status.biz_opaque_callback_data;
  });
  assert.deepEqual(marks.sort(), [MARK, undefined]);
});

Deno.test("a person's reply names the message to which it replies, and may be a single word", async () => {
  await using channel = sandboxWithWebhook();
  for (const [to, said] of [["+15552000006", /^Olá! .*👍🏽/], ["+15552000007", /^STOP$/]] as const) {
    const id = await channel.send({ to });
    const { value } = (await channel.told()).at(-1)!;
    const [{ from, from_user_id, context, text: { body } }] = value.messages;
    assert.deepEqual([from, from_user_id], [to.slice(1), value.contacts[0].user_id]);
    assert.deepEqual(context, { from: "999352242922", id });
    assert.match(body, said);
  }
});

Deno.test("if a person hides their phone number, they are identified only by their user id (BSUID)", async () => {
  await using channel = sandboxWithWebhook();
  const userIds = new Set();
  const phones = new Set();
  const note = (user_id: unknown, phone: unknown) => userIds.add(user_id) && phones.add(phone);
  await channel.send({ to: "+15552000008" });
  const posts = await channel.told();
  const [userId] = posts.map(({ value }) => value.contacts[0].user_id);
  // The company replies to the BSUID.
  await channel.send({ recipient: userId }, text("oi"));
  for (const { value } of [...posts, ...await channel.told()]) {
    for (const { user_id, wa_id } of value.contacts) note(user_id, wa_id);
    for (const status of value.statuses ?? []) note(status.recipient_user_id, status.recipient_id);
    for (const message of value.messages ?? []) note(message.from_user_id, message.from);
  }
  assert.deepEqual([...phones], [undefined]);
  assert.deepEqual([...userIds], [userId]);
  assert.match(userId, /^US\.\d+$/);
});

Deno.test("statuses that the sandbox posts out of order have their actual times", async () => {
  await using channel = sandboxWithWebhook();
  await channel.send({ to: "+15552000005" });
  const times = (await channel.told()).map(({ value: { statuses: [{ timestamp }] } }) => timestamp);
  const [sent, read] = [String(NOW), String(NOW + 1)];
  assert.deepEqual(times, [read, sent, sent, sent, read, sent]);
});

Deno.test("docs/sandbox.md lists exactly these stories", async () => {
  const page = await Deno.readTextFile(`${root}docs/sandbox.md`);
  const listed = page.matchAll(/^\| `(\+155520000\d\d)` \| (.+) \|$/gm);
  assert.deepEqual(
    Array.from(listed, ([, to, does]) => [to, does]),
    Object.entries(STORIES).map(([to, { does }]) => [to, does]),
  );
});
