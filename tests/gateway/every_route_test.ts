import assert from "node:assert/strict";
import { newCompanyWithTemplate, newKey } from "../support/company.ts";
import { type Answer, call, send } from "../support/calls.ts";
import { ownGateway } from "../support/own_functions.ts";
import type { Scope } from "../../supabase/functions/_shared/key/token.ts";
import { isOfBatch, pageRoutes, type Route, routes } from "../support/routes.ts";
import { stack, withDatabase } from "../support/test_stack.ts";

const company = await newCompanyWithTemplate();
/** Keys of the company that are no longer valid. */
const [inactive, expired, deleted] = await withDatabase((sql) =>
  sql.begin(async (sql) => {
    const keys = [];
    for (let i = 0; i < 3; i++) keys.push(await newKey(sql, company.id, ["read", "write"]));
    const hash = (key: string) => sql`encode(sha256(convert_to(${key}, 'UTF8')), 'hex')`;
    await sql`update api_keys set is_active = false where key_hash = ${hash(keys[0])}`;
    await sql`update api_keys set expires_at = now() where key_hash = ${hash(keys[1])}`;
    await sql`delete from api_keys where key_hash = ${hash(keys[2])}`;
    return keys;
  })
);
/** Calls a gateway in this process, because a hosting platform may add headers of its own. */
const ask = await ownGateway(stack.url);

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

const SCOPES: Scope[] = ["read", "write", "messaging", "webhooks"];

for (const route of routes) {
  const name = `${route.method} ${route.pattern}`;

  const enough = route.scope === "any" ? SCOPES : [route.scope];

  Deno.test(`${name} succeeds with a key that has only the ${route.scope} scope`, async () => {
    for (const scope of enough) {
      const answer = await request(route, company.keys[scope]);
      assert.deepEqual(answer.status, route.success);
      if (route.isFile) continue;
      const isList = pageRoutes.includes(route) || isOfBatch(route) ||
        /^[/](search|events|webhooks([/]:id[/]deliveries)?)$/.test(route.pattern) &&
          route.method === "GET";
      assert.deepEqual(Array.isArray(answer.body.data), isList);
    }
  });

  Deno.test(`${name} returns a 401 without a key`, async () => {
    assertError(await request(route, null), 401, "missing_api_key", "Missing API key");
  });

  Deno.test(`${name} returns a 401 for an unknown, inactive, expired or deleted key`, async () => {
    const wrong = `sk_live_${"x".repeat(43)}`;
    for (const key of [wrong, inactive, expired, deleted]) {
      const answer = await request(route, null, { "X-Api-Key": key });
      assertError(answer, 401, "invalid_api_key", "Invalid or expired API key");
    }
  });

  Deno.test(`${name} returns a 403 for a key without the ${route.scope} scope`, async () => {
    for (const scope of SCOPES) {
      if (enough.includes(scope)) continue;
      const answer = await request(route, company.keys[scope]);
      const sentence = `This API key does not have ${route.scope} permission`;
      assertError(answer, 403, "insufficient_scope", sentence);
    }
  });

  Deno.test(`every response from ${name} has a request id and Cache-Control: no-store, but no CORS header`, async () => {
    for (const key of [company.keys.all, "none"]) {
      const { headers } = await ask(key, route.method, route.path(company), route.body?.(company));
      assert.match(headers.get("X-Request-Id")!, /^[0-9a-f-]{36}$/);
      assert.deepEqual(headers.get("Cache-Control"), "no-store");
      // There are no CORS headers, because browsers must not use API keys.
      const names = [...headers.keys()].filter((name) => name.startsWith("access-control-"));
      assert.deepEqual(names, []);
    }
  });
}

Deno.test("a response has the caller's request id if this id is safe to log, or else a new id", async () => {
  const answered = async (id: string) =>
    (await request(routes[0], company.keys.all, { "X-Request-Id": id })).headers.get(
      "X-Request-Id",
    )!;
  for (const id of ["a", "x".repeat(128), "~!@#$%^&*()"]) assert.equal(await answered(id), id);
  for (const id of ["", "x".repeat(129), "two words", "ümlaut"]) {
    assert.match(await answered(id), /^[0-9a-f-]{36}$/);
  }
});

const patterns = [...new Set(routes.map(({ pattern }) => pattern))];

for (const pattern of patterns) {
  const same = routes.filter((route) => route.pattern === pattern);
  const path = same[0].path(company);
  const taken = same.map(({ method }) => method);
  const allow = taken.flatMap((method) => method === "GET" ? ["GET", "HEAD"] : [method]).join(", ");

  Deno.test(`${pattern} checks the key and the scope, and then returns a 405 with Allow for any other method`, async () => {
    for (const method of ["GET", "POST", "PATCH", "PUT", "DELETE", "OPTIONS"]) {
      if (taken.includes(method)) continue;
      const answer = await call(company.keys.all, method, path);
      assert.deepEqual([answer.status, answer.body.code], [405, "method_not_allowed"]);
      assert.deepEqual(answer.headers.get("Allow"), allow);
      assert.deepEqual((await call(null, method, path)).status, 401);
    }
    if (taken.includes("DELETE")) return;
    const readOnly = await call(company.keys.read, "DELETE", path);
    assertError(readOnly, 403, "insufficient_scope", "This API key does not have write permission");
  });
}

Deno.test("HEAD returns the same response and length as GET, but without the body", async () => {
  const headers = { "X-Api-Key": company.keys.read };
  const paths = ["/contacts", `/contacts/${company.contact_id}/export`, "/nothing", "/", ""];
  for (const path of [...paths, "/openapi.json", "/health"]) {
    const url = `${stack.gateway_url}${path}`;
    const get = await fetch(url, { headers });
    const { byteLength } = await get.arrayBuffer();
    const head = await fetch(url, { method: "HEAD", headers });
    const length = head.headers.get("Content-Length");
    assert.deepEqual([head.status, await head.text()], [get.status, ""]);
    assert.equal(length, String(byteLength), path);
  }
});

Deno.test("an unknown path returns a 404 for a valid key and a 401 for any other key", async () => {
  const paths = ["/nothing", "/contacts/", "/contacts/x/y", "/Contacts", "/messages"];
  for (const path of paths) {
    const answer = await call(company.keys.read, "GET", path);
    assert.deepEqual([answer.status, answer.body.code], [404, "route_not_found"], path);
    assert.deepEqual((await call(null, "GET", path)).body.code, "missing_api_key");
    assert.deepEqual((await call("sk_live_wrong", "GET", path)).body.code, "invalid_api_key");
  }
});

Deno.test("`X-Api-Key` is used if the bearer token does not have the format of a key", async () => {
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
    ...["sk_live_", "sk_test_x", "%C3%9Cn%C3%AFcode"].map((wrong) => ({ "X-Api-Key": wrong })),
  ];
  for (const headers of bad) {
    const answer = await send(url, "GET", headers as Record<string, string>);
    assert.deepEqual([answer.status, answer.body.code], [401, "invalid_api_key"]);
  }
});
