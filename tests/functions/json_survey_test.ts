import assert from "node:assert/strict";
import * as fc from "fast-check";
import { surveyJson } from "../../supabase/functions/_shared/http/json_survey.ts";

function survey(text: string) {
  return surveyJson(new TextEncoder().encode(text));
}

/** The same, counted in the parsed value. */
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

Deno.test("a survey counts the values, the keys and the levels of every JSON value", () => {
  fc.assert(fc.property(fc.jsonValue(), fc.constantFrom(0, 1, 2), (value, space) => {
    const { values, keys, depth } = survey(JSON.stringify(value, null, space));
    assert.deepEqual({ values, keys, depth }, counted(value));
  }));
});

Deno.test("a survey is not misled by strings", () => {
  const one = ['"[[{,:"', '"\\"[,"', '"\\\\"', '"1e5"', '"12345678901234567890"', '"é:🚚,"'];
  for (const text of one) {
    const nothing = { keys: 0, depth: 0, digits: 0, hasLongNumber: false, hasEscapedKey: false };
    assert.deepEqual(survey(text), { values: 1, ...nothing }, text);
  }
});

Deno.test("a number of up to 15 digits and without an exponent is not a long one", () => {
  const short = [
    "0",
    "-1.5",
    "123456789012345",
    "1234567890.12345",
    "[123456789,123456789]",
    "true",
  ];
  for (const text of short) assert.equal(survey(text).hasLongNumber, false, text);
  const long = ["1e1", "1E9", "[1,2e+3]", "1234567890123456", "12345678.90123456", "-1.0e-2"];
  for (const text of long) assert.equal(survey(text).hasLongNumber, true, text);
  assert.equal(survey("[12,-1234.567,1.5e99]").digits, 7);
});

Deno.test("a survey finds a key that is written with an escape", () => {
  const without = ['{"a":"\\""}', '["\\n"]', '{"a":"\\\\","b":1}'];
  for (const text of without) assert.equal(survey(text).hasEscapedKey, false, text);
  const escaped = ['{"\\u0061":1}', '{"a":{"\\\\" :1}}', '[{"a":1,"b\\"":2}]'];
  for (const text of escaped) assert.equal(survey(text).hasEscapedKey, true, text);
});
