/** The texts about the test and the deliveries of a webhook. */
export const deliveries = {
  test: {
    title: "Test",
    lead:
      "Sends one event “webhook.test” to this address only, and shows what the receiver answers.",
    notNow: "Switch the webhook on, then you can test it.",
    button: "Send a test event",
    result: "The result of the test",
    waiting: "On its way…",
    late: "Still waiting. Other events of this webhook may come first.",
    arrived: "The test event has arrived.",
    failed: "The receiver did not accept the test event.",
  },
  log: "Deliveries",
  refresh: "Refresh",
  refreshed: "This is the current state.",
  none: "Nothing has been delivered yet",
  noneWhy:
    "As soon as an event happens that this webhook asks for, it is listed here with the answer of the receiver, for 30 days.",
  noneFound: "Nothing found",
  noneFoundWhy: "No delivery of the last 30 days fits these filters.",
  state: "State",
  type: "Event",
  any: "Any",
  eventId: "Event id",
  recordId: "Record",
  noTry: "Not tried yet.",
  states: {
    waiting: "Waiting",
    retrying: "Trying again",
    delivered: "Delivered",
    failed: "Failed",
    undelivered: "Not delivered",
  },
  deliverAgain: "Deliver again",
  deliverNow: "Deliver now",
  queued: "It will be delivered in a moment.",
  answered: (status: string) => `The receiver answered ${status}`,
  took: (ms: number) => `after ${ms} ms`,
  otherFailure: (word: string) => `No answer (${word})`,
  /** Why no answer came. */
  failures: {
    timeout: "No answer in 10 seconds",
    dns: "The host name was not found",
    tls: "The certificate of the receiver was not accepted",
    refused_address: "The address is no longer allowed",
    reset: "The connection broke",
    refused: "The receiver accepts no connection",
  },
  advice: {
    timeout: "Answer at once, and do the work afterwards.",
    dns: "Check the domain and its DNS records.",
    tls: "Renew the certificate, and serve it with its whole chain.",
    refused_address: "Every DNS record of the host must name a public address.",
    redirect: "We follow no redirects. Enter the address to which the redirect leads.",
    signature: "Check which secret your program uses. It needs the newest secret.",
    notFound: "Check the path of the address.",
    other: "Look into the log of your program at this time. We try again by ourselves.",
  },
};

export type DeliveriesTexts = typeof deliveries;
