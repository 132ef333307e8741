import type { Caller } from "../key/caller.ts";
import { logEvent, type Origin } from "../log.ts";
import { UnusableToken } from "../whatsapp/account_token.ts";
import { callChannel } from "../whatsapp/channel.ts";
import { messageCall, type MessageContent, type Recipient } from "../whatsapp/message_call.ts";
import type { SendOutcome } from "../whatsapp/outcome.ts";
import { settleSend } from "../whatsapp/settle.ts";
import type { ClaimedSend } from "./claim.ts";
import type { SendingConfig } from "./config.ts";
import { withToken } from "./token.ts";

/** A message to send, with what its log line says of it. */
export interface Sending {
  claimId: string;
  send: ClaimedSend;
  message: Recipient & MessageContent;
  /** The event of the log line: `template_send`, `reply_send`. */
  event: string;
  /** When its request came, of `performance.now()`. */
  began: number;
  origin: Origin;
}

/**
 * Calls the channel for a claimed send, once, and settles the send. Writes one line to the log, without phone,
 * text and token. Never throws for what the channel does.
 */
export async function callAndSettle(
  caller: Caller,
  config: SendingConfig,
  sending: Sending,
): Promise<SendOutcome> {
  const outcome = await outcomeOfCall(config, sending);
  const { claimId, send, origin } = sending;
  await settleSend(caller.db, config, { claimId, sendId: send.send_id }, outcome, origin);
  logSend(sending, outcome);
  return outcome;
}

/** Makes the call with the account's token. */
async function outcomeOfCall(
  config: SendingConfig,
  { send, message, origin }: Sending,
): Promise<SendOutcome> {
  try {
    return await withToken(config, send, origin, async (token) => {
      const account = { phoneNumberId: send.phone_number_id, token };
      // The attempt tells the reports about this message from those about an earlier one of the same send.
      const mark = `${send.send_id}.${send.attempt}`;
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

/** The channel's message id is left out of the line: it contains the phone. */
function logSend({ send, event, began, origin }: Sending, outcome: SendOutcome) {
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
  });
}
