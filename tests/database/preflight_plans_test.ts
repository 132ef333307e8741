// A claim finds its template through an index, even in a large catalogue.

import assert from "node:assert/strict";
import { rolledBack } from "../support/acting_as.ts";
import { newCompany } from "../support/company.ts";
import { claim } from "./sends.ts";
import { apply, catalogued, entry, FITTING, joinBusinessAccount, mediaEntry } from "./templates.ts";

const own = await newCompany();
const other = await newCompany();

Deno.test("a claim finds its template among 10,000 through an index and reads no other template", async () => {
  await rolledBack(async (sql) => {
    const many = (name: string) =>
      Array.from({ length: 5000 }, (_, n) => entry({ name: `${name}_${n}`, components: [] }));
    const shared = await catalogued(sql, own, [
      ...many("a"),
      mediaEntry({ name: "promo" }),
      entry(),
    ]);
    await joinBusinessAccount(sql, other.account_id, shared);
    await apply(sql, other.account_id, many("a"));
    await sql`analyze templates, template_catalogues, template_media, template_rereads`;

    /**
     * The number of index scans of templates in a claim, and the number of rows that the claim
     * reads. A claim never scans the whole table.
     */
    const walksOf = async (asked: Record<string, unknown>, result: string) => {
      const counts = async () => {
        const [counts] = await sql`
          select
            sum(pg_stat_get_xact_numscans(indexrelid))::int as walks,
            sum(pg_stat_get_xact_tuples_returned(indexrelid))::int as rows,
            pg_stat_get_xact_numscans('public.templates'::regclass)::int as scans
          from pg_index where indrelid = 'public.templates'::regclass
        `;
        return counts;
      };
      const before = await counts();
      const answer = await claim(sql, own.keys.messaging, {
        preflight: "first",
        ...FITTING,
        ...asked,
      });
      assert.equal(answer.result, result);
      const after = await counts();
      assert.equal(after.scans, before.scans);
      return { walks: after.walks - before.walks, rows: after.rows - before.rows };
    };
    const one = { walks: 1, rows: 1 };
    assert.deepEqual(await walksOf({}, "claimed"), one);
    const media = { template_name: "promo", body_variables: [] };
    assert.deepEqual(await walksOf(media, "media_needed"), one);
    // The claim also looks for other languages of the template.
    assert.deepEqual(await walksOf({ template_name: "unknown" }, "reread"), { walks: 2, rows: 0 });
  });
});
