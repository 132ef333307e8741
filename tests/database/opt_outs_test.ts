// Members see who opted out, when, and in which words. Any member can lift an opt-out by giving a
// reason.
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
import { anyPhone, newCompany, newMembers } from "../support/company.ts";
import { at, tell } from "./inbound.ts";

const company = await newCompany();
const other = await newCompany();
const [agent] = await newMembers(company, "agent");

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

interface Asked {
  contact_id: string;
  kind: string;
  /** The time as a string, because a Date would lose its microseconds. */
  asked_at: string;
  [column: string]: unknown;
}

/** The opt-outs that a user sees. Afterwards, the session has the superuser's role again. */
async function seen(
  sql: Sql,
  { person = agent, of = company.id, kind = null, search = null, after = null, rows = 50 }: {
    person?: string;
    of?: string;
    kind?: string | null;
    search?: string | null;
    after?: Asked | null;
    rows?: number;
  } = {},
): Promise<Asked[]> {
  await actAsPerson(sql, person);
  const found = await sql<Asked[]>`
    select *, asked_at::text from opt_outs(
      ${of}, ${kind}, ${search}, ${after?.asked_at ?? null}::text::timestamptz, ${
    after?.contact_id ?? null
  }, ${after?.kind ?? null}, ${rows}
    )
  `;
  await actAsSuperuser(sql);
  return [...found];
}

/** Adds a contact that sends this content, such as a stop word, and returns its phone number. */
async function saying(sql: Sql, content: string, columns: Record<string, unknown>, seconds = 0) {
  const phone = anyPhone();
  await tell(sql, company.account_id, {
    kind: "message",
    at: at(seconds),
    person: { phone, name: "Zoé Órfã" },
    content,
    ...columns,
  });
  return phone;
}

async function addContact(
  sql: Sql,
  columns: Record<string, unknown>,
  of = company,
): Promise<string> {
  const row = { company_id: of.id, phone: anyPhone(), ...columns };
  return (await sql`insert into contacts ${sql(row)} returning id`)[0].id;
}

/** Lifts an opt-out as a user. Afterwards, the session has the superuser's role again. */
async function lift(
  sql: Sql,
  { contact_id, kind, asked_at }: Asked,
  reason = "Asked by phone",
  person = agent,
) {
  await actAsPerson(sql, person);
  await sql`select lift_opt_out(${contact_id}, ${kind}, ${asked_at}::text::timestamptz, ${reason})`;
  await actAsSuperuser(sql);
}

test("a member sees who opted out, when, and with which words or button", async (sql) => {
  await saying(sql, "PARAR", { word: "stop" }, 1);
  await saying(sql, "Sin promociones", { word: "stop_promotions", type: "interactive" }, 2);
  await addContact(sql, { do_not_contact: true, name: "By hand" });
  await addContact(sql, { do_not_contact: true }, other);
  await addContact(sql, { name: "Wants messages" });
  const rows = (await seen(sql)).map(({ kind, source, words, is_button }) => [
    ...[kind, source, words, is_button],
  ]);
  assert.deepEqual(rows, [
    ["do_not_contact", "manual", null, null],
    ["marketing_opt_out", "button", "Sin promociones", true],
    ["do_not_contact", "word", "PARAR", false],
  ]);
});

test("a member can search opt-outs by a part of the name or phone number and by kind, with pagination", async (sql) => {
  const phone = await saying(sql, "STOP", { word: "stop" });
  const both = await addContact(sql, {
    ...{ name: "50%_off", do_not_contact: true, marketing_opt_out: true },
  });
  const ids = async (asked: Parameters<typeof seen>[1]) =>
    (await seen(sql, asked)).map(({ contact_id }) => contact_id);
  const zoe = (await sql`select id from contacts where phone = ${phone}`)[0].id;
  const spaced = `${phone.slice(1, 5)} ${phone.slice(5)}`;
  for (const search of ["zoe o", "ÓRFÃ", phone, spaced]) {
    assert.deepEqual(await ids({ search }), [zoe], search);
  }
  assert.deepEqual(await ids({ search: "0%_O" }), [both, both]);
  assert.deepEqual(await ids({ search: "%" }), [both, both, zoe]);
  for (const search of ["Zoé 2", "5%f", phone + "0"]) assert.deepEqual(await ids({ search }), []);
  assert.deepEqual(await ids({ kind: "marketing_opt_out" }), [both]);
  assert.deepEqual(await ids({ kind: "do_not_contact" }), [both, zoe]);

  const paged: Asked[] = [];
  for (let page = 0; page < 4; page++) {
    paged.push(...await seen(sql, { rows: 1, after: paged.at(-1) ?? null }));
  }
  assert.deepEqual(paged, await seen(sql));
  assert.equal(paged.length, 3);
});

test("lifting an opt-out stores the reason, the member and the time", async (sql) => {
  await saying(sql, "STOP", { word: "stop" });
  await addContact(sql, { marketing_opt_out: true });
  for (const asked of await seen(sql)) await lift(sql, asked, "  Asked by phone\n");
  assert.deepEqual(await seen(sql), []);
  await actAsPerson(sql, agent);
  const lifts = await sql`
    select kind, source, reason, member_id, lifted_at is not null as has_time from opt_out_lifts order by kind
  `;
  const same = { reason: "Asked by phone", member_id: agent, has_time: true };
  assert.deepEqual([...lifts], [
    { kind: "do_not_contact", source: "word", ...same },
    { kind: "marketing_opt_out", source: "manual", ...same },
  ]);
});

test("the record of a lifted opt-out contains the member's name, but never the member's email address", async (sql) => {
  await saying(sql, "STOP", { word: "stop" });
  await addContact(sql, { marketing_opt_out: true });
  const owner = company.member_id;
  const [one, two] = await seen(sql);
  await sql`update company_members set name = null where user_id = ${owner}`;
  await lift(sql, one, undefined, owner);
  await sql`update company_members set name = 'Ana' where user_id = ${owner}`;
  await lift(sql, two, undefined, owner);
  await actAsPerson(sql, agent);
  const lifts = await sql`select kind, member_name from opt_out_lifts`;
  const names = new Map(lifts.map(({ kind, member_name }) => [kind, member_name]));
  assert.deepEqual([names.get(one.kind), names.get(two.kind)], [null, "Ana"]);
});

test("an opt-out that has changed since it was shown cannot be lifted, and a lift without a valid reason is refused", async (sql) => {
  const phone = await saying(sql, "STOP", { word: "stop" }, 1);
  const [asked] = await seen(sql);
  for (const reason of ["", " \n", "x".repeat(501)]) {
    assert.equal(await refusal(sql, (sql) => lift(sql, asked, reason)), "PT422", reason);
  }
  const kind = "everything";
  assert.equal(await refusal(sql, (sql) => lift(sql, { ...asked, kind })), "PT422");
  await tell(sql, company.account_id, {
    kind: "message",
    at: at(2),
    person: { phone },
    word: "stop",
    content: "STOP",
  });
  assert.equal(await refusal(sql, (sql) => lift(sql, asked)), "PT409");
  const [newer] = await seen(sql);
  await lift(sql, newer);
  assert.equal(await refusal(sql, (sql) => lift(sql, newer)), "PT409");
});

test("members of other companies, API keys and signed-out callers cannot see or lift an opt-out", async (sql) => {
  await saying(sql, "STOP", { word: "stop" });
  const [asked] = await seen(sql);
  await lift(sql, (await seen(sql))[0]);
  await sql`update contacts set do_not_contact = true where id = ${asked.contact_id}`;
  const person = other.member_id;
  assert.deepEqual(await seen(sql, { person }), []);
  assert.deepEqual(await seen(sql, { person, of: other.id }), []);
  assert.equal(await refusal(sql, (sql) => lift(sql, asked, "Mine", person)), "PT404");
  const lifts = sql`select from opt_out_lifts where company_id = ${company.id}`;
  assert.equal((await lifts).length, 1);
  await actAsPerson(sql, person);
  assert.equal((await sql`select from opt_out_lifts`).length, 0);
  for (const role of ["anon", "api_client", "api_reader"] as const) {
    await actAs(sql, role, { sub: agent });
    const attempts: Work[] = [
      (sql) => sql`select from opt_outs(${company.id})`,
      (sql) => sql`select from opt_out_lifts`,
      (sql) => sql`select lift_opt_out(${asked.contact_id}, ${asked.kind}, ${asked.asked_at}, 'x')`,
    ];
    for (const attempt of attempts) assert.equal(await refusal(sql, attempt), "42501", role);
  }
  // No user can write to `opt_out_lifts`, not even rows of their own company.
  await actAsPerson(sql, company.member_id);
  for (
    const change of [
      (sql: Sql) => sql`delete from opt_out_lifts where true`,
      (sql: Sql) => sql`update opt_out_lifts set reason = 'x' where true`,
    ]
  ) {
    assert.equal(await refusal(sql, change), "42501");
  }
});

test("a merge moves the records of lifted opt-outs to the survivor, and erasing the survivor deletes the reasons in these records", async (sql) => {
  await saying(sql, "STOP", { word: "stop" });
  const [asked] = await seen(sql);
  await lift(sql, asked, "Zoé called");
  const survivor = await addContact(sql, {});
  await sql`select app.merge_contacts(${company.id}, ${survivor}, ${asked.contact_id})`;
  const lifts = () =>
    sql`select contact_id, reason from opt_out_lifts where company_id = ${company.id}`;
  assert.deepEqual([...await lifts()], [{ contact_id: survivor, reason: "Zoé called" }]);
  await sql`select app.erase_contacts(${company.id}, array[${survivor}]::uuid[])`;
  assert.deepEqual([...await lifts()], [{ contact_id: survivor, reason: null }]);
});
