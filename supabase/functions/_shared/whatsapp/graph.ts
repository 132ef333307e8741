import type { ChannelConfig } from "./channel_config.ts";
import type { ChannelError } from "./outcome.ts";

/** What a call says, besides the account's token. */
export interface Question {
  /** GET, unless another is given. */
  method?: "GET" | "POST" | "DELETE";
  /** Below the address of the channel, without a slash at its beginning: `106540352242922/media`. */
  path: string;
  query?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  /** For the call and the reading of its answer; 10 s, unless another is given. */
  timeoutMs?: number;
  /** A longer answer is not read to its end; 8 MiB, unless another is given. */
  maxBytes?: number;
}

/** An error of the channel with its subcode, which tells some errors of one code apart. */
export interface GraphError extends ChannelError {
  subcode?: number;
}

/** What the channel replied. */
export type ChannelReply =
  | { kind: "answered"; body: unknown }
  /** The channel refused the call, and would refuse it again. */
  | { kind: "refused"; channel: GraphError; status: number }
  /** The channel is throttled or down, cannot be reached, or its answer is none. */
  | { kind: "unavailable"; cause: string; retryAfter?: number };

export async function askChannel(
  _channel: ChannelConfig,
  _token: string,
  _question: Question,
): Promise<ChannelReply> {
  return await Promise.resolve({ kind: "unavailable", cause: "" });
}
