// Tests that the docs list exactly the operations and fields in the API description.
import assert from "node:assert/strict";
import type { JsonSchema } from "../../generate/openapi/json_schema.ts";
import openApi from "../../supabase/functions/gateway/openapi.json" with { type: "json" };
import { type Page, readPage } from "./pages.ts";

const document: JsonSchema = openApi;

/**
 * Every operation in the API description with its scope, such as `GET /contacts read` or `GET
 * /health no key`.
 */
const operations = Object.entries<JsonSchema>(document.paths).flatMap(([path, methods]) =>
  Object.entries<JsonSchema>(methods).map(([method, operation]) => {
    const isOfGateway = path.startsWith("/gateway/");
    const shown = isOfGateway ? path.replace("/gateway", "") : `/functions/v1${path}`;
    return `${method.toUpperCase()} ${shown} ${operation["x-required-scope"] ?? "no key"}`;
  })
).sort();

/** The fields of a schema in the API description. */
function fieldsOf(schema: string): string[] {
  const { schemas } = document.components;
  if (schemas[schema]) return Object.keys(schemas[schema].properties).sort();
  // Included fields are optional, so the required fields are the record's own fields.
  return [...schemas[`${schema}WithIncluded`].required].sort();
}

/**
 * The text between a heading and the next heading on a page. If `from` is given, the text begins at
 * that string.
 */
function section({ text }: Page, heading: string, from = ""): string {
  const [, after] = text.split(`\n${heading}\n`);
  assert.ok(after, heading);
  const [below] = after.split(/^#+ /m);
  assert.ok(below.includes(from), from);
  return below.slice(below.indexOf(from));
}

/** The names between backticks in the first column of the text's first table. */
function firstCells(text: string): string[] {
  const [table = ""] = /^\|[^]*?\n(?!\|)/m.exec(text) ?? [];
  const cells = Array.from(table.matchAll(/^\| ([^|]*`[^|]*) \|/gm), ([, cell]) => cell);
  return cells.flatMap((cell) => Array.from(cell.matchAll(/`(\w+)`/g), ([, name]) => name)).sort();
}

const [api, writing, sending, replying, specification] = await Promise.all(
  ["api", "writing", "sending-templates", "replying", "specification"].map((name) =>
    readPage(`docs/${name}.md`)
  ),
);

Deno.test("The API at a glance lists exactly the existing operations with their scopes", () => {
  const rows = section(api, "## Operations").matchAll(/^\| `(\w+ [^`]+)` \| ([a-z ]+) \|/gm);
  assert.deepEqual(
    Array.from(rows, ([, operation, scope]) => `${operation} ${scope}`).sort(),
    operations,
  );
});

/** Reads whose response is not a record or a list of records. */
const NO_RECORDS = /[/](me|health|openapi\.json|export|media)$/;

/** The operations with this method and path that do not accept this parameter or header. */
function without(parameter: string, method: string, path: RegExp): string[] {
  return Object.entries<JsonSchema>(document.paths).flatMap(([full, methods]) => {
    const shown = full.startsWith("/gateway/")
      ? full.replace("/gateway", "")
      : `/functions/v1${full}`;
    const parameters: JsonSchema[] = methods[method.toLowerCase()]?.parameters ?? [];
    const names = parameters.map(({ $ref, name }) => ($ref ?? name).split("/").at(-1));
    const isOne = names.length > 0 && path.test(shown) && !names.includes(parameter);
    return isOne ? [`${method} ${shown}`] : [];
  });
}

Deno.test("The API at a glance lists the reads without `sort` or `fields`, and the operations on one record without a conditional header", () => {
  const [, text] = api.text.split("### Some operations accept less");
  const listed = text.split("\n## ")[0].split("\n- ").slice(1).map((line) =>
    Array.from(line.matchAll(/`([A-Z]+ [^`]+)`/g), ([, operation]) => operation).sort()
  );
  const isRecord = /\}$/;
  assert.deepEqual(listed, [
    without("sort", "GET", /[^}]$/).filter((each) => !NO_RECORDS.test(each)).sort(),
    without("fields", "GET", /./).filter((each) => !NO_RECORDS.test(each)).sort(),
    without("IfNoneMatch", "GET", isRecord).sort(),
    ["PATCH", "DELETE"].flatMap((method) => without("IfMatch", method, isRecord)).sort(),
  ]);
});

Deno.test("part 4 of the specification names exactly the existing operations", () => {
  const [, part = ""] = /^## 4\. [^]*?\n([^]*?)^## 5\. /m.exec(specification.text) ?? [];
  const named = part.matchAll(/^`((?:GET|POST|PUT|PATCH|DELETE) [^`?]+)`/gm);
  assert.deepEqual(
    [...new Set(Array.from(named, ([, operation]) => operation))].sort(),
    operations.map((operation) => operation.split(" ").slice(0, 2).join(" ")),
  );
});

Deno.test("the page on writing lists exactly the fields that a contact accepts", () => {
  assert.deepEqual(
    firstCells(section(writing, "## What a request may say", "| field of a contact |")),
    fieldsOf("NewContact"),
  );
});

Deno.test("both pages on template sends list exactly the fields of the request", () => {
  const places = [
    section(sending, "## The request"),
    section(specification, "### 4.10 Send a template"),
  ];
  for (const place of places) assert.deepEqual(firstCells(place), fieldsOf("SendRequest"));
});

Deno.test("both pages on free replies list exactly the fields of the request", () => {
  const places = [
    section(replying, "## The request"),
    section(specification, "### 4.17 Reply in a conversation"),
  ];
  for (const place of places) assert.deepEqual(firstCells(place), fieldsOf("ReplyRequest"));
});

const TABLES = {
  "### 2.1 Contact": "Contact",
  "### 2.2 Deal": "Deal",
  "### 2.3 Conversation": "Conversation",
  "### 2.5 Message": "Message",
  "### 2.7 Template": "Template",
  "### 2.8 Send": "Send",
};
for (const [heading, schema] of Object.entries(TABLES)) {
  Deno.test(`the specification lists exactly the fields of a ${schema.toLowerCase()}`, () => {
    assert.deepEqual(firstCells(section(specification, heading)), fieldsOf(schema));
  });
}

const SENTENCES = {
  Pipeline: "### 2.4 Pipeline and stage",
  Stage: "### 2.4 Pipeline and stage",
  Team: "### 2.6 Team and member",
  Member: "### 2.6 Team and member",
};
for (const [schema, heading] of Object.entries(SENTENCES)) {
  Deno.test(`the specification lists exactly the fields of a ${schema.toLowerCase()}`, () => {
    const text = section(specification, heading, `- **${schema}**`);
    // The list of fields ends at the first full stop.
    const [, list = ""] = /:\s((?:`\w+`[,\s]*)+)\./.exec(text) ?? [];
    assert.deepEqual(
      Array.from(list.matchAll(/`(\w+)`/g), ([, name]) => name).sort(),
      fieldsOf(schema),
    );
  });
}
