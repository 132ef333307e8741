import assert from "node:assert/strict";
import { logSettledWebhook } from "../../supabase/functions/webhooks/deliver/webhook_lines.ts";
import { newCompany } from "../support/company.ts";
import { later, logged } from "../support/log_lines.ts";
import { ownWebhooks } from "../support/own_functions.ts";
import { addWebhook, noteEvents, receiver } from "../support/receiving.ts";
import { statement } from "../support/test_stack.ts";

const paused = () => ({
  ...{ id: crypto.randomUUID(), company_id: crypto.randomUUID(), state: "paused" as const },
  ...{ told: "paused" as const, why: null, failures: 5, paused_until: null },
});

Deno.test("webhooks that are paused at the same time cause at most ten log lines, and the next line counts the omitted ones", async () => {
  const origin = { requestId: crypto.randomUUID() };
  const lines = await logged(async () => {
    await later(30, () => {
      for (let count = 0; count < 50; count++) logSettledWebhook(origin, paused());
      return Promise.resolve();
    });
    await later(60, () => Promise.resolve(logSettledWebhook(origin, paused())));
  });
  assert.equal(lines.length, 11);
  const leftOut = lines.map((line) => JSON.parse(line).left_out);
  // The first line may count lines that earlier tests left out.
  assert.deepEqual([leftOut.slice(1, 10).every((each) => each === undefined), leftOut[10]], [
    ...[true, 40],
  ]);
});

Deno.test("if a webhook's secret cannot be decrypted, each run writes one log line about the webhook", async () => {
  const company = await newCompany();
  await using shop = receiver();
  const webhooks = await Promise.all([1, 2].map(() => addWebhook(company.id, shop.url)));
  // A secret can be decrypted only for its own webhook, so the test exchanges the two secrets.
  await statement`
    update webhooks set sealed_secret = other.sealed_secret from webhooks as other
    where webhooks.company_id = ${company.id} and other.company_id = ${company.id}
      and other.id <> webhooks.id
  `;
  await noteEvents(
    company.id,
    Array.from({ length: 3 }, () => ({
      type: "deal.updated",
      record_id: crypto.randomUUID(),
      webhooks: webhooks.map(({ id }) => id),
    })),
  );
  const deliver = await ownWebhooks([shop.url]);
  const lines = await logged(() => deliver(company.id));
  const secrets = lines.map((line) => JSON.parse(line))
    .filter(({ event }) => event === "webhook_secret");
  assert.deepEqual(
    secrets.map(({ webhook_id }) => webhook_id).sort(),
    webhooks.map(({ id }) => id).sort(),
  );
  assert.equal(shop.got.length, 0);
});
