import * as fc from "fast-check";
import type { JsonSchema } from "../../../generate/openapi/json_schema.ts";
import { nastyText } from "../../../tests/support/nasty_text.ts";
import { arbitraryOf } from "../../../tests/support/schema_arbitrary.ts";
import type { Companies } from "../companies.ts";
import { endlessSpace, endlessText } from "./keyless_requests.ts";

/** The bytes of a body. */
export type Body = string | Uint8Array;

const MIB = 1024 * 1024;

/** The fields that refer to a row, with the kind of row. */
const REFERENCES: Record<string, "contact" | "stage" | "member" | "team"> = {
  contact_id: "contact",
  stage_id: "stage",
  assigned_to: "member",
  team_id: "team",
};

/** Bodies for a schema of the document: valid ones and nearly valid ones. */
export function bodies(
  schema: JsonSchema,
  document: JsonSchema,
  companies: Companies,
): fc.Arbitrary<Body> {
  const allowed = fc.tuple(arbitraryOf(schema, document), fc.infiniteStream(fc.nat()))
    .map(([value, choices]) =>
      withReferences(value as Record<string, unknown>, companies, choices)
    );
  const text = allowed.map((value) => JSON.stringify(value));
  return fc.oneof(
    { weight: 12, arbitrary: text },
    { weight: 10, arbitrary: withOtherMember(allowed, schema, document) },
    { weight: 2, arbitrary: withRepeatedMember(text) },
    { weight: 2, arbitrary: cutShort(text) },
    { weight: 3, arbitrary: notObjects },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
    { weight: 2, arbitrary: hugeMembers(schema, document) },
  );
}

/**
 * The same body, with the ids of the attacker's rows, the victim's rows or no rows in the fields
 * that refer to a row.
 */
function withReferences(
  value: Record<string, unknown>,
  { attacker, victim }: Companies,
  choices: fc.Stream<number>,
): Record<string, unknown> {
  const changed = { ...value };
  const choose = <Value>(own: Value[], foreign: Value[], other: unknown) => {
    const [who, which] = [...choices.take(2)];
    const from = who % 5 < 3 ? own : who % 5 === 3 ? foreign : null;
    return from ? from[which % from.length] : other;
  };
  for (const [field, kind] of Object.entries(REFERENCES)) {
    if (typeof changed[field] !== "string") continue;
    changed[field] = choose<string>(attacker.ids[kind], victim.ids[kind], changed[field]);
  }
  if ("phone" in changed) changed.phone = choose(attacker.phones, victim.phones, changed.phone);
  if ("phone_number_id" in changed) {
    const other = changed.phone_number_id;
    changed.phone_number_id = choose(attacker.phoneNumberIds, victim.phoneNumberIds, other);
  }
  return changed;
}

const wrongValues: fc.Arbitrary<unknown> = fc.oneof(
  nastyText,
  fc.integer(),
  fc.double(),
  fc.jsonValue({ maxDepth: 4 }),
  fc.constantFrom<unknown>(null, true, "", " ", [], {}, [null], { a: null }, -0, 1e308, 2 ** 60),
  fc.constantFrom(255, 256, 4_097, 16_384, 70_000).map((length) => "é".repeat(length)),
  fc.constantFrom(33, 500).map((levels) => nested(levels)),
);

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = level % 2 ? [value] : { a: value };
  return value;
}

/**
 * The same value with one change. A member of the schema gets another value or is removed, or an
 * unknown member is added.
 */
function withOtherMember(
  allowed: fc.Arbitrary<Record<string, unknown>>,
  schema: JsonSchema,
  document: JsonSchema,
): fc.Arbitrary<string> {
  const names = Object.keys(resolved(schema, document).properties ?? {});
  const others = [
    "id",
    "company_id",
    "created_at",
    "__proto__",
    "constructor",
    "a.b",
    "",
    "\u0000",
  ];
  const name = fc.oneof(fc.constantFrom(...names), fc.constantFrom(...others), nastyText);
  return fc.tuple(allowed, name, wrongValues, fc.nat(4)).map(([value, name, wrong, kind]) => {
    const members = Object.entries(value).filter(([each]) => each !== name);
    return JSON.stringify(
      Object.fromEntries(kind === 0 ? members : [...members, [name, wrong]]),
    );
  });
}

function withRepeatedMember(text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return text.map((json) => json.replace(/^\{(?=("[^"]*":))(.*)\}$/s, "{$2,$1null}"));
}

function cutShort(text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.tuple(text, fc.nat()).map(([json, at]) => json.slice(0, at % json.length));
}

const notObjects = fc.constantFrom(
  ...[
    "",
    "null",
    "[]",
    "0",
    '"a"',
    "{}",
    "[{}]",
    "{}{}",
    "\ufeff{}",
    "{'a':1}",
    '{"a":NaN}',
    "{,}",
  ],
  ...[
    '{"phone":"+14155550123",}',
    `{"value":1${"0".repeat(400)}}`,
    `{"value":0.${"1".repeat(400)}}`,
  ],
  ...[endlessText(300 * 1024), endlessSpace(300 * 1024)],
);

/** Bodies that are large or deep, around the limit of 1 MiB. */
function hugeMembers(schema: JsonSchema, document: JsonSchema): fc.Arbitrary<string> {
  const names = Object.keys(resolved(schema, document).properties ?? {});
  const values = fc.constantFrom(
    ...[`"${"x".repeat(MIB - 40)}"`, `"${"x".repeat(MIB)}"`, `[${"0,".repeat(20_000)}0]`],
    ...["[".repeat(5_000) + "]".repeat(5_000), "[".repeat(200_000), "1".repeat(100_000)],
    `{${Array.from({ length: 5_000 }, (_, n) => `"k${n}":0`).join(",")}}`,
  );
  return fc.tuple(fc.constantFrom(...names, "x"), values)
    .map(([name, value]) => `{${JSON.stringify(name)}:${value}}`);
}

function resolved(schema: JsonSchema, document: JsonSchema): JsonSchema {
  if (!schema.$ref) return schema;
  const path: string[] = schema.$ref.split("/").slice(1);
  return path.reduce((at, key) => at[key], document);
}
