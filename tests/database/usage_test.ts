// Tests how record_api_key_usage() stores the request counts and errors of API keys, how long these
// counts are kept, and who can read the counts.
import assert from "node:assert/strict";
import type postgres from "postgres";
import { hashKey } from "../../supabase/functions/_shared/key/presented_key.ts";
import {
  actAs,
  actAsPerson,
  actAsSuperuser,
  refusal,
  rolledBack,
  type Sql,
  type Work,
} from "../support/acting_as.ts";
import { type Company, newCompany, newMembers } from "../support/company.ts";
import { keyIds } from "../support/key_usage.ts";
import { withDatabase } from "../support/test_stack.ts";
import { atOnce, committed, overlapping } from "./connections.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

type Told = Record<string, unknown>;

const HOUR_MS = 60 * 60_000;
const hoursAgo = (hours: number) => new Date(Date.now() - hours * HOUR_MS).toISOString();

async function counted(key: string, changes: Told = {}): Promise<Told> {
  return { key_hash: await hashKey(key), hour: hoursAgo(0), status: 200, requests: 1, ...changes };
}

/** An entry for an error of a key. By default, one request had the error, at the time `at`. */
async function failed(
  key: string,
  { at = hoursAgo(0), ...changes }: Told & { at?: string } = {},
): Promise<Told> {
  return {
    ...{ key_hash: await hashKey(key), status: 404, code: "not_found", method: "GET" },
    ...{ operation: "getContact", path: "/gateway/contacts/{id}", field: null },
    ...{ problem: "Contact not found", errors: 1, first_at: at, last_at: at },
    ...{ requests: [{ id: crypto.randomUUID(), at }], ...changes },
  };
}

async function record(sql: Sql, usage: Told[], errors: Told[] = []) {
  await actAs(sql, "usage_client");
  const json = (value: unknown) => sql.json(value as postgres.JSONValue);
  await sql`select record_api_key_usage(${json(usage)}, ${json(errors)})`;
  await actAsSuperuser(sql);
}

/** The number of requests made with a key, by status. */
async function usageOf(sql: Sql | postgres.Sql, key_id: string) {
  const rows = await sql`
    select status, sum(requests)::int as requests from api_key_usage where key_id = ${key_id} group by 1
  `;
  return Object.fromEntries(rows.map(({ status, requests }) => [status, requests]));
}

/**
 * The number of requests made with a key as "hours ago: requests", oldest first. The current hour
 * is 0.
 */
async function hoursOf(sql: Sql, key_id: string): Promise<string[]> {
  const rows = await sql`
    select extract(epoch from date_bin('1 hour', now(), 'epoch') - hour)::int / 3600 as ago, requests
    from api_key_usage where key_id = ${key_id} order by hour
  `;
  return rows.map(({ ago, requests }) => `${ago}: ${requests}`);
}

async function errorsOf(sql: Sql | postgres.Sql, key_id: string) {
  return await sql`select * from api_key_errors where key_id = ${key_id} order by last_at desc, id desc`;
}

const company = await newCompany();
const { keys } = company;
const ids = await withDatabase((sql) => keyIds(sql, company));

test("new counts are added to the stored counts by key, hour and status, except for unknown keys", async (sql) => {
  const usage = [
    await counted(keys.read, { requests: 2 }),
    await counted(keys.read, { requests: 3 }),
    await counted(keys.read, { status: 404 }),
    await counted(keys.write),
    await counted("sk_live_unknown"),
  ];
  await record(sql, usage, [await failed("sk_live_unknown"), await failed(keys.read)]);
  await record(sql, usage);
  assert.deepEqual(await usageOf(sql, ids.read), { 200: 10, 404: 2 });
  assert.deepEqual(await usageOf(sql, ids.write), { 200: 2 });
  const [{ company_id, last_at, ...error }, ...others] = await errorsOf(sql, ids.read);
  assert.deepEqual(others, []);
  assert.ok(Math.abs(last_at - Date.now()) < 60_000);
  assert.deepEqual([company_id, error.status, error.code], [company.id, 404, "not_found"]);
  await record(sql, []);
});

Deno.test("if one count or error is malformed, all counts and errors are refused", async () => {
  const wrong: [Told, Told, string][] = [
    [{ status: 42 }, {}, "23514 api_key_usage_status_check"],
    [{ hour: "someday" }, {}, "22007"],
    [{ requests: 0 }, {}, "23514 api_key_usage_requests_check"],
    [{}, { method: "X".repeat(17) }, "23514 api_key_errors_method_check"],
    [{}, { problem: null }, "23502"],
    [{}, { requests: [] }, "23502"],
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

test("counts are kept for 31 days and errors for 30 days, and future times become the current time", async (sql) => {
  const [{ now }] = await sql`select now()`;
  const at = (hours: number) => new Date(now - hours * HOUR_MS).toISOString();
  const counts = [-30, 0, 743, 744, 9600].map((ago) => counted(keys.read, { hour: at(ago) }));
  const errors = [-30, 0, 719, 721, 9600]
    .map((ago) => failed(keys.read, { at: at(ago), problem: `Problem ${ago}` }));
  await record(sql, await Promise.all(counts), await Promise.all(errors));
  assert.deepEqual(await hoursOf(sql, ids.read), ["743: 1", "0: 2"]);
  assert.equal((await errorsOf(sql, ids.read)).length, 3);
  const [{ is_ahead }] = await sql`
    select bool_or(last_at > now()) as is_ahead from api_key_errors where key_id = ${ids.read}
  `;
  assert.equal(is_ahead, false);

  // When a gateway instance stores its counts, the database deletes old counts for all keys.
  await sql`update api_key_usage set hour = hour - interval '2 hours' where key_id = ${ids.read}`;
  await sql`update api_key_errors set last_at = last_at - interval '2 hours' where key_id = ${ids.read}`;
  await record(sql, [await counted(keys.write)]);
  assert.deepEqual(await hoursOf(sql, ids.read), ["2: 2"]);
  assert.equal((await errorsOf(sql, ids.read)).length, 2);
});

test("requests made with a key are counted by day in the user's time zone", async (sql) => {
  // The session's time zone has no effect.
  await sql`set local time zone 'Pacific/Kiritimati'`;
  /** For each time zone, the number of requests on each day, as "days ago, status: requests". */
  const zones = {
    UTC: ["29 200: 2", "29 404: 12", "1 200: 1", "0 200: 2", "0 404: 12"],
    "America/Sao_Paulo": ["29 200: 2", "29 404: 12", "1 200: 1", "0 200: 2", "0 404: 12"],
    // In a time zone with a half-hour offset, the UTC hour in which a day begins still counts
    // towards the previous day.
    "Asia/Kolkata": ["29 404: 8", "1 200: 3", "1 404: 4", "0 404: 8"],
  };
  for (const [zone, expected] of Object.entries(zones)) {
    await sql`delete from api_key_usage where company_id = ${company.id}`;
    await sql`
      insert into api_key_usage (company_id, key_id, status, requests, hour)
      select
        ${company.id}::uuid, key_id::uuid, status, requests,
        date_bin('1 hour', date_trunc('day', now(), ${zone}), 'epoch')
          - make_interval(hours => days * 24) + make_interval(hours => hours)
      from unnest(array[0, 29]) as days
      cross join (values
        (${ids.read}, -1, 200, 1), (${ids.read}, 0, 200, 2), (${ids.read}, 0, 404, 4), (${ids.read}, 1, 404, 8),
        (${ids.write}, 0, 200, 16)
      ) as counted (key_id, hours, status, requests)
    `;
    await actAsPerson(sql, company.member_id);
    const found = await sql`
      select (now() at time zone ${zone})::date - day as ago, status, requests
      from requests_by_status(${company.id}, ${ids.read}, zone => ${zone})
    `;
    await actAsSuperuser(sql);
    const told = found.map(({ ago, status, requests }) => `${ago} ${status}: ${requests}`);
    assert.deepEqual(told, expected, zone);
  }
});

test("a request for counts must have a known time zone and 1 to 30 days", async (sql) => {
  await actAsPerson(sql, company.member_id);
  for (const days of [0, 31, null]) {
    const asking = (sql: Sql) =>
      sql`select requests_by_status(${company.id}, ${ids.read}, ${days})`;
    assert.equal(await refusal(sql, asking), "PT422", String(days));
  }
  for (const zone of ["", "America/Atlantis", null]) {
    const asking = (sql: Sql) =>
      sql`select requests_by_status(${company.id}, ${ids.read}, zone => ${zone})`;
    assert.equal(await refusal(sql, asking), "PT422", String(zone));
  }
});

test("owners and admins see a key's requests, and how many of the last 72 hours' requests had an error response", async (sql) => {
  const [agent, admin] = await newMembers(company, "agent", "admin");
  const stranger = (await newCompany()).member_id;
  await record(sql, [
    await counted(keys.read, { requests: 5 }),
    await counted(keys.read, { status: 404, requests: 2, hour: hoursAgo(70) }),
    await counted(keys.read, { status: 500, requests: 9, hour: hoursAgo(74) }),
    await counted(keys.write, { status: 401, requests: 3 }),
  ]);
  const answers = async (person: string) => {
    await actAsPerson(sql, person);
    const lately = await sql`select * from answers_of_api_keys(${company.id})`;
    const all = await sql`select * from requests_by_status(${company.id}, ${ids.read})`;
    return [
      Object.fromEntries(
        lately.map(({ key_id, requests, refused }) => [key_id, [requests, refused].map(Number)]),
      ),
      all.reduce((sum, { requests }) => sum + Number(requests), 0),
    ];
  };
  assert.deepEqual(await answers(admin), [{ [ids.read]: [7, 2], [ids.write]: [3, 3] }, 16]);
  for (const person of [agent, stranger]) assert.deepEqual(await answers(person), [{}, 0]);
  for (const role of ["anon", "service_role", "api_client", "api_reader"] as const) {
    await actAs(sql, role);
    const asking = (sql: Sql) => sql`select requests_by_status(${company.id}, ${ids.read})`;
    assert.equal(await refusal(sql, asking), "42501", role);
  }
});

Deno.test("the counts of a key are read through an index, and only for the requested period", async () => {
  // These companies are new, because the index still contains rows of other companies that tests
  // have rolled back.
  const [company, other] = [await newCompany(), await newCompany()];
  await rolledBack(async (sql) => {
    const { read } = await keyIds(sql, company);
    await sql`
      insert into api_key_usage (company_id, key_id, hour, status, requests)
      select company_id, id, date_bin('1 hour', now(), 'epoch') - n * interval '1 hour', status, 1
      from api_keys, generate_series(0, 743) as n, unnest('{200,404,422}'::int[]) as status
      where company_id in (${company.id}, ${other.id})
    `;
    await sql`analyze api_key_usage`;
    const reads = async () => {
      const [counts] = await sql`
        select
          pg_stat_get_xact_numscans('api_key_usage'::regclass)::int as scans,
          (select sum(pg_stat_get_xact_tuples_returned(indexrelid))::int from pg_index
           where indrelid = 'api_key_usage'::regclass) as rows
      `;
      return counts;
    };
    const cost = async (asking: postgres.PendingQuery<postgres.Row[]>) => {
      const before = await reads();
      await actAsPerson(sql, company.member_id);
      const [{ requests }] = await asking;
      await actAsSuperuser(sql);
      const after = await reads();
      assert.deepEqual([after.scans - before.scans, after.rows - before.rows], [0, requests]);
    };
    await cost(
      sql`select sum(requests)::int as requests from requests_by_status(${company.id}, ${read}, 7)`,
    );
    await cost(
      sql`select sum(requests)::int as requests from answers_of_api_keys(${company.id})`,
    );
  });
});

test("the 50 newest kinds of errors of each key are kept, even if other keys have newer errors", async (sql) => {
  const at = (n: number) => new Date(Date.now() - 60_000 + n).toISOString();
  const many = (key: string, from: number, count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, n) =>
        failed(key, { at: at(from + n), problem: `Problem ${from + n}` })),
    );
  const all = [...await many(keys.read, 0, 49), ...await many(keys.read, 100, 49)];
  await record(sql, [], [...all.slice(0, 49), ...await many(keys.write, 0, 3)]);
  await record(sql, [], all.slice(49));
  const kept = (await errorsOf(sql, ids.read)).map(({ problem }) => problem);
  assert.deepEqual(kept, all.slice(-50).reverse().map(({ problem }) => problem));
  assert.equal((await errorsOf(sql, ids.write)).length, 3);
});

test("identical errors are stored as one row with a count, the first and the last time, and the 10 latest requests", async (sql) => {
  const began = Date.now() - 60 * 60_000;
  const at = (minute: number) => new Date(began + minute * 60_000).toISOString();
  const of = (minute: number, errors = 1) =>
    failed(keys.read, { at: at(minute), errors, requests: [{ id: `r${minute}`, at: at(minute) }] });
  const minutes = Array.from({ length: 12 }, (_, n) => n + 10);
  // Two gateway instances report the same kind of error, and the second report contains an earlier
  // error.
  await record(sql, [], [await of(30, 5), await of(20)]);
  await record(sql, [], await Promise.all(minutes.map((minute) => of(minute))));
  await record(sql, [], [await failed(keys.read, { field: "phone" })]);
  const rows = await sql`
    select errors::int, first_at, last_at, requests from api_key_errors
    where key_id = ${ids.read} and field is null
  `;
  assert.equal(rows.length, 1);
  const [{ errors, first_at, last_at, requests }] = rows;
  assert.deepEqual([errors, first_at.toISOString(), last_at.toISOString()], [18, at(10), at(30)]);
  assert.deepEqual(requests.map(({ id }: { id: string }) => id), [
    ...["r30", "r21", "r20", "r20", "r19", "r18", "r17", "r16", "r15", "r14"],
  ]);
});

/** The usage of every key of these companies, starting with the key at the position `from`. */
async function ofAll(companies: Company[], from: number): Promise<[Told[], Told[]]> {
  const all = companies.flatMap(({ keys }) => Object.values(keys));
  const rotated = [...all.slice(from % all.length), ...all.slice(0, from % all.length)];
  const usage = rotated.flatMap((key) => [200, 404].map((status) => counted(key, { status })));
  return [await Promise.all(usage), await Promise.all(rotated.map((key) => failed(key)))];
}

Deno.test("when many gateway instances store counts for the same keys simultaneously, no count is lost", async () => {
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
        assert.deepEqual(await usageOf(sql, id), { 200: requests, 404: requests });
      }
    }
  });
});

Deno.test("storing counts does not wait while an API key or company is deleted", async () => {
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
      // The counts are stored before the deletion is committed.
      await committed(async (sql) => {
        await sql`set local lock_timeout = '1s'`;
        await record(sql, ...await ofAll([gone, kept], 0));
      });
      await deletion(sql);
    });
    await withDatabase(async (sql) => {
      assert.deepEqual(await usageOf(sql, goneIds.read), {});
      assert.equal((await usageOf(sql, keptIds.read))[200], 1);
    });

    // If the counts are stored first, the deletion waits, and then deletes the counts.
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
      assert.equal((await usageOf(sql, keptIds.read))[200], 2);
      assert.deepEqual([...await errorsOf(sql, read)], []);
    });
  }
});
