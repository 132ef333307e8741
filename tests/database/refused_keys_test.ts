// What the database tells the functions of a key that it refuses, for their log: which one it is, and why.

import assert from "node:assert/strict";
import { type Company, newCompany } from "../support/company.ts";
import { keyToken, rest } from "../support/rest.ts";
import { withDatabase } from "../support/test_stack.ts";

/** The scope of each of a company's keys with one scope, with the key's id and hint. */
async function keysOf({ id }: Company): Promise<Record<string, { key_id: string; hint: string }>> {
  const rows = await withDatabase((sql) =>
    sql`select scopes[1] as scope, id, hint from api_keys where company_id = ${id} and cardinality(scopes) = 1`
  );
  return Object.fromEntries(rows.map(({ scope, id, hint }) => [scope, { key_id: id, hint }]));
}

/** The status, message and details of a refused read with a token. */
async function refusedRead(token: string) {
  const { status, body } = await rest(token, "GET", "/contacts?select=id");
  return [status, body.code, body.message, body.details && JSON.parse(body.details)];
}

Deno.test("the refusal of a key that is switched off or expired names the key and the reason", async () => {
  const ends: [string, string][] = [
    ["is_active = false", "inactive"],
    ["expires_at = now()", "expired"],
    ["expires_at = now(), is_active = false", "inactive"],
  ];
  for (const [end, reason] of ends) {
    const company = await newCompany();
    const { read } = await keysOf(company);
    await withDatabase((sql) =>
      sql.unsafe(`update api_keys set ${end} where company_id = $1`, [company.id])
    );
    for (const scope of ["read", "write", undefined]) {
      assert.deepEqual(await refusedRead(await keyToken(company.keys.read, scope)), [
        401,
        "PT401",
        "Invalid or expired API key",
        { ...read, reason },
      ]);
    }
  }
});

Deno.test("the refusal of a key without the scope names the key", async () => {
  const company = await newCompany();
  const { read, write } = await keysOf(company);
  const refused = (scope: string, key: Record<string, string>) => [
    403,
    "PT403",
    `This API key does not have ${scope} permission`,
    { ...key, reason: "scope" },
  ];
  const { keys } = company;
  assert.deepEqual(await refusedRead(await keyToken(keys.write, "read")), refused("read", write));
  assert.deepEqual(await refusedRead(await keyToken(keys.read, "admin")), refused("admin", read));
  assert.deepEqual(await refusedRead(await keyToken(keys.read)), refused("read", read));
});

Deno.test("of an unknown key, the refusal says nothing", async () => {
  for (const scope of ["read", undefined]) {
    assert.deepEqual(await refusedRead(await keyToken("sk_live_unknown", scope)), [
      401,
      "PT401",
      "Invalid or expired API key",
      null,
    ]);
  }
});
