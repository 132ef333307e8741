import { fetchOnce } from "../fetch_once.ts";
import type { ChannelConfig } from "./channel_config.ts";
import { beginningOf, channelClient, parsedJson, reasonOf } from "./channel_http.ts";
import { passedOn } from "./channel_words.ts";
import { outcomeOf, type SendOutcome } from "./outcome.ts";

/** A call to the channel, ready to be made. */
export interface ChannelCall {
  url: string;
  init: RequestInit;
  /** The access token that `init` carries. Nothing that the channel says of it is passed on. */
  token: string;
}

/** Far more than the channel's own answers have. The bytes count as they are after decompression. */
const MAX_ANSWER_BYTES = 65_536;

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
    ({ text } = await beginningOf(response, MAX_ANSWER_BYTES));
  } catch (error) {
    // The rest of the answer is lost. After a 4xx, the message was certainly not sent.
    if (status < 400 || status >= 500) return { kind: "unknown", cause: reasonOf(error) };
    text = "";
  }
  return outcomeOf({ status, body: parsedJson(text), retryAfter: headers.get("Retry-After") });
}

/** Whether a call failed before any of it was sent: at the name, the connection or TLS. */
function wasNeverSent(cause: string): boolean {
  // "Connect" is hyper's name for that phase; the other text is Deno's for ports that it does not connect to.
  // After any other error, the call may have been sent.
  return /^\w+: (client error \(Connect\)|(Fetch failed: )?Requests to port \d+ are blocked)/
    .test(cause);
}
