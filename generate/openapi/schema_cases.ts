import type { JsonSchema } from "./json_schema.ts";
import { referred } from "./references.ts";

// Expands a schema into a list of cases. Each case has one type, and all rules of the schema for
// that type. A value is allowed if at least one case allows the value. Schemas with the same
// meaning but different keywords ($ref, allOf, anyOf, type arrays, const) have the same cases.

/** A schema, or true (everything) or false (nothing). */
export type Schema = JsonSchema | boolean;

export type Type = "null" | "boolean" | "number" | "string" | "array" | "object";
const TYPES: Type[] = ["null", "boolean", "number", "string", "array", "object"];

/** The values of one type that a schema allows. */
export interface Case {
  type: Type;
  /**
   * The name of the component that contains the case. If components are nested, this is the name of
   * the innermost component.
   */
  name?: string;
  /** The values, if the schema lists them. The values of null and boolean are always listed. */
  values?: unknown[];
  /** Keywords whose value is a number, a string or a boolean, such as `maxLength` and `format`. */
  limits: Record<string, number | string | boolean>;
  patterns: string[];
  items?: Schema;
  properties: Record<string, Schema>;
  patternProperties: Record<string, Schema>;
  required: string[];
  /** The schema of properties that have no entry in `properties`. */
  others: Schema;
  /** Keywords that are compared only as a whole, as JSON. */
  conditions: string[];
}

/** Keywords that apply only to values of one type. */
const LIMITS_OF: Record<Type, string[]> = {
  null: [],
  boolean: [],
  number: ["maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "multipleOf", "format"],
  string: ["maxLength", "minLength", "format", "contentEncoding"],
  array: ["maxItems", "minItems", "uniqueItems"],
  object: ["maxProperties", "minProperties"],
};
/** Upper bounds. If two schemas are combined, the smaller value applies. */
export const UPPER = [
  "maxLength",
  "maxItems",
  "maxProperties",
  "maximum",
  "exclusiveMaximum",
];
/** Lower bounds. If two schemas are combined, the greater value applies. */
export const LOWER = [
  "minLength",
  "minItems",
  "minProperties",
  "minimum",
  "exclusiveMinimum",
];
/** Keywords that neither allow nor forbid a value. */
const ANNOTATIONS = new Set([
  ...["$comment", "$schema", "$id", "default", "deprecated", "description", "example", "examples"],
  ...["readOnly", "title", "writeOnly", "contentMediaType", "xml", "externalDocs", "discriminator"],
]);
const READ = new Set([
  ...["$ref", "allOf", "anyOf", "oneOf", "type", "enum", "const", "pattern", "items", "properties"],
  ...["patternProperties", "required", "additionalProperties", "unevaluatedProperties"],
  ...Object.values(LIMITS_OF).flat(),
]);

/** Returns the cases of a document's schema. Returns an empty list if the schema allows nothing. */
export function casesOf(schema: Schema, document: JsonSchema): Case[] {
  if (schema === false) return [];
  if (schema === true) return TYPES.map(emptyCase);
  let cases = ownCases(schema);
  const and = (others: Case[]) => cases = cases.flatMap((one) => others.flatMap(merged(one)));
  if (schema.$ref) {
    const [name, target] = referred(schema.$ref, document);
    and(casesOf(target, document).map((each) => ({ ...each, name: each.name ?? name })));
  }
  for (const part of schema.allOf ?? []) and(casesOf(part, document));
  for (const choice of [schema.anyOf, schema.oneOf]) {
    if (choice) and(choice.flatMap((part: Schema) => casesOf(part, document)));
  }
  // `unevaluatedProperties` is applied last, because it concerns the properties that no subschema
  // defines.
  const { unevaluatedProperties } = schema;
  if (unevaluatedProperties === undefined) return cases;
  return cases.map((each) => ({ ...each, others: all(each.others, unevaluatedProperties) }));
}

/** Returns the cases for the schema's own keywords, without its subschemas. */
function ownCases(schema: JsonSchema): Case[] {
  const given: string[] = schema.type === undefined ? TYPES : [schema.type].flat();
  const types = new Set(given.map((type) => type === "integer" ? "number" : type));
  const values = "const" in schema ? [schema.const] : schema.enum;
  const conditions = Object.entries(schema)
    .filter(([name]) => !READ.has(name) && !ANNOTATIONS.has(name) && !name.startsWith("x-"))
    .map(([name, value]) => `${name}: ${canonical(value)}`);
  return TYPES.filter((type) => types.has(type)).flatMap((type) => {
    const listed = values?.filter((value: unknown) => typeOf(value) === type);
    if (listed?.length === 0) return [];
    const own = emptyCase(type);
    const isWhole = type === "number" && given.includes("integer") && !given.includes("number");
    const limits = Object.fromEntries(
      LIMITS_OF[type].filter((name) => schema[name] !== undefined)
        .map((name) => [name, schema[name]]),
    );
    return [{
      ...own,
      values: listed ?? own.values,
      limits: { ...limits, ...(isWhole && { integer: true }) },
      patterns: type === "string" && schema.pattern !== undefined ? [schema.pattern] : [],
      conditions,
      ...(type === "array" && { items: schema.items }),
      ...(type === "object" && {
        properties: schema.properties ?? {},
        patternProperties: schema.patternProperties ?? {},
        required: schema.required ?? [],
        others: schema.additionalProperties ?? true,
      }),
    }];
  });
}

function emptyCase(type: Type): Case {
  return {
    type,
    ...(type === "null" && { values: [null] }),
    ...(type === "boolean" && { values: [true, false] }),
    ...{ limits: {}, patterns: [], properties: {}, patternProperties: {}, required: [] },
    ...{ others: true, conditions: [] },
  };
}

/** Returns a case for the values that both cases allow, if there are any. */
function merged(one: Case): (other: Case) => Case[] {
  return (other) => {
    if (one.type !== other.type) return [];
    const values = one.values && other.values
      ? one.values.filter((value) => other.values!.some((each) => isSame(each, value)))
      : one.values ?? other.values;
    if (values?.length === 0) return [];
    const names = new Set([...Object.keys(one.properties), ...Object.keys(other.properties)]);
    const properties = Object.fromEntries(
      Array.from(names, (name) => [name, all(memberOf(one, name), memberOf(other, name))]),
    );
    return [{
      type: one.type,
      name: one.name ?? other.name,
      values,
      limits: tighter(one.limits, other.limits),
      patterns: [...new Set([...one.patterns, ...other.patterns])],
      items: one.items === undefined || other.items === undefined
        ? one.items ?? other.items
        : all(one.items, other.items),
      properties,
      patternProperties: { ...one.patternProperties, ...other.patternProperties },
      required: [...new Set([...one.required, ...other.required])],
      others: all(one.others, other.others),
      conditions: [...new Set([...one.conditions, ...other.conditions])],
    }];
  };
}

/** Returns the schema of an object's property. */
export function memberOf({ properties, patternProperties, others }: Case, name: string): Schema {
  const byPattern = Object.entries(patternProperties)
    .filter(([pattern]) => new RegExp(pattern, "u").test(name)).map(([, schema]) => schema);
  const own = Object.hasOwn(properties, name) ? [properties[name]] : [];
  const found = [...own, ...byPattern];
  return found.length === 0 ? others : found.reduce(all);
}

function all(one: Schema, other: Schema): Schema {
  if (one === false || other === false) return false;
  if (one === true) return other;
  if (other === true || isSame(one, other)) return one;
  return { allOf: [one, other] };
}

function tighter(one: Case["limits"], other: Case["limits"]): Case["limits"] {
  const result = { ...one };
  for (const [name, value] of Object.entries(other)) {
    const own = result[name];
    if (own === undefined) result[name] = value;
    else if (UPPER.includes(name)) result[name] = Math.min(Number(own), Number(value));
    else if (LOWER.includes(name)) result[name] = Math.max(Number(own), Number(value));
    // A value must satisfy both limits, so the limits are joined into one string, which differs
    // from each limit.
    else if (own !== value) result[name] = [own, value].map(String).sort().join(" and ");
  }
  return result;
}

/** Returns the type of a JSON value. */
export function typeOf(value: unknown): Type {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value as Type;
}

export function isSame(one: unknown, other: unknown): boolean {
  return one === other || canonical(one) === canonical(other);
}

/** Returns a JSON value as text that does not depend on the order of its properties. */
function canonical(value: unknown): string {
  return JSON.stringify(
    value,
    (_key, part) =>
      typeOf(part) === "object" ? Object.fromEntries(Object.entries(part).sort()) : part,
  ) ?? "";
}
