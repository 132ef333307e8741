// Tests POST /sandbox/inbound, which simulates a message from a person and so allows free replies.
import assert from "node:assert/strict";
import { whyUnheard } from "../../local/unheard_numbers.ts";
import { stack, statement, withDatabase } from "../support/test_stack.ts";
import { send } from "../support/calls.ts";
import { anyPhone, anyPhoneNumberId, newCompany } from "../support/company.ts";
import { NOW, NUMBER, sandboxWithWebhook, text } from "./sandbox_webhook.ts";

const ANA = "+5511987654321";
const HOUR = 60 * 60 * 1000;

Deno.test("the sandbox posts a simulated person's message in the channel's format", async () => {
  await using channel = sandboxWithWebhook();
  const { status, body } = await channel.writes(ANA, "Bom dia!", { name: "Ana Souza" });
  const { message_id, user_id } = body;
  assert.deepEqual([status, body], [200, {
    message_id,
    user_id,
    posted: true,
    webhook_status: 200,
  }]);
  assert.match(message_id, /^wamid\.\S+$/);
  assert.match(user_id, /^BR\.\d{16}$/);
  const [post, ...more] = await channel.told();
  assert.deepEqual(more, []);
  assert.deepEqual(post.body, {
    object: "whatsapp_business_account",
    entry: [{
      id: "900000000000001",
      changes: [{
        value: {
          messaging_product: "whatsapp",
          metadata: { display_phone_number: "999352242922", phone_number_id: NUMBER },
          contacts: [{ profile: { name: "Ana Souza" }, wa_id: ANA.slice(1), user_id }],
          messages: [{
            ...{ from: ANA.slice(1), from_user_id: user_id, id: message_id },
            ...{ timestamp: String(NOW), type: "text", text: { body: "Bom dia!" } },
          }],
        },
        field: "messages",
      }],
    }],
  });
});

Deno.test("a person has the same id for every spelling of their phone number, and keeps their name", async () => {
  await using channel = sandboxWithWebhook();
  const first = await channel.writes(ANA, "a", { name: "Ana Souza" });
  for (const spelling of ["5511987654321", "+551187654321", "551187654321"]) {
    assert.equal((await channel.writes(spelling, "b")).body.user_id, first.body.user_id);
  }
  const posts = await channel.told();
  assert.deepEqual(posts.map(({ value }) => value.messages[0].from), [
    ...["5511987654321", "5511987654321", "551187654321", "551187654321"],
  ]);
  for (const { value } of posts) assert.equal(value.contacts[0].profile.name, "Ana Souza");
  assert.notEqual((await channel.writes("+5511987654322", "c")).body.user_id, first.body.user_id);
});

Deno.test("a person may hide their phone number or have no phone number", async () => {
  await using channel = sandboxWithWebhook();
  const userId = "BR.5043781234567894";
  const hidden = await channel.writes(ANA, "oi", { hide_phone: true });
  const none = await channel.call("/inbound", {
    ...{ phone_number_id: NUMBER, user_id: userId, text: "oi", name: "Bia ✨" },
  });
  assert.equal(none.body.user_id, userId);
  const posts = await channel.told();
  assert.deepEqual(
    posts.map(({ value: { contacts: [contact], messages: [message] } }) => [
      ...[contact.wa_id, contact.user_id, message.from, message.from_user_id],
    ]),
    [hidden.body.user_id, userId].map((id) => [undefined, id, undefined, id]),
  );
});

Deno.test("a person may reply to a message and send content other than text", async () => {
  await using channel = sandboxWithWebhook();
  const image = { type: "image", image: { id: "1", mime_type: "image/jpeg", sha256: "x" } };
  await channel.call("/inbound", {
    ...{ phone_number_id: NUMBER, from: ANA, message: image, answers: "wamid.sandbox.1" },
  });
  const [{ value: { messages: [{ type, image: sent, context }] } }] = await channel.told();
  assert.deepEqual([type, sent], ["image", image.image]);
  assert.deepEqual(context, { from: "999352242922", id: "wamid.sandbox.1" });
});

const GOOD = { phone_number_id: NUMBER, from: ANA, text: "Hello" };

/** Changes that make a body invalid, and the error for each change. */
const REFUSED: [changes: unknown, message: RegExp][] = [
  [{ phone_number_id: undefined }, /^phone_number_id must be a text of digits/],
  [{ phone_number_id: 1 }, /^phone_number_id must be a text of digits/],
  [{ phone_number_id: "+1" }, /^phone_number_id must be a text of digits/],
  [{ from: undefined }, /^from is required, unless the request has user_id$/],
  ...["", "5511", "+55 11 98765-4321", "+0511987654321", "Ana", 5511987654321, null].map((
    from,
  ): [unknown, RegExp] => [{ from }, /^from must be /]),
  [
    { text: undefined },
    /^text is required, unless the request has message, medium or tap; send only one of them$/,
  ],
  [{ message: { type: "image", image: {} } }, /^text is required, unless the request has message/],
  [{ text: "" }, /^text must not be empty$/],
  [{ text: 1 }, /^text must be a text$/],
  [{ text: "x".repeat(65_537) }, /^text must have at most 65536 characters$/],
  [{ text: undefined, message: "Hello" }, /^message must be an object of the channel with a type$/],
  [{ text: undefined, message: {} }, /^message\.type must be a text$/],
  [
    { text: undefined, message: { type: "image", text: {} } },
    /^message must have an object with the name of its type: image$/,
  ],
  [
    { text: undefined, message: { type: "text", text: {}, id: "1" } },
    /^message must not have from, from_user_id, id, timestamp, context: the sandbox adds them$/,
  ],
  [{ user_id: "5511987654321" }, /^user_id must be a business-scoped user id/],
  [{ name: "" }, /^name must not be empty$/],
  [{ hide_phone: "yes" }, /^hide_phone must be true or false$/],
  [{ answers: 1 }, /^answers must be the id of a message on the channel \(wamid\)$/],
  [
    { texts: "x" },
    /^texts: not accepted here; the known fields are phone_number_id, from, text, message, medium, caption, tap, user_id, name, hide_phone, answers, hours_ago$/,
  ],
  [{ from: "x", name: 1 }, /^from must .+\. name must be a text$/],
];

Deno.test("an invalid body is refused with the reason, and nothing is posted", async () => {
  await using channel = sandboxWithWebhook();
  for (const [changes, message] of REFUSED) {
    const { status, body } = await channel.call("/inbound", { ...GOOD, ...changes as object });
    assert.equal(status, 400, JSON.stringify(changes));
    assert.match(body.message, message);
  }
  for (const json of ["[]", "1", "null", '"text"']) {
    const { status, body } = await channel.call("/inbound", json);
    assert.deepEqual([status, body.message], [400, "The body must be a JSON object"]);
  }
  for (const broken of ["", "{", "from=1"]) {
    const { status, body } = await channel.call("/inbound", broken);
    assert.deepEqual([status, body.message], [400, "The body is not JSON"]);
  }
  assert.deepEqual(await channel.told(), []);
});

Deno.test("only the JSON Content-Type is accepted, because a page on another site cannot send this type", async () => {
  await using channel = sandboxWithWebhook();
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", ""]) {
    const { status, body } = await channel.call("/inbound", GOOD, { "Content-Type": type });
    assert.deepEqual([status, body.message], [415, "The Content-Type must be application/json"]);
  }
  const { status } = await channel.call("/inbound", GOOD, {
    "Content-Type": "Application/JSON; charset=utf-8",
  });
  assert.equal(status, 200);
  assert.equal((await channel.told()).length, 1);
});

Deno.test("a person can also write to a sandbox without a webhook, and the sandbox then posts nothing", async () => {
  const json = { phone_number_id: anyPhoneNumberId(), from: anyPhone(), text: "Hello" };
  const { status, body } = await send(
    `${stack.url}/sandbox/inbound`,
    "POST",
    { "Content-Type": "application/json" },
    JSON.stringify(json),
  );
  assert.deepEqual([status, body.posted, body.reason], [200, false, "The sandbox has no webhook"]);
});

Deno.test("a simulated message returns a warning if no company sees the message", async () => {
  const company = await newCompany();
  const { app_key } = stack.channel_app!;
  const why = (phoneNumberId: string) =>
    withDatabase((sql) => whyUnheard(sql, phoneNumberId, app_key));
  await using channel = sandboxWithWebhook(undefined, { whyUnheard: why });
  const warning = async (phone_number_id: string) =>
    (await channel.writes(ANA, "Hello", { phone_number_id })).body.warning;

  const unseen = "No company has connected this number, so no one sees the message";
  assert.equal(await warning(anyPhoneNumberId()), unseen);
  assert.equal(
    await warning(company.phone_number_id),
    `The account of this number does not name the app ${app_key}, so no one sees the message; ` +
      "connect it again with --app",
  );
  await statement`
    update messaging_accounts set
      channel_app_id = (select id from channel_apps where app_key = ${app_key})
    where id = ${company.account_id}
  `;
  assert.equal(await warning(company.phone_number_id), undefined);
});

Deno.test("a free reply is accepted for 24 hours after the person has written to the number", async () => {
  await using channel = sandboxWithWebhook();
  const answer = async (addressee: object, number = NUMBER) => {
    const parts = { messaging_product: "whatsapp", ...addressee, ...text("Hi") };
    return (await channel.call(`/v26.0/${number}/messages`, parts)).body;
  };
  const assertClosed = ({ error }: { error?: { code: number; message: string } }) =>
    assert.deepEqual([error?.code, error?.message], [
      ...[131047, "(#131047) Re-engagement message"],
    ]);
  assertClosed(await answer({ to: ANA }));
  // A template message does not open a window.
  await channel.send({ to: ANA });
  assertClosed(await answer({ to: ANA }));

  const { body: { user_id } } = await channel.writes(ANA, "Hello");
  const byPhone = await answer({ to: "551187654321" });
  assert.deepEqual(byPhone.contacts, [{ input: "551187654321", wa_id: "551187654321" }]);
  const byId = await answer({ recipient: user_id });
  assert.deepEqual(byId.contacts, [{ input: user_id, user_id }]);
  assert.match(byId.messages[0].id, /^wamid\./);
  // If a reply names both a phone number and an id, the phone number is used.
  assertClosed(await answer({ to: "+12025550199", recipient: user_id }));
  assertClosed(await answer({ to: ANA }, "106540352242923"));

  channel.clock.now += 24 * HOUR - 1;
  assert.equal((await answer({ to: ANA })).error, undefined);
  channel.clock.now += 1;
  assertClosed(await answer({ to: ANA }));
  assertClosed(await answer({ recipient: user_id }));
  await channel.writes(ANA, "Again");
  assert.equal((await answer({ recipient: user_id })).error, undefined);
});

Deno.test("a sandbox starts with the open windows that its configuration lists", async () => {
  const userId = "BR.5043781234567894";
  const at = NOW * 1000 - 23 * HOUR;
  await using channel = sandboxWithWebhook(undefined, {
    windows: [
      { phoneNumberId: NUMBER, phone: ANA, userId: null, at },
      { phoneNumberId: NUMBER, phone: null, userId, at },
    ],
  });
  await channel.send({ to: ANA }, text("Hi"));
  await channel.send({ recipient: userId }, text("Hi"));
  channel.clock.now += HOUR;
  const parts = { messaging_product: "whatsapp", to: ANA, ...text("Hi") };
  const { body } = await channel.call(`/v26.0/${NUMBER}/messages`, parts);
  assert.equal(body.error.code, 131047);
});

Deno.test("a person who replies to a template in a story can then receive a free reply", async () => {
  await using channel = sandboxWithWebhook();
  await channel.send({ to: "+15552000006" });
  await channel.told();
  await channel.send({ to: "+15552000006" }, text("Com prazer"));
});

Deno.test("a template can be sent to a person's user id, unless it is an authentication template", async () => {
  await using channel = sandboxWithWebhook();
  const recipient = "BR.5043781234567894";
  await channel.send({ recipient });
  const [{ value: { contacts: [{ wa_id, user_id }], statuses: [status] } }] = await channel.told();
  assert.deepEqual([wa_id, user_id, status.recipient_id, status.recipient_user_id], [
    ...[undefined, recipient, undefined, recipient],
  ]);
  const { body } = await channel.call(`/v26.0/${NUMBER}/messages`, {
    ...{ messaging_product: "whatsapp", recipient, type: "template" },
    template: {
      name: "login_code",
      language: { code: "en_US" },
      components: [{ type: "body", parameters: [{ type: "text", text: "123456" }] }],
    },
  });
  assert.equal(body.error.code, 131062);
});

Deno.test("a text message in the wrong format is refused", async () => {
  await using channel = sandboxWithWebhook();
  await channel.writes(ANA, "Hello");
  const cases: [parts: object, code: number][] = [
    [{ text: undefined }, 131008],
    [{ text: {} }, 131008],
    [{ text: "Hi" }, 100],
    [{ text: { body: "" } }, 100],
    [{ text: { body: "x".repeat(4097) } }, 100],
    [{ text: { body: "Hi", html: true } }, 100],
    [{ to: undefined }, 131008],
    [{ to: undefined, recipient: "5511987654321" }, 100],
    [{ to: "BR.5043781234567894" }, 100],
    [{ context: {} }, 131008],
  ];
  for (const [parts, code] of cases) {
    const { body } = await channel.call(`/v26.0/${NUMBER}/messages`, {
      ...{ messaging_product: "whatsapp", to: ANA, ...text("Hi"), ...parts },
    });
    assert.equal(body.error?.code, code, JSON.stringify(parts));
  }
  await channel.send({ to: ANA }, {
    ...text("x".repeat(4096)),
    ...{ recipient_type: "individual", context: { message_id: "wamid.1" } },
  });
});

Deno.test("a reaction is listed and delivered, and a reaction in the wrong format is refused", async () => {
  await using channel = sandboxWithWebhook();
  const { body: { message_id } } = await channel.writes(ANA, "Hello");
  const reaction = (parts: object) => ({
    ...{ type: "reaction", reaction: { message_id, emoji: "👍🏽", ...parts } },
  });
  await channel.told();
  const id = await channel.send({ to: ANA }, { ...reaction({}), template: undefined });
  const statuses = (await channel.told()).map(({ value }) => value.statuses[0]);
  assert.deepEqual(statuses.map((report) => [report.id, report.status]), [
    ...[[id, "sent"], [id, "delivered"]],
  ]);
  const [{ message }] = (await channel.listed()).data;
  assert.deepEqual(message.reaction, { message_id, emoji: "👍🏽" });
  await channel.send({ to: ANA }, { ...reaction({ emoji: "" }), template: undefined });
  const wrong: [parts: object, code: number][] = [
    [{ emoji: undefined }, 131008],
    [{ message_id: undefined }, 131008],
    [{ message_id: "" }, 100],
    [{ emoji: "ok" }, 100],
    [{ emoji: "👍👍" }, 100],
    [{ remove: true }, 100],
  ];
  for (const [parts, code] of wrong) {
    const { body } = await channel.call(`/v26.0/${NUMBER}/messages`, {
      ...{ messaging_product: "whatsapp", to: ANA, ...reaction(parts) },
    });
    assert.equal(body.error?.code, code, JSON.stringify(parts));
  }
});
