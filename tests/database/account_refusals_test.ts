// If the channel refuses a send because of a problem with the account, a notice appears
// immediately. The next successful send withdraws the notice.

import assert from "node:assert/strict";
import {
  actAsPerson,
  actAsSuperuser,
  rolledBack,
  type Sql,
  type Work,
} from "../support/acting_as.ts";
import { newCompany, newMembers } from "../support/company.ts";
import { claimReply, personWrites } from "./replies.ts";
import { type Claim, claim, FAILED, RELEASED, SENT, settle } from "./sends.ts";
import { applyStatus, failure, report as reportOf } from "./statuses.ts";

const ACCOUNT = "channel_account_error";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

const own = await newCompany();
const other = await newCompany();
const [agent] = await newMembers(own, "agent");
const key = own.keys.messaging;

const refusedWith = (channel_code: number | null) => ({
  ...{ outcome: "released", reason: ACCOUNT, channel_code },
});

async function claimed(sql: Sql, asked: Record<string, unknown> = {}): Promise<Claim> {
  const claim_id = crypto.randomUUID();
  return { claim_id, ...await claim(sql, key, { claim_id, ...asked }) };
}

/** Claims a send and settles it with this settlement. */
async function send(sql: Sql, settlement: Record<string, unknown>): Promise<Claim> {
  const made = await claimed(sql);
  const { claim_id, was_refused } = made;
  const told = settlement.outcome === "sent"
    ? { ...settlement, whatsapp_message_id: `wamid.${claim_id}`, was_refused: was_refused ?? false }
    : settlement;
  await settle(sql, claim_id, told);
  return made;
}

/** The account's current refusals, as a member of the company sees them. */
async function refusals(sql: Sql): Promise<unknown[]> {
  await actAsPerson(sql, agent);
  const [{ notices }] = await sql`select notices from messaging_accounts_overview(${own.id})`;
  await actAsSuperuser(sql);
  return notices.map(({ kind, event, stops_sending, stopped_sends, value }: Claim) => [
    ...[kind, event, stops_sending, stopped_sends, value.code],
  ]);
}

/**
 * Begins the job that reads the templates from the channel, and ends the job with this failure
 * message. `refusal` is the channel's error code.
 */
async function reading(sql: Sql, failure: string | null, refusal: string | null) {
  const [{ run }] = await sql`select begin_job('template-sync', ${own.account_id}) as run`;
  await sql`select end_job(${run.run_id}, ${failure}, null, ${refusal})`;
}

test("if the account gets a new token, an earlier request that WhatsApp then refuses leaves no notice", async (sql) => {
  const catalogue = { company_id: own.id, business_account_id: "9900001" };
  await sql`
    update messaging_accounts set business_account_id = ${catalogue.business_account_id}
    where id = ${own.account_id}
  `;
  await sql`insert into template_catalogues ${sql(catalogue)} on conflict do nothing`;
  const [{ run }] = await sql`select begin_job('template-sync', ${own.account_id}) as run`;
  const { claim_id } = await claimed(sql);
  // The token is stored after both requests began.
  await sql`
    insert into account_health (account_id, company_id, token_stored_at)
    values (${own.account_id}, ${own.id}, now() + interval '1 second')
  `;
  await sql`update template_catalogues set sync_due_at = now() where company_id = ${own.id}`;
  await sql`select end_job(${run.run_id}, 'Refused', null, '190')`;
  await settle(sql, claim_id, refusedWith(10));
  const [{ is_due }] = await sql`
    select sync_due_at <= now() as is_due from template_catalogues
    where company_id = ${own.id}
  `;
  assert.deepEqual([await refusals(sql), is_due], [[], true]);
  // A refusal that is not about the token leaves a notice.
  await send(sql, refusedWith(131042));
  assert.deepEqual(await refusals(sql), [["refusal", "131042", true, 1, 131042]]);
});

test("when the channel refuses an account, a notice appears immediately and counts the sends that were stopped", async (sql) => {
  for (const code of [131042, 131042, 190, null]) await send(sql, refusedWith(code));
  assert.deepEqual(await refusals(sql), [
    ["refusal", "131042", true, 2, 131042],
    ["refusal", "190", true, 1, 190],
    ["refusal", "token_unusable", true, 1, null],
  ]);
  await actAsPerson(sql, agent);
  const troubles = await sql`
    select trouble, event, stopped_sends from messaging_account_troubles(${own.id})
  `;
  assert.equal(troubles.length, 3);
  await actAsPerson(sql, other.member_id);
  assert.deepEqual([...await sql`select * from messaging_account_troubles(${own.id})`], []);
});

test("a reply that the channel refuses because of the account also counts as a refusal of the account", async (sql) => {
  await personWrites(sql, own, 60);
  const claim_id = crypto.randomUUID();
  await claimReply(sql, key, { claim_id, conversation_id: own.conversation_id });
  await settle(sql, claim_id, refusedWith(368));
  assert.deepEqual(await refusals(sql), [["refusal", "368", true, 1, 368]]);
});

test("the next successful send withdraws every refusal, and later claims do not return was_refused", async (sql) => {
  assert.equal((await send(sql, SENT)).was_refused, undefined);
  await send(sql, refusedWith(131031));
  // A send that fails for another reason does not change the refusals of the account.
  for (const settlement of [FAILED, RELEASED]) {
    assert.equal((await send(sql, settlement)).was_refused, true);
  }
  assert.equal((await refusals(sql)).length, 1);
  await send(sql, SENT);
  assert.deepEqual(await refusals(sql), []);
  assert.equal((await send(sql, SENT)).was_refused, undefined);
});

test("a claim from a refused account still succeeds, because the channel may accept the send", async (sql) => {
  await send(sql, refusedWith(190));
  assert.equal((await claimed(sql)).result, "claimed");
});

test("a successful send that began before a refusal does not withdraw the refusal", async (sql) => {
  await send(sql, refusedWith(190));
  await sql`update account_notices set received_at = now() + interval '1 second' where company_id = ${own.id}`;
  await send(sql, SENT);
  assert.equal((await refusals(sql)).length, 1);
  assert.equal((await claimed(sql)).was_refused, true, "the refusal is not withdrawn yet");
});

test("a successful send withdraws a refusal even if a status report settles the send before the channel's response arrives", async (sql) => {
  await send(sql, refusedWith(190));
  const { claim_id, send_id, was_refused } = await claimed(sql);
  await sql`update sends set state = 'sent', whatsapp_message_id = 'wamid.first' where id = ${send_id}`;
  await settle(sql, claim_id, {
    ...{ outcome: "sent", whatsapp_message_id: "wamid.first", was_refused },
  });
  assert.deepEqual(await refusals(sql), []);
});

test("a notice about a refused template list remains until the templates are read, and only a refused token sets `stops_sending`", async (sql) => {
  await reading(sql, "The channel refuses to list the templates", "200");
  await reading(sql, "The channel refuses to list the templates", "190");
  const both = [["reading_refusal", "190", true, 0, 190], [
    "reading_refusal",
    "200",
    false,
    0,
    200,
  ]];
  assert.deepEqual(await refusals(sql), both);
  await reading(sql, "HTTP 503", null);
  assert.deepEqual(await refusals(sql), both);
  await send(sql, refusedWith(131042));
  await send(sql, refusedWith(190));
  await reading(sql, null, null);
  // The token works again, but this does not show whether the payment problem is solved.
  assert.deepEqual(await refusals(sql), [["refusal", "131042", true, 1, 131042]]);
});

test("a refusal ends 30 days after the last refused send, and a later refusal starts a new count", async (sql) => {
  await send(sql, refusedWith(131042));
  await sql`update account_notices set happened_at = now() - interval '60 days' where company_id = ${own.id}`;
  assert.equal((await refusals(sql)).length, 1);
  await sql`update account_notices set received_at = now() - interval '31 days' where company_id = ${own.id}`;
  assert.deepEqual(await refusals(sql), []);
  await send(sql, refusedWith(131042));
  const [{ is_new }] = await sql`
    select happened_at = now() as is_new from account_notices where account_id = ${own.account_id}
  `;
  assert.ok(is_new);
  assert.deepEqual(await refusals(sql), [["refusal", "131042", true, 1, 131042]]);
});

/**
 * Makes a send that the channel accepts, and applies a report about the send. The time of the
 * report is `at` seconds from now.
 */
async function reported(
  sql: Sql,
  status: string,
  code?: number,
  { at = 0 } = {},
): Promise<string> {
  const { claim_id, was_refused } = await claimed(sql);
  const id = `wamid.${claim_id}`;
  await settle(sql, claim_id, {
    ...{ outcome: "sent", whatsapp_message_id: id, was_refused: was_refused ?? false },
  });
  await report(sql, id, status, code, at);
  return id;
}

async function report(sql: Sql, id: string, status: string, code?: number, at = 0) {
  const time = new Date(Date.now() + at * 1000).toISOString();
  const failed = code && failure(code, code === 131026 ? "recipient_unreachable" : ACCOUNT);
  const item = reportOf(status, 0, { id, at: time, failure: failed ?? null });
  assert.equal(await applyStatus(sql, [own.account_id], item), "done");
}

test("a notice appears if the channel accepts a message, but reports that it cannot deliver the message because of the account", async (sql) => {
  const id = await reported(sql, "failed", 131042);
  assert.deepEqual(await refusals(sql), [["reported_refusal", "131042", true, 1, 131042]]);
  // The channel sends the same report again.
  await report(sql, id, "failed", 131042);
  await reported(sql, "failed", 131042);
  assert.deepEqual(await refusals(sql), [["reported_refusal", "131042", true, 2, 131042]]);
});

test("a report that a later message was sent withdraws a reported refusal, but the channel's acceptance of that message does not", async (sql) => {
  const earlier = await reported(sql, "sent");
  await reported(sql, "failed", 131031);
  await send(sql, SENT);
  // The next message fails for another reason. The earlier message is older than the refusal. So
  // the reports about these messages do not withdraw the refusal.
  await reported(sql, "failed", 131026);
  await sql`update messages set created_at = now() - interval '1 hour' where whatsapp_message_id = ${earlier}`;
  await report(sql, earlier, "delivered");
  assert.equal((await refusals(sql)).length, 1);
  await reported(sql, "sent");
  assert.deepEqual(await refusals(sql), []);
  assert.equal((await claimed(sql)).was_refused, undefined);
});

test("a report that is more than one day old does not change the account's refusals", async (sql) => {
  await reported(sql, "failed", 131042, { at: -25 * 3600 });
  assert.deepEqual(await refusals(sql), []);
});
