/**
 * Like `fetch`, but never sends the request again when its connection breaks, because the server may have
 * carried it out. Deno's fetch (as of 2.9) does send it again when it can read the body again: it can read a
 * string again, and a blob not.
 */
export function fetchOnce(
  input: RequestInfo | URL,
  init: RequestInit & { client?: Deno.HttpClient } = {},
): Promise<Response> {
  const { body } = init;
  return fetch(input, { ...init, body: typeof body === "string" ? new Blob([body]) : body });
}
