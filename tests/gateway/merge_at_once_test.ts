// Tests contacts that are merged, created and archived at the same time. No deal may be lost, and
// each phone number must belong to only one contact.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import { type Answer, call } from "../support/calls.ts";
import { anyPhone, type Company, newCompany } from "../support/company.ts";
import { personToken, rest } from "../support/rest.ts";
import { runs } from "../support/runs.ts";
import { withDatabase } from "../support/test_stack.ts";

/** Checks every invariant, and returns the number and the total value of a company's deals. */
async function assertConsistent({ id }: Company, { restores = false } = {}) {
  return await withDatabase(async (sql) => {
    const twice = await sql`
      select phone_key from contacts where company_id = ${id} and phone_key is not null
      group by 1 having count(*) > 1
    `;
    assert.deepEqual([...twice], [], "one contact per phone number");
    const wrong = await sql`
      select id from contacts
      where company_id = ${id} and (
        phone_key is distinct from case when archived_at is null then app.phone_key(phone) end
        or archived_phone_key is distinct from case when archived_at is not null then app.phone_key(phone) end
        or archived_at < '2020-01-01'
      )
    `;
    assert.deepEqual([...wrong], [], "the database sets both phone keys and archived_at");
    const further = await sql`
      select phone_key from contact_former_phones
      where company_id = ${id} and until = 'infinity' and phone_key is not null
      group by 1 having count(distinct contact_id) > 1
      union all
      select phone_key from contacts join contact_former_phones as further using (company_id, phone_key)
      where company_id = ${id} and until = 'infinity' and contact_id <> contacts.id
    `;
    // A request may create a contact with an additional phone number while the contact that owns
    // the number is restored. Then both contacts have the number.
    if (!restores) assert.deepEqual([...further], [], "one contact per additional phone number");
    const dangling = await sql`
      select records.id from (
        select id, contact_id from deals where company_id = ${id}
        union all
        select id, contact_id from conversations where company_id = ${id}
        union all
        select id, merged_into from deleted_rows where company_id = ${id} and merged_into is not null
      ) as records
      left join contacts on contacts.id = contact_id and company_id = ${id}
      where contacts.id is null
    `;
    assert.deepEqual([...dangling], [], "no dangling reference");
    const open = await sql`
      select contact_id from conversations where company_id = ${id} and status <> 'closed'
      group by contact_id, messaging_account_id having count(*) > 1
    `;
    assert.deepEqual([...open], [], "one conversation that is not closed");
    const untold = await sql`
      select id from deals where company_id = ${id} and not exists (
        select from deal_history where deal_id = deals.id and kind = 'created'
      )
    `;
    assert.deepEqual([...untold], [], "each deal's history begins with its creation");
    const [totals] = await sql`
      select count(*)::integer as count, coalesce(sum(value), 0)::float as value from deals
      where company_id = ${id}
    `;
    return totals;
  });
}

/** Repeats a request until the response is final. */
async function insisting(request: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 0; tries < 200; tries++) {
    const answer = await request();
    if (![429, 503].includes(answer.status)) return answer;
  }
  throw new Error("No answer after 200 tries");
}

async function contactWithDeal({ keys: { all }, stage_ids: [stage_id] }: Company, value: number) {
  const { id, phone } =
    (await call(all, "POST", "/contacts", { json: { phone: anyPhone() } })).body.data;
  const json = { title: "Deal", contact_id: id, stage_id, value };
  assert.equal((await call(all, "POST", "/deals", { json })).status, 201);
  return { id, phone };
}

Deno.test("only one of two simultaneous merges in opposite directions succeeds, and the error for the other merge names the survivor", async () => {
  const company = await newCompany();
  const { all } = company.keys;
  const before = await assertConsistent(company);
  for (let round = 0; round < 4; round++) {
    const [one, two] = [await contactWithDeal(company, 5), await contactWithDeal(company, 7)];
    const merge = (id: string, from: string) => () =>
      call(all, "POST", `/contacts/${id}/merge`, { json: { from } });
    const answers = await Promise.all(
      [merge(one.id, two.id), merge(two.id, one.id)].map(insisting),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
    const survivor = answers.find(({ status }) => status === 200)!.body.data.id;
    assert.equal(answers.find(({ status }) => status === 409)!.body.existing_id, survivor);
    const { body } = await call(all, "GET", `/deals?contact_id=${survivor}`);
    assert.equal(body.data.length, 2);
  }
  const after = await assertConsistent(company);
  assert.deepEqual([after.count, after.value], [before.count + 8, before.value + 48]);
});

Deno.test("after random requests by two clients, each phone number has one contact, and no deal is lost", async () => {
  const company = await newCompany();
  const { keys: { all }, stage_ids: [stage_id] } = company;
  const person = await personToken(company.member_id);
  const phones = ["+5511987651234", "+551187651234", "+14155550991", "+14155550992"];
  const known: string[] = [];
  const totals = await assertConsistent(company);
  const pick = (n: number) => known[n % Math.max(known.length, 1)] ?? crypto.randomUUID();
  const write = async (method: string, path: string, json?: unknown) => {
    const answer = await call(all, method, path, { json });
    if (answer.status === 201 && path === "/contacts") known.push(answer.body.data.id);
    if (answer.status === 201 && path === "/deals") {
      totals.count++;
      totals.value += answer.body.data.value;
    }
    return answer;
  };
  const asPerson = (n: number, archived_at: string | null) =>
    rest(person, "PATCH", `/contacts?id=eq.${pick(n)}`, { json: { archived_at } });
  const acts: Record<string, (phone: string, n: number) => Promise<Answer>> = {
    create: (phone) => write("POST", "/contacts", { phone }),
    put: (phone, n) => write("PUT", "/contacts", { phone, name: `${n}` }),
    change: (phone, n) => write("PATCH", `/contacts/${pick(n)}`, { phone }),
    deal: (_, n) =>
      write("POST", "/deals", { title: "Deal", contact_id: pick(n), stage_id, value: n }),
    merge: (_, n) => write("POST", `/contacts/${pick(n)}/merge`, { from: pick(n + 1) }),
    mergeBack: (_, n) => write("POST", `/contacts/${pick(n + 1)}/merge`, { from: pick(n) }),
    archive: (_, n) => write("DELETE", `/contacts/${pick(n)}`),
    restore: (_, n) => write("POST", `/contacts/${pick(n)}/restore`),
    archiveAsPerson: (_, n) => asPerson(n, "2000-01-01T00:00:00Z"),
    restoreAsPerson: (_, n) => asPerson(n, null),
    erase: (_, n) => write("POST", `/contacts/${pick(n)}/erase`, { confirm: pick(n) }),
  };
  const act = fc.tuple(
    fc.constantFrom(...Object.keys(acts)),
    fc.constantFrom(...phones),
    fc.nat({ max: 30 }),
  );
  const client = fc.array(act, { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(client, client, async (...clients) => {
      await Promise.all(clients.map(async (acted) => {
        for (const [name, phone, n] of acted) {
          const { status, body } = await acts[name](phone, n);
          // A deadlock or a lock timeout rolls a person's statement back.
          const isExpected = status < 500 || status === 503 || /^(40P01|55P03)$/.test(body.code);
          assert.ok(isExpected, `${name} ${status} ${JSON.stringify(body)}`);
        }
      }));
      assert.deepEqual(await assertConsistent(company, { restores: true }), totals);
    }),
    { numRuns: runs(12) },
  );
});
