import * as z from "zod/mini";
import {
  atLeastOne,
  described,
  Id,
  MaybeTime,
  readOnly,
  RequiredShortText,
  sentTime,
  Timestamp,
  wholeNumber,
} from "../http/fields.ts";
import { built, lazily } from "../lazily.ts";
import { EventId, TYPES, WANTED_TYPES } from "./event.ts";

// The fields of a webhook that callers read and write, in the gateway and on the settings page.

const payload = () => z.enum(["full", "ids"]);

/** The events that a webhook receives. A type that is listed twice counts once. */
const wantedTypes = () =>
  z.array(
    z.string().check(
      z.refine((type) => WANTED_TYPES.includes(type), {
        error: "is not a type of event; give one such as deal.won, deal.* or *",
      }),
    ).register(z.globalRegistry, { enum: WANTED_TYPES }),
  ).check(
    z.minLength(1, "must name at least one type of event"),
    z.maxLength(100, "must have at most 100 items"),
  );

/** A URL. The length is checked first; `checkAddress` checks everything else. */
const url = () => z.string().check(z.maxLength(2048, "must have at most 2048 characters"));

const description = () => z.optional(z.nullable(RequiredShortText));

/** A webhook, without its secret. */
export const Webhook = lazily(() =>
  z.object({
    id: readOnly(Id),
    company_id: readOnly(Id),
    url: z.string(),
    types: z.array(z.string()),
    payload: payload(),
    description: z.nullable(z.string()),
    state: z.enum(["on", "catching_up", "paused", "off"]),
    why: readOnly(
      z.nullable(z.enum(["failing", "gone", "key_ended", "by_person", "by_key", "by_platform"])),
    ),
    created_by_key_id: readOnly(z.nullable(Id)),
    created_by: readOnly(z.nullable(Id)),
    failing_since: MaybeTime,
    paused_until: MaybeTime,
    switched_off_at: MaybeTime,
    previous_secret_ends_at: MaybeTime,
    last_success_at: MaybeTime,
    open_deliveries: readOnly(z.int()),
    created_at: readOnly(Timestamp),
    updated_at: readOnly(Timestamp),
  }).register(z.globalRegistry, { id: "Webhook" })
);

export type Webhook = z.output<typeof Webhook>;

/**
 * A webhook with its secret. The secret is returned only after the webhook is created or the secret
 * is rotated.
 */
export const WebhookWithSecret = lazily(() =>
  z.extend(built(Webhook), { secret: readOnly(z.string()) }).register(
    z.globalRegistry,
    { id: "WebhookWithSecret" },
  )
);

/** The fields of a new webhook. */
export const newWebhook = () => ({
  url: url(),
  types: wantedTypes(),
  payload: z._default(payload(), "full"),
  description: description(),
});

export const NewWebhook = lazily(() =>
  described(z.strictObject(newWebhook()), { id: "NewWebhook" })
);

/** The changes to a webhook: at least one field. */
export const WebhookChanges = lazily(() =>
  described(
    atLeastOne(z.strictObject({
      url: z.optional(url()),
      types: z.optional(wantedTypes()),
      payload: z.optional(payload()),
      description: description(),
      state: z.optional(z.enum(["on", "paused"])),
    })),
    { id: "WebhookChanges" },
  )
);

/** After a rotation, requests are also signed with the previous secret for this many hours. */
export const OverlapHours = wholeNumber(168);

export const SecretRotation = lazily(() =>
  z.strictObject({ overlap_hours: z._default(OverlapHours, 24) }).register(z.globalRegistry, {
    id: "SecretRotation",
  })
);

/** The logged events that a replay delivers again. */
export const Replay = lazily(() =>
  z.strictObject({
    since: sentTime(),
    until: z.optional(sentTime()),
    types: z.optional(wantedTypes()),
  }).register(z.globalRegistry, { id: "Replay" })
);

/** The part of the event log that is being delivered again. */
export const Replaying = lazily(() =>
  z.object({
    since: Timestamp,
    until: Timestamp,
    types: z.array(z.string()),
  }).register(z.globalRegistry, { id: "Replaying" })
);

/** An event that was put into a webhook's queue. */
export const QueuedEvent = lazily(() =>
  z.object({ event_id: EventId }).register(z.globalRegistry, {
    id: "QueuedEvent",
  })
);

const DeliveryTry = lazily(() =>
  z.object({
    at: Timestamp,
    status: z.nullable(z.int()),
    failure: z.nullable(z.string()),
    ms: z.int(),
    answer: z.nullable(z.string()),
  }).register(z.globalRegistry, { id: "DeliveryTry" })
);

export const DELIVERY_STATES = ["waiting", "delivered", "failed", "undelivered"] as const;

/** One event for one webhook, and the attempts to deliver it. */
export const Delivery = lazily(() =>
  z.object({
    event_id: EventId,
    type: z.enum(TYPES as [string, ...string[]]),
    record_id: Id,
    timestamp: Timestamp,
    state: z.enum(DELIVERY_STATES),
    attempts: z.int(),
    next_attempt_at: z.nullable(Timestamp),
    ended_at: z.nullable(Timestamp),
    tries: z.array(DeliveryTry),
  }).register(z.globalRegistry, { id: "Delivery" })
);
