// Tests reading lists from the first page to the last, in any order and with any filter. Also tests
// which queries accept a cursor.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import { addressOf, type Query, schemaOf } from "../support/any_query.ts";
import { assertField, call } from "../support/calls.ts";
import { idOf, rowsOf } from "../support/company_rows.ts";
import { type FoundRow, inOrder, meets, orderOf } from "../support/found_rows.ts";
import { newOddCompany } from "../support/odd_company.ts";

const company = await newOddCompany();
const rows = await rowsOf(company);

/** Requests a page of a list. */
async function page(path: string, query: Query): Promise<{ ids: string[]; next: string | null }> {
  const address = addressOf(path.replace("{id}", company.conversation_id), query);
  const { status, body } = await call(company.keys.read, "GET", address);
  assert.equal(status, 200, JSON.stringify(body));
  const ids = body.data.map((row: FoundRow) => row[idOf(path)]);
  return { ids, next: body.pagination.next_cursor };
}

/** Reads all pages of a list, with these limits in turn, and returns the ids. */
async function walk(path: string, query: Query, limits: number[]): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0, cursor: string | null = null; at === 0 || cursor !== null; at++) {
    assert.ok(at < 500, "the walk ends");
    const limit = String(limits[at % limits.length]);
    const { ids: found, next } = await page(path, { ...query, limit, ...(cursor && { cursor }) });
    ids.push(...found);
    cursor = next;
  }
  return ids;
}

async function idsInOrder(path: string, filters: Query, sort?: string): Promise<string[]> {
  const found = rows[path].filter((row) =>
    !row.archived_at &&
    Object.entries(filters).every(([name, text]) => meets(row, name, text))
  );
  return (await inOrder(found, orderOf(path, sort))).map(({ id }) => id);
}

for (const path of Object.keys(rows)) {
  Deno.test(`reading all pages of ${path} in any order returns each row once, with any limits`, async () => {
    for (const sort of [undefined, ...schemaOf(path, "sort").enum as string[]]) {
      const [limits] = fc.sample(
        fc.array(fc.integer({ min: 3, max: 30 }), { minLength: 1, maxLength: 5 }),
        1,
      );
      const query: Query = { fields: idOf(path), ...(sort && { sort }) };
      const walked = await walk(path, query, limits);
      assert.deepEqual(walked, await idsInOrder(path, {}, sort), `sort=${sort}, limits ${limits}`);
    }
  });
}

/** Filters whose results have equal, missing and empty values in the sorted column. */
const FILTERED: [path: string, sort: string, filters: Query][] = [
  ["/contacts", "name", { "name[empty]": "true" }],
  ["/contacts", "-name", { "name[contains]": "a", "is_active[ne]": "true" }],
  ["/contacts", "updated_at", { q: "example a", "do_not_contact[ne]": "true" }],
  ["/contacts", "-created_at", { "tags[ne]": "vip,a\\,b", "email[empty]": "false" }],
  ["/deals", "value", { "value[ne]": "1200.5" }],
  ["/deals", "-value", { "value[empty]": "true" }],
  ["/deals", "-title", { "value[lte]": "1200.50", "title[ne]": "a\\,b" }],
  ["/conversations", "last_message_at", { "last_message_at[empty]": "true" }],
  ["/conversations", "-last_message_at", { "team_id[empty]": "true" }],
  ["/pipelines", "-position", { position: "2,1,0" }],
  ["/stages", "name", { "position[gte]": "2" }],
  ["/members", "name", { "name[empty]": "true" }],
  ["/sends", "created_at", { status: "failed,pending" }],
  ["/sends", "-created_at", { "state[ne]": "sent", "template_name[empty]": "false" }],
  ["/templates", "-name", { "category[empty]": "true" }],
];

for (const [path, sort, filters] of FILTERED) {
  Deno.test(`reading ${addressOf(path, { sort, ...filters })} one row at a time keeps the filters`, async () => {
    const expected = await idsInOrder(path, filters, sort);
    assert.ok(expected.length >= 3, `${expected.length} rows`);
    assert.deepEqual(await walk(path, { sort, ...filters }, [1]), expected);
  });
}

/** Reads a first page of one row, and returns the cursor to the second page. */
async function cursorOf(path: string, query: Query = {}): Promise<string> {
  const { next } = await page(path, { ...query, limit: "1" });
  assert.ok(next, "there is a second page");
  return next;
}

Deno.test("a cursor from a query with other filters or another sort is refused, and the error mentions the other filters", async () => {
  const queries: Query[] = [
    {},
    { sort: "-updated_at" },
    { sort: "name" },
    { q: "example" },
    { "name[ne]": "null" },
    { "name[ne]": "null,true" },
    { "email[ne]": "null" },
    { "is_active[ne]": "true" },
    { "custom_fields.seats": "5,0" },
    { "created_at[gte]": "2026-01-31" },
  ];
  const cursors = await Promise.all(queries.map((query) => cursorOf("/contacts", query)));
  for (const [at, query] of queries.entries()) {
    for (const [of, cursor] of cursors.entries()) {
      const answer = await call(
        company.keys.read,
        "GET",
        addressOf("/contacts", { ...query, cursor }),
      );
      if (at === of) assert.equal(answer.status, 200);
      else assertField(answer, "cursor", /other filters/);
    }
  }
});

Deno.test("a list without `sort` refuses the cursor of a list with `sort`, even if both cursors look alike", async () => {
  // The cursor of a list with `sort` also contains a digest of the query. The digest is in an
  // array, because a string would look like the template's name in a cursor of a list without
  // `sort`.
  const cursor = await cursorOf("/templates", { sort: "name" });
  const answer = await call(company.keys.read, "GET", addressOf("/templates", { cursor }));
  assertField(answer, "cursor", /other filters/);
});

Deno.test("a cursor remains valid if only `limit`, `fields`, `include` or `include_total` of the query changes", async () => {
  const query: Query = { "value[gte]": "0", sort: "value" };
  const whole = await idsInOrder("/deals", { "value[gte]": "0" }, "value");
  const cursor = await cursorOf("/deals", query);
  const others: Query[] = [
    { limit: "200" },
    { limit: "3", fields: "id" },
    { fields: "title,id", include: "stage,contact" },
    { include_total: "true", include: "contact" },
  ];
  for (const other of others) {
    const { ids } = await page("/deals", { ...query, ...other, cursor });
    assert.deepEqual(ids, whole.slice(1, 1 + Number(other.limit ?? 50)));
  }
});

Deno.test("a cursor remains valid if the filters and values have another order or spelling", async () => {
  const [one, other] = rows["/contacts"].map(({ id }) => id);
  const same: [string, Query, Query][] = [
    ["/contacts", {}, { sort: "-created_at" }],
    ["/pipelines", {}, { sort: "position" }],
    ["/contacts", { "name[ne]": "a,b", is_active: "true" }, {
      is_active: "true",
      "name[ne]": "b,a,b",
    }],
    ["/contacts", { q: "example a" }, { q: "A, éxample" }],
    ["/contacts", { "id[ne]": `${one},${other}` }, { "id[ne]": `${other.toUpperCase()},${one}` }],
    ["/contacts", { "custom_fields.seats": "5,0" }, { "custom_fields.seats": "0,5,0" }],
    ["/contacts", { "phone[ne]": "+5511987654321" }, { "phone[ne]": "+551187654321" }],
    ["/contacts", { "tags[ne]": "vip,br" }, { "tags[ne]": "br,vip" }],
  ];
  for (const [path, from, to] of same) {
    const expected = await page(path, { ...to, limit: "200" });
    const { ids } = await page(path, { ...to, limit: "200", cursor: await cursorOf(path, from) });
    assert.deepEqual(ids, expected.ids.slice(1), JSON.stringify(to));
  }
});
