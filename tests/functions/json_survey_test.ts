import assert from "node:assert/strict";
import * as fc from "fast-check";
import { surveyJson } from "../../supabase/functions/_shared/http/json_survey.ts";

function survey(text: string) {
  return surveyJson(new TextEncoder().encode(text));
}

/** The numbers that the scan must return for a JSON text, counted in the parsed value. */
function counted(value: unknown): { values: number; keys: number; depth: number } {
  if (typeof value !== "object" || value === null) return { values: 1, keys: 0, depth: 0 };
  const parts = Object.values(value).map(counted);
  const sum = (field: "values" | "keys") => parts.reduce((total, part) => total + part[field], 0);
  return {
    values: 1 + sum("values"),
    keys: sum("keys") + (Array.isArray(value) ? 0 : parts.length),
    depth: 1 + Math.max(0, ...parts.map(({ depth }) => depth)),
  };
}

Deno.test("a scan counts the values, keys and nesting levels of every JSON value", () => {
  fc.assert(fc.property(fc.jsonValue(), fc.constantFrom(0, 1, 2), (value, space) => {
    const { values, keys, depth } = survey(JSON.stringify(value, null, space));
    assert.deepEqual({ values, keys, depth }, counted(value));
  }));
});

Deno.test("a scan ignores brackets, colons, commas and digits within strings", () => {
  const one = ['"[[{,:"', '"\\"[,"', '"\\\\"', '"1e5"', '"12345678901234567890"', '"é:🚚,"'];
  for (const text of one) {
    const nothing = { keys: 0, depth: 0, digits: 0, hasLongNumber: false, hasEscapedKey: false };
    assert.deepEqual(survey(text), { values: 1, ...nothing }, text);
  }
});
