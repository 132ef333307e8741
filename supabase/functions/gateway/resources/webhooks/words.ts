import { COMMON, type FieldsOf, type Words } from "../../../_shared/http/api_words.ts";
import type {
  Delivery,
  QueuedEvent,
  Replaying,
  Webhook,
  WebhookWithSecret,
} from "../../../_shared/webhooks/webhook.ts";

const written = {
  url:
    "The address that gets the events: `https`, port 443 or 8443, with a host name whose addresses " +
    "are all on the public internet.",
  types:
    "The types of events: exact types (`deal.won`), all types of a resource (`deal.*`), or all types " +
    "(`*`).",
  payload:
    "`full`: an event has the record as it is when the event is delivered. `ids`: an event has only " +
    "the id of the record.",
  description: "What the webhook is for. Only your company sees it.",
};

const state =
  "`on`: events are delivered. `catching_up`: events are delivered, and older ones are still read " +
  "from the log. `paused`: events wait. `off`: no event waits or is delivered.";

const webhook: FieldsOf<typeof Webhook> = {
  id: COMMON.id,
  company_id: COMMON.company_id,
  ...written,
  state,
  why:
    "Why the webhook is paused or off. `failing`: no event arrived for three days. `gone`: the " +
    "receiver answered 410. `key_ended`: its key was switched off, expired or was deleted. " +
    "`by_key`, `by_person`, `by_platform`: who paused it.",
  created_by_key_id:
    "The key that the webhook depends on: the key that created it, or a later key that replaced " +
    "that key. When this key is switched off, expires or is deleted, the webhook is switched " +
    "off. `null` for a webhook that a person created: it depends on no key.",
  created_by:
    "The person who created the webhook on the settings page; `null` if a key created it.",
  failing_since:
    "When the first delivery failed after the last success; `null` while events arrive.",
  paused_until:
    "When the next delivery is tried, after several failures in a row; otherwise `null` or a " +
    "time in the past.",
  switched_off_at: "When the webhook was switched off; `null` otherwise.",
  previous_secret_ends_at:
    "The time until which the previous secret also signs; `null` when only one secret signs.",
  last_success_at: "When an event last arrived; `null` if no event has arrived yet.",
  open_deliveries: "How many events wait for this webhook, counted up to 10,000.",
  created_at: COMMON.created_at,
  updated_at: "When the webhook was last changed.",
};

const withSecret: FieldsOf<typeof WebhookWithSecret> = {
  ...webhook,
  secret:
    "The secret that signs the events, `whsec_` and base64. It is shown only in this answer; store " +
    "it where your receiver reads it.",
};

/** The texts about webhooks in the API's description. */
export const words = {
  operations: {
    listWebhooks: {
      tag: "Webhooks",
      summary: "List webhooks",
      description: "Lists all webhooks of your company, at most ten, newest first.",
    },
    getWebhook: {
      tag: "Webhooks",
      summary: "Get a webhook",
      description: "Returns one webhook of your company, by its id, without its secret.",
    },
    createWebhook: {
      tag: "Webhooks",
      summary: "Create a webhook",
      description:
        "Creates a webhook and returns it with its secret, which is never shown again. Events " +
        "that happen from now on are delivered to its address. A company has at most ten " +
        "webhooks: for one more, the answer is a 409. When the key of this request is switched " +
        "off, expires or is deleted, the webhook is switched off.",
    },
    updateWebhook: {
      tag: "Webhooks",
      summary: "Update a webhook",
      description:
        "Updates at least one field of a webhook. With the state `paused`, events wait; with " +
        "`on`, they are delivered. `on` also switches on a webhook that is off; you can then " +
        "replay the events that it missed. If the request switches the webhook on or changes " +
        "`url`, the webhook depends on the key of this request from then on.",
    },
    deleteWebhook: {
      tag: "Webhooks",
      summary: "Delete a webhook",
      description: "Deletes a webhook. Events that wait for it are not delivered any more.",
    },
    rotateWebhookSecret: {
      tag: "Webhooks",
      summary: "Rotate the secret of a webhook",
      description:
        "Gives the webhook a new secret and returns it. During the overlap, both secrets sign " +
        "each event, so your receiver can change to the new secret at any moment. An overlap of " +
        "0 ends the previous secret immediately.",
    },
    testWebhook: {
      tag: "Webhooks",
      summary: "Send a test event",
      description:
        "Delivers an event of the type `webhook.test` to this webhook only. The log of deliveries " +
        "shows the outcome. For a webhook that is paused or off, the answer is a 409.",
    },
    listWebhookDeliveries: {
      tag: "Webhooks",
      summary: "List the deliveries of a webhook",
      description:
        "Lists the deliveries of the last 30 days to a webhook, newest event first, each with " +
        "its attempts. A page searches at most 5,000 deliveries, so with filters a page may be " +
        "short although `has_more` is `true`.",
    },
    redeliverEvent: {
      tag: "Webhooks",
      summary: "Deliver an event again",
      description:
        "Delivers one event of the last 30 days to the webhook again. If the event is still " +
        "waiting, the service tries to deliver it now. For a webhook that is paused or off, the " +
        "answer is a 409.",
    },
    replayWebhook: {
      tag: "Webhooks",
      summary: "Replay events",
      description:
        "Delivers the events of a period to the webhook again, in the order of the log. Use it " +
        "after your receiver failed or lost events. The answer is a 409 if an earlier replay is " +
        "still being read from the log, or if the webhook is paused or off.",
    },
  },
  schemas: {
    Webhook: "An address that gets the events of your company.",
    WebhookWithSecret: "A webhook with its secret, which is shown only here.",
    NewWebhook: "A webhook to create.",
    WebhookChanges: "Changes to a webhook.",
    SecretRotation: "The options for a new secret of a webhook.",
    Replay: "Which events to deliver again.",
    Replaying: "The events that are being delivered again.",
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
      overlap_hours: "For how many hours the previous secret also signs.",
    },
    Replay: {
      since: "Replays the events from this time on. The time must be in the last 30 days.",
      until:
        "Replays the events before this time. Without this field, it is the time of the request.",
      types: "Replays only events of these types. Without this field, the types are the types " +
        "of the webhook.",
    },
    Replaying: {
      since: "The replay has the events from this time on.",
      until: "The replay has the events before this time.",
      types: "The replay has the events of these types.",
    } satisfies FieldsOf<typeof Replaying>,
    QueuedEvent: {
      event_id: "The id of the event, which the receiver gets as `webhook-id`.",
    } satisfies FieldsOf<typeof QueuedEvent>,
    Delivery: {
      event_id: "The id of the event.",
      type: "The type of the event.",
      record_id: "The record that the event is about.",
      timestamp: "When the event happened.",
      state:
        "`waiting`: the event has not arrived yet. `delivered`: the receiver accepted it. `failed`: " +
        "all attempts failed. `undelivered`: the webhook was switched off before the event arrived.",
      attempts: "How many attempts were made.",
      next_attempt_at: "When the next attempt is due; `null` when there is none.",
      ended_at: "When the event arrived, or when the service stopped trying; `null` while the " +
        "event waits.",
      tries: "The attempts, oldest first.",
    } satisfies FieldsOf<typeof Delivery>,
    DeliveryTry: {
      at: "When the attempt began.",
      status: "The HTTP status of the answer; `null` without an answer.",
      failure: "Why there was no answer, such as `timeout`; `null` when there was an answer.",
      ms: "How many milliseconds the attempt took.",
      answer: "The first characters of an answer that was not a success; `null` otherwise. The " +
        "service removes them when the person to whom the record belongs is erased.",
    },
  },
} satisfies Words;
