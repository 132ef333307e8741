import assert from "node:assert/strict";
import { newCompany } from "../support/company.ts";
import { send } from "../support/calls.ts";
import { stack } from "../support/test_stack.ts";

const company = await newCompany();
const post = (key: string | null) =>
  send(stack.template_url, "POST", {
    "Content-Type": "application/json",
    ...(key === null ? {} : { "X-Api-Key": key }),
  }, "{}");

Deno.test("only POST is accepted, and the method is checked before the key", async () => {
  for (const method of ["GET", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
    const { status, headers, body } = await send(stack.template_url, method, {});
    assert.deepEqual([status, headers.get("Allow")], [405, "POST"]);
    assert.deepEqual([body.success, body.code], [false, "method_not_allowed"]);
    assert.equal(body.request_id, headers.get("X-Request-Id"));
  }
});

Deno.test("the endpoint requires a key with the messaging scope", async () => {
  const refusals: [string | null, number, string][] = [
    [null, 401, "Missing API key"],
    ["sk_live_wrong", 401, "Invalid or expired API key"],
    [company.keys.read, 403, "This API key does not have messaging permission"],
    [company.keys.write, 403, "This API key does not have messaging permission"],
  ];
  for (const [key, status, error] of refusals) {
    const answer = await post(key);
    assert.deepEqual(
      [answer.status, answer.body.success, answer.body.error],
      [status, false, error],
    );
    assert.equal(answer.headers.get("Cache-Control"), "no-store");
  }
});

Deno.test("a path below the endpoint is not found", async () => {
  const { status, body } = await send(`${stack.template_url}/x`, "POST", {
    "X-Api-Key": company.keys.messaging,
  });
  assert.deepEqual([status, body.code], [404, "route_not_found"]);
});
