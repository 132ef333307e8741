// Tests that a batch of contacts has the same effect as its items sent one after the other.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import type postgres from "postgres";
import { rolledBack } from "../support/acting_as.ts";
import { anyPhone, newCompany } from "../support/company.ts";
import { runs } from "../support/runs.ts";

const batched = await newCompany();
const single = await newCompany();

type Item = Record<string, string | null>;
type Result = { status: number; id?: string; existing_id?: string; field?: string };

const PHONES = Array.from({ length: 6 }, anyPhone);
const OWN_IDS = ["a", "b", "c", "d", "e", "f"];

const aPhone = fc.constantFrom(...PHONES);
const anOwnId = fc.constantFrom(...OWN_IDS);

/** Writes items, and returns the results. */
async function put(
  sql: postgres.TransactionSql,
  company_id: string,
  items: Item[],
  on_conflict: string,
  match: string,
): Promise<Result[]> {
  const [{ results }] = await sql`
    select app.put_contacts(
      ${company_id}, array(select jsonb_array_elements(${
    sql.json(items)
  })), ${on_conflict}, ${match}
    ) as results
  `;
  return results;
}

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
    select id, phone, external_id, name from contacts
    where company_id = ${company_id} and id = any (${[...names.keys()]})
  `;
  return {
    results: results.map(({ status, id, existing_id, field }) => ({
      status: status === 304 ? 200 : status,
      contact: names.get(id ?? existing_id!),
      field,
    })),
    contacts: contacts.map(({ id, ...fields }) => ({ contact: names.get(id), ...fields }))
      .sort((one, two) => one.contact! < two.contact! ? -1 : 1),
  };
}

Deno.test("a batch of contacts has the same result as its items sent one after the other", async () => {
  const item = fc.record({
    phone: aPhone,
    external_id: fc.option(anOwnId),
    name: fc.constantFrom("Ada", "Eva", "Bia"),
  }, { requiredKeys: ["phone"] });
  const property = fc.asyncProperty(
    fc.constantFrom("phone", "external_id"),
    fc.constantFrom("update", "merge", "keep", "fail"),
    fc.integer({ min: 0, max: 4 }),
    fc.array(item, { minLength: 2, maxLength: 8 }),
    async (match, on_conflict, count, drawn) => {
      const items = drawn.map((each) => (
        match === "phone" ? each : { ...each, external_id: each.external_id ?? OWN_IDS[0] }
      ));
      await rolledBack(async (sql) => {
        const known = await Promise.all([batched, single].map(async ({ id: company_id }) => {
          const seeds = PHONES.slice(0, count).map((phone, n) => (
            { phone, external_id: OWN_IDS[n] }
          ));
          return (await put(sql, company_id, seeds, "fail", "phone")).map(({ id }) => id!);
        }));
        const together = await put(sql, batched.id, items, on_conflict, match);
        const apart: Result[] = [];
        for (const each of items) {
          apart.push(...await put(sql, single.id, [each], on_conflict, match));
        }
        assert.deepEqual(
          await outcome(sql, batched.id, known[0], together),
          await outcome(sql, single.id, known[1], apart),
        );
      });
    },
  );
  await fc.assert(property, { numRuns: runs(500) });
});
