// The operator says by e-mail address who works in a company, and in which role.

import assert from "node:assert/strict";
import type postgres from "postgres";
import { actAs, actAsPerson, actAsSuperuser, refusal, rolledBack } from "../support/acting_as.ts";
import { newCompany } from "../support/company.ts";
import { committed, overlapping } from "./connections.ts";

type Sql = postgres.TransactionSql;

const company = await newCompany();
const other = await newCompany();

/** Somebody who has signed up, with an address that nobody else has. */
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

Deno.test("a person is added by the e-mail address, in any case, and has a role and maybe a name", async () => {
  await rolledBack(async (sql) => {
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
});

Deno.test("a person who has not signed up, an unknown company and a wrong role or name are refused", async () => {
  await rolledBack(async (sql) => {
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
});

Deno.test("the only owner of a company stays its owner, until another is", async () => {
  await rolledBack(async (sql) => {
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
    // The account of the person is still there, and is added again.
    assert.equal((await add(sql, first.email)).user_id, first.id);
  });
});

Deno.test("of two owners who are removed at once, one stays", async () => {
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

Deno.test("only the platform adds, lists, changes and removes members by address", async () => {
  await rolledBack(async (sql) => {
    const calls = [
      (sql: Sql) => add(sql, "ada@people.example"),
      (sql: Sql) => change(sql, "ada@people.example", "owner"),
      (sql: Sql) => remove(sql, "ada@people.example"),
      (sql: Sql) => sql`select * from list_company_members(${company.id})`,
      (sql: Sql) => sql`select app.person_with_email('ada@people.example')`,
    ];
    await actAsPerson(sql, company.member_id);
    for (const call of calls) assert.equal(await refusal(sql, call), "42501", `${call}`);
    for (const role of ["anon", "api_client", "api_reader"] as const) {
      await actAsSuperuser(sql);
      await actAs(sql, role);
      for (const call of calls) assert.equal(await refusal(sql, call), "42501", `${call}`);
    }
  });
});
