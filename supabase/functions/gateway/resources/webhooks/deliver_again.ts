import * as z from "zod/mini";
import { unlessRefused } from "../../../_shared/database/refusals.ts";
import { one } from "../../../_shared/http/answers.ts";
import { Id, IdParams } from "../../../_shared/http/fields.ts";
import { REPLAYED } from "../../../_shared/http/idempotency.ts";
import { operation, reply } from "../../../_shared/http/operation.ts";
import { EventId } from "../../../_shared/webhooks/event.ts";
import { QueuedEvent, Replay, Replaying } from "../../../_shared/webhooks/webhook.ts";

/**
 * Returns the response's data and headers. The database result says whether the request is a
 * repeat.
 */
function queued<Row>(answer: unknown) {
  const { replayed, ...data } = answer as Row & { replayed: boolean };
  return { data: data as unknown as Row, headers: replayed ? REPLAYED : undefined };
}

/** See docs/webhooks.md. */
export const deliverAgain = [
  operation({
    id: "testWebhook",
    method: "POST",
    path: "/webhooks/:id/test",
    scope: "webhooks",
    params: IdParams,
    answers: () => ({ 202: one(QueuedEvent) }),
    idempotent: true,
    errors: ["not_found", "conflict"],
  }, async ({ caller: { db }, params: { id }, idempotency }) => {
    const answer = await db.rpc("test_webhook", {
      webhook_id: id,
      ...(idempotency && { idempotency }),
    });
    const { data, headers } = queued<z.output<typeof QueuedEvent>>(unlessRefused(answer));
    return reply(202, { data }, { headers });
  }),

  operation({
    id: "redeliverEvent",
    method: "POST",
    path: "/webhooks/:id/deliveries/:event_id/redeliver",
    scope: "webhooks",
    params: z.object({ id: Id, event_id: EventId }),
    answers: () => ({ 202: one(QueuedEvent) }),
    idempotent: true,
    errors: ["not_found", "conflict"],
  }, async ({ caller: { db }, params: { id, event_id }, idempotency }) => {
    const answer = await db.rpc("redeliver_event", {
      webhook_id: id,
      event_id,
      ...(idempotency && { idempotency }),
    });
    const { data, headers } = queued<z.output<typeof QueuedEvent>>(unlessRefused(answer));
    return reply(202, { data }, { headers });
  }),

  operation({
    id: "replayWebhook",
    method: "POST",
    path: "/webhooks/:id/replay",
    scope: "webhooks",
    params: IdParams,
    body: Replay,
    answers: () => ({ 202: one(Replaying) }),
    idempotent: true,
    errors: ["not_found", "conflict"],
  }, async ({ caller: { db }, params: { id }, body, idempotency }) => {
    const answer = await db.rpc("replay_webhook", {
      webhook_id: id,
      ...body,
      ...(idempotency && { idempotency }),
    });
    const { data, headers } = queued<z.output<typeof Replaying>>(unlessRefused(answer));
    return reply(202, { data }, { headers });
  }),
];
