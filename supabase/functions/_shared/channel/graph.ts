import * as z from "zod/mini";
import { fetchOnce } from "../fetch_once.ts";
import type { ChannelConfig } from "./channel_config.ts";
import { beginningOf, channelClient, parsedJson, reasonOf } from "./channel_http.ts";
import { causeInWords, errorInWords, withoutQueries } from "./channel_words.ts";
import { type ChannelError, channelError, meaningOf, secondsUntil } from "./outcome.ts";

/** The content of a call, without the account's token. */
export interface Question {
  /** GET if missing. */
  method?: "GET" | "POST" | "DELETE";
  /**
   * The path below the channel's URL, without a leading slash: `106540352242922/media`.
   */
  path: string;
  query?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  /** The timeout for the call and its response. The default is 10 s. */
  timeoutMs?: number;
  /** The maximum number of bytes to read from the response. The default is 8 MiB. */
  maxBytes?: number;
}

/** The channel's response. */
export type ChannelReply =
  | { kind: "answered"; body: unknown }
  /** The channel refused the call, and would refuse it again. */
  | { kind: "refused"; channel: ChannelError; status: number }
  /** The channel throttles the call, is down, cannot be reached, or sends an unusable response. */
  | { kind: "unavailable"; cause: string; retryAfter?: number };

const TIMEOUT_MS = 10_000;

/** The largest response is a page of 100 templates, which is smaller than this. */
const MAX_BYTES = 8 * 2 ** 20;

/**
 * Reads from the channel, or makes a small change that may be repeated, and returns the channel's
 * response. Never throws. Never follows a redirect, because that would send the token to another
 * server. An error contains neither the token nor the query of a URL.
 */
export async function askChannel(
  channel: ChannelConfig,
  token: string,
  question: Question,
): Promise<ChannelReply> {
  const { timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES } = question;
  let response: Response;
  let beginning: { text: string; isWhole: boolean };
  try {
    response = await fetchOnce(addressOf(channel, question), {
      ...initOf(token, question),
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
      client: channelClient(),
    });
    beginning = await beginningOf(response, maxBytes);
  } catch (error) {
    return { kind: "unavailable", cause: inWords(reasonOf(error), token) };
  }
  if (!beginning.isWhole) {
    const cause = `HTTP ${response.status}, with an answer of more than ${maxBytes} bytes`;
    return { kind: "unavailable", cause };
  }
  return replyOf(response, parsedJson(beginning.text), token);
}

function addressOf({ url }: ChannelConfig, { path, query }: Question): string {
  return `${url}/${path}${query ? `?${new URLSearchParams(query)}` : ""}`;
}

function initOf(token: string, { method = "GET", body, headers }: Question): RequestInit {
  return {
    method,
    headers: new Headers({
      ...headers,
      ...(body !== undefined && { "Content-Type": "application/json" }),
      Authorization: `Bearer ${token}`,
    }),
    body: body === undefined ? undefined : JSON.stringify(body),
  };
}

// The schema lists the property that this code reads. The channel may leave out the property, or
// send it with another type.
const Details = z.object({
  error: z.object({ is_transient: z.catch(z.optional(z.boolean()), undefined) }),
});

/**
 * Interprets the response to a call that may be repeated. The error code takes precedence over the
 * HTTP status, because the channel uses statuses inconsistently.
 *
 * @param body parsed JSON; undefined when the body was not JSON.
 */
export function replyOf(
  { status, headers }: Pick<Response, "status" | "headers">,
  body: unknown,
  token: string,
): ChannelReply {
  const channel = channelError(body);
  if (!channel) {
    const isAnswer = status >= 200 && status < 300 && body !== undefined;
    if (isAnswer) return { kind: "answered", body: withoutNextPage(body) };
    const what = status >= 200 && status < 300 ? ", with an answer that is not JSON" : "";
    return unavailable(`HTTP ${status}${what}`, secondsUntil(headers.get("Retry-After")));
  }
  const { is_transient } = Details.safeParse(body).data?.error ?? {};
  const known = meaningOf(status, channel);
  const passes = known.kind === "unknown" || is_transient ||
    known.kind === "not_taken" && known.error === "channel_unavailable";
  if (!passes) {
    const { message, details } = channel;
    const plain = { ...channel, message: withoutQueries(message) };
    if (details) plain.details = withoutQueries(details);
    return { kind: "refused", channel: errorInWords(plain, token), status };
  }
  return unavailable(
    inWords(`HTTP ${status}, code ${channel.code}: ${channel.message}`, token),
    secondsUntil(headers.get("Retry-After")) ??
      ("retryAfter" in known ? known.retryAfter : undefined),
  );
}

function unavailable(cause: string, retryAfter: number | undefined): ChannelReply {
  return { kind: "unavailable", cause, ...(retryAfter !== undefined && { retryAfter }) };
}

function inWords(cause: string, token: string): string {
  return causeInWords(withoutQueries(cause), token);
}

/** The URLs of the previous and next pages contain the token, so their queries are removed. */
function withoutNextPage(body: unknown): unknown {
  const paging = (body as { paging?: Record<string, unknown> } | null)?.paging;
  if (typeof paging !== "object" || paging === null) return body;
  for (const page of ["next", "previous"]) {
    const address = paging[page];
    if (typeof address === "string") paging[page] = withoutQueries(address);
  }
  return body;
}
