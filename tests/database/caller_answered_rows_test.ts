// A write returns the whole row that it wrote (specification, 4.2 and 4.3). A write token cannot
// read any other rows through the Data API.

import assert from "node:assert/strict";
import { hashKey } from "../../supabase/functions/_shared/key/presented_key.ts";
import { anyPhone, newCompany } from "../support/company.ts";
import { keyToken, rest, token } from "../support/rest.ts";
import { snapshot, tables } from "../support/snapshot.ts";
import { statement } from "../support/test_stack.ts";
import { CHANGES, columnsOf, idsOf, scopedTokens } from "./scopes.ts";

const company = await newCompany();
const ids = idsOf(company);
const everyTable = await tables();
const TOKENS = await scopedTokens(company);

Deno.test("a write returns the whole row that it wrote, in the same form as a read", async () => {
  for (const table of Object.keys(CHANGES)) {
    const select = `select=${columnsOf(table)}`;
    const path = `/${table}?id=eq.${ids[table]}&${select}`;
    const { status, body } = await rest(TOKENS.write, "PATCH", path, { json: CHANGES[table] });
    assert.deepEqual([status, body.length], [200, 1], table);
    assert.deepEqual((await rest(TOKENS.read, "GET", path)).body, body, table);
  }
});

Deno.test("an update returns exactly the rows that it changed", async () => {
  const { keys, contact_id, id: company_id } = await newCompany();
  const writing = await keyToken(keys.write, "write");
  const patch = async (filter: string) =>
    (await rest(writing, "PATCH", `/contacts?select=id,name&${filter}`, {
      json: { name: "Changed" },
    })).body;
  assert.deepEqual(await patch(`id=eq.${crypto.randomUUID()}`), []);
  assert.deepEqual(await patch("name=eq.Nobody"), []);
  assert.deepEqual(await patch(`company_id=eq.${company_id}`), [
    { id: contact_id, name: "Changed" },
  ]);
});

Deno.test("a write that asks for related rows of another table is refused and changes nothing", async () => {
  const before = await snapshot(company.id);
  const refused = new Set<string>();
  const ask = async (scope: string, table: string, other: string) => {
    const select = `select=id,${other}(created_at)`;
    const path = `/${table}?id=eq.${ids[table]}&${select}`;
    const { status, body } = await rest(TOKENS[scope], "PATCH", path, { json: CHANGES[table] });
    const found = `${scope}, ${table} with ${other}: ${status} ${JSON.stringify(body)}`;
    // The status is 400 if the tables have no relation, and 300 if they have several relations.
    assert.ok([300, 400, 403].includes(status), found);
    if (body.code === "PT403") refused.add(`${table} with ${other}`);
  };
  for (const scope of ["none", "write", "messaging"]) {
    for (const table of Object.keys(CHANGES)) {
      for (const other of everyTable) if (other !== table) await ask(scope, table, other);
    }
  }
  assert.ok(refused.has("deals with contacts") && refused.has("contacts with deals"));
  assert.deepEqual(await snapshot(company.id), before);
});

Deno.test("an update without fields returns no rows", async () => {
  for (const select of ["id", "id,deals(id)"]) {
    const { status, body } = await rest(TOKENS.write, "PATCH", `/contacts?select=${select}`, {
      json: {},
    });
    assert.ok(status >= 400 || body.length === 0, `${status} ${JSON.stringify(body)}`);
  }
});

Deno.test("a read with a write token is refused, whatever headers or claims the caller adds", async () => {
  const key_hash = await hashKey(company.keys.all);
  const claims = { role: "api_client", key_hash, scope: "write" };
  const contacts = "/contacts?select=id";
  const setting = { setting_name: "app.written", new_value: "contacts", is_local: false };
  for (const name of ["set_config", "note_written_table", "company_id"]) {
    assert.equal((await rest(TOKENS.write, "POST", `/rpc/${name}`, { json: setting })).status, 404);
  }
  const attempts: [string, Record<string, string>, string][] = [
    [contacts, {}, await token({ ...claims, "app.written": "contacts", written: "contacts" })],
    [contacts, { "app.written": "contacts", Prefer: "timezone=app.written" }, TOKENS.write],
    [`${contacts}&app.written=eq.contacts`, {}, TOKENS.write],
    [`${contacts}&limit=1`, { "X-HTTP-Method-Override": "PATCH" }, TOKENS.write],
  ];
  for (const [path, headers, token] of attempts) {
    const { status, body } = await rest(token, "GET", path, { headers });
    assert.ok(status === 403 || status === 400, `${path}: ${status}`);
    assert.ok(!Array.isArray(body), path);
  }
});

Deno.test("a read with a write token is refused, even on a database connection that was just used for a write", async () => {
  // Each write changes another contact, so that no write waits for another.
  const phones = Array.from({ length: 20 }, anyPhone);
  const contacts = await statement`
    insert into contacts (company_id, phone) select ${company.id}, unnest(${phones}::text[]) returning id
  `;
  const write = (id: string) =>
    rest(TOKENS.write, "PATCH", `/contacts?select=id&id=eq.${id}`, {
      json: CHANGES.contacts,
    });
  const read = () => rest(TOKENS.write, "GET", "/contacts?select=id");
  assert.equal((await write(company.contact_id)).status, 200);
  assert.equal((await read()).status, 403);
  const answers = await Promise.all(contacts.flatMap(({ id }) => [write(id), read()]));
  assert.deepEqual(answers.map(({ status }) => status), answers.map((_, n) => n % 2 ? 403 : 200));
});
