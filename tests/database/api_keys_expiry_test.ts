// Tests who can change a key's expiry, and which times are allowed.
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
import { committed } from "./connections.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

const own = await newCompany();
const other = await newCompany();
const [agent, admin] = await newMembers(own, "agent", "admin");

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

async function addKey(sql: Sql, columns: Record<string, unknown> = {}): Promise<string> {
  await actAsSuperuser(sql);
  const key_hash = await hashKey(crypto.randomUUID());
  const row = { company_id: own.id, name: "Shop", key_hash, hint: "abcd", scopes: ["read"] };
  return (await sql`insert into api_keys ${sql({ ...row, ...columns })} returning id`)[0].id;
}

const set = (sql: Sql, id: string | null, at: string | null) =>
  sql`select set_api_key_expiry(${id}::uuid, ${at}::text::timestamptz)`;

async function expiryOf(sql: Sql, id: string): Promise<string | null> {
  await actAsSuperuser(sql);
  const [{ expires_at }] = await sql`select expires_at from api_keys where id = ${id}`;
  return expires_at && new Date(expires_at).toISOString();
}

test("owners and admins can make a key expire earlier, later or never, and the history records each change", async (sql) => {
  for (const person of [own.member_id, admin]) {
    const id = await addKey(sql, { expires_at: inHours(24) });
    for (const at of [inHours(1), inHours(9000), null]) {
      await actAsPerson(sql, person);
      await set(sql, id, at);
      assert.equal(await expiryOf(sql, id), at);
    }
    const events = await sql`
      select actor_id, details ->> 'to' as to from company_events
      where key_id = ${id} and action = 'expiry_changed' order by created_at`;
    assert.deepEqual(events.map(({ actor_id }) => actor_id), [person, person, person]);
    assert.equal(events[2].to, null);
  }
});

test("an expiry must be in the future, and an expired key remains expired", async (sql) => {
  const [id, ended] = [await addKey(sql), await addKey(sql, { expires_at: inHours(-1) })];
  await actAsPerson(sql, own.member_id);
  for (const at of [inHours(-1), "-infinity", "infinity", "10000-01-01"]) {
    assert.equal(await refusal(sql, (sql) => set(sql, id, at)), "PT422", at);
  }
  assert.equal(await refusal(sql, (sql) => set(sql, ended, inHours(1))), "PT409");
  // The expiry of a rotated key can be postponed, but not removed.
  await sql`select rotate_api_key(${id}, 1)`;
  assert.equal(await refusal(sql, (sql) => set(sql, id, null)), "PT422");
  const later = inHours(200);
  await set(sql, id, later);
  assert.equal(await expiryOf(sql, id), later);
});

Deno.test("a key that was ended remains expired, even for a transaction that began before the key's end", async () => {
  const { id: company_id, member_id } = await newCompany();
  const id = await committed((sql) => addKey(sql, { company_id }));
  const said = await committed(async (sql) => {
    await actAsPerson(sql, member_id);
    await committed(async (sql) => {
      await actAsPerson(sql, member_id);
      await sql`select rotate_api_key(${id}, 0)`;
    });
    return await refusal(sql, (sql) => set(sql, id, inHours(700)));
  });
  assert.equal(said, "PT409");
});

test("agents, members of other companies and API keys cannot change the expiry of a key", async (sql) => {
  const id = await addKey(sql);
  const asPerson = async (person: string) => {
    await actAsPerson(sql, person);
    return await refusal(sql, (sql) => set(sql, id, null));
  };
  assert.equal(await asPerson(agent), "PT403");
  assert.equal(await asPerson(other.member_id), "PT404");
  await actAsPerson(sql, own.member_id);
  const direct = (sql: Sql) => sql`update api_keys set expires_at = null where id = ${id}`;
  assert.equal(await refusal(sql, direct), "42501");
  for (const role of ["anon", "api_client", "api_reader"] as const) {
    await actAs(sql, role, { key_hash: await hashKey(own.keys.all), scope: "write" });
    assert.equal(await refusal(sql, (sql) => set(sql, id, null)), "42501", role);
  }
});
