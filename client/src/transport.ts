import type { Answer } from "./answer.ts";
import { errorOf } from "./error_of.ts";
import { APIError, ConnectionError, CRMError, TimeoutError } from "./errors.ts";
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
  /** Of a send: the error that its answer means, if it means one. */
  settled?: (body: never, response: Response) => CRMError | null;
}

/** Makes requests, and repeats those that may be repeated. */
export type Transport = <Data>(call: Call) => Promise<Answer<Data>>;

/** No one waits longer between two attempts; then the error says after how long to come back. */
const LONGEST_RETRY_AFTER = 60;

/** The transport of a client. The key is in no error, and in no member of the client. */
export function transportOf(settings: Settings): Transport {
  return async <Data>(call: Call): Promise<Answer<Data>> => {
    const { method, key, options = {}, settled } = call;
    const { signal } = options;
    const { maxRetries, timeout, settleTimeout } = limitsOf(settings, options);
    const [url, init] = requestOf(settings, call);
    const isRead = method === "GET" || call.isRead;
    // A late repeat of a change without a key could undo what somebody else has written since.
    const isSafe = isRead || key !== undefined;
    const lastQuestion = settled ? Date.now() + settleTimeout : 0;
    let wasOpen = false;
    for (let repeat = 0, counted = 0;; repeat++) {
      signal?.throwIfAborted();
      let error: CRMError;
      try {
        const answer = await attempt<Data>(
          settings.fetch ?? fetch,
          url,
          { ...init, signal },
          timeout,
        );
        const refusal = settled?.(answer.data as never, answer.response);
        if (!refusal) return answer;
        error = refusal;
      } catch (thrown) {
        if (!(thrown instanceof CRMError)) throw thrown;
        error = thrown;
      }
      const left = leftBy(error);
      wasOpen ||= left === "open";
      error.idempotencyKey = key ?? null;
      error.mayBeDone = wasOpen && !isRead && !tellsOfTheFirst(error, left);
      const comesTooLate = error instanceof APIError && error.retryAfter! > LONGEST_RETRY_AFTER;
      if (left === "final" || left === "open" && !isSafe || comesTooLate) throw error;
      // How often an unsettled send is asked about is a question of time only.
      const isUnsettled = wasOpen && Date.now() < lastQuestion;
      if (!isUnsettled && counted++ >= maxRetries) throw error;
      await pause(pauseBefore(repeat, error), signal);
    }
  };
}

/** Whether the answer to a repeat with the same key tells what became of the attempts before it. */
function tellsOfTheFirst(error: CRMError, left: string): boolean {
  // The API key is judged before anything else.
  return left === "final" && !(error instanceof APIError && /40[13]/.test(`${error.status}`));
}

function requestOf(settings: Settings, call: Call): [url: string, init: RequestInit] {
  const { method, path, query, body, type = "application/json", options = {}, key } = call;
  const parts = path.map((part) => {
    if (!/^[\w.-]*\w$/.test(part)) {
      throw new TypeError("The id of a record is missing, or is no id");
    }
    return part;
  });
  const headers = new Headers(settings.headers);
  for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value);
  headers.set("Authorization", `Bearer ${settings.apiKey}`);
  if (body !== undefined) headers.set("Content-Type", type);
  if (key !== undefined && path[0] === "gateway") headers.set("Idempotency-Key", key);
  if (options.ifMatch !== undefined) headers.set("If-Match", tags(options.ifMatch));
  if (options.ifNoneMatch !== undefined) headers.set("If-None-Match", tags(options.ifNoneMatch));
  return [`${settings.baseUrl}/${parts.join("/")}${search(query)}`, {
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

/** One request and its whole answer. */
async function attempt<Data>(
  fetch: typeof globalThis.fetch,
  url: string,
  { signal, ...init }: RequestInit,
  timeout: number,
): Promise<Answer<Data>> {
  const controller = new AbortController();
  const abort = () => controller.abort(signal!.reason);
  const timer = setTimeout(() => controller.abort(LATE), timeout);
  signal?.addEventListener("abort", abort);
  let response: Response, text: string;
  try {
    response = await fetch(url, { ...init, signal: controller.signal });
    text = await response.text();
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    throw controller.signal.aborted
      ? new TimeoutError(`There was no answer within ${timeout} ms`)
      : new ConnectionError("There was no answer, or it broke off", { cause });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
  const { status, headers, ok } = response;
  const requestId = headers.get("X-Request-Id");
  if (status === 204 || status === 304) return { data: null as Data, response, requestId };
  let body = null;
  if (/\bjson\b/.test(headers.get("Content-Type") ?? "")) {
    try {
      body = JSON.parse(text);
    } catch (cause) {
      throw new ConnectionError("The answer broke off", { cause });
    }
  }
  const isObject = typeof body === "object" && body !== null;
  if (ok && isObject) return { data: body, response, requestId };
  throw errorOf(status, headers, isObject ? body : text);
}

const LATE = "late";
