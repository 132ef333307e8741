// Tests conversations and their messages. On each account, a contact has at most one conversation
// that is not closed. New messages update that conversation. A message from the contact opens a
// window of 24 hours, in which the company may reply.

import assert from "node:assert/strict";
import { refusal, rolledBack, type Sql, type Work } from "../support/acting_as.ts";
import { newCompany } from "../support/company.ts";
import { statement, withDatabase } from "../support/test_stack.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

const { id: company_id, contact_id, account_id, conversation_id, team_id, member_id } =
  await newCompany();

function open(sql: Sql, values: Record<string, unknown> = {}) {
  const row = { company_id, contact_id, messaging_account_id: account_id, ...values };
  return sql`insert into conversations ${sql(row)} returning id`;
}

function say(sql: Sql, values: Record<string, unknown>) {
  const outcome = values.direction === "outbound" ? "accepted" : null;
  const row = { company_id, conversation_id, content: "Hello", outcome, ...values };
  return sql`insert into messages ${sql(row)} returning id`;
}

async function times(sql: Sql) {
  const [row] = await sql`
    select last_message_at, window_expires_at from conversations where id = ${conversation_id}
  `;
  return { last: row.last_message_at?.toISOString(), window: row.window_expires_at?.toISOString() };
}

test("a contact has at most one open or pending conversation on an account", async (sql) => {
  const taken = "23505 conversations_one_not_closed_idx";
  for (const held of ["open", "pending"]) {
    await sql`update conversations set status = ${held} where id = ${conversation_id}`;
    for (const status of ["open", "pending"]) {
      assert.equal(await refusal(sql, (sql) => open(sql, { status })), taken);
    }
  }
  const [closed] = await open(sql, { status: "closed" });
  await open(sql, { status: "closed" });
  const reopening = (sql: Sql) =>
    sql`update conversations set status = 'open' where id = ${closed.id}`;
  assert.equal(await refusal(sql, reopening), taken);

  await sql`update conversations set status = 'closed' where id = ${conversation_id}`;
  await open(sql);
  assert.equal(await refusal(sql, reopening), taken);
});

Deno.test("if two simultaneous requests open the same conversation, one of them is refused", async () => {
  const { id: company_id, contact_id, account_id, conversation_id } = await newCompany();
  await statement`delete from conversations where id = ${conversation_id}`;
  const row = { company_id, contact_id, messaging_account_id: account_id };
  const outcomes = await Promise.allSettled(
    [1, 2].map(() => withDatabase((sql) => sql`insert into conversations ${sql(row)}`)),
  );
  assert.deepEqual(outcomes.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
});

test("a message from the contact updates the conversation and opens the window for 24 hours", async (sql) => {
  assert.deepEqual(await times(sql), { last: undefined, window: undefined });
  await say(sql, { direction: "inbound", created_at: "2026-03-01T10:00:00.123Z" });
  assert.deepEqual(await times(sql), {
    last: "2026-03-01T10:00:00.123Z",
    window: "2026-03-02T10:00:00.123Z",
  });
  await say(sql, { direction: "inbound", created_at: "2026-03-01T11:00:00Z" });
  assert.deepEqual(await times(sql), {
    last: "2026-03-01T11:00:00.000Z",
    window: "2026-03-02T11:00:00.000Z",
  });
});

test("the window lasts 24 hours even across a daylight saving change", async (sql) => {
  await sql`set local time zone 'America/New_York'`;
  await say(sql, { direction: "inbound", created_at: "2026-03-07T12:00:00-05:00" });
  assert.equal((await times(sql)).window, "2026-03-08T17:00:00.000Z");
});

test("a message from the company updates the conversation but does not open a window", async (sql) => {
  await say(sql, { direction: "outbound", created_at: "2026-03-01T10:00:00Z" });
  assert.deepEqual(await times(sql), { last: "2026-03-01T10:00:00.000Z", window: undefined });
  await say(sql, { direction: "inbound", created_at: "2026-03-01T11:00:00Z" });
  await say(sql, { direction: "outbound", created_at: "2026-03-01T12:00:00Z" });
  assert.deepEqual(await times(sql), {
    last: "2026-03-01T12:00:00.000Z",
    window: "2026-03-02T11:00:00.000Z",
  });
});

test("an outbound message updates its conversation only when the channel has accepted the message", async (sql) => {
  const created_at = "2026-03-01T10:00:00Z";
  const [pending] = await say(sql, { direction: "outbound", outcome: "pending", created_at });
  await say(sql, { direction: "outbound", outcome: "failed", created_at });
  assert.deepEqual(await times(sql), { last: undefined, window: undefined });
  await sql`update messages set outcome = 'failed' where id = ${pending.id}`;
  assert.deepEqual(await times(sql), { last: undefined, window: undefined });
  await sql`update messages set outcome = 'accepted' where id = ${pending.id}`;
  assert.deepEqual(await times(sql), { last: "2026-03-01T10:00:00.000Z", window: undefined });
});

test("a message that is recorded late does not set the conversation's times to earlier times", async (sql) => {
  await say(sql, { direction: "inbound", created_at: "2026-03-01T10:00:00Z" });
  const moved = await times(sql);
  for (const direction of ["inbound", "outbound"]) {
    await say(sql, { direction, created_at: "2026-03-01T09:00:00Z" });
  }
  assert.deepEqual(await times(sql), moved);
});

test("a message updates only its own conversation", async (sql) => {
  const [another] = await open(sql, { status: "closed" });
  await say(sql, { direction: "inbound", conversation_id: another.id });
  assert.deepEqual(await times(sql), { last: undefined, window: undefined });
});

Deno.test("the channel's message id is unique within a company, but many messages can have no id", async () => {
  const other = await newCompany();
  await rolledBack(async (sql) => {
    const whatsapp_message_id = "wamid.1";
    await say(sql, { direction: "inbound", whatsapp_message_id });
    for (const direction of ["inbound", "outbound"]) {
      const again = (sql: Sql) => say(sql, { direction, whatsapp_message_id });
      assert.equal(await refusal(sql, again), "23505 messages_one_per_whatsapp_message_id");
    }
    const { id: company_id, conversation_id } = other;
    await say(sql, { direction: "inbound", whatsapp_message_id, company_id, conversation_id });
    await say(sql, { direction: "outbound" });
    await say(sql, { direction: "outbound" });
  });
});

Deno.test("a message cannot be in a conversation of another company", async () => {
  const other = await newCompany();
  await rolledBack(async (sql) => {
    const crossing = { direction: "inbound", conversation_id: other.conversation_id };
    const refused = await refusal(sql, (sql) => say(sql, crossing));
    assert.equal(refused, "23503 messages_conversation_fkey");
  });
});

Deno.test("if a team or a user is deleted, a conversation that was assigned to the team or user remains, without the assignment", async () => {
  await rolledBack(async (sql) => {
    const assign = () =>
      sql`
        update conversations set team_id = ${team_id}, assigned_to = ${member_id} where id = ${conversation_id}
      `;
    const assignment = async () => {
      const [row] = await sql`
        select company_id, team_id, assigned_to from conversations where id = ${conversation_id}
      `;
      return { ...row };
    };
    await assign();
    await sql`delete from teams where id = ${team_id}`;
    assert.deepEqual(await assignment(), { company_id, team_id: null, assigned_to: member_id });
    await sql`delete from company_members where user_id = ${member_id}`;
    assert.deepEqual(await assignment(), { company_id, team_id: null, assigned_to: null });
  });
  await rolledBack(async (sql) => {
    await sql`update conversations set assigned_to = ${member_id} where id = ${conversation_id}`;
    await sql`delete from auth.users where id = ${member_id}`;
    const [{ assigned_to }] = await sql`
      select assigned_to from conversations where id = ${conversation_id}
    `;
    assert.equal(assigned_to, null);
  });
});

test("deleting a conversation deletes its messages", async (sql) => {
  await say(sql, { direction: "inbound" });
  await sql`delete from conversations where id = ${conversation_id}`;
  assert.deepEqual([...await sql`select from messages where company_id = ${company_id}`], []);
});
