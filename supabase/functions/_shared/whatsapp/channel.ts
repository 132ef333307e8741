import { fetchOnce } from "../fetch_once.ts";
import type { ChannelConfig } from "./channel_config.ts";
import { passedOn } from "./channel_words.ts";
import { outcomeOf, type SendOutcome } from "./outcome.ts";

export type { ChannelConfig };

/** A call to the channel, ready to be made. */
export interface ChannelCall {
  url: string;
  init: RequestInit;
  /** The access token that `init` carries. Nothing that the channel says of it is passed on. */
  token: string;
}

/** Far more than the channel's own answers have. The bytes count as they are after decompression. */
const MAX_ANSWER_BYTES = 65_536;

let client: Deno.HttpClient | undefined;

/**
 * A client for HTTP/1.1, where a call has a connection of its own. Over HTTP/2, calls share a connection, and
 * when it breaks, the outcome of all of them is unknown. 64 simultaneous calls also take a seventh longer.
 */
function channelClient(): Deno.HttpClient | undefined {
  // Not every Supabase runtime lets a function choose the protocol.
  return client ??= Deno.createHttpClient?.({ http1: true, http2: false });
}

/**
 * Makes the call once and returns what is known of the message afterwards. Never throws. The time-out covers
 * the reading of the answer too.
 */
export async function callChannel(
  config: ChannelConfig,
  call: ChannelCall,
): Promise<SendOutcome> {
  return passedOn(await outcomeOfCall(config, call), call.token);
}

async function outcomeOfCall(
  { timeoutMs }: ChannelConfig,
  { url, init }: ChannelCall,
): Promise<SendOutcome> {
  let response: Response;
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    response = await fetchOnce(url, { ...init, signal, client: channelClient() });
  } catch (error) {
    const cause = reasonOf(error);
    return wasNeverSent(cause)
      ? { kind: "not_taken", error: "channel_unavailable", cause }
      : { kind: "unknown", cause };
  }
  const { status, headers } = response;
  let text: string;
  try {
    text = await beginningOf(response);
  } catch (error) {
    // The rest of the answer is lost. After a 4xx, the message was certainly not sent.
    if (status < 400 || status >= 500) return { kind: "unknown", cause: reasonOf(error) };
    text = "";
  }
  return outcomeOf({ status, body: parsed(text), retryAfter: headers.get("Retry-After") });
}

/**
 * The text of an answer, of which at most 64 KiB are read: the runtime decompresses as it is read, and a
 * small answer may decompress to gigabytes. The rest is cancelled, which ends the connection.
 */
async function beginningOf({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let left = MAX_ANSWER_BYTES;
  for await (const bytes of body ?? []) {
    text += decoder.decode(bytes.subarray(0, left), { stream: true });
    left -= bytes.length;
    if (left <= 0) break; // which cancels the body
  }
  return text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The reason of a failed fetch, without the address: `client error (Connect): dns error: …`. */
function reasonOf(error: unknown): string {
  const { name, message, cause } = error as Error;
  const reason = cause instanceof Error ? cause.message : message;
  return `${name}: ${reason.replace(/^error sending request .*?: (?=client error)/, "")}`;
}

/** Whether a call failed before any of it was sent: at the name, the connection or TLS. */
function wasNeverSent(cause: string): boolean {
  // "Connect" is hyper's name for that phase; the other text is Deno's for ports that it does not connect to.
  // After any other error, the call may have been sent.
  return /^\w+: (client error \(Connect\)|Requests to port \d+ are blocked)/.test(cause);
}
