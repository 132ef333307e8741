import assert from "node:assert/strict";
import * as fc from "fast-check";
import {
  InexactNumber,
  parseStrictly,
  RepeatedKeys,
} from "../../supabase/functions/_shared/http/strict_json.ts";

Deno.test("a number is read exactly as it is written, or marked as inexact", () => {
  const exact = ["0", "-0", "0.0", "0e9", "1.50", "1E2", "0.1", "1e21", "1e-7", "5e-324", "123e-2"];
  for (
    const text of [...exact, "9007199254740991", "1.7976931348623157e308", "100000000000000000000"]
  ) {
    assert.equal(parseStrictly(text), Number(text), text);
  }
  const inexact = ["9007199254740993", "1e309", "-1e309", "1e-400", "0.10000000000000000001"];
  for (const text of [...inexact, "1999.5000000000000001"]) {
    assert.ok(parseStrictly(text) instanceof InexactNumber, text);
  }
});

Deno.test("a number as long as the longest body is read like any other", () => {
  const zeros = "0".repeat(1024 * 1024 - 4);
  assert.ok(parseStrictly(`1${zeros}1`) instanceof InexactNumber);
  assert.ok(parseStrictly(`0.${zeros}1`) instanceof InexactNumber);
  assert.equal(parseStrictly(`1.${zeros}`), 1);
});

Deno.test("every value that JSON.stringify writes is read back unchanged", () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => {
    assert.deepEqual(parseStrictly(JSON.stringify(value)), JSON.parse(JSON.stringify(value)));
  }));
});

Deno.test("a key that is given twice in one object is named, and no other key", () => {
  const twice: [string, string[]][] = [
    ['{"a":1,"a":1}', ["a"]],
    ['{"a":1,"\\u0061":2,"b":3}', ["a"]],
    ['[{"x":{"":1,"":2}}]', [""]],
    ['{"__proto__":1,"__proto__":2}', ["__proto__"]],
    ['{"a":{"b":1},"a":{"b":2}}', ["a", "b"]],
  ];
  for (const [text, keys] of twice) {
    assert.throws(() => parseStrictly(text), (error) => {
      assert.ok(error instanceof RepeatedKeys);
      assert.deepEqual(error.keys, keys);
      return true;
    });
  }
  const once = ['{"a":"\\"a\\":1","b":["a",":"]}', '[{"a":1},{"a":2}]', '{"a":{"a":{"a":1}}}'];
  for (const text of once) assert.deepEqual(parseStrictly(text), JSON.parse(text));
});
