import assert from "node:assert/strict";
import { presentedKey } from "../../supabase/functions/_shared/key/presented_key.ts";
import { ApiError } from "../../supabase/functions/_shared/errors.ts";

Deno.test("the key is the bearer token if the token has the format of a key, or else the `X-Api-Key` header", () => {
  const good: [Record<string, string>, string][] = [
    [{ Authorization: "Bearer sk_live_a" }, "sk_live_a"],
    [{ Authorization: "bEaReR  sk_live_a" }, "sk_live_a"],
    [{ "X-Api-Key": "sk_live_b" }, "sk_live_b"],
    [{ Authorization: "Bearer sk_live_a", "X-Api-Key": "sk_live_b" }, "sk_live_a"],
    [{ Authorization: "Bearer eyJ.x.y", "X-Api-Key": "sk_live_b" }, "sk_live_b"],
    [{ Authorization: "Basic sk_live_a", "X-Api-Key": "sk_live_b" }, "sk_live_b"],
    [{ "X-Api-Key": "sk_live_".padEnd(255, "x") }, "sk_live_".padEnd(255, "x")],
  ];
  for (const [headers, key] of good) assert.equal(presentedKey(new Headers(headers)), key);
});

Deno.test("the key is missing if both headers are absent, and invalid if the value does not have the format of a key", () => {
  const bad: [Record<string, string>, string][] = [
    [{}, "missing_api_key"],
    [{ Authorization: "" }, "invalid_api_key"],
    [{ "X-Api-Key": "" }, "invalid_api_key"],
    [{ Authorization: "Bearer" }, "invalid_api_key"],
    [{ Authorization: "sk_live_a" }, "invalid_api_key"],
    [{ Authorization: "Bearer sk_test_a" }, "invalid_api_key"],
    [{ Authorization: "Bearer eyJ.x.y", "X-Api-Key": "nothing" }, "invalid_api_key"],
    [{ "X-Api-Key": "sk_live_".padEnd(256, "x") }, "invalid_api_key"],
    [{ Authorization: `Bearer ${"sk_live_".padEnd(60_000, "x")}` }, "invalid_api_key"],
  ];
  for (const [headers, code] of bad) {
    assert.throws(
      () => presentedKey(new Headers(headers)),
      (error) => error instanceof ApiError && error.code === code,
      JSON.stringify(headers).slice(0, 80),
    );
  }
});
