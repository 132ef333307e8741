// Tests the history of a company's keys and members. The database records each change, owners and
// admins can read the history, and no one can write to it.

import assert from "node:assert/strict";
import type postgres from "postgres";
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
import { personToken, rest } from "../support/rest.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

const own = await newCompany();
const other = await newCompany();
const owner = own.member_id;
const [agent] = await newMembers(own, "agent");

async function create(sql: Sql, name = "Shop") {
  const [made] = await sql`
    select * from create_api_key(${name}, ${["read"]}::text[], null, ${own.id}::uuid)
  `;
  return made;
}

/** The events about a key, oldest first. */
async function eventsOf(sql: Sql, key_id: string) {
  await actAsSuperuser(sql);
  return await sql`select * from company_events where key_id = ${key_id} order by created_at`;
}

/** The action and the details of each event. */
const told = (events: postgres.Row[]) => events.map(({ action, details }) => [action, details]);

/** Sets the request headers for later statements. */
async function withHeaders(sql: Sql, headers: unknown) {
  const setting = typeof headers === "string" ? headers : JSON.stringify(headers);
  await sql`select set_config('request.headers', ${setting}, true)`;
}

test("every change to a key is recorded with the name that the key had at the time", async (sql) => {
  await actAsPerson(sql, owner);
  const { id, api_key } = await create(sql);
  await sql`update api_keys set name = 'Till' where id = ${id}`;
  await sql`update api_keys set is_active = false where id = ${id}`;
  await sql`update api_keys set is_active = true, name = 'Desk' where id = ${id}`;
  // This update changes nothing.
  await sql`update api_keys set is_active = true, name = 'Desk' where id = ${id}`;
  const [successor] = await sql`select * from rotate_api_key(${id}, 24)`;
  await sql`delete from api_keys where id = ${id}`;

  const events = await eventsOf(sql, id);
  const { ends_at } = events[5].details;
  assert.deepEqual(told(events), [
    ["created", { scopes: ["read"], expires_at: null }],
    ["renamed", { from: "Shop", to: "Till" }],
    ["switched_off", {}],
    ["renamed", { from: "Till", to: "Desk" }],
    ["switched_on", {}],
    ["rotated", { successor_id: successor.id, ends_at }],
    ["deleted", { scopes: ["read"] }],
  ]);
  assert.ok(Math.abs(Date.parse(ends_at) - Date.now() - 86_400_000) < 60_000);
  for (const { company_id, key_hint, actor_kind, actor_id, client_address } of events) {
    assert.deepEqual({ company_id, key_hint, actor_kind, actor_id, client_address }, {
      company_id: own.id,
      key_hint: api_key.slice(-4),
      actor_kind: "person",
      actor_id: owner,
      client_address: null,
    });
  }
  assert.deepEqual(events.map(({ key_name }) => key_name), [
    ...["Shop", "Till", "Till", "Desk", "Desk", "Desk", "Desk"],
  ]);
  // Deleting the key also unlinks its successor, but the history does not record that.
  assert.deepEqual(told(await eventsOf(sql, successor.id)), [
    ["created", { scopes: ["read"], expires_at: null, replaces: id }],
  ]);
});

test("a change that an administrator makes in SQL is recorded as a change by the database", async (sql) => {
  await actAs(sql, "service_role");
  const { id } = await create(sql);
  await actAsSuperuser(sql);
  await sql`update api_keys set expires_at = '2999-01-01T00:00Z' where id = ${id}`;
  await sql`update api_keys set scopes = '{write}', key_hash = repeat('0', 64) where id = ${id}`;
  await sql`update api_keys set last_used_at = now(), created_by = ${owner} where id = ${id}`;
  const events = await eventsOf(sql, id);
  assert.deepEqual(told(events), [
    ["created", { scopes: ["read"], expires_at: null }],
    ["expiry_changed", { from: null, to: "2999-01-01T00:00:00+00:00" }],
    ["changed", { fields: ["scopes", "key_hash"], from: ["read"], to: ["write"] }],
  ]);
  assert.deepEqual(
    events.map(({ actor_kind, actor_id, actor_name }) => [actor_kind, actor_id, actor_name]),
    [["platform", null, null], ["database", null, null], ["database", null, null]],
  );
});

test("an event contains the user's name in the company, or the email address if there is no name", async (sql) => {
  const email = `${owner}@people.example`;
  await sql`update auth.users set email = ${email} where id = ${owner}`;
  await actAsPerson(sql, owner);
  const first = await create(sql);
  await sql`update company_members set name = 'Ada' where user_id = ${owner}`;
  const second = await create(sql);
  await actAsSuperuser(sql);
  await sql`delete from auth.users where id = ${owner}`;
  for (const [{ id }, name] of [[first, email], [second, "Ada"]] as const) {
    const [event] = await eventsOf(sql, id);
    assert.deepEqual([event.actor_id, event.actor_name], [owner, name]);
  }
});

test("an event contains the IP address that the platform's proxy reported, even if the caller's headers contain another IP address", async (sql) => {
  const cases: [unknown, string | null][] = [
    [{
      "cf-connecting-ip": "203.0.113.7",
      "x-real-ip": "1.1.1.1",
      "x-forwarded-for": "2.2.2.2",
    }, "203.0.113.7"],
    [{ "x-real-ip": "203.0.113.8", "x-forwarded-for": "2.2.2.2" }, "203.0.113.8"],
    // The caller can forge everything before the last comma of the header.
    [{ "x-forwarded-for": "1.1.1.1, 203.0.113.9" }, "203.0.113.9"],
    [{ "x-forwarded-for": " 2001:db8::7 " }, "2001:db8::7"],
    [{ "x-forwarded-for": "203.0.113.9, unknown" }, null],
    [{ "cf-connecting-ip": "silly", "x-forwarded-for": "203.0.113.9" }, "203.0.113.9"],
    [{ "x-forwarded-for": "10.0.0.0/8" }, null],
    [{ "x-forwarded-for": "" }, null],
    [{ "x-forwarded-for": ",".repeat(5000) }, null],
    [{ "x-real-ip": { a: 1 } }, null],
    [{ "x-real-ip": null }, null],
    [{ host: "x" }, null],
    [["203.0.113.9"], null],
    ["203.0.113.9", null],
    ['"203.0.113.9"', null],
    ["{", null],
    ["", null],
    ['{"x-real-ip":"\\u0000"}', null],
  ];
  for (const [headers, address] of cases) {
    await actAsPerson(sql, owner);
    await withHeaders(sql, headers);
    const { id } = await create(sql);
    const [{ client_address }] = await eventsOf(sql, id);
    assert.equal(client_address, address, JSON.stringify(headers));
  }
});

Deno.test("a change through the Data API is recorded with the caller's real IP address, even if the caller's headers contain another address", async () => {
  const asOwner = await personToken(owner);
  const headers = {
    "CF-Connecting-IP": "1.1.1.1",
    "X-Real-IP": "2.2.2.2",
    "X-Forwarded-For": "3.3.3.3",
  };
  const json = { name: "Shop", scopes: ["read"], company_id: own.id };
  const made = await rest(asOwner, "POST", "/rpc/create_api_key", { json, headers });
  const path = `/api_keys?id=eq.${made.body.id}&select=id`;
  await rest(asOwner, "PATCH", path, { json: { is_active: false }, headers });
  await rest(asOwner, "DELETE", path, { headers });
  const select = "action,client_address,actor_kind,actor_id";
  const { body } = await rest(
    asOwner,
    "GET",
    `/company_events?select=${select}&key_id=eq.${made.body.id}&order=created_at`,
  );
  const from = { client_address: "127.0.0.1", actor_kind: "person", actor_id: owner };
  assert.deepEqual(body, [
    { action: "created", ...from },
    { action: "switched_off", ...from },
    { action: "deleted", ...from },
  ]);
});

Deno.test("only owners and admins can read the events of their company", async () => {
  const readers: [string, boolean][] = [[owner, true], [agent, false], [other.member_id, false]];
  for (const [person, reads] of readers) {
    const path = `/company_events?select=*&company_id=eq.${own.id}`;
    const { status, body } = await rest(await personToken(person), "GET", path);
    assert.deepEqual([status, body.length > 0], [200, reads]);
  }
  const unfiltered = await rest(await personToken(owner), "GET", "/company_events?select=*");
  assert.deepEqual(
    [...new Set(unfiltered.body.map((event: { company_id: string }) => event.company_id))],
    [own.id],
  );
});

test("users and the platform cannot add, change or delete an event", async (sql) => {
  const row = {
    ...{ company_id: own.id, key_id: crypto.randomUUID(), key_name: "x", key_hint: "0000" },
    ...{ action: "created", actor_kind: "person" },
  };
  for (const role of ["authenticated", "service_role"] as const) {
    await actAs(sql, role, { sub: owner });
    const attempts = [
      (sql: Sql) => sql`insert into company_events ${sql(row)}`,
      (sql: Sql) => sql`update company_events set actor_name = 'x'`,
      (sql: Sql) => sql`delete from company_events`,
      (sql: Sql) => sql`truncate company_events`,
      (sql: Sql) => sql`select app.name_of_person(${owner}, ${own.id})`,
    ];
    for (const attempt of attempts) assert.equal(await refusal(sql, attempt), "42501");
  }
});

/** The events about a member, oldest first. Each event shows who did what. */
async function eventsOfMember(sql: Sql, member_id: string) {
  await actAsSuperuser(sql);
  const events = await sql`
    select * from company_events where member_id = ${member_id} order by created_at
  `;
  return events.map((
    { member_name, action, details, actor_kind, actor_id, actor_name },
  ) => [action, member_name, details, actor_kind, actor_id, actor_name]);
}

test("the history records who joins or leaves a company, and each change of a name or role", async (sql) => {
  const [{ id: newcomer }] = await sql`
    insert into auth.users (id, email, email_confirmed_at)
    values (gen_random_uuid(), 'ada@people.example', now()) returning id
  `;
  await sql`update company_members set name = 'Olívia' where user_id = ${owner}`;
  await actAs(sql, "service_role");
  await sql`select add_company_member(${own.id}, 'ada@people.example')`;
  await sql`select change_company_member_role(${own.id}, 'ada@people.example', 'admin')`;
  await actAsPerson(sql, newcomer);
  await sql`update company_members set name = 'Ada' where user_id = ${newcomer}`;
  await sql`update company_members set name = 'Eve' where user_id = ${newcomer}`;
  // This update changes nothing.
  await sql`update company_members set name = 'Eve' where user_id = ${newcomer}`;
  await actAsPerson(sql, owner);
  await sql`update company_members set name = null where user_id = ${newcomer}`;
  await actAs(sql, "service_role");
  await sql`select remove_company_member(${own.id}, 'ada@people.example')`;

  const platform = ["platform", null, null];
  const herself = ["person", newcomer];
  assert.deepEqual(await eventsOfMember(sql, newcomer), [
    ["member_added", null, { role: "agent" }, ...platform],
    ["member_role_changed", null, { from: "agent", to: "admin" }, ...platform],
    ["member_renamed", "Ada", { from: null, to: "Ada" }, ...herself, "ada@people.example"],
    ["member_renamed", "Eve", { from: "Ada", to: "Eve" }, ...herself, "Ada"],
    ["member_renamed", null, { from: "Eve", to: null }, "person", owner, "Olívia"],
    ["member_removed", null, { role: "admin" }, ...platform],
  ]);
});

test("a membership that is transferred to another user is recorded as one user leaving and another joining", async (sql) => {
  const [{ id: heir }] =
    await sql`insert into auth.users (id) values (gen_random_uuid()) returning id`;
  await actAs(sql, "service_role");
  await sql`update company_members set user_id = ${heir}, role = 'owner' where user_id = ${agent}`;
  const platform = ["platform", null, null];
  assert.deepEqual((await eventsOfMember(sql, agent)).at(-1), [
    ...["member_removed", null, { role: "agent" }],
    ...platform,
  ]);
  assert.deepEqual(await eventsOfMember(sql, heir), [
    ["member_added", null, { role: "owner" }, ...platform],
  ]);
  await sql`delete from auth.users where id = ${heir}`;
  assert.deepEqual((await eventsOfMember(sql, heir)).at(-1), [
    ...["member_removed", null, { role: "owner" }, "database", null, null],
  ]);
});

Deno.test("keys and members that are deleted with their company leave no events", async () => {
  const company = await newCompany();
  await rolledBack(async (sql) => {
    await actAs(sql, "service_role");
    const keys = await sql`select id from api_keys where company_id = ${company.id}`;
    await sql`select rotate_api_key(${keys[0].id})`;
    await sql`delete from companies where id = ${company.id}`;
    await actAsSuperuser(sql);
    const events = await sql`select from company_events where company_id = ${company.id}`;
    assert.equal(events.length, 0);
  });
});

test("a page of a company's newest events is read from an index, without sorting", async (sql) => {
  await actAsPerson(sql, owner);
  // With so few rows, the planner could choose other plans.
  await sql`set local enable_seqscan = off`;
  await sql`set local enable_bitmapscan = off`;
  const plan = await sql`
    explain select * from company_events where company_id = ${own.id}
    order by created_at desc, id desc limit 50
  `;
  const lines = plan.map((line) => line["QUERY PLAN"]).join("\n");
  assert.match(lines, /Index Scan using company_events_newest_first_idx/);
  assert.doesNotMatch(lines, /Sort/);
});
