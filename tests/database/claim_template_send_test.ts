// Tests which rows a claim of a template send finds, creates and returns.

import assert from "node:assert/strict";
import { rolledBack, type Sql, type Work } from "../support/acting_as.ts";
import { anyPhone, connectAccount, disconnectAccount, newCompany } from "../support/company.ts";
import { sendCounts } from "../support/snapshot.ts";
import { addContact, claim } from "./sends.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

const own = await newCompany();
const { id: company_id, keys, contact_id, account_id, conversation_id, phone_number_id } = own;
const key = keys.messaging;

/** The row with this id in a table. */
async function row(sql: Sql, table: string, id: string) {
  const [found] = await sql`select * from ${sql(table)} where id = ${id}`;
  return found;
}

/** The columns of a row that are not null. */
function filled(row: Record<string, unknown>) {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}

async function phoneOf(sql: Sql, contactId: string): Promise<string> {
  return (await row(sql, "contacts", contactId)).phone;
}

test("a claim for a new phone number creates a contact, a conversation, a message and a row in `sends`", async (sql) => {
  const phone = anyPhone();
  const claim_id = crypto.randomUUID();
  const answer = await claim(sql, key, {
    claim_id,
    phone,
    contact_name: "Grace",
    template_name: "welcome",
    language_code: "en",
    idempotency_key: "welcome-grace",
  });
  const { send_id, message_id, conversation_id: opened_id, ...rest } = answer;
  assert.deepEqual(rest, {
    result: "claimed",
    attempt: 1,
    company_id,
    account_id,
    phone_number_id,
    business_account_id: null,
    encrypted_token: own.sealed_token,
    created_conversation: true,
    template: null,
  });
  // Runs the deferred constraint checks, which would otherwise run at the end of the transaction.
  await sql`set constraints all immediate`;
  assert.deepEqual(
    await sendCounts(sql, company_id),
    { contacts: 2, conversations: 2, messages: 1, sends: 1 },
  );

  const opened = await row(sql, "conversations", opened_id);
  assert.deepEqual(
    [opened.company_id, opened.messaging_account_id, opened.status, opened.last_message_at],
    [company_id, account_id, "open", null],
  );
  const contact = filled(await row(sql, "contacts", opened.contact_id));
  for (const column of Object.keys(contact)) {
    if (/_(key|words)$|^(created_at|updated_at|version)$/.test(column)) delete contact[column];
  }
  assert.deepEqual(contact, {
    id: opened.contact_id,
    company_id,
    name: "Grace",
    phone,
    temperature: "warm",
    tags: [],
    source: "api",
    custom_fields: {},
    do_not_contact: false,
    is_active: true,
    has_identity: false,
    marketing_opt_out: false,
  });
  const message = await row(sql, "messages", message_id);
  // The columns for the channel's reports are still null.
  assert.deepEqual(filled(message), {
    id: message_id,
    company_id,
    conversation_id: opened_id,
    direction: "outbound",
    type: "text",
    content: "Hello",
    created_at: message.created_at,
    updated_at: message.created_at,
    outcome: "pending",
    status: "pending",
    is_erased: false,
    author_type: "key",
    author_id: message.author_id,
    author_name: "test",
    version: message.version,
  });
  const send = await row(sql, "sends", send_id);
  assert.deepEqual(filled(send), {
    id: send_id,
    company_id,
    idempotency_key: "welcome-grace",
    fingerprint: send.fingerprint,
    message_id,
    created_conversation: true,
    template_name: "welcome",
    language_code: "en",
    state: "pending",
    claim_id,
    lease_ends_at: new Date(message.created_at.getTime() + 90_000),
    created_at: message.created_at,
    updated_at: message.created_at,
    attempt: 1,
    api_key_id: message.author_id,
    is_erased: false,
    double_sent_ids: [],
  });
});

Deno.test("a claim finds the contact even if the phone number has another format, and does not change the contact", async () => {
  const spellings = [
    ["+5511987654321", "+551187654321"],
    ["+5215512345678", "+525512345678"],
    ["+5491112345678", "+541112345678"],
  ];
  for (const [one, another] of spellings.flatMap(([a, b]) => [[a, b], [b, a], [a, a]])) {
    for (const name of ["Ada", null]) {
      await rolledBack(async (sql) => {
        const id = await addContact(sql, { company_id, phone: one, name });
        const before = await row(sql, "contacts", id);
        const made = await claim(sql, key, { phone: another, contact_name: "Grace" });
        const conversation = await row(sql, "conversations", made.conversation_id);
        assert.equal(conversation.contact_id, id, `${one} for ${another}`);
        assert.deepEqual(await row(sql, "contacts", id), before);
      });
    }
  }
});

test("a claim uses the contact's conversation on the account until that conversation is closed", async (sql) => {
  const phone = await phoneOf(sql, contact_id);
  const claimed = async () => {
    const { conversation_id: id, created_conversation, send_id } = await claim(sql, key, { phone });
    const kept = (await row(sql, "sends", send_id)).created_conversation;
    assert.equal(created_conversation, kept);
    return { id, created_conversation };
  };
  const carriedOn = { id: conversation_id, created_conversation: false };
  assert.deepEqual(await claimed(), carriedOn);
  await sql`update conversations set status = 'pending' where id = ${conversation_id}`;
  assert.deepEqual(await claimed(), carriedOn);

  await sql`update conversations set status = 'closed' where id = ${conversation_id}`;
  const opened = await claimed();
  assert.deepEqual([opened.id === conversation_id, opened.created_conversation], [false, true]);
  // The newer conversation is used, although the older conversation was updated later.
  await sql`update conversations set team_id = null where id = ${conversation_id}`;
  assert.deepEqual(await claimed(), { ...opened, created_conversation: false });
  await sql`update conversations set status = 'closed' where id = ${opened.id}`;
  const next = await claimed();
  assert.ok(![conversation_id, opened.id].includes(next.id));
});

test("a claim does not use the conversations of another account or another contact", async (sql) => {
  const another = await connectAccount(sql, company_id);
  const phone = await phoneOf(sql, contact_id);
  const onAnother = await claim(sql, key, { phone, phone_number_id: another.phone_number_id });
  assert.equal(onAnother.created_conversation, true);
  const opened = await row(sql, "conversations", onAnother.conversation_id);
  assert.deepEqual([opened.contact_id, opened.messaging_account_id], [contact_id, another.id]);
  const onOwn = await claim(sql, key, { phone, phone_number_id });
  assert.equal(onOwn.conversation_id, conversation_id);
  const withAnother = await claim(sql, key, { phone_number_id });
  assert.equal(withAnother.created_conversation, true);
});

test("a send uses the account that the request names, or the only connected account if the request names none", async (sql) => {
  const another = await connectAccount(sql, company_id);
  const named = await claim(sql, key, { phone_number_id: another.phone_number_id });
  assert.deepEqual(
    [named.account_id, named.phone_number_id, named.encrypted_token],
    [another.id, another.phone_number_id, another.sealed_token],
  );
  assert.equal((await claim(sql, key, { phone_number_id })).account_id, account_id);
  await disconnectAccount(sql, account_id);
  assert.equal((await claim(sql, key)).account_id, another.id);
});
