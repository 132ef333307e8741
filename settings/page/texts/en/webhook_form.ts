/** The texts of the form that creates or changes a webhook. */
export const webhookForm = {
  newLead:
    "Your program gets each event that you choose here, from the moment you create the webhook. We check the address first.",
  save: "Save",
  saved: "Saved.",
  checking: "Checking the address…",
  urlHint: "An address of your program that begins with https://.",
  urlMissing: "Enter a whole address, such as https://shop.example.com/webhooks.",
  typesHint: "Choose whole groups, or open a group to choose single events.",
  typesMissing: "Choose at least one event.",
  everythingHint: "Every event, and every kind that is added later.",
  onlySome: "Only some",
  someChosen: (count: number) => count === 1 ? "1 event" : `${count} events`,
  resourceHints: {
    contact: "People are added, changed, merged, or want no messages.",
    deal: "Deals are opened, moved, won or lost.",
    conversation: "Conversations begin, get a colleague, and end.",
    message: "People write, and messages are delivered and read.",
    send: "WhatsApp accepted your message, or the message failed.",
    template: "WhatsApp approved, rejected or paused a template.",
    account: "WhatsApp restricts a number, or lifts the restriction.",
    webhook: "Another webhook was switched off, or this one is tested.",
  },
  descriptionHint: "So that colleagues know which program it is, for example “Web shop”.",
  description: "Description (optional)",
  maybeMade:
    "No answer came, so the webhook may exist although you have not seen its secret. Look at the list: delete it there, or give it a new secret.",
  addressFault: (words: string) => `The service does not accept this address: it ${words}.`,
  addressFaults: {
    notHttps: "The address must begin with https://, so that no one can read along.",
    port: "Only the ports 443 and 8443 are possible. Leave the port out.",
    user: "The address must have no user or password. Put a secret into the path.",
    fragment: "Leave out the part after #, because no request contains it.",
    numeric: "Use a domain name in place of the number.",
    hostName: "Use a full domain name, such as hooks.example.com.",
    noDns: "This domain name has no address. Check its spelling, and its DNS records.",
    nameServer: "The name server of this domain did not answer. Try again, or check the domain.",
    notPublic: "This address is not on the public internet, so we cannot reach it.",
    ownHost: "This is an address of this service. Use an address of your own program.",
  },
  payloadHints: {
    full:
      "The request has the current contact, deal or message. Your program need not ask the API for it.",
    ids: "The request has no personal data. Your program asks the API for what it needs.",
  },
};

export type WebhookFormTexts = typeof webhookForm;
