import { answerChanges } from "./answer_changes.ts";
import { comparisonOf, type Described } from "../openapi/described_operation.ts";
import type { JsonSchema } from "../openapi/json_schema.ts";
import { resolved } from "../openapi/references.ts";
import { type Change, schemaChanges } from "./schema_changes.ts";

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/**
 * Returns the changes between two OpenAPI 3.1 documents that can break a caller, one sentence for
 * each change. A sentence begins with the name of the changed item, in backticks: an operation
 * (`listContacts`), its parameter (`listContacts.limit`), a field of a component (`Contact.phone`).
 *
 * These additions do not break a caller: operations, optional request parameters and fields,
 * response fields and headers, and error codes. Descriptions are not compared.
 */
export function breakingChanges(released: JsonSchema, present: JsonSchema): string[] {
  const known = new Map();
  const now = operationsOf(present, known);
  const changes = Array.from(operationsOf(released, known), ([place, before]) => {
    const after = now.get(place);
    return after ? operationChanges(before, after) : [{ name: before.id, what: "is removed" }];
  }).flat();
  return [...new Set(changes.map(({ name, what }) => `\`${name}\` ${what}.`))].sort();
}

/** Returns the name at the beginning of a sentence that `breakingChanges` returned. */
export function nameOf(sentence: string): string {
  return /^`([^`]+)`/.exec(sentence)![1];
}

/** Returns the operations by method and path. The names of path parameters make no difference. */
function operationsOf(
  document: JsonSchema,
  known: Described["known"],
): Map<string, Described> {
  const found = new Map<string, Described>();
  for (const [path, item] of Object.entries<JsonSchema>(document.paths ?? {})) {
    for (const method of METHODS.filter((each) => item[each])) {
      const place = `${method.toUpperCase()} ${path.replace(/\{[^}]*\}/g, "{}")}`;
      const parameters = [...(item.parameters ?? []), ...(item[method].parameters ?? [])];
      const operation = { ...item[method], parameters };
      const id = operation.operationId ?? `${method.toUpperCase()} ${path}`;
      found.set(place, { id, operation, document, known });
    }
  }
  return found;
}

function operationChanges(before: Described, after: Described): Change[] {
  const { id } = before;
  const renamed = after.id === id
    ? []
    : [{ name: id, what: `now has the operationId ${after.id}` }];
  return [
    ...renamed,
    ...securityChanges(before, after),
    ...parameterChanges(before, after),
    ...bodyChanges(before, after),
    ...answerChanges(before, after),
  ];
}

/**
 * If a request now needs a different key or scope than in the earlier release, returns this change.
 */
function securityChanges(before: Described, after: Described): Change[] {
  const waysOf = ({ operation, document }: Described): Record<string, string[]>[] => {
    const ways = operation.security ?? document.security ?? [];
    return ways.length === 0 ? [{}] : ways;
  };
  const isEnough = (given: Record<string, string[]>) => (asked: Record<string, string[]>) =>
    Object.entries(asked).every(([scheme, scopes]) =>
      given[scheme] && scopes.every((scope) => given[scheme].includes(scope))
    );
  const lost = waysOf(before).filter((given) => !waysOf(after).some(isEnough(given)));
  return lost.length === 0 ? [] : [{
    name: before.id,
    what: `no longer accepts ${lost.map(wayInWords).join(" or ")}`,
  }];
}

function wayInWords(way: Record<string, string[]>): string {
  const parts = Object.entries(way).map(([scheme, scopes]) =>
    `${scheme}${scopes.length === 0 ? "" : ` with the scope ${scopes.join(" and ")}`}`
  );
  return parts.length === 0 ? "callers without a key" : parts.join(" and ");
}

/** Returns an operation's parameters by location (`in`) and name. */
function parametersOf({ operation, document }: Described): Map<string, JsonSchema> {
  let ofPath = 0;
  return new Map(operation.parameters.map((each: JsonSchema) => {
    const parameter = resolved(each, document);
    const { name, in: place } = parameter;
    // A parameter in a path is identified by its position, because its name does not matter to
    // callers. A header is identified by its name, in any letter case.
    const key = place === "path" ? ofPath++ : place === "header" ? name.toLowerCase() : name;
    return [`${place} ${key}`, parameter];
  }));
}

function parameterChanges(before: Described, after: Described): Change[] {
  const [released, present] = [parametersOf(before), parametersOf(after)];
  const changed = Array.from(released, ([key, parameter]) => {
    const name = `${before.id}.${parameter.name}`;
    const now = present.get(key);
    if (!now) return [{ name, what: "is no longer accepted" }];
    const required = now.required && !parameter.required ? [{ name, what: "is now required" }] : [];
    return [...required, ...valueChanges(name, [parameter, now], [before, after])];
  }).flat();
  const added = Array.from(present).filter(([key, { required }]) => required && !released.has(key))
    .map(([, { name }]) => ({ name: `${before.id}.${name}`, what: "is now required" }));
  return [...changed, ...added];
}

/** Returns the changes to a parameter's value and to its form in the URL. */
function valueChanges(
  name: string,
  [released, present]: [JsonSchema, JsonSchema],
  [before, after]: [Described, Described],
): Change[] {
  const comparison = comparisonOf(before, after, "request");
  const [one, many] = [released, present].map(({ schema = {} }) => schema);
  const [old, now] = [resolved(one, before.document), resolved(many, after.document)];
  const wasDefault = old.default !== undefined &&
    JSON.stringify(old.default) !== JSON.stringify(now.default);
  const defaults = wasDefault
    ? [{ name, what: `no longer has the default ${JSON.stringify(old.default)}` }]
    : [];
  if (writing(released, old) === writing(present, now)) {
    return [...defaults, ...schemaChanges(name, [one, many], comparison)];
  }
  // If commas now separate values, a value without a comma is a list with one item.
  const isList = writing(present, now) === "parted by commas" && !(now.minItems > 1);
  if (!isList || writing(released, old) !== "plain") {
    return [...defaults, { name, what: "has a different serialization" }];
  }
  const mayHaveComma = old.type === "string" && !old.enum && !old.format;
  return [
    ...defaults,
    ...(mayHaveComma ? [{ name, what: "is now split at commas" }] : []),
    ...schemaChanges(name, [one, now.items ?? true], comparison),
  ];
}

/** Returns the form in which a parameter's value is written. */
function writing({ in: place, style, explode }: JsonSchema, { type }: JsonSchema): string {
  const structure = ["array", "object"].find((each) => [type].flat().includes(each));
  if (!structure) return "plain";
  const usual = place === "query" || place === "cookie" ? "form" : "simple";
  const isExploded = explode ?? (style ?? usual) === "form";
  if (structure === "array" && (style ?? usual) === usual && !isExploded) {
    return "parted by commas";
  }
  return `${structure} ${style ?? usual} ${isExploded}`;
}

function bodyChanges(before: Described, after: Described): Change[] {
  const { id } = before;
  const bodyOf = ({ operation, document }: Described): JsonSchema =>
    operation.requestBody ? resolved(operation.requestBody, document) : { content: {} };
  const [released, present] = [bodyOf(before), bodyOf(after)];
  const required = present.required && !released.required
    ? [{ name: id, what: "now needs a body" }]
    : [];
  const contents = Object.entries<JsonSchema>(released.content).flatMap(([type, { schema }]) => {
    const now = present.content[type];
    if (!now) return [{ name: id, what: `no longer accepts ${type}` }];
    const comparison = comparisonOf(before, after, "request");
    return [
      ...schemaChanges(id, [schema ?? true, now.schema ?? true], comparison),
    ];
  });
  return [...required, ...contents];
}
