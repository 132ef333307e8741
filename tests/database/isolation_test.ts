// Two companies, and a key of one of them used directly at the Data API, around the edge functions: the
// database itself keeps companies apart, whatever calls it.

import assert from "node:assert/strict";
import { addChannelFacts } from "../support/channel_facts.ts";
import { addDeletedRow, anyPhone, newCompany } from "../support/company.ts";
import { addKeyUsage } from "../support/key_usage.ts";
import type { Answer } from "../support/calls.ts";
import { keyToken, rest } from "../support/rest.ts";
import { snapshot, tables } from "../support/snapshot.ts";
import { withDatabase } from "../support/test_stack.ts";
import { addSend } from "./sends.ts";
import { addCatalogue, TEMPLATE_COLUMNS } from "./templates.ts";

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
    }
    const ids = [own.contact_id, other.contact_id];
    const contacts = await sql`
      select phone from contacts where id in ${sql(ids)} order by id = ${other.contact_id}
    `;
    return contacts.map(({ phone }) => phone);
  })
);
const othersRows = await snapshot(other.id, { withUsage: true });
/** Values that only the other company has: digests, ids, phones and the channel's ids. */
const othersValues = new Set(
  JSON.stringify(othersRows).match(/[0-9a-f]{64}|[0-9a-f-]{36}|\+1\d{12}|\b1\d{14}\b/g),
);
const READABLE = [
  ...["company_members", "contacts", "conversations", "deals", "deleted_rows", "messages"],
  ...["pipelines", "stages", "teams", "templates"],
];
/** The column by which a row of a table is told from the others. */
const ID_COLUMNS: Record<string, string> = {
  api_key_usage: "key_id",
  company_members: "user_id",
  idempotency_keys: "key",
};
const idColumn = (table: string) => ID_COLUMNS[table] ?? "id";
const reading = await keyToken(own.keys.all, "read");
const writing = await keyToken(own.keys.all, "write");

/** A test after which every row of the other company must be unchanged. */
function test(fact: string, work: () => Promise<void>) {
  Deno.test(fact, async () => {
    await work();
    assert.deepEqual(await snapshot(other.id, { withUsage: true }), othersRows);
  });
}

/** Reads with the key, and asserts that the answer has nothing of the other company. */
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
/** Before an upsert, the local Data API looks for the row, which a token for writing may not. */
const NO_UPSERT = /^(42501|PT403)$/;
const NO_SUCH_ROW: [number, string] = [409, "23503"];

test("a key reads ten tables, and only its own company's rows in them", async () => {
  assert.ok(othersValues.size > 20);
  for (const table of await tables()) {
    const column = table === "companies" ? "id" : "company_id";
    const answer = await read(`/${table}?select=${column}`);
    if (READABLE.includes(table)) {
      assert.equal(answer.status, 200, table);
      assert.deepEqual(
        [...new Set(answer.body.map((row: Record<string, string>) => row[column]))],
        [
          own.id,
        ],
      );
    } else assert.deepEqual([answer.status, answer.body.code], NO_PRIVILEGE, table);
  }
});

test("reading all columns of a table is refused when a key may not read one of them", async () => {
  for (const table of await tables()) {
    const { status } = await read(`/${table}`);
    const isWhole = READABLE.includes(table) &&
      !["contacts", "messages", "templates"].includes(table);
    assert.equal(status, isWhole ? 200 : 403, table);
  }
  assert.equal((await read(`/templates?select=${TEMPLATE_COLUMNS}`)).status, 200);
  for (const column of ["rendering", "sample_url", "sample_source", "otp_button"]) {
    for (
      const query of [
        `select=${column}`,
        `select=id&order=${column}`,
        `select=id&${column}=is.null`,
      ]
    ) {
      assert.equal((await read(`/templates?${query}`)).status, 403, query);
    }
  }
  for (
    const path of ["phone_key=eq.x", "order=phone_key", "select=phone_key", "select=x:phone_key"]
  ) {
    assert.equal((await read(`/contacts?${path}`)).status, 403, path);
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

test("no embedding reaches a row of the other company or a table that a key may not read", async () => {
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

  assert.equal((await read("/deals?select=*,contacts(*)")).status, 403);
  const inner = `/deals?select=id,contacts!inner(id)&contacts.company_id=eq.${other.id}`;
  assert.deepEqual((await read(inner)).body, []);
  const deep =
    "/pipelines?select=id,stages(id,deals(id,contacts(id,conversations(id,messages(content)))))";
  const found = JSON.stringify((await read(deep)).body);
  assert.match(found, new RegExp(own.conversation_id));
  assert.match(found, /"messages":\[\{"content":"Hello"\}\]/);
});

test("functions tell a key only about its own company, and the other functions refuse it", async () => {
  const asked = async (name: string, json: Record<string, string>) =>
    (await rest(writing, "POST", `/rpc/${name}`, { json })).body;
  assert.equal(await asked("contact_id_by_phone", { phone: ownPhone }), own.contact_id);
  assert.equal(await asked("contact_id_by_phone", { phone: otherPhone }), null);
  for (const company of [own, other]) {
    const { id, contact_id, account_id } = company;
    const [closed] = await withDatabase((sql) =>
      sql`
        insert into conversations (company_id, contact_id, messaging_account_id, status)
        values (${id}, ${contact_id}, ${account_id}, 'closed') returning id
      `
    );
    const found = await asked("other_conversation_not_closed", { conversation_id: closed.id });
    assert.equal(found, company === own ? own.conversation_id : null);
    await withDatabase(async (sql) => {
      await sql`delete from conversations where id = ${closed.id}`;
      await sql`delete from deleted_rows where id = ${closed.id}`;
    });
  }
  assert.equal(await asked("authenticate", {}), own.id);
  for (
    const feed of ["contact_changes", "conversation_changes", "deal_changes", "message_changes"]
  ) {
    const { body: [clock, ...changes] } = await read(`/rpc/${feed}?max_rows=201`);
    assert.deepEqual(Object.keys(clock), ["generation", "horizon"]);
    assert.ok(changes.length > 0, feed);
    for (const { company_id } of changes) assert.equal(company_id, own.id);
  }

  const key = { name: "Mine", scopes: ["read"], company_id: own.id };
  await assertRefused("POST", "/rpc/create_api_key", key, NO_PRIVILEGE);
  await assertRefused("POST", "/rpc/fail_expired_sends", {}, NO_PRIVILEGE);
  await assertRefused("POST", "/rpc/due_jobs", {}, NO_PRIVILEGE);
  await assertRefused("POST", "/rpc/restart_changes", {}, NO_PRIVILEGE);
  await assertRefused("POST", "/rpc/changes_status", {}, NO_PRIVILEGE);
  const job = { job: "template-sync", account_id: own.account_id };
  await assertRefused("POST", "/rpc/begin_job", job, NO_PRIVILEGE);
  await assertRefused("POST", "/rpc/due_media", { account_id: own.account_id }, NO_PRIVILEGE);
  for (
    const name of ["company_id", "phone_key", "member_company_ids", "set_updated_at", "make_feed"]
  ) {
    assert.equal((await rest(reading, "POST", `/rpc/${name}`, { json: {} })).status, 404, name);
  }
});

test("a row that a key adds belongs to its company, and the key cannot name another", async () => {
  const contact = () => ({ phone: anyPhone() });
  const deal = { title: "Deal", contact_id: own.contact_id, stage_id: own.stage_ids[0] };
  for (const [path, row] of [["/contacts", contact()], ["/deals", deal]] as const) {
    const made = await rest(writing, "POST", `${path}?select=company_id`, { json: row });
    assert.deepEqual([made.status, made.body], [201, [{ company_id: own.id }]]);
    for (const company_id of [other.id, own.id, null]) {
      await assertRefused("POST", `${path}?select=id`, { ...row, company_id }, NO_PRIVILEGE);
    }
  }
  const several = [contact(), { ...contact(), company_id: other.id }];
  await assertRefused(
    "POST",
    "/contacts?select=id&columns=phone,company_id",
    several,
    NO_PRIVILEGE,
  );
  for (const table of (await tables()).filter((table) => !["contacts", "deals"].includes(table))) {
    await assertRefused(
      "POST",
      `/${table}?select=${idColumn(table)}`,
      table === "companies" ? { id: other.id } : { company_id: other.id },
      NO_PRIVILEGE,
    );
  }
});

test("a row cannot refer to a row of the other company", async () => {
  const deal = { title: "Deal", contact_id: own.contact_id, stage_id: own.stage_ids[0] };
  const deals = "/deals?select=id";
  await assertRefused("POST", deals, { ...deal, contact_id: other.contact_id }, NO_SUCH_ROW);
  await assertRefused("POST", deals, { ...deal, stage_id: other.stage_ids[0] }, NO_SUCH_ROW);
  const ownDeal = `/deals?select=id&id=eq.${own.deal_id}`;
  await assertRefused("PATCH", ownDeal, { stage_id: other.stage_ids[0] }, NO_SUCH_ROW);
  const conversation = `/conversations?select=id&id=eq.${own.conversation_id}`;
  await assertRefused("PATCH", conversation, { assigned_to: other.member_id }, NO_SUCH_ROW);
  await assertRefused("PATCH", conversation, { team_id: other.team_id }, NO_SUCH_ROW);
});

test("an update moves no row into the other company and changes none of its rows", async () => {
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

test("an upsert does not reach a row of the other company", async () => {
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

test("a key deletes nothing, its own rows included", async () => {
  const before = await snapshot(own.id);
  for (const table of await tables()) {
    const column = table === "companies" ? "id" : "company_id";
    for (const company of [other, own]) {
      const path = `/${table}?${column}=eq.${company.id}&select=${column}`;
      await assertRefused("DELETE", path, undefined, NO_PRIVILEGE);
    }
  }
  assert.deepEqual(await snapshot(own.id), before);
});
