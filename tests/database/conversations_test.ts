// Conversations and their messages: a contact has one conversation on an account that is not closed, and its
// messages move it.

import assert from "node:assert/strict";
import type postgres from "postgres";
import { refusal, rolledBack } from "../support/acting_as.ts";
import { connectAccount, newCompany } from "../support/company.ts";
import { withDatabase } from "../support/test_stack.ts";

type Sql = postgres.TransactionSql;

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

Deno.test("a contact has one conversation on an account that is not closed", async () => {
  await rolledBack(async (sql) => {
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
});

Deno.test("each account and each contact can have a conversation of its own", async () => {
  await rolledBack(async (sql) => {
    const account = await connectAccount(sql, company_id);
    const [contact] = await sql`
      insert into contacts (company_id, phone) values (${company_id}, '+15550102') returning id
    `;
    await open(sql, { messaging_account_id: account.id });
    await open(sql, { contact_id: contact.id });
  });
});

Deno.test("of two requests that open the same conversation at once, one is refused", async () => {
  const { id: company_id, contact_id, account_id, conversation_id } = await newCompany();
  await withDatabase((sql) => sql`delete from conversations where id = ${conversation_id}`);
  const row = { company_id, contact_id, messaging_account_id: account_id };
  const outcomes = await Promise.allSettled(
    [1, 2].map(() => withDatabase((sql) => sql`insert into conversations ${sql(row)}`)),
  );
  assert.deepEqual(outcomes.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
});

Deno.test("a message of the contact moves the conversation and opens the window for 24 hours", async () => {
  await rolledBack(async (sql) => {
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
});

Deno.test("the window is 24 hours even when the clocks change", async () => {
  await rolledBack(async (sql) => {
    await sql`set local time zone 'America/New_York'`;
    await say(sql, { direction: "inbound", created_at: "2026-03-07T12:00:00-05:00" });
    assert.equal((await times(sql)).window, "2026-03-08T17:00:00.000Z");
  });
});

Deno.test("a message of the company moves the conversation but not the window", async () => {
  await rolledBack(async (sql) => {
    await say(sql, { direction: "outbound", created_at: "2026-03-01T10:00:00Z" });
    assert.deepEqual(await times(sql), { last: "2026-03-01T10:00:00.000Z", window: undefined });
    await say(sql, { direction: "inbound", created_at: "2026-03-01T11:00:00Z" });
    await say(sql, { direction: "outbound", created_at: "2026-03-01T12:00:00Z" });
    assert.deepEqual(await times(sql), {
      last: "2026-03-01T12:00:00.000Z",
      window: "2026-03-02T11:00:00.000Z",
    });
  });
});

Deno.test("an outbound message moves its conversation when the channel has taken it, not before", async () => {
  await rolledBack(async (sql) => {
    const created_at = "2026-03-01T10:00:00Z";
    const [pending] = await say(sql, { direction: "outbound", outcome: "pending", created_at });
    await say(sql, { direction: "outbound", outcome: "failed", created_at });
    assert.deepEqual(await times(sql), { last: undefined, window: undefined });
    await sql`update messages set outcome = 'failed' where id = ${pending.id}`;
    assert.deepEqual(await times(sql), { last: undefined, window: undefined });
    await sql`update messages set outcome = 'accepted' where id = ${pending.id}`;
    assert.deepEqual(await times(sql), { last: "2026-03-01T10:00:00.000Z", window: undefined });
  });
});

Deno.test("a message that is recorded late moves no time back", async () => {
  await rolledBack(async (sql) => {
    await say(sql, { direction: "inbound", created_at: "2026-03-01T10:00:00Z" });
    const moved = await times(sql);
    for (const direction of ["inbound", "outbound"]) {
      await say(sql, { direction, created_at: "2026-03-01T09:00:00Z" });
    }
    assert.deepEqual(await times(sql), moved);
  });
});

Deno.test("a message moves its own conversation and no other", async () => {
  await rolledBack(async (sql) => {
    const [another] = await open(sql, { status: "closed" });
    await say(sql, { direction: "inbound", conversation_id: another.id });
    assert.deepEqual(await times(sql), { last: undefined, window: undefined });
  });
});

Deno.test("the channel's id of a message is unique within a company; any number of messages have none", async () => {
  const other = await newCompany();
  await rolledBack(async (sql) => {
    const whatsapp_message_id = "wamid.1";
    await say(sql, { direction: "inbound", whatsapp_message_id });
    for (const direction of ["inbound", "outbound"]) {
      assert.equal(
        await refusal(sql, (sql) => say(sql, { direction, whatsapp_message_id })),
        "23505 messages_one_per_whatsapp_message_id",
      );
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
    assert.equal(
      await refusal(sql, (sql) => say(sql, crossing)),
      "23503 messages_conversation_fkey",
    );
  });
});

Deno.test("deleting a team or a person unassigns the conversation and keeps it in its company", async () => {
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

Deno.test("deleting a conversation deletes its messages", async () => {
  await rolledBack(async (sql) => {
    await say(sql, { direction: "inbound" });
    await sql`delete from conversations where id = ${conversation_id}`;
    assert.deepEqual([...await sql`select from messages where company_id = ${company_id}`], []);
  });
});

Deno.test("an invalid status, direction, type or content is refused", async () => {
  await rolledBack(async (sql) => {
    const direction = "outbound";
    const refused: [(sql: Sql) => Promise<unknown>, string][] = [
      [(sql) => open(sql, { status: "done" }), "conversations_status_check"],
      [(sql) => say(sql, { direction: "sideways" }), "messages_direction_check"],
      [(sql) => say(sql, { direction, type: "audio" }), "messages_type_check"],
      [(sql) => say(sql, { direction, outcome: "lost" }), "messages_outcome_check"],
      [(sql) => say(sql, { direction, outcome: null }), "messages_outcome_while_outbound"],
      [
        (sql) => say(sql, { direction: "inbound", outcome: "accepted" }),
        "messages_outcome_while_outbound",
      ],
      [(sql) => say(sql, { direction, content: "x".repeat(4097) }), "messages_content_check"],
      [
        (sql) => say(sql, { direction, whatsapp_message_id: "" }),
        "messages_whatsapp_message_id_check",
      ],
    ];
    for (const [work, check] of refused) assert.equal(await refusal(sql, work), `23514 ${check}`);
    await say(sql, { direction, content: "x".repeat(4096) });
    assert.equal(await refusal(sql, (sql) => say(sql, { content: "x" })), "23502");
  });
});
