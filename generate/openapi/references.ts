import type { JsonSchema } from "./json_schema.ts";

// Follows the references (`$ref`) within an OpenAPI document.

/** Returns the name of the component that a reference points to, and the component. */
export function referred($ref: string, document: JsonSchema): [name: string, target: JsonSchema] {
  const keys = $ref.replace(/^#\//, "").split("/")
    .map((key) => decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~"));
  const target = keys.reduce((at: JsonSchema | undefined, key) => at?.[key], document);
  if (!$ref.startsWith("#/") || !target) throw new Error(`there is no ${$ref} in the document`);
  return [keys.at(-1)!, target];
}

/** Returns the component that a reference points to. Returns any other value unchanged. */
export function resolved(value: JsonSchema, document: JsonSchema): JsonSchema {
  return value.$ref ? resolved(referred(value.$ref, document)[1], document) : value;
}
