// Tests the outcomes of deliveries that are stored while a person is being erased.
import assert from "node:assert/strict";
import type { Sql } from "../support/acting_as.ts";
import { newCompany } from "../support/company.ts";
import { addWebhook, noteEvents } from "../support/receiving.ts";
import { statement } from "../support/test_stack.ts";
import { overlapping } from "./connections.ts";

/** A waiting delivery about a contact. `answers` are the responses to its earlier attempts. */
async function newDelivery(answers: string[] = []) {
  const company = await newCompany();
  const run = crypto.randomUUID();
  const { id } = await addWebhook(company.id, "https://example.com", {
    ...{ types: ["deal.won"], lease_id: run },
  });
  await noteEvents(company.id, [
    { type: "contact.updated", record_id: company.contact_id, webhooks: [id] },
  ]);
  const tries = answers.map((answer) => ({ answer }));
  await statement`
    update app.open_deliveries set tries = ${
    JSON.stringify(tries)
  }::text::jsonb where webhook_id = ${id}
  `;
  /** Stores an attempt, to which the receiver gave this response. */
  const settle = (result: string, answer: string | null) => (sql: Sql) =>
    sql`
      select settle_deliveries(${run}, jsonb_agg(jsonb_build_object(
        'webhook_id', webhook_id, 'record_id', record_id, 'seq', seq, 'attempts', attempts,
        'ended_at', clock_timestamp(), 'result', ${result}::text,
        'try', jsonb_build_object('status', 500, 'answer', ${answer}::text)
      )))
      from app.open_deliveries where webhook_id = ${id}
    `;
  const erase = async (sql: Sql) => {
    const contacts = [company.contact_id];
    await sql`select app.lock_for_erasing(${company.id}, ${contacts})`;
    await sql`select app.erase_contacts(${company.id}, ${contacts})`;
  };
  /** The responses that are stored for the delivery. */
  const stored = async () => {
    const [{ tries }] = await statement`
      select tries from app.open_deliveries where webhook_id = ${id}
      union all select tries from app.deliveries where webhook_id = ${id}
    `;
    return tries.map(({ answer }: { answer: string | null }) => answer);
  };
  return { settle, erase, stored };
}

Deno.test("a response that arrives while the person is being erased is not stored", async () => {
  const { settle, erase, stored } = await newDelivery();
  await overlapping(erase, settle("failed", "bad: Ada Secret"));
  assert.deepEqual(await stored(), [null]);
});

Deno.test("an erasure removes a response that is being stored when the erasure begins", async () => {
  const { settle, erase, stored } = await newDelivery();
  await overlapping(settle("failed", "bad: Ada Secret"), erase);
  assert.deepEqual(await stored(), [null]);
});

Deno.test("an erasure removes the earlier responses of a delivery that is moving to the log", async () => {
  const { settle, erase, stored } = await newDelivery(["bad: Ada Secret"]);
  await overlapping(settle("delivered", null), erase);
  assert.deepEqual(await stored(), [null, null]);
});

Deno.test("a response about a person who is not being erased is stored", async () => {
  const { settle, stored } = await newDelivery();
  await overlapping(settle("failed", "bad request"), () => Promise.resolve());
  assert.deepEqual(await stored(), ["bad request"]);
});
