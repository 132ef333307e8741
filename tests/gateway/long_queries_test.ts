// Tests long queries. The proxy in front of a hosted Data API accepts a request line of 8 KiB. The
// gateway refuses a longer query without sending it.
import assert from "node:assert/strict";
import { assertField, call } from "../support/calls.ts";
import { newCompanyWithTemplate } from "../support/company.ts";
import { ownGateway, watchedStack } from "../support/own_functions.ts";
import { statement, withDatabase } from "../support/test_stack.ts";

const company = await newCompanyWithTemplate();
const { keys } = company;
const query = (parameters: Record<string, string>) => new URLSearchParams(parameters).toString();
const several = (count: number, value: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => value(at)).join(",");

/** Starts a gateway that records the length of the URL of each database query. */
async function measuredGateway() {
  const lengths: number[] = [];
  const database = watchedStack(({ url }) => {
    const { pathname, search } = new URL(url);
    if (!pathname.endsWith("/authenticate")) lengths.push(pathname.length + search.length);
    return null;
  });
  const request = await ownGateway(database.url);
  return { lengths, request, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
}

Deno.test("if the filters are too long in total, the response is a 422 that names this problem", async () => {
  await using gateway = await measuredGateway();
  const addresses = [
    `/contacts?${query({ name: several(100, (at) => `${at}`.padEnd(80, "x")) })}`,
    `/contacts?${query({ tags: several(30, (at) => `tag ${at} `.padEnd(64, "é")) })}`,
    `/contacts?${query({ q: "語".repeat(255), "name[contains]": "🎈".repeat(255) })}`,
    `/contacts?${query({ "custom_fields.x": several(100, (at) => `${at}`.padEnd(120, "1")) })}`,
    `/deals?${query({ title: "x".repeat(16 * 1024 - 10) })}`,
    `/search?${query({ q: "ﷺ".repeat(200) })}`,
  ];
  for (const address of addresses) {
    const { status, body } = await gateway.request(keys.read, "GET", address);
    assert.deepEqual([status, body.code], [422, "invalid_request"], address.slice(0, 80));
    assert.match(body.error, /filters together are too long/);
    assert.equal((await gateway.request("sk_live_wrong", "GET", address)).status, 401);
    assert.equal((await gateway.request(keys.write, "GET", address)).status, 403);
  }
  assert.deepEqual(gateway.lengths, []);
});

Deno.test("every query fits into a request line of 8 KiB, with any filters", async () => {
  await using gateway = await measuredGateway();
  for (let count = 1; count <= 100; count += 7) {
    const name = several(count, (at) => `${at}`.padEnd(80, "x"));
    const { status } = await gateway.request(keys.read, "GET", `/contacts?${query({ name })}`);
    assert.equal(status, gateway.lengths.length === 1 ? 200 : 422);
    assert.ok(gateway.lengths.every((length) => length <= 7_500), String(gateway.lengths));
    gateway.lengths.length = 0;
  }
});

Deno.test("each filter accepts its maximum number of values", async () => {
  await using gateway = await measuredGateway();
  const ids = several(100, () => crypto.randomUUID());
  const messages = `/conversations/${company.conversation_id}/messages`;
  const addresses: [string, Record<string, string>][] = [
    ["/contacts", { id: ids }],
    ["/contacts", { "id[ne]": ids }],
    ["/contacts", { phone: several(100, (at) => `+5511987654${100 + at}`) }],
    ["/contacts", { "phone[ne]": several(100, (at) => `+5511987654${100 + at}`) }],
    ["/contacts", { email: several(100, (at) => `somebody.${at}@company-${at}.example.com`) }],
    ["/contacts", { tags: several(100, (at) => `a tag of some words ${at}`) }],
    ["/contacts", { "custom_fields.some_key": several(40, String) }],
    ["/contacts", { "custom_fields.some_key": several(60, (at) => `value ${at}`) }],
    ["/contacts", { q: several(10, (at) => `${at}`.padEnd(24, "x")) }],
    ["/contacts", { name: "🎈".repeat(255) }],
    ["/contacts", { "name[contains]": "ção ".repeat(63) }],
    ["/deals", { "contact_id[ne]": ids, sort: "-value", include: "contact,stage" }],
    ["/deals", { value: several(100, (at) => `${at}.99`) }],
    ["/conversations", { "assigned_to[ne]": ids, include: "contact", sort: "last_message_at" }],
    [messages, {
      "whatsapp_message_id": several(100, (at) => `wamid.HBgMNTUxMTk4NzY1NDMyMRUCABEY${at}`),
    }],
    ["/templates", { "business_account_id[ne]": several(100, (at) => `10${at}`.padEnd(15, "0")) }],
    ["/search", { q: "🎈".repeat(255) }],
  ];
  for (const [path, parameters] of addresses) {
    const address = `${path}?${query(parameters)}`;
    const { status, body } = await gateway.request(keys.read, "GET", address);
    assert.equal(status, 200, `${address.slice(0, 80)} ${JSON.stringify(body)}`);
  }
});

Deno.test("a filter by pipelines accepts 100 stages that are not archived, and one more returns a 422", async () => {
  const { id, keys, pipeline_id, stage_ids, contact_id, deal_id } = await newCompanyWithTemplate();
  const addStages = (count: number, archived_at: string | null = null) =>
    statement`
      insert into stages (company_id, pipeline_id, name, position, archived_at)
      select ${id}, ${pipeline_id}, 'Stage', 9, ${archived_at} from generate_series(1, ${count}::integer)
    `;
  const added: string[] = [];
  for (const end of ["a", "b"]) {
    const deal = { title: "🎈".repeat(120) + end, contact_id, stage_id: stage_ids[0], value: 5 };
    const { status, body } = await call(keys.all, "POST", "/deals", { json: deal });
    assert.equal(status, 201);
    added.push(body.data.id);
  }
  await call(keys.all, "PATCH", `/deals/${deal_id}`, { json: { value: 5 } });
  await addStages(20, "2026-01-01");
  await addStages(100 - stage_ids.length);
  const filters = { pipeline_id, status: "open", "value[gt]": "1", "value[lt]": "9" };
  for (const sort of ["title", "-title", "-value"]) {
    const path = `/deals?${query({ ...filters, sort, include: "contact,stage", limit: "1" })}`;
    const found: string[] = [];
    for (let cursor: string | null = ""; cursor !== null && found.length < 4;) {
      const next: string = cursor && `&cursor=${cursor}`;
      const { status, body } = await call(keys.read, "GET", `${path}${next}`);
      assert.equal(status, 200, `${sort} ${JSON.stringify(body)}`);
      found.push(body.data[0].id);
      cursor = body.pagination.next_cursor;
    }
    assert.deepEqual(found.sort(), [deal_id, ...added].sort(), sort);
  }

  const [other] = await statement`
    with other as (insert into pipelines (company_id, name) values (${id}, 'Other') returning id)
    insert into stages (company_id, pipeline_id, name) select ${id}, id, 'Stage' from other
    returning pipeline_id
  `;
  assertField(
    await call(keys.read, "GET", `/deals?pipeline_id=${pipeline_id},${other.pipeline_id}`),
    "pipeline_id",
    "must name pipelines that together have at most 100 stages; name fewer pipelines in one " +
      "request, or filter by stage_id",
  );
});

Deno.test("if the filters of a first page are as long as possible, its cursor works", async () => {
  const { keys } = await newCompanyWithTemplate();
  await call(keys.all, "POST", "/contacts", { json: { phone: "+442071234567" } });
  await using gateway = await measuredGateway();
  const at = (name: string, rest: Record<string, string> = {}) => {
    const path = `/contacts?${query({ "name[ne]": name, limit: "1", ...rest })}`;
    return gateway.request(keys.read, "GET", path);
  };
  await at("x");
  const longest = "x".repeat(7_500 - gateway.lengths[0] + 1);
  assert.equal((await at(`${longest}x`)).status, 422);
  const first = await at(longest);
  assert.equal(first.status, 200, JSON.stringify(first.body));
  const second = await at(longest, { cursor: first.body.pagination.next_cursor });
  assert.equal(second.status, 200, JSON.stringify(second.body));
  assert.notEqual(second.body.data[0].id, first.body.data[0].id);
  assert.ok(gateway.lengths.every((length) => length <= 8_000), String(gateway.lengths));
});

Deno.test("if a list is sorted by the longest possible names, its cursors work, even with another long filter", async () => {
  const { id, keys } = await newCompanyWithTemplate();
  const nameOf = (end: string) => "🎈".repeat(200) + end;
  await withDatabase(async (sql) => {
    for (const end of ["a", "b", "c"]) {
      const row = { company_id: id, phone: `+4420700000${end.charCodeAt(0)}`, name: nameOf(end) };
      await sql`insert into contacts ${sql(row)}`;
    }
  });
  const filters = query({
    sort: "name",
    limit: "1",
    "name[ne]": "é".repeat(255),
    q: "🎈".repeat(3),
  });
  const names: string[] = [];
  for (let cursor: string | null = "", pages = 0; cursor !== null && pages < 5; pages++) {
    const next: string = cursor && `&cursor=${cursor}`;
    const { status, body } = await call(keys.read, "GET", `/contacts?${filters}${next}`);
    assert.equal(status, 200, JSON.stringify(body));
    names.push(...body.data.map(({ name }: { name: string }) => name));
    cursor = body.pagination.next_cursor;
  }
  assert.deepEqual(names.sort(), ["a", "b", "c"].map(nameOf));
});

Deno.test("a filter accepts 100 values and `q` accepts 10 words, and one more returns a 422", async () => {
  const at = async (parameters: Record<string, string>) =>
    (await call(keys.read, "GET", `/contacts?${query(parameters)}`)).status;
  const numbers = (count: number) => several(count, String);
  assert.equal(await at({ name: numbers(100) }), 200);
  assert.equal(await at({ name: numbers(101) }), 422);
  assert.equal(await at({ "tags[all]": numbers(101) }), 422);
  assert.equal(await at({ "custom_fields.x": several(101, () => "x") }), 422);
  assert.equal(await at({ q: numbers(10) }), 200);
  assert.equal(await at({ q: numbers(11) }), 422);
  assert.equal(await at({ q: "x".repeat(255) }), 200);
  assert.equal(await at({ q: "x".repeat(256) }), 422);
  assert.equal(await at({ "name[contains]": "x".repeat(256) }), 422);
});
