// The API's own document, bent at random: a bend that can break a caller is always found, and one that cannot is not.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import { breakingChanges } from "../../reference/breaking_changes.ts";
import type { JsonSchema } from "../../reference/json_schema.ts";
import { resolved } from "../../reference/references.ts";
import { recordedRelease } from "../../reference/recorded_release.ts";
import openApi from "../../supabase/functions/gateway/openapi.json" with { type: "json" };

const DOCUMENT = recordedRelease(openApi, "0.0.0");

/** A place of an operation, in a document of its own that may be bent. */
interface Places {
  document: JsonSchema;
  path: string;
  method: string;
  operation: JsonSchema;
  /** The schemas that only requests use, and those that only answers do. */
  request: JsonSchema[];
  answer: JsonSchema[];
}

/** What may be bent of an operation. Nothing of it is shared with another document. */
function placesOf(path: string, method: string): Places {
  const { openapi, paths, components } = DOCUMENT;
  const document: JsonSchema = structuredClone({
    ...{ openapi, components, paths: { [path]: { [method]: paths[path][method] } } },
  });
  const operation = document.paths[path][method];
  const at = (value: JsonSchema): JsonSchema => resolved(value, document);
  operation.parameters = operation.parameters.map((each: JsonSchema) => structuredClone(at(each)));
  operation.responses = Object.fromEntries(
    Object.entries<JsonSchema>(operation.responses)
      .map(([status, each]) => [status, structuredClone(at(each))]),
  );
  const schemas = (content: JsonSchema = {}) =>
    Object.values<JsonSchema>(content).map(({ schema }) => schema);
  const reached = (roots: JsonSchema[]) => {
    const found = new Set<JsonSchema>();
    const visit = (each: JsonSchema | boolean) => {
      if (typeof each === "boolean") return;
      const schema = at(each);
      if (found.has(schema)) return;
      found.add(schema);
      const { properties = {}, items, additionalProperties, anyOf = [], oneOf = [] } = schema;
      Object.values<JsonSchema>(properties).forEach(visit);
      [items, additionalProperties, ...anyOf, ...oneOf].filter(Boolean).forEach(visit);
    };
    roots.forEach(visit);
    return found;
  };
  const successes = Object.entries<JsonSchema>(operation.responses)
    .filter(([status]) => status < "300");
  const request = reached([
    ...schemas(operation.requestBody?.content),
    ...operation.parameters.map(({ schema }: JsonSchema) => schema),
  ]);
  const answer = reached(successes.flatMap(([, { content }]) => schemas(content)));
  return {
    ...{ document, path, method, operation },
    request: [...request].filter((each) => !answer.has(each)),
    answer: [...answer].filter((each) => !request.has(each)),
  };
}

/** Bends at one of the places; false when there is none for it. */
type Bend = (places: Places, pick: <Each>(list: Each[]) => Each | undefined) => unknown;

/** A bend at one of the schemas of a request or an answer. */
function at(
  way: "request" | "answer",
  isFor: (schema: JsonSchema) => unknown,
  bend: (schema: JsonSchema, pick: <Each>(list: Each[]) => Each) => void,
): Bend {
  return (places, pick) => {
    const schema = pick(places[way].filter(isFor));
    if (!schema) return false;
    bend(schema, (list) => pick(list)!);
  };
}
const has = (...keywords: string[]) => (schema: JsonSchema) =>
  keywords.every((each) => schema[each] !== undefined);
const isText = ({ type, enum: values, const: value }: JsonSchema) =>
  [type].flat().includes("string") && values === undefined && value === undefined;
const isPlain = ({ type }: JsonSchema) => typeof type === "string" && type !== "object";
const isNullable = ({ type }: JsonSchema) => Array.isArray(type) && type.includes("null");
const names = ({ properties = {} }: JsonSchema) => Object.keys(properties);
const isObject = (schema: JsonSchema) => schema.type === "object" && names(schema).length > 0;
const plainFields = ({ properties = {} }: JsonSchema) =>
  Object.values<JsonSchema>(properties).filter((each) => isPlain(each) && !each.anyOf);
const without = (schema: JsonSchema, name: string) => {
  delete schema.properties[name];
  schema.required = schema.required?.filter((each: string) => each !== name);
};

const BREAKING: Record<string, Bend> = {
  "the operation is gone": ({ document, path, method }) => delete document.paths[path][method],
  "another scope is needed": ({ operation }) => {
    if (operation.security.length === 0) operation.security = [{ bearer: ["read"] }];
    else for (const way of operation.security) way[Object.keys(way)[0]].push("other");
  },
  "a parameter is gone": ({ operation }, pick) => {
    const parameter = pick(operation.parameters as JsonSchema[]);
    operation.parameters = operation.parameters.filter((each: JsonSchema) => each !== parameter);
  },
  "a parameter is required": ({ operation }, pick) => {
    const parameter = pick((operation.parameters as JsonSchema[]).filter((each) => !each.required));
    return parameter ? parameter.required = true : false;
  },
  "a required parameter is new": ({ operation }) =>
    operation.parameters.push({ name: "new", in: "query", required: true, schema: {} }),
  "a status of a success is gone": ({ operation }, pick) => {
    const statuses = Object.keys(operation.responses).filter((status) => status < "300");
    delete operation.responses[pick(statuses)!];
  },
  "an error is gone": ({ operation }, pick) => {
    const statuses = Object.keys(operation.responses).filter((status) => status >= "400");
    delete operation.responses[pick(statuses)!];
  },
  "a header that was always there is not": ({ operation }, pick) => {
    const answer = pick(Object.values<JsonSchema>(operation.responses))!;
    delete answer.headers["X-Request-Id"];
  },
  "a content type is no longer taken": ({ operation }, pick) => {
    const types = Object.keys(operation.requestBody?.content ?? {});
    return types.length > 0 && delete operation.requestBody.content[pick(types)!];
  },
  "a field of a request is gone": at(
    "request",
    (schema) => isObject(schema) && schema.additionalProperties === false,
    (schema, pick) => without(schema, pick(names(schema))),
  ),
  "a field of a request is required": at(
    "request",
    (schema) => isObject(schema) && names(schema).length > (schema.required ?? []).length,
    (schema, pick) => {
      const { required = [] } = schema;
      schema.required = [
        ...required,
        pick(names(schema).filter((name) => !required.includes(name))),
      ];
    },
  ),
  "a value is no longer taken": at(
    "request",
    has("enum"),
    (schema, pick) => {
      const gone = pick(schema.enum);
      schema.enum = schema.enum.filter((each: unknown) => each !== gone);
    },
  ),
  "null is no longer taken": at("request", isNullable, (schema) => {
    schema.type = schema.type.filter((each: string) => each !== "null");
    if (schema.enum) schema.enum = schema.enum.filter((each: unknown) => each !== null);
  }),
  "a text is shorter": at("request", (schema) => isText(schema) && !schema.format, (schema) => {
    schema.maxLength = (schema.maxLength ?? 100) - 1;
  }),
  "a text has a pattern": at("request", (schema) => isText(schema), (schema) => {
    schema.pattern = "^z";
  }),
  "a list is shorter": at("request", has("items", "maxItems"), (schema) => schema.maxItems--),
  "a number is smaller": at("request", has("maximum"), (schema) => schema.maximum--),
  "a request takes another type": at(
    "request",
    (schema) => isPlain(schema) && !schema.anyOf,
    (schema) => schema.type = schema.type === "boolean" ? "string" : "boolean",
  ),
  "a field of an answer is gone": at(
    "answer",
    isObject,
    (schema, pick) => without(schema, pick(names(schema))),
  ),
  "a field of an answer is not always there": at(
    "answer",
    (schema) => isObject(schema) && schema.required?.length > 0,
    (schema, pick) => {
      const name = pick(schema.required);
      schema.required = schema.required.filter((each: string) => each !== name);
    },
  ),
  "a field of an answer may be null": at(
    "answer",
    (schema) => plainFields(schema).length > 0,
    (schema, pick) => {
      const field = pick(plainFields(schema));
      field.type = [field.type, "null"];
      if ("const" in field) {
        field.enum = [field.const, null];
        delete field.const;
      } else if (field.enum) field.enum.push(null);
    },
  ),
  "an answer has one more value": at(
    "answer",
    (schema) => schema.enum && [schema.type].flat().includes("string"),
    (schema) => schema.enum.push("new"),
  ),
  "an answer has longer texts": at("answer", has("maxLength"), (schema) => schema.maxLength++),
  "an answer has longer lists": at("answer", has("maxItems"), (schema) => schema.maxItems++),
  "an answer has any text": at(
    "answer",
    (schema) => isText(schema) && schema.pattern,
    (schema) => delete schema.pattern,
  ),
  "an answer has texts of no format": at(
    "answer",
    (schema) => isText(schema) && schema.format,
    (schema) => delete schema.format,
  ),
  "an answer has greater numbers": at("answer", has("maximum"), (schema) => delete schema.maximum),
};

const HARMLESS: Record<string, Bend> = {
  "an operation is new": ({ document }) => document.paths["/new"] = { get: { responses: {} } },
  "no scope is needed": ({ operation }) => operation.security.push({}),
  "an optional parameter is new": ({ operation }) =>
    operation.parameters.push({ name: "new", in: "query", schema: { type: "string" } }),
  "the parameters have another order": ({ operation }) => operation.parameters.reverse(),
  "a header is new": ({ operation }, pick) => {
    pick(Object.values<JsonSchema>(operation.responses))!.headers.New = { schema: {} };
  },
  "an error is new": ({ operation }) => {
    const schema = { type: "object", properties: { code: { const: "new" } }, required: ["code"] };
    operation.responses[418] = { content: { "application/json": { schema } } };
  },
  "a field of a request is new": at(
    "request",
    isObject,
    (schema) => schema.properties.new = { type: "string" },
  ),
  "a field of a request is not required": at(
    "request",
    has("required"),
    (schema) => delete schema.required,
  ),
  "a request takes one more value": at("request", has("enum"), (schema) => schema.enum.push("new")),
  "a request takes longer texts": at(
    "request",
    has("maxLength"),
    (schema) => delete schema.maxLength,
  ),
  "a request takes null": at("request", (schema) => isPlain(schema) && !schema.anyOf, (schema) => {
    schema.type = [schema.type, "null"];
    if (schema.enum) schema.enum.push(null);
  }),
  "a field of an answer is new": at("answer", isObject, (schema) => {
    schema.properties.new = { type: "string" };
    schema.required = [...schema.required ?? [], "new"];
  }),
  "a value no longer comes": at("answer", (schema) => schema.enum?.length > 1, (schema, pick) => {
    const gone = pick(schema.enum);
    schema.enum = schema.enum.filter((each: unknown) => each !== gone);
  }),
  "an answer has shorter texts": at("answer", has("maxLength"), (schema) => schema.maxLength--),
  "an answer is never null": at("answer", isNullable, (schema) => {
    schema.type = schema.type.filter((each: string) => each !== "null");
  }),
  "an answer keeps to a pattern": at("answer", (schema) => isText(schema) && !schema.pattern, (
    schema,
  ) => schema.pattern = "^z"),
  "a schema is a part of all": at("answer", isPlain, (schema) => {
    const own = { ...schema };
    for (const name of Object.keys(schema)) delete schema[name];
    schema.allOf = [own];
  }),
  "prose": at("answer", () => true, (schema) => {
    schema.description = "New";
    schema.examples = [1];
  }),
};

const OPERATIONS = Object.entries<JsonSchema>(DOCUMENT.paths).flatMap(([path, item]) =>
  Object.keys(item).map((method) => [path, method])
);

/** Bends an operation at random and compares it with itself; null when it has no place for the bend. */
function changesBy(bend: Bend, [path, method]: string[], seed: number): string[] | null {
  const after = placesOf(path, method);
  const before = { ...DOCUMENT, paths: { [path]: { [method]: DOCUMENT.paths[path][method] } } };
  const pick = <Each>(list: Each[]) => list[seed % Math.max(list.length, 1)];
  return bend(after, pick) === false ? null : breakingChanges(before, after.document);
}

const anyOperation = fc.constantFrom(...OPERATIONS);
const NUM_RUNS = 8;

for (const [what, bend] of Object.entries(BREAKING)) {
  Deno.test(`in the API's document, it is found that ${what}`, () => {
    fc.assert(
      fc.property(anyOperation, fc.nat(), (operation, seed) => {
        const changes = changesBy(bend, operation, seed);
        // Not counted as a run; when no operation ever has a place, the test fails.
        fc.pre(changes !== null);
        assert.notDeepEqual(changes, []);
      }),
      { numRuns: NUM_RUNS },
    );
  });
}

for (const [what, bend] of Object.entries(HARMLESS)) {
  Deno.test(`in the API's document, it breaks nobody when this changes: ${what}`, () => {
    fc.assert(
      fc.property(anyOperation, fc.nat(), (operation, seed) => {
        assert.deepEqual(changesBy(bend, operation, seed) ?? [], []);
      }),
      { numRuns: NUM_RUNS },
    );
  });
}

Deno.test("an operation is the same as itself, with references or without", () => {
  for (const [path, method] of OPERATIONS) {
    assert.deepEqual(changesBy(() => true, [path, method], 0), []);
  }
});
