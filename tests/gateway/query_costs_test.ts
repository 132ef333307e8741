// Tests the cost of queries. Every query needs only one round trip, counts its total only once, and
// is cancelled if it is slow.
import assert from "node:assert/strict";
import { addressOf, filtersOf, type Query, schemaOf } from "../support/any_query.ts";
import { call } from "../support/calls.ts";
import { newCompany } from "../support/company.ts";
import { rowsOf } from "../support/company_rows.ts";
import { logged } from "../support/log_lines.ts";
import { newOddCompany } from "../support/odd_company.ts";
import { backgroundWork, ownGateway, watchedStack } from "../support/own_functions.ts";

const company = await newOddCompany();
const rows = await rowsOf(company);
const { keys, conversation_id } = company;
const pathOf = (list: string) => list.replace("{id}", conversation_id);

let lastRead = "";
const database = watchedStack(({ method, url }) => {
  if (method === "GET") lastRead = url;
  return null;
});
Deno.test.afterAll(() => database[Symbol.asyncDispose]());
const request = await ownGateway(database.url);
// The gateway records a key's use at most once in five minutes, after the response. So only this
// first request causes an additional statement.
await request(keys.read, "GET", "/pipelines");
await backgroundWork();

/** Returns a response body, and the number of database statements that the request needed. */
async function costOf(list: string, query: Query) {
  database.seen.length = 0;
  const { status, body } = await request(keys.read, "GET", addressOf(pathOf(list), query));
  assert.equal(status, 200, JSON.stringify(body));
  return { body, statements: database.seen.length };
}

for (const [list, all] of Object.entries(rows)) {
  Deno.test(`${list} needs one round trip, even with filters, words, sort, fields, included records and the total`, async () => {
    const names = filtersOf(list).map(([name]) => name);
    const id = list === "/sends" ? "message_id" : "id";
    const query: Query = {
      ...{ limit: "2", fields: id, include_total: "true", sort: "-created_at" },
      ...{ "created_at[gte]": "2020-01-01", "created_at[lt]": "2200-01-01" },
      [id === "id" ? "id[ne]" : "message_id"]: id === "id"
        ? [all[0].id, crypto.randomUUID()].join()
        : all.slice(1).map((row) => row.message_id).join(),
      ...(names.includes("q") && { q: list === "/deals" ? "a" : "example" }),
      ...(names.includes("name[contains]") && { "name[contains]": "a" }),
      ...(names.includes("tags") &&
        { "tags[ne]": "none,of,these", "custom_fields.seats": "5,5.5,0" }),
      ...(schemaOf(list, "include") && { include: schemaOf(list, "include").items.enum.join() }),
    };
    const first = await costOf(list, query);
    assert.equal(first.statements, 1);
    // With the company's id, the planner can estimate how many rows the search reads.
    const searches = "q" in query || "name[contains]" in query;
    assert.equal(lastRead.includes(`company_id=eq.${company.id}`), searches);
    const { total, next_cursor } = first.body.pagination;
    assert.ok(total > 0 && total < all.length, `${total} of ${all.length}`);
    if (total <= 2) return;
    const second = await costOf(list, { ...query, cursor: next_cursor });
    assert.deepEqual([second.statements, second.body.pagination.total], [1, total]);
  });

  Deno.test(`${list} returns the same total on every page, even if the total is first requested with a later page`, async () => {
    const total = all.filter(({ archived_at }) => !archived_at).length;
    for (const asks of [true, false]) {
      let query: Query = {
        limit: String(Math.ceil(total / 3)),
        ...(asks && { include_total: "true" }),
      };
      for (let pages = 1; pages <= 3; pages++) {
        const { body, statements } = await costOf(list, query);
        const { next_cursor, limit: _, has_more: __, ...told } = body.pagination;
        const isTold = asks || pages > 1;
        assert.deepEqual(told, isTold ? { total, total_relation: "eq" } : {});
        // The gateway counts the rows for the first page with a total. The page's cursor contains
        // the total for the next pages.
        assert.equal(statements, !asks && pages === 2 ? 2 : 1);
        query = { ...query, cursor: next_cursor, include_total: "true" };
        if (next_cursor === null) break;
      }
    }
  });
}

Deno.test("the total of a list without rows is 0", async () => {
  const { keys } = await newCompany();
  const { body } = await call(keys.read, "GET", "/contacts?q=nobody&include_total=true");
  assert.deepEqual([body.pagination.total, body.pagination.total_relation], [0, "eq"]);
});

Deno.test("a total above 100,000 is returned as at least 100,000", async () => {
  let count = 0;
  const asked: (string | null)[] = [];
  await using large = watchedStack(({ method, url, headers }) => {
    if (method !== "GET") return null;
    asked.push(headers.get("Prefer"));
    const range = { "Content-Range": `0-0/${count}` };
    return Response.json(rows["/teams"].slice(0, 1), { status: 206, headers: url ? range : {} });
  });
  const ask = await ownGateway(large.url);
  const told: [number, number, string][] = [
    [99_999, 99_999, "eq"],
    [100_000, 100_000, "eq"],
    [100_001, 100_000, "gte"],
    [3_000_000_000, 100_000, "gte"],
  ];
  for (const [counted, total, relation] of told) {
    count = counted;
    const { body } = await ask(keys.read, "GET", "/teams?include_total=true");
    assert.deepEqual([body.pagination.total, body.pagination.total_relation], [total, relation]);
  }
  assert.deepEqual([...new Set(asked)], ["count=exact"]);
  asked.length = 0;
  const { body } = await ask(keys.read, "GET", "/teams");
  assert.deepEqual([asked, "total" in body.pagination], [[null], false]);
});

/** Starts a gateway whose database reads exceed the statement timeout. */
async function slowGateway() {
  const timedOut = { code: "57014", message: "canceling statement due to statement timeout" };
  const slow = watchedStack(({ url }) =>
    url.includes("/authenticate") ? null : Response.json(timedOut, { status: 500 })
  );
  return {
    request: await ownGateway(slow.url),
    [Symbol.asyncDispose]: () => slow[Symbol.asyncDispose](),
  };
}

Deno.test("if a query is slow because of its parameters, the response is a 422 that says which parameters to narrow", async () => {
  await using gateway = await slowGateway();
  const queries: [string, RegExp][] = [
    ["/contacts?q=ana", /add a filter|narrow/],
    ["/contacts?name[contains]=ana", /add a filter|narrow/],
    ["/contacts?custom_fields.plan=x&limit=1", /add a filter|narrow/],
    ["/contacts?sort=name", /sort/],
    ["/contacts?include_total=true", /include_total/],
    ["/contacts?q=ana&include_total=true", /include_total/],
    ["/deals?value[gt]=1&include=contact", /add a filter|narrow/],
    ["/conversations?sort=-last_message_at", /sort/],
    [`/conversations/${conversation_id}/messages?status=failed`, /add a filter|narrow/],
    ["/templates?status=approved", /add a filter|narrow/],
    ["/search?q=ana", /words/],
  ];
  for (const [address, advice] of queries) {
    const { status, body } = await gateway.request(keys.read, "GET", address);
    assert.deepEqual([status, body.code], [422, "query_too_expensive"], address);
    assert.match(body.error, advice, address);
    assert.equal((await gateway.request("sk_live_wrong", "GET", address)).status, 401);
  }
  const { body } = await call(keys.read, "GET", "/contacts?limit=1");
  const later = `/contacts?include_total=true&cursor=${body.pagination.next_cursor}`;
  assert.equal((await gateway.request(keys.read, "GET", later)).body.code, "query_too_expensive");
});

Deno.test("if a statement is slow for another reason, the response is a 503 with `Retry-After`", async () => {
  await using gateway = await slowGateway();
  const requests: [string, string, unknown?][] = [
    ["GET", "/contacts"],
    ["GET", "/contacts?limit=200&fields=id"],
    ["GET", "/deals?include=contact"],
    ["GET", `/contacts/${company.contact_id}`],
    ["GET", `/conversations/${conversation_id}/messages`],
    ["POST", "/contacts", { phone: "+5511987654321" }],
  ];
  await logged(async () => {
    for (const [method, address, json] of requests) {
      const { status, body, headers } = await gateway.request(keys.all, method, address, json);
      assert.deepEqual([status, body.code], [503, "database_unavailable"], address);
      assert.ok(headers.has("Retry-After"));
    }
  });
});
