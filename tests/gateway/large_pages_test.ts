// Tests that a page ends at its limit or at its byte budget.
import assert from "node:assert/strict";
import { call } from "../support/calls.ts";
import { type Company, newCompany } from "../support/company.ts";
import { backgroundWork, ownGateway, watchedStack } from "../support/own_functions.ts";
import { until } from "../support/started.ts";
import { statement } from "../support/test_stack.ts";

const MIB = 1024 * 1024;

/** Adds contacts with 15,000 bytes of custom fields each, in three-byte characters. */
function addLargeContacts({ id }: Company, count: number) {
  return statement`
    insert into contacts (company_id, phone, custom_fields, created_at)
    select ${id}, '+99' || lpad(i::text, 10, '0'),
      jsonb_build_object('"}],[{\\', repeat('語', 5000)), now() + i * interval '1 second'
    from generate_series(1, ${count}::int) as i
  `;
}

Deno.test("a page of large rows ends early with a cursor, and reading all pages returns each row once", async () => {
  const company = await newCompany(); // the company also has one small contact, the oldest
  await addLargeContacts(company, 199);
  const ids: string[] = [];
  let pages = 0;
  for (let cursor = "", hasMore = true; hasMore;) {
    const { status, body } = await call(company.keys.read, "GET", `/contacts?limit=200${cursor}`);
    assert.equal(status, 200);
    const { limit, has_more, next_cursor } = body.pagination;
    assert.equal(limit, 200);
    const bytes = new TextEncoder().encode(JSON.stringify(body.data)).length;
    assert.ok(bytes <= 1.2 * MIB, `${bytes} bytes`);
    assert.ok(body.data.length > 0);
    assert.equal(next_cursor === null, !has_more);
    if (has_more) {
      assert.ok(bytes > 0.8 * MIB, `a page that ends early is nearly full: ${bytes} bytes`);
    }
    ids.push(...body.data.map(({ id }: { id: string }) => id));
    cursor = `&cursor=${next_cursor}`;
    hasMore = has_more;
    pages++;
  }
  // 69 rows fit, or a few more if the network delivers them together. As soon as the gateway knows
  // the key's company, it requests only 62 rows.
  assert.ok(pages >= 3 && pages <= 5, `${pages} pages`);
  assert.deepEqual([ids.length, new Set(ids).size, ids.at(-1)], [200, 200, company.contact_id]);
});

Deno.test("a page that reaches its limit is complete, even if its rows are large", async () => {
  const company = await newCompany();
  await addLargeContacts(company, 30);
  const { body } = await call(company.keys.read, "GET", "/contacts?limit=30");
  assert.deepEqual([body.data.length, body.pagination.has_more], [30, true]);
  const rest = await call(
    company.keys.read,
    "GET",
    `/contacts?limit=30&cursor=${body.pagination.next_cursor}`,
  );
  assert.deepEqual(rest.body.data.map(({ id }: { id: string }) => id), [company.contact_id]);
  assert.deepEqual(rest.body.pagination, { limit: 30, has_more: false, next_cursor: null });
});

/**
 * Adds events about erased contacts, each with the ids of 1,000 deals, which is about 39,000 bytes.
 */
function addLargeEvents({ id, contact_id }: Company, count: number) {
  return statement`
    select app.write_event(${id}, 'contact.erased', ${contact_id}, jsonb_build_object('deal_ids', ids))
    from (select jsonb_agg(gen_random_uuid()) as ids from generate_series(1, 1000)) as deals,
      generate_series(1, ${count}::int)
  `;
}

Deno.test("a page of large events ends early with a cursor, and reading all pages returns each event once", async () => {
  const company = await newCompany();
  await addLargeEvents(company, 60);
  // With a filter, the database stops after 5,000 events, so these events end its first page.
  await statement`
    select app.write_event(${company.id}, 'deal.updated', ${company.deal_id})
    from generate_series(1, 5000)
  `;
  await addLargeEvents(company, 1);
  const [{ ids: large }] = await statement`
    select array_agg(app.event_name(id) order by seq) as ids from app.events
    where company_id = ${company.id} and type = 'contact.erased'
  `;
  for (const filter of ["", "&type=contact.erased"]) {
    const seen: string[] = [];
    let cursor = "";
    // An event appears when earlier transactions of other tests have ended.
    await until(async () => {
      const path = `/events?limit=200${filter}${cursor}`;
      const { status, body } = await call(company.keys.read, "GET", path);
      assert.equal(status, 200);
      assert.equal(body.pagination.limit, 200);
      const bytes = new TextEncoder().encode(JSON.stringify(body.data)).length;
      assert.ok(bytes <= 1.2 * MIB, `${bytes} bytes`);
      for (const { id, type } of body.data) if (type === "contact.erased") seen.push(id);
      cursor = `&cursor=${body.pagination.next_cursor}`;
      return seen.includes(large.at(-1));
    });
    assert.deepEqual(seen, large, filter);
  }
});

const limitOf = (request: Request) => Number(new URL(request.url).searchParams.get("limit"));

Deno.test("after a page of large rows, the gateway reads only as many rows as fit, until the rows are small again", async () => {
  const company = await newCompany();
  await addLargeContacts(company, 199);
  const asked: number[] = [];
  await using database = watchedStack((request) => {
    if (request.method === "GET") asked.push(limitOf(request));
    return null;
  });
  const request = await ownGateway(database.url);
  const list = async () => {
    const { status, body } = await request(company.keys.read, "GET", "/contacts?limit=200");
    assert.equal(status, 200);
    return body;
  };
  await list();
  await backgroundWork(); // the gateway now knows the key's company
  await list();
  const { data, pagination } = await list();
  assert.deepEqual(asked.slice(0, 2), [201, 201]);
  assert.ok(asked[2] > 50 && asked[2] < 75, `the gateway requested ${asked[2]} rows`);
  assert.deepEqual([data.length, pagination.has_more], [asked[2] - 1, true]);

  await statement`update contacts set custom_fields = '{}' where company_id = ${company.id}`;
  assert.equal((await list()).pagination.has_more, true);
  assert.deepEqual((await list()).pagination, { limit: 200, has_more: false, next_cursor: null });
});

/** A Data API that, from `hold` on, delays the reads of a path until `release` is called. */
function heldReads(path: string) {
  const gate = Promise.withResolvers<null>();
  let isHeld = false;
  let held = 0;
  const database = watchedStack((request) => {
    if (!isHeld || !request.url.includes(path)) return null;
    held++;
    return gate.promise;
  });
  return {
    ...database,
    hold: () => isHeld = true,
    /** The number of reads since `hold`. */
    held: () => held,
    release: () => gate.resolve(null),
  };
}

Deno.test("large pages of one company are read one after the other, without delaying the company's other requests", async () => {
  const company = await newCompany();
  await addLargeContacts(company, 199);
  await using database = heldReads("/own_plain_contacts?");
  const request = await ownGateway(database.url);
  const list = () => request(company.keys.read, "GET", "/contacts?limit=200");
  await list();
  await backgroundWork(); // the gateway now knows the key's company
  await list();
  database.hold();
  const lists = Array.from({ length: 4 }, list);
  await until(() => database.held() === 1);
  assert.equal((await request(company.keys.read, "GET", "/deals")).status, 200);
  assert.equal(database.held(), 1);
  database.release();
  for (const { status } of await Promise.all(lists)) assert.equal(status, 200);
  assert.equal(database.held(), 4);
});

Deno.test("large searches of one company run one after the other, and each result is complete", async () => {
  const company = await newCompany();
  await addLargeContacts(company, 50);
  await using database = heldReads("/rpc/search_records?");
  const request = await ownGateway(database.url);
  const search = async () => {
    const { status, body } = await request(company.keys.read, "GET", "/search?q=99&limit=50");
    assert.deepEqual([status, body.data?.length], [200, 50]);
  };
  await search();
  await backgroundWork(); // the gateway now knows the key's company
  await search();
  database.hold();
  const all = Array.from({ length: 3 }, search);
  await until(() => database.held() === 1);
  assert.equal((await request(company.keys.read, "GET", "/deals")).status, 200);
  assert.equal(database.held(), 1);
  database.release();
  await Promise.all(all);
  assert.equal(database.held(), 3);
});

Deno.test("large pages of one company's events are read one after the other", async () => {
  const company = await newCompany();
  await addLargeEvents(company, 40);
  await using database = heldReads("/rpc/list_events?");
  const request = await ownGateway(database.url);
  const list = () => request(company.keys.read, "GET", "/events?limit=200");
  // The events appear when earlier transactions of other tests have ended.
  await until(async () => (await list()).body.pagination.has_more);
  await backgroundWork(); // the gateway now knows the key's company
  await list();
  database.hold();
  const lists = Array.from({ length: 4 }, list);
  await until(() => database.held() === 1);
  assert.equal((await request(company.keys.read, "GET", "/deals")).status, 200);
  assert.equal(database.held(), 1);
  database.release();
  for (const { status } of await Promise.all(lists)) assert.equal(status, 200);
  assert.equal(database.held(), 4);
});
