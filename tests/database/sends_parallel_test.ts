// Several transactions claim and settle template sends simultaneously.

import assert from "node:assert/strict";
import { rolledBack, type Sql } from "../support/acting_as.ts";
import { anyPhone, type Company, disconnectAccounts, newCompany } from "../support/company.ts";
import { sendCounts } from "../support/snapshot.ts";
import { until } from "../support/started.ts";
import { withDatabase } from "../support/test_stack.ts";
import { atOnce, committed, overlapping } from "./connections.ts";
import { type Claim, claim, endLease, RELEASED, SENT, settle, standing } from "./sends.ts";

const MANY = 8;

/**
 * A company whose API keys have just been used, so that concurrent claims do not wait to record the
 * keys' use.
 */
async function newSender(): Promise<Company> {
  const company = await newCompany();
  await committed((sql) =>
    sql`update api_keys set last_used_at = now() where company_id = ${company.id}`
  );
  return company;
}

const counts = (company_id: string) => withDatabase((sql) => sendCounts(sql, company_id));

/**
 * Asserts that exactly one of several claims succeeded and that the others found the send pending.
 */
function assertOneClaimed(answers: Claim[]): Claim {
  const claimed = answers.filter(({ result }) => result === "claimed");
  assert.equal(claimed.length, 1);
  const { conversation_id, message_id } = claimed[0];
  for (const answer of answers) {
    if (answer === claimed[0]) continue;
    assert.deepEqual(answer, { result: "repeat", status: "pending", conversation_id, message_id });
  }
  return claimed[0];
}

Deno.test("exactly one of many claims for a released send succeeds", async () => {
  const { id, keys } = await newSender();
  const asked = { phone: anyPhone(), idempotency_key: "once" };
  const claim_id = crypto.randomUUID();
  const first = await committed((sql) => claim(sql, keys.all, { ...asked, claim_id }));
  await committed((sql) => settle(sql, claim_id, RELEASED));
  const again = assertOneClaimed(await atOnce(MANY, (sql) => claim(sql, keys.all, asked)));
  assert.deepEqual(again, { ...first, attempt: 2 });
  assert.deepEqual(await counts(id), { contacts: 2, conversations: 2, messages: 1, sends: 1 });
});

Deno.test("concurrent claims succeed even if they all use their API key for the first time", async () => {
  // Each claim's transaction also records the use of the key.
  const { keys } = await newCompany();
  const both = [keys.messaging, keys.all];
  const asked = Array.from({ length: 4 }, (_, n) => ({
    phone: anyPhone(),
    idempotency_key: `send ${n}`,
  }));
  const answers = await atOnce(MANY, (sql, n) => claim(sql, both[n % 2], asked[n % 4]));
  for (let n = 0; n < 4; n++) assertOneClaimed([answers[n], answers[n + 4]]);
});

Deno.test("many claims for a new phone number, in either of its two formats, create one contact and one conversation", async () => {
  const { id, keys } = await newSender();
  const spellings = ["+5511987654321", "+551187654321"];
  const answers = await atOnce(MANY, (sql, n) =>
    claim(sql, keys.all, {
      phone: spellings[n % 2],
      ...(n % 4 < 2 ? {} : { idempotency_key: `send ${n}` }),
    }));
  assert.deepEqual(answers.map(({ result }) => result), Array(MANY).fill("claimed"));
  assert.equal(new Set(answers.map(({ message_id }) => message_id)).size, MANY);
  assert.equal(new Set(answers.map(({ conversation_id }) => conversation_id)).size, 1);
  assert.equal(answers.filter(({ created_conversation }) => created_conversation).length, 1);
  const each = { messages: MANY, sends: MANY };
  assert.deepEqual(await counts(id), { contacts: 2, conversations: 2, ...each });
});

Deno.test("a claim waits for an unfinished claim with the same idempotency key, and then counts as a repeat of that claim", async () => {
  const { keys } = await newSender();
  const asked = { phone: anyPhone(), idempotency_key: "once" };
  const [first, second] = await overlapping(
    (sql) => claim(sql, keys.all, asked),
    (sql) => claim(sql, keys.messaging, asked),
  );
  assert.equal(first.result, "claimed");
  assertOneClaimed([first, second]);
});

Deno.test("if a claim is rolled back, a second claim that waited for the first claim succeeds", async () => {
  const { id, keys } = await newSender();
  const asked = { phone: anyPhone(), idempotency_key: "once" };
  const [, second] = await overlapping(
    (sql) => claim(sql, keys.all, asked),
    (sql) => claim(sql, keys.messaging, asked),
    { undone: true },
  );
  assert.equal(second.result, "claimed");
  assert.equal(second.created_conversation, true);
  assert.deepEqual(await counts(id), { contacts: 2, conversations: 2, messages: 1, sends: 1 });
});

Deno.test("a claim that waits while its send is settled returns the outcome, or claims a released send again", async () => {
  for (const settlement of [SENT, RELEASED]) {
    const { keys } = await newSender();
    const asked = { phone: anyPhone(), idempotency_key: "once" };
    const claim_id = crypto.randomUUID();
    const first = await committed((sql) => claim(sql, keys.all, { ...asked, claim_id }));
    const [, second] = await overlapping(
      (sql) => settle(sql, claim_id, settlement),
      (sql) => claim(sql, keys.all, asked),
    );
    if (settlement === RELEASED) assert.deepEqual(second, { ...first, attempt: 2 });
    else assert.deepEqual([second.result, second.status], ["repeat", "sent"]);
  }
});

Deno.test("a claim waits for a contact or conversation that another transaction is adding, and then uses that contact or conversation", async () => {
  const { id: company_id, keys, contact_id, account_id, conversation_id } = await newSender();
  const phone = anyPhone();
  const [added, forContact] = await overlapping(
    async (sql) => {
      const row = { company_id, phone, name: "Ada" };
      return (await sql`insert into contacts ${sql(row)} returning id`)[0].id;
    },
    (sql) => claim(sql, keys.all, { phone, contact_name: "Grace" }),
  );
  const [{ id, name }] = await committed((sql) =>
    sql`
      select contacts.id, name from contacts join conversations on contact_id = contacts.id
      where conversations.id = ${forContact.conversation_id}
    `
  );
  assert.deepEqual([id, name], [added, "Ada"]);

  const own = await committed(async (sql) => {
    await sql`update conversations set status = 'closed' where id = ${conversation_id}`;
    return (await sql`select phone from contacts where id = ${contact_id}`)[0].phone;
  });
  const conversation = { company_id, contact_id, messaging_account_id: account_id };
  const [openedFirst, inConversation] = await overlapping(
    async (sql) => (await sql`insert into conversations ${sql(conversation)} returning id`)[0].id,
    (sql) => claim(sql, keys.all, { phone: own }),
  );
  assert.equal(inConversation.conversation_id, openedFirst);
  assert.equal(inConversation.created_conversation, false);
});

Deno.test("a claim that waits for another transaction sees the changes that this transaction commits", async () => {
  const STOPPED = { result: "do_not_contact" };
  const { id: company_id, keys, contact_id } = await newSender();
  const phone = anyPhone();
  const [, met] = await overlapping(
    (sql) => sql`insert into contacts ${sql({ company_id, phone, do_not_contact: true })}`,
    (sql) => claim(sql, keys.all, { phone }),
  );
  assert.deepEqual(met, STOPPED);

  const [{ phone: own }] = await committed((sql) =>
    sql`select phone from contacts where id = ${contact_id}`
  );
  const forbid = (do_not_contact: boolean) => (sql: Sql) =>
    sql`update contacts set do_not_contact = ${do_not_contact} where id = ${contact_id}`;
  const [, changed] = await overlapping(
    forbid(true),
    (sql) => claim(sql, keys.all, { phone: own }),
  );
  assert.deepEqual(changed, STOPPED);
  await committed(forbid(false));

  // The claims below wait until the send with the same idempotency key is released.
  const asked = { phone: own, idempotency_key: "once" };
  const claim_id = crypto.randomUUID();
  await committed((sql) => claim(sql, keys.all, { ...asked, claim_id }));
  const [, forbidden] = await overlapping(
    async (sql) => {
      await settle(sql, claim_id, RELEASED);
      await forbid(true)(sql);
    },
    (sql) => claim(sql, keys.all, asked),
  );
  assert.deepEqual(forbidden, STOPPED);
  await committed(forbid(false));
  const again = { claim_id: crypto.randomUUID() };
  await committed((sql) => claim(sql, keys.all, { ...asked, ...again }));
  const [, disconnected] = await overlapping(
    async (sql) => {
      await settle(sql, again.claim_id, RELEASED);
      await disconnectAccounts(sql, company_id);
    },
    (sql) => claim(sql, keys.all, asked),
  );
  assert.deepEqual(disconnected, { result: "no_account", connected: [] });
});

Deno.test("a waiting claim does not delay other requests with the same API key", async () => {
  const { keys, contact_id } = await newCompany();
  const { claiming } = await committed(async (sql) => {
    const [{ phone }] = await sql`select phone from contacts where id = ${contact_id} for update`;
    const claiming = committed((sql) => claim(sql, keys.all, { phone }));
    const waits = async () =>
      (await sql`
        select from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))
      `).count > 0;
    await until(waits);
    const other = await committed(async (sql) => {
      await sql`set local lock_timeout = '2s'`;
      return await claim(sql, keys.all);
    });
    assert.equal(other.result, "claimed");
    return { claiming };
  });
  assert.equal((await claiming).result, "claimed");
});

Deno.test("if a contact is deleted while a claim waits for the contact, the claim adds the contact again", async () => {
  const { id: company_id, keys } = await newSender();
  const phone = anyPhone();
  await committed((sql) => sql`insert into contacts ${sql({ company_id, phone })}`);
  const [, { result, created_conversation }] = await overlapping(
    (sql) => sql`delete from contacts where company_id = ${company_id} and phone = ${phone}`,
    (sql) => claim(sql, keys.all, { phone }),
  );
  assert.deepEqual([result, created_conversation], ["claimed", true]);
});

Deno.test("the scheduled job skips a send that is being settled, and does not wait for the settlement", async () => {
  const { keys } = await newSender();
  const claim_id = crypto.randomUUID();
  const { send_id } = await committed((sql) => claim(sql, keys.all, { claim_id }));
  await committed((sql) => endLease(sql, send_id));
  await committed(async (sql) => {
    await settle(sql, claim_id, SENT);
    // The transaction is rolled back, because the job also settles sends of other tests.
    await rolledBack(async (job) => {
      await job`set local lock_timeout = '5s'`;
      await job`select fail_expired_sends()`;
      assert.equal((await standing(job, send_id)).state, "pending");
    });
  });
  assert.equal((await committed((sql) => standing(sql, send_id))).state, "sent");
});
