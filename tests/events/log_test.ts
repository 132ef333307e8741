// Tests the event log in the API: the actors of events, the filters, the pagination, and the events
// that callers must not see.

import assert from "node:assert/strict";
import { hashKey } from "../../supabase/functions/_shared/key/presented_key.ts";
import { actAs, actAsPerson, refusal, rolledBack } from "../support/acting_as.ts";
import { assertField, call } from "../support/calls.ts";
import { anyPhone, newCompany, newKey } from "../support/company.ts";
import { eventsIn, eventsOf } from "../support/events.ts";
import { keyToken, personToken, rest } from "../support/rest.ts";
import { until } from "../support/started.ts";
import { UNREADABLE_TIMES } from "../support/times.ts";
import { stack, statement, withDatabase } from "../support/test_stack.ts";

const own = await newCompany();
const other = await newCompany();
const { keys } = own;
const ask = (path: string, key = keys.read) => call(key, "GET", `/events${path}`);

/**
 * The events of a record. The API shows them only when earlier transactions of other tests have
 * ended.
 */
async function eventsAt(record_id: string, count: number, filters = "") {
  // deno-lint-ignore no-explicit-any -- events as the API returns them
  let found: any[] = [];
  await until(async () => {
    found = (await ask(`?record_id=${record_id}${filters}`)).body.data;
    return found.length >= count;
  });
  assert.equal(found.length, count);
  return found;
}

Deno.test("an event for a change through the API names the key, the request and the changed values", async () => {
  const { deal_id, stage_ids } = own;
  const { body } = await call(keys.write, "PATCH", `/deals/${deal_id}`, {
    json: { stage_id: stage_ids[1] },
    headers: { "X-Request-Id": "order-1815" },
  });
  const [event] = await eventsAt(deal_id, 1, "&type=deal.stage_changed");
  const key = await statement`select id from api_keys where key_hash = ${await hashKey(
    keys.write,
  )}`;
  const { id, timestamp, ...rest } = event;
  assert.match(id, /^evt_[0-9a-f]{32}$/);
  assert.match(timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?\+00:00$/);
  assert.deepEqual(rest, {
    ...{ type: "deal.stage_changed", company_id: own.id, resource: "deal", record_id: deal_id },
    actor: { kind: "key", id: key[0].id },
    request_id: "order-1815",
    changed: ["stage_id", "stage_changed_at"],
    changes: { stage_id: { from: stage_ids[0], to: stage_ids[1] } },
  });
  assert.deepEqual((await ask(`/${id}`)).body.data, event);
  assert.equal(body.data.stage_id, stage_ids[1]);
});

Deno.test("the ids of events do not come from random(), whose next numbers a caller could predict", async () => {
  await rolledBack(async (sql) => {
    const idWithSeed = async (change: () => Promise<unknown>) => {
      await sql`select setseed(0.5)`;
      await change();
      const [{ id }] = await sql`
        select id from app.events where company_id = ${own.id} order by seq desc limit 1
      `;
      assert.match(id, /^.{8}-.{4}-7.{3}-[89ab]/);
      return id.slice(15);
    };
    const rename = (title: string) => () =>
      sql`update deals set title = ${title} where id = ${own.deal_id}`;
    const note = () => sql`select app.write_event(${own.id}, 'deal.updated', ${own.deal_id}::uuid)`;
    assert.notEqual(await idWithSeed(rename("First")), await idWithSeed(rename("Second")));
    assert.notEqual(await idWithSeed(note), await idWithSeed(note));
  });
});

Deno.test("changes by a user, by SQL and by a batch create events too", async () => {
  const { conversation_id, member_id } = own;
  const written = await rest(
    await personToken(member_id),
    "PATCH",
    `/conversations?id=eq.${conversation_id}`,
    { json: { status: "pending" } },
  );
  assert.equal(written.status, 200);
  const [byPerson] = await eventsAt(conversation_id, 1, "&type=conversation.updated");
  assert.deepEqual(byPerson.actor, { kind: "person", id: member_id });

  const sqlEvents = await withDatabase((sql) =>
    eventsIn(sql, own, () => sql`update contacts set name = 'S' where id = ${own.contact_id}`)
  );
  assert.deepEqual(sqlEvents.map(({ actor }) => actor), [{ kind: "platform", id: null }]);

  const items = Array.from({ length: 20 }, () => ({ phone: anyPhone() }));
  const batchEvents = await withDatabase((sql) =>
    eventsIn(sql, own, async () => {
      const { status } = await call(keys.write, "POST", "/contacts/batch", { json: { items } });
      assert.equal(status, 200);
    })
  );
  assert.deepEqual(batchEvents.map(({ type, actor }) => `${type} ${actor.kind}`), [
    ...items.map(() => "contact.created key"),
  ]);
});

Deno.test("the event about a webhook that is switched off with its key names the author and the request", async () => {
  const [owner, headers] = [await personToken(own.member_id), { "X-Request-Id": "key-1815" }];
  const byOwner = (method: string, json?: unknown) => async (key: string) => {
    const path = `/api_keys?id=eq.${key}&select=id`;
    const { status } = await rest(owner, method, path, { json, headers });
    assert.ok(status < 300, `${method} ${status}`);
  };
  const owned = [{ kind: "person", id: own.member_id }, "key-1815"];
  const cases: [(key: string) => Promise<unknown>, unknown[]][] = [
    [byOwner("PATCH", { is_active: false }), owned],
    [byOwner("DELETE"), owned],
    [(key) => statement`update api_keys set is_active = false where id = ${key}`, [
      { kind: "platform", id: null },
      null,
    ]],
  ];
  for (const [ends, expected] of cases) {
    const key = await withDatabase((sql) => sql.begin((sql) => newKey(sql, own.id, ["webhooks"])));
    const json = { url: `${stack.url}/sandbox/webhooks/log`, types: ["deal.*"] };
    const { body: { data: webhook } } = await call(key, "POST", "/webhooks", { json });
    await ends(webhook.created_by_key_id);
    const [{ type, changes, actor, request_id }] = await eventsAt(webhook.id, 1);
    assert.deepEqual([type, changes, actor, request_id], [
      ...["webhook.switched_off", { why: "key_ended" }, ...expected],
    ]);
    await call(keys.webhooks, "DELETE", `/webhooks/${webhook.id}`);
  }
});

Deno.test("a test event of a webhook names the author and the request", async () => {
  const json = { url: `${stack.url}/sandbox/webhooks/log`, types: ["deal.*"] };
  const { body: { data: webhook } } = await call(keys.webhooks, "POST", "/webhooks", { json });
  const headers = { "X-Request-Id": "test-1815" };
  await call(keys.webhooks, "POST", `/webhooks/${webhook.id}/test`, { headers });
  await rest(await personToken(own.member_id), "POST", "/rpc/test_webhook", {
    json: { webhook_id: webhook.id },
    headers,
  });
  const events = await eventsAt(webhook.id, 2);
  assert.deepEqual(events.map(({ type, actor, request_id }) => [type, actor, request_id]), [
    ["webhook.test", { kind: "key", id: webhook.created_by_key_id }, "test-1815"],
    ["webhook.test", { kind: "person", id: own.member_id }, "test-1815"],
  ]);
});

Deno.test("a request that changes nothing and a refused write create no event", async () => {
  const events = await withDatabase((sql) =>
    eventsIn(sql, own, async () => {
      const { deal_id } = own;
      const [{ title }] = await sql`select title from deals where id = ${deal_id}`;
      const same = await call(keys.write, "PATCH", `/deals/${deal_id}`, { json: { title } });
      assert.equal(same.status, 200);
      const json = { stage_id: other.stage_ids[0] };
      const refused = await call(keys.write, "PATCH", `/deals/${deal_id}`, { json });
      assert.equal(refused.status, 422);
    })
  );
  assert.deepEqual(events, []);
});

Deno.test("events can be filtered by type, by resource, by record and by time", async () => {
  const company = await newCompany();
  const { id, contact_id, deal_id } = company;
  const before = new Date(Date.now() - 3_600_000).toISOString();
  await statement`update deals set status = 'won' where id = ${deal_id}`;
  const typesFor = async (query: string) => {
    const { status, body } = await call(company.keys.read, "GET", `/events?${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.data.map(({ type }: { type: string }) => type);
  };
  await until(async () => (await typesFor("type=deal.won")).length === 1);
  assert.deepEqual(await typesFor("type=deal.*"), ["deal.created", "deal.won"]);
  assert.deepEqual(await typesFor(`record_id=${contact_id}`), ["contact.created"]);
  assert.deepEqual(await typesFor("type=contact.created,deal.won"), [
    "contact.created",
    "deal.won",
  ]);
  assert.deepEqual(await typesFor(`type=deal.*&since=${before}`), ["deal.created", "deal.won"]);
  assert.deepEqual(await typesFor(`type=*&until=${before}`), []);
  // A plain plus sign in a query string means a space.
  const plain = `${before.slice(0, -1)}+00:00`;
  assert.deepEqual(await typesFor(`type=deal.*&since=${plain}`), ["deal.created", "deal.won"]);
  assert.deepEqual(await typesFor(`type=*&until=${plain}`), []);
  assert.deepEqual(
    (await typesFor("")).length,
    (await withDatabase((sql) => eventsOf(sql, { id }))).length,
  );
});

Deno.test("an invalid filter, cursor or id is refused, and the error names the field", async () => {
  assertField(await ask("?type=deal.moved"), "type", /must be types of events/);
  assertField(await ask("?type="), "type", /must be types of events/);
  assertField(await ask("?record_id=1"), "record_id");
  assertField(await ask("?since=yesterday"), "since", /must be a time such as/);
  assertField(await ask("?cursor=x"), "cursor", /is not a cursor of the events/);
  assertField(await ask("?limit=201"), "limit");
  assertField(await ask("?start=now&cursor=x"), "cursor");
  assertField(await ask("/1"), "id", "must be evt_ followed by 32 hexadecimal digits");
  const unknown = await ask(`/evt_${crypto.randomUUID().replaceAll("-", "")}`);
  assert.deepEqual([unknown.status, unknown.body.code], [404, "not_found"]);
});

Deno.test("a time that the database cannot read is refused", async () => {
  for (const time of UNREADABLE_TIMES) {
    for (const field of ["since", "until"]) {
      assertField(
        await ask(`?${field}=${encodeURIComponent(time)}`),
        field,
        /must be a time such as/,
      );
    }
  }
  for (const time of ["0001-01-01T00:00:00+14:59", "9999-12-31T23:59:59.123456789-14:59"]) {
    assert.equal((await ask(`?since=${encodeURIComponent(time)}`)).status, 200, time);
  }
});

Deno.test("pages of any size contain each event once, and the last cursor returns later events", async () => {
  const company = await newCompany();
  const page = async (query: string) =>
    (await call(company.keys.read, "GET", `/events?${query}`)).body;
  const all = await withDatabase((sql) => eventsOf(sql, company));
  await until(async () => (await page("limit=200")).data.length === all.length);
  const seen: string[] = [];
  let cursor = "";
  do {
    const { data, pagination } = await page(`limit=1&${cursor}`);
    seen.push(...data.map(({ type }: { type: string }) => type));
    cursor = `cursor=${pagination.next_cursor}`;
    if (!pagination.has_more) break;
  } while (true);
  assert.deepEqual(seen, all.map(({ type }) => type));
  await statement`update deals set title = 'Later' where id = ${company.deal_id}`;
  await until(async () => (await page(cursor)).data.length > 0);
  assert.deepEqual((await page(cursor)).data.map(({ type }: { type: string }) => type), [
    "deal.updated",
  ]);
});

Deno.test("`start=now` returns no events, whatever the filter is, and its cursor returns later events", async () => {
  const company = await newCompany();
  const { deal_id, keys: { read } } = company;
  const page = async (query: string) => (await call(read, "GET", `/events?${query}`)).body;
  await until(async () => (await page("type=deal.created")).data.length === 1);
  const filters = [
    "type=deal.*",
    `record_id=${deal_id}`,
    "since=2020-01-01T00:00:00Z",
    "until=2120-01-01T00:00:00Z",
  ];
  const starts = await Promise.all(filters.map((filter) => page(`start=now&${filter}`)));
  for (const { data, pagination } of starts) {
    assert.deepEqual([data, pagination.has_more], [[], false]);
  }
  await statement`update deals set title = 'Later' where id = ${deal_id}`;
  for (const [place, { pagination }] of starts.entries()) {
    const next = `${filters[place]}&cursor=${pagination.next_cursor}`;
    await until(async () => (await page(next)).data.length > 0);
    assert.deepEqual((await page(next)).data.map(({ type }: { type: string }) => type), [
      "deal.updated",
    ]);
  }
});

Deno.test("no request of a key returns an event of another company", async () => {
  const [theirs] = await statement`
    select app.event_name(id) as name, id from app.events where company_id = ${other.id} order by seq limit 1
  `;
  assert.equal((await call(other.keys.read, "GET", `/events/${theirs.name}`)).status, 200);
  assert.equal((await ask(`/${theirs.name}`)).status, 404);
  assert.deepEqual((await ask(`?record_id=${other.deal_id}`)).body.data, []);
  for (const filters of ["limit=200", "type=*&limit=200"]) {
    const { body } = await ask(`?${filters}`);
    assert.ok(!JSON.stringify(body).includes(other.id));
  }
  const token = await keyToken(keys.all, "read");
  const found = await rest(token, "POST", "/rpc/find_event", { json: { name: theirs.name } });
  assert.deepEqual([found.status, found.body], [200, null]);
  for (const [scope, expected] of [["write", "PT403"], ["messaging", "PT403"]]) {
    const answer = await rest(await keyToken(keys.all, scope), "POST", "/rpc/list_events", {
      json: {},
    });
    assert.equal(answer.body.code, expected);
  }
  const asPerson = await rest(await personToken(own.member_id), "POST", "/rpc/list_events", {
    json: {},
  });
  assert.equal(asPerson.body.code, "42501");
});

Deno.test("no role used by requests can read or write the event tables", async () => {
  await rolledBack(async (sql) => {
    for (const role of ["api_client", "api_reader", "authenticated", "service_role"] as const) {
      if (role === "authenticated") await actAsPerson(sql, own.member_id);
      else await actAs(sql, role);
      for (
        const table of ["app.events", "app.events_00", "app.open_deliveries", "app.deliveries"]
      ) {
        assert.equal(await refusal(sql, (sql) => sql`select from ${sql(table)}`), "42501");
        assert.equal(await refusal(sql, (sql) => sql`delete from ${sql(table)}`), "42501");
      }
      await sql`reset role`;
    }
  });
});

Deno.test("callers cannot see events older than 30 days, even if no job has deleted these events yet", async () => {
  const company = await newCompany();
  const [{ name }] = await statement`
    update app.events set happened_at = happened_at - interval '30 days'
    where company_id = ${company.id} and record_id = ${company.deal_id} returning app.event_name(id) as name
  `;
  const { read } = company.keys;
  await until(async () =>
    (await call(read, "GET", `/events?record_id=${company.contact_id}`)).body.data.length === 1
  );
  const { body } = await call(read, "GET", "/events?limit=200");
  assert.ok(!body.data.some(({ id }: { id: string }) => id === name));
  assert.deepEqual((await call(read, "GET", `/events?record_id=${company.deal_id}`)).body.data, []);
  assert.equal((await call(read, "GET", `/events/${name}`)).status, 404);
});
