import * as z from "zod/mini";
import type { Json } from "../_shared/database/types.ts";
import { isStorable, NOT_STORABLE } from "../_shared/http/fields.ts";
import { InexactNumber } from "../_shared/http/strict_json.ts";

type JsonObject = { [key: string]: Json };

const MAX_BYTES = 16 * 1024;
const MAX_DEPTH = 32;
/** The error message if custom fields are too large. */
export const CUSTOM_FIELDS_TOO_LARGE = "must be at most 16 KiB of JSON";

/**
 * Any JSON object of at most 16 KiB, stored exactly as it was sent. If the database or JavaScript
 * cannot represent a value exactly, the request is refused. A value is never rounded or dropped.
 */
export const CustomFields = z.custom<JsonObject>(isObject, {
  error: ({ input }) => {
    if (input === null) return "must not be null";
    return input === undefined ? "is required" : "must be an object";
  },
}).check((context) => {
  const problem = findInexact(context.value) ?? tooLarge(context.value);
  if (problem) context.issues.push({ code: "custom", input: context.value, ...problem });
}).register(z.globalRegistry, { type: "object", additionalProperties: true });

interface Problem {
  message: string;
  path: (string | number)[];
}

/**
 * Returns the first problem in a value: a part that cannot be represented exactly, or too many
 * levels of nesting. `findInexact` is not recursive, because a deeply nested value could overflow
 * the call stack.
 */
function findInexact(value: unknown): Problem | null {
  const open: { value: unknown; path: (string | number)[] }[] = [{ value, path: [] }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, path } = next;
    if (path.length > MAX_DEPTH) {
      return { path: [], message: `must not be nested deeper than ${MAX_DEPTH} levels` };
    }
    if (typeof value === "string" && !isStorable(value)) return { path, message: NOT_STORABLE };
    if (value instanceof InexactNumber) return { path, message: InexactNumber.message };
    if (Array.isArray(value)) {
      value.forEach((item, at) => open.push({ value: item, path: [...path, at] }));
    } else if (isObject(value)) {
      for (const [key, item] of Object.entries(value)) {
        if (!isStorable(key)) return { path, message: `has a key that ${NOT_STORABLE}` };
        open.push({ value: item, path: [...path, key] });
      }
    }
  }
  return null;
}

function tooLarge(value: unknown): Problem | null {
  const bytes = new TextEncoder().encode(JSON.stringify(value)).length;
  return bytes <= MAX_BYTES ? null : { path: [], message: CUSTOM_FIELDS_TOO_LARGE };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) &&
    !(value instanceof InexactNumber);
}
