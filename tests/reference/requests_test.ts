// Both ways: a request that the description allows, the functions' schemas take; a request that the schemas
// take, the description allows. The rules that JSON Schema cannot say have tests of their own.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import { describedPath, FUNCTIONS } from "../../reference/functions.ts";
import type { JsonSchema } from "../../reference/json_schema.ts";
import openApi from "../../supabase/functions/gateway/openapi.json" with { type: "json" };
import { Schemas } from "../support/json_schemas.ts";
import { valuesOf } from "../support/schema_values.ts";

const document: JsonSchema = openApi;
const schemas = new Schemas(document);

/** Each schema of a request, with where the document has it. */
const REQUESTS = FUNCTIONS.flatMap((api) =>
  api.operations.flatMap((operation) => {
    const path = ["paths", describedPath(api, operation), operation.method.toLowerCase()];
    const described = path.reduce((at, key) => at[key], document);
    const body = operation.body && {
      name: `the body of ${operation.id}`,
      zod: operation.body,
      place: [...path, "requestBody", "content", "application/json", "schema"],
    };
    const query = operation.query && {
      name: `the parameters of ${operation.id}`,
      zod: operation.query,
      parameters: (described.parameters as JsonSchema[]).filter((each) => each.in === "query"),
    };
    return [body, query].flatMap((each) => each ?? []);
  })
);

const NUM_RUNS = 150;

for (const request of REQUESTS) {
  Deno.test(`the schemas take ${request.name} as the description allows it`, () => {
    const allowed = "place" in request
      ? valuesOf(at(request.place), document)
      : parameters(request.parameters);
    fc.assert(
      fc.property(allowed, (value) => {
        const { success, error } = request.zod.safeParse(value);
        assert.ok(success, `${JSON.stringify(value)}: ${error}`);
      }),
      { numRuns: NUM_RUNS },
    );
  });

  Deno.test(`the description allows ${request.name} as the schemas take it`, () => {
    const isAllowed = "place" in request
      ? (value: unknown) => schemas.problem(request.place, trimmed(value))
      : (value: unknown) => problemOf(value as Record<string, string>, request.parameters);
    const good = "place" in request
      ? valuesOf(at(request.place), document)
      : parameters(request.parameters);
    let taken = 0;
    fc.assert(
      fc.property(bent(good), (value) => {
        if (!request.zod.safeParse(value).success) return;
        taken++;
        assert.equal(isAllowed(value), null, JSON.stringify(value));
      }),
      { numRuns: NUM_RUNS },
    );
    assert.ok(taken > 0, "nothing was taken");
  });
}

Deno.test("every limit of the description is the limit of the schemas", () => {
  let limits = 0;
  for (const request of REQUESTS) {
    if (!("place" in request)) continue;
    const path: string[] = at(request.place).$ref.split("/").slice(1);
    const schema = path.reduce((at, key) => at[key], document);
    const issueOf = (name: string, value: unknown) =>
      request.zod.safeParse({ [name]: value }).error?.issues.some((issue) =>
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

/** A value at each limit of a field, and one beyond. */
function atLimits(field: JsonSchema): [unknown, unknown][] {
  const text = (length: number) =>
    field.format === "idn-email" ? `${"a".repeat(64)}@${domain(length - 65)}` : "x".repeat(length);
  const items = (length: number) => Array.from({ length }, (_, at) => `${at % 50}`);
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

/** A domain of this length. */
function domain(length: number): string {
  return `${"b".repeat(60)}.`.repeat(4) + "c".repeat(length - 244);
}

function at(place: string[]): JsonSchema {
  return place.reduce((at, key) => at[key], document);
}

/** Parameters as they come, which is as texts; no cursor, because only a page gives one. */
function parameters(declared: JsonSchema[]): fc.Arbitrary<Record<string, string>> {
  const others = declared.filter(({ name }) => name !== "cursor");
  return fc.record(
    Object.fromEntries(
      others.map(({ name, schema }) => [name, valuesOf(schema, document).map(String)]),
    ),
    { requiredKeys: [] },
  ) as fc.Arbitrary<Record<string, string>>;
}

function problemOf(values: Record<string, string>, declared: JsonSchema[]): string | null {
  for (const [name, value] of Object.entries(values)) {
    const schema = declared.find((each) => each.name === name)?.schema;
    if (!schema) return `${name} is not declared`;
    const read = schema.type === "integer" && /^\d+$/.test(value) ? Number(value) : value;
    const problem = schemas.problemOf(schema, read);
    if (problem) return `${name} ${problem}`;
  }
  return null;
}

/** Mostly right values, one member of which may be anything. */
function bent(good: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const anything = fc.oneof(
    ...[fc.string(), fc.string({ unit: "binary" }), fc.integer(), fc.double(), fc.boolean()],
    ...[fc.constant(null), fc.constant(undefined), fc.emailAddress(), fc.uuid()],
    ...[fc.array(fc.string()), fc.jsonValue(), fc.constantFrom("", "0", "200", "201", " 1", "1e2")],
  );
  return fc.tuple(good, fc.nat(), anything, fc.boolean()).map(([value, which, other, isBent]) => {
    const names = Object.keys(value as object);
    if (!isBent || names.length === 0) return value;
    // As it arrives: what JSON cannot say is not sent.
    return JSON.parse(JSON.stringify({ ...value as object, [names[which % names.length]]: other }));
  });
}

/** The rule `trimmed`, for texts that no rule keeps to the byte. */
function trimmed(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map((
      [name, item],
    ) => [name, typeof item === "string" && item.trim() !== "" ? item.trim() : item]),
  );
}
