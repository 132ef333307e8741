// Tests that a POST with an Idempotency-Key is carried out only once. Also tests which requests
// count as repeats, and what a repeat returns.

import assert from "node:assert/strict";
import { readGatewayConfig } from "../../supabase/functions/gateway/gateway_config.ts";
import { gatewayOperations } from "../../supabase/functions/gateway/operations.ts";
import { assertField, call } from "../support/calls.ts";
import { anyPhone, newCompany, newCompanyWithTemplate } from "../support/company.ts";
import {
  anyKey,
  assertCode,
  assertFirst,
  assertReplayed,
  dealOf,
  dealsNamed,
  isReplayed,
  post,
} from "../support/idempotent.ts";
import { logged } from "../support/log_lines.ts";
import { ownGateway, watchedStack } from "../support/own_functions.ts";
import { routes } from "../support/routes.ts";
import { snapshot } from "../support/snapshot.ts";
import { until } from "../support/started.ts";
import { environment, statement } from "../support/test_stack.ts";

const company = await newCompanyWithTemplate();
const other = await newCompany();
const { all, read, write, messaging } = company.keys;

Deno.test("every POST of the gateway accepts an Idempotency-Key, and no other method accepts it", async () => {
  const operations = gatewayOperations(await readGatewayConfig(environment()));
  for (const { id, method, idempotent = false } of operations) {
    assert.equal(idempotent, method === "POST", id);
  }
});

Deno.test("repeating any POST returns the first response in one round trip and writes nothing", async () => {
  await using database = watchedStack();
  const posts = routes.filter(({ method }) => method === "POST");
  assert.ok(posts.length >= 4);
  const request = await ownGateway(database.url);
  await request(all, "GET", "/pipelines");
  await until(() => database.seen.length >= 2); // the API key's use is recorded before the test begins
  for (const route of posts) {
    const headers = { "Idempotency-Key": anyKey() };
    const ask = () => request(all, "POST", route.path(company), body, headers);
    const body = route.body?.(company);
    const first = await ask();
    assertFirst(first, route.success);
    const rows = await snapshot(company.id);
    database.seen.length = 0;
    assertReplayed(await ask(), first);
    assert.deepEqual(database.seen, [{ method: "POST", path: `/rest/v1/${route.asks}` }]);
    assert.deepEqual(await snapshot(company.id), rows, route.pattern);
    // After a restart or a deployment, a new gateway instance responds. This instance has not seen
    // the company's API key yet.
    const elsewhere = await ownGateway(database.url);
    assertReplayed(await elsewhere(all, "POST", route.path(company), body, headers), first);
  }
});

Deno.test("a request without an idempotency key is carried out every time", async () => {
  const json = dealOf(company, anyKey());
  for (const _ of [1, 2]) assertFirst(await call(write, "POST", "/deals", { json }));
  assert.equal(await dealsNamed(company, json.title), 2);
});

Deno.test("the same idempotency key may be used by other companies and on other paths", async () => {
  const key = anyKey();
  const json = dealOf(company, key);
  const first = await post(write, "/deals", json, key);
  assertFirst(first);
  assertReplayed(await post(all, "/deals", json, key), first);
  assertFirst(await post(write, "/deals/batch", { items: [json] }, key), 200);
  const theirs = await post(other.keys.write, "/deals", dealOf(other, key), key);
  assertFirst(theirs);
  assert.notEqual(theirs.body.data.id, first.body.data.id);
  assertReplayed(await post(write, "/deals", json, key), first);
});

Deno.test("the response to an API key without the scope reveals nothing about earlier requests", async () => {
  const [used, unused] = [anyKey(), anyKey()];
  const json = dealOf(company, used);
  assertFirst(await post(write, "/deals", json, used));
  for (const apiKey of [read, messaging]) {
    const answers = [
      await post(apiKey, "/deals", json, used),
      await post(apiKey, "/deals", { ...json, title: "Other" }, used),
      await post(apiKey, "/deals", json, unused),
      await post(apiKey, "/deals", json, "not a key"),
    ];
    for (const { status, body: { error, code } } of answers) {
      assert.deepEqual([status, code], [403, "insufficient_scope"]);
      assert.equal(error, "This API key does not have write permission");
    }
  }
  assertFirst(await post(write, "/deals", { ...json, title: unused }, unused));
});

Deno.test("a repeat with another body or with other parameters is refused and writes nothing", async () => {
  const key = anyKey();
  const json = { ...dealOf(company, key), value: 100 };
  const first = await post(write, "/deals", json, key);
  const { value: _, ...shorter } = json;
  for (const changed of [{ ...json, value: 101 }, { ...json, value: null }, shorter]) {
    const answer = await post(write, "/deals", changed, key);
    assertCode(answer, 422, "idempotency_key_reused");
    assert.match(answer.body.error, /another body or other parameters, so nothing was done/);
  }
  assertReplayed(await post(write, "/deals", json, key), first);

  const batch = { items: [json] };
  const firstBatch = await post(write, "/deals/batch", batch, key);
  const others: [string, unknown][] = [
    ["?atomic=true", batch],
    ["", { items: [json, json] }],
    ["", { items: [{ ...json, title: "" }] }],
  ];
  for (const [query, changed] of others) {
    const answer = await post(write, `/deals/batch${query}`, changed, key);
    assertCode(answer, 422, "idempotency_key_reused");
  }
  const contacts = { items: [{ phone: anyPhone() }] };
  const put = await post(write, "/contacts/batch?on_conflict=update", contacts, key);
  assertFirst(put, 200);
  for (const query of ["", "?on_conflict=keep", "?on_conflict=update&atomic=true"]) {
    const answer = await post(write, `/contacts/batch${query}`, contacts, key);
    assertCode(answer, 422, "idempotency_key_reused");
  }
  // A request that explicitly states the default value of a parameter counts as the same request. In
  // the body, a default value makes the request different.
  assertReplayed(await post(write, "/deals/batch?atomic=false", batch, key), firstBatch);
  const contact = { phone: anyPhone() };
  const created = await post(write, "/contacts", contact, key);
  assertFirst(created, 201);
  const { temperature } = created.body.data;
  const explicit = await post(write, "/contacts", { ...contact, temperature }, key);
  assertCode(explicit, 422, "idempotency_key_reused");
  assert.equal(await dealsNamed(company, key), 2);
});

Deno.test("operations that use idempotency keys refuse a malformed key, and reads ignore the header", async () => {
  for (const key of ["", "two words", `"`.repeat(300), "é"]) {
    const answer = await post(write, "/deals", dealOf(company, "No"), key);
    assertField(answer, "Idempotency-Key", /^must have 1 to 255 visible ASCII characters/);
    const headers = { "Idempotency-Key": key };
    assert.equal((await call(all, "GET", "/deals", { headers })).status, 200);
  }
  const unknown = await post("sk_live_unknown", "/deals", {}, "two words");
  assertCode(unknown, 401, "invalid_api_key");
  assert.equal(await dealsNamed(company, "No"), 0);
});

Deno.test("a repeat returns the current record", async () => {
  const key = anyKey();
  const json = dealOf(company, key);
  const first = await post(write, "/deals", json, key);
  const path = `/deals/${first.body.data.id}`;
  const changed = await call(write, "PATCH", path, { json: { title: "Changed", status: "won" } });
  const repeat = await post(write, "/deals", json, key);
  assert.deepEqual([repeat.status, isReplayed(repeat)], [201, true]);
  assert.deepEqual(repeat.body, changed.body);
  assert.equal(repeat.headers.get("ETag"), changed.headers.get("ETag"));
});

Deno.test("if the record was deleted, a repeat returns a 404 that mentions the deletion and creates no record", async () => {
  const key = anyKey();
  const [json, batch] = [dealOf(company, key), { items: [1, 2].map(() => dealOf(company, key)) }];
  const first = await post(write, "/deals", json, key);
  const many = await post(write, "/deals/batch", batch, key);
  const [gone, left] = many.body.data;
  await statement`delete from deals where id = any (${[first.body.data.id, gone.data.id]})`;
  const SINCE =
    "the first request with this Idempotency-Key wrote it, and it has been deleted since";
  const repeat = await post(write, "/deals", json, key);
  assert.deepEqual([repeat.status, repeat.body.code], [404, "not_found"]);
  assert.equal(repeat.body.error, `Deal not found: ${SINCE}`);

  const repeats = await post(write, "/deals/batch", batch, key);
  assert.deepEqual([repeats.status, isReplayed(repeats)], [200, true]);
  assert.deepEqual(repeats.body, {
    data: [
      { index: 0, status: 404, error: { error: `Deal not found: ${SINCE}`, code: "not_found" } },
      left,
    ],
    summary: { total: 2, created: 1, updated: 0, unchanged: 0, failed: 1 },
  });
  assert.equal(await dealsNamed(company, key), 1);
});

Deno.test("a repeat of a batch returns the same result for each item", async () => {
  const key = anyKey();
  const unknown = { ...dealOf(company, key), contact_id: crypto.randomUUID() };
  const json = { items: [dealOf(company, key), unknown, { title: "" }, dealOf(company, key)] };
  const first = await post(write, "/deals/batch", json, key);
  assertFirst(first, 200);
  const statuses = first.body.data.map(({ status }: { status: number }) => status);
  assert.deepEqual(statuses, [201, 422, 422, 201]);
  assertReplayed(await post(write, "/deals/batch", json, key), first);
  // A batch in which every item fails also counts as carried out.
  const none = { items: [unknown, { title: "" }] };
  const second = await post(write, "/deals/batch", none, `${key}-none`);
  assertFirst(second, 200);
  assertReplayed(await post(write, "/deals/batch", none, `${key}-none`), second);
  assert.equal(await dealsNamed(company, key), 2);
});

Deno.test("the idempotency key of a failed request can be used again", async () => {
  const key = anyKey();
  const good = dealOf(company, key);
  const wrong = { ...good, contact_id: crypto.randomUUID() };
  assertField(await post(write, "/deals", wrong, key), "contact_id");
  assertField(await post(write, "/deals", { ...good, title: 5 }, key), "title");
  assertFirst(await post(write, "/deals", good, key));

  const atomic = "/deals/batch?atomic=true";
  assertField(await post(write, atomic, { items: [good, wrong] }, key), "items.1.contact_id");
  assertFirst(await post(write, atomic, { items: [good] }, key), 200);

  const contact = { phone: anyPhone(), name: key };
  const [{ id }] = await statement`
    insert into contacts (company_id, phone) values (${company.id}, ${contact.phone}) returning id
  `;
  const conflict = await post(write, "/contacts", contact, key);
  assertCode(conflict, 409, "conflict");
  assert.equal(conflict.body.existing_id, id);
  await statement`delete from contacts where id = ${id}`;
  const created = await post(write, "/contacts", contact, key);
  assertFirst(created);
  assertReplayed(await post(write, "/contacts", contact, key), created);

  await using away = watchedStack(() => new Response(null, { status: 503 }));
  const request = await ownGateway(away.url);
  const headers = { "Idempotency-Key": `${key}-away` };
  await logged(async () => {
    const answer = await request(write, "POST", "/deals", good, headers);
    assertCode(answer, 503, "database_unavailable");
    assert.equal(
      answer.body.error,
      "The database does not answer; the change may have been made, so repeat the request with the same " +
        "Idempotency-Key: the change is made only once",
    );
  });
  assertFirst(await post(write, "/deals", good, headers["Idempotency-Key"]));
  assert.equal(await dealsNamed(company, key), 3);
});

Deno.test("an idempotency key can be used again after 24 hours", async () => {
  const key = anyKey();
  const json = dealOf(company, key);
  const first = await post(write, "/deals", json, key);
  const age = (interval: string) =>
    statement`
      update idempotency_keys set made_at = now() - ${interval}::interval where key = ${key}
    `;
  await age("23:59");
  assertReplayed(await post(write, "/deals", json, key), first);
  await age("24:01");
  const changed = { ...json, value: 1 };
  const second = await post(write, "/deals", changed, key);
  assertFirst(second);
  assert.notEqual(second.body.data.id, first.body.data.id);
  assertReplayed(await post(write, "/deals", changed, key), second);
});
