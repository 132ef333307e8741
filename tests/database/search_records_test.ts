// The function behind GET /search, called at the Data API with tokens of all kinds and with patterns that no gateway
// makes.

import assert from "node:assert/strict";
import { type Company, newCompany } from "../support/company.ts";
import { keyToken, personToken, readerToken, rest } from "../support/rest.ts";
import { withDatabase } from "../support/test_stack.ts";

interface Found {
  type: string;
  id: string;
  label: string;
  row: Record<string, unknown>;
}

/** The path of a search. @param patterns as Postgres writes a list: `{"%ana%"}`. */
function path(patterns: string, text: string, max_rows: number | string = 50): string {
  const query = new URLSearchParams({ patterns, text, max_rows: String(max_rows) });
  return `/rpc/search_records?${query}`;
}

async function search(company: Company, ...asked: Parameters<typeof path>): Promise<Found[]> {
  const token = await readerToken(company.keys.read);
  const { status, body } = await rest(token, "GET", path(...asked));
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

const labels = (found: Found[]) => found.map(({ type, label }) => `${type}: ${label}`);

Deno.test("a search judges the key, also when it finds nothing or has nothing to look for", async () => {
  const { keys, member_id } = await newCompany();
  const refused: [string | null, string][] = [
    [await readerToken(keys.all, "write"), "403 PT403"],
    [await readerToken(keys.all, "messaging"), "403 PT403"],
    [await readerToken(keys.all, ""), "403 PT403"],
    [await readerToken(keys.write), "403 PT403"],
    [await readerToken("sk_live_unknown"), "401 PT401"],
    [await keyToken(keys.all, "read"), "403 42501"],
    [await personToken(member_id), "403 42501"],
    [null, "401 42501"],
  ];
  for (const [token, expected] of refused) {
    for (const patterns of ['{"%ada%"}', '{"%nobody%"}', "{NULL}"]) {
      const { status, body } = await rest(token, "GET", path(patterns, "ada"));
      assert.equal(`${status} ${body.code}`, expected, patterns);
    }
  }
});

Deno.test("a search shows nothing of another company, whatever its patterns", async () => {
  const [own, other] = [await newCompany(), await newCompany()];
  for (const patterns of ["{%}", "{%%,%}", "{% %}", '{"%ada%"}', '{"%first%"}', "{_%}"]) {
    const found = await search(own, patterns, "ada", 200);
    assert.ok(found.length > 0, patterns);
    for (const { row } of found) assert.equal(row.company_id, own.id);
    assert.ok(!JSON.stringify(found).includes(other.contact_id));
  }
});

Deno.test("patterns and text are values, whatever characters they have", async () => {
  const company = await newCompany();
  await withDatabase((sql) =>
    sql`update contacts set name = 'Ñandú, "q" {x} \\ O''Neil 👋' where id = ${company.contact_id}`
  );
  const contact = (found: Found[]) => found.some(({ id }) => id === company.contact_id);
  for (const pattern of ["% nandu q%", "% o neil%", "%👋%", "%neil 👋"]) {
    assert.ok(contact(await search(company, `{"${pattern}"}`, "nandu")), pattern);
  }
  const odd = [
    ...["%'%", "%');--%", "%$query$%", '%"%', "%\\\\\\\\%", "%{}%", "%,%", "%%1$s%", "%\n%"],
    ...["%;drop table contacts;%", "%|%", "%\u0001%", "%' or '%' like '%"],
  ];
  for (const pattern of odd) {
    const escaped = pattern.replace(/["\\]/g, "\\$&");
    assert.deepEqual(await search(company, `{"${escaped}"}`, pattern), [], pattern);
  }
});

Deno.test("what is called exactly like the text comes first, also when it is older than all that is compared", async () => {
  const company = await newCompany();
  await withDatabase(async (sql) => {
    await sql`
      insert into contacts (company_id, name, phone, created_at)
      select ${company.id}, case n when 1 then 'Zoé' when 2 then 'Zoe Prado' else 'Ana Zoe ' || n end,
        '+1555' || 1000000 + n, timestamptz '2026-01-01Z' + n * interval '1 minute'
      from generate_series(1, 300) n
    `;
    await sql`
      insert into deals (company_id, title, contact_id, stage_id, created_at)
      select ${company.id}, case n when 1 then 'ZOE' else 'Renewal of Zoe ' || n end, ${company.contact_id},
        ${company.stage_ids[0]}, timestamptz '2026-01-01Z' + n * interval '1 minute'
      from generate_series(1, 300) n
    `;
  });
  const found = await search(company, '{"%zoe%"}', "zoe", 5);
  assert.deepEqual(labels(found), [
    "contact: Zoé",
    "deal: ZOE",
    "contact: Zoe Prado",
    "contact: Ana Zoe 300",
    "deal: Renewal of Zoe 300",
  ]);
  assert.deepEqual(await search(company, '{"%zoe%"}', "zoe", 5), found);
  assert.equal((await search(company, '{"%zoe%"}', "zoe", 1000)).length, 200);
  assert.deepEqual(await search(company, '{"%zoe%"}', "zoe", -1), []);
});

Deno.test("of one contact, the newest three conversations are found", async () => {
  const company = await newCompany();
  const { id, contact_id, account_id } = company;
  const made = await withDatabase((sql) =>
    sql`
      insert into conversations (company_id, contact_id, messaging_account_id, status, created_at)
      select ${id}, ${contact_id}, ${account_id}, 'closed', timestamptz '2030-01-01Z' + n * interval '1 minute'
      from generate_series(1, 5) n returning id, created_at
    `
  );
  const newest = made.toSorted((a, b) => b.created_at - a.created_at).slice(0, 3);
  const found = await search(company, '{"%ada%"}', "ada");
  assert.deepEqual(
    found.map(({ id }) => id),
    [...newest.map((row) => row.id), contact_id],
  );
});
