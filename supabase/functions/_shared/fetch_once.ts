/**
 * As `fetch`, and never more than once: a request that writes may have been carried out although its
 * connection broke. Deno (2.9, for one) sends such a request again if it can read the body again, which
 * it can with a string and cannot with a blob.
 */
export function fetchOnce(
  input: RequestInfo | URL,
  init: RequestInit & { client?: Deno.HttpClient } = {},
): Promise<Response> {
  const { body } = init;
  return fetch(input, { ...init, body: typeof body === "string" ? new Blob([body]) : body });
}
