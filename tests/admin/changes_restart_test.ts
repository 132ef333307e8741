// Tests how a restart of the changes feeds affects callers. These tests have their own stack for
// two reasons: a restart makes the cursors of other tests expire, and writes by other tests delay
// the feeds.

import assert from "node:assert/strict";
import postgres from "postgres";
import { functionEnvironment } from "../../local/functions/environment.ts";
import { readConfig } from "../../supabase/functions/_shared/config.ts";
import { versionOf } from "../gateway/changes_mirror.ts";
import { anyPhone, type Company, makeCompany } from "../support/company.ts";
import { logged } from "../support/log_lines.ts";
import { backgroundWork, ownGateway } from "../support/own_functions.ts";
import { until } from "../support/started.ts";
import { startOwnProject } from "./own_project.ts";

const project = await startOwnProject();
Deno.test.afterAll(async () => {
  await backgroundWork();
  await project[Symbol.asyncDispose]();
});
const { sql, stack, secrets } = project;

const config = await readConfig(
  functionEnvironment(stack.url, { ...stack, ...secrets }, "http://127.0.0.1:9"),
);
const gateway = await ownGateway(stack.url, 10_000, config);

function newCompany(): Promise<Company> {
  return sql.begin(makeCompany) as Promise<Company>;
}

interface Page {
  data: { id: string; name: string | null }[];
  pagination: { has_more: boolean; next_cursor: string };
}

async function page({ keys }: Company, query = ""): Promise<Page> {
  const { status, body } = await gateway(keys.read, "GET", `/contacts/changes${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

/**
 * Adds a contact with this name. If `version` is given, the contact looks like a row from a
 * restored dump.
 */
async function add({ id }: Company, name: string, version?: number): Promise<void> {
  const row = { company_id: id, phone: anyPhone(), name, ...(version && { version }) };
  await sql`insert into contacts ${sql(row)}`;
}

async function names(company: Company, query = ""): Promise<(string | null)[]> {
  return (await page(company, query)).data.map(({ name }) => name);
}

/**
 * Waits until the feed shows enough names, and asserts that they are the expected names. The feed
 * shows a change only after all earlier transactions have ended, such as those of the stack's jobs.
 */
async function assertShows(company: Company, expected: (string | null)[], query = "") {
  let found: (string | null)[] = [];
  await until(async () => {
    found = await names(company, query);
    return found.length >= expected.length;
  });
  assert.deepEqual(found, expected);
}

async function refusal(company: Company, cursor: string) {
  const path = `/contacts/changes?cursor=${cursor}`;
  const { status, body } = await gateway(company.keys.read, "GET", path);
  return [status, body.code];
}

async function operate(...args: string[]) {
  const { code, stdout, stderr } = await project.operate(["changes", ...args], {});
  assert.deepEqual([code, stderr], [0, ""]);
  return stdout;
}

Deno.test("the changes feed lists each row of a large transaction once, in the order of the ids", async () => {
  const company = await newCompany();
  const { next_cursor } = (await page(company, "?start=now")).pagination;
  await sql.begin(async (sql) => {
    await sql`
      insert into contacts (company_id, phone)
      select ${company.id}, '+99' || lpad(i::text, 10, '0') from generate_series(1, 1000) as i
    `;
    // The same transaction deletes some of the contacts again and changes others.
    await sql`delete from contacts where company_id = ${company.id} and phone like '+99%7'`;
    await sql`update contacts set name = 'Changed' where company_id = ${company.id} and phone like '+99%8'`;
  });
  await until(async () => (await page(company, `?cursor=${next_cursor}`)).data.length > 0);
  const ids: string[] = [];
  for (let cursor = next_cursor, hasMore = true; hasMore;) {
    const { data, pagination } = await page(company, `?limit=70&cursor=${cursor}`);
    assert.ok(!pagination.has_more || data.length === 70);
    ids.push(...data.map(({ id }) => id));
    [cursor, hasMore] = [pagination.next_cursor, pagination.has_more];
  }
  assert.equal(ids.length, 1000);
  assert.deepEqual(ids, [...new Set(ids)].sort());
});

Deno.test("the feed shows a change once its transaction and all earlier transactions have ended", async () => {
  const company = await newCompany();
  let { next_cursor } = (await page(company, "?start=now")).pagination;
  const shown = async () => {
    const { data, pagination } = await page(company, `?cursor=${next_cursor}`);
    next_cursor = pagination.next_cursor;
    return data.map(({ name }) => name);
  };
  await using slow = await openTransaction();
  await slow.sql`update contacts set name = 'Slow' where id = ${company.contact_id}`;
  await add(company, "Quick");
  assert.deepEqual(await shown(), []);
  const waiting = JSON.parse(await operate("status", "--json"));
  assert.ok(waiting.waiting_transactions > 0 && waiting.writing_since !== null);
  await slow.commit();
  const changes: (string | null)[] = [];
  await until(async () => changes.push(...await shown()) >= 2);
  assert.deepEqual(changes, ["Slow", "Quick"]);
  assert.deepEqual(await shown(), []);
});

Deno.test("after a dump is restored, restarting the changes feeds expires old cursors and loses no changes", async () => {
  const company = await newCompany();
  const { next_cursor } = (await page(company, "?start=now")).pagination;
  await add(company, "Of the dump", 10 ** 10);

  // Until the restart, a request for changes fails, because the response would be incomplete.
  const lines = await logged(async () => {
    assert.deepEqual(await refusal(company, next_cursor), [500, "internal"]);
  });
  const { database } = JSON.parse(lines[0]);
  assert.equal(database.code, "PT500");
  assert.match(database.hint, /run npm run admin -- changes restart$/);
  assert.match(database.details, /version 10000000000,/);

  assert.match(await operate("restart"), /^The changes are now in generation \d+\. /);
  assert.deepEqual(await refusal(company, next_cursor), [410, "cursor_expired"]);
  await add(company, "Later");
  await assertShows(company, ["Ada", "Of the dump", "Later"]);
  const now = (await page(company, "?start=now")).pagination.next_cursor;
  assert.ok(versionOf(now) > 10 ** 10 && versionOf(now) < 2 ** 40);
  await add(company, "Latest");
  await assertShows(company, ["Latest"], `?cursor=${now}`);

  // The second restart happens in the same second as the first one.
  await operate("restart");
  await operate("restart");
  assert.deepEqual(await refusal(company, now), [410, "cursor_expired"]);
  await assertShows(company, ["Ada", "Of the dump", "Later", "Latest"]);
});

Deno.test("after a restart of the changes feeds, an old cursor of the event log returns a 410, and the log is complete", async () => {
  const company = await newCompany();
  const ask = (query = "") => gateway(company.keys.read, "GET", `/events${query}`);
  const types = async (query = "") => {
    const { status, body } = await ask(query);
    assert.equal(status, 200, JSON.stringify(body));
    return body.data.map(({ type }: { type: string }) => type);
  };
  const typesOnce = async (count: number, query = "") => {
    let found: string[] = [];
    await until(async () => (found = await types(query)).length >= count);
    return found;
  };
  const [{ count }] = await sql`
    select count(*)::int from app.events where company_id = ${company.id}
  `;
  const before = await typesOnce(count);
  const { next_cursor } = (await ask("?start=now")).body.pagination;
  await add(company, "Later");
  assert.deepEqual(await typesOnce(1, `?cursor=${next_cursor}`), ["contact.created"]);
  await operate("restart");
  for (const query of ["", "&type=contact.*", `&record_id=${company.contact_id}`]) {
    const { status, body } = await ask(`?cursor=${next_cursor}${query}`);
    assert.deepEqual([status, body.code], [410, "cursor_expired"], query);
  }
  assert.deepEqual(await typesOnce(count + 1), [...before, "contact.created"]);

  // The update makes the event look like an event of a restored dump. Until the restart, a page
  // would be incomplete, so the request fails.
  const now = (await ask("?start=now")).body.pagination.next_cursor;
  await sql`update app.events set version = ${
    10 ** 12
  } where company_id = ${company.id} and type = 'deal.created'`;
  await logged(async () => {
    const { status, body } = await ask(`?cursor=${now}`);
    assert.deepEqual([status, body.code], [500, "internal"]);
  });
  await operate("restart");
  const expired = await ask(`?cursor=${now}`);
  assert.deepEqual([expired.status, expired.body.code], [410, "cursor_expired"]);
  assert.deepEqual((await typesOnce(count + 1)).sort(), [...before, "contact.created"].sort());
});

Deno.test("a restart of the changes feeds also corrects a feed in which only the version of a deleted record is too high", async () => {
  const company = await newCompany();
  await sql`
    insert into deleted_rows (company_id, resource, id, version, deleted_at)
    values (${company.id}, 'contacts', ${crypto.randomUUID()}, ${10 ** 14}, now())
  `;
  await logged(async () => {
    assert.deepEqual(await refusal(company, ""), [422, "invalid_request"]);
    const { status } = await gateway(company.keys.read, "GET", "/contacts/changes");
    assert.equal(status, 500);
  });
  await operate("restart");
  await until(async () => (await page(company)).data.length === 2);
});

Deno.test("after a restart of the changes feeds, new versions are higher than all earlier ones, even in tables without a feed", async () => {
  const company = await newCompany();
  await sql`
    insert into teams (company_id, name, version)
    values (${company.id}, 'Of the dump', ${2 * 10 ** 14})
  `;
  await operate("restart");
  await sql`update teams set name = name || '!' where company_id = ${company.id}`;
  const [{ version }] = await sql`
    select min(version)::float8 as version from teams where company_id = ${company.id}
  `;
  assert.ok(version > 2 * 10 ** 14);
});

Deno.test("a restart of the changes feeds waits for earlier writers, and later writers wait for the restart", async () => {
  const company = await newCompany();
  await using before = await openTransaction();
  await before.sql`update contacts set name = 'Before' where id = ${company.contact_id}`;
  await using across = await openTransaction();
  // This transaction got its transaction number before the restart, but writes its contact after
  // the restart.
  await across.sql`update teams set name = 'Across' where id = ${company.team_id}`;
  const restarting = operate("restart");
  await until(async () => {
    const [{ waits }] = await sql`
      select count(*)::int as waits from pg_locks where not granted and mode = 'ShareRowExclusiveLock'
    `;
    return waits > 0;
  });
  await before.commit();
  await restarting;
  await assertShows(company, ["Before"]);
  const { next_cursor } = (await page(company, "?start=now")).pagination;
  await across.sql`
    insert into contacts (company_id, phone, name) values (${company.id}, ${anyPhone()}, 'Across')
  `;
  await add(company, "After");
  assert.deepEqual(await names(company, `?cursor=${next_cursor}`), []);
  await across.commit();
  await assertShows(company, ["Across", "After"], `?cursor=${next_cursor}`);
});

Deno.test("after a database is restored to an earlier point in time, cursors that were issued after that point expire", async () => {
  const company = await newCompany();
  await pass(1000);
  const { next_cursor } = (await page(company, "?start=now")).pagination;
  // Sets the clock of the changes feeds back by 500 transactions, to a time when the company
  // already existed.
  await sql`update app.change_clock set base = base - 500`;
  assert.deepEqual(await refusal(company, next_cursor), [410, "cursor_expired"]);
  await assertShows(company, ["Ada"]);
  await sql`update app.change_clock set base = base + 500`;
  assert.deepEqual(await names(company, `?cursor=${next_cursor}`), []);
});

/** Uses up transaction numbers. Each savepoint that writes takes one number. */
async function pass(count: number) {
  await sql.begin(async (sql) => {
    await sql`create temporary table passed (number integer) on commit drop`;
    await sql.unsafe(`
      do $$ begin
        for number in 1..${count} loop
          begin insert into passed values (number); exception when no_data_found then null; end;
        end loop;
      end $$
    `);
  });
}

/**
 * Begins a transaction on its own connection. If the test does not commit the transaction, it is
 * rolled back at the end.
 */
async function openTransaction() {
  const own = postgres(stack.database_url, { max: 1, prepare: false, onnotice: () => {} });
  await own`begin`;
  return {
    sql: own,
    commit: () => own`commit`,
    [Symbol.asyncDispose]: () => own.end({ timeout: 1 }),
  };
}
