// What claiming a template send finds, makes and returns.

import assert from "node:assert/strict";
import type postgres from "postgres";
import { rolledBack } from "../support/acting_as.ts";
import { anyPhone, connectAccount, disconnectAccount, newCompany } from "../support/company.ts";
import { sendCounts } from "../support/snapshot.ts";
import { addContact, claim } from "./sends.ts";

type Sql = postgres.TransactionSql;

const own = await newCompany();
const { id: company_id, keys, contact_id, account_id, conversation_id, phone_number_id } = own;
const key = keys.messaging;

/** The row of a table that has this id. */
async function row(sql: Sql, table: string, id: string) {
  const [found] = await sql`select * from ${sql(table)} where id = ${id}`;
  return found;
}

async function phoneOf(sql: Sql, contactId: string): Promise<string> {
  return (await row(sql, "contacts", contactId)).phone;
}

Deno.test("a claim for a new phone makes a contact, a conversation, a message and a row in the ledger", async () => {
  await rolledBack(async (sql) => {
    const phone = anyPhone();
    const claim_id = crypto.randomUUID();
    const answer = await claim(sql, key, {
      claim_id,
      phone,
      contact_name: "Grace",
      template_name: "welcome",
      language_code: "en",
      idempotency_key: "welcome-grace",
      fingerprint: "of-the-request",
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
    // Runs the checks that otherwise wait for the end of the transaction.
    await sql`set constraints all immediate`;
    assert.deepEqual(await sendCounts(sql, company_id), {
      contacts: 2,
      conversations: 2,
      messages: 1,
      sends: 1,
    });

    const opened = await row(sql, "conversations", opened_id);
    assert.deepEqual(
      [opened.company_id, opened.messaging_account_id, opened.status, opened.last_message_at],
      [company_id, account_id, "open", null],
    );
    const { created_at: _, updated_at: _u, version: _v, ...stored } = await row(
      sql,
      "contacts",
      opened.contact_id,
    );
    const given = Object.entries(stored).filter(([column]) => !/_(key|words)$/.test(column));
    assert.deepEqual(Object.fromEntries(given), {
      id: opened.contact_id,
      company_id,
      name: "Grace",
      email: null,
      phone,
      temperature: "warm",
      tags: [],
      source: "api",
      job_title: null,
      empresa: null,
      custom_fields: {},
      do_not_contact: false,
      is_active: true,
      archived_at: null,
      erased_at: null,
      has_identity: false,
      do_not_contact_source: null,
      do_not_contact_at: null,
      stop_word_at: null,
      start_word_at: null,
      marketing_stopped_at: null,
      marketing_stop_source: null,
      marketing_resumed_at: null,
      marketing_opt_out_at: null,
      profile_name_at: null,
      custom_fields_patch: null,
    });
    const message = await row(sql, "messages", message_id);
    // What the channel may report of it has no value yet.
    const written = Object.entries(message).filter(([, value]) => value !== null);
    assert.deepEqual(Object.fromEntries(written), {
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
      version: message.version,
    });
    const send = await row(sql, "sends", send_id);
    assert.deepEqual({ ...send }, {
      id: send_id,
      company_id,
      idempotency_key: "welcome-grace",
      fingerprint: "of-the-request",
      message_id,
      created_conversation: true,
      template_name: "welcome",
      language_code: "en",
      state: "pending",
      claim_id,
      lease_ends_at: new Date(message.created_at.getTime() + 90_000),
      reason: null,
      channel_code: null,
      whatsapp_message_id: null,
      created_at: message.created_at,
      updated_at: message.created_at,
      media_id: null,
      attempt: 1,
      is_erased: false,
      double_sent_ids: [],
    });
  });
});

Deno.test("the message has exactly the content and the type of the request", async () => {
  await rolledBack(async (sql) => {
    const contents = [" \t Olá, José́ 🚚\r\n\u0001  ", "", "\\n {{1}} ''", "x".repeat(4096)];
    for (const content of contents) {
      for (const message_type of ["text", "image", "video", "document"]) {
        const { message_id } = await claim(sql, key, { content, message_type });
        const { content: kept, type } = await row(sql, "messages", message_id);
        assert.deepEqual([kept, type], [content, message_type]);
      }
    }
  });
});

Deno.test("a contact is found by every spelling of its phone, and is not changed", async () => {
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

Deno.test("a new contact keeps the phone as the request spells it, and has a name only if one is given", async () => {
  await rolledBack(async (sql) => {
    const phone = "+551187654321";
    const { conversation_id } = await claim(sql, key, { phone });
    const { contact_id } = await row(sql, "conversations", conversation_id);
    const contact = await row(sql, "contacts", contact_id);
    assert.deepEqual([contact.phone, contact.name], [phone, null]);
  });
});

Deno.test("the contact's conversation on the account is continued until it is closed", async () => {
  await rolledBack(async (sql) => {
    const phone = await phoneOf(sql, contact_id);
    const claimed = async () => {
      const { conversation_id: id, created_conversation, send_id } = await claim(sql, key, {
        phone,
      });
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
    // The newer conversation is used, although the older one was updated later.
    await sql`update conversations set team_id = null where id = ${conversation_id}`;
    assert.deepEqual(await claimed(), { ...opened, created_conversation: false });
    await sql`update conversations set status = 'closed' where id = ${opened.id}`;
    const next = await claimed();
    assert.ok(![conversation_id, opened.id].includes(next.id));
  });
});

Deno.test("a claim does not use conversations of another account or another contact", async () => {
  await rolledBack(async (sql) => {
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
});

Deno.test("a send uses the account that the request names, or the only connected one", async () => {
  await rolledBack(async (sql) => {
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
});
