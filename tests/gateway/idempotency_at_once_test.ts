// Tests simultaneous requests with one Idempotency-Key, and a function that is killed before it
// responds.

import assert from "node:assert/strict";
import { anyPhone, newCompany } from "../support/company.ts";
import {
  anyKey,
  assertCode,
  assertFirst,
  assertReplayed,
  contactsNamed,
  dealOf,
  dealsNamed,
  isReplayed,
  post,
} from "../support/idempotent.ts";
import { logged } from "../support/log_lines.ts";
import { ownGateway, watchedStack } from "../support/own_functions.ts";
import { startFunction } from "../support/function_process.ts";
import { until } from "../support/started.ts";
import { withDatabase } from "../support/test_stack.ts";

const company = await newCompany();
const { write } = company.keys;

/**
 * A request that creates one contact, and a request that creates several deals. In each request,
 * the name or title of one record is the request's idempotency key.
 */
function writes() {
  const [one, many] = [anyKey(), anyKey()];
  return [
    {
      ...{ path: "/contacts", status: 201, key: one, json: { phone: anyPhone(), name: one } },
      written: () => contactsNamed(company, one),
    },
    {
      ...{ path: "/deals/batch", status: 200, key: many },
      json: { items: [dealOf(company, many), dealOf(company, "Another")] },
      written: () => dealsNamed(company, many),
    },
  ];
}

Deno.test("only one of fifty simultaneous requests with one idempotency key is carried out", async () => {
  for (const { path, status, json, written, key } of writes()) {
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => post(write, path, json, key)),
    );
    const done = answers.filter(({ status }) => status < 300);
    const [first, ...more] = done.filter((answer) => !isReplayed(answer));
    assert.deepEqual([first?.status, more.length], [status, 0]);
    for (const answer of done) if (answer !== first) assertReplayed(answer, first);
    for (const answer of answers.filter((answer) => !done.includes(answer))) {
      // On a slow machine, some requests wait too long for their turn.
      const isLate = answer.status === 429;
      if (!isLate) assertCode(answer, 409, "idempotency_in_progress");
      assert.equal(answer.headers.get("Retry-After"), isLate ? "2" : "1");
    }
    assert.equal(await written(), 1);
    assertReplayed(await post(write, path, json, key), first);
  }
});

Deno.test("repeats of a hanging request do not wait in the database and need one round trip each", async () => {
  const key = anyKey();
  const json = dealOf(company, key);
  await using database = watchedStack();
  const request = await ownGateway(database.url);
  const ask = () => request(company.keys.all, "POST", "/deals", json, { "Idempotency-Key": key });
  const reading = await request(company.keys.all, "GET", "/deals");
  assert.equal(reading.status, 200);
  await until(() => database.seen.length >= 2); // the API key's use is recorded before the test begins
  await withDatabase(async (sql) => {
    // These statements mark the first request as in progress, as the function `write_deals` does.
    await sql`begin`;
    const claimed = sql.json({ path: "/deals", key, fingerprint: "any" });
    await sql`select app.claim_idempotency_key(${company.id}, ${claimed})`;
    database.seen.length = 0;
    // The number of repeats exceeds the database connections and the limit for a company's
    // simultaneous requests. A repeat that waited for the first request would return a 503 after a
    // second, or a 429.
    const repeats = await Promise.all(Array.from({ length: 20 }, ask));
    for (const repeat of repeats) {
      assertCode(repeat, 409, "idempotency_in_progress");
      assert.equal(repeat.headers.get("Retry-After"), "1");
    }
    assert.equal(database.seen.length, 20);
    await sql`rollback`;
  });
  const first = await ask();
  assertFirst(first);
  assertReplayed(await ask(), first);
});

Deno.test("if the function is killed after the commit, a repeat returns the response of the first request", async () => {
  for (const { path, status, json, written, key } of writes()) {
    const started = Promise.withResolvers<() => Promise<void>>();
    await using database = watchedStack(async (request) => {
      if (!request.url.includes("/rpc/write_")) return null;
      await (await database.forward(request)).body?.cancel();
      await (await started.promise)();
      return new Response(null, { status: 503 });
    });
    await using gateway = await startFunction("gateway", { supabaseUrl: database.url });
    started.resolve(gateway.kill);
    await assert.rejects(fetch(gateway.url + path, {
      method: "POST",
      headers: { "X-Api-Key": write, "Content-Type": "application/json", "Idempotency-Key": key },
      body: JSON.stringify(json),
    }));
    assert.equal(await written(), 1);
    const repeat = await post(write, path, json, key);
    assert.deepEqual([repeat.status, isReplayed(repeat)], [status, true]);
    assertReplayed(await post(write, path, json, key), repeat);
    assert.equal(await written(), 1);
  }
});

Deno.test("if the database response is lost, a 503 asks the caller to repeat the request, and the repeat does not write again", async () => {
  const key = anyKey();
  const json = dealOf(company, key);
  await using database = watchedStack(async (request) => {
    if (!request.url.includes("/rpc/write_deals")) return null;
    await (await database.forward(request)).body?.cancel();
    return new Response(null, { status: 502 });
  });
  const request = await ownGateway(database.url);
  await logged(async () => {
    const lost = await request(write, "POST", "/deals", json, { "Idempotency-Key": key });
    assertCode(lost, 503, "database_unavailable");
    assert.match(lost.body.error, /may have been made, so repeat .* with the same Idempotency-Key/);
  });
  const repeat = await post(write, "/deals", json, key);
  assert.deepEqual([repeat.status, isReplayed(repeat)], [201, true]);
  assert.equal(await dealsNamed(company, key), 1);
});
