// Tests the list of webhooks that receive no events. The settings page shows this list on every
// view.

import assert from "node:assert/strict";
import { actAsPerson, actAsSuperuser, rolledBack } from "../support/acting_as.ts";
import { newCompany, newMembers } from "../support/company.ts";
import { addWebhook } from "../support/webhooks.ts";

const [own, other] = [await newCompany(), await newCompany()];
const [agent, admin] = await newMembers(own, "agent", "admin");

Deno.test("only owners and admins see the webhooks that are off or have failed for an hour", async () => {
  await rolledBack(async (sql) => {
    const url = "https://shop.example/hooks/crm?token=secret";
    const switched_off_at = new Date();
    const off = await addWebhook(sql, own, { url, state: "off", switched_off_at });
    const [failing, brief, paused] = await Promise.all([1, 2, 3].map(() => addWebhook(sql, own)));
    await addWebhook(sql, other, { state: "off", switched_off_at });
    await sql`update webhooks set failing_since = now() - interval '61 minutes' where id = ${failing}`;
    await sql`update webhooks set failing_since = now() - interval '59 minutes' where id = ${brief}`;
    await sql`
      update webhooks set failing_since = now() - interval '2 days', state = 'paused' where id = ${paused}
    `;
    const ended = await addWebhook(sql, own, { created_by_key_id: crypto.randomUUID() });
    const seenBy = async (person: string, company_id = own.id) => {
      await actAsPerson(sql, person);
      const rows = await sql`
        select webhook_id, address, trouble from webhook_troubles(${company_id})
      `;
      await actAsSuperuser(sql);
      return rows.map(({ webhook_id, address, trouble }) => [webhook_id, address, trouble]);
    };
    const receiver = "receiver.example/events";
    assert.deepEqual(await seenBy(admin), [
      [off, "shop.example/hooks/crm", "off"],
      [ended, receiver, "off"],
      [failing, receiver, "failing"],
    ]);
    assert.equal((await seenBy(own.member_id)).length, 3);
    for (const person of [agent, other.member_id]) assert.deepEqual(await seenBy(person), []);
    assert.deepEqual(await seenBy(admin, other.id), []);
  });
});
