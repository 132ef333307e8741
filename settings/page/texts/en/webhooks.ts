/** The texts of the list of webhooks, and the words for their states and events. */
export const webhooks = {
  lead:
    "A webhook tells a program of yours what happens here, a moment after it happens. Every request is signed.",
  create: "Create a webhook",
  change: "Change the webhook",
  onlyManagers: "Owners and admins manage webhooks.",
  none: "No webhooks yet",
  noneWhy:
    "Without a webhook, your program has to ask again and again what is new. With one, it gets each event when it happens: a deal is won, a person writes, a message does not arrive.",
  example: "When a deal is won, your program gets a request with this content:",
  lastSuccess: "Last delivered",
  never: "never",
  waiting: "Waiting",
  moreTypes: (count: number) => `${count} more`,
  nextAt: (when: string) => `Next attempt: ${when}`,
  states: {
    on: "On",
    catching_up: "Catching up",
    paused: "Paused",
    off: "Off",
    failing: "Failing",
  },
  /** What a state means for the receiver. */
  meanings: {
    paused: "Nothing is delivered until someone switches the webhook on. Events wait until then.",
    catching_up:
      "So many events were waiting that they are now delivered from the log, in their order. New ones follow after them.",
    fails: (since: string) =>
      `The receiver has not accepted anything since ${since}. We keep trying for three days. Then the webhook is switched off.`,
    failing: "The receiver accepted nothing for three days, so the webhook was switched off.",
    gone:
      "The receiver answered that this address no longer exists (410), so the webhook was switched off.",
    key_ended: "The API key that made this webhook has ended, so the webhook was switched off.",
    off: "The webhook was switched off. Nothing is delivered.",
    since: (when: string) => `Off since ${when}.`,
  },

  url: "Address",
  types: "Events",
  everything: "Everything",
  resources: {
    contact: "Contacts",
    deal: "Deals",
    conversation: "Conversations",
    message: "Messages",
    send: "Sends",
    template: "Templates",
    account: "WhatsApp numbers",
    webhook: "Webhooks",
  },
  happenings: {
    "contact.created": "added",
    "contact.updated": "changed",
    "contact.archived": "archived",
    "contact.restored": "restored from the archive",
    "contact.merged": "merged with another",
    "contact.erased": "personal data erased",
    "contact.deleted": "deleted",
    "contact.opted_out": "wants no messages or no marketing",
    "contact.opted_in": "accepts messages again",
    "deal.created": "added",
    "deal.updated": "changed",
    "deal.stage_changed": "moved to another stage",
    "deal.won": "won",
    "deal.lost": "lost",
    "deal.reopened": "opened again",
    "deal.archived": "archived",
    "deal.restored": "restored from the archive",
    "deal.deleted": "deleted",
    "conversation.opened": "opened",
    "conversation.assigned": "given to a person or team",
    "conversation.updated": "changed",
    "conversation.closed": "closed",
    "conversation.window_closing": "free replies end soon",
    "conversation.deleted": "deleted",
    "message.received": "received from a person",
    "message.status_changed": "sent, delivered, read or failed",
    "message.updated": "edited, revoked or got a reaction",
    "send.settled": "accepted by WhatsApp",
    "send.failed": "failed",
    "template.status_changed": "status changed",
    "account.restricted": "restricted or refused by WhatsApp",
    "account.restored": "works again",
    "webhook.test": "test event",
    "webhook.switched_off": "another webhook was switched off",
  },
  payload: "Content",
  payloads: { full: "With the record", ids: "Only ids" },

  /** Why the service refuses a change. */
  conflicts: {
    tooMany: "A company has at most 10 webhooks. Delete one that you do not need.",
    tooManySecrets:
      "Five previous secrets still work. Wait until one of them ends, or choose “Stop it now”, which ends all of them.",
    notDelivering: "The webhook is off or paused. Switch it on first.",
    stillEnding:
      "So many events were waiting that the webhook cannot be switched on yet. Try again in a few minutes.",
    replayRuns: "Earlier events are still being delivered again. Try again in a few minutes.",
    testsWait: "Ten test events are still waiting. Try again when they have been delivered.",
  },
};

export type WebhooksTexts = typeof webhooks;
