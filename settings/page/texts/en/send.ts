/** The texts of the page of one send. */
export const send = {
  titleOf: (person: string) => `Message to ${person}`,
  happened: "What happened",
  refresh: "Refresh",
  refreshed: "This is the current state.",
  doubleSent: "WhatsApp reported this message more than once. The person may have got it twice.",
  noText: "The text is not stored any more.",
  notRendered:
    "This is the text that the program gave. The template was not known here, so the person may have seen other words.",
  facts: "Details",
  phone: "Phone",
  kind: "Template",
  from: "Sent from",
  attempts: "Attempts",
  link: "Link for colleagues",
  copyLink: "Copy the link to this send",
  idempotencyKey: "Idempotency key",
  copyIdempotencyKey: "Copy the idempotency key",
  messageId: "Message id",
  copyMessageId: "Copy the message id",
  whatsappId: "WhatsApp’s id",
  copyWhatsappId: "Copy WhatsApp’s id",
  othersTo: (person: string) => `All sends to ${person}`,
  back: "All sends",
  toAccounts: "See your WhatsApp numbers",
  channelSays: (code: string) => `WhatsApp’s words, code ${code}:`,

  steps: {
    requested: "Requested",
    again: (attempt: number) => `Sent again, attempt ${attempt}`,
    accepted: "Accepted by WhatsApp",
    sent: "Sent to the phone",
    delivered: "Delivered",
    read: "Read",
    failed: "Did not arrive",
    refused: "Refused by WhatsApp",
    released: "Not accepted by WhatsApp",
    expired: "Expired",
    expiredMore:
      "WhatsApp stopped trying. The phone was probably off or without internet all the time. Send again if it still matters.",
    failedOnce: "Failed on one device",
    failedOnceMore: "The person has several devices. The message arrived on another one.",
    pending: "Waiting for WhatsApp’s answer",
    pendingMore: (until: string) => `If no answer comes until ${until}, the send counts as failed.`,
    waiting: "Not delivered yet",
    waitingMore:
      "The phone may be off or without internet. WhatsApp keeps trying, usually for up to 30 days.",
    notRead: "Not read yet",
    notReadMore: "People can switch off read receipts. Then this stays as it is.",
  },

  /** What a reason means, and what a person can do. */
  explanations: {
    no_whatsapp: {
      what:
        "WhatsApp cannot deliver to this phone. Usually the number has no WhatsApp. Or the person has not accepted WhatsApp’s terms, or uses a very old version.",
      todo:
        "Check the number with the person, or reach them in another way. Sending again does not help.",
    },
    marketing_limit: {
      what:
        "WhatsApp limits how much marketing a person gets from all companies, and held this message back.",
      todo:
        "Do not send it again at once. Try in a few days, or when the person has written to you.",
    },
    test_recipient: {
      what: "This is a test number, which reaches only the phones on its list.",
      todo: "Add the phone to the list at Meta, or send from a real number.",
    },
    recipient_unreachable: {
      what: "WhatsApp does not deliver to this person.",
      todo: "Check the number with the person, or reach them in another way.",
    },
    recipient_opted_out: {
      what: "The person told WhatsApp that they want no marketing from you.",
      todo: "Respect it. Messages about orders and appointments still arrive.",
    },
    window_closed: {
      what: "A free reply is allowed only within 24 hours after the person’s last message.",
      todo: "Send an approved template. When the person answers, you can write freely again.",
    },
    template_missing: {
      what: "WhatsApp has no approved template with this name in this language.",
      todo:
        "Compare name and language with the list of your templates. A new one must be approved first.",
    },
    template_paused: {
      what: "WhatsApp paused or disabled the template, because people blocked or reported it.",
      todo: "Use another template, or edit this one at Meta.",
    },
    template_values: {
      what: "The program gave too few or too many values, or one that WhatsApp does not accept.",
      todo:
        "Show this page to the person who looks after the program. A corrected message needs a new idempotency key.",
    },
    media: {
      what: "WhatsApp could not use the image, video or document of the message.",
      todo: "Check that the file exists, and that its type and size are allowed.",
    },
    template_rejected: {
      what: "WhatsApp refused the template or the text.",
      todo: "Correct it. A corrected message needs a new idempotency key.",
    },
    too_fast: {
      what: "Messages were sent faster than WhatsApp allows.",
      todo:
        "The program tries again by itself, if it follows the documentation. Otherwise send again later.",
    },
    channel_unavailable: {
      what: "WhatsApp was not available. It certainly does not have the message.",
      todo: "Send again with the same idempotency key. The person gets the message only once.",
    },
    channel_account_error: {
      what:
        "WhatsApp refuses your number because of its access token, its permissions, a restriction or a payment.",
      todo:
        "Repair the number first: until then, nothing can be sent from it. Then send again with the same idempotency key.",
    },
    outcome_unknown: {
      what: "WhatsApp never said whether it took the message. The person may have got it.",
      todo: "Ask the person before you send it again. A new message needs a new idempotency key.",
    },
    claim_unanswered: {
      what: "The service was interrupted before it gave the message to WhatsApp.",
      todo: "Send again with the same idempotency key. The person gets the message only once.",
    },
    channel_error: {
      what: "WhatsApp gave a reason that this page does not know.",
      todo: "WhatsApp’s words are below. The code is explained in Meta’s list of error codes.",
    },
  },
};

export type SendTexts = typeof send;
