// The descriptions of events in the OpenAPI document.

/**
 * For each event type, the end of the sentence "The service sends this request to a webhook when
 * …".
 */
export const WHEN: Record<string, string> = {
  "contact.created": "a contact is created",
  "contact.updated": "a contact changes",
  "contact.archived": "a contact is archived",
  "contact.restored": "an archived contact is restored",
  "contact.merged":
    "another contact is merged into this one. `changes.contact_id` contains the other contact's " +
    "id. The other contact has no `contact.deleted` event",
  "contact.erased":
    "a contact is erased. Delete your own data about this person. `changes` contains the ids of " +
    "the contact's conversations and deals",
  "contact.deleted": "a contact is deleted",
  "contact.opted_out":
    "a contact must no longer receive any messages, or no longer receive marketing messages",
  "contact.opted_in":
    "a contact may receive messages again, or may receive marketing messages again",
  "deal.created": "a deal is created",
  "deal.updated": "a deal changes",
  "deal.stage_changed": "a deal moves to another stage",
  "deal.won": "a deal is won",
  "deal.lost": "a deal is lost",
  "deal.reopened": "a deal that was won or lost is open again",
  "deal.archived": "a deal is archived",
  "deal.restored": "an archived deal is restored",
  "deal.deleted": "a deal is deleted",
  "conversation.opened": "a conversation is opened or reopened",
  "conversation.assigned":
    "a conversation is assigned to another member or team, or becomes unassigned",
  "conversation.updated":
    "the status of a conversation changes between `open` and `pending`, or a merge moves the " +
    "conversation to another contact",
  "conversation.closed": "a conversation is closed",
  "conversation.window_closing": "the window for free replies is about to close",
  "conversation.deleted": "a conversation is deleted",
  "message.received": "a contact writes",
  "message.status_changed":
    "a message of the company is sent, delivered, read, failed or expired. `changes.status` " +
    "contains the old and the new status",
  "message.updated":
    "a contact edits or revokes a message, or a contact or your company reacts to a message",
  "send.settled": "WhatsApp accepts a message that was sent with this API",
  "send.failed":
    "WhatsApp does not accept a send, or reports later that the send failed. `changes.reason` " +
    "contains the reason",
  "template.status_changed": "WhatsApp changes a template's status",
  "account.restricted": "WhatsApp restricts a business number",
  "account.restored": "WhatsApp withdraws a restriction, or the restriction expires",
  "webhook.test":
    "someone requests a test event for a webhook. The webhook receives the event even if the " +
    "webhook's `types` do not contain `webhook.test`",
  "webhook.switched_off":
    "one of the company's webhooks is switched off. The company's other webhooks receive this " +
    "event. `changes.why` contains the reason",
};

/** The changed fields with their values, for the examples of some event types. */
export const EXAMPLE_CHANGES: Record<string, Record<string, unknown>> = {
  "contact.updated": { temperature: { from: "warm", to: "hot" } },
  "contact.merged": {
    contact_id: {
      from: "de300006-0000-4000-8000-000000000036",
      to: "de300006-0000-4000-8000-000000000004",
    },
  },
  "contact.erased": {
    conversation_ids: ["de300008-0000-4000-8000-000000000003"],
    deal_ids: [],
  },
  "deal.stage_changed": {
    stage_id: {
      from: "de300005-0000-4000-8000-000000000001",
      to: "de300005-0000-4000-8000-000000000002",
    },
  },
  "deal.won": { status: { from: "open", to: "won" } },
  "deal.lost": { status: { from: "open", to: "lost" } },
  "deal.reopened": { status: { from: "lost", to: "open" } },
  "conversation.assigned": {
    team_id: { from: null, to: "de300002-0000-4000-8000-000000000002" },
  },
  "conversation.closed": { status: { from: "open", to: "closed" } },
  "message.status_changed": { status: { from: "sent", to: "delivered" } },
  "send.failed": { reason: { from: null, to: "recipient_unreachable" } },
  "template.status_changed": { status: { from: "PENDING", to: "APPROVED" } },
  "webhook.switched_off": { why: "failing" },
};

/** The further fields that change with these fields, for the examples of some event types. */
export const CHANGED_TOO: Record<string, string[]> = {
  "deal.stage_changed": ["stage_changed_at"],
  "deal.won": ["won_at"],
  "deal.lost": ["lost_at"],
  "deal.reopened": ["lost_at"],
};

/** The headers of every delivery, as defined by Standard Webhooks. */
export const DELIVERY_HEADERS = [
  {
    name: "webhook-id",
    description: "The event's id. Every delivery of the event has the same id.",
    schema: { type: "string", pattern: "^evt_[0-9a-f]{32}$" },
  },
  {
    name: "webhook-timestamp",
    description: "When this request was signed, as Unix time in seconds.",
    schema: { type: "string", pattern: "^[0-9]{1,12}$" },
  },
  {
    name: "webhook-signature",
    description:
      "`v1,` followed by the HMAC-SHA-256 of `<webhook-id>.<webhook-timestamp>.<body>` in " +
      "base64. During a secret rotation, the header contains two signatures, separated by a " +
      "space.",
    schema: { type: "string", pattern: "^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)*$" },
  },
].map((header) => ({ ...header, in: "header", required: true }));

const uuid = { type: "string", format: "uuid" };
const time = { type: "string", format: "date-time" };

/**
 * The schema of a business number. The schema is defined here because no operation returns a
 * business number.
 */
export const ACCOUNT = {
  type: "object",
  description: "A business number of the company, as a webhook receives it.",
  properties: {
    id: { description: "The record's id.", ...uuid },
    company_id: { description: "The company that owns the business number.", ...uuid },
    phone_number_id: {
      description: "WhatsApp's id of the business number.",
      type: "string",
    },
    display_phone: {
      description: "The business number as WhatsApp shows it.",
      type: ["string", "null"],
    },
    is_connected: {
      description: "Whether the company can send messages with this number.",
      type: "boolean",
    },
    is_restricted: {
      description: "Whether WhatsApp restricts this number and therefore refuses its messages.",
      type: "boolean",
    },
    created_at: { description: "When the record was created.", ...time },
    updated_at: { description: "When the record was last changed.", ...time },
  },
  required: [
    ...["id", "company_id", "phone_number_id", "display_phone", "is_connected", "is_restricted"],
    ...["created_at", "updated_at"],
  ],
};

export const EXAMPLE_ACCOUNT = {
  id: "de300003-0000-4000-8000-000000000001",
  company_id: "de300000-0000-4000-8000-000000000001",
  phone_number_id: "900000000000011",
  display_phone: "+1 202-555-0100",
  is_connected: true,
  is_restricted: true,
  created_at: "2026-01-05T09:00:00+00:00",
  updated_at: "2026-11-23T01:02:03.123456+00:00",
};
