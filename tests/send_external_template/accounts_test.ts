import assert from "node:assert/strict";
import {
  anyPhone,
  anyPhoneNumberId,
  type Company,
  connectAccount,
  disconnectAccount,
  newCompany,
} from "../support/company.ts";
import { assertField } from "../support/calls.ts";
import { ledgerOf, sendTemplate, takenFrom, template } from "../support/sending.ts";
import { withDatabase } from "../support/test_stack.ts";

/** Connects another phone number to a company. */
function connect({ id }: Company, display_phone: string) {
  return withDatabase((sql) => connectAccount(sql, id, { display_phone }));
}

function disconnect({ id }: { id: string }) {
  return withDatabase((sql) => disconnectAccount(sql, id));
}

Deno.test("a send without a connected account fails, and its idempotency key can be used again", async () => {
  const company = await newCompany();
  await disconnect({ id: company.account_id });
  const json = template(anyPhone(), { idempotency_key: "later" });
  for (const phone_number_id of [undefined, company.phone_number_id, anyPhoneNumberId()]) {
    const { status, body } = await sendTemplate(company.keys.messaging, {
      ...json,
      phone_number_id,
    });
    assert.deepEqual([status, body.success, body.code], [404, false, "account_not_connected"]);
  }
  assert.deepEqual(await ledgerOf(company), []);

  await connect(company, "+15550101");
  const { body } = await sendTemplate(company.keys.messaging, json);
  assert.deepEqual([body.success, body.idempotent_hit], [true, false]);
});

Deno.test("if a company has several accounts, and a send names none of them, the error lists the accounts", async () => {
  const company = await newCompany();
  const { phone_number_id: second } = await connect(company, "+15550101");
  await disconnect(await connect(company, "+15550102"));
  const choice = [
    { phone_number_id: company.phone_number_id, display_phone: "+15550100" },
    { phone_number_id: second, display_phone: "+15550101" },
  ].sort((a, b) => a.phone_number_id < b.phone_number_id ? -1 : 1).map((account) => ({
    field: "phone_number_id",
    message:
      `may be ${account.phone_number_id}, which has the phone number ${account.display_phone}`,
    ...account,
  }));

  const phone = anyPhone();
  const unnamed = await sendTemplate(company.keys.messaging, template(phone));
  assert.deepEqual(
    [unnamed.status, unnamed.body.success, unnamed.body.code, unnamed.body.details],
    [422, false, "phone_number_id_required", choice],
  );
  const wrong = await sendTemplate(
    company.keys.messaging,
    template(phone, { phone_number_id: anyPhoneNumberId() }),
  );
  assertField(wrong, "phone_number_id");
  assert.deepEqual(wrong.body.details, choice);

  for (const phone_number_id of [company.phone_number_id, second]) {
    const json = template(phone, { phone_number_id });
    const { body } = await sendTemplate(company.keys.messaging, json);
    // Each account has a separate conversation with the contact.
    assert.deepEqual([body.success, body.created_conversation], [true, true]);
    assert.equal((await takenFrom({ phone_number_id })).length, 1);
  }
});
