// The operator adds users to a company by email address, changes their roles and removes them.

import assert from "node:assert/strict";
import {
  actAs,
  actAsPerson,
  refusal,
  rolledBack,
  type Sql,
  type Work,
} from "../support/acting_as.ts";
import { newCompany, newMembers } from "../support/company.ts";
import { committed, overlapping } from "./connections.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

const company = await newCompany();
const other = await newCompany();

/** Creates a user who has signed up, with a unique email address. */
async function person(sql: Sql, email = `${crypto.randomUUID()}@people.example`) {
  const [{ id }] = await sql`
    insert into auth.users (id, email, email_confirmed_at) values (gen_random_uuid(), ${email}, now()) returning id
  `;
  return { id: id as string, email };
}

async function add(sql: Sql, email: string, role: string | null = "agent", name?: string | null) {
  const [made] = await sql`
    select * from add_company_member(${company.id}, ${email}, ${role}, ${name ?? null})
  `;
  return made;
}

const change = (sql: Sql, email: string, role: string) =>
  sql`select * from change_company_member_role(${company.id}, ${email}, ${role})`;
const remove = (sql: Sql, email: string) =>
  sql`select * from remove_company_member(${company.id}, ${email})`;

test("the operator adds a user by email address, in upper or lower case, with a role and an optional name", async (sql) => {
  const [ada, eve] = [await person(sql), await person(sql, `Eve@${crypto.randomUUID()}.example`)];
  await actAs(sql, "service_role");
  const made = await add(sql, ` ${ada.email.toUpperCase()} `, "admin", " Ada ");
  const { created_at, ...row } = made;
  assert.ok(created_at instanceof Date);
  const expected = { user_id: ada.id, email: ada.email, name: "Ada", role: "admin" };
  assert.deepEqual(row, { company_id: company.id, ...expected });
  assert.deepEqual((await add(sql, eve.email.toLowerCase())).role, "agent");
  assert.equal(await refusal(sql, (sql) => add(sql, ada.email, "owner")), "PT409");

  const listed = await sql`select * from list_company_members(${company.id})`;
  assert.deepEqual(
    listed.map(({ email, role }) => [email, role]).sort(),
    [[ada.email, "admin"], [eve.email, "agent"], [null, "owner"]].sort(),
  );
  assert.equal((await sql`select * from list_company_members(${other.id})`).length, 1);
});

test("an email address without a confirmed user account, an unknown company and an invalid role or name are refused", async (sql) => {
  const { email } = await person(sql);
  const [twin] = [await person(sql), await person(sql, "twin@people.example")];
  await sql`update auth.users set email = 'TWIN@people.example' where id = ${twin.id}`;
  const { email: unconfirmed, id: stranger } = await person(sql);
  await sql`update auth.users set email_confirmed_at = null where id = ${stranger}`;
  await actAs(sql, "service_role");
  const nobody = `${crypto.randomUUID()}@people.example`;
  const refused: [string, (sql: Sql) => Promise<unknown>][] = [
    ["PT404", (sql) => add(sql, nobody)],
    ["PT404", (sql) => add(sql, "")],
    ["PT404", (sql) => sql`select add_company_member(${company.id}, null)`],
    ["PT404", (sql) => sql`select add_company_member(gen_random_uuid(), ${email})`],
    ["PT409", (sql) => add(sql, "twin@people.example")],
    ["PT409", (sql) => add(sql, unconfirmed)],
    ["PT422", (sql) => add(sql, email, "boss")],
    ["PT422", (sql) => add(sql, email, null)],
    ["PT422", (sql) => add(sql, email, "agent", "  ")],
    ["PT422", (sql) => add(sql, email, "agent", "x".repeat(256))],
    ["PT404", (sql) => change(sql, nobody, "admin")],
    ["PT404", (sql) => change(sql, email, "admin")],
    ["PT422", (sql) => change(sql, email, "boss")],
    ["PT404", (sql) => remove(sql, email)],
  ];
  for (const [code, work] of refused) assert.equal(await refusal(sql, work), code, `${work}`);
});

test("the only owner of a company cannot leave or lose the owner role until there is another owner", async (sql) => {
  const first = await person(sql);
  const second = await person(sql);
  await sql`delete from company_members where company_id = ${company.id}`;
  await actAs(sql, "service_role");
  await add(sql, first.email, "owner");
  await add(sql, second.email, "admin");
  assert.equal(await refusal(sql, (sql) => change(sql, first.email, "admin")), "PT409");
  assert.equal(await refusal(sql, (sql) => remove(sql, first.email)), "PT409");
  assert.equal((await change(sql, first.email, "owner"))[0].role, "owner");
  assert.equal((await change(sql, second.email, "owner"))[0].role, "owner");
  assert.equal((await change(sql, first.email, "agent"))[0].role, "agent");
  const [gone] = await remove(sql, first.email);
  assert.deepEqual([gone.email, gone.role], [first.email, "agent"]);
  assert.equal(await refusal(sql, (sql) => remove(sql, second.email)), "PT409");
  // The user account still exists, so the user can be added again.
  assert.equal((await add(sql, first.email)).user_id, first.id);
});

Deno.test("if the time limit ends a removal while it unassigns conversations, the error names the reason, and the member remains", async () => {
  const own = await newCompany();
  const [member] = await newMembers(own, "agent");
  const assigned = await committed(async (sql) => {
    await sql`update auth.users set email = ${`${member}@people.example`} where id = ${member}`;
    return await sql`
      update conversations set assigned_to = ${member} where company_id = ${own.id} returning id
    `;
  });
  assert.equal(assigned.length, 1);
  await committed(async (sql) => {
    await sql`select from conversations where company_id = ${own.id} for update`;
    // Each call waits for the conversation, until the time limit ends the call.
    await committed(async (sql) => {
      await sql`set local statement_timeout = '200ms'`;
      await actAs(sql, "service_role");
      const calls = [
        (sql: Sql) => sql`select remove_company_member(${own.id}, ${`${member}@people.example`})`,
        (sql: Sql) => sql`select remove_member(${own.id}, ${member})`,
      ];
      const said = [await errorOf(sql, calls[0])];
      await actAsPerson(sql, own.member_id);
      said.push(await errorOf(sql, calls[1]));
      for (const { code, message } of said) {
        assert.equal(code, "PT503", message);
        assert.match(
          message,
          /^The removal took too long, probably because very many conversations/,
        );
      }
    });
  });
  await committed((sql) =>
    sql`select remove_company_member(${own.id}, ${`${member}@people.example`})`
  );
  const [{ assigned_to }] = await committed((sql) =>
    sql`select assigned_to from conversations where company_id = ${own.id}`
  );
  assert.equal(assigned_to, null);
});

/** The database error for this work. */
async function errorOf(sql: Sql, work: (sql: Sql) => Promise<unknown>) {
  return await sql.savepoint(work).then(
    () => assert.fail(`was not refused: ${work}`),
    (error: { code: string; message: string }) => error,
  );
}

Deno.test("if one of two owners is removed and the other is demoted simultaneously, the demotion is refused", async () => {
  const own = await newCompany();
  const emails = await committed(async (sql) => {
    const people = [await person(sql), await person(sql)];
    await sql`delete from company_members where company_id = ${own.id}`;
    for (const { id } of people) {
      await sql`insert into company_members (company_id, user_id, role) values (${own.id}, ${id}, 'owner')`;
    }
    return people.map(({ email }) => email);
  });
  const leaves = (call: (sql: Sql, email: string) => Promise<unknown>, at: number) => (sql: Sql) =>
    sql.savepoint((sql) => call(sql, emails[at])).then(() => "left", ({ code }) => code);
  const removed = (sql: Sql, email: string) =>
    sql`select remove_company_member(${own.id}, ${email})`;
  const demoted = (sql: Sql, email: string) =>
    sql`select change_company_member_role(${own.id}, ${email}, 'agent')`;
  assert.deepEqual(await overlapping(leaves(removed, 0), leaves(demoted, 1)), ["left", "PT409"]);
});
