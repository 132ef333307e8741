/** The activity of a key, and the sends of a company. */
export const activity = {
  today: "today (UTC)",
  again: "Read again",
  /** @param at the time when the page asked. */
  readAt: (at: string) => `Read at ${at}.`,

  noRequests: "No request in the last 30 days",
  requests: (count: number, shown: string) =>
    `${shown} ${count === 1 ? "request" : "requests"} in the last 30 days`,
  allSucceeded: (requests: string) => `${requests}, none refused or failed`,
  someRefused: (requests: string, shown: string) => `${requests}, ${shown} of them refused`,
  someFailed: (requests: string, shown: string) => `${requests}, ${shown} of them failed`,
  most: (day: string, shown: string) => `The most on one day: ${shown}, on ${day}.`,
  outcomes: { succeeded: "Succeeded", refused: "Refused", failed: "Failed" },
  outcomeHints: {
    succeeded: "2xx",
    refused: "4xx: the calling program must change something",
    failed: "5xx: the platform or WhatsApp could not do it",
  },
  requestsTable: "The numbers: requests by day and by status",
  day: "Day (UTC)",
  all: "All",
  countedLate:
    "Days are in UTC. A request counts up to a minute after its answer. If a server stopped " +
    "before it stored its counts, they are missing.",

  errors: "Last errors",
  noErrors: "No error in the last 30 days.",
  errorsKept: (zone: string) =>
    `The last 50 errors of a key are kept, for at most 30 days. Times are in your time zone (${zone}). ` +
    "With the request id, support finds the request.",
  earlierErrors: (count: number) => count === 1 ? "1 earlier error" : `${count} earlier errors`,
  noOperation: "no such path",
  requestId: "Request id",
  copyRequestId: (id: string) => `Copy the request id ${id}`,

  noSends: "No send in the last 30 days",
  sent: (count: number, shown: string) =>
    `${shown} ${count === 1 ? "send" : "sends"} in the last 30 days`,
  allTaken: (sends: string) => `${sends}, all accepted by WhatsApp`,
  someSendsFailed: (sends: string, shown: string) => `${sends}, ${shown} of them failed`,
  someSendsReleased: (sends: string, shown: string) => `${sends}, ${shown} of them not accepted`,
  someSendsPending: (sends: string, shown: string) => `${sends}, ${shown} of them in progress`,
  sendStates: { sent: "Sent", pending: "In progress", released: "Not accepted", failed: "Failed" },
  sendStateHints: {
    sent: "sent: WhatsApp accepted the message",
    pending: "pending: WhatsApp has not answered yet",
    released: "released: WhatsApp did not accept it, and the program may try again",
    failed: "failed: refused, or it is not known whether it was sent",
  },
  sendsTable: "The numbers: sends by day and by state",
  sendDays: "A day is the UTC day when the send began.",
};

export type ActivityTexts = typeof activity;
