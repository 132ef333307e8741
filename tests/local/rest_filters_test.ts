// Tests Data API filters. PostgREST passes filter operands to Postgres as text (see its
// ApiRequest/QueryParams).
import assert from "node:assert/strict";
import { startDataApi } from "./lite.ts";

/** A text column's values, in sort order. */
const WORDS = ["+5511", "5511", "true", "false", "50%", "a*b", "ab", "a)b", "", "x", "y", "日本"];

const { api, end } = await startDataApi(`
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

/** The values of the `word` column in the rows that these parameters find. */
async function found(...parameters: [string, string][]): Promise<string[]> {
  const query = new URLSearchParams([["select", "word"], ["order", "id"], ...parameters]);
  const { status, body } = await api(`/words?${query}`);
  assert.equal(status, 200, JSON.stringify([parameters, body]));
  return body.map(({ word }: { word: string }) => word);
}

Deno.test("in `like` filters, `*` matches any text, inside and outside parentheses", async () => {
  const ends = WORDS.filter((word) => word.endsWith("b"));
  assert.deepEqual(await found(["word", "like.*b"]), ends);
  assert.deepEqual(await found(["or", '(word.like."*b")']), ends);
  assert.deepEqual(await found(["word", "ilike.*B"]), ends);
  assert.deepEqual(await found(["word", "match.^5511$"]), ["5511"]);
});

Deno.test("several filters on one column must all match, and so must several `or` or `and` groups", async () => {
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
    assert.deepEqual(await found(...filters), expected[at], `${filters}`);
  }
});

Deno.test("a list with one empty member is an empty list", async () => {
  assert.deepEqual(await found(["word", 'in.("")']), []);
  assert.deepEqual(await found(["word", "in.()"]), []);
  assert.deepEqual(await found(["or", '(word.in.(""),word.eq.x)']), ["x"]);
  assert.deepEqual(await found(["word", 'not.in.("")']), WORDS);
  assert.deepEqual(await found(["word", 'in.("x","")']), ["", "x"]);
});

Deno.test("a null character ends an operand", async () => {
  assert.deepEqual(await found(["word", "eq.x\0y"]), ["x"]);
  assert.deepEqual(await found(["word", "in.(x\0y,y)"]), ["x", "y"]);
});

Deno.test("a malformed filter is reported before every other error except an invalid token", async () => {
  const refused = ["word=x", "word=in.(x", "or=(word.eq.x", "word=not.x", "word=is.it"];
  for (const query of refused) {
    for (const table of ["words", "nothing"]) {
      const { status, body } = await api(`/${table}?${query}`);
      assert.deepEqual([status, body.code], [400, "PGRST100"], query);
      assert.match(
        body.message,
        /^"failed to parse (filter|logic tree) \(.*\)" \(line 1, column \d+\)$/,
      );
      assert.match(body.details, /^unexpected .* expecting /);
    }
  }
  const headers = { Authorization: "Bearer a.b.c" };
  const { status } = await api("/words?word=x", { headers });
  assert.equal(status, 401);
});

/** The ids of the rows that a query returns. */
async function ids(query: string): Promise<number[]> {
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
    assert.deepEqual(await ids(query), expected, query);
  }
  assert.equal((await api("/rows?big=eq.x")).body.code, "22P02");

  assert.deepEqual(await ids('flag=in.("true")'), [1]);
});

Deno.test("a filter on an embedded table uses its operand literally", async () => {
  const parts = async (query: string) => {
    const { status, body } = await api(`/rows?select=id,parts!inner(id)&order=id&${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.map(({ id, parts }: { id: number; parts: { id: number }[] }) => [
      id,
      ...parts.map((part) => part.id),
    ]);
  };
  assert.deepEqual(await parts("parts.id=eq.1"), [[1, 1]]);
  assert.deepEqual(await parts("parts.id=gte.1&parts.id=gte.3"), [[2, 3]]);
  assert.deepEqual(await parts("parts.or=(id.eq.2,id.eq.3)&id=eq.2"), [[2, 3]]);
});
