// Runs of the benchmark can be compared because the data are the same each time.
import assert from "node:assert/strict";
import {
  COMPANIES,
  companyOf,
  contactOf,
  CONTACTS_PER_CONVERSATION,
  CONTACTS_PER_DEAL,
  idOf,
  LARGE,
  momentOf,
  phoneOf,
} from "../../bench/contents.ts";

const CONTACTS = 50_000;
const contacts = Array.from({ length: CONTACTS }, (_, index) => index);

Deno.test("a row is made of its number alone", () => {
  assert.deepEqual(
    [idOf("contact", 7), idOf("deal", 7), companyOf(7), phoneOf(7), momentOf(0.5)],
    [
      "92e2d376-7c12-45d5-8994-f8a000000007",
      "bca30026-54a8-49dc-8023-2f6100000007",
      183,
      "+5511932623793",
      "2025-07-02T12:00:00.000Z",
    ],
  );
});

Deno.test("no two contacts have one id or one phone", () => {
  assert.equal(new Set(contacts.map((index) => idOf("contact", index))).size, CONTACTS);
  assert.equal(new Set(contacts.map(phoneOf)).size, CONTACTS);
  const V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/;
  for (const index of contacts.slice(0, 1000)) {
    assert.match(idOf("contact", index), V4);
    assert.match(phoneOf(index), /^\+55119\d{8}$/);
  }
});

Deno.test("one company has a tenth of the contacts, and the others share the rest evenly", () => {
  const counts = new Array(COMPANIES).fill(0);
  for (const index of contacts) counts[companyOf(index)]++;
  assert.equal(counts[LARGE], CONTACTS / 10);
  const [, ...others] = counts;
  const even = CONTACTS * 0.9 / (COMPANIES - 1);
  assert.ok(others.every((count) => count > even * 0.6 && count < even * 1.4), String(counts));
});

Deno.test("no contact has two deals or two conversations", () => {
  for (const each of [CONTACTS_PER_DEAL, CONTACTS_PER_CONVERSATION]) {
    const chosen = contacts.slice(0, CONTACTS / each).map((index) => contactOf(index, each));
    assert.equal(new Set(chosen).size, chosen.length);
    assert.ok(Math.max(...chosen) < CONTACTS);
  }
});
