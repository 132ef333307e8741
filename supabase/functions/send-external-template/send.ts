import type { Caller } from "../_shared/key/caller.ts";
import { logEvent, logFailure, type Origin } from "../_shared/log.ts";
import { callChannel, type ChannelCall } from "../_shared/whatsapp/channel.ts";
import {
  keyIdOf,
  openToken,
  TokenOfAnotherAccount,
  UnknownCredentialsKey,
} from "../_shared/whatsapp/credentials.ts";
import type { SendOutcome } from "../_shared/whatsapp/outcome.ts";
import { settleSend } from "../_shared/whatsapp/settle.ts";
import { failedSend, noAccount, repeatAnswer, type SendAnswer, sentAnswer } from "./answers.ts";
import { type ClaimedSend, claimSend } from "./claim.ts";
import type { SenderConfig } from "./config.ts";
import type { SendRequest } from "./request.ts";
import { templateCall } from "./template_call.ts";

/**
 * Sends a template: claims the send, calls the channel, settles the send. Whatever fails, the channel is
 * called at most once for a claim, and only one request gets a claim.
 *
 * @throws ApiError for every error of specification, part 7.
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

/** Opens the account's token and makes the call. The token is readable only here. */
async function callFor(
  send: ClaimedSend,
  config: SenderConfig,
  request: SendRequest,
  origin: Origin,
): Promise<SendOutcome> {
  let call: ChannelCall;
  try {
    const token = await openToken(send.encrypted_token, send, config.credentialsKeys);
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

/** The cause for the operator: the configured keys, the account, or what was changed in the database. */
function whyUnusable(error: Error, keyId: string | undefined): string {
  if (error instanceof UnknownCredentialsKey || error instanceof TokenOfAnotherAccount) {
    return error.message;
  }
  // The message of any other error could quote the token.
  return keyId === undefined
    ? `The stored token cannot be used (${error.name}); is CREDENTIALS_KEY the one that it was stored under?`
    : `The stored token cannot be used (${error.name}), although the key that it names is configured`;
}

/**
 * Logs one line for the send, without phone, text and token. The channel's message id is left out as well: it
 * contains the phone.
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
