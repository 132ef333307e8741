// The migrations create the same database as the schema files, and rights.txt lists the database's
// privileges in readable form.

import assert from "node:assert/strict";
import { BASELINE, baseline, isReleased } from "../../generate/baseline.ts";
import { rights } from "../../generate/rights.ts";
import { root } from "../../local/checkout.ts";
import { catalogue, differences, withoutComments } from "../../local/postgres/catalogue.ts";
import { schemaFiles, withSchemaFiles } from "../../local/postgres/schema_files.ts";
import { withDatabase } from "../support/test_stack.ts";

/** A change of each kind, and the line that reports it. */
const CHANGES: [string, string][] = [
  ["alter role api_reader set statement_timeout = '4s'", "different: role api_reader"],
  ["grant usage on schema app to anon", "different: schema app"],
  [
    "alter default privileges in schema public grant select on tables to anon",
    "not in the schema files: default rights public r",
  ],
  ["drop extension btree_gin cascade", "missing: extension btree_gin"],
  [
    "comment on type public.company_member is 'Else'",
    "another comment: type public.company_member",
  ],
  ["grant delete on public.teams to api_client", "different: table public.teams"],
  [
    "alter table public.teams add column extra text",
    "not in the schema files: column public.teams.extra",
  ],
  [
    "alter table public.deals alter column value set default 1",
    "different: column public.deals.value",
  ],
  [
    "alter table public.deals alter column title set statistics 9",
    "different: column public.deals.title",
  ],
  ["grant insert (id) on public.deals to api_client", "different: column public.deals.id"],
  [
    "alter table public.deals drop constraint deals_value_check",
    "missing: constraint public.deals.deals_value_check",
  ],
  ["drop index public.deals_title_idx", "missing: index public.deals_title_idx"],
  [
    "drop statistics public.messages_conversation_decides_company",
    "missing: statistics public.messages_conversation_decides_company",
  ],
  [
    "alter function app.words(text) set search_path = public",
    "different: function app.words(text)",
  ],
  [
    "create or replace function public.health() returns boolean language sql stable set search_path = '' as 'select false'",
    "different: function public.health()",
  ],
  [
    "revoke execute on function public.authenticate() from api_client",
    "different: function public.authenticate()",
  ],
  [
    "alter table public.deals disable trigger deals_archive",
    "different: trigger public.deals.deals_archive",
  ],
  [
    `alter policy "a key reads its company's teams" on public.teams using (true)`,
    `different: policy public.teams "a key reads its company's teams"`,
  ],
  ["alter view public.own_teams set (security_barrier)", "different: view public.own_teams"],
  [
    "create publication everything for table public.companies",
    "not in the schema files: publication everything of public.companies",
  ],
];

Deno.test("the migrations and the schema files create the same database, and the comparison detects every kind of change", async () => {
  await withSchemaFiles(async (sql) => {
    const expected = await catalogue(sql);
    assert.deepEqual(differences(expected, await withDatabase(catalogue)), []);

    for (const [change] of CHANGES) await sql.unsafe(change);
    const told = new Set(differences(expected, await catalogue(sql)));
    // Dropping the extension also drops the indexes that use the extension.
    const lines = [...told].filter((line) =>
      !/^missing: index .*_(found|words|tags)_idx$/.test(line)
    );
    assert.deepEqual(lines.sort(), CHANGES.map(([, line]) => line).sort());
  });
});

Deno.test("the comparison ignores comments and white space in functions", () => {
  const of = (definition: string, comment: string | null = null) =>
    new Map([["function f()", { definition, comment }]]);
  const [one, other] = [of("begin\n  -- Why.\n  x;\nend"), of("begin\n  x;\nend", "A comment.")];
  assert.deepEqual(differences(one, other), ["different: function f()"]);
  assert.deepEqual(differences(withoutComments(one), withoutComments(other)), []);
  assert.deepEqual(differences(withoutComments(one), withoutComments(of("begin\n  y;\nend"))), [
    "different: function f()",
  ]);
});

Deno.test("a schema file begins with a comment, has at most 400 lines, and adds no column to an existing table", async () => {
  const files = await schemaFiles();
  assert.ok(files.length > 30);
  for (const { name, text } of files) {
    assert.match(name, /^\d\d_[a-z_]+\.sql$/);
    assert.match(text, /^-- [A-Z]/, name);
    assert.ok(text.split("\n").length <= 401, `${name} has ${text.split("\n").length - 1} lines`);
    assert.doesNotMatch(text, /\badd column\b|^create or replace\b/im, name);
  }
});

Deno.test("each schema file lists the parts of its tables in the order that the conventions require", async () => {
  const order = ["type", "table", "index", "function", "trigger", "policy", "grant"];
  for (const { name, text } of await schemaFiles()) {
    const parts = text.matchAll(
      /^(?:create (?:unique )?(type|table|index|function|trigger|policy)|(grant) (?!execute\b|usage\b|api_))/gm,
    );
    const places = Array.from(parts, ([, created, granted]) => order.indexOf(created ?? granted));
    assert.deepEqual(places, places.toSorted((one, other) => one - other), name);
  }
});

/** The tests that concern all schema files. */
const ABOUT_ALL = [
  ...["attacked_writes", "isolation", "linear_regexes_long", "people", "schema_files", "security"],
  ...["structure", "where_clauses"],
];

Deno.test("a database test is named after the schema file that it tests, unless it tests all schema files", async () => {
  const subjects = (await schemaFiles()).map(({ name }) => name.slice(3, -".sql".length));
  const tests = Array.from(Deno.readDirSync(`${root}tests/database`), ({ name }) => name)
    .filter((name) => name.endsWith("_test.ts")).map((name) => name.slice(0, -"_test.ts".length));
  const others = tests.filter((test) =>
    !ABOUT_ALL.includes(test) &&
    !subjects.some((subject) => test === subject || test.startsWith(`${subject}_`))
  );
  assert.deepEqual(others, []);
});

Deno.test("until the first release, the baseline consists of the concatenated schema files", async () => {
  if (await isReleased()) return;
  const committed = await Deno.readTextFile(root + BASELINE);
  assert.ok(committed === await baseline(), "run: npm run generate");
});

Deno.test("tests/database/rights.txt lists the privileges of every role", async () => {
  const committed = await Deno.readTextFile(`${root}tests/database/rights.txt`);
  assert.equal(
    await withDatabase(rights),
    committed,
    "check the difference, then run: npm run generate",
  );
});
