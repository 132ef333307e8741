// One company cannot take the connections of the database, or the time of an instance, from another.
import assert from "node:assert/strict";
import { decodeJwt } from "jose";
import { hashKey } from "../../supabase/functions/_shared/key/presented_key.ts";
import { type Company, newCompany, newKey } from "../support/company.ts";
import type { Answer } from "../support/calls.ts";
import { logged } from "../support/log_lines.ts";
import { backgroundWork, ownGateway, watchedStack } from "../support/own_functions.ts";
import { until } from "../support/started.ts";
import { stack, withDatabase } from "../support/test_stack.ts";

/** The hash of the key in the token of a request to the Data API. */
function keyOf(request: Request): unknown {
  return decodeJwt(request.headers.get("Authorization")!.replace("Bearer ", "")).key_hash;
}

/** A Data API that keeps the statements of these keys until `release`. */
async function holdingStack(...keys: string[]) {
  const hashes = await Promise.all(keys.map(hashKey));
  const gate = Promise.withResolvers<null>();
  let held = 0;
  const database = watchedStack((request) => {
    if (!hashes.includes(keyOf(request) as string)) return null;
    held++;
    return gate.promise;
  });
  return {
    ...database,
    held: () => held,
    release: () => gate.resolve(null),
    [Symbol.asyncDispose]: async () => {
      gate.resolve(null);
      await database[Symbol.asyncDispose]();
    },
  };
}

function byStatus(answers: Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

const PATIENT = { statementShare: { atOnce: 5, waiting: 64, patienceMs: 60_000 } };

Deno.test("of 100 requests at once, 5 are at the Data API, 64 wait, and the others are refused without a statement", async () => {
  const [flooding, other] = [await newCompany(), await newCompany()];
  await using database = await holdingStack(flooding.keys.read);
  const request = await ownGateway(database.url, undefined, PATIENT);
  const lists = Array.from(
    { length: 100 },
    () => request(flooding.keys.read, "GET", "/contacts"),
  );
  const refused: Answer[] = [];
  for (const list of lists) list.then((answer) => answer.status === 429 && refused.push(answer));
  await until(() => refused.length === 31 && database.held() === 5);
  for (const { headers, body } of refused) {
    assert.equal(headers.get("Retry-After"), "2");
    assert.deepEqual([body.code, body.request_id], [
      "too_many_requests",
      headers.get("X-Request-Id"),
    ]);
  }
  // The other company is answered meanwhile, from the same instance.
  for (let time = 0; time < 10; time++) {
    assert.equal((await request(other.keys.read, "GET", "/contacts")).status, 200);
  }
  assert.equal(database.held(), 5);
  database.release();
  assert.deepEqual(byStatus(await Promise.all(lists)), { 200: 69, 429: 31 });
});

Deno.test("a request that waits for too long is refused, and nothing was done for it", async () => {
  const company = await newCompany();
  await using database = await holdingStack(company.keys.write);
  const request = await ownGateway(database.url, undefined, {
    statementShare: { atOnce: 1, waiting: 64, patienceMs: 20 },
  });
  const create = (name: string) =>
    request(company.keys.write, "POST", "/deals", {
      title: name,
      contact_id: company.contact_id,
      stage_id: company.stage_ids[0],
    });
  const first = create("done");
  await until(() => database.held() === 1);
  assert.equal((await create("refused")).status, 429);
  database.release();
  assert.equal((await first).status, 201);
  const titles = await withDatabase((sql) =>
    sql`select title from deals where company_id = ${company.id} and title in ('done', 'refused')`
  );
  assert.deepEqual(titles.map(({ title }) => title), ["done"]);
});

Deno.test("the keys of one company share its share once they have been used", async () => {
  const company = await newCompany();
  const { read, all } = company.keys;
  await using database = watchedStack();
  const request = await ownGateway(database.url, undefined, PATIENT);
  for (const key of [read, all]) {
    await request(key, "GET", "/contacts");
    await backgroundWork();
  }
  await using held = await holdingStack(read, all);
  const heldRequest = await ownGateway(held.url, undefined, {
    statementShare: { atOnce: 5, waiting: 0, patienceMs: 60_000 },
  });
  const lists = Array.from(
    { length: 10 },
    (_, index) => heldRequest(index < 5 ? read : all, "GET", "/contacts"),
  );
  let refused = 0;
  for (const list of lists) list.then(({ status }) => refused += status === 429 ? 1 : 0);
  await until(() => refused === 5 && held.held() === 5);
  held.release();
  assert.deepEqual(byStatus(await Promise.all(lists)), { 200: 5, 429: 5 });
});

Deno.test("a key that was switched off takes nothing from its company", async () => {
  const company = await newCompany();
  const leaked = await withDatabase((sql) =>
    sql.begin((sql) => newKey(sql, company.id, ["read"])) as Promise<string>
  );
  await using database = watchedStack();
  const used = await ownGateway(database.url);
  for (const key of [leaked, company.keys.read]) {
    await used(key, "GET", "/contacts");
    await backgroundWork();
  }
  await withDatabase(async (sql) =>
    await sql`update api_keys set is_active = false where key_hash = ${await hashKey(leaked)}`
  );
  assert.equal((await used(leaked, "GET", "/contacts")).status, 401);

  await using held = await holdingStack(leaked);
  const request = await ownGateway(held.url, undefined, {
    statementShare: { atOnce: 5, waiting: 0, patienceMs: 60_000 },
  });
  const flood = Array.from({ length: 10 }, () => request(leaked, "GET", "/contacts"));
  await until(() => held.held() === 5);
  assert.equal((await request(company.keys.read, "GET", "/contacts")).status, 200);
  held.release();
  await Promise.all(flood);
});

/** Works while another transaction holds a row of this contact locked. */
async function whileLocked({ contact_id }: Company, work: () => Promise<void>) {
  await withDatabase((sql) =>
    sql.begin(async (sql) => {
      await sql`select from contacts where id = ${contact_id} for update`;
      await work();
    })
  );
}

Deno.test("40 changes of a locked row refuse no request of another company", async () => {
  const [flooding, other] = [await newCompany(), await newCompany()];
  const request = await ownGateway(stack.url, undefined, PATIENT);
  const change = () =>
    request(flooding.keys.write, "PATCH", `/contacts/${flooding.contact_id}`, {
      phone: "+15550001111",
    });
  let changes: Promise<Answer>[] = [];
  await logged(async () => {
    await whileLocked(flooding, async () => {
      changes = Array.from({ length: 40 }, change);
      for (let time = 0; time < 12; time++) {
        assert.equal((await request(other.keys.read, "GET", "/contacts")).status, 200);
      }
    });
    const statuses = byStatus(await Promise.all(changes));
    assert.equal((statuses[200] ?? 0) + (statuses[503] ?? 0), 40, JSON.stringify(statuses));
    assert.ok(statuses[200] > 0);
  });
});

Deno.test("a locked row is a 503 that says that nothing was changed", async () => {
  const company = await newCompany();
  const request = await ownGateway(stack.url);
  await logged(async () => {
    await whileLocked(company, async () => {
      const { status, headers, body } = await request(
        company.keys.write,
        "PATCH",
        `/contacts/${company.contact_id}`,
        { phone: "+15550001111" },
      );
      assert.deepEqual([status, body.code, headers.get("Retry-After"), body.error], [
        503,
        "database_unavailable",
        "2",
        "Another change holds the record; nothing was changed, so try again",
      ]);
    });
  });
});
