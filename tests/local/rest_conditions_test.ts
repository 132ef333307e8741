// Tests that the Data API finds the same rows for random requests as plain SQL with bound
// parameters.
import assert from "node:assert/strict";
import fc from "fast-check";
import { startDataApi } from "./lite.ts";

/** Strings with a special meaning in a URL, a filter or SQL. */
const ODD = [
  ...["", " ", " a", "a ", "null", "NULL", "not_null", "true", "{}", "{a,b}", '{"a"}', "(a)"],
  ...["[1]", "a,b", ",", '"', '""', '"a"', 'a"b', "\\", '\\"', "a\\b", "\\\\", "it's", "50%"],
  ...["_", "a*b", "*", "~", "~7e", "~0011223344556677~7e", "é", "日本", "🎈", "a\nb", "\t", "a.b"],
  ...["a:b", "::", "eq.a"],
  ...["not.eq.a", "or(a.eq.b)", "a)b", "(", ")", "}", "{", "007", "1e3", "+5511", "a&b=c#d", "%25"],
];
const NUMBERS = ["-1", "0", "0.10", "9007199254740993.01", "1e3"];
const TIMES = [
  "-infinity",
  "2026-11-21T03:03:45.123456+00:00",
  "2026-11-21 04:03:45.123456+01",
  "infinity",
];

const { api, sql, end } = await startDataApi(`
  create table odd (
    id serial primary key, name text, tags text[], fields jsonb, amount numeric, seen timestamptz
  );
  create view own_odd as select id, name, tags, fields, amount, seen from public.odd where id > (select 0);
  insert into odd (name, tags, fields, amount, seen)
    select word, array[word, 'x'], jsonb_build_object('k', word, 'n', at, 'list', json_build_array(word)),
      (array[${NUMBERS}]::numeric[])[1 + at % 5],
      (array['${TIMES.join("','")}']::timestamptz[])[1 + at % 4]
    from json_array_elements_text($words$${JSON.stringify(ODD)}$words$)
      with ordinality as words (word, at);
  insert into odd (tags, fields) values ('{}', '{}'), (null, null), ('{null}', 'null');
  grant select on own_odd to authenticated;
`);
Deno.test.afterAll(end);

/** A condition in the notation of the Data API and in SQL. */
interface Condition {
  /** The condition as a query parameter: its name and its value. */
  outside: [string, string];
  /** The condition inside the parentheses of `or` or `and`. */
  inside: string;
  sql: string;
  parameters: unknown[];
}

/** A string quoted for use inside parentheses or an array. */
const quoted = (text: string) => `"${text.replace(/(["\\])/g, "\\$1")}"`;

function leaf(
  column: string,
  operator: string,
  operand: string,
  sql: string,
  ...parameters: unknown[]
): Condition {
  const isList = operator.endsWith("in");
  const inBrackets = isList ? operand : quoted(operand);
  return {
    outside: [column, `${operator}.${operand}`],
    inside: `${column}.${operator}.${inBrackets}`,
    sql: `${column} ${sql}`,
    parameters,
  };
}

const text = fc.oneof(
  fc.constantFrom(...ODD),
  fc.string({ unit: fc.constantFrom(..."a \"\\,.(){}[]~*%_'\n\tnull7eé🎈:&=+#"), maxLength: 8 }),
);
const texts = fc.array(text, { minLength: 1, maxLength: 4 });
const array = (members: string[]) => `{${members.map(quoted).join(",")}}`;
const symbols = { eq: "=", neq: "<>", gt: ">", gte: ">=", lt: "<", lte: "<=" };
const comparison = fc.constantFrom(...Object.entries(symbols));

const leaves: Record<string, fc.Arbitrary<Condition>> = {
  text: fc.tuple(comparison, text).map(([[operator, symbol], word]) =>
    leaf("name", operator, word, `${symbol} $`, word)
  ),
  isdistinct: text.map((word) => leaf("name", "isdistinct", word, "is distinct from $", word)),
  in: texts.filter((words) => words.join() !== "").map((words) =>
    leaf("name", "in", `(${words.map(quoted).join(",")})`, "= any($::text[])", words)
  ),
  like: text.map((word) => {
    const pattern = `%${word.replaceAll("*", "_").replace(/\\/g, "\\\\")}%`;
    return leaf("name", "like", pattern, "like $", pattern);
  }),
  match: text.map((word) => {
    const pattern = word.replace(/[^\p{L}\p{N}]/gu, "\\$&");
    return leaf("name", "match", pattern, "~ $", pattern);
  }),
  null: fc.constant({
    outside: ["name", "is.null"],
    inside: "name.is.null",
    sql: "name is null",
    parameters: [],
  }),
  tags: fc.tuple(
    fc.constantFrom(...Object.entries({ cs: "@>", cd: "<@", ov: "&&", eq: "=", neq: "<>" })),
    fc.array(text, { maxLength: 3 }),
  ).map(([[operator, symbol], words]) =>
    leaf("tags", operator, array(words), `${symbol} $::text[]`, words)
  ),
  fields: fc.tuple(
    fc.constantFrom(...Object.entries({ cs: "@>", cd: "<@", eq: "=" })),
    fc.oneof(
      text.map((word) => ({ k: word })),
      text.map((word) => ({ list: [word] })),
      fc.nat(ODD.length).map((n) => ({ n })),
      fc.tuple(text, fc.nat(9)).map(([name, n]) => ({ [name]: n })),
      fc.constantFrom({}, null, []),
    ),
  ).map(([[operator, symbol], json]) =>
    leaf("fields", operator, JSON.stringify(json), `${symbol} $::text::jsonb`, JSON.stringify(json))
  ),
  path: text.map((word) => leaf("fields->>k", "eq", word, "", word)).map((condition) => ({
    ...condition,
    sql: "fields ->> 'k' = $",
  })),
  amount: fc.tuple(comparison, fc.constantFrom(...NUMBERS)).map(([[operator, symbol], number]) =>
    leaf("amount", operator, number, `${symbol} $::text::numeric`, number)
  ),
  seen: fc.tuple(comparison, fc.constantFrom(...TIMES)).map(([[operator, symbol], time]) =>
    leaf("seen", operator, time, `${symbol} $::text::timestamptz`, time)
  ),
};

const negated = (condition: Condition): Condition => {
  const [name, value] = condition.outside;
  const isJunction = /^(and|or)$/.test(name);
  return {
    outside: isJunction ? [`not.${name}`, value] : [name, `not.${value}`],
    inside: isJunction ? `not.${condition.inside}` : condition.inside.replace(name, `${name}.not`),
    sql: `not (${condition.sql})`,
    parameters: condition.parameters,
  };
};

const { condition } = fc.letrec<{ condition: Condition; plain: Condition }>((tie) => ({
  plain: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    ...Object.values(leaves),
    fc.tuple(
      fc.constantFrom("and", "or"),
      fc.array(tie("condition"), { minLength: 1, maxLength: 3 }),
    )
      .map(([junction, members]): Condition => {
        const list = `(${members.map(({ inside }) => inside).join(",")})`;
        return {
          outside: [junction, list],
          inside: `${junction}${list}`,
          sql: members.map(({ sql }) => `(${sql})`).join(` ${junction} `),
          parameters: members.flatMap(({ parameters }) => parameters),
        };
      }),
  ),
  condition: fc.tuple(fc.boolean(), tie("plain")).map(([isNegated, plain]) =>
    isNegated ? negated(plain) : plain
  ),
}));

async function byAddress(conditions: Condition[]) {
  const query = new URLSearchParams([["select", "id"], ["order", "id"]]);
  for (const { outside: [name, value] } of conditions) query.append(name, value);
  const { status, body } = await api(`/own_odd?${query}`);
  assert.equal(status, 200, JSON.stringify([conditions.map(({ outside }) => outside), body]));
  return body.map(({ id }: { id: number }) => id);
}

async function bySql(conditions: Condition[]) {
  let count = 0;
  const where = conditions.map(({ sql }) => `(${sql.replaceAll("$", () => `$${++count}`)})`);
  const parameters = conditions.flatMap(({ parameters }) => parameters);
  const query = `select id from odd where ${where.join(" and ")} order by id`;
  return (await sql.unsafe(query, parameters as never[])).map(({ id }) => id);
}

Deno.test("random filters find the same rows as SQL", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(condition, { minLength: 1, maxLength: 3 }), async (conditions) => {
      assert.deepEqual(await byAddress(conditions), await bySql(conditions));
    }),
    { numRuns: 300 },
  );
});

for (const [kind, one] of Object.entries(leaves)) {
  Deno.test(`a ${kind} filter finds the same rows as SQL`, async () => {
    await fc.assert(
      fc.asyncProperty(one, fc.boolean(), fc.boolean(), async (plain, isNegated, isInside) => {
        const condition = isNegated ? negated(plain) : plain;
        const { inside } = condition;
        const asked = isInside ? { ...condition, outside: ["or", `(${inside})`] } : condition;
        assert.deepEqual(await byAddress([asked as Condition]), await bySql([condition]));
      }),
      { numRuns: 30 },
    );
  });
}

Deno.test("filters with unusual strings find the same rows as SQL, outside and inside parentheses", async () => {
  for (const word of ODD) {
    const is = leaf("name", "eq", word, "= $", word);
    const isAmong = leaf("name", "in", `("m",${quoted(word)})`, "= any($::text[])", ["m", word]);
    const isInside = {
      ...is,
      outside: ["or", `(${is.inside},${isAmong.inside})`] as [string, string],
    };
    for (const each of [is, negated(is), isAmong, isInside]) {
      assert.deepEqual(await byAddress([each]), await bySql([each]), `${each.outside}`);
    }
  }
});
