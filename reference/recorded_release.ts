import type { JsonSchema } from "./json_schema.ts";

/** Keywords that only tell people something. */
const PROSE = new Set(["description", "summary", "example", "examples", "tags", "externalDocs"]);
/** Keywords whose keys are names, which may be the same as a keyword of prose. */
const OF_NAMES = new Set([
  ...["properties", "patternProperties", "dependentSchemas", "headers", "responses", "paths"],
  ...["parameters", "schemas", "requestBodies", "content", "securitySchemes", "security"],
]);
/** Keywords whose values are data. */
const OF_DATA = new Set(["const", "default", "enum", "required"]);

/** What is kept of the document of a release, to compare later ones with: the interface without its prose. */
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
