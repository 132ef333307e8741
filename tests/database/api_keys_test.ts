// Tests how the platform and the users who manage a company create and manage API keys.

import assert from "node:assert/strict";
import { hashKey } from "../../supabase/functions/_shared/key/presented_key.ts";
import {
  actAs,
  actAsPerson,
  actAsSuperuser,
  refusal,
  rolledBack,
  type Sql,
  type Work,
} from "../support/acting_as.ts";
import { newCompany, newMembers } from "../support/company.ts";
import { call } from "../support/calls.ts";
import { personToken, rest } from "../support/rest.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

const own = await newCompany();
const other = await newCompany();
const [agent, admin] = await newMembers(own, "agent", "admin");
const owner = own.member_id;

interface Asked {
  name?: string | null;
  scopes?: (string | null)[] | null;
  expires_at?: string | null;
  company_id?: string | null;
}

/** Creates a key in the current role. */
function create(
  sql: Sql,
  { name = "A key", scopes = ["read"], expires_at, company_id }: Asked = {},
) {
  return sql`
    select * from create_api_key(
      ${name}, ${scopes as string[]}::text[], ${expires_at ?? null}::text::timestamptz,
      ${company_id ?? null}::uuid
    )
  `;
}

test("owners and admins see their company's keys, but not the digests of these keys", async (sql) => {
  for (const [person, count] of [[owner, 5], [admin, 5], [agent, 0]] as const) {
    await actAsPerson(sql, person);
    const keys = await sql`select company_id, name, hint from api_keys`;
    assert.equal(keys.length, count);
    for (const { company_id } of keys) assert.equal(company_id, own.id);
    assert.equal(await refusal(sql, (sql) => sql`select * from api_keys`), "42501");
    const guessing = (sql: Sql) => sql`select id from api_keys where key_hash like 'a%'`;
    assert.equal(await refusal(sql, guessing), "42501");
  }
});

test("a new key is shown in full only once, and is stored as its digest and its last four characters", async (sql) => {
  for (const person of [owner, admin]) {
    await actAsPerson(sql, person);
    const [made] = await create(sql, { name: "  Shop  ", scopes: ["write", "read", "write"] });
    assert.match(made.api_key, /^sk_live_[A-Za-z0-9_-]{43}$/);
    const answered = { name: made.name, scopes: made.scopes, company_id: made.company_id };
    assert.deepEqual(answered, { name: "Shop", scopes: ["read", "write"], company_id: own.id });

    await actAsSuperuser(sql);
    const [kept] = await sql`select * from api_keys where id = ${made.id}`;
    assert.equal(kept.key_hash, await hashKey(made.api_key));
    assert.equal(kept.hint, made.api_key.slice(-4));
    assert.equal(kept.created_by, person);
    assert.deepEqual([kept.is_active, kept.last_used_at, kept.expires_at], [true, null, null]);
    const withoutHint = made.api_key.slice("sk_live_".length, -4);
    assert.ok(!JSON.stringify(kept).includes(withoutHint));
  }
});

test("the characters of a new key are random", async (sql) => {
  await actAsPerson(sql, owner);
  const keys = [];
  for (let i = 0; i < 50; i++) keys.push((await create(sql))[0].api_key.slice(8));
  for (let at = 0; at < 42; at++) {
    assert.ok(new Set(keys.map((key) => key[at])).size > 10, `character ${at}`);
  }
});

test("agents, users without a company and members of other companies cannot create a key", async (sql) => {
  const [stranger] = await sql`insert into auth.users (id) values (gen_random_uuid()) returning id`;
  for (const person of [agent, stranger.id, other.member_id]) {
    await actAsPerson(sql, person);
    assert.equal(await refusal(sql, (sql) => create(sql, { company_id: own.id })), "PT403");
  }
  for (const person of [agent, stranger.id]) {
    await actAsPerson(sql, person);
    // These users do not get the error that asks for a company, because no company would be
    // accepted.
    assert.equal(await refusal(sql, (sql) => create(sql)), "PT403");
  }
  await actAs(sql, "authenticated");
  assert.equal(await refusal(sql, (sql) => create(sql, { company_id: own.id })), "PT403");
  // Members of one company cannot find out whether another company exists.
  await actAsPerson(sql, owner);
  const company_id = crypto.randomUUID();
  assert.equal(await refusal(sql, (sql) => create(sql, { company_id })), "PT403");
});

test("a key with an invalid name, scope or expiry is refused", async (sql) => {
  await actAsPerson(sql, owner);
  const wrong: Asked[] = [
    ...["", "   ", null, "x".repeat(101)].map((name) => ({ name })),
    ...[[], null, ["admin"], ["read", "admin"], ["read", null], ["READ"], [""]]
      .map((scopes) => ({ scopes })),
    ...["2020-01-01", "now", "-infinity", "infinity"].map((expires_at) => ({ expires_at })),
  ];
  for (const asked of wrong) {
    assert.equal(await refusal(sql, (sql) => create(sql, asked)), "PT422", JSON.stringify(asked));
  }
  await create(sql, { name: "x".repeat(100), scopes: ["read", "write", "messaging", "webhooks"] });
  const [made] = await create(sql, { expires_at: "2999-01-01T00:00:00Z" });
  assert.deepEqual(made.expires_at, new Date("2999-01-01"));
});

test("a user who manages several companies must name the company of a new key", async (sql) => {
  await sql`
    insert into company_members (company_id, user_id, role) values (${other.id}, ${owner}, 'admin')
  `;
  await actAsPerson(sql, owner);
  assert.equal(await refusal(sql, (sql) => create(sql)), "PT422");
  for (const company_id of [own.id, other.id]) {
    assert.equal((await create(sql, { company_id }))[0].company_id, company_id);
  }
});

test("a user who manages one company, and is an agent of another company, need not name the company of a new key", async (sql) => {
  await sql`
    insert into company_members (company_id, user_id, role) values (${other.id}, ${owner}, 'agent')
  `;
  await actAsPerson(sql, owner);
  assert.equal((await create(sql))[0].company_id, own.id);
  assert.equal(await refusal(sql, (sql) => create(sql, { company_id: other.id })), "PT403");
});

test("the platform must name the company of a new key, and can name any company", async (sql) => {
  await actAs(sql, "service_role");
  assert.equal(await refusal(sql, (sql) => create(sql)), "PT422");
  const company_id = crypto.randomUUID();
  assert.equal(await refusal(sql, (sql) => create(sql, { company_id })), "PT404");
  assert.equal((await create(sql, { company_id: own.id }))[0].company_id, own.id);
});

test("only a key's name and active flag can be changed", async (sql) => {
  await actAsPerson(sql, owner);
  assert.equal((await sql`update api_keys set name = 'Renamed', is_active = false`).count, 5);
  const changes = [
    { scopes: ["read"] },
    { expires_at: null },
    { key_hash: "0".repeat(64) },
    { company_id: other.id },
    { last_used_at: null },
  ];
  for (const change of changes) {
    const changing = (sql: Sql) => sql`update api_keys set ${sql(change)}`;
    assert.equal(await refusal(sql, changing), "42501", JSON.stringify(change));
  }
  const { id: company_id } = own;
  const row = { company_id, name: "x", hint: "0000", key_hash: "0".repeat(64), scopes: ["read"] };
  for (const role of ["authenticated", "service_role"] as const) {
    await actAs(sql, role, { sub: owner });
    const adding = (sql: Sql) => sql`insert into api_keys ${sql(row)}`;
    assert.equal(await refusal(sql, adding), "42501");
  }
});

test("a key cannot have invisible characters in its name or an expiry after the year 9999", async (sql) => {
  await actAsPerson(sql, owner);
  const bad = ["", " ", "\u200b", "a\nb", "\u202eevil", "tab\tbed", "\u0085", "x".repeat(101)]
    .concat("\u00a0", "\u2003", "\u200d", "\u3164", "\u2800", "Till\u200d", "Till\u{e0041}");
  for (const name of [...bad, " blank", "blank "]) {
    const renaming = (sql: Sql) => sql`update api_keys set name = ${name}`;
    assert.equal(await refusal(sql, renaming), "PT422", JSON.stringify(name));
  }
  for (const name of bad) {
    assert.equal(await refusal(sql, (sql) => create(sql, { name })), "PT422", JSON.stringify(name));
  }
  // Emoji and some scripts need joining characters.
  for (const name of ["Loja São João 🛒", "مفتاح", "👩‍💻 site", "می‌خواهم", "x".repeat(100)]) {
    assert.equal((await create(sql, { name }))[0].name, name);
  }
  const far = (sql: Sql) => create(sql, { expires_at: "10000-01-01T00:00:00Z" });
  assert.equal(await refusal(sql, far), "PT422");
  await create(sql, { expires_at: "9999-12-31T00:00:00Z" });
});

Deno.test("an owner can create, switch off, switch on and delete a key through the Data API, with immediate effect", async () => {
  const [asOwner, ...asOthers] = await Promise.all(
    [owner, agent, other.member_id].map(personToken),
  );
  const json = { name: "Shop", scopes: ["read"] };
  const { status, body: key } = await rest(asOwner, "POST", "/rpc/create_api_key", { json });
  assert.equal(status, 200);
  const works = async () => (await call(key.api_key, "GET", "/pipelines")).status;
  assert.equal(await works(), 200);

  const path = `/api_keys?id=eq.${key.id}&select=id`;
  const switched = async (token: string, is_active: boolean) =>
    (await rest(token, "PATCH", path, { json: { is_active } })).body.length;
  for (const token of asOthers) {
    assert.equal(await switched(token, false), 0);
    assert.deepEqual((await rest(token, "DELETE", path)).body, []);
  }
  assert.equal(await works(), 200);
  assert.equal(await switched(asOwner, false), 1);
  assert.equal(await works(), 401);
  assert.equal(await switched(asOwner, true), 1);
  assert.equal(await works(), 200);
  assert.deepEqual((await rest(asOwner, "DELETE", path)).body, [{ id: key.id }]);
  assert.equal(await works(), 401);
});
