// Tests the rules for breaking changes. Each test makes one change to a small OpenAPI document.
import assert from "node:assert/strict";
import { breakingChanges } from "../../generate/released/breaking_changes.ts";
import type { JsonSchema } from "../../generate/openapi/json_schema.ts";

const Thing: JsonSchema = {
  type: "object",
  properties: {
    id: { type: "string", format: "uuid" },
    name: { type: ["string", "null"], maxLength: 10 },
    colour: { type: "string", enum: ["red", "blue"] },
    size: { type: "integer", minimum: 0, maximum: 9 },
    tags: { type: "array", items: { type: "string", pattern: "^a" }, maxItems: 3 },
    extra: { type: "object", additionalProperties: { type: "string" } },
  },
  required: ["id", "name", "colour"],
};
const NewThing: JsonSchema = {
  type: "object",
  properties: {
    name: { type: ["string", "null"], maxLength: 10 },
    colour: { type: "string", enum: ["red", "blue"] },
    size: { type: "number", minimum: 0, multipleOf: 0.5, default: 1 },
    tags: { type: "array", items: { type: "string", pattern: "^a" }, maxItems: 3 },
  },
  required: ["colour"],
  additionalProperties: false,
};
const error = (code: string, more: JsonSchema = {}): JsonSchema => ({
  type: "object",
  properties: { error: { type: "string", enum: ["No"] }, code: { const: code }, ...more },
  required: ["error", "code", ...Object.keys(more)],
});
const answer = (schema: JsonSchema, headers: JsonSchema = {}) => ({
  headers,
  content: { "application/json": { schema } },
});
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const DOCUMENT: JsonSchema = {
  openapi: "3.1.0",
  paths: {
    "/things": {
      get: {
        operationId: "listThings",
        security: [{ bearer: ["read"] }, { apiKey: ["read"] }],
        parameters: [
          { name: "limit", in: "query", schema: { type: "integer", maximum: 200, default: 50 } },
          { name: "thing_id", in: "query", schema: { type: "string", format: "uuid" } },
          { name: "q", in: "query", schema: { type: "string" } },
          { name: "X-Colour", in: "header", schema: { type: "string", enum: ["red"] } },
        ],
        responses: {
          200: answer({
            type: "object",
            properties: { data: { type: "array", items: ref("Thing") } },
            required: ["data"],
          }, { "X-Id": { required: true, schema: { type: "string", pattern: "^x" } } }),
          404: answer({ oneOf: [ref("NotFound"), ref("Gone")] }),
        },
      },
      post: {
        operationId: "createThing",
        security: [{ bearer: ["write"] }],
        requestBody: {
          content: {
            "application/json": { schema: ref("NewThing") },
            "application/merge-patch+json": { schema: ref("NewThing") },
          },
        },
        responses: { 201: answer({ anyOf: [ref("Thing"), ref("Refused")] }), 204: {} },
      },
    },
    "/things/{id}": {
      parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
      get: { operationId: "getThing", responses: { 200: answer(ref("Thing")), 304: {} } },
    },
  },
  components: {
    schemas: {
      ...{ Thing, NewThing, NotFound: error("not_found", { id: { type: "string" } }) },
      Gone: error("gone"),
      Refused: {
        type: "object",
        properties: { success: { const: false }, why: { type: "string" } },
        required: ["success", "why"],
      },
    },
  },
};

/** The differences that the comparison finds after this change to the document. */
function changes(bend: Bend) {
  const bent = structuredClone(DOCUMENT);
  bend(bent);
  return breakingChanges(DOCUMENT, bent);
}

type Bend = (document: JsonSchema) => void;
const list = ({ paths }: JsonSchema) => paths["/things"].get;
const create = ({ paths }: JsonSchema) => paths["/things"].post;
const thing = ({ components }: JsonSchema) => components.schemas.Thing;
const newThing = ({ components }: JsonSchema) => components.schemas.NewThing;
const field = (name: string, change: JsonSchema): Bend => (d) =>
  Object.assign(thing(d).properties[name], change);
const input = (name: string, change: JsonSchema): Bend => (d) =>
  Object.assign(newThing(d).properties[name], change);
const parameter = (at: number, change: JsonSchema): Bend => (d) =>
  Object.assign(list(d).parameters[at], change);
const value = (at: number, change: JsonSchema): Bend => (d) =>
  Object.assign(list(d).parameters[at].schema, change);
const part = ({ components }: JsonSchema, name: string) => components.schemas[name];

const BREAKING: Record<string, Bend | Bend[]> = {
  "`listThings` is removed.": ({ paths }) => delete paths["/things"].get,
  "`getThing` is removed.": ({ paths }) => delete paths["/things/{id}"],
  "`listThings` now has the operationId findThings.": (d) => list(d).operationId = "findThings",
  "`listThings` no longer accepts bearer with the scope read.": (d) =>
    list(d).security[0].bearer = ["read", "write"],
  "`listThings` no longer accepts apiKey with the scope read.": (d) => list(d).security.pop(),
  "`getThing` no longer accepts callers without a key.": ({ paths }) =>
    paths["/things/{id}"].get.security = [{ bearer: [] }],
  "`listThings.q` is no longer accepted.": (d) => list(d).parameters.splice(2, 1),
  "`listThings.q` is now required.": parameter(2, { required: true }),
  "`listThings.new` is now required.": (d) =>
    list(d).parameters.push({ name: "new", in: "query", required: true, schema: {} }),
  "`listThings.limit` must now match maximum 100.": value(0, { maximum: 100 }),
  "`listThings.limit` no longer has the default 50.": value(0, { default: 20 }),
  "`listThings.limit` no longer accepts number.": value(0, { type: "string" }),
  '`listThings.X-Colour` no longer accepts "red".': value(3, { enum: ["blue"] }),
  "`listThings.q` is now split at commas.": parameter(2, {
    ...{ style: "form", explode: false, schema: { type: "array", items: { type: "string" } } },
  }),
  "`listThings.q` has a different serialization.": value(2, {
    type: "array",
    items: { type: "string" },
  }),
  "`createThing` now needs a body.": (d) => create(d).requestBody.required = true,
  "`createThing` no longer accepts application/merge-patch+json.": (d) =>
    delete create(d).requestBody.content["application/merge-patch+json"],
  "`NewThing.size` is no longer accepted.": [
    (d) => delete newThing(d).properties.size,
    ({ components: { schemas } }) => {
      // The same schema written differently: it combines two subschemas and forbids other
      // properties.
      const { size: _, ...properties } = schemas.NewThing.properties;
      schemas.Base = { type: "object", properties, required: ["colour"] };
      schemas.NewThing = { allOf: [ref("Base")], unevaluatedProperties: false };
    },
  ],
  "`NewThing.name` is now required.": (d) => newThing(d).required.push("name"),
  '`NewThing.colour` no longer accepts "blue".': [
    input("colour", { enum: ["red", "green"] }),
    (d) => newThing(d).properties.colour = { allOf: [{ type: "string" }, { const: "red" }] },
  ],
  "`NewThing.name` no longer accepts null.": input("name", { type: "string" }),
  "`NewThing.name` must now match maxLength 9.": input("name", { maxLength: 9 }),
  "`NewThing.name` must now match minLength 1.": input("name", { minLength: 1 }),
  "`NewThing.name` must now match format uuid.": input("name", { format: "uuid" }),
  '`NewThing.name` now accepts only "a".': input("name", { enum: ["a", null] }),
  "`NewThing.size` must now match integer true.": input("size", { type: "integer" }),
  "`NewThing.size` must now match multipleOf 0.75.": input("size", { multipleOf: 0.75 }),
  "`NewThing.size` must now match minimum 1.": input("size", { minimum: 1 }),
  "`NewThing.size` must now match exclusiveMinimum 0.": input("size", { exclusiveMinimum: 0 }),
  "`NewThing.tags[]` must now match the pattern ^ab.": input("tags", {
    items: { type: "string", pattern: "^ab" },
  }),
  "`NewThing.tags` must now match uniqueItems true.": input("tags", { uniqueItems: true }),
  '`NewThing` must now match dependentSchemas: {"size":{"required":["name"]}}.': (d) =>
    newThing(d).dependentSchemas = { size: { required: ["name"] } },
  "`NewThing` must now match minProperties 2.": (d) => newThing(d).minProperties = 2,
  "`Thing.size` is removed.": (d) => delete thing(d).properties.size,
  "`Thing.id` is removed.": (d) => {
    delete thing(d).properties.id;
    thing(d).required.shift();
  },
  "`Thing.id` is no longer always present.": (d) => thing(d).required.shift(),
  "`Thing.size` may also be null.": [
    field("size", { type: ["integer", "null"] }),
    (d) => thing(d).properties.size = { oneOf: [thing(d).properties.size, { type: "null" }] },
  ],
  "`Thing.id` may also be number.": field("id", { type: ["string", "number"] }),
  "`Thing.size` no longer matches integer true.": field("size", { type: "number" }),
  "`Thing.size` no longer matches maximum 9.": field("size", { maximum: 10 }),
  "`Thing.size` no longer matches minimum 0.": (d) => delete thing(d).properties.size.minimum,
  '`Thing.colour` may also be "green".': field("colour", { enum: ["red", "green"] }),
  '`Thing.colour` may now be a value other than "red", "blue".': (d) =>
    delete thing(d).properties.colour.enum,
  "`Thing.id` no longer matches format uuid.": (d) => delete thing(d).properties.id.format,
  "`Thing.tags[]` no longer matches the pattern ^a.": (d) =>
    delete thing(d).properties.tags.items.pattern,
  "`Thing.extra.*` may also be number.": field("extra", {
    additionalProperties: { type: ["string", "number"] },
  }),
  "`createThing` may also have the form Other.": (d) => {
    d.components.schemas.Other = { type: "object", properties: { ok: { const: true } } };
    create(d).responses[201].content["application/json"].schema.anyOf.push(ref("Other"));
  },
  "`Refused.why` is no longer always present.": (d) => part(d, "Refused").required.pop(),
  "`Refused.success` may also be true.": (d) =>
    part(d, "Refused").properties.success = { type: "boolean" },
  "`createThing` no longer returns 201.": (d) => {
    create(d).responses = { 204: {} };
  },
  "`getThing` no longer returns 304.": ({ paths }) =>
    delete paths["/things/{id}"].get.responses[304],
  "`createThing` may also return 202.": (d) => create(d).responses[202] = {},
  "`getThing` no longer returns application/json.": ({ paths }) => {
    paths["/things/{id}"].get.responses[200].content = { "text/plain": {} };
  },
  "`listThings.X-Id` is removed.": (d) => list(d).responses[200].headers = {},
  "`listThings.X-Id` is no longer always present.": (d) =>
    list(d).responses[200].headers["X-Id"].required = false,
  "`listThings.X-Id` no longer matches the pattern ^x.": (d) =>
    list(d).responses[200].headers["X-Id"].schema = { type: "string" },
  "`listThings` no longer returns the error gone.": (d) =>
    list(d).responses[404] = answer(ref("NotFound")),
  "`listThings` now returns the error gone with 410, not 404.": (d) => {
    list(d).responses[404] = answer(ref("NotFound"));
    list(d).responses[410] = answer(ref("Gone"));
  },
  "`NotFound.id` is no longer always present.": (d) => part(d, "NotFound").required.pop(),
  "`NotFound.id` may also be null.": (d) =>
    part(d, "NotFound").properties.id.type = ["string", "null"],
};

for (const [told, bends] of Object.entries(BREAKING)) {
  Deno.test(`a change that can break a caller: ${told.replaceAll("`", "")}`, () => {
    for (const bend of [bends].flat()) assert.deepEqual(changes(bend), [told]);
  });
}

const HARMLESS: Record<string, Bend> = {
  "nothing": () => {},
  "the new parameter `fields` limits the fields of a returned record": (d) => {
    const { required: _, ...part } = thing(d);
    d.components.schemas.ThingPart = part;
    const { data } = list(d).responses[200].content["application/json"].schema.properties;
    data.items = { anyOf: [ref("Thing"), ref("ThingPart")] };
    list(d).parameters.push({ name: "fields", in: "query", schema: {} });
  },
  "an operation is added": ({ paths }) => paths["/others"] = { get: list(DOCUMENT) },
  "a path parameter is renamed": ({ paths }) => {
    paths["/things/{thing}"] = paths["/things/{id}"];
    delete paths["/things/{id}"];
    paths["/things/{thing}"].parameters[0].name = "thing";
  },
  "a scope is no longer needed": (d) => list(d).security[0].bearer = [],
  "an operation accepts another authentication scheme": (d) =>
    create(d).security.push({ apiKey: ["write"] }),
  "an optional parameter is added": (d) =>
    list(d).parameters.push({ name: "sort", in: "query", schema: {} }),
  "a request header is written in lower case": parameter(3, { name: "x-colour" }),
  "a parameter that accepted one id now accepts a comma-separated list of ids": parameter(1, {
    ...{ style: "form", explode: false },
    schema: { type: "array", minItems: 1, items: { type: "string", format: "uuid" } },
  }),
  "an optional request field is added": (d) => newThing(d).properties.new = {},
  "a field is no longer required": (d) => newThing(d).required = [],
  "a request accepts one more value": input("colour", { enum: ["blue", "green", "red"] }),
  "a request accepts any string": (d) => newThing(d).properties.colour = { type: "string" },
  "a request accepts longer strings": input("name", { maxLength: 11 }),
  "a request accepts numbers with smaller steps": input("size", { multipleOf: 0.25 }),
  "a request accepts unknown fields": (d) => delete newThing(d).additionalProperties,
  "a body of another content type is accepted": (d) =>
    create(d).requestBody.content["text/csv"] = {},
  "a response field is added": (d) => {
    thing(d).properties.new = { type: "string" };
    thing(d).required.push("new");
  },
  "a field is always present": (d) => thing(d).required.push("size"),
  "a field is never null": field("name", { type: "string" }),
  "a response can no longer contain a value": field("colour", { enum: ["red"] }),
  "a response follows one more rule": field("id", { pattern: "^[0-9a-f]" }),
  "a response no longer has one of its forms": (d) =>
    create(d).responses[201].content["application/json"].schema = ref("Thing"),
  "an error is added": (d) => {
    list(d).responses[404].content["application/json"].schema.oneOf.push(error("other"));
    list(d).responses[429] = answer(error("too_many"));
  },
  "an error has another message and one more property": ({ components }) => {
    components.schemas.Gone = error("gone", { since: { type: "string" } });
    components.schemas.Gone.properties.error = { type: "string" };
  },
  "a response header is added": (d) => list(d).responses[200].headers.ETag = { schema: {} },
  "a 304 response is added": (d) => list(d).responses[304] = {},
  "descriptions and examples change": (d) => {
    list(d).description = "New";
    thing(d).properties.id.description = "New";
    thing(d).properties.id.examples = ["x"];
    thing(d).properties.id.deprecated = true;
    d.info = { version: "3" };
  },
  "a schema replaces the reference to it": (d) =>
    create(d).requestBody.content["application/json"].schema = structuredClone(NewThing),
  "a schema becomes a component": (d) => {
    d.components.schemas.Name = thing(d).properties.name;
    thing(d).properties.name = ref("Name");
  },
  "a schema is written in another form": (d) => {
    const { properties } = thing(d);
    properties.colour = { anyOf: [{ const: "blue" }, { const: "red", type: "string" }] };
    properties.name = { oneOf: [{ type: "null" }, { type: "string", maxLength: 10 }] };
    properties.size = { allOf: [{ type: "integer", minimum: 0 }, { maximum: 9 }] };
    properties.extra = { type: "object", additionalProperties: { type: ["string"] } };
    newThing(d).properties.colour = { oneOf: [{ enum: ["red"] }, { enum: ["blue"] }] };
  },
  "two parts replace one schema, and no other field is allowed": ({ components: { schemas } }) => {
    const { size, ...properties } = schemas.NewThing.properties;
    schemas.Base = { type: "object", properties, required: ["colour"] };
    schemas.NewThing = {
      allOf: [ref("Base"), { type: "object", properties: { size } }],
      unevaluatedProperties: false,
    };
  },
};

for (const [what, bend] of Object.entries(HARMLESS)) {
  Deno.test(`a change that breaks no caller: ${what}`, () => {
    assert.deepEqual(changes(bend), []);
  });
}

Deno.test("the comparison ends even if a schema contains itself", () => {
  const within = (type: string): JsonSchema => ({
    ...DOCUMENT,
    components: {
      schemas: {
        ...DOCUMENT.components.schemas,
        Thing: {
          type: "object",
          properties: { parts: { type: "array", items: ref("Thing") }, id: { type } },
        },
      },
    },
  });
  assert.deepEqual(breakingChanges(within("string"), within("string")), []);
  assert.deepEqual(breakingChanges(within("string"), within("integer")), [
    "`Thing.id` may also be number.",
  ]);
});

Deno.test("an unresolvable reference is an error, not a change", () => {
  const broken = structuredClone(DOCUMENT);
  delete broken.components.schemas.Thing;
  assert.throws(() => breakingChanges(DOCUMENT, broken), /no #\/components\/schemas\/Thing/);
});
