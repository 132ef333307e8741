import * as z from "zod";
import type { ErrorCode } from "../errors.ts";

/**
 * What is known of a message after the channel was called. `cause` says in a few words, for the log, what
 * was in the way: `HTTP 503`, or what became of the connection.
 */
export type SendOutcome =
  /** The channel took it. That is not delivery. */
  | { kind: "accepted"; whatsappMessageId: string }
  /** The channel refused it, and would again. */
  | { kind: "refused"; error: Refusal; channel: ChannelError }
  /** The channel certainly does not have it. */
  | {
    kind: "not_taken";
    error: Obstacle;
    channel?: ChannelError;
    retryAfter?: number;
    cause: string;
  }
  /** Nobody knows: it may have gone out. */
  | { kind: "unknown"; channel?: ChannelError; cause: string };

type Refusal = Extract<
  ErrorCode,
  "template_rejected" | "recipient_unreachable" | "recipient_opted_out"
>;
type Obstacle = Extract<ErrorCode, "channel_unavailable" | "channel_account_error">;

/** An error in the channel's own words. */
export interface ChannelError {
  code: number;
  message: string;
  details?: string;
  /** By which the channel's support finds the call. */
  traceId?: string;
}

/** An answer of the channel as it came. */
export interface ChannelAnswer {
  status: number;
  /** Parsed JSON; undefined when it was none. */
  body: unknown;
  /** The header of this name. */
  retryAfter: string | null;
}

type Meaning =
  | { kind: "refused"; error: Refusal }
  | { kind: "not_taken"; error: Obstacle; retryAfter?: number }
  | { kind: "unknown" };

const rejected: Meaning = { kind: "refused", error: "template_rejected" };
const unreachable: Meaning = { kind: "refused", error: "recipient_unreachable" };
const optedOut: Meaning = { kind: "refused", error: "recipient_opted_out" };
const unavailable: Meaning = { kind: "not_taken", error: "channel_unavailable" };
const accountError: Meaning = { kind: "not_taken", error: "channel_account_error" };
const permissionCodes = Array.from({ length: 100 }, (_, i) => 200 + i);

/** The channel's error codes (WhatsApp Cloud API, "Error codes"), by what they mean for a send. */
const MEANINGS = new Map<number, Meaning>([
  // Parameters that are missing or of the wrong number, form or length; a template that is missing, not
  // approved or against a policy; a flow that is blocked.
  ...all([132000, 132001, 132005, 132007, 132012, 132018, 132068, 132069], rejected),
  // A template that is paused or disabled.
  ...all([132015, 132016], rejected),
  // A parameter that is missing or invalid.
  ...all([100, 131008, 131009, 135000], rejected),
  // A message type or media that the channel does not take.
  ...all([131051, 131053, 131055, 131063, 134100, 134102], rejected),
  // A recipient that cannot or may not be reached.
  ...all([131021, 131026, 131030, 131062, 130403, 130472, 130497, 131049], unreachable),
  ...all([131050], optedOut),
  // Throttled; the last of these for one pair of numbers, which recovers within seconds.
  ...all([4, 80007, 130429], unavailable),
  ...all([131056], { ...unavailable, retryAfter: 6 }),
  // The channel is down.
  ...all([2, 131000, 131016, 131057, 133004], unavailable),
  // The template is still being distributed.
  ...all([134101], { ...unavailable, retryAfter: 600 }),
  // A token that is invalid or expired, a permission that is missing.
  ...all([0, 3, 10, 190, ...permissionCodes, 131005], accountError),
  // An account that is deleted, locked, unpaid, restricted or not registered.
  ...all([33, 368, 131031, 131037, 131042, 131045, 131048, 131064, 133010], accountError),
  // "Possibly a temporary issue", which leaves open what became of the message.
  ...all([1], { kind: "unknown" }),
]);

function all(codes: number[], meaning: Meaning): [number, Meaning][] {
  return codes.map((code) => [code, meaning]);
}

// Only what is readable counts: the rest of an answer may be missing or of any shape.
const Accepted = z.object({
  messages: z.array(z.object({ id: z.string().regex(/^[\x21-\x7e]{1,255}$/) })).min(1),
});
const Text = z.string().optional().catch(undefined);
const Refused = z.object({
  error: z.object({
    code: z.union([z.string().regex(/^\d{1,9}$/).transform(Number), z.int32()]),
    message: z.string().catch(""),
    error_data: z.object({ details: Text }).optional().catch(undefined),
    fbtrace_id: Text,
  }),
});

/**
 * What an answer of the channel means for the send. Decided by the error's code, because the channel
 * uses HTTP statuses loosely; by the status only where there is no code, or none that is known.
 */
export function outcomeOf({ status, body, retryAfter }: ChannelAnswer): SendOutcome {
  const isSuccess = status >= 200 && status < 300;
  const accepted = Accepted.safeParse(body);
  if (isSuccess && accepted.success) {
    return { kind: "accepted", whatsappMessageId: accepted.data.messages[0].id };
  }
  const channel = channelError(body);
  const meaning = meaningOf(status, channel);
  switch (meaning.kind) {
    case "refused":
      return { ...meaning, channel: channel! };
    case "not_taken":
      return {
        ...meaning,
        channel,
        retryAfter: secondsUntil(retryAfter) ?? meaning.retryAfter,
        cause: `HTTP ${status}`,
      };
    case "unknown":
      return { ...meaning, channel, cause: `HTTP ${status}` };
  }
}

function meaningOf(status: number, channel: ChannelError | undefined): Meaning {
  const known = channel && MEANINGS.get(channel.code);
  if (known) return known;
  const isRefusal = status >= 400 && status < 500;
  if (channel) return isRefusal ? rejected : { kind: "unknown" };
  // Without a code, HTTP's own meaning is left: by a 4xx, and by a 503, a request was not carried out.
  // It says nothing against the template.
  return isRefusal || status === 503 ? unavailable : { kind: "unknown" };
}

function channelError(body: unknown): ChannelError | undefined {
  const refused = Refused.safeParse(body);
  if (!refused.success) return undefined;
  const { code, message, error_data, fbtrace_id } = refused.data.error;
  return { code, message, details: error_data?.details, traceId: fbtrace_id };
}

const A_DAY = 24 * 60 * 60;

/** Seconds, from a Retry-After header: a number of them or a date in GMT (RFC 9110, 10.2.3). */
function secondsUntil(retryAfter: string | null): number | undefined {
  const text = retryAfter ?? "";
  const date = text.endsWith(" GMT") ? Date.parse(text) : NaN;
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((date - Date.now()) / 1000);
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 0), A_DAY);
}
