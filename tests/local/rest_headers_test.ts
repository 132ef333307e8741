// Tests the request data that the local stack's Data API passes to the database.
import assert from "node:assert/strict";
import { startDataApi } from "./lite.ts";

const { api, end } = await startDataApi(`
  create view seen as select current_setting('request.method', true) as method,
    current_setting('request.path', true) as path, current_setting('request.headers', true)::json as headers;
  create function told() returns setof seen language sql stable as 'select * from seen';
  grant select on seen to authenticated;
`);
Deno.test.afterAll(end);

const HEADERS = {
  "X-Forwarded-For": "203.0.113.9, 198.51.100.1",
  "X-Real-IP": "203.0.113.9",
  "CF-Connecting-IP": "203.0.113.9",
  "X-Client-Info": "settings",
  Cookie: "a=1",
  Prefer: "return=representation",
};

Deno.test("every statement can read the request data, even outside a function", async () => {
  const answers = await Promise.all([
    api("/seen?select=method,path,headers", { headers: HEADERS }),
    api("/rpc/told", { method: "POST", json: {}, headers: HEADERS }),
  ]);
  const [seen, told] = answers.map(({ body: [row] }) => row);
  assert.deepEqual([seen.method, seen.path], ["GET", "/seen"]);
  assert.deepEqual([told.method, told.path], ["POST", "/rpc/told"]);
  for (const { headers } of [seen, told]) {
    assert.equal(headers["x-client-info"], "settings");
    assert.match(headers.authorization, /^Bearer /);
    assert.equal(headers.cookie, undefined);
  }
});

Deno.test("the Data API passes on the connection's IP address, even if a header names another address", async () => {
  const { body: [{ headers }] } = await api("/rpc/told", { headers: HEADERS });
  assert.equal(headers["x-forwarded-for"], "127.0.0.1");
  assert.deepEqual([headers["x-real-ip"], headers["cf-connecting-ip"]], [undefined, undefined]);
});

Deno.test("a page from any origin may send requests, and can read the reason for a refusal", async () => {
  const ask = {
    method: "OPTIONS",
    headers: {
      Origin: "https://settings.example.com",
      "Access-Control-Request-Method": "POST",
      "Access-Control-Request-Headers": "apikey,content-profile",
    },
  };
  const { status, headers } = await api("/rpc/needs_parameters", ask);
  assert.deepEqual([status, headers.get("Access-Control-Allow-Origin")], [200, "*"]);
  assert.match(headers.get("Access-Control-Allow-Headers")!, /apikey,content-profile/);
  const early = await api("/seen", { claims: { role: "authenticated", nbf: 4e9 } });
  assert.equal(early.body.code, "PGRST303");
  assert.equal(early.headers.get("Access-Control-Allow-Origin"), "*");
});
