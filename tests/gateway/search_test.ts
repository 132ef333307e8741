// Tests the search across contacts, deals and conversations.

import assert from "node:assert/strict";
import { assertField, call } from "../support/calls.ts";
import { type Company, newCompany } from "../support/company.ts";
import { statement, withDatabase } from "../support/test_stack.ts";

interface Found {
  type: string;
  id: string;
  label: string;
  row: Record<string, unknown>;
}

async function search({ keys }: Company, q: string, limit?: number): Promise<Found[]> {
  const query = new URLSearchParams({ q, ...(limit && { limit: String(limit) }) });
  const { status, body } = await call(keys.read, "GET", `/search?${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(Object.keys(body), ["data"]);
  return body.data;
}

/**
 * Creates a company with contacts that have these names, oldest first, and deals with these titles.
 */
async function companyWith(names: (string | null)[], titles: string[] = []): Promise<Company> {
  const company = await newCompany();
  await withDatabase(async (sql) => {
    for (const [at, name] of names.entries()) {
      await sql`
        insert into contacts (company_id, name, phone, email, created_at)
        values (${company.id}, ${name}, ${`+5511900000${100 + at}`}, ${`p${at}@example.org`},
          ${new Date(Date.UTC(2026, 0, 1, at))})
      `;
    }
    for (const [at, title] of titles.entries()) {
      await sql`
        insert into deals (company_id, title, contact_id, stage_id, created_at)
        values (${company.id}, ${title}, ${company.contact_id}, ${company.stage_ids[0]},
          ${new Date(Date.UTC(2026, 1, 1, at))})
      `;
    }
  });
  return company;
}

const labels = (found: Found[]) => found.map(({ type, label }) => `${type}: ${label}`);

Deno.test("search results are sorted by how closely they match, and then newest first", async () => {
  const company = await companyWith(
    ["Mariana Alves", "Ana Maria", "ANA", "Joana Prado", "Ana Lúcia", "Bruno"],
    ["Banana order", "Ana's renewal"],
  );
  assert.deepEqual(labels(await search(company, "aná")), [
    ...["contact: ANA", "deal: Ana's renewal", "contact: Ana Lúcia", "contact: Ana Maria"],
    ...["deal: Banana order", "contact: Joana Prado", "contact: Mariana Alves"],
  ]);
  assert.deepEqual(labels(await search(company, "aná", 2)), [
    "contact: ANA",
    "deal: Ana's renewal",
  ]);
});

/** Adds this many contacts that are newer than all others, with these values of their number. */
async function addNewerContacts({ id }: Company, count: number, values: string) {
  await withDatabase((sql) =>
    sql.unsafe(
      `insert into contacts (company_id, phone, created_at, name, email, empresa)
       select '${id}', '+99' || lpad(n::text, 10, '0'), now() + n * interval '1 second', ${values}
       from generate_series(1, ${count}) as n`,
    )
  );
}

Deno.test("the search for an email address finds its contact, even if more than 100 newer contacts match", async () => {
  const company = await companyWith([null]);
  await statement`
    update contacts set email = 'Sales@acme.com' where company_id = ${company.id} and email = 'p0@example.org'
  `;
  await addNewerContacts(company, 110, "null, 'sales.' || n || '@acme.com', null");
  for (const q of ["sales@acme.com", " SALES@ACME.com "]) {
    assert.equal(labels(await search(company, q))[0], "contact: Sales@acme.com", q);
  }
});

Deno.test("a search finds a name or a title with a word that begins with the text, even if more than 100 newer records match", async () => {
  const company = await companyWith(["Maria Silva"], ["Renewal of Silva"]);
  await addNewerContacts(company, 110, "'Zed ' || n, null, 'Silva Ltda'");
  await statement`
    insert into deals (company_id, title, contact_id, stage_id, created_at)
    select ${company.id}, 'Dasilva ' || n, ${company.contact_id}, ${company.stage_ids[0]},
      now() + n * interval '1 second'
    from generate_series(1, 110) as n
  `;
  assert.deepEqual(labels(await search(company, "silva", 2)), [
    ...["deal: Renewal of Silva", "contact: Maria Silva"],
  ]);
});

Deno.test("every search word must match, in any order, and a short word matches only the beginning of a word", async () => {
  const company = await companyWith(["Ana Lúcia Prado", "Ana Prado", "Lia Prado"]);
  assert.deepEqual(labels(await search(company, "prado LUCIA")), ["contact: Ana Lúcia Prado"]);
  assert.deepEqual(labels(await search(company, "prado li")), ["contact: Lia Prado"]);
  assert.deepEqual(await search(company, "prado xyz"), []);
});

Deno.test("the label of a contact or conversation is the contact's name, else its email, else its phone number", async () => {
  const company = await companyWith([null]);
  await statement`update contacts set name = '', email = null where id = ${company.contact_id}`;
  assert.deepEqual(labels(await search(company, "p0@example")), ["contact: p0@example.org"]);
  const [{ phone }] = await statement`select phone from contacts where id = ${company.contact_id}`;
  const found = await search(company, phone);
  assert.deepEqual(labels(found).sort(), [`contact: ${phone}`, `conversation: ${phone}`]);
});

Deno.test("a contact without a name, email and phone number is found by its `empresa`, which is also its label", async () => {
  const company = await newCompany();
  await statement`
    update contacts set name = null, phone = null, has_identity = true, empresa = 'Padaria Três Irmãos'
    where id = ${company.contact_id}
  `;
  const found = await search(company, "tres irmaos");
  const label = "Padaria Três Irmãos";
  assert.deepEqual(labels(found).sort(), [`contact: ${label}`, `conversation: ${label}`]);
  assert.equal(found.find(({ type }) => type === "contact")!.row.phone, null);
  assert.deepEqual(await search(company, "padaria nobody"), []);
});

Deno.test("a search returns each record exactly as GET by its id does", async () => {
  const company = await companyWith([], ["Quarterly plan"]);
  const [{ phone }] = await statement`select phone from contacts where id = ${company.contact_id}`;
  const found = [...await search(company, phone), ...await search(company, "quarterly")];
  assert.deepEqual(found.map(({ type }) => type).sort(), ["contact", "conversation", "deal"]);
  for (const { type, id, row } of found) {
    const { body } = await call(company.keys.read, "GET", `/${type}s/${id}`);
    assert.equal(JSON.stringify(row), JSON.stringify(body.data));
  }
});

Deno.test("a search never returns another company's records, and requires the `read` scope", async () => {
  const [ours, theirs] = [await companyWith(["Zuleica"]), await companyWith(["Zuleica"])];
  const [found] = await search(ours, "zuleica");
  assert.equal(found.row.company_id, ours.id);
  assert.equal((await search(ours, "zuleica")).length, 1);
  assert.equal((await call(theirs.keys.write, "GET", "/search?q=zuleica")).status, 403);
  assert.equal((await call("sk_live_wrong", "GET", "/search?q=nothing")).status, 401);
});

Deno.test("a search accepts unusual text, but refuses text that is too long, has no word or has too many words", async () => {
  const company = await companyWith(['Percent 100% {a,b} "quoted" O\'Neil 🎉 null', "语言"]);
  const odd = ["percent 100%", "{a,b}", '"quoted"', "O'Neil", "🎉", "null", "语", "%,{}\\'\" null"];
  for (const q of odd) {
    assert.equal((await search(company, q)).length, 1, q);
  }
  const wrong: [string, RegExp][] = [
    ["", /1 to 10 words/],
    ["%20", /1 to 10 words/],
    ["!!!", /1 to 10 words/],
    ["a%00b", /1 to 10 words/],
    ["a+b+c+d+e+f+g+h+i+j+k", /1 to 10 words/],
    ["x".repeat(256), /at most 255 characters/],
  ];
  for (const [q, message] of wrong) {
    assertField(await call(company.keys.read, "GET", `/search?q=${q}`), "q", message);
  }
  assertField(await call(company.keys.read, "GET", "/search"), "q", "is required");
  assertField(await call(company.keys.read, "GET", "/search?q=a&limit=51"), "limit", /1 to 50/);
});
