// Calls the Data API directly with one company's key, without the edge functions. The database
// separates the companies for every caller.

import assert from "node:assert/strict";
import { addChannelFacts } from "../support/channel_facts.ts";
import { addDeletedRow, anyPhone, newCompany } from "../support/company.ts";
import { addKeyUsage } from "../support/key_usage.ts";
import type { Answer } from "../support/calls.ts";
import { keyToken, rest } from "../support/rest.ts";
import { snapshot, tables } from "../support/snapshot.ts";
import { statement, withDatabase } from "../support/test_stack.ts";
import { addWebhook } from "../support/webhooks.ts";
import { addSend } from "./sends.ts";
import { addCatalogue } from "./templates.ts";

const own = await newCompany();
const other = await newCompany();
const [ownPhone, otherPhone] = await withDatabase((sql) =>
  sql.begin(async (sql) => {
    for (const company of [own, other]) {
      await addSend(sql, company);
      await addCatalogue(sql, company);
      await addDeletedRow(sql, company);
      await addChannelFacts(sql, company);
      await addKeyUsage(sql, company);
      await addWebhook(sql, company);
    }
    // Otherwise, another test's job could end the leases during these tests.
    await sql`update sends set lease_ends_at = 'infinity' where company_id in (${own.id}, ${other.id})`;
    for (const table of ["contacts", "deals"]) {
      await sql`update ${
        sql(table)
      } set external_id = 'own-' || company_id where company_id in (${own.id}, ${other.id})`;
    }
    const ids = [own.contact_id, other.contact_id];
    const contacts = await sql`
      select phone from contacts where id in ${sql(ids)} order by id = ${other.contact_id}
    `;
    return contacts.map(({ phone }) => phone);
  })
);
const othersRows = await snapshot(other.id, { withUsage: true });
/** Values that only the other company has: digests, ids, phone numbers and channel ids. */
const othersValues = new Set(
  JSON.stringify(othersRows).match(/[0-9a-f]{64}|[0-9a-f-]{36}|\+1\d{12}|\b1\d{14}\b/g),
);
const READABLE = [
  ...["company_members", "contacts", "conversations", "deals", "deleted_rows", "messages"],
  ...["pipelines", "stages", "teams", "templates"],
];
/** The column that identifies a row of a table. */
const ID_COLUMNS: Record<string, string> = {
  api_key_usage: "key_id",
  company_members: "user_id",
  idempotency_keys: "key",
};
const idColumn = (table: string) => ID_COLUMNS[table] ?? "id";
const reading = await keyToken(own.keys.all, "read");
const writing = await keyToken(own.keys.all, "write");

/** Defines a test that must leave every row of the other company unchanged. */
function test(fact: string, work: () => Promise<void>) {
  Deno.test(fact, async () => {
    await work();
    assert.deepEqual(await snapshot(other.id, { withUsage: true }), othersRows);
  });
}

/** Reads with the key, and asserts that the response contains no data of the other company. */
async function read(path: string): Promise<Answer> {
  const answer = await rest(reading, "GET", path);
  const text = JSON.stringify(answer.body);
  for (const value of othersValues) assert.ok(!text.includes(value), `${path} shows ${value}`);
  return answer;
}

async function assertRefused(
  method: string,
  path: string,
  json: unknown,
  refused: [number, string],
) {
  const answer = await rest(writing, method, path, { json });
  assert.deepEqual([answer.status, answer.body.code], refused, `${method} ${path}`);
}

const NO_PRIVILEGE: [number, string] = [403, "42501"];
/** Before an upsert, the local Data API looks up the row, which a write token may not do. */
const NO_UPSERT = /^(42501|PT403)$/;

test("a key can read only its own company's rows, in ten tables", async () => {
  assert.ok(othersValues.size > 20);
  for (const table of await tables()) {
    const column = table === "companies" ? "id" : "company_id";
    const answer = await read(`/${table}?select=${column}`);
    if (READABLE.includes(table)) {
      assert.equal(answer.status, 200, table);
      const ids = answer.body.map((row: Record<string, string>) => row[column]);
      assert.deepEqual([...new Set(ids)], [own.id]);
    } else assert.deepEqual([answer.status, answer.body.code], NO_PRIVILEGE, table);
  }
});

test("no filter finds a row of the other company", async () => {
  const ids: Record<string, string> = {
    company_members: other.member_id,
    contacts: other.contact_id,
    conversations: other.conversation_id,
    deals: other.deal_id,
    deleted_rows: othersRows.deleted_rows.map((row) => (row as { id: string }).id)[0],
    messages: othersRows.messages.map((row) => (row as { id: string }).id)[0],
    pipelines: other.pipeline_id,
    stages: other.stage_ids[0],
    teams: other.team_id,
    templates: othersRows.templates.map((row) => (row as { id: string }).id)[0],
  };
  for (const table of READABLE) {
    const id = idColumn(table);
    const filters = [
      `${id}=eq.${ids[table]}`,
      `${id}=in.(${ids[table]})`,
      `company_id=eq.${other.id}`,
      `company_id=neq.${own.id}`,
      `or=(${id}.eq.${ids[table]},company_id.eq.${other.id})`,
    ];
    for (const filter of filters) {
      assert.deepEqual((await read(`/${table}?select=${id}&${filter}`)).body, [], filter);
    }
    const counted = await rest(reading, "GET", `/${table}?select=${id}&company_id=eq.${other.id}`, {
      headers: { Prefer: "count=exact" },
    });
    assert.equal(counted.headers.get("Content-Range"), "*/0");
  }
});

test("a query that embeds related rows returns no row of the other company or of a table that keys cannot read", async () => {
  const embedded: string[] = [];
  for (const table of READABLE) {
    for (const target of await tables()) {
      const columns = target === "companies" ? "id" : "company_id";
      const { status } = await read(`/${table}?select=${idColumn(table)},${target}(${columns})`);
      assert.ok([200, 300, 400, 403].includes(status), `${table} with ${target}: ${status}`);
      if (status === 200) embedded.push(`${table} with ${target}`);
    }
  }
  assert.deepEqual(embedded.filter((pair) => !READABLE.includes(pair.split(" ").at(-1)!)), []);
  assert.ok(embedded.includes("deals with contacts"));

  assert.equal((await read("/conversations?select=*,messages(*)")).status, 403);
  const inner = `/deals?select=id,contacts!inner(id)&contacts.company_id=eq.${other.id}`;
  assert.deepEqual((await read(inner)).body, []);
  const deep =
    "/pipelines?select=id,stages(id,deals(id,contacts(id,conversations(id,messages(content)))))";
  const found = JSON.stringify((await read(deep)).body);
  assert.match(found, new RegExp(own.conversation_id));
  assert.match(found, /"messages":\[\{"content":"Hello"\}\]/);
});

test("functions for keys return only data of the key's own company, and all other functions refuse the key", async () => {
  const asked = async (name: string, json: Record<string, string>) =>
    (await rest(writing, "POST", `/rpc/${name}`, { json })).body;
  assert.equal(await asked("contact_id_by_phone", { phone: ownPhone }), own.contact_id);
  assert.equal(await asked("contact_id_by_phone", { phone: otherPhone }), null);
  for (const { id, contact_id, deal_id } of [own, other]) {
    const known = id === own.id;
    const byOwnId = { external_id: `own-${id}` };
    assert.equal(await asked("contact_id_by_external_id", byOwnId), known ? contact_id : null);
    assert.equal(await asked("deal_id_by_external_id", byOwnId), known ? deal_id : null);
  }
  for (const company of [own, other]) {
    const { id, contact_id, account_id } = company;
    const [closed] = await statement`
      insert into conversations (company_id, contact_id, messaging_account_id, status)
      values (${id}, ${contact_id}, ${account_id}, 'closed') returning id
    `;
    const found = await asked("other_conversation_not_closed", { conversation_id: closed.id });
    assert.equal(found, company === own ? own.conversation_id : null);
    await withDatabase(async (sql) => {
      await sql`delete from conversations where id = ${closed.id}`;
      await sql`delete from deleted_rows where id = ${closed.id}`;
    });
  }
  assert.equal(await asked("authenticate", {}), own.id);
  const feeds = ["contact_changes", "conversation_changes", "deal_changes", "message_changes"];
  for (const feed of feeds) {
    const { body: [clock, ...changes] } = await read(`/rpc/${feed}?max_rows=201`);
    assert.deepEqual(Object.keys(clock), ["generation", "horizon"]);
    assert.ok(changes.length > 0, feed);
    for (const { company_id } of changes) assert.equal(company_id, own.id);
  }

  const key = { name: "Mine", scopes: ["read"], company_id: own.id };
  await assertRefused("POST", "/rpc/create_api_key", key, NO_PRIVILEGE);
  for (const name of ["fail_expired_sends", "due_jobs", "restart_changes", "changes_status"]) {
    await assertRefused("POST", `/rpc/${name}`, {}, NO_PRIVILEGE);
  }
  const job = { job: "template-sync", account_id: own.account_id };
  await assertRefused("POST", "/rpc/begin_job", job, NO_PRIVILEGE);
  await assertRefused("POST", "/rpc/due_media", { account_id: own.account_id }, NO_PRIVILEGE);
  const names = ["company_id", "phone_key", "member_company_ids", "set_updated_at", "make_feed"];
  for (const name of names) {
    assert.equal((await rest(reading, "POST", `/rpc/${name}`, { json: {} })).status, 404, name);
  }
});

test("a key cannot add a row to any table", async () => {
  for (const table of await tables()) {
    const row = { [table === "companies" ? "id" : "company_id"]: other.id };
    await assertRefused("POST", `/${table}?select=${idColumn(table)}`, row, NO_PRIVILEGE);
  }
});

test("an update cannot move a row into the other company or change the other company's rows", async () => {
  const changes: [string, string, string, Record<string, string>][] = [
    ["contacts", own.contact_id, other.contact_id, { name: "Changed" }],
    ["deals", own.deal_id, other.deal_id, { title: "Changed" }],
    ["conversations", own.conversation_id, other.conversation_id, { status: "pending" }],
  ];
  for (const [table, ownId, otherId, change] of changes) {
    const path = (id: string) => `/${table}?select=id&id=eq.${id}`;
    await assertRefused("PATCH", path(ownId), { company_id: other.id }, NO_PRIVILEGE);
    await assertRefused("PATCH", path(ownId), { ...change, id: otherId }, NO_PRIVILEGE);
    const missed = await rest(writing, "PATCH", path(otherId), { json: change });
    assert.deepEqual([missed.status, missed.body], [200, []]);
    const every = `/${table}?select=company_id&company_id=in.(${own.id},${other.id})`;
    const changed = await rest(writing, "PATCH", every, { json: change });
    assert.ok(changed.body.length > 0);
    for (const row of changed.body) assert.deepEqual(row, { company_id: own.id });
    const json = { ...change, id: otherId };
    const put = await rest(writing, "PUT", `/${table}?id=eq.${otherId}`, { json });
    assert.equal(put.status, 403, table);
    assert.match(put.body.code, NO_UPSERT);
  }
  const readOnly = [
    ...["company_members", "pipelines", "stages", "teams", "templates"].map((table) =>
      [table, { name: "x" }] as const
    ),
    ["messages", { content: "x" }] as const,
  ];
  for (const [table, change] of readOnly) {
    await assertRefused("PATCH", `/${table}?company_id=eq.${other.id}`, change, NO_PRIVILEGE);
  }
});

test("an upsert cannot change the other company's rows", async () => {
  const headers = { Prefer: "resolution=merge-duplicates,return=representation" };
  const deal = { title: "Mine", contact_id: own.contact_id, stage_id: own.stage_ids[0] };
  const attempts: [string, Record<string, unknown>][] = [
    ["/contacts?on_conflict=id", { id: other.contact_id, phone: anyPhone() }],
    ["/contacts?on_conflict=company_id,id", { id: other.contact_id, phone: anyPhone() }],
    ["/contacts?on_conflict=company_id,phone_key", { phone: otherPhone, name: "Mine" }],
    ["/deals?on_conflict=id", { ...deal, id: other.deal_id }],
    ["/deals?on_conflict=id", { ...deal, id: other.deal_id, company_id: other.id }],
  ];
  for (const [path, json] of attempts) {
    const { status, body } = await rest(writing, "POST", `${path}&select=id`, { json, headers });
    assert.equal(status, 403, path);
    assert.match(body.code, NO_UPSERT, path);
  }
});
