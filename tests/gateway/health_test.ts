import assert from "node:assert/strict";
import { RELEASE } from "../../supabase/functions/_shared/release.ts";
import { newCompany } from "../support/company.ts";
import { call } from "../support/calls.ts";
import { logged } from "../support/log_lines.ts";
import { ownGateway, watchedStack } from "../support/own_functions.ts";

Deno.test("the health check needs no key, and returns the version while the database responds", async () => {
  for (const key of [null, "sk_live_wrong"]) {
    const { status, body, headers } = await call(key, "GET", "/health");
    assert.deepEqual([status, body], [200, { data: { status: "ok", version: RELEASE } }]);
    assert.equal(headers.get("Cache-Control"), "no-store");
    assert.ok(headers.get("X-Request-Id"));
  }
});

Deno.test("the health check needs one round trip, and a failing or hanging database causes a 503 and a log line", async () => {
  const stuck = Promise.withResolvers<Response>();
  const answers: [(() => Response | Promise<Response>) | null, number][] = [
    [null, 200],
    [() => Response.json({ message: "no" }, { status: 503 }), 503],
    [() => stuck.promise, 503],
  ];
  for (const [answer, expected] of answers) {
    await using database = watchedStack(() => answer?.() ?? null);
    // The timeout is short only for the database that hangs.
    const request = await ownGateway(database.url, answer === answers[2][0] ? 100 : 10_000);
    const lines = await logged(async () => {
      const { status, body, headers } = await request("none", "GET", "/health");
      assert.equal(status, expected);
      if (expected === 200) return;
      assert.deepEqual(body, {
        error: "The database does not answer; ask again",
        code: "database_unavailable",
        request_id: headers.get("X-Request-Id"),
        version: RELEASE,
      });
    });
    assert.deepEqual(database.seen, [{ method: "POST", path: "/rest/v1/rpc/health" }]);
    assert.equal(lines.length, expected === 200 ? 0 : 1);
    if (answer === answers[2][0]) stuck.resolve(new Response());
  }
});

Deno.test("the health check queries the database at most once a second, even with many requests", async () => {
  const { now } = performance;
  let answered = Promise.withResolvers<null>();
  await using database = watchedStack(() => answered.promise);
  const request = await ownGateway(database.url);
  const ask = async () => (await request("none", "GET", "/health")).status;
  try {
    const began = Math.floor(now.call(performance)); // whole seconds, so that sums are exact
    performance.now = () => began;
    const asking = Array.from({ length: 20 }, ask);
    answered.resolve(null);
    assert.deepEqual(new Set(await Promise.all(asking)), new Set([200]));
    performance.now = () => began + 999;
    assert.equal(await ask(), 200);
    assert.equal(database.seen.length, 1);

    performance.now = () => began + 1000;
    answered = Promise.withResolvers();
    const later = [ask(), ask()];
    answered.resolve(null);
    assert.deepEqual(await Promise.all(later), [200, 200]);
    assert.equal(database.seen.length, 2);
  } finally {
    performance.now = now;
  }
});

Deno.test("the health check accepts no parameters and no other method", async () => {
  const query = await call(null, "GET", "/health?deep=1");
  assert.deepEqual([query.status, query.body.code], [422, "invalid_request"]);
  const { keys } = await newCompany();
  const post = await call(keys.all, "POST", "/health");
  assert.deepEqual([post.status, post.headers.get("Allow")], [405, "GET, HEAD"]);
  assert.equal((await call(null, "HEAD", "/health")).status, 200);
});
