// Tests the body, the Content-Type and the parameters of a request, and the errors for invalid
// values.

import assert from "node:assert/strict";
import * as fc from "fast-check";
import { anyPhone, newCompany } from "../support/company.ts";
import { type Answer, assertField, send } from "../support/calls.ts";
import { nastyText } from "../support/nasty_text.ts";
import { runs } from "../support/runs.ts";
import { ledgerOf, takenFrom, template } from "../support/sending.ts";
import { stack } from "../support/test_stack.ts";

interface Changes {
  headers?: Record<string, string>;
  key?: string;
  query?: string;
}

/** The company for the refused requests. It sends no message. */
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

Deno.test("the largest request that the field limits allow is smaller than 1 MiB", async () => {
  const { keys } = await newCompany();
  // In JSON, an escaped character outside the Basic Multilingual Plane takes twelve bytes.
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
  // The channel may refuse such a long text.
  assert.ok(status === 200 || code === "template_rejected", `${status} ${code}`);
});

Deno.test("a send with a query parameter is refused", async () => {
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

Deno.test("a request body is refused if it is not JSON, has another content type, is too large or has duplicate fields", async () => {
  assert.match((await post("{")).body.error, /is not valid JSON/);
  const text = await post(good(), { headers: { "Content-Type": "text/plain" } });
  assertField(text, "Content-Type", "must be application/json");
  assertRefused(await post(good().padEnd(1024 * 1024 + 1)), [413, "payload_too_large"]);
  const twice = await post(good().replace("{", '{"phone":"+5511987654321",'));
  assertField(twice, "phone", "is given more than once");
  await assertNothingSent();
});

Deno.test("without a valid key and scope, the error does not say whether the body is valid", async () => {
  const bodies = ["{", '{"colour":"red"}', "x".repeat(1024 * 1024 + 1), good()];
  for (const body of bodies) {
    for (const changes of [{}, { headers: { "Content-Type": "text/plain" } }, { query: "?x=1" }]) {
      const wrong = await post(body, { ...changes, key: "sk_live_wrong" });
      assertRefused(wrong, [401, "invalid_api_key"]);
      assert.equal(wrong.body.error, "Invalid or expired API key");
      const [reader, writer] = await Promise.all(
        [company.keys.read, company.keys.write].map((key) => post(body, { ...changes, key })),
      );
      assertRefused(reader, [403, "insufficient_scope"]);
      assertRefused(writer, [403, "insufficient_scope"]);
      for (const answer of [wrong, reader, writer]) assert.equal(answer.body.details, undefined);
      for (const { body: { error } } of [reader, writer]) {
        assert.equal(error, "This API key does not have messaging permission");
      }
    }
  }
  const none = await send(stack.template_url, "POST", {}, "{");
  assertRefused(none, [401, "missing_api_key"]);
  assert.equal(none.body.error, "Missing API key");
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

Deno.test("an invalid body never causes an internal error", async () => {
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
  await fc.assert(property, { numRuns: runs(100) });
});
