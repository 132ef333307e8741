import assert from "node:assert/strict";
import { newCompany } from "../support/company.ts";
import { call } from "../support/calls.ts";

const company = await newCompany();
const create = (phone: unknown) => call(company.keys.all, "POST", "/contacts", { json: { phone } });

Deno.test("a phone in E.164 with a plus sign is accepted and stored as sent", async () => {
  const valid = [
    "+1234567",
    "+123456789012345",
    "+5511987654321",
    "+551133334444",
    "+5215512345678",
    "+5491123456789",
    "+4915112345678",
    "+81312345678",
    "+2348031234567",
  ];
  for (const phone of valid) {
    const { status, body } = await create(phone);
    assert.deepEqual([status, body.data?.phone], [201, phone]);
  }
});

Deno.test("any other phone is refused, with an example of a good one", async () => {
  const invalid = [
    "",
    "+",
    "+0123456789",
    "+123456",
    "+1234567890123456",
    "5511987654321",
    "005511987654321",
    "+55 11 98765-4321",
    "+55(11)987654321",
    " +5511987654321",
    "+5511987654321 ",
    "+5511987654321\n",
    "++5511987654321",
    "+55119876543a1",
    "＋5511987654321",
    "+٥٥١١٩٨٧٦٥٤٣٢١",
    "+5511987654321;ext=1",
    "tel:+5511987654321",
    5511987654321,
    null,
    true,
    ["+5511987654321"],
    { phone: "+5511987654321" },
  ];
  for (const phone of invalid) {
    const { status, body } = await create(phone);
    assert.deepEqual([status, body.details?.[0].field], [422, "phone"], JSON.stringify(phone));
    if (typeof phone === "string") assert.match(body.error, /such as \+5511987654321/);
  }
});

const SPELLINGS: [string, string, string][] = [
  ["Brazilian mobile with and without the ninth digit", "+5521987651234", "+552187651234"],
  ["Brazilian mobile of the old 6 range", "+5541961112222", "+554161112222"],
  ["Mexican mobile with and without the 1", "+5215587654321", "+525587654321"],
  ["Argentinian mobile with and without the 9", "+5491187654321", "+541187654321"],
];
for (const [name, one, other] of SPELLINGS) {
  Deno.test(`both spellings of a phone lead to one contact: ${name}`, async () => {
    for (const [first, second] of [[one, other], [other, one]]) {
      const { keys } = await newCompany();
      const create = (phone: string) => call(keys.all, "POST", "/contacts", { json: { phone } });
      const made = await create(first);
      assert.deepEqual([made.status, made.body.data.phone], [201, first]);
      const again = await create(second);
      assert.deepEqual([again.status, again.body.existing_id], [409, made.body.data.id]);
      // The contact may change its own spelling.
      const path = `/contacts/${made.body.data.id}`;
      const respelled = await call(keys.all, "PATCH", path, { json: { phone: second } });
      assert.deepEqual([respelled.status, respelled.body.data.phone], [200, second]);
    }
  });
}

Deno.test("phones that only look alike stay two contacts", async () => {
  const { keys } = await newCompany();
  const different = [
    "+551133334444", // a landline …
    "+5511933334444", // … and a mobile, which has no spelling without the 9
    "+5491187654321",
    "+5411876543210",
    "+5215587654321",
    "+521558765432",
    "+351912345678",
    "+35191234567",
  ];
  for (const phone of different) {
    assert.equal(
      (await call(keys.all, "POST", "/contacts", { json: { phone } })).status,
      201,
      phone,
    );
  }
});
