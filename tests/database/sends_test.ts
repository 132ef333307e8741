// Tests the ledger (the table `sends`): who can read its rows, which values a row can have, and
// when a row can be deleted.

import assert from "node:assert/strict";
import {
  actAs,
  actAsPerson,
  refusal,
  rolledBack,
  type Sql,
  type Work,
} from "../support/acting_as.ts";
import {
  anyPhone,
  connectAccount,
  disconnectAccount,
  disconnectAccounts,
  newCompany,
} from "../support/company.ts";
import { addSend, claim, SENT, settle, standing } from "./sends.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

const own = await newCompany();
const other = await newCompany();
const key = own.keys.messaging;

test("the platform sees the outcome of every send, and users see the outcomes of their own company's sends", async (sql) => {
  const sends = [await claim(sql, key), await claim(sql, other.keys.messaging)];
  const ids = sends.map(({ send_id }) => send_id);
  const seen = async () =>
    (await sql`select id, state from sends where id in ${sql(ids)}`).map(({ id }) => id);
  await actAsPerson(sql, own.member_id);
  assert.deepEqual(await seen(), [ids[0]]);
  await actAs(sql, "service_role");
  assert.deepEqual((await seen()).sort(), [...ids].sort());
});

test("only the claim that creates a send returns the account's token", async (sql) => {
  const asked = { phone: anyPhone(), idempotency_key: "once" };
  const claim_id = crypto.randomUUID();
  const claimed = await claim(sql, key, { ...asked, claim_id });
  assert.equal(claimed.encrypted_token, own.sealed_token);
  const answers = [
    await claim(sql, key, asked),
    await settle(sql, claim_id, SENT),
    await claim(sql, key, asked),
    await claim(sql, key, { phone_number_id: "0" }),
  ];
  await sql`update contacts set do_not_contact = true where phone = ${asked.phone}`;
  answers.push(await claim(sql, key, { phone: asked.phone }));
  await connectAccount(sql, own.id);
  answers.push(await claim(sql, key));
  for (const answer of answers) {
    assert.ok(!/token|\.\./.test(JSON.stringify(answer)), JSON.stringify(answer));
  }
});

test("two companies can send to the same phone number, with the same idempotency key and sender number, without affecting each other", async (sql) => {
  // A WhatsApp number that this company had earlier and the other company has now.
  await disconnectAccounts(sql, other.id);
  const number = { phone_number_id: "77" };
  await disconnectAccount(sql, (await connectAccount(sql, own.id, number)).id);
  const { id: account_id } = await connectAccount(sql, other.id, number);

  const phone = anyPhone();
  const asked = { phone, idempotency_key: "once" };
  const claim_id = crypto.randomUUID();
  const theirs = await claim(sql, other.keys.all, { ...asked, claim_id, phone_number_id: "77" });
  assert.deepEqual(
    [theirs.result, theirs.company_id, theirs.account_id],
    ["claimed", other.id, account_id],
  );
  await sql`update contacts set do_not_contact = true where company_id = ${other.id}`;
  const connected = [{ phone_number_id: own.phone_number_id, display_phone: "+15550100" }];
  assert.deepEqual(
    await claim(sql, key, { ...asked, phone_number_id: "77" }),
    { result: "no_account", connected },
  );

  const ours = await claim(sql, key, asked);
  assert.deepEqual([ours.result, ours.company_id], ["claimed", own.id]);
  assert.equal(ours.created_conversation, true);
  for (const id of ["send_id", "conversation_id", "message_id", "account_id"]) {
    assert.notEqual(ours[id], theirs[id], id);
  }
  await settle(sql, claim_id, SENT);
  assert.equal((await standing(sql, ours.send_id)).state, "pending");
  assert.equal((await claim(sql, key, asked)).status, "pending");
  const contacts = await sql`select company_id from contacts where phone = ${phone}`;
  assert.deepEqual(contacts.map(({ company_id }) => company_id).sort(), [own.id, other.id].sort());
});

test("a message and its conversation cannot be deleted before the message's send", async (sql) => {
  const { send_id, message_id, conversation_id } = await claim(sql, key);
  await actAs(sql, "service_role");
  const now = (sql: Sql) => sql`set constraints sends_message_fkey immediate`;
  const deletions = [
    (sql: Sql) => sql`delete from messages where id = ${message_id}`,
    (sql: Sql) => sql`delete from conversations where id = ${conversation_id}`,
  ];
  for (const deleting of deletions) {
    const refused = refusal(sql, async (sql) => {
      await deleting(sql);
      await now(sql);
    });
    assert.equal(await refused, "23503 sends_message_fkey");
  }
  assert.equal((await sql`delete from sends where id = ${send_id}`).count, 1);
  for (const deleting of deletions) assert.equal((await deleting(sql)).count, 1);
  await now(sql);
});

test("deleting a send frees its idempotency key", async (sql) => {
  const { send_id } = await claim(sql, key, { idempotency_key: "once" });
  await sql`delete from sends where id = ${send_id}`;
  assert.equal((await claim(sql, key, { idempotency_key: "once" })).result, "claimed");
});

test("an invalid or duplicate row in the ledger is refused", async (sql) => {
  const { send_id } = await addSend(sql, own);
  const another = await claim(sql, key, { idempotency_key: "another" });
  const [{ claim_id }] = await sql`select claim_id from sends where id = ${another.send_id}`;
  const refused: [Record<string, unknown>, string][] = [
    [{ state: "lost" }, "23514 sends_state_check"],
    [{ state: "sent" }, "23514 sends_id_when_sent"],
    [{ whatsapp_message_id: "wamid.1" }, "23514 sends_id_when_sent"],
    [{ state: "failed" }, "23514 sends_reason_when_not_sent"],
    [{ state: "released" }, "23514 sends_reason_when_not_sent"],
    [{ reason: "outcome_unknown" }, "23514 sends_reason_when_not_sent"],
    [{ idempotency_key: "" }, "23514 sends_idempotency_key_check"],
    [{ template_name: "x".repeat(513) }, "23514 sends_template_name_check"],
    [{ language_code: "x".repeat(36) }, "23514 sends_language_code_check"],
    [{ idempotency_key: "another" }, "23505 sends_one_per_idempotency_key"],
    [{ message_id: another.message_id }, "23505 sends_one_per_message"],
    [{ claim_id }, "23505 sends_claim_id_key"],
    [{ claim_id: null }, "23502"],
    [{ message_id: null }, "23502"],
  ];
  for (const [change, code] of refused) {
    const changing = (sql: Sql) => sql`update sends set ${sql(change)} where id = ${send_id}`;
    assert.equal(await refusal(sql, changing), code, JSON.stringify(change));
  }
  const theirs = await addSend(sql, other);
  const crossing = async (sql: Sql) => {
    await sql`delete from sends where id = ${theirs.send_id}`;
    await sql`update sends set message_id = ${theirs.message_id} where id = ${send_id}`;
    await sql`set constraints all immediate`;
  };
  assert.equal(await refusal(sql, crossing), "23503 sends_message_fkey");
});
