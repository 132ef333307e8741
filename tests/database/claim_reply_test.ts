// Tests the decisions and the writes of a claim for a free-form reply. A message from the contact
// opens a window of 24 hours, in which a reply is possible.

import assert from "node:assert/strict";
import { actAsSuperuser, rolledBack, type Sql, type Work } from "../support/acting_as.ts";
import { addMessage, anyPhone, connectAccount, newCompany } from "../support/company.ts";
import { snapshot } from "../support/snapshot.ts";
import { committed, overlapping } from "./connections.ts";
import { ago } from "./hints.ts";
import { tell } from "./inbound.ts";
import { claimReply, personWrites } from "./replies.ts";
import { actAsSender, claim, RELEASED, settle } from "./sends.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

const company = await newCompany();
const { id: company_id, contact_id, conversation_id, account_id, keys } = company;
const key = keys.messaging;

const A_DAY = 24 * 60 * 60;

async function phoneOf(sql: Sql): Promise<string> {
  const [{ phone }] = await sql`select phone from contacts where id = ${contact_id}`;
  return phone;
}

test("a claim within the window creates a message and a row in `sends`, and returns the data for the channel call", async (sql) => {
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

Deno.test("the window closes 23 hours and 59 minutes after the contact's last message", async () => {
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

test("a conversation has no window until the contact writes, even if the company has sent templates", async (sql) => {
  await addMessage(sql, company, { direction: "outbound", outcome: "accepted" });
  const closed = { result: "window_closed", expires_at: null };
  assert.deepEqual(await claimReply(sql, key, { conversation_id }), closed);
});

test("a new conversation has the same window as the contact's closed conversation", async (sql) => {
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

Deno.test("do_not_contact stops a reply until the contact writes again", async () => {
  const minute = 60;
  // Each case: when `do_not_contact` was set and when the contact last wrote, both in seconds
  // before now, and whether a reply is allowed.
  const cases: [number | null, number, boolean][] = [
    [5 * minute, 4 * minute, true],
    [5 * minute, 5 * minute, false], // the message itself was the stop word
    [5 * minute, 6 * minute, false],
    [null, 0, false], // the time when do_not_contact was set is unknown
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

test("after do_not_contact was set manually, a stop word allows no reply, but the person's next message does", async (sql) => {
  await sql`update contacts set do_not_contact = true where id = ${contact_id}`;
  await sql`
    update contacts set do_not_contact_at = now() - interval '5 minutes', stop_word_at = now() - interval '4 minutes'
    where id = ${contact_id}
  `;
  await personWrites(sql, company, 4 * 60);
  const { result } = await claimReply(sql, key, { conversation_id });
  assert.equal(result, "do_not_contact");
  await personWrites(sql, company, 3 * 60);
  assert.equal((await claimReply(sql, key, { conversation_id })).result, "claimed");
  await sql`update contacts set do_not_contact_at = null where id = ${contact_id}`;
  const unknown = await claimReply(sql, key, { conversation_id });
  assert.equal(unknown.result, "do_not_contact");
});

test("if do_not_contact is set and the window is closed, the claim returns do_not_contact", async (sql) => {
  await sql`update contacts set do_not_contact = true where id = ${contact_id}`;
  assert.deepEqual(await claimReply(sql, key, { conversation_id }), { result: "do_not_contact" });
});

test("a marketing opt-out does not stop a reply", async (sql) => {
  await personWrites(sql, company, 60);
  await sql`update contacts set marketing_stopped_at = now() where id = ${contact_id}`;
  assert.equal((await claimReply(sql, key, { conversation_id })).result, "claimed");
});

Deno.test("a stopped claim and a dry run write nothing and do not use up the idempotency key", async () => {
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

Deno.test("a claim waits while its contact is being changed, and then uses the changed contact", async () => {
  const { id, keys, contact_id, conversation_id } = await newCompany();
  await committed((sql) => personWrites(sql, { id, conversation_id }, 60));
  const [, answer] = await overlapping(
    (sql) => sql`update contacts set do_not_contact = true where id = ${contact_id}`,
    (sql) => claimReply(sql, keys.all, { conversation_id }),
  );
  assert.deepEqual(answer, { result: "do_not_contact" });
});

Deno.test("if a conversation moves to another contact during a claim, the reply goes to that contact", async () => {
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

Deno.test("a claim that waits for another claim with the same idempotency key is stopped if the window closes in the meantime", async () => {
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

test("when a released reply is claimed again, its message contains no data from the previous attempt", async (sql) => {
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

test("replies and template sends can reuse the idempotency key of a released send of the other kind, and a reply never reports a new conversation", async (sql) => {
  await personWrites(sql, company, 60);
  await sql`update conversations set status = 'closed' where id = ${conversation_id}`;
  const phone = await phoneOf(sql);
  const idempotency_key = "once";
  const ofTemplate = (claim_id: string) => claim(sql, key, { claim_id, phone, idempotency_key });
  const ofReply = async (claim_id: string) => {
    const [{ id }] = await sql`
      select id from conversations where contact_id = ${contact_id} and status <> 'closed'
    `;
    return await claimReply(sql, key, { claim_id, conversation_id: id, idempotency_key });
  };
  const seen = [];
  for (const [at, attempt] of [ofTemplate, ofReply, ofTemplate].entries()) {
    const claim_id = crypto.randomUUID();
    const answer = await attempt(claim_id);
    assert.deepEqual([answer.result, answer.attempt], ["claimed", at + 1]);
    const [send] = await sql`
      select template_name, created_conversation from sends where claim_id = ${claim_id}
    `;
    assert.equal(answer.created_conversation, send.created_conversation);
    seen.push(Object.values(send));
    await settle(sql, claim_id, RELEASED);
  }
  assert.deepEqual(seen, [["order_update", true], [null, false], ["order_update", false]]);
  assert.equal((await sql`select from sends where company_id = ${company_id}`).length, 1);
});

test("a reply and a reaction go to the contact's number from which the person last wrote", async (sql) => {
  const [main, further] = [anyPhone(), anyPhone()];
  const [{ id: survivor }] = await sql`
    insert into contacts (company_id, phone) values (${company_id}, ${main}) returning id
  `;
  const writes = (phone: string, secondsAgo: number) => {
    const at = new Date(Date.now() - secondsAgo * 1000).toISOString();
    return tell(sql, account_id, { kind: "message", at, person: { phone } });
  };
  const answered = async () => {
    const [{ id, message_id }] = await sql`
      select conversations.id, messages.id as message_id from conversations
      join messages on messages.conversation_id = conversations.id
      where contact_id = ${survivor} and messages.type <> 'system' order by messages.created_at desc limit 1
    `;
    await actAsSender(sql, key);
    const [{ reaction }] = await sql`select message_to_react(${message_id}, '👍') as reaction`;
    await actAsSuperuser(sql);
    const reply = await claimReply(sql, key, { conversation_id: id });
    assert.equal(reply.result, "claimed");
    assert.equal(reaction.phone, reply.phone);
    return reply.phone;
  };

  await writes(further, 300);
  const [{ contact_id: other }] = await sql`
    select contact_id from conversations where company_id = ${company_id} and contact_id in (
      select id from contacts where phone = ${further}
    )
  `;
  await sql`select app.merge_contacts(${company_id}, ${survivor}, ${other})`;
  assert.equal(await answered(), further, "the merged contact's window");
  await writes(main, 200);
  assert.equal(await answered(), main);
  await writes(further, 100);
  await writes(main, 150); // an event that arrives late
  assert.equal(await answered(), further);

  const newest = anyPhone();
  const change = {
    at: new Date().toISOString(),
    person: { phone: further },
    change: { phone: newest },
  };
  await tell(sql, account_id, { kind: "system", ...change });
  assert.equal(await answered(), newest, "the person's new number");
  await sql`delete from contact_former_phones where contact_id = ${survivor}`;
  assert.equal(await answered(), main, "the contact no longer has the number");
});

/** The user id to which a reply in the account's conversation goes. */
async function userIdOn(sql: Sql, account: { id: string }): Promise<unknown> {
  const [conversation] = await sql`
    select id from conversations where company_id = ${company_id} and messaging_account_id = ${account.id}
  `;
  const claimed = await claimReply(sql, key, { conversation_id: conversation.id });
  assert.equal(claimed.phone, null);
  return claimed.user_id;
}

test("a reply to a person without a phone number goes to the user id that the person has at the account", async (sql) => {
  const accounts = [];
  for (const n of [1, 2, 3]) {
    accounts.push(await connectAccount(sql, company_id, { business_account_id: `700${n}` }));
  }
  const ids = ["BR.one", "BR.two", "BR.three"];
  // The ids are from several business portfolios. The company has found that they are one person's.
  for (const [at, account] of accounts.entries()) {
    const person = { user_id: ids[at] };
    await tell(sql, account.id, { kind: "message", at: ago(300 - at * 60), person });
  }
  const [survivor, ...others] = await sql`
    select contact_id as id from contact_identities
    where company_id = ${company_id} order by seen_at
  `;
  for (const { id } of others) {
    await sql`select app.merge_contacts(${company_id}, ${survivor.id}, ${id})`;
  }
  for (const [at, account] of accounts.entries()) {
    assert.equal(await userIdOn(sql, account), ids[at]);
  }
});

test("a reply never goes to a person's former user id, even if the change was reported late", async (sql) => {
  // The two ids have the same time. A choice at random would soon find the wrong id.
  for (let n = 0; n < 8; n++) {
    const account = await connectAccount(sql, company_id, { business_account_id: "7001" });
    const [was, becomes] = [`BR.was${n}`, `BR.becomes${n}`];
    // The person writes with the new id before the event about the new id arrives.
    await tell(sql, account.id, { kind: "message", at: ago(60), person: { user_id: becomes } });
    const person = { user_id: was };
    await tell(sql, account.id, {
      kind: "identity",
      at: ago(90),
      person,
      change: { user_id: becomes },
    });
    assert.equal(await userIdOn(sql, account), becomes);
  }
});
