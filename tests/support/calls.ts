import assert from "node:assert/strict";
import { checkedFetch } from "./checked_answers.ts";
import { stack } from "./test_stack.ts";

/** An API response with its body. */
export interface Answer {
  status: number;
  headers: Headers;
  // deno-lint-ignore no-explicit-any -- tests compare parts of any body
  body: any;
}

/**
 * Asserts that a response refuses a field, with this message or a message that matches this
 * pattern.
 */
export function assertField(answer: Answer, field: string, message: string | RegExp = /./) {
  const { code, details } = answer.body;
  assert.deepEqual([answer.status, code], [422, "invalid_request"], JSON.stringify(answer.body));
  const detail = details?.find((each: { field: string }) => each.field === field);
  assert.ok(detail, `details name ${field}: ${JSON.stringify(answer.body)}`);
  if (typeof message === "string") assert.equal(detail.message, message);
  else assert.match(detail.message, message);
}

/** Asserts that a response refuses a header that would have no effect, with this message. */
export function assertHeaderRefused(answer: Answer, header: string, message = /./) {
  const { code, details } = answer.body;
  assert.deepEqual(
    [answer.status, code],
    [400, "header_not_accepted"],
    JSON.stringify(answer.body),
  );
  assert.equal(details[0].field, header);
  assert.match(details[0].message, message);
}

interface Call {
  /** The body, sent as JSON. */
  json?: unknown;
  /** The body, sent unchanged instead of `json`. */
  body?: BodyInit;
  headers?: Record<string, string>;
}

/** After this time, `untilServed` returns the refusal. Even a slow computer needs much less time. */
const PATIENCE_MS = 60_000;

/**
 * Repeats a request while its response is a 429, or a 503 after which nothing was done. On a busy
 * machine, one of many simultaneous requests may wait too long for its turn or for a locked row.
 */
export async function untilServed(request: () => Promise<Answer>): Promise<Answer> {
  const began = performance.now();
  for (;;) {
    const answer = await request();
    const isOver = performance.now() - began > PATIENCE_MS;
    if (isOver || answer.status !== 429 && !isUndone(answer)) return answer;
  }
}

/** Whether a response says that the database failed for a moment, and that nothing was done. */
export function isUndone({ status, body }: Answer): boolean {
  return status === 503 && /; nothing was (changed|sent), so /.test(body.error);
}

/** Calls the gateway with an API key. If the key is null, the request has no key. */
export async function call(
  key: string | null,
  method: string,
  path: string,
  { json, body, headers = {} }: Call = {},
): Promise<Answer> {
  return await send(stack.gateway_url + path, method, {
    ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
    ...(json === undefined ? {} : { "Content-Type": "application/json" }),
    ...headers,
  }, json === undefined ? body : JSON.stringify(json));
}

/** Sends a request, reads the response, and checks both against the API's description. */
export async function send(
  url: string,
  method: string,
  headers: Record<string, string>,
  body?: BodyInit,
): Promise<Answer> {
  const response = await checkedFetch(url, { method, headers, body });
  const isJson = response.headers.get("Content-Type")?.startsWith("application/json");
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && response.text !== "" ? JSON.parse(response.text) : response.text,
  };
}
