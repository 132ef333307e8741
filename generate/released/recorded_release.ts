import type { JsonSchema } from "../openapi/json_schema.ts";

/** Keywords that are only documentation for people. */
const PROSE = new Set(["description", "summary", "example", "examples", "tags", "externalDocs"]);
/**
 * In the values of these keywords, the keys are names that the API defines. One of these names may
 * look like a documentation keyword.
 */
const OF_NAMES = new Set([
  ...["properties", "patternProperties", "dependentSchemas", "headers", "responses", "paths"],
  ...["parameters", "schemas", "requestBodies", "content", "securitySchemes", "security"],
]);
/** Keywords whose values are data. */
const OF_DATA = new Set(["const", "default", "enum", "required"]);

/**
 * Returns the part of a release's OpenAPI document that is stored for comparisons with later
 * releases. This is the interface without its descriptions.
 */
export function recordedRelease(document: JsonSchema, release: string): JsonSchema {
  const { openapi, info, paths, components } = document;
  return {
    "x-generated": "Written by npm run release:record; do not edit.",
    openapi,
    info: { title: info.title, version: info.version },
    "x-release": release,
    ...withoutProse({ paths, components }) as JsonSchema,
  };
}

function withoutProse(value: unknown, areNames = false): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutProse(each));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([key]) => areNames || !PROSE.has(key)).map(([key, part]) => [
      key,
      !areNames && OF_DATA.has(key) ? part : withoutProse(part, !areNames && OF_NAMES.has(key)),
    ]),
  );
}
