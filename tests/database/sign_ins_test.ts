// Tests that users can end sessions, and that a user account or a company can require a second
// factor. The database enforces these rules, because callers do not have to use the settings page.

import assert from "node:assert/strict";
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
import { keyToken, rest } from "../support/rest.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

const own = await newCompany();
const owner = own.member_id;
const [admin, agent] = await newMembers(own, "admin", "agent");

/** Creates a session for a user, as Supabase Auth does. */
async function session(sql: Sql, user_id: string, columns: Record<string, unknown> = {}) {
  await actAsSuperuser(sql);
  const now = new Date();
  const row = { id: crypto.randomUUID(), user_id, aal: "aal1", created_at: now, ...columns };
  await sql`insert into auth.sessions ${sql(row)}`;
  return row.id;
}

/** Acts as a user in a session. */
const act = (sql: Sql, sub: string, session_id: string, aal = "aal1") =>
  actAs(sql, "authenticated", { sub, session_id, aal });

/** Adds a second factor to a user. */
async function enroll(sql: Sql, user_id: string, status = "verified") {
  await actAsSuperuser(sql);
  const now = new Date();
  const row = { id: crypto.randomUUID(), user_id, factor_type: "totp", status };
  await sql`insert into auth.mfa_factors ${sql({ ...row, created_at: now, updated_at: now })}`;
}

const keysSeen = async (sql: Sql) => (await sql`select id from api_keys`).length;
const refusesToRead = (sql: Sql) => refusal(sql, (sql) => sql`select from api_keys`);

test("a user sees only their own sessions, most recently used first, and can end a session with immediate effect", async (sql) => {
  const [here, there] = [
    await session(sql, owner, { user_agent: "Firefox", ip: "192.0.2.1" }),
    await session(sql, owner, { refreshed_at: "2999-01-01T00:00:00Z", aal: "aal2" }),
  ];
  const foreign = await session(sql, admin);
  await session(sql, owner, { not_after: "2020-01-01T00:00:00Z" });
  await act(sql, owner, here);
  const seen = await sql`select * from own_sessions()`;
  assert.deepEqual(
    seen.map((each) => [each.id, each.user_agent, each.client_address, each.is_current]),
    [[there, null, null, false], [here, "Firefox", "192.0.2.1", true]],
  );
  assert.equal(seen[0].last_used_at.toISOString(), "2999-01-01T00:00:00.000Z");
  assert.deepEqual(seen.map((each) => each.has_second_factor), [true, false]);
  const end = (id: string) => (sql: Sql) => sql`select end_session(${id})`;
  assert.equal(await refusal(sql, end(foreign)), "PT404");
  assert.equal(await refusal(sql, end(crypto.randomUUID())), "PT404");
  await end(there)(sql);
  assert.equal((await sql`select from own_sessions()`).length, 1);
  assert.equal(await keysSeen(sql), 5);
  await act(sql, owner, there);
  assert.equal(await refusesToRead(sql), "PT401");
});

test("if an account has a second factor, a token from a sign-in without that factor cannot read or change anything", async (sql) => {
  await enroll(sql, owner, "unverified");
  await actAsPerson(sql, owner);
  assert.equal(await keysSeen(sql), 5);
  await enroll(sql, owner);
  await actAsPerson(sql, owner);
  assert.equal(await refusesToRead(sql), "PT401");
  const calls: ((sql: Sql) => Promise<unknown>)[] = [
    (sql) => sql`select from companies`,
    (sql) => sql`update api_keys set is_active = false`,
    (sql) => sql`select create_api_key('x', '{read}')`,
    (sql) => sql`select * from company_people(${own.id})`,
    (sql) => sql`select * from own_sessions()`,
    (sql) => sql`select * from own_invitations()`,
    (sql) => sql`select remove_member(${own.id}, ${owner})`,
  ];
  for (const call of calls) assert.equal(await refusal(sql, call), "PT401", `${call}`);
  await actAs(sql, "authenticated", { sub: owner, aal: "aal2" });
  assert.equal(await keysSeen(sql), 5);
  // One user's second factor does not affect another user.
  await actAsPerson(sql, admin);
  assert.equal(await keysSeen(sql), 5);
});

test("if a company requires a second factor, owners and admins have their rights only after a sign-in with a second factor", async (sql) => {
  const require = (required: boolean) => (sql: Sql) =>
    sql`select require_second_factor(${own.id}, ${required})`;
  await actAsPerson(sql, owner);
  assert.equal(await refusal(sql, require(true)), "PT409");
  for (const [person, code] of [[admin, "PT403"], [agent, "PT403"]] as const) {
    await actAs(sql, "authenticated", { sub: person, aal: "aal2" });
    assert.equal(await refusal(sql, require(true)), code);
  }
  await actAs(sql, "authenticated", { sub: owner, aal: "aal2" });
  await require(true)(sql);
  await require(true)(sql);
  assert.equal(await keysSeen(sql), 5);
  for (const person of [owner, admin]) {
    await actAsPerson(sql, person);
    assert.equal(await keysSeen(sql), 0);
    assert.equal(await refusal(sql, require(false)), "PT403");
    assert.equal(
      await refusal(sql, (sql) => sql`select invite_member(${own.id}, 'a@b.example', 'agent')`),
      "PT403",
    );
    // The data that every member can see does not depend on the second factor.
    assert.equal((await sql`select from contacts`).length, 1);
  }
  await actAs(sql, "authenticated", { sub: owner, aal: "aal2" });
  assert.equal(
    await refusal(sql, (sql) => sql`update companies set managers_need_second_factor = false`),
    "42501",
  );
  await require(false)(sql);
  const events = await sql`
    select action, actor_id from company_events where company_id = ${own.id}
    order by created_at desc limit 2
  `;
  assert.deepEqual(events.map(({ action, actor_id }) => [action, actor_id]), [
    ["second_factor_optional", owner],
    ["second_factor_required", owner],
  ]);
});

test("after a user removes the only second factor, an older token of the session gives only an agent's rights", async (sql) => {
  const [first, second] = [
    await session(sql, owner, { aal: "aal2" }),
    await session(sql, owner, { aal: "aal2" }),
  ];
  await act(sql, owner, first, "aal2");
  await sql`select require_second_factor(${own.id}, true)`;
  assert.equal(await keysSeen(sql), 5);
  await actAsSuperuser(sql);
  // Supabase Auth also changes the sessions when a user removes a factor.
  await sql`update auth.sessions set aal = 'aal1' where user_id = ${owner}`;
  for (const id of [first, second]) {
    await act(sql, owner, id, "aal2");
    assert.equal(await keysSeen(sql), 0);
    const calls: ((sql: Sql) => Promise<unknown>)[] = [
      (sql) => sql`select create_api_key('x', '{read}')`,
      (sql) => sql`select require_second_factor(${own.id}, false)`,
      (sql) => sql`select managing_person(${own.id})`,
    ];
    for (const call of calls) assert.equal(await refusal(sql, call), "PT403", `${call}`);
    assert.equal((await sql`select from contacts`).length, 1);
  }
  // If the user still has another factor, the session needs the code of that factor.
  await enroll(sql, owner);
  await act(sql, owner, first, "aal2");
  assert.equal(await refusesToRead(sql), "PT401");
});

test("when the operator removes a user's lost second factor, all sessions of the user end, and the history records the removal", async (sql) => {
  const email = `${crypto.randomUUID()}@people.example`;
  await sql`update auth.users set email = ${email} where id = ${agent}`;
  await enroll(sql, agent);
  const lost = await session(sql, agent, { aal: "aal2" });
  await actAs(sql, "service_role");
  const remove = (sql: Sql) => sql`select remove_second_factors(${email}) as count`;
  assert.equal((await remove(sql))[0].count, 1);
  assert.equal(await refusal(sql, remove), "PT409");
  await act(sql, agent, lost, "aal2");
  assert.equal(await refusal(sql, (sql) => sql`select from contacts`), "PT401");
  await actAsPerson(sql, agent);
  assert.equal(await refusal(sql, remove), "42501");
  await actAsSuperuser(sql);
  const [event] = await sql`
    select * from company_events where member_id = ${agent} order by created_at desc limit 1
  `;
  assert.deepEqual([event.action, event.actor_kind], ["second_factor_removed", "platform"]);
});

test("a factor that the user never verified is not a second factor, and is removed with the verified one", async (sql) => {
  const email = `${crypto.randomUUID()}@people.example`;
  await sql`update auth.users set email = ${email} where id = ${agent}`;
  await enroll(sql, agent, "unverified");
  const kept = await session(sql, agent);
  const remove = async (sql: Sql) => {
    await actAs(sql, "service_role");
    return await sql`select remove_second_factors(${email}) as count`;
  };
  assert.equal(await refusal(sql, remove), "PT409");
  await act(sql, agent, kept);
  assert.equal((await sql`select from own_sessions()`).length, 1);
  await enroll(sql, agent);
  assert.equal((await remove(sql))[0].count, 1);
  await actAsSuperuser(sql);
  assert.deepEqual([...await sql`select id from auth.mfa_factors where user_id = ${agent}`], []);
});

Deno.test("API keys and signed-out callers cannot call the functions for sign-ins", async () => {
  const calls: [string, unknown][] = [
    ["own_sessions", {}],
    ["end_session", { session_id: crypto.randomUUID() }],
    ["require_second_factor", { company_id: own.id, required: true }],
    ["remove_second_factors", { email: "a@b.example" }],
  ];
  for (const token of [await keyToken(own.keys.all, "write"), null]) {
    for (const [name, json] of calls) {
      const { status } = await rest(token, "POST", `/rpc/${name}`, { json });
      assert.ok([401, 403, 404].includes(status), `${name}: ${status}`);
    }
  }
});
