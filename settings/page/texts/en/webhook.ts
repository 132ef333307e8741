/** The texts of the page of one webhook: its secret, its state and its changes. */
export const webhook = {
  back: "All webhooks",
  facts: "About this webhook",
  previousSecret: "Previous secret",
  worksUntil: (when: string) => `also signs until ${when}`,
  belongsTo: "Belongs to",
  company: "The company.",
  madeBy: (name: string) => `Created by ${name}.`,
  key: "The API key",
  endsWithKey: "It ends with this key, unless the key is replaced.",
  createdAt: "Created",

  once: {
    title: "The secret is shown only now",
    lead:
      "Your program uses it to check that a request really comes from us. We store it encrypted, and no one can see it again.",
    theSecret: "The secret",
    copy: "Copy the secret",
    store: "Copy it and store it where your program reads it.",
    verify: "Let your program check the signature of every request before it uses the content.",
    guide: "How to check it",
    test: "Then press “Send a test event” below.",
    stored: "I have stored it",
    leaveTitle: "Have you stored the secret?",
    leaveText:
      "It is not shown again. Without it, your program cannot check the requests, and you have to make a new secret.",
    stay: "Go back to the secret",
    leave: "I have stored it, leave",
  },
  maybeRotated:
    "No answer came, so the webhook may already have a new secret that you have not seen. Make another one.",

  todo: {
    trying: "Repair the receiver. What waits is delivered as soon as it accepts requests again.",
    failing:
      "Repair the receiver, then switch the webhook on. You can let us deliver what it has missed.",
    gone: "Enter the new address, then switch the webhook on. Or delete it.",
    key_ended:
      "Make sure that the webhook is still wanted, and that its address is yours. If you switch it on, it belongs to the company and no longer to a key.",
    off: "Switch it on when the receiver is ready.",
  },
  switchOn: "Switch on",
  pause: "Pause",
  rotate: "New secret",
  replay: "Deliver again…",
  delete: "Delete",
  changesTitle: "Changes",
  changes: {
    rotate: {
      title: "Make a new secret",
      text:
        "During the transition, requests have two signatures: one with the old secret and one with the new. So your program can switch without an interruption.",
      submit: "Make a new secret",
    },
    pause: {
      title: "Pause this webhook?",
      text:
        "Nothing is delivered until you switch it on again. Events wait until then. If very many events wait, they are delivered from the log, which keeps events for 30 days.",
      submit: "Pause",
      done: "The webhook is paused.",
    },
    switchOn: {
      title: "Switch the webhook on",
      text: "From now on, events are delivered again.",
      submit: "Switch on",
      done: "The webhook is on.",
    },
    replay: {
      title: "Deliver events again",
      text:
        "All events of this period are delivered once more, also those that the receiver already has. They have the same ids, so a program can skip what it knows.",
      submit: "Deliver again",
      done: "The events will be delivered again in the next minutes.",
    },
    delete: {
      title: "Delete this webhook?",
      text:
        "Nothing more is delivered to this address, and its log disappears. What waits is lost for this receiver. If you are not sure, pause it.",
      submit: "Delete",
      done: "The webhook is deleted.",
    },
  },
  overlap: "How long does the old secret also work?",
  overlaps: {
    0: "Stop it now, because someone else may know it",
    24: "24 hours",
    168: "7 days",
  },
  alsoMissed: (when: string) => `Also deliver what it has missed; it was switched off ${when}`,
  since: "From when?",
  periods: {
    1: "The last hour",
    24: "The last 24 hours",
    168: "The last 7 days",
    719: "All 30 days",
  },
  replayTypes: "Which events",
  allItsTypes: "All that this webhook gets",
};

export type WebhookTexts = typeof webhook;
