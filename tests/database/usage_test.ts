// Tests how record_api_key_usage() adds to the use of keys, and how long it is kept.
import assert from "node:assert/strict";
import type postgres from "postgres";
import { hashKey } from "../../supabase/functions/_shared/key/presented_key.ts";
import {
  actAs,
  actAsSuperuser,
  refusal,
  rolledBack,
  type Sql,
  type Work,
} from "../support/acting_as.ts";
import { type Company, newCompany } from "../support/company.ts";
import { keyIds } from "../support/key_usage.ts";
import { withDatabase } from "../support/test_stack.ts";
import { atOnce, committed, overlapping } from "./connections.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

type Told = Record<string, unknown>;

const DAY_MS = 24 * 60 * 60_000;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();

async function counted(key: string, changes: Told = {}): Promise<Told> {
  const day = daysAgo(0).slice(0, 10);
  return { key_hash: await hashKey(key), day, status: 200, requests: 1, ...changes };
}

async function failed(key: string, changes: Told = {}): Promise<Told> {
  return {
    ...{ key_hash: await hashKey(key), at: daysAgo(0), status: 404, code: "not_found" },
    ...{ method: "GET", operation: "getContact", request_id: crypto.randomUUID(), ...changes },
  };
}

async function record(sql: Sql, usage: Told[], errors: Told[] = []) {
  await actAs(sql, "usage_client");
  const json = (value: unknown) => sql.json(value as postgres.JSONValue);
  await sql`select record_api_key_usage(${json(usage)}, ${json(errors)})`;
  await actAsSuperuser(sql);
}

/** The requests of a key by day and status. */
async function usageOf(sql: Sql | postgres.Sql, key_id: string) {
  const rows = await sql`
    select day::text || ' ' || status as place, requests::int from api_key_usage where key_id = ${key_id}
    order by day, status
  `;
  return Object.fromEntries(rows.map(({ place, requests }) => [place, requests]));
}

async function errorsOf(sql: Sql | postgres.Sql, key_id: string) {
  return await sql`select * from api_key_errors where key_id = ${key_id} order by at desc, id desc`;
}

const company = await newCompany();
const { keys } = company;
const ids = await withDatabase((sql) => keyIds(sql, company));
const today = daysAgo(0).slice(0, 10);

test("new counts are added to the stored counts by key, day and status, except for unknown keys", async (sql) => {
  const usage = [
    await counted(keys.read, { requests: 2 }),
    await counted(keys.read, { requests: 3 }),
    await counted(keys.read, { status: 404 }),
    await counted(keys.write),
    await counted("sk_live_unknown"),
  ];
  await record(sql, usage, [await failed("sk_live_unknown"), await failed(keys.read)]);
  await record(sql, usage);
  assert.deepEqual(await usageOf(sql, ids.read), { [`${today} 200`]: 10, [`${today} 404`]: 2 });
  assert.deepEqual(await usageOf(sql, ids.write), { [`${today} 200`]: 2 });
  const [{ company_id, at, id: _, ...error }, ...others] = await errorsOf(sql, ids.read);
  assert.deepEqual(others, []);
  assert.ok(Math.abs(at - Date.now()) < 60_000);
  assert.deepEqual([company_id, error.status, error.code], [company.id, 404, "not_found"]);
  await record(sql, []);
});

Deno.test("if one count is malformed, all counts are refused", async () => {
  const wrong: [Told, Told, string][] = [
    [{ status: 42 }, {}, "23514 api_key_usage_status_check"],
    [{ day: "someday" }, {}, "22007"],
    [{ requests: 0 }, {}, "23514 api_key_usage_requests_check"],
    [{}, { method: "X".repeat(17) }, "23514 api_key_errors_method_check"],
    [{}, { request_id: null }, "23502"],
  ];
  const good = await counted(keys.write);
  for (const [usage, error, expected] of wrong) {
    await rolledBack(async (sql) => {
      const told = [good, await counted(keys.read, usage)];
      const work = async (sql: Sql) => await record(sql, told, [await failed(keys.read, error)]);
      assert.equal(await refusal(sql, work as never), expected);
      await actAsSuperuser(sql);
      assert.deepEqual(await usageOf(sql, ids.write), {});
    });
  }
});

test("usage days and errors are kept for 30 days, and future times become the current time", async (sql) => {
  const dates = [-3, 0, 29, 30, 400].map(daysAgo);
  const usage = await Promise.all(
    dates.map((date) => counted(keys.read, { day: date.slice(0, 10) })),
  );
  const errors = await Promise.all(dates.map((at) => failed(keys.read, { at })));
  await record(sql, usage, errors);
  const first = daysAgo(29).slice(0, 10);
  assert.deepEqual(await usageOf(sql, ids.read), { [`${first} 200`]: 1, [`${today} 200`]: 2 });
  assert.equal((await errorsOf(sql, ids.read)).length, 3);
  const [{ is_ahead }] = await sql`
    select bool_or(at > now()) as is_ahead from api_key_errors where key_id = ${ids.read}
  `;
  assert.equal(is_ahead, false);

  // Storing counts of any instance deletes old ones of all keys.
  await sql`update api_key_usage set day = day - 1 where key_id = ${ids.read}`;
  await sql`update api_key_errors set at = at - interval '1 day' where key_id = ${ids.read}`;
  await record(sql, [await counted(keys.write)]);
  const yesterday = daysAgo(1).slice(0, 10);
  assert.deepEqual(await usageOf(sql, ids.read), { [`${yesterday} 200`]: 2 });
  assert.equal((await errorsOf(sql, ids.read)).length, 2);
});

test("the newest 50 errors of each key are kept, even when other keys have newer ones", async (sql) => {
  const at = (n: number) => new Date(Date.now() - 60_000 + n).toISOString();
  const many = (key: string, from: number, count: number) =>
    Promise.all(Array.from({ length: count }, (_, n) => failed(key, { at: at(from + n) })));
  const all = [...await many(keys.read, 0, 49), ...await many(keys.read, 100, 49)];
  await record(sql, [], [...all.slice(0, 49), ...await many(keys.write, 0, 3)]);
  await record(sql, [], all.slice(49));
  const kept = (await errorsOf(sql, ids.read)).map(({ request_id }) => request_id);
  assert.deepEqual(kept, all.slice(-50).reverse().map(({ request_id }) => request_id));
  assert.equal((await errorsOf(sql, ids.write)).length, 3);
});

/** The use of every key of two companies, in an order that begins with another key each time. */
async function ofAll(companies: Company[], from: number): Promise<[Told[], Told[]]> {
  const all = companies.flatMap(({ keys }) => Object.values(keys));
  const rotated = [...all.slice(from % all.length), ...all.slice(0, from % all.length)];
  const usage = rotated.flatMap((key) => [200, 404].map((status) => counted(key, { status })));
  return [await Promise.all(usage), await Promise.all(rotated.map((key) => failed(key)))];
}

Deno.test("when many instances store counts of the same keys simultaneously, no count is lost", async () => {
  const companies = [await newCompany(), await newCompany()];
  const tellings = 5;
  const many = 8;
  await atOnce(many, async (sql, n) => {
    for (let telling = 0; telling < tellings; telling++) {
      await sql.savepoint(async (sql) => await record(sql, ...await ofAll(companies, n + telling)));
    }
  });
  await withDatabase(async (sql) => {
    for (const company of companies) {
      for (const id of Object.values(await keyIds(sql, company))) {
        const requests = many * tellings;
        assert.deepEqual(await usageOf(sql, id), {
          [`${today} 200`]: requests,
          [`${today} 404`]: requests,
        });
      }
    }
  });
});

Deno.test("storing counts does not wait while a key or company is deleted", async () => {
  for (const table of ["api_keys", "companies"] as const) {
    const [gone, kept] = [await newCompany(), await newCompany()];
    const [goneIds, keptIds] = await withDatabase(async (sql) => [
      await keyIds(sql, gone),
      await keyIds(sql, kept),
    ]);
    const deletion = (sql: Sql) =>
      table === "companies"
        ? sql`delete from companies where id = ${gone.id}`
        : sql`delete from api_keys where id = ${goneIds.read}`;
    await committed(async (sql) => {
      // The deletion locks the company before it reaches the keys.
      if (table === "companies") await sql`select from companies where id = ${gone.id} for update`;
      else await deletion(sql);
      // The counts are stored before the deletion.
      await committed(async (sql) => {
        await sql`set local lock_timeout = '1s'`;
        await record(sql, ...await ofAll([gone, kept], 0));
      });
      await deletion(sql);
    });
    await withDatabase(async (sql) => {
      assert.deepEqual(await usageOf(sql, goneIds.read), {});
      assert.equal((await usageOf(sql, keptIds.read))[`${today} 200`], 1);
    });

    // In the other order, the deletion waits for the counts and then deletes them.
    const last = await newCompany();
    const { read } = await withDatabase((sql) => keyIds(sql, last));
    await overlapping(
      async (sql) => await record(sql, ...await ofAll([last, kept], 0)),
      async (sql) => {
        await (table === "companies"
          ? sql`delete from companies where id = ${last.id}`
          : sql`delete from api_keys where id = ${read}`);
      },
    );
    await withDatabase(async (sql) => {
      assert.deepEqual(await usageOf(sql, read), {});
      assert.equal((await usageOf(sql, keptIds.read))[`${today} 200`], 2);
      assert.deepEqual([...await errorsOf(sql, read)], []);
    });
  }
});
