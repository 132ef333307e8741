import assert from "node:assert/strict";
import { newCompany } from "../support/company.ts";
import { send } from "../support/calls.ts";
import { stack } from "../support/test_stack.ts";

const company = await newCompany();

Deno.test("only POST requests are accepted, and the method is checked before the API key", async () => {
  for (const method of ["GET", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
    const { status, headers, body } = await send(stack.template_url, method, {});
    assert.deepEqual([status, headers.get("Allow")], [405, "POST"]);
    assert.deepEqual([body.success, body.code], [false, "method_not_allowed"]);
    assert.equal(body.request_id, headers.get("X-Request-Id"));
  }
});

Deno.test("a request to a path below the endpoint returns a 404", async () => {
  const { status, body } = await send(`${stack.template_url}/x`, "POST", {
    "X-Api-Key": company.keys.messaging,
  });
  assert.deepEqual([status, body.code], [404, "route_not_found"]);
});
