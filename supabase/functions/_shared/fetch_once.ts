/**
 * Like `fetch`, but never repeats the request when its connection breaks, because the server may
 * already have processed that request. Deno's fetch (as of 2.9) repeats a request if it can read
 * the body again. Deno can read a string again, but not a blob.
 */
export function fetchOnce(
  input: RequestInfo | URL,
  init: RequestInit & { client?: Deno.HttpClient } = {},
): Promise<Response> {
  const { body } = init;
  return fetch(input, { ...init, body: typeof body === "string" ? new Blob([body]) : body });
}
