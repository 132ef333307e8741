// What claiming a free reply decides and writes.

import assert from "node:assert/strict";
import type postgres from "postgres";
import { rolledBack } from "../support/acting_as.ts";
import { addMessage, connectAccount, disconnectAccounts, newCompany } from "../support/company.ts";
import { snapshot } from "../support/snapshot.ts";
import { committed, overlapping } from "./connections.ts";
import { claimReply, personWrites } from "./replies.ts";
import { claim, RELEASED, settle } from "./sends.ts";

type Sql = postgres.TransactionSql;

const company = await newCompany();
const { id: company_id, contact_id, conversation_id, account_id, keys } = company;
const other = await newCompany();
const key = keys.messaging;

const A_DAY = 24 * 60 * 60;

async function phoneOf(sql: Sql): Promise<string> {
  const [{ phone }] = await sql`select phone from contacts where id = ${contact_id}`;
  return phone;
}

Deno.test("a claim within the window makes a message and a row in the ledger, and returns what a call needs", async () => {
  await rolledBack(async (sql) => {
    await personWrites(sql, company, 60);
    const claim_id = crypto.randomUUID();
    const asked = { conversation_id, claim_id, content: " Olá 🚚\n", idempotency_key: "once" };
    const { send_id, message_id, ...rest } = await claimReply(sql, key, asked);
    assert.deepEqual(rest, {
      result: "claimed",
      attempt: 1,
      account_id,
      phone_number_id: company.phone_number_id,
      business_account_id: null,
      encrypted_token: company.sealed_token,
      conversation_id,
      created_conversation: false,
      phone: await phoneOf(sql),
      user_id: null,
    });
    await sql`set constraints all immediate`;
    const [message] = await sql`select * from messages where id = ${message_id}`;
    assert.deepEqual(
      [message.content, message.type, message.direction, message.status, message.rendered_text],
      [" Olá 🚚\n", "text", "outbound", "pending", null],
    );
    const [send] = await sql`select * from sends where id = ${send_id}`;
    assert.deepEqual(
      [send.claim_id, send.state, send.template_name, send.language_code, send.idempotency_key],
      [claim_id, "pending", null, null, "once"],
    );
  });
});

Deno.test("the window is 24 hours after the person's last message, less a minute", async () => {
  const cases: [number, boolean][] = [
    [0, true],
    [A_DAY - 61, true],
    [A_DAY - 60, false],
    [A_DAY, false],
    [6 * A_DAY, false],
  ];
  for (const [secondsAgo, isOpen] of cases) {
    await rolledBack(async (sql) => {
      await personWrites(sql, company, secondsAgo);
      const answer = await claimReply(sql, key, { conversation_id });
      if (isOpen) return assert.equal(answer.result, "claimed", `${secondsAgo} s`);
      const [{ expires_at }] = await sql`
        select to_jsonb(expires_at) as expires_at from contact_windows where contact_id = ${contact_id}
      `;
      assert.deepEqual(answer, { result: "window_closed", expires_at });
    });
  }
});

Deno.test("without a message of the person there is no window, whatever was sent", async () => {
  await rolledBack(async (sql) => {
    await addMessage(sql, company, { direction: "outbound", outcome: "accepted" });
    const closed = { result: "window_closed", expires_at: null };
    assert.deepEqual(await claimReply(sql, key, { conversation_id }), closed);
  });
});

Deno.test("a window belongs to the number: a message on another one opens nothing", async () => {
  await rolledBack(async (sql) => {
    const { id } = await connectAccount(sql, company_id);
    const [there] = await sql`
      insert into conversations (company_id, contact_id, messaging_account_id)
      values (${company_id}, ${contact_id}, ${id}) returning id
    `;
    await personWrites(sql, { id: company_id, conversation_id: there.id }, 60);
    assert.equal((await claimReply(sql, key, { conversation_id })).result, "window_closed");
    assert.equal((await claimReply(sql, key, { conversation_id: there.id })).result, "claimed");
  });
});

Deno.test("a conversation that is opened after another was closed has the same window", async () => {
  await rolledBack(async (sql) => {
    await personWrites(sql, company, 60);
    await sql`update conversations set status = 'closed' where id = ${conversation_id}`;
    const closed = { result: "closed", existing_id: null as string | null };
    assert.deepEqual(await claimReply(sql, key, { conversation_id }), closed);
    const [opened] = await sql`
      insert into conversations (company_id, contact_id, messaging_account_id)
      values (${company_id}, ${contact_id}, ${account_id}) returning id
    `;
    assert.equal((await claimReply(sql, key, { conversation_id: opened.id })).result, "claimed");
    closed.existing_id = opened.id;
    assert.deepEqual(await claimReply(sql, key, { conversation_id }), closed);
  });
});

Deno.test("a conversation of another company is not found, as one that does not exist", async () => {
  await rolledBack(async (sql) => {
    await personWrites(sql, other, 60);
    for (const id of [other.conversation_id, crypto.randomUUID()]) {
      const answer = await claimReply(sql, key, { conversation_id: id });
      assert.deepEqual(answer, { result: "not_found" });
    }
  });
});

Deno.test("a disconnected account sends no reply, and no other account does it in its place", async () => {
  await rolledBack(async (sql) => {
    await personWrites(sql, company, 60);
    await disconnectAccounts(sql, company_id);
    await connectAccount(sql, company_id);
    assert.deepEqual(await claimReply(sql, key, { conversation_id }), { result: "no_account" });
  });
});

Deno.test("do_not_contact stops a reply unless the person has written since", async () => {
  const minute = 60;
  // When do_not_contact was set, and when the person last wrote, in seconds before now.
  const cases: [number | null, number, boolean][] = [
    [5 * minute, 4 * minute, true],
    [5 * minute, 5 * minute, false], // the word itself
    [5 * minute, 6 * minute, false],
    [null, 0, false], // nobody knows since when
  ];
  for (const [setAgo, wroteAgo, isClaimed] of cases) {
    await rolledBack(async (sql) => {
      await personWrites(sql, company, wroteAgo);
      await sql`
        update contacts set do_not_contact = true, do_not_contact_source = 'word' where id = ${contact_id}
      `;
      await sql`
        update contacts set do_not_contact_at = now() - make_interval(secs => ${setAgo}) where id = ${contact_id}
      `;
      const { result } = await claimReply(sql, key, { conversation_id });
      assert.equal(result, isClaimed ? "claimed" : "do_not_contact", `${setAgo}, ${wroteAgo}`);
    });
  }
});

Deno.test("do_not_contact comes before the window: no template would be sent either", async () => {
  await rolledBack(async (sql) => {
    await sql`update contacts set do_not_contact = true where id = ${contact_id}`;
    assert.deepEqual(await claimReply(sql, key, { conversation_id }), { result: "do_not_contact" });
  });
});

Deno.test("an opt-out of marketing stops no reply", async () => {
  await rolledBack(async (sql) => {
    await personWrites(sql, company, 60);
    await sql`update contacts set marketing_stopped_at = now() where id = ${contact_id}`;
    assert.equal((await claimReply(sql, key, { conversation_id })).result, "claimed");
  });
});

Deno.test("a claim that is stopped, or a dry run, writes nothing and uses up no idempotency key", async () => {
  const { id, keys, conversation_id } = await newCompany();
  await committed((sql) => sql`update api_keys set last_used_at = now() where company_id = ${id}`);
  const before = await snapshot(id);
  const asked = { conversation_id, idempotency_key: "once" };
  const stopped = await committed((sql) => claimReply(sql, keys.all, asked));
  assert.equal(stopped.result, "window_closed");
  assert.deepEqual(await snapshot(id), before);

  await committed((sql) => personWrites(sql, { id, conversation_id }, 60));
  const open = await snapshot(id);
  const dry = await committed((sql) => claimReply(sql, keys.all, { ...asked, dry_run: true }));
  assert.deepEqual(dry, { result: "send" });
  assert.deepEqual(await snapshot(id), open);
  const claimed = await committed((sql) => claimReply(sql, keys.all, asked));
  assert.equal(claimed.result, "claimed");
});

Deno.test("a claim waits for a change of its contact, and heeds it", async () => {
  const { id, keys, contact_id, conversation_id } = await newCompany();
  await committed((sql) => personWrites(sql, { id, conversation_id }, 60));
  const [, answer] = await overlapping(
    (sql) => sql`update contacts set do_not_contact = true where id = ${contact_id}`,
    (sql) => claimReply(sql, keys.all, { conversation_id }),
  );
  assert.deepEqual(answer, { result: "do_not_contact" });
});

Deno.test("a conversation that is handed over to another contact during a claim is answered as that contact's", async () => {
  const { id, keys, contact_id, conversation_id } = await newCompany();
  const phone = "+5511987654321";
  const [, answer] = await overlapping(
    async (sql) => {
      const [survivor] = await sql`
        insert into contacts (company_id, phone) values (${id}, ${phone}) returning id
      `;
      await sql`select from contacts where id = ${contact_id} for update`;
      await sql`update conversations set contact_id = ${survivor.id} where id = ${conversation_id}`;
      await personWrites(sql, { id, conversation_id }, 60);
    },
    (sql) => claimReply(sql, keys.all, { conversation_id }),
  );
  assert.deepEqual([answer.result, answer.phone], ["claimed", phone]);
});

Deno.test("a window that closes while a claim waits for its idempotency key stops it", async () => {
  const { id, keys, contact_id, account_id, conversation_id } = await newCompany();
  await committed((sql) => personWrites(sql, { id, conversation_id }, 60));
  const asked = { conversation_id, idempotency_key: "once" };
  const [, answer] = await overlapping(
    async (sql) => {
      await claimReply(sql, keys.all, asked);
      await sql`select app.close_window(${id}, ${contact_id}, ${account_id}, now())`;
      await sql`delete from sends where company_id = ${id}`;
    },
    (sql) => claimReply(sql, keys.all, asked),
  );
  assert.equal(answer.result, "window_closed");
});

Deno.test("a released reply is claimed again as the next attempt, without the facts of the one before", async () => {
  await rolledBack(async (sql) => {
    await personWrites(sql, company, 60);
    const asked = { conversation_id, idempotency_key: "once" };
    const claim_id = crypto.randomUUID();
    const first = await claimReply(sql, key, { ...asked, claim_id });
    await settle(sql, claim_id, RELEASED);
    await sql`
      update messages set
        sent_at = now(), delivered_at = now(), read_at = now(), failed_at = now(), expired_at = now(),
        failure = '{}', price_category = 'service', price_type = 'regular'
      where id = ${first.message_id}
    `;
    const again = await claimReply(sql, key, { ...asked, content: "Hello again" });
    assert.deepEqual(again, { ...first, attempt: 2 });
    const [message] = await sql`
      select content, outcome, status, sent_at, delivered_at, read_at, failed_at, expired_at, failure,
        price_category, price_type
      from messages where id = ${first.message_id}
    `;
    const { content, outcome, status, ...facts } = message;
    assert.deepEqual([content, outcome, status], ["Hello again", "pending", "pending"]);
    assert.deepEqual([...new Set(Object.values(facts))], [null]);
  });
});

Deno.test("a released template send is taken over by a reply with its key, and the other way round", async () => {
  await rolledBack(async (sql) => {
    await personWrites(sql, company, 60);
    const phone = await phoneOf(sql);
    const claims: [string, (claim_id: string) => Promise<Record<string, unknown>>][] = [
      ["once", (claim_id) => claim(sql, key, { claim_id, phone, idempotency_key: "once" })],
      [
        "once",
        (claim_id) => claimReply(sql, key, { claim_id, conversation_id, idempotency_key: "once" }),
      ],
      ["once", (claim_id) => claim(sql, key, { claim_id, phone, idempotency_key: "once" })],
    ];
    const templates = [];
    for (const [at, [, attempt]] of claims.entries()) {
      const claim_id = crypto.randomUUID();
      const answer = await attempt(claim_id);
      assert.deepEqual([answer.result, answer.attempt], ["claimed", at + 1]);
      const [send] = await sql`select template_name from sends where claim_id = ${claim_id}`;
      templates.push(send.template_name);
      await settle(sql, claim_id, RELEASED);
    }
    assert.deepEqual(templates, ["order_update", null, "order_update"]);
    assert.equal((await sql`select from sends where company_id = ${company_id}`).length, 1);
  });
});
