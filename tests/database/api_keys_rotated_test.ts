// Tests how a key is rotated, and when the old key expires. During the overlap, the old key and the
// new key both work.

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
import { statement } from "../support/test_stack.ts";
import { committed, overlapping } from "./connections.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

const own = await newCompany();
const other = await newCompany();
const [agent, admin] = await newMembers(own, "agent", "admin");
const owner = own.member_id;

/** The time `days` days from now. */
const day = (days: number) => new Date(Date.now() + days * 86_400_000);

/** Creates an API key for a company as the superuser, and returns the key's id. */
async function addKey(
  sql: Sql,
  { company_id = own.id, ...columns }: Record<string, unknown> = {},
): Promise<string> {
  const key_hash = await hashKey(crypto.randomUUID());
  const row = { company_id, name: "Shop", key_hash, hint: "abcd", scopes: ["read"], ...columns };
  return (await sql`insert into api_keys ${sql(row as never)} returning id`)[0].id;
}

/** Rotates a key in the current role. */
async function rotate(sql: Sql, key_id: string | null, ...overlap: (number | null)[]) {
  const [made] = overlap.length === 0
    ? await sql`select * from rotate_api_key(${key_id}::uuid)`
    : await sql`select * from rotate_api_key(${key_id}::uuid, ${overlap[0]}::int)`;
  return made;
}

/**
 * Rotates a key as the platform, and returns `rotated`, or the SQLSTATE if the rotation is refused.
 */
async function rotated(sql: Sql, id: string): Promise<string> {
  await actAs(sql, "service_role");
  return await sql.savepoint((sql) => rotate(sql, id)).then(() => "rotated", ({ code }) => code);
}

/** The row of an API key, and the number of hours until the key expires. */
async function rowOf(sql: Sql, id: string) {
  await actAsSuperuser(sql);
  const [row] = await sql`
    select *, extract(epoch from expires_at - now())::float / 3600 as hours from api_keys where id = ${id}
  `;
  return row;
}

test("the new key has the old key's name and scopes, is active, and is shown in full only once", async (sql) => {
  const updated_at = "2026-01-01T00:00Z";
  const id = await addKey(sql, { scopes: ["read", "messaging"], updated_at });
  for (const [person, key_id] of [[owner, id], [admin, await addKey(sql)]]) {
    await actAsPerson(sql, person);
    const made = await rotate(sql, key_id);
    assert.match(made.api_key, /^sk_live_[A-Za-z0-9_-]{43}$/);
    const kept = await rowOf(sql, made.id);
    const before = await rowOf(sql, key_id);
    assert.equal(kept.key_hash, await hashKey(made.api_key));
    assert.equal(kept.hint, made.api_key.slice(-4));
    assert.deepEqual(
      [kept.company_id, kept.name, kept.scopes, kept.is_active, kept.expires_at],
      [own.id, "Shop", before.scopes, true, null],
    );
    assert.deepEqual([kept.created_by, kept.replaces], [person, key_id]);
    assert.deepEqual([before.hours, before.is_active, before.replaces], [24, true, null]);
    assert.deepEqual(before.updated_at, before.replaced_at);
  }
});

test("a rotated key expires after the overlap, or at its own expiry if that is earlier", async (sql) => {
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000);
  const cases: [Date | null, number, number][] = [
    [null, 0, 0],
    [null, 1, 1],
    [null, 168, 168],
    [inHours(1000), 7, 7],
    [inHours(2), 24, 2],
    [inHours(-2), 24, -2],
  ];
  for (const [expires_at, overlap, hours] of cases) {
    const created_at = inHours(-1000);
    const id = await addKey(sql, { expires_at, created_at });
    await actAs(sql, "service_role");
    await rotate(sql, id, overlap);
    assert.ok(Math.abs((await rowOf(sql, id)).hours - hours) < 0.1, `${expires_at}, ${overlap}`);
  }
});

test("the lifetime of a new key is the original lifetime of the old key", async (sql) => {
  const limited = await addKey(sql, { created_at: day(-80), expires_at: day(10) });
  await actAs(sql, "service_role");
  const first = await rotate(sql, limited, 0);
  assert.equal(Math.round((await rowOf(sql, first.id)).hours / 24), 90);
  const unlimited = await addKey(sql, { created_at: day(-1) });
  await actAs(sql, "service_role");
  await rotate(sql, unlimited, 1);

  // The new keys are deleted, and the old keys are rotated again.
  for (const [id, days] of [[limited, 90], [unlimited, null]] as const) {
    await sql`delete from api_keys where replaces = ${id}`;
    await actAs(sql, "service_role");
    const { hours } = await rowOf(sql, (await rotate(sql, id)).id);
    assert.equal(hours === null ? null : Math.round(hours / 24), days);
  }
});

/** Rotates a key as the platform, and returns the new key's lifetime in days, or null. */
async function lifetime(sql: Sql, key_id: string): Promise<number | null> {
  await actAs(sql, "service_role");
  const { hours } = await rowOf(sql, (await rotate(sql, key_id)).id);
  return hours === null ? null : Math.round(hours / 24);
}

test("if an owner deletes a key's successor and then changes the key's expiry, the next successor has the changed lifetime", async (sql) => {
  const unlimited = await addKey(sql, { created_at: day(-1) });
  const limited = await addKey(sql, { created_at: day(-80), expires_at: day(10) });
  for (const [id, expiry, days] of [[unlimited, day(29), 30], [limited, day(650), 730]] as const) {
    await lifetime(sql, id);
    await sql`delete from api_keys where replaces = ${id}`;
    await actAsPerson(sql, owner);
    await sql`select set_api_key_expiry(${id}, ${expiry})`;
    assert.equal(await lifetime(sql, id), days);
  }
});

test("an owner who makes the overlap longer does not change the lifetime of the key's next successor", async (sql) => {
  const unlimited = await addKey(sql, { created_at: day(-1) });
  const limited = await addKey(sql, { created_at: day(-80), expires_at: day(10) });
  for (const [id, days] of [[unlimited, null], [limited, 90]] as const) {
    await lifetime(sql, id);
    await actAsPerson(sql, owner);
    await sql`select set_api_key_expiry(${id}, ${day(2)})`;
    await actAsSuperuser(sql);
    await sql`delete from api_keys where replaces = ${id}`;
    assert.equal(await lifetime(sql, id), days);
  }
});

test("a key has at most one successor, and the successor can also be rotated", async (sql) => {
  const id = await addKey(sql);
  await actAsPerson(sql, owner);
  const successor = await rotate(sql, id);
  assert.equal(await refusal(sql, (sql) => rotate(sql, id)), "PT409");
  const next = await rotate(sql, successor.id);
  assert.equal((await rowOf(sql, next.id)).replaces, successor.id);
  // The database itself allows only one successor per key.
  const second = (sql: Sql) => addKey(sql, { replaces: id });
  assert.equal(await refusal(sql, second), "23505 api_keys_one_successor");
  const foreign = (sql: Sql) => addKey(sql, { company_id: other.id, replaces: next.id });
  assert.equal(await refusal(sql, foreign), "23503 api_keys_replaces_fkey");
  await sql`delete from api_keys where id = ${id}`;
  assert.deepEqual((await rowOf(sql, successor.id)).replaces, null);
});

test("a key that is switched off remains off after its rotation, and its successor works", async (sql) => {
  const id = await addKey(sql, { is_active: false });
  await actAsPerson(sql, owner);
  const made = await rotate(sql, id);
  assert.equal((await rowOf(sql, id)).is_active, false);
  assert.equal((await rowOf(sql, made.id)).is_active, true);
});

test("only the platform and the company's owners and admins can rotate a key", async (sql) => {
  const id = await addKey(sql);
  const theirs = await addKey(sql, { company_id: other.id });
  const [stranger] = await sql`insert into auth.users (id) values (gen_random_uuid()) returning id`;
  const all = [id, theirs, crypto.randomUUID(), null];
  for (const person of [agent, stranger.id]) {
    await actAsPerson(sql, person);
    for (const key_id of all) {
      assert.equal(await refusal(sql, (sql) => rotate(sql, key_id)), "PT403");
    }
  }
  await actAs(sql, "authenticated");
  assert.equal(await refusal(sql, (sql) => rotate(sql, id)), "PT403");
  await actAsPerson(sql, owner);
  for (const key_id of all.slice(1)) {
    assert.equal(await refusal(sql, (sql) => rotate(sql, key_id)), "PT404");
  }
  for (const role of ["anon", "api_client", "api_reader", "channel_client"] as const) {
    await actAs(sql, role, { sub: owner, key_hash: await hashKey(own.keys.all), scope: "write" });
    assert.equal(await refusal(sql, (sql) => rotate(sql, id)), "42501", role);
  }
  // The agent of this company is also the owner of another company.
  await actAsSuperuser(sql);
  await sql`
    insert into company_members (company_id, user_id, role) values (${other.id}, ${agent}, 'owner')
  `;
  await actAsPerson(sql, agent);
  assert.equal(await refusal(sql, (sql) => rotate(sql, id)), "PT403");
  assert.equal((await rotate(sql, theirs)).company_id, other.id);
  await actAs(sql, "service_role");
  assert.equal((await rotate(sql, id)).company_id, own.id);
  assert.equal(await refusal(sql, (sql) => rotate(sql, crypto.randomUUID())), "PT404");
});

test("an overlap outside the range of 0 to 168 hours is refused", async (sql) => {
  const id = await addKey(sql);
  await actAsPerson(sql, owner);
  for (const overlap of [-1, 169, 2_147_483_647, null]) {
    assert.equal(await refusal(sql, (sql) => rotate(sql, id, overlap)), "PT422", `${overlap}`);
  }
  const ended = await actAsSuperuser(sql).then(() => addKey(sql, { expires_at: "2000-01-01" }));
  await actAsPerson(sql, owner);
  assert.equal(await refusal(sql, (sql) => rotate(sql, ended)), "PT422");
});

Deno.test("only one of two simultaneous rotations succeeds, and a rotation that waits for the key's deletion is refused", async () => {
  const newKey = () => committed((sql) => addKey(sql));
  const twice = await newKey();
  assert.deepEqual(
    await overlapping((sql) => rotated(sql, twice), (sql) => rotated(sql, twice)),
    ["rotated", "PT409"],
  );
  const undone = await newKey();
  assert.deepEqual(
    await overlapping((sql) => rotated(sql, undone), (sql) => rotated(sql, undone), {
      undone: true,
    }),
    ["rotated", "rotated"],
  );
  const deleted = await newKey();
  const remove = async (sql: Sql) =>
    (await sql`delete from api_keys where id = ${deleted}`).count as number | string;
  assert.deepEqual(await overlapping(remove, (sql) => rotated(sql, deleted)), [1, "PT404"]);
  const gone = await newKey();
  assert.deepEqual(
    await overlapping(
      (sql) => rotated(sql, gone),
      async (sql) => (await sql`delete from api_keys where id = ${gone}`).count,
    ),
    ["rotated", 1],
  );
  const successors = await statement`
    select count(*)::int as count from api_keys where replaces = any (${[twice, undone]})
  `;
  assert.deepEqual([...successors], [{ count: 2 }]);
});

Deno.test("a company can be deleted without a deadlock while its key is rotated", async () => {
  const company = await newCompany();
  const id = await committed((sql) => addKey(sql, { company_id: company.id }));
  assert.deepEqual(
    await overlapping(
      (sql) => rotated(sql, id),
      async (sql) => (await sql`delete from companies where id = ${company.id}`).count,
    ),
    ["rotated", 1],
  );
  const next = await newCompany();
  const key = await committed((sql) => addKey(sql, { company_id: next.id }));
  const answers = await overlapping(
    async (sql) => (await sql`delete from companies where id = ${next.id}`).count,
    (sql) => rotated(sql, key),
  );
  assert.deepEqual(answers, [1, "PT404"]);
});
