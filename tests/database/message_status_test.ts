// The migration that gave messages a status, and what it did to the messages of before.

import assert from "node:assert/strict";
import { rolledBack } from "../support/acting_as.ts";
import { newCompany } from "../support/company.ts";

const migration = await Deno.readTextFile(
  new URL("../../supabase/migrations/20261121001100_message_status.sql", import.meta.url),
);

Deno.test("earlier messages of the company are marked as sent, and those of contacts have no status", async () => {
  const { id: company_id, conversation_id } = await newCompany();
  await rolledBack(async (sql) => {
    // The table as it was, in a schema of this test's own.
    await sql.unsafe(`
      create schema earlier;
      create table earlier.messages (like public.messages including all);
      alter table earlier.messages drop column status;
      alter table earlier.messages drop column outcome;
      create trigger messages_move_conversation after insert on earlier.messages
        for each row execute function app.move_conversation();
    `);
    const say = (direction: string, created_at: string) =>
      sql`
        insert into earlier.messages (company_id, conversation_id, direction, content, created_at)
        values (${company_id}, ${conversation_id}, ${direction}, 'Hello', ${created_at})
      `;
    const lastMessage = async () =>
      (await sql`select last_message_at from conversations where id = ${conversation_id}`)[0];
    await say("inbound", "2026-01-01");
    await say("outbound", "2026-01-02");
    await sql`update conversations set last_message_at = null where id = ${conversation_id}`;

    await sql.unsafe(migration.replaceAll("public.", "earlier."));
    const messages = await sql`select direction, status from earlier.messages order by created_at`;
    assert.deepEqual([...messages], [
      { direction: "inbound", status: null },
      { direction: "outbound", status: "sent" },
    ]);
    // Marking them as sent does not move their conversation.
    assert.deepEqual(await lastMessage(), { last_message_at: null });
    const [{ validated }] = await sql`
      select bool_and(convalidated) as validated from pg_constraint where conrelid = 'earlier.messages'::regclass
    `;
    assert.equal(validated, true);
  });
});
