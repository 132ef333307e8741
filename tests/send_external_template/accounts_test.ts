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
import { snapshot } from "../support/snapshot.ts";
import { ledgerOf, sendTemplate, takenFrom, template } from "../support/sending.ts";
import { withDatabase } from "../support/test_stack.ts";

/** Connects one more number to a company. */
function connect({ id }: Company, display_phone: string) {
  return withDatabase((sql) => connectAccount(sql, id, { display_phone }));
}

/** Disconnects one account. */
function disconnect({ id }: { id: string }) {
  return withDatabase((sql) => disconnectAccount(sql, id));
}

Deno.test("a company without a connected account is told so, and no idempotency key is used up", async () => {
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

Deno.test("with several accounts, a request must name one, and a refusal lists them", async () => {
  const company = await newCompany();
  const { phone_number_id: second } = await connect(company, "+15550101");
  await disconnect(await connect(company, "+15550102"));
  const choice = [
    { phone_number_id: company.phone_number_id, display_phone: "+15550100" },
    { phone_number_id: second, display_phone: "+15550101" },
  ].sort((a, b) => a.phone_number_id < b.phone_number_id ? -1 : 1).map((account) => ({
    field: "phone_number_id",
    message: `may be ${account.phone_number_id}, which is ${account.display_phone}`,
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
    // Each account has a conversation of its own with the contact.
    assert.deepEqual([body.success, body.created_conversation], [true, true]);
    assert.equal((await takenFrom({ phone_number_id })).length, 1);
  }
});

Deno.test("an account that is disconnected or another company's cannot be named", async () => {
  const [company, other] = [await newCompany(), await newCompany()];
  const gone = await connect(company, "+15550101");
  await disconnect(gone);
  for (const phone_number_id of [gone.phone_number_id, other.phone_number_id]) {
    const json = template(anyPhone(), { phone_number_id });
    const answer = await sendTemplate(company.keys.messaging, json);
    assertField(answer, "phone_number_id");
    assert.equal(
      answer.body.error,
      "Invalid request: phone_number_id is not a connected messaging account of the company",
    );
  }
  assert.deepEqual(await takenFrom(other), []);
});

Deno.test("two companies with the same idempotency key and phone send independently of each other", async () => {
  const [ours, theirs] = [await newCompany(), await newCompany()];
  const json = template(anyPhone(), { idempotency_key: "shared" });
  const mine = (await sendTemplate(ours.keys.messaging, json)).body;
  const before = await snapshot(ours.id);
  const other = (await sendTemplate(theirs.keys.messaging, json)).body;
  assert.deepEqual([other.success, other.created_conversation, other.idempotent_hit], [
    true,
    true,
    false,
  ]);
  assert.notEqual(other.message_id, mine.message_id);
  assert.notEqual(other.conversation_id, mine.conversation_id);
  assert.deepEqual(await snapshot(ours.id), before);

  const repeat = (await sendTemplate(theirs.keys.messaging, json)).body;
  assert.deepEqual([repeat.status, repeat.message_id], ["sent", other.message_id]);
  for (const company of [ours, theirs]) assert.equal((await takenFrom(company)).length, 1);
});

Deno.test("do_not_contact of another company's contact with the same phone stops nothing", async () => {
  const [ours, theirs] = [await newCompany(), await newCompany()];
  const phone = anyPhone();
  await withDatabase((sql) =>
    sql`insert into contacts (company_id, phone, do_not_contact) values (${theirs.id}, ${phone}, true)`
  );
  assert.equal((await sendTemplate(ours.keys.messaging, template(phone))).body.success, true);
  assert.deepEqual((await sendTemplate(theirs.keys.messaging, template(phone))).body, {
    success: false,
    reason: "do_not_contact",
  });
});
