/** The texts for two charts: the requests with an API key, and the company's sends. */
export const activity = {
  today: "today",
  again: "Refresh",
  /** @param at the time when the page loaded the numbers. */
  readAt: (at: string) => `Last refreshed: ${at}`,

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
  day: "Day",
  all: "All",
  countedLate:
    "Days are in your time zone. A request is counted up to a minute after its answer. If a " +
    "server stopped before it stored its counts, these counts are missing.",
};

export type ActivityTexts = typeof activity;
