// What was done to the keys of a company: the database notes it, owners and admins read it, and nobody writes it.

import assert from "node:assert/strict";
import type postgres from "postgres";
import { actAs, actAsPerson, actAsSuperuser, refusal, rolledBack } from "../support/acting_as.ts";
import { newCompany, newMembers } from "../support/company.ts";
import { personToken, rest } from "../support/rest.ts";

type Sql = postgres.TransactionSql;

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

/** The events of a key, the oldest first. */
async function eventsOf(sql: Sql, key_id: string) {
  await actAsSuperuser(sql);
  return await sql`select * from api_key_events where key_id = ${key_id} order by created_at`;
}

/** What happened, in which words. */
const told = (events: postgres.Row[]) => events.map(({ action, details }) => [action, details]);

/** Makes the headers of the request those that the statements after this one see. */
async function withHeaders(sql: Sql, headers: unknown) {
  const setting = typeof headers === "string" ? headers : JSON.stringify(headers);
  await sql`select set_config('request.headers', ${setting}, true)`;
}

Deno.test("everything that is done to a key is noted, with what it was called then", async () => {
  await rolledBack(async (sql) => {
    await actAsPerson(sql, owner);
    const { id, api_key } = await create(sql);
    await sql`update api_keys set name = 'Till' where id = ${id}`;
    await sql`update api_keys set is_active = false where id = ${id}`;
    await sql`update api_keys set is_active = true, name = 'Desk' where id = ${id}`;
    // Nothing changes.
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
    // With the key gone, its successor succeeds none, which is not noted.
    assert.deepEqual(told(await eventsOf(sql, successor.id)), [
      ["created", { scopes: ["read"], expires_at: null, replaces: id }],
    ]);
  });
});

Deno.test("what only a statement of an administrator does is noted as the database's", async () => {
  await rolledBack(async (sql) => {
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
});

Deno.test("an event keeps the name that the person has in the company, else the e-mail address", async () => {
  await rolledBack(async (sql) => {
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
});

Deno.test("the address is what the platform's proxy wrote, and nothing that a caller writes stops a change", async () => {
  await rolledBack(async (sql) => {
    const cases: [unknown, string | null][] = [
      [{
        "cf-connecting-ip": "203.0.113.7",
        "x-real-ip": "1.1.1.1",
        "x-forwarded-for": "2.2.2.2",
      }, "203.0.113.7"],
      [{ "x-real-ip": "203.0.113.8", "x-forwarded-for": "2.2.2.2" }, "203.0.113.8"],
      // What is before the last comma may be the caller's own words.
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
});

Deno.test("a change over the Data API has the address of the one who made it, whatever that one writes", async () => {
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
    `/api_key_events?select=${select}&key_id=eq.${made.body.id}&order=created_at`,
  );
  const from = { client_address: "127.0.0.1", actor_kind: "person", actor_id: owner };
  assert.deepEqual(body, [
    { action: "created", ...from },
    { action: "switched_off", ...from },
    { action: "deleted", ...from },
  ]);
});

Deno.test("owners and admins read the events of their company, and agents and others none", async () => {
  const readers: [string, boolean][] = [[owner, true], [agent, false], [other.member_id, false]];
  for (const [person, reads] of readers) {
    const path = `/api_key_events?select=*&company_id=eq.${own.id}`;
    const { status, body } = await rest(await personToken(person), "GET", path);
    assert.deepEqual([status, body.length > 0], [200, reads]);
  }
  const unfiltered = await rest(await personToken(owner), "GET", "/api_key_events?select=*");
  assert.deepEqual(
    [...new Set(unfiltered.body.map((event: { company_id: string }) => event.company_id))],
    [own.id],
  );
});

Deno.test("neither a person nor the platform adds, changes or deletes an event", async () => {
  await rolledBack(async (sql) => {
    const row = {
      ...{ company_id: own.id, key_id: crypto.randomUUID(), key_name: "x", key_hint: "0000" },
      ...{ action: "created", actor_kind: "person" },
    };
    for (const role of ["authenticated", "service_role"] as const) {
      await actAs(sql, role, { sub: owner });
      const attempts = [
        (sql: Sql) => sql`insert into api_key_events ${sql(row)}`,
        (sql: Sql) => sql`update api_key_events set actor_name = 'x'`,
        (sql: Sql) => sql`delete from api_key_events`,
        (sql: Sql) => sql`truncate api_key_events`,
        (sql: Sql) => sql`select app.name_of_person(${owner}, ${own.id})`,
      ];
      for (const attempt of attempts) assert.equal(await refusal(sql, attempt), "42501");
    }
  });
});

Deno.test("of keys from before there were events, it is told who made them and when", async () => {
  const migration = await Deno.readTextFile(
    new URL("../../supabase/migrations/20261127001200_api_key_events.sql", import.meta.url),
  );
  const statement = migration.slice(migration.lastIndexOf("insert into public.api_key_events"));
  await rolledBack(async (sql) => {
    await sql`update company_members set name = 'Ada' where user_id = ${owner}`;
    await actAsPerson(sql, owner);
    const made = await create(sql);
    await actAs(sql, "service_role");
    const platforms = await create(sql);
    await actAsSuperuser(sql);
    await sql`delete from api_key_events`;
    await sql.unsafe(statement);
    const details = { scopes: ["read"], expires_at: null };
    for (
      const [key, actor_kind, actor_id, actor_name] of [
        [made, "person", owner, "Ada"],
        [platforms, "platform", null, null],
      ] as const
    ) {
      const [{ id: _, created_at, ...event }] = await eventsOf(sql, key.id);
      assert.deepEqual(created_at, key.created_at);
      assert.deepEqual(event, {
        ...{
          company_id: own.id,
          key_id: key.id,
          key_name: "Shop",
          key_hint: key.api_key.slice(-4),
        },
        ...{ action: "created", details, actor_kind, actor_id, actor_name, client_address: null },
      });
    }
  });
});

Deno.test("a key that is deleted with its company leaves no event", async () => {
  const company = await newCompany();
  await rolledBack(async (sql) => {
    await actAs(sql, "service_role");
    const keys = await sql`select id from api_keys where company_id = ${company.id}`;
    await sql`select rotate_api_key(${keys[0].id})`;
    await sql`delete from companies where id = ${company.id}`;
    await actAsSuperuser(sql);
    const events = await sql`select from api_key_events where key_id = any (${
      keys.map(({ id }) => id)
    })`;
    assert.equal(events.length, 0);
  });
});

Deno.test("the index has the newest events of a company in the order of a page", async () => {
  await rolledBack(async (sql) => {
    await actAsPerson(sql, owner);
    // Of the few rows of the tests, any plan is cheap.
    await sql`set local enable_seqscan = off`;
    await sql`set local enable_bitmapscan = off`;
    const plan = await sql`
      explain select * from api_key_events where company_id = ${own.id}
      order by created_at desc, id desc limit 50
    `;
    const lines = plan.map((line) => line["QUERY PLAN"]).join("\n");
    assert.match(lines, /Index Scan using api_key_events_newest_first_idx/);
    assert.doesNotMatch(lines, /Sort/);
  });
});
