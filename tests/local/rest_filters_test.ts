// Filters of the Data API, which PostgREST hands to Postgres as text (its ApiRequest/QueryParams).
import assert from "node:assert/strict";
import fc from "fast-check";
import { type DataApi, silently, startBoth } from "./lite.ts";

/** Texts that a column may hold and that each form of a filter must find. */
const WORDS = [
  ..."+5511999990001|5511|007|1e3|0x10|true|false|null|NULL|not_null|unknown|NaN|eq.1|not.eq.1"
    .split("|"),
  ...[
    'a"b',
    '"quoted"',
    '"',
    '""',
    '"a",b',
    "a\\b",
    '\\"',
    "a\\",
    "(",
    ")",
    "a)b",
    "(a,b)",
    "or(a.eq.1)",
  ],
  ...[
    "a,b",
    ",",
    "{a,b}",
    "{",
    '{"a":1}',
    "[1]",
    " leading",
    "trailing ",
    " ",
    "",
    "it's",
    "50%",
    "a*b",
  ],
  ...[
    "日本語",
    "ümlaut",
    "🎈",
    "~",
    "~6131",
    "a.b",
    "a:b",
    "a&b=c#d",
    "line\nbreak",
    "x",
    "y",
    "<>",
    "--",
    ";",
  ],
];

const { corrected, uncorrected, end } = await startBoth(`
  create type mood as enum ('cold', 'hot');
  create table words (id serial primary key, word text);
  insert into words (word) select json_array_elements_text($words$${JSON.stringify(WORDS)}$words$);
  create table rows (
    id int primary key, flag boolean, big bigint, money numeric(14, 2), tags text[], mood mood,
    at timestamptz, uid uuid, document jsonb
  );
  create table parts (id int primary key, row_id int references rows, "odd.name" text);
  insert into rows values
    (1, true, 9007199254740993, 0.10, '{5511,"b c"}', 'hot', '2026-11-21 03:03:45.123456+00',
     'de300000-0000-4000-8000-000000000001', '{"phone": "+5511", "at": {"n": 5}}'),
    (2, false, 5, 0.20, '{}', 'cold', '2026-11-22 00:00:00+00', null, '{}'),
    (3, null, null, null, null, null, null, null, null);
  insert into parts values (1, 1, '5511'), (2, 1, 'x'), (3, 2, '5511');
  grant select on words, rows, parts to authenticated;
`);
Deno.test.afterAll(end);

/** The words that the parameters of an address find. */
async function found(api: DataApi, parameters: [string, string][]): Promise<string[]> {
  const query = new URLSearchParams([["select", "word"], ["order", "id"], ...parameters]);
  const { status, body } = await api(`/words?${query}`);
  assert.equal(status, 200, JSON.stringify([parameters, body]));
  return body.map(({ word }: { word: string }) => word);
}

/** A text as it is written inside brackets. */
const quoted = (text: string) => `"${text.replace(/(["\\])/g, "\\$1")}"`;

/** For each place of an operand in the address, a filter with the word and the words it must find. */
const PLACES: Record<
  string,
  (word: string) => { filter: [string, string]; finds(other: string): boolean }
> = {
  eq: (word) => ({ filter: ["word", `eq.${word}`], finds: (other) => other === word }),
  "not.eq": (word) => ({ filter: ["word", `not.eq.${word}`], finds: (other) => other !== word }),
  neq: (word) => ({ filter: ["word", `neq.${word}`], finds: (other) => other !== word }),
  isdistinct: (word) => ({
    filter: ["word", `isdistinct.${word}`],
    finds: (other) => other !== word,
  }),
  in: (word) => ({
    filter: ["word", `in.(m,${quoted(word)},"n")`],
    finds: (other) => other === word,
  }),
  or: (word) => ({
    filter: ["or", `(word.eq.${quoted(word)},word.eq.5511,and(word.eq.a,word.eq.b))`],
    finds: (other) => other === word || other === "5511",
  }),
  "not.and": (word) => ({
    filter: ["not.and", `(word.eq.${quoted(word)},word.not.in.("a",${quoted(word + "x")}))`],
    finds: (other) => other !== word,
  }),
};

for (const [place, at] of Object.entries(PLACES)) {
  Deno.test(`${place} takes its operand literally`, async () => {
    for (const word of WORDS) {
      const { filter, finds } = at(word);
      assert.deepEqual(await found(corrected, [filter]), WORDS.filter(finds), `${filter}`);
    }
  });
}

Deno.test("uncorrected lite still guesses the type of operands", async () => {
  const filters: [string, string, string][] = [
    ["word", "eq.+5511999990001", "+5511999990001"],
    ["word", "eq.null", "null"],
    ["word", 'eq."quoted"', '"quoted"'],
    ["word", "in.(+5511999990001)", "+5511999990001"],
    ["or", '(word.eq."a\\"b",word.eq.none)', 'a"b'],
    ["and", '(word.in.("a\\"b"),word.neq.none)', 'a"b'],
  ];
  for (const [name, value, word] of filters) {
    assert.deepEqual(await found(corrected, [[name, value]]), [word], value);
    const query = new URLSearchParams({ select: "word", [name]: value });
    await silently(async () => {
      assert.notDeepEqual((await uncorrected(`/words?${query}`)).body, [{ word }], value);
    });
  }
});

Deno.test("a filter finds exactly its own text, whatever the text is", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: fc.constantFrom(...`"\\,.(){}[]~*%eq.1 +-é🎈`), maxLength: 12 }),
      fc.constantFrom(...Object.values(PLACES)),
      async (word, at) => {
        const { filter, finds } = at(word);
        assert.deepEqual(await found(corrected, [filter]), WORDS.filter(finds));
      },
    ),
    { numRuns: 150 },
  );
});

Deno.test("in like, * stands for any text, inside and outside brackets", async () => {
  const ends = WORDS.filter((word) => word.endsWith("b"));
  assert.deepEqual(await found(corrected, [["word", "like.*b"]]), ends);
  assert.deepEqual(await found(corrected, [["or", '(word.like."*b")']]), ends);
  assert.deepEqual(await found(corrected, [["word", "ilike.*B"]]), ends);
  assert.deepEqual(await found(corrected, [["word", "match.^5511$"]]), ["5511"]);

  assert.deepEqual(await found(uncorrected, [["or", '(word.like."*b")']]), []);
});

Deno.test("several filters on one column, or several junctions, must all hold", async () => {
  const both: [string, string][][] = [
    [["word", "neq.5511"], ["word", "neq.true"]],
    [["word", "not.like.5*"], ["word", "not.eq.true"]],
    [["or", "(word.eq.5511,word.eq.true)"], ["or", "(word.eq.false,word.eq.true)"]],
    [["not.or", "(word.eq.5511)"], ["not.or", "(word.eq.true)"]],
    [["and", "(word.neq.5511)"], ["and", "(word.neq.true)"]],
  ];
  const without = WORDS.filter((word) => word !== "5511" && word !== "true");
  const expected = [
    without,
    WORDS.filter((w) => !w.startsWith("5") && w !== "true"),
    ["true"],
    without,
    without,
  ];
  for (const [at, filters] of both.entries()) {
    assert.deepEqual(await found(corrected, filters), expected[at], `${filters}`);
  }

  const repeated: [string, string][] = [["word", "neq.x"], ["word", "neq.y"]];
  assert.ok((await found(uncorrected, repeated)).includes("x"));
  const junctions: [string, string][] = [["or", "(word.eq.x)"], ["or", "(word.eq.y)"]];
  assert.notDeepEqual(await found(uncorrected, junctions), []);
});

Deno.test("a list with one empty member is an empty list", async () => {
  assert.deepEqual(await found(corrected, [["word", 'in.("")']]), []);
  assert.deepEqual(await found(corrected, [["word", "in.()"]]), []);
  assert.deepEqual(await found(corrected, [["or", '(word.in.(""),word.eq.x)']]), ["x"]);
  assert.deepEqual(await found(corrected, [["word", 'not.in.("")']]), WORDS);
  assert.deepEqual(await found(corrected, [["word", 'in.("x","")']]), ["", "x"]);

  assert.deepEqual(await found(uncorrected, [["word", 'in.("")']]), [""]);
});

Deno.test("an operand ends at a character of the code zero", async () => {
  assert.deepEqual(await found(corrected, [["word", "eq.x\0y"]]), ["x"]);
  assert.deepEqual(await found(corrected, [["word", "in.(x\0y,y)"]]), ["x", "y"]);

  await silently(async () => {
    assert.equal((await uncorrected("/words?word=eq.x%00y")).body.code, "22021");
  });
});

Deno.test("what is no filter is refused before all that is wrong, but the token", async () => {
  const refused = ["word=x", "word=in.(x", "or=(word.eq.x", "word=not.x", "word=is.it"];
  for (const query of refused) {
    for (const table of ["words", "nothing"]) {
      const { status, body } = await corrected(`/${table}?${query}`);
      assert.deepEqual([status, body.code], [400, "PGRST100"], query);
      assert.match(
        body.message,
        /^"failed to parse (filter|logic tree) \(.*\)" \(line 1, column \d+\)$/,
      );
      assert.match(body.details, /^unexpected .* expecting /);
    }
  }
  const headers = { Authorization: "Bearer a.b.c" };
  const { status } = await corrected("/words?word=x", { headers });
  assert.equal(status, 401);
});

/** The ids of the rows that a query finds. */
async function ids(api: DataApi, query: string): Promise<number[]> {
  const { status, body } = await api(`/rows?select=id&order=id&${query}`);
  assert.equal(status, 200, `${query} ${JSON.stringify(body)}`);
  return body.map(({ id }: { id: number }) => id);
}

Deno.test("an operand has the type of its column", async () => {
  const queries: Record<string, number[]> = {
    "flag=eq.true": [1],
    "flag=eq.false": [2],
    "flag=in.(true,false)": [1, 2],
    "flag=not.eq.true": [2],
    "flag=is.null": [3],
    "flag=not.is.null": [1, 2],
    "big=eq.9007199254740993": [1],
    "big=lt.9007199254740993": [2],
    "money=gte.0.1": [1, 2],
    "money=eq.0.2": [2],
    "tags=eq.{5511,b c}": [1],
    "tags=cs.{5511}": [1],
    "tags=ov.{b c}": [1],
    "mood=eq.hot": [1],
    "at=eq.2026-11-21T03:03:45.123456Z": [1],
    "at=gt.2026-11-21T03:03:45.123456-01:00": [2],
    "uid=eq.de300000-0000-4000-8000-000000000001": [1],
    "document->>phone=eq.%2B5511": [1],
    "document->at->>n=eq.5": [1],
    'or=(at.lt."2026-11-21T03:03:45.123457%2B00:00",and(flag.eq.false,document->>x.is.null))': [
      1,
      2,
    ],
    "or=(tags.cs.{5511,b c},mood.eq.cold)": [1, 2],
  };
  for (const [query, expected] of Object.entries(queries)) {
    assert.deepEqual(await ids(corrected, query), expected, query);
  }
  assert.equal((await corrected("/rows?big=eq.x")).body.code, "22P02");

  assert.deepEqual(await ids(corrected, 'flag=in.("true")'), [1]);
  assert.deepEqual(await ids(uncorrected, 'flag=in.("true")'), [2]);
});

Deno.test("a filter on an embedded table takes its operand literally", async () => {
  const parts = async (api: DataApi, query: string) => {
    const { status, body } = await api(`/rows?select=id,parts!inner(id)&order=id&${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.map(({ id, parts }: { id: number; parts: { id: number }[] }) => [
      id,
      ...parts.map((part) => part.id),
    ]);
  };
  assert.deepEqual(await parts(corrected, "parts.id=eq.1"), [[1, 1]]);
  assert.deepEqual(await parts(corrected, "parts.id=gte.1&parts.id=gte.3"), [[2, 3]]);
  assert.deepEqual(await parts(corrected, "parts.or=(id.eq.2,id.eq.3)&id=eq.2"), [[2, 3]]);
});
