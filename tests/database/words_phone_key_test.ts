// Tests the search key of phone numbers. The database computes this key for rows, and the gateway
// computes it for filters.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import { phoneKey } from "../../supabase/functions/gateway/records/phone_key.ts";
import { personOf } from "../support/found_rows.ts";
import { statement } from "../support/test_stack.ts";

/** Prefixes of countries whose phone numbers have two formats, and similar prefixes. */
const PREFIXES = [
  ...["55", "5511", "55119", "551199", "551190", "55118", "55115", "5501", "5510", "5590", "550"],
  ...["52", "521", "5215", "522", "54", "549", "5491", "541", "5499", "1", "351", "7", "57", "9"],
];
const ofLengths = PREFIXES.flatMap((prefix) =>
  Array.from({ length: 15 }, (_, length) => `+${prefix.padEnd(length + 1, "9876543210")}`)
);
const random = fc.sample(
  fc.tuple(fc.constantFrom("", ...PREFIXES), fc.stringMatching(/^[0-9]{4,14}$/))
    .map(([prefix, rest]) => `+${prefix}${rest}`),
  5_000,
);
const phones = [...ofLengths, ...random].filter((phone) => /^\+[1-9][0-9]{6,14}$/.test(phone));

Deno.test("the database and the gateway compute the same key for a phone number", async () => {
  const keys = await statement`
    select app.phone_key(phone) as key from unnest(${phones}::text[]) with ordinality as p (phone, at) order by at
  `;
  for (const [at, { key }] of keys.entries()) assert.equal(phoneKey(phones[at]), key, phones[at]);
  const changed = phones.filter((phone) => phoneKey(phone) !== phone);
  assert.ok(changed.length > 100, `${changed.length} of ${phones.length} have another format`);
});

Deno.test("two phone numbers have the same key only if they are two formats of one number", () => {
  const people = new Map<string, string>();
  for (const phone of phones) {
    const [key, person] = [phoneKey(phone), personOf(phone)];
    assert.equal(people.get(key) ?? person, person, phone);
    assert.equal(phoneKey(key), key, `the key of ${phone} is its own key`);
    people.set(key, person);
  }
  assert.equal(new Set(people.values()).size, people.size);
});
