// Tests the simulated WhatsApp API. The requests are like those that the functions send to the
// channel.
import assert from "node:assert/strict";
import { MAGIC } from "../../sandbox/magic.ts";
import type { SandboxMessage } from "../../sandbox/sandbox.ts";
import { SANDBOX_TOKEN } from "../../sandbox/rules.ts";
import { anyPhone, anyPhoneNumberId } from "../support/company.ts";
import { type Answer, send } from "../support/calls.ts";
import { takenFrom } from "../support/sending.ts";
import { stack } from "../support/test_stack.ts";

const addressOf = (phoneNumberId: string) => `${stack.url}/sandbox/v26.0/${phoneNumberId}/messages`;
const HEADERS = { Authorization: `Bearer ${SANDBOX_TOKEN}`, "Content-Type": "application/json" };

function post(phoneNumberId: string, body: unknown, headers = HEADERS): Promise<Answer> {
  return send(addressOf(phoneNumberId), "POST", headers, JSON.stringify(body));
}

/** A valid message with these changes to its template and other parts. */
function message(to: string, template: Record<string, unknown> = {}, parts: object = {}) {
  return {
    messaging_product: "whatsapp",
    recipient_type: "individual",
    to,
    type: "template",
    template: {
      name: "order_update",
      language: { code: "pt_BR" },
      components: [component("body", "Ada", "A-1815")],
      ...template,
    },
    ...parts,
  };
}

const component = (type: string, ...texts: string[]) => ({
  type,
  parameters: texts.map((text) => ({ type: "text", text })),
});

function assertError({ status, body: { error } }: Answer, code: number, expected?: number) {
  assert.equal(error?.code, code, JSON.stringify(error));
  assert.ok(expected ? status === expected : status >= 400, `${code} with the status ${status}`);
  assert.ok(error.message.startsWith(`(#${code}) `));
  assert.deepEqual(
    [error.type, error.error_data.messaging_product, typeof error.error_data.details],
    ["OAuthException", "whatsapp", "string"],
  );
  assert.match(error.fbtrace_id, /^\w+$/);
}

async function keptBy(phone_number_id: string, to?: string): Promise<SandboxMessage[]> {
  return await takenFrom({ phone_number_id }, to);
}

Deno.test("an accepted message returns the channel's response and is stored unchanged", async () => {
  const [from, to] = [anyPhoneNumberId(), anyPhone()];
  const components = [component("body", "Ada 🚚  x\u00a0y", "    ")];
  const sent = message(to, { components }, { biz_opaque_callback_data: "send-1" });
  const { status, body } = await post(from, sent);
  const [{ id, message_status }] = body.messages;
  assert.deepEqual([status, body], [200, {
    messaging_product: "whatsapp",
    contacts: [{ input: to, wa_id: to.slice(1) }],
    messages: [{ id, message_status }],
  }]);
  assert.match(id, /^wamid\.\S+$/);
  assert.equal(message_status, "accepted");

  const [kept, ...more] = await keptBy(from);
  assert.deepEqual([kept, more], [{
    id,
    phone_number_id: from,
    accepted_at: kept.accepted_at,
    message: sent,
  }, []]);
  assert.ok(Math.abs(Date.parse(kept.accepted_at) - Date.now()) < 60_000);
});

Deno.test("accepted messages are listed newest first and can be filtered by recipient and sender", async () => {
  const [first, second] = [anyPhoneNumberId(), anyPhoneNumberId()];
  const [ada, grace] = [anyPhone(), anyPhone()];
  const ids: string[] = [];
  for (const [from, to] of [[first, ada], [first, grace], [second, ada], [first, ada]]) {
    ids.push((await post(from, message(to))).body.messages[0].id);
  }
  assert.equal(new Set(ids).size, 4);
  const listed = async (query: Record<string, string>) => {
    const { body } = await send(`${stack.sandbox_url}?${new URLSearchParams(query)}`, "GET", {});
    return body.data.map(({ id }: SandboxMessage) => ids.indexOf(id)).filter((at: number) =>
      at >= 0
    );
  };
  assert.deepEqual(await listed({}), [3, 2, 1, 0]);
  assert.deepEqual(await listed({ to: ada }), [3, 2, 0]);
  assert.deepEqual(await listed({ phone_number_id: first }), [3, 1, 0]);
  assert.deepEqual(await listed({ phone_number_id: first, to: ada }), [3, 0]);
  assert.deepEqual(await listed({ phone_number_id: second, to: grace }), []);
  assert.deepEqual(await keptBy(first, ada.slice(0, -1)), []);
});

Deno.test("every message without the account's token is refused", async () => {
  const from = anyPhoneNumberId();
  const wrong = ["", "Bearer", `Bearer ${SANDBOX_TOKEN}x`, `Basic ${SANDBOX_TOKEN}`, SANDBOX_TOKEN];
  for (const Authorization of wrong) {
    const headers = { ...HEADERS, Authorization };
    assertError(await post(from, message(anyPhone()), headers), 190, 401);
    assertError(await post(from, {}, headers), 190, 401);
  }
  assertError(await send(addressOf(from), "POST", {}, "{"), 190, 401);
  assert.deepEqual(await keptBy(from), []);
});

const to = anyPhone();
const body = (...components: unknown[]) => message(to, { components });
const parameters = (...parameters: unknown[]) => body({ type: "body", parameters });

const REFUSALS: Record<string, [code: number, messages: unknown[]]> = {
  "a body that is not an object": [100, [[], "text", 1, null]],
  "a message without a required part": [131008, [
    {},
    ...["messaging_product", "to", "type", "template"].map((part) =>
      message(to, {}, { [part]: undefined })
    ),
    message(to, { language: undefined }),
    message(to, { language: {} }),
    body({ type: "body" }),
    parameters({ type: "text" }),
    parameters({ type: "image" }),
  ]],
  "a part in the wrong format": [100, [
    ...[message("5511", {}), message("+0511987654321"), message("+55 11 98765-4321")],
    ...[message(to, {}, { to: 5511987654321 }), message(to, {}, { messaging_product: "sms" })],
    ...[message(to, {}, { recipient_type: "group" }), message(to, {}, { type: "picture" })],
    message(to, {}, { template: "order_update" }),
    message(to, {}, { biz_opaque_callback_data: "x".repeat(513) }),
    ...[message(to, { language: "pt_BR" }), message(to, { language: { code: 1 } })],
    message(to, { language: { code: "pt_BR", policy: "best" } }),
    message(to, { namespace: "x" }),
  ]],
  "components in the wrong format": [132012, [
    ...[message(to, { components: {} }), body(component("footer", "a")), body(component("body"))],
    body(component("body", "a"), component("body", "b")),
    ...[body({ ...component("body", "a"), index: 0 }), body("a"), parameters("a")],
    parameters({ type: "image", image: { id: "1" }, text: "a" }),
    parameters({ type: "text", text: 1 }),
  ]],
};

for (const [what, [code, messages]] of Object.entries(REFUSALS)) {
  Deno.test(`${what} is refused with the code ${code}`, async () => {
    const from = anyPhoneNumberId();
    for (const refused of messages) {
      const answer = await post(from, refused);
      assert.equal(answer.body.error?.code, code, JSON.stringify([refused, answer.body]));
      assertError(answer, code, 400);
    }
    assert.deepEqual(await keptBy(from), []);
  });
}

Deno.test("a body that is not JSON is refused", async () => {
  for (const text of ["", "{", "to=%2B5511"]) {
    const { status, body } = await send(addressOf(anyPhoneNumberId()), "POST", HEADERS, text);
    assert.ok(status === 400 && [100, 131008].includes(body.error.code));
  }
});

Deno.test("a message to +15550 and six digits is refused with these digits as the error code", async () => {
  const from = anyPhoneNumberId();
  const codes: [number, number][] = [
    ...[[0, 401], [1, 400], [2, 503], [4, 400], [10, 403], [190, 401], [200, 400]] as const,
    ...[[130429, 429], [131016, 500], [131056, 400], [132001, 404], [999999, 400]] as const,
  ].map(([code, status]) => [code, status]);
  for (const [code, status] of codes) {
    const recipient = `+15550${String(code).padStart(6, "0")}`;
    assertError(await post(from, message(recipient)), code, status);
  }
  assert.deepEqual(await keptBy(from), []);
  for (const recipient of ["+1555013105", "+155501310560"]) {
    assert.equal((await post(from, message(recipient))).status, 200);
  }
});

Deno.test("an invalid message returns the error for its content, even if its recipient has a fixed response", async () => {
  for (const recipient of ["+15550131056", ...Object.keys(MAGIC)]) {
    const answer = await post(anyPhoneNumberId(), message(recipient, { name: "no_such_name" }));
    assertError(answer, 132001, 404);
  }
});

Deno.test("any other URL of the sandbox returns a 404", async () => {
  const elsewhere: [string, string][] = [
    ...[["GET", ""], ["GET", "message"], ["POST", "messages"], ["DELETE", "messages"]] as const,
    ...[["POST", "26.0/1/messages"], ["POST", "v26.0/messages"], ["GET", "v26.0/1/media"]] as const,
    ...[["PUT", "v26.0/1/messages"], ["POST", "v26.0/1"], ["POST", "v26.0/1/media/2"]] as const,
  ].map(([method, path]) => [method, path]);
  for (const [method, path] of elsewhere) {
    const { status, body } = await send(`${stack.url}/sandbox/${path}`, method, HEADERS);
    assert.equal(status, 404, `${method} ${path}`);
    assert.match(
      body.message,
      /^The sandbox serves POST .+, GET \/sandbox\/messages, GET \/sandbox\/chat and POST \/sandbox\/inbound$/,
    );
  }
});
