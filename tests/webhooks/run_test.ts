import assert from "node:assert/strict";
import { newCompany } from "../support/company.ts";
import { ownRun } from "../support/own_functions.ts";
import { addWebhook, noteEvents, receiver } from "../support/receiving.ts";
import { statement } from "../support/test_stack.ts";

Deno.test("a run whose CPU time is used up starts the next run before its last responses arrive", async () => {
  const company = await newCompany();
  const slow = Promise.withResolvers<void>();
  await using shop = receiver(async ({ path }) => {
    if (path === "/slow") await slow.promise;
    return new Response(null, { status: 204 });
  });
  const waiting = await addWebhook(company.id, `${shop.url}/slow`);
  const idle = await addWebhook(company.id, `${shop.url}/quick`);
  await noteEvents(company.id, [
    ...Array.from({ length: 30 }, () => ({
      ...{ type: "deal.updated", record_id: crypto.randomUUID(), webhooks: [waiting.id] },
    })),
    { type: "deal.updated", record_id: company.deal_id, webhooks: [idle.id] },
  ]);
  const spent = Promise.withResolvers<void>();
  const run = await ownRun(company.id, [shop.url], { spent: spent.resolve }, { cpuMs: 15 });
  const ended = run.run({ untilMs: performance.now() + 30_000, untilIdle: true });
  try {
    await Promise.race([spent.promise, ended]);
    const leases = await statement`
      select id, lease_id is not null as is_leased from webhooks where company_id = ${company.id}
    `;
    const isLeased = new Map(leases.map(({ id, is_leased }) => [id, is_leased]));
    assert.deepEqual([isLeased.get(waiting.id), isLeased.get(idle.id)], [true, false]);
  } finally {
    slow.resolve();
  }
  assert.equal(await ended, "budget");
});
