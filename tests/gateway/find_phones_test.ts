// Tests that a search for a phone number finds the contact, wherever the number is stored.
import assert from "node:assert/strict";
import { call } from "../support/calls.ts";
import { newCompany } from "../support/company.ts";
import { mergesOf } from "../support/merging.ts";

const PASTED = ["+55 (21) 99000-0001", "021 99000-0001", "21990000001", "9000-0001", "99000‑0001"];

/** Creates a company with a contact whose phone number is stored without its ninth digit. */
async function companyWithPhone() {
  const company = await newCompany();
  const { ask, merge, newContact } = mergesOf(company);
  const contact = await newContact({ name: "João", phone: "+552190000001" });
  const found = async (path: string, q: string, more = {}) => {
    const query = new URLSearchParams({ q, ...more });
    const { status, body } = await call(company.keys.read, "GET", `${path}?${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.data.map(({ id }: { id: string }) => id);
  };
  return { ask, merge, newContact, contact, found };
}

for (const path of ["/contacts", "/search"]) {
  Deno.test(`${path} finds a pasted phone number that is stored in another spelling`, async () => {
    const { contact, found } = await companyWithPhone();
    for (const q of [...PASTED, "joao 99000-0001"]) {
      assert.deepEqual(await found(path, q), [contact.id], q);
    }
    assert.deepEqual(await found(path, "maria 99000-0001"), []);
    assert.deepEqual(await found(path, "99000-0002"), []);
  });

  Deno.test(`${path} finds an archived contact by its pasted phone number if archived contacts are requested`, async () => {
    const { ask, contact, found } = await companyWithPhone();
    await ask("DELETE", `/contacts/${contact.id}`);
    for (const q of PASTED) {
      assert.deepEqual(await found(path, q), [], q);
      assert.deepEqual(await found(path, q, { archived: "only" }), [contact.id], q);
      assert.deepEqual(await found(path, q, { archived: "include" }), [contact.id], q);
    }
  });

  Deno.test(`${path} finds the surviving contact by a merged contact's pasted phone number`, async () => {
    const { merge, newContact, contact, found } = await companyWithPhone();
    const survivor = await newContact({ name: "João too" });
    await merge(survivor.id, contact.id);
    for (const q of ["+55 (21) 9000-0001", "21 99000-0001", "joao 2190000001"]) {
      assert.deepEqual(await found(path, q), [survivor.id], q);
    }
    assert.deepEqual(await found(path, "maria 21990000001"), []);
  });

  Deno.test(`${path} finds an archived survivor by a merged contact's phone number if archived contacts are requested`, async () => {
    const { ask, merge, newContact, contact, found } = await companyWithPhone();
    const survivor = await newContact({ name: "João too" });
    await merge(survivor.id, contact.id);
    await ask("DELETE", `/contacts/${survivor.id}`);
    for (const q of ["+55 (21) 9000-0001", "joao 2190000001"]) {
      assert.deepEqual(await found(path, q), [], q);
      assert.deepEqual(await found(path, q, { archived: "only" }), [survivor.id], q);
      assert.deepEqual(await found(path, q, { archived: "include" }), [survivor.id], q);
    }
  });

  Deno.test(`${path} finds the surviving contact by a pasted phone number even if other contacts also match`, async () => {
    const { merge, newContact, contact, found } = await companyWithPhone();
    const survivor = await newContact({ name: "João too" });
    await merge(survivor.id, contact.id);
    const { id } = await newContact({ name: "Zoe 21990000001" });
    const expected = [survivor.id, id].sort();
    for (const q of ["21990000001", "21 99000-0001"]) {
      assert.deepEqual((await found(path, q)).sort(), expected, q);
    }
    assert.deepEqual(await found(path, "joao 21990000001"), [survivor.id]);
  });
}

Deno.test("a contact is found only if its phone numbers match both `phone` and `q`", async () => {
  const { merge, newContact, found } = await companyWithPhone();
  const survivor = await newContact({ phone: "+14155559910" });
  for (const phone of ["+14155559911", "+14155559913"]) {
    await merge(survivor.id, (await newContact({ phone })).id);
  }
  const other = await newContact({ phone: "+14155559912" });
  const foundBy = (phone: string, q: string) => found("/contacts", q, { phone });
  assert.deepEqual(await foundBy("+14155559911", "4155559912"), []);
  assert.deepEqual(await foundBy("+14155559912", "4155559911"), []);
  assert.deepEqual(await foundBy("+14155559912", "4155559912"), [other.id]);
  for (const phone of ["+14155559910", "+14155559911", "+14155559913"]) {
    for (const digits of ["4155559910", "4155559911", "4155559913"]) {
      // A country code makes these digits a phone key. Parts of a number match only the main number.
      assert.deepEqual(await foundBy(phone, `+1${digits}`), [survivor.id], `${phone} ${digits}`);
    }
  }
});

Deno.test("a search for digits that are not a phone number still finds numbers in other fields", async () => {
  const { newContact, found } = await companyWithPhone();
  const { id } = await newContact({
    name: "Order 2026-01",
    // A random number could contain the digits of a search.
    phone: "+5511987654321",
    empresa: "12.345.678/0001-90 Ltda",
  });
  for (const path of ["/contacts", "/search"]) {
    for (const q of ["12.345.678/0001-90", "12345 2026", "0001/90 12.345.678", "2026-01 0001-90"]) {
      assert.deepEqual(await found(path, q), q.startsWith("12345 ") ? [] : [id], q);
    }
  }
});
