// A write answers the row that it wrote, whole (specification, 4.2 and 4.3), and a token for writing reads nothing
// else, whatever it asks of the Data API.

import assert from "node:assert/strict";
import { hashKey } from "../../supabase/functions/_shared/key/presented_key.ts";
import { newCompany } from "../support/company.ts";
import { keyToken, rest, token } from "../support/rest.ts";
import { snapshot, tables } from "../support/snapshot.ts";
import { CHANGES, columnsOf, idsOf, newRow, scopedTokens } from "./scopes.ts";

const company = await newCompany();
const ids = idsOf(company);
const everyTable = await tables();
const TOKENS = await scopedTokens(company);

Deno.test("a write answers the row that it wrote, whole, as a token for reading reads it", async () => {
  const written = async (method: string, path: string, json: unknown) => {
    const { status, body } = await rest(TOKENS.write, method, path, { json });
    assert.equal(status, method === "POST" ? 201 : 200, path);
    assert.equal(body.length, 1, path);
    return body[0];
  };
  for (const table of Object.keys(CHANGES)) {
    const select = `select=${columnsOf(table)}`;
    const row = newRow(table, company);
    const rows = [
      await written("PATCH", `/${table}?id=eq.${ids[table]}&${select}`, CHANGES[table]),
      ...(row ? [await written("POST", `/${table}?${select}`, row)] : []),
    ];
    for (const row of rows) {
      const { body } = await rest(TOKENS.read, "GET", `/${table}?id=eq.${row.id}&${select}`);
      assert.deepEqual(body, [row], table);
    }
  }
});

Deno.test("an update answers the rows that it changed, and none when it finds none", async () => {
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

Deno.test("the answer of a write has no row of another table, and a write that asks for one is not made", async () => {
  const before = await snapshot(company.id);
  const refused = new Set<string>();
  const ask = async (scope: string, table: string, other: string) => {
    const select = `select=id,${other}(created_at)`;
    const row = newRow(table, company);
    const answers = await Promise.all([
      rest(TOKENS[scope], "PATCH", `/${table}?id=eq.${ids[table]}&${select}`, {
        json: CHANGES[table],
      }),
      ...(row ? [rest(TOKENS[scope], "POST", `/${table}?${select}`, { json: row })] : []),
    ]);
    for (const { status, body } of answers) {
      const found = `${scope}, ${table} with ${other}: ${status} ${JSON.stringify(body)}`;
      // 400 and 300: the tables have no relation, or several.
      assert.ok([300, 400, 403].includes(status), found);
      if (body.code === "PT403") refused.add(`${table} with ${other}`);
    }
  };
  for (const scope of ["none", "write", "messaging"]) {
    for (const table of Object.keys(CHANGES)) {
      for (const other of everyTable) if (other !== table) await ask(scope, table, other);
    }
  }
  assert.ok(refused.has("deals with contacts") && refused.has("contacts with deals"));
  assert.deepEqual(await snapshot(company.id), before);
});

Deno.test("an update of no field reads nothing", async () => {
  for (const select of ["id", "id,deals(id)"]) {
    const { status, body } = await rest(TOKENS.write, "PATCH", `/contacts?select=${select}`, {
      json: {},
    });
    assert.ok(status >= 400 || body.length === 0, `${status} ${JSON.stringify(body)}`);
  }
});

Deno.test("a token for writing cannot make the database believe that a statement writes", async () => {
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

Deno.test("a read that follows a write, or comes beside many, is refused: a connection keeps no permission", async () => {
  const write = () =>
    rest(TOKENS.write, "PATCH", `/contacts?select=id&id=eq.${company.contact_id}`, {
      json: CHANGES.contacts,
    });
  const read = () => rest(TOKENS.write, "GET", "/contacts?select=id");
  assert.equal((await write()).status, 200);
  assert.equal((await read()).status, 403);
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, n) => n % 2 ? read() : write()),
  );
  assert.deepEqual(
    answers.map(({ status }) => status),
    answers.map((_, n) => n % 2 ? 403 : 200),
  );
});
