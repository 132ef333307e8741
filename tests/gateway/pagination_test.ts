import assert from "node:assert/strict";
import * as fc from "fast-check";
import {
  addMessage,
  anyPhone,
  type Company,
  newCompany,
  newCompanyWithTemplate,
} from "../support/company.ts";
import { call } from "../support/calls.ts";
import { anyCharacter } from "../support/nasty_text.ts";
import { changesRoutes, feedOf, pageRoutes } from "../support/routes.ts";
import { runs } from "../support/runs.ts";
import { statement, withDatabase } from "../support/test_stack.ts";

type Row = Record<string, string>;

async function page(company: Company, path: string) {
  const { status, body } = await call(company.keys.read, "GET", path);
  assert.equal(status, 200, JSON.stringify(body));
  return body as {
    data: Row[];
    pagination: { limit: number; has_more: boolean; next_cursor: string | null };
  };
}

/** Adds contacts. Every three contacts have the same `created_at`. */
function addContacts(companyId: string, count: number) {
  return statement`
    insert into contacts (company_id, phone, created_at)
    select ${companyId}, '+99' || lpad(i::text, 10, '0'),
      now() - (i / 3 * 3) * interval '1 microsecond'
    from generate_series(1, ${count}::int) as i
    returning id
  `;
}

/** Reads all pages of a list, and returns the ids in order. Calls `between` after each page. */
async function walk(
  company: Company,
  path: string,
  limit: number,
  between: (pages: number) => Promise<void> = async () => {},
): Promise<string[]> {
  const ids: string[] = [];
  let next: string | null = "";
  for (let pages = 1; next !== null; pages++) {
    assert.ok(pages < 500, "the walk ends");
    const cursor: string = next && `&cursor=${next}`;
    const { data, pagination } = await page(company, `${path}?limit=${limit}${cursor}`);
    assert.ok(data.length <= limit);
    assert.equal(pagination.has_more, pagination.next_cursor !== null);
    ids.push(...data.map(({ id }) => id));
    next = pagination.next_cursor;
    await between(pages);
  }
  return ids;
}

Deno.test("reading all pages returns each remaining row once while other rows are added and deleted", async () => {
  const company = await newCompany();
  const rows = await addContacts(company.id, 1000);
  const ids = rows.map(({ id }) => id);
  // Every tenth row may be deleted while the pages are read, so the pages need not contain that
  // row.
  const doomed = ids.filter((_, i) => i % 10 === 0);
  const seen = await walk(company, "/contacts", 7, async (pages) => {
    if (pages % 8 !== 0) return;
    await call(company.keys.write, "POST", "/contacts", { json: { phone: anyPhone() } });
    const victims = doomed.slice(pages % 90, pages % 90 + 6);
    await withDatabase((sql) => sql`delete from contacts where id in ${sql(victims)}`);
  });

  assert.equal(new Set(seen).size, seen.length, "no row was returned twice");
  const stood = ids.filter((id) => !doomed.includes(id));
  assert.deepEqual(stood.filter((id) => !seen.includes(id)), []);
});

Deno.test("a malformed cursor and a cursor from another list return a 422 that says what to do", async () => {
  const company = await newCompanyWithTemplate();
  await addContacts(company.id, 2);
  const { next_cursor } = (await page(company, "/contacts?limit=1")).pagination;
  assert.match(next_cursor!, /^[A-Za-z0-9_-]+$/);
  const encode = (value: unknown) => btoa(JSON.stringify(value)).replace(/=+$/, "");
  const id = crypto.randomUUID();
  const time = "2026-01-01T00:00:00+00:00";
  const wrong = [
    ...["", "x", "null", id, next_cursor!.slice(1), next_cursor!.slice(0, -4)],
    ...[`${next_cursor}AAAA`, encode(null), encode({}), encode([]), encode(["contacts", time])],
    ...[encode(["contacts"]), encode(["contacts", "", time, id])],
    ...[encode(["contacts", ["AAAAAAAAAAAA"], time, id]), encode(["contacts", [], time, id])],
    ...[encode(["contacts", time, id, "1"]), encode(["contacts", time, id, -1])],
    ...[encode(["contacts", time, id, 1, 1]), encode(["contacts", 1, time, id])],
    ...[encode(["deals", "", time, id]), encode(["contacts", "now", id])],
    encode(["contacts", "2026-02-30T00:00:00+00:00", id]),
    encode(["contacts", "0000-01-01T00:00:00+00:00", id]),
    encode(["contacts", "2026-01-01T00:00:00+23:59", id]),
    encode(["contacts", "2026-01-01T00:00:00.1234567+00:00", id]),
    encode(["contacts", `2026-01-01T00:00:00.${"0".repeat(128)}+00:00`, id]),
    encode(["contacts", `2026-01-01T00:00:00.${"0".repeat(10_000)}+00:00`, id]),
    encode(["contacts", "2026-01-01T24:00:00+00:00", id]),
    encode(["contacts", "10000-01-01T00:00:00+00:00", id]),
    ...[encode(["contacts", 'x",id.gt.0', id]), encode(["contacts", time, "1"])],
    ...[encode(["contacts", time, `${id}",id.neq."${id}`]), "x".repeat(5000)],
  ];
  for (const cursor of wrong) {
    const path = `/contacts?cursor=${encodeURIComponent(cursor)}`;
    const { status, body } = await call(company.keys.read, "GET", path);
    assert.deepEqual([status, body.details?.[0].field], [422, "cursor"], cursor.slice(0, 80));
    assert.match(body.details[0].message, /send next_cursor of the previous page unchanged/);
  }
  for (const { pattern, path } of pageRoutes) {
    if (pattern === "/contacts") continue;
    const other = `${path(company)}?cursor=${next_cursor}`;
    const { status } = await call(company.keys.read, "GET", other);
    assert.equal(status, 422, pattern);
  }
});

Deno.test("a forged cursor leads to another position, but never to another list or company", async () => {
  const company = await newCompany();
  await addContacts(company.id, 5);
  const made = btoa(
    JSON.stringify(["contacts", "9999-12-31T23:59:59.999999+00:00", crypto.randomUUID()]),
  );
  const { data } = await page(company, `/contacts?cursor=${made.replace(/=+$/, "")}`);
  assert.equal(data.length, 6);
  for (const row of data) assert.equal(row.company_id, company.id);
});

/** Generates one of these strings, usually the first one. */
function mostly(usual: string, ...others: string[]) {
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  );
}

const anyTime = fc.tuple(
  mostly("2026", "0000", "0001", "1969", "9999", "10000", "-001"),
  mostly("-12-31T", "-02-29T", "-13-01T", " 12:31 "),
  mostly("23:59:59", "00:00:00", "23:59:60", "24:00:00", "00:00"),
  fc.constantFrom("", ".", ".1", ".999999", ".1234567", `.${"9".repeat(200)}`),
  mostly("+00:00", "Z", "-14:59", "+14:59", "+15:59", "+00", ""),
).map((parts) => parts.join(""));

/** Values that a caller may put into a cursor. */
const anyCursorValue = fc.oneof(
  { weight: 5, arbitrary: anyTime },
  fc.constantFrom(-0, 2 ** 31, -(2 ** 31) - 1, 1e308, 0.5, null, true, "", "now", "infinity"),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.uuid(),
  fc.string({ unit: anyCharacter, maxLength: 40 }),
);

/** For each list, the values of a valid cursor. The test replaces one value. */
const CURSORS: Record<string, unknown[]> = {
  "/pipelines": [0, crypto.randomUUID()],
  "/stages": [crypto.randomUUID(), 0, crypto.randomUUID()],
  "/templates": ["order_update", "en_US", crypto.randomUUID()],
};
const NEWEST_FIRST = ["2026-01-01T00:00:00.5+00:00", crypto.randomUUID()];

for (const route of pageRoutes) {
  const { pattern, path: pathOf } = route;
  const isOfChanges = changesRoutes.includes(route);
  const name = isOfChanges ? feedOf(route.table) : route.table;
  Deno.test(`${pattern} never returns a database error for an invalid cursor`, async () => {
    const company = await newCompanyWithTemplate();
    const values = isOfChanges ? [0, 0, company.id] : CURSORS[pattern] ?? NEWEST_FIRST;
    // A cursor begins with the list's name. In a list within one record, such as a deal's history,
    // a digest of the query comes next.
    const marks = pattern.includes("/:id/") ? [await markOf(company, pathOf(company))] : [];
    const head = [name, ...marks];
    const changed = fc.tuple(fc.nat(values.length - 1), anyCursorValue).map(([at, value]) =>
      btoa(ascii(JSON.stringify([...head, ...values.with(at, value)])))
    );
    const cursors = fc.oneof(
      { weight: 8, arbitrary: changed },
      { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 60 }) },
      { weight: 1, arbitrary: fc.base64String({ maxLength: 700 }) },
    );
    await fc.assert(
      fc.asyncProperty(cursors, async (cursor) => {
        const path = `${pathOf(company)}?cursor=${encodeURIComponent(cursor.toWellFormed())}`;
        const { status, body } = await call(company.keys.read, "GET", path);
        assert.ok([200, 410, 422].includes(status), JSON.stringify(body));
      }),
      { numRuns: runs(30) },
    );
  });
}

/**
 * The second part of this list's cursor: a digest of the query. The query contains the id of the
 * parent record, which is a conversation for messages and a deal for a history.
 */
async function markOf(company: Company, path: string): Promise<[string]> {
  await withDatabase(async (sql) => {
    await addMessage(sql, company);
    await sql`update deals set status = 'won' where id = ${company.deal_id}`;
  });
  const { next_cursor } = (await page(company, `${path}?limit=1`)).pagination;
  return JSON.parse(atob(next_cursor!.replaceAll("-", "+").replaceAll("_", "/")))[1];
}

/** ASCII-only JSON, which `btoa` can encode. */
function ascii(json: string): string {
  return json.replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
