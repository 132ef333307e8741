import { fetchOnce } from "../fetch_once.ts";
import type { ChannelConfig } from "./channel_config.ts";
import { beginningOf, channelClient, parsedJson, reasonOf } from "./channel_http.ts";
import { passedOn } from "./channel_words.ts";
import { outcomeOf, type SendOutcome } from "./outcome.ts";

/** A prepared call to the channel. */
export interface ChannelCall {
  url: string;
  init: RequestInit;
  /** The access token in `init`. The token is removed from strings of the channel's response. */
  token: string;
}

/** The channel's responses are always smaller than this many bytes after decompression. */
const MAX_ANSWER_BYTES = 65_536;

/**
 * Makes the call once, and returns what is known about the message afterwards. Never throws. The
 * timeout includes reading the response.
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
    ({ text } = await beginningOf(response, MAX_ANSWER_BYTES));
  } catch (error) {
    // The rest of the response could not be read. After a 4xx, the message was certainly not sent.
    if (status < 400 || status >= 500) return { kind: "unknown", cause: reasonOf(error) };
    text = "";
  }
  return outcomeOf({ status, body: parsedJson(text), retryAfter: headers.get("Retry-After") });
}

/**
 * Whether a call failed before anything was sent: during name resolution, connection or TLS setup.
 */
function wasNeverSent(cause: string): boolean {
  // hyper, Deno's HTTP library, uses the name "Connect" for the phase before anything is sent. The
  // second part of the pattern matches the error for a port to which Deno refuses to connect. After
  // any other error, the call may have been sent.
  return /^\w+: (client error \(Connect\)|(Fetch failed: )?Requests to port \d+ are blocked)/
    .test(cause);
}
