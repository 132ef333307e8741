// Owners and admins manage the members of their company, and the database checks each change.

import assert from "node:assert/strict";
import { actAs, actAsPerson, refusal, rolledBack, type Sql } from "../support/acting_as.ts";
import { newCompany, newMembers } from "../support/company.ts";
import { keyToken, personToken, rest } from "../support/rest.ts";
import { statement } from "../support/test_stack.ts";
import { committed, overlapping } from "./connections.ts";

const own = await newCompany();
const other = await newCompany();
const owner = own.member_id;
const [admin, admin2, agent, agent2] = await newMembers(own, "admin", "admin", "agent", "agent");
const NAMES: Record<string, string> = { [owner]: "owner", [admin]: "admin", [agent]: "agent" };

const give = (sql: Sql, person: string, role: string, company = own.id) =>
  sql`select change_member_role(${company}, ${person}, ${role})`;
const remove = (sql: Sql, person: string, company = own.id) =>
  sql`select remove_member(${company}, ${person})`;

/** Makes a call as a user, rolls the call back, and returns `done` or the SQLSTATE of the error. */
async function outcome(as: string, work: (sql: Sql) => Promise<unknown>): Promise<string> {
  let said = "done";
  await rolledBack(async (sql) => {
    await actAsPerson(sql, as);
    said = await sql.savepoint(work).then(() => "done", ({ code }) => code);
  });
  return said;
}

Deno.test("only owners can make or remove owners, admins manage agents and admins, and agents manage no one", async () => {
  const cases: [as: string, of: string, role: string, expected: string][] = [
    [owner, agent, "owner", "done"],
    [owner, admin, "agent", "done"],
    [owner, owner, "admin", "PT409"],
    [admin, agent, "admin", "done"],
    [admin, admin2, "agent", "done"],
    [admin, admin, "agent", "done"],
    [admin, agent, "owner", "PT403"],
    [admin, admin, "owner", "PT403"],
    [admin, owner, "agent", "PT403"],
    [admin, owner, "owner", "PT403"],
    [agent, agent2, "admin", "PT403"],
    [agent, agent, "admin", "PT403"],
    [other.member_id, agent, "admin", "PT404"],
    [owner, other.member_id, "agent", "PT404"],
    [owner, agent, "boss", "PT422"],
  ];
  for (const [as, of, role, expected] of cases) {
    const said = await outcome(as, (sql) => give(sql, of, role));
    assert.equal(said, expected, `${NAMES[as]} makes ${NAMES[of]} ${role}`);
  }
  const removals: [as: string, of: string, expected: string][] = [
    [owner, admin, "done"],
    [owner, owner, "PT409"],
    [admin, agent, "done"],
    [admin, admin2, "done"],
    [admin, owner, "PT403"],
    [admin, admin, "done"],
    [agent, agent2, "PT403"],
    [agent, agent, "done"],
    [other.member_id, agent, "PT404"],
    [owner, other.member_id, "PT404"],
  ];
  for (const [as, of, expected] of removals) {
    const said = await outcome(as, (sql) => remove(sql, of));
    assert.equal(said, expected, `${NAMES[as]} removes ${NAMES[of]}`);
  }
});

Deno.test("the history records who removed or promoted a colleague", async () => {
  await rolledBack(async (sql) => {
    await actAsPerson(sql, owner);
    await give(sql, agent, "admin");
    await actAsPerson(sql, agent);
    await remove(sql, agent);
    await actAsPerson(sql, owner);
    const events = await sql`
      select action, details, actor_kind, actor_id from company_events where member_id = ${agent}
      order by created_at desc limit 2
    `;
    assert.deepEqual(events.map((event) => ({ ...event })), [
      {
        action: "member_removed",
        details: { role: "admin" },
        actor_kind: "person",
        actor_id: agent,
      },
      {
        action: "member_role_changed",
        details: { from: "agent", to: "admin" },
        ...{ actor_kind: "person", actor_id: owner },
      },
    ]);
  });
});

Deno.test("owners and admins see their colleagues' email addresses, and agents see only their own", async () => {
  const seen = async (as: string, company = own.id) => {
    const { status, body } = await rest(await personToken(as), "POST", "/rpc/company_people", {
      json: { company_id: company },
    });
    assert.equal(status, 200);
    return body as { user_id: string; email: string | null; has_second_factor: boolean | null }[];
  };
  for (const as of [owner, admin]) {
    const people = await seen(as);
    assert.deepEqual(people.length, 5);
    assert.ok(people.every(({ has_second_factor }) => has_second_factor === false));
  }
  const known = (await seen(agent)).filter(({ has_second_factor }) => has_second_factor !== null);
  assert.deepEqual(known.map(({ user_id }) => user_id), [agent]);
  assert.deepEqual(await seen(other.member_id), []);
  assert.deepEqual(await seen(owner, other.id), []);
});

Deno.test("API keys, the platform and signed-out callers cannot call the functions with which users manage members", async () => {
  const calls = [
    ["company_people", { company_id: own.id }],
    ["change_member_role", { company_id: own.id, user_id: agent, role: "owner" }],
    ["remove_member", { company_id: own.id, user_id: agent }],
  ] as const;
  const tokens = [await keyToken(own.keys.all), await keyToken(own.keys.all, "write"), null];
  for (const token of tokens) {
    for (const [name, json] of calls) {
      const { status } = await rest(token, "POST", `/rpc/${name}`, { json });
      assert.ok([401, 403, 404].includes(status), `${name}: ${status}`);
    }
  }
  await rolledBack(async (sql) => {
    await actAs(sql, "service_role");
    assert.equal(await refusal(sql, (sql) => remove(sql, agent)), "42501");
  });
});

/**
 * Makes the second call before the first call is committed, and returns the result of the second
 * call.
 */
async function saidWhile(
  [before, first]: [as: string, (sql: Sql) => Promise<unknown>],
  [after, second]: [as: string, (sql: Sql) => Promise<unknown>],
): Promise<string> {
  const [, said] = await overlapping(
    async (sql) => {
      await actAsPerson(sql, before);
      await first(sql);
    },
    async (sql) => {
      await actAsPerson(sql, after);
      return await sql.savepoint(second).then(() => "done", ({ code }) => code as string);
    },
  );
  return said;
}

Deno.test("a change to a member waits for a simultaneous change of roles, and is then checked with the new roles", async () => {
  const company = await newCompany();
  const { id, member_id: boss } = company;
  const [ada, bob, eva] = await newMembers(company, "admin", "admin", "agent");
  const promoted = (sql: Sql) => give(sql, bob, "owner", id);
  const demoted = (sql: Sql) => give(sql, ada, "agent", id);
  const said = [
    await saidWhile([boss, promoted], [ada, (sql) => remove(sql, bob, id)]),
    await saidWhile([boss, promoted], [ada, (sql) => give(sql, bob, "agent", id)]),
    await saidWhile([boss, demoted], [ada, (sql) => give(sql, eva, "admin", id)]),
    await saidWhile([boss, demoted], [ada, (sql) => remove(sql, eva, id)]),
    await saidWhile([boss, (sql) => remove(sql, boss, id)], [bob, (sql) => remove(sql, bob, id)]),
  ];
  assert.deepEqual(said, ["PT403", "PT403", "PT403", "PT403", "PT409"]);
});

Deno.test("if a manager loses the role while a call waits, the call is refused and changes nothing", async () => {
  const company = await newCompany();
  const { id, member_id: boss } = company;
  const endings: Record<string, (sql: Sql, person: string) => Promise<unknown>> = {
    removed: (sql, person) => remove(sql, person, id),
    demoted: (sql, person) => give(sql, person, "agent", id),
  };
  const [key] = await statement`select id from api_keys where company_id = ${id} limit 1`;
  const [contact] = await statement`
    insert into contacts (company_id, name, phone) values (${id}, 'Rui', '+15550177') returning id
  `;
  const newWebhook = (sql: Sql, webhook_id: string = crypto.randomUUID()) =>
    sql`
      select create_webhook(
        ${webhook_id}, 'https://example.com/hook', '{*}', 'full', null, 'a..b.c.d', ${id}
      )
    `;
  const webhook_id = crypto.randomUUID();
  await committed(async (sql) => {
    await actAs(sql, "settings_client", { sub: boss });
    await newWebhook(sql, webhook_id);
  });
  const calls: [role: "authenticated" | "settings_client", call: (sql: Sql) => Promise<unknown>][] =
    [
      [
        "settings_client",
        (sql) => sql`select connect_messaging_account(${id}, '4242', '+15550123', 'a..b.c.d')`,
      ],
      [
        "settings_client",
        (sql) =>
          sql`
            select create_channel_app(
              ${id}, ${crypto.randomUUID().replaceAll("-", "")}, 'x', 'a..b.c.d', 'a..b.c.d'
            )
          `,
      ],
      ["settings_client", (sql) => newWebhook(sql)],
      ["settings_client", (sql) => sql`select rotate_webhook_secret(${webhook_id}, 'a..b.c.d')`],
      ["authenticated", (sql) => sql`select delete_webhook(${webhook_id})`],
      ["authenticated", (sql) => sql`select begin_test_send(${id}, ${crypto.randomUUID()})`],
      ["authenticated", (sql) => sql`select rotate_api_key(${key.id}, 0)`],
      ["authenticated", (sql) => sql`select require_second_factor(${id}, false)`],
      ["authenticated", (sql) => sql`select disconnect_messaging_account(${company.account_id})`],
      ["authenticated", (sql) => sql`select erase_contact(${contact.id})`],
      ["authenticated", (sql) => sql`update api_keys set name = 'Ours' where id = ${key.id}`],
      ["authenticated", (sql) => sql`update api_keys set is_active = false where id = ${key.id}`],
      ["authenticated", (sql) => sql`delete from api_keys where id = ${key.id}`],
    ];
  const count = async () =>
    (await statement`select from company_events where company_id = ${id}`).length;
  const wrong: unknown[] = [];
  for (const [end, ends] of Object.entries(endings)) {
    for (const [role, call] of calls) {
      const [manager] = await newMembers(company, "owner");
      const before = await count();
      const [, said] = await overlapping(
        async (sql) => {
          await sql`select from api_keys where company_id = ${id} for no key update`;
          await sql`select from webhooks where company_id = ${id} for no key update`;
          await sql`select from messaging_accounts where company_id = ${id} for no key update`;
          await sql`select from contacts where company_id = ${id} for no key update`;
          await actAsPerson(sql, boss);
          await ends(sql, manager);
        },
        async (sql) => {
          await actAs(sql, role, { sub: manager });
          return await sql.savepoint(call).then(() => "done", ({ code }) => code as string);
        },
      );
      const written = await count() - before;
      // The one event is the end of the role.
      if (!/^PT40[34]$/.test(said) || written !== 1) wrong.push([end, `${call}`, said, written]);
    }
  }
  assert.deepEqual(wrong, []);
});
