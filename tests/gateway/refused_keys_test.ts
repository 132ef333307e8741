import assert from "node:assert/strict";
import { newCompany } from "../support/company.ts";
import { later, logged } from "../support/log_lines.ts";
import { ownGateway, watchedStack } from "../support/own_functions.ts";

const HOUR_S = 3600;
const KEY_ID = "5b1c6a54-0f0e-4d53-9d0c-6f1f0a1b2c3d";

/** Starts a gateway whose database refuses every API key with these error details. */
async function refusingGateway(code: "PT401" | "PT403", details: unknown) {
  const message = "This API key does not have read permission";
  const status = code === "PT401" ? 401 : 403;
  const database = watchedStack(() =>
    Response.json({ code, message, details, hint: null }, { status })
  );
  const request = await ownGateway(database.url);
  return {
    ask: (key: string, path = "/contacts") => request(key, "GET", path),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

Deno.test("if a known key is refused, the log contains the key's id, its hint and the reason, but the response does not", () =>
  later(1 * HOUR_S, async () => {
    const reasons = { inactive: "PT401", expired: "PT401", scope: "PT403" } as const;
    for (const [reason, code] of Object.entries(reasons)) {
      const facts = { key_id: KEY_ID, hint: "aB_9", reason };
      await using gateway = await refusingGateway(code, JSON.stringify(facts));
      const lines = await logged(async () => {
        const { headers, body } = await gateway.ask("sk_live_known");
        assert.deepEqual(Object.keys(body), ["error", "code", "request_id"]);
        assert.equal(body.request_id, headers.get("X-Request-Id"));
      });
      // The log line may have a `left_out` count of refusals from an earlier test in this process.
      const { request_id, left_out: _, ...line } = JSON.parse(lines[0]);
      assert.deepEqual([lines.length, line], [1, {
        level: "warn",
        event: "key_refused",
        method: "GET",
        path: "/gateway/contacts",
        code: code === "PT401" ? "invalid_api_key" : "insufficient_scope",
        ...facts,
      }]);
      assert.match(request_id, /^[0-9a-f-]{36}$/);
    }
  }));

Deno.test("an unknown key is never logged, whatever details the database returns and wherever the request contains the key", () =>
  later(2 * HOUR_S, async () => {
    const key = "sk_live_secretOfSomebody";
    const odd = [null, "", "no JSON", "[1]", "null", 7, { hint: "x" }];
    const details = [...odd, JSON.stringify({ key_id: key, hint: key, reason: key, key })];
    for (const each of details) {
      await using gateway = await refusingGateway("PT401", each);
      const lines = await logged(async () => {
        assert.equal((await gateway.ask(key, `/contacts/${key}`)).status, 401);
      });
      const { request_id: _, left_out: __, ...line } = JSON.parse(lines[0]);
      assert.deepEqual([lines.length, line], [1, {
        level: "warn",
        event: "key_refused",
        method: "GET",
        path: "/gateway/contacts/sk_live_…",
        code: "invalid_api_key",
      }], JSON.stringify(each));
    }
  }));

Deno.test("the log names at most 20 refused keys in ten seconds, and then the number of further refusals", () =>
  later(4 * HOUR_S, async (start) => {
    await using gateway = await refusingGateway("PT401", null);
    const refusedAt = async (ms: number, count: number) => {
      Date.now = () => start + ms;
      const lines = await logged(async () => {
        for (let asked = 0; asked < count; asked++) await gateway.ask("not a key");
      });
      return lines.map((line) => JSON.parse(line).left_out ?? 0);
    };
    assert.deepEqual(await refusedAt(0, 1), [0]);
    assert.deepEqual(await refusedAt(5_000, 30), Array(19).fill(0));
    assert.deepEqual(await refusedAt(9_999, 1), []);
    // The first of the twenty refusals was ten seconds ago, and the others are more recent.
    assert.deepEqual(await refusedAt(10_000, 3), [12]);
    assert.deepEqual(await refusedAt(15_000, 2), [2, 0]);
    // Logging continues after the clock is set back.
    assert.deepEqual(await refusedAt(-7_200_000, 1), [0]);
  }));

Deno.test("a request with an accepted key logs no refusal", async () => {
  const { keys } = await newCompany();
  await using database = watchedStack();
  const request = await ownGateway(database.url);
  const lines = await logged(async () => {
    assert.equal((await request(keys.read, "GET", "/contacts")).status, 200);
    assert.equal((await request(keys.read, "GET", "/nothing")).status, 404);
  });
  assert.deepEqual(lines, []);
});
