// A person has one contact, whatever the format of the phone number is. The tests also show which
// values the tables accept.

import assert from "node:assert/strict";
import { refusal, rolledBack, type Sql } from "../support/acting_as.ts";
import { newCompany } from "../support/company.ts";
import { withDatabase } from "../support/test_stack.ts";

/**
 * Each case: a phone number, and the number that the channel uses instead. The two numbers have the
 * same phone key.
 */
const FOLDED: [string, string, string][] = [
  ["a Brazilian mobile without the ninth digit", "+551187654321", "+5511987654321"],
  ["the lowest number in the old mobile range", "+552160000000", "+5521960000000"],
  ["the highest number in the old mobile range", "+559999999999", "+5599999999999"],
  ["a Mexican mobile with the former mobile prefix 1", "+5215512345678", "+525512345678"],
  ["an Argentine mobile with the mobile prefix 9", "+5491123456789", "+541123456789"],
];

/** Numbers whose phone key is the number itself. */
const ITS_OWN: [string, string][] = [
  ["a Brazilian mobile with the ninth digit", "+5511987654321"],
  ["a Brazilian landline", "+551123456789"],
  ["the highest Brazilian landline", "+551159999999"],
  ["a 9 before a number that was never a mobile number without the 9", "+5511923456789"],
  ["Brazil, one digit too few", "+55118765432"],
  ["Brazil, one digit too many", "+55119876543210"],
  ["Brazil, an area code that begins with 0", "+550187654321"],
  ["a Mexican number without the prefix 1", "+525512345678"],
  ["Mexico, where the 1 belongs to the number", "+521551234567"],
  ["Mexico, one digit too many", "+52155123456789"],
  ["an Argentine number without the prefix 9", "+541123456789"],
  ["Argentina, where the 9 belongs to the number", "+549112345678"],
  ["Argentina, one digit too many", "+54911234567890"],
  ["the United States", "+15551234567"],
  ["Portugal", "+351912345678"],
  ["Uruguay, whose country code also begins with 5", "+59899123456"],
  ["a number with 55 after the country code", "+155118765432"],
  ["the shortest number", "+1234567"],
  ["the longest number", "+123456789012345"],
];

Deno.test("all formats of one person's phone number have the same phone key, and every other number has its own key", async () => {
  await withDatabase(async (sql) => {
    const numbers = [...FOLDED, ...ITS_OWN.map(([name, phone]) => [name, phone, phone])];
    for (const [name, phone, expected] of numbers) {
      const [{ key, again }] = await sql`
        select app.phone_key(${phone}) as key, app.phone_key(app.phone_key(${phone})) as again
      `;
      assert.equal(key, expected, `${name}: ${phone}`);
      assert.equal(again, expected, `the phone key of the phone key of ${name}`);
    }
  });
});

Deno.test("the phone key depends only on the phone number, as a generated column requires", async () => {
  await withDatabase(async (sql) => {
    const [{ provolatile, none }] = await sql`
      select provolatile, app.phone_key(null) is null as none
      from pg_proc where oid = 'app.phone_key'::regproc
    `;
    assert.deepEqual([provolatile, none], ["i", true]);
  });
});

const long = (length: number) => "x".repeat(length);

/**
 * A string of four-byte characters that cannot be compressed. This is the largest value that an
 * index may have to store.
 */
const heavy = (length: number) =>
  Array.from(
    { length },
    () => String.fromCodePoint(0x20000 + Math.floor(Math.random() * 0xa6d0)),
  ).join("");

/** Values that a column refuses, and the check constraint that refuses them. */
const REFUSED: [table: string, check: string, values: Record<string, unknown>[]][] = [
  [
    "contacts",
    "contacts_phone_check",
    ["", "5511987654321", "+0511987654321", "+123456", "+1234567890123456", "+1 5551234567"]
      .concat(["+1555123456x", "+١٢٣٤٥٦٧٨٩", "+15551234567\n"])
      .map((phone) => ({ phone })),
  ],
  ["contacts", "contacts_name_check", [{ name: long(256) }]],
  ["contacts", "contacts_email_check", [{ email: long(321) }]],
  ["contacts", "contacts_temperature_check", [{ temperature: "" }, { temperature: "Hot" }]],
  ["contacts", "contacts_tags_check", [{ tags: Array(51).fill("x") }, { tags: ["x", null] }]],
  ["contacts", "contacts_tags_fit_index", [{ tags: ["x", long(2049)] }, { tags: [heavy(513)] }]],
  ["contacts", "contacts_source_check", [{ source: long(256) }]],
  ["contacts", "contacts_job_title_check", [{ job_title: long(256) }]],
  ["contacts", "contacts_empresa_check", [{ empresa: long(256) }]],
  ["deals", "deals_title_check", [{ title: "" }, { title: long(256) }]],
  ["deals", "deals_value_check", [{ value: -0.01 }, { value: "NaN" }]],
  // The database writes the deal's history entry before the deal itself.
  ["deals", "deal_history_to_value_check", [{ status: "" }]],
  ["deals", "deals_status_check", [{ status: "lost " }]],
  ["pipelines", "pipelines_name_check", [{ name: "" }, { name: long(256) }]],
  ["pipelines", "pipelines_position_check", [{ position: -1 }]],
  ["stages", "stages_name_check", [{ name: "" }, { name: long(256) }]],
  ["stages", "stages_position_check", [{ position: -1 }]],
  ["teams", "teams_name_check", [{ name: "" }, { name: long(256) }]],
  ["companies", "companies_name_check", [{ name: "" }, { name: long(256) }]],
  ["company_members", "company_members_role_check", [{ role: "guest" }]],
];

Deno.test("the tables refuse values that the API would never return", async () => {
  const { id } = await newCompany();
  await rolledBack(async (sql) => {
    for (const [table, check, values] of REFUSED) {
      const column = table === "companies" ? "id" : "company_id";
      for (const value of values) {
        const changing = (sql: Sql) =>
          sql`update ${sql(table)} set ${sql(value)} where ${sql(column)} = ${id}`;
        assert.equal(await refusal(sql, changing), `23514 ${check}`, JSON.stringify(value));
      }
    }
  });
});

Deno.test("custom fields must be an object of limited size", async () => {
  const { id } = await newCompany();
  await rolledBack(async (sql) => {
    const change = (json: string) => (sql: Sql) =>
      sql`update contacts set custom_fields = ${json}::text::jsonb where company_id = ${id}`;
    for (const json of ["[]", "1", '"x"', "null", JSON.stringify({ x: long(32768) })]) {
      const check = "23514 contacts_custom_fields_check";
      assert.equal(await refusal(sql, change(json)), check, json.slice(0, 9));
    }
    await change("{}")(sql);
    await change(JSON.stringify({ x: { y: [long(32000)] } }))(sql);
  });
});

Deno.test("a contact with deals or conversations, and a stage with deals, cannot be deleted", async () => {
  const { id, contact_id, stage_ids, pipeline_id } = await newCompany();
  await rolledBack(async (sql) => {
    const deleting = (table: string, id: string) => (sql: Sql) =>
      sql`delete from ${sql(table)} where id = ${id}`;
    const inDeals = "23503 deals_stage_fkey";
    // The default pipeline cannot be deleted, so another pipeline becomes the default first.
    await sql`insert into pipelines ${sql({ company_id: id, name: "Next", is_default: true })}`;
    assert.match(await refusal(sql, deleting("contacts", contact_id)), /^23503 /);
    assert.equal(await refusal(sql, deleting("stages", stage_ids[0])), inDeals);
    assert.equal(await refusal(sql, deleting("pipelines", pipeline_id)), inDeals);
    await sql`delete from deals where company_id = ${id}`;
    await sql`delete from conversations where company_id = ${id}`;
    await deleting("contacts", contact_id)(sql);
    await deleting("pipelines", pipeline_id)(sql);
    assert.deepEqual([...await sql`select from stages where company_id = ${id}`], []);
  });
});
