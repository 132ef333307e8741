// Tests that the gateway still serves other companies while one company sends very many requests.
import assert from "node:assert/strict";
import { decodeJwt } from "jose";
import { hashKey } from "../../supabase/functions/_shared/key/presented_key.ts";
import { type Company, newCompany, newKey } from "../support/company.ts";
import type { Answer } from "../support/calls.ts";
import { logged } from "../support/log_lines.ts";
import { backgroundWork, ownGateway, watchedStack } from "../support/own_functions.ts";
import { until } from "../support/started.ts";
import { stack, withDatabase } from "../support/test_stack.ts";

/** The key hash in the token of a Data API request. */
function keyOf(request: Request): unknown {
  return decodeJwt(request.headers.get("Authorization")!.replace("Bearer ", "")).key_hash;
}

/** Starts a Data API that delays requests with these keys until `release` is called. */
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

const SHARE = { atOnce: 5, waiting: 64, patienceMs: 60_000 };

/** After this time, a statement that a test delays ends by itself. */
const DELAYED_MS = 60_000;

Deno.test("of 100 simultaneous requests, 5 run, 64 wait, and the others are refused without a database statement", async () => {
  const [flooding, other] = [await newCompany(), await newCompany()];
  await using database = await holdingStack(flooding.keys.read);
  const request = await ownGateway(database.url, DELAYED_MS);
  const lists = Array.from({ length: 100 }, () => request(flooding.keys.read, "GET", "/contacts"));
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
  // Meanwhile, the same gateway responds to the other company.
  for (let time = 0; time < 10; time++) {
    assert.equal((await request(other.keys.read, "GET", "/contacts")).status, 200);
  }
  assert.equal(database.held(), 5);
  database.release();
  assert.deepEqual(byStatus(await Promise.all(lists)), { 200: 69, 429: 31 });
});

/** Sends a batch with one deal of this company. */
function postBatch(
  request: Awaited<ReturnType<typeof ownGateway>>,
  { keys, contact_id, stage_ids: [stage_id] }: Company,
  key = keys.write,
) {
  return request(key, "POST", "/deals/batch", { items: [{ title: "Deal", contact_id, stage_id }] });
}

/** Lets the gateways in this process learn that these companies' keys for writes are valid. */
async function makeKnown(...companies: Company[]) {
  const request = await ownGateway(stack.url);
  for (const company of companies) assert.equal((await postBatch(request, company)).status, 200);
  await backgroundWork();
}

Deno.test("batches of three companies run at the same time; a fourth company's batch is refused, but not its other requests", async () => {
  const companies = await Promise.all([1, 2, 3, 4].map(() => newCompany()));
  const [fourth, ...others] = companies;
  await makeKnown(...companies);
  await using database = await holdingStack(...others.map(({ keys }) => keys.write));
  const request = await ownGateway(database.url, DELAYED_MS, {
    statementShare: { ...SHARE, patienceMs: 500 },
  });
  const batch = (company: Company) => postBatch(request, company);
  const held = others.map(batch);
  await until(() => database.held() === 3);
  const { status, body } = await batch(fourth);
  assert.deepEqual([status, body.code], [429, "too_many_requests"]);
  assert.match(body.error, /for all companies together/);
  assert.equal((await request(fourth.keys.read, "GET", "/contacts")).status, 200);
  database.release();
  assert.deepEqual(byStatus(await Promise.all(held)), { 200: 3 });
  assert.equal((await batch(fourth)).status, 200);
});

Deno.test("of 20 simultaneous batches of a company, 1 runs, 8 wait, and the others are refused", async () => {
  const company = await newCompany();
  await makeKnown(company);
  await using database = await holdingStack(company.keys.write);
  const request = await ownGateway(database.url, DELAYED_MS, { statementShare: SHARE });
  const batches = Array.from({ length: 20 }, () => postBatch(request, company));
  let refused = 0;
  for (const batch of batches) batch.then(({ status }) => refused += status === 429 ? 1 : 0);
  await until(() => refused === 11 && database.held() === 1);
  database.release();
  assert.deepEqual(byStatus(await Promise.all(batches)), { 200: 9, 429: 11 });
});

Deno.test("a batch is parsed only when its turn comes, because a parsed batch needs much memory", async () => {
  const company = await newCompany();
  await makeKnown(company);
  await using database = await holdingStack(company.keys.write);
  const request = await ownGateway(database.url, DELAYED_MS, {
    statementShare: { ...SHARE, patienceMs: 500 },
  });
  const held = postBatch(request, company);
  await until(() => database.held() === 1);
  const wrong = () => request(company.keys.all, "POST", "/deals/batch", { items: [{}], x: 1 });
  assert.equal((await wrong()).status, 429);
  database.release();
  assert.equal((await held).status, 200);
  assert.equal((await wrong()).status, 422);
});

Deno.test("all keys of a company share one quota as soon as the gateway knows their company", async () => {
  const company = await newCompany();
  const { read, all } = company.keys;
  await using database = watchedStack();
  const request = await ownGateway(database.url, DELAYED_MS);
  for (const key of [read, all]) {
    await request(key, "GET", "/contacts");
    await backgroundWork();
  }
  await using held = await holdingStack(read, all);
  const heldRequest = await ownGateway(held.url, DELAYED_MS, {
    statementShare: { ...SHARE, waiting: 0 },
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

Deno.test("a deactivated key does not use its company's quota", async () => {
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
  const request = await ownGateway(held.url, DELAYED_MS, {
    statementShare: { ...SHARE, waiting: 0 },
  });
  const flood = Array.from({ length: 10 }, () => request(leaked, "GET", "/contacts"));
  await until(() => held.held() === 5);
  assert.equal((await request(company.keys.read, "GET", "/contacts")).status, 200);
  held.release();
  await Promise.all(flood);
});

const unknownKeys = (count: number) =>
  Array.from({ length: count }, () => `sk_live_${crypto.randomUUID()}`);

Deno.test("unknown keys are checked two at a time, and requests from known companies do not wait for these checks", async () => {
  const company = await newCompany();
  const tried = unknownKeys(10);
  await using database = await holdingStack(...tried);
  const request = await ownGateway(database.url, DELAYED_MS, {
    strangerShare: { atOnce: 2, waiting: 8, patienceMs: 60_000, placeMs: 60_000 },
  });
  await request(company.keys.read, "GET", "/contacts");
  await backgroundWork();
  const trying = tried.map((key) => request(key, "GET", "/contacts"));
  await until(() => database.held() === 2);
  for (let time = 0; time < 10; time++) {
    assert.equal((await request(company.keys.read, "GET", "/contacts")).status, 200);
  }
  assert.equal((await request(unknownKeys(1)[0], "GET", "/contacts")).status, 429);
  assert.equal(database.held(), 2);
  database.release();
  assert.deepEqual(byStatus(await Promise.all(trying)), { 401: 10 });
});

Deno.test("batches with unknown keys do not delay the batch of a known company", async () => {
  const company = await newCompany();
  await makeKnown(company);
  const tried = unknownKeys(10);
  await using database = await holdingStack(...tried);
  const request = await ownGateway(database.url, DELAYED_MS, {
    statementShare: { ...SHARE, patienceMs: 500 },
    strangerShare: { atOnce: 2, waiting: 8, patienceMs: 60_000, placeMs: 60_000 },
  });
  const trying = tried.map((key) => postBatch(request, company, key));
  await until(() => database.held() === 2);
  assert.equal((await postBatch(request, company)).status, 200);
  database.release();
  assert.deepEqual(byStatus(await Promise.all(trying)), { 401: 10 });
});

Deno.test("if the check of an unknown key hangs in the database, other new keys are not blocked", async () => {
  const [waiting, other] = [await newCompany(), await newCompany()];
  await using database = await holdingStack(waiting.keys.read, waiting.keys.all);
  const request = await ownGateway(database.url, DELAYED_MS, {
    strangerShare: { atOnce: 1, waiting: 8, patienceMs: 60_000, placeMs: 1 },
  });
  const held = [waiting.keys.read, waiting.keys.all].map((key) => request(key, "GET", "/contacts"));
  await until(() => database.held() === 2);
  assert.equal((await request(other.keys.read, "GET", "/contacts")).status, 200);
  database.release();
  assert.deepEqual(byStatus(await Promise.all(held)), { 200: 2 });
});

/** Calls `work` while another transaction locks the row of this contact. */
async function whileLocked({ contact_id }: Company, work: () => Promise<void>) {
  await withDatabase((sql) =>
    sql.begin(async (sql) => {
      await sql`select from contacts where id = ${contact_id} for update`;
      await work();
    })
  );
}

Deno.test("another company is served while 40 changes wait for a locked row", async () => {
  const [flooding, other] = [await newCompany(), await newCompany()];
  const request = await ownGateway(stack.url);
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
    assert.equal((await change()).status, 200);
  });
});

Deno.test("a locked row causes a 503, and its message says that nothing was changed", async () => {
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
        "Another change of the record is in progress; nothing was changed, so try again",
      ]);
    });
  });
});
