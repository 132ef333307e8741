import type { Answer } from "./answer.ts";
import { errorOf } from "./error_of.ts";
import {
  type APIError,
  ConnectionError,
  CRMError,
  type ErrorBody,
  TimeoutError,
} from "./errors.ts";
import {
  type ChangeOptions,
  type CreateOptions,
  limitsOf,
  type ReadOptions,
  type SendOptions,
  type Settings,
} from "./options.ts";
import { type Query, search } from "./query.ts";
import { leftBy, pause, pauseBefore } from "./repeats.ts";

/** A request of the API. */
export interface Call {
  method: string;
  /** The parts of the path. */
  path: string[];
  query?: Query;
  body?: unknown;
  /** Of the body; JSON unless it is given. */
  type?: string;
  options?: ReadOptions & ChangeOptions & CreateOptions & SendOptions;
  /** What names the request, whether in its header or in its body. */
  key?: string;
  /** Whether it changes nothing, although it is no GET. */
  isRead?: boolean;
  /** Whether it is a send, which asks until it is settled. */
  isSend?: boolean;
  /**
   * What is answered of a body; `undefined` when the body is none of the API. A request without it is answered nothing.
   * @throws CRMError when it says that the request came to no good end
   */
  pick?: ((body: Body, response: Response) => unknown) | undefined;
}

/** What a body has is the type of the method that asked for it. */
// deno-lint-ignore no-explicit-any
export type Body = any;

/** Makes requests, and repeats those that may be repeated. */
export type Transport = <Data>(call: Call) => Promise<Answer<Data>>;

/** No one waits longer between two attempts; then the error says after how long to come back. */
const LONGEST_RETRY_AFTER = 60;

/** The transport of a client. The key is in no error, and in no member of the client. */
export function transportOf(settings: Settings): Transport {
  return async <Data>(call: Call): Promise<Answer<Data>> => {
    const { method, key, options = {}, isSend } = call;
    const { signal } = options;
    const { maxRetries, timeout, settleTimeout } = limitsOf(settings, options);
    const [url, init] = requestOf(settings, call);
    const isRead = method === "GET" || call.isRead;
    // A late repeat of a change without a key could undo what somebody else has written since.
    const isSafe = isRead || key !== undefined;
    const lastQuestion = isSend ? performance.now() + settleTimeout : 0;
    let wasOpen = false;
    for (let repeat = 0;; repeat++) {
      signal?.throwIfAborted();
      let error: CRMError;
      try {
        const [response, text] = await attempt(settings.fetch, url, init, timeout, signal);
        const data = answered(call, response, text) as Data;
        return { data, response, requestId: response.headers.get("X-Request-Id") };
      } catch (thrown) {
        if (!(thrown instanceof CRMError)) throw thrown;
        error = thrown;
      }
      const left = leftBy(error);
      const { status, code, requestId, retryAfter } = error as APIError; // others have none of them
      const request = requestId ? `, request ${requestId}` : "";
      error.message += ` (${method} /${call.path.join("/")}${request})`;
      wasOpen ||= left === "open";
      error.idempotencyKey = key ?? null;
      // The same key tells what became of the attempts before. Not where the API key is refused, which is judged first,
      // and not by what is none of the API.
      const isTold = left === "final" && code !== null && status !== 401 && status !== 403;
      error.mayBeDone = wasOpen && !isRead && !isTold;
      const comesTooLate = retryAfter! > LONGEST_RETRY_AFTER;
      if (left === "final" || left === "open" && !isSafe || comesTooLate) throw error;
      // An unsettled send is asked about as often as there is time.
      const isUnsettled = wasOpen && performance.now() < lastQuestion;
      if (repeat >= maxRetries && !isUnsettled) throw error;
      await pause(pauseBefore(repeat, retryAfter), signal);
    }
  };
}

function requestOf(settings: Settings, call: Call): [url: string, init: RequestInit] {
  const { method, path, query, body, type = "application/json", options = {}, key } = call;
  for (const part of path) {
    if (typeof part !== "string" || !/^[\w.-]*\w$/.test(part)) {
      throw new TypeError("The id of a record is missing, or is no id");
    }
  }
  const headers = new Headers(settings.headers);
  new Headers(options.headers).forEach((value, name) => headers.set(name, value));
  if (headers.has("Idempotency-Key")) {
    throw new TypeError("Idempotency-Key is the option idempotencyKey");
  }
  headers.set("Authorization", `Bearer ${settings.apiKey}`);
  if (body !== undefined) headers.set("Content-Type", type);
  if (key !== undefined && path[0] === "gateway") headers.set("Idempotency-Key", key);
  if (options.ifMatch !== undefined) headers.set("If-Match", tags(options.ifMatch));
  if (options.ifNoneMatch !== undefined) headers.set("If-None-Match", tags(options.ifNoneMatch));
  return [`${settings.baseUrl}/${path.join("/")}${search(query)}`, {
    method,
    headers,
    body: JSON.stringify(body),
    redirect: "manual", // a POST that follows becomes a GET
  }];
}

/** ETags, of versions too. */
function tags(versions: string | readonly string[]): string {
  return [versions].flat().map((each) => /^\d+$/.test(each) ? `"${each}"` : each).join(", ");
}

/** One request and its whole answer, with its body as text. */
async function attempt(
  fetch = globalThis.fetch as NonNullable<Settings["fetch"]>,
  url: string,
  init: RequestInit,
  timeout: number,
  signal?: AbortSignal,
): Promise<[Response, string]> {
  const controller = new AbortController();
  const abort = () => controller.abort(signal!.reason);
  const timer = setTimeout(() => controller.abort(), timeout);
  signal?.addEventListener("abort", abort);
  try {
    const response = await fetch(url, { ...init, signal: controller.signal });
    return [response, await response.text()];
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    throw controller.signal.aborted
      ? new TimeoutError(`There was no answer within ${timeout} ms`)
      : new ConnectionError("There was no answer, or it broke off", { cause });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

/** What an answer has for the caller. @throws CRMError when that is nothing good */
function answered({ method, options, pick }: Call, response: Response, text: string): unknown {
  const { status, headers, ok } = response;
  if (status === 304 && options?.ifNoneMatch !== undefined) return null;
  if (status === 204 && method === "DELETE") return undefined;
  let body: unknown = text;
  if (/\bjson\b/.test(headers.get("Content-Type")!)) {
    try {
      body = JSON.parse(text);
    } catch (cause) {
      throw new ConnectionError(`The answer, a ${status}, broke off`, { cause });
    }
  }
  const isObject = body instanceof Object;
  const data = ok && isObject ? pick?.(body, response) : undefined;
  if (data === undefined) throw errorOf(status, headers, isObject ? body as ErrorBody : text);
  return data;
}
