// A repeat of a template send reports the state of the send. If the send was released, the repeat
// claims the send again.

import assert from "node:assert/strict";
import { rolledBack, type Sql, type Work } from "../support/acting_as.ts";
import { anyPhone, anyPhoneNumberId, disconnectAccounts, newCompany } from "../support/company.ts";
import {
  addContact,
  type Claim,
  claim,
  FAILED,
  RELEASED,
  SENT,
  settle,
  standing,
} from "./sends.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

const { id: company_id, keys, account_id } = await newCompany();
const key = keys.messaging;
const idempotency_key = "reminder-ada-2026-11-21";

/** Claims a send with the idempotency key. */
async function claimOnce(sql: Sql, asked: Record<string, unknown> = {}): Promise<Claim> {
  return await claim(sql, key, { idempotency_key, ...asked });
}

/** Claims a send with the idempotency key, and settles the send unless `settlement` is null. */
async function attempt(
  sql: Sql,
  settlement: Record<string, unknown> | null,
  asked: Record<string, unknown> = {},
): Promise<Claim> {
  const claim_id = crypto.randomUUID();
  const claimed = await claimOnce(sql, { claim_id, ...asked });
  assert.equal(claimed.result, "claimed");
  if (settlement) await settle(sql, claim_id, settlement);
  return claimed;
}

/** The response to a repeat of a claimed send. */
function repeatOf({ conversation_id, message_id }: Claim, status: string) {
  return { result: "repeat", status, conversation_id, message_id };
}

/** All columns of every row that a claim may write. */
async function everything(sql: Sql) {
  const rows = [];
  for (const table of ["contacts", "conversations", "messages", "sends"]) {
    const found = sql`select * from ${sql(table)} where company_id = ${company_id} order by id`;
    rows.push(...await found);
  }
  return rows;
}

const STANDING = [[null, "pending"], [SENT, "sent"], [FAILED, "failed"]] as const;

Deno.test("a repeat with other values returns the send's state, a repeat with another template or recipient is refused, and no repeat writes anything", async () => {
  for (const [settlement, status] of STANDING) {
    await rolledBack(async (sql) => {
      const phone = anyPhone();
      const claimed = await attempt(sql, settlement, { phone });
      const before = await everything(sql);
      const repeat = repeatOf(claimed, status);
      const mismatch = (...fields: string[]) => ({ ...repeat, mismatch: fields });
      const reused = (...differs: string[]) => ({ result: "reused", differs });
      const words = { content: "x".repeat(5000), message_type: "audio", contact_name: "Grace" };
      const answers: [Record<string, unknown>, unknown][] = [
        [{}, repeat],
        [words, mismatch("display_text", "contact_name", "template_header_type")],
        [{ phone_number_id: anyPhoneNumberId() }, mismatch("phone_number_id")],
        [
          { template_name: "welcome", language_code: "en" },
          reused("template_name", "language_code"),
        ],
        [{ ...words, phone: anyPhone() }, reused("phone")],
        [{ ...words, phone: "no phone" }, reused("phone")],
      ];
      for (const [asked, expected] of answers) {
        assert.deepEqual(await claimOnce(sql, { phone, ...asked }), expected);
      }
      assert.deepEqual(await everything(sql), before);
    });
  }
});

Deno.test("a repeat returns the state of the send even when new sends would be refused", async () => {
  for (const [settlement, status] of STANDING) {
    await rolledBack(async (sql) => {
      const phone = anyPhone();
      const claimed = await attempt(sql, settlement, { phone });
      await sql`update contacts set do_not_contact = true where phone = ${phone}`;
      assert.deepEqual(await claimOnce(sql, { phone }), repeatOf(claimed, status));
      await disconnectAccounts(sql, company_id);
      assert.deepEqual(await claimOnce(sql, { phone }), repeatOf(claimed, status));
    });
  }
});

test("an idempotency key belongs to the company, not to an API key, and must match exactly", async (sql) => {
  const phone = anyPhone();
  const claimed = await attempt(sql, null, { phone });
  const again = await claim(sql, keys.all, { idempotency_key, phone });
  assert.deepEqual(again, repeatOf(claimed, "pending"));
  const spelled = [idempotency_key.toUpperCase(), ` ${idempotency_key}`, `${idempotency_key}\n`];
  for (const other of [...spelled, "é", "e\u0301", "null", "%6b", "'", "🚚".repeat(200)]) {
    assert.equal(
      (await claimOnce(sql, { phone, idempotency_key: other })).result,
      "claimed",
      other,
    );
  }
});

test("a request without an idempotency key is never a repeat", async (sql) => {
  const phone = anyPhone();
  const first = await claim(sql, key, { phone });
  const second = await claim(sql, key, { phone });
  assert.deepEqual([first.result, second.result], ["claimed", "claimed"]);
  assert.equal(first.conversation_id, second.conversation_id);
  assert.notEqual(first.message_id, second.message_id);
  assert.notEqual(first.send_id, second.send_id);
});

test("a released send that is claimed again keeps its row and its message, and the message gets the new content", async (sql) => {
  const phone = anyPhone();
  const first = await attempt(sql, RELEASED, { phone });
  assert.equal((await standing(sql, first.send_id)).message_status, "failed");
  const earlier = new Date("2026-01-01");
  await sql`update messages set created_at = ${earlier} where id = ${first.message_id}`;
  await sql`
    update sends set created_at = ${earlier}, lease_ends_at = ${earlier} where id = ${first.send_id}
  `;

  const claim_id = crypto.randomUUID();
  const content = {
    phone,
    content: "Hello again",
    message_type: "video",
    template_name: "welcome",
    language_code: "en",
  };
  const again = await claimOnce(sql, { claim_id, ...content });
  const next: Claim = { ...first, attempt: 2 };
  assert.deepEqual(again, next);
  assert.deepEqual(await standing(sql, again.send_id), {
    state: "pending",
    reason: null,
    channel_code: null,
    id: null,
    message_status: "pending",
    message_id: null,
    moved: false,
  });
  const [message] = await sql`select *, now() as now from messages where id = ${again.message_id}`;
  assert.deepEqual(
    [message.content, message.type, message.created_at, message.direction],
    ["Hello again", "video", message.now, "outbound"],
  );
  const [send] = await sql`
    select *, lease_ends_at = now() + interval '90 seconds' as leased from sends
    where company_id = ${company_id}
  `;
  assert.deepEqual(
    [send.claim_id, send.template_name, send.language_code, send.leased, send.created_at],
    [claim_id, "welcome", "en", true, earlier],
  );
  assert.deepEqual(await claimOnce(sql, content), repeatOf(first, "pending"));

  assert.equal(await settle(sql, claim_id, SENT), "sent");
  assert.equal((await standing(sql, again.send_id)).moved, true);
  assert.equal((await sql`select from messages where company_id = ${company_id}`).length, 1);
});

test("a released send remains released if its repeat is stopped", async (sql) => {
  const phone = anyPhone();
  const first = await attempt(sql, RELEASED, { phone });
  await sql`update contacts set do_not_contact = true where phone = ${phone}`;
  const before = await everything(sql);
  const asked = { phone, content: "Hello again" };
  assert.deepEqual(await claimOnce(sql, asked), { result: "do_not_contact" });
  assert.equal((await claimOnce(sql, { ...asked, phone_number_id: "0" })).result, "no_account");
  assert.deepEqual(await everything(sql), before);

  await sql`update contacts set do_not_contact = false where phone = ${phone}`;
  assert.deepEqual(await claimOnce(sql, asked), { ...first, attempt: 2 });
});

test("a released send that is claimed for another contact moves to that contact's conversation", async (sql) => {
  const first = await attempt(sql, RELEASED);
  const phone = anyPhone();
  const contact_id = await addContact(sql, { company_id, phone });
  const again = await claimOnce(sql, { phone });
  assert.equal(again.message_id, first.message_id);
  const [{ conversation_id }] = await sql`
    select conversation_id from messages where id = ${first.message_id}
  `;
  assert.equal(conversation_id, again.conversation_id);
  const [conversation] = await sql`select * from conversations where id = ${conversation_id}`;
  assert.equal(conversation.contact_id, contact_id);
  assert.deepEqual(await claimOnce(sql, { phone }), repeatOf(again, "pending"));
});

Deno.test("if a released send is claimed again, `created_conversation` says whether the send opened its current conversation", async () => {
  const closeAll = (sql: Sql) =>
    sql`update conversations set status = 'closed' where company_id = ${company_id}`;
  const openAnother = async (sql: Sql, phone: string) => {
    await sql`
      insert into conversations (company_id, contact_id, messaging_account_id)
      select company_id, id, ${account_id} from contacts where phone = ${phone}
    `;
  };
  // The columns: whether a conversation exists before the first attempt, what happens before the
  // second attempt, whether both attempts use the same conversation, and whether the send opened
  // the conversation of the second attempt.
  const cases: [boolean, ((sql: Sql, phone: string) => Promise<unknown>)[], boolean, boolean][] = [
    [false, [], true, true],
    [false, [closeAll], false, true],
    [false, [closeAll, openAnother], false, false],
    [true, [], true, false],
    [true, [closeAll], false, true],
    [true, [closeAll, openAnother], false, false],
  ];
  for (const [opened, steps, isSame, expected] of cases) {
    await rolledBack(async (sql) => {
      const phone = anyPhone();
      await addContact(sql, { company_id, phone });
      if (opened) await openAnother(sql, phone);
      const first = await attempt(sql, RELEASED, { phone });
      assert.equal(first.created_conversation, !opened);
      for (const step of steps) await step(sql, phone);
      // A third attempt has the same result as the second attempt.
      for (let times = 0; times < 2; times++) {
        const again = await attempt(sql, RELEASED, { phone });
        const [kept] = await sql`select * from sends where id = ${again.send_id}`;
        assert.deepEqual(
          [
            again.conversation_id === first.conversation_id,
            again.created_conversation,
            kept.created_conversation,
          ],
          [isSame, expected, expected],
          `${opened} ${steps.map(({ name }) => name)}`,
        );
      }
    });
  }
});
