// The database (`app.words`) normalizes stored text, and the gateway normalizes search text. If
// their results differed, searches would miss records.

import assert from "node:assert/strict";
import * as fc from "fast-check";
import { ANY_CASE } from "../../supabase/functions/gateway/records/query_values.ts";
import { folded } from "../../supabase/functions/gateway/records/searched_words.ts";
import { anyCharacter } from "../support/nasty_text.ts";
import { statement, withDatabase } from "../support/test_stack.ts";

interface Folded {
  text: string;
  words: string;
  lower: string;
  /**
   * Whether Postgres knows all characters of the text. Postgres uses Unicode 15.1, so it does not
   * know newer letters.
   */
  known: boolean;
}

async function byDatabase(texts: string[]): Promise<Folded[]> {
  return await withDatabase((sql) =>
    sql<Folded[]>`
      select text, app.words(text) as words, lower(text collate "pg_c_utf8") as lower, unicode_assigned(text) as known
      from unnest(${texts}::text[]) as text
    `
  );
}

/**
 * The texts that the database and the gateway normalize or convert to lower case differently.
 */
function differences(rows: Folded[]): string[] {
  return rows.filter(({ known }) => known).flatMap(({ text, words, lower }) => {
    const found = [];
    if (words !== folded(` ${text}`)) found.push(`${JSON.stringify(text)} is folded to ${words}`);
    if (lower !== ANY_CASE.operand(text) && text.trim()) {
      found.push(`${text} in lower case: ${lower}`);
    }
    return found;
  });
}

Deno.test("the database and the gateway normalize every character that Postgres knows in the same way", async () => {
  const characters: string[] = [];
  for (let code = 1; code <= 0x10ffff; code++) {
    const isSurrogate = code >= 0xd800 && code <= 0xdfff;
    const character = isSurrogate ? "" : String.fromCodePoint(code);
    // Unassigned and private-use characters are skipped.
    if (/^[^\p{Cn}\p{Co}]$/u.test(character)) characters.push(character);
  }
  const rows = await byDatabase(characters);
  assert.ok(rows.filter(({ known }) => known).length > 145_000);
  assert.deepEqual(differences(rows), []);
});

Deno.test("the database and the gateway normalize random texts in the same way", async () => {
  const text = fc.oneof(
    fc.string({ unit: anyCharacter, minLength: 1, maxLength: 30 }),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 }),
    fc.string({ unit: "grapheme-composite", minLength: 1, maxLength: 30 }),
    fc.string({
      unit: fc.constantFrom(..."aÀΣςσİıﬁß\u0301\u0345\u0327 .-_'\"%\\\n\t각ᄀ\u00a0\u2003👩‍👧🏽"),
      minLength: 1,
      maxLength: 30,
    }),
  ).filter((text) => !text.includes("\0"));
  const texts = fc.sample(text, 4000);
  const rows = await byDatabase(texts);
  assert.ok(rows.filter(({ known }) => known).length > 2000);
  assert.deepEqual(differences(rows), []);
});

Deno.test("normalizing removes accents, case, punctuation and letter variants", async () => {
  const examples: [string, string][] = [
    ["João-Ñandú", " joao nandu"],
    ["ΟΔΟΣ", " οδοσ"],
    ["οδός", " οδοσ"],
    ["İstanbul", " istanbul"],
    ["ısparta", " ısparta"],
    ["ﬁn", " fin"],
    ["Straße", " straße"],
    ["Łódź", " łodz"],
    ["½ ㎏ Ⅷ", " 1⁄2 kg viii"],
    ["한국어", " 한국어".normalize("NFKD")],
    ["がぎ", " がぎ".normalize("NFKD")],
    ["e\u0301\u0327\u0323", " e"],
    ["👋🏽 hi!", " 👋🏽 hi "],
    ["  a.b,c;d  ", " a b c d "],
    ["a\u00a0b\u2003c\td\ne", " a b c d e"],
    ["O'Neil@Example.com", " o neil example com"],
    ["", " "],
  ];
  for (const { text, words } of await byDatabase(examples.map(([text]) => text))) {
    assert.equal(words, examples.find(([example]) => example === text)![1], text);
    assert.equal(folded(` ${text}`), words, text);
  }
  const [nothing] = await statement`select app.words(null) as words`;
  assert.equal(nothing.words, null);
});
