import type { Caller } from "../key/caller.ts";
import { LineLimit } from "../line_limit.ts";
import { logEvent, type Origin } from "../log.ts";
import { UnusableToken } from "../credentials/account_token.ts";
import { callChannel } from "../channel/channel.ts";
import { messageCall, type MessageContent, type Recipient } from "../channel/message_call.ts";
import { ofOwnMedia, type SendOutcome } from "../channel/outcome.ts";
import { settleSend } from "./settle.ts";
import type { Access, ClaimedSend } from "./claim.ts";
import type { SendingConfig } from "./send_config.ts";
import { withToken } from "./readable_token.ts";

/** A message to send, and the facts for its log line. */
export interface Sending {
  claimId: string;
  send: ClaimedSend;
  message: Recipient & MessageContent;
  /** The event of the log line: `template_send`, `reply_send`. */
  event: string;
  /**
   * Whether the caller chose the file of the message. Errors about the file are then reported as
   * errors of the caller.
   */
  hasOwnMedia?: boolean;
  /** When the request arrived, on the clock of `performance.now()`. */
  began: number;
  origin: Origin;
}

// A campaign must not displace other lines of the log, and accepted sends must not displace the
// lines about other outcomes.
const acceptedLines = new LineLimit(30);
const otherLines = new LineLimit(20);

/**
 * Calls the channel once for a claimed send, and settles the send. Writes at most one log line,
 * without the phone number, the message text or the token. Never throws because of the channel.
 */
export async function callAndSettle(
  { db }: Pick<Caller, "db">,
  config: SendingConfig,
  sending: Sending,
): Promise<SendOutcome> {
  const { claimId, send, message, origin } = sending;
  // The mark has the number of the attempt, so the channel's reports about this message differ from
  // reports about an earlier attempt.
  const mark = `${send.send_id}.${send.attempt}`;
  const called = await outcomeOfCall(config, send, origin, message, mark);
  const outcome = sending.hasOwnMedia ? ofOwnMedia(called) : called;
  await settleSend(db, config, { claimId, send }, outcome, origin);
  logSend(sending, outcome);
  return outcome;
}

/**
 * Sends a message with the account's token, in one call to the channel. Never throws because of the
 * channel.
 * @param mark a text that the channel repeats in its reports about the message.
 */
export async function outcomeOfCall(
  config: SendingConfig,
  access: Access,
  origin: Origin,
  message: Recipient & MessageContent,
  mark: string,
): Promise<SendOutcome> {
  try {
    return await withToken(config, access, origin, async (token) => {
      const account = { phoneNumberId: access.phone_number_id, token };
      return await callChannel(
        config.whatsapp,
        messageCall(config.whatsapp, account, mark, message),
      );
    });
  } catch (error) {
    if (!(error instanceof UnusableToken)) throw error;
    return { kind: "not_taken", error: "channel_account_error", cause: error.message };
  }
}

/** The channel's message id is not logged, because it contains the phone number. */
function logSend({ send, event, began, origin }: Sending, outcome: SendOutcome) {
  const line = (outcome.kind === "accepted" ? acceptedLines : otherLines).take();
  if (!line) return;
  const channel = outcome.kind === "accepted" ? undefined : outcome.channel;
  logEvent(origin, event, {
    send_id: send.send_id,
    company_id: send.company_id,
    account_id: send.account_id,
    outcome: "error" in outcome ? outcome.error : outcome.kind,
    cause: "cause" in outcome ? outcome.cause : undefined,
    ms: Math.round(performance.now() - began),
    channel_code: channel?.code,
    channel_trace_id: channel?.traceId,
    ...line,
  });
}
