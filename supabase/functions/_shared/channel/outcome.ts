import * as z from "zod/mini";
import type { ErrorCode } from "../errors.ts";

/**
 * What is known about a message after a call to the channel. `cause` is a short reason for the log:
 * `HTTP 503`, or the connection error.
 */
export type SendOutcome =
  /** The channel accepted the message, but has not delivered it yet. */
  | { kind: "accepted"; whatsappMessageId: string }
  /** The channel refused the message, and would refuse it again. */
  | { kind: "refused"; error: Refusal; channel: ChannelError }
  /** The channel certainly did not accept the message. */
  | {
    kind: "not_taken";
    error: Obstacle;
    channel?: ChannelError;
    retryAfter?: number;
    cause: string;
  }
  /** The channel may have sent the message. */
  | { kind: "unknown"; channel?: ChannelError; cause: string };

type Refusal = Extract<
  ErrorCode,
  | "template_rejected"
  | "media_rejected"
  | "recipient_unreachable"
  | "recipient_opted_out"
  | "window_closed"
>;
type Obstacle = Extract<ErrorCode, "channel_unavailable" | "channel_account_error">;

/** An error as the channel reports it. */
export interface ChannelError {
  code: number;
  /** Distinguishes errors that have the same code. */
  subcode?: number;
  message: string;
  details?: string;
  /** The id that the channel's support needs to find the call. */
  traceId?: string;
}

/** An HTTP response from the channel. */
export interface ChannelAnswer {
  status: number;
  /** Parsed JSON; undefined when the body was not JSON. */
  body: unknown;
  /** The header Retry-After. */
  retryAfter: string | null;
}

type Meaning =
  | { kind: "refused"; error: Refusal }
  | { kind: "not_taken"; error: Obstacle; retryAfter?: number }
  | { kind: "unknown" };

const rejected: Meaning = { kind: "refused", error: "template_rejected" };
const unreachable: Meaning = { kind: "refused", error: "recipient_unreachable" };
const optedOut: Meaning = { kind: "refused", error: "recipient_opted_out" };
const windowClosed: Meaning = { kind: "refused", error: "window_closed" };
const unavailable: Meaning = { kind: "not_taken", error: "channel_unavailable" };
const accountError: Meaning = { kind: "not_taken", error: "channel_account_error" };
const permissionCodes = Array.from({ length: 100 }, (_, i) => 200 + i);

/** What the channel's error codes (WhatsApp Cloud API, "Error codes") mean for a send. */
const MEANINGS = new Map<number, Meaning>([
  // The template is missing, not approved or against a policy; a parameter is missing, too long or
  // in the wrong format; there are too many parameters; or the template's flow is blocked.
  ...all([132000, 132001, 132005, 132007, 132012, 132018, 132068, 132069], rejected),
  // The template is paused or disabled.
  ...all([132015, 132016], rejected),
  // A parameter of the call is missing or invalid.
  ...all([100, 131008, 131009, 135000], rejected),
  // The channel does not accept the message type, or cannot use the media file.
  ...all([131051, 131052, 131053, 131055, 131063, 134100, 134102], rejected),
  // The recipient cannot be reached, or the channel does not allow this message to the recipient.
  ...all([131021, 131026, 131030, 131062, 130403, 130472, 130497, 131049], unreachable),
  ...all([131050], optedOut),
  // More than 24 hours have passed since the person last wrote, so only a template can be sent.
  ...all([131047], windowClosed),
  // The channel throttles the calls. 131056: within a few seconds, one phone number sent too many
  // messages to one recipient.
  ...all([4, 17, 32, 613, 80007, 80008, 130429], unavailable),
  ...all([131056], { ...unavailable, retryAfter: 6 }),
  // The channel is down.
  ...all([2, 131000, 131016, 131057, 133004], unavailable),
  // The template is still being distributed.
  ...all([134101], { ...unavailable, retryAfter: 600 }),
  // The token is invalid or expired, or a permission is missing.
  ...all([0, 3, 10, 190, ...permissionCodes, 131005], accountError),
  // The account is deleted, locked, unpaid, restricted or not registered.
  ...all([33, 368, 131031, 131037, 131042, 131045, 131048, 131064, 133010], accountError),
  // "Possibly a temporary issue": the message may or may not have been sent.
  ...all([1], { kind: "unknown" }),
]);

/**
 * The subcode of error 100 when the object in a call's path does not exist, or the token may not
 * read the object.
 */
export const NO_OBJECT = 33;

function all(codes: number[], meaning: Meaning): [number, Meaning][] {
  return codes.map((code) => [code, meaning]);
}

// The schemas list the properties that this code reads. All other parts of a response may be
// missing or have any type.
const Message = z.object({ id: z.string().check(z.regex(/^[\x21-\x7e]{1,255}$/)) });
const Text = z.catch(z.optional(z.string()), undefined);
const Refused = z.object({
  error: z.object({
    code: z.union([z.pipe(z.string().check(z.regex(/^\d{1,9}$/)), z.transform(Number)), z.int32()]),
    error_subcode: z.catch(z.optional(z.int32()), undefined),
    message: z.catch(z.string(), ""),
    error_data: z.catch(z.optional(z.object({ details: Text })), undefined),
    fbtrace_id: Text,
  }),
});

/**
 * What the channel's response means for the send. The channel uses HTTP statuses inconsistently, so
 * the status is used only if the error code is missing or unknown.
 */
export function outcomeOf({ status, body, retryAfter }: ChannelAnswer): SendOutcome {
  const isSuccess = status >= 200 && status < 300;
  const message = Message.safeParse(firstMessage(body));
  if (isSuccess && message.success) {
    return { kind: "accepted", whatsappMessageId: message.data.id };
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

/**
 * A call sends only one message, so only the first item is checked. A schema for the whole list
 * would check every item of an invalid response, which takes 70 ms.
 */
function firstMessage(body: unknown): unknown {
  const messages = (body as { messages?: unknown } | null | undefined)?.messages;
  return Array.isArray(messages) ? messages[0] : undefined;
}

/**
 * The meaning of a response's error code. If the response has no known code, the HTTP status
 * decides the meaning.
 */
export function meaningOf(status: number, channel: ChannelError | undefined): Meaning {
  // The path of a send contains the account's phone number id, so this error is about the account.
  if (channel?.code === 100 && channel.subcode === NO_OBJECT) return accountError;
  const known = channel && MEANINGS.get(channel.code);
  if (known) return known;
  const isRefusal = status >= 400 && status < 500;
  if (channel && status !== 429) return isRefusal ? rejected : { kind: "unknown" };
  // A 429 means that the channel throttles the calls. Without a code, only the HTTP status is
  // known. After a 4xx or a 503, the channel did not accept the message. The reason is unknown, so
  // the template is not reported as rejected.
  return isRefusal || status === 503 ? unavailable : { kind: "unknown" };
}

/** The error codes for a file that the channel could not fetch or did not accept. */
const MEDIA_CODES = [131052, 131053];

/**
 * The outcome of a message with a file that the caller chose. An error about the file becomes
 * `media_rejected`.
 */
export function ofOwnMedia(outcome: SendOutcome): SendOutcome {
  return outcome.kind === "refused" && MEDIA_CODES.includes(outcome.channel.code)
    ? { ...outcome, error: "media_rejected" }
    : outcome;
}

/**
 * This API's error code for an error code of the channel; null when the meaning of the channel's
 * code is not clear. The channel can also report an error after it has accepted the message.
 */
export function reasonOf(code: number): string | null {
  const meaning = MEANINGS.get(code);
  return meaning && meaning.kind !== "unknown" ? meaning.error : null;
}

/**
 * Whether the error means that the channel refuses the account. The refusal lasts until a person
 * repairs the account.
 */
export function isAboutAccount(channel: ChannelError): boolean {
  const meaning = meaningOf(400, channel);
  return meaning.kind === "not_taken" && meaning.error === "channel_account_error";
}

/** The error in the channel's response; undefined when the response has no error. */
export function channelError(body: unknown): ChannelError | undefined {
  const refused = Refused.safeParse(body);
  if (!refused.success) return undefined;
  const { code, error_subcode: subcode, message, error_data, fbtrace_id } = refused.data.error;
  return {
    code,
    ...(subcode && { subcode }),
    message,
    details: error_data?.details,
    traceId: fbtrace_id,
  };
}

const A_DAY = 24 * 60 * 60;

/**
 * The delay in seconds from a Retry-After header, which contains a number of seconds or a GMT date
 * (RFC 9110, 10.2.3).
 */
export function secondsUntil(retryAfter: string | null): number | undefined {
  const text = retryAfter ?? "";
  const date = text.endsWith(" GMT") ? Date.parse(text) : NaN;
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((date - Date.now()) / 1000);
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 0), A_DAY);
}
