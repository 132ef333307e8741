import assert from "node:assert/strict";
import { newCompany, newCompanyWithTemplate, newKey } from "../support/company.ts";
import { call } from "../support/calls.ts";
import { ownGateway, watchedStack } from "../support/own_functions.ts";
import { changesRoutes, idRoutes, routes } from "../support/routes.ts";
import { until } from "../support/started.ts";
import { asSuperuser, statement, withDatabase } from "../support/test_stack.ts";

Deno.test("a deactivated key is refused from the next request on, on every route", async () => {
  const company = await newCompanyWithTemplate();
  const request = (route: typeof routes[number]) =>
    call(company.keys.all, route.method, route.path(company), { json: route.body?.(company) });
  for (const route of routes) assert.ok((await request(route)).status < 300);
  await statement`update api_keys set is_active = false where company_id = ${company.id}`;
  for (const route of routes) {
    const { status, body } = await request(route);
    const name = `${route.method} ${route.pattern}`;
    assert.deepEqual([status, body.code], [401, "invalid_api_key"], name);
  }
});

Deno.test("a deactivated key is refused even if the requested list has no rows", async () => {
  const { id, key } = await asSuperuser((sql) =>
    sql.begin(async (sql) => {
      const [{ id }] = await sql`insert into companies (name) values ('Empty') returning id`;
      // This setting turns off all triggers, including the trigger that protects the default
      // pipeline. Without triggers, deleting a pipeline does not delete its stages.
      await sql`set local session_replication_role = replica`;
      await sql`delete from stages where company_id = ${id}`;
      await sql`delete from pipelines where company_id = ${id}`;
      await sql`set local session_replication_role = origin`;
      return { id, key: await newKey(sql, id, ["read"]) };
    })
  );
  const lists = [
    ...["/contacts", "/deals", "/pipelines", "/stages", "/conversations"],
    ...changesRoutes.map(({ pattern }) => pattern),
  ];
  for (const list of lists) {
    const { status, body } = await call(key, "GET", list);
    assert.deepEqual([status, body.data], [200, []]);
  }
  await statement`update api_keys set is_active = false where company_id = ${id}`;
  for (const list of lists) {
    const { status, body } = await call(key, "GET", list);
    assert.deepEqual([status, body.code], [401, "invalid_api_key"], list);
  }
});

Deno.test("if the database returns no rows, the gateway checks the key separately", async () => {
  const company = await newCompanyWithTemplate();
  // Postgres evaluates a policy for each row. If there are no rows, Postgres may skip the policy
  // and return an empty list.
  await using database = watchedStack((request) =>
    request.url.includes("/rpc/") ? null : Response.json([])
  );
  const request = await ownGateway(database.url);
  const wrong = `sk_live_${"x".repeat(43)}`;
  for (const route of routes) {
    const { method, asks, path, body, scope, isFile } = route;
    // A database function that writes or finds one row returns a row or an error, never an empty
    // list.
    const isFound = asks.startsWith("rpc/") && (method !== "GET" || idRoutes.includes(route));
    if (isFound || scope === "any" || isFile) continue;
    const at = (key: string) => request(key, method, path(company), body?.(company));
    assert.equal((await at(company.keys.all)).status, idRoutes.includes(route) ? 404 : 200);
    assert.deepEqual((await at(wrong)).body.code, "invalid_api_key");
    assert.deepEqual((await at(company.keys.messaging)).body.code, "insufficient_scope");
  }
});

Deno.test("after a scope is removed from a key, the next request no longer has the scope", async () => {
  const company = await newCompany();
  const json = { status: "won" };
  const update = () => call(company.keys.all, "PATCH", `/deals/${company.deal_id}`, { json });
  assert.equal((await update()).status, 200);
  await statement`update api_keys set scopes = '{read}' where company_id = ${company.id}`;
  const refused = await update();
  assert.deepEqual(
    [refused.status, refused.body.error],
    [403, "This API key does not have write permission"],
  );
});

Deno.test("the gateway records the use of an accepted key, even for a read, but never the use of a refused key", async () => {
  const { id, keys } = await newCompany();
  assert.equal((await call(keys.read, "GET", "/contacts")).status, 200);
  assert.equal((await call(keys.messaging, "GET", "/contacts")).status, 403);
  const used = () =>
    withDatabase(async (sql) =>
      (await sql`
        select scopes[1] as scope from api_keys
        where company_id = ${id} and last_used_at is not null and cardinality(scopes) = 1
      `).map(({ scope }) => scope)
    );
  // The gateway records a key's use after the response, so that no caller waits for this write.
  await until(async () => (await used()).length > 0);
  assert.deepEqual(await used(), ["read"]);
});
