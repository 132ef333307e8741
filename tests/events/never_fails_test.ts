// Tests that an event never makes a write fail, whatever the request and the company's webhooks
// contain.
import assert from "node:assert/strict";
import { actAs, rolledBack } from "../support/acting_as.ts";
import { call } from "../support/calls.ts";
import { newCompany } from "../support/company.ts";
import { eventsIn } from "../support/events.ts";
import { personToken, rest } from "../support/rest.ts";
import { withDatabase } from "../support/test_stack.ts";
import { addWebhook } from "../support/webhooks.ts";

const company = await newCompany();
const { contact_id, member_id, keys } = company;

let names = 0;
const another = () => ({ name: `Name ${++names}` });

Deno.test("a write succeeds with any X-Request-Id, and the event contains this id only if the id is valid", async () => {
  const ids: [given: string, stored: string | null][] = [
    ["order-1815", "order-1815"],
    ["~".repeat(128), "~".repeat(128)],
    ["~".repeat(129), null],
    ["x".repeat(5_000), null],
    ["two words", null],
    ["Zoë", null],
    ["\\u0000", "\\u0000"],
    ['"},"x":{', '"},"x":{'],
    ["a, b", null],
  ];
  const token = await personToken(member_id);
  for (const [given, stored] of ids) {
    const headers = { "X-Request-Id": given };
    const [event, ...others] = await withDatabase((sql) =>
      eventsIn(sql, company, async () => {
        const path = `/contacts?id=eq.${contact_id}`;
        const { status } = await rest(token, "PATCH", path, { json: another(), headers });
        assert.equal(status, 200, given);
      })
    );
    assert.deepEqual([event.request_id, others], [stored, []], given);

    const [ofKey] = await withDatabase((sql) =>
      eventsIn(sql, company, async () => {
        const path = `/deals/${company.deal_id}`;
        const { status, body } = await call(keys.write, "PATCH", path, {
          json: { title: another().name },
          headers,
        });
        assert.equal(status, 200, JSON.stringify(body));
      })
    );
    // The gateway replaces an invalid id.
    if (stored) assert.equal(ofKey.request_id, stored);
    else assert.match(ofKey.request_id!, /^[0-9a-f-]{36}$/);
  }
});

Deno.test("a write succeeds, whatever the setting `request.headers` of the Data API contains", async () => {
  const settings: [headers: string, request_id: string | null][] = [
    ["", null],
    ["no JSON", null],
    ["{", null],
    ["null", null],
    ["[]", null],
    ['"text"', null],
    ["{}", null],
    ['{"x-request-id": null}', null],
    ['{"x-request-id": 5}', "5"],
    ['{"x-request-id": {"a": " "}}', null],
    ['{"x-request-id": "\\u0000"}', null],
    ['{"cookie": "\\u0000", "x-request-id": "a"}', null],
    ['{"cookie": "\\ud800", "x-request-id": "a"}', null],
    ['{"x-request-id": "a", "x-request-id": "b"}', "b"],
    [`{"cookie": "${"x".repeat(100_000)}", "x-request-id": "a"}`, "a"],
  ];
  await rolledBack(async (sql) => {
    for (const [headers, request_id] of settings) {
      const events = await eventsIn(sql, company, async () => {
        await actAs(sql, "service_role");
        await sql`select set_config('request.headers', ${headers}, true)`;
        await sql`update contacts set ${sql(another())} where id = ${contact_id}`;
        await sql`update conversations set status = case status when 'open' then 'pending' else 'open' end
          where id = ${company.conversation_id}`;
        await sql`reset role`;
      });
      const found = events.map((event) => [event.type, event.request_id]);
      const types = ["contact.updated", "conversation.updated"];
      assert.deepEqual(found, types.map((type) => [type, request_id]), headers.slice(0, 80));
    }
  });
});

Deno.test("a write succeeds, whatever event types the company's webhooks request", async () => {
  await rolledBack(async (sql) => {
    const long = "x".repeat(100_000);
    const webhooks: [types: (string | null)[], isWanted: boolean][] = [
      [["contact.updated", "contact.*", "*"], true],
      [[null, "*"], true],
      [[null], false],
      [["", ".", "*.*", "contact.", ".updated", "contact.updated.", "contact"], false],
      [Array.from({ length: 100 }, (_, at) => `${long}${at}`), false],
      [["%", "_", "contact.%", "\\", "'; drop table contacts; --", "{*}"], false],
    ];
    const ids: string[] = [];
    for (const [types] of webhooks) {
      ids.push(await addWebhook(sql, company, { types: types as string[] }));
    }
    const off = await addWebhook(sql, company, { state: "off", switched_off_at: new Date() });
    await actAs(sql, "service_role");
    await sql`update contacts set ${sql(another())} where id = ${contact_id}`;
    await sql`update deals set title = ${"T".repeat(255)} where id = ${company.deal_id}`;
    await sql`reset role`;
    for (const [at, [types, isWanted]] of webhooks.entries()) {
      const queued = await sql`
        select type from app.open_deliveries where webhook_id = ${
        ids[at]
      } and record_id = ${contact_id}
      `;
      assert.equal(queued.length, Number(isWanted), String(types).slice(0, 80));
    }
    assert.equal((await sql`select from app.open_deliveries where webhook_id = ${off}`).length, 0);
  });
});
