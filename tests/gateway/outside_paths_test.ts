// Tests requests that match no operation. The tests call the gateway directly, without a host that
// checks the path first.
import assert from "node:assert/strict";
import { readGatewayConfig } from "../../supabase/functions/gateway/gateway_config.ts";
import { gateway } from "../../supabase/functions/gateway/app.ts";
import { newCompany } from "../support/company.ts";
import { later, logged } from "../support/log_lines.ts";
import { ownGateway, watchedStack } from "../support/own_functions.ts";
import { environment } from "../support/test_stack.ts";

Deno.test("a path that does not begin with the function's name is unknown", async () => {
  const app = gateway(await readGatewayConfig(environment()));
  const { keys } = await newCompany();
  for (const path of ["/", "/x", "/gatewayx", "//gateway/contacts", "/gateway%2Fcontacts"]) {
    for (const [key, status] of [[keys.read, 404], ["sk_live_wrong", 401]] as const) {
      const request = new Request(`http://edge${path}`, {
        headers: { "X-Api-Key": key, "X-Request-Id": "a" },
      });
      const answer = await app.fetch(request);
      assert.deepEqual([answer.status, answer.headers.get("X-Request-Id")], [status, "a"], path);
      assert.equal((await answer.json()).request_id, "a");
    }
  }
});

Deno.test("a 503 from a proxy with a numeric `code` is reported as an unavailable database, on every path", async () => {
  const { keys } = await newCompany();
  await using database = watchedStack(() =>
    Response.json({ code: 503, message: "no upstream" }, { status: 503 })
  );
  const request = await ownGateway(database.url);
  for (const path of ["/nothing", "/contacts"]) {
    const lines = await later(3600, () =>
      logged(async () => {
        const { status, body } = await request(keys.read, "GET", path);
        assert.deepEqual([status, body.code], [503, "database_unavailable"], path);
      }));
    assert.equal(JSON.parse(lines[0]).event, "database_unavailable");
  }
});
