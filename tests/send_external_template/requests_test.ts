// The request itself: its body, its Content-Type and its parameters, and what callers are told about them.

import assert from "node:assert/strict";
import * as fc from "fast-check";
import { anyPhone, newCompany } from "../support/company.ts";
import { type Answer, assertField, send } from "../support/calls.ts";
import { nastyText } from "../support/nasty_text.ts";
import { ledgerOf, takenFrom, template } from "../support/sending.ts";
import { stack } from "../support/test_stack.ts";

interface Changes {
  headers?: Record<string, string>;
  key?: string;
  query?: string;
}

/** The company of the requests that are refused; it sends nothing. */
const company = await newCompany();

function post(
  body: BodyInit,
  {
    headers = { "Content-Type": "application/json" },
    key = company.keys.messaging,
    query = "",
  }: Changes = {},
): Promise<Answer> {
  return send(stack.template_url + query, "POST", { "X-Api-Key": key, ...headers }, body);
}

function assertRefused({ status, headers, body }: Answer, expected: [number, string]) {
  assert.deepEqual([status, body.code, body.success], [...expected, false], JSON.stringify(body));
  assert.equal(body.request_id, headers.get("X-Request-Id"));
  assert.equal(headers.get("Cache-Control"), "no-store");
}

async function assertNothingSent() {
  assert.deepEqual(await takenFrom(company), []);
  assert.equal((await ledgerOf(company)).length, 0);
}

const good = () => JSON.stringify(template(anyPhone()));

Deno.test("a body that is not a JSON object is refused with the reason", async () => {
  const bodies: [BodyInit, RegExp][] = [
    ["", /is empty/],
    [" \n", /is empty/],
    ["{", /is not valid JSON/],
    [good().slice(0, -1), /is not valid JSON/],
    [good() + good(), /is not valid JSON/],
    [good().replace("}", ",}"), /is not valid JSON/],
    ["phone=%2B5511987654321", /is not valid JSON/],
    ["null", /must be a JSON object/],
    ["true", /must be a JSON object/],
    ["1", /must be a JSON object/],
    ['"text"', /must be a JSON object/],
    [`[${good()}]`, /must be a JSON object/],
    [`{"x":${"[".repeat(100_000)}${"]".repeat(100_000)}}`, /is nested too deeply/],
    [new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]), /is not valid UTF-8/],
  ];
  for (const [body, sentence] of bodies) {
    const answer = await post(body);
    assertRefused(answer, [422, "invalid_request"]);
    assert.match(answer.body.error, sentence);
  }
  await assertNothingSent();
});

Deno.test("application/json is the only Content-Type that is accepted", async () => {
  const others = [
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/jsonp",
    "json",
    "",
  ];
  for (const type of others) {
    const answer = await post(good(), { headers: { "Content-Type": type } });
    assertRefused(answer, [422, "invalid_request"]);
    assertField(answer, "Content-Type", "must be application/json");
  }
  const none = await post(new TextEncoder().encode(good()), { headers: {} });
  assertField(none, "Content-Type", "must be application/json");
  await assertNothingSent();

  const { keys } = await newCompany();
  for (
    const type of ["application/json; charset=utf-8", "Application/JSON", "application/json ;"]
  ) {
    const answer = await post(good(), { headers: { "Content-Type": type }, key: keys.messaging });
    assert.deepEqual([answer.status, answer.body.success], [200, true]);
  }
});

Deno.test("a body over 1 MiB is refused, whether or not its length is announced", async () => {
  const ascii = JSON.stringify(template(anyPhone(), { display_text: "Hello" }));
  const upTo = (size: number) => ascii.padEnd(size);
  const announced = await post(upTo(1024 * 1024 + 1));
  assertRefused(announced, [413, "payload_too_large"]);
  const pieces = () =>
    new Blob([upTo(1024 * 1024 + 1)]).stream().pipeThrough(new TransformStream());
  assertRefused(await post(pieces()), [413, "payload_too_large"]);
  await assertNothingSent();

  const { keys } = await newCompany();
  const whole = await post(upTo(1024 * 1024), { key: keys.messaging });
  assert.deepEqual([whole.status, whole.body.success], [200, true]);
});

Deno.test("the largest request that the fields allow is within 1 MiB", async () => {
  const { keys } = await newCompany();
  // An astral character takes twelve bytes when it is escaped.
  const escaped = (count: number) => "\\ud83d\\ude9a".repeat(count);
  const body = JSON.stringify(template(anyPhone(), {
    display_text: "TEXT",
    idempotency_key: "KEY",
    contact_name: "NAME",
    body_variables: Array(30).fill("LIST"),
    header_variables: Array(30).fill("LIST"),
  })).replace("TEXT", escaped(4096)).replace("KEY", escaped(200)).replace("NAME", escaped(255))
    .replaceAll("LIST", escaped(1024));
  assert.ok(body.length > 0.7 * 1024 * 1024);
  const { status, body: { code } } = await post(body, { key: keys.messaging });
  // The channel itself may refuse so much text.
  assert.ok(status === 200 || code === "template_rejected", `${status} ${code}`);
});

Deno.test("a field that is given twice is refused by name, however it is spelled", async () => {
  for (const [field, value] of Object.entries(template(anyPhone()))) {
    for (const key of [field, field.replace("e", "\\u0065")]) {
      const answer = await post(good().replace("{", `{"${key}":${JSON.stringify(value)},`));
      assertField(answer, field, "is given more than once");
      assertRefused(answer, [422, "invalid_request"]);
    }
  }
  const list = good().replace("{", '{"body_variables":[],"body_variables":["a"],');
  assertField(await post(list), "body_variables", "is given more than once");
  const prototype = await post(good().replace("{", '{"__proto__":{"phone":"+5511987654321"},'));
  assertField(prototype, "__proto__");
  await assertNothingSent();
});

Deno.test("a number is refused in place of a text, however long it is", async () => {
  for (const number of ["1", "5511987654321", "1e400", "0.10000000000000000001"]) {
    const answer = await post(good().replace(/"phone":"[^"]+"/, `"phone":${number}`));
    assertField(answer, "phone");
  }
  await assertNothingSent();
});

Deno.test("every query parameter is refused", async () => {
  const names = ["dry_run", "phone", "idempotency_key", "apikey", "select", "%00", ""];
  for (const name of names) {
    const answer = await post(good(), { query: `?${name}=x` });
    assertRefused(answer, [422, "invalid_request"]);
    assert.equal(answer.body.details.length, 1);
  }
  const twice = await post(good(), { query: "?phone=1&phone=2" });
  assertField(twice, "phone", "is given more than once");
  await assertNothingSent();
});

Deno.test("a caller without a key or without the scope learns nothing about the body", async () => {
  const bodies = [
    ...[
      "",
      "{",
      "[]",
      "{}",
      '{"colour":"red"}',
      '{"phone":1,"phone":2}',
      "x".repeat(1024 * 1024 + 1),
    ],
    ...[JSON.stringify(template("none")), good()],
  ];
  for (const body of bodies) {
    for (const changes of [{}, { headers: { "Content-Type": "text/plain" } }, { query: "?x=1" }]) {
      const wrong = await post(body, { ...changes, key: "sk_live_wrong" });
      assertRefused(wrong, [401, "invalid_api_key"]);
      const [reader, writer] = await Promise.all(
        [company.keys.read, company.keys.write].map((key) => post(body, { ...changes, key })),
      );
      assertRefused(reader, [403, "insufficient_scope"]);
      assertRefused(writer, [403, "insufficient_scope"]);
      for (const answer of [wrong, reader, writer]) assert.equal(answer.body.details, undefined);
    }
  }
  const none = await send(stack.template_url, "POST", {}, "{");
  assertRefused(none, [401, "missing_api_key"]);
  await assertNothingSent();
});

const anyValue = fc.oneof(
  { depthSize: "small" },
  nastyText,
  fc.array(nastyText, { maxLength: 32 }),
  fc.double(),
  fc.boolean(),
  fc.constantFrom(null, "image", company.phone_number_id),
  fc.jsonValue({ maxDepth: 3 }),
);
const FIELDS = [
  ...["phone", "template_name", "language_code", "display_text", "body_variables", "contact_name"],
  ...["header_variables", "phone_number_id", "idempotency_key", "template_header_type", "id"],
];

Deno.test("no body causes an internal error", async () => {
  const { keys } = await newCompany();
  const anyBody = fc.dictionary(fc.oneof(fc.constantFrom(...FIELDS), nastyText), anyValue, {
    maxKeys: 5,
  });
  const property = fc.asyncProperty(anyBody, fc.boolean(), async (body, onTopOfGood) => {
    const json = onTopOfGood ? { ...template(anyPhone()), ...body } : body;
    const answer = await post(JSON.stringify(json), { key: keys.messaging });
    const { success, code } = answer.body;
    const isTaken = answer.status === 200 && success === true;
    const isRefused = answer.status === 422 && success === false &&
      ["invalid_request", "template_rejected"].includes(code);
    assert.ok(isTaken || isRefused, JSON.stringify(answer.body));
  });
  await fc.assert(property, { numRuns: 100 });
});
