import { COMMON, type FieldsOf, type Words } from "../../../_shared/http/api_words.ts";
import type {
  Delivery,
  QueuedEvent,
  Replaying,
  Webhook,
  WebhookWithSecret,
} from "../../../_shared/webhooks/webhook.ts";

const written = {
  url: "The URL that receives the events. The URL must use `https`, port 443 or 8443, and a host " +
    "name whose IP addresses are all on the public internet.",
  types:
    "The event types: single types (`deal.won`), all types for a resource (`deal.*`), or all " +
    "types (`*`).",
  payload:
    "`full`: an event contains the record's state when the event is delivered. `ids`: an event " +
    "contains only the record's id.",
  description: "The purpose of the webhook. Only your company sees this text.",
};

const state =
  "`on`: events are delivered. `catching_up`: events are delivered, but the service is still " +
  "reading older events from the log. `paused`: events wait. `off`: events do not wait and are " +
  "not delivered.";

const webhook: FieldsOf<typeof Webhook> = {
  id: COMMON.id,
  company_id: COMMON.company_id,
  ...written,
  state,
  why:
    "Why the webhook is paused or off. `failing`: no event arrived for three days. `gone`: the " +
    "receiver returned a 410. `key_ended`: the webhook's key was switched off, expired, was " +
    "deleted or was replaced without an overlap. `by_key`, `by_person`, `by_platform`: an API " +
    "key, a user or the operator paused the webhook.",
  created_by_key_id:
    "The key that the webhook depends on. This is the last key that created the webhook, changed " +
    "its `url`, or switched it on after it was `off`. After a rotation of that key with an " +
    "overlap, this is the new key. When this key is switched off, expires or is deleted, or a " +
    "rotation without an overlap ends it, the webhook is switched off. " +
    "`null` for a webhook that a user created or switched on, because such a webhook depends on " +
    "no key.",
  created_by:
    "The user who created the webhook on the settings page, or who last switched it on there " +
    "after it was `off`. `null` if a key did this.",
  failing_since:
    "The time of the first failed delivery since the last success. `null` while events arrive. " +
    "If the webhook was switched off while events were waiting, or after deliveries failed, this " +
    "is at the latest the time when the oldest of these events happened.",
  paused_until:
    "If several consecutive deliveries have failed, the time of the next attempt. Otherwise " +
    "`null` or a time in the past.",
  switched_off_at: "When the webhook was switched off. `null` if the webhook is not off.",
  previous_secret_ends_at:
    "The time until which events are also signed with a previous secret. `null` if only one " +
    "secret is in use.",
  last_success_at: "When an event last arrived. `null` if no event has arrived yet.",
  open_deliveries: "The number of events that are waiting for this webhook, counted up to 10,000.",
  created_at: COMMON.created_at,
  updated_at: "When the webhook was last changed.",
};

const withSecret: FieldsOf<typeof WebhookWithSecret> = {
  ...webhook,
  secret:
    "The secret that is used to sign the events: `whsec_` followed by base64. Store it where " +
    "your receiver can read it. Only a repeat with the same `Idempotency-Key`, within 24 hours, " +
    "returns it again.",
};

/** The descriptions of webhooks in the OpenAPI document. */
export const words = {
  operations: {
    listWebhooks: {
      tag: "Webhooks",
      summary: "List webhooks",
      description: "Lists all of your company's webhooks (at most ten), newest first.",
    },
    getWebhook: {
      tag: "Webhooks",
      summary: "Get a webhook",
      description: "Returns one of your company's webhooks by id, without its secret.",
    },
    createWebhook: {
      tag: "Webhooks",
      summary: "Create a webhook",
      description:
        "Creates a webhook and returns it with its secret. Store the secret now: only a repeat " +
        "with the same `Idempotency-Key`, within 24 hours, returns it again. Events that happen " +
        "from now on are delivered to the webhook's URL. If your company already has ten " +
        "webhooks, the request returns a 409. If the key that makes this request is switched off, " +
        "expires, is deleted or is replaced without an overlap, the webhook is switched off.",
    },
    updateWebhook: {
      tag: "Webhooks",
      summary: "Update a webhook",
      description:
        "Updates at least one field of a webhook. If the state is `paused`, events wait. If the " +
        "state is `on`, events are delivered. `on` also switches on a webhook that is off, and " +
        "you can then replay the events that it missed. If the request switches the webhook on " +
        "or changes `url`, the webhook then depends on the key that makes this request.",
    },
    deleteWebhook: {
      tag: "Webhooks",
      summary: "Delete a webhook",
      description: "Deletes a webhook. Events that are waiting for the webhook are not delivered.",
    },
    rotateWebhookSecret: {
      tag: "Webhooks",
      summary: "Rotate the secret of a webhook",
      description:
        "Creates a new secret for the webhook and returns the secret. During the overlap, each " +
        "event is signed with both secrets, so your receiver can switch to the new secret at any " +
        "time. Secrets of earlier rotations also sign events until their overlaps end. With an " +
        "overlap of 0, all previous secrets end immediately. While five previous secrets sign " +
        "events, a request with an overlap returns a 409.",
    },
    testWebhook: {
      tag: "Webhooks",
      summary: "Send a test event",
      description:
        "Delivers an event of the type `webhook.test` to this webhook only. The delivery log " +
        "shows the outcome. For a webhook that is paused or off, the request returns a 409.",
    },
    listWebhookDeliveries: {
      tag: "Webhooks",
      summary: "List the deliveries of a webhook",
      description:
        "Lists a webhook's deliveries from the last 30 days with their attempts, newest event " +
        "first. Each page searches at most 5,000 deliveries. With filters, a page may therefore " +
        "be short although `has_more` is `true`.",
    },
    redeliverEvent: {
      tag: "Webhooks",
      summary: "Deliver an event again",
      description:
        "Redelivers one event from the last 30 days to the webhook. If the event or earlier events " +
        "of its record are still waiting, the service tries to deliver them now, in order. For a " +
        "webhook that is paused or off, the request returns a 409.",
    },
    replayWebhook: {
      tag: "Webhooks",
      summary: "Replay events",
      description:
        "Redelivers the events of a period to the webhook, in the order of the log. If some of the " +
        "events or earlier events of their records are still waiting, the service tries to deliver " +
        "them now. Use this operation after your receiver has failed or lost events. If an earlier " +
        "replay is still being read from the log, or if the webhook is paused or off, the request " +
        "returns a 409.",
    },
  },
  schemas: {
    Webhook: "A URL that receives your company's events.",
    WebhookWithSecret: "A webhook with its secret.",
    NewWebhook: "A webhook to create.",
    WebhookChanges: "Changes to a webhook.",
    SecretRotation: "The options for a webhook's new secret.",
    Replay: "The events to redeliver.",
    Replaying: "The events that are being redelivered.",
    QueuedEvent: "The event that will be delivered.",
    Delivery: "The delivery of one event to one webhook, with all its attempts.",
    DeliveryTry: "One attempt to deliver an event.",
  },
  fields: {
    Webhook: webhook,
    WebhookWithSecret: withSecret,
    NewWebhook: written,
    WebhookChanges: { ...written, state },
    SecretRotation: {
      overlap_hours:
        "The number of hours during which events are also signed with the previous secret.",
    },
    Replay: {
      since:
        "The start of the replay. Events at this time or later are replayed. The time must be " +
        "within the last 30 days.",
      until:
        "The end of the replay. Events before this time are replayed. The default is the time of " +
        "the request.",
      types: "The event types to replay. The default is the webhook's types.",
    },
    Replaying: {
      since: "The replay contains events from this time on.",
      until: "The replay contains events before this time.",
      types: "The replay contains events of these types.",
    } satisfies FieldsOf<typeof Replaying>,
    QueuedEvent: {
      event_id: "The event's id, which the receiver receives as `webhook-id`.",
    } satisfies FieldsOf<typeof QueuedEvent>,
    Delivery: {
      event_id: "The event's id.",
      type: "The event type.",
      record_id: "The record that the event describes.",
      timestamp: "When the event happened.",
      state:
        "`waiting`: the event has not arrived yet. `delivered`: the receiver accepted the event. " +
        "`failed`: all attempts failed. `undelivered`: the webhook was switched off before the " +
        "event arrived.",
      attempts: "The number of attempts.",
      next_attempt_at: "When the next attempt is due. `null` if no attempt is scheduled.",
      ended_at:
        "When the event arrived, or when the service stopped trying to deliver it. `null` while " +
        "the event is waiting.",
      tries: "The attempts, oldest first.",
    } satisfies FieldsOf<typeof Delivery>,
    DeliveryTry: {
      at: "When the attempt began.",
      status: "The HTTP status of the response. `null` if there was no response.",
      failure:
        "The reason why there was no response, such as `timeout`. `null` if there was a response.",
      ms: "The duration of the attempt, in milliseconds.",
      answer:
        "The first characters of an unsuccessful response. `null` if the attempt was successful, " +
        "or if the response broke off. When the contact that the record belongs to is erased, " +
        "the service removes this text.",
    },
  },
} satisfies Words;
