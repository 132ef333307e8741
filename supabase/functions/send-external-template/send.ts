import type { Caller } from "../_shared/key/caller.ts";
import { logEvent, logFailure, type Origin } from "../_shared/log.ts";
import { callChannel, type ChannelCall } from "../_shared/whatsapp/channel.ts";
import { keyIdOf, openToken, UnknownCredentialsKey } from "../_shared/whatsapp/credentials.ts";
import type { SendOutcome } from "../_shared/whatsapp/outcome.ts";
import { settleSend } from "../_shared/whatsapp/settle.ts";
import { failedSend, noAccount, repeatAnswer, type SendAnswer, sentAnswer } from "./answers.ts";
import { type ClaimedSend, claimSend } from "./claim.ts";
import type { SenderConfig } from "./config.ts";
import type { SendRequest } from "./request.ts";
import { templateCall } from "./template_call.ts";

/**
 * Sends a template: claims the send, calls the channel, settles the send. Whatever breaks on the way,
 * the channel is called at most once for a claim, and a claim is given to one request only.
 *
 * @throws ApiError for every answer of specification part 7 that is no success.
 */
export async function sendTemplate(
  caller: Caller,
  config: SenderConfig,
  request: SendRequest,
  origin: Origin,
): Promise<SendAnswer> {
  const began = performance.now();
  const claimId = crypto.randomUUID();
  const claim = await claimSend(caller, config, claimId, request);
  switch (claim.result) {
    case "repeat":
      return repeatAnswer(claim);
    case "do_not_contact":
      return { success: false, reason: "do_not_contact" };
    case "no_account":
      throw noAccount(claim.connected, request.phone_number_id);
  }

  const outcome = await callFor(claim, config, request, origin);
  await settleSend(caller.db, config, { claimId, sendId: claim.send_id }, outcome, origin);
  logSend(origin, claim, outcome, performance.now() - began);
  if (outcome.kind === "accepted") return sentAnswer(claim, outcome.whatsappMessageId);
  throw failedSend(outcome, claim, request);
}

/** The account's token is readable here and nowhere else, for the one call that it was claimed for. */
async function callFor(
  send: ClaimedSend,
  config: SenderConfig,
  request: SendRequest,
  origin: Origin,
): Promise<SendOutcome> {
  let call: ChannelCall;
  try {
    const token = await openToken(send.encrypted_token, config.credentialsKeys);
    const account = { phoneNumberId: send.phone_number_id, token };
    call = templateCall(config.whatsapp, account, request, send.send_id);
  } catch (error) {
    const key_id = keyIdOf(send.encrypted_token);
    const cause = whyUnusable(error as Error, key_id);
    logFailure(origin, "account_token_unusable", cause, { account_id: send.account_id, key_id });
    return { kind: "not_taken", error: "channel_account_error", cause };
  }
  return await callChannel(config.whatsapp, call);
}

/** What the operator has to look at: the configured keys, or the account. */
function whyUnusable(error: Error, keyId: string | undefined): string {
  if (error instanceof UnknownCredentialsKey) return error.message;
  // Any other message could quote the token.
  return keyId === undefined
    ? `The stored token cannot be used (${error.name}); is CREDENTIALS_KEY the one that it was stored under?`
    : `The stored token cannot be used (${error.name}), although the key that it names is configured`;
}

/**
 * One line for each send. No phone, no text and no token; and no message id of the channel, which is
 * the recipient's phone in another spelling.
 */
function logSend(origin: Origin, send: ClaimedSend, outcome: SendOutcome, ms: number) {
  const channel = outcome.kind === "accepted" ? undefined : outcome.channel;
  logEvent(origin, "template_send", {
    send_id: send.send_id,
    company_id: send.company_id,
    account_id: send.account_id,
    outcome: "error" in outcome ? outcome.error : outcome.kind,
    cause: "cause" in outcome ? outcome.cause : undefined,
    ms: Math.round(ms),
    channel_code: channel?.code,
    channel_trace_id: channel?.traceId,
  });
}
