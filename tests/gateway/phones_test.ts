import assert from "node:assert/strict";
import { newCompany } from "../support/company.ts";
import { call } from "../support/calls.ts";

const company = await newCompany();
const create = (phone: unknown) => call(company.keys.all, "POST", "/contacts", { json: { phone } });

Deno.test("a phone number in E.164 format with a plus sign is accepted and stored as it was sent", async () => {
  const valid = [
    ...["+1234567", "+123456789012345", "+5511987654321", "+551133334444", "+5215512345678"],
    ...["+5491123456789", "+4915112345678", "+81312345678", "+2348031234567"],
  ];
  for (const phone of valid) {
    const { status, body } = await create(phone);
    assert.deepEqual([status, body.data?.phone], [201, phone]);
  }
});

Deno.test("any other phone number is refused with an example of a valid number", async () => {
  const invalid = [
    ...["", "+", "+0123456789", "+123456", "+1234567890123456", "5511987654321", "005511987654321"],
    ...["+55 11 98765-4321", "+55(11)987654321", " +5511987654321", "+5511987654321 "],
    ...["+5511987654321\n", "++5511987654321", "+55119876543a1", "＋5511987654321"],
    ...["+٥٥١١٩٨٧٦٥٤٣٢١", "+5511987654321;ext=1", "tel:+5511987654321", 5511987654321, null, true],
    ...[["+5511987654321"], { phone: "+5511987654321" }],
  ];
  for (const phone of invalid) {
    const { status, body } = await create(phone);
    assert.deepEqual([status, body.details?.[0].field], [422, "phone"], JSON.stringify(phone));
    if (typeof phone === "string") assert.match(body.error, /such as \+5511987654321/);
  }
});
