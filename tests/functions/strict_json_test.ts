import assert from "node:assert/strict";
import * as fc from "fast-check";
import { surveyJson } from "../../supabase/functions/_shared/http/json_survey.ts";
import {
  InexactNumber,
  parseStrictly,
  RepeatedKeys,
} from "../../supabase/functions/_shared/http/strict_json.ts";
import { anyCharacter } from "../support/nasty_text.ts";
import { runs } from "../support/runs.ts";

/** Scans and parses a text as if it were a request body. */
function parsed(text: string): unknown {
  return parseStrictly(text, surveyJson(new TextEncoder().encode(text)));
}

Deno.test("a number is read exactly as it is written, or else flagged as inexact", () => {
  const exact = ["0", "-0", "0.0", "0e9", "1.50", "1E2", "0.1", "1e21", "1e-7", "5e-324", "123e-2"];
  const texts = [...exact, "9007199254740991", "1.7976931348623157e308", "100000000000000000000"];
  for (const text of texts) {
    assert.equal(parsed(text), Number(text), text);
  }
  const inexact = ["9007199254740993", "1e309", "-1e309", "1e-400", "0.10000000000000000001"];
  for (const text of [...inexact, "1999.5000000000000001"]) {
    assert.ok(parsed(text) instanceof InexactNumber, text);
  }
});

Deno.test("a number that fills a whole body is read correctly", () => {
  const zeros = "0".repeat(1024 * 1024 - 4);
  assert.ok(parsed(`1${zeros}1`) instanceof InexactNumber);
  assert.ok(parsed(`0.${zeros}1`) instanceof InexactNumber);
  assert.equal(parsed(`1.${zeros}`), 1);
});

Deno.test("every value that JSON.stringify writes is read back unchanged", () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => {
    const text = JSON.stringify(value);
    assert.deepEqual(parsed(text), parsedSlowly(text));
  }));
});

Deno.test("the parser names a duplicate key in an object", () => {
  const twice: [string, string[]][] = [
    ['{"a":1,"a":1}', ["a"]],
    ['{"a":1,"\\u0061":2,"b":3}', ["a"]],
    ['[{"x":{"":1,"":2}}]', [""]],
    ['{"__proto__":1,"__proto__":2}', ["__proto__"]],
    ['{"a":{"b":1},"a":{"b":2}}', ["a", "b"]],
  ];
  for (const [text, keys] of twice) {
    assert.throws(() => parsed(text), (error) => {
      assert.ok(error instanceof RepeatedKeys);
      assert.deepEqual(error.keys, keys);
      return true;
    });
  }
  const once = ['{"a":"\\"a\\":1","b":["a",":"]}', '[{"a":1},{"a":2}]', '{"a":{"a":{"a":1}}}'];
  for (const text of once) assert.deepEqual(parsed(text), JSON.parse(text));
});

/** The slow reference parser, which checks every number and reads every key separately. */
function parsedSlowly(text: string): unknown {
  const exactly = (source: string) => {
    const [, digits, exponent = "0"] = /^-?([\d.]+)(?:e(.+))?$/i.exec(source) ?? ["", "x"];
    const [whole, fraction = ""] = digits.split(".");
    const all = (whole + fraction).replace(/^0+/, "");
    const significant = all.replace(/0+$/, "");
    const power = Number(exponent) - fraction.length + all.length - significant.length;
    return significant === "" ? "0" : `${significant} ${power}`;
  };
  const mark = (_: string, value: unknown, { source }: { source: string }) =>
    typeof value === "number" && exactly(source) !== exactly(String(value))
      ? new InexactNumber()
      : value;
  JSON.parse(text); // this throws if the text is not JSON
  // Each key is replaced by its position in the text, so that no key is lost.
  const keys: string[] = [];
  const apart = text.replace(
    /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?/g,
    (all, key, colon) => colon ? `"at ${keys.push(JSON.parse(key)) - 1}":` : all,
  );
  const withKeys = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(withKeys);
    if (typeof value !== "object" || value === null || value instanceof InexactNumber) return value;
    const entries = Object.entries(value).map(([at, part]) =>
      [keys[Number(at.slice(3))], withKeys(part)] as const
    );
    const names = entries.map(([name]) => name);
    const repeated = names.filter((name, at) => names.indexOf(name) !== at);
    if (repeated.length > 0) throw new RepeatedKeys(repeated);
    return Object.fromEntries(entries);
  };
  return withKeys(JSON.parse(apart, mark as Parameters<typeof JSON.parse>[1]));
}

/** The value and its duplicate keys, or a note that the text is not JSON. */
function meaning(parse: (text: string) => unknown, text: string): unknown {
  try {
    return { value: parse(text) };
  } catch (error) {
    if (error instanceof RepeatedKeys) return "repeats keys";
    assert.ok(error instanceof SyntaxError, String(error));
    return "is no JSON";
  }
}

const anyNumber = fc.oneof(
  fc.stringMatching(/^-?(0|[1-9]\d{0,20})(\.\d{1,20})?([eE][+-]?\d{1,3})?$/),
  fc.double().map((number) => JSON.stringify(number)),
  fc.constantFrom(
    "-0",
    "0e9",
    "1E400",
    "999999999999999",
    "9999999999999999",
    "0.1000000000000000",
  ),
);
const anyString = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 12 }).map((text) => JSON.stringify(text)),
  fc.constantFrom('"\\\\"', '"\\""', '"{:,[1e5"', '"\\u0061"', '"a"', '"__proto__"', '""', '"🚚"'),
);
const anySpace = fc.constantFrom("", "", "", " ", "\n\t ");
const { anyJson } = fc.letrec<{ anyJson: string }>((tie) => ({
  anyJson: fc.oneof(
    { depthSize: "small" },
    anyNumber,
    anyString,
    fc.constantFrom("true", "false", "null", "[]", "{}", "[ ]", "{ }"),
    fc.tuple(fc.array(tie("anyJson"), { maxLength: 4 }), anySpace).map(([parts, space]) =>
      `[${space}${parts.join(`${space},`)}${space}]`
    ),
    fc.tuple(fc.array(fc.tuple(anyString, tie("anyJson")), { maxLength: 4 }), anySpace).map(
      ([parts, space]) =>
        `{${parts.map(([key, part]) => `${space}${key}${space}:${part}`).join(",")}${space}}`,
    ),
  ),
}));

Deno.test("for every JSON text, the fast parser returns the same result as a slow parser that checks each number and key", () => {
  fc.assert(
    fc.property(anyJson, (text) => {
      assert.deepEqual(meaning(parsed, text), meaning(parsedSlowly, text));
    }),
    { numRuns: runs(2_000) },
  );
});

Deno.test("a text is refused if and only if JSON.parse refuses it", () => {
  const damaged = fc.tuple(
    anyJson,
    fc.nat(),
    fc.constantFrom("", '"', "\\", ",", "}", "[", "1e", ":"),
  )
    .map(([text, at, put]) =>
      text.slice(0, at % text.length) + put + text.slice(at % text.length + 1)
    );
  const isJson = (text: string) => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  fc.assert(fc.property(damaged, (text) => {
    assert.equal(meaning(parsed, text) !== "is no JSON", isJson(text));
  }));
});

Deno.test("if a text has a key with an escape sequence, the parser returns that key, not a key of an earlier text", () => {
  parsed('{"h":[],"\\\\":0}');
  assert.deepEqual(parsed('{"h":1,"\\"":2}'), { h: 1, '"': 2 });
  assert.deepEqual(parsed('{"h":1,"\\u0061":[{"\\n":2}]}'), { h: 1, a: [{ "\n": 2 }] });
  assert.deepEqual(parsed('{"h":1,"\\u005f_proto__":2}'), JSON.parse('{"h":1,"__proto__":2}'));
});
