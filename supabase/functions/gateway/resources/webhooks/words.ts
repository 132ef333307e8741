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
    "receiver answered 410. `key_ended`: its key was switched off, expired or deleted. `by_key`, " +
    "`by_person`, `by_platform`: who paused it.",
  created_by_key_id:
    "The key that the webhook ends with: the key that made it, or the key that replaced that key. " +
    "`null` for a webhook that a person made: it does not depend on a key.",
  created_by:
    "The person who made the webhook on the settings page; `null` for a webhook of a key.",
  failing_since: "Since when no event arrives; `null` while events arrive.",
  paused_until:
    "After several failures in a row, when the next event is tried; `null` or in the past otherwise.",
  switched_off_at: "When the webhook was switched off; `null` otherwise.",
  previous_secret_ends_at:
    "Until when the previous secret signs too; `null` when only one secret signs.",
  last_success_at: "When an event last arrived; `null` before the first.",
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
        "Creates a webhook and returns it with its secret, which is never shown again. Events that " +
        "happen from now on are delivered to its address. A company has at most ten webhooks: for " +
        "one more, the answer is a 409. The webhook ends with the key that made it.",
    },
    updateWebhook: {
      tag: "Webhooks",
      summary: "Update a webhook",
      description:
        "Updates at least one field of a webhook. The state `paused` lets events wait, and `on` " +
        "delivers them. `on` also switches a webhook on that is off: it then ends with the key of " +
        "this request, and events that it missed can be replayed. A key that changes `url` also " +
        "becomes the key that the webhook ends with.",
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
        "Gives the webhook a new secret and returns it. During the overlap, both secrets sign each " +
        "event, so your receiver can change at any moment. An overlap of 0 ends the previous secret " +
        "immediately.",
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
        "Lists the deliveries of the last 30 days to a webhook, newest event first, each with its " +
        "attempts. A page looks at 5,000 deliveries at most, so a page with filters may be short " +
        "although `has_more` is `true`.",
    },
    redeliverEvent: {
      tag: "Webhooks",
      summary: "Deliver an event again",
      description:
        "Delivers one event of the last 30 days to the webhook again. If the event still waits, it " +
        "is tried now. For a webhook that is paused or off, the answer is a 409.",
    },
    replayWebhook: {
      tag: "Webhooks",
      summary: "Replay events",
      description:
        "Delivers the events of a period to the webhook again, in the order of the log. Use " +
        "it after your receiver failed or lost events. While an earlier replay is read from the " +
        "log, and for a webhook that is paused or off, the answer is a 409.",
    },
  },
  schemas: {
    Webhook: "An address that gets the events of your company.",
    WebhookWithSecret: "A webhook with its secret, which is shown only here.",
    NewWebhook: "A webhook to create.",
    WebhookChanges: "Changes to a webhook.",
    SecretRotation: "How the secret of a webhook changes.",
    Replay: "Which events to deliver again.",
    Replaying: "The events that are being delivered again.",
    QueuedEvent: "The event that will be delivered.",
    Delivery: "One event for one webhook.",
    DeliveryTry: "One attempt to deliver an event.",
  },
  fields: {
    Webhook: webhook,
    WebhookWithSecret: withSecret,
    NewWebhook: written,
    WebhookChanges: { ...written, state },
    SecretRotation: {
      overlap_hours: "For how many hours the previous secret signs too.",
    },
    Replay: {
      since: "Events from this time on, which is in the last 30 days.",
      until: "Events before this time; now if it is missing.",
      types: "Only these types of events; the types of the webhook if it is missing.",
    },
    Replaying: {
      since: "Events from this time on.",
      until: "Events before this time.",
      types: "The types of events.",
    } satisfies FieldsOf<typeof Replaying>,
    QueuedEvent: {
      event_id: "The id of the event, which the receiver gets as `webhook-id`.",
    } satisfies FieldsOf<typeof QueuedEvent>,
    Delivery: {
      event_id: "The id of the event.",
      type: "The type of the event.",
      record_id: "The record that the event is about.",
      timestamp: "When the event happened, to the millisecond.",
      state:
        "`waiting`: the event has not arrived yet. `delivered`: the receiver accepted it. `failed`: " +
        "all attempts failed. `undelivered`: the webhook was switched off before.",
      attempts: "How many attempts were made.",
      next_attempt_at: "When the next attempt is due; `null` when there is none.",
      ended_at: "When the event arrived or was given up; `null` while it waits.",
      tries: "The attempts, oldest first.",
    } satisfies FieldsOf<typeof Delivery>,
    DeliveryTry: {
      at: "When the attempt began.",
      status: "The HTTP status of the answer; `null` without an answer.",
      failure: "Why there was no answer, such as `timeout`; `null` when there was one.",
      ms: "How many milliseconds the attempt took.",
      answer:
        "The first characters of an answer that was no success; `null` otherwise. They are removed " +
        "when the person of the record is erased.",
    },
  },
} satisfies Words;
