// Tests that a batch of contacts has the same effect as its items sent one after the other.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import type postgres from "postgres";
import { rolledBack } from "../support/acting_as.ts";
import { anyPhone, newCompany } from "../support/company.ts";
import { runs } from "../support/runs.ts";

const batched = await newCompany();
const single = await newCompany();

type Item = Record<string, string | boolean | null>;
type Result = { status: number; id?: string; existing_id?: string; field?: string };

/** Writes items, and returns the results. */
type Write = (sql: postgres.TransactionSql, company_id: string, items: Item[]) => Promise<Result[]>;

const PHONES = Array.from({ length: 6 }, anyPhone);
const OWN_IDS = ["a", "b", "c", "d", "e", "f"];

const aPhone = fc.constantFrom(...PHONES);
const anOwnId = fc.constantFrom(...OWN_IDS);
const wishes = { do_not_contact: fc.boolean(), marketing_opt_out: fc.boolean() };
const name = fc.constantFrom("Ada", "Eva", "Bia");

function putting(on_conflict: string, match: string): Write {
  return async (sql, company_id, items) => {
    const given = sql`array(select jsonb_array_elements(${sql.json(items)}))`;
    const [{ results }] = await sql`
      select app.put_contacts(${company_id}, ${given}, ${on_conflict}, ${match}) as results
    `;
    return results;
  };
}

const add = putting("fail", "phone");

const patch: Write = async (sql, company_id, items) => {
  const given = sql`array(select jsonb_array_elements(${sql.json(items)}))`;
  const [{ results }] = await sql`select app.patch_contacts(${company_id}, ${given}) as results`;
  return results;
};

/**
 * Returns the results and the contacts in a form that can be compared. Each contact has the name of
 * the item that added it. An unchanged contact (304) counts as changed (200), because the items of a
 * batch for one contact are written together.
 */
async function outcome(
  sql: postgres.TransactionSql,
  company_id: string,
  known: string[],
  results: Result[],
) {
  const names = new Map(known.map((id, place) => [id, `known ${place}`]));
  for (const [place, { status, id }] of results.entries()) {
    if (status === 201) names.set(id!, `new ${place}`);
  }
  const contacts = await sql`
    select id, phone, external_id, name, do_not_contact, do_not_contact_source, marketing_opt_out
    from contacts where company_id = ${company_id} and id = any (${[...names.keys()]})
  `;
  // A contact that is added later shows which wishes are kept for a phone number.
  const later = await add(sql, company_id, PHONES.map((phone) => ({ phone })));
  const added = later.flatMap(({ id }) => id ?? []);
  const inherited = await sql`
    select phone, do_not_contact, do_not_contact_source, marketing_opt_out
    from contacts where id = any (${added}) order by phone
  `;
  return {
    results: results.map(({ status, id, existing_id, field }) => ({
      status: status === 304 ? 200 : status,
      contact: names.get(id ?? existing_id!),
      field,
    })),
    contacts: contacts.map(({ id, ...fields }) => ({ contact: names.get(id), ...fields }))
      .sort((one, two) => one.contact! < two.contact! ? -1 : 1),
    inherited: [...inherited],
  };
}

/** Some archived contacts, which have opted out, and their phone numbers. */
const aPast = fc.uniqueArray(fc.record({ phone: aPhone, ...wishes }), {
  selector: ({ phone }) => phone,
  maxLength: 3,
});

/**
 * Asserts that a batch has the same outcome as its items one after the other. `count` is the number
 * of contacts that the company has before the batch. If `isHidden` is true, WhatsApp hides the phone
 * number of the first of them.
 *
 * @param itemsFor returns the items of the batch for the ids of these contacts.
 */
async function assertSame(
  write: Write,
  past: Item[],
  count: number,
  isHidden: boolean,
  itemsFor: (ids: string[]) => Item[],
) {
  await rolledBack(async (sql) => {
    const outcomes = await Promise.all([batched, single].map(async ({ id: company_id }) => {
      for (const each of past) {
        const [{ id }] = await add(sql, company_id, [each]);
        await sql`update contacts set archived_at = now() where id = ${id!}`;
      }
      const seeds = PHONES.slice(0, count).map((phone, n) => ({ phone, external_id: OWN_IDS[n] }));
      const known = (await add(sql, company_id, seeds)).map(({ id }) => id!);
      if (isHidden && count > 0) {
        await sql`update contacts set phone = null, has_identity = true where id = ${known[0]}`;
      }
      const items = itemsFor(known);
      const results: Result[] = [];
      const batches = company_id === batched.id ? [items] : items.map((item) => [item]);
      for (const batch of batches) results.push(...await write(sql, company_id, batch));
      return await outcome(sql, company_id, known, results);
    }));
    assert.deepEqual(outcomes[0], outcomes[1]);
  });
}

Deno.test("a batch of contacts has the same result as its items sent one after the other", async () => {
  const item = fc.record({ phone: aPhone, external_id: fc.option(anOwnId), name, ...wishes }, {
    requiredKeys: ["phone"],
  });
  const property = fc.asyncProperty(
    fc.constantFrom("phone", "external_id"),
    fc.constantFrom("update", "merge", "keep", "patch", "fail"),
    aPast,
    fc.integer({ min: 0, max: 4 }),
    fc.boolean(),
    fc.array(item, { minLength: 2, maxLength: 8 }),
    async (match, on_conflict, past, count, isHidden, drawn) => {
      const items = drawn.map((each) => (
        match === "phone" ? each : { ...each, external_id: each.external_id ?? OWN_IDS[0] }
      ));
      await assertSame(putting(on_conflict, match), past, count, isHidden, () => items);
    },
  );
  await fc.assert(property, { numRuns: runs(500) });
});

Deno.test("a batch of merge patches has the same result as its patches sent one after the other", async () => {
  const item = fc.record({
    place: fc.nat(),
    phone: aPhone,
    external_id: fc.option(anOwnId),
    name,
    ...wishes,
  }, { requiredKeys: ["place"] });
  const property = fc.asyncProperty(
    aPast,
    fc.integer({ min: 1, max: 4 }),
    fc.boolean(),
    fc.array(item, { minLength: 2, maxLength: 8 }),
    async (past, count, isHidden, drawn) => {
      await assertSame(
        patch,
        past,
        count,
        isHidden,
        (ids) => drawn.map(({ place, ...fields }) => ({ id: ids[place % count], ...fields })),
      );
    },
  );
  await fc.assert(property, { numRuns: runs(500) });
});
