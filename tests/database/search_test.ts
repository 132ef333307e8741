// Tests the function behind GET /search. The tests call the function through the Data API with all
// kinds of tokens, and with patterns that the gateway never sends.

import assert from "node:assert/strict";
import { type Company, newCompany } from "../support/company.ts";
import { keyToken, personToken, readerToken, rest } from "../support/rest.ts";
import { statement } from "../support/test_stack.ts";

interface Found {
  type: string;
  id: string;
  label: string;
  row: Record<string, unknown>;
}

/**
 * The URL path of a search. @param patterns an array in the syntax of Postgres, such as
 * `{"%ana%"}`.
 */
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

Deno.test("a search checks the key even if the search finds nothing or has no search words", async () => {
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

Deno.test("a search finds a contact's three newest conversations", async () => {
  const company = await newCompany();
  const { id, contact_id, account_id } = company;
  const made = await statement`
    insert into conversations (company_id, contact_id, messaging_account_id, status, created_at)
    select ${id}, ${contact_id}, ${account_id}, 'closed', timestamptz '2030-01-01Z' + n * interval '1 minute'
    from generate_series(1, 5) n returning id, created_at
  `;
  const newest = made.toSorted((a, b) => b.created_at - a.created_at).slice(0, 3);
  const found = await search(company, '{"%ada%"}', "ada");
  assert.deepEqual(found.map(({ id }) => id), [...newest.map((row) => row.id), contact_id]);
});
