// Tests the response at the gateway's base URL, and the server URL in its documents.
import assert from "node:assert/strict";
import { readGatewayConfig } from "../../supabase/functions/gateway/gateway_config.ts";
import { serverUrl } from "../../supabase/functions/_shared/http/address.ts";
import { gateway } from "../../supabase/functions/gateway/app.ts";
import { environment, stack } from "../support/test_stack.ts";

const welcome = (accept: string, path = "/") =>
  fetch(`${stack.gateway_url}${path}`, { headers: { Accept: accept } });

Deno.test("the gateway's base URL lists its documents and needs no key", async () => {
  for (const path of ["/", ""]) {
    const answer = await welcome("*/*", path);
    assert.equal(answer.headers.get("Cache-Control"), "no-store");
    const { data } = await answer.json();
    assert.equal(data.name, "CRM and messaging API");
    assert.equal(data.openapi, `${stack.gateway_url}/openapi.json`);
    assert.equal((await (await fetch(data.health)).json()).data.status, "ok");
  }
});

Deno.test("a browser receives a small page with links to the documents", async () => {
  const app = gateway(await readGatewayConfig({ ...environment(), DOCS_URL: "https://docs.test" }));
  const headers = { Accept: "text/html,*/*;q=0.8" };
  const answer = await app.fetch(new Request("http://edge/gateway/", { headers }));
  assert.equal(answer.headers.get("Content-Type"), "text/html; charset=utf-8");
  const page = await answer.text();
  assert.ok(page.length < 1000, `${page.length} characters`);
  assert.match(page, /href="https:\/\/docs\.test\/"/);
  assert.match(page, /href="[^"]+\/gateway\/openapi\.json"/);
});

Deno.test("a write to the gateway's base URL is refused in the same way as an unknown path", async () => {
  const answer = await fetch(`${stack.gateway_url}/`, { method: "POST" });
  assert.deepEqual([answer.status, (await answer.json()).code], [401, "missing_api_key"]);
});

Deno.test("a document contains the server URL from the request, but never a forged host", () => {
  const project = "https://abc.supabase.co";
  const local = "http://127.0.0.1:54321";
  const cases: [own: string, headers: Record<string, string>, expected: string][] = [
    [local, { Host: "localhost:8000" }, "http://localhost:8000"],
    [local, { Host: "[::1]:8000" }, "http://[::1]:8000"],
    [local, {}, local],
    [project, { Host: "edge-runtime.internal" }, project],
    [project, { "X-Forwarded-Host": "edge-runtime.supabase.com" }, project],
    [project, { "X-Forwarded-Host": "Edge-Runtime.Supabase.com:443, b" }, project],
    [
      project,
      { "X-Forwarded-Host": "api.shop.test, b", "X-Forwarded-Proto": "https" },
      "https://api.shop.test",
    ],
    ...['a"><script>', "a b", "a/b", "a@b", "?", ""].map((
      host,
    ): [string, Record<string, string>, string] => [
      project,
      { "X-Forwarded-Host": host, "X-Forwarded-Proto": "javascript" },
      project,
    ]),
  ];
  for (const [own, headers, expected] of cases) {
    const request = new Request("http://edge/gateway", { headers });
    assert.equal(serverUrl(request, own), `${expected}/functions/v1`, JSON.stringify(headers));
  }
});
