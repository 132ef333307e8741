import assert from "node:assert/strict";
import { newCompanyWithTemplate, newKey } from "../support/company.ts";
import { type Answer, call, send } from "../support/calls.ts";
import { ownGateway } from "../support/own_functions.ts";
import { isOfBatch, pageRoutes, type Route, routes } from "../support/routes.ts";
import { stack, withDatabase } from "../support/test_stack.ts";

const company = await newCompanyWithTemplate();

function request(route: Route, key: string | null, headers: Record<string, string> = {}) {
  const json = route.body?.(company);
  return call(key, route.method, route.path(company), { json, headers });
}

function assertError(answer: Answer, status: number, code: string, error: string) {
  assert.deepEqual(
    { status: answer.status, code: answer.body.code, error: answer.body.error },
    { status, code, error },
  );
  assert.deepEqual(answer.body.request_id, answer.headers.get("X-Request-Id"));
}

Deno.test("the operations with a key are those of the specification", () => {
  assert.deepEqual(routes.map(({ method, pattern }) => `${method} ${pattern}`).sort(), [
    "DELETE /contacts/:id",
    "DELETE /deals/:id",
    "DELETE /pipelines/:id",
    "DELETE /stages/:id",
    "GET /contacts",
    "GET /contacts/:id",
    "GET /contacts/:id/export",
    "GET /contacts/changes",
    "GET /conversations",
    "GET /conversations/:id",
    "GET /conversations/:id/messages",
    "GET /conversations/changes",
    "GET /deals",
    "GET /deals/:id",
    "GET /deals/:id/history",
    "GET /deals/changes",
    "GET /members",
    "GET /members/:id",
    "GET /messages/:id",
    "GET /messages/changes",
    "GET /pipelines",
    "GET /pipelines/:id",
    "GET /search",
    "GET /sends",
    "GET /sends/:message_id",
    "GET /stages",
    "GET /stages/:id",
    "GET /teams",
    "GET /teams/:id",
    "GET /templates",
    "GET /templates/:id",
    "PATCH /contacts/:id",
    "PATCH /contacts/batch",
    "PATCH /conversations/:id",
    "PATCH /deals/:id",
    "PATCH /deals/batch",
    "PATCH /pipelines/:id",
    "PATCH /stages/:id",
    "POST /contacts",
    "POST /contacts/:id/erase",
    "POST /contacts/:id/merge",
    "POST /contacts/:id/restore",
    "POST /contacts/batch",
    "POST /deals",
    "POST /deals/:id/restore",
    "POST /deals/batch",
    "POST /pipelines",
    "POST /stages",
    "PUT /contacts",
  ]);
});

for (const route of routes) {
  const name = `${route.method} ${route.pattern}`;

  Deno.test(`${name} succeeds with a key that has only the ${route.scope} scope`, async () => {
    const answer = await request(route, company.keys[route.scope]);
    assert.deepEqual(answer.status, route.success);
    const isList = pageRoutes.includes(route) || isOfBatch(route) ||
      ["/search", "/sends"].includes(route.pattern);
    assert.deepEqual(Array.isArray(answer.body.data), isList);
  });

  Deno.test(`${name} accepts the key in X-Api-Key too`, async () => {
    const answer = await request(route, null, { "X-Api-Key": company.keys.all });
    assert.deepEqual(answer.status, route.success);
  });

  Deno.test(`${name} answers 401 without a key`, async () => {
    assertError(await request(route, null), 401, "missing_api_key", "Missing API key");
  });

  Deno.test(`${name} answers 401 to a wrong, an inactive, an expired and a deleted key`, async () => {
    const [inactive, expired, deleted] = await withDatabase(async (sql) =>
      await sql.begin(async (sql) => {
        const keys = [];
        for (let i = 0; i < 3; i++) keys.push(await newKey(sql, company.id, ["read", "write"]));
        const hash = (key: string) => sql`encode(sha256(convert_to(${key}, 'UTF8')), 'hex')`;
        await sql`update api_keys set is_active = false where key_hash = ${hash(keys[0])}`;
        await sql`update api_keys set expires_at = now() where key_hash = ${hash(keys[1])}`;
        await sql`delete from api_keys where key_hash = ${hash(keys[2])}`;
        return keys;
      })
    );
    const wrong = `sk_live_${"x".repeat(43)}`;
    for (const key of [wrong, inactive, expired, deleted, "sk_live_", "sk_test_x", "Ünïcode"]) {
      const answer = await request(route, null, { "X-Api-Key": encodeURIComponent(key) });
      assertError(answer, 401, "invalid_api_key", "Invalid or expired API key");
    }
  });

  Deno.test(`${name} answers 403 to a key without the ${route.scope} scope`, async () => {
    for (const scope of ["read", "write", "messaging"] as const) {
      if (scope === route.scope) continue;
      const answer = await request(route, company.keys[scope]);
      const sentence = `This API key does not have ${route.scope} permission`;
      assertError(answer, 403, "insufficient_scope", sentence);
    }
  });

  // The request goes to the function itself, because a platform may add headers of its own.
  Deno.test(`${name} has no CORS headers, since keys do not live in browsers`, async () => {
    const ask = await ownGateway(stack.url);
    for (const key of [company.keys.all, "none"]) {
      const { headers } = await ask(key, route.method, route.path(company), route.body?.(company));
      const names = [...headers.keys()].filter((name) => name.startsWith("access-control-"));
      assert.deepEqual(names, []);
    }
  });

  Deno.test(`${name} gives every answer a request id and Cache-Control: no-store`, async () => {
    for (const key of [company.keys.all, null]) {
      const answer = await request(route, key);
      assert.match(answer.headers.get("X-Request-Id")!, /^[0-9a-f-]{36}$/);
      assert.deepEqual(answer.headers.get("Cache-Control"), "no-store");
    }
    for (const id of ["a", "x".repeat(128), "~!@#$%^&*()"]) {
      const answer = await request(route, company.keys.all, { "X-Request-Id": id });
      assert.deepEqual(answer.headers.get("X-Request-Id"), id);
    }
    for (const id of ["", "x".repeat(129), "two words", "ümlaut"]) {
      const answer = await request(route, company.keys.all, { "X-Request-Id": id });
      assert.match(answer.headers.get("X-Request-Id")!, /^[0-9a-f-]{36}$/);
    }
  });
}

const patterns = [...new Set(routes.map(({ pattern }) => pattern))];

for (const pattern of patterns) {
  const same = routes.filter((route) => route.pattern === pattern);
  const path = same[0].path(company);
  const taken = same.map(({ method }) => method);
  const allow = taken.flatMap((method) => method === "GET" ? ["GET", "HEAD"] : [method]).join(", ");

  Deno.test(`${pattern} answers 405 with Allow to any other method, after judging key and scope`, async () => {
    for (const method of ["GET", "POST", "PATCH", "PUT", "DELETE", "OPTIONS"]) {
      if (taken.includes(method)) continue;
      const answer = await call(company.keys.all, method, path);
      assert.deepEqual([answer.status, answer.body.code], [405, "method_not_allowed"]);
      assert.deepEqual(answer.headers.get("Allow"), allow);
      assert.deepEqual((await call(null, method, path)).status, 401);
    }
    if (taken.includes("DELETE")) return;
    const readOnly = await call(company.keys.read, "DELETE", path);
    assertError(
      readOnly,
      403,
      "insufficient_scope",
      "This API key does not have write permission",
    );
  });
}

Deno.test("HEAD answers as GET does, without the body", async () => {
  const response = await fetch(`${stack.gateway_url}/contacts`, {
    method: "HEAD",
    headers: { "X-Api-Key": company.keys.read },
  });
  assert.deepEqual([response.status, await response.text()], [200, ""]);
});

Deno.test("an unknown path answers 404 to a valid key, and 401 to any other", async () => {
  for (
    const path of ["", "/", "/nothing", "/contacts/", "/contacts/x/y", "/Contacts", "/messages"]
  ) {
    const answer = await call(company.keys.read, "GET", path);
    assert.deepEqual([answer.status, answer.body.code], [404, "route_not_found"], path);
    assert.deepEqual((await call(null, "GET", path)).body.code, "missing_api_key");
    assert.deepEqual((await call("sk_live_wrong", "GET", path)).body.code, "invalid_api_key");
  }
});

Deno.test("a bearer value of another kind gives way to X-Api-Key", async () => {
  const url = `${stack.gateway_url}/pipelines`;
  const key = company.keys.read;
  const good = [
    { Authorization: "Bearer eyJhbGciOi.someone.else", "X-Api-Key": key },
    { Authorization: "Basic dXNlcjpwYXNz", "X-Api-Key": key },
    { Authorization: `bearer ${key}` },
    { Authorization: `BEARER   ${key}` },
    { Authorization: `Bearer ${key}`, "X-Api-Key": "sk_live_wrong" },
  ];
  for (const headers of good) {
    assert.deepEqual((await send(url, "GET", headers as Record<string, string>)).status, 200);
  }
  const bad = [
    { Authorization: "Bearer eyJhbGciOi.someone.else" },
    { Authorization: key },
    { Authorization: `Basic ${key}` },
    { Authorization: "" },
    { "X-Api-Key": "" },
    { Authorization: "Bearer sk_live_wrong", "X-Api-Key": key },
  ];
  for (const headers of bad) {
    const answer = await send(url, "GET", headers as Record<string, string>);
    assert.deepEqual([answer.status, answer.body.code], [401, "invalid_api_key"]);
  }
});
