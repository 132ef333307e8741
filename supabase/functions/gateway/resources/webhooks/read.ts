import * as base64url from "jose/base64url";
import * as z from "zod/mini";
import { rows } from "../../../_shared/database/rows.ts";
import { invalidRequest } from "../../../_shared/errors.ts";
import { one, page } from "../../../_shared/http/answers.ts";
import { IdParams, sentTime } from "../../../_shared/http/fields.ts";
import { lazily } from "../../../_shared/lazily.ts";
import { operation, reply } from "../../../_shared/http/operation.ts";
import { WANTED_TYPES } from "../../../_shared/webhooks/event.ts";
import { Delivery, DELIVERY_STATES, Webhook } from "../../../_shared/webhooks/webhook.ts";
import { Limit } from "../../records/list_parameters.ts";

/** The maximum number of webhooks of a company. The database enforces this limit. */
const MAX_WEBHOOKS = 10;

const DeliveriesQuery = lazily(() =>
  z.strictObject({
    limit: Limit,
    cursor: z.optional(z.string()),
    state: z.optional(z.enum(DELIVERY_STATES, `must be one of ${DELIVERY_STATES.join(", ")}`)),
    type: z.optional(z.enum(WANTED_TYPES, "must be a type of event, such as deal.won or deal.*")),
  })
);

/**
 * A page starts after the delivery with these values. `ended_at` is null while the delivery is
 * waiting.
 */
interface Place {
  event_id: string;
  ended_at: string | null;
}

/** See docs/webhooks.md. */
export const webhookReads = [
  operation({
    id: "listWebhooks",
    method: "GET",
    path: "/webhooks",
    scope: "webhooks",
    answers: () => ({ 200: page(Webhook) }),
  }, async ({ caller: { db } }) => {
    const data = rows(await db.rpc("list_webhooks", {}, { get: true })) as unknown as Webhook[];
    const pagination = { limit: MAX_WEBHOOKS, has_more: false, next_cursor: null };
    return reply(200, { data, pagination });
  }),

  operation({
    id: "getWebhook",
    method: "GET",
    path: "/webhooks/:id",
    scope: "webhooks",
    params: IdParams,
    answers: () => ({ 200: one(Webhook) }),
    conditional: true,
    errors: ["not_found"],
  }, async ({ caller: { db }, params: { id } }) => {
    const webhook = rows(await db.rpc("get_webhook", { webhook_id: id }, { get: true }));
    return reply(200, { data: webhook as unknown as Webhook });
  }),

  operation({
    id: "listWebhookDeliveries",
    method: "GET",
    path: "/webhooks/:id/deliveries",
    scope: "webhooks",
    params: IdParams,
    query: DeliveriesQuery,
    answers: () => ({ 200: page(Delivery) }),
    errors: ["not_found"],
  }, async ({ caller: { db }, params: { id }, query: { limit, cursor, state, type } }) => {
    const place = cursor === undefined ? null : placeOf(cursor);
    const answer = rows(
      await db.rpc("webhook_deliveries", {
        webhook_id: id,
        max_rows: limit,
        ...(state && { state }),
        ...(type && { type }),
        ...(place && { after_event: place.event_id }),
        ...(place?.ended_at && { after_ended: place.ended_at }),
      }, { get: true }),
    );
    const { data, next } = answer as unknown as {
      data: z.output<typeof Delivery>[];
      next: Place | null;
    };
    const pagination = {
      limit,
      has_more: next !== null,
      next_cursor: next && base64url.encode(JSON.stringify([next.event_id, next.ended_at])),
    };
    return reply(200, { data, pagination });
  }),
];

const PlaceParts = z.tuple([
  z.string().check(z.regex(/^evt_[0-9a-f]{32}$/)),
  z.nullable(sentTime()),
]);

/** @throws ApiError `invalid_request` if the string is not a cursor for a list of deliveries. */
function placeOf(cursor: string): Place {
  try {
    const text = new TextDecoder().decode(base64url.decode(cursor.slice(0, 500)));
    const [event_id, ended_at] = PlaceParts.parse(JSON.parse(text));
    return { event_id, ended_at };
  } catch {
    const message = "is not a cursor of this list; send next_cursor of the previous page " +
      "unchanged, or no cursor to start at the first page";
    throw invalidRequest([{ field: "cursor", message }]);
  }
}
