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
import { SendFailedError } from "./sends.ts";

/** A request to the API. */
export interface Call {
  method: string;
  /** The path segments. */
  path: string[];
  query?: Query | undefined;
  /** The name of the required query parameter, which must be a string. */
  need?: string;
  body?: unknown;
  /** A file as the body, in place of JSON. A stream can be sent only once. */
  file?: Blob | BufferSource | ReadableStream<Uint8Array>;
  /** The content type of the body; JSON if missing. */
  type?: string;
  options?: ReadOptions & ChangeOptions & CreateOptions & SendOptions;
  /** The request's idempotency key, which is sent in a header or in the body. */
  key?: string;
  /** Whether the request changes nothing, although it is not a GET. */
  isRead?: boolean;
  /** Whether the client may repeat this change although the change has no key. */
  isRepeatable?: boolean;
  /** Whether the request is a send. A send is repeated until its outcome is known. */
  isSend?: boolean;
  /** Whether the result is a file. The caller reads the file, so `pick` receives a stream. */
  isFile?: boolean;
  /**
   * Extracts the result from a response body. Returns `undefined` if the body does not come from
   * the API. A request without this function has no result.
   * @throws CRMError if the body says that the request did not succeed
   */
  pick?: ((body: Body, response: Response) => unknown) | undefined;
}

/** The calling method determines the type of the body. */
// deno-lint-ignore no-explicit-any
export type Body = any;

/** Makes requests, and repeats them if repeating is safe. */
export type Transport = <Data>(call: Call) => Promise<Answer<Data>>;

/** Creates a client's transport. No error and no property of the client contains the API key. */
export function transportOf(settings: Settings): Transport {
  return async <Data>(call: Call): Promise<Answer<Data>> => {
    const { method, key, options = {}, isSend } = call;
    const { signal } = options;
    const { maxRetries, timeout, settleTimeout, maxWait } = limitsOf(settings, options);
    const [url, init] = requestOf(settings, call);
    // A stream can be read only once, so only the first attempt can send it.
    const isStream = call.file instanceof ReadableStream;
    const isRead = method === "GET" || call.isRead;
    // If a change has no idempotency key, a late repeat could overwrite a change that was made in
    // the meantime.
    const isSafe = isRead || call.isRepeatable || key !== undefined;
    const lastQuestion = isSend ? performance.now() + settleTimeout : 0;
    let wasOpen = false;
    for (let repeat = 0;; repeat++) {
      signal?.throwIfAborted();
      let error: CRMError;
      try {
        const [response, text, file] = await attempt(
          ...[settings.fetch, url, init, timeout, signal, call.isFile] as const,
        );
        const data = answered(call, response, text, file) as Data;
        return { data, response, requestId: response.headers.get("X-Request-Id") };
      } catch (thrown) {
        if (!(thrown instanceof CRMError)) throw thrown;
        error = thrown;
      }
      const left = leftBy(error);
      const { status, code, requestId, retryAfter } = error as APIError; // undefined in other errors
      const request = requestId ? `, request ${requestId}` : "";
      error.message += ` (${method} /${call.path.join("/")}${request})`;
      wasOpen ||= left === "open";
      error.idempotencyKey = key ?? null;
      // If all attempts have the same idempotency key, an error of the API also reports the outcome
      // of the earlier attempts. A 401 or 403 says nothing about these attempts, because the API
      // checks the API key first. A response without a code does not come from the API.
      const hasOutcome = code !== null && status !== 401 && status !== 403;
      const isTold = key !== undefined && left === "final" && hasOutcome;
      // The API also reports a send as failed if its outcome remained unknown.
      error.mayBeDone = wasOpen && !isRead && !isTold || error instanceof SendFailedError;
      const comesTooLate = retryAfter! * 1000 > maxWait;
      if (isStream || left === "final" || left === "open" && !isSafe || comesTooLate) throw error;
      // If the outcome of a send is unknown, the client repeats the send until `settleTimeout` has
      // passed.
      const isUnsettled = wasOpen && performance.now() < lastQuestion;
      if (repeat >= maxRetries && !isUnsettled) throw error;
      await pause(Math.min(pauseBefore(repeat, retryAfter), maxWait), signal);
    }
  };
}

/** @throws TypeError if a path segment is not an id. */
export function requireId(part: unknown): void {
  if (typeof part !== "string" || !/^[\w.-]*\w$/.test(part)) {
    throw new TypeError(`The id of a record is missing, or is not an id: ${part}`);
  }
}

/** @throws TypeError if a value is not an object, or if its `phone` is a number. */
export function requireObject(name: string, value: unknown): void {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const what = Array.isArray(value) ? "an array" : value === null ? "null" : typeof value;
    throw new TypeError(`${name} must be an object, not ${what}`);
  }
  if (typeof (value as { phone?: unknown }).phone === "number") {
    throw new TypeError(`phone must be a text with a plus sign: "+14155550178"`);
  }
}

function requestOf(settings: Settings, call: Call): [url: string, init: RequestInit] {
  const { method, path, query, need, body, file, options = {}, key } = call;
  const { type = "application/json" } = call;
  path.forEach(requireId);
  if ("body" in call) requireObject(`The body of ${method} /${path.join("/")}`, body);
  if (query) requireObject("A query", query);
  if (need && typeof (query as Record<string, unknown>)[need] !== "string") {
    throw new TypeError(`${need} must be a text`);
  }
  const headers = new Headers(settings.headers);
  new Headers(options.headers).forEach((value, name) => headers.set(name, value));
  if (headers.has("Idempotency-Key")) {
    throw new TypeError("Use the option idempotencyKey instead of the header Idempotency-Key");
  }
  headers.set("Authorization", `Bearer ${settings.apiKey}`);
  if (body !== undefined || file) headers.set("Content-Type", type);
  if (key !== undefined && path[0] === "gateway") headers.set("Idempotency-Key", key);
  if (options.ifMatch !== undefined) headers.set("If-Match", tags(options.ifMatch));
  if (options.ifNoneMatch !== undefined) headers.set("If-None-Match", tags(options.ifNoneMatch));
  return [`${settings.baseUrl}/${path.join("/")}${search(query)}`, {
    method,
    headers,
    body: file as BodyInit | undefined ?? JSON.stringify(body),
    ...(file instanceof ReadableStream && { duplex: "half" }),
    redirect: "manual", // `fetch` would follow the redirect of a POST request with a GET request
  }];
}

/** Formats versions or ETags as a list of ETags. */
function tags(versions: string | readonly string[]): string {
  return [versions].flat().map((each) => /^\d+$/.test(each) ? `"${each}"` : each).join(", ");
}

/**
 * Makes one request and reads the whole response, with its body as text. If the response is a file,
 * the caller reads the file instead. Each wait for a part of the file has its own time limit.
 */
async function attempt(
  fetch = globalThis.fetch as NonNullable<Settings["fetch"]>,
  url: string,
  init: RequestInit,
  timeout: number,
  signal?: AbortSignal,
  isFile?: boolean,
): Promise<[Response, string, ReadableStream?]> {
  const { host } = new URL(url);
  const controller = new AbortController();
  const abort = () => controller.abort(signal!.reason);
  signal?.addEventListener("abort", abort);
  const release = () => signal?.removeEventListener("abort", abort);
  const inTime = async <Part>(what: string, read: () => Promise<Part>): Promise<Part> => {
    const timer = setTimeout(() => controller.abort(), timeout);
    try {
      return await read();
    } catch (cause) {
      if (signal?.aborted) throw signal.reason;
      throw controller.signal.aborted
        ? new TimeoutError(`There was no ${what} from ${host} within ${timeout} ms`)
        : new ConnectionError(`There was no complete response from ${host}: ${why(cause)}`, {
          cause,
        });
    } finally {
      clearTimeout(timer);
    }
  };
  let file: ReadableStream | undefined;
  try {
    return await inTime("response", async () => {
      const response = await fetch(url, { ...init, signal: controller.signal });
      // The API always sends a file's name in a header. A proxy's page has no such header.
      const reader = isFile && response.ok && response.headers.has("Content-Disposition") &&
        response.body?.getReader();
      if (!reader) return [response, await response.text()];
      file = new ReadableStream({
        async pull(stream) {
          let isOver = true;
          try {
            const { done, value } = await inTime("further part of the file", () => reader.read());
            done ? stream.close() : stream.enqueue(value);
            isOver = done;
          } finally {
            if (isOver) release();
          }
        },
        cancel(reason) {
          release();
          return reader.cancel(reason);
        },
      }, { highWaterMark: 0 });
      return [response, "", file];
    });
  } finally {
    // While a file is being downloaded, the signal must still be able to stop the download.
    if (!file) release();
  }
}

/**
 * Returns the reason why `fetch` failed. The text contains no URL, because a URL's query string may
 * be private.
 */
function why(error: unknown): string {
  const { cause, message } = error as Error;
  const { code } = cause as { code?: string } ?? {};
  return ((cause as Error | undefined)?.message || code || message || String(error))
    .split(" ").filter((word) => !word.includes("://")).join(" ");
}

/**
 * Returns the result that the caller of a method receives for a response.
 * @throws CRMError if the response is an error
 */
function answered(
  call: Call,
  response: Response,
  text: string,
  file?: ReadableStream,
): unknown {
  const { method, options, isFile, pick } = call;
  const { status, headers, ok } = response;
  if (file) return pick?.(file, response);
  if (status === 304 && options?.ifNoneMatch !== undefined) return null;
  if (status === 204 && method === "DELETE") return undefined;
  let body: unknown = text;
  if (/\bjson\b/.test(headers.get("Content-Type")!)) {
    try {
      body = JSON.parse(text);
    } catch (cause) {
      throw new ConnectionError(`The response with the status ${status} is incomplete`, { cause });
    }
  }
  const isObject = body instanceof Object;
  const data = ok && isObject && !isFile ? pick?.(body, response) : undefined;
  if (data === undefined) throw errorOf(status, headers, isObject ? body as ErrorBody : text);
  return data;
}
