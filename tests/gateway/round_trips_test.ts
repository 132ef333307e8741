import assert from "node:assert/strict";
import { breakingServer } from "../support/breaking_server.ts";
import { newCompany, newCompanyWithTemplate } from "../support/company.ts";
import { logged } from "../support/log_lines.ts";
import { backgroundWork, ownGateway, watchedStack } from "../support/own_functions.ts";
import { routes } from "../support/routes.ts";
import { until } from "../support/started.ts";

Deno.test("a successful request needs exactly one database round trip, on every route", async () => {
  const company = await newCompanyWithTemplate();
  await using database = watchedStack();
  const request = await ownGateway(database.url);
  // The gateway records a key's use at most once in five minutes, after the response. So only this
  // first request causes an additional statement.
  await request(company.keys.all, "GET", "/pipelines");
  await until(() => database.seen.length >= 2);
  assert.deepEqual(database.seen.map(({ path }) => path), [
    "/rest/v1/own_plain_pipelines",
    "/rest/v1/rpc/authenticate",
  ]);

  // An export reads each type of record separately.
  for (const route of routes.filter(({ pattern }) => !pattern.endsWith("/export"))) {
    database.seen.length = 0;
    const { status } = await request(
      company.keys.all,
      route.method,
      route.path(company),
      route.body?.(company),
    );
    assert.ok(status < 300);
    const isCall = route.asks.startsWith("rpc/") && route.method !== "GET";
    const method = isCall ? "POST" : route.method;
    assert.deepEqual(database.seen, [{ method, path: `/rest/v1/${route.asks}` }]);
  }
  // The gateway reports the key's usage later, in one report for all of these requests.
  assert.deepEqual(database.told, []);
  await backgroundWork();
  assert.equal(database.told.length, 1);
});

Deno.test("a conditional change and a merge patch each need one round trip", async () => {
  const { keys, contact_id } = await newCompany();
  await using database = watchedStack();
  const request = await ownGateway(database.url);
  const path = `/contacts/${contact_id}`;
  const { version } = (await request(keys.all, "GET", path)).body.data;
  await until(() => database.seen.length >= 2); // the key's use is recorded once
  database.seen.length = 0;
  const patch = { custom_fields: { a: { b: 1 } } };
  const headers = {
    "Content-Type": "application/merge-patch+json",
    "If-Match": `"${version}"`,
  };
  assert.equal((await request(keys.all, "PATCH", path, patch, headers)).status, 200);
  assert.deepEqual(database.seen, [{ method: "PATCH", path: "/rest/v1/contacts" }]);
});

Deno.test("a batch of 500 items needs one round trip, and a second round trip if the gateway does not know the key yet", async () => {
  const { keys, contact_id, stage_ids } = await newCompany();
  await using database = watchedStack();
  const request = await ownGateway(database.url);
  const items = Array.from({ length: 500 }, (_, number) => {
    return { title: `Deal ${number}`, contact_id, stage_id: stage_ids[0] };
  });
  for (const judged of [["/rest/v1/rpc/authenticate"], []]) {
    database.seen.length = 0;
    const { status, body } = await request(keys.all, "POST", "/deals/batch", { items });
    assert.deepEqual([status, body.summary.created], [200, 500]);
    const paths = database.seen.map(({ path }) => path);
    assert.deepEqual(paths, [...judged, "/rest/v1/rpc/write_deals"]);
  }
});

Deno.test("the service does not repeat a request that fails in the database", async () => {
  const company = await newCompany();
  await using database = watchedStack(() => Response.json({ message: "busy" }, { status: 503 }));
  const request = await ownGateway(database.url);
  await logged(async () => {
    assert.equal((await request(company.keys.all, "GET", "/contacts")).status, 503);
  });
  assert.equal(database.seen.length, 1);
});

Deno.test("if the connection breaks during a write, the service does not repeat the write", async () => {
  const company = await newCompany();
  await using database = breakingServer();
  const request = await ownGateway(database.url);
  const { contact_id, stage_ids } = company;
  const deal = { title: "Once", contact_id, stage_id: stage_ids[0] };
  await logged(async () => {
    assert.equal((await request(company.keys.all, "POST", "/deals", deal)).status, 503);
  });
  assert.equal(database.requests, 1);
});

Deno.test("refusing a key needs one round trip, and refusing a value that does not look like a key needs none", async () => {
  const company = await newCompany();
  await using database = watchedStack();
  const request = await ownGateway(database.url);
  assert.equal((await request("sk_live_wrong", "GET", "/contacts")).status, 401);
  assert.equal(database.seen.length, 1);
  assert.equal((await request("not a key", "GET", "/contacts")).status, 401);
  assert.equal(database.seen.length, 1);
  assert.equal((await request(company.keys.read, "POST", "/contacts", {})).status, 403);
  assert.deepEqual(database.seen[1], { method: "POST", path: "/rest/v1/rpc/authenticate" });
});
