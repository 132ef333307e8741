/** The texts about the errors of requests. */
export const requests = {
  title: "Requests and errors",
  lead:
    "What the API refused, or could not do. Equal errors are one entry. The latest error comes first.",
  request: (id: string) => `Request ${id}`,

  key: "API key",
  everyKey: "All keys",
  kind: "Who must act",
  kinds: {
    all: "Everyone",
    refused: "Your program (4xx)",
    failed: "The service or WhatsApp (5xx)",
  },
  lookUp: "Request id",
  lookUpHint: "Find one request",
  lookUpButton: "Look up",

  none: "No errors in the last 30 days",
  noneWhy:
    "Every request of your programs succeeded, or none was made. When the API refuses a request, it appears here " +
    "within a minute: what was wrong, in which field, and what to change.",
  noneOfFilter: "No such errors",
  noneOfFilterWhy: "No error of the last 30 days fits these filters.",
  toKeys: "Go to the API keys",
  exampleTitle: "For example",

  /** @param shown the number, formatted for people. */
  times: (count: number, shown: string) => count === 1 ? "once" : `${shown} times`,
  since: (first: string) => `since ${first}`,
  last: "last",
  noOperation: "no such path",
  withKey: "Key:",
  deletedKey: "a deleted key",
  toChange: "What to change",
  about: (code: string) => `About ${code}`,
  reference: (operation: string) => `${operation} in the reference`,
  latest: (count: number) =>
    count === 1 ? "The request id" : `The request ids of the last ${count}`,
  requestId: "Request id",
  copyRequestId: (id: string) => `Copy the request id ${id}`,
  kept:
    "For each key, this page keeps the 50 latest kinds of errors for 30 days. It keeps no value that a program sent. " +
    "An error appears up to a minute after the answer.",

  errorsOfKey: "Errors",
  noErrorsOfKey: "No error in the last 30 days.",
  allOfKey: "All errors of this key",

  found: (moment: string) => `This request was answered with an error at ${moment}.`,
  notFound: "No error has this request id",
  notFoundWhy:
    "Only errors are kept, with the ids of the last 10 requests of each kind, for 30 days. So the request may have " +
    "succeeded, be older, or be less than a minute old. Check that the id is complete.",
  notFoundExample:
    "The id is in the header X-Request-Id of each answer, and in request_id of an error:",
  toList: "All errors",

  links: {
    accounts: "Go to WhatsApp",
    templates: "Go to the templates",
    key: "Go to the key",
    newKey: "Create a key",
  },
  /** What to do about an error, by its code. */
  advice: {
    malformed_request:
      "The request did not arrive completely. Send it again. If it happens often, check the network or the proxy in between.",
    header_not_accepted:
      "The program relies on a header that has no effect here. The message says what to use instead.",
    missing_api_key: "The request had no key. Send the key in the header Authorization.",
    invalid_api_key:
      "The key was switched off or has expired. Give the program another key, or switch this one on.",
    insufficient_scope:
      "The key lacks this permission. Create a key that has it, and give that key to the program.",
    not_found:
      "The record does not exist, was deleted, or is not your company's. Check which id the program uses.",
    route_not_found:
      "The API has no such path. Compare the address in the program with the documentation.",
    method_not_allowed:
      "The path exists, but not with this method. Use a method that the message names.",
    request_timeout: "The request arrived too slowly. Send it again, with fewer records at a time.",
    payload_too_large: "The request is too large. Send fewer records at a time.",
    conflict:
      "Another record already has this value, or the record is in a state that does not allow the change. The " +
      "answer names the other record in existing_id.",
    idempotency_in_progress:
      "The program repeated a request before the first one had ended. Wait for the seconds in Retry-After.",
    idempotency_key_reused:
      "The program used one idempotency key for two different requests. Give each request its own key.",
    window_closed:
      "More than 24 hours have passed since the person last wrote. Send a template instead of a free reply.",
    cursor_expired:
      "The database of the service was restored or moved, so your copy may lack changes. Begin a new copy.",
    precondition_failed:
      "Someone changed the record in the meantime. Read it again, and repeat the change if it is still right.",
    invalid_request: "Correct this in the program. The message says what the API expects.",
    query_too_expensive: "The search takes too long. Add a filter, or search for a longer word.",
    account_not_connected: "No WhatsApp number is connected for this message. Connect one.",
    phone_number_id_required:
      "Your company has several WhatsApp numbers. The program must name one in phone_number_id.",
    media_expired:
      "WhatsApp keeps files for seven days. Read the file soon after the message arrives.",
    media_rejected:
      "WhatsApp does not accept this file. Check its type and its size, or upload it again.",
    template_rejected:
      "The template cannot be sent like this. Its page shows its status, and the values that it needs.",
    recipient_unreachable:
      "WhatsApp does not deliver to this person. Check the number, or contact the person in another way.",
    recipient_opted_out: "The person does not want these messages. Do not send them again.",
    too_many_requests:
      "The program sends too many requests at the same time. Send fewer, and wait for the seconds in Retry-After.",
    channel_account_error: "WhatsApp refuses the account. The page of the account says why.",
    channel_unavailable:
      "WhatsApp did not answer. Repeat the request with the same idempotency key: nothing is sent twice.",
    database_unavailable:
      "The service was busy or not available for a moment. Repeat the request. If this continues, tell the operator.",
    internal:
      "This is a fault of the service, not of your program. Give the request id to the operator.",
  } as Record<string, string>,
  correctField: (field: string) =>
    `Correct ${field} in the program. The message says what the API expects.`,
  otherAdvice: "The page about this error says what to change.",
};

export type RequestsTexts = typeof requests;
