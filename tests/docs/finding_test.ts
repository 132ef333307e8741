// Tests that docs/finding.md agrees with the API description about each field.
import assert from "node:assert/strict";
import type { JsonSchema } from "../../generate/openapi/json_schema.ts";
import openApi from "../../supabase/functions/gateway/openapi.json" with { type: "json" };
import { call } from "../support/calls.ts";
import { newCompany } from "../support/company.ts";
import { declaredParameters } from "../support/query_text.ts";
import { readPage } from "./pages.ts";

const document: JsonSchema = openApi;
const { text } = await readPage("docs/finding.md");
const [, tables = ""] = /^## Operators of each field\n([^]*?)^## /m.exec(text) ?? [];

/** All lists have these parameters, so the page explains them only once. */
const OF_EVERY_LIST = ["limit", "cursor", "fields", "include_total"];

/** The paths of all list operations. */
const lists = Object.keys(document.paths).filter((path) =>
  parametersOf(path).some(({ name }) => name === "sort")
);

function parametersOf(path: string): JsonSchema[] {
  const { get } = document.paths[path];
  return get ? declaredParameters(document, get, "query") : [];
}

/** The texts between backticks. */
function spans(cell: string): string[] {
  return Array.from(cell.matchAll(/`([^`]+)`/g), ([, span]) => span);
}

interface Row {
  names: string[];
  takes: string[];
  note: string;
}

/** The rows of the table for a list. The heading begins with the last part of the list's path. */
function rowsOf(path: string): Row[] {
  const name = path.split("/").at(-1)!;
  const [, section = ""] =
    new RegExp(`^### ${name}\\b.*\n([^]*?)(?=^###|(?![^]))`, "im").exec(tables) ?? [];
  const rows = Array.from(section.matchAll(/^\| (`.*) \| (.*) \| ?(.*) ?\|$/gm));
  assert.ok(rows.length > 0, `the page has a table for ${path}`);
  return rows.map(([, names, takes, note]) => ({ names: spans(names), takes: spans(takes), note }));
}

Deno.test("docs/finding.md has one table for each list of the API, and no other tables", () => {
  const headings = Array.from(tables.matchAll(/^### (\w+)/gm), ([, name]) => name.toLowerCase());
  assert.deepEqual(headings.sort(), lists.map((path) => path.split("/").at(-1)).sort());
});

for (const path of lists) {
  const declared = parametersOf(path);
  const own = (name: string) => declared.find((each) => each.name === name);

  Deno.test(`docs/finding.md names exactly the filters of ${path}`, () => {
    const shown = rowsOf(path).filter(({ takes }) => /^[=[]/.test(takes[0])).flatMap(
      ({ names, takes }) =>
        names.flatMap((name) => takes.map((each) => each === "=" ? name : name + each)),
    );
    const filters = declared.map(({ name }) => name === "custom_fields" ? `${name}.<key>` : name)
      .filter((name) => !["sort", "include", ...OF_EVERY_LIST].includes(name));
    assert.deepEqual(shown.sort(), filters.sort());
  });

  Deno.test(`docs/finding.md names the allowed values of the fields of ${path}`, () => {
    for (const { names, takes, note } of rowsOf(path)) {
      if (takes[0] !== "=") continue;
      for (const name of names) {
        const words = own(name)?.schema.items?.enum;
        if (words) assert.deepEqual(spans(note), words, name);
      }
    }
  });

  Deno.test(`docs/finding.md names the sort fields and the includes of ${path}`, () => {
    const rowOf = (name: string) => rowsOf(path).find(({ names }) => names[0] === name);
    const { takes, note } = rowOf("sort")!;
    const { schema } = own("sort")!;
    assert.deepEqual(takes.flatMap((name) => [name, `-${name}`]), schema.enum);
    assert.deepEqual(spans(note), schema.default ? [schema.default] : []);
    assert.deepEqual(rowOf("include")?.takes, own("include")?.schema.items.enum);
  });
}

Deno.test("docs/finding.md states how much of a long Korean or Japanese text a search covers", async () => {
  const { deal_id, keys } = await newCompany();
  const stated =
    /Korean text of up to (\d+) syllables or a Japanese text of up to (\d+) letters as a whole. In a longer text, it may cover only the first (\d+) syllables or (\d+) letters/
      .exec(text.replaceAll(/\s+/g, " "));
  assert.ok(stated);
  const [wholeKorean, wholeJapanese, firstKorean, firstJapanese] = stated.slice(1).map(Number);
  const find = async (q: string) => {
    const { status, body } = await call(keys.read, "GET", `/deals?${new URLSearchParams({ q })}`);
    assert.equal(status, 200);
    return body.data.length;
  };
  // These letters become as many bytes as a Korean or Japanese letter can.
  const cases: [string, number, number][] = [
    ["각", wholeKorean, firstKorean],
    ["が", wholeJapanese, firstJapanese],
  ];
  for (const [letter, whole, first] of cases) {
    for (const [length, covered] of [[whole, whole], [whole + 1, first]]) {
      const json = { title: letter.repeat(length) };
      assert.equal((await call(keys.write, "PATCH", `/deals/${deal_id}`, { json })).status, 200);
      assert.equal(await find(letter.repeat(covered)), 1, `${covered} of ${length}`);
      assert.equal(await find(letter.repeat(covered + 1)), 0, `${covered} of ${length}`);
    }
  }
});
