import assert from "node:assert/strict";
import { newCompany, newKey } from "../support/company.ts";
import { call } from "../support/calls.ts";
import { statement, withDatabase } from "../support/test_stack.ts";

Deno.test("GET /me works with any scope and returns the key's company, name, scopes and expiry, but no secret", async () => {
  const company = await newCompany();
  const [{ name }] = await statement`select name from companies where id = ${company.id}`;
  for (const scopes of [["read"], ["write"], ["messaging"], ["webhooks"], ["messaging", "read"]]) {
    const key = await withDatabase((sql) => sql.begin((sql) => newKey(sql, company.id, scopes)));
    const [own] = await statement`
      update api_keys set name = 'Zapier', expires_at = '2099-01-31 09:30Z'
      where company_id = ${company.id} and key_hash = encode(sha256(${key}::text::bytea), 'hex')
      returning id
    `;
    const { status, body } = await call(key, "GET", "/me");
    const { limits, ...rest } = body.data;
    assert.equal(status, 200);
    assert.deepEqual(rest, {
      company: { id: company.id, name },
      key: { id: own.id, name: "Zapier", scopes, expires_at: "2099-01-31T09:30:00+00:00" },
      environment: "local",
    });
    assert.equal(limits.batch_items, 500);
  }
});

Deno.test("GET /me returns the limits that the gateway applies", async () => {
  const { keys } = await newCompany();
  const { data: { limits } } = (await call(keys.all, "GET", "/me")).body;
  const items = Array.from({ length: limits.batch_items + 1 }, () => ({}));
  const batch = await call(keys.all, "POST", "/deals/batch", { json: { items } });
  assert.match(batch.body.error, new RegExp(`at most ${limits.batch_items} items`));
  const page = await call(keys.all, "GET", `/deals?limit=${limits.page_records}`);
  assert.equal(page.status, 200);
  const tooMany = await call(keys.all, "GET", `/deals?limit=${limits.page_records + 1}`);
  assert.equal(tooMany.status, 422);
  const large = await call(keys.all, "POST", "/deals", {
    json: { title: "x".repeat(limits.body_bytes) },
  });
  assert.equal(large.status, 413);
});
