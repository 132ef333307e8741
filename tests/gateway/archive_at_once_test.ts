// Whatever happens at once, a phone leads to one contact that is not archived.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import { call } from "../support/calls.ts";
import { anyPhone, type Company, newCompany } from "../support/company.ts";
import { personToken, rest } from "../support/rest.ts";
import { sendTemplate, template } from "../support/sending.ts";
import { withDatabase } from "../support/test_stack.ts";

/** What must hold of a company at any moment. */
async function assertConsistent({ id }: Company) {
  await withDatabase(async (sql) => {
    const twice = await sql`
      select app.phone_key(phone) from contacts
      where company_id = ${id} and archived_at is null group by 1 having count(*) > 1
    `;
    assert.deepEqual([...twice], [], "one contact per phone");
    const wrong = await sql`
      select id from contacts
      where company_id = ${id} and (
        phone_key is distinct from case when archived_at is null then app.phone_key(phone) end
        or archived_phone_key is distinct from case when archived_at is not null then app.phone_key(phone) end
      )
    `;
    assert.deepEqual([...wrong], []);
    const dangling = await sql`
      select deals.id from deals left join contacts on contacts.id = contact_id and contacts.company_id = deals.company_id
      where deals.company_id = ${id} and contacts.id is null
      union all
      select conversations.id from conversations left join contacts
        on contacts.id = contact_id and contacts.company_id = conversations.company_id
      where conversations.company_id = ${id} and contacts.id is null
    `;
    assert.deepEqual([...dangling], [], "no dangling reference");
  });
}

Deno.test("of fifty that archive, restore, create and send to one phone at once, each is done or refused, and one contact has the phone", async () => {
  const company = await newCompany();
  const { all } = company.keys;
  const phone = anyPhone();
  const json = { phone, do_not_contact: true };
  const first = (await call(all, "POST", "/contacts", { json })).body.data.id;
  const does = [
    () => call(all, "DELETE", `/contacts/${first}`),
    () => call(all, "POST", "/contacts", { json: { phone } }),
    () => call(all, "POST", `/contacts/${first}/restore`),
    () => sendTemplate(all, template(phone)),
    () => call(all, "PUT", "/contacts", { json: { phone, name: "Ada" } }),
  ];
  const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => does[n % does.length]()));
  for (const { status, body } of answers) {
    // 503: another request held the row for longer than a statement waits; 429: more than the company's share.
    assert.ok([200, 201, 204, 409, 429, 503].includes(status), `${status} ${JSON.stringify(body)}`);
    // The stop holds for every fresh contact.
    if ("success" in Object(body)) assert.notEqual(body.success, true, JSON.stringify(body));
  }
  await assertConsistent(company);
  const { body } = await call(
    all,
    "GET",
    `/contacts?phone=${encodeURIComponent(phone)}&archived=include`,
  );
  assert.ok(body.data.length >= 1);
  for (const contact of body.data) assert.equal(contact.do_not_contact, true);
});

Deno.test("any requests of two clients leave one contact per phone and no dangling reference", async () => {
  const company = await newCompany();
  const { keys: { all }, stage_ids: [stage_id] } = company;
  const person = await personToken(company.member_id);
  // Two people, one with two spellings.
  const phones = ["+5511987651234", "+551187651234", "+14155550991"];
  const known: string[] = [];
  const pick = (n: number) => known[n % Math.max(known.length, 1)] ?? crypto.randomUUID();
  const acts: Record<string, (phone: string, n: number) => Promise<{ status: number }>> = {
    create: async (phone) => {
      const answer = await call(all, "POST", "/contacts", { json: { phone } });
      if (answer.status === 201) known.push(answer.body.data.id);
      return answer;
    },
    archive: (_, n) => call(all, "DELETE", `/contacts/${pick(n)}`),
    restore: (_, n) => call(all, "POST", `/contacts/${pick(n)}/restore`),
    change: (phone, n) => call(all, "PATCH", `/contacts/${pick(n)}`, { json: { phone } }),
    deal: (_, n) =>
      call(all, "POST", "/deals", { json: { title: "Deal", contact_id: pick(n), stage_id } }),
    archiveAsPerson: (_, n) =>
      rest(person, "PATCH", `/contacts?id=eq.${pick(n)}`, {
        json: { archived_at: "2000-01-01T00:00:00Z" },
      }),
    restoreAsPerson: (_, n) =>
      rest(person, "PATCH", `/contacts?id=eq.${pick(n)}`, { json: { archived_at: null } }),
  };
  const act = fc.tuple(
    fc.constantFrom(...Object.keys(acts)),
    fc.constantFrom(...phones),
    fc.nat({ max: 30 }),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(act, { maxLength: 6 }),
      fc.array(act, { maxLength: 6 }),
      async (one, two) => {
        await Promise.all([one, two].map(async (client) => {
          for (const [name, phone, n] of client) {
            const { status } = await acts[name](phone, n);
            assert.ok(status < 500 || status === 503, `${name} ${status}`);
          }
        }));
        await assertConsistent(company);
      },
    ),
    { numRuns: 12 },
  );
  const early = await withDatabase((sql) =>
    sql`select id from contacts where company_id = ${company.id} and archived_at < '2020-01-01'`
  );
  assert.deepEqual([...early], [], "the database stamps the time");
});

Deno.test("a person archives and restores with a token of their own, changes nothing that is archived, and deletes nothing", async () => {
  const [company, other] = [await newCompany(), await newCompany()];
  const person = await personToken(company.member_id);
  const { contact_id, deal_id } = company;
  const now = { archived_at: "2001-01-01T00:00:00Z" };
  for (const [table, id] of [["deals", deal_id], ["contacts", contact_id]]) {
    const at = (token: string, method: string, json?: unknown) =>
      rest(token, method, `/${table}?id=eq.${id}`, { json });
    const archived = await at(person, "PATCH", now);
    assert.equal(archived.status, 200);
    const { archived_at } = archived.body[0];
    assert.ok(Math.abs(Date.parse(archived_at) - Date.now()) < 60_000);
    // Again, and together with something else: the first one's effect stays.
    const change = table === "deals" ? { title: "Other" } : { name: "Other" };
    const again = await at(person, "PATCH", { ...now, ...change });
    assert.deepEqual([again.status, again.body[0].archived_at], [200, archived_at]);
    assert.notEqual(again.body[0].title ?? again.body[0].name, "Other");
    const refused = await at(person, "PATCH", change);
    assert.deepEqual([refused.status, refused.body.code], [404, "PT404"]);
    assert.equal((await at(person, "DELETE")).status, 403);
    // A member of another company reaches nothing.
    const stranger = await personToken(other.member_id);
    assert.deepEqual((await at(stranger, "PATCH", { archived_at: null })).body, []);
    assert.equal((await at(person, "PATCH", { archived_at: null })).body[0].archived_at, null);
  }
});
