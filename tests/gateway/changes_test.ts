// Tests the changes feeds from a caller's point of view. changes_mirror_test.ts tests that a feed
// misses no change.

import assert from "node:assert/strict";
import { assertField, call } from "../support/calls.ts";
import { changesOnce } from "../support/changes.ts";
import { addMessage, anyPhone, type Company, newCompany } from "../support/company.ts";
import { changesRoutes } from "../support/routes.ts";
import { until } from "../support/started.ts";
import { statement, withDatabase } from "../support/test_stack.ts";

interface Page {
  data: { id: string; deleted_at?: string; [field: string]: unknown }[];
  pagination: { limit: number; has_more: boolean; next_cursor: string };
}

async function page({ keys }: Company, path: string): Promise<Page> {
  const { status, body } = await call(keys.read, "GET", path);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

/** Waits until the changes after a cursor contain this row, and returns these changes. */
async function untilShown({ keys }: Company, path: string, cursor: string, id: string) {
  const changes = `${path}?cursor=${cursor}&limit=200`;
  const { body } = await changesOnce(keys.read, changes, hasRow(id));
  return body as Page;
}

function hasRow(id: string) {
  return (rows: Page["data"]) => rows.some((row) => row.id === id);
}

/** Encodes a cursor as the service does, so that a test can modify the cursor. */
function encode(...parts: unknown[]): string {
  return btoa(JSON.stringify(parts)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function decode(cursor: string): [feed: string, generation: number, version: number, id: string] {
  return JSON.parse(atob(cursor.replaceAll("-", "+").replaceAll("_", "/")));
}

interface CompanyWithMessage extends Company {
  message_id: string;
}

/** Creates a company with a message that has no send, so that the test can delete the message. */
async function newCompanyWithMessage(): Promise<CompanyWithMessage> {
  const company = await newCompany();
  return { ...company, message_id: await withDatabase((sql) => addMessage(sql, company)) };
}

/**
 * Deletes a company's deals, conversations and contacts. Deleting a conversation also deletes its
 * messages.
 */
async function deleteRecords({ id }: Company) {
  await withDatabase((sql) =>
    sql.begin(async (sql) => {
      await sql`delete from deals where company_id = ${id}`;
      await sql`delete from conversations where company_id = ${id}`;
      await sql`delete from contacts where company_id = ${id}`;
    })
  );
}

/** For each changes feed, the id of one of the company's rows. */
const OWN: Record<string, (company: CompanyWithMessage) => string> = {
  "/contacts/changes": ({ contact_id }) => contact_id,
  "/deals/changes": ({ deal_id }) => deal_id,
  "/conversations/changes": ({ conversation_id }) => conversation_id,
  "/messages/changes": ({ message_id }) => message_id,
};

for (const { pattern } of changesRoutes) {
  Deno.test(`${pattern} returns a record with the same fields, in the same order, as GET by id`, async () => {
    const company = await newCompanyWithMessage();
    await withDatabase(async (sql) => {
      const { id, contact_id, deal_id } = company;
      await addMessage(sql, company, {
        direction: "outbound",
        outcome: "accepted",
        content: "Ola",
      });
      await sql`
        update contacts set custom_fields = '{"plan": "gold", "seats": 12.5}', tags = '{a,"b c"}' where id = ${contact_id}
      `;
      await sql`update deals set value = 1999.5 where id = ${deal_id}`;
      await sql`
        update conversations set team_id = ${company.team_id}, assigned_to = ${company.member_id} where company_id = ${id}
      `;
    });
    const { next_cursor } = (await page(company, `${pattern}?start=beginning&limit=1`)).pagination;
    assert.match(next_cursor, /^[A-Za-z0-9_-]+$/);
    const rows = pattern === "/messages/changes" ? 2 : 1;
    const told = await changesOnce(company.keys.read, pattern, ({ length }) => length === rows);
    const changes: Page["data"] = told.body.data;
    const resource = pattern.replace("/changes", "");
    for (const change of changes) {
      const { body } = await call(company.keys.read, "GET", `${resource}/${change.id}`);
      assert.equal(JSON.stringify(change), JSON.stringify(body.data));
    }
    assert.ok(changes.some(({ id }) => id === OWN[pattern](company)));
    if (rows === 2) assert.ok(changes.some(({ status }) => status === "accepted"));
  });

  Deno.test(`${pattern}?fields= limits a record to the named fields, but a deleted record always has its id, company and deletion time`, async () => {
    const company = await newCompanyWithMessage();
    const changes = `${pattern}?fields=updated_at,id`;
    const told = await changesOnce(company.keys.read, changes, ({ length }) => length === 1);
    assert.deepEqual(Object.keys(told.body.data[0]), ["id", "updated_at"]);
    await deleteRecords(company);
    let deleted: object | undefined;
    await changesOnce(
      company.keys.read,
      changes,
      (rows) => deleted = rows.find((row) => "deleted_at" in row),
    );
    assert.deepEqual(Object.keys(deleted!), ["id", "company_id", "deleted_at"]);
  });

  Deno.test(`${pattern}?start=now returns an empty page with a cursor to later changes`, async () => {
    const company = await newCompanyWithMessage();
    const id = OWN[pattern](company);
    await changesOnce(company.keys.read, pattern, hasRow(id));
    const { data, pagination } = await page(company, `${pattern}?start=now`);
    assert.deepEqual([data, pagination.has_more], [[], false]);
    const still = await page(company, `${pattern}?cursor=${pagination.next_cursor}`);
    assert.deepEqual([still.data, still.pagination.has_more], [[], false]);
    const table = pattern.split("/")[1];
    await withDatabase((sql) =>
      sql.unsafe(`update ${table} set updated_at = now() where id = '${id}'`)
    );
    const shown = await untilShown(company, pattern, pagination.next_cursor, id);
    assert.deepEqual(shown.data.map((row) => row.id), [id]);
    // The same cursor returns the same page again. A caller that failed before it stored the page
    // can repeat the request.
    assert.deepEqual(
      (await untilShown(company, pattern, pagination.next_cursor, id)).data,
      shown.data,
    );
    const behind = await page(company, `${pattern}?cursor=${shown.pagination.next_cursor}`);
    assert.deepEqual(behind.data, []);
  });

  Deno.test(`${pattern} returns a deleted record with its id, its company and the deletion time`, async () => {
    const company = await newCompanyWithMessage();
    const id = OWN[pattern](company);
    const { next_cursor } = (await page(company, `${pattern}?start=now`)).pagination;
    await deleteRecords(company);
    const { data } = await untilShown(company, pattern, next_cursor, id);
    const deleted = data.filter((row) => "deleted_at" in row);
    assert.deepEqual(deleted.map((row) => row.id), [id]);
    assert.deepEqual(Object.keys(deleted[0]), ["id", "company_id", "deleted_at"]);
    assert.equal(deleted[0].company_id, company.id);
    assert.ok(Math.abs(Date.parse(deleted[0].deleted_at!) - Date.now()) < 60_000);
    // A caller that reads from the beginning also receives only the deleted record.
    assert.deepEqual((await page(company, pattern)).data, deleted);
  });

  Deno.test(`${pattern} refuses a cursor of another list or resource, and a damaged cursor`, async () => {
    const company = await newCompany();
    const { next_cursor } = (await page(company, `${pattern}?start=now`)).pagination;
    const [feed, generation, version, id] = decode(next_cursor);
    const others = changesRoutes.filter((route) => route.pattern !== pattern);
    const foreign = await Promise.all(
      others.map(async (route) =>
        (await page(company, `${route.pattern}?start=now`)).pagination.next_cursor
      ),
    );
    const wrong = [
      ...foreign,
      encode("contacts", "2026-01-01T00:00:00+00:00", id),
      encode(feed.replace("_changes", "s"), generation, version, id),
      ...["", "x", "null", id, next_cursor.slice(1), `${next_cursor}AAAA`, "x".repeat(5000)],
      encode(),
      encode(feed),
      encode(feed, generation, version),
      encode(feed, generation, version, id, 1),
      encode(feed, generation, version, "1"),
      encode(feed, generation, version, null),
      encode(feed, generation, version, `${id}' or true`),
      ...[-1, 0.5, 1e16, 1e300, -1e300, "1", null, true].flatMap((number) => [
        encode(feed, number, version, id),
        encode(feed, generation, number, id),
      ]),
    ];
    for (const cursor of wrong) {
      const answer = await call(
        company.keys.read,
        "GET",
        `${pattern}?cursor=${encodeURIComponent(cursor)}`,
      );
      assertField(answer, "cursor", /is not a cursor of these changes; send next_cursor/);
    }
  });

  Deno.test(`${pattern} returns a 410 for a cursor from another generation or with a future position`, async () => {
    const company = await newCompany();
    const { next_cursor } = (await page(company, `${pattern}?start=now`)).pagination;
    const [feed, generation, , id] = decode(next_cursor);
    // After a restore of the database, the operator starts a new generation of cursors.
    const expired = [
      encode(feed, generation - 1, 0, id),
      encode(feed, generation + 1, 0, id),
      encode(feed, Number.MAX_SAFE_INTEGER, 0, id),
      encode(feed, generation, Number.MAX_SAFE_INTEGER, id),
      encode(feed, generation, 2 ** 40, id),
    ];
    for (const cursor of expired) {
      const { status, body } = await call(company.keys.read, "GET", `${pattern}?cursor=${cursor}`);
      assert.deepEqual([status, body.code], [410, "cursor_expired"]);
      assert.match(body.error, /read everything again from start=beginning$/);
      const refused = await call("sk_live_wrong", "GET", `${pattern}?cursor=${cursor}`);
      assert.equal(refused.status, 401);
    }
    // A cursor with an earlier position of this generation is valid, and returns more changes.
    assert.ok((await page(company, `${pattern}?cursor=${encode(feed, generation, 0, id)}`)).data);
  });
}

Deno.test("`start` accepts only `beginning` and `now`, and is refused together with a cursor", async () => {
  const company = await newCompany();
  const at = (query: string) => call(company.keys.read, "GET", `/deals/changes${query}`);
  for (const start of ["", "Now", "end", "2026-01-01"]) {
    assertField(await at(`?start=${start}`), "start", "must be one of beginning, now");
  }
  const { next_cursor } = (await page(company, "/deals/changes")).pagination;
  for (const start of ["now", "beginning"]) {
    const both = await at(`?start=${start}&cursor=${next_cursor}`);
    assertField(both, "start", "must not be combined with cursor");
  }
  assertField(await at("?include=contact"), "include", /^is not a parameter that is accepted here/);
  assertField(await at("?fields=colour"), "fields", /^names colour, which is not one of id/);
});

Deno.test("a company without records also receives a cursor", async () => {
  const company = await newCompany();
  await until(async () => !(await page(company, "/messages/changes")).pagination.has_more);
  const { data, pagination } = await page(company, "/messages/changes?limit=7");
  assert.deepEqual(data, []);
  assert.deepEqual([pagination.limit, pagination.has_more], [7, false]);
  const again = await page(company, `/messages/changes?cursor=${pagination.next_cursor}`);
  assert.deepEqual(again.data, []);
});

Deno.test("if a row is deleted and inserted again with the same id, the feed returns the row and does not report it as deleted", async () => {
  const company = await newCompany();
  const { id, phone } = await withDatabase((sql) =>
    sql.begin(async (sql) => {
      const row = { id: crypto.randomUUID(), company_id: company.id, phone: anyPhone() };
      await sql`insert into contacts ${sql(row)}`;
      await sql`delete from contacts where id = ${row.id}`;
      await sql`insert into contacts ${sql(row)}`;
      return row;
    })
  );
  const told = await changesOnce(company.keys.read, "/contacts/changes", hasRow(id));
  const shown = (told.body as Page).data.filter((row) => row.id === id);
  assert.deepEqual(shown.map((row) => row.phone), [phone]);
});

Deno.test("a page of large rows ends early, and reading all pages returns each row once", async () => {
  const company = await newCompany();
  await statement`
    insert into contacts (company_id, phone, custom_fields)
    select ${company.id}, '+99' || lpad(i::text, 10, '0'), jsonb_build_object('"}],[{\\', repeat('語', 5000))
    from generate_series(1, 199) as i
  `;
  await changesOnce(company.keys.read, "/contacts/changes?limit=2", ({ length }) => length === 2);
  const ids: string[] = [];
  let pages = 0;
  for (let cursor = "", hasMore = true; hasMore; pages++) {
    const { data, pagination } = await page(company, `/contacts/changes?limit=200${cursor}`);
    const bytes = new TextEncoder().encode(JSON.stringify(data)).length;
    assert.ok(bytes <= 1.2 * 1024 * 1024, `${bytes} bytes`);
    assert.ok(data.length > 0);
    ids.push(...data.map(({ id }) => id));
    cursor = `&cursor=${pagination.next_cursor}`;
    hasMore = pagination.has_more;
  }
  assert.ok(pages >= 3 && pages <= 5, `${pages} pages`);
  assert.deepEqual([ids.length, new Set(ids).size], [200, 200]);
});
