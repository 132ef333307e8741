import assert from "node:assert/strict";
import { ApiError } from "../../supabase/functions/_shared/errors.ts";
import { FUNCTIONS } from "../../generate/openapi/functions.ts";
import { conditionOf } from "../../supabase/functions/_shared/http/conditional.ts";
import { askedOf } from "../../supabase/functions/_shared/http/batch_body.ts";
import {
  fingerprintOf,
  idempotencyOf,
  readIdempotencyKey,
  requireKeyOfBody,
} from "../../supabase/functions/_shared/http/idempotency.ts";

const headers = (value: string) => new Headers({ "Idempotency-Key": value });
const taken = { method: "POST", idempotent: true } as const;

function assertRefused(work: () => unknown, message: RegExp) {
  assert.throws(work, (error: unknown) => {
    assert.ok(error instanceof ApiError);
    assert.equal(error.code, "invalid_request");
    const [{ field, message: told }] = error.parts.details!;
    assert.equal(field, "Idempotency-Key");
    assert.match(told, message);
    return true;
  });
}

Deno.test("an idempotency key has 1 to 255 visible ASCII characters, with or without the quotes of the IETF draft", () => {
  const long = "k".repeat(255);
  for (const key of ["a", "5f0c4a3e-order-1042", "!~", '"', 'a"b', long]) {
    assert.equal(readIdempotencyKey(headers(key), taken), key);
    assert.equal(readIdempotencyKey(headers(`"${key}"`), taken), key);
    assert.equal(readIdempotencyKey(headers(` ${key}\t`), taken), key);
  }
  const wrong = ["", " ", '""', "a b", '"a b"', "a\tb", "é", "\x7f", `${long}k`, `"${long}k"`];
  for (const value of wrong) {
    assertRefused(() => readIdempotencyKey(headers(value), taken), /1 to 255 visible ASCII/);
  }
});

Deno.test("an operation that takes no idempotency key says so, and names If-Match only if it accepts that header", () => {
  let refused = 0;
  for (const operation of FUNCTIONS.flatMap((api) => api.operations)) {
    const { id, method, idempotent, keyInBody } = operation;
    if (method === "GET" || idempotent || keyInBody) continue;
    refused++;
    assert.throws(() => readIdempotencyKey(headers("k"), operation), {
      code: "header_not_accepted",
      message: "Header not accepted: Idempotency-Key has no effect here: the request is safe to " +
        `repeat without it${
          conditionOf(operation) === "If-Match" ? " (If-Match protects newer values)" : ""
        }; leave it out`,
    }, id);
  }
  assert.ok(refused > 10, `${refused} operations`);
});

Deno.test("a request with two idempotency keys is refused", () => {
  const twice = headers("one");
  twice.append("Idempotency-Key", "one");
  assertRefused(() => readIdempotencyKey(twice, taken), /be sent only once/);
});

Deno.test("a request path with its id in upper case equals the path with the id in lower case", async () => {
  const id = "5B7C2A10-9D1C-4F7E-8C55-0E2D6A4B1F00";
  const of = (id: string) =>
    idempotencyOf("key", { path: "/contacts/:id/archive" }, { id }, { query: {}, body: undefined });
  const { path, key } = await of(id);
  assert.deepEqual([path, key], [`/contacts/${id.toLowerCase()}/archive`, "key"]);
  assert.deepEqual(await of(id), await of(id.toLowerCase()));
});

Deno.test("requests are equal if only the order of fields differs, but not if a value differs", async () => {
  const of = (body: unknown, query: unknown = {}) =>
    idempotencyOf("key", { path: "/contacts" }, undefined, { query, body });
  const body = { phone: "+5511987654321", custom_fields: { a: 1, b: [{ c: null, d: "2" }] } };
  const same = { custom_fields: { b: [{ d: "2", c: null }], a: 1 }, phone: "+5511987654321" };
  const { fingerprint } = await of(body);
  assert.match(fingerprint, /^[\w-]{43}$/);
  assert.equal((await of(same)).fingerprint, fingerprint);
  const others = [
    [{ ...body, phone: "+5511987654322" }],
    [{ ...body, name: null }],
    [{ ...body, custom_fields: { ...body.custom_fields, a: "1" } }],
    [{ ...body, custom_fields: { ...body.custom_fields, b: [] } }],
    [{ ...body, custom_fields: { a: 1, b: [{ c: null, d: "2", ["__proto__"]: 1 }] } }],
    [{ items: [body] }],
    [body, { on_conflict: "update" }],
    [undefined],
  ];
  const all = await Promise.all(others.map(([body, query]) => of(body, query)));
  const distinct = new Set([fingerprint, ...all.map(({ fingerprint }) => fingerprint)]);
  assert.equal(distinct.size, others.length + 1);
  assert.notEqual(await fingerprintOf([1, 2]), await fingerprintOf([2, 1]));
});

Deno.test("if the body has an idempotency key, the header must equal it", () => {
  const inBody = { keyInBody: true };
  const body = { idempotency_key: "order-1" };
  for (const value of ["order-1", '"order-1"']) requireKeyOfBody(headers(value), inBody, body);
  requireKeyOfBody(headers('"quoted"'), inBody, { idempotency_key: '"quoted"' });
  requireKeyOfBody(new Headers(), inBody, {});
  requireKeyOfBody(headers("order-2"), {}, body);
  for (const [value, sent] of [["order-2", body], ["order-1", {}], ["", body]] as const) {
    assertRefused(
      () => requireKeyOfBody(headers(value), inBody, sent),
      /^must equal idempotency_key/,
    );
  }
});

Deno.test("a repeated batch counts as the same request even if a new release words an item's error differently", async () => {
  const batch = (message: string, given: unknown) =>
    fingerprintOf(askedOf({
      items: [{ item: { title: "Good" } }, { wrong: [{ field: "title", message }], given }],
    }));
  const first = await batch("is required", {});
  assert.equal(await batch("must be given", {}), first);
  assert.notEqual(await batch("is required", { title: "" }), first);
});
