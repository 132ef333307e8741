// Generates list queries from the parameters in the API's description and from the list's rows.
import * as fc from "fast-check";
import type { JsonSchema } from "../../generate/openapi/json_schema.ts";
import openApi from "../../supabase/functions/gateway/openapi.json" with { type: "json" };
import { type FoundRow, kindOf } from "./found_rows.ts";
import { nastyText } from "./nasty_text.ts";
import { declaredParameters, textOf } from "./query_text.ts";
import { SchemaValidator } from "./schema_validator.ts";

const document: JsonSchema = openApi;
const validator = new SchemaValidator(document);

/** The filter parameters of the list at this gateway path, such as `/contacts`. */
export function filtersOf(path: string): [name: string, schema: JsonSchema][] {
  return parametersOf(path).filter(([name]) => !OTHERS.has(name));
}

/** The schema of a list parameter in the API's description. */
export function schemaOf(path: string, parameter: string): JsonSchema {
  return Object.fromEntries(parametersOf(path))[parameter];
}

const OTHERS = new Set([
  ...["limit", "cursor", "fields", "include", "sort", "include_total", "archived"],
]);

function parametersOf(path: string): [string, JsonSchema][] {
  return declaredParameters(document, document.paths[`/gateway${path}`].get, "query")
    .map(({ name, schema }) => [name, schema]);
}

/**
 * The fields of a list's records in order, including the fields that `include` adds.
 */
export function membersOf(path: string): string[] {
  const answers = document.paths[`/gateway${path}`].get.responses[200].content["application/json"];
  const [{ $ref }] = answers.schema.properties.data.items.anyOf;
  return Object.keys(document.components.schemas[$ref.split("/").at(-1)].properties);
}

/** The query parameters by name. */
export type Query = Record<string, string>;

/**
 * Generates any query that a list allows, with up to four filters.
 * @param first a filter that every query has.
 */
export function anyQuery(path: string, rows: FoundRow[], first?: string): fc.Arbitrary<Query> {
  const filters = filtersOf(path);
  const names = filters.map(([name]) => name);
  const chosen = fc.tuple(
    fc.nat(rows.length - 1),
    fc.subarray(names, { maxLength: 3 }),
    fc.constantFrom(...first ? [first] : names),
  );
  const others = fc.record({
    limit: fc.oneof(fc.constant("200"), fc.integer({ min: 1, max: 200 }).map(String)),
    sort: fc.constantFrom(...schemaOf(path, "sort").enum),
    include_total: fc.constantFrom("true", "false"),
    ...(schemaOf(path, "archived") && {
      archived: fc.constantFrom(...schemaOf(path, "archived").enum),
    }),
    fields: someOf(schemaOf(path, "fields").items.enum),
    ...(schemaOf(path, "include") && { include: someOf(schemaOf(path, "include").items.enum) }),
  }, { requiredKeys: [] });
  return chosen.chain(([at, some, always]) => {
    // Few rows would match several random filters, so most values come from one row.
    const row = rows[at];
    const parameters = [...new Set([always, ...some])].map((name) =>
      oneFilter(name, schemaOf(path, name), rows, row)
    );
    return fc.tuple(others, ...parameters).map((parts) => Object.assign({}, ...parts) as Query)
      .filter((query) => addressOf(path, query).length < MAX_ADDRESS);
  });
}

/** The maximum length of a query's URL. A longer query may be too long for the database. */
const MAX_ADDRESS = 3_000;

/** The path and query string of a query. */
export function addressOf(path: string, query: Query): string {
  const parameters = Object.entries(query).map((pair) => pair.map(encodeURIComponent).join("="));
  return [path, parameters.join("&")].join("?");
}

/** Some of the names, in any order. */
function someOf(names: string[]): fc.Arbitrary<string> {
  return fc.shuffledSubarray(names, { minLength: 1 }).map(String);
}

/** One filter with its value, as written in the URL. */
function oneFilter(
  name: string,
  schema: JsonSchema,
  rows: FoundRow[],
  row: FoundRow,
): fc.Arbitrary<Query> {
  if (name === "custom_fields") return anyMember(rows, row);
  const texts = name === "q" || name.endsWith("[contains]")
    ? parts(name === "q" ? searchedTexts(row) : valuesOf(row, name))
    : values(name, schema, rows, row);
  return texts.map((text) => ({ [name]: text }));
}

function values(name: string, schema: JsonSchema, rows: FoundRow[], row: FoundRow) {
  const item = schema.items ?? schema;
  const allowed = (texts: string[]) => texts.filter((text) => isAllowed(item, text));
  const own = allowed(valuesOf(row, name).flatMap((value) => spellingsOf(name, value)));
  const all = allowed(
    rows.flatMap((each) => valuesOf(each, name)).flatMap((each) => spellingsOf(name, each)),
  );
  const nasty = nastyText.map((text) =>
    [...text.toWellFormed().replaceAll("\0", "")].slice(0, 40).join("")
  )
    .filter((text) => isAllowed(item, text));
  const value = item.enum ? fc.constantFrom(...item.enum as string[]) : fc.oneof(
    ...(own.length > 0 ? [{ weight: 8, arbitrary: fc.constantFrom(...own) }] : []),
    ...(all.length > 0 ? [{ weight: 4, arbitrary: fc.constantFrom(...all) }] : []),
    ...(isAllowed(item, "any text") ? [{ weight: 1, arbitrary: nasty }] : []),
    { weight: 1, arbitrary: fc.constantFrom(...allowed([...UNKNOWN_VALUES])) },
  );
  if (schema.type !== "array") return value;
  // A filter gets at most four values, because an unusual string can be long and a URL has a
  // maximum length.
  return fc.array(value, { minLength: 1, maxLength: 4 }).map(textOf);
}

/** For each kind of field, values that no row has. */
const UNKNOWN_VALUES = [
  ...[crypto.randomUUID(), "nobody", "+998901234567", "-1", "3", "0.5", "1970-01-01", "123456"],
  "zz",
];

function isAllowed(schema: JsonSchema, text: string): boolean {
  const value = schema.type === "integer" && /^-?\d+$/.test(text) ? Number(text) : text;
  return validator.problemBySchema(schema, value) === null;
}

/** The values in a row that a parameter searches, as strings. */
function valuesOf(row: FoundRow, name: string): string[] {
  const field = name.replace(/\[.*/, "");
  const value = row[field] ?? row[`${field}s`] ?? [];
  return (Array.isArray(value) ? value : [value]).map(String);
}

/** Different ways to write a value, with the same or nearly the same meaning. */
function spellingsOf(name: string, value: string): string[] {
  switch (kindOf(name.replace(/\[.*/, ""))) {
    case "id":
      return [value, value.toUpperCase()];
    case "email":
      return [value, value.toUpperCase(), value.toLowerCase()];
    case "phone":
      return [
        value,
        value.replace("+521", "+52"),
        value.replace(/^(\+55..)9/, "$1"),
        value.replace("+549", "+54"),
        value.replace(/^\+(..)(\d+)(....)$/, " $1 ($2)-$3"),
      ];
    case "number":
      return [value, value.includes(".") ? `${value}0` : value, `-${value}`];
    case "time": {
      const [day, clock] = value.split("T");
      const [seconds, offset] = [clock.slice(0, 8), clock.slice(-6)];
      return [
        ...[
          value,
          value.replace(offset, "Z"),
          day,
          `${day}T${seconds}-03:00`,
          `${day}T${seconds}.5${offset}`,
        ],
        ...[`${day}T${seconds}.000002Z`, `${day}T${seconds}Z`],
      ];
    }
  }
  return [
    value,
    value.toLowerCase(),
    value.toUpperCase(),
    `${value} `,
    [...value].slice(1).join(""),
  ];
}

/** The strings in a row that `q` searches. */
function searchedTexts(row: FoundRow): string[] {
  return [row.title, row.name, row.email, row.phone, row.empresa].filter((text) =>
    typeof text === "string"
  );
}

/**
 * Generates search texts: parts of these strings, or other strings. All search texts obey the API's
 * `searchable` rule.
 */
function parts(texts: string[]): fc.Arbitrary<string> {
  const some = [...texts, "Ana", "jo"];
  const part = fc.tuple(fc.constantFrom(...some), fc.nat(20), fc.integer({ min: 1, max: 20 })).map(
    ([text, from, length]) => [...text].slice(from % [...text].length).slice(0, length).join(""),
  );
  const written = fc.oneof(
    part,
    part.map((text) => text.toUpperCase()),
    fc.tuple(part, part).map((two) => two.join(" ")),
  );
  return fc.oneof({ weight: 6, arbitrary: written }, { weight: 1, arbitrary: nastyText }).filter(
    (text) => {
      const isText = text.isWellFormed() && !text.includes("\0") && [...text].length <= 255;
      const words = text.normalize("NFKD").split(/[^0-9A-Za-z\u0080-\u{10ffff}]+/u);
      const found = words.filter((word) => /[^\u0300-\u036f]/.test(word));
      return isText && found.length > 0 && found.length <= 10;
    },
  );
}

/** A filter by `custom_fields.<key>`, with a value from this row or from another row. */
function anyMember(rows: FoundRow[], row: FoundRow): fc.Arbitrary<Query> {
  const members = (some: FoundRow[]) => some.flatMap((each) => Object.entries(each.custom_fields));
  const [own, all] = [members([row]), members(rows)].map((pairs) =>
    pairs.filter(([key]) => key !== "").map(([key, value]) => [key, String(value)])
  );
  const pair = fc.constantFrom(...own.length > 0 ? own : all, ...all);
  return fc.tuple(pair, fc.array(fc.constantFrom(...all), { maxLength: 2 })).map((
    [[key, value], others],
  ) => ({
    [`custom_fields.${key}`]: textOf([value, ...others.map(([, other]) => other)]),
  }));
}
