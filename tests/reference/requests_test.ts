// Tests that the API's description and the functions' own schemas allow the same requests.
// rules_test.ts tests the rules that JSON Schema cannot express.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import * as z from "zod/mini";
import { describedPath, FUNCTIONS } from "../../generate/openapi/functions.ts";
import type { JsonSchema } from "../../generate/openapi/json_schema.ts";
import openApi from "../../supabase/functions/gateway/openapi.json" with { type: "json" };
import { ApiError } from "../../supabase/functions/_shared/errors.ts";
import { bodiesOf } from "../../supabase/functions/_shared/http/operation.ts";
import { readQuery } from "../../supabase/functions/_shared/http/validate.ts";
import { anyCharacter } from "../support/nasty_text.ts";
import { declaredParameters, textsOf, valuesByName } from "../support/query_text.ts";
import { runs } from "../support/runs.ts";
import { arbitraryOf } from "../support/schema_arbitrary.ts";
import { SchemaValidator } from "../support/schema_validator.ts";

const document: JsonSchema = openApi;
const validator = new SchemaValidator(document);

/** The body schemas, with their locations in the document, and the parameters of all operations. */
const REQUESTS = FUNCTIONS.flatMap((api) =>
  api.operations.flatMap((operation) => {
    const path = ["paths", describedPath(api, operation), operation.method.toLowerCase()];
    const described = path.reduce((at, key) => at[key], document);
    const bodies = Object.entries(bodiesOf(operation)).map(([type, zod]) => ({
      name: `the body of ${operation.id} as ${type}`,
      zod,
      place: [...path, "requestBody", "content", type, "schema"],
    }));
    const query = operation.query && {
      name: `the parameters of ${operation.id}`,
      query: operation.query,
      parameters: declaredParameters(document, described, "query"),
    };
    return [...bodies, ...(query ? [query] : [])];
  })
);

const NUM_RUNS = runs(150);

for (const request of REQUESTS) {
  Deno.test(`the function accepts every value that the description allows for ${request.name}`, () => {
    fc.assert(
      fc.property(allowedValues(request), (value) => {
        assert.equal(refusal(request, value), null, JSON.stringify(value));
      }),
      { numRuns: NUM_RUNS },
    );
  });

  Deno.test(`the description allows every value that the function accepts for ${request.name}`, () => {
    const problem = "place" in request
      ? (value: unknown) => validator.problemAt(request.place, trimmed(value))
      : (value: unknown) => problemOf(value as Record<string, unknown>, request.parameters);
    let accepted = 0;
    fc.assert(
      fc.property(oftenAltered(allowedValues(request)), (value) => {
        if (refusal(request, value) !== null) return;
        accepted++;
        assert.equal(problem(value), null, JSON.stringify(value));
      }),
      // One of the values is not altered, so that at least one value is accepted.
      { numRuns: NUM_RUNS, examples: fc.sample(allowedValues(request), 1).map((value) => [value]) },
    );
    assert.ok(accepted > 0, "no value was accepted");
  });
}

Deno.test("every limit in the description equals the limit in the function's schema", () => {
  let limits = 0;
  for (const request of REQUESTS) {
    if (!("place" in request)) continue;
    const path: string[] = at(request.place).$ref.split("/").slice(1);
    const schema = path.reduce((at, key) => at[key], document);
    const issueOf = (name: string, value: unknown) =>
      z.safeParse(request.zod, { [name]: value }).error?.issues.some((issue) =>
        issue.path[0] === name
      );
    for (const [name, field] of Object.entries<JsonSchema>(schema.properties)) {
      for (const [inside, outside] of atLimits(field)) {
        limits++;
        assert.ok(!issueOf(name, inside), `${request.name}: ${name} at its limit`);
        assert.ok(issueOf(name, outside), `${request.name}: ${name} beyond its limit`);
      }
    }
  }
  assert.ok(limits > 20);
});

/** For each limit of a field, a value at the limit and a value beyond it. */
function atLimits(field: JsonSchema): [unknown, unknown][] {
  const text = (length: number) =>
    field.format === "idn-email" ? `${"a".repeat(64)}@${domain(length - 65)}` : "x".repeat(length);
  const isNarrow = field.items?.$ref || field.items?.enum;
  const [item] = isNarrow ? fc.sample(arbitraryOf(field.items, document), 1) : [];
  const items = (length: number): unknown[] =>
    field.items?.$ref?.endsWith("/ReplyButton")
      ? Array.from({ length }, (_, at) => ({ id: `${at}`, title: `${at}` })) // buttons must differ
      : Array.from({ length }, (_, at) => item ?? `${at % 50}`);
  return [
    ...("maxLength" in field ? [[text(field.maxLength), text(field.maxLength + 1)]] : []),
    ...("maxItems" in field ? [[items(field.maxItems), items(field.maxItems + 1)]] : []),
    ...("minLength" in field ? [["x", ""]] : []),
    ...("minimum" in field ? [[field.minimum, field.minimum - 1]] : []),
    ...("maximum" in field ? [[field.maximum, field.maximum + 1]] : []),
    ...("multipleOf" in field ? [[field.multipleOf, field.multipleOf / 10]] : []),
    ...(field.items?.maxLength
      ? [[["x".repeat(field.items.maxLength)], ["x".repeat(field.items.maxLength + 1)]]]
      : []),
  ] as [unknown, unknown][];
}

/** A domain name of this length. */
function domain(length: number): string {
  return `${"b".repeat(60)}.`.repeat(4) + "c".repeat(length - 244);
}

function at(place: string[]): JsonSchema {
  return place.reduce((at, key) => at[key], document);
}

/** Values that the description allows for a request. */
function allowedValues(request: (typeof REQUESTS)[number]): fc.Arbitrary<unknown> {
  return "place" in request
    ? arbitraryOf(at(request.place), document)
    : parameters(request.parameters);
}

/** The reason why the function refuses a request, or null if it accepts the request. */
function refusal(request: (typeof REQUESTS)[number], value: unknown): string | null {
  if ("zod" in request) return z.safeParse(request.zod, value).error?.message ?? null;
  try {
    readQuery(`http://x/?${new URLSearchParams(textsOf(value as object))}`, request.query);
    return null;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.message;
  }
}

/** A search string that the `searchable` rule allows. */
const searchable = fc.stringMatching(/^[a-z0-9]( ?[a-zé0-9%_*,]){0,9}$/);

/**
 * Generates values for query parameters. Leaves out `cursor`, because only a page of results
 * contains a valid cursor.
 */
function parameters(declared: JsonSchema[]): fc.Arbitrary<Record<string, unknown>> {
  const valuesOf = (parameters: JsonSchema[]) =>
    Object.fromEntries(parameters.map(({ name, schema }) => {
      const isSearch = name === "q" || name.endsWith("[contains]");
      return [name, isSearch ? searchable : arbitraryOf(schema, document)];
    }));
  const [required, others] = [
    declared.filter((each) => each.required),
    declared.filter((each) => !each.required && each.name !== "cursor"),
  ];
  // Generates only a few parameters at a time, as callers send them, because a URL has a maximum
  // length.
  return fc.subarray(others, { maxLength: Math.min(8, others.length) }).chain((some) =>
    fc.record(valuesOf([...required, ...some]), { requiredKeys: required.map(({ name }) => name) })
  ) as fc.Arbitrary<Record<string, unknown>>;
}

function problemOf(given: Record<string, unknown>, declared: JsonSchema[]): string | null {
  for (const [name, value] of Object.entries(valuesByName(textsOf(given), declared))) {
    const schema = declared.find((each) => each.name === name)?.schema;
    if (!schema) return `${name} is not declared`;
    const problem = validator.problemBySchema(schema, value);
    if (problem) return `${name} ${problem}`;
  }
  return null;
}

/** The same objects, except that half of them have a random value in one field. */
function oftenAltered(allowed: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const anything = fc.oneof(
    ...[fc.string(), fc.string({ unit: anyCharacter }), fc.integer(), fc.double(), fc.boolean()],
    ...[fc.constant(null), fc.constant(undefined), fc.emailAddress(), fc.uuid()],
    ...[fc.array(fc.string()), fc.jsonValue(), fc.constantFrom("", "0", "200", "201", " 1", "1e2")],
  );
  return fc.tuple(allowed, fc.nat(), anything, fc.boolean()).map(([value, which, other, alter]) => {
    const names = Object.keys(value as object);
    if (!alter || names.length === 0) return value;
    // The value is converted to JSON and back, because JSON omits undefined properties and turns -0
    // into 0.
    return JSON.parse(JSON.stringify({ ...value as object, [names[which % names.length]]: other }));
  });
}

/** Applies the `trimmed` rule to all string properties. */
function trimmed(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map((
      [name, item],
    ) => [name, typeof item === "string" && item.trim() !== "" ? item.trim() : item]),
  );
}
